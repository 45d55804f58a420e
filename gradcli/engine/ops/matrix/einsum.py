"""einsum: operands lined up axis by axis, then multiplied pair by pair as stacks of matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import EngineValueError
from ... import ops
from ...call_errors import fail
from ...costs import ALWAYS, costs
from ...registry import composite, public
from ...tensor import Tensor, Value

ELLIPSIS = "..."
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@public("torch")
@costs("multiplying.einsum", careful=ALWAYS)
@composite
def einsum(*args: Any) -> Value:
    """Sums of products over named axes: an equation and its operands, or operands each with a list of axes."""
    if len(args) < 2:
        raise EngineValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if isinstance(args[0], str):
        equation, operands = args[0], args[1:]
    else:
        equation = ",".join("".join(map(_letter, labels)) for labels in args[1::2])
        operands = args[::2]
        if len(args) % 2:
            equation += "->" + "".join(map(_letter, args[-1]))
            operands = args[:-1:2]
    while len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not operands:
        fail("einsum(): must provide at least one operand")
    if not any(isinstance(x, Tensor) for x in operands):
        return np.einsum(equation, *operands, optimize=True)
    return _summed(equation, operands)


def _letter(axis: Any) -> str:
    if axis is Ellipsis:
        return ELLIPSIS
    if not 0 <= axis < len(LETTERS):
        raise EngineValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return LETTERS[axis]


def _labels(text: str, of: str, at: int) -> list[str]:
    """The labels of one operand, or of the output: letters and at most one ellipsis."""
    found: list[str] = []
    i = 0
    while i < len(text):
        c = text[i]
        if c == ".":
            if ELLIPSIS in found:
                more = "but an ellipsis (...) was already found" if of == "output" else (
                    "for which an ellipsis was already found"
                )
                fail(f"einsum(): found '.' for {of} {more}")
            if text[i : i + 3] != ELLIPSIS:
                more = " (...)" if of == "output" else ""
                fail(f"einsum(): found '.' for {of} that is not part of any ellipsis{more}")
            found.append(ELLIPSIS)
            i += 2
        elif c in LETTERS:
            found.append(c)
        elif c != " ":
            fail(
                f"einsum(): invalid subscript given at index {at + i} in the equation string, subscripts must be in "
                "[a-zA-Z]"
            )
        i += 1
    return found


def _summed(equation: str, operands: Sequence[Any]) -> Value:
    lhs, arrow, rhs = equation.partition("->")
    terms: list[list[str]] = []
    at = 0
    for part in lhs.split(","):
        if len(terms) == len(operands):
            fail("einsum(): fewer operands were provided than specified in the equation")
        terms.append(_labels(part, f"operand {len(terms)}", at))
        at += len(part) + 1
    if len(terms) < len(operands):
        fail("einsum(): more operands were provided than specified in the equation")
    wide = _ellipsis_rank(terms, operands)
    counts = {c: n for c in LETTERS if (n := sum(t.count(c) for t in terms))}
    place, start, kept = _places(rhs if arrow else None, counts, wide, len(lhs) + 2)
    rank = kept + sum(1 for c in counts if place[c] >= kept) + (wide if start >= kept else 0)
    uses = [0] * rank
    sizes: dict[str | int, int] = {}
    lined = [
        _lined_up(x, i, t, place, start, wide, rank, sizes, uses)
        for i, (x, t) in enumerate(zip(operands, terms, strict=True))
    ]
    out = lined[0]
    for x in lined[1:]:
        out = _joined(out, x, kept, uses)
    if rank == kept:
        return out
    if len(lined) > 1:
        return ops.views.view(out, out._a.shape[:kept])
    return ops.sums.sum_dim(out, tuple(range(kept, rank)), False)


def _ellipsis_rank(terms: list[list[str]], operands: Sequence[Any]) -> int:
    """The most axes that an ellipsis stands for."""
    wide = 0
    for i, (t, x) in enumerate(zip(terms, operands, strict=True)):
        n = x._a.ndim
        if ELLIPSIS in t:
            if len(t) - 1 > n:
                fail(
                    f"einsum(): the number of subscripts in the equation ({len(t) - 1}) is more than the number of "
                    f"dimensions ({n}) for operand {i}"
                )
            wide = max(wide, n - len(t) + 1)
        elif len(t) != n:
            fail(
                f"einsum(): the number of subscripts in the equation ({len(t)}) does not match the number of "
                f"dimensions ({n}) for operand {i} and no ellipsis was given"
            )
    return wide


def _places(
    rhs: str | None, counts: dict[str, int], wide: int, at: int
) -> tuple[dict[str, int], int, int]:
    """Where each label goes, where the ellipsis goes, and how many of the places are the output's."""
    place: dict[str, int] = {}
    next_place = 0
    start: int | None = None
    if rhs is None:
        # What is not said is: the ellipsis, then the labels seen once, in order.
        start, next_place = 0, wide
        for c, n in counts.items():
            if n == 1:
                place[c] = next_place
                next_place += 1
    else:
        for c in _labels(rhs, "output", at):
            if c == ELLIPSIS:
                start = next_place
                next_place += wide
            else:
                if c not in counts or c in place:
                    why = "appears more than once in the output" if c in place else (
                        "does not appear in the equation for any input operand"
                    )
                    fail(f"einsum(): output subscript {c} {why}")
                place[c] = next_place
                next_place += 1
    kept = next_place
    if start is None:
        start = next_place
        next_place += wide
    for c in counts:
        if c not in place:
            place[c] = next_place
            next_place += 1
    return place, start, kept


