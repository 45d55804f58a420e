"""What a check has found, for people: in the manner of diagnostics, with a line for each spec that is right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...check.judging.findings import Finding
from ...errors import Span
from ...text.cells import cells
from ...text.escape import encodable, harmless, one_line
from ...verdicts import NoteKind
from ..diagnostic import BLUE, BOLD, CYAN, INDENT, RED, WIDTH_OFF_TERMINAL, hung, painted, place_of, render, unpainted
from ..frame import LEAST_ROOM, framed
from .numbers import digits_of
from .outcome import Outcome, Standing, all_notes, code_of, reproduce, standing, tally
from .tables import details, table
from .words import aside, caption, headline, remarks, worst

_YELLOW, _GREEN = "1;33", "1;32"
_LONGEST_NAME = 60


class Look(NamedTuple):
    """How a report is to look: ``width`` is that of a terminal, where lines wrap; ``detail`` counts the -v."""

    width: int | None = None
    colour: bool = False
    ascii: bool = False
    detail: int = 0


def spec_lines(outcome: Outcome, look: Look) -> list[str]:
    """What there is to tell of a spec; an error of its own is told elsewhere."""
    lines: list[str] = []
    for finding in outcome.checked.findings:
        code = code_of(finding, outcome.options)
        if code is not None:
            lines += _told(outcome, finding, code, look)
    if outcome.clean and outcome.checked.findings:
        lines += _right(outcome, look)
    else:
        lines += _notes(outcome.checked.notes, look, "  ")
    if look.detail:
        for finding in outcome.checked.findings:
            lines += details(finding, look.width, look.ascii, jacobian=look.detail > 1)
    return lines


def closing(outcomes: Iterable[Outcome], seconds: float | None, look: Look) -> str:
    """How many results are wrong and right, and how long that took."""
    count = tally(outcomes)
    bad = RED if count.wrong else _YELLOW if count.undecided or count.broken else _GREEN
    text = count.text if seconds is None else f"{count.text} in {seconds:.2f} s"
    return painted(text, bad) if look.colour else text


def plain_report(outcomes: Sequence[Outcome]) -> str:
    """The report as a file has it: without colour, without a time, and with the errors of specs in their places."""
    look = Look()
    lines: list[str] = []
    for outcome in outcomes:
        lines += spec_lines(outcome, look)
        if outcome.checked.failure is not None:
            lines.append(render(outcome.checked.failure, of=about(outcome)))
    return "\n".join([*lines, closing(outcomes, None, look), ""])


def about(outcome: Outcome) -> str:
    """Which spec an error is of, unless it says so itself."""
    failure = outcome.checked.failure
    return "" if failure is not None and outcome.name in failure.message else _short(outcome.name)


# -- a finding ---------------------------------------------------------------------------------


def _told(outcome: Outcome, finding: Finding, code: str, look: Look) -> list[str]:
    """The block of a finding that something is to be said of."""
    span = finding.span
    number = str(span.line) if span else ""
    gutter = " " * max(len(number), 2)
    if look.width is not None:
        look = look._replace(width=max(look.width, len(gutter) + 3 + LEAST_ROOM))
    lines = _head(outcome, finding, code, look)
    if span is not None:
        lines += _frame(finding, span, number.rjust(len(gutter)), look)
    lines += _facts(outcome, finding, gutter, look)
    lines += _line(gutter, f"reproduce: {reproduce(outcome, finding)}", look)
    return [*lines, *_line(gutter, f"help: gradcli explain {code}", look)]


def _head(outcome: Outcome, finding: Finding, code: str, look: Look) -> list[str]:
    place = place_of(finding.span, look.ascii) if finding.span else _name(outcome, look)
    more = aside(outcome, finding)
    message = headline(finding, code) + (f" ({more})" if more else "")
    first, *rest = hung(f"{place}: {code} ", message, look.width, look.ascii, INDENT)
    lead = f"{place}: "
    if look.colour and first.startswith(lead + code):
        bad = RED if standing(finding, outcome.options) is Standing.WRONG else _YELLOW
        first = painted(lead, BOLD) + painted(code, bad) + painted(first[len(lead + code) :], BOLD)
    return [first, *rest]


def _frame(finding: Finding, span: Span, number: str, look: Look) -> list[str]:
    """The line that a finding points at, with whose backward it is beside its carets, or below where it is narrow."""
    paint = painted if look.colour else unpainted
    room = (look.width or WIDTH_OFF_TERMINAL) - len(number) - 3
    frame = framed(span, room, ascii=look.ascii)
    bar = paint(f"{' ' * len(number)} |", BLUE)
    under = f"{bar} {' ' * frame.indent}{paint('^' * frame.carets, RED)}"
    lines = [bar, f"{paint(f'{number} |', BLUE)} {frame.text}".rstrip()]
    text = harmless(one_line(caption(finding)))
    if look.ascii:
        text = encodable(text, "ascii")
    if text and look.width is not None and frame.indent + frame.carets + 1 + cells(text) > room:
        below = hung(f"{' ' * len(number)} | ", text, look.width, look.ascii)
        return [*lines, under, *(bar + line[len(number) + 2 :] for line in below), bar]
    return [*lines, f"{under} {text}".rstrip(), bar]


def _facts(outcome: Outcome, finding: Finding, gutter: str, look: Look) -> list[str]:
    """What was measured, and what is known of why."""
    found = worst(finding, outcome)
    lines = [] if found is None else _line(gutter, found, look)
    if len(finding.table) > 1:
        lines += table(finding, INDENT + " ", look.width, look.ascii)
    for remark in remarks(finding):
        lines += _line(gutter, remark, look)
    return lines + _notes(finding.notes, look, gutter)


def _notes(notes: Iterable[str], look: Look, gutter: str) -> list[str]:
    return [line for note in notes for line in _line(gutter, f"note: {note}", look)]


def _line(gutter: str, text: str, look: Look) -> list[str]:
    """A remark below a finding, its label in colour."""
    first, *rest = hung(f"{gutter} = ", text, look.width, look.ascii)
    if look.colour:
        label, mark, more = first[len(gutter) + 3 :].partition(": ")
        known = label in ("note", "help", "reproduce", "signature")
        body = f"{painted(label + ':', CYAN)} {more}" if known and mark else first[len(gutter) + 3 :]
        first = f"{gutter} {painted('=', BLUE)} {body}"
    return [first, *rest]


# -- what is right -----------------------------------------------------------------------------


def _right(outcome: Outcome, look: Look) -> list[str]:
    """The line of a spec against which nothing is to be said, and its notes."""
    checked = outcome.checked
    findings = checked.findings
    orders = sorted({finding.order for finding in findings})
    inputs = checked.inputs or len({finding.input for finding in findings})
    parts = [_counted(inputs, "input") + (f" ({_counted(checked.numbers, 'number')})" if checked.numbers else "")]
    parts.append(f"orders {orders[0]} to {orders[-1]}" if len(orders) > 1 else f"order {orders[0]}")
    digits = [finding.digits for finding in findings if finding.digits is not None]
    if digits:
        parts.append(f"{digits_of(min(digits))} digits")
    allowed = sum(standing(finding, outcome.options) is Standing.ALLOWED for finding in findings)
    if allowed:
        parts.append(f"{allowed} allowed")
    paint = painted if look.colour else unpainted
    first, *rest = hung(f"{_name(outcome, look)}: ", f"right: {', '.join(parts)}", look.width, look.ascii, INDENT)
    lines = [first.replace(": right:", f": {paint('right', _GREEN)}:", 1), *rest]
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
