"""The beginning in a project, and what stands in a repository for the systems that call gradcli."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ...report.findings import CUBE
from ..invoke import ROOT, environment, gradcli


def test_a_project_begins_and_its_check_passes(tmp_path: Path) -> None:
    done = gradcli("init", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("settings: written to gradcli.toml\nspec: written to specs/swish.py\n")
    checked = gradcli("check", cwd=tmp_path)
    assert (checked.returncode, checked.stdout[:22]) == (0, "specs/swish.py: right:")
    assert (tmp_path / "gradients.xml").read_text().startswith("<?xml")


def test_settings_go_into_the_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'")
    assert gradcli("init", cwd=tmp_path).stdout.startswith("settings: added to pyproject.toml\n")
    data = tomllib.loads((tmp_path / "pyproject.toml").read_text())
    assert data == {
        "project": {"name": "x"}, "tool": {"gradcli": {"paths": ["specs"], "report": ["junit:gradients.xml"]}},
    }  # fmt: skip
    assert gradcli("check", cwd=tmp_path).returncode == 0


def test_nothing_that_is_there_is_written_over(tmp_path: Path) -> None:
    gradcli("init", cwd=tmp_path)
    (tmp_path / "specs" / "swish.py").write_text("mine")
    (tmp_path / "gradcli.toml").write_text("order = 2\n")
    done = gradcli("init", cwd=tmp_path)
    said = "settings: they are here already\nspec: specs/swish.py is here already\n"
    assert (done.returncode, done.stdout[: len(said)]) == (0, said)
    assert (tmp_path / "specs" / "swish.py").read_text() == "mine"
    assert (tmp_path / "gradcli.toml").read_text() == "order = 2\n"


@pytest.mark.parametrize("text", ["tool = {x = 1}\n", "[project\n"])
def test_a_file_that_takes_no_further_table_stays_as_it_is(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert gradcli("init", cwd=tmp_path).stdout.startswith("settings: written to gradcli.toml\n")
    assert (tmp_path / "pyproject.toml").read_text() == text


def test_settings_above_are_of_another_project(tmp_path: Path) -> None:
    (tmp_path / "gradcli.toml").write_text("order = 2\n")
    (tmp_path / "below").mkdir()
    assert gradcli("init", cwd=tmp_path / "below").stdout.startswith("settings: written to gradcli.toml\n")


# -- what other systems read -------------------------------------------------------------------


def shell_of(action: str) -> str:
    """The program of the step that checks."""
    found = re.search(r"      run: \|\n((?:        .*\n)+)", action)
    assert found is not None
    return re.sub(r"(?m)^        ", "", found[1])


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(("text", "code"), [(CUBE, 1), (CUBE.replace("* 2 *", "* 3 * ctx.saved_tensors[0] *"), 0)])
def test_the_action_annotates_and_sums_up(text: str, code: int, tmp_path: Path) -> None:
    script = shell_of((ROOT / ".github" / "actions" / "gradcli" / "action.yml").read_text())
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gradcli").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gradcli "$@"\n')
    (tmp_path / "bin" / "gradcli").chmod(0o755)
    (tmp_path / "cube.py").write_text(text)
    surroundings = environment(
        SPECS="cube.py", OPTIONS="--samples 1", SARIF="gradcli.sarif",
        GITHUB_OUTPUT="output", GITHUB_STEP_SUMMARY="summary",
        PATH=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
    )  # fmt: skip
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=surroundings, capture_output=True, text=True)
    assert (done.returncode, done.stdout.startswith("::error file=cube.py,line=9")) == (code, code == 1), done.stderr
    assert (tmp_path / "output").read_text() == f"exit-code={code}\n"
    assert (tmp_path / "summary").read_text().startswith("## gradcli check ")
    assert (tmp_path / "gradcli.sarif").exists()


def test_an_input_of_the_action_is_never_a_program() -> None:
    script = shell_of((ROOT / ".github" / "actions" / "gradcli" / "action.yml").read_text())
    assert "${{" not in script


def test_the_hook_of_pre_commit_is_a_command(tmp_path: Path) -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    fields = dict(re.findall(r"(?m)^[- ] (\w+): (.*)$", text))
    assert fields["language"] == "python"
    assert re.search(fields["files"], "specs/cube.py")
    assert not re.search(fields["files"], "src/net.py")
    (tmp_path / "cube.py").write_text(CUBE)
    assert gradcli(*fields["entry"].split()[1:], "cube.py", cwd=tmp_path).returncode == 1
