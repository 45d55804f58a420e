"""einsum is made of other ops, which have samples of their own."""

from __future__ import annotations

from . import Sample

SAMPLES: dict[str, list[Sample]] = {}
