"""Programs that are innocent once: ``gradcli check`` runs them again, calls their functions at other numbers, and ends.

Each ends within its limits, with an exit code that says what came of it and no traceback, prints nothing of the
program's own, and touches nothing.
"""

from __future__ import annotations

import gc
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from gradcli.cli import commands
from gradcli.spec.guard.limits import STRICT, too_slow
from tests import rings
from tests.rings import sampled

from ..report.findings import CUBE
from .invoke import Done, gradcli

# No program here takes so long, but some never end: those are stopped after so many steps, on any machine.
ENOUGH, STEPS, MEGABYTES = 60, 30_000, 512
# Any machine takes longer for what is to be stopped by the time.
SHORT = 0.5
HOSTILE = json.loads((Path(__file__).parents[1] / "spec" / "guard" / "hostile.json").read_text())
# What is no program with a gradient is refused as `run` refuses it: every one of them is tried there.
_EVERY = 1 if rings.is_full() else 16

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody tells what a process took")


def check(place: Path, *words: str, seconds: float = ENOUGH, steps: int = STEPS) -> Done:
    """A check in a process of its own."""
    limits = ("--timeout", str(seconds), "--max-steps", str(steps), "--max-memory", str(MEGABYTES))
    return gradcli("check", *words, *limits, cwd=place, errors="replace")


def ended(place: Path, text: str, **limits: Any) -> Done:
    """What comes of a program, with all that holds of any."""
    (place / "spec.py").write_text(text)
    found = check(place, "spec.py", **limits)
    # The child's, with what it may take to its end, and what its parent needs beside it.
    assert found.seconds < limits.get("seconds", ENOUGH) + 5
    assert found.megabytes < MEGABYTES
    assert "Traceback" not in found.stderr
    assert "bug in gradcli" not in found.stderr
    assert [path.name for path in place.iterdir()] == ["spec.py"]
    assert found.stdout.count("\n") >= 1
    return found


# -- the specs that `run` refuses --------------------------------------------------------------


@pytest.mark.parametrize("case", [c for c in HOSTILE if c["codes"] == [2]][::_EVERY], ids=lambda case: case["id"])
def test_a_hostile_spec_is_refused_and_costs_the_others_nothing(case: dict[str, Any], tmp_path: Path) -> None:
    text = case["spec"] if "spec" in case else "".join(text * count for text, count in case["parts"])
    (tmp_path / "a.py").write_bytes(text.encode("utf-8", "surrogatepass"))
    (tmp_path / "b.py").write_text("import torch\nx = torch.tensor([0.5], requires_grad=True)\n(x * x).backward()\n")
    found = check(tmp_path, "a.py", "b.py")
    assert found.returncode == 2
    assert "Traceback" not in found.stderr
    assert "a.py" in found.stderr
    assert "b.py: right: 1 input" in found.stdout
    assert not [text for text in case.get("absent", []) if text in found.stdout]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.py", "b.py"]


# -- functions that behave once ----------------------------------------------------------------

FUNCTION = """import torch
count = [0]
keep = []

class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        count[0] += 1
        {forward}
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        count[0] += 1
        {backward}
        return 2 * x * g

x = torch.tensor([1.5, -0.75, 2.25], requires_grad=True)
out = Own.apply(x).sum()
out.backward()
"""
ELSEWHERE = "if (x - torch.tensor([1.5, -0.75, 2.25])).abs().max() > {}: "


def own(forward: str = "pass", backward: str = "pass") -> str:
    return FUNCTION.format(forward=forward, backward=backward)


def elsewhere(what: str, distance: float = 0) -> str:
    return own(ELSEWHERE.format(distance) + what)


LEAF = "import torch\nx = torch.tensor([1.5, -0.75], requires_grad=True)\n"
HOOK = (
    LEAF + "n = [0]\ndef h(g):\n    n[0] += 1\n    while n[0] > 1: pass\n"
    "y = x * x\ny.register_hook(h)\ny.sum().backward()"
)

