"""Attributes of what a program holds: its own classes and modules here, all else in the tables."""

from __future__ import annotations

import ast
import types
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from typing import Any

from ...engine.function import Function
from ...engine.tensor import Tensor
from ...errors import SpecError
from ...nn.base.holder import Holder
from ...optim.schedule import LRScheduler
from ..guard.reserved_names import refuse_reserved, refuse_reserved_in, reserved
from ..guard.size_limits import caps, fits, wrapping
from ..language.exception_marks import marks
from ..torch_names.namespaces import give, look_up, may_be_given
from . import added_to, attributes
from .annotations import annotations_of
from .bound_methods import Bound, Unbound
from .classes.derived_containers import BASES
from .classes.derived_scalars import Scalar
from .classes.enumerations import OF_MEMBERS, EnumType, refuse_fixed
from .classes.frozen_instances import refuse_frozen
from .classes.lineage import LINEAGE, is_told
from .classes.making_classes import Plain, begins_empty, called_by_host, host_of, made_plainly, placed, reduced_plainly
from .classes.metaclasses import Metaclass, inherited, metaclass_of, of_type
from .classes.named_tuples import NamedRow, NewOfRow, refuse_new
from .classes.sealed_classes import TYPE
from .classes.tensor_classes import asked_above, attribute_of, is_of_mode
from .show import of_host, representation
from .special_names import operation
from .standing import value_of
from .tables.containers import Held, special_of
from .tables.functions import attributes_of_error
from .tables.modules import held_by, is_empty_table, is_left_to_members, is_shown_of, member
from .tables.optimisers import held_by_schedule
from .tables.table import MISSING as NO_MEMBER, TABLES
from .user_definitions import (
    ANSWERED,
    ASKED,
    ATTRIBUTES,
    BY_NAME,
    DELATTR,
    DELETING,
    DISPATCHED,
    FOUND,
    FROZEN,
    GETATTR,
    GETATTRIBUTE,
    GETTING,
    HELD,
    KEPT,
    LOOKUP,
    MISSING,
    ONLY,
    READING,
    REMOVING,
    RESTORED,
    ROW,
    SETATTR,
    SETTING,
    SLOTS,
    SPECIAL,
    STATED,
    SUBCLASSED,
    TAKEN,
    TOLD,
    WHOLLY,
    WRITING,
    Namespace,
    Super,
    Unfound,
    UserFunction,
    UserType,
    bound,
    declared,
    is_special,
    put_in,
    take_out,
)
from .visible_types import plainly, word

# What a decorator that is an object takes over from the function that it stands for.
NAMED_AFTER = ("__name__", "__qualname__", "__doc__", "__wrapped__")
# What a class of a program knows of the names of its instances, by name, and how many names are worth it.
found_in, _taken_by = attrgetter(FOUND), attrgetter(TAKEN)
_MANY = 500
# The special methods that a class may be given when it is made already: all but those by which objects are made, kept
# in sets, and told what they are.
_LATER = SPECIAL - {f"__{word}__" for word in "new hash eq doc post_init match_args missing".split()}
# Where it knows nothing of one, and where it knows that only a member of a module can have it.
_ELSEWHERE, _MEMBERS = object(), object()
# Those that a program asks for the `__new__` of, beside nn.Module, the one whose base is Holder.
_MAKING = (object, tuple, int, float, str)
# The classes at the ends of lines that programs look into.
_LOOKED_INTO = frozenset((object, Plain, int, float, complex, str, bytes, list, tuple, dict, set, frozenset))
_CONTAINERS = (*BASES, *BASES.values(), defaultdict)


