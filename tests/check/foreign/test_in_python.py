"""``gradcli.check`` and its like in Python: what they return, raise and refuse."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.autograd import gradcheck, gradgradcheck
from gradcli.check.gradcheck import GradcheckError
from gradcli.errors import GradcliError, InputError

X = np.array([0.5, -1.2])


def square(x: Any) -> Any:
    return np.sum(x**2)


def test_a_result_says_all() -> None:
    result = gradcli.check(square, X, grad=lambda x: 2 * x)
    assert result.ok
    assert bool(result)
    assert result.verdict == "PASS"
    assert result.digits is not None
    assert result.digits > 11
    assert result.bar is not None
    assert result.bar < 1e-11
    assert [(x.output, x.input) for x in result.findings] == [("square", "x")]
    assert str(result).startswith("square: right: 1 input (2 numbers), order 1, ")
    assert "reproduce" not in str(result)
    assert result._repr_html_().startswith("<pre")


def test_a_wrong_gradient_is_an_assertion() -> None:
    gradcli.assert_gradient(square, X, grad=lambda x: 2 * x)
    with pytest.raises(AssertionError, match="G101 wrong gradient: square with respect to x") as raised:
        gradcli.assert_gradient(square, X, grad=lambda x: 3 * x)
    assert "signature: claimed = 3/2 of the true gradient" in str(raised.value)
    # Its first line is all that the summary of a test run shows.
    assert "G101" in str(raised.value).splitlines()[0]


@pytest.mark.parametrize(
    ("name", "value"), [("order", 0), ("order", 1.5), ("samples", -1), ("digits", 0), ("seed", -1)]
)
def test_numbers_of_which_nothing_could_come_are_refused(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"^{name}= takes a whole number from [01] on, not {value}$"):
        gradcli.check(square, X, grad=lambda x: 2 * x, **{name: value})


def endless(x: Any) -> Any:
    return endless(x)


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError


def mute(x: Any) -> Any:
    raise Mute


@pytest.mark.parametrize(
    ("function", "given", "options", "said"),
    [
        (lambda a, b: a, X, {"grad": square}, "f(a, b) cannot be called with one argument"),
        (square, X, {"grad": square, "vjp": square}, "there are several derivatives: grad, vjp"),
        (square, X, {"grad": 3}, "grad= is no function: int"),
        (square, np.array([1, 2]), {"grad": square}, "no input of square is a floating array: none can be moved"),
        (square, X, {}, "there is no gradient of square to check"),
        (lambda x: x[5], X, {"grad": square}, "f stops: IndexError: index 5 is out of bounds for axis 0 with size 2"),
        (square, X, {"grad": lambda: 0}, "the derivative stops: TypeError"),
        (lambda x: "text", X, {"grad": square}, "there is no gradient of f to check: it returns no floating number"),
        (endless, X, {"grad": square}, "endless stops: RecursionError: maximum recursion depth exceeded"),
        (mute, X, {"grad": square}, "mute stops: Mute"),
        (lambda x: x[0], {"y": X}, {"grad": square},
         "f stops: KeyError: 0 (it has no argument 'y', so it was given a dict of all inputs)"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked(function: Any, given: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        gradcli.check(function, given, **options)
    assert str(raised.value).startswith(said)
    assert raised.value.help


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_what_stops_when_it_is_called_again(library: str) -> None:
    sin = getattr(pytest.importorskip(library), "sin")  # noqa: B009
    given = X if library == "numpy" else pytest.importorskip(library).tensor(X)
    for calls in (1, 2, 3, 5):
        left = iter(range(calls))
        result = gradcli.check(lambda x, left=left: sin(x) + 0 * next(left), given, grad=np.cos if given is X else None)
        assert result.verdict == "NONDETERMINISTIC"
        assert "does not take the inputs that it took before" in str(result)


def test_a_backward_that_is_another_after_some_calls() -> None:
    torch = pytest.importorskip("torch")

    class Sin(torch.autograd.Function):  # type: ignore[misc,name-defined]
        left: Any = None

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return torch.sin(x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * torch.cos(ctx.saved_tensors[0]) * next(Sin.left)

    for calls in (1, 2, 4, 9):
        for then, said in (((), "a backward that stops, as it did not at first"), ((2.0,) * 99, " gradient of x ")):
            Sin.left = iter((*(1.0,) * calls, *then))
            result = gradcli.check(lambda x: Sin.apply(2 * x).sum(), torch.tensor(X))
            assert (result.verdict, said in str(result)) == ("NONDETERMINISTIC", True)


def test_of_two_lambdas_on_a_line_the_right_one_is_shown() -> None:
    f, df = (lambda x: x**2), (lambda x: 3 * x)
    assert str(gradcli.check(f, 2.0, grad=df)).splitlines()[3].endswith(" " * 31 + "^" * 15)


def test_names_of_arguments() -> None:
    found = gradcli.check(lambda x, y: x @ y, (X, X + 1), vjp=lambda x, y, g: (g * y, g * x))
    assert [x.input for x in found.findings] == ["x", "y"]
    found = gradcli.check(lambda d: d["u"] @ d["v"], {"u": X, "v": X + 1}, grad=lambda d: {"u": d["v"], "v": d["u"]})
    assert [x.input for x in found.findings] == ["u", "v"]


def test_arrays_of_kinds_that_pytorch_has_not() -> None:
    torch = pytest.importorskip("torch")

    def f(x: Any, how: Any) -> Any:
        return getattr(torch, str(how))(x)

    for dtype in (np.longdouble, np.float16, ">f8", np.clongdouble):
        assert gradcli.check(f, {"x": X.astype(dtype), "how": np.array("sin")}).ok


def test_a_custom_function_takes_its_arguments_by_name_and_numbers_without_a_gradient_are_constants() -> None:
    torch = pytest.importorskip("torch")

    class Scaled(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, scale: Any = 2.0) -> Any:
            ctx.save_for_backward(x, y)
            ctx.scale = scale
            return x * y * scale

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            return g * y * ctx.scale, g * x * ctx.scale, None

    for given, names in (
        ({"y": X, "x": X + 3, "scale": 3.0}, ["y", "x"]),
        ({"x": X, "y": X + 3}, ["x", "y"]),
        ((X, X + 3, 0.5), ["x", "y"]),
    ):
        for function in (Scaled, Scaled.apply):
            result = gradcli.check(function, given)
            assert (result.ok, [x.input for x in result.findings]) == (True, names)
    assert "scale is a number that gets no gradient, and is taken for a constant" in str(result)
    # A tensor is no constant.
    assert not gradcli.check(Scaled, (torch.tensor(X), torch.tensor(X), torch.tensor(0.5).double())).ok


def by_place(function: Any) -> Any:
    return functools.wraps(function)(lambda *args: function(*args))


def test_names_of_what_is_given_by_its_place() -> None:
    def f(a: Any, b: Any, /, c: Any = 1.0) -> Any:
        return a**2 * b * c

    def df(a: Any, b: Any, c: Any) -> Any:
        return 2 * a * b * c, a**2 * c, a**2 * b

    for g in (f, by_place(f), by_place(lambda a, b, c: f(a, b, c))):
        given = {"c": X - 3, "b": X + 2, "a": X}
        result = gradcli.check(g, given, vjp=lambda c, b, a, w: [w * d for d in reversed(df(a, b, c))])
        assert result.ok
        assert [x.input for x in result.findings] == ["c", "b", "a"]


def test_the_library_of_what_names_none() -> None:
    torch = pytest.importorskip("torch")
    sin = torch.sin

    def inside(x: Any) -> Any:
        return sin(x)

    class Called:
        def __call__(self, x: Any) -> Any:
            import torch

            return torch.sin(x)

    for f in (inside, Called(), by_place(inside), functools.partial(torch.mul, 2), lambda x: inside(x) + 1, torch.sin):
        assert gradcli.check(f, X).ok


def test_arrays_inside_of_arguments() -> None:
    given = {"u": X, "v": [X + 1, X]}, X
    names = ["p.u", "p.v[0]", "p.v[1]", "x"]

    def f(p: Any, x: Any) -> Any:
        return np.sum(p["u"] * p["v"][0] + p["v"][1] * x)

    def df(p: Any, x: Any, factor: float = 1.0) -> Any:
        return {"u": p["v"][0], "v": [p["u"], factor * x]}, p["v"][1]

    found = gradcli.check(f, given, grad=df)
    assert found.ok
    assert [x.input for x in found.findings] == names
    found = gradcli.check(f, given, grad=lambda p, x: df(p, x, 2.0))
    assert [x.input for x in found.findings if x.verdict == "WRONG"] == ["p.v[1]"]
    found = gradcli.check(f, given, grad=lambda p, x: (p["u"], p["v"][1]))
    assert "SHAPE: the derivative has no dict where the arguments have one" in str(found)


def test_few_calls_are_enough_where_all_is_right() -> None:
    torch = pytest.importorskip("torch")

    class Cube(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return (x**3).sum()

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0] * 3 * ctx.saved_tensors[0] ** 2

    x = torch.linspace(0.5, 2, 20, dtype=torch.float64, requires_grad=True)
    calls = []
    # gradcheck of PyTorch's calls it 42 times. That of the Function is looked at four other points, and alone.
    for f, most in ((torch.sin, 14), (Cube.apply, 30)):
        calls.clear()
        assert gradcheck(lambda x, f=f: (calls.append(1), f(x))[1], x)
        assert len(calls) <= most


def test_gradcheck_takes_tensors_of_pytorch() -> None:
    torch = pytest.importorskip("torch")

    class Wrong(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0] * 3 * ctx.saved_tensors[0]

    x = torch.tensor([0.5, -1.2], dtype=torch.float64, requires_grad=True)
    assert gradcheck(torch.sin, x)
    assert gradcheck(torch.sin, (x,), eps=1e-6, atol=1e-5, fast_mode=True)
    assert gradgradcheck(torch.sin, (x,))
    assert gradcheck(lambda a, b: a @ b, (x, x.detach()))
    assert not gradcheck(Wrong.apply, x, raise_exception=False)
    with pytest.raises(RuntimeError, match=r"claimed 1\.5, true 1"):
        gradcheck(Wrong.apply, x[:1].detach().requires_grad_())
    with pytest.raises(ValueError, match="none of them have requires_grad=True"):
        gradcheck(torch.sin, x.detach())
    assert not gradcheck(lambda x: x + torch.tensor(np.random.rand()), x, raise_exception=False)
    assert gradcheck(lambda x: x + torch.tensor(np.random.rand()), x, raise_exception=False, nondet_tol=1.0)


def test_what_gradcheck_is_asked_beyond_a_gradient() -> None:
    torch = pytest.importorskip("torch")

    class Sine(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            (g,) = grads
            return None if g is None else g * ctx.saved_tensors[0].cos()

    class Undefined(Sine):
        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0] * ctx.saved_tensors[0].cos()

    class Alone(Sine):
        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return torch.from_numpy(grads[0].numpy() * ctx.saved_tensors[0].cos().numpy())

    class Doubled(Sine):
        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            return 2 * tangents[0]

    x = torch.tensor([0.5, -1.2], dtype=torch.float64, requires_grad=True)
    for function, option, said in (
        (Undefined, {}, "Expected backward function to handle undefined output grads"),
        (Alone, {"check_undefined_grad": False, "check_batched_grad": True}, "While computing batched gradients, got"),
        (Doubled, {"check_forward_ad": True}, "forward mode mismatch"),
        (Sine, {"check_forward_ad": True}, "You must implement the jvp function"),
    ):
        with pytest.raises(GradcheckError, match=said):
            gradcheck(function.apply, x, **option)
    assert gradcheck(Sine.apply, x)
    assert gradcheck(Undefined.apply, x, check_undefined_grad=False)
    assert gradcheck(torch.sin, x, check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(torch.sin, x, check_batched_grad=True)
    for refused in ("masked", "check_fwd_over_rev"):
        with pytest.raises(NotImplementedError, match=f"{refused}=True is not supported"):
            gradgradcheck(torch.sin, x, **{refused: True})


def test_gradgradcheck_sees_second_derivatives_that_are_cut_off() -> None:
    torch = pytest.importorskip("torch")

    class Cube(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0] * 3 * ctx.saved_tensors[0] ** 2

    class Detached(Cube):
        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0] * 3 * ctx.saved_tensors[0].detach() ** 2

    class Once(Cube):
        backward = staticmethod(torch.autograd.function.once_differentiable(Cube.backward))

    x = torch.tensor([0.5, -1.2], dtype=torch.float64, requires_grad=True)
    assert gradgradcheck(Cube.apply, x)
    assert gradgradcheck(lambda x: 3 * x, x)
    for cls in (Detached, Once):
        assert not torch.autograd.gradgradcheck(cls.apply, x, raise_exception=False)
        assert not gradgradcheck(cls.apply, x, raise_exception=False)


def test_functions_of_gradcli_itself() -> None:
    x = gradcli.tensor([0.5, -1.2])
    assert gradcli.check(lambda x: (x.sigmoid() ** 2).sum(), x).ok
    assert not gradcli.check(lambda x: (x * x.detach()).sum(), x).ok
    assert not x.requires_grad


def test_single_precision_is_widened_where_that_works() -> None:
    x = np.array([0.5, -1.2], np.float32)
    found = gradcli.check(square, x, grad=lambda x: 2 * x)
    assert found.digits is not None
    assert found.digits > 10
    found = gradcli.check(lambda x: np.sum(x**2, dtype=np.float32), x, grad=lambda x: (2 * x).astype(np.float32))
    assert found.ok
    assert "FLOAT32: it computes with numbers of 24 bits" in str(found)


def test_no_state_of_pytorch_is_changed() -> None:
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    net[1].eval()
    before = {key: value.clone() for key, value in net.state_dict().items()}
    x = torch.randn(4, 3)
    held = x.clone()
    gradcli.check(net, x, train=True)
    assert [part.training for part in net.modules()] == [True, True, False]
    assert all(torch.equal(value, before[key]) for key, value in net.state_dict().items())
    assert torch.equal(x, held)
    assert all(p.grad is None for p in net.parameters())


class _Cube(gradcli.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * g * x * x


def test_a_report_is_folded_to_the_width_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    result = gradcli.check(lambda x: _Cube.apply(x * 2).sum(), gradcli.tensor([0.5, -1.2]))
    whole = str(result)
    assert max(map(len, whole.splitlines())) > 80
    assert max(map(len, result._repr_html_().splitlines()[1:])) <= 100
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, str(result).splitlines())) <= 60
    assert str(result).split() == whole.split()


def test_a_wrong_function_of_gradcli_is_named() -> None:
    (finding,) = gradcli.check(lambda x: _Cube.apply(x * 2).sum(), gradcli.tensor([0.5, -1.2])).findings
    assert finding.node is not None
    assert finding.node.name == "_Cube.backward"
    assert finding.span is not None
    line = Path(__file__).read_text().splitlines()[finding.span.line - 1]
    assert line.strip() == "return 2 * g * x * x"


def test_each_part_of_a_module_of_gradcli_keeps_its_mode() -> None:
    net = gradcli.nn.Sequential(gradcli.nn.Linear(3, 2), gradcli.nn.Dropout(0.5))
    net[0].eval()
    assert gradcli.check(net, gradcli.randn(4, 3)).ok
    assert [part.training for part in net.modules()] == [True, False, True]


def test_a_bug_of_ours_is_not_taken_for_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    from gradcli.check.foreign import with_numpy

    def broken(x: Any) -> Any:
        raise KeyError("ours")

    monkeypatch.setattr(with_numpy, "_number", broken)
    with pytest.raises(KeyError, match="ours"):
        gradcli.check(square, X, grad=lambda x: 2 * x)


def test_an_error_is_ours() -> None:
    with pytest.raises(GradcliError):
        gradcli.check(square, X)


def test_functions_of_gradcli_s_own() -> None:
    class Net(gradcli.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = gradcli.nn.Linear(3, 2)
            self.drop = gradcli.nn.Dropout(0.5)

        def forward(self, x: Any) -> Any:
            return self.drop(gradcli.tanh(self.first(x)))

    weight, three = gradcli.ones(3, 2), np.array([[0.5, -1.2, 2.0]])

    def product(x: Any) -> Any:
        return gradcli.tanh(x @ weight.to(x.dtype))

    for function, given, names in (
        (Net(), three, ["x", "first.weight", "first.bias"]),
        (lambda x, y: gradcli.sin(x) * y, {"y": X, "x": gradcli.ones(len(X))}, ["y", "x"]),
        (product, three.astype(np.float32), ["x"]),
    ):
        result = gradcli.check(function, given)
        assert (result.ok, [x.input for x in result.findings]) == (True, names)
    assert gradcli.check(lambda x: gradcli.sin(x) * x.detach(), X).verdict != "PASS"
    with pytest.raises(gradcli.errors.InputError, match="f stops: expected m1 and m2 to have the same dtype"):
        gradcli.check(lambda x: gradcli.tanh(x) @ weight, three)
