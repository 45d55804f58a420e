"""One claimed derivative, judged."""

from __future__ import annotations

from typing import NamedTuple

from ...verdicts import Severity, Verdict as Verdict, of

# A slope without a bound passes when the claim is infinite, too: `Judged.infinite` tells.
PASSES = of(Severity.PASSES)
# What passes unless --strict is given.
TOLERATED = of(Severity.TOLERATED)
# What says that a claim is no derivative, and how.
BLAMED = of(Severity.BLAMED)
UNDECIDED = of(Severity.UNDECIDED)
# What an op can be to blame for.
FAULTY = BLAMED | {Verdict.INACCURATE}

# How much a verdict weighs beside others of the same result: the gravest is the result's.
GRAVITY = tuple(sorted(Verdict, key=lambda verdict: verdict.gravity))


class Judged(NamedTuple):
    """The judgement of one derivative: of one output along one direction."""

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
    # Of what the claim is a backward's answer, where the estimate comes of another one and was not measured; no words
    # where it was asked the same.
    answer_of: str | None = None

    @property
    def bars_away(self) -> float:
        """The number of error bars between the claim and the estimate."""
        width = self.bar + self.claim_bar
        away = abs(self.claimed - self.estimate) / width if width else float("inf")
        return away if away == away else float("inf")

    @property
    def off(self) -> float:
        """The error of the claim as a part of its size; infinite where it is no number."""
        size = max(abs(self.claimed), abs(self.estimate))
        off = abs(self.claimed - self.estimate) / size if size else 0.0
        return off if off == off else float("inf")

    @property
    def is_right(self) -> bool:
        """Tell whether nothing at all is to be said against the claim."""
        return self.verdict in (Verdict.PASS, Verdict.PASS_ZERO)


def of_share(factor: float) -> str:
    """Words for the gradient that arrives at a backward which is handed so many times its own."""
    words = {0.0: "no gradient", 0.5: "half the gradient"}
    return f"of {words.get(factor) or f'{factor:g} times the gradient'}"
