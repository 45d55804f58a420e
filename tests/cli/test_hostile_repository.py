"""Repositories as attackers would build them, and the real program in them: it reads, writes and waits for nothing."""

from __future__ import annotations

import os
import stat
import sys
from itertools import cycle
from pathlib import Path

import pytest

from tests.rings import sampled

from ..report.test_strangers_text import quiet
from .invoke import Done, bytes_of, gradcli

RIGHT = "import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x * x).backward()\n"
SECRET = "AKIA-SECRET = = 42\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a spec, its hooks, and a secret beside it."""
    (tmp_path / "secret.py").write_text(SECRET)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "inner.py").write_text(SECRET)
    place = tmp_path / "repository"
    (place / ".git" / "hooks").mkdir(parents=True)
    (place / ".git" / "config").write_text(SECRET)
    (place / ".git" / "secret.py").write_text(SECRET)
    hook = place / ".git" / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    (place / ".env").write_text(SECRET)
    (place / "token.txt").write_text(SECRET)
    (place / "specs").mkdir()
    (place / "specs" / "a.py").write_text(RIGHT)
    return place


def check(place: Path, *words: str, settings: str | None = None, **env: str) -> Done:
    if settings is not None:
        (place / "gradcli.toml").write_text(settings)
    done = gradcli("check", *words, cwd=place, env=env)
    for output in (done.stdout, done.stderr):
        quiet(output)
        assert "AKIA" not in output
        assert "Traceback" not in output
    return done


