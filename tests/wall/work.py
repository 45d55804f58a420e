"""What a process behind the wall goes on to do: it gives "done" where all is well."""

from __future__ import annotations

import contextlib
import gc
import importlib
import mmap
import os
import pkgutil
import random
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

PIPE = os.pipe()


def late_numpy() -> None:
    for name in ("linalg", "fft", "random", "polynomial", "ma", "rec", "lib.recfunctions"):
        importlib.import_module(f"numpy.{name}")
    assert np.allclose(np.fft.ifft(np.fft.fft(np.arange(8.0))).real, np.arange(8.0))
    assert np.random.default_rng(3).random() < 1
    assert np.random.default_rng().random() < 1


def late_library() -> None:
    # Some of them are shared libraries.
    for name in "decimal fractions json csv zlib hashlib statistics difflib unicodedata _heapq".split():
        importlib.import_module(name)


def late_gradcli() -> None:
    import gradcli

    for module in pkgutil.walk_packages(gradcli.__path__, "gradcli."):
        if module.name not in ("gradcli.__main__", "gradcli.cli.pytest_plugin"):
            importlib.import_module(module.name)


def gradients() -> None:
    import gradcli as torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sin().sum().backward()
    torch.nn.Linear(3, 4)(torch.ones(2, 3)).sum().backward()
    assert x.grad is not None


def products_in_threads() -> None:
    a = np.random.rand(1200, 1200)
    assert np.allclose((a @ a)[0, 0], a[0] @ a[:, 0])


def decompositions() -> None:
    a = np.random.rand(200, 200)
    u, s, v = np.linalg.svd(a)
    assert np.allclose(u * s @ v, a)
    assert np.linalg.eig(a)[0].shape == np.linalg.solve(a, a[0]).shape


def threads() -> None:
    total: list[int] = []
    several = [threading.Thread(target=lambda: total.append(sum(range(10_000)))) for _ in range(8)]
    for thread in several:
        thread.start()
    for thread in several:
        thread.join()
    assert len(total) == 8


def out_of_memory() -> None:
    try:
        np.empty(1 << 55, np.uint8)
    except MemoryError:
        return
    raise AssertionError("so much memory there is not")


def limited_memory() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 28, hard))
    try:
        bytearray(1 << 29)
    except MemoryError:
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
        assert len(bytearray(1 << 29)) == 1 << 29
        return
    raise AssertionError("the limit was passed")


def a_timer(which: int, number: signal.Signals) -> Callable[[], None]:
    def run() -> None:
        seen: list[int] = []
        signal.signal(number, lambda got, _: seen.append(got))
        signal.setitimer(which, 0.01)
        end = time.monotonic() + 30
        while not seen and time.monotonic() < end:
            sum(range(1000))
        assert seen == [number]

    return run


def abort() -> None:
    signal.signal(signal.SIGUSR1, lambda *_: None)
    signal.raise_signal(signal.SIGUSR1)
    os.abort()


def fault() -> None:
    import ctypes

    ctypes.string_at(1)


def an_inherited_pipe() -> None:
    assert os.write(PIPE[1], b"through") == 7
    assert os.read(PIPE[0], 7) == b"through"
    with os.fdopen(PIPE[1], "w") as file:
        file.write("x")


def named_files() -> None:
    assert Path("named.txt").read_text() == "named\n"
    assert Path(os.path.abspath("named.txt")).read_bytes() == b"named\n"
    assert os.listdir("given") == ["inner.txt"]
    assert Path("given/inner.txt").read_text() == "inner\n"
    with open("named.txt", "rb") as file, contextlib.closing(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)) as seen:
        assert seen[:] == b"named\n"
    assert np.loadtxt("given/inner.txt", dtype=str) == "inner"


def files_that_are_not_there() -> None:
    for name in ("nonexistent", "given/nonexistent", "/nonexistent"):
        try:
            Path(name).read_bytes()
        except FileNotFoundError:
            continue
        raise AssertionError(name)


def modules_of_the_current_directory_are_not_found() -> None:
    sys.path.insert(0, os.getcwd())
    try:
        importlib.import_module("module_here")
    except ModuleNotFoundError:
        import colorsys  # noqa: F401

        return
    raise AssertionError("it was imported")


def its_own_memory_and_time() -> None:
    if sys.platform == "linux":
        assert int(Path("/proc/self/statm").read_text().split()[5])
        assert Path("/proc/self/stat").read_text().startswith(str(os.getpid()))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert os.sysconf("SC_PAGESIZE") * os.sysconf("SC_PHYS_PAGES") * (os.cpu_count() or 0)
    assert min(time.process_time(), time.thread_time(), time.time(), time.localtime().tm_year) > 0
    time.sleep(0.001)


def small_things() -> None:
    assert len(os.urandom(8)) == 8
    assert max(random.random(), random.SystemRandom().random()) < 1
    gc.collect()
    assert [os.path.exists(name) for name in ("named.txt", "nonexistent")] == [True, False]
    assert os.path.realpath("named.txt")
    assert os.getcwd() == os.path.abspath(".")
    x: list[object] = []
    x.append(x)
    del x
    assert gc.collect() >= 1
    big = [bytearray(1 << 20) for _ in range(64)]
    big.clear()


def deep() -> None:
    def down(n: int) -> int:
        return down(n + 1)

    threading.stack_size(1 << 24)
    try:
        down(0)
    except RecursionError:
        return


def stays_unwritten() -> None:
    assert sys.dont_write_bytecode
    assert tempfile.gettempprefix()


def a_wrong_line() -> None:
    from gradcli.errors import Source, SpecError
    from gradcli.spec.guard.limits import STRICT
    from gradcli.spec.input.parse import parse

    with contextlib.suppress(SpecError):
        parse(Source("spec.py", "def f(:\n"), STRICT)


CASES: dict[str, Callable[[], object]] = {
    "a wrong line": a_wrong_line,
    "late NumPy": late_numpy,
    "late standard library": late_library,
    "late gradcli": late_gradcli,
    "gradients": gradients,
    "products in threads": products_in_threads,
    "decompositions": decompositions,
    "threads": threads,
    "out of memory": out_of_memory,
    "limited memory": limited_memory,
    "SIGVTALRM": a_timer(signal.ITIMER_VIRTUAL, signal.SIGVTALRM),
    "SIGALRM": a_timer(signal.ITIMER_REAL, signal.SIGALRM),
    "SIGPROF": a_timer(signal.ITIMER_PROF, signal.SIGPROF),
    "abort": abort,
    "fault": fault,
    "an inherited pipe": an_inherited_pipe,
    "named files": named_files,
    "files that are not there": files_that_are_not_there,
    "its own memory and time": its_own_memory_and_time,
    "small things": small_things,
    "deep recursion": deep,
    "no bytecode": stays_unwritten,
}
BY_LANDLOCK: dict[str, Callable[[], object]] = {
    "modules of the current directory": modules_of_the_current_directory_are_not_found,
}
CASES |= BY_LANDLOCK
