"""An error as people read it: code, place, source line, carets, notes and the next step."""

from __future__ import annotations

from ..errors import GradcliError, Span
from ..text.cells import wrap
from ..text.escape import encodable, harmless, one_line, plain
from ..text.parts import BAD, FRAME, HEADING, LABEL, PLACE, PLAIN, Line, Part, plain as text_of
from .frame import LEAST_ROOM, framed

# The width of a source line where nothing says how wide the reader's screen is.
WIDTH_OFF_TERMINAL = 100
INDENT = "    "


def render(error: GradcliError, *, width: int | None = None, ascii: bool = False, of: str = "") -> str:
    """The text of the diagnostic of an error, without a newline at its end."""
    return "\n".join(map(text_of, lines(error, width=width, ascii=ascii, of=of)))


def lines(error: GradcliError, *, width: int | None = None, ascii: bool = False, of: str = "") -> list[Line]:
    """The diagnostic of an error.

    ``width`` is that of a terminal: only there messages wrap. ``ascii`` is for streams that know nothing else. ``of``
    is what an error without a place is about.
    """
    span = error.span
    number = str(span.line) if span else ""
    gutter = " " * (len(number) or 1)
    if width is not None:
        width = least(width, gutter)
    name = one_line(span.source.name if span else of)
    place = f"{place_of(span)}: " if span else f"{harmless(name)}: " if name else ""
    head = [Part(place, PLACE), Part(f"error[{error.code}]", BAD)]
    told = hung(head, f": {error.message}", width, ascii, INDENT, HEADING)
    if span:
        told += source_lines(span, number, width, ascii)
    for label, text, style in [*(("note", note, HEADING) for note in error.notes), ("help", error.help, LABEL)]:
        if text:
            told += remark(gutter, label, text, width, ascii, style)
    return told


def render_warning(text: str, span: Span | None, *, ascii: bool) -> str:
    """The text of a warning that a program was given, and where, without a newline at its end."""
    place = f"{place_of(span)}: " if span else ""
    return "\n".join(map(text_of, hung([Part(f"{place}warning: ")], text, None, ascii, INDENT)))


# -- the pieces of a diagnostic ----------------------------------------------------------------


def least(width: int, gutter: str) -> int:
    """A width, or the least that shows anything of a line behind a gutter."""
    return max(width, len(gutter) + 3 + LEAST_ROOM)


def place_of(span: Span) -> str:
    """The place where a span begins: PATH:LINE:COLUMN."""
    return f"{harmless(one_line(span.source.name))}:{span.line}:{span.column + 1}"


def source_lines(span: Span, number: str, width: int | None, ascii: bool) -> list[Line]:
    """The line of a source, by its number, with carets below what a span covers of it; an empty one before."""
    gutter = " " * len(number)
    frame = framed(span, (width or WIDTH_OFF_TERMINAL) - len(gutter) - 3, ascii=ascii)
    bar = Part(f"{gutter} |", FRAME)
    return [
        [bar],
        [Part(f"{number} |", FRAME), Part(f" {frame.text}".rstrip())],
        [bar, Part(f" {' ' * frame.indent}"), Part("^" * frame.carets, BAD)],
    ]


def remark(gutter: str, label: str, text: str, width: int | None, ascii: bool, style: str = LABEL) -> list[Line]:
    """A remark below a source line; the label may be empty."""
    named = [Part(f"{label}:", style), Part(" ")] if label else []
    return hung([Part(f"{gutter} "), Part("=", FRAME), Part(" "), *named], text, width, ascii)


def hung(
    head: Line, text: str, width: int | None, ascii: bool, indent: str | None = None, style: str = PLAIN
) -> list[Line]:
    """A text in a style after its head; what goes on in further lines stands under the text, or at the indent given."""
    text = plain(text).replace("\t", INDENT)
    if ascii:
        head, text = [Part(encodable(part.text, "ascii"), part.style) for part in head], encodable(text, "ascii")
    before = text_of(head)
    if indent is None:
        indent = " " * len(before)
    first, *rest = text.rstrip("\n").split("\n")
    wrapped = wrap(before + first, width, indent)
    for line in rest:
        wrapped += wrap(indent + line, width, indent)
    first, *rest = (harmless(line.rstrip()) for line in wrapped)
    return [_styled(first, head, style), *([Part(line)] for line in rest)]


def _styled(line: str, head: Line, style: str) -> Line:
    """A line in the styles of its head, as far as it has not been cut, and then in another."""
    at, found = 0, []
    for part in head:
        if not line.startswith(part.text, at):
            break
        found.append(part)
        at += len(part.text)
    return [*found, Part(line[at:], style)]
