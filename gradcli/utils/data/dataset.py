"""Data sets: what has a sample for each index, or gives samples one after another."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from ...engine.call_errors import not_a_tensor
from ...engine.guard.outside import entry
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

    def __getitem__(self, idx: Any) -> Any:
        chosen = [entry(self.indices, i) for i in idx] if isinstance(idx, list) else entry(self.indices, idx)
        return entry(self.dataset, chosen)

    def __len__(self) -> int:
        return len(self.indices)


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
