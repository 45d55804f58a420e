"""torch.masked: reductions and normalisations of the elements that a mask leaves in."""

from __future__ import annotations

from typing import Any

from .engine.dtypes import bool_, dtype as Dtype, get_default_dtype, int64
from .engine.modes import no_grad
from .engine.offers import find
from .engine.tensor import Tensor
from .errors import EngineError, EngineNotImplementedError, EngineTypeError, EngineValueError


def _op(name: str) -> Any:
    """A function of torch, read when it is first needed."""
    return find("torch", name)


def _held(name: str, input: Any, dtype: Any, argument: str = "input") -> Any:
    """The input, in the element type that is asked for."""
    if not isinstance(input, Tensor):
        raise EngineTypeError(f"{name}(): argument '{argument}' must be Tensor, not {type(input).__name__}")
    return input if dtype is None else input.to(dtype)


def _least(name: str, t: Any) -> Any:
    """The least number of the element type of a tensor."""
    return -float("inf") if t.is_floating_point() else _info(name, t).min


def _largest(name: str, t: Any) -> Any:
    """The largest number of the element type of a tensor."""
    return float("inf") if t.is_floating_point() else _info(name, t).max


def _info(name: str, t: Any) -> Any:
    if t.dtype is bool_:
        raise EngineNotImplementedError(f"identity of {name} on {t.dtype} input")
    return _op("iinfo")(t.dtype)


def _checked(name: str, input: Any, mask: Any) -> Any:
    """The mask in the shape of the input, all true where there is none."""
    if mask is None:
        return None
    if not isinstance(mask, Tensor):
        raise EngineTypeError(f"{name}(): argument 'mask' must be Tensor, not {type(mask).__name__}")
    if mask.ndim > input.ndim:
        raise EngineValueError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
        )
    if mask.shape == input.shape:
        return mask.to(bool_)
    # What an op keeps of a mask of another shape is a copy: who writes to the mask later on does not change it.
    return mask.clone().expand(input.shape).to(bool_)


def _filled(name: str, input: Any, mask: Any, value: Any) -> Any:
    """The input with a value, or what a function of the input says, where the mask leaves elements out."""
    wanted = _checked(name, input, mask)
    if wanted is None:
        return input
    if callable(value):
        value = value(name, input)
    return _op("where")(wanted, input, _op("full")((), value, dtype=input.dtype))


def _axes(input: Any, dim: Any) -> tuple[int, ...]:
    """The axes that are meant, each once and from the front."""
    n = input.ndim
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(n))
    found: list[int] = []
    if not isinstance(dim, (int, tuple, list)) or not all(isinstance(d, int) for d in _tuple(dim)):
        raise EngineTypeError(f"dim must be int or tuple of ints, not {type(dim).__name__}")
    for d in _tuple(dim):
        if not -max(n, 1) <= d < max(n, 1):
            raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})")
        place = d % n if n else 0
        if place in found:
            raise EngineError(f"dim={d} appears multiple times in the list of dims")
        found.append(place)
    return tuple(sorted(found))


def _tuple(dim: Any) -> tuple[Any, ...]:
    return (dim,) if isinstance(dim, int) else tuple(dim)


def _one_by_one(function: str, filled: Any, input: Any, dim: Any, keepdim: bool, **options: Any) -> Any:
    """A reduction of one axis at a time."""
    for d in reversed(_axes(input, dim)):
        filled = _op(function)(filled, d, keepdim, **options)
    return filled


