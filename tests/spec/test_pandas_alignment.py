# ruff: noqa: E501 (programs on one line)
"""Columns laid beside others by their labels, as pandas 3.1 lays them."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError

from .running import printed

_BEGIN = "import numpy as np\nimport pandas as pd\nS, D = pd.Series, pd.DataFrame\nd = D({'a': [1, 2, 3]})\n"
RECORDED = {
    "print(D({'c': ['x', 'y', None]}).c.value_counts(dropna=False), S([['a', 'b'], (1,), [['d'], 2.5]]))": (
        'c\nx      1\ny      1\nNaN    1\nName: count, dtype: int64 0        [a, b]\n1          (1,)\n2    [[d], 2.5]\ndtype: object'
    ),
    "print(pd.crosstab(S([1, 2, 1], name='a'), S(['x', None, 'y'], name='c'), margins=True), S(['ab', None]).map(len, na_action='ignore'))": (
        'c    x  y  All\na             \n1    1  1    2\nAll  1  1    2 0    2.0\n1    NaN\ndtype: float64'
    ),
    "print(D({'a': [1, 2], 'b': [0.25, np.nan]}).to_csv(index=False, float_format='%.1f', na_rep='NA'), pd.concat([d, D({'z': [1, 2]}, index=[2, 0])], axis=1, join='inner'))": (
        'a,b\n1,0.2\n2,NA\n    a  z\n0  1  2\n2  3  1'
    ),
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


def test_columns_of_the_same_name_are_refused() -> None:
    with pytest.raises(GradcliError, match="columns of the same name are not in gradcli"):
        printed(f"{_BEGIN}pd.concat([d, d], axis=1)")


def test_moments_keep_how_far_they_stand_apart() -> None:
    text = (
        "s = S(range(5), index=pd.date_range('2021-03-30', periods=5, freq='D'))\n"
        "print(s['2021-04'].index.freq, s[s > 2].index.freq, s.iloc[::2].index.freq, s.iloc[[0, 1, 3]].index.freq)\n"
        "print(s.loc['2021-03-31':'2021-04-01'])\n"
    )
    told = "<Day> <Day> <2 * Days> None\n2021-03-31    1\n2021-04-01    2\nFreq: D, dtype: int64\n"
    assert printed(f"{_BEGIN}{text}") == told
