"""Functions made of functions: what they refuse, and that they refuse it in PyTorch's words."""

from __future__ import annotations

import copy
import warnings
from collections import namedtuple
from typing import Any

import numpy as np
import pytest


def test_views_that_become_others_in_place_share_their_bases_tangents(torch: Any) -> None:
    def function(x: Any) -> Any:
        y = x * 1
        part = y[0].unsqueeze_(0).t_()
        part.mul_(3).squeeze_()
        part.add_(x[1])
        return y

    x, ones = torch.arange(6.0).view(2, 3), torch.ones(2, 3)
    assert torch.func.jvp(function, (x,), (ones,))[1].tolist() == [[4.0] * 3, [1.0] * 3]


def test_what_a_transform_makes_of_a_sample_is_the_sample_s_to_write_to(torch: Any) -> None:
    f, rows = torch.func, torch.arange(1.0, 7.0).view(2, 3)

    def through_a_view(x: Any) -> Any:
        y = x * x
        part = y.view(-1)
        y[0] = 1.0
        return (part * part).sum()

    functions = (
        lambda x: f.jvp(lambda t: torch.zeros_like(x).copy_(t) * x, (torch.ones(3),), (x,))[1],
        lambda x: f.jvp(lambda t: x * 1, (x,), (x,))[1].add_(x),
        lambda x: f.grad(lambda t: (t * 0).sum() + x.sum())(torch.ones(3) * x).add_(x),
        lambda x: f.jacrev(lambda t: x.sum())(x).copy_(x),
        lambda x: f.hessian(through_a_view)(x).sum(0),
        lambda x: f.grad(lambda t: (t.cumprod(0) ** 2).sum())(x),
        lambda x: torch.nn.functional.pad(x[None, None], (1, 1), mode="circular")[0, 0],
    )
    for function in functions:
        alone = torch.stack([function(row) for row in rows])
        assert torch.allclose(torch.vmap(function)(rows), alone)


def test_what_samples_share_is_as_it_was_where_they_may_not_write(torch: Any) -> None:
    shared, batch = torch.ones(3), torch.arange(6.0).view(2, 3)
    for write in (torch.Tensor.mul_, torch.Tensor.sub_, torch.Tensor.atan2_, torch.Tensor.copy_):
        with pytest.raises(RuntimeError, match=r"inplace arithmetic|output with shape"):
            torch.vmap(write, (None, 0))(shared, batch)
        assert shared.tolist() == [1.0, 1.0, 1.0]


def test_samples_cannot_write_to_what_they_share(torch: Any) -> None:
    shared = torch.zeros(3)
    rows = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match the broadcast shape \[2, 3\]"):
        torch.vmap(lambda x: shared.add_(x))(rows)
    torch.vmap(lambda x: x.mul_(2))(rows)
    assert rows.tolist() == [[2.0] * 3] * 2


