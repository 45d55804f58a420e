"""``gradcli run``: a spec as a script."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from . import specs
from .parsing.command import command, pass_given, switch

if TYPE_CHECKING:
    from .confined import Inside
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
@pass_given
def run(given: Given) -> None:
    """Run the program; what it prints goes to stdout as it is printed."""
    from ..report.stream import SpecOutput

    request = specs.request(given)
    output = SpecOutput(sys.stdout)
    try:
        request.done(_run, (request, given.get("echo")), output.write)
    finally:
        output.close()


def _run(inside: Inside, asked: tuple[specs.Request, bool | None]) -> None:
    request, echo = asked
    program = request.program()
    machine = program.machine(inside.write)
    inside.started(machine)
    program.run(machine=machine, echo=echo)
