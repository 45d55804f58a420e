"""Where something is, as programs that read reports want it: a path seen from here, with slashes."""

from __future__ import annotations

import os

from ...errors import Span
from ...text.escape import one_line
from .outcome import Outcome
from .sayings import Said


def file_of(outcome: Outcome, span: Span | None) -> str | None:
    """The path of the file that is meant; None for what is in no file."""
    name = outcome.name if span is None or span.source.name.startswith("<") else span.source.name
    if span is None and "::" in name and not os.path.lexists(name):
        name = name.rpartition("::")[0]
    if span is None and not (os.path.isfile(name) or name.endswith(".py")):
        return None
    if name.startswith("<") or (span is not None and span.source.name.startswith("<")):
        return None
    if os.path.isabs(name):
        below = os.path.relpath(name)
        name = name if below.startswith("..") else below
    return os.path.normpath(name).replace(os.sep, "/")


def sentence(said: Said) -> str:
    """The message in one line, with the claim and the truth, and what makes it acceptable."""
    from .words import aside, short

    if said.finding is None:
        return one_line(" ".join(said.message.split("\n")))
    more = aside(said.outcome, said.finding)
    text = said.message + (f" ({more})" if more else "") + short(said.finding, said.outcome)
    return one_line(text)
