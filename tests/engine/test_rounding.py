"""Last digits: sums in PyTorch's order, products added in one rounding, functions right to the last digit."""

import itertools
import math
import sys
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import gradcli
from gradcli.engine.flags import settings
from gradcli.engine.numeric.kernels import alone, chains, few, library, products, sums, vectors
from gradcli.engine.numeric.kernels.fused import between, multiply_add, one_and, rounded
from gradcli.engine.numeric.kernels.gelu import by_exponential, by_quarters, slope
from gradcli.engine.numeric.kernels.roots import in_steps, square_root
from gradcli.engine.numeric.kernels.sums import _some_by_sixteens, by_sixteens, in_vectors, inner, over, total
from gradcli.engine.numeric.kernels.vectors import exponential, logarithm
from gradcli.engine.ops.matrix.matmul import stacked_product

SIZES = [1, 4, 5, 7, 8, 9, 15, 16, 31, 32, 33, 100, 511, 512, 513, 1000, 4095, 16384, 20000]


def row_sum(rows):
    """Rows added as PyTorch's row_sum does: every fourth by itself, by a cascade, then the rest and the four."""
    m = len(rows) // 4
    parts = [cascade([rows[4 * i + k] for i in range(m)], rows[0] * 0) for k in range(4)]
    for row in rows[4 * m :]:
        parts[0] = parts[0] + row
    return parts[0] + parts[1] + parts[2] + parts[3]


def cascade(rows, nothing):
    levels = [nothing] * 4
    i = 0
    while i + 16 <= len(rows):
        for row in rows[i : i + 16]:
            levels[0] = levels[0] + row
        i += 16
        for j in range(1, 4):
            levels[j], levels[j - 1] = levels[j] + levels[j - 1], nothing
            if i & (15 << (4 * j)):
                break
    for row in rows[i:]:
        levels[0] = levels[0] + row
    return levels[0] + levels[1] + levels[2] + levels[3]


def reference(a, lanes):
    if a.size < lanes:
        return row_sum(list(a))
    whole = a.size - a.size % lanes
    across = row_sum(list(a[:whole].reshape(-1, lanes)))
    found = a.dtype.type(0)
    for x in (*a[whole:], *across):
        found = found + x
    return found


@pytest.mark.parametrize(("dtype", "lanes"), [("float32", 8), ("float64", 4)])
@pytest.mark.parametrize("n", SIZES)
def test_a_sum_is_added_in_the_order_of_the_vectorised_kernel(n, dtype, lanes):
    a = np.random.default_rng(n).standard_normal(n).astype(dtype)
    assert total(a) == reference(a, lanes)


def test_two_threads_add_a_half_each(monkeypatch):
    monkeypatch.setitem(settings, "threads", 2)
    a = np.random.default_rng(0).standard_normal(40001).astype(np.float32)
    assert total(a) == over(a[None], (0, 1)) == total(a[:20001]) + total(a[20001:])


def test_a_sum_of_a_transpose_is_that_of_its_memory():
    a = np.random.default_rng(0).standard_normal((30, 7)).astype(np.float32)
    assert total(a.T) == total(a)


def test_other_kinds_are_left_to_numpy():
    assert total(np.arange(100)) == 4950
    assert total(np.ones(10, np.complex128)) == 10
    assert total(np.ones((4, 4), np.float32)[:, ::2]) == 8


def test_a_product_is_added_in_one_rounding():
    a, b = np.random.default_rng(0).standard_normal((2, 200)).astype(np.float32)
    exact = [
        Fraction(float(x)) + Fraction(float(y)) * Fraction(float(np.float32(0.3))) for x, y in zip(a, b, strict=False)
    ]
    assert multiply_add(a, b, 0.3).tolist() == [float(np.float32(float(x))) for x in exact]
    assert multiply_add(a, b, 0.3).dtype == np.float32


def test_so_it_is_among_many_numbers():
    a, b = np.random.default_rng(0).standard_normal((2, 3, 4099)).astype(np.float32)
    few = [multiply_add(a[:, i : i + 700], b[:, i : i + 700], 0.3) for i in range(0, 4099, 700)]
    assert (multiply_add(a, b, 0.3) == np.concatenate(few, 1)).all()
    assert (multiply_add(a.T, b.T, 0.3) == np.concatenate(few, 1).T).all()


def test_double_and_complex_are_plain():
    a, b = np.random.default_rng(0).standard_normal((2, 5))
    assert (multiply_add(a, b, 0.3) == a + b * 0.3).all()
    assert (multiply_add(a, b + 1j, 0.3) == a + (b + 1j) * 0.3).all()


def test_the_far_end_is_met_exactly():
    a, b = np.float32([0.1, 7.3]), np.float32([0.7, -2.2])
    assert (between(a, b, 1.0) == b).all()
    assert (between(a, b, 0.0) == a).all()


def test_functions_of_single_precision_are_rounded_from_double():
    a = np.random.default_rng(0).random(200).astype(np.float32)
    assert (rounded(np.log, a) == np.log(a.astype(np.float64)).astype(np.float32)).all()
    assert rounded(np.exp, a[0]).dtype == np.float32
    assert rounded(np.exp, np.float64(1)) == np.exp(1.0)


def test_one_and_a_product_are_added_in_one_rounding():
    a, b = np.random.default_rng(0).standard_normal((2, 200)).astype(np.float32)
    exact = [1 + Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a, b, strict=True)]
    assert one_and(a, b).tolist() == [float(np.float32(float(x))) for x in exact]
    assert (one_and(a + 1j, b) == (a + 1j) * b + 1).all()


def test_small_stacks_of_products_are_summed_one_term_after_the_other():
    rng = np.random.default_rng(0)
    for b, m, k, n in ((1, 4, 5, 3), (20, 2, 40, 2), (3, 1, 30, 1), (1, 1, 30, 1)):
        left, right = (rng.standard_normal(size).astype(np.float32) for size in ((b, m, k), (b, k, n)))
        wanted = left[:, :, :1] * right[:, :1]
        for i in range(1, k):
            wanted += left[:, :, i : i + 1] * right[:, i : i + 1]
        assert np.array_equal(stacked_product(left, right), wanted)


