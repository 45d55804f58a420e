"""The values of a custom backward beside those of a true one: where it goes wrong, by the values of its statements.

The forward is run with its ops recorded, and the engine's own backward through them gives the true values: those of
the forward, and all that the rules of its ops compute. A statement that makes one of them is right so far. What is
wrong in the answer is followed back through the ops that made it, as far as values that are right.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...engine import ops
from ...engine.graph import MultiNode, Output, node_of
from ...engine.modes import mode
from ...engine.numeric.halves import converted
from ...engine.tape.entry import Operand, entry_of
from ...engine.tape.tape import Tape, recording
from ...engine.tensor import Tensor, result
from ...engine.walk.backward import grad
from ...errors import raised_by_program
from ...graph.view.gradients import fitted
from ...spec.language.tracer import Tracer
from .. import budget
from ..arrays import Array
from ..claims.op_alone import Alone
from ..replay.custom_function.inside_function import BACKWARD, FORWARD, Inside, Watch, watched
from .data_flow import computes, own_parts

# Values are one that differ by less of their size, and what is left of an answer by less of it is nothing.
_SAME, _LEFT = 1e-9, 1e-7
# Directions that are shorter by so much are none.
_RANK = 1e-10
# What is around the name of something in that of its gradient.
_PREFIXES, _SUFFIXES = ("", "grad_", "grad", "g_", "g", "d_", "d"), ("", "_grad", "_bar")
# What so many statements make is no sign that each of them was meant to.
_SEVERAL = 2
# A number that is a whole number of such parts may be anything's.
_PARTS = 64
# Values of more numbers are not looked at, and none after this part of the time.
_LARGE, _PART = 2**14, 0.4
# So many numbers of an answer are looked at, or as many sums of all of them.
_ROWS = 96


class Doubt(IntEnum):
    """The larger the less likely it is that a statement is to blame: which other value would make the answer right."""

    # One that a true backward computes, a multiple of one, and some value.
    TRUE = 0
    MULTIPLE = 1
    SOME = 2
    # None, as far as that is known; and of one that only leads to true values.
    NONE = 3
    RIGHT = 4


class Evidence(NamedTuple):
    """All that the values of a backward's statements say of them."""

    # Those that lead to what is wrong by true values alone.
    right: frozenset[ast.AST] = frozenset()
    # The others that lead to it, in the order in which they ended.
    suspects: tuple[ast.AST, ...] = ()
    # Of those, the ones that only choose among numbers, and what each doubts.
    choosing: frozenset[ast.AST] = frozenset()
    doubts: Mapping[ast.AST, Doubt] = {}
    # What the forward computes, and the shapes of what statements of the backward make.
    forward: Sequence[Array] = ()
    shapes: Mapping[ast.AST, tuple[int, ...]] = {}
    # The true gradients of what an op in a loop of the forward makes, turn by turn; and how often statements of the
    # backward made something.
    by_turns: Sequence[Sequence[Array]] = ()
    times: Mapping[ast.AST, int] = {}

    def first_of(self, statements: Collection[ast.AST]) -> ast.AST | None:
        """The likeliest of some statements another value of which would make the whole answer right.

        That is one which computes; of several the one that does most, for there is most to go wrong, or the first.
        """
        able = [x for x in self.suspects if x in statements and self.doubts[x] is not Doubt.NONE]
        return min(
            able, key=lambda x: (x in self.choosing and self.doubts[x] is Doubt.SOME, -_operations(x)), default=None
        )

    def doubt(self, statement: ast.AST) -> Doubt:
        """Tell how unlikely it is that a statement is to blame."""
        if statement in self.right:
            return Doubt.RIGHT
        doubt = self.doubts.get(statement, Doubt.NONE)
        return Doubt.NONE if doubt is Doubt.SOME and statement in self.choosing else doubt