def test_each_sample_reads_what_they_share_as_it_was_before_any_wrote_to_it(torch: Any) -> None:
    shared, ones = torch.arange(3.0), torch.ones(2, 3)

    def counted(x: Any) -> Any:
        before = x * shared
        shared[1:].mul_(2)
        shared.add_(1)
        fresh = torch.zeros(3)
        fresh.add_(shared)
        return before, fresh, x + shared

    assert [y.tolist() for y in torch.vmap(counted)(ones)] == [[[0.0, 1, 2]] * 2, [[1.0, 3, 5]] * 2, [[2.0, 4, 6]] * 2]
    assert shared.tolist() == [1.0, 3.0, 5.0]
    assert shared._version == 2
    slopes = torch.vmap(lambda t: torch.func.jvp(torch.Tensor.square_, (shared,), (t,))[1])(ones)
    assert slopes.tolist() == [[2.0, 6.0, 10.0]] * 2
    assert shared.tolist() == [1.0, 9.0, 25.0]
    rows = torch.arange(12.0).view(2, 6)
    assert torch.vmap(lambda x: torch.as_strided_copy(x, (2,), (2,), 1))(rows).tolist() == [[1.0, 3.0], [7.0, 9.0]]
    assert torch.vmap(lambda x: torch.diff(x, n=0))(rows).equal(rows)


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_a_batch_is_not_asked_for_the_numbers_of_a_sample(torch: Any) -> None:
    rows, shared = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.ones(2)
    for ask, words in (
        (lambda x: x.sum().item(), r"calling .item\(\) on a Tensor"),
        (lambda x: x * float(x[0]), r"calling .item\(\) on a Tensor"),
        (lambda x: x if x.sum() > 0 else -x, "data-dependent control flow"),
        (lambda x: x if (x.clone().zero_() + 1).all() else -x, "data-dependent control flow"),
        (lambda x: torch.func.grad(lambda y: y * y if y > 0 else y)(x[0]), "data-dependent control flow"),
        (lambda x: x[x > 0], "indexing with a boolean mask"),
        (lambda x: x.nonzero(), "Attempted to vmap over aten::nonzero"),
        (lambda x: x.nonzero(as_tuple=True), "rule not implemented for aten::nonzero_numpy"),
        (lambda x: torch.where(x), "Attempted to vmap over aten::where"),
        (lambda x: torch.tensor([x[0], x[1]]), r"calling .item\(\) on a Tensor"),
        (lambda x: x.new_tensor([[x[0]], [1.0]]), r"calling .item\(\) on a Tensor"),
        (lambda x: copy.deepcopy(x), "Cannot access storage of BatchedTensorImpl"),
        (lambda x: x.__dlpack__(), "Cannot access data pointer"),
        (lambda x: torch.equal(x, x), "aten::equal"),
        (lambda x: torch.zeros(2).mul_(x), "inplace arithmetic.self, .extra_args. is not possible"),
        (lambda x: torch.zeros(2).index_put_((torch.tensor([0]),), x[:1]), "index_put_.self, .extra_args. is not"),
        (lambda x: torch.zeros(2).scatter_(0, torch.tensor([0]), x[:1]), "aten::scatter_.*at level 1"),
    ):
        with pytest.raises(RuntimeError, match=words):
            torch.vmap(ask)(rows)

    def fine(x: Any) -> Any:
        own, common = torch.zeros_like(x), torch.zeros(2)
        own[0], common[1] = x[0], rows.max().item()
        shared.add_(1)
        return own + common

    assert torch.vmap(fine)(rows).tolist() == [[1.0, 4.0], [3.0, 4.0]]
    assert torch.vmap(torch.vander)(rows).tolist() == [[[1.0, 1.0], [2.0, 1.0]], [[3.0, 1.0], [4.0, 1.0]]]
    assert shared.tolist() == [2.0, 2.0]


