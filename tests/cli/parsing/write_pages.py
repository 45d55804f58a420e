"""The help pages as they should be: ``python -m tests.cli.parsing.write_pages`` writes them anew, to be read by you."""

from __future__ import annotations

from pathlib import Path

import click

from gradcli.cli.commands import COMMANDS, gradcli
from gradcli.cli.parsing.command import Context

PAGES = Path(__file__).parent / "pages"
WIDTHS = (80, 40)


def pages() -> dict[str, str]:
    """Every page, by the name of its file."""
    found = {}
    for width in WIDTHS:
        top = Context(gradcli, info_name="gradcli", terminal_width=width)
        found[f"gradcli.{width}.txt"] = f"{top.get_help()}\n"
        for name in COMMANDS:
            context = Context(command(name), info_name=name, parent=top, terminal_width=width)
            found[f"{name}.{width}.txt"] = f"{context.get_help()}\n"
    return found


def command(name: str) -> click.Command:
    """The command of a name."""
    found = gradcli.get_command(Context(gradcli, info_name="gradcli"), name)
    assert found is not None
    return found


if __name__ == "__main__":
    for name, text in pages().items():
        (PAGES / name).write_text(text)
