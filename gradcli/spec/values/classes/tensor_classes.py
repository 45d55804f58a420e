"""Classes of a program that derive from tensors, or say what functions of PyTorch's make of their objects.

The doors before what users may call are those of the engine (see engine/dispatch). They are put there before such a
program is compiled, as what it imports is found then.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from types import FunctionType
from typing import Any

from ....engine.offers import dressed, find
from ....engine.tensor import Tensor
from ....errors import SpecError
from ....nn.parameter import Parameter
from ...guard.size_limits import caps
from ..bound_methods import Unbound
from ..tables.table import TABLES
from ..user_definitions import ANSWERING, DISPATCHED, DISPATCHING, SPECIAL, UserType, hook_of, is_special
from ..visible_types import word

# What names make objects whose class is asked about calls, and how a class derives from tensors; of torch.fx, what
# stands for a value is one. Nobody makes a sparse tensor without the word, and functions look for those, too. The
# second transforms of torchvision have tensors of pictures.
_MAKING = ("__torch_function__", "__torch_dispatch__", "as_subclass", "_make_subclass", "TorchFunctionMode",
           "torch.fx", "import fx", "nested", "sparse", "_python_dispatch", "create_selective_checkpoint_contexts",
           "flop_counter", "transforms.v2", "import v2", "tv_tensors")
# The device without numbers. The first tensor there may be an argument: then the function was found before.
_META = ('"meta"', "'meta'", '"meta:', "'meta:")
# Whose classes are the engine's modes.
_DOORS = f"{Tensor.__module__.rpartition('.')[0]}.dispatch.overriding"
_DERIVED = r"^[ \t]*class[ \t].*\bTensor\b"


def prepare(texts: Iterable[str]) -> None:
    """Put doors before what a program may call, if any may have to look at what it is given."""
    if any(map(_may_ask, texts)):
        _engage()


def _may_ask(text: str) -> bool:
    return any(name in text for name in (*_MAKING, *_META)) or (
        "class" in text and "Tensor" in text and re.search(_DERIVED, text, re.M) is not None
    )


@cache
def doors() -> Any:
    """The engine's room of doors, which few programs need."""
    from ....engine.dispatch import overriding

    return overriding


@cache
def _engage() -> None:
    doors().engage()
    methods = TABLES[Tensor].methods
    for name, method in list(dict.items(methods)):
        behind: Any = getattr(Tensor, name, None)
        if isinstance(behind, FunctionType) and behind.__dict__.get("__wrapped__") is method:
            methods[name] = behind


def is_ready() -> bool:
    """Tell whether the doors are there."""
    return _engage.cache_info().currsize > 0


def set_aside() -> tuple[Any, ...]:
    """Leave the modes that see calls, and return them."""
    left: tuple[Any, ...] = doors().set_aside() if is_ready() else ()
    return left


def take_up(left: tuple[Any, ...]) -> None:
    """Come back to modes that were left."""
    if is_ready():
        doors().take_up(left)


def refuse_unready(cls: type) -> None:
    """Refuse a class that derives from tensors behind a name which does not tell so."""
    if cls is Tensor and not is_ready():
        raise SpecError(
            f"a class of a spec that derives from {cls.__name__} says so in its head",
            help="write class Name(torch.Tensor)",
            code="E205",
        )


def is_mode(cls: Any) -> bool:
    """Tell whether a class is that of blocks in which a program sees what functions are called."""
    found = _DOORS in sys.modules and cls in _modes()
    if found:
        # A module of the library may have such a class where the program's text has no word of it.
        _engage()
    return found


@cache
def _modes() -> tuple[type, ...]:
    door = doors()
    return (
        door.TorchFunctionMode, door.BaseTorchFunctionMode, door.TorchDispatchMode, door.BaseTorchDispatchMode,
    )  # fmt: skip


# -- what is asked ---------------------------------------------------------------------------------


