"""Plain data as bytes, between two processes of which one may not be trusted: nothing that is read makes code run."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from ..errors import GradcliError, Source, Span

# Containers inside one another beyond this are none of ours.
_DEEPEST = 40

_FLOAT = struct.Struct(">d")
_COUNT = struct.Struct(">I")
# Places, which errors have and others may have, too.
_ALWAYS: tuple[type, ...] = (Source, Span)
# A code as `gradcli explain` knows them, and what a process may end with because of an error.
_CODE = r"[EG]\d{3}"
_EXIT_CODES = (1, 2, 3)
_CONTAINERS: dict[bytes, Callable[[list[Any]], Any]] = {b"l": list, b"t": tuple, b"z": frozenset}


class Garbled(ValueError):
    """Bytes that no `packed` has made."""


def packed(value: Any, records: Sequence[type] = ()) -> bytes:
    """Numbers, texts, errors, containers of them, and instances of the records (of any other class nothing is kept).

    Records are named tuples, data classes and enumerations.
    """
    parts: list[bytes] = []
    _Packer(parts, (*_ALWAYS, *records)).put(value)
    return b"".join(parts)


def unpacked(data: bytes, records: Sequence[type] = ()) -> Any:
    """Unpack what `packed` was given, with the same records; Garbled where the bytes are none of its own."""
    reader = _Reader(data, (*_ALWAYS, *records))
    try:
        value = reader.value(0)
    except (struct.error, UnicodeDecodeError, TypeError, IndexError, OverflowError, KeyError) as error:
        raise Garbled(str(error)) from None
    if reader.at != len(data):
        raise Garbled("there is more than one value")
    return value


def fields_of(cls: type) -> tuple[str, ...]:
    """The names of what a record holds."""
    named: tuple[str, ...] | None = getattr(cls, "_fields", None)
    return named if named is not None else tuple(cls.__dataclass_fields__)  # type: ignore[attr-defined]


class _Packer:
    """Writes one value; a long text is written once, and meant by its number after that."""

    def __init__(self, parts: list[bytes], records: Sequence[type]) -> None:
        self.parts = parts
        self.numbers = {cls: number for number, cls in enumerate(records)}
        self.texts: dict[str, int] = {}

    def put(self, value: Any) -> None:
        """Write a value."""
        number = self.numbers.get(type(value))
        if number is not None:
            self._record(value, number)
        elif value is None or value is True or value is False:
            self.parts.append({None: b"N", True: b"T", False: b"F"}[value])
        elif isinstance(value, str):
            self._text(str.__str__(value))
        elif isinstance(value, float):
            self.parts.append(b"d" + _FLOAT.pack(value))
        elif isinstance(value, (bytes, bytearray)):
            self._sized(b"b", bytes(value))
        elif isinstance(value, dict):
            self._many(b"m", [part for pair in value.items() for part in pair])
        elif isinstance(value, (list, tuple, frozenset)):
            kind = b"l" if isinstance(value, list) else b"t" if isinstance(value, tuple) else b"z"
            self._many(kind, list(value))
        elif isinstance(value, GradcliError):
            self.parts.append(b"x" + _COUNT.pack(0))
            self.put([value.message, value.span, value.help, value.code, tuple(value.notes), value.exit_code])
        else:
            self._number(value)

    def _record(self, value: Any, number: int) -> None:
        self.parts.append(b"r" + _COUNT.pack(number))
        if isinstance(value, Enum):
            self.put(value.value)
        else:
            for name in fields_of(type(value)):
                self.put(getattr(value, name))

    def _number(self, value: Any) -> None:
        """An integer or a bool of any kind, or an array of numbers as lists."""
        if hasattr(value, "tolist"):
            self.put(value.tolist())
        elif isinstance(value, int):
            self._sized(b"i", b"%d" % value)
        else:
            raise TypeError(f"a {type(value).__name__} is no plain data")

    def _text(self, text: str) -> None:
        number = self.texts.get(text)
        if number is not None:
            self.parts.append(b"a" + _COUNT.pack(number))
            return
        self.texts[text] = len(self.texts)
        self._sized(b"s", text.encode("utf-8", "surrogatepass"))

    def _many(self, kind: bytes, values: list[Any]) -> None:
        if kind == b"l" and values and all(type(value) is float for value in values):
            self._sized(b"f", array("d", values).tobytes())
            return
        self.parts.append(kind + _COUNT.pack(len(values)))
        for value in values:
            self.put(value)

    def _sized(self, kind: bytes, data: bytes) -> None:
        self.parts.append(kind + _COUNT.pack(len(data)))
        self.parts.append(data)


class _Reader:
    """Reads one value."""

    def __init__(self, data: bytes, records: Sequence[type]) -> None:
        self.data = data
        self.at = 0
        self.records = records
        self.texts: list[str] = []

    def value(self, depth: int) -> Any:
        """The next value."""
        if depth > _DEEPEST:
            raise Garbled("it is nested too deeply")
        kind = self._take(1)
        if kind in b"NTF":
            return {b"N": None, b"T": True, b"F": False}[kind]
        if kind == b"d":
            return _FLOAT.unpack(self._take(8))[0]
        count: int = _COUNT.unpack(self._take(4))[0]
        if kind == b"r":
            return self._record(count, depth)
        if kind == b"x":
            return _error(*self.value(depth + 1))
        if kind == b"a":
            return self.texts[count]
        if kind in b"sbif":
            return self._sized(kind, self._take(count))
        if count > len(self.data) - self.at:
            raise Garbled("it ends too early")
        if kind == b"m":
            return {self.value(depth + 1): self.value(depth + 1) for _ in range(count // 2)}
        return _CONTAINERS[kind]([self.value(depth + 1) for _ in range(count)])

    def _sized(self, kind: bytes, data: bytes) -> Any:
        if kind == b"s":
            self.texts.append(data.decode("utf-8", "surrogatepass"))
            return self.texts[-1]
        if kind == b"b":
            return data
        if kind == b"f":
            numbers = array("d")
            if len(data) % numbers.itemsize:
                raise Garbled("half a number")
            numbers.frombytes(data)
            return numbers.tolist()
        if len(data) > 100 or not data.removeprefix(b"-").isdigit():
            raise Garbled("no integer")
        return int(data)

    def _record(self, number: int, depth: int) -> Any:
        cls: Any = self.records[number]
        if issubclass(cls, Enum):
            return _member(cls, self.value(depth + 1))
        return cls(*[self.value(depth + 1) for _ in fields_of(cls)])

    def _take(self, count: int) -> bytes:
        part = self.data[self.at : self.at + count]
        if len(part) < count:
            raise Garbled("it ends too early")
        self.at += count
        return part


def _member(cls: type[Enum], value: Any) -> Enum:
    try:
        return cls(value)
    except ValueError as error:
        raise Garbled(str(error)) from None


def _error(message: Any, span: Any, help: Any, code: Any, notes: Any, exit_code: Any) -> GradcliError:
    """An error of a user, made anew of what was said of it."""
    import re

    words = [message, code, *([] if help is None else [help]), *notes]
    plain = all(type(word) is str for word in words) and exit_code in _EXIT_CODES and re.fullmatch(_CODE, code)
    if not plain or not (span is None or _is_span(span)):
        raise Garbled("no error of ours")
    error = GradcliError(message, span=span, help=help, code=code, notes=tuple(notes))
    error.exit_code = int(exit_code)
    return error


def _is_span(span: Any) -> bool:
    if type(span) is not Span or type(span.source) is not Source:
        return False
    return all(type(text) is str for text in span.source) and all(type(n) is int for n in span[1:])
