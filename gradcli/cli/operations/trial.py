"""A small program for an operation, to be checked: its arguments are tried out until the operation takes them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import NamedTuple

from ...report.check.outcome import Outcome
from ...spec.input.named_inputs import bindings
from ...verdicts import NoteKind
from ..checking.job import Job, outcomes
from .catalogue import Entry, behind, op_of, short

# Shapes of the tensors, the last of them for all that follow: vectors, matrices, and what layers take.
_SHAPES = (("3",), ("3, 3",), ("3, 3", "3"), ("3", "3, 3", "3"), ("2, 3, 3",), ("2, 2, 3, 3",), ("2, 2, 2, 2, 2",))
# Their numbers: any, and those that logarithms and inverse functions take.
_NUMBERS = ("randn({})", "rand({})", "rand({}) + 1.5")
# Matrices that have an inverse and a root: symmetric ones, and triangular ones.
_REGULAR = ("{0} @ {0}.T + eye(3)", "tril({0}) + 3 * eye(3)")
# Arguments that are no tensors, by the name that they have everywhere.
_PLAIN = {
    "dim": "0", "dims": "(0,)", "dim0": "0", "dim1": "1", "axis": "0", "kernel_size": "2", "output_size": "2", "p": "2",
    "k": "1", "n": "2", "exponent": "3", "size": "(3, 3)", "normalized_shape": "(3,)", "groups": "1", "num_groups": "1",
    "shifts": "1", "repeats": "2", "q": "0.5", "pad": "(1, 1)", "index": "tensor([0, 2])", "start": "0", "length": "2",
    "split_size_or_sections": "1", "split_size": "1", "chunks": "2", "min": "-1", "max": "1", "threshold": "0.1",
    "value": "0.5", "upscale_factor": "1", "downscale_factor": "1", "equation": "'i...->i...'", "offset": "0",
    "indices_or_sections": "1", "source": "0", "destination": "-1", "shape": "(-1,)", "train": "False",
    "norm_type": "2",
}  # fmt: skip
_LISTS = ("tensors", "sequences")
_TENSORS = ("Array", "Tensor", "Value")


def tried(entry: Entry) -> Outcome | None:
    """The check of the first program in which an operation has a gradient; None where none was found."""
    # The gradient of what reads one half of a matrix is right for matrices of its kind, and nothing says of which.
    particular = any(op.reads_half or op.assumes for op in behind(entry))
    second = None
    for job in _jobs(entry, particular):
        (outcome,) = outcomes([job])
        checked = outcome.checked
        if checked.failure is not None or any(note.kind is NoteKind.DOMAIN for note in checked.notes):
            continue
        if outcome.clean or (outcome.failed and not particular):
            return outcome
        second = second or outcome
    return second


def _jobs(entry: Entry, particular: bool) -> Iterator[Job]:
    """Programs that call it, the simplest arguments first, and those that it can do without last."""
    for optional in (False, True):
        arguments = _arguments(entry, optional)
        if not arguments:
            return
        for shapes in () if particular else _SHAPES:
            for numbers in _NUMBERS:
                yield _job(entry, arguments, shapes, numbers, "{0}")
        for form in _REGULAR:
            yield _job(entry, arguments, ("3, 3",), _NUMBERS[0], form)


def _job(entry: Entry, arguments: list[_Argument], shapes: tuple[str, ...], numbers: str, form: str) -> Job:
    names = [argument.name for argument in arguments if argument.is_tensor]
    words = [f"{name}={numbers.format(shapes[min(at, len(shapes) - 1)])}" for at, name in enumerate(names)]
    call = _call(entry, [a.text.format(form.format(a.name)) if a.is_tensor else a.text for a in arguments])
    return Job(call, "expression", bindings=bindings(words), again=(call, *words))


class _Argument(NamedTuple):
    """An argument of a call: its name in the program, whether it is a tensor, and its text with room for that."""

    name: str
    is_tensor: bool
    text: str


def _arguments(entry: Entry, optional: bool) -> list[_Argument]:
    """The arguments that a call cannot do without, or all that are known."""
    found = []
    for p in _parameters(entry):
        # A default that is only an object says that there is none for tensors.
        needed = p.default is p.empty or type(p.default) is object
        # `input` is a function of Python's, and `self` of no class here.
        name = {"self": "x", "input": "x"}.get(p.name, p.name)
        if p.name in _LISTS and needed:
            found.append(_Argument("x", True, "[{0}]"))
        elif needed and (p.annotation in _TENSORS or p.name not in _PLAIN):
            found.append(_Argument(name, True, "{0}"))
        elif needed:
            found.append(_Argument(name, False, _PLAIN[p.name]))
        elif optional and p.name in _PLAIN:
            found.append(_Argument(name, False, f"{p.name}={_PLAIN[p.name]}"))
    return found


def _parameters(entry: Entry) -> list[inspect.Parameter]:
    """The parameters of a function; one that takes anything has those of the operation that it calls."""
    op = op_of(entry.value)
    if isinstance(entry.value, type) or not callable(entry.value):
        return []
    for function in (op.forward if op else entry.value, *(op.forward for op in behind(entry)[:1])):
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return []
        named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if named:
            return named
    return []


def _call(entry: Entry, texts: list[str]) -> str:
    full = entry.full_names[0]
    if full.startswith("torch.Tensor."):
        owner, *rest = texts
        owner = owner if owner.isidentifier() else f"({owner})"
        return f"{owner}.{entry.name}({', '.join(rest)})"
    return f"{short(full)}({', '.join(texts)})"
