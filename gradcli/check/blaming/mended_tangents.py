"""Which argument's tangents a ``jvp`` gets wrong, and by trial which small change of it would make them right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...engine.forward import recorded
from ...engine.function import FunctionNode
from ...engine.graph import node_of
from ...engine.tape.entry import entry_of
from ...errors import LimitError, Span, SpecError, Unsupported, raised_by_program
from ...spec.values.user_definitions import UserFunction
from ..arrays import Array
from ..claims.op_alone import Alone
from .mended import NOTHING, Search, mended_at
from .small_changes import Change
from .trial import CLOSE, TINY, Trial, Truth
from .true_values import Evidence
from .where_written import computed_in, method_of

# So many sums of an output's tangents are compared with those of the backward.
_SUMS = 4
# A jvp takes no more steps than so many times what it usually does.
_STEPS, _LEAST = 4, 100


class WrongTangents(NamedTuple):
    """The argument whose tangents are wrong, and where the jvp computes them, in words, too."""

    slot: int
    span: Span | None
    sentence: str | None


def located(node: FunctionNode, directions: Mapping[int, Array], rng: np.random.Generator) -> WrongTangents | None:
    """Find what of a jvp is wrong, as its backward is right; ``directions``: the tangents of its arguments by slot.

    None where no argument alone is wrong.
    """
    jvp = method_of(node, "jvp")
    if jvp is None:
        return None
    trial = _Trial(node, jvp, directions, rng)
    claims = trial.sums()
    if claims is None:
        return None
    wrong = {x.slot for x, claim in zip(trial.truths, claims, strict=True) if not x.fits(claim)}
    if not wrong:
        return None
    own = computed_in(jvp)
    found = Search(jvp, node, trial, wrong, own.statements, Evidence()).mends() if trial.is_known else NOTHING
    return WrongTangents(min(wrong), *mended_at(found, min(wrong), own))


class _Trial(Trial):
    """Pushes the tangents of each argument alone, with a change in the jvp or in what it is kept."""

    def __init__(
        self, node: FunctionNode, jvp: UserFunction, directions: Mapping[int, Array], rng: np.random.Generator
    ) -> None:
        self.node = node
        self.alone = Alone(node)
        self.only_behind = []
        weights = [self.alone.weights(rng) for _ in range(_SUMS)]
        claims = [self.alone.claims(w) for w in weights]
        self.weights = [np.concatenate([np.ravel(x) for x in w]) for w in weights]
        # What arrives twice moves together.
        self.moved: dict[Any, Array] = {}
        shares: dict[Any, Array] = {}
        slots: dict[Any, int] = {}
        for number, argument in enumerate(self.alone.arguments):
            edge = node.edges[argument.slot]
            if argument.slot in directions and edge is not None:
                key, d = (node_of(edge), getattr(edge, "nr", 0)), directions[argument.slot]
                self.moved[key] = d
                slots.setdefault(key, argument.slot)
                shares[key] = shares.get(key, 0.0) + np.array([float(np.sum(c[number] * d)) for c in claims])
        self.truths = [
            Truth(slots[key], share, np.full(share.shape, CLOSE * np.abs(share).max() + TINY))
            for key, share in shares.items()
        ]
        self.is_known = all(np.isfinite(x.value).all() for x in self.truths)
        before = jvp.machine.steps
        self.sums()
        self.steps = _STEPS * (before - jvp.machine.steps) + _LEAST

    def sums(self) -> list[Array] | None:
        """The sums of the outputs' tangents, for each argument that moves; None where the jvp stops."""
        entry = entry_of(self.node)
        assert entry is not None
        found = []
        for key, tangent in self.moved.items():
            try:
                made = recorded.through(self.node, entry, {key: tangent})
            except raised_by_program():
                # A jvp of the program's own may raise anything.
                return None
            some = [made[nr] for nr in self.alone.outputs]
            if any(t is None or np.shape(t) != shape for t, shape in zip(some, self.alone.shapes, strict=True)):
                return None
            row = np.concatenate([np.ravel(t) for t in some if t is not None])
            found.append(np.array([float(w @ row) for w in self.weights]))
        return found

    def _claims(self, method: UserFunction, change: Change) -> list[Array] | None:
        try:
            with self._changed(method, change), np.errstate(all="ignore"):
                return self.sums()
        except (SpecError, LimitError, Unsupported):
            # What an interpreter refuses of a change.
            return None

    def keeps_values(self, method: UserFunction, change: Change) -> bool:
        """A forward that is right stays what it is."""
        return False
