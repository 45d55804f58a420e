"""Names and ids: what a program calls the nodes of its graphs, and that an edit elsewhere does not change it."""

from __future__ import annotations

import difflib
import textwrap

import pytest
from hypothesis import given, settings, strategies as st

import gradcli
from gradcli.engine.graph import LEAF
from gradcli.spec.input.named_inputs import binding
from gradcli.spec.node_names import ids, only_name
from tests.rings import examples

from ..running import program
from ..tracing import drawn, naming, nodes_of, op_ids, traced

# -- ids -------------------------------------------------------------------------------------


def test_an_op_is_called_what_its_statement_binds() -> None:
    assert op_ids("""
        import torch
        a = torch.tensor(2.0, requires_grad=True)
        b = torch.tensor(3.0, requires_grad=True)
        c = a + b
        d = b + 1
        y = c * d
        y.backward()
    """) == ["c", "d", "y"]  # fmt: skip


def test_inner_ops_are_numbered_in_the_order_of_evaluation() -> None:
    assert drawn(traced("""
        import torch
        a = torch.tensor(2.0, requires_grad=True)
        y = (a + 1) * torch.exp(a - 1)
        y.backward()
    """)) == [
        "y.1 AddBackward0 ['a', None]", "y.2 SubBackward0 ['a', None]", "y.3 ExpBackward0 ['y.2']",
        "y MulBackward0 ['y.1', 'y.3']",
    ]  # fmt: skip


def test_a_statement_that_runs_again_says_for_which_time() -> None:
    assert op_ids("""
        import torch
        w = torch.tensor(2.0, requires_grad=True)
        h = w
        for i in range(3):
            h = torch.tanh(w * h)
    """) == ["h.1", "h", "h.1@2", "h@2", "h.1@3", "h@3"]  # fmt: skip


def test_runs_are_counted_in_one_graph() -> None:
    assert op_ids("""
        import torch
        w = torch.tensor(2.0, requires_grad=True)
        for step in range(5):
            h = w
            for i in range(2):
                h = h * w
            loss = (h - 1) ** 2
            loss.backward()
    """) == ["h", "h@2", "loss.1", "loss"]  # fmt: skip


def test_statements_that_bind_one_name_are_told_apart_by_a_word() -> None:
    assert op_ids("""
        import torch
        w1, w2, w3 = (torch.tensor(0.5, requires_grad=True) for _ in range(3))
        h = torch.tanh(w1)
        h = torch.tanh(w2 * h)
        h = torch.tanh(w3 * h)
        h = h * 2
        h = h + 1
        h += w1
    """) == ["h", "h~w2.1", "h~w2", "h~w3.1", "h~w3", "h~mult", "h~add", "h~w1"]  # fmt: skip


def test_statements_without_a_difference_are_numbered() -> None:
    assert op_ids("""
        import torch
        h = torch.tensor(0.5, requires_grad=True)
        h = torch.tanh(h)
        h = torch.tanh(h)
        h = torch.tanh(h)
        h = -h
        h = -h
    """) == ["h~tanh", "h~tanh~2", "h~tanh~3", "h~op", "h~op~2"]  # fmt: skip


def test_a_leaf_keeps_its_name_before_an_op() -> None:
    run = traced("""
        import torch
        x = torch.tensor(0.5, requires_grad=True)
        x = x * 2
        x.backward()
    """)
    assert list(naming(run).ids.values()) == ["x", "x~mult"]
    assert list(naming(run).variables.values()) == ["x", "x@2"]


def test_functions_name_what_they_return() -> None:
    assert op_ids("""
        import torch

        def layer(v):
            h = v * 2
            return torch.tanh(h) + h.exp()

        x = torch.tensor(0.5, requires_grad=True)
        y = layer(x) - layer(x)
        z = layer(y)
        z.backward()
    """) == [
        "h", "layer.1", "layer.2", "layer.3", "h@2", "layer.1@2", "layer.2@2", "layer.3@2", "y", "h@3", "layer.1@3",
        "layer.2@3", "z",
    ]  # fmt: skip


def test_a_function_of_one_line_is_named_too() -> None:
    assert op_ids("""
        import torch
        square = lambda v: v * v
        def twice(v):
            return v + v
        x = torch.tensor(0.5, requires_grad=True)
        y = square(x) / twice(x)
    """) == ["y.1", "twice.1", "y"]  # fmt: skip


