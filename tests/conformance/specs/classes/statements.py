"""Class statements: what they name beside their bases, and the attributes that instances may have."""

from abc import ABC, ABCMeta, abstractmethod

from torch.utils.data import Dataset, Sampler


class Twos(Sampler[list[int]]):
    def __iter__(self):
        yield [1, 2]


class Numbers(list[int]):
    pass


class Named(dict[str, int]):
    pass


class Shape(metaclass=ABCMeta):
    @abstractmethod
    def area(self): ...


class Samples(Dataset, metaclass=ABCMeta):
    @abstractmethod
    def one(self): ...


print(list(Twos()), Numbers([1]), Named(a=1), (2.345).__round__(1), (2.5).__round__())
for kind in (Shape, Samples):
    try:
        kind()
    except TypeError as error:
        print(error)


class Known:
    all = {}

    def __init_subclass__(cls, name=None, **others):
        super().__init_subclass__(**others)
        Known.all[name or cls.__name__] = cls


class First(Known, name="one"):
    pass


class Second(Known):
    pass


print(sorted(Known.all))


class Point:
    __slots__ = ("x", "y", "__kept")

    def __init__(self, x, y):
        self.x, self.y, self.__kept = x, y, x

    def kept(self):
        return self.__kept


class Weighted(Point):
    __slots__ = ["w"]


class Free(Point):
    pass


point, weighted, free = Point(1, 2), Weighted(1, 2), Free(1, 2)
point.x, weighted.w, free.v = 5, 3, 4
print(point.x, point.kept(), weighted.w, free.v, isinstance(Samples, type), issubclass(Weighted, Point))
for value in (point, weighted):
    try:
        value.v = 1
    except AttributeError as error:
        print(error)
