"""Which op is to blame for a wrong gradient."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode
from ...engine.graph import CUT, LEAF, OUTPUT, node_of
from ...engine.tape.entry import entry_of
from ...engine.tape.tape import Tape, recording
from ...errors import Span
from ...graph.view.names import Arguments
from ...spec.input.parse import span_of
from ..arrays import Array
from ..claims.op_alone import Alone, Refused
from ..judging.findings import Culprit
from ..judging.higher_orders import Derivative
from ..judging.loop_ends import repeats_until_near
from ..judging.verdict import TOLERATED
from ..moving.within_reach import is_within_reach
from ..replay.plan import Unreplayable
from ..replay.subject import Subject
from .between_ops import Cut, Reason, cut
from .each_op import LocalFault, by_suspicion, check_node, has_kink, is_right_jointly, reached_outputs
from .mended import Mends, in_both, left_at, mended_at, mends
from .ops_at_higher_orders import wrong_derivatives
from .where_written import Computed, argument_name, backward_name, computed_at, written

# So many names are told in a sentence.
_NAMES = 3
# So often a Function has to be wrong for its other applications to tell nothing new.
_OFTEN = 4


class Located(NamedTuple):
    """The ops to blame, as far as they are known."""

    # The nearest to the output first; the program's own functions before all others.
    culprits: tuple[Culprit, ...] = ()
    # What is to be said beside them: that it is a guess, or that no op is to blame.
    sentence: str | None = None
    # How the first of them is wrong.
    signature: str | None = None
    # Where every op is right alone: those that have kinks here, as they are called. What arrives at an input is made of
    # subgradients then.
    kinked: tuple[str, ...] = ()

    @property
    def culprit(self) -> Culprit | None:
        """The one to be named where there is room for one."""
        return self.culprits[0] if self.culprits else None


def locate(
    subject: Subject,
    output: int,
    input: int,
    rng: np.random.Generator,
    *,
    grave: bool = True,
    weights: Array | None = None,
) -> Located:
    """Find what is to blame for the gradient of one output with respect to one input; for several, use a Locator."""
    return Locator(subject, rng).locate(output, input, grave=grave, weights=weights)


class _Functions(Tape):
    """A tape that notes the custom Functions that backwards go through."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[FunctionNode] = []

    def runs(self, node: Any, create_graph: bool) -> None:
        """Note a node that a backward runs."""
        super().runs(node, create_graph)
        if isinstance(node, FunctionNode):
            # With what it keeps, which it may be about to let go.
            self.ran.append(copy(node))


