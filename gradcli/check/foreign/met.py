"""The custom Functions of PyTorch that a call meets on its way, each with what it was given there."""

from __future__ import annotations

import inspect
import linecache
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...errors import Source, Span
from ...graph.view.places import shown_path
from .border import raised_there, said, theirs
from .with_torch import TorchLibrary, is_tensor, torch

# So many are looked at, each once for the same shapes.
_FUNCTIONS = 16
# The backward of a Function alone is handed cotangents that lie in memory like these.
LAYOUTS = ("expanded (stride 0), as after sum()", "transposed", "a slice of something larger")


class Met(NamedTuple):
    """A call of a custom Function."""

    function: Any
    arguments: tuple[Any, ...]
    # The names of the arguments, as its forward has them.
    names: list[str]
    applied: Span | None

    @property
    def key(self) -> Any:
        """A key that is the same for calls of which one is enough."""
        shapes = tuple((tuple(x.shape), x.dtype, x.requires_grad) if is_tensor(x) else repr(x)[:80]
                       for x in self.arguments)  # fmt: skip
        return self.function, shapes

    def library(self, dtype: str) -> TorchLibrary:
        """The Function alone, on the arguments that it met."""
        made = TorchLibrary(self.function.apply, self.arguments, self.function.__name__, dtype=dtype)
        made.arguments.names = self.names
        made.inputs = [self.names[i] for i in made.moved]
        return made


@contextmanager
def watched(known: dict[Any, Met], package: str = "", most: int = _FUNCTIONS) -> Iterator[None]:
    """Note the Functions that are applied in the block, by the classes that there are; their forwards are wrapped.

    ``package``: only those that it defines.
    """
    base = torch().autograd.Function
    found: list[tuple[Any, str, Any]] = []
    for cls in dict.fromkeys(_derived(base)):
        if package and not f"{cls.__module__}.".startswith(f"{package}."):
            continue
        method = "forward" if _has_context(cls, base) else "setup_context"
        found.append((cls, method, inspect.getattr_static(cls, method)))
    # A class that inherits its method is given one of its own meanwhile.
    changed = [(cls, method, own, method in vars(cls)) for cls, method, own in found if isinstance(own, staticmethod)]
    try:
        for cls, method, own, _ in changed:
            setattr(cls, method, staticmethod(_noting(cls, own.__func__, method, known, most)))
        yield
    finally:
        for cls, method, own, is_own in changed:
            if is_own:
                setattr(cls, method, own)
            else:
                delattr(cls, method)


def _derived(cls: Any) -> Iterator[Any]:
    for each in cls.__subclasses__():
        if not each.__module__.startswith("torch."):
            yield each
        yield from _derived(each)


def _has_context(cls: Any, base: Any) -> bool:
    return cls.setup_context is base.setup_context


def _noting(cls: Any, own: Any, method: str, known: dict[Any, Met], most: int) -> Any:
    forward = own if method == "forward" else inspect.getattr_static(cls, "forward").__func__

    def noted(ctx: Any, *args: Any) -> Any:
        if getattr(type(ctx), "_forward_cls", cls) is not cls:
            # Called by the forward of a class that derives from it: that one is applied.
            return own(ctx, *args)
        given = args if method == "forward" else args[0]
        copies = tuple(_copy(x, need) for x, need in zip(given, ctx.needs_input_grad, strict=False))
        if any(is_tensor(x) and x.requires_grad for x in copies):
            found = Met(cls, copies, _names(forward, method, len(copies)), _caller())
            if len(known) < most:
                known.setdefault(found.key, found)
        return own(ctx, *args)

    return noted


def _copy(x: Any, need: bool) -> Any:
    if not is_tensor(x):
        return x
    made = x.detach().clone()
    return made.requires_grad_() if need and (x.is_floating_point() or x.is_complex()) else made


def _names(forward: Any, method: str, count: int) -> list[str]:
    """The names of the parameters behind the context."""
    parameters = inspect.signature(forward).parameters.values()
    known = [p.name for p in parameters if p.kind is not inspect.Parameter.VAR_POSITIONAL]
    known = known[1:] if method == "forward" else known
    return [*known[:count], *(f"x{i}" for i in range(len(known), count))]


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


def writes_to_gradient(library: TorchLibrary, arrays: Sequence[Any]) -> bool:
    """Tell whether a backward changes the gradient that it is given, which others may be given, too."""
    module = library.torch
    leaves = library.tensors(arrays, True)
    with module.enable_grad():
        found = library.run([x.clone() for x in leaves])
    outputs = [found[i] for i in library.chosen or ()]
    starts = [module.full_like(y, 0.75) for y in outputs]
    try:
        theirs(module.autograd.grad, outputs, leaves, starts, allow_unused=True)
    except raised_there():
        # It is asked for its claims later, and told there.
        return False
    return any(bool((w != 0.75).any()) for w in starts)


def odd_layouts(library: TorchLibrary, arrays: Sequence[Any]) -> Iterator[Odd]:
    """The layouts of the cotangent that change what the backward of a Function makes of it."""
    module = library.torch
    generator = module.Generator().manual_seed(0)

    def pulled(make: Any) -> list[Any]:
        leaves = library.tensors(arrays, True)
        with module.enable_grad():
            found = library.run([x.clone() for x in leaves])
        outputs = [found[i] for i in library.chosen or ()]
        starts = [make(y) for y in outputs]
        return list(theirs(module.autograd.grad, outputs, leaves, starts, allow_unused=True))

    def random(y: Any) -> Any:
        generator.manual_seed(1)
        real = module.randn(y.shape, generator=generator, dtype=module.float64)
        return real.to(y.dtype)

    def expanded(y: Any) -> Any:
        return random(y).reshape(-1)[:1].reshape([1] * y.dim()).expand(y.shape) if y.numel() > 1 else random(y)

    def transposed(y: Any) -> Any:
        return random(y).transpose(0, -1).contiguous().transpose(0, -1)

    def sliced(y: Any) -> Any:
        if y.dim() == 0:
            return random(y)
        larger = module.full((*y.shape[:-1], 2 * y.shape[-1] + 1), float("nan"), dtype=y.dtype)
        larger[..., 1::2] = random(y)
        return larger[..., 1::2]

    for how, make in zip(LAYOUTS, (expanded, transposed, sliced), strict=True):
        try:
            usual = pulled(lambda y, make=make: make(y).clone(memory_format=module.contiguous_format))
        except raised_there():
            # What stops in any case is found where the claims are asked for.
            return
        try:
            other = pulled(make)
        except raised_there() as error:
            yield Odd(how, None, said=said(error))
            continue
        for name, a, b in zip(library.inputs, usual, other, strict=True):
            if a is None or b is None:
                continue
            off = (a - b).abs()
            size = float(a.abs().max()) if a.numel() else 0.0
            bad = off > 1e-6 * size if library.double else off > 1e-3 * size
            bad |= b.isnan() & ~a.isnan()
            if bool(bad.any()):
                flat = int(module.nan_to_num(off.to(module.float64), nan=float("inf")).reshape(-1).argmax())
                place = tuple(int(i) for i in module.unravel_index(module.tensor(flat), a.shape)) if a.dim() else ()
                yield Odd(how, name, place, float(b[place].real), float(a[place].real))
                break
