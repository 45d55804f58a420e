"""``# gradcli:`` comments: what a program says about how it wants to be run and checked."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple, NoReturn

from ...errors import InputError, Source, Span
from ...verdicts import ALLOWED
from ..torch_names.suggest import did_you_mean
from .source import as_python_names, span_at

# Patterns are texts, compiled where they are used: most programs have no such comment.
_COMMENT = r"#\s*gradcli:([^#]*)"
_ITEM = r"([^\s=]+)(?:\s*=\s*|\s+)?(.*)"
_EXAMPLE = "for example # gradcli: order=2, allow kink"


class Directive(NamedTuple):
    """One thing that a comment says: ``order=2`` or ``allow kink``, checked and in its plain form."""

    key: str
    value: str | None
    span: Span


def directives(source: Source) -> list[Directive]:
    """Read the directives in a program's comments, in order; the program must be one that parses, and has a MARK."""
    found: list[Directive] = []
    for start, text in _comments(source):
        for given in _items(source, start, text):
            if given.key not in _REPEATED and any(given.key == earlier.key for earlier in found):
                raise InputError(f"'{given.key}' is given twice", span=given.span, help="leave one out", code="E505")
            found.append(given)
    return found


# -- what a value may be -----------------------------------------------------------------------


def _whole(least: int, most: int) -> Callable[[str], str | None]:
    def check(value: str) -> str | None:
        digits = re.fullmatch(r"\d{1,20}", value, re.ASCII)
        return str(int(value)) if digits and least <= int(value) <= most else None

    return check


def _one_of(*choices: str) -> Callable[[str], str | None]:
    def check(value: str) -> str | None:
        plain = value.lower().replace("_", "-")
        return plain if plain in choices else None

    return check


def _name(value: str) -> str | None:
    return as_python_names(value) if value.isidentifier() else None


def _binding(value: str) -> str | None:
    name, mark, text = (part.strip() for part in value.partition("="))
    plain = all(part.isidentifier() for part in name.split("."))
    return f"{name}={text}" if mark and plain and text and not text.startswith("=") else None


def _input(value: str) -> str | None:
    # A file is named by whoever runs the program, not by the program.
    plain = _binding(value)
    return plain if plain is not None and "=@" not in plain else None


class _Key(NamedTuple):
    """The plain form of a value, or None when it is not one; and what to write instead."""

    check: Callable[[str], str | None]
    wants: str
    choices: tuple[str, ...] = ()


_FLAG = _Key(lambda value: None, "")
_KEYS = {
    "seed": _Key(_whole(0, 2**64 - 1), "seed=N, from 0 to 2**64 - 1"),
    "dtype": _Key(_one_of("float32", "float64"), "dtype=float32 or dtype=float64", ("float32", "float64")),
    "order": _Key(_whole(1, 10), "order=N, from 1 to 10"),
    "digits": _Key(_whole(1, 17), "digits=N, from 1 to 17"),
    "no-grad": _Key(_name, "no-grad NAME, the name of an input"),
    "input": _Key(_input, "input NAME=VALUE, as on the command line, and no @file"),
    "claim": _Key(_binding, "claim NAME=EXPR, an input and its derivative"),
    "claim-from": _Key(_name, "claim-from NAME, a function that gives the derivatives"),
    "allow": _Key(_one_of(*ALLOWED), f"allow KIND, one of {', '.join(ALLOWED)}", tuple(ALLOWED)),
    "strict": _FLAG,
    "every-entry": _FLAG,
    "everywhere": _FLAG,
    "require-coverage": _FLAG,
}
_REPEATED = ("allow", "no-grad", "input", "claim")

# A program from a stranger must not choose its own limits, nor how closely it is looked at.
_LIMITS = r"limits?|timeout|seconds|(?:max-)?(?:memory|source|steps|elements|work|sequence|depth|nodes|nesting)"
_TOLERANCES = ("eps", "atol", "rtol", "tol")


def _items(source: Source, start: int, text: str) -> Iterator[Directive]:
    """The directives between the commas of one comment."""
    for part in _parts(text):
        begin = start + len(part) - len(part.lstrip())
        end = begin + len(part.strip())
        start += len(part) + 1
        found = re.fullmatch(_ITEM, part.strip())
        if found is None:
            _refuse(source, begin, end, "there is nothing here to tell gradcli", _EXAMPLE)
        key, value, at = found[1].lower().replace("_", "-"), found[2], begin + found.start(2)
        rule = _KEYS.get(key)
        if rule is None and _is_input(part.strip()):
            key, value, at, rule = "input", part.strip(), begin, _KEYS["input"]
        if rule is None:
            _unknown(source, begin, begin + len(found[1]), key)
        plain = rule.check(value)
        if rule is _FLAG and (value or "=" in part):
            _refuse(source, begin, end, f"'{key}' takes no value", f"write # gradcli: {key}")
        if rule is not _FLAG and not value:
            _refuse(source, begin, end, f"'{key}' needs a value", f"write {rule.wants}")
        if rule is not _FLAG and plain is None:
            help = did_you_mean(value, rule.choices, f"{key} ") or f"write {rule.wants}"
            _refuse(source, at, end, f"'{value}' is no value of '{key}'", help)
        yield Directive(key, plain, span_at(source, begin, end))


def _is_input(part: str) -> bool:
    """True of ``x=randn(3)``: no key that there is, and none that was misspelt."""
    name = part.partition("=")[0].strip()
    if _binding(part) is None or re.fullmatch(_LIMITS, name.lower().replace("_", "-")) or name in _TOLERANCES:
        return False
    return did_you_mean(name.replace("_", "-"), _KEYS) is None


def _parts(text: str) -> list[str]:
    """The parts between commas, of which those in brackets are none."""
    found, depth = [""], 0
    for sign in text:
        depth = max(0, depth + (sign in "([{") - (sign in ")]}"))
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return found


def _unknown(source: Source, start: int, end: int, key: str) -> NoReturn:
    if re.fullmatch(_LIMITS, key):
        message, help = "a program cannot set its own limits", "set them on the command line or in pyproject.toml"
    elif key in _TOLERANCES:
        message, help = f"there is no '{key}'", "gradients are judged by error bars: digits=N asks for more"
    else:
        message = f"gradcli has no '{key}' to set in a comment"
        help = did_you_mean(key, _KEYS) or f"there are {', '.join(_KEYS)}"
    _refuse(source, start, end, message, help)


def _comments(source: Source) -> Iterator[tuple[int, str]]:
    """Find the directives in real comments: the text after the mark, and where it begins."""
    import tokenize

    # Python ends a line at \n alone, where str.splitlines knows many more ends.
    lines = list(io.StringIO(source.text))
    starts = list(accumulate(map(len, lines), initial=0))
    try:
        for token in tokenize.generate_tokens(iter(lines).__next__):
            if token.type == tokenize.ERRORTOKEN:
                # Going on would take time that grows with the square of the text.
                return
            mark = re.match(_COMMENT, token.string) if token.type == tokenize.COMMENT else None
            if mark is not None:
                yield starts[token.start[0] - 1] + token.start[1] + mark.start(1), mark[1]
    except (tokenize.TokenError, SyntaxError):
        return


def _refuse(source: Source, start: int, end: int, message: str, help: str) -> NoReturn:
    raise InputError(message, span=span_at(source, start, end), help=help, code="E505")