def get(value: Any, name: str) -> Any:
    """An attribute of a value."""
    kind = type(value)
    if type(kind) is UserType:
        found = found_in(kind).get(name, _ELSEWHERE)
        if found is not _ELSEWHERE:
            own = value.__dict__
            if name in own:
                return own[name]
            if HELD not in own:
                if type(found) is UserFunction:
                    return types.MethodType(found, value)
                if found is _MEMBERS and (held := member(value, name)) is not NO_MEMBER:
                    return held
    if kind is Namespace:
        return look_up(value, name)
    if isinstance(kind, UserType):
        if name == "__new__" and not isinstance(value, type):
            # It is the class's, however it is asked for.
            return _of_class(kind, name)
        try:
            if type(found_in(kind)) is Unfound:
                return found_by(kind.__mro__, GETTING)(value, name)
            return _of_instance(value, kind, name)
        except AttributeError as error:
            lookup = found_by(kind.__mro__, LOOKUP)
            if lookup is None or is_special(name):
                if issubclass(kind, Holder) and isinstance(declared(kind, name), property):
                    raise _from_property(value, name, error) from None
                raise
        return lookup(value, name)
    if isinstance(value, type):
        try:
            return _of_class(value, name)
        except AttributeError:
            meta = metaclass_of(value)
            lookup = None if meta is None or is_special(name) else found_by(meta.__mro__, LOOKUP)
            if lookup is None:
                raise
        return lookup(value, name)
    if kind is Super:
        return _of_super(value, name)
    if kind is property and name in ("getter", "setter", "deleter"):
        return wrapping({"getter": value.getter, "setter": value.setter, "deleter": value.deleter}[name])
    if name in ("__call__", "__dict__") and isinstance(value, Holder):
        return caps.guarded(value) if name == "__call__" else held_by(value, keep, lose)
    if name == "__dict__" and isinstance(value, LRScheduler):
        return held_by_schedule(value)
    return attributes.get(value, name)


def _of_instance(value: Any, kind: type, name: str) -> Any:
    found = declared(kind, name)
    method = type(found) is UserFunction
    if not method and (isinstance(found, property) or _is_read_first(found)):
        return _read(found, value)
    # What is ours has a table that says what may be read of it.
    if name[:1] != "_" or name in NAMED_AFTER or not (is_special(name) or name in reserved(kind)):
        known = found_in(kind)
        if not isinstance(type(found), UserType) and len(known) < _MANY and not is_special(name):
            of_members = found is MISSING and issubclass(kind, Holder) and is_left_to_members(kind, name)
            known[name] = _MEMBERS if of_members else found
        own = value.__dict__
        if HELD in own:
            own = own[HELD]
        if dict.__contains__(own, name):
            return dict.__getitem__(own, name)
    if method:
        return types.MethodType(found, value)
    if found is not MISSING:
        return _read(found, value)
    if name == "__dict__" and _is_open(kind) and ONLY not in kind.__dict__:
        own = value.__dict__
        return own[HELD] if HELD in own else Held(own, partial(keep, value), partial(lose, value))
    if name in ("__call__", "__dict__") and isinstance(value, Holder):
        return caps.guarded(value) if name == "__call__" else held_by(value, keep, lose)
    if name == "__dict__" and isinstance(value, BaseException):
        return attributes_of_error(value)
    if name in _PLAINLY:
        return types.MethodType(_hook_of(kind.__mro__, name), value)
    if name in BY_NAME and (hook := _by_name(kind.__mro__, name, value)) is not MISSING:
        return hook
    if name == "apply" and issubclass(kind, Function):
        return kind.apply
    if _is_of_tensors(kind, name):
        return attribute_of(value, name, partial(attributes.get, name=name))
    return attributes.get(value, name)


def _from_property(layer: Any, name: str, error: AttributeError) -> AttributeError:
    """The error for a property of a layer that ended with one: nn.Module looks the name up once more."""
    found = attributes.missing(layer, name)
    place = marks(error).place
    where = f" in line {place.lineno}" if isinstance(place, (ast.expr, ast.stmt)) else ""
    marks(found).help = f"the property is there: it ended with AttributeError: {error}{where}"
    return found


def _is_open(kind: type) -> bool:
    """True if all attributes of the instances of a class are the program's own."""
    ours = [base for base in kind.__mro__ if not isinstance(base, UserType)]
    return all(base is object or base in _CONTAINERS or issubclass(base, (Plain, Scalar)) for base in ours)


