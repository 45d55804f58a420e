import itertools
from functools import cache, lru_cache
from itertools import chain

import torch
from torch import nn

print(list(chain.from_iterable([[1, 2], (3,), "ab"])), sum(itertools.chain.from_iterable([range(3)] * 2)))
print(next(chain.from_iterable(iter([[5], [6]]))), list(chain([1], [2])), type(chain.from_iterable([])).__name__)
nets = [nn.Linear(1, 1), nn.Linear(2, 1)]
opt = torch.optim.SGD(chain.from_iterable(n.parameters() for n in nets), lr=0.1)
print(len(opt.param_groups[0]["params"]), isinstance(chain.from_iterable([]), chain))
for a, b in zip(chain.from_iterable([[1, 2], [3]]), itertools.count()):
    print(a, b)
try:
    list(chain.from_iterable([1]))
except TypeError as e:
    print(e)


@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(30), fib.cache_info(), fib.cache_info().hits)
fib.cache_clear()
print(fib.cache_info().currsize, cache(abs)(-2))
