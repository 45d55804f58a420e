"""Files of the disk that a program is lent by name: it opens copies of them, which live in memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence

from ...errors import InputError
from .disk import open_regular, read_up_to


def check_lent(paths: Iterable[str]) -> None:
    """Refuse files that cannot be read, before anything is run."""
    for path in paths:
        open_regular(path)[0].close()


def read_lent(paths: Sequence[str], most: int) -> dict[str, bytes]:
    """Read the files: each is known by its path and, where no other has it, by its name; so many bytes in all."""
    found: dict[str, bytes] = {}
    left = most
    for path in paths:
        file, size = open_regular(path)
        with file:
            if size > left:
                raise InputError(
                    f"'{path}' has {size:,} bytes; the limit for all files that a program is lent is {most:,}",
                    help="`--limits relaxed` allows more",
                )
            found[path] = read_up_to(file, size)
        left -= len(found[path])
    names = Counter(map(os.path.basename, found))
    return {**{name: found[path] for path in found if names[name := os.path.basename(path)] == 1}, **found}
