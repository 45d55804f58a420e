"""By trial: which single small change of a custom backward would make it right, and at which line."""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode, KeptOutput
from ...engine.tensor import Tensor, result
from ...errors import LimitError, Span, SpecError, Unsupported
from ...spec.input.parse import extent_of
from ...spec.values.user_definitions import UserFunction
from ..judging import budget
from ..replay.plan import Unreplayable
from .data_flow import own_parts
from .each_op import Measured, measured_gradient
from .op_alone import Alone, Refused
from .small_changes import Change, insertions, is_simple, simple_changes
from .where_written import Computed, written

Array = np.ndarray[Any, np.dtype[Any]]

# So many changes are tried at most, of each sort, and none after this part of the time.
_TRIES, _PART = 600, 0.5
# So many times the steps of the backward itself may be taken with a change.
_STEPS = 4
# What differs from the truth by less than so many bars, and by less of its size, is right.
_BARS, _CLOSE, _TINY = 8.0, 1e-7, 1e-290
# A truth that is no surer than this, for the size of it and of its claim, would be met by changes that mend nothing.
_VAGUE = 1e-3
# A number is found in so many steps, at most so large, with so many decimals.
_SECANTS, _LARGEST, _DECIMALS = 5, 1e6, 9
# So many of a Function's own expressions are taken for what may have been forgotten.
_PARTS = 24
# So many changes are told.
_TOLD = 3
# What makes numbers that no graph knows.
_LETS_GO = frozenset({"detach", "detach_", "data", "item", "tolist", "numpy", "no_grad", "inference_mode"})
# What a context has that is no number.
_METHODS = frozenset(dir(FunctionNode))
# What an interpreter refuses of a change.
_REFUSED = (Refused, Unreplayable, SpecError, LimitError, Unsupported)


class Mend(NamedTuple):
    """A statement, and in words what stands there instead where a backward is right."""

    statement: ast.stmt
    text: str
    # The larger the less likely the slip.
    oddness: int
    # What is told of it: of a loop the part of its head.
    told: ast.AST


class _Truth(NamedTuple):
    """The true gradient of an argument, and how far it is sure."""

    slot: int
    value: Array
    doubt: Array

    def fits(self, claim: Array) -> bool:
        """Tell whether a claim is it."""
        return claim.shape == self.value.shape and bool((np.abs(claim - self.value) <= self.doubt).all())


def mends(
    node: FunctionNode,
    reached: Sequence[int] | None,
    statements: Sequence[ast.stmt],
    right: Collection[int],
    rng: np.random.Generator,
    known: Mapping[str, Measured] | None = None,
) -> dict[int, list[Mend]]:
    """The changes of one of these statements by which wrong gradients are right, and right ones stay so; by slot.

    The simplest sort of them, one for each statement; where some of them mend all that is wrong, only these.
    ``right``: the slots whose gradients are known to be right; ``known``: what was measured of arguments, by name.
    """
    backward = written(node)
    if backward is None:
        return {}
    try:
        alone = Alone(node, reached)
        known = known or {}
        weights = next((x.weights for x in known.values()), None) or alone.weights(rng)
        truths = _truths(alone, weights, right, known, rng)
        return {} if truths is None else _tried(backward, node, alone, weights, truths, statements)
    except (Refused, Unreplayable):
        # It has no truth that could be compared with.
        return {}


def _truths(
    alone: Alone,
    weights: list[Array],
    right: Collection[int],
    known: Mapping[str, Measured],
    rng: np.random.Generator,
) -> list[_Truth] | None:
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
        doubt = _BARS * bars + _CLOSE * np.abs(value).max(initial=0.0) + _TINY
        if doubt.max(initial=0.0) > _VAGUE * max(np.abs(value).max(initial=0.0), np.abs(claim).max(initial=_TINY)):
            return None
        found.append(_Truth(argument.slot, value, doubt))
    return found


