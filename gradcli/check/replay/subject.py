"""The subject of a check: outputs, the leaves that they are differentiated by, and how to get both again."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from copy import copy
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...engine.function import Function, FunctionNode
from ...engine.graph import LEAF
from ...engine.guard import world
from ...engine.memory.layout import unwrapped
from ...engine.modes import mode
from ...engine.numeric.halves import converted
from ...engine.tape.entry import entry_of
from ...engine.tape.tape import Tape, recording, restore
from ...engine.tensor import Tensor, result
from ...engine.walk import hooks as walk_hooks
from ...engine.walk.walk import Observer, keeping, walk
from ...errors import InputError, LimitError, NoAnswer, Span, SpecError, raised_by_program
from ...graph.view.gradients import words
from ...graph.view.names import node_name
from ...graph.view.places import text_of
from ...graph.view.reach import is_leaf
from ...graph.view.roots import NoGraph, chosen
from ...graph.view.several import Several
from ...graph.view.tensors import origin
from ...spec.language.machine import Machine
from ...spec.node_names import Trace
from ...spec.program import Program, Run
from ...spec.values.user_definitions import UserFunction
from ..arrays import Array
from .called_again import calling, told
from .leaves import cuts_of, refuse_infinite, unseen, wanted, why_fixed
from .only_ops import is_given_more, is_pure, names_only_ops
from .patience import Patience, with_patience
from .plan import Plan, Unreplayable
from .real_parts import Split, in_real_parts, of_real_parts, parts_of_root
from .recorded_graph import Graph, Input as Input, Output as Output, Unrepeatable as Unrepeatable, equal
from .without_asserts import without_asserts

if TYPE_CHECKING:
    from ...spec.input.directives import Directive

T = TypeVar("T")

# A title is cut to the width of its line in any case.
_TITLE = 200

# As much of a program's time may go into running it again, and so short a run cannot be measured.
_SHARE, _TICK = 0.25, 1e-4


class Subject:
    """Outputs and inputs of one run, their graph, and the ways to evaluate them again."""

    # Of the derivatives that are claimed.
    order = 1

    def __init__(
        self,
        spec: str,
        inputs: list[Input],
        outputs: list[Output],
        graph: Graph,
        tape: Tape,
        again: Callable[..., Subject],
        *,
        trace: Trace | None = None,
        variables: Mapping[str, Any] | None = None,
        machine: Machine | None = None,
        directives: Sequence[Directive] = (),
        fixed: str | None = None,
        reruns: float = inf,
        told: Callable[[Exception], Exception] | None = None,
        unseen: Sequence[Input] = (),
        which: str | None = None,
        split: Split | None = None,
        like: Plan | None = None,
        names_only_ops: bool = False,
        is_steady: bool = False,
    ) -> None:
        # Leaves that ask for a gradient and are not in the graph: what the program does with them it does outside.
        self.unseen = list(unseen)
        # Of many backwards the one that this is about, in words.
        self.which = which
        # Which of the leaves stand for the parts of complex ones.
        self.split = split or Split([], {})
        # What it is called in reports.
        self.spec = spec
        self.inputs = inputs
        self.outputs = outputs
        self.tape = tape
        self.trace = trace
        # How comparisons of numbers came out in the run itself, not when parts of it are run once more.
        self.decided = {} if trace is None else {key: set(made.outcomes) for key, made in trace.decisions.items()}
        # What the program's names stand for in the end.
        self.variables = variables or {}
        # What ran it.
        self.machine = machine
        self.directives = list(directives)
        # The exceptions that the program names: the kinds behind `# gradcli: allow`.
        self.allowed = {d.value for d in self.directives if d.key == "allow" and d.value is not None}
        # How often there is time to run the program again, and whether it is known that it can be.
        self.reruns = reruns
        self.runs_again = False
        # Whether the program's hooks make good what its graph lacks, as those of an implicit layer do.
        self.is_made_good = False
        # Whether it is of a program that need not be, since nothing that it names does more than its graph shows.
        self.names_only_ops = names_only_ops
        # Whether it is of a program that learnt nothing but what its text and its seed decide: it does the same anew.
        self.is_steady = is_steady
        self._graph = graph
        self._record = again
        self._fixed = fixed
        self._told = told
        # The same graph with other numbers, what its Functions do known already.
        self.like = like
        # By output: its backward recorded, as a plan, with what was found of it.
        self.recorded_backwards: dict[int, Any] = {}

    # -- numbers -----------------------------------------------------------------------------

    @property
    def at(self) -> list[Array]:
        """The numbers of the inputs when the graph was recorded."""
        return [np.asarray(x.tensor._a) for x in self.inputs]

    @property
    def numbers(self) -> list[Array]:
        """The numbers of the outputs then."""
        return [np.asarray(y.tensor._a) for y in self.outputs]

    @cached_property
    def plan(self) -> Plan:
        """The recorded graph, to be evaluated again; it may be Unreplayable."""
        return Plan([y.tensor for y in self.outputs], [x.tensor for x in self.inputs])

    @property
    def evaluated(self) -> Plan:
        """The plan to evaluate at the numbers of this subject, and others: of its own graph, or of one like it."""
        return self.like or self.plan

    @property
    def is_in_one_piece(self) -> bool:
        """Tell whether no pieces of the function meet anywhere, as far as its graph shows."""
        return self.evaluated.is_in_one_piece and not (self.tape.choosers or self.tape.escapes)

    # -- the program again -------------------------------------------------------------------

    @property
    def rerun_why(self) -> str | None:
        """Why the program cannot be run again at other values; None when it can."""
        if self._fixed is None and self.is_all_in_its_graph:
            return None
        return self._same if not self.runs_again and isinstance(self._same, str) else None

    @property
    def rerun(self) -> Callable[[Sequence[Any]], list[Array]] | None:
        """The whole program again with other values for the inputs: the outputs' numbers, or it is Unrepeatable."""
        return None if self.rerun_why is not None else lambda arrays: self.recorded_at(arrays).numbers

    def recorded_at(self, arrays: Sequence[Any]) -> Subject:
        """The whole program again with other values for the inputs, with its own graph, or it is Unrepeatable."""
        if self._fixed is not None:
            raise Unrepeatable(self._fixed)
        return self._again(arrays)

    @property
    def is_all_in_its_graph(self) -> bool:
        """True of a program that does as its graph, and in which no numbers ever left that."""
        return (self.runs_again or self.names_only_ops) and not self._leaves_its_graph

    @cached_property
    def _leaves_its_graph(self) -> bool:
        """Tell whether numbers were read of the graph, or were used outside of it, as far as that is noted."""
        # What a Function chooses that does the same of the same numbers, it chooses whenever the graph calls it.
        chooses = any(function is None or not is_pure(function) for function in self.tape.choosers)
        chooses = chooses or bool(self.tape.escapes) or (self.trace is not None and bool(self.trace.decisions))
        given = any(is_given_more(node) for node in self.nodes if isinstance(node, FunctionNode))
        return bool(chooses or given or self.unseen or self.hooked or any(True for _ in cuts_of(self.nodes)))

    def graph_at(self, arrays: Sequence[Any]) -> Subject:
        """The graph recorded again with other values for the inputs: its nodes have no places in a program."""
        with recording() as tape:
            roots, leaves = self.plan.recorded(arrays)
        if any(root._node is None for root in roots):
            raise Unreplayable(None, "it makes a constant there")
        inputs = [x._replace(tensor=leaf) for x, leaf in zip(self.inputs, leaves, strict=True)]
        outputs = [y._replace(tensor=root) for y, root in zip(self.outputs, roots, strict=True)]
        graph = Graph(roots, {x.tensor._node: x.name for x in inputs})
        return Subject(self.spec, inputs, outputs, graph, tape, self._record, told=self._told, like=self.plan)

    def with_unseen(self) -> Subject:
        """The same program, with leaves as inputs that are not in its graph."""
        found = copy(self)
        found.inputs = [*self.inputs, *self.unseen]
        found.unseen = []
        found.runs_again = False
        found.recorded_backwards = {}
        for name in ("plan", "_same"):
            found.__dict__.pop(name, None)
        count = len(self.inputs)

        def again(arrays: Sequence[Any] | None) -> Subject:
            there = self._record(arrays) if arrays is None else self._record(arrays[:count], arrays[count:])
            return there.with_unseen()

        found._record = again
        return found

    def repeated(self) -> Subject:
        """The program once more, with the same values for its leaves where they can be given; or it is Unrepeatable."""
        return self._again(None) if isinstance(self._same, str) else self._same

    def is_same_anew(self) -> bool:
        """Tell whether the program, left alone, gives the same bits once more: its leaves cannot be given values then.

        It is asked of a program that gives others with the values that its leaves have in the end.
        """
        try:
            same = all(map(equal, self.numbers, self._again(None).numbers))
        except Unrepeatable:
            return False
        if same:
            self._fixed = "the program writes to its leaves after it has read them"
            self.__dict__.pop("_same", None)
        return same

    @cached_property
    def _same(self) -> Subject | str:
        """The program again with the same values for its leaves, or why they cannot be given."""
        if self._fixed is not None:
            return self._fixed
        try:
            return self._again(self.at)
        except Unrepeatable as error:
            return str(error)

    def _again(self, arrays: Sequence[Any] | None) -> Subject:
        try:
            found = self._record(arrays)
        except (LimitError, Unrepeatable):
            raise
        except raised_by_program() as error:
            raise Unrepeatable(f"run again, the program stops: {words(error)}") from error
        if [y.tensor._a.shape for y in found.outputs] != [y.tensor._a.shape for y in self.outputs]:
            raise Unrepeatable("run again, the outputs have other shapes")
        # A first run also loads what it uses.
        self.reruns = max(self.reruns, found.reruns)
        return found

    # -- claims ------------------------------------------------------------------------------

    def claim(self, weights: Sequence[Any]) -> list[Array | None]:
        """The backward's answer: for each input the gradient of the sum of the outputs with these weights.

        The weights of an output may be None: nothing starts there. No ``.grad`` is touched, and the graph is kept.
        What a program's hooks make of a gradient is no derivative any more: they do not run.
        """
        return self.backward(weights)

    def backward(
        self, weights: Sequence[Any], *, hooks: bool = False, observer: Observer | None = None
    ) -> list[Array | None]:
        """The same, with the program's hooks where that is asked for; an observer is told of every node that runs."""
        starts = [
            (y.tensor._node, start_of(w, y.tensor)) for y, w in zip(self.outputs, weights, strict=True) if w is not None
        ]
        retaining = [(tensor, tensor._grad) for tensor in self._graph.retaining()]
        try:
            # A hook on the gradients of several leaves may ask for a backward that adds to them.
            restored = self._graph.with_leaves_restored() if hooks else nullcontext()
            with self._graph.without_hooks(watching=hooks), restored:
                leaves = [x.tensor._node for x in self.inputs]
                found = walk(starts, True, False, leaves, observer, into_leaves=False)
                found = [_as_added(leaf, g) for leaf, g in zip(leaves, found, strict=True)]
        except (SpecError, NoAnswer):
            raise
        except raised_by_program() as error:
            if self._told is None:
                raise
            raise self._told(error) from None
        finally:
            for tensor, before in retaining:
                tensor._grad = before
        return [None if g is None else np.array(g) for g in found]

    # -- names and places --------------------------------------------------------------------

    @property
    def hooked(self) -> list[Any]:
        """The nodes and leaves that the program has hung hooks on."""
        return self._graph.hooked

    def leaves_as_recorded(self) -> AbstractContextManager[None]:
        """Let the leaves that custom Functions may read by themselves hold what they held for the graph."""
        if not any(isinstance(node, FunctionNode) for node in self.nodes):
            return nullcontext()
        return self._graph.leaves_as_recorded()

    @property
    def nodes(self) -> list[Any]:
        """The nodes that a backward from the outputs may run, in forward order."""
        return self._graph.ops

    def span_of(self, node: Any) -> Span | None:
        """Where the program recorded a node, or made a leaf."""
        return None if self.trace is None else self.trace.span_of(node)

    def id_of(self, node: Any) -> str:
        """The id of a node, as a drawing of the graph shows it."""
        return self._graph.naming.ids.get(node) or node_name(node)

    def name_of(self, node: Any) -> str:
        """The name of a node's kind (``MulBackward0``), or of a leaf."""
        return self._graph.naming.ids.get(node, "leaf") if is_leaf(node) else node_name(node)