def evidence(
    alone: Alone, tracer: Tracer | None, weights: Sequence[Array], truths: Sequence[Array], rng: np.random.Generator
) -> Evidence:
    """Compare the values inside a backward with true ones; nothing is said where the forward's graph is not whole.

    ``truths``: the gradients of the arguments when ``weights`` arrive, to which that graph has to come.
    """
    node = alone.node
    if tracer is None or budget.is_spent(_PART) or any(kind.kind != "f" for kind in alone.kinds):
        return Evidence()
    watch = _Placed(tracer)
    before = mode.grad
    mode.grad = True
    try:
        with np.errstate(all="ignore"):
            seen = watched(node, node.function, rng, watch)
            if not watch.ended or len(seen.leaves) != len(alone.arguments):
                return Evidence()
            found = _Comparison(alone, seen, watch)
            return found.evidence(weights, rng) if found.comes_to(weights, truths) else Evidence()
    except raised_by_program():
        # What a program wrote may raise anything where its ops are recorded.
        return Evidence()
    finally:
        mode.grad = before


class _Made(NamedTuple):
    """An op that ran inside a Function: in which phase, and at which statement, which run of that."""

    phase: str
    node: Any
    statement: ast.AST | None
    turn: int


class _Placed(Watch):
    """A tape that knows at which statement of the program each op ran."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(True)
        self.tracer = tracer
        self.made: list[_Made] = []

    def record(self, node: Any, op: Any, args: Sequence[Any], outs: Sequence[Any], names: Sequence[str] = ()) -> None:
        """Note where an op ran, too."""
        super().record(node, op, args, outs, names)
        turn = self.tracer.tape.where
        statement, number = (None, 0) if turn is None else (turn.statement, turn.number)
        self.made.append(_Made(self.phase, node, statement, number))


class _Kept(Tape):
    """A tape that keeps the ops of a backward."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[Any] = []

    def record(self, node: Any, op: Any, args: Sequence[Any], outs: Sequence[Any], names: Sequence[str] = ()) -> None:
        """Keep the op."""
        super().record(node, op, args, outs, names)
        self.nodes.append(node)


