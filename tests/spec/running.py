"""Running a program in the interpreter, for the tests."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

from gradcli.errors import Source
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program, Run


def program(text: str, *, inline: bool = False, target: str | None = None, **how: Any) -> Program:
    """A program from its text."""
    return Program(Spec(Source("spec.py", text), inline, target, None), **how)


def printed(text: str, **how: Any) -> str:
    """What a program prints."""
    parts: list[str] = []
    program(text, **how).run(parts.append)
    return "".join(parts)


def printed_by_python(text: str) -> str:
    """What Python itself prints."""
    wanted = io.StringIO()
    with contextlib.redirect_stdout(wanted), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(text, {})
    return wanted.getvalue()


def run(text: str, **how: Any) -> Run:
    """What a program leaves behind."""
    return program(text, **how).run()
