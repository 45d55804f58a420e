"""Someone's function as the subject of a check: a plan that calls it for every point, and no graph."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...engine.tape.tape import recording
from ...engine.tensor import result
from ...errors import Span
from ..arrays import Array
from ..replay.one_op import Change
from ..replay.plan import Plan, Unreplayable
from ..replay.recorded_graph import Graph, Input, Output, Unrepeatable
from ..replay.subject import Subject
from ..slopes.magnitude import signed
from .function import Real, Refused

# Where every point is a call, entries are looked at alone up to so many.
_MOST_ENTRIES = 32


class ForeignPlan(Plan):
    """The outputs of someone's function at other values of its inputs."""

    # Its own complex numbers are taken apart before it is asked.
    is_of_complex = False

    at_once = False
    is_outside = True
    most_entries = _MOST_ENTRIES

    def __init__(self, function: Real, at: Sequence[Array], values: Sequence[Array]) -> None:
        self.function = function
        self.at = list(at)
        self._values = list(values)
        self.nodes = []
        self.functions = {}
        self.roots = self.leaves = []
        self.shapes = [np.shape(a) for a in values]
        self.size = sum(np.size(a) for a in values)
        self.kept = {}

    @property
    def nbytes(self) -> int:
        """The bytes that the values of one point take."""
        return int(8 * (self.size + sum(a.size for a in self.at)))

    def widest(self, moved: Sequence[bool]) -> int:
        """The same: what is held on the way is not known."""
        return self.nbytes

    def outputs(self, arrays: Sequence[Any]) -> list[Any]:
        """The outputs at other values; not numbers where there are none."""
        if any(np.iscomplexobj(a) for a in arrays):
            found = self.function.beside(arrays)
            if found is None:
                raise Unreplayable(None, "it is no function of complex numbers")
            return found
        is_here = all(a is b or np.array_equal(a, b) for a, b in zip(arrays, self.at, strict=True))
        if self._is_long:
            # From here on: what is left of so many digits is what the differences are made of.
            return [np.zeros(shape) for shape in self.shapes] if is_here else self._changes(arrays)
        return list(self._values) if is_here else self._called(arrays)

    def _called(self, arrays: Sequence[Any]) -> list[Any]:
        try:
            return self.function.values(arrays)
        except Refused:
            return [np.full(shape, np.nan) for shape in self.shapes]

    @cached_property
    def _is_long(self) -> bool:
        """True of a function that computes with more digits when it is given more, and has no complex step."""
        return self.function.is_long and self.function.beside(self.at) is None

    @cached_property
    def _long_here(self) -> list[Array]:
        return self.function.long(self.at)

    def _changes(self, arrays: Sequence[Any]) -> list[Any]:
        try:
            there = self.function.long(arrays)
        except Refused:
            return [np.full(shape, np.nan) for shape in self.shapes]
        return [np.asarray(a - b, np.float64) for a, b in zip(there, self._long_here, strict=True)]

    def depends(self, root: int, leaf: int) -> bool:
        """Nothing is known: it may."""
        return True

    def recorded(self, arrays: Sequence[Any]) -> Any:
        """Refused: the function itself is asked for its gradient."""
        raise Unreplayable(None, "the function is called again")

    def batch(
        self, arrays: Sequence[Any], moved: Sequence[bool], count: int, change: Change | None = None
    ) -> list[Any]:
        """The outputs at many points: by few calls where the library can do that, else one call for each."""
        found = self.function.many(arrays, moved, count)
        if found is not None:
            return found
        is_plain = not self._is_long and not any(np.iscomplexobj(a) for a in arrays)
        call = self._called if is_plain else self.outputs
        points = [call([a[i] if m else a for a, m in zip(arrays, moved, strict=True)]) for i in range(count)]
        return [np.stack(several) for several in zip(*points, strict=True)]


class ForeignSubject(Subject):
    """Someone's function at a point."""

    def __init__(self, function: Real, at: Sequence[Array] | None = None, span: Span | None = None) -> None:
        here = function.at if at is None else [np.array(a, own.dtype) for a, own in zip(at, function.at, strict=True)]
        values = function.values_at if at is None else _valued(function, here)
        self.function = function
        self._span = span
        self._here = here
        # Whether it is the point that was given.
        self._is_home = at is None
        self._pull: Callable[[Sequence[Array | None]], list[Array | None]] | None = None
        # The last weights, and what was claimed for them.
        self._claimed: tuple[Sequence[Any], list[Array | None]] = (), []
        # The first weights that were asked about, and what was claimed then.
        self.first_claim: tuple[list[Any], list[Array | None]] | None = None
        self._weights: list[Array] = []
        inputs = [Input(p.name, result(np.array(a)), span, False) for p, a in zip(function.parts, here, strict=True)]
        outputs = [
            Output(p.name, result(np.array(a)), span, None) for p, a in zip(function.outputs, values, strict=True)
        ]
        with recording() as tape:
            graph = Graph([], {})
        super().__init__(function.library.name, inputs, outputs, graph, tape, self._record)

    def _record(self, arrays: Sequence[Any] | None, *_: Any) -> Subject:
        return ForeignSubject(self.function, self._here if arrays is None else arrays, self._span)

    @cached_property
    def plan(self) -> Plan:
        """The function itself, to be called again."""
        return ForeignPlan(self.function, self._here, self.numbers)

    def claim(self, weights: Sequence[Any]) -> list[Array | None]:
        """The claimed derivative of the function, times these weights; it is asked once for the same ones."""
        last, found = self._claimed
        if len(last) == len(weights) and all(map(operator.is_, last, weights)):
            return list(found)
        if self._pull is None:
            self._pull = self.function.pull if self._is_home else self.function.pulled(self._here)
        shaped = [
            None if w is None else np.asarray(w, np.float64).reshape(y.shape)
            for w, y in zip(weights, self.numbers, strict=True)
        ]
        self._claimed = list(weights), self._pull(shaped)
        if self.first_claim is None:
            self.first_claim = shaped, self._claimed[1]
        return list(self._claimed[1])

    def weights(self, rng: np.random.Generator) -> list[Array]:
        """Random weights of all numbers of the outputs, always the same ones."""
        if not self._weights:
            for y in self.numbers:
                self._weights.append(np.asarray(np.asarray(signed(y.shape, rng), y.dtype), np.float64))
        return self._weights

    def backward(self, weights: Sequence[Any], *, hooks: bool = False, observer: Any = None) -> list[Array | None]:
        """The same: there is no graph to observe."""
        return self.claim(weights)


def _valued(function: Real, here: Sequence[Array]) -> list[Array]:
    try:
        return function.values(here)
    except Refused as error:
        raise Unrepeatable(str(error)) from None
