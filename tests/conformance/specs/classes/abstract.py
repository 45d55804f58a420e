from abc import ABC, abstractmethod

import torch


class Shape(ABC):
    @abstractmethod
    def area(self): pass
    @property
    @abstractmethod
    def name(self): ...
    def describe(self):
        return f"{self.name}: {self.area():.2f}"
class Circle(Shape):
    def __init__(self, r):
        self.r = torch.tensor(r, requires_grad=True)
    def area(self):
        return torch.pi * self.r ** 2
    @property
    def name(self):
        return "circle"
c = Circle(2.0)
print(c.describe())
c.area().backward(); print(c.r.grad)
try:
    Shape()
except TypeError as e:
    print(e)
class Half(Shape):
    def area(self): return 1
try:
    Half()
except TypeError as e:
    print(e)
print(issubclass(Circle, Shape), isinstance(c, ABC))
