"""An entry of the table of codes."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """The meaning of a code, a spec or command that earns it, one that does not, and what to do.

    Examples may be missing. They are commands when they begin with ``gradcli``, settings when they begin with a
    table of TOML, and programs otherwise.
    """

    title: str
    meaning: str
    wrong: str
    right: str
    advice: str
