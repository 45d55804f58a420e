"""Tests of a backward that estimate no derivative: cheap and exact.

The rules of the engine are linear and deterministic as they are written; what a program wrote itself need not be. So
the backward is looked at through the program's own functions: what each of them is given and passes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode
from ...engine.graph import node_of
from ...engine.random.generator import default as generator
from ...engine.tape.replay import again, why_not
from ...engine.tape.tape import Operand, entry_of
from ...errors import GradcliError, ProgramError, SpecError, raised_by_program
from ...graph.view.gradients import words
from ...graph.view.reach import reachable
from ...spec.input.parse import extent_of
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..replay.only_ops import is_pure
from ..replay.patience import Endless
from ..replay.plan import Unreplayable
from ..replay.recorded_graph import close, equal
from ..replay.subject import Subject, Unrepeatable
from .findings import Culprit, Entry, Finding
from .hidden_paths import does_as_its_graph
from .verdict import Judged, Verdict, of_share

if TYPE_CHECKING:
    from .arriving_gradients import Odd

# What differs by less, of the largest of its kind, is no matter of structure: the judge finds it, or rounding made it.
_CLEAR = 1e-6

# Sizes at which numbers have lost digits because they are so small.
_TINY = 1e-290

# So much larger a gradient is still one that a program may meet.
_LARGE = 2.0**30

# Of an input without a gradient so many entries are moved, by so much.
_MOVED, _STEPS = 8, (2.0**-10, 2.0**-13, 2.0**-16)

# For so many runs of a training loop there must be time, by what it did, that it is run again.
_TRAINING = 4

# Of many inputs so many are named.
_NAMED = 3


class Structural(NamedTuple):
    """The findings of the tests, and what else there is to know of the subject as a whole."""

    findings: list[Finding]
    notes: list[Note]
    # Whether nothing else can be asked, since no backward runs again as it did.
    ends: bool = False


def structural(subject: Subject, rng: np.random.Generator, *, everywhere: bool = False) -> Structural:
    """The tests in the order of what they cost; the first that finds anything is the last."""
    weights = [_start(rng, a) for a in subject.numbers]
    notes = [*_first_not_finite(subject), *hook_notes(subject, weights)]
    own = [node for node in subject.nodes if isinstance(node, FunctionNode)]
    tests: list[Iterator[Finding]] = [forwards(subject, own), _runs(subject, notes, rng)]
    choose = False
    if own:
        from ..claims.straight import are_straight

        # Whoever writes to what was saved can be asked once only, and the program may have done so.
        found = _ended(_overwritten(subject, own), notes)
        if found:
            return Structural(found, notes, ends=True)
        # A backward that does the same with all gradients is linear wherever it is so once.
        choose = not are_straight(subject, own, rng)
        first = _Walked(subject, weights)
        of_backward = (_overwritten(subject, own), *_of_backward(first, rng, own, choose))
        tests = [*of_backward, *tests, _applied_again(first), _handed_over(first, notes, rng)]
    # One after the other, each only when it is asked.
    found = next((findings for test in tests if (findings := _ended(test, notes))), [])
    if choose and not found:
        found = _ended(_large(first, notes, everywhere), notes)
    changes = any(x.verdict is Verdict.NONDETERMINISTIC for x in found)
    return Structural(found, notes, ends=changes or any(node.is_saved_written for node in own))


def _ended(test: Iterator[Finding], notes: list[Note]) -> list[Finding]:
    """The findings of a test; none of one that did not come to its end, which may be worth a note."""
    try:
        return list(test)
    except Endless:
        # A loop that ends at an absolute error may not do so for a gradient of another size.
        return []
    except raised_by_program() as error:
        if isinstance(error, GradcliError) and not isinstance(error, ProgramError):
            raise
        # Who divides by what arrives meets an error where that is 0: what was measured tells whether it is wrong.
        stopped = Note(NoteKind.LOCAL, f"a backward stops where another gradient arrives than here: {words(error)}")
        if stopped not in notes:
            notes.append(stopped)
        return []


def _of_backward(
    first: _Walked, rng: np.random.Generator, own: Sequence[Any], choose: bool
) -> Iterator[Iterator[Finding]]:
    yield from (_writes(first), _forms(first))
    if not all(is_pure(node.function) for node in own):
        yield _repeats(first)
    if choose:
        yield _nothing(first)
    yield from (_half(first), _missing(first, rng))
    if not all(is_pure(node.function) for node in own):
        yield _drifts(first)


def _start(rng: np.random.Generator, of: Array) -> Array:
    """A first gradient: of one number, the one that a backward starts from."""
    return np.ones(of.shape) if of.size == 1 else np.asarray(rng.standard_normal(of.shape))


def _first_not_finite(subject: Subject) -> Iterator[Note]:
    """Where numbers cease to be finite, when an output is not."""
    if all(np.all(np.isfinite(a)) for a in subject.numbers):
        return
    for node in subject.nodes:
        entry = entry_of(node)
        for made in () if entry is None else entry.outputs:
            if made is not None and not np.all(np.isfinite(made)):
                span = subject.span_of(node)
                at = "" if span is None else f" at line {span.line}"
                value = np.asarray(made)[~np.isfinite(made)].flat[0]
                yield Note(NoteKind.DOMAIN, f"{subject.id_of(node)}{at} is the first that is not finite: {value}")
                return


# -- hooks -----------------------------------------------------------------------------------


def changing_hooks(subject: Subject, weights: Sequence[Array]) -> str | None:
    """The hooks of the program that change the gradient, as a note names them."""
    if not subject.hooked:
        return None
    with_hooks, without = subject.backward(weights, hooks=True), subject.claim(weights)
    if all(
        a is b or (a is not None and b is not None and equal(a, b)) for a, b in zip(with_hooks, without, strict=True)
    ):
        return None
    places = [span.line for node in subject.hooked if (span := subject.span_of(node)) is not None]
    on = ", ".join(dict.fromkeys(map(subject.id_of, subject.hooked)))
    at = f" (line {places[0]})" if len(set(places)) == 1 else ""
    return f"hooks on {on}{at}"


def hook_notes(subject: Subject, weights: Sequence[Array]) -> Iterator[Note]:
    """Tell whether the program's hooks change the gradient: that is its own will, and no claim of a derivative."""
    hooks = changing_hooks(subject, weights)
    if hooks is not None:
        yield Note(NoteKind.HOOK, f"{hooks} change the gradient; what is checked is the gradient without them")


