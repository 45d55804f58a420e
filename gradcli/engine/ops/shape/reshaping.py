"""Other forms of a tensor: what users call, made of the views in shape.py."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any

from ....errors import EngineIndexError, EngineTypeError, EngineValueError
from ... import ops
from ...call_errors import broadcast_problem, fail, no_overload
from ...costs import ALWAYS, costs
from ...dtypes import dtype
from ...registry import composite, public
from ...tensor import Tensor, Value
from ..common import axis


def sizes(name: str, argument: str, given: tuple[Any, ...]) -> tuple[int, ...]:
    """Integers given one by one or as one sequence."""
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = given[0] if type(given[0]) is tuple else tuple(given[0])
    for i, n in enumerate(given):
        if type(n) is not int:
            return _converted(name, argument, given, i)
    return given


def _converted(name: str, argument: str, given: tuple[Any, ...], i: int) -> tuple[int, ...]:
    try:
        return tuple(operator.index(n) for n in given)
    except TypeError:
        if len(given) == 1:
            kind = type(given[0]).__name__
            raise EngineTypeError(
                f"{name}(): argument '{argument}' (position 1) must be tuple of ints, not {kind}"
            ) from None
        raise EngineTypeError(
            f"{name}(): argument '{argument}' (position 1) must be tuple of ints, but found element of type "
            f"{type(given[i]).__name__} at pos {i}"
        ) from None


@public("Tensor.view")
def view(input: Tensor, *size: Any, **named: Any) -> Value:
    """The same memory in another shape."""
    if named:
        size = one("view", "dtype" if "dtype" in named else "size", size, named)
    if len(size) == 1 and isinstance(size[0], dtype):
        if size[0] == input.dtype:
            # As PyTorch: the same memory and the same count of writes, apart from the graph.
            return input.detach()
        from ...memory.relocating import viewed_as

        return viewed_as(input, size[0])
    if not size or any(isinstance(n, (str, float)) for n in size) or (len(size) > 1 and isinstance(size[0], tuple)):
        kinds = ", ".join(type(n).__name__ for n in size)
        raise EngineTypeError(
            f"view() received an invalid combination of arguments - got ({kinds}), but expected one of:\n"
            " * (torch.dtype dtype)\n * (tuple of ints size)\n"
        )
    return ops.views.view(input, sizes("view", "size", size))


def one(name: str, argument: str, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The one argument, which may be given by name."""
    for k, v in named.items():
        if k != argument:
            raise EngineTypeError(f"{name}() got an unexpected keyword argument '{k}'")
        if given:
            raise EngineTypeError(f"{name}() got multiple values for argument '{argument}'")
        given = (v,)
    if not given:
        raise EngineTypeError(f'{name}() missing 1 required positional arguments: "{argument}"')
    return given


@public("Tensor.reshape")
def reshape_method(input: Tensor, *shape: Any, **named: Any) -> Value:
    """The same elements in another shape: a view if there is one, else a copy."""
    return ops.views.reshape(input, sizes("reshape", "shape", one("reshape", "shape", shape, named)))


@public("torch")
@composite
def reshape(input: Value, shape: Any) -> Value:
    """The same elements in another shape: a view if there is one, else a copy."""
    if not isinstance(shape, (tuple, list)):
        raise EngineTypeError(
            f"reshape(): argument 'shape' (position 2) must be tuple of ints, not {type(shape).__name__}"
        )
    return ops.views.reshape(input, sizes("reshape", "shape", (shape,)))


@public("Tensor")
@composite
def view_as(input: Value, other: Value) -> Value:
    """The same memory in the shape of another tensor."""
    return ops.views.view(input, tuple(other.shape))


@public("Tensor")
@composite
def reshape_as(input: Value, other: Value) -> Value:
    """The same elements in the shape of another tensor."""
    return ops.views.reshape(input, tuple(other.shape))


@public("Tensor.expand")
@costs("arranging.expanded")
def expand(input: Tensor, *size: Any, **named: Any) -> Value:
    """The same elements, repeated along new or length-1 axes without a copy."""
    named.pop("implicit", None)
    return ops.views.expand(input, sizes("expand", "size", one("expand", "size", size, named)))


@public("Tensor")
@composite
def expand_as(input: Value, other: Value) -> Value:
    """The same elements, repeated to the shape of another tensor."""
    return ops.views.expand(input, tuple(other.shape))


@public("Tensor.broadcast_to")
@costs("arranging.expanded")
def broadcast_to_method(input: Tensor, *size: Any, **named: Any) -> Value:
    """The same elements, repeated to a shape."""
    return ops.views.expand(input, sizes("broadcast_to", "size", one("broadcast_to", "size", size, named)))


@public("torch")
@costs("arranging.broadcast_to")
@composite
def broadcast_to(input: Value, size: Any) -> Value:
    """The same elements, repeated to a shape."""
    return ops.views.expand(input, sizes("broadcast_to", "size", (size,)))


