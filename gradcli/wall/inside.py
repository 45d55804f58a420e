"""The first and the last moments of a child: the walls around it, and what is said of an error of our own."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .kernel import confine
from .mouth import BEGUN, BUG, DONE, TRIED, Mouth
from .wire import packed

if TYPE_CHECKING:
    from .terms import Terms


def do(act: Callable[[Mouth, int, Any], object], argument: Any, terms: Terms, mouth: Mouth, ears: int) -> int:
    """Do what a child is there for; the status that it ends with."""
    mouth.say(BEGUN)
    try:
        if not terms.own_code:
            os.environ.clear()
        if terms.walled and confine(terms.readable).missing:
            from .audit import guard

            guard(terms.readable, lambda event: mouth.add(TRIED, event.encode()), 2)
        act(mouth, ears, argument)
    except BaseException as error:
        mouth.say(BUG, packed(bug_told(error)))
    mouth.say(DONE)
    return 0


def bug_told(error: BaseException) -> tuple[str, str]:
    """Tell of an error that nobody can cause, which is a bug of ours: in a line, and in full."""
    from traceback import format_exception

    # What an error of a program's own class says is for its code to say, which is not to run any more.
    words = f": {error}" if type(type(error)) is type else ""
    return f"{type(error).__name__}{words}"[:300], "".join(format_exception(error))
