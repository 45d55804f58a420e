"""The tape: what every recorded op was given and what it made, written down while ``recording()`` is on.

A node keeps what its rules need; a drawing, and a second evaluation of the forward, need more: the op, all
of its arguments by name, and the numbers as they were. The entry with all that hangs on its node and lives as
long as the node; what the program no longer holds costs nothing.

Nothing of an entry changes when a program writes to memory later: before such a write, what entries hold of
that memory is copied. Where the copies that are held at once would take more than ``Tape.budget`` bytes, the
numbers are forgotten instead: they are None.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import flags
from ..graph import LEAF, Node, next_sequence_number, node_of
from ..modes import mode
from ..numeric.bfloat16 import Brain
from ..python_number import WrappedNumber
from ..tensor import Tensor, View, _new, result
from .asked import Asked
from .backwards import Backwards
from .entry import BESIDE, KEPT, RAISED, Cut as Cut, Entry as Entry, Held, Operand as Operand, entry_of as entry_of
from .frames import Frames
from .owned import Owned, kept

BUDGET = 2**28

# Of how many cuts behind a constant the tape remembers where they were.
_CUTS = 64
# How a tensor leaves the graph that goes on in the memory of another.
_SHARING = "data", "detach"

# So many views of one memory are looked through for those that are gone.
_CROWD = 256


class Tape:
    """The notes taken while ``recording()`` is on."""

    def __init__(self) -> None:
        # Where the program is, in whatever terms whoever runs it has; every entry notes it.
        self.where: Any = None
        # The node whose backward is being recorded.
        self.parent: Any = None
        # The order of the derivative that is being recorded.
        self.order = 0
        # The calls and turns of loops that the program is in.
        self.frames = Frames()
        # How many checkpoints the program is in.
        self.checkpoints = 0
        # How many backwards are running, one within another.
        self.walks = 0
        # Notes of the calls of backward(), where somebody wants them: they keep the last one's graph alive.
        self.backwards: Backwards | None = None
        # Is told of leaves that the program does not make itself: a transform makes them of its arguments.
        self.makes_leaf: Callable[[Tensor, Tensor], None] | None = None
        self.budget = BUDGET
        # Cells by the id() of their array, and those of views by the id() of the memory they share.
        self._cells: weakref.WeakValueDictionary[int, Held] = weakref.WeakValueDictionary()
        self._sharing: dict[int, list[weakref.ref[Held]]] = {}
        # The cells that hold a copy of their own.
        self._copies: dict[weakref.ref[Held], None] = {}
        # What the program did with numbers of a graph outside tensors, and where it did so first.
        self.escapes: dict[tuple[str, Any], tuple[str | None, int]] = {}
        # Parameters that hold what a graph made, and where they left it: they are leaves of their own.
        self.made_leaves: list[tuple[Any, Cut]] = []
        # Tells of a place whether what it reads goes nowhere, as what is printed does.
        self.only_shows: Callable[[Any], bool] = lambda statement: False
        # The custom Function whose forward or backward runs.
        self.function: Any = None
        # Whose code made truth values or whole numbers of numbers of a graph, that of a Function or, None, of the
        # program itself: what they choose, no graph shows.
        self.choosers: set[Any] = set()
        # What a condition that is being evaluated reads of graphs.
        self.asked: Asked | None = None
        # The base of the view that is being written to, as it was.
        self._base: Operand | None = None
        # The parameters and buffers of modules.
        self.owned = Owned()
        # Losses built of ops: between which sequence numbers each ran, and where its target left its graph.
        self.aimed: list[tuple[int, int, frozenset[int]]] = []
        # When the parameters were cut that a module was called with in place of themselves, all held fixed.
        self.frozen: set[int] = set()

    # -- writing down ------------------------------------------------------------------------

    def record(self, node: Any, op: Any, args: Sequence[Any], outs: Sequence[Any], names: Sequence[str] = ()) -> None:
        """Note what an op was given and the arrays that it made."""
        entry: Entry = _new(Entry)
        entry.op = op
        entry.names = op.parameters if op is not None else names
        entry.args = self.given(args)
        entry.outs = tuple([self._hold(a) for a in outs])
        entry.parent = self.parent
        entry.order = self.order
        entry.where = self.where
        entry.frame = self.frames.here
        entry.recomputed = self.checkpoints > 0
        entry.bound = ()
        entry.saved = entry.inner = entry.cast = entry.random = None
        node.entry = entry

    def given(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """Arguments as they are now."""
        return tuple([self._given(x) for x in args])

    def operand(self, x: Tensor) -> Operand:
        """A tensor as it is now."""
        o: Operand = _new(Operand)
        o.held = self._hold(x._a)
        o.edge = edge_of(x)
        o.source = weakref.ref(x)
        o.called = x._label
        o.cuts = x._cuts
        if mode.rule and x._cuts:
            # A rule reads again what its op gave beside.
            o.cuts = tuple([c for c in x._cuts if c.reason != BESIDE])
        return o

    def _given(self, x: Any) -> Any:
        kind = type(x)
        if isinstance(x, Tensor):
            return x.number if isinstance(x, WrappedNumber) else self.operand(x)
        if kind is np.ndarray:
            return self.operand(result(x))
        if kind is list or kind is tuple:
            return kind([self._given(y) for y in x])
        if isinstance(x, tuple) and any(isinstance(y, Tensor) for y in x):
            # Results with names, handed on as they came.
            return self._given(tuple(x))
        return x

    def _hold(self, a: Any) -> Any:
        """An array in its cell; a NumPy scalar cannot change and is its own."""
        kind = type(a)
        if kind is not np.ndarray and kind is not Brain:
            return a
        cell = self._cells.get(id(a))
        if cell is None or cell.array is not a:
            cell = self._cells[id(a)] = Held(a)
            if a.base is not None:
                self._share(_memory(a), weakref.ref(cell))
        return cell

    def _share(self, memory: Any, ref: weakref.ref[Held]) -> None:
        refs = self._sharing.setdefault(id(memory), [])
        refs.append(ref)
        if len(refs) >= _CROWD and len(refs).bit_count() == 1:
            refs[:] = [ref for ref in refs if ref() is not None]

    # -- writes to memory --------------------------------------------------------------------

    def before_write(self, a: Any, view: Tensor | None = None) -> None:
        """Keep what entries hold of memory that is about to be written to; ``view``: recorded, through this one."""
        self._base = self.operand(view._base) if isinstance(view, View) else None
        if type(a) is not np.ndarray:
            return
        memory = _memory(a)
        own = self._cells.get(id(memory))
        if own is not None and own.array is memory:
            self._keep(own)
        others = []
        for ref in self._sharing.pop(id(memory), ()):
            cell = ref()
            if cell is not None and cell.array is not None:
                if np.may_share_memory(cell.array, a):
                    self._keep(cell)
                else:
                    others.append(ref)
        if others:
            self._sharing[id(memory)] = others

    def _keep(self, cell: Held) -> None:
        size = cell.array.nbytes
        if size > self.budget:
            cell.array = None
            return
        cell.array = np.array(cell.array)
        self.budget -= size

        def let_go(ref: weakref.ref[Held]) -> None:
            # What no entry holds any longer leaves its place to others: the graph of an earlier turn is gone.
            del self._copies[ref]
            self.budget += size

        self._copies[weakref.ref(cell, let_go)] = None

    def wrote(self, node: Any, a: Any) -> None:
        """Note that a node's result was written to memory of another dtype."""
        entry = entry_of(node)
        if entry is not None:
            entry.cast = a.dtype
            entry.outs = (self._hold(np.array(a)),)

    def wrote_through(self, node: Any, fn: Any, base: Any, before: Operand | None) -> None:
        """Note a write to a view of ``base``, which has now this node; ``fn`` recorded the write itself."""
        inner: Entry = fn.entry
        self.record(node, None, (before or self._base, *inner.args[1:]), (base,), ("self", *inner.names[1:]))
        node.entry.inner = inner
        self._base = None

    # -- leaving the graph -------------------------------------------------------------------

    def cut(self, t: Tensor, source: Tensor, reason: str) -> None:
        """Note that ``t`` has the numbers of ``source`` but not its place in the graph."""
        edge = origin_of(source)
        t._cuts = source._cuts if edge is None else (Cut(reason, edge, source._label),)
        if reason in _SHARING and t is not source:
            self.owned.shares(t, source)

    def owns(self, t: Tensor, is_parameter: bool) -> None:
        """Note that a module owns a tensor: what it holds of the numbers of a graph is meant to be no part of that."""
        self.owned.add(t, is_parameter)
        if not is_parameter and t._cuts:
            t._cuts = tuple(self.owned.as_state(t, t._cuts))

    def keeps(self, t: Tensor, source: Tensor) -> None:
        """Note that a layer keeps in ``t`` what it made of ``source``, and means no gradient to pass."""
        edge = origin_of(source)
        made = [(c.edge, c.label) for c in source._cuts] if edge is None else [(edge, source._label)]
        self.owned.copied(t, source)
        before = (c for c in t._cuts if c.reason == KEPT)
        t._cuts = tuple([*before, *(Cut(KEPT, *where) for where in made)][-_CUTS:])

    def several_unrecorded(self, results: Sequence[Tensor | None], args: Sequence[Any], op: Any = None) -> None:
        """Note of all that an op made that it has no place in the graph."""
        for t in results:
            if t is not None:
                self.unrecorded(t, args, op)

    def unrecorded(self, t: Tensor, args: Sequence[Any], op: Any = None) -> None:
        """Note where the numbers of a result without a place in the graph come from, when that is a graph."""
        cuts = self.cuts_of(args)
        if cuts:
            t._cuts = cuts if op is None else tuple(self.owned.of_result(op.name, t, args, cuts))
            self._made_choice(t)
            if self.asked is not None and op is not None and op.orders:
                self.asked.compared(args[0], args[1])

    def beside(self, tensors: Iterable[Tensor | None], args: Sequence[Any]) -> None:
        """Note where whole numbers come from that an op gives beside results in the graph, as places of the largest.

        What they choose, nobody knows before they are used.
        """
        for t in tensors:
            if t is not None and t._a.dtype.kind in "biu":
                t._cuts = tuple([Cut(BESIDE, c.edge, c.label) for c in self.cuts_of(args)])

    def cuts_of(self, args: Sequence[Any]) -> tuple[Cut, ...]:
        """Where the numbers of arguments leave their graphs when no graph goes on from here."""
        tensors = [(x, origin_of(x)) for x in tensors_in(args)]
        left = [x._cuts for x, _ in tensors if x._cuts]
        if len(left) < 2 and all(edge is None for _, edge in tensors):
            # As of most: what is known of the only one, be it nothing.
            return left[0] if left else ()
        cuts: dict[Cut, None] = {}
        for x, edge in tensors:
            if edge is None:
                cuts.update(dict.fromkeys(x._cuts))
            elif all(c.edge is not edge for c in cuts):
                reason = "integer" if mode.grad else "inference_mode" if mode.inference else "no_grad"
                cuts[Cut(reason, edge, x._label)] = None
        return tuple(cuts)[:_CUTS]

    def stands_in(self, old: Tensor, t: Tensor) -> None:
        """Note what stands for a tensor that is about to be written to: nothing else is known of it here."""

    def written(self, t: Tensor, cuts: Sequence[Cut], new: Tensor | None = None, by: str = "") -> None:
        """Note that numbers that had left a graph were written into a tensor that is in none: it is now as ``new``.

        ``by``: the name of the function that made them of those that were there.
        """
        if not cuts:
            return
        if self.owned.moves(t, by, cuts):
            cuts, t._cuts = kept((*t._cuts, *cuts)), ()
        cuts = self.owned.as_state(t, cuts)
        reached = {id(x): x for x in (t, t._base, self.owned.behind(t)) if x is not None}
        for x in reached.values():
            known, of_layers = set(x._cuts), {(c.reason, c.edge) for c in x._cuts if c.reason == KEPT}
            more = [c for c in cuts if c not in known and (c.reason, c.edge) not in of_layers]
            x._cuts = (*x._cuts, *more)[-_CUTS:]
            self._made_choice(x)

    def renewed(self, t: Tensor, new: Tensor) -> None:
        """Note that a tensor has the numbers of another one from now on: its ``.data`` was set."""
        t._cuts = ()
        self.written(t, self.cuts_of((new,)))

    def _made_choice(self, t: Tensor) -> None:
        if t._a.dtype.kind in "biu":
            self.choosers.add(self.function)

    def read(self, how: str, *tensors: Tensor) -> None:
        """Note that the program read a number that was made of tensors."""
        for x in tensors:
            self.escaped(x, how)

    def escaped(self, source: Tensor, how: str) -> None:
        """Note that the program read a number of a graph: what it does with that, no graph shows."""
        if source._cuts or origin_of(source) is not None:
            if self.asked is not None:
                self.asked.reads = True
            key = how, (statement := getattr(self.where, "statement", None))
            if key not in self.escapes and not self.only_shows(statement):
                self.escapes[key] = source._label, next_sequence_number()

    @contextmanager
    def aiming_at(self, target: Tensor) -> Iterator[None]:
        """Note of what is recorded meanwhile that it is a loss with this target."""
        first = next_sequence_number()
        yield
        self.aimed.append((first, next_sequence_number(), frozenset(cut.seq for cut in target._cuts)))

    def replaced(self, pairs: Sequence[tuple[Any, Any]]) -> None:
        """Note that a module is called with others in place of its tensors: if each parameter is itself, held fixed."""
        learned = [(own, other) for own, other in pairs if own is not None and own.requires_grad]
        found: set[int] = set()
        for own, other in learned:
            cuts: Sequence[Cut] = () if other is None or other.requires_grad else other._cuts
            if len(cuts) != 1 or cuts[0].node is not own._node or not np.array_equal(own._a, other._a):
                return
            found.add(cuts[0].seq)
        self.frozen |= found

    def begins_anew(self, leaf: Tensor, source: Tensor) -> None:
        """Note that a new leaf holds what a graph made, which no gradient reaches from there."""
        edge = origin_of(source)
        if edge is not None and edge.kind != LEAF:
            self.made_leaves.append((leaf._node, Cut("Parameter", edge, source._label)))

    def raised(self, source: Tensor) -> None:
        """Note that a function raises what is too small in ``source``, and leaves its gradient as it was."""
        self.escaped(source, RAISED)

    # -- backward ----------------------------------------------------------------------------

    def walk_begins(self) -> None:
        """Note that a backward begins."""
        self.walks += 1

    def walk_ends(self) -> None:
        """Note that a backward is over, be it by an error."""
        self.walks -= 1

    def differentiates(self, nodes: Sequence[Any]) -> None:
        """Note that a backward through these nodes is recorded: what that makes is of one order more than they are."""
        entries = map(entry_of, nodes)
        self.order = 1 + max((entry.order for entry in entries if entry is not None), default=0)

    def runs(self, node: Any, create_graph: bool) -> None:
        """Note that a backward runs a node: what that records is the node's, and what the node keeps is kept.

        The backward may free it, and a later write change it.
        """
        if create_graph:
            self.parent = node
        entry = entry_of(node)
        if entry is not None and node.saved and not _is_outdated(node):
            entry.saved = tuple([self._kept(x) for x in node.saved])

    def _kept(self, x: Any) -> Any:
        """The values a node keeps, safe from later writes: an Operand for a tensor, a cell for an array."""
        if isinstance(x, Tensor):
            return x if type(x) is WrappedNumber else self.operand(x)
        if type(x) is np.ndarray:
            return self._hold(x)
        if type(x) is tuple:
            return tuple([self._kept(y) for y in x])
        if isinstance(x, Node):
            self.runs(x, False)
            return x
        return x.as_it_is() if hasattr(x, "as_it_is") else x


