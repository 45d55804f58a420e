"""What a project knows from before: its baseline, its settings by name or none, and reports to standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradcli.cli.parsing.types import JOBS, processors

from ...report.findings import CUBE
from ..invoke import gradcli

RIGHT = CUBE.replace("* 2 *", "* 3 * ctx.saved_tensors[0] *")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(CUBE)
    (tmp_path / "b.py").write_text(RIGHT)
    return tmp_path


def test_what_is_known_fails_nothing(project: Path) -> None:
    words = ("check", "a.py", "b.py", "--baseline", "known.json")
    done = gradcli(*words, cwd=project)
    assert (done.returncode, "`--update-baseline` writes it" in done.stderr) == (2, True)
    done = gradcli(*words, "--update-baseline", cwd=project)
    assert (done.returncode, done.stdout.splitlines()[-1][:27]) == (0, "0 wrong, 1 right, 1 allowed")
    known = json.loads((project / "known.json").read_text())
    assert known == {"schema": "gradcli.baseline/1", "known": [["a.py", "out", "x", 1, "G101"]]}
    done = gradcli(*words, cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert "a.py:9:9: G101 wrong gradient: out with respect to x (3 of 3 entries) (allowed)" in done.stdout
    (project / "b.py").write_text(CUBE)
    done = gradcli(*words, cwd=project)
    assert (done.returncode, done.stdout.splitlines()[-1][:27]) == (1, "1 wrong, 0 right, 1 allowed")


def test_what_is_mended_is_told(project: Path) -> None:
    words = ("check", "a.py", "--baseline", "known.json")
    gradcli(*words, "--update-baseline", cwd=project)
    (project / "a.py").write_text(RIGHT)
    done = gradcli(*words, cwd=project)
    said = "note: 1 finding of the baseline is not there any more: --update-baseline writes it anew\n"
    assert (done.returncode, done.stderr) == (0, said)
    # Of specs that were not checked what is known stays.
    gradcli("check", "b.py", "--baseline", "known.json", "--update-baseline", cwd=project)
    assert len(json.loads((project / "known.json").read_text())["known"]) == 1
    gradcli(*words, "--update-baseline", cwd=project)
    assert json.loads((project / "known.json").read_text())["known"] == []


def test_a_baseline_of_the_settings(project: Path) -> None:
    (project / "gradcli.toml").write_text("paths = ['*.py']\nbaseline = 'known.json'\n")
    assert gradcli("check", "--update-baseline", cwd=project).returncode == 0
    assert gradcli("check", cwd=project).returncode == 0
    (project / "gradcli.toml").write_text("baseline = '../known.json'\n")
    assert "'../known.json' leads out of the project" in gradcli("check", "a.py", cwd=project).stderr


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": "gradcli.baseline/1", "known": [["a", "b", "c", "1", "G101"]]}']
)
def test_what_is_no_baseline_is_refused(text: str, project: Path) -> None:
    (project / "known.json").write_text(text)
    for more in ((), ("--update-baseline",)):
        done = gradcli("check", "a.py", "--baseline", "known.json", *more, cwd=project)
        assert (done.returncode, "'known.json' is no baseline of gradcli" in done.stderr) == (2, True)
    assert (project / "known.json").read_text() == text


def test_an_update_needs_a_baseline(project: Path) -> None:
    done = gradcli("check", "a.py", "--update-baseline", cwd=project)
    assert (done.returncode, "--update-baseline writes the file of --baseline" in done.stderr) == (2, True)


def test_settings_by_name_and_none(project: Path) -> None:
    (project / "gradcli.toml").write_text("format = 'nonsense'\n")
    (project / "ci.toml").write_text("format = 'concise'\npaths = ['a.py']\n")
    assert gradcli("check", "b.py", cwd=project).returncode == 2
    done = gradcli("check", "--config", "ci.toml", cwd=project)
    assert (done.returncode, done.stdout[:14]) == (1, "a.py:9:9: G101")
    assert gradcli("check", "b.py", "--isolated", cwd=project, env={"GRADCLI_FORMAT": "json"}).stdout[:5] == "b.py:"
    done = gradcli("check", "b.py", "--isolated", "--config", "ci.toml", cwd=project)
    assert "--isolated reads no settings" in done.stderr
    assert "no such file: 'no.toml'" in gradcli("check", "b.py", "--config", "no.toml", cwd=project).stderr
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    done = gradcli("check", "b.py", "--config", "pyproject.toml", cwd=project)
    assert "there is no table [tool.gradcli]" in done.stderr


def test_settings_by_name_only_tighten_limits(project: Path) -> None:
    (project / "ci.toml").write_text("timeout = 60\n")
    done = gradcli("check", "b.py", "--config", "ci.toml", cwd=project)
    assert "settings may only tighten limits" in done.stderr
    assert gradcli("check", "b.py", "--config", "ci.toml", "--trust-config", cwd=project).returncode == 0


def test_a_report_to_standard_output(project: Path) -> None:
    done = gradcli("check", "a.py", "--report", "junit:-", "--report", "json:a.json", cwd=project)
    assert done.stdout.startswith("<?xml")
    assert done.stdout.endswith("</testsuites>\n")
    assert json.loads((project / "a.json").read_text())["passed"] is False
    for more in (("--format", "json"), ("--report", "sarif:-")):
        done = gradcli("check", "a.py", "--report", "junit:-", *more, cwd=project)
        assert (done.returncode, "standard output takes one format" in done.stderr) == (2, True)
    (project / "gradcli.toml").write_text("report = ['concise:-']\n")
    assert gradcli("check", "a.py", cwd=project).stdout.startswith("a.py:9:9: G101")
    assert gradcli("check", "b.py", "--format", "text", cwd=project).stdout.startswith("b.py: right")


def test_as_many_jobs_as_processors(project: Path) -> None:
    assert JOBS.read("auto") == min(processors(), 256) >= 1
    assert [JOBS.read(text) for text in ("3", "0", "257", "many")] == [3, None, None, None]
    assert gradcli("check", "b.py", "--jobs", "auto", cwd=project).returncode == 0
    (project / "gradcli.toml").write_text("jobs = 'auto'\n")
    assert gradcli("check", "b.py", cwd=project).returncode == 0
    (project / "gradcli.toml").write_text("jobs = 'many'\n")
    assert "'jobs' takes a whole number from 1 to 256, or auto" in gradcli("check", "b.py", cwd=project).stderr
