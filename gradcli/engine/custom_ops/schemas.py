"""The arguments and results of a program's op, read off the annotations of its function."""

from __future__ import annotations

import ast
import functools
import inspect
import operator
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ...errors import EngineError, EngineValueError
from .. import dtypes
from ..memory.places import Device, Layout, MemoryFormat
from ..random.generator import Generator
from ..tensor import Tensor

_KINDS: dict[Any, tuple[str, Any]] = {
    Tensor: ("Tensor", Tensor), int: ("SymInt", int), float: ("float", (float, int)), bool: ("bool", bool),
    str: ("str", str), dtypes.dtype: ("ScalarType", dtypes.dtype), Device: ("Device", (Device, str)),
    int | float | bool: ("Scalar", (int, float, bool)),
}  # fmt: skip
_MISSING = inspect.Parameter.empty


class Argument(NamedTuple):
    """An argument: its name, the name of its kind, what it may be, what it is if it is not given."""

    name: str
    kind: str
    types: Any
    default: Any

    def fits(self, value: Any) -> bool:
        """Tell whether a value may be given."""
        if value is None:
            return self.kind.endswith("?")
        if "[]" in self.kind:
            return isinstance(value, (list, tuple)) and all(isinstance(x, self.types) for x in value)
        return isinstance(value, self.types) and (not isinstance(value, bool) or self.kind in ("bool", "Scalar"))


