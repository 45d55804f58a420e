"""Tries: a custom backward, or what it calls or is kept for it, run once more with a change in it."""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode, KeptOutput
from ...engine.tensor import Tensor, result
from ...errors import LimitError, SpecError, Unsupported
from ...spec.language.machine import Machine
from ...spec.values.user_definitions import UserFunction
from ..arrays import Array
from ..claims.op_alone import Alone, Refused
from ..replay.plan import Unreplayable
from .kept_state import KeptState
from .methods import statements_of, written_beside
from .small_changes import Change, is_simple

# So many times the steps of the backward itself may be taken with a change.
_STEPS = 4
# A claim is found again where it differs by less of its size.
CLOSE, TINY = 1e-7, 1e-290
# A number is found in so many steps, at most so large, with so many decimals.
_SECANTS, _LARGEST, _DECIMALS = 5, 1e6, 9
# What an interpreter refuses of a change.
_REFUSED = (Refused, Unreplayable, SpecError, LimitError, Unsupported)


class Truth(NamedTuple):
    """The true gradient of an argument, and how far it is sure."""

    slot: int
    value: Array
    doubt: Array

    def fits(self, claim: Array) -> bool:
        """Tell whether a claim is it."""
        return claim.shape == self.value.shape and bool((np.abs(claim - self.value) <= self.doubt).all())


class Trial:
    """Runs a backward, or a forward and its backward, with a change in it."""

    def __init__(
        self,
        node: FunctionNode,
        alone: Alone,
        weights: Sequence[Array],
        truths: Sequence[Truth],
        backward: UserFunction,
        forwards: Collection[UserFunction],
    ) -> None:
        self.node = node
        self.whole = alone
        self.alone = copy.copy(alone)
        self.weights = weights
        self.truths = truths
        self.kept = KeptState(list(vars(node).values()))
        machine = backward.machine
        before = machine.steps
        beside = [(method, x) for method in written_beside(backward) for x in statements_of(method)]
        counts = [_turns(machine, beside)]
        try:
            alone.claims_at(alone.at, weights)
            counts.append(_turns(machine, beside))
        except _REFUSED:
            # A forward that writes to its argument takes none that is a leaf.
            beside = []
        # It may write to what the forward kept.
        self.alone.node = _with_own_saved(node)
        self.alone.claims(weights)
        counts.append(_turns(machine, beside))
        # What is run behind the backward, by whatever name, and not before a gradient arrives.
        self.only_behind = [
            place for place, *turns in zip(beside, *counts, strict=False) if _is_only_behind(*turns)
        ]
        # What runs before a gradient arrives, or what that makes may be kept.
        self.forwards = {*forwards, *(method for method, _ in self.only_behind)}
        self.steps = _STEPS * (before - machine.steps) + 100

    def wrong_with(self, method: UserFunction, change: Change) -> set[int]:
        """The slots whose gradients are wrong with a change of a method; all where it cannot be run."""
        if change.free is not None and not self._find(method, change, change.free):
            return self.slots
        claims = self._claims(method, change)
        return self.slots if claims is None else self._wrong(claims)

    @property
    def slots(self) -> set[int]:
        """All slots."""
        return {x.slot for x in self.truths}

    def _wrong(self, claims: Sequence[Array]) -> set[int]:
        return {x.slot for x, claim in zip(self.truths, claims, strict=True) if not x.fits(claim)}

    def _find(self, method: UserFunction, change: Change, free: ast.Constant) -> bool:
        """Give a number the value with which the gradients come nearest to the truth; whether there is such a value.

        By secants: a gradient is linear in most of its factors, or in what is one by them.
        """
        start: Any = free.value
        here, off = start, self._off(self._claims(method, change))
        other = start + (1 if isinstance(start, int) else 2.0**-10 * (abs(start) or 1.0))
        inverse: float | None = None
        for turn in range(_SECANTS):
            free.value = other
            there = self._off(self._claims(method, change))
            if off is None or there is None or off.shape != there.shape:
                return False
            if turn == 0:
                inverse = _inverse_root(start, other, off, there)
            elif inverse is not None and not _is_small(there, off):
                other, inverse = inverse, None
                continue
            with np.errstate(all="ignore"):
                slope = (there - off) / (other - here)
                better = float(other - (there @ slope) / (slope @ slope))
            if not np.isfinite(better) or abs(better) > _LARGEST:
                return False
            here, off, other = other, there, _rounded(better)
            if abs(other - here) <= CLOSE * abs(here):
                break
        free.value = other
        return bool(other != start) and (isinstance(other, int) or isinstance(start, float) or is_simple(other))

    def _off(self, claims: Sequence[Array] | None) -> Array | None:
        """The distance of claims from what was measured, in one row, each beside the size of what is true."""
        if claims is None or any(x.value.shape != claim.shape for x, claim in zip(self.truths, claims, strict=True)):
            return None
        sizes = [np.abs(x.value).max(initial=TINY) for x in self.truths]
        pairs = zip(claims, self.truths, sizes, strict=True)
        return np.concatenate([np.ravel(claim - x.value) / size for claim, x, size in pairs])

    def _claims(self, method: UserFunction, change: Change) -> list[Array] | None:
        """Run a method with a change in it, silently and in few steps."""
        try:
            with self._changed(method, change):
                if method in self.forwards:
                    return self.whole.claims_at(self._at(), self.weights)
                # A change may write to what the forward kept.
                self.alone.node = _with_own_saved(self.node)
                return self.alone.claims(self.weights)
        except _REFUSED:
            return None
        finally:
            self.kept.put_back()

    def keeps_values(self, method: UserFunction, change: Change) -> bool:
        """Tell whether the outputs stay what they are with a change of a forward."""
        try:
            before, _ = self.whole.plan.recorded(self._at())
            with self._changed(method, change):
                after, _ = self.whole.plan.recorded(self._at())
        except _REFUSED:
            return False
        return all(np.array_equal(x._a, y._a) for x, y in zip(before, after, strict=True))

    def _at(self) -> list[Array]:
        return [np.array(a) for a in self.whole.at]

    @contextmanager
    def _changed(self, method: UserFunction, change: Change) -> Iterator[None]:
        machine = method.machine
        kept = method.body, machine.steps, machine._write, machine.room
        change.put(change.after)
        try:
            method.body = method.compile_again()
            machine.steps, machine._write = min(self.steps, machine.steps), _nowhere
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        finally:
            change.put(change.before)
            method.body, machine.steps, machine._write, machine.room = kept


