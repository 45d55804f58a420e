"""The steps that differences are taken with: halved again and again, and represented exactly."""

from __future__ import annotations

import numpy as np

from ..arrays import Array

# Rounding of one operation.
UNIT = 2.0**-53

# Steps are this times a power of two, so that no function whose period is one looks flat.
_THETA = 2.0**0.125
# How many powers of two the largest step lies above the scale, and the smallest below it.
_ABOVE, _BELOW = 2, 50
# Scales further apart than this many powers of two get a ladder each.
_APART = 45
# At zero a ladder goes down to this power of two, and on in larger strides: by what factor, and how many. The square of
# the smallest step is still a normal number.
_TAIL_POWER, _TAIL_FACTOR, _TAIL_STEPS = -110, 2.0**-20, 20
_TAIL = 2.0**_TAIL_POWER


def ladder(scale: float) -> Array:
    """Steps from the largest to the smallest, for something of this size that is moved: scaled to it and to 1."""
    if not 0.0 < scale < np.inf:
        return _steps(_ABOVE, -_BELOW, 0.0)
    power = int(np.floor(np.log2(scale)))
    top, bottom = max(power, 0) + _ABOVE, power - _BELOW
    if power >= -_APART:
        return _steps(min(top, 1020), max(bottom, -1060), scale)
    near = _steps(power + _ABOVE + 2, max(bottom, -1060), scale)
    return np.concatenate([_steps(_ABOVE, -_BELOW, scale), near])


def deep_ladder() -> Array:
    """Steps far below those of a ladder, for what stands at zero: there is no smallest step."""
    far = _TAIL * _THETA * _TAIL_FACTOR ** np.arange(1, _TAIL_STEPS)
    return np.concatenate([_steps(_ABOVE, _TAIL_POWER, 0.0), far])


def _steps(top: int, bottom: int, scale: float) -> Array:
    """Powers of two times theta, rounded so that a number of this size plus or minus one is exact."""
    steps = np.ldexp(_THETA, np.arange(top, bottom - 1, -1))
    if not scale:
        return steps
    # Beside the largest numbers there are none beyond.
    steps = steps[steps < np.finfo(np.float64).max - scale]
    grid = np.ldexp(1.0, np.maximum(np.frexp(scale + steps)[1] - 53, -1074))
    rounded = np.rint(steps / grid) * grid
    return np.asarray(rounded[rounded > 0], np.float64)
