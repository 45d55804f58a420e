"""A vmap computed for the whole batch at once: what its function does with one sample, done again for all.

The first sample is computed as ever, and the ops that it comes to are written down. A function of samples may not ask
about their numbers: all samples come to the same ops. Each of these is then evaluated for the whole batch, in the form
in which it is called for many points. Whatever an op is given has to be known: made of the sample by ops before, or
the same for all samples, as what the function refers to is. Where that cannot be seen of one sample, the last one is
computed, too: what both were given is the same for all. Else, and where their values are not those of the batch,
something of a sample went by unseen: then each sample is computed as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import raised_by_program
from ..many_points import form_of
from ..modes import casting, mode
from ..numeric.halves import is_half
from ..python_number import WrappedNumber
from ..registry import Op
from ..tape.replay import evaluated
from ..tensor import Tensor

# Fewer samples are computed sooner one by one than after the first and the last of them.
FEWEST = 8
# How far a sample may be from what was computed of the batch, by its dtype's precision.
_ALIKE = 2.0**12

# What stands for an op where an array gets the numbers of another one, or where numbers are looked at for an error:
# that raises it, or tells whether there is none.
Look = Callable[..., Any]


class Step:
    """An op that the function came to with a sample: what it was given, and the arrays it made."""

    __slots__ = "args", "op", "outs"

    def __init__(self, op: Op | Look, args: Sequence[Any], outs: list[Any]) -> None:
        self.op, self.args, self.outs = op, args, outs

    def flat(self) -> tuple[list[Any], list[tuple[int, int]]]:
        """The arguments with lists of tensors taken apart, and where each is among them; -1 ends what is no list."""
        flat: list[Any] = []
        spans = []
        for i, x in enumerate(self.args):
            if isinstance(self.op, Op) and self.op.parameters[i] in self.op.lists:
                spans.append((len(flat), len(flat) + len(x)))
                flat += x
            else:
                spans.append((len(flat), -1))
                flat.append(x)
        return [_array(x) for x in flat], spans


class Steps:
    """All ops that the function came to with one sample, in their order."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        # Whether they are all that there is to do for a sample.
        self.are_all = mode.tape is None and mode.duals is None and casting() is None and mode.samples == 1

    def add(self, op: Any, args: Sequence[Any], outs: Sequence[Any]) -> None:
        """Note an op and what it made."""
        if not self.are_all:
            return
        arrays = [a for a in outs if a is not None]
        if op is None or (isinstance(op, Op) and op.reads_storage) or not all(map(_is_plain, arrays)):
            # The memory of one sample is no part of what is made of the batch.
            self.are_all = False
        elif self.steps and self.steps[-1].args is args and self.steps[-1].op is op:
            self.steps[-1].outs += arrays
        else:
            self.steps.append(Step(op, args, arrays))


def same(a: Any) -> list[Any]:
    """Stands for an op where an array gets the numbers of another one."""
    return [a]


