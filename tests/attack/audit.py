"""What Python itself reports while a program runs: files, processes, code, frames; most of it must never happen."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import gradcli
from gradcli.spec.values.user_definitions import UserType


class Escaped(BaseException):
    """Raised where a program was about to do what it must not."""


_ROOTS = tuple(
    {
        str(Path(place).resolve())
        for place in (Path(gradcli.__file__).parent, Path(np.__file__).parent, os.__file__, sys.prefix, sys.base_prefix)
    }
    | {str(Path(os.__file__).parent)}
    # Where Python keeps what it has compiled, if that is to be elsewhere.
    | ({sys.pycache_prefix} if sys.pycache_prefix else set())
)
_HOME = f"{Path(gradcli.__file__).parent}{os.sep}"
_READABLE = (".py", ".pyc", ".so", ".pyd")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# What the limits look at, and whose processor it is.
_SYSTEM = ("/proc/self/statm", "/proc/self/stat", "/proc/cpuinfo")

# What says nothing: ids, and imports of modules, whose files are looked at on their own.
_FREE = frozenset("builtins.id import marshal.loads sys.unraisablehook gc.get_referents code.__new__".split())
# Where the host reads how one of its functions is written: each asks for that by its name, of what it was made with.
_READ = ("__code__", "__defaults__", "__kwdefaults__")
_READERS = frozenset(
    "engine/declaration.py:wants engine/modes.py:_is_generator engine/function.py:_names "
    "spec/guard/parameters.py:parameters spec/guard/parameters.py:arguments engine/registry.py:__init__ "
    "engine/guard/references.py:enclosed engine/guard/references.py:codes engine/transforms/captured.py:_referred "
    "engine/registry.py:_with_code_of_its_own engine/declaration.py:defaults_of "
    "spec/values/tables/modules.py:giving_iterators "
    "engine/calls/given_outputs.py:accepting engine/calls/binding.py:_names_in_c "
    # Of a function that a program names: the names and plain defaults of its arguments.
    "spec/stdlib/texts.py:_taken_by".split()
)

# Where it looks at which of a program's functions called which: what it gives of that are names and copies.
_FRAMES = frozenset(
    "spec/stdlib/frames.py:_current_frame spec/stdlib/frames.py:place_of_call "
    "spec/stdlib/exceptions/trails.py:_stack_lines".split()
)

# Where it asks whose fault an exception is, and which code runs in a frame: nothing of either goes on to a program.
_ASKED_OF_FRAMES = {
    "tb_frame": (
        "errors.py:is_of_program", "spec/stdlib/exceptions/trails.py:_down",
        "spec/language/first_steps.py:of_layers_within",
    ),
    "f_code": (
        "spec/language/first_steps.py:of_layers_within", "spec/language/first_steps.py:_given",
        "spec/stdlib/frames.py:_calls", "spec/stdlib/frames.py:place_of_call",
        "spec/stdlib/exceptions/trails.py:_places",
    ),
}

# Where it makes an object of its own one of another of its own classes.
_CHANGERS = frozenset(
    "nn/modules/lazy.py nn/parameter.py nn/utils/parametrize.py engine/writes/inplace.py engine/function.py "
    "engine/ops/complex/lazy.py engine/walk/saved_tensors_hooks.py engine/tensor.py".split()
)

# And where it makes an object of a program's, or a tensor that nobody else has, one of a class of the program's.
_TURNING = ("spec/values/members.py:_turn", "engine/dispatch/overriding.py:_become")

# Where it limits the memory and the stack of its own process, before a program runs and after it.
_LIMITERS = frozenset(("spec/guard/process_limits.py", "spec/guard/stack.py"))

report: Callable[[str, str], None] | None = None
# Set while the attack itself looks at something.
quiet = False
_busy = False


def install() -> None:
    """Have everything reported from now on; it cannot be undone."""
    sys.addaudithook(_hook)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    global _busy
    if report is None or quiet or _busy or event in _FREE:
        return
    _busy = True
    try:
        why = _refused(event, args)
    finally:
        _busy = False
    if why is not None:
        report("audit", why)
        raise Escaped(why)


@contextmanager
def paused() -> Iterator[None]:
    """What the attack itself does is not reported."""
    global quiet
    before, quiet = quiet, True
    try:
        yield
    finally:
        quiet = before


def _refused(event: str, args: tuple[Any, ...]) -> str | None:
    """Why something may not happen, or None."""
    if event == "open":
        return _opened(args)
    if event in ("os.listdir", "os.scandir"):
        imports = args[0] in sys.path and "importlib" in _callers()
        return None if imports or _inside(args[0]) else f"{event} {args[0]!r}"
    if event == "exec":
        name = args[0].co_filename
        # Data classes and named tuples of the host's modules are made so, while those are imported.
        made = name == "<string>" and "importlib" in _callers()
        return None if _inside(name) or name.startswith("<frozen ") or made else f"exec of code of {name}"
    if event == "compile":
        return None if _compiling() else f"compile of {args[1]!r}"
    if event.startswith("object.__") or event == "sys._getframe":
        caller = _caller()
        if event == "object.__setattr__" and args[1] == "__class__":
            own = isinstance(args[2], UserType)
            known = caller in _TURNING if own else bool(_CHANGERS & set(_callers()[:2]))
        elif event == "sys._getframe":
            known = caller in _FRAMES or "importlib" in _callers()
        elif event == "object.__getattr__" and args[1] in _ASKED_OF_FRAMES:
            known = caller in _ASKED_OF_FRAMES[args[1]] or "importlib" in _callers()
        else:
            known = (args[1] in _READ and caller in _READERS) or "importlib" in _callers()
        return None if known else f"{event} {_named(args)} in {caller}"
    if event == "resource.setrlimit" and _caller().rpartition(":")[0] in _LIMITERS:
        return None
    return f"{event} {_named(args)}"


def _opened(args: tuple[Any, ...]) -> str | None:
    path, mode, flags = args
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if path == "":
        # The parser looks for the text of a wrong line in a file without a name: there is none.
        return None
    if isinstance(path, int) or path in _SYSTEM:
        return None if path in _SYSTEM else f"open of descriptor {path}"
    writes = (mode is not None and set(mode) & set("wax+")) or (mode is None and flags & _WRITING)
    if writes or not _inside(path) or not str(path).endswith(_READABLE):
        return f"open of {path!r} {mode or flags}"
    return None


def _inside(path: Any) -> bool:
    return isinstance(path, (str, os.PathLike)) and str(Path(path)).startswith(_ROOTS) and ".." not in Path(path).parts


def _compiling() -> bool:
    """Whether a text is made a tree: by the parser, by the host's modules, to mark a part of a line, or of a table."""
    readers = {"spec/input/parse.py", "spec/stdlib/exceptions/trails.py", "spec/language/first_steps.py", "importlib"}
    return bool(readers & set(_callers()))


def _caller() -> str:
    """The function of the host that is at work."""
    return next(iter(_frames()), "")


def _callers() -> list[str]:
    """The files of all that are at work."""
    return [place.rpartition(":")[0] for place in _frames()]


def _frames() -> list[str]:
    try:
        raise KeyError
    except KeyError as error:
        traceback = error.__traceback__
        assert traceback is not None
        frame = traceback.tb_frame.f_back
    found = []
    while frame is not None:
        name = frame.f_code.co_filename
        if name != __file__:
            place = "importlib" if "importlib" in name else name.removeprefix(_HOME)
            found.append(f"{place}:{frame.f_code.co_name}")
        frame = frame.f_back
    return found


def _named(args: tuple[Any, ...]) -> str:
    return " ".join(x if isinstance(x, str) else type(x).__name__ for x in args)[:120]
