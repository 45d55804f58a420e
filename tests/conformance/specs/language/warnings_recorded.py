import warnings

import torch


def old():
    warnings.warn("old() is deprecated", DeprecationWarning, stacklevel=2)
    return 1

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    old()
    warnings.warn("plain")
    x = torch.ones(2, requires_grad=True)
    y = (x * 2)
    y.grad
    torch.nn.functional.mse_loss(torch.ones(2), torch.ones(2, 1))
print(len(caught))
for w in caught:
    print(w.category.__name__, str(w.message)[:50], issubclass(w.category, UserWarning))
assert any("plain" in str(w.message) for w in caught)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("ignore")
    warnings.warn("not seen")
    print(len(w))
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        warnings.warn("raised")
    except UserWarning as e:
        print("error:", e)


class Mine(UserWarning):
    pass


def check(x):
    if x < 0:
        warnings.warn(f"negative: {x}", Mine)
    return x


with warnings.catch_warnings(record=True) as log:
    warnings.simplefilter("always")
    check(-1), check(2), check(-3)
print([(w.category is Mine, str(w.message)) for w in log], type(log[0]).__name__)
with warnings.catch_warnings(record=True) as log:
    warnings.filterwarnings("ignore", category=Mine)
    warnings.simplefilter("always", UserWarning)
    warnings.warn("a", UserWarning)
    warnings.warn(Mine("b"))
print([str(w.message) for w in log])
warnings.warn("nobody sees this")
try:
    with warnings.catch_warnings():
        warnings.simplefilter("error", category=RuntimeWarning)
        warnings.warn("fine")
        warnings.warn("bad", RuntimeWarning)
except RuntimeWarning as e:
    print(repr(e))
with warnings.catch_warnings(record=True) as caught:
    print(torch.zeros(1) / 0, torch.tensor([torch.inf, -torch.inf]).sum(), torch.zeros(1).log())
    warnings.simplefilter("error")
    print(torch.zeros(1) / 0)
print(len(caught))
