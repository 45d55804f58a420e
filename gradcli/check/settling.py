"""The search for the causes of findings: an op, a matrix meant to be symmetric, or a hole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LimitError
from .judging.entries import probe
from .judging.findings import Finding, Options
from .judging.verdict import FAULTY
from .replay.subject import Subject

if TYPE_CHECKING:
    from .blaming.blamer import Blamer


def settled(
    found: list[Finding], subject: Subject, options: Options, rng: np.random.Generator,
    blame: Callable[[list[Finding]], None], order: int = 1,
) -> Subject | None:
    """Find what is to blame for what is wrong, unless a matrix is meant to be symmetric, or there is a hole.

    Of a hole, the program beside it.
    """
    if all(finding.passes(Options()) for finding in found):
        blame(found)
        return None
    from .doubts import in_doubt
    from .judging.special_points.holes import told_as_holes

    with _guessing(found, subject, rng), in_doubt(found, subject, options):
        if order == 1 and not options.everywhere:
            from .moving.meant_symmetric import told_as_symmetric

            told_as_symmetric(found, subject, rng)
        blame(found)
        return told_as_holes(found, subject, lambda there: probe(there, options, rng, order))


@contextmanager
def _guessing(found: list[Finding], subject: Subject, rng: np.random.Generator) -> Iterator[None]:
    """Say what may be to blame, where the time ends before that is known."""
    try:
        yield
    except LimitError:
        from .blaming.blamer import Blamer

        Blamer(subject, rng).guess(found)
        raise


def settled_in_time(found: list[Finding], subject: Subject, options: Options, rng: np.random.Generator) -> None:
    """Find what is to blame, as far as there is time: what is known to be wrong is told in any case."""
    try:
        settled(found, subject, options, rng, blamer(subject, rng))
    except LimitError:
        if not any(finding.fails(options) for finding in found):
            raise


def blamer(subject: Subject, rng: np.random.Generator) -> Callable[[list[Finding]], None]:
    """A function that says which op is to blame for what is wrong: each op is looked at once, and none without need."""
    made: list[Blamer] = []

    def blame(found: list[Finding]) -> None:
        if any(finding.verdict in FAULTY for finding in found):
            from .blaming.blamer import Blamer

            made[:] = made or [Blamer(subject, rng)]
            made[0].blame(found)

    return blame
