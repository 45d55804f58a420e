"""The findings of a check as JUnit's XML: a test case for each, and for each spec that could not be run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...check.judging.findings import Checked, Finding, Options
from ...errors import GradcliError
from ...text.escape import harmless
from ...verdicts import NoteKind
from ..diagnostic import place_of, render
from .outcome import Missing, Outcome, Standing, all_notes, code_of, reproduce, standing
from .words import headline, remarks, worst

# What XML 1.0 cannot have in any form.
_ILLEGAL = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
# And what acts on a terminal or on its neighbours' direction, or breaks lines unseen.
_ACTIVE = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"


def junit(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """The document: a suite for each spec."""
    suites = [_Suite(outcome) for outcome in outcomes]
    if missing.text:
        suites.append(_missing(missing))
    counts = _counts([sum(numbers) for numbers in zip(*(suite.counts for suite in suites), strict=True)] or [0] * 3)
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<testsuites name="gradcli check" {counts}>']
    for suite in suites:
        lines += suite.lines()
    return "\n".join([*lines, "</testsuites>", ""])


class _Suite:
    """The cases of one spec, and how many of them there are, failed and broke."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.counts = [0, 0, 0]
        self.cases: list[str] = []
        for finding in outcome.checked.findings:
            self._finding(finding)
        if outcome.checked.failure is not None:
            self._failure(outcome.checked.failure)

    def lines(self) -> Iterator[str]:
        """The lines of the suite."""
        yield f"  <testsuite name={_quoted(self.outcome.name)} {_counts(self.counts)}>"
        yield from self.cases
        yield "  </testsuite>"

    def _case(self, name: str, body: Sequence[str]) -> None:
        start = f"    <testcase classname={_quoted(self.outcome.name)} name={_quoted(name)}"
        self.counts[0] += 1
        self.cases += [f"{start}>", *body, "    </testcase>"] if body else [f"{start}/>"]

    def _finding(self, finding: Finding) -> None:
        outcome = self.outcome
        # What was found at another point has a case of its own beside that of the given one.
        elsewhere = ", elsewhere" if any(note.kind is NoteKind.ELSEWHERE for note in finding.notes) else ""
        name = f"{finding.output} wrt {finding.input}, order {finding.order}{elsewhere}"
        code = code_of(finding, outcome.options)
        notes = all_notes(outcome, finding)
        if code is None:
            self._case(name, _printed(notes))
            return
        message = headline(finding, code)
        place = [f"at {place_of(finding.span)}"] if finding.span else []
        facts = [worst(finding, outcome), *remarks(finding), *notes, f"reproduce: {reproduce(outcome, finding)}"]
        text = [*place, *(fact for fact in facts if fact)]
        state = standing(finding, outcome.options)
        if state is Standing.WRONG:
            self.counts[1] += 1
            self._case(name, _element("failure", code, message, text))
        elif state is Standing.UNDECIDED:
            self.counts[2] += 1
            self._case(name, _element("error", code, message, text))
        else:
            # It passes, and stays visible.
            self._case(name, _printed([f"{code} {message}", *text]))

    def add_error(self, name: str, code: str, message: str) -> None:
        """Add a case that is no verdict."""
        self.counts[2] += 1
        self._case(name, _element("error", code, message, [message]))

    def _failure(self, failure: GradcliError) -> None:
        wrong = failure.exit_code == 1
        self.counts[1 if wrong else 2] += 1
        lines = render(failure).split("\n")
        name = "assert" if wrong else "run"
        self._case(name, _element("failure" if wrong else "error", failure.code, failure.message, lines))


def _missing(missing: Missing) -> _Suite:
    """A suite of one case, for what was not checked."""
    suite = _Suite(Outcome("gradcli check", Checked("gradcli check"), Options()))
    suite.add_error("not checked", "missing", missing.text)
    return suite


def _counts(numbers: Sequence[int]) -> str:
    return " ".join(f'{key}="{n}"' for key, n in zip(("tests", "failures", "errors"), numbers, strict=True))


def _element(tag: str, code: str, message: str, lines: Sequence[str]) -> list[str]:
    return [f"      <{tag} type={_quoted(code)} message={_quoted(message)}>{_text(chr(10).join(lines))}</{tag}>"]


def _printed(lines: Sequence[str]) -> list[str]:
    return [f"      <system-out>{_text(chr(10).join(lines))}</system-out>"] if lines else []


def _text(text: str) -> str:
    text = re.sub(_ACTIVE, lambda match: f"\\u{ord(match[0]):04x}", re.sub(_ILLEGAL, "", text))
    return harmless(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def _quoted(text: str) -> str:
    text = _text(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")
    return f'"{text}"'
