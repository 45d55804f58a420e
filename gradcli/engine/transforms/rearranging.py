"""torch.func.rearrange: axes named in a pattern, and where they go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import EngineError, EngineTypeError, EngineValueError
from ..ops.shape.joining import stack
from ..tensor import Tensor

# The axes that a pattern leaves without a name.
_REST = "\N{HORIZONTAL ELLIPSIS}"


class _Side(NamedTuple):
    """One side of a pattern: for each axis the names of those that it is made of; None for the rest."""

    groups: list[list[str] | None]

    @property
    def names(self) -> list[str]:
        return [name for group in self.groups for name in ([_REST] if group is None else group)]


def rearrange(tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int) -> Tensor:
    """A tensor with axes in another order, taken apart or joined, as a pattern like ``"b (h w) c -> b c h w"`` says."""
    if not isinstance(tensor, (Tensor, list, tuple)):
        raise EngineTypeError(
            f"stack(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensor).__name__}"
        )
    if type(pattern) is not str:
        raise EngineTypeError(f"rearrange(): argument 'pattern' must be str, not {type(pattern).__name__}")
    x: Any = tensor if isinstance(tensor, Tensor) else stack(tensor)
    left, right = _sides(pattern, axes_lengths)
    axes = _axes(left, x.ndim)
    sizes = _sizes(axes, x.shape, axes_lengths)
    order = [name for names in axes for name in names]
    x = x.reshape([sizes[name] for name in order])
    nameless = [i for i, name in enumerate(order) if name.startswith("1")]
    if nameless:
        # Axes without a name go.
        x = x.sum(nameless)
        order = [name for name in order if not name.startswith("1")]
    rest = [name for name in order if name.startswith(_REST)]
    joined = [_spread(group, rest) for group in right.groups]
    goal = [name for names in joined for group in names for name in group if not name.startswith("1")]
    shape = [math.prod(sizes.get(name, 1) for name in group) for names in joined for group in names]
    return x.permute([order.index(name) for name in goal]).reshape(shape)  # type: ignore[no-any-return]


def _spread(group: list[str] | None, rest: list[str]) -> list[list[str]]:
    """The axes that a part of the right side stands for, each by the names that it is made of."""
    if group is None:
        return [[name] for name in rest]
    return [[each for name in group for each in (rest if name == _REST else [name])]]


def _axes(left: _Side, ndim: int) -> list[list[str]]:
    """For each axis of the tensor the names of those that it is made of."""
    named = len(left.groups) - (None in left.groups)
    if named != ndim if None not in left.groups else named > ndim:
        less = "less than or " if None in left.groups else ""
        raise EngineValueError(
            f"Number of dimensions in pattern ({named}) must be {less}equal to the number of dimensions in the tensor "
            f"({ndim})"
        )
    rest = [[f"{_REST}{i}"] for i in range(ndim - named)]
    axes: list[list[str]] = []
    for k, group in enumerate(left.groups):
        # An axis without a name is told from others by its place.
        axes += rest if group is None else [[f"1{k}" if name == "1" else name for name in group]]
    return axes


def _sizes(axes: list[list[str]], shape: Sequence[int], given: dict[str, int]) -> dict[str, int]:
    """The length of each axis: as given, as the tensor has it, or what is left of an axis that is taken apart."""
    sizes: dict[str, int] = {}
    for names, n in zip(axes, shape, strict=True):
        unknown = [name for name in names if name not in given]
        known = math.prod(given[name] for name in names if name in given)
        if len(unknown) > 1:
            raise EngineError(f"cannot infer the sizes of two dimensions at once {unknown[0]} and {unknown[1]}")
        if n % known if unknown else n != known:
            parts = tuple(given.get(name, "?") for name in names)
            raise EngineError(f"inferred dimension does not evenly fit into larger dimension: {n} vs {parts}")
        sizes.update({name: given[name] for name in names if name in given})
        sizes.update(dict.fromkeys(unknown, n // known))
    return sizes


def _sides(pattern: str, given: dict[str, int]) -> tuple[_Side, _Side]:
    parts = pattern.split("->")
    if len(parts) != 2:
        raise EngineValueError("Pattern must contain a single '->' separator")
    left, right = _side(parts[0]), _side(parts[1])
    if _REST in right.names and _REST not in left.names:
        raise EngineValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if _REST in left.names and None not in left.groups:
        raise EngineValueError("Ellipsis inside parenthesis in the left side is not allowed: " + pattern)
    ours, theirs = ({name for name in side.names if name != "1"} for side in (left, right))
    alone = ours ^ theirs
    if alone:
        raise EngineValueError(
            f"Identifiers only on one side of rearrange expression (should be on both): {_set_of(alone)}"
        )
    unknown = set(given) - ours
    if unknown:
        raise EngineValueError(f"Identifiers not found in rearrange expression: {_set_of(unknown)}")
    return left, right


def _set_of(names: set[str]) -> str:
    return "{" + ", ".join(map(repr, sorted(names))) + "}"


def _side(text: str) -> _Side:
    """The axes that one side of a pattern names."""
    marked = text
    if "." in text:
        if "..." not in text:
            raise EngineValueError("Expression may contain dots only inside ellipsis (...)")
        if text.count("...") != 1 or text.count(".") != 3:
            raise EngineValueError(
                "Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor "
            )
        marked = text.replace("...", _REST)
    groups: list[list[str] | None] = []
    inside: list[str] | None = None
    seen: set[str] = set()
    for word in marked.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            if inside is not None:
                raise EngineValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            inside = []
        elif word == ")":
            if inside is None:
                raise EngineValueError("Brackets are not balanced")
            groups.append(inside)
            inside = None
        else:
            _check_name(word, seen)
            if inside is not None:
                inside += [] if word == "1" else [word]
            else:
                groups.append(None if word == _REST else [word])
    if inside is not None:
        raise EngineValueError(f"Imbalanced parentheses in expression: '{text}'")
    return _Side(groups)


def _check_name(word: str, seen: set[str]) -> None:
    """Refuse what is no name of an axis, or one that is there already."""
    if word in seen:
        raise EngineValueError(f"Indexing expression contains duplicate dimension '{word}'")
    if word == "1":
        return
    if word != _REST:
        why = ""
        if not word.isidentifier():
            why = "not a valid python identifier"
        elif word.startswith("_") or word.endswith("_"):
            why = "axis name should should not start or end with underscore"
        if why:
            raise EngineValueError(f"Invalid axis identifier: {word}\n{why}")
    seen.add(word)
