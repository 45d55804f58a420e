"""The ``gradcli`` command of click: its commands by name, each read when it is called, shown or completed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from .parsing.command import Base, Context, pass_context, switch
from .parsing.pages import Pages, put
from .parsing.types import beginning
from .parsing.words import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem

    from ..errors import InputError

# The first takes a SPEC: it is proposed to those who left the command out.
COMMANDS = {
    "trace": "Show the graph that autograd recorded, with the gradient on every edge.",
    "check": "Check gradients against derivatives with error bars.",
    "merge": "Make one report of the parts of a check, with one exit code.",
    "diff": "Tell what differs between two graphs: ops, shapes, values, gradients.",
    "export-dot": "Draw the graph: as DOT, SVG, PNG or PDF.",
    "init": "Begin in a project: settings, one spec, and lines for its CI.",
    "run": "Run a spec as a script: what it prints, what it asserts.",
    "ops": "List what is supported; show one operation with its rule.",
    "explain": "Explain the code of an error, or list the codes.",
    "docs": "Show a chapter of the manual, or list the chapters.",
    "completion": "Print a completion script for a shell.",
}

ABOUT = "Run PyTorch programs without PyTorch, look into the graphs that autograd records, and check gradients."

EXAMPLES = (
    ("gradcli trace '(a + b) * b' a=2 b=3", "the graph, and every gradient"),
    ("gradcli check net.py", "is every gradient right?"),
    ("gradcli run 'sin(x) * x' x=2", "the value of an expression"),
    ("gradcli run net.py", "what a PyTorch program prints"),
    ("gradcli ops 'soft*'", "what there is of that name"),
)

EXIT_CODES = (
    ("0", "fine"),
    ("1", "a verdict: a gradient is wrong, an assert failed, two graphs differ"),
    (
        "2",
        "no verdict: usage, an invalid spec or input, an error of the program, a limit reached, nothing to check",
    ),
    ("3", "an internal error, or the output could not be written"),
    ("130, 143, 141", "interrupted; terminated; the reader closed the pipe"),
)


class LazyGroup(Base, click.Group):
    """A group whose commands are known by name, and read from modules of their names when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names, in the order of the page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Read the command of a name."""
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        stem = cmd_name.replace("-", "_")
        found: click.Command = getattr(import_module(f"{__package__}.{stem}"), stem)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word, or say what that might have meant."""
        assert isinstance(ctx, Context)
        found = self.get_command(ctx, args[0])
        if found is None and not ctx.resilient_parsing:
            raise self._unknown(ctx, args)
        return str(args[0]), found, args[1:]

    def _unknown(self, ctx: Context, args: Sequence[str]) -> InputError:
        """A first word that is misspelt, or a SPEC without its command."""
        first = str(args[0])
        message = f"{ctx.command_path} has no command {shown(first)}"
        help = did_you_mean(first, COMMANDS) or _as_spec(args)
        return ctx.line.misuse(message, getattr(args[0], "at", None), help)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Propose commands without reading them, and options."""
        found = [item for name in COMMANDS for item in beginning([name], incomplete, COMMANDS[name])]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Give what stands behind the name of the program."""
        return ["COMMAND ..."]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, and then the options."""
        assert isinstance(formatter, Pages)
        formatter.write_rows("Commands", COMMANDS.items())
        super().format_options(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write where to read on."""
        formatter.write_paragraph()
        formatter.write_text(f"`{ctx.command_path} COMMAND --help` shows what a command takes.")

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Be the program: end with the exit code, which is never click's 1 for what is no verdict."""
        if standalone_mode:
            import sys

            sys.exit(run(list(sys.argv[1:] if args is None else args)))
        return super().main(args, prog_name, complete_var, standalone_mode, **extra)


def _as_spec(words: Sequence[str]) -> str:
    from shlex import join

    name = next(iter(COMMANDS))
    command = ["gradcli", name]
    whole = join([*command, *words])
    return f"to {name} it as a SPEC: {whole if len(whole) <= 100 else join([*command, '...'])}"


@click.command(
    "gradcli",
    cls=LazyGroup,
    help=ABOUT,
    examples=EXAMPLES,
    epilogue=[("Exit codes", EXIT_CODES)],
    dash="options stand behind the command: gradcli COMMAND ...",
    invoke_without_command=True,
)
@switch("-V", "--version", help="Show the version and exit.")
@switch("-v", "--verbose", hidden=True, help="With --version: what the kernel gives.")
@pass_context
def gradcli(ctx: Context, version: bool, verbose: bool) -> None:
    """Do what belongs to no command."""
    if version:
        from .. import __version__

        put(f"gradcli {__version__}\n")
        if verbose:
            from ..wall.kernel import available

            put(f"{available().describe()}\n")
        ctx.exit()
    if verbose:
        raise ctx.misuse(f"{ctx.command_path} has no option '-v'", "verbose", help=gradcli.dash)
    if ctx.invoked_subcommand is None:
        put(f"{ctx.get_help()}\n")
        # Where nothing was asked for, the help is no verdict.
        ctx.exit(2)


def answer(words: list[str]) -> int:
    """Do what the words behind ``gradcli`` ask for, or what a shell asks that completes them; return the exit code."""
    asked = os.environ.pop("_GRADCLI_COMPLETE", None)
    if asked is not None:
        from click.shell_completion import shell_complete

        from . import completion as _bash  # noqa: F401 (it is registered)

        return shell_complete(gradcli, {}, "gradcli", "_GRADCLI_COMPLETE", asked)
    try:
        with gradcli.make_context("gradcli", words) as ctx:
            gradcli.invoke(ctx)
    except click.exceptions.Exit as end:
        return end.exit_code
    return 0


def run(words: list[str]) -> int:
    """Do what the words ask for; every accident has its exit code."""
    from . import process

    return process.run(words, answer)
