"""Refuse paths of an untrusted file that leave its directory, or that reach into version control data."""

from __future__ import annotations

import os
import re

OUT = "leads out of the project"
VERSIONS = "leads into the data of a version control system"
NO_PATH = "has characters that no path can have"

_SYSTEMS = frozenset((".git", ".hg", ".svn", ".bzr", ".jj", ".pijul", "_darcs", "cvs", "_svn", "git~1"))
# Characters that a file system may leave out of a name, and what may stand behind a name on another one.
_LEFT_OUT = "[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
_BEHIND = ":.*|[ .]+$"


def astray(root: str, text: str) -> str | None:
    """Why a path, seen from a directory, is none that a stranger may name; None where it may be named."""
    if "\0" in text:
        return NO_PATH
    below = below_of(os.path.realpath(root), os.path.realpath(os.path.join(root, text)))
    if below is None:
        return OUT
    # A link may have led out of the metadata again.
    named = [] if os.path.isabs(text) else text.replace("\\", "/").split("/")
    return VERSIONS if any(map(keeps_versions, [*below, *named])) else None


def below_of(root: str, real: str) -> list[str] | None:
    """The names that lead from a directory to a path, both of them real; None where it is not below it."""
    top = os.path.join(root, "")
    if not os.path.join(real, "").startswith(top):
        return None
    return [name for name in real[len(top) :].split(os.sep) if name]


def keeps_versions(name: str) -> bool:
    """True if a name is that of a version control system's own data, on any file system."""
    plain = re.sub(_BEHIND, "", re.sub(_LEFT_OUT, "", name).casefold(), flags=re.DOTALL)
    return plain in _SYSTEMS


def real_program(path: str, root: str) -> str | None:
    """The real path of what was found below a directory: of a Python file, a directory, or a link to such a one in it.

    None for a link to anything else, or to what is hidden: it would show what no listing of programs has in it.
    """
    real = os.path.realpath(path)
    names = below_of(root, real)
    if names is None or any(name.startswith(".") or keeps_versions(name) for name in names):
        return None
    # A link to nothing is found, to be told of.
    return real if real.endswith(".py") or not os.path.isfile(real) else None
