"""Transforms lie in memory as PyTorch leaves them: views and gradients of views go by that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli

from .test_complex import plain

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")

EXPRESSIONS = """
fft(z) | fft(x, dim=0) | fft(x, dim=1) | fft(z, dim=1) | rfft(x, dim=0) | rfftn(x) | rfftn(x, dim=(0, 2)) | fftn(z)
rfftn(x, dim=(2, 0)) | fftn(z, dim=(2, 0)) | ifftn(x, dim=(1, 0)) | irfft(z, dim=1) | irfftn(z, dim=(0, 1)) | irfftn(z)
irfftn(z, dim=(2, 0)) | hfftn(z, dim=(1, 0)) | ihfftn(x, dim=(2, 1)) | ihfftn(x)
"""


@pytest.mark.parametrize("expression", [e.strip() for e in EXPRESSIONS.replace("\n", "|").split("|") if e.strip()])
def test_a_transform_has_pytorchs_strides(expression: str) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(3, 4, 5))
    z = x + 1j * random.normal(size=(3, 4, 5))
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1), (2, 0, 1)):
        made = []
        for library in (gradcli, torch):
            given = {"x": library.tensor(x).permute(order), "z": library.tensor(z).permute(order)}
            y = eval(f"fft.{expression}", {"fft": library.fft, **given})
            made.append((tuple(y.shape), y.stride(), plain(y)))
        assert made[0][:2] == made[1][:2], order
        np.testing.assert_allclose(made[0][2], made[1][2], rtol=1e-12, atol=1e-12)
