"""The work budget of a program: operations are counted before they run, and equally on every machine."""

from __future__ import annotations

import sys
from functools import cache
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.costs import CAREFUL, CUBED, ORDINARY
from ...engine.tensor import Tensor
from ...errors import GradcliError, LimitError
from ..values.bound_methods import Bound, Unbound
from ..values.classes.tensor_classes import is_answered
from ..values.user_definitions import MISSING, UserType, declared as declared_in
from .library_calls import Standing, holds_own, is_own, refuse_own, refuse_own_in_calling, refuse_own_in_making
from .limits import Limits, too_large_op, too_many_tensors, too_much_work
from .numpy_operands import check_index
from .parameters import declared, parameters
from .size_limits import ARRAYS, fits, narrow, weigh

if TYPE_CHECKING:
    from ...nn.modules.module import Module
    from .costs.estimate import Estimate, Estimator

# As the engine has it: names that mean the same argument.
_ALIASES = {"self": "input", "axis": "dim", "keepdims": "keepdim"}

_MODULE, _CONTAINERS = "gradcli.nn.modules.module", "gradcli.nn.modules.container"

# No operation on so few elements can do harm, whatever it is: unless sizes and ints among the arguments do not bound
# what it makes. Those that say so are looked at from a lower bound on.
SMALL = ORDINARY
# Of products of sizes nobody asks by how much they are larger.
_HUGE = 2**63


