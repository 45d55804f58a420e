"""Modes of a running program: recording, inference, the backward of a rule."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from ..errors import EngineError, EngineTypeError
from .guard.outside import guarded, named_after

_ON_A_CLASS = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and nothing else."
)

F = TypeVar("F", bound=Callable[..., Any])


class Version:
    """A count of the writes to a piece of memory, common to all tensors that share it."""

    __slots__ = ("n",)

    def __init__(self) -> None:
        self.n = 0


# That of all tensors made in inference mode: nobody reads it, and what looks at one with a count looks closer.
UNCOUNTED = Version()


# What each thread has for itself, as in PyTorch: a new one begins with what stands here. Where every op looks, it
# calls what reads it, which costs a third of what a property does.
_grad: ContextVar[bool] = ContextVar("grad", default=True)
_rule: ContextVar[bool] = ContextVar("rule", default=False)
_inference: ContextVar[bool] = ContextVar("inference", default=False)
_said: ContextVar[bool] = ContextVar("said", default=False)
_autocast: ContextVar[Any] = ContextVar("autocast", default=None)
_devices: ContextVar[tuple[Any, ...]] = ContextVar("devices", default=())
_packer: ContextVar[Any] = ContextVar("packer", default=None)
_unhooked: ContextVar[str | None] = ContextVar("unhooked", default=None)
_samples: ContextVar[int] = ContextVar("samples", default=0)
_writes: ContextVar[tuple[Any, ...]] = ContextVar("writes", default=())
_transforms: ContextVar[int] = ContextVar("transforms", default=0)
recording, record = _grad.get, _grad.set
in_rule, as_rule = _rule.get, _rule.set
inferring = _inference.get
casting = _autocast.get
devices = _devices.get
watching = _writes.get
said, say = _said.get, _said.set


def _own(variable: ContextVar[Any], doc: str) -> Any:
    """A mode that each thread has for itself."""

    def set_here(_: Any, value: Any) -> None:
        variable.set(value)

    return property(lambda _: variable.get(), set_here, doc=doc)


class Mode:
    """The switches themselves, in one object; what every op looks at is read by a function above, or an attribute."""

    __slots__ = (
        "_inferring", "aside", "complex_calls", "duals", "of_complex", "readings", "tape",
    )  # fmt: skip

    grad = _own(_grad, "Whether what is computed is recorded: see `recording`.")
    # A Python scalar then takes the overloads that PyTorch's own C++ formulas take (MulBackward1 and its like), not
    # those of Python code.
    rule = _own(_rule, "Whether a derivative rule is being recorded: see `in_rule`.")
    said = _own(_said, "Whether a program in inference mode, where nothing is recorded, last asked for recording.")
    autocast = _own(_autocast, "What a block of autocast asks for: an autocasting.Casting, or None.")
    devices = _own(_devices, "The devices that new tensors are made on where a call names none, the last one first.")
    packer = _own(_packer, "What packs, by a program's hooks, what nodes keep.")
    unhooked = _own(_unhooked, "Why such hooks are not to be set, by the innermost block that refuses them.")

    samples = _own(_samples, "How many vmaps the program is in.")
    writes = _own(_writes, "What watches the writes in these, and in transforms of functions: see `watching`.")
    transforms = _own(_transforms, "How many transforms of functions the program is in, these among them.")

    def __init__(self) -> None:
        # In how many threads new tensors can take no part in a graph later.
        self._inferring = 0
        # What writes down all that is recorded, while somebody wants to know.
        self.tape: Any = None
        # The levels of dual numbers that the program is in, if any: they are seen to from where a tape stands.
        self.duals: Any = None
        # Whether complex tensors are readings: real values, each with a direction.
        self.readings = False
        # Whether an op computes with complex tensors, which are what they are.
        self.of_complex = False
        # How many ops of complex tensors were computed so far.
        self.complex_calls = 0
        # Whether there is something to note of results that are not recorded.
        self.aside = False

    @property
    def inference(self) -> bool:
        """True where new tensors can take no part in a graph later."""
        return inferring()

    @inference.setter
    def inference(self, value: bool) -> None:
        self._inferring += value - inferring()
        _inference.set(value)
        self._look()

    def _look(self) -> None:
        self.aside = self._inferring > 0 or self.tape is not None or self.duals is not None

    def record(self, value: bool) -> None:
        """Record or not, as a program asks; never in inference mode."""
        inferred = inferring()
        record(value and not inferred)
        if inferred:
            say(value)

    def state(self) -> tuple[Any, ...]:
        """All modes as they are now."""
        return (
            self.inference, self.autocast, self.complex_calls, self.grad, self.readings, self.rule, self.said,
            self.samples, self.transforms, self.devices, self.packer, self.unhooked, self.writes, self.tape,
            self.duals, None if self.duals is None else [*self.duals.levels],
        )  # fmt: skip

    def take(self, state: tuple[Any, ...]) -> None:
        """Be as a state was."""
        (
            self.inference, self.autocast, self.complex_calls, self.grad, self.readings, self.rule, self.said,
            self.samples, self.transforms, self.devices, self.packer, self.unhooked, self.writes, tape, duals, levels,
        ) = state  # fmt: skip
        self.use(tape)
        self.dual(duals)
        if duals is not None:
            duals.levels = [*levels]

    def begin(self) -> None:
        """Be as in a new thread."""
        self.inference = self.rule = self.said = False
        self.grad = True
        self.autocast = self.packer = self.unhooked = None
        self.devices = self.writes = ()
        self.samples = self.transforms = 0

    def use(self, tape: Any) -> None:
        """Write down what is recorded on a tape, or on none."""
        self.tape = tape
        self._look()

    def dual(self, duals: Any) -> None:
        """Compute with dual numbers of these levels, or of none."""
        self.duals = duals
        self._look()


mode = _mode = Mode()


def aside(op: Any, args: Any, *results: Any) -> None:
    """Note of what an op made of ``args`` that it is not recorded."""
    if inferring():
        for t in results:
            if t is not None:
                t._inference = True
                t._vc = UNCOUNTED
    unrecorded(op, args, *results)


def unrecorded(op: Any, args: Any, *results: Any) -> None:
    """Note of views, and of other results, that they are not recorded."""
    if mode.tape is not None:
        mode.tape.several_unrecorded(results, args, op)
    if mode.duals is not None:
        mode.duals.made(op, args, results)


def unfollowed(t: Any, *args: Any) -> Any:
    """A result that a function, which is no op, made of ``args`` without a derivative: it is noted."""
    if inferring():
        t._inference = True
        t._vc = UNCOUNTED
    if mode.tape is not None:
        mode.tape.unrecorded(t, args)
    return t


def is_followed(t: Any) -> bool:
    """Tell whether somebody asks for a derivative of what is made of a tensor: of its graph or tangent."""
    return mode.duals is not None or (recording() and t._node is not None)


def vmap_around() -> Any:
    """The samples of the vmap that the program is in, of several the innermost; None outside of all."""
    return next((watch for watch in reversed(mode.writes) if hasattr(watch, "in_step")), None)


def beyond_the_first(t: Any, offset: int) -> int | None:
    """The number of places after the place in the first sample at which a tensor lies; None outside of vmap.

    ``offset``: where in its memory it lies itself.
    """
    found = [watch.beyond_the_first(t, offset) for watch in mode.writes if hasattr(watch, "in_step")]
    steps = [n for n in found if n is not None]
    return sum(steps) if steps else None


def refuse_of_samples(words: str, *tensors: Any, error: type[Exception] = EngineError) -> None:
    """Refuse what vmap cannot do with a batch, if one of these tensors depends on the sample."""
    for watch in mode.writes:
        for t in tensors:
            watch.refuse(t, words, error)


def refuse_same_draws(*tensors: Any) -> None:
    """Refuse to draw by numbers that depend on the sample, if vmap asks for the same draws for all."""
    if any(watch.randomness == "same" for watch in mode.writes):
        refuse_of_samples(
            "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with "
            "functorch",
            *tensors,
        )


def refuse_other_shapes(op: str, t: Any) -> None:
    """Refuse what has another shape for each sample, if vmap asks for it."""
    if mode.writes:
        refuse_of_samples(
            "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
            f"aten::{op}. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature.",
            t,
        )


def refused_in_transforms(name: str) -> EngineError:
    """The error for a method that a function being transformed may not call."""
    apis = " (or perhaps using torch.autograd.functional.* APIs)" if name == "requires_grad_()" else ""
    return EngineError(
        f"You are attempting to call Tensor.{name}{apis} inside of a function being transformed by a functorch "
        "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, "
        f"jacfwd, hessian) or call {name} outside of a function being transformed instead."
    )


def ordinary(function: F) -> F:
    """Run user code that a walk calls as user code: no rule is being recorded while it runs."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        before = mode.rule
        mode.rule = False
        try:
            return function(*args, **kwargs)
        finally:
            mode.rule = before

    return cast(F, run)


