"""Custom Functions, each as a program: right everywhere, right as far as they are meant, right only where tested."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

_ALL = json.loads((Path(__file__).parent / "data" / "functions.json").read_text())


class Case(NamedTuple):
    """A custom Function and what it is applied to."""

    name: str
    given: str
    forward: str
    backward: str
    applied: str

    @property
    def program(self) -> str:
        """The program."""
        names = ", ".join(line.split("=")[0].strip() for line in self.given.splitlines())
        lines = [
            "import torch",
            "import torch.nn.functional as fn",
            *self.given.splitlines(),
            "class F(torch.autograd.Function):",
            "    @staticmethod",
            f"    def forward(ctx, {names}):",
            indent(self.forward, "        "),
            "    @staticmethod",
            "    def backward(ctx, g):",
            indent(self.backward, "        "),
            self.applied.format(names=names),
        ]
        return "\n".join(lines) + "\n"


RIGHT, NOTED, WRONG = ([Case(**case) for case in _ALL[kind]] for kind in ("right", "noted", "wrong"))
# Right programs with custom Functions in them, by what they are about.
PROGRAMS: dict[str, str] = _ALL["programs"]