class Schema:
    """The arguments of an op, which of them it writes to, and what it returns."""

    def __init__(self, arguments: Sequence[Argument], keywords: int, returns: str, mutated: Sequence[str]) -> None:
        # So many of them, from the last, are given by name only.
        self.arguments, self.keywords, self.returns = list(arguments), keywords, returns
        self.mutated = list(mutated)

    @property
    def returns_list(self) -> bool:
        """True if the one result is a list of tensors."""
        return self.returns == "Tensor[]"

    def __str__(self) -> str:
        return self._shown(str)

    def _shown(self, number: Callable[[Any], str]) -> str:
        parts = []
        for argument in self.arguments:
            kind = argument.kind
            if argument.name in self.mutated:
                kind = kind.replace("Tensor", f"Tensor(a{self.arguments.index(argument)}!)", 1)
            default = argument.default
            shown = f'"{default}"' if isinstance(default, str) else number(default)
            parts.append(f"{kind} {argument.name}" + ("" if default is _MISSING else f"={shown}"))
        if self.keywords:
            parts.insert(len(parts) - self.keywords, "*")
        return f"({', '.join(parts)}) -> {self.returns}"

    def bind(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """All arguments that are given by place, and by name; what does not fit is an error in PyTorch's words."""
        declaration = f"{name}{self._shown(_short)}"
        by_place = self.arguments[: len(self.arguments) - self.keywords]
        if len(args) > len(by_place):
            raise EngineError(
                f"{name}() expected at most {len(by_place)} argument(s) but received {len(args)} argument(s). "
                f"Declaration: {declaration}"
            )
        found = {a.name: value for a, value in zip(by_place, args, strict=False)}
        for each in kwargs:
            if each not in [a.name for a in self.arguments]:
                raise EngineError(f"Unknown keyword argument '{each}' for operator '{name}'. Schema: {declaration}")
        found |= kwargs
        for place, argument in enumerate(self.arguments):
            value = found.setdefault(argument.name, argument.default)
            if value is _MISSING:
                raise EngineError(
                    f"{name}() is missing value for argument '{argument.name}'. Declaration: {declaration}"
                )
            if not argument.fits(value):
                raise EngineError(
                    f"{name}() Expected a value of type '{_long(argument.kind)}' for argument '{argument.name}' but "
                    f"instead found type '{type(value).__name__}'.\nPosition: {place}\nValue: {value!r}\nDeclaration: "
                    f"{declaration}"
                    + (f"\nCast error details: Unable to cast {value} to Tensor" if argument.types is Tensor else "")
                )
        return [found[a.name] for a in by_place], {a.name: found[a.name] for a in self.arguments[len(by_place) :]}

    def value(self, name: str, given: Sequence[Any], named: dict[str, Any]) -> Any:
        """The value of an argument of a call."""
        return named[name] if name in named else given[[a.name for a in self.arguments].index(name)]


def _short(value: Any) -> str:
    """A number as PyTorch's own language writes it."""
    return str(value).removesuffix("0") if isinstance(value, float) else str(value)


def _long(kind: str) -> str:
    words = kind.replace("SymInt", "int")
    return f"Optional[{words[:-1]}]" if words.endswith("?") else words


def schema_of(function: Callable[..., Any], mutates: str | Iterable[str]) -> Schema:
    """The schema of a function, by its annotations."""
    signature = inspect.signature(function, eval_str=True)

    def refuse(what: str) -> EngineValueError:
        return EngineValueError(f"infer_schema(func): {what} Got func with signature {inspect.signature(function)})")

    arguments, keywords = [], 0
    for name, parameter in signature.parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise refuse("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.annotation is _MISSING:
            raise refuse(f"Parameter {name} must have a type annotation.")
        kind, allowed = _kind(parameter.annotation)
        if kind is None:
            raise refuse(f"Parameter {name} has unsupported type {parameter.annotation}.")
        keywords += parameter.kind == parameter.KEYWORD_ONLY
        arguments.append(Argument(name, kind, allowed, parameter.default))
    returned = signature.return_annotation
    if returned is _MISSING:
        raise refuse("No return type annotation was provided. Please add one.")
    if returned in (None, type(None)):
        returns = "()"
    else:
        parts = typing.get_args(returned) if typing.get_origin(returned) is tuple else (returned,)
        kinds = [_kind(part)[0] for part in parts]
        if None in kinds:
            raise refuse(f"Return has unsupported type {returned}.")
        returns = f"({', '.join(map(str, kinds))})" if typing.get_origin(returned) is tuple else str(kinds[0])
    tensors = [a.name for a in arguments if "Tensor" in a.kind]
    mutated = tensors if mutates == "unknown" else [*mutates]
    for name in mutated:
        if name not in tensors:
            raise refuse(f"{name} in mutates_args were not found in the custom op's signature.")
    return Schema(arguments, keywords, returns, [n for n in tensors if n in mutated])


# The kinds as a schema writes them: of what a value, or each in a list of them, must be.
_WRITTEN: dict[str, Any] = dict(_KINDS.values()) | {
    "int": int, "Layout": Layout, "MemoryFormat": MemoryFormat, "Generator": Generator,
}  # fmt: skip
_SCHEMA = re.compile(r"\s*(?P<name>[\w.:]*)\s*\((?P<arguments>.*)\)\s*->\s*(?P<returns>.+?)\s*", re.DOTALL)
_ARGUMENT = re.compile(
    r"(?P<kind>\w+)(?P<alias>\([^)]*\))?(?P<many>[?\[\]\d]*)\s+(?P<name>\w+)\s*(?:=\s*(?P<default>.+))?", re.DOTALL
)


def parsed(text: str) -> tuple[str, Schema]:
    """The name in a schema, which may be empty, and what it says."""
    found = _SCHEMA.fullmatch(text)
    if found is None:
        raise EngineError(f"expected a schema like 'name(Tensor x, int k=1) -> Tensor', but got: {text}")
    arguments: list[Argument] = []
    mutated, keywords = [], None
    for part in _parts(found["arguments"]):
        if part == "*":
            keywords = len(arguments)
            continue
        argument = _ARGUMENT.fullmatch(part)
        if argument is None or argument["kind"] not in _WRITTEN:
            raise EngineError(f"a schema has no argument like this one: {part}")
        # A list of so many is a list.
        kind = argument["kind"] + re.sub(r"\d", "", argument["many"])
        default = _MISSING if argument["default"] is None else _value_of(argument["default"])
        types = _WRITTEN[argument["kind"]]
        arguments.append(Argument(argument["name"], kind, (types, type(None)) if "?[]" in kind else types, default))
        if argument["alias"] and "!" in argument["alias"]:
            mutated.append(argument["name"])
    only_named = 0 if keywords is None else len(arguments) - keywords
    return found["name"], Schema(arguments, only_named, found["returns"], mutated)


def _parts(text: str) -> list[str]:
    """The arguments in a schema, which commas part that are in no brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


def _value_of(text: str) -> Any:
    """The default value that a schema writes."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        raise EngineError(f"a schema has no default value like this one: {text}") from None


def _kind(annotation: Any) -> tuple[str | None, Any]:
    """The name of a kind, and what a value, or each in a list, must be; None for a kind that there is not."""
    if annotation in _KINDS:
        return _KINDS[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType) and type(None) in inner:
        rest = functools.reduce(operator.or_, (x for x in inner if x is not type(None)))
        kind, allowed = _kind(rest)
        return kind and f"{kind}?", allowed
    if isinstance(origin, type) and issubclass(origin, Sequence) and origin is not tuple and len(inner) == 1:
        kind, allowed = _kind(inner[0])
        return kind and f"{kind}[]", (allowed, type(None)) if kind and kind.endswith("?") else allowed
    return None, None