def test_a_function_that_computes_a_batch_itself_is_given_the_batch(torch: Any) -> None:
    seen: list[Any] = []

    class Product(torch.autograd.Function):
        answer: Any = staticmethod(lambda x, y: (x * y, 0))

        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return x * y

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            return g * y, g * x

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any, y: Any) -> Any:
            seen.append((info.batch_size, info.randomness, in_dims, tuple(x.shape), tuple(y.shape)))
            return Product.answer(x, y)

    rows, common = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), torch.tensor([7.0, 8.0])
    product, slope = [[7.0, 16.0], [21.0, 32.0], [35.0, 48.0]], [[7.0, 8.0]] * 3
    assert torch.vmap(Product.apply, in_dims=(0, None))(rows, common).tolist() == product
    assert torch.vmap(lambda x: Product.apply(common, common) + x * 0)(rows).tolist() == [[49.0, 64.0]] * 3
    gradient = torch.func.grad(lambda x: Product.apply(x, common).sum())
    assert torch.vmap(gradient)(rows).tolist() == slope
    outside = torch.func.grad(lambda r: torch.vmap(lambda x: Product.apply(x, common))(r).sum())
    assert outside(rows).tolist() == slope
    leaf = rows.clone().requires_grad_()
    torch.vmap(lambda x: Product.apply(Product.apply(x, common), common))(leaf).sum().backward()
    assert leaf.grad.tolist() == [[49.0, 64.0]] * 3
    assert seen == [(3, "error", (0, None), (3, 2), (2,))] * 5
    for answer, words in (
        (lambda x, y: x * y, "to have two returns.*Got a <class 'torch.Tensor'> instead"),
        (lambda x, y: (x, 0, 0), "Got 3 returns instead"), (lambda x, y: (x, (0, 0)), "returned an incompatible"),
    ):  # fmt: skip
        Product.answer = staticmethod(answer)
        with pytest.raises(RuntimeError, match=words):
            torch.vmap(lambda x: Product.apply(x, common))(rows)
    Product.answer = staticmethod(lambda x, y: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        torch.vmap(lambda x: Product.apply(x, common))(rows)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_transformed_function_does_not_write_to_what_it_captured(torch: Any) -> None:
    x, outer = torch.ones(2), torch.zeros(2)
    norm = torch.nn.BatchNorm1d(2)

    def writes_inside(x: Any) -> Any:
        with torch.no_grad():
            return x.sum() + outer[0].fill_(2)

    for function in (
        lambda x: (x * outer.add_(1)).sum(), writes_inside, lambda x: (outer.unsqueeze_(0) * x).sum(),
        lambda x: norm(x.expand(3, 2)).sum(),
    ):  # fmt: skip
        for transform in (torch.func.grad, torch.func.jacrev, torch.func.jacfwd):
            with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
                transform(function)(x)
    for write, name in (
        (lambda: outer.divide_(2), "divide_.Tensor"),
        (lambda: outer.div_(2, rounding_mode="floor"), "div_.Tensor_mode"),
        (lambda: outer.eq_(1), "eq_.Scalar"), (lambda: outer.clamp_(0, 1), "clamp_"), (lambda: outer.exp_(), "exp_"),
        (lambda: outer.masked_fill_(outer > 0, 1.0), "masked_fill_.Scalar"), (lambda: outer.uniform_(), "uniform_"),
        (lambda: outer.__ipow__(2), "pow_.Scalar"), (lambda: outer.lerp_(x, x), "lerp_.Tensor"),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match=rf"\(aten::{name}\)"):
            torch.func.grad(lambda x, write=write: write().sum() * x.sum())(x)
    assert outer.tolist() == [0.0, 0.0]
    kept_alone = torch.func.grad(lambda x: (x.clone().mul_(2) + torch.zeros(2).add_(1)).sum())(x)
    assert kept_alone.tolist() == [2.0, 2.0]
    direction, rows = torch.ones(2), torch.ones(2, 2)
    torch.func.jvp(lambda x: x.mul_(3).sum(), (torch.ones(2),), (direction,))
    torch.func.jvp(lambda x: x.mul_(3).sum(), (rows[0],), (rows[1],))
    assert direction.tolist() == [3.0, 3.0]
    assert rows[1].tolist() == [1.0, 1.0]


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


@pytest.mark.parametrize("size", [2, 5, 9])
def test_a_function_of_samples_is_called_once(torch: Any, size: int, capsys: Any) -> None:
    weight, held = torch.arange(4.0).view(2, 2), {"bias": [torch.ones(2)]}
    model = torch.nn.Linear(2, 2)
    parameters = {name: p.detach() for name, p in model.named_parameters()}
    rows, calls = torch.arange(2.0 * size).view(size, 2).cos(), []

    def counted(function: Any) -> Any:
        return lambda *args: (calls.append(len(calls)), function(*args))[1]

    def loss(given: Any, x: Any) -> Any:
        return torch.nn.functional.mse_loss(torch.func.functional_call(model, given, (x,)), x * 2)

    grad = torch.func.grad
    functions = [
        lambda x: (weight @ x).relu() + held["bias"][0],
        model.eval().requires_grad_(False),
        grad(lambda x: (weight @ x).tanh().sum()),
        lambda x: grad(loss)(parameters, x)["weight"],
        lambda x: x.new_ones(2) * x,
    ]
    for function in functions:
        alone = torch.stack([function(row) for row in rows])
        calls.clear()
        assert torch.allclose(torch.vmap(counted(function))(rows), alone)
        assert len(calls) == 1
        chunks = torch.vmap(counted(function), out_dims=-1, chunk_size=4)(rows)
        assert torch.allclose(chunks, torch.movedim(alone, 0, -1))
        assert len(calls) == 1 + -(-size // 4)
    torch.vmap(lambda x: print((x * 2).sum()) or x)(torch.ones(size, 3))
    assert capsys.readouterr().out == f"BatchedTensor(lvl=1, bdim=0, value=\n    {torch.full((size,), 6.0)}\n)\n"


def test_a_batch_at_once_is_each_sample_alone(torch: Any) -> None:
    rows = torch.tensor([[0.3, -1.2], [2.0, 0.5], [-0.7, 1.1], [1.5, -2.0], [0.9, 0.1]], dtype=torch.float64)
    rows = torch.cat([rows, rows * 1.7])
    weight, places = torch.arange(6.0, dtype=torch.float64).view(2, 3), torch.tensor([1, 0])
    cross_entropy = torch.nn.functional.cross_entropy
    calls: list[Any] = []

    def counted(x: Any) -> Any:
        calls.append(x)
        return (x @ weight).tanh().sum() * torch.arange(2) + x[places]

    functions = [
        counted,
        torch.func.grad(lambda x: (x @ weight).tanh().sum()),
        torch.func.grad(lambda x: x.max() * x.min()),
        torch.func.grad(lambda x: cross_entropy(x, (x > x.sum()).long().sum())),
        torch.func.jacrev(lambda x: x.sin() * x.sum()),
        torch.func.jacfwd(lambda x: x.sin() * x.sum()),
        torch.func.hessian(lambda x: (x**3).sum() * x[0]),
        lambda x: torch.func.jvp(torch.tanh, (x,), (x * 2,))[1],
        lambda x: torch.where((x[0] < 0) & (weight[0, 0] > 0), x.sum(), -x.sum()),
        lambda x: torch.vmap(lambda y: y * x)(x),
        lambda x: torch.logdet(torch.stack([x, x.flip(0)])),
        lambda x: x.clone().mul_(2).cumsum(0),
        lambda x: (x > 0) | (x.long() == 2),
        lambda x: weight,
    ]
    for function in functions:
        together, alone = torch.vmap(function)(rows), [function(x) for x in rows]
        assert together.shape == (10, *alone[0].shape)
        for one, other in zip(together, alone, strict=True):
            torch.testing.assert_close(one, other, equal_nan=True)
    # One by one it is computed for the loop alone.
    assert len(calls) < 10 + 5

    matrices = torch.eye(2).repeat(10, 1, 1)
    matrices[3] = 0
    with pytest.raises(RuntimeError, match=r"linalg.inv: \(Batch element 3\): The diagonal element 1 is zero"):
        torch.vmap(torch.linalg.inv)(matrices)


def test_a_function_that_writes_to_a_batch_goes_through_nests(torch: Any) -> None:
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            a = x.numpy()
            np.exp(a, a)
            return x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_dirty(*inputs)
            ctx.save_for_backward(output)
            ctx.save_for_forward(output)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return Product.apply(g, *ctx.saved_tensors)

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            Exp.apply(x)
            return x, in_dims[0]

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t.mul_(ctx.saved_tensors[0])

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return torch.from_numpy(x.numpy() * y.numpy())

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            return Product.apply(g, y), Product.apply(g, x)

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any, y: Any) -> Any:
            x, y = (t[None] if d is None else t.movedim(d, 0) for t, d in zip((x, y), in_dims, strict=True))
            return Product.apply(x, y), 0

        @staticmethod
        def jvp(ctx: Any, dx: Any, dy: Any) -> Any:
            x, y = ctx.saved_tensors
            return dx * y + x * dy

    def f(x: Any) -> Any:
        return Exp.apply(x.clone())

    def total(x: Any) -> Any:
        return f(x).sum()

    vmap, grad, jvp = torch.vmap, torch.func.grad, torch.func.jvp
    x = torch.tensor([0.5, 1.0], dtype=torch.float64)
    e = x.exp()
    for found, expected in (
        (vmap(f)(x), e),
        (vmap(vmap(f))(x[None]), e[None]),
        (vmap(grad(f))(x), e),
        (grad(lambda x: vmap(f)(x).sum())(x), e),
        (jvp(vmap(f), (x,), (x,))[1], e * x),
        (jvp(grad(total), (x,), (x,))[1], e * x),
        (vmap(lambda x: jvp(lambda x: Product.apply(x, x), (x,), (x,))[1])(x), 2 * x * x),
        (torch.func.jacrev(f)(x), e.diag()),
        (torch.func.hessian(total)(x), e.diag()),
        (vmap(torch.func.jacrev(f))(x[None]), e.diag()[None]),
    ):
        torch.testing.assert_close(found, expected)
        assert not found.requires_grad


def test_what_vmap_refuses_is_not_done(torch: Any) -> None:
    rows, shared = torch.zeros(2, 3), torch.zeros(3)
    for ask, randomness, words in (
        (lambda x: x.normal_(), "error", "randomness error mode"),
        (lambda x: shared.normal_(), "different", "different inplace randomness on an unbatched tensor"),
        (lambda x: torch.bernoulli(x), "same", "same randomness with a batched tensor input"),
        (lambda x: shared.copy_(x), "error", "inplace arithmetic"),
        (
            lambda x: torch.nn.functional.batch_norm(x[None].expand(2, 3), shared, shared, training=True),
            "error",
            "Batch norm got a batched",
        ),
        (lambda x: x.data_ptr(), "error", "doesn't have storage"),
    ):
        with pytest.raises(RuntimeError, match=words):
            torch.vmap(ask, randomness=randomness)(rows)
    with pytest.raises(ValueError, match="can not return a BatchedTensor"):
        torch.vmap(lambda x: x, out_dims=None)(rows)
    with pytest.raises(RuntimeError, match="don't yet support saved tensor hooks"):
        torch.func.grad(lambda x: torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).sum())(shared)
    assert not rows.any()
    assert not shared.any()


