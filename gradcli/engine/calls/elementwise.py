"""Calling elementwise ops with one or two operands: the hottest functions of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import EngineTypeError, GradcliError
from .. import dtypes
from ..call_errors import forward_of, no_overload, not_a_tensor, translated
from ..declaration import ALIASES, wants
from ..dtypes import B8, BF16, F16, F32, F64, promote
from ..graph import next_sequence_number
from ..memory.layout import converted_like, like_operands
from ..modes import aside, in_rule, mode, recording
from ..numeric.halves import Brain, of_arrays, way
from ..python_number import WrappedNumber
from ..tensor import Array, Tensor, Value, _new, tensor
from .binding import in_todays_order, written
from .keeping import note_version

if TYPE_CHECKING:
    from ..registry import Op

array, ndarray = np.array, np.ndarray

_NUMBERS = (int, float, bool, complex)

# In a rule, `g * 2` is the one-edge overload that PyTorch's C++ formulas take; filled by ops/arith.py.
SCALAR_OVERLOADS: dict[str, Any] = {}


def unary(op: Op) -> Any:
    """Call an op with one operand and nothing beside it."""
    forward = forward_of(op)
    in_half = way(op)
    floating = op.floating
    keeps_self = "self" in op.saves or (bool(op.saves) and op.saves[0] == op.parameters[0])
    keeps_result = "result" in op.saves
    argument = op.parameters[0]
    for_real = op.twin_of is None
    node_type: Any = None

    def call(input: Value, *, out: Any = None) -> Value:
        if out is not None:
            return written(call, (input,), {"out": out})
        nonlocal node_type
        self = input
        if not isinstance(self, Tensor):
            if isinstance(self, (np.ndarray, np.generic)):
                kind = type(self)
                half = kind is Brain or (kind is ndarray and self.dtype is F16)
                return of_arrays(in_half, forward, self) if half else forward(self)
            raise not_a_tensor(op.name, argument, 1, self)
        a = self._a
        d = a.dtype
        if d is F64 or d is F32:
            r = forward(a)
        else:
            if d.kind == "c" and for_real:
                return op.on_complex(self)
            if floating and d.kind not in "fc":
                a = converted_like(a, dtypes.default.float)
                d = a.dtype
            r = in_half(forward, d, a) if d is BF16 or d is F16 else forward(a)
        t = _new(Tensor)
        t._a = r
        t._vc = None
        n = self._node
        if n is None or not recording():
            if mode.aside:
                aside(op, (self,), t)
            return t
        if node_type is None:
            node_type = op.node_type()
        node = node_type()
        node.edges = (n,)
        node.attrs = ()
        node.shape = n.shape
        node.dtype = d if for_real else r.dtype
        node.extra = None
        node.seq = next_sequence_number()
        if keeps_result:
            node.saved = (r,)
        elif keeps_self:
            node.saved = (self,)
            if self._vc is not None:
                note_version(node, 0, self)
        else:
            node.saved = ()
        t._node = node
        if mode.tape is not None:
            mode.tape.record(node, op, (self,), (r,))
        return t

    return call


def binary(op: Op, refuse: Callable[[Array, Array], None] | None = None) -> Any:
    """Call an op with two operands; foreign ones are left to Python, as its operators expect."""
    forward = forward_of(op)
    floating = op.floating
    name = op.name
    first, second = op.parameters[:2]
    wants1 = frozenset(wants(op.rules.get(first)))
    wants2 = frozenset(wants(op.rules.get(second)))
    if op.backward:
        wants1 = wants2 = wants1 | wants2
    # What is kept of both operands: where the first alone has a gradient, where the second alone, where both have.
    of_first, of_second, of_both = [(first in w, second in w) for w in (wants1, wants2, wants1 | wants2)]
    keep_result = "result" in wants1 or "result" in wants2
    in_half = way(op)
    keeps = bool(op.saves)
    default_attrs = tuple(op.defaults.get(n) for n in op.attrs)
    for_real = op.twin_of is None
    exact_numbers = op.exact_numbers
    node_type: Any = None
    # The number that came last, as an operand: in a loop it comes again.
    last: Any = _new(WrappedNumber)
    last.number = None

    def call(input: Value, other: Value, *attrs: Any) -> Value:
        nonlocal node_type, last
        self = input
        if isinstance(self, Tensor):
            a = self._a
            n1 = self._node
            if isinstance(other, Tensor):
                b = other._a
                n2 = other._node
            else:
                if in_rule() and name in SCALAR_OVERLOADS and isinstance(other, (int, float, complex)):
                    return SCALAR_OVERLOADS[name](self, other, *attrs)
                n2 = None
                d = a.dtype
                kind = type(other)
                if (kind is float or kind is int) and (d is F64 or d is F32):
                    number = last
                    if other is number.number and type(a) is ndarray and number._a.dtype is d:
                        b = number._a
                    else:
                        # Converted once, here: the rule for self computes with it again.
                        b = array(other, d) if a.ndim else d.type(other)
                        number = _new(WrappedNumber)
                        number._a = b
                        number._vc = None
                        number.number = other
                        if a.ndim:
                            last = number
                    other = number
                else:
                    if refuse is not None and kind is bool:
                        refuse(a, B8.type(other))
                    if exact_numbers and (d is BF16 or d is F16) and (kind is float or kind is int):
                        other = single(other)
                    else:
                        other = operand(other, a)
                    if other is None:
                        return NotImplemented
                    b = other._a
        elif isinstance(other, Tensor):
            b = other._a
            n2 = other._node
            if refuse is not None and type(self) is bool:
                refuse(B8.type(self), b)
            d = b.dtype
            exact = exact_numbers is True and (d is BF16 or d is F16) and type(self) in (float, int)
            self = single(self) if exact else operand(self, b)
            if self is None:
                return NotImplemented
            a = self._a
            n1 = None
        else:
            kind = type(self)
            if kind is Brain or type(other) is Brain or (kind is ndarray and self.dtype is F16):
                return of_arrays(in_half, forward, self, other, *attrs)
            return forward(self, other, *attrs)
        d = a.dtype
        if d is not b.dtype or (d is not F32 and d is not F64):
            if for_real and (d.kind == "c" or b.dtype.kind == "c"):
                return op.on_complex(self, other, *attrs)
            if d is not b.dtype or (floating and d.kind not in "fc"):
                if refuse is not None:
                    refuse(a, b)
                d, a, b = promoted(op, self, other)
        try:
            if d is BF16 or d is F16:
                r = in_half(forward, d, a, b, *attrs)
            else:
                r = forward(a, b, *attrs) if attrs else forward(a, b)
        except ValueError as error:
            raise translated(error, (a, b)) from None
        if r.ndim > 1 and not a.flags.c_contiguous:
            r = like_operands(r, a, b)
        t = _new(Tensor)
        t._a = r
        t._vc = None
        if (n1 is None and n2 is None) or not recording():
            if mode.aside:
                aside(op, (self, other, *attrs), t)
            return t
        if node_type is None:
            node_type = op.node_type()
        node = node_type()
        node.edges = (n1, n2)
        node.attrs = attrs or default_attrs
        node.shape = r.shape
        node.dtype = d if for_real else r.dtype
        node.extra = None
        node.seq = next_sequence_number()
        if keeps:
            keep_first, keep_second = of_first if n2 is None else of_second if n1 is None else of_both
            x = self if keep_first else None
            y = other if keep_second else None
            if x is not None and x._vc is not None:
                note_version(node, 0, x)
            if y is not None and y._vc is not None:
                note_version(node, 1, y)
            node.saved = (x, y, r) if keep_result else (x, y)
        else:
            node.saved = ()
        t._node = node
        if mode.tape is not None:
            mode.tape.record(node, op, (self, other, *attrs), (r,))
        return t

    call.leaves_foreign = True  # type: ignore[attr-defined]
    return call


def promoted(op: Op, self: Any, other: Any) -> tuple[Any, Any, Any]:
    """The dtype that an op computes in, and its two operands in that."""
    d = promote(rank(self), rank(other))
    if op.floating and d.kind not in "fc":
        d = dtypes.default.float
    if d is BF16 or d is F16:
        return d, beside_half(self, d, False), beside_half(other, d, bool(op.exact_numbers))
    return d, in_dtype(self._a, d), in_dtype(other._a, d)


def operand(value: Any, partner: Array) -> Any:
    """A number beside a Tensor, as a 0-d tensor in its partner's dtype; None for what is no number."""
    if isinstance(value, np.generic):
        value = plain(value)
    if isinstance(value, (int, float)):
        d = partner.dtype
        t: Any = _new(WrappedNumber)
        if d.kind == "f":
            t._a = np.array(value, d) if partner.ndim and d is not BF16 else d.type(value)
        else:
            a = np.asarray(value)
            if a.dtype.kind not in "bif":
                raise OverflowError("int too big to convert")
            t._a = a[()]
        t.number = value
        return t
    if isinstance(value, complex):
        t = _new(WrappedNumber)
        t._a = np.asarray(value)[()]
        t.number = value
        return t
    return None


