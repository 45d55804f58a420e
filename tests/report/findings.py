"""Findings made by hand, for the reports that tell of them."""

from __future__ import annotations

from typing import Any

from gradcli.check.judging.findings import Checked, Culprit, Entry, Finding, Options
from gradcli.check.judging.verdict import Judged, Verdict
from gradcli.errors import AssertFailed, Source, Span, SpecError
from gradcli.report.check.outcome import Outcome

CUBE = """\
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2 * ctx.saved_tensors[0]

x = torch.tensor([0.5, -1.2, 2.0], requires_grad=True)
out = Cube.apply(x).sum()
out.backward()
"""
SOURCE = Source("cube.py", CUBE)
BACKWARD = Span(SOURCE, 9, 8, 9, 53)
APPLIED = Span(SOURCE, 12, 6, 12, 19)


def entry(index: int, at: float, claimed: float, true: float, **more: Any) -> Entry:
    """An entry that is wrong, unless something else is said."""
    verdict = more.pop("verdict", Verdict.WRONG)
    return Entry((index,), at, Judged(verdict, claimed, true, more.pop("bar", 3e-13), **more))


def wrong(**more: Any) -> Finding:
    """A backward that says 2x of x cubed."""
    table = [
        entry(2, 2.0, 4.0, 12.0, witness=12.0),
        entry(1, -1.2, -2.4, 4.32),
        entry(0, 0.5, 1.0, 0.75),
    ]
    values: dict[str, Any] = {
        "entries": 3,
        "wrong_entries": 3,
        "worst": table[0],
        "table": table,
        "node": Culprit("#2", "CubeBackward", BACKWARD, applied=APPLIED),
        "span": BACKWARD,
    }
    return Finding("out", "x", 1, Verdict.WRONG, **(values | more))


def right(**more: Any) -> Finding:
    """A gradient that is right to 13 digits."""
    values: dict[str, Any] = {"digits": 13.2, "entries": 3, "order": 1, "verdict": Verdict.PASS}
    return Finding(**{"output": "out", "input": "x", **values, **more})


def judged(verdict: Verdict, claimed: float = 1.0, estimate: float = 2.0, bar: float = 1e-9, **more: Any) -> Finding:
    """A finding of one number with a verdict."""
    known = {key: more.pop(key) for key in ("left", "right", "witness", "note", "claim_bar") if key in more}
    worst = Entry((), 0.5, Judged(verdict, claimed, estimate, bar, **known))
    return Finding("out", "x", 1, verdict, entries=1, wrong_entries=1, worst=worst, table=[worst], **more)


def outcome(*findings: Finding, name: str = "cube.py", options: Options = Options(), **more: Any) -> Outcome:  # noqa: B008
    """A spec with findings."""
    again = more.pop("again", ())
    return Outcome(name, Checked(name, list(findings), inputs=1, numbers=3, **more), options, again)


def broken(name: str = "bad.py") -> Outcome:
    """A spec that cannot be read."""
    span = Span(Source(name, "x = = 1\n"), 1, 4, 1, 5)
    return outcome(name=name, failure=SpecError("invalid syntax", span=span, code="E101", help="remove it"))


def refuted(name: str = "claim.py") -> Outcome:
    """A spec with an assert that does not hold."""
    span = Span(Source(name, "assert 1 == 2\n"), 1, 7, 1, 13)
    return outcome(name=name, failure=AssertFailed("assert 1 == 2", span=span))
