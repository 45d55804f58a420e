"""What a program finds out about itself."""

import inspect

import torch
from torch import nn


class Wrap:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        if name.startswith("bad"):
            raise AttributeError(f"no {name}")
        return getattr(self.inner, name)


w = Wrap([3, 1, 2])
w.sort()
print(w.inner, hasattr(w, "bad_one"), hasattr(w, "append"), getattr(w, "bad", 7))
try:
    w.badly
except AttributeError as e:
    print(e)


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.net, name)


m = M()
print(m.in_features, m.net.out_features, m.weight.shape)
try:
    m.nothing
except AttributeError as e:
    print(e)


class Config:
    def __init__(self, **kw):
        self.__dict__.update(kw)

    def __getattr__(self, k):
        return None


c = Config(a=1)
print(c.a, c.b)
c.b = 4
print(c.b, vars(c))


class Sub(Config):
    def __getattr__(self, k):
        if k == "z":
            return "zed"
        return super().__getattr__(k)


print(Sub(a=2).z, Sub(a=2).y)


class Lazy:
    def __getattr__(self, name):
        value = name.upper()
        self.__dict__[name] = value
        return value


l = Lazy()
print(l.foo, l.__dict__)


class P:
    @property
    def x(self):
        raise AttributeError("inner")

    def __getattr__(self, n):
        return "fallback " + n


print(P().x)


def q(a, b=3, *r, k=1, **kw):
    t = [i for i in range(2)]
    print(locals())


q(1, k=5, z=2)
q(b=2, a=1)
xx = 5
print(globals()["xx"], "xx" in globals(), locals()["xx"])
globals()["yy"] = 7
print(yy)
for n in ("M", "Wrap"):
    print(globals()[n].__name__)
c.__dict__["k"] = 3
print(c.k, c.__dict__.pop("k"), c.k, c.__dict__.get("a"))


def gen():
    v = 1
    yield locals()


print(next(gen()))


def asked(value):
    return [hasattr(value, f"__{name}__") for name in ("len", "iter", "getitem", "next", "call", "contains", "float")]


for value in ([1], "a", {}, {1}, torch.ones(2), 1.5, nn.Linear(1, 1), print, iter([1]), None, list, nn.Sequential()):
    print(asked(value))
print("fused" in inspect.signature(torch.optim.AdamW).parameters, list(inspect.signature(nn.Linear).parameters))


class Keeping:
    def keep(self, ignore=()):
        frame = inspect.currentframe().f_back
        _, _, _, names = inspect.getargvalues(frame)
        self.kept = {k: v for k, v in names.items() if k not in {*ignore, "self"}}
        for k, v in self.kept.items():
            setattr(self, k, v)


class Sized(Keeping):
    def __init__(self, a, b, c=3):
        self.keep(ignore=["c"])


print(Sized(1, b=2).kept, Sized(1, 2).b, hasattr(Sized(1, 2), "c"))


class M:
    def __init__(self, v):
        self.v = v

    def __format__(self, spec):
        return format(self.v, spec) if spec else "none"


m = M(1.5)
print(f"{m:.3f} {m} {m!r:.5}"[:12], "{:.1f}".format(m), format(m, ".2f"), "%s" % isinstance(m, M))


class B:
    subs = []

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        B.subs.append(cls.__name__)


class C(B):
    pass


class D(C):
    pass


print(B.subs)
print(__doc__, __name__)
