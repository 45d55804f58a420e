"""Loops that repeat something until it is near enough, as a solver does: whether they came to their end.

Such a loop is left by a `break` that hangs on numbers, and makes no use of which round it is in. Where it was left
that way at the point itself, and elsewhere it goes on to its last round, what it makes there is not what it is for.

A search that halves an interval ends in any case. Where each step keeps the same half, it ends at an end of the
interval: if it did not do so at the point itself, what it looks for is not in the interval.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from ...spec.input.parse import nodes_of_kind
from ...spec.language.decisions import key_of
from ...spec.values.user_definitions import UserFunction
from ..blaming.methods import called
from ..replay.subject import Subject, custom

# Where a condition stands, and how it comes out where the loop ends.
End = tuple[tuple[int, ...], bool]
_known: WeakKeyDictionary[ast.AST, frozenset[End]] = WeakKeyDictionary()
_halving: WeakKeyDictionary[ast.AST, frozenset[End]] = WeakKeyDictionary()


def unended(here: Subject, there: Subject) -> str | None:
    """Words for what a loop of a Function that came to its end here does elsewhere instead."""
    for node in custom(here):
        forward = node.function.forward
        if isinstance(forward, UserFunction):
            if any(_is_missed(end, here, there) for end in _ends(forward.node)):
                return "runs out before it is near enough"
            if any(_is_missed(end, here, there) for end in _sides(forward.node)):
                return "keeps the same half of its interval each time, which has nothing to be found in it"
    return None


def stops_when_near(subject: Subject) -> bool:
    """Tell whether a Function repeats something until it is near enough: its result is only so exact."""
    return any(repeats_until_near(node.function.forward) for node in custom(subject))


def repeats_until_near(method: object) -> bool:
    """Tell whether a method repeats something until it is near enough, or what it calls does."""
    if not isinstance(method, UserFunction):
        return False
    return any(
        _ends(function.node) or nodes_of_kind(function.node, ast.While)
        for function in (method, *called(method))
    )


def _is_missed(end: End, here: Subject, there: Subject) -> bool:
    place, outcome = end
    before, now = ({x for key, outs in of.decided.items() if key[:-1] == place for x in outs} for of in (here, there))
    return outcome in before and bool(now) and outcome not in now


def _ends(function: ast.AST) -> frozenset[End]:
    found = _known.get(function)
    if found is None:
        loops = nodes_of_kind(function, ast.For)
        found = _known[function] = frozenset(end for loop in loops if _repeats(loop) for end in _breaks(loop.body))
    return found


def _sides(function: ast.AST) -> frozenset[End]:
    """Both outcomes of the conditions by which searches halve their intervals."""
    found = _halving.get(function)
    if found is None:
        bodies = [loop.body for loop in nodes_of_kind(function, ast.For) if _repeats(loop)]
        bodies += [loop.body for loop in nodes_of_kind(function, ast.While)]
        places = [key_of(test, -1)[:-1] for body in bodies for test in _halvings(body)]
        found = _halving[function] = frozenset((place, outcome) for place in places for outcome in (True, False))
    return found


def _halvings(body: list[ast.stmt]) -> Iterator[ast.expr]:
    """The conditions on which one of two names, or else the other, gets a value: the ends of an interval."""
    for statement in body:
        if isinstance(statement, ast.If) and len(statement.body) == len(statement.orelse) == 1:
            one, other = statement.body[0], statement.orelse[0]
            if isinstance(one, ast.Assign) and isinstance(other, ast.Assign):
                same = ast.dump(one.value) == ast.dump(other.value)
                if same and all(isinstance(x, ast.Name) for x in (*one.targets, *other.targets)):
                    yield statement.test


def _repeats(loop: ast.For) -> bool:
    """Tell whether a loop makes no use of which round it is in."""
    given = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    read = (node for part in loop.body for node in ast.walk(part) if isinstance(node, ast.Name))
    return not any(node.id in given for node in read)


def _breaks(body: list[ast.stmt]) -> Iterator[End]:
    """The conditions on which a loop is left."""
    for statement in body:
        if isinstance(statement, ast.If):
            for branch, outcome in ((statement.body, True), (statement.orelse, False)):
                if any(isinstance(x, ast.Break) for x in branch):
                    yield from _conditions(statement.test, outcome)
                yield from _breaks(branch)


def _conditions(test: ast.expr, outcome: bool) -> Iterator[End]:
    """The conditions that one hangs on, each with its outcome where that one has this."""
    yield key_of(test, -1)[:-1], outcome
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _conditions(test.operand, not outcome)
    elif isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _conditions(part, outcome)
