"""Classes of a program, made so that nothing in them is called unguarded."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any

from ....engine.guard.addresses import address, hash_of
from ....engine.tensor import Tensor, disabled as SILENT
from ....errors import SpecError
from ....nn.base.holder import Holder
from ...guard.size_limits import caps, collected
from ...language.exception_marks import mark
from ...language.scopes import mangled
from ..user_definitions import (
    ALONE,
    ANSWERED,
    ANSWERING,
    ASKED,
    ATTRIBUTES,
    COPIED,
    COPYING,
    COPYING_DEEPLY,
    DEEPLY_COPIED,
    DESCRIBING,
    DISPATCHED,
    DISPATCHING,
    FIXED,
    FOUND,
    FREED,
    FREEING,
    GETTING,
    GIVEN_ANEW,
    HELD,
    INDEXING,
    KEPT,
    METACLASS,
    MISSING,
    NAMING,
    OBJECTS,
    ONLY,
    OVER,
    REDUCING,
    REDUCING_FOR,
    RESTORED,
    RESTORING,
    SLOTS,
    SPECIAL,
    STATED,
    STATING,
    TAKEN,
    WHOLLY,
    Unfound,
    UserFunction,
    UserType,
    is_special,
    put_in,
)
from ..visible_types import plainly, word
from .metaclasses import Made, Making, Metaclass, refuse_unanswered
from .sealed_classes import Sealed
from .tensor_classes import answering, dispatching, is_mode, made as tensor_of_class, taken_over


class Plain:
    """Base of a program's classes that derive from nothing."""

    __slots__ = ("__dict__", "__weakref__")
    __module__ = "builtins"

    __hash__ = hash_of

    def __repr__(self) -> str:
        return plainly(self)


Plain.__name__ = Plain.__qualname__ = "object"
OBJECTS.add(Plain)


# Classes whose methods nobody calls by name.
_BARE = (object, Plain)


# What a class may not define that derives from one of Python's own.
_FIXED: tuple[tuple[Any, frozenset[str], str], ...] = (
    (tuple, FIXED, "tuples"),
    ((dict, list), frozenset(("__len__",)), "dicts or lists"),
)


