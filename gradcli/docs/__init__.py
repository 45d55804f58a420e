"""The manual: each chapter is a file of Markdown beside this one; what tables know, `gradcli explain` tells."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
# In the order of reading.
ORDER = (
    "language", "trace", "check", "how-check-decides", "verdicts", "ci", "settings", "python", "api", "commands",
    "formats", "platforms", "safety", "gallery", "conformance", "speed",
)  # fmt: skip


def text_of(name: str) -> str:
    """The text of a chapter."""
    return (FOLDER / f"{name.replace('-', '_')}.md").read_text(encoding="utf-8")


def titles() -> dict[str, str]:
    """The first line of each chapter."""
    return {name: text_of(name).partition("\n")[0].removeprefix("# ") for name in ORDER}
