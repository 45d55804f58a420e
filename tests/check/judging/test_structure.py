"""The exact tests of a backward: what they find, and what they must not say anything of."""

from __future__ import annotations

from functools import partial
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.judging.exact_tests import Structural, structural
from gradcli.check.judging.verdict import Verdict
from gradcli.check.replay.subject import Subject, of_function
from gradcli.errors import ProgramError

from ..subjects import acting, own

VECTOR = "import torch\nx = torch.tensor([0.7, -1.3, 2.4], requires_grad=True)\n"
CALL = "x = torch.tensor([0.7, -1.3, 2.4], requires_grad=True)\nloss = (Own.apply(x) * 3).sum()\n"


def look(found: Subject) -> Structural:
    return structural(found, np.random.default_rng(0))


def looked(text: str, **how: Any) -> Structural:
    return acting(look, text, **how)


def of_own(forward: str, backward: str, rest: str = CALL) -> Structural:
    return looked(own(forward, backward, rest))


# -- what is right -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        ("return x**2", "return 2 * x * g"),
        # As far as structure goes.
        ("return x**2", "return x * g"),
        ("return x**2", "return 2 * x * g + 1e-12"),
        ("return x**2", "return (2 * x * g).half().double()"),
        ("return x.exp()", "return torch.exp(torch.log(g.abs()) + x) * g.sign()"),
        ("return x.round()", "return None"),
        ("return (x > 0).to(x.dtype)", "return None"),
        ("return x.abs().sqrt()", "return g / (2 * x.abs().sqrt()) * x.sign()"),
        ("return x**2", "return 2 * x * g * 1e307"),
        ("return x**2", "return 2 * x * g * 1e-320"),
    ],
)
def test_a_right_structure(forward: str, backward: str) -> None:
    assert of_own(forward, backward).findings == []


def test_zero_times_infinity_is_no_fault() -> None:
    rest = "x = torch.tensor([0.0, 4.0], requires_grad=True)\nloss = Own.apply(x).sum()\n"
    assert of_own("return x.sqrt()", "return g / (2 * x.sqrt())", rest) == Structural([], [])


def test_where_numbers_cease_to_be_finite() -> None:
    found = looked(VECTOR + "h = torch.exp(x)\ny = torch.sqrt(x)\nloss = (y * h).sum()\n")
    assert found == Structural([], ["DOMAIN: y at line 4 is the first that is not finite: nan"])
    assert looked(VECTOR + "y = torch.where(x > 0, x.sqrt(), x)\nloss = y.sum()\n") == Structural([], [])


# -- what is wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("backward", "note"),
    [
        ("return 2 * x", "NONLINEAR: the backward of Own gives a gradient where none arrives"),
        ("return 2 * x * g * g", "NONLINEAR: the backward of Own does not pass on half as much"),
        ("return 2 * x * g / g.norm()", "NONLINEAR: the backward of Own does not pass on half as much"),
        ("return (2 * x * g).clamp(-1, 1)", "NONLINEAR: the backward of Own does not pass on half as much"),
    ],
)
def test_a_backward_that_is_not_linear(backward: str, note: str) -> None:
    (finding,) = of_own("return x**2", backward).findings
    assert finding.verdict is Verdict.WRONG
    assert (finding.output, finding.input) == ("loss", "x")
    assert finding.notes[0].startswith(note)
    assert finding.worst is not None
    assert finding.worst.judged.claimed != finding.worst.judged.estimate
    assert finding.node is not None
    assert finding.node[:2] == ("loss.1", "Own.backward")
    assert finding.span is not None
    assert finding.span.line == 11
    assert finding.node.applied is not None
    assert finding.node.applied.line == 13


def test_a_clip_that_clips_nothing_here_is_told_of() -> None:
    found = of_own("return x.clone()", "return g.clamp(-100, 100)")
    assert found.findings == []
    assert found.notes == ["NONLINEAR: the backward of Own makes less, or more, of large gradients"]
    everywhere = partial(structural, rng=np.random.default_rng(0), everywhere=True)
    (finding,) = acting(everywhere, own("return x.clone()", "return g.clamp(-100, 100)", CALL)).findings
    assert finding.verdict is Verdict.WRONG
    assert finding.notes[0] == found.notes[0]