class _Comparison:
    """One run of a Function, and the true gradients of what it computed."""

    def __init__(self, alone: Alone, seen: Inside, watch: _Placed) -> None:
        self.alone = alone
        self.seen = seen
        self.watch = watch
        entry = entry_of(seen.node)
        assert entry is not None
        moved = [i for i, x in enumerate(entry.args) if type(x) is Operand and x.edge is not None]
        self.places = [i for i in moved if entry.args[i].array.dtype.kind in "fc"]
        self.roots = [i for i, x in enumerate(seen.outs) if isinstance(x, Tensor) and x._node is not None]
        arriving = iter(watch.arriving)
        given = [next(arriving) if isinstance(x, Tensor) and x._a.dtype.kind in "fc" else None for x in seen.outs]
        self.given = given
        tape = _Kept()
        with recording(tape):
            self.true = self._gradients(self.roots, given)
            # Of several outputs each is often dealt with by itself.
            each = [self._gradients([i], given) for i in self.roots] if len(self.roots) > 1 else []
        inside = [x.node for x in watch.made if x.phase == FORWARD]
        given_values = [x._a for x in (*seen.leaves, *watch.arriving)]
        self.forward = _Known([*(a for node in inside for a in _values(node)), *given_values])
        start = given[self.roots[0]] if len(self.roots) == 1 else None
        # Of a single number everything is a multiple, which a backward may bring in last.
        units = {1.0} if start is None or start._a.size > 1 else {1.0, 1 / float(start._a.reshape(()))}
        # What is true on the way to each argument; what is only a part of a sum there is that in a sum alone.
        ways = [
            [y for x in several if x is not None for y in _on_the_way(x, tape.nodes)]
            for several in zip(self.true, *each, strict=True)
        ]
        self.known = [_Known([c * a for a, _ in way for c in units]) for way in ways]
        self.summands = [self._summands(way, units) for way in ways]

    def _summands(self, way: Sequence[tuple[Array, Any]], units: Collection[float]) -> _Known:
        """The values of which the total gradients of what the forward computes are sums."""
        totals = {x.tobytes() for _, x in self._totals}
        parts: list[Array] = []
        for a, node in way:
            # From the end, so that what is added to a part of a sum is met behind that.
            op = None if node is None else node.entry.op
            if op is ops.arith.add.op and a.tobytes() in totals:
                operands = [np.asarray(x.value.array) for x in node.entry.operands if type(x.value) is Operand]
                totals.update(x.tobytes() for x in operands)
                parts += operands
        return _Known([c * a for a in parts for c in units])

    @cached_property
    def _totals(self) -> list[tuple[Any, Array]]:
        """The true gradients of what the ops of the forward make, each with its op, and those of the arguments."""
        made = [(x.node, t) for x in self.watch.made if x.phase == FORWARD for t in _tensors(x.node)]
        made += [(None, leaf) for leaf in self.seen.leaves]
        outs = [self.seen.outs[i] for i in self.roots]
        given = [self.given[i] for i in self.roots]
        found = grad(outs, [t for _, t in made], given, retain_graph=True, allow_unused=True)
        return [(node, x._a) for (node, _), x in zip(made, found, strict=True) if x is not None]

    def _gradients(self, roots: Sequence[int], given: Sequence[Any]) -> tuple[Tensor | None, ...]:
        """The true gradients of the arguments, when these arrive at some of the outputs."""
        outs = [self.seen.outs[i] for i in roots]
        found: tuple[Tensor | None, ...] = grad(
            outs, self.seen.leaves, [given[i] for i in roots], create_graph=True, allow_unused=True
        )
        return found

    def comes_to(self, weights: Sequence[Array], truths: Sequence[Array]) -> bool:
        """Tell whether the recorded forward has the gradients that were measured."""
        roots, starts = self._started(weights)
        found = grad(roots, self.seen.leaves, starts, retain_graph=True, allow_unused=True)
        return all(np.isfinite(truth).all() for truth in truths) and all(
            np.allclose(0.0 if g is None else g._a, truth, rtol=1e-4, atol=1e-4 * np.abs(truth).max(initial=0.0))
            for g, truth in zip(found, truths, strict=True)
        )

    def _started(self, weights: Sequence[Array]) -> tuple[list[Tensor], list[Tensor]]:
        """The outputs that have a graph, and what arrives there when these numbers arrive at all."""
        outs = [self.seen.outs[i] for i in self.alone.outputs]
        pairs = [(x, w) for x, w in zip(outs, weights, strict=True) if isinstance(x, Tensor) and x._node is not None]
        return [x for x, _ in pairs], [result(converted(np.array(w), x._a.dtype)) for x, w in pairs]

    def evidence(self, weights: Sequence[Array], rng: np.random.Generator) -> Evidence:
        """Say of the statements of the backward, and of what it calls, what their values tell."""
        ended = self._ended()
        unknown = {node for k, root in self._roots(True) for node in self._back(root, k)}
        # What leads to a gradient that is right is not to blame.
        unknown -= {node for _, root in self._roots(False) for node in self._all_back(root)}
        steps: dict[ast.AST, list[Any]] = {}
        for made in self.watch.made:
            if made.phase == BACKWARD and made.statement is not None:
                steps.setdefault(made.statement, []).append(made.node)
        right = {x for x, nodes in ended.items() if unknown.isdisjoint(nodes) and any(map(computes, own_parts(x)))}
        right |= {x for x, nodes in ended.items() if self._is_meant_for_other(x, nodes)}
        suspects = [x for x, nodes in ended.items() if x not in right and not unknown.isdisjoint(nodes)]
        tensors = {x: [t for node in dict.fromkeys(ended[x]) for t in _tensors(node)] for x in suspects}
        doubts = self._doubts_of(tensors, rng)
        return Evidence(
            right=frozenset(right),
            suspects=tuple(suspects),
            choosing=frozenset(x for x in suspects if steps.get(x) and not any(map(_makes_new, steps[x]))),
            doubts=doubts,
            forward=self.forward.all,
            shapes={x: np.shape(nodes[-1].entry.outputs[0]) for x, nodes in ended.items()},
            by_turns=self._by_turns(weights),
            times={x: len(nodes) for x, nodes in ended.items()},
        )

    def _by_turns(self, weights: Sequence[Array]) -> list[list[Array]]:
        """The true gradients of what each op in a loop of the forward makes, or begins with and makes before the last.

        They are those where ``weights`` arrive.
        """
        roots, starts = self._started(weights)
        inside = [(made, t) for made in self.watch.made if made.phase == FORWARD for t in _tensors(made.node)]
        asked = [*(t for _, t in inside), *self.seen.leaves]
        slopes = grad(roots, asked, starts, retain_graph=True, allow_unused=True)
        found: dict[tuple[Any, int], list[Array]] = {}
        places: Counter[tuple[Any, int]] = Counter()
        for (made, _), g in zip(inside, slopes, strict=False):
            if g is not None:
                found.setdefault((made.statement, places[made.statement, made.turn]), []).append(g._a)
                places[made.statement, made.turn] += 1
        loops = [several for several in found.values() if len(several) > 1]
        first = [g._a for g in slopes[len(inside) :] if g is not None]
        begun = [[a, *several[:-1]] for several in loops for a in first]
        return [*loops, *(several for several in begun if several[0].shape == several[1].shape)]

    def _ended(self) -> dict[ast.AST, list[Any]]:
        """The ops that made what each statement of the backward gave a name to, or the last of each of its runs."""
        last: dict[ast.AST, dict[int, Any]] = {}
        bound: dict[ast.AST, list[Any]] = {}
        order: dict[ast.AST, int] = {}
        for i, made in enumerate(self.watch.made):
            if made.phase != BACKWARD:
                continue
            for each in made.node.entry.bound:
                bound.setdefault(each.statement, []).append(made.node)
                order[each.statement] = i
            if made.statement is not None:
                last.setdefault(made.statement, {})[made.turn] = made.node
                order[made.statement] = max(i, order.get(made.statement, 0))
        return {x: bound.get(x) or [*last[x].values()] for x in sorted(order, key=order.__getitem__)}

    def _is_meant_for_other(self, statement: ast.AST, nodes: Sequence[Any]) -> bool:
        """Tell whether a statement makes, by value and by name, the true gradient of what the forward computes.

        What an argument's gradient lacks to that is missing where it is passed on.
        """
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Name):
            return False
        stems = [target.id.removeprefix(x).removesuffix(y) for x in _PREFIXES for y in _SUFFIXES]
        stems = [x for x in stems if x and x != target.id]
        if any(x.name.startswith(stem) for x in self.alone.arguments for stem in stems):
            return False
        others = [
            a for node, a in self._totals if node is not None
            if any(known.name.startswith(stem) for known in node.entry.bound for stem in stems)
        ]  # fmt: skip
        true, made = _Known(others), [a for node in nodes for a in _values(node)]
        # In a loop each turn makes a share of it.
        whole = sum(made) if len({a.shape for a in made}) == 1 else None
        return bool(made) and (all(a in true for a in made) or (whole is not None and np.asarray(whole) in true))

    def _is_true(self, node: Any, k: int) -> bool:
        """Tell whether an op made what a true backward does on the way to an argument, as nothing else did."""
        values = _values(node)
        true = all(a in self.forward or (a in self.known[k] and a not in self.summands[k]) for a in values)
        return true and all(len(self._made_at.get(a.tobytes(), ())) < _SEVERAL for a in values)

    @cached_property
    def _made_at(self) -> dict[bytes, set[ast.AST | None]]:
        """The statements of the backward by what they make."""
        found: dict[bytes, set[ast.AST | None]] = {}
        for made in self.watch.made:
            if made.phase == BACKWARD and not _only_shapes(made.node):
                for a in _values(made.node):
                    found.setdefault(a.tobytes(), set()).add(made.statement)
        return found

    def _passed(self) -> list[Tensor | None]:
        """The gradients that the backward passes on to the arguments."""
        passed = self.seen.passed
        return [passed[i] if i < len(passed) else None for i in self.places]

    def _off(self, k: int) -> Array:
        """Tell how far an argument's gradient is from the true one."""
        passed, true, shape = self._passed()[k], self.true[k], self.seen.leaves[k]._a.shape
        # What is larger than the argument is added up where it arrives.
        claimed = np.zeros(shape) if passed is None else fitted(passed._a, shape, passed._a.dtype)
        return np.asarray(claimed - (0.0 if true is None else true._a))

    def _roots(self, wrong: bool) -> Iterator[tuple[int, Any]]:
        """The arguments whose gradients are wrong, or right and not zero, with the ops that made those."""
        for k, passed in enumerate(self._passed()):
            if passed is not None and passed._node is not None:
                true = self.true[k]
                size = 0.0 if true is None else np.abs(true._a).max(initial=0.0)
                is_wrong = bool(np.abs(self._off(k)).max(initial=0.0) > _SAME * size)
                if is_wrong is wrong and (wrong or size):
                    yield k, node_of(passed._node)

    def _back(self, root: Any, k: int) -> Iterator[Any]:
        """The ops of the backward that lead to an argument's gradient, as far as they are not known to be true."""
        own = self._of_backward
        waiting, seen = [root], set()
        while waiting:
            node = waiting.pop()
            if node is None or node in seen or node not in own:
                continue
            seen.add(node)
            known = self._is_true(node, k) and _computes(node)
            if not known or node is root:
                # A true value that is passed on, and wrong there, lacks its last step.
                yield node
            if not known:
                waiting += [node_of(edge) for edge in node.edges]

    def _all_back(self, root: Any) -> Iterator[Any]:
        """All ops of the backward that lead to an argument's gradient."""
        waiting, seen = [root], set()
        while waiting:
            node = waiting.pop()
            if node in self._of_backward and node not in seen:
                seen.add(node)
                yield node
                waiting += [node_of(edge) for edge in node.edges]

    @cached_property
    def _of_backward(self) -> set[Any]:
        return {x.node for x in self.watch.made if x.phase == BACKWARD}

    def _rows(self, rng: np.random.Generator) -> tuple[list[list[Array]], Array]:
        """Numbers for what is passed on, which make single numbers of it, and those that should be added."""
        shapes = [x._a.shape for x in self.seen.leaves]
        off = np.concatenate([np.ravel(self._off(k)) for k in range(len(shapes))])
        rows = np.eye(off.size) if off.size <= _ROWS else rng.standard_normal((_ROWS, off.size))
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
        split = [[x.reshape(s) for x, s in zip(np.split(row, ends), shapes, strict=True)] for row in rows]
        return split, -(rows @ off)

    def _doubts_of(self, made: Mapping[ast.AST, Sequence[Tensor]], rng: np.random.Generator) -> dict[ast.AST, Doubt]:
        """Find which other values of some tensors could make the answer right, as far as it is linear in them."""
        rows, wanted = self._rows(rng)
        # Of complex numbers nothing is asked.
        small = {x: several for x, several in made.items() if 0 < sum(t._a.size for t in several) <= _LARGE}
        passed = [(k, x) for k, x in enumerate(self._passed()) if x is not None and x._node is not None]
        slopes: dict[ast.AST, list[Array]] = {x: [] for x in small}
        every = list({id(t): t for several in small.values() for t in several}.values())
        for row in rows if every else ():
            if budget.is_spent(_PART):
                return dict.fromkeys(made, Doubt.SOME)
            starts = [result(np.array(np.broadcast_to(row[k], x._a.shape))) for k, x in passed]
            found = grad([x for _, x in passed], every, starts, retain_graph=True, allow_unused=True)
            pairs = zip(every, found, strict=True)
            of = {id(t): np.zeros(t._a.size) if g is None else np.ravel(g._a) for t, g in pairs}
            for x, several in small.items():
                slopes[x].append(np.concatenate([of[id(t)] for t in several]))
        return {
            x: self._doubt(several, np.array(slopes[x]), wanted) if x in small else Doubt.SOME
            for x, several in made.items()
        }

    def _doubt(self, tensors: Sequence[Tensor], slope: Array, wanted: Array) -> Doubt:
        """The same of some tensors, by how much single numbers of the answer change with theirs."""
        if not (np.isfinite(slope).all() and np.isfinite(wanted).all()):
            return Doubt.NONE
        size = _LEFT * np.abs(wanted).max(initial=0.0)

        def fits(change: Array) -> bool:
            return bool(np.abs(change - wanted).max(initial=0.0) <= size)

        if not fits(slope @ np.linalg.lstsq(slope, wanted, rcond=_RANK)[0]):
            return Doubt.NONE
        doubt = Doubt.SOME
        if len(tensors) == 1:
            here = slope @ np.ravel(tensors[0]._a)
            for true in (x for known in (self.forward, *self.known) for x in known.of_size(tensors[0]._a.size)):
                there = slope @ true
                if fits(there - here):
                    return Doubt.TRUE
                if true.size > 1 and fits((wanted + here) @ there / (there @ there or 1.0) * there - here):
                    doubt = Doubt.MULTIPLE
        return doubt


