"""The types that a program sees: PyTorch's classes under PyTorch's names."""

from __future__ import annotations

import re
import sys
from collections import OrderedDict
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from ...engine import dtypes, function, graph, modes, properties
from ...engine.guard.addresses import address, without_addresses
from ...engine.memory import places
from ...engine.random import generator
from ...engine.registry import PUBLIC
from ...engine.tensor import BESIDE, Tensor, View
from ...errors import (
    EngineError,
    EngineIndexError,
    EngineNotImplementedError,
    EngineTypeError,
    EngineValueError,
    Unsupported,
)
from .classes.metaclasses import metaclass_of
from .classes.sealed_classes import TYPE, Given, known_as, opened, sealed
from .user_definitions import Namespace, Super, UserFunction, UserType


class _FunctionMeta(type):
    """The class that a program sees of its custom functions."""


known_as(_FunctionMeta, "FunctionMeta", "torch.autograd.function")
FUNCTION_META = sealed(_FunctionMeta)
FUNCTION_META.real = type


# Classes that a program sees as another.
_SEEN_AS: dict[type, type] = {
    View: Tensor,
    EngineError: RuntimeError,
    EngineTypeError: TypeError,
    EngineValueError: ValueError,
    EngineIndexError: IndexError,
    EngineNotImplementedError: NotImplementedError,
    Unsupported: NotImplementedError,
}


def show_as(cls: type, other: type) -> None:
    """Let a program see a class as another."""
    _SEEN_AS[cls] = other


# Classes of what a program may hold and cannot make; where ours are read later, they are put here then.
FOUND_ONLY: tuple[type, ...] = (
    Given, Namespace, Super, UserFunction, FunctionType, MethodType, graph.BaseNode, graph.InputMetadata,
    graph.RemovableHandle, dtypes.dtype, places.Named, np.generic, np.ndarray, property, staticmethod, classmethod,
    slice,
)  # fmt: skip

# Where PyTorch has what the engine has under a name of its own.
NAMES: dict[type, str] = {
    Tensor: "torch.Tensor",
    dtypes.dtype: "torch.dtype",
    places.Device: "torch.device",
    places.Layout: "torch.layout",
    places.MemoryFormat: "torch.memory_format",
    properties.Size: "torch.Size",
    generator.Generator: "torch._C.Generator",
    graph.BaseNode: "torch.autograd.graph.Node",
    graph.AccumulateGrad: "AccumulateGrad",
    graph.RemovableHandle: "torch.utils.hooks.RemovableHandle",
    graph.InputMetadata: "torch._C._autograd._InputMetadata",
    function.Function: "torch.autograd.function.Function",
    FUNCTION_META: "torch.autograd.function.FunctionMeta",
    modes.no_grad: "torch.autograd.grad_mode.no_grad",
    modes.enable_grad: "torch.autograd.grad_mode.enable_grad",
    modes.set_grad_enabled: "torch.autograd.grad_mode.set_grad_enabled",
    modes.inference_mode: "torch.autograd.grad_mode.inference_mode",
}

# Classes written in C, which messages call by their full names.
_IN_FULL = (
    dtypes.dtype, places.Device, places.Layout, places.MemoryFormat, properties.Size, generator.Generator,
    OrderedDict,
)  # fmt: skip

_SCHEDULES = ("cycles", "lr_scheduler", "plateau", "schedule", "sequences")
# PyTorch shows them without the file that they are in.
_WITHOUT_FILE = ("Adafactor", "Muon")
_FILES = {"SparseAdam": "sparse_adam"}

# Functions of torch that PyTorch has in Python, where the others are built in.
_IN_PYTHON = frozenset(
    [
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "block_diag",
        "broadcast_shapes",
        "broadcast_tensors",
        "cartesian_prod",
        "cdist",
        "chain_matmul",
        "einsum",
        "get_rng_state",
        "initial_seed",
        "is_tensor",
        "manual_seed",
        "meshgrid",
        "norm",
        "seed",
        "set_printoptions",
        "set_rng_state",
        "split",
        "tensordot",
        "unique",
        "unique_consecutive",
    ]
)

# Patterns are texts, compiled where they are used: few programs fail so.
_OURS = r"\bgradcli(?:\.\w+)+"
_STRING = r"\bnp\.str_\(('[^']*'|\"[^\"]*\")\)"
_RANK = r"maximum supported dimension for an ndarray is currently (\d+), found (\d+)"


def type_of(value: Any) -> Any:
    """The class that ``type(value)`` gives a program."""
    kind = type(value)
    if kind is FunctionType and built_in(value):
        return BuiltinFunctionType
    if issubclass(kind, type):
        meta = metaclass_of(value) if kind is not UserType else None
        if meta is not None:
            return meta
        return FUNCTION_META if kind is UserType and issubclass(value, function.Function) else TYPE
    if BESIDE in vars(kind):
        # The views and parameters that are of a class of a program's are seen as that.
        return kind.__bases__[0]
    return sealed(kind) if issubclass(kind, FOUND_ONLY) else _SEEN_AS.get(kind, kind)


