"""Resolve SPEC as the user typed it: an expression, a file, a name in a file, or standard input."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from typing import BinaryIO, Literal, NamedTuple

from ...errors import GradcliError, InputError, LimitError, Source, Span, SpecError
from .disk import open_regular, python_files, read_up_to

EXPRESSION, STDIN = "<expression>", "<stdin>"
MAX_BYTES = 262_144
# What a comment begins with that says how its program wants to be run; `directives` reads it.
MARK = "gradcli:"

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

_PIPE = "to read from a pipe, give - as SPEC"
_EXPRESSION = "if it is an expression, put -e before it"

# Patterns are texts, compiled where they are used: starting up must not wait for them.
# Words with slashes between them: a path, or a division.
_SLASHED = r"([\w.-]+)(?:/[\w.-]+)*(/?)"
# No expression begins so.
_PATHS = ("./", "../", "~/", ".\\", "..\\", "~\\")
# PEP 263: in the first line, or in the second when the first is blank or a comment.
_COOKIE = rb"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))??[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)"
_UTF8 = r"utf-?8(-.*)?|(us-)?ascii"


class Spec(NamedTuple):
    """A program as it was given: its text, whether it was typed inline, and where else it is from."""

    source: Source
    inline: bool
    # The function or class that FILE::name picks.
    target: str | None
    path: str | None
    # The modules that it may import from its own folder, by their names, or why one of them cannot be read.
    beside: tuple[tuple[str, Source | GradcliError], ...] = ()


def read(
    text: str,
    *,
    kind: Literal["auto", "expression", "path"] = "auto",
    max_bytes: int = MAX_BYTES,
    stdin: BinaryIO | None = None,
) -> Spec:
    """The program that a SPEC means.

    ``-`` is standard input. What exists on disk is a path, also with ``::name`` after it, and so is one line that ends
    in ``.py`` or begins as only paths do (``/``, ``./``, ``../``, ``~/``). ``a/b`` that does not exist is a division,
    unless ``a`` exists or it ends in a slash. All else is an expression.
    """
    if kind != "expression":
        if text == "-":
            return Spec(_standard_input(stdin, max_bytes), False, None, None)
        place = _place(text, forced=kind == "path")
        if place is not None:
            path, target = place
            return Spec(_file(path, max_bytes), False, target, path)
    return Spec(_inline(text, max_bytes), True, None, None)


def files(paths: Iterable[str], exclude: Iterable[str] = ()) -> list[str]:
    """SPECs, with each directory replaced by the Python files in and below it, sorted, every file once.

    Hidden entries, what git ignores, directories of what was installed or built, empty files and what matches a pattern
    of ``exclude`` by name or path are left out, and so are links that lead out of the directory: a stranger's program
    must not have other files read.
    """
    patterns = [os.path.normpath(pattern) for pattern in exclude]
    found: list[str] = []
    seen: set[str] = set()
    for path in paths:
        if os.path.isdir(path):
            found += python_files(path, patterns, seen)
        elif not os.path.isfile(path):
            found.append(path)
        elif (real := os.path.realpath(path)) not in seen:
            seen.add(real)
            found.append(path)
    return found


def decoded(name: str, data: bytes) -> Source:
    """The text of a file: UTF-8 and nothing else, its newlines as Python reads them."""
    body = data.removeprefix(_BOM)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        # A bad byte is shown as \xff: four characters.
        shown, start = _escaped(name, body, error.start)
        offset = error.start + len(data) - len(body)
        byte = f"byte 0x{body[error.start]:02x} at offset {offset} is not UTF-8"
        raise SpecError(
            "the text is UTF-16, not UTF-8" if data.startswith(_UTF16) else byte,
            span=span_at(shown, start, start + 4 * (error.end - error.start)),
            help="save it as UTF-8",
            code="E104",
        ) from None
    return _without_nul(Source(name, _newlines(text)))


def typed(name: str, text: str) -> Source:
    """The text of an argument of the command line, its newlines as Python reads them."""
    source = Source(name, _newlines(text.removeprefix("\ufeff")))
    try:
        source.text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _lone_surrogate(source, error.start) from None
    return _without_nul(source)


def span_at(source: Source, start: int, end: int) -> Span:
    """The span of a stretch of characters, cut at the end of its line."""
    line = source.text.count("\n", 0, start) + 1
    column = start - (source.text.rfind("\n", 0, start) + 1)
    stop = source.text.find("\n", start, end)
    return Span(source, line, column, line, column + max((end if stop < 0 else stop) - start, 1))


# -- which it is -------------------------------------------------------------------------------


def _place(text: str, *, forced: bool) -> tuple[str, str | None] | None:
    """The path in a SPEC and the name picked in it, or None when it is an expression."""
    if os.path.lexists(text):
        return text, None
    path, mark, name = text.rpartition("::")
    if mark and (os.path.lexists(path) or _is_like_a_path(path) or (forced and name.isidentifier())):
        if not name.isidentifier():
            raise InputError(
                f"'{name}' cannot be the name of a function or class in '{path}'",
                help=f"write {path}::name",
                code="E504",
            )
        return path, as_python_names(name)
    return (text, None) if forced or _is_like_a_path(text) else None


def _is_like_a_path(text: str) -> bool:
    if "\n" in text:
        return False
    if text.endswith(".py") or text.startswith(_PATHS) or os.path.isabs(text):
        return True
    slashed = re.fullmatch(_SLASHED, text) if "/" in text else None
    return slashed is not None and (slashed[2] == "/" or os.path.lexists(slashed[1]))


def as_python_names(name: str) -> str:
    """An identifier as Python's parser has it."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFKC", name)


