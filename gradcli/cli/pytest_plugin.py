"""A plugin of pytest: with ``gradcli_paths = DIRECTORY`` in its settings, every spec there is an item.

A spec is never imported by pytest: it is checked in a process of its own, within its limits.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..report.check.outcome import Outcome

_PATHS, _TRUST = "gradcli_paths", "gradcli_trust_config"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings."""
    parser.addini(_PATHS, "Files and directories of specs whose gradients gradcli checks.", type="paths", default=[])
    parser.addini(_TRUST, "Let gradcli's settings of the project loosen limits.", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Add the specs to what is collected, unless the command line says what that is."""
    for path in _paths(config):
        _check(config, path)
    if _paths(config) and config.args_source is not pytest.Config.ArgsSource.ARGS:
        known = [Path(argument).resolve() for argument in config.args]
        config.args += [str(path) for path in _paths(config) if not _below(path, known)]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
    """A spec is collected as one, and as nothing else."""
    found = yield
    if _is_spec(file_path, parent.config):
        return [SpecFile.from_parent(parent, path=file_path)]
    return found


class SpecFile(pytest.File):
    """A file that is a spec."""

    def collect(self) -> Iterable[pytest.Item]:
        """Its one item."""
        yield SpecItem.from_parent(self, name="gradients")


class SpecItem(pytest.Item):
    """The check of a spec."""

    def runtest(self) -> None:
        """Check it, with the settings of the project."""
        import os

        from ..report.check.text import Look, spec_lines
        from ..text.parts import written
        from .config import settings
        from .job import Job, outcomes
        from .specs import limits_of

        name = os.path.relpath(self.path)
        chosen = settings(os.environ, flags={"trust_config": self.config.getini(_TRUST)}).of(name)
        (outcome,) = outcomes([Job(name, "path", settings=chosen, limits=limits_of(chosen), again=(name,))])
        if not outcome.clean:
            raise NotRight(outcome)
        self.add_report_section("call", "gradcli", written(spec_lines(outcome, Look())).rstrip("\n"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The words of the check, in place of a traceback."""
        if isinstance(excinfo.value, NotRight):
            from ..report.check import document

            return document("text", [excinfo.value.outcome]).rstrip("\n")
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The name of the item in a report."""
        return self.path, None, f"gradients of {self.path.name}"


class NotRight(Exception):
    """A gradient or an assert is wrong, or there is no verdict."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.name)
        self.outcome = outcome


def _check(config: pytest.Config, path: Path) -> None:
    """Refuse a path without specs: nothing would be checked, and nobody told."""
    if not path.exists():
        raise pytest.UsageError(f"{_PATHS}: there is no {path}")
    if path.is_dir() and not any(_is_spec(file, config) for file in path.rglob("*.py")):
        raise pytest.UsageError(f"{_PATHS}: there is no spec in or below {path}")


def _is_spec(path: Path, config: pytest.Config) -> bool:
    """Tell whether a file is a spec: those of pytest's own are none, unless they are named themselves."""
    from fnmatch import fnmatch

    paths = _paths(config)
    if path.suffix != ".py" or not _below(path, paths):
        return False
    own = path.name == "conftest.py" or any(fnmatch(path.name, pattern) for pattern in config.getini("python_files"))
    return not own or path.resolve() in paths


def _paths(config: pytest.Config) -> list[Path]:
    paths: list[Path] = config.getini(_PATHS)
    return [path.resolve() for path in paths]


def _below(path: Path, tops: Iterable[Path]) -> bool:
    path = path.resolve()
    return any(path == top or top in path.parents for top in tops)