@pytest.mark.parametrize("shape", [(3,), (12, 3)])
def test_what_escapes_from_a_vmap_is_no_sample(torch: Any, shape: Any) -> None:
    x = torch.ones(shape, requires_grad=True)
    kept: list[Any] = []
    torch.func.vmap(lambda a: (kept.append(a * 2), a)[1])(x)
    assert kept[0].shape == shape[1:]
    assert not kept[0].requires_grad
    for use in (lambda t: t + 1, lambda t: x * t, lambda t: t.sum(), lambda t: t.sin(), lambda t: t.clone()):
        with pytest.raises(RuntimeError, match="may have escaped from inside a function being vmapped"):
            use(kept[0])


def test_jacobians_are_of_real_numbers_and_of_something(torch: Any) -> None:
    x, z = torch.ones(2), torch.ones(2).to(torch.complex64)
    refused = (
        (lambda a, b: a * b.abs(), (x, z), "all inputs to be real .* at flattened input idx: 1"),
        (lambda a: a * 1j, (x,), "all outputs to be real but received complex tensor"),
        (lambda a: (), (x,), r"to be a function that has non-empty output \(got output = \[\]\)"),
    )
    for take in (torch.func.jacrev, torch.func.jacfwd):
        for function, args, words in refused:
            with pytest.raises(RuntimeError, match=words):
                take(function)(*args)
    with pytest.raises(RuntimeError, match=r"All outputs of f must be floating-point .* dtype torch.int64"):
        torch.func.vjp(lambda a: a.long(), x)


