"""Help pages, laid out from the declarations of the commands."""

from __future__ import annotations

import os
import sys

from .options import HELP, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .options import Command, Option

WIDTH = 80
# Room for an explanation beside its term; where there is less, it stands below.
LEAST = 24

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
    ("1", "a verdict: a gradient is wrong, an assert failed"),
    (
        "2",
        "no verdict: usage, an invalid spec or input, an error of the program, a limit reached, nothing to check",
    ),
    ("3", "an internal error, or the output could not be written"),
    ("130, 141", "interrupted; the reader closed the pipe"),
)


def overview(commands: Mapping[str, str], width: int | None = None) -> str:
    """The page of ``gradcli --help``."""
    width = width or page_width()
    return "\n".join(
        [
            *flow(ABOUT, width),
            *_examples(EXAMPLES, width),
            *_usage("gradcli COMMAND ...", width),
            *section("Commands", commands.items(), width),
            *section("Options", map(_row, (HELP, VERSION)), width),
            *section("Exit codes", EXIT_CODES, width),
            "",
            *flow("`gradcli COMMAND --help` shows what a command takes.", width),
            "",
        ]
    )


def page(name: str, summary: str, command: Command, width: int | None = None) -> str:
    """The page of ``gradcli COMMAND --help``."""
    width = width or page_width()
    positional = [a.metavar if a.required else f"[{a.metavar}]" for a in command.arguments]
    usage = " ".join(["gradcli", name, "[OPTIONS]", *positional])
    groups: dict[str, list[Option]] = {}
    for option in command.options:
        groups.setdefault(option.group, []).append(option)
    lines = [
        *flow(summary, width),
        *_examples(command.examples, width),
        *_usage(usage, width),
        *section("Arguments", [(a.metavar, a.help) for a in command.arguments], width),
    ]
    for title, options in groups.items():
        lines += section(title, map(_row, options), width)
    return "\n".join([*lines, ""])


def page_width() -> int:
    """The columns of a page: never more than are pleasant to read, never fewer in a pipe."""
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError, AttributeError):
        columns = 0
    return min(columns or WIDTH, WIDTH)


def section(title: str, rows: Iterable[tuple[str, str]], width: int) -> list[str]:
    """A heading over rows of a term and its explanation, beside each other where there is room."""
    rows = list(rows)
    if not rows:
        return []
    left = max(len(term) for term, _ in rows) + 4
    beside = width - left >= LEAST
    lines = ["", f"{title}:"]
    for term, text in rows:
        if beside:
            first, *rest = flow(text, width, left) or [""]
            lines.append(f"  {term:{left - 2}}{first[left:]}".rstrip())
            lines += rest
        else:
            lines += [f"  {term.strip()}", *flow(text, width, 6)]
    return lines


def flow(text: str, width: int, indent: int = 0) -> list[str]:
    """A text broken at its spaces into lines that fit."""
    lines: list[str] = []
    line = " " * indent
    for word in text.split():
        if len(line) + len(word) > width and line.strip():
            lines.append(line.rstrip())
            line = " " * indent
        line += word + " "
    return [*lines, line.rstrip()] if line.strip() else lines


def _examples(examples: Iterable[tuple[str, str]], width: int) -> list[str]:
    return section("Examples", [(line, f"# {remark}") for line, remark in examples], width)


def _usage(line: str, width: int) -> list[str]:
    return ["", "Usage:", *flow(line, width, 2)]


def _row(option: Option) -> tuple[str, str]:
    """The flags of an option, aligned on the long one, and its help."""
    flags = ", ".join(option.flags)
    short = len(option.flags) > 1
    return f"{'' if short else '    '}{flags} {option.metavar}".rstrip(), option.help
