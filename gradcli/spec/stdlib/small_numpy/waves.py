"""The module `numpy.fft`: Fourier transforms, and the windows that are laid over what they take."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import SpecError
from ...guard.size_limits import whole
from .arguments import STEPS, Function, Table, array_of, axes_of, number, room
from .quiet import quiet


def names() -> Table:
    """The names of the module `numpy.fft`."""
    made = {name: _transform(name) for name in np.fft.__all__ if name.endswith("fft")}
    # Those along two axes, and along any number of them.
    made.update({name: _transforms(name) for name in np.fft.__all__ if name.endswith(("fft2", "fftn"))})
    made.update({name: _shifted(name) for name in ("fftshift", "ifftshift")})
    made.update({name: _frequencies(name) for name in ("fftfreq", "rfftfreq")})
    return {name: quiet(name, function) for name, function in made.items()}


def windows() -> dict[str, Function]:
    """The windows of the module `numpy`."""
    return {"kaiser": _kaiser, **{name: _window(name) for name in ("bartlett", "blackman", "hamming", "hanning")}}


def _kaiser(M: Any, beta: Any) -> Any:
    room(max(0, whole(M)), 100)
    return np.kaiser(whole(M), number(beta))


def _window(name: str) -> Function:
    function = getattr(np, name)

    def call(M: Any) -> Any:
        room(max(0, whole(M)), 40)
        return function(whole(M))

    return call


_NORMS = (None, "backward", "ortho", "forward")


def _norm_of(norm: Any) -> Any:
    if norm not in _NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward","ortho" or "forward".')
    return norm


def _transform(name: str) -> Function:
    function = getattr(np.fft, name)

    def call(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        a, axis = array_of(a), whole(axis)
        along = a.shape[axis] if -a.ndim <= axis < a.ndim else 1
        length = 2 * along if n is None else max(whole(n), 0)
        room(max(a.size, a.size // max(1, along) * length), STEPS * max(1, length.bit_length()))
        return function(a, None if n is None else whole(n), axis, _norm_of(norm))

    return call


def _transforms(name: str) -> Function:
    function = getattr(np.fft, name)

    def call(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
        a = array_of(a)
        if s is not None:
            raise SpecError(f"numpy.fft.{name}(s=...) is not in the spec language", help="pad or cut the array before")
        room(2 * a.size, STEPS * max(1, int(a.size).bit_length()))
        along = {} if axes is None else {"axes": tuple([whole(axis) for axis in axes])}
        return function(a, norm=_norm_of(norm), **along)

    return call


def _shifted(name: str) -> Function:
    function = getattr(np.fft, name)

    def call(x: Any, axes: Any = None) -> Any:
        a = array_of(x)
        room(a.size)
        return function(a, None if axes is None else axes_of(axes))

    return call


def _frequencies(name: str) -> Function:
    function = getattr(np.fft, name)

    def call(n: Any, d: Any = 1.0) -> Any:
        room(max(whole(n), 0))
        return function(whole(n), number(d))

    return call