def _tried(
    backward: UserFunction,
    node: FunctionNode,
    alone: Alone,
    weights: Sequence[Array],
    truths: Sequence[_Truth],
    statements: Sequence[ast.stmt],
) -> dict[int, list[Mend]]:
    """Try the changes of statements one after the other: of the backward, and of what the forward keeps for it."""
    wrong = {x.slot for x, claim in zip(truths, alone.claims(weights), strict=True) if not x.fits(claim)}
    trial = _Trial(backward, node, alone, weights, truths)
    context = _context(backward)
    parts = _parts(node, backward, _names(backward, context))
    rounds = [(simple_changes, backward, statements)]
    rounds += [(simple_changes, method, kept) for method, kept in _keeping(node)]
    if any(x.value.any() for x in truths if x.slot in wrong):
        # Where nothing is to come of it, whatever takes a part from itself would do.
        rounds += [(insertions, backward, statements)]
    found: dict[int, list[Mend]] = {}
    for sort, method, among in rounds if wrong else ():
        whole: list[Mend] = []
        names, left = _names(method, context), _TRIES
        for place, statement in enumerate(among):
            best: Mend | None = None
            share = left // (len(among) - place)
            for change in islice(sort(statement, names, parts), share):
                left -= 1
                if budget.is_spent(_PART):
                    break
                still = trial.wrong_with(method, change)
                mended = wrong - still
                if not mended or still - wrong:
                    continue
                told = change.before if isinstance(statement, (ast.For, ast.While)) else statement
                mend = Mend(statement, change.in_place_of(), change.oddness, told)
                for slot in mended:
                    several = found.setdefault(slot, [])
                    several += [mend] if all(x.statement is not statement for x in several) else []
                if not still and (best is None or mend.oddness < best.oddness):
                    best = mend
                    if not best.oddness:
                        break
            whole += [] if best is None else [best]
        if whole:
            found = dict.fromkeys(wrong, whole)
        if found.keys() == wrong:
            break
    return {slot: sorted(several, key=lambda x: x.oddness) for slot, several in found.items()}


def _keeping(node: FunctionNode) -> Iterator[tuple[UserFunction, list[ast.stmt]]]:
    """The methods of a Function in which it keeps something for its backward, and the statements that do."""
    for name in ("forward", "setup_context"):
        method = getattr(node.function, name, None)
        if isinstance(method, UserFunction):
            yield method, [x for x in ast.walk(method.node) if isinstance(x, ast.stmt) and _keeps(x)]


