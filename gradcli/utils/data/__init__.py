"""torch.utils.data: data sets, and the batches that programs are trained on."""

from typing import Any

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


def __getattr__(name: str) -> Any:
    """Pipes, which few programs use."""
    if name in ("datapipes", "functional_datapipe", "IterDataPipe", "MapDataPipe"):
        from importlib import import_module

        pipes = import_module(f"{__name__}.datapipes")
        return pipes if name == "datapipes" else getattr(pipes, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
