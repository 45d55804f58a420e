"""Where a result goes with ``-o FILE``: whole, or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager

from ..errors import OutputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Names are looked up in a directory that was opened once, where the system can: it cannot be exchanged then.
_HELD = {os.open, os.stat, os.rename, os.unlink} <= os.supports_dir_fd
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_OLD = os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_PRIVATE, _ANYONE = 0o600, 0o666

_PLAIN = "name a new file, or one that is neither a link nor a program"


class Target:
    """A file to be written: it is as it was until the whole result has taken its place."""

    __slots__ = ("_place", "_within", "path")

    def __init__(self, path: str, *sources: str | None, within: str | None = None) -> None:
        """Refuse, before anything is computed, what cannot be written, and what the result is made from.

        ``within`` is for a path that a stranger has named: the directory that it must not lead out of, by no link; and
        what stands there is replaced only when it is a plain file that nobody runs.
        """
        self.path = path
        # A link stays one: what it leads to is replaced.
        self._place = os.path.realpath(path)
        self._within = within
        if within is not None:
            self._check(within)
        if not path:
            raise self._refusal("that is no name of a file", "name one")
        if os.path.isdir(self._place):
            raise self._refusal("it is a directory", "name a file in it")
        folder = os.path.dirname(self._place)
        if not os.path.isdir(folder):
            from shlex import quote

            made = f"mkdir -p {quote(os.path.dirname(path))}"
            raise self._refusal("its directory does not exist", f"create it first: {made}")
        if any(source is not None and _same(source, self._place) for source in sources):
            raise self._refusal("the result would overwrite what it is made from", "give it another name")

    def write(self, parts: Iterable[bytes]) -> None:
        """Write beside the place, then move there."""
        try:
            with self._folder() as (folder, name):
                self._put(parts, folder, name)
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise self._refusal(reason, "check that there is room, and that it may be written to") from None

    def _check(self, within: str) -> None:
        """Refuse a place that a stranger may not name."""
        from ..spec.input.contained_paths import astray

        reason = astray(within, os.path.relpath(os.path.abspath(self.path), os.path.abspath(within)))
        if reason is not None:
            raise self._refusal(f"it {reason}", _PLAIN)
        if os.path.islink(self.path):
            raise self._refusal("it is a link", _PLAIN)
        self._check_mode(_mode(self._place, None))

    def _check_mode(self, mode: int | None) -> None:
        """Refuse to replace, for a stranger, anything but a file that nobody runs; a directory is refused anyhow."""
        if mode is None or self._within is None or stat.S_ISDIR(mode):
            return
        if not stat.S_ISREG(mode) or mode & 0o111:
            raise self._refusal("it is no plain file, or one that is run", _PLAIN)

    @contextmanager
    def _folder(self) -> Iterator[tuple[int | None, str]]:
        """The directory of the place, held open, and the name in it; the whole path where none can be held."""
        if not _HELD:
            yield None, self._place
            return
        path, name = os.path.split(self._place)
        folder = os.open(path, _FOLDER) if self._within is None else _walked(os.path.realpath(self._within), path)
        try:
            yield folder, name
        finally:
            os.close(folder)

    def _put(self, parts: Iterable[bytes], folder: int | None, name: str) -> None:
        mode = _mode(name, folder)
        self._check_mode(mode)
        if mode is not None and not stat.S_ISREG(mode):
            # A device or a pipe is written to as it is.
            with os.fdopen(os.open(name, _OLD, dir_fd=folder), "wb") as file:
                file.writelines(parts)
            return
        # Nobody can have put anything there before, whom the result would follow elsewhere.
        beside = os.path.join(os.path.dirname(name), f".gradcli-{os.urandom(12).hex()}.part")
        handle = os.open(beside, _NEW, _ANYONE if mode is None else _PRIVATE, dir_fd=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(parts)
                if mode is not None:
                    _like(mode, file.fileno(), beside)
            os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder) if _HELD else os.replace(beside, name)
        except BaseException:
            os.unlink(beside, dir_fd=folder)
            raise

    def _refusal(self, reason: str, help: str) -> OutputError:
        return OutputError(f"'{self.path}' could not be written: {reason}", help=help)


def _walked(root: str, path: str) -> int:
    """A directory below another, opened step by step: no link on the way is followed, not even a new one."""
    folder = os.open(root, _FOLDER)
    below = os.path.relpath(path, root)
    for name in () if below == os.curdir else below.split(os.sep):
        try:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    return folder


def _mode(name: str, folder: int | None) -> int | None:
    """The mode of what stands at a place, not of what that leads to; None where nothing does."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None


def _same(source: str, place: str) -> bool:
    try:
        return os.path.samefile(source, place)
    except OSError:
        return False


def _like(mode: int, handle: int, path: str) -> None:
    """Give a new file the permissions of the one that it replaces."""
    os.chmod(handle if os.chmod in os.supports_fd else path, mode & 0o777)
