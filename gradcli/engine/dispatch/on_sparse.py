"""Functions of sparse tensors: those that have a form for them, and a refusal in PyTorch's words of all others.

Calls know nothing of it: the first sparse tensor has users' functions dressed (see overriding.py). Nothing that does
not know of sparse tensors is given one, so that nothing makes an ordinary tensor of it unsaid.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, NoReturn

from ...errors import EngineError, Unsupported
from .. import ops
from ..modes import recording
from ..numeric.sparse import Sparse, coalesced, is_sparse, kept_where, made_of
from ..tensor import Tensor, result
from .on_meta import tensors_in

# What tells of a tensor, or knows of its entries itself.
_KNOWING = frozenset(
    "coalesce const_data_ptr cpu data_ptr dense_dim detach dim element_size get_device indices is_coalesced "
    "is_complex is_conj is_contiguous is_floating_point is_inference is_neg is_same_size is_signed is_tensor "
    "isinstance nelement ndimension new_tensor numel numpy backward register_hook retain_grad requires_grad_ "
    "result_type size smm sparse_coo_tensor sparse_dim sparse_mask sparse_resize_ sspaddmm storage_offset stride "
    "to_dense to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr type values "
    "_indices _nnz _values _coalesced_ is_pinned __len__ __repr__ __format__ __hash__ __deepcopy__ "
    "register_post_accumulate_grad_hook as_subclass has_torch_function tensor as_tensor asarray zero_ "
    "resize_as_ item".split()
)
# What PyTorch has a form of where a sparse tensor is the first of the operands, or any.
_KEEPING = frozenset(
    "add adjoint bfloat16 bool byte char clone conj copy detach div divide double float float_power floor_divide "
    "half int long mul multiply neg negative permute positive pow real resolve_conj resolve_neg short square sub "
    "subtract swapaxes swapdims t to transpose true_divide type_as movedim moveaxis abs absolute".split()
)
# What is computed of the entries alone, each place taken once.
_OF_ENTRIES = frozenset(
    "arcsin arcsinh arctan arctanh asin asinh atan atanh ceil deg2rad erf erfinv expm1 fix floor frac isinf isnan "
    "isneginf isposinf log1p nan_to_num rad2deg relu round sgn sign signbit sin sinh sqrt tan tanh trunc abs "
    "absolute conj_physical".split()
)
# What is computed as of any tensor: of the former, what has a rule that PyTorch computes, too.
_COMPUTED = _KEEPING | frozenset("ceil deg2rad floor frac rad2deg round trunc".split())
# What PyTorch's own words call by another name.
_SAME = {
    "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh", "fix": "trunc", "absolute": "abs",
}  # fmt: skip
_PRODUCTS = frozenset("mm matmul spmm dsmm mv hspmm bmm addmm".split())
# What writes its values where they were: all else takes those of its result.
_WHERE_IT_WAS = frozenset("mul multiply div divide true_divide neg negative".split())
_SCALED = frozenset(("mul", "multiply"))
_ADDING = frozenset("add sub subtract".split())
# Functions of which a form is known by the same name alone.
_ELSEWHERE = {("linalg", "norm"): "linalg_vector_norm", ("special", "round"): "round.decimals"}
_DIVIDING = dict.fromkeys(("div", "divide", "true_divide"), "division") | {"floor_divide": "floor division"}
_OPERATORS = {"__getitem__": "index", "__matmul__": "matmul", "__truediv__": "div", "__floordiv__": "floor_divide"}


def among(values: Any) -> bool:
    """Tell whether there are sparse tensors among some values."""
    return any(is_sparse(x._a) for x in tensors_in(values))


def called(place: str, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function that is given sparse tensors."""
    base = _plain_name(name)
    if (place, base) in _ELSEWHERE:
        raise ops.sparse_forms.without_kernel(_ELSEWHERE[place, base])
    if place == "sparse" or base in _KNOWING:
        return function(*args, **kwargs)
    writes, first = base.endswith("_"), base.removesuffix("_")
    tensors = list(tensors_in((args, kwargs)))
    _refuse_operands(first, writes, tensors, args)
    form = None if writes else ops.sparse_forms.FORMS.get(first)
    if form is not None:
        return form(*args, **kwargs)
    if _is_of_all(first, args, kwargs) or (base == "linear" and args and args[0]._a.ndim == 2):
        return function(*args, **kwargs)
    if first == "sum":
        return _sum(*args, **kwargs)
    if first in _PRODUCTS and not writes:
        return _product(function, first, args, kwargs)
    if first in _OF_ENTRIES:
        if not recording() or not any(x.requires_grad for x in tensors):
            return _of_entries(function, first, writes, args, kwargs)
        if first in ops.sparse_reductions.BENT and not writes:
            return ops.sparse_reductions.BENT[first](args[0])
        if first not in _COMPUTED:
            raise _unsupported(first, " that requires a gradient")
    elif first in _ADDING and all(is_sparse(x._a) for x in tensors[:2]) and "alpha" in kwargs:
        kwargs = dict(kwargs)
        args = (args[0], args[1] * kwargs.pop("alpha"), *args[2:])
    if first not in _COMPUTED:
        _refuse(base, args)
    if _is_rounded(first, kwargs):
        return _rounded(function, writes, args, kwargs)
    into: Any = args[0]._a if writes and first in _WHERE_IT_WAS and is_sparse(args[0]._a) else None
    values = None if into is None else into.values
    try:
        found = function(*args, **kwargs)
    except TypeError as error:
        # NumPy's: it was handed what it has no form of.
        raise _unsupported(first) from error
    if values is not None:
        kept_where(values, into)
        if first in _SCALED and not (isinstance(args[1], Tensor) and is_sparse(args[1]._a)):
            # The order is not known any more to PyTorch, though nothing moved.
            into.coalesced = into.values.shape[0] < 2
    if isinstance(found, Tensor) and not is_sparse(found._a) and is_sparse(tensors[0]._a):
        raise _unsupported(first)
    return found


