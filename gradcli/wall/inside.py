"""The first and the last moments of a child: it lets go of all that its parent has, and leaves nothing behind."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from .kernel import confine, die_with_parent
from .mouth import BUG, DONE, Mouth
from .wire import packed

if TYPE_CHECKING:
    from .child import Terms

Act = Callable[[Mouth, int, Any], object]


def live(act: Act, argument: Any, terms: Terms, sink: int, ears: int, parent: int) -> NoReturn:
    """Be a child that was just forked."""
    status = 1
    try:
        die_with_parent(parent)
        # What the parent made is no garbage of the child's.
        gc.freeze()
        sink, ears = _alone(sink, ears)
        status = do(act, argument, terms, Mouth(sink), ears)
    finally:
        os._exit(status)


def do(act: Act, argument: Any, terms: Terms, mouth: Mouth, ears: int) -> int:
    """Do what a child is there for; the status that it ends with."""
    try:
        os.environ.clear()
        if terms.walled:
            confine(terms.readable)
        act(mouth, ears, argument)
        mouth.say(DONE)
    except BaseException as error:
        mouth.say(BUG, packed(_told(error)))
        mouth.say(DONE)
    return 0


def _told(error: BaseException) -> tuple[str, str]:
    """What to say of an error that nobody can cause: in a line, and all that is known of it."""
    from traceback import format_exception

    return f"{type(error).__name__}: {error}"[:300], "".join(format_exception(error))


def _alone(sink: int, ears: int) -> tuple[int, int]:
    """Have nothing open but what leads to and from the parent, and be interrupted by nobody but it."""
    import fcntl

    # Whoever interrupts a command interrupts its parent, too, and that one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(-1)
    sink, ears = (fcntl.fcntl(handle, fcntl.F_DUPFD, 3) for handle in (sink, ears))
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    for handle in _open_handles():
        if handle > 2 and handle not in (sink, ears):
            _close(handle)
    return sink, ears


def _open_handles() -> list[int]:
    folder = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
    try:
        return [int(name) for name in os.listdir(folder)]
    except OSError:
        return list(range(1024))


def _close(handle: int) -> None:
    try:
        os.close(handle)
    except OSError:
        # It was open only while they were counted.
        return
