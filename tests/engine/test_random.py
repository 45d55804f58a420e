"""Random numbers: PyTorch's own, draw for draw."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gradcli
from gradcli.engine.random import generator as generators
from gradcli.engine.random.generator import Generator, Twister
from tests.rings import examples

from ..conftest import needs_torch

# What PyTorch 2.13 drew.
CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("random_cases.json").read_text())


@pytest.fixture(params=["own", "NumPy's"])
def twister(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both makers of words: for the first few, and for many."""
    for limit in ("_FEW", "_FEWER"):
        monkeypatch.setattr(generators, limit, 0 if request.param == "NumPy's" else sys.maxsize)


@pytest.mark.usefixtures("twister")
@pytest.mark.parametrize("case", CASES, ids=[f"{c['seed']}: {c['calls'][0][0]}" for c in CASES])
def test_numbers_are_those_of_pytorch(torch: Any, case: dict[str, Any]) -> None:
    torch.manual_seed(case["seed"])
    for code, values in case["calls"]:
        assert eval(code, {"torch": torch}).tolist() == values, code


def test_state_is_kept_and_restored(torch: Any) -> None:
    torch.manual_seed(3)
    torch.randn(5)
    state = torch.get_rng_state()
    assert state.shape == (5056,)
    first = [torch.randn(3).tolist(), torch.rand(700).tolist()]
    torch.set_rng_state(state)
    assert [torch.randn(3).tolist(), torch.rand(700).tolist()] == first


def test_a_generator_has_numbers_of_its_own(torch: Any) -> None:
    g = torch.Generator().manual_seed(5)
    torch.manual_seed(5)
    want = torch.rand(3).tolist()
    torch.manual_seed(6)
    other = torch.rand(3).tolist()
    torch.manual_seed(6)
    assert torch.rand(3, generator=g).tolist() == want
    assert torch.rand(3).tolist() == other
    assert g.initial_seed() == 5
    assert torch.Generator().initial_seed() == 67280421310721
    assert str(g.device) == "cpu"
    twin = g.clone_state()
    assert torch.randn(4, generator=g).tolist() == torch.randn(4, generator=twin).tolist()


def test_seeds(torch: Any) -> None:
    assert torch.manual_seed(-1) is torch.default_generator
    assert torch.initial_seed() == 2**64 - 1
    seed = torch.seed()
    assert torch.initial_seed() == seed
    assert 0 <= seed < 2**64
    for wrong in (2**64, -(2**63) - 1):
        with pytest.raises(ValueError, match=r"^Overflow when unpacking long long"):
            torch.manual_seed(wrong)
    with pytest.raises(RuntimeError, match=r"^manual_seed expected a long, but got float$"):
        torch.Generator().manual_seed(1.5)


def test_a_state_that_is_none_is_refused(torch: Any) -> None:
    g = torch.Generator()
    with pytest.raises(TypeError, match=r"^expected a torch.ByteTensor, but got int$"):
        g.set_state(3)
    with pytest.raises(TypeError, match=r"^RNG state must be a torch.ByteTensor$"):
        g.set_state(torch.zeros(5056))
    with pytest.raises(RuntimeError, match=r"but found the input RNG state size to be 3$"):
        g.set_state(torch.zeros(3, dtype=torch.uint8))
    with pytest.raises(RuntimeError, match=r"^Invalid mt19937 state"):
        g.set_state(torch.zeros(5056, dtype=torch.uint8))


def test_a_fork_leaves_no_trace(torch: Any) -> None:
    torch.manual_seed(1)
    want = torch.rand(2).tolist()
    torch.manual_seed(1)
    with importlib.import_module(f"{torch.__name__}.random").fork_rng():
        torch.randn(100)
    assert torch.rand(2).tolist() == want


@pytest.mark.parametrize(
    ("call", "same"),
    [
        ("torch.randint(3, 10, size=(8,))", "torch.randint(3, 10, (8,))"),
        ("torch.randint(3, high=10, size=(8,))", "torch.randint(3, 10, (8,))"),
        ("torch.randint(size=(8,), high=10, low=3)", "torch.randint(3, 10, (8,))"),
        ("torch.randint(high=10, size=(8,))", "torch.randint(10, (8,))"),
        ("torch.randint_like(torch.zeros(8), 3, high=10)", "torch.randint_like(torch.zeros(8), 3, 10)"),
    ],
)
def test_bounds_are_given_by_place_or_by_name(call: str, same: str) -> None:
    drawn = []
    for text in (call, same):
        gradcli.manual_seed(0)
        drawn.append(eval(text, {"torch": gradcli}).tolist())
    assert drawn[0] == drawn[1]
    gradcli.manual_seed(0)
    assert gradcli.randint(0, 256, size=(3,), dtype=gradcli.uint8).tolist() == [172, 47, 117]