def _of_class(value: type, name: str) -> Any:
    if isinstance(value, UserType):
        found = declared(value, name)
        if isinstance(found, (staticmethod, classmethod)):
            return bound(found, value)
        if found is not MISSING and name not in ("__module__", "__qualname__"):
            reading = _hook_in(found, READING)
            return found if reading is None else reading(found, None, value)
        found = inherited(value, name)
        if found is not MISSING:
            return found
        if name in BY_NAME and (hook := _by_name(value.__mro__, name, value)) is not MISSING:
            return hook
    if value is TYPE and (method := of_type(name)) is not None:
        return method
    if name in KEPT and name != SUBCLASSED:
        return _hook_of(value.__mro__, name)
    if name in (ANSWERED, DISPATCHED) and issubclass(value, Tensor):
        kept = found_by(value.__mro__, ASKED[name])
        return asked_above(value, name) if kept is None else types.MethodType(kept, value)
    if name == "__new__" and (
        value in _MAKING or Holder in value.__bases__ or isinstance(value, UserType) or issubclass(value, Tensor)
    ):
        return NewOfRow(value) if issubclass(value, NamedRow) else made_plainly
    if name in OF_KINDS and isinstance(value, UserType) and (given := OF_KINDS[name](value)) is not None:
        return given
    if name == "__dict__" and isinstance(value, UserType):
        return _space_of(value)
    if name == "__dict__" and value in _LOOKED_INTO:
        return _space_of_python(value)
    if name == "__annotations__" and isinstance(value, UserType):
        return annotations_of(value)
    if name in TOLD_OF_CLASSES and is_told(value, name):
        return TOLD_OF_CLASSES[name](value)
    if name in OF_MEMBERS and isinstance(value, EnumType):
        return OF_MEMBERS[name](value)
    special = special_of(value, name)
    if special is not None:
        return Unbound(value, name, special)
    if name == "apply" and issubclass(value, Function):
        return value.apply
    # What NumPy's own exceptions are made by is a function of the host's.
    if name == "__init__" and issubclass(value, (Holder, Exception)) and not value.__module__.startswith("numpy"):
        return value.__init__
    if name == "__call__" and issubclass(value, Holder):
        return _called_by_class
    return attributes.get(value, name)


# What only some kinds of a program's classes have -> how it is found, None where a class is of another kind.
OF_KINDS: dict[str, Callable[[type], Any]] = {}

# What the classes of a program are asked for -> how it is found.
TOLD_OF_CLASSES: dict[str, Callable[[type], Any]] = {**LINEAGE, SLOTS: lambda cls: _slots_of(cls)}


def _slots_of(cls: type) -> Any:
    """The attributes that a class gives its instances, as it is written."""
    found = next((base.__dict__[ATTRIBUTES] for base in cls.__mro__ if ATTRIBUTES in base.__dict__), MISSING)
    if found is MISSING:
        raise attributes.missing(cls, SLOTS)
    return found


def _is_read_first(found: Any) -> bool:
    """True if a value in a class says what an instance has, whatever that holds itself under its name."""
    return _hook_in(found, WRITING) is not None and _hook_in(found, READING) is not None


def _hook_in(found: Any, kept: str) -> Any:
    """Find the function by which a value in a class is read or written there, or None."""
    return found_by(type(found).__mro__, kept) if isinstance(type(found), UserType) else None


def _read(found: Any, owner: Any) -> Any:
    """A value found in a class, as its instance sees it."""
    reading = _hook_in(found, READING)
    return bound(found, owner) if reading is None else reading(found, owner, type(owner))


def _space_of(cls: type) -> Held:
    """The names of a class: a copy."""
    names = ("__module__", *(name for name in cls.__dict__ if name != "__module__"))
    own = {name: found for name in names if not _is_ours(name) and (found := cls.__dict__[name]) is not None}

    def fixed(name: str, value: Any = None) -> None:
        raise TypeError("'mappingproxy' object does not support item assignment")

    return Held(own, fixed, fixed)