def sum(
    input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The sum of what the mask leaves in."""
    filled = _filled("sum", _held("sum", input, dtype), mask, 0)
    return _op("sum")(filled, _axes(input, dim), keepdim, dtype=dtype)


def prod(
    input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The product of what the mask leaves in."""
    if dtype is None and isinstance(input, Tensor) and input._a.dtype.kind in "biu":
        dtype = int64
    filled = _filled("prod", _held("prod", input, dtype), mask, 1)
    return _one_by_one("prod", filled, input, dim, keepdim, dtype=dtype)


def amax(
    input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The largest of what the mask leaves in."""
    held = _held("amax", input, dtype)
    return _op("amax")(_filled("amax", held, mask, _least), _axes(input, dim), keepdim)


def amin(
    input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The least of what the mask leaves in."""
    held = _held("amin", input, dtype)
    return _op("amin")(_filled("amin", held, mask, _largest), _axes(input, dim), keepdim)


def argmax(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The place of the largest of what the mask leaves in."""
    held = _held("argmax", input, dtype)
    return _op("argmax")(_filled("argmax", held, mask, _least), dim, keepdim).to(held.dtype)


def argmin(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The place of the least of what the mask leaves in."""
    held = _held("argmin", input, dtype)
    return _op("argmin")(_filled("argmin", held, mask, _largest), dim, keepdim).to(held.dtype)


def _count(input: Any, dim: Any, keepdim: bool, mask: Any) -> Any:
    """The number of elements that the mask leaves in."""
    with no_grad():
        return sum(_op("ones_like")(input.detach()), dim, keepdim=keepdim, mask=mask)


def mean(
    input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The mean of what the mask leaves in."""
    held = _held("mean", input, dtype)
    if not (held.is_floating_point() or held.is_complex()):
        raise EngineValueError(
            "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            f"{held.dtype}"
        )
    return sum(held, dim, keepdim=keepdim, mask=mask) / _count(held, dim, keepdim, mask)


def median(
    input: Any, dim: int = -1, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The median of what the mask leaves in."""
    # PyTorch goes on in the element type of the input.
    del dtype
    input = _held("median", input, None)
    kind = input.dtype
    if kind.is_complex:
        raise EngineTypeError("expected floating point dtype for input")
    if kind.is_floating_point:
        return _op("nanmedian")(_filled("median", input, mask, float("nan")), dim, keepdim)[0]
    found = _op("nanmedian")(_filled("median", input.float(), mask, float("nan")), dim, keepdim)[0]
    if found.isnan().any():
        raise EngineValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return found.to(kind)


def norm(
    input: Any, ord: Any = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The norm of what the mask leaves in."""
    held = _held("norm", input, dtype)
    filled = _filled("norm", held, mask, float("inf") if isinstance(ord, (int, float)) and ord < 0 else 0)
    return find("linalg", "vector_norm")(filled, ord, _axes(input, dim), keepdim)


def _spread(
    input: Any, dim: Any, unbiased: bool | None, correction: Any, keepdim: bool, dtype: Any, mask: Any, root: bool
) -> Any:
    """The variance of what the mask leaves in, or its root."""
    if unbiased is not None and correction is not None:
        raise EngineValueError("Only one of unbiased and correction may be given")
    less = correction if correction is not None else 0.0 if unbiased is False else 1.0
    held = _held("std" if root else "var", input, dtype)
    wide = None if held.is_floating_point() or held.is_complex() else get_default_dtype()
    count = _count(held if wide is None else held.to(wide), dim, True, mask)
    apart = held - sum(held, dim, keepdim=True, dtype=wide, mask=mask) / count
    square = apart * apart.conj() if apart.is_complex() else apart * apart
    total = sum(square, dim, keepdim=keepdim, mask=mask)
    divisor = (count.real if count.is_complex() else count).reshape(total.shape)
    if less:
        divisor = (divisor - less).clamp(min=0)
    found = total / divisor
    return found.sqrt() if root else found


def var(
    input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None, keepdim: bool = False,
    dtype: Dtype | None = None, mask: Any = None,
) -> Any:  # fmt: skip
    """The variance of what the mask leaves in."""
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask, False)


def std(
    input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None, keepdim: bool = False,
    dtype: Dtype | None = None, mask: Any = None,
) -> Any:  # fmt: skip
    """The standard deviation of what the mask leaves in."""
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask, True)


def cumsum(input: Any, dim: int, *, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """The sums so far of what the mask leaves in."""
    held = _held("cumsum", input, dtype)
    return _op("cumsum")(_filled("cumsum", held, mask, 0), dim, dtype=held.dtype)


def cumprod(input: Any, dim: int, *, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """The products so far of what the mask leaves in."""
    held = _held("cumprod", input, dtype)
    return _op("cumprod")(_filled("cumprod", held, mask, 1), dim, dtype=held.dtype)


def softmax(input: Any, dim: int, *, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Shares in proportion to the exponentials of what the mask leaves in."""
    held = _held("softmax", input, dtype)
    return find("F", "softmax")(_filled("amax", held, mask, _least), dim)


def log_softmax(input: Any, dim: int, *, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """The logarithms of such shares."""
    held = _held("log_softmax", input, dtype)
    return find("F", "log_softmax")(_filled("amax", held, mask, _least), dim)


def softmin(input: Any, dim: int, *, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Shares in proportion to the exponentials of the negative of what the mask leaves in."""
    held = _held("softmin", input, dtype)
    return find("F", "softmin")(_filled("amin", held, mask, _largest), dim)


def normalize(
    input: Any, ord: Any, dim: int, *, eps: float = 1e-12, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The elements that the mask leaves in, divided by their norm."""
    held = _held("normalize", input, dtype)
    length = norm(held, ord, dim, keepdim=True, mask=mask)
    length = _op("maximum")(length, _op("full")((), eps, dtype=length.dtype))
    return _filled("normalize", held, mask, 0) / length


def logsumexp(
    input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The logarithm of the sum of the exponentials of what the mask leaves in."""
    held = _held("logsumexp", input, dtype)
    least = -float("inf") if held.is_complex() else _least
    found = _op("logsumexp")(_filled("logsumexp", held, mask, least), _axes(input, dim), keepdim)
    return found.to(held.dtype)


def logaddexp(
    input: Any, other: Any, *, dtype: Dtype | None = None, input_mask: Any = None, other_mask: Any = None
) -> Any:
    """The logarithm of the sum of the exponentials of two tensors, of what their masks leave in."""
    one, two = _held("logaddexp", input, dtype), _held("logaddexp", other, dtype, "other")
    return _op("logaddexp")(
        _filled("logaddexp", one, input_mask, _least), _filled("logaddexp", two, other_mask, _least)
    )
