"""Rules of statistics on symmetric matrices: each right one passes, and each with one mistake in it is wrong."""

from __future__ import annotations

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from tests.check.subjects import program
from tests.rings import long, sampled

RULE = """
import torch
class Rule(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        {forward}
    @staticmethod
    def backward(ctx, g):
        {backward}
x = torch.tensor([[0.7, -0.2, 0.4], [0.3, 1.1, -0.5], [0.1, 0.6, 0.9]], requires_grad=True)
b = torch.tensor([0.3, -1.2, 0.8], requires_grad=True)
out = (Rule.apply(x @ x.T + 0.5 * torch.eye(3), b) * torch.tensor([1.0, -2.0, 0.7])).sum()
"""
# The forward, the backward, and mistakes in the backward: what stands there, and what is written for it.
RULES: dict[str, tuple[list[str], list[str], list[tuple[str, str]]]] = {
    "likelihood": (
        [
            "L = torch.linalg.cholesky(a)",
            "y = torch.cholesky_solve(b.unsqueeze(-1), L).squeeze(-1)",
            "ctx.save_for_backward(L, y)",
            "return -0.5 * (b @ y) - torch.log(torch.diagonal(L)).sum()",
        ],
        ["L, y = ctx.saved_tensors", "return 0.5 * g * (torch.outer(y, y) - torch.cholesky_inverse(L)), -g * y"],
        [("y) - torch", "y) + torch"), ("-g * y", "g * y"), ("0.5 * g", "g")],
    ),
    "solution": (
        [
            "L = torch.linalg.cholesky(a)",
            "y = torch.cholesky_solve(b.unsqueeze(-1), L).squeeze(-1)",
            "ctx.save_for_backward(L, y)",
            "return y",
        ],
        [
            "L, y = ctx.saved_tensors",
            "v = torch.cholesky_solve(g.unsqueeze(-1), L).squeeze(-1)",
            "o = torch.outer(v, y)",
            "return -(o + o.T) / 2, v",
        ],
        [("-(o", "(o"), (" / 2", ""), ("o + o.T", "o - o.T"), ("/ 2, v", "/ 2, y")],
    ),
    "root": (
        [
            "w, V = torch.linalg.eigh(a)",
            "ctx.save_for_backward(w.sqrt(), V, b)",
            "return V @ torch.diag(w.sqrt()) @ V.T @ b",
        ],
        [
            "s, V, b = ctx.saved_tensors",
            "inner = V.T @ torch.outer(g, b) @ V",
            "return V @ (inner / (s[:, None] + s[None, :])) @ V.T, V @ torch.diag(s) @ V.T @ g",
        ],
        [("s[:, None] + s[None, :]", "2 * s[:, None]"), ("V @ (inner", "V.T @ (inner")],
    ),
    "distance": (
        ["y = torch.linalg.solve(a, b)", "ctx.save_for_backward(y)", "return b @ y"],
        ["y, = ctx.saved_tensors", "return -g * torch.outer(y, y), 2 * g * y"],
        [("2 * g", "g"), ("-g *", "g *")],
    ),
}
MISTAKES = [(name, *mistake) for name, (_, _, mistakes) in RULES.items() for mistake in mistakes]


def _written(name: str, old: str = "", new: str = "") -> str:
    forward, backward, _ = RULES[name]
    changed = "\n        ".join(backward)
    assert old in changed
    if old:
        changed = changed.replace(old, new, 1)
    return RULE.format(forward="\n        ".join(forward), backward=changed)


@long("a rule at many points")
@pytest.mark.parametrize("name", RULES)
def test_a_rule_on_symmetric_matrices_is_right(name: str) -> None:
    checked = check_program(program(_written(name)), Options())
    assert [f.verdict for f in checked.findings if not f.passes(Options())] == []


@long("a rule at many points")
@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
@sampled(4, each="name")
def test_a_mistake_in_it_is_wrong(name: str, old: str, new: str) -> None:
    checked = check_program(program(_written(name, old, new)), Options())
    assert any(f.fails(Options()) for f in checked.findings)


SAVES_A_FACTOR = """
import torch
class LogDet(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        L = torch.linalg.cholesky(a)
        ctx.save_for_backward(L)
        return 2 * torch.log(torch.diagonal(L)).sum()
    @staticmethod
    def backward(ctx, g):
        L, = ctx.saved_tensors
        return g * torch.cholesky_inverse(L)
x = torch.tensor([[0.7, -0.2, 0.4], [0.3, 1.1, -0.5], [0.1, 0.6, 0.9]], requires_grad=True)
out = LogDet.apply(x @ x.T + 0.5 * torch.eye(3))
"""


@long("a rule at many points")
def test_a_forward_that_refuses_other_matrices_does_not_end_the_search_for_what_is_wrong_at_order_2() -> None:
    checked = check_program(program(SAVES_A_FACTOR), Options(order=2))
    assert checked.failure is None
    assert [f.order for f in checked.findings if f.fails(Options())] == [2]
