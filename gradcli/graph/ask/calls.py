"""The calls of a graph by the names that people give them: a path, a class, a function, a loop, or the id of one."""

from __future__ import annotations

from ...errors import InputError
from ..view.scopes import Scope
from ..view.view import View

# More names than these are not listed for somebody to choose from.
_LISTED = 12


def calls_of(view: View) -> list[Scope]:
    """All calls and turns of loops that ops of a view ran in, in forward order."""
    return list(dict.fromkeys(scope for item in view.ops() if item.scope is not None for scope in item.scope.path))


def named(view: View, name: str) -> list[Scope]:
    """The calls of a name; none where no call has it."""
    return [
        scope
        for scope in calls_of(view)
        if name in (scope.id, scope.name, scope.cls, scope.name.removesuffix("()"))
    ]


def unknown_call(view: View, name: str) -> InputError:
    """The error for a name that no call has, with those that some have."""
    from ...spec.torch_names.suggest import did_you_mean

    known = list(dict.fromkeys(scope.name for scope in calls_of(view)))
    listed = ", ".join(known[:_LISTED]) + (", ..." if len(known) > _LISTED else "")
    return InputError(
        f"no call in the graph of {view.root_name or view.root.id} is named '{name}'",
        help=did_you_mean(name, known) or (f"there are {listed}" if known else "the program makes no calls"),
        code="E507",
    )
