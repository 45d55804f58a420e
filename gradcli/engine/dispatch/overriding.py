"""Between users and what they call: classes of theirs with a ``__torch_function__``, and modes that see every call.

Calls know nothing of it. The first time that a program asks for any of this, what users may call is dressed, once and
for all: where functions are found by their names (see offers.py) and in Tensor, each stands behind a door that looks.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from types import FunctionType
from typing import Any

import numpy as np

from ...errors import EngineError, EngineTypeError, Unsupported
from ..graph import Node
from ..methods import Later
from ..modes import Block, no_grad, ordinarily, recording
from ..numeric.meta import Meta
from ..numeric.sparse import Sparse, is_sparse
from ..offers import DRESSES, names
from ..ops.aten_names import overload_of
from ..ops.shape.views import alias
from ..tensor import BESIDE, Tensor, View, disabled
from . import below_autograd, on_meta, on_sparse
from .steps_told import MADE_OF_OPS, told_by_steps

# The modes that a program is in, the innermost last, and whether classes are asked at all.
_functions: ContextVar[tuple[Any, ...]] = ContextVar("functions", default=())
_dispatches: ContextVar[tuple[Any, ...]] = ContextVar("dispatches", default=())
_unasked: ContextVar[bool] = ContextVar("unasked", default=False)

# What calls functions of the program: those are not a part of the call.
_CALLING = frozenset({"vmap", "apply_", "map_", "map2_"})
# What makes tensors of what it is given, or tells what that is, asks nobody.
_MAKING = frozenset({"as_tensor", "asarray", "from_numpy", "is_tensor", "tensor"})
_PACKAGE = __package__.partition(".")[0]
# Where users find functions: place -> module.
_HOMES = {
    "torch": "", "F": ".nn.functional", "linalg": ".linalg", "fft": ".fft", "special": ".special", "sparse": ".sparse",
}  # fmt: skip
# Methods that are no ops, and may be overridden like those.
_METHODS = ("detach", "detach_")
# The same of what PyTorch computes nothing by: no dispatch mode sees it.
_UNSEEN = (
    "backward", "register_hook", "retain_grad", "requires_grad_", "size", "dim", "numel", "nelement", "ndimension",
    "stride", "storage_offset", "element_size", "is_contiguous", "is_floating_point", "is_complex", "get_device",
    "item", "tolist", "numpy", "data_ptr", "cpu", "__len__", "__bool__", "__float__", "__int__", "__contains__",
    "__repr__", "__format__",
)  # fmt: skip
# Operators by the names that PyTorch tells of them, where those are not the names of what they compute.
_TOLD = {
    **{name: name for name in ("__rsub__", "__rpow__", "__rfloordiv__", "__rmod__", "__rmatmul__", "__floordiv__",
                               "__eq__", "__and__", "__or__", "__xor__", "__invert__", "__lshift__", "__rlshift__",
                               "__rshift__", "__rrshift__", "__getitem__", "__setitem__")},
    "__rtruediv__": "__rdiv__", "__pow__": "pow", "__mod__": "remainder", "__matmul__": "matmul", "__iadd__": "add_",
    "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__ipow__": "pow_", "__imod__": "remainder_",
    "__ifloordiv__": "floor_divide_",
}  # fmt: skip
# Those that PyTorch has in Python, which tells of keyword arguments where there are none.
_IN_PYTHON = frozenset(
    f"__{word}__" for word in "rsub rtruediv rpow pow floordiv rfloordiv rmod rlshift rrshift rmatmul ipow len "
    "contains format reversed".split()
)
# What is read of a tensor, and is of no class but its own.
_AS_THEY_ARE = ("grad.__get__", "_base.__get__")
# Whether a class has something to say about calls that are given one of its objects.
_says: dict[type, bool] = {Tensor: False, View: False, int: False, float: False, str: False, bool: False}


def default(cls: type, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    """The answer of a class that has none of its own: tensors that are returned are of the class."""
    if not all(issubclass(cls, each) for each in types):
        return NotImplemented
    with classes_off():
        found = func(*args, **(kwargs or {}))
        return found if getattr(func, "__qualname__", "") in _AS_THEY_ARE else _of_class(found, plain_class(cls), args)


def _of_class(found: Any, cls: type, args: Any) -> Any:
    if isinstance(found, Tensor):
        if cls is Tensor or isinstance(found, cls):
            return found
        return as_subclass(found, cls) if any(found is x for x in _flat(args)) else _become(found, cls)
    if isinstance(found, (tuple, list)):
        parts = [_of_class(x, cls, args) for x in found]
        return getattr(type(found), "_make", type(found))(parts)
    return found


def as_subclass(self: Tensor, cls: type) -> Any:
    """The same tensor again, as one of a class of the program's."""
    return made_of(alias(self), cls)


