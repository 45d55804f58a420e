"""The classes that those of a program may derive from, and classes that are made by a call of type()."""

from __future__ import annotations

from typing import Any

from ...engine.function import Function
from ...engine.tensor import Tensor
from ...errors import GradcliError, SpecError
from ...nn.modules.module import Module
from ...nn.parameter import Buffer, Parameter
from ..guard.size_limits import collected, fits
from ..values.annotations import Noted
from ..values.classes import metaclasses
from ..values.classes.data_classes import ABC, ABCMeta, Generic, dataclass, dataclasses as _dataclasses, make_class
from ..values.classes.derived_containers import BASES
from ..values.classes.enumerations import Enum
from ..values.classes.making_classes import Plain
from ..values.classes.metaclasses import AbstractMetaclass, Metaclass, body_behind
from ..values.classes.named_tuples import NamedRow, check_identifier
from ..values.classes.sealed_classes import TYPE
from ..values.classes.tensor_classes import is_mode, refuse_unready
from ..values.show import representation
from ..values.user_definitions import ANNOTATED, METACLASS, NOTED, UserType, refuse_special
from ..values.visible_types import word
from .derived_schedules import written_schedule
from .hints import Hint, Kind
from .iteration import iterate


def base_of(base: Any) -> type | None:
    """The class that stands for what a class of a program derives from, or None where it may not."""
    if base is object:
        return Plain
    if base is TYPE:
        return Metaclass
    if base is ABCMeta:
        return AbstractMetaclass
    if isinstance(base, UserType):
        return base
    if base in _OF_TENSORS:
        refuse_unready(base)
        return base  # type: ignore[no-any-return]
    if is_mode(base):
        return base  # type: ignore[no-any-return]
    if isinstance(base, type):
        if base in BASES:
            return BASES[base]
        known = (Module, Function, Exception, *_other_bases())
        if issubclass(base, known) and not issubclass(base, GradcliError):
            return base
    if isinstance(base, Kind) and base.base is not None:
        written: type = base.base
        return written
    if isinstance(base, Hint) and base.name in _HINTED:
        return _HINTED[base.name]
    found: type | None = written_schedule(base)
    return found


# Tensors, and those that modules keep.
_OF_TENSORS = (Tensor, Parameter, Buffer)
# What a class derives from that derives from a type as annotations write it.
_HINTED: dict[str, type] = {
    **dict.fromkeys(("list", "List"), BASES[list]), **dict.fromkeys(("dict", "Dict"), BASES[dict]),
    **dict.fromkeys(("Callable", "Container", "Hashable", "Iterable", "Reversible", "Sized"), Generic),
}  # fmt: skip


def _other_bases() -> tuple[type, ...]:
    from ...engine.walk.saved_tensors_hooks import saved_tensors_hooks
    from ...optim.optimizer import Optimizer
    from ...utils.data import DataLoader, Dataset, Sampler

    return ABC, Enum, Generic, NamedRow, Optimizer, Dataset, Sampler, DataLoader, saved_tensors_hooks


def refused_base(base: Any) -> SpecError:
    """The refusal of what a class of a program may not derive from."""
    shown = base.__name__ if isinstance(base, type) else type(base).__name__
    return SpecError(
        f"a class of a spec cannot derive from {shown}",
        help="it can derive from nn.Module, autograd.Function, Dataset, dict, list, an exception class or a class of "
        "its own",
        code="E205",
    )


def made_by_type(name: Any, bases: Any, namespace: Any, /, *, meta: Any = None, told: Any = None) -> type:
    """type(name, bases, dict): a class, by a metaclass of the program's if there is one."""
    if not isinstance(name, str):
        raise TypeError(f"type.__new__() argument 1 must be str, not {word(name)}")
    if not isinstance(bases, tuple):
        raise TypeError(f"type.__new__() argument 2 must be tuple, not {word(bases)}")
    if not isinstance(namespace, dict):
        raise TypeError(f"type.__new__() argument 3 must be dict, not {word(namespace)}")
    fits(len(namespace), "dict")
    line = []
    for base in bases:
        found = base_of(base)
        if found is None:
            raise refused_base(base)
        line.append(found)
    if meta is not None and issubclass(meta, AbstractMetaclass) and not any(issubclass(base, ABC) for base in line):
        line.append(ABC)
    space: dict[str, Any] = {}
    for key, value in dict.items(namespace):
        if not isinstance(key, str):
            raise SpecError("the names in a class are to be texts", help="write a class statement", code="E205")
        if key not in _TOLD:
            refuse_special(key)
            space[key] = value
    space.setdefault("__doc__", None)
    qualname = name
    body = body_behind(namespace)
    if body is not None:
        space.update(body.kept)
        qualname = body.qualname
    if meta is not None:
        space[METACLASS] = meta
    return make_class(name, qualname, tuple([base for base in line if base is not Plain]), space, told)


metaclasses.made_by_type = made_by_type

# What a namespace says of where its class stands.
_TOLD = ("__module__", "__qualname__")


def make_dataclass(cls_name: Any, fields: Any, *, bases: Any = (), namespace: Any = None, **options: Any) -> Any:
    """A data class of fields that are given as values: names, or names with a type and perhaps a default."""
    kinds: dict[str, Any] = {}
    space = {} if namespace is None else dict(namespace)
    for field in collected(iterate(fields)):
        parts = [field] if isinstance(field, str) else collected(iterate(field))
        if not 1 <= len(parts) <= 3:
            raise TypeError(f"Invalid field: {representation(field)}")
        check_identifier(parts[0], "Field names", TypeError)
        if parts[0] in kinds:
            raise TypeError(f"Field name duplicated: {parts[0]!r}")
        refuse_special(parts[0])
        kinds[parts[0]] = parts[1] if len(parts) > 1 else "typing.Any"
        if len(parts) == 3:
            space[parts[0]] = parts[2]
    cls = made_by_type(cls_name, bases, space)
    type.__setattr__(cls, ANNOTATED, tuple(kinds))
    type.__setattr__(cls, NOTED, Noted(kinds.copy, kinds.copy))
    return dataclass(cls, **options)


def dataclasses() -> dict[str, Any]:
    """The names of the module `dataclasses`."""
    # What annotations say is read where they stand.
    said = {name: Hint(name) for name in ("InitVar", "KW_ONLY")}
    return {**_dataclasses(), **said, "make_dataclass": make_dataclass}
