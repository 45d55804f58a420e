"""What is claimed at many points, from one recorded backward, is what the backward says at each of them."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.check.claims import recorded_claims
from gradcli.check.claims.recorded_claims import claims_at
from gradcli.check.replay.subject import Subject

from ..subjects import of_program, program

HEAD = "import torch\nx = torch.tensor([[0.3, -0.7, 1.5], [1.2, 0.4, -2.1]], requires_grad=True)\n"
FUNCTION = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, by):
        {kept}
        ctx.save_for_backward(s, by)
        return s * by, by
    @staticmethod
    def backward(ctx, g, h):
        s, by = ctx.saved_tensors
        {more}
        return g * by * (1 - s * s), g * s + h
y, z = Own.apply(torch.sin(x), x.exp())
out = (y * x + z.detach()).sum(1)
"""
KEPT = "s = torch.tanh(t)"
FORMS = [
    (KEPT, "g = g.clone()"),
    (KEPT, "g = torch.where(s > 0, g, 2 * g)"),
    (f"{KEPT}\n        ctx.k = by.shape[0]", "g, h = (x / ctx.k * 2 for x in (g, h))"),
    (KEPT, "g = g * s.sum().item()"),
]


@pytest.mark.parametrize("form", FORMS)
def test_many_claims_are_those_of_the_backward(form: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_claims, "_WORTH", 1)

    def compared(subject: Subject) -> None:
        rng = np.random.default_rng(0)
        weights = [rng.standard_normal(2) for _ in range(3)]
        points = subject.at[0] + 0.01 * rng.standard_normal((4, 2, 3))
        found = claims_at(subject, 0, weights, [points], [True])
        assert found is not None
        for w, gradients in zip(weights, found, strict=True):
            for point, (g,) in zip(points, gradients, strict=True):
                (claimed,) = subject.recorded_at([point]).claim([w])
                assert g is not None
                assert claimed is not None
                assert np.allclose(g, claimed, rtol=1e-12, atol=0)

    text = FUNCTION.format(kept=form[0], more=form[1])
    of_program(program(HEAD + text), act=compared)
