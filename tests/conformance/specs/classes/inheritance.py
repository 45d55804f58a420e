# Base classes, overriding, and super in both forms.
class Shape:
    sides = None

    def __init__(self, name):
        self.name = name

    def area(self):
        raise NotImplementedError("area of a plain shape")

    def describe(self):
        return f"{self.name} with {self.sides} sides and area {self.area():.2f}"


class Rectangle(Shape):
    sides = 4

    def __init__(self, w, h, name="rectangle"):
        super().__init__(name)
        self.w, self.h = w, h

    def area(self):
        return self.w * self.h


class Square(Rectangle):
    def __init__(self, a):
        super(Square, self).__init__(a, a, name="square")

    def describe(self):
        return super().describe() + "!"


class Loud:
    def shout(self):
        return self.describe().upper()


class LoudSquare(Loud, Square):
    pass


for s in (Rectangle(2, 3), Square(2), LoudSquare(1)):
    print(s.describe(), isinstance(s, Shape), isinstance(s, Square), type(s).__name__)
print(LoudSquare(3).shout())
try:
    Shape("blob").describe()
except NotImplementedError as e:
    print("NotImplementedError:", e)
print(Square.sides, Shape.sides, Square.__name__, Square(1).__class__.__name__)
print(Rectangle, type(Square(1)))
print(Rectangle.area(Square(5)))
