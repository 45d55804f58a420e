"""The loader: goes through a data set in batches."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

from ...engine.guard.outside import entry, guarded, outside
from ...engine.random.generator import Generator
from ...errors import EngineTypeError, EngineValueError
from .collate import default_collate, default_convert
from .dataset import ConcatDataset, IterableDataset, Subset, TensorDataset, samples
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, drawn_seed
from .workers import Fetch, Workers

_FIXED = frozenset(("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"))


_STARTS = ["fork", "spawn", "forkserver"]


class DataLoader:
    """The batches of a data set."""

    __initialized = False
    # The way through the batches whose workers stay.
    __iterator: _BaseDataLoaderIter | None = None
    # The length of a stream, once somebody asked for it.
    _IterableDataset_len_called: int | None = None

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False, drop_last: bool = False, timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None, multiprocessing_context: Any = None,
        generator: Generator | None = None, *, prefetch_factor: int | None = None, persistent_workers: bool = False,
        pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
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
        if name == "multiprocessing_context" and value is not None:
            _check_context(value, self.num_workers)
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        if not self.persistent_workers:
            return self._get_iterator()
        if self.__iterator is None:
            self.__iterator = self._get_iterator()
        else:
            self.__iterator.begin_again(self)
        return self.__iterator

    @property
    def _iterator(self) -> _BaseDataLoaderIter | None:
        """The way through the batches whose workers stay; a program's own of this name is not ours."""
        return self.__iterator

    def _get_iterator(self) -> _BaseDataLoaderIter:
        """A new way through the batches."""
        return _MultiProcessingDataLoaderIter(self) if self.num_workers else _SingleProcessDataLoaderIter(self)

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self._index_sampler)
        n = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return n
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    @property
    def _dataset_kind(self) -> int:
        """0 if samples are asked for by their indices, 1 if they come in a stream."""
        return int(isinstance(self.dataset, IterableDataset))

    @property
    def _auto_collation(self) -> bool:
        """True if samples are put together into batches."""
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        """The sampler that gives indices, or lists of them."""
        return self.batch_sampler if self._auto_collation else self.sampler


class _Anything(Sampler):
    """An index that means nothing, for as long as a stream has samples."""

    def __iter__(self) -> Iterator[None]:
        return repeat(None)


class _BaseDataLoaderIter:
    """One way through the batches of a loader."""

    def __init__(self, loader: DataLoader) -> None:
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
                stacklevel=4,
            )
        self._loader = loader
        self._sampler = loader._index_sampler
        # What PyTorch seeds its workers with; without any, the numbers that follow must be the same.
        self._indices = iter(self._sampler)
        self._base_seed = drawn_seed(loader.generator)
        self._num_yielded = 0
        self._promised = loader._IterableDataset_len_called

    def __iter__(self) -> Any:
        return self

    def begin_again(self, loader: DataLoader) -> None:
        """Go through the batches again."""
        self._indices = iter(self._sampler)
        self._num_yielded = 0
        self._promised = loader._IterableDataset_len_called

    def __next__(self) -> Any:
        data = self._next_data()
        self._num_yielded += 1
        if self._promised is not None and self._num_yielded > self._promised:
            self._warn_of_more()
        return data

    def _next_data(self) -> Any:
        raise NotImplementedError

    def _warn_of_more(self) -> None:
        """Say that a stream gave more than its length."""
        replicas = (
            "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset "
            "replica at each worker. Please see "
            "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
        )
        warnings.warn(
            f"Length of IterableDataset {self._loader.dataset} was reported to be {self._promised}(when accessing "
            f"len(dataloader)), but {self._num_yielded} samples have been fetched. "
            + (replicas if self._loader.num_workers else ""),
            stacklevel=3,
        )

    def __len__(self) -> int:
        return len(self._sampler)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """The batches as the program itself loads them."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        if loader.timeout:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._fetch = _fetcher(loader)(loader.dataset)

    def _next_data(self) -> Any:
        return self._fetch(next(self._indices))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """The batches as workers load them."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        if not (loader.collate_fn is default_collate and _is_plain(loader.dataset)):
            outside().note(
                "the workers of a DataLoader run in the program itself: beyond the attributes of the data set, what "
                "they change stays changed, and what they print is printed when a batch is asked for"
            )
        self._workers = Workers(loader, self._base_seed, _fetcher(loader))
        self._workers.give_out(self._indices)

    def begin_again(self, loader: DataLoader) -> None:
        """Go through the batches again, with the same workers."""
        super().begin_again(loader)
        self._workers.begin_again()
        self._workers.give_out(self._indices)

    def _next_data(self) -> Any:
        return next(self._workers)


def _fetcher(loader: DataLoader) -> Callable[[Any], Fetch]:
    """Makes of a data set a function that fetches what indices say."""
    collate, batched = guarded(loader.collate_fn), loader.batch_sampler is not None
    full = loader.batch_size if loader.drop_last else None

    def by_index(dataset: Any) -> Fetch:
        if batched:
            return lambda indices: collate(samples(dataset, indices))
        return lambda index: collate(entry(dataset, index))

    def streamed(dataset: Any) -> Fetch:
        stream = iter(dataset)

        def batch(indices: Any) -> Any:
            found = [sample for _, sample in zip(indices, stream, strict=False)]
            if not found or (full is not None and len(found) < full):
                raise StopIteration
            return collate(found)

        return batch if batched else lambda _: collate(next(stream))

    return streamed if isinstance(loader.dataset, IterableDataset) else by_index


def _check_workers(workers: int, timeout: float, prefetch: int | None, persistent: bool) -> None:
    """PyTorch's complaints about the processes that load."""
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


def _check_context(context: Any, workers: int) -> None:
    """PyTorch's complaints about the way that processes are begun."""
    if workers == 0:
        raise EngineValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            f"num_workers={workers}"
        )
    if not isinstance(context, str) and not hasattr(context, "get_start_method"):
        raise EngineTypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start method, "
            f"but got multiprocessing_context={context}"
        )
    if isinstance(context, str) and context not in _STARTS:
        raise EngineValueError(
            "multiprocessing_context option should specify a valid start method in "
            f"{_STARTS!r}, but got multiprocessing_context={context!r}"
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
