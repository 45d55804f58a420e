"""Modules that programs import and may never use: what they ask of them is refused by name, where they ask."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from ...errors import SpecError
from ..guard.size_limits import caps, fits
from ..values.classes.sealed_classes import Given, known_as
from ..values.tables.table import MISSING, declare

# The packages that a program may name, and what to write instead of what is asked of them.
_PACKAGES: dict[str, str] = {
    **dict.fromkeys(("datasets", "h5py", "sqlite3", "torchtext", "yaml"), "write the data into the program"),
    **dict.fromkeys(("torchvision", "torchaudio", "PIL", "cv2", "skimage", "imageio"), "make tensors of random ones"),
    **dict.fromkeys(("gym", "gymnasium"), "write the class of the environment into the program"),
    **dict.fromkeys(("requests", "urllib", "zipfile", "gzip", "tarfile"), "write the data into the program"),
    **dict.fromkeys(("scipy", "sklearn"), "write what it computes with torch or numpy"),
    **dict.fromkeys(("d2l", "fastai", "gensim", "joblib", "lightning", "numpyro", "optuna", "pyro", "pytest",
                     "spacy", "sympy", "tensorflow", "timm", "tiktoken", "tokenizers", "torch_geometric", "torchdiffeq",
                     "torchinfo", "torchsummary", "triton"), "write out what it is"),
    **dict.fromkeys(("psutil", "resource", "cProfile", "pstats", "tracemalloc"), "`gradcli run` measures nothing"),
    **dict.fromkeys(("networkx", "nltk", "transformers", "torchmetrics", "pytorch_lightning"), "write out what it is"),
    **dict.fromkeys(
        ("accelerate", "apex", "bitsandbytes", "deepspeed", "einx", "flash_attn", "huggingface_hub", "safetensors",
         "torch_cluster", "torch_scatter", "torch_sparse", "xformers"),
        "write out what it is",
    ),
    **dict.fromkeys(("cloudpickle", "dill", "locale", "numba"), "write it another way"),
}
_IN_TORCH: dict[str, str] = {
    **dict.fromkeys(("torch.distributed", "torch.multiprocessing", "torch.nn.parallel"), "let one process do all"),
    **dict.fromkeys(
        ("torch.hub", "torch.onnx", "torch.export", "torch.utils.model_zoo"),
        "leave it out: nothing is loaded or exported here",
    ),
    "torch.masked.maskedtensor": "keep a mask beside the tensor: torch.masked.sum() and its like take one",
    "torch.nn.attention.flex_attention": "F.scaled_dot_product_attention() with a mask computes the same",
    **dict.fromkeys(
        ("torch.fx.experimental", "torch.fx.passes", "torch.quantization", "torch.ao", "torch.overrides",
         "torch.utils.cpp_extension", "torch.package", "torch.futures", "torch.monitor", "torch.mtia",
         "torch.utils.bottleneck", "torch.utils.bundled_inputs", "torch.utils.collect_env",
         "torch.utils.data.datapipes", "torch.utils.data.graph", "torch.utils.mkldnn",
         "torch.storage", "torch.utils._contextlib",
         "torch.utils._triton", "torch.utils.mobile_optimizer", "torch.utils.weak"),
        "write what it does with the functions of torch",
    ),
}
# What PyTorch's own files begin with: of what they are to each other a program may import anything.
_PRIVATE = "torch._"

# Packages whose work nobody sees here, and that few have: a program that can do without them does.
_RARE = frozenset("graphviz plotly tensorboardX torchview torchviz visdom wandb".split())

# The modules of Python's own that have others within.
_WITH_MODULES = frozenset(
    "asyncio collections concurrent ctypes curses dbm email encodings html http importlib json logging multiprocessing "
    "re sqlite3 tkinter unittest urllib wsgiref xml xmlrpc zoneinfo".split()
)


class Absent(Given):
    """A name of a module that there is not: it may be named, and nothing can be done with it."""

    __slots__ = ("help", "name")

    def __init__(self, name: str, help: str) -> None:
        fits(len(name), "str")
        self.name = name
        self.help = help

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        caps.tick(1)
        self.refuse()

    def refuse(self, *args: Any) -> NoReturn:
        """Refuse what needs it."""
        raise SpecError(f"{self.name} is not in the spec language", help=self.help, code="E204")

    __iter__ = __len__ = __repr__ = __str__ = __float__ = __getitem__ = __enter__ = __contains__ = refuse

    def __exit__(self, *error: Any) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


known_as(Absent, "module", "builtins")
_TABLE = declare(Absent, base=object)
_TABLE.find = lambda value, name: MISSING if name.startswith("__") else Absent(f"{value.name}.{name}", value.help)


def is_in_part(module: str) -> bool:
    """Tell whether of a module, which is others' or PyTorch's, a part is here and no more is known."""
    return module.partition(".")[0] in _PACKAGES or any(f"{module}.".startswith(f"{known}.") for known in _IN_TORCH)


def instead_of(module: str) -> str | None:
    """Say what to write instead of what a package of others has; None of Python's and PyTorch's own."""
    return _PACKAGES.get(module.partition(".")[0])


def may_be_missing(module: str) -> bool:
    """Tell whether a program that can do without a module is told that there is none, although it could be named."""
    return module.partition(".")[0] in _RARE


def absent(module: str, name: str | None = None) -> Absent | None:
    """Return a stand-in for a module, or for a name of it; None for a module that nobody has heard of."""
    whole = module if name is None else f"{module}.{name}"
    for known, help in (*_IN_TORCH.items(), *_PACKAGES.items()):
        if f"{whole}.".startswith(f"{known}."):
            return Absent(whole, help)
    if whole.startswith(_PRIVATE):
        return Absent(whole, "write what it does with the functions of torch")
    # Of Python's own, whatever is not here may be imported, too: many a program never uses it.
    top, _, within = module.partition(".")
    is_there = top in (_WITH_MODULES if within else sys.stdlib_module_names)
    return Absent(whole, "write it another way") if is_there else None
