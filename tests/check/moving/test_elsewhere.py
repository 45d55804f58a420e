"""Programs moved to other points: what is right at one point only is found, and what is right is left alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check import budget, settling
from gradcli.check.check import check_program
from gradcli.check.claims.plain_differences import Glance, glanced
from gradcli.check.judging.entries import probe
from gradcli.check.judging.findings import Finding, Options
from gradcli.check.judging.verdict import Verdict
from gradcli.check.moving import other_points
from gradcli.check.moving.other_points import elsewhere_findings, points
from gradcli.check.replay.subject import Subject, of_function
from gradcli.verdicts import NoteKind
from tests.rings import sampled

from ..cases import CASES, program_of
from ..functions import NOTED, PROGRAMS, RIGHT, WRONG, Case
from ..subjects import acting, program

KNOWN = {case["id"]: case for case in CASES}


def judged(subject: Subject) -> list[Finding]:
    return probe(subject, Options(), np.random.default_rng(0))


def roughly(subject: Subject) -> list[Finding]:
    """The findings of plain differences: enough for what is wrong by far."""
    at = [np.asarray(a, float) for a in subject.at]
    weights = [np.cos(1.0 + np.arange(y.size)).reshape(y.shape) for y in subject.numbers]
    found = []
    for i, (x, claim) in enumerate(zip(subject.inputs, subject.claim(weights), strict=True)):
        slopes = np.zeros(at[i].size)
        for k in range(at[i].size):
            sides = []
            for step in (-1e-6, 1e-6):
                moved = [a.copy() for a in at]
                moved[i].reshape(-1)[k] += step
                sides.append(sum((w * y).sum() for w, y in zip(weights, subject.plan.outputs(moved), strict=True)))
            slopes[k] = (sides[1] - sides[0]) / 2e-6
        claimed = np.zeros(slopes.shape) if claim is None else claim.reshape(-1)
        # A claim that is not finite is judged where the program is, not elsewhere.
        passes = not np.isfinite(claimed).all() or np.allclose(claimed, slopes, rtol=1e-5, atol=1e-7)
        verdict = Verdict.PASS if passes else Verdict.WRONG
        found.append(Finding(subject.outputs[0].name, x.name, 1, verdict))
    return found


def look(subject: Subject, judge: Any = roughly, **how: Any) -> tuple[list[Finding], list[str]]:
    found, notes, _ = elsewhere_findings(subject, np.random.default_rng(0), judge, **how)
    return found, notes


def look_closely(subject: Subject) -> tuple[list[Finding], list[str]]:
    return look(subject, judged)


def names(cases: list[Case]) -> list[str]:
    return [case.name for case in cases]


# -- false alarms ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", RIGHT, ids=names(RIGHT))
@sampled(6)
def test_what_is_right_is_right_elsewhere(case: Case) -> None:
    assert acting(look, case.program) == ([], [])


@pytest.mark.parametrize("name", PROGRAMS)
def test_right_programs_are_right_elsewhere(name: str) -> None:
    assert acting(look, PROGRAMS[name]) == ([], [])


@pytest.mark.parametrize("case", NOTED, ids=names(NOTED))
def test_what_is_right_as_far_as_it_may_be_meant_is_noted(case: Case) -> None:
    found, notes = acting(look, case.program)
    assert found == []
    assert any("the gradient is right" in note for note in notes)


def test_a_graph_of_known_ops_is_not_looked_at() -> None:
    def never(subject: Subject) -> list[Finding]:
        raise AssertionError("nothing is to be judged")

    x = torch.tensor([0.5, 1.0], requires_grad=True)
    subject = of_function(lambda x: torch.relu(x).sum(), [x])
    assert elsewhere_findings(subject, np.random.default_rng(0), never) == ([], [], [])


# -- misses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", WRONG, ids=names(WRONG))
@sampled(6)
def test_what_is_right_only_here_is_wrong_elsewhere(case: Case) -> None:
    found, _ = acting(look, case.program)
    assert found
    for finding in found:
        assert finding.verdict is Verdict.WRONG
        assert any(note.startswith("ELSEWHERE: right at the given ") for note in finding.notes)


def test_what_is_found_elsewhere_stays_where_the_time_ends_after_that(monkeypatch: pytest.MonkeyPatch) -> None:
    settled = settling.settled

    def ends(found: list[Finding], *rest: Any) -> Any:
        if any(finding.verdict is Verdict.WRONG for finding in found):
            raise budget.OutOfTime("the time of the check is over")
        return settled(found, *rest)

    def looked_once(*args: Any, found: list[Finding], **how: Any) -> Any:
        elsewhere_findings(*args, found=found, **how)
        raise budget.OutOfTime("the time of the check is over")

    monkeypatch.setattr(settling, "settled", ends)
    monkeypatch.setattr(other_points, "elsewhere_findings", looked_once)
    text = (
        "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        return x * int((x > 0).sum())\n    @staticmethod\n    def backward(ctx, g):\n        return g\n"
        "x = torch.tensor([1.0, -2.0], requires_grad=True)\nloss = F.apply(x).sum()\n"
    )
    checked = check_program(program(text), Options())
    assert any(finding.fails(Options()) for finding in checked.findings)
    assert isinstance(checked.failure, budget.OutOfTime)


@pytest.mark.parametrize(
    ("id", "kind", "input"),
    [
        ("MI62", "BRANCH_UNCOVERED", "x"),
        ("MI64", "BRANCH_UNCOVERED", "x"),
        ("MI65", "BRANCH_UNCOVERED", "x"),
        ("MI70", "DEGENERATE_SHAPE", "b"),
        ("MI74", "DEGENERATE_SHAPE", "a"),
        ("MI80", "DEGENERATE_POINT", "x"),
        ("MI81", "DEGENERATE_POINT", "x"),
    ],
)
def test_known_claims(id: str, kind: str, input: str) -> None:
    found, notes = acting(look_closely, program_of(KNOWN[id]))
    assert [(finding.output, finding.input) for finding in found] == [("out", input)]
    assert any(note.startswith(f"{kind}: ") for note in found[0].notes)
    assert notes == []


def test_a_transposed_gradient_that_a_symmetric_input_hides_is_noted() -> None:
    found, notes = acting(look_closely, program_of(KNOWN["MI72"]))
    assert found == []
    assert notes[0].startswith("OUT_OF_REACH: the gradient is right as long as b is symmetric and positive definite; ")
    assert notes[1] == "DEGENERATE_POINT: a has entries that are 1 and 2; b is symmetric"
    found, notes = acting(lambda subject: look(subject, judged, everywhere=True), program_of(KNOWN["MI72"]))
    assert [(finding.output, finding.input) for finding in found] == [("out", "a")]


def test_a_claim_that_only_a_random_cotangent_shows_is_right_elsewhere() -> None:
    assert acting(look, program_of(KNOWN["MI73"])) == ([], [])


def test_where_it_is_wrong_is_told() -> None:
    found, _ = acting(look, program_of(KNOWN["MI62"]))
    assert found[0].notes == [
        "ELSEWHERE: right at the given point, wrong at x = [-1.13]",
        "BRANCH_UNCOVERED: clamp in Claimed.forward at line 3 was only seen between -1 and 1, and below -1 elsewhere",
    ]


def test_the_shape_where_it_is_wrong_is_told() -> None:
    found, _ = acting(look, program_of(KNOWN["MI70"]))
    assert found[0].notes == [
        "ELSEWHERE: right at the given shape, wrong with x of shape (3, 3), b of shape (3,)",
        "DEGENERATE_SHAPE: axis -2 of x has length 1",
        "LOCATED: with `gy.sum(0)` in place of `gy[0]` at line 5 it would be right",
    ]
    assert found[0].node is not None
    assert (found[0].node.id, found[0].node.name, found[0].node.wrt) == ("out", "Claimed.backward", "b")


# -- what cannot be moved ----------------------------------------------------------------------

CUBE = """
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.relu(x) ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 3 * g * x ** 3
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
"""


def test_a_training_loop_cannot_be_moved() -> None:
    text = CUBE + "for _ in range(2):\n    out = Cube.apply(x).sum()\n    with torch.no_grad():\n        x -= 0.0\n"
    found, notes = acting(look, text)
    assert found == []
    assert notes == [
        "BRANCH_UNCOVERED: relu in Cube.forward at line 7 was only seen above 0",
        "DEGENERATE_POINT: x is 1 everywhere; no other point was looked at: the program writes to x after it is made",
    ]


def test_a_program_that_goes_back_to_its_point_cannot_be_moved() -> None:
    found, notes = acting(look, CUBE + "x.data.fill_(1.0)\nout = Cube.apply(x).sum()\n")
    assert found == []
    assert sorted(note.split(":")[0] for note in notes) == ["BRANCH_UNCOVERED", "DEGENERATE_POINT"]


def test_a_program_that_takes_long_is_not_run_too_often() -> None:
    def hurried(subject: Subject) -> tuple[list[Finding], list[str]]:
        subject.reruns = 0.5
        return look(subject)

    found, notes = acting(hurried, CUBE + "out = Cube.apply(x).sum()\n")
    assert found == []
    assert notes == [
        "BRANCH_UNCOVERED: relu in Cube.forward at line 7 was only seen above 0",
        "DEGENERATE_POINT: x is 1 everywhere; no other point was looked at: the program takes too long",
    ]


def test_a_backward_that_refuses_longer_axes_is_noted() -> None:
    text = """
    import torch
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x
        @staticmethod
        def backward(ctx, g):
            return 2 * g.reshape(1)
    x = torch.tensor([0.3], requires_grad=True)
    out = Double.apply(x)
    """
    found, notes = acting(look, text)
    assert found == []
    assert len(notes) == 1
    assert notes[0].startswith("DEGENERATE_SHAPE: Double could only be asked where axis -1 of x has length 1: ")


# -- derivatives by hand -----------------------------------------------------------------------


def test_a_derivative_by_hand_is_judged_behind_the_kinks_of_all_ops() -> None:
    def judge(subject: Subject) -> list[Finding]:
        (a,) = subject.at
        return [Finding("f", "x", 1, Verdict.WRONG if np.any(a < 0) else Verdict.PASS)]

    x = torch.tensor([0.5, 1.5], requires_grad=True)
    subject = of_function(lambda x: torch.abs(x).sum(), [x])
    found, notes, _ = elsewhere_findings(subject, np.random.default_rng(0), judge, by_hand=True)
    assert [finding.verdict for finding in found] == [Verdict.WRONG]
    assert "BRANCH_UNCOVERED: abs was only seen above 0, and below 0 elsewhere" in found[0].notes
    assert notes == []


# -- points ------------------------------------------------------------------------------------


def moved(function: Any, *values: Any, wanted: int = 6) -> list[list[Any]]:
    given = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]
    return list(points(of_function(function, given), np.random.default_rng(1), wanted))


def test_points_are_of_the_same_kind() -> None:
    row = [0.2, 0.3, 0.5]
    found = moved(lambda x, y, p: (x * y * p).sum(), [1.0, 2.0, 4.0], [-1.0, 0.0, 2.0], row)
    assert len(found) == 6
    for x, y, p in found:
        assert np.all(x > 0)
        assert np.all((x > 0.4) & (x < 8.1))
        assert not np.any(y == 0)
        assert p.sum() == pytest.approx(1)
        assert np.all(p > 0)
        assert not np.any(p == np.array(row))


def test_symmetric_matrices_stay_so_where_an_op_needs_it() -> None:
    matrix = [[2.0, 0.5], [0.5, 1.0]]
    for (a,) in moved(lambda a: torch.linalg.cholesky(a).sum(), matrix):
        assert np.array_equal(a, a.T)
        assert np.all(np.linalg.eigvalsh(a) > 0)
    assert not all(np.array_equal(a, a.T) for (a,) in moved(lambda a: a.sum(), matrix))


def test_points_outside_the_domain_are_none() -> None:
    def narrow(x: Any) -> Any:
        if x.max() > 3:
            raise ValueError("too large")
        return torch.sqrt(x - 1).sum()

    found = moved(narrow, [1.5, 2.9], wanted=12)
    assert found
    assert all(np.all((x > 1) & (x <= 3)) for (x,) in found)


def test_the_same_seed_finds_the_same() -> None:
    case = WRONG[0].program
    first, second = (acting(look, case)[0][0].notes for _ in range(2))
    assert first == second


BISECTION = """
import math
import torch
class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, c):
        t = {number}
        low, high = {bracket}
        while high - low > 1e-12:
            middle = (low + high) / 2
            if middle + math.sin(middle) / 2 > t:
                high = middle
            else:
                low = middle
        ctx.y = (low + high) / 2
        return torch.tensor(ctx.y, dtype=torch.float64)
    @staticmethod
    def backward(ctx, g):
        return g / (1 + math.cos(ctx.y) / 2)
