"""The words of a command line, which know where they stand, and errors that point at one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...errors import InputError


class Word(str):
    """A word that knows which one it is of its command line, and so do the parts that a parser cuts it into."""

    at: int

    def __new__(cls, text: str, at: int) -> Word:
        word = super().__new__(cls, text)
        word.at = at
        return word

    def __getitem__(self, key: SupportsIndex | slice) -> Word:
        return Word(super().__getitem__(key), self.at)

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        """Split as texts are."""
        return [Word(part, self.at) for part in super().split(sep, maxsplit)]


def places(value: Any) -> list[int]:
    """The places of a word, or of all in a list; values of other origin have none."""
    if isinstance(value, Word):
        return [value.at]
    return [word.at for word in value if isinstance(word, Word)] if isinstance(value, (list, tuple)) else []


class CommandLine:
    """The words behind the name of a program."""

    __slots__ = ("program", "words")

    def __init__(self, words: Sequence[str], program: str = "gradcli") -> None:
        self.program = program
        self.words = [Word(word, at) for at, word in enumerate(words)]

    def misuse(self, message: str, at: int | None = None, help: str | None = None) -> InputError:
        """A usage error at a word, or behind the last one."""
        from shlex import quote

        from ...errors import InputError, Source, Span

        at = len(self.words) if at is None else at
        words = [quote(word) for word in self.words]
        before = " ".join([self.program, *words[:at]]) + " "
        there = words[at] if at < len(words) else " "
        text = before + " ".join([there, *words[at + 1 :]])
        line, column = _position(before)
        span = Span(Source("<command line>", text), line, column, *_position(before + there))
        return InputError(message, span=span, help=help, code="E504")


def _position(text: str) -> tuple[int, int]:
    """The line, from 1, and the column, from 0, that follow a text."""
    lines = text.split("\n")
    return len(lines), len(lines[-1])


def did_you_mean(word: str, choices: Iterable[str]) -> str | None:
    """The help that names the choice which was probably meant."""
    from ...spec.torch_names import suggest

    return suggest.did_you_mean(word, choices)


def shown(text: str) -> str:
    """A word of the user's in quotes, cut when it is long."""
    return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}...'"


def listed(words: Iterable[str], last: str) -> str:
    """Words as a sentence lists them: a, b or c."""
    *some, end = words
    return f"{', '.join(some)} {last} {end}" if some else end