def state(place: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its permissions and what it holds."""
    files = [path for path in sorted(place.rglob("*")) if path.is_file() and not path.is_symlink()]
    return {str(path.relative_to(place)): (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) for path in files}


# -- limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["timeout = 1e8", "limits = 'relaxed'", "max-memory = 64_000", "timeout = inf"])
def test_limits_are_not_loosened(repository: Path, line: str) -> None:
    done = check(repository, settings=f"paths = ['specs']\n{line}\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gradcli.toml:2:1: error[E505]: ")


def test_a_spec_that_runs_for_ever_ends_in_time(repository: Path) -> None:
    (repository / "specs" / "a.py").write_text("while True:\n    pass\n")
    done = check(repository, settings="paths = ['specs']\ntimeout = 1\n")
    assert done.returncode == 2
    assert "it may run for 1 s" in done.stderr
    assert done.seconds < 10


@pytest.mark.parametrize("how", ["--trust-config", "GRADCLI_TRUST_CONFIG", "--timeout"])
def test_the_user_may_loosen_them(repository: Path, how: str) -> None:
    words, env = ([how], {}) if how.startswith("--trust") else (["--timeout", "50"], {})
    if not how.startswith("-"):
        words, env = [], {how: "1"}
    done = check(repository, *words, settings="paths = ['specs']\ntimeout = 60\n", **env)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "text",
    ["a" + ".a" * 30_000 + " = 1", "a = " + "[" * 60_000, "[" + "a." * 30_000 + "a]", "a = " + "9" * 60_000,
     "#" * 70_000, "\n" * 65_000 + "zzz = 1", "['per-file'.'" + "*[" * 30_000 + "']\norder = 2",
     "exclude = ['" + "[" * 60_000 + "']", "a" * 60_000 + " = 1", "seed = 0x" + "f" * 60_000, "\x00",
     "\ufeff\x1b[2J = 1", "'##[error]x\\u001b' = 1",
     '"a\\n::error::x" = 1', "report = ['text:##[error]x']",
     "paths = ['\u202e/../../x']", "report = ['\\n::error::x']"],
    ids=range(17),
)  # fmt: skip
def test_settings_are_refused_in_a_moment(repository: Path, text: str) -> None:
    done = check(repository, "specs", settings=text)
    assert done.returncode == 2
    assert "error[E" in done.stderr
    assert done.seconds < 8


def test_patterns_that_take_long_to_compile(repository: Path) -> None:
    patterns = ", ".join(f"'{'[' * 250}{n}'" for n in range(100))
    for number in range(200):
        (repository / "specs" / f"m{number}.py").write_text("")
        (repository / "specs" / f"n{number}").mkdir()
    done = check(repository, settings=f"paths = ['specs']\nexclude = [{patterns}]\n")
    assert done.returncode == 0
    assert done.seconds < 15


@pytest.mark.parametrize("name", ["gradcli.toml", "pyproject.toml"])
def test_pipes_and_directories_are_not_waited_for(repository: Path, name: str) -> None:
    os.mkfifo(repository / name)
    done = check(repository, "specs")
    assert done.returncode == (2 if name == "gradcli.toml" else 0)
    (repository / name).unlink()
    (repository / name).symlink_to("/dev/zero")
    assert check(repository, "specs").returncode == (2 if name == "gradcli.toml" else 0)


@pytest.mark.parametrize("name", ["gradcli.toml", "pyproject.toml"])
def test_settings_that_are_a_link(repository: Path, name: str) -> None:
    for secret in ("../secret.py", ".git/config"):
        (repository / name).symlink_to(secret)
        assert check(repository, "specs").returncode == (2 if name == "gradcli.toml" else 0)
        (repository / name).unlink()


# -- what is read ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    ["../secret.py", "../../../../../../etc/passwd", "/etc/passwd", "out.py", "out", "out/inner.py", "specs/../../home",
     ".git", ".git/config", ".git/secret.py", ".GIT/secret.py", "versions", "versions/secret.py", "config.py", ".env",
     "env.py", "token.txt", "text.py", "out.py::x", "../secret.py::x", "twice.py", "/dev/stdin", "/proc/self/environ"],
)  # fmt: skip
def test_specs_that_settings_name(repository: Path, path: str) -> None:
    lay_links(repository)
    done = check(repository, settings=f"paths = ['{path}']\n")
    assert (done.returncode, done.stdout) == (2, "")


def lay_links(place: Path) -> None:
    for name, to in {
        "out.py": "../secret.py", "out": "../home", "versions": ".git", "config.py": ".git/config", "env.py": ".env",
        "text.py": "token.txt", "twice.py": "out.py", "passwd.py": "/etc/passwd", "key.py": ".git/secret.py",
        "loop.py": "loop.py", "up": "..",
    }.items():  # fmt: skip
        (place / name).symlink_to(to)


@pytest.mark.parametrize("named", [None, ".", "specs/.."])
def test_links_in_a_directory_that_is_searched(repository: Path, named: str | None) -> None:
    lay_links(repository)
    words, settings = ([], "paths = ['.']\n") if named is None else ([named], None)
    assert check(repository, *words, "--list", settings=settings).stdout.splitlines() == [
        f"{named}/{path}" if named and named != "." else path if named is None else f"./{path}"
        for path in ("loop.py", "specs/a.py")
    ]
    assert "passwd" not in check(repository, *words).stderr


def test_standard_input_is_not_a_spec_of_the_settings(repository: Path) -> None:
    (repository / "gradcli.toml").write_text("paths = ['-']\n")
    done = gradcli("check", cwd=repository, input=SECRET)
    assert done.returncode == 2
    assert "no such file: './-'" in done.stderr
    assert "AKIA" not in done.stderr


def test_what_the_user_names_is_read_wherever_it_is(repository: Path) -> None:
    (repository.parent / "mine.py").write_text(RIGHT)
    (repository / "link.py").symlink_to("../mine.py")
    assert check(repository, "link.py").returncode == 0
    assert check(repository, "../mine.py").returncode == 0
    assert check(repository, "--trust-config", settings="paths = ['../mine.py']\n").returncode == 0


# -- what is written ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [".git/hooks/post-checkout", ".git/hooks/post-merge.txt", ".GIT/hooks/x.txt", ".git/config", "hooks/x.txt",
     "run.txt", "../r.txt", "/tmp/gradcli-hostile.txt", "out/r.txt", "link.txt", "inner.txt",
     "venv/x.pth", "conftest.py", "Makefile"],
)  # fmt: skip
def test_reports_of_the_settings(repository: Path, path: str) -> None:
    (repository / "hooks").symlink_to(".git/hooks")
    (repository / "out").symlink_to("../home")
    (repository / "link.txt").symlink_to("../secret.py")
    (repository / "inner.txt").symlink_to("token.txt")
    (repository / "venv").mkdir()
    (repository / "run.txt").write_text("#!/bin/sh\n")
    (repository / "run.txt").chmod(0o755)
    (repository / "gradcli.toml").write_text(f"report = ['text:{path}']\n")
    before = state(repository.parent)
    done = check(repository, "specs")
    assert done.returncode in (2, 3)
    assert state(repository.parent) == before
    assert not Path("/tmp/gradcli-hostile.txt").exists()


def test_a_report_that_may_be_written(repository: Path) -> None:
    (repository / "old.json").write_text("old")
    done = check(repository, "specs", settings="report = ['text:new.txt', 'json:old.json']\n")
    assert done.returncode == 0
    assert stat.S_IMODE((repository / "new.txt").stat().st_mode) & 0o111 == 0
    assert (repository / "old.json").read_text().startswith("{")
    assert not list(repository.glob(".gradcli-*"))


# -- names -------------------------------------------------------------------------------------

NAMES = ["##[error]x.py", "::error::x.py", "a\n::error::x.py", "\x1b[31mx.py", "\u202ex.py", "##vso[x].py",
         "##teamcity[x].py", "a\r::x.py", "import os;x.py", os.fsdecode(b"\xff.py"), "]]><x>.py"]  # fmt: skip


@sampled(3)
@pytest.mark.skipif(sys.platform == "win32", reason="no file can have such a name")
@pytest.mark.parametrize("body", [RIGHT, "x = = 1\n", "##[error]\x1b[2J = 1\n::error::\n"])
def test_names_of_files(repository: Path, body: str) -> None:
    for name in NAMES:
        (repository / "specs" / name).write_text(body)
    assert len(check(repository, "specs", "--list").stdout.splitlines()) == len(NAMES) + 1
    check(repository, "specs", "--report", "junit:r.xml")
    quiet((repository / "r.xml").read_text())
    commands = cycle((["run"], ["trace", "--format", "edges"], ["trace"], ["export-dot"]))
    for name, command in zip(NAMES, commands, strict=False):
        done = bytes_of([*command, "-f", f"specs/{name}"], {}, repository)
        quiet((done.out + done.err).decode())