def test_attributes_items_and_calls_have_names() -> None:
    assert op_ids("""
        import torch

        class Box:
            pass

        box, table = Box(), {}
        x = torch.tensor([0.5, 1.5], requires_grad=True)
        box.h = x * 2
        table["k"] = box.h + 1
        u, v = table["k"].unbind()
        w = [torch.sin(r) for r in (u, v)]
        if w[0] * v > 0:
            pass
        with torch.enable_grad():
            s = w[0] + w[1]
        torch.stack([s * 2, s]).sum().backward()
    """) == ["box.h", "table['k'].1", "u", "w.1", "w.2", "s", "backward.1", "backward.2", "backward.3"]  # fmt: skip


def test_writes_have_the_name_of_what_is_written() -> None:
    run = traced("""
        import torch
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        h = x * 2
        h.mul_(3)
        h[0] = x[1]
        h += x
    """)
    found = {n: v for n, v in naming(run).ids.items() if n.kind != LEAF}
    assert list(found.values()) == ["h", "h~mul_", "h[0].1", "h~x", "h~x~2"]
    assert [naming(run).variables.get(n) for n in found] == ["h", "h@2", None, "h@3", "h@4"]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_what_a_backward_records_is_named_after_its_node() -> None:
    assert op_ids("""
        import torch
        x = torch.tensor(0.5, requires_grad=True)
        y = torch.sigmoid(x) ** 2
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    """) == ["y.1", "y", "y'1", "y'2", "y'3", "g"]  # fmt: skip
    run = traced("""
        import torch
        x = torch.tensor(0.5, requires_grad=True)
        y = torch.sigmoid(x) ** 3
        y.backward(create_graph=True)
        z = torch.autograd.grad(x.grad, x, create_graph=True)[0] * 1
    """)
    assert "y'3'1" in naming(run, run.variables["z"]).ids.values()


def test_the_last_expression_has_a_name_of_its_own() -> None:
    run = gradcli_expression("torch.tanh(x * 2) + x", x=1.0)
    assert [v for n, v in run.items() if n.kind != LEAF] == ["expr.1", "expr.2", "expr.3"]


def gradcli_expression(text: str, **inputs: float) -> dict[object, str]:
    given_ = [binding(f"{name}={value}") for name, value in inputs.items()]
    run = program(text, inline=True, bindings=given_).run(trace=True)
    return naming(run, run.value).ids


def test_without_a_program_ids_come_from_the_kinds_of_nodes() -> None:
    a, b = (gradcli.tensor(v, requires_grad=True) for v in (1.0, 2.0))
    y = (a * b).exp() * a
    y = y.exp()
    assert list(ids(nodes_of(y), {a._node: "a", b._node: "b"}).values()) == ["a", "b", "Mul", "Exp", "Mul.2", "Exp.2"]
    assert list(ids(nodes_of(y)).values())[:2] == ["leaf", "leaf.2"]


def test_ids_are_unique_whatever_things_are_called() -> None:
    run = traced("""
        import torch
        Exp = torch.tensor(1.0, requires_grad=True)
        table = {}
        table["a.1"] = Exp * 2
        for i in range(2):
            for j in range(2):
                Exp = Exp * 2 * 3 + Exp.exp()
                Exp = Exp * 2 * 3 + Exp.exp()
        f = Exp.sin()
        def f(x):
            return x.cos().sin()
        f = f(f(Exp) * f(Exp))
    """)
    names = naming(run).ids
    assert len(set(names.values())) == len(names)


# -- leaves ----------------------------------------------------------------------------------


def leaf_names(text: str) -> list[str]:
    return [leaf.name for leaf in traced(text).leaves]


def test_leaves_are_called_as_the_program_calls_them_first() -> None:
    assert leaf_names("""
        import torch
        from torch import nn
        x = torch.ones(2)
        x.requires_grad = True
        z = torch.ones(2)
        z.requires_grad_()
        p = nn.Parameter(torch.ones(2))
        a = b = torch.ones(2, requires_grad=True)
        q = a
    """) == ["x", "z", "p", "a"]  # fmt: skip


def test_lists_dictionaries_and_objects_say_where_leaves_are() -> None:
    assert leaf_names("""
        import torch

        class Model:
            def __init__(self):
                self.w = torch.ones(2, requires_grad=True)
                self.inner = {"b": [torch.ones(1, requires_grad=True)]}

        ws = [torch.ones(2, requires_grad=True) for _ in range(2)]
        for w in ws:
            w.sum()
        d = {"k": torch.ones(2, requires_grad=True), 3: torch.ones(2, requires_grad=True)}
        model = Model()
        v = ws[1]
    """) == ["ws[0]", "v", "d['k']", "d[3]", "model.w", "model.inner['b'][0]"]  # fmt: skip


