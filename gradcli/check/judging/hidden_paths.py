"""Hidden paths: what a program computes from its inputs outside of the graph that it records.

The recorded graph evaluated again nearby (replay) is compared with the whole program run again there (rerun). Where
they give the same numbers, the graph is all there is. Where they do not, the difference decides: when it grows in
proportion to how far the inputs are moved, on both sides alike, the graph misses a part of the derivative. A branch
that is taken otherwise only further away, or on one side only, is no such part, and neither are numbers that left the
graph but cancel, as the maximum that a softmax subtracts.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...engine.numeric.halves import converted
from ...engine.tape.entry import BESIDE, ESTIMATOR, KEPT, RAISED, SHADOW, Cut, Operand, entry_of
from ...errors import Span, raised_by_program
from ...graph.ask.cuts import leads_to
from ...graph.view.gradients import words
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..replay.assumed_by_program import along, keep, premises, why_lost
from ..replay.leaves import cuts_of
from ..replay.plan import Unreplayable
from ..replay.recorded_graph import close, equal
from ..replay.subject import Subject, Unrepeatable
from ..slopes.differences import SAFETY
from ..slopes.magnitude import rms
from .findings import Culprit, Entry, Finding
from .held_fixed import WEIGHING, WEIGHTS, held_fixed, made_of, scores_of
from .verdict import Judged, Verdict

# How far the inputs are moved, in their own size: at first, and to see how a difference grows.
_FIRST = 2.0**-10
_STEPS = (2.0**-4, 2.0**-8, 2.0**-12, 2.0**-16, 2.0**-20)

# So many runs tell that there may be a hidden path, so many decide, and so many more are needed for each input.
_AT_LEAST, _RUNS, _EACH = 2, 14, 2
# Where a difference was seen, so many times the usual share of the time may go into finding out what it is.
_WORTH = 3

# Of a large input so many entries are looked at.
_ENTRIES = 8

# Slopes that differ by less, of the larger, are the same; rounding is taken for so many units of the last place.
_ALIKE, _ROUNDING = 0.05, 2.0**6

# Hooks make good what the graph lacks as far as this part of it.
_MADE_GOOD = 1e-5

# So many places are named.
_PLACES = 4

# Ways to leave the graph by which a program says that it means to.
_STOPPED = (KEPT, "no_grad", "inference_mode", "integer", BESIDE, "bool")

_WAYS = {
    "detach": "detach()", "data": ".data", "no_grad": "no_grad()", "inference_mode": "inference_mode()",
    "item": ".item()", "tolist": ".tolist()", "numpy": ".numpy()", "number": "a number made of a tensor",
    ESTIMATOR: "a sample with the gradient of another", "bool": "a condition on a tensor",
    RAISED: "a small number that is raised, with the gradient of one that is not,",
    KEPT: "what a layer keeps", SHADOW: "a copy made by clone()",
    "integer": "whole numbers or truth values", BESIDE: "whole numbers", "copy": "torch.tensor()",
}  # fmt: skip

# What may be there for a choice, and what hardly carries numbers.
_CHOOSING, _LAST = ("bool", "item", "number", "tolist"), ("bool", "integer", BESIDE)

_UNSEEN = (
    "the program uses numbers of its inputs that its graph does not show: a gradient without create_graph=True, or "
    "memory that is written to outside of the graph"
)

# Where a program holds numbers back by these and is flat all the same, it means another gradient than its own; it is
# flat where its slope is so small a part of the claim.
_MEANT, _FLAT = ("detach", "no_grad"), 1e-9
_STRAIGHT_THROUGH = "the program is flat here and its gradient is not, as a straight-through estimator means it"
# A target that is held fixed looks the same as one that was detached by mistake.
_SAY_SO = (
    "where that is meant, as of a target that is held fixed, `# gradcli: allow hidden-path` in the spec, or --allow "
    "hidden-path, says so"
)


class Hidden(NamedTuple):
    """Where the graph misses a part of a derivative, and what else is to be known of the program as a whole."""

    findings: list[Finding]
    notes: list[Note]


def does_as_its_graph(subject: Subject, rng: np.random.Generator) -> bool:
    """Tell whether a program, run again nearby, gives to the bit what its graph says: then it is the same each time."""
    if any(x.changed for x in subject.inputs):
        return False
    if shows_all(subject):
        return True
    if subject.repeats < _AT_LEAST:
        return False
    try:
        search = _Search(subject, rng)
        alike = search.replay is not None and search.same(_FIRST, exactly=True)
    except Unrepeatable:
        return False
    if search.replay is not None:
        subject.plan.kept[_Search] = search
    subject.runs_again = alike
    return alike


def shows_all(subject: Subject) -> bool:
    """Tell whether a program is known to do as its graph without being run again, and that can be evaluated."""
    try:
        return subject.names_only_ops and subject.is_all_in_its_graph and subject.plan.at_once
    except Unreplayable:
        return False


def hidden_paths(subject: Subject, rng: np.random.Generator) -> Hidden:
    """Compare the recorded graph with the program that recorded it, for its inputs and for what is not in the graph."""
    if not any(x.changed for x in subject.inputs) and shows_all(subject):
        return Hidden([], list(_made_leaves(subject)))
    found, notes = _of_inputs(subject, rng)
    notes = [*notes, *_made_leaves(subject)]
    if subject.unseen and subject.rerun_why is None and subject.reruns >= _RUNS:
        more, others = _of_unseen(subject, rng)
        return Hidden([*found, *more], [*notes, *others])
    return Hidden(found, notes)


def _made_leaves(subject: Subject) -> Iterator[Note]:
    """Say of parameters that hold what was computed from inputs that no gradient passes to those."""
    made = dict(subject.tape.made_leaves)
    for leaf in subject.inputs:
        cut = made.get(leaf.tensor._node)
        behind = [x.name for x in subject.inputs if cut is not None and leads_to(cut, x.tensor._node)]
        if cut is not None and behind:
            span = None if subject.trace is None else subject.trace.span_at(cut.seq)
            at = "" if span is None else f" at line {span.line}"
            what = f"nn.Parameter(){at} makes a leaf of its own, {leaf.name}"
            yield Note(NoteKind.HIDDEN_PATH, f"{what}: no gradient passes on to {', '.join(behind)}")


def _of_unseen(subject: Subject, rng: np.random.Generator) -> Hidden:
    """Find what leaves that are not in the graph do to the outputs: their numbers left it, or never were in it."""
    cuts = [cut for _, cut in cuts_of(subject.nodes)]
    try:
        # What moves with the inputs is made of them, to differentiate something at it: that is no input.
        inputs = _Search(subject, rng)
        there = subject.recorded_at(inputs.moved(inputs.directions, _FIRST))
        chosen = [x for x, y in zip(subject.unseen, there.unseen, strict=True) if equal(x.tensor._a, y.tensor._a)]
        search = _Search(subject.with_unseen(), rng)
        for number in range(len(subject.inputs)):
            search.directions[number] = np.zeros(search.at[number].shape)
        if search.same(_FIRST):
            return Hidden([], [])
        found, _ = search.found()
    except Unrepeatable:
        # Other values of a number that the graph does not know may be none that the program takes.
        return Hidden([], [])
    hidden, notes = [], []
    names = {x.name: x.tensor._node for x in chosen}
    for finding in found:
        leaf = names.get(finding.input)
        if leaf is None:
            continue
        ways = [cut for cut in cuts if leads_to(cut, leaf)]
        if ways and all(_is_meant(cut, leaf) or cut.seq in subject.tape.frozen for cut in ways):
            at = finding.notes[0].text
            notes.append(
                Note(NoteKind.HIDDEN_PATH, f"{finding.output} depends on {finding.input}, with no gradient: {at}")
            )
        else:
            hidden.append(finding)
    return Hidden(hidden, notes)


def _is_meant(cut: Cut, leaf: Any) -> bool:
    """Tell whether a program says that no gradient is to pass: of a result that is detached, or in no_grad()."""
    return cut.reason in _STOPPED or (cut.reason == "detach" and cut.node is not leaf)


def _of_inputs(subject: Subject, rng: np.random.Generator) -> Hidden:
    """Compare graph and program where the inputs are moved."""
    # Whether a leaf was written to is known at once; for all else it is run again.
    if subject.repeats < _AT_LEAST and not any(x.changed for x in subject.inputs):
        return Hidden(
            [],
            [
                Note(
                    NoteKind.NOT_RERUN,
                    "the program takes too long to be run again: no path outside of the graph was looked for",
                )
            ],
        )
    search = _begun(subject)
    known = search is not None and subject.runs_again
    if not known and subject.rerun_why is not None:
        why = Note(
            NoteKind.REPLAYED, f"{subject.rerun_why}: what is checked is its last graph, and no path outside of it"
        )
        return Hidden([], [why])
    differs = False
    search = search or _Search(subject, rng)
    try:
        if (known or search.same(_FIRST)) and (not search.branches or search.same(-_FIRST)):
            return Hidden([], [])
        # Where the graph cannot be evaluated again there is nothing yet that differs.
        differs = search.replay is not None
        if subject.repeats * (_WORTH if differs else 1) < _RUNS + _EACH * len(subject.inputs):
            why = Note(
                NoteKind.NOT_RERUN,
                "the program takes too long to be run again until a path outside of the graph is found",
            )
            return _seen(search, why) if differs else Hidden([], [why])
        return search.found()
    except Unrepeatable as error:
        why = Note(NoteKind.NOT_RERUN, f"{error}: no path outside of the graph was looked for")
        return _seen(search, why) if differs else Hidden([], [why])


def _begun(subject: Subject) -> _Search | None:
    """A search that has run the program once already."""
    try:
        found: _Search | None = subject.plan.kept.get(_Search)
    except Unreplayable:
        return None
    return found


def _seen(search: _Search, why: Note) -> Hidden:
    """The program was seen to differ from its graph nearby, and nobody knows in what: that is no verdict."""
    outputs, inputs = search.subject.outputs, search.subject.inputs
    note = Note(
        NoteKind.HIDDEN_PATH,
        "nearby the program gives other numbers than its graph does, and could not be looked at again",
    )
    found = Finding(outputs[0].name, inputs[0].name, search.subject.order, Verdict.UNRESOLVED, [note, why])
    found.span = outputs[0].span
    return Hidden([found], [])


class _Place(NamedTuple):
    """A place where numbers left the graph: in which way, in words, and the node that they go on into."""

    how: str
    words: str
    span: Span | None
    into: str | None
    # Why the program holds them fixed on purpose, as far as their place tells.
    meant: str | None = None


class _Slope(NamedTuple):
    """A slope that the program has beyond that of its graph."""

    value: float
    bar: float
    # The step at which this was found.
    step: float


class _Search:
    """The comparison of one program with its graph, along random directions."""

    def __init__(self, subject: Subject, rng: np.random.Generator) -> None:
        self.subject = subject
        self.rng = rng
        self.at = subject.at
        self.held = premises(subject.nodes)
        self.directions = self._random()
        self.weights = [np.ones(a.shape) if a.size == 1 else rng.standard_normal(a.shape) for a in subject.numbers]
        self.replay = self._replay()
        # By step, what the program and its graph give where all inputs are moved.
        self._nearby: dict[float, list[tuple[Array, Array]]] = {}

    def _random(self) -> list[Array]:
        drawn = [_sized(a) * self.rng.standard_normal(a.shape) for a in self.at]
        return along(self.held, self.at, drawn)

    @cached_property
    def claims(self) -> list[list[Array]]:
        """The backward's answer for each output."""
        made = []
        for output in range(len(self.weights)):
            found = self.subject.claim([w if number == output else None for number, w in enumerate(self.weights)])
            made.append([np.zeros(a.shape) if g is None else g for g, a in zip(found, self.at, strict=True)])
        return made

    def _replay(self) -> Callable[[Sequence[Array]], list[Array]] | None:
        try:
            plan = self.subject.plan
        except Unreplayable:
            return None

        def replay(arrays: Sequence[Array]) -> list[Array]:
            try:
                return plan.outputs(arrays)
            except raised_by_program() as error:
                # The forward of a function of the program's own.
                raise Unrepeatable(f"evaluated again, the graph stops: {words(error)}") from error

        return replay

    # -- differences -------------------------------------------------------------------------

    def moved(self, directions: Sequence[Array | None], step: float) -> list[Array]:
        """The inputs, so far along these directions."""
        pairs = zip(self.at, directions, strict=True)
        return keep(self.held, self.at, [a if d is None else converted(a + step * d, a.dtype) for a, d in pairs])

    def same(self, step: float, exactly: bool = False) -> bool:
        """Tell whether program and graph give the same where all inputs are moved."""
        if self.replay is None:
            return False
        if step not in self._nearby:
            arrays = self.moved(self.directions, step)
            self._nearby[step] = list(zip(self._rerun(arrays), self.replay(arrays), strict=True))
        return all(equal(a, b) if exactly else close(a, b, 1e-13) for a, b in self._nearby[step])

    def _rerun(self, arrays: Sequence[Array]) -> list[Array]:
        there = self.subject.recorded_at(arrays)
        lost = why_lost(self.subject, there)
        if lost is not None:
            raise Unrepeatable(lost)
        return there.numbers

    def differences(self, directions: Sequence[Array | None], step: float) -> Array:
        """For each output, weighted and summed: what the program gives beyond what its graph says."""
        arrays = self.moved(directions, step)
        there = self._rerun(arrays)
        if self.replay is not None:
            graph = self.replay(arrays)
        else:
            # As far as the graph tells nearby.
            graph = self.subject.numbers
        beyond = [float(np.sum(w * (a - b))) for w, a, b in zip(self.weights, there, graph, strict=True)]
        if self.replay is None:
            beyond = [d - step * self.along(o, directions) for o, d in enumerate(beyond)]
        return np.array(beyond)

    def along(self, output: int, directions: Sequence[Array | None]) -> float:
        """The slope of an output along a direction, as the backward has it."""
        pairs = zip(self.claims[output], directions, strict=True)
        return sum(float(np.sum(g * d)) for g, d in pairs if d is not None)

    def slopes(self, directions: Sequence[Array | None], steps: Sequence[float]) -> list[_Slope | None]:
        """For each output the slope of the difference; None where there is none that both sides agree on."""
        right = np.array([self.differences(directions, t) / t for t in steps])
        left = np.array([self.differences(directions, -t) / -t for t in steps])
        return [self._slope(o, right[:, o], left[:, o], np.array(steps)) for o in range(len(self.weights))]

    def noise(self, output: int) -> float:
        """A bound on what rounding may do to an output, weighted and summed."""
        y = self.subject.numbers[output]
        return _ROUNDING * float(np.finfo(y.dtype).eps) * float(np.sum(np.abs(self.weights[output] * y)))

    def _slope(self, output: int, right: Array, left: Array, steps: Array) -> _Slope | None:
        noise = self.noise(output) / steps
        best: _Slope | None = None
        for k, step in enumerate(steps):
            finer = slice(k, None)
            told = np.abs(right[finer]) > 8 * noise[finer]
            some = np.concatenate([right[finer][told], left[finer][told]])
            # One step alone may agree by chance, unless it is known already that there is a slope.
            if not told[0] or np.sum(told) < min(len(steps), 2) or not np.all(np.isfinite(some)):
                continue
            value = 0.5 * float(right[k] + left[k])
            spread = float(np.max(some) - np.min(some))
            if spread > _ALIKE * abs(value) + 2 * float(np.max(noise[finer][told])):
                continue
            bar = abs(float(right[k] - left[k])) + float(noise[k])
            if best is None or bar < best.bar:
                best = _Slope(value, bar, float(step))
        return best

    # -- what is found -----------------------------------------------------------------------

    def found(self) -> Hidden:
        """The inputs and outputs between which there is more than the graph shows."""
        together = self.slopes(self.directions, _STEPS)
        findings: list[Finding] = []
        if not any(together) and self.subject.reruns >= _RUNS + 2 * len(_STEPS):
            # Along the first what is missing may be next to nothing.
            first, self.directions = self.directions, self._random()
            together = self.slopes(self.directions, _STEPS)
            self.directions = self.directions if any(together) else first
        if not any(together):
            # What jumps for one input hides what another does.
            if len(self.at) > 1 and self.subject.reruns >= _RUNS + 2 * len(_STEPS) * len(self.at):
                for number in range(len(self.at)):
                    alone = self._alone(number)
                    for output, slope in enumerate(self.slopes(alone, _STEPS)):
                        if slope is not None:
                            findings.append(self._finding(output, number, alone, slope))
            return Hidden(findings, [] if findings else self._switches())
        step = next(slope.step for slope in together if slope is not None)
        notes: list[Note] = []
        for number in range(len(self.at)):
            alone = self._alone(number)
            each = self.slopes(alone, (step,)) if len(self.at) > 1 else together
            for output, slope in enumerate(each):
                if slope is None or together[output] is None:
                    continue
                if self._is_made_by_hooks(output, alone, slope):
                    name = self.subject.inputs[number].name
                    notes.append(Note(NoteKind.HOOK, f"with its hooks the gradient of {name} is that of the program"))
                else:
                    findings.append(self._finding(output, number, alone, slope))
        return Hidden(findings, notes)

    def _is_made_by_hooks(self, output: int, alone: Sequence[Array | None], slope: _Slope) -> bool:
        """Tell whether the program's hooks add what its graph lacks, as those of an implicit layer do."""
        if not self.subject.hooked:
            return False
        weights = [w if number == output else None for number, w in enumerate(self.weights)]
        found = self.subject.backward(weights, hooks=True)
        pairs = zip(found, alone, strict=True)
        with_hooks = sum(float(np.sum(g * d)) for g, d in pairs if g is not None and d is not None)
        lacking = self.along(output, alone) + slope.value - with_hooks
        return abs(lacking) <= SAFETY * slope.bar + _MADE_GOOD * abs(slope.value)

    def _alone(self, number: int) -> list[Array | None]:
        return [d if i == number else None for i, d in enumerate(self.directions)]

    @property
    def branches(self) -> bool:
        """Tell whether the program chooses what it does by its numbers: by an `if`, or by a comparison of tensors."""
        tape = self.subject.tape
        return bool(tape.choosers) or any(how in _CHOOSING for how, _ in tape.escapes)

    def _switches(self) -> list[Note]:
        """Find words for a program that differs from its graph nearby, but has no other slope on both sides."""
        noise = np.array([self.noise(output) for output in range(len(self.weights))])
        ends = [self.differences(self.directions, sign * _STEPS[-1]) for sign in (1, -1)]
        if self.branches and any(np.any(np.abs(end) > 8 * noise) for end in ends):
            return [
                Note(
                    NoteKind.SWITCH,
                    "at this very point the program changes what it does; its graph shows one side only",
                )
            ]
        return []

    def _finding(self, output: int, number: int, alone: Sequence[Array | None], slope: _Slope) -> Finding:
        x, y = self.subject.inputs[number], self.subject.outputs[output]
        places = self._places(x.tensor._node, alone)
        notes = [Note(NoteKind.HIDDEN_PATH, place.words) for place in places] or [Note(NoteKind.HIDDEN_PATH, _UNSEEN)]
        found = Finding(y.name, x.name, self.subject.order, Verdict.HIDDEN_PATH, notes)
        first = next((place for place in places if place.span is not None), None)
        found.span = y.span if first is None else first.span
        found.node = None if first is None else Culprit(first.into, _WAYS.get(first.how, first.how), first.span)
        found.worst = self._worst(output, number, alone, slope)
        found.notes += [Note(NoteKind.HIDDEN_PATH, why) for why in dict.fromkeys(x.meant for x in places) if why]
        if any(place.how in _MEANT and place.meant is None for place in places) and _is_flat(found.worst.judged):
            found.notes.append(Note(NoteKind.HIDDEN_PATH, _STRAIGHT_THROUGH))
        # What PyTorch's own layers and functions do is meant as it is, and so is what its place says is held fixed.
        ways = {place.how for place in places if place.meant is None}
        is_an_estimators = ways == {ESTIMATOR} and _is_flat(found.worst.judged)
        found.allowed = bool(places) and (ways <= {KEPT, RAISED} or is_an_estimators)
        if not found.allowed:
            found.notes.append(Note(NoteKind.HIDDEN_PATH, _SAY_SO))
        found.table = [found.worst]
        found.entries = found.wrong_entries = 1
        return found

    def _worst(self, output: int, number: int, alone: Sequence[Array | None], slope: _Slope) -> Entry:
        """The entry of an input whose derivative lacks most, of a few; both slopes of it."""
        a = self.at[number]
        best: tuple[float, Entry] | None = None
        if self.subject.reruns >= _RUNS + _EACH * (len(self.at) + _ENTRIES):
            for place in self.rng.permutation(a.size)[:_ENTRIES]:
                index = tuple(map(int, np.unravel_index(int(place), a.shape)))
                unit = np.zeros(a.shape)
                unit[index] = _sized(a)[index]
                only = [unit if i == number else None for i in range(len(self.at))]
                part = self.slopes(only, (slope.step,))[output]
                if part is not None and (best is None or abs(part.value / unit[index]) > best[0]):
                    lacking, bar = part.value / float(unit[index]), part.bar / float(unit[index])
                    claimed = float(self.claims[output][number][index])
                    judged = Judged(Verdict.HIDDEN_PATH, claimed, claimed + lacking, bar)
                    best = abs(lacking), Entry(index, float(a[index]), judged)
        if best is not None:
            return best[1]
        claimed = self.along(output, alone)
        judged = Judged(Verdict.HIDDEN_PATH, claimed, claimed + slope.value, slope.bar, note="along a random direction")
        return Entry((), float(a.reshape(-1)[0]), judged)

    # -- where -------------------------------------------------------------------------------

    def _places(self, leaf: Any, alone: Sequence[Array | None]) -> list[_Place]:
        """Where numbers that come from a leaf left the graph, the likeliest places first.

        ``alone``: a direction along which this leaf is moved and no other.
        """
        found: list[_Place] = []
        nodes = self.subject.nodes
        trace = self.subject.trace
        scores = scores_of(nodes, lambda node: None if trace is None else trace.part_at(node._sequence_nr()))
        made_of_scores = made_of(nodes, scores)
        meant = held_fixed(nodes, made_of_scores, scores, self.subject.tape.aimed)
        for node, cut in cuts_of(nodes):
            if leads_to(cut, leaf):
                span = self._span_at(cut.seq)
                back = self.subject.id_of(node)
                words = f"{_told(cut.reason, cut.label, span)}; they go on into {back}"
                found.append(_Place(cut.reason, words, span, back, meant.get(cut)))
        escapes = {x: at for x, at in self.subject.tape.escapes.items() if not _is_said(x[1])}
        why = WEIGHTS if escapes and scores and self._comes_back_into(made_of_scores - scores, alone) else None
        for (how, _), (label, seq) in escapes.items():
            span = self._span_at(seq)
            found.append(_Place(how, _told(how, label, span), span, None, why))
        found.sort(key=lambda place: (place.how in _LAST, place.meant is not None))
        kept = dict.fromkeys(place for place in found if place.how not in _LAST or found[0].how in _LAST)
        return list(kept)[:_PLACES]

    def _comes_back_into(self, weighed: set[Any], alone: Sequence[Array | None]) -> bool:
        """Tell whether all numbers that the graph does not show come back into it as weights of these nodes' arguments.

        Numbers of Python leave no trace: what the program gives to its ops is compared with what it gives nearby.
        """
        here, there = self.subject.nodes, self.subject.recorded_at(self.moved(alone, _STEPS[-1])).nodes
        if [x.name() for x in here] != [x.name() for x in there]:
            return False
        given = ((node, _given_beside(node), _given_beside(other)) for node, other in zip(here, there, strict=True))
        others = [node for node, a, b in given if len(a) != len(b) or not all(map(equal, a, b))]
        return bool(others) and all(node in weighed and node.name() in WEIGHING for node in others)

    def _span_at(self, seq: int) -> Span | None:
        return None if self.subject.trace is None else self.subject.trace.span_at(seq)


def _is_flat(judged: Judged) -> bool:
    """Tell whether the program stays as it is where its graph claims that it changes."""
    return abs(judged.estimate) <= max(8 * judged.bar, _FLAT * abs(judged.claimed))


def _sized(a: Array) -> Array:
    """The sizes of the entries of an input; one that is 0 is taken for as large as the others."""
    size = np.abs(np.asarray(a, np.float64))
    return np.where(size > 0, size, rms(size))


def _told(how: str, label: str | None, span: Span | None) -> str:
    at = f" at line {span.line}" if span is not None else ""
    of = f" of {label}" if label else ""
    return f"{_WAYS.get(how, how)}{at} takes numbers{of} out of the graph"


def _given_beside(node: Any) -> list[Any]:
    """The numbers that a node was given and its graph does not show where they are from."""
    entry = entry_of(node)
    if entry is None:
        return []
    given = (x.value for x in entry.arguments)
    return [x.array if isinstance(x, Operand) else x for x in given if not isinstance(x, Operand) or x.edge is None]


def _is_said(statement: Any) -> bool:
    """Tell whether a statement does nothing with numbers but to print them, or to see that they are right."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        return isinstance(function, ast.Name) and function.id == "print"
    return isinstance(statement, ast.Assert)