# What a function does, the exit code, and what is said of it on either stream.
FUNCTIONS = {
    "it prints": (own("print('::error::boo', x)", "print('\\x1b[2J')"), 0, "right: 1 input"),
    "it takes many steps": (own("for i in range(count[0] ** 4): pass"), 2, ":10:"),
    "it never returns at large numbers": (
        own("while x.abs().max() > 1e3: pass"), 0, "ENDLESS: at other numbers a loop of ",
    ),
    "it never returns when run again": (own("while count[0] > 2: pass"), 2, "the program ran through once"),
    "it never returns elsewhere": (elsewhere("\n            while True: pass"), 2, "was left there"),
    "its backward never returns": (own("pass", "while (g != 1).any(): pass"), 2, ":17:"),
    "it fails when run again": (own("if count[0] > 2: raise ValueError('again')"), 1, "ValueError: again"),
    "it fails after a while": (
        own("if count[0] > 25: raise ValueError('late')"), 0, "no other point was looked at: late",
    ),
    "its backward fails after a while": (own("pass", "if count[0] > 5: raise KeyError('k')"), 2, "KeyError: 'k'"),
    "its backward fails at other numbers": (
        own("pass", "if (g != 1).any(): raise ValueError"), 0, "a backward stops where another gradient arrives",
    ),
    "it recurses elsewhere": (elsewhere("return Own.apply(x)"), 2, "E406"),
    "it takes memory elsewhere": (elsewhere("keep = [torch.ones(10**6) for i in range(10**4)]"), 2, "E402"),
    "it keeps memory": (own("keep.append(torch.ones(25_000_000))"), 2, "the check needs too much memory"),
    "it is another one each time": (own("return x * x * count[0]"), 1, "G105"),
    "its backward is another one each time": (own("pass", "return g * count[0]"), 1, "G105"),
    "it is none elsewhere": (elsewhere("return None"), 2, ""),
    "it is a text elsewhere": (elsewhere("return 'text'"), 2, ""),
    "it has another shape elsewhere": (elsewhere("return (x * x)[:2]"), 2, "G113"),
    "it is an integer elsewhere": (elsewhere("return (x * x).int()"), 1, "G104"),
    "it is no number": (own("return x * float('nan')"), 2, "G113"),
    "its backward is no number": (own("pass", "return g * float('nan')"), 1, "G101"),
    "its backward has no gradient": (own("pass", "return None"), 1, "NO_GRADIENT"),
    "its backward has another shape": (own("pass", "return g[:2]"), 2, "invalid gradient"),
    "its backward writes to what it is given": (
        own("pass", "g.mul_(2)").replace(".sum()", ".exp().sum()"), 1, "2 times the true gradient"
    ),
    "its backward writes to one number for all": (own("pass", "g.mul_(2)"), 2, "more than one element"),
    "it changes what it is": (own("pass", "Own.backward = staticmethod(lambda ctx, g: g * 7)"), 1, "G101"),
    "it catches everything": (
        own("try:\n            while count[0] > 2: pass\n        except Exception:\n            pass"), 2, ":11:"
    ),
}  # fmt: skip


@sampled(4)
@pytest.mark.parametrize("what", FUNCTIONS)
def test_a_function_that_behaves_once(what: str, tmp_path: Path) -> None:
    text, code, said = FUNCTIONS[what]
    found = ended(tmp_path, text)
    assert found.returncode == code, found.stderr
    assert said in found.stdout + found.stderr
    assert "boo" not in found.stdout + found.stderr
    assert "\x1b" not in found.stdout + found.stderr


# What no machine has done when the time is over.
ENDLESS = {
    "it is slower each time": own("for i in range(count[0] ** 5): pass"),
    "it never returns when run again": own("while count[0] > 2: pass"),
    "it never returns elsewhere": elsewhere("\n            while True: pass"),
    "it catches everything": own(
        "try:\n            while count[0] > 2: pass\n        except Exception:\n            pass"
    ),
    "a hook that ends nowhere": HOOK,
    "a graph of 100,000 nodes": LEAF + "for i in range(100_000): x = x + 1e-6\nx.sum().backward()",
    "10,000 inputs": (
        "import torch\nx = [torch.tensor(0.5, requires_grad=True) for i in range(10_000)]\n"
        "torch.stack(x).sin().sum().backward()"
    ),
}


@sampled(4)
@pytest.mark.parametrize("what", ENDLESS)
def test_what_never_ends_is_stopped_by_the_time_too(what: str, tmp_path: Path) -> None:
    found = ended(tmp_path, ENDLESS[what], seconds=SHORT, steps=10**9)
    assert found.returncode == 2, found.stderr
    # What was found until then is told, with what there was no time for.
    assert "E401" in found.stderr or "BUDGET" in found.stdout or "was left there" in found.stdout


# -- programs of odd kinds ---------------------------------------------------------------------

