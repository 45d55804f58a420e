from dataclasses import asdict, dataclass, field, replace

import torch
import torch.nn as nn


@dataclass
class ModelArgs:
    dim: int
    n_layers: int = 2
    dropout: float = 0.0
    acts: list = field(default_factory=list)
    total: int = field(init=False, default=0)
    def __post_init__(self):
        self.total = self.dim * self.n_layers
    @property
    def hidden(self) -> int:
        return 4 * self.dim
args = ModelArgs(8, dropout=0.1)
print(args, args.hidden, asdict(args))
print(replace(args, dim=2), args == ModelArgs(8, 2, 0.1), args != ModelArgs(9))
try:
    ModelArgs()
except TypeError as e:
    print(e)
try:
    ModelArgs(1, foo=3)
except TypeError as e:
    print(e)
@dataclass(frozen=True)
class Point:
    x: float
    y: float = 0.0
p = Point(1.0)
try:
    p.x = 3
except Exception as e:
    print(type(e).__name__, e)
print({p: 1}[Point(1.0, 0.0)], hash(p) == hash(Point(1.0)))
@dataclass(order=True)
class Item(object):
    score: float
    name: str = field(compare=False, default="?")
print(sorted([Item(2.0, "b"), Item(1.0, "a")]), max(Item(1.), Item(3.)))
@dataclass
class Child(ModelArgs):
    extra: str = "e"
print(Child(3), Child(3, extra="f").total)
try:
    @dataclass
    class Bad:
        x: list = []
except ValueError as e:
    print(e)
class Net(nn.Module):
    def __init__(self, cfg: ModelArgs):
        super().__init__()
        self.cfg = cfg
        self.layers = nn.ModuleList([nn.Linear(cfg.dim, cfg.dim) for _ in range(cfg.n_layers)])
print(Net(args))
@dataclass
class Out:
    loss: torch.Tensor
    logits: torch.Tensor = None
print(Out(torch.tensor(1.0)), Out(loss=torch.ones(2)).loss)
