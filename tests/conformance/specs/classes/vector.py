# Operators, comparison, indexing and length of one's own.
class Vector:
    def __init__(self, *items):
        self.items = list(items)

    def __repr__(self):
        return "Vector(" + ", ".join(str(i) for i in self.items) + ")"

    def __str__(self):
        return "<" + " ".join(f"{i:g}" for i in self.items) + ">"

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, value):
        self.items[i] = value

    def __contains__(self, value):
        return value in self.items

    def __eq__(self, other):
        return isinstance(other, Vector) and self.items == other.items

    def __lt__(self, other):
        return abs(self) < abs(other)

    def __abs__(self):
        return sum(i * i for i in self.items) ** 0.5

    def __add__(self, other):
        return Vector(*[a + b for a, b in zip(self.items, other.items)])

    def __sub__(self, other):
        return Vector(*[a - b for a, b in zip(self.items, other.items)])

    def __mul__(self, k):
        return Vector(*[k * a for a in self.items])

    def __rmul__(self, k):
        return self * k

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self.items, other.items))

    def __neg__(self):
        return Vector(*[-a for a in self.items])

    def __bool__(self):
        return any(self.items)

    def __call__(self, f):
        return Vector(*map(f, self.items))


v, w = Vector(3, 4), Vector(1.0, -2.0)
print(v + w, v - w, repr(v * 2), 3 * w, -v, v @ w, abs(v))
print(v == Vector(3, 4), v == w, v != w, w < v, v > w, bool(Vector(0, 0)), not v)
print(len(v), v[0], v[-1], 4 in v, 5 in v, v(lambda x: x + 0.5))
v[1] = 40
print(v, [v, w], f"{v}", f"{w!r}", sorted([v, w, Vector(2, 2)]))
v += w
print(v, str(v), isinstance(v, Vector))
try:
    v + 1
except AttributeError as e:
    print(e)
try:
    Vector(1) / 2
except TypeError as e:
    print(e)
