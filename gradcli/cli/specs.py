"""What every command that runs a spec accepts, and the program that it means."""

from __future__ import annotations

from .options import SECONDS, Argument, Option, shown, whole
from .process import tell, tell_warning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType
    from typing import Any, TypeVar

    from ..errors import LimitError, Span
    from ..report.stream import SpecOutput
    from ..spec.interpreter.machine import Machine
    from ..spec.limits import Limits
    from ..spec.program import Program, Run
    from ..spec.source import Spec
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
    Option("--timeout", metavar="SECONDS", kind=SECONDS, group=_LIMITS, help="Time that it may take."),
    Option("--max-memory", metavar="MB", kind=whole(1, _MOST), group=_LIMITS, help="Memory of the process."),
    Option("--max-elements", metavar="N", kind=whole(10**5, _MOST), group=_LIMITS, help="Elements of one tensor."),
    Option("--max-steps", metavar="N", kind=whole(1, _MOST), group=_LIMITS, help="Steps of the interpreter."),
    Option("--max-output", metavar="MB", kind=whole(1, _MOST), group=_LIMITS, help="Millions of characters printed."),
    Option("--max-source", metavar="KIB", kind=whole(1, _MOST), group=_LIMITS, help="Length of the source."),
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


def program(given: Given) -> Program:
    """The program that a command line means, with its inputs."""
    limits = limits_of(given.options)
    spec, inputs = _spec(given, limits)

    # What was wrong so far is said without loading the engine.
    from ..spec.inputs import bindings
    from ..spec.program import Program

    chosen = {key: given.options[key] for key in ("no_grad", "seed", "dtype") if key in given.options}
    return Program(spec, bindings=bindings([*inputs, *given.get("input", [])]), limits=limits, **chosen)


def run(program: Program, output: SpecOutput, **how: Any) -> Run:
    """Run a program within its limits, and pass on what it prints."""
    try:
        return watched(
            program.limits, lambda started: program.run(output.write, started=started, **how), flush=output.flush
        )
    finally:
        output.close()


def watched(
    limits: Limits,
    act: Callable[[Callable[[Machine], None]], T],
    flush: Callable[[], None] | None = None,
    lost: Callable[[LimitError], object] = tell,
    since: float | None = None,
) -> T:
    """Do something with a program within its limits of time and memory.

    ``act`` is given what the machine that runs the program is to be told to. Before the process is ended from outside,
    ``flush`` is called, and ``lost`` with the reason. The time counts from the start of the process, or ``since`` then.
    """
    import gc
    import sys
    import warnings

    from ..spec.watch import enforced, process_start

    machines: list[Machine] = []

    def where(frame: FrameType) -> Span | None:
        return machines[-1].here(frame) if machines else None

    def report(error: LimitError) -> None:
        if flush is not None:
            wait_for(flush)
        lost(error)

    def show(message: Warning | str, category: type[Warning], *elsewhere: Any, **more: Any) -> None:
        # Where in our own files a warning was given says nothing to whoever wrote the program.
        tell_warning(f"{category.__name__}: {message}", where(sys._getframe(1)))

    gc.enable()
    with warnings.catch_warnings(), enforced(limits, where, report, process_start() if since is None else since):
        warnings.showwarning = show
        return act(machines.append)


def _spec(given: Given, limits: Limits) -> tuple[Spec, list[str]]:
    """The program that was named, and the arguments that are inputs."""
    from ..spec.inputs import is_binding
    from ..spec.source import read

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
    from ..spec.limits import PRESETS

    overrides = {name: chosen[key] * unit for key, (name, unit) in _OVERRIDES.items() if key in chosen}
    return PRESETS[chosen.get("limits", "strict")].replace(**overrides)


def wait_for(flush: Callable[[], None], seconds: float = 0.1) -> None:
    """Flush from beside a thread that may be writing to a reader who does not read: only a moment is given to it."""
    import _thread

    done = _thread.allocate_lock()
    done.acquire()

    def attempt() -> None:
        try:
            flush()
        except Exception:
            # What could not be written is not what the process ends for.
            return
        finally:
            done.release()

    _thread.start_new_thread(attempt, ())
    done.acquire(timeout=seconds)
