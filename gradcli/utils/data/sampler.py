"""Samplers: which samples of a data set to take, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from ...engine import dtypes
from ...engine.guard.outside import entry
from ...engine.ops.make.from_data import as_tensor
from ...engine.ops.make.random import multinomial, randint, randperm
from ...engine.random.generator import Generator, default as default_generator
from ...errors import EngineTypeError, EngineValueError

# With replacement, PyTorch draws so many indices at once.
_AT_ONCE = 32


def drawn_seed(generator: Generator | None = None) -> int:
    """A seed for another generator, drawn as PyTorch draws one: a whole number from 0 on, of 63 bits."""
    if generator is not None and not isinstance(generator, Generator):
        raise EngineTypeError(f"generator should be a torch.Generator, but got {type(generator).__name__}")
    word = (generator or default_generator).random64(1)
    return int(word[0]) % 2**63


class Sampler:
    """Base of samplers: gives indices, or lists of indices."""

    def __class_getitem__(cls, item: Any) -> Any:
        # What it gives means nothing when a program runs.
        return cls

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler):
    """All indices in order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Indices in random order, or drawn at random with replacement."""

    _num_samples: int | None

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:  # fmt: skip
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise EngineTypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise EngineValueError(
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self) -> int:
        """The number of indices drawn."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n, count = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(drawn_seed())
        if self.replacement:
            for at in range(0, count, _AT_ONCE):
                drawn: Any = randint(n, (min(count - at, _AT_ONCE),), generator=generator)
                yield from drawn.tolist()
            return
        for _ in range(count // n):
            yield from _shuffled(n, generator)
        # Drawn even where none of it is wanted.
        yield from _shuffled(n, generator)[: count % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Given indices in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in _shuffled(len(self.indices), self.generator):
            yield entry(self.indices, i)

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with given weights."""

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        if not _is_count(num_samples):
            raise EngineValueError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise EngineValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights: Any = as_tensor(weights, dtype=dtypes.float64)
        if self.weights.ndim != 1:
            raise EngineValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn: Any = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """The indices of another sampler in lists of a length, the last of which may be shorter."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        if not _is_count(batch_size):
            raise EngineValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise EngineValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        # A loop of Python's: one in C could not be interrupted, however long the batch.
        while batch := [i for i in islice(indices, self.batch_size)]:  # noqa: C416
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        n: int = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


def _shuffled(n: int, generator: Generator | None) -> list[int]:
    order: Any = randperm(n, generator=generator)
    found: list[int] = order.tolist()
    return found


def _is_count(n: Any) -> bool:
    return isinstance(n, int) and not isinstance(n, bool) and n > 0
