"""Which statements of a function lead to what it returns: read from its text, and from what of it was run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

# The parts of a statement that hold others.
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
# What computes nothing: names, and what stands written down.
_PLAIN = (
    ast.Name, ast.Attribute, ast.Constant, ast.Tuple, ast.List, ast.Starred, ast.Subscript, ast.Slice, ast.expr_context,
)  # fmt: skip
# What is asked of a tensor whatever its numbers are, as are `new_zeros` and the like.
_KINDS = frozenset({"shape", "dtype", "device", "ndim", "size", "dim", "numel"})
# What is one step, whatever stands in it.
_DEFINITIONS = ast.FunctionDef, ast.ClassDef


class Step(NamedTuple):
    """A statement, or the head of a compound one, with the names that it reads and those that it gives a value to."""

    node: ast.AST
    # The heads that it stands below, as their places among all steps.
    below: tuple[int, ...]
    reads: frozenset[str]
    writes: frozenset[str]
    # Whether what these names were before is gone.
    renews: bool

    @property
    def is_head(self) -> bool:
        """True where other statements stand below it."""
        return any(hasattr(self.node, name) for name in _BODIES)

    @property
    def computes(self) -> bool:
        """True where it does more than to give a name to what is there, or a second name to a number that has one."""
        if not isinstance(self.node, ast.Assign):
            return any(map(computes, own_parts(self.node)))
        written = (part for target in self.node.targets for part in ast.walk(target))
        changes = any(isinstance(part, ast.Subscript) for part in written)
        return changes or isinstance(self.node.value, ast.Name) or computes(self.node.value)

    def names_one_of(self, names: Collection[str]) -> bool:
        """Tell whether it is what gives one of these names its value."""
        return isinstance(self.node, ast.Assign) and any(
            isinstance(x, ast.Name) and x.id in names for x in self.node.targets
        )


class Flow:
    """The statements of a function that were run, each with what it hands to those behind it."""

    def __init__(self, function: ast.FunctionDef, was_run: Callable[[ast.AST], bool]) -> None:
        self.steps: list[Step] = []
        self._take(function.body, (), was_run)

    def _take(self, body: Iterable[ast.AST], below: tuple[int, ...], was_run: Callable[[ast.AST], bool]) -> None:
        for statement in body:
            if isinstance(statement, (ast.ExceptHandler, ast.match_case)):
                self._take(statement.body, below, was_run)
            elif was_run(statement):
                self._add(statement, below, was_run)
                here = len(self.steps) - 1
                if not isinstance(statement, _DEFINITIONS):
                    for name in _BODIES:
                        self._take(getattr(statement, name, ()), (*below, here), was_run)

    def _add(self, statement: ast.AST, below: tuple[int, ...], was_run: Callable[[ast.AST], bool]) -> None:
        """Add a statement as a step; one that gives several names values of their own, as one for each of them."""
        reads, writes = _reads(statement), _writes(statement)
        if isinstance(statement, (ast.If, ast.For, ast.While)):
            # What is not done is what it is for a condition, or for a loop that ends before it.
            writes = writes.union(*(_writes(x) for x in _not_run(statement, was_run)))
        if isinstance(statement, ast.Assign) and not reads & writes:
            for target, value in _pairs(statement):
                each = ast.copy_location(ast.Assign([target], value), statement)
                self.steps.append(Step(each, below, _reads(each), _writes(each), not below))
            if _pairs(statement):
                return
        renews = not below and isinstance(statement, ast.Assign) and not reads & writes
        self.steps.append(Step(statement, below, reads, writes, renews))

    def leading_to(self, value: ast.AST, at: ast.AST) -> set[int]:
        """The steps that lead to a value in a statement, by their places."""
        end = next(i for i, step in enumerate(self.steps) if step.node is at)
        waiting = [(name, end) for name in _names(value)]
        asked: set[tuple[str, int]] = set()
        found: set[int] = set()
        while waiting:
            name, before = waiting.pop()
            if (name, before) in asked:
                continue
            asked.add((name, before))
            for i in self._writing(name, before):
                for each in (i, *self.steps[i].below):
                    found.add(each)
                    waiting += [(read, self._known_at(each)) for read in self.steps[each].reads]
        return found

    def _writing(self, name: str, before: int) -> Iterator[int]:
        """The steps before one that give a name the value that it has there."""
        for i in range(before - 1, -1, -1):
            step = self.steps[i]
            if name in step.writes:
                yield i
                if step.renews:
                    return

    def _known_at(self, i: int) -> int:
        """The place before which everything may have led to a step: in a loop what comes behind it, too."""
        first = self.steps[i].below[0] if self.steps[i].below else i
        if first == i and not self.steps[i].is_head:
            return i
        behind = (j for j in range(i + 1, len(self.steps)) if first not in self.steps[j].below)
        return next(behind, len(self.steps))


def blamed(
    flow: Flow, at: ast.AST, values: Sequence[ast.AST], wrong: Collection[int], right: Collection[int]
) -> list[Step]:
    """The steps that lead to all values that are wrong and to none that is right, in their order.

    Where there is none, and parts of something larger are returned, those that lead to right ones are told, too.
    ``at``: the statement that returns the values; ``wrong`` and ``right``: the places of values.
    """
    slices = [flow.leading_to(values[i], at) for i in sorted(wrong)]
    common = set.intersection(*slices) or set.union(*slices)
    apart = [values[place] for place in right if not any(values[place] is values[i] for i in wrong)]
    spared = {i for value in apart for i in flow.leading_to(value, at)}
    names = {x.id for i in wrong if isinstance(x := values[i], ast.Name)}
    steps, rest = (
        [step for i in sorted(places) if (step := flow.steps[i]).computes or step.names_one_of(names)]
        for places in (common - spared, common)
    )
    whole = any(isinstance(values[i], ast.Name) or computes(values[i]) for i in wrong)
    return steps if steps or whole else rest


def computes(part: ast.AST) -> bool:
    """Tell whether a part of a program does more than to name what is there; slices choose of it."""
    return any(not isinstance(x, _PLAIN) or _slices(x) for x in ast.walk(part))


def _slices(part: ast.AST) -> bool:
    return isinstance(part, ast.Subscript) and any(isinstance(x, ast.Slice) for x in ast.walk(part.slice))


def _pairs(statement: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment of several names, each with its value, where these stand one by one."""
    target, value = statement.targets[0], statement.value
    if len(statement.targets) > 1 or not (isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)):
        return []
    starred = any(isinstance(x, ast.Starred) for x in (*target.elts, *value.elts))
    return [] if starred or len(target.elts) != len(value.elts) else list(zip(target.elts, value.elts, strict=True))


