"""``gradcli export-dot``: what it writes, where, and what becomes of the files when something goes wrong."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..graph.graphviz import needs_dot, read, run
from .invoke import COMMAND, ROOT, Done, environment, gradcli

PRODUCT = ["(a + b) * (b + 1)", "a=2", "b=3"]
NET = str(ROOT / "expressions" / "small_net.py")
SPEC = """\
import torch
x = torch.tensor(2.0, requires_grad=True)
print("not in the picture")
y = x * 3
y.backward()
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.py"
    path.write_text(SPEC)
    return path


def export(*words: str, **how: Any) -> Done:
    return gradcli("export-dot", *words, **how)


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# -- what it writes ----------------------------------------------------------------------------


def test_dot_goes_to_standard_output() -> None:
    done = export(*PRODUCT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith('digraph "gradcli" {\n')
    assert '"b" [label="b\\lAccumulateGrad\\lvalue 3\\lgrad 9\\l"' in done.stdout
    assert done.stdout.endswith("}\n")
    assert export(*PRODUCT, "-o", "-").stdout == done.stdout


def test_a_program_without_a_graph_has_an_empty_one() -> None:
    done = export("1 + 1")
    assert (done.returncode, done.stdout) == (0, 'digraph "gradcli" {\n}\n')
    assert done.stderr.startswith("note: there is no graph to show: ")
    assert export("1 + 1", "--order", "2").returncode == 2


def test_prints_of_the_program_are_not_in_it(spec: Path) -> None:
    done = export(str(spec))
    assert "not in the picture" not in done.stdout
    assert done.stderr == ""


def test_the_same_bytes_whatever_the_locale() -> None:
    runs = [
        subprocess.run([*COMMAND, "export-dot", NET], capture_output=True, env=environment(**env), check=True).stdout
        for env in ({"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "7"})
    ]
    assert runs[0] == runs[1]
    assert "‖" in runs[0].decode()


@pytest.mark.parametrize("ending", ["dot", "gv", "DOT"])
def test_a_dot_file_holds_the_same(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"y.{ending}"
    done = export(*PRODUCT, "-o", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert path.read_text() == export(*PRODUCT).stdout
    assert files(tmp_path) == {path.name}


@needs_dot
@pytest.mark.parametrize(
    ("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("SVG", b"<?xml")]
)
def test_a_picture(tmp_path: Path, ending: str, start: bytes) -> None:
    path = tmp_path / f"y.{ending}"
    done = export(*PRODUCT, "-o", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert path.read_bytes().startswith(start)
    assert files(tmp_path) == {path.name}


@needs_dot
def test_an_svg_links_to_the_spec_from_where_it_is(tmp_path: Path) -> None:
    spec = tmp_path / "a b.py"
    spec.write_text(SPEC)
    (tmp_path / "out").mkdir()
    assert export(str(spec), "-o", "out/y.svg", cwd=tmp_path).returncode == 0
    assert 'href="../a%20b.py#L4"' in (tmp_path / "out/y.svg").read_text()
    assert export("-f", "a b.py", "-o", "y.svg", cwd=tmp_path).returncode == 0
    assert 'href="a%20b.py#L4"' in (tmp_path / "y.svg").read_text()
    assert export("x * 2", "x=1", "-o", str(tmp_path / "y.svg")).returncode == 0
    assert "href" not in (tmp_path / "y.svg").read_text().replace('xlink:href="#', "")


@needs_dot
def test_a_link_does_nothing_but_lead_there(tmp_path: Path) -> None:
    spec = tmp_path / "javascript:alert(1).py"
    spec.write_text(SPEC)
    assert export("-f", spec.name, "-o", "y.svg", cwd=tmp_path).returncode == 0
    assert "javascript%3Aalert%281%29.py#L4" in (tmp_path / "y.svg").read_text()
    assert "javascript:" not in (tmp_path / "y.svg").read_text()


@needs_dot
@pytest.mark.parametrize(
    ("theme", "dark", "light"), [("auto", True, True), ("light", False, True), ("dark", True, False)]
)
def test_themes(tmp_path: Path, theme: str, dark: bool, light: bool) -> None:
    path = tmp_path / "y.svg"
    assert export(*PRODUCT, "-o", str(path), "--theme", theme).returncode == 0
    text = path.read_text()
    assert ("#14111a" in text, "#ededed" in text) == (dark, light)
    assert ("prefers-color-scheme" in text) == (theme == "auto")


@pytest.mark.parametrize(
    ("words", "there", "not_there"),
    [
        (["--saved"], "shape=note", "alpha"),
        (["--show-saved"], "shape=note", "alpha"),
        (["--show-attrs"], "alpha = 1", "shape=note"),
        (["--show-attrs", "--max-attr-chars", "1"], "reduction = 1", "shape=note"),
        ([], 'subgraph "cluster fc1"', "shape=note"),
        (["--cluster", "none"], "digraph", "subgraph"),
        (["--cluster", "line"], 'subgraph "cluster line 19"', "fc1 {"),
        (["--direction", "forward"], "ordering=in", "ordering=out"),
        (["--weight", "grad"], "penwidth=4.00", "shape=note"),
        (["--theme", "mono"], 'fillcolor="#ffffff"', "#ededed"),
        (["--no-legend"], "digraph", "TABLE"),
        (["--depth", "1"], "nodes]", '"fc1.weight"'),
        (["--max-nodes", "3"], "nodes]", '"fc1.weight"'),
        (["--focus", "fc1.weight"], '"fc1.weight"', '"fc1.bias"'),
        (["--focus", "#1"], '"out" [label="out', '"fc1.weight"'),
        (["--invert", "fc1.weight"], '"fc1.weight"', '"fc1.bias"'),
        (["--output", "out"], '"out" [label="out', '"loss"'),
    ],
)
def test_options(words: list[str], there: str, not_there: str) -> None:
    done = export(NET, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert there in done.stdout
    assert not_there not in done.stdout


def test_derivatives() -> None:
    done = export("sigmoid(x)**2", "x=0.5", "--order", "2", "--wrt", "x")
    assert 'subgraph "cluster 2nd derivative"' in done.stdout
    assert 'label="d2 ' in done.stdout


def test_turns_can_be_one_box_and_leaves_shared() -> None:
    rnn = str(ROOT / "expressions" / "unrolled_rnn.py")
    assert "× 6 (for" in export(rnn, "--level", "1").stdout
    assert "↩" in export(rnn).stdout
    assert "↩" not in export(rnn, "--share-leaves").stdout


# -- what it refuses ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["-o", "y.jpg"], 2, "the ending of 'y.jpg' does not tell what to write"),
        (["-o", "y"], 2, "the ending of 'y' does not tell what to write"),
        (["-o", ""], 2, "the ending of '' does not tell what to write"),
        (["-o", ".svg"], 2, "the ending of '.svg' does not tell what to write"),
        (["--wrt", "x"], 2, "--wrt is for --order"),
        (["--theme", "pink"], 2, "--theme takes light, dark, mono or auto, not 'pink'"),
        (["--focus", "z"], 2, "there is no 'z' in the graph of "),
        (["-o", "there/y.svg"], 3, "'there/y.svg' could not be written: its directory does not exist"),
        (["-o", "folder.svg"], 3, "'folder.svg' could not be written: it is a directory"),
        (["-o", "folder.dot"], 3, "'folder.dot' could not be written: it is a directory"),
    ],
)
def test_refusals(tmp_path: Path, words: list[str], code: int, message: str) -> None:
    for name in ("folder.svg", "folder.dot"):
        (tmp_path / name).mkdir()
    done = export(*PRODUCT, *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert f"error[{done.stderr.partition('error[')[2][:4]}]: {message}" in done.stderr
    assert files(tmp_path) == {"folder.svg", "folder.dot"}


def test_the_spec_is_never_overwritten(tmp_path: Path) -> None:
    spec = tmp_path / "spec.dot"
    spec.write_text(SPEC)
    (tmp_path / "link.svg").symlink_to(spec)
    for name in ("spec.dot", "link.svg"):
        done = export("-f", "spec.dot", "-o", name, cwd=tmp_path)
        assert done.returncode == 3
        assert f"'{name}' could not be written: the result would overwrite what it is made from" in done.stderr
    assert spec.read_text() == SPEC
    assert files(tmp_path) == {"spec.dot", "link.svg"}


def test_a_program_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "y.dot"
    path.write_text("old")
    assert export("x / undefined", "x=1", "-o", str(path)).returncode == 2
    assert path.read_text() == "old"


# -- when a picture cannot be drawn or written -------------------------------------------------


@pytest.fixture
def fake(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """The environment with another program in the place of Graphviz's."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def put(script: str) -> dict[str, str]:
        path = folder / "dot"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return {"PATH": f"{folder}:/usr/bin:/bin"}

    return put


def left(folder: Path) -> dict[str, str]:
    """The files of a folder."""
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def test_without_graphviz_the_dot_is_kept(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "y.svg").write_text("old")
    done = export(*PRODUCT, "-o", "y.svg", cwd=tmp_path, env={"PATH": str(tmp_path / "empty")})
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "error[E506]: pictures are drawn by Graphviz, and its program `dot` was not found\n"
        "  = note: the DOT that it was to be drawn from is in 'y.dot'\n"
        "  = help: install the package graphviz, with apt, dnf, brew, conda or choco\n"
    )
    kept = left(tmp_path)
    assert set(kept) == {"y.svg", "y.dot"}
    assert kept["y.svg"] == "old"
    assert kept["y.dot"].startswith("digraph")


@pytest.mark.parametrize(
    ("script", "words", "message"),
    [
        ("exec sleep 60", ["--timeout", "3"], "Graphviz did not finish within 3 s"),
        # Behind the wall it could not.
        ("kill -9 $$", ["--no-wall"], "Graphviz was ended by signal 9"),
        ("echo no layout >&2; exit 1", [], "Graphviz failed: no layout"),
        ('echo "graph 1 500 500"', [], "the picture is too large for a PNG: 18,000 × 18,000 pixels"),
    ],
)
def test_the_dot_is_kept(
    tmp_path: Path, fake: Callable[[str], dict[str, str]], script: str, words: list[str], message: str
) -> None:
    (tmp_path / "y.png").write_text("old")
    done = export(*PRODUCT, "-o", "y.png", *words, cwd=tmp_path, env=fake(script))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"error[E506]: {message}\n")
    assert "the DOT that it was to be drawn from is in 'y.dot'" in done.stderr
    assert left(tmp_path) == {"y.png": "old", "y.dot": export(*PRODUCT).stdout}


def test_keeping_the_dot_overwrites_nothing(tmp_path: Path, fake: Callable[[str], dict[str, str]]) -> None:
    (tmp_path / "y.dot").write_text("mine")
    env = fake("exit 1")
    for _ in range(2):
        done = export(*PRODUCT, "-o", "y.svg", cwd=tmp_path, env=env)
        assert "is in 'y.2.dot'" in done.stderr
    assert set(left(tmp_path)) == {"y.dot", "y.2.dot"}
    assert left(tmp_path)["y.dot"] == "mine"


def test_an_interrupted_run_leaves_the_file_as_it_was(tmp_path: Path, fake: Callable[[str], dict[str, str]]) -> None:
    (tmp_path / "y.svg").write_text("old")
    env = environment(**fake(f"echo $$ > {tmp_path}/pid; exec sleep 600"))
    running = subprocess.Popen([*COMMAND, "export-dot", *PRODUCT, "-o", "y.svg", "--no-wall"], cwd=tmp_path, env=env)
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text().strip()):
        assert running.poll() is None
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=600) == 130
    # Nobody waits for it: it goes when the system comes to it.
    until = time.monotonic() + 120
    while not _ended(int(pid.read_text())) and time.monotonic() < until:
        time.sleep(0.02)
    assert _ended(int(pid.read_text()))
    pid.unlink()
    assert left(tmp_path) == {"y.svg": "old"}


def _ended(process: int) -> bool:
    """Whether a process is no more, or nothing is left of it but its number."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (ProcessLookupError, FileNotFoundError):
        return True


def _small_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@pytest.mark.parametrize("name", ["y.dot", pytest.param("y.svg", marks=needs_dot)])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("old")
    words = [*COMMAND, "export-dot", *PRODUCT, "-o", name]
    done = subprocess.run(
        words,
        cwd=tmp_path,
        # Python before 3.13 would keep half of what it compiles.
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
        preexec_fn=_small_files,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"error[E506]: '{name}' could not be written: file too large\n")
    assert left(tmp_path) == {name: "old"}


def test_a_device_that_is_full(tmp_path: Path) -> None:
    (tmp_path / "y.dot").symlink_to("/dev/full")
    done = export(*PRODUCT, "-o", "y.dot", cwd=tmp_path)
    assert done.returncode == 3
    assert "'y.dot' could not be written: no space left on device" in done.stderr


def test_a_closed_pipe_is_no_failure() -> None:
    done = subprocess.run(
        " ".join([*COMMAND, "export-dot", NET, "| head -1"]),
        shell=True,
        capture_output=True,
        env=environment(),
        check=True,
    )
    assert (done.stdout, done.stderr) == (b'digraph "gradcli" {\n', b"")


# -- large graphs ------------------------------------------------------------------------------


@needs_dot
def test_a_loop_over_shared_weights_is_drawn_quickly(tmp_path: Path) -> None:
    spec = tmp_path / "rnn.py"
    spec.write_text(
        "import torch\n"
        "w, u, b = (torch.ones(3, 3, requires_grad=True) for _ in range(3))\n"
        "h = torch.zeros(3, 3)\n"
        "for step in range(100):\n"
        "    h = torch.tanh(w @ torch.ones(3, 3) + u @ h + b)\n"
        "h.sum().backward()\n"
    )
    done = export(str(spec), "-o", str(tmp_path / "rnn.svg"))
    assert (done.returncode, done.stderr) == (0, "")
    # Half a second of the processor; drawn shared, more than a minute.
    assert done.seconds < 20


@needs_dot
def test_what_is_written_can_be_read() -> None:
    found = read(export(NET, "--saved", "--show-attrs").stdout)
    assert {"loss", "fc1.weight", "loss.target"} <= set(found.nodes)
    assert run(export(NET).stdout, "-Tsvg")
