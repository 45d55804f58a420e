"""The custom Functions of PyTorch that a call meets on its way, each with what it was given there."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np

from ...errors import Source, Span
from ...graph.view.places import shown_path
from .border import raised_there, said, theirs
from .pytorch import has_context, is_tensor, torch
from .subject import ForeignSubject
from .with_torch import TorchLibrary, sliced

# So many are looked at, each once for the same shapes.
_FUNCTIONS = 16
# The backward of a Function alone is handed cotangents that lie in memory like these.
LAYOUTS = ("expanded (stride 0), as after sum()", "transposed", "a slice of something larger")
# The numbers of a gradient that is the same everywhere.
_EVEN = 0.75


class Met(NamedTuple):
    """A call of a custom Function."""

    function: Any
    arguments: tuple[Any, ...]
    applied: Span | None
    # Whether it says that it writes to them, by mark_dirty().
    writes: bool

    @property
    def name(self) -> str:
        """The name of the Function."""
        return str(self.function.__name__)

    @property
    def derivative(self) -> Any:
        """The derivative that somebody wrote for it."""
        return self.function.backward

    @property
    def key(self) -> Any:
        """A key that is the same for calls of which one is enough."""
        shapes = tuple((tuple(x.shape), x.dtype, x.requires_grad) if is_tensor(x) else repr(x)[:80]
                       for x in self.arguments)  # fmt: skip
        return self.function, shapes

    @property
    def can_be_batched(self) -> bool:
        """True of one that PyTorch can apply to many points at once."""
        base = torch().autograd.Function
        return bool(self.function.generate_vmap_rule) or self.function.vmap is not base.vmap

    def is_called_by(self, library: Any) -> bool:
        """Tell whether a function is no more than this Function itself."""
        return bool(library.function == self.function.apply)

    def library(self, dtype: str) -> TorchLibrary:
        """The Function alone, on the arguments that it met."""
        return TorchLibrary(self.function.apply, self.arguments, self.function.__name__, dtype=dtype)


# Classes of PyTorch's own that were met: they are not looked at.
_PYTORCHS: set[Any] = set()


@contextmanager
def watched(known: dict[Any, Any], package: str = "", most: int = _FUNCTIONS) -> Iterator[list[Any]]:
    """Note the Functions that are applied in the block, by the classes that there are; their forwards are wrapped.

    ``package``: only those that it defines.
    """
    base = torch().autograd.Function
    found: list[tuple[Any, str, Any]] = []
    classes = _derived(base)
    for cls in classes:
        if package and not f"{cls.__module__}.".startswith(f"{package}."):
            continue
        method = "forward" if has_context(cls) else "setup_context"
        found.append((cls, method, _own(cls, method)))
    # A class that inherits its method is given one of its own meanwhile.
    changed = [(cls, method, own, method in vars(cls)) for cls, method, own in found if isinstance(own, staticmethod)]
    try:
        for cls, method, own, _ in changed:
            setattr(cls, method, staticmethod(_noting(cls, own.__func__, method, known, most)))
        yield classes
    finally:
        for cls, method, own, is_own in changed:
            if is_own:
                setattr(cls, method, own)
            else:
                delattr(cls, method)


def is_full(known: dict[Any, Any]) -> bool:
    """Tell whether there may be more than were noted."""
    return len(known) >= _FUNCTIONS


def there_are_others(classes: Sequence[Any]) -> bool:
    """Tell whether Functions were defined since these were all, beside them or on top of them."""
    return _derived(torch().autograd.Function) != classes


def _own(cls: Any, method: str) -> Any:
    """The attribute of a class, its own or from others, as it was defined."""
    return next((vars(each)[method] for each in cls.__mro__ if method in vars(each)), None)


def _derived(cls: Any) -> list[Any]:
    """All classes that derive from one, each once, but for PyTorch's own."""
    found: dict[Any, None] = {}
    level = [cls]
    while level:
        level = list(chain.from_iterable(map(type.__subclasses__, level)))
        found |= dict.fromkeys(level)
    others = [each for each in found if each not in _PYTORCHS]
    _PYTORCHS.update(each for each in others if each.__module__.startswith("torch."))
    return [each for each in others if each not in _PYTORCHS]


def _noting(cls: Any, own: Any, method: str, known: dict[Any, Met], most: int) -> Any:
    def noted(ctx: Any, *args: Any) -> Any:
        if getattr(type(ctx), "_forward_cls", cls) is not cls:
            # Called by the forward of a class that derives from it: that one is applied.
            return own(ctx, *args)
        given = args if method == "forward" else args[0]
        copies = tuple(_copy(x, need) for x, need in zip(given, ctx.needs_input_grad, strict=False))
        returned = own(ctx, *args)
        if any(is_tensor(x) and x.requires_grad for x in copies):
            found = Met(cls, copies, caller(), bool(getattr(ctx, "dirty_tensors", ())))
            if len(known) < most:
                known.setdefault(found.key, found)
        return returned

    return noted


def _copy(x: Any, need: bool) -> Any:
    if not is_tensor(x):
        return x
    made = x.detach().clone()
    return made.requires_grad_() if need and (x.is_floating_point() or x.is_complex()) else made


