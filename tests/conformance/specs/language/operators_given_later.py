"""Classes that are given their operators, and a new __init__, when they are made already."""


class V:
    def __init__(self, n):
        self.n = n


class W(V):
    pass




def add(a, b):
    return type(a)(a.n + (b.n if isinstance(b, V) else b))


V.__add__ = add
V.__radd__ = lambda a, b: add(a, b)
V.__repr__ = lambda self: f"V({self.n})"
V.__getitem__ = lambda self, i: self.n * i
V.__len__ = lambda self: self.n
V.__call__ = lambda self, x: self.n * x
V.__lt__ = lambda a, b: a.n < b.n
V.__iter__ = lambda self: iter(range(self.n))
V.__contains__ = lambda self, x: x == self.n
print(V(1) + V(2), V(1) + 3, 4 + W(5), W(2)[3], len(V(4)), V(3)(5), sorted([V(3), V(1)]), list(V(3)), 3 in V(3))
old = V.__init__


def init(self, n):
    old(self, n * 10)


V.__init__ = init
print(V(1), W(2))


def bad(self, x):
    raise ValueError("no")


V.__add__ = bad
try:
    V(1) + 1
except ValueError as e:
    print(e)
print(max(W(1), V(5)), bool(V(0)), str(V(2)))