def test_a_tensor_shows_the_transforms_it_is_in(torch: Any) -> None:
    seen = []

    def function(x: Any) -> Any:
        seen.append((repr(x), torch._C._functorch.dlevel(x), torch._C._functorch.maybe_get_bdim(x)))
        return x.sum()

    x = torch.tensor([[1.0, 2.0]])
    func = torch.func
    func.grad(func.grad(function))(x[0, 0])
    func.vmap(function, in_dims=1)(x)
    func.vmap(func.grad(function))(x)
    func.grad(lambda y: func.vmap(function)(y).sum())(x)
    inner = ["GradTrackingTensor(lvl=2, value=", "BatchedTensor(lvl=1, bdim=1, value="]
    assert seen[0] == (
        f"{inner[0]}\n    GradTrackingTensor(lvl=1, value=\n        tensor(1.)\n    )\n)", 2, -1
    )  # fmt: skip
    assert seen[1] == (f"{inner[1]}\n    tensor([[1., 2.]])\n)", 0, 1)
    texts = [text.replace("\n", "").replace("  ", "") for text, *_ in seen[-2:]]
    assert texts == [
        "GradTrackingTensor(lvl=2, value=BatchedTensor(lvl=1, bdim=0, value=tensor([[1., 2.]])))",
        "BatchedTensor(lvl=2, bdim=0, value=GradTrackingTensor(lvl=1, value=tensor([[1., 2.]])))",
    ]


def test_models_are_functions_of_tuples_of_tensors(torch: Any) -> None:
    import importlib

    name = "gradcli" if torch.__name__ == "gradcli" else "torch"
    old = importlib.import_module(f"{name}._functorch.make_functional")
    model, x = torch.nn.Linear(2, 3), torch.ones(2)
    function, parameters = old.make_functional(model, disable_autograd_tracking=True)
    assert torch.equal(function(parameters, x), model(x))
    assert not parameters[0].requires_grad
    norms = [torch.nn.BatchNorm1d(2) for _ in range(3)]
    both, *held = old.combine_state_for_ensemble(norms)
    assert [[y.shape[0] for y in part] for part in held] == [[3, 3], [3, 3, 3]]
    assert both.__class__.__name__ == "FunctionalModuleWithBuffers"
    weights, call, names = old.functional_init(torch.nn.Linear, (3,))(2, 4)
    assert ([w.shape for w in weights], names) == ([(3, 4, 2), (3, 4)], ("weight", "bias"))
    assert call([w[0] for w in weights], (x,)).shape == (4,)
    for wrong, words in ((norms[0], "has buffers"), ([], "at least one model"), ([model, norms[0]], "same class")):
        with pytest.raises(RuntimeError, match=words):
            (old.combine_state_for_ensemble if isinstance(wrong, list) else old.make_functional)(wrong)


