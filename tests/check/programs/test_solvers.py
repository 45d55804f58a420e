"""Functions that solve an equation, and stop when they are near enough: their implicit gradients are right."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from gradcli.check import budget
from gradcli.check.check import check_program
from gradcli.check.judging.entries import probe
from gradcli.check.judging.findings import Options
from gradcli.check.judging.verdict import Verdict
from gradcli.check.replay.one_op import one_by_one
from gradcli.check.slopes.all_ways import slopes
from gradcli.check.slopes.differences import SAFETY
from gradcli.check.slopes.jumps_nearby import jump_nearby, moves_beside_jumps
from tests.check.slopes.lines import FunctionLine
from tests.check.subjects import program, subject
from tests.rings import long, sampled

SOLVER = """
import math
import torch
class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        y = torch.tensor([solve(v) for v in a.tolist()], dtype=a.dtype)
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * {factor} / (1 + y.exp())
def solve(a):
    y = 1.0
    for _ in range(100):
        off = y + math.exp(y) - a
        if abs(off) < {near}:
            break
        y -= off / (1 + math.exp(y))
    return y
a = torch.tensor([1.3, 2.6], requires_grad=True)
out = (Root.apply(a) * torch.tensor([1.0, -2.0])).sum()
"""


@long("a solver at many points")
@pytest.mark.parametrize("near", ["1e-6", "1e-10"])
@sampled(4)
def test_the_gradient_of_a_solver_that_stops_early_is_right(near: str) -> None:
    checked = check_program(program(SOLVER.format(near=near, factor=1.0)), Options())
    assert [f.verdict for f in checked.findings if not f.passes(Options())] == []


# A sum of powers that stops when it is near enough, and so does the backward.
LOOSE = '''
import torch
torch.manual_seed(0)
m = (0.1 * torch.randn(3, 3)).requires_grad_()
b = torch.randn(3, requires_grad=True)
def summed(m, b):
    x = b
    while True:
        after = b + m @ x
        if (after - x).abs().max() < 1e-8:
            return after
        x = after
class Summed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, m, b):
        ctx.save_for_backward(m, b)
        return summed(m, b)
    @staticmethod
    def backward(ctx, g):
        m, b = ctx.saved_tensors
        y = summed(m.T, g)
        return torch.outer(y, summed(m, b)), y
out = (Summed.apply(m, b) ** 2).sum()
'''


@long("a solver at many points")
def test_no_line_is_blamed_where_a_solver_stops_when_it_is_near_enough() -> None:
    found = [f for f in check_program(program(LOOSE), Options()).findings if f.verdict is not Verdict.PASS]
    assert [f.verdict for f in found] == [Verdict.INACCURATE]
    assert [note.text for note in found[0].notes] == [
        "it repeats something until that is near enough: the gradient is no more exact than that"
    ]


@long("a solver at many points")
@pytest.mark.parametrize("factor", [1.001, -1.0])
def test_a_wrong_gradient_of_a_solver_is_wrong_and_its_line_named(factor: float) -> None:
    found = check_program(program(LOOSE.replace(", y\n", f", {factor} * y\n")), Options()).findings
    assert any(f.verdict is Verdict.WRONG and f.span is not None and f.span.line == 22 for f in found)


@pytest.mark.parametrize("factor", [-1.0, 0.5, 1.001])
@long("a solver at many points")
def test_a_wrong_gradient_of_a_solver_is_wrong(factor: float) -> None:
    checked = check_program(program(SOLVER.format(near="1e-6", factor=factor)), Options())
    assert any(f.fails(Options()) for f in checked.findings)


TOGETHER = """
import torch
class Fixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.zeros_like(x)
        for _ in range(200):
            z = 0.7 * torch.cos(x * y)
            if (z - y).abs().max() < 1e-6:
                break
            y = z
        ctx.save_for_backward(x, y)
        return y
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        s = -0.7 * torch.sin(x * y)
        return {factor} * g * s * y / (1 - s * x)
