"""The values that settings take: each read from a file or from the environment, or refused in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import InputError
from ...report.formats import FORMATS
from ..parsing.types import DIGITS, JOBS, MOST, ORDER, SAMPLES, SECONDS, SEED, Read as Type, Whole
from ..parsing.words import listed
from ..python.wanted import KINDS, divided

# Of a list so many texts of so many characters: patterns are compiled, and kept by Python as long as they are few.
MANY, LONG = 100, 256
# The arrays of tables.
PYTHON, SPEC = "python", "spec"

Read = Callable[[Any], Any]


class Wrong(Exception):
    """A value that a setting cannot take: in words, what it can."""


def _as(kind: Type, types: tuple[type[int] | type[float], ...] = (int,)) -> Read:
    def read(value: Any) -> Any:
        # A number of many digits has no text.
        plain = isinstance(value, types) and not isinstance(value, bool) and abs(value) < 1e30
        found = kind.read(str(value)) if plain or isinstance(value, Untyped) else None
        if found is None:
            raise Wrong(kind.words)
        return found

    return read


def _one_of(*choices: str) -> Read:
    def read(value: Any) -> Any:
        if not isinstance(value, str) or value not in choices:
            raise Wrong(listed([f"'{choice}'" for choice in choices], "or"))
        return str(value)

    return read


def switch(value: Any) -> Any:
    """True or false, in one of the words for them where it comes from the environment."""
    if isinstance(value, Untyped) and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    if not isinstance(value, bool):
        raise Wrong("true or false")
    return value


def _texts(value: Any) -> Any:
    if isinstance(value, Untyped):
        return [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Wrong("a list of texts")
    if len(value) > MANY or any(len(item) > LONG for item in value):
        raise Wrong(f"at most {MANY} texts of at most {LONG} characters")
    return value


def _reports(value: Any) -> Any:
    """Places for reports; those of a file are looked at with the directory that it is in."""
    reports = _texts(value)
    if isinstance(value, Untyped) and not all(map(is_report, reports)):
        raise Wrong("FORMAT:PATH, such as junit:report.xml")
    return reports


def is_report(text: str) -> bool:
    """Tell whether a text names a report: FORMAT:PATH."""
    form, _, path = text.partition(":")
    return form in FORMATS and bool(path)


def _kinds(value: Any) -> Any:
    kinds = [kind.lower().replace("_", "-") for kind in _texts(value)]
    from ...verdicts import ALLOWED

    if not set(kinds) <= set(ALLOWED):
        raise Wrong(f"a list of {listed(ALLOWED, 'or')}")
    return kinds


def _jobs(value: Any) -> Any:
    """So many, or as many as there are processors."""
    return _as(JOBS)(Untyped(value) if value == "auto" else value)


def _path(value: Any) -> Any:
    if not isinstance(value, str) or not value or len(value) > LONG:
        raise Wrong("the path of a file")
    return value


class Untyped(str):
    """A value that has no type of its own: one of the environment."""


_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}

# Those that may differ between files, those of the whole project, and those that only a file of settings has.
SINGLE: dict[str, Read] = {
    "seed": _as(SEED),
    "order": _as(ORDER),
    "digits": _as(DIGITS),
    "samples": _as(SAMPLES),
    "dtype": _one_of("float32", "float64"),
    "strict": switch,
    "every-entry": switch,
    "everywhere": switch,
    "require-coverage": switch,
    "allow": _kinds,
    "limits": _one_of("strict", "relaxed"),
    "timeout": _as(SECONDS, (int, float)),
    "check-timeout": _as(SECONDS, (int, float)),
    "max-memory": _as(Whole(1, MOST)),
    "max-elements": _as(Whole(10**5, MOST)),
    "max-steps": _as(Whole(1, MOST)),
    "max-source": _as(Whole(1, MOST)),
}
WHOLE: dict[str, Read] = {**SINGLE, "format": _one_of(*FORMATS), "jobs": _jobs, "report": _reports}
PROJECT: dict[str, Read] = {**WHOLE, "paths": _texts, "exclude": _texts, "baseline": _path}


def _target(value: Any) -> Any:
    try:
        divided(value if isinstance(value, str) and len(value) <= LONG else "")
    except InputError:
        raise Wrong("a function in a module: pkg.mod:name or file.py:name") from None
    return value


def _inputs(value: Any) -> Any:
    if not isinstance(value, dict) or not all(isinstance(x, str) and len(x) <= LONG for x in value.values()):
        raise Wrong("a table of texts, such as {x = \"randn(3)\"}")
    return value


def _name(value: Any) -> Any:
    if not isinstance(value, str) or not value.isidentifier() or len(value) > LONG:
        raise Wrong("a name, such as \"loss\"")
    return value


def _by_name(value: Any) -> Any:
    if not isinstance(value, dict) or not all(isinstance(x, str) for x in value.values()) or len(value) > MANY:
        raise Wrong("a table of texts, such as {x = \"randn(3)\"}")
    return value


# What a table of a spec may have beside the settings of a single file.
OF_SPEC: dict[str, Read] = {
    "path": _path, "target": _name, "inputs": _by_name, "no-grad": _texts, "claims": _by_name, "claim-from": _name,
    "args": _texts,
}  # fmt: skip
# What each table of an array names, and what it may be.
NAMED = {PYTHON: ("target", "pkg.mod:name"), SPEC: ("path", "losses.py::loss")}
# What a table of a function may have.
OF_PYTHON: dict[str, Read] = {
    "target": _target, "derivative": _target, "kind": _one_of(*KINDS), "train": switch, "inputs": _inputs,
    "no-grad": _texts,
}  # fmt: skip