class Known:
    """The arrays that are known, by their id(): those that all samples share, and what others are for the batch."""

    def __init__(self, constants: Iterable[int], batch: dict[int, Any], count: int) -> None:
        self._constants = set(constants)
        self._batch = batch
        self._count = count
        # Whether there is one sample only to know them of: then what its function refers to is asked for.
        self._alone = False
        self._referred: Callable[[], Iterator[Tensor]] | None = None

    def of_one(
        self, steps: Steps, made: Sequence[Any], referred: Callable[[], Iterator[Tensor]]
    ) -> list[Any] | None:
        """For each thing that the first sample comes to by some steps, those of all; None as in ``of_batch``."""
        self._alone, self._referred = True, referred
        return self.of_batch(steps, steps, made, made)

    def of_batch(self, steps: Steps, others: Steps, made: Sequence[Any], also: Sequence[Any]) -> list[Any] | None:
        """For each thing that a sample comes to by some steps, those of all; None for what is no sample's.

        ``others``: the steps of the last sample, which comes to ``also``. It is None where something is not known.
        """
        if not (steps.are_all and others.are_all) or (len(steps.steps), len(made)) != (len(others.steps), len(also)):
            return None
        with np.errstate(all="ignore"):
            if not all(map(self._goes_on, steps.steps, others.steps)):
                return None
        found = []
        for x, y in zip(map(_array, made), map(_array, also), strict=True):
            batch = self._batch.get(id(x))
            if batch is None and not self._is_constant(x, y):
                return None
            own = x if batch is None else batch[0 if self._alone else -1]
            if isinstance(x, (np.ndarray, np.generic)) and not _is_alike(own, y):
                return None
            found.append(batch)
        return found

    def _goes_on(self, step: Step, other: Step) -> bool:
        """Find what a step makes of the batch; tell whether it can be known."""
        flat, spans = step.flat()
        others, _ = other.flat()
        if step.op is not other.op or len(flat) != len(others):
            return False
        given = [id(x) in self._batch for x in flat]
        known = all(g or self._is_constant(x, y) for x, y, g in zip(flat, others, given, strict=True))
        if not any(given):
            if known:
                self._constants.update(map(id, step.outs))
            # What is made of unknown numbers is unknown, too.
            return True
        if not known:
            return False
        args = [self._batch[id(x)] if g else x for x, g in zip(flat, given, strict=True)]
        made = _of_all(step, args, given, spans, self._count) if isinstance(step.op, Op) else step.op(*args)
        if type(made) is bool:
            # Who looks for an error that one sample raises has to look at each.
            return made
        if made is None:
            # Whoever looks for an error makes nothing.
            return not step.outs
        self._batch.update((id(a), x) for a, x in zip(step.outs, made, strict=True))
        return True

    def _is_constant(self, x: Any, y: Any) -> bool:
        """Tell whether an argument that is no sample's is the same for all samples."""
        if id(x) in self._constants or (not self._alone and _is_one(x, y)):
            return True
        if self._referred is not None and isinstance(x, (np.ndarray, np.generic)):
            self._constants.update(id(t._held()) for t in self._referred())
            self._referred = None
            return id(x) in self._constants
        if type(x) is list or type(x) is tuple:
            return len(x) == len(y) and all(map(self._is_constant, x, y))
        return not isinstance(x, (np.ndarray, np.generic)) and bool(x == y)


def _is_one(x: Any, y: Any) -> bool:
    """Tell whether two arrays are one, or are the same part of the memory of one."""
    if type(x) is np.ndarray and type(y) is np.ndarray:
        facts = [(a.ctypes.data, a.shape, a.strides, a.dtype) for a in (x, y)]
        return facts[0] == facts[1]
    # NumPy has one True and one False for all.
    return x is y and not isinstance(x, np.bool_)


def _is_plain(a: Any) -> bool:
    return isinstance(a, (np.ndarray, np.generic)) and not isinstance(a, np.bool_) and not is_half(a.dtype)


def _of_all(
    step: Step, args: list[Any], given: list[bool], spans: list[tuple[int, int]], count: int
) -> Sequence[Any] | None:
    """The arrays that an op makes of the whole batch, with the samples as the first axis."""
    shapes = [(count, *np.shape(a)) for a in step.outs]
    for way in (_in_form, _one_by_one):
        try:
            made = way(step.op, args, given, spans, count)
        except raised_by_program(TypeError, ValueError, IndexError):
            # What is wrong with the arguments is said where each sample is computed as ever.
            continue
        if made is not None and [x.shape for x in made] == shapes:
            return [x if x.dtype is a.dtype else x.astype(a.dtype) for x, a in zip(made, step.outs, strict=True)]
    return None


def _in_form(op: Any, args: list[Any], given: list[bool], spans: Any, count: int) -> list[Any] | None:
    """The arrays that an op makes of the whole batch when it is called once, if it can be."""
    form = form_of(op)
    made = None if form is None else form(op, args.copy(), given.copy(), count)
    return None if made is None else [x for x in made if x is not None]


def _one_by_one(op: Any, args: list[Any], given: list[bool], spans: Any, count: int) -> list[Any] | None:
    """The arrays that an op makes of the whole batch when it is called for each sample."""
    rows = [[x[i] if g else x for x, g in zip(args, given, strict=True)] for i in range(count)]
    each = [evaluated(op, [row[a] if b < 0 else row[a:b] for a, b in spans]) for row in rows]
    return [np.stack(x) for x in zip(*each, strict=True) if x[0] is not None]


def _array(x: Any) -> Any:
    """An argument as an op's forward has it."""
    if isinstance(x, Tensor):
        return x.number if isinstance(x, WrappedNumber) else x._a
    return type(x)([_array(y) for y in x]) if type(x) is list or type(x) is tuple else x


def _is_alike(a: Any, b: Any) -> bool:
    """Tell whether two arrays are the same but for rounding."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    finite = np.isfinite(b)
    size = np.max(np.abs(b), initial=0.0, where=finite)
    eps = np.finfo(a.dtype).eps * _ALIKE
    return bool(np.allclose(a, b, rtol=eps, atol=float(size) * eps, equal_nan=True))
