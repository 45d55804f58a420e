"""Every value that the interpreter hands to a program, as it does: each has to be of a kind that may be held."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gradcli.spec.language import calls
from gradcli.spec.values import members
from tests.spec.crawler import kept_by, live
from tests.spec.kinds import refused

from . import audit
from .atoms import CANARY

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
        with audit.paused():
            why = refused(value) or live().get(id(value))
        if why is not None:
            report("reach", f"{why} as{how}")

    return look


def held(variables: dict[str, Any], report: Report, most: int = 2_000) -> None:
    """Look at all that variables hold, and at what their containers do."""
    look = _looking(report)
    stack = list(variables.values())
    seen: dict[int, Any] = {}
    while stack and len(seen) < most:
        value = stack.pop()
        if id(value) in seen or type(value) in (int, float, str, bool):
            continue
        seen[id(value)] = value
        look(value, " held")
        if isinstance(value, dict):
            stack += [*dict.keys(value), *dict.values(value)]
        elif isinstance(value, (list, tuple, set, frozenset)):
            stack += _items(value)
        elif isinstance(value, AttributeError) and value.name == CANARY and value.obj is not None:
            report("reach", f"getattr with a name of the program's, of a {type(value.obj).__mro__[-2].__name__}")
    for value in seen.values():
        if not isinstance(value, type) and hasattr(value, "__dict__"):
            for name, found in kept_by(value):
                if id(found) in seen:
                    report("reach", f"the live {name} of an object held")


def _items(value: Any) -> list[Any]:
    base = next(b for b in (list, tuple, set, frozenset) if isinstance(value, b))
    return list(base.__iter__(value))
