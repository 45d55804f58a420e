"""The limits: what each says, and that the process is held to its time and its memory."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FrameType

import pytest

from gradcli.errors import LimitError, Source, Span
from gradcli.spec import limits, watch
from gradcli.spec.limits import PRESETS, RELAXED, STRICT

from .running import program

ROOT = Path(__file__).parents[2]
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
        limits.integer_too_large(), "E404", "this integer does not fit into 64 bits", "use a float, as in 10.0**30",
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
        limits.too_deep(STRICT), "E406", "calls are nested too deeply; the limit is 300",
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
    assert STRICT[:3] == (10.0, 512_000_000, 65_536)
    assert PRESETS == {"strict": STRICT, "relaxed": RELAXED}
    assert all(r >= s for r, s in zip(RELAXED, STRICT, strict=True))


def test_more_time_allows_more_work() -> None:
    assert STRICT.replace(seconds=2.0).work == 2_000_000_000
    assert STRICT.replace(seconds=2.0, work=5).work == 5
    assert STRICT.replace(steps=7) == STRICT._replace(steps=7)


def test_errors_of_python_that_are_limits() -> None:
    memory, depth = limits.from_host(MemoryError()), limits.from_host(RecursionError(), RELAXED)
    assert memory is not None
    assert memory.code == "E402"
    assert depth is not None
    assert str(depth) == "calls are nested too deeply; the limit is 600"
    assert limits.from_host(ValueError()) is None


# -- in this process -------------------------------------------------------------------------------


def in_spin(frame: FrameType) -> Span | None:
    """The place of a program, when a frame is within it."""
    names = []
    at: FrameType | None = frame
    while at is not None:
        names.append(at.f_code.co_name)
        at = at.f_back
    return HERE if "spin" in names else None


def no_report(error: LimitError) -> None:
    raise AssertionError("nothing is to be reported")


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, the thread that ends the process is not to end this one."""
    monkeypatch.setattr(watch, "_MARGIN", 60.0)


# A program of 400 s is interrupted after 340 s.
LONG = STRICT.replace(seconds=400.0)


def soon() -> float:
    """When a long program began that is to be interrupted in a moment."""
    return time.perf_counter() - 339.9


def spin() -> None:
    while True:
        pass


def state() -> tuple[object, ...]:
    """What a watch may change in a process."""
    return (
        signal.getsignal(signal.SIGVTALRM), signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT),
        signal.getitimer(signal.ITIMER_REAL), resource.getrlimit(resource.RLIMIT_DATA), sys.unraisablehook,
        watch._memory, sys.getswitchinterval(),
    )  # fmt: skip


def test_a_program_is_stopped_where_it_is() -> None:
    before = state()
    with pytest.raises(LimitError) as found, watch.enforced(LONG, in_spin, no_report, soon()):
        spin()
    assert found.value.code == "E401"
    assert found.value.span == HERE
    assert state() == before


def test_the_time_counts_from_the_start_that_is_given() -> None:
    began = time.perf_counter()
    with pytest.raises(LimitError), watch.enforced(LONG, in_spin, no_report, started=began - 339.5):
        spin()
    assert 0.4 < time.perf_counter() - began < 10


def test_time_that_is_over_before_it_begins() -> None:
    with pytest.raises(LimitError), watch.enforced(LONG, in_spin, no_report, started=time.perf_counter() - 350):
        spin()


def test_what_is_swallowed_is_raised_again() -> None:
    swallowed = []

    def swallow() -> None:
        try:
            spin()
        except LimitError as error:
            swallowed.append(error)
        spin()

    with pytest.raises(LimitError), watch.enforced(LONG, in_spin, no_report, soon()):
        swallow()
    assert len(swallowed) == 1


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

    with pytest.raises(LimitError), watch.enforced(LONG, in_spin, no_report, soon()):
        run()
    assert capfd.readouterr() == ("", "")


def test_a_program_in_time_leaves_nothing_behind() -> None:
    before = state()
    threads = sys._current_frames().keys()
    for _ in range(50):
        with watch.enforced(STRICT, in_spin, no_report):
            assert signal.getitimer(signal.ITIMER_REAL)[0] > 5
    assert state() == before
    assert sys._current_frames().keys() == threads


def test_an_error_of_the_program_leaves_nothing_behind() -> None:
    before = state()
    with pytest.raises(KeyError), watch.enforced(STRICT, in_spin, no_report):
        raise KeyError("mine")
    assert state() == before


def test_watches_may_be_nested() -> None:
    before = state()
    with watch.enforced(STRICT, in_spin, no_report):
        with (
            pytest.raises(LimitError),
            watch.enforced(LONG, in_spin, no_report, soon()),
        ):
            spin()
        assert watch._memory is not None
    assert state() == before