# -- the backward ----------------------------------------------------------------------------


class _Ran(NamedTuple):
    """One call of a function of the program's own in a backward: what it was given, and what it passed on."""

    given: list[Array | None]
    passed: list[Array | None]
    edges: Sequence[Any]


class _Walked:
    """One backward, and what the program's own functions did in it."""

    def __init__(self, subject: Subject, weights: Sequence[Array]) -> None:
        self.subject = subject
        self.weights = weights
        self.ran: dict[Any, _Ran] = {}
        self.before = subject.at, subject.numbers
        copies = [np.array(a) for a in (*self.before[0], *self.before[1])]
        self.claims = subject.backward(weights, observer=self._observe)
        held = (*subject.at, *subject.numbers)
        names = [*(x.name for x in subject.inputs), *(y.name for y in subject.outputs)]
        self.written = [name for name, a, b in zip(names, copies, held, strict=True) if not equal(a, b)]

    def scaled(self, factor: float) -> _Walked:
        """The backward from ``factor`` times as much."""
        return _Walked(self.subject, [factor * w for w in self.weights])

    def _observe(self, node: Any, g: Any, edges: Sequence[Any], shares: Any) -> None:
        if isinstance(node, FunctionNode):
            given = g if type(g) is list else [g]
            self.ran[node] = _Ran([_copy(x) for x in given], [_copy(x) for x in shares], edges)


def _copy(x: Any) -> Array | None:
    return None if x is None else np.array(x)


def _overwritten(subject: Subject, own: Sequence[Any]) -> Iterator[Finding]:
    """A backward must leave alone what the forward saved: another one reads it, too."""
    from ..blaming.methods import writing_to_saved
    from ..blaming.where_written import backward_name, written

    for node in own:
        backward = written(node)
        at = writing_to_saved(backward) if backward is not None and node.is_saved_written else None
        if backward is not None and at is not None:
            statement, name = at
            said = f"the backward of {_called(subject, node)} writes to {name}, which was saved for it"
            finding = _finding(subject, Verdict.WRONG, Note(NoteKind.WRITTEN, said), None)
            finding.span = extent_of(backward.machine.source, statement)
            place = subject.span_of(node)
            finding.node = Culprit(subject.id_of(node), backward_name(node), finding.span, name, applied=place)
            yield finding
            return