def made_of(t: Tensor, cls: type) -> Any:
    """A tensor that nobody else has, as one of a class of the program's."""
    if not isinstance(cls, type):
        raise EngineTypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise EngineError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your "
            "class inherits from Tensor."
        )
    if cls is Tensor:
        return t
    if cls.__module__.startswith(f"{_PACKAGE}."):
        raise Unsupported(f"as_subclass: {cls.__name__} is no class of the program's own")
    return _become(t, cls)


def _become(t: Any, cls: type) -> Any:
    t.__class__ = _view_class(cls) if isinstance(t, View) else cls
    if below_autograd.answers(cls):
        below_autograd.hand_over(t)
    return t


@functools.cache
def _view_class(cls: type) -> type:
    """The views that are tensors of a class; they have its name."""
    return _class_beside(cls, View)


@functools.cache
def parameter_class(cls: type, parameter: type) -> type:
    """The parameters that are tensors of a class; they have its name."""
    # Those are made when a tensor becomes one: Python would begin them by what their class begins with.
    return _class_beside(cls, parameter, __init__=Tensor.__init__)


def _class_beside(cls: type, ours: type, **more: Any) -> type:
    told = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, BESIDE: ours}
    made = type(cls.__name__, (cls, ours), told | more)
    _says[made] = _has_say(made)
    return made


# -- the doors ------------------------------------------------------------------------------------


@functools.cache
def engage() -> None:
    """Dress all that users may call, now and when it is found later."""
    DRESSES.append(_dressed)
    # Who has no class of his own has no use for it.
    Tensor.as_subclass = as_subclass  # type: ignore[attr-defined]
    for place, home in _HOMES.items():
        module = sys.modules.get(_PACKAGE + home)
        for name in names(place) if module else ():
            if name in vars(module):
                setattr(module, name, _dressed(vars(module)[name], place, name))
    for name in (*_METHODS, *_UNSEEN):
        setattr(Tensor, name, _dressed(getattr(Tensor, name), "Tensor", name))
    Tensor.__iter__ = _walked(Tensor.__iter__)  # type: ignore[method-assign]
    for name, value in list(vars(Tensor).items()):
        if not isinstance(value, Later) and (hasattr(value, "op") or name in names("Tensor")):
            setattr(Tensor, name, _dressed(value, "Tensor", name))


@functools.cache
def _dressed(function: Any, place: str, name: str) -> Any:
    """A function behind a door: whoever is in its way is asked first."""
    if not isinstance(function, FunctionType) or name in _CALLING | _MAKING or function in _dressed_ones:
        return function

    foreign = name.startswith("__") and getattr(function, "leaves_foreign", False)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        modes, dispatches = _functions.get(), _dispatches.get()
        asked = () if _unasked.get() else _asked(args, kwargs)
        if not modes and not dispatches and not asked:
            if below_autograd.Carried.there and (those := below_autograd.asked(args, kwargs)):
                try:
                    return below_autograd.called(function, name, args, kwargs, those)
                except below_autograd.UnansweredError:
                    if not foreign:
                        raise
                    return NotImplemented
            if Meta.known and name not in _UNSEEN and on_meta.among((args, kwargs)):
                return on_meta.called(name, function, args, kwargs)
            if Sparse.known and on_sparse.among((args, kwargs)):
                return on_sparse.called(place, name, function, args, kwargs)
            return function(*args, **kwargs)
        if modes or asked:
            # An operator leaves it to Python to ask the other side.
            named = kwargs or ({} if name in _IN_PYTHON else None)
            return (_first_answer if foreign else handled)(call, asked, args, named, modes)
        if dispatches and name not in _UNSEEN:
            found = told_by_steps(name, args, kwargs)
            if found is not NotImplemented:
                return found
            if name in MADE_OF_OPS:
                below_autograd.engage()
                with below_autograd.seen_within():
                    return function(*args, **kwargs)
            return _told(dispatches, function, name, args, kwargs)
        return function(*args, **kwargs)

    # Operators are known as what they compute.
    if not name.startswith("__") or name in _TOLD:
        call.__name__ = _TOLD.get(name, name)
    if place:
        # Where it is found, for those who pickle it.
        call.__module__ = _PACKAGE + _HOMES.get(place, "")
        call.__qualname__ = f"Tensor.{name}" if place == "Tensor" else name
    _dressed_ones[call] = place
    return call


# Function behind a door -> the place where users find it.
_dressed_ones: dict[Any, str] = {}


