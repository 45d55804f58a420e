"""Heat of nodes and edges: the size of their gradient in a few shades, even by its logarithm."""

from __future__ import annotations

import math
from typing import NamedTuple

from .ask.crossing import total_length
from .numbers import norm
from .view.view import CONST, Edge, Item, View

GRAD = "grad"
SHADES = 7


class Heat:
    """The shades of one drawing."""

    def __init__(self, view: View) -> None:
        lengths = [length_of(item) for item in view.items] + [length_along(edge) for _, edge in view.edges()]
        known = [length for length in lengths if length is not None and 0 < length < math.inf]
        self.low, self.high = (min(known), max(known)) if known else (1.0, 1.0)
        self.has_zeros = 0.0 in lengths

    def shade(self, length: float | None) -> int | None:
        """The number of a shade, from 0; None where there is no gradient, or none that is finite."""
        if length is None or not 0 < length < math.inf:
            return None
        if self.low == self.high:
            return SHADES // 2
        share = math.log(length / self.low) / math.log(self.high / self.low)
        return max(0, min(SHADES - 1, int(share * SHADES)))

    def scale(self) -> list[tuple[int, float]]:
        """The shades with the length in the middle of each; of a single length only one."""
        if self.low == self.high:
            return [(SHADES // 2, self.low)]
        step = math.log(self.high / self.low) / SHADES
        return [(n, self.low * math.exp((n + 0.5) * step)) for n in range(SHADES)]


def length_of(item: Item) -> float | None:
    """The length of the gradient that arrives at an item."""
    if item.kind == CONST:
        return None
    if item.box is not None:
        return item.box.arrives
    if item.results:
        return total_length(output.grad for output in item.results)
    return None if item.grad is None else norm(item.grad)


def length_along(edge: Edge) -> float | None:
    """The length of the gradient along an edge."""
    return None if edge.grad is None or edge.to is None or edge.to.kind == CONST else norm(edge.grad)


class Shades(NamedTuple):
    """The colours of a scale, from the least to the greatest: those of nodes, and those of lines."""

    fills: tuple[str, ...]
    lines: tuple[str, ...]


LIGHT = Shades(
    ("#fff6dc", "#ffe8ae", "#fed583", "#fdb95e", "#fb983d", "#f2752d", "#e65a31"),
    ("#94897a", "#9c7f5c", "#a3703d", "#ad6024", "#b54d12", "#b5330d", "#a0100f"),
)
DARK = Shades(
    ("#2c2333", "#43263f", "#5c2844", "#752b43", "#8f3039", "#a83a2a", "#bf4a14"),
    ("#766f80", "#8f757c", "#a87d74", "#c0876b", "#d69263", "#eb9f5a", "#ffb04f"),
)
MONO = Shades(
    ("#f7f7f7", "#ebebeb", "#dedede", "#d0d0d0", "#c2c2c2", "#b3b3b3", "#a3a3a3"),
    ("#8c8c8c", "#787878", "#646464", "#505050", "#3c3c3c", "#262626", "#101010"),
)
