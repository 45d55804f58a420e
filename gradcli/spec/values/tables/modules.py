"""Modules: their public methods, and the parameters, buffers, submodules and other data that they hold."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, GeneratorType, MethodType
from typing import Any, NoReturn

from ....engine.tensor import Tensor
from ....errors import SpecError
from ....nn.base.holder import MISSING as NO_MEMBER, TRANSIENT, Holder, found_in
from ....nn.modules.module import Module
from ...guard.reserved_names import reserved
from ...guard.size_limits import weigh_key
from ...stdlib.iteration import Generator
from ..added_to import its_own
from ..classes.sealed_classes import Given, known_as
from ..copying import deep_copy
from ..show import written_so
from ..visible_types import show_as
from .containers import Held
from .table import MISSING, TABLES, Method, Setter, Table, attributes, constant, declare

_NN = Module.__module__.rpartition(".modules.")[0]
_KINDS = ("_parameters", "_buffers", "_modules")
# What else of PyTorch's private names programs read.
_READ = ("_all_weights", "_flat_weights", "_flat_weights_names", "_qkv_same_embed_dim")
# The hooks of a module, which programs count, and take away all at once.
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_CALLED = (
    "_apply", "_check_input_dim", "_conv_forward", "_ff_block", "_get_name", "_load_from_state_dict", "_mha_block",
    "_named_members", "_output_padding", "_register_load_state_dict_pre_hook", "_register_state_dict_hook",
    "_reset_parameters", "_sa_block", "_save_to_state_dict",
)  # fmt: skip


def table_of(cls: type) -> Table | None:
    """The table of a class of gradcli.nn, or None."""
    if not issubclass(cls, Holder):
        return None
    table = with_public(Table(TABLES[object]), cls)
    table.methods.update({name: giving_iterators(getattr(cls, name)) for name in _CALLED if hasattr(cls, name)})
    table.in_python = frozenset(table.methods)
    hidden = reserved(cls)
    table.fields.update({kind: _registered(kind) for kind in _KINDS})
    if issubclass(cls, Module):
        table.fields.update({kind: _hung(kind) for kind in _HOOKS})
        table.setters.update({kind: emptied(kind) for kind in _HOOKS})
    table.fields.update(attributes(" ".join(name for name in _READ if name in hidden)))
    if hasattr(cls, "all_weights"):
        table.fields.update(attributes("all_weights"))
    table.free = True
    table.hidden = hidden
    table.find, table.extra = member, _members
    return table


def with_public(table: Table, cls: type) -> Table:
    """A table with all public methods of a class of our own, which are PyTorch's."""
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if name.startswith("_"):
                continue
            value = its_own(base, name, value)
            if isinstance(value, FunctionType):
                table.methods[name] = giving_iterators(value)
            elif isinstance(value, classmethod):
                table.statics[name] = getattr(cls, name)
            elif isinstance(value, staticmethod):
                table.statics[name] = value.__func__
                table.fields[name] = constant(value.__func__)
    return table


def private(cls: type) -> list[str]:
    """The names of a class of our own that are no business of a program."""
    return [name for name in dir(cls) if name.startswith("_")]


def giving_iterators(function: Any) -> Method:
    """A method that gives no host's generator to a program."""
    if function.__code__.co_flags & 0x20 == 0 and function.__name__ not in ("values", "items"):
        found: Method = function
        return found

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = function(self, *args, **kwargs)
        return Generator(found, function.__qualname__) if isinstance(found, GeneratorType) else found

    method.__name__, method.__qualname__ = function.__name__, function.__qualname__
    return method


def is_left_to_members(cls: type, name: str) -> bool:
    """True if modules of a class have nothing under a name but what they hold as a member."""
    table = TABLES[cls]
    return (
        table.find is member and name not in table.fields and table.methods[name] is None and name not in table.statics
    )


def member(module: Any, name: str) -> Any:
    """A parameter, buffer or submodule, or what is computed of them."""
    found = NO_MEMBER if name.startswith("__") else found_in(module.__dict__, name)
    return MISSING if found is NO_MEMBER else found


def _members(module: Any) -> list[str]:
    return [name for kind in _KINDS for name in module.__dict__.get(kind, ())]


# -- members by their kinds ------------------------------------------------------------------------


class Registered(dict[str, Any]):
    """The members of a kind that a module has: a copy, through which they are set and taken away as by their names."""

    __slots__ = ("kind", "module")

    def __init__(self, module: Any, kind: str) -> None:
        super().__init__(module.__dict__.get(kind, {}))
        self.module, self.kind = module, kind

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.kind == "_parameters" and isinstance(value, Tensor) and key in self:
            # In place of a parameter, past its name, there may stand what was computed.
            self.module.__dict__[self.kind][key] = value
        elif self.kind == "_parameters":
            Holder.register_parameter(self.module, key, value)
        elif self.kind == "_buffers":
            Holder.register_buffer(self.module, key, value, key not in self.module.__dict__[TRANSIENT])
        else:
            Holder.add_module(self.module, key, value)
        super().__setitem__(key, value)

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        self.module.__dict__[self.kind].pop(key, None)
        self.module.__dict__[TRANSIENT].discard(key)

    def __copy__(self) -> dict[str, Any]:
        return dict(self)

    def __deepcopy__(self, memo: Any) -> dict[str, Any]:
        return {key: deep_copy(value) for key, value in self.items()}


