# ruff: noqa: E501 (programs on one line)
"""Reductions of arrays, of some elements, from a number on, into an array: beside NumPy itself."""

from __future__ import annotations

import pytest

from ..running import printed, printed_by_python

_BEGIN = "import numpy as np\na = np.arange(6.0).reshape(2, 3)\nm = a > 2\nn = np.array([1.0, np.nan, 3.0])\nb = np.zeros(3)\n"
TEXTS = [
    "np.zeros(3).sum(where=[True, False, True]), a.sum(where=m), a.prod(where=m), a.sum(axis=0, where=np.array([[True], [False]]))",
    "a.mean(where=m), a.mean(axis=1, where=[True, True, False]), a.std(where=m), a.var(axis=0, where=m | True, ddof=1, keepdims=True)",
    "a.max(initial=-1, where=m), a.min(axis=0, initial=10, where=m), np.max([], initial=-np.inf), np.amax(a, initial=9, where=m)",
    "a.all(where=m), a.any(where=m, axis=1), np.all(a, where=m, axis=0), np.any(a, where=m), np.sum([1, 2, 3], where=[1, 0, 1])",
    "np.sum(a, axis=0, where=m, initial=5), np.mean(n, where=~np.isnan(n)), n.sum(where=~np.isnan(n)), np.nanmin(n, where=[True, False, True], initial=5)",
    "np.add.reduce(a, where=m), np.maximum.reduce(a, initial=2, axis=1), np.multiply.reduce(a, where=m), np.add.reduce(a, None, None, None, True)",
    "a.sum(0, None, b), b, a.sum(0, float, keepdims=True), a.mean(axis=1, dtype='float32', out=np.zeros(2)), a.min(0, out=None), a.std(mean=a.mean())",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_as_numpy(text: str) -> None:
    shown = f"{_BEGIN}print(({text}))"
    assert printed(shown) == printed_by_python(shown)


@pytest.mark.parametrize(("text", "message"), [
    ("a.max(where=m)", "reduction operation 'maximum' does not have an identity, so to use a where mask one has to specify 'initial'"),
    ("a.sum(where=np.array([1, 0, 1]))", "Cannot cast array data from dtype('int64') to dtype('bool') according to the rule 'safe'"),
    ("b.sum(where=m)", "input operand has more dimensions than allowed by the axis remapping"),
    ("a.argmax(where=m)", "argmax() got an unexpected keyword argument 'where'"),
])  # fmt: skip
def test_what_does_not_fit_is_told_in_numpys_words(text: str, message: str) -> None:
    assert printed(f"{_BEGIN}try:\n    {text}\nexcept Exception as e:\n    print(e)") == message + "\n"
