"""One program, run in a process that may be lost, and what is wrong with what came of it."""

from __future__ import annotations

import os
import re
import signal
import sys
import traceback
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import gradcli
from gradcli.errors import AssertFailed, GradcliError, LimitError, Span
from gradcli.report.diagnostic import render
from gradcli.spec.guard import limits as limits_
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.input.source import Spec, decoded
from gradcli.spec.language.machine import Machine
from gradcli.spec.program import Program, Run

from ..spec.harvest import all_names
from . import audit, flow, state
from .atoms import CANARY
from .generate import Case

SECONDS = 1.0
LIMITS = STRICT.replace(seconds=SECONDS)._replace(
    steps=20_000, sequence=2_000, elements=200_000, work=30_000_000, depth=60, source=65_536
)
# Bytes that a program may come to hold beyond what there is.
MEMORY = 400_000_000

_ROOT = str(Path(gradcli.__file__).parents[1])
_PLACES = (_ROOT, sys.prefix, sys.base_prefix, os.path.expanduser("~") + "/", "site-packages", "/proc/self")
_INSIDE = re.compile(r"\bgradcli\.(?!toml\b|py\b)[a-z_]+[.\w]*|\bUserFunction\b|\bUserType\b|mappingproxy\(|<frame ")
# What a program may make itself, shown by another word than it is made by.
_MADE_BY = {"mappingproxy(": "MappingProxyType"}
_NUMBER = re.compile(r"0x[0-9a-f]{9,16}\b|(?<![\w.])[1-9]\d{12,14}(?![\w.])")
# Where an integer may be an address of this process.
_LOW, _HIGH = 1 << 40, 1 << 47


class Finding(NamedTuple):
    """What is wrong with a program: its kind, what makes it another than others of that kind, and the rest."""

    kind: str
    key: str
    more: str = ""


