"""The outcomes of the specs that were to be checked, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ...check.judging.findings import Checked, Covered, Culprit, Entry, Finding, Options
from ...check.judging.verdict import PASSES, TOLERATED, Judged
from ...verdicts import Note, NoteKind, Standing as Standing, Verdict

# What an outcome is made of, as bytes have it.
RECORDS = (Checked, Covered, Finding, Entry, Judged, Verdict, Note, NoteKind, Culprit, Options)

# What a process ends with because of a bug of ours.
_BUG = 3


@dataclass(frozen=True)
class Outcome:
    """A spec as it was given, what was found, and how closely was looked."""

    name: str
    checked: Checked
    options: Options
    # The words of a command line that checks it again.
    again: tuple[str, ...] = ()
    # Its place among all that were meant, before they were divided, and how many those were.
    number: int = 0
    of: int = 0
    # Whether it was asked for in Python: no command line gives it again.
    in_python: bool = False

    @property
    def failed(self) -> bool:
        """True if a gradient or an assert is wrong."""
        failure = self.checked.failure
        return (failure is not None and failure.exit_code == 1) or any(
            standing(finding, self.options) is Standing.WRONG for finding in self.checked.findings
        )

    @property
    def clean(self) -> bool:
        """True if there is a verdict, and nothing is to be said against it."""
        return self.checked.failure is None and all(
            standing(finding, self.options) in (Standing.RIGHT, Standing.ALLOWED) for finding in self.checked.findings
        )


class Missing(NamedTuple):
    """The specs that were to be checked and were not, and why."""

    specs: int = 0
    why: str = ""
    interrupted: bool = False

    @property
    def text(self) -> str:
        """In words; nothing where none is missing."""
        return f"{self.why}: {_specs(self.specs)} not checked" if self.specs else self.why


def _specs(count: int) -> str:
    return "1 spec" if count == 1 else f"{count:,} specs"


def standing(finding: Finding, options: Options) -> Standing:
    """The standing of a finding."""
    if finding.passes(options):
        return Standing.RIGHT
    if finding.allowed:
        return Standing.ALLOWED
    return Standing.WRONG if finding.fails(options) else Standing.UNDECIDED


def tolerated(finding: Finding, options: Options) -> bool:
    """Tell whether it passes, and would not under --strict."""
    return finding.verdict in TOLERATED and finding.passes(options)


TOO_FEW_DIGITS = "G110"


def code_of(finding: Finding, options: Options) -> str | None:
    """The code of what is to be said of a finding; None where there is nothing."""
    if finding.passes(options) and finding.verdict not in TOLERATED:
        return None
    # What else could be said against a pass, or against what is tolerated, is how close it is.
    good = finding.verdict in PASSES or (finding.verdict in TOLERATED and not options.strict)
    return TOO_FEW_DIGITS if good and not finding.passes(options) else finding.verdict.code


def exit_code(outcomes: Iterable[Outcome], *, exit_zero: bool = False) -> int:
    """0: all is right; 1: a gradient or an assert is wrong; 2: there is no verdict of something; 3: a bug of ours."""
    codes = {0}
    for outcome in outcomes:
        failure = outcome.checked.failure
        is_bug = failure is not None and failure.exit_code == _BUG
        # What was found before a bug of ours is reported, and vouched for by nobody.
        if outcome.failed and not is_bug:
            codes.add(1)
        if failure is not None:
            codes.add(failure.exit_code)
        elif not outcome.clean:
            codes.add(1 if outcome.failed and not _undecided(outcome) else 2)
    if 1 in codes and not exit_zero:
        return 1
    return max(codes - {1})


def _undecided(outcome: Outcome) -> bool:
    return any(standing(f, outcome.options) is Standing.UNDECIDED for f in outcome.checked.findings)


class Tally(NamedTuple):
    """Count the results of each standing."""

    wrong: int = 0
    right: int = 0
    undecided: int = 0
    allowed: int = 0
    broken: int = 0

    @property
    def text(self) -> str:
        """In words, what there is none of left out, but for right and wrong."""
        parts = [f"{self.wrong} wrong, {self.right} right"]
        parts += [f"{n} {word}" for word, n in self._asdict().items() if n and word not in ("wrong", "right")]
        return ", ".join(parts)


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """The results of all specs, counted; an assert that does not hold counts as wrong."""
    count = dict.fromkeys(Tally._fields, 0)
    for outcome in outcomes:
        for finding in outcome.checked.findings:
            count[standing(finding, outcome.options).value] += 1
        failure = outcome.checked.failure
        if failure is not None:
            count["wrong" if failure.exit_code == 1 else "broken"] += 1
    return Tally(**count)


def reproduce(outcome: Outcome, finding: Finding) -> str:
    """A command line that gives this finding again."""
    from shlex import quote

    again = outcome.again or (outcome.name,)
    # Behind a -- all is the program's.
    end = again.index("--") if "--" in again else len(again)
    words = ["gradcli", "check", *again[:end]]
    if finding.order > 1:
        words += ["--order", str(finding.order)]
    for option, name in (("--output", finding.output), ("--wrt", finding.input)):
        # What is of several is found where all are asked for.
        words += [option, name] if ", " not in name else []
    return " ".join(map(quote, [*words, *again[end:]]))


def all_notes(outcome: Outcome, finding: Finding) -> list[Note]:
    """The notes on a finding and on its spec, and that it is an exception, if it is one."""
    notes = [*finding.notes, *outcome.checked.notes]
    if standing(finding, outcome.options) is Standing.ALLOWED:
        notes.insert(0, Note(NoteKind.ALLOWED, f"{finding.verdict} is a named exception"))
    return notes
