"""The forward of a Function as a graph of values: what it chooses, or computes without recording, is in it."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.check.replay import one_op
from gradcli.check.replay.custom_function import ways
from gradcli.check.replay.subject import Subject
from gradcli.engine.tape.entry import entry_of
from gradcli.engine.tape.replay import applied

from ..subjects import acting, own

X = "x = torch.tensor([[0.3, -0.7, 1.5], [1.2, 0.4, -2.1]], requires_grad=True)\nout = Own.apply(x).sin().sum()"
# Where the kinks lie does not matter here: the backward is not asked.
SHOWN = [
    "return torch.where(x > 0.1, x * x, 0.2 * x)",
    "return (x > 0).double()",
    "return x.masked_fill(x.abs() > 1, 0.5) + x",
    "spike = (x > 0.5) & ~(x > 1.3)\n        return x - spike.to(x.dtype) * 0.7",
    "with torch.no_grad():\n            y = x / (1 + x.abs())\n        return y * 2",
    "m = x.detach().amax(1, keepdim=True)\n        return torch.exp(x - m)",
    "y = torch.zeros_like(x)\n        y[x > 0.5] = 1.0\n        y[x < -0.5] = -0.5\n        return y",
    "y = torch.ones_like(x)\n        y.masked_fill_(x < 0, 0.1)\n        return x * y",
    "y = (x < 0).double().sum(1, keepdim=True)\n        return x * y",
    # Several results, such that are kept aside, and random numbers: each point is given the same.
    "with torch.no_grad():\n            m, i = x.max(1, keepdim=True)\n            a, b = x.split([1, 2], 1)\n"
    "            y = torch.layer_norm(b, (2,)) * m + a\n        return torch.gather(y, 1, i.clamp(max=1)) * x",
    "return torch.dropout(x, 0.4, True) + torch.rand(3) * x",
]
# Conditions choose the way: it has a graph each.
CHOSEN = [
    "return x * 2 if bool(x.sum() > 0) else x.exp()",
    "y = x.abs()\n        while y.sum() > 2:\n            y = y * 0.5\n        return y",
    "y = x.sin()\n        if (x > 1).any() and not y.mean() < 0:\n            return y\n        return y * y.sum()",
    "for row in x:\n            if row.max() > 1:\n                return x / row.norm()\n        return x",
]
HIDDEN = [
    # What is read as a number of Python, written into a mask, or found by a second result.
    "return x * 2 if float(x.sum()) > 0 else x * 3",
    "return x * 2 if torch.allclose(x, x.abs(), atol=2.0) else x * 3",
    "m = x > 0\n        m[0] = x[1] > 1\n        return torch.where(m, x, 0.1 * x)",
    "return torch.gather(x, 1, x.argsort(1)[:, :1]) + x * float(x.sum())",
]


def _recorded(subject: Subject, moves: list[np.ndarray]) -> tuple[bool, list[np.ndarray], list[np.ndarray]]:
    """Whether there is a graph inside; the outputs at moved points by that, and one by one."""
    plan = subject.plan
    points = [subject.at[0] + move for move in moves]
    alone = [plan.outputs([point])[0] for point in points]
    (inside,) = plan.functions.values()
    return inside.plan is not None, list(plan.batch([np.stack(points)], [True], len(points))[0]), alone


def _moves(count: int = 20) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [np.round(rng.standard_normal((2, 3)), 2) for _ in range(count)]


@pytest.mark.parametrize("forward", SHOWN)
def test_what_a_forward_chooses_is_in_its_graph(forward: str) -> None:
    shown, together, alone = acting(lambda found: _recorded(found, _moves()), own(forward, "return g", X))
    assert shown
    np.testing.assert_allclose(together, alone, rtol=1e-13)


def test_a_forward_that_is_run_again_draws_what_it_drew() -> None:
    """What it keeps beside its context, as the state of the generator for its backward, stays what it was."""

    def act(found: Subject) -> bool:
        (inside,) = found.plan.functions.values()
        (out,) = inside.seen(np.random.default_rng(0)).outs
        (node,) = found.plan.functions
        return np.array_equal(out._a, entry_of(node).outputs[0])

    assert acting(act, own("return x * torch.rand(2, 3)", "return g", X))


@pytest.mark.parametrize("forward", HIDDEN)
def test_what_is_read_or_written_over_is_computed_point_by_point(forward: str) -> None:
    shown, together, alone = acting(lambda found: _recorded(found, _moves()), own(forward, "return g", X))
    assert not shown
    assert np.array_equal(together, alone)


@pytest.mark.parametrize("forward", CHOSEN)
def test_each_way_that_conditions_choose_has_a_graph(forward: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "_FREE", 20)
    run = []
    monkeypatch.setattr(one_op, "applied", lambda *given: run.append(given) or applied(*given))
    moves = _moves(50)

    def act(found: Subject) -> tuple[bool, list[np.ndarray], list[np.ndarray]]:
        made = _recorded(found, moves)
        del run[:]
        (again,) = found.plan.batch([np.stack([found.at[0] + move for move in moves])], [True], len(moves))
        assert np.array_equal(again, made[1])
        return made

    shown, together, alone = acting(act, own(forward, "return g", X))
    # No one graph shows all that the forward does.
    assert not shown
    np.testing.assert_allclose(together, alone, rtol=1e-13)
    assert len(run) < len(moves) // 2


def test_a_way_that_something_else_chooses_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    forward = "Own.n = getattr(Own, 'n', 0) + 1\n        return x * Own.n if x.sum() > 0 else x"
    moves = _moves(50)
    run = []

    def act(found: Subject) -> None:
        _recorded(found, moves)
        monkeypatch.setattr(one_op, "applied", lambda *given: run.append(given) or applied(*given))
        found.plan.batch([np.stack([found.at[0] + move for move in moves])], [True], len(moves))

    acting(act, own(forward, "return g", X))
    positive = sum(float(move.sum()) > -0.6 for move in moves)
    # Those alone have a graph that come out negative.
    assert len(run) >= positive > 10


def test_complex_readings_choose_by_real_parts() -> None:
    def act(found: Subject) -> np.ndarray:
        points = np.stack([found.at[0] + 1e-20j * sign for sign in [1.0, -1.0] * 10])
        made = np.asarray(found.plan.batch([points], [True], len(points))[0])
        (inside,) = found.plan.functions.values()
        assert inside.plan is not None
        return made

    program = own(SHOWN[0], "return g", X.replace(".sin().sum()", "").replace("0.3", "0.1"))
    made = acting(act, program)
    x = np.array([[0.1, -0.7, 1.5], [1.2, 0.4, -2.1]])
    np.testing.assert_allclose(made[0].imag / 1e-20, np.where(x > 0.1, 2 * x, 0.2), rtol=1e-14)


@pytest.mark.parametrize(
    ("forward", "shows"),
    [
        (SHOWN[0], True),
        # What reads a number, decides outside of what the graph calls again.
        (HIDDEN[0], False),
    ],
)
def test_what_a_pure_function_chooses_leaves_no_graph(forward: str, shows: bool) -> None:
    assert acting(lambda found: found.is_all_in_its_graph, own(forward, "return g", X)) is shows


def test_what_the_program_itself_chooses_leaves_its_graph() -> None:
    program = own("return x * 2", "return 2 * g", X.replace("Own.apply(x)", "Own.apply(torch.where(x > 0, x, 2 * x))"))
    assert not acting(lambda found: found.is_all_in_its_graph, program)
