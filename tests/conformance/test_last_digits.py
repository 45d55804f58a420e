"""Sums, fused arithmetic and optimisers against PyTorch, bit for bit wherever PyTorch is the same on all processors."""

import numpy as np
import pytest

import gradcli

torch = pytest.importorskip("torch")

# Units of the last place in which PyTorch itself differs from processor to processor, after twelve steps.
UNITS = {"RMSprop": 4, "Adagrad": 4}

OPTIMISERS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3}),
    ("Adam", {"betas": (0.4, 0.9), "weight_decay": 0.1}),
    ("Adam", {"amsgrad": True}),
    ("AdamW", {}),
    ("Adamax", {}),
    ("NAdam", {}),
    ("RAdam", {}),
    ("RMSprop", {"centered": True, "momentum": 0.9}),
    ("Adagrad", {"lr_decay": 0.1}),
    ("Adadelta", {}),
    ("ASGD", {"t0": 3}),
]


def both(a):
    return torch.from_numpy(np.array(a)), gradcli.tensor(a)


def same(ours, theirs):
    return np.array_equal(ours.detach().numpy(), theirs.detach().numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_and_means(dtype):
    for n in (5, 9, 31, 64, 200, 1000, 5000):
        theirs, ours = both(np.random.default_rng(n).standard_normal(n).astype(dtype))
        assert same(ours.sum(), theirs.sum())
        assert same(ours.mean(), theirs.mean())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dims", [(0, 2, 3), (0, 2), (1, 3), (-1, 0)])
@pytest.mark.parametrize("shape", [(4, 3, 8, 8), (2, 8, 5, 5), (3, 1, 40, 7), (1, 6, 33, 1)])
def test_sums_over_axes_with_others_between(shape, dims, dtype):
    theirs, ours = both(np.random.default_rng(0).standard_normal(shape).astype(dtype))
    assert same(ours.sum(dims), theirs.sum(dims))
    assert same(ours.mean(dims, keepdim=True), theirs.mean(dims, keepdim=True))


@pytest.mark.parametrize("shape", [(7,), (2, 300), (3, 5, 7)])
def test_spreads_of_all_elements(shape):
    theirs, ours = both(np.random.default_rng(0).standard_normal(shape).astype("float32"))
    for name in ("std", "var"):
        assert same(getattr(ours, name)(), getattr(theirs, name)())
        assert same(getattr(ours, name)(unbiased=False), getattr(theirs, name)(unbiased=False))
    for mine, other in zip(gradcli.std_mean(ours), torch.std_mean(theirs), strict=True):
        assert same(mine, other)


@pytest.mark.parametrize("dim", [0, 1])
def test_running_sums_back_and_forth(dim):
    theirs, ours = both(np.random.default_rng(0).standard_normal((32, 70)).astype("float32"))
    for x in (theirs, ours):
        x.requires_grad_()
        (x.cumsum(dim) * x.detach()).sum().backward()
    assert same(ours.grad, theirs.grad)
    assert same(ours[:, :7].logcumsumexp(dim), theirs[:, :7].logcumsumexp(dim))


@pytest.mark.parametrize("size", [1, 2, 4, 8, (2, 4)])
def test_means_of_stretches_that_are_alike(size):
    theirs, ours = both(np.random.default_rng(0).standard_normal((2, 3, 8, 8)).astype("float32"))
    pool, pool_of = torch.nn.functional.adaptive_avg_pool2d, gradcli.nn.functional.adaptive_avg_pool2d
    assert same(pool_of(ours, size), pool(theirs, size))


def test_fused_arithmetic():
    x, y, z = np.random.default_rng(0).standard_normal((3, 2000)).astype(np.float32)
    (tx, x), (ty, y), (tz, z) = both(x), both(y), both(z)
    for name in ("add", "sub"):
        assert same(getattr(x, name)(y, alpha=0.3), getattr(tx, name)(ty, alpha=0.3))
    for name in ("addcmul", "addcdiv"):
        assert same(getattr(x, name)(y, z, value=0.3), getattr(tx, name)(ty, tz, value=0.3))
    for weight in (0.3, 0.7):
        assert same(x.lerp(y, weight), tx.lerp(ty, weight))
    assert same(x.lerp(y, z), tx.lerp(ty, tz))


@pytest.mark.parametrize(("name", "options"), OPTIMISERS)
def test_optimisers(name, options):
    random = np.random.default_rng(0)
    start = random.standard_normal(7).astype(np.float32)
    steps = random.standard_normal((12, 7)).astype(np.float32)
    found = []
    for library, make in ((torch, torch.from_numpy), (gradcli, gradcli.tensor)):
        p = make(np.array(start)).requires_grad_()
        optimiser = getattr(library.optim, name)([p], **options)
        for g in steps:
            p.grad = make(np.array(g))
            optimiser.step()
        found.append(p.detach().numpy())
    np.testing.assert_array_max_ulp(*found, maxulp=UNITS.get(name, 0))
