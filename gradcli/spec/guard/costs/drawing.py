"""Numbers that are drawn one at a time."""

from __future__ import annotations

from typing import Any

from .estimate import Estimate, of_tensors

# A number that is drawn until one fits takes about so many operations.
_TRIED = 2_000


def one_by_one(*parameters: Any, **given: Any) -> Estimate:
    """Parameters, broadcast together, each of which a number is drawn for alone."""
    n = of_tensors(*parameters, **given).elements
    return Estimate(n, n * _TRIED)
