"""Claims that are no numbers at just one point, where PyTorch's own formula overflows or divides zero by zero."""

from __future__ import annotations

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Finding, Options
from gradcli.verdicts import NoteKind
from tests.check.subjects import own, program


def _found(text: str, **how: int) -> list[Finding]:
    return check_program(program(text), Options(**how)).findings


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (1e-320, "torch.sin(x) / x"),
        (1e-315, "torch.expm1(x) / x"),
        (1e-320, "torch.erf(x) / x"),
        (1e-200, "x * torch.rsqrt(x * x + 1e-320)"),
        (0.0, "torch.exp(-1 / (x * x))"),
        # It is defined on one side only.
        (0.0, "torch.sqrt(x) ** 4"),
    ],
)
def test_a_formula_with_a_hole_at_this_point_is_undecided(at: float, text: str) -> None:
    found = _found(f"import torch\nx = torch.tensor([{at}, 0.5], requires_grad=True)\nout = ({text}).sum()\n")
    assert [(f.verdict, f.node) for f in found] == [("DOMAIN", None)]
    assert [(n.kind, n.text) for n in found[0].notes] == [
        (NoteKind.DOMAIN, "the gradient is no number at just this point, and right around it")
    ]


def test_so_is_an_op_of_pytorchs_whose_squares_vanish() -> None:
    head = "import torch\nx = torch.tensor([1e-200, 0.5], requires_grad=True)\ny = torch.tensor([2e-200, 0.3])\n"
    (found,) = _found(f"{head}out = torch.atan2(x, y).sum()\n")
    assert (found.verdict, found.node) == ("DOMAIN", None)
    assert "too large for double precision is what Atan2Backward0 computes here; right with" in found.notes[0].text
    # Where no op alone is to blame, what vanishes beside it is no excuse.
    (found,) = _found(f"{head}out = torch.where(x < 0.1, torch.where(x > 0, x.detach(), x), x * 1e-200 * y).sum()\n")
    assert found.fails(Options())
    # What hypot is computed from keeps its slopes, however small.
    text = "import torch\nx = torch.tensor(1e-200, requires_grad=True)\nout = torch.hypot(x, torch.tensor(2e-200))\n"
    assert [f.verdict for f in _found(text, order=2)] == ["PASS", "PASS"]


@pytest.mark.parametrize(
    ("at", "text", "verdicts"),
    [
        ("[1e200, 2e200]", "torch.atan2(x[0], x[1])", ["DOMAIN"]),
        ("[1e-160, 1e-170]", "x.prod()", ["DOMAIN"]),
        ("[800.0, -800.0]", "torch.logaddexp(x[0], x[1])", ["PASS", "DOMAIN"]),
        # PyTorch takes the slope of abs at 0 for 0.
        ("[0.0, 1.0]", "(x.abs() ** 2).sum()", ["PASS", "DOMAIN"]),
    ],
)
def test_so_is_what_pytorchs_formulas_lose(at: str, text: str, verdicts: list[str]) -> None:
    checked = check_program(
        program(f"import torch\nx = torch.tensor({at}, requires_grad=True)\nout = {text}\n"), Options(order=2)
    )
    assert [f.verdict for f in checked.findings] == verdicts
    # An order above one that nobody knows is not judged, and what is no number has no symmetry.
    skipped = [] if len(verdicts) > 1 else ["order 2 was not judged, since order 1 is not known here"]
    assert [n.text for n in checked.notes] == skipped


def test_so_is_a_recorded_backward_whose_masks_stand_for_the_hole() -> None:
    found = _found(
        "import torch\nx = torch.tensor([0.0, 0.5], requires_grad=True)\n"
        "out = torch.autograd.grad(torch.sinc(x).sum(), x, create_graph=True)[0].sum()\n"
    )
    assert [f.verdict for f in found] == ["DOMAIN"]


def test_so_is_a_second_order() -> None:
    found = _found("import torch\nx = torch.tensor(0.0, requires_grad=True)\nout = torch.sinc(x)\n", order=2)
    assert [f.verdict for f in found] == ["PASS_ZERO", "DOMAIN"]


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (-1.0, "torch.where(x > 0, torch.sqrt(x), 0 * x)"),
        (-750.0, "1 / (1 + torch.exp(-x))"),
    ],
)
def test_a_claim_that_is_no_number_around_the_point_either_is_wrong(at: float, text: str) -> None:
    found = _found(f"import torch\nx = torch.tensor([{at}, 0.5], requires_grad=True)\nout = ({text}).sum()\n")
    assert found[0].fails(Options())


@pytest.mark.parametrize(
    ("forward", "backward"),
    [("return torch.sin(x)", "return g * torch.cos(x) * x / x"), ("return 2 * x", "return g * (1 / x - 1 / x + 2)")],
)
def test_a_backward_of_ones_own_is_to_blame_for_what_it_divides_by_zero(forward: str, backward: str) -> None:
    found = _found(own(forward, backward, "x = torch.tensor([0.0, 0.5], requires_grad=True)\nout = Own.apply(x).sum()"))
    assert [f.verdict for f in found] == ["WRONG"]
