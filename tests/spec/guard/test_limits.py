"""The limits: what each says, and that the process is held to its time and its memory."""

from __future__ import annotations

import functools
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from gradcli.errors import LimitError, Source, Span
from gradcli.spec.guard import garbage, limits, process_limits, spare_memory
from gradcli.spec.guard.limits import PRESETS, RELAXED, STRICT
from gradcli.spec.guard.size_limits import weigh
from gradcli.spec.language.machine import Machine
from gradcli.spec.program import Program

from ..running import program

HERE = Span(Source("net.py", "spin()"), 1, 0, 1, 6)

resource = pytest.importorskip("resource")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")


# -- what they say ---------------------------------------------------------------------------------

ERRORS = [
    (
        limits.too_slow(STRICT), "E401", "the program was stopped: it may run for 10 s",
        "`--limits relaxed` or `--timeout SECONDS` allows more",
    ),
    (
        limits.too_slow(STRICT.replace(seconds=0.5)), "E401", "the program was stopped: it may run for 0.5 s",
        "`--limits relaxed` or `--timeout SECONDS` allows more",
    ),
    (
        limits.too_much_memory(STRICT), "E402", "the program needs too much memory; the limit is 512 MB",
        "`--limits relaxed` or `--max-memory MB` allows more",
    ),
    (
        limits.too_much_memory(RELAXED), "E402", "the program needs too much memory; the limit is 8 GB",
        "`--limits relaxed` or `--max-memory MB` allows more",
    ),
    (
        limits.too_many_steps(STRICT), "E403", "the program takes more than 20,000,000 steps",
        "`--limits relaxed` or `--max-steps N` allows more",
    ),
    (
        limits.integer_too_large(), "E404", "this integer has more than 4,300 digits", "use a float, as in 10.0**300",
    ),
    (
        limits.too_long(STRICT, "list", 10**9), "E405",
        "this makes a list of 1,000,000,000 items; the limit is 100,000",
        "use a tensor for many numbers; `--limits relaxed` allows more",
    ),
    (
        limits.too_long(STRICT, "str", 100_001), "E405",
        "this makes a str of 100,001 characters; the limit is 100,000",
        "use a tensor for many numbers; `--limits relaxed` allows more",
    ),
    (
        limits.too_deep(STRICT), "E406", "calls are nested too deeply; the limit is 1000",
        "see that the recursion ends, or use a loop; `--limits relaxed` allows more",
    ),
    (
        limits.too_large_op(STRICT, 10**10), "E408",
        "this needs an array of 10,000,000,000 elements; the limit is 50,000,000",
        "`--limits relaxed` or `--max-elements N` allows more",
    ),
    (
        limits.too_much_work(STRICT, 10**12), "E408",
        "this needs about 1,000,000,000,000 elementary operations; the limit is 10,000,000,000",
        "`--limits relaxed` or `--timeout SECONDS` allows more",
    ),
    (
        limits.too_much_work(STRICT, 10**9), "E408",
        "the program needs more than 10,000,000,000 elementary operations in all",
        "`--limits relaxed` or `--timeout SECONDS` allows more",
    ),
    (
        limits.too_many_tensors(STRICT, 10**6), "E408",
        "this makes 1,000,000 objects of one tensor; the limit is 100,000", "`--limits relaxed` allows more",
    ),
    (
        limits.too_much_output(STRICT), "E410", "the program prints more than 10,000,000 characters",
        "`--limits relaxed` or `--max-output MB` allows more",
    ),
    (
        limits.crashed("SIGSEGV, segmentation fault"), "E411",
        "the process that ran the program ended in the middle of it: SIGSEGV, segmentation fault",
        "`gradcli explain E411` tells what is known of such an end",
    ),
    (
        limits.too_tangled(), "E409", "this value holds itself, or is far too large when written out",
        "copy a list before it is put into itself",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("error", "code", "message", "help"), ERRORS, ids=[e[2] for e in ERRORS])
def test_an_error_says_which_limit_was_met_and_what_lifts_it(
    error: LimitError, code: str, message: str, help: str
) -> None:
    assert (error.code, str(error), error.help, error.exit_code) == (code, message, help, 2)


def test_the_default_limits() -> None:
    assert STRICT[:4] == (10.0, 10.0, 512_000_000, 262_144)
    assert PRESETS == {"strict": STRICT, "relaxed": RELAXED}
    assert all(r >= s for r, s in zip(RELAXED, STRICT, strict=True))


def test_more_time_allows_more_work() -> None:
    assert STRICT.replace(seconds=2.0).work == 2_000_000_000
    assert (STRICT.replace(seconds=2.0).checking, STRICT.replace(checking=3.0).seconds) == (2.0, 10.0)
    assert STRICT.replace(seconds=2.0, checking=3.0).checking == 3.0
    assert STRICT.replace(seconds=2.0, work=5).work == 5
    assert STRICT.replace(steps=7) == STRICT._replace(steps=7)


def test_errors_of_python_that_are_limits() -> None:
    memory, depth = limits.from_host(MemoryError()), limits.from_host(RecursionError(), RELAXED)
    assert memory is not None
    assert memory.code == "E402"
    assert depth is not None
    assert str(depth) == "calls are nested too deeply; the limit is 2000"
    assert limits.from_host(ValueError()) is None


# -- a process that is held to them ---------------------------------------------------------------


def in_spin(frame: FrameType) -> Span | None:
    """The place of a program, when a frame is within it."""
    names = []
    at: FrameType | None = frame
    while at is not None:
        names.append(at.f_code.co_name)
        at = at.f_back
    return HERE if "spin" in names else None


def spin() -> None:
    while True:
        pass


def state() -> tuple[object, ...]:
    """What a watch changes in a process, but for the hard limit of its memory."""
    return (
        signal.getsignal(signal.SIGVTALRM), signal.getsignal(signal.SIGUSR2), signal.getsignal(signal.SIGINT),
        sys.unraisablehook, spare_memory.limit.lift, sys.getswitchinterval(),
    )  # fmt: skip


@contextmanager
def told_to_stop(number: int = signal.SIGVTALRM) -> Iterator[None]:
    """A process that is told to stop again and again, as the parent of a child does it."""
    done = threading.Event()

    def tell() -> None:
        while not done.wait(0.02):
            os.kill(os.getpid(), number)

    thread = threading.Thread(target=tell)
    # What comes too early or too late must not end the process.
    before = signal.signal(number, signal.SIG_IGN)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        signal.signal(number, before)


def test_a_program_is_stopped_where_it_is() -> None:
    with told_to_stop():
        before = state()
        with pytest.raises(LimitError) as found, process_limits.held(STRICT, in_spin, memory=None):
            spin()
        assert state() == before
    assert found.value.code == "E401"
    assert found.value.span == HERE


def test_what_takes_too_much_memory_is_told_so() -> None:
    with (
        told_to_stop(signal.SIGUSR2),
        pytest.raises(LimitError) as found,
        process_limits.held(STRICT, in_spin, memory=None),
    ):
        spin()
    assert found.value.code == "E402"
    assert found.value.span == HERE


def test_what_is_swallowed_is_raised_again() -> None:
    swallowed = []
    # Each time it may be interrupted once, and nowhere else.
    expected = [False]

    def is_busy() -> bool:
        once, expected[0] = expected[0], False
        return not once

    def swallow() -> None:
        try:
            expected[0] = True
            spin()
        except LimitError as error:
            swallowed.append(error)
        expected[0] = True
        spin()

    with (
        told_to_stop(),
        pytest.raises(LimitError),
        process_limits.held(STRICT, in_spin, memory=None, is_busy=is_busy),
    ):
        swallow()
    assert len(swallowed) == 1


def test_an_interruption_waits_for_what_must_be_whole() -> None:
    busy = [True]

    def run() -> None:
        until = time.perf_counter() + 0.2
        while time.perf_counter() < until:
            pass
        busy[0] = False
        spin()

    with (
        told_to_stop(),
        pytest.raises(LimitError),
        process_limits.held(STRICT, in_spin, memory=None, is_busy=lambda: busy[0]),
    ):
        run()
    assert not busy[0]


class Disturbed:
    """An attribute that is told to stop while it learns its name."""

    def __set_name__(self, owner: type, name: str) -> None:
        for _ in range(5):
            os.kill(os.getpid(), signal.SIGVTALRM)


def test_a_class_in_the_making_is_finished_before_the_program_ends() -> None:
    made: list[type] = []

    def run() -> None:
        made.append(type("Made", (), {"slow": Disturbed()}))
        os.kill(os.getpid(), signal.SIGVTALRM)
        spin()

    with pytest.raises(LimitError), process_limits.held(STRICT, in_spin, memory=None):
        run()
    assert made


class Stubborn:
    """An object that takes long to go away."""

    def __del__(self) -> None:
        end = time.perf_counter() + 0.2
        while time.perf_counter() < end:
            pass


def test_an_interrupted_destructor_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    def run() -> None:
        Stubborn()
        spin()

    with told_to_stop(), pytest.raises(LimitError), process_limits.held(STRICT, in_spin, memory=None):
        run()
    assert capfd.readouterr() == ("", "")


def test_a_program_in_time_leaves_nothing_behind() -> None:
    before = state()
    for _ in range(50):
        with process_limits.held(STRICT, in_spin, memory=None):
            pass
    assert state() == before


def test_an_error_of_the_program_leaves_nothing_behind() -> None:
    before = state()
    with pytest.raises(KeyError), process_limits.held(STRICT, in_spin, memory=None):
        raise KeyError("mine")
    assert state() == before


def test_whoever_asks_is_told_where_the_program_is() -> None:
    ears, mouthpiece = os.pipe()
    told: list[Span | None] = []

    def spin() -> None:
        os.write(mouthpiece, b"?")
        while not told:
            pass

    with process_limits.held(STRICT, in_spin, memory=None) as held:
        held.answer(ears, told.append)
        spin()
    assert told == [HERE]


def test_the_peak_is_looked_at_where_the_system_has_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_limits._Memory, "_peak", lambda self: 10**9)

    def run() -> None:
        with process_limits.held(STRICT, in_spin, memory=None) as held:
            held.answer(os.pipe()[0], lambda span: None)
            monkeypatch.setattr(process_limits._Memory, "_peak", lambda self: 10**12)
            spin()

    before = state()
    with pytest.raises(LimitError, match="the program needs too much memory; the limit is 512 MB"):
        run()
    assert state() == before
    # The peak stays what it was: the run that was told so is over, and no other is.
    with process_limits.held(RELAXED, in_spin, memory=process_limits.room(RELAXED)):
        time.sleep(5 * process_limits._LOOK)


