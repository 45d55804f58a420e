"""Saving and loading: copies of what a program holds, in files that live as long as it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....nn.modules.module import Module
from ...guard.size_limits import caps, weigh
from ...values.show import representation
from ...values.user_definitions import HELD, REDUCING, STATING, UserFunction, UserType
from ...values.visible_types import word
from ..exceptions.endings import EndOfFile
from .pickles import Pickle

# The first byte that no weights have, of a pickle of Python's own and of an array of NumPy's.
_FRAME, _ARRAY = 149, 147
_PLAIN = (int, float, str, bool, type(None))


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


def pickled(value: Any) -> Pickle:
    """A value as a file keeps it."""
    refuse_unpicklable(value)
    return Pickle(value)


def unpickled(found: Any) -> Any:
    """The value that a file keeps; what came from elsewhere is one already."""
    return found.read() if isinstance(found, Pickle) else found


def save(obj: Any, f: Any, **options: Any) -> None:
    """torch.save(): a copy of a value in a file of the program's."""
    caps.library("_files")["keep"](f, pickled(obj), is_torch=True)


def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: Any = None, **options: Any
) -> Any:
    """torch.load(): a copy of what was saved, and by default of nothing but weights."""
    from .weights import check, refusal

    weights_only = pickle_module is None if weights_only is None else weights_only
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    try:
        found, is_torch = caps.library("_files")["saved"](f)
    except EndOfFile as error:
        # The reader of weights gives no words.
        raise EndOfFile() if weights_only else error from None
    if not is_torch:
        # What pickle or NumPy wrote begins with other bytes, by which PyTorch knows that.
        if weights_only:
            raise refusal(f"Unsupported operand {_FRAME if isinstance(found, Pickle) else _ARRAY}")
        raise RuntimeError("Invalid magic number; corrupt file?")
    if not isinstance(found, Pickle):
        weigh(found)
    elif weights_only:
        check(found)
    return unpickled(found)


def unsafe_globals(f: Any) -> list[str]:
    """torch.serialization.get_unsafe_globals_in_checkpoint()"""
    from .weights import unsafe_names

    found, is_torch = caps.library("_files")["saved"](f)
    if not is_torch:
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    return unsafe_names(found) if isinstance(found, Pickle) else []
