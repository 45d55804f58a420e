"""The transforms of torch.func, and how they choose among arguments."""

from typing import Any

from ..engine.transforms.func import _places
from ..func import (
    functionalize as functionalize,
    grad as grad,
    grad_and_value as grad_and_value,
    hessian as hessian,
    jacfwd as jacfwd,
    jacrev as jacrev,
    jvp as jvp,
    linearize as linearize,
    vjp as vjp,
)


def _slice_argnums(args: tuple[Any, ...], argnums: Any, as_tuple: bool = True) -> Any:
    """The arguments that are differentiated by."""
    chosen = tuple([args[i] for i in _places(argnums, len(args))])
    return chosen if as_tuple or not isinstance(argnums, int) else chosen[0]
