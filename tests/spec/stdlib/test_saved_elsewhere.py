"""Files that PyTorch and NumPy saved before: their values, and that nothing of them is run."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.errors import GradcliError, LimitError
from gradcli.spec.program import Program

from ..running import program

SAVED = Path(__file__).parent / "saved"
# Each value as PyTorch 2.13 shows it, of a file that it saved.
SHOWN = """\
import torch
c = torch.load("checkpoint.pt")
print(list(c["model"]), c["model"]._metadata)
print(c["w"], c["wt"].stride(), c["p"], c["b"], c["d"], c["s"], c["at"], c["epoch"], c["seen"], c["rates"])
c["w"][0, 0] = 9
print(c["wt"][0, 0], torch.load("checkpoint.pt")["w"][0, 0])
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
print(net.load_state_dict(c["model"]), net[0].bias)
"""
EXPECTED = """\
['0.weight', '0.bias', '1.weight', '1.bias', '1.running_mean', '1.running_var', '1.num_batches_tracked'] \
OrderedDict([('', {'version': 1}), ('0', {'version': 1}), ('1', {'version': 2})])
tensor([[0., 1., 2.],
        [3., 4., 5.]]) (1, 3) Parameter containing:
tensor([1., 1.], requires_grad=True) tensor([ 1.5000, -2.0000], dtype=torch.bfloat16) torch.float16 \
torch.Size([1, 2]) cpu 3 {1, 2} [0.1, (1, None)]
tensor(9.) tensor(0.)
<All keys matched successfully> Parameter containing:
tensor([-0.2723,  0.1896], requires_grad=True)
"""


def lent(text: str, path: Path) -> Program:
    made = program(text)
    made.lend = [str(path)]
    return made


def test_a_checkpoint_of_pytorch() -> None:
    said: list[str] = []
    lent(SHOWN, SAVED / "checkpoint.pt").run(said.append)
    assert "".join(said) == EXPECTED


def test_arrays_of_numpy(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=np.arange(3), b=np.eye(2))
    said: list[str] = []
    text = "import numpy as np\nz = np.load('a.npz')\nprint(z.files, z['a'], z['b'][0])\n"
    lent(text, tmp_path / "a.npz").run(said.append)
    assert "".join(said) == "['a', 'b'] [0 1 2] [1. 0.]\n"


class Run:
    def __reduce__(self) -> Any:
        return os.system, ("true",)


def zipped(data: bytes, compression: int = zipfile.ZIP_STORED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as parts:
        parts.writestr("m/data.pkl", data)
        parts.writestr("m/byteorder", "little")
    return made.getvalue()


# A call of OrderedDict, attributes for what it made, and for a function that makes tensors.
CALL = b"\x80\x02ccollections\nOrderedDict\n)R"
TENSOR = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (pickle.dumps(Run(), 2), "gradcli reads texts, and what"),
        (zipped(pickle.dumps(Run(), 2)), "GLOBAL posix.system was not an allowed global"),
        (zipped(CALL + b"}X\x01\x00\x00\x00aK\x01sb."), "Attributes of a OrderedDict are no part of weights"),
        (zipped(TENSOR + b"}X\x0c\x00\x00\x00__defaults__K\x01sb."), "Attributes of a function are no part of weights"),
        (zipped(CALL + b"X\x01\x00\x00\x00aK\x01s."), "None"),
        (zipped(pickle.dumps([1] * 3, 2)[:-4]), "is damaged"),
        (zipped(b"\x80\x02cbuiltins\nset\n)\x81."), "Unsupported operand 129"),
        (zipped(TENSOR + b"(X\x01\x00\x00\x000K\x00)))tR."), "is damaged"),
        (zipped(pickle.dumps([0] * 50, 2), zipfile.ZIP_DEFLATED), "it is compressed"),
        (zipped(pickle.dumps(2, 2))[:-30], "is damaged"),
    ],
)
def test_what_no_state_dict_is(
    data: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[Callable[..., Any]] = []
    monkeypatch.setattr(os, "system", ran.append)
    (tmp_path / "m.pt").write_bytes(data)
    text = "import torch\ntry: print(torch.load('m.pt') and None)\nexcept Exception as e: print(e)\n"
    printed: list[str] = []
    lent(text, tmp_path / "m.pt").run(printed.append)
    assert said in "".join(printed)
    assert not ran


def test_what_lies_too_deeply(tmp_path: Path) -> None:
    (tmp_path / "m.pt").write_bytes(zipped(b"]" * 9000 + b"a" * 8999 + b"."))
    with pytest.raises(LimitError):
        lent("import torch\ntorch.load('m.pt')\n", tmp_path / "m.pt").run()


def test_files_that_are_too_large(tmp_path: Path) -> None:
    with (tmp_path / "m.pt").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(GradcliError, match=r"m\.pt' has 1,073,741,824 bytes; the limit for all files"):
        lent("1", tmp_path / "m.pt").run()