PROGRAMS = {
    "an empty output": (LEAF + "(x[:0] * 2).sum().backward()", 0, "right"),
    "an empty input": ("import torch\nx = torch.zeros(0, requires_grad=True)\n(x * x).sum().backward()", 0, "right"),
    "a leaf that is used nowhere": (LEAF + "torch.ones(1, requires_grad=True)\n(x * x).sum().backward()", 0, "right"),
    "complex numbers": (LEAF + "(x * 1j).abs().sum().backward()", 0, "right"),
    "half precision": (LEAF + "(x.half() * 2).float().sum().backward()", 0, "right"),
    "a function without a backward": (
        "import torch\nimport torch.autograd.forward_ad as fw\nclass F(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x): return x * 2\n"
        "    @staticmethod\n    def jvp(ctx, t): return t * 2\n"
        "x = torch.ones(2, requires_grad=True)\nwith fw.dual_level(): y = F.apply(fw.make_dual(x, torch.ones(2)))",
        2, "made by F, which has no backward",
    ),
    "an integer root": ("import torch\nx = torch.tensor([1, 2])\ny = x * x", 2, "spec.py: error[G114]"),
    "infinite leaves": ("import torch\nx = torch.tensor(torch.inf, requires_grad=True)\nx.sin()", 2, "x = inf"),
    "a hook that ends nowhere": (HOOK, 2, ":6:"),
    "100,000 outputs": ("import torch\nx = torch.randn(100_000, requires_grad=True)\nx.sin()", 0, "right"),
    "300,000 numbers": ("import torch\nx = torch.randn(300_000, requires_grad=True)\nx.sum().backward()", 0, "right"),
    "names that fail": (LEAF + "class A:\n    def __repr__(self): raise ValueError\n    __eq__ = __hash__ = __len__ = "
                        "__bool__ = __repr__\na = A()\n(x * x).sum().backward()", 0, "right"),
}  # fmt: skip


@sampled(4)
@pytest.mark.parametrize("what", PROGRAMS)
def test_a_program_of_an_odd_kind(what: str, tmp_path: Path) -> None:
    text, code, said = PROGRAMS[what]
    found = ended(tmp_path, text)
    assert found.returncode == code, found.stderr
    assert said in found.stdout + found.stderr


def test_what_was_found_until_the_time_was_over_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_late(*arguments: Any) -> Any:
        raise too_slow(STRICT)

    (tmp_path / "cube.py").write_text(CUBE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gradcli.check.first_order.hidden_paths", too_late)
    assert commands.run(["check", "cube.py"]) == 1
    gc.enable()
    out, err = capsys.readouterr()
    assert "G101 wrong gradient" in out
    assert "  = note: BUDGET: not looked at in the 10 s that a check may take: what comes after that\n" in out
    assert "1 wrong, 0 right in" in out
    assert err == ""


def test_what_never_ends_at_other_points_is_right_here(tmp_path: Path) -> None:
    # Time enough for the point itself on a machine that is busy.
    done = ended(tmp_path, own("while x.abs().max() > 1e3: pass"), seconds=3, steps=10**9)
    assert done.returncode == 0, done.stderr
    assert "ENDLESS: at other numbers a loop of " in done.stdout


def test_a_check_without_time_looks_at_fewer_entries(tmp_path: Path) -> None:
    body = "import torch\nw = torch.linspace(-1, 1, 4_000, requires_grad=True)\nloss = 0\n"
    (tmp_path / "wide.py").write_text(body + "for i in range(20):\n    loss = loss + (w * i).tanh().sum()\n")
    done = gradcli("check", "wide.py", "--every-entry", "--check-timeout", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"BUDGET: .* 1 s .*: [\d,]+ of 4,000 entries alone, and the others together\n", done.stdout)


def test_an_order_that_there_is_no_time_for_is_not_right(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import torch\nw = torch.linspace(-1, 1, 20_000, requires_grad=True)\nloss = 0\n"
        "for i in range(20):\n    loss = loss + (w * i).tanh().sum()\n"
    )
    done = gradcli("check", "slow.py", "--every-entry", "--order", "2", "--check-timeout", "1", cwd=tmp_path)
    assert done.returncode == 2
    assert "order 2" in done.stdout


def test_so_short_a_time_that_it_is_over_is_told(tmp_path: Path) -> None:
    (tmp_path / "spec.py").write_text(CUBE)
    done = gradcli("check", "spec.py", "--timeout", "1e-9", cwd=tmp_path)
    # The signal that ends the program may come when it has ended: then the check has no time left, or for a part only.
    ended = "E401" in done.stderr or "NOT_RERUN" in done.stdout or "that a check may take" in done.stdout
    assert (done.returncode, ended) == (2, True), done
