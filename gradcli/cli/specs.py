"""What every command that runs a spec accepts, and the program that it means."""

from __future__ import annotations

from .options import SECONDS, Argument, Option, shown, whole
from .process import tell_warning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from ..spec.guard.limits import Limits
    from ..spec.input.named_inputs import Binding
    from ..spec.input.source import Spec
    from ..spec.program import Program
    from .confined import Inside, Printed
    from .options import Given

    T = TypeVar("T")

ARGUMENTS = (
    Argument("SPEC", help="An expression, a file, FILE::NAME, or - for standard input.", files=True),
    Argument("NAME=VALUE ...", help="Inputs: a number, a nested list, randn(2,3), @data.npy or @data.csv.", files=True),
)

DASH = "a SPEC that begins with '-' goes behind -e (an expression) or -f (a file)"

INPUT, _LIMITS = "Spec and inputs", "Limits"
_MOST = 10**15  # more than any limit needs to be

OPTIONS = (
    Option("-e", "--expression", metavar="TEXT", group=INPUT, help="The SPEC, which is an expression."),
    Option("-f", "--file", metavar="PATH", group=INPUT, help="The SPEC, which is a file.", files=True),
    Option("-i", "--input", metavar="NAME=VALUE", group=INPUT, many=True, help="An input, anywhere on the line."),
    Option("--no-grad", metavar="NAME", group=INPUT, many=True, help="Make an input a constant."),
    Option("--seed", metavar="N", kind=whole(0, 2**64 - 1), group=INPUT, help="Seed of random numbers (0)."),
    Option(
        "--dtype",
        choices=("float32", "float64"),
        group=INPUT,
        help="Default dtype (float64 inline, float32 for files).",
    ),
    Option(
        "--limits",
        choices=("strict", "relaxed"),
        group=_LIMITS,
        help="What the program may use (strict: 10 s, 512 MB, 64 KiB of source).",
    ),
    Option("--timeout", metavar="SECONDS", kind=SECONDS, group=_LIMITS, help="Time on the processor that it may take."),
    Option("--max-memory", metavar="MB", kind=whole(1, _MOST), group=_LIMITS, help="Memory of the process."),
    Option("--max-elements", metavar="N", kind=whole(10**5, _MOST), group=_LIMITS, help="Elements of one tensor."),
    Option("--max-steps", metavar="N", kind=whole(1, _MOST), group=_LIMITS, help="Steps of the interpreter."),
    Option("--max-output", metavar="MB", kind=whole(1, _MOST), group=_LIMITS, help="Millions of characters printed."),
    Option("--max-source", metavar="KIB", kind=whole(1, _MOST), group=_LIMITS, help="Length of the source."),
    Option("--no-wall", group=_LIMITS, help="Leave the kernel's wall around the program out."),
)

# Option -> the limit that it sets, and in what units.
_OVERRIDES = {
    "timeout": ("seconds", 1),
    "max_memory": ("memory", 10**6),
    "max_elements": ("elements", 1),
    "max_steps": ("steps", 1),
    "max_output": ("output", 10**6),
    "max_source": ("source", 1024),
}


class Request:
    """What a command line means: a program with its inputs, and what it may use. Nothing of it has been parsed yet."""

    def __init__(
        self, spec: Spec, bindings: Sequence[Binding], chosen: Mapping[str, Any], limits: Limits, walled: bool
    ) -> None:
        self.spec = spec
        self.bindings = bindings
        self.chosen = chosen
        self.limits = limits
        self.walled = walled

    def program(self) -> Program:
        """The program, parsed."""
        from ..spec.program import Program

        return Program(self.spec, bindings=self.bindings, limits=self.limits, **self.chosen)

    def done(self, act: Callable[[Inside, T], Any], argument: T, printed: Printed = str) -> tuple[Any, str]:
        """Do something with the program in a process of its own: what came of it, and the parts of a long result."""
        # What the child needs is read before it is there.
        from ..spec import program as _program  # noqa: F401
        from ..spec.input.named_inputs import data_files
        from .confined import Task, done

        task = Task(act, argument, self.limits, data_files(self.bindings), self.walled)
        return done(task, printed, tell_warning)


def request(given: Given) -> Request:
    """The program that a command line means, with its inputs."""
    from ..spec.input.named_inputs import bindings, check_data

    limits = limits_of(given.options)
    spec, inputs = _spec(given, limits)
    found = bindings([*inputs, *given.get("input", [])])
    check_data(found)
    chosen: dict[str, Any] = {key: given.options[key] for key in ("no_grad", "seed", "dtype") if key in given.options}
    return Request(spec, found, chosen, limits, "no_wall" not in given.options)


def _spec(given: Given, limits: Limits) -> tuple[Spec, list[str]]:
    """The program that was named, and the arguments that are inputs."""
    from ..spec.input.named_inputs import is_binding
    from ..spec.input.source import read

    arguments = given.arguments
    forced = [(key, given.options[key]) for key in ("expression", "file") if key in given.options]
    if len(forced) > 1 or any(len(given.places[key]) > 1 for key, _ in forced):
        last = max((given.places[key][-1], key) for key, _ in forced)[1]
        raise given.misuse("there is one SPEC, and another was given before", -1, last)
    inputs = arguments if forced else arguments[1:]
    for at, text in enumerate(inputs, len(arguments) - len(inputs)):
        if not is_binding(text):
            help = "a SPEC with blanks is one argument: put it in quotes" if at else f"-{forced[0][0][0]} gave the SPEC"
            raise given.misuse(f"{shown(text)} is neither an option nor an input NAME=VALUE", at, help=help)
    if forced:
        key, text = forced[0]
        return read(text, kind="expression" if key == "expression" else "path", max_bytes=limits.source), inputs
    if not arguments:
        raise given.line.misuse("there is no SPEC", len(given.line.words), ARGUMENTS[0].help)
    return read(arguments[0], max_bytes=limits.source), inputs


def limits_of(chosen: Mapping[str, Any]) -> Limits:
    """The limits that were chosen, single ones last."""
    from ..spec.guard.limits import PRESETS

    overrides = {name: chosen[key] * unit for key, (name, unit) in _OVERRIDES.items() if key in chosen}
    return PRESETS[chosen.get("limits", "strict")].replace(**overrides)
