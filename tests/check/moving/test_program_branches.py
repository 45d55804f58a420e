"""Branches of a program by its values: what is wrong on the other side only is found, what is right never blamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Checked, Options
from gradcli.check.judging.verdict import Verdict
from gradcli.check.moving.program_branches import Branches, branch_findings
from gradcli.check.replay.subject import Subject
from gradcli.report.check.coverage import coverage_lines
from gradcli.text.parts import plain
from gradcli.verdicts import NoteKind
from tests.rings import sampled

from ..subjects import acting, own, program

CASES: dict[str, list[dict[str, Any]]] = json.loads((Path(__file__).parents[1] / "data" / "branches.json").read_text())
HEAD = "import torch\nx = torch.tensor([0.5, 0.7], requires_grad=True)\n"


def named(kind: str) -> list[Any]:
    return [pytest.param("\n".join(case["text"]), id=case["name"]) for case in CASES[kind]]


def checked(text: str, **how: Any) -> Checked:
    allowed = frozenset({Verdict.HIDDEN_PATH}) if "allow hidden-path" in text else frozenset()
    found = check_program(program(text), Options(allow=allowed, **how))
    assert found.failure is None
    return found


@pytest.mark.parametrize("text", named("right"))
@sampled(12)
def test_what_is_right_on_both_sides(text: str) -> None:
    for seed in (0, 1):
        found = checked(text, seed=seed)
        assert [x.verdict for x in found.findings if not (x.allowed or x.passes(Options()))] == []


@pytest.mark.parametrize("text", named("wrong"))
@sampled(8)
def test_what_is_wrong_on_the_other_side_only(text: str) -> None:
    for seed in (0, 1):
        (finding, *_) = [x for x in checked(text, seed=seed).findings if not x.passes(Options())]
        assert finding.verdict in (Verdict.WRONG, Verdict.HIDDEN_PATH)
        assert any(note.kind is NoteKind.ELSEWHERE for note in finding.notes)


def test_a_finding_has_its_point_and_its_branch() -> None:
    found = checked(HEAD + "out = (x * x.detach()).sum() if x.sum() > 3 else (x**3).sum()\n")
    assert [(x.verdict, x.span and x.span.line) for x in found.findings if not x.passes(Options())] == [
        (Verdict.HIDDEN_PATH, 3)
    ]
    notes = found.findings[-1].notes
    assert any(note.startswith("ELSEWHERE: right at the given point, wrong at x = [1.49, 1.69]") for note in notes)
    assert "BRANCH_UNCOVERED: `x.sum() > 3` at line 3 was only seen false, and true elsewhere" in notes


@pytest.mark.parametrize(
    ("rest", "notes"),
    [
        # No values lead there.
        ("out = x.sum() if (x * x).sum() > -1 else x.prod()", ["`(x * x).sum() > -1` at line 3 was only seen true"]),
        # The other side is none of the program's.
        ("if x.sum() > 3:\n    raise ValueError\nout = (x * x).sum()", []),
        # It is there for rounding.
        ("out = x / x.norm() if x.norm() > 1e-12 else x", []),
        # The values of x decide nothing here.
        ("out = x.sum()\nfor i in range(3):\n    out = out * 2 if i < 9 else out", []),
        ("lr = 0.1\nout = x.sum() if lr < 1.0 else x.prod()", []),
        # The other side contradicts what was decided before.
        ("if x.sum() > 3:\n    out = x.sum()\nelif x.sum() <= 3:\n    out = x.prod()", []),
        (
            "if x.sum() > 3:\n    out = x.sum()\nelif x.sum() > 4:\n    out = x.prod()\nelse:\n    out = x.exp().sum()",
            [],
        ),
        # It does not: nothing but luck leads there, or nothing at all.
        (
            "out = x.sum()\nif x.sum() <= 3:\n    out = x.prod() if (x * x).sum() > -1 else x.sum()",
            ["`(x * x).sum() > -1` at line 5 was only seen true"],
        ),
        # One that is decided only there.
        (
            "out = x.sum()\nif x.sum() > 3:\n    out = x.prod() if (x * x).sum() > 30 else x.exp().sum()",
            [],
        ),
    ],
)
def test_what_could_not_be_reached_is_named(rest: str, notes: list[str]) -> None:
    found = checked(HEAD + rest + "\n")
    assert [note for note in found.notes if note.kind is NoteKind.BRANCH_UNCOVERED] == [
        f"BRANCH_UNCOVERED: {note}" for note in notes
    ]


@pytest.mark.parametrize(
    ("rest", "seen"),
    [
        ("out = x.sum() if x.sum() > 3 else x.prod()", [("x.sum() > 3", ("true", "false"))]),
        ("out = x.sum() if x.sum().item() > 3 else x.prod()", [("x.sum().item() > 3", ("true", "false"))]),
        ("out = x.sum() if (x > 1).any() else x.prod()", [("(x > 1).any()", ("true", "false"))]),
        ("far = x.sum() > 3\nout = x.sum() if far else x.prod()", [("x.sum() > 3", ("true", "false"))]),
        (
            "def far(v):\n    return v.sum() > 3\nout = x.sum() if far(x) else x.prod()",
            [("v.sum() > 3", ("true", "false"))],
        ),
        ("out = x.sum() if 0 < x[0] < 1 else x.prod()", [("0 < x[0] < 1", ("true", "false"))] * 2),
        ("out = x.sum() if (x * x).sum() > -1 else x.prod()", [("(x * x).sum() > -1", ("true",))]),
        ("out = x.sum() if len(x) > 1 else x.prod()", []),
    ],
)
def test_the_sides_that_were_seen(rest: str, seen: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(x.what, x.seen) for x in checked(HEAD + rest + "\n").coverage] == seen


OWN = own(
    "return torch.relu(x)",
    "return torch.where(x > 0, g, 0 * g)",
    "x = torch.tensor([0.5, 0.7], requires_grad=True)\nout = Own.apply(x).sum()\n",
)


def test_a_side_that_nobody_could_look_at_fails_where_that_is_asked_for() -> None:
    rest = "out = x.sum() if (x * x).sum() > -1 else x.prod()\n"
    for required, verdicts in ((True, [Verdict.PASS, Verdict.UNCOVERED]), (False, [Verdict.PASS])):
        options = Options(require_coverage=required)
        found = checked(HEAD + rest, require_coverage=required)
        assert [x.verdict for x in found.findings] == verdicts
        assert [x.fails(options) for x in found.findings] == [verdict is not Verdict.PASS for verdict in verdicts]
    allowed = checked(HEAD + "# gradcli: require-coverage\nout = x.sum() if x.sum() > 3 else x.prod()\n")
    assert [x.verdict for x in allowed.findings] == [Verdict.PASS]


def test_kinks_of_functions_are_covered_too() -> None:
    found = checked(OWN)
    assert [(x.what, x.owner, x.seen, x.missing) for x in found.coverage] == [
        ("relu", "Own.forward", ("below 0", "above 0"), ()),
        ("a comparison", "Own.backward", ("true", "false"), ()),
    ]


def test_the_report_of_coverage() -> None:
    rest = (
        "n = x.norm()\nout = Own.apply(x).sum() / n if n > 1e-10 else x.sum()\n"
        "out = out if (x * x).sum() > -1 else x.prod()\n"
    )
    found = checked(OWN + rest)
    assert [plain(line) for line in coverage_lines(found.coverage, None, False)] == [
        "  coverage: 6 of 7 sides",
        "    relu in Own.forward at line 7            below 0, above 0",
        "    a comparison in Own.backward at line 11  true, false",
        "    n > 1e-10 at line 15                     true; nothing to see false",
        "    (x * x).sum() > -1 at line 16            true; never false",
    ]
    (line,) = coverage_lines([], None, False)
    assert plain(line) == "  coverage: no branches by value, and no kinks in functions of its own"


@pytest.mark.parametrize("condition", ["x.sum() > 3", "x.sum().item() > 3"])
def test_a_program_that_takes_too_long_is_not_run_again(condition: str) -> None:
    def look(subject: Subject) -> Branches:
        subject.reruns = 3.0
        return branch_findings(subject, np.random.default_rng(0), lambda there: [])

    found = acting(look, HEAD + f"out = (x * x.detach()).sum() if {condition} else x.prod()\n")
    assert found.notes == [
        f"BRANCH_UNCOVERED: `{condition}` at line 3 was only seen false: the program takes too long to be run again"
    ]
    assert [x.missing for x in found.coverage] == [("true",)]


BLIND = """import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        {inside}
        return x * y if c else x * x * y
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        {inside}
        return (g * y, g * x) if c else (3 * g * x * y, g * x * x)
