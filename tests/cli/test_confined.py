"""What is told of a program in a process of its own: its value, what it prints, and every way in which it can end."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from gradcli.cli import confined
from gradcli.cli.confined import Bug, Inside, Task, done, each_done
from gradcli.errors import AssertFailed, GradcliError, Source, Span
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program
from gradcli.wall.child import FORKS, Ending

from .invoke import environment

pytestmark = pytest.mark.skipif(not FORKS, reason="children are not copies of this process here")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")

SHORT = STRICT.replace(seconds=0.5)


class Pair(NamedTuple):
    first: int
    second: str


def told(act: Callable[[Inside, Any], Any], limits: Any = STRICT, **how: Any) -> tuple[Any, str, list[str], list[Any]]:
    """The value of a task, its long result, what it prints and what it is warned of."""
    printed: list[str] = []
    warned: list[Any] = []
    value, text = done(
        Task(act, None, limits, **how), printed.append, lambda text, span: warned.append((text, span))
    )
    return value, text, printed, warned


def failing(act: Callable[[Inside, Any], Any], limits: Any = STRICT, **how: Any) -> GradcliError:
    """The error that a task ends with."""
    with pytest.raises(GradcliError) as found:
        told(act, limits, **how)
    return found.value


def program(text: str) -> Callable[[Inside, Any], None]:
    def act(inside: Inside, argument: Any) -> None:
        spec = Spec(Source("net.py", text), False, None, None)
        running = Program(spec)
        machine = running.machine(inside.write)
        inside.started(machine)
        running.run(machine=machine)

    return act


def test_a_value_and_what_was_printed_come_back() -> None:
    def act(inside: Inside, argument: Any) -> Pair:
        inside.write("one\n")
        inside.write("\udcff")
        inside.result("x" * 3_000_000)
        return Pair(3, "é")

    value, text, printed, _ = told(act, records=(Pair,))
    assert (value, text, printed) == (Pair(3, "é"), "x" * 3_000_000, ["one\n", "\udcff"])


def test_a_result_holds_nothing_that_terminals_obey() -> None:
    def act(inside: Inside, argument: Any) -> None:
        inside.result("\x1b[1;31mred\x1b[0m\t\x1b]0;title\x07\r\x9b2J\n")

    assert told(act)[1] == "\\x1b[1;31mred\\x1b[0m\t\\x1b]0;title\\x07\\x0d\\x9b2J\n"


def test_a_warning_comes_with_its_place() -> None:
    def act(inside: Inside, argument: Any) -> None:
        warnings.simplefilter("always")
        warnings.warn("look", UserWarning, stacklevel=1)

    assert told(act)[3] == [("UserWarning: look", None)]


def test_an_error_of_the_user_comes_back() -> None:
    def act(inside: Inside, argument: Any) -> None:
        raise AssertFailed("it does not hold", span=Span(Source("a", "b"), 1, 0, 1, 1))

    error = failing(act)
    assert (error.code, error.exit_code, str(error), error.span) == (
        "E303", 1, "it does not hold", Span(Source("a", "b"), 1, 0, 1, 1)
    )  # fmt: skip


def test_a_bug_is_told_as_one() -> None:
    with pytest.raises(Bug, match="ZeroDivisionError: division by zero") as found:
        told(lambda inside, argument: 1 / 0)
    assert "Traceback" in found.value.trace


def test_what_is_no_data_is_a_bug() -> None:
    with pytest.raises(Bug, match="a function is no plain data"):
        told(lambda inside, argument: told)


def test_a_loop_is_stopped_where_it_is() -> None:
    error = failing(program("x = 1\nwhile True:\n    pass\n"), SHORT)
    assert (error.code, error.message) == ("E401", "the program was stopped: it may run for 0.5 s")
    assert error.span is not None
    assert error.span.line in (2, 3)


def test_a_product_of_matrices_is_ended_with_its_place() -> None:
    def act(inside: Inside, argument: Any) -> None:
        square = np.ones((6000, 6000))
        square @ square @ square

    assert failing(act, SHORT.replace(memory=4_000_000_000)).code == "E401"


def test_code_that_holds_the_interpreter_is_told_of() -> None:
    error = failing(lambda inside, argument: sum(itertools.repeat(1, 10**11)), SHORT)
    assert (error.code, error.span, error.exit_code) == ("E401", None, 2)


@on_linux
@pytest.mark.parametrize(
    "act",
    [
        lambda inside, argument: np.ones(10**8),
        lambda inside, argument: [np.ones(10**6) for _ in range(10**4)],
        lambda inside, argument: [[n] for n in itertools.count()],
        program("kept = []\nwhile True:\n    kept.append(torch.ones(10000))\n".join(["import torch\n", ""])),
    ],
    ids=["one array", "many arrays", "small objects", "a program"],
)
def test_memory_ends_before_the_machine_s_does(act: Any) -> None:
    error = failing(act)
    assert (error.code, error.message) == ("E402", "the program needs too much memory; the limit is 512 MB")


def test_blas_works_within_the_memory() -> None:
    def act(inside: Inside, argument: Any) -> float:
        square = np.ones((1000, 1000))
        return float((np.linalg.inv(square + np.eye(1000)) @ square)[0, 0])

    assert told(act)[0] == pytest.approx(1 / 1001)


def test_recursion_is_a_limit() -> None:
    def act(inside: Inside, argument: Any) -> Any:
        return act(inside, argument)

    assert failing(act).code == "E406"


def test_a_crash_is_an_error_of_its_own() -> None:
    error = failing(lambda inside, argument: os.kill(os.getpid(), signal.SIGSEGV), walled=False)
    assert error.message == "the process that ran the program ended in the middle of it: SIGSEGV, segmentation fault"
    assert (error.code, error.exit_code) == ("E411", 2)


def test_a_busy_machine_is_told_of() -> None:
    error = confined._ended(Ending("waited", 9, 3.21, 104.5), STRICT, None)
    assert (error.code, error.notes) == ("E401", ("in 104 s it had the processor for 3.2 s: the machine is busy",))


def test_a_result_has_an_end_too() -> None:
    def act(inside: Inside, argument: Any) -> None:
        for _ in range(700):
            inside.result("x" * 1_000_000)

    error = failing(act)
    assert (error.code, error.message) == ("E402", "the result needs too much memory; the limit is 512 MB")


def test_an_interruption_of_the_parent_ends_the_child() -> None:
    def hear(text: str) -> None:
        raise KeyboardInterrupt(text)

    def act(inside: Inside, argument: Any) -> None:
        inside.write(str(os.getpid()))
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt) as found:
        done(Task(act, None, STRICT), hear, lambda text, span: None)
    with pytest.raises(ProcessLookupError):
        os.kill(int(str(found.value)), 0)


# -- many --------------------------------------------------------------------------------------


def test_results_come_in_their_order() -> None:
    def act(inside: Inside, number: int) -> int:
        time.sleep(0.2 if number == 0 else 0)
        if number == 2:
            raise GradcliError("two")
        return number

    found = []
    for _, result in each_done([lambda n=n: Task(act, n, STRICT) for n in range(5)], 3):  # type: ignore[misc]
        try:
            found.append(result())
        except GradcliError as error:
            found.append(str(error))
    assert found == [0, 1, "two", 3, 4]


def test_whoever_has_enough_ends_the_rest() -> None:
    begun: list[int] = []

    def task(number: int) -> Task:
        begun.append(number)
        return Task(lambda inside, argument: argument or time.sleep(60), 1 - number, STRICT)

    results = each_done([lambda n=n: task(n) for n in range(9)], 2)  # type: ignore[misc]
    assert next(results)[1]() == 1
    results.close()
    assert begun == [0, 1]


def test_what_a_child_has_read_is_read_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "gradcli.nn.modules.lazy", raising=False)
    confined._read(["gradcli.nn.modules.lazy", "gradcli.nn.nothing", "os.path", "gradcli.cli.nothing", 3])
    assert "gradcli.nn.modules.lazy" in sys.modules


def test_where_no_process_can_be_copied_a_new_one_does_the_same() -> None:
    code = (
        "from gradcli.wall import child\nchild.FORKS = False\nfrom gradcli.cli.commands import run\n"
        "import sys\nsys.exit(run(['run', 'sin(x) * x', 'x=2']) or run(['check', 'x * y', 'x=2', 'y=3']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("tensor(1.8186, grad_fn=<MulBackward0>)\nx * y: right: 2 inputs")


@pytest.mark.parametrize(("error", "code"), [(MemoryError, "E402"), (RecursionError, "E406")])
def test_a_limit_that_python_meets_after_the_program_has_its_place(error: type[Exception], code: str) -> None:
    def act(inside: Inside, argument: Any) -> None:
        program("a = 1\nb = 2\n")(inside, argument)
        raise error

    found = failing(act)
    assert found.code == code
    assert found.span is not None
    assert found.span.line == 2
