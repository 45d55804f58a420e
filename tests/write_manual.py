"""The chapters of the manual that are generated: ``python -m tests.write_manual`` writes them anew, to be read by you.

All commands with all their options, from their declarations; all verdicts, notes and codes, from their tables; and what
`import gradcli` has of its own, from its docstrings.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import gradcli
from gradcli.autograd import gradcheck, gradgradcheck
from gradcli.cli.commands import COMMANDS
from gradcli.cli.parsing.command import Argument, Option
from gradcli.docs import FOLDER
from gradcli.graph.library import Trace
from gradcli.report.codes import CODES
from gradcli.report.library import Result
from gradcli.verdicts import NoteKind, Verdict
from tests.cli.parsing.write_pages import command

Rows = Iterator[tuple[str, ...]]


def pages() -> dict[str, str]:
    """Each generated chapter, by the name of its file."""
    return {
        "commands.md": "\n".join(_commands()), "verdicts.md": "\n".join(_verdicts()), "api.md": "\n".join(_api()),
    }  # fmt: skip


def _table(heads: tuple[str, ...], rows: Rows) -> Iterator[str]:
    found = [*rows]
    if not found:
        return
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for row in found:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


# -- commands --------------------------------------------------------------------------------------


def _commands() -> Iterator[str]:
    yield "# Commands and their options\n"
    yield "Every command as it is declared; `gradcli COMMAND --help` shows the same, with examples. Options of one"
    yield "letter may be bundled, values may follow a space or a `=`, and `--` ends the options.\n"
    yield "Exit codes are the same everywhere: 0 fine, 1 a gradient or an assert is wrong (of `diff`: the graphs"
    yield "differ), 2 the input is, 3 a bug of gradcli's own, 130 and 143 interrupted, 141 nobody reads what it"
    yield "writes.\n"
    for name in COMMANDS:
        of = command(name)
        yield f"## gradcli {name}\n"
        yield f"{of.help}\n"
        yield from _table(("argument", "meaning"), _arguments(of))
        for group, options in _groups(of).items():
            yield from _table((group.lower(), "takes", "meaning"), _options(options))


def _arguments(of: click.Command) -> Rows:
    for param in of.params:
        if isinstance(param, Argument):
            yield from ((f"`{term}`", text) for term, text in param.rows)


def _groups(of: click.Command) -> dict[str, list[Option]]:
    found: dict[str, list[Option]] = {}
    for param in of.params:
        if isinstance(param, Option) and not param.hidden:
            found.setdefault(param.group, []).append(param)
    return found


def _options(options: list[Option]) -> Rows:
    for option in options:
        value = f"`{option.value}`" if option.value else ""
        yield ", ".join(f"`{flag}`" for flag in option.opts), value, option.help or ""


# -- verdicts, notes, codes ------------------------------------------------------------------------


def _verdicts() -> Iterator[str]:
    yield "# Verdicts, notes and codes\n"
    yield "Every word of a report that stands for a rule. `gradcli explain WORD` says more of each, with a program that"
    yield "earns it and one that does not. [How the checker decides](how_check_decides.md) has the rules themselves.\n"
    yield "## Verdicts\n"
    yield from _table(("verdict", "code", "in CI", "an exception by", "meaning"), _of_verdicts())
    yield "## Notes\n"
    yield from _table(("note", "meaning"), ((f"`{kind}`", kind.meaning) for kind in NoteKind))
    yield "## Codes\n"
    yield from _table(("code", "title"), ((f"`{code}`", entry.title) for code, entry in CODES.items()))


_OUTCOMES = {
    "PASSES": "passes", "TOLERATED": "passes, and fails with `--strict`",
    "ENDLESS": "passes where the claim is infinite, too", "FAILS": "fails (1)", "BLAMED": "fails (1)",
    "UNDECIDED": "undecided (2)",
}  # fmt: skip


def _of_verdicts() -> Rows:
    for verdict in Verdict:
        meaning = verdict.meaning or CODES[str(verdict.code)].title
        allow = f"`--allow {verdict.allow}`" if verdict.allow else ""
        yield f"`{verdict}`", verdict.code or "", _OUTCOMES[verdict.severity.name], allow, meaning


# -- what Python has -------------------------------------------------------------------------------

_OURS: dict[str, Any] = {
    "gradcli.trace": gradcli.trace, "gradcli.recording": gradcli.recording, "gradcli.make_dot": gradcli.make_dot,
    "gradcli.check": __import__("gradcli.report.library", fromlist=["check"]).check,
    "gradcli.assert_gradient": gradcli.assert_gradient,
    "gradcli.autograd.gradcheck": gradcheck, "gradcli.autograd.gradgradcheck": gradgradcheck,
}  # fmt: skip
_CLASSES = {"The graph that `gradcli.trace` gives": Trace, "The result that `gradcli.check` gives": Result}


def _api() -> Iterator[str]:
    yield "# Functions and classes of Python's\n"
    yield "What `import gradcli` has of its own, from the docstrings; [In Python](python.md) shows it at work. All"
    yield "else in the module is named as in `torch`: `gradcli ops` lists it.\n"
    for name, function in _OURS.items():
        yield f"## {name}\n"
        yield f"```text\n{name}{_signature(function)}\n```\n"
        yield f"{_doc(function)}\n"
    for title, cls in _CLASSES.items():
        yield f"## {title}\n"
        yield f"{_doc(cls)}\n"
        yield from _table(("name", "meaning"), _members(cls))


def _signature(function: Any) -> str:
    found = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name != "self"]
    return str(found.replace(parameters=bare, return_annotation=found.empty))


def _doc(of: Any) -> str:
    return inspect.cleandoc(of.__doc__ or "").replace("``", "`")


def _members(cls: type) -> Rows:
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"`.{name}`", re.sub(r"\s+", " ", _doc(member.fget))
        elif callable(member):
            yield f"`.{name}{_signature(member)}`", re.sub(r"\s+", " ", _doc(member))


if __name__ == "__main__":
    for file, text in pages().items():
        (Path(FOLDER) / file).write_text(text.rstrip("\n") + "\n", encoding="utf-8")
