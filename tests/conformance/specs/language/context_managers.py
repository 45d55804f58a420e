from contextlib import contextmanager, nullcontext, suppress

import torch


@contextmanager
def frozen(params):
    params = list(params)
    old = [p.requires_grad for p in params]
    for p in params:
        p.requires_grad_(False)
    try:
        yield params
    finally:
        for p, r in zip(params, old):
            p.requires_grad_(r)
        print("restored")
l = torch.nn.Linear(1, 1)
with frozen(l.parameters()) as ps:
    print(len(ps), l.weight.requires_grad)
print(l.weight.requires_grad)
try:
    with frozen(l.parameters()):
        raise ValueError("inside")
except ValueError as e:
    print("caught", e, l.bias.requires_grad)
with suppress(ZeroDivisionError, KeyError):
    1 / 0
with torch.no_grad() if False else nullcontext():
    print((l.weight * 2).requires_grad)
@contextmanager
def swallow():
    try:
        yield
    except RuntimeError as e:
        print("swallowed:", e)
with swallow():
    torch.ones(2) @ torch.ones(3)
class T:
    @contextmanager
    def scope(self, name):
        print(">", name)
        yield self
        print("<", name)
with T().scope("a") as t, t.scope("b"):
    print(type(t).__name__)
import warnings

warnings.filterwarnings("ignore")
warnings.simplefilter("ignore", category=UserWarning)
with warnings.catch_warnings():
    warnings.warn("x")