def new_class(name: str, qualname: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> UserType:
    """A class of a program."""
    for key, value in namespace.items():
        namespace[key] = placed(bases, key, value)
    for kind, fixed, called in _FIXED:
        for key in fixed & namespace.keys() if any(issubclass(base, kind) for base in bases) else ():
            raise SpecError(f"a class of {called} may not define {key}", help="write a class of its own", code="E205")
    meta = _meta_of(bases, METACLASS in namespace)
    if issubclass(meta, Making):
        refuse_unanswered(namespace)
    elif "__new__" in namespace:
        _refuse_making(bases)
    for hook in (STATED, RESTORED):
        if hook in namespace:
            _refuse_restoring(bases, hook)
    for hooks in (KEPT, ASKED, DESCRIBING):
        for hook in hooks.keys() & namespace.keys():
            namespace[hooks[hook]] = namespace.pop(hook)
    if INDEXING in namespace and any(issubclass(base, (Holder, Tensor)) for base in bases):
        error = SpecError("a layer or a tensor of a spec may not define __index__", help="call int()", code="E205")
        if isinstance(namespace[INDEXING], UserFunction):
            mark(error, namespace[INDEXING].node)
        raise error
    if FREEING in namespace:
        _expect_ends(bases, namespace[FREEING])
    namespace.update({hook: _COPYING[hook] for hook in _COPYING if ASKED[hook] in namespace})
    if any(issubclass(base, Tensor) for base in bases):
        namespace[OVER] = taken_over(namespace)
    if ANSWERING in namespace and namespace[ANSWERING] is not SILENT:
        namespace[ANSWERED] = answering(not any(map(is_mode, (cls for base in bases for cls in base.__mro__))))
    elif ANSWERING in namespace:
        namespace[ANSWERED] = namespace.pop(ANSWERING)
    if DISPATCHING in namespace:
        namespace[DISPATCHED] = dispatching(not any(map(is_mode, (cls for base in bases for cls in base.__mro__))))
    if REDUCING in namespace or REDUCING_FOR in namespace or GIVEN_ANEW in namespace:
        namespace.setdefault(COPIED, _made_anew)
        namespace.setdefault(DEEPLY_COPIED, _made_anew)
    if SLOTS in namespace:
        _name_attributes(name, bases, namespace)
    namespace.setdefault("__module__", "__main__")
    namespace["__qualname__"] = qualname
    # NumPy would make arrays of objects of them, and call their methods from C.
    namespace[ALONE] = None
    asks_each = GETTING in namespace or any(GETTING in cls.__dict__ for base in bases for cls in base.__mro__)
    namespace[FOUND], namespace[TAKEN] = Unfound() if asks_each else {}, {}
    namespace[WHOLLY] = all(base is Plain or base.__dict__.get(WHOLLY) is True for base in bases)
    cls: UserType = type.__call__(meta, name, bases or (Plain,), namespace)
    for key, value in namespace.items():
        naming = next((b.__dict__[NAMING] for b in type(value).__mro__ if NAMING in b.__dict__), None)
        if naming is not None and isinstance(type(value), UserType):
            caps.guarded(naming)(value, cls, key)
    return cls


class Memo(dict[Any, Any]):
    """The copies that are being made of values with all that they hold, as a program is told of them."""

    __slots__ = ("host",)
    host: dict[Any, Any]


def _copied_deeply(self: Any, memo: dict[Any, Any]) -> Any:
    """Call the __deepcopy__ of a program's class, with a memo of its own: that of Python's names addresses."""
    own = memo.get(Memo)
    if own is None:
        own = memo[Memo] = Memo()
        own.host = memo
    caps.tick(1)
    known = dict.get(own, address(self), MISSING)
    return hook_of(self, COPYING_DEEPLY)(self, own) if known is MISSING else known


def _stated(self: Any) -> Any:
    """Call the __getstate__ of a program's class; Python makes attributes of what that gives."""
    state = hook_of(self, STATING)(self)
    if isinstance(state, tuple):
        state = tuple([_as_attributes(part) for part in tuple.__iter__(state)])
    return _as_attributes(state)


def _as_attributes(state: Any) -> Any:
    """A part of a state; pairs are those that are there now, whatever the program makes of them later."""
    if isinstance(type(state), UserType) and not isinstance(state, Tensor) and hasattr(state, "items"):
        raise SpecError(f"a __getstate__ gives a dict here, not a {word(state)}", help="give a dict", code="E205")
    if not isinstance(state, dict):
        return state
    for name in state:
        if isinstance(name, str) and is_special(name):
            raise SpecError(f"a __getstate__ may not give {name} here", help="leave it out", code="E205")
    return dict(state)


def _restored(self: Any, state: Any) -> Any:
    """Call the __setstate__ of a program's class."""
    if type(state) is dict and HELD in state:
        state = state[HELD]
    if isinstance(self, Holder):
        # It holds all again before the program is asked, which sees what its __dict__ shows of that.
        host_of(type(self)).__setstate__(self, state)  # type: ignore[attr-defined]
        state = dict(caps.builtins["getattr"](self, "__dict__"))
    return hook_of(self, RESTORING)(self, state)


def _expect_ends(bases: tuple[type, ...], last: Any) -> None:
    """Let a `__del__` run when nobody holds an object any more.

    What the engine holds, or an exception on its way, is freed at other times than in Python.
    """
    if type(last) is not UserFunction or any(issubclass(base, (Holder, Tensor, BaseException)) for base in bases):
        error = SpecError(
            "__del__ is a plain function here, and of no layer, tensor or exception",
            help="leave what is to be done last to an object of another class, that this one holds",
            code="E205",
        )
        if type(last) is UserFunction:
            mark(error, last.node)
        raise error
    last.machine.left.expect_ends()


def _freed(self: Any) -> None:
    """Call the __del__ of a program's class, or leave it to a time when code of the program may run."""
    last = next(base.__dict__[FREEING] for base in type(self).__mro__ if FREEING in base.__dict__)
    last.machine.left.has_died(self, last)


def _made_anew(self: Any, memo: dict[Any, Any] | None = None) -> Any:
    """Make a copy as the __reduce__ of a program's class says."""
    caps.tick(1)
    make, given, state = told_parts(self)
    if memo is not None:
        from copy import deepcopy

        given, state = deepcopy((given, state), memo)

    def state_of(made: Any) -> Any:
        if memo is not None:
            memo[id(self)] = made
        return state

    return made_of(make, given, state_of)


def says_its_parts(cls: type) -> bool:
    """True of a program's class that says of which parts its objects are made anew."""
    return any(hook in base.__dict__ for base in cls.__mro__ for hook in (REDUCING, REDUCING_FOR, GIVEN_ANEW))


def told_parts(self: Any) -> tuple[Any, tuple[Any, ...], Any]:
    """The function, its arguments and the state of which an object is made anew, as its class says."""
    told = _reduced(self)
    if type(told) is not tuple or not 2 <= len(told) <= 5:
        raise TypeError("__reduce__ must return a string or tuple")
    if any(part is not None for part in told[3:]):
        raise SpecError("the items that a __reduce__ gives are not in the spec language", help="give them as the state")
    make, given = told[:2]
    if not callable(make) or type(given) is not tuple:
        raise TypeError("__reduce__ must return a function and a tuple of its arguments first")
    return make, given, told[2] if len(told) > 2 else None


def made_of(make: Any, given: tuple[Any, ...], state_of: Callable[[Any], Any]) -> Any:
    """An object that is made of its parts; its state is asked for once it is there, as it may hold itself."""
    made = caps.guarded(make)(*given)
    state = state_of(made)
    if state is not None:
        _take_state(made, state)
    return made


def told_from_outside(cls: Any, function: Any) -> None:
    """Let a function tell by which call an object like one of a class is made: only of a class of the program's."""
    if not isinstance(cls, UserType) or host_of(cls) not in MADE_EMPTY:
        raise SpecError(
            f"copyreg.pickle() is for classes that derive from nothing here, not for {plainly(cls)}",
            help="define __reduce__ in a class of your own",
            code="E205",
        )
    put_in(cls, REDUCING, function)
    for hook in (COPIED, DEEPLY_COPIED):
        if hook not in cls.__dict__:
            put_in(cls, hook, _made_anew)


# How copy.copy() and copy.deepcopy() ask for the parts of an object.
_PROTOCOL = 4


def _reduced(self: Any) -> Any:
    """The function and the arguments by which an object is made anew, as the last of its class to say it says it."""
    for cls in type(self).__mro__:
        if REDUCING_FOR in cls.__dict__:
            return hook_of(self, REDUCING_FOR)(self, _PROTOCOL)
        if REDUCING in cls.__dict__:
            return hook_of(self, REDUCING)(self)
        if GIVEN_ANEW in cls.__dict__:
            break
    return reduced_plainly(self, _PROTOCOL)


def reduced_plainly(self: Any, protocol: Any = 0, /) -> Any:
    """object.__reduce_ex__() of an object of a program's class: made by its `__new__`, holding what it held."""
    if not isinstance(type(self), UserType) or host_of(type(self)) not in MADE_EMPTY:
        raise SpecError(f"a {word(self)} is not told in parts in the spec language", help="copy it", code="E205")
    given = hook_of(self, GIVEN_ANEW)(self) if any(GIVEN_ANEW in cls.__dict__ for cls in type(self).__mro__) else ()
    if type(given) is not tuple:
        raise TypeError(f"__getnewargs__ should return a tuple, not '{word(given)}'")
    stating = any(STATING in cls.__dict__ for cls in type(self).__mro__)
    own = hook_of(self, STATING)(self) if stating else dict(self.__dict__.get(HELD, self.__dict__))
    return made_by_class, (type(self), *given), own or None


def made_by_class(cls: Any, /, *args: Any) -> Any:
    """copyreg.__newobj__()"""
    make = next((base.__dict__["__new__"] for base in cls.__mro__ if "__new__" in base.__dict__), None)
    if isinstance(make, (classmethod, staticmethod)):
        make = make.__func__
    if type(make) is UserFunction:
        return make(cls, *args)
    return made_plainly(cls, *args)


made_by_class.__name__ = made_by_class.__qualname__ = "__newobj__"


def _take_state(made: Any, state: Any) -> None:
    if any(RESTORING in base.__dict__ for base in type(made).__mro__):
        hook_of(made, RESTORING)(made, state)
        return
    if type(state) is not dict:
        raise SpecError("the state that a __reduce__ gives is a dict here", help="give one, or define __setstate__")
    for name, value in state.items():
        caps.builtins["setattr"](made, name, value)


# Hook of Python's -> what calls that of a program's class.
_COPYING: dict[str, Any] = {
    COPIED: lambda self: hook_of(self, COPYING)(self),
    DEEPLY_COPIED: _copied_deeply,
    STATED: _stated,
    RESTORED: _restored,
    FREED: _freed,
}


def hook_of(value: Any, kept: str) -> Any:
    """The function that the class of a value keeps under a name of ours."""
    function = next(base.__dict__[kept] for base in type(value).__mro__ if kept in base.__dict__)
    return caps.guarded(function.__func__ if isinstance(function, (classmethod, staticmethod)) else function)


def host_of(cls: type) -> type:
    """The nearest class above a program's that is not of the program."""
    return next(base for base in cls.__mro__ if not isinstance(base, UserType))


# What is wholly the program's when it derives from one of these: all that begins as an empty object.
MADE_EMPTY = {object, Plain}


def begins_empty(host: type) -> bool:
    """Tell whether a class with a `__new__` of its own may derive from a class."""
    from ....nn.modules.module import Module

    return host in MADE_EMPTY or issubclass(host, (Module, Tensor))


def _refuse_making(bases: Iterable[type]) -> None:
    for host in map(host_of, bases):
        if not begins_empty(host):
            raise SpecError(
                f"a class that derives from {host.__name__} may not define __new__ in the spec language",
                help="write __init__, or a function that makes the object",
                code="E205",
            )


def _refuse_restoring(bases: Iterable[type], hook: str) -> None:
    """Refuse what would be handed the insides of an object that is not wholly the program's."""
    from ....optim.optimizer import Optimizer

    for host in map(host_of, bases):
        is_module = issubclass(host, Holder) and hook == RESTORED
        if host not in MADE_EMPTY and not issubclass(host, Optimizer) and not is_module:
            raise SpecError(
                f"a class that derives from {host.__name__} may not define {hook} in the spec language",
                help="leave it out: a copy holds what the object holds",
                code="E205",
            )


def made_plainly(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
    """object.__new__(): an object of a program's class, whose `__init__` is not called."""
    if not isinstance(cls, UserType):
        raise TypeError(f"object.__new__(X): X is not a class of the program's own, but {word(cls)}")
    host: Any = host_of(cls)
    if not begins_empty(host):
        raise SpecError(f"{cls.__name__}.__new__() is not in the spec language", help="call the class", code="E205")
    if (args or kwargs) and host.__new__ is object.__new__:
        raise TypeError("object.__new__() takes exactly one argument (the type to instantiate)")
    if issubclass(host, Tensor):
        return tensor_of_class(host, cls, args, kwargs)
    return host.__new__(cls, *args, **kwargs)


made_plainly.__name__ = made_plainly.__qualname__ = "__new__"


def _name_attributes(owner: str, bases: Iterable[type], namespace: dict[str, Any]) -> None:
    """Note the only attributes of a class's instances, if all that it derives from have such as well."""
    given = namespace.pop(SLOTS)
    named = [given] if isinstance(given, str) else collected(given)
    for name in named:
        if not isinstance(name, str):
            raise TypeError(f"__slots__ items must be strings, not '{word(name)}'")
        if mangled(name, owner) in namespace:
            raise ValueError(f"{name!r} in __slots__ conflicts with class variable")
    namespace[ATTRIBUTES] = given
    if "__dict__" not in named and all(ONLY in base.__dict__ for base in bases):
        above = [base.__dict__[ONLY] for base in bases]
        namespace[ONLY] = frozenset([mangled(name, owner) for name in named]).union(*above)


def _meta_of(bases: tuple[type, ...], made: bool) -> type:
    """The class of a class with these bases: of all theirs, and of the program's; ``made``: by a metaclass of its."""
    first = Making if Metaclass in {cls for base in bases for cls in base.__mro__} else Made if made else UserType
    metas = list(dict.fromkeys((first, *map(type, bases))))
    metas = [m for m in metas if not any(other is not m and issubclass(other, m) for other in metas)]
    return metas[0] if len(metas) == 1 else type("type", tuple(metas), {})


def placed(bases: Iterable[type], name: str, value: Any) -> Any:
    """A value as a class of a program holds it: what others than the interpreter call by its name is guarded."""
    if isinstance(value, types.FunctionType) and not hasattr(value, "__wrapped__"):
        # A function of PyTorch's: it is written in C there, and becomes no method.
        value = staticmethod(value)
    function = value.__func__ if isinstance(value, staticmethod) else value
    if not callable(function) or isinstance(function, (UserFunction, Sealed)):
        return value
    if isinstance(function, types.FunctionType) and (value is function or hasattr(function, "__wrapped__")):
        # What a decorator such as no_grad() or once_differentiable() wrapped: what it calls is guarded.
        return value
    if name in SPECIAL:
        return _stepping(function)
    return staticmethod(caps.guarded(function)) if called_by_host(bases, name) else value


def called_by_host(bases: Iterable[type], name: str) -> bool:
    """True if one of our own classes among some bases defines a name, and so may call what stands under it."""
    # A dict is made of whatever has this.
    return name == "keys" or any(
        name in cls.__dict__
        for base in bases
        for cls in base.__mro__
        if cls not in _BARE and not isinstance(cls, UserType)
    )


def _stepping(function: Callable[..., Any]) -> Any:
    """A special method that is no function of the program's: each call is a step, or Python would call it for ever."""
    guarded = caps.guarded(function)

    def call(*args: Any, **kwargs: Any) -> Any:
        caps.tick(1)
        return guarded(*args, **kwargs)

    call.__name__ = call.__qualname__ = guarded.__name__
    return staticmethod(call)
