"""What a program is shown of an exception that it did not raise itself: plain data, of a class that it can name."""

from __future__ import annotations

import ast
import codecs
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import GeneratorType
from typing import Any

import numpy as np
import pytest

from gradcli.errors import GradcliError, LimitError, Source, SpecError
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.input.named_inputs import bindings
from gradcli.spec.input.parse import parse
from gradcli.spec.language.compiler import FORMS, Compiler
from gradcli.spec.language.machine import presented, public_class

from ..crawler import reached
from ..kinds import refused
from ..running import printed, program, run

HOST = [np.add, np.dtype("f8"), np.ones(2), np.ones, codecs.lookup("utf-8"), Path("/etc"), sys, open, object(), type]


class _Private(ValueError):
    """What a library raises, and no program can name."""


_Private.__module__ = "numpy._core._exceptions"


class _Deeper(_Private, IndexError):
    def __str__(self) -> str:
        return f"{len(self.args)} things"


_Deeper.__module__ = "elsewhere"


@pytest.mark.parametrize("held", HOST, ids=lambda held: type(held).__name__)
@pytest.mark.parametrize("kind", [TypeError, ValueError, AttributeError, RuntimeError, ArithmeticError, _Private])
def test_nothing_of_the_host_is_in_an_exception(kind: type[Exception], held: Any) -> None:
    for args in ((held,), ("so", held), ("so", (held,)), ([held], 1), ({"a": held},)):
        seen = presented(kind(*args))
        assert [type(value) for value in seen.args] == [str]
        assert type(seen) is public_class(kind)
        assert reached(seen, "args") == seen.args


def test_a_private_class_is_shown_as_its_public_base() -> None:
    seen = presented(_Deeper(np.add, 1))
    assert (type(seen), seen.args) == (ValueError, ("2 things",))
    assert public_class(np.exceptions.AxisError) is np.exceptions.AxisError
    assert public_class(UnicodeEncodeError) is UnicodeEncodeError


@pytest.mark.parametrize(
    "text",
    [
        "np.ones(2) + 'a'", "np.ones(2) @ np.ones(3)", "np.ones(2) ^ np.ones(2)", "np.ones(2).sum(axis=7)",
        "np.ones(2) + A()", "np.ones(2).reshape(3)", "-np.array([True])", "np.ones(2)[9]", "np.ones((2, 2)) < 'a'",
        "np.stack([])", "np.concatenate([np.ones(2), np.ones((2, 2))])", "2.0 ** 5000", "'{}'.format()", "int('x')",
        "float('x')", "{}[0]", "{}[A()]", "[].index(A())", "torch.ones(2) + 'a'", "torch.linalg.inv(torch.zeros(2, 2))",
        "torch.ones(2)[7]", "A().x", "nowhere", "(lambda x: x)()", "nn.Linear(1, 1).load_state_dict({})", "1 / 0",
    ],
)  # fmt: skip
def test_what_is_caught_may_be_held(text: str) -> None:
    begin = "import numpy as np\nclass A: pass\ncaught = []\n"
    caught = run(f"{begin}try:\n    {text}\nexcept Exception as e:\n    caught.append(e)\n")
    for error in caught.variables["caught"]:
        assert refused(error) is None
        assert not [why for value in error.args if (why := refused(value))]
        assert type(error).__module__ in ("builtins", "torch._C", "numpy.exceptions") or error.args == ()


def test_an_error_is_caught_by_any_of_its_bases() -> None:
    text = "import numpy as np\ntry:\n    np.ones(2).sum(axis=7)\nexcept IndexError as e:\n    "
    text += "print(type(e).__name__, e, e.args)\n"
    words = "axis 7 is out of bounds for array of dimension 1"
    assert printed(text) == f"AxisError {words} (7, 1, None)\n"
    with pytest.raises(Exception, match=f"^numpy.exceptions.AxisError: {words}$"):
        run("import numpy as np\nnp.ones(2).sum(axis=7)")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("raise ValueError(kept, 1)", "ValueError"),
        ("raise Mine(kept, 1)", "Mine"),
        ("raise Mine2(kept, 1) from ValueError()", "Mine2"),
        ("{}[kept, 1]", "KeyError"),
    ],
)
def test_what_a_program_put_into_an_exception_stays(text: str, kind: str) -> None:
    classes = "class Mine(Exception): pass\nclass Mine2(Mine, ValueError): pass\nkept = torch.ones(1)\n"
    seen = f"try:\n    {text}\nexcept Exception as e:\n    args = e.args if len(e.args) > 1 else e.args[0]\n"
    assert printed(f"{classes}{seen}    print(type(e).__name__, args[0] is kept, args[1])") == f"{kind} True 1\n"


@pytest.mark.parametrize("kind", ["Mine", "ValueError", "KeyError"])
def test_what_a_program_throws_into_a_generator_stays(kind: str) -> None:
    text = "class Mine(Exception): pass\nkept = torch.ones(1)\ndef g():\n    try:\n        yield 1\n"
    text += f"    except {kind} as e:\n        yield e.args[0] is kept\n"
    text += f"h = g()\nnext(h)\nprint(h.throw({kind}(kept)))\n"
    assert printed(text) == "True\n"


def test_what_a_generator_returns_stays() -> None:
    text = "kept = torch.ones(1)\ndef g():\n    yield 1\n    return kept\nh = g()\nnext(h)\n"
    assert printed(f"{text}try:\n    next(h)\nexcept StopIteration as e:\n    print(e.value is kept)\n") == "True\n"


