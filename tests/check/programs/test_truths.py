"""Error bars against derivatives of orders 1 to 4 that are known to 30 digits.

Sums that cancel, oscillations, steep and flat functions: as ops, in a custom Function, and in one whose arithmetic no
graph shows.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from gradcli.check.judging.higher_orders import derived
from gradcli.check.judging.one_derivative import judge
from gradcli.check.judging.rows import Rows, unit
from gradcli.check.judging.verdict import Judged, Verdict
from gradcli.check.replay.subject import Subject
from tests.rings import long, sampled

from ..subjects import acting

TRUTHS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "truths.json").read_text())
NAMES = [f"{t['kind']}: {t['forward']} at {t['x']!r}" for t in TRUTHS]

PLAIN = """
import torch
x = torch.tensor({x!r}, dtype=torch.float64, requires_grad=True)
out = {forward}
"""
OWN = """
import math
import numpy
import torch
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        {read}
        return {forward}
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * ({backward})
x = torch.tensor({x!r}, dtype=torch.float64, requires_grad=True)
out = Own.apply(x)
"""
# How a forward reads its argument, and whose functions it calls.
READS = {"own": ("pass", "torch"), "opaque": ("x = x.item()", "math"), "numpy": ("x = x.detach().numpy()", "numpy")}
OTHER_NAMES = {"numpy.asinh": "numpy.arcsinh", "numpy.atan": "numpy.arctan"}


def written(expression: str, library: str) -> str:
    """An expression with the functions of a library."""
    text = re.sub(r"\b([a-z]\w*)\(", rf"{library}.\1(", expression)
    for name, other in OTHER_NAMES.items():
        text = text.replace(f"{name}(", f"{other}(")
    return text


def spec(truth: dict[str, Any]) -> str:
    """The program that computes a function."""
    if truth["kind"] == "plain":
        return PLAIN.format(x=truth["x"], forward=written(truth["forward"], "torch"))
    read, library = READS[truth["kind"]]
    forward = written(truth["forward"], library)
    forward = forward if library == "torch" else f"torch.tensor({forward}, dtype=torch.float64)"
    backward = written(truth["backward"], "torch")
    backward = f"torch.full_like(g, {backward})" if backward in ("0", "1") else backward
    return OWN.format(x=truth["x"], read=read, forward=forward, backward=backward)


def seen(subject: Subject) -> list[Judged]:
    """What is found of the derivatives of orders 1 to 4, as closely as can be looked."""
    found = []
    for order in range(1, 5):
        rows = Rows(subject, np.random.default_rng(0), order)
        direction = [unit(rows.at[0].shape, 0)]
        claims = rows.claims[0][:, 0]
        found.append(judge(rows.line(direction), claims, rows.near(direction), rows.rounding(direction))[0])
        subject = derived(subject)
    return found


@cache
def found(number: int) -> list[tuple[Judged, float]]:
    """What is found of the derivatives of one function, and how many bars each estimate is off."""
    judged = acting(seen, spec(TRUTHS[number]))
    made = []
    for one, digits in zip(judged, TRUTHS[number]["slopes"], strict=True):
        with mp.workdps(40):
            off = float(abs(mp.mpf(one.estimate) - mp.mpf(digits)))
        made.append((one, off / one.bar if off else 0.0))
    return made


@sampled(4)
@pytest.mark.parametrize("number", range(len(TRUTHS)), ids=NAMES)
def test_no_truth_lies_far_outside_of_its_bar(number: int) -> None:
    assert max(bars for _, bars in found(number)) <= 8
    # All of them are right: what is left of a claim by its own rounding may be undecided, but is not blamed.
    assert not {one.verdict for one, _ in found(number)} & {Verdict.WRONG, Verdict.DISCONTINUITY, Verdict.KINK_WRONG}


@long("as many truths as there are")
def test_bars_are_not_much_wider_than_errors_are() -> None:
    bars = [off for number in range(len(TRUTHS)) for _, off in found(number)]
    assert np.mean(np.array(bars) > 1) <= 0.04
    assert 1 / np.median(bars) <= 30


# Each rounds inside by what shows in no neighbour: half a unit in the last place, all of what is added, or alike on
# both sides of a point around which the whole is nearly even. The last are read with a slope alone.
CANCELS_INSIDE = [
    ("cos((100.0*x+3e9)-3e9)/(1+x*x)", "cos(100*x)/(1+x*x)", -7.65747325588399e-10),
    ("log(2+asinh((3.0*x+3e8)-3e8)**2)", "log(2+asinh(3*x)**2)", -2.3104955910783608e-08),
    ("erf((x-1e7)+1e7)*cos(x)", "erf(x)*cos(x)", -9.492714695913239e-10),
    ("asinh((100.0*x+3e6)-3e6)", "asinh(100*x)", 2.3820416439033433e-09),
    ("atan((100.0*x+3e9)-3e9)*cos(x)", "atan(100*x)*cos(x)", 8.929425607164301e-08),
    ("sinc(x)*lgamma(2.5+x)", "sinc(pi*x)*loggamma(2.5+x)", 1.1301259118138989e-07),
]


@pytest.mark.parametrize(("forward", "meant", "x"), CANCELS_INSIDE, ids=[row[0] for row in CANCELS_INSIDE])
def test_what_rounding_inside_does_is_in_the_bar(forward: str, meant: str, x: float) -> None:
    judged = acting(seen, PLAIN.format(x=x, forward=written(forward, "torch")))
    with mp.workdps(120):
        names = {name: getattr(mp, name) for name in ("cos", "log", "asinh", "erf", "atan", "sinc", "loggamma", "pi")}
        for order, one in enumerate(judged, 1):
            truth = mp.diff(lambda z: eval(meant, {**names, "x": z}), mp.mpf(x), order)
            assert abs(mp.mpf(one.estimate) - truth) <= one.bar, (order, one)
