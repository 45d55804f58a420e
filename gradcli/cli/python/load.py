"""Import what a target names: the one place where somebody's code is run."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import sys
from typing import Any

from ...check.foreign.border import raised_there, said, theirs
from ...errors import InputError
from .wanted import divided


def loaded(text: str) -> tuple[Any, Any]:
    """The module of a target, and what its name stands for there."""
    place, name = divided(text)
    _look_in(os.getcwd())
    _seed(place)
    module = _from_file(place) if place.endswith(".py") else _named(place)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"{place} has no '{part}'", help=_offer(_functions(found), part, "functions"), code="E502")
        found = getattr(found, part)
    return module, found


def _seed(place: str) -> None:
    """Import PyTorch where a module names it, and begin its random numbers, as those of its weights."""
    try:
        spec = None if place.endswith(".py") else theirs(importlib.util.find_spec, place)
    except raised_there():
        # What stops here stops again where it is told.
        return
    path = place if place.endswith(".py") else getattr(spec, "origin", None)
    if path is None or not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        if b"torch" in file.read() and importlib.util.find_spec("torch") is not None:
            try:
                theirs(importlib.import_module, "torch").manual_seed(0)
            except raised_there():
                # So does this.
                return


def _from_file(path: str) -> Any:
    if not os.path.isfile(path):
        raise InputError(f"there is no file '{path}'", help="write file.py:name, or pkg.mod:name", code="E501")
    folder, stem = os.path.split(os.path.abspath(path))
    _look_in(folder)
    name = stem.removesuffix(".py")
    if name in sys.modules:
        name = f"_{name}_of_gradcli"
    spec = importlib.util.spec_from_file_location(name, os.path.abspath(path))
    if spec is None or spec.loader is None:
        raise InputError(f"'{path}' cannot be imported", help="a module of Python ends in .py", code="E501")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        theirs(spec.loader.exec_module, module)
    except raised_there(SystemExit) as error:
        raise _not_imported(path, error) from error
    return module


def _named(name: str) -> Any:
    try:
        return theirs(importlib.import_module, name)
    except raised_there(SystemExit) as error:
        raise _not_imported(name, error) from error


def _not_imported(what: str, error: BaseException) -> InputError:
    words = f"importing {what} stops: {said(error)}"
    missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    help = "it must be importable from here: run `gradcli` in the project's directory and environment"
    if isinstance(error, SystemExit):
        help = "what a program does stands under `if __name__ == '__main__':`, where no import runs it"
    elif isinstance(error, SyntaxError):
        help = "mend what Python cannot read"
    first = what.partition(".")[0]
    if missing == first and os.path.exists(os.path.join("src", first)):
        help = "pip install -e . in the project's environment, or set PYTHONPATH=src"
    elif missing and (package := sys.modules.get(missing.rpartition(".")[0])) is not None:
        known = [module.name for module in pkgutil.iter_modules(getattr(package, "__path__", ()))]
        words = f"importing {what} stops: {package.__name__} has no module '{missing.rpartition('.')[2]}'"
        help = _offer(known, missing.rpartition(".")[2], "modules")
    elif missing and missing != first:
        help = f"pip install {missing.partition('.')[0]}, in the environment that gradcli is in"
    return InputError(words, help=help, code="E502")


def _look_in(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _functions(module: Any) -> list[str]:
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def _offer(known: list[str], wanted: str, what: str) -> str:
    """Say what there is instead of something that was asked for."""
    from difflib import get_close_matches

    near = get_close_matches(wanted, known, 1)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"it has {', '.join(known[:8])}" if known else f"it has no {what}"