ERRORS = [
    ("torch.randint(0, 10, size=(2,), high=3)", TypeError, "randint() received an invalid combination of arguments - "),
    ("torch.randint(3, size=4)", TypeError, "randint(): argument 'size' must be tuple of ints, not int"),
    ("torch.rand(2, dtype=torch.int64)", NotImplementedError, "\"check_uniform_bounds\" not implemented for 'Long'"),
    ("torch.randn(2, dtype=torch.bool)", NotImplementedError, "\"normal_kernel_cpu\" not implemented for 'Bool'"),
    ("torch.rand(2.5)", TypeError, "rand(): argument 'size' (position 1) must be tuple of ints, not float"),
    ("torch.rand(-1)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    ("torch.randint(3, 3, (2,))", RuntimeError, "random_ expects 'from' to be less than 'to', but got from=3 >= to=3"),
    ("torch.randint(0, 300, (2,), dtype=torch.uint8)", RuntimeError, "to - 1 is out of bounds for unsigned char"),
    ("torch.randint(3, 2)", TypeError, "randint(): argument 'size' (position 2) must be tuple of ints, not int"),
    ("torch.randperm(-1)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    ("torch.randperm(2.)", TypeError, "randperm(): argument 'n' (position 1) must be int, not float"),
    ("torch.ones(3).normal_(0, -1)", RuntimeError, "normal expects std >= 0.0, but found std -1"),
    (
        "torch.ones(3).uniform_(3, 1)",
        RuntimeError,
        "uniform_ expects to return a [from, to) range, but found from=3 > to=1",
    ),
    ("torch.ones(3).bernoulli_(3)", RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=3"),
    ("torch.ones(3).exponential_(0)", RuntimeError, "exponential_ expects lambda > 0.0, but found lambda=0"),
    ("torch.multinomial(torch.ones(3), 4)", RuntimeError, "cannot sample n_sample > prob_dist.size(-1) samples"),
    ("torch.multinomial(torch.zeros(3), 2)", RuntimeError, "invalid multinomial distribution (sum of probabilities <="),
    ("torch.normal(torch.zeros(2), -1.)", RuntimeError, "normal expects std >= 0.0, but found std -1"),
    ("torch.ones(3, requires_grad=True).normal_()", RuntimeError, "a leaf Variable that requires grad is being used"),
]


@pytest.mark.parametrize(("code", "kind", "words"), ERRORS, ids=[code for code, *_ in ERRORS])
def test_what_cannot_be_drawn(torch: Any, code: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        eval(code, {"torch": torch})
    assert str(caught.value).startswith(words)


IN_PLACE = [
    ("normal_()", "NormalBackward0"),
    ("uniform_()", "UniformBackward0"),
    ("bernoulli_()", "BernoulliBackward2"),
    ("exponential_()", "ExponentialBackward0"),
    ("cauchy_()", "CauchyBackward0"),
    ("log_normal_()", "LogNormalBackward0"),
    ("geometric_(0.5)", "GeometricBackward0"),
    ("random_()", "RandomBackward2"),
    ("random_(3)", "RandomBackward1"),
    ("random_(1, 3)", "RandomBackward0"),
]


@pytest.mark.parametrize(("call", "name"), IN_PLACE)
def test_overwritten_values_have_no_gradient(torch: Any, call: str, name: str) -> None:
    x = torch.ones(3, requires_grad=True)
    y = eval(f"(x * 2).{call}", {"x": x})
    assert y.grad_fn.name() == name
    assert [n.name() for n, _ in y.grad_fn.next_functions] == ["MulBackward0"]
    assert y._version == 1
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


DRAWN_BY = [
    ("torch.bernoulli(x)", "BernoulliBackward0", 1),
    ("(x * 1).bernoulli_(x)", "BernoulliBackward1", 2),
    ("torch.normal(x, 1.0)", "NormalBackward1", 1),
    ("torch.normal(1.0, x)", "NormalBackward2", 1),
    ("torch.normal(x, x)", "NormalBackward3", 2),
]


@pytest.mark.parametrize(("code", "name", "edges"), DRAWN_BY)
def test_parameters_of_a_distribution_have_no_gradient(torch: Any, code: str, name: str, edges: int) -> None:
    x = torch.full((3,), 0.5, requires_grad=True)
    y = eval(code, {"torch": torch, "x": x})
    assert y.grad_fn.name() == name
    assert len(y.grad_fn.next_functions) == edges
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_nothing_of_numpy_is_loaded_for_a_few_numbers() -> None:
    twister = Twister.seeded(0)
    twister.words(1000)
    assert twister.bulk is None
    twister.words(generators._FEW)
    assert twister.bulk is not None


def test_words_are_the_same_however_they_are_asked_for() -> None:
    words = np.random.RandomState(12).randint(0, 1 << 32, 60_000, dtype=np.uint32)
    twister = Twister.seeded(12)
    random = Random(0)
    at = 0
    while at < 50_000:
        n = random.choice([0, 1, 2, 5, 623, 624, 625, 1300, 3000])
        assert np.array_equal(twister.words(n), words[at : at + n])
        at += n
    key, gone = twister.where()
    assert np.array_equal(Twister(key, gone).words(100), words[at : at + 100])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 100, 5000])
def test_a_permutation_holds_every_number_once(n: int) -> None:
    p = Generator().manual_seed(n).permutation(n)
    assert sorted(p.tolist()) == list(range(n))


# -- against PyTorch itself -----------------------------------------------------------------------

FLOATS = ("float32", "float64", "float16", "bfloat16")
SHAPES = ["()", "(1,)", "(5,)", "(15,)", "(16,)", "(17,)", "(40,)", "(2, 3)", "(3, 4, 5)", "(0,)"]
LAYOUTS = ["", ".t()", "[:, ::2]", "[1:]"]


@st.composite
def calls(draw: Any) -> str:
    """One call that draws."""
    pick = draw
    d = pick(st.sampled_from(FLOATS))
    n = pick(st.sampled_from(SHAPES))
    matrix = f"torch.ones({pick(st.integers(1, 6))}, {pick(st.integers(1, 9))}, dtype=torch.{d})"
    target = matrix + pick(st.sampled_from(LAYOUTS))
    low, high = pick(st.integers(-(2**40), 2**40)), pick(st.integers(1, 2**41))
    p = pick(st.floats(0.01, 0.99))
    return str(
        pick(
            st.sampled_from(
                [
                    f"torch.rand({n}, dtype=torch.{d})",
                    f"torch.randn({n}, dtype=torch.{d})",
                    f"torch.randint({low}, {low + high}, {n})",
                    f"torch.randperm({pick(st.integers(0, 60))})",
                    f"torch.normal({target}, {p})",
                    f"torch.bernoulli({target} * {p})",
                    f"torch.rand_like({target})",
                    f"torch.randn_like({target})",
                    f"{target}.normal_({p}, {2 * p})",
                    f"{target}.uniform_({-p}, {3 * p})",
                    f"{target}.bernoulli_({p})",
                    f"{target}.exponential_({p})",
                    f"{target}.cauchy_({p}, 0.5)",
                    f"{target}.log_normal_({p}, 0.25)",
                    f"{target}.geometric_({p})",
                    f"{target}.random_({pick(st.integers(1, 2000))})",
                    f"torch.multinomial(torch.rand(3, 5), {pick(st.integers(1, 5))})",
                    f"torch.multinomial(torch.rand(3, 5, dtype=torch.float64), {pick(st.integers(2, 9))}, True)",
                ]
            )
        )
    )


@needs_torch
# PyTorch says it once in a process, of numbers that it draws all the same.
@pytest.mark.filterwarnings("ignore:to - 1 is out of bounds:UserWarning")
@settings(max_examples=examples(150), deadline=None)
@given(seed=st.integers(-(2**63), 2**64 - 1), program=st.lists(calls(), min_size=1, max_size=6))
def test_any_sequence_of_draws_is_that_of_pytorch(seed: int, program: list[str]) -> None:
    import torch

    torch.manual_seed(seed)
    gradcli.manual_seed(seed)
    for code in program:
        want = eval(code, {"torch": torch})
        got = eval(code, {"torch": gradcli})
        assert (got.shape, got.stride()) == (want.shape, want.stride()), code
        # NumPy has no bfloat16.
        got, want = (x.double() if x.dtype.is_floating_point else x for x in (got, want))
        assert got.numpy().tobytes() == want.numpy().tobytes(), code
    assert gradcli.get_rng_state().numpy().tobytes() == torch.get_rng_state().numpy().tobytes()