def _as_added(leaf: Any, g: Any) -> Any:
    """A gradient as a leaf's node would add it: a walk that adds to no leaf does not run the hooks of the node."""
    return g if g is None or leaf.kind != LEAF or leaf.extra is None else walk_hooks.before(leaf, g, False)


def start_of(weight: Any, of: Tensor) -> Any:
    """A first gradient in the shape and dtype of what it is for."""
    return unwrapped(converted(np.array(weight), of._a.dtype).reshape(of._a.shape))


# -- programs --------------------------------------------------------------------------------


def of_program(
    program: Program,
    *,
    output: str | None = None,
    wrt: Sequence[str] = (),
    started: Callable[[Machine], None] | None = None,
    act: Callable[[Subject], T],
) -> T:
    """Run a program, and act on what is to be checked of it while its limits and its default dtype still hold.

    ``output``: the variable that is differentiated, by default what the program is about: as `gradcli trace` has it,
    and all tensors of a result that has several. ``wrt``: the leaves, by default all that an output depends on.
    """
    acted: list[T] = []
    _Runs(program, output, wrt).run(None, started, lambda subject: acted.append(act(subject)))
    return acted[0]


class _Runs:
    """One program, run again and again."""

    def __init__(self, program: Program, output: str | None, wrt: Sequence[str]) -> None:
        self.program = program
        self.output = output
        self.wrt = wrt
        # Which leaves are inputs, by the order in which they are made; what all that are used hold at first, and after
        # how many writes.
        self.inputs: list[tuple[int, str | None]] | None = None
        self.at: dict[int, Any] = {}
        self.versions: dict[int, int] = {}
        # Those that no output depends on, as far as the graphs show, and what they and all others of that kind hold.
        self.unseen: list[tuple[int, str | None]] = []
        self.beside: dict[int, Any] = {}
        # What the outputs were called at first, and which of many backwards it is about.
        self.names: list[str] = []
        self.which: str | None = None
        self.patience = Patience("the program")

    def run(
        self, values: dict[int, Any] | None, started: Callable[[Machine], None] | None, act: Callable[[Subject], Any]
    ) -> None:
        """Run the program once, with other values for some leaves, and act on what came of it."""
        start = time.process_time()
        program = self.program if values is None else self._lenient
        machine = program.machine()
        if started is not None:
            started(machine)
        running = program.recorded(machine, values=values, versions=self.versions if values else None)
        with ExitStack() as limits:
            # What a Function's forward records for its backward is gone after one, and there will be many.
            with self.patience.with_(machine), keeping(1):
                run = limits.enter_context(running)
            assert run.trace is not None
            roots = self._roots(run, run.trace)
            mode.use(None)
            mode.grad, mode.inference = True, False
            seconds = max(time.process_time() - start, _TICK)
            with calling(self.program, machine), with_patience(), keeping(0):
                subject = self._subject(run, run.trace, roots, machine, _SHARE * program.limits.checking / seconds)
                # A backward that reads a module's parameters is the one of this graph only as long as they are.
                with subject.leaves_as_recorded():
                    act(subject)

    def again(self, arrays: Sequence[Any] | None, others: Sequence[Any] | None = None) -> Subject:
        """The program again: the inputs have these values, all other leaves of its first graph what they had there.

        ``others``: values for the leaves that are not in the graph.
        """
        values: dict[int, Any] = {}
        asked: dict[int, Any] = {}
        if arrays is not None:
            assert self.inputs is not None
            asked = _joined(self.at, self.inputs, arrays)
            values = self.beside | asked
            if others is not None:
                values = _joined(values, self.unseen, others)
                asked |= {ordinal: values[ordinal] for ordinal, _ in self.unseen}
        found: list[Subject] = []
        # It is part of the first run: that one's time and memory count, and its places are this one's.
        with warnings.catch_warnings():
            # It has said them.
            warnings.simplefilter("ignore")
            self.run(values, None, found.append)
        subject = found[0]
        leaves = list(subject.trace.leaves) if subject.trace is not None else []
        for ordinal, value in asked.items():
            for leaf, which in subject.split.standing_for([leaves[ordinal]]):
                tensor = subject._graph.at(leaf)
                given = np.asarray(value if which is None else getattr(value, which), tensor._a.dtype)
                if leaf in subject._graph.written or not equal(tensor._a, given):
                    raise Unrepeatable(f"the program writes to {subject._graph.names[leaf]} after it is made")
        return subject

    @cached_property
    def _lenient(self) -> Program:
        return without_asserts(self.program)

    def _roots(self, run: Run, trace: Trace) -> list[tuple[Tensor, str | None]]:
        """The tensors that are differentiated, with the names that they were asked for as."""
        try:
            root = chosen(self.program, run, trace, self.output)
        except NoGraph:
            raise InputError(
                f"there is no gradient to check: {_why_none(run)}",
                help=f"{_functions_of(self.program, run)}looked for: backward(), autograd.grad(), autograd.functional, "
                "func.grad, vjp and jacrev, and what is made of tensors with requires_grad=True outside no_grad() and "
                "detach()",
                code="G114",
            ) from None
        self.which = None if root.backward is None else root.backward.words
        if isinstance(root.tensor, Several):
            tensors = {id(x): x for x in root.tensor.tensors}
        else:
            several = run.results() if self.output is None else ()
            tensors = {id(x): x for x in several if x.grad_fn is not None}
            if id(root.tensor) not in tensors:
                return [(root.tensor, root.name)]
        for tensor in tensors.values():
            restore(origin(tensor)[0])
        return [(tensor, None) for tensor in tensors.values()]

    def _subject(
        self, run: Run, trace: Trace, roots: list[tuple[Tensor, str | None]], machine: Machine, reruns: float
    ) -> Subject:
        split = in_real_parts(roots, trace.leaves)
        roots = split.roots
        graph = Graph([tensor for tensor, _ in roots], split.names)
        if not trace.backward.calls and not trace.grad.calls:
            _refuse_without_backward(graph.found)
        if len(self.names) == len(roots):
            # To name what a run made again takes longer than to run it.
            roots = [(tensor, name) for (tensor, _), name in zip(roots, self.names, strict=True)]
        outputs = _outputs(roots, graph, trace)
        self.names = self.names or [y.name for y in outputs]
        ordinals = {leaf: ordinal for ordinal, leaf in enumerate(trace.leaves)}
        places = {
            part: (ordinal, which) for leaf, ordinal in ordinals.items() for part, which in split.standing_for([leaf])
        }
        if self.inputs is None:
            outside = unseen(graph, trace, split, self.wrt)
            leaves = wanted(graph, trace, split, outputs[0].name, self.wrt, outside)
            self.inputs = [places[leaf] for leaf in leaves if leaf in places]
            used = [leaf for leaf in ordinals if leaf in graph.found or leaf in split.parts]
            self.at = {ordinals[leaf]: split.at(leaf, graph) for leaf in used}
            self.versions = {ordinals[leaf]: leaf.variable._version for leaf in used}
            self.unseen = [places[leaf] for leaf in outside]
            beside = [leaf for leaf in ordinals if leaf not in used and _is_held(leaf.variable)]
            # What a custom function makes of its arguments moves as they do.
            beside = [leaf for leaf in beside if not trace.is_inner(leaf)]
            self.versions |= {ordinals[leaf]: leaf.variable._version for leaf in beside}
            self.beside = {ordinals[leaf]: np.array(leaf.variable._a) for leaf in beside}
        else:
            known = list(ordinals)
            if max(self.at, default=-1) >= len(known):
                raise Unrepeatable("run again, the program makes other leaves")
            leaves = [split.part(known[at], which) for at, which in self.inputs]

        def made(leaf: Any) -> Input:
            own = split.whole_of(leaf)
            changed = own in ordinals and trace.changed(own)
            return Input(graph.names[leaf], graph.at(leaf), trace.span_of(own), changed)

        inputs = [made(leaf) for leaf in leaves]
        every = list(ordinals)
        if max((at for at, _ in self.unseen), default=-1) >= len(every):
            raise Unrepeatable("run again, the program makes other leaves")
        return Subject(
            self.program.source.name,
            inputs,
            outputs,
            graph,
            trace.tape,
            self.again,
            trace=trace,
            variables=run.variables,
            machine=run.machine,
            directives=self.program.directives,
            fixed=why_fixed(graph, places, split),
            reruns=reruns,
            told=lambda error: told(self.program, machine, error),
            unseen=[made(split.part(every[at], which)) for at, which in self.unseen],
            which=self.which,
            split=split,
            names_only_ops=names_only_ops(self.program.tree),
            is_steady=not world.has_learnt(),
        )


