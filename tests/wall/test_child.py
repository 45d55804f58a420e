"""A child does what it is told, says what comes of it, and ends when its time is over: never the parent with it."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.wall import child as child_
from gradcli.wall.child import Child, Ending, Terms, attend
from gradcli.wall.mouth import BUG, DONE, LONGEST, Mouth
from gradcli.wall.wire import unpacked

pytestmark = pytest.mark.skipif(not child_.FORKS, reason="children are not copies of this process here")

TERMS = Terms(20.0, 60.0)
# What is told to stop by a test is to be ended soon.
GRACE = 0.1
Act = Callable[[Mouth, int, Any], object]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_, "_GRACE", GRACE)


def done(act: Act, argument: Any = None, terms: Terms = TERMS) -> tuple[Ending, list[tuple[bytes, bytes]]]:
    """Why a child ended, and what it had said."""
    said: list[tuple[bytes, bytes]] = []
    child = Child(act, argument, terms, lambda kind, data: said.append((kind, data)))
    while not attend([child]):
        pass
    assert child.ending is not None
    return child.ending, said


def spin(mouth: Mouth, ears: int, argument: Any) -> None:
    mouth.say(b"o", b"on")
    while True:
        pass


def spin_aside(mouth: Mouth, ears: int, argument: Any) -> None:
    thread = threading.Thread(target=spin, args=(mouth, ears, argument))
    thread.start()
    thread.join()


def test_it_says_what_comes_of_it_and_is_done() -> None:
    def act(mouth: Mouth, ears: int, argument: Any) -> None:
        for number in range(argument):
            mouth.say(b"o", b"%d" % number)

    ending, said = done(act, 3000)
    assert (ending.why, ending.number) == ("done", 0)
    assert said == [(b"o", b"%d" % number) for number in range(3000)]


def test_one_that_is_done_and_goes_on_is_not_waited_for() -> None:
    def act(mouth: Mouth, ears: int, argument: Any) -> None:
        mouth.say(DONE)
        spin(mouth, ears, argument)

    ending, said = done(act)
    assert (ending.why, ending.number, said) == ("done", 0, [])
    assert ending.used is not None
    assert ending.used < TERMS.seconds


def test_a_long_frame_is_heard_whole() -> None:
    data = os.urandom(3_000_000)
    assert done(lambda mouth, ears, argument: mouth.say(b"r", data))[1] == [(b"r", data)]


def test_a_bug_is_told_with_its_traceback() -> None:
    def act(mouth: Mouth, ears: int, argument: Any) -> None:
        raise ZeroDivisionError("no")

    ending, ((kind, data),) = done(act)
    assert (ending.why, kind) == ("done", BUG)
    said, trace = unpacked(data)
    assert said == "ZeroDivisionError: no"
    assert "in act" in trace


@pytest.mark.parametrize("act", [spin, spin_aside])
def test_one_that_never_ends_is_ended(act: Act) -> None:
    ending, said = done(act, terms=Terms(0.5, 60.0))
    # Nobody handles the signal that tells it to stop.
    assert (ending.why, ending.number, said) == ("slow", signal.SIGVTALRM, [(b"o", b"on")])
    assert ending.used is not None
    assert 0.5 <= ending.used < 3


def test_one_that_does_not_listen_is_ended_all_the_same() -> None:
    def act(mouth: Mouth, ears: int, argument: Any) -> None:
        signal.signal(signal.SIGVTALRM, signal.SIG_IGN)
        spin(mouth, ears, argument)

    ending, _ = done(act, terms=Terms(0.2, 60.0))
    assert (ending.why, ending.number) == ("slow", signal.SIGKILL)


def test_code_that_holds_the_interpreter_is_ended() -> None:
    def act(mouth: Mouth, ears: int, argument: Any) -> None:
        signal.signal(signal.SIGVTALRM, lambda number, frame: None)
        sum(itertools.repeat(1, 10**11))

    ending, _ = done(act, terms=Terms(0.2, 60.0))
    assert (ending.why, ending.number) == ("slow", signal.SIGKILL)


def test_only_time_on_the_processor_counts() -> None:
    ending, _ = done(lambda mouth, ears, argument: time.sleep(0.6), terms=Terms(0.3, 60.0))
    assert ending.why == "done"


def test_one_that_only_waits_is_ended_in_the_end() -> None:
    ending, _ = done(lambda mouth, ears, argument: time.sleep(600), terms=Terms(5.0, 0.3))
    assert ending.why == "waited"
    assert ending.waited < 300


def test_time_in_which_the_parent_does_something_else_is_not_waited_for() -> None:
    child = Child(lambda mouth, ears, argument: time.sleep(0.5), None, Terms(5.0, 0.3), lambda kind, data: None)
    os.waitid(os.P_PID, child.process.pid, os.WEXITED | os.WNOWAIT)
    while not attend([child]):
        pass
    assert child.ending is not None
    assert child.ending.why == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="data are counted on Linux")
def test_one_that_takes_too_much_memory_is_ended() -> None:
    def act(mouth: Mouth, ears: int, argument: Any) -> None:
        kept = [np.zeros(100_000_000)]
        spin(mouth, ears, kept)

    # What is thrown away meanwhile would make room.
    gc.collect()
    with open("/proc/self/statm", "rb") as file:
        data = int(file.read().split()[5]) * os.sysconf("SC_PAGESIZE")
    ending, _ = done(act, terms=Terms(30.0, 60.0, data=data + 40_000_000))
    assert ending.why == "memory"


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT])
def test_one_that_crashes_is_told_of(number: int) -> None:
    ending, _ = done(lambda mouth, ears, argument: os.kill(os.getpid(), number), terms=TERMS._replace(walled=False))
    assert (ending.why, ending.number) == ("signal", number)


def test_one_that_leaves_is_told_of() -> None:
    ending, _ = done(lambda mouth, ears, argument: os._exit(9))
    assert (ending.why, ending.number) == ("exit", 9)


def test_nothing_of_the_parent_is_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")
    kept = os.open("/dev/zero", os.O_RDONLY)

    def act(mouth: Mouth, ears: int, argument: Any) -> None:
        handles = []
        for handle in range(200):
            try:
                os.fstat(handle)
            except OSError:
                continue
            handles.append(handle)
        devices = {os.fstat(number).st_rdev for number in range(3)}
        mouth.say(b"o", repr((dict(os.environ), len(handles), devices == {os.stat(os.devnull).st_rdev})).encode())

    try:
        _, ((_, data),) = done(act, terms=TERMS._replace(walled=False))
    finally:
        os.close(kept)
    # The standard streams, and the two ends of pipes.
    assert data == b"({}, 5, True)"


def test_an_interruption_is_none_of_its_business() -> None:
    def act(mouth: Mouth, ears: int, argument: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        mouth.say(b"o", b"on")

    assert done(act)[1] == [(b"o", b"on")]


def test_a_frame_that_no_mouth_says_ends_it() -> None:
    def act(mouth: Mouth, ears: int, argument: Any) -> None:
        os.write(mouth._sink, b"o" + (LONGEST + 1).to_bytes(4, "big"))
        time.sleep(60)

    ending, said = done(act)
    assert (ending.why, ending.number, said) == ("signal", signal.SIGKILL, [])


def test_it_is_ended_by_whoever_has_enough() -> None:
    child = Child(spin, None, TERMS, lambda kind, data: None)
    child.kill()
    child.kill()
    assert child.ending is not None
    with pytest.raises(ProcessLookupError):
        os.kill(child.process.pid, 0)


def test_several_are_heard_at_a_time() -> None:
    said: list[tuple[int, bytes]] = []

    def child_of(number: int) -> Child:
        def act(mouth: Mouth, ears: int, argument: Any) -> None:
            mouth.say(b"o", b"%d" % number)

        return Child(act, None, TERMS, lambda kind, data: said.append((number, data)))

    left = [child_of(number) for number in range(4)]
    while left:
        ended = attend(left)
        left = [child for child in left if child not in ended]
    assert sorted(said) == [(number, b"%d" % number) for number in range(4)]


@pytest.mark.skipif(sys.platform != "linux", reason="the parent's death is told on Linux")
def test_it_does_not_outlive_its_parent() -> None:
    source, sink = os.pipe()
    parent = os.fork()
    if parent == 0:
        try:
            said: list[bytes] = []
            grandchild = Child(spin, None, TERMS, lambda kind, data: said.append(data))
            while not said:
                attend([grandchild])
            os.write(sink, b"%d" % grandchild.process.pid)
            os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(99)
    pid = int(os.read(source, 20))
    os.waitpid(parent, 0)
    for handle in (source, sink):
        os.close(handle)
    until = time.monotonic() + 120
    while time.monotonic() < until and is_running(pid):
        time.sleep(0.02)
    assert not is_running(pid)


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False
