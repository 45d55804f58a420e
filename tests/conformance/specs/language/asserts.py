# assert, with and without a message.
import torch


def check(x):
    assert isinstance(x, torch.Tensor), "expected a tensor"
    assert x.dim() == 2, f"expected two dimensions, got {x.dim()}"
    assert (x >= 0).all()
    return "ok"


for candidate in (torch.ones(2, 2), torch.ones(3), [1], -torch.ones(1, 1)):
    try:
        print(check(candidate))
    except AssertionError as e:
        print("AssertionError:", repr(str(e)))
assert True, "never shown"
assert 1 + 1 == 2
assert torch.allclose(torch.tensor(0.1) * 3, torch.tensor(0.3))
print("all asserts passed")
