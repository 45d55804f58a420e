# Classes and functions as values: a registry filled by a decorator.
import torch
from torch import nn

ACTIVATIONS = {}


def register(name):
    def add(thing):
        ACTIVATIONS[name] = thing
        return thing
    return add


@register("swish")
class Swish(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


@register("cube")
class Cube:
    def __call__(self, x):
        return x ** 3


@register("double")
def double(x):
    return 2 * x


ACTIVATIONS["relu"] = nn.ReLU

x = torch.tensor([-1.0, 2.0])
for name, thing in sorted(ACTIVATIONS.items()):
    is_class = isinstance(thing, type)
    f = thing() if is_class else thing
    print(f"{name:<8}{'class' if is_class else 'function':<10}{f(x)}")
print(Swish(), double.__name__, Swish.__name__)
try:
    ACTIVATIONS["gelu"]
except KeyError as e:
    print("unknown activation", e)