def _space_of_python(cls: type) -> Held:
    """The names of a class of Python's own, each as it is found in it: what is not offered is None."""
    own: dict[str, Any] = dict.fromkeys(cls.__dict__)
    for name in own.keys() - {"__dict__"}:
        try:
            own[name] = get(cls, name)
        except (AttributeError, SpecError):
            continue

    def fixed(name: str, value: Any = None) -> None:
        raise TypeError("'mappingproxy' object does not support item assignment")

    return Held(own, fixed, fixed)


def _is_ours(name: str) -> bool:
    return is_special(name) and name not in SPECIAL and name != "__module__"


def found_by(line: Iterable[type], kept: str) -> Any:
    """The function that the first of some classes to have one keeps under a name of ours, or None."""
    for cls in line:
        if isinstance(cls, UserType) and kept in cls.__dict__:
            function = cls.__dict__[kept]
            return caps.guarded(function.__func__ if isinstance(function, classmethod) else function)
    return None


def _by_name(line: Iterable[type], name: str, owner: Any) -> Any:
    """A hook that is called by its name, as an instance or a class sees it, or MISSING."""
    for cls in line:
        if isinstance(cls, UserType) and BY_NAME[name] in cls.__dict__ and name != ANSWERED:
            hook = cls.__dict__[BY_NAME[name]]
            of_class = isinstance(hook, (staticmethod, classmethod)) or not isinstance(owner, type)
            return (
                types.MethodType(hook, owner)
                if name == "__class_getitem__"
                else (bound(hook, owner) if of_class else hook)
            )
    return MISSING


def _get_plainly(value: Any, name: Any, /) -> Any:
    """object.__getattribute__()"""
    kind = type(value)
    _checked_name(name)
    return _of_instance(value, kind, name) if isinstance(kind, UserType) else get(value, name)


def _not_told() -> None:
    """object.__init_subclass__()"""


def _set_plainly(value: Any, name: Any, new: Any, /) -> None:
    """object.__setattr__()"""
    put(value, _checked_name(name), new)


def _drop_plainly(value: Any, name: Any, /) -> None:
    """object.__delattr__()"""
    _drop(value, _checked_name(name))


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
    return name


_PLAINLY = {SETATTR: _set_plainly, DELATTR: _drop_plainly, GETATTRIBUTE: _get_plainly}
for _name, _function in _PLAINLY.items():
    _function.__name__ = _function.__qualname__ = _name


def _hook_of(line: Iterable[type], name: str, owner: str = "type object") -> Any:
    """The function that is called for an attribute: a hook of the first of some classes to have one, or PyTorch's."""
    hook = found_by(line, KEPT[name])
    if hook is not None or name != GETATTR:
        return hook or _PLAINLY[name]
    if not any(issubclass(cls, Holder) for cls in line):
        raise AttributeError(f"'{owner}' object has no attribute '__getattr__'")
    return attributes.get


def _called_by_class(module: Any, /, *args: Any, **kwargs: Any) -> Any:
    """nn.Module.__call__(module, ...)"""
    if not isinstance(module, Holder):
        raise TypeError(f"this is to be called with a module, not with '{word(module)}'")
    if declared(type(module), "__call__") is not MISSING:
        raise SpecError("the class of this module has a __call__ of its own", help="write super().__call__(...)")
    return caps.guarded(module)(*args, **kwargs)


_called_by_class.__name__ = _called_by_class.__qualname__ = "__call__"


def _seen_from_nothing(**options: Any) -> None:
    """The ``__init__`` of a super(SomeClass), which is not of the class but of super()."""
    if options:
        raise TypeError("super() takes no keyword arguments")


# Of Python's own containers, how what one of a program's class holds stands alone.
_PLAIN_COPY: dict[type, Any] = {
    list: list.copy, dict: dict.copy, tuple: lambda owner: tuple.__getitem__(owner, slice(None)),
}  # fmt: skip


def _of_tensors(value: Super) -> bool:
    return any(issubclass(base, Tensor) for base in value.line())