def _is_of_all(name: str, args: Any, kwargs: Any) -> bool:
    """Tell whether a number is asked for that all entries make together."""
    if name == "norm":
        return not kwargs and (len(args) == 1 or (len(args) == 2 and args[1] in (2, "fro")))
    return name == "sum" and len(args) + len(kwargs) == 1


def _plain_name(name: str) -> str:
    """The name of what an operator computes; of a function, its own."""
    if not name.startswith("__"):
        return name
    if name in _OPERATORS:
        return _OPERATORS[name]
    inner = name.strip("_")
    if inner in ("iadd", "isub", "imul", "ipow"):
        return inner[1:] + "_"
    if inner == "itruediv":
        return "div_"
    return inner[1:] if inner in ("radd", "rmul", "rmatmul") else inner if inner in _KEEPING else name


def _refuse_operands(name: str, writes: bool, tensors: list[Tensor], args: Any) -> None:
    """Refuse operands that a function has no form for, though it has one for others."""
    here = [is_sparse(x._a) for x in tensors]
    if name in _ADDING:
        _refuse_unlike(tensors)
    elif name in _DIVIDING:
        divisor = args[1] if len(args) > 1 else tensors[-1]
        if isinstance(divisor, Tensor) and divisor._a.ndim:
            raise EngineError(
                f"Sparse {_DIVIDING[name]} requires a scalar or zero-dim dense tensor divisor (got shape "
                f"{list(divisor._a.shape)} for divisor)"
            )
    elif name in ("pow", "float_power") and (writes or len(tensors) > 1):
        _refuse("pow_" if writes else "pow", args)
    elif name in ("pow", "float_power") and args[-1] == 0:
        raise EngineError(
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense"
        )
    elif name == "square" and writes:
        _refuse("square_", args)
    elif name in ("copy", "type_as") and here != [True, True]:
        raise _unsupported(name + "_" * writes, " and a dense one")
    elif name in ("addmm", "sspaddmm") and (writes or here[:3] != [False, True, False]):
        raise _unsupported(name + "_" * writes, " in this place")


