"""By trial: which single small change of a custom backward would make it right, and at which line."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode
from ...engine.tensor import result
from ...errors import Span
from ...spec.input.parse import extent_of
from ...spec.values.user_definitions import UserFunction
from .. import budget
from ..arrays import Array
from ..claims.op_alone import Alone, Refused
from ..replay.plan import Unreplayable
from .data_flow import computes, own_parts
from .each_op import Measured, measured_gradient
from .methods import (
    called,
    calls_own,
    context_of,
    is_made_by,
    keeping,
    keeps,
    kept_as_read,
    kept_in_vain,
    names_agree,
    names_of,
    only_for_backward,
    parts_of,
    statements_of,
    turns_of,
    unread,
    unused,
)  # fmt: skip
from .small_changes import Change, insertions, simple_changes, with_products
from .trial import CLOSE, TINY, Trial, Truth
from .true_values import Doubt, Evidence, evidence
from .where_written import Computed, method_of, written

# So many changes are tried at most, of each sort, where a try is cheap and where it is not, in so many steps for all
# of them; and none after this part of the time.
_TRIES, _LEAST_TRIES, _STEPS, _PART = 3000, 1000, 10**6, 0.85
# Before this part of it is over the next rounds begin: the likeliest first, and none takes the time of all others.
_ENDS = 0.5, 0.75, 0.78, 0.8, 0.82, _PART
# What differs from the truth by less than so many bars is right.
_BARS = 8.0
# A truth that is no surer than this, for the size of it and of its claim, would be met by changes that mend nothing.
_VAGUE = 1e-3
# One statement is given no less than such a part of the tries that are left, and so many.
_SHARES, _LEAST = 4, 80
# So many changes are told.
_TOLD = 3
# What makes numbers that no graph knows.
_LETS_GO = frozenset({"detach", "detach_", "data", "item", "tolist", "numpy", "no_grad", "inference_mode"})
# The more of this a slip is, the less likely: that it left a name without use, or that a statement seems right.
# Or that it is more than a name, where names are passed on: that belongs to where they get their values.
# And that a condition is another.
_IDLE, _AMONG, _SEEMS_RIGHT, _ONLY_NAMED, _HEAD = 100, 10, 4, 8, 1
# What is no odder than this is not looked for further, nor for a second time what is less odd than a name without use.
_PLAIN, _THOROUGH = 1, 2


class Mend(NamedTuple):
    """A statement of a method, and in words what stands there instead where a backward is right."""

    method: UserFunction
    statement: ast.stmt
    text: str
    # The larger the less likely the slip, and after that: the less likely that this statement is to blame.
    oddness: int
    doubt: Doubt
    # What is told of it: of a loop the part of its head.
    told: ast.AST


# A statement of a method; which changes are tried; and those of which statements.
_Place = tuple[UserFunction, ast.stmt]
_Sort = Callable[[ast.stmt, Sequence[str], Sequence[ast.expr]], Iterator[Change]]
_Round = tuple[_Sort, Sequence[_Place]]


class Mends(NamedTuple):
    """The changes that were found by trying, and where the values of statements go wrong."""

    # By the slot of the argument whose gradient they mend.
    of: Mapping[int, list[Mend]]
    # The first statement that lacks a true value and could mend all, with the function that it stands in.
    first: tuple[UserFunction, ast.AST] | None = None
    # Rather the one that a name without use may have been forgotten in, and that name.
    lacking: tuple[UserFunction, ast.AST, str] | None = None


NOTHING = Mends({})


def mends(
    node: FunctionNode,
    reached: Sequence[int] | None,
    statements: Sequence[ast.stmt],
    right: Collection[int],
    rng: np.random.Generator,
    known: Mapping[str, Measured] | None = None,
) -> Mends:
    """The changes of one of these statements by which wrong gradients are right, and right ones stay so; by slot.

    The simplest sort of them, one for each statement; where some of them mend all that is wrong, only these.
    ``right``: the slots whose gradients are known to be right; ``known``: what was measured of arguments, by name.
    """
    backward = written(node)
    if backward is None:
        return NOTHING
    try:
        alone = Alone(node, reached)
        known = known or {}
        weights = next((x.weights for x in known.values()), None) or alone.weights(rng)
        truths = _truths(alone, weights, right, known, rng)
        if truths is None:
            return NOTHING
        values = evidence(alone, backward.machine.tracer, weights, [x.value for x in truths], rng)
        trial = Trial(node, alone, weights, truths, backward, {method for method, _ in keeping(node)})
        wrong = {x.slot for x, claim in zip(truths, alone.claims(weights), strict=True) if not x.fits(claim)}
        return Search(backward, node, trial, wrong, statements, values).mends()
    except (Refused, Unreplayable):
        # It has no truth that could be compared with.
        return NOTHING


def _truths(
    alone: Alone,
    weights: list[Array],
    right: Collection[int],
    known: Mapping[str, Measured],
    rng: np.random.Generator,
) -> list[Truth] | None:
    """The true gradient of each argument: what is claimed, where that is right, else what differences say.

    None where one of them is not known well enough.
    """
    found = []
    for number, (argument, claim) in enumerate(zip(alone.arguments, alone.claims(weights), strict=True)):
        measured = known.get(argument.name)
        if argument.slot in right:
            measured = Measured(weights, claim, np.zeros(claim.shape))
        elif measured is None or measured.weights is not weights:
            measured = measured_gradient(alone, number, weights, rng)
        if measured is None:
            return None
        _, value, bars = measured
        doubt = _BARS * bars + CLOSE * np.abs(value).max(initial=0.0)
        if doubt.max(initial=0.0) > _VAGUE * max(np.abs(value).max(initial=0.0), np.abs(claim).max(initial=TINY)):
            return None
        # What is exactly zero is known well.
        found.append(Truth(argument.slot, value, doubt + TINY))
    return found


class Search:
    """Tries changes of statements: of a backward, or a jvp, of what it calls, and of what is kept for it."""

    def __init__(
        self,
        searched: UserFunction,
        node: FunctionNode,
        trial: Trial,
        wrong: set[int],
        statements: Sequence[ast.stmt],
        values: Evidence,
    ) -> None:
        self.searched = searched
        self.node = node
        self.values = values
        self.wrong = wrong
        # Where nothing is to come of it, whatever takes a part from itself would do.
        self.is_step = not any(x.value.any() for x in trial.truths if x.slot in wrong)
        forwards = list(keeping(node))
        self.trial = trial
        forward = method_of(node, "forward")
        # What the forward calls, too, is right by definition.
        shared = set() if forward is None else {forward, *called(forward)}
        helpers = [x for x in called(searched) if x not in shared]
        own = [(searched, list(statements)), *((helper, statements_of(helper)) for helper in helpers)]
        self.agreeing, self.differing = names_agree(node, searched)
        methods = dict.fromkeys(method for method, _ in (*own, *forwards, *trial.only_behind))
        self.idle = {method: self._unused(method) for method in methods}
        self.in_vain = kept_in_vain(node, searched)
        self.kept = [(method, x) for method, several in forwards for x in several]
        kept = {x for _, x in self.kept}
        # What the forward computes for its backward alone is a part of that.
        ahead = [(method, x) for method, _ in forwards for x in only_for_backward(method) if x not in kept]
        self.own = [*((method, x) for method, several in own for x in several), *ahead]
        self.own += [x for x in trial.only_behind if x not in self.own]
        self.others = [(method, x) for method, _ in forwards for x in statements_of(method)]
        self.others = [x for x in self.others if x not in self.kept and x not in ahead]
        # What may change more than the gradients.
        self.behind = [*self.others, *ahead, *trial.only_behind]
        self.found: dict[int, list[Mend]] = {}

    def mends(self) -> Mends:
        """Find changes, the likeliest sorts of them first."""
        if not self.wrong:
            return NOTHING
        likely = [x for x in self.own if self._doubt(x[1]) is not Doubt.RIGHT]
        likely += [x for x in self.kept if x[1] in self.differing]
        rest = [x for x in self.own if x not in likely]
        rounds: list[list[_Round]] = [
            [(self._using_idle, self.own), (self._as_read, [x for x in self.kept if x[1] in self.differing])],
            [(simple_changes, likely)],
            [(insertions, likely), (simple_changes, self.kept)],
            [(simple_changes, rest)],
            [(insertions, rest), (insertions, self.kept)],
            [(simple_changes, self.others)],
        ]
        best_of: dict[ast.stmt, Mend] = {}
        whole: Sequence[Mend] = ()
        for i, (several, end) in enumerate(zip(rounds, _ENDS, strict=True)):
            for sort, among in several:
                if sort is not insertions or not self.is_step:
                    for x in self._whole(sort, among, end):
                        known = best_of.setdefault(x.statement, x)
                        best_of[x.statement] = x if x.oddness < known.oddness else known
            whole = list(best_of.values())
            oddness = min((x.oddness for x in whole), default=_IDLE)
            in_parts = not whole and self.found.keys() == self.wrong
            if oddness <= _PLAIN or (i >= _THOROUGH and oddness < _IDLE) or (i > _THOROUGH + 1 and in_parts):
                break
        if whole:
            best = min(x.oddness for x in whole)
            # For the sake of no other one a name is left without use.
            told = [x for x in whole if x.oddness < _IDLE or best >= _IDLE]
            self.found = dict.fromkeys(self.wrong, told)
        first = None if self.found else self._filled_by_turns() or self.values.first_of({x for _, x in self.own})
        first = first or (None if self.found else self._filled())
        owner = next((method for method, x in self.own if x is first), None)
        return Mends(
            {slot: sorted(several, key=_likelihood) for slot, several in self.found.items()},
            None if first is None or owner is None else (owner, first),
            None if self.found else self._lacking(first),
        )

    def _using_idle(
        self, statement: ast.stmt, names: Sequence[str], parts: Sequence[ast.expr]
    ) -> Iterator[Change]:
        """The changes by which a name that has a value is used, or what is kept, which neither is."""
        own = next(method for method, x in self.own if x is statement)
        idle = set(self.idle[own]).intersection(names)
        meant = [*self.in_vain, *turns_of(own, sorted(idle))] if idle else self.in_vain
        for sort in (simple_changes, insertions, with_products) if idle or self.in_vain else ():
            for change in sort(statement, names, meant):
                used = list(ast.walk(change.after)) if isinstance(change.after, ast.AST) else []
                # A whole number that counts is seldom meant to be one that is kept.
                counts = isinstance(change.before, ast.Constant) and isinstance(change.before.value, int)
                if not counts and any(x in self.in_vain or (isinstance(x, ast.Name) and x.id in idle) for x in used):
                    yield change

    def _as_read(
        self, statement: ast.stmt, names: Sequence[str], parts: Sequence[ast.expr]
    ) -> Iterator[Change]:
        """All that is saved, by the names by which it is read."""
        meant = kept_as_read(statement, self.searched)
        call: Any = getattr(statement, "value", None)
        if meant is not None and all(x in call.args or (isinstance(x, ast.Name) and x.id in names) for x in meant):
            told = f"`{', '.join(map(ast.unparse, meant))}` in place of `{', '.join(map(ast.unparse, call.args))}`"
            yield Change(call, "args", None, call.args, meant, known_oddness=0, told=told)

    def _unused(self, method: UserFunction) -> dict[str, bool]:
        return unread(method) if method is self.searched else unused(method)

    def _doubt(self, statement: ast.stmt) -> Doubt:
        """Tell how unlikely it is that a statement is to blame."""
        if statement in self.agreeing:
            return Doubt.RIGHT
        doubt = self.values.doubt(statement)
        # A comparison has no true value that it could be compared with.
        compares = any(isinstance(x, ast.Compare) for part in own_parts(statement) for x in ast.walk(part))
        return Doubt.NONE if doubt is Doubt.RIGHT and compares else doubt

    def _whole(self, sort: _Sort, among: Sequence[_Place], end: float) -> Iterator[Mend]:
        """The likeliest change of each statement by which all is right; those that mend a part of it are noted."""
        left = min(_TRIES, max(_LEAST_TRIES, _STEPS // self.trial.steps))
        ordered = sorted(among, key=lambda place: (self._doubt(place[1]), place[1] not in self.values.suspects))
        for i, (method, statement) in enumerate(ordered):
            best: Mend | None = None
            share = max(left // (len(ordered) - i), left // _SHARES, _LEAST)
            names = names_of(method, context_of(self.searched))
            for change in islice(sort(statement, names, parts_of(self.node, self.searched, method, names)), share):
                left -= 1
                if budget.is_spent(end):
                    break
                still = self.trial.wrong_with(method, change)
                mended = self.wrong - still
                if not mended or still - self.wrong:
                    continue
                if (method, statement) in self.behind and not self.trial.keeps_values(method, change):
                    # Another function has another gradient.
                    continue
                mend = self._mend(method, statement, change, not still)
                for slot in mended:
                    several = self.found.setdefault(slot, [])
                    several += [mend] if all(x.statement is not statement for x in several) else []
                if not still and (best is None or mend.oddness < best.oddness):
                    best = mend
                    if best.oddness <= 0:
                        break
            if best is not None:
                yield best

    def _mend(self, method: UserFunction, statement: ast.stmt, change: Change, is_whole: bool) -> Mend:
        doubt, idle = self._doubt(statement), self.idle[method]
        is_head = isinstance(statement, (ast.For, ast.While)) or (is_whole and isinstance(statement, ast.If))
        told = change.before if is_head else statement
        change.put(change.after)
        now = self._unused(method)
        agrees = statement in self.differing and statement in names_agree(self.node, self.searched)[0]
        agrees |= len(kept_in_vain(self.node, self.searched)) < len(self.in_vain)
        change.put(change.before)
        # What is of no use was meant to be of some, and is seldom written.
        left = [_AMONG if among else _IDLE for name, among in now.items() if name not in idle]
        # Of several lengths that are asked for at once, one is often of no use.
        brings_use = any(name not in now for name, among in idle.items() if not among)
        oddness = -1 if agrees or brings_use else change.oddness + sum(left)
        oddness += _SEEMS_RIGHT if doubt is Doubt.RIGHT else 0
        # A factor belongs where numbers are made rather than where a function that makes them is called.
        oddness += change.is_factor and self._calls_what_is_made(method, change.before)
        oddness += _ONLY_NAMED if change.oddness > 0 and _only_passes(method, statement, change.before) else 0
        oddness += _HEAD if isinstance(statement, (ast.If, ast.While)) and not is_whole else 0
        return Mend(method, statement, change.in_place_of(), oddness, doubt, told)

    def _calls_what_is_made(self, method: UserFunction, part: ast.AST) -> bool:
        """Tell whether a part of a program calls what makes its numbers: a function, or a method run behind this."""
        behind = {x.__name__ for x, _ in self.trial.only_behind}
        return any(
            calls_own(method, x) or (isinstance(x.func, ast.Attribute) and x.func.attr in behind)
            for x in ast.walk(part)
            if isinstance(x, ast.Call)
        )

    def _lacking(self, first: ast.AST | None) -> tuple[UserFunction, ast.AST, str] | None:
        """The first statement that leads to what is wrong after a name got its value that is never used.

        ``first``: the one that is known to lack a true value; only what computes nothing before that can be unknown.
        """
        idle = {name for name, among in self.idle[self.searched].items() if not among}
        leading = {x for _, x in self.own}
        name = None
        for statement in sorted(statements_of(self.searched), key=lambda x: x.lineno):
            if name is not None and statement in leading:
                known = first is not None and (statement is first or any(map(computes, own_parts(statement))))
                return None if known else (self.searched, statement, name)
            if name is None and isinstance(statement, ast.Assign):
                name = next((x.id for x in statement.targets if isinstance(x, ast.Name) and x.id in idle), None)
        return None

    def _filled_by_turns(self) -> ast.AST | None:
        """The first statement of a loop that true gradients of what the forward's loop makes would make all right."""
        owners: dict[ast.AST, UserFunction] = {x: method for method, x in self.own}
        loops = [x for x in self.values.suspects if self.values.times[x] > 1 and isinstance(x, ast.Assign)]
        for statement in sorted((x for x in loops if x in owners), key=_renames, reverse=True):
            for true in self.values.by_turns:
                if budget.is_spent(_PART):
                    return None
                if len(true) == self.values.times[statement] and true[0].shape == self.values.shapes[statement]:
                    # A backward goes through a loop from its end.
                    turns: Any = [result(np.array(a)) for a in true]
                    last = ast.Call(ast.Attribute(ast.Constant(turns), "pop", ast.Load()), [], [])
                    there = ast.fix_missing_locations(ast.copy_location(last, statement.value))
                    change = Change(statement, "value", None, statement.value, there)
                    if not self.trial.wrong_with(owners[statement], change):
                        return statement
        return None

    def _filled(self) -> ast.AST | None:
        """The first statement of which something that the forward computes would make all right."""
        owners: dict[ast.AST, UserFunction] = {x: method for method, x in self.own}
        for statement in self.values.suspects:
            shape = self.values.shapes[statement]
            if not (isinstance(statement, ast.Assign) and statement in owners):
                continue
            for a in self.values.forward:
                if budget.is_spent(_PART):
                    return None
                if a.size == np.prod(shape):
                    value: Any = result(np.array(a.reshape(shape)))
                    there = ast.copy_location(ast.Constant(value), statement.value)
                    change = Change(statement, "value", None, statement.value, there)
                    if not self.trial.wrong_with(owners[statement], change):
                        return statement
        return None


