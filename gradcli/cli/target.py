"""Where a result goes with ``-o FILE``: whole, or not at all."""

from __future__ import annotations

import os

from ..errors import OutputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Target:
    """A file to be written: it is as it was until the whole result has taken its place."""

    __slots__ = ("_place", "path")

    def __init__(self, path: str, *sources: str | None) -> None:
        """Refuse, before anything is computed, what cannot be written, and what the result is made from."""
        self.path = path
        # A link stays one: what it leads to is replaced.
        self._place = os.path.realpath(path)
        if os.path.isdir(self._place):
            raise self._refusal("it is a directory", "name a file in it")
        folder = os.path.dirname(self._place)
        if not os.path.isdir(folder):
            raise self._refusal("its directory does not exist", f"create it first: mkdir -p {os.path.dirname(path)}")
        if any(source is not None and _same(source, self._place) for source in sources):
            raise self._refusal("the result would overwrite what it is made from", "give it another name")

    def write(self, parts: Iterable[bytes]) -> None:
        """Write beside the place, then move there."""
        place = self._place
        special = os.path.exists(place) and not os.path.isfile(place)
        # A device or a pipe is written to as it is.
        beside = place if special else os.path.join(os.path.dirname(place), f".gradcli-{os.getpid()}.part")
        try:
            with open(beside, "wb") as file:
                file.writelines(parts)
            if not special:
                _like(place, beside)
                os.replace(beside, place)
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise self._refusal(reason, "check that there is room, and that it may be written to") from None
        finally:
            if not special and os.path.lexists(beside):
                os.unlink(beside)

    def _refusal(self, reason: str, help: str) -> OutputError:
        return OutputError(f"'{self.path}' could not be written: {reason}", help=help)


def _same(source: str, place: str) -> bool:
    try:
        return os.path.samefile(source, place)
    except OSError:
        return False


def _like(place: str, beside: str) -> None:
    """Give a new file the permissions of the one that it replaces."""
    try:
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        return
    os.chmod(beside, mode & 0o7777)
