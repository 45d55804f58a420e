"""What all tests have: one thread for every engine, the rings, engines as a fixture, and what was measured."""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from gradcli.spec.guard import garbage

from . import one_thread as one_thread, rings, summary, surroundings as surroundings

# A busy machine is slow to draw examples, which says nothing of what is tested. The examples are the same everywhere:
# `--hypothesis-profile=searching` looks for others.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("searching", patient)
settings.register_profile("steady", patient, derandomize=True, database=None)
settings.load_profile("steady")

HAS_TORCH = importlib.util.find_spec("torch") is not None

needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed: pip install torch==2.13.0")


@pytest.fixture(params=["gradcli", pytest.param("torch", marks=needs_torch)])
def torch(request: pytest.FixtureRequest) -> Any:
    """gradcli, and PyTorch itself when installed: what a test expects of one it expects of both."""
    return importlib.import_module(request.param)


@pytest.fixture(autouse=True)
def settings_as_they_were() -> Iterator[None]:
    """Put back what a test has set in gradcli for all that comes after."""
    flags = sys.modules.get("gradcli.engine.flags")
    before = dict(flags.settings) if flags is not None else {}
    yield
    if flags is not None and flags.settings != before:
        flags.replace(before)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run all tests there are, with all their cases")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sampled(every, each): the ordinary ring runs some of the cases: tests/rings.py")
    rings.choose(config.getoption("--full"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of several processes, which is done takes over what others have not begun: none waits for the last."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


def pytest_report_header() -> str:
    return "all tests" if rings.is_full() else "a sample of the tests; all of them: pytest --full"


def pytest_collection(session: pytest.Session) -> None:
    """Of several processes, have each begin with other files: what pytest makes of a file, one does for all."""
    # Of what is collected nothing is garbage, and each search for some would go through all of it.
    gc.disable()
    number, count = (os.environ.get(f"PYTEST_XDIST_WORKER{which}", "") for which in ("", "_COUNT"))
    if not number or [Path(arg).name for arg in session.config.args] != ["tests"]:
        return
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    begin = int(number.removeprefix("gw")) * len(files) // int(count)
    for file in files[begin:]:
        # What cannot be read is met again, and told, where it is collected.
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(session.config.rootpath).with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    rings.leave_out(config, items)


def pytest_collection_finish() -> None:
    if "torch" in sys.modules:
        _seed_no_other_device(sys.modules["torch"])
    # What is there by now stays: no search for garbage has to go through it again.
    garbage.settle()
    gc.enable()


def _seed_no_other_device(torch: Any) -> None:
    """For devices that are not there, PyTorch notes each seed with the whole stack: longer than most samples take."""
    for device in (torch.cuda, torch.xpu, torch.mtia):
        if not device.is_available():
            device._is_in_bad_fork = lambda: True


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for title, lines in summary.SECTIONS.items():
        terminalreporter.section(title)
        for line in lines:
            terminalreporter.write_line(line)
