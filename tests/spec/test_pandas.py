# ruff: noqa: E501 (programs on one line)
"""What programs take of pandas: what they print is what pandas 3.1 prints."""

from __future__ import annotations

import hashlib

import pytest

from gradcli.errors import GradcliError

from .running import printed, program

_BEGINNING = """\
import io
import numpy as np
import pandas as pd
import torch
df = pd.DataFrame({'a': [1, 2, 3], 'b': [0.5, 1.25, float('nan')], 'c': ['x', 'yy', 'x']})
wide = pd.DataFrame(np.arange(20.0).reshape(4, 5) / 7, columns=['sepal length (cm)', 'sepal width (cm)', 'petal length (cm)', 'petal width (cm)', 'species'])
houses = pd.read_csv(io.StringIO('NumRooms,RoofType,Price\\nNA,NA,127500\\n2,NA,106000\\n4,Slate,178100\\nNA,NA,140000\\n'))
moments = pd.DataFrame({'when': pd.to_datetime(['2021-01-01 06:00', '2021-01-02 18:30', '2021-03-05 00:00']), 'v': [1.0, 2.0, 4.0]})
daily = pd.Series(np.arange(50.0), index=pd.date_range('2021-01-01', periods=50), name='n')
staff = pd.DataFrame({'dept': ['a', 'b', 'a', 'b', 'a', 'c'], 'sex': ['m', 'f', 'f', 'm', 'm', 'f'], 'pay': [10, 20, 30, 40, 50, 60], 'age': [1.5, 2.5, 3.0, 4.0, 5.25, 6.0]})
broad = pd.DataFrame({f'column_{i}': [i / 2, i] for i in range(12)})
"""
# What is printed -> the hash of what pandas 3.1.1 prints for it.
RECORDED = {
    "df, df.dtypes, df.shape, df.columns, df.index, len(df), list(df)": "cc8eb6e4c0d5358d",
    "df.describe(), df['c'].describe(), df['c'].value_counts(), df.a.value_counts(normalize=True), df['c'].nunique()": "21723e120580f57f",
    "df[df['a'] > 1], df.iloc[0], df.iloc[0:2, 1], df.loc[1, 'c'], df.loc[df['c'] == 'x', ['a', 'b']], df.head(2)[::-1]": "2b7f5dbf24b28c66",
    "df.isnull().sum(), df.fillna(df.mean(numeric_only=True)), df.dropna(), df.drop('c', axis=1).values, df.sort_values('b', ascending=False)": "f2cc94442bfed204",
    "wide.columns, df['a'].pct_change(), torch.tensor(df['a']), pd.Index(['a', 'b']), pd.Index([1, 2], name='n')": "1c637cf8230a7094",
    "df.groupby('c').mean(), df.groupby('c')['a'].agg(['mean', 'max']), df.groupby('c').size(), [(k, len(g)) for k, g in df.groupby('c')]": "f0ca52c5d02e2301",
    "houses, pd.get_dummies(houses.iloc[:, 0:2], dummy_na=True).fillna(3), torch.tensor(houses[['Price']].to_numpy(dtype=float))": "11aeedadfb68a032",
    "[(i, row['a'], row.c) for i, row in df.iterrows()], list(df.itertuples()), df.to_dict('records'), df.to_csv(index=False)": "ca8f2bc70a65477c",
    "wide.describe().round(2), wide.groupby('species').mean().round(3), wide.T": "0d21d6b58190cf85",
    "pd.Series([0.1, -0.25, 100.0], index=['p', 'q', 'r'], name='v'), pd.Series(range(100)), pd.Series([1e10, 1.5]), pd.Series([1, 2, None]), pd.Series([True])": "c64ea58650c5b0ef",
    "pd.DataFrame(np.random.RandomState(0).randn(100, 3)), pd.DataFrame({'loss': [0.123456789, 1e-7], 'acc': [99.5, 100.0]}).to_string(index=False)": "3c7318fdf8be3182",
    "pd.concat([df, df]), pd.concat([df[['a']], df['c']], axis=1), df.merge if False else pd.merge(df, pd.DataFrame({'c': ['x', 'yy'], 'd': [7, 8]}), on='c')": "0f919c9f95730ae6",
    "np.array(df['a']), np.mean(df['a']), np.sqrt(df['a']), np.asarray(df[['a', 'b']]).shape, df['a'] * 2 + 1, (df['a'] - df['a'].mean()) / df['a'].std()": "a02856d0a5653773",
    "df['c'].map({'x': 0, 'yy': 1}), df['c'].apply(len), df['c'].str.upper(), df['a'].astype(float), df['a'].rolling(2).mean(), df['c'].isin(['x']), df['a'].cumsum().tolist()": "26f020bfd82bce00",
    "[df.merge(pd.DataFrame({'a': [1, 3, 5], 'c': ['u', 'v', 'w'], 'd': [7, 8, 9]}), on='a', how=how) for how in ('inner', 'left', 'right', 'outer')], pd.merge(df, pd.DataFrame({'k': [2, 4]}), how='outer', left_on='a', right_on='k')": "9893ae0978a1e844",
    "pd.crosstab(df.a, df.c), df.nlargest(3, 'b'), df.sort_values('b', ascending=False), df.dtypes != 'object', df['a'].dtype == object, pd.DataFrame({'n': [float('nan')] * 2})": "331fa98c84b3f543",
    "[(setattr(table.index, 'name', 'id'), table, table.to_csv()) for table in [df.copy()]]": "589e359ed0a4789e",
    "pd.date_range('2020-01-30', periods=4, freq='ME'), pd.date_range('2020-01-01', '2020-01-04', freq='36h'), pd.date_range('2020-01-01', periods=120), pd.to_datetime(['05/06/2020', '11/12/2020']), pd.to_datetime('1 March 2021'), pd.to_datetime('6.5.20', format='%d.%m.%y')": "4008fa8fb92b4d6a",
    "moments, moments['when'].dt.hour, moments['when'].dt.day_name(), moments['when'] - moments['when'][0], moments.describe(), moments[moments['when'] > '2021-01-02'], moments['when'].max()": "e202bcb12ff20d2b",
    "daily, daily['2021-02'].sum(), daily['2021-01-05':'2021-01-07'], daily.loc['2021-01-02'], daily.resample('W').sum(), daily.resample('ME').agg(['mean', 'max']), daily.rolling(3).mean().tail(2), daily.groupby(daily.index.month).count(), daily.shift(1).head(2)": "c776ec774526213b",
    "pd.cut([1, 5, 9], 3), pd.cut(df['a'], [0, 1, 3], labels=['low', 'high']), pd.qcut(pd.Series(range(9)), 4), pd.cut(df['a'], [0, 2, 4]).value_counts(), df['c'].astype('category').cat.codes, df['c'].astype('category')": "505e95d85fd4d805",
    "df['c'].unique(), df['c'].values, df.values, df.columns.values, pd.Series([f'item{i}' for i in range(20)]).unique()": "7fcf75df00e702ed",
    "df.dropna(thresh=3), df.reindex([2, 0]), df.set_index(['c']).loc['x'], df.T, df.agg(['min', 'max']) if False else df[['a']].agg(['min', 'max']), df.pivot_table(values='a', index='c'), df.melt(id_vars='c', value_vars=['a']), pd.crosstab(df.a, df.c, margins=True)": "4d21e76478543825",
    "[pd.set_option('display.max_columns', most) or str(broad) for most in (None, 6, 0)], [pd.set_option('display.max_rows', 6), str(daily), pd.reset_option('display.max_rows')][1]": "fc541b65e53e109d",
    "[(g.mean(), g['pay'].sum(), g.size(), g['pay'].mean().unstack(), g[['pay']].sum().unstack(), g['pay'].mean().index, g.agg({'pay': ['sum', 'mean']}).reset_index()) for g in [staff.groupby(['dept', 'sex'])]]": "4585624a2fd4d015",
    "[(g.agg({'pay': ['mean', 'max'], 'age': 'min'}), g.agg(total=('pay', 'sum'), oldest=('age', 'max')), g[['pay', 'age']].agg(['mean', lambda x: x.max()])['age'], g['sex'].value_counts(), g['pay'].describe(), g.apply(lambda d: d.nlargest(1, 'pay'))) for g in [staff.groupby('dept')]], staff.groupby('dept', as_index=False)['pay'].mean()": "a2204780b477d136",
    "[(s, s.loc['a'], s.loc[('b', 'm')], s.xs('f', level='sex'), s.sort_index().reset_index(level='sex'), s.groupby(level=0).sum()) for s in [staff.set_index(['dept', 'sex'])]], staff[['dept', 'sex']].value_counts()": "bfbdf27500d8b7a0",
    "pd.pivot_table(staff, values='pay', index='dept', columns='sex', aggfunc='sum', fill_value=0), staff.pivot_table(values='pay', index='dept', columns='sex', aggfunc='sum', margins=True), staff.pivot_table(index='dept', columns='sex', values=['pay', 'age']), pd.crosstab([staff['dept'], staff['sex']], staff['pay'] > 25, margins=True), pd.concat([staff[:1], staff[4:]], keys=['x', 'y']), pd.Series([1.0, 2, 3, 4], index=pd.MultiIndex.from_product([['A', 'B'], [1, 2]], names=['k', None]))['A'], pd.DataFrame({('x', 'a'): [1, 2], ('y', 'b'): ['p', 'q']})": "3c224477492bf9af",
    "[staff.query(q).index.tolist() for q in ('pay > 20 and age < 5', 'pay > 20 & age < 5', \"sex == 'f' or dept in ['b']\", 'not pay > 30', '10 < pay <= 30', 'pay % 20 == 0', 'age + pay * 2 > 70')], staff.eval('pay / age').round(3), staff.describe(include='all'), staff.describe(exclude='number')": "3076423cd58f2634",
    "pd.read_csv(io.StringIO('day;a\\n01/02/2021;1,5\\n'), sep=';', decimal=',', parse_dates=['day'], index_col='day'), pd.read_csv(io.StringIO('a  b # x\\n 1  ?\\n'), sep=' ', skipinitialspace=True, comment='#', na_values='?')": "27c5fb07a90ed29a",
    "[getattr(df.a, n)(2) for n in ('add', 'rsub', 'div', 'rdiv', 'pow', 'mod', 'floordiv', 'eq', 'lt', 'ge')], df.a.add(pd.Series([1.0], index=[7]), fill_value=0), df.a + pd.Series([1, 2], index=[2, 9]), wide.sub(wide.mean()).round(3), wide.div(wide.sum(axis=1), axis=0).round(3), df[['a', 'b']].add(pd.DataFrame({'b': [1.0], 'z': [2]}), fill_value=0), (wide @ np.ones((5, 2))).round(3)": "40d04548bc18af02",
    "[df.b.rank(method=m, ascending=u).tolist() for m in ('average', 'min', 'max', 'first', 'dense') for u in (True, False)], wide.rank(axis=1).iloc[0], staff.pay.autocorr(2), staff.pay.corr(staff.age, method='spearman'), staff.pay.corr(staff.age, method='kendall'), staff.cov(numeric_only=True), staff[['pay', 'age']].corrwith(staff.age), df.b.cumsum(), df.b.sum(skipna=False), wide.quantile([0.1, 0.9]).round(3)": "4e6e3411979da4f7",
    "daily.rolling('3D').sum().tail(2), daily.rolling(3).agg(['mean', 'std']).tail(2), daily.rolling(4).skew().tail(1), daily.rolling(3).corr(daily**2).tail(1), daily.expanding(2).std().head(3), daily.ewm(span=3).mean().tail(1), staff.age.ewm(alpha=0.3, adjust=False).var().round(6), daily.between_time('00:00', '01:00').shape, wide.rolling(2).mean().round(3)": "b6321dd6649a47bf",
    "[(g.pay.rank(method='first', ascending=False), g.pay.idxmin(), g.age.cumprod(), g.pay.pct_change(), g.tail(1), g.nth(0), g.pay.quantile([0.25, 0.75]), g[['pay', 'age']].corr(), g.pay.rolling(2).mean(), g.pay.agg(list), g.age.std(ddof=0), g.pay.shift(1, fill_value=0), g.groups) for g in [staff.groupby('dept')]]": "ab30d82b5fc1b37d",
    "df.columns.str.upper(), df.columns.str.startswith('a'), pd.Index([3, 1, 1]).value_counts(), pd.Index(['b', 'a']).argsort(), pd.Index([1, 2]).insert(1, 9), pd.Index([1, None]).isna(), daily.index[:3].is_month_start, df.set_index('c')['a']['x'], df.set_index('c').loc[['yy', 'x'], 'a'], df.set_index('c', append=True).index.nlevels": "def61767390b40a1",
    "df.replace({'c': {'x': 'X'}}), df.c.replace('^y+', 'w', regex=True), df.sort_values('b', na_position='first'), df.sort_values('c', key=lambda s: s.str.len()), df.apply(lambda r: pd.Series([r.a, r.c], index=['u', 'v']), axis=1), df.apply(lambda r: [r.a, r.c], axis=1, result_type='expand'), df.mask(df.isna(), 0), df.sample(2, weights='a', random_state=1), df.describe(percentiles=[0.1])": "282ae39bf23ac11d",
    "df.to_json(), df.to_json(orient='records'), df.to_dict('split'), pd.DataFrame.from_dict({'r': [1, 2]}, orient='index', columns=['p', 'q']), df.merge(pd.DataFrame({'c': ['x', 'k'], 'n': [1, 2]}), how='outer', indicator=True), df.merge(pd.DataFrame({'z': [5, 6]}), how='cross'), df.c.str.cat(df.c, sep='_'), df.c.str.get_dummies(), df.a.equals(df.a), df.b.first_valid_index(), df.rename_axis('i'), df.combine_first(pd.DataFrame({'b': [9.0] * 3})), pd.unique(df.c), pd.factorize(df.c)": "f6c1f2dd8baead5c",
    "np.mean(df.b), np.sum(df[['a', 'b']]), np.std(df.b), np.max(df[['a', 'b']], axis=0), np.where(df.a > 1, 1, 0), np.isclose(df.a, 2), np.cumsum(df.a), np.argsort(df.a), np.round(df.b)": "2e3412ac62461d5e",
    "[d.resample('D').agg(f) for d in [pd.DataFrame({'v': np.arange(6.0), 'w': range(6)}, index=pd.date_range('2021-01-01', periods=6, freq='12h', name='t'))] for f in ({'v': ['mean', 'max'], 'w': 'sum'}, ['min', 'max'], {'v': 'sum'})], pd.Timestamp('2021-01-01') + pd.to_timedelta([1, 2], unit='D'), 1 - pd.Index([1, 2]), pd.date_range('2021-01-01', periods=2, name='a rather long name') + pd.Timedelta('1D'), staff[['pay']].iloc[0].rename_axis('k')": "0bf9064fee1edb3d",
}