def _is_held(leaf: Tensor) -> bool:
    """Tell whether a leaf is a parameter that asks for a gradient: the program may have copied its numbers there.

    A plain tensor beside the graph may be made of the inputs, to differentiate something at it.
    """
    own = leaf.requires_grad and type(leaf) is not Tensor and not leaf.is_meta
    return own and leaf._a.dtype.kind in "fc" and bool(np.isfinite(leaf._a).all())


def _joined(
    at: Mapping[int, Any], places: Sequence[tuple[int, str | None]], arrays: Sequence[Any]
) -> dict[int, Any]:
    """The values of leaves, by the order in which they are made, when these or their parts have those of arrays."""
    values = dict(at)
    for (ordinal, which), array in zip(places, arrays, strict=True):
        if which is None:
            values[ordinal] = array
        else:
            values[ordinal] = whole = np.array(values[ordinal])
            setattr(whole, which, array)
    return values


def _refuse_without_backward(nodes: Iterable[Any]) -> None:
    """Refuse what a Function with a jvp alone has made, in a program that never goes back through it."""
    for node in nodes:
        function = node.function if isinstance(node, FunctionNode) else Function
        if function is not Function and function.backward is Function.backward and function.vjp is Function.vjp:
            raise InputError(
                f"there is no gradient to check: what the program ends with is made by {function.__name__}, which has "
                "no backward",
                help="give it a backward, or check another tensor of the program: --output NAME",
                code="G114",
            )


