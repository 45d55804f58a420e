# ruff: noqa: E501 (programs on one line)
"""Masked arrays: what is left out of what is computed, beside NumPy itself."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError

from ..running import printed, printed_by_python

TEXT = r'''
import numpy as np
import numpy.ma as ma
def show(*fs):
    for f in fs:
        try: print(f())
        except Exception as e: print('ERR', type(e).__name__, str(e)[:120])
x=np.array([1,2,3,-1,5]); mx=ma.masked_array(x.copy(),mask=[0,0,0,1,0]); f=ma.array([1.5,2.,4.,8.],mask=[False,True,False,False]); m2=ma.array(np.arange(6).reshape(2,3),mask=[[0,1,0],[1,0,0]]); g=ma.array([[1.,2.],[3.,4.]]); am=ma.array([1.,2.],mask=True)
for a in (mx,f,m2,g,am):
    show(lambda:a,lambda:repr(a),lambda:a.sum(),lambda:a.mean(),lambda:a.std(),lambda:a.var(ddof=1),lambda:a.min(),lambda:a.max(),lambda:a.count(),lambda:a.mask,lambda:a.data,lambda:a.filled(0),lambda:a.filled(),lambda:a.compressed(),lambda:a.fill_value,lambda:a+1,lambda:a*a,lambda:1-a,lambda:-a,lambda:a/2,lambda:2/a,lambda:a>2,lambda:a**2,lambda:a[0],lambda:a[1:],lambda:a[-1],lambda:a.prod(),lambda:a.argmax(),lambda:a.tolist(),lambda:a.any(),lambda:a.all(),lambda:list(a),lambda:a.shape,lambda:len(a),lambda:ma.average(a),lambda:ma.median(a),lambda:ma.is_masked(a),lambda:ma.getmaskarray(a),lambda:a/0,lambda:a/a,lambda:a.T,lambda:a.ravel(),lambda:a.ptp(), lambda:a==a, lambda: a[a>2], lambda: abs(a), lambda: a-a.mean(), lambda: (a+1).data, lambda: repr(a>2))
for a in (m2,g): show(lambda:a.sum(axis=0),lambda:a.mean(axis=1),lambda:a.std(axis=0),lambda:a.var(axis=1),lambda:repr(ma.array(a.data,mask=a.mask).var(axis=0)),lambda:a.max(axis=1),lambda:a.count(axis=0),lambda:a[0],lambda:a[0,1],lambda:a[:,1],lambda:a.sum(axis=0,keepdims=True), lambda: a.mean(axis=0).data, lambda: repr(a.mean(axis=0)))
show(lambda:ma.masked_where(x<0,x),lambda:repr(ma.masked_where(x<0,x)),lambda:ma.masked_greater(np.arange(6.),3),lambda:ma.masked_invalid([1,np.nan,np.inf,2.]),lambda:ma.masked_equal([1,2,1],1),lambda:repr(ma.masked_equal([1,2,1],1)),lambda:ma.masked_inside(x,1,2),lambda:ma.masked_outside(x,1,2),lambda:ma.masked,lambda:mx[3] is ma.masked,lambda:ma.masked_where(x>100,x),lambda:repr(ma.masked_where(x>100,x)),lambda:ma.array([1,2],mask=[1]),lambda:ma.masked+1,lambda:ma.sqrt(ma.array([4.,-1.])),lambda:ma.log(ma.array([1.,0.])),lambda:ma.array([1,2,3],mask=[0,1,0],fill_value=-9).filled(),lambda:ma.average(f,weights=[1,2,3,4]),lambda:ma.masked_less(x,0).mean(),lambda:repr(ma.array(np.float32([1,2]),mask=[0,1])),lambda:ma.array(np.arange(30.)*1.5,mask=np.arange(30)%3==0),lambda:repr(ma.array(np.arange(30.)*1.5,mask=np.arange(30)%3==0)),lambda:np.ma.masked_array([1,2],mask=[0,1]).mean(),lambda:f"{mx.mean():.2f}",lambda:ma.mean(mx))
mx[0]=ma.masked; print(mx, mx.data); mx[0]=7; print(mx); mx[1:3]=0; print(mx); mx.mask=[1,0,0,0,0]; print(mx); g[0,0]=ma.masked; print(g, repr(g)); print(ma.getmask(x), ma.nomask)
'''
REFUSED = {
    "np.mean(m)": "arrays hold numbers", "ma.median(m, axis=0)": "median() along an axis", "ma.array(['a'])": "something else than numbers",
    "ma.masked_array(np.ones(2000), mask=np.ones(2000))": "showing so many elements", "ma.corrcoef(m)": "has no name 'corrcoef'",
}


def test_the_same_as_numpy() -> None:
    assert printed(TEXT) == printed_by_python(TEXT)


@pytest.mark.parametrize("text", REFUSED)
def test_what_there_is_not_is_refused(text: str) -> None:
    """By its name, and never computed with what is masked."""
    with pytest.raises(GradcliError) as told:
        printed(f"import numpy as np\nimport numpy.ma as ma\nm = ma.array([1.0, 2.0], mask=[0, 1])\nprint({text})\n")
    assert REFUSED[text] in str(told.value)
