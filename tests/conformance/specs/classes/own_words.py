"""What classes of a program say of themselves, and what their bases say for them."""

from collections import namedtuple
from typing import NamedTuple


class Wrong(KeyError):
    def __repr__(self):
        return "wrong: " + super().__repr__()

    def __str__(self):
        return "what: " + super().__str__()


class Louder(ValueError):
    def __str__(self):
        return super().__str__() + "!"


class Point(NamedTuple):
    x: float
    y: float = 0.0

    def __repr__(self):
        return f"<{self.x}, {self.y}>"


class Named(NamedTuple):
    name: str

    def __str__(self):
        return self.name


class Pair(namedtuple("Pair", "a b")):
    def swapped(self):
        return Pair(self.b, self.a)


print(repr(Wrong(1, 2)), str(Wrong("a")), Wrong("a", 2), [Wrong()])
print(Louder(1), Louder(), Louder(Louder(2)), Louder(Louder(2), 3), [Louder(3)])
print(Point(1.0), [Point(2.0, 3.0)], f"{Point(4.0)}", super(Point, Point(5.0)).__repr__())
print(Named("a"), [Named("b")], f"{Named('c')}", repr(Named("d")))
pair = Pair(1, 2).swapped()
pair.note = "swapped"
print(pair, pair.note, pair._replace(a=5), pair == (2, 1), Pair._make([3, 4]), pair._asdict())
