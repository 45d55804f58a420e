"""A hook that ends a process for what a computing one never does: all there is where the kernel offers no walls.

It sees what Python's own functions do; C code that does not tell Python, it does not see.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from . import roots

# Where there are no harmless events but those that a table below names.
_FAMILIES: Final = frozenset(
    "os socket subprocess ctypes shutil tempfile pty fcntl winreg msvcrt _winapi webbrowser urllib ftplib http imaplib"
    " nntplib poplib smtplib telnetlib sqlite3 syslog mmap pickle cpython ensurepip pdb glob pathlib".split()
)
_SINGLE: Final = frozenset(
    "sys.addaudithook sys.remote_exec sys._current_exceptions setopencodehook resource.prlimit"
    " signal.pthread_kill builtins.input builtins.breakpoint".split()
)
_HARMLESS: Final = frozenset(
    "object.__getattr__ object.__setattr__ object.__delattr__ builtins.id sys._getframe sys._getframemodulename"
    " os.putenv os.unsetenv cpython.PyInterpreterState_Clear cpython._PySys_ClearAuditHooks".split()
)
# Modules whose functions do not tell what they do.
_SILENT: Final = frozenset(
    "_posixshmem _interpreters _xxsubinterpreters _testcapi _testinternalcapi _testlimitedcapi".split()
)
_IMPORTING: Final = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
# Of the standard library, they make classes from text of their own, or read text as data.
_MAKING: Final = ("ast.py", "collections/__init__.py", "dataclasses.py", "typing.py")
# Of ours, it gives classes a constructor of their own, of code that another class has.
_COPYING: Final = os.path.join(os.path.dirname(os.path.dirname(__file__)), "engine", "own_init.py")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

Check = Callable[[tuple[Any, ...]], bool]


def guard(readable: Sequence[str], tell: Callable[[str], None], code: int) -> None:
    """End this process with a code, after telling what was tried, when it goes beyond computing; for good.

    Files can be read if they are the interpreter's, a package's that gradcli builds upon, or in ``readable``, where a
    directory stands for all below it. A hook cannot be taken away: it is for a child that does nothing else.
    """
    # It could not be written, and the interpreter would try for every module.
    sys.dont_write_bytecode = True
    _take_away_silent_start()
    sys.addaudithook(_hook(_checks((*roots.of_interpreter(), *readable)), tell, code))


def _take_away_silent_start() -> None:
    """Leave no name for the function that starts processes without telling; what imports it goes on to find one."""

    def fork_exec(*_: object) -> int:
        raise PermissionError("a computing process starts no others")

    try:
        import _posixsubprocess
    except ImportError:
        # Windows starts processes by functions that tell.
        return
    _posixsubprocess.fork_exec = fork_exec
    if "subprocess" in sys.modules:
        sys.modules["subprocess"].__dict__["_fork_exec"] = fork_exec


def _hook(checks: dict[str, Check], tell: Callable[[str], None], code: int) -> Callable[[str, tuple[Any, ...]], None]:
    # A program that has come this far may change this module: all that the hook needs is its own.
    harmless, single, families, leave = _HARMLESS, _SINGLE, _FAMILIES, os._exit
    ending = False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal ending
        if event in harmless or ending:
            return
        check = checks.get(event)
        if check is None:
            if event not in single and event.partition(".")[0] not in families:
                return
        elif check(arguments):
            return
        ending = True
        try:
            tell(event)
        finally:
            leave(code)

    return hook


def _checks(readable: Iterable[str]) -> dict[str, Check]:
    """Events that depend on what they are about: whether it is harmless."""
    real = os.path.realpath
    found = {real(path) for path in readable}
    below = tuple(path.rstrip(os.sep) + os.sep for path in found)
    importing = frozenset(_IMPORTING)
    makers = importing | {os.path.join(os.path.dirname(os.__file__), *name.split("/")) for name in _MAKING}
    copiers = makers | {_COPYING}
    caller, decoded, silent, writing = sys._getframe, os.fsdecode, _SILENT, _WRITING

    def is_readable(path: object) -> bool:
        # Python looks for the text of a wrong line in a file without a name: there is none.
        if isinstance(path, int) or path == "":
            return True
        if not isinstance(path, (str, bytes, os.PathLike)):
            return False
        place = real(decoded(path))
        return place in found or place.startswith(below)

    def is_read(arguments: tuple[Any, ...]) -> bool:
        path, mode, flags = arguments
        if (isinstance(flags, int) and flags & writing) or (isinstance(mode, str) and set(mode) & set("wax+")):
            return isinstance(path, int)
        return is_readable(path)

    def is_imported(_: tuple[Any, ...]) -> bool:
        return caller(2).f_code.co_filename in importing

    def is_made(_: tuple[Any, ...]) -> bool:
        return caller(2).f_code.co_filename in makers

    def is_copied(_: tuple[Any, ...]) -> bool:
        return caller(2).f_code.co_filename in copiers

    return {
        "open": is_read,
        "os.listdir": lambda arguments: caller(2).f_code.co_filename in importing or is_readable(arguments[0]),
        "os.scandir": lambda arguments: is_readable(arguments[0]),
        "marshal.loads": is_imported,
        "exec": is_made,
        "compile": is_made,
        "function.__new__": is_copied,
        "import": lambda arguments: arguments[0] not in silent,
        # Importing ctypes looks into the process itself.
        "ctypes.dlopen": lambda arguments: arguments[0] is None,
    }
