"""The whole check of someone's function: its structure, its slopes, each custom Function alone, other points."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import GradcliError, InputError
from ...verdicts import Note, NoteKind
from .. import budget
from ..arrays import Array
from ..blaming.kind_of_mistake import Context, signature
from ..claims.plain_differences import Glance, glanced
from ..judging.entries import probe
from ..judging.error_curves import jacobian
from ..judging.findings import Checked, Culprit, Entry, Finding, Options, of_another_point, told_of_both_points
from ..judging.rows import Rows
from ..judging.verdict import BLAMED, Judged, Verdict
from ..moving.bonds import Bond, bonds_of, bound
from ..moving.similar_numbers import MANNERS, Kind, alike, kind_of
from ..replay.recorded_graph import Unrepeatable
from .at_once import is_right_there, random_ways, right_at_once
from .forward_mode import wrong_tangents
from .function import Library, Misshapen, Real, Refused
from .half_read import told_as_half_read
from .met import Backward, Met, is_full, there_are_others, watched
from .met_jax import Rule, note_rules
from .pytorch import torch
from .second import derivative_of
from .single import SingleProbe
from .structure import changed, finding as finding_of, held, structural
from .subject import ForeignSubject
from .where import place_of
from .with_jax import JaxLibrary, rule_of
from .with_torch import TorchLibrary

# At so many other points is looked, and by what the numbers of the given one are multiplied for it.
_FACTORS = (0.7, 1.3, 0.9, 1.1)
_JITTER = 0.02
_DOUBLE, _SINGLE = 2.0**-52, 2.0**-24
# The verdicts that single precision on the way may bring about.
_DOUBTFUL = (*BLAMED, Verdict.UNRESOLVED, Verdict.INACCURATE, Verdict.WITNESS_CONFLICT)
# A Jacobian of no more numbers is asked what kind of mistake is in it.
_READABLE = 64


def check_foreign(
    make: Callable[[str], Library], options: Options, checked: Checked, begun: Callable[[Real], object] | None = None,
    known: dict[Any, Met | Rule] | None = None,
) -> Checked:  # fmt: skip
    """Check what is claimed of a function; ``make``: the function in "float64", or in its "own" precision.

    ``begun`` is told of the function as it is judged, ``known`` filled with the custom Functions met on the way.
    """
    start = time.perf_counter()
    known = {} if known is None else known
    try:
        real = _real(make, known)
        if begun is not None:
            begun(real)
        budget.begin()
        try:
            _settled(real, known, options, checked)
        except InputError:
            own = _as_given(make, known, real)
            if own is None or checked.findings:
                raise
            checked.notes.clear()
            _settled(own, known, options, checked)
    except GradcliError as error:
        checked.failure = error
    except Misshapen as error:
        checked.failure = InputError(str(error), help="a gradient has the shape of its input")
    except (Refused, Unrepeatable) as error:
        checked.failure = InputError(str(error), help="a check calls it at the given point first: it must run there")
    finally:
        for finding in checked.findings:
            finding.allowed = finding.verdict in options.allow and not finding.passes(options)
        checked.seconds = time.perf_counter() - start
    return checked


def _settled(real: Real, known: dict[Any, Met | Rule], options: Options, checked: Checked) -> None:
    """Check a function, and leave all as an ordinary call leaves it."""
    try:
        _check(real, known, options, checked)
    finally:
        if isinstance(real.library, TorchLibrary):
            real.library.settle()


def _as_given(make: Callable[[str], Library], known: dict[Any, Met | Rule], real: Real) -> Real | None:
    """A function in the dtypes that were given, if these were less than double: its backward may refuse a mixture."""
    try:
        met: dict[Any, Met | Rule] = {}
        own = _first_called(make("own"), met)
        if unit_of(own) <= unit_of(real):
            return None
    except (Refused, InputError):
        return None
    known.clear()
    known.update(met)
    return own


def _real(make: Callable[[str], Library], known: dict[Any, Met | Rule] | None = None) -> Real:
    """The function in double precision where it exists in that, else in its own; ``known``: the Functions it meets."""
    found: Real | None = None
    stopped: Real | None = None
    first: Exception | None = None
    try:
        found = _first_called(make("float64"), known)
        if unit_of(found) <= _DOUBLE:
            # Its derivative has to be there, too.
            _ = found.pull
            return found
    except Misshapen:
        # That is a finding.
        assert found is not None
        return found
    except (Refused, InputError) as error:
        # It may be meant for other dtypes, or it stops in any case.
        first, stopped, found = error, found, None
    in_double = dict(known or {})
    if known is not None:
        known.clear()
    try:
        own = _first_called(make("own"), known)
    except Refused:
        if stopped is not None:
            # It took these inputs once: what changed since is looked at.
            return stopped
        if isinstance(first, Refused):
            raise first from None
        raise
    if found is None or unit_of(own) >= unit_of(found):
        return own
    if known is not None:
        known.clear()
        known.update(in_double)
    return found


def _first_called(library: Library, known: dict[Any, Met | Rule] | None) -> Real:
    """A function that was called once, and the custom Functions that are applied on the way."""
    if known is not None and isinstance(library, JaxLibrary):
        real = Real(library)
        note_rules(library, known)
        return real
    if known is None or not isinstance(library, TorchLibrary):
        return Real(library)
    with watched(known) as classes:
        real = Real(library)
    if there_are_others(classes):
        # Of a module that was imported on the way, say.
        known.clear()
        with watched(known):
            library.recorded(real.at_library)
    library.can_batch &= all(x.can_be_batched for x in known.values() if isinstance(x, Met))
    library.is_composed = not known
    return real


def unit_of(real: Real) -> float:
    """The precision that a function rounds to."""
    dtypes = [a.dtype for a in (*real.at, *real.values_at)]
    return float(max(getattr(real.library, "unit", 0.0), *(np.finfo(d).eps / 2 for d in dtypes)))


def _check(real: Real, met: dict[Any, Met | Rule], options: Options, checked: Checked) -> None:
    library = real.library
    function = getattr(library, "function", None)
    itself = next((each for each in met.values() if each.is_called_by(library)), None)
    derivative = getattr(library, "derivative", None) or rule_of(function)
    if itself is not None:
        derivative = itself.derivative
    span = place_of(derivative if callable(derivative) else function)
    subject = ForeignSubject(real, span=span)
    rng = np.random.default_rng(options.seed)
    checked.inputs = len(subject.inputs)
    checked.numbers = sum(a.size for a in subject.at)
    before = held(library)
    found: list[Finding] = []
    notes: list[Note] = []
    stopped: Exception | None = None
    try:
        is_alone = itself is None and bool(met) and not is_full(met)
        found, notes = structural(subject, rng, isinstance(itself, Met) and itself.writes, is_alone)
        checked.notes += notes
        _judge(subject, found, met, itself, options, checked, rng)
    except (GradcliError, Refused, Unrepeatable, Misshapen) as error:
        stopped = error
    is_wrong = stopped is not None or any(x.fails(options) for x in checked.findings)
    is_unsteady = any(x.verdict is Verdict.NONDETERMINISTIC for x in found)
    late = None if is_unsteady else changed(subject, before, is_wrong)
    if late is not None:
        # What was measured on the way was of several functions.
        checked.findings[:], checked.notes[:] = [late], notes
    elif stopped is not None:
        raise stopped


def _judge(
    subject: ForeignSubject, found: list[Finding], met: dict[Any, Met | Rule], itself: Met | Rule | None,
    options: Options, checked: Checked, rng: np.random.Generator,
) -> None:  # fmt: skip
    real, library = subject.function, subject.function.library
    alone: list[tuple[Met | Rule, list[Finding]]] = []
    if not found:
        found = _probed(subject, options, rng)
    wrong = [x for x in found if x.fails(options)]
    for each in met.values():
        whole = (subject, wrong) if each is itself else None
        alone.append((each, _alone(each, options, rng, checked, whole)))
    checked.findings += _blamed(found, alone, options)
    if not wrong and isinstance(library, JaxLibrary):
        tangent, note = wrong_tangents(subject, unit_of(real), library.function, f"jax.jvp of {library.name}", rng)
        checked.findings += [tangent] if tangent is not None else []
        checked.notes += [note] if note is not None else []
    if not wrong:
        own = met or not isinstance(library, TorchLibrary)
        checked.findings += _local(subject, alone, options)
        # What passes by the bars of less precision would pass by them elsewhere, too.
        in_double = unit_of(real) <= _DOUBLE and (not real.is_in_steps or _are_doubtful(found))
        if own and in_double and not any(x.fails(options) for x in checked.findings):
            checked.findings += told_of_both_points(checked.findings, _elsewhere(subject, options, rng))
    for x in checked.findings:
        if x.fails(options) and x.signature is None:
            _sign(x, subject)
    if options.output is not None or options.wrt:
        checked.findings[:] = [x for x in checked.findings if _is_asked(x, options)]
        if not checked.findings:
            offer = f"outputs are {', '.join(y.name for y in subject.outputs)}; inputs are "
            raise InputError(f"{library.name} has nothing of the names that were asked for",
                             help=offer + ", ".join(x.name for x in subject.inputs))  # fmt: skip
    _orders(real, options, checked, rng)


def _is_asked(x: Finding, options: Options) -> bool:
    return options.output in (None, x.output) and (not options.wrt or x.input in options.wrt)


def _probed(subject: ForeignSubject, options: Options, rng: np.random.Generator, order: int = 1) -> list[Finding]:
    unit = unit_of(subject.function)
    try:
        if unit > _DOUBLE:
            found = SingleProbe(subject, unit, rng).findings()
            for x in found:
                x.order = order
        else:
            whole = options.every_entry or options.detail or options.digits is not None
            quick = None if whole else right_at_once(subject, rng, order)
            if quick is not None:
                return quick
            mixed = None if subject.function.library.can_batch else _in_steps(subject, rng, order)
            if mixed is not None and not _are_doubtful(mixed):
                # Where each point is a call, it would take long to find out that nothing more can be known.
                found = mixed
            else:
                found = probe(subject, options, rng, order)
                if not options.everywhere and any(x.fails(options) for x in found):
                    told_as_half_read(found, subject, rng)
                if _are_doubtful(found):
                    found = _more_lenient(found, mixed or _in_steps(subject, rng, order))
    except Misshapen as error:
        return [finding_of(subject, Verdict.WRONG, Note(NoteKind.SHAPE, str(error)))]
    missing: list[str] = []
    if any(x.verdict in BLAMED for x in found):
        gradients = subject.claim([np.ones(y.shape) for y in subject.numbers])
        missing = [x.name for x, g in zip(subject.inputs, gradients, strict=True) if g is None]
    for x in found:
        x.span = subject._span
        if x.input in missing and x.verdict in BLAMED:
            x.notes.append(Note(NoteKind.NO_GRADIENT, f"no gradient arrives at {x.input}"))
    return found


def _are_doubtful(found: Sequence[Finding]) -> bool:
    return any(x.verdict in _DOUBTFUL for x in found)


def _in_steps(subject: ForeignSubject, rng: np.random.Generator, order: int) -> list[Finding] | None:
    """The findings by the bars of single precision of what computes a part of itself in that; None of all else."""
    single = SingleProbe(subject, _SINGLE, rng, mixed=True)
    real = subject.function
    real.is_in_steps = real.is_in_steps or single.sees_steps()
    if not real.is_in_steps:
        return None
    found = single.findings()
    for x in found:
        x.order = order
        x.notes[:] = [Note(NoteKind.FLOAT32, "a part of it computes with numbers of 24 bits, and it is judged by them")]
    return found


def _more_lenient(found: list[Finding], mixed: list[Finding] | None) -> list[Finding]:
    """Of two findings about the same the better one: the bars of less precision may only be more lenient."""
    others = {(x.output, x.input): x for x in mixed or ()}
    pairs = [(x, others.get((x.output, x.input), x)) for x in found]
    return [min(pair, key=lambda x: x.verdict.gravity) for pair in pairs]


# -- custom Functions of PyTorch ---------------------------------------------------------------


def _alone(
    met: Met | Rule, options: Options, rng: np.random.Generator, checked: Checked,
    whole: tuple[ForeignSubject, list[Finding]] | None = None,
) -> list[Finding]:  # fmt: skip
    """Judge a Function alone, on the arguments that it met; ``whole``: if it is all that there is, what was found."""
    name = met.name
    try:
        if whole is not None:
            subject, found = whole
            found = [copy.copy(x) for x in found]
        else:
            subject = ForeignSubject(_real(met.library), span=place_of(met.derivative))
            found, _ = structural(subject, rng, isinstance(met, Met) and met.writes)
            found = found or [x for x in _probed(subject, options, rng) if x.fails(options)]
        if isinstance(met, Met) and not found:
            backward = Backward(subject, rng)
            if backward.writes_to_gradient():
                words = f"the backward of {name} writes to the gradient that arrives"
                found = [finding_of(subject, Verdict.WRONG, Note(NoteKind.WRITTEN, words))]
        if isinstance(met, Met) and not found:
            for odd in backward.odd_layouts():
                if odd.input is None:
                    words = f"the backward of {name} stops when the gradient arrives {odd.how}: {odd.said}"
                    checked.notes.append(Note(NoteKind.LAYOUT, words))
                    continue
                words = f"the backward of {name} makes something else of the same gradient when it arrives {odd.how}"
                made = finding_of(subject, Verdict.WRONG, Note(NoteKind.LAYOUT, words), odd.input)
                note = "of one gradient, handed over in two ways"
                judged = Judged(Verdict.WRONG, odd.claimed, odd.usual, 0.0, note=note)
                at = subject.at[[x.name for x in subject.inputs].index(odd.input)]
                made.worst = Entry(odd.place, float(at[odd.place]), judged)
                made.table = [made.worst]
                found = [made]
                break
        if isinstance(met, Met) and not found and _has_jvp(met.function):
            tangent, why = wrong_tangents(subject, unit_of(subject.function), met.function.jvp, f"{name}.jvp", rng)
            checked.notes += [why] if why is not None and why not in checked.notes else []
            if tangent is not None:
                return [tangent]
    except (GradcliError, Refused, Unrepeatable, Misshapen):
        # What it cannot do alone says nothing of the whole.
        return []
    for x in found:
        if x.signature is None:
            _sign(x, subject)
        applied = x.span if whole is not None else met.applied or x.span
        node = f"{name}Backward" if isinstance(met, Met) else name
        x.node = Culprit(None, node, x.span, x.input, True, applied)
    return found


def _has_jvp(function: Any) -> bool:
    """Tell whether a Function of PyTorch's has a forward mode of its own."""
    return function.jvp is not torch().autograd.Function.jvp


