"""Every code a diagnostic can carry: its title, and the long form that ``gradcli explain`` shows."""

from __future__ import annotations

from . import gradients, language, limits, outside, running

# Sorted: E1 syntax, E2 names, E3 what an operation or the program itself says, E4 limits, E5 input and output,
# G1 what a check finds of gradients.
CODES = language.CODES | running.CODES | limits.CODES | outside.CODES | gradients.CODES


def titles() -> dict[str, str]:
    """The title of each code."""
    return {code: entry.title for code, entry in CODES.items()}


def explanation(code: str) -> str | None:
    """The long form of a code, in lines of at most 80 characters; None for what is no code."""
    code = code.upper()
    entry = CODES.get(code)
    if entry is None:
        return None
    parts = [f"{code}: {entry.title}", entry.meaning]
    if entry.wrong:
        parts += ["This earns it:", _indented(entry.wrong)]
    if entry.right:
        parts += ["This does not:", _indented(entry.right)]
    return "\n\n".join([*parts, entry.advice]) + "\n"


def _indented(example: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in example.split("\n"))
