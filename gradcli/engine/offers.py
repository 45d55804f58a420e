"""What users may call, by its name: the module that declares it is read when it is first asked for."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from .index import INDEX
from .registry import PUBLIC


@functools.cache
def _declared(place: str) -> dict[str, str]:
    """For each name of a place, the module of the engine that declares it."""
    found: dict[str, str] = {}
    for line in INDEX[place].splitlines():
        module, *names = line.split()
        found.update(dict.fromkeys(names, module))
    return found


def find(place: str, name: str) -> Any:
    """What is offered as ``place.name`` (torch, Tensor, Tensor_, F, linalg, special), or None."""
    offered = PUBLIC[place]
    if name not in offered and name in _declared(place):
        _read(_declared(place)[name])
    return offered.get(name)


def names(place: str) -> Iterable[str]:
    """The names offered in a place."""
    return _declared(place).keys()


def load_all() -> None:
    """Read every declaration, for those who walk the registry."""
    from pkgutil import walk_packages

    from . import ops

    for module in {module for place in PUBLIC for module in _declared(place).values()}:
        _read(module)
    for family in walk_packages(ops.__path__, f"{ops.__name__}."):
        import_module(family.name)


def _read(module: str) -> None:
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


def place_door(module: str, place: str) -> Door:
    """The door of a module that offers what is found in a place."""
    return door(module, lambda name: find(place, name), lambda: names(place))


def package_door(package: str, contents: Mapping[str, str]) -> Door:
    """The door of a package that offers what its modules hold, and the modules: MODULE -> its names."""
    modules = {module.partition(".")[0] for module in contents}
    home = {name: module for module, held in contents.items() for name in held.split()}

    def find(name: str) -> Any:
        if name in home:
            return getattr(import_module(f"{package}.{home[name]}"), name)
        return import_module(f"{package}.{name}") if name in modules else None

    return door(package, find, lambda: (*home, *modules))
