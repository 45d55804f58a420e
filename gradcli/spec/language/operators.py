"""The operators, guarded: no integer, no sequence and no array beyond the limits."""

from __future__ import annotations

import ast
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

from ...engine.tensor import Tensor
from ...errors import GradcliError
from ..guard import limits as limits_
from ..guard.numpy_operands import NUMPY, beside, between, compared_with_array
from ..guard.size_limits import ARRAYS, LEAST, MOST, VIEWS, collected, fits_power, narrow, weigh
from ..stdlib.iteration import Lazy, contains, iterate
from ..values.formatting import percent, percent_of_bytes
from ..values.tables.byte_strings import BYTES
from ..values.user_definitions import UserType, is_wholly_own
from .machine import Machine

Binary = Callable[[Any, Any], Any]

_SEQUENCES = (str, bytes, bytearray, list, tuple, deque)
_SIZED = (*_SEQUENCES, set, dict)
# Numbers, and what an operator gives of two of them that is a number again, if not always one that fits.
NUMBERS: frozenset[type] = frozenset((int, float))
OF_NUMBERS: dict[type[ast.operator], Binary] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
# What is compared at once, and how.
ATOMS: frozenset[type] = frozenset((int, float, str, bytes, bool, type(None), type, range))
OF_ATOMS: dict[type[ast.cmpop], Binary] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
# What an unary or binary operator gives that needs no second look.
_HARMLESS = frozenset((float, bool, Tensor))


def checked(machine: Machine) -> Callable[[Any], Any]:
    """A look at what an operator gave: integers and sequences have to fit."""
    limits = machine.limits
    most = limits.sequence

    def check(value: Any) -> Any:
        kind = type(value)
        if kind in _HARMLESS:
            return value
        if kind is int:
            if not LEAST <= value <= MOST:
                raise limits_.integer_too_large()
        elif isinstance(value, _SIZED) and len(value) > most:
            raise limits_.too_long(limits, kind.__name__, len(value))
        return value

    return check


def _walked(values: Any) -> Any:
    """Collect a lazy operand of a dict view, which the operator walks through to its end."""
    return collected(iterate(values)) if isinstance(values, (range, Lazy)) else values


def _times(n: Any) -> int:
    """Read how often a sequence is to be repeated; for anything but a number the operator itself will refuse."""
    if isinstance(n, int):
        return n
    try:
        return operator.index(n)
    except (TypeError, ValueError, GradcliError):
        return 0


