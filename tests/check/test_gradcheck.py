"""torch.autograd.gradcheck and gradgradcheck, as gradcli answers them."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import gradcli as torch
from gradcli.autograd import gradcheck, gradgradcheck
from gradcli.check.gradcheck import GradcheckError
from gradcli.errors import EngineValueError, Source
from gradcli.spec.guard.notes import Note
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program

from .faulty import Detached, Once


def leaf(*values: float) -> Any:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class Cube(torch.autograd.Function):
    """Wrong by a factor of 2/3 · 1/x."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, gy: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gy * 2 * x


def told(check: Any, *args: Any, **kwargs: Any) -> str:
    """What the error of a check says."""
    with pytest.raises(GradcheckError) as error:
        check(*args, **kwargs)
    assert check(*args, raise_exception=False, **kwargs) is False
    return str(error.value)


def view_of_what_is_written_to(x: Any) -> Any:
    """A view whose place in the graph is made anew when it is asked for: nobody asks inside."""
    base = x * 2
    view = base[1:]
    base.sin_()
    return view


@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (torch.sin, leaf(0.1, 0.2)),
        (view_of_what_is_written_to, leaf(0.1, 0.2)),
        (lambda x, y: x * y, (leaf(0.1, 0.2), leaf(1.0, 3.0))),
        (lambda x, y: (x @ y, x.sum()), (leaf(0.1, 0.2), leaf(1.0, 3.0))),
        (lambda x, n: x**n, [leaf(0.4, 0.2), 3]),
        (lambda x, y: x * y, (leaf(0.1), torch.tensor([2.0], dtype=torch.float64))),
        (torch.relu, leaf(0.0, 0.2)),
        (torch.abs, leaf(0.0, 0.2)),
        (lambda x: x * 3, leaf(0.5)),
        (lambda x: torch.ones(2, dtype=torch.float64), leaf(0.5)),
    ],
)
@pytest.mark.filterwarnings("ignore:Input #0 requires gradient")
def test_what_is_right_is_true(check: Any, function: Any, inputs: Any) -> None:
    assert check(function, inputs) is True


@pytest.mark.filterwarnings("ignore:Input #0 requires gradient")
def test_single_precision_is_too_short_for_the_usual_step() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    words = told(gradcheck, torch.exp, x)
    assert words.partition("\n")[2].startswith(
        "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[2.6226, 0.0000],\n"
    )
    assert gradcheck(torch.exp, x, eps=1e-3, atol=1e-2, rtol=1e-2) is True


@pytest.mark.filterwarnings("ignore:Input #0 requires gradient")
def test_what_goes_with_single_precision_alone_is_judged_in_it() -> None:
    layer = torch.nn.Conv1d(1, 2, 2)
    assert gradcheck(lambda x: layer(x), torch.zeros(0, 1, 3, requires_grad=True))
    assert "should be the same" in told(gradcheck, lambda x: layer(x), torch.rand(1, 1, 3, requires_grad=True))


def test_what_is_wrong_is_told() -> None:
    words = told(gradcheck, Cube.apply, leaf(0.5, 2.0))
    assert words.startswith(
        "WRONG: the gradient of f[1] with respect to input[0], worst at input[0][1] = 2: claimed 4, true 12 ± "
    )
    assert issubclass(GradcheckError, RuntimeError)


def test_only_the_second_derivative_may_be_wrong() -> None:
    assert gradcheck(Detached.apply, leaf(0.5))
    assert "with respect to input[0]" in told(gradgradcheck, Detached.apply, leaf(0.5))


def test_the_gradients_that_arrive_may_be_given() -> None:
    x = leaf(0.5, 0.7)
    assert gradgradcheck(torch.sin, x, leaf(1.0, 2.0))
    assert gradgradcheck(torch.sin, (x,), (torch.ones(2, dtype=torch.float64),))


def test_a_backward_that_refuses_says_so() -> None:
    assert gradcheck(Once.apply, leaf(0.5))
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradgradcheck(Once.apply, leaf(0.5))