def test_tables_are_shown_as_pandas_shows_them() -> None:
    text = _BEGINNING + "".join(f"print({what})\nprint('=====')\n" for what in RECORDED) + "df.info()\n"
    for what, shown in zip(RECORDED, printed(text).split("=====\n"), strict=False):
        assert hashlib.sha256(shown.encode()).hexdigest()[:16] == RECORDED[what], what


def test_rows_and_columns_are_added() -> None:
    text = "import pandas as pd\nlog = pd.DataFrame(columns=['epoch', 'loss'])\nfor i in range(2):\n    log.loc[len(log)] = [i, 1.5 - i]\nlog['acc'] = [90, 95]\nprint(log)\n"
    assert printed(text) == "   epoch  loss  acc\n0    0.0   1.5   90\n1    1.0   0.5   95\n"


@pytest.mark.parametrize(("text", "message"), [
    ("pd.read_excel('a.xlsx')", "pandas.read_excel() is not in gradcli: save the table as text"),
    ("pd.DataFrame({'a': [1], 'b': [1, 2]})", "All arrays must be of the same length"),
    ("pd.DataFrame({'a': [1]})['b']", "KeyError: 'b'"),
    ("pd.DataFrame({'a': [1]}).pivot_table()", "No group keys passed!"),
    ("pd.DataFrame({'a': [1, 2]}, index=['x', 'x']).T", "columns of the same name are not in gradcli"),
    ("pd.DataFrame({'a': [1]}).query('a > @k')", "without variables of the program (@name)"),
    ("import torch\ntorch.tensor(pd.DataFrame({'a': [1]}))", "could not determine the shape of object type 'DataFrame'"),
    ("pd.read_csv('none.csv')", "No such file or directory"),
])  # fmt: skip
def test_what_is_not_in_it_is_named(text: str, message: str) -> None:
    with pytest.raises(GradcliError) as caught:
        program(f"import pandas as pd\n{text}\n").run()
    assert message in str(caught.value)
