"""``[[tool.gradcli.spec]]``: a spec of a project with its inputs and claims; and the place of what is wrong in one."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import GradcliError, Source, Span
from ...spec.input.named_inputs import Binding
from ...spec.input.source import span_at

# The header of such a table; in a file of settings of their own it stands in no other table.
_HEADER = r"(?m)^[ \t]*\[\[[ \t]*(?:tool[ \t]*\.[ \t]*[\"']?gradcli[\"']?[ \t]*\.[ \t]*)?[\"']?{}[\"']?[ \t]*\]\]"
# The names of files of settings: the one of its own, and the one that others write to; more of them is not read.
SETTINGS = "gradcli.toml", "pyproject.toml"
_LARGEST = 2**20
# The source that a claim is read from.
_CLAIM = "--claim"


class SpecTable(NamedTuple):
    """A file, or what stands in it by a name, with the inputs and the claims that it is checked with."""

    # As a path from the directory of the settings on, and the table's place among those of the file of settings.
    path: str
    target: str | None
    inputs: tuple[Binding, ...]
    # Claims and other settings, by the names of options.
    values: dict[str, Any]
    source: Source
    number: int

    def means(self, path: str, target: str | None, directory: str) -> bool:
        """Tell whether a spec that was named is this one: a file stands for all that tables name of it."""
        own = os.path.realpath(os.path.join(directory, self.path))
        return own == os.path.realpath(path) and target in (None, self.target)

    def name(self, path: str) -> str:
        """The SPEC, in a file as it was named."""
        return path if self.target is None else f"{path}::{self.target}"

    def beside(self, given: Sequence[Binding]) -> list[Binding]:
        """The inputs that were not given otherwise."""
        names = {each.name for each in given}
        return [each for each in self.inputs if each.name not in names]

    def place(self, error: GradcliError, given: Sequence[Binding] = ()) -> None:
        """Place an error in the settings where it is about what stands there, and say where the inputs stand.

        ``given``: the inputs that were given otherwise.
        """
        span = error.span
        at = None if span is None else self._of_text(span)
        if at is not None:
            error.span = at
        elif span is None and error.code.startswith("E5"):
            error.span = self._of_word(error.message)
            error.help = error.help or f"paths begin in the directory of {self.source.name}"
        elif error.code == "E301":
            line = header(self.source, "spec", self.number).line
            taken = ", ".join(f"{each.name}={each.text}" for each in self.beside(given)) or "no inputs"
            said = f"it was given {taken}, as the table at {self.source.name}:{line} says"
            error.help = f"{error.help}; {said}" if error.help else said

    def _of_word(self, message: str) -> Span:
        """The place of the setting whose value a message tells of, or else that of the whole table."""
        start = start_of(self.source, "spec", self.number)
        said = {"claim-from": [self.values.get("claim_from")], "no-grad": self.values.get("no_grad", [])}
        for key, names in said.items():
            found = _key(self.source.text, key, start)
            if found is not None and any(name is not None and name in re.split(r"\W", message) for name in names):
                return span_at(self.source, *found)
        return header(self.source, "spec", self.number)

    def _of_text(self, span: Span) -> Span | None:
        """The place in the settings of a place in an input, or in a claim."""
        for each in self.inputs:
            if each.source == span.source:
                return self._moved("inputs", each.name, each.text, span, 0)
        for name, text in self.values.get("claim", ()):
            if span.source == Source(_CLAIM, f"{name}={text}"):
                return self._moved("claims", name, text, span, len(name) + 1)
        return None

    def _moved(self, section: str, name: str, text: str, span: Span, before: int) -> Span:
        key, value = entry(self.source, start_of(self.source, "spec", self.number), section, name, text)
        if value is None or span.line > 1 or span.column < before:
            return key
        start = value + span.column - before
        return span_at(self.source, start, start + max(span.end_column - span.column, 1))


def may_be_near() -> bool:
    """Tell whether some file of settings here or above may have such tables: quicker than to read them."""
    here = os.getcwd()
    while True:
        for name in SETTINGS:
            path = os.path.join(here, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    if re.search(rb"\bspec\b", file.read(_LARGEST)):
                        return True
        above = os.path.dirname(here)
        if above == here:
            return False
        here = above


def start_of(source: Source, kind: str, number: int) -> int:
    """Where a table of an array begins in a file of settings."""
    every = re.finditer(_HEADER.format(kind), source.text)
    return next((found.end() for at, found in enumerate(every) if at == number), 0)


def header(source: Source, kind: str, number: int) -> Span:
    """The place of a table's name."""
    end = start_of(source, kind, number)
    if not end:
        # An array that is written as a value.
        key = _key(source.text, kind, 0)
        return span_at(source, *(key or (0, 1)))
    start = source.text.rfind("\n", 0, end) + 1
    return span_at(source, start, max(end, start + 1))


def entry(source: Source, start: int, section: str, name: str, text: str | None) -> tuple[Span, int | None]:
    """Where a key of a section stands, and where its value begins as it is written; tomllib tells of no places."""
    within = _key(source.text, section, start)
    begin, end = within if within is not None else (start, start)
    key = _key(source.text, name, end)
    if key is None:
        return span_at(source, begin, max(end, begin + 1)), None
    value = source.text.find(text, key[1]) if text else -1
    written = source.text[key[1] : value] if value >= 0 else ""
    plain = re.fullmatch(r"[\"']?[ \t]*=[ \t]*(?:\"{1,3}|'{1,3})\s*", written[:100])
    return span_at(source, *key), value if plain else None


def _key(text: str, name: str, start: int) -> tuple[int, int] | None:
    """The next place of a key, or of a table of that name."""
    found = re.compile(rf"(?<![\w-])({re.escape(name)})[\"']?[ \t]*[=\]]").search(text, start)
    return None if found is None else found.span(1)
