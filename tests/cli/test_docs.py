"""``gradcli docs``: the chapters of the manual as they lie in the package."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

import gradcli.docs
from gradcli.cli.docs import _fitted
from gradcli.docs import ORDER, text_of, titles
from gradcli.text.markdown import to_html
from tests.browser import browser, needs_browser

from .invoke import gradcli as run

CHAPTERS = Path(gradcli.docs.__file__).parent


def test_every_chapter_is_in_the_order() -> None:
    assert sorted(ORDER) == sorted(path.stem.replace("_", "-") for path in CHAPTERS.glob("*.md"))


@pytest.mark.parametrize("name", ["check", "how-check-decides", "how_check_decides"])
def test_a_chapter_is_shown(name: str) -> None:
    done = run("docs", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, text_of(name), "")


CHAPTER = """# A title that is longer than the lines of a terminal are

Some `words`
of a paragraph, one after the other.
* An item of several words
  that go on.
* Another.

1. First.

```sh
a program  # which stays as it is, however long
```

| option | takes | meaning |
|---|---|---|
| `a\\|b` |  | one of several words |
""".splitlines()
FITTED = """# A title that is longer than the lines of a terminal are

Some `words` of a
paragraph, one after
the other.
* An item of several
  words that go on.
* Another.

1. First.

```sh
a program  # which stays as it is, however long
```

`a|b`
    meaning: one of
    several words
""".splitlines()


def test_a_chapter_fits_a_terminal() -> None:
    assert list(_fitted(CHAPTER, 20)) == FITTED


@pytest.mark.parametrize("name", ORDER)
def test_no_word_of_a_chapter_is_lost(name: str) -> None:
    text = text_of(name).splitlines()
    assert "\n".join(_fitted(text, 1_000)).split() == "\n".join(text).split()


def test_chapters_are_listed() -> None:
    done = run("docs")
    heading, *lines = done.stdout.splitlines()
    assert (done.returncode, heading) == (0, "Chapters:")
    assert {line.split()[0]: line.split(maxsplit=1)[1] for line in lines} == titles()


def test_what_is_no_chapter() -> None:
    done = run("docs", "chekc")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[E504]: the manual has no chapter 'chekc'\n" in done.stderr
    assert "help: did you mean check?" in done.stderr


def test_the_whole_manual_is_a_page(tmp_path: Path) -> None:
    done = run("docs", "--html")
    assert (done.returncode, done.stderr) == (0, "")
    text = done.stdout
    assert text.startswith("<!DOCTYPE html>")
    assert "<script" not in text
    ids = re.findall(r' id="([^"]*)"', text)
    assert set(ORDER) <= set(ids)
    assert len(ids) == len(set(ids))
    # Each link leads to a place in the page, or to an address.
    assert not [link for link in re.findall(r'href="#([^"]*)"', text) if link not in ids]
    # All that the chapters say stands there, and no mark is left over.
    words = re.sub(r"<pre>.*?</pre>|<code>.*?</code>|<style>.*?</style>", "", text, flags=re.DOTALL)
    words = html.unescape(re.sub(r"<[^>]*>", "", words))
    assert not re.findall(r"`|\*\*|\]\(|^\||^#+ |^\* |^\d+\. ", words, re.MULTILINE)
    done = run("docs", "check", "--html")
    assert (done.returncode, "--html writes the whole manual" in done.stderr) == (2, True)


@needs_browser
def test_the_page_of_the_manual_opens(tmp_path: Path) -> None:
    page = tmp_path / "manual.html"
    page.write_text(run("docs", "--html").stdout, encoding="utf-8")
    with browser() as chromium:
        for width in (1280, 390):
            chromium.look(width=width, dark=width < 600)
            chromium.open(page, "#check")
            assert (chromium.errors, chromium.requests) == ([], [page.as_uri()])
            assert chromium.ask("document.documentElement.scrollWidth") <= width


def test_markdown_is_html() -> None:
    text = (
        "# T\n\na `b|<c>` **d**\ne [f](g.md#h) [i](j)\n\n"
        "* k\n  l\n\n  ```\n  m & n\n  ```\n* o\n\n"
        "1. p\n\n| q | r |\n|---|---|\n| s \\| | `t` |\n"
    )
    assert to_html(text, "x-", {"g.md#h": "#y"}.get) == (
        '<h1 id="x-">T</h1>\n<p>a <code>b|&lt;c&gt;</code> <strong>d</strong> e <a href="#y">f</a> i</p>\n'
        "<ul><li><p>k l</p>\n<pre><code>m &amp; n</code></pre></li><li><p>o</p></li></ul>\n"
        "<ol><li><p>p</p></li></ol>\n"
        "<div><table><tr><th>q</th><th>r</th></tr><tr><td>s |</td><td><code>t</code></td></tr></table></div>"
    )
