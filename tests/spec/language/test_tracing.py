"""Traced runs: places, roots, what was freed or written to, cuts, escapes, and that a program does not notice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli.engine.graph import LEAF, next_sequence_number
from gradcli.engine.modes import mode
from gradcli.engine.tape.tape import entry_of
from gradcli.errors import ProgramError
from gradcli.nn.base import everywhere
from gradcli.optim.optimizer import register_optimizer_step_post_hook
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from tests.rings import sampled

from ...engine.replaying import replayed, same
from ..running import printed, program
from ..tracing import naming, nodes_of, traced

EXPRESSIONS = sorted((Path(__file__).parents[3] / "expressions").glob("*.py"))


def places(text: str) -> dict[str, tuple[int, str]]:
    """By id, the line that recorded an op and its text."""
    run = traced(text)
    assert run.trace is not None
    found = {}
    for node, name in naming(run).ids.items():
        span = run.trace.span_of(node)
        if node.kind != LEAF and span is not None:
            line = span.source.text.split("\n")[span.line - 1]
            found[name] = span.line, line[span.column : span.end_column]
    return found


_CALLED_BACK = """\
import torch
from torch import nn

class Mine(nn.Module):
    def forward(self, x):
        return torch.tanh(x)

def twice(v):
    return v * 2

def powers(v):
    yield v
    yield v ** 3

net = nn.Sequential(nn.Linear(2, 3), Mine())
loss = net(torch.ones(1, 2)).sum()
for total in [
    sum(map(twice, [loss, loss])),
    sum(v.exp() for v in [loss, loss] if v > -9),
    sum(powers(loss)),
    sum(map(lambda v: v.sin(), [loss, loss])),
]:
    loss = loss + total
loss.backward()
"""


def test_what_builtins_and_modules_record_before_they_call_the_program() -> None:
    run = traced(_CALLED_BACK)
    assert run.trace is not None
    assert run.root is not None
    lines: dict[str, set[int]] = {}
    for node in nodes_of(run.root):
        span = run.trace.span_of(node)
        lines.setdefault(node.name(), set()).add(0 if span is None else span.line)
    assert (lines["AddmmBackward0"], lines["AddBackward0"]) == ({16}, {18, 19, 20, 21, 23})
    # What the program's own code makes of it stays where that is.
    assert (lines["TanhBackward0"], lines["MulBackward0"], lines["PowBackward0"]) == ({6}, {9}, {13})
    assert (lines["ExpBackward0"], lines["SinBackward0"]) == ({19}, {21})


# -- a program does not notice -----------------------------------------------------------------


@pytest.mark.parametrize("spec", EXPRESSIONS, ids=lambda spec: spec.stem)
@sampled(10)
def test_a_traced_run_prints_the_same(spec: Path) -> None:
    plain: list[str] = []
    watched: list[str] = []
    Program(read(str(spec))).run(plain.append)
    Program(read(str(spec))).run(watched.append, trace=True)
    assert "".join(watched) == "".join(plain)


@pytest.mark.parametrize("spec", EXPRESSIONS, ids=lambda spec: spec.stem)
@sampled(10)
def test_the_graph_of_a_run_can_be_walked_again(spec: Path) -> None:
    run = Program(read(str(spec))).run(trace=True)
    assert run.root is not None
    if run.root.grad_fn is not None:
        leaves = [node.variable for node in nodes_of(run.root) if node.kind == LEAF]
        assert len(gradcli.autograd.grad(run.root, leaves, retain_graph=True, allow_unused=True)) == len(leaves)
        assert all(entry_of(node) is not None for node in nodes_of(run.root) if node.kind != LEAF)


@pytest.mark.parametrize("spec", EXPRESSIONS, ids=lambda spec: spec.stem)
@sampled(10)
def test_the_graph_of_a_run_can_be_evaluated_again(spec: Path) -> None:
    root = Program(read(str(spec))).run(trace=True).root
    assert root is not None
    if root.grad_fn is not None:
        assert same(replayed(root), root._a)


def test_nothing_stays_switched_on() -> None:
    with pytest.raises(ProgramError):
        traced("import torch\ntorch.ones(2) @ torch.ones(3)\n")
    assert mode.tape is None
    assert not mode.aside
    traced("import torch\ntorch.ones(2)\n")
    assert mode.tape is None


def test_a_run_without_a_trace_notes_nothing() -> None:
    run = program("import torch\ny = torch.ones(2, requires_grad=True) * 2\n").run()
    assert run.trace is None
    assert entry_of(run.variables["y"].grad_fn) is None


def test_the_second_backward_is_still_an_error() -> None:
    text = """
import torch
x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
y.backward()
try:
    y.backward()
except RuntimeError as error:
    print("second time" in str(error))
"""
    parts: list[str] = []
    run = program(text).run(parts.append, trace=True)
    assert "".join(parts) == "True\n"
    assert run.root is run.variables["y"]


def test_a_stale_view_is_left_alone() -> None:
    text = """