def broadcast_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that shapes broadcast to, or PyTorch's error."""
    out: tuple[int, ...] = ()
    for s in shapes:
        problem = broadcast_problem(out, s)
        if problem is not None:
            raise problem
        rank = max(len(out), len(s))
        a, b = (1,) * (rank - len(out)) + out, (1,) * (rank - len(s)) + s
        out = tuple([m if n == 1 else n for n, m in zip(a, b, strict=True)])
    return out


@public("torch")
@costs("arranging.broadcast_tensors", careful=ALWAYS)
@composite
def broadcast_tensors(*tensors: Any) -> tuple[Value, ...]:
    """Each tensor, repeated to the shape that all of them broadcast to."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    out = broadcast_shape(*[tuple(t.shape) for t in tensors])
    return tuple([t if tuple(t.shape) == out else ops.views.expand(t, out) for t in tensors])


@public("torch")
@composite
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that shapes broadcast to."""
    from ...tensor import Size

    out: tuple[int, ...] = ()
    for i, given in enumerate(shapes):
        s = (given,) if isinstance(given, int) else tuple(given)
        if min(s, default=0) < 0:
            raise EngineValueError("Attempting to broadcast a dimension with negative length!")
        for k in range(1, min(len(s), len(out)) + 1):
            if s[-k] != out[-k] and s[-k] != 1 and out[-k] != 1:
                said = s if isinstance(given, int) else given
                fail(
                    f"Attempting to broadcast a dimension of length {s[-k]} at {-k}! Mismatching argument at index "
                    f"{i} had {said}; but expected shape should be broadcastable to {list(out)}"
                )
        out = broadcast_shape(out, s)
    return Size(out)


@public("Tensor.permute")
def permute_method(input: Tensor, *dims: Any, **named: Any) -> Value:
    """The same elements with the axes in another order."""
    return ops.views.permute(input, sizes("permute", "dims", one("permute", "dims", dims, named)))


@public("torch.permute")
def permute(input: Value, dims: Any) -> Value:
    """The same elements with the axes in another order."""
    return ops.views.permute(input, sizes("permute", "dims", (dims,)))


def _t(input: Tensor) -> Value:
    """The axes in reverse order."""
    n = input._a.ndim
    if n == 2:
        return ops.views.permute(input, (1, 0))
    if n == 0:
        _warn("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    else:
        _warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
            "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
        )
    return ops.views.permute(input, tuple(range(n - 1, -1, -1)))


def _warn(message: str) -> None:
    """A warning for who reads a property."""
    warnings.warn(message, UserWarning, stacklevel=3)


def _mt(input: Tensor) -> Value:
    """The last two axes exchanged."""
    return _last_two(input, "mT", "This function is the identity in these cases.")


def _mh(input: Tensor) -> Value:
    """The last two axes exchanged, and the conjugate of that."""
    return ops.converting.conj(_last_two(input, "mH", "Consider using x.conj()."))


