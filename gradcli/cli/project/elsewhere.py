"""Specs that are checked by an executor of yours, in other processes or on other machines: the report is the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from functools import partial
from typing import Any

from ...check.foreign.border import raised_there, said, theirs
from ...errors import GradcliError, InputError
from ...report.check.outcome import Missing, Outcome
from ...report.check.record import Damaged, record, recorded
from ..checking.job import Job, failed, outcomes, with_spec

Make = Callable[[], Executor]

# A spec is given away so often before it is said to be lost; of more than so many at a time nobody takes any.
_TRIES, _AHEAD = 3, 1_000
# How an executor says that a worker is gone. Dask has classes of its own for that.
_LOST = (BrokenExecutor, CancelledError, EOFError, ConnectionError)
_LOST_IN_DASK = ("KilledWorker", "CommClosedError", "FutureCancelledError", "FuturesCancelledError", "CancelledError")


def factory(target: str) -> Make:
    """The function that makes an executor, ``pkg.mod:name``; the command line named it, and so it is imported."""
    from importlib import import_module

    module, _, name = target.partition(":")
    if not all(part.isidentifier() for part in [*module.split("."), *name.split(".")]):
        raise InputError(f"--executor '{target}' is not of the form pkg.mod:name", help=_HOW, code="E503")
    if os.getcwd() not in sys.path:
        # As `python -m` finds modules.
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = theirs(import_module, module)
        for part in name.split("."):
            found = theirs(getattr, found, part)
    except raised_there(SystemExit) as error:
        words = str(error) if isinstance(error, (ImportError, AttributeError)) else said(error)
        raise InputError(f"--executor {target}: {words}", help=_HOW, code="E503") from None
    if not callable(found):
        raise InputError(f"--executor {target} is no function", help=_HOW, code="E503")
    return partial(_made, target, found)


_HOW = "name a function that gives an executor of concurrent.futures: pkg.mod:name, of a module that Python finds"


def _made(target: str, make: Any) -> Executor:
    try:
        found = theirs(make)
    except raised_there(SystemExit) as error:
        raise InputError(f"--executor {target} stops: {said(error)}", help=_HOW, code="E503") from None
    if not callable(getattr(found, "submit", None)):
        message = f"--executor {target} gives no executor: {type(found).__name__} has no submit()"
        raise InputError(message, help=_HOW, code="E503")
    return found  # type: ignore[no-any-return]


def cluster(address: str) -> Make:
    """The workers of a Dask scheduler."""
    from importlib import import_module

    try:
        client: Any = import_module("distributed").Client
    except ImportError:
        message = "--cluster needs Dask, which is not installed"
        raise InputError(message, help='pip install "gradcli[dask]"', code="E503") from None
    try:
        found = client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        message = f"there is no Dask scheduler at {address}: {error or type(error).__name__}"
        raise InputError(message, help="`dask scheduler` starts one, and says its address", code="E503") from None

    def make() -> Executor:
        return found.get_executor(pure=False)  # type: ignore[no-any-return]

    return make


def checked(job: Job) -> str:
    """Check a spec where this is called, in a child with its limits, and give the record."""
    return record([*outcomes([job])], Missing())


def each_elsewhere(
    jobs: Sequence[Job], make: Make, watch: Callable[[int], object] | None
) -> Generator[Outcome, None, None]:
    """The outcome of each job, in their order, from an executor; what a lost worker had is given away again.

    An interruption gives those that are there already, and then raises.
    """
    given = _Given(make)
    number = 0
    try:
        for number, job in enumerate(jobs):
            given.ahead(jobs, number)
            yield given.outcome(number, job, watch)
    except KeyboardInterrupt:
        yield from given.there_already(jobs, number)
        raise
    finally:
        given.end()


class _Given:
    """The jobs that an executor has."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self._executor = make()
        self._futures: dict[int, Future[str]] = {}
        self._jobs: dict[int, Job] = {}
        self._next = 0

    def ahead(self, jobs: Sequence[Job], number: int) -> None:
        """Give away jobs beyond the one that is waited for."""
        while self._next < min(len(jobs), number + _AHEAD):
            job = with_spec(jobs[self._next])
            if job.failure is None:
                self._jobs[self._next] = job
            self._next += 1

    def outcome(self, number: int, job: Job, watch: Callable[[int], object] | None) -> Outcome:
        """Wait for the outcome of a job; one whose worker is lost is given away again, and nothing beside it."""
        if number not in self._jobs:
            # It could not be read, and is told of here.
            return next(iter(outcomes([with_spec(job)])))
        try:
            for _ in range(_TRIES):
                try:
                    return _read(job, self._waited(number, watch))
                except Exception as error:
                    if not _is_lost(error):
                        return failed(job, _refused(error))
                    self._alone(number)
            return failed(job, _lost(_TRIES))
        finally:
            self._futures.pop(number, None)
            del self._jobs[number]

    def _waited(self, number: int, watch: Callable[[int], object] | None) -> str:
        if number not in self._futures:
            # An executor was lost with these; what was alone since has ended.
            for key in sorted(self._jobs.keys() - self._futures.keys()):
                self._submit(key)
        while True:
            try:
                return self._futures[number].result(timeout=_TICK)
            except TimeoutError:
                if self._futures[number].done():
                    raise
                if watch is not None:
                    watch(0)

    def there_already(self, jobs: Sequence[Job], first: int) -> Generator[Outcome, None, None]:
        """The outcomes that nobody has to wait for."""
        for number, future in sorted(self._futures.items()):
            if number >= first and future.done() and not _has_failed(future):
                yield _read(jobs[number], future.result())

    def end(self) -> None:
        """Let go of the executor, and of what it has not begun."""
        for future in self._futures.values():
            future.cancel()
        # Workers that have nothing to do end at once.
        self._executor.shutdown(wait=not self._futures)

    def _submit(self, number: int) -> None:
        self._futures[number] = self._executor.submit(checked, self._jobs[number])

    def _alone(self, number: int) -> None:
        """Give a job away again; where the executor is broken a new one has it alone, to see if it was to blame."""
        try:
            self._submit(number)
        except _LOST:
            self._executor.shutdown(wait=False)
            self._executor = self._make()
            self._futures = {key: f for key, f in self._futures.items() if f.done() and not _has_failed(f)}
            self._submit(number)


def _has_failed(future: Future[str]) -> bool:
    return future.cancelled() or future.exception() is not None


_TICK = 0.2


def _is_lost(error: Exception) -> bool:
    return isinstance(error, _LOST) or type(error).__name__ in _LOST_IN_DASK


def _read(job: Job, text: str) -> Outcome:
    try:
        (found,) = recorded(text).outcomes
    except Damaged as error:
        said = InputError(f"what a worker found {error}", help="install the same version everywhere", code="E503")
        return failed(job, said)
    return found


def _lost(times: int) -> GradcliError:
    message = f"the worker that checked it was lost, {times} times in a row"
    return InputError(message, help="check it alone: `gradcli check` without an executor", code="E411")


def _refused(error: Exception) -> GradcliError:
    message = f"the executor did not run it: {type(error).__name__}: {error}"
    return InputError(message, help="its workers need gradcli, and this Python", code="E503")
