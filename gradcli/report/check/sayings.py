"""The sayings of a report about the specs that were checked: one a finding, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...check.judging.findings import Finding
from ...errors import Span
from .outcome import Outcome, Standing, code_of, standing
from .words import headline


class Said(NamedTuple):
    """One thing that a report has to say: of a finding, or of a spec that could not be run."""

    outcome: Outcome
    code: str
    message: str
    span: Span | None
    standing: Standing
    finding: Finding | None


# What fails comes first.
_ORDER = (Standing.WRONG, Standing.UNDECIDED, Standing.RIGHT, Standing.ALLOWED)


def gravest_first(outcomes: Iterable[Outcome]) -> list[Said]:
    """All there is to say, what fails first."""
    return sorted(said(outcomes), key=lambda one: _ORDER.index(one.standing))


def said(outcomes: Iterable[Outcome]) -> Iterator[Said]:
    """All there is to say, in the order of the specs; nothing of what is right."""
    for outcome in outcomes:
        for finding in outcome.checked.findings:
            code = code_of(finding, outcome.options)
            if code is not None:
                message = headline(finding, code)
                yield Said(outcome, code, message, finding.span, standing(finding, outcome.options), finding)
        failure = outcome.checked.failure
        if failure is not None:
            state = Standing.WRONG if failure.exit_code == 1 else Standing.UNDECIDED
            yield Said(outcome, failure.code, failure.message, failure.span, state, None)