def plain(value: Any) -> Any:
    """A number of NumPy's as PyTorch takes it: truth values for floats."""
    return float(value) if type(value) is np.bool_ else value.item()


def single(number: Any) -> Any:
    """A number beside half precision: it is not rounded to that."""
    t: Any = _new(WrappedNumber)
    t._a = F32.type(number)
    t._vc = None
    t.number = number
    return t


def beside_half(x: Any, d: Any, exact: bool) -> Any:
    """An operand of an op in half precision ``d``: a number is in its own, and a 0-d tensor may be."""
    a = x._a
    wider = a.dtype is F32 or a.dtype is F64 or a.dtype.kind in "iu"
    # A number beside whole ones has come in the precision of Python's.
    if type(x) is WrappedNumber and (a.dtype is F32 or not wider):
        return a
    return F32.type(a) if exact and wider and not a.ndim else in_dtype(a, d)


def rank(x: Any) -> Any:
    """The value that decides a result's dtype: a tensor's array, a number as it was written."""
    return x.number if type(x) is WrappedNumber else x._a


def in_dtype(a: Any, d: Any) -> Any:
    """``a``, an array or a number, in dtype ``d``."""
    if isinstance(a, np.ndarray):
        return a if a.dtype is d else converted_like(a, d)
    if type(a) is int and d.kind in "iu":
        from ..ops.make.filled import fitted

        return fitted(a, d)
    return d.type(a)