@on_linux
def test_the_room_of_a_process_is_that_of_its_limits_or_what_it_adds() -> None:
    small, large = process_limits.room(STRICT), process_limits.room(RELAXED)
    assert small is not None
    assert large is not None
    assert small.told < small.failing <= small.told + 24_000_000
    assert large.told - small.told > 5_000_000_000


# -- what is printed -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(1000):\n    print(i)",
        "def f(*parts):\n    print(*parts, sep='-', end='')\nfor i in range(1000):\n    f('a', 'bc')",
        "list(map(print, range(1000)))",
        "from functools import partial\np = partial(print, 'x')\nwhile True:\n    p()",
        "class A:\n    def __repr__(self):\n        print('y')\n        return ''\nwhile True:\n    repr(A())",
        "x = torch.ones(1, requires_grad=True)\nx.register_hook(lambda g: print(g))\nfor _ in range(1000):\n"
        "    (x * 2).sum().backward()",
    ],
)
def test_a_program_prints_so_much_and_no_more(text: str) -> None:
    parts: list[str] = []
    with pytest.raises(LimitError) as caught:
        program(text, limits=STRICT.replace(output=1_000)).run(parts.append)
    assert caught.value.code == "E410"
    assert caught.value.span is not None
    assert 900 < len("".join(parts)) <= 1_000


