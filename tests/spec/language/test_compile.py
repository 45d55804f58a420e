"""torch.compile() gives a program its own function or module, and says that nothing is compiled."""

import pytest

from ..running import printed

TEXT = """
import torch
@torch.compile
def double(x): return x * 2
@torch.compile(mode="reduce-overhead")
def triple(x): return x * 3
net = torch.compile(torch.nn.Linear(2, 1))
print(double(torch.ones(1)), triple(torch.ones(1)), net(torch.ones(1, 2)).shape)
"""


def test_it_goes_on_and_says_so() -> None:
    with pytest.warns(match="compiles nothing here"):
        assert printed(TEXT) == "tensor([2.]) tensor([3.]) torch.Size([1, 1])\n"