def _turns(machine: Machine, places: Sequence[tuple[UserFunction, ast.stmt]]) -> list[int]:
    """Count the runs so far of each of some statements."""
    tracer = machine.tracer
    return [] if tracer is None else [tracer.turns_of(x) for _, x in places]


def _is_only_behind(start: int, both: int, end: int) -> bool:
    """Tell by its turns whether a statement is run by a backward, and not by its forward as well."""
    return 0 < both - start == end - both


def _inverse_root(one: float, two: float, off: Array, there: Array) -> float | None:
    """Where nothing is off, if that is linear in one by the number; None where no such line leads there."""
    if not one or not two:
        return None
    with np.errstate(all="ignore"):
        way = there - off
        part = -(off @ way) / (way @ way)
        root = 1 / np.float64(1 / one + part * (1 / two - 1 / one))
    return _rounded(float(root)) if np.isfinite(root) and _is_small(off + part * way, off) else None


def _is_small(some: Array, others: Array) -> bool:
    return bool(np.abs(some).max(initial=0.0) <= CLOSE * np.abs(others).max(initial=0.0))


def _rounded(number: float) -> float:
    """The shortest number that is as good: a whole one, or one of few decimals."""
    for digits in range(_DECIMALS):
        short = round(number, digits)
        if abs(short - number) <= CLOSE * abs(number):
            return int(short) if digits == 0 else short
    return number


def _nowhere(text: str) -> None:
    """Print nothing."""


def _with_own_saved(node: FunctionNode) -> FunctionNode:
    """The same node with copies of what it keeps."""
    twin = copy.copy(node)
    twin.extra = None
    twin.saved = tuple([_own(x) for x in node.saved or ()])
    return twin


def _own(x: Any) -> Any:
    if isinstance(x, (Tensor, KeptOutput)):
        return result(np.array(x.array if isinstance(x, KeptOutput) else x._a))
    return x
