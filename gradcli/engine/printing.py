"""Tensors as text, to the character as PyTorch prints them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import EngineError
from . import dtypes
from .dtypes import DTYPES
from .modes import mode
from .numeric.meta import Meta
from .registry import public
from .tensor import Array, Tensor


class Options:
    """Settings for laying out numbers."""

    __slots__ = ("edgeitems", "linewidth", "precision", "sci_mode", "threshold")

    def __init__(self) -> None:
        self.precision = 4
        self.threshold: float = 1000
        self.edgeitems = 3
        self.linewidth = 80
        # None: scientific notation where the magnitudes ask for it.
        self.sci_mode: bool | None = None


options = Options()

# What each profile sets: precision, threshold, edgeitems, linewidth.
_PROFILES: dict[str, tuple[int, float, int, int]] = {
    "default": (4, 1000, 3, 80),
    "short": (2, 1000, 2, 80),
    "full": (4, math.inf, 3, 80),
}


@public("torch")
def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print; what is not named stays, except sci_mode, which None hands back to the values."""
    if profile in _PROFILES:
        options.precision, options.threshold, options.edgeitems, options.linewidth = _PROFILES[profile]
    if precision is not None:
        options.precision = precision
    if threshold is not None:
        options.threshold = threshold
    if edgeitems is not None:
        options.edgeitems = edgeitems
    if linewidth is not None:
        options.linewidth = linewidth
    options.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options, as set_printoptions takes them."""
    names = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")
    return {name: getattr(options, name) for name in names}


@contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Other options inside a ``with`` block."""
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


def _sparse_text(a: Any, head: str, place: str) -> str:
    """A tensor of a few entries: their places, and the entries."""
    indent = " " * len(head)
    lines = []
    for name, part in (("indices=", a.places), ("values=", a.values)):
        shown = _numbers(part, len(head + name + "tensor(")) if part.size else f"[], size={part.shape}"
        lines.append(f"{name}tensor({shown})")
    told = [f"size={tuple(a.shape)}", f"nnz={a.places.shape[1]}"]
    told += [] if _tells(a.dtype) else [f"dtype={DTYPES[a.dtype]}"]
    told += ["layout=torch.sparse_coo", *([place] if place else [])]
    return _with_suffixes(head + f",\n{indent}".join(lines), told, len(head), apart=True)


def tensor_repr(t: Tensor, contents: str | None = None) -> str:
    """The text of a tensor: its numbers, and what cannot be read off them."""
    if mode.transforms:
        from .transforms.wrapped import text_in_transforms

        wrapped = text_in_transforms(t)
        if wrapped is not None:
            return wrapped
    cls = type(t)
    parameter = any(c.__name__ == "Parameter" for c in cls.__mro__)
    plain = cls.__module__ == Tensor.__module__ or cls.__name__ == "Parameter"
    head = "tensor(" if plain else f"{cls.__name__}("
    indent = len(head)
    a = t._a
    if hasattr(a, "places"):
        return _sparse_text(a, head, _place(t))
    d = a.dtype
    suffixes = []
    if contents is not None:
        body = contents
    elif type(a) is Meta:
        suffixes += ["device='meta'", f"size={tuple(a.shape)}"]
        if d != dtypes.default.float:
            suffixes.append(f"dtype={DTYPES[d]}")
        body = "..."
    elif a.size == 0:
        if a.ndim != 1:
            suffixes.append(f"size={tuple(a.shape)}")
        if d != dtypes.default.float:
            suffixes.append(f"dtype={DTYPES[d]}")
        body = "[]"
    else:
        if not options.edgeitems:
            suffixes.append(f"size={tuple(a.shape)}")
        if not _tells(d):
            suffixes.append(f"dtype={DTYPES[d]}")
        body = _numbers(a, indent)
    place = _place(t)
    if place:
        suffixes.append(place)
    if mode.duals is not None:
        from .forward.levels import tangent_of

        tangent = tangent_of(t)
        if tangent is not None:
            suffixes.append(f"tangent={tangent}")
    text = _with_suffixes(head + body, suffixes, indent)
    if parameter:
        text = text if plain else f"Parameter({text})"
        return f"Parameter containing:\n{text}"
    return text


