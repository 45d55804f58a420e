"""The audit hook: what it ends a child for, and what goes on under it."""

from __future__ import annotations

import collections
import os
from pathlib import Path

import pytest

if not hasattr(os, "fork"):
    pytest.skip("the cases are run in forked children", allow_module_level=True)

from gradcli.wall import audit

from . import forbidden, work
from .asking import given, python

# What a system may do as well, but a computing process has no use for.
ENDED = {
    "named files": "mmap.__new__, exit 9",
    "fault": "ctypes.string_at, exit 9",
    "modules of the current directory": "open, exit 9",
    "files that are not there": "open, exit 9",
    "abort": "ended by SIGABRT",
}


@pytest.mark.parametrize("name", forbidden.EVENTS)
def test_a_child_is_ended_for(name: str) -> None:
    assert given("forbidden", "CASES", "audit")[name] == f"{forbidden.EVENTS[name][0]}, exit 9"


def test_nothing_is_changed() -> None:
    assert given("forbidden", "CASES", "audit")["unchanged"] == "True"


@pytest.mark.parametrize("name", forbidden.HARMLESS)
def test_a_child_may(name: str) -> None:
    said = given("forbidden", "CASES", "audit")[name]
    assert ", exit" not in said
    assert "Error" not in said or name == "a silent start"


@pytest.mark.parametrize("name", work.CASES)
def test_work_goes_on(name: str) -> None:
    assert given("work", "CASES", "audit")[name] == ENDED.get(name, "None")


def test_files_that_make_classes_are_those_of_the_interpreter() -> None:
    names = [os.path.join(os.path.dirname(os.__file__), *name.split("/")) for name in audit._MAKING]
    assert collections.namedtuple.__code__.co_filename in names
    assert all(Path(name).exists() for name in names)


def test_a_child_ends_though_telling_fails() -> None:
    program = (
        "import os\nfrom gradcli.wall import audit\n"
        "def tell(event):\n    open('/etc/passwd').close()\n    raise KeyError(event)\n"
        "audit.guard([], tell, 7)\nos.fork()\nprint('still here')"
    )
    done = python(program)
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")