def test_the_value_of_an_expression_is_printed_within_the_limit_too() -> None:
    with pytest.raises(LimitError) as caught:
        program("[1] * 5000", inline=True, limits=STRICT.replace(output=1_000)).run()
    assert caught.value.code == "E410"
    assert program("[1] * 5000", inline=True, limits=STRICT.replace(output=15_001)).run().value == [1] * 5000


EVERYWHERE = """\
import torch
x = torch.ones(2, requires_grad=True)
pass
def f(t):
    'Twice.'
    a = t * 2
    return a
for i in range(2):
    y = f(x)
    if i:
        continue
    del y
y = f(x).sum()
y.backward()
x.grad
"""


@pytest.mark.parametrize("trace", [False, True])
def test_a_limit_that_is_met_anywhere_has_a_place(trace: bool) -> None:
    machines: list[Machine] = []
    lost: list[str] = []

    def look(frame: FrameType, event: str, argument: object) -> Any:
        del event, argument
        if machines and machines[0].here(frame) is None:
            lost.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        return look

    running = program(EVERYWHERE)
    before = sys.gettrace()
    sys.settrace(look)
    try:
        machines.append(running.machine())
        running.run(machine=machines[0], trace=trace)
    finally:
        sys.settrace(before)
    assert machines
    assert lost == []


