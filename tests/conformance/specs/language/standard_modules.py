# What a program may import of Python's own.
import copy
import itertools
import time
from collections import Counter, OrderedDict, defaultdict, deque
from functools import partial, reduce

import torch

m = torch.nn.Sequential(OrderedDict([("a", torch.nn.Linear(1, 1)), ("b", torch.nn.ReLU())]))
m2 = copy.deepcopy(m)
start = time.time()
print(all(torch.equal(p, q) for p, q in zip(m.parameters(), m2.parameters())), time.time() - start < 100)
d = defaultdict(list)
d["a"].append(1)
print(d["a"])
f = partial(torch.sum, dim=0)
print(f(torch.ones(2, 2)))
print(list(itertools.product([1, 2], [3, 4])), reduce(lambda a, b: a * b, [1, 2, 3]))
q = deque(maxlen=2)
q.append(1)
q.append(2)
q.append(3)
print(q, len(q), list(q), q[0], Counter("hello"), Counter([1, 1, 2]).most_common(1), d)
