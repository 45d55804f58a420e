"""What tests measured, for pytest to print after its own summary."""

from __future__ import annotations

SECTIONS: dict[str, list[str]] = {}


def add(title: str, lines: list[str]) -> None:
    """Show ``lines`` under ``title`` at the end of the run."""
    SECTIONS[title] = lines