def _why_none(run: Run) -> str:
    """Why a program has no gradient, as a clause: its leaves were left alone, or made into what has no derivative."""
    tensors = {name: x for name, x in run.variables.items() if isinstance(x, Tensor)}
    leaves = [name for name, x in tensors.items() if x.requires_grad and x.is_leaf]
    last = next(reversed(tensors), None)
    if leaves and last in leaves:
        return f"the program ends with {last}, which is a leaf: nothing was computed from it"
    if leaves and last is not None and tensors[last]._a.dtype.kind not in "fc":
        return f"{last} is made of whole numbers or truth values, which have no derivative"
    return "the program calls neither backward() nor grad(), and computes no tensor from one that requires a gradient"


def _functions_of(program: Program, run: Run) -> str:
    """Tell the way to check one of the functions that a file defines, where it has some."""
    known = [name for name, value in run.variables.items() if isinstance(value, UserFunction)]
    if not known or program.spec.path is None or program.spec.target is not None:
        return ""
    return f"to check a function, name it: {program.source.name}::{known[0]} with its inputs; else "


def _outputs(roots: Sequence[tuple[Tensor, str | None]], graph: Graph, trace: Trace) -> list[Output]:
    found: list[Output] = []
    for tensor, asked in roots:
        node, nr = origin(tensor)
        span = trace.span_of(node)
        name = asked or (graph.variable(node) if node.outputs == 1 else tensor._label)
        name = name or graph.naming.ids[node] + (f"[{nr}]" if node.outputs > 1 else "")
        text = None if span is None or is_leaf(node) else " ".join(text_of(span, _TITLE).split())
        found.append(Output(name, tensor, span, text))
    return found


