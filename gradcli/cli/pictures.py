"""Pictures that Graphviz draws for a command, behind walls; where one is not drawn, its DOT is kept."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.dot.render import NotDrawn
    from .target import Target

TEXT, DRAWN = ("dot", "gv"), ("svg", "png", "pdf")
# Graphviz may take so long.
SECONDS = 20


def picture(target: Target, dot: str, form: str, seconds: float, *, walled: bool) -> bytes:
    """The drawn picture; where there is none, the DOT is kept beside its place."""
    from ..graph.dot.render import NotDrawn, drawn

    try:
        return drawn(dot, form, seconds, before=_walls(walled))
    except NotDrawn as error:
        raise _keeping(error, target, dot) from None


def _walls(confined: bool) -> Callable[[], object] | None:
    """The walls around Graphviz, bound to this process: it reads what programs need, no more."""
    from shutil import which

    from ..wall.kernel import confine, die_with_parent, prepare

    program = which("dot")
    if program is None:
        return None
    prepare()
    parent = os.getpid()

    def raised() -> None:
        # Interrupted while it is started, nobody else would end it.
        die_with_parent(parent)
        if confined:
            confine(programs=[program])

    return raised


def _keeping(error: NotDrawn, target: Target, dot: str) -> NotDrawn:
    """The error, with where the DOT was kept beside the picture that was not drawn."""
    from ..errors import OutputError

    data = dot.encode()
    beside = type(target)(_free(target.path, data))
    try:
        beside.write([data])
    except OutputError as failure:
        error.notes += (failure.message,)
    else:
        error.notes += (f"the DOT that it was to be drawn from is in '{beside.path}'",)
    return error


def _free(path: str, data: bytes) -> str:
    """The path of a DOT file beside another: nothing is overwritten that holds anything else."""
    stem = os.path.splitext(path)[0]
    number = 1
    free = f"{stem}.dot"
    while os.path.lexists(free) and not _holds(free, data):
        number += 1
        free = f"{stem}.{number}.dot"
    return free


def _holds(path: str, data: bytes) -> bool:
    """A file holds just that."""
    if not os.path.isfile(path) or os.path.getsize(path) != len(data):
        return False
    try:
        with open(path, "rb") as file:
            return file.read() == data
    except OSError:
        return False
