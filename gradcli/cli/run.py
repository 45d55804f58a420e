"""``gradcli run``: a spec as a script."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from . import specs
from .parsing.command import command, pass_given, switch

if TYPE_CHECKING:
    from ..report.stream import SpecOutput
    from .confined import Inside, Printed
    from .parsing.command import Given


@command(
    "run",
    help="Run a spec as a script: what it prints, what it asserts.",
    examples=(
        ("gradcli run 'sin(x) * x' x=2", "an expression and its input"),
        ("gradcli run net.py --seed 1", "a PyTorch program"),
        ("gradcli run net.py::loss x='randn(3)'", "a function in it"),
        ("gradcli run -e '-x**2' x=@data.csv", "what begins with a dash"),
        ("cat net.py | gradcli run -", "from standard input"),
    ),
    dash=specs.DASH,
)
@specs.words()
@specs.source()
@specs.dtype
@specs.limits()
@switch("--echo", help="Print the value of a last bare expression of a file, too.")
@switch("--progress", help="Draw on a terminal how far the outermost loop is, and how long the rest may take.")
@pass_given
def run(given: Given) -> None:
    """Run the program; what it writes to stdout and stderr goes there as it is written."""
    from ..errors import OutputError
    from ..report.stream import SpecOutput

    request = specs.request(given)
    output, errors = SpecOutput(sys.stdout), SpecOutput(sys.stderr)

    def complain(text: str) -> None:
        # Where both go to one place, each stands where the program wrote it.
        output.flush()
        try:
            errors.write(text)
            errors.flush()
        except (OutputError, OSError):
            # Nobody listens: the program goes on.
            return

    try:
        if "progress" in given.options:
            _with_progress(request, given, output, complain)
        else:
            request.done(_run, (request, given.get("echo")), output.write, errors=complain, asks=output.flush)
    finally:
        output.close()


def _with_progress(request: specs.Request, given: Given, output: SpecOutput, complain: Printed) -> None:
    """Run the program, and draw below what it writes how far its outermost loop is."""
    from ..report.progress import LoopBar
    from ..report.screen import Screen

    bar = LoopBar(Screen(sys.stderr, given.get("color", "auto"), os.environ))

    def above(put: Printed) -> Printed:
        def write(text: str) -> None:
            bar.clear()
            put(text)

        return write

    def asks() -> None:
        bar.clear()
        output.flush()

    try:
        request.done(_run, (request, given.get("echo")), above(output.write), bar.show, above(complain), asks)
    finally:
        bar.clear()


def _run(inside: Inside, asked: tuple[specs.Request, bool | None]) -> None:
    from ..spec.language.rounds import Rounds

    request, echo = asked
    program = request.program()
    machine = program.machine(inside.write, inside.write_error)
    machine.rounds = Rounds(inside.rounds)
    inside.started(machine)
    program.run(machine=machine, echo=echo)
