"""The page of a check: its pictures, and what a browser makes of it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gradcli.report.check import document
from gradcli.report.check.pictures import curve, maps
from tests.browser import Browser, browser, needs_browser
from tests.rings import long

from .findings import broken, outcome, right, wrong

CURVE = [(10.0**-k, 10.0 ** (-2 * k) + 10.0 ** (k - 16)) for k in range(14)]
SPEC = """\
import torch
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 3  # <b> & </script> \u202e
x = torch.tensor([0.5, -1.2], requires_grad=True)
y = Double.apply(x) * x.sum()
"""


def test_a_curve_has_logarithmic_axes_and_all_that_errors_are_compared_with() -> None:
    drawn = curve(wrong(curve=CURVE))
    assert drawn is not None
    root = ElementTree.fromstring(drawn)
    dots = root.findall(".//{*}circle")
    assert len(dots) == len(CURVE)
    # Equal factors of the step are equal ways.
    places = [float(dot.attrib["cx"]) for dot in dots]
    ways = [b - a for a, b in pairwise(places)]
    assert max(ways) - min(ways) < 0.3
    titles = [title.text for title in root.findall(".//{*}title")]
    assert titles[0] == "step 1e-13: error 0.001"
    texts = [text.text for text in root.findall(".//{*}text")]
    assert {"error of the claim 8", "error bar 3e-13"} <= set(texts)


@pytest.mark.parametrize("points", [None, [], [(1.0, 0.5)], [(1.0, float("nan")), (0.5, float("inf"))]])
def test_no_curve_is_made_of_nothing(points: list[tuple[float, float]] | None) -> None:
    assert curve(wrong(curve=points)) is None


def test_a_curve_of_exact_estimates_stands_at_the_bottom() -> None:
    drawn = curve(wrong(curve=[(1.0, 0.0), (0.1, 0.0)]))
    assert drawn is not None
    heights = {dot.attrib["cy"] for dot in ElementTree.fromstring(drawn).findall(".//{*}circle")}
    assert heights == {"206.0"}


def test_maps_frame_what_differs() -> None:
    finding = wrong(jacobian=([[1.0, 0.0], [3.0, float("nan")]], [[1.0, 0.0], [-3.0, float("nan")]]))
    claimed, true = (ElementTree.fromstring(picture) for _, picture in maps(finding))
    for picture, kind in ((claimed, "more"), (true, "less")):
        kinds = [rect.attrib["class"] for rect in picture.findall(".//{*}rect")]
        assert kinds == ["cell more", "cell zero", f"cell {kind}", "odd", "cell zero"]


def test_a_page_begins_with_what_fails_and_shows_no_picture_of_what_is_right() -> None:
    text = document("html", [outcome(right(curve=CURVE), name="fine.py"), broken(), outcome(wrong(curve=CURVE))])
    assert re.findall(r'<article data-standing="(\w+)">', text) == ["wrong", "undecided", "right"]
    assert text.count("<svg") == 1
    assert "<h1>gradcli check: 1 wrong, 1 right, 1 broken</h1>" in text
    assert "2x" not in re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[0]


def test_curves_alone_are_a_picture_with_what_fails_on_top() -> None:
    outcomes = [outcome(right(curve=CURVE), name="fine.py"), broken(), outcome(wrong(curve=CURVE), name="<bad>.py")]
    picture = ElementTree.fromstring(document("curve", outcomes))
    headings = [text.text for text in picture.findall("{*}text")]
    assert headings[:2] == ["<bad>.py  WRONG: out with respect to x", "fine.py  PASS: out with respect to x"]
    assert len(headings) == 3
    assert len(picture.findall(".//{*}polyline")) == 2
    assert "var(" not in document("curve", outcomes)


def test_without_a_curve_the_picture_says_so() -> None:
    picture = ElementTree.fromstring(document("curve", [outcome(right(), name="fine.py")]))
    assert [text.text for text in picture.findall("{*}text")] == ["no gradient was compared by steps"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@long("it takes a second or more")
@needs_browser
@pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 390)])
def test_a_page_is_filtered_and_searched(dark: bool, width: int, chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "double.py").write_text(SPEC, encoding="utf-8")
    (tmp_path / "good.py").write_text("import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\n")
    command = [sys.executable, "-m", "gradcli", "check", "double.py", "good.py", "--report", "html:r.html"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    page = tmp_path / "r.html"
    chromium.look(dark=dark, width=width)
    chromium.open(page)
    assert (chromium.errors, chromium.requests) == ([], [page.as_uri()])
    assert chromium.ask("document.documentElement.scrollWidth") <= width

    def seen() -> list[str]:
        query = "[...document.querySelectorAll('article:not([hidden]) h2')].map(each => each.textContent)"
        return list(chromium.ask(query))

    assert seen() == ["wrong double.py", "right good.py"]
    chromium.ask("document.querySelector('[data-only=right]').click()")
    assert seen() == ["right good.py"]
    chromium.ask("document.querySelector('[data-only=all]').click()")
    chromium.press("/", "u", "b", "l", "e")
    assert seen() == ["wrong double.py"]
    assert chromium.ask("document.getElementById('count').textContent") == "1 of 2 specs"
    # A curve and two maps; the source is read, and not obeyed.
    assert chromium.ask("document.querySelectorAll('svg').length") == 3
    shown = chromium.ask("document.querySelector('pre').textContent")
    assert r"return grad * 3  # <b> & </script> \u202e" in shown
    assert chromium.errors == []
