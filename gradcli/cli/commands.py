"""The commands by name, each with its line of help, and the way from the words of a command line to one of them."""

from __future__ import annotations

from .plain import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..errors import InputError
    from .options import Command, CommandLine

# The first takes a SPEC: it is proposed to those who left the command out.
COMMANDS = {
    "trace": "Show the graph that autograd recorded, with the gradient on every edge.",
    "check": "Check gradients against derivatives with error bars.",
    "export-dot": "Draw the graph: as DOT, SVG, PNG or PDF.",
    "run": "Run a spec as a script: what it prints, what it asserts.",
    "ops": "List what is supported; show one operation with its rule.",
    "explain": "Explain the code of an error, or list the codes.",
    "completion": "Print a completion script for a shell.",
}


def load(name: str) -> Command:
    """The declaration of a command, from the module of its name."""
    from importlib import import_module

    command: Command = import_module("gradcli.cli." + name.replace("-", "_")).COMMAND
    return command


def dispatch(line: CommandLine) -> int:
    """Do what a command line asks for, and return the exit code."""
    first = line.words[0] if line.words else None
    if first in COMMANDS:
        from .options import parse

        command = load(first)
        given = parse(first, command, line)
        if not given.get("help"):
            return command.main(given)
        from .pages import page

        put(page(first, COMMANDS[first], command))
    elif first in ("-V", "--version"):
        from .. import __version__

        put(f"gradcli {__version__}\n")
        if line.words[1:] in (["-v"], ["--verbose"]):
            from ..wall.kernel import available

            put(f"{available().describe()}\n")
    elif first in (None, "-h", "--help"):
        from .pages import overview

        put(overview(COMMANDS))
    else:
        raise _refused(first, line)
    # Where nothing was asked for, the help is no verdict.
    return 0 if line.words else 2


def _refused(first: str, line: CommandLine) -> InputError:
    """What to say of a first word that is misspelt, an option out of place, or a SPEC without its command."""
    from ..spec.torch_names.suggest import did_you_mean
    from .options import HELP, VERSION, shown

    if first.startswith("-") and first != "-":
        near = did_you_mean(first, (*HELP.flags, *VERSION.flags))
        behind = "options stand behind the command: gradcli COMMAND ..."
        return line.misuse(f"gradcli has no option {shown(first)}", 0, near or behind)
    near = did_you_mean(first, COMMANDS)
    return line.misuse(f"gradcli has no command {shown(first)}", 0, near or _as_spec(line))


def _as_spec(line: CommandLine) -> str:
    from shlex import join

    name = next(iter(COMMANDS))
    command = ["gradcli", name]
    whole = join([*command, *line.words])
    return f"to {name} it as a SPEC: {whole if len(whole) <= 100 else join([*command, '...'])}"
