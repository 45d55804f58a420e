"""What can be said of a claimed derivative, and what was found for one."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """What a check says of a derivative."""

    PASS = "PASS"
    PASS_ZERO = "PASS_ZERO"
    KINK_OK = "KINK_OK"
    EDGE_OK = "EDGE_OK"
    INFINITE_SLOPE = "INFINITE_SLOPE"
    SATURATED = "SATURATED"
    INACCURATE = "INACCURATE"
    WRONG = "WRONG"
    KINK_WRONG = "KINK_WRONG"
    EDGE_WRONG = "EDGE_WRONG"
    DISCONTINUITY = "DISCONTINUITY"
    NONDETERMINISTIC = "NONDETERMINISTIC"
    HIDDEN_PATH = "HIDDEN_PATH"
    UNRESOLVED = "UNRESOLVED"
    WITNESS_CONFLICT = "WITNESS_CONFLICT"
    DOMAIN = "DOMAIN"


# A slope without a bound passes when the claim is infinite, too: `Judged.infinite` tells.
PASSES = frozenset({Verdict.PASS, Verdict.PASS_ZERO, Verdict.KINK_OK, Verdict.EDGE_OK})
# What passes unless --strict is given.
TOLERATED = frozenset({Verdict.SATURATED, Verdict.INACCURATE})
# What says that a claim is no derivative, and how.
BLAMED = frozenset({Verdict.WRONG, Verdict.KINK_WRONG, Verdict.EDGE_WRONG})
UNDECIDED = frozenset({Verdict.UNRESOLVED, Verdict.WITNESS_CONFLICT, Verdict.DOMAIN})

# How much a verdict weighs beside others of the same result: the gravest is the result's.
GRAVITY = (
    Verdict.PASS_ZERO, Verdict.PASS, Verdict.EDGE_OK, Verdict.KINK_OK, Verdict.INFINITE_SLOPE, Verdict.SATURATED,
    Verdict.INACCURATE, Verdict.UNRESOLVED, Verdict.DOMAIN, Verdict.WITNESS_CONFLICT, Verdict.HIDDEN_PATH,
    Verdict.DISCONTINUITY, Verdict.EDGE_WRONG, Verdict.KINK_WRONG, Verdict.WRONG, Verdict.NONDETERMINISTIC,
)  # fmt: skip


class Judged(NamedTuple):
    """What was found of one derivative: of one output along one direction."""

    verdict: Verdict
    claimed: float
    # The best estimate with its error bar; not a number where there is none.
    estimate: float
    bar: float
    # The rounding error of the claim itself, where it was looked for.
    claim_bar: float = 0.0
    # One-sided slopes, where they were needed, and what complex step says, where it could be asked.
    left: float | None = None
    right: float | None = None
    witness: float | None = None
    # Verified digits.
    digits: float | None = None
    # Why it could not be resolved, at which step a staircase was seen ...
    note: str | None = None

    @property
    def bars_away(self) -> float:
        """How many error bars lie between the claim and the estimate."""
        width = self.bar + self.claim_bar
        away = abs(self.claimed - self.estimate) / width if width else float("inf")
        return away if away == away else float("inf")

    @property
    def off(self) -> float:
        """How far the claim is off, of its size; infinite where it is no number."""
        size = max(abs(self.claimed), abs(self.estimate))
        off = abs(self.claimed - self.estimate) / size if size else 0.0
        return off if off == off else float("inf")

    @property
    def is_right(self) -> bool:
        """Whether nothing at all is to be said against the claim."""
        return self.verdict in (Verdict.PASS, Verdict.PASS_ZERO)
