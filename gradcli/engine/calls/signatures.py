"""PyTorch's words for a call whose arguments fit none of a function's signatures.

The signatures stand in a table beside this file, as PyTorch's messages write them; there a type is followed by ``*``
where one number does for several, and by ``?`` where None does, and ``~`` stands before one that hides an older order
of arguments. The table is written by `tests.write_signatures`, and read when a call has failed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..dtypes import dtype
from ..memory.places import Device, Layout, MemoryFormat
from ..random.generator import Generator
from ..tensor import Tensor

TABLE = Path(__file__).with_name("signatures.txt")
# Functions that take a number in the place of a tensor.
_OF_NUMBERS = frozenset(
    f"{name}{end}" for name in "add sub subtract mul multiply div divide true_divide floor_divide copy to".split()
    for end in ("", "_")
)  # fmt: skip
_PARAMETER = re.compile(
    r"(?:\*|(tuple of \w+|[\w.]+)(\*?)(\??) (\w+)(?: = (\([^)]*\)|\[[^]]*\]|\{[^}]*\}|[^,]*))?)(?:, |$)"
)
_INTS, _FLOATS, _SCALARS, _TENSORS = "tuple of ints", "tuple of floats", "tuple of Scalars", "tuple of Tensors"
_FLAGS = ("requires_grad", "pin_memory")
# What messages call the types of values.
Named = Callable[[Any], str]


class Parameter(NamedTuple):
    """A parameter: what PyTorch calls its type, whether one number does for several, and whether None does."""

    kind: str
    name: str
    several: bool
    nullable: bool
    default: str | None
    by_name: bool

    def takes(self, value: Any, numbers: bool) -> bool:
        """Tell whether a value may be given; ``numbers``: also for a tensor."""
        several = _ELEMENTS.get(self.kind)
        if several is not None:
            if isinstance(value, (tuple, list)):
                # Of whole numbers PyTorch looks at the first at first.
                return all(map(several, value[:1] if self.kind == _INTS else value))
            return self.several and several(value)
        if self.kind == "Tensor" and numbers and _is_number(value):
            return True
        check = _CHECKS.get(self.kind)
        return check is None or check(value)


def _is_number_of(value: Any, kinds: str) -> bool:
    return isinstance(value, Tensor) and not value.ndim and not value.requires_grad and value._a.dtype.kind in kinds


def _is_whole(value: Any) -> bool:
    if isinstance(value, (bool, np.bool_, np.ndarray)):
        return False
    return _is_number_of(value, "iu") if isinstance(value, Tensor) else hasattr(type(value), "__index__")


def _is_float(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) or _is_number_of(value, "biuf")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex, np.number, np.bool_)) or _is_number_of(value, "biufc")


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda x: isinstance(x, Tensor), "int": _is_whole, "float": _is_float, "Number": _is_number,
    "bool": lambda x: isinstance(x, (bool, np.bool_)), "str": lambda x: isinstance(x, (str, bytes)),
    "torch.dtype": lambda x: isinstance(x, dtype) or any(x is kind for kind in (bool, int, float, complex)),
    "torch.layout": lambda x: isinstance(x, Layout),
    "torch.device": lambda x: isinstance(x, (Device, str, int)) and not isinstance(x, bool),
    "torch.memory_format": lambda x: isinstance(x, MemoryFormat), "torch.Generator": lambda x: isinstance(x, Generator),
}  # fmt: skip
_ELEMENTS: dict[str, Callable[[Any], bool]] = {
    _INTS: _is_whole, _FLOATS: _is_float, _SCALARS: _is_number, _TENSORS: lambda x: isinstance(x, Tensor),
}  # fmt: skip


class Signature(NamedTuple):
    """The parameters of one overload, how PyTorch writes it, and whether an older order of them is hidden beside it."""

    parameters: tuple[Parameter, ...]
    shown: str
    hides: bool

    @property
    def by_place(self) -> int:
        """The number of arguments that may be given by their place."""
        return sum(not p.by_name for p in self.parameters)

    @property
    def needed(self) -> int:
        """The number of arguments that have to be given."""
        return sum(p.default is None for p in self.parameters)

    def mistake(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], named: Named) -> str | None:
        """PyTorch's words for these arguments, or None if they fit."""
        most, at, used = self.by_place, 0, 0
        spread = most == 1 and self.parameters[0].kind == _INTS
        if len(args) > most and not (spread and _is_whole(args[0])):
            return self._too_many(name, len(args))
        numbers = name in _OF_NUMBERS
        for place, p in enumerate(self.parameters):
            if at < len(args):
                if p.by_name:
                    return self._too_many(name, len(args))
                by_name, given, value = False, True, args[at]
            else:
                by_name, given, value = True, p.name in kwargs, kwargs.get(p.name)
            if given and not (value is None and p.nullable) and not p.takes(value, numbers):
                if spread and not place and not by_name and _is_whole(value):
                    at = len(args)
                    continue
                return self._not_taken(name, p, value, None if by_name else at + 1, named)
            if not given and p.default is None:
                return self._missing(name, place)
            if not by_name:
                at += 1
            elif given:
                used += 1
        if used < len(kwargs):
            names = [p.name for p in self.parameters]
            odd = next(k for k in kwargs if k not in names or names.index(k) < len(args))
            if odd in names:
                return f"{name}() got multiple values for argument '{odd}'"
            return f"{name}() got an unexpected keyword argument '{odd}'"
        return None

    def unread(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], named: Named) -> str | None:
        """PyTorch's words for whole numbers behind the first, where the arguments fit; None if these do, too."""
        for place, p in enumerate(self.parameters):
            value = kwargs.get(p.name) if place >= len(args) or p.by_name else args[place]
            if place == 0 and self.by_place == 1 and args and _is_whole(value):
                value = args
            if p.kind == _INTS and isinstance(value, (tuple, list)):
                for i, x in enumerate(value, 1):
                    if not _is_whole(x):
                        return (
                            f"{name}(): argument '{p.name}' failed to unpack the object at pos {i} with error \"type "
                            f"must be tuple of ints,but got {named(x)}\""
                        )
        return None

    def _too_many(self, name: str, given: int) -> str:
        least, most = sum(p.default is None for p in self.parameters), self.by_place
        takes = f"from {least} to {most} positional arguments" if least != most else (
            f"{most} positional argument{'' if most == 1 else 's'}"
        )  # fmt: skip
        return f"{name}() takes {takes} but {given} {'was' if given == 1 and least == most else 'were'} given"

    def _missing(self, name: str, place: int) -> str:
        lacking = [p.name for p in self.parameters[place:] if p.default is None]
        listed = ", ".join(f'"{each}"' for each in lacking)
        # PyTorch's own words: of one argument it speaks as of several.
        s = "s" if len(lacking) == 1 else ""
        return f"{name}() missing {len(lacking)} required positional argument{s}: {listed}"

    def _not_taken(self, name: str, p: Parameter, value: Any, place: int | None, named: Named) -> str:
        who = f"{name}(): argument '{p.name}'" + ("" if place is None else f" (position {place})")
        several = _ELEMENTS.get(p.kind)
        if several is not None and isinstance(value, (tuple, list)) and place is not None:
            odd = next(i for i, x in enumerate(value) if not several(x))
            if p.kind == _TENSORS:
                return f"expected Tensor as element {odd} in argument {place - 1}, but got {named(value[odd])}"
            return f"{who} must be {p.kind}, but found element of type {named(value[odd])} at pos {odd}"
        return f"{who} must be {p.kind}, not {named(value)}"

    def why(self, args: tuple[Any, ...], kwargs: dict[str, Any], named: Named) -> str:
        """The reason for which it was not taken, where as many arguments are given as it has."""
        parts = self.shown[1:-1].split(", ")
        if len(parts) != len(args) + len(kwargs):
            return ""
        # Type and name are what stands before and behind the last space, also where there is a default.
        types, names = zip(*[part.rpartition(" ")[::2] for part in parts], strict=True)
        incorrect = [k for k in reversed(kwargs) if k not in names[len(parts) - len(kwargs) :]]
        if incorrect:
            return f"      didn't match because some of the keywords were incorrect: {', '.join(incorrect)}\n"
        shown = []
        for i, kind in enumerate(types):
            value = args[i] if i < len(args) else kwargs[names[i]]
            got = ("" if i < len(args) else f"{names[i]}=") + _in_full(value, named)
            fits = kind == named(value) or (kind == "float" and named(value) == "int")
            shown.append(got if fits else f"!{got}!")
        shown += [] if args else [""]
        return f"      didn't match because some of the arguments have invalid types: ({', '.join(shown)})\n"


