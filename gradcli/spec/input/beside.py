"""Modules of a program's own: Python files in its folder, or in folders there, that it imports.

Their texts are read with that of the program, before a line of it runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from ...errors import GradcliError, LimitError, Source
from . import source as source_
from .contained_paths import real_program
from .disk import open_regular, read_up_to
from .source import MAX_BYTES, Spec, program_text

# An import, as far as its line goes, and the names in what it lists.
_IMPORT = r"^[ \t]*(from|import)\b([^\n]*)"
_LISTED = r"(?:^|,)\s*([\w.]+)"
# Of a list in brackets, which may go on in further lines, so much is read.
_LONGEST = 4_000
# Files that one program may have beside it, names that are looked for there, and the folders that one may be in.
_MOST, _MOST_NAMES, _DEEPEST = 64, 1_000, 8
_PACKAGE = "__init__.py"


def read(text: str, *, max_bytes: int = MAX_BYTES, **how: Any) -> Spec:
    """The program that a SPEC means, with its modules."""
    spec = source_.read(text, max_bytes=max_bytes, **how)
    if spec.path is None or "import" not in spec.source.text:
        return spec
    return spec._replace(beside=tuple(texts_beside(spec.path, spec.source.text, max_bytes).items()))


def texts_beside(path: str, text: str, max_bytes: int) -> dict[str, Source | GradcliError]:
    """The modules that a program may import from its own folder, by their names: what each is shown as, and its text.

    Not all that looks like an import is one, or is run: what is wrong with a file is told when that is imported.

    Nothing else is looked at: a name leads to a regular Python file in that folder or below it, whatever links do.
    """
    root = os.path.dirname(os.path.realpath(path))
    shown = os.path.dirname(path)
    found: dict[str, Source | GradcliError] = {}
    waiting = list(_named(text, ""))
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        for part in _leading_to(name):
            if part in seen:
                if part in found:
                    continue
                break
            seen.add(part)
            place = _place(root, part)
            if (len(found) == _MOST and place is not None) or len(seen) > _MOST_NAMES:
                raise LimitError(
                    "the program imports too much from its own folder: "
                    f"more than {_MOST} modules, or {_MOST_NAMES:,} names",
                    help="put what it needs of them into fewer files",
                    code="E407",
                )
            if place is None:
                break
            try:
                found[part] = source = _read(root, shown, place, max_bytes)
            except GradcliError as error:
                found[part] = error
            else:
                waiting += _named(source.text, package_of(part, source))
    return found


def _named(text: str, package: str) -> Iterator[str]:
    """The names of modules that a text in a package may import, with those that may be no modules."""
    for begin in re.finditer(_IMPORT, text, re.MULTILINE):
        if begin[1] == "import":
            yield from re.findall(_LISTED, begin[2])
            continue
        whence, _, words = begin[2].partition("import")
        module = absolute("".join(whence.split()), package)
        if module is None:
            continue
        yield module
        if "(" in words:
            start = begin.end() - len(words) + words.index("(") + 1
            words = text[start : start + _LONGEST].partition(")")[0]
        yield from (f"{module}.{word}".lstrip(".") for word in re.findall(_LISTED, words))


def absolute(module: str, package: str) -> str | None:
    """The name of a module that a statement in a package names, with dots before it for what is beside; None: nothing.

    What is in no package has nothing beside it.
    """
    name = module.lstrip(".")
    dots = len(module) - len(name)
    if not dots:
        return name
    above = package.split(".")
    if not package or dots > len(above):
        return None
    return ".".join([*above[: len(above) - dots + 1], *([name] if name else [])])


def package_of(module: str, source: Source) -> str:
    """The package that a module is in, or is."""
    return module if os.path.basename(source.name) == _PACKAGE else module.rpartition(".")[0]


def _leading_to(name: str) -> list[str]:
    """The modules that are imported with one: those it is in, and itself."""
    parts = name.split(".") if ".." not in f".{name}." else []
    return [".".join(parts[:n]) for n in range(1, min(len(parts), _DEEPEST) + 1)]


def _place(root: str, name: str) -> str | None:
    """Where a module lies: a file, or a folder with further ones."""
    at = os.path.join(root, *name.split("."))
    for place in (os.path.join(at, _PACKAGE), f"{at}.py"):
        if os.path.isfile(place) and real_program(place, root) is not None:
            return place
    return at if os.path.isdir(at) and real_program(at, root) is not None else None


def _read(root: str, shown: str, place: str, max_bytes: int) -> Source:
    """The text of a module; a folder without one has none."""
    name = os.path.join(shown, os.path.relpath(place, root))
    if os.path.isdir(place):
        return Source(os.path.join(name, _PACKAGE), "")
    file, size = open_regular(os.path.realpath(place))
    with file:
        return program_text(name, read_up_to(file, max_bytes + 1), f"{size:,}", max_bytes)
