"""The node of a write through a view."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ..dtypes import zeros_of
from ..graph import Node, freed, recorded
from ..memory.layout import array_in
from ..numeric.bfloat16 import Brain, memory_of
from ..tensor import Array, Tensor, View, result, scratch


class CopySlices(Node):
    """A base after a write to one of its views: the view's region goes through ``fn``, the rest is passed on."""

    # Its one kept value is `fn`, the node of the write itself.
    __slots__ = ("base_strides", "offset", "view_shape", "view_strides", "way")

    base_strides: tuple[int, ...]
    view_shape: tuple[int, ...]
    view_strides: tuple[int, ...]
    offset: int
    # Where the view is none by strides: what leads to it.
    way: Any
    broadcasts = True

    @classmethod
    def over(cls, base: Tensor, view: View, fn: Any) -> CopySlices:
        """The node for ``base`` after ``fn`` wrote to ``view``."""
        kind = _OfComplex if fn.for_complex else cls
        node: CopySlices = recorded(kind, (base._node, *fn.edges[1:]), (), base._a.shape, base._a.dtype)
        node.saved = (fn,)
        # In elements: the gradient may be of another width.
        node.base_strides = base.stride()
        node.view_shape = view._a.shape
        node.view_strides = view.stride()
        node.offset = view._offset() - base._offset()
        node.way = view._way
        return node

    def name(self) -> str:
        """The name PyTorch's C++ gives this node."""
        return "torch::autograd::CopySlices"

    def written(self) -> Any:
        """The node of the write itself."""
        if self.saved is None:
            raise freed()
        return self.saved[0]

    def view_of(self, whole: Tensor) -> Any:
        """The view, of another tensor that lies in memory as the base does."""
        from ..ops.shape import strides

        if self.way is not None:
            return self.way.from_base(whole)
        return strides.as_strided(whole, self.view_shape, self.view_strides, self.offset)

    def part_of(self, whole: Array) -> Array:
        """The view, of an array that lies in memory as the base does."""
        if self.way is None:
            return region(whole, self.view_shape, self.view_strides, self.offset)
        from ..memory.ways import bare

        with bare():
            return self.view_of(result(whole))._a

    def put(self, whole: Array, value: Any) -> None:
        """Write to the view, of an array that lies in memory as the base does."""
        if self.way is None:
            region(whole, self.view_shape, self.view_strides, self.offset)[...] = value
            return
        from ..memory.ways import bare

        with bare():
            self.view_of(result(whole)).copy_(result(np.asarray(value)))

    def run(self, g: Any, edges: tuple[Any, ...]) -> Any:
        fn = self.written()
        whole = strided_copy(g, self.base_strides)
        part = self.part_of(whole)
        inner, *others = fn.run(np.array(part), (fn.edges[0], *edges[1:]))
        self.put(whole, 0 if inner is None else _reduced(inner, part.shape))
        return (whole if edges[0] is not None else None, *others)

    def run_graph(self, g: Any, edges: tuple[Any, ...]) -> Any:
        from ..ops.make import converting
        fn = self.written()
        whole: Any = scratch(strided_copy(g._a, self.base_strides))
        whole.copy_(g)
        part = self.view_of(whole)
        inner, *others = fn.run_graph(converting.clone(part), (fn.edges[0], *edges[1:]))
        if inner is None:
            part.zero_()
        else:
            part.copy_(inner)
        return (whole if edges[0] is not None else None, *others)


class _OfComplex(CopySlices):
    """The same of a write for complex tensors: what is for a real one is the real part of its gradient."""

    __slots__ = ()
    for_complex = True


# It is no other node to anybody.
_OfComplex.__name__ = _OfComplex.__qualname__ = CopySlices.__name__


def _reduced(a: Array, shape: tuple[int, ...]) -> Array:
    if a.shape == shape:
        return a
    from ..ops.reduce.sums import sum_to

    return sum_to(a, shape)


def strided_copy(g: Array, strides: tuple[int, ...]) -> Any:
    """A copy of ``g`` laid out in memory with these strides, in elements."""
    span = 1 + builtins.sum((n - 1) * s for n, s in zip(g.shape, strides, strict=True)) if g.size else 0
    memory = zeros_of(span, g.dtype)
    whole = region(memory, g.shape, strides, 0)
    whole[...] = g
    return whole


def region(a: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Any:
    """The part of an array's memory with this shape and these strides, in elements from its start."""
    if 0 in shape:
        return zeros_of(shape, a.dtype)
    size = a.itemsize
    memory = memory_of(a) if type(a) is Brain else a if a.base is None else a.base
    return array_in(memory, a.dtype, shape, offset * size, tuple(s * size for s in strides))
