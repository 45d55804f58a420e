"""``trace --python`` and ``export-dot --python``: the graph that PyTorch itself records."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .invoke import gradcli
from .test_python import LOSS, NET, TOUCH

pytest.importorskip("torch")

TRACE = """\
g                                      3 ops · 2 leaves · 5 edges
  grad_fn                                   shape       value        grad line
g  #0 AddBackward0                             ()          20           1 LINE
├─ self  #1 MulBackward0                       ()                       1 LINE
│  ├─ self  a  AccumulateGrad                  ()           3           5
│  └─ other b  AccumulateGrad                  ()           5      3 of 4
└─ other #4 SumBackward0                       ()                       1 LINE
   └─ self  b  ↩ AccumulateGrad                ()           5      1 of 4
leaf grads   a = 5    b = 4 = 3 (via #1.other) + 1 (via #4.self)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(NET + "\n\ndef g(a, b):\n    return a * b + b.sum()\n\n\nmade = Net()\n")
    (tmp_path / "loss.py").write_text(LOSS)
    (tmp_path / "touch.py").write_text(TOUCH)
    return tmp_path


def test_the_graph_of_a_function(place: Path) -> None:
    done = gradcli("trace", "--python", "net:g", "a=3", "b=5", cwd=place)
    line = (place / "net.py").read_text().splitlines().index("    return a * b + b.sum()") + 1
    assert done.stdout == TRACE.replace("LINE", f"{line:4}")
    assert done.returncode == 0


def test_the_graph_of_a_module_has_names_and_calls(place: Path) -> None:
    done = gradcli("trace", "--python", "net:made", "x=randn(2,3)", "--format", "json", cwd=place)
    read = json.loads(done.stdout)
    assert {leaf["name"] for leaf in read["leaves"]} == {"x", "fc.weight", "fc.bias"}
    assert ["Net", "fc"] in [node.get("scope") for node in read["nodes"]]
    assert gradcli("trace", "--python", "net:made", "x=randn(2,3)", "--format", "json", cwd=place).stdout == done.stdout
    boxes = gradcli("trace", "--python", "net:made", "x=randn(2,3)", "--level", "1", cwd=place)
    assert "Linear" in boxes.stdout


def test_the_lines_and_the_names_of_the_code(place: Path) -> None:
    (place / "used.py").write_text("def used(x):\n    half = x / 2\n    return half * half\n")
    (place / "both.py").write_text(
        "import torch\nfrom used import used\n\ndef both(x):\n    y = used(x)\n    z = used(y)\n    return z.sum()\n"
    )
    done = gradcli("trace", "--python", "both.py:both", "x=randn(3)", cwd=place)
    assert re.findall(r"(\S+)  #\d \w+Backward0 .* (\w+\.py:\d)\n", done.stdout) == [
        ("both", "both.py:7"), ("z", "used.py:3"), ("half@2", "used.py:2"), ("y", "used.py:3"), ("half", "used.py:2"),
    ]  # fmt: skip
    read = json.loads(gradcli("trace", "--python", "both.py:both", "x=randn(3)", "--format", "json", cwd=place).stdout)
    told = {(node["name"], node["source"]["file"], node["source"]["text"]) for node in read["nodes"] if node["source"]}
    assert ("DivBackward0", "used.py", "x / 2") in told
    # Of several files none is the one whose text a page shows.
    page = place / "graph.html"
    assert gradcli("trace", "--python", "both.py:both", "x=randn(3)", "-o", str(page), cwd=place).returncode == 0
    assert '"source":null,\n' in page.read_text()


def test_a_derivative(place: Path) -> None:
    done = gradcli("trace", "--python", "net:g", "a=3", "b=5", "--order", "1", "--wrt", "b", cwd=place)
    assert done.stdout.startswith("derivative 1 of g ")
    done = gradcli("trace", "--python", "net:g", "a=3", "b=5", "--order", "1", cwd=place)
    assert done.stderr.startswith("error[E503]: g has 2 inputs to differentiate by\n  = help: add --wrt NAME: a, b\n")


def test_a_picture(place: Path) -> None:
    done = gradcli("export-dot", "--python", "net:f", "x=randn(3)", cwd=place)
    assert done.returncode == 0
    assert '"Swish" -> ' in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["loss:loss", "x=1", "y=2"], "error[G114]: loss records no graph: its module has no PyTorch\n"),
        (["net:nothing", "x=1"], "error[E502]: net has no 'nothing'\n"),
        (["net:made", "x=randn(2,4)"], "made stops: RuntimeError: mat1 and mat2 shapes cannot be multiplied"),
        (["x**2", "x=1"], "'x**2' is no function in a module"),
        (["net:f", "x=1", "--dtype", "float64"], "--dtype says nothing to --python, which runs no spec"),
    ],
)
@pytest.mark.parametrize("command", ["trace", "export-dot"])
def test_what_has_no_graph(place: Path, command: str, words: list[str], said: str) -> None:
    if command == "export-dot" and "x**2" not in words and "loss:loss" not in words:
        words = [*words, "--level", "all"]
    done = gradcli(command, "--python", *words, cwd=place)
    assert said in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize("command", ["trace", "export-dot", "run"])
def test_only_the_flag_runs_code(place: Path, command: str) -> None:
    gradcli(command, "touch.py", cwd=place)
    gradcli(command, "touch:f", "x=1", cwd=place)
    assert not (place / "touched").exists()
