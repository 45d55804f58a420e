"""The workers of a loader: in the program's own process, each with random numbers and a data set of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from ...engine.guard.outside import guarded, outside

Fetch = Callable[[Any], Any]


class WorkerInfo(NamedTuple):
    """The facts that a worker knows of itself."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str = "multiprocessing"


_current: ContextVar[WorkerInfo | None] = ContextVar("worker", default=None)


def get_worker_info() -> WorkerInfo | None:
    """The worker that is at work; None in the program itself."""
    return _current.get()


class _Worker:
    """One worker: it works where its random numbers are those of all, and goes back."""

    def __init__(self, loader: Any, number: int, base_seed: int, fetcher: Callable[[Any], Fetch]) -> None:
        self.info = WorkerInfo(number, loader.num_workers, base_seed + number, outside().twin(loader.dataset))
        entropy = (number, base_seed % 2**32, base_seed >> 32, 0)
        self._random = outside().generators().set_aside()
        with self._working():
            outside().generators().seed_all(self.info.seed, np.random.SeedSequence(entropy).generate_state(4))
            if loader.worker_init_fn is not None:
                guarded(loader.worker_init_fn)(number)
        self.begin(fetcher)

    def begin(self, fetcher: Callable[[Any], Fetch]) -> None:
        """Begin with its data set, for the first time or again."""
        self.at_work = True
        with self._working():
            self._fetch = fetcher(self.info.dataset)

    def fetch(self, index: Any) -> Any:
        """The batch of some indices."""
        with self._working():
            return self._fetch(index)

    @contextmanager
    def _working(self) -> Iterator[None]:
        generators = outside().generators()
        before, info = generators.set_aside(), _current.set(self.info)
        generators.take_up(self._random)
        try:
            yield
        finally:
            self._random = generators.set_aside()
            generators.take_up(before)
            _current.reset(info)


class Workers:
    """All workers of a loader: each task goes to the next one, and some are given out ahead."""

    def __init__(self, loader: Any, base_seed: int, fetcher: Callable[[Any], Fetch]) -> None:
        self._workers = [_Worker(loader, i, base_seed, fetcher) for i in range(loader.num_workers)]
        self._ahead = loader.prefetch_factor * loader.num_workers
        self._fetcher = fetcher
        self._tasks: deque[tuple[_Worker, Any]] = deque()

    def begin_again(self) -> None:
        """Let workers that went through the data set go through it again."""
        for worker in self._workers:
            worker.begin(self._fetcher)

    def give_out(self, indices: Iterator[Any]) -> None:
        """Give out the first tasks."""
        self._indices, self._turns = indices, cycle(self._workers)
        self._tasks.clear()
        for _ in range(self._ahead):
            self._give_out()

    def __next__(self) -> Any:
        """The batch of the first task that is not done."""
        while self._tasks:
            worker, index = self._tasks.popleft()
            if not worker.at_work:
                continue
            try:
                found = worker.fetch(index)
            except StopIteration:
                # Its stream is at its end; others may go on.
                worker.at_work = False
                self._give_out()
                continue
            self._give_out()
            return found
        raise StopIteration

    def _give_out(self) -> None:
        worker = next((w for w, _ in zip(self._turns, self._workers, strict=False) if w.at_work), None)
        if worker is not None:
            for index in self._indices:
                self._tasks.append((worker, index))
                return