def test_what_an_assert_says_stays() -> None:
    text = "kept = torch.ones(1)\ntry:\n    assert False, kept\nexcept AssertionError as e:\n    "
    assert printed(f"{text}print(e.args[0] is kept)\n") == "True\n"


@pytest.mark.parametrize(
    "text",
    [
        "data.RandomSampler([1, 2])", "data.SubsetRandomSampler([0, 1])", "data.WeightedRandomSampler([0.5, 0.5], 2)",
        "data.BatchSampler(range(3), 2, False)", "data.DataLoader([1, 2, 3], batch_size=2).batch_sampler",
        "data.SequentialSampler([1])", "Mine()",
    ],
)  # fmt: skip
def test_no_generator_of_the_host_is_given(text: str) -> None:
    begin = "from torch.utils import data\nclass Mine(data.RandomSampler):\n    def __init__(self):\n"
    begin += "        super().__init__([1, 2])\n    def both(self):\n        return super().__iter__()\n"
    ended = run(f"{begin}s = {text}\nfound = [iter(s), s.__iter__(), *([s.both()] if hasattr(s, 'both') else [])]\n")
    for found in ended.variables["found"]:
        assert not isinstance(found, GeneratorType)
        assert refused(found) is None
    counts = "len(list(iter(s))) == len(list(s)) == len(list(s.__iter__()))"
    assert printed(f"{begin}s = {text}\nprint({counts})") == "True\n"


@pytest.mark.parametrize("text", ["Exception.__init__", "Exception.__init__.__class__", "nn.Module.__init__", "len"])
def test_what_is_written_of_a_thing_is_a_text(text: str) -> None:
    found = run(f"found = {text}.__doc__").variables["found"]
    assert found is None or isinstance(found, str)


_heard: list[str] | None = None


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if event == "open" and _heard is not None:
        _heard.append(args[0])


@contextmanager
def opened() -> Iterator[list[str]]:
    """The names of the files that are opened meanwhile."""
    global _heard
    _heard = []
    try:
        yield _heard
    finally:
        _heard = None


sys.addaudithook(_hear)


@pytest.mark.parametrize("text", ["def f(:\n", "x = (1,\n", "x = 1\n  y = 2\n", "f'{a b}'\n", "'abc\n", "class\n"])
def test_no_file_is_read_for_a_wrong_line(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("<unknown>", "<string>", "spec.py"):
        (tmp_path / name).write_text("SECRET\n" * 9)
    with opened() as names, pytest.raises(SpecError) as error:
        parse(Source("spec.py", text), STRICT)
    # No file has this name, wherever it is looked for.
    assert set(names) <= {""}
    assert "SECRET" not in error.value.message


@pytest.mark.parametrize("text", ["torch.Generator({})", "torch.device({})", "torch.ones(2, device={})"])
@pytest.mark.parametrize("value", ["[].append", "nn.Module", "nn.Linear", "torch.optim.SGD", "nn.Linear(1, 1).forward"])
def test_what_cannot_be_caught_names_nothing_of_the_host(text: str, value: str) -> None:
    with pytest.raises(GradcliError) as error:
        run(text.format(value))
    assert "gradcli." not in error.value.message
    assert all(place.startswith("0x2a") for place in re.findall("0x[0-9a-f]+", error.value.message))


def test_what_a_program_says_itself_is_left_as_it_is() -> None:
    words = "gradcli.nn.modules.module.Module at 0x7f0000000000"
    with pytest.raises(GradcliError, match=f"^ValueError: {re.escape(words)}$"):
        run(f"raise ValueError({words!r})")


@pytest.mark.parametrize("call", ["torch.negative_(6)", "torch.relu_([1.0])"])
def test_what_cannot_be_written_to_is_refused_by_name(call: str) -> None:
    text = f"import torch\nimport torch.nn.functional as F\nwith torch.no_grad():\n    {call}"
    with pytest.raises(GradcliError, match=r"\w+_\(\): argument 'input' \(position 1\) must be Tensor, not "):
        printed(text)


START = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize("call", ["nn.RReLU()()", "F.relu(6, inplace=True)"])
def test_what_is_taken_for_a_tensor_and_is_none_is_a_wrong_argument(call: str) -> None:
    with pytest.raises(GradcliError, match="TypeError: ") as found:
        printed(START + call)
    assert "'_" not in found.value.message
    caught = f"try:\n    {call}\nexcept TypeError:\n    print('caught')"
    assert printed(START + caught) == "caught\n"


def test_a_program_s_own_attributes_are_looked_up_as_ever() -> None:
    text = "class A:\n    pass\ntry:\n    A()._a\nexcept AttributeError as e:\n    print(e)"
    assert printed(text) == "'A' object has no attribute '_a'\n"


def test_a_bug_of_ours_before_a_program_runs_is_no_error_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(c: Compiler, node: ast.Pass) -> Any:
        raise AttributeError("a bug")

    monkeypatch.setitem(FORMS, ast.Pass, broken)
    with pytest.raises(AttributeError, match="a bug"):
        run("x = 1\npass")


def test_a_name_of_a_file_is_called_as_the_program_would_call_it() -> None:
    with pytest.raises(LimitError, match="needs an array of 10,000,000,000 elements"):
        program("from torch import diag", target="diag", bindings=bindings(["v=linspace(0, 1, 100000)"])).run()
