"""Reading from disk: regular files up to a size limit, and the Python files below a directory."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from itertools import islice
from typing import BinaryIO

from ...errors import InputError
from ..torch_names.suggest import did_you_mean
from .contained_paths import real_program

_SPECIAL = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_REASONS = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENAMETOOLONG: "its name is too long",
    errno.ELOOP: "its symbolic links lead in a circle",
}
# So many names of a directory are compared with a misspelt one.
_COMPARED = 2_000


def open_regular(path: str, *, special: str | None = None, missing: str | None = None) -> tuple[BinaryIO, int]:
    """A regular file, open for reading, and its size; nothing else is opened or waited for.

    ``special`` and ``missing`` are the help for a path that is no regular file, or nothing at all.
    """
    try:
        _refuse_special(path, os.stat(path).st_mode, special)
        file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 (whoever asked for it closes it)
        try:
            found = os.fstat(file.fileno())
            _refuse_special(path, found.st_mode, special)
        except BaseException:
            file.close()
            raise
        return file, found.st_size
    except (OSError, ValueError) as error:
        raise _unreadable(path, error, missing) from None


def _without_waiting(path: str, flags: int) -> int:
    # The file may have been exchanged since it was looked at: opening a pipe must not wait for a writer.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def read_up_to(file: BinaryIO, most: int) -> bytes:
    """At most so many bytes, also from a file that hands out fewer at a time."""
    parts = []
    while most > 0 and (part := file.read(most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def python_files(top: str, exclude: list[str], seen: set[str]) -> list[str]:
    """The Python files in and below a directory, sorted; ``seen`` has the real paths of those already found.

    An empty one is no program, but the mark of a package. What git ignores, and directories of what was installed or
    built, are left out.
    """
    from .patterns import Ignored, is_installed

    root = os.path.realpath(top)
    ignored = Ignored(top)
    found: list[str] = []
    pending = [top]
    while pending:
        directory = pending.pop()
        try:
            names = sorted(os.listdir(directory))
        except OSError as error:
            raise _unreadable(directory, error) from None
        real_directory = os.path.realpath(directory)
        ignored.enter(real_directory)
        for name in names:
            path = os.path.join(directory, name)
            if name.startswith(".") or is_excluded(path, exclude):
                continue
            below = os.path.isdir(path)
            if (below and is_installed(path, name)) or (os.path.join(real_directory, name), below) in ignored:
                continue
            wanted = below or (name.endswith(".py") and not _is_empty(path))
            real = real_program(path, root) if wanted else None
            if real is not None and real not in seen:
                seen.add(real)
                (pending if below else found).append(path)
    return sorted(found, key=lambda path: path.split(os.sep))


def _is_empty(path: str) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        # What cannot be read is told of when it is.
        return False
    return stat.S_ISREG(found.st_mode) and not found.st_size


def is_excluded(path: str, patterns: Sequence[str]) -> bool:
    """Tell whether a path fits a pattern, by itself or by its name."""
    if not patterns:
        return False
    from fnmatch import fnmatch

    path = os.path.normpath(path)
    name = os.path.basename(path)
    return any(fnmatch(path, pattern) or fnmatch(name, pattern) for pattern in patterns)


def _refuse_special(path: str, mode: int, help: str | None) -> None:
    if not stat.S_ISREG(mode):
        what = _SPECIAL.get(stat.S_IFMT(mode), "something else")
        raise InputError(f"'{path}' is not a regular file but {what}", help=help, code="E502")


def _unreadable(path: str, error: OSError | ValueError, help: str | None = None) -> InputError:
    """Make the error for a path that cannot be read."""
    if not isinstance(error, OSError):
        return InputError(f"cannot read '{path}': no path can have such characters", code="E502")
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        if not os.path.isabs(path) and not _has_current_directory():
            return InputError(
                f"cannot read '{path}': the current directory no longer exists",
                help="give the whole path, or change to another directory",
                code="E502",
            )
        return InputError(f"no such file: '{path}'", help=similar(path) or help, code="E501")
    reason = _REASONS.get(error.errno or 0) or (error.strerror or "unknown error").lower()
    return InputError(f"cannot read '{path}': {reason}", code="E502")


def _has_current_directory() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def similar(path: str) -> str | None:
    """The question whether another name was meant, which is there."""
    if os.path.lexists(path + ".py"):
        return f"did you mean {path}.py?"
    directory, name = os.path.split(path)
    try:
        with os.scandir(directory or ".") as entries:
            names = [entry.name for entry in islice(entries, _COMPARED)]
    except (OSError, ValueError):
        return None
    return did_you_mean(name, names, os.path.join(directory, ""))