def test_a_gradient_that_does_not_arrive() -> None:
    (finding,) = of_own("return x**2", "return None").findings
    assert finding.verdict is Verdict.WRONG
    assert finding.notes == ["NO_GRADIENT: no gradient arrives at x: the backward of Own returns None"]
    assert finding.worst is not None
    judged, at = finding.worst.judged, finding.worst.at
    assert judged.claimed == 0
    assert abs(judged.estimate - 6 * at) <= judged.bar


def test_the_argument_without_a_gradient_is_named() -> None:
    text = own("return x * w", "return g * w, None", "").replace("(ctx, x)", "(ctx, x, w)").replace("x, =", "x, w =")
    text = text.replace("save_for_backward(x)", "save_for_backward(x, w)")
    leaves = "".join(f"{name} = torch.tensor([2.0], requires_grad=True)\n" for name in "ab")
    (finding,) = looked(text + leaves + "Own.apply(a, b).sum()\n").findings
    assert finding.input == "b"
    assert finding.node is not None
    assert finding.node.wrt == "w"


def test_a_backward_that_is_random() -> None:
    (finding,) = of_own("return x**2", "return 2 * x * g * torch.rand(1)").findings
    assert finding.verdict is Verdict.NONDETERMINISTIC
    assert finding.notes[0] == "NONDETERMINISTIC: the backward of Own gives another gradient each time"


def test_a_forward_that_draws_random_numbers_draws_them_again() -> None:
    assert of_own("return x**2 * torch.rand(3).add(1).round() / 2", "return x * g * 2 / 2").findings == []


def test_a_forward_that_is_another_each_time() -> None:
    text = own("seen.append(1); return x**2 + len(seen)", "return 2 * x * g", "seen = []\n" + CALL)
    (finding,) = looked(text).findings
    assert finding.verdict is Verdict.NONDETERMINISTIC
    assert finding.notes == ["NONDETERMINISTIC: the forward of Own makes something else of the same numbers"]
    assert finding.span is not None
    assert finding.span.line == 14


def test_a_forward_that_fails_the_second_time() -> None:
    text = own("assert not seen; seen.append(1); return x**2", "return 2 * x * g", "seen = []\n" + CALL)
    (finding,) = looked(text).findings
    assert finding.verdict is Verdict.NONDETERMINISTIC
    assert finding.notes[0].startswith("NONDETERMINISTIC: the forward of Own fails when called again: Assertion")


def test_a_program_that_takes_long() -> None:
    def act(found: Subject) -> Structural:
        found.repeats = 0.5
        return look(found)

    (note,) = acting(act, VECTOR + "loss = x.sum() * float(2)\n").notes
    assert note.startswith("NOT_RERUN: the program takes too long to be run again")


def test_a_backward_that_writes_to_its_input() -> None:
    (finding,) = of_own("return x**2", "x.data.mul_(2); return x * g").findings
    assert finding.verdict is Verdict.WRONG
    assert finding.notes == ["WRITTEN: a backward writes to x"]


@pytest.mark.parametrize("factor", ["(1 if ctx.k == 1 else 0.9)", "(1 if ctx.k % 2 else 0.9)"])
def test_a_function_that_does_otherwise_when_it_is_applied_again(factor: str) -> None:
    text = own("Own.n = getattr(Own, 'n', 0) + 1; ctx.k = Own.n; return x**2", f"return 2 * x * g * {factor}", CALL)
    (finding,), _, _ = looked(text)
    assert finding.verdict is Verdict.WRONG
    assert finding.notes[0].endswith("of the same gradient when it is applied again to the same numbers")


@pytest.mark.parametrize("rest", ["", "torch.optim.SGD(f.parameters(), 0.1).step(out.backward)\n"])
def test_a_backward_that_differentiates_with_respect_to_what_it_reads_by_itself(rest: str) -> None:
    text = """
        import torch
        from torch import nn
        class Adjoint(torch.autograd.Function):
            @staticmethod
            def forward(ctx, f, x, *params):
                ctx.f = f
                ctx.save_for_backward(x, *params)
                return f(x)
            @staticmethod
            def backward(ctx, g):
                x, *params = ctx.saved_tensors
                with torch.enable_grad():
                    y = ctx.f(x)
                    found = torch.autograd.grad(y, params, g, allow_unused=True)
                return None, None, *(torch.zeros_like(p) if v is None else v for p, v in zip(params, found))
        f = nn.Linear(2, 2)
        out = Adjoint.apply(f, torch.tensor([[0.3, 0.7]]), *f.parameters()).pow(2).sum()
        """
    assert acting(look, dedent(text) + rest).findings == []


