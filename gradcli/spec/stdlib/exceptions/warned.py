"""Python's module `warnings`: what a program warns of, what it filters, and what it keeps of all that is warned of."""

from __future__ import annotations

import warnings as host
from typing import Any, cast

from ....engine import compute_in_silence
from ....errors import SpecError
from ...guard.notes import Note, warned_at
from ...guard.size_limits import caps, whole
from ...values.classes.sealed_classes import known_as
from ...values.show import text
from ...values.tables.table import attributes, declare
from ...values.user_definitions import MISSING
from ..contexts import Context
from ..frames import place_of_call

_ACTIONS = ("default", "error", "ignore", "always", "all", "module", "once")

# What Python itself does with warnings, before anybody says otherwise.
_PYTHONS = (
    ("default", DeprecationWarning, "__main__"), ("ignore", DeprecationWarning, ""),
    ("ignore", PendingDeprecationWarning, ""), ("ignore", ImportWarning, ""), ("ignore", ResourceWarning, ""),
)  # fmt: skip

# The contexts that the program is in, and the places that it has warned at; none before it first has to do with them.
_open: list[Catching] = []
_seen: dict[Any, Any] | None = None


def forget() -> None:
    """Leave all blocks, of a program that has ended within them."""
    global _seen
    _open.clear()
    _instead.clear()
    _seen = None


def _begun() -> dict[Any, Any]:
    """The places that the program has warned at; its first has Python's filters, whatever those of its host are."""
    global _seen
    if _seen is None:
        _seen = {}
        host.resetwarnings()
        for action, category, module in reversed(_PYTHONS):
            host.filterwarnings(cast(Any, action), category=category, module=module)
        _let_through()
    return _seen


def _let_through() -> None:
    """Show what gradcli itself says, whatever a program filters, and none of what NumPy warns of inside of ops."""
    host.filterwarnings("default", category=Note)
    compute_in_silence()


class WarningMessage:
    """A warning as it was given."""

    __slots__ = ("category", "filename", "lineno", "message")

    def __init__(self, message: Warning, category: type[Warning], filename: str, lineno: int) -> None:
        self.message = message
        self.category = category
        self.filename = filename
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
        _begun()
        self._within.__enter__()
        _open.append(self)
        shown = host.showwarning
        if self._recorded:

            def keep(message: Any, category: Any, filename: Any, lineno: Any, *more: Any) -> None:
                if issubclass(category, Note):
                    shown(message, category, filename, lineno, *more)
                    return
                place = warned_at(place_of_call(), filename, lineno)
                if place is not None:
                    filename, lineno = place.source.name, place.line
                self.value.append(WarningMessage(message, category, filename, lineno))

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
    _flag = "I"

    def __init__(self, pattern: str) -> None:
        from ..pattern_walk import FLAGS
        from ..patterns import Pattern

        self._pattern = Pattern(pattern, FLAGS[self._flag] if self._flag else 0)

    def match(self, text: str) -> bool:
        """Tell whether a warning has this text; Python asks it of what stands in its filters."""
        return self._pattern.match(text) is not None


class _Module(_Text):
    """The beginning of the name of the module that warns: what of ours warns is in PyTorch's place."""

    __slots__ = ()
    _flag = ""

    def match(self, text: str) -> bool:
        """Tell whether it is this module."""
        return super().match(f"torch{text.removeprefix(_OURS)}" if text.startswith(_OURS) else text)


_OURS = __name__.partition(".")[0]


def _filtered(
    action: Any, message: Any, category: Any, lineno: Any = 0, append: Any = False, module: Any = ""
) -> None:
    """Choose what happens to warnings, until the end of the block or the run."""
    if action not in _ACTIONS:
        raise AssertionError(f"invalid action: {action!r}")
    for name, value in (("message", message), ("module", module)):
        if not isinstance(value, str):
            raise AssertionError(f"{name} must be a string")
    if not isinstance(lineno, int) or lineno < 0:
        raise AssertionError("lineno must be an int >= 0")
    if action == "error" and not _open:
        raise SpecError(
            "warnings are no errors in the spec language but in a block",
            help="put it in `with warnings.catch_warnings():`",
        )
    _begun()
    text, place = _Text(message) if message else None, _Module(module) if module else None
    earlier = list(host.filters)
    caps.tick(len(earlier))
    # This tells Python that its filters are others now.
    host.simplefilter("always" if action == "all" else action, _checked(category), lineno)
    if append or text is not None or place is not None:
        kept, _, kind, _, line = host.filters[0]
        new = [(kept, cast(Any, text), kind, cast(Any, place), line)]
        cast(Any, host.filters)[:] = [*earlier, *new] if append else [*new, *earlier]
    _let_through()


