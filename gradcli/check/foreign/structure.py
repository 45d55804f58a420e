"""Exact tests of someone's function: the same call gives the same, and a backward is linear and leaves inputs alone."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ...engine.guard.references import enclosed
from ...errors import InputError
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..judging.findings import Entry, Finding
from ..judging.verdict import Judged, Verdict, of_share
from ..replay.recorded_graph import close, equal
from .function import Misshapen, Real, Refused, least_of
from .subject import ForeignSubject

# As in the tests of programs: what differs by less, of the largest of its kind, is no matter of structure.
_CLEAR = 1e-6
_TOLD = 3


def structural(
    subject: ForeignSubject, rng: np.random.Generator, may_write: bool = False, others_tell: bool = False
) -> tuple[list[Finding], list[Note]]:
    """The findings of the first test that finds any, and notes.

    ``may_write``: it says that it writes to inputs. ``others_tell``: all Functions that it is made of are tested alone.
    """
    found = list(_forward(subject, may_write)) or list(_backward(subject, rng, others_tell))
    return found, list(_notes(subject.function))


def finding(subject: ForeignSubject, verdict: Verdict, note: Note, name: str | None = None) -> Finding:
    """A finding of all entries of an input."""
    inputs = {x.name: x for x in subject.inputs}
    called = name if name in inputs else subject.inputs[0].name
    return Finding(
        subject.outputs[0].name, called, 1, verdict, [note], entries=int(inputs[called].tensor._a.size),
        span=subject._span,
    )  # fmt: skip


def _notes(real: Real) -> Iterator[Note]:
    for called in getattr(real.library, "constants", ()):
        words = f"{called} is a number that gets no gradient, and is taken for a constant"
        yield Note(NoteKind.NO_GRADIENT, words)
    if getattr(real.library, "draws", False):
        words = f"{real.library.name} draws random numbers: it was given the same ones at each call"
        yield Note(NoteKind.NONDETERMINISTIC, words)


def _forward(subject: ForeignSubject, may_write: bool) -> Iterator[Finding]:
    """The same inputs give the same outputs, and stay as they are."""
    real, name = subject.function, subject.function.library.name
    dropping: list[str] = getattr(real.library, "dropping", list)()
    if dropping:
        words = f"{' and '.join(dropping[:_TOLD])} drops other numbers at each call: the module is in training mode"
        yield finding(subject, Verdict.NONDETERMINISTIC, Note(NoteKind.NONDETERMINISTIC, words))
        return
    before = held(real.library)
    try:
        second, touched = real.written()
    except Refused as error:
        yield _unlike(subject, [before], f"does not take the inputs that it took before, when called again ({error})")
        return
    touched = [] if may_write else touched
    for called in touched:
        note = Note(NoteKind.WRITTEN, f"{name} writes to its input {called}")
        yield finding(subject, Verdict.WRONG, note, called)
    if touched:
        return
    first = real.values_at
    if not _are_close(first, second):
        _called_elsewhere(subject)
        yield _unlike(subject, [before], "gives another value at each call with the same inputs", may_draw=True)


def changed(subject: ForeignSubject, before: dict[str, str], is_wrong: bool) -> Finding | None:
    """The finding of a function that gives another value than at first, after all calls.

    ``before``: what it held at first; ``is_wrong``: whether something was found that this might explain.
    """
    real = subject.function
    real.library.uncompile()
    calls = f"after {real.calls} calls, with these and with other inputs"
    if is_wrong:
        _called_elsewhere(subject)
    then = [before, held(real.library)]
    try:
        last = real.values(subject.at)
    except Refused as error:
        return _unlike(subject, then, f"does not take the inputs that it took before, {calls} ({error})")
    if not _are_close(real.values_at, last):
        return _unlike(subject, then, f"gives another value than at first, {calls}")
    return None if real.library.is_composed or subject.first_claim is None else _changed_claim(subject, then, calls)


def _called_elsewhere(subject: ForeignSubject) -> None:
    """Call it with other inputs, where it may not be defined: what it keeps of its last call shows then."""
    with suppress(Refused):
        subject.function.values([a * 1.25 + 0.125 for a in subject.at])


def _changed_claim(subject: ForeignSubject, then: list[dict[str, str]], calls: str) -> Finding | None:
    """The finding of a backward that gives another gradient than at first, or none."""
    weights, first = subject.first_claim or ([], [])
    try:
        last = subject.function.pulled(subject.at)(weights)
    except (InputError, Misshapen, Refused) as error:
        return _unlike(subject, then, f"has a backward that stops, as it did not at first, {calls} ({error})")
    for x, a, b in zip(subject.inputs, first, last, strict=True):
        if (a is None) is not (b is None) or not (a is None or b is None or close(a, b, 1e-12)):
            return _unlike(subject, then, f"has another gradient of {x.name} than at first, {calls}", name=x.name)
    return None


def _unlike(
    subject: ForeignSubject, then: list[dict[str, str]], said: str, may_draw: bool = False, name: str | None = None
) -> Finding:
    """The finding of a function that gives several values at one point; ``then``: what it kept in itself before."""
    library = subject.function.library
    now = held(library)
    kept = [key for key in now if any(now[key] != old.get(key, now[key]) for old in then)]
    if kept:
        said += f": it keeps {', '.join(kept[:_TOLD])} between calls"
    elif not may_draw:
        said += ": it keeps something between calls"
    elif _is_seeded(subject.function, subject):
        said += ": it draws random numbers"
    else:
        said += ": it keeps something between calls, or draws random numbers"
    return finding(subject, Verdict.NONDETERMINISTIC, Note(NoteKind.NONDETERMINISTIC, f"{library.name} {said}"), name)


def _are_close(first: list[Array], other: list[Array]) -> bool:
    return all(close(a, b, 1e-12) for a, b in zip(first, other, strict=True))


def _is_seeded(real: Real, subject: ForeignSubject) -> bool:
    """Tell whether it gives the same where the random numbers of Python and NumPy begin anew."""
    found = []
    states = random.getstate(), np.random.get_state()
    for _ in range(2):
        random.setstate(states[0])
        np.random.set_state(states[1])
        found.append(real.values(subject.at))
    return all(equal(a, b) for a, b in zip(*found, strict=True))


def held(library: Any) -> dict[str, str]:
    """Describe in short texts what a function keeps in itself, in its closure and in the names that it uses."""
    function = library.function
    if isinstance(function, type):
        return {}
    own = {f"self.{k}": v for k, v in getattr(function, "__dict__", {}).items() if not k.startswith("_")}
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, type):
        own |= {f"self.{k}": v for k, v in getattr(owner, "__dict__", {}).items() if not k.startswith("_")}
    called = getattr(function, "forward", None) if library_is_module(library) else function
    code = getattr(called, "__code__", None)
    if code is not None:
        own |= enclosed(called)
        held = getattr(called, "__globals__", {})
        own |= {name: held[name] for name in code.co_names if name in held}
    return {name: text for name, value in own.items() if (text := _text(value)) is not None}


def library_is_module(library: Any) -> bool:
    """Tell whether a function is a module of PyTorch."""
    return getattr(library, "module", None) is not None


def _text(value: Any) -> str | None:
    if isinstance(value, (bool, int, float, complex, str, list, dict, tuple, set)):
        return repr(value)[:2000]
    if isinstance(value, np.ndarray):
        return value.tobytes().hex()[:4000]
    if hasattr(value, "detach") and hasattr(value, "tolist") and not isinstance(value, type):
        return repr(value.detach().tolist())[:2000]
    return None


def _backward(subject: ForeignSubject, rng: np.random.Generator, others_tell: bool) -> Iterator[Finding]:
    """A gradient has the shape of what it is for; the same cotangent gives the same, none none, half of it half."""
    name = subject.function.library.name
    weights = subject.weights(rng)
    unit = float(getattr(subject.function.library, "unit", 0.0))
    try:
        first = subject.claim(weights)
    except Misshapen as error:
        words = str(error)
        called = next((x.name for x in subject.inputs if f"of {x.name} " in words), None)
        yield finding(subject, Verdict.WRONG, Note(NoteKind.SHAPE, words), called)
        return
    pull = subject.function.pulled(subject.at)
    half = [0.5 * w for w in weights]
    # To halve is exact: one call of another graph tells of both, and of how the gradient lies in memory.
    library = subject.function.library
    halves = None if library.is_composed else library.taken_sliced(lambda: pull(half))
    library.takes_slices = is_halved = halves is not None and _are_halves(first, halves)
    if halves is None or not is_halved:
        halves = pull(half)
        is_halved = _are_halves(first, halves)
    if is_halved and (library.is_composed or others_tell):
        return
    if not is_halved:
        for x, a, b in zip(subject.inputs, first, pull(list(weights)), strict=True):
            if a is not None and b is not None and not close(a, b, 1e-12):
                words = f"the gradient of {x.name} is another one at each call of the backward of {name}"
                note = Note(NoteKind.NONDETERMINISTIC, words)
                yield finding(subject, Verdict.NONDETERMINISTIC, note, x.name)
                return
    tests = [(0.0, pull([0.0 * w for w in weights]), "gives a gradient where none arrives")]
    if not is_halved:
        tests.append((0.5, halves, "does not pass on half as much when half as much arrives"))
    for factor, other, how in tests:
        for x, a, b in zip(subject.inputs, first, other, strict=True):
            worst = _off(a, b, factor, x.tensor._a, unit)
            if worst is not None:
                note = Note(NoteKind.NONLINEAR, f"the backward of {name} {how}")
                made = finding(subject, Verdict.WRONG, note, x.name)
                made.worst, made.table = worst, [worst]
                yield made
                return


def _are_halves(first: Sequence[Array | None], halves: Sequence[Array | None]) -> bool:
    return all(a is None or b is None or equal(0.5 * a, b) for a, b in zip(first, halves, strict=True))


def _off(a: Array | None, b: Array | None, factor: float, at: Any, unit: float) -> Entry | None:
    if a is None or b is None or not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))) or a.shape != b.shape:
        return None
    off = np.abs(b - factor * a)
    unit = max(unit, float(np.finfo(a.dtype).eps) if a.dtype.kind == "f" else 0.0)
    if np.max(off, initial=0.0) <= max(_CLEAR, 64 * unit) * np.max(np.abs(a), initial=0.0) + 4 * least_of(unit):
        return None
    index = np.unravel_index(int(np.argmax(off)), off.shape)
    judged = Judged(Verdict.WRONG, float(b[index]), factor * float(a[index]), 0.0, answer_of=of_share(factor))
    return Entry(tuple(map(int, index)), float(np.asarray(at)[index]), judged)