def _is_outdated(node: Any) -> bool:
    """True if something that a node of an op kept was written to: its rule refuses to run, now and later."""
    op = getattr(node, "op", None)
    if op is None or flags.RESTORED in flags.settings:
        return False
    versions, results = ({}, {}) if node.extra is None else (node.extra.versions, node.extra.result_version)
    return any(
        isinstance(x, Tensor) and x._vc is not None and x._vc.n != versions.get(i, 0) for i, x in enumerate(node.saved)
    ) or any(vc.n != kept and op.outputs[k] in op.saves for k, (vc, kept) in results.items())


def tensors_in(args: Sequence[Any]) -> Iterator[Tensor]:
    """The tensors among arguments, and in lists of them."""
    for x in args:
        if isinstance(x, Tensor):
            yield x
        elif isinstance(x, (list, tuple)):
            yield from tensors_in(x)


def edge_of(x: Tensor) -> Any:
    """Where a tensor's gradient goes, as far as that is known: a stale view is not asked for its new place.

    It would record how it is read from its base, or refuse.
    """
    if not isinstance(x, View):
        return x._node
    own, counter = x._own, x._base._vc
    fresh = counter is None or counter.n == x._made or (own is not None and own.kind == LEAF)
    return own if fresh else None


def origin_of(x: Tensor) -> Any:
    """The graph that the numbers of a tensor come from, if one."""
    edge = edge_of(x)
    if edge is None and x._base is not None:
        edge = edge_of(x._base)
    return edge