x = torch.tensor([0.6, 1.7], requires_grad=True)
y = torch.tensor([1.1, 2.2], requires_grad=True)
{outside}
loss = (x * y if c else F.apply(x, y)).sum()
"""


@pytest.mark.parametrize(
    "chosen",
    [
        "c = x.sum().gt(1.0)", "c = x.gt(0.2).all()", "c = torch.any(x > 1)",
        "c = False if torch.allclose(x, y, atol=0.1) else True",
        "c = torch.isclose(x, y, atol=0.7).all()", "c = x.max(0)[1] == 1", "c = x.argmax() == 1",
        "c = x.topk(1)[1].item() == 1", "c = x.sort()[1].tolist() == [0, 1]", "c = sorted(x.tolist()) == x.tolist()",
        "c = f'{x.sum():.0f}' == '2'", "c = [False, True][x.argmax()]", "c = {0: False, 1: True}[int(x.argmax())]",
        "m = torch.zeros(2, dtype=torch.bool); m |= x > 0.2; c = m.all()",
        "m = torch.zeros((), dtype=torch.int64); m.copy_(x.argmax()); c = m == 1",
        "m = torch.zeros(2); m[x > 0.2] = 1; c = m.sum() == 2",
        "c = torch.isin(torch.tensor(1), x.detach().argmax())",
    ],
)
@sampled(6)
def test_whatever_a_branch_is_chosen_by_its_other_side_is_looked_at(chosen: str) -> None:
    without = BLIND.format(inside="c = False", outside=chosen)
    within = BLIND.format(inside=chosen, outside="c = False")
    for text in (without.replace("3 * g", "2 * g"), within.replace("3 * g", "2 * g")):
        assert [x.verdict for x in checked(text).findings if not x.passes(Options())] == []
    for text in (without, within):
        found = [x for x in checked(text).findings if not x.passes(Options())]
        assert [x.node and x.node.name for x in found] == ["F.backward"], text


def test_a_flag_that_a_call_gave_has_sides_of_its_own() -> None:
    flags = "near = torch.allclose(x[:1], x[1:2], atol=0.2)\nbig = bool(x.sum() > 100)\nodd = len(x) > 7\n"
    text = f"{HEAD}{flags}out = x.prod() if not near else (x * x).sum()\nif big or odd:\n    out = out * 2\n"
    assert [(x.what, x.seen, x.missing) for x in checked(text).coverage] == [
        ("not near", ("true", "false"), ()),
        ("big or odd", ("true", "false"), ()),
    ]


def test_steps_of_whole_numbers_are_followed_to_the_other_side() -> None:
    text = own(
        "i = int(x.item() * 4)\n        ctx.i = i\n        return i + 2 * (x * 4 - i)",
        "return g * (8 if ctx.i < 2 else 4)", "x = torch.tensor(0.3, requires_grad=True)\nout = Own.apply(x)\n",
    )  # fmt: skip
    (finding,) = [x for x in checked(text).findings if not x.passes(Options())]
    assert finding.node is not None
    assert finding.node.name == "Own.backward"
