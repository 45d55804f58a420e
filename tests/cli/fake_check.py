"""A check that finds what a program says in its first comment: for tests of all that is around it."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from gradcli.check.judging.findings import Checked, Entry, Finding, Options
from gradcli.check.judging.verdict import Judged, Verdict
from gradcli.errors import Span


def check_program(program: Any, options: Options, started: Any = None, checked: Any = None) -> Checked:
    """One finding for each verdict that is named in the first line; `exit` ends the process, `bug` is one."""
    checked = Checked(program.source.name) if checked is None else checked
    checked.inputs = checked.numbers = 1
    for word in program.source.text.split("\n")[0].lstrip("# ").split():
        if word == "exit":
            os._exit(9)
        if word == "bug":
            raise ZeroDivisionError("a \x1b bug")
        if word == "print":
            print("printed", flush=True)
        if word in Verdict.__members__:
            verdict = Verdict(word)
            worst = Entry((), 0.5, Judged(verdict, 1.0, 2.0, 1e-9))
            span = Span(program.source, 1, 0, 1, 3)
            checked.findings.append(
                Finding("out", "x", 1, verdict, digits=9.5, entries=1, wrong_entries=1, worst=worst, span=span)
            )
    if "run" in program.source.text:
        machine = program.machine()
        if started is not None:
            started(machine)
        program.run(machine=machine)
    return checked


def install() -> ModuleType:
    """The module that stands for the real one."""
    module = ModuleType("gradcli.check.check")
    module.check_program = check_program  # type: ignore[attr-defined]
    return module
