"""Which files are specs: directories, patterns, and what is left out of them; nothing found is no success."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..invoke import gradcli

SPEC = "import torch\nx = torch.tensor(2.0, requires_grad=True)\nout = x * x\n"


def listed(place: Path, *words: str) -> list[str]:
    done = gradcli("check", *words, "--list", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("specs/a.py", "specs/deep/b.py", "specs/deep/c.py", "more/d.py", "build/e.py", "venv/f.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(SPEC)
    return tmp_path


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        ("'specs/**/*.py'", ["specs/a.py", "specs/deep/b.py", "specs/deep/c.py"]),
        ("'*/?.py'", ["more/d.py", "specs/a.py"]),
        ("'specs/d*'", ["specs/deep/b.py", "specs/deep/c.py"]),
        ("'**/[bd].py'", ["more/d.py", "specs/deep/b.py"]),
        ("'.'", ["more/d.py", "specs/a.py", "specs/deep/b.py", "specs/deep/c.py"]),
    ],
)
def test_paths_take_patterns(paths: str, found: list[str], project: Path) -> None:
    (project / "gradcli.toml").write_text(f"paths = [{paths}]\n")
    assert listed(project) == found
    assert listed(project / "more") == [f"../{path}" if path[:4] != "more" else path[5:] for path in found]


def test_a_pattern_leads_nowhere_else(project: Path) -> None:
    (project / "specs" / "gradcli.toml").write_text("paths = ['../*.py']\n")
    done = gradcli("check", cwd=project / "specs")
    assert (done.returncode, "'../*.py' leads out of the project" in done.stderr) == (2, True)
    (project / "specs" / "gradcli.toml").write_text("paths = ['nothing_*.py']\n")
    done = gradcli("check", cwd=project / "specs")
    assert (done.returncode, done.stdout.split(" in ")[0]) == (2, "0 wrong, 0 right, 1 broken")
    assert "G114]: there is no Python file that fits 'nothing_*.py'" in done.stderr


def test_a_link_that_a_pattern_finds_leads_nowhere_else(project: Path) -> None:
    (project / "specs" / "away").symlink_to(project / "more")
    (project / "specs" / "gradcli.toml").write_text("paths = ['**/*.py', 'away/*.py']\n")
    done = gradcli("check", "--list", cwd=project / "specs")
    assert "d.py" not in done.stdout


def test_exclude_holds_for_named_files_where_that_is_asked(project: Path) -> None:
    (project / "gradcli.toml").write_text("exclude = ['deep/*', 'a.py', 'specs/deep/*']\n")
    named = ("specs/a.py", "specs/deep/b.py", "more/d.py")
    assert listed(project, *named) == list(named)
    assert listed(project, *named, "--force-exclude") == ["more/d.py"]
    done = gradcli("check", *named[:2], "--force-exclude", cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "note: `exclude` leaves out all that was named\n")


def test_a_directory_that_is_not_there_is_no_expression(project: Path) -> None:
    done = gradcli("check", "specz", "x * x", "--format", "concise", cwd=project)
    assert done.returncode == 2
    assert "specz: E501 there is no file or directory 'specz'" in done.stdout
    done = gradcli("check", "specz", cwd=project)
    help = "did you mean specs?; to check it as an expression, give it a value: specz=2"
    assert done.stderr == f"error[E501]: there is no file or directory 'specz'\n  = help: {help}\n"
    assert gradcli("check", "a/b", "a=1", "b=2", cwd=project).returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("specs", "-k", "nope"), "this leaves no spec to check"),
        (("empty",), "there is no Python file in or below 'empty'"),
        (("ignored",), "there is no Python file in or below 'ignored'"),
    ],
)
def test_nothing_checked_is_no_success(words: tuple[str, ...], said: str, project: Path) -> None:
    (project / "empty").mkdir()
    (project / ".git").mkdir()
    (project / "ignored").mkdir()
    (project / "ignored" / "a.py").write_text(SPEC)
    (project / ".gitignore").write_text("ignored/*\n")
    done = gradcli("check", *words, cwd=project)
    assert (done.returncode, said in done.stderr) == (2, True)
