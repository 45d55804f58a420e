"""Enumerations of bits, alone and together."""

from enum import Enum, Flag, IntFlag, auto


class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W

    def describe(self):
        return f"{self.name}={self.value}"


print(
    Perm.R,
    repr(Perm.R),
    Perm.RW,
    repr(Perm.RW),
    Perm.R | Perm.W,
    (Perm.R | Perm.W) is Perm.RW,
    Perm.R | Perm.X,
    repr(Perm.R | Perm.X),
    list(Perm),
    len(Perm),
)
print(
    Perm(0),
    repr(Perm(0)),
    Perm(5),
    Perm.R in Perm.RW,
    Perm.X in Perm.RW,
    bool(Perm.R & Perm.W),
    ~Perm.R,
    Perm.RW & ~Perm.R,
    Perm.R ^ Perm.RW,
    list(Perm.RW),
    len(Perm.RW),
)
p = Perm.R
p |= Perm.X
print(p, p.value, p.name, Perm["RW"], p == Perm.R | Perm.X, {p: 1}, p.describe())
try:
    Perm(16)
except ValueError as e:
    print(e)
try:
    Perm.R | 1
except TypeError as e:
    print(e)


class I(IntFlag):
    A = 1
    B = 2
    C = 4


print(
    I.A,
    repr(I.A),
    I.A | I.B,
    repr(I.A | I.B),
    I.A + 1,
    I.C == 4,
    int(I.C),
    repr(I(8)),
    I.A | 8,
    f"{I.B}",
    I.A & 1,
    repr(I.A & 1),
    I(3) is (I.A | I.B),
    bool(I(0)),
    repr(~I.A),
    isinstance(I.A, int),
)


class Color(Enum):
    RED = auto()
    GREEN = auto()


print(Color, Perm, list(Color), Color(2), Color.RED in Color)


def f(p: Perm = Perm.R | Perm.W) -> bool:
    return Perm.W in p


print(f(), f(Perm.X))
