"""What a check has found, as text for people and in the formats that machines read."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from .outcome import Outcome

# The formats beside text; each has a module of its own, or shares one.
_MODULES = {
    "concise": "concise",
    "json": "json",
    "jsonl": "json",
    "junit": "junit",
    "github": "github",
    "sarif": "sarif",
    "markdown": "markdown",
}
FORMATS = ("text", *_MODULES)


def document(form: str, outcomes: Sequence[Outcome]) -> str:
    """A whole report in one of the formats; the same outcomes give the same text."""
    if form == "text":
        from .text import plain_report

        return plain_report(outcomes)
    module = import_module(f"{__name__}.{_MODULES[form]}")
    text: str = getattr(module, form)(outcomes)
    return text
