"""The options of every command that runs a spec, and the program that they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .parsing.command import argument, option, switch, together
from .parsing.names import Words, inputs_of_spec, names_in_spec
from .parsing.types import DTYPE, MOST, PATH, SECONDS, SEED, Choice, Whole
from .parsing.words import shown
from .process import tell_warning

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from ..graph.view.view import View
    from ..spec.guard.limits import Limits
    from ..spec.input.named_inputs import Binding
    from ..spec.input.source import Spec
    from ..spec.language.machine import Machine
    from ..spec.program import Program
    from .confined import Asks, Inside, Printed
    from .parsing.command import Decorator, Given
    from .project.spec_tables import SpecTable
    from .python.graph import PythonRequest

    T = TypeVar("T")

WHAT_A_SPEC_IS = "An expression, a file, FILE::NAME, or - for standard input."
WHAT_AN_ARG_IS = "Words for the program, which finds them in sys.argv."
WHAT_AN_INPUT_IS = "Inputs: a number, a nested list, randn(2,3), @data.npy or @data.csv."
DASH = "a SPEC that begins with '-' goes behind -e (an expression) or -f (a file)"

INPUT, LIMITS = "Spec and inputs", "Limits"
# Options that give a SPEC -> how it is read.
FORCED: dict[str, Literal["expression", "path"]] = {"expression": "expression", "file": "path"}


def words(spec: str = "SPEC", help: str = WHAT_A_SPEC_IS) -> Decorator:
    """The positional words: a SPEC, or several, and inputs."""
    rows = (spec, help), ("NAME=VALUE ...", WHAT_AN_INPUT_IS), ("-- ARG ...", WHAT_AN_ARG_IS)
    return argument("words", *rows, type=Words(), nargs=-1, hands_on=True)


def source(*, several: bool = False) -> Decorator:
    """The options for a SPEC that no positional word can be, and for its inputs."""
    spec, file = ("A SPEC", "path") if several else ("The SPEC", "file")
    return together(
        option(
            "-e", "--expression", metavar="TEXT", group=INPUT, multiple=True,
            help=f"{spec}, which is an expression.",
        ),
        option(
            "-f", "--file", metavar="PATH", type=PATH, group=INPUT, multiple=True,
            help=f"{spec}, which is a {file}.",
        ),
        option(
            "-i", "--input", metavar="NAME=VALUE", group=INPUT, multiple=True, shell_complete=inputs_of_spec,
            help="An input, anywhere on the line.",
        ),
        option(
            "--no-grad", metavar="NAME", group=INPUT, multiple=True, shell_complete=names_in_spec,
            help="Make an input a constant.",
        ),
        option(
            "--lend", metavar="PATH", type=PATH, group=INPUT, multiple=True,
            help="A file that the program may open: it is given a copy in memory.",
        ),
        option("--seed", metavar="N", type=SEED, group=INPUT, help="Seed of random numbers (0)."),
    )  # fmt: skip


def python() -> Decorator:
    """The switches for functions of somebody's own."""
    return together(
        switch(
            "--python", group=INPUT,
            help="The SPEC is a function of your own code, pkg.mod:name: only this imports and runs it.",
        ),
        switch("--train", group=INPUT, help="Leave a module of --python in training mode."),
    )  # fmt: skip


def limits(who: str = "the program", *, timeout: str = "Time on the processor that it may take.") -> Decorator:
    """The options for what a program may use."""
    return together(
        option(
            "--limits", type=Choice(["strict", "relaxed"]), group=LIMITS,
            help=f"What {who} may use (strict: 10 s, 512 MB, 64 KiB of source).",
        ),
        option("--timeout", metavar="SECONDS", type=SECONDS, group=LIMITS, help=timeout),
        option("--max-memory", metavar="MB", type=Whole(1, MOST), group=LIMITS, help="Memory of the process."),
        option("--max-elements", metavar="N", type=Whole(10**5, MOST), group=LIMITS, help="Elements of one tensor."),
        option("--max-steps", metavar="N", type=Whole(1, MOST), group=LIMITS, help="Steps of the interpreter."),
        option("--max-output", metavar="MB", type=Whole(1, MOST), group=LIMITS, help="Millions of characters printed."),
        option("--max-source", metavar="KIB", type=Whole(1, MOST), group=LIMITS, help="Length of the source."),
        switch("--no-wall", group=LIMITS, help="Leave the kernel's wall around the program out."),
    )  # fmt: skip


dtype = option("--dtype", type=DTYPE, group=INPUT, help="Default dtype (float64 inline, float32 for files).")


