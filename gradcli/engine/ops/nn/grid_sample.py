"""Images and volumes read at places that a grid gives, and the grids of affine maps."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineValueError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, is_value, not_a_tensor, only_bools
from ...costs import ALWAYS, costs
from ...dtypes import DTYPES, zeros_of
from ...registry import composite, primitive, public, shared
from ...tensor import Array, Tensor, Value, constants, result
from ..common import re
from ..matrix.fitting_operands import type_name
from ..matrix.matmul import stacked_product
from ..matrix.square import mT
from ..pointwise.masks import refuse_integers
from .grid_neighbours import BILINEAR, NEAREST, ZEROS, Axes, along_axes, sample, scatter, taps

MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


# -- one formula for planes and volumes ------------------------------------------------------------


def _read(x: Array, grid: Array, mode: int, padding: int, align: bool) -> Array:
    axes = taps(grid, x.shape[2:], mode, padding, align)
    y = sample(x, axes, (0,) * len(axes)).reshape(*x.shape[:2], *grid.shape[1:-1])
    if x.ndim == 4 and padding == ZEROS and mode != NEAREST:
        # Beside images, PyTorch multiplies its zeros by weights that are no numbers; beside volumes it reads nothing.
        known = np.logical_and.reduce(np.isfinite(grid), -1)
        y = y if known.all() else np.where(known[:, None], y, np.nan)
    return y.astype(np.result_type(x, grid), copy=False)


def _firsts(rank: int) -> list[tuple[int, ...]]:
    """The orders of a first derivative along each axis, as the grid numbers them: from the last."""
    return [tuple([int(k == axis) for k in range(rank)]) for axis in range(rank - 1, -1, -1)]


def _shares(g: Array, x: Array, grid: Array, mode: int, padding: int, align: bool) -> tuple[Array, Array]:
    """The gradients for the input and for the grid."""
    axes = taps(grid, x.shape[2:], mode, padding, align)
    rank = len(axes)
    flat = g.reshape(*g.shape[:2], math.prod(g.shape[2:]))
    if rank == 2 and mode == BILINEAR:
        places = along_axes(flat, x, axes)
    else:
        places = [np.add.reduce(flat * sample(x, axes, orders), 1) for orders in _firsts(rank)]
    to_grid = np.stack(places, -1).reshape(grid.shape)
    return scatter(flat, axes, (0,) * rank, x.shape), to_grid.astype(np.result_type(g, x, grid), copy=False)


def _second(
    to_input: Array, to_grid: Array, g: Array, x: Array, grid: Array, mode: int, padding: int, align: bool
) -> tuple[Array, Array, Array]:
    """The gradients of ``_shares``, for all that it is made of."""
    axes = taps(grid, x.shape[2:], mode, padding, align)
    rank = len(axes)
    firsts = _firsts(rank)
    flat = g.reshape(*g.shape[:2], math.prod(g.shape[2:]))
    moves = np.moveaxis(to_grid.reshape(len(grid), math.prod(g.shape[2:]), rank), 2, 0)[:, :, None, :]
    to_g = sample(to_input, axes, (0,) * rank)
    to_x: Any = 0
    places = []
    for orders, move in zip(firsts, moves, strict=True):
        to_g = to_g + move * sample(x, axes, orders)
        to_x = to_x + scatter(flat * move, axes, orders, x.shape)
        places.append(np.add.reduce(flat * _bends(to_input, x, axes, orders, moves), 1))
    return to_g.reshape(g.shape), to_x, np.stack(places, -1).reshape(grid.shape)


def _bends(to_input: Array, x: Array, axes: Axes, orders: tuple[int, ...], moves: Array) -> Array:
    """The slope, along one axis, of the values that a grid reads."""
    total = sample(to_input, axes, orders)
    for more, move in zip(_firsts(len(axes)), moves, strict=True):
        both = tuple([a + b for a, b in zip(orders, more, strict=True)])
        total = total + move * sample(x, axes, both)
    return total


# -- the ops ---------------------------------------------------------------------------------------


def _declared(rank: int, mid: str) -> Any:
    """The op that reads images (two axes) or volumes (three), and that of its gradient."""

    def forward(input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Array:
        _check(input, grid)
        refuse_integers(f"grid_sampler_{rank}d_cpu_kernel_impl" if rank == 2 else "grid_sampler3d_cpu", input)
        return _read(input, grid, interpolation_mode, padding_mode, align_corners)

    def backward(
        grad_output: Array, input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool
    ) -> tuple[Array, Array]:
        return _shares(grad_output, input, grid, interpolation_mode, padding_mode, align_corners)

    def again(
        grad_input: Array,
        grad_grid: Array,
        grad_output: Array,
        input: Array,
        grid: Array,
        interpolation_mode: int,
        padding_mode: int,
        align_corners: bool,
    ) -> tuple[Array, Array, Array]:
        options = (interpolation_mode, padding_mode, align_corners)
        return _second(grad_input, grad_grid, grad_output, input, grid, *options)

    def twice(
        g: Any,
        grad_output: Value,
        input: Value,
        grid: Value,
        interpolation_mode: int,
        padding_mode: int,
        align_corners: bool,
        *,
        wanted: Any,
    ) -> Any:
        given = [_zeros_like(x) if part is None else part for part, x in zip(g, (input, grid), strict=True)]
        return third(*given, grad_output, input, grid, interpolation_mode, padding_mode, align_corners)

    what = {2: "images", 3: "volumes"}[rank]
    for function, ending, doc in (
        (forward, "", f"What {what} have at the places of a grid."),
        (backward, "_backward", f"Gradient of reading {what} at the places of a grid."),
        (again, "_double_backward", f"Gradient of the gradient of reading {what} at the places of a grid."),
    ):
        function.__name__, function.__doc__ = f"grid_sampler_{rank}d{ending}", doc
    third = primitive(
        no_derivative=f"grid_sampler_{rank}d_double_backward",
        outputs=("result0", "result1", "result2"),
        grad_input=shared,
        grad_grid=shared,
        grad_output=shared,
        input=shared,
        grid=shared,
    )(again)
    second = primitive(
        node=f"GridSampler{mid}BackwardBackward0",
        backward=True,
        outputs=("result0", "result1"),
        joint=twice,
        grad_output=shared,
        input=shared,
        grid=shared,
    )(backward)
    return primitive(
        form="folded",
        node=f"GridSampler{mid}Backward0",
        kink=_kink,
        joint=lambda g, input, grid, interpolation_mode, padding_mode, align_corners, *, wanted: second(
            g, input, grid, interpolation_mode, padding_mode, align_corners
        ),
        input=shared,
        grid=shared,
    )(forward)


def _zeros_like(x: Value) -> Value:
    return constants(zeros_of(x._a.shape, x._a.dtype)) if isinstance(x, Tensor) else zeros_of(x.shape, x.dtype)


def _kink(input: Array, grid: Array, interpolation_mode: int, align_corners: bool) -> Array:
    """Zero where a place is on an element, or, if the nearest is read, half-way between two."""
    size = np.array(input.shape[:1:-1])
    place = (re(grid) + 1) / 2 * (size - 1) if align_corners else ((re(grid) + 1) * size - 1) / 2
    return np.cos(np.pi * place) if interpolation_mode == MODES["nearest"] else np.sin(np.pi * place)


def _check(x: Array, grid: Array) -> None:
    if x.dtype.kind != "c" and grid.dtype.kind != "c" and x.dtype != grid.dtype:
        fail(f"expected scalar type {type_name(x)} but found {type_name(grid)}")


grid_sampler_2d = _declared(2, "2D")
grid_sampler_3d = _declared(3, "3D")


# -- what users call -------------------------------------------------------------------------------

_CHANGED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


@public("torch")
@costs("spatial.sampled")
@composite
def grid_sampler(input: Value, grid: Value, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Value:
    """Read images or volumes at the places of a grid."""
    for i, (name, t) in enumerate((("input", input), ("grid", grid)), 1):
        if not is_value(t):
            raise not_a_tensor("grid_sampler", name, i, t)
    own, places = list(input.shape), list(grid.shape)
    sizes = f"input with sizes {own} and grid with sizes {places}"
    if own[0] != places[0]:
        fail(f"grid_sampler(): expected grid and input to have same batch size, but got {sizes}")
    if places[-1] != len(own) - 2:
        fail(
            f"grid_sampler(): expected grid to have size {len(own) - 2} in last dimension, but got grid with sizes "
            f"{places}"
        )
    for i, n in enumerate(own[2:], 2):
        if n <= 0:
            fail(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{own} with dimension {i} being empty"
            )
    if len(own) not in (4, 5) or len(own) != len(places):
        rank = 4 if len(own) == 4 else 5
        fail(f"grid_sampler(): expected {rank}D input and grid with same number of dimensions, but got {sizes}")
    if len(own) == 5 and interpolation_mode == MODES["bicubic"]:
        fail("grid_sampler(): bicubic interpolation only supports 4D input")
    op = grid_sampler_2d if len(own) == 4 else grid_sampler_3d
    return op(input, grid, interpolation_mode, padding_mode, bool(align_corners))


@public("torch.grid_sampler_2d torch.grid_sampler_3d")
@costs("spatial.sampled")
@composite
def grid_sampler_of(
    input: Value, grid: Value, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Value:
    """Read images, or volumes, at the places of a grid."""
    if type(align_corners) is not bool:
        only_bools("grid_sampler_3d", align_corners=align_corners, places=(5,))
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@public("F")
@costs("spatial.sampled")
@under_autocast("single")
@composite
def grid_sample(
    input: Value, grid: Value, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Value:
    """Read images or volumes at the places of a grid, from -1 to 1 along each axis."""
    if mode not in MODES:
        raise EngineValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise EngineValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warnings.warn(_CHANGED, UserWarning, stacklevel=3)
    return grid_sampler(input, grid, MODES[mode], PADDINGS[padding_mode], bool(align_corners))


def _steps(n: int, align_corners: bool, dtype: Any) -> Array:
    """From -1 to 1, or between the middles of the first and the last of ``n`` pieces."""
    if n <= 1:
        return zeros_of(n, dtype)
    steps = ops.ranges.linspace(-1, 1, n, dtype=DTYPES[dtype])._a
    return steps if align_corners else steps * dtype.type(n - 1) / dtype.type(n)


def _places(size: Any, align_corners: bool, dtype: Any) -> Array:
    """All places of images of a size, each with a one behind it."""
    *rest, last = (_steps(int(n), align_corners, dtype) for n in size[2:])
    axes = np.meshgrid(*rest, last, indexing="ij")
    return np.stack([*axes[::-1], np.ones_like(axes[0])], -1).reshape(-1, len(axes) + 1)


def _stack_of_places(size: Any, align_corners: bool, dtype: Any) -> Array:
    """These for each sample."""
    places = _places(size, align_corners, dtype)
    return np.broadcast_to(places, (int(size[0]), *places.shape))


def _to_theta(g: Value, size: Any, align_corners: bool) -> Value:
    a = g._a if isinstance(g, Tensor) else g
    places = _stack_of_places(size, align_corners, re(a).dtype).swapaxes(1, 2)
    flat = (
        ops.views.reshape(g, (g.shape[0], -1, g.shape[-1]))
        if isinstance(g, Tensor)
        else g.reshape(g.shape[0], -1, g.shape[-1])
    )
    return mT(ops.matmul.bmm(result(places) if isinstance(g, Tensor) else places, flat))


@public("torch")
@costs("spatial.mapped", careful=ALWAYS)
@primitive(theta=lambda g, size, align_corners: _to_theta(g, size, align_corners))
def affine_grid_generator(theta: Array, size: Any, align_corners: bool) -> Array:
    """The places that an affine map brings those of an image to."""
    places = _stack_of_places(size, align_corners, re(theta).dtype)
    if len(theta) != size[0]:
        want, got = [size[0], theta.shape[2]], [len(theta), theta.shape[2]]
        fail(f"Expected size for first two dimensions of batch2 tensor to be: {want} but got: {got}.")
    return stacked_product(places, theta.swapaxes(1, 2)).reshape(size[0], *size[2:], len(size) - 2)


@public("F")
@costs("spatial.mapped", careful=ALWAYS)
@composite
def affine_grid(theta: Value, size: Any, align_corners: bool | None = None) -> Value:
    """The places that affine maps bring those of images of a size to."""
    if align_corners is None:
        warnings.warn(_CHANGED, UserWarning, stacklevel=3)
    if not theta.is_floating_point():
        raise EngineValueError(f"Expected theta to have floating point type, but got {DTYPES[theta._a.dtype]}")
    rank = len(size) - 2
    if rank not in (2, 3):
        raise EngineNotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    if theta.ndim != 3 or tuple(theta.shape[1:]) != (rank, rank + 1):
        raise EngineValueError(
            f"Expected a batch of {rank}D affine matrices of shape Nx{rank}x{rank + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if align_corners and min(size[2:]) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
            UserWarning,
            stacklevel=3,
        )
    elif min(size) <= 0:
        raise EngineValueError(f"Expected non-zero, positive output size. Got {size}")
    sizes = ops.filled.size_of("affine_grid_generator", (tuple(size),))
    return affine_grid_generator(theta, sizes, bool(align_corners))
