# ruff: noqa: E501 (programs on one line)
"""Arrays of records: their fields, rows and texts, beside NumPy itself."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError

from ..running import printed, printed_by_python

TEXT = r'''
import numpy as np
def show(*fs):
    for f in fs:
        try: print(f())
        except Exception as e: print('ERR', type(e).__name__, str(e)[:120])
x = np.array([('Rex', 9, 81.0), ('Fido', 3, 27.0)], dtype=[('name', 'U10'), ('age', 'i4'), ('weight', 'f4')])
print(x); print(x[1]); print(x['age']); x['age'] = 5; print(x); print(repr(x)); print(repr(x[0]))
print(x.dtype, repr(x.dtype), x.dtype.names, x.shape, x[0]['name'], x.dtype.itemsize, x.nbytes, len(x), x.ndim, x.size)
print(np.sort(x, order='weight')); print(x[x['weight'] > 30]['name']); print(x[['name','age']])
d = np.zeros(3, dtype={'names': ('a', 'b'), 'formats': ('i4', 'f8')}); d['b'] = [1., 2., 30.5]; print(d, repr(d)); d[1]=(7,-2); d[0]['a']=4; print(d, d[0], d['a'].sum())
for row in x: print(row['name'], row['weight'], row)
print(x['weight'].mean(), x[0].item(), x.tolist(), tuple(x[1]))
dt = np.dtype([('x', np.float64), ('y', np.int32)]); print(dt['x'], dt.itemsize, dt.fields['y'], len(dt), dt==np.dtype([('x','f8'),('y','i4')]))
tr = np.dtype([('s', np.float32, (3,)), ('a', np.int64), ('r', 'f4'), ('done', bool), ('m', np.float64, (2,2))])
b = np.empty(4, dtype=tr); b[:]=0; b[0] = (np.arange(3.), 2, 0.5, True, np.eye(2)); b[1] = ([1,2,3], 1, -1., False, np.ones((2,2))); print(b[:2], b['s'].shape, b['done'], tr); print(repr(b[:2])); print(b[0], b['s'][1])
y = np.array([(3,'c',1.),(1,'a',2.),(2,'b',0.)], dtype=[('k',int),('n','U1'),('v',float)])
print(np.sort(y,order='k'), np.argsort(y,order='v'), np.sort(y,order=['n','k'])); y.sort(order='v'); print(y); print(y==y, y[::-1], y[[0,2]], y[y['k']>1], y[-1]['n'], y[0]==y[0], y.reshape(3,1), y.copy()[:1])
z=np.zeros((2,2),[('x',float),('y',float)]); z['x'],z['y']=np.meshgrid(np.linspace(0,1,2),np.linspace(0,1,2)); print(z, repr(z)); print(z[0,1], z[1])
show(lambda: x['nope'], lambda: d[0]['nope'], lambda: np.zeros(2,dtype='i4,f8'), lambda: np.ones(2,dtype=[('a',int),('b',bool)]), lambda: np.array((1,2.),dtype=[('a',int),('b',float)]), lambda: np.array([(1,),(2,)],dtype=[('a',int)]), lambda: np.concatenate([d,d]), lambda: np.zeros_like(d), lambda: np.array([(1,2)],dtype=[('a',int),('a',int)]), lambda: d.__setitem__(0,(1,)), lambda: np.zeros(2000,dtype=[('a',int),('b','f4')]), lambda: np.zeros(0,dtype=[('a',int)]), lambda: repr(np.zeros(0,dtype=[('a',int)])), lambda: np.zeros(30,dtype=[('alpha',int),('beta','f4')]), lambda: repr(np.zeros(30,dtype=[('alpha',int),('beta','f4')])))
r=d[1]; r['a']=99; print(d); x['name'][0]='A very long name'; print(x[0]); x[1]=('Max',1,2.5); print(x)
print(x['age'].dtype, x['name'].dtype, isinstance(x,np.ndarray))
'''
REFUSED = {
    "np.mean(b)": "arrays hold numbers", "np.zeros(3, dtype=[('a', 'S5')])": "a field of type 'S5'", "np.zeros(3, dtype=[('a', object)])": "a field of type",
    "b.mean()": "has no attribute 'mean'", "np.zeros(2, dtype=[('a', [('b', int)])])": "a field of type", "np.zeros(10**9, dtype=[('a', float)])": "the limit is",
    "np.unique(b)": "arrays hold numbers", "b[['s', 'a']].__setitem__(['s'], 1)": "writing to several fields", "b == 3": "comparing records with something else",
}


def test_the_same_as_numpy() -> None:
    assert printed(TEXT) == printed_by_python(TEXT)


@pytest.mark.parametrize("text", REFUSED)
def test_what_there_is_not_is_refused(text: str) -> None:
    """By its name, and never taken for something else."""
    with pytest.raises(GradcliError) as told:
        printed(f"import numpy as np\nb = np.zeros(4, np.dtype([('s', np.float32, (3,)), ('a', np.int64)]))\nprint({text})\n")
    assert REFUSED[text] in str(told.value)


def test_a_buffer_of_records_is_read_as_tensors() -> None:
    """As replay buffers are: written record by record, read field by field."""
    text = (
        "import numpy as np, torch\nkind = np.dtype([('s', np.float32, (2,)), ('a', np.int64)])\nbuffer = np.empty(3, dtype=kind)\n"
        "for i in range(3): buffer[i] = (np.full(2, i), i)\nprint(torch.tensor(buffer['s'], dtype=torch.float), torch.from_numpy(buffer['a']))\n"
    )
    assert printed(text) == "tensor([[0., 0.],\n        [1., 1.],\n        [2., 2.]]) tensor([0, 1, 2])\n"
