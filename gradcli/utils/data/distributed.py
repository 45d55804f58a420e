"""The sampler that gives each of several processes its share of a data set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...engine.ops.make.random import randperm
from ...engine.random.generator import Generator
from ...errors import EngineValueError
from .sampler import Sampler


class DistributedSampler(Sampler):
    """The indices that fall to one of several processes: all have as many."""

    def __init__(
        self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True,
        seed: int = 0, drop_last: bool = False,
    ) -> None:  # fmt: skip
        if num_replicas is None or rank is None:
            # There is one process, and no group of any.
            raise EngineValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        if not 0 <= rank < num_replicas:
            raise EngineValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        share = len(dataset) / num_replicas
        self.num_samples = math.floor(share) if drop_last else math.ceil(share)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        indices = list(range(len(self.dataset)))
        if self.shuffle:
            drawn: Any = randperm(len(indices), generator=Generator().manual_seed(self.seed + self.epoch))
            indices = drawn.tolist()
        # What is missing to equal shares is taken from the beginning, over and over.
        times = -(-self.total_size // len(indices)) if indices else 0
        return iter((indices * times)[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Have the next way through be in the order of this epoch."""
        self.epoch = epoch
