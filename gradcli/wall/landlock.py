"""Landlock: the files that a process may use from now on, for whatever rights the kernel knows."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from typing import Final

from .syscalls import LANDLOCK_ADD_RULE, LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF
from .system import System, refused

EXECUTE, READ_FILE, READ_DIRECTORY = 1 << 0, 1 << 2, 1 << 3
READ: Final = READ_FILE | READ_DIRECTORY

# How many rights to files each version has: making, removing and linking came with the first ones, then moving between
# directories, shortening, and the ioctls of devices.
_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 5: 16}
# Of those, what a single file can be given.
_OF_A_FILE = EXECUTE | READ_FILE
# TCP's bind and connect came with the fourth version; abstract Unix sockets and signals with the sixth.
_NETWORK, _NETWORK_SINCE = 0b11, 4
_SCOPES, _SCOPES_SINCE = 0b11, 6

_ASK_FOR_VERSION = 1
_PATH_BENEATH = 1


def version(system: System) -> int | str:
    """The version of Landlock that this kernel offers, or why it offers none."""
    found = system.call(LANDLOCK_CREATE_RULESET, None, 0, _ASK_FOR_VERSION)
    return found if found > 0 else refused(-found)


def restrict(system: System, offered: int, given: Iterable[tuple[int, Iterable[str]]]) -> str | None:
    """Leave the calling thread no rights to files but those given to paths and what is below; else say why not.

    A path that does not exist, or that no rule can be about, such as a pipe, is passed over: it gives nothing.
    """
    handled = (1 << _RIGHTS[max(known for known in _RIGHTS if known <= offered)]) - 1
    sizes = 8 if offered < _NETWORK_SINCE else 16 if offered < _SCOPES_SINCE else 24
    attributes = struct.pack("=QQQ", handled, _NETWORK, _SCOPES)[:sizes]
    ruleset = system.call(LANDLOCK_CREATE_RULESET, attributes, sizes, 0)
    if ruleset < 0:
        return refused(-ruleset)
    try:
        for rights, paths in given:
            for path in paths:
                _allow(system, ruleset, rights, path)
        done = system.call(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return refused(-done) if done < 0 else None


def _allow(system: System, ruleset: int, rights: int, path: str) -> None:
    for kind, allowed in ((os.O_DIRECTORY, rights), (0, rights & _OF_A_FILE)):
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC | kind)
        except NotADirectoryError:
            continue
        except (OSError, ValueError):
            return
        try:
            system.call(LANDLOCK_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
        finally:
            os.close(place)
        return
