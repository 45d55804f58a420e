"""The loader: goes through a data set in batches."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

from ...engine.guard.outside import entry, guarded
from ...engine.random.generator import Generator
from ...errors import EngineValueError, Unsupported
from .collate import default_collate, default_convert
from .dataset import ConcatDataset, IterableDataset, Subset, TensorDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, drawn_seed

_FIXED = frozenset(("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"))


def get_worker_info() -> None:
    """Nothing: all is loaded by the program itself."""


class DataLoader:
    """The batches of a data set."""

    __initialized = False

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False, drop_last: bool = False, timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None, multiprocessing_context: Any = None,
        generator: Generator | None = None, *, prefetch_factor: int | None = None, persistent_workers: bool = False,
        pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        _check_workers(dataset, collate_fn, num_workers, timeout, prefetch_factor, persistent_workers)
        if multiprocessing_context is not None and num_workers == 0:
            raise EngineValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={num_workers}"
            )
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        streamed = isinstance(dataset, IterableDataset)
        if streamed:
            _check_streamed(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise EngineValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise EngineValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise EngineValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            if streamed:
                sampler = _Anything()
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.persistent_workers = persistent_workers
        self.__initialized = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__initialized and name in _FIXED:
            raise EngineValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        return _SingleProcessDataLoaderIter(self)

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        n = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return n
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


class _Anything(Sampler):
    """An index that means nothing, for as long as a stream has samples."""

    def __iter__(self) -> Iterator[None]:
        return repeat(None)


class _SingleProcessDataLoaderIter:
    """One way through the batches of a loader."""

    def __init__(self, loader: DataLoader) -> None:
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
                stacklevel=3,
            )
        self._collate = guarded(loader.collate_fn)
        self._batched = loader.batch_sampler is not None
        self._sampler = loader.batch_sampler if self._batched else loader.sampler
        self._indices = iter(self._sampler)
        self._samples: Any = loader.dataset
        self._stream: Iterator[Any] | None = None
        self._full = loader.batch_size if loader.drop_last else None
        # What PyTorch seeds its workers with; nobody needs it here, but the numbers that follow must be the same.
        drawn_seed(loader.generator)
        if isinstance(loader.dataset, IterableDataset):
            self._stream = iter(loader.dataset)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return len(self._sampler)

    def __next__(self) -> Any:
        index = next(self._indices)
        if not self._batched:
            return self._collate(entry(self._samples, index) if self._stream is None else next(self._stream))
        if self._stream is None:
            return self._collate([entry(self._samples, i) for i in index])
        batch = [sample for _, sample in zip(index, self._stream, strict=False)]
        if not batch or (self._full is not None and len(batch) < self._full):
            raise StopIteration
        return self._collate(batch)


def _check_workers(
    dataset: Any, collate_fn: Any, workers: int, timeout: float, prefetch: int | None, persistent: bool
) -> None:
    """PyTorch's complaints about the processes that load, and ours where they could make a difference."""
    if workers < 0:
        raise EngineValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise EngineValueError("timeout option should be non-negative")
    if workers == 0 and prefetch is not None:
        raise EngineValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch is not None and prefetch < 0:
        raise EngineValueError("prefetch_factor option should be non-negative")
    if persistent and workers == 0:
        raise EngineValueError("persistent_workers option needs num_workers > 0")
    if workers and not (collate_fn is None and _is_plain(dataset)):
        raise Unsupported(
            f"DataLoader: num_workers={workers} is not supported for a data set or a collate_fn of one's own",
            help="num_workers=0 gives the same batches, unless they are made with random numbers",
        )


def _is_plain(dataset: Any) -> bool:
    """True if the samples of a data set are the same whatever process takes them."""
    while type(dataset) is Subset:
        dataset = dataset.dataset
    if type(dataset) is ConcatDataset:
        return all(map(_is_plain, dataset.datasets))
    return type(dataset) in (TensorDataset, list, tuple, range)


def _check_streamed(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    """PyTorch's complaints about options that ask for an order of what has none."""
    for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            raise EngineValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )
