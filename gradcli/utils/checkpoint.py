"""torch.utils.checkpoint: keep what a call is given, and compute it again when its backward runs.

A program that is traced or checked keeps everything: there a checkpoint is the call itself, of the same graph.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from typing import Any

from ..engine.function import Function
from ..engine.guard.outside import guarded
from ..engine.modes import Block, enable_grad, mode, no_grad
from ..engine.random.generator import default
from ..engine.tape.tape import Tape
from ..engine.tensor import Tensor
from ..engine.walk.backward import backward
from ..engine.walk.rules import modified
from ..engine.walk.saved_tensors_hooks import saved_tensors_hooks
from ..engine.walk.walk import running
from ..errors import EngineError, EngineValueError, Unsupported

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]

_NOT_SAID = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
    "differences between the two variants."
)
_SEQUENTIAL_NOT_SAID = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In "
    "version 2.9 we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but "
    "if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more "
    "details on the differences between the two variants."
)
_NO_GRADIENT = "None of the inputs have requires_grad=True. Gradients will be None"
_OF_PARTS = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
    "the `inputs` argument."
)
_UNPACKED_TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. Performing two "
    "backward calls that overlap (i.e. require the same saved activation in order to compute gradients) is not allowed "
    "while under the torch.utils.checkpoint.GraphExecGroup context. If you are calling ctx.saved_tensors in backward, "
    "make sure to do so only once. Otherwise please open an issue with details on your use case."
)
_CHECKS = ("default", "none")


class CheckpointError(RuntimeError):
    """The error of a call that keeps other things when it is computed again."""


class EngineCheckpointError(EngineError, CheckpointError):
    """The same as an error of the engine, which has a place and a next step."""

    plain = CheckpointError


CheckpointError.__module__ = "torch.utils.checkpoint"


class _Enough(Exception):
    """All that a backward asks for has been computed again."""


class set_checkpoint_early_stop(Block):
    """Choose whether a call is computed again only as far as its backward needs it."""

    enabled = True

    def __init__(self, enable: bool) -> None:
        self._enable = enable

    def __enter__(self) -> None:
        """From now on."""
        self._before = set_checkpoint_early_stop.enabled
        set_checkpoint_early_stop.enabled = self._enable

    def __exit__(self, *_: object) -> None:
        """Back to what it was."""
        set_checkpoint_early_stop.enabled = self._before


class GraphExecGroup(Block):
    """A block whose backwards compute what a checkpoint needs once; no two may need the same."""

    _now: ContextVar[GraphExecGroup | None] = ContextVar("_now", default=None)

    def __enter__(self) -> GraphExecGroup:
        """From now on."""
        before = self._now.get()
        if before is not None:
            raise EngineError(f"GraphExecGroup contexts cannot be nested. Already inside group {before}")
        self._now.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Back to a backward by itself."""
        self._now.set(None)

    @classmethod
    def _get_current_group(cls) -> GraphExecGroup | None:
        return cls._now.get()


GraphExecGroup.__module__ = "torch.utils.checkpoint"


class DefaultDeviceType:
    """The kind of device that a checkpoint of no tensors is taken to be on: there is the CPU alone."""

    @staticmethod
    def get_device_type() -> str:
        """The kind of device."""
        return "cpu"

    @staticmethod
    def set_device_type(device: str = "cpu") -> None:
        """Refuse any other kind."""
        if device != "cpu":
            raise Unsupported(f"checkpoint on {device!r} is not supported: there is the CPU alone")