def test_between_two_statements_the_place_is_one_of_them() -> None:
    lines: list[int] = []
    machines: list[Machine] = []

    def look(frame: FrameType, event: str, argument: object) -> Any:
        del event, argument
        if "running" in frame.f_locals and "signal" in frame.f_locals:
            span = machines[0].here(frame)
            lines.append(0 if span is None else span.line)
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        running = program("a = 1\nb = 2\nc = 3\nd = 4")
        machines.append(running.machine())
        running.run(machine=machines[-1])
    finally:
        sys.settrace(before)
    assert sorted(set(lines)) == [1, 2, 3, 4]


@pytest.mark.parametrize(("error", "code"), [(MemoryError, "E402"), (RecursionError, "E406")])
@pytest.mark.parametrize("where", ["_compiled", "_finished"])
def test_a_limit_that_python_meets_outside_of_any_statement_has_a_place(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], code: str, where: str
) -> None:
    def failing(*args: object) -> None:
        raise error

    monkeypatch.setattr(Program, where, failing)
    with pytest.raises(LimitError) as found:
        program("a = 1\nb = 2").run(trace=True)
    assert found.value.code == code
    assert found.value.span is not None


@pytest.mark.parametrize("settled", [False, True])
def test_what_was_there_is_searched_again_unless_it_is_spared_for_good(
    settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    for name in ("freeze", "collect", "unfreeze"):
        monkeypatch.setattr(gc, name, functools.partial(called.append, name))
    monkeypatch.setattr(gc, "get_freeze_count", lambda: 0)
    monkeypatch.setattr(garbage, "_settled", settled)
    with garbage.sparing():
        assert called == ([] if settled else ["freeze"])
    garbage.spare()
    garbage.search_again()
    assert called == (["freeze"] if settled else ["freeze", "collect", "unfreeze", "freeze", "unfreeze"])


def test_long_words_in_a_key_count_as_several() -> None:
    most = STRICT.sequence
    weigh(("a" * 1024,) * (most // 2))
    with pytest.raises(LimitError, match="far too large"):
        weigh(("a" * 1024,) * (most // 2 + 1))
