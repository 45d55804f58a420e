from enum import Enum, auto

import torch.nn as nn


class Mode(Enum):
    TRAIN = auto()
    EVAL = auto()
    BOTH = 2

    @property
    def short(self):
        return self.name[0].lower()

    @classmethod
    def default(cls):
        return cls.TRAIN

    def act(self, x):
        return x if self is Mode.TRAIN else -x


print(list(Mode), Mode.TRAIN, repr(Mode.EVAL), Mode["EVAL"], Mode(1), Mode.EVAL.short, Mode.default().act(3), Mode.BOTH)
print(
    len(Mode),
    Mode.TRAIN in Mode,
    Mode.TRAIN == Mode.EVAL,
    {Mode.TRAIN: "a"}[Mode(1)],
    f"{Mode.TRAIN}",
    f"{Mode.EVAL.value:03d}",
    isinstance(Mode.EVAL, Mode),
    type(Mode.EVAL),
)
try:
    Mode(7)
except ValueError as e:
    print(e)
try:
    Mode["x"]
except KeyError as e:
    print(e)


class Layer(Enum):
    LIN = "linear"
    RELU = "relu"

    def build(self, n):
        return {Layer.LIN: lambda: nn.Linear(n, n, bias=False), Layer.RELU: lambda: nn.ReLU()}[self]()


print([Layer(k).build(2) for k in ("linear", "relu")])
for l in Layer:
    print(l.name, l.value)
