"""The self-test plants what it says it does, leaves the registry alone, and counts what became of it."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.check.judging.verdict import Verdict
from gradcli.check.selftest.faulty_programs import PROGRAMS
from gradcli.check.selftest.planted_faults import FAULTS, Spot, plant
from gradcli.check.selftest.selftest import Planted, attempt, lines, matters, plots, subject_with, written
from gradcli.engine.registry import OPS
from gradcli.engine.tape.tape import entry_of


def test_every_mistake_has_a_place_where_it_matters() -> None:
    every = plots()
    assert {plot.fault.name for plot in every if matters(plot)} == {fault.name for fault in FAULTS}
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_the_graph_has_twelve_ops_and_mistakes_at_each() -> None:
    nodes = subject_with(None).nodes
    assert len(nodes) == 12
    assert {plot.position for plot in plots()} == set(range(12))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_mistake_changes_its_node_and_nothing_else(fault: object) -> None:
    rules = {name: (op, op.call, op.node_type() if op.rules else None, dict(op.rules)) for name, op in OPS.items()}
    plot = next(plot for plot in plots() if plot.fault is fault)
    subject, right = subject_with(plot), subject_with(None)
    node, other = subject.nodes[plot.position], right.nodes[plot.position]
    assert type(node) is not type(other)
    assert type(node).__name__ == type(other).__name__
    assert np.array_equal(subject.numbers[0], right.numbers[0])
    for name, (op, call, kind, kept) in rules.items():
        assert OPS[name] is op
        assert (op.call, op.rules) == (call, kept)
        assert kind is None or op.node_type() is kind
    entry = entry_of(node)
    assert entry is not None
    assert entry.op is not OPS[entry.op.name]


def test_a_mistake_is_made_again_where_the_graph_is_recorded_again() -> None:
    plot = next(plot for plot in plots() if plot.fault.name == "the wrong sign" and matters(plot))
    subject = subject_with(plot)
    roots, leaves = subject.plan.recorded(subject.at)
    roots[0].backward()
    claimed = [np.zeros(leaf.shape) if leaf.grad is None else leaf.grad.numpy() for leaf in leaves]
    for mine, its in zip(claimed, subject.claim([np.ones(())]), strict=True):
        assert its is not None
        assert np.allclose(mine, its)


def test_what_does_not_suit_a_place_is_not_planted_there() -> None:
    subject = subject_with(None)
    for plot in plots():
        assert plot.fault.suits(Spot(subject.nodes[plot.position], plot.slot))


def test_a_second_order_cut_off_leaves_the_first_right() -> None:
    plot = next(plot for plot in plots() if plot.fault.order == 2)
    planted, right = subject_with(plot).claim([np.ones(())]), subject_with(None).claim([np.ones(())])
    for a, b in zip(planted, right, strict=True):
        assert a is not None
        assert b is not None
        assert np.array_equal(a, b)


@pytest.mark.parametrize("name", ["a broadcast is not summed", "single precision"])
def test_mistakes_in_a_graph_are_named(name: str) -> None:
    found = attempt(next(plot for plot in plots(1) if plot.fault.name == name and matters(plot, 1)), 1)
    assert (found.caught, found.named) == (True, True)


@pytest.mark.parametrize("program", PROGRAMS[:1] + PROGRAMS[-2:], ids=lambda program: program.name)
def test_mistakes_in_programs_are_named_at_their_line(program: object) -> None:
    assert program in PROGRAMS
    found = written(PROGRAMS[PROGRAMS.index(program)])  # type: ignore[arg-type]
    assert (found.caught, found.named) == (True, True)
    assert found.where.startswith("line ")


def test_the_lines_say_what_became_of_each() -> None:
    found = [
        Planted("one", "MulBackward0, argument 0", True, True, Verdict.WRONG, "claimed = 0", 0.1),
        Planted("two", "line 3", True, False, Verdict.WRONG, None, 0.1),
        Planted("three", "line 4", False, False, None, None, 0.1),
    ]
    assert list(lines(found)) == [
        "named              one (MulBackward0, argument 0): claimed = 0",
        "caught, not named  two (line 3): WRONG",
        "MISSED             three (line 4): nothing found",
        "3 mistakes planted, 2 caught, 1 named",
    ]


def test_planting_twice_makes_both_mistakes() -> None:
    subject = subject_with(None)
    half = next(fault for fault in FAULTS if fault.name == "a factor is missing")
    node = subject.nodes[-1]
    before = subject.claim([np.ones(())])
    plant(node, 0, half)
    plant(node, 0, half)
    for a, b in zip(subject.claim([np.ones(())]), before, strict=True):
        assert a is not None
        assert b is not None
        assert np.allclose(a * 4, b)
