"""torch.profiler: the names of parts of a program are heard; what takes how long is for Python's own profiler."""

from __future__ import annotations

from typing import Any

from .engine.modes import Block, Decorator
from .errors import Unsupported


class record_function(Decorator):
    """A part of a program under a name, as a block or a decorator."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        """The part begins."""
        return self

    def __exit__(self, *_: object) -> None:
        """The part ends."""


class profile(Block):
    """A block that would be measured: it runs where ``enabled`` is False, and is refused otherwise."""

    def __init__(self, *args: Any, enabled: bool = True, **options: Any) -> None:
        del options
        if enabled and (not args or args[0] is not False):
            raise Unsupported(
                "torch.profiler measures nothing here", help="Python's cProfile tells what takes how long"
            )

    def __enter__(self) -> profile:
        """The block begins."""
        return self

    def __exit__(self, *_: object) -> None:
        """The block ends."""
