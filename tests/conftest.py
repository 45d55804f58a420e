"""One thread for every engine, engines as a fixture, and what was measured at the end."""

from __future__ import annotations

import importlib.util
import signal
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from . import one_thread as one_thread, summary

# A busy machine is slow to draw examples, which says nothing of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# `nohup pytest &` is started with interruptions ignored, and so would be what the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

HAS_TORCH = importlib.util.find_spec("torch") is not None

needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed: pip install torch==2.13.0")


@pytest.fixture(params=["gradcli", pytest.param("torch", marks=needs_torch)])
def torch(request: pytest.FixtureRequest) -> Any:
    """gradcli, and PyTorch itself when installed: what a test expects of one it expects of both."""
    return importlib.import_module(request.param)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for title, lines in summary.SECTIONS.items():
        terminalreporter.section(title)
        for line in lines:
            terminalreporter.write_line(line)
