"""Generators, one of which a loop leaves, closures and patterns."""

import itertools
import random

import torch


def batches(xs, n):
    it = iter(xs)
    while chunk := list(itertools.islice(it, n)):
        yield chunk


print(list(batches(range(7), 3)))


def counter():
    c = 0

    def inc(k=1):
        nonlocal c
        c += k
        return c

    return inc


a, b = counter(), counter()
print(a(), a(5), b())


def flatten(x):
    for y in x:
        if isinstance(y, (list, tuple)):
            yield from flatten(y)
        else:
            yield y


print(list(flatten([1, [2, (3, [4])], 5])))


def averager():
    total, n, avg = 0.0, 0, None
    while True:
        v = yield avg
        total += v
        n += 1
        avg = total / n


g = averager()
next(g)
print([g.send(v) for v in (10, 20, 60)])
g.close()


def lines():
    try:
        yield 1
        yield 2
    finally:
        print("cleanup")


for l in lines():
    print(l)
    break
fs = [lambda x, i=i: x * i for i in range(3)]
print([f(10) for f in fs])
gs = [lambda x: x * i for i in range(3)]
print([f(10) for f in gs])


def infinite_loader(data, seed):
    rng = random.Random(seed)
    while True:
        idx = list(range(len(data)))
        rng.shuffle(idx)
        for i in idx:
            yield data[i]


L = infinite_loader(torch.arange(4), 0)
print([next(L).item() for _ in range(9)])
print(
    list(zip(*[iter(range(6))] * 2)),
    list(itertools.accumulate([1, 2, 3])),
    list(itertools.product("ab", [1, 2])),
    list(itertools.chain([1], [2, 3])),
    list(itertools.combinations(range(3), 2)),
    next(itertools.count(5)),
    list(map(lambda x, y: x + y, [1, 2], [3, 4])),
    list(filter(None, [0, 1, "", "a"])),
    [*enumerate("ab", 1)],
    dict(zip("ab", range(2))),
    {k: v for k, v in [(1, 2)]},
    {i % 3 for i in range(9)},
    sum(x * x for x in range(4)),
    any([]),
    all([]),
    sorted("bca", reverse=True),
    min([3, 1], key=lambda v: -v),
)
match {"op": "add", "args": [1, 2]}:
    case {"op": "add", "args": [x, y]}:
        print("sum", x + y)
    case _:
        print("?")


def kind(v):
    match v:
        case int() | float():
            return "num"
        case [first, *rest]:
            return f"seq {first} {len(rest)}"
        case str() as s if s:
            return "text " + s
        case None:
            return "none"
        case _:
            return "other"


print([kind(v) for v in (1, [1, 2], "a", "", None, {})])
