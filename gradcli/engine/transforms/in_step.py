"""The samples of a vmap in step: where a function computes a batch at once, each waits until all have come there.

The first sample is computed as ever. Each other one has a stack of its own for as long as it has to wait; one at a
time runs, and what modes there are is kept for it while it waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, NamedTuple

import numpy as np

from ...errors import EngineError, EngineIndexError
from ..guard.outside import guarded, outside
from ..modes import mode
from ..tensor import Tensor
from .pytree import broadcast_to_and_flatten, tree_flatten, tree_structure, tree_unflatten

_SEE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """The facts of a batch, for a function that has its own vmap."""

    batch_size: int
    randomness: str


class _Abandoned(BaseException):
    """Ends a sample that waits for what will not come."""


def _state() -> tuple[Any, Any]:
    """The modes, and the calls of whoever runs this."""
    return mode.state(), outside().stack()


def _take(state: tuple[Any, Any]) -> None:
    """Come back to modes and calls."""
    modes, stack = state
    mode.take(modes)
    outside().on_stack(stack)


class _Waiting:
    """A sample that runs on a stack of its own: while it waits, with what it has come to."""

    def __init__(self, run: Callable[[], Any], state: tuple[Any, ...], size: int) -> None:
        from threading import Semaphore, Thread, stack_size

        self.state = state
        self.function: Any = None
        self.args: tuple[Any, ...] = ()
        self.value: Any = None
        self.error: BaseException | None = None
        self.ended = self.abandoned = self.left_alone = False
        self._go, self._back = Semaphore(0), Semaphore(0)
        self._run = run
        self._thread = Thread(target=copy_context().run, args=(self._whole,), daemon=True)
        before = stack_size(size)
        self._thread.start()
        stack_size(before)

    def _whole(self) -> None:
        self._go.acquire()
        _take(self.state)
        try:
            if not self.abandoned:
                self.value = self._run()
        except BaseException as error:
            self.error = error
        self.ended = True
        self._back.release()

    def go_on(self) -> None:
        """Let it run until it waits again, or has ended."""
        before = _state()
        # Where this is interrupted, it is still on its way: nobody waits for it any more.
        self.left_alone = True
        self._go.release()
        self._back.acquire()
        self.left_alone = False
        _take(before)

    def wait(self, function: Any, args: tuple[Any, ...]) -> None:
        """Let the others go on; it is called by the sample itself."""
        self.function, self.args = function, args
        self.state = _state()
        self._back.release()
        self._go.acquire()
        _take(self.state)
        if self.abandoned:
            raise _Abandoned

    def abandon(self) -> None:
        """End it, if it has not ended."""
        self.abandoned = True
        if not self.ended and not self.left_alone:
            self.go_on()


class InStep:
    """The samples of one vmap, and the function that computes one of them."""

    def __init__(self, samples: Any, run: Callable[[int], Any], count: int, randomness: str) -> None:
        self._samples, self._run, self._count, self._randomness = samples, run, count, randomness
        self._waiting: dict[int, _Waiting] = {}
        self._results: list[Any] = []
        self._stack = 0
        # What samples write to alike, as it is where they wait.
        self._held: list[Any] = []
        self._state = _state()
        # What the first sample was given, with the batch that it is of and the axis of that.
        self.given: list[tuple[Any, Tensor, int]] = []
        # How many transforms there are around each sample.
        self.transforms = mode.transforms

    def have_room(self) -> bool:
        """Tell whether each sample may have a stack of its own."""
        size = outside().stacks(self._count)
        self._stack = size or 0
        return size is not None

    @property
    def begun(self) -> bool:
        """True where other samples than the first have been begun."""
        return bool(self._waiting)

    def first(self, call: Callable[[], Any]) -> Any:
        """The value of the first sample; those that wait for it are ended if it fails."""
        try:
            return call()
        except BaseException:
            for sample in self._waiting.values():
                sample.abandon()
            raise

    def rest(self, i: int) -> Any:
        """The value of another sample, which may have waited."""
        sample = self._waiting.get(i)
        if sample is None:
            return self._run(i)
        if not sample.ended:
            self._samples.back(self._held)
            sample.go_on()
        if sample.error is not None:
            raise sample.error
        return sample.value

    def together(self, function: Any, args: tuple[Any, ...]) -> Any:
        """The outputs of a function for this sample, which it computes for all of them at once."""
        now: int = self._samples.now
        if now:
            self._waiting[now].wait(function, args)
            return self._results[now]
        rows = [args]
        for i in range(1, self._count):
            sample = self._waiting.get(i)
            if sample is None:
                sample = self._waiting[i] = _Waiting(lambda i=i: self._run(i), self._state, self._stack)  # type: ignore[misc]
            else:
                self._samples.back(self._held)
            self._samples.now = i
            sample.go_on()
            self._samples.now = 0
            if sample.error is not None:
                raise sample.error
            if sample.ended or sample.function is not function:
                raise EngineError(f"vmap: not every sample comes to the same call of {function.__name__}")
            rows.append(sample.args)
        self._held = self._samples.held()
        self._results = self._computed(function, rows)
        return self._results[0]

    def _computed(self, function: Any, rows: list[tuple[Any, ...]]) -> list[Any]:
        """The outputs of a function for each sample, of its arguments for each."""
        from ..ops.shape.joining import stack

        flat = [tree_flatten(row)[0] for row in rows]
        spec = tree_flatten(rows[0])[1]
        depends = self._samples.depends
        given = [next(((t, d) for part, t, d in self.given if part is x), None) for x in flat[0]]
        dims = [g[1] if g else 0 if depends(x) else None for x, g in zip(flat[0], given, strict=True)]
        if all(d is None for d in dims):
            with self._outside():
                return [function.apply(*rows[0])] * self._count
        batch = [
            g[0] if g else c[0] if d is None else stack(list(c), 0)
            for c, d, g in zip(zip(*flat, strict=True), dims, given, strict=True)
        ]
        info = VmapInfo(self._count, self._randomness)
        with self._outside():
            answer = guarded(function.vmap)(info, tree_unflatten(dims, spec), *tree_unflatten(batch, spec))
        outputs, out_dims = _checked(answer)
        leaves, structure = tree_flatten(outputs)
        parts = [[_part(x, d, i) for x, d in zip(leaves, out_dims, strict=True)] for i in range(self._count)]
        for k, x in enumerate(leaves):
            place = next((j for j, b in enumerate(batch) if b is x and dims[j] is not None), None)
            if place is not None:
                # The batch itself, which may have been written to: so are its samples.
                for part, own in zip(parts, flat, strict=True):
                    part[k] = self._as_written(own[place], part[k])
        for x, d in zip(parts[0], out_dims, strict=True):
            if d is not None and isinstance(x, Tensor):
                self._samples.add(x)
        return [tree_unflatten(part, structure) for part in parts]

    def _as_written(self, own: Tensor, now: Tensor) -> Tensor:
        """A sample as its part of the batch is."""
        if not np.may_share_memory(own._a, now._a):
            with self._outside():
                own.copy_(now)
        return own

    @contextmanager
    def _outside(self) -> Iterator[None]:
        """Compute where there are no samples of this vmap."""
        before, recorded = mode.state(), mode.grad
        mode.take(self._state[0])
        mode.grad = recorded
        mode.writes = tuple([watch for watch in mode.writes if watch is not self._samples])
        mode.samples -= 1
        mode.transforms -= 1
        try:
            yield
        finally:
            mode.take(before)


def _checked(answer: Any) -> tuple[Any, list[Any]]:
    """The outputs that a function's own vmap gives, and for each the axis of the samples."""
    if not isinstance(answer, tuple) or len(answer) != 2:
        got = f"{len(answer)} returns" if isinstance(answer, tuple) else f"a {type(answer)}"
        raise EngineError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got {got} instead".replace(str(Tensor), "<class 'torch.Tensor'>")
        )
    outputs, out_dims = answer
    structure = tree_structure(outputs)
    flat = broadcast_to_and_flatten(out_dims, structure)
    if flat is None:
        raise EngineError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{tree_structure(out_dims)} but output has structure {structure}. {_SEE}"
        )
    return outputs, flat


def _part(x: Any, d: int | None, i: int) -> Any:
    """The part of an output that belongs to a sample."""
    if d is None or not isinstance(x, Tensor):
        return x
    if not -x.ndim <= d < x.ndim:
        raise EngineIndexError(
            f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got {d})"
        )
    return x.select(d, i)