def _of_super(value: Super, name: str) -> Any:
    owner = value.owner
    if owner is None:
        if name == "__init__":
            return _seen_from_nothing
        raise AttributeError(f"'super' object has no attribute '{name}'")
    if name in KEPT and name != SUBCLASSED:
        return types.MethodType(_hook_of(value.line(), name, "super"), owner)
    if name == ANSWERED or (name == DISPATCHED and (_of_tensors(value) or is_of_mode(owner))):
        cls = owner if isinstance(owner, type) else type(owner)
        kept = found_by(value.line(), ASKED[name])
        return asked_above(cls, name) if kept is None else types.MethodType(kept, owner if is_of_mode(owner) else cls)
    if name in (STATED, RESTORED):
        kept = found_by(value.line(), ASKED[name])
        if kept is not None:
            return types.MethodType(kept, owner)
        if name == RESTORED and isinstance(owner, Holder):
            return types.MethodType(_restore_changes, owner)
    if name == SUBCLASSED:
        told = found_by(value.line(), TOLD)
        return _not_told if told is None else types.MethodType(told, owner)
    if name in BY_NAME and (hook := _by_name(value.line(), name, owner)) is not MISSING:
        return hook
    for cls in value.line():
        if cls is Metaclass and name in ("__new__", "__instancecheck__", "__subclasscheck__", "__prepare__"):
            method: Any = of_type(name)
            return method if name == "__new__" else types.MethodType(method, owner)
        if name == "__new__" and isinstance(cls, UserType) and name in cls.__dict__:
            return declared(cls, name)
        if name == "__new__" and begins_empty(cls) and begins_empty(host_of(value.line()[0])):
            return made_plainly
        if cls is object and name in ("__reduce__", "__reduce_ex__"):
            return types.MethodType(reduced_plainly, owner)
        if cls is object and name in ("__repr__", "__str__"):
            return types.MethodType(plainly if name == "__repr__" else representation, owner)
        if isinstance(cls, UserType):
            found = declared(cls, name) if name in cls.__dict__ else MISSING
            if found is not MISSING:
                return bound(found, owner)
            continue
        if name in ("__init__", "__repr__", "__str__", "__call__") and name in cls.__dict__:
            found = cls.__dict__[name]
            if name != "__init__" and isinstance(found, types.WrapperDescriptorType):
                found = of_host(cls, name)
            if found is not None:
                return types.MethodType(found, owner)
        method = special_of(cls, name) or attributes.methods_of(cls).get(name)
        if method is not None and (instead := added_to.in_place(cls, name)) is not NO_MEMBER:
            method = instead
        if method is not None:
            return types.MethodType(method, owner)
        if cls in _PLAIN_COPY and not name.startswith("__i") and name in cls.__dict__:
            operate = operation(name)
            if operate is not None:
                # What the class of the program's defines is not asked.
                return Bound(_PLAIN_COPY[cls](owner), name, operate)
    if value_of(owner) is not owner:
        return attributes.get(value_of(owner), name)
    raise AttributeError(f"'super' object has no attribute '{name}'")


def _restore_changes(module: Holder, state: Any, /) -> None:
    """Set what a program changed in the state of a module, which holds all else already."""
    before = held_by(module, keep, lose)
    for name, value in caps.builtins["dict"](state).items():
        if before.get(name, MISSING) is not value:
            before[name] = value


def assign(value: Any, name: str, new: Any) -> None:
    """Set an attribute of a value."""
    kind = type(value)
    if type(kind) is UserType:
        taken = _taken_by(kind).get(name)
        if taken is None and len(_taken_by(kind)) < _MANY:
            taken = _taken_by(kind)[name] = _takes(kind, name)
        if taken:
            own = value.__dict__
            if HELD not in own:
                own[name] = new
                return
    setting = None
    if isinstance(kind, UserType):
        refuse_frozen(value, name, "assign to")
        setting = found_by(type(value).__mro__, SETTING)
    elif isinstance(value, UserType) and (meta := metaclass_of(value)) is not None:
        setting = found_by(meta.__mro__, SETTING)
    refuse_fixed(value, name, "reassign")
    if setting is None and name == "__class__" and isinstance(new, type) and not isinstance(value, type):
        _turn(value, new)
    elif setting is None:
        put(value, name, new)
    else:
        setting(value, name, new)


