"""Where in somebody's Python code PyTorch records the nodes of its graphs, and what tensors are called there."""

from __future__ import annotations

import itertools
import os
import sys
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from ...errors import Source, Span
from .places import characters, shown_path

_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
# Files of Python's that stand between a program and what it calls.
_BETWEEN = ("contextlib.py", "functools.py", "<frozen ", "<string>")

# The flag of code whose variables are no dictionary (`inspect` takes long to import).
_IS_FUNCTION = 1

_NOBODY: tuple[Callable[[], Any], str] = lambda: None, ""

Place = tuple[CodeType, int]


class WrittenIn:
    """Notes of the places that recorded nodes, and of the names that functions had for tensors."""

    def __init__(self) -> None:
        # Stretches of sequence numbers, and the place where the nodes with these were recorded.
        self._starts: list[int] = []
        self._stops: list[int] = []
        self._places: list[Place] = []
        self._names: dict[int, str] = {}
        self._leaves: dict[int, tuple[Callable[[], Any], str]] = {}

    def span_of(self, node: Any) -> Span | None:
        """Where one of PyTorch's nodes was recorded."""
        number = node._sequence_nr()
        at = bisect_right(self._starts, number) - 1
        return _span(*self._places[at]) if at >= 0 and number < self._stops[at] else None

    def name_of(self, node: Any) -> str | None:
        """The first name that a function had for what a node made, or for a leaf."""
        variable = getattr(node, "variable", None)
        return self._names.get(node._sequence_nr()) if variable is None else self._known(variable)

    @contextmanager
    def noting(self, torch: Any) -> Iterator[None]:
        """Note them in the block, in this thread."""
        with _mode(torch)(self):
            yield

    # -- notes -------------------------------------------------------------------------------

    def between(self, start: int, stop: int, frame: FrameType | None) -> None:
        """Note the place of nodes by a frame of the program's."""
        if start < stop and frame is not None:
            self._starts.append(start)
            self._stops.append(stop)
            self._places.append((frame.f_code, frame.f_lasti))

    def called(self, tensors: Iterable[Any], frames: Iterable[FrameType]) -> None:
        """Note what functions call tensors that are used: the outermost one has its name from an assignment."""
        unnamed = {id(x): x for x in tensors if x.requires_grad and x.output_nr == 0 and self._known(x) is None}
        if unnamed:
            names = {id(tensor): (name, tensor) for frame in frames for name, tensor in _named(unnamed, frame)}
            for name, tensor in names.values():
                if tensor.grad_fn is None:
                    self._leaves[id(tensor)] = weakref.ref(tensor), name
                else:
                    self._names[tensor.grad_fn._sequence_nr()] = name

    def _known(self, tensor: Any) -> str | None:
        if tensor.grad_fn is not None:
            return self._names.get(tensor.grad_fn._sequence_nr())
        ref, name = self._leaves.get(id(tensor), _NOBODY)
        return name if ref() is tensor else None


def _named(tensors: dict[int, Any], frame: FrameType) -> list[tuple[str, Any]]:
    """The names that a frame has for some of these tensors."""
    variables = frame.f_locals
    found = [(name, tensors[id(value)]) for name, value in variables.items() if id(value) in tensors]
    if sys.version_info < (3, 13) and frame.f_code.co_flags & _IS_FUNCTION:
        # The copy of a function's variables stays with its frame, and would keep alive what the function lets go of.
        variables.clear()
    return found


def _mode(torch: Any) -> type[Any]:
    """A mode of PyTorch's that sees every call of its functions."""
    library = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
    number = torch.autograd._get_sequence_nr
    tensor = torch.Tensor

    def of_program(frame: FrameType | None) -> FrameType | None:
        """The innermost frame of the program's own."""
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith((library, _OWN)) and not file.endswith(_BETWEEN) and not file.startswith(_BETWEEN):
                return frame
            frame = frame.f_back
        return None

    def all_of_program(frame: FrameType | None) -> Iterator[FrameType]:
        """The frames of the program's from one on outwards."""
        while (frame := of_program(frame)) is not None:
            yield frame
            frame = frame.f_back

    def around_apply(frame: FrameType | None) -> FrameType | None:
        """The frame of the program's that applied the Function whose forward runs."""
        while frame is not None:
            code = frame.f_code
            if code.co_name == "apply" and code.co_filename.startswith(library):
                return of_program(frame.f_back)
            frame = frame.f_back
        return None

    class Noting(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        """Notes, around each call, where the program is."""

        def __init__(self, notes: WrittenIn) -> None:
            super().__init__()
            self.notes = notes
            self.seen = number()

        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            frame = of_program(sys._getframe(1))
            before = number()
            # In the forward of a Function arguments have names of its own.
            outer = frame if torch.is_grad_enabled() else around_apply(sys._getframe(1)) or frame
            self.notes.called(_among(args, tensor), all_of_program(outer))
            if self.seen < before and outer is not frame:
                # A node without a call: that of the Function, made before its forward runs.
                self.notes.between(self.seen, before, outer)
            result = function(*args, **(kwargs or {}))
            self.seen = number()
            self.notes.between(before, self.seen, frame)
            return result

    return Noting


def _among(args: Iterable[Any], tensor: type) -> Iterator[Any]:
    """The tensors among arguments, and in lists of them."""
    for x in args:
        if isinstance(x, tensor):
            yield x
        elif isinstance(x, (list, tuple)):
            yield from (y for y in x if isinstance(y, tensor))


def _span(code: CodeType, instruction: int) -> Span | None:
    """The place of an instruction; None where the text of its file is not known."""
    import linecache

    lines = linecache.getlines(code.co_filename)
    positions = next(itertools.islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    line, end_line, start, end = positions
    if line is None or end_line is None or start is None or end is None or end_line > len(lines):
        return None
    source = Source(shown_path(code.co_filename), "".join(lines))
    return Span(source, line, characters(lines[line - 1], start), end_line, characters(lines[end_line - 1], end))
