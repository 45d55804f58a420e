"""torch.version: the version of PyTorch whose numbers and words these are."""

from __future__ import annotations

from .engine.torch_version import COMMIT as git_version, VERSION as __version__

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

debug = False
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
