"""torch._foreach_add and its like: an op called for each tensor of a list, as optimisers written by hand do it.

Their names are made of those of the ops: no list of them is kept but of what each is given beside the tensors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import EngineNotImplementedError, EngineTypeError
from ..call_errors import fail, no_overload
from ..calls.elementwise import SCALAR_OVERLOADS
from ..graph import LEAF, node_of
from ..offers import find
from ..tensor import Tensor
from ..writes.inplace import renamed, write_with

_HEAD = "_foreach_"
_ALONE = frozenset(
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round "
    "rsqrt sigmoid sign sin sinh sqrt tan tanh trunc".split()
)
_WITH_ANOTHER = frozenset("add sub mul div pow maximum minimum clamp_max clamp_min".split())
_WITH_TWO = frozenset(("addcmul", "addcdiv"))
# What takes one number in the place of a tensor under another name.
_BY_NUMBER = {"maximum": "clamp_min", "minimum": "clamp_max"}
_BY_TENSOR = {by_number: by_tensor for by_tensor, by_number in _BY_NUMBER.items()}


@functools.cache
def foreach(name: str) -> Callable[..., Any] | None:
    """The function torch.NAME, if it is one of these."""
    if not name.startswith(_HEAD):
        return None
    base = name.removeprefix(_HEAD)
    writes = base.endswith("_")
    base = base.removesuffix("_")
    make = _MAKERS.get(base) or _maker(base)
    if make is None or (writes and base in _NEVER_WRITTEN) or (base in _ALWAYS_WRITTEN and not writes):
        return None
    each = make(base, "_" if writes else "")

    parameters = inspect.signature(each)

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            named = parameters.bind(self, *args, **kwargs).arguments
        except TypeError:
            raise no_overload(name, self, *args, *kwargs.values()) from None
        if base == "pow" and not writes and isinstance(self, (int, float, complex)):
            made = [find("torch", "pow")(self, x) for x in _tensors(name, args[0])]
            return tuple([_recorded(x, "PowBackward2") for x in made])
        tensors = _tensors(name, self)
        made = each(tensors, *args, **kwargs)
        if writes:
            return tensors
        end = "" if len(named) == 1 else _kind(base, named)
        return tuple([_recorded(x, _NODES.get((base, end)), end) for x in made])

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Each tensor of a list: {base}."
    return call


# The nodes of these are not numbered as those of the op for one tensor are.
_NODES = {
    ("pow", "ScalarList"): "PowBackward1", ("pow", "List"): "PowBackward0", ("div", "List"): "DivBackward0",
    ("maximum", "Scalar"): "MaximumBackward0", ("maximum", "ScalarList"): "MaximumBackward1",
    ("minimum", "Scalar"): "MinimumBackward0", ("minimum", "ScalarList"): "MinimumBackward1",
    ("norm", "Scalar"): "NormBackward0", ("norm", ""): "NormBackward0",
    ("clamp_max", "List"): "ClampMaxBackward1List", ("clamp_min", "List"): "ClampMinBackward1List",
    ("mm", "List"): "MmBackward0",
}  # fmt: skip


def _kind(base: str, named: dict[str, Any]) -> str:
    """PyTorch's name for the overload that takes these arguments."""
    given = named.get("value", 1) if base in _WITH_TWO else [*named.values()][-1 if base == "lerp" else 1]
    if isinstance(given, (list, tuple)):
        return "List" if given and isinstance(given[0], Tensor) else "ScalarList"
    return "Tensor" if isinstance(given, Tensor) and base in ("mul", "div") else "Scalar"


def _recorded(x: Any, node: str | None, end: str = "") -> Any:
    """A result, whose node is called as PyTorch calls that of a list."""
    fn = None if x._node is None else node_of(x._node)
    if fn is not None and fn.kind != LEAF:
        fn.__class__ = renamed(type(fn), "Foreach" + (node or fn.name() + end))
    return x


def _maker(base: str) -> Any:
    if base in _ALONE:
        return _alone
    if base in _WITH_ANOTHER:
        return _with_another
    return _with_two if base in _WITH_TWO else None


def _op(base: str, end: str) -> Any:
    return find("Tensor", base + end)


def _tensors(name: str, given: Any) -> list[Tensor]:
    """The tensors of a list that has some."""
    if not isinstance(given, (list, tuple)):
        raise no_overload(name, given)
    if not given:
        fail("Tensor list must have at least one tensor.")
    for i, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise EngineTypeError(f"expected Tensor as element {i} in argument 0, but got {type(x).__name__}")
    return list(given)


