"""The plugin of pytest, in a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ..report.findings import CUBE
from .invoke import environment

RIGHT = CUBE.replace("* 2 *", "* 3 * ctx.saved_tensors[0] *")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\ngradcli_paths = specs\ntestpaths = tests\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_one.py").write_text("def test_one():\n    pass\n")
    specs = tmp_path / "specs"
    specs.mkdir()
    (specs / "cube.py").write_text(CUBE)
    (specs / "right.py").write_text(RIGHT)
    # Those of pytest's own are none.
    (specs / "conftest.py").write_text("")
    (specs / "test_own.py").write_text("def test_own():\n    pass\n")
    (specs / "broken.py").write_text("import helpers\n")
    return tmp_path


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "gradcli.cli.pytest_plugin", "-p", "no:cacheprovider", *words]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=place,
        env=environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"),
        timeout=600,
        check=False,
    )


def test_every_spec_is_an_item(project: Path) -> None:
    done = run(project, "-q", "-rA", "--junitxml=r.xml")
    assert done.returncode == 1
    assert "1 failed" not in done.stdout
    lines = done.stdout.splitlines()
    assert lines[-1].startswith("2 failed, 3 passed in ")
    assert "specs/cube.py:9:9: G101 wrong gradient: out with respect to x (3 of 3 entries)" in lines
    assert "specs/broken.py:1:" in done.stdout
    assert "Traceback" not in done.stdout
    assert "specs/right.py: right: 1 input (3 numbers), order 1, " in done.stdout
    cases = ElementTree.parse(project / "r.xml").getroot().iter("testcase")
    assert {case.get("name") for case in cases} == {"test_one", "test_own", "gradients"}


def test_specs_are_chosen_as_other_items_are(project: Path) -> None:
    done = run(project, "--collect-only", "-q")
    assert done.stdout.split()[:5] == [
        "tests/test_one.py::test_one", "specs/broken.py::gradients", "specs/cube.py::gradients",
        "specs/right.py::gradients", "specs/test_own.py::test_own",
    ]  # fmt: skip
    assert run(project, "--collect-only", "-q", "-k", "cube").stdout.split()[0] == "specs/cube.py::gradients"
    assert run(project, "--collect-only", "-q", "tests").stdout.split()[0] == "tests/test_one.py::test_one"
    assert run(project, "--collect-only", "-q", "specs/cube.py").stdout.split()[0] == "specs/cube.py::gradients"


def test_the_plugin_loads_nothing_heavy() -> None:
    code = (
        "import sys, pytest\nbefore = set(sys.modules)\nimport gradcli.cli.pytest_plugin\n"
        "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before}))\n"
        "print(*sorted(m for m in sys.modules if m.startswith('gradcli')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    first, second = done.stdout.splitlines()
    assert first == "gradcli"
    assert second == "gradcli gradcli.cli gradcli.cli.pytest_plugin"


def test_pytest_writes_no_module_anew() -> None:
    import gradcli.check.check  # read after the plugin

    assert type(gradcli.check.check.__loader__).__name__ != "AssertionRewritingHook"


def test_settings_of_the_project_only_tighten_limits(project: Path) -> None:
    (project / "gradcli.toml").write_text("timeout = 60\n")
    words = ("-q", "specs/right.py")
    assert "settings may only tighten limits" in run(project, *words).stdout
    assert run(project, *words, "-o", "gradcli_trust_config=true").returncode == 0


def test_what_checks_nothing_is_no_success(project: Path) -> None:
    for paths, said in (("nope", "gradcli_paths: there is no "), ("empty", "there is no spec in or below ")):
        (project / "empty").mkdir(exist_ok=True)
        (project / "empty" / "test_own.py").write_text("def test_own():\n    pass\n")
        (project / "pytest.ini").write_text(f"[pytest]\ngradcli_paths = {paths}\ntestpaths = tests\n")
        done = run(project, "-q")
        assert done.returncode == 4
        assert said in done.stderr


def test_a_file_of_pytest_that_is_named_is_a_spec(project: Path) -> None:
    (project / "specs" / "test_own.py").write_text(RIGHT)
    (project / "pytest.ini").write_text("[pytest]\ngradcli_paths = specs/test_own.py\ntestpaths = tests\n")
    assert "specs/test_own.py::gradients" in run(project, "--collect-only", "-q").stdout.split()
