"""Many specs in processes of their own: what ends one of them costs the others nothing."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Generator, Sequence
from typing import IO, TYPE_CHECKING, Any

from ..check.findings import Checked, Options
from ..errors import GradcliError, LimitError
from ..report.check.outcome import Outcome
from ..spec.limits import too_slow
from .job import Job, perform

if TYPE_CHECKING:
    from subprocess import Popen

_SIZE = 8
# The codes of limits that leave a process as it should not go on: time and memory.
_LIMITS = ("E401", "E402")
# The same modules as here, found in the same places, and nothing of the directory that a stranger's files are in.
_START = "import sys; sys.path[:] = {path!r}; from gradcli.cli.workers import serve; serve()"


def outcomes(jobs: Sequence[Job], count: int) -> Generator[Outcome, None, None]:
    """What comes of each job, in their order, from so many processes at a time.

    Whoever has enough closes the iterator; the processes end with it.
    """
    pool = _Pool(jobs, min(count, len(jobs)))
    try:
        for number in range(len(jobs)):
            yield pool.result(number)
    finally:
        pool.close()


# -- here --------------------------------------------------------------------------------------


class Worker:
    """A process of its own that does one job after another; where it ends, the next job gets a new one."""

    def __init__(self) -> None:
        self._process: Popen[bytes] | None = None

    def ask(self, job: Job) -> Outcome:
        """What comes of a job; if the process ends, that is what came of it."""
        process = self._process = self._process or _started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _send(process.stdin, job)
            found: Outcome | None = _received(process.stdout)
        except OSError:
            found = None
        if found is None:
            found = Outcome(job.name, Checked(job.name, failure=_ended(process, job)), Options(), job.again)
        failure = found.checked.failure
        if failure is not None and failure.code in _LIMITS:
            # What met a limit may have left little memory, or a thread behind.
            self.close()
        return found

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def kill(self) -> None:
        """End the process from another thread, in the middle of a job."""
        process = self._process
        if process is not None:
            process.kill()


class _Pool:
    """A thread for each worker: it hands out jobs, and waits for what comes of them."""

    def __init__(self, jobs: Sequence[Job], count: int) -> None:
        from threading import Condition, Thread

        self.jobs = jobs
        self.changed = Condition()
        self.results: dict[int, Outcome | BaseException] = {}
        self.next = 0
        self.workers = [Worker() for _ in range(count)]
        self.threads = [Thread(target=self._work, args=(worker,), daemon=True) for worker in self.workers]
        for thread in self.threads:
            thread.start()

    def result(self, number: int) -> Outcome:
        """What came of a job, when it is there."""
        with self.changed:
            while number not in self.results:
                # With a time, so that an interruption is seen on every system.
                self.changed.wait(1.0)
            found = self.results.pop(number)
        if isinstance(found, BaseException):
            raise found
        return found

    def close(self) -> None:
        """End what still runs."""
        with self.changed:
            self.next = len(self.jobs)
        for worker, thread in zip(self.workers, self.threads, strict=True):
            while thread.is_alive():
                worker.kill()
                thread.join(0.05)

    def _take(self) -> int | None:
        with self.changed:
            if self.next >= len(self.jobs):
                return None
            self.next += 1
            return self.next - 1

    def _work(self, worker: Worker) -> None:
        found: Outcome | BaseException
        try:
            while (number := self._take()) is not None:
                try:
                    found = worker.ask(self.jobs[number])
                except Exception as error:
                    found = error
                with self.changed:
                    self.results[number] = found
                    self.changed.notify_all()
        finally:
            worker.close()


def _started() -> Popen[bytes]:
    from subprocess import PIPE, Popen

    return Popen([sys.executable, "-P", "-c", _START.format(path=sys.path)], stdin=PIPE, stdout=PIPE)


def _ended(process: Popen[bytes], job: Job) -> GradcliError:
    """Why a process ended in the middle of a job."""
    from signal import Signals

    code = process.wait()
    if code == -getattr(Signals, "SIGALRM", 0) != 0:
        return too_slow(job.limits)
    try:
        how = f"signal {Signals(-code).name}" if code < 0 else f"exit code {code}"
    except ValueError:
        how = f"signal {-code}"
    return LimitError(
        f"the process that checked it was ended, with {how}",
        help="the system ends a process that needs too much memory; `--max-memory` allows less",
        code="E402",
    )


# -- there -------------------------------------------------------------------------------------


def serve() -> None:
    """Do the jobs that come in, until there are no more; this is what a process of its own runs."""
    import gc

    from .process import leave, note_interruptions

    note_interruptions()
    # What start-up makes is no garbage, as in a process that checks a single spec.
    gc.disable()
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # Nothing that is printed here may come between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def answer(outcome: Outcome) -> None:
        outcome.checked.failure = _alone(outcome.checked.failure)
        _send(answers, outcome)

    try:
        while (job := _received(sys.stdin.buffer)) is not None:
            answer(perform(job, answer))
    except (KeyboardInterrupt, BrokenPipeError):
        # Whoever waits for the answer was told, too.
        pass
    leave(0)


def _alone(failure: GradcliError | None) -> GradcliError | None:
    """An error without all that hangs on it: what it was raised from, the syntax that it is about."""
    if failure is None:
        return None
    alone = GradcliError(
        failure.message, span=failure.span, help=failure.help, code=failure.code, notes=tuple(failure.notes)
    )
    alone.exit_code = failure.exit_code
    return alone


def _send(stream: IO[bytes], message: Any) -> None:
    data = pickle.dumps(message)
    stream.write(len(data).to_bytes(_SIZE, "big") + data)
    stream.flush()


def _received(stream: IO[bytes]) -> Any:
    """The next message; None where there is no whole one any more."""
    head = stream.read(_SIZE)
    if len(head) < _SIZE:
        return None
    size = int.from_bytes(head, "big")
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None
