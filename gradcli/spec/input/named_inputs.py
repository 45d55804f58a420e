"""NAME=VALUE: what a program is given from outside, as a value in its own language or as a file of numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from keyword import iskeyword
from typing import Any, NamedTuple, NoReturn

from ...errors import InputError, Source
from .source import as_python_names, span_at, typed

_EXAMPLES = "for example x=2, x=[1, 2], x='randn(3)' or x=@data.npy"


class Binding(NamedTuple):
    """A name and the text of its value; the source is that text, to be evaluated and pointed at."""

    name: str
    text: str
    source: Source


def is_binding(text: str) -> bool:
    """True if an argument is NAME=VALUE and not a program; ``x = 2`` with blanks is, where no statement follows it."""
    name, equals, value = text.partition("=")
    if not (equals and name.strip().isidentifier()) or value.startswith("="):
        return False
    return name == name.strip() or not re.search(r"[;\n]", text)


def binding(text: str) -> Binding:
    """The name and the value in NAME=VALUE."""
    source = typed("<input>", text)
    name, equals, value = source.text.partition("=")
    start, end = _trimmed(name)
    name = name[start:end]
    if not equals:
        _refuse(source, 0, len(source.text), f"'{name}' is no input: it has no value", f"write NAME=VALUE, {_EXAMPLES}")
    if value.startswith("=") or name.endswith(("<", ">", "!", ":")):
        at = source.text.index("=") - (not value.startswith("="))
        _refuse(source, at, at + 2, f"an input is given with =, not {source.text[at : at + 2]}", _EXAMPLES)
    if not name:
        _refuse(source, 0, 1, "an input needs a name before =", _EXAMPLES)
    if not name.isidentifier():
        _refuse(source, start, end, f"'{name}' cannot be the name of an input", "use letters, digits and _, as in x1=2")
    name = as_python_names(name)
    if iskeyword(name):
        message = f"'{name}' is a word of Python's and cannot be the name of an input"
        _refuse(source, start, end, message, f"call it {name}_")
    value = value.strip()
    if not value or value == "@":
        end = len(source.text.rstrip())
        message = "names no file after @" if value else "has no value"
        _refuse(source, end - 1, end, f"input '{name}' {message}", _EXAMPLES)
    return Binding(name, value, Source(f"<input {name}>", value))


def bindings(texts: Iterable[str]) -> list[Binding]:
    """All inputs, each name given once."""
    found: dict[str, Binding] = {}
    for text in texts:
        given = binding(text)
        first = found.setdefault(given.name, given)
        if first is not given:
            raise InputError(
                f"input '{given.name}' is given twice",
                span=span_at(given.source, 0, len(given.text)),
                help=f"leave one out; the first was {first.text}",
            )
    return list(found.values())


def data_files(given: Iterable[Binding]) -> tuple[str, ...]:
    """The files of numbers that inputs name."""
    return tuple(binding.text[1:].strip() for binding in given if binding.text.startswith("@"))


def check_data(given: Iterable[Binding]) -> None:
    """Refuse inputs that name a file which cannot be read, before anything is run."""
    from .disk import open_regular

    for binding in given:
        for path in data_files([binding]):
            with _at(binding):
                open_regular(path)[0].close()


@contextmanager
def _at(given: Binding) -> Iterator[None]:
    """Errors of a file are placed at the input that names it."""
    try:
        yield
    except InputError as error:
        if error.span is None:
            error.span = span_at(given.source, 0, len(given.text))
        raise


def value_of(given: Binding, evaluate: Callable[[Source], Any], *, max_bytes: int) -> Any:
    """The array in the file that an input names, or what ``evaluate`` makes of its text."""
    if not given.text.startswith("@"):
        return evaluate(given.source)
    from .array_files import read_array

    with _at(given):
        return read_array(given.text[1:].strip(), max_bytes)


# -- places ------------------------------------------------------------------------------------


def _trimmed(text: str) -> tuple[int, int]:
    """Where a text begins and ends without the blanks around it."""
    return len(text) - len(text.lstrip()), max(len(text.rstrip()), len(text) - len(text.lstrip()))


def _refuse(source: Source, start: int, end: int, message: str, help: str) -> NoReturn:
    raise InputError(message, span=span_at(source, start, end), help=help)
