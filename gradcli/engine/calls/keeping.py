"""Keeping arguments and results of a call in its node, where an op has several tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..call_errors import inference_kept
from ..declaration import fact
from ..tensor import Tensor

if TYPE_CHECKING:
    from ..registry import Op

# The number of an argument, or -1 - that of a result; and of the one argument that it is kept for, or -1.
Keep = list[tuple[int, int]]


def places(op: Op) -> Keep:
    """The arguments and results that the nodes of ``op`` keep, and whom for."""
    names = op.parameters
    results = (*op.outputs, *op.aside)
    keep: Keep = []
    for n in op.saves:
        by = op.wanted_by[n]
        if n in names:
            # As PyTorch: an input that one rule asks for is kept for that rule's argument only; an optional one, one
            # of a joint rule and one of a list's rule always.
            always = len(by) != 1 or n in op.optional or op.joint is not None or by[0] in op.lists
            keep.append((names.index(n), -1 if always else names.index(by[0])))
        else:
            keep.append((-1 - results.index(n), -1))
    return keep


def note_version(node: Any, place: Any, kept: Any) -> None:
    """Note that a node keeps a tensor that was written to before: it may not be written to once more."""
    if kept._inference:
        raise inference_kept()
    node.extras().versions[place] = kept._vc.n


def kept(node: Any, keep: Keep, args: Sequence[Any], results: Sequence[Any]) -> tuple[Any, ...]:
    """The values that a node keeps; the versions of those that were written to before are noted."""
    saved: list[Any] = []
    for k, (i, only) in enumerate(keep):
        if i < 0:
            saved.append(results[-1 - i])
            continue
        v = args[i]
        if only >= 0 and getattr(args[only], "_node", None) is None:
            v = None
        elif isinstance(v, Tensor):
            if v._vc is not None:
                note_version(node, k, v)
        elif isinstance(v, (list, tuple)):
            v = tuple(v)
            for j, x in enumerate(v):
                if isinstance(x, Tensor) and x._vc is not None:
                    note_version(node, (k, j), x)
        saved.append(v)
    return tuple(saved)


def attributes(op: Op) -> Callable[[Sequence[Any], Sequence[Any]], tuple[Any, ...]]:
    """A function that collects the plain facts a node of ``op`` keeps, from the arguments as given and as arrays."""
    names = op.parameters
    if not op.attrs:
        return _none
    attrs = [(names.index(n), None) if n in names else (names.index(fact(n)[0]), fact(n)[1]) for n in op.attrs]
    if all(read is None for _, read in attrs):
        at = [i for i, _ in attrs]
        return lambda args, raw: tuple([args[i] for i in at])
    return lambda args, raw: tuple([args[i] if read is None else read(raw[i]) for i, read in attrs])


def _none(args: Sequence[Any], raw: Sequence[Any]) -> tuple[Any, ...]:
    """Nothing."""
    return ()