x = torch.tensor([0.39, 0.7729], dtype=torch.float64, requires_grad=True)
out = Fixed.apply(x)
"""


@long("a solver at many points")
def test_the_worst_of_all_entries_may_decide_when_a_solver_stops() -> None:
    checked = check_program(program(TOGETHER.format(factor=1.0)), Options())
    assert [f.verdict for f in checked.findings if not f.passes(Options())] == []
    checked = check_program(program(TOGETHER.format(factor=1.01)), Options())
    assert any(f.fails(Options()) for f in checked.findings)


HALVES = """
import math
import torch
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        low, high = 0.0, 2.0
        while high - low > 1e-3:
            middle = (low + high) / 2
            if middle * math.exp(middle) < x.item():
                low = middle
            else:
                high = middle
        y = torch.full_like(x, (low + high) / 2)
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return {factor} * g / (torch.exp(y) * (1 + y))
x = torch.tensor([0.5611], dtype=torch.float64, requires_grad=True)
out = Half.apply(x)
"""


@long("a solver at many points")
def test_the_halves_of_a_bisection_are_stairs_however_coarse() -> None:
    checked = check_program(program(HALVES.format(factor=1.0)), Options())
    assert not any(f.fails(Options()) for f in checked.findings)
    checked = check_program(program(HALVES.format(factor=-1.0)), Options())
    assert any(f.fails(Options()) for f in checked.findings)


BESIDE = """
import torch
class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, p):
        low, high = torch.zeros_like(p), torch.full_like(p, 4.0)
        for _ in range({turns}):
            middle = (low + high) / 2
            below = middle * middle < p
            low, high = torch.where(below, middle, low), torch.where(below, high, middle)
        ctx.save_for_backward(middle)
        return middle
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return {factor} * g / y
x = torch.tensor([1.3, 0.7], dtype=torch.float64, requires_grad=True)
out = (Root.apply(x) * x.sin()).sum()
"""


@pytest.mark.parametrize(("factor", "turns"), [(0.5, 60), (0.501, 60), (0.5, 25), (0.501, 25)])
def test_what_is_made_of_a_bisection_and_of_more_is_judged_by_differences(factor: float, turns: int) -> None:
    checked = check_program(program(BESIDE.format(factor=factor, turns=turns)), Options())
    assert any(f.fails(Options()) for f in checked.findings) == (factor != 0.5)
    assert all(f.passes(Options()) for f in checked.findings) == (factor == 0.5)


class Curve:
    """A function of one number, as a line."""

    scale = 0.7

    def __init__(self, function: Any) -> None:
        self.function = function

    def values(self, steps: Any) -> tuple[Any, Any]:
        """The function beside 0.7."""
        return steps, np.array([[self.function(0.7 + t)] for t in steps])


def test_a_jump_nearby_is_as_high_as_it_is() -> None:
    found = jump_nearby(Curve(lambda x: math.sin(x) + 1e-6 * (x > 0.8)), 0, 1e-16)
    assert found == pytest.approx(1e-6, rel=0.05)


def test_one_jump_of_many_is_seen() -> None:
    found = jump_nearby(Curve(lambda x: math.sin(x) + 1e-6 * math.floor(6 * x)), 0, 1e-16)
    assert found == pytest.approx(1e-6, rel=0.05)


@pytest.mark.parametrize("function", [math.sin, lambda x: abs(x - 0.8), lambda x: math.sin(1e8 * x), math.exp])
def test_what_is_smooth_or_has_a_kink_has_no_jump_nearby(function: Any) -> None:
    assert jump_nearby(Curve(function), 0, 1e-15) == 0


@pytest.mark.parametrize(
    ("function", "flat"),
    [
        (lambda x: 1 + 1e-9 * (math.floor(8 * x) % 2), True),
        (lambda x: 1 + 1e-9 * x, False),
        (lambda x: 1 + 1e-2 * (math.floor(8 * x) % 2), False),
    ],
    ids=["it jumps", "it is steep", "it jumps too high"],
)
def test_what_only_jumps_a_little_is_flat(function: Any, flat: bool) -> None:
    moves, jumps = moves_beside_jumps(Curve(function), np.zeros(1))
    assert (moves <= jumps) == [flat]


SHARE = """
import torch
class Share(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        u = torch.ones_like(x)
        for _ in range(99):
            new = (u + x) / 2
            if (new - u).abs().max() < 1e-5:
                break
            u = new
        return u / x
    @staticmethod
    def backward(ctx, g):
        return {slope} * g
x = torch.tensor([0.7, 1.5], dtype=torch.float64, requires_grad=True)
out = Share.apply(x).sum()
"""


@long("a solver at many points")
@pytest.mark.parametrize(("slope", "verdict"), [("1e-16", Verdict.SATURATED), ("1e-2", Verdict.WRONG)])
def test_what_a_solver_leaves_over_is_no_gradient(slope: str, verdict: Verdict) -> None:
    there = subject(SHARE.format(slope=slope))
    (found,) = probe(there, Options(), np.random.default_rng(0))
    assert found.verdict is verdict


def halved(c: Any) -> Any:
    """The root of y**3 + y = c, by halves, between numbers that depend on c."""
    low, high = 0 * c, c
    for _ in range(22):
        middle = (low + high) / 2
        up = (middle**3 + middle).real < c.real
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return (low + high) / 2


def test_complex_step_of_a_piece_between_jumps_does_not_contradict_the_slope_over_them() -> None:
    (found,) = slopes(FunctionLine(halved, 4.5, noise=2e-6))
    y = float(halved(np.float64(4.5)))
    assert found.smooth
    assert not found.conflict
    assert SAFETY * found.bar < 1e-2 * found.value
    assert abs(found.value - 1 / (3 * y**2 + 1)) <= SAFETY * found.bar


BISECTION = """
import torch
class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        low, high = torch.zeros_like(a), a + 1
        for _ in range(80):
            middle = (low + high) / 2
            below = middle**3 + middle < a
            low, high = torch.where(below, middle, low), torch.where(below, high, middle)
        ctx.save_for_backward(high)
        return high
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g / ({factor} * y**2 + 1)
a = torch.tensor([0.5, 1.5, 7.0], requires_grad=True)
out = (Root.apply(a) ** 2).sum()
"""


@pytest.mark.parametrize(("factor", "verdict"), [("3", Verdict.PASS), ("6", Verdict.WRONG)])
def test_where_complex_step_follows_one_piece_of_a_bisection_differences_tell(factor: str, verdict: Verdict) -> None:
    found = check_program(program(BISECTION.replace("{factor}", factor)), Options()).findings
    assert {finding.verdict for finding in found} == {verdict}


def test_what_takes_long_is_left_when_the_time_is_over() -> None:
    with budget.within(budget.Budget(0.0, lambda: None)):
        budget.begin()
        with pytest.raises(budget.OutOfTime):
            one_by_one(lambda args: args, [np.zeros(3)], [True], 3)


# Where a ray meets a ball, by halving: the ray may miss it elsewhere.
HALVED = """
import torch
class Hit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, o, d, r):
        low, high = torch.zeros((), dtype=o.dtype), -(o * d).sum()
        for _ in range(50):
            m = (low + high) / 2
            if (o + m * d).norm() > r:
                low = m
            else:
                high = m
        ctx.save_for_backward(o, d, r, high)
        return high
    @staticmethod
    def backward(ctx, g):
        o, d, r, t = ctx.saved_tensors
        p = o + t * d
        s = g / (p * d).sum()
        return -s * p, -s * t * p, {share}
o = torch.tensor([0.1, -3.0], requires_grad=True)
v = torch.tensor([0.05, 1.5], requires_grad=True)
r = torch.tensor(1.5, requires_grad=True)
out = Hit.apply(o, v / v.norm(), r) ** 2
"""


@pytest.mark.parametrize(("share", "right"), [("s * r", True), ("s * p.norm() ** 2", False)])
@long("a solver at many points")
def test_a_gradient_is_not_meant_for_points_where_a_search_finds_nothing(share: str, right: bool) -> None:
    checked = check_program(program(HALVED.format(share=share)), Options())
    assert all(f.passes(Options()) for f in checked.findings) is right
