"""The findings of a check, as text for people and in the formats that machines read."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from ..formats import MODULES
from ..screen import PICTURES
from .outcome import Missing, Outcome


def document(
    form: str, outcomes: Sequence[Outcome], missing: Missing | None = None, *, width: int | None = None
) -> str:
    """A whole report in one of the formats; the same outcomes give the same text, in which what is missing is told.

    ``width``: of lines of plain text, which are folded to it.
    """
    missing = missing or Missing()
    if form == "text":
        from .text import plain_report

        return plain_report(outcomes, missing, width)
    if form in PICTURES and form not in MODULES:
        from ..console import picture
        from ..diagnostic import WIDTH_OFF_TERMINAL
        from .text import Look, report

        return picture(report(outcomes, Look(WIDTH_OFF_TERMINAL), missing), form, "gradcli check")
    module = import_module(f"{__name__}.{MODULES[form]}")
    text: str = getattr(module, form)(outcomes, missing)
    return text