def _in_full(value: Any, named: Named) -> str:
    """The type of a value, with those of what is in it."""
    if type(value) not in (list, tuple):
        return named(value)
    inner = ", ".join(map(named, value))
    return f"list of [{inner}]" if type(value) is list else f"tuple of ({inner}{',' * (len(value) == 1)})"


@functools.cache
def signatures(key: str) -> tuple[Signature, ...]:
    """The signatures of ``torch.NAME``, ``Tensor.NAME``, ``linalg.NAME`` and so on; none for what is not in C."""
    return tuple(map(_read, _lines().get(key, ())))


@functools.cache
def _lines() -> dict[str, list[str]]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {key: rest.split("|") for key, _, rest in (line.partition(" ") for line in lines)}


# What takes `out` of the functions that the table does not tell of.
_TAKING_OUTPUT = frozenset(
    "torch.full torch.norm torch.tensordot torch.chain_matmul torch.nonzero torch.lu F.normalize F.logsigmoid "
    "fft.fftfreq fft.rfftfreq".split()
)


def takes_output(key: str) -> bool:
    """Tell whether a function takes a tensor for its result: ``out=``."""
    found = signatures(key)
    return any(p.name == "out" for each in found for p in each.parameters) if found else key in _TAKING_OUTPUT


def _read(text: str) -> Signature:
    hides, text = text.startswith("~"), text.removeprefix("~")
    parameters, by_name = [], False
    for found in _PARAMETER.finditer(text[1:-1]):
        kind, several, nullable, name, default = found.groups()
        if kind is None:
            by_name = True
        else:
            # None stands for what these are without it, though no signature tells.
            nullable = nullable or name in _FLAGS or (kind in _ELEMENTS and default in ("[]", "()", "None"))
            parameters.append(Parameter(kind, name, bool(several), bool(nullable), default, by_name))
    return Signature(tuple(parameters), re.sub(r"[*?]+(?= \w)", "", text), hides)