def _registered(kind: str) -> Callable[[Any], Registered]:
    return lambda module: Registered(module, kind)


class Hung(Given):
    """The hooks of a kind that a module has: how many there are, those of the program's own, and ways to take away."""

    __slots__ = ("hooks",)

    def __init__(self, hooks: dict[int, Any]) -> None:
        self.hooks = hooks

    def __len__(self) -> int:
        return len(self.hooks)

    def __iter__(self) -> Iterator[int]:
        return iter(list(self.hooks))

    def __contains__(self, key: Any) -> bool:
        return key in list(self.hooks)

    def own(self) -> dict[int, Any]:
        """The hooks that a program has given itself, as it gave them."""
        found = {
            key: hook.__dict__.get("given") if type(hook) is FunctionType else hook
            for key, hook in self.hooks.items()
        }
        return {key: hook for key, hook in found.items() if hook is not None and not _is_hosts(hook)}

    def pop(self, key: Any) -> Any:
        """Take a hook of the program's own away."""
        found = self.own()[key]
        del self.hooks[key]
        return found


def _is_hosts(hook: Any) -> bool:
    """Tell whether a hook is one of ours, which hang on a layer without a program's doing."""
    if isinstance(hook, MethodType):
        return isinstance(hook.__func__, FunctionType)
    return type(hook).__module__.startswith(f"{_NN}.") and not isinstance(hook, Module)


known_as(Hung, "OrderedDict", "collections")
written_so(Hung, lambda w, hung, how: w.repr(OrderedDict(hung.own())))
declare(
    Hung,
    base=object,
    methods={
        "clear": lambda self: self.hooks.clear(), "keys": lambda self: OrderedDict(self.hooks).keys(),
        "values": lambda self: OrderedDict(self.own()).values(), "items": lambda self: OrderedDict(self.own()).items(),
        "pop": lambda self, key: self.pop(key),
    },
)


def emptied(kind: str) -> Setter:
    """A setter of a table of hooks: a program may give an empty one, which takes all hooks away."""

    def empty(value: Any, new: Any) -> None:
        if not is_empty_table(new):
            raise AttributeError(f"attribute '{kind}' of '{type(value).__name__}' objects is not writable")
        value.__dict__[kind] = OrderedDict()

    return empty


def is_empty_table(value: Any) -> bool:
    """Tell whether a value is a dict of the host's own without a key, or a table of hooks without one."""
    return type(value) in (dict, OrderedDict, Hung) and not len(value)


def _hung(kind: str) -> Callable[[Any], Hung]:
    return lambda module: Hung(module.__dict__.get(kind, {}))


def held_by(module: Any, keep: Callable[[Any, str, Any], None], lose: Callable[[Any, str], None]) -> Held:
    """A copy of what a module holds itself, through which it is set and taken away without being registered."""
    hidden = reserved(type(module)) - {*_KINDS, TRANSIENT, "_is_full_backward_hook"}
    own: dict[str, Any] = {}
    for name, value in module.__dict__.items():
        if name in _KINDS:
            own[name] = Registered(module, name)
        elif name.endswith(_OF_HOOKS):
            own[name] = Hung(value)
        elif name not in hidden:
            own[name] = set(value) if name == TRANSIENT else value
    return Held(own, partial(keep, module), partial(lose, module))


def is_shown_of(module: Any, name: str, value: Any) -> bool:
    """Tell whether a value is what `held_by` shows of a module's own by a name: it is there already."""
    if isinstance(value, Registered):
        return value.module is module and value.kind == name
    there = module.__dict__.get(name, _NOTHING)
    shown = value.hooks if isinstance(value, Hung) else value
    return shown is there or (name == TRANSIENT and type(value) is set and value == there)


# How PyTorch's names of tables of hooks end.
_OF_HOOKS = ("_hooks", "_hooks_with_kwargs", "_hooks_always_called")


def _refuse_change(self: Registered, *args: Any, **kwargs: Any) -> NoReturn:
    raise SpecError(
        f"{self.kind} of a module cannot be changed so in the spec language",
        help="write module.name = value and del module.name, or set and delete one item at a time",
        code="E205",
    )


_NOTHING: Any = object()


def _popped(self: Registered, key: Any, default: Any = _NOTHING) -> Any:
    weigh_key(key)
    if key not in self:
        if default is _NOTHING:
            raise KeyError(key)
        return default
    found = self[key]
    del self[key]
    return found


show_as(Registered, dict)
Registered.__ior__ = _refuse_change  # type: ignore[assignment, method-assign]
declare(
    Registered,
    base=dict,
    methods={
        "copy": lambda self: dict(self),
        "pop": _popped,
        **dict.fromkeys(("update", "popitem", "setdefault", "clear"), _refuse_change),
    },
)
