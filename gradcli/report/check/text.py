"""The findings of a check, for people: in the manner of diagnostics, with a line for each spec that is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...check.judging.findings import Finding
from ...errors import Span
from ...text.cells import cells
from ...text.escape import encodable, harmless, one_line
from ...text.parts import BAD, DOUBTFUL, FRAME, GOOD, HEADING, LABEL, PLACE, Line, Part, plain, written
from ...verdicts import NoteKind, Verdict
from ..diagnostic import INDENT, WIDTH_OFF_TERMINAL, hung, least, lines as error_lines, place_of, source_lines
from .coverage import coverage_lines
from .numbers import digits_of
from .outcome import Missing, Outcome, Standing, all_notes, code_of, reproduce, standing, tally
from .tables import details, table
from .words import aside, caption, headline, remarks, worst

_LONGEST_NAME = 60
# What a remark may begin with that stands out.
_LABELS = ("note", "help", "reproduce", "signature")


class Look(NamedTuple):
    """The look of a report: ``width`` is that of a terminal, where lines wrap; ``detail`` counts the -v."""

    width: int | None = None
    ascii: bool = False
    detail: int = 0


def spec_lines(outcome: Outcome, look: Look) -> list[Line]:
    """Everything there is to tell of a spec; an error of its own is told elsewhere."""
    lines: list[Line] = []
    for finding in outcome.checked.findings:
        code = code_of(finding, outcome.options)
        if code is not None:
            lines += _told(outcome, finding, code, look)
    if outcome.clean and outcome.checked.findings:
        lines += _right(outcome, look)
    else:
        lines += _notes(outcome.checked.notes, look, "  ")
    if outcome.options.coverage and outcome.checked.failure is None:
        lines += coverage_lines(outcome.checked.coverage, look.width, look.ascii)
    if look.detail:
        for finding in outcome.checked.findings:
            lines += _whole(details(finding, look.width, look.ascii, jacobian=look.detail > 1))
    return lines


def closing(outcomes: Iterable[Outcome], seconds: float | None, missing: Missing | None = None) -> Line:
    """The number of results that are wrong and right, the time that took, and what is missing."""
    count = tally(outcomes)
    more = f"; {missing.text}" if missing is not None and missing.text else ""
    style = BAD if count.wrong else DOUBTFUL if count.undecided or count.broken or more else GOOD
    return [Part(count.text if seconds is None else f"{count.text} in {seconds:.2f} s", style), Part(more)]


def plain_report(outcomes: Sequence[Outcome], missing: Missing, width: int | None) -> str:
    """The report as a file has it: without colour, without a time, and with the errors of specs in their places."""
    return written(report(outcomes, Look(width), missing))


def report(outcomes: Sequence[Outcome], look: Look, missing: Missing) -> Iterator[Line]:
    """The lines of a whole report, with the errors of specs in their places."""
    for outcome in outcomes:
        yield from spec_lines(outcome, look)
        if outcome.checked.failure is not None:
            yield from error_lines(outcome.checked.failure, width=look.width, ascii=look.ascii, of=about(outcome))
    yield closing(outcomes, None, missing)


def about(outcome: Outcome) -> str:
    """Which spec an error is of, unless it says so itself."""
    failure = outcome.checked.failure
    return "" if failure is not None and outcome.name in failure.message else _short(outcome.name)


# -- a finding ---------------------------------------------------------------------------------


def _told(outcome: Outcome, finding: Finding, code: str, look: Look) -> list[Line]:
    """The block of a finding that something is to be said of."""
    span = finding.span
    number = str(span.line) if span else ""
    gutter = " " * max(len(number), 2)
    if look.width is not None:
        look = look._replace(width=least(look.width, gutter))
    lines = _head(outcome, finding, code, look)
    if span is not None:
        lines += _frame(finding, span, number.rjust(len(gutter)), look)
    lines += _facts(outcome, finding, gutter, look)
    if not outcome.in_python:
        lines += _line(gutter, f"reproduce: {reproduce(outcome, finding)}", look)
    return [*lines, *_line(gutter, f"help: gradcli explain {code}", look)]


def _head(outcome: Outcome, finding: Finding, code: str, look: Look) -> list[Line]:
    place = place_of(finding.span) if finding.span else _name(outcome, look)
    more = aside(outcome, finding)
    message = headline(finding, code) + (f" ({more})" if more else "")
    style = BAD if standing(finding, outcome.options) is Standing.WRONG else DOUBTFUL
    head = [Part(f"{place}: ", PLACE), Part(code, style)]
    return hung(head, f" {message}", look.width, look.ascii, INDENT, HEADING)


def _frame(finding: Finding, span: Span, number: str, look: Look) -> list[Line]:
    """The line that a finding points at, with whose backward it is beside its carets, or below where it is narrow."""
    before, shown, under = source_lines(span, number, look.width, look.ascii)
    text = harmless(one_line(caption(finding)))
    if look.ascii:
        text = encodable(text, "ascii")
    taken = sum(cells(part.text) for part in under)
    if text and taken + 1 + cells(text) > (look.width or WIDTH_OFF_TERMINAL) and look.width is not None:
        # The bar goes on beside each line of it.
        below = hung([Part(f"{plain(before)} ")], text, look.width, look.ascii)
        return [before, shown, under, *([*before, Part(plain(line)[len(plain(before)) :])] for line in below), before]
    return [before, shown, [*under, Part(f" {text}".rstrip())], before]


def _facts(outcome: Outcome, finding: Finding, gutter: str, look: Look) -> list[Line]:
    """Everything that was measured, and what is known of why."""
    found = worst(finding, outcome)
    lines = [] if found is None else _line(gutter, found, look)
    if len(finding.table) > 1:
        lines += _whole(table(finding, INDENT + " ", look.width, look.ascii))
    for remark in remarks(finding):
        lines += _line(gutter, remark, look)
    return lines + _notes(finding.notes, look, gutter)


def _notes(notes: Iterable[str], look: Look, gutter: str) -> list[Line]:
    return [line for note in notes for line in _line(gutter, f"note: {note}", look)]


def _line(gutter: str, text: str, look: Look) -> list[Line]:
    """A remark below a finding."""
    label, mark, more = text.partition(": ")
    head = [Part(f"{gutter} "), Part("=", FRAME), Part(" ")]
    if mark and label in _LABELS:
        head, text = [*head, Part(f"{label}:", LABEL), Part(" ")], more
    return hung(head, text, look.width, look.ascii, " " * len(f"{gutter} = "))


def _whole(lines: Iterable[str]) -> list[Line]:
    return [[Part(line)] for line in lines]


# -- what is right -----------------------------------------------------------------------------


def _right(outcome: Outcome, look: Look) -> list[Line]:
    """The line of a spec against which nothing is to be said, and its notes."""
    checked = outcome.checked
    findings = checked.findings
    orders = sorted({finding.order for finding in findings})
    inputs = checked.inputs or len({finding.input for finding in findings})
    parts = [_counted(inputs, "input") + (f" ({_counted(checked.numbers, 'number')})" if checked.numbers else "")]
    parts.append(f"orders {orders[0]} to {orders[-1]}" if len(orders) > 1 else f"order {orders[0]}")
    if checked.backward is not None:
        parts.append(checked.backward)
    digits = [finding.digits for finding in findings if finding.digits is not None]
    if digits:
        parts.append(f"{digits_of(min(digits))} digits")
    allowed = sum(standing(finding, outcome.options) is Standing.ALLOWED for finding in findings)
    if allowed:
        parts.append(f"{allowed} allowed")
    head = [Part(f"{_name(outcome, look)}: "), Part("right", GOOD)]
    inaccurate = sum(finding.verdict is Verdict.INACCURATE for finding in findings)
    if inaccurate:
        head += [Part(", but "), Part(f"{_counted(inaccurate, 'gradient')} inaccurate", DOUBTFUL)]
    head.append(Part(": "))
    lines = hung(head, ", ".join(parts), look.width, look.ascii, INDENT)
    notes = list(dict.fromkeys(note for finding in findings for note in all_notes(outcome, finding)))
    told = {note for f in findings if code_of(f, outcome.options) is not None for note in f.notes}
    untold = [note for note in notes if note not in told and note.kind is not NoteKind.ALLOWED]
    return lines + _notes(untold, look, "  ")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _name(outcome: Outcome, look: Look) -> str:
    """A spec as a line begins with it: a long expression is cut."""
    name = harmless(one_line(outcome.name))
    return _short(encodable(name, "ascii") if look.ascii else name)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 3] + "..."