c = torch.tensor(1.3, dtype=torch.float64, requires_grad=True)
out = Root.apply(c)
"""


@pytest.mark.parametrize(
    ("number", "bracket", "is_right"),
    [("c.item()", "-4.0, 4.0", True), ("min(c.item(), 5.0)", "-40.0, 40.0", False)],
)
def test_a_loop_that_loses_its_way_elsewhere_shows_nothing(number: str, bracket: str, is_right: bool) -> None:
    found, _ = acting(look, BISECTION.format(number=number, bracket=bracket))
    assert (found == []) == is_right


@pytest.mark.parametrize(("scale", "is_felt"), [(1e-22, False), (1e-9, True)])
def test_a_gradient_that_no_output_feels_is_not_looked_at_closely(scale: float, is_felt: bool) -> None:
    def centred(x: Any) -> Any:
        p = torch.softmax(scale * x, 0)
        return ((p - p.mean()) * torch.tensor([120.0, 390.0, -240.0], dtype=torch.float64)).sum()

    x = torch.tensor([0.3, -0.7, 1.2], dtype=torch.float64, requires_grad=True)
    subject = of_function(centred, [x])
    (right,) = subject.claim([np.ones(())])
    subject.claim = lambda weights: [1.01 * np.asarray(right) * weights[0]]  # type: ignore[method-assign]
    assert (glanced(subject, np.random.default_rng(0)) is Glance.RIGHT) != is_felt


INNER = """
import torch
class Pieces(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        if x.sum() > 0:
            if x.max() > 3:
                return x ** 2
            return x ** 3
        return x * 2
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        if x.sum() > 0:
            if x.max() > 3:
                return {factor} * g * x
            return 3 * g * x ** 2
        return 2 * g
x = torch.tensor([-0.5, -0.3, 0.2], requires_grad=True)
out = Pieces.apply(x).sum()
"""


@pytest.mark.parametrize("factor", [2, 1])
def test_what_is_behind_a_branch_that_is_behind_another_is_looked_at(factor: int) -> None:
    checked = check_program(program(INNER.format(factor=factor)), Options(require_coverage=True))
    assert [x.verdict is Verdict.WRONG for x in checked.findings if x.fails(Options())] == [True] * (factor == 1)
    assert not [note for note in checked.notes if note.kind is NoteKind.BRANCH_UNCOVERED]
