"""The way from a base to a view of it that strides alone cannot describe: through a conjugate, or other widths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...errors import Unsupported
from ..modes import mode
from ..properties import address
from ..tensor import Array, Tensor

Step = Callable[[Tensor], Any]


@dataclass(frozen=True, slots=True)
class Strided:
    """A part of the memory: its shape, its strides in elements, and where it starts, in bytes from the base."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Way:
    """The views through which a view was made of its base."""

    steps: tuple[Step | Strided, ...] = ()

    def through(self, step: Step) -> Way:
        """The way that goes on through a view that is none by strides."""
        return Way((*self.steps, step))

    def to(self, part: Array, base: Array) -> Way:
        """The way that goes on to a part of the memory of the base."""
        start = address(part) - address(base) if part.size else 0
        strides = tuple([s // part.itemsize for s in part.strides])
        return Way((*self.steps, Strided(part.shape, strides, start)))

    def from_base(self, base: Tensor) -> Tensor:
        """The view, of a base as it is now, or of another tensor that lies in memory as the base does."""
        from ..ops.shape import strides

        before = base._offset() * base._a.itemsize
        view = base
        for step in self.steps:
            if isinstance(step, Strided):
                at = (before + step.start) // view._a.itemsize
                view = strides.as_strided(view, step.shape, step.strides, at)
            else:
                view = step(view)
        return view

    def back(self, view: Tensor, base: Tensor) -> Any:
        """A tensor that lies in the memory of a view as the base does in that of the view made of it this way."""
        from ..ops.shape import strides

        if len(self.steps) != 1 or not isinstance(self.steps[0], Strided):
            raise Unsupported("_rev_view_func_unsafe: of a view through a conjugate, or of other widths")
        start = view._offset() - self.steps[0].start // view._a.itemsize
        return strides.as_strided(view, base._a.shape, base.stride(), start)


@contextmanager
def bare() -> Iterator[None]:
    """Let views be made and written to of which nobody takes note."""
    before = mode.grad, mode.tape, mode.duals
    mode.grad = False
    mode.use(None)
    mode.dual(None)
    try:
        yield
    finally:
        mode.grad, tape, duals = before
        mode.use(tape)
        mode.dual(duals)


def way_to(view: Any) -> Way:
    """The way to a tensor, which may be its own base."""
    found: Way | None = getattr(view, "_way", None)
    if found is not None:
        return found
    base = view._base
    return Way() if base is None else Way().to(view._memory(), base._memory())