def _writes(walked: _Walked) -> Iterator[Finding]:
    """The backward must leave alone what it reads."""
    for name in walked.written:
        node = next(iter(walked.ran))
        note = Note(NoteKind.WRITTEN, f"a backward writes to {name}")
        yield _finding(walked.subject, Verdict.WRONG, note, node if len(walked.ran) == 1 else None, 0)


def _forms(walked: _Walked) -> Iterator[Finding]:
    """A gradient has the shape and the dtype of what it is for."""
    for x, claim, at in zip(walked.subject.inputs, walked.claims, walked.subject.at, strict=True):
        if claim is not None and (claim.shape != at.shape or claim.dtype != at.dtype):
            note = Note(
                NoteKind.SHAPE,
                f"the gradient of {x.name} is {claim.dtype}{list(claim.shape)}, not {at.dtype}{list(at.shape)}",
            )
            yield _finding(walked.subject, Verdict.WRONG, note, None, None, x.name)


def _repeats(first: _Walked) -> Iterator[Finding]:
    """The same backward gives the same gradient."""
    for node, slot in _differing(first, _alike):
        note = Note(
            NoteKind.NONDETERMINISTIC,
            f"the backward of {_called(first.subject, node)} gives another gradient each time",
        )
        yield _finding(first.subject, Verdict.NONDETERMINISTIC, note, node, slot)
        return


def _drifts(first: _Walked) -> Iterator[Finding]:
    """A backward that draws random numbers gives the same gradient to the last bit."""
    before = generator.here()
    differing = list(_differing(first, _same_bits))
    for node, slot in differing if differing and not generator.here().is_at(before) else ():
        called = _called(first.subject, node)
        note = Note(
            NoteKind.NONDETERMINISTIC,
            f"the backward of {called} draws random numbers, and gives a gradient each time that differs a little",
        )
        yield _finding(first.subject, Verdict.INACCURATE, note, node, slot)
        return


def _differing(first: _Walked, alike: Callable[[Array | None, Array | None], bool]) -> Iterator[tuple[Any, int]]:
    """The nodes that a second backward makes otherwise of the same gradients, each with the edge along which."""
    second = first.scaled(1.0)
    for node, ran in first.ran.items():
        other = second.ran.get(node)
        if other is None or not _same(ran.given, other.given):
            continue
        for slot, (a, b) in enumerate(zip(ran.passed, other.passed, strict=True)):
            if not alike(a, b):
                yield node, slot


def _nothing(first: _Walked) -> Iterator[Finding]:
    """Of no gradient comes no gradient."""
    zero = first.scaled(0.0)
    for node, ran in zero.ran.items():
        if any(x is not None and np.any(x) for x in ran.given):
            continue
        for slot, x in enumerate(ran.passed):
            if x is not None and np.any(np.isfinite(x) & (x != 0)):
                called = _called(zero.subject, node)
                note = Note(NoteKind.NONLINEAR, f"the backward of {called} gives a gradient where none arrives")
                yield from _unscaled(first, zero, 0.0, note, node, slot)
                return


def _half(first: _Walked) -> Iterator[Finding]:
    """Of half the gradient comes half the gradient."""
    half = first.scaled(0.5)
    found = _nonlinear(first, half, 0.5)
    if found is not None:
        nothing = list(_nothing(first))
        if nothing:
            yield from nothing
            return
        called = _called(first.subject, found[0])
        how = f"the backward of {called} does not pass on half as much when half as much arrives"
        yield from _unscaled(first, half, 0.5, Note(NoteKind.NONLINEAR, how), *found)


def _large(first: _Walked, notes: list[Note], everywhere: bool) -> Iterator[Finding]:
    """A backward may keep large gradients small, which this program does not meet; to know that is good."""
    large = first.scaled(_LARGE)
    found = _nonlinear(first, large, _LARGE)
    if found is None:
        return
    how = f"the backward of {_called(first.subject, found[0])} makes less, or more, of large gradients"
    note = Note(NoteKind.NONLINEAR, how)
    if everywhere:
        yield from _unscaled(first, large, _LARGE, note, *found)
    else:
        notes.append(note)


