"""Exceptions that a program names and seldom meets: those of files, and of a program's end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ....errors import SpecError
from ...values.classes.sealed_classes import known_as, opened, sealed
from ...values.show import text
from ...values.standing import value_of


class FileTrouble(Exception):
    """OSError: something about a file, which is one of the program's own."""

    def __str__(self) -> str:
        if len(self.args) < 2:
            return super().__str__()
        where = f": {self.args[2]!r}" if len(self.args) > 2 else ""
        return f"[Errno {self.args[0]}] {self.args[1]}{where}"


class NoSuchFile(FileTrouble):
    """A file that the program has not written."""


class FileThere(FileTrouble):
    """A file that the program has written already."""


class NotAllowed(FileTrouble):
    """The refusal of a file; nothing here raises it."""


class TookTooLong(FileTrouble):
    """The end of a wait; nothing here raises it."""


class NoConnection(FileTrouble):
    """A connection that there is not: nothing here raises it."""


class EndOfFile(Exception):
    """There is no more to read."""


class Passing(Exception):
    """An exception that passes by `except Exception`, as Python's exceptions do that are none of Exception's."""


class Interrupted(Passing):
    """A person ended the program: it never learns of that here."""


class TooDeep(RuntimeError):
    """Too many calls inside one another: here that is a limit, and the end of the program."""


class OutOfMemory(Exception):
    """No memory is left: here that is a limit, and the end of the program."""


class WrongSyntax(Exception):
    """A text that is no Python."""


class NotImported(ImportError):
    """A module that there is not, where the program is prepared for that."""


class Closing(Passing):
    """The end of a generator that its program closes."""


class SystemEnd(Passing):
    """The end of a program, with its status, and with more words for people where nothing catches it."""

    why: str | None = None

    @property
    def code(self) -> Any:
        """The status that the program ends with."""
        return self.args[0] if len(self.args) == 1 else self.args or None

    def ending(self) -> ProgramEnded:
        """The end of the program that did not catch it."""
        code = value_of(self.code)
        well = code is None or (isinstance(code, int) and code == 0)
        said = f"status {int(code)}" if isinstance(code, int) else text(self.code)
        return ProgramEnded(self.why or f"the program ended itself: {said}", well)


class ProgramEnded(SpecError):
    """A program that ended itself, with a status."""

    def __init__(self, message: str, well: bool) -> None:
        super().__init__(message, code="E302")
        # A program that Python would end with the code 0.
        self.well = well


for _class, _name in (
    (FileTrouble, "OSError"),
    (NoSuchFile, "FileNotFoundError"),
    (FileThere, "FileExistsError"),
    (NotAllowed, "PermissionError"),
    (TookTooLong, "TimeoutError"),
    (NoConnection, "ConnectionError"),
    (EndOfFile, "EOFError"),
    (Interrupted, "KeyboardInterrupt"),
    (TooDeep, "RecursionError"),
    (OutOfMemory, "MemoryError"),
    (WrongSyntax, "SyntaxError"),
    (NotImported, "ModuleNotFoundError"),
    (SystemEnd, "SystemExit"),
    (Closing, "GeneratorExit"),
):
    known_as(_class, _name, "builtins")

# Those of Python's that a program may name, derive from and raise, and that nothing here raises.
_UNMET: dict[str, type] = {"OSError": FileTrouble, "ConnectionError": NoConnection, "SyntaxError": WrongSyntax}
for _name, _base in (
    *((name, "OSError") for name in (
        "BlockingIOError", "ChildProcessError", "InterruptedError", "IsADirectoryError", "NotADirectoryError",
        "ProcessLookupError",
    )),
    *((f"{name}Error", "ConnectionError") for name in (
        "BrokenPipe", "ConnectionAborted", "ConnectionRefused", "ConnectionReset",
    )),
    ("IndentationError", "SyntaxError"),
    ("TabError", "IndentationError"),
):  # fmt: skip
    _UNMET[_name] = type(_name, (_UNMET[_base],), {})
    known_as(_UNMET[_name], _name, "builtins")


def ended(status: Any = None, /) -> NoReturn:
    """exit(): the program is over, unless it catches that."""
    raise SystemEnd(status)


def ended_because(status: Any, why: str, /) -> NoReturn:
    """End the program, and say why where it does not catch that."""
    end = SystemEnd(status)
    end.why = why
    raise end


def is_of_kind(cls: type, kind: Any) -> bool:
    """True if an exception of a class is of a kind that a program names."""
    return issubclass(cls, opened(kind)) and not (kind is Exception and issubclass(cls, Passing))


def ending_with(backward: int) -> Callable[[int], None]:
    """A function that is told of each call of backward(), and ends the program with one of them."""

    def told(number: int) -> None:
        if number == backward:
            raise ProgramEnded(f"the program ended itself: backward {number} is done", True)

    return told


EXCEPTIONS: dict[str, type] = {
    "BaseException": sealed(BaseException),
    **_UNMET,
    **{cls.__name__: cls for cls in (
        FileTrouble, NoSuchFile, FileThere, NotAllowed, TookTooLong, NoConnection, EndOfFile, Interrupted, WrongSyntax,
        NotImported, TooDeep, OutOfMemory, SystemEnd, Closing,
    )},
}  # fmt: skip
EXCEPTIONS["IOError"] = EXCEPTIONS["EnvironmentError"] = FileTrouble
