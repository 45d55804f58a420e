"""Every op of the registry, checked by the checker itself: its rules, and the rules of its rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.check.judging.findings import Checked, Options
from gradcli.check.orders import check_subject
from gradcli.check.replay.subject import of_function
from gradcli.errors import InputError
from tests.engine.test_registry import SAMPLES, WITH_RULES, _tensor, _wrapped, case
from tests.rings import all_of_each, sampled

# Of each op so many samples.
FIRST, SECOND = 2, 1

# There is no second derivative of these, as mostly in PyTorch, and they say so.
ONCE = {
    "_scaled_dot_product_flash_attention_for_cpu", "cdist_forward", "ctc_loss_forward", "grid_sampler_2d_backward",
    "grid_sampler_3d_backward", "hardsigmoid", "multi_margin_loss", "multilabel_margin_loss_forward",
    "pdist_forward", "segments_reduced",
}  # fmt: skip


def found(name: str, index: int, order: int) -> Checked:
    """What the check of an op's sample finds."""
    c = case(name, index)

    def function(*tensors: Any) -> Any:
        values = {key: _wrapped(value) for key, value in c.with_arrays(list(tensors)).items()}
        return c.op.call(*c._positional(values), **c._keywords(values))

    checked = Checked(name)
    tensors = [_tensor(np.array(a)).requires_grad_() for a in c.arrays()]
    check_subject(of_function(function, tensors, name), Options(order=order), checked)
    return checked


def samples(count: int) -> list[tuple[str, int]]:
    """The samples of every op that has rules."""
    return [(name, index) for name in WITH_RULES for index in range(min(count, len(SAMPLES[name])))]


@sampled(8, each="name")
@all_of_each(samples(FIRST))
def test_a_rule_is_right(name: str, index: int) -> None:
    checked = found(name, index, 1)
    assert [f for f in checked.findings if not f.passes(Options())] == []


@sampled(8, each="name")
@all_of_each(samples(SECOND))
def test_a_rule_has_a_right_rule(name: str, index: int) -> None:
    if name in ONCE:
        with pytest.raises(InputError, match="2nd derivative"):
            found(name, index, 2)
        return
    checked = found(name, index, 2)
    assert [f for f in checked.findings if not f.passes(Options())] == []
