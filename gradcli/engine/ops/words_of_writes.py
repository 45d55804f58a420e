"""Words of PyTorch for writes in place, where it refuses them inside of a transform."""

from __future__ import annotations

# What takes a number by the overload for tensors.
OF_TENSORS = frozenset(("add", "sub", "mul", "div"))
# What is one thing to vmap.
ARITHMETIC = frozenset(("copy", "mul", "div", "masked_fill", "answered_by_number", "answered_by_tensor"))