def _refuse_unlike(tensors: list[Tensor]) -> None:
    """Refuse to add what is dense to what is sparse, and sparse tensors of other sizes."""
    sparse = [is_sparse(x._a) for x in tensors[:2]]
    if len(sparse) == 1 or (sparse[0] and not sparse[-1]):
        raise EngineError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    shapes = [list(x._a.shape) for x in tensors[:2]]
    if shapes[0] != shapes[1]:
        raise EngineError(
            "add: expected 'self' and 'other' to have same size, but self has size "
            f"{shapes[0]} while other has size {shapes[1]} (FYI: dense-sparse addition does not currently support "
            "broadcasting)"
            if not all(sparse)
            else f"add: expected sizes of 'self' and 'other' to match, but {shapes[0]} != {shapes[1]}"
        )


def _sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sums along axes; those that are gone cannot be kept."""
    if keepdim or not is_sparse(input._a):
        raise _unsupported("sum", " whose axes are kept")
    return ops.sparse_reductions.sum_along(input, dim, dtype)


def _product(function: Callable[..., Any], name: str, args: Any, kwargs: Any) -> Any:
    """A product of matrices, which is sparse if both are."""
    if all(isinstance(x, Tensor) and is_sparse(x._a) for x in args[:2]) and len(args) == 2:
        if name == "bmm" or any(x._a.ndim != 2 for x in args):
            raise _unsupported(name)
        return ops.sparse.sparse_mm(*args)
    rank = 3 if name == "bmm" else 2
    if any(is_sparse(x._a) and x._a.ndim != rank for x in tensors_in((args, kwargs))):
        raise _unsupported(name)
    return function(*args, **kwargs)


def _of_entries(function: Callable[..., Any], name: str, writes: bool, args: Any, kwargs: Any) -> Any:
    """A function of each number that is zero where that is, computed of the entries."""
    self, a = args[0], args[0]._a
    if not is_sparse(a):
        raise _unsupported(name)
    if writes:
        if not a.coalesced and name != "conj_physical":
            raise EngineError(f"{_SAME.get(name, name)}_ requires coalesced input")
        found = getattr(result(a.values), name)(*args[1:], **kwargs)._a
        if found.dtype.kind == "f" and a.dtype.kind in "biu":
            from ..dtypes import DTYPES

            raise EngineError(
                f"result type {DTYPES[found.dtype].tensor_name} can't be cast to the desired output type "
                f"{DTYPES[a.dtype].tensor_name}"
            )
        return self.copy_(result(made_of(a.places, found, a.shape, a.coalesced)))
    one: Sparse = coalesced(a)
    found = function(result(one.values), *args[1:], **kwargs)._a
    return result(made_of(one.places, found, one.shape, True))


def _is_rounded(name: str, kwargs: Any) -> bool:
    """Tell whether a division is asked for whose quotients are whole numbers."""
    return name == "floor_divide" or (name in _DIVIDING and kwargs.get("rounding_mode") is not None)


def _rounded(function: Callable[..., Any], writes: bool, args: Any, kwargs: Any) -> Any:
    """The rounded quotients of the entries, each place taken once, of which none is left out for being zero."""
    if recording() and any(x.requires_grad for x in tensors_in(args)):
        raise _unsupported("div", " that requires a gradient, rounded")
    one: Sparse = coalesced(args[0]._a)
    values = result(one.values.copy())
    found = function(values, *args[1:], **kwargs)._a
    quotients = result(made_of(one.places, found, one.shape, True))
    return args[0].copy_(quotients) if writes else quotients


def _unsupported(name: str, of: str = "") -> Unsupported:
    return Unsupported(f"{name}() of a sparse tensor{of} is not supported here", help="take its to_dense()")


@functools.cache
def _words() -> dict[str, str]:
    """name -> the op that PyTorch says it cannot run, or else the sentence that it refuses with."""
    found = {}
    with open(os.path.join(os.path.dirname(__file__), "sparse_words.txt"), encoding="utf-8") as file:
        for line in file:
            words, _, names = line.strip().rpartition(": ")
            found.update(dict.fromkeys(names.split(), words))
    return found


def _refuse(name: str, args: Any) -> NoReturn:
    """Refuse as PyTorch does, which has no kernel for sparse tensors, or says what is wrong."""
    words = _words().get(name, name.strip("_") if name.startswith("__") else name)
    if " " in words:
        raise EngineError(words)
    if words.endswith(".Tensor") and len(args) > 1 and not isinstance(args[1], Tensor):
        words = words.removesuffix("Tensor") + "Scalar"
    raise ops.sparse_forms.without_kernel(words)