def _nonlinear(first: _Walked, other: _Walked, factor: float) -> tuple[Any, int] | None:
    """The first node that is given ``factor`` times as much and does not pass on as much more, and along which edge."""
    for node, ran in first.ran.items():
        scaled = other.ran.get(node)
        if scaled is None or not _same([None if x is None else factor * x for x in ran.given], scaled.given):
            continue
        for slot, (before, after) in enumerate(zip(ran.passed, scaled.passed, strict=True)):
            if before is not None and after is not None and not _times(before, after, factor):
                return node, slot
    return None


def _times(before: Array, after: Array, factor: float) -> bool:
    """Tell whether one array is ``factor`` times the other, as far as both can be relied on."""
    if before.shape != after.shape or not (np.all(np.isfinite(before)) and np.all(np.isfinite(after))):
        return True
    size = max(np.max(np.abs(after), initial=0.0), factor * np.max(np.abs(before), initial=0.0))
    return bool(size < _TINY or np.max(np.abs(after - factor * before), initial=0.0) <= _CLEAR * size)


def _unscaled(first: _Walked, other: _Walked, factor: float, note: Note, node: Any, slot: int) -> Iterator[Finding]:
    """The inputs whose gradient is not the ``factor`` times of what it was."""
    for x, at, whole, part in zip(first.subject.inputs, first.subject.at, first.claims, other.claims, strict=True):
        if whole is None or part is None or not np.all(np.isfinite(whole)) or not np.all(np.isfinite(part)):
            continue
        off = np.abs(part - factor * whole)
        if np.max(off, initial=0.0) > _CLEAR * max(factor, 1.0) * np.max(np.abs(whole), initial=0.0):
            index = np.unravel_index(int(np.argmax(off)), off.shape)
            now, before = float(part[index]), float(whole[index])
            judged = Judged(Verdict.WRONG, now, factor * before, 0.0, answer_of=of_share(factor))
            worst = Entry(tuple(map(int, index)), float(at[index]), judged)
            yield _finding(first.subject, Verdict.WRONG, note, node, slot, x.name, worst)


def _handed_over(first: _Walked, notes: list[Note], rng: np.random.Generator) -> Iterator[Finding]:
    """The same gradient gives the same, however it lies in memory, and whether or not derivatives are recorded."""
    from .arriving_gradients import odd_functions

    subject = first.subject
    given = {node: ran.given for node, ran in first.ran.items() if not is_pure(node.function, anyhow=True)}
    for odd in odd_functions(given, rng):
        called = _called(subject, odd.node)
        if odd.slot is None:
            notes.append(Note(odd.kind, f"the backward of {called} stops when the gradient arrives {odd.how}"))
            continue
        said = f"the backward of {called} makes something else of the same gradient when it arrives {odd.how}"
        yield _odd(subject, odd, said, "of one gradient, handed over in two ways")
        return


def _applied_again(first: _Walked) -> Iterator[Finding]:
    """A function does the same whenever it is applied to the same numbers."""
    from .arriving_gradients import odd_again

    given = {node: ran.given for node, ran in first.ran.items() if not is_pure(node.function)}
    for odd in odd_again(given, np.random.default_rng(0)):
        said = f"the backward of {_called(first.subject, odd.node)} makes something else of the same gradient {odd.how}"
        yield _odd(first.subject, odd, said, "of one gradient and the same numbers, applied again and before")
        return


def _odd(subject: Subject, odd: Odd, said: str, beside: str) -> Finding:
    """The finding of a function that makes something else of the same gradient; ``beside``: what is compared."""
    assert odd.slot is not None
    leaf = odd.node.next_functions[odd.slot][0]
    behind = {} if leaf is None else reachable(leaf)
    name = next((x.name for x in subject.inputs if x.tensor._node in behind), None)
    judged = Judged(Verdict.WRONG, odd.claimed, odd.usual, 0.0, note=beside, answer_of="")
    worst = Entry(odd.place, _argument(odd.node, odd.slot, odd.place), judged)
    return _finding(subject, Verdict.WRONG, Note(odd.kind, said), odd.node, odd.slot, name, worst)