def caller() -> Span | None:
    """Where the Function was applied: the nearest frame that is neither of a library nor ours."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.partition(".")[0] not in ("torch", "jax", "gradcli"):
            path, line = frame.f_code.co_filename, frame.f_lineno
            text = "".join(linecache.getlines(path))
            if not text:
                return None
            shown = text.splitlines()[line - 1]
            start = len(shown) - len(shown.lstrip())
            return Span(Source(shown_path(path), text), line, start, line, len(shown))
        frame = frame.f_back  # type: ignore[assignment]
    return None


class Odd(NamedTuple):
    """A cotangent that a backward makes something else of because of how it lies in memory."""

    how: str
    # Which input, and where and by how much; no input where the backward stops.
    input: str | None
    place: tuple[int, ...] = ()
    claimed: float = 0.0
    usual: float = 0.0
    said: str = ""


class Backward:
    """The backward of a Function at a point, handed gradients to write to, and some that lie in memory in odd ways."""

    def __init__(self, subject: ForeignSubject, rng: np.random.Generator) -> None:
        self.library = cast(TorchLibrary, subject.function.library)
        self.torch = self.library.torch
        self.leaves, found = self.library.recorded_here()
        self.outputs = [found[i] for i in self.library.chosen or ()]
        self._rng = rng
        # Gradients whose numbers are all the same, or random ones; and what is made of them as they lie usually.
        self._starts: dict[bool, list[Any]] = {}
        self._usual: dict[bool, list[Any]] = {}

    def _pulled(self, starts: Sequence[Any]) -> list[Any]:
        made = theirs(
            self.torch.autograd.grad, self.outputs, self.leaves, starts, retain_graph=True, allow_unused=True
        )
        return list(made)

    def _given(self, is_even: bool) -> list[Any]:
        if is_even not in self._starts:
            make = self._even if is_even else self._random
            self._starts[is_even] = [make(y) for y in self.outputs]
        return self._starts[is_even]

    def _usually(self, is_even: bool) -> list[Any]:
        if is_even not in self._usual:
            self._usual[is_even] = self._pulled([x.clone() for x in self._given(is_even)])
        return self._usual[is_even]

    def writes_to_gradient(self) -> bool:
        """Tell whether it changes the gradient that it is given, which others may be given, too."""
        starts = [self._even(y) for y in self.outputs]
        try:
            self._usual[True] = self._pulled(starts)
        except raised_there():
            # It is asked for its claims later, and told there.
            return False
        return any(bool((w != _EVEN).any()) for w in starts)

    def odd_layouts(self) -> Iterator[Odd]:
        """The layouts of the gradient that change what it makes of it."""
        for how, is_even, lay in zip(LAYOUTS, (True, False, False), (_expanded, _transposed, sliced), strict=True):
            if lay is sliced and self.library.takes_slices:
                continue
            plain = self._given(is_even)
            odd = [lay(x) for x in plain]
            if all(a.stride() == x.stride() and a.storage_offset() == 0 for a, x in zip(odd, plain, strict=True)):
                # Of so few dimensions it is no other layout.
                continue
            try:
                usual = self._usually(is_even)
            except raised_there():
                # What stops in any case is found where the claims are asked for.
                return
            try:
                other = self._pulled(odd)
            except raised_there() as error:
                yield Odd(how, None, said=said(error))
                continue
            for name, a, b in zip(self.library.inputs, usual, other, strict=True):
                found = None if a is None or b is None else self._apart(how, name, a, b)
                if found is not None:
                    yield found
                    break

    def _apart(self, how: str, name: str, a: Any, b: Any) -> Odd | None:
        if self.torch.equal(a, b):
            return None
        off = (a - b).abs()
        size = float(a.abs().max()) if a.numel() else 0.0
        bad = off > 1e-6 * size if self.library.double else off > 1e-3 * size
        bad |= b.isnan() & ~a.isnan()
        if not bool(bad.any()):
            return None
        wide = self.torch.nan_to_num(off.to(self.torch.float64), nan=float("inf"))
        flat = int(wide.reshape(-1).argmax())
        place = tuple(int(i) for i in self.torch.unravel_index(self.torch.tensor(flat), a.shape)) if a.dim() else ()
        return Odd(how, name, place, float(b[place].real), float(a[place].real))

    def _even(self, y: Any) -> Any:
        return self.torch.full(y.shape, _EVEN, dtype=y.dtype)

    def _random(self, y: Any) -> Any:
        drawn = self._rng.standard_normal(tuple(y.shape))
        return self.torch.from_numpy(np.asarray(drawn)).to(y.dtype)


def _expanded(x: Any) -> Any:
    """The same number in one place of memory."""
    return x.reshape(-1)[:1].reshape([1] * x.dim()).expand(x.shape) if x.numel() > 1 else x


def _transposed(x: Any) -> Any:
    """The same numbers in another order of memory."""
    return x.transpose(0, -1).contiguous().transpose(0, -1) if x.dim() > 1 else x
