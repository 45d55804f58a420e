"""The end of a process of gradcli, whatever happens: a verdict is never mistaken for an accident."""

from __future__ import annotations

import _thread
import gc
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sys import UnraisableHookArgs
    from typing import NoReturn

    from ..errors import Span
    from ..report.screen import Screen
    from ..text.parts import Line

INTERNAL, INTERRUPTED, READER_GONE = 3, 130, 141

BUG = """\
error: this is a bug in gradcli: {error}
  = help: please report it, with the command line, the spec and what GRADCLI_DEBUG=1 shows
"""


# The interruptions so far: NumPy makes an ImportError of one that meets its import.
_interruptions: list[int] = []


def note_interruptions() -> None:
    """Have interruptions noted beside being raised, unless the process was told to ignore them."""
    import _signal as signal  # type: ignore[import-not-found]  # `signal` wraps it in enums, for 2 ms

    def interrupt(number: int, frame: object) -> None:
        _interruptions.append(number)
        raise KeyboardInterrupt

    def ignored(unraisable: UnraisableHookArgs) -> None:
        """Interrupt again, behind this hook, where Python ignored it: in a callback of the collector, say."""
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            _thread.start_new_thread(again, ())
        else:
            sys.__unraisablehook__(unraisable)

    def again() -> None:
        time.sleep(0.01)
        _thread.interrupt_main()

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
        sys.unraisablehook = ignored
    # A CI system that cancels a job asks in this way first: what was done until then is to be told.
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, interrupt)


def was_interrupted() -> bool:
    """Tell whether somebody asked this process to end."""
    return bool(_interruptions)


def _interrupted() -> int:
    """The exit code of what was interrupted, as shells have it: 130, or 143 where it was to be terminated."""
    return 128 + _interruptions[-1] if _interruptions else INTERRUPTED


def run(words: list[str], answer: Callable[[list[str]], int]) -> int:
    """Have the words after ``gradcli`` answered; the exit code says how it went."""
    # What start-up makes is no garbage; the commands that run long turn the collector on again.
    gc.disable()
    # Between two products a thread of OpenBLAS spins, by default long enough to slow down the one that computes.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    if _is_crowded():
        # A product of two threads is done when both had their turn: here that costs many times what is computed.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        try:
            code = answer(words)
            if sys.stdout is not None:
                sys.stdout.flush()
            return code
        except BrokenPipeError:
            return READER_GONE
        except Exception as error:
            return _interrupted() if _interruptions else tell(error)
    except KeyboardInterrupt as error:
        if error.args and error.args[0]:
            _say(error.args[0])
        return _interrupted()


def _is_crowded() -> bool:
    """Tell whether others keep all processors busy, as far as the system says."""
    try:
        return os.getloadavg()[0] > (os.cpu_count() or 1)
    except (AttributeError, OSError):
        # There is no such number on Windows.
        return False


def leave(code: int) -> NoReturn:
    """End the process at once: taking every object apart first would be a tenth of a short run."""
    if os.environ.get("GRADCLI_DEBUG"):
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            # Of what could not be written the code tells already.
            continue
    os._exit(code)


def tell(error: Exception, of: str = "") -> int:
    """Say on stderr what went wrong, and with what where that has no place; return the exit code for it."""
    from ..errors import OutputError
    from ..report.screen import Screen

    screen = Screen(sys.stderr, _colour_choice(sys.argv[1:]), os.environ)
    try:
        lines, code = _told(error, of, screen)
    except Exception as other:
        lines, code = _bug(other)
    try:
        if os.environ.get("GRADCLI_DEBUG"):
            from traceback import print_exception

            sys.stderr.write(getattr(error, "trace", ""))
            print_exception(error)
        screen.put(lines)
    except (AttributeError, OSError, ValueError, OutputError):
        # Nobody listens: the code has to do.
        return code
    return code


def tell_warning(text: str, span: Span | None) -> None:
    """Say on stderr what the program was warned of, in one line."""
    from ..report.diagnostic import render_warning
    from ..report.stream import draws_unicode

    _say(render_warning(text, span, ascii=not draws_unicode(sys.stderr, os.environ)))


def _say(line: str) -> None:
    """Write a line to stderr, if anybody listens."""
    try:
        sys.stderr.write(f"{line}\n")
    except (AttributeError, OSError, ValueError):
        return


def _told(error: Exception, of: str, screen: Screen) -> tuple[list[Line], int]:
    """The diagnostic of an error, and its exit code."""
    from ..errors import GradcliError, OutputError
    from ..report.diagnostic import lines

    if isinstance(error, (MemoryError, RecursionError)):
        from ..spec.guard.limits import from_host

        error = from_host(error) or error
    elif isinstance(error, OSError) and not isinstance(error, GradcliError):
        error = OutputError(f"the output could not be written: {error.strerror or error}")
    if not isinstance(error, GradcliError):
        return _bug(error)
    return lines(error, width=screen.width, ascii=screen.ascii, of=of), error.exit_code


def _bug(error: Exception) -> tuple[list[Line], int]:
    """The text about an error that no user can cause."""
    from ..text.escape import harmless
    from ..text.parts import Part

    said = str(error) if type(error).__name__ == "Bug" else f"{type(error).__name__}: {error}"
    said = harmless(ascii(said[:300])[1:-1])
    return [[Part(line)] for line in BUG.format(error=said).splitlines()], INTERNAL


def _colour_choice(words: list[str]) -> str:
    """The choice by ``--color`` on a command line that may have been misread behind it."""
    choice = "auto"
    for before, word in zip(["", *words], words, strict=False):
        value = word if before == "--color" else word.removeprefix("--color=") if "=" in word else ""
        if value in ("always", "never", "auto"):
            choice = value
    return choice
