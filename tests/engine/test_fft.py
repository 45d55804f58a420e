"""torch.fft beside PyTorch's: values, nodes, two orders of gradients, and the words of its errors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import gradcli
from tests.rings import all_of_each

from .test_complex import nodes

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")

ALONG_ONE = "fft ifft rfft irfft hfft ihfft".split()
ALONG_SEVERAL = "fftn ifftn rfftn irfftn hfftn ihfftn fft2 ifft2 rfft2 irfft2 hfft2 ihfft2".split()
SHIFTS = "fftshift ifftshift".split()
ONE: list[dict[str, Any]] = [
    {}, {"n": 3}, {"n": 7}, {"dim": 1}, {"dim": 0, "n": 2, "norm": "ortho"}, {"norm": "forward"}, {"n": 0}, {"dim": 5},
    {"norm": "abc"}, {"n": 1}, {"n": 6, "dim": -2, "norm": "forward"}, {"n": -1},
]  # fmt: skip
SEVERAL: list[dict[str, Any]] = [
    {}, {"s": (2, 3)}, {"s": (5, 7), "dim": (0, 2)}, {"dim": (1,)}, {"dim": (2, 0), "norm": "ortho"},
    {"norm": "forward"}, {"s": (-1, 4), "dim": (0, 1)}, {"s": (2,), "dim": (0, 1)}, {"dim": (0, 0)}, {"s": (0, 1)},
    {"dim": ()}, {"s": (1, 2, 3, 4)}, {"dim": 1}, {"s": 3},
]  # fmt: skip
MOVED: list[dict[str, Any]] = [{}, {"dim": 1}, {"dim": (0, 2)}]
CASES = [
    *itertools.product(ALONG_ONE, ONE), *itertools.product(ALONG_SEVERAL, SEVERAL), *itertools.product(SHIFTS, MOVED),
]  # fmt: skip

RANDOM = np.random.default_rng(0)
REAL = RANDOM.standard_normal((3, 4, 5))
COMPLEX = REAL + 1j * RANDOM.standard_normal((3, 4, 5))


def found(library: Any, name: str, given: dict[str, Any], numbers: Any) -> Any:
    """The transform, its nodes, and the gradients of two orders of a loss; or the words of an error."""
    a = library.tensor(numbers, requires_grad=True)
    try:
        y = getattr(library.fft, name)(a, **given)
    except (RuntimeError, IndexError) as error:
        return str(error).splitlines()[0].strip()
    loss = (y * (0.3 - 0.7j)).real.sin().sum() if y.is_complex() else y.sin().sum()
    (g,) = library.autograd.grad(loss, a, create_graph=True)
    (h,) = library.autograd.grad((g * g.conj()).real.sum(), a)
    arrays = [np.asarray(x.detach().resolve_conj().numpy()) for x in (y, g, h)]
    return [nodes(y), nodes(g), *(a.dtype for a in arrays)], arrays


@all_of_each((name, (given, numbers)) for name, given in CASES for numbers in ("real", "complex"))
def test_a_transform_is_pytorchs(name: str, case: tuple[dict[str, Any], str]) -> None:
    given, numbers = case[0], REAL if case[1] == "real" else COMPLEX
    ours, theirs = (found(library, name, given, numbers) for library in (gradcli, torch))
    if isinstance(theirs, str):
        assert ours == theirs
        return
    assert ours[0] == theirs[0]
    for a, b in zip(ours[1], theirs[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
@pytest.mark.parametrize("given", [{"n": 1}, {"n": 4}, {"n": 5, "d": 0.1}, {"n": 0}])
def test_frequencies_are_pytorchs(name: str, given: dict[str, Any]) -> None:
    ours, theirs = (getattr(library.fft, name)(**given) for library in (gradcli, torch))
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int64"])
def test_a_transform_has_the_width_of_its_numbers(dtype: str) -> None:
    def ran(library: Any) -> Any:
        return library.fft.fft(library.tensor([1.0, 2.0, 4.0]).to(getattr(library, dtype)))

    assert repr(ran(gradcli)) == repr(ran(torch))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_refused(dtype: str) -> None:
    words = []
    for library in (gradcli, torch):
        with pytest.raises(RuntimeError, match="Unsupported dtype") as error:
            library.fft.fft(library.ones(4, dtype=getattr(library, dtype)))
        words.append(str(error.value).splitlines()[0])
    assert words[0] == words[1]