def test_a_path_that_no_graph_shows() -> None:
    words = told(gradcheck, lambda x: x * x.detach(), leaf(0.5))
    assert words.startswith("HIDDEN_PATH: ")


def implicit(x: Any, steps: int) -> Any:
    """A fixed point, whose hook solves for what its graph lacks: with few steps that is not enough."""
    with torch.no_grad():
        z = torch.zeros_like(x)
        for _ in range(60):
            z = torch.tanh(0.4 * z + x)
    z = torch.tanh(0.4 * z + x)
    start = z.detach().requires_grad_()
    again = torch.tanh(0.4 * start + x)

    def solve(g: Any) -> Any:
        found = g
        for _ in range(steps):
            found = torch.autograd.grad(again, start, found, retain_graph=True)[0] + g
        return found

    if z.requires_grad:
        z.register_hook(solve)
    return z


def test_hooks_may_add_what_the_graph_lacks() -> None:
    assert gradcheck(lambda x: implicit(x, 80), leaf(0.3, 0.7)) is True
    assert "hooks on" in told(gradcheck, lambda x: implicit(x, 1), leaf(0.3, 0.7))


def test_a_function_without_a_gradient_must_not_depend_on_its_inputs() -> None:
    assert told(gradcheck, lambda x: x.detach() * 2, leaf(0.5)) == (
        "the outputs have no gradient, but they depend on the inputs\n"
        "Numerical gradient for function expected to be zero"
    )
    assert gradcheck(lambda x: x.detach().round(), leaf(0.6))


def test_a_function_that_is_not_deterministic() -> None:
    def noisy(x: Any) -> Any:
        return x * torch.rand(1, dtype=torch.float64)

    assert told(gradcheck, noisy, leaf(0.5)).startswith("NONDETERMINISTIC: ")
    assert gradcheck(noisy, leaf(0.5), nondet_tol=1.0)


def test_a_point_that_is_none() -> None:
    assert told(gradcheck, torch.sin, leaf(float("inf"))).startswith("there is no gradient to check at input[0][0]")


def test_inputs_are_named_as_the_program_names_them_or_by_number() -> None:
    assert "input[1][0]" in told(gradcheck, lambda x, y: x + Cube.apply(y), (leaf(1.0), leaf(3.0)))


def test_tolerances_are_taken_and_not_used() -> None:
    assert gradcheck(torch.sin, leaf(0.5), eps=1e-3, atol=0.0, rtol=0.0, fast_mode=True)
    told(gradcheck, Cube.apply, leaf(0.5), eps=1e-3, atol=1e9, rtol=1e9)


def test_what_makes_no_sense_is_refused_as_pytorch_does() -> None:
    with pytest.raises(EngineValueError, match="at least one input tensor to require gradient"):
        gradcheck(torch.sin, torch.ones(2))
    with pytest.raises(AssertionError, match="at least one of check_forward_ad or check_backward_ad"):
        gradcheck(torch.sin, leaf(0.5), check_backward_ad=False)
    with pytest.raises(AssertionError, match="check_batched_grad=True requires check_backward_ad to be True"):
        gradcheck(torch.sin, leaf(0.5), check_backward_ad=False, check_forward_ad=True, check_batched_grad=True)
    with pytest.raises(AssertionError, match="check_batched_forward_grad=True requires check_forward_ad to be True"):
        gradcheck(torch.sin, leaf(0.5), check_batched_forward_grad=True)
    with pytest.raises(AssertionError, match="at least one of check_fwd_over_rev or check_rev_over_rev"):
        gradgradcheck(torch.sin, leaf(0.5), check_rev_over_rev=False, check_undefined_grad=False)


def test_the_inputs_are_as_they_were() -> None:
    x = leaf(0.5, 2.0)
    gradcheck(torch.sin, x)
    assert x.grad is None
    assert x.tolist() == [0.5, 2.0]
    assert x._version == 0


