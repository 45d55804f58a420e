"""Tensors that a transformed function has from outside of its arguments: it may read them, and not write to them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from ...errors import EngineError
from ..guard.outside import outside
from ..guard.references import codes, enclosed
from ..modes import mode
from ..python_number import WrappedNumber
from ..tensor import Tensor
from ..walk.saved_tensors_hooks import disable_saved_tensors_hooks
from ..writes.inplace import whole
from .trees import leaves

_CAPTURED = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
    "(aten::{name}) that would mutate a captured Tensor. This is not supported; please rewrite the function being "
    "transformed to explicitly accept the mutated Tensor(s) as inputs."
)


_NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)


class transforming:
    """The call of a function that is being transformed, in which some of what autograd has is refused."""

    def __init__(self, function: Any, args: Any, backward: bool = True) -> None:
        # A backward through what the function does would run its hooks, which PyTorch does not do.
        self._refusing = disable_saved_tensors_hooks(_NO_HOOKS) if backward else nullcontext()
        # As they are now: what the function puts in their places is its own.
        self._captured = [whole(x) for x in _held(_roots(function))]
        given = [x for x in leaves(args) if isinstance(x, Tensor)] if self._captured else []
        self._given = [whole(x) for x in given]

    def __enter__(self) -> None:
        self._refusing.__enter__()
        mode.transforms += 1
        if self._captured:
            mode.writes = (*mode.writes, self)

    def __exit__(self, *_: object) -> None:
        mode.transforms -= 1
        if self._captured:
            mode.writes = tuple([watch for watch in mode.writes if watch is not self])
        self._refusing.__exit__(None, None, None)

    def reshapes(self, t: Tensor, name: str) -> None:
        """Refuse to make another view of what the function captured."""
        self._refuse(t, name)

    def writes(self, t: Tensor, function: Any, args: Sequence[Any], name: str) -> bool:
        """Refuse a write to what the function captured."""
        self._refuse(t, name)
        return True

    def _refuse(self, t: Tensor, name: str) -> None:
        base = whole(t)
        if any(_is_same(x, base) for x in self._given):
            return
        if any(_is_same(x, base) for x in self._captured):
            raise EngineError(_CAPTURED.format(name=name))

    def made(self, t: Tensor) -> None:
        """A function may write to what it makes."""

    def begins(self, t: Tensor) -> None:
        """A function may write to memory of its own."""

    def made_like(self, t: Tensor, x: Any) -> None:
        """A function may write to what it makes."""

    def moved(self, number: Any, memory: Any) -> None:
        """Where its numbers lie is its own business."""

    def looks(self, look: Any, args: Any) -> None:
        """A function may fail for its numbers."""

    # What vmap asks of draws nobody asks here.
    randomness = ""

    def depends(self, t: Any) -> bool:
        """Of samples it knows nothing."""
        return False

    def draws(self) -> None:
        """A function may draw whatever it likes."""

    def refuse(self, t: Any, words: str, error: type[Exception] = EngineError) -> None:
        """A function may read whatever it likes."""


def captures(function: Any, t: Tensor) -> bool:
    """Tell whether a function has a tensor from around it."""
    base = whole(t)
    return any(_is_same(whole(x), base) for x in _held(_roots(function)))


def referred(function: Any) -> Iterator[Tensor]:
    """The tensors that a function refers to, by themselves, in modules and in lists and dictionaries."""
    return _held(_roots(function, (list, tuple, dict)))


def _is_same(x: Tensor, y: Tensor) -> bool:
    """Tell whether two tensors are one, or one of them is the other outside of the graph."""
    return x is y or (x._vc is not None and x._vc is y._vc)


def _roots(function: Any, containers: tuple[type, ...] = ()) -> Iterator[Any]:
    """The tensors that a function refers to, and the objects it refers to that may hold some."""
    holders = (*_holders(), *containers)
    functions, seen = [function], set()
    while functions:
        each = functions.pop()
        if isinstance(each, MethodType):
            functions += (each.__self__, each.__func__)
            continue
        if isinstance(each, partial):
            functions.append(each.func)
            yield from (value for value in (*each.args, *each.keywords.values()) if isinstance(value, holders))
            continue
        if not isinstance(each, FunctionType) or each in seen:
            if isinstance(each, holders):
                yield each
            yield from (value for value in outside().around(each) if isinstance(value, holders))
            continue
        seen.add(each)
        for value in _referred(each):
            if isinstance(value, FunctionType):
                functions.append(value)
            elif isinstance(value, holders):
                yield value


def _referred(function: FunctionType) -> Iterator[Any]:
    """The values of the names that a function has from around it, and those of arguments that are left away."""
    for _, value in enclosed(function):
        yield value
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    # Functions that it makes have the same names around them.
    for code in codes(function):
        for name in code.co_names:
            value = function.__globals__.get(name)
            if not isinstance(value, FunctionType):
                yield value


def _holders() -> tuple[type, ...]:
    """The classes of what may hold tensors."""
    nn = sys.modules.get(f"{__name__.partition('.')[0]}.nn.modules.module")
    return (Tensor,) if nn is None else (Tensor, nn.Module)


def _held(roots: Iterable[Any]) -> Iterator[Tensor]:
    """The tensors among objects, and in modules among them."""
    modules = _holders()[1:]
    for x in roots:
        if isinstance(x, (list, tuple, dict)):
            yield from _held([y for y in leaves(x) if isinstance(y, _holders())])
        elif isinstance(x, WrappedNumber):
            # It stands for an operand of an op that is called, and is no tensor of the function's.
            continue
        elif isinstance(x, Tensor):
            yield x
        elif isinstance(x, modules):
            yield from _of_module(x)


def _of_module(module: Any) -> Iterator[Tensor]:
    """The parameters and buffers of a module: it is asked at each call, so it reads where they are."""
    left, seen = [module], set()
    while left:
        each = left.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield from [t for held in (each._parameters, each._buffers) for t in held.values() if t is not None]
        left += each._modules.values()