def _memory(a: Any) -> Any:
    """The object whose memory an array is in."""
    while a.base is not None:
        if not isinstance(a.base, np.ndarray):
            return a.base
        a = a.base
    return a


def restore(root: Any) -> None:
    """Give the nodes of a graph back what they kept when they last ran: what was freed, and written to, since.

    ``root``: a node. Afterwards the graph can be walked again, and shows what it kept.
    """
    seen = {root}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.kind == LEAF:
            continue
        entry = entry_of(node)
        if entry is not None and entry.saved is not None and not _is_lost(entry.saved):
            node.saved = tuple([_given_back(x, stack) for x in entry.saved])
            if node.extra is not None:
                node.extra.versions.clear()
                node.extra.result_version.clear()
        for edge in node.edges:
            before = node_of(edge)
            if before is not None and before not in seen:
                seen.add(before)
                stack.append(before)


def _is_lost(x: Any) -> bool:
    """Tell whether something that a node kept was written to and could not be copied first."""
    if type(x) is tuple:
        return any(map(_is_lost, x))
    return type(x) in (Operand, Held) and x.array is None


def _given_back(x: Any, stack: list[Any]) -> Any:
    if type(x) is Operand:
        t = result(x.array)
        t._node = x.edge
        return t
    if type(x) is Held:
        return x.array
    if type(x) is tuple:
        return tuple([_given_back(y, stack) for y in x])
    if isinstance(x, Node):
        stack.append(x)
    return x


class recording:
    """Write down every op that is recorded in the block, on a new tape or on one that is given."""

    def __init__(self, tape: Tape | None = None) -> None:
        self._tape = Tape() if tape is None else tape

    def __enter__(self) -> Tape:
        self._before = mode.tape
        mode.use(self._tape)
        return self._tape

    def __exit__(self, *_: object) -> None:
        mode.use(self._before)