def _keeps(statement: ast.stmt) -> bool:
    """Tell whether a statement gives a context something to keep."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        return isinstance(called, ast.Attribute) and called.attr == "save_for_backward"
    return isinstance(statement, ast.Assign) and any(isinstance(x, ast.Attribute) for x in statement.targets)


def left_at(node: FunctionNode, own: Computed) -> tuple[Span | None, str] | None:
    """Where a Function lets go of the graph on the way to a gradient, in words too: what its derivatives lack."""
    ways = [(written(node), list(own.statements)), *_keeping(node)]
    for method, statements in ways:
        for statement in statements:
            if method is not None and any(_lets_go(x) for part in own_parts(statement) for x in ast.walk(part)):
                return extent_of(method.machine.source, statement), f"line {statement.lineno} lets go of the graph"
    return None


def _lets_go(part: ast.AST) -> bool:
    """Tell whether a part of a program names what makes numbers of a tensor that no graph knows."""
    return isinstance(part, ast.Attribute) and part.attr in _LETS_GO


def mended_at(node: FunctionNode, found: Sequence[Mend] | None, own: Computed) -> tuple[Span | None, str | None]:
    """The statement of the first of some changes, and in words which ones would do, each of them alone.

    ``own``: where the gradient gets its value last; it is told where it is a part of that statement, or nothing found.
    """
    if not found:
        return own.span, own.sentence
    backward = written(node)
    span = None if backward is None else extent_of(backward.machine.source, found[0].told)
    if span is None or (own.span is not None and span.line <= own.span.line and own.span.end_line <= span.end_line):
        span = own.span
    told = [f"with {x.text} at line {x.statement.lineno}" for x in found[:_TOLD]]
    if len(found) == 1:
        return span, f"{told[0]} it would be right"
    lines = [str(line) for line in sorted({x.statement.lineno for x in found})]
    blame = f"lines {', '.join(lines[:-1])} and {lines[-1]}" if len(lines) > 1 else f"parts of line {lines[0]}"
    return span, f"{', or '.join(told)} it would be right: by the numbers {blame} are equally to blame"


class _Trial:
    """Runs a backward, or a forward and its backward, with a change in it."""

    def __init__(
        self,
        backward: UserFunction,
        node: FunctionNode,
        alone: Alone,
        weights: Sequence[Array],
        truths: Sequence[_Truth],
    ) -> None:
        self.backward = backward
        self.node = node
        self.whole = alone
        self.alone = copy.copy(alone)
        self.weights = weights
        self.truths = truths
        machine = backward.machine
        before = machine.steps
        alone.claims_at(alone.at, weights)
        self.steps = _STEPS * (before - machine.steps) + 100

    def wrong_with(self, method: UserFunction, change: Change) -> set[int]:
        """The slots whose gradients are wrong with a change of a method; all where it cannot be run."""
        if change.free is not None and not self._find(method, change, change.free):
            return self.slots
        claims = self._claims(method, change)
        return self.slots if claims is None else self._wrong(claims)

    @property
    def slots(self) -> set[int]:
        """All slots."""
        return {x.slot for x in self.truths}

    def _wrong(self, claims: Sequence[Array]) -> set[int]:
        return {x.slot for x, claim in zip(self.truths, claims, strict=True) if not x.fits(claim)}

    def _find(self, method: UserFunction, change: Change, free: ast.Constant) -> bool:
        """Give a number the value with which the gradients come nearest to the truth; whether there is such a value.

        By secants: a gradient is linear in most of its factors.
        """
        start: Any = free.value
        here, off = start, self._off(self._claims(method, change))
        other = start + (1 if isinstance(start, int) else 2.0**-10 * (abs(start) or 1.0))
        for _ in range(_SECANTS):
            free.value = other
            there = self._off(self._claims(method, change))
            if off is None or there is None or off.shape != there.shape:
                return False
            with np.errstate(all="ignore"):
                slope = (there - off) / (other - here)
                better = float(other - (there @ slope) / (slope @ slope))
            if not np.isfinite(better) or abs(better) > _LARGEST:
                return False
            here, off, other = other, there, _rounded(better)
            if abs(other - here) <= _CLOSE * abs(here):
                break
        free.value = other
        return bool(other != start) and (isinstance(other, int) or isinstance(start, float) or is_simple(other))

    def _off(self, claims: Sequence[Array] | None) -> Array | None:
        """The distance of claims from what was measured, in one row, each beside the size of what is true."""
        if claims is None or any(x.value.shape != claim.shape for x, claim in zip(self.truths, claims, strict=True)):
            return None
        sizes = [np.abs(x.value).max(initial=_TINY) for x in self.truths]
        pairs = zip(claims, self.truths, sizes, strict=True)
        return np.concatenate([np.ravel(claim - x.value) / size for claim, x, size in pairs])

    def _claims(self, method: UserFunction, change: Change) -> list[Array] | None:
        """Run a method with a change in it, silently and in few steps."""
        machine = method.machine
        kept = method.body, machine.steps, machine._write, machine.room
        change.put(change.after)
        try:
            method.body = method.compile_again()
            machine.steps, machine._write = min(self.steps, machine.steps), _nowhere
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if method is not self.backward:
                    return self.whole.claims_at([np.array(a) for a in self.whole.at], self.weights)
                # A change may write to what the forward kept.
                self.alone.node = _with_own_saved(self.node)
                return self.alone.claims(self.weights)
        except _REFUSED:
            return None
        finally:
            change.put(change.before)
            method.body, machine.steps, machine._write, machine.room = kept


def _rounded(number: float) -> float:
    """The shortest number that is as good: a whole one, or one of few decimals."""
    for digits in range(_DECIMALS):
        short = round(number, digits)
        if abs(short - number) <= _CLOSE * abs(number):
            return int(short) if digits == 0 else short
    return number


def _nowhere(text: str) -> None:
    """Print nothing."""


def _context(backward: UserFunction) -> str:
    """The name that a backward has for its context."""
    given = backward.node.args.args
    return given[0].arg if given else ""


def _names(method: UserFunction, context: str) -> list[str]:
    """The names of numbers and tensors that a method knows: what it is given, and what it gives a value to."""
    node = method.node
    given = [a.arg for a in node.args.args]
    written = [x.id for x in ast.walk(node) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]
    return [x for x in dict.fromkeys([*given, *written]) if x != context]


def _parts(node: FunctionNode, backward: UserFunction, names: Collection[str]) -> list[ast.expr]:
    """Expressions of a Function, of names that its backward knows: one of them may have been forgotten."""
    context = _context(backward)
    found: dict[str, ast.expr] = {}
    methods = (getattr(node.function, name, None) for name in ("forward", "setup_context", "backward"))
    for method in methods:
        for part in ast.walk(method.node) if isinstance(method, UserFunction) else ():
            read = {x.id for x in ast.walk(part) if isinstance(x, ast.Name)}
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
                wanted = isinstance(part.value, ast.Name) and part.value.id == context and part.attr not in _METHODS
            else:
                computes = isinstance(part, (ast.BinOp, ast.Call, ast.UnaryOp))
                wanted = computes and not read.isdisjoint(names) and read <= {*names, "torch"}
            if wanted and isinstance(part, ast.expr):
                found.setdefault(ast.unparse(part), copy.deepcopy(part))
    return sorted(found.values(), key=lambda part: len(ast.unparse(part)))[:_PARTS]


def _with_own_saved(node: FunctionNode) -> FunctionNode:
    """The same node with copies of what it keeps."""
    twin = copy.copy(node)
    twin.extra = None
    twin.saved = tuple([_own(x) for x in node.saved or ()])
    for name, value in list(vars(twin).items()):
        if isinstance(value, Tensor):
            setattr(twin, name, _own(value))
    return twin


def _own(x: Any) -> Any:
    if isinstance(x, (Tensor, KeptOutput)):
        return result(np.array(x.array if isinstance(x, KeptOutput) else x._a))
    return x
