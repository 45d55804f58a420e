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
