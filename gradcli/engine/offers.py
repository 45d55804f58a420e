"""Public functions by name: the module that declares one is read when it is first asked for.

Where a name is declared is read off the engine's sources, once in a process: no list is kept that could be old.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from types import FunctionType
from typing import Any

from .declaration import WORDS_OF_OUT
from .registry import PUBLIC, WRITING

# What dresses functions before users get them, if anything does: see dispatch/overriding.py.
DRESSES: list[Callable[[Any, str, str], Any]] = []

# How a declaration begins that offers something: where follows, as one literal.
_MARK = b"public(\x22"
_HEAD = b"\ndef "
# The folders with modules that declare such, beside the engine's own.
_OFFERING = ("", "amp", "memory", "ops", "transforms", "writes")


@functools.cache
def _homes() -> dict[str, dict[str, str]]:
    """place -> name -> the module of the engine that declares it."""
    found: dict[str, dict[str, str]] = {place: {} for place in PUBLIC}
    for module, source in modules().items():
        if not _may_offer(module):
            continue
        for where, function in _declarations(_text(source)):
            for each in where.split():
                place, _, name = each.partition(".")
                found[place][name or function] = module
    for place, writing in WRITING.items():
        found[place].update({f"{name}_": module for name, module in found[writing].items()})
    return found


def _may_offer(module: str) -> bool:
    return module.rpartition(".")[0].partition(".")[0] in _OFFERING


def _declarations(text: bytes) -> Iterator[tuple[str, str]]:
    """Where something is offered in a source, and the name of the function that follows."""
    # Searched, as nothing is faster: a start waits for it.
    at = text.find(_MARK) + len(_MARK)
    while at >= len(_MARK):
        end = text.find(b'"', at)
        head = text.find(_HEAD, end) + len(_HEAD)
        yield text[at:end].decode(), text[head : text.find(b"(", head)].decode()
        at = text.find(_MARK, end) + len(_MARK)


@functools.cache
def modules() -> dict[str, Any]:
    """The engine's modules, by their names in it, and the file of each: a path, or what an archive has for one."""
    found: dict[str, Any] = {}
    path = os.path.dirname(__file__)
    folders: list[tuple[str, Any]] = [("", path if os.path.isdir(path) else _archived())]
    for within, folder in folders:
        for entry in os.scandir(folder) if isinstance(folder, str) else folder.iterdir():
            name, _, kind = entry.name.partition(".")
            file = entry.path if isinstance(folder, str) else entry
            if kind == "py":
                found[within + name] = file
            elif not kind and name != "__pycache__":
                folders.append((f"{within}{name}.", file))
    return found


def _archived() -> Any:
    """The folder of the engine, where Python reads it from an archive."""
    from importlib.resources import files

    return files(__package__)


def _text(file: Any) -> bytes:
    if isinstance(file, str):
        # Without an object for each of two hundred files.
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.read(handle, os.fstat(handle).st_size)
        finally:
            os.close(handle)
    text: bytes = file.read_bytes()
    return text


def find(place: str, name: str) -> Any:
    """The value offered as ``place.name`` (torch, Tensor, F, linalg, special), or None."""
    offered = PUBLIC[place]
    if name not in offered and name in _homes()[place]:
        import_module(f"{__package__}.{_homes()[place][name]}")
        if name not in offered:
            from .writes.inplace import twin

            offered[name] = twin(PUBLIC[WRITING[place]][name[:-1]], name)
    elif place == "torch" and name not in offered and name.startswith("_foreach_"):
        from .ops.foreach import foreach

        return foreach(name)
    return offered.get(name)


def names(place: str) -> Iterable[str]:
    """The names offered in a place."""
    return _homes()[place].keys()


def load_all() -> None:
    """Read every declaration, for those who walk the registry."""
    read = {module for declared in _homes().values() for module in declared.values()}
    for module in modules():
        if module.startswith("ops.") or module in read:
            import_module(f"{__package__}.{module}")


# ``__getattr__`` and ``__dir__`` of a module
Door = tuple[Callable[[str], Any], Callable[[], list[str]]]


def door(module: str, find: Callable[[str], Any], names: Callable[[], Iterable[str]]) -> Door:
    """The door of a module whose names are found when they are first asked for."""

    def get(name: str) -> Any:
        if name == "__all__":
            return [n for n in listed() if not n.startswith("_")]
        value = find(name)
        if value is None:
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        # The next time it is found without asking.
        setattr(sys.modules[module], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[module]), *names()})

    return get, listed


def find_for_python(place: str, name: str) -> Any:
    """The same as Python's programs have it: under its name, and functions take ``out=``."""
    return dressed(_for_python(place, name), place, name)


# The places whose functions PyTorch names after them, too.
_PREFIXED = {"linalg", "special", "fft"}


@functools.cache
def _for_python(place: str, name: str) -> Any:
    found = declared = find(place, name)
    if found is not None and (place != "F" or getattr(found, "op", found) in WORDS_OF_OUT):
        # All functions of torch take ``out=``, of torch.nn.functional those that say something of it. The spec language
        # sees to outputs itself.
        from .calls.given_outputs import accepting

        found = accepting(found)
    if not isinstance(found, FunctionType):
        return found
    shown = f"{place}_{name}" if place in _PREFIXED else name
    if found is declared:
        if found.__name__ == shown and sys.modules[found.__module__].__dict__.get(shown) is found:
            return found
        found = _twin(found)
    # It is known to users, and to those who pickle it, by where they find it.
    home = {"F": ".nn.functional", "torch": ""}.get(place, f".{place}")
    found.__name__, found.__qualname__, found.__module__ = shown, name, __package__.partition(".")[0] + home
    return found


def _twin(function: Any) -> Any:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return called


def dressed(function: Any, place: str, name: str) -> Any:
    """A function as users get it in a place."""
    for dress in DRESSES:
        function = dress(function, place, name)
    return function


def place_door(module: str, place: str) -> Door:
    """The door of a module that offers what is found in a place."""
    return door(module, lambda name: find_for_python(place, name), lambda: names(place))


def package_door(package: str, contents: Mapping[str, str]) -> Door:
    """The door of a package that offers what its modules hold, and the modules: MODULE -> its names."""
    modules = {module.partition(".")[0] for module in contents}
    home = {name: module for module, held in contents.items() for name in held.split()}

    def find(name: str) -> Any:
        if name in home:
            return getattr(import_module(f"{package}.{home[name]}"), name)
        return import_module(f"{package}.{name}") if name in modules else None

    return door(package, find, lambda: (*home, *modules))