class Locator:
    """Finds what is to blame in the graph of a subject; every op is looked at once, for whatever findings."""

    def __init__(self, subject: Subject, rng: np.random.Generator) -> None:
        self.subject = subject
        self.rng = rng
        self._edges = [y.tensor._node for y in subject.outputs]
        self._reached = reached_outputs(subject.nodes, [edge for edge in self._edges if edge is not None])
        self._faults: dict[tuple[Any, bool], list[LocalFault]] = {}
        self._wrong_derivatives: dict[Any, list[LocalFault]] = {}
        self._names = Arguments()
        self._mended: dict[Any, Mends] = {}

    def locate(self, output: int, input: int, *, grave: bool = True, weights: Array | None = None) -> Located:
        """Find what is to blame for the gradient of an output with respect to an input.

        ``grave``: it is wrong, not only inaccurate. ``weights``: of the output's entries, for which it is wrong.
        """
        root = self.subject.outputs[output].tensor
        leaf = self.subject.inputs[input].tensor._node
        if leaf is None:
            return Located()
        if root._node is None:
            # A gradient that its graph says is constant.
            return self._deeper(output, input, grave)
        nodes, leading = _between(root._node, [leaf])
        for thorough in (False, True):
            found = self._local(nodes, thorough, leading)
            sure = [fault for fault in found if not grave or fault.verdict not in TOLERATED]
            if sure:
                return self._blamed(self._within_reach_first(sure), certain=True)
            # Of a backward that has a wrong derivative itself its ops say nothing, however long each is looked at.
            deeper = Located() if thorough else self._deeper(output, input, grave)
            if deeper.culprits:
                return deeper
        if weights is None:
            weights = self.rng.uniform(0.5, 1.5, np.shape(root._a))
        place = cut(root, weights, nodes, [leaf], self.rng)
        if place is not None and place.reason is not Reason.NONE:
            return self._between_ops(place)
        if found:
            return self._blamed(found, certain=False)
        kinked = self._kinked(nodes)
        own = [node for node in kinked if isinstance(node, FunctionNode)]
        wrong = [node for node in own if not is_right_jointly(node, self.rng, self._reached.get(node))]
        if wrong:
            return Located(tuple(self._at_a_kink(node) for node in wrong), _NOT_JOINTLY)
        if kinked:
            called = self.subject.inputs[input].name if place is None else self._called(place)
            names = tuple(self.subject.id_of(node) for node in kinked)
            return Located(sentence=_of_kinks(names, called), kinked=names)
        return Located(sentence=_UNKNOWN) if place is None else self._between_ops(place)

    def guess(self, output: int, input: int) -> Located:
        """Name the program's own Function on the way, where it is the only one: what costs no time."""
        root, leaf = self.subject.outputs[output].tensor._node, self.subject.inputs[input].tensor._node
        if root is None or leaf is None:
            return Located()
        nodes, leading = _between(root, [leaf])
        own = [node for node in nodes if isinstance(node, FunctionNode)]
        if len({node.function for node in own}) != 1:
            return Located()
        node, backward = own[-1], written(own[-1])
        names = self._names.of(node, node.next_functions)
        ways = [name for name, edge in zip(names, node.edges, strict=True) if node_of(edge) in leading]
        at = self.subject.span_of(node)
        source = at if backward is None else span_of(backward.machine.source, backward.node)
        name = backward_name(node)
        argument = ways[0] if len(ways) == 1 else None
        return Located((Culprit(self.subject.id_of(node), name, source, argument, False, at),), _NO_TIME)

    def _within_reach_first(self, faults: list[LocalFault]) -> list[LocalFault]:
        """Faults, those last of which the program shows nothing: such a Function may be right as far as it is meant."""
        if len({fault.node for fault in faults}) < 2 or isinstance(self.subject, Derivative):
            return faults

        wrong = list({fault.node: None for fault in faults})

        def is_out_of_reach(fault: LocalFault) -> bool:
            own = isinstance(fault.node, FunctionNode)
            return own and not is_within_reach(self.subject, fault.node, fault.slot, self.rng, wrong)

        return sorted(faults, key=is_out_of_reach)

    def _at_a_kink(self, node: Any) -> Culprit:
        name = backward_name(node)
        return Culprit(self.subject.id_of(node), name, self.subject.span_of(node), None, True)

    def _kinked(self, nodes: Sequence[Any]) -> tuple[Any, ...]:
        """The ops that have kinks here, where all of them can be looked at alone; none where one cannot."""
        if not all(_can_be_asked(node, self._reached.get(node)) for node in nodes):
            return ()
        return tuple(node for node in nodes if has_kink(node, self.rng, self._reached.get(node)))

    def _local(self, nodes: Sequence[Any], thorough: bool, leading: set[Any]) -> list[LocalFault]:
        """The faults of these nodes on the way to a leaf, each alone; of a Function that is wrong wherever it is
        applied, those of the first few."""
        found: list[LocalFault] = []
        times: Counter[Any] = Counter()
        for node in by_suspicion(nodes):
            kind = node.function if isinstance(node, FunctionNode) else node
            if times[kind] >= _OFTEN:
                continue
            faults = [fault for fault in self._of(node, thorough) if _leads(fault, leading)]
            times[kind] += any(fault.verdict not in TOLERATED for fault in faults)
            found += faults
        return found

    def _of(self, node: Any, thorough: bool) -> list[LocalFault]:
        key = node, thorough
        if key not in self._faults:
            self._faults[key] = check_node(node, self.rng, self._reached.get(node), thorough=thorough)
        return self._faults[key]

    def _deeper(self, output: int, input: int, grave: bool) -> Located:
        """Of a derivative of higher order: whose backward has a wrong derivative itself."""
        subject = self.subject
        if not isinstance(subject, Derivative):
            return Located()
        names = {*subject.parts[output].by, subject.inputs[input].name}
        base: Subject = subject
        while isinstance(base, Derivative):
            base = base.base
        roots = [y.tensor._node for y in base.outputs if y.name == subject.parts[output].of]
        nodes, _ = _between(roots[0], [x.tensor._node for x in base.inputs if x.name in names])
        reached = reached_outputs(base.nodes, [y.tensor._node for y in base.outputs if y.tensor._node is not None])
        for node in nodes:
            if node not in self._wrong_derivatives:
                made = wrong_derivatives(node, subject.order, self.rng, reached.get(node))
                self._wrong_derivatives[node] = made
        found = [fault for node in by_suspicion(nodes) for fault in self._wrong_derivatives[node]]
        sure = [fault for fault in found if not grave or fault.verdict not in TOLERATED]
        of_base = Locator(base, self.rng)
        of_base._wrong_derivatives = self._wrong_derivatives
        return of_base._blamed(sure, certain=True)

    # -- telling -------------------------------------------------------------------------------

    def _blamed(self, faults: Sequence[LocalFault], certain: bool) -> Located:
        faults = [self._inside(fault) if certain else fault for fault in faults]
        made = [self._culprit(fault, certain) for fault in faults]
        sentence = made[0][1] if made and certain else None
        if not certain:
            sentence = "no op is wrong by so much: this one is the least exact on the way"
        return Located(tuple(culprit for culprit, _ in made), sentence, faults[0].signature if faults else None)

    def _inside(self, fault: LocalFault) -> LocalFault:
        """A fault of a Function, or what is wrong with another one that its backward goes through."""
        if not isinstance(fault.node, FunctionNode):
            return fault
        tape = _Functions()
        with recording(tape):
            self._run(fault.node)
        for node in tape.ran:
            if node.function is not fault.node.function:
                for thorough in (False, True):
                    wrong = [x for x in self._of(node, thorough) if x.verdict not in TOLERATED]
                    if wrong:
                        return self._inside(wrong[0])
        return fault

    def _culprit(self, fault: LocalFault, certain: bool) -> tuple[Culprit, str | None]:
        """The op that a fault is of, and where else its backward computes what is wrong, in words."""
        node = fault.node
        at = self.subject.span_of(node)
        own = computed_at(node, fault.slot, lambda: self._run(node), *self._wrong_and_right(node))
        name = backward_name(node) if written(node) is not None else self.subject.name_of(node)
        id = self.subject.id_of(node)
        if own is None:
            entry = entry_of(node)
            astray = None if entry is None or entry.op is None or not certain else entry.op.astray
            sentence = None if astray is None else f"PyTorch's own gradient of {name} is not the derivative: {astray}"
            return Culprit(id, name, at, fault.argument, certain), sentence
        span, sentence = self._narrowed(node, fault.slot, own)
        argument = argument_name(node, fault.slot, fault.argument)
        return Culprit(id, name, span or at, argument, certain, at), sentence

    def of_derivative(self, fault: LocalFault) -> tuple[Culprit, str | None]:
        """The backward whose gradient has a wrong derivative, where it lets go of the graph, and that in words."""
        node, at = fault.node, self.subject.span_of(fault.node)
        own = computed_at(node, fault.slot, lambda: self._run(node))
        span, sentence = (None if own is None else left_at(node, own)) or (own and own.span, None)
        return Culprit(self.subject.id_of(node), backward_name(node), span or at, fault.argument, applied=at), sentence

    def _narrowed(self, node: Any, slot: int, own: Computed) -> tuple[Span | None, str | None]:
        """The statement by a small change of which a gradient is right, in words too, or else all that lead to it."""
        if not self._faults_of(node) and self._wrong_derivatives.get(node):
            left = left_at(node, own)
            if left is not None:
                return left
        if self._is_loose(node):
            return own.span, _LOOSE
        found = self._mends(node, own)
        # A line is wrong wherever it is run: what would mend one application alone is not to blame.
        for other in self._wrong_at(node, slot) if len(found.of.get(slot, ())) != 1 else ():
            found = in_both(found, self._mends(other, own), slot)
        return mended_at(found, slot, own)

    def _mends(self, node: Any, own: Computed) -> Mends:
        """The changes by which a Function is right where it is applied, looked for once."""
        if node not in self._mended:
            wrong, right = self._wrong_and_right(node)
            right = right if wrong else set()
            known = {x.argument: x.measured for x in self._faults_of(node) if x.measured is not None}
            self._mended[node] = mends(node, self._reached.get(node), own.statements, right, self.rng, known)
        return self._mended[node]

    def _wrong_at(self, node: Any, slot: int) -> list[Any]:
        """The next application of the Function of a node which is known to be wrong in the same argument."""
        faults = (x for found in self._faults.values() for x in found if x.slot == slot)
        others = (x.node for x in faults if isinstance(x.node, FunctionNode) and x.verdict not in TOLERATED)
        return [x for x in dict.fromkeys(others) if x is not node and x.function is node.function][:1]

    def _is_loose(self, node: Any) -> bool:
        """Tell whether a Function is no more than inaccurate, and repeats something until it is near enough."""
        if any(fault.verdict not in TOLERATED for fault in self._faults_of(node)):
            return False
        return any(map(repeats_until_near, (node.function.forward, written(node))))

    def _wrong_and_right(self, node: Any) -> tuple[set[int], set[int]]:
        """The arguments of an op whose gradients were found to be wrong, and those where they are right."""
        found = [*self._faults_of(node), *self._wrong_derivatives.get(node, [])]
        wrong = {fault.slot for fault in found}
        return wrong, {slot for slot, edge in enumerate(node.edges) if edge is not None} - wrong

    def _faults_of(self, node: Any) -> list[LocalFault]:
        """All that was found wrong with an op of the graph itself."""
        return [fault for (of, _), found in self._faults.items() if of is node for fault in found]

    def _run(self, node: Any) -> None:
        """Run the backward of a node once."""
        try:
            alone = Alone(node, self._reached.get(node))
            alone.claims(alone.weights(self.rng))
        except (Refused, Unreplayable):
            # It came to none of its returns.
            return

    def _between_ops(self, place: Cut) -> Located:
        """Find what is to blame where every op alone is right."""
        called = self._called(place)
        if place.reason is Reason.HOOK:
            return self._guess(place, f"every op is right: a hook on {called} changes the gradient", certain=True)
        if place.reason is Reason.SUM:
            told = f"every op is right: what arrives at {called} is not the sum of what its users pass on"
            return self._guess(place, told, certain=True)
        return self._guess(place, f"every op alone seems right: the gradient is first wrong at {called}", certain=False)

    def _guess(self, place: Cut, sentence: str, certain: bool) -> Located:
        node = place.node
        if certain and node.kind != LEAF:
            blamed: Iterable[Any] = (node,)
        else:
            blamed = place.consumers[:1]
        culprits = tuple(
            Culprit(
                self.subject.id_of(each),
                self.subject.name_of(each),
                self.subject.span_of(each),
                None if each is node else self._argument(each, node),
                certain,
            )
            for each in blamed
        )
        return Located(culprits, sentence)

    def _argument(self, consumer: Any, node: Any) -> str | None:
        """The name that a node has for the argument that another one made."""
        edges = consumer.next_functions
        names = self._names.of(consumer, edges)
        return next((name for name, (before, _) in zip(names, edges, strict=True) if before is node), None)

    def _called(self, place: Cut) -> str:
        return self.subject.id_of(place.node) + (f"[{place.output_nr}]" if place.node.outputs > 1 else "")


