"""torch.utils.data: data sets, and the batches that programs are trained on."""

from ...engine.parts import part as _part
from .collate import default_collate as default_collate, default_convert as default_convert
from .dataloader import DataLoader as DataLoader
from .dataset import (
    ChainDataset as ChainDataset,
    ConcatDataset as ConcatDataset,
    Dataset as Dataset,
    IterableDataset as IterableDataset,
    StackDataset as StackDataset,
    Subset as Subset,
    TensorDataset as TensorDataset,
    random_split as random_split,
)
from .distributed import DistributedSampler as DistributedSampler
from .sampler import (
    BatchSampler as BatchSampler,
    RandomSampler as RandomSampler,
    Sampler as Sampler,
    SequentialSampler as SequentialSampler,
    SubsetRandomSampler as SubsetRandomSampler,
    WeightedRandomSampler as WeightedRandomSampler,
)
from .workers import get_worker_info as get_worker_info

_utils = _part(__name__, "_utils")
_utils.collate = _part(  # type: ignore[attr-defined]
    _utils.__name__, "collate", default_collate=default_collate, default_convert=default_convert
)
