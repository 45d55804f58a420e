"""The digits that casts to half precision take from a gradient: a program beside itself in double precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...engine.numeric.halves import converted
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..claims.passes import weights_of
from ..judging.findings import Entry, Finding
from ..judging.verdict import Judged, Verdict
from ..replay.subject import Subject

# Digits that double precision has, less than it may lose in a program itself.
_EXACT = 2.0**-40
# So much of the largest derivative half precision may lose, and still be no more than inaccurate.
LARGEST = 2.0**-5
# Inputs that differ by more, of the largest, are other numbers, and not the same ones rounded.
_ROUNDED = 2.0**-7


class Gradients(NamedTuple):
    """The gradients of a program, by the names of output and input, the numbers of the inputs, and the outputs."""

    claims: dict[tuple[str, str], Array]
    at: dict[str, Array]
    outputs: dict[str, Array]


def gradients(subject: Subject, seed: int) -> Gradients:
    """The gradients of each output, summed up with random weights."""
    weights = [weights_of(y.tensor, seed + i) for i, y in enumerate(subject.outputs)]
    claims = {}
    for i, output in enumerate(subject.outputs):
        found = subject.claim([w if i == j else None for j, w in enumerate(weights)])
        for source, g in zip(subject.inputs, found, strict=True):
            claims[output.name, source.name] = _double(np.zeros(source.tensor.shape) if g is None else g)
    at = {x.name: _double(a) for x, a in zip(subject.inputs, subject.at, strict=True)}
    return Gradients(claims, at, _outputs(subject))


def _outputs(subject: Subject) -> dict[str, Array]:
    return {y.name: _double(y.tensor._a) for y in subject.outputs}


def gives_the_same(subject: Subject, true: Gradients) -> bool:
    """Tell whether casts leave the outputs as they are: what they change is what backwards read, then."""
    found = _outputs(subject)
    return found.keys() == true.outputs.keys() and all(np.array_equal(found[y], true.outputs[y]) for y in found)


def judged(subject: Subject, true: Gradients, seed: int) -> list[Finding]:
    """A finding for each gradient that loses digits; ``true``: those of the program in double precision."""
    own = gradients(subject, seed)
    if own.at.keys() != true.at.keys() or not all(_is_rounded(own.at[name], true.at[name]) for name in true.at):
        # It draws other numbers in another precision: there is nothing to compare with.
        return []
    return [finding for y in subject.outputs for finding in _of_output(y, own, true)]


def _of_output(output: Any, own: Gradients, true: Gradients) -> Iterator[Finding]:
    for (name, source), right in true.claims.items():
        claimed = own.claims.get((name, source))
        if name != output.name or claimed is None or claimed.shape != right.shape:
            continue
        with np.errstate(all="ignore"):
            off = np.nan_to_num(np.where(claimed == right, 0.0, np.abs(claimed - right)), nan=np.inf)
        size, worst = np.max(np.abs(right), initial=0.0), np.max(off, initial=0.0)
        share = float(worst / size) if size else float(np.inf if worst else 0.0)
        if share > _EXACT and np.isfinite(size):
            yield _finding(output, source, share, _entry(own.at[source], off, claimed, right))


def _finding(output: Any, source: str, share: float, worst: Entry) -> Finding:
    finding = Finding(output.name, source, 1, worst.judged.verdict, span=output.span, worst=worst, table=[worst])
    finding.digits = max(0.0, -float(np.log10(share))) if np.isfinite(share) else 0.0
    told = f"half precision leaves {finding.digits:.1f} digits of {output.name} with respect to {source}"
    finding.notes.append(Note(NoteKind.HALF, told))
    return finding


def _entry(at: Array, off: Array, claimed: Array, right: Array) -> Entry:
    """The entry that is off by most; overflown it is wrong."""
    index = tuple(map(int, np.unravel_index(int(np.argmax(off)), off.shape)))
    size = float(np.max(np.abs(right), initial=0.0))
    verdict = Verdict.INACCURATE if off[index] <= LARGEST * size else Verdict.UNRESOLVED
    note = "half precision loses most of it" if verdict is Verdict.UNRESOLVED else None
    number = float(claimed[index])
    if not np.isfinite(number):
        verdict, note = Verdict.WRONG, "it overflows in half precision"
    bar = size * 2.0**-53
    return Entry(index, float(at[index]), Judged(verdict, number, float(right[index]), bar, note=note))


def _is_rounded(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= _ROUNDED * np.max(np.abs(b), initial=0.0)))


def _double(a: Any) -> Array:
    made: Array = np.asarray(converted(np.asanyarray(a), np.dtype("float64")))
    return made