def in_both(some: Mends, others: Mends, slot: int) -> Mends:
    """Of the changes that mend one application of a Function those that mend another one, too; by their lines, or all.

    Where nothing was found for the one, that is what was found for the other.
    """
    one, other = some.of.get(slot, []), others.of.get(slot, [])
    if not one or not other:
        return others if other else some
    words, lines = {(x.statement, x.text) for x in other}, {x.statement for x in other}
    told = [x for x in one if (x.statement, x.text) in words] or [x for x in one if x.statement in lines]
    return some._replace(of={**some.of, slot: told or one})


def left_at(node: FunctionNode, own: Computed) -> tuple[Span | None, str] | None:
    """Where a Function lets go of the graph on the way to a gradient, in words too: what its derivatives lack."""
    ways = [(written(node), list(own.statements)), *keeping(node)]
    for method, statements in ways:
        for statement in statements:
            if method is not None and any(_lets_go(x) for part in own_parts(statement) for x in ast.walk(part)):
                return extent_of(method.machine.source, statement), f"line {statement.lineno} lets go of the graph"
    return None


def _lets_go(part: ast.AST) -> bool:
    """Tell whether a part of a program names what makes numbers of a tensor that no graph knows."""
    return isinstance(part, ast.Attribute) and part.attr in _LETS_GO


