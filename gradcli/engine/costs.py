"""The costs of calls, declared with each function: the guard of specs asks for them before a call is made.

Most functions declare none: they make nothing larger than their tensors broadcast together, in a step for each element.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T", bound=Callable[..., Any])

# Calls are only estimated where the product of the sizes among their arguments, which are tensors, ints and lists of
# them, is above a bound. A function declares a lower bound where that product says too little of what it makes: where
# one size is squared or cubed, where floats among the arguments decide, or where numbers inside a tensor or list do.
ORDINARY, SQUARED, CUBED, ALWAYS = 100_000, 300, 45, 0


class Cost(NamedTuple):
    """The cost that a function declares."""

    # The estimator: FAMILY.NAME in gradcli/spec/guard/costs, which is read when something large is first made.
    estimator: str
    # Where several functions share a maker of estimators, its arguments: a number of axes, for instance.
    made_for: tuple[Any, ...]


# By the name a function is declared under: one that writes over its argument is its twin, with a line below at the end.
COSTS: dict[str, Cost] = {}
# Up to which product of sizes a call needs no estimate, for the functions where floats are looked at, too.
CAREFUL: dict[str, int] = {}


def costs(estimator: str, *made_for: Any, careful: int | None = None) -> Callable[[T], T]:
    """Declare the cost of a function, or of the methods of its name; or of making an object, on a class."""

    def declare(function: T) -> T:
        name, cost = function.__name__, Cost(estimator, made_for)
        if COSTS.setdefault(name, cost) != cost:
            raise TypeError(f"two costs of {name} are declared")
        if careful is not None:
            CAREFUL[name] = careful
        return function

    return declare