def binary_operators(machine: Machine) -> dict[type[ast.operator], tuple[Binary, Binary]]:
    """Return the guarded form of each binary operator, and of its form ``x op= y``."""
    check = checked(machine)
    limits = machine.limits
    budget = machine.budget
    most = limits.sequence

    def plain(operate: Binary, charge: Binary) -> Binary:
        def run(a: Any, b: Any) -> Any:
            kind = type(a)
            if kind is float:
                if type(b) is float:
                    c = operate(a, b)
                    return c if type(c) is float else check(c)
            elif kind is int:
                if type(b) is int:
                    c = operate(a, b)
                    if type(c) is int and not LEAST <= c <= MOST:
                        raise limits_.integer_too_large()
                    return c
            elif kind is Tensor and type(b) is Tensor:
                charge(a, b)
                return operate(a, b)
            elif type(kind) is UserType and (type(b) is kind or type(b) in NUMBERS) and is_wholly_own(kind):
                # All that is done here the program does itself.
                c = operate(a, b)
                return c if type(c) is kind else check(c)
            if isinstance(a, ARRAYS):
                b = beside(a, b)
                if isinstance(b, ARRAYS):
                    charge(a, b)
                    if isinstance(a, Tensor) is not isinstance(b, Tensor):
                        return check(between(operate, a, b))
            elif isinstance(b, ARRAYS):
                a = beside(b, a)
                if isinstance(a, ARRAYS):
                    charge(a, b)
            elif isinstance(a, VIEWS) or isinstance(b, VIEWS):
                a, b = _walked(a), _walked(b)
            return check(operate(a, b))

        return run

    def times(operate: Binary) -> Binary:
        usual = plain(operate, budget.charge_binary)

        def run(a: Any, b: Any) -> Any:
            if isinstance(a, _SEQUENCES) or isinstance(b, _SEQUENCES):
                length, n = (a, b) if isinstance(a, _SEQUENCES) else (b, a)
                items = len(length) * _times(n)
                if items > most:
                    raise limits_.too_long(limits, type(length).__name__, items)
            return usual(a, b)

        return run

    def power(operate: Binary) -> Binary:
        usual = plain(operate, budget.charge_binary)

        def run(a: Any, b: Any) -> Any:
            fits_power(a, b)
            return usual(a, b)

        return run

    def shifted(operate: Binary) -> Binary:
        usual = plain(operate, budget.charge_binary)

        def run(a: Any, b: Any) -> Any:
            if isinstance(a, int) and isinstance(b, int) and a and b > limits_.BITS:
                raise limits_.integer_too_large()
            return usual(a, b)

        return run

    def remainder(operate: Binary) -> Binary:
        usual = plain(operate, budget.charge_binary)

        def run(a: Any, b: Any) -> Any:
            if type(a) in BYTES:
                return check(percent_of_bytes(a, b))
            return percent(a, b) if type(a) is str else usual(a, b)

        return run

    def both(make: Callable[[Binary], Binary], operate: Binary, in_place: Binary) -> tuple[Binary, Binary]:
        return make(operate), make(in_place)

    def broadcast(operate: Binary) -> Binary:
        return plain(operate, budget.charge_binary)

    def contracted(operate: Binary) -> Binary:
        return plain(operate, budget.charge_matmul)

    def joined(operate: Binary) -> Binary:
        usual = broadcast(operate)

        def run(a: Any, b: Any) -> Any:
            # `list += anything` takes the items of anything.
            if isinstance(a, (list, deque)) and not isinstance(b, list):
                b = list(_first(iterate(b), most - len(a) + 1))
            return usual(a, b)

        return run

    def _first(items: Any, n: int) -> Any:
        for i, item in enumerate(items):
            if i >= n:
                raise limits_.too_long(limits, "list", most + 1)
            yield item

    return {
        ast.Add: (broadcast(operator.add), joined(operator.iadd)),
        ast.Sub: both(broadcast, operator.sub, operator.isub),
        ast.Mult: both(times, operator.mul, operator.imul),
        ast.Div: both(broadcast, operator.truediv, operator.itruediv),
        ast.FloorDiv: both(broadcast, operator.floordiv, operator.ifloordiv),
        ast.Mod: both(remainder, operator.mod, operator.imod),
        ast.Pow: both(power, operator.pow, operator.ipow),
        ast.MatMult: both(contracted, operator.matmul, operator.imatmul),
        ast.BitAnd: both(broadcast, operator.and_, operator.iand),
        ast.BitOr: both(broadcast, operator.or_, operator.ior),
        ast.BitXor: both(broadcast, operator.xor, operator.ixor),
        ast.LShift: both(shifted, operator.lshift, operator.ilshift),
        ast.RShift: both(broadcast, operator.rshift, operator.irshift),
    }


def unary_operators(machine: Machine) -> dict[type[ast.unaryop], Callable[[Any], Any]]:
    """Return the guarded form of each operator of one operand."""
    check = checked(machine)

    def of(operate: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda value: check(operate(value))

    return {
        ast.USub: of(operator.neg),
        ast.UAdd: of(operator.pos),
        ast.Invert: of(operator.invert),
        ast.Not: operator.not_,
    }


def comparisons(machine: Machine) -> dict[type[ast.cmpop], Binary]:
    """Return the guarded form of each comparison."""
    charge = machine.budget.charge_binary

    def guarded(compare: Binary) -> Binary:
        def run(a: Any, b: Any) -> Any:
            if type(a) not in ATOMS:
                if isinstance(a, Tensor):
                    if isinstance(b, NUMPY):
                        return compared_with_array(compare, charge, a, b)
                    if isinstance(b, Tensor):
                        charge(a, b)
                    elif type(b) is int:
                        narrow(b)
                elif isinstance(a, NUMPY) or isinstance(b, NUMPY):
                    return compared_with_array(compare, charge, a, b)
                else:
                    weigh(a)
                    weigh(b)
            elif type(b) not in ATOMS and isinstance(b, ARRAYS):
                if isinstance(b, NUMPY):
                    return compared_with_array(compare, charge, a, b)
                narrow(a)
            return compare(a, b)

        return run

    return {
        **{kind: guarded(compare) for kind, compare in OF_ATOMS.items()},
        ast.Is: operator.is_,
        ast.IsNot: operator.is_not,
        ast.In: lambda a, b: contains(b, a),
        ast.NotIn: lambda a, b: not contains(b, a),
    }
