"""Pictures by Graphviz, what is said when there are none, and what an SVG tells who cannot see it."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from gradcli.graph.dot import render
from gradcli.graph.dot.document import to_dot
from gradcli.graph.dot.render import NotDrawn, drawn
from gradcli.graph.dot.svg import accessible, caption
from gradcli.graph.dot.themes import DARK, LIGHT
from tests.quick import within
from tests.rings import long

from .graphviz import needs_dot
from .test_dot import product
from .views import chain, leaf, op, recurrent, view

SVG = "{http://www.w3.org/2000/svg}"
Fake = Callable[[str], None]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Put a program in the place of Graphviz's."""

    def put(script: str) -> None:
        path = tmp_path / "dot"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return put


def refused(form: str = "svg", seconds: float = 10) -> NotDrawn:
    with pytest.raises(NotDrawn) as caught:
        drawn("digraph {}", form, seconds)
    assert caught.value.exit_code == 3
    return caught.value


@needs_dot
@pytest.mark.parametrize(("form", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_every_format(form: str, start: bytes) -> None:
    assert drawn(to_dot(product()), form, 300).startswith(start)


# -- failures ----------------------------------------------------------------------------------


def test_graphviz_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    error = refused()
    assert error.message == "pictures are drawn by Graphviz, and its program `dot` was not found"
    assert error.help == "install the package graphviz, with apt, dnf, brew, conda or choco"


def test_graphviz_cannot_be_started(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake("")
    (tmp_path / "dot").write_bytes(b"\x7fELF nothing")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refused().message.startswith("Graphviz could not be started: ")


def test_graphviz_is_too_slow(fake: Fake) -> None:
    fake("exec sleep 60")
    with within(10):
        error = refused(seconds=0.3)
        assert error.message == "Graphviz did not finish within 0.3 s"
        assert error.help == "--level N, --focus NAME or --depth N make it smaller; --timeout SECONDS gives it longer"


def test_the_time_is_for_both_runs_of_a_png(fake: Fake) -> None:
    fake('case $1 in -Tplain) sleep 0.5; echo "graph 1 2 3" ;; *) exec sleep 60 ;; esac')
    with within(10):
        assert refused("png", seconds=1).message == "Graphviz did not finish within 1 s"


def test_graphviz_is_killed(fake: Fake) -> None:
    fake("kill -9 $$")
    error = refused()
    assert error.message == "Graphviz was ended by signal 9"
    assert error.help == "it may lack memory; --level N, --focus NAME or --depth N make it smaller"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo Error: no '\\033[31m' >&2; echo more >&2; exit 1", "Graphviz failed: Error: no \\x1b[31m"),
        ("exit 2", "Graphviz failed: exit code 2"),
        ("exit 0", "Graphviz failed: exit code 0"),
    ],
)
def test_graphviz_fails(fake: Fake, script: str, message: str) -> None:
    fake(script)
    assert refused().message == message


# -- what it may use ---------------------------------------------------------------------------


def test_memory_is_limited(fake: Fake) -> None:
    fake("ulimit -v; ulimit -d; ulimit -c; ulimit -f; ulimit -t")
    kilobytes = str(2_000_000_000 // 1024)
    found = drawn("digraph {}", "svg", 100).decode().split()
    assert found == [kilobytes, kilobytes, "0", str(256_000_000 // 512), "101"]


def test_too_much_memory(fake: Fake) -> None:
    fake("echo dot: out of memory >&2; kill -SEGV $$")
    error = refused()
    assert error.message == "Graphviz needs more than 2,000 MB for the picture"
    assert error.help == "--level N, --focus NAME or --depth N make it smaller"


def wide(n: int) -> str:
    """Edges past so many ranks that a layout needs a node of its own for each of them on each rank."""
    return "digraph {" + "".join(f"a{i} -> a{i + 1}; a{i} -> a{n};" for i in range(n)) + "}"


@needs_dot
def test_a_small_text_of_a_large_picture_ends_at_the_limit() -> None:
    with pytest.raises(NotDrawn, match=r"(needs more than 100 MB for the picture|was ended by signal)"):
        drawn(wide(2000), "svg", 300, memory=100_000_000)


@long("a picture of five thousand nodes")
@needs_dot
def test_five_thousand_nodes_are_drawn() -> None:
    assert drawn(to_dot(chain(5000)), "svg", 300).count(b'class="node"') == 5001


def test_time_of_the_processor_is_limited(fake: Fake) -> None:
    fake("kill -XCPU $$")
    assert refused(seconds=3).message == "Graphviz did not finish within 3 s"


def test_a_picture_of_too_many_bytes(fake: Fake) -> None:
    fake("exec head -c 300000000 /dev/zero")
    assert refused().message == "the picture has more than 256 MB"


def test_it_gets_nothing_of_the_environment_that_it_does_not_need(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake("exec /usr/bin/env")
    monkeypatch.setenv("SECRET", "s")
    monkeypatch.setenv("LD_PRELOAD", "")
    monkeypatch.setenv("HOME", "/nowhere")
    monkeypatch.setenv("PATH", f".:{tmp_path}::bin")
    found = dict(line.split("=", 1) for line in drawn("digraph {}", "svg", 300).decode().splitlines())
    assert (found["HOME"], found["PATH"]) == ("/nowhere", str(tmp_path))
    assert not {"SECRET", "LD_PRELOAD", "GRADCLI_TIMEOUT"} & set(found)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not list what is open")
def test_it_gets_no_open_files(fake: Fake, tmp_path: Path) -> None:
    with open(tmp_path / "open", "w") as file:
        os.set_inheritable(file.fileno(), True)
        fake("exec ls -l /proc/self/fd")
        assert str(tmp_path / "open") not in drawn("digraph {}", "svg", 300).decode()


def test_what_is_to_be_done_before(fake: Fake) -> None:
    fake("echo $GRADCLI_MARK; ulimit -n")
    import resource

    def before() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (77, 77))

    assert drawn("digraph {}", "svg", 300, before=before).split() == [b"77"]


def test_without_what_is_to_be_done_before_nothing_is_drawn(fake: Fake, tmp_path: Path) -> None:
    fake(f"touch {tmp_path}/ran; echo x")

    def before() -> None:
        raise ValueError

    with pytest.raises(NotDrawn) as caught:
        drawn("digraph {}", "svg", 300, before=before)
    assert caught.value.message == "Graphviz could not be started: its limits could not be set"
    assert not (tmp_path / "ran").exists()


# -- sizes -------------------------------------------------------------------------------------


def test_a_png_may_be_too_large(fake: Fake) -> None:
    fake('echo "graph 1 1000 30"')
    error = refused("png")
    assert error.message == "the picture is too large for a PNG: 36,000 × 1,080 pixels"
    assert error.help == "an SVG or a PDF may be of any size; --level N, --focus NAME or --depth N make it smaller"
    fake('echo "graph 1 400 400"')
    assert "14,400 × 14,400" in refused("png").message


@pytest.mark.parametrize(("size", "dots"), [("5 5", 144), ("300 1", 96), ("70 70", 96), ("69 69", 144)])
def test_a_png_is_as_sharp_as_it_can_be(size: str, dots: int) -> None:
    assert render._dots(f"graph 1 {size}\nnode".encode()) == dots


@needs_dot
def test_a_very_long_graph_is_no_png() -> None:
    with pytest.raises(NotDrawn, match="too large for a PNG"):
        drawn(to_dot(chain(1500)), "png", 300)


# -- what takes long ---------------------------------------------------------------------------


@needs_dot
def test_shared_weights_do_not_slow_it_down() -> None:
    dot = to_dot(recurrent(100))
    # Half a second of the processor; drawn shared, more than a minute.
    with within(20):
        drawn(dot, "svg", 300)


# -- for who cannot see it ---------------------------------------------------------------------


def svg(both_schemes: bool = True, title: str | None = "y = c * d") -> tuple[str, ET.Element]:
    shown = product()
    shown.title = title
    picture = drawn(to_dot(shown, tooltips=True, link="spec.py"), "svg", 300).decode()
    text = accessible(picture, *caption(shown), both_schemes)
    return text, ET.fromstring(text)


@needs_dot
def test_an_svg_has_a_title_and_a_description() -> None:
    text, root = svg()
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<svg role="img" aria-labelledby="')
    assert root.get("role") == "img"
    title, description = (each for each in root[:2])
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert (title.tag, title.text) == (f"{SVG}title", "y = c * d")
    assert (description.tag, description.text) == (
        f"{SVG}desc",
        "The graph that autograd recorded: 3 ops, 2 leaves, 1 constant, 5 edges. Gradients of the leaves: a 4, b 9.",
    )
    assert root.get("viewBox")


@needs_dot
def test_any_title_is_text() -> None:
    title = "</title><script>&amp; \x00\x1b\ufffe"
    text, root = svg(title=title)
    assert "<script" not in text
    assert root[0].text == "</title><script>&amp; \\x00\\x1b\ufffd"


@needs_dot
def test_many_leaves_are_not_all_named() -> None:
    total = leaf("w0", 1.0, 1.0)
    for n in range(1, 25):
        total = op("AddBackward0", ("self", total), ("other", leaf(f"w{n}", 1.0, 1.0)))
    shown = view(total)
    root = ET.fromstring(accessible(drawn(to_dot(shown), "svg", 300).decode(), *caption(shown), False))
    assert (root[1].text or "").endswith("w18 1, w19 1 and 5 more.")


@needs_dot
def test_each_node_tells_its_row_and_leads_to_its_line() -> None:
    _, root = svg()
    nodes = {node: node.findtext(f"{SVG}title") for node in root.iter(f"{SVG}g") if node.get("class") == "node"}
    assert "c = AddBackward0(self=a, other=b)\nshape () · float64 · value 5\ngrad 4\nline 3: " in nodes.values()
    links = [a.get("{http://www.w3.org/1999/xlink}href") for a in root.iter(f"{SVG}a")]
    assert {f"spec.py#L{line}" for line in range(1, 6)} <= set(links)
    edges = [edge.findtext(f"{SVG}title") for edge in root.iter(f"{SVG}g") if edge.get("class") == "edge"]
    assert "self of c: a\ngradient 4 of 4" in edges
    assert all(title.text != "gradcli" for title in root.iter(f"{SVG}title"))


@needs_dot
def test_both_schemes_are_in_one_svg() -> None:
    _, root = svg()
    style = root.findtext(f"{SVG}style") or ""
    assert style.startswith("@media (prefers-color-scheme:dark){")
    # Whatever is drawn has a colour that the style knows, none at all, or the text's own.
    known = {*LIGHT[:-1], *LIGHT.fills.values(), "none", "transparent"}
    for each in root.iter():
        for part in ("fill", "stroke"):
            colour = each.get(part)
            assert colour is None or colour in known
            assert colour in (None, "none", "transparent") or f'[{part}="{colour}"]' in style
    assert DARK.background in style
    assert "<style" not in svg(both_schemes=False)[0]