# -- functions -------------------------------------------------------------------------------


def of_function(function: Callable[..., Any], inputs: Sequence[Any], name: str = "f") -> Subject:
    """The subject that a function on tensors is, given these: all its outputs that have a gradient.

    The inputs that require a gradient are leaves of their own for it.
    """
    places = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not places:
        raise InputError(
            f"there is no gradient of {name} to check: no input requires one",
            help="make an input with requires_grad=True",
        )
    called = {i: inputs[i]._label or f"input[{i}]" for i in places}
    if any(np.iscomplexobj(inputs[i]._a) for i in places):
        return of_function(*of_real_parts(function, inputs, called), name)
    for i in places:
        refuse_infinite(called[i], inputs[i]._a, None)
    at = [np.array(inputs[i]._a) for i in places]

    def record(arrays: Sequence[Any] | None) -> Subject:
        given = list(inputs)
        for i, a in zip(places, at if arrays is None else arrays, strict=True):
            given[i] = result(converted(np.array(a), inputs[i]._a.dtype)).requires_grad_()
        leaves = [given[i] for i in places]
        tape, outputs = _called(function, given, name)
        graph = Graph(
            [y.tensor for y in outputs], {leaf._node: called[i] for leaf, i in zip(leaves, places, strict=True)}
        )
        tensors = [graph.at(leaf._node) for leaf in leaves]
        found = [Input(called[i], x, None, x is not leaf) for i, x, leaf in zip(places, tensors, leaves, strict=True)]
        return Subject(name, found, outputs, graph, tape, record)

    return record(None)


