"""Functions made of functions: what they refuse, and that they refuse it in PyTorch's words."""

from __future__ import annotations

from typing import Any

import pytest


def test_samples_cannot_write_to_what_they_share(torch: Any) -> None:
    shared = torch.zeros(3)
    rows = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match the broadcast shape \[2, 3\]"):
        torch.vmap(lambda x: shared.add_(x))(rows)
    torch.vmap(lambda x: x.mul_(2))(rows)
    assert rows.tolist() == [[2.0] * 3] * 2


@pytest.mark.parametrize(
    ("dims", "args", "words"),
    [
        ((0,), 2, r"in_dims has structure TreeSpec\(tuple, None, \[\*\]\) but inputs has structure TreeSpec"),
        ((None, None), 2, "vmap: Expected at least one Tensor to vmap over"),
        ((0, "a"), 2, "Got in_dim=a for an input but in_dim must be either an integer dimension or None"),
        ([0, 0], 2, "expected `in_dims` to be int or a .potentially nested. tuple matching the structure"),
        (2, 1, "Got in_dim=2 for some input, but that input is a Tensor of dimensionality 2"),
        (0, 0, "got no inputs"),
    ],
)
def test_in_dims_fit_the_inputs(torch: Any, dims: Any, args: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        torch.vmap(lambda *xs: xs[0], in_dims=dims)(*[torch.ones(2, 2)] * args)


def test_out_dims_fit_the_outputs(torch: Any) -> None:
    x = torch.ones(3, 2)
    with pytest.raises(ValueError, match="out_dims has structure TreeSpec"):
        torch.vmap(lambda x: (x, x), out_dims=(0,))(x)
    with pytest.raises(ValueError, match="must be an int, None or a python collection of ints"):
        torch.vmap(lambda x: x, out_dims="a")(x)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.vmap(lambda x: x, out_dims=5)(x)
    assert type(torch.vmap(lambda x: x.max(0))(x)[1]) is torch.Tensor


def test_what_a_transformed_function_may_not_call(torch: Any) -> None:
    x = torch.ones(3)
    for call, words in (
        (lambda x: x.clone().requires_grad_().sum(), "attempting to call Tensor.requires_grad_"),
        (lambda x: (x.retain_grad(), x.sum())[1], "attempting to call Tensor.retain_grad"),
        (lambda x: (x.sum().backward(), x.sum())[1], "called inside a functorch transform"),
        (lambda x: torch.autograd.functional.jacobian(torch.sin, x).sum(), "torch.autograd.functional"),
    ):
        with pytest.raises(RuntimeError, match=words):
            torch.func.grad(call)(x)


def test_arguments_that_are_differentiated_by(torch: Any) -> None:
    x = torch.ones(3)
    for argnums, words in (
        ((), "argnums must be non-empty"), ((0, 0), "argnums elements must be unique"),
        ([0], "argnums must be int or Tuple"), (3, "Got argnum=3, but only 2 positional inputs"),
    ):  # fmt: skip
        for transform in (torch.func.grad, torch.func.jacrev, torch.func.jacfwd):
            with pytest.raises(RuntimeError, match=words):
                transform(lambda a, b: (a * b).sum(), argnums=argnums)(x, x)
    unused = torch.func.grad(lambda a, b: a.sum(), argnums=1)(x, x)
    assert not unused.requires_grad


def test_a_function_of_a_model_s_parameters_says_what_is_amiss(torch: Any) -> None:
    class Tied(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = torch.nn.Linear(1, 1, bias=False), torch.nn.Linear(1, 1, bias=False)
            self.b.weight = self.a.weight

        def forward(self, x: Any) -> Any:
            return self.b(self.a(x))

    model, x, w = Tied(), torch.ones(1, 1), torch.full((1, 1), 3.0)
    call = torch.func.functional_call
    assert call(model, {"b.weight": w}, x, strict=True).item() == 9.0
    with pytest.raises(ValueError, match=r"which are tied. Consider using tie_weights=False"):
        call(model, {"a.weight": w, "b.weight": w * 2}, x)
    with pytest.raises(TypeError, match=r"3 is not an instance of torch.Tensor"):
        call(model, {"a.weight": 3}, x)
    with pytest.raises(AttributeError, match="Tied has no attribute `c`"):
        call(model, {"c.weight": w}, x)


def test_strict_says_which_input_does_not_matter(torch: Any) -> None:
    x = torch.ones(3)
    functional = torch.autograd.functional
    with pytest.raises(RuntimeError, match="Output 0 of the user-provided function is independent of input 1"):
        functional.jacobian(lambda a, b: a * 2, (x, x), strict=True)
    for product in (functional.vhp, functional.hvp):
        with pytest.raises(RuntimeError, match="The output of the user-provided function is independent of input 1"):
            product(lambda a, b: (a**2).sum(), (x, x), (x, x), strict=True)
        with pytest.raises(RuntimeError, match="should return a single Tensor"):
            product(lambda a: (a.sum(), a.sum()), x, x)


def test_trees_are_taken_apart_and_put_together(torch: Any) -> None:
    import importlib

    pytree = importlib.import_module(f"{torch.__name__}.utils._pytree")
    tree = {"a": [1, (2, None)], "b": 3}
    leaves, spec = pytree.tree_flatten(tree)
    assert leaves == [1, 2, None, 3]
    assert pytree.tree_unflatten(leaves, spec) == tree
    assert repr(pytree.tree_flatten((1, [2]))[1]) == "TreeSpec(tuple, None, [*,\n  TreeSpec(list, None, [*])])"
    assert pytree.tree_map_only(int, lambda n: -n, tree) == {"a": [-1, (-2, None)], "b": -3}