_SELECTIVE = (
    "CheckpointPolicy", "SAC_IGNORED_OPS", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts",
    "_CachedTorchDispatchMode", "_CachingTorchDispatchMode",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _SELECTIVE:
        from importlib import import_module

        return getattr(import_module(f"{__package__}._selective"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def noop_context_fn() -> Contexts:
    """No context, neither for the call nor for computing it again."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Call ``function``, and keep nothing of what it computes but what it was given."""
    if use_reentrant is None:
        warnings.warn(_NOT_SAID, stacklevel=2)
        # What is traced cannot be computed again by another backward; the numbers are the same.
        use_reentrant = not _is_traced()
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise EngineValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise EngineValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        needed = any(isinstance(x, Tensor) and x.requires_grad for x in args)
        if not needed:
            warnings.warn(_NO_GRADIENT, stacklevel=2)
        if not _is_traced():
            return CheckpointFunction.apply(guarded(function), preserve, *args)
        # Its backward is a backward of its own, which no graph shows: the call itself has the same gradients.
        with nullcontext() if needed else no_grad():
            return _kept(guarded(function), args, kwargs)
    if determinism_check not in _CHECKS:
        raise EngineValueError(
            f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}"
        )
    if _is_traced() or not mode.grad:
        return _kept(guarded(function), args, kwargs)
    first, again = guarded(context_fn)()
    call = _Call(guarded(function), args, kwargs, again, preserve, determinism_check)
    call.early = early_stop and set_checkpoint_early_stop.enabled
    with call.hooks(), first:
        return call.function(*args, **kwargs)


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """Return the devices of some tensors beside the CPU, and the states of their random numbers: there are none."""
    return [], []


def set_device_states(devices: list[int], states: list[Tensor], *, device_type: str | None = None) -> None:
    """Set the states of random numbers that get_device_states gave: there are none."""


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Call modules one after the other, in so many checkpoints; the last segment is no checkpoint."""
    if use_reentrant is None:
        warnings.warn(_SEQUENTIAL_NOT_SAID, stacklevel=2)
        use_reentrant = not _is_traced()
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise EngineValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    parts = [guarded(f) for f in functions]

    def run(start: int, end: int) -> Callable[[Any], Any]:
        def called(x: Any) -> Any:
            for part in parts[start:end]:
                x = part(x)
            return x

        return called

    size = len(parts) // segments
    for start in range(0, size * (segments - 1), size):
        input = checkpoint(run(start, start + size), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(size * (segments - 1), len(parts))(input)


def _is_traced() -> bool:
    """Tell whether what is recorded is written down for a drawing or a check."""
    tape = mode.tape
    while tape is not None and not isinstance(tape, Tape):
        tape = tape.tape
    return tape is not None


def _kept(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The call itself; a tape is told that a checkpoint would keep less."""
    tape = mode.tape
    if tape is None:
        return function(*args, **kwargs)
    tape.checkpoints += 1
    try:
        return function(*args, **kwargs)
    finally:
        tape.checkpoints -= 1


class _Call:
    """A call whose nodes keep a number each: the place, among all that they keep, of what is computed again."""

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any],
        again: AbstractContextManager[Any], preserve: bool, check: str,
    ) -> None:  # fmt: skip
        self.function, self.args, self.kwargs = function, args, kwargs
        self.again, self.check = again, check
        self.early = True
        self.chance = default.here() if preserve else None
        # The tensors that it was given, each with the count of writes to it.
        self.given = [(x, x._counter().n) for x in args if isinstance(x, Tensor) and not x.is_inference()]
        self.told: list[Any] = []
        self.found: dict[int, Any] = {}
        # The number of the backward for which they were found, or the group of backwards.
        self.asking: Any = -1

    def hooks(self) -> saved_tensors_hooks:
        """Hooks that keep the place of a tensor and what it looks like, and compute it again when it is asked for."""

        # Functions, not methods: a program may hold what it calls, and from a method it would reach the call.
        def pack(t: Any) -> int:
            self.told.append(_look(t))
            return len(self.told) - 1

        def unpack(place: int) -> Any:
            walks, group = running(), GraphExecGroup._get_current_group()
            asking = group or (walks[-1].number if walks else -1)
            if asking == self.asking and group is not None and place not in self.found:
                raise EngineCheckpointError(_UNPACKED_TWICE)
            if place not in self.found or asking != self.asking or not walks:
                self._compute()
                self.asking = asking
            return self.found.pop(place)

        return saved_tensors_hooks(pack, unpack)

    def _compute(self) -> None:
        for x, expected in self.given:
            if x._version != expected:
                raise modified(x, x.grad_fn, x.output_nr, x._version, expected)
        made: list[Any] = []

        def pack(t: Any) -> Any:
            if len(made) == len(self.told):
                raise EngineCheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                    "forward pass."
                )
            made.append(t.detach())
            if self.early and len(made) == len(self.told):
                raise _Enough
            return made[-1]

        hooks = saved_tensors_hooks(pack, lambda t: t)
        # Within the context, that is to see an early end as PyTorch's does.
        with suppress(_Enough), _recording(), _chance(self.chance), hooks, self.again:
            self.function(*self.args, **self.kwargs)
        self._compare(made)
        self.found = dict(enumerate(made))

    def _compare(self, made: Sequence[Any]) -> None:
        if len(made) != len(self.told):
            raise EngineCheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.told)}\nNumber of tensors saved "
                f"during recomputation: {len(made)}."
            )
        pairs = [] if self.check == "none" else zip(self.told, map(_look, made), strict=True)
        other = [
            f"tensor at position {place}:\nsaved metadata: {before}\nrecomputed metadata: {now}"
            for place, (before, now) in enumerate(pairs)
            if before != now
        ]
        if other:
            raise EngineCheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                "during the forward pass.\n" + "\n".join(other) + "\n."
            )


def _look(t: Any) -> dict[str, Any]:
    """The facts of a tensor that must be the same when it is computed again."""
    return {"shape": t.shape, "dtype": t.dtype, "device": t.device}


@contextmanager
def _recording() -> Iterator[None]:
    """Record as a program does, though a backward is running."""
    rule, mode.rule = mode.rule, False
    try:
        with enable_grad():
            yield
    finally:
        mode.rule = rule


@contextmanager
def _chance(begun: Any) -> Iterator[None]:
    """Draw the random numbers that were drawn from here on."""
    now = default.here()
    try:
        if begun is not None:
            default.go(begun)
        yield
    finally:
        if begun is not None:
            default.go(now)


class CheckpointFunction(Function):
    """The call without a graph, and a backward that records it and runs through that at once."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        ctx.run_function, ctx.chance = function, default.here() if preserve else None
        ctx.places = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        ctx.rest = [None if isinstance(x, Tensor) else x for x in args]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if not running()[-1].whole:
            raise EngineError(_OF_PARTS)
        given = list(ctx.rest)
        for i, x in zip(ctx.places, ctx.saved_tensors, strict=True):
            given[i] = x.detach()
            given[i].requires_grad = x.requires_grad
        with _recording(), _chance(ctx.chance):
            found = ctx.run_function(*given)
        outputs = found if isinstance(found, tuple) else (found,)
        pairs = [
            (y, g) for y, g in zip(outputs, grads, strict=True) if isinstance(y, Tensor) and y.requires_grad
        ]
        if not pairs:
            raise EngineError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([y for y, _ in pairs], [g for _, g in pairs])
        return None, None, *[x.grad if isinstance(x, Tensor) else None for x in given]