class _Known:
    """Values that are true, found again by their numbers."""

    def __init__(self, values: Iterable[Any]) -> None:
        self._by_size: dict[int, dict[bytes, Array]] = {}
        self._turned: dict[int, dict[bytes, Array]] = {}
        self._tables: dict[int, Array] = {}
        for a in values:
            if a.dtype.kind == "f" and a.size <= _LARGE and np.isfinite(a).all():
                for each in (a, _without_repeats(a)):
                    several = self._by_size.setdefault(each.size, {})
                    several.setdefault(each.tobytes(), np.ravel(each))
                if a.ndim > 1:
                    # It may be meant, but is not right as it is.
                    turned = np.swapaxes(a, -1, -2)
                    self._turned.setdefault(a.size, {})[turned.tobytes()] = np.ravel(turned)

    @property
    def all(self) -> list[Array]:
        """All, each in one row."""
        return [x for several in self._by_size.values() for x in several.values()]

    def of_size(self, size: int) -> Iterable[Array]:
        """All of so many numbers, matrices turned, too."""
        return [*self._by_size.get(size, {}).values(), *self._turned.get(size, {}).values()]

    def __contains__(self, a: Array) -> bool:
        """Tell whether an array is one of them; what consists of simple numbers is nothing that is known."""
        flat = np.ravel(a)
        parts = flat * _PARTS
        if flat.size not in self._by_size or not flat.size or not np.isfinite(flat).all():
            return False
        if (np.abs(parts - np.round(parts)) < _SAME).all():
            return False
        if flat.size not in self._tables:
            self._tables[flat.size] = np.array(list(self._by_size[flat.size].values()))
        table, size = self._tables[flat.size], _SAME * np.abs(flat).max()
        near = table[np.abs(table[:, 0] - flat[0]) <= size]
        return bool((np.abs(near - flat).max(1) <= size).any()) if len(near) else False


