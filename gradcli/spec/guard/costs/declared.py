"""The estimators that functions of the engine declare: found by the function's name."""

from __future__ import annotations

from importlib import import_module

from ....engine.costs import COSTS
from .estimate import Estimator

_found: dict[str, Estimator] = {}


def estimator_of(name: str) -> Estimator | None:
    """The estimator that a function of this name declares, if it declares any."""
    if name not in _found:
        cost = COSTS.get(name)
        if cost is None:
            return None
        family, _, estimator = cost.estimator.partition(".")
        found = getattr(import_module(f"{__package__}.{family}"), estimator)
        _found[name] = found(*cost.made_for) if cost.made_for else found
    return _found[name]
