"""Known mistakes, planted into single ops of a recorded graph: what a check has to find."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...engine.ops.reduce.sums import sum_to
from ...engine.tape.entry import Operand, entry_of
from ...engine.tensor import Tensor, result
from ..arrays import Array


class Spot(NamedTuple):
    """An argument of an op: where a mistake is made."""

    node: Any
    slot: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the argument."""
        shape: tuple[int, ...] = self.node.edges[self.slot].shape
        return shape

    @property
    def value(self) -> Array | None:
        """The numbers of the argument."""
        entry = entry_of(self.node)
        for argument in () if entry is None else entry.operands:
            if argument.slot == self.slot and type(argument.value) is Operand:
                return np.asarray(argument.value.array)
        return None

    @property
    def twins(self) -> list[int]:
        """The other arguments of the same shape."""
        edges = self.node.edges
        return [i for i, e in enumerate(edges) if i != self.slot and e is not None and e.shape == self.shape]

    @property
    def broadcast(self) -> bool:
        """Tell whether the argument is broadcast to the shape of the result."""
        return type(self.node.shape) is tuple and self.shape != self.node.shape and self.node.broadcasts


class Call(NamedTuple):
    """A run of a backward in which a mistake is made."""

    # Where it was planted: where the op is called again, too.
    spot: Spot
    # What the op passes on rightly, before broadcasting is undone.
    shares: list[Any]
    # What arrives, and the op's own backward.
    g: Any
    run: Callable[[Any], list[Any]]

    @property
    def share(self) -> Any:
        """The right gradient of the argument."""
        share = self.shares[self.spot.slot]
        return share if tuple(share.shape) == self.spot.shape else sum_to(share, self.spot.shape)


class Fault(NamedTuple):
    """A mistake: its name, what it makes of a gradient, and where it can be made."""

    name: str
    spoil: Callable[[Call], Any]
    suits: Callable[[Spot], bool]
    # The lowest order at which it shows.
    order: int = 1


def plant(node: Any, slot: int, fault: Fault) -> None:
    """Make a mistake in the backward of one recorded op; its op in the registry stays as it is.

    The node gets a class of its own, and its entry an op of its own that makes the mistake wherever it is called.
    """
    spot = Spot(node, slot)
    kind = type(node)

    def run(self: Any, g: Any, edges: Any) -> list[Any]:
        shares = list(kind.run(self, g, edges))
        if fault.order == 1 and shares[slot] is not None:
            shares[slot] = fault.spoil(Call(spot, shares, g, lambda g: list(kind.run(self, g, edges))))
        return shares

    def run_graph(self: Any, g: Any, edges: Any) -> list[Any]:
        shares = list(kind.run_graph(self, g, edges))
        if shares[slot] is not None:
            shares[slot] = fault.spoil(Call(spot, shares, g, lambda g: list(kind.run_graph(self, g, edges))))
        return shares

    node.__class__ = type(kind.__name__, (kind,), {"__slots__": (), "run": run, "run_graph": run_graph})
    entry = entry_of(spot.node)
    assert entry is not None
    op = copy.copy(entry.op)
    entry.op = op
    right = op.call

    def call(*args: Any, **kwargs: Any) -> Any:
        made = right(*args, **kwargs)
        if isinstance(made, Tensor) and made.grad_fn is not None:
            made.grad_fn.__class__ = type(node)
        return made

    op.called_by(call)


def _linear(share: Any, take: Array, factor: Any) -> Any:
    """Some of the entries of a gradient, each multiplied: an array of the shape of ``take``."""
    flat = share.reshape(-1)
    if isinstance(share, Tensor):
        chosen: Any = flat[result(take.reshape(-1))].reshape(take.shape)
        return chosen * result(np.asarray(factor, np.float64))
    return flat[take] * factor


def _order(shape: tuple[int, ...]) -> Array:
    return np.arange(int(np.prod(shape))).reshape(shape)


def _times(factor: Callable[[Spot], Any]) -> Callable[[Call], Any]:
    return lambda call: _linear(call.share, _order(call.spot.shape), factor(call.spot))


def _moved(order: Callable[[Array], Array]) -> Callable[[Call], Any]:
    return lambda call: _linear(call.share, order(_order(call.spot.shape)), 1.0)


# -- the mistakes ------------------------------------------------------------------------------


