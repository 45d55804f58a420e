from typing import Optional, TypedDict


class C(TypedDict):
    lr: float
    n: int

class D(C, total=False):
    q: str
c: C = {'lr': 0.1, 'n': 3}
print(c, C(lr=1.0, n=2), D(lr=1.0, n=2, q='a'))
from enum import Enum

X = Enum('X', 'A B')
print(X.A, list(X), X['B'].value)
Y = Enum('Y', ['P', 'Q'])
Z = Enum('Z', {'p': 1, 'q': 5})
print(Y.P.value, Z.q, Z(5), repr(Y.Q))
W = Enum('W', [('a', 3), ('b', 4)])
print(W.b.value)