def answering(of_class: bool) -> Any:
    """The __torch_function__ that the engine asks, which asks that of a program's; ``of_class``: once for all."""

    def asked(owner: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        caps.tick(1)
        line = doors().plain_class(owner if of_class else type(owner)).__mro__
        kept = next(base.__dict__[ANSWERING] for base in line if ANSWERING in base.__dict__)
        function = caps.guarded(kept.__func__ if isinstance(kept, (classmethod, staticmethod)) else kept)
        first = () if isinstance(kept, staticmethod) else (line[0] if of_class else owner,)
        return function(*first, _seen(func), types, args, kwargs)

    return classmethod(asked) if of_class else asked


def dispatching(of_class: bool) -> Any:
    """The __torch_dispatch__ that the engine asks, which asks that of a program's; ``of_class``: once for all."""

    def asked(owner: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        caps.tick(1)
        line = doors().plain_class(owner if of_class else type(owner)).__mro__
        kept = next(base.__dict__[DISPATCHING] for base in line if DISPATCHING in base.__dict__)
        function = caps.guarded(kept.__func__ if isinstance(kept, (classmethod, staticmethod)) else kept)
        first = () if isinstance(kept, staticmethod) else (line[0] if of_class else owner,)
        return _with_op(func, lambda op: function(*first, op, types, args, kwargs or {}))

    return classmethod(asked) if of_class else asked


def _with_op(packet: Any, ask: Callable[[Any], Any]) -> Any:
    """Ask about an op as a program finds it in torch.ops: where it is called meanwhile, it is the call itself."""
    library = caps.library("torch.library")
    call = dressed(packet._function, "torch", packet._name)
    op = library["_asked_about"](packet.namespace, packet._name, packet._overload, call)
    try:
        return ask(op)
    finally:
        library["_answered"](op)


def _seen(func: Any) -> Any:
    """A function as a program knows it: what it finds in torch.Tensor, or in a module."""
    if type(func) is not FunctionType:
        return func
    name = func.__name__
    if not func.__qualname__.startswith("Tensor."):
        # What layers call stands behind a door of its own.
        place = doors().found_at(func)
        found = find(place, name) if place is not None else None
        return func if found is None else dressed(found, place, name)
    if is_special(name):
        return caps.builtins["getattr"](Tensor, name, unbound(name, func))
    method = TABLES[Tensor].methods[name]
    return unbound(name, func if method is None else method)


@cache
def unbound(name: str, method: Any) -> Unbound:
    """A method as torch.Tensor has it: always the same, so that it can be compared and looked up."""
    return Unbound(Tensor, name, method)


def asked_above(cls: type, hook: str) -> Any:
    """super().__torch_function__ or super().__torch_dispatch__, above all classes of the program's."""
    mode = next(filter(is_mode, cls.__mro__), None)

    def default(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if mode is not None:
            return getattr(mode, hook)(None, caps.guarded(func), types, args, kwargs)
        if hook == DISPATCHED:
            passed_by = doors().below_autograd.passed_by
            return caps.guarded(func)(*passed_by(args), **passed_by(kwargs or {}))
        return doors().default(cls, caps.guarded(func), types, args, kwargs)

    return default


def is_of_mode(owner: Any) -> bool:
    """Tell whether an object is a block of a program's own in which calls are seen: it is asked itself."""
    return any(map(is_mode, type(owner).__mro__))


def attribute_of(value: Any, name: str, read: Any) -> Any:
    """An attribute that tensors have, of one whose class is asked about calls."""
    asked = doors().asked((value,))
    return doors().handled(_getter(name), asked, (value,), None) if asked else read(value)


@cache
def _getter(name: str) -> Any:
    def __get__(self: Any) -> Any:
        return caps.member(self, name)

    __get__.__qualname__ = f"{name}.__get__"
    return __get__


def is_answered(value: Any) -> bool:
    """Tell whether the class of a program's object, which is no tensor, is asked now what calls make of it."""
    return hook_of(value, ANSWERING) is not None and is_asked(value)


def is_asked(value: Any) -> bool:
    """Tell whether the class of a value is asked now what calls make of it."""
    return is_ready() and bool(doors().asked((value,)))


# -- how they are made -----------------------------------------------------------------------------


def made(host: type, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An object of a program's class that derives from tensors or parameters, by what these are made of."""
    return doors().made_of(caps.guarded(host)(*args, **kwargs), cls)


# The special methods of theirs that are called by what shows and makes objects.
_SEEN_BY_ALL = frozenset(f"__{word}__" for word in "doc format init module new qualname repr str".split())


def taken_over(namespace: dict[str, Any]) -> dict[str, Any]:
    """Take what a class defines under names of tensors out of its names: the engine is to find its own there."""
    over = {}
    theirs = set(dir(Tensor)) - _SEEN_BY_ALL
    for name in [name for name in namespace if name in theirs]:
        if is_special(name) and name in SPECIAL:
            raise SpecError(
                f"a class of a spec that derives from a tensor may not define {name}",
                help="write __torch_function__, which is asked about operators, too",
                code="E205",
            )
        if not is_special(name):
            over[name] = namespace.pop(name)
    return over


def make_subclass(cls: Any, data: Any, require_grad: Any = False) -> Any:
    """torch.Tensor._make_subclass()"""
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {word(data)}")
    _refuse_other(cls, "_make_subclass")
    found: Any = Tensor._make_subclass
    return found(cls, data, bool(require_grad))


def as_subclass(self: Tensor, cls: Any) -> Any:
    """Tensor.as_subclass()"""
    if cls is Tensor or cls is Parameter:
        return doors().as_subclass(self, cls)
    _refuse_other(cls, "as_subclass")
    return doors().as_subclass(self, cls)


def _refuse_other(cls: Any, name: str) -> None:
    if not isinstance(cls, type):
        raise TypeError(f"{name}(): argument 'cls' must be type, not {word(cls)}")
    if not isinstance(cls, UserType) or not issubclass(cls, Tensor):
        raise SpecError(f"{name}() makes tensors of a class of the program's own", code="E205")


def make_wrapper_subclass(cls: Any, size: Any, *args: Any, **kwargs: Any) -> Any:
    """torch.Tensor._make_wrapper_subclass()"""
    _refuse_other(cls, "_make_wrapper_subclass")
    found: Any = Tensor._make_wrapper_subclass
    return found(cls, size, *args, **kwargs)
