"""``gradcli trace``: what it writes where, and what it says of what it cannot do."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gradcli.text.cells import cells
from tests.last_digits import with_digits_of
from tests.record_expressions import GALLERY
from tests.rings import sampled

from .invoke import COMMAND, ROOT, environment, gradcli, on_terminal, wait_until_it_works
from .write_traces import TRACES, place_of, text_of

PRODUCT = """\
import torch
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
print("::error::never seen")
y = (a + b) * (b + 1)
y.backward()
print(a.grad)
"""

DRAWN = """\
y = (a + b) * (b + 1)                  3 ops · 2 leaves · 1 constant · 5 edges
  grad_fn                                   shape       value        grad line
y  #0 MulBackward0                             ()          20           1    5
├─ self  #1 AddBackward0                       ()           5           4    5
│  ├─ self  a  AccumulateGrad                  ()           2           4    2
│  └─ other b  AccumulateGrad                  ()           3      4 of 9    3
└─ other #4 AddBackward0                       ()           4           5    5
   ├─ self  b  ↩ AccumulateGrad                ()           3      5 of 9    3
   └─ other 1  const                                        1           -
leaf grads   a = 4    b = 9 = 5 (via #4.self) + 4 (via #1.other)
"""

CHAIN = """\
import torch
x = torch.tensor(0.5, requires_grad=True)
y = x
for _ in range({length}):
    y = torch.sin(y)
y.backward()
"""

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def product(tmp_path: Path) -> str:
    path = tmp_path / "product.py"
    path.write_text(PRODUCT)
    return str(path)


def drawn_on_terminal(*words: str, **how: Any) -> str:
    code, text = on_terminal(*words, **how)
    assert code == 0, text
    return text


def fits(text: str, columns: int) -> bool:
    return all(cells(ESCAPES.sub("", line)) <= columns for line in text.splitlines())


# -- what is drawn -----------------------------------------------------------------------------------


def test_a_drawing_in_a_pipe(product: str) -> None:
    done = gradcli("trace", product, env={"COLUMNS": "80"})
    assert (done.returncode, done.stdout, done.stderr) == (0, DRAWN, "")


def test_a_pipe_without_a_width_is_100_columns_wide(product: str) -> None:
    wide = gradcli("trace", product, env={"COLUMNS": "100"}).stdout
    assert gradcli("trace", product).stdout == wide == gradcli("trace", product, env={"COLUMNS": "x"}).stdout


def test_an_expression() -> None:
    done = gradcli("trace", "(a + b) * (b + 1)", "a=2", "b=3", env={"COLUMNS": "80"})
    assert done.stdout.splitlines()[0].startswith("(a + b) * (b + 1)   ")
    assert done.stdout.splitlines()[-1] == DRAWN.splitlines()[-1]


def test_standard_input() -> None:
    done = gradcli("trace", "-", input=PRODUCT, env={"COLUMNS": "80"})
    assert done.stdout == DRAWN


@pytest.mark.parametrize("spec", GALLERY, ids=[spec.stem for spec in GALLERY])
@sampled(10)
def test_a_drawing_of_the_gallery_is_as_it_was_written(spec: Path) -> None:
    written = place_of(spec).read_text(encoding="utf-8")
    assert with_digits_of(text_of(spec), written) == written


@pytest.mark.parametrize("spec", GALLERY, ids=[spec.stem for spec in GALLERY])
@sampled(10)
def test_a_drawing_of_the_gallery_fits(spec: Path) -> None:
    width = 0
    for line in place_of(spec).read_text(encoding="utf-8").splitlines():
        if line.startswith("$ "):
            width = int(re.findall(r"# (\d+) columns", line)[0])
        else:
            assert cells(line) <= width
            assert line == line.rstrip()


def test_no_drawing_is_left_over() -> None:
    assert {path.name for path in TRACES.iterdir()} == {place_of(spec).name for spec in GALLERY}


# -- where it is drawn -------------------------------------------------------------------------------


@sampled(4, each="columns")
@pytest.mark.parametrize("columns", [120, 80, 40])
@pytest.mark.parametrize("name", ["small_net", "unrolled_rnn", "attention"])
def test_on_a_terminal_there_is_colour_and_nothing_wraps(name: str, columns: int) -> None:
    drawn = drawn_on_terminal("trace", f"{ROOT}/expressions/{name}.py", columns=columns)
    assert "\x1b[" in drawn
    assert fits(drawn, columns)
    in_pipe = gradcli("trace", f"{ROOT}/expressions/{name}.py", env={"COLUMNS": str(columns)}).stdout
    assert ESCAPES.sub("", drawn) == in_pipe


@pytest.mark.parametrize(
    ("env", "words", "coloured"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "0"}, [], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
    ],
)
def test_colour_in_a_pipe(product: str, env: dict[str, str], words: list[str], coloured: bool) -> None:
    text = gradcli("trace", product, *words, env={"COLUMNS": "80", **env}).stdout
    assert ("\x1b[" in text) == coloured
    assert ESCAPES.sub("", text) == DRAWN


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"CLICOLOR": "0"}])
def test_no_colour_on_a_terminal(product: str, env: dict[str, str]) -> None:
    drawn = drawn_on_terminal("trace", product, env=env)
    assert "\x1b" not in drawn
    assert drawn.isascii() == ("TERM" in env)
    assert fits(drawn, 80)


@pytest.mark.parametrize(
    "env", [{"LANG": "C", "LC_ALL": ""}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"PYTHONIOENCODING": "latin-1"}]
)
def test_where_there_is_only_ascii(product: str, env: dict[str, str]) -> None:
    done = gradcli("trace", product, env={"COLUMNS": "80", **env})
    assert done.stderr == ""
    assert done.stdout.splitlines()[2:5] == [
        "y  #0 MulBackward0                             ()          20           1    5",
        "|- self  #1 AddBackward0                       ()           5           4    5",
        "|  |- self  a  AccumulateGrad                  ()           2           4    2",
    ]
    assert done.stdout.isascii()


def test_a_terminal_shows_what_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "chain.py"
    path.write_text(CHAIN.format(length=1000))
    drawn = drawn_on_terminal("trace", str(path), env={"NO_COLOR": "1"})
    assert len(drawn.splitlines()) < 210
    assert "… 801 of 1 001 nodes not shown" in drawn
    assert len(drawn_on_terminal("trace", str(path), "--max-nodes", "2000").splitlines()) > 1000
    assert len(gradcli("trace", str(path)).stdout.splitlines()) > 1000


# -- which graph, and which part of it ---------------------------------------------------------------


def test_another_output_and_a_derivative(product: str) -> None:
    assert gradcli("trace", product, "--output", "y").stdout == gradcli("trace", product).stdout
    first = gradcli("trace", product, "--order", "1", "--wrt", "b").stdout
    assert first.startswith("g1 = d((a + b) * (b + 1))/db")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--depth", "1"], "├─ self  #1 AddBackward0 [+2 nodes]"),
        (["--max-nodes", "2"], "└─ self  #1 AddBackward0 [+2 nodes]"),
        (["--focus", "a"], "└─ self  #1 AddBackward0"),
        (["--invert", "a"], "└─ self  #1 AddBackward0"),
        (["--focus", "#4"], "└─ other #1 AddBackward0 [+2 nodes]"),
        (["--layout", "spine"], "#2 AddBackward0(b, 1)"),
        (["--layout", "list"], "#1 AddBackward0(b, 1)"),
        (["--saved"], "│  ◆ saved "),
        (["--grads", "none"], "└─ other #4 AddBackward0"),
    ],
)
def test_a_part(product: str, words: list[str], line: str) -> None:
    done = gradcli("trace", product, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert any(row.strip().startswith(line.strip()) for row in done.stdout.splitlines()), done.stdout


def test_turns_of_a_loop_are_one_box(tmp_path: Path) -> None:
    path = tmp_path / "chain.py"
    path.write_text(CHAIN.format(length=50))
    shown = gradcli("trace", str(path), "--level", "1").stdout
    assert "× 50 (for _@1 … for _@50)" in shown
    assert "50 ops · gradient in" in shown
    assert gradcli("trace", str(path), "--collapse", "for _").stdout.count("× 50") == 1
    assert gradcli("trace", str(path), "--level", "1", "--expand", "for _").stdout.count("SinBackward0") == 50
    assert gradcli("trace", str(path), "--level", "all").stdout == gradcli("trace", str(path)).stdout
    assert gradcli("trace", str(path), "--level", "0").returncode == 2
    refused = gradcli("trace", str(path), "--expand", "bloks")
    assert (refused.returncode, "is named 'bloks'" in refused.stderr) == (2, True)


def test_why(product: str) -> None:
    assert gradcli("trace", product, "--why", "b").stdout.startswith("why b: gradient 9\n2 paths from y\n\n5 = 5 × 1\n")


def test_as_many_paths_as_nobody_can_count_are_drawn_at_once(tmp_path: Path) -> None:
    path = tmp_path / "doubling.py"
    path.write_text(CHAIN.format(length=64).replace("torch.sin(y)", "y + y"))
    drawn, explained = gradcli("trace", str(path)), gradcli("trace", str(path), "--why", "x")
    assert "1.845e+19" in drawn.stdout
    assert "18 446 744 073 709 551 616 paths" in explained.stdout
    assert drawn.seconds + explained.seconds < 10


# -- other formats -----------------------------------------------------------------------------------


def test_what_machines_read_has_nothing_of_the_programs_own(product: str) -> None:
    done = gradcli("trace", product, "--format", "json", env={"FORCE_COLOR": "1"})
    found = json.loads(done.stdout)
    assert (found["schema"], found["spec"], found["root"]) == ("gradcli.trace/1", product, "y")
    assert [leaf["grad"] for leaf in found["leaves"]] == [{"max": n, "min": n, "norm": n} for n in (4.0, 9.0)]
    assert done.stderr == ""


def test_numbers_in_full(product: str) -> None:
    found = json.loads(gradcli("trace", product, "--format=json", "--values=full", "--grads=none").stdout)
    assert {node["grad"] for node in found["nodes"]} == {None}


def test_edges(product: str) -> None:
    assert gradcli("trace", product, "--format", "edges").stdout == (
        "y.1\tself\ta\ny.1\tother\tb\ny.2\tself\tb\ny.2\tother\ty.2.other\ny\tself\ty.1\ny\tother\ty.2\n"
    )


def test_mermaid(product: str, tmp_path: Path) -> None:
    done = gradcli("trace", product, "--format", "mermaid")
    assert done.stdout.startswith('flowchart TD\n  n0["a<br>AccumulateGrad"]\n')
    path = tmp_path / "chain.py"
    path.write_text(CHAIN.format(length=501))
    assert gradcli("trace", str(path), "--format", "mermaid").returncode == 0
    done = gradcli("trace", str(path), "--format", "mermaid", "--level", "all")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "error[E506]: the graph has 501 edges; Mermaid draws 500\n"
        "  = help: --level N, --depth N or --focus NAME make it smaller; --format json and export-dot take any size\n"
    )


def test_the_same_bytes_each_time() -> None:
    spec = f"{ROOT}/expressions/small_net.py"
    texts = {gradcli("trace", spec, "--format", "json", env={"PYTHONHASHSEED": seed}).stdout for seed in "0123"}
    assert len(texts) == 1


# -- files -------------------------------------------------------------------------------------------


def test_a_file_is_written_whole(product: str, tmp_path: Path) -> None:
    target = tmp_path / "trace.txt"
    target.write_text("old")
    target.chmod(0o640)
    done = gradcli("trace", product, "-o", str(target), env={"COLUMNS": "80", "FORCE_COLOR": "1", "LC_ALL": "C"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert target.read_text(encoding="utf-8") == DRAWN
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["product.py", "trace.txt"]


def test_a_link_stays_one(product: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    assert gradcli("trace", product, "-o", str(tmp_path / "link")).returncode == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8")


def test_a_device_is_written_to(product: str) -> None:
    assert gradcli("trace", product, "-o", "/dev/null").returncode == 0


@pytest.mark.parametrize(
    ("target", "reason", "help"),
    [
        ("", "it is a directory", "name a file in it"),
        ("product.py", "the result would overwrite what it is made from", "give it another name"),
        ("again.py", "the result would overwrite what it is made from", "give it another name"),
        ("data.csv", "the result would overwrite what it is made from", "give it another name"),
        ("none/a.txt", "its directory does not exist", "create it first: mkdir -p {}/none"),
        ("/dev/full", "no space left on device", "check that there is room, and that it may be written to"),
    ],
)
def test_what_cannot_be_written(product: str, tmp_path: Path, target: str, reason: str, help: str) -> None:
    (tmp_path / "again.py").symlink_to("product.py")
    (tmp_path / "data.csv").write_text("1,2\n")
    path = target if target.startswith("/") else str(tmp_path / target) if target else str(tmp_path)
    done = gradcli("trace", product, f"unused=@{tmp_path}/data.csv", "-o", path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f"error[E506]: '{path}' could not be written: {reason}\n  = help: {help.format(tmp_path)}\n"
    )
    assert (tmp_path / "product.py").read_text() == PRODUCT
    assert not list(tmp_path.glob(".gradcli*"))


def test_a_file_is_as_it_was_when_the_program_fails(tmp_path: Path) -> None:
    target = tmp_path / "trace.txt"
    target.write_text("old")
    assert gradcli("trace", "x * z", "x=2", "-o", str(target)).returncode == 2
    assert target.read_text() == "old"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_may_not_be_written_to(product: str, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    done = gradcli("trace", product, "-o", str(tmp_path / "locked" / "a.txt"))
    assert (done.returncode, "permission denied" in done.stderr) == (3, True)


# -- streams -----------------------------------------------------------------------------------------


def test_a_reader_who_leaves_is_no_failure(tmp_path: Path) -> None:
    path = tmp_path / "chain.py"
    path.write_text(CHAIN.format(length=2000))
    command = " ".join([*COMMAND, "trace", str(path)])
    done = subprocess.run(
        ["bash", "-c", f"{command} | head -1; echo ${{PIPESTATUS[0]}}"],
        capture_output=True, text=True, env=environment(), timeout=600, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines()[1:] == ["141"]
    assert done.stderr == ""


def test_a_full_disk_is_no_verdict(product: str) -> None:
    command = " ".join([*COMMAND, "trace", product])
    done = subprocess.run(
        ["bash", "-c", f"{command} > /dev/full"], capture_output=True, text=True, env=environment(), check=False
    )
    assert done.returncode == 3
    assert done.stderr.startswith("error[E506]: the output could not be written: no space left on device")


def test_an_interruption_is_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text("import torch\nx = torch.ones(2, requires_grad=True)\nwhile True:\n    y = x * 2\n")
    target = tmp_path / "trace.txt"
    process = subprocess.Popen(
        [*COMMAND, "trace", str(path), "-o", str(target)], stderr=subprocess.PIPE, text=True, env=environment()
    )
    wait_until_it_works(process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 130
    # On a busy machine it may not come to say where it was.
    assert re.fullmatch(rf"({re.escape(str(path))}:\d:\d+: interrupted\n)?", said)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["long.py"]


# -- the flow of the gradient ------------------------------------------------------------------------


@sampled(3)
@pytest.mark.parametrize("columns", [120, 80, 40])
def test_a_flow_on_a_terminal_and_in_a_pipe(columns: int) -> None:
    path = f"{ROOT}/expressions/small_net.py"
    drawn = drawn_on_terminal("trace", path, "--flow", columns=columns)
    assert "\x1b[" in drawn
    assert fits(drawn, columns)
    in_pipe = gradcli("trace", path, "--flow", env={"COLUMNS": str(columns)}).stdout
    assert ESCAPES.sub("", drawn) == in_pipe
    plain = drawn_on_terminal("trace", path, "--flow", columns=columns, env={"NO_COLOR": "1"})
    assert plain == in_pipe
    assert gradcli("trace", path, "--flow", env={"COLUMNS": str(columns), "LC_ALL": "C"}).stdout.isascii()


def test_a_flow_for_machines(tmp_path: Path) -> None:
    words = ("for t in range(4): x = sin(x) * w", "x=1", "w=2", "--flow", "--format", "json")
    found = json.loads(gradcli("trace", *words).stdout)
    assert [(row["id"], row["depth"]) for row in found["flow"][:3]] == [
        ("program", 0), ("for t@1..for t@4", 1), ("for t@1", 2),
    ]  # fmt: skip
    assert len(json.loads(gradcli("trace", *words, "--level", "1").stdout)["flow"]) == 2
    path = tmp_path / "none.py"
    path.write_text("import torch\nprint(torch.ones(2))\n")
    done = gradcli("trace", str(path), "--flow", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["flow"]) == (0, [])


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--focus", "c"], "error[E507]: there is no 'c' in the graph of y\n  = help: it has a, b, y\n"),
        (["--why", "y.11"], "error[E507]: there is no 'y.11' in the graph of y\n  = help: did you mean y.1?\n"),
        (["--format", "json", "--why", "a"], "--why says nothing to --format json"),
        (["--format", "edges", "--layout", "list"], "--layout says nothing to --format edges"),
        (["--format", "svg"], "--format takes tree, json, edges or mermaid, not 'svg'"),
        (["--wrt", "a"], "--wrt is for --order"),
        (["--depth", "-1"], "--depth takes a whole number from 0 to 1,000,000,000, not '-1'"),
        (["--max-nodes", "0"], "--max-nodes takes a whole number from 1 to 1,000,000,000, not '0'"),
        (["--order", "2"], "--wrt"),
        (["--output", "z"], "'z'"),
        (["--flow", "--max-nodes", "3"], "--max-nodes says nothing to --flow"),
        (["--flow", "--format", "mermaid"], "--flow says nothing to --format mermaid"),
        (["--flow", "--level", "auto"], "--level N is so many calls deep"),
    ],
)
def test_what_is_refused(product: str, words: list[str], said: str) -> None:
    done = gradcli("trace", product, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_failed_assert_is_a_verdict() -> None:
    assert gradcli("trace", "-", input="import torch\nassert 1 == 2\n").returncode == 1


def test_a_limit_holds_for_the_drawing_too(tmp_path: Path) -> None:
    path = tmp_path / "chain.py"
    path.write_text(CHAIN.format(length=150_000))
    done = gradcli("trace", str(path), "--timeout", "1", "--format", "json")
    assert done.seconds < 10
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[E401]: the program was stopped: it may run for 1 s\n" in done.stderr


def test_what_a_strangers_program_contains_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text(
        "import torch\nimport torch.nn as nn\nnet = nn.Linear(1, 1)\n"
        "net.register_parameter('\\x1b[2J\\u202e::error::', nn.Parameter(torch.ones(1)))\n"
        "y = (net(torch.ones(1)) * list(net.parameters())[2]).sum()\ny.backward()\n",
        encoding="utf-8",
    )
    for words in ([], ["--format", "json"], ["--format", "edges"], ["--format", "mermaid"], ["--saved"]):
        done = gradcli("trace", str(path), *words)
        if done.returncode:
            assert "Traceback" not in done.stderr
            continue
        text = done.stdout.replace("\n", "").replace("\t", "")
        assert text.isprintable()
        assert not re.search(r"(?m)^\s*::", done.stdout)


# -- what it costs -----------------------------------------------------------------------------------


def test_a_trace_in_a_pipe_loads_what_it_needs() -> None:
    code = (
        "import sys\nfrom gradcli.cli.commands import run\n"
        "run(['trace', 'x*y', 'x=2', 'y=3'])\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True, cwd=ROOT
    )
    loaded = set(done.stderr.split())
    assert not loaded & {"rich", "pydot", "json", "difflib", "dataclasses", "gradcli.nn.modules.linear"}
    assert not {name for name in loaded if name.startswith("gradcli.graph.")} & {
        "gradcli.graph.ask.select", "gradcli.graph.ask.levels", "gradcli.graph.ask.why", "gradcli.graph.json",
        "gradcli.graph.dot.document",
    }  # fmt: skip


# -- where there is nothing to draw ------------------------------------------------------------------

NOTHING = """\
there is no graph to show: no tensor of the program was computed from one that requires a gradient
  = help: ask for a gradient with requires_grad=True where a tensor is made, outside no_grad() and detach()
"""


def test_a_program_without_a_graph_is_no_error() -> None:
    done = gradcli("trace", "1 + 1")
    assert (done.returncode, done.stdout, done.stderr) == (0, NOTHING, "")


@pytest.mark.parametrize("form", ["json", "edges", "mermaid"])
def test_machines_get_an_empty_graph(form: str) -> None:
    done = gradcli("trace", "1 + 1", "--format", form)
    assert (done.returncode, done.stderr) == (0, f"note: {NOTHING}")
    if form == "json":
        found = json.loads(done.stdout)
        assert (found["nodes"], found["leaves"], found["root"], found["spec"]) == ([], [], None, "<expression>")
    else:
        assert done.stdout == {"edges": "", "mermaid": "flowchart TD\n"}[form]


@pytest.mark.parametrize("words", [["--why", "x"], ["--focus", "x"], ["--output", "x"], ["--order", "2"]])
def test_nothing_of_what_is_asked_for_is_an_error(words: list[str]) -> None:
    done = gradcli("trace", "x = 1", *words)
    assert (done.returncode, done.stdout) == (2, "")
