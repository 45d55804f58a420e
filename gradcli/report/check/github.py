"""The findings of a check as annotations of GitHub Actions."""

from __future__ import annotations

from collections.abc import Sequence

from ...text.escape import harmless, one_line
from .outcome import Missing, Outcome, Standing, tally
from .places import file_of, sentence
from .sayings import Said, gravest_first

# GitHub shows ten of a kind for each step and drops the others without a word.
_MOST = 9
# What passes or is allowed is no warning.
_LEVELS = {Standing.WRONG: "error", Standing.UNDECIDED: "error", Standing.ALLOWED: "notice", Standing.RIGHT: "notice"}


def github(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """The annotations, the gravest first, and how many more there would be; at the end the count."""
    found = gravest_first(outcomes)
    lines = [_annotation(one) for one in found[:_MOST]]
    if len(found) > _MOST:
        worst = _LEVELS[found[_MOST].standing]
        lines.append(f"::{worst} title=gradcli check::{len(found) - _MOST} more, told in full by --format text")
    if missing.text:
        lines.insert(0, f"::error title=gradcli check::{missing.text}")
    return "".join(f"{line}\n" for line in [*lines, f"gradcli check: {tally(outcomes).text}"])


def _annotation(one: Said) -> str:
    properties = {}
    path = file_of(one.outcome, one.span)
    if path is not None:
        properties["file"] = path
        if one.span is not None:
            properties |= {"line": str(one.span.line), "endLine": str(one.span.end_line)}
            if one.span.line == one.span.end_line:
                # Columns only count within one line.
                properties |= {"col": str(one.span.column + 1), "endColumn": str(one.span.end_column)}
    properties["title"] = one.code
    text = sentence(one) if path is not None else f"{one.outcome.name}: {sentence(one)}"
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_LEVELS[one.standing]} {listed}::{_data(text)}"


def _data(text: str) -> str:
    return harmless(one_line(text)).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
