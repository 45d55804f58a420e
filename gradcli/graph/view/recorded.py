"""``with gradcli.recording():``: the calls of modules that the ops of a graph run in, noted while a program runs.

Of PyTorch's modules hooks tell when a call begins and ends; the sequence numbers of nodes tell afterwards what was
recorded in between. Of gradcli's own a tape notes it.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from threading import get_ident
from typing import Any

from ...engine.graph import LEAF_SEQUENCE_NUMBER, BaseNode
from ...engine.modes import mode
from ...engine.tape.frames import MODULE, Frame, Frames
from ...engine.tape.tape import Tape, entry_of, recording as noting
from ...errors import InputError, Span
from .written_in import WrittenIn


class Called:
    """A module that was called, by its place in a model: notes keep no model alive."""

    __slots__ = ("inner", "model")

    def __init__(self, model: Model, inner: str) -> None:
        self.model = model
        # Its dotted path in the model; empty for the model itself.
        self.inner = inner

    @property
    def path(self) -> str:
        """The dotted path that tells it from all other modules of a recording."""
        if self.inner and self.model.is_alone:
            return self.inner
        return f"{self.model.name}.{self.inner}".rstrip(".")


class Model:
    """A module that others are in, and that is in no other."""

    def __init__(self, notes: recording, module: Any, name: str) -> None:
        self.notes = notes
        self.name = name
        self.module = weakref.ref(module)
        self.inside = {id(each): Called(self, path) for path, each in module.named_modules()}

    @property
    def is_alone(self) -> bool:
        """True if the recording has seen no other model: then nobody needs its name."""
        return len(self.notes.models) == 1

    def parameters(self) -> Iterator[tuple[str, Any]]:
        """The parameters by their dotted paths, while the model lives."""
        module = self.module()
        for name, parameter in module.named_parameters() if module is not None else ():
            yield (name if self.is_alone else f"{self.name}.{name}"), parameter


class recording(AbstractContextManager["recording"]):
    """Note with each op of the block which calls of modules it runs in: traces of its graphs have scopes and levels.

    ``modules`` gives models names, as in ``recording(generator=g, critic=c)``; else they are called by their classes.
    The notes are those of the last block, and of all that are kept (``with recording() as notes``).
    """

    def __init__(self, **modules: Any) -> None:
        self.number = next(_numbers)
        self.models: list[Model] = []
        for name, module in modules.items():
            if not hasattr(module, "named_modules"):
                raise InputError(f"recording() takes modules, and {name} is of type {type(module).__name__}")
            self.models.append(Model(self, module, name))
        self._frames = Frames()
        # The calls that are running, with the frame around each; from which sequence number on ops are in which frame.
        self._running: list[tuple[int, Frame | None]] = []
        self._starts: list[int] = []
        self._inside: list[Frame | None] = []
        self._held: list[Any] = []
        self.written = WrittenIn()
        self._ends = ExitStack()

    def __enter__(self) -> recording:
        self._thread = get_ident()
        if mode.tape is None:
            tape = Tape()
            tape.frames.wanted = True
            self._ends.enter_context(noting(tape))
        torch = sys.modules.get("torch")
        self._autograd = getattr(torch, "autograd", None)
        if torch is not None:
            modules = torch.nn.modules.module
            for handle in (
                modules.register_module_forward_pre_hook(self._begins),
                modules.register_module_forward_hook(self._is_over, always_call=True),
            ):
                self._ends.callback(handle.remove)
            self._ends.enter_context(self.written.noting(torch))
        _known.add(self)
        _last[:] = [self]
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()
        self._held.clear()

    # -- calls -------------------------------------------------------------------------------

    def _begins(self, module: Any, _: Any) -> None:
        if get_ident() == self._thread:
            called = self._called(module)
            self._running.append((id(module), self._frames.enter(MODULE, called, type(module).__name__)))
            self._turn()

    def _is_over(self, module: Any, *_: Any) -> None:
        if get_ident() != self._thread:
            return
        while self._running:
            running, outer = self._running.pop()
            self._frames.leave(outer)
            if running == id(module):
                break
        self._turn()

    def _turn(self) -> None:
        """Ops are in another frame from here on."""
        assert self._autograd is not None
        self._starts.append(self._autograd._get_sequence_nr())
        self._inside.append(self._frames.here)

    def _called(self, module: Any) -> Called:
        for model in self.models:
            called = model.inside.get(id(module))
            if called is not None:
                return called
        name = type(module).__name__
        taken = {model.name for model in self.models}
        number = 1
        while name in taken:
            number += 1
            name = f"{type(module).__name__}{number}"
        self.models.append(Model(self, module, name))
        # What is known by its id() must not be gone before the block ends.
        self._held.append(module)
        return self.models[-1].inside[id(module)]

    def frame_of(self, node: Any) -> Frame | None:
        """The call that one of PyTorch's nodes was recorded in."""
        place = bisect_right(self._starts, node._sequence_nr()) - 1
        return self._inside[place] if place >= 0 else None


_known: weakref.WeakSet[recording] = weakref.WeakSet()
# The last block: its notes are of use when it has ended, also where nobody has kept them.
_last: list[recording] = []
_numbers = itertools.count()


def _newest_first() -> list[recording]:
    return sorted(_known, key=lambda notes: -notes.number)


def frame_of(node: Any) -> Frame | None:
    """The call, or the turn of a loop, that a node was recorded in; None where nobody noted it."""
    entry = entry_of(node)
    if entry is not None or isinstance(node, BaseNode):
        return None if entry is None else entry.frame
    if _known and node._sequence_nr() < LEAF_SEQUENCE_NUMBER:
        for notes in _newest_first():
            frame = notes.frame_of(node)
            if frame is not None:
                return frame
    return None


def span_of(node: Any) -> Span | None:
    """Where one of PyTorch's nodes was recorded; None where nobody noted it."""
    if isinstance(node, BaseNode) or not _known or node._sequence_nr() >= LEAF_SEQUENCE_NUMBER:
        return None
    return next(filter(None, (notes.written.span_of(node) for notes in _newest_first())), None)


def variable_names(nodes: Iterable[Any], taken: Iterable[str]) -> dict[Any, str]:
    """The names that functions had for the results of these nodes of PyTorch's: `h`, and `h@2` for the next one."""
    found: dict[Any, str] = {}
    times = dict.fromkeys(taken, 1)
    for node in nodes if _known else ():
        if isinstance(node, BaseNode):
            continue
        name = next(filter(None, (notes.written.name_of(node) for notes in _newest_first())), None)
        if name is not None:
            times[name] = times.get(name, 0) + 1
            found[node] = name if times[name] == 1 else f"{name}@{times[name]}"
    return found


def parameter_names(leaves: Iterable[Any]) -> dict[Any, str]:
    """The names of leaves that are parameters of models of which calls were noted, in the order of these."""
    if not _known:
        return {}
    by_variable = {id(leaf.variable): leaf for leaf in leaves}
    found: dict[Any, str] = {}
    for notes in _newest_first():
        for model in notes.models:
            for name, parameter in model.parameters():
                if id(parameter) in by_variable:
                    found.setdefault(by_variable[id(parameter)], name)
    return found
