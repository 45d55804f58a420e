"""Modules of a program's own: files beside it that it imports."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from gradcli.errors import GradcliError, LimitError, ProgramError, SpecError
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.guard.notes import Note
from gradcli.spec.input.beside import read
from gradcli.spec.program import Program

_CUBE = """\
import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x ** 2
"""
# A package whose parts name each other, and a file with names of its own.
_FILES = {
    "net/__init__.py": "from .layers import *\nfrom . import layers\nprint('once', __name__)\n",
    "net/layers.py": (
        "import torch\nfrom .parts.cube import Cube\n__all__ = ['Net']\n_hidden = 1\n"
        "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = torch.nn.Parameter(torch.tensor([2.0]))\n"
        "    def forward(self, x):\n        return Cube.apply(x * self.w).sum()\n"
    ),
    "net/parts/cube.py": _CUBE,
    "settings.py": (
        "__version__ = '2'\nrate = 0.5\n_secret = 3\n"
        "def bump():\n    global rate\n    rate += 1\n    return rate\n"
    ),
    "one.py": "import two\ndef f():\n    return two.g() + 1\n",
    "two.py": "import one\ndef g():\n    return 1 if hasattr(one, 'f') else 0\n",
}


def _written(place: Path, **files: str) -> Path:
    for name, text in {**_FILES, **{f"{name}.py": text for name, text in files.items()}}.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    return place / "main.py"


def _printed(place: Path, text: str, **how: Any) -> str:
    parts: list[str] = []
    Program(read(str(_written(place, main=text))), **how).run(parts.append)
    return "".join(parts)


def test_modules_and_packages(tmp_path: Path) -> None:
    text = """\
import net, one, settings as s
from net import Net, layers
from net.parts import cube
from settings import *
import net.layers as again
print(Net, again is layers, net.parts.cube is cube, cube.Cube.__name__, rate, s.bump(), rate, s.rate, one.f())
s.rate, s.more = 7, 8
import settings
print(settings.rate, settings.more, settings.__name__, settings._secret, settings.__version__)
print(hasattr(layers, "nothing"), __name__)
def late():
    from two import g as h, one
    return h() + one.f()
print(late())
for read in ("settings.nothing", "from settings import nothing", "_secret"):
    try:
        if read[0] == "f":
            from settings import nothing
        else:
            settings.nothing if read[0] == "s" else _secret
    except (AttributeError, ImportError, NameError) as error:
        print(type(error).__name__, str(error).partition(" (")[0])
"""
    assert _printed(tmp_path, text) == (
        "once net\n<class 'net.layers.Net'> True True Cube 0.5 1.5 0.5 1.5 2\n7 8 settings 3 2\nFalse __main__\n3\n"
        "AttributeError module 'settings' has no attribute 'nothing'\n"
        "ImportError cannot import name 'nothing' from 'settings'\nNameError name '_secret' is not defined\n"
    )


def test_a_wrong_function_is_found_where_it_is_written(tmp_path: Path) -> None:
    text = "import torch\nfrom net import Net\nnet = Net()\nnet(torch.tensor([1.5])).backward()\n"
    program = Program(read(str(_written(tmp_path, main=text))), dtype="float64")
    (finding, *_) = check_program(program, Options()).findings
    assert finding.span is not None
    assert (Path(finding.span.source.name).name, finding.span.line) == ("cube.py", 13)


def test_the_place_of_an_error(tmp_path: Path) -> None:
    _written(tmp_path, bad="import torch\ndef f(x):\n    return x @ torch.ones(3)\n", worse="x = (")
    for text, kind, place in (
        ("import torch, bad\nbad.f(torch.ones(2))", ProgramError, ("bad.py", 3)),
        ("import worse", SpecError, ("worse.py", 1)),
    ):
        with pytest.raises(kind) as caught:
            _printed(tmp_path, text)
        assert caught.value.span is not None
        assert (caught.value.span.source.name.rpartition("/")[2], caught.value.span.line) == place


def test_what_a_module_does_counts_as_the_programs(tmp_path: Path) -> None:
    _written(tmp_path, endless="def f():\n    while True:\n        pass\n")
    with pytest.raises(LimitError, match="more than 10,000 steps"):
        _printed(tmp_path, "import endless\nendless.f()", limits=STRICT._replace(steps=10_000))


@pytest.mark.parametrize(
    "name", ["linked", "outside", "folder.inner", ".hidden", "..up", "up", "settings.deeper", "__main__.x", "text"]
)
def test_nothing_else_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "up.py").write_text("print('read')")
    below = tmp_path / "project"
    main = _written(below, main=f"import {name}" if name[0] != "." else f"from {name} import x")
    (below / "linked.py").symlink_to("/etc/hosts")
    (below / "outside.py").symlink_to(tmp_path / "up.py")
    (below / "folder").symlink_to(tmp_path)
    (below / ".hidden.py").write_text("print('read')")
    (below / "text").write_text("print('read')")
    assert not [source for source in dict(read(str(main)).beside).values() if "read" in source.text]
    with pytest.raises((GradcliError, ImportError)):
        Program(read(str(main))).run()


def test_a_program_cannot_ask_for_too_much(tmp_path: Path) -> None:
    many = {f"m{i}": f"import m{i + 1}" for i in range(70)}
    with pytest.raises(LimitError, match="more than 64 modules"):
        read(str(_written(tmp_path, main="import m0", **many)))
    with pytest.raises(LimitError, match="1,000 names"):
        read(str(_written(tmp_path, main="import " + ", ".join(f"n{i}" for i in range(2_000)))))
    _written(tmp_path, long="x = 1\n" * 44_000)
    assert _printed(tmp_path, "import torch\nif torch.ones(1) > 2:\n    import long\nprint(1)") == "1\n"
    with pytest.raises(LimitError, match="the limit is 262,144"):
        _printed(tmp_path, "import long")


def test_its_own_names_come_first(tmp_path: Path) -> None:
    assert _printed(tmp_path, "import math\nprint(math.pi > 3)") == "True\n"
    _written(tmp_path, math="pi = 0", torch="x = 1")
    with pytest.warns(Note):
        printed = _printed(tmp_path, "import math, torch\nprint(math.pi > 3, torch.ones(1))")
    assert printed == "True tensor([1.])\n"


@pytest.mark.parametrize("line", ["import queue", "from queue import Queue", "import one, queue"])
def test_module_that_every_program_has(tmp_path: Path, line: str) -> None:
    _written(tmp_path, queue="own = 1")
    with pytest.warns(Note, match="the module queue beside the program is not read: every program has one"):
        _printed(tmp_path, line)


def test_folder_named_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "math").mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _printed(tmp_path, "import math\nprint(math.floor(2.5))") == "2\n"
