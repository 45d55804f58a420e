"""Objects made by __new__, special methods called by their names, and what stands in a class."""


class Singleton:
    _instance = None

    def __new__(cls, *args, **kwargs):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            print("making")
        return cls._instance

    def __init__(self, v=0):
        self.v = v


a = Singleton(3)
b = Singleton(4)
print(a is b, a.v)


class Config(dict):
    def __new__(cls, *a, **k):
        print("new", a, k)
        return super(Config, cls).__new__(cls)


print(Config(x=1))


class P:
    def __init__(self):
        raise RuntimeError


p = P.__new__(P)
p.x = 3
print(p.x, object.__new__(P).__class__.__name__)


class Borg:
    _shared = {}

    def __init__(self):
        self.__dict__ = self._shared


x = Borg()
x.a = 1
print(Borg().a)


class Multi:
    _cache = {}

    def __new__(cls, key):
        if key not in cls._cache:
            cls._cache[key] = object.__new__(cls)
        return cls._cache[key]


print(Multi("a") is Multi("a"), Multi("a") is Multi("b"))


class Fac:
    def __new__(cls, n):
        return n * 2


print(Fac(4))


class Sh:
    def __new__(cls, kind):
        sub = {"c": Ci, "s": Sq}[kind]
        return object.__new__(sub)


class Ci(Sh):
    pass


class Sq(Sh):
    def __init__(self, kind):
        self.k = kind


print(type(Sh("c")).__name__, Sh("s").k)


class Bad:
    def __new__(cls, *a):
        return super().__new__(cls, *a)


try:
    Bad(1)
except TypeError as e:
    print(e)
d = {"a": 2, "b": 5}
print(
    max(d, key=d.__getitem__),
    sorted(range(3), key=[3, 1, 2].__getitem__),
    list(map(d.__getitem__, "ab")),
    d.__len__(),
    [1].__contains__(1),
    (2).__add__(3),
    "a".__len__(),
    list.__getitem__([1, 2], 0),
    str.__len__("ab"),
    (3).__str__(),
    [1].__repr__(),
    {1: 2}.__contains__(1),
)


class F:
    z = 3

    def a(self):
        pass

    @staticmethod
    def s():
        pass

    @property
    def q(self):
        return 1


print(
    [k for k in F.__dict__ if not k.startswith("__")],
    F.__dict__["z"],
    "a" in F.__dict__,
    F.__dict__.get("nope"),
    [k for k, v in vars(F).items() if callable(v)],
    isinstance(F.__dict__["q"], property),
)
try:
    F.__dict__["z"] = 4
except TypeError as e:
    print(e)
it = iter([1, 2])
print(it.__next__(), it.__iter__() is it)
f = lambda x: x + 1
print(f.__call__(3))
import torch

print(torch.ones(2).__len__(), torch.ones(2).__add__(1), torch.tensor(3).__bool__(), torch.ones(2).__getitem__(0))
import operator

print(operator.sub(3, 1), operator.truediv(1, 2), operator.neg(4))