def found_at(function: Any) -> str | None:
    """The place where users find a function that is behind a door; None of methods and of all others."""
    place = _dressed_ones.get(function)
    return place if place in _HOMES else None


def undressed(function: Any) -> Any:
    """A function without the door before it."""
    return function.__wrapped__ if function in _dressed_ones else function


def _told(dispatches: tuple[Any, ...], function: Any, name: str, args: Any, kwargs: Any) -> Any:
    """The result that the innermost mode makes of a call, in its place in the graph."""
    op = overload_of(function, name, args, kwargs)
    args = below_autograd.with_lists(op, args)
    with _within((_dispatches, dispatches[:-1])), ordinarily(), below_autograd.seen_within(False):
        types = tuple({type(x): None for x in below_autograd.asked(args, kwargs)})
        found = dispatches[-1].__torch_dispatch__(op, types, args, kwargs)
    with no_dispatch_modes():
        made = _in_graph(found, function, args, kwargs)
    _tell_of_kept(made)
    return made


def _tell_of_kept(made: Any) -> None:
    """Tell the innermost mode of the results that their node keeps: as PyTorch does, out of the graph."""
    for t in made if isinstance(made, (tuple, list)) else (made,):
        node = t.grad_fn if isinstance(t, Tensor) and t.requires_grad else None
        if isinstance(node, Node) and node.saved and any(kept is t._a for kept in node.saved):
            tell(Tensor.detach, t)


def tell(method: Callable[..., Any], *args: Any) -> Any:
    """Call a method that a mode is told of, out of the graph."""
    with no_grad():
        return method(*args)


def told_in_backward(function: Any, args: Any, kwargs: Any) -> Any:
    """The result that the innermost mode makes of an op that a rule calls; NotImplemented where there is no mode."""
    dispatches = _dispatches.get()
    if not dispatches or not any(isinstance(x, Tensor) for x in _flat((*args, *kwargs.values()))):
        return NotImplemented
    return _told(dispatches, function, function.op.name, args, kwargs)


def _walked(walk: Callable[[Tensor], Any]) -> Any:
    """The __iter__ of tensors: those of a class that is asked are its unbind()."""

    @functools.wraps(walk)
    def __iter__(self: Tensor) -> Any:
        return iter(self.unbind(0)) if (asked((self,)) or is_sparse(self._a)) and self.dim() else walk(self)

    return __iter__


class _within(Block):
    """A block in which variables have other values."""

    def __init__(self, *others: tuple[ContextVar[Any], Any]) -> None:
        self.others = others

    def __enter__(self) -> None:
        self.before = [(variable, variable.get()) for variable, _ in self.others]
        for variable, value in self.others:
            variable.set(value)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        for variable, value in self.before:
            variable.set(value)


def classes_off() -> Any:
    """A block in which no class is asked."""
    return _within((_unasked, True))


def ops_of_classes_off() -> Any:
    """A block in which no class is asked what ops make of its own."""
    return _within((below_autograd.silent, True))


