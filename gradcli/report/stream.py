"""Where text goes out: what a program prints, and what commands answer."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import OutputError
from ..text.escape import TWINS, encodable, harmless, plain
from .colour import is_terminal

# A line that does not end is passed on in parts of about this many characters.
_LONGEST_HELD = 65536

# What only colours text, or clears the line that a progress bar is about to write again.
_PAINT = "\x1b\\[[0-9;]*[mK]"


def takes_unicode(stream: Any) -> bool:
    """Tell whether a stream can be given any character; if not, diagnostics are drawn in ASCII."""
    encoding = getattr(stream, "encoding", None)
    return encoding is None or encoding.lower().startswith("utf")


def draws_unicode(stream: Any, environ: Mapping[str, str]) -> bool:
    """Tell whether a drawing on a stream may have lines and signs beyond ASCII.

    Python writes UTF-8 also where the locale is C, which has none, and a dumb terminal cannot be asked.
    """
    if not takes_unicode(stream) or (environ.get("TERM") == "dumb" and is_terminal(stream)):
        return False
    if environ.get("PYTHONUTF8") == "1" or environ.get("PYTHONIOENCODING"):
        return True
    # Python sets LC_CTYPE itself where LANG is C.
    return (environ.get("LC_ALL") or environ.get("LANG")) not in ("C", "POSIX")


def stdout_text(stream: Any) -> Callable[[str], object]:
    """The function that writes text to a stream of text or bytes, with twins for what it cannot encode."""
    if stream is None:
        return _closed
    put = stream.write
    if isinstance(stream, (io.RawIOBase, io.BufferedIOBase)):
        return lambda text: put(text.encode("utf-8", TWINS))

    def write(text: str) -> None:
        try:
            put(text)
        except UnicodeEncodeError as e:
            put(encodable(text, e.encoding))

    return write


def _closed(text: str) -> None:
    if text:
        raise ValueError


def emit(text: str, stream: Any) -> None:
    """Write a command's own result, at once."""
    put = stdout_text(stream)
    # In parts: of a single one it may go unnoticed, on a stream without a buffer, that the reader left half-way.
    for start in range(0, max(len(text), 1), _LONGEST_HELD):
        attempt(put, text[start : start + _LONGEST_HELD])
    if stream is not None:
        attempt(stream.flush)


def attempt(action: Callable[..., object], *arguments: Any, **options: Any) -> None:
    """Do what writes: what fails is an OutputError, but for a reader who has had enough."""
    try:
        action(*arguments, **options)
    except BrokenPipeError:
        # The reader has had enough: that is no failure.
        raise
    except (OSError, ValueError) as e:
        # Python has a ValueError for streams that are closed already.
        reason = (getattr(e, "strerror", None) or "it is closed").lower()
        raise OutputError(
            f"the output could not be written: {reason}",
            help="check that the place it goes to has room and may be written to",
        ) from None


class SpecOutput:
    """The standard output of a spec: what it prints, safe to show, in whole lines.

    Where it goes back to the start of a line, as progress bars do, a new one begins, and nothing is coloured. Nothing
    else is changed. A closed pipe raises BrokenPipeError, anything else that fails an OutputError.
    """

    __slots__ = ("_flush", "_held", "_open", "_pieces", "_put", "_returned", "_shown")

    def __init__(self, stream: Any) -> None:
        self._put = stdout_text(stream)
        self._flush = stream.flush if stream is not None else lambda: None
        # The unfinished line: what of it is shown already (as far as a command could reach back), and what is held.
        self._shown = ""
        self._pieces: list[str] = []
        self._held = 0
        self._open = False
        # Whether what came last ended with a carriage return, which may be the first half of a line's end.
        self._returned = False

    def write(self, text: str) -> None:
        """Take text; every line goes out as soon as it ends."""
        if self._returned or "\r" in text or "\x1b" in text:
            text = self._in_lines(text)
        if self._open or text[-1:] != "\n":
            self._join(text)
        else:
            attempt(self._put, text if _is_harmless(text) else harmless(plain(text)))

    def flush(self) -> None:
        """Pass on what there is, also of an unfinished line."""
        self._show_held()
        attempt(self._flush)

    def close(self) -> None:
        """Pass on the last line as it is, ended or not; the stream stays open."""
        self.flush()

    def _in_lines(self, text: str) -> str:
        """The text with one kind of line ends, as Python reads files, and without colours."""
        if not text:
            return text
        if self._returned:
            text = text.removeprefix("\n")
        self._returned = text.endswith("\r")
        return re.sub(_PAINT, "", text.replace("\r\n", "\n").replace("\r", "\n"))

    def _join(self, text: str) -> None:
        """Add to an unfinished line, which the text may end."""
        end = text.rfind("\n") + 1
        if end:
            self._hold(text[:end])
            self._show_held()
            self._shown = ""
        self._hold(text[end:])
        self._open = bool(self._pieces or self._shown)
        if self._held > _LONGEST_HELD:
            self._show_held()

    def _hold(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._held += len(text)

    def _show_held(self) -> None:
        if not self._pieces:
            return
        text = plain("".join(self._pieces))
        self._pieces, self._held = [], 0
        attempt(self._put, harmless(text, self._shown))
        self._shown = _reach(self._shown + text)


def _is_harmless(text: str) -> bool:
    """Tell whether a text can go out as it is; quick, and not always right when it says no."""
    return "::" not in text and "##" not in text and text.replace("\n", "").replace("\t", "").isprintable()


def _reach(line: str) -> str:
    """As much of an unfinished line as decides whether a command begins in it."""
    start = line.lstrip()
    # The longest beginning of a command is "##teamcity"; a letter stands for what came before.
    return start if len(start) < 2 else "x" + start[-10:]