# -- reading -----------------------------------------------------------------------------------


def _inline(text: str, max_bytes: int) -> Source:
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > max_bytes:
        raise _too_large(EXPRESSION, data, f"{len(data):,}", max_bytes)
    return typed(EXPRESSION, text)


def _file(path: str, max_bytes: int) -> Source:
    if os.path.isdir(path):
        raise InputError(
            f"'{path}' is a directory",
            help="name a file in it; `gradcli check` takes directories",
            code="E502",
        )
    file, size = open_regular(path, special=_PIPE, missing=None if path.endswith(".py") else _EXPRESSION)
    with file:
        try:
            # The system's own files, such as those in /proc, say that they are empty and are not.
            data = read_up_to(file, max_bytes + 1 if size else 1)
        except OSError as error:
            raise _broken(f"'{path}'", error) from None
    if data and not size:
        raise InputError(f"'{path}' is not a regular file: the system makes it up", help=_PIPE, code="E502")
    return program_text(path, data, f"{size:,}", max_bytes)


def _standard_input(stdin: BinaryIO | None, max_bytes: int) -> Source:
    # Python has no sys.stdin when the process was started without one.
    file = stdin if stdin is not None else getattr(sys.stdin, "buffer", None)
    if file is None:
        raise InputError("cannot read standard input: it is closed", code="E502")
    try:
        data = read_up_to(file, max_bytes + 1)
    except OSError as error:
        raise _broken("standard input", error) from None
    return program_text(STDIN, data, f"more than {max_bytes:,}", max_bytes)


def _broken(what: str, error: OSError) -> InputError:
    return InputError(f"cannot read {what}: {(error.strerror or 'unknown error').lower()}", code="E502")


def program_text(name: str, data: bytes, size: str, max_bytes: int) -> Source:
    """The text of a program of at most so many bytes, of which one more was read."""
    if len(data) > max_bytes:
        raise _too_large(name, data, size, max_bytes)
    body = data.removeprefix(_BOM)
    cookie = re.match(_COOKIE, body) if b"coding" in body else None
    if cookie is not None:
        encoding = cookie[1].decode("ascii")
        if not re.fullmatch(_UTF8, encoding.lower().replace("_", "-")):
            shown, start = _escaped(name, body, cookie.start(1))
            raise SpecError(
                f"the program says that its encoding is {encoding}, and only UTF-8 is read",
                span=span_at(shown, start, start + len(encoding)),
                help="save it as UTF-8 and leave this comment out",
                code="E104",
            )
    return decoded(name, data)


def _without_nul(source: Source) -> Source:
    nul = source.text.find("\0")
    if nul >= 0:
        raise SpecError(
            "the text has a NUL character, which no program may have",
            span=span_at(source, nul, nul + 1),
            help="leave it out, or save the text as UTF-8",
            code="E104",
        )
    return source


def _lone_surrogate(source: Source, start: int) -> SpecError:
    value = ord(source.text[start])
    # Python hands an argument's undecodable byte 0xff over as U+DCFF.
    byte = value - 0xDC00
    what = f"byte 0x{byte:02x} is not UTF-8" if 0x80 <= byte <= 0xFF else f"U+{value:04X} is half of a surrogate pair"
    # It cannot be printed: it is shown as six characters, \udcff.
    shown = Source(source.name, source.text.encode("utf-8", "backslashreplace").decode("utf-8"))
    return SpecError(what, span=span_at(shown, start, start + 6), help="write the text in UTF-8", code="E104")


def _too_large(name: str, data: bytes, size: str, max_bytes: int) -> LimitError:
    """The error for a program of which one byte too many was read, placed where the limit is passed."""
    text = _newlines(data[: max_bytes + 1].decode("utf-8", "replace"))
    passed = len(_newlines(data[:max_bytes].decode("utf-8", "replace")))
    return LimitError(
        f"the program has {size} bytes; the limit is {max_bytes:,}",
        span=span_at(Source(name, text), passed, passed + 1),
        help="`--limits relaxed` or `--max-source KIB` allows more",
        code="E407",
    )


def _escaped(name: str, body: bytes, at: int) -> tuple[Source, int]:
    """A text with its bad bytes spelt out, and where in it a byte stands."""
    before = _newlines(body[:at].decode("utf-8", "backslashreplace"))
    return Source(name, _newlines(body.decode("utf-8", "backslashreplace"))), len(before)


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
