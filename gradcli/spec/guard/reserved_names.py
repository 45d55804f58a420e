"""Names that begin with an underscore and belong to our classes: none of a program's classes may have them."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...errors import SpecError
from ..values.user_definitions import ANNOTATED, RESERVED, UserType, is_special
from ..values.visible_types import name_of

# What programs write for PyTorch to call or to read: all that is done with it is harmless.
_OPEN = frozenset((
    "_apply", "_check_input_dim", "_conv_forward", "_ff_block", "_get_name", "_load_from_state_dict", "_mha_block",
    "_output_padding", "_reset_parameters", "_sa_block", "_save_to_state_dict", "_version",
))  # fmt: skip
_NONE: frozenset[str] = frozenset()


@cache
def _own(cls: type) -> frozenset[str]:
    """The names of one class of ours: its attributes, and those of its instances that it declares."""
    names = {*vars(cls), *getattr(cls, "__annotations__", ())}
    return frozenset(n for n in names if n[:1] == "_" and not is_special(n)) - _OPEN


def reserved(cls: type) -> frozenset[str]:
    """The names that a class has of ours, itself or by its bases."""
    found: frozenset[str] | None = cls.__dict__.get(RESERVED)
    if found is None:
        found = _NONE.union(*(_own(base) for base in cls.__mro__ if not isinstance(base, UserType)))
        if isinstance(cls, UserType):
            type.__setattr__(cls, RESERVED, found)
    return found


def refuse_reserved(cls: type, name: str) -> None:
    """Refuse to give an instance of a class an attribute that is ours."""
    if name[:1] == "_" and name in reserved(cls):
        raise _refusal(cls.__mro__, name)


def refuse_reserved_in(cls: type, name: str) -> None:
    """Refuse to give a class of a program an attribute that is ours, in it or in a class that derives from it."""
    if name[:1] == "_":
        refuse_reserved(cls, name)
        below: list[type] = type.__subclasses__(cls)
        for derived in below:
            refuse_reserved_in(derived, name)


def refuse_reserved_names(bases: tuple[type, ...], space: dict[str, Any]) -> None:
    """Refuse a class of a program that has a name of ours among its own, or among those of its bases."""
    taken = _NONE.union(*map(reserved, bases))
    if not taken:
        return
    line = [base for each in bases for base in each.__mro__]
    # What a base has of its own host's, it was given when it was made.
    spaces = [(space, _NONE), *((vars(base), reserved(base)) for base in line if isinstance(base, UserType))]
    for names, known in spaces:
        for name in (*names, *names.get(ANNOTATED, ())):
            if name in taken and name not in known:
                raise _refusal(line, name)


def _refusal(line: Any, name: str) -> SpecError:
    owner = next(base for base in line if not isinstance(base, UserType) and name in _own(base))
    kind = next(base for base in line if not isinstance(base, UserType) and issubclass(base, owner))
    return SpecError(
        f"{name} belongs to {name_of(kind)}: a class of a spec that derives from it may not have a {name} of its own",
        help="give it another name",
        code="E205",
    )
