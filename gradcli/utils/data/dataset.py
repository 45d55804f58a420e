"""Data sets: what has a sample for each index, or gives samples one after another."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from ...engine.call_errors import not_a_tensor
from ...engine.guard.outside import entry, guarded
from ...engine.ops.make.random import randperm
from ...engine.random.generator import Generator, default as default_generator
from ...engine.tensor import Tensor
from ...errors import EngineNotImplementedError, EngineValueError


class Dataset:
    """Base of data sets that have a sample for each index."""

    def __class_getitem__(cls, item: Any) -> Any:
        # What it gives means nothing when a program runs.
        return cls

    def __getitem__(self, index: Any) -> Any:
        raise EngineNotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Base of data sets that give their samples one after another."""

    def __iter__(self) -> Iterator[Any]:
        raise EngineNotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """The rows of some tensors, side by side."""

    def __init__(self, *tensors: Any) -> None:
        for i, t in enumerate(tensors):
            if not isinstance(t, Tensor):
                raise not_a_tensor("TensorDataset", "tensors", i + 1, t)
        if any(tensors[0].size(0) != t.size(0) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple([entry(t, index) for t in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)  # type: ignore[no-any-return]


class StackDataset(Dataset):
    """The samples of some data sets, side by side in a tuple or a dict."""

    _length: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise EngineValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        if not args and not kwargs:
            raise EngineValueError("At least one dataset should be passed")
        self.datasets: Any = args or kwargs
        parts = args or tuple(kwargs.values())
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise EngineValueError("Size mismatch between datasets")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: entry(part, index) for name, part in self.datasets.items()}
        return tuple([entry(part, index) for part in self.datasets])

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        """The samples of several indices, which each data set may take at once."""
        named = self.datasets.items() if isinstance(self.datasets, dict) else enumerate(self.datasets)
        columns = {name: samples(part, indices) for name, part in named}
        for column in columns.values():
            if len(column) != len(indices):
                raise EngineValueError(
                    "Nested dataset's output size mismatch. Expected "
                    f"{len(indices)}, got {len(column)}"
                )
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return rows if isinstance(self.datasets, dict) else [tuple(row.values()) for row in rows]

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset):
    """The samples of some data sets, one set after another."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(accumulate(len(d) for d in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    @property
    def cummulative_sizes(self) -> list[int]:
        """The same by an older spelling."""
        warnings.warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2)
        return self.cumulative_sizes

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise EngineValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        place = bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[place - 1] if place else 0
        return entry(entry(self.datasets, place), idx - start)


class ChainDataset(IterableDataset):
    """The samples of some iterable data sets, one set after another."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for d in self.datasets:
            yield from _iterable(d)

    def __len__(self) -> int:
        return sum(len(_iterable(d)) for d in self.datasets)


def _iterable(dataset: Any) -> Any:
    if not isinstance(dataset, IterableDataset):
        raise AssertionError("ChainDataset only supports IterableDataset")
    return dataset


class Subset(Dataset):
    """Some samples of a data set."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise EngineNotImplementedError(
                f"{kind.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding "
                "__getitem__, you must also override __getitems__ to ensure DataLoader works correctly with your "
                "custom logic. A simple implementation:\n\ndef __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> Any:
        chosen = [entry(self.indices, i) for i in idx] if isinstance(idx, list) else entry(self.indices, idx)
        return entry(self.dataset, chosen)

    def __getitems__(self, indices: Sequence[int]) -> Any:
        """The samples of several indices, which the data set may take at once."""
        return samples(self.dataset, [entry(self.indices, i) for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def samples(dataset: Any, indices: Sequence[Any]) -> Any:
    """The samples of several indices: taken at once by a data set that can."""
    at_once = getattr(dataset, "__getitems__", None)
    return guarded(at_once)(indices) if callable(at_once) else [entry(dataset, i) for i in indices]


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: Generator | None = default_generator
) -> list[Subset]:
    """A data set parted at random into subsets, of these lengths or of these shares of its length."""
    total = sum(lengths)
    sizes = _parts_of(len(dataset), lengths) if math.isclose(total, 1) and total <= 1 else lengths
    if sum(sizes) != len(dataset):
        raise EngineValueError("Sum of input lengths does not equal the length of the input dataset!")
    shuffled: Any = randperm(sum(sizes), generator=generator)
    indices = shuffled.tolist()
    return [Subset(dataset, indices[end - n : end]) for end, n in zip(accumulate(sizes), sizes, strict=True)]


def _parts_of(n: int, shares: Sequence[float]) -> list[int]:
    """Shares of a whole number, rounded down; what is left goes to them in turn."""
    for i, share in enumerate(shares):
        if not 0 <= share <= 1:
            raise EngineValueError(f"Fraction at index {i} is not between 0 and 1")
    parts = [math.floor(n * share) for share in shares]
    for i in range(n - sum(parts)):
        parts[i % len(parts)] += 1
    for i, part in enumerate(parts):
        if part == 0:
            warnings.warn(
                f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=3
            )
    return parts