def _is_number(value: Any) -> bool:
    """Tell whether a value is taken for a factor: a number, or a tensor that is one and is not differentiated."""
    if isinstance(value, Tensor):
        return value.ndim == 0 and not value.requires_grad
    return isinstance(value, _NUMBERS)


def by_name(operator: Any, name: str = "") -> Any:
    """An operator under its name: operands by keyword too, the rest only so; what is no operand is an error."""
    op = operator.op
    name = name or op.name
    first, second = op.parameters[:2]
    numbers = getattr(operator, "numbers", 2)
    strict = range(2 - numbers)

    def refused(args: tuple[Any, ...], i: int) -> GradcliError:
        # PyTorch names the argument when it has one overload to compare with.
        return no_overload(name, *args) if numbers == 1 else not_a_tensor(name, op.parameters[i], i + 1, args[i])

    def function(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != 2:
            if "out" in kwargs:
                return written(function, args, kwargs)
            args = operands(args, kwargs)
        for i in strict:
            if not isinstance(args[i], (Tensor, np.ndarray, np.generic)):
                raise refused(args, i)
        if type(args[0]) in _NUMBERS and type(args[1]) in _NUMBERS:
            if op.kind != "elementwise":
                raise no_overload(name, *args)
            args = (tensor(args[0]), *args[1:])
        r = operator(*args)
        if r is NotImplemented:
            raise refused(args, 1 if isinstance(args[0], Tensor) else 0)
        return r

    def operands(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        if len(args) == 3 and not kwargs and op.attrs == ("alpha",) and _is_number(args[1]):
            return in_todays_order(op, args)
        if len(args) > 2:
            raise EngineTypeError(f"{name}() takes 2 positional arguments but {len(args)} were given")
        found = dict(zip(op.parameters, args, strict=False))
        for k, v in kwargs.items():
            k = ALIASES.get(k, k) if k not in op.parameters else k
            if k not in op.parameters:
                raise EngineTypeError(f"{name}() got an unexpected keyword argument '{k}'")
            if k in found:
                raise EngineTypeError(f"{name}() got multiple values for argument '{k}'")
            found[k] = v
        for p in op.parameters:
            if p not in found and p not in op.defaults:
                shown = "input" if p == "self" else p
                raise EngineTypeError(f'{name}() missing required argument: "{shown}"')
        if len(found) == 2:
            return found[first], found[second]
        return tuple([found.get(p, op.defaults.get(p)) for p in op.parameters])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = op.doc
    function.op = op  # type: ignore[attr-defined]
    return function
