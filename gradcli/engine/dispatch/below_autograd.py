"""Below the graph: classes of a program's own that say what each op makes of their tensors, and modes in a backward.

A tensor of such a class has a shape, a dtype and its place in the graph; its numbers are a matter of its class, which
is asked by ``__torch_dispatch__`` for each op that it is given to. One that was made of a tensor has that tensor's
memory besides, for whoever passes the class by. The nodes are those of any other tensor. What rules
compute with it is asked of the class, too: so a backward goes by tensors where there is such a class or a mode.

Calls know nothing of it: the first such tensor has the ops themselves dressed, where the engine's modules name them.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from ...errors import EngineError, EngineTypeError, GradcliError, Unsupported
from ..calls.binding import binder
from ..dtypes import F32, dtype as Dtype
from ..graph import CUT, Output
from ..modes import mode, recording
from ..numeric.meta import Meta
from ..tensor import Tensor, _remade, result

# Whether classes are passed by.
silent: ContextVar[bool] = ContextVar("silent", default=False)
# Whether modes see the ops that a function calls: what it is to PyTorch's dispatcher is those.
_within: ContextVar[bool] = ContextVar("within", default=False)
_ENGINE = __package__.rpartition(".")[0]


class UnansweredError(EngineTypeError):
    """An op for which no class has an answer."""


class Carried(Meta):
    """An array in the place of the numbers of a tensor whose class has them."""

    __slots__ = ("array", "steps", "tensor")
    # How many there are.
    there: ClassVar[int] = 0

    def __init__(self, shape: tuple[int, ...], dtype: Any, steps: tuple[int, ...] | None = None) -> None:
        super().__init__(shape, dtype)
        self.tensor: Any = None
        # The numbers of a tensor that has memory, too.
        self.array: Any = None
        self.steps = steps
        Carried.there += 1

    def __del__(self) -> None:
        Carried.there -= 1

    @property
    def strides(self) -> tuple[int, ...]:
        """The steps, in bytes, between elements, as the tensor was said to have them."""
        return super().strides if self.steps is None else tuple([n * self.itemsize for n in self.steps])

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: only its class has numbers."""
        raise self.refusal()

    def item(self) -> Any:
        """The number, of which the class is asked."""
        from ..ops.aten_names import Packet

        return _answer(Packet("_local_scalar_dense", Tensor.item, "default"), (self.tensor,), (self.tensor,), {})

    def tolist(self) -> Any:
        """Refused, as PyTorch refuses it."""
        raise EngineError(f".tolist() is not supported for tensor subclasses, got {type(self.tensor).__name__}")

    def refusal(self) -> GradcliError:
        """The error of what no class is asked about."""
        kind = type(self.tensor).__name__
        return Unsupported(
            f"this function of a {kind}, whose class alone has its numbers, is not supported",
            help="call it on the tensors that it is made of",
        )


def make_wrapper(
    cls: type, size: Any, strides: Any = None, storage_offset: Any = None, memory_format: Any = None,
    dtype: Dtype | None = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, **policies: Any,
) -> Any:  # fmt: skip
    """A tensor of a class that has its numbers: of this shape, and no memory."""
    if not answers(cls):
        raise EngineTypeError(f"{cls.__name__} must define __torch_dispatch__")
    if not isinstance(size, (tuple, list)) or any(not isinstance(n, int) or n < 0 for n in size):
        raise EngineError(f"a tensor of class {cls.__name__} is made of sizes of 0 or more, not {size}")
    engage()
    steps = None if strides is None else tuple(map(int, strides))
    carried = Carried(tuple(map(int, size)), F32 if dtype is None else dtype.np, steps)
    carried.tensor = t = _remade(cls, carried)
    return t._track(bool(requires_grad))


def answers(cls: type) -> bool:
    """Tell whether a class says itself what ops make of its tensors."""
    home = next((each for each in cls.__mro__ if "__torch_dispatch__" in vars(each)), Tensor)
    return home is not Tensor and getattr(cls, "__torch_dispatch__", None) is not None


