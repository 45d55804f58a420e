"""A target of ``--python`` as data: what is named on a command line, or in settings; nothing of it is imported yet."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...errors import InputError

EXAMPLE = "write pkg.mod:name or file.py:name"
KINDS = ("grad", "vjp", "jac", "jvp")
# What stands before the colon where that is no file, and names behind it.
_DOTTED = r"[^\W\d]\w*(\.[^\W\d]\w*)*"


class PythonTarget(NamedTuple):
    """A function in a module, with its derivative where that is another function."""

    text: str
    derivative: str | None = None
    kind: str = "grad"
    train: bool = False
    # NAME=VALUE, as settings have them.
    inputs: tuple[str, ...] = ()
    # A file .npz with inputs.
    data: str | None = None
    # The names of inputs that stay as they are.
    held: tuple[str, ...] = ()


def divided(text: str) -> tuple[str, str]:
    """The module or file of a target, and the name in it."""
    place, _, name = text.replace("::", ":").rpartition(":")
    plain = place.endswith(".py") or re.fullmatch(_DOTTED, place)
    if not (plain and re.fullmatch(_DOTTED, name)):
        raise InputError(f"'{text}' is no function in a module", help=EXAMPLE, code="E502")
    return place, name
