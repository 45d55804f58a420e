"""A module in training, or not, while it is judged; after that each of its parts is again as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def training(module: Any, train: bool) -> Iterator[None]:
    """Put a module of PyTorch's or of gradcli's in training, or not; ``None`` is no module."""
    if module is None:
        yield
        return
    before = [(part, part.training) for part in module.modules()]
    module.train(train)
    try:
        yield
    finally:
        for part, mode in before:
            part.training = mode