def mended_at(found: Mends, slot: int | None, own: Computed) -> tuple[Span | None, str | None]:
    """The statement of the first of some changes, and in words which ones would do, each of them alone.

    ``own``: where the gradient gets its value last; it is told where it is a part of that statement, or nothing found.
    """
    several = found.of.get(slot, []) if slot is not None else []
    if not several and found.first is not None and found.lacking is None:
        method, first = found.first
        span = extent_of(method.machine.source, first)
        if span is None or (own.sentence is None and own.span is not None and span.line == own.span.line):
            return own.span, None
        return _within(span, own.span), f"it goes wrong at line {span.line}: with other values there it would be right"
    if not several and found.lacking is not None:
        method, lacking, name = found.lacking
        span = extent_of(method.machine.source, lacking)
        where = "" if span is None else f" at line {span.line}"
        return _within(span, own.span), f"{name} is never used: it may have been forgotten{where}"
    if not several:
        return own.span, own.sentence
    span = extent_of(several[0].method.machine.source, several[0].told)
    span = _within(span, own.span)
    ways = [f"with {x.text} at line {x.statement.lineno}" for x in several[:_TOLD]]
    if len(several) == 1:
        return span, f"{ways[0]} it would be right"
    lines = [str(line) for line in sorted({x.statement.lineno for x in several})]
    blame = f"lines {', '.join(lines[:-1])} and {lines[-1]}" if len(lines) > 1 else f"parts of line {lines[0]}"
    return span, f"{', or '.join(ways)} it would be right: by the numbers {blame} are equally to blame"


def _likelihood(mend: Mend) -> tuple[int, bool, int]:
    """The smaller the likelier: among equals, who gives a number a second name has seldom meant just that."""
    return mend.oddness, not _renames(mend.statement), mend.doubt


def _renames(statement: ast.AST) -> bool:
    """Tell whether a statement gives a second name to what has one."""
    return isinstance(statement, ast.Assign) and isinstance(statement.value, (ast.Name, ast.Subscript))


def _only_passes(method: UserFunction, statement: ast.stmt, part: Any) -> bool:
    """Tell whether a statement only passes on, or keeps, what a method made and gave a name to before."""
    if not isinstance(part, ast.Name) or not is_made_by(method, part.id):
        return False
    passes = isinstance(statement, ast.Return) and not any(computes(x) for x in own_parts(statement))
    return passes or keeps(statement)


def _within(span: Span | None, part: Span | None) -> Span | None:
    """A part of the text that lies within another one, or else that one."""
    inside = span is None or (part is not None and span.line <= part.line and part.end_line <= span.end_line)
    return part if inside else span
