"""Every code a diagnostic can carry: its title, and the long form that ``gradcli explain`` shows."""

from __future__ import annotations

from ...verdicts import ALLOWED, NoteKind, Verdict
from . import gradients, language, limits, outside, running

# Sorted: E1 syntax, E2 names, E3 what an operation or the program itself says, E4 limits, E5 input and output,
# G1 what a check finds of gradients.
CODES = language.CODES | running.CODES | limits.CODES | outside.CODES | gradients.CODES


def titles() -> dict[str, str]:
    """The title of each code."""
    return {code: entry.title for code, entry in CODES.items()}


def explanation(word: str) -> str | None:
    """The long form of a code, a verdict or a kind of note, in lines of at most 80 characters; None of what is none."""
    name = word.upper().replace("-", "_")
    if name in CODES:
        return _of_code(name)
    parts = []
    verdict = Verdict.__members__.get(name) or ALLOWED.get(word.lower().replace("_", "-"))
    if verdict is not None:
        parts.append(_of_verdict(verdict))
    if name in NoteKind.__members__:
        parts.append(_filled(f"{name}: a note of gradcli check. {NoteKind[name].meaning}"))
    if verdict is not None and verdict.code is not None:
        parts.append(_of_code(verdict.code))
    return "\n".join(parts) or None


def words() -> tuple[str, ...]:
    """All that there is an explanation of, as outputs show it."""
    return tuple(dict.fromkeys([*CODES, *map(str, Verdict), *ALLOWED, *map(str, NoteKind)]))


def _of_verdict(verdict: Verdict) -> str:
    """The meaning of a verdict: all there is to say of a pass, and of any other what its code does not say."""
    if verdict.meaning is not None:
        return _filled(f"{verdict}: a verdict of gradcli check. {verdict.meaning}")
    allow = "" if verdict.allow is None else f"; --allow {verdict.allow} makes an exception of it"
    return _filled(f"{verdict}: a verdict of gradcli check, with the code {verdict.code}{allow}.")


def _filled(text: str) -> str:
    """A paragraph in lines."""
    from textwrap import fill

    return fill(text, 80, break_long_words=False, break_on_hyphens=False) + "\n"


def _of_code(code: str) -> str:
    entry = CODES[code]
    parts = [f"{code}: {entry.title}", entry.meaning]
    if entry.wrong:
        parts += ["This earns it:", _indented(entry.wrong)]
    if entry.right:
        parts += ["This does not:", _indented(entry.right)]
    return "\n\n".join([*parts, entry.advice]) + "\n"


def _indented(example: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in example.split("\n"))
