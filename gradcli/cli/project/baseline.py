"""The findings that a project knows of: they stay visible and fail nothing; whatever is new does."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

from ...check.judging.findings import Finding
from ...errors import InputError
from ...report.check.outcome import Outcome, Standing, code_of, standing
from ...spec.input.disk import open_regular, read_up_to
from ..target import Target

SCHEMA = "gradcli.baseline/1"
_LARGEST = 16_000_000

# A spec, an output, an input, an order and the code of what is wrong.
Known = tuple[str, str, str, int, str]


class Baseline:
    """The findings that are known already, and how much of them was met."""

    def __init__(self, path: str, update: bool, *sources: str) -> None:
        self.path = path
        self.update = update
        self.target = Target(path, *sources) if update else None
        self.known = set() if update and not os.path.lexists(path) else _read(path)
        self.met: set[Known] = set()

    def allow(self, outcome: Outcome) -> None:
        """Make an exception of what is known, or of all that there is where the file is written anew."""
        for finding in outcome.checked.findings:
            if standing(finding, outcome.options) in (Standing.WRONG, Standing.UNDECIDED):
                known = _key(outcome, finding)
                if self.update or known in self.known:
                    finding.allowed = True
                    self.met.add(known)

    def unneeded(self, outcomes: Iterable[Outcome]) -> set[Known]:
        """The known findings of the specs that were checked, and were not met."""
        checked = {outcome.name for outcome in outcomes if outcome.checked.failure is None}
        return {known for known in self.known - self.met if known[0] in checked}

    def write(self, outcomes: Iterable[Outcome]) -> None:
        """Write what was met, and what is known of specs that were not checked."""
        assert self.target is not None
        lines = sorted((self.known - self.unneeded(outcomes)) | self.met)
        rows = ",\n".join(json.dumps(line) for line in lines)
        self.target.write([f'{{"schema": "{SCHEMA}",\n"known": [\n{rows}\n]}}\n'.encode()])


def _key(outcome: Outcome, finding: Finding) -> Known:
    name = outcome.name.replace(os.sep, "/")
    return name, finding.output, finding.input, finding.order, code_of(finding, outcome.options) or ""


def _read(path: str) -> set[Known]:
    file, _ = open_regular(path, missing="`--update-baseline` writes it")
    with file:
        data = read_up_to(file, _LARGEST)
    try:
        found = json.loads(data)
        known = found["known"] if found["schema"] == SCHEMA else None
    except (ValueError, TypeError, KeyError, RecursionError):
        known = None
    if not isinstance(known, list) or not all(map(_is_known, known)):
        help = "`--update-baseline` writes one; move this file away first"
        raise InputError(f"'{path}' is no baseline of gradcli", help=help, code="E502")
    return {tuple(one) for one in known}


def _is_known(value: Any) -> bool:
    kinds: Sequence[type] = (str, str, str, int, str)
    return isinstance(value, list) and [type(part) for part in value] == list(kinds)
