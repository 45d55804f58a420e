"""The short-time Fourier transform beside PyTorch's: values, nodes, two orders of gradients, and errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.errors import Unsupported

from .test_complex import nodes, plain
from .test_complex_matrices import loss

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")

# Of a batch of signals x, a complex one z in time, its transform s, windows of 8 and 6 numbers.
EXPRESSIONS = """
torch.stft(x, 8, window=w, return_complex=True) | torch.stft(x[0], 8, return_complex=True)
torch.stft(x, 8, 3, 6, v, normalized=True, onesided=False, return_complex=True)
x.stft(8, window=w, return_complex=True)
torch.stft(x, 8, win_length=6, return_complex=False, center=False) | torch.stft(z, 8, window=w) | torch.stft(z[0], 8, 2)
torch.stft(x, 8, 2, window=w, pad_mode="constant", return_complex=True) | torch.stft(x, 5, 1, return_complex=True)
torch.istft(s, 8, window=w) | torch.istft(s[0], 8, 2, window=w, length=30) | torch.istft(s, 8, window=w, length=11)
torch.istft(s, 8, 2, 6, v, normalized=True) | torch.istft(s[0], 8) | s.istft(8, center=False, window=w)
torch.istft(torch.stft(z, 8, window=w), 8, window=w, return_complex=True)
torch.istft(torch.stft(x, 8, window=w, onesided=False, return_complex=True), 8, window=w)
"""
CASES = [e.strip() for line in EXPRESSIONS.strip().splitlines() for e in line.split(" | ")]


def leaves(library: Any) -> dict[str, Any]:
    random = np.random.default_rng(5)
    x, w, v = random.normal(size=(2, 20)), random.uniform(0.5, 1, 8), random.uniform(0.5, 1, 6)
    z = random.normal(size=(2, 20)) + 1j * random.normal(size=(2, 20))
    s = random.normal(size=(2, 5, 11)) + 1j * random.normal(size=(2, 5, 11))
    return {name: library.tensor(a, requires_grad=True) for name, a in zip("xzswv", (x, z, s, w, v), strict=True)}


def outcome(expression: str, library: Any) -> dict[str, Any]:
    given = leaves(library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Nothing of it comes from outside: the cases stand above.
        y = eval(expression, {"torch": library, **given})
    first = library.autograd.grad(loss(y), list(given.values()), create_graph=True, allow_unused=True)
    depends = [g for g in first if g is not None and g.requires_grad]
    second = library.autograd.grad(sum(loss(g) for g in depends), list(given.values()), allow_unused=True)
    return {
        "layout": (tuple(y.shape), y.stride(), str(y.dtype).replace("gradcli", "torch")), "nodes": nodes(y),
        "values": [plain(t) for t in (y, *first, *second)], "backward nodes": [nodes(g) for g in depends],
    }  # fmt: skip


@pytest.mark.parametrize("expression", CASES)
def test_a_transform_is_what_it_is_in_pytorch(expression: str) -> None:
    ours, theirs = outcome(expression, gradcli), outcome(expression, torch)
    assert (ours["layout"], ours["nodes"]) == (theirs["layout"], theirs["nodes"])
    for mine, its in zip(ours["values"], theirs["values"], strict=True):
        assert (mine is None) == (its is None)
        if mine is not None:
            assert mine.dtype == its.dtype
            np.testing.assert_allclose(mine, its, rtol=1e-11, atol=1e-11 * max(1.0, float(np.max(np.abs(its)))))
    assert ours["backward nodes"] == theirs["backward nodes"]


SAID = """
torch.stft(x, 8) | torch.stft(x, 8, 0, return_complex=True) | torch.stft(x, 8, 2, 9, return_complex=True)
torch.stft(x, 8, 2, 6, w, return_complex=True) | torch.stft(x[None], 8, return_complex=True)
torch.stft(z, 8, onesided=True) | torch.stft(x, 8, align_to_window=True, return_complex=True)
torch.stft(x, 0, return_complex=True) | torch.istft(x, 8) | torch.istft(s, 10) | torch.istft(s, 8, 9)
torch.istft(s, 8, 2, 9) | torch.istft(s, 8, 0) | torch.istft(s, 8, 2, 6, w) | torch.istft(s, 8, window=w * 0)
torch.istft(s, 8, window=w, return_complex=True) | torch.istft(s, 8, window=w + 0j) | torch.istft(s, 8, onesided=False)
torch.istft(s[:0], 8)
"""


def said(expression: str, library: Any) -> str:
    with pytest.raises(RuntimeError) as error:
        eval(expression, {"torch": library, **leaves(library)})
    return str(error.value).splitlines()[0]


@pytest.mark.filterwarnings("ignore:A window was not provided")
@pytest.mark.parametrize("expression", [e.strip() for line in SAID.strip().splitlines() for e in line.split(" | ")])
def test_what_is_refused_is_refused_in_pytorchs_words(expression: str) -> None:
    assert said(expression, gradcli) == said(expression, torch)


def test_a_missing_window_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="A window was not provided. A rectangular window will be applied"):
        gradcli.stft(gradcli.ones(20), 8, return_complex=True)


@pytest.mark.parametrize("name", ["hann_window", "hamming_window", "blackman_window", "bartlett_window"])
@pytest.mark.parametrize("length", [0, 1, 2, 3, 5, 8, 17, 64])
def test_a_window_is_that_of_pytorch(name: str, length: int) -> None:
    for periodic in (True, False):
        # PyTorch's cosines differ by a last digit from processor to processor.
        for dtype, last in (("float64", 2e-16), ("float32", 2e-7)):
            ours = getattr(gradcli, name)(length, periodic, dtype=getattr(gradcli, dtype))
            theirs = getattr(torch, name)(length, periodic, dtype=getattr(torch, dtype))
            assert plain(ours).dtype == plain(theirs).dtype
            np.testing.assert_allclose(plain(ours), plain(theirs), rtol=0, atol=last)


def test_a_window_is_refused_in_pytorchs_words() -> None:
    for call in ("hann_window(-1)", "hann_window(3, dtype=torch.int64)", "hann_window(2.0)"):
        words = []
        for library in (gradcli, torch):
            with pytest.raises((RuntimeError, TypeError)) as error:
                eval(f"torch.{call}", {"torch": library})
            words.append(str(error.value).splitlines()[0])
        assert words[0].startswith(words[1][:60])
    with pytest.raises(Unsupported, match=r"hann_window\(\) in half precision is not supported"):
        gradcli.hann_window(4, dtype=gradcli.float16)
