"""Read a model's parameters and buffers off its state: a program may have replaced the method parameters()."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.tensor import Tensor
from ...nn.modules.module import Module


def modules_of(model: Module) -> Iterator[tuple[str, Module]]:
    """A model and all modules in it, each once, with what stands before the names of their tensors."""
    seen: set[int] = set()
    stack = [("", model)]
    while stack:
        prefix, module = stack.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        yield prefix, module
        below = module.__dict__.get("_modules") or {}
        stack += [(f"{prefix}{name}.", child) for name, child in reversed(below.items()) if isinstance(child, Module)]


def parameters_of(model: Module) -> Iterator[tuple[str, Tensor]]:
    """The parameters of a model with their dotted names."""
    return _tensors_of(model, "_parameters")


def buffers_of(model: Module) -> Iterator[tuple[str, Tensor]]:
    """The buffers of a model with their dotted names."""
    return _tensors_of(model, "_buffers")


def _tensors_of(model: Module, kind: str) -> Iterator[tuple[str, Tensor]]:
    for prefix, module in modules_of(model):
        for name, tensor in (module.__dict__.get(kind) or {}).items():
            if isinstance(tensor, Tensor):
                yield f"{prefix}{name}", tensor