def test_an_alarm_of_someone_else_is_left_alone() -> None:
    called = []
    before = signal.signal(signal.SIGALRM, lambda *_: called.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with watch.enforced(STRICT, in_spin, no_report):
            time.sleep(0.1)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert called == [1]


def test_another_thread_is_not_watched() -> None:
    before = state()
    found: list[object] = []

    def run() -> None:
        with watch.enforced(LONG, in_spin, no_report, soon()):
            time.sleep(0.2)
            found.append(watch._memory)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [None]
    assert state() == before


def test_the_watch_costs_little() -> None:
    with watch.enforced(STRICT, in_spin, no_report):
        pass
    times = []
    for _ in range(20):
        began = time.perf_counter()
        with watch.enforced(STRICT, in_spin, no_report):
            pass
        times.append(time.perf_counter() - began)
    assert min(times) < 0.1


@on_linux
def test_memory_is_allowed_again_once_it_ran_out() -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
    with watch.enforced(STRICT, in_spin, no_report):
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] != soft
        assert limits.from_host(MemoryError()) is not None
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == soft


def test_the_peak_is_looked_at_where_the_system_has_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_data_and_resident", lambda: None)

    def spin() -> None:
        with watch.enforced(STRICT, in_spin, no_report):
            monkeypatch.setattr(watch._Memory, "_peak", lambda self: 10**12)
            while True:
                pass

    with pytest.raises(LimitError, match="the program needs too much memory; the limit is 512 MB"):
        spin()


# -- in a process of its own -------------------------------------------------------------------------

PROGRAM = """
import sys, time
began = time.perf_counter()
import itertools
import numpy as np
from gradcli.errors import LimitError
from gradcli.spec.limits import STRICT, from_host
from gradcli.spec.watch import enforced, process_start

def report(error):
    print("reported", error.code, flush=True)

try:
    with enforced(STRICT.replace(seconds=SECONDS), lambda frame: None, report, process_start()):
        try:
            BODY
        except MemoryError as error:
            raise from_host(error)
    print("done")
except LimitError as error:
    print("raised", error.code, flush=True)
    if len(sys.argv) > 1:
        with open("/proc/self/status") as status, open(sys.argv[1], "w") as peak:
            peak.write(next(line for line in status if line.startswith("VmHWM")).split()[1])
    import os
    os._exit(error.exit_code)
"""


def run(body: str, seconds: float = 1.0, *peak: str) -> tuple[int, str, str, float]:
    """Exit code, output, errors and seconds of a process that runs some code under a watch.

    ``peak``: a file for the most kB that it held, when it ends by itself.
    """
    lines = "\n            ".join(body.splitlines())
    code = PROGRAM.replace("SECONDS", str(seconds)).replace("BODY", lines)
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *peak], capture_output=True, text=True, cwd=ROOT, timeout=20,
        env={"OPENBLAS_NUM_THREADS": "1", "PATH": ""},
    )  # fmt: skip
    taken = time.perf_counter() - began
    return done.returncode, done.stdout, done.stderr, taken


def test_a_loop_ends_in_time() -> None:
    code, out, err, taken = run("def spin():\n    while True: pass\nspin()")
    assert (code, out, err) == (2, "raised E401\n", "")
    assert taken < 5


def test_a_product_of_matrices_is_ended_from_outside() -> None:
    code, out, err, taken = run("a = np.ones((4000, 4000)); a @ a")
    assert (code, out, err) == (2, "reported E401\n", "")
    assert taken < 5


def test_code_that_holds_the_interpreter_is_ended_by_an_alarm() -> None:
    code, out, err, taken = run("sum(itertools.repeat(1, 10**10))")
    assert (code, out, err) == (-signal.SIGALRM, "", "")
    assert taken < 5


@on_linux
@pytest.mark.parametrize(
    "body",
    ["np.ones(10**8)", "x = []\nwhile True: x.append(np.ones(10**6))", "x = np.ones(4 * 10**7)\ny = x + 1"],
)
def test_memory_ends_before_the_machine_s_does(body: str, tmp_path: Path) -> None:
    peak = tmp_path / "peak"
    code, out, err, _ = run(body, 10.0, str(peak))
    assert (code, out, err) == (2, "raised E402\n", "")
    assert int(peak.read_text()) < 512_000


@on_linux
def test_blas_has_its_buffers_when_memory_runs_out() -> None:
    body = """import resource
from gradcli.spec.watch import _RESERVE, _data_and_resident
free = resource.getrlimit(resource.RLIMIT_DATA)[0] - _data_and_resident()[0] - _RESERVE
x = np.ones((free - 4_000_000) // 8)
a = np.ones((300, 300))
a @ a
np.linalg.inv(a + np.eye(300))"""
    assert run(body, 10.0)[:3] == (0, "done\n", "")


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
