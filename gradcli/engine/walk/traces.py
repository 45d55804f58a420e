"""The anomaly mode: where in a program each node was recorded, told when its backward fails."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import EngineTypeError
from ..flags import ANOMALY, is_anomaly_enabled, settings
from ..graph import Node
from ..guard.outside import Outside, outside
from ..modes import mode
from ..tape.before import Before

# What of a program is no part of it.
_OURS = __name__.partition(".")[0] + "."

TRACE = "traceback_"
PARENT = "parent_"


class Traces(Before):
    """Stands where a tape does, and before one: writes down where each node is recorded."""

    def __init__(self, tape: Any) -> None:
        super().__init__(tape)
        # The nodes that backwards run, one within another, and the errors that each of these began among.
        self._running: list[Any] = []
        self._begun: list[BaseException | None] = []

    def record(self, node: Any, op: Any, args: Sequence[Any], outs: Sequence[Any], names: Sequence[str] = ()) -> None:
        """Write down where the program is."""
        if self.tape is not None:
            self.tape.record(node, op, args, outs, names)
        if is_anomaly_enabled():
            node.metadata[TRACE] = _here()
            if self._running and self._running[-1] is not None:
                node.metadata[PARENT] = self._running[-1]

    def walk_begins(self) -> None:
        """Note that a backward begins."""
        self._running.append(None)
        self._begun.append(sys.exception())
        if self.tape is not None:
            self.tape.walk_begins()

    def runs(self, node: Any, create_graph: bool) -> None:
        """Note which node a backward runs."""
        self._running[-1] = node
        if self.tape is not None:
            self.tape.runs(node, create_graph)

    def walk_ends(self) -> None:
        """Tell where the node was recorded with which a backward ends, if it ends with an error."""
        node = self._running.pop()
        # An error on its way out is the one that Python handles now.
        failed = sys.exception() is not self._begun.pop()
        if self.tape is not None:
            self.tape.walk_ends()
        if failed and isinstance(node, Node):
            for words in _told(node):
                warnings.warn(words, stacklevel=2)


def _here() -> list[str]:
    """The calls that the program is in, the innermost last, as Python shows them."""
    import traceback

    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame = frame.f_back
    return traceback.format_stack(frame)


def _told(node: Any) -> Iterator[str]:
    """PyTorch's words for a node whose backward failed, and for those whose backward recorded it."""
    before = f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
    while node is not None:
        trace = node.metadata.get(TRACE)
        if trace is None:
            yield (
                f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during "
                "forward pass for more information."
            )
            return
        yield before + "".join(trace)
        node = node.metadata.get(PARENT)
        if node is not None:
            before = (
                f"\n\nPrevious calculation was induced by {node.name()}. Traceback of forward call that induced the "
                "previous calculation:\n"
            )


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch the anomaly mode, in which a backward that makes a nan is an error, on or off."""
    if not isinstance(mode, bool):
        kind = type(mode).__name__
        raise EngineTypeError(f"set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
    if mode:
        settings[ANOMALY] = check_nan
    else:
        settings.pop(ANOMALY, None)
    follow()


def follow() -> None:
    """Write down from now on where nodes are recorded, if it is Python that runs the program, or no longer."""
    tape = mode.tape
    if not is_anomaly_enabled():
        if isinstance(tape, Traces):
            mode.use(tape.tape)
    elif type(outside()) is Outside and not isinstance(tape, Traces):
        mode.use(Traces(tape))
