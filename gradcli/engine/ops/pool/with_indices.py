"""Max pools by the names under which PyTorch gives the places of the elements too."""

from __future__ import annotations

from typing import Any

from ...costs import CUBED, SQUARED, costs
from ...registry import public
from ...tensor import Value
from .adaptive_3d import adaptive_max_pool3d
from .fractional import fractional_max_pool2d, fractional_max_pool3d
from .max_pool import adaptive_max_pool1d, adaptive_max_pool2d, max_pool1d, max_pool2d
from .pool_3d import max_pool3d


@public("F.max_pool1d_with_indices torch.max_pool1d_with_indices")
@costs("spatial.picked", 1, careful=CUBED)
def windows_1d(
    input: Value, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of the last axis, and its place."""
    del return_indices
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@public("F.max_pool2d_with_indices")
@costs("spatial.picked", 2, careful=SQUARED)
def windows_2d(
    input: Value, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of two axes, and its place."""
    del return_indices
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@public("F.max_pool3d_with_indices")
@costs("spatial.picked", 3, careful=CUBED)
def windows_3d(
    input: Value, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of three axes, and its place."""
    del return_indices
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@public("F.adaptive_max_pool1d_with_indices")
@costs("spatial.adapted", 1, careful=CUBED)
def stretches_1d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of a number of stretches of the last axis, and its place."""
    del return_indices
    return adaptive_max_pool1d(input, output_size, True)


@public("F.adaptive_max_pool2d_with_indices")
@costs("spatial.adapted", 2, careful=SQUARED)
def stretches_2d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of a number of stretches of two axes, and its place."""
    del return_indices
    return adaptive_max_pool2d(input, output_size, True)


@public("F.adaptive_max_pool3d_with_indices")
@costs("spatial.adapted", 3, careful=CUBED)
def stretches_3d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of a number of stretches of three axes, and its place."""
    del return_indices
    return adaptive_max_pool3d(input, output_size, True)


@public("F.fractional_max_pool2d_with_indices")
@costs("spatial.adapted_windows", 2, careful=SQUARED)
def fractions_2d(
    input: Value, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:  # fmt: skip
    """The largest element of each window that is placed by chance along two axes, and its place."""
    del return_indices
    return fractional_max_pool2d(input, kernel_size, output_size, output_ratio, True, _random_samples)


@public("F.fractional_max_pool3d_with_indices")
@costs("spatial.adapted_windows", 3, careful=CUBED)
def fractions_3d(
    input: Value, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:  # fmt: skip
    """The largest element of each window that is placed by chance along three axes, and its place."""
    del return_indices
    return fractional_max_pool3d(input, kernel_size, output_size, output_ratio, True, _random_samples)