def test_variables_of_functions_are_names_too() -> None:
    assert leaf_names("""
        import torch

        def f():
            inner = torch.ones(2, requires_grad=True)
            return inner.sum() + torch.ones(1, requires_grad=True)

        f()
    """) == ["inner", "leaf1"]  # fmt: skip


def test_parameters_have_dotted_names() -> None:
    model = """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc1 = nn.Linear(2, 2)
                self.scale = nn.Parameter(torch.ones(1))

        net = Net()
        loss = nn.MSELoss()
        for p in net.parameters():
            p.sum()
        weight = net.fc1.weight
    """
    # All names of a model have its own before them, or none.
    assert leaf_names(model) == ["net.fc1.weight", "net.fc1.bias", "net.scale"]
    assert leaf_names(model + "\n        other = nn.Linear(1, 1)\n") == [
        "net.fc1.weight", "net.fc1.bias", "net.scale", "other.weight", "other.bias",
    ]  # fmt: skip
    assert leaf_names(model + "\n        layer = net.fc1\n") == ["net.fc1.weight", "net.fc1.bias", "net.scale"]


def test_parameters_of_a_model_that_only_a_function_has() -> None:
    run = traced("""
        import torch
        from torch import nn

        def build():
            model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
            return model(torch.ones(1, 2)).sum(), model

        keep = [build()]
        keep[0][0].backward()
    """)
    assert [leaf.name for leaf in run.leaves] == ["0.weight", "0.bias", "1.weight", "1.bias"]