def _operations(statement: ast.AST) -> int:
    """Count the operations and calls in a statement."""
    parts = (x for part in own_parts(statement) for x in ast.walk(part))
    return sum(isinstance(x, (ast.BinOp, ast.UnaryOp, ast.Call)) for x in parts)


def _without_repeats(a: Array) -> Array:
    """An array without the axes along which nothing changes, as after it was broadcast."""
    for axis in range(a.ndim):
        first = a.take([0], axis) if a.shape[axis] else a
        a = first if np.array_equal(np.broadcast_to(first, a.shape), a) else a
    return a


def _on_the_way(x: Tensor, nodes: Iterable[Any]) -> Iterator[tuple[Array, Any]]:
    """The numbers of a tensor, and what some ops made on the way to it, each with its op, the last first."""
    own = set(nodes)
    waiting, seen = [node_of(x._node)], set()
    yield x._a, None
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen and hasattr(node, "edges"):
            seen.add(node)
            waiting += [node_of(edge) for edge in node.edges]
    for node in sorted(own & seen, key=lambda node: node.seq, reverse=True):
        yield from ((a, node) for a in _values(node))


def _values(node: Any) -> list[Any]:
    """The arrays that an op made."""
    return [np.asarray(a) for a in node.entry.outputs if a is not None]


