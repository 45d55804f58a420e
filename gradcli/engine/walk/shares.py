"""One share of a gradient: made to fit the input it is for, or added to the gradient of a leaf."""

from __future__ import annotations

from _thread import allocate_lock
from typing import Any

import numpy as np

from ...errors import EngineError
from .. import ops
from ..call_errors import translated
from ..memory.layout import empty_like, is_dense
from ..modes import mode, recording
from ..numeric.halves import converted, is_half, lowered, raised
from ..numeric.meta import Meta, put
from ..tensor import Tensor, result


def fit(node: Any, edge: Any, share: Any) -> Any:
    """A share in the shape and dtype of the input it is for: broadcasting undone, width restored."""
    shape, d = edge.shape, edge.dtype
    a = share._a if isinstance(share, Tensor) else share
    if d is None:
        # A leaf may take whatever a custom function gives it; our own rules give more than they should.
        d = edge.variable._a.dtype if hasattr(node, "op") else a.dtype
    if a.dtype.kind == "c" and d.kind == "f":
        share = _of_a_real_input(node, share)
        a = share._a if isinstance(share, Tensor) else share
    if a.shape != shape:
        if not node.broadcasts or not _broadcasts(shape, a.shape):
            index = node.edges.index(edge)
            raise EngineError(
                f"Function {type(node).__name__} returned an invalid gradient at index {index} - got "
                f"{list(a.shape)} but expected shape compatible with {list(shape)}"
            )
        share = _summed(share, shape)
        a = share._a if isinstance(share, Tensor) else share
    if a.dtype is not d:
        if isinstance(share, Tensor):
            share = ops.converting.to_copy(share, d)
        elif a.dtype.kind != "c" or d.kind == "c":
            # A complex gradient is a complex-step reading: its imaginary part is the answer.
            share = converted(share, d)
    return share


def _summed(share: Any, shape: tuple[int, ...]) -> Any:
    """The sum of a share over the axes along which its input was broadcast; in half precision rounded once."""
    if isinstance(share, Tensor) or not is_half(share.dtype):
        return ops.sums.sum_to(share, shape)
    return lowered(ops.sums.sum_to(raised(share), shape), share.dtype)


def _of_a_real_input(node: Any, share: Any) -> Any:
    """The share of a real input: the real part, where it is complex and no complex-step reading."""
    if isinstance(share, Tensor):
        return ops.parts.real(share)
    return share.real if node.for_complex else share


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Tell whether ``shape`` broadcasts to ``to``."""
    if len(shape) > len(to):
        return False
    tail = to[len(to) - len(shape) :]
    return all(s == t or s == 1 for s, t in zip(shape, tail, strict=True))


# Several threads may bring numbers to one leaf: one at a time. To call is half as dear as a `with`.
_lock = allocate_lock()
_acquire, _release = _lock.acquire, _lock.release


def accumulate(leaf: Any, g: Any, owned: bool, create_graph: bool) -> None:
    """Add ``g`` to the gradient of a leaf."""
    if create_graph:
        _accumulate_tensor(leaf, g if isinstance(g, Tensor) else result(g))
        return
    if isinstance(g, Tensor):
        g = g._a
    _acquire()
    try:
        have = leaf.grad
        if have is None:
            leaf.grad = result(_kept_as(leaf, g, owned) if isinstance(g, np.ndarray) else g)
            if isinstance(g, np.ndarray) and 0 in g.strides:
                # It was copied, which is a write.
                leaf.grad._counter().n = 1
            return
        a = have._a
        if type(a) is not np.ndarray and (is_sparse(a) or not isinstance(a, np.ndarray)):
            total = _sum(a, g)
            if is_sparse(a) and not is_sparse(total):
                leaf.grad = result(total)
            else:
                have._a = total
            return
        if mode.tape is not None:
            mode.tape.before_write(a)
        np.add(a, g, out=a)
        have._counter().n += 1
    except ValueError as error:
        # The leaf was given other numbers since, of another shape.
        raise translated(error, (leaf.grad._a, g)) from error
    finally:
        _release()


def _accumulate_tensor(leaf: Any, g: Tensor) -> None:
    """Add a tensor to the gradient of a leaf: to its memory where nothing is recorded."""
    have = leaf.grad
    if have is None:
        leaf.grad = _copied(leaf, g)
    elif type(have._a) is Meta:
        leaf.grad = have + _copied(leaf, g)
    elif recording() or is_sparse(have._a) or is_sparse(g._a):
        leaf.grad = have + g
    else:
        have.add_(g)


def _sum(a: Any, g: Any) -> Any:
    """The sum of gradients of which one is no plain array, or has no numbers."""
    return a if type(a) is Meta else a + g


def is_sparse(a: Any) -> bool:
    """True of an array that knows of which entries alone it is made: see numeric/sparse.py, read where there is one."""
    return type(a) is not np.ndarray and hasattr(a, "places")


def _kept_as(leaf: Any, g: Any, owned: bool) -> Any:
    """A first gradient as its leaf keeps it: memory of its own, in which the elements lie as the leaf's do."""
    a = leaf.variable._a
    if type(a) is Meta:
        return put(g)
    if is_sparse(g):
        return g.copy()
    if g.ndim < 2:
        return g if owned else g.copy()
    if a.flags.c_contiguous or not is_dense(a):
        return g if owned and g.flags.c_contiguous else g.copy()
    return g if owned and g.strides == a.strides else _laid_as(a, g)


def _laid_as(a: Any, g: Any) -> Any:
    """A copy of an array whose elements lie as those of another one do."""
    out = empty_like(a, g.dtype)
    out[...] = g
    return out


def without_numbers(g: Tensor) -> Tensor:
    """A gradient in its place in the graph, as those of tensors on `meta` are."""
    t = result(put(g._a))
    t._node = g._node
    return t


def _copied(leaf: Any, g: Tensor) -> Tensor:
    """A gradient that the graph goes on from, copied: what it was computed with stays as it is."""
    a, own = g._a, leaf.variable._a
    if hasattr(type(a), "tensor"):
        # Its class alone has its numbers.
        return g.detach() if g._node is None else g.clone()
    if type(own) is Meta:
        # Rules may have computed with numbers that were made up.
        return without_numbers(g if g._node is None or type(a) is Meta else _copy_in_graph(g))
    otherwise = type(a) is np.ndarray and a.ndim > 1 and own.strides != a.strides and is_dense(own)
    if g._node is None:
        if otherwise:
            return result(_laid_as(own, a))
        return result(np.array(a, subok=True)[()] if not a.ndim else np.array(a, subok=True))
    t = _copy_in_graph(g)
    if otherwise:
        t._a = _laid_as(own, a)
    elif isinstance(t._a, np.ndarray) and not t._a.flags.writeable:
        t._a = np.array(t._a, order="C")
    t._counter().n = 1
    return t


def _copy_in_graph(g: Tensor) -> Tensor:
    from ..writes.inplace import copy

    made: Tensor = copy(result(g._a), g)
    return made