class Judge:
    """Runs programs and collects what is wrong."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], Finding] = {}
        self.surroundings: tuple[Any, ...] = ()
        self.raw: Exception | None = None
        self.machine: Machine | None = None

    def prepare(self) -> None:
        """Watch this process, once and for all."""
        flow.watch(self.report)
        diagnosed = Program.diagnosed

        def noted(program: Program, machine: Any, error: Exception) -> Exception:
            self.raw = error
            # The trace is taken off an error that a person is shown.
            with audit.paused():
                self.place = _innermost(error)
                self._look_for_canary(error)
            return diagnosed(program, machine, error)

        Program.diagnosed = noted  # type: ignore[method-assign, assignment]
        signal.signal(signal.SIGPROF, self._too_slow)
        sys.unraisablehook = self._unheard

    def report(self, kind: str, key: str, more: str = "") -> None:
        """Note something wrong."""
        self.found.setdefault((kind, key), Finding(kind, key, more))

    def run(self, case: Case) -> list[Finding]:
        """Run a program; what is wrong with it."""
        self.found.clear()
        self.machine = None
        before = state.surroundings()
        parts: list[str] = []
        text = case.text.encode("utf-8", "surrogatepass")
        error: BaseException | None = None
        signal.setitimer(signal.ITIMER_PROF, SECONDS, 0.05)
        audit.report = self.report
        try:
            program = Program(Spec(decoded("spec.py", text), case.inline, None, None), limits=LIMITS)
            self.machine = program.machine(_joined(parts))
            with program.recorded(self.machine) if case.trace else program.running(self.machine) as run:
                self._ended(run)
        except BaseException as caught:
            error = caught
        finally:
            audit.report = None
            signal.setitimer(signal.ITIMER_PROF, 0)
        if error is not None:
            self._judge_error(error, case.text)
        self._judge_text("printed", "".join(parts), case.text)
        after = state.surroundings()
        for i, (a, b) in enumerate(zip(before, after, strict=True)):
            if a is not b and a != b:
                self.report("state", f"surroundings {i}", f"{a!r:.80} became {b!r:.80}")
        return list(self.found.values())

    def _too_slow(self, number: int, frame: FrameType | None) -> None:
        raise limits_.too_slow(LIMITS, self.machine.here(frame) if self.machine else None)

    def _unheard(self, unraisable: Any) -> None:
        """The end of the time that met a destructor comes again; to print any other error, Python opens our files."""
        if not isinstance(unraisable.exc_value, LimitError):
            with audit.paused():
                sys.__unraisablehook__(unraisable)
                where = _innermost(unraisable.exc_value)
                self.report("internal", f"{unraisable.exc_type.__name__} that nobody hears in {where}")

    def _ended(self, run: Run) -> None:
        with audit.paused():
            flow.held(run.variables, self.report)
            for name, value in run.variables.items():
                if type(value) is int and _is_address(value):
                    self.report("text", "an integer is an address", name)

    # -- errors ------------------------------------------------------------------------------

    def _judge_error(self, error: BaseException, text: str) -> None:
        kind = type(error)
        if kind is audit.Escaped:
            return
        if not isinstance(error, GradcliError):
            words = "".join(traceback.format_exception(error))[-1500:]
            self.report("internal", f"{kind.__name__} in {_innermost(error)}", words)
            return
        if not kind.__module__.startswith("gradcli.") or "__main__" in kind.__module__:
            self.report("diagnostic", "the error is of a class of the program's", kind.__qualname__)
        expected = 1 if isinstance(error, AssertFailed) else 2
        for name, types in (("message", str), ("help", (str, type(None))), ("code", str), ("exit_code", int)):
            value = getattr(error, name)
            if type(value) not in (types if isinstance(types, tuple) else (types,)):
                self.report("diagnostic", f"{name} of the error is a {type(value).__name__}", repr(value)[:80])
                return
        if error.exit_code != expected:
            self.report("diagnostic", f"exit code {error.exit_code}", kind.__name__)
        if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", f"{error.code}{kind.__name__}"):
            self.report("diagnostic", "control characters in the code")
        if error.span is not None and type(error.span) is not Span:
            self.report("diagnostic", "the span is none of ours")
        if error.span is None:
            self.report("diagnostic", "no place", error.message[:80])
        try:
            shown = render(error)
        except Exception as other:
            self.report("internal", f"{type(other).__name__} in render", repr(other)[:200])
            return
        if "\x1b" in shown:
            self.report("diagnostic", "an escape in what is shown")
        self._judge_text("said", "\n".join([error.message, error.help or "", *error.notes]), text)
        self._judge_private(error, text)

    def _judge_private(self, error: GradcliError, text: str) -> None:
        """A name of the host's own that no program wrote: it speaks of what it has inside."""
        if "dir(" in text:
            # What a program was told there, it may say.
            return
        for name in re.findall(r"'(_[a-z]\w*)'", error.message):
            if name not in text and name in _private() and not isinstance(error, LimitError):
                self.report("text", f"speaks of {name}", error.message[:160])
        raw = self.raw
        if isinstance(raw, (UnboundLocalError, SystemError, AssertionError)) and not raw.__dict__:
            self.report("internal", f"{type(raw).__name__} in {self.place}", str(raw)[:120])

    def _look_for_canary(self, error: BaseException | None) -> None:
        """Python itself was asked for a name of the program's."""
        if isinstance(error, AttributeError) and error.name == CANARY and error.obj is not None:
            place = _innermost(error)
            self.report("reach", f"getattr with a name of the program's in {place}")

    def _judge_text(self, how: str, words: str, text: str) -> None:
        for place in _PLACES:
            if place in words and place not in text:
                self.report("text", f"{how}: a place of the host", _around(words, words.index(place)))
        for found in _INSIDE.finditer(words):
            if found[0] not in text and _MADE_BY.get(found[0], found[0]) not in text:
                self.report("text", f"{how}: {found[0]}", _around(words, found.start()))
        for found in _NUMBER.finditer(words):
            if found[0] not in text and _is_address(int(found[0], 16 if found[0][:2] == "0x" else 10)):
                self.report("text", f"{how}: an address", _around(words, found.start()))


def _joined(parts: list[str]) -> Any:
    size = 0

    def write(text: str) -> None:
        nonlocal size
        size += len(text)
        if size < 1_000_000:
            parts.append(text)

    return write


def _around(words: str, at: int) -> str:
    return words[max(0, at - 60) : at + 60]


def _innermost(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{'/'.join(Path(frames[-1].filename).parts[-2:])}:{frames[-1].name}" if frames else ""


def _is_address(number: int) -> bool:
    """Whether a number is that of a place in the memory of this process, or such a place's hash."""
    places = [n for n in (number, number << 4) if _LOW <= n < _HIGH]
    return bool(places) and any(low <= n < high for low, high in _maps() for n in places)


def _maps() -> list[tuple[int, int]]:
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return []
    pairs = (line.split(" ", 1)[0].split("-") for line in lines if "[v" not in line)
    return [(int(a, 16), int(b, 16)) for a, b in pairs]


@cache
def _private() -> frozenset[str]:
    """The names that the host keeps to itself."""
    return frozenset(name for name in all_names() if name.startswith("_"))
