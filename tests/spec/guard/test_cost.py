"""What operations cost: nothing large is made before it is counted, and ordinary programs pass."""

from __future__ import annotations

import inspect
import itertools
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gradcli as torch
import gradcli.nn.functional as F
from gradcli import nn
from gradcli.engine import offers
from gradcli.engine.costs import CAREFUL, COSTS, costs
from gradcli.engine.registry import OPS
from gradcli.engine.tensor import Tensor, result
from gradcli.errors import EngineTypeError, LimitError
from gradcli.nn.modules.container import Sequential
from gradcli.spec.guard.cost import SMALL, Budget, estimate, estimate_of_making
from gradcli.spec.guard.costs import estimator_of, indexed
from gradcli.spec.guard.costs.layers import CALLS, MAKERS
from gradcli.spec.guard.limits import RELAXED, STRICT
from gradcli.spec.values.bound_methods import Bound, Unbound
from tests.quick import within
from tests.rings import all_of, all_of_each, sampled

from ...engine.samples import all_samples
from ..running import program

offers.load_all()

PLACES = ("torch", "Tensor", "F", "linalg", "special")
PUBLIC = {f"{place}.{name}": offers.find(place, name) for place in PLACES for name in offers.names(place)}
T = torch.Tensor


class Case:
    """A call, not made yet."""

    def __init__(self, function: Any, *args: Any, **kwargs: Any) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs

    def __str__(self) -> str:
        given = [*map(_shown, self.args), *(f"{k}={_shown(v)}" for k, v in self.kwargs.items())]
        return f"{getattr(self.function, '__name__', None) or type(self.function).__name__}({', '.join(given)})"

    def charge(self, budget: Budget) -> None:
        budget.charge(self.function, self.args, self.kwargs)


def _shown(x: Any) -> str:
    return f"tensor{list(x.shape)}" if isinstance(x, Tensor) else str(x)[:20]


def ones(*size: int) -> Any:
    """A tensor of ones that is held once."""
    return torch.ones(1).expand(*size) if size else torch.ones(())


LINE, COLUMN, ROW = ones(10**5), ones(10**5, 1), ones(1, 10**5)
IMAGE, KERNEL = ones(1, 1, 8, 8), ones(1, 1, 3, 3)
PLACE = torch.zeros(1, dtype=torch.long)
PLACES_OF_MANY = PLACE.expand(10**5)
MATRIX = ones(1000, 1000)

