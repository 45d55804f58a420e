"""The parameters and buffers of modules: where a program writes to them by hand, no gradient is meant to pass."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..graph import LEAF
from ..tensor import Tensor
from .entry import KEPT, SHADOW, Cut

# The op of clone(), and those that move a tensor towards another one.
_COPYING = "copied"
_MOVING = frozenset({"add", "sub", "lerp"})
_COPIED = (SHADOW, KEPT)


class _Known(NamedTuple):
    """A tensor, the one that a module owns in the same memory, and whether that is a parameter, no buffer."""

    tensor: weakref.ref[Tensor]
    owned: weakref.ref[Tensor]
    is_parameter: bool


class Owned:
    """The parameters and buffers of modules, each with what shares its memory outside of the graph."""

    def __init__(self) -> None:
        # By the id() of a tensor, as long as it lives.
        self._known: dict[int, _Known] = {}

    def add(self, t: Tensor, is_parameter: bool) -> None:
        """Note what a module owns."""
        self._note(t, weakref.ref(t), is_parameter)

    def shares(self, alias: Tensor, source: Tensor) -> None:
        """Note that a tensor has the memory of another one, or is there in its place."""
        known = self._of(source)
        if known is not None:
            self._note(alias, known.owned, known.is_parameter)

    def copied(self, t: Tensor, source: Tensor) -> None:
        """Note that a tensor is to another module what its source is to one."""
        known = self._of(source)
        if known is not None:
            self.add(t, known.is_parameter)

    def behind(self, t: Tensor) -> Tensor | None:
        """The tensor that a module owns in the memory of one."""
        known = self._of(t)
        return None if known is None else known.owned()

    def as_state(self, t: Tensor, cuts: Sequence[Cut]) -> Sequence[Cut]:
        """Why numbers that are written into a tensor left their graphs: where a module owns it, they are its state.

        A buffer holds nothing else. A parameter does where it is moved towards others, as that of a momentum teacher or
        a target network; what is computed, and written into one, is not what was meant.
        """
        known = self._of(t)
        if known is None or (known.is_parameter and not all(map(self._is_of_parameter, cuts))):
            return cuts
        return kept(cuts)

    def of_result(self, name: str, t: Tensor, args: Sequence[Any], cuts: Sequence[Cut]) -> Sequence[Cut]:
        """Why an op's numbers left their graphs: a copy of a parameter may be moved towards it by hand."""
        if (name != _COPYING and name not in _MOVING) or not self._is_like_parameters(t, cuts):
            return cuts
        if name == _COPYING:
            return [Cut(SHADOW if c.reason != KEPT else KEPT, c.edge, c.label) for c in cuts]
        copied = any(c.reason in _COPIED for c in cuts)
        return kept(cuts) if copied and all(x._cuts for x in args[:2] if isinstance(x, Tensor)) else cuts

    def moves(self, t: Tensor, name: str, cuts: Sequence[Cut]) -> bool:
        """Tell whether a write moves a tensor that no module owns towards a parameter, as its shadow."""
        if self._of(t) is not None or t._base is not None or not self._is_like_parameters(t, (*t._cuts, *cuts)):
            return False
        if any(c.reason in _COPIED for c in t._cuts):
            return name in _MOVING or name == "copy"
        # What starts at zeros, or at numbers of a file, is no copy yet.
        return name in _MOVING and not t._cuts

    def _is_like_parameters(self, t: Tensor, cuts: Sequence[Cut]) -> bool:
        """Tell whether all these numbers are of parameters that have the shape of a tensor."""
        leaves = [c.node for c in cuts if c.node.kind == LEAF and self._is_of_parameter(c)]
        return len(leaves) == len(cuts) and all(x.variable._a.shape == t._a.shape for x in leaves)

    def _is_of_parameter(self, cut: Cut) -> bool:
        if cut.reason == KEPT:
            return True
        known = self._of(cut.node.variable) if cut.node.kind == LEAF else None
        return known is not None and known.is_parameter

    def _note(self, t: Tensor, owned: weakref.ref[Tensor], is_parameter: bool) -> None:
        key = id(t)
        self._known[key] = _Known(weakref.ref(t, lambda _: self._known.pop(key, None)), owned, is_parameter)

    def _of(self, t: Tensor) -> _Known | None:
        return self._known.get(id(t)) or self._known.get(id(t._base))


def kept(cuts: Sequence[Cut]) -> list[Cut]:
    """The same numbers, as those of a state."""
    return [Cut(KEPT, edge, label) for edge, label in dict.fromkeys((c.edge, c.label) for c in cuts)]
