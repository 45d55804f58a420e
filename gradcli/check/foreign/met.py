"""The custom Functions of PyTorch that a call meets on its way, each with what it was given there."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...errors import Source, Span
from ...graph.view.places import shown_path
from .border import raised_there, said, theirs
from .pytorch import has_context, is_tensor, torch
from .with_torch import TorchLibrary

# So many are looked at, each once for the same shapes.
_FUNCTIONS = 16
# The backward of a Function alone is handed cotangents that lie in memory like these.
LAYOUTS = ("expanded (stride 0), as after sum()", "transposed", "a slice of something larger")


class Met(NamedTuple):
    """A call of a custom Function."""

    function: Any
    arguments: tuple[Any, ...]
    applied: Span | None
    # Whether it says that it writes to them, by mark_dirty().
    writes: bool

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


@contextmanager
def watched(known: dict[Any, Met], package: str = "", most: int = _FUNCTIONS) -> Iterator[list[Any]]:
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


def there_are_others(classes: Sequence[Any]) -> bool:
    """Tell whether Functions were defined since these were all, beside them or on top of them."""
    base = torch().autograd.Function
    return not set(classes).issuperset(_theirs(each for cls in (base, *classes) for each in cls.__subclasses__()))


def _theirs(classes: Iterable[Any]) -> Iterator[Any]:
    """Those that are not PyTorch's own."""
    return (each for each in classes if not each.__module__.startswith("torch."))


def _own(cls: Any, method: str) -> Any:
    """The attribute of a class, its own or from others, as it was defined."""
    return next((vars(each)[method] for each in cls.__mro__ if method in vars(each)), None)


def _derived(cls: Any) -> list[Any]:
    """All classes that derive from one, each once, but for PyTorch's own."""
    found: dict[Any, None] = {}
    rest = [cls]
    while rest:
        for each in rest.pop().__subclasses__():
            rest.append(each)
            found[each] = None
    return list(_theirs(found))


def _noting(cls: Any, own: Any, method: str, known: dict[Any, Met], most: int) -> Any:
    def noted(ctx: Any, *args: Any) -> Any:
        if getattr(type(ctx), "_forward_cls", cls) is not cls:
            # Called by the forward of a class that derives from it: that one is applied.
            return own(ctx, *args)
        given = args if method == "forward" else args[0]
        copies = tuple(_copy(x, need) for x, need in zip(given, ctx.needs_input_grad, strict=False))
        returned = own(ctx, *args)
        if any(is_tensor(x) and x.requires_grad for x in copies):
            found = Met(cls, copies, _caller(), bool(getattr(ctx, "dirty_tensors", ())))
            if len(known) < most:
                known.setdefault(found.key, found)
        return returned

    return noted


def _copy(x: Any, need: bool) -> Any:
    if not is_tensor(x):
        return x
    made = x.detach().clone()
    return made.requires_grad_() if need and (x.is_floating_point() or x.is_complex()) else made


def _caller() -> Span | None:
    """Where the Function was applied: the nearest frame that is neither PyTorch's nor ours."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(("torch.", "gradcli.")) and name != "torch":
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

    def __init__(self, library: TorchLibrary, arrays: Sequence[Any]) -> None:
        self.library = library
        self.torch = library.torch
        self.leaves, found = library.recorded(arrays)
        self.outputs = [found[i] for i in library.chosen or ()]

    def _pulled(self, starts: Sequence[Any]) -> list[Any]:
        made = theirs(
            self.torch.autograd.grad, self.outputs, self.leaves, starts, retain_graph=True, allow_unused=True
        )
        return list(made)

    def writes_to_gradient(self) -> bool:
        """Tell whether it changes the gradient that it is given, which others may be given, too."""
        starts = [self.torch.full_like(y, 0.75, requires_grad=False) for y in self.outputs]
        try:
            self._pulled(starts)
        except raised_there():
            # It is asked for its claims later, and told there.
            return False
        return any(bool((w != 0.75).any()) for w in starts)

    def odd_layouts(self) -> Iterator[Odd]:
        """The layouts of the gradient that change what it makes of it."""
        for how, make in zip(LAYOUTS, (self._expanded, self._transposed, self._sliced), strict=True):
            odd = [make(y) for y in self.outputs]
            plain = [x.clone(memory_format=self.torch.contiguous_format) for x in odd]
            if all(a.stride() == b.stride() and a.storage_offset() == 0 for a, b in zip(odd, plain, strict=True)):
                # Of so few dimensions it is no other layout.
                continue
            try:
                usual = self._pulled(plain)
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

    def _random(self, y: Any) -> Any:
        generator = self.torch.Generator().manual_seed(1)
        return self.torch.randn(y.shape, generator=generator, dtype=self.torch.float64).to(y.dtype)

    def _expanded(self, y: Any) -> Any:
        made = self._random(y)
        return made.reshape(-1)[:1].reshape([1] * y.dim()).expand(y.shape) if y.numel() > 1 else made

    def _transposed(self, y: Any) -> Any:
        return self._random(y).transpose(0, -1).contiguous().transpose(0, -1) if y.dim() > 1 else self._random(y)

    def _sliced(self, y: Any) -> Any:
        if y.dim() == 0:
            return self._random(y)
        larger = self.torch.full((*y.shape[:-1], 2 * y.shape[-1] + 1), float("nan"), dtype=y.dtype)
        larger[..., 1::2] = self._random(y)
        return larger[..., 1::2]
