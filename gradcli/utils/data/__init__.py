"""torch.utils.data: data sets, and the batches that programs are trained on."""

from ...engine.offers import package_door as _package_door
from ...engine.parts import part as _part
from . import collate as _collate, workers as _workers
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

# PyTorch's own rooms behind these; of how long it waits before it looks at its workers there is the number alone.
_utils = _part(__name__, "_utils", MP_STATUS_CHECK_INTERVAL=5.0)
vars(_utils).update(
    collate=_part(
        _utils.__name__,
        "collate",
        collate=_collate.collate,
        default_collate=default_collate,
        default_collate_err_msg_format=_collate.default_collate_err_msg_format,
        default_collate_fn_map=_collate.default_collate_fn_map,
        default_convert=default_convert,
    ),
    worker=_part(_utils.__name__, "worker", WorkerInfo=_workers.WorkerInfo, get_worker_info=get_worker_info),
)

# Pipes, which few programs use.
__getattr__, __dir__ = _package_door(__name__, {"datapipes": "IterDataPipe MapDataPipe functional_datapipe"})
