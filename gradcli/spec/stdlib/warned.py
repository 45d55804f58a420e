"""Python's module `warnings`: what a program warns of is kept where it asks for that, and else goes by unseen."""

from __future__ import annotations

import warnings as host
from typing import Any, cast

from ...engine import compute_in_silence
from ...errors import SpecError
from ..guard.notes import Note
from ..guard.size_limits import caps
from ..values.sealed_classes import known_as
from ..values.tables.table import attributes, declare
from .contexts import Context

_ACTIONS = ("default", "error", "ignore", "always", "all", "module", "once")

# The contexts that the program is in.
_open: list[Catching] = []


def forget() -> None:
    """Leave all blocks, of a program that has ended within them."""
    _open.clear()


class WarningMessage:
    """A warning as it was given."""

    __slots__ = ("category", "filename", "lineno", "message")

    def __init__(self, message: Warning, category: type[Warning], lineno: int) -> None:
        self.message = message
        self.category = category
        self.filename = "<program>"
        self.lineno = lineno


class Catching(Context):
    """catch_warnings(): filters of its own, and a list of what is warned of if the program asks for one."""

    __slots__ = ("_filter", "_recorded", "_within")

    def __init__(
        self, *, record: Any = False, module: Any = None, action: Any = None, category: Any = Warning,
        lineno: Any = 0, append: Any = False,
    ) -> None:  # fmt: skip
        super().__init__([] if record else None)
        if module is not None:
            raise SpecError("catch_warnings() takes no module= in the spec language", help="leave it out")
        self._recorded = bool(record)
        self._within = host.catch_warnings()
        self._filter = None if action is None else (action, "", category, lineno, append)

    def __enter__(self) -> Any:
        self._within.__enter__()
        if not _open:
            # The filters of whoever runs the program are none of its own.
            host.resetwarnings()
            compute_in_silence()
        _open.append(self)
        shown = host.showwarning
        if self._recorded:

            def keep(message: Any, category: Any, filename: Any, lineno: Any, *more: Any) -> None:
                if issubclass(category, Note):
                    shown(message, category, filename, lineno, *more)
                    return
                self.value.append(WarningMessage(message, category, lineno))

            host.showwarning = cast(Any, keep)
        if self._filter is not None:
            _filtered(*self._filter)
        return self.value

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self in _open:
            _open.remove(self)
        self._within.__exit__(kind, error, trace)


known_as(WarningMessage, "WarningMessage", "warnings")
known_as(Catching, "catch_warnings", "warnings")
declare(WarningMessage, fields=attributes("category filename lineno message"))


class _Text:
    """The beginning of the text of a warning, as a filter asks for it."""

    __slots__ = ("_pattern",)

    def __init__(self, pattern: str) -> None:
        from .pattern_walk import FLAGS
        from .patterns import Pattern

        self._pattern = Pattern(pattern, FLAGS["I"])

    def match(self, text: str) -> bool:
        """Tell whether a warning has this text; Python asks it of what stands in its filters."""
        return self._pattern.match(text) is not None


def _filtered(action: Any, message: Any, category: Any, lineno: Any = 0, append: Any = False) -> None:
    """Choose what happens to warnings, until the end of the block; what gradcli itself says is shown in any case."""
    if action not in _ACTIONS:
        raise AssertionError(f"invalid action: {action!r}")
    if not isinstance(message, str):
        raise AssertionError("message must be a string")
    if not isinstance(lineno, int) or lineno < 0:
        raise AssertionError("lineno must be an int >= 0")
    if not _open:
        if action == "error":
            raise SpecError(
                "warnings are no errors in the spec language but in a block",
                help="put it in `with warnings.catch_warnings():`",
            )
        return
    text = _Text(message) if message else None
    earlier = list(host.filters)
    caps.tick(len(earlier))
    # This tells Python that its filters are others now.
    host.simplefilter("always" if action == "all" else action, _checked(category), lineno)
    if append or text is not None:
        kept, _, kind, module, line = host.filters[0]
        new = [(kept, cast(Any, text), kind, module, line)]
        cast(Any, host.filters)[:] = [*earlier, *new] if append else [*new, *earlier]
    host.filterwarnings("default", category=Note)
    compute_in_silence()


def _simplefilter(action: Any, category: Any = Warning, lineno: Any = 0, append: Any = False) -> None:
    _filtered(action, "", category, lineno, append)


def _filterwarnings(
    action: Any, message: Any = "", category: Any = Warning, module: Any = "", lineno: Any = 0, append: Any = False
) -> None:
    del module
    _filtered(action, message, category, lineno, append)


def _warn(message: Any, category: Any = None, stacklevel: Any = 1, source: Any = None, **more: Any) -> None:
    """Warn, where somebody has asked for warnings."""
    del stacklevel, source, more
    if isinstance(message, Warning):
        category = type(message)
    elif type(message) in (int, float, bool, type(None)):
        message = str(message)
    elif type(message) is not str:
        raise TypeError(f"warning message must be str or an instance of Warning, not {type(message).__name__!r}")
    if not _open:
        return
    category = _checked(UserWarning if category is None else category)
    with host.catch_warnings():
        if not any(block._recorded for block in _open):
            host.showwarning = _unseen
        host.warn_explicit(message, category, "<program>", 1, "__main__")


def _unseen(*warning: Any, **more: Any) -> None:
    """Show nothing: nobody has asked for it."""


def _checked(category: Any) -> Any:
    if not isinstance(category, type) or not issubclass(category, Warning):
        raise TypeError(f"category must be a Warning subclass, not {category!r}")
    return category


def _resetwarnings() -> None:
    if _open:
        host.resetwarnings()
        compute_in_silence()


def warnings() -> dict[str, Any]:
    """The names of the module `warnings`."""
    return {
        "catch_warnings": Catching, "filterwarnings": _filterwarnings, "resetwarnings": _resetwarnings,
        "simplefilter": _simplefilter, "warn": _warn, "WarningMessage": WarningMessage,
    }  # fmt: skip