def _blamed(found: list[Finding], alone: Sequence[tuple[Met | Rule, list[Finding]]], options: Options) -> list[Finding]:
    """Judge the whole, and name the Function that is to blame, if one is."""
    guilty = next((x for _, several in alone for x in several if x.fails(options)), None)
    if guilty is not None and guilty.verdict is Verdict.TANGENT:
        # That is not what the gradient is wrong by.
        guilty = None
    for x in found:
        if guilty is not None and x.verdict in BLAMED and x.fails(options):
            x.node, x.span, x.signature = guilty.node, guilty.span, guilty.signature
    return found


def _local(
    subject: ForeignSubject, alone: Sequence[tuple[Met | Rule, list[Finding]]], options: Options
) -> list[Finding]:
    """Tell of Functions that are wrong alone though the whole is right here."""
    made = []
    names = {x.name for x in subject.inputs}
    for met, several in alone:
        for x in several:
            if not x.fails(options):
                continue
            name = met.name
            if x.verdict is not Verdict.TANGENT and f"{name}." not in x.input and x.node is not None:
                words = f"right for the gradient that arrives at {name} here, wrong for others"
                x.notes.append(Note(NoteKind.LOCAL, words))
            x.output = subject.outputs[0].name
            x.input = x.input if x.input in names else subject.inputs[0].name
            made.append(x)
            break
    return made


