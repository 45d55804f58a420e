"""Which files a confined process needs: those of the interpreter, of its libraries, and of what gradcli builds upon."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Final

_SYSTEM: Final = (
    "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64",
    "/etc/ld.so.cache", "/nix/store", "/gnu/store",
)  # fmt: skip
# Time zones, what the interpreter asks about its own memory and time, and whose processor it is.
_SMALL: Final = (
    "/usr/share/zoneinfo", "/etc/localtime", "/dev/null", "/dev/urandom", "/proc/self/stat", "/proc/self/statm",
    "/proc/cpuinfo",
)  # fmt: skip
_OF_PROGRAMS: Final = ("/bin", "/usr/bin", "/usr/local/bin")
# Fonts and how they are chosen, and what a program says in the user's language.
_FOR_PROGRAMS: Final = (
    "/usr/share", "/usr/local/share", "/etc/fonts", "/etc/graphviz", "/etc/pango", "/etc/ld.so.preload",
    "/var/cache/fontconfig", "/var/lib/graphviz", "/dev/null", "/dev/urandom", "/etc/localtime",
)  # fmt: skip
_BESIDE_PROGRAMS: Final = ("bin", "lib", "lib64", "libexec", "share", "etc", "opt", "Cellar")

# Whatever else is loaded may be a stranger's: the tests of the project that is checked, its settings beside them.
_PACKAGES: Final = (
    "gradcli", "numpy", "click", "rich", "pydot", "pyparsing", "pygments", "markdown_it", "mdurl", "_pytest", "pytest",
    "pluggy", "iniconfig", "packaging", "scipy_openblas64", "scipy_openblas32",
)  # fmt: skip


def of_interpreter() -> list[str]:
    """List the paths that a process of Python and NumPy reads while it computes, late imports among them."""
    return list(dict.fromkeys((*_SYSTEM, *_SMALL, *_standard_library(), *_packages())))


def of_programs(programs: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """List the paths that programs need: their own and their libraries', and what else they may read."""
    named = [path for name in programs for path in (os.path.abspath(name), os.path.realpath(name))]
    prefixes = dict.fromkeys(os.path.dirname(os.path.dirname(path)) for path in named)
    beside = [os.path.join(prefix, name) for prefix in prefixes for name in _BESIDE_PROGRAMS]
    return list(dict.fromkeys((*_SYSTEM, *_OF_PROGRAMS, *programs, *beside))), list(_FOR_PROGRAMS)


def _standard_library() -> Iterator[str]:
    """The directory of the standard library and those of the shared libraries that it was built with."""
    yield os.path.dirname(os.__file__)
    if sys.pycache_prefix is not None:
        # Where Python keeps what it has compiled, when that is not beside the sources.
        yield sys.pycache_prefix
    for prefix in dict.fromkeys((sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix)):
        for name in dict.fromkeys(("lib", sys.platlibdir)):
            yield os.path.join(prefix, name)


def _packages() -> Iterator[str]:
    for name in _PACKAGES:
        module = sys.modules.get(name)
        places = getattr(module, "__path__", None)
        if places is None:
            places = [file] if (file := getattr(module, "__file__", None)) else []
        for place in places:
            yield _existing(place)
            # Wheels keep the shared libraries that they bring beside the package.
            yield f"{place}.libs"


def _existing(place: str) -> str:
    """A path of a package, or the archive that it is in."""
    at = place
    while not os.path.exists(at) and at != os.path.dirname(at):
        at = os.path.dirname(at)
    return at if at == place or os.path.isfile(at) else place