def test_a_conjugate_leaves_a_gradient_inside_of_vmap(torch: Any) -> None:
    x = torch.tensor([1 + 2j, 3 - 1j])
    found = torch.func.vmap(torch.func.grad(lambda z: (z.conj() * z).real))(x)
    assert found.tolist() == [2 + 4j, 6 - 2j]


@pytest.mark.parametrize("name", ["irfft", "as_strided_copy", "transposed"])
def test_what_rules_write_to_for_the_first_sample_stays_with_it(torch: Any, name: str) -> None:
    function = {
        "irfft": torch.fft.irfft,
        "as_strided_copy": lambda t: torch.as_strided_copy(t, (2, 2), (1, 2), 0),
        "transposed": lambda t: t.t() * 3,
    }[name]
    x = torch.tensor([[0.5, 0.25, 2.0], [1.0, 1.5, 0.125]])
    along = torch.stack([torch.ones(2, 3), x.cos()])

    def tangent(t: Any) -> Any:
        return torch.func.jvp(function, (x,), (t,))[1]

    alone = torch.stack([tangent(t) for t in along])
    torch.testing.assert_close(torch.vmap(tangent)(along), alone)
    torch.testing.assert_close(torch.vmap(lambda t: (t, tangent(along[1])))(along)[1], alone[1].expand_as(alone))


def test_memory_of_samples_is_read_by_strides_as_that_of_the_first(torch: Any) -> None:
    x = torch.arange(24.0).reshape(4, 6)
    second = [[x[i, 1].item(), x[i, 3].item()] for i in range(4)]

    def read(t: Any) -> Any:
        return t.as_strided((2,), (2,), 1)

    assert torch.vmap(read)(x).tolist() == second
    assert torch.vmap(lambda t: read(t * 1))(x).tolist() == second
    assert torch.vmap(lambda t: t[1:].as_strided((2,), (2,)))(x).tolist() == second
    assert torch.vmap(torch.vmap(lambda t: t.as_strided((2,), (1,), 1)), in_dims=1)(x.reshape(2, 2, 6)).tolist() == [
        [[1, 2], [13, 14]],
        [[7, 8], [19, 20]],
    ]
    # Columns begin one place after each other.
    assert torch.vmap(lambda t: t.as_strided((2,), (6,), 1), in_dims=1)(x).tolist()[:2] == [[1, 7], [2, 8]]
    assert torch.vmap(lambda t: t + t[1:].storage_offset(), in_dims=0)(x)[3, 0] == 19
    # What all samples share is read as it lies.
    assert torch.vmap(lambda t: t[0] + x.as_strided((1,), (1,), 1))(x).tolist() == [[1], [7], [13], [19]]
    of_squares = torch.vmap(torch.func.grad(lambda t: (read(t) ** 2).sum()))(x)
    assert of_squares[:, 1].tolist() == [2, 14, 26, 38]
    assert of_squares[:, 0].count_nonzero() == 0
    for dtype in (torch.float64, torch.complex128):
        z = x.to(dtype)
        assert torch.vmap(lambda t: torch.func.jvp(read, (t,), (t,))[1])(z).tolist() == second
    with pytest.raises(RuntimeError, match=r"range \[3, 9\], but `tensor` can only access .* range \[0, 6\]"):
        torch.vmap(lambda t: t.as_strided((6,), (1,), 3))(x)
    with pytest.raises(RuntimeError, match="as_strided_scatter requires special handling"):
        torch.vmap(lambda t: torch.as_strided_scatter(t, x[0, :2], (2,), (1,)))(x)


def test_what_is_in_a_tree_has_a_path(torch: Any) -> None:
    trees = torch.utils._pytree
    point = namedtuple("point", "x y")
    tree = {"a": [1, (2,)], "b": point(3, {4: 5})}
    found, spec = trees.tree_flatten_with_path(tree)
    assert [trees.keystr(path) for path, _ in found] == ["['a'][0]", "['a'][1][0]", "['b'].x", "['b'].y[4]"]
    assert [trees.key_get(tree, path) for path, _ in found] == [1, 2, 3, 5] == [x for _, x in found]
    assert spec == trees.tree_structure(tree)
    assert trees.tree_map_with_path(lambda path, x, y: (len(path), x + y), [1, [2]], [3, [4]]) == [(1, 4), [(2, 6)]]
    assert spec.flatten_up_to({"b": point([0], {4: 1}), "a": [2, (3,)]}) == [2, 3, [0], 1]
    with pytest.raises(ValueError, match="Node arity mismatch; expected 1, but got 2"):
        trees.tree_map(lambda x, y: x, [1], [1, 2])