def _takes(kind: type, name: str) -> bool:
    """True if nothing has a say in what the instances of a class have under a name."""
    spaces = [base.__dict__ for base in kind.__mro__]
    found = declared(kind, name)
    return not (
        is_special(name)
        or (name[:1] == "_" and name in reserved(kind))
        or any(hook in space for space in spaces for hook in (FROZEN, SETTING))
        or any(rule in kind.__dict__ for rule in (ONLY, ROW))
        or isinstance(found, property)
        or isinstance(type(found), UserType)
        or issubclass(kind, Holder)
        or called_by_host((kind,), name)
        or _is_of_tensors(kind, name)
        or _is_of_errors(kind, name)
    )


def _is_of_errors(kind: type, name: str) -> bool:
    """True if a name is that of an attribute which an exception has that Python made."""
    return issubclass(kind, BaseException) and name in TABLES[kind].setters


def _is_of_tensors(kind: type, name: str) -> bool:
    """True if a name is that of an attribute which all tensors have, of a class that derives from them."""
    return issubclass(kind, Tensor) and name in TABLES[kind].fields


def put(value: Any, name: str, new: Any) -> None:
    """Set an attribute of a value, be it one that is made not to change."""
    kind = type(value)
    if kind is Namespace:
        if value.set is not None and (value.is_own or value.find(name) is not MISSING):
            value.set(name, new)
            return
        if may_be_given(value, name, new):
            give(value, name, new)
            return
        raise SpecError(
            f"{value.full_name}.{name} cannot be assigned to: a module is the same for all",
            help="give your own function a name of its own",
            code="E205",
        )
    if callable(new) and called_by_host((kind,), name) and not isinstance(new, Holder):
        new = caps.guarded(new)
    of_host = _is_of_tensors(kind, name) or _is_of_errors(kind, name)
    emptied = name[:1] == "_" and name in TABLES[kind].setters and is_empty_table(new)
    if emptied or (of_host and declared(kind, name) is MISSING):
        attributes.assign(value, name, new)
    elif isinstance(kind, UserType) and (not is_special(name) or (name in NAMED_AFTER and _is_open(kind))):
        refuse_reserved(kind, name)
        found = declared(kind, name)
        if found is MISSING and not isinstance(value, Holder):
            refuse_new(value, name)
            _write(value, name, new)
        elif isinstance(found, property):
            if found.fset is None:
                refuse_new(value, name)
                raise AttributeError(f"property '{name}' of '{kind.__name__}' object has no setter")
            found.fset(value, new)
        elif (writing := _hook_in(found, WRITING)) is not None:
            writing(found, value, new)
        elif isinstance(value, Holder):
            attributes.assign(value, name, new)
        else:
            refuse_new(value, name)
            _write(value, name, new)
    elif name == "__dict__" and isinstance(kind, UserType) and _is_open(kind):
        _hold(value, new)
    elif isinstance(value, UserType) and (not is_special(name) or _may_come_later(value, name)):
        refuse_reserved_in(value, name)
        put_in(value, name, placed((value,), name, new))
    elif isinstance(value, type) and added_to.is_open(value, name):
        added_to.add(value, name, new)
    else:
        attributes.assign(value, name, new)


def _turn(value: Any, new: type) -> None:
    """Make an object one of another class of the program's, which holds what its own class holds."""
    kind = type(value)
    own = isinstance(kind, UserType) or isinstance(value, Holder)
    if not own or not (isinstance(new, UserType) or issubclass(new, Holder)):
        raise TypeError("__class__ assignment only supported for mutable types or ModuleType subclasses")
    alike = host_of(kind) is host_of(new) and (isinstance(value, Holder) or issubclass(host_of(new), Plain))
    ruled = any(declared(cls, rule) is not MISSING for cls in (kind, new) for rule in (ONLY, FROZEN))
    if not alike or ruled:
        raise SpecError(
            f"a {word(value)} cannot become a {new.__name__} in the spec language",
            help="make a new one: only layers of one kind, and objects of classes that derive from nothing, turn so",
            code="E205",
        )
    object.__setattr__(value, "__class__", new)


