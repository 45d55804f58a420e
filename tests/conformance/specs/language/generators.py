import torch


def count(n):
    i = 0
    while True:
        if i >= n:
            return "done"
        got = yield i
        if got is not None:
            print("got", got)
            i = got
        else:
            i += 1
g = count(5)
print(next(g), next(g), g.send(3), next(g))
try:
    next(g)
except StopIteration as e:
    print("stop", e.value)
print(next(g, "default"))
def chain(*its):
    for it in its:
        yield from it
print(list(chain([1, 2], (3,), "ab", range(2))))
def outer():
    r = yield from count(2)
    print("r =", r)
    yield r
print(list(outer()))
def tree(d):
    if d == 0:
        yield "leaf"
    else:
        yield from tree(d - 1)
        yield d
        yield from tree(d - 1)
print(list(tree(2)))
def fin():
    try:
        yield 1
        yield 2
    except ValueError as e:
        print("caught", e)
        yield 3
    finally:
        print("finally")
f = fin()
print(next(f)); print(f.throw(ValueError("boo"))); print(list(f))
f = fin(); next(f); f.close(); print(list(f))
class It:
    def __init__(self, n): self.n = n
    def __iter__(self):
        for i in range(self.n):
            with torch.no_grad():
                yield torch.tensor(i) * 2, torch.is_grad_enabled()
print([(int(a), b) for a, b in It(3)])
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
from itertools import islice

print(list(islice(fib(), 10)), sum(islice(fib(), 20)))
def bad():
    yield 1
    raise StopIteration
try:
    print(list(bad()))
except RuntimeError as e:
    print("RuntimeError:", e)
def primes(n):
    sieve = [True] * (n + 1)
    for p in range(2, n + 1):
        if sieve[p]:
            yield p
            for k in range(p * p, n + 1, p):
                sieve[k] = False
        elif p == 28:
            break
    else:
        yield "end"
print(list(primes(20)), list(primes(40)))
def loop2():
    for i in range(3):
        for j in range(3):
            if j == i:
                continue
            if i == 2:
                break
            yield i, j
print(dict(enumerate(loop2())))
print(type(fib()).__name__)
def empty():
    return
    yield
print(list(empty()), max(loop2()), sorted(loop2(), reverse=True), (3 in count(5)))
try:
    g = fib(); g.send(1)
except TypeError as e:
    print(e)
try:
    fib().foo
except AttributeError as e:
    print(e)