def _argument(node: Any, slot: int, index: tuple[int, ...]) -> float:
    """A number of what a function was given, along one of its edges; not a number where it is not that large."""
    entry = entry_of(node)
    for x in () if entry is None else entry.operands:
        a = x.value.array
        if x.slot == slot and a.ndim == len(index) and all(i < n for i, n in zip(index, a.shape, strict=True)):
            return float(a[index])
    return float("nan")


# -- a missing gradient ----------------------------------------------------------------------


def _missing(walked: _Walked, rng: np.random.Generator) -> Iterator[Finding]:
    """Where no gradient arrives, no number may depend on the input."""
    subject = walked.subject
    for number, (x, claim) in enumerate(zip(subject.inputs, walked.claims, strict=True)):
        if claim is not None:
            continue
        worst = _moves(subject, number, walked.weights, rng)
        if worst is not None:
            node, slot = _stops(walked, x.tensor._node)
            by = "" if node is None else f": the backward of {_called(subject, node)} returns None"
            note = Note(NoteKind.NO_GRADIENT, f"no gradient arrives at {x.name}{by}")
            yield _finding(subject, Verdict.WRONG, note, node, slot, x.name, worst)


def _moves(subject: Subject, number: int, weights: Sequence[Array], rng: np.random.Generator) -> Entry | None:
    """An entry of an input that the outputs depend on smoothly, as far as few values tell."""
    try:
        plan = subject.plan
    except Unreplayable:
        return None
    at = subject.at[number]
    for place in rng.permutation(at.size)[:_MOVED]:
        index = tuple(map(int, np.unravel_index(int(place), at.shape)))
        slopes = []
        for step in _STEPS:
            ends = []
            for sign in (1, -1):
                moved = np.array(at)
                moved[index] += sign * step * max(abs(float(at[index])), 1.0)
                given = [moved if i == number else a for i, a in enumerate(subject.at)]
                made = plan.outputs(given)
                ends.append(
                    (float(moved[index]), sum(float(np.sum(w * y)) for w, y in zip(weights, made, strict=True)))
                )
            (high, above), (low, below) = ends
            slopes.append((above - below) / (high - low))
        size = max(map(abs, slopes))
        noise = 1e-12 * sum(float(np.sum(np.abs(w * y))) for w, y in zip(weights, subject.numbers, strict=True))
        if np.isfinite(size) and size * _STEPS[-1] > noise and max(slopes) - min(slopes) < 0.01 * size:
            bar = max(slopes) - min(slopes) + noise / _STEPS[-1]
            return Entry(index, float(at[index]), Judged(Verdict.WRONG, 0.0, slopes[-1], bar))
    return None


def _stops(walked: _Walked, leaf: Any) -> tuple[Any, int | None]:
    """The function that passes on nothing on the way to a leaf, and the edge along which it should."""
    for node, ran in walked.ran.items():
        for slot, (edge, share) in enumerate(zip(ran.edges, ran.passed, strict=True)):
            if share is None and edge is not None and leaf in reachable(node_of(edge)):
                return node, slot
    return None, None


# -- the forward -----------------------------------------------------------------------------


def forwards(subject: Subject, own: Sequence[Any]) -> Iterator[Finding]:
    """The same numbers give the same result."""
    for node in own:
        entry = entry_of(node)
        if entry is None or why_not(node) is not None or is_pure(node.function):
            continue
        given = [x.value.array if type(x.value) is Operand else x.value for x in entry.operands]
        try:
            made = again(node, given)
        except SpecError:
            raise
        except raised_by_program() as error:
            note = Note(
                NoteKind.NONDETERMINISTIC,
                f"the forward of {_called(subject, node)} fails when called again: {words(error)}",
            )
            yield _finding(subject, Verdict.NONDETERMINISTIC, note, node)
            return
        if not all(a is None or b is None or close(a, b) for a, b in zip(made, entry.outputs, strict=True)):
            note = Note(
                NoteKind.NONDETERMINISTIC,
                f"the forward of {_called(subject, node)} makes something else of the same numbers",
            )
            yield _finding(subject, Verdict.NONDETERMINISTIC, note, node)
            return


