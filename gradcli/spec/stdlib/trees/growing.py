"""Decision trees as scikit-learn grows them, to the bit: the same splits, drawn by the same numbers.

A node is a run of the samples. A split is the best of a few features that are drawn, those that are constant aside;
what has no parts of a number is added up in any order, and else in the order in which scikit-learn has the samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...guard.size_limits import caps
from .introsort import in_its_order
from .targets import Sums, Target, squared

# Two values of a feature that are so near are one.
_NEAR = np.float32(1e-7)
_NO_IMPURITY = float(np.finfo(np.float64).eps)


@dataclass
class Settings:
    """Settings: when a node is a leaf, and how many features are drawn."""

    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    max_features: int
    min_impurity_decrease: float


class Features:
    """The features in the order in which they are drawn from, and what draws them."""

    def __init__(self, count: int, seed: int) -> None:
        self.order = list(range(count))
        self.constant = [0] * count
        self.seed = seed

    def below(self, low: int, high: int) -> int:
        """A whole number from a range, drawn by shifts."""
        x = self.seed or 1
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        self.seed = x = x ^ ((x << 5) & 0xFFFFFFFF)
        return low + x % 2**31 % (high - low)


@dataclass
class Split:
    """The best split of a node: the place in its samples, and what is on both sides."""

    feature: int
    threshold: float
    worth: float = -math.inf


class Growing:
    """A tree that grows, node by node, the left ones first."""

    def __init__(self, X: Any, target: Target, settings: Settings, seed: int) -> None:
        self.X, self.target, self.settings = X, target, settings
        self.features = Features(X.shape[1], seed)
        self.samples = np.flatnonzero(target.weights != 0.0)
        self.whole = np.cumsum(target.weights)[-1]
        # The squares of a node's targets, added up before its samples change places.
        self._squares = 0.0
        self.nodes: list[list[Any]] = []
        self.values: list[Any] = []

    def grow(self) -> None:
        """Split nodes until there are leaves alone."""
        waiting: list[tuple[int, int, int, int, int, float | None, int]] = [(0, len(self.samples), 0, -1, 0, None, 0)]
        while waiting:
            start, end, depth, parent, side, impurity, known = waiting.pop()
            caps.tick(20)
            total = self.target.total(self.samples[start:end])
            if impurity is None:
                impurity = self._impurity_of_root(total)
            number = len(self.nodes)
            self.nodes.append([-1, -1, -2, -2.0, float(impurity), end - start, float(total.weight)])
            self.values.append(total.parts / total.weight)
            if parent >= 0:
                self.nodes[parent][side] = number
            if self._is_leaf(depth, end - start, total.weight, impurity):
                continue
            if not self.target.classes:
                self._squares = self.target.squares(self.samples[start:end])
            split, known = self._best(start, end, total, known)
            if split is None:
                continue
            at, left, right, improvement = self._parted(start, end, split, total, impurity)
            if improvement + _NO_IMPURITY < self.settings.min_impurity_decrease:
                continue
            self.nodes[number][2:4] = [split.feature, split.threshold]
            waiting.append((at, end, depth + 1, number, 1, right, known))
            waiting.append((start, at, depth + 1, number, 0, left, known))

    def _is_leaf(self, depth: int, count: int, weight: Any, impurity: float) -> bool:
        given = self.settings
        return bool(
            depth >= given.max_depth or count < given.min_samples_split or count < 2 * given.min_samples_leaf
            or weight < 2 * given.min_weight_leaf or impurity <= _NO_IMPURITY
        )  # fmt: skip

    def _impurity_of_root(self, total: Sums) -> float:
        if self.target.classes:
            return float(self.target.impurity(total))
        return float(self.target.squares(self.samples) / total.weight - squared(total))

    # -- the best split of a node ----------------------------------------------------------------

    def _best(self, start: int, end: int, total: Sums, known: int) -> tuple[Split | None, int]:
        """The best split by features that are drawn, and how many of all are constant below here."""
        drawn, constants = self._drawn(start, end, known)
        count = end - start
        caps.tick(count * max(len(drawn), 1) // 8)
        caps.spend(count * len(drawn) * max(self.target.classes, 1), count * len(drawn) * max(self.target.classes, 1))
        best = None
        samples = self.samples[start:end]
        block = self.X[samples][:, [f for f, moves in drawn if moves]]
        order = np.argsort(block, axis=0, kind="stable")
        ordered = np.take_along_axis(block, order, axis=0)
        if self.target.exact or not (ordered[1:] == ordered[:-1]).any():
            rows, weights = self.target.rows[samples][order], self.target.weights[samples][order]
            best = self._best_of(ordered, rows, weights, total, [f for f, moves in drawn if moves])
            if not self.target.exact:
                for feature, _ in drawn:
                    self._sort(start, end, feature)
        else:
            for feature, moves in drawn:
                self._sort(start, end, feature)
                if moves:
                    samples = self.samples[start:end]
                    found = self._best_of(
                        self.X[samples, feature][:, None], self.target.rows[samples][:, None],
                        self.target.weights[samples][:, None], total, [feature],
                    )  # fmt: skip
                    best = found if found and (best is None or found.worth > best.worth) else best
        return best, constants

    def _sort(self, start: int, end: int, feature: int) -> None:
        samples = self.samples[start:end]
        self.samples[start:end] = samples[in_its_order(self.X[samples, feature])]

    def _drawn(self, start: int, end: int, known: int) -> tuple[list[tuple[int, bool]], int]:
        """Features one after another, whether each has several values here, and how many are known to have one."""
        order, constant = self.features.order, self.features.constant
        block = self.X[self.samples[start:end]]
        still = (block.max(axis=0) <= block.min(axis=0) + _NEAR).tolist()
        left, visited, found, drawn, total = len(order), 0, 0, 0, known
        taken: list[tuple[int, bool]] = []
        while left > total and (visited < self.settings.max_features or visited <= found + drawn):
            visited += 1
            at = self.features.below(drawn, left - found)
            if at < known:
                order[drawn], order[at] = order[at], order[drawn]
                drawn += 1
                continue
            at += found
            feature = order[at]
            taken.append((feature, not still[feature]))
            if still[feature]:
                order[at], order[total] = order[total], feature
                found += 1
                total += 1
                continue
            left -= 1
            order[left], order[at] = feature, order[left]
        order[:known] = constant[:known]
        constant[known : known + found] = order[known : known + found]
        return taken, total

    def _best_of(self, ordered: Any, rows: Any, weights: Any, total: Sums, names: list[int]) -> Split | None:
        """The best split by sorted features side by side: of equals the first."""
        count = len(ordered)
        places = np.arange(1, count)
        least = self.settings.min_samples_leaf
        allowed = ~(ordered[1:] <= ordered[:-1] + _NEAR)
        allowed &= ((places >= least) & (count - places >= least))[:, None]
        if not allowed.any():
            return None
        left = Sums(np.cumsum(weights, axis=0)[:-1], np.cumsum(rows, axis=0)[:-1])
        if not self.target.exact:
            for column in range(len(names)):
                self._from_behind(left, rows, weights, total, allowed, column)
        right = Sums(total.weight - left.weight, total.parts - left.parts)
        lightest = self.settings.min_weight_leaf
        allowed &= ~((left.weight < lightest) | (right.weight < lightest))
        with np.errstate(all="ignore"):
            worth = np.where(allowed, self.target.worth(left, right), -math.inf)
        column, place = divmod(int(np.argmax(worth.T)), count - 1)
        if worth[place, column] == -math.inf:
            return None
        below, above = float(ordered[place, column]), float(ordered[place + 1, column])
        return Split(names[column], below / 2.0 + above / 2.0, float(worth[place, column]))

    def _from_behind(self, left: Sums, rows: Any, weights: Any, total: Sums, allowed: Any, column: int) -> None:
        """Sums from where more is passed over than is left: all there is, less what is behind."""
        places = np.flatnonzero(allowed[:, column]) + 1
        count, before = len(weights), 0
        base: tuple[Any, Any] | None = None
        for place in places.tolist():
            if place - before > count - place:
                weight, parts = total.weight, total.parts
                for at in range(count - 1, place - 1, -1):
                    weight, parts = weight - weights[at, column], parts - rows[at, column]
                base = (weight, parts)
            elif base is not None:
                weight, parts = base
                for at in range(before, place):
                    weight, parts = weight + weights[at, column], parts + rows[at, column]
                base = (weight, parts)
            if base is not None:
                left.weight[place - 1, column], left.parts[place - 1, column] = base
            before = place

    # -- its two sides -----------------------------------------------------------------------------

    def _parted(
        self, start: int, end: int, split: Split, total: Sums, impurity: float
    ) -> tuple[int, float, float, float]:
        """The place where the right side begins, how impure both are, and how much better that is."""
        samples = self.samples[start:end]
        goes_left = self.X[samples, split.feature] <= split.threshold
        if self.target.exact:
            samples = np.concatenate([samples[goes_left], samples[~goes_left]])
        else:
            samples = samples[_swapped(goes_left.tolist())]
        self.samples[start:end] = samples
        count = int(goes_left.sum())
        left = self._left(samples, count, total)
        right = Sums(total.weight - left.weight, total.parts - left.parts)
        if self.target.classes:
            first, second = float(self.target.impurity(left)), float(self.target.impurity(right))
        else:
            squares = self.target.squares(samples[:count])
            first = float(squares / left.weight - squared(left))
            rest = self._squares - squares
            second = float(rest / right.weight - squared(right))
        share = total.weight / self.whole
        better = share * (impurity - (right.weight / total.weight * second) - (left.weight / total.weight * first))
        return start + count, first, second, float(better)

    def _left(self, samples: Any, count: int, total: Sums) -> Sums:
        if count <= len(samples) - count:
            return self.target.total(samples[:count])
        behind = samples[count:][::-1]
        weight = np.cumsum(np.concatenate([[total.weight], -self.target.weights[behind]]))[-1]
        parts = np.cumsum(np.concatenate([total.parts[None], -self.target.rows[behind]]), axis=0)[-1]
        return Sums(weight, parts)


def _swapped(goes_left: list[bool]) -> list[int]:
    """Places, those that go left first: what goes right is changed for what is last."""
    places = list(range(len(goes_left)))
    start, end = 0, len(places)
    while start < end:
        if goes_left[places[start]]:
            start += 1
        else:
            end -= 1
            places[start], places[end] = places[end], places[start]
    return places