_TWO_MODELS = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, kept):
            super().__init__()
            self.fc = nn.Linear(2, 1)
            self.kept = [self] if kept else []

        def forward(self, x):
            return self.fc(x)

    def make(kept):
        net = Net(kept)
        return net

    def trained(kept):
        model = make(kept)
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        return loss
"""


@pytest.mark.parametrize("kept", [True, False])
def test_names_do_not_depend_on_which_models_are_gone(kept: bool) -> None:
    run = traced(f"{_TWO_MODELS}    first = trained({kept})\n    second = trained({kept})\n    del first, second\n")
    assert run.trace is not None
    assert list(run.trace.leaves.values()) == ["net@1.fc.weight", "net@1.fc.bias", "fc.weight", "fc.bias"]


def test_the_last_of_the_models_that_a_name_stood_for_has_it() -> None:
    run = traced(f"{_TWO_MODELS}    m = make(False)\n    first = m(torch.ones(1, 2))\n"
                 "    m = make(False)\n    other = nn.Linear(2, 1)\n")  # fmt: skip
    assert run.trace is not None
    assert list(run.trace.leaves.values()) == [
        "m@1.fc.weight", "m@1.fc.bias", "m.fc.weight", "m.fc.bias", "other.weight", "other.bias",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "summed", ["sum(m(x).sum() for m in models)", "0\n    for m in models:\n        loss = loss + m(x).sum()"]
)
def test_models_in_a_list_are_called_by_their_places(summed: str) -> None:
    run = traced(f"""
    import torch
    from torch import nn
    x = torch.ones(1, 2)
    models = [nn.Linear(2, 1, bias=False) for _ in range(3)]
    loss = {summed}
    """)  # fmt: skip
    assert run.trace is not None
    assert list(run.trace.leaves.values()) == ["models[0].weight", "models[1].weight", "models[2].weight"]


def test_every_leaf_has_a_name_of_its_own() -> None:
    assert leaf_names("""
        import torch
        for i in range(3):
            w = torch.ones(1, requires_grad=True)
        w = torch.zeros(1, requires_grad=True)
        w = torch.zeros(1, requires_grad=True)
    """) == ["w", "w@2", "w@3", "w~2", "w~3"]  # fmt: skip


def test_constants_have_names() -> None:
    run = traced("""
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("mean", torch.ones(2))

        net = Net()
        t = torch.ones(2)
        ts = [torch.ones(2)]
        x = torch.ones(2, requires_grad=True)
        y = (x * t + ts[0] + net.mean).sum()
    """)
    from gradcli.engine.tape.tape import Operand, entry_of

    labels = [
        a.value.label
        for node in nodes_of(run.variables["y"])
        if node.kind != LEAF
        for a in entry_of(node).operands  # type: ignore[union-attr]
        if isinstance(a.value, Operand) and a.value.node is None
    ]
    assert labels == ["t", "ts[0]", "net.mean"]


# -- an edit changes little --------------------------------------------------------------------

LAYERS = 20


def by_hand(inserted: int | None) -> str:
    lines = ["import torch", f"ws = [torch.tensor(0.1 * i, requires_grad=True) for i in range({LAYERS})]", "h0 = ws[0]"]
    for i in range(1, LAYERS):
        lines.append(f"h{i} = torch.tanh(h{i - 1} * ws[{i}])")
        if i == inserted:
            lines.append(f"h{i} = h{i} * 1.0")
    return "\n".join([*lines, f"y = h{LAYERS - 1}.sum()"])


def one_name(inserted: int | None) -> str:
    lines = ["import torch"] + [f"w{i} = torch.tensor(0.1 * {i}, requires_grad=True)" for i in range(LAYERS)]
    lines.append("h = w0")
    for i in range(1, LAYERS):
        lines.append(f"h = torch.tanh(h * w{i})")
        if i == inserted:
            lines.append("h = h * 1.0")
    return "\n".join([*lines, "y = h.sum()"])


def module(inserted: int | None) -> str:
    lines = ["import torch", "from torch import nn", "class Net(nn.Module):", "    def __init__(self):"]
    lines.append("        super().__init__()")
    lines += [f"        self.fc{i} = nn.Linear(2, 2)" for i in range(LAYERS)]
    lines.append("    def forward(self, x):")
    for i in range(LAYERS):
        lines.append(f"        x = torch.relu(self.fc{i}(x))")
        if i == inserted:
            lines.append("        x = x.clone()")
    return "\n".join([*lines, "        return x.sum()", "y = Net()(torch.ones(1, 2))"])


def loop(inserted: int | None) -> str:
    more = "" if inserted is None else f"\n    if i == {inserted}:\n        h = h * 1.0"
    return textwrap.dedent(f"""
        import torch
        ws = [torch.tensor(0.1 * i, requires_grad=True) for i in range({LAYERS})]
        h = ws[0]
        for i in range(1, {LAYERS}):
            h = torch.tanh(h * ws[i])
        y = h.sum()
    """).replace(" * ws[i])", f" * ws[i]){more}")


def blocks(inserted: int | None) -> str:
    lines = ["import torch", "def block(v, w):", "    h = v * w", "    return torch.tanh(h)"]
    lines += [f"w{i} = torch.tensor(0.1 * {i}, requires_grad=True)" for i in range(LAYERS)]
    lines.append("x = w0")
    for i in range(1, LAYERS):
        lines.append(f"x = block(x, w{i})")
        if i == inserted:
            lines.append("x = x * 1.0")
    return "\n".join([*lines, "y = x.sum()"])


def within(inserted: int | None) -> str:
    lines = ["import torch", f"ws = [torch.tensor(0.1 * i, requires_grad=True) for i in range({LAYERS})]", "h0 = ws[0]"]
    for i in range(1, LAYERS):
        factor = " * 1.0" if i == inserted else ""
        lines.append(f"h{i} = torch.tanh(h{i - 1} * ws[{i}]{factor})")
    return "\n".join([*lines, f"y = h{LAYERS - 1}.sum()"])


SHAPES = [by_hand, one_name, module, loop, blocks, within]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@pytest.mark.parametrize("inserted", [1, 7, 18])
def test_one_more_op_changes_few_lines(shape: object, inserted: int) -> None:
    assert callable(shape)
    before, after = drawn(traced(shape(None))), drawn(traced(shape(inserted)))
    assert len(after) == len(before) + 1
    changed = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    assert len(changed) <= 8


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 30), st.integers(0, 5))
def test_lines_above_change_no_id(lines: int, names: int) -> None:
    text = "import torch\n" + "\n" * lines + "".join(f"n{i} = {i}\n" for i in range(names))
    text += "x = torch.tensor(0.5, requires_grad=True)\ny = torch.tanh(x * 2)\ny = y * x\n"
    assert op_ids(text) == ["y.1", "y", "y~x"]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("y = x * 2", "y"),
        ("y = x * 2\ny = y + x", None),
        ("for i in range(2):\n    y = x * (i + 1)", "y"),
        ("x2 = x * 2\ny, z = x2.chunk(2)\nw = z + 1", "w"),
        ("x = x * 2\ny = x + 1\nx = y * 3", None),
        ("y = (x * x).sum()\ny, = torch.autograd.grad(y, x, create_graph=True)", None),
    ],
)
def test_one_name_alone_is_that_of_all_names_together(last: str, expected: str | None) -> None:
    run = traced(f"import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n{last}\n")
    assert run.trace is not None
    assert run.trace.last is not None
    nodes = nodes_of(run.trace.last)
    ops = [node for node in nodes if node.kind != LEAF]
    alone = only_name(ops[-1], ops, run.trace.leaves.values())
    assert alone == expected
    assert alone in (None, naming(run, run.trace.last).variables[ops[-1]])