def _called(function: Callable[..., Any], given: Sequence[Any], name: str) -> tuple[Tape, list[Output]]:
    """The tensors with a graph that a function makes."""
    before = mode.grad
    mode.grad = True
    try:
        with recording() as tape:
            value = function(*given)
            several = isinstance(value, (tuple, list))
            for y in value if several else (value,):
                # A view whose base was written to has its node made now, while it is written down.
                _ = isinstance(y, Tensor) and y.grad_fn
    finally:
        mode.grad = before
    outputs = [
        Output(called or name, part, None, None)
        for i, y in enumerate(value if several else (value,))
        if isinstance(y, Tensor) and y.requires_grad
        for part, called in parts_of_root(y, f"{name}[{i}]" if several else name)
    ]
    if not outputs:
        raise InputError(
            f"there is no gradient of {name} to check: nothing that it returns was computed from what requires one",
            help="return a tensor that was computed from an input, outside no_grad() and detach()",
        )
    return tape, outputs


def custom(subject: Subject) -> list[Any]:
    """The custom Functions between inputs and outputs."""
    return [node for node in subject.plan.nodes if isinstance(node, FunctionNode)]


def differentiated(subject: Subject) -> list[FunctionNode]:
    """The custom Functions whose backwards the graph is of, and that are not in it: a loss made of gradients."""
    entries = [entry for node in subject.nodes if (entry := entry_of(node)) is not None]
    parents = dict.fromkeys(entry.parent for entry in entries if isinstance(entry.parent, FunctionNode))
    return [node for node in parents if node not in subject.nodes]
