"""A function whose backward is had from its tangents: so the forward mode is judged by what judges a backward."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..engine.forward import duals as forward
from ..engine.function import Function
from ..engine.modes import enable_grad
from ..engine.tensor import Tensor, result
from ..engine.transforms.directions import dual, level
from ..engine.transforms.vmap import vmap
from ..engine.walk.backward import grad, gradients
from ..errors import EngineError, raised_by_program

Call = Callable[..., Any]

# So many directions, and gradients, make a batch that is compared with each of them alone.
_BATCH = 2
_IN_BATCHES = (
    "gradcheck or gradgradcheck failed while testing batched gradient computation: a vmap over the gradients that "
    "arrive must be possible, unless check_batched_grad=False."
)


def by_tangents(func: Call, given: Sequence[Any]) -> Call:
    """A function of the same values, whose gradients are sums of the tangents of ``func``."""
    places = moving(given)

    def called(args: Sequence[Any], xs: Sequence[Tensor]) -> tuple[Any, ...]:
        full = list(args)
        for i, x in zip(places, xs, strict=True):
            full[i] = x.requires_grad_()
        with enable_grad():
            found = func(*full)
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)

    class ByTangents(Function):
        """The function, and the transposed products of its forward mode."""

        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            ys = called(args, [args[i].detach() for i in places])
            ctx.save_for_backward(*[args[i] for i in places])
            ctx.rest = args
            kept = tuple([y.detach() if isinstance(y, Tensor) else y for y in ys])
            fixed = [t for t, y in zip(kept, ys, strict=True) if isinstance(t, Tensor) and not y.requires_grad]
            ctx.mark_non_differentiable(*fixed)
            return kept[0] if len(kept) == 1 else kept

        @staticmethod
        def backward(ctx: Any, *gs: Any) -> Any:
            xs = ctx.saved_tensors
            along = list(_directions(xs))
            with level(len(along)) as here:
                duals = [dual(x.detach(), here, tuple([d[k] for d in along])) for k, x in enumerate(xs)]
                ys = called(ctx.rest, duals)
                slopes = [forward.tangents_of(y, here) if isinstance(y, Tensor) else None for y in ys]
            # In each direction, the product with what arrives, as of real numbers.
            found = iter([
                sum(
                    np.real(np.vdot(g._a, ts[n]._a)) for g, ts in zip(gs, slopes, strict=True)
                    if g is not None and ts is not None
                )
                for n in range(len(along))
            ])  # fmt: skip
            made: list[Any] = [None] * len(ctx.rest)
            for i, x in zip(places, xs, strict=True):
                total = np.zeros(x._a.size, x._a.dtype)
                for k in range(x._a.size):
                    total[k] = next(found) + (1j * next(found) if x.is_complex() else 0)
                made[i] = result(total.reshape(x._a.shape))
            return tuple(made)

    return ByTangents.apply


def _directions(xs: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    """For each element of each tensor a direction in which that alone is moved; a complex one has two."""
    for k, x in enumerate(xs):
        for i in range(x.numel()):
            for unit in (1, 1j) if x.is_complex() else (1,):
                tangents = [np.zeros(y._a.shape, y._a.dtype) for y in xs]
                tangents[k].reshape(-1)[i] = unit
                yield [result(t) for t in tangents]


def moving(given: Sequence[Any]) -> list[int]:
    """The places of the arguments that are differentiated by."""
    return [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]


def batched_backward(func: Call, given: Sequence[Any]) -> str | None:
    """Say what is wrong with gradients of a batch of cotangents: they must be those of each cotangent alone."""
    xs = [given[i] for i in moving(given)]
    rng = np.random.default_rng(0)
    for y in _differentiable(func, given):
        batch = result(rng.uniform(-1, 1, (_BATCH, *y.shape)).astype(y._a.dtype))
        one_by_one = [grad(y, xs, batch[k], retain_graph=True, allow_unused=True) for k in range(_BATCH)]
        try:
            together = vmap(lambda g, y=y: _backward_of(y, xs, g))(batch)
        except raised_by_program(EngineError) as error:
            return f"While computing batched gradients, got: {error}\n\n{_IN_BATCHES}"
        for j, t in enumerate(together):
            alone = [row[j] for row in one_by_one]
            if alone[0] is not None and not all(
                np.allclose(t._a[k], alone[k]._a, equal_nan=True) for k in range(_BATCH)
            ):
                return f"the gradient of a batch with respect to input {j} is not that of each alone"
    return None


def _backward_of(y: Tensor, xs: Sequence[Tensor], g: Tensor) -> tuple[Tensor, ...]:
    """The gradients by each, zeros where there are none."""
    return gradients(y, xs, g, retain_graph=True, materialize_grads=True)


def batched_forward(func: Call, given: Sequence[Any]) -> str | None:
    """Say what is wrong with tangents in several directions at once: they must be those in each direction alone."""
    places = moving(given)
    rng = np.random.default_rng(0)
    along = [[_direction(rng, given[i]) for i in places] for _ in range(_BATCH)]

    def tangents(directions: list[list[Tensor]]) -> list[Any]:
        full = list(given)
        with level(len(directions)) as here:
            for j, i in enumerate(places):
                full[i] = dual(given[i].detach(), here, tuple([d[j] for d in directions]))
            found = func(*full)
            return [forward.tangents_of(y, here) for y in (found if isinstance(found, tuple) else (found,))]

    together, alone = tangents(along), [tangents([one]) for one in along]
    for j, ts in enumerate(together):
        if ts is not None and not all(
            np.allclose(ts[k]._a, alone[k][j][0]._a, equal_nan=True) for k in range(_BATCH)
        ):
            return f"the tangents of output {j} in several directions are not those in each alone"
    return None


def _direction(rng: Any, x: Tensor) -> Tensor:
    return result(np.asarray(rng.uniform(-1, 1, x._a.shape), x._a.dtype))


def _differentiable(func: Call, given: Sequence[Any]) -> list[Tensor]:
    with enable_grad():
        found = func(*given)
    return [y for y in (found if isinstance(found, tuple) else (found,)) if isinstance(y, Tensor) and y.requires_grad]
