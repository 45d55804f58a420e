"""Operators of a class of two numbers."""

import math


class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Vec({self.x!r}, {self.y!r})"

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y) if isinstance(o, Vec) else NotImplemented

    def __sub__(self, o):
        return self + -o

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k) if isinstance(k, (int, float)) else self.x * k.x + self.y * k.y

    __rmul__ = __mul__

    def __matmul__(self, o):
        return self.x * o.y - self.y * o.x

    def __eq__(self, o):
        return (self.x, self.y) == (o.x, o.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __bool__(self):
        return bool(self.x or self.y)

    def __iter__(self):
        yield self.x
        yield self.y

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __contains__(self, v):
        return v in (self.x, self.y)

    def __lt__(self, o):
        return abs(self) < abs(o)

    def __format__(self, s):
        return f"({self.x:{s}}, {self.y:{s}})"

    def __round__(self, n=0):
        return Vec(round(self.x, n), round(self.y, n))

    def __iadd__(self, o):
        self.x += o.x
        self.y += o.y
        return self


v, w = Vec(3, 4), Vec(1, -2)
print(
    v + w,
    v - w,
    v * 2,
    2 * v,
    v * w,
    v @ w,
    abs(v),
    -v,
    v == Vec(3, 4),
    {v: 1}[Vec(3, 4)],
    bool(Vec(0, 0)),
    list(v),
    v[0],
    len(v),
    4 in v,
    sorted([v, w]),
    f"{v:.2f}",
    round(Vec(1.234, 2.345), 1),
    max(v, w),
    sum([v, w], Vec(0, 0)),
)
v += w
print(v)
try:
    v + 1
except TypeError as e:
    print(e)
try:
    v.z = 3
except AttributeError as e:
    print(e)
a, b = v
print(a, b, [*v], (lambda x, y: x * y)(*v))


class Poly:
    def __init__(self, *c):
        self.c = c

    def __call__(self, x):
        return sum(k * x**i for i, k in enumerate(self.c))

    def __getattr__(self, n):
        if n.startswith("d"):
            return Poly(*[i * k for i, k in enumerate(self.c)][1:])
        raise AttributeError(f"no {n}")


p = Poly(1, 2, 3)
print(p(2), p.d(2), p.d.d(5))
try:
    p.q
except AttributeError as e:
    print(e)
