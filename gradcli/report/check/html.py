"""The findings of a check as one HTML page: all specs with their verdicts, and pictures of what is to be said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from ...check.judging.findings import Finding
from ...text.escape import harmless, one_line, plain
from ...text.inlined import document
from ...text.parts import plain as text_of
from ...verdicts import NoteKind
from ..diagnostic import lines as error_lines, place_of, source_lines
from .numbers import digits_of
from .outcome import Missing, Outcome, Standing, all_notes, code_of, reproduce, standing, tally
from .pictures import curve, maps
from .tables import columns_of
from .text import about
from .words import aside, caption, headline, remarks, worst

# What fails comes first.
_ORDER = (Standing.WRONG, Standing.UNDECIDED, Standing.ALLOWED, Standing.RIGHT)
_WORDS = {
    Standing.WRONG: "wrong", Standing.UNDECIDED: "no verdict", Standing.ALLOWED: "allowed", Standing.RIGHT: "right",
}  # fmt: skip


def html(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """The page: a heading with the count, filters and a search, and an article for each spec."""
    standings = [_standing(outcome) for outcome in outcomes]
    body = [f"<header>\n<h1>gradcli check: {_safe(tally(outcomes).text)}</h1>"]
    if missing.text:
        body.append(f'<p class="undecided">{_safe(missing.text)}</p>')
    body.append('<div class="tools" role="group" aria-label="Filter">')
    body.append(f'<button type="button" data-only="all">all {len(outcomes)}</button>')
    for each in _ORDER:
        if each in standings:
            text = f"{_WORDS[each]} {standings.count(each)}"
            body.append(f'<button type="button" class="{each}" data-only="{each}">{text}</button>')
    body.append('<input id="find" type="search" placeholder="Search ( / )" aria-label="Search">')
    body.append('<span id="count" class="faint" role="status"></span></div>\n</header>\n<main>')
    found = sorted(zip(standings, outcomes, strict=True), key=lambda pair: _ORDER.index(pair[0]))
    for state, outcome in found:
        body += _article(state, outcome)
    body.append("</main>")
    return document(Path(__file__).parent / "page", "gradcli check", body="\n".join(body))


def _standing(outcome: Outcome) -> Standing:
    """The gravest that there is in a spec."""
    found = {standing(finding, outcome.options) for finding in outcome.checked.findings}
    failure = outcome.checked.failure
    if failure is not None:
        found.add(Standing.WRONG if failure.exit_code == 1 else Standing.UNDECIDED)
    return next((each for each in _ORDER if each in found), Standing.RIGHT)


def _article(state: Standing, outcome: Outcome) -> Iterator[str]:
    """A spec: what is to be said of it, and a line for each result that is right."""
    yield f'<article data-standing="{state}">'
    yield f'<h2><span class="{state}">{_WORDS[state]}</span> {_safe(outcome.name)}</h2>'
    right = []
    for finding in outcome.checked.findings:
        code = code_of(finding, outcome.options)
        if code is None:
            right.append(finding)
        else:
            yield from _finding(outcome, finding, code)
    failure = outcome.checked.failure
    if failure is not None:
        yield f"<pre>{_text(map(text_of, error_lines(failure, of=about(outcome))))}</pre>"
    if right:
        yield from _right(right)
    notes = dict.fromkeys(note for finding in right for note in all_notes(outcome, finding))
    for note in [*notes, *(note for note in outcome.checked.notes if note not in notes)]:
        if note.kind is not NoteKind.ALLOWED:
            yield f'<p class="faint">note: {_safe(note)}</p>'
    yield "</article>"


def _right(findings: Sequence[Finding]) -> Iterator[str]:
    count = len(findings)
    yield f"<details><summary>{count} {'result is' if count == 1 else 'results are'} right</summary>"
    heads = "".join(f"<th>{head}</th>" for head in ("output", "input", "order", "verdict", "digits"))
    yield f'<div class="scroll"><table><tr>{heads}</tr>'
    for finding in findings:
        digits = "-" if finding.digits is None else digits_of(finding.digits)
        cells = (finding.output, finding.input, str(finding.order), finding.verdict.value, digits)
        yield f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in cells)}</tr>"
    yield "</table></div></details>"


def _finding(outcome: Outcome, finding: Finding, code: str) -> Iterator[str]:
    """A finding: its place, its numbers, its pictures, and the command that gives it again."""
    more = aside(outcome, finding)
    state = standing(finding, outcome.options)
    told = headline(finding, code) + (f" ({more})" if more else "")
    yield f'<section>\n<h3><span class="{state}">{code}</span> {_safe(told)}</h3>'
    if finding.span is not None:
        lines = [text_of(line) for line in source_lines(finding.span, str(finding.span.line), None, False)]
        lines[-1] += f" {one_line(caption(finding))}".rstrip()
        yield f'<p class="faint">{_safe(place_of(finding.span))}</p>\n<pre>{_text(lines)}</pre>'
    found = worst(finding, outcome)
    if found is not None:
        yield f"<p>{_safe(found)}</p>"
    if len(finding.table) > 1:
        yield from _table(finding)
    for remark in [*remarks(finding), *(f"note: {note}" for note in finding.notes)]:
        yield f"<p>{_safe(remark)}</p>"
    yield from _figures(finding)
    again = f"{reproduce(outcome, finding)}\ngradcli explain {code}"
    yield f"<pre>{_text([again])}</pre>\n</section>"


def _table(finding: Finding) -> Iterator[str]:
    yield '<h4>Worst entries</h4><div class="scroll"><table>'
    columns = [cells for _, cells in columns_of(finding)]
    for number, row in enumerate(zip(*columns, strict=True)):
        tag = "td" if number else "th"
        yield f"<tr>{''.join(f'<{tag}>{_safe(cell)}</{tag}>' for cell in row)}</tr>"
    yield "</table></div>"


def _figures(finding: Finding) -> Iterator[str]:
    drawn = curve(finding)
    pair = list(maps(finding))
    if drawn is None and not pair:
        return
    yield '<div class="figures">'
    if drawn is not None:
        caption = "How far the central difference is from the best estimate, by its step."
        yield f"<figure><h4>Error by step</h4>{drawn}<figcaption>{caption}</figcaption></figure>"
    for name, picture in pair:
        yield f"<figure><h4>{name} Jacobian</h4>{picture}</figure>"
    yield "</div>"
    if pair:
        words = "A row for each entry of the output, a column for each of the input; framed: what differs."
        yield f'<p class="faint">{words}</p>'


def _safe(text: str) -> str:
    """A text as HTML in which nothing is a mark, and nothing turns."""
    return escape(harmless(one_line(text)))


def _text(lines: Iterable[str]) -> str:
    return escape(harmless(plain("\n".join(lines))))
