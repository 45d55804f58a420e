"""Match statements: patterns, each of which says whether a value fits, and gives its parts their names."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable
from typing import Any

from ..guard.size_limits import caps, collected, weigh, weigh_key
from ..values.classes.data_classes import field_names
from ..values.members import get
from ..values.user_definitions import MISSING, UserType, declared
from .compiler import Code, Compiler, compiles
from .exception_marks import marked
from .expressions import compile_truth
from .statements import compile_block
from .targets import compile_name

# Whether a value fits; what it gives names to it stores in the environment.
Fits = Callable[[dict[Any, Any], Any], bool]

_SEQUENCES = (list, tuple, range, deque)
# Classes of which a pattern's one place is the value itself.
_WHOLE = (bool, dict, float, frozenset, int, list, set, str, tuple)


@compiles(ast.Match)
def _match(c: Compiler, node: ast.Match) -> Code:
    subject = c.code(node.subject)
    before, c.in_branch = c.in_branch, True
    cases = [compile_case(c, case) for case in node.cases]
    blocks = [compile_block(c, case.body) for case in node.cases]
    c.in_branch = before
    ways = list(zip(cases, blocks, strict=True))

    def run(env: Any) -> Any:
        value = subject(env)
        for fits, block in ways:
            if fits(env, value):
                return block(env)
        return None

    return run


def compile_case(c: Compiler, case: ast.match_case) -> Fits:
    """A function that says if a case is the one for a value."""
    fits = _pattern(c, case.pattern)
    if case.guard is None:
        return fits
    guard = compile_truth(c, case.guard)
    return lambda env, value: fits(env, value) and guard(env)


def _pattern(c: Compiler, node: ast.pattern) -> Fits:
    """A function that says if a value fits a pattern."""
    if isinstance(node, ast.MatchValue):
        return _equal(c, node)
    if isinstance(node, ast.MatchSingleton):
        singleton = node.value
        return lambda env, value: value is singleton
    if isinstance(node, ast.MatchAs):
        return _named(c, node)
    if isinstance(node, ast.MatchOr):
        ways = [_pattern(c, p) for p in node.patterns]
        return lambda env, value: any(fits(env, value) for fits in ways)
    if isinstance(node, ast.MatchSequence):
        return _sequence(c, node)
    if isinstance(node, ast.MatchMapping):
        return _mapping(c, node)
    assert isinstance(node, ast.MatchClass)
    return _of_class(c, node)


def _equal(c: Compiler, node: ast.MatchValue) -> Fits:
    wanted, equal = c.code(node.value), c.compare[ast.Eq]

    def fits(env: Any, value: Any) -> bool:
        try:
            return bool(equal(value, wanted(env)))
        except marked(node):
            raise

    return fits


def _named(c: Compiler, node: ast.MatchAs) -> Fits:
    inner: Fits = (lambda env, value: True) if node.pattern is None else _pattern(c, node.pattern)
    if node.name is None:
        return inner
    store = compile_name(c, node.name, node)

    def fits(env: Any, value: Any) -> bool:
        if not inner(env, value):
            return False
        store(env, value)
        return True

    return fits


def _sequence(c: Compiler, node: ast.MatchSequence) -> Fits:
    starred = [i for i, p in enumerate(node.patterns) if isinstance(p, ast.MatchStar)]
    parts = [None if isinstance(p, ast.MatchStar) else _pattern(c, p) for p in node.patterns]
    star = node.patterns[starred[0]] if starred else None
    name = star.name if isinstance(star, ast.MatchStar) else None
    store = None if name is None or star is None else compile_name(c, name, star)
    least = len(parts) - len(starred)

    def fits(env: Any, value: Any) -> bool:
        if not isinstance(value, _SEQUENCES) or len(value) < least or (not starred and len(value) > least):
            return False
        items = collected(value)
        if starred:
            at = starred[0]
            end = len(items) - (len(parts) - at - 1)
            middle = items[at:end]
            items = [*items[:at], middle, *items[end:]]
        for part, item in zip(parts, items, strict=True):
            if part is None:
                if store is not None:
                    store(env, item)
            elif not part(env, item):
                return False
        return True

    return fits


def _mapping(c: Compiler, node: ast.MatchMapping) -> Fits:
    keys = [c.code(key) for key in node.keys]
    parts = [_pattern(c, p) for p in node.patterns]
    store = None if node.rest is None else compile_name(c, node.rest, node)

    def fits(env: Any, value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        wanted = [key(env) for key in keys]
        try:
            for key in wanted:
                weigh_key(key)
        except marked(node):
            raise
        for key, part in zip(wanted, parts, strict=True):
            found = value.get(key, MISSING)
            if found is MISSING or not part(env, found):
                return False
        if store is not None:
            caps.tick(len(value))
            store(env, {k: v for k, v in value.items() if k not in wanted})
        return True

    return fits


def _of_class(c: Compiler, node: ast.MatchClass) -> Fits:
    kind = c.code(node.cls)
    places = [_pattern(c, p) for p in node.patterns]
    named = [(name, _pattern(c, p)) for name, p in zip(node.kwd_attrs, node.kwd_patterns, strict=True)]

    def fits(env: Any, value: Any) -> bool:
        try:
            cls = kind(env)
            if not isinstance(cls, type):
                raise TypeError("called match pattern must be a class")
            weigh(cls)
            if not isinstance(value, cls):
                return False
            if len(places) == 1 and cls in _WHOLE:
                return places[0](env, value) and all(_attribute(env, value, n, part) for n, part in named)
            names = _names_of(cls) if places else ()
            most = 1 if cls in _WHOLE else len(names)
            if most < len(places):
                plural = "" if most == 1 else "s"
                given = f"{most} positional sub-pattern{plural} ({len(places)} given)"
                raise TypeError(f"{cls.__name__}() accepts {given}")
            return all(
                _attribute(env, value, n, part) for n, part in [*zip(names, places, strict=False), *named]
            )
        except marked(node):
            raise

    return fits


def _attribute(env: Any, value: Any, name: Any, part: Fits) -> bool:
    if not isinstance(name, str):
        raise TypeError(f"__match_args__ elements must be strings (got {type(name).__name__})")
    try:
        found = get(value, name)
    except AttributeError:
        return False
    return part(env, found)


def _names_of(cls: type) -> tuple[Any, ...]:
    """The attributes that the places of a pattern stand for."""
    found = declared(cls, "__match_args__") if isinstance(cls, UserType) else MISSING
    if isinstance(found, tuple):
        return found
    return field_names(cls)