# Every one needs an array of more than 50,000,000 elements, or as many tensors, or ten seconds.
HOSTILE = [
    # new tensors
    Case(torch.zeros, 10**10), Case(torch.ones, 2**31, 2**31), Case(torch.empty, (10**5, 10**5)),
    Case(torch.zeros, size=(10**5, 10**5)), Case(torch.zeros, torch.tensor(10**10)), Case(torch.zeros, 10, 10, 10**7),
    Case(torch.full, (10**10,), 1.0), Case(torch.full, size=(10**10,), fill_value=1.0), Case(torch.rand, 10**5, 10**5),
    Case(torch.randn, [10**5, 10**5]), Case(torch.randint, 5, (10**10,)), Case(torch.randint, 0, 5, (10**10,)),
    Case(torch.randint, high=5, size=(10**10,)), Case(torch.randperm, 10**10), Case(torch.normal, 0.0, 1.0, (10**10,)),
    Case(torch.normal, COLUMN, ROW), Case(torch.linspace, 0, 1, 10**10), Case(torch.linspace, 0, 1, steps=10**10),
    Case(torch.logspace, 0, 1, 10**8), Case(torch.arange, 10**10), Case(torch.arange, end=10**10),
    Case(torch.arange, 0, end=10**10), Case(torch.arange, -(10**12), 0), Case(torch.arange, 0, 1, 1e-12),
    Case(torch.arange, 0, 1, step=1e-12), Case(torch.eye, 10**5), Case(torch.eye, n=10**5), Case(torch.eye, 3, 10**9),
    Case(torch.tril_indices, 10**5, 10**5), Case(torch.triu_indices, 10**5, 1e5),
    Case(torch.empty_strided, (2, 2), (10**10, 1)), Case(T.new_zeros, LINE, 10**10), Case(T.new_ones, LINE, (10**10,)),
    Case(T.new_full, LINE, (10**10,), 1.0), Case(T.new_empty_strided, LINE, (2, 2), (10**10, 1)),
    Case(T.new, LINE, 10**10), Case(torch.FloatTensor, 10**10), Case(torch.Tensor, 10**5, 10**5),
    Case(torch.zeros_like, ones(10**9)), Case(torch.autograd.functional.hessian, torch.sum, LINE),
    # repeated, joined, spread
    Case(T.expand, ones(1), 10**10), Case(T.expand, ones(1, 1), (10**6, 10**6)), Case(T.expand, ones(1), size=(10**9,)),
    Case(T.expand, ones(10**6), 10**3, -1), Case(torch.broadcast_to, ones(1), (10**10,)),
    Case(torch.broadcast_tensors, COLUMN, ROW), Case(torch.broadcast_tensors, [COLUMN, ROW]),
    Case(T.repeat, ones(10), 10**6, 10**6), Case(T.repeat, ones(10), repeats=(10**6, 10**6)),
    Case(torch.tile, ones(10), (10**10,)), Case(T.tile, ones(10), 10**10),
    Case(torch.repeat_interleave, LINE, 10**6), Case(torch.repeat_interleave, torch.tensor([10**10])),
    Case(torch.repeat_interleave, ones(1), torch.tensor([10**10])), Case(torch.cat, [MATRIX] * 100),
    Case(torch.cat, tensors=[MATRIX] * 100), Case(torch.stack, [LINE] * 1000), Case(torch.hstack, [MATRIX] * 100),
    Case(torch.vstack, [MATRIX] * 100), Case(torch.column_stack, [MATRIX] * 100),
    Case(torch.block_diag, *[MATRIX] * 10), Case(torch.cartesian_prod, LINE, LINE), Case(torch.meshgrid, LINE, LINE),
    Case(torch.meshgrid, [LINE, LINE]), Case(torch.meshgrid, *[ones(10)] * 12), Case(torch.combinations, LINE),
    Case(torch.combinations, ones(30), 20), Case(torch.combinations, ones(3), 10**9), Case(torch.diag, LINE),
    Case(torch.diag, ones(1), 10**6), Case(torch.diagflat, LINE), Case(torch.diag_embed, LINE),
    Case(torch.diag_embed, ones(2), 10**6), Case(torch.linalg.vander, LINE),
    Case(torch.linalg.vander, ones(2), N=10**9),
    Case(F.pad, ones(3), (10**10, 0)), Case(F.pad, ones(*[1] * 20), (2,) * 40), Case(F.pad, IMAGE, (10**4,) * 4),
    Case(T.unfold, LINE, 0, 5 * 10**4, 1), Case(torch.as_strided, ones(1), (10**6, 10**6), (0, 0)),
    # taken apart
    Case(torch.unbind, ones(10**6)), Case(torch.split, ones(10**6), 1), Case(torch.chunk, ones(10**6), 10**6),
    Case(torch.tensor_split, ones(3), 10**9), Case(torch.split, ones(3), [1] * 200_000),
    # products
    Case(torch.matmul, COLUMN, ROW), Case(torch.mm, COLUMN, ROW), Case(torch.mm, input=COLUMN, mat2=ROW),
    Case(torch.bmm, ones(100, 1000, 1), ones(100, 1, 1000)), Case(torch.addmm, ones(1), COLUMN, ROW),
    Case(torch.addbmm, ones(1), ones(100, 1000, 1), ones(100, 1, 1000)), Case(torch.addr, ones(1, 1), LINE, LINE),
    Case(torch.matmul, ones(5000, 1, 5, 5), ones(5000, 5, 5)), Case(torch.matmul, ones(6000, 6000), ones(6000, 6000)),
    Case(F.linear, COLUMN, COLUMN), Case(F.bilinear, ones(1000, 1), ones(1000, 1), ones(1000, 1, 1000)),
    Case(torch.outer, LINE, LINE), Case(torch.ger, LINE, LINE), Case(torch.kron, MATRIX, MATRIX),
    Case(torch.inner, COLUMN, COLUMN), Case(torch.tensordot, LINE, LINE, 0), Case(torch.tensordot, LINE, LINE, dims=0),
    Case(torch.tensordot, LINE, LINE, dims=([], [])), Case(torch.cdist, ones(10**5, 2), ones(10**5, 2)),
    Case(torch.cdist, ones(3000, 100), ones(3000, 100), 1.0), Case(torch.linalg.multi_dot, [COLUMN, ROW]),
    Case(torch.chain_matmul, COLUMN, ROW), Case(torch.einsum, "i,j,k,l->ijkl", *[ones(1000)] * 4),
    Case(torch.einsum, "abc,cde,eaf->bdf", *[ones(200, 200, 200)] * 3), Case(torch.einsum, "i,j", LINE, LINE),
    Case(torch.einsum, "i,j->ij", [LINE, LINE]), Case(torch.einsum, LINE, [0], LINE, [1], [0, 1]),
    Case(torch.einsum, "...i,...j->...ij", LINE, LINE), Case(torch.einsum, "ij,jk->ik", *[ones(6000, 6000)] * 2),
    Case(F.scaled_dot_product_attention, *[ones(1, 10**5, 1)] * 3),
    # windows
    Case(F.conv1d, ones(1, 1, 10**5), ones(10**4, 1, 1)), Case(F.conv2d, IMAGE, KERNEL, padding=10**5),
    Case(F.conv2d, IMAGE, KERNEL, None, 1, 10**5), Case(F.conv2d, ones(1, 1, 3000, 3000), ones(1, 1, 1000, 1000)),
    Case(F.conv3d, ones(1, 1, 2, 2, 2), ones(1, 1, 1, 1, 1), padding=500),
    Case(F.conv_transpose2d, IMAGE, KERNEL, stride=10**5), Case(F.conv_transpose2d, IMAGE, KERNEL, None, 10**4),
    Case(F.unfold, ones(1, 1, 300, 300), 100), Case(F.unfold, IMAGE, 3, padding=10**5),
    Case(F.fold, ones(1, 9, 1), 10**5, 3), Case(F.max_pool2d, IMAGE, 2 * 10**5, 1, 10**5),
    Case(F.avg_pool2d, IMAGE, 2 * 10**5, 1, 10**5), Case(F.avg_pool1d, ones(1, 1, 8), 10**9, 1, 10**9 // 2),
    Case(F.adaptive_avg_pool1d, ones(1, 1, 8), 10**10), Case(F.adaptive_avg_pool2d, IMAGE, 10**5),
    Case(F.adaptive_avg_pool2d, IMAGE, (10**5, 10**5)), Case(F.adaptive_max_pool2d, IMAGE, 10**5),
    Case(F.interpolate, IMAGE, size=10**5), Case(F.interpolate, IMAGE, (10**5, 10**5)),
    Case(F.interpolate, IMAGE, scale_factor=1e5), Case(F.interpolate, IMAGE, scale_factor=(1e5, 1e5)),
    # places
    Case(F.one_hot, torch.tensor([10**10])), Case(F.one_hot, PLACES_OF_MANY, 10**6),
    Case(F.one_hot, PLACES_OF_MANY, num_classes=10**6), Case(torch.bincount, torch.tensor([10**10])),
    Case(torch.bincount, torch.tensor([1]), minlength=10**10), Case(torch.histc, LINE, 10**10),
    Case(F.embedding, PLACES_OF_MANY, ones(2, 1000)), Case(torch.embedding, ones(2, 1000), PLACES_OF_MANY),
    Case(torch.index_select, ones(1, 1000), 0, PLACES_OF_MANY), Case(torch.gather, ones(1), 0, PLACE.expand(10**9)),
    Case(torch.take, ones(1), PLACE.expand(10**9)), Case(torch.multinomial, ones(1000), 10**10, True),
    Case(torch.mvlgamma, LINE, 10**5), Case(torch.sort, ones(10**9)), Case(torch.where, COLUMN > 0, ROW, 0.0),
    # systems of equations
    Case(torch.linalg.svd, COLUMN), Case(torch.linalg.qr, COLUMN, "complete"), Case(torch.svd, COLUMN, some=False),
    Case(torch.linalg.svd, ones(6000, 6000)), Case(torch.linalg.inv, ones(6000, 6000)),
    Case(torch.linalg.solve, ones(6000, 6000), ones(6000, 1)), Case(torch.matrix_exp, ones(3000, 3000)),
    Case(torch.matrix_power, ones(1000, 1000), 2**60), Case(torch.norm, ones(6000, 6000), "nuc"),
    Case(torch.linalg.lstsq, ROW, ROW), Case(torch.linalg.pinv, MATRIX, rtol=ones(1000)),
    # two operands by name
    Case(torch.add, COLUMN, ROW), Case(torch.maximum, COLUMN, ROW), Case(torch.lerp, COLUMN, ROW, 0.5),
    Case(F.mse_loss, COLUMN, ROW), Case(F.binary_cross_entropy, input=COLUMN, target=ROW),
    Case(F.cosine_similarity, ones(10**5, 1, 1), ones(1, 10**5, 1)), Case(T.mul, COLUMN, ROW),
    Case(T.add_, COLUMN, ROW), Case(torch.cumulative_trapezoid, ones(10**5, 2), ones(1, 10**5)),
    # layers
    Case(nn.Linear, 10**6, 10**6), Case(nn.Linear, in_features=10**6, out_features=10**6),
    Case(nn.Linear, torch.tensor(10**6), 10**6), Case(nn.Bilinear, 10**3, 10**3, 10**3),
    Case(nn.Embedding, 10**9, 10), Case(nn.Embedding, 10**9, embedding_dim=10), Case(nn.Conv1d, 10**5, 10**5, 1),
    Case(nn.Conv2d, 10**4, 10**4, 3), Case(nn.Conv2d, 3, 3, 10**5), Case(nn.Conv2d, 3, 3, kernel_size=(10**5, 10**5)),
    Case(nn.Conv3d, 2, 2, 10**4), Case(nn.ConvTranspose2d, 10**4, 10**4, 3), Case(nn.LSTM, 10**5, 10**5),
    Case(nn.LSTM, input_size=10**5, hidden_size=10**5), Case(nn.RNN, 2, 2, 10**7), Case(nn.RNN, 2, 2, num_layers=10**7),
    Case(nn.GRU, 10**4, 10**4), Case(nn.GRUCell, 10**5, 10**5), Case(nn.LayerNorm, (10**5, 10**5)),
    Case(nn.LayerNorm, 10**10), Case(nn.RMSNorm, 10**10), Case(nn.BatchNorm2d, 10**10), Case(nn.GroupNorm, 1, 10**10),
    Case(nn.InstanceNorm1d, 10**10, affine=True), Case(nn.PReLU, 10**10), Case(nn.MultiheadAttention, 10**5, 1),
    # calls of layers
    Case(nn.Linear(1, 10**5), COLUMN), Case(nn.Bilinear(1, 1, 10**4), COLUMN, COLUMN),
    Case(nn.Embedding(2, 1000), PLACES_OF_MANY), Case(nn.Conv2d(1, 1, 3, padding=10**5), IMAGE),
    Case(nn.Conv2d(1, 1, 3, padding=10**5, padding_mode="replicate"), IMAGE),
    Case(nn.ConvTranspose2d(1, 1, 3, stride=10**5), IMAGE), Case(nn.Upsample(scale_factor=10**5), IMAGE),
    Case(nn.UpsamplingNearest2d(scale_factor=10**5), IMAGE), Case(nn.ZeroPad2d(10**5), IMAGE),
    Case(nn.ConstantPad1d(10**10, 0.0), ones(1, 1, 3)), Case(nn.AdaptiveAvgPool2d(10**5), IMAGE),
    Case(nn.MaxPool2d(2 * 10**5, 1, 10**5), IMAGE), Case(nn.Unfold(3, padding=10**5), IMAGE),
    Case(nn.Fold(10**5, 3), ones(1, 9, 1)), Case(nn.MSELoss(), COLUMN, ROW),
    Case(nn.MultiheadAttention(1, 1), *[COLUMN] * 3), Case(nn.LSTM(1, 1000), ones(10**5, 1, 1)),
    Case(nn.LSTMCell(1, 1000), COLUMN), Case(nn.ReLU(), ones(10**9)),
    # methods as values
    Case(Bound(ones(10), "repeat", T.repeat), 10**6, 10**6),
    Case(Unbound(T, "repeat", T.repeat), ones(10), 10**6, 10**6),
    Case(Bound(nn.Linear(1, 10**5), "forward", nn.Linear.forward), COLUMN), Case(nn.Linear(1, 10**5).forward, COLUMN),
    Case(nn.Linear(1, 1).__init__, 10**6, 10**6),
]  # fmt: skip


@all_of(HOSTILE)
def test_what_is_too_large_is_refused_before_anything_is_made(case: Case) -> None:
    estimate(torch.eye, (2,), {})  # the estimators are read once
    budget = Budget(STRICT)
    tracemalloc.start()
    with within(10), pytest.raises(LimitError) as found:
        case.charge(budget)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.value.code == "E408"
    assert most < 10_000_000


def test_what_is_refused_says_how_large_it_is() -> None:
    budget = Budget(STRICT)
    messages = {
        Case(torch.zeros, 10**10): "this needs an array of 10,000,000,000 elements; the limit is 50,000,000",
        Case(nn.Linear, 10**6, 10**6): "this needs an array of 1,000,000,000,000 elements; the limit is 50,000,000",
        Case(torch.matmul, ones(6000, 6000), ones(6000, 6000)): (
            "this needs about 27,000,000,000 elementary operations; the limit is 10,000,000,000"
        ),
        Case(torch.unbind, ones(10**6)): "this makes 1,000,000 objects of one tensor; the limit is 100,000",
    }
    for case, message in messages.items():
        with pytest.raises(LimitError) as found:
            case.charge(budget)
        assert str(found.value) == message


ORDINARY = [
    Case(torch.matmul, ones(60_000, 784), ones(784, 128)), Case(F.linear, ones(60_000, 784), ones(128, 784)),
    Case(nn.Linear(784, 128), ones(60_000, 784)), Case(F.conv2d, ones(64, 3, 32, 32), ones(64, 3, 3, 3)),
    Case(nn.Conv2d(3, 64, 3, padding=1), ones(64, 3, 32, 32)), Case(nn.Conv2d(64, 64, 3), ones(16, 64, 32, 32)),
    Case(F.scaled_dot_product_attention, *[ones(8, 128, 64)] * 3), Case(torch.sort, ones(10**6)),
    Case(nn.MultiheadAttention(64, 8), *[ones(128, 8, 64)] * 3), Case(torch.zeros, 1000, 1000),
    Case(torch.ones, 10**7), Case(torch.randn, 1000, 1000), Case(torch.arange, 10**6), Case(torch.arange, 0, 1, 0.001),
    Case(torch.eye, 1000), Case(nn.Linear, 4096, 4096), Case(nn.Embedding, 30_000, 300), Case(nn.LSTM, 128, 256, 2),
    Case(nn.LSTM(32, 64), ones(100, 16, 32)), Case(torch.cdist, ones(1000, 3), ones(1000, 3)),
    Case(torch.einsum, "bij,bjk->bik", ones(32, 128, 64), ones(32, 64, 128)), Case(torch.linalg.svd, ones(500, 500)),
    Case(torch.einsum, "bhid,bhjd->bhij", ones(8, 8, 128, 64), ones(8, 8, 128, 64)),
    Case(torch.linalg.inv, ones(1000, 1000)), Case(torch.kron, ones(50, 50), ones(50, 50)),
    Case(F.one_hot, PLACES_OF_MANY, 10), Case(F.embedding, PLACES_OF_MANY, ones(1000, 64)),
    Case(torch.cat, [ones(1000, 100)] * 100), Case(torch.stack, [ones(100)] * 5000),
    Case(F.max_pool2d, ones(64, 64, 32, 32), 2),
    Case(F.interpolate, ones(8, 3, 64, 64), scale_factor=2.0), Case(torch.meshgrid, ones(500), ones(500)),
    Case(F.unfold, ones(8, 3, 32, 32), 3), Case(torch.combinations, ones(100)), Case(torch.unbind, ones(10_000, 5)),
    Case(F.cross_entropy, ones(1000, 1000), PLACE.expand(1000)),
    Case(T.masked_fill, ones(1000, 1000), ones(1000, 1000) > 0, -1e9), Case(torch.roll, ones(1000, 1000), 10**9),
    Case(F.layer_norm, ones(1000, 1000), (1000,)), Case(torch.bincount, PLACES_OF_MANY), Case(torch.histc, LINE),
    Case(torch.autograd.functional.hessian, torch.sum, ones(1000)), Case(torch.bucketize, COLUMN, ones(1000)),
    Case(torch.tensor, [[1.0] * 100] * 100), Case(torch.clamp, LINE, 0, 10**12),
    Case(print, 10**12), Case(range, 10**12),
]  # fmt: skip


@all_of(ORDINARY)
def test_what_ordinary_programs_do_passes(case: Case) -> None:
    case.charge(Budget(STRICT))


def test_relaxed_limits_allow_more() -> None:
    for case in (Case(torch.zeros, 10**8), Case(torch.matmul, ones(6000, 6000), ones(6000, 6000))):
        with pytest.raises(LimitError):
            case.charge(Budget(STRICT))
        case.charge(Budget(RELAXED))


WRONG = [
    Case(torch.zeros, -1), Case(torch.zeros, -(10**9), 10**9), Case(torch.zeros, 1.5), Case(torch.zeros, "3"),
    Case(torch.zeros), Case(torch.arange, 0, 10, 0), Case(torch.arange, 10**9, 0), Case(torch.arange, 0, float("inf")),
    Case(torch.arange, 0, float("nan")), Case(torch.arange, "a"), Case(torch.linspace, 0, 1), Case(torch.eye, "a"),
    Case(torch.ones, None), Case(T.expand, ones(3), -1, -2, -3), Case(T.repeat, ones(3), "a"), Case(torch.cat, 5),
    Case(torch.cat, [5, ones(3)]), Case(torch.stack, None), Case(torch.einsum, "ij", ones(3)), Case(torch.einsum),
    Case(torch.einsum, 5, 6), Case(torch.einsum, "i->ijk", ones(3)), Case(torch.matmul, ones(3), 5),
    Case(torch.matmul, ones(), ones()), Case(torch.matmul, ones(10**5, 3), ones(5, 10**5)),
    Case(F.conv2d, ones(3), ones(3)),
    Case(F.conv2d, IMAGE, KERNEL, padding="x"), Case(F.conv2d, IMAGE, KERNEL, stride=0), Case(F.pad, ones(3), "a"),
    Case(F.pad, ones(3), (1, 2, 3, 4, 5)), Case(F.one_hot, ones(3)), Case(F.interpolate, IMAGE),
    Case(F.interpolate, IMAGE, scale_factor=float("nan")), Case(F.interpolate, IMAGE, scale_factor=float("inf")),
    Case(torch.unbind, ones()), Case(torch.split, ones(10**5, 2), 0), Case(torch.combinations, ones(3), -5),
    Case(torch.index_select, ones(3), 7, PLACE), Case(torch.linalg.svd, ones(3)), Case(nn.Linear, -1, 10**9),
    Case(nn.Linear, "a", 10**9), Case(nn.Linear, 10**9), Case(nn.Conv2d, 1, 1, 3, groups=0), Case(nn.LSTM, 1, None),
    Case(nn.Conv2d(1, 1, 3), ones(3)), Case(nn.Linear(2, 2), "x"), Case(nn.LSTM(2, 2)),
    Case(torch.tensordot, LINE, LINE, 5),
    Case(torch.tensordot, LINE, LINE, ([7], [0])), Case(torch.cdist, ones(3), ones(3)), Case(torch.kron, 3, ones(3)),
    Case(torch.repeat_interleave, ones(3), "a"), Case(torch.repeat_interleave, ones(3), -5),
    Case(torch.multinomial, 3, 4), Case(torch.meshgrid), Case(torch.meshgrid, 5), Case(torch.diag, "x"),
    Case(torch.broadcast_tensors, ones(2), ones(3)),
]  # fmt: skip


@all_of(WRONG)
def test_what_is_wrong_is_left_to_the_engine_to_refuse(case: Case) -> None:
    case.charge(Budget(STRICT))


def test_the_work_of_many_calls_adds_up() -> None:
    budget = Budget(STRICT.replace(seconds=0.001))
    for _ in range(5):
        Case(torch.exp, ones(200_000)).charge(budget)
    assert budget.left == 0
    with pytest.raises(LimitError, match=r"^the program needs more than 1,000,000 elementary operations in all$"):
        Case(torch.exp, ones(200_000)).charge(budget)


def test_small_calls_are_free() -> None:
    budget = Budget(STRICT)
    x = torch.ones(8, 16)
    for case in (
        Case(torch.exp, x),
        Case(F.linear, x, x),
        Case(torch.zeros, 3, 4),
        Case(torch.eye, 3),
        Case(F.relu, x),
    ):
        case.charge(budget)
    budget.charge_binary(x, x)
    budget.charge_matmul(x, x)
    budget.charge_index(x, (0, slice(None)))
    assert budget.left == STRICT.work


# -- operators and indices ---------------------------------------------------------------------------


def test_operators_are_counted_by_what_they_broadcast_to() -> None:
    budget = Budget(STRICT)
    budget.charge_binary(ones(5000, 1), ones(1, 5000))
    assert budget.left == STRICT.work - 25_000_000
    for a, b in ((COLUMN, ROW), (COLUMN.numpy(), ROW), (COLUMN.numpy(), ROW.numpy()), (ones(10**9), ones())):
        with pytest.raises(LimitError, match=r"^this needs an array of 1"):
            budget.charge_binary(a, b)
    with pytest.raises(LimitError):
        budget.charge_matmul(COLUMN, ROW)
    budget.charge_matmul(ones(10**5, 3), ones(5, 10**5))


INDICES = [
    torch.tensor([2, 0, 1]), torch.tensor([[0, 1], [1, 0]]), torch.tensor([True, False, True]), slice(0, 1),
    slice(None), None, Ellipsis, 0, -1, [0, 1], [True, False, True], True, torch.tensor(2),
    torch.tensor([[True, False, True]] * 3),
]  # fmt: skip


def test_an_index_is_counted_by_what_it_picks() -> None:
    for x in (torch.arange(3.0), torch.ones(3, 3), torch.ones(2, 3, 4), torch.ones(2, 3, 3, 3)):
        for index in itertools.chain(INDICES, *(itertools.product(INDICES, repeat=k) for k in (2, 3))):
            try:
                picked = x[index]
            except Exception:
                continue
            counted = indexed(x, index).elements
            assert picked.numel() <= counted <= max(picked.numel(), 1), (x.shape, index)


def test_an_index_that_picks_too_much_is_refused() -> None:
    budget = Budget(STRICT)
    for x, index in (
        (ones(1, 1000), PLACES_OF_MANY), (ones(1, 1000), [0] * 100_000), (ones(2, 1000), (PLACES_OF_MANY, slice(None))),
        (ones(10**4, 10**4), (slice(None), PLACES_OF_MANY)), (ones(2, 2), (COLUMN.long(), ROW.long())),
    ):  # fmt: skip
        with pytest.raises(LimitError, match=r"elements; the limit is 50,000,000$"):
            budget.charge_index(x, index)
    budget.charge_index(ones(10**6), 5)
    budget.charge_index([1, 2], PLACES_OF_MANY)
    budget.charge_index(ones(10**6), "x")


# -- layers that the program does not call itself -----------------------------------------------------


def test_a_sequential_tells_what_it_calls() -> None:
    budget = Budget(STRICT)
    net = nn.Sequential(nn.Linear(1, 10), nn.ReLU(), nn.Sequential(nn.Linear(10, 10**5)))
    try:
        Case(net, torch.ones(10, 1)).charge(budget)
        net(torch.ones(10, 1))
        with pytest.raises(LimitError, match=r"^this needs an array of 100,000,000 elements"):
            net(torch.ones(1000, 1))
    finally:
        budget.close()
    assert Sequential.told is None


def test_a_class_of_the_program_is_charged_for_the_layer_it_derives_from() -> None:
    class Wide(nn.Linear):
        pass

    class Own(nn.Module):
        def forward(self, a: Any, b: Any) -> Any:
            return a

    budget = Budget(STRICT)
    with pytest.raises(LimitError):
        Case(Wide, 10**6, 10**6).charge(budget)
    with pytest.raises(LimitError):
        Case(Wide(1, 10**5), COLUMN).charge(budget)
    Case(Own(), COLUMN, ROW).charge(budget)


def test_what_a_program_hangs_on_a_function_says_nothing_of_its_cost() -> None:
    text = (
        "class Op:\n    parameters = ('bias', 'out_features', 'in_features')\n    positional = 3\n"
        "def begin(self, *args, **kwargs):\n    nn.Module.__init__(self)\nbegin.op = Op()\n"
        "class M(nn.Linear):\n    __init__ = begin\n"
    )
    with pytest.raises(LimitError):
        program(f"{text}M(10**6, out_features=10**6)", limits=STRICT).run()


# -- every function that is offered ---------------------------------------------------------------------


def test_costs_are_declared_by_functions_that_programs_call() -> None:
    declared = {f.__name__ for f in PUBLIC.values() if hasattr(f, "__name__")}
    declared |= {"Tensor", "hessian", "pad_packed_sequence", "pad_sequence"}
    assert COSTS.keys() <= declared
    assert {*MAKERS, *CALLS} <= {*dir(nn)}


@all_of(sorted(COSTS))
def test_a_declared_cost_has_its_estimator(name: str) -> None:
    assert callable(estimator_of(name))


def test_a_name_has_one_cost() -> None:
    with pytest.raises(TypeError, match="two costs of matmul are declared"):
        costs("solving.svd")(torch.matmul)
    assert COSTS["matmul"].estimator == "multiplying.matmul"


def test_estimators_take_what_their_functions_take() -> None:
    for place, function in PUBLIC.items():
        estimator = estimator_of(getattr(function, "__name__", ""))
        if estimator is None or isinstance(function, type) or place.endswith("pace"):
            continue
        op = getattr(function, "op", None)
        theirs = inspect.signature(op.forward if op else function).parameters.values()
        ours = inspect.signature(estimator).parameters.values()
        if any(p.kind == p.VAR_POSITIONAL for p in ours):
            continue
        places = [sum(p.kind == p.POSITIONAL_OR_KEYWORD for p in side) for side in (ours, theirs)]
        assert places[0] >= places[1], place


def _elements(y: Any) -> Iterator[int]:
    if isinstance(y, Tensor):
        yield int(np.size(y._a))
    elif isinstance(y, (tuple, list)):
        for part in y:
            yield from _elements(part)


def _most(y: Any) -> int:
    return max(_elements(y), default=0)


def _given(values: Any) -> int:
    """How many numbers there are among some arguments."""
    if isinstance(values, (tuple, list)):
        return sum(map(_given, values))
    return int(values.numel()) if isinstance(values, Tensor) else 1


SAMPLES = all_samples()
SAMPLED = [
    (name, i) for name in sorted(SAMPLES) for i in range(len(SAMPLES[name]))
    if any(f is OPS[name].call for f in PUBLIC.values())
]  # fmt: skip


def _tensors(v: Any) -> Any:
    if isinstance(v, (np.ndarray, np.generic)):
        return result(v)
    return [_tensors(x) for x in v] if isinstance(v, list) else v


@sampled(4, each="name")
@all_of_each(SAMPLED)
def test_no_sample_makes_more_than_was_counted(name: str, index: int) -> None:
    op, sample = OPS[name], SAMPLES[name][index]
    function = next(f for f in PUBLIC.values() if getattr(f, "op", None) is op)
    given = dict(zip(op.parameters, map(_tensors, sample.args), strict=False))
    given |= {k: _tensors(v) for k, v in sample.kwargs.items()}
    places = 2 if op.kind == "elementwise" else op.positional
    args = tuple([given.pop(k) for k in op.parameters[:places] if k in given])
    counted = estimate(function, args, given)
    assert _most(function(*args, **given)) <= max(counted.elements, _given(args), 1)


def _arguments() -> tuple[list[Any], list[Any]]:
    """Values of every kind, and fewer for the arguments behind the first two."""
    line, square, cube = (
        torch.arange(3.0) + 1,
        torch.eye(3) + torch.arange(9.0).reshape(3, 3) * 0.1,
        torch.ones(2, 3, 4),
    )
    images, signals = torch.ones(2, 3, 6, 6), torch.ones(2, 3, 6)
    places = torch.tensor([2, 0, 1])
    many = [
        line, square, cube, images, signals, places, torch.ones(4, 3, 2, 2), torch.ones(4, 3, 2), torch.tensor(2),
        torch.ones(5, 1), torch.ones(1, 7), torch.tensor([True, False, True]), torch.ones(7, 2),
        torch.tensor([[0, 1], [1, 0]]), 5, -2, 0, 2.5, (5, 5), (7,), [line, line], [square, square], None, True,
        "ij,jk->ik", (3, 3, 3, 3),
    ]  # fmt: skip
    return many, [line, square, 5, 0, (5, 5), 2]


# Where the engine takes a list of numbers for one number.
LENIENT = {"nan_to_num", "leaky_relu", "softplus", "zeta", "pinv", "pinverse", "add", "mul", "multiply"}
RANDOM = {"manual_seed", "seed", "set_rng_state", "set_printoptions"}


def _calls(function: Callable[..., Any]) -> Iterator[tuple[Any, ...]]:
    many, few = _arguments()
    yield from itertools.product(many)
    yield from itertools.product(many, repeat=2)
    yield from itertools.product(many[:6], few, few)
    yield from itertools.product(many[3:5], few[2:], few[2:], few[2:])


# Each function once, wherever it is offered.
FUNCTIONS = {id(f): p for p, f in PUBLIC.items() if callable(f) and "__" not in p}.values()


@pytest.mark.parametrize("place", [p for p in FUNCTIONS if p.split(".")[1] not in RANDOM | LENIENT])
@sampled(4)
def test_nothing_makes_more_than_was_counted(place: str) -> None:
    function = PUBLIC[place]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for args in _calls(function):
            if not isinstance(args[0], Tensor) and place.startswith(("Tensor.", "torch.argwhere", "torch.nonzero")):
                continue
            copies = tuple(a.clone() if isinstance(a, Tensor) else a for a in args)
            try:
                y = function(*copies)
            except Exception:
                continue
            making = isinstance(function, type)
            counted = estimate_of_making(function, args, {}) if making else estimate(function, args, {})
            most = _most(y)
            assert most <= max(_given(args), counted.elements if counted else 0), args
            parts = len(y) if isinstance(y, (tuple, list)) else 1
            assert parts <= max(6, counted.tensors + 1 if counted else 0), args


def test_wrong_arguments_reach_the_engine() -> None:
    Budget(STRICT).charge(torch.zeros, ("3",), {})
    with pytest.raises(EngineTypeError):
        torch.zeros("3")


def test_the_bound_of_what_is_free_is_one() -> None:
    # Whatever is not looked at is small, though sizes be squared or cubed.
    assert all(bound**2 <= SMALL or bound == SMALL for bound in CAREFUL.values())