def test_the_generator_of_the_program_is_where_it_was() -> None:
    torch.manual_seed(0)
    expected = torch.rand(3).tolist()
    torch.manual_seed(0)
    gradcheck(torch.sin, leaf(0.5))
    assert torch.rand(3).tolist() == expected


def test_second_derivatives_draw_from_the_generator_as_in_pytorch() -> None:
    torch.manual_seed(0)
    torch.rand(1, dtype=torch.float64)
    expected = torch.rand(3).tolist()
    torch.manual_seed(0)
    gradgradcheck(torch.sin, leaf(0.5))
    assert torch.rand(3).tolist() == expected


SPEC = """
import torch
from torch.autograd import gradcheck
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x
x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
assert gradcheck(torch.sin, (x,))
assert torch.autograd.gradgradcheck(lambda x: x.exp() * x, x)
assert not gradcheck(Cube.apply, x, raise_exception=False)
try:
    gradcheck(Cube.apply, x)
    said = None
except RuntimeError as error:
    said = str(error)
loss = (x * 2).sum()
loss.backward()
"""


@pytest.mark.parametrize("trace", [False, True])
def test_a_program_can_check_itself(trace: bool) -> None:
    with pytest.warns(Note, match=r"^WRONG: the gradient of f\[1\] with respect to "):
        run = Program(Spec(Source("spec.py", textwrap.dedent(SPEC)), False, None, None)).run(trace=trace)
    assert run.variables["said"].startswith("Jacobian mismatch for output 0 with respect to input 0,\nnumerical:")
    assert run.variables["x"].grad.tolist() == [2.0, 2.0]


def test_the_checker_is_read_when_it_is_asked_for() -> None:
    code = (
        "import sys, gradcli as torch\ntorch.autograd.grad\nassert 'gradcli.check' not in sys.modules\n"
        "assert 'gradcheck' in dir(torch.autograd)\ntorch.autograd.gradcheck\nassert 'gradcli.check' in sys.modules\n"
        "assert not hasattr(torch.autograd, 'no_such')\n"
    )
    root = Path(torch.__file__).parents[1]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


# -- the forward mode ----------------------------------------------------------------------------


class Squared(torch.autograd.Function):
    """A square, whose jvp has a factor of its own."""

    factor = 2.0

    @staticmethod
    def forward(x: Any) -> Any:
        return x**2

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2 * g * ctx.saved_tensors[0]

    @classmethod
    def jvp(cls, ctx: Any, t: Any) -> Any:
        return cls.factor * t * ctx.saved_tensors[0]


class Tripled(Squared):
    factor = 3.0


def test_the_forward_mode_is_judged_as_the_backward_is() -> None:
    inputs = (leaf(0.5, -1.25), leaf(2.0, 3.0))
    everything = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert gradcheck(lambda x, y: (torch.tanh(x * y), (x / y).sum()), inputs, **everything)
    assert gradcheck(Squared.apply, leaf(0.5), check_forward_ad=True)
    assert gradcheck(lambda x: (), leaf(0.5), check_forward_ad=True)
    assert gradcheck(lambda x: [x, x * 2], leaf(0.5), check_forward_ad=True)
    assert gradcheck(Tripled.apply, leaf(0.5))
    for options in ({}, {"check_backward_ad": False}):
        words = told(gradcheck, Tripled.apply, leaf(0.5), check_forward_ad=True, **options)
        assert words.startswith("in forward mode: WRONG: the gradient of")
        assert "claimed 1.5, true 1 " in words


def test_a_function_without_a_jvp_has_no_forward_mode() -> None:
    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None: ...

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    assert gradcheck(Plain.apply, leaf(0.5))
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        gradcheck(Plain.apply, leaf(0.5), check_forward_ad=True)