def seen_as(cls: type) -> type:
    """The class that a program sees of a class."""
    return _SEEN_AS.get(cls, cls)


def full_name(cls: type) -> str:
    """The name of a class with its module, as it is printed; built-in classes stand alone."""
    cls = cls if cls in NAMES else opened(cls)
    known = NAMES.get(cls)
    if known is not None:
        return known
    module, name = cls.__module__, cls.__qualname__
    top, _, rest = module.partition(".")
    if top != "gradcli":
        return name if module == "builtins" else f"{module}.{name}"
    if issubclass(cls, graph.BaseNode):
        return f"torch.autograd.function.{name}" if issubclass(cls, function.FunctionNode) else name
    room, _, place = rest.partition(".")
    if room == "spec":
        return name
    if room == "nn":
        return _nn_name(cls, place)
    if room == "optim":
        if name in _WITHOUT_FILE:
            return f"torch.optim.{name}"
        return f"torch.optim.{'lr_scheduler' if place in _SCHEDULES else _FILES.get(name, name.lower())}.{name}"
    if issubclass(cls, function.Function):
        place = "function"
    return f"torch.{room}.{place}.{name}" if room in ("utils", "autograd") and place else f"torch.{name}"


def renamed(words: str) -> str:
    """A message in which our classes have PyTorch's names, and NumPy speaks of tensors."""
    words = without_addresses(words)
    if "gradcli." in words:
        words = re.sub(_OURS, _renamed, words)
    if "ndarray is" in words:
        words = re.sub(_RANK, r"a tensor has at most \1 dimensions here, and this one would have \2", words)
    return re.sub(_STRING, r"\1", words) if "np.str_(" in words else words


def _renamed(name: re.Match[str]) -> str:
    parts = name[0].split(".")
    for n in range(len(parts) - 1, 0, -1):
        module = sys.modules.get(".".join(parts[:n]))
        found = getattr(module, parts[n], None)
        if isinstance(found, type):
            return ".".join([full_name(seen_as(found)), *parts[n + 1 :]])
        if module is not None and n > 1:
            # Some classes are made when they are needed, and are in no module.
            return ".".join(parts[n:])
    return name[0]


def name_of(cls: type) -> str:
    """The bare name of a class: what its ``__name__`` is."""
    return full_name(cls).rpartition(".")[2] if cls.__module__.startswith("gradcli.") else cls.__name__


def plainly(value: Any) -> str:
    """Return Python's default repr, for a value whose class defines none."""
    return f"<{full_name(type(value))} object at {address(value):#x}>"


def word(value: Any) -> str:
    """Name the type of a value as messages do: "'Tensor' object has no attribute ..."."""
    return word_of(type_of(value))


def word_of(cls: type) -> str:
    """Name a class as messages do."""
    cls = cls if cls in NAMES else opened(cls)
    in_full = cls in _IN_FULL or cls.__module__ == "numpy" or issubclass(cls, tuple)
    return full_name(cls) if in_full else name_of(cls)


def function_name(function: Any) -> str:
    """The name that a function is offered under, which may not be its own."""
    name: str = function.__name__
    if name.startswith("__"):
        return name
    for offered in PUBLIC.values():
        if offered.get(name) is function:
            return name
    for offered in PUBLIC.values():
        for other, value in offered.items():
            if value is function and not other.startswith("__"):
                return other
    return name


def built_in(function: Any) -> bool:
    """True if a function is written in C in PyTorch: Python's builtins, and most of torch's own."""
    if function.__module__.startswith("gradcli.spec."):
        return True
    name = function_name(function)
    # Before it there may stand a door.
    behind = function.__dict__.get("__wrapped__", function)
    return PUBLIC["torch"].get(name) is behind and name not in _IN_PYTHON


def c_name(cls: type) -> str:
    """Name a class in messages about one of its methods that is written in C."""
    return "torch._C.TensorBase" if issubclass(cls, Tensor) else word_of(cls)


def _nn_name(cls: type, place: str) -> str:
    name = cls.__qualname__
    if place == "parameter" or name.startswith("Uninitialized"):
        return f"torch.nn.parameter.{name}"
    if name == "_IncompatibleKeys":
        return "torch.nn.modules.module._IncompatibleKeys"
    if name == "DataParallel":
        return "torch.nn.parallel.data_parallel.DataParallel"
    if place == "modules.lazy":
        # PyTorch has a lazy layer beside the layer that it becomes.
        place = next((c.__module__ for c in cls.__mro__ if name == f"Lazy{c.__name__}"), place).partition("nn.")[2]
    return f"torch.nn.{place}.{name}"