@contextmanager
def ordinarily() -> Iterator[None]:
    """The same for a block."""
    before = mode.rule
    mode.rule = False
    try:
        yield
    finally:
        mode.rule = before


class Block:
    """A context manager that a program may enter."""

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        raise NotImplementedError


class Decorator(Block):
    """A block that may also decorate a function, each call of which is in it then."""

    def __call__(self, function: Any) -> Any:
        """The function, in such a block."""
        call = guarded(function)

        def within(*args: Any, **kwargs: Any) -> Any:
            with self:
                return call(*args, **kwargs)

        return named_after(function, within)


# What classes of functions know themselves how to switch the generators that they make.
SWITCHING: set[type] = set()


class _Switch(Block):
    """A context manager that is also a decorator."""

    def _enter(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> None:
        self._before = recording(), inferring(), said()
        self._enter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        recorded, inferred, asked = self._before
        record(recorded)
        if inferred is not inferring():
            mode.inference = inferred
        if inferred:
            say(asked)

    def _again(self) -> Self:
        return type(self)()

    def clone(self) -> Self:
        """Another of the same."""
        return self._again()

    def __call__(self, function: F) -> F:
        if isinstance(function, type):
            warnings.warn(_ON_A_CLASS, FutureWarning, stacklevel=2)
        if type(function) in SWITCHING and cast(Any, function).generates:
            return cast(F, cast(Any, function).switched(self._again))
        if _is_generator(function):
            return cast(F, self._generator(function))

        call = guarded(function)

        def switched(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return call(*args, **kwargs)

        return cast(F, named_after(function, switched))

    def _generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A generator that is switched while it runs, not while its caller does."""

        def switched(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            try:
                with self._again():
                    item = generator.send(None)
                while True:
                    try:
                        sent = yield item
                    except GeneratorExit:
                        with self._again():
                            generator.close()
                        raise
                    except BaseException as error:
                        with self._again():
                            item = generator.throw(error)
                    else:
                        with self._again():
                            item = generator.send(sent)
            except StopIteration as stop:
                return stop.value

        return named_after(function, switched)


def _is_generator(function: Any) -> bool:
    # 0x20 is CO_GENERATOR; the module inspect would cost a start-up.
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & 0x20)


class _Bare(_Switch):
    """A switch that may decorate without being called first: ``@no_grad``."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        made = super().__new__(cls)
        return made if function is None else made(function)


class no_grad(_Bare):
    """Record nothing: results do not require a gradient."""

    def _enter(self) -> None:
        mode.record(False)


class enable_grad(_Bare):
    """Record again, inside ``no_grad``, though never in inference mode."""

    def _enter(self) -> None:
        mode.record(True)


class set_grad_enabled(_Switch):
    """Switch recording on or off: at once, and back at the end of a ``with`` block."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise EngineTypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        self._before = recording(), inferring(), said()
        self._enabled = bool(mode)
        _mode.record(self._enabled)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self._enabled})"

    def __enter__(self) -> None:
        mode.record(self._enabled)

    def _again(self) -> Self:
        return type(self)(self._enabled)

    def __call__(self, function: F) -> F:
        self.__exit__(None, None, None)
        return super().__call__(function)


class inference_mode(_Switch):
    """Record nothing, ever: what is made here can take no part in a graph later."""

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        made = super().__new__(cls)
        if not isinstance(mode, bool):
            made._enabled = True
            return made(mode)
        return made

    def __init__(self, mode: bool = True) -> None:
        self._enabled = bool(mode)

    @property
    def mode(self) -> bool:
        """True where it records nothing."""
        return self._enabled

    def _again(self) -> Self:
        return type(self)(self._enabled)

    def _enter(self) -> None:
        mode.inference = self._enabled
        mode.record(not self._enabled)


def is_grad_enabled() -> bool:
    """Tell whether a program has operations recorded, as it last asked."""
    return said() if inferring() else recording()


def is_inference_mode_enabled() -> bool:
    """Tell whether inference mode is on."""
    return inferring()