import torch
x = torch.ones(3, requires_grad=True)
h = x * 2
with torch.no_grad():
    v = h[0]
a, b, c = h.unbind()
h.mul_(2)
w = v
d = {"a": a}
print(h.tolist(), v.item())
"""
    plain = printed(text)
    parts: list[str] = []
    program(text).run(parts.append, trace=True)
    assert "".join(parts) == plain


# -- places ------------------------------------------------------------------------------------


def test_every_op_has_its_place() -> None:
    assert places("""
        import torch
        a = torch.tensor(2.0, requires_grad=True)
        y = (a + 1) * torch.exp(a)
        def double(v):
            return v * 2
        z = double(y) - 1
        z += a
        h = torch.stack([z, a])
        h[0] = a * 3
        w = h.sum().sqrt()
        w.backward()
    """) == {
        "y.1": (4, "a + 1"), "y.2": (4, "torch.exp(a)"), "y": (4, "(a + 1) * torch.exp(a)"),
        "double.1": (6, "v * 2"), "z": (7, "double(y) - 1"), "z~a": (8, "z += a"), "h": (9, "torch.stack([z, a])"),
        "h[0].1": (10, "a * 3"), "h~a": (10, "h[0]"), "w.1": (11, "h.sum()"), "w": (11, "h.sum().sqrt()"),
    }  # fmt: skip


def test_leaves_have_the_place_where_they_were_made() -> None:
    run = traced("""
        import torch
        from torch import nn
        a = torch.tensor(2.0, requires_grad=True)
        b = torch.ones(2)
        b.requires_grad = True
        net = nn.Linear(2, 1)
    """)
    assert [(leaf.name, leaf.span.line) for leaf in run.leaves if leaf.span] == [
        ("a", 4), ("b", 6), ("net.weight", 7), ("net.bias", 7),
    ]  # fmt: skip


def test_what_a_backward_records_has_the_place_of_the_backward() -> None:
    run = traced("""
        import torch
        x = torch.tensor(0.5, requires_grad=True)
        y = torch.sigmoid(x)
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    """)
    assert run.trace is not None
    span = run.trace.span_of(run.variables["g"].grad_fn)
    assert span is not None
    assert span.line == 5


# -- roots -------------------------------------------------------------------------------------


def test_the_root_is_what_backward_was_last_called_on() -> None:
    run = traced("""
        import torch
        x = torch.tensor(0.5, requires_grad=True)
        y = x * 2
        z = x * 3
        y.backward()
        torch.autograd.backward([z])
        w = x * 4
        torch.autograd.grad(w, x)
        v = torch.ones(2)
    """)
    assert run.root is run.variables["z"]
    assert run.trace is not None
    assert run.trace.last is run.variables["w"]


def test_the_root_is_as_it_was_at_its_backward() -> None:
    run = traced("""
        import torch
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = (x * x).sum()
        y.backward()
        y.detach_()
        with torch.no_grad():
            y.zero_()
    """)
    assert run.root is not None
    assert run.root is not run.variables["y"]
    assert run.root.item() == 5.0
    assert type(run.root.grad_fn).__name__ == "SumBackward0"


def test_a_graph_is_as_it_was_at_its_backward() -> None:
    run = traced("""
        import torch
        from torch import nn
        torch.manual_seed(0)
        net = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        x = torch.ones(3, 2)
        for step in range(3):
            before = net.weight.detach().clone()
            loss = (net(x) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    """)
    assert run.root is not None
    want = run.variables["net"].weight.grad.tolist()
    (transposed,) = [node for node in nodes_of(run.root) if node.name() == "TBackward0"]
    entry = entry_of(transposed)
    assert entry is not None
    assert entry.operands[0].value.array.tolist() == run.variables["before"].tolist()
    (got,) = gradcli.autograd.grad(run.root, [run.leaves[0].tensor])
    assert got.tolist() == want
    assert [leaf.changed for leaf in run.leaves] == [True, True]


def test_writes_through_an_array_change_no_entry() -> None:
    run = traced("""
        import torch
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        c = torch.tensor([3.0, 4.0])
        y = (x * c).sum()
        a = c.numpy()
        a[0] = 100
        a += 1
    """)
    (times,) = [node for node in nodes_of(run.variables["y"]) if node.name() == "MulBackward0"]
    entry = entry_of(times)
    assert entry is not None
    assert entry.operands[1].value.array.tolist() == [3.0, 4.0]
    assert run.variables["c"].tolist() == [101.0, 5.0]


def test_what_is_written_before_it_is_made_a_leaf_has_not_changed() -> None:
    run = traced("""
        import torch
        from torch import nn
        net = nn.Linear(2, 1)
        x = torch.zeros(2)
        x.add_(1).requires_grad_()
        y = x.clone()
        y.add_(1)
        z = torch.zeros(1, requires_grad=True)
        with torch.no_grad():
            z.add_(1)
    """)
    assert {leaf.name: leaf.changed for leaf in run.leaves} == {
        "net.weight": False, "net.bias": False, "x": False, "z": True,
    }  # fmt: skip


# -- other values ------------------------------------------------------------------------------


def test_leaves_can_be_given_other_values() -> None:
    text = """
        import torch
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        w = x.detach().requires_grad_()
        y = (x * w).sum()
        y.backward()
    """
    run = traced(text, values={0: np.array([5.0, 6.0])})
    assert run.variables["x"].tolist() == [5.0, 6.0]
    assert run.variables["w"].tolist() == [5.0, 6.0]
    run = traced(text, values={1: np.array([0.0, 1.0])})
    assert run.variables["x"].tolist() == [1.0, 2.0]
    assert run.variables["y"].item() == 2.0


# -- leaving the graph ---------------------------------------------------------------------------


def test_cuts_have_places_and_names() -> None:
    run = traced("""
        import torch
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        h = x * 2
        c = h.detach()
        d = x.data * 3
        with torch.no_grad():
            e = torch.exp(h)
        m = (h > 1).float()
        y = (x * c * d * e * m).sum()
        y.backward()
    """)
    trace = run.trace
    assert trace is not None
    assert run.root is not None
    found = []
    for node in nodes_of(run.root):
        entry = entry_of(node)
        for argument in () if entry is None else entry.operands:
            for cut in getattr(argument.value, "cuts", ()):
                span = trace.span_of_cut(cut)
                assert span is not None
                found.append((argument.value.label, cut.reason, span.line, cut.label))
    assert found == [
        ("c", "detach", 5, "h"), ("d", "data", 6, "x"), ("e", "no_grad", 8, "h"), ("m", "integer", 9, "h"),
    ]  # fmt: skip


def test_numbers_that_a_program_reads_have_places() -> None:
    run = traced("""
        import torch
        x = torch.tensor(2.0, requires_grad=True)
        y = x * 3
        for i in range(3):
            s = y.item()
        if x > 0:
            y = y * float(x)
        n = y.detach().numpy()
        t = torch.tensor(1.0).item()
    """)
    assert run.trace is not None
    assert [(how, label, span and span.line) for how, label, span in run.trace.escapes()] == [
        ("item", "y", 6), ("bool", None, 7), ("number", "x", 8), ("numpy", None, 9),
    ]  # fmt: skip


def test_a_long_program_is_traced_without_growing() -> None:
    before = next_sequence_number()
    run = traced("""
        import torch
        w = torch.ones(1000, requires_grad=True)
        for step in range(200):
            loss = (w * w).sum()
            loss.backward()
            with torch.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()
    """)
    assert next_sequence_number() - before > 1000
    assert run.trace is not None
    assert len(run.trace.tape._cells) < 20


# -- decisions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("numbers", ["[3.0, 1.0, 2.25, inf, nan]", "[5, 2, 7]", "[4, 2.75, True]", "[2.5]", "[inf]"])
def test_plain_numbers_are_compared_as_all_others(numbers: str) -> None:
    def decided(of: str) -> list[tuple[set[bool], bool, dict[str, object]]]:
        text = f"""
            from math import inf, nan
            import numpy as np
            for number in {numbers}:
                if {of} < 2.5:
                    pass
        """
        run = traced(text)
        assert run.trace is not None
        return [(made.outcomes, made.whole, dict(made.nears)) for made in run.trace.decisions.values()]

    # A number of NumPy's goes the way of tensors.
    plain, general = decided("number"), decided("np.float64(number)")
    assert [(outcomes, nears) for outcomes, _, nears in plain] == [(outcomes, nears) for outcomes, _, nears in general]
    assert not any(whole for _, whole, _ in plain)


def test_a_decision_by_whole_numbers_is_known_as_such() -> None:
    run = traced("for i in range(9):\n    if i < 3:\n        pass\n")
    assert run.trace is not None
    (made,) = run.trace.decisions.values()
    assert made.whole
    assert made.outcomes == {True, False}
    assert made.nears[""].gap == 0


def test_hooks_of_all_modules_and_optimisers_begin_and_end_with_a_program() -> None:
    def steps() -> list[str]:
        said.clear()
        x = gradcli.ones(1, requires_grad=True)
        gradcli.nn.Sigmoid()(x).backward()
        gradcli.optim.SGD([x], 0.1).step()
        return said

    said: list[str] = []
    ours = everywhere.register_module_full_backward_hook(lambda *_: said.append("ours"))
    step = register_optimizer_step_post_hook(lambda *_: said.append("step"))
    try:
        assert steps() == ["ours", "step"]
        with program("a = 1").running():
            assert steps() == []
            everywhere.kinds.choose(False)
            everywhere.AROUND_CALLS[1] = True
            everywhere.HOOKS["_forward_hooks"][1] = lambda *_: said.append("its own")
            with program("b = 1").running():
                assert steps() == []
            assert steps() == ["its own"]
        assert everywhere.kinds.full
        assert steps() == ["ours", "step"]
    finally:
        ours.remove()
        step.remove()
    assert steps() == []