@pytest.mark.parametrize("write", ["x.mul_(2)", "x *= 2", "x[0] = 1", "torch.relu(x.neg_())"])
@pytest.mark.parametrize("call", [CALL, CALL + "loss.backward()\n", CALL.replace("apply(x)", "apply(x + 1)")])
def test_a_backward_that_writes_to_what_was_saved_for_it(write: str, call: str) -> None:
    backward = f"x, = ctx.saved_tensors\n        {write}; return x * g"
    (finding,), _, ends = looked(own("ctx.save_for_backward(x)\n        return x**2", backward, call))
    assert (finding.verdict, ends) == (Verdict.WRONG, True)
    assert finding.notes == ["WRITTEN: the backward of Own writes to x, which was saved for it"]
    assert finding.span is not None
    assert (finding.span.line, finding.span.end_column - finding.span.column) == (13, len(write))


@pytest.mark.parametrize(
    ("noise", "verdicts"),
    [("1e-12", [Verdict.INACCURATE]), ("1e-5", [Verdict.NONDETERMINISTIC]), ("0", [])],
)
def test_a_backward_that_draws_random_numbers(noise: str, verdicts: list[Verdict]) -> None:
    findings = of_own("return x**2", f"return 2 * x * g + {noise} * torch.randn(3)").findings
    assert [x.verdict for x in findings] == verdicts


@pytest.mark.parametrize("source", ["torch.randn(())", "time.perf_counter_ns()", "torch.ones(())"])
def test_a_training_loop_that_is_another_each_time(source: str) -> None:
    text = f"import time\ntorch.seed()\nk = {source}\nfor _ in range(2):\n    loss = (k * x * x).sum()\n"
    text = text if "randn" in source else text.replace("torch.seed()\n", "")
    step = "    loss.backward()\n    with torch.no_grad():\n        x -= x.grad\n"
    verdicts = [finding.verdict for finding in looked(VECTOR + text + step).findings]
    assert verdicts == ([] if "ones" in source else [Verdict.NONDETERMINISTIC])


def test_a_program_that_is_random() -> None:
    (finding,) = looked(VECTOR + "torch.seed()\nh = x * torch.randn(3)\nloss = h.sum()\n").findings
    assert finding.verdict is Verdict.NONDETERMINISTIC
    assert finding.notes == ["NONDETERMINISTIC: the program gives other numbers when it is run again, first at h"]
    assert finding.span is not None
    assert finding.span.line == 4


@pytest.mark.parametrize(
    "text",
    [
        "w = torch.randn(2, requires_grad=True)\nk = w.detach().clone()\nw.data = torch.ones(2)\nloss = (w * k).sum()",
        "m = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 2))\nloss = m(torch.ones(1, 2)).exp().sum()",
    ],
)
def test_values_that_a_leaf_was_read_with_before_it_was_written_to_cannot_be_given(text: str) -> None:
    def repeated(subject: Subject) -> tuple[Structural, str | None]:
        return look(subject), subject.rerun_why

    found = acting(repeated, f"import torch\ntorch.manual_seed(0)\n{text}\n")
    assert found == (Structural([], []), "the program writes to its leaves after it has read them")


@pytest.mark.parametrize("handler", ["AssertionError", "(ValueError, Exception)", ""])
def test_an_assert_that_the_program_hears_is_asserted_again(handler: str) -> None:
    text = "import torch\ntorch.manual_seed(0)\ndef f(n):\n    assert n > 3\n    return torch.randn(n)\n"
    text += f"try:\n    f(2)\nexcept {handler}:\n    pass\nx = torch.ones(3, requires_grad=True)\n"
    assert looked(text + "loss = (x * torch.randn(3)).sum()\n") == Structural([], [])


def test_a_point_that_is_random_is_no_matter() -> None:
    text = "import torch\ntorch.seed()\nx = torch.randn(3, requires_grad=True)\nloss = (x * x).sum()\n"
    assert looked(text) == Structural([], [])