def _simplefilter(action: Any, category: Any = Warning, lineno: Any = 0, append: Any = False) -> None:
    _filtered(action, "", category, lineno, append)


def _filterwarnings(
    action: Any, message: Any = "", category: Any = Warning, module: Any = "", lineno: Any = 0, append: Any = False
) -> None:
    _filtered(action, message, category, lineno, append, module)


def _warn(message: Any, category: Any = None, stacklevel: Any = 1, source: Any = None, **more: Any) -> None:
    """Warn at the place that calls, or so many calls further out."""
    del source, more
    if isinstance(message, Warning):
        category = type(message)
    elif type(message) in (int, float, bool, type(None)):
        message = str(message)
    elif type(message) is not str:
        raise TypeError(f"warning message must be str or an instance of Warning, not {type(message).__name__!r}")
    if not isinstance(stacklevel, int):
        raise TypeError(f"'{type(stacklevel).__name__}' object cannot be interpreted as an integer")
    category = _checked(UserWarning if category is None else category)
    seen = _begun()
    caps.tick(len(host.filters))
    place = place_of_call(stacklevel)
    file, line = ("", 0) if place is None else (place.source.name, place.line)
    host.warn_explicit(message, category, file, line, "__main__", seen)


def _checked(category: Any) -> Any:
    if not isinstance(category, type) or not issubclass(category, Warning):
        raise TypeError(f"category must be a Warning subclass, not {category!r}")
    return category


def _resetwarnings() -> None:
    _begun()
    host.resetwarnings()
    _let_through()


def _show(
    message: Any, category: Any, filename: Any, lineno: Any, file: Any = None, line: Any = None
) -> None:
    """Show a warning as all are shown here; where the program names a file, as a text in that."""
    del line
    if file is None:
        host.showwarning(message, _checked(category), str(filename), whole(lineno))
    else:
        said = caps.guarded(_instead.get("formatwarning", _format))(message, category, filename, lineno)
        caps.guarded(caps.member(file, "write"))(said)


def _format(message: Any, category: Any, filename: Any, lineno: Any, line: Any = None) -> str:
    del line
    return f"{text(filename)}:{text(lineno)}: {_checked(category).__name__}: {text(message)}\n"


_show.__name__ = _show.__qualname__ = "showwarning"
_format.__name__ = _format.__qualname__ = "formatwarning"
# What the program has put in the place of these.
_instead: dict[str, Any] = {}


def put(name: str, function: Any) -> None:
    """Let a function of the program show warnings, or write them, for the rest of the run."""
    if name not in ("showwarning", "formatwarning") or not callable(function):
        raise SpecError(f"warnings.{name} cannot be assigned to: a module is the same for all", code="E205")
    _begun()
    before = _instead.pop(name, None)
    if function not in (_show, _format):
        _instead[name] = function
    if name == "showwarning" and before is None and name in _instead:
        shown = host.showwarning

        def told(message: Any, category: Any, filename: Any, lineno: Any, *more: Any) -> None:
            instead = _instead.get("showwarning")
            if instead is None or issubclass(category, Note):
                shown(message, category, filename, lineno, *more)
                return
            place = warned_at(place_of_call(), filename, lineno)
            if place is not None:
                filename, lineno = place.source.name, place.line
            # What it warns of itself is shown as usual.
            del _instead["showwarning"]
            try:
                caps.guarded(instead)(message, category, filename, lineno, None, None)
            finally:
                _instead.setdefault("showwarning", instead)

        host.showwarning = cast(Any, told)


def current(name: str) -> Any:
    """A name of the module `warnings`, or MISSING."""
    return _instead.get(name, warnings().get(name, MISSING))


def warnings() -> dict[str, Any]:
    """The names of the module `warnings`."""
    return {
        "showwarning": _show, "formatwarning": _format,
        "catch_warnings": Catching, "filterwarnings": _filterwarnings, "resetwarnings": _resetwarnings,
        "simplefilter": _simplefilter, "warn": _warn, "WarningMessage": WarningMessage,
    }  # fmt: skip
