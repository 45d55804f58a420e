"""Which files a confined process may read, and which it may not."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli.wall import roots
from tests.cli.invoke import environment


def covered(path: str | Path, found: list[str]) -> bool:
    return any(os.path.realpath(path).startswith(os.path.realpath(root).rstrip(os.sep) + os.sep) for root in found)


@pytest.mark.parametrize("file", [os.__file__, np.__file__, gradcli.__file__, np.linalg.__file__])
def test_what_is_imported_is_readable(file: str) -> None:
    assert covered(file, roots.of_interpreter())


def test_shared_libraries_that_are_loaded_are_readable() -> None:
    if sys.platform != "linux":
        pytest.skip("it is Linux that tells what is loaded")
    # What a command has loaded, and not what the tests have beside it.
    code = "import gradcli.namespace, numpy.random, numpy.linalg; print(open('/proc/self/maps').read())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    words = [line.split() for line in done.stdout.splitlines() if line]
    loaded = {line[-1] for line in words if line[-1].endswith(".so") and ("numpy" in line[-1] or "python" in line[-1])}
    found = roots.of_interpreter()
    assert loaded
    assert [library for library in loaded if not covered(library, found)] == []


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/etc/shadow", "/proc/self/environ", "/root/.ssh/id", "/home/x/.netrc", "/var/lib/x"]
)
def test_what_is_not_the_interpreters_is_not_readable(path: str) -> None:
    assert not covered(path, roots.of_interpreter())


def test_the_current_directory_is_not_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    (tmp_path / "theirs.py").write_text("")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "__init__.py").write_text("")
    __import__("theirs")
    assert not covered(tmp_path / "theirs.py", roots.of_interpreter())
    assert not covered(tmp_path / "tests" / "secret", roots.of_interpreter())
    assert "" not in roots.of_interpreter()
    del sys.modules["theirs"]


def test_no_root_is_the_whole_system() -> None:
    assert not {"/", "/usr", "/etc", "/home", "/root", "/proc", "/dev", "/var", ""} & set(roots.of_interpreter())


@pytest.mark.parametrize(
    ("place", "root"), [("{here}/app.pyz/package", "{here}/app.pyz"), ("{here}/package", "{here}/package")]
)
def test_a_package_in_an_archive(place: str, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "app.pyz").write_bytes(b"PK")
    package = types.ModuleType("pydot")
    package.__path__ = [place.format(here=tmp_path)]
    monkeypatch.setitem(sys.modules, "pydot", package)
    found = roots.of_interpreter()
    assert root.format(here=tmp_path) in found
    assert str(tmp_path) not in found


def test_a_module_that_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("pydot")
    module.__file__ = str(tmp_path / "pydot.py")
    Path(module.__file__).write_text("")
    monkeypatch.setitem(sys.modules, "pydot", module)
    assert module.__file__ in roots.of_interpreter()
    assert str(tmp_path) not in roots.of_interpreter()


def test_a_module_without_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydot", types.ModuleType("pydot"))
    assert "" not in roots.of_interpreter()


def test_a_program_brings_its_prefix(tmp_path: Path) -> None:
    real = tmp_path / "Cellar" / "graphviz" / "bin" / "dot"
    real.parent.mkdir(parents=True)
    real.write_text("")
    link = tmp_path / "bin" / "dot"
    link.parent.mkdir()
    link.symlink_to(real)
    run, read = roots.of_programs((str(link),))
    for path in ("bin", "lib", "share", "Cellar", "Cellar/graphviz/lib", "Cellar/graphviz/share"):
        assert str(tmp_path / path) in run
    assert {"/usr/bin", "/usr/lib"} <= set(run)
    assert {"/usr/share", "/etc/fonts", "/var/cache/fontconfig"} <= set(read)
    assert not {"/", "/etc", "/home", str(tmp_path)} & {*run, *read}