def test_forward_over_reverse_is_judged() -> None:
    assert gradgradcheck(lambda x: torch.sin(x) * x.exp(), leaf(0.5, 2.0), check_fwd_over_rev=True)
    alone = {"check_fwd_over_rev": True, "check_rev_over_rev": False, "check_undefined_grad": False}
    assert gradgradcheck(torch.sin, leaf(0.5), **alone)
    assert gradgradcheck(torch.sin, leaf(0.5), check_fwd_over_rev=True, check_batched_grad=True)


def test_gradcli_in_the_place_of_torch_is_no_stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(Cube.apply, (leaf(0.5, 1.5),))
    with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
        gradcheck(Cube.apply, (leaf(0.5).detach(),))


def test_gradients_of_outputs_are_drawn_as_pytorch_draws_them() -> None:
    class Hidden(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.double = 2 * x
            return ctx.double**2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 4 * ctx.double * g

    torch.manual_seed(0)
    x = torch.randn(2, dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError) as caught:
        gradgradcheck(Hidden.apply, x)
    assert "numerical:tensor([[-0.6499,  0.0000],\n        [ 0.0000,  6.7320]]" in str(caught.value)
    assert torch.rand(2).numpy() == pytest.approx([0.4556, 0.6323], abs=1e-4)


def test_complex_outputs_are_told_in_parts() -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1j

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 1j

    z = torch.tensor([1 + 2j], dtype=torch.complex128, requires_grad=True)
    words = r"While considering the imaginary part of complex outputs only, Jacobian mismatch for output 0 with"
    with pytest.raises(GradcheckError, match=words) as caught:
        gradcheck(Wrong.apply, (z,))
    assert "numerical:tensor([[1.0000+0.j]], dtype=torch.complex128)" in str(caught.value)
    assert "analytical:tensor([[-1.+0.j]], dtype=torch.complex128)" in str(caught.value)
    with pytest.raises(GradcheckError, match=r"While considering the real part of complex outputs only"):
        gradcheck(lambda z: torch.complex(Wrong.apply(z).real, torch.zeros(1, dtype=torch.float64)), (z,))


class Doubled(torch.autograd.Function):
    """A function whose backward may be given no gradient."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2


class Undefined(Doubled):
    """A backward that makes ones of nothing."""

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return torch.ones(1, dtype=torch.float64) if g is None else g * 2


class Stops(Doubled):
    """A backward that needs a gradient, and its number."""

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        g.sum().item()
        return g * 2


def test_gradients_that_do_not_arrive() -> None:
    words = "Expected all input grads to be undefined or zero when all output grads are undefined or zero."
    assert told(gradcheck, Undefined.apply, leaf(0.5)).startswith(words)
    assert gradcheck(Undefined.apply, leaf(0.5), check_undefined_grad=False)
    assert told(gradcheck, Stops.apply, leaf(0.5)).startswith("Expected backward function to handle undefined")


def test_gradients_in_a_batch() -> None:
    words = told(gradcheck, Stops.apply, leaf(0.5), check_undefined_grad=False, check_batched_grad=True)
    assert "failed while testing batched gradient computation" in words


def test_jacobians_that_programs_ask_for() -> None:
    from gradcli.autograd.gradcheck import _get_numerical_jacobian

    from gradcli.check.numerical_jacobian import get_analytical_jacobian, get_numerical_jacobian

    x = leaf(1.0, 2.0)
    ((by_layer,),) = _get_numerical_jacobian(lambda i: x[i] * 2, torch.tensor([1]), target=[x], eps=1e-6)
    assert torch.allclose(by_layer, torch.tensor([[0.0], [2.0]], dtype=torch.float64))
    with pytest.warns(FutureWarning, match="private API"):
        (numerical,) = get_numerical_jacobian(lambda given: given[0] ** 2, x, eps=1e-6)
    with pytest.warns(FutureWarning, match="private API"):
        (analytical,), again, *fits = get_analytical_jacobian(x, x**2)
    assert analytical.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert all([again, *fits])
    assert torch.allclose(numerical, analytical)
