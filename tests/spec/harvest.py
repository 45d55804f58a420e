"""Every name that something of the host may go by: what a program would try to reach it with."""

from __future__ import annotations

import sys
import types
from functools import cache
from typing import Any

from gradcli.engine import offers

# The rooms whose objects a program holds.
ROOMS = ("spec", "engine", "nn", "optim", "utils", "distributions", "errors", "autograd", "backends", "func", "random")

# What Python's own objects are asked for by those who look for the way out.
_KINDS: tuple[type, ...] = (
    object, type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.CodeType, types.FrameType,
    types.GeneratorType, types.TracebackType, types.ModuleType, types.CellType, types.MethodDescriptorType,
    types.WrapperDescriptorType, types.MappingProxyType, types.CoroutineType, BaseException, OSError, property,
    staticmethod, classmethod, super, slice, range, memoryview, str, bytes, int, float, list, dict, set, frozenset,
    tuple, zip, map, filter, enumerate,
)  # fmt: skip
_ASKED_FOR = (
    "__array__ __array_function__ __array_interface__ __array_priority__ __array_struct__ __array_ufunc__ "
    "__array_wrap__ __await__ __aiter__ __bases__ __builtins__ __class_getitem__ __closure__ __code__ __copy__ "
    "__deepcopy__ __defaults__ __dict__ __dlpack__ __file__ __getattr__ __getnewargs__ __getnewargs_ex__ __getstate__ "
    "__globals__ __init_subclass__ __instancecheck__ __kwdefaults__ __loader__ __mro_entries__ __objclass__ "
    "__original__ __path__ __prepare__ __reduce__ __reduce_ex__ __set_name__ __setstate__ __slots__ __spec__ "
    "__subclasscheck__ __subclasses__ __torch_dispatch__ __torch_function__ __weakref__ __wrapped__ base ctypes data "
    "dump f_back f_builtins f_globals f_locals flags func_globals gi_code gi_frame gi_yieldfrom os sys tofile"
).split()


def host_modules() -> dict[str, types.ModuleType]:
    """The modules of gradcli that a program's values may come from, all of them loaded."""
    offers.load_all()
    import tests.spec.instances as instances

    instances.namespace_classes()
    rooms = tuple(f"gradcli.{room}" for room in ROOMS)
    return {
        name: module
        for name, module in sys.modules.items()
        if name.startswith(rooms) and isinstance(module, types.ModuleType)
    }


@cache
def host_classes() -> tuple[type, ...]:
    """Every class that those modules define."""
    found: dict[type, None] = {}
    for name, module in host_modules().items():
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ in (name, "builtins") and value.__module__ != "builtins":
                found[value] = None
    return tuple(found)


@cache
def private_names() -> tuple[str, ...]:
    """The names with an underscore that classes of the host, or their instances, have."""
    names: set[str] = set()
    for cls in host_classes():
        names.update(n for n in vars(cls) if n.startswith("_"))
        names.update(n for n in vars(cls).get("__annotations__", ()) if n.startswith("_"))
        slots: Any = vars(cls).get("__slots__", ())
        names.update((slots,) if isinstance(slots, str) else slots)
        for value in vars(cls).values():
            code = getattr(getattr(value, "__func__", value), "__code__", None)
            if code is not None:
                # What methods read and write on their instances.
                names.update(n for n in code.co_names if n.startswith("_"))
    return tuple(sorted(names))


@cache
def python_names() -> tuple[str, ...]:
    """What Python's own objects have: dunders, frames, code."""
    return tuple(sorted({*_ASKED_FOR, *(name for kind in _KINDS for name in dir(kind))}))


@cache
def all_names() -> tuple[str, ...]:
    """All of them, and the public names of the host's classes."""
    public = {n for cls in host_classes() for n in vars(cls)}
    return tuple(sorted({*private_names(), *python_names(), *public}))