def check_alone(met: Met | Rule, options: Options) -> Checked:
    """Check a Function alone, on the arguments that it met."""
    checked = Checked(getattr(met.function, "__qualname__", met.name))
    start = time.perf_counter()
    rng = np.random.default_rng(options.seed)
    checked.findings += [x for x in _alone(met, options, rng, checked) if x.fails(options)]
    checked.seconds = time.perf_counter() - start
    return checked


# -- other points ------------------------------------------------------------------------------


def _elsewhere(subject: ForeignSubject, options: Options, rng: np.random.Generator) -> list[Finding]:
    """Judge at other points of the same signs, where the function is defined there."""
    kinds = [(kind_of(a), bonds_of(a)) for a in subject.at]
    ways = random_ways(subject.at, rng)
    more = rng.uniform(0.5, 1.5, max(options.samples - len(_FACTORS), 0)).tolist()
    for factor in (*_FACTORS, *more)[: max(options.samples, 0)]:
        if budget.is_spent():
            return []
        point = [_moved(a, kind, bonds, factor, rng) for a, (kind, bonds) in zip(subject.at, kinds, strict=True)]
        try:
            if is_right_there(subject, point, ways):
                continue
            there = ForeignSubject(subject.function, point, subject._span)
            if not all(np.all(np.isfinite(y)) for y in there.numbers):
                continue
            found = [] if glanced(there, rng) is Glance.RIGHT else _probed(there, options, rng)
        except (Unrepeatable, Refused, Misshapen, GradcliError):
            # It is not defined there.
            continue
        wrong = [
            x for x in found
            if x.verdict is Verdict.WRONG and (x.worst is None or math.isfinite(x.worst.judged.claimed))
        ]  # fmt: skip
        for x in wrong:
            at = "" if x.worst is None else f": {x.input}{list(x.worst.index) or ''} = {x.worst.at:.4g}"
            x.notes.append(of_another_point(f"wrong at another{at}"))
        if wrong:
            return wrong
    return []