def _computes(node: Any) -> bool:
    """Tell whether an op made other numbers than it was given, and did not only choose of those of one operand."""
    return _only_shapes(node) or not all(any(np.isin(a, x).all() for x in _given(node)) for a in _values(node))


def _makes_new(node: Any) -> bool:
    """The same of what is no copy either."""
    return _computes(node) and not _only_copies(node)


def _only_copies(node: Any) -> bool:
    """Tell whether an op made the numbers that it was given in their own shape, as `clone` does."""
    arrays = [x.value.array for x in node.entry.operands if type(x.value) is Operand]
    return all(any(x is not None and np.array_equal(a, x) for x in arrays) for a in _values(node))


def _only_shapes(node: Any) -> bool:
    """Tell whether an op made the numbers that it was given in another shape."""
    return all(any(np.array_equal(np.ravel(a), x) for x in _given(node)) for a in _values(node))


def _given(node: Any) -> list[Array]:
    """The numbers that an op was given, of each operand in a row."""
    arrays = [x.value.array for x in node.entry.operands if type(x.value) is Operand]
    return [np.ravel(a) for a in arrays if a is not None]


def _tensors(node: Any) -> Iterator[Tensor]:
    """The outputs of an op as tensors that gradients may be asked for."""
    for nr, a in enumerate(node.entry.outputs):
        if a is not None and a.dtype.kind == "f":
            tensor = result(np.asarray(a))
            tensor._node = Output(node, nr, tensor._a) if isinstance(node, MultiNode) else node
            yield tensor
