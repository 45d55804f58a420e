"""Values as text, to the character as under PyTorch: ``str()`` and ``repr()`` of whatever a program holds."""

from __future__ import annotations

import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

from ...engine import dtypes, printing, properties
from ...engine.graph import BaseNode
from ...engine.guard.addresses import address, without_addresses
from ...engine.ops.named_results import NamedResult
from ...engine.tensor import Tensor, View
from ...errors import GradcliError
from ..guard import limits as limits_
from ..guard.size_limits import DEEPEST, caps, fits, weigh as weigh
from .bound_methods import Bound, Unbound, place_of
from .classes.making_classes import Plain
from .classes.metaclasses import Made, inherited
from .classes.tensor_classes import is_asked, is_watched
from .user_definitions import MISSING, UserFunction, declared
from .visible_types import built_in, c_name, full_name, function_name, name_of, plainly, seen_as, word

# ``str`` or ``repr``: which of a value's two texts is wanted.
How = Any

# Until Python 3.12, an OrderedDict is written with pairs.
_PAIRS = sys.version_info < (3, 12)


def text(value: Any) -> str:
    """Return ``str(value)``."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    plain = _PLAIN.get(kind)
    return plain(value) if plain is not None else _written(value, str)


def representation(value: Any) -> str:
    """Return ``repr(value)``."""
    plain = _PLAIN.get(type(value))
    return plain(value) if plain is not None else _written(value, repr)


def _written(value: Any, how: How) -> str:
    found = Writer().written(value, how)
    fits(len(found), "str")
    return found


class Writer:
    """Writes one value: knows what it is inside of, and stops when the text becomes too long."""

    __slots__ = ("inside", "size")

    def __init__(self) -> None:
        self.inside: list[int] = []
        self.size = 0

    def repr(self, value: Any) -> str:
        """A part of the value."""
        plain = _PLAIN.get(type(value))
        piece = plain(value) if plain is not None else self.written(value, repr)
        self.size += len(piece) if plain is not None else 2
        if self.size > caps.limits.sequence:
            fits(self.size, "str")
        return piece

    def written(self, value: Any, how: How) -> str:
        """A value of any type but the plainest; what holds itself is cut short there."""
        inside = self.inside
        if id(value) in inside:
            return _AGAIN.get(type(value), "...")
        if len(inside) >= DEEPEST:
            raise limits_.too_tangled()
        inside.append(id(value))
        try:
            for cls in type(value).__mro__:
                if cls in _WAYS:
                    return _WAYS[cls](self, value, how)
        finally:
            inside.pop()
        raise AssertionError("object has a way of its own")

    def written_as(self, value: Any, cls: type) -> str:
        """A value of a class that derives from another, as that one writes it."""
        return _WAYS[cls](self, value, repr)

    def row(self, values: Iterable[Any]) -> str:
        """Values with commas between them."""
        return ", ".join([self.repr(v) for v in values])


# -- the plainest values, of just these types ------------------------------------------------


def _quoted(value: str | bytes | bytearray) -> str:
    found = repr(value)
    fits(len(found), "str")
    return found


def _tensor(t: Any) -> str:
    weigh_shown(t)
    return repr(t) if is_watched() else printing.tensor_repr(t)


def weigh_shown(t: Any) -> None:
    """Refuse to show a tensor where the print options ask for far too much."""
    options = printing.options
    a = t._a
    if a.size > 1000 or options.precision > 1000:
        shown = a.size
        if a.size > options.threshold:
            shown = 1
            for n in a.shape:
                shown *= min(n, 2 * options.edgeitems + 1)
        fits(shown * max(1, options.precision // 10), "str")


_PLAIN: dict[type, Callable[[Any], str]] = {
    str: _quoted,
    bytes: _quoted,
    bytearray: _quoted,
    memoryview: lambda view: f"<memory at {address(view):#x}>",
    int: int.__repr__,
    float: float.__repr__,
    complex: complex.__repr__,
    bool: bool.__repr__,
    type(None): repr,
    Tensor: _tensor,
    View: _tensor,
    dtypes.dtype: repr,
    properties.Size: repr,
    range: repr,
    type(...): repr,
    type(NotImplemented): repr,
}


# -- the others, by the nearest of their classes ---------------------------------------------


def _tensor_subclass(w: Writer, value: Any, how: How) -> str:
    cls: Any = type(value)
    return _tensor(value) if cls.__repr__ is Tensor.__repr__ and not is_asked(value) else repr(value)


def _list(w: Writer, value: list[Any], how: How) -> str:
    return f"[{w.row(value)}]"


def _tuple(w: Writer, value: tuple[Any, ...], how: How) -> str:
    if type(value).__repr__ is not tuple.__repr__:
        # Of PyTorch's named tuples, which hold tensors or names, unless a program made one of something else.
        fields = getattr(type(value), "_fields", None)
        if fields is None or all(map(_is_plain, value)):
            return repr(value)
        written = [f"{name}={w.repr(v)}" for name, v in zip(fields, value, strict=True)]
        if isinstance(value, NamedResult) and type(value).__repr__ is NamedResult.__repr__:
            return value.written(written)
        return f"{name_of(seen_as(type(value)))}({', '.join(written)})"
    return f"({w.row(value)},)" if len(value) == 1 else f"({w.row(value)})"


def _is_plain(value: Any) -> bool:
    """True if a value shows nothing but itself: a tensor, a number, a name, or names."""
    if type(value) is list:
        return {str}.issuperset(map(type, value))
    return value is None or isinstance(value, (Tensor, int, float, str))


def _braces(w: Writer, value: dict[Any, Any]) -> str:
    return "{" + ", ".join([f"{w.repr(k)}: {w.repr(v)}" for k, v in value.items()]) + "}"


def _dict(w: Writer, value: dict[Any, Any], how: How) -> str:
    cls = type(value)
    if cls.__repr__ is dict.__repr__:
        return _braces(w, value)
    if isinstance(value, defaultdict):
        return f"{cls.__name__}({w.repr(value.default_factory)}, {_braces(w, value)})"
    if not value:
        return f"{cls.__name__}()"
    if isinstance(value, Counter):
        return f"{cls.__name__}({_braces(w, dict(value.most_common()))})"
    if _PAIRS and isinstance(value, OrderedDict):
        return f"{cls.__name__}([{w.row(value.items())}])"
    return f"{cls.__name__}({_braces(w, value)})"


def _deque(w: Writer, value: deque[Any], how: How) -> str:
    bound = "" if value.maxlen is None else f", maxlen={value.maxlen}"
    return f"deque([{w.row(value)}]{bound})"


def _set(w: Writer, value: set[Any], how: How) -> str:
    if not value:
        return f"{type(value).__name__}()"
    items = f"{{{w.row(value)}}}"
    return items if type(value) is set else f"{type(value).__name__}({items})"


def _view(w: Writer, value: Any, how: How) -> str:
    return f"{type(value).__name__}([{w.row(value)}])"


def _slice(w: Writer, value: slice, how: How) -> str:
    return f"slice({w.row((value.start, value.stop, value.step))})"


def _class(w: Writer, value: type, how: How) -> str:
    return f"<class '{full_name(seen_as(value))}'>"


def _class_of_class(w: Writer, value: type, how: How) -> str:
    if how is str and inherited(value, "__str__") is not MISSING:
        return str(value)
    return _class(w, value, how) if inherited(value, "__repr__") is MISSING else repr(value)


def _exception(w: Writer, value: BaseException, how: How) -> str:
    cls: Any = type(value)
    if how is str:
        if isinstance(value, GradcliError):
            return value.message
        return _message(w, value) if cls.__str__ in _MESSAGES else said_by_class(value, str, "__str__")
    return _call(w, value) if cls.__repr__ is BaseException.__repr__ else said_by_class(value, repr, "__repr__")


# What Python's own exceptions say of themselves: that of a missing key is quoted.
_MESSAGES = (BaseException.__str__, KeyError.__str__)


def _message(w: Writer, value: BaseException) -> str:
    if len(value.args) == 1:
        return w.repr(value.args[0]) if isinstance(value, KeyError) else text(value.args[0])
    return _tuple(w, value.args, repr) if value.args else ""


def _call(w: Writer, value: BaseException) -> str:
    return f"{name_of(seen_as(type(value)))}({w.row(value.args)})"


def of_host(cls: type, name: str) -> Callable[[Any], str] | None:
    """``__repr__`` or ``__str__`` of a class of Python's own, in our words: its own calls what it holds past limits."""
    if issubclass(cls, BaseException):
        return _exception_text if name == "__str__" else _exception_representation
    return _REPRESENTATIONS.get(cls) if name == "__repr__" else None