class Request:
    """The program that a command line means, with its inputs and what it may use; nothing of it is parsed yet."""

    def __init__(
        self, spec: Spec, bindings: Sequence[Binding], chosen: Mapping[str, Any], limits: Limits, walled: bool,
        table: SpecTable | None = None,
    ) -> None:  # fmt: skip
        self.spec = spec
        # What the settings of a project say of it.
        self.table = table
        self.bindings = bindings
        self.chosen = chosen
        self.limits = limits
        self.walled = walled

    def program(self) -> Program:
        """The program, parsed."""
        from ..spec.program import Program

        if self.table is None:
            return Program(self.spec, bindings=self.bindings, limits=self.limits, **self.chosen)
        settings: dict[str, Any] = self.table.values
        usual: dict[str, Any] = {key: settings[key] for key in ("no_grad", "backward", "args") if key in settings}
        given: dict[str, Any] = {"bindings": self.bindings, "settled": self.table.inputs, "limits": self.limits}
        program = Program(self.spec, **given, **{**usual, **self.chosen})
        # What comments in the spec say counts before settings.
        said = {*self.chosen, *(directive.key for directive in program.directives)}
        if "dtype" in settings and "dtype" not in said:
            usual["dtype"] = settings["dtype"]
            program = Program(self.spec, **given, **{**usual, **self.chosen})
        if "seed" in settings and "seed" not in said:
            program.seed = settings["seed"]
        return program

    def view(self, options: dict[str, Any], started: Callable[[Machine], None]) -> View:
        """The graph that was asked for."""
        import gc

        from ..graph.view.collect import of_program

        # A large graph lives until it is drawn: to look through it for garbage often would take longer than all else.
        gc.set_threshold(50_000, 50, 50)
        chosen = {key: options[key] for key in ("output", "order", "wrt", "forward") if key in options}
        return of_program(self.program(), started=started, **chosen)

    def done(
        self,
        act: Callable[[Inside, T], Any],
        argument: T,
        printed: Printed = str,
        watch: Callable[[Any], object] = id,
        errors: Printed = str,
        asks: Asks | None = None,
    ) -> tuple[Any, str]:
        """Do something with the program in a process of its own: what came of it, and the parts of a long result."""
        # What the child needs is read before it is there.
        from ..spec import program as _program  # noqa: F401
        from ..spec.input.named_inputs import data_files
        from .confined import Task, done

        table = self.table
        used = self.bindings if table is None else [*self.bindings, *table.beside(self.bindings)]
        files = (*data_files(used), *self.chosen.get("lend", ()))
        task = Task(act, argument, self.limits, files, self.walled)
        if table is None:
            return done(task, printed, tell_warning, watch, errors, asks)
        from ..errors import GradcliError

        try:
            return done(task, printed, tell_warning, watch, errors, asks)
        except GradcliError as error:
            table.place(error, self.bindings)
            raise


def asked(given: Given) -> Request | PythonRequest:
    """The program that a command line means, or the function of somebody's own that --python names."""
    if "python" in given.options:
        refuse_args(given)
        from .python.graph import request as in_python

        return in_python(given)
    if "train" in given.options:
        raise given.misuse("--train is about a module of --python", "train", help="add --python")
    return request(given)


def refuse_args(given: Given) -> None:
    """Refuse words and files for a program where a function of somebody's own is named."""
    if "lend" in given.options:
        raise given.misuse("--lend is for a spec", "lend", help="your own code opens files itself")
    if "args" in given.options:
        raise given.misuse("what stands behind -- is for a spec", help="a function takes inputs NAME=VALUE")


def request(given: Given) -> Request:
    """The program that a command line means, with its inputs."""
    from ..spec.input.lent_files import check_lent
    from ..spec.input.named_inputs import bindings, check_data
    from .parsing.limits import limits_of

    limits = limits_of(given.options)
    spec, inputs = _spec(given, limits)
    found = bindings([*inputs, *given.get("input", [])])
    table = _table(spec)
    check_data(found if table is None else [*found, *table.beside(found)])
    check_lent(given.get("lend", ()))
    return Request(spec, found, chosen(given), limits, "no_wall" not in given.options, table)


def _table(spec: Spec) -> SpecTable | None:
    """The table of the settings about a spec that is a file, or stands in one by a name; of several the first."""
    from .project.spec_tables import may_be_near

    if spec.path is None or not may_be_near():
        return None
    import os

    from .project.config import settings

    tables = settings(os.environ).tables_of(spec.path, spec.target)
    return next((table for table in tables if table.target == spec.target), None)


def chosen(given: Given) -> dict[str, Any]:
    """The options that say how a program is run."""
    keys = ("no_grad", "seed", "dtype", "backward", "args", "lend")
    return {key: given.options[key] for key in keys if key in given.options}


def _spec(given: Given, limits: Limits) -> tuple[Spec, list[str]]:
    """The program that was named, and the arguments that are inputs."""
    from ..spec.input.beside import read
    from ..spec.input.named_inputs import is_binding

    arguments = given.arguments
    forced = [(at, key, text) for key in FORCED for at, text in given.placed(key)]
    if len(forced) > 1:
        raise given.misuse("there is one SPEC, and another was given before", max(forced)[1])
    inputs = arguments if forced else arguments[1:]
    for at, text in enumerate(inputs, len(arguments) - len(inputs)):
        if not is_binding(text):
            if forced:
                help = f"-{forced[0][1][0]} gave the SPEC"
            elif is_binding(arguments[0]):
                help = "the SPEC comes before its inputs"
            else:
                help = "a SPEC with blanks is one argument: put it in quotes"
            raise given.misuse(f"{shown(text)} is neither an option nor an input NAME=VALUE", "words", at, help=help)
    if forced:
        _, key, text = forced[0]
        return read(text, kind=FORCED[key], max_bytes=limits.source), inputs
    if not arguments:
        raise given.misuse("there is no SPEC", help=WHAT_A_SPEC_IS)
    return read(arguments[0], max_bytes=limits.source), inputs
