"""Ops of a program's own: `torch.library`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import gradcli as torch
from gradcli.engine.custom_ops import ops as custom_ops


@pytest.fixture
def square() -> Iterator[Any]:
    """An op with a factor that may be left out, without a backward; none is left of it."""

    @torch.library.custom_op("tests::square", mutates_args=())
    def op(x: torch.Tensor, k: float = 2.0) -> torch.Tensor:
        return x**2 * k

    yield op
    del custom_ops._DECLARED["tests"]["square"]


def test_a_backward_is_registered(square: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = square(x)
    assert repr(square) == "<CustomOpDef(tests::square)>"
    with pytest.raises(RuntimeError, match=r"through tests\.square\.default but no autograd formula"):
        y.sum().backward()

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0])
        ctx.k = inputs[1]

    square.register_autograd(lambda ctx, g: (g * 2 * ctx.saved_tensors[0] * ctx.k, None), setup_context=setup)
    y = torch.ops.tests.square(x, 3.0)
    assert y.grad_fn.name() == "GeneratedBackwardFor_tests_square_defaultBackward"
    y.sum().backward()
    assert x.grad.tolist() == [6, 6]
    assert torch.func.grad(lambda x: square(x).sum())(torch.ones(2)).tolist() == [4, 4]
    assert str(torch.ops.tests.square.default) == "tests.square.default"


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((), {}, r"tests::square\(\) is missing value for argument 'x'. Declaration: tests::square\(Tensor x"),
        ((1,), {}, "Expected a value of type 'Tensor' for argument 'x' but instead found type 'int'"),
        ((torch.ones(1), "a"), {}, "Expected a value of type 'float' for argument 'k' but instead found type 'str'"),
        ((torch.ones(1),), {"foo": 1}, "Unknown keyword argument 'foo' for operator 'tests::square'"),
    ],
)
def test_arguments_are_checked(square: Any, args: Any, kwargs: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        square(*args, **kwargs)


def test_fakes_batches_and_kernels(square: Any) -> None:
    with pytest.raises(NotImplementedError, match="no fake impl"):
        square(torch.empty(2, device="meta"))
    square.register_fake(lambda x, k=2.0: torch.empty_like(x))
    assert square(torch.empty(2, device="meta")).device.type == "meta"
    seen = []

    @square.register_vmap
    def _(info: Any, in_dims: Any, x: Any, k: float = 2.0) -> Any:
        seen.append((info.batch_size, in_dims[0], tuple(x.shape)))
        return square(x, k), in_dims[0]

    assert torch.vmap(square)(torch.ones(3, 2)).tolist() == [[2, 2]] * 3
    assert seen == [(3, 0, (3, 2))]
    square.register_kernel("cpu", lambda x, k=2.0: x * 7)
    square.register_kernel("cuda", lambda x, k=2.0: x * 8)
    assert square(torch.ones(2)).tolist() == [7, 7]
    with square.set_kernel_enabled("cpu", False):
        assert square(torch.ones(2)).tolist() == [2, 2]


def test_lists_several_results_and_writes() -> None:
    @torch.library.custom_op("tests::several", mutates_args=())
    def several(xs: list[torch.Tensor], n: int) -> tuple[torch.Tensor, torch.Tensor]:
        return xs[0] * n, xs[1] + n

    torch.library.register_autograd("tests::several", lambda ctx, a, b: ([a * 3, b], None))
    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    a, b = several([x, y], 3)
    (a + 2 * b).sum().backward()
    assert x.grad.tolist() == [3, 3]
    assert y.grad.tolist() == [2, 2]

    @torch.library.custom_op("tests::written", mutates_args={"x"})
    def written(x: torch.Tensor, y: torch.Tensor) -> None:
        x.add_(y)

    z = torch.zeros(2)
    written(z, torch.ones(2))
    assert z.tolist() == [1, 1]
    assert z._version == 2
    assert written._schema == "(Tensor(a0!) x, Tensor y) -> ()"
    with pytest.raises(RuntimeError, match="Cannot register autograd formula for non-functional operator"):
        written.register_autograd(lambda ctx: None)
    with pytest.raises(NotImplementedError, match="none may require a gradient"):
        written(x, z)


def test_a_list_of_results_has_places_in_the_graph_and_needs_are_those_of_arguments() -> None:
    @torch.library.custom_op("tests::halves", mutates_args=())
    def halves(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
        return [x * 1, x * y]

    met = []

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        met.append((ctx.needs_input_grad, type(output)))
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, grads: Any) -> Any:
        _, y = ctx.saved_tensors
        met.append((ctx.needs_input_grad, type(grads)))
        return grads[0] + grads[1] * y, None

    halves.register_autograd(backward, setup_context=setup_context)
    x, y = torch.tensor([2.0, 3.0], requires_grad=True), torch.tensor([5.0, 7.0])
    found = halves(x, y)
    assert isinstance(found, list)
    (found[0] * 2 + found[1] * 3).sum().backward()
    assert x.grad.tolist() == [17, 23]
    assert met == [((True, False), list)] * 2


def test_what_is_refused() -> None:
    def bare(x):  # type: ignore[no-untyped-def]
        return x

    with pytest.raises(ValueError, match="Parameter x must have a type annotation"):
        torch.library.custom_op("tests::bare", bare, mutates_args=())

    @torch.library.custom_op("tests::same", mutates_args=())
    def same(x: torch.Tensor) -> torch.Tensor:
        return x

    with pytest.raises(RuntimeError, match="must not also be an input to this custom operator"):
        same(torch.ones(2))
    with pytest.raises(AttributeError, match="'_OpNamespace' 'tests' object has no attribute 'nothing'"):
        torch.ops.tests.nothing  # noqa: B018
    with pytest.raises(AttributeError, match=r"gradcli has no torch\.library\.opcheck"):
        torch.library.opcheck  # noqa: B018


def test_a_library_declares_ops_by_schemas(torch: Any) -> None:
    with torch.library._scoped_library("of_schemas", "FRAGMENT") as library:
        assert library.define("scaled(Tensor x, int k=2, *, float a=1.5) -> Tensor") == "scaled"
        library.impl("scaled", lambda x, k=2, *, a=1.5: x * k * a, "CPU")
        op = torch.ops.of_schemas.scaled
        assert op(torch.ones(2)).tolist() == [3, 3]
        assert op(torch.ones(2), 3, a=2.0).tolist() == [6, 6]
        assert str(op.default._schema) == "of_schemas::scaled(Tensor x, int k=2, *, float a=1.5) -> Tensor"
        with pytest.raises(RuntimeError, match="missing value for argument 'x'"):
            op()
        torch.library.register_autograd("of_schemas::scaled", lambda ctx, g: (g * 7, None))
        x = torch.ones(2, requires_grad=True)
        op(x).sum().backward()
        assert x.grad.tolist() == [7, 7]

        library.define("through(Tensor x) -> Tensor")
        torch.library.impl(library, "through", "CompositeImplicitAutograd")(lambda x: x.sin() * x)
        assert torch.ops.of_schemas.through(x).grad_fn.name() == "MulBackward0"
        def add_one(x: Any) -> None:
            x.add_(1)

        library.define("add_one(Tensor(a!) x) -> ()")
        library.impl("add_one", add_one, "CPU")
        zero = torch.tensor(0.0)
        torch.ops.of_schemas.add_one(zero)
        assert zero == 1
        library.define("unfinished(Tensor x) -> Tensor")
        with pytest.raises(NotImplementedError, match="Could not run 'of_schemas::unfinished'"):
            torch.ops.of_schemas.unfinished(x)

    torch.library.define("of_schemas::pair", "(Tensor x, Tensor[] ys, int[] n, str s='a') -> (Tensor, Tensor)")
    torch.library.impl("of_schemas::pair", "cpu")(lambda x, ys, n, s="a": (x + ys[0] + n[0], x.clone()))
    found = torch.ops.of_schemas.pair(torch.ones(1), [torch.ones(1)], [5])
    assert [t.item() for t in found] == [7, 1]
    with pytest.raises(ValueError, match='of the form "namespace::name", but got alone'):
        torch.library.define("alone", "(Tensor x) -> Tensor")
