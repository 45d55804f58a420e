"""Functions that compare with one number in their forward and with another in their backward."""

from __future__ import annotations

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from tests.check.subjects import own, program
from tests.rings import sampled

KINDS = [
    ("return torch.where(x > {}, x * x, 3 * x)", "return g * torch.where(x > {}, 2 * x, torch.full_like(x, 3.0))"),
    ("return torch.clamp(x, max={})", "return g * (x < {}).to(x.dtype)"),
    ("return torch.relu(x - {})", "return g * (x > {}).to(x.dtype)"),
]


@sampled(4)
@pytest.mark.parametrize(("forward", "backward"), KINDS)
@pytest.mark.parametrize("other", [0.9, 0.8, 0.91])
def test_a_backward_with_another_threshold_is_wrong_though_no_number_lies_between(
    forward: str, backward: str, other: float
) -> None:
    rest = "x = torch.tensor([0.1, 3.0], requires_grad=True)\nout = Own.apply(x).sum()"
    checked = check_program(program(own(forward.format(0.9), backward.format(other), rest)), Options())
    assert any(f.fails(Options()) for f in checked.findings) == (other != 0.9)