def _exception_text(value: Any) -> str:
    return _of_host(value, BaseException, "__str__", _message)


def _exception_representation(value: Any) -> str:
    return _of_host(value, BaseException, "__repr__", _call)


def _representing(cls: type, way: Callable[[Writer, Any], str]) -> Callable[[Any], str]:
    def representation(value: Any) -> str:
        return _of_host(value, cls, "__repr__", way)

    representation.__qualname__ = f"{cls.__name__}.__repr__"
    return representation


# As Python names them where it shows a method.
_exception_text.__qualname__ = "BaseException.__str__"
_exception_representation.__qualname__ = "BaseException.__repr__"


def _of_host(value: Any, cls: type, name: str, way: Callable[[Writer, Any], str]) -> str:
    if not isinstance(value, cls):
        raise TypeError(f"descriptor '{name}' requires a '{cls.__name__}' object but received a '{word(value)}'")
    found = way(Writer(), value)
    fits(len(found), "str")
    return found


def _function(w: Writer, value: types.FunctionType, how: How) -> str:
    name = function_name(value)
    if not built_in(value):
        return f"<function {name} at {address(value):#x}>"
    if value.__module__.startswith("gradcli.spec."):
        return f"<built-in function {name}>"
    return f"<built-in method {name} of type object at {address(Tensor):#x}>"