def _along(self: Sequence[Tensor], given: Any) -> list[Any]:
    """For each tensor what goes with it: one of a list, or what all share."""
    if isinstance(given, Tensor):
        if given.ndim:
            fail(
                f"scalar tensor expected to be 0 dim but it has {given.ndim} dimensions and {given.numel()} elements."
            )
        return [given] * len(self)
    if not isinstance(given, (list, tuple)):
        return [given] * len(self)
    if len(given) != len(self):
        if given and isinstance(given[0], Tensor):
            fail(f"Tensor lists must have the same number of tensors, got {len(self)} and {len(given)}")
        fail("Tensor list must have same number of elements as scalar list.")
    return list(given)


def _alone(base: str, end: str) -> Any:
    op = _op(base, end)
    return lambda self: [op(x) for x in self]


def _with_another(base: str, end: str) -> Any:
    def each(self: list[Tensor], other: Any, *, alpha: Any = 1) -> list[Any]:
        return [one(x, y, alpha) for x, y in zip(self, _along(self, other), strict=True)]

    def one(x: Tensor, y: Any, alpha: Any) -> Any:
        if isinstance(y, Tensor) and not y.ndim and base not in ("mul", "div"):
            y = y.item()
        called = (_BY_TENSOR if isinstance(y, Tensor) else _BY_NUMBER).get(base, base)
        if end and called in _BY_NUMBER:
            return write_with(_op(called, ""), x, (y,), {})
        op = _op(called, end)
        by_number = SCALAR_OVERLOADS.get(base)
        if by_number is not None and x._a.dtype.kind in "fc" and type(y) in (int, float):
            return write_with(by_number, x, (y * alpha,), {}) if end else by_number(x, y * alpha)
        return op(x, y) if alpha == 1 else op(x, y, alpha=alpha)

    return each


def _with_two(base: str, end: str) -> Any:
    op = _op(base, end)

    def each(self: list[Tensor], tensor1: Any, tensor2: Any, value: Any = 1) -> list[Any]:
        values = [v.item() for v in value] if isinstance(value, Tensor) and value.ndim else _along(self, value)
        for others in (tensor1, tensor2):
            if len(others) != len(self):
                fail(f"Tensor lists must have the same number of tensors, got {len(self)} and {len(others)}")
        return [op(x, t1, t2, value=v) for x, t1, t2, v in zip(self, tensor1, tensor2, values, strict=True)]

    return each


def _lerp(base: str, end: str) -> Any:
    op = _op("lerp", end)

    def each(self: list[Tensor], tensors1: Any, weight: Any) -> list[Any]:
        along = zip(self, _along(self, tensors1), _along(self, weight), strict=True)
        return [op(x, y, w) for x, y, w in along]

    return each


def _norm(base: str, end: str) -> Any:
    op = find("linalg", "vector_norm")
    return lambda self, ord=2, dtype=None: [op(x, ord, dtype=dtype) for x in self]


def _powsum(base: str, end: str) -> Any:
    def one(x: Tensor, ord: Any, dtype: Any) -> Any:
        if x._a.dtype.kind not in "fc":
            raise EngineNotImplementedError(f"\"powsum_cpu\" not implemented for '{x.dtype.tensor_name}'")
        return find("torch", "sum")(_op("pow", "")(_op("abs", "")(x), ord), dtype=dtype)

    return lambda self, ord=2, dtype=None: [one(x, ord, dtype) for x in self]


def _mm(base: str, end: str) -> Any:
    def each(self: list[Tensor], mat2: Any) -> list[Any]:
        if len(self) != len(mat2):
            fail("_foreach_mm: self and mat2 must have the same number of tensors")
        return [_op("mm", "")(x, y) for x, y in zip(self, mat2, strict=True)]

    return each


def _max(base: str, end: str) -> Any:
    return lambda self: [_op("max", "")(x) for x in self]


def _zero(base: str, end: str) -> Any:
    return lambda self: [x.zero_() for x in self]


def _clone(base: str, end: str) -> Any:
    return lambda self: [_op("clone", "")(x) for x in self]


def _copy(base: str, end: str) -> Any:
    def each(self: list[Tensor], src: Any, non_blocking: bool = False) -> list[Any]:
        return [x.copy_(y) for x, y in zip(self, _along(self, src), strict=True)]

    return each


_MAKERS: dict[str, Any] = {
    "lerp": _lerp, "norm": _norm, "max": _max, "zero": _zero, "copy": _copy, "clone": _clone,
    "mm": _mm, "powsum": _powsum,
}  # fmt: skip
_NEVER_WRITTEN = {"norm", "max", "clone", "mm", "powsum"}
_ALWAYS_WRITTEN = {"zero", "copy"}
