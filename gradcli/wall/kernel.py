"""The limits that Linux lets a process set itself: no new privileges, Landlock for files, seccomp for all else."""

import _signal as signal  # type: ignore[import-not-found]  # `signal` wraps it in enums, for 2 ms
import os
import struct
import sys
from collections.abc import Sequence
from errno import EFAULT
from typing import NamedTuple

from . import filters, landlock, roots
from .bpf import packed
from .syscalls import CAPSET, MACHINES, NUMBERS, SECCOMP, Machine
from .system import System, refused, system

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_PR_GET_NO_NEW_PRIVS = 39
_FILTER_MODE = 2
_SECCOMP_SET_FILTER = 1
# All threads get the filter, and none pays for it by slower branches.
_TO_ALL_THREADS, _AT_FULL_SPEED = 1, 4
_CAPABILITIES_VERSION = 0x20080522
# CAP_DAC_READ_SEARCH
_MAY_READ_ALL = 1 << 2


# Its annotations are not text, of which a named tuple would compile each.
class Walls(NamedTuple):
    """The walls that the kernel holds a process to, and why the others are missing."""

    # Whether programs that are set-uid or have capabilities give no more rights, and all capabilities are dropped.
    no_new_privs: bool = False
    # The version of Landlock.
    landlock: int | None = None
    # The machine that the filter is for.
    seccomp: str | None = None
    # "landlock: not offered by this kernel"
    missing: tuple[str, ...] = ()

    def describe(self) -> str:
        """All of it, in one line."""
        raised = [
            *(["no_new_privs"] if self.no_new_privs else []),
            *([f"landlock {self.landlock}"] if self.landlock else []),
            *([f"seccomp ({self.seccomp})"] if self.seccomp else []),
        ]
        return "; ".join([", ".join(raised) or "none", *self.missing])


def available() -> Walls:
    """Find out what ``confine`` would do on this machine; nothing is changed."""
    ready = _ready()
    if isinstance(ready, Walls):
        return ready
    kernel, machine = ready
    prctl = _number("prctl", machine)
    held = kernel.call(prctl, _PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
    # A filter that is nowhere: a kernel that takes filters looks for it, and does not find it.
    answer = kernel.call(prctl, _PR_SET_SECCOMP, _FILTER_MODE, None, 0, 0)
    return _walls(
        machine,
        None if held >= 0 else refused(-held),
        landlock.version(kernel),
        None if answer == -EFAULT else refused(-answer),
    )


def prepare() -> None:
    """Have ready what ``confine`` needs: a process that has just been forked pays for all that it touches."""
    ready = _ready()
    if not isinstance(ready, Walls):
        filters.computing(ready[1])


def confine(readable: Sequence[str] = (), *, programs: Sequence[str] = ()) -> Walls:
    """Give up all that a computing process has no use for, for good: call it in a child of a single thread.

    Files can be read if they are the interpreter's, a library's, or in ``readable``, where a directory stands for all
    below it; nothing can be written but what is open. With ``programs``, given as paths, the process may become one of
    them and may start others that the system has: it reads what they need in place of what the interpreter needs.
    What the kernel does not offer is left out, and the answer says so.
    """
    ready = _ready()
    if isinstance(ready, Walls):
        return ready
    kernel, machine = ready
    # It could not be written, and the interpreter would try for every module.
    sys.dont_write_bytecode = True
    offered = landlock.version(kernel)
    # Where Landlock says what is read, root may go on to read what belongs to others, such as a checked-out project.
    unprivileged = _give_up_privileges(kernel, machine, _MAY_READ_ALL if isinstance(offered, int) else 0)
    if isinstance(offered, int):
        if programs:
            run, read = roots.of_programs(tuple(programs))
            given = [(landlock.READ | landlock.EXECUTE, run), (landlock.READ, [*read, *readable])]
        else:
            given = [(landlock.READ, [*roots.of_interpreter(), *readable])]
        offered = landlock.restrict(kernel, offered, given) or offered
    allowed = (filters.starting if programs else filters.computing)(machine)
    # The last of all, since it also takes away the calls above.
    return _walls(machine, unprivileged, offered, _filter(kernel, machine, packed(allowed, os.getpid())))


def die_with_parent(parent: int) -> None:
    """End this process when the thread that forked it ends, or now if its parent is already another one.

    Call it before ``confine``, which takes this right away.
    """
    ready = _ready()
    if isinstance(ready, Walls):
        return
    kernel, machine = ready
    kernel.call(_number("prctl", machine), _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def _ready() -> tuple[System, Machine] | Walls:
    """Return what is needed to speak with the kernel, or why no wall can be raised."""
    if sys.platform != "linux":
        return Walls(missing=("not Linux",))
    name = os.uname().machine
    machine = MACHINES.get(name)
    if machine is None or sys.maxsize < 2**32 or sys.byteorder != "little":
        width = "" if sys.maxsize > 2**32 else ", 32 bits"
        return Walls(missing=(f"no filter for this machine ({name}{width})",))
    try:
        return system(), machine
    except ImportError:
        return Walls(missing=("this Python was built without ctypes",))


def _number(name: str, machine: Machine) -> int:
    number = NUMBERS[name][machine.column]
    assert number is not None
    return number


def _walls(machine: Machine, unprivileged: str | None, offered: int | str, filtered: str | None) -> Walls:
    reasons = {
        "no_new_privs": unprivileged,
        "landlock": offered if isinstance(offered, str) else None,
        "seccomp": filtered,
    }
    return Walls(
        unprivileged is None,
        offered if isinstance(offered, int) else None,
        machine.name if filtered is None else None,
        tuple(f"{name}: {reason}" for name, reason in reasons.items() if reason),
    )


def _give_up_privileges(kernel: System, machine: Machine, kept: int) -> str | None:
    """No core file, no reading of this process by others of the user, no capabilities but those kept; else why not."""
    prctl = _number("prctl", machine)
    kernel.call(prctl, _PR_SET_DUMPABLE, 0, 0, 0, 0)
    done = kernel.call(prctl, _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if done < 0:
        return refused(-done)
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    for left in (kept, 0):
        done = kernel.call(CAPSET[machine.column], header, struct.pack("=6I", left, left, 0, 0, 0, 0))
        if done == 0:
            return None
    return refused(-done)


def _filter(kernel: System, machine: Machine, program: bytes) -> str | None:
    """Hold the process to a filter; else say why the kernel does not."""
    described = struct.pack("@HP", len(program) // 8, kernel.address(program))
    number = SECCOMP[machine.column]
    for flags in (_TO_ALL_THREADS | _AT_FULL_SPEED, _TO_ALL_THREADS, 0):
        done = kernel.call(number, _SECCOMP_SET_FILTER, flags, described)
        if done == 0:
            return None
    # Kernels before 3.17, and sandboxes that offer only the older way.
    done = kernel.call(_number("prctl", machine), _PR_SET_SECCOMP, _FILTER_MODE, described, 0, 0)
    return None if done == 0 else refused(-done)
