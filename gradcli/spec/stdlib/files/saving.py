"""Saving and loading: copies of what a program holds, in files that live as long as it runs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from ....engine.tensor import Tensor
from ....errors import SpecError
from ....nn.modules.module import Module
from ...guard.size_limits import caps, weigh
from ...values.copying import deep_copy
from ...values.show import representation
from ...values.user_definitions import HELD, REDUCING, STATING, UserFunction, UserType
from ...values.visible_types import word

_PLAIN = (int, float, str, bool, type(None))


def _portable(value: Any, copies: dict[int, Any], memory: dict[int, Any]) -> Any:
    """A copy of a value as a file keeps it: tensors are leaves, and what was held twice is so again.

    ``memory`` knows the copies of what tensors lie in: views of one tensor share theirs afterwards, too.
    """
    if isinstance(value, _PLAIN):
        return value
    if id(value) in copies:
        return copies[id(value)][0]
    if isinstance(value, Tensor) and type(value) in (Tensor, *_tensors()):
        made = _copied(value, memory)
    elif type(value) in (dict, OrderedDict):
        made = type(value)((_portable(k, copies, memory), _portable(v, copies, memory)) for k, v in value.items())
        if type(value) is OrderedDict and value.__dict__:
            # What a state dict knows of the modules that it was taken from.
            made.__dict__.update(_portable(value.__dict__, copies, memory))
    elif type(value) in (list, tuple):
        made = type(value)(_portable(v, copies, memory) for v in value)
    else:
        _charge(value)
        made = deep_copy(value)
    # The value is held, so that no other can come to have its id.
    copies[id(value)] = made, value
    return made


def _tensors() -> tuple[type, ...]:
    from ....engine.tensor import View
    from ....nn.parameter import Parameter

    return View, Parameter


def _copied(tensor: Any, memory: dict[int, Any]) -> Any:
    caps.spend(tensor.numel(), tensor.numel())
    if tensor.is_leaf:
        return tensor.__deepcopy__(memory)
    leaf = tensor.detach()
    # It is held, so that no other can come to have its id.
    memory.setdefault(id(memory), []).append(leaf)
    return leaf.__deepcopy__(memory).requires_grad_(tensor.requires_grad)


def _charge(value: Any) -> None:
    """Charge for the tensors of a layer, which is copied whole."""
    if isinstance(value, Module):
        for tensor in (*value.parameters(), *value.buffers()):
            caps.spend(tensor.numel(), tensor.numel())


def refuse_unpicklable(value: Any) -> None:
    """Refuse what no pickle holds, in Python's words: functions without a name of their own in a module, generators."""
    seen: set[int] = set()
    held = [value]
    while held:
        part = held.pop()
        caps.tick(1)
        if isinstance(part, _PLAIN) or id(part) in seen:
            continue
        seen.add(id(part))
        kind = type(part)
        if isinstance(part, UserFunction):
            _refuse_function(part)
        elif isinstance(part, Iterator) and not isinstance(kind, UserType):
            raise TypeError(f"cannot pickle '{word(part)}' object")
        elif isinstance(part, UserType) or isinstance(kind, UserType):
            named = part if isinstance(part, UserType) else kind
            if "<locals>" in named.__qualname__:
                raise AttributeError(f"Can't pickle local object '{named.__qualname__}'")
        if isinstance(part, (list, tuple, set, frozenset)):
            held += part
        elif isinstance(part, dict):
            held += [*part.keys(), *part.values()]
        if isinstance(part, Module) or (isinstance(kind, UserType) and not _says_itself(kind)):
            own = part.__dict__.get(HELD, part.__dict__)
            held += own.values()


def _says_itself(kind: type) -> bool:
    """True of a class that says itself what a copy of an instance holds."""
    return any(not base.__dict__.keys().isdisjoint((STATING, REDUCING)) for base in kind.__mro__)


def _refuse_function(function: UserFunction) -> None:
    name = function.__qualname__
    if "<locals>" in name:
        raise AttributeError(f"Can't pickle local object '{name}'")
    if "<lambda>" in name:
        where = f"attribute lookup {name} on __main__ failed"
        raise caps.library("pickle")["PicklingError"](f"Can't pickle {representation(function)}: {where}")


def _stored(value: Any) -> Any:
    refuse_unpicklable(value)
    weigh(value)
    return _portable(value, {}, {})


def save(obj: Any, f: Any, **options: Any) -> None:
    """torch.save(): a copy of a value in a file of the program's."""
    caps.library("_files")["keep"](f, _stored(obj), is_torch=True)


def load(f: Any, map_location: Any = None, *, weights_only: Any = None, **options: Any) -> Any:
    """torch.load(): a copy of what was saved."""
    found = caps.library("_files")["kept"](f)
    if weights_only is not False and (isinstance(found, Module) or isinstance(type(found), UserType)):
        raise SpecError(
            f"torch.load() reads weights only, and the file holds a {word(found)}",
            help="write torch.load(f, weights_only=False)",
            code="E205",
        )
    return _stored(found)