def in_turn(x):
    """The sum along the last axis, one term after the other."""
    return np.add.accumulate(x, -1)[..., -1]


def test_columns_are_added_row_by_row_or_by_every_fourth_row():
    a = np.random.default_rng(0).standard_normal((11, 45)).astype(np.float32)
    quarters = [in_turn(np.stack([*a[i:8:4], *(a[8:] if i == 0 else ())], -1)) for i in range(4)]
    wanted = np.concatenate([in_turn(a[:, :32].T), in_turn(np.stack(quarters, -1))[32:]])
    assert np.array_equal(over(a, (0,)), wanted)
    assert np.array_equal(over(np.asfortranarray(a.T), (1,)), wanted)
    assert np.array_equal(over(a.reshape(1, 11, 45), (0, 1)), wanted)


def test_over_axes_with_others_between_the_sums_of_the_inner_ones_are_added_in_turn():
    a = np.random.default_rng(0).standard_normal((3, 2, 6, 5)).astype(np.float32)
    rows = in_turn(a.reshape(3, 2, 30)[..., :24].reshape(3, 2, 3, 8).swapaxes(-1, -2))
    wanted = in_turn(in_turn(np.concatenate([a.reshape(3, 2, 30)[..., 24:], rows], -1)).T)
    assert np.array_equal(over(a, (0, 2, 3)), wanted)
    first = in_turn(np.stack([a[:, :, 0], a[:, :, 4], a[:, :, 5]], -1))
    wanted = in_turn(in_turn(np.stack([first, *[a[:, :, i] for i in (1, 2, 3)]], -1)).transpose(1, 2, 0))
    assert np.array_equal(over(a, (0, 2)), wanted)
    assert np.array_equal(over(a.reshape(3, 1, 2, 1, 30), (0, 3, 4)), over(a, (0, 2, 3))[None])


@pytest.mark.parametrize("width", [8, 16])
def test_rows_are_added_in_vectors(width):
    a = np.random.default_rng(0).standard_normal((3, 35)).astype(np.float32)
    lanes = np.stack([in_turn(a[:, i::width]) for i in range(width)], -1)
    for half in (8, 4, 2, 1):
        lanes = lanes[:, :half] + lanes[:, half:] if half < width else lanes
    assert np.array_equal(in_vectors(a, width=width), lanes[:, 0])
    assert np.array_equal(in_vectors(a[:, : width - 1], width=width), in_turn(a[:, : width - 1]))


def test_rows_of_a_softmax_are_added_as_on_this_processor():
    torch = pytest.importorskip("torch")
    a = np.random.default_rng(0).standard_normal((20, 35)).astype(np.float32)
    for axis in (-1, 0):
        ours, theirs = (w.tensor(a, requires_grad=True) for w in (gradcli, torch))
        for x in (ours, theirs):
            y = x.softmax(axis)
            (y * y).sum().backward()
        assert np.array_equal(ours.grad.numpy(), theirs.grad.numpy())


def test_losses_of_classes_are_added_in_blocks_of_sixteen_and_the_first_last():
    a = np.random.default_rng(0).standard_normal(24).astype(np.float32)
    assert by_sixteens(a) == in_turn(a[17:]) + in_turn(a[1:17]) + a[0]
    assert by_sixteens(a[:1]) == a[0]
    for n in (1, 16, 17, 258, 5000):
        a = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        # The short road for all of them is that for some.
        assert by_sixteens(a) == _some_by_sixteens(a, np.arange(n))


def test_the_functions_of_vectors_are_right_to_a_unit_in_the_last_place():
    a = np.random.default_rng(0).uniform(-20, 20, 1000).astype(np.float32)
    exact = np.exp(a.astype(float))
    assert (abs(exponential(a) - exact) <= np.spacing(exact.astype(np.float32))).all()
    assert exponential(np.float32([-np.inf, np.inf, np.nan, 0, -200])).tolist()[:2] == [0, np.inf]
    exact = np.log(abs(a).astype(float))
    assert (abs(logarithm(abs(a)) - exact) <= abs(np.spacing(exact.astype(np.float32)))).all()


def test_the_gelu_is_that_of_the_library_that_pytorch_leaves_it_to():
    a = np.float32([-13, -5.5, -4, -1.5, -0.25, -0.0, 1e-30, 0.125, 0.7, 2, 4.75, 9])
    # What PyTorch has on processors without AVX-512.
    values = [
        0.0, -1.6391277313232422e-07, -0.00012671947479248047, -0.10021086037158966, -0.10032343119382858, 0.0,
        5.000000015855384e-31, 0.06871727854013443, 0.5306254625320435, 1.9544999599456787, 4.749995231628418, 9.0,
    ]  # fmt: skip
    slopes = [
        0.0, -5.662441253662109e-07, -0.0005036294460296631, -0.12746915221214294, 0.3046267032623291, 0.5, 0.5,
        0.59921795129776, 0.9766141176223755, 1.085231900215149, 1.0000228881835938, 1.0,
    ]  # fmt: skip
    assert by_exponential(a).tolist() == values
    assert slope(a).tolist() == slopes
    # And what it has on others.
    others = {2: -0.0001264810562133789, 4: -0.10032341629266739, 9: 1.9544997215270996}
    assert by_quarters(a).tolist() == [others.get(i, value) for i, value in enumerate(values)]
    a = np.linspace(-20, 20, 4001).astype(np.float32)
    exact = [0.5 * x * math.erfc(-x / math.sqrt(2)) for x in a.tolist()]
    for gelu in (by_exponential, by_quarters):
        assert (abs(gelu(a) - exact) < 1e-6).all()
        assert np.isnan(gelu(np.float32([np.nan, -np.inf]))).all()


