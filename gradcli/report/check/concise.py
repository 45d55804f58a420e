"""The findings of a check, a line each, as editors and grep read it: ``path:line:col: G101 message``."""

from __future__ import annotations

from collections.abc import Sequence

from ...text.cells import wrap
from ...text.escape import harmless, one_line
from ..diagnostic import place_of
from .outcome import Missing, Outcome
from .places import sentence
from .sayings import gravest_first


def concise(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """The lines, what fails first; none for what is right beyond doubt."""
    lines = []
    for one in gravest_first(outcomes):
        place = place_of(one.span) if one.span else one_line(one.outcome.name)
        lines += wrap(harmless(f"{place}: {one.code} {sentence(one)}"), None)
    if missing.text:
        lines.append(f"gradcli check: {missing.text}")
    return "".join(f"{line}\n" for line in lines)
