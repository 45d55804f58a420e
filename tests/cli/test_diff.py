"""``gradcli diff``: what differs between two graphs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gradcli.errors import InputError
from gradcli.graph.diff.compare import Comparison, alike, checked

from ..conftest import needs_torch
from ..graph.graphviz import needs_dot
from .invoke import gradcli

NET = """\
import torch
x = torch.tensor([0.5, -1.0], requires_grad=True)
h = torch.{name}(x)
y = (h * {factor}).sum()
"""


@pytest.fixture
def nets(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(NET.format(name="relu", factor="2.0"))
    (tmp_path / "b.py").write_text(NET.format(name="tanh", factor="2.0"))
    return tmp_path


def test_what_differs_is_told_in_forward_order(nets: Path) -> None:
    done = gradcli("diff", "a.py", "b.py", cwd=nets)
    assert done.stderr == ""
    assert done.stdout == """\
a.py → b.py
~ x  gradient 0..2 ‖2‖ → 0.839949..1.5729 ‖1.78312‖  line 2
~ h  node ReluBackward0 → TanhBackward0  line 3
~ h  value 0..0.5 ‖0.5‖ → -0.761594..0.462117 ‖0.89083‖  line 3
~ y.1  value 0..1 ‖1‖ → -1.52319..0.924234 ‖1.78166‖  line 4
~ y  value 1 → -0.598954  line 4
4 changed, of 5 nodes before and 5 after
"""
    assert done.returncode == 1


def test_what_is_alike_ends_well(nets: Path) -> None:
    done = gradcli("diff", "a.py", "a.py", cwd=nets)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a.py → a.py\nalike: 5 nodes\n", "")


def test_a_saved_trace_is_compared_with_a_program(nets: Path) -> None:
    assert gradcli("trace", "a.py", "--format", "json", "-o", "a.json", cwd=nets).returncode == 0
    assert gradcli("diff", "a.json", "a.py", cwd=nets).returncode == 0
    done = gradcli("diff", "a.json", "b.py", "--format", "json", cwd=nets)
    told = json.loads(done.stdout)
    assert (done.returncode, told["schema"], told["before"], told["after"]) == (1, "gradcli.diff/1", "a.json", "b.py")
    assert told["differences"][1] == {
        "kind": "changed", "id": "h", "what": "node", "before": "ReluBackward0", "after": "TanhBackward0", "line": 3,
    }  # fmt: skip
    assert json.loads(gradcli("diff", "a.json", "a.py", "--format", "json", cwd=nets).stdout)["differences"] == []


def test_what_came_and_went_is_told() -> None:
    done = gradcli("diff", "x*y", "x*y + x", "x=2", "y=3")
    assert done.stdout.splitlines()[1:] == [
        "~ x  gradient 3 → 4",
        "+ expr.2  AddBackward0  line 1",
        "1 came, 1 changed, of 3 nodes before and 4 after",
    ]
    done = gradcli("diff", "x*y + x", "x*y", "x=2", "y=3")
    assert done.stdout.splitlines()[1] == "- expr.2  AddBackward0  line 1"


def test_what_differs_by_little_is_told_with_all_digits() -> None:
    done = gradcli("diff", "x*1.0", "x*1.0000001", "x=2")
    assert "~ expr.1  value 2.0 → 2.0000002  line 1" in done.stdout
    # As many ones have another norm.
    done = gradcli("diff", "ones_like(x)*x", "cat([x,x])*1", "x=[1.,1.]")
    assert "1..1 ‖1.41421‖ → 1..1 ‖2‖" in done.stdout


def test_derivatives_are_compared_too() -> None:
    done = gradcli("diff", "x**3", "x*x*x", "x=2", "--order", "2")
    assert done.returncode == 1
    assert "PowBackward0" in done.stdout


def test_a_file_is_compared_with_what_it_was(nets: Path) -> None:
    def git(*words: str) -> None:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *words]
        subprocess.run(command, cwd=nets, check=True, capture_output=True)

    git("init")
    git("add", "a.py")
    git("commit", "-m", "one")
    assert gradcli("diff", "a.py", "--against", "git:HEAD", cwd=nets).returncode == 0
    (nets / "a.py").write_text(NET.format(name="relu", factor="3.0"))
    done = gradcli("diff", "a.py", "--against", "git:HEAD", cwd=nets)
    assert done.returncode == 1
    assert done.stdout.startswith("a.py@HEAD → a.py\n")
    assert "~ y  value 1 → 1.5  line 4" in done.stdout
    done = gradcli("diff", "b.py", "--against", "git:HEAD", cwd=nets)
    assert (done.returncode, done.stdout) == (2, "")
    first, why, help = done.stderr.splitlines()
    assert first == "error[E503]: git has no 'b.py' at HEAD"
    assert why.startswith("  = note: git says: path 'b.py' ")
    assert help == "  = help: git log --oneline -- b.py lists the commits that know it"
    done = gradcli("diff", "a.py", "--against", "git:HEAF", cwd=nets)
    assert "git says: invalid object name 'HEAF'" in done.stderr
    done = gradcli("diff", "a.py", "--against", "git:--textconv", cwd=nets)
    assert (done.returncode, "'git:--textconv' is no git:REV" in done.stderr) == (2, True)


def test_what_is_no_graph_is_refused(nets: Path) -> None:
    no_trace = "is no trace (schema gradcli.trace/1)"
    for text, words in (("{}", no_trace), ("{", "is no JSON"), ("[" * 10**5, "is no JSON")):
        (nets / "bad.json").write_text(text)
        done = gradcli("diff", "bad.json", "a.py", cwd=nets)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"'bad.json' {words}" in done.stderr
    for count, words in ((1, "there is one graph to compare"), (3, "there are 3 graphs to compare")):
        done = gradcli("diff", *["a.py"] * count, cwd=nets)
        assert (done.returncode, words in done.stderr) == (2, True)
    done = gradcli("diff", "x*x", "x=2", "--against", "git:HEAD", cwd=nets)
    assert (done.returncode, "--against is for a file" in done.stderr) == (2, True)


@pytest.mark.parametrize("nodes", [None, 1, [1], [{"id": 1}], [{"id": "a", "kind": "op", "name": "b", "edges": [1]}]])
def test_json_of_another_shape_is_refused(nodes: object) -> None:
    with pytest.raises(InputError, match="is no trace"):
        checked("x.json", {"schema": "gradcli.trace/1", "nodes": nodes})


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1.0, 1.0 + 2**-19, True),
        (1.0, 1.0 + 2**-17, False),
        ("nan", "nan", True),
        ("nan", 1.0, False),
        ("inf", "-inf", False),
        (None, None, True),
        (None, 1.0, False),
        ({"max": 1.0, "min": 1e-9, "norm": 1.0}, {"max": 1.0, "min": 2e-9, "norm": 1.0}, True),
        ({"max": 1.0, "min": 0.0, "norm": 1.0}, {"max": 1.0, "min": 0.0, "nan": 1, "norm": 1.0}, False),
        (True, False, False),
        ([1.0, 2.0], [1.0], False),
    ],
)
def test_values_are_alike_up_to_their_rounding(a: object, b: object, same: bool) -> None:
    assert alike(a, b, 24) is same
    assert alike(b, a, 24) is same


LAYERS = """import torch
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
h = net(torch.ones(2, 3))
for _ in range(3):
    h = torch.sin(h) * 0.5