_NOT_JOINTLY = "at this kink its answer is right for each argument alone, and not for several that move together"
_NO_TIME = "there was no time to look at each op alone: this is the only Function of the program's own on the way"
_UNKNOWN = "every op is right where it can be looked at alone"
_LOOSE = "it repeats something until that is near enough: the gradient is no more exact than that"


def _of_kinks(kinked: Sequence[str], called: str) -> str:
    """That subgradients, each right, add up to none."""
    names = " and ".join(dict.fromkeys(kinked[:_NAMES]))
    have = "have kinks" if len(kinked) > 1 else "has a kink"
    told = f"every op is right: {names} {have} here, and the sum of subgradients that arrives at {called}"
    return f"{told} is no subgradient"


def _can_be_asked(node: Any, reached: Sequence[int] | None) -> bool:
    """Tell whether an op can be looked at alone."""
    try:
        alone = Alone(node, reached)
        alone.claims([np.zeros(shape) for shape in alone.shapes])
    except (Unreplayable, Refused):
        return False
    return True


def _between(root: Any, leaves: Sequence[Any]) -> tuple[list[Any], set[Any]]:
    """The nodes from a root to some leaves, in forward order, and all that lead to a leaf."""
    seen: set[Any] = set()
    waiting = [node_of(root)]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen or node.kind == LEAF:
            continue
        seen.add(node)
        waiting += [node_of(edge) for edge in node.edges]
    order = sorted(seen, key=lambda node: node.seq)
    leading = set(leaves)
    for node in order:
        if any(node_of(edge) in leading for edge in node.edges):
            leading.add(node)
    return [node for node in order if node in leading], leading


def _leads(fault: LocalFault, leading: set[Any]) -> bool:
    """Tell whether the wrong argument of a fault is on the way to the leaf."""
    edge = fault.node.edges[fault.slot]
    return edge is not None and edge.kind != CUT and (edge.node if edge.kind == OUTPUT else edge) in leading