def _detached(call: Call) -> Any:
    share = call.share
    return share.detach() if isinstance(share, Tensor) else share


def _unreduced(call: Call) -> Any:
    """The first share along every axis along which the argument was broadcast."""
    share = call.shares[call.spot.slot]
    full, shape = tuple(share.shape), call.spot.shape
    if full == shape:
        return share
    sizes = (1,) * (len(full) - len(shape)) + shape
    take = _order(full)[tuple(slice(0, 1) if n == 1 else slice(None) for n in sizes)]
    return _linear(share, take.reshape(shape), 1.0)


def _single(call: Call) -> Any:
    share = call.share
    array = np.asarray(share._a if isinstance(share, Tensor) else share)
    rounded = array.astype(np.float32).astype(np.float64)
    factor = np.divide(rounded, array, out=np.ones(array.shape), where=array != 0)
    return _linear(share, _order(array.shape), factor)


def _underived(call: Call) -> Any:
    """The op's derivative alone: what arrives is taken to be one."""
    return Call(call.spot, call.run(call.g * 0 + 1), call.g, call.run).share


def _without_mean(call: Call) -> Any:
    share = call.share
    return share - share.mean()


def _swap(order: Array) -> Array:
    flat = order.reshape(-1).copy()
    flat[[0, -1]] = flat[[-1, 0]]
    return flat.reshape(order.shape)


def _last_gone(spot: Spot) -> Array:
    kept = np.ones(spot.shape)
    kept.reshape(-1)[-1] = 0.0
    return kept


def _positive_gone(spot: Spot) -> Array:
    assert spot.value is not None
    return np.where(spot.value > 0, 0.0, 1.0)


def _spread(spot: Spot) -> float:
    """Over how many entries of the result an entry of the argument is broadcast."""
    return float(np.prod(spot.node.shape) / max(np.prod(spot.shape), 1))


def _signs(spot: Spot) -> bool:
    return spot.value is not None and bool((spot.value > 0).any() and (spot.value <= 0).any())


def _several(least: int) -> Callable[[Spot], bool]:
    return lambda spot: int(np.prod(spot.shape)) >= least


def _square(spot: Spot) -> bool:
    return len(spot.shape) == 2 and spot.shape[0] == spot.shape[1] > 1


def _anywhere(spot: Spot) -> bool:
    return True


FAULTS = (
    Fault("a factor is missing", _times(lambda spot: 0.5), _anywhere),
    Fault("a factor too much", _times(lambda spot: 1.5), _anywhere),
    Fault("the wrong sign", _times(lambda spot: -1.0), _anywhere),
    Fault("an argument is forgotten", _times(lambda spot: 0.0), _anywhere),
    Fault("a term is dropped", _without_mean, _several(3)),
    Fault("a transposed matrix", _moved(lambda order: order.T), _square),
    Fault("half of a symmetric matrix", _times(lambda spot: np.triu(np.ones(spot.shape))), _square),
    Fault("a broadcast is not summed", _unreduced, lambda spot: spot.broadcast),
    Fault("a mean instead of a sum", _times(lambda spot: 1 / _spread(spot)), lambda spot: spot.broadcast),
    Fault(
        "fan-out counted once",
        _times(lambda spot: 0.0),
        lambda spot: any(spot.node.edges[i] is spot.node.edges[spot.slot] for i in spot.twins),
    ),
    Fault("the wrong branch", _times(_positive_gone), _signs),
    Fault("swapped arguments", lambda call: call.shares[call.spot.twins[0]], lambda spot: bool(spot.twins)),
    Fault("off by one along an axis", _moved(lambda order: np.roll(order, 1, -1)), lambda s: s.shape[-1:] > (1,)),
    Fault("in reverse order", _moved(lambda order: order[::-1]), lambda spot: spot.shape[:1] > (1,)),
    Fault("two entries swapped", _moved(_swap), _several(2)),
    Fault("the last entry is forgotten", _times(_last_gone), _several(2)),
    Fault("the arriving gradient is left out", _underived, lambda spot: type(spot.node.shape) is tuple),
    Fault("slightly off", _times(lambda spot: 1 + 1e-5), _anywhere),
    Fault("single precision", _single, _anywhere),
    Fault("a second order is cut off", _detached, _anywhere, order=2),
)  # fmt: skip