def mistake(
    name: str, found: tuple[Signature, ...], args: tuple[Any, ...], kwargs: dict[str, Any], named: Named,
    method: bool = False,
) -> str | None:  # fmt: skip
    """PyTorch's words for a call, or None if it fits a signature."""
    words = [each.mistake(name, args, kwargs, named) for each in found]
    if None in words:
        return found[words.index(None)].unread(name, args, kwargs, named)
    count = len(args) + len(kwargs)
    likely = [w for each, w in zip(found, words, strict=True) if each.needed <= count <= len(each.parameters)]
    if method and len(found) == 1 and found[0].shown == "()":
        given = "keyword arguments" if kwargs else f"arguments ({len(args)} given)"
        return f"TensorBase.{name}() takes no {given}"
    if len(likely) == 1 or (len(found) == 1 and not found[0].hides):
        return likely[0] if likely else words[0]
    # PyTorch goes through the names from the last one back.
    got = ", ".join([*map(named, args), *(f"{k}={named(kwargs[k])}" for k in reversed(kwargs))])
    got += ", " if kwargs and not args else ""
    if len(found) == 1:
        return f"{name}() received an invalid combination of arguments - got " + (
            f"unrecognized keyword arguments: {', '.join(reversed(kwargs))}" if kwargs
            else f"({got}), but expected {found[0].shown}"
        )  # fmt: skip
    listed = "".join(f" * {each.shown}\n{each.why(args, kwargs, named)}" for each in found)
    return f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n{listed}"