def _runs(subject: Subject, notes: list[Note], rng: np.random.Generator) -> Iterator[Finding]:
    """The same program gives the same numbers."""
    if does_as_its_graph(subject, rng):
        return
    # What cannot be run from other values, as a training loop, would be run again for this alone.
    trains = any(x.changed for x in subject.inputs)
    if trains and subject.is_steady:
        return
    if subject.repeats < (_TRAINING if trains else 1):
        notes.append(
            Note(NoteKind.NOT_RERUN, "the program takes too long to be run again: it may be another one each time")
        )
        return
    try:
        other = subject.repeated()
    except Unrepeatable as error:
        notes.append(Note(NoteKind.NOT_RERUN, f"{error}"))
        return
    if all(map(equal, subject.numbers, other.numbers)):
        return
    if all(map(close, subject.numbers, other.numbers)):
        notes.append(Note(NoteKind.NONDETERMINISTIC, "the program gives other last digits when it is run again"))
        return
    if subject.is_same_anew():
        # Given values for its leaves, it computes from others than those that it wrote into them.
        return
    node = _unlike(subject, other)
    by = "" if node is None else f", first at {_called(subject, node)}"
    note = Note(NoteKind.NONDETERMINISTIC, f"the program gives other numbers when it is run again{by}")
    yield _finding(subject, Verdict.NONDETERMINISTIC, note, node)


def _unlike(subject: Subject, other: Subject) -> Any:
    """The first node of a run that made something else in another."""
    for node, twin in zip(subject.nodes, other.nodes, strict=False):
        one, two = entry_of(node), entry_of(twin)
        if one is None or two is None or node.name() != twin.name():
            return node
        if not all(a is None or b is None or close(a, b) for a, b in zip(one.outputs, two.outputs, strict=False)):
            return node
    return None


# -- findings --------------------------------------------------------------------------------


def _same(some: Sequence[Array | None], others: Sequence[Array | None]) -> bool:
    return all(a is b or (a is not None and b is not None and equal(a, b)) for a, b in zip(some, others, strict=True))


def _alike(a: Array | None, b: Array | None) -> bool:
    return a is b or (a is not None and b is not None and close(a, b))


def _same_bits(a: Array | None, b: Array | None) -> bool:
    return a is b or (a is not None and b is not None and equal(a, b))


def _called(subject: Subject, node: Any) -> str:
    """A function of the program by its name, any other node by what the program calls its result."""
    return str(node.function.__name__) if isinstance(node, FunctionNode) else subject.id_of(node)


def _finding(
    subject: Subject,
    verdict: Verdict,
    note: Note,
    node: Any,
    slot: int | None = None,
    wrt: str | None = None,
    worst: Entry | None = None,
) -> Finding:
    """A finding, which is due to a node; ``slot``: to what its backward passes on along this edge."""
    names = [x.name for x in subject.inputs]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    found = Finding(
        ", ".join(y.name for y in subject.outputs), wrt or ", ".join(names[:_NAMED]) + more, 1, verdict, [note]
    )
    found.span = subject.outputs[0].span
    if worst is not None:
        found.worst, found.table, found.entries, found.wrong_entries = worst, [worst], 1, 1
    if node is not None:
        found.node, sentence = _culprit(subject, node, slot)
        found.notes += [] if sentence is None else [Note(NoteKind.LOCATED, sentence)]
        found.span = found.node.source or found.span
    return found


def _culprit(subject: Subject, node: Any, slot: int | None) -> tuple[Culprit, str | None]:
    """The node that is to blame, and where else its backward computes what is wrong, in words."""
    from ...graph.view.names import Arguments
    from ..blaming.mended import mended_at, mends
    from ..blaming.where_written import backward_name, computed_at, written

    at = subject.span_of(node)
    if slot is None:
        return Culprit(subject.id_of(node), subject.name_of(node), at), None
    own = computed_at(node, slot, lambda: subject.claim([np.ones(a.shape) for a in subject.numbers]))
    name = backward_name(node) if written(node) is not None else subject.name_of(node)
    argument = Arguments().of(node, node.next_functions)[slot]
    if own is None:
        return Culprit(subject.id_of(node), name, at, argument), None
    found = mends(node, None, own.statements, (), np.random.default_rng(0))
    span, sentence = mended_at(found, slot, own)
    return Culprit(subject.id_of(node), name, span or at, argument, applied=at), sentence
