"""The demands of gradcheck's options beyond a gradient: undefined and batched gradients, and forward mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .border import raised_there, said, theirs
from .forward_mode import wrong_tangents
from .function import Real
from .judged import unit_of
from .second import derivative_of
from .subject import ForeignSubject
from .with_torch import TorchLibrary

# So many gradients are handed over at once.
_BATCH = 3
_UNDEFINED = "Expected backward function to handle undefined output grads."
_NOT_ZERO = "Expected all input grads to be undefined or zero when all output grads are undefined or zero."


class Demands(NamedTuple):
    """The options that are switched on."""

    undefined: bool = False
    batched: bool = False
    forward: bool = False


def unmet(real: Real, demands: Demands, order: int) -> str | None:
    """Say which of the demands a function does not meet, whose gradient of this order is right."""
    library = real.library
    assert isinstance(library, TorchLibrary)
    leaves, found = library.recorded_here()
    if demands.undefined:
        problem = _undefined(library, leaves, found)
        if problem is not None:
            return problem
    if demands.batched:
        derived = derivative_of(library) if order > 1 else library
        assert isinstance(derived, TorchLibrary)
        _ = Real(derived)
        problem = _batched(derived, *derived.recorded(real.at_library))
        if problem is not None:
            return problem
    return _tangents(real) if demands.forward else None


def _undefined(library: TorchLibrary, leaves: Sequence[Any], found: Sequence[Any]) -> str | None:
    torch = library.torch
    outputs = [found[i] for i in library.chosen or ()]
    several = [range(len(outputs)), *([i] for i in range(len(outputs)) if len(outputs) > 1)]
    for places in several:
        # It hands on no gradient at all where one arrives.
        undefined = [torch._C._functions.UndefinedGrad()(y) if i in places else y for i, y in enumerate(outputs)]
        zeros = [torch.zeros_like(y) for y in undefined]
        try:
            made = theirs(torch.autograd.grad, undefined, leaves, zeros, retain_graph=True, allow_unused=True)
        except raised_there() as error:
            return f"the backward of {library.name} stops where no gradient arrives: {said(error)}\n{_UNDEFINED}"
        for name, g in zip(library.inputs, made, strict=True):
            if g is not None and bool((g != 0).any()):
                return f"the backward gives {name} a gradient where none arrives\n{_NOT_ZERO}"
    return None


def _batched(library: TorchLibrary, leaves: Sequence[Any], found: Sequence[Any]) -> str | None:
    torch = library.torch
    generator = torch.Generator().manual_seed(0)
    for y in (found[i] for i in library.chosen or ()):
        many = torch.rand((_BATCH, *y.shape), generator=generator, dtype=torch.float64).to(y.dtype)
        try:
            alone = [theirs(torch.autograd.grad, y, leaves, g, retain_graph=True, allow_unused=True) for g in many]
            together = theirs(
                torch.autograd.grad, y, leaves, many, retain_graph=True, allow_unused=True, is_grads_batched=True
            )
        except raised_there() as error:
            return f"While computing batched gradients, got: {said(error)}"
        for k, name in enumerate(library.inputs):
            if together[k] is not None and not all(
                torch.allclose(together[k][i], alone[i][k], equal_nan=True) for i in range(_BATCH)
            ):
                return f"For {name}, the gradient of a batch is not that of each alone\nBatched grad is wrong"
    return None


def _tangents(real: Real) -> str | None:
    rng = np.random.default_rng(0)
    name = f"the forward mode of {real.library.name}"
    found, note = wrong_tangents(ForeignSubject(real), unit_of(real), None, name, rng)
    if note is not None:
        return note.text
    if found is None:
        return None
    lines = [f"{name} is wrong with respect to {found.input}", *(each.text for each in found.notes)]
    return "\n".join([*lines, "Jacobian computed with forward mode mismatch"])