class Budget:
    """The work that is left of what one program may do."""

    __slots__ = ("left", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = limits.work

    def charge(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], of_method: bool = False
    ) -> None:  # fmt: skip
        """Count a call, or raise a LimitError when it would make too much."""
        kind = type(function)
        if kind is FunctionType:
            called, function = function, declared(function)
            name = function.__name__
            given = (*args, *kwargs.values()) if kwargs else args
            bulk = _bulk(given)
            if bulk < 0:
                refuse_own(function, given)
                if any(map(is_answered, given)):
                    # What it computes is charged where the program does.
                    return
                if not of_method:
                    _refuse_arrays(called, args, kwargs)
                bulk = -bulk
            if bulk > SMALL or (name in CAREFUL and not _harmless(given, CAREFUL[name])):
                if _of_arrays(function) or isinstance(given[0], ARRAYS):
                    narrow(given)
                self._spend(estimate(function, args, kwargs))
        elif kind is Bound:
            self._charge_method(function.function, function.owner, args, kwargs)
        elif kind is MethodType:
            self._charge_method(function.__func__, function.__self__, args, kwargs)
        elif kind is Unbound:
            self.charge(function.function, args, kwargs)
        elif isinstance(function, type):
            if isinstance(function, UserType) and issubclass(function, tuple):
                return  # a named tuple holds what it is given
            given = (*args, *kwargs.values())
            bulk = _bulk(given)
            if bulk < 0:
                refuse_own_in_making(function, given)
            if abs(bulk) > CUBED or float in map(type, given):
                if _of_arrays(function):
                    narrow(given)
                self._spend(estimate_of_making(function, args, kwargs))
        elif _is_module(function):
            self.charge_module(function, args, kwargs)

    def charge_binary(self, a: Any, b: Any) -> None:
        """Count an operator that broadcasts two tensors, or NumPy arrays."""
        try:
            a, b = a._a, b._a
        except AttributeError:
            a, b = getattr(a, "_a", a), getattr(b, "_a", b)
        n: int = a.size
        if n * b.size > SMALL and (n > SMALL or a.shape != b.shape):
            self._spend(_costs().of_arrays(a, b))

    def charge_matmul(self, a: Any, b: Any) -> None:
        """Count a product of matrices, or of NumPy arrays."""
        if getattr(a, "_a", a).size * getattr(b, "_a", b).size > SMALL:
            self._spend(_sound(_costs().matmul, (a, b), {}))

    def charge_index(self, x: Any, index: Any) -> None:
        """Count the reading or writing of a part of a tensor."""
        kind = type(index)
        if kind is int or kind is slice or not isinstance(x, ARRAYS):
            return
        for part in index if kind is tuple else (index,):
            if isinstance(part, (list, tuple)):
                weigh(part)
            if not isinstance(x, Tensor):
                check_index(part)
        array: Any = getattr(x, "_a", x)
        if array.size * abs(_bulk(index if kind is tuple else (index,))) > SMALL:
            self._spend(_sound(_costs().indexed, (x, index), {}))

    def charge_module(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Count a call of a layer; what a program's own ``forward`` does is counted as it is done."""
        costs = _costs()
        below = module.__dict__.get("_modules")
        if below is None:
            raise AttributeError(f"'{type(module).__name__}' object has no attribute '_backward_hooks'")
        if below:
            _let_sequentials_tell(self._charge_inside)
        estimator = costs.call_of(module)
        bulk = _bulk(args)
        if bulk < 0:
            refuse_own_in_calling(module, args)
            _refuse_arrays(module, args, kwargs)
        if estimator is not None and (estimator is not costs.of_tensors or abs(bulk) > SMALL):
            narrow(args)
            self._spend(_sound(estimator, (module, *args), kwargs))

    def _charge_inside(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The same of a layer within another: nobody calls it again with what its arguments stand for."""
        try:
            self.charge_module(module, args, kwargs)
        except Standing as refusal:
            raise TypeError(str(refusal)) from None

    def spend(self, elements: int, work: int) -> None:
        """Count what is estimated elsewhere."""
        self._spend(_costs().Estimate(elements, work))

    def close(self) -> None:
        """Count nothing any more: the program is over."""
        _let_sequentials_tell(None)

    def _charge_method(self, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if type(owner) is range:
            # It is no more than three numbers.
            return
        if type(function) is FunctionType and function.__module__.startswith("gradcli.spec.stdlib."):
            # Our own modules weigh and charge for themselves.
            return
        if not _is_module(owner):
            self.charge(function, (owner, *args), kwargs, of_method=True)
        elif function.__name__ == "__init__":
            given = (*args, *kwargs.values())
            if _bulk(given) < 0:
                refuse_own_in_making(type(owner), given)
            self._spend(estimate_of_making(type(owner), args, kwargs))
        elif function.__name__ in ("forward", "__call__"):
            self.charge_module(owner, args, kwargs)

    def _spend(self, estimate: Estimate | None) -> None:
        if estimate is None:
            return
        limits = self.limits
        if estimate.elements > limits.elements:
            raise too_large_op(limits, estimate.elements)
        if estimate.tensors > limits.sequence:
            raise too_many_tensors(limits, estimate.tensors)
        work = max(estimate.work, estimate.elements)
        if work > self.left:
            raise too_much_work(limits, work)
        self.left -= work


def _of_arrays(function: Any) -> bool:
    """True if a function or class is of those rooms whose numbers become parts of arrays."""
    return function.__module__.startswith("gradcli.") and not function.__module__.startswith("gradcli.spec.")


def _bulk(values: Any) -> int:
    """The product of all sizes among some values: of tensors, numbers, and lists taken as a whole.

    It is negative when the program's own objects are among them, or NumPy's arrays.
    """
    n = sign = 1
    for x in values:
        kind = type(x)
        if kind is int:
            if x:
                n = min(n * abs(x), _HUGE)
        elif isinstance(x, (list, tuple)):
            n = min(n * _bulk_of_list(x), _HUGE)
            if is_own(x) or holds_own(x) or (x and type(x[0]) is np.ndarray):
                sign = -1
        elif kind is float:
            if x > 1:
                n *= int(min(x, 1e18))
        elif kind is range:
            # The engine makes a list of it.
            fits(len(x), "list")
        elif kind is Tensor or isinstance(x, (Tensor, np.ndarray)):
            if kind is not Tensor and getattr(kind, "pending", False):
                # It has no numbers yet.
                continue
            if isinstance(x, Tensor):
                a: Any = x._a
            else:
                a, sign = x, -1
            size = a.size
            if size > 1:
                n *= size
            elif a.dtype.kind in "iu" and size:
                # The engine takes such a tensor for an int.
                n *= abs(int(a.item())) or 1
        elif is_own(x):
            sign = -1
    return sign * n


def _harmless(values: tuple[Any, ...], most: int) -> bool:
    """True if the values are small and none of them is a float."""
    return abs(_bulk(values)) <= most and float not in map(type, values)


def _bulk_of_list(values: Any, depth: int = 0) -> int:
    """The sizes of all tensors of a list added up, or the product of its ints."""
    if len(values) > 100 or depth > 2 or is_own(values):
        # Whoever reads the list will count it.
        return SMALL + 1
    total = 0
    n = 1
    for x in values:
        if isinstance(x, Tensor):
            total += x._a.size
            if x._a.size == 1:
                n *= _bulk((x,))
        elif type(x) is int:
            n = min(n * (abs(x) or 1), _HUGE)
        elif isinstance(x, (list, tuple)):
            n = min(n * _bulk_of_list(x, depth + 1), _HUGE)
    return max(total, 1) * n


def _refuse_arrays(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse NumPy's arrays where PyTorch takes tensors alone: here most functions would compute with them."""
    given = (*args, *kwargs.values())
    if not any(isinstance(x, np.ndarray) or (isinstance(x, (list, tuple)) and x and type(x[0]) is np.ndarray)
               for x in given):  # fmt: skip
        return
    from ..language.wrong_arguments import of_arguments

    wrong = of_arguments(function, args, kwargs)
    if wrong is not None:
        raise wrong


def _is_module(x: Any) -> bool:
    """True if a value is a layer or a model; none is before nn.Module was imported."""
    found: Any = sys.modules.get(_MODULE)
    return found is not None and isinstance(x, found.Module)


def _let_sequentials_tell(listener: Any) -> None:
    """Have someone hear of the calls that a Sequential makes, if any can be made yet."""
    found: Any = sys.modules.get(_CONTAINERS)
    if found is not None:
        found.Sequential.told = listener


@cache
def _costs() -> Any:
    """The estimators, read when something large is first made."""
    from . import costs

    return costs


def estimate(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Estimate:
    """Estimate the cost of calling a function of the engine."""
    costs, function = _costs(), declared(function)
    estimator = costs.estimator_of(function.__name__.removesuffix("_"))
    found = None
    if estimator is not None:
        if kwargs:
            args, kwargs = _placed(parameters(function), args, kwargs)
        found = _sound(estimator, args, kwargs)
    return costs.of_tensors(*args, **kwargs) if found is None else found


def estimate_of_making(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Estimate | None:
    """Estimate the cost of making an object of a class, or None if nothing is known of it."""
    # A class that derives from tensors is made with what these are made with, unless it says otherwise.
    of_tensors = isinstance(cls, UserType) and issubclass(cls, Tensor)
    if of_tensors and declared_in(cls, "__new__") is not MISSING:
        return None
    estimator = _costs().maker_of(Tensor if of_tensors else cls)
    if estimator is None:
        return None
    if kwargs:
        args, kwargs = _placed(parameters(cls.__init__)[1:], args, kwargs)
    return _sound(estimator, args, kwargs)


def _placed(
    names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with those given by name in their places, as far as no place before them is empty."""
    left = {_ALIASES.get(k, k): v for k, v in kwargs.items()}
    for name in names[len(args) :]:
        key = _ALIASES.get(name, name)
        if key not in left:
            break
        args = (*args, left.pop(key))
    return args, left


def _sound(estimator: Estimator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Estimate | None:
    """An estimate, or None where the arguments are none that the function takes: it will say so itself."""
    try:
        return estimator(*args, **kwargs)
    except LimitError:
        # The time is over.
        raise
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, GradcliError):
        return None