def test_a_function_with_a_state() -> None:
    count = [0.0]

    def f(x: Any) -> Any:
        count[0] += 1
        return (x * count[0]).sum()

    (finding,) = look(of_function(f, (torch.ones(2, requires_grad=True),))).findings
    assert finding.verdict is Verdict.NONDETERMINISTIC


def test_last_digits_that_differ_are_told_of() -> None:
    count = [0.0]

    def f(x: Any) -> Any:
        count[0] += 1e-13
        return (x * (1 + count[0])).sum()

    found = look(of_function(f, (torch.ones(2, dtype=torch.float64, requires_grad=True),)))
    assert found == Structural([], ["NONDETERMINISTIC: the program gives other last digits when it is run again"])


def test_a_gradient_of_another_shape() -> None:
    text = (
        VECTOR + "h = x * 2\nh.grad_fn.next_functions[0][0].register_prehook(lambda g: (g[0].sum(),))\nloss = h.sum()\n"
    )
    with pytest.raises(ProgramError, match="hook '<lambda>' has changed the size of value"):
        looked(text)


# -- hooks ---------------------------------------------------------------------------------------


def test_hooks_that_change_a_gradient_are_told_of() -> None:
    found = looked(VECTOR + "h = x * 2\nh.register_hook(lambda g: g * 2)\nloss = h.sum()\n")
    assert found.findings == []
    assert found.notes == [
        "HOOK: hooks on h (line 3) change the gradient; what is checked is the gradient without them"
    ]


def test_hooks_that_look_are_not() -> None:
    assert looked(VECTOR + "h = x * 2\nh.register_hook(lambda g: print(g))\nloss = h.sum()\n") == Structural([], [])


# -- how a gradient is handed over -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("backward", "said"),
    [
        ("return 2 * x * g if g.is_contiguous() else 3 * x * g", "LAYOUT: the backward of Own makes something else"),
        ("return 2 * x * g * (1.5 if 0 in g.stride() else 1)", "expanded (stride 0), as after sum()"),
        ("return 2 * x * torch.as_strided(g, (3,), (1,))", "LAYOUT: "),
        ("return 2 * x * g * (1 if g.stride(0) < 2 else 2)", "a slice of something larger"),
        ("return 2 * x * g * (2 if torch.is_grad_enabled() else 1)", "CREATE_GRAPH: "),
    ],
)
def test_the_same_gradient_in_another_form(backward: str, said: str) -> None:
    (finding,), *_ = of_own("ctx.save_for_backward(x)\n        return x**2", backward)
    assert finding.verdict is Verdict.WRONG
    assert (finding.input, finding.node and finding.node.wrt) == ("x", "x")
    assert said in finding.notes[0]


def test_transposed_gradients() -> None:
    rest = "x = torch.tensor([[0.7, -1.3], [2.4, 1.0]], requires_grad=True)\nloss = Own.apply(x).sum()\n"
    (finding,), *_ = of_own("return x**2", "return 2 * x * g * (2 if g.stride() == (1, 2) else 1)", rest)
    assert "when it arrives transposed" in finding.notes[0]


def test_a_backward_that_wants_a_gradient_in_one_piece() -> None:
    rest = "x = torch.tensor([[0.7, -1.3], [2.4, 1.0]], requires_grad=True)\nloss = Own.apply(x).prod()\n"
    found, (note,), _ = of_own("return x**2", "return 2 * x * g.view(-1).view(2, 2)", rest)
    assert found == []
    assert note == "LAYOUT: the backward of Own stops when the gradient arrives transposed"


@pytest.mark.parametrize(
    "backward",
    [
        "return 2 * x * g.contiguous()",
        "g = g.contiguous()\n        return 2 * x * g.view(-1)",
        "return (2 * x * g).reshape(3, 1).t().reshape(3)",
        "g = g.clone()\n        g *= 2 * x\n        return g",
    ],
)
def test_a_right_backward_in_any_form(backward: str) -> None:
    assert of_own("return x**2", backward) == Structural([], [])


def test_what_is_left_of_a_gradient_that_cancels_is_rounding() -> None:
    """A gradient that arrives expanded is the same in all entries: of it less its mean only rounding is left."""
    backward = "d = g - g.mean()\n        return d if g.is_contiguous() else d + 1e-16"
    assert of_own("return x - x.mean()", backward).findings == []
