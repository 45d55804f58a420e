"""Every value that the interpreter hands to a program, as it does: each has to be of a kind that may be held."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gradcli.spec import members
from gradcli.spec.interpreter import calls
from tests.spec.crawler import live
from tests.spec.kinds import refused

from . import audit

Report = Callable[[str, str], None]
_SEEN = frozenset((int, float, str, bool, type(None), list, tuple))


def watch(report: Report) -> None:
    """Look at what attributes and calls give from now on."""
    look = _looking(report)
    get, caller = members.get, calls.caller

    def looked_at(value: Any, name: str) -> Any:
        found = get(value, name)
        look(found, f".{name}")
        return found

    def looking(machine: Any) -> Any:
        call = caller(machine)

        def called(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            look(function, " that is called")
            found = call(function, args, kwargs)
            look(found, " of a call")
            return found

        return called

    for name, module in list(sys.modules.items()):
        if name.startswith("gradcli.spec"):
            for key, plain, watched in (("get", get, looked_at), ("caller", caller, looking)):
                if getattr(module, key, None) is plain:
                    setattr(module, key, watched)


def _looking(report: Report) -> Callable[[Any, str], None]:
    def look(value: Any, how: str) -> None:
        if type(value) in _SEEN:
            return
        audit.quiet = True
        why = refused(value) or live().get(id(value))
        audit.quiet = False
        if why is not None:
            report("reach", f"{why} as{how}")

    return look


def held(variables: dict[str, Any], report: Report, most: int = 2_000) -> None:
    """Look at all that variables hold, containers and objects of the program's own included."""
    look = _looking(report)
    stack, seen = list(variables.values()), set()
    while stack and len(seen) < most:
        value = stack.pop()
        if id(value) in seen or type(value) in (int, float, str, bool):
            continue
        seen.add(id(value))
        look(value, " held")
        if isinstance(value, dict):
            stack += [*dict.keys(value), *dict.values(value)]
        elif isinstance(value, (list, tuple, set, frozenset)):
            stack += _items(value)


def _items(value: Any) -> list[Any]:
    base = next(b for b in (list, tuple, set, frozenset) if isinstance(value, b))
    return list(base.__iter__(value))