def _method(w: Writer, value: types.MethodType, how: How) -> str:
    function: Any = value.__func__
    return f"<bound method {function.__qualname__} of {w.repr(value.__self__)}>"


def _bound(w: Writer, value: Bound, how: How) -> str:
    cls = type(value.owner)
    place = place_of(cls, value.name)
    if place is not None:
        return f"<bound method {place}.{value.name} of {w.repr(value.owner)}>"
    return f"<built-in method {value.name} of {word(value.owner)} object at {address(value.owner):#x}>"


def _unbound(w: Writer, value: Unbound, how: How) -> str:
    place = place_of(value.owner, value.name)
    if place is not None:
        return f"<function {place}.{value.name} at {address(value.function):#x}>"
    return f"<method '{value.name}' of '{c_name(value.owner)}' objects>"


def _node(w: Writer, value: BaseNode, how: How) -> str:
    return f"<{full_name(type(value))} object at {address(value):#x}>"


def _object(w: Writer, value: Any, how: How) -> str:
    cls: Any = type(value)
    if how is str and cls.__str__ is not object.__str__:
        return said_by_class(value, str, "__str__")
    optim = sys.modules.get("gradcli.optim.optimizer")
    if optim is not None and isinstance(value, optim.Optimizer) and cls.__repr__ is optim.Optimizer.__repr__:
        return _optimizer(w, value)
    nn = sys.modules.get("gradcli.nn.modules.module")
    if nn is not None and isinstance(value, nn.Module):
        _weigh_modules(value)
    if cls.__repr__ not in _PLAINLY:
        return said_by_class(value, repr, "__repr__")
    return plainly(value)


def said_by_class(value: Any, how: How, name: str) -> str:
    """Return the text that a value's class makes of it, without addresses unless a method of the program made it."""
    found = how(value)
    return found if isinstance(declared(type(value), name), UserFunction) else without_addresses(found)


_PLAINLY = (object.__repr__, Plain.__repr__)


def _optimizer(w: Writer, value: Any) -> str:
    lines = [f"{type(value).__name__} ("]
    for i, group in enumerate(value.param_groups):
        lines.append(f"\nParameter Group {i}\n")
        # A tensor of one number is formatted as that.
        told = {k: f"{x}" if isinstance(x, Tensor) else text(x) for k, x in group.items() if k != "params"}
        lines += [f"    {k}: {told[k]}\n" for k in sorted(told)]
    return "".join(lines) + ")"


def _weigh_modules(module: Any) -> None:
    """Refuse a module that holds itself, or others so often that it cannot be written out."""
    most = caps.limits.sequence
    count = 0
    stack = [iter((module,))]
    while stack:
        for child in stack[-1]:
            count += 1
            if count > most or len(stack) > DEEPEST:
                raise limits_.too_tangled()
            below = child.__dict__.get("_modules") if child is not None else None
            if below:
                stack.append(iter(list(below.values())))
                break
        else:
            stack.pop()


# What stands for a value inside itself.
_AGAIN: dict[type, str] = {list: "[...]", tuple: "(...)", dict: "{...}"}

_WAYS: dict[type, Callable[[Writer, Any, How], str]] = {
    list: _list,
    tuple: _tuple,
    dict: _dict,
    set: _set,
    frozenset: _set,
    deque: _deque,
    slice: _slice,
    type: _class,
    Made: _class_of_class,
    BaseException: _exception,
    types.FunctionType: _function,
    types.MethodType: _method,
    Bound: _bound,
    Unbound: _unbound,
    BaseNode: _node,
    Tensor: _tensor_subclass,
    object: _object,
}
_REPRESENTATIONS: dict[type, Callable[[Any], str]] = {
    tuple: _representing(tuple, lambda w, row: _tuple(w, tuple(row), repr)),
    dict: _representing(dict, _braces),
    list: _representing(list, lambda w, values: _list(w, values, repr)),
}
_EMPTY: tuple[dict[Any, Any], ...] = ({}, OrderedDict())
for _made in _EMPTY:
    _WAYS.update(dict.fromkeys((type(_made.keys()), type(_made.values()), type(_made.items())), _view))


def written_so(cls: type, way: Callable[[Writer, Any, How], str]) -> None:
    """Write values of a class in a way of their own."""
    _WAYS[cls] = way
