"""Descriptors, decorators that are objects, contexts."""

import contextlib
import functools
import time

import torch


def timer(func):
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        t0 = time.perf_counter()
        out = func(*args, **kwargs)
        dt = time.perf_counter() - t0
        print(f"{func.__name__} took {'<' if dt < 60 else '>'} 60 s")
        return out

    return wrapper


def repeat(n):
    def deco(f):
        @functools.wraps(f)
        def inner(*a, **k):
            return [f(*a, **k) for _ in range(n)]

        return inner

    return deco


@timer
@repeat(2)
def step(x: torch.Tensor) -> float:
    """One step."""
    return (x * 2).sum().item()


print(step(torch.ones(3)), step.__name__, step.__doc__, step.__wrapped__.__name__)


@contextlib.contextmanager
def frozen(model):
    old = [p.requires_grad for p in model.parameters()]
    for p in model.parameters():
        p.requires_grad_(False)
    try:
        yield model
    finally:
        for p, o in zip(model.parameters(), old):
            p.requires_grad_(o)


m = torch.nn.Linear(2, 2)
with frozen(m) as f:
    print([p.requires_grad for p in f.parameters()])
print([p.requires_grad for p in m.parameters()])


class Timer:
    def __enter__(self):
        self.log = ["enter"]
        return self

    def __exit__(self, et, ev, tb):
        self.log.append(et.__name__ if et else "ok")
        return et is ValueError


with Timer() as t:
    raise ValueError("x")
print(t.log)


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(50), fib.cache_info())


class Prop:
    def __set_name__(self, owner, name):
        self.n = "_" + name

    def __get__(self, obj, tp=None):
        return self if obj is None else getattr(obj, self.n, 0)

    def __set__(self, obj, v):
        if v < 0:
            raise ValueError("negative")
        setattr(obj, self.n, v)


class H:
    lr = Prop()

    def __init__(self, lr):
        self.lr = lr


h = H(0.5)
print(h.lr)
h.lr = 2
print(h.lr, h.__dict__)
try:
    h.lr = -1
except ValueError as e:
    print(e)


class counted:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f = f
        self.calls = 0

    def __call__(self, *a):
        self.calls += 1
        return self.f(*a)


@counted
def g(x):
    return x + 1


g(1)
g(2)
print(g.calls, g.__name__)
with contextlib.suppress(ZeroDivisionError):
    1 / 0
with contextlib.ExitStack() as st:
    st.callback(print, "closing")
    print("inside")


@torch.no_grad()
def ev(x):
    return x * 2


print(ev(torch.ones(1, requires_grad=True)).requires_grad)
