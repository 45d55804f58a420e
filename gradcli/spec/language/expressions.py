"""Expressions: names, displays, operators, attributes, subscripts, formatted strings."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ...engine.tape.asked import Asked
from ..guard import limits as limits_
from ..guard.library_calls import holds_own, standing_for
from ..guard.notes import note
from ..guard.size_limits import ARRAYS, LEAST, MOST, slice_of, weigh, weigh_key
from ..input.parse import written
from ..stdlib.hints import Hint
from ..torch_names.namespaces import NAMESPACES, NO_VALUES, NoSuchName
from ..torch_names.suggest import did_you_mean
from ..values.classes.enumerations import EnumType
from ..values.classes.metaclasses import inherited
from ..values.classes.sealed_classes import TYPE
from ..values.formatting import formatted
from ..values.members import found_by, get, names
from ..values.tables.containers import spread
from ..values.user_definitions import MISSING, TYPED, Namespace, as_place, is_special
from .compiler import Code, Compiler, compiles
from .exception_marks import mark, marked, marks
from .machine import Machine
from .operators import ATOMS, NUMBERS, OF_ATOMS, OF_NUMBERS, Binary
from .scopes import WIDE, mangled
from .variables import own_name

if TYPE_CHECKING:
    from ...engine.tape.tape import Tape

T = TypeVar("T")

# What has an item for a number, and nothing more to it.
_BY_PLACE = frozenset((list, tuple, str, range, bytes))
# Types that annotations subscript.
_GENERIC = (list, tuple, dict, set, frozenset, TYPE)

# What is to be written instead of a name that Python itself gives a meaning to.
_INSIDE = "names with a meaning inside Python are not in the spec language: write the operator or the builtin for it"


def reading(machine: Machine) -> Callable[[Any, Any], Any]:
    """Return the function that reads ``obj[i]``."""
    charge = machine.budget.charge_index

    def read(obj: Any, i: Any) -> Any:
        if type(obj) is list and type(i) is int:
            return obj[i]
        if type(obj) is dict:
            if type(i) is tuple:
                weigh(i)
        elif isinstance(obj, ARRAYS):
            array: Any = obj
            try:
                charge(array, i)
                return array[i]
            except (IndexError, RuntimeError):
                if not holds_own((i,)):
                    raise
                i = standing_for(i)
                charge(array, i)
        elif isinstance(obj, type):
            if obj in _GENERIC:
                return Hint(obj.__name__)[i]
            if isinstance(obj, EnumType) or inherited(obj, "__getitem__") is not MISSING:
                classes: Any = obj
                return classes[i]
            if (hook := found_by(obj.__mro__, TYPED)) is not None:
                return hook(obj, i)
            from ..values.classes.data_classes import Generic

            if issubclass(obj, Generic) or hasattr(obj, "__class_getitem__"):
                return obj
            raise TypeError(f"type '{obj.__name__}' is not subscriptable")
        elif type(i) is tuple:
            weigh_key(i)
        try:
            return obj[i]
        except TypeError:
            if type(obj) not in _BY_PLACE:
                raise
        return obj[slice(*map(as_place, (i.start, i.stop, i.step))) if type(i) is slice else as_place(i)]

    return read


# -- displays --------------------------------------------------------------------------


def compile_items(c: Compiler, nodes: list[ast.expr]) -> Any:
    """Code that gives a list of the values of expressions, with starred ones spread."""
    numbers = [_number(n) for n in nodes]
    if None not in numbers:
        return lambda env: numbers.copy()
    codes = [c.code(n.value if isinstance(n, ast.Starred) else n) for n in nodes]
    if not any(isinstance(n, ast.Starred) for n in nodes):
        return lambda env: [code(env) for code in codes]
    parts = [(code, n, c.iterating(n)) for code, n in zip(codes, nodes, strict=True)]
    machine = c.machine
    most = machine.limits.sequence

    def spread(env: Any) -> list[Any]:
        items: list[Any] = []
        for code, n, iterate in parts:
            value = code(env)
            if isinstance(n, ast.Starred):
                try:
                    for item in iterate(value):
                        items.append(item)
                        if len(items) > most:
                            raise limits_.too_long(machine.limits, "list", len(items))
                except marked(n):
                    raise
            else:
                items.append(value)
        return items

    return spread


def _number(node: ast.expr) -> float | None:
    """A number that is written down, with its sign; None of any other expression."""
    negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    of = node.operand if negative else node  # type: ignore[attr-defined]
    number = of.value if isinstance(of, ast.Constant) else None
    if type(number) is float or (type(number) is int and number <= MOST):
        return -number if negative else number
    return None


@compiles(ast.Tuple)
def _tuple(c: Compiler, node: ast.Tuple) -> Code:
    if isinstance(node.ctx, ast.Load) and not any(isinstance(n, ast.Starred) for n in node.elts):
        codes = [c.code(n) for n in node.elts]
        if len(codes) == 2:
            first, second = codes
            return lambda env: (first(env), second(env))
        return lambda env: tuple([code(env) for code in codes])
    items = compile_items(c, node.elts)
    return lambda env: tuple(items(env))


@compiles(ast.List)
def _list(c: Compiler, node: ast.List) -> Code:
    return compile_items(c, node.elts)  # type: ignore[no-any-return]


@compiles(ast.Set)
def _set(c: Compiler, node: ast.Set) -> Code:
    items = compile_items(c, node.elts)

    def run(env: Any) -> Any:
        try:
            found = items(env)
            for item in found:
                weigh_key(item)
            return set(found)
        except marked(node):
            raise

    return run


@compiles(ast.Dict)
def _dict(c: Compiler, node: ast.Dict) -> Code:
    pairs = [(None if k is None else c.code(k), c.code(v), v) for k, v in zip(node.keys, node.values, strict=True)]

    def run(env: Any) -> Any:
        made: dict[Any, Any] = {}
        for key, value, at in pairs:
            try:
                if key is None:
                    other = spread(value(env))
                    if not isinstance(other, dict):
                        raise TypeError(f"'{type(other).__name__}' object is not a mapping")
                    made.update(other)
                else:
                    k = key(env)
                    weigh_key(k)
                    made[k] = value(env)
            except marked(at):
                raise
        return made

    return run


# -- operators -------------------------------------------------------------------------


@compiles(ast.BinOp)
def _bin_op(c: Compiler, node: ast.BinOp) -> Code:
    # The left operands of a long sum are compiled in a loop, so that they nest nothing.
    chain = [node]
    while isinstance(chain[-1].left, ast.BinOp):
        chain.append(chain[-1].left)
    code = c.code(chain[-1].left)
    for link in reversed(chain):
        quick = OF_NUMBERS.get(type(link.op))
        code = _of_two(c, link, code, link.left, link.right, c.binary[type(link.op)][0], quick, NUMBERS)
    return code


def _of_two(
    c: Compiler, node: ast.AST, left: Code, of: ast.expr, by: ast.expr, operate: Binary, quick: Binary | None,
    kinds: frozenset[type],
) -> Code:  # fmt: skip
    """Code that computes with two values; where there is a quick way with those of some kinds, they go that way.

    A variable of the environment at hand is read from it at once: what it means to have none, its own code knows.
    """
    right, x, y = c.code(by), own_name(c, of), own_name(c, by)
    # What is computed in the quick way, no graph is told of.
    operate = c.noting(operate, node)
    if quick is None:
        # No value is of these.
        quick, kinds = operate, frozenset()
    if isinstance(by, ast.Constant) and type(by.value) in kinds:
        constant = right({})

        def with_constant(env: Any) -> Any:
            a = env[x] if x in env else left(env)
            try:
                if type(a) in kinds:
                    made = quick(a, constant)
                    if type(made) is int and not LEAST <= made <= MOST:
                        raise limits_.integer_too_large()
                    return made
                return operate(a, constant)
            except marked(node):
                raise

        return with_constant

    def run(env: Any) -> Any:
        a = env[x] if x in env else left(env)
        b = env[y] if y in env else right(env)
        try:
            if type(a) in kinds and type(b) in kinds:
                made = quick(a, b)
                if type(made) is int and not LEAST <= made <= MOST:
                    raise limits_.integer_too_large()
                return made
            return operate(a, b)
        except marked(node):
            raise

    return run


@compiles(ast.UnaryOp)
def _unary_op(c: Compiler, node: ast.UnaryOp) -> Code:
    number = _number(node)
    if number is not None:
        return lambda env: number
    operate = c.unary[type(node.op)]
    operand = c.code(node.operand)

    def run(env: Any) -> Any:
        value = operand(env)
        try:
            return operate(value)
        except marked(node):
            raise

    return c.traced(run, node)


@compiles(ast.BoolOp)
def _bool_op(c: Compiler, node: ast.BoolOp) -> Code:
    codes = [c.code(value) for value in node.values]
    *firsts, last = codes
    stop = isinstance(node.op, ast.Or)

    def run(env: Any) -> Any:
        for code in firsts:
            value = code(env)
            try:
                if bool(value) is stop:
                    return value
            except marked(node):
                raise
        return last(env)

    return run


@compiles(ast.Compare)
def _compare(c: Compiler, node: ast.Compare) -> Code:
    left = c.code(node.left)
    plain = [c.compare[type(op)] for op in node.ops]
    operates = _deciding(c, node, plain)
    if len(operates) == 1:
        quick = OF_ATOMS.get(type(node.ops[0])) if operates is plain else None
        return _of_two(c, node, left, node.left, node.comparators[0], operates[0], quick, ATOMS)
    codes = [c.code(n) for n in node.comparators]
    links = list(zip(operates, codes, strict=True))

    def chained(env: Any) -> Any:
        a = left(env)
        value: Any = True
        for operate, code in links:
            b = code(env)
            try:
                value = operate(a, b)
                if not value:
                    return value
            except marked(node):
                raise
            a = b
        return value

    return chained


def _deciding(c: Compiler, node: ast.Compare, operates: list[Binary]) -> list[Binary]:
    """Comparisons that, in a traced run, note how they came out where a condition hangs on them."""
    tracer = c.machine.tracer
    if tracer is None or node not in tracer.decisions.hanging:
        return operates
    comparing = tracer.decisions.comparing

    def noting(operate: Binary, link: int) -> Binary:
        compared = comparing(node, link)

        def run(a: Any, b: Any) -> Any:
            value = operate(a, b)
            compared(a, b, value)
            return value

        return run

    return [noting(operate, link) for link, operate in enumerate(operates)]


@compiles(ast.IfExp)
def _if_exp(c: Compiler, node: ast.IfExp) -> Code:
    test, body, orelse = compile_truth(c, node.test), c.code(node.body), c.code(node.orelse)
    return lambda env: body(env) if test(env) else orelse(env)


def compile_test(c: Compiler, node: ast.expr) -> tuple[Code, Callable[[Any], bool]]:
    """Code of an expression, and a function that says whether its value is true, unless it is True or False."""
    if c.machine.tracer is not None:
        return compile_truth(c, node), bool

    def truth(value: Any) -> bool:
        try:
            return bool(value)
        except marked(node):
            raise

    return c.code(node), truth


def compile_truth(c: Compiler, node: ast.expr) -> Code:
    """Code that says whether an expression is true."""
    code, tracer = c.code(node), c.machine.tracer
    note = None if tracer is None else tracer.note

    def run(env: Any) -> bool:
        value = code(env)
        if value is True or value is False:
            return value
        try:
            value = bool(value)
        except marked(node):
            raise
        if note is not None:
            note(None, node)
        return value

    if tracer is None or node not in tracer.decisions.conditions:
        return run
    decided, tape, is_open = tracer.decisions.deciding(node), tracer.tape, node in tracer.decisions.open

    def noting(env: Any) -> bool:
        outcome, asked = _asked(tape, run, env)
        # What was read before may decide, too.
        asked.reads |= bool(tape.escapes) and is_open
        decided(outcome, asked)
        return outcome

    return noting


def compile_assigned(c: Compiler, node: ast.expr) -> Code:
    """Code of what is assigned, which notes what it reads where a condition hangs on it."""
    code, tracer = c.code(node), c.machine.tracer
    if tracer is None or node not in tracer.decisions.noted:
        return code
    noted, tape = tracer.decisions.noted, tracer.tape

    def noting(env: Any) -> Any:
        value, noted[node] = _asked(tape, code, env)
        return value

    return noting


def _asked(tape: Tape, code: Callable[[Any], T], env: Any) -> tuple[T, Asked]:
    """Run code, and note what it reads of graphs."""
    before = tape.asked
    asked = tape.asked = Asked()
    try:
        return code(env), asked
    finally:
        tape.asked = before


# -- attributes and subscripts -----------------------------------------------------------


@compiles(ast.Attribute)
def _attribute(c: Compiler, node: ast.Attribute) -> Code:
    value, x = owner(c, node), own_name(c, node.value)
    name, does_without = attribute_name(c, node), c.does_without

    def run(env: Any) -> Any:
        obj = env[x] if x in env else value(env)
        try:
            return get(obj, name)
        except marked_attribute(obj, name, node, does_without):
            raise

    return c.traced(run, node)


def owner(c: Compiler, node: ast.Attribute) -> Code:
    """The value that has the attribute, which may be a module that is no value."""
    inner = node.value
    if not isinstance(inner, ast.Attribute) or not any(each.endswith(f".{inner.attr}") for each in NO_VALUES):
        return c.code(inner)
    value, name = c.code(inner.value), attribute_name(c, inner)

    def run(env: Any) -> Any:
        whole = value(env)
        if type(whole) is Namespace and f"{whole.full_name}.{name}" in NO_VALUES:
            return NAMESPACES[f"{whole.full_name}.{name}"]
        try:
            return get(whole, name)
        except marked_attribute(whole, name, inner):
            raise

    return run


def attribute_name(c: Compiler, node: ast.Attribute) -> str:
    """The name of an attribute, which is what is written."""
    source = c.machine.source
    hidden = node.attr.startswith("_") and not source.text.isascii()
    if hidden and not written(source, node).endswith(node.attr):
        raise c.refused(node, f"this is read as {node.attr}, but written in other letters", code="E101")
    name = mangled(node.attr, c.owner)
    return WIDE.get(name, name) if c.machine.wide else name


def marked_attribute(obj: Any, name: str, node: ast.AST, does_without: bool = False) -> tuple[type[Exception], ...]:
    """The classes to catch where an attribute failed, which is marked with its place and what may be meant.

    A program that does without a name that a module has not is told so, as PyTorch tells it.
    """
    error = sys.exception()
    if does_without and isinstance(error, NoSuchName):
        note(f"{error.module}.{name} is not in gradcli: the program is told that there is none")
        lacking = AttributeError(f"module '{error.module}' has no attribute '{name}'")
        mark(lacking, node)
        raise lacking from None
    if isinstance(error, AttributeError) and marks(error).place is None:
        its = marks(error)
        its.help = its.help or (_INSIDE if is_special(name) else did_you_mean(name, names(obj)))
    return marked(node)


@compiles(ast.Subscript)
def _subscript(c: Compiler, node: ast.Subscript) -> Code:
    value, x = c.code(node.value), own_name(c, node.value)
    index, y = c.code(node.slice), own_name(c, node.slice)
    read = reading(c.machine)

    def run(env: Any) -> Any:
        obj = env[x] if x in env else value(env)
        i = env[y] if y in env else index(env)
        try:
            return obj[i] if type(i) is int and type(obj) in _BY_PLACE else read(obj, i)
        except marked(node):
            raise

    return c.traced(run, node)


@compiles(ast.Slice)
def _slice(c: Compiler, node: ast.Slice) -> Code:
    none: Code = lambda env: None  # noqa: E731 (three of a kind)
    lower, upper, step = (none if n is None else c.code(n) for n in (node.lower, node.upper, node.step))
    return lambda env: slice_of(lower(env), upper(env), step(env))


@compiles(ast.Starred)
def _starred(c: Compiler, node: ast.Starred) -> Code:
    raise c.refused(node, "can't use starred expression here", code="E101")


# -- formatted strings -------------------------------------------------------------------


@compiles(ast.JoinedStr)
def _joined_str(c: Compiler, node: ast.JoinedStr) -> Code:
    codes = [c.code(part) for part in node.values]
    limits = c.machine.limits

    def run(env: Any) -> str:
        pieces = [code(env) for code in codes]
        joined = "".join(pieces)
        if len(joined) > limits.sequence:
            error = limits_.too_long(limits, "str", len(joined))
            mark(error, node)
            raise error
        return joined

    return run


@compiles(ast.FormattedValue)
def _formatted_value(c: Compiler, node: ast.FormattedValue) -> Code:
    value = c.code(node.value)
    conversion = node.conversion
    spec: Code = (lambda env: "") if node.format_spec is None else c.code(node.format_spec)

    def run(env: Any) -> str:
        v = value(env)
        try:
            shown: str = formatted(v, spec(env), conversion)
        except marked(node.value):
            raise
        return shown

    return run
