"""The gradient of every node is the sum of what comes along the edges to it, and looking changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gradcli
from gradcli.graph.view.collect import collect, of_program
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from tests.rings import examples, long, sampled

from ..conftest import HAS_TORCH
from .worlds import close, item, unequal

EXPRESSIONS = sorted((Path(__file__).parents[2] / "expressions").glob("*.py"))


# -- the sum -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", EXPRESSIONS, ids=[path.stem for path in EXPRESSIONS])
@sampled(6)
def test_the_sum_at_every_node_of_the_gallery(path: Path) -> None:
    program = Program(read(str(path)))
    with program.recorded() as run:
        gradient = run.trace and run.trace.backward.gradients and run.trace.backward.gradients[0]
    view = of_program(program)
    assert unequal(view, None if gradient is None else gradient.numpy()) == []


Recipe = list[tuple[str, int, int]]

UNARY: dict[str, Callable[[Any, Any], Any]] = {
    "sin": lambda torch, x: torch.sin(x),
    "exp": lambda torch, x: torch.exp(-x * x),
    "relu": lambda torch, x: torch.relu(x),
    "softmax": lambda torch, x: torch.softmax(x, dim=-1),
    "row": lambda torch, x: x[0],
    "sum": lambda torch, x: x.sum(0, keepdim=True),
    "clone": lambda torch, x: x.clone().mul_(2),
    "detach": lambda torch, x: x.detach(),
    "halves": lambda torch, x: torch.cat(x.chunk(2, dim=-1)[::-1], dim=-1),
    "written": lambda torch, x: _written(x),
    "double": lambda torch, x: x.double(),
    "norm": lambda torch, x: x.norm(),
    "number": lambda torch, x: 2 * x - 0.5,
}
BINARY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda torch, x, y: x + y,
    "mul": lambda torch, x, y: x * y,
    "sub": lambda torch, x, y: x - y,
    "max": lambda torch, x, y: torch.maximum(x, y),
    "where": lambda torch, x, y: torch.where(x > y, x, y),
    "div": lambda torch, x, y: x / (y * y + 1),
}
recipes = st.lists(
    st.tuples(st.sampled_from([*UNARY, *BINARY]), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12
)


def _written(x: Any) -> Any:
    y = x.clone()
    y[..., 0] = y[..., 1] * 3
    return y


def cooked(torch: Any, recipe: Recipe) -> Any:
    """A tensor that a random program has computed."""
    a = torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
    b = torch.tensor([1.5, -0.5], requires_grad=True)
    made = [a, b, torch.tensor(2.0, requires_grad=True), torch.tensor([1.0, 3.0])]
    for name, i, j in recipe:
        x, y = made[i % len(made)], made[j % len(made)]
        if name in BINARY:
            made.append(BINARY[name](torch, x, y))
        elif x.dim() > 0 and x.shape[-1] > 1 and not (name == "sum" and x.shape[0] == 1):
            made.append(UNARY[name](torch, x))
    return sum((x.sum() for x in made), torch.zeros(()))


ENGINES = ["gradcli", *(["torch"] if HAS_TORCH else [])]


@long("it takes a second or more")
@pytest.mark.parametrize("engine", ENGINES)
@given(recipe=recipes)
@settings(max_examples=examples(60), deadline=None, derandomize=True)
def test_the_sum_at_every_node_of_random_programs(engine: str, recipe: Recipe) -> None:
    torch = __import__(engine)
    root = cooked(torch, recipe)
    view = collect(root)
    assert unequal(view) == []
    root.backward()
    for leaf in view.leaves():
        assert close(leaf.grad, leaf.node.variable.grad.numpy())


@given(recipe=recipes)
@settings(max_examples=examples(30), deadline=None, derandomize=True)
def test_the_sum_at_every_node_of_recorded_backwards(recipe: Recipe) -> None:
    root = cooked(gradcli, recipe)
    leaves = list(collect(root).leaves())
    grads = gradcli.autograd.grad(root, [leaf.node.variable for leaf in leaves], create_graph=True)
    total = sum((g * g).sum() for g in grads)
    if total.requires_grad:
        assert unequal(collect(total), tolerance=1e-4) == []


# -- looking changes nothing -------------------------------------------------------------------


def test_no_grad_is_touched_and_the_graph_can_be_walked_again(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * x
    h.retain_grad()
    h.grad = torch.tensor([7.0, 7.0])
    y = h.sum()
    collect(y)
    assert x.grad is None
    assert h.grad.tolist() == [7.0, 7.0]
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]
    assert h.grad.tolist() == [8.0, 8.0]


def test_hooks_run_once_and_what_they_make_of_a_gradient_goes_on(torch: Any) -> None:
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda g: g + 1)
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append("accumulated"))
    h = x * 3
    h.register_hook(lambda g: seen.append("h") or g * 10)
    y = h * h
    y.grad_fn.register_hook(lambda shares, arrived: seen.append("y"))
    view = collect(y.sum())
    assert seen == ["y", "h"]
    (inner, outer) = [each for each in view.ops() if each.name == "MulBackward0"]
    assert [edge.grad.tolist() for edge in outer.edges] == [[3.0, 6.0], [3.0, 6.0]]
    assert inner.grad.tolist() == [60.0, 120.0]
    assert inner.edges[0].grad.tolist() == [180.0, 360.0]
    assert view.items[0].grad.tolist() == [181.0, 361.0]


def test_a_hook_of_the_program_that_fails_is_why_there_are_no_gradients(torch: Any) -> None:
    def refuse(g: Any) -> None:
        raise KeyError("not this one")

    x = torch.tensor(2.0, requires_grad=True)
    h = x * x
    h.register_hook(refuse)
    view = collect(h * 3)
    assert view.ungraded == "KeyError: 'not this one'"
    assert (view.root.grad, view.items[0].grad) == (1.0, None)


def test_a_graph_that_was_freed_is_shown_without_gradients(torch: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = (x * x).exp()
    y.backward()
    view = collect(y)
    assert view.ungraded is not None
    assert view.ungraded.startswith("Trying to backward through the graph a second time")
    assert [each.name for each in view.items] == ["AccumulateGrad", "MulBackward0", "ExpBackward0"]
    assert view.root.saved == []


# -- what gradients can be ---------------------------------------------------------------------


def test_gradients_have_the_shape_and_dtype_of_what_they_are_for(torch: Any) -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([[3.0], [4.0]], dtype=torch.float64, requires_grad=True)
    view = collect(a * b)
    assert [(edge.grad.shape, str(edge.grad.dtype)) for edge in view.root.edges] == [
        ((2,), "float32"),
        ((2, 1), "float64"),
    ]
    assert unequal(view) == []


def test_infinities_and_nans_are_gradients_too(torch: Any) -> None:
    x = torch.tensor([0.0, -1.0, 4.0], requires_grad=True)
    view = collect(x.sqrt().sum())
    assert np.array_equal(view.items[0].grad, [np.inf, np.nan, 0.25], equal_nan=True)
    assert unequal(view) == []


def test_each_output_of_a_node_has_its_own_gradient(torch: Any) -> None:
    x = torch.arange(4.0).requires_grad_()
    low, high = x.chunk(2)
    view = collect((high * 2).sum())
    split = item(view, "Split")
    assert (split.outputs, split.grad) == (2, None)
    assert split.edges[0].grad.tolist() == [0.0, 0.0, 2.0, 2.0]
    assert unequal(view) == []
    assert collect(high).items[0].grad.tolist() == [0.0, 0.0, 1.0, 1.0]
    assert collect(low).root.grad.tolist() == [1.0, 1.0]


def test_an_argument_that_no_gradient_goes_to_has_none(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    view = collect(x * torch.tensor([3.0, 4.0]))
    assert [edge.grad is None for edge in view.root.edges] == [False, True]


def test_complex_and_narrow_and_sparse_gradients_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    table = torch.nn.Embedding(4, 2, sparse=True)
    assert unequal(collect((a.to(torch.bfloat16) * 2).sum())) == []
    assert unequal(collect((z * z.conj()).abs().sum())) == []
    assert unequal(collect(torch.sgn(a * (1 + 1j)).abs().sum())) == []
    assert unequal(collect(table(torch.tensor([1, 1, 2])).sum())) == []
    assert collect(table(torch.tensor([1, 1, 2])).sum()).items[0].grad.tolist() == [[0, 0], [2, 2], [1, 1], [0, 0]]


@pytest.mark.parametrize("shape", [(5,), (2, 2), (4, 3, 2), (0,)])
def test_a_backward_of_another_shape_is_shown_as_it_is(torch: Any, shape: tuple[int, ...]) -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return torch.ones(shape)

    view = collect(Wrong.apply(torch.ones(3, requires_grad=True)).sum())
    assert view.ungraded is not None
    assert view.ungraded.startswith("Function WrongBackward returned an invalid gradient at index 0 - got ")
    assert view.ungraded.endswith("but expected shape compatible with [3]")
    (wrong,) = [each for each in view.ops() if each.name == "WrongBackward"]
    assert wrong.edges[0].grad is None or wrong.edges[0].grad.shape == shape