@pytest.mark.parametrize(
    ("pattern", "sizes", "shape", "last"),
    [
        ("a b c -> c a b", {}, (4, 2, 3), 23),
        ("(d e) b c -> d (e c) b", {"e": 2}, (1, 8, 3), 23),
        ("a ... -> ... a", {}, (3, 4, 2), 23),
        ("a b c -> (c a) 1 b", {}, (8, 1, 3), 23),
        ("a ... -> (a ...)", {}, (24,), 23),
        ("1 b c -> b c", {}, (3, 4), 34),
    ],
)
def test_axes_are_rearranged_by_a_pattern(torch: Any, pattern: str, sizes: Any, shape: Any, last: float) -> None:
    x = torch.arange(24.0).view(2, 3, 4)
    y = torch.func.rearrange(x, pattern, **sizes)
    assert y.shape == shape
    assert y.flatten()[-1] == last


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("a b c", "Pattern must contain a single '->' separator"),
        ("a b -> b a", r"Number of dimensions in pattern \(2\) must be equal to the number"),
        ("a b c -> a b", r"on both\): {'c'}"),
        ("a a b -> a b", "duplicate dimension 'a'"),
        ("a b c -> ((a b) c)", "one-level"),
        ("a b c -> a (b c", "Imbalanced parentheses"),
        ("_a b c -> b c _a", "should not start or end with underscore"),
    ],
)
def test_patterns_that_name_no_axes_are_refused(torch: Any, pattern: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        torch.func.rearrange(torch.ones(2, 3, 4), pattern)


@pytest.mark.parametrize("hard", [False, True])
def test_each_sample_of_a_batch_has_noise_of_its_own(torch: Any, hard: bool) -> None:
    torch.manual_seed(0)
    rows = torch.arange(6.0).view(2, 3)
    soft = torch.nn.functional.gumbel_softmax
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "There is a performance drop")
        found = torch.vmap(lambda row: soft(row, hard=hard), randomness="different")(rows)
    torch.manual_seed(0)
    assert found.tolist() == soft(rows, hard=hard).tolist()


@pytest.mark.parametrize("n", [2, 17])
def test_samples_draw_their_part_of_what_is_drawn_for_the_batch(torch: Any, n: int) -> None:
    def draws(x: Any) -> Any:
        return x + torch.randn(n), x * torch.rand(n), x + torch.randint(0, 9, (n,)), x.clone().normal_()

    rows = torch.ones(3, n)
    torch.manual_seed(1)
    expected = [rows + torch.randn(3, n), torch.rand(3, n), rows + torch.randint(0, 9, (3, n)), torch.randn(3, n)]
    after = torch.rand(2)
    torch.manual_seed(1)
    found = torch.vmap(draws, randomness="different")(rows)
    assert [x.tolist() for x in found] == [x.tolist() for x in expected]
    assert torch.rand(2).tolist() == after.tolist()
    torch.manual_seed(1)
    inner = torch.vmap(lambda x: x + torch.randn(n), in_dims=1, randomness="different")
    nested = torch.vmap(inner, randomness="different")(torch.zeros(3, n, 2))
    torch.manual_seed(1)
    assert nested.tolist() == torch.randn(3, 2, n).tolist()


@pytest.mark.parametrize("count", [2, 9])
def test_distributions_look_at_what_all_samples_are(torch: Any, count: int) -> None:
    normal = torch.distributions.Normal
    means, x = torch.arange(count * 2.0).reshape(count, 2), torch.ones(2)
    found = torch.vmap(lambda m: normal(m, 2.0).log_prob(x))(means)
    assert torch.allclose(found, normal(means, 2.0).log_prob(x))
    for wrong in (torch.zeros(count), torch.arange(float(count)), torch.arange(float(count)).flip(0)):
        with pytest.raises(ValueError, match=r"Expected parameter scale \(Tensor of shape \(2,\)\) of "):
            torch.vmap(lambda s: normal(0.0, s).log_prob(x))(wrong.view(count, 1).expand(count, 2))
    with pytest.raises(ValueError, match="Expected value argument"):
        torch.vmap(torch.distributions.Exponential(1.0).log_prob)(-means)