def test_the_square_root_is_that_of_the_library_that_pytorch_leaves_it_to():
    # What PyTorch has on a processor of AMD without AVX-512: not the nearest numbers.
    a = np.float32([
        0.4908185601234436, 0.9708162546157837, 2.6155500411987305, 1.0859483480453491, 0.6400445103645325,
        2.3038816452026367, 0.4167366325855255, 1.019173264503479,
    ])  # fmt: skip
    roots = [
        0.7005844116210938, 0.9853001236915588, 1.617266297340393, 1.0420883893966675, 0.8000277876853943,
        1.5178542137145996, 0.6455513834953308, 1.0095410346984863,
    ]  # fmt: skip
    assert in_steps(a).tolist() == roots
    assert not (in_steps(a) == np.sqrt(a)).any()
    whole = np.arange(1, 2000, dtype=np.float32)
    assert (in_steps(whole * whole) == whole).all()
    a = np.exp(np.random.default_rng(0).uniform(-60, 60, 5000)).astype(np.float32)
    exact = np.sqrt(a.astype(float))
    assert (abs(in_steps(a) - exact) <= 0.76 * np.spacing(np.sqrt(a))).all()


def test_a_square_root_of_what_has_none_is_numpys():
    a = np.float32([0, -0.0, np.inf, -1, np.nan, 1e-45, 3e38, 4])
    with np.errstate(invalid="ignore"):
        assert np.array_equal(square_root(a), np.sqrt(a), equal_nan=True)
    assert square_root(np.float32(9)) == 3
    assert square_root(np.float64(2)) == math.sqrt(2)
    assert gradcli.eye(2).to_sparse().sqrt().is_sparse
    assert square_root(np.ones((0, 3), np.float32)).shape == (0, 3)


def in_order(terms):
    found = terms[0]
    for x in terms[1:]:
        found = found + x
    return found


def of_vector(row, vector, lanes, head):
    """An inner product in lanes as a loop: the head is the beginning of the first lane, the tail comes last."""
    terms = row * vector
    end = head + (len(terms) - head) // lanes * lanes
    if end == head:
        return in_order(terms)
    across = [in_order(terms[head + i : end : lanes]) for i in range(lanes)]
    if head:
        across[0] = in_order([in_order(terms[:head]), *terms[head:end:lanes]])
    while len(across) > 1:
        half = len(across) // 2
        across = [across[i] + across[i + half] for i in range(half)]
    return in_order([*across, *terms[end:]])


