"""Where things are, as a program is told: numbers that are counted, and say nothing of the memory of the machine."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

# No operating system gives programs memory here.
_FIRST, _END = 0x2A00_0000_0000, 0x2B00_0000_0000
_STEP = 64
# So many values that cannot be referred to weakly are kept, so that nothing else comes to be where they were.
_KEPT = 10_000
_TOLD = r"(?<= at )0x[0-9a-f]+"


class Reference(weakref.ref[Any]):
    """A weak reference of ours, to an object whatever it comes to hold; it may know by which key that was noted."""

    __slots__ = ("key",)
    key: int


class Addresses:
    """Numbers for values, each the same for as long as its value lives."""

    __slots__ = ("_forget", "_kept", "_known", "_next", "_references")

    def __init__(self) -> None:
        self._next = _FIRST
        known: dict[int, int] = {}
        references: dict[int, Reference] = {}

        def forget(reference: Any) -> None:
            known.pop(reference.key, None)
            references.pop(reference.key, None)

        self._known, self._references = known, references
        self._kept: list[Any] = []
        self._forget: Callable[[Any], None] = forget

    def of(self, value: Any, size: int = _STEP) -> int:
        """The number of a value; the numbers of ``size`` bytes from there on belong to it."""
        found = self._known.get(id(value))
        return self._new(value, size) if found is None else found

    def _new(self, value: Any, size: int) -> int:
        key = id(value)
        try:
            reference = Reference(value, self._forget)
        except TypeError:
            if len(self._kept) < _KEPT:
                self._kept.append(value)
        else:
            reference.key = key
            self._references[key] = reference
        return self._numbered(key, size)

    def of_place(self, place: int) -> int:
        """The number of whatever value is at a place of which no more is known."""
        found = self._known.get(place)
        return self._numbered(place, _STEP) if found is None else found

    def _numbered(self, key: int, size: int) -> int:
        number = self._known[key] = self._next
        self._next += -(-max(size, 1) // _STEP) * _STEP
        return number

    def begin(self) -> None:
        """Count from the beginning again; what has a number keeps it."""
        self._next = _FIRST


class _Run:
    """The numbers of the program that runs."""

    __slots__ = ("addresses",)

    def __init__(self) -> None:
        self.addresses = Addresses()


_run = _Run()
# What values are hashed by outlives a program: they may be keys in what is made of its results.
_hashes = Addresses()
_hashed = _hashes._known


def set_aside() -> Addresses:
    """Number values anew, for a program that begins; return the numbers there were."""
    before, _run.addresses = _run.addresses, Addresses()
    _hashes.begin()
    return before


def take_up(addresses: Addresses) -> None:
    """Come back to the numbers there were."""
    _run.addresses = addresses


def address(value: Any) -> int:
    """Where a value is, as ``id`` tells a program."""
    return _run.addresses.of(value)


def hash_of(value: Any) -> int:
    """A hash for a value that is equal to none but itself."""
    found = _hashed.get(id(value))
    return (_hashes.of(value) if found is None else found) >> 6


def address_of_memory(a: Any, start: Callable[[Any], int]) -> int:
    """Where the first element of an array is: as far behind the start of its memory as it really is."""
    root = base = a
    while base is not None:
        if isinstance(base, np.ndarray):
            root = base
        base = getattr(base, "base", None)
    return _run.addresses.of(root, root.nbytes + 1) + start(a) - start(root)


def without_addresses(words: str) -> str:
    """A text in which no value is said to be where it really is."""
    return re.sub(_TOLD, _told, words) if " at 0x" in words else words


def _told(found: re.Match[str]) -> str:
    number = int(found[0], 16)
    return found[0] if _FIRST <= number < _END else f"{_run.addresses.of_place(number):#x}"