def test_what_a_jacobian_takes(torch: Any) -> None:
    x = torch.ones(2)
    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        with pytest.raises(TypeError, match="got an unexpected keyword argument 'k'"):
            jacobian(lambda x, k=1: x * k)(x, k=2)
    with pytest.raises(RuntimeError, match=r"only for real scalar outputs but got torch\.complex64"):
        torch.autograd.functional.jacobian(lambda x: x * 1j, x)


def test_stacked_models_train_alike(torch: Any) -> None:
    models = [torch.nn.Linear(2, 2) for _ in range(2)]
    models[0].weight.requires_grad_(False)
    with pytest.raises(RuntimeError, match=r"Expected weight from each model to have the same \.requires_grad"):
        torch.func.stack_module_state(models)


@pytest.mark.parametrize("name", ["avg_pool1d(x, 2)", "pad(x, (1, 1), mode='reflect')", "conv1d(x, x)"])
def test_slopes_of_gradients_are_not_recorded_where_nothing_outside_is(torch: Any, name: str) -> None:
    def f(x: Any) -> Any:
        return eval(f"F.{name}", {"F": torch.nn.functional, "x": x}).square().sum()

    x = torch.ones(1, 2, 4)
    assert not torch.func.jvp(torch.func.grad(f), (x,), (x,))[1].requires_grad
    assert not torch.func.hessian(f)(x).requires_grad


def test_products_for_many_samples_round_as_that_of_the_batch(torch: Any) -> None:
    draw, vmap = torch.Generator().manual_seed(0), torch.func.vmap
    weight, bias = torch.randn(33, 31, generator=draw), torch.randn(33, generator=draw)
    rows, stacks = torch.randn(64, 31, generator=draw), torch.randn(16, 5, 31, generator=draw)
    linear = torch.nn.functional.linear
    assert torch.equal(vmap(lambda x: linear(x, weight, bias))(rows), linear(rows, weight, bias))
    assert torch.equal(vmap(lambda x: x @ weight.T)(rows), rows @ weight.T)
    assert torch.equal(vmap(lambda x: torch.mv(weight, x))(rows), rows @ weight.T)
    assert torch.equal(vmap(lambda x: torch.mm(x, weight.T))(stacks), stacks @ weight.T)


def test_an_op_by_itself_is_a_function_of_samples_of_samples(torch: Any) -> None:
    x = torch.arange(3.0)
    found = torch.vmap(torch.vmap(torch.add, (None, 0)), (0, None))(x, x)
    assert found.tolist() == (x[:, None] + x).tolist()


def test_a_function_without_vmap_has_no_jacobian_in_forward_mode(torch: Any) -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * 2

    x = torch.ones(2)
    assert torch.func.jvp(Twice.apply, (x,), (x,))[1].tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="does not have vmap support"):
        torch.func.jacfwd(Twice.apply)(x)


@pytest.mark.parametrize(
    ("name", "f", "options", "words"),
    [
        ("hessian", lambda x: x.detach(), {"strict": True}, "Output 0 of the user-provided function does not require"),
        ("jacobian", lambda x: 3, {"vectorize": True, "strategy": "forward-mode"}, "The outputs given to None must be"),
        ("jvp", lambda x: x > 0, {"v": [1.0, 1.0]}, "Only Tensors of floating point and complex dtype can require"),
    ],
)
def test_what_functional_transforms_refuse_first(torch: Any, name: str, f: Any, options: Any, words: str) -> None:
    given = {k: torch.tensor(v) if k == "v" else v for k, v in options.items()}
    with pytest.raises((RuntimeError, TypeError), match=words):
        getattr(torch.autograd.functional, name)(f, torch.ones(2), **given)


def test_samples_require_no_gradient_that_a_graph_outside_leads_to(torch: Any) -> None:
    w, x = torch.ones(3, requires_grad=True), torch.arange(6.0).view(2, 3)
    grad = torch.autograd.grad

    def inside(t: Any) -> Any:
        return torch.func.grad(lambda s: grad((s * s).sum(), s)[0].sum())(t)

    for batch in (x, x.clone().requires_grad_()):
        with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
            torch.vmap(lambda t: grad((w * t).sum(), w)[0])(batch)
    assert torch.vmap(lambda t: grad((w * w).sum(), w)[0] * t)(x).tolist() == (2 * x).tolist()
    assert torch.vmap(lambda t: grad((w * w).sum(), w, t.sum())[0])(x).tolist() == [[6.0] * 3, [24.0] * 3]
    assert torch.vmap(inside)(x).tolist() == [[0.0] * 3] * 2