def handled(public: Any, asked: Sequence[Any], args: Any, kwargs: Any, modes: tuple[Any, ...] = ()) -> Any:
    """Let the innermost mode, or the classes of arguments, answer a call: the first that has an answer."""
    found = _first_answer(public, asked, args, kwargs, modes)
    if found is not NotImplemented:
        return found
    home = "torch" if public in _dressed_ones else public.__module__
    told = [f"  - mode object {mode}" for mode in modes[-1:]]
    told += [f"  - tensor subclass {cls}" for cls in _types(asked)]
    shown = "\n".join(told)
    raise EngineTypeError(
        f"Multiple dispatch failed for '{home}.{public.__name__}'; all __torch_function__ handlers returned "
        f"NotImplemented:\n\n{shown}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def _first_answer(public: Any, asked: Sequence[Any], args: Any, kwargs: Any, modes: tuple[Any, ...]) -> Any:
    types = _types(asked)
    found = NotImplemented
    if modes:
        with _within((_functions, modes[:-1])):
            found = modes[-1].__torch_function__(public, types, args, kwargs)
    for x in asked:
        if found is NotImplemented:
            found = type(x).__torch_function__(public, types, args, kwargs)
    return found


def _types(asked: Iterable[Any]) -> tuple[type, ...]:
    return tuple({plain_class(type(x)): None for x in asked})


def plain_class(cls: type) -> type:
    """The class of a program's that the tensors of a class are seen as, be they views or parameters."""
    return cls.__bases__[0] if BESIDE in vars(cls) else cls


def _asked(args: Iterable[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments whose classes have something to say, those of a class before those of what it derives from."""
    found: list[Any] = []
    for x in _flat((*args, *kwargs.values())):
        says = _says.get(type(x))
        if says is None:
            says = _says[type(x)] = _has_say(type(x))
        if says and type(x) not in map(type, found):
            place = next((i for i, y in enumerate(found) if isinstance(x, plain_class(type(y)))), len(found))
            found.insert(place, x)
    return tuple(found)


def asked(values: Iterable[Any]) -> tuple[Any, ...]:
    """Those of some values whose classes have something to say, unless none is asked now."""
    return () if _unasked.get() else _asked(values, {})


def _has_say(cls: type) -> bool:
    return hasattr(cls, "__torch_function__") and not cls.__module__.startswith(f"{_PACKAGE}.") and not _is_silent(cls)


def _is_silent(cls: type) -> bool:
    """Tell whether a class is one of our parameters, or derives from it without a word of its own."""
    home = next(each for each in cls.__mro__ if "__torch_function__" in vars(each))
    # Who answers for ops is asked about those alone, unless the class says otherwise.
    return vars(home)["__torch_function__"] is disabled or (home is Tensor and below_autograd.answers(cls))


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for x in values:
        if isinstance(x, (tuple, list)):
            yield from x
        else:
            yield x


def _in_graph(found: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Put what a mode made of a call into the graph where the call would be: what it made anew has left that."""
    parts = found if isinstance(found, (tuple, list)) else (found,)
    if not recording() or any(isinstance(x, Tensor) and x.requires_grad for x in parts):
        return found
    if not any(isinstance(x, Tensor) and x.requires_grad for x in _flat((*args, *kwargs.values()))):
        return found
    with_results = getattr(function, "with_results", None)
    if with_results is not None:
        return with_results(found, args, kwargs)
    made = function(*args, **kwargs)
    for t, given in zip(made if isinstance(made, (tuple, list)) else (made,), parts, strict=False):
        if isinstance(t, Tensor) and isinstance(given, Tensor):
            _take_numbers(t, given)
    return made


def _take_numbers(t: Tensor, given: Tensor) -> None:
    """Let a result of a call, and what its node keeps of it, be these numbers."""
    before, now = t._a, np.asarray(given._a, t._a.dtype)[()] if t._a.ndim == 0 else np.array(given._a, t._a.dtype)
    node = t.grad_fn
    if node is not None and node.saved:
        node.saved = tuple(now if kept is before else kept for kept in node.saved)
    t._set_array(now)


# -- the modes ------------------------------------------------------------------------------------


class Mode(Block):
    """A block in which a program sees calls."""

    _stack: ContextVar[tuple[Any, ...]]

    def __enter__(self) -> Any:
        engage()
        self._stack.set((*self._stack.get(), self))
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._stack.set(self._stack.get()[:-1])


class TorchFunctionMode(Mode):
    """A block in which a program sees what functions are called, under the names that users know them by."""

    _stack = _functions
    inner: Any

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError


class BaseTorchFunctionMode(TorchFunctionMode):
    """One that makes the calls as they are."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The call."""
        return func(*args, **(kwargs or {}))


class TorchDispatchMode(Mode):
    """A block in which a program sees what ops are called, as `torch.ops.aten` names them."""

    _stack = _dispatches

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError


class BaseTorchDispatchMode(TorchDispatchMode):
    """One that makes the calls as they are."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The call."""
        return func(*args, **(kwargs or {}))


def set_aside() -> tuple[Any, ...]:
    """Leave all modes for what runs now, and return them, for one to come back to."""
    left = (_functions, _functions.get()), (_dispatches, _dispatches.get()), (_unasked, _unasked.get())
    _functions.set(())
    _dispatches.set(())
    _unasked.set(False)
    return left


def take_up(left: tuple[Any, ...]) -> None:
    """Come back to modes that were left; the classes that were asked meanwhile are forgotten."""
    for variable, value in left:
        variable.set(value)
    for cls in [cls for cls in _says if cls.__module__ == "__main__"]:
        del _says[cls]
    _view_class.cache_clear()
    parameter_class.cache_clear()


def function_modes() -> tuple[Any, ...]:
    """The function modes that the program is in."""
    return _functions.get()


def dispatch_modes() -> tuple[Any, ...]:
    """The dispatch modes that the program is in."""
    return _dispatches.get()


def no_dispatch_modes() -> Any:
    """A block in which no dispatch mode sees calls."""
    return _within((_dispatches, ()))


def nobody_asked() -> Any:
    """A block in which neither classes are asked nor function modes."""
    return _within((_functions, ()), (_unasked, True))