def hand_over(t: Any) -> None:
    """Leave the numbers of a tensor to its class, which is asked from now on; they stay where they are."""
    if isinstance(t._a, Carried):
        return
    engage()
    a = t._memory()
    carried = Carried(a.shape, a.dtype, tuple([n // a.itemsize for n in a.strides]))
    carried.tensor, carried.array = t, a
    t._set_array(carried)


def passed_by(values: Any) -> Any:
    """Arguments, in which the tensors of a class that have memory are ordinary ones in the same memory."""
    if isinstance(values, dict):
        return {name: passed_by(x) for name, x in values.items()}
    if type(values) in (tuple, list):
        return type(values)([passed_by(x) for x in values])
    return result(values._a.array) if is_of_class(values) and values._a.array is not None else values


@contextmanager
def seen_within(seen: bool = True) -> Iterator[None]:
    """A block in which modes see the ops that a function is made of, or none of them."""
    before = _within.set(seen)
    try:
        yield
    finally:
        _within.reset(before)


def sees_backwards() -> bool:
    """Tell whether somebody is to see what a backward computes with."""
    if not Carried.there and not has_modes():
        return False
    engage()
    return True


def has_modes() -> bool:
    """Tell whether there are modes that see ops."""
    from .overriding import dispatch_modes

    return bool(dispatch_modes())


def ones_that_are_seen(root: Tensor) -> Any:
    """The ones that a backward of a tensor begins with, where its class or a mode is to see them; None elsewhere."""
    from ..offers import find_for_python

    return find_for_python("torch", "ones_like")(root) if is_of_class(root) or has_modes() else None


def tell_of_unpacked(node: Any) -> None:
    """Tell modes of the results that a node keeps, as it is about to run."""
    from .overriding import tell

    op: Any = getattr(node, "op", None)
    for name in () if op is None or not node.saved else op.saves:
        if name in op.outputs and name in op.wanted_by:
            tell(Tensor.detach, result(node.saved[op.saves.index(name)]))


def tell_of_first(g: Any) -> None:
    """Tell modes of a gradient that a leaf keeps: as it is, or a copy of what has no memory of its own."""
    from .overriding import tell

    if 0 in g.stride():
        tell(Tensor.copy_, tell(Tensor.new_empty_strided, g, tuple(g.shape), result(np.empty(g.shape)).stride()), g)
    else:
        tell(Tensor.detach, g)


def is_of_class(x: Any) -> bool:
    """Tell whether a value is a tensor whose class has its numbers."""
    return isinstance(x, Tensor) and type(x._a) is Carried


def themselves(values: Any) -> Any:
    """Arguments, in which the tensors of a class are the ones that it made."""
    if isinstance(values, dict):
        return {name: themselves(x) for name, x in values.items()}
    if type(values) in (tuple, list):
        return type(values)([themselves(x) for x in values])
    return values._a.tensor if is_of_class(values) else values


def asked(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The tensors among some arguments whose classes are to be asked."""
    found = []
    for x in (*args, *kwargs.values()):
        if type(x) in (tuple, list):
            found += [y for y in x if is_of_class(y)]
        elif is_of_class(x):
            found.append(x)
    return tuple(found)


def called(function: Any, name: str, args: Any, kwargs: Any, those: Sequence[Any]) -> Any:
    """Call a function that is given tensors of such classes."""
    from ..ops.aten_names import WHOLE, overload_of
    from .steps_told import told_by_steps

    if silent.get():
        return function(*passed_by(args), **passed_by(kwargs))
    args, kwargs = themselves(args), themselves(kwargs)
    steps = told_by_steps(name, args, kwargs)
    if steps is not NotImplemented:
        return steps
    those = themselves(those)
    op = getattr(function, "op", None)
    packet = overload_of(function, name, args, kwargs)
    if op is not None and op.kind not in ("composite", "constant"):
        found = _answer(packet, those, _without_defaults(op, args), kwargs)
        return _in_graph(op, found, args, kwargs) if recording() else found
    if name in WHOLE or (op is not None and op.kind == "constant"):
        if name != "detach" and recording() and any(map(_is_followed, args)) and name in ("clone", "to"):
            return function(*args, **kwargs)
        return _answer(packet, those, args, kwargs)
    if _writes(name):
        return _written(packet, name, those, args, kwargs)
    try:
        return function(*args, **kwargs)
    except Unsupported:
        # It is made of numbers here. Where nothing is recorded, the class may be asked about all of it.
        if recording() and any(map(_is_followed, args)):
            raise
        return _answer(packet, those, args, kwargs)


def _without_defaults(op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments up to the last one that says something."""
    count = len(args)
    while count and op.defaults.get(op.parameters[count - 1], args) is args[count - 1]:
        count -= 1
    return args[:count]


def _writes(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__") and name != "requires_grad_"


def _written(packet: Any, name: str, those: Sequence[Any], args: Any, kwargs: Any) -> Any:
    """A write: the tensor that was written to has the place of what was written."""
    op = getattr(getattr(Tensor, name[:-1], None), "op", None)
    target = args[0]
    if recording() and (op is None or not is_of_class(target) or (target.is_leaf and target.requires_grad)):
        if any(map(_is_followed, args)):
            raise EngineError(f"{name}: this write to a {type(target).__name__} is not recorded")
        op = None
    found = _answer(packet, those, args, kwargs)
    if op is not None and recording():
        made = result(target._a)
        _in_graph(op, made, args, kwargs)
        if made._node is not None:
            target._node = made._node
    return target if is_of_class(target) else found


def _answer(packet: Any, those: Sequence[Any], args: Any, kwargs: Any) -> Any:
    """The answer of the first class that has one for an op; below the graph nothing is recorded."""
    from ..ops.aten_names import with_lists
    from .overriding import plain_class

    args = with_lists(packet, args)
    types = tuple({plain_class(type(x)): None for x in those})
    before, rule = mode.grad, mode.rule
    mode.grad = mode.rule = False
    try:
        for x in those:
            found = type(x).__torch_dispatch__(packet, types, args, kwargs)
            if found is not NotImplemented:
                return found
    finally:
        mode.grad, mode.rule = before, rule
    told = "\n".join(f"  - tensor subclass {cls}" for cls in types)
    raise UnansweredError(
        f"Multiple dispatch failed for 'torch.ops.{packet}'; all __torch_dispatch__ handlers returned NotImplemented:"
        f"\n\n{told}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def _is_followed(x: Any) -> bool:
    return isinstance(x, Tensor) and x.requires_grad


def _in_graph(op: Any, found: Any, args: Any, kwargs: Any) -> Any:
    """Put what a class made of an op into the graph, where the op would stand of any other tensor."""
    from ..forward.pushing import _node_of

    given = binder(op)(tuple(args), kwargs)
    flat = [y for name, x in zip(op.parameters, given, strict=True) if name in op.operands
            for y in (x if name in op.lists else (x,))]  # fmt: skip
    parts = found if isinstance(found, (tuple, list)) else (found,)
    if not any(map(_is_followed, flat)) or any(map(_is_followed, parts)):
        return found
    if op.siblings:
        raise Unsupported(f"{op.name}: parts of a tensor whose class alone has its numbers are not recorded")
    edges = [x._node if isinstance(x, Tensor) and x._node is not None and x._node.kind != CUT else None for x in flat]
    results = [x if isinstance(x, Tensor) else None for x in parts]
    node = _node_of(op, given, results, edges)
    for k, (name, t) in enumerate(zip(op.outputs, results, strict=False)):
        if name is not None and t is not None and t._a.dtype.kind in "fc" and not any(t is x for x in flat):
            t._node = node if len(op.outputs) == 1 else Output(node, k, t._a)
    return found


# -- the ops themselves ----------------------------------------------------------------------------


@functools.cache
def engage() -> None:
    """Dress the ops, wherever the engine's own modules name them."""
    from ..offers import load_all
    from .overriding import engage as doors

    doors()
    load_all()
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{_ENGINE}.ops") and module is not None:
            for given, value in list(vars(module).items()):
                if isinstance(value, FunctionType) and getattr(value, "op", None) is not None:
                    setattr(module, given, _dressed(value))


@functools.cache
def _dressed(function: Any) -> Callable[..., Any]:
    """An op behind a door: whoever has the numbers of its arguments, or sees a backward, is asked first."""
    if function.op.kind == "composite":
        return function  # type: ignore[no-any-return]
    from .overriding import told_in_backward

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if mode.rule or _within.get():
            found = told_in_backward(function, args, kwargs)
            if found is not NotImplemented:
                return found
        those = asked(args, kwargs)
        if not those:
            return function(*args, **kwargs)
        return called(function, function.op.name, args, kwargs, those)

    return call


