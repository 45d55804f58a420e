# ruff: noqa: E501 (programs on one line)
"""Columns laid beside others by their labels, as pandas 3.1 lays them."""

from __future__ import annotations

import pytest

from .running import printed

_BEGIN = "import numpy as np\nimport pandas as pd\nS, D = pd.Series, pd.DataFrame\nd = D({'a': [1, 2, 3]})\n"
RECORDED = {
    "d['c'] = S([10, 20, 30], index=[2, 1, 0])\nd['e'] = S([10, 20])\nprint(d)": (
        '   a   c     e\n0  1  30  10.0\n1  2  20  20.0\n2  3  10   NaN'
    ),
    "print(D({'a': S([1, 2], index=['y', 'x']), 'b': S([3, 5], index=['z', 'x'])}))": (
        '     a    b\nx  2.0  5.0\ny  1.0  NaN\nz  NaN  3.0'
    ),
    "print(D({'a': {'x': 1, 'y': 2}, 'b': {'y': 3, 'z': 4}}))": (
        '     a    b\nx  1.0  NaN\ny  2.0  3.0\nz  NaN  4.0'
    ),
    "print(D({'a': {'x': 1, 'y': 2}, 'b': {'x': 3, 'y': 4}, 'c': 0.5}).T)": (
        '     x    y\na  1.0  2.0\nb  3.0  4.0\nc  0.5  0.5'
    ),
    "print(D({'a': {'x': 1}, 'b': S([2, 3], index=['x', 'w'])}))": (
        '     a  b\nw  NaN  3\nx  1.0  2'
    ),
    "print(D({'r': {0: 1.5, 1: 2}}, index=[1, 0]))": (
        '     r\n1  2.0\n0  1.5'
    ),
    "print(pd.concat([S([1, 2], index=['y', 'x'], name='a'), S([3, 4], index=['y', 'c'], name='b')], axis=1))": (
        '     a    b\ny  1.0  3.0\nx  2.0  NaN\nc  NaN  4.0'
    ),
    "print(D({'k': [1, 2], 'v': [3, 4], 'w': [5, 6]}).set_index(['k', 'v']).reset_index(level='v'))": (
        '   v  w\nk      \n1  3  5\n2  4  6'
    ),
    "try:\n    d['c'] = S([1, 2], index=[0, 0])\nexcept ValueError as e:\n    print(e)": (
        'cannot reindex on an axis with duplicate labels'
    ),
    'a = np.zeros(3)\na[0] = None\na[1:] = [None, 2]\nprint(a)\ntry:\n    np.zeros(2, int)[0] = None\nexcept TypeError as e:\n    print(e)': (
        "[nan nan  2.]\nint() argument must be a string, a bytes-like object or a real number, not 'NoneType'"
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", RECORDED)
def test_the_same_as_pandas(text: str) -> None:
    assert printed(f"{_BEGIN}{text}") == RECORDED[text] + "\n"
