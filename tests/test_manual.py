"""The chapters of the manual that are generated, and the fields that the chapter of formats promises."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gradcli.cli.commands import COMMANDS
from gradcli.docs import FOLDER, text_of
from tests.cli.invoke import gradcli
from tests.cli.parsing.write_pages import command
from tests.write_manual import pages

PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_chapter_is_as_it_was_written(name: str) -> None:
    """If not: python -m tests.write_manual."""
    assert (Path(FOLDER) / name).read_text(encoding="utf-8") == PAGES[name].rstrip("\n") + "\n"


def test_every_option_is_in_the_chapter_of_commands() -> None:
    text = text_of("commands")
    for name in COMMANDS:
        part = text.partition(f"## gradcli {name}\n")[2].partition("\n## ")[0]
        flags = [param.opts[-1] for param in command(name).params if param.opts[-1].startswith("--")]
        assert not [flag for flag in flags if f"`{flag}`" not in part and not _is_hidden(name, flag)]


def _is_hidden(name: str, flag: str) -> bool:
    return any(getattr(param, "hidden", False) for param in command(name).params if flag in param.opts)


# -- formats -------------------------------------------------------------------------------------


def fields(heading: str, table: int = 0) -> set[str]:
    """The fields that a table of the chapter promises."""
    section = text_of("formats").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"(?m)(?:^\|.*\n)+", section)[table]
    return {word for row in found.split("\n")[2:] if row for word in re.findall(r"`(\w+)`", row.split("|")[1])}


def asked(*words: str) -> Any:
    return json.loads(gradcli(*words).stdout)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(
        "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))\n"
        "x = torch.ones(4, 2, requires_grad=True)\ny = x * 3\ny.register_hook(lambda g: g * 2)\n"
        "u, s, v = torch.linalg.svd(y)\nloss = (net(y).pow(2).mean() + s.sum() - x.detach().sum())\n"
        "y.sum().backward(retain_graph=True)\nloss.backward()\n"
    )
    return path


def test_a_trace_has_the_fields_that_are_promised(program: Path) -> None:
    found = asked("trace", str(program), "--format", "json", "--saved")
    assert set(found) == fields("gradcli.trace/1")
    boxes = asked("trace", str(program), "--format", "json", "--level", "1")
    nodes = [*found["nodes"], *boxes["nodes"]]
    assert {key for node in nodes for key in node} <= fields("gradcli.trace/1", 1)
    assert {key for node in nodes for edge in node["edges"] for key in edge} <= {"arg", "to", "output_nr", "grad"}
    missing = fields("gradcli.trace/1", 1) - {key for node in nodes for key in node}
    assert missing == set()


def test_a_check_has_the_fields_that_are_promised() -> None:
    found = asked("check", "x*y", "x=2", "y=3", "--format", "json")
    assert set(found) - {"schema"} == fields("gradcli.check/1")
    assert {key for result in found["results"] for key in result} == fields("gradcli.check/1", 1) - set(_WORST)
    assert set(found["results"][0]["worst"]) == {*_WORST, "index"}


_WORST = ("at", "claimed", "estimate", "bar", "left", "right", "witness")


def test_a_flow_and_a_diff_have_the_fields_that_are_promised(program: Path) -> None:
    text = text_of("formats")
    flow = asked("trace", str(program), "--flow", "--format", "json")
    diff = asked("diff", "x*y", "x*y+x", "x=2", "y=3", "--format", "json")
    rows = [*flow["flow"], *diff["differences"]]
    assert not {key for row in rows for key in row if f"`{key}`" not in text}
