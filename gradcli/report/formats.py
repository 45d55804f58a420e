"""The formats of a report, each with the module of ``report/check`` that writes it: read by whoever names formats."""

from __future__ import annotations

MODULES = {
    "text": "text",
    "concise": "concise",
    "json": "json",
    "jsonl": "json",
    "junit": "junit",
    "github": "github",
    "sarif": "sarif",
    "markdown": "markdown",
    "html": "html",
    "curve": "curve",
    "durations": "durations",
    "record": "record",
}
FORMATS = tuple(MODULES)
