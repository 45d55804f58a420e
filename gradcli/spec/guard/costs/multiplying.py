"""Products of matrices, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .estimate import Estimate, Shape, broadcast, count, listed, multiplied, product, shape, sizes, whole

_NOTHING = Estimate(0)


def matmul(input: Any, other: Any, **named: Any) -> Estimate:
    """A product of matrices, or of stacks of them, which are first copied to one length."""
    a, b = shape(input), shape(other)
    a, b = (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b
    stack = broadcast([a[:-2], b[:-2]])
    if stack is None or a[-1] != b[-2]:
        return _NOTHING
    copies, rows, inner, columns = product(stack), a[-2], a[-1], b[-1]
    most = copies * max(rows * columns, rows * inner if copies > 1 else 0, inner * columns if copies > 1 else 0)
    return Estimate(most, multiplied(input, copies * rows * inner * columns))


def added(input: Any, first: Any, second: Any, *rest: Any, **named: Any) -> Estimate:
    """A product of matrices, and something added to it."""
    found = matmul(first, second)
    return found._replace(elements=max(found.elements, count(input)))


def added_up(input: Any, batch1: Any, batch2: Any, *rest: Any, **named: Any) -> Estimate:
    """A sum of products of matrices, which are all made first."""
    return added(input, batch1, batch2)


def added_outer(input: Any, vec1: Any, vec2: Any, *rest: Any, **named: Any) -> Estimate:
    """An outer product, and something added to it."""
    return Estimate(max(count(vec1) * count(vec2), count(input)))


def pairs(input: Any, other: Any, **named: Any) -> Estimate:
    """A product for each pair of elements."""
    return Estimate(count(input) * count(other))


def linear(input: Any, weight: Any, bias: Any = None) -> Estimate:
    """Rows times a transposed matrix."""
    x, w = shape(input), shape(weight)
    rows = product(x[:-1])
    return Estimate(rows * w[0] if len(w) > 1 else rows, multiplied(input, rows * count(weight)))


def packed_projection(q: Any, k: Any, v: Any, w: Any, b: Any = None) -> Estimate:
    """Rows of the longest of three, times three matrices at most."""
    return linear(max((q, k, v), key=count), w)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Estimate:
    """A form of two vectors for each output."""
    rows, (out, first, second) = product(shape(input1)[:-1]), shape(weight)
    return Estimate(rows * out * max(first, second), multiplied(input1, rows * out * first * second))


def inner(input: Any, other: Any, **named: Any) -> Estimate:
    """A sum of products for each pair of rows."""
    a, b = shape(input), shape(other)
    if not a or not b:
        return Estimate(max(count(input), count(other)))
    rows = product(a[:-1]) * product(b[:-1])
    return Estimate(rows, multiplied(input, rows * a[-1]))


def tensordot(a: Any, b: Any, dims: Any = 2, *rest: Any, **named: Any) -> Estimate:
    """Sums over axes of both."""
    left, right = shape(a), shape(b)
    if isinstance(dims, (list, tuple)):
        of_a, of_b = (sizes((d if isinstance(d, (list, tuple)) else (d,),)) for d in dims)
    else:
        n = whole(dims)
        of_a, of_b = tuple(range(len(left) - n, len(left))), tuple(range(n))
    inner_a, inner_b = product([left[d] for d in of_a]), product([right[d] for d in of_b])
    out = product(left) // max(inner_a, 1) * (product(right) // max(inner_b, 1))
    return Estimate(out, multiplied(a, out * inner_a))


def chained(*tensors: Any, **named: Any) -> Estimate:
    """Products of matrices in whatever order takes least: no more than from left to right."""
    chain = [shape(t) for t in listed(tensors)]
    chain[0] = (1, *chain[0]) if len(chain[0]) == 1 else chain[0]
    chain[-1] = (*chain[-1], 1) if len(chain[-1]) == 1 else chain[-1]
    rows = chain[0][0]
    work = sum(rows * m * n for m, n in chain[1:])
    return Estimate(max(rows * n for _, n in chain), multiplied(listed(tensors)[0], work))


def linear_loss(input: Any, linear_weight: Any, target: Any, **named: Any) -> Estimate:
    """The scores of all classes."""
    rows = product(shape(input)[:-1])
    scores = rows * product(shape(linear_weight)[:-1])
    return Estimate(scores, multiplied(input, scores * shape(input)[-1]) + 10 * scores)


def pdist(input: Any, p: Any = 2.0) -> Estimate:
    """All differences of two rows side by side."""
    rows, columns = (*shape(input), 1, 1)[:2]
    pairs = rows * (rows - 1) // 2
    return Estimate(pairs * columns, 10 * pairs * columns)


def cdist(x1: Any, x2: Any, p: Any = 2.0, compute_mode: Any = None) -> Estimate:
    """The distance of each pair of rows: from a product of matrices, or with all differences side by side."""
    a, b = shape(x1), shape(x2)
    stack = broadcast([a[:-2], b[:-2]])
    if stack is None:
        return _NOTHING
    pairs = product(stack) * a[-2] * b[-2]
    by_product = p == 2 and compute_mode != "donot_use_mm_for_euclid_dist" and max(a[-2], b[-2]) > 25
    return Estimate(pairs if by_product else pairs * a[-1], multiplied(x1, pairs * a[-1]) + 10 * pairs)


def covariances(input: Any, *rest: Any, **named: Any) -> Estimate:
    """A number for each pair of rows."""
    sizes = shape(input)
    rows = sizes[0] if len(sizes) == 2 else 1
    return Estimate(rows * rows, multiplied(input, rows * product(sizes)))


def attention(query: Any, key: Any, value: Any, *rest: Any, **named: Any) -> Estimate:
    """A weight for each pair of a query and a key."""
    q, k, v = shape(query), shape(key), shape(value)
    stack = broadcast([q[:-2], k[:-2], v[:-2]])
    pairs = product(q[:-2] if stack is None else stack) * q[-2] * k[-2]
    return Estimate(pairs, multiplied(query, pairs * (q[-1] + v[-1])) + 10 * pairs)


def attention_heads(
    query: Any, key: Any, value: Any, embed_dim_to_check: Any, num_heads: Any, *rest: Any, **named: Any
) -> Estimate:
    """The projections of all three, and a weight for each pair of a query and a key in each head."""
    q, k = shape(query), shape(key)
    batch = q[1] if len(q) == 3 else 1
    pairs = batch * whole(num_heads) * q[0] * k[0]
    work = 4 * (count(query) + count(key)) * q[-1] + 2 * pairs * q[-1] // max(whole(num_heads), 1)
    return Estimate(max(pairs, 3 * count(query), 3 * count(key)), multiplied(query, work) + 10 * pairs)


def cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, *rest: Any, **named: Any) -> Estimate:
    """One step of a recurrent network: its gates come of two products."""
    rows = product(shape(input)[:-1])
    return Estimate(rows * shape(w_ih)[0], multiplied(input, rows * (count(w_ih) + count(w_hh))))


# -- einsum --------------------------------------------------------------------------------------

Sized = dict[Any, int]


def einsum(*args: Any) -> Estimate:
    """Products of two operands at a time, from left to right, summed over what no later one has."""
    terms, out, operands = _equation(args)
    sized = [_sized(term, shape(x)) for term, x in zip(terms, operands, strict=True)]
    if out is None:
        every = [label for term in sized for label in term]
        out = {label for label in every if not isinstance(label, str) or sum(t.count(label) for t in terms) == 1}
    elements = work = 0
    done = sized[0]
    for k, term in enumerate(sized[1:], 1):
        later = out.union(*sized[k + 1 :])
        done = {c: n for c, n in done.items() if c in later or c in term}
        other = {c: n for c, n in term.items() if c in later or c in done}
        both = {c: max(done.get(c, 1), other.get(c, 1)) for c in (*done, *other)}
        work += product(both.values())
        done = {c: n for c, n in both.items() if c in later}
        elements = max(elements, product(done.values()))
    return Estimate(elements, multiplied(operands[0], work))


def _equation(args: Sequence[Any]) -> tuple[list[list[Any]], set[Any] | None, Sequence[Any]]:
    """The labels of the operands, those of the output if it has any, and the operands."""
    if isinstance(args[0], str):
        left, arrow, right = args[0].replace(" ", "").partition("->")
        operands = args[1:]
        while len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = operands[0]
        wide = max(_wide(list(_letters(t)), shape(x)) for t, x in zip(left.split(","), operands, strict=True))
        out = {*_letters(right), *range(-wide, 0)} if arrow else None
        return [list(_letters(t)) for t in left.split(",")], out, operands
    given = args[1::2]
    operands = args[: len(given) * 2 : 2]
    terms = [[str(x) if x is not Ellipsis else ... for x in term] for term in given]
    wide = max(_wide(t, shape(x)) for t, x in zip(terms, operands, strict=True))
    out = {*map(str, args[-1]), *range(-wide, 0)} if len(args) % 2 else None
    return terms, out, operands


def _letters(term: str) -> Sequence[Any]:
    """The labels of a term, with an Ellipsis for its dots."""
    return [... if c == "." else c for c in term.replace("...", ".")]


def _wide(term: list[Any], size: Shape) -> int:
    return len(size) - len(term) + 1 if ... in term else 0


def _sized(term: list[Any], size: Shape) -> Sized:
    """The sizes of an operand by label; the axes of an ellipsis are counted from its end."""
    if ... in term:
        at, wide = term.index(...), _wide(term, size)
        term = [*term[:at], *range(-wide, 0), *term[at + 1 :]]
    return dict(zip(term, size, strict=True))
