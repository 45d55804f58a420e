import random
from collections import Counter, defaultdict, deque, namedtuple
from typing import Callable, Dict, NamedTuple, Optional, Tuple, Union

import torch

Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward'))
class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)
    def push(self, *args):
        self.memory.append(Transition(*args))
    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)
    def __len__(self):
        return len(self.memory)
random.seed(0)
mem = ReplayMemory(5)
for i in range(8):
    mem.push(torch.tensor([float(i)]), i % 2, torch.tensor([i + 1.0]), 1.0 / (i + 1))
print(len(mem), mem.memory[0])
batch = Transition(*zip(*mem.sample(3)))
print(torch.cat(batch.state), batch.action, sum(batch.reward))
print(mem.memory[-1]._replace(reward=0.0).reward, Transition._fields)
class Stats(NamedTuple):
    mean: float
    std: float = 1.0
    def describe(self) -> str:
        return f"{self.mean:.2f}±{self.std:.2f}"
s = Stats(0.5)
print(s, s.describe(), s[0], s._asdict(), s == Stats(0.5, 1.0), isinstance(s, tuple))
m, sd = s
try:
    s.mean = 3
except AttributeError as e:
    print("AttributeError")
try:
    Stats()
except TypeError as e:
    print(e)
print(hash(s) == hash((0.5, 1.0)), s + (1,), sorted([Stats(2.), Stats(1.)])[0].mean)
P = namedtuple("P", "x y z", defaults=[0])
print(P(1, 2), P(x=1, y=2, z=3), max(P(1, 2), P(3, 0)))
