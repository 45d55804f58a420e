"""An error as people read it: code, place, source line, carets, notes and the next step."""

from __future__ import annotations

from ..errors import GradcliError, Span
from ..text.cells import wrap
from ..text.escape import encodable, one_line, plain as plain
from .frame import LEAST_ROOM, framed

# How wide a source line may be where nothing says how wide the reader's screen is.
_WIDTH_OFF_TERMINAL = 100
_INDENT = "    "

_BOLD, _RED, _BLUE, _CYAN = "1", "1;31", "1;34", "1;36"


def render(error: GradcliError, *, width: int | None = None, colour: bool = False, ascii: bool = False) -> str:
    """The diagnostic of an error, without a newline at its end.

    ``width`` is that of a terminal: only there messages wrap. ``ascii`` is for streams that know nothing else.
    """
    span = error.span
    number = str(span.line) if span else ""
    gutter = " " * (len(number) or 1)
    if width is not None:
        # Anything narrower shows nothing of a line.
        width = max(width, len(gutter) + 3 + LEAST_ROOM)
    paint = _painted if colour else _unpainted

    lines = _headline(error, width, ascii, colour)
    if span:
        frame = framed(span, (width or _WIDTH_OFF_TERMINAL) - len(gutter) - 3, ascii=ascii)
        bar, carets = paint(f"{gutter} |", _BLUE), paint("^" * frame.carets, _RED)
        lines += [
            bar,
            f"{paint(f'{number} |', _BLUE)} {frame.text}".rstrip(),
            f"{bar} {' ' * frame.indent}{carets}",
        ]
    for label, text, style in [*(("note", note, _BOLD) for note in error.notes), ("help", error.help, _CYAN)]:
        if text:
            head = f"{gutter} = {label}: "
            first, *rest = _lines(head, text, width, ascii)
            lines += [f"{gutter} {paint('=', _BLUE)} {paint(f'{label}:', style)}{first[len(head) - 1 :]}", *rest]
    return "\n".join(lines)


def render_warning(text: str, span: Span | None, *, ascii: bool = False) -> str:
    """What a program is warned of, and where, without a newline at its end."""
    place = f"{_place(span, ascii)}: " if span else ""
    return "\n".join(_lines(f"{place}warning: ", text, None, ascii, _INDENT))


def _headline(error: GradcliError, width: int | None, ascii: bool, colour: bool) -> list[str]:
    place = f"{_place(error.span, ascii)}: " if error.span else ""
    label = f"error[{error.code}]"
    first, *rest = _lines(f"{place}{label}: ", error.message, width, ascii, _INDENT)
    if colour and first.startswith(place + label):
        message = first[len(place + label) :]
        first = _painted(place, _BOLD) + _painted(label, _RED) + _painted(message, _BOLD)
    return [first, *rest]


def _place(span: Span, ascii: bool) -> str:
    name = one_line(span.source.name)
    return f"{encodable(name, 'ascii') if ascii else name}:{span.line}:{span.column + 1}"


def _lines(head: str, text: str, width: int | None, ascii: bool, indent: str | None = None) -> list[str]:
    """A text after its head; what goes on in further lines stands under the text, or at the indent given."""
    if indent is None:
        indent = " " * len(head)
    text = plain(text).replace("\t", _INDENT)
    first, *rest = (encodable(text, "ascii") if ascii else text).rstrip("\n").split("\n")
    lines = wrap(head + first, width, indent)
    for line in rest:
        lines += wrap(indent + line, width, indent)
    return [line.rstrip() for line in lines]


def _painted(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if text else ""


def _unpainted(text: str, style: str) -> str:
    return text
