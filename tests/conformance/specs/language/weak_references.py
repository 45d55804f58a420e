"""References that keep nothing alive, and containers of them."""

import weakref

import torch


class A:
    def __init__(self, n): self.n = n
a = A(1)
r = weakref.ref(a)
print(r() is a, r == weakref.ref(a), r is not None, len({r, weakref.ref(a)}))
d = weakref.WeakValueDictionary()
d['a'] = a
b = A(2)
d['b'] = b
print(len(d), d['a'].n, sorted(d.keys()), 'b' in d)
del b
print(len(d), d.get('b'), 'b' in d)
s = weakref.WeakSet([a]); print(len(s), a in s)
k = weakref.WeakKeyDictionary(); k[a] = 5; print(k[a], len(k), [x.n for x in k])
a = None
print(r(), len(d), len(s), len(k))
t = torch.ones(2)
w = weakref.ref(t)
print(w().sum())
del t
print(w())
def f():
    x = A(3)
    return weakref.ref(x)
print(f()())
class Node:
    def __init__(self, value):
        self.value, self._parent, self.children = value, None, []
    @property
    def parent(self): return self._parent() if self._parent is not None else None
    def add(self, c):
        c._parent = weakref.ref(self); self.children.append(c)
root = Node('root'); root.add(Node('c'))
print(root.children[0].parent.value)
c = root.children[0]
del root
print(c.parent)
m = torch.nn.Linear(2, 2)
wm = weakref.ref(m); print(wm().in_features, type(wm).__name__)
for bad in (1, [1], 'x', (1,), None):
    try: weakref.ref(bad)
    except TypeError as e: print(e)
try: d['zz']
except KeyError as e: print('KeyError', e)
class H:
    def __init__(s, n): s.n = n
    def __hash__(s): return s.n
    def __eq__(s, o): return s.n == o.n
h = H(5); r = weakref.ref(h)
print(hash(r), r == weakref.ref(h))
del h
print(hash(r), r == r)
q = H(1); r2 = weakref.ref(q); del q
try: hash(r2)
except TypeError as e: print(e)
u = {1, 2}; ru = weakref.ref(u); print(ru())
try: hash(ru)
except TypeError as e: print(e)
print(repr(r2).rpartition(";")[2], repr(ru).rpartition(";")[2].partition(" at ")[0])
