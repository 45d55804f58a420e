"""The help pages as they should be: ``python -m tests.cli.write_pages`` writes them anew, to be read by you."""

from __future__ import annotations

from pathlib import Path

from gradcli.cli.commands import COMMANDS, load
from gradcli.cli.pages import overview, page

PAGES = Path(__file__).parent / "pages"
WIDTHS = (80, 40)


def pages() -> dict[str, str]:
    """Every page, by the name of its file."""
    found = {}
    for width in WIDTHS:
        found[f"gradcli.{width}.txt"] = overview(COMMANDS, width)
        for name, summary in COMMANDS.items():
            found[f"{name}.{width}.txt"] = page(name, summary, load(name), width)
    return found


if __name__ == "__main__":
    for name, text in pages().items():
        (PAGES / name).write_text(text)
