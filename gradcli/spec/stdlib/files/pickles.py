"""Pickles: the parts of which objects are made anew, taken when they are saved, once.

Python takes an object apart when it is pickled and makes it when it is read, and so do the hooks of a program's
classes run: those that take apart at the one time, those that make at the other.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from ....engine.tensor import Tensor, View
from ....nn.parameter import Parameter, UninitializedTensorMixin
from ...guard.size_limits import caps, weigh
from ...values.classes.making_classes import made_of, says_its_parts, told_parts
from ...values.user_definitions import UserFunction, UserType

_TENSORS = (Tensor, View, Parameter)
_CONTAINERS = frozenset((list, tuple, set, frozenset, dict, OrderedDict))
# What Python's own copies are made of: each is taken as deepcopy() takes it.
_TAKEN_WHOLE: frozenset[type] = frozenset(copy._deepcopy_dispatch) - _CONTAINERS  # type: ignore[attr-defined]
# How object.__reduce_ex__() is asked for the parts of an object.
_PROTOCOL = 4


class Told:
    """An object in its parts: a function and its arguments that make it, then its state, its items and its pairs."""

    __slots__ = ("args", "by_program", "items", "make", "pairs", "state")

    def __init__(self, by_program: bool) -> None:
        # True of parts that a class of the program's told.
        self.by_program = by_program
        self.make: Any = None
        self.args: tuple[Any, ...] = ()
        self.state: Any = None
        self.items: list[Any] | None = None
        self.pairs: list[tuple[Any, Any]] | None = None


class Pickle:
    """A value as a file keeps it; a program that comes to hold one can do nothing with it."""

    __slots__ = ("root",)

    def __init__(self, value: Any) -> None:
        weigh(value)
        self.root = _Taking().part(value)

    def read(self) -> Any:
        """The value, made anew."""
        return _Making().part(self.root)


class _Walk:
    """The parts that were met so far, by those that they come from, and the memory that tensors share."""

    def __init__(self) -> None:
        self.found: dict[int, Any] = {}
        self.memory: dict[int, Any] = {}
        # They are held, so that no other can come to have the id of one.
        self.held: list[Any] = []

    def part(self, value: Any) -> Any:
        """Convert a part of the whole; one that is met twice becomes the same twice."""
        kind = type(value)
        if kind in (int, float, str, bool, type(None), Pickle):
            return value
        if id(value) in self.found:
            return self.found[id(value)]
        self.held.append(value)
        if kind in _TENSORS and not isinstance(value, UninitializedTensorMixin):
            return self.keep(value, _copied(value, self.memory))
        if kind in _CONTAINERS:
            return self.container(value, kind)
        return self.other(value)

    def keep(self, value: Any, made: Any) -> Any:
        """Note what became of a value."""
        self.found[id(value)] = made
        return made

    def container(self, value: Any, kind: type) -> Any:
        """A container of the same kind."""
        if kind is list:
            made: Any = self.keep(value, [])
            made += map(self.part, value)
        elif kind in (dict, OrderedDict):
            made = self.keep(value, kind())
            for key, item in value.items():
                made[self.part(key)] = self.part(item)
            if kind is OrderedDict and value.__dict__:
                # What a state dict knows of the modules that it was taken from.
                made.__dict__.update(self.part(value.__dict__))
        else:
            made = kind([self.part(item) for item in value])
            # One that holds itself by others is there already.
            made = self.keep(value, self.found.get(id(value), made))
        return made

    def other(self, value: Any) -> Any:
        """Convert what is neither a number, a text, a tensor nor a container."""
        raise NotImplementedError


class _Taking(_Walk):
    """A value is taken apart."""

    def other(self, value: Any) -> Any:
        """An object in its parts, or a copy of what has none."""
        kind = type(value)
        caps.tick(1)
        if isinstance(value, (type, UserFunction)):
            return value
        told = says_its_parts(kind)
        if not told and (kind in _TAKEN_WHOLE or _copies_itself(kind)):
            return self.keep(value, copy.deepcopy(value, self.memory))
        made = self.keep(value, Told(told))
        parts = told_parts(value) if told else value.__reduce_ex__(_PROTOCOL)
        if isinstance(parts, str):
            return self.keep(value, value)
        make, args, state, items, pairs = (*parts, None, None, None)[:5]
        made.make = make
        made.args = tuple([self.part(each) for each in args])
        made.items = None if items is None else [self.part(each) for each in items]
        made.pairs = None if pairs is None else [(self.part(k), self.part(v)) for k, v in pairs]
        made.state = self.part(state)
        return made


class _Making(_Walk):
    """A value is made of its parts."""

    def other(self, value: Any) -> Any:
        """An object that is made anew of its parts."""
        caps.tick(1)
        if type(value) is not Told:
            if isinstance(value, (type, UserFunction)):
                return value
            return self.keep(value, copy.deepcopy(value, self.memory))
        args = tuple([self.part(each) for each in value.args])
        if value.by_program:
            return made_of(value.make, args, lambda made: self._told_state(value, made))
        made = self.keep(value, value.make(*args))
        self._fill(made, value)
        state = self.part(value.state)
        if state is not None:
            _set_state(made, state)
        return made

    def _told_state(self, value: Told, made: Any) -> Any:
        self.keep(value, made)
        return self.part(value.state)

    def _fill(self, made: Any, value: Told) -> None:
        items: Iterable[Any] = value.items or ()
        for item in items:
            made.append(self.part(item))
        for key, item in value.pairs or ():
            made[self.part(key)] = self.part(item)


def _copies_itself(kind: type) -> bool:
    """True of a class of ours that knows how it is copied."""
    return any("__deepcopy__" in base.__dict__ for base in kind.__mro__ if not isinstance(base, UserType))


def _set_state(made: Any, state: Any) -> None:
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    own, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, {})
    for what, part in (("state", own), ("slot state", slots)):
        if not isinstance(part, dict) and not (part is None and what == "state"):
            raise unpickling_error(f"{what} is not a dictionary")
    made.__dict__.update(own or {})
    for name, value in slots.items():
        setattr(made, name, value)


def unpickling_error(message: str) -> Exception:
    """The error of what cannot be made anew."""
    error: Exception = caps.library("pickle")["UnpicklingError"](message)
    return error


def _copied(tensor: Any, memory: dict[int, Any]) -> Any:
    """A copy of a tensor that is a leaf; ``memory`` knows the copies of what tensors lie in, which views share."""
    caps.spend(tensor.numel(), tensor.numel())
    if tensor.is_leaf:
        made = tensor.__deepcopy__(memory)
        # No file keeps a gradient.
        made.grad = None
        return made
    leaf = tensor.detach()
    # It is held, so that no other can come to have its id.
    memory.setdefault(id(memory), []).append(leaf)
    return leaf.__deepcopy__(memory).requires_grad_(tensor.requires_grad)