def _tells(d: Any) -> bool:
    """Tell whether numbers of this dtype show by themselves what it is."""
    if d.kind == "f":
        return bool(d == dtypes.default.float)
    if d.kind == "c":
        return bool(d.itemsize == 2 * dtypes.default.float.itemsize)
    return bool(d in (dtypes.I64, dtypes.B8))


def _place(t: Tensor) -> str:
    """The words that show a tensor's place in the graph."""
    try:
        if t._node is None:
            return ""
        grad_fn = t.grad_fn
    except EngineError:
        return "grad_fn=<Invalid>"
    return "requires_grad=True" if grad_fn is None else f"grad_fn=<{type(grad_fn).__name__}>"


def _with_suffixes(text: str, suffixes: list[str], indent: int, apart: bool = False) -> str:
    """A text and what is said after it; ``apart``: on lines of its own."""
    # PyTorch counts two characters too many for a line without a break before it.
    length = len(text) - text.rfind("\n") + 1
    for i, suffix in enumerate(suffixes):
        if length + len(suffix) + 2 > options.linewidth or (apart and i == 0):
            text += ",\n" + " " * indent + suffix
            length = indent + len(suffix)
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text + ")"


# -- the numbers -----------------------------------------------------------------------------


def _numbers(a: Array, indent: int) -> str:
    """The elements as nested lists; of many, those at the edges."""
    edge = options.edgeitems
    cut = [False] * a.ndim
    if a.size > options.threshold:
        if not edge and a.ndim:
            return "[...]"
        cut = [n > 2 * edge for n in a.shape]
        for axis, shortened in enumerate(cut):
            if shortened:
                at = (slice(None),) * axis
                a = np.concatenate((a[*at, :edge], a[*at, -edge:]), axis)
    cells, width = _cells(a)
    if a.ndim == 0:
        return cells[0]
    return _nested(cells, a.shape, cut, indent, width)


def _nested(cells: list[str], shape: tuple[int, ...], cut: list[bool], indent: int, width: int) -> str:
    edge = options.edgeitems
    if len(shape) == 1:
        if cut[0]:
            cells = [*cells[:edge], " ...", *cells[edge:]]
        per_line = max(1, math.floor((options.linewidth - indent) / (width + 2)))
        lines = [", ".join(cells[i : i + per_line]) for i in range(0, len(cells), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    step = len(cells) // shape[0]
    rows = [
        _nested(cells[i : i + step], shape[1:], cut[1:], indent + 1, width) for i in range(0, len(cells), step)
    ]
    if cut[0]:
        rows.insert(edge, "...")
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(rows) + "]"


def _cells(a: Array) -> tuple[list[str], int]:
    """Every element as text, all but a few odd ones equally wide, and that width."""
    values = [a.item()] if a.ndim == 0 else a.ravel().tolist()
    if a.dtype.kind == "c":
        reals, width = _float_cells([v.real for v in values])
        imags, width2 = _float_cells([v.imag for v in values])
        # A plus joins the parts, unless the second has a sign of its own.
        parts = [(x, y.lstrip() + "j") for x, y in zip(reals, imags, strict=True)]
        return [x + y if y[0] in "+-" else f"{x}+{y}" for x, y in parts], width + width2 + 1
    if a.dtype.kind == "f":
        return _float_cells(values)
    cells = [str(v) for v in values]
    width = max(map(len, cells))
    return [c.rjust(width) for c in cells], width


def _float_cells(values: list[float]) -> tuple[list[str], int]:
    # Zeros, infinities and nans have no say in the notation and the width.
    telling = [v for v in values if v and v - v == 0]
    if not telling:
        return [_whole(v) for v in values], 1
    show = _notation(telling)
    width = max(map(len, map(show, telling)))
    return [show(v).rjust(width) for v in values], width


def _notation(telling: list[float]) -> Callable[[float], str]:
    """Choose the format for numbers that are all finite and not zero."""
    scientific = options.sci_mode
    if scientific is None:
        sizes = [abs(v) for v in telling]
        low, high = min(sizes), max(sizes)
        scientific = high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4
    if scientific:
        return f"{{:.{options.precision}e}}".format
    if all(v.is_integer() for v in telling):
        return _whole
    return f"{{:.{options.precision}f}}".format


def _whole(v: float) -> str:
    text = f"{v:.0f}"
    return text + "." if v - v == 0 else text
