"""Kinks composed: right ops whose subgradients add up to none, what is no such sum, and shapes that follow values."""

from __future__ import annotations

import textwrap

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Checked, Options
from gradcli.check.judging.verdict import Verdict
from gradcli.spec.program import Program
from tests.rings import sampled

from ..subjects import program

RIGHT = {
    "max pooling that overlaps, of equal numbers": """
        x = torch.ones(1, 1, 4, 4, dtype=torch.float64, requires_grad=True)
        w = torch.tensor([[1.0, -2.0], [-3.0, 4.0]], dtype=torch.float64)
        out = (fn.max_pool2d(x, 3, 1)[0, 0] * w).sum()
        """,
    "two subgradients of equal numbers": """
        x = torch.tensor([1.0, 1.0, 0.5], dtype=torch.float64, requires_grad=True)
        out = x.amax() - 2 * x.max(0).values + x.sum()
        """,
    "rows and columns": """
        x = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
        out = x.max(1).values.sum() - x.max(0).values.sum() + x.logsumexp(1).sum()
        """,
    "relu of both signs": """
        x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
        out = (torch.relu(x) - 3 * torch.relu(-x)).sum()
        """,
    "leaky ones": """
        x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
        out = (fn.leaky_relu(x, 0.1) - fn.leaky_relu(-x, 0.3) + fn.elu(x)).sum()
        """,
}
RELU = """
class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * {slope}
x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
out = (Relu.apply(x) - 2 * Relu.apply(-x)).sum()
"""
MASKED = """
class Squares(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        chosen = x > 0
        ctx.save_for_backward(x, chosen)
        return x[chosen] ** 2
    @staticmethod
    def backward(ctx, g):
        x, chosen = ctx.saved_tensors
        r = torch.zeros_like(x)
        r[chosen] = {factor} * g * x[chosen]
        return r
x = torch.tensor({values}, dtype=torch.float64, requires_grad=True)
out = {out}
"""


HEAD = "import torch\nimport torch.nn.functional as fn\n"


def checked(text: str, **options: object) -> Checked:
    return check_program(made(HEAD + textwrap.dedent(text)), Options(**options))  # type: ignore[arg-type]


def made(text: str) -> Program:
    return program(text)


def verdicts(found: Checked) -> list[Verdict]:
    assert found.failure is None
    return [finding.verdict for finding in found.findings]


@pytest.mark.parametrize("name", RIGHT)
@sampled(2)
def test_a_sum_of_subgradients_is_accepted_with_a_note(name: str) -> None:
    found = checked(RIGHT[name])
    assert verdicts(found) == [Verdict.KINK_OK]
    (finding,) = found.findings
    assert any(note.startswith("COMPOSED: every op is right: ") for note in finding.notes)
    assert finding.wrong_entries == 0
    assert finding.worst is None or finding.worst.judged.verdict is Verdict.KINK_OK


def test_a_custom_function_with_a_right_subgradient_is_accepted() -> None:
    assert verdicts(checked(RELU.format(slope="(x > 0)"))) == [Verdict.KINK_OK]


@pytest.mark.parametrize("slope", ["2.0", "((x > 0).double() - 1)", "1.1"])
def test_an_op_whose_own_answer_is_no_subgradient_is_wrong(slope: str) -> None:
    found = checked(RELU.format(slope=slope))
    assert verdicts(found)[0] in (Verdict.WRONG, Verdict.KINK_WRONG)
    assert found.findings[0].node is not None
    assert found.findings[0].node.name == "Relu.backward"


def test_where_the_whole_has_no_kink_its_derivative_is_what_counts() -> None:
    text = "x = torch.zeros(3, dtype=torch.float64, requires_grad=True)\nout = (torch.relu(x) - torch.relu(-x)).sum()\n"
    assert verdicts(checked(text)) == [Verdict.WRONG]


# -- shapes that depend on values --------------------------------------------------------------

VALUES = ["[0.5, -1.2, 2.0]", "[0.5, 1.2, 2.0, 0.3]", "[-0.5, 0.25]"]
OUTS = ["Squares.apply(x).sum()", "Squares.apply(x)", "torch.sin(Squares.apply(torch.tanh(x) * 2)).mean()"]


@pytest.mark.parametrize("out", OUTS)
@pytest.mark.parametrize("values", VALUES)
@sampled(3)
def test_a_function_whose_shape_depends_on_values_is_judged(values: str, out: str) -> None:
    assert verdicts(checked(MASKED.format(factor=2, values=values, out=out))) == [Verdict.PASS]
    wrong = checked(MASKED.format(factor=-2, values=values, out=out))
    assert verdicts(wrong)[0] is Verdict.WRONG


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("out = torch.positive(x)", "the program ends with out, which is a leaf: nothing was computed from it"),
        ("out = x.argmax()", "out is made of whole numbers or truth values, which have no derivative"),
        (
            "out = x.detach() * 2",
            "the program calls neither backward() nor grad(), and computes no tensor from one that requires a gradient",
        ),
        ("out = x > 0", "out is made of whole numbers or truth values, which have no derivative"),
    ],
)
def test_a_program_without_a_derivative_says_why(text: str, why: str) -> None:
    found = checked(f"x = torch.tensor([0.5, -0.3], requires_grad=True)\n{text}\n")
    assert found.failure is not None
    assert found.failure.message == f"there is no gradient to check: {why}"
    assert (found.failure.help or "").startswith("looked for: ")


# -- looking for what is to blame ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "x"), [("torch.where(x > 0, torch.sqrt(x), 0 * x)", -1.0), ("1/(1 + (-x).exp())", -750.0)]
)
def test_where_numbers_are_not_finite_what_is_wrong_is_told(text: str, x: float) -> None:
    found = checked(f"x = torch.tensor({x}, dtype=torch.float64, requires_grad=True)\nout = {text}\n")
    assert verdicts(found) == [Verdict.WRONG]
    worst = found.findings[0].worst
    assert worst is not None
    assert worst.judged.note == (
        "the claim is not finite: 0 * inf and 0 * nan are nan, as in a branch that where() does not take"
    )


PRODUCT = """
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, 2 * g * x
x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
y = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
out = Product.apply(x, y)
"""


def test_a_fault_of_an_input_that_is_not_asked_about_is_none() -> None:
    assert verdicts(checked(PRODUCT, wrt=("x",))) == [Verdict.PASS]
    assert verdicts(checked(PRODUCT, wrt=("y",))) == [Verdict.WRONG]


def test_a_mistake_of_ours_in_locating_does_not_lose_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object, **named: object) -> None:
        raise IndexError("out of bounds")

    monkeypatch.setattr("gradcli.check.blaming.locate.Locator.locate", broken)
    found = Checked("product.py")
    with pytest.raises(IndexError):
        check_program(made(HEAD + PRODUCT), Options(), checked=found)
    assert Verdict.WRONG in verdicts(found)


def test_a_claim_of_nan_beside_an_output_that_is_not_finite_is_not_judged() -> None:
    found = checked("x = torch.tensor([0.5, 2.0], requires_grad=True)\nout = torch.acosh(x)\n")
    assert verdicts(found) == [Verdict.DOMAIN]
