"""Types of the values of options: what each takes, in words for errors, read in one way everywhere.

Settings and the environment read their values by the same types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .words import did_you_mean, listed, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from click.shell_completion import CompletionItem

    Type = click.ParamType[Any, Any]
    ChoiceOfTexts = click.Choice[str]
else:
    Type, ChoiceOfTexts = click.ParamType, click.Choice

# More than any limit needs to be.
MOST = 10**15


class Unfit(click.BadParameter):
    """A value that a parameter does not take, which knows its place when it was typed."""

    def __init__(self, message: str, value: str, help: str | None = None) -> None:
        super().__init__(message)
        self.at: int | None = getattr(value, "at", None)
        self.help = help


class Read(Type):
    """A value that a function reads from its text, giving None for anything else."""

    name = "value"

    def __init__(self, words: str, read: Callable[[str], Any]) -> None:
        self.words = words
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Give the value of a text; a value that is none any more stays as it is."""
        if not isinstance(value, str):
            return value
        found = self.read(value)
        if found is None:
            raise Unfit(f"{called(param)} takes {self.words}, not {shown(value)}", value)
        return found


class Whole(Read):
    """A whole number of plain digits within bounds."""

    name = "whole number"

    def __init__(self, low: int, high: int) -> None:
        def read(text: str) -> int | None:
            plain = text.isascii() and text.isdigit() and len(text) <= len(str(high))
            return int(text) if plain and low <= int(text) <= high else None

        super().__init__(f"a whole number from {low:,} to {high:,}", read)


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if text.isascii() and 0 < value < 1e9 else None


def _fraction(text: str) -> tuple[int, int] | None:
    part, mark, parts = text.partition("/")
    if not mark or not all(word.isascii() and word.isdigit() and len(word) < 6 for word in (part, parts)):
        return None
    return (int(part), int(parts)) if 1 <= int(part) <= int(parts) else None


def _jobs(text: str) -> int | None:
    if text == "auto":
        return min(processors(), 256)
    found: int | None = Whole(1, 256).read(text)
    return found


def processors() -> int:
    """The number of processors that this process may use."""
    import os

    known = getattr(os, "sched_getaffinity", None)
    return len(known(0)) if known is not None else os.cpu_count() or 1


def report_of(formats: Iterable[str]) -> Callable[[str], tuple[str, str] | None]:
    """Make a reader of FORMAT:PATH."""
    known = frozenset(formats)

    def read(text: str) -> tuple[str, str] | None:
        form, mark, path = text.partition(":")
        return (form, path) if mark and path and form in known else None

    return read


TEXT = Read("text", str)
SECONDS = Read("a number of seconds above 0", _seconds)
FRACTION = Read("I/N, such as 1/4", _fraction)
SEED = Whole(0, 2**64 - 1)
ORDER = Whole(1, 10)
DIGITS = Whole(1, 17)
SAMPLES = Whole(0, 1000)
JOBS = Read("a whole number from 1 to 256, or auto", _jobs)


class Choice(ChoiceOfTexts):
    """One of a few words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Give the word, or say which there are and which of them was probably meant."""
        if value in self.choices:
            return str(value)
        takes = "is" if isinstance(param, click.Argument) else "takes"
        message = f"{called(param)} {takes} {listed(self.choices, 'or')}, not {shown(value)}"
        raise Unfit(message, value, did_you_mean(value, self.choices))


DTYPE = Choice(["float32", "float64"])


class Path(Read):
    """The path of a file, which the shell completes."""

    name = "path"

    def __init__(self) -> None:
        super().__init__("a path", str)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Leave it to the shell, which knows how its user writes paths."""
        return [proposal(incomplete, type="file")]


PATH = Path()


def called(param: click.Parameter | None) -> str:
    """The name of a parameter as errors say it."""
    if param is None:
        return "this"
    return param.opts[-1] if isinstance(param, click.Option) else param.human_readable_name


def proposal(word: str, **about: Any) -> CompletionItem:
    """A word that is proposed; only who completes reads what click has for it."""
    from click.shell_completion import CompletionItem

    return CompletionItem(word, **about)


def beginning(words: Iterable[str], incomplete: str, help: str | None = None) -> list[CompletionItem]:
    """The words that begin as what is typed so far."""
    return [proposal(word, help=help) for word in words if word.startswith(incomplete)]


def proposing(words: Iterable[str]) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Completion by words that are always the same."""
    offered = tuple(words)
    return lambda ctx, param, incomplete: beginning(offered, incomplete)