def _last_two(input: Tensor, name: str, instead: str) -> Value:
    if input.ndim == 0:
        _warn(f"Tensor.{name} is deprecated on 0-D tensors. {instead}")
        return input
    if input.ndim == 1:
        fail(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return ops.views.transpose(input, -2, -1)


def _h(input: Tensor) -> Value:
    """The transpose of a matrix, and the conjugate of that."""
    if input.ndim == 0:
        _warn("Tensor.H is deprecated on 0-D tensors. Consider using x.conj().")
        return ops.converting.conj(input)
    if input.ndim != 2:
        words = f"tensor.H is only supported on matrices (2-D tensors). Got {input.ndim}-D tensor." + (
            " For batches of matrices, consider using tensor.mH" if input.ndim > 2 else ""
        )
        fail(words)
    return ops.converting.conj(ops.views.transpose(input, -2, -1))


public("Tensor.T")(property(_t))
public("Tensor.mT")(property(_mt))
public("Tensor.mH")(property(_mh))
public("Tensor.H")(property(_h))


@public("torch Tensor")
@composite
def swapaxes(input: Value, axis0: int, axis1: int) -> Value:
    """The same elements with two axes exchanged."""
    return ops.views.transpose(input, axis0, axis1)


@public("torch Tensor")
@composite
def adjoint(input: Value) -> Value:
    """The last two axes exchanged, and the conjugate of that."""
    if input.ndim == 1:
        fail("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if input.ndim == 0:
        _warn("adjoint() is deprecated on 0-D tensors. Consider using x.conj().")
        return ops.converting.conj(input)
    return ops.converting.conj(ops.views.transpose(input, -2, -1))


@public("torch Tensor torch.moveaxis Tensor.moveaxis")
@composite
def movedim(input: Value, source: Any, destination: Any) -> Value:
    """The same elements with some axes moved to other places."""
    given = (source,) if isinstance(source, int) else tuple(source)
    goal = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(given) != len(goal):
        fail(
            f"movedim: Invalid source or destination dims: source ({list(given)} dims) should contain the same "
            f"number of dims as destination ({list(goal)} dims)"
        )
    n = input.ndim
    start = [axis(d, n) for d in given]
    end = [axis(d, n) for d in goal]
    for name, dims, shown in (("source", start, given), ("destination", end, goal)):
        if len(set(dims)) != len(dims):
            fail(f"movedim: repeated dim in `{name}` ({list(shown)})")
    if n == 0:
        return ops.views.alias(input)
    order = [-1] * n
    for s, d in zip(start, end, strict=True):
        order[d] = s
    rest = iter([d for d in range(n) if d not in start])
    return ops.views.permute(input, tuple([next(rest) if d < 0 else d for d in order]))


@public("torch Tensor")
@composite
def flatten(input: Value, start_dim: int = 0, end_dim: int = -1) -> Value:
    """A range of axes as one axis."""
    size = tuple(input.shape)
    n = len(size)
    first, last = axis(start_dim, n), axis(end_dim, n)
    if first > last:
        fail("flatten() has invalid args: start_dim cannot come after end_dim")
    if n == 0:
        return ops.views.reshape(input, (1,))
    if first == last:
        return input
    return ops.views.reshape(input, (*size[:first], math.prod(size[first : last + 1]), *size[last + 1 :]))


@public("torch Tensor")
@composite
def ravel(input: Value) -> Value:
    """All elements as one axis."""
    return ops.views.view(ops.converting.contiguous(input), (-1,))


@public("torch Tensor")
@composite
def unflatten(input: Value, dim: int, sizes: Any) -> Value:
    """One axis as several."""
    have = tuple(input.shape)
    i = axis(dim, len(have))
    if not isinstance(sizes, (tuple, list)):
        raise EngineTypeError(
            f"unflatten(): argument 'sizes' (position 2) must be tuple of ints, not {type(sizes).__name__}"
        )
    if not sizes:
        fail("unflatten: sizes must be non-empty")
    if not have:
        fail("unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")
    wild = [k for k, n in enumerate(sizes) if n == -1]
    new = tuple(sizes)
    known = math.prod(n for n in new if n != -1)
    if len(wild) > 1:
        fail("unflatten got an unexpected error:\nonly one dimension can be inferred")
    if (wild and (known == 0 or have[i] % known)) or (not wild and known != have[i]):
        fail(
            f"unflatten: Provided sizes {list(new)} don't multiply up to the size of dim {i} ({have[i]}) in the "
            "input tensor"
        )
    new = tuple([have[i] // known if n == -1 else n for n in new])
    return ops.views.view(input, (*have[:i], *new, *have[i + 1 :]))


@public("torch.select Tensor.select")
def select_place(input: Value, dim: int, index: Any) -> Value:
    """The part at one place of an axis."""
    return ops.views.select(input, int(dim), int(index))


@public("torch Tensor")
@composite
def narrow(input: Value, dim: int, start: Any, length: int) -> Value:
    """The part of an axis from a place on."""
    n = input.ndim
    if type(length) is bool:
        raise no_overload("narrow", input, dim, start, length)
    if n == 0:
        fail("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        fail("narrow(): length must be non-negative.")
    if isinstance(start, Tensor) and (start.ndim or start._a.dtype.kind not in "iu"):
        fail("start must be an 0-dim integral Tensor.")
    start = int(start)
    have = input.shape[axis(dim, n)]
    if not -have <= start <= have:
        raise EngineIndexError(f"start out of range (expected to be in range of [{-have}, {have}], but got {start})")
    if start < 0:
        start += have
    if start > have - length:
        fail(f"start ({start}) + length ({length}) exceeds dimension size ({have}).")
    return ops.views.slice_(input, dim, start, start + length, 1)


def _each(tensors: tuple[Any, ...], one: Any) -> Any:
    if len(tensors) == 1:
        if isinstance(tensors[0], (tuple, list)):
            return tuple([one(t) for t in tensors[0]])
        return one(tensors[0])
    return tuple([one(t) for t in tensors])


@public("torch")
@composite
def atleast_1d(*tensors: Any) -> Any:
    """A tensor with at least one axis."""
    return _each(tensors, lambda t: t if t.ndim else ops.views.reshape(t, (1,)))


@public("torch")
@composite
def atleast_2d(*tensors: Any) -> Any:
    """A tensor with at least two axes."""
    return _each(tensors, _two)


def _two(t: Value) -> Value:
    n = t.ndim
    return ops.views.reshape(t, (1, 1)) if n == 0 else ops.views.unsqueeze(t, 0) if n == 1 else t


@public("torch")
@composite
def atleast_3d(*tensors: Any) -> Any:
    """A tensor with at least three axes."""
    return _each(tensors, _three)


def _three(t: Value) -> Value:
    n = t.ndim
    if n == 0:
        return ops.views.reshape(t, (1, 1, 1))
    if n == 1:
        return ops.views.unsqueeze(ops.views.unsqueeze(t, 0), -1)
    return ops.views.unsqueeze(t, -1) if n == 2 else t
