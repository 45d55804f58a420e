"""The small changes of a statement that a slip of the pen may have made: by them a wrong backward is made right."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, zip_longest
from typing import Any, NamedTuple

from .data_flow import own_parts

# A factor that was forgotten is a whole number, or a fraction with no larger divisor, of no larger a number.
DENOMINATOR, _LARGEST = 64, 1024
# A number that was found is near to the one that stands there if it differs by no more than this part of it.
_NEAR = 0.1
# A fraction in the place of a whole number, and what makes one thing of the same twice: a difference, a quotient.
_BROKEN, _VAIN = 3, 10
# A factor that has a name, and one that is a fraction of two numbers.
_FACTOR, _FRACTION = 2, 3
# Something else than a 1 that is assigned as it is: who begins with that, or marks a place, means it.
_SEED = 2
# More than anything that may have been forgotten is long.
_FAR_FETCHED = 1000
# Two numbers that differ by less than this part of them are one.
_SAME = 1e-7
# What stands in a statement at least so often may be meant to be another everywhere.
_SEVERAL = 2
# What is taken for another of its kind.
_FAMILIES = (
    ("sum", "mean"), ("sin", "cos"), ("sinh", "cosh"), ("tanh", "sigmoid"), ("exp", "log", "log1p", "expm1"),
    ("sqrt", "rsqrt", "square", "reciprocal"), ("abs", "sign"), ("amax", "amin"), ("max", "min"),
    ("argmax", "argmin"), ("triu", "tril"), ("zeros_like", "ones_like"), ("cumsum", "cumprod"), ("floor", "ceil"),
    ("erf", "erfc"), ("lt", "le", "gt", "ge"), ("scatter", "scatter_add"), ("index_copy", "index_add"),
    ("scatter_", "scatter_add_"), ("index_copy_", "index_add_"),
)  # fmt: skip
# What may have been forgotten around a value: methods of its own.
_FORGOTTEN = ("exp", "log", "sqrt", "reciprocal", "abs", "sign", "sin", "cos", "tanh", "sigmoid")
_TURNED = "T", "mT"
# The names by which programs call NumPy.
NUMPY = frozenset({"np", "numpy"})
_ALONG = "flip", "cumsum", "sum", "mean"
_REDUCTIONS = "sum", "mean"
_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add, ast.Sub, ast.MatMult),
    ast.Div: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.FloorDiv: (ast.Div,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd, ast.BitXor),
}
_EQUALITIES = ast.Eq, ast.NotEq
_ORDERINGS = ast.Lt, ast.LtE, ast.Gt, ast.GtE
_COMPARISONS = *_ORDERINGS, *_EQUALITIES
# What holds a value that is a term of its own: there a factor or a sign may have been forgotten.
_TERMS = ast.Assign, ast.AugAssign, ast.Return, ast.Tuple, ast.List, ast.keyword


# An expression that is read: what holds it, in which field, at which place of it; and what may have been meant by one.
_Place = tuple[ast.AST, str, int | None, ast.expr]
_Way = Callable[[ast.expr, ast.AST, Sequence[str], Sequence[ast.expr]], Iterator[ast.expr]]


class Change(NamedTuple):
    """Another expression in the place of one."""

    # What holds the expression, in which field, and at which place of it.
    holder: ast.AST
    field: str
    place: int | None
    before: Any
    after: Any
    # A number in it that is to be found.
    free: ast.Constant | None = None
    # At so many spots it is another.
    spots: int = 1
    # How odd it is, and what is told of it, where the expressions do not say so.
    known_oddness: int | None = None
    told: str | None = None

    @property
    def is_factor(self) -> bool:
        """Tell whether a factor was added."""
        return self.free is not None and self.free is not self.after

    @property
    def oddness(self) -> int:
        """The larger the less likely the slip: 0 for what is written otherwise, else how much is added.

        Most of all for numbers that were found where they are no simple fraction, and not near to what stands there.
        """
        if self.known_oddness is not None:
            return self.known_oddness
        if self.free is not None and not self.is_factor:
            number: Any = self.free.value
            before: Any = self.before.value
            if isinstance(before, int) and not isinstance(number, int):
                # Whole numbers are seldom meant to be others.
                return _BROKEN if is_simple(number) else _FAR_FETCHED
            is_likely = is_simple(number) or abs(number - before) <= _NEAR * abs(before)
            return _SEED * self._is_seed if is_likely else _FAR_FETCHED
        after = self.after
        if self._is_seed and isinstance(after, (ast.Name, ast.Attribute, ast.operator)):
            return _SEED + 1
        is_power = isinstance(self.holder, ast.BinOp) and isinstance(self.holder.op, ast.Pow)
        if is_power and _is_opposite(self.before, after):
            # A power is seldom meant to be that of the inverse.
            return 1
        if self.free is not None:
            factor: Any = self.free.value
            if _is_length(self.before):
                # Some other length was meant.
                return 1
            over, under = Fraction(factor).limit_denominator(DENOMINATOR).as_integer_ratio()
            return _FRACTION if 1 not in (over, under) else int(factor != 1)
        if not isinstance(after, ast.AST):
            return 0
        vain = _VAIN * max(_idle_operations(after) - _idle_operations(self.before), 0) + self.spots - 1
        if isinstance(after, ast.BinOp) and isinstance(after.op, ast.Sub):
            # A sign too many is likelier than a difference the wrong way round.
            vain += after.right is getattr(self.before, "left", None)
        if all(x is not self.before for x in ast.walk(after)):
            return vain + (isinstance(self.before, ast.BinOp) and _is_sum_with(self.before, after))
        if isinstance(after, ast.BinOp) and after.left is self.before:
            if _is_one_off(after) or (isinstance(after.op, ast.Pow) and isinstance(after.left, ast.Name)):
                return 1
            if isinstance(after.op, (ast.Mult, ast.Div)) and isinstance(after.right, (ast.Name, ast.Attribute)):
                return vain + _FACTOR
        is_turned = isinstance(after, ast.Attribute) and after.value is self.before and after.attr in _TURNED
        # It is forgotten where matrices meet, rather than where one gets its name, and of a name rather than of a sum.
        vain += is_turned and isinstance(self.holder, _TERMS)
        vain += is_turned and isinstance(self.before, ast.BinOp)
        return vain + sum(1 for _ in ast.walk(after)) - sum(1 for _ in ast.walk(self.before))

    @property
    def _is_seed(self) -> bool:
        """Tell whether a 1 is assigned, or added, as it is."""
        part = self.holder.value if isinstance(self.holder, ast.AugAssign) else self.before
        is_one = isinstance(part, ast.Constant) and part.value == 1
        return is_one and isinstance(self.holder, (ast.Assign, ast.AugAssign))

    def put(self, value: Any) -> None:
        """Put a value in the place."""
        if self.place is None:
            setattr(self.holder, self.field, value)
        else:
            getattr(self.holder, self.field)[self.place] = value

    def in_place_of(self) -> str:
        """Tell what would stand there in place of what."""
        if self.told is not None:
            return self.told
        after = self.after
        if self.is_factor and self.free is not None and isinstance(self.free.value, float):
            over, under = Fraction(self.free.value).limit_denominator(DENOMINATOR).as_integer_ratio()
            after = ast.BinOp(ast.BinOp(ast.Constant(over), ast.Div(), ast.Constant(under)), ast.Mult(), after.right)
        return f"`{_text(after)}` in place of `{_text(self.before)}`"


def simple_changes(statement: ast.stmt, names: Sequence[str], parts: Sequence[ast.expr]) -> Iterator[Change]:
    """Another operator, name, number or function, a sign or a factor, and what is left out.

    ``names``: what is known there; ``parts``: what else the Function computes of it.
    """
    # Of names there may be many: what else is written is tried first.
    for holder, field, place, part in sorted(_places(statement), key=lambda x: isinstance(x[-1], ast.Name)):
        for after in _others(part, holder, names, parts):
            yield _change(holder, field, place, part, after)
        if isinstance(holder, (ast.Assign, ast.Return)) and not isinstance(part, (ast.Name, ast.Tuple)):
            # All of it by the name of something else, or by what is kept.
            yield from (_change(holder, field, place, part, ast.Name(name, ast.Load())) for name in names)
            yield from (_change(holder, field, place, part, x) for x in parts if isinstance(x, ast.Attribute))
        if isinstance(part, ast.Constant) and type(part.value) in (int, float):
            free = ast.Constant(part.value)
            yield _change(holder, field, place, part, free, free)
    if isinstance(statement, ast.For):
        backwards = ast.Call(ast.Name("reversed", ast.Load()), [statement.iter], [])
        yield _change(statement, "iter", None, statement.iter, backwards)
    if isinstance(statement, ast.AugAssign):
        for other in _OPERATORS.get(type(statement.op), ()):
            yield Change(statement, "op", None, statement.op, other())
    yield from _otherwise_assigned(statement)
    yield from _everywhere(statement, names)
    for holder, field, place, part in _places(statement):
        is_summand = isinstance(holder, ast.BinOp) and isinstance(holder.op, (ast.Add, ast.Sub))
        # What is chosen of several values is returned as it is.
        is_chosen = isinstance(holder, ast.Call) and getattr(holder.func, "attr", None) == "where" and place != 0
        is_term = isinstance(holder, _TERMS) or is_summand or is_chosen
        if is_term and _is_value(part) and not isinstance(part, ast.Tuple):
            free = ast.Constant(1)
            yield _change(holder, field, place, part, ast.BinOp(free, ast.Mult(), part), free)


def _otherwise_assigned(statement: ast.stmt) -> Iterator[Change]:
    """Two neighbouring names of an assignment exchanged, and entries added to, or taken from, where they are set."""
    if not isinstance(statement, ast.Assign):
        return
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple):
        for exchanged in _exchanged(target.elts):
            yield _change(statement, "targets", 0, target, ast.Tuple(exchanged, ast.Store()))
    if isinstance(target, (ast.Name, ast.Subscript, ast.Attribute)):
        before = copy.copy(target)
        before.ctx = ast.Load()
        for op in (ast.Add, ast.Sub):
            added = _change(statement, "value", None, value, ast.BinOp(before, op(), value))
            yield added._replace(known_oddness=0, told=f"`{_SIGNS[op]}` in place of `=`")


def _exchanged(elements: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """The elements with two neighbours exchanged."""
    for i in range(len(elements) - 1):
        yield [*elements[:i], elements[i + 1], elements[i], *elements[i + 2 :]]


def _everywhere(statement: ast.stmt, names: Sequence[str]) -> Iterator[Change]:
    """Two names exchanged, and another whole number or name for one that stands in a statement several times."""
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.expr):
        return
    counted = Counter(map(_spelled, ast.walk(value)))
    known = [x for x in counted if x is not None and x in names]
    for one, another in combinations(known, 2):
        exchanged = _Renaming({one: another, another: one}).visit(copy.deepcopy(value))
        yield _change(statement, "value", None, value, exchanged)._replace(spots=_SEVERAL)
    for spelled, times in counted.items():
        if spelled is None or times < _SEVERAL or not (isinstance(spelled, int) or spelled in names):
            continue
        others = _numbers(spelled) if isinstance(spelled, int) else (x for x in names if x != spelled)
        for other in others:
            after = _Renaming({spelled: other}).visit(copy.deepcopy(value))
            yield _change(statement, "value", None, value, after)._replace(spots=times)


def _spelled(part: ast.AST) -> int | str | None:
    """A whole number or a name, as it is written."""
    if isinstance(part, ast.Constant) and type(part.value) is int:
        return part.value
    return part.id if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) else None


class _Renaming(ast.NodeTransformer):
    """Writes other whole numbers or names in the place of some."""

    def __init__(self, others: Mapping[int | str, Any]) -> None:
        self.others = others

    def visit(self, node: ast.AST) -> Any:
        """Write the other one, or go on below."""
        spelled = _spelled(node)
        if spelled is None or spelled not in self.others:
            return super().visit(node)
        other = self.others[spelled]
        is_name = isinstance(node, ast.Name)
        return ast.copy_location(ast.Name(other, ast.Load()) if is_name else ast.Constant(other), node)


def with_products(statement: ast.stmt, names: Sequence[str], parts: Sequence[ast.expr]) -> Iterator[Change]:
    """A term more, which is a product of something with a name or a part."""
    for holder, field, place, part in _places(statement):
        if isinstance(holder, _TERMS) and _is_value(part) and not isinstance(part, ast.Tuple):
            for one, another in permutations([*(ast.Name(name, ast.Load()) for name in names), *parts], 2):
                for op in (ast.Mult(), ast.MatMult()):
                    after = ast.BinOp(part, ast.Add(), ast.BinOp(one, op, another))
                    yield _change(holder, field, place, part, after)


def insertions(statement: ast.stmt, names: Sequence[str], parts: Sequence[ast.expr]) -> Iterator[Change]:
    """A factor, a term, a function that may have been forgotten."""
    places = [x for x in _places(statement) if _is_value(x[-1]) and not isinstance(x[-1], ast.Tuple)]
    ways = (_turned, _with_names, _with_parts, _in_functions)
    # By turns: of names there may be many.
    for changes in zip_longest(*(_more(way, places, names, parts) for way in ways)):
        yield from (x for x in changes if x is not None)


def _more(
    way: _Way, places: Iterable[_Place], names: Sequence[str], parts: Sequence[ast.expr]
) -> Iterator[Change]:
    """The changes of one sort, in all places."""
    for holder, field, place, part in places:
        for after in way(part, holder, names, parts):
            yield _change(holder, field, place, part, after)


def _change(
    holder: ast.AST, field: str, place: int | None, part: ast.expr, after: ast.expr, free: ast.Constant | None = None
) -> Change:
    return Change(holder, field, place, part, ast.fix_missing_locations(ast.copy_location(after, part)), free)


def _places(statement: ast.stmt) -> Iterator[_Place]:
    """The expressions of a statement that are read, each with its place; none of statements below it."""
    waiting: list[ast.AST] = [statement]
    own = set(map(id, own_parts(statement)))
    while waiting:
        holder = waiting.pop()
        for field, value in ast.iter_fields(holder):
            for place, part in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if not isinstance(part, ast.AST) or (holder is statement and id(part) not in own):
                    continue
                waiting.append(part)
                called = isinstance(holder, ast.Call) and field == "func"
                if isinstance(part, ast.expr) and not called and isinstance(getattr(part, "ctx", ast.Load()), ast.Load):
                    yield holder, field, place, part


def _others(
    part: ast.expr, holder: ast.AST, names: Iterable[str], parts: Iterable[ast.expr]
) -> Iterator[ast.expr]:
    """The expressions that may have been meant by one."""
    match part:
        case ast.BinOp(left, op, right):
            yield from (ast.BinOp(left, other(), right) for other in _OPERATORS.get(type(op), ()))
            if not isinstance(op, (ast.Add, ast.Mult)):
                yield ast.BinOp(right, op, left)
            if isinstance(op, ast.MatMult):
                yield from (ast.BinOp(*pair) for pair in ((_of(left, "mT"), op, right), (left, op, _of(right, "mT"))))
            yield from (left, right)
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield operand
        case ast.Compare(left, [op], [right]):
            number = right.value if isinstance(right, ast.Constant) else None
            others = _EQUALITIES if isinstance(number, str) else _COMPARISONS if type(number) is int else _ORDERINGS
            others = _COMPARISONS if isinstance(op, _EQUALITIES) and others is _ORDERINGS else others
            yield from (ast.Compare(left, [other()], [right]) for other in others if type(op) is not other)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield from values
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield from (ast.Constant(x) for x in _numbers(value))
            # What the context keeps, and numbers that stand elsewhere in the Function.
            yield from (x for x in parts if isinstance(x, ast.Attribute))
            yield from (x for x in parts if isinstance(x, ast.Constant) and x.value != value)
        case ast.Attribute(value, "T" | "mT" | "H" | "data" | "real" | "imag"):
            yield value
        case ast.Attribute(ast.Name(), _) if any(ast.dump(part) == ast.dump(x) for x in parts):
            # What an object keeps under another name.
            yield from (x for x in parts if isinstance(x, ast.Attribute) and ast.dump(part) != ast.dump(x))
        case ast.Call(ast.Name("reversed"), [value], []) | ast.Subscript(value, ast.Slice(None, None, ast.expr())):
            yield value
        case ast.Slice(None, None, None) if isinstance(holder, ast.Tuple):
            # Each with one of them, for all with each of them.
            for beside in (x for x in holder.elts if not isinstance(x, ast.Slice)):
                count = ast.Call(ast.Name("len", ast.Load()), [beside], [])
                yield ast.Call(ast.Attribute(ast.Name("torch", ast.Load()), "arange", ast.Load()), [count], [])
        case ast.Slice(None, ast.UnaryOp(ast.USub(), count), None):
            # All but the last ones, for all but the first.
            yield ast.Slice(count, None, None)
        case ast.Slice(ast.Constant(int() as count), None, None) if count:
            yield ast.Slice(None, ast.UnaryOp(ast.USub(), ast.Constant(count)), None)
            yield ast.Slice(None, ast.Constant(count), None)
        case ast.Slice(None, ast.expr() as end, None):
            yield ast.Slice(end, None, None)
        case ast.Slice(ast.expr() as start, None, None):
            yield ast.Slice(None, start, None)
        case ast.Call(ast.Attribute(value, name), args, keywords):
            family = next((kind for kind in _FAMILIES if name in kind), ())
            yield from (ast.Call(_of(value, other), args, keywords) for other in family if other != name)
            of_module = isinstance(value, ast.Name) and value.id not in names
            if not of_module:
                yield value
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
                # Both of two calls in a row, as a cast and the one that undoes it.
                yield value.func.value
            yield from args[:1] if of_module else ()
            for exchanged in _exchanged(args):
                yield ast.Call(part.func, exchanged, keywords)
            if name in ("index_put", "index_put_") and not keywords:
                yield ast.Call(part.func, args, [ast.keyword("accumulate", ast.Constant(True))])
            if name == "cumsum" and not of_module:
                # From the other end.
                turned = ast.Call(_of(ast.Call(_of(value, "flip"), args, []), name), args, keywords)
                yield ast.Call(_of(turned, "flip"), args, [])
            if name in ("numel", "size", "dim"):
                yield from _lengths(value)
        case ast.List(elements, context) | ast.Tuple(elements, context):
            for exchanged in _exchanged(elements):
                yield type(part)(exchanged, context)
        case ast.Subscript(ast.Attribute(value, "shape"), _) | ast.Call(ast.Name("len"), [value], _):
            yield ast.Call(_of(value, "numel"), [], [])
            yield from _lengths(value)
        case ast.Subscript(value, ast.Constant(int() as axis)):
            # One of those that were to be added.
            yield ast.Call(_of(value, "sum"), [ast.Constant(axis)], [])
        case ast.Name(name) if name in names:
            yield from (ast.Name(other, ast.Load()) for other in names if other != name)
            yield from (x for x in parts if isinstance(x, ast.Attribute))
            if isinstance(holder, (ast.Subscript, ast.Slice)):
                yield from (ast.BinOp(part, op(), ast.Constant(1)) for op in (ast.Add, ast.Sub))


def _with_names(
    part: ast.expr, holder: ast.AST, names: Sequence[str], parts: Sequence[ast.expr]
) -> Iterator[ast.expr]:
    """An expression with a name more."""
    is_summand, is_term = _holds_terms(holder)
    for other in (ast.Name(name, ast.Load()) for name in names):
        if is_term:
            yield from (ast.BinOp(part, op(), other) for op in (ast.Mult, ast.Div))
        if isinstance(holder, (*_TERMS, ast.Call, ast.BinOp)) and not is_summand:
            yield from (ast.BinOp(part, op(), other) for op in (ast.Add, ast.Sub))


def _turned(
    part: ast.expr, holder: ast.AST, names: Sequence[str], parts: Sequence[ast.expr]
) -> Iterator[ast.expr]:
    """An expression with a sign, one more or less, squared, or transposed."""
    is_summand, is_term = _holds_terms(holder)
    if is_term:
        yield ast.UnaryOp(ast.USub(), part)
    if is_term or isinstance(part, ast.Name):
        yield ast.BinOp(ast.Constant(1), ast.Sub(), part)
    if is_term or isinstance(part, (ast.Name, ast.BinOp)):
        yield ast.BinOp(part, ast.Pow(), ast.Constant(2))
    if isinstance(holder, (*_TERMS, ast.Call, ast.BinOp)) and not is_summand:
        yield from (ast.BinOp(part, op(), ast.Constant(1)) for op in (ast.Add, ast.Sub))
    if is_term or isinstance(holder, ast.Attribute):
        yield from (_of(part, name) for name in _TURNED)


def _in_functions(
    part: ast.expr, holder: ast.AST, names: Sequence[str], parts: Sequence[ast.expr]
) -> Iterator[ast.expr]:
    """An expression in a function that may have been forgotten."""
    _, is_term = _holds_terms(holder)
    # An array of NumPy has no methods for most of them.
    modules = [ast.Name(name, ast.Load()) for name in sorted({x for x in map(_module_of, parts) if x in NUMPY})]
    if is_term or isinstance(holder, ast.Attribute):
        yield from (ast.Call(_of(part, name), [ast.Constant(axis)], []) for name in _ALONG for axis in (0, -1))
    if is_term or isinstance(part, (ast.Name, ast.BinOp)):
        yield from (ast.Call(_of(part, name), [], []) for name in _FORGOTTEN)
        yield from (ast.Call(_of(module, name), [part], []) for module in modules for name in _FORGOTTEN)
    match part:
        case ast.Call(ast.Attribute(value, name), args, keywords) if name in _FORGOTTEN:
            yield from (ast.Call(_of(value, other), args, keywords) for other in _FORGOTTEN if other != name)


def _with_parts(
    part: ast.expr, holder: ast.AST, names: Sequence[str], parts: Sequence[ast.expr]
) -> Iterator[ast.expr]:
    """An expression with something more of what the Function computes."""
    _, is_term = _holds_terms(holder)
    for other in (x for x in parts if not isinstance(x, ast.Constant)):
        if is_term:
            operators = (ast.Mult, ast.Div, ast.Add, ast.Sub) if isinstance(holder, _TERMS) else (ast.Mult, ast.Div)
            yield from (ast.BinOp(part, op(), other) for op in operators)
        elif _holds_factors(holder):
            yield from (ast.BinOp(part, op(), other) for op in (ast.Add, ast.Sub))


def _holds_terms(holder: ast.AST) -> tuple[bool, bool]:
    """Tell whether what an expression stands in adds it to another, and whether it may be a term of its own there."""
    is_summand = isinstance(holder, ast.BinOp) and isinstance(holder.op, (ast.Add, ast.Sub))
    is_reduced = isinstance(holder, ast.Attribute) and holder.attr in _REDUCTIONS
    return is_summand, is_summand or is_reduced or isinstance(holder, (*_TERMS, ast.Call, ast.Subscript))


def _holds_factors(holder: ast.AST) -> bool:
    """Tell whether what an expression stands in multiplies or divides it."""
    return isinstance(holder, ast.BinOp) and isinstance(holder.op, (ast.Mult, ast.Div, ast.MatMult))


def _is_one_off(sum: ast.BinOp) -> bool:
    """Tell whether 1 is added to a name, or taken from it."""
    is_one = isinstance(sum.right, ast.Constant) and sum.right.value == 1
    return isinstance(sum.op, (ast.Add, ast.Sub)) and is_one and isinstance(sum.left, (ast.Name, ast.Attribute))


def _module_of(part: ast.expr) -> str | None:
    """The name of what a function is called of, as `np` in `np.exp(x)`."""
    of = part.func.value if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) else None
    return of.id if isinstance(of, ast.Name) else None


def _lengths(value: ast.expr) -> Iterator[ast.expr]:
    """The lengths of a tensor along its first and last axes."""
    for axis in (0, 1, -1):
        yield ast.Subscript(_of(value, "shape"), ast.Constant(axis), ast.Load())


def _numbers(value: float) -> Iterator[float]:
    """The whole numbers that one may have been meant to be."""
    if isinstance(value, int):
        yield from (x for x in (value - 1, value + 1, -value, value - 2, value + 2) if x != value)
    elif value:
        yield 0


def _idle_operations(part: ast.AST) -> int:
    """The number of operations in an expression whose operands are one and the same, as in `x - x`."""
    operations = (x for x in ast.walk(part) if isinstance(x, ast.BinOp) and not isinstance(x.op, ast.Mult))
    return sum(ast.dump(x.left) == ast.dump(x.right) for x in operations)


def _is_sum_with(sum: ast.BinOp, term: ast.AST) -> bool:
    """Tell whether one is a sum, or a difference, of the other and something."""
    return isinstance(sum.op, (ast.Add, ast.Sub)) and (sum.left is term or sum.right is term)


def _is_opposite(one: Any, other: Any) -> bool:
    numbers = isinstance(one, ast.Constant) and isinstance(other, ast.Constant)
    return numbers and isinstance(one.value, int) and one.value == -other.value


def _is_length(part: Any) -> bool:
    """Tell whether an expression is the length of something, such as `x.shape[-1]`."""
    part = part.value if isinstance(part, ast.Subscript) else part.func if isinstance(part, ast.Call) else part
    return getattr(part, "attr", getattr(part, "id", None)) in _LENGTHS


def is_simple(number: float) -> bool:
    """Tell whether a factor may have been forgotten: a whole number, or a fraction of small ones."""
    for under in range(1, DENOMINATOR + 1):
        over = round(number * under)
        if abs(number * under - over) <= _SAME * abs(number * under) and (under == 1 or abs(over) <= _LARGEST):
            return True
    return False


def _is_value(part: ast.expr) -> bool:
    """Tell whether an expression may be of tensors or numbers."""
    return not isinstance(part, (ast.Constant, ast.Slice, ast.JoinedStr, ast.Lambda, ast.Starred, ast.Compare))


def _of(value: ast.expr, name: str) -> ast.Attribute:
    return ast.Attribute(value, name, ast.Load())


_LENGTHS = frozenset({"shape", "size", "numel", "len"})
_SIGNS = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/=", ast.MatMult: "@="}


def _text(part: ast.AST) -> str:
    return _SIGNS[type(part)] if isinstance(part, ast.operator) else ast.unparse(part)