def keep(value: Any, name: str, new: Any) -> None:
    """Keep an attribute in an object itself, whatever its class would do about it."""
    kind = type(value)
    if callable(new) and called_by_host((kind,), name) and not isinstance(new, Holder):
        new = caps.guarded(new)
    if isinstance(value, Holder) and is_shown_of(value, name, new):
        return
    refuse_reserved(kind, name)
    refuse_new(value, name)
    _write(value, name, new)


def lose(value: Any, name: str) -> None:
    """Take an attribute out of an object itself."""
    refuse_reserved(type(value), name)
    dict.pop(value.__dict__, name, None)


def _may_come_later(cls: type, name: str) -> bool:
    """True if a class that is made already may be given a special method."""
    return (name == "__init__" and issubclass(cls, Holder)) or (name in _LATER and _derives_from_nothing(cls))


def _derives_from_nothing(cls: type) -> bool:
    """True if a class and all that derive from it are the program's own to their last base."""
    below: list[type] = type.__subclasses__(cls)
    return cls.__dict__[WHOLLY] is True and all(map(_derives_from_nothing, below))


def _write(value: Any, name: str, new: Any) -> None:
    own = value.__dict__
    if HELD in own:
        own = own[HELD]
        fits(len(own) + 1, "dict")
    methods_of_dict = OrderedDict if isinstance(own, OrderedDict) else dict
    methods_of_dict.__setitem__(own, name, new)


def _hold(value: Any, new: Any) -> None:
    """Let what a dict holds be the attributes of an object: they are found in it, and never among Python's own."""
    if not isinstance(new, dict):
        raise TypeError(f"__dict__ must be set to a dictionary, not a '{word(new)}'")
    if isinstance(new, Held):
        raise SpecError("the __dict__ of another object is a copy here", help="hold a dict of your own", code="E205")
    value.__dict__.clear()
    value.__dict__[HELD] = new


def delete(value: Any, name: str) -> None:
    """Take an attribute of a value away."""
    deleting = found_by(type(value).__mro__, DELETING) if isinstance(type(value), UserType) else None
    if deleting is None:
        _drop(value, name)
    else:
        deleting(value, name)


def _drop(value: Any, name: str) -> None:
    kind = type(value)
    refuse_fixed(value, name, "delete")
    is_own = isinstance(kind, UserType) and not _is_of_tensors(kind, name)
    if is_own and not isinstance(value, Holder) and not is_special(name):
        refuse_frozen(value, name, "delete")
        refuse_reserved(kind, name)
        found = declared(kind, name)
        if isinstance(found, property):
            if found.fdel is None:
                raise AttributeError(f"property '{name}' of '{kind.__name__}' object has no deleter")
            found.fdel(value)
            return
        if (removing := _hook_in(found, REMOVING)) is not None:
            removing(found, value)
            return
        own = value.__dict__.get(HELD, value.__dict__)
        if not dict.__contains__(own, name):
            raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
        (OrderedDict if isinstance(own, OrderedDict) else dict).__delitem__(own, name)
    elif isinstance(value, UserType) and (name in _LATER or not is_special(name)) and name in value.__dict__:
        refuse_reserved_in(value, name)
        take_out(value, name)
    else:
        attributes.delete(value, name)


def names(value: Any) -> list[str]:
    """The attributes of a value, for a proposal of what was meant."""
    if isinstance(value, Namespace):
        return value.names()
    own: list[str] = []
    kind = value if isinstance(value, type) else type(value)
    if isinstance(kind, UserType):
        own = [n for base in kind.__mro__ if isinstance(base, UserType) for n in base.__dict__ if not is_special(n)]
        if kind is not value:
            held = value.__dict__.get(HELD, value.__dict__)
            own += [n for n in held if isinstance(n, str) and not is_special(n) and n not in reserved(kind)]
    return [*own, *attributes.names(value)]