def _lined_up(
    x: Any,
    number: int,
    term: list[str],
    place: dict[str, int],
    start: int,
    wide: int,
    rank: int,
    sizes: dict[str | int, int],
    uses: list[int],
) -> Value:
    """An operand with diagonals taken for repeated labels, and its axes where they belong."""
    order = [-1] * rank
    at = 0
    for c in term:
        if c == ELLIPSIS:
            own = operand_rank(x, term, at)
            for j in range(wide - own, wide):
                n = x._a.shape[at]
                if n != 1:
                    if sizes.get(j, n) != n:
                        fail(
                            f"einsum(): dimension {at} covered by ellipsis in operand {number}has size {n} which does "
                            f"not broadcast with previously seen ellipsis with size {sizes[j]} for the respective "
                            "dimension"
                        )
                    sizes[j] = n
                    uses[start + j] += 1
                order[start + j] = at
                at += 1
        elif order[place[c]] == -1:
            n = x._a.shape[at]
            if n != 1:
                if sizes.get(c, n) != n:
                    fail(
                        f"einsum(): subscript {c} has size {n} for operand {number} which does not broadcast with "
                        f"previously seen size {sizes[c]}"
                    )
                sizes[c] = n
                uses[place[c]] += 1
            order[place[c]] = at
            at += 1
        else:
            before = order[place[c]]
            if x._a.shape[at] != x._a.shape[before]:
                fail(
                    f"einsum(): subscript {c} is repeated for operand {number} but the sizes don't match, "
                    f"{x._a.shape[at]} != {x._a.shape[before]}"
                )
            x = ops.views.diagonal(x, 0, before, at)
            last = x._a.ndim - 1
            x = ops.views.permute(x, (*range(before), last, *range(before, last)))
    for i in range(rank):
        if order[i] == -1:
            x = ops.views.unsqueeze(x, at)
            order[i] = at
            at += 1
    return ops.views.permute(x, tuple(order))


def operand_rank(x: Any, term: list[str], at: int) -> int:
    """The number of axes that an operand's ellipsis stands for, after ``at`` axes and with none repeated yet."""
    after = len(term) - 1 - term.index(ELLIPSIS)
    return int(x._a.ndim) - at - after


def _joined(a: Value, b: Value, kept: int, uses: list[int]) -> Value:
    """The product of two operands, summed over the axes that no later operand has."""
    both: list[int] = []
    only_a: list[int] = []
    only_b: list[int] = []
    for i in range(kept, a._a.ndim):
        in_a, in_b = a._a.shape[i] != 1, b._a.shape[i] != 1
        if in_a and in_b:
            uses[i] -= 1
            if uses[i] == 1:
                both.append(i)
                uses[i] = 0
        elif uses[i] == 1:
            if in_a:
                only_a.append(i)
                uses[i] = 0
            elif in_b:
                only_b.append(i)
                uses[i] = 0
    if only_a:
        a = ops.sums.sum_dim(a, tuple(only_a), True)
    if only_b:
        b = ops.sums.sum_dim(b, tuple(only_b), True)
    return _paired(a, b, both)


def _paired(a: Value, b: Value, summed: list[int]) -> Value:
    """The product of two operands with equally many axes, summed over some that both have: one bmm."""
    if not summed:
        return ops.arith.mul(a, b)
    stack, left, right = parted(a._a.shape, b._a.shape, summed)
    if turned(left, right):
        a, b, left, right = b, a, right, left
    m, n = a._a.shape, b._a.shape
    count, rows, inner, columns = (
        math.prod(m[i] for i in stack),
        math.prod(m[i] for i in left),
        math.prod(m[i] for i in summed),
        math.prod(n[i] for i in right),
    )
    x = ops.views.reshape(ops.views.permute(a, (*stack, *left, *summed, *right)), (count, rows, inner))
    y = ops.views.reshape(ops.views.permute(b, (*stack, *summed, *right, *left)), (count, inner, columns))
    size = (*(m[i] for i in stack), *(m[i] for i in left), *(1 for _ in summed), *(n[i] for i in right))
    order = [*stack, *left, *summed, *right]
    back = [0] * len(order)
    for k, i in enumerate(order):
        back[i] = k
    return ops.views.permute(ops.views.view(ops.matmul.bmm(x, y), size), tuple(back))


def parted(m: Sequence[int], n: Sequence[int], summed: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """The axes, but for those that are summed over, that both operands have, and the left or the right one alone."""
    stack: list[int] = []
    left: list[int] = []
    right: list[int] = []
    for i in range(len(m)):
        if i not in summed:
            in_a, in_b = m[i] != 1, n[i] != 1
            (stack if in_a and in_b else left if in_a else right).append(i)
    return stack, left, right


def turned(left: Sequence[int], right: Sequence[int]) -> bool:
    """Tell whether the product the other way round lies in memory as the result will."""
    return bool(left and right and right[-1] < left[0])
