"""Custom Functions in all forms that PyTorch allows are judged as any other is."""

from __future__ import annotations

import math

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from gradcli.check.judging.verdict import Verdict
from gradcli.errors import Source
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program

HEAD = "import torch\nx = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\n"
FORMS = {
    "a rule by the name of vjp": """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def vjp(ctx, g):
        return g * {factor} * ctx.saved_tensors[0]
y = F.apply(x).sum()
""",
    "a reentrant checkpoint": """
from torch.utils.checkpoint import checkpoint
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        return g * {factor} * ctx.saved_tensors[0]
y = checkpoint(lambda a: F.apply(a) * x, x.sin(), use_reentrant=True).sum()
""",
    "a write to a view": """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return {factor} * g
b = x.clone()
F.apply(b[:2])
y = (b * b).sum()
""",
    "a write by NumPy": """
import numpy as np
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        a = x.detach().numpy()
        np.multiply(a, 2, out=a)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return {factor} * g
y = F.apply(x * 1).sum()
""",
    "one tensor at two places": """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = x * 2
        return out, 'and more', out
    @staticmethod
    def backward(ctx, a, none, b):
        return {factor} * (a + b)
a, _, b = F.apply(x)
y = (a * b).sum()
""",
    "a factor left to its default": """
class F(torch.autograd.Function):
    @staticmethod
    def forward(x, factor=2.0):
        return x.sin() * factor
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.factor = inputs
        ctx.save_for_backward(x)
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos() * ({factor} * ctx.factor / 2), None
y = F.apply(x).sum()
""",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_right_rule_passes_and_a_wrong_one_does_not(form: str) -> None:
    for factor, passes in ((2, True), (3, False)):
        source = Source("form.py", HEAD + FORMS[form].format(factor=factor))
        found = check_program(Program(Spec(source, False, None, None), dtype="float64"), Options(order=2))
        assert found.failure is None
        assert all(f.passes(Options()) for f in found.findings) == passes


@pytest.mark.parametrize("given", ["w", "w.flatten()"])
def test_a_function_that_reads_its_argument_by_another_road(given: str) -> None:
    # As an adjoint method does: the module that it solves is given, and beside it what is made of its parameters,
    # which an optimiser then steps.
    text = """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, made, x):
        ctx.made = made
        return made()
    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            return None, FACTOR * torch.autograd.grad(ctx.made(), w, g)[0]
optimizer = torch.optim.SGD([w], 0.1)
y = F.apply(lambda: w.exp(), GIVEN).sum()
y.backward()
optimizer.step()
"""
    for factor, verdict in (("1", Verdict.PASS), ("2", Verdict.WRONG)):
        source = Source("spec.py", text.replace("FACTOR", factor).replace("GIVEN", given))
        checked = check_program(Program(Spec(source, False, None, None), dtype="float64"), Options())
        assert checked.failure is None
        assert [finding.verdict for finding in checked.findings] == [verdict]
        worst = checked.findings[0].worst
        assert worst is not None
        assert worst.judged.estimate == pytest.approx(math.exp(worst.at))


def test_a_program_that_stops_in_double_precision_alone_says_so() -> None:
    text = """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp() if torch.tensor(0.1).item() != 0.1 else x.view(3)
loss = y.sum()
"""
    for stops, notes in ((text, 1), (text.replace("x.exp()", "x.view(3)"), 0)):
        checked = check_program(Program(Spec(Source("spec.py", stops), False, None, None), dtype="float64"), Options())
        assert checked.failure is not None
        assert len(checked.failure.notes) == notes


def test_a_backward_that_lets_go_of_what_its_forward_recorded_can_be_asked_again() -> None:
    text = """
import torch
class Solved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = (ctx.x ** 2).sin()
        return ctx.y.detach()
    @staticmethod
    def backward(ctx, g):
        return FACTOR * torch.autograd.grad(ctx.y, ctx.x, g)[0]
x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = Solved.apply(x).sum()
loss.backward()
"""
    for factor, verdict in (("1", Verdict.PASS), ("2", Verdict.WRONG)):
        source = Source("spec.py", text.replace("FACTOR", factor))
        checked = check_program(Program(Spec(source, False, None, None), dtype="float64"), Options())
        assert checked.failure is None
        assert [finding.verdict for finding in checked.findings] == [verdict]


REVERSIBLE = """
import torch
from torch import nn
class Twist(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, net):
        a, b = x.chunk(2)
        y = torch.cat([a + net(b), b])
        ctx.y, ctx.net = y, net
        return y
    @staticmethod
    def backward(ctx, g):
        b, (of_a, of_b) = ctx.y.chunk(2)[1].detach().requires_grad_(), g.chunk(2)
        with torch.enable_grad():
            torch.autograd.backward(ctx.net(b), of_a)
        return torch.cat([of_a, of_b + FACTOR * b.grad]), None
torch.manual_seed(0)
w, net = torch.randn(4, requires_grad=True), nn.Sequential(nn.Linear(2, 2), nn.Tanh())
optimizer = torch.optim.SGD([w, *net.parameters()], 0.1)
for _ in range(2):
    loss = (Twist.apply(w * w, net) ** 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("factor", ["1", "2"])
def test_a_module_that_a_function_holds_is_as_it_was_before_the_optimisers_step(factor: str) -> None:
    source = Source("spec.py", REVERSIBLE.replace("FACTOR", factor))
    checked = check_program(Program(Spec(source, False, None, None)), Options())
    assert [f.verdict for f in checked.findings if not f.passes(Options())] == [Verdict.WRONG] * (factor == "2")
    assert checked.findings
    assert checked.backward == "backward 2"