def _not_run(head: ast.stmt, was_run: Callable[[ast.AST], bool]) -> Iterator[ast.stmt]:
    """The statements below the head of a condition or a loop that were not run."""
    for x in ast.walk(head):
        if isinstance(x, ast.stmt) and x is not head and not was_run(x):
            yield x


def own_parts(statement: ast.AST) -> list[ast.AST]:
    """The parts of a statement that are no steps of their own."""
    if isinstance(statement, _DEFINITIONS):
        return [statement]
    parts: list[ast.AST] = []
    for name, part in ast.iter_fields(statement):
        if name not in _BODIES:
            parts += [x for x in (part if isinstance(part, list) else [part]) if isinstance(x, ast.AST)]
    return parts


def _names(part: ast.AST) -> set[str]:
    """The names whose values a part reads, without those of its own comprehensions."""
    return {x.id for x in _valued(part) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load)} - _inner(part)


def _valued(part: ast.AST) -> Iterator[ast.AST]:
    """All parts of a part, but for those of which only the kind matters: shapes and dtypes."""
    waiting = [part]
    while waiting:
        x = waiting.pop()
        yield x
        if isinstance(x, ast.Attribute) and (x.attr in _KINDS or x.attr.startswith("new_")):
            continue
        if isinstance(x, ast.Call) and isinstance(x.func, ast.Attribute) and x.func.attr.endswith("_like"):
            # `zeros_like` and the like ask nothing else of their first argument.
            waiting += [x.func, *x.args[1:], *x.keywords]
            continue
        waiting += ast.iter_child_nodes(x)


def _inner(part: ast.AST) -> set[str]:
    """The names that only a comprehension in a part knows."""
    targets = (x.target for x in ast.walk(part) if isinstance(x, ast.comprehension))
    return {x.id for target in targets for x in ast.walk(target) if isinstance(x, ast.Name)}


def _reads(statement: ast.AST) -> frozenset[str]:
    names: set[str] = set().union(*map(_names, own_parts(statement)))
    return frozenset(names | (_writes(statement) if isinstance(statement, ast.AugAssign) else set()))


def _writes(statement: ast.AST) -> frozenset[str]:
    """The names that a statement gives a value to, or changes the value of."""
    names = {statement.name} if isinstance(statement, _DEFINITIONS) else set()
    for part in own_parts(statement):
        for x in ast.walk(part):
            if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store) and x.id not in _inner(part):
                names.add(x.id)
            elif isinstance(x, (ast.Subscript, ast.Attribute)) and isinstance(x.ctx, ast.Store):
                names |= root_of(x)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        # A method that is called for what it does, as `append` or `add_`.
        names |= root_of(statement.value.func)
    return frozenset(names)


def root_of(part: ast.AST) -> set[str]:
    """The name at the beginning of a chain of attributes, indices and calls."""
    while isinstance(part, (ast.Subscript, ast.Attribute, ast.Call)):
        part = part.func if isinstance(part, ast.Call) else part.value
    return {part.id} if isinstance(part, ast.Name) else set()
