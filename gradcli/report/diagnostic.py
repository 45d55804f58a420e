"""An error as people read it: code, place, source line, carets, notes and the next step."""

from __future__ import annotations

from ..errors import GradcliError, Span
from ..text.cells import wrap
from ..text.escape import encodable, harmless, one_line, plain as plain
from .frame import LEAST_ROOM, framed

# How wide a source line may be where nothing says how wide the reader's screen is.
WIDTH_OFF_TERMINAL = 100
INDENT = "    "

BOLD, RED, BLUE, CYAN = "1", "1;31", "1;34", "1;36"


def render(
    error: GradcliError, *, width: int | None = None, colour: bool = False, ascii: bool = False, of: str = ""
) -> str:
    """The diagnostic of an error, without a newline at its end.

    ``width`` is that of a terminal: only there messages wrap. ``ascii`` is for streams that know nothing else. ``of``
    is what an error without a place is about.
    """
    span = error.span
    number = str(span.line) if span else ""
    gutter = " " * (len(number) or 1)
    if width is not None:
        # Anything narrower shows nothing of a line.
        width = max(width, len(gutter) + 3 + LEAST_ROOM)
    paint = painted if colour else unpainted

    lines = _headline(error, of, width, ascii, colour)
    if span:
        frame = framed(span, (width or WIDTH_OFF_TERMINAL) - len(gutter) - 3, ascii=ascii)
        bar, carets = paint(f"{gutter} |", BLUE), paint("^" * frame.carets, RED)
        lines += [
            bar,
            f"{paint(f'{number} |', BLUE)} {frame.text}".rstrip(),
            f"{bar} {' ' * frame.indent}{carets}",
        ]
    for label, text, style in [*(("note", note, BOLD) for note in error.notes), ("help", error.help, CYAN)]:
        if text:
            head = f"{gutter} = {label}: "
            first, *rest = hung(head, text, width, ascii)
            lines += [f"{gutter} {paint('=', BLUE)} {paint(f'{label}:', style)}{first[len(head) - 1 :]}", *rest]
    return "\n".join(lines)


def render_warning(text: str, span: Span | None, *, ascii: bool = False) -> str:
    """What a program is warned of, and where, without a newline at its end."""
    place = f"{place_of(span, ascii)}: " if span else ""
    return "\n".join(hung(f"{place}warning: ", text, None, ascii, INDENT))


def _headline(error: GradcliError, of: str, width: int | None, ascii: bool, colour: bool) -> list[str]:
    name = harmless(one_line(of))
    place = place_of(error.span, ascii) if error.span else encodable(name, "ascii") if ascii else name
    place += ": " if place else ""
    label = f"error[{error.code}]"
    first, *rest = hung(f"{place}{label}: ", error.message, width, ascii, INDENT)
    if colour and first.startswith(place + label):
        message = first[len(place + label) :]
        first = painted(place, BOLD) + painted(label, RED) + painted(message, BOLD)
    return [first, *rest]


def place_of(span: Span, ascii: bool = False) -> str:
    """Where a span begins: PATH:LINE:COLUMN."""
    name = harmless(one_line(span.source.name))
    return f"{encodable(name, 'ascii') if ascii else name}:{span.line}:{span.column + 1}"


def hung(head: str, text: str, width: int | None, ascii: bool, indent: str | None = None) -> list[str]:
    """A text after its head; what goes on in further lines stands under the text, or at the indent given."""
    if indent is None:
        indent = " " * len(head)
    text = plain(text).replace("\t", INDENT)
    first, *rest = (encodable(text, "ascii") if ascii else text).rstrip("\n").split("\n")
    lines = wrap(head + first, width, indent)
    for line in rest:
        lines += wrap(indent + line, width, indent)
    return [harmless(line.rstrip()) for line in lines]


def painted(text: str, style: str) -> str:
    """The text in a style of terminals."""
    return f"\x1b[{style}m{text}\x1b[0m" if text else ""


def unpainted(text: str, style: str) -> str:
    """The text as it is, where the other would paint it."""
    return text
