"""Batches of programs in forked children: one that crashes, hangs or is changed is lost, and another goes on."""

from __future__ import annotations

import gc
import json
import mmap
import os
import resource
import select
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Sequence

from . import audit, state
from .generate import Case
from .judge import MEMORY, SECONDS, Finding, Judge
from .warm import warm_up

Make = Callable[[int], Case]
# Longer than this without an answer, in seconds of the processor, and of the clock where it only waits.
_HANGS, _WAITS = 3 * SECONDS, 30 * SECONDS


class Nest:
    """Runs numbered programs in children."""

    def __init__(self) -> None:
        warm_up()
        self.judge = Judge()
        self.judge.prepare()
        sys.dont_write_bytecode = True
        audit.install()
        self.before = state.fingerprint()
        self.shared = mmap.mmap(-1, 16)
        self.tried = 0
        # Whether what the host keeps is looked at behind each batch.
        self.compares = True
        gc.collect()
        gc.freeze()
        gc.disable()

    def run(self, make: Make, numbers: Sequence[int]) -> list[tuple[int, Finding]]:
        """Run programs; what is wrong, with the number of the program."""
        found: list[tuple[int, Finding]] = []
        left = list(numbers)
        while left:
            done, some = self._batch(make, left)
            found += some
            left = left[max(done, 1) :]
        self.tried += len(numbers)
        return found

    def _batch(self, make: Make, numbers: Sequence[int]) -> tuple[int, list[tuple[int, Finding]]]:
        """Run programs in one child; how many were run, and what is wrong."""
        self.shared[:16] = struct.pack("qd", -1, 0.0)
        reader, writer = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            self._child(make, numbers, writer)
        os.close(writer)
        told, why = self._wait(pid, reader)
        at: int = struct.unpack("qd", self.shared[:16])[0]
        found: list[tuple[int, Finding]] = []
        ended = False
        for line in told.decode().splitlines():
            words = json.loads(line)
            if words == "end":
                ended = True
            elif words[0] == "broken":
                raise RuntimeError(f"the attack itself failed at {make(numbers[max(at, 0)])}: {words[1]}")
            elif words[0] == "changed":
                return len(numbers), found + self._culprits(make, numbers, words[1])
            else:
                found.append((words[0], Finding(*words[1])))
        if not ended:
            at = max(at, 0)
            found.append((numbers[at], Finding("crash" if why.startswith("ended") else "hang", why)))
            return at + 1, found
        return at + 1, found

    def _culprits(self, make: Make, numbers: Sequence[int], names: list[str]) -> list[tuple[int, Finding]]:
        """Which of many programs changed the host."""
        if len(numbers) == 1:
            return [(numbers[0], Finding("state", f"{names[0]} was changed", ", ".join(names[:9])))]
        middle = len(numbers) // 2
        found = []
        for part in (numbers[:middle], numbers[middle:]):
            found += [f for f in self._batch(make, part)[1] if f[1].kind == "state"]
        return found

    def _child(self, make: Make, numbers: Sequence[int], writer: int) -> None:
        """Run the programs, tell what is wrong, and end."""
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            sink = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(sink, stream)
            _limit_memory()
            broken = False
            for i, number in enumerate(numbers):
                case = make(number)
                self.shared[:16] = struct.pack("qd", i, time.perf_counter())
                for finding in self.judge.run(case):
                    _tell(writer, (number, finding))
                    # Whatever it left behind is put down to no other program.
                    broken = broken or finding.kind == "state"
                if broken:
                    break
                # What one program leaves in cycles is not to be what the next has no memory for.
                if i % 8 == 7:
                    gc.collect()
            changed = state.changed(self.before) if self.compares else []
            if changed:
                _tell(writer, ("changed", changed))
            _tell(writer, "end")
        except BaseException:
            _tell(writer, ("broken", traceback.format_exc()))
        finally:
            os._exit(0)

    def _wait(self, pid: int, reader: int) -> tuple[bytes, str]:
        """What a child says until it ends, and how it ended."""
        told = b""
        at, since = None, (time.perf_counter(), 0.0)
        while True:
            ready, _, _ = select.select([reader], [], [], 0.25)
            if ready:
                data = os.read(reader, 1 << 16)
                if not data:
                    break
                told += data
                continue
            now, (worked, waits) = time.perf_counter(), _worked(pid)
            current = self.shared[:8]
            if current != at:
                at, since = current, (now, worked)
            elif not waits:
                # It has something to do, and a busy machine may not let it.
                since = now, since[1]
            if worked - since[1] > _HANGS or now - since[0] > _WAITS:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                os.close(reader)
                return told, "waits for nothing" if waits else f"hangs for {_HANGS:g} s of the processor"
        os.close(reader)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        return told, f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def _tell(writer: int, words: object) -> None:
    data = json.dumps(words, default=str).encode() + b"\n"
    while data:
        data = data[os.write(writer, data) :]


def _limit_memory() -> None:
    with open("/proc/self/statm", "rb") as file:
        data = int(file.read().split()[5]) * os.sysconf("SC_PAGESIZE")
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (data + MEMORY, hard))


def _worked(pid: int) -> tuple[float, bool]:
    """The seconds that a process has computed, and whether it waits for something other than the processor."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0.0, True
    return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK")), fields[0] != b"R"
