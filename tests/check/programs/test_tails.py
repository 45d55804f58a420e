"""Smooth right programs in their tails and beside the edges of their domains: nothing is to be said against them."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from gradcli.check.judging.verdict import UNDECIDED, Verdict
from gradcli.engine.numeric.common import log1p
from tests.check.subjects import program
from tests.rings import sampled

RIGHT = [
    # Staircases: what is left of 1 + erf or of 1 + tanh.
    ("torch.special.ndtr(x)", -7.58),
    ("torch.special.ndtr(x)", -6.2),
    ("F.gelu(x)", -7.58),
    ("F.gelu(x) * y + 1", -7.58),
    ("F.gelu(x, approximate='tanh')", -7.58),
    ("F.mish(x)", -37.0),
    ("(F.mish(x) + y) ** 2", -37.0),
    ("F.silu(x) * y", -37.0),
    # Beside the edge of the domain.
    ("torch.atanh(x)", 0.999999999999),
    ("torch.erfinv(x) * y", 0.999999999999),
    ("torch.logit(x)", 0.999999999999),
    ("torch.special.ndtri(x) ** 2", 0.999999999999),
    # Steep for all who look from far off.
    ("torch.sqrt(x) + y", 1e-150),
    ("torch.tanh(torch.log10(x) * 0.1) * y", 1e-150),
    ("torch.xlogy(x, x) * y + 1", 1e-100),
    ("torch.special.entr(x) + y.exp()", 1e-150),
    # Where NumPy's complex logarithm loses the real part.
    ("torch.special.xlog1py(x, x)", 1e-100),
    ("torch.log1p(x) * y", 1e-8),
    ("torch.log1p(torch.tanh(x) * 0.5) + y", -25.0),
    # Below normal numbers.
    ("torch.sin(x) * y", -5e-320),
    ("torch.abs(x) * y", -5e-320),
    ("F.selu(x)", -5e-320),
    # Almost nothing beside one.
    ("1.0 + 1e-11 * torch.sin(x) + y.cos()", 0.7),
    ("torch.exp(y) * (1.0 + 1e-13 * torch.exp(x))", 0.7),
]


@sampled(4)
@pytest.mark.parametrize(("body", "at"), RIGHT)
def test_nothing_is_to_be_said_against_a_tail(body: str, at: float) -> None:
    lines = ["import torch", "import torch.nn.functional as F"]
    lines += [f"{name} = torch.tensor({value!r}, requires_grad=True)" for name, value in (("x", at), ("y", 0.7))]
    checked = check_program(program("\n".join([*lines, f"out = {body}"])), Options())
    assert checked.failure is None
    assert [f.verdict for f in checked.findings if not f.passes(Options())] == []


@pytest.mark.parametrize("rows", ["[[1.0, 2, 3], [2, 4, 6], [3, 6, 9]]", "[[3, 7, 1.1], [6, 14, 2.2], [9, 21, 3.3]]"])
def test_a_determinant_that_vanishes_with_all_its_minors_is_right(rows: str) -> None:
    text = f"import torch\na = torch.tensor({rows}, requires_grad=True)\nout = torch.det(a)"
    checked = check_program(program(text), Options(order=2))
    assert [f.verdict for f in checked.findings if f.fails(Options()) or f.verdict in UNDECIDED] == []


# Derivatives known to 50 digits where values are a staircase of one step, or the terms of a slope all but cancel.
@pytest.mark.parametrize(
    ("body", "at", "truth"),
    [
        ("F.gelu(x)", -8.0, -3.97960726108676791e-14),
        ("F.gelu(x)", -20.0, -1.10143604831334640e-86),
        ("F.gelu(x, approximate='tanh')", -8.0, -4.71478450410684983e-20),
        ("torch.special.erfcx(x)", 30.0, -6.25835410507484069e-4),
        ("torch.special.log_ndtr(x)", -30.0, 30.033259667433677),
        ("torch.special.i0e(x)", 30.0, -1.22961588358973922e-3),
        ("torch.special.i1e(x)", -50.0, -5.51359723299115107e-4),
    ],
)
def test_a_slope_is_known_in_the_tail(body: str, at: float, truth: float) -> None:
    text = f"import torch\nimport torch.nn.functional as F\nx = torch.tensor({at}, requires_grad=True)\nout = {body}"
    (found,) = check_program(program(text), Options()).findings
    assert found.passes(Options())
    assert found.worst is not None
    assert abs(found.worst.judged.estimate - truth) <= 8 * found.worst.judged.bar < abs(truth) * 1e-9


@pytest.mark.parametrize(
    ("body", "at", "order"), [("F.logsigmoid(x)", 36.5, 2), ("torch.logsumexp(torch.stack([x, x * x]), 0)", 20.0, 3)]
)
def test_what_is_lost_in_rounding_is_too_small_to_feel_and_not_verified(body: str, at: float, order: int) -> None:
    text = f"import torch\nimport torch.nn.functional as F\nx = torch.tensor({at}, requires_grad=True)\nout = {body}"
    *lower, last = check_program(program(text), Options(order=order)).findings
    assert {f.verdict for f in lower} == {Verdict.PASS}
    assert (last.verdict, last.digits) == (Verdict.SATURATED, None)


@pytest.mark.parametrize(("forward", "slope"), [("sqrt", "g / x"), ("log", "g"), ("atanh", "2 * g / (1 - x * x)")])
def test_a_wrong_function_beside_an_edge_is_wrong(forward: str, slope: str) -> None:
    text = f"""
        import torch
        class Own(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return torch.{forward}(x)
            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return {slope}
        x = torch.tensor(0.999999, requires_grad=True)
        out = Own.apply(x) + 1
    """
    checked = check_program(program(text), Options())
    here = [f.verdict for f in checked.findings if not any(n.startswith("ELSEWHERE") for n in f.notes)]
    assert Verdict.WRONG in here if forward != "log" else any(f.fails(Options()) for f in checked.findings)


@pytest.mark.parametrize("at", [1e-6, 1e-12, -1e-9, -0.999, 25.0])
def test_the_logarithm_of_one_and_a_complex_number_has_all_its_digits(at: float) -> None:
    step = 1e-20 * abs(at)
    found = log1p(np.array(complex(at, step)))
    assert found.real == pytest.approx(np.log1p(at), rel=4e-16)
    assert found.imag / step == pytest.approx(1 / (1 + at), rel=4e-16)
