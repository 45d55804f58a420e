"""Lengths as a line of small bars, by their logarithm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

_BARS, _TWINS = "▁▂▃▄▅▆▇█", "_.,-=+*#"
# Of nothing at all, and of what is not finite.
NOTHING, WRONG = "0", "!"


class Scale:
    """The logarithms between which bars grow, the same for all lines that are to be compared."""

    def __init__(self, lengths: Iterable[float | None], ascii: bool) -> None:
        known = [length for length in lengths if length is not None and 0 < length < math.inf]
        self.low, self.high = (min(known), max(known)) if known else (1.0, 1.0)
        self.bars = _TWINS if ascii else _BARS

    def line(self, lengths: Sequence[float | None], room: int) -> str:
        """Lengths in so many bars at most; of more, each bar is the mean of some."""
        known = [length for length in lengths if length is not None]
        bars = min(room, len(known))
        edges = [n * len(known) // bars for n in range(bars + 1)] if bars else []
        return "".join(self.bar(known[start:end]) for start, end in pairwise(edges))

    def bar(self, lengths: Sequence[float]) -> str:
        """The bar of a few lengths."""
        if not all(map(math.isfinite, lengths)):
            return WRONG
        some = [math.log(length) for length in lengths if length]
        if not some:
            return NOTHING
        if self.low == self.high:
            return self.bars[len(self.bars) // 2]
        low, high = math.log(self.low), math.log(self.high)
        share = (math.fsum(some) / len(some) - low) / (high - low)
        return self.bars[max(0, min(len(self.bars) - 1, int(share * len(self.bars))))]
