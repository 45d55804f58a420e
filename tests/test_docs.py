"""What the README and the chapters of the manual show is what the commands print; what they link to is there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gradcli.cli.project.config import settings
from gradcli.spec.guard.limits import RELAXED, STRICT
from gradcli.spec.torch_names.names import importable
from tests.last_digits import with_digits_of
from tests.rings import sampled

ROOT = Path(__file__).parents[1]
CHAPTERS = ROOT / "gradcli" / "docs"
PAGES = [ROOT / "README.md", *sorted(CHAPTERS.glob("*.md"))]
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
FILES = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", TEXTS["README.md"], re.DOTALL))
# How long something took.
SECONDS = re.compile(r"\d+\.\d+ s\b")

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def shown() -> dict[str, tuple[str, str]]:
    """The words after `gradcli` and what stands below them, by page and command."""
    found = {}
    for name, page in TEXTS.items():
        for block in re.findall(r"```console\n\$ gradcli (.*?)\n```", page, re.DOTALL):
            words, _, text = block.partition("\n")
            while words.count("'") % 2:
                more, _, text = text.partition("\n")
                words += "\n" + more
            found[f"{name}: {words.splitlines()[0]}"] = words, text
    return found


@sampled(3)
@pytest.mark.parametrize(("words", "text"), shown().values(), ids=shown())
def test_a_command_prints_what_is_shown(words: str, text: str, tmp_path: Path) -> None:
    for name, body in FILES.items():
        (tmp_path / name).write_text(f"# {name}\n{body}")
    (tmp_path / "expressions").symlink_to(ROOT / "expressions")
    run = [sys.executable, "-m", "gradcli", *shlex.split(words)]
    plain = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "FORCE_COLOR", "CLICOLOR_FORCE")}
    done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path, env=plain, timeout=600)
    printed, wanted = (SECONDS.sub("N s", said) for said in ((done.stdout + done.stderr).rstrip("\n"), text))
    assert with_digits_of(printed, wanted) == wanted


@each_page
def test_what_a_page_links_to_is_there(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", TEXTS[page.name])
    gone = [link for found in links if not (page.parent / (link := "".join(found))).exists()]
    assert not gone


def test_the_readme_is_short() -> None:
    assert len(TEXTS["README.md"].splitlines()) <= 200


def test_every_module_that_a_spec_can_import_is_listed() -> None:
    (listed,) = re.findall(r"A spec can import (.*?)\.\s", TEXTS["language.md"], re.DOTALL)
    assert re.findall(r"`(\w+)`", listed) == importable()


def test_the_gallery_lists_every_spec() -> None:
    listed = re.findall(r"\(\.\./\.\./expressions/(\w+\.py)\)", TEXTS["gallery.md"])
    assert sorted(listed) == sorted(path.name for path in (ROOT / "expressions").glob("*.py"))


@sampled(2)
@pytest.mark.parametrize("body", re.findall(r"```python\n(.*?)```", TEXTS["python.md"], re.DOTALL))
def test_a_program_of_the_manual_runs(body: str) -> None:
    if "import gradcli, torch" in body:
        pytest.importorskip("torch", reason="PyTorch is not installed, and this program shows a graph of its")
    elif "import gradcli as torch" not in body:
        body = "import gradcli as torch\n" + body
    subprocess.run([sys.executable, "-c", body], check=True, capture_output=True, timeout=600)


def test_the_settings_that_are_shown_are_settings(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", TEXTS["ci.md"], re.DOTALL)
    (tmp_path / "pyproject.toml").write_text(shown)
    found = settings({}, str(tmp_path))
    written = tomllib.loads(shown)["tool"]["gradcli"]
    assert set(found.values) == set(written) - {"per-file"}


def test_the_limits_that_are_shown_are_the_limits() -> None:
    for limits, column in ((STRICT, 1), (RELAXED, 2)):
        rows = dict(re.findall(rf"^\| `--([\w-]+)`(?: \| ([^|]+?)){{{column}}} \|", TEXTS["safety.md"], re.MULTILINE))
        numbers = {name: int(re.sub(r"\D", "", text)) for name, text in rows.items()}
        assert numbers == {
            "timeout": limits.seconds,
            "check-timeout": limits.checking,
            "max-memory": limits.memory // 10**6,
            "max-elements": limits.elements,
            "max-steps": limits.steps,
            "max-output": limits.output // 10**6,
            "max-source": limits.source // 2**10,
        }
