"""Patterns of paths as git has them, and what nobody means by a directory of programs: what git ignores, environments.

Patterns may be a stranger's: matching takes time by their length alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

# Directories of what was installed or built; hidden ones are left out anyhow.
_NEVER = frozenset(("__pycache__", "venv", "build", "node_modules", "site-packages"))
_ENVIRONMENT = "pyvenv.cfg"
_FILE, _MORE = ".gitignore", os.path.join(".git", "info", "exclude")
# Of a file of patterns so many characters, lines, and characters of a line are read.
_LARGEST, _MANY, _LONG = 65_536, 1_000, 256

GLOB = r"[*?\[]"


class Rule(NamedTuple):
    """A line of a file of patterns."""

    segments: tuple[str, ...]
    ignores: bool
    only_directories: bool


class Ignored:
    """Read the patterns that git ignores in and below a directory, as far as their files are there."""

    def __init__(self, top: str) -> None:
        self._rules: dict[str, list[Rule]] = {}
        real = os.path.realpath(top)
        self._root = _repository(real)
        if self._root is not None and real != self._root:
            above = self._root
            for name in os.path.relpath(real, self._root).split(os.sep)[:-1]:
                self.enter(above)
                above = os.path.join(above, name)
            self.enter(above)

    def enter(self, directory: str) -> None:
        """Read the patterns of a directory, given by its real path."""
        if self._root is None or directory in self._rules:
            return
        rules = list(_read(os.path.join(directory, _FILE)))
        if directory == self._root:
            rules = [*_read(os.path.join(directory, _MORE)), *rules]
        self._rules[directory] = rules

    def __contains__(self, place: tuple[str, bool]) -> bool:
        """Tell whether git ignores a real path, which is that of a directory or not; the last pattern decides."""
        path, is_directory = place
        ignored = False
        for directory, rules in self._rules.items():
            if rules and path.startswith(os.path.join(directory, "")):
                names = os.path.relpath(path, directory).split(os.sep)
                for rule in rules:
                    if rule.ignores is not ignored and (is_directory or not rule.only_directories):
                        ignored ^= matches(names, rule.segments)
        return ignored


def is_installed(path: str, name: str) -> bool:
    """Tell whether a directory is one of what was installed or built, by its name or as an environment of Python."""
    return name in _NEVER or os.path.isfile(os.path.join(path, _ENVIRONMENT))


def matches(names: Sequence[str], segments: Sequence[str]) -> bool:
    """Tell whether a path, in its names, fits a pattern, in its parts: ``**`` stands for any number of names."""
    # After each part, how many names may have been used.
    used = {0}
    for number, segment in enumerate(segments):
        if segment == "**":
            # What a pattern ends with stands for one name at least.
            first = min(used, default=len(names) + 1) + (number == len(segments) - 1)
            used = set(range(first, len(names) + 1))
        else:
            fits = _compiled(segment)
            used = {n + 1 for n in used if n < len(names) and fits.fullmatch(names[n])}
    return len(names) in used


def split(pattern: str) -> tuple[str, ...]:
    """The parts of a pattern of a path from its directory on."""
    return tuple(part for part in pattern.split("/") if part not in ("", "."))


def parsed(line: str) -> Rule | None:
    """The rule in a line of a file of patterns; None where there is none."""
    line = re.sub(r"(?<!\\) +$", "", line.rstrip("\r\n"))
    if not line or line.startswith("#") or len(line) > _LONG:
        return None
    ignores = not line.startswith("!")
    text = line if ignores else line[1:]
    body = text.rstrip("/")
    segments = split(body)
    if not segments:
        return None
    return Rule(segments if "/" in body else ("**", *segments), ignores, text.endswith("/"))


def _read(path: str) -> Iterator[Rule]:
    try:
        if not os.path.isfile(path) or os.path.islink(path):
            return
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(_LARGEST).splitlines()[:_MANY]
    except OSError:
        # What cannot be read ignores nothing.
        return
    yield from filter(None, map(parsed, lines))


def _repository(directory: str) -> str | None:
    """The nearest directory at or above one that is a repository of git."""
    while not os.path.lexists(os.path.join(directory, ".git")):
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above
    return directory


@cache
def _compiled(segment: str) -> re.Pattern[str]:
    """A part of a pattern as an expression that never goes back behind a star."""
    parts: list[list[str]] = [[]]
    at = 0
    while at < len(segment):
        token = _token(segment, at)
        at += len(token)
        if token == "*":
            parts.append([])
        else:
            parts[-1].append(_one(token))
    first, *others = map("".join, parts)
    middle = "".join(f"(?>.*?{part})" for part in others[:-1])
    last = f".*{others[-1]}" if others else ""
    return re.compile(first + middle + last, re.DOTALL)


def _token(segment: str, at: int) -> str:
    """A letter, an escaped one, a star, a question mark, or a class of letters in brackets."""
    if segment[at] == "\\" and at + 1 < len(segment):
        return segment[at : at + 2]
    found = re.compile(r"\[[!^]?\]?[^\]]*\]").match(segment, at)
    return found[0] if found else segment[at]


def _one(token: str) -> str:
    """An expression for one letter."""
    if token == "?":
        return "."
    if token[0] == "[" and len(token) > 2:
        negated, letters = token[1] in "!^", token[1:-1].lstrip("!^")
        inside = "".join(f"\\{c}" if c in "\\[]^&~|" else c for c in letters)
        try:
            re.compile(f"[{inside}]")
        except re.error:
            # A range that ends before it begins fits nothing.
            return "(?!)"
        return f"[{'^' if negated else ''}{inside}]" if inside else "(?!)"
    return re.escape(token[-1] if token[0] == "\\" else token)
