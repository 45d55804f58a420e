"""A plugin of pytest: with ``gradcli_paths = DIRECTORY`` in its settings, every spec there is an item.

Tests have a fixture ``gradcheck``, and ``--gradcli-functions PACKAGE`` judges the Functions that they meet.

A spec is never imported by pytest: it is checked in a process of its own, within its limits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pytest

if TYPE_CHECKING:
    from ..report.check.outcome import Outcome
    from ..report.library import Choices
    from .project.spec_tables import SpecTable

_PATHS, _TRUST = "gradcli_paths", "gradcli_trust_config"
_FUNCTIONS = "--gradcli-functions"
# So many signatures are looked at in one test.
_MOST = 256


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the settings."""
    # pytest would write each module of a plugin's package anew before it is read, for the sake of its asserts.
    getattr(pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("gradcli")
    parser.addini(_PATHS, "Files and directories of specs whose gradients gradcli checks.", type="paths", default=[])
    parser.addini(_TRUST, "Let gradcli's settings of the project loosen limits.", type="bool", default=False)
    group = parser.getgroup("gradcli")
    group.addoption(
        _FUNCTIONS,
        metavar="PACKAGE",
        action="append",
        default=[],
        help="Judge each torch.autograd.Function that PACKAGE defines, on the inputs that the tests give it.",
    )


@pytest.fixture
def gradcheck() -> Callable[..., None]:
    """Judge the gradient of a function: ``gradcheck(f, x, grad=df)``; the test fails with the report if it is wrong."""
    from ..report.library import check

    def judged(function: Callable[..., Any], x: Any, **options: Unpack[Choices]) -> None:
        result = check(function, x, **options)
        if not result.ok:
            pytest.fail(str(result), pytrace=False)

    return judged


# -- custom Functions that tests meet ----------------------------------------------------------

_JUDGED: pytest.StashKey[dict[Any, bool]] = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Note the Functions that a test applies, and judge those that are new: they fail the test that met them first."""
    packages: list[str] = item.config.getoption(_FUNCTIONS)
    if not packages or not {"torch", "jax"} & sys.modules.keys():
        return (yield)
    from ..check.foreign.met import watched
    from ..check.foreign.met_jax import noted
    from ..report.library import alone

    judged = item.config.stash.setdefault(_JUDGED, {})
    met: dict[Any, Any] = {}
    with ExitStack() as stack:
        for package in packages:
            for library, noting in (("torch", watched), ("jax", noted)):
                if library in sys.modules:
                    stack.enter_context(noting(met, package, _MOST))
        done = yield
    wrong = []
    for key, each in met.items():
        if key not in judged:
            result = alone(each)
            judged[key] = result.ok
            if not result.ok:
                wrong.append(str(result))
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)
    return done


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how many Functions were judged: none at all is worth a word."""
    packages = config.getoption(_FUNCTIONS)
    if packages and not hasattr(config, "workerinput") and not config.getoption("numprocesses", None):
        judged = config.stash.get(_JUDGED, {})
        of, wrong = " and ".join(packages), sum(not ok for ok in judged.values())
        said = f"{len(judged)} signature{'s' * (len(judged) != 1)} of Functions of {of} judged, {wrong} wrong"
        terminalreporter.write_line(f"gradcli: {said if judged else f'no Function of {of} was applied'}")


# -- specs -------------------------------------------------------------------------------------


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
        """Its one item, or one for each table of the settings that is about it."""
        import os

        from ..errors import GradcliError
        from ..report.diagnostic import render
        from .project.config import settings

        try:
            chosen = settings(os.environ, flags={"trust_config": self.config.getini(_TRUST)})
        except GradcliError as error:
            raise self.CollectError(render(error)) from None
        tables = chosen.tables_of(os.path.relpath(self.path), None)
        if not tables:
            yield SpecItem.from_parent(self, name="gradients")
        names: list[str] = []
        for table in tables:
            name = table.target or "gradients"
            names.append(name)
            many = names.count(name)
            item = SpecItem.from_parent(self, name=name if many == 1 else f"{name}-{many}")
            item.table = table
            yield item


class SpecItem(pytest.Item):
    """The check of a spec."""

    table: SpecTable | None = None

    def runtest(self) -> None:
        """Check it, with the settings of the project."""
        import os

        from ..report.check.text import Look, spec_lines
        from ..text.parts import written
        from .checking.job import Job, outcomes
        from .parsing.limits import limits_of
        from .project.config import settings

        path = name = os.path.relpath(self.path)
        found = settings(os.environ, flags={"trust_config": self.config.getini(_TRUST)})
        chosen = found.of(path)
        if self.table is not None:
            name, chosen = self.table.name(path), {**chosen, **self.table.values, **found.environment}
        limits = limits_of(chosen)
        (outcome,) = outcomes([Job(name, "path", settings=chosen, limits=limits, again=(name,), table=self.table)])
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
