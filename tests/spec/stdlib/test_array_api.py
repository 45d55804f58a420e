# ruff: noqa: E501 (programs on one line)
"""NumPy's functions by the names of the array API standard, and those that write to parts: beside NumPy itself."""

from __future__ import annotations

import pytest

from ..running import printed, printed_by_python

_BEGIN = "import numpy as np\na = np.arange(12.0).reshape(3, 4)\nm = np.array([[2.0, 1, 0.5], [0, 3, 1], [1, 0, 2]])\n"
TEXTS = [
    "np.acos(0.3), np.asin([0.1, 0.2]), np.atan2(1, 2), np.pow(2, [1, 2]), np.bitwise_count([5, 7]), np.bitwise_left_shift(1, 3)",
    "np.concat([a, a]).shape, np.permute_dims(a).shape, np.matrix_transpose(a).shape, np.i0([0.0, 1]), np.kaiser(5, 8.6), np.atleast_3d(a).shape",
    "np.unique_counts(np.array([1, 1, 2])), np.unique_all(np.array([3, 1, 3])), np.unique_inverse(np.array([3, 1])), np.unique_values(np.array([3, 1, 3]))",
    "np.cumulative_sum(np.array([1, 2, 3]), include_initial=True), np.cumulative_prod(m, axis=1), np.astype(a, np.int32).dtype, np.unstack(m), np.vecdot(a, a)",
    "(lambda b: (np.put(b, [0, -1], [7, 8]), np.put(b, [13], 5, 'wrap'), np.place(b, b > 5, [44, 55]), np.putmask(b, b < 3, b**2), b)[-1])(a.copy())",
    "(lambda b: (np.copyto(b, [1, 2, 3, 4], where=[True, False, True, False]), np.put_along_axis(b, np.argmax(b, axis=1)[:, None], 99, axis=1), b)[-1])(a.copy())",
    "np.diag_indices_from(m), np.apply_over_axes(np.sum, np.arange(24).reshape(2, 3, 4), [0, 2]), np.asarray_chkfinite([1, 2])",
    "np.linalg.cross(m[0], m), np.linalg.diagonal(m, offset=1), np.linalg.trace(m), np.linalg.matmul(m, m[0]), np.linalg.outer(m[0], m[1]), np.linalg.vecdot(m, m)",
    "np.linalg.matrix_norm(m), np.linalg.matrix_norm(m, ord=1, keepdims=True), np.linalg.vector_norm(m), np.linalg.vector_norm(m, axis=1, ord=1)",
    "np.linalg.multi_dot([m, m, m[0]]), np.round(np.linalg.svdvals(m), 9), np.round(np.linalg.tensorinv(m.reshape(3, 3, 1), ind=1), 9).shape, np.round(np.linalg.tensorsolve(m, m[0]), 9)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_as_numpy(text: str) -> None:
    shown = f"{_BEGIN}print(({text}))"
    assert printed(shown) == printed_by_python(shown)


@pytest.mark.parametrize(("text", "message"), [
    ("np.asarray_chkfinite([1, np.inf])", "array must not contain infs or NaNs"),
    ("np.copyto(np.zeros(2, int), np.array([1.5, 2]))", "Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'same_kind'"),
    ("np.place(a, [True], [1])", "place: mask and data must be the same size"),
    ("np.diag_indices_from(a)", "All dimensions of input must be of equal length"),
])  # fmt: skip
def test_what_does_not_fit_is_told_in_numpys_words(text: str, message: str) -> None:
    space: dict[str, object] = {}
    exec(_BEGIN, space)
    with pytest.raises((ValueError, TypeError)) as told:
        eval(text, space)
    assert str(told.value) == message
    assert printed(f"{_BEGIN}try:\n    {text}\nexcept Exception as e:\n    print(e)") == message + "\n"
