"""A program in a process of its own: what it prints, what comes of it, and why it ended, told by whoever started it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from operator import length_hint
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..errors import GradcliError, LimitError, Span
from ..spec.guard import limits as limits_, process_limits
from ..spec.guard.notes import warned_at
from ..wall import kernel
from ..wall.child import Child, Ending, Terms, attend
from ..wall.mouth import BUG, LONGEST, TRIED, Mouth, line_said
from ..wall.wire import packed, unpacked

if TYPE_CHECKING:
    from types import FrameType

    from ..spec.guard.limits import Limits
    from ..spec.language.machine import Machine

# What a child says: what the program prints, what it writes to stderr, what it is warned of, a part of a long result,
# where it is, what came of it, an error that ended it, and what it has read of gradcli.
_PRINTED, _TOLD, _WARNED, _PART, _PLACE, _VALUE, _ERROR, _READ = b"o", b"s", b"w", b"r", b"p", b"v", b"e", b"i"
# The number of the line of the standard input that the program waits for.
_ASKED = b"a"
# How far it is; not said more often than anybody looks.
_COUNTED, _SELDOM = b"n", 0.1
# The round that its outermost loop is in.
_ROUND = b"l"
# The program is done, and what is made of it begins.
_RECORDED = b"c"
# What has come of it so far.
_SO_FAR = b"f"
_LONGEST_PART = 1 << 20

# Control characters, but for lines and tabs.
_OBEYED = "[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_CONTROL = bytes([*range(9), *range(11, 32), 127])
# How long a child that is to end may take to say where it is.
_ANSWER = 1.0
# A busy machine makes everybody wait: that long, as a multiple of the time on the processor, and that much longer.
_PATIENCE, _START = 10.0, 20.0


T = TypeVar("T")
Printed = Callable[[str], object]
Warned = Callable[[str, "Span | None"], object]
# Shows what the program asks before somebody at a terminal is waited for.
Asks = Callable[[], object]


class Inside(NamedTuple):
    """All that an action in a child has of its surroundings."""

    # Told of each machine that runs a program.
    started: Callable[[Machine], None]
    # Takes what the program prints, what it writes to its standard error stream, and parts of a long result.
    write: Callable[[str], None]
    write_error: Callable[[str], None]
    result: Callable[[str], None]
    # Is told how far it is, as a number that grows.
    counted: Callable[[int], None]
    # Is told once that the program is done, and the time of what is made of it begins.
    recorded: Callable[[], None]
    # Is told the round that the program's outermost loop begins.
    rounds: Callable[[Sequence[Any]], None]
    # Is told what has come of it so far, before a part begins that may not come to its end.
    so_far: Callable[[Any], None]


class Round(NamedTuple):
    """A round of a loop: its number, of how many if that is known, and the line and the words that begin the loop."""

    number: int
    of: int | None
    line: int
    head: str


class Task(NamedTuple):
    """Something to be done in a child: ``act(inside, argument)``, within limits."""

    act: Callable[[Inside, Any], Any]
    argument: Any
    limits: Limits
    # Files that it reads, beside those of Python's.
    readable: tuple[str, ...] = ()
    walled: bool = True
    # The records in what comes of it.
    records: Sequence[type] = ()
    # How long what is made of it may take, once it says that the program is done.
    seconds_more: float = 0.0
    # Whether it runs code that the user has asked for: it has the user's environment and standard error, and may sleep
    # no longer than compute.
    own_code: bool = False
    # The task that is left where one ends in the middle: of what had come of it so far, and why it ended.
    rest: Callable[[Any, GradcliError], Task] | None = None


class Bug(Exception):
    """An error that no user can cause, met in a child: in a line, and its traceback."""

    def __init__(self, said: str, trace: str) -> None:
        super().__init__(said)
        self.trace = trace


class Doing:
    """A task that is being done."""

    def __init__(
        self, task: Task, printed: Printed, warned: Warned, errors: Printed, asks: Asks | None = None
    ) -> None:
        self.task = task
        self.printed = printed
        self.errors = errors
        self.warned = warned
        self.asks = asks
        self.parts: list[str] = []
        # Whether there may be something in them that a terminal obeys.
        self.doubtful = False
        self.modules: list[str] = []
        self.counted = 0
        # The number of the round that is running, of how many, and the line and the words that begin its loop.
        self.round: Round | None = None
        self._said: dict[bytes, Any] = {}
        self._room = task.limits.memory
        # The program itself is stopped earlier: no character has more bytes.
        self._left = 4 * task.limits.output + _LONGEST_PART
        memory = process_limits.room(task.limits)
        if task.walled:
            kernel.prepare()
        seconds = task.limits.seconds
        self.recorded = False
        # Whether it is done once more, after a crash.
        self.again = False
        patience = 1.0 if task.own_code else _PATIENCE
        waiting = patience * (seconds + task.seconds_more) + _START * (not task.own_code)
        told = memory.told if memory else 0
        terms = Terms(seconds, waiting, told, task.readable, task.walled, task.own_code)
        self.child = Child(_act, (task, memory), terms, self._heard)

    def _heard(self, kind: bytes, data: bytes) -> None:
        if kind in (_PRINTED, _TOLD):
            self._left -= len(data)
            if self._left < 0:
                raise limits_.too_much_output(self.task.limits)
            (self.printed if kind == _PRINTED else self.errors)(data.decode("utf-8", "surrogatepass"))
        elif kind == _PART:
            self._room -= len(data)
            if self._room < 0:
                raise _too_long(self.task.limits)
            # A look at bytes is quick: C1 begins with C2, as some letters do.
            self.doubtful = self.doubtful or len(data.translate(None, _CONTROL)) < len(data) or b"\xc2" in data
            self.parts.append(data.decode("utf-8", "surrogatepass"))
        elif kind == _COUNTED:
            self.counted = int.from_bytes(data[:8], "big")
        elif kind == _ROUND:
            self.round = _round(unpacked(data))
        elif kind == _RECORDED:
            if not self.recorded:
                self.recorded = True
                self.child.allow(self.task.seconds_more)
        elif kind == _WARNED:
            self.warned(*unpacked(data))
        elif kind == _ASKED:
            from .given_lines import given_line

            self.child.process.ask(line_said(given_line(int.from_bytes(data[:8], "big"), self.asks)))
        elif kind == TRIED:
            self._said[kind] = data.decode("ascii", "backslashreplace")
        else:
            self._said[kind] = unpacked(data, self.task.records)

    @property
    def has_crashed(self) -> bool:
        """True if the child has ended by nothing that is known of it."""
        ending = self.child.ending
        told = not self._said.keys().isdisjoint((_ERROR, _VALUE, TRIED, BUG))
        return ending is not None and ending.why in ("signal", "exit") and not told

    def rest(self) -> Task | None:
        """Return the task that is left where one has ended in the middle, after a part of it."""
        if self.task.rest is None or _SO_FAR not in self._said:
            return None
        try:
            self.result()
        except GradcliError as error:
            return self.task.rest(self._said[_SO_FAR], error)
        except Bug:
            # That is told before all else.
            return None
        return None

    def interrupted(self) -> str:
        """Where it is when somebody has it end, in words; nothing where it does not say so at once."""
        self._said.pop(_PLACE, None)
        self.child.process.ask()
        latest = time.perf_counter() + _ANSWER
        while _PLACE not in self._said and time.perf_counter() < latest and not attend([self.child]):
            pass
        place = self._said.get(_PLACE)
        if not isinstance(place, Span):
            return ""
        from ..report.diagnostic import place_of

        return f"{place_of(place)}: interrupted{'' if self.round is None else f' in {told(self.round)}'}"

    def result(self) -> Any:
        """The result, once the child has ended; what ended it is raised."""
        ending = self.child.ending
        assert ending is not None
        error = self._said.get(_ERROR)
        if isinstance(error, GradcliError):
            raise error
        if TRIED in self._said:
            raise limits_.crashed(f"it tried what no program may do, {self._said[TRIED]}", self._said.get(_PLACE))
        if BUG in self._said:
            raise Bug(*self._said[BUG])
        if _VALUE not in self._said or ending.why != "done":
            error = _ended(ending, self.task.limits, self._said.get(_PLACE), self.recorded)
            if self.again and error.code == "E411":
                error.notes = ("so it did twice, the second time alone",)
            raise error
        self.modules = self._said.get(_READ, [])
        return self._said[_VALUE]


def done(
    task: Task,
    printed: Printed,
    warned: Warned,
    watch: Callable[[Round | None], object] = lambda round: None,
    errors: Printed = lambda text: None,
    asks: Asks | None = None,
) -> tuple[Any, str]:
    """Do a task in a child: what came of it, and the parts of a long result.

    ``watch`` is told now and then of the round that the program is in, ``errors`` what it writes to its standard error
    stream. Without ``asks`` nobody at a terminal is asked for a line. An interruption says where that was.
    """
    doing = Doing(task, printed, warned, errors, asks)
    try:
        while not attend([doing.child]):
            watch(doing.round)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(doing.interrupted()) from None
    finally:
        doing.child.kill()
    value = doing.result()
    _compile(doing.modules)
    text = "".join(doing.parts)
    return value, _shown(text) if doing.doubtful else text


def told(round: Round) -> str:
    """A round in words."""
    of = "" if round.of is None else f" of {round.of:,}"
    return f"round {round.number:,}{of} of `{round.head}` (line {round.line})"


def _round(said: Any) -> Round | None:
    """The round that a child tells of, whatever it says."""
    match said:
        case (int() as number, int() | None as of, int() as line, str() as head):
            from ..text.escape import harmless, one_line

            return Round(number, of, line, harmless(one_line(head)))
    return None


def _shown(text: str) -> str:
    """A text that a child has made: there is nothing in it that terminals obey."""
    import re

    from ..text.escape import escape

    return re.sub(_OBEYED, lambda found: escape(found[0]), text)


def the_rest(found: Generator[T, None, None]) -> Iterator[T]:
    """Interrupt an iterator of what is being done: what it has ready."""
    try:
        yield found.throw(KeyboardInterrupt())
        yield from found
    except (KeyboardInterrupt, StopIteration):
        return


def each_done(
    tasks: Sequence[Callable[[], Task]], count: int, watch: Callable[[int], object] | None = None
) -> Generator[tuple[int, Callable[[], Any]], None, None]:
    """Do tasks in children, so many at a time; of each its number and what gives its result, or raises what ended it.

    They come in their order. One whose child crashes is done once more, when nothing else is, and then what is left of
    it. ``watch`` is told now and then how far those are that are being done. Whoever has enough closes the iterator;
    the children end with it. An interruption does that, too, after the tasks that are done already behind one that is
    not.
    """
    running: dict[int, Doing] = {}
    finished: dict[int, Doing] = {}
    left = iter(range(len(tasks)))
    crashed: list[int] = []
    alone: set[int] = set()
    rests: dict[int, Task] = {}
    try:
        for number in range(len(tasks)):
            while number not in finished:
                if crashed and not running:
                    alone.add(crashed[0])
                    again = crashed.pop(0)
                    rest = rests.pop(again, None)
                    running[again] = Doing(rest or tasks[again](), _nobody, _nobody, _nobody)
                    running[again].again = rest is None
                while not (crashed or alone) and len(running) < count and (next_one := next(left, None)) is not None:
                    running[next_one] = Doing(tasks[next_one](), _nobody, _nobody, _nobody)
                ended = attend([doing.child for doing in running.values()])
                if watch is not None:
                    watch(sum(doing.counted for doing in running.values()))
                for key in [key for key, doing in running.items() if doing.child in ended]:
                    doing = running.pop(key)
                    if doing.has_crashed and key not in alone:
                        crashed.append(key)
                        continue
                    alone.discard(key)
                    rest = doing.rest()
                    if rest is None:
                        finished[key] = doing
                    else:
                        rests[key] = rest
                        crashed.insert(0, key)
            doing = finished.pop(number)
            yield number, doing.result
            # The next ones are copies of this process: what they will need is read here, once.
            (_read if crashed or length_hint(left) else _compile)(doing.modules)
    except KeyboardInterrupt:
        yield from ((key, finished[key].result) for key in sorted(finished))
        raise
    finally:
        for doing in running.values():
            doing.child.kill()


# -- why it ended ------------------------------------------------------------------------------


def _ended(ending: Ending, limits: Limits, place: Any, recorded: bool = False) -> GradcliError:
    """Why a child ended that did not say so itself, whose program was done or not."""
    span = place if isinstance(place, Span) else None
    if ending.why in ("slow", "waited"):
        error = (limits_.too_long_a_check if recorded else limits_.too_slow)(limits, span)
        if ending.why == "waited" and ending.used is not None:
            had = f"in {ending.waited:.0f} s it had the processor for {ending.used:.1f} s"
            error.notes = (f"{had}: the machine is busy",)
        return error
    if ending.why == "memory":
        error = limits_.too_much_memory(limits)
        error.span = span
        return error
    return limits_.crashed(_how(ending), span)


def _how(ending: Ending) -> str:
    """The end of a child, in words."""
    if ending.why != "signal":
        return f"exit code {ending.number}"
    from signal import Signals, strsignal

    try:
        return f"{Signals(ending.number).name}, {(strsignal(ending.number) or '').lower()}"
    except ValueError:
        return f"signal {ending.number}"


def _too_long(limits: Limits) -> LimitError:
    error = limits_.too_much_memory(limits)
    error.message = error.message.replace("the program needs", "the result needs", 1)
    return error


def _nobody(*said: Any) -> None:
    """Hear nothing of what a program prints or is warned of."""


def _read(modules: Any) -> None:
    """Read what a child had to read of gradcli: the next one finds it there."""
    from importlib import import_module

    for name in modules:
        if type(name) is str and name.startswith(_ROOMS) and name not in sys.modules:
            try:
                import_module(name)
            except ImportError:
                # There is no such module, whatever the child says.
                continue


def _compile(modules: Any) -> None:
    """Keep the compiled form of what a child had to compile: it may write nothing itself."""
    if sys.dont_write_bytecode:
        return
    root = os.path.dirname(os.path.dirname(__file__))
    for name in modules:
        folder, _, stem = os.path.join(root, *name.split(".")[1:]).rpartition(os.sep)
        path = os.path.join(folder, f"{stem}.py")
        kept = os.path.join(folder, "__pycache__", f"{stem}.{sys.implementation.cache_tag}.pyc")
        if sys.pycache_prefix is not None:
            from importlib.util import cache_from_source

            kept = cache_from_source(path)
        if os.path.isfile(path) and _age(kept) < _age(path):
            import py_compile

            py_compile.compile(path, quiet=2)


def _age(path: str) -> float:
    try:
        return os.path.getmtime(path)
    except OSError:
        # There is none yet.
        return 0.0


_ROOMS = tuple(f"gradcli.{room}." for room in ("engine", "nn", "optim", "utils", "spec", "graph", "check"))


# -- in the child ------------------------------------------------------------------------------


def _act(mouth: Mouth, ears: int, argument: tuple[Task, process_limits.Room | None]) -> None:
    """Do a task, and say what comes of it."""
    try:
        value = _within_limits(mouth, ears, *argument)
        data = packed(value, argument[0].records)
        if len(data) > LONGEST:
            raise _too_long(argument[0].limits)
        mouth.say(_VALUE, data)
    except GradcliError as error:
        mouth.say(_ERROR, packed(error))


def _within_limits(mouth: Mouth, ears: int, task: Task, memory: process_limits.Room | None) -> Any:
    import gc
    import warnings

    from ..spec.input.standard_input import standard_input

    machines: list[Machine] = []
    known = set(sys.modules)

    def where(frame: FrameType) -> Span | None:
        return machines[-1].here(frame) if machines else None

    def show(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, *more: Any, **given: Any
    ) -> None:
        # Where in our own files a warning was given says nothing to whoever wrote the program.
        text, place = f"{category.__name__}: {message}", warned_at(where(sys._getframe(1)), filename, lineno)
        if machines:
            machines[-1].charge(text)
        mouth.say(_WARNED, packed((text, place)))

    gc.enable()
    inside = Inside(
        machines.append, _saying(mouth, _PRINTED), _saying(mouth, _TOLD), _saying(mouth, _PART),
        _seldom(mouth, _COUNTED, lambda number: number.to_bytes(8, "big")),
        lambda: mouth.say(_RECORDED), _seldom(mouth, _ROUND, packed),
        lambda value: mouth.say(_SO_FAR, packed(value, task.records)),
    )  # fmt: skip
    with warnings.catch_warnings(), process_limits.held(
        task.limits, where, memory=memory, is_busy=lambda: mouth.busy
    ) as held:
        warnings.showwarning = show
        standard_input.asks(lambda number: mouth.say(_ASKED, number.to_bytes(8, "big")))
        held.answer(ears, lambda span: mouth.add(_PLACE, packed(span)), standard_input.given)
        try:
            value = task.act(inside, task.argument)
        except (MemoryError, RecursionError) as error:
            limit = limits_.from_host(error, task.limits)
            if limit is not None and machines:
                limit.span = machines[-1].here(None)
            raise limit or error from None
        held.armed = False
    mouth.say(_READ, packed([name for name in sys.modules.keys() - known if name.startswith(_ROOMS)]))
    return value


def _saying(mouth: Mouth, kind: bytes) -> Callable[[str], None]:
    """A function that says texts of a kind, the long ones in parts."""

    def say(text: str) -> None:
        if len(text) <= _LONGEST_PART:
            mouth.say(kind, text.encode("utf-8", "surrogatepass"))
            return
        for start in range(0, len(text), _LONGEST_PART):
            mouth.say(kind, text[start : start + _LONGEST_PART].encode("utf-8", "surrogatepass"))

    return say


def _seldom(mouth: Mouth, kind: bytes, written: Callable[[Any], bytes]) -> Callable[[Any], None]:
    """A function that says how far it is, where it has not just been said."""
    said = time.perf_counter()

    def say(value: Any) -> None:
        nonlocal said
        now = time.perf_counter()
        if now - said > _SELDOM:
            said = now
            mouth.say(kind, written(value))

    return say
