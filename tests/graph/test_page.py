"""The page of a graph: what it holds, and what a browser makes of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.graph.page.facts import BINS, histogram
from gradcli.text.inlined import inert
from tests.browser import Browser, browser, needs_browser
from tests.rings import long

_DATA = r'<script type="application/json" id="{}">(.*?)</script>'
NET = "expressions/small_net.py"
LOOP = """\
import torch
x = torch.tensor([0.1, 0.2], requires_grad=True)
w = torch.tensor([1.0, 0.9], requires_grad=True)
def step(h, w):
    return torch.sin(h) * w
h = x
for t in range({turns}):
    h = step(h, w)
y = h.sum()
"""
HOSTILE = """\
import torch
x = torch.tensor(1.0, requires_grad=True)
y = x * 2  # </script><script>document.title = "taken"</script><!-- "' \u202e \u2028 @@script@@
s = "</script><img src=x onerror=alert(1)>"
z = y.sin()
"""


def page_of(tmp_path: Path, *words: str) -> Path:
    path = tmp_path / "graph.html"
    done = subprocess.run(
        [sys.executable, "-m", "gradcli", "trace", *words, "-o", str(path)], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return path


def json_of(*words: str) -> str:
    command = [sys.executable, "-m", "gradcli", "trace", *words, "--format", "json"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def data_of(text: str, name: str) -> str:
    found = re.search(_DATA.format(name), text, re.DOTALL)
    assert found is not None
    return found[1]


def test_a_page_holds_the_json_and_little_else(tmp_path: Path) -> None:
    text = page_of(tmp_path, NET).read_text(encoding="utf-8")
    trace, more = data_of(text, "trace"), data_of(text, "more")
    assert trace.strip() == json_of(NET).strip()
    assert len(text) - len(trace) - len(more) < 25_000
    told = json.loads(more)
    assert told["source"] == Path(NET).read_text(encoding="utf-8")
    assert told["scopes"]["fc1"][:3] == ["module", "fc1", "Linear"]
    assert told["rules"]["ReluBackward0"]
    assert len(told["histograms"]) == len(json.loads(trace)["nodes"])
    assert text == page_of(tmp_path, NET).read_text(encoding="utf-8")


def test_only_the_script_and_the_style_of_the_page_are_allowed(tmp_path: Path) -> None:
    text = page_of(tmp_path, "x*y", "x=1", "y=2").read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; ")
    for kind in ("script", "style"):
        inside = re.search(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        assert inside is not None
        digest = base64.b64encode(hashlib.sha256(inside[1].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert not re.findall(r"https?://(?!www\.w3\.org/)", text)


def test_nothing_in_a_program_ends_the_data(tmp_path: Path) -> None:
    spec = tmp_path / "h.py"
    spec.write_text(HOSTILE, encoding="utf-8")
    text = page_of(tmp_path, str(spec)).read_text(encoding="utf-8")
    assert text.count("</script>") == 3
    assert text.isascii() or not set(text) & set("\u202e\u2028")
    assert json.loads(data_of(text, "more"))["source"] == HOSTILE
    assert json.loads(inert('"<!-- --> </script>"')) == "<!-- --> </script>"


@pytest.mark.parametrize(
    ("numbers", "counts"),
    [
        ([0.0, 1.0], {0: 1, BINS - 1: 1}),
        ([0.0, 0.5, 1.0, 1.0], {0: 1, BINS // 2: 1, BINS - 1: 2}),
        ([-1e308, 1e308, float("nan")], {0: 1, BINS - 1: 1}),
        ([5e-324, 0.0], {0: 1, BINS - 1: 1}),
    ],
)
def test_a_histogram_counts_every_finite_number(numbers: list[float], counts: dict[int, int]) -> None:
    assert json.loads(histogram(np.array(numbers))) == [counts.get(n, 0) for n in range(BINS)]


@pytest.mark.parametrize("numbers", [[1.0], [2.0, 2.0], [float("inf"), float("nan")], []])
def test_what_has_no_parts_has_no_histogram(numbers: list[float]) -> None:
    assert histogram(np.array(numbers)) == "0"


def test_why_there_is_no_gradient_is_told(tmp_path: Path) -> None:
    words = ("a = x*2; (a.detach() * relu(y)).sum()", "x=1", "y=-2")
    told = json.loads(data_of(page_of(tmp_path, *words).read_text(encoding="utf-8"), "more"))["why"]
    assert "detach() takes the numbers and leaves the graph behind (line 1)" in told.values()
    assert any("dead ReLU" in reason for reason in told.values())
    assert "the root does not depend on it" in told.values()


def test_a_tensor_of_the_library_has_a_page(tmp_path: Path) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    trace = torch.trace((x * x).sum())
    path = tmp_path / "t.html"
    assert trace.html(path) == path.read_text(encoding="utf-8") == trace.html()
    assert json.loads(data_of(trace.html(), "trace")) == json.loads(trace.json())
    frame = trace._repr_html_()
    assert frame.startswith("<iframe sandbox=")
    assert frame.count("<") == 2


def test_what_a_page_has_no_use_for_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gradcli", "trace", "x*y", "x=1", "y=2", "--layout", "spine", "-o", "t.html"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "--layout says nothing to a page" in done.stderr
    assert "= help: leave out --layout, or name a file with another ending" in done.stderr


# -- in a browser ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


def shown(page: Browser) -> list[str]:
    """The names of the rows that are there."""
    return list(page.ask("[...document.querySelectorAll('.row b')].map(b => b.textContent)"))


def picked(page: Browser) -> Any:
    return page.ask("(document.querySelector('.row.on b') || {}).textContent")


@needs_browser
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_opens_without_a_word_and_asks_for_nothing(
    dark: bool, width: int, chromium: Browser, tmp_path: Path
) -> None:
    path = page_of(tmp_path, NET)
    chromium.look(dark=dark, width=width)
    chromium.open(path)
    assert shown(chromium)[:4] == ["model", "fc1", "fc1.weight", "forward.1"]
    assert (chromium.errors, chromium.requests) == ([], [path.as_uri()])
    # Nothing is wider than the screen.
    assert chromium.ask("document.documentElement.scrollWidth") <= width


@needs_browser
def test_every_number_is_that_of_the_json(chromium: Browser, tmp_path: Path) -> None:
    chromium.look()
    path = page_of(tmp_path, NET)
    chromium.open(path)
    for node in json.loads(json_of(NET))["nodes"]:
        chromium.ask(f"location.hash = '#' + encodeURIComponent({json.dumps(node['id'])})")
        chromium.press("Shift")
        query = "document.querySelectorAll('#inspector td:last-child, #inspector code')"
        cells = chromium.ask(f"[...{query}].map(cell => cell.textContent)")
        numbers = {float(cell) for cell in cells if re.fullmatch(r"-?\d[-+.e\d]*", cell)}
        grad = [node["grad"][key] for key in ("min", "max", "norm")] if node["grad"] else []
        value = node["value"] if isinstance(node["value"], dict) else {"value": node["value"]}
        along = [edge["grad"]["norm"] for edge in node["edges"] if edge["grad"]]
        assert numbers >= {*grad, *value.values(), *along}, node["id"]


@needs_browser
def test_keys_lead_everywhere(chromium: Browser, tmp_path: Path) -> None:
    chromium.look()
    chromium.open(page_of(tmp_path, NET))
    chromium.ask("document.getElementById('rows').focus()")
    chromium.press("ArrowDown")
    assert picked(chromium) == "model"
    chromium.press("ArrowLeft")
    assert shown(chromium) == ["model", "MSELoss", "t", "loss"]
    chromium.press("ArrowRight", "ArrowRight", "ArrowDown")
    assert picked(chromium) == "fc1.weight"
    chromium.press("ArrowLeft")
    assert picked(chromium) == "fc1"
    chromium.press("End")
    assert picked(chromium) == "loss"
    assert chromium.ask("location.hash") == "#loss"
    active = chromium.ask("document.getElementById('rows').getAttribute('aria-activedescendant')")
    assert chromium.ask(f"document.getElementById({active!r}).getAttribute('aria-selected')") == "true"
    chromium.press("/", "r", "e", "l", "u", "Enter")
    assert chromium.ask("document.getElementById('found').textContent") == "1 of 2"
    assert picked(chromium) == "activation"
    chromium.press("Enter")
    assert picked(chromium) == "forward.3"
    chromium.press("Escape", "Home")
    assert picked(chromium) == "model"
    assert chromium.errors == []


@needs_browser
def test_an_address_leads_to_a_node(chromium: Browser, tmp_path: Path) -> None:
    chromium.look()
    chromium.open(page_of(tmp_path, NET), "#forward.3")
    assert picked(chromium) == "forward.3"
    chromium.open(page_of(tmp_path, NET), "#%zz")
    assert picked(chromium) is None
    assert chromium.errors == []


@needs_browser
def test_time_lights_the_rows(chromium: Browser, tmp_path: Path) -> None:
    chromium.look()
    chromium.open(page_of(tmp_path, NET))

    def at(time: int) -> list[int]:
        chromium.ask(f"(s => {{ s.value = {time}; s.oninput(); }})(document.getElementById('time'))")
        return [chromium.ask(f"document.querySelectorAll('.row.{name}').length") for name in ("later", "ahead", "now")]

    rows = len(shown(chromium))
    assert at(0) == [rows, rows, 0]
    assert at(12) == [0, rows, 1]
    # A call has its gradient with the last of its ops.
    assert at(13) == [0, rows - 2, 1]
    assert chromium.ask("document.getElementById('now').textContent") == "backward 1 of 12 loss"
    assert at(24) == [0, 0, 0]


@needs_browser
def test_a_stranger_is_read_and_not_obeyed(chromium: Browser, tmp_path: Path) -> None:
    spec = tmp_path / "h.py"
    spec.write_text(HOSTILE, encoding="utf-8")
    path = page_of(tmp_path, str(spec))
    chromium.look()
    chromium.open(path)
    assert chromium.ask("document.title").startswith("gradcli trace ")
    third = chromium.ask("document.querySelectorAll('#source > div')[2].textContent")
    assert "</script><script>document.title" in third
    assert r"\u202e \u2028 @@script@@" in third
    assert chromium.ask("document.images.length") == 0
    assert (chromium.errors, chromium.requests) == ([], [path.as_uri()])


@needs_browser
def test_rows_are_made_as_they_come_into_view(chromium: Browser, tmp_path: Path) -> None:
    spec = tmp_path / "loop.py"
    spec.write_text(LOOP.format(turns=600), encoding="utf-8")
    chromium.look()
    chromium.open(page_of(tmp_path, str(spec)), "#h@600")
    assert picked(chromium) == "h@600"
    assert len(shown(chromium)) < 80
    chromium.ask("document.querySelector('#levels button:last-child').click()")
    chromium.ask("document.getElementById('rows').scrollTop = 24 * 1200")
    chromium.press("Shift")
    assert len(shown(chromium)) < 80
    # What all turns use stands before the first of them.
    chromium.ask("document.getElementById('rows').scrollTop = 0")
    chromium.press("Shift")
    assert shown(chromium)[:4] == ["w", "for t@1", "step()", "x"]
    assert chromium.errors == []


@long("it takes a second or more")
@needs_browser
def test_derivatives_are_layers(chromium: Browser, tmp_path: Path) -> None:
    chromium.look()
    chromium.open(page_of(tmp_path, "sigmoid(x)**2", "x=0.5", "--order", "2"))
    names = shown(chromium)
    assert [name for name in names if "backward" in name or name == "forward"] == [
        "forward", "recorded by backward 1", "recorded by backward 2"
    ]
    assert chromium.errors == []