def _moved(a: Array, kind: Kind, bonds: Sequence[Bond], factor: float, rng: np.random.Generator) -> Array:
    """Other numbers of the same kind: of the same signs, and symmetric, sorted or of length one where they are."""
    if kind.unit or kind.sums is not None:
        moved = alike(a, kind, rng, MANNERS[0])
    else:
        moved = a * factor * (1 + _JITTER * rng.uniform(-1, 1, a.shape))
    return np.asarray(bound(bonds, moved))


def _sign(finding: Finding, subject: ForeignSubject) -> None:
    """Say what kind of mistake it is, where that can be said."""
    leaf = next((i for i, x in enumerate(subject.inputs) if x.name == finding.input), None)
    output = next((i for i, y in enumerate(subject.outputs) if y.name == finding.output), None)
    if leaf is None or output is None or finding.verdict is not Verdict.WRONG or finding.order > 1:
        return
    at = subject.at[leaf]
    if unit_of(subject.function) > _DOUBLE or at.size * subject.numbers[output].size > _READABLE:
        return
    try:
        made = jacobian(Rows(subject, np.random.default_rng(0), 1), output, leaf, {})
    except (Misshapen, GradcliError):
        return
    if made is not None and len(made[0]) == 1:
        claimed, measured = (np.array(x[0]).reshape(at.shape) for x in made)
        with np.errstate(all="ignore"):
            bars = 1e-9 * np.maximum(np.abs(measured), np.max(np.abs(measured)))
            finding.signature = signature(claimed, measured, bars, Context(finding.input, at))


# -- higher orders -----------------------------------------------------------------------------


def _orders(real: Real, options: Options, checked: Checked, rng: np.random.Generator) -> None:
    library = real.library
    for order in range(2, options.order + 1):
        if any(x.fails(options) for x in checked.findings):
            words = f"order {order} was not judged, since order {order - 1} is wrong"
            checked.notes.append(Note(NoteKind.ORDER, words))
            return
        if budget.is_spent():
            checked.notes.append(Note(NoteKind.BUDGET, f"not looked at in {budget.allowed()}: order {order}"))
            return
        derived = derivative_of(library)
        if derived is None:
            words = f"order {order} was not judged: the derivative of {library.name} is not differentiated by a library"
            checked.notes.append(Note(NoteKind.ORDER, words))
            return
        library = derived
        try:
            above = Real(library)
        except InputError:
            # The gradient is constant.
            return
        found = _probed(ForeignSubject(above), options, rng, order)
        for x in found:
            x.order = order
        checked.findings += found