loss = (h ** 2).mean() + h.sum()
loss.backward()
"""


@pytest.mark.parametrize(
    ("old", "new", "came"),
    [
        ("(h ** 2).mean()", "(h ** 2).exp().mean()", [("came", "ExpBackward0")]),
        ("torch.nn.ReLU(),", "torch.nn.ReLU(), torch.nn.Tanh(),", [("came", "TanhBackward0")]),
        ("torch.sin(h) * 0.5", "torch.sin(torch.tanh(h)) * 0.5", [("came", "TanhBackward0")] * 3),
        ("torch.sin(h) * 0.5", "0.5 * h", [("went", "SinBackward0")] * 3),
        ("h.sum()", "h.cos().sum()", [("came", "CosBackward0")]),
    ],
)
def test_one_more_op_moves_no_other(tmp_path: Path, old: str, new: str, came: list[tuple[str, str]]) -> None:
    (tmp_path / "a.py").write_text(LAYERS)
    (tmp_path / "b.py").write_text(LAYERS.replace(old, new))
    told = json.loads(gradcli("diff", "a.py", "b.py", "--format", "json", cwd=tmp_path).stdout)["differences"]
    nodes = [(d["kind"], d["after"] or d["before"]) for d in told if d["what"] == "node"]
    assert nodes == came
    # Where it is taken up, and where leaves are called otherwise since.
    assert len([d for d in told if d["what"] == "arguments"]) <= len(came) + 2


def test_the_same_graphs_differ_in_nothing_however_large() -> None:
    nodes: list[dict[str, Any]] = [{"id": "x", "kind": "leaf", "name": "AccumulateGrad", "edges": [], "shape": []}]
    for i in range(3_000):
        edges = [{"arg": "self", "to": nodes[-1]["id"]}]
        nodes.append({"id": f"y.{i}", "kind": "op", "name": "SinBackward0", "edges": edges})
    graph = {str(node["id"]): node for node in nodes}
    assert [*Comparison(graph, graph).differences] == []
    half = {key: node for key, node in graph.items() if key != "y.1500"}
    assert [(d.kind, d.id) for d in Comparison(half, graph).differences if d.what == "node"] == [("came", "y.2999")]


# -- pages and pictures ------------------------------------------------------------------------


def test_a_page_shows_both_graphs_without_a_script(nets: Path) -> None:
    done = gradcli("diff", "a.py", "b.py", "-o", "d.html", cwd=nets)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    page = (nets / "d.html").read_text()
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "<del>ReluBackward0</del></td><td><ins>TanhBackward0</ins>" in page
    assert '<tr class="alike">' in page
    assert page == gradcli("diff", "a.py", "b.py", "--format", "html", cwd=nets).stdout


def test_what_a_program_says_is_inert_on_the_page(tmp_path: Path) -> None:
    (tmp_path / "<b>.py").write_text("y = x * 2\n")
    done = gradcli("diff", "<b>.py", "-e", "x * 3", "x=1", "--format", "html", cwd=tmp_path)
    assert "&lt;b&gt;.py" in done.stdout
    assert "<b>" not in done.stdout


def test_a_picture_has_what_came_and_what_went(tmp_path: Path) -> None:
    done = gradcli("diff", "sin(x) * 2", "x * 2", "x=1", "--format", "dot", cwd=tmp_path)
    nodes, edges = (
        [line for line in done.stdout.splitlines() if line.startswith('"') and (" -> " in line) == is_edge]
        for is_edge in (False, True)
    )
    assert [line.partition(" [")[0] for line in nodes if "dashed" in line] == ['"expr.1 (went)"']
    assert [line.partition(" [")[0] for line in edges if "dashed" in line] == [
        '"expr.1 (went)" -> "x"', '"expr.1" -> "expr.1 (went)"',
    ]  # fmt: skip


@needs_dot
def test_pictures_are_drawn(nets: Path) -> None:
    for name, start in (("d.svg", b"<?xml"), ("d.png", b"\x89PNG"), ("d.pdf", b"%PDF")):
        assert gradcli("diff", "a.py", "b.py", "-o", name, cwd=nets).returncode == 1
        assert (nets / name).read_bytes().startswith(start)


def test_an_ending_that_is_not_the_format_is_refused(nets: Path) -> None:
    done = gradcli("diff", "a.py", "b.py", "-o", "d.html", "--format", "json", cwd=nets)
    assert done.returncode == 2
    assert "a file that ends in .html is not of --format json" in done.stderr
    assert not (nets / "d.html").exists()


def test_a_file_is_not_overwritten_that_is_compared(nets: Path) -> None:
    done = gradcli("diff", "a.py", "b.py", "-o", "b.py", cwd=nets)
    assert done.returncode == 3
    assert "would overwrite what it is made from" in done.stderr


# -- PyTorch -----------------------------------------------------------------------------------

TRAINED = """\
import torch
from torch import nn
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 2)
for step in range(5):
    optimizer.zero_grad()
    loss = (net(x) ** 2).mean()
    loss.backward()
    optimizer.step()