@pytest.mark.parametrize("k", [5, 13, 14, 20, 64])
def test_products_of_few_columns_are_added_in_lanes(k):
    rng = np.random.default_rng(k)
    a, b = (rng.standard_normal((n, k)).astype(np.float32) for n in (8, 6))
    for i, row in enumerate(few.in_lanes_of_rows(a[None], b[None])[0]):
        head = -(a.ctypes.data // 4 + i * k) % 4
        assert row.tolist() == [of_vector(a[i], b[j], 4 if j < 4 else 8, head) for j in range(6)]
    found = few.rows_by_vector(a, b[0])
    assert found.tolist() == [of_vector(x, b[0], 4, (k - 1) % 4 + 1) for x in a]


@pytest.mark.skipif(not products.follows, reason="another processor: BLAS adds in another order")
@pytest.mark.parametrize(("m", "k", "n"), [(4, 7, 12), (13, 193, 20), (16, 400, 20), (20, 5, 640)])
def test_products_of_matrices_are_added_in_one_rounding_each(m, k, n):
    rng = np.random.default_rng(k)
    a, b, added = (rng.standard_normal(size).astype(np.float32) for size in ((m, k), (k, n), (n,)))
    cuts = [0, 96, 192, 193] if k == 193 else [*range(0, k, 192), k]
    expected = added
    for first, last in pairwise(cuts):
        sums = np.zeros((m, n), np.float32)
        for i in range(first, last):
            sums = (np.multiply.outer(a[:, i], b[i], dtype=np.float64) + sums).astype(np.float32)
        expected = expected + sums
    assert np.array_equal(products.product(a, b, added), expected)
    assert np.array_equal(products.product(a.T.copy().T, b.T.copy().T, added), expected)


@pytest.mark.skipif(not products.follows, reason="another processor: BLAS adds in another order")
@pytest.mark.parametrize(("m", "k", "n"), [(2, 500, 1), (3, 64, 40), (13, 330, 17), (30, 700, 310), (100, 9, 20)])
def test_terms_are_added_one_after_the_other_as_many_as_there_are(m, k, n):
    rng = np.random.default_rng(k)
    a, b = (rng.standard_normal(size).astype(np.float32) for size in ((2, m, k), (k, n)))
    expected = np.zeros((2, m, n), np.float32)
    for i in range(k):
        expected = (np.multiply(a[:, :, i, None], b[i], dtype=np.float64) + expected).astype(np.float32)
    assert np.array_equal(chains.in_small_parts(a, b), expected)
    assert np.array_equal(chains.in_small_parts(a[1], b), expected[1])


@pytest.mark.parametrize(("m", "k", "n"), [(0, 3, 4), (5, 0, 20), (13, 0, 1), (4, 3, 0), (1, 0, 0)])
def test_products_of_nothing_are_zeros(m, k, n):
    a, b = np.ones((2, m, k), np.float32), np.ones((k, n), np.float32)
    assert np.array_equal(chains.in_one_chain(a, b), np.zeros((2, m, n)))
    assert np.array_equal(chains.in_small_parts(a[0], b), np.zeros((m, n)))


def test_long_sums_that_are_not_finite_spoil_no_others():
    a, b = np.ones((30, 900), np.float32), np.ones((900, 40), np.float32)
    a[3, 4], b[7, 9] = np.inf, np.nan
    found = chains.in_one_chain(a, b)
    assert np.isinf(found[3]).sum() == 39
    assert np.isnan(found[:, 9]).all()
    assert np.isfinite(found).sum() == 29 * 39


@pytest.mark.skipif(sums.WIDE, reason="another processor: its kernels take more channels at once")
def test_a_convolution_adds_to_its_bias_by_blocks_of_eight_channels():
    rng = np.random.default_rng(0)
    sizes = ((2, 11, 6, 6), (5, 11, 3, 3), (5,))
    x, w, bias = (rng.standard_normal(size).astype(np.float32) for size in sizes)
    expected = np.broadcast_to(bias[:, None, None], (2, 5, 4, 4))
    for channels in (range(8), range(8, 11)):
        for i, j, c in itertools.product(range(3), range(3), channels):
            seen = x[:, None, c, i : i + 4, j : j + 4]
            expected = (np.multiply(seen, w[:, c, i, j, None, None], dtype=np.float64) + expected).astype(np.float32)
    found = gradcli.nn.functional.conv2d(*[gradcli.tensor(a) for a in (x, w, bias)])
    assert np.array_equal(found.numpy(), expected)


def test_the_sum_of_a_column_is_that_of_a_row():
    a = np.random.default_rng(0).standard_normal((100, 1)).astype(np.float32)
    assert over(a, (0,)).tolist() == [total(a[:, 0])]


def test_what_cannot_be_expanded_to_a_product_is_not_added_to_it():
    a, b, added = (np.ones(size, np.float32) for size in ((1, 3), (3, 5), (4, 5)))
    with pytest.raises(ValueError, match="broadcast"):
        products.product(a, b, added)


@pytest.mark.parametrize("columns", [8, 20, 64])
@pytest.mark.parametrize("dtype", [gradcli.float32, gradcli.float64])
def test_an_empty_batch_has_sums_and_gradients(columns, dtype):
    x = gradcli.zeros(0, columns, dtype=dtype, requires_grad=True)
    for made in (x.softmax(1), x.log_softmax(1), x.sum(1), x.norm(dim=1), x.mean(1), gradcli.logsumexp(x, 1)):
        (grad,) = gradcli.autograd.grad(made.sum(), x)
        assert grad.shape == (0, columns)
    assert not x.T.sum(1).any()


@pytest.mark.skipif(not products.follows, reason="another processor: BLAS adds in another order")
@pytest.mark.parametrize(("n", "begin"), [(3, 0), (7, 0), (39, 0), (39, 3)])
def test_inner_products_are_added_by_four_vectors_of_four_lanes(n, begin):
    a, b = np.random.default_rng(n).standard_normal((2, 64)).astype(np.float32)
    terms = list(a[begin : begin + n] * b[begin : begin + n])
    head = -begin % 4 if n > 3 else n
    vectors = [[np.float32(0)] * 4 for _ in range(4)]
    for x in terms[:head]:
        vectors[0][0] += x
    whole = head + (n - head) // 4 * 4
    for i in range(head, whole):
        # Of the last sixteen there may be eight for two vectors, and four for the first.
        block = (n - head) // 16 * 16
        at = (i - head) // 4 % 4 if i - head < block else (i - head - block) // 4 % 2
        vectors[at][(i - head) % 4] += terms[i]
    for x in terms[whole:]:
        vectors[0][0] += x
    lanes = [in_order(lane) for lane in zip(*vectors, strict=True)]
    wanted = lanes[0] + lanes[2] + (lanes[1] + lanes[3])
    assert inner(a[begin : begin + n], b[begin : begin + n]) == wanted


def test_norms_but_the_second_add_one_after_the_other():
    a = np.random.default_rng(0).standard_normal((3, 37)).astype(np.float32)
    x = gradcli.tensor(a)
    assert x.norm(1).item() == in_turn(abs(a).reshape(-1))
    assert np.array_equal(x.norm(1, dim=1).numpy(), in_turn(abs(a)))


def test_an_element_of_overlapping_windows_gets_their_shares_in_their_order():
    x = gradcli.zeros(1, 1, 6, 6, requires_grad=True)
    g = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    gradcli.nn.functional.avg_pool2d(x, 3, 1).backward(gradcli.tensor(g)[None, None])
    assert x.grad[0, 0, 2, 3].item() == in_order([v / np.float32(9) for v in g[:3, 1:4].reshape(-1)])
    x.grad = None
    g = np.random.default_rng(0).standard_normal((12, 18)).astype(np.float32)
    gradcli.nn.functional.interpolate(x, (12, 18)).backward(gradcli.tensor(g)[None, None])
    assert x.grad[0, 0, 1, 4].item() == in_order(list(g[2:4, 12:15].reshape(-1)))


def squares_added(a, lanes):
    """The norm as PyTorch's kernel adds it: lanes, four more at once, and the last few each in one rounding."""
    whole, fours = a.size - a.size % lanes, a.size - a.size % 4
    kind, found = a.dtype.type, a.dtype.type(0)
    lane = [kind(0)] * lanes
    for i in range(0, whole, lanes):
        lane = [x + b * b for x, b in zip(lane, a[i : i + lanes], strict=True)]
    for x in (*(lane if whole else ()), *(b * b for b in a[whole:fours])):
        found = found + x
    for b in a[fours:]:
        found = kind(Fraction(float(b)) ** 2 + Fraction(float(found)))
    return math.sqrt(found)


@pytest.mark.parametrize(("dtype", "lanes"), [("float32", 8), ("float64", 4)])
def test_the_norm_of_all_adds_squares_as_pytorch_does(dtype, lanes):
    for n in SIZES[:14]:
        a = np.random.default_rng(n).standard_normal(n).astype(dtype)
        assert gradcli.tensor(a).norm().item() == a.dtype.type(squares_added(a, lanes)), n
    assert gradcli.tensor([1e200, 3.0], dtype=gradcli.float64).norm().item() == math.inf


@pytest.mark.parametrize("size", [(2, 8, 6, 6), (2, 3, 17, 19), (2, 16, 10)])
@pytest.mark.parametrize("reduce", ["sum", "mean", "norm", "logsumexp"])
def test_along_axes_the_memory_is_read_whatever_their_order(size, reduce):
    x = gradcli.randn(size)
    for order in itertools.permutations(range(len(size))):
        y = x.permute(order)
        for dim in itertools.combinations(range(len(size)), 2):
            left = [axis for i, axis in enumerate(order) if i not in dim]
            found = getattr(y, reduce)(dim=dim)
            if left == sorted(left):
                same = getattr(x, reduce)(dim=tuple(order[i] for i in dim))
                assert found.tolist() == same.tolist(), (order, dim)
            else:
                gradcli.testing.assert_close(found, getattr(y.double(), reduce)(dim=dim).float())


def test_a_norm_adds_the_squares_of_rows_in_lanes_also_along_two_axes():
    x = gradcli.randn(2, 3, 17, 19)
    assert x.norm(dim=(2, 3)).tolist() == x.flatten(2).norm(dim=2).tolist()
    assert x.permute(0, 2, 1, 3).norm(dim=3).tolist() == x.norm(dim=3).permute(0, 2, 1).tolist()


@pytest.mark.parametrize("training", [True, False])
def test_a_batch_of_single_places_is_normalised_as_one_of_features(training):
    def found(*places):
        gradcli.manual_seed(0)
        x = gradcli.randn(4, 16).reshape(4, 16, *places).requires_grad_()
        of = [gradcli.rand(16, requires_grad=True) for _ in range(2)]
        y = gradcli.nn.functional.batch_norm(x, gradcli.zeros(16), gradcli.ones(16), *of, training)
        shares = gradcli.autograd.grad((y.flatten() * gradcli.linspace(-1, 1, 64)).sum(), (x, *of))
        return [t.flatten().tolist() for t in (y, *shares)]

    assert found(1, 1) == found(1) == found(1, 1, 1) == found()


@pytest.mark.skipif(sums.WIDE, reason="another processor: its kernels take more channels at once")
@pytest.mark.parametrize(("weight", "groups"), [((16, 8, 1, 1), 1), ((8, 1, 3, 3), 8)])
def test_where_channels_come_last_the_bias_does_so_too(weight, groups):
    gradcli.manual_seed(0)
    x, w, b = gradcli.randn(2, 8, 6, 6), gradcli.randn(weight), gradcli.randn(weight[0])
    conv = gradcli.nn.functional.conv2d
    y = x.contiguous(memory_format=gradcli.channels_last)
    after = conv(x, w, groups=groups) + b.view(-1, 1, 1)
    assert conv(y, w, b, groups=groups).tolist() == after.tolist() != conv(x, w, b, groups=groups).tolist()


def test_a_sum_for_each_of_a_few_rows_lies_in_memory_row_by_row():
    x = gradcli.ones(2, 3, 4, 6)
    assert x.sum((1, 2, 3)).stride() == (1,)
    assert x.sum((1, 2, 3), keepdim=True).stride() == (1, 1, 1, 1)


def test_logarithms_of_single_numbers_are_those_of_the_c_library():
    given = [23.05928611755371, 1.0754107236862183, 3.906492233276367, 1.0, 1e-30]
    found = [3.138068675994873, 0.07270266115665436, 1.3626399040222168, 0.0, math.log(1e-30)]
    assert np.array_equal(alone.log(np.array(given, np.float32)), np.array(found, np.float32))


def _remembering(F, x, w):
    library = gradcli if F is gradcli.nn.functional else pytest.importorskip("torch")
    layer = library.nn.LSTM(36, 9, bidirectional=True)
    with library.no_grad():
        for p in layer.parameters():
            p.copy_(w.reshape(-1).repeat(2)[: p.numel()].reshape(p.shape) / 3)
    return layer(x)[0]


# Of each function arguments whose answer in PyTorch is not the nearest number, and that answer.
RECORDED = {
    "exp": (
        [10.931081, 16.378183, 12.435857, -11.498793, 5.3426266, -18.018345, 19.194626, 19.964075],
        [55886.652, 1.2970438e+07, 251665.67, 1.0142332e-05, 209.06111, 1.4953136e-08, 2.1683037e+08, 4.6804506e+08],
    ),
    "log": (
        [11.133077, 23.322603, 23.076082, 3.0572042, 6.1418433, 11.609221, 5.8965554, 12.424776],
        [2.4099207, 3.1494231, 3.1387968, 1.1175008, 1.815125, 2.4517999, 1.7743683, 2.5196924],
    ),
    "tanh": (
        [-2.21498, 4.3519063, 4.383992, 4.82758, 2.916099, 4.1600137, 4.862985, 4.1747966],
        [-0.9764507, 0.9996681, 0.99968874, 0.9998718, 0.99415386, 0.999513, 0.99988055, 0.99952716],
    ),
    "sin": (
        [2.762185, 5.0297813, 2.216662, 5.558499, 1.8602351, 2.1258445, 4.6559196, 4.967807],
        [0.37037024, -0.9500525, 0.79857904, -0.6629007, 0.95840424, 0.84987503, -0.998406, -0.96755785],
    ),
    "cos": (
        [5.5288005, 6.6927333, -6.3675647, -6.5949154, -2.4179015, -0.069240056, -1.9730966, -6.6007295],
        [0.72869295, 0.91730094, 0.99644214, 0.9518044, -0.7493667, 0.99760383, -0.39153603, 0.9500051],
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_functions_of_whole_arrays_are_those_of_the_library_that_pytorch_leaves_them_to(name):
    function, exactly = getattr(library, name), getattr(np, name)
    a, found = np.float32(RECORDED[name])
    assert (exactly(a.astype(float)).astype(np.float32) != found).all()
    assert (function(a) == found).all()
    assert (function(a[::2]) == found[::2]).all()
    assert (function(np.float32([a, a]).T) == np.float32([found, found]).T).all()
    assert function(np.array(a[0])) == found[0]
    b = np.random.default_rng(0).uniform(0.01, 80, 20000).astype(np.float32)
    exact = exactly(b.astype(float))
    assert (abs(function(b) - exact) <= np.spacing(abs(exact).astype(np.float32))).all()
    edges = np.float32([0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e38, -1e38, 95, -104])
    with np.errstate(all="ignore"):
        expected = exactly(edges.astype(float)).astype(np.float32)
    np.testing.assert_allclose(function(edges), expected, rtol=1e-7)
    assert (np.signbit(function(edges[:2])) == np.signbit(expected[:2])).all()


IN_VECTORS = {
    "expm1": ([3.8936803, 0.18138404, 0.1496479, -0.3775146], [48.091225, 0.1988755, 0.16142523, -0.31443682]),
    "exp2": ([2.6071522, 1.8505266, -2.5192723, 3.3966203], [6.0929976, 3.6063178, 0.1744309, 10.531363]),
    "sinh": ([-1.0049024, 2.552534, 0.17092296, 0.44860283], [-1.18278, 6.3808575, 0.17175642, 0.4638014]),
    "cosh": ([2.2490401, -1.8736833, -2.9529176, 1.0738802], [4.7920666, 3.332898, 9.606982, 1.634197]),
    "log1p": ([0.37626556, 1.8919895, 0.3747407, 0.20154724], [0.31937373, 1.0619447, 0.31826514, 0.1836101]),
    "softplus": ([1.8407149, -2.8905928, -2.1838477, -0.5982134], [1.9880171, 0.05405559, 0.106706284, 0.43812138]),
    "tanh_of_softplus": (
        [-1.0206141, -0.40505975, -0.30557236, -1.3411317],
        [0.29839733, 0.4707145, 0.5020085, 0.22824831],
    ),
    "power": ([0.47058043, -2.173152, -0.80791813, -0.6108278], [0.023076465, -48.467484, -0.34422055, -0.08503427]),
}
ALONE = {
    "expm1": ([0.54553753, -1.9614947, 1.9240011, 2.8974626], [0.72553563, -0.859352, 5.8483047, 17.12809]),
    "tanh": ([-0.715596, -0.4465912, 0.42510197, -0.38417464], [-0.614174, -0.41909292, 0.40121987, -0.36632738]),
    "log1p": ([0.6814989, 0.7814787, 2.4328604, 0.36343384], [0.5196856, 0.5774437, 1.2333939, 0.31000638]),
    "sinh": ([1.3276405, 2.3044, 1.9199758, 1.3001353], [1.7535152, 4.9591737, 3.3370914, 1.6986489]),
    "cosh": ([-2.036797, -3.692415, -1.7651595, 2.9423184], [3.898231, 20.08329, 3.0068316, 9.506248]),
}
EXACT = {
    "softplus": lambda x: np.log1p(np.exp(x)), "tanh_of_softplus": lambda x: np.tanh(np.log1p(np.exp(x))),
    "power": lambda x: x**5,
}  # fmt: skip


@pytest.mark.parametrize("name", IN_VECTORS)
def test_functions_of_vectors_are_those_of_the_library_that_kernels_have(name):
    function = (lambda a: vectors.power_of_number(a, 5.0)) if name == "power" else getattr(vectors, name)
    exactly = EXACT.get(name) or getattr(np, name)
    a, found = np.float32([numbers * 8 for numbers in IN_VECTORS[name]])
    assert (exactly(a.astype(float)).astype(np.float32) != found).all()
    assert (function(a) == found).all()
    assert (function(a.reshape(8, 4).T) == found.reshape(8, 4).T).all()
    for many in (np.linspace(0.01, 10, 40001, dtype=np.float32), np.linspace(-7, 9, 44, dtype=np.float32)):
        with np.errstate(all="ignore"):
            exact = exactly(many.astype(float))
            apart = abs(function(many) - exact) / np.spacing(abs(exact).astype(np.float32))
        assert apart[np.isfinite(apart)].max() < 2


@pytest.mark.parametrize("name", ALONE)
def test_functions_of_single_numbers_are_those_of_the_c_library(name):
    if alone._is_exact():
        pytest.skip("this C library rounds to the nearest")
    function = getattr(alone, name)
    a, found = np.float32(ALONE[name])
    assert (alone.nearest(getattr(np, name), a) != found).all()
    assert (function(a) == found).all()
    for edge in (0.0, -0.0, np.inf, np.nan, 1e-30, -1e-30, 80.0, -0.5):
        with np.errstate(all="ignore"):
            found, exact = function(np.float32([edge]))[0], np.float32(getattr(np, name)(edge))
        assert found == pytest.approx(exact, rel=1e-6, nan_ok=True)
        assert np.signbit(found) == np.signbit(exact) or np.isnan(exact)


LAYERS = {
    "softmax across rows": lambda F, x, w: F.softmax(x, 0),
    "layer norm": lambda F, x, w: F.layer_norm(x, (37,), w[0], w[1]),
    "group norm": lambda F, x, w: F.group_norm(x[:20, :36].reshape(2, 4, 90), 2, w[0, :4], w[1, :4]),
    "gelu": lambda F, x, w: F.gelu(x),
    "batch norm": lambda F, x, w: F.batch_norm(x, None, None, w[0], w[1], True),
    "attention": lambda F, x, w: F.scaled_dot_product_attention(*[x.reshape(1, 1, 21, 37)] * 2, w[None, None]),
    "attention of a few places": lambda F, x, w: F.scaled_dot_product_attention(
        *[v.reshape(-1)[:288].reshape(1, 9, 4, 8).transpose(1, 2) for v in (x, x, w)]
    ),
    "attention of one head": lambda F, x, w: F.scaled_dot_product_attention(
        w[None, None, :9, :16], *[x[None, None, :19, :16]] * 2
    ),
    "stacks of single rows": lambda F, x, w: x[:3, None] @ w[:14].repeat(3, 1, 1).transpose(1, 2),
    "something added to few columns": lambda F, x, w: (w[:, :8] * 3).addmm(x[:, :21], w[:, 8:16]),
    "a layer of memories": lambda F, x, w: _remembering(F, x[:20, :36].reshape(5, 4, 36), w),
    "memories of one sequence": lambda F, x, w: _remembering(F, x[:20, None, :36], w),
    "stacks of small products": lambda F, x, w: x[:20].reshape(4, 5, 37) @ w[:20].reshape(4, 5, 37).transpose(1, 2),
    "convolution": lambda F, x, w: F.conv2d(
        x.detach()[:20, :36].reshape(20, 1, 6, 6), w[0, :27].reshape(3, 1, 3, 3), w[1, :3]
    ),
    "convolution of one image": lambda F, x, w: F.conv2d(
        x[:12, :36].reshape(1, 12, 6, 6), w[:8, :27].reshape(2, 12, 3, 3), w[0, :2], padding=1
    ),
    "images of another size": lambda F, x, w: F.interpolate(
        x[:, :36].reshape(21, 3, 4, 3), size=(9, 7), mode="bilinear"
    ),
    "corners that meet": lambda F, x, w: F.interpolate(
        x[:7, :12].reshape(7, 1, 4, 3), (9, 7), mode="bilinear", align_corners=True
    ),
    "largest of windows that overlap": lambda F, x, w: F.max_pool2d(x[None], 3, 1, 1),
    "lines, volumes and curves of another size": lambda F, x, w: (
        F.interpolate(x[None], size=17, mode="linear").sum() + F.interpolate(
            w[:, :32].reshape(1, 21, 2, 4, 4), size=(3, 5, 9), mode="trilinear", align_corners=True
        ) * F.interpolate(x.detach()[:, :20].reshape(1, 21, 4, 5), (5, 9), mode="bicubic")[:, :, None]
    ),
    "images read at places of a map": lambda F, x, w: F.grid_sample(
        x[:12, :36].reshape(3, 4, 6, 6), F.affine_grid(w[:3, :6].reshape(3, 2, 3), (3, 4, 5, 7), align_corners=False),
        padding_mode="border", align_corners=False,
    ),
    "means of uneven blocks": lambda F, x, w: (
        F.adaptive_avg_pool2d(x.reshape(3, 7, 37), (3, 5)).sum(0)
        * F.adaptive_avg_pool2d(w[:7, :35].reshape(7, 5, 7), (3, 5))
    ),
    "one output of one row": lambda F, x, w: F.linear(x[:1], w[:1], w[0, :1]) + F.linear(x[2], w[:1], w[1, :1]),
    "convolution to single numbers": lambda F, x, w: F.conv2d(
        x[:16, :36].reshape(4, 16, 3, 3), w[:16, :9].reshape(1, 16, 3, 3)
    ),
    "convolution of many images": lambda F, x, w: F.conv2d(
        x.reshape(-1)[:588].repeat(32).reshape(16, 6, 14, 14), w.reshape(-1)[:600].repeat(4).reshape(16, 6, 5, 5)
    ),
    "units": lambda F, x, w: F.elu(x) + F.softplus(w) + F.mish(x) + F.gelu(w, approximate="tanh") + F.logsigmoid(x),
    "powers": lambda F, x, w: (x * x) ** 0.8 + w**5 + (x * x + 1) ** w + 10**x + (x * x).log1p() + x.expm1(),
    "angles": lambda F, x, w: x.asinh() + (w * w + 1).acosh() + x.atan2(w) + (x * x).add(0.5).digamma(),
    "distances": lambda F, x, w: _distances(x[:9], w[:7]) + _distances(x[:, :30].reshape(210, 3), w[:7, :3].sin())[:9],
    "small systems": lambda F, x, w: (
        _regular(x[:3, :3]).inverse() @ w[:3] + _regular(x[5:9, :4]).slogdet()[1] * _regular(w[:2, :2]).det()
        + (_regular(x[:5, :5]).inverse() @ w[:5]).sum() + _regular(x[:3, 9:12]).inverse().trace()
    ),
    "a bilinear layer": lambda F, x, w: F.bilinear(
        x[:, :12], w[:, :9], (x * w).reshape(-1)[:432].reshape(4, 12, 9), w[0, :4]
    ),
    "orthogonal factors": lambda F, x, w: _factored(x[:12, :3], x[:, :19], w[:, :5], w[:, :21], w) * x[0, 0],
    "orthogonal factors of many columns": lambda F, x, w: _factored(
        (x[:, :36, None] * w[:, None, :36]).reshape(21 * 36, 36)[::17][:, :36]
    ) * x[0, 0],
    "triangular systems": lambda F, x, w: (
        _solved(_regular(x[:3, :3]), w[:3, :5]) + _solved(_regular(x[:20, :20]), w[:5, :20], left=False)
        + _solved(_regular(w[:8, :8]), x[:8, :1])
    ),
    "something added to stacks": lambda F, x, w: w[:20, :36].reshape(4, 5, 36).baddbmm(
        x[:20].reshape(4, 5, 37), w[:20, :1].repeat(1, 37).reshape(4, 5, 37).transpose(1, 2).repeat(1, 1, 8)[:, :, :36]
    ),
    "classes with weights": lambda F, x, w: F.cross_entropy(
        x.repeat(20, 1), (w.detach().abs() * 12).long()[:, :20].reshape(-1).clamp(max=36), w.detach()[0].abs()
    ),
    "gates and margins": lambda F, x, w: (
        F.glu(x[:, :36]).sum() + F.soft_margin_loss(x, w.detach().sign()) + x.sigmoid().logit().sum()
        + x.logaddexp(w).sum() + x.abs().xlogy(w.abs()).sum() + x.norm(3, 1).sum() + x.log_softmax(0).sum()
    ),
    "many numbers": lambda F, x, w: F.softmax(F.batch_norm(F.layer_norm(
        x.repeat(60, 1), (37,), w[0]
    ), None, None, w[1], w[2], True), -1).sigmoid(),
    "batch norm of many planes": lambda F, x, w: F.batch_norm(
        x[:20, :36].repeat(50, 1).reshape(50, 4, 5, 36), None, None, w[0, :4], w[1, :4], True
    ),
    "sums of slices": lambda F, x, w: (
        x[:, 3].sum() + x[:, :20].sum() + x[::2, 4:30:3].mean() + (x[:, :11].sum(0) * x[:11, 5:30].sum(-1)).sum()
    ),
    "batch norm by what was": lambda F, x, w: F.batch_norm(x, w[0].detach(), w[1].detach() ** 2, w[2], w[3], False),
    "a channel each of single places": lambda F, x, w: F.conv2d(
        x[:16, :36].reshape(16, 4, 3, 3), w[:8, :4].reshape(8, 4, 1, 1), w[0, :8]
    ),
    "a kernel for each channel": lambda F, x, w: F.conv2d(
        x[:16, :36].reshape(4, 4, 6, 6), w[:4, :9].reshape(4, 1, 3, 3), w[0, :4], (1, 2), 1, groups=4
    ),
    "groups of channels": lambda F, x, w: F.conv2d(
        x[:16, :36].reshape(4, 4, 6, 6), w[:6, :18].reshape(6, 2, 3, 3).detach(), None, 1, 1, groups=2
    ),
    "a few classes": lambda F, x, w: F.linear(x.repeat(32, 1), w[:10], w[0, :10]),
    "convolution of single places": lambda F, x, w: F.conv2d(
        x[:17, :36].reshape(17, 4, 3, 3), w[:17, :4].reshape(17, 4, 1, 1), w[0, :17]
    ),
    "convolution that skips places": lambda F, x, w: F.conv2d(
        x[:20, :36].reshape(5, 4, 6, 6), w[:8, :36].reshape(8, 4, 3, 3), None, 2, 1
    ),
    "transposed convolution": lambda F, x, w: F.conv_transpose2d(
        x[:20, :36].reshape(5, 4, 6, 6), w[:4, :32].reshape(4, 2, 4, 4), w[0, :2], 2, 1
    ),
    "a kernel for each channel of one image": lambda F, x, w: F.conv2d(
        x[:4, :36].reshape(1, 4, 6, 6), w[:4, :9].reshape(4, 1, 3, 3), w[0, :4], 1, 1, groups=4
    ),
    "rows of three images": lambda F, x, w: F.conv2d(
        x.reshape(-1)[:588].reshape(3, 1, 14, 14), w[:8, :9].reshape(8, 1, 3, 3), w[0, :8], 1, 1
    ),
    "single places with places left over": lambda F, x, w: F.conv2d(
        x[:20].repeat(4, 1)[:75].reshape(3, 37, 5, 5), w[:20].reshape(20, 37, 1, 1), w[0, :20], 2
    ),
    "many channels of single places": lambda F, x, w: F.conv2d(
        x.reshape(-1)[:768].reshape(16, 3, 4, 4), w.reshape(-1)[:144].reshape(48, 3, 1, 1)
    ),
    "convolution of lines that skips places": lambda F, x, w: F.conv1d(
        x[:20].reshape(4, 5, 37), w[:8, :15].reshape(8, 5, 3), w[0, :8], 2, 1
    ),
    "convolution of few channels": lambda F, x, w: F.conv2d(
        x[:20, :36].reshape(5, 4, 6, 6), w[:8, :36].reshape(8, 4, 3, 3), w[1, :8]
    ),
}  # fmt: skip


def _regular(a):
    """A matrix that is far from singular."""
    a = a.clone()
    return a @ a.T + a.T + a.detach()[:, :1] ** 2 + 1


def _factored(*matrices):
    """All numbers of their QR factors."""
    library = gradcli if isinstance(matrices[0], gradcli.Tensor) else sys.modules["torch"]
    return library.cat([factor.reshape(-1) for a in matrices for factor in library.linalg.qr(a.detach())])


def _solved(a, b, left=True):
    """The sum of the solution of a triangular system."""
    library = gradcli if isinstance(a, gradcli.Tensor) else sys.modules["torch"]
    return library.linalg.solve_triangular(a, b, upper=False, left=left).sum()


def _distances(a, b):
    """The distances of all rows from all."""
    return (gradcli if isinstance(a, gradcli.Tensor) else sys.modules["torch"]).cdist(a, b)


# What is followed step by step with AVX-512 alone.
WIDE = {
    "a layer of memories", "memories of one sequence", "convolution of single places", "convolution that skips places",
    "transposed convolution", "a channel each of single places", "convolution to single numbers",
    "convolution of many images", "a kernel for each channel", "groups of channels", "rows of three images",
    "single places with places left over", "many channels of single places", "convolution of lines that skips places",
}  # fmt: skip


@pytest.mark.skipif(not products.follows, reason="another processor: BLAS adds in another order")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_and_their_gradients_end_in_pytorchs_digits(name, threads):
    torch = pytest.importorskip("torch")
    if name in WIDE and not sums.WIDE:
        pytest.skip("another processor: its kernels are others")
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal((21, 37)).astype(np.float32) for _ in range(2))
    before = torch.get_num_threads()
    found = []
    try:
        for library in (gradcli, torch):
            library.set_num_threads(threads)
            a, b = (library.tensor(v, requires_grad=True) for v in (x, w))
            y = LAYERS[name](library.nn.functional, a, b)
            (y * y).sum().backward()
            found.append([y.detach().numpy(), *[v.grad.numpy() for v in (a, b) if v.grad is not None]])
    finally:
        for library in (gradcli, torch):
            library.set_num_threads(before)
    for ours, theirs in zip(*found, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("dim", "sums_in_pytorch"),
    [
        (0, ["-0x1.057c597000000p+3", "0x1.8108359000000p+2", "0x1.6f83068000000p+1"]),
        (1, ["-0x1.057c59d000000p+3", "-0x1.a8873f5b0e04ep+4", "0x1.45ac3dd800000p+3"]),
    ],
)
def test_a_weight_of_length_and_direction_ends_in_pytorchs_digits(monkeypatch, dim, sums_in_pytorch):
    monkeypatch.setitem(settings, "threads", 2)
    x = gradcli.arange(100.0).mul(37).remainder(61).sub(30).div(7).reshape(5, 20)
    v = x.clone().requires_grad_()
    g = gradcli.norm_except_dim(x, 2, dim).mul(1.3).requires_grad_()
    w = gradcli._weight_norm(v, g, dim)
    (w * x.flip(1)).sum().backward()
    assert [t.double().sum().item().hex() for t in (w, v.grad, g.grad)] == sums_in_pytorch


@pytest.mark.parametrize(
    ("dim", "sums_in_pytorch"),
    [
        (1, ["0x1.b533ad5f1e410p+4", "0x1.a381af6a00000p+3"]),
        (2, ["0x1.12072630cedf2p+0", "0x1.dd90b4e748000p-1"]),
    ],
)
def test_a_softmax_of_attention_ends_in_pytorchs_digits(monkeypatch, dim, sums_in_pytorch):
    monkeypatch.setitem(settings, "threads", 2)
    x = gradcli.arange(120.0).mul(37).remainder(61).sub(30).div(7).reshape(2, 3, 20)
    x[1, 2] = -math.inf
    x[0, 1, 3:9] = -math.inf
    x.requires_grad_()
    y = gradcli._safe_softmax(x, dim)
    (y * y).sum().backward()
    assert [t.double().sum().item().hex() for t in (y * y, x.grad.abs())] == sums_in_pytorch
    assert not y[1, 2].any()


@pytest.mark.parametrize("row", [[1e38, 1e38], [1e20, -1e20, 2e20, 0.0], [i * 1e19 for i in range(40)]])
def test_a_row_whose_mean_is_too_large_to_square_is_normalised_to_no_number(row: list[float]) -> None:
    x = gradcli.tensor([row])
    functions = gradcli.nn.functional
    assert functions.layer_norm(x, x.shape[1:]).isnan().all()
    assert functions.group_norm(x, 1).isnan().all()
    assert functions.layer_norm(x * 1e-20, x.shape[1:]).isfinite().all()
