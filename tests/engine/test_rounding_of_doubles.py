"""Last digits of products of doubles: tiles in one rounding a term, lanes of two, and what stands around tiles."""

from fractions import Fraction

import numpy as np
import pytest

from gradcli.engine.numeric.kernels import doubles, products
from gradcli.engine.numeric.kernels.sums import inner

pytestmark = pytest.mark.skipif(not products.follows, reason="another processor: BLAS adds in another order")


def fused(row, column, first=None):
    found = first
    for x, y in zip(row.tolist(), column.tolist(), strict=True):
        found = x * y if found is None else float(Fraction(x) * Fraction(y) + Fraction(found))
    return found


def in_order(row, column, first=None):
    found = first
    for x, y in zip(row.tolist(), column.tolist(), strict=True):
        found = x * y if found is None else found + x * y
    return found


def drawn(*size):
    return np.random.default_rng(size[0]).standard_normal(size)


@pytest.mark.parametrize("bias", [False, True])
def test_tiles_add_each_product_in_one_rounding_and_what_is_around_them_in_two(monkeypatch, bias):
    monkeypatch.setattr(doubles, "threads", lambda: 1)
    a, b = drawn(6, 7), drawn(7, 14)
    added = drawn(14) if bias else None
    found = products.product(a, b, added)
    for i in range(6):
        for j in range(14):
            add = fused if i < 4 and j < 12 else in_order
            assert found[i, j] == add(a[i], b[:, j], added[j] if bias else None), (i, j)


def test_a_sum_that_blas_would_part_is_one_chain():
    a, b = drawn(4, 300), drawn(300, 12)
    found = products.product(a, b)
    assert found[1, 3] == fused(a[1], b[:, 3])
    assert found[3, 11] == fused(a[3], b[:, 11])


def test_a_long_sum_that_is_not_finite_spoils_no_others():
    a = np.ones((4, 600))
    a[1, 5] = np.inf
    found = products.product(a, np.ones((600, 12)))
    assert np.isinf(found[1]).all()
    assert (np.delete(found, 1, 0) == 600).all()


def test_rows_meet_columns_in_two_lanes_and_in_eight_beyond_each_four():
    a, b = drawn(2, 20), drawn(5, 20)
    found = products.product(a, b.T)
    for i in range(2):
        terms = a[i] * b
        for j in range(4):
            assert found[i, j] == sum(terms[j, ::2].tolist()) + sum(terms[j, 1::2].tolist())
        lanes = [terms[4, k] + terms[4, k + 8] for k in range(8)]
        even, odd = ((lanes[k] + lanes[k + 2]) + (lanes[k + 4] + lanes[k + 6]) for k in (0, 1))
        assert found[i, 4] == in_order(np.ones(5), np.array([even + odd, *terms[4, 16:]]))


def test_before_an_aligned_place_of_a_row_four_of_each_eight_meet_first():
    a, b = drawn(2, 8), drawn(8, 3)
    terms = (a[1] * b[:, 0]).tolist()
    last = ((terms[4] + terms[5]) + terms[6]) + terms[7]
    assert products.product(a, b)[1, 0] == (((terms[0] + terms[1]) + terms[2]) + terms[3]) + last
    assert products.product(a, b)[0, 0] == in_order(a[0], b[:, 0])


@pytest.mark.parametrize("step", [1, 2])
def test_inner_products_are_added_by_vectors_of_two_lanes(step):
    a, b = (x.copy() for x in np.random.default_rng(0).standard_normal((2, 21 * step)))
    terms = (a * b)[::step].tolist()
    if step == 2:
        wanted = in_order(np.ones(11), np.array(terms[::2])) + in_order(np.ones(10), np.array(terms[1::2]))
    else:
        vectors = [[terms[2 * i + lane] + terms[8 + 2 * i + lane] for lane in (0, 1)] for i in range(4)]
        vectors[0][0] = ((vectors[0][0] + terms[16]) + terms[18]) + terms[20]
        vectors[0][1] = (vectors[0][1] + terms[17]) + terms[19]
        even, odd = (in_order(np.ones(4), np.array([v[lane] for v in vectors])) for lane in (0, 1))
        wanted = even + odd
    assert inner(a[::step], b[::step]) == wanted


def test_each_matrix_of_a_stack_begins_where_the_one_before_ends():
    a, b = drawn(2, 5, 9), drawn(2, 9, 17)
    found = products.stacked(a, b)
    terms = (a[1, 0] * b[1, :, 12]).tolist()
    first = ((terms[0] + terms[1]) + terms[2]) + terms[3]
    assert found[1, 0, 12] == (first + (((terms[4] + terms[5]) + terms[6]) + terms[7])) + terms[8]
    assert found[0, 0, 12] == in_order(a[0, 0], b[0, :, 12])
    assert found[1, 3, 11] == fused(a[1, 3], b[1, :, 11])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_single_row_has_the_strides_of_its_columns(kind):
    row, weight = drawn(1, 4).astype(kind), drawn(3, 4).astype(kind)
    assert products.product(row, weight.T).strides[0] == 3 * row.itemsize