"""


@needs_torch
@pytest.mark.parametrize(
    ("words", "nodes"),
    [
        (("x*y + sum(sin(x))", "x=[2,3]", "y=3"), 6),
        (("f.py::f", "x=[1,2]"), 5),
        (("trained.py",), 13),
        (("x**3", "x=2", "--order", "2"), 6),
    ],
)
def test_pytorch_agrees(tmp_path: Path, words: tuple[str, ...], nodes: int) -> None:
    (tmp_path / "f.py").write_text("import torch\ndef f(x):\n    return torch.logsumexp(x.exp() * 2, 0)\n")
    (tmp_path / "trained.py").write_text(TRAINED)
    done = gradcli("diff", *words, "--torch", cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout.startswith("PyTorch 2.")
    assert done.stdout.endswith("nodes\n")
    assert "alike: " in done.stdout
    assert done.returncode == 0


@needs_torch
def test_a_difference_from_pytorch_is_told(tmp_path: Path) -> None:
    """A program that asks which engine it runs on differs by what it does then."""
    (tmp_path / "a.py").write_text(
        "import torch\nx = torch.ones(2, requires_grad=True)\n"
        "y = x.sin() if hasattr(torch, 'onnx') else x.cos()\ny.sum().backward()\n"
    )
    done = gradcli("diff", "a.py", "--torch", cwd=tmp_path)
    assert done.returncode == 1
    assert "SinBackward0" in done.stdout
    assert "CosBackward0" in done.stdout


@needs_torch
def test_a_program_that_stops_in_pytorch_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\n"
                                   "if hasattr(torch, 'onnx'):\n    raise ValueError('here')\n")  # fmt: skip
    done = gradcli("diff", "a.py", "--torch", cwd=tmp_path)
    assert done.returncode == 2
    assert "PyTorch stops: ValueError: here" in done.stderr


def test_torch_is_for_one_spec(nets: Path) -> None:
    done = gradcli("diff", "a.py", "b.py", "--torch", cwd=nets)
    assert (done.returncode, "there are 2 graphs to compare" in done.stderr) == (2, True)
