"""Data pipes: data sets in a chain, each of which is made of the one before it."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, ClassVar

from ...engine.parts import part
from ...errors import EngineTypeError
from .dataset import Dataset, IterableDataset


class _Functional:
    """Methods of pipes that make the next pipe of a chain."""

    functions: ClassVar[dict[str, Callable[..., Any]]]

    def __getattr__(self, name: str) -> Any:
        if name in type(self).functions:
            return functools.partial(type(self).functions[name], self)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}")

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Let a name be a method of every pipe."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name: str, cls_to_register: Any) -> None:
        """Let a name make a pipe of a kind out of any."""
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")
        cls.functions[function_name] = cls_to_register


class IterDataPipe(_Functional, IterableDataset):
    """Base of pipes that give their samples one after another."""

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}

    def reset(self) -> None:
        """Begin again: what a pipe with a state of its own overrides."""


class MapDataPipe(_Functional, Dataset):
    """Base of pipes that have a sample for each key."""

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}


class functional_datapipe:
    """A decorator of kinds of pipes, which are then made by a method of other pipes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, cls: Any) -> Any:
        kind = MapDataPipe if issubclass(cls, MapDataPipe) else IterDataPipe
        kind.register_datapipe_as_function(self.name, cls)
        return cls


def _copied(data: Any) -> Any:
    """A copy of what a pipe wraps, or where there is none the thing itself."""
    try:
        return copy.deepcopy(data)
    except TypeError:
        warnings.warn(
            "The input iterable can not be deepcopied, please be aware of in-place modification would affect source "
            "data.",
            stacklevel=3,
        )
        return data


class IterableWrapperIterDataPipe(IterDataPipe):
    """The samples of something that can be gone through."""

    def __init__(self, iterable: Iterable[Any], deepcopy: bool = True) -> None:
        self.iterable = iterable
        self.deepcopy = deepcopy

    def __iter__(self) -> Iterator[Any]:
        yield from _copied(self.iterable) if self.deepcopy else self.iterable

    def __len__(self) -> int:
        if not isinstance(self.iterable, Sized):
            raise EngineTypeError(f"{type(self).__name__} instance doesn't have valid length")
        return len(self.iterable)


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe):
    """The results of a function of each sample."""

    def __init__(self, datapipe: Any, fn: Callable[[Any], Any]) -> None:
        self.datapipe = datapipe
        self.fn = fn

    def __iter__(self) -> Iterator[Any]:
        return (self.fn(sample) for sample in self.datapipe)

    def __len__(self) -> int:
        return len(self.datapipe)


class SequenceWrapperMapDataPipe(MapDataPipe):
    """The samples of something that has one for each key."""

    def __init__(self, sequence: Any, deepcopy: bool = True) -> None:
        self.sequence = _copied(sequence) if deepcopy else sequence

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe):
    """The results of a function of each sample."""

    def __init__(self, datapipe: Any, fn: Callable[[Any], Any]) -> None:
        self.datapipe = datapipe
        self.fn = fn

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])

    def __len__(self) -> int:
        return len(self.datapipe)


# Assigned at the end: nothing above uses what Python has by these names.
_ITER = {"IterDataPipe": IterDataPipe, "IterableWrapper": IterableWrapperIterDataPipe, "Mapper": MapperIterDataPipe}
_MAP = {"MapDataPipe": MapDataPipe, "SequenceWrapper": SequenceWrapperMapDataPipe, "Mapper": MapperMapDataPipe}
globals().update(iter=part(__name__, "iter", **_ITER), map=part(__name__, "map", **_MAP))
