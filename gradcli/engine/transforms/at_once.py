"""A vmap computed for the whole batch at once: what its function does with the first sample, done again for all.

The first sample is computed as ever, and what ops that comes to is written down. A function of samples may not ask
what their numbers are: all samples come to the same ops. Each of these is then evaluated for the whole batch, in the
form in which it is called for many points. The last sample is computed as ever, too, and has to agree: it would not
if something of a sample went by unseen. Where anything stands in the way, each sample is computed as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import raised_by_program
from ..many_points import form_of
from ..modes import mode
from ..numeric.halves import is_half
from ..python_number import WrappedNumber
from ..registry import Op
from ..tape.replay import evaluated
from ..tensor import Tensor

# Fewer samples are computed sooner one by one.
FEWEST = 4
# How far the last sample may be from what was computed of the batch, by its dtype's precision.
_ALIKE = 2.0**12


class Step:
    """An op that the function came to with the first sample: what it was given, and the arrays it made."""

    __slots__ = "args", "op", "outs"

    def __init__(self, op: Op | None, args: Sequence[Any], outs: list[Any]) -> None:
        self.op, self.args, self.outs = op, args, outs


class Steps:
    """All ops that the function came to with the first sample, in their order."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        # For each array that is of a sample, by its id(), what it is for all of them: first for the samples themselves.
        self.batch: dict[int, Any] = {}
        # Whether they are all that there is to do for a sample.
        self.are_all = mode.tape is None and mode.duals is None and mode.autocast is None and mode.samples == 1

    def add(self, op: Op | None, args: Sequence[Any], outs: Sequence[Any]) -> None:
        """Note an op and what it made of a sample."""
        arrays = [a for a in outs if a is not None]
        if op is None or not all(map(_is_plain, arrays)) or mode.duals is not None:
            self.are_all = False
        elif self._steps and self._steps[-1].args is args and self._steps[-1].op is op:
            self._steps[-1].outs += arrays
        else:
            self._steps.append(Step(op, args, arrays))

    def add_same(self, a: Any, made: Any) -> None:
        """Note that an array has the numbers of another one."""
        self._steps.append(Step(None, (a,), [made]))

    def of_batch(self, depends: Any, count: int) -> bool:
        """Find what each array is for the whole batch; tell whether it was found.

        ``depends`` tells whether an argument depends on the sample.
        """
        with np.errstate(all="ignore"):
            for step in self._steps:
                made = _of_all(step, self.batch, depends, count)
                if made is None:
                    return False
                self.batch.update((id(a), x) for a, x in zip(step.outs, made, strict=True))
        return True


def _is_plain(a: Any) -> bool:
    return isinstance(a, (np.ndarray, np.generic)) and not is_half(a.dtype)


def _of_all(step: Step, batch: dict[int, Any], depends: Any, count: int) -> Sequence[Any] | None:
    """The arrays that an op makes of the whole batch, with the samples as the first axis."""
    op = step.op
    flat: list[Any] = []
    spans: list[tuple[int, int]] = []
    for i, x in enumerate(step.args):
        if op is not None and op.parameters[i] in op.lists:
            spans.append((len(flat), len(flat) + len(x)))
            flat += x
        else:
            spans.append((len(flat), -1))
            flat.append(x)
    arrays = [_array(x) for x in flat]
    given = [id(a) in batch for a in arrays]
    if any(_depends(x, depends) and not g for x, g in zip(flat, given, strict=True)):
        return None
    args = [batch[id(a)] if g else a for a, g in zip(arrays, given, strict=True)]
    if op is None:
        return args if all(given) else None
    found = _in_form(op, args, given, step.outs, count)
    if found is None:
        rows = [[x[i] if g else x for x, g in zip(args, given, strict=True)] for i in range(count)]
        each = [evaluated(op, [row[a] if b < 0 else row[a:b] for a, b in spans]) for row in rows]
        found = [np.stack(x) for x in zip(*each, strict=True) if x[0] is not None]
    pairs = list(zip(found, step.outs, strict=False))
    if len(found) != len(step.outs) or any(x.shape != (count, *np.shape(a)) for x, a in pairs):
        return None
    return [x if x.dtype is a.dtype else x.astype(a.dtype) for x, a in pairs]


def _in_form(op: Op, args: list[Any], given: list[bool], outs: list[Any], count: int) -> list[Any] | None:
    """The arrays that an op makes of the whole batch when it is called once, if it can be."""
    form = form_of(op)
    if form is None:
        return None
    try:
        made = form(op, args.copy(), given.copy(), count)
    except raised_by_program(TypeError, ValueError, IndexError):
        # The form does not foresee these arguments; sample by sample, what is wrong with them is said.
        return None
    found = None if made is None else [x for x in made if x is not None]
    if found is None or [x.shape for x in found] != [(count, *np.shape(a)) for a in outs]:
        return None
    return found


def _array(x: Any) -> Any:
    """An argument as an op's forward has it."""
    if isinstance(x, Tensor):
        return x.number if isinstance(x, WrappedNumber) else x._a
    return type(x)([_array(y) for y in x]) if type(x) is list or type(x) is tuple else x


def _depends(x: Any, depends: Any) -> bool:
    """Tell whether an argument, or something in it, depends on the sample."""
    return any(_depends(y, depends) for y in x) if type(x) is list or type(x) is tuple else depends(x)


def is_alike(a: Any, b: Any) -> bool:
    """Tell whether two arrays are the same but for rounding."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    finite = np.isfinite(b)
    size = np.max(np.abs(b), initial=0.0, where=finite)
    eps = np.finfo(a.dtype).eps * _ALIKE
    return bool(np.allclose(a, b, rtol=eps, atol=float(size) * eps, equal_nan=True))
