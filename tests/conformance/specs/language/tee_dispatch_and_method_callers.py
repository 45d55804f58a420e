from itertools import tee

a, b = tee(iter([1, 2, 3]))
next(b, None)
print(list(zip(a, b)))
from functools import singledispatch


@singledispatch
def f(x):
    return 'any'

@f.register
def _(x: int):
    return 'int'

@f.register(list)
def _(x):
    return 'list'

@f.register(str)
@f.register(float)
def g(x):
    return 'sf'
print(f(1), f([]), f({}), f('a'), f(2.0), f(True), f.dispatch(int)(1))
from operator import methodcaller

print(methodcaller('upper')('abc'), methodcaller('split', ',')('a,b'))
