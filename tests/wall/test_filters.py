"""What the filters say to each call, on both machines, whichever of them this is."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from gradcli.wall import filters
from gradcli.wall.bpf import ALLOW, ERRNO, Step, answer as answering, below, bits, null, one_of, packed, program, rule
from gradcli.wall.syscalls import END_OF_NUMBERS, MACHINES, NUMBERS, Machine
from tests.rings import all_of

from .bpf_machine import answer
from .numbers import REFUSED

PID = 4321
X86, ARM = MACHINES["x86_64"], MACHINES["aarch64"]
HIGH = 1 << 32

on_both = pytest.mark.parametrize("machine", [X86, ARM], ids=["x86-64", "aarch64"])


def number_of(machine: Machine, name: str) -> int | None:
    return (NUMBERS.get(name) or REFUSED[name])[machine.column]


def where_there_is_one(names: Iterable[str]) -> list[tuple[Machine, str]]:
    """Each machine with each call that it has."""
    return [(machine, name) for name in names for machine in (X86, ARM) if number_of(machine, name) is not None]


def said(machine: Machine, name: str, *arguments: int, starting: bool = False) -> str:
    steps = (filters.starting if starting else filters.computing)(machine)
    number = number_of(machine, name)
    assert number is not None
    return answer(packed(steps, PID), machine.audit, number, arguments)


@all_of(where_there_is_one(REFUSED))
def test_a_computing_process_may_not(call: tuple[Machine, str]) -> None:
    assert said(*call) == "EPERM"


# Nothing but these is ever allowed, whatever its arguments.
ALLOWED = set(
    "access brk clock_getres clock_gettime clock_nanosleep clone close close_range exit exit_group faccessat faccessat2"
    " fcntl fstat futex get_robust_list getcpu getcwd getdents64 getegid geteuid getgid getitimer getpid getppid"
    " getrandom getrlimit getrusage gettid gettimeofday getuid lseek lstat madvise membarrier mmap mprotect mremap"
    " munmap nanosleep newfstatat open openat pause poll ppoll prctl pread64 prlimit64 pselect6 read readv"
    " restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait"
    " sched_getaffinity sched_getparam sched_getscheduler sched_yield select set_robust_list set_tid_address setitimer"
    " setrlimit sigaltstack stat statx sysinfo tgkill tkill time times uname write writev".split()
)
VALUES = (0, 1, 2, 3, PID, 9, 15, 0x22, 0x10F00, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)


@on_both
def test_no_other_number_is_allowed_with_any_arguments(machine: Machine) -> None:
    text = packed(filters.computing(machine), PID)
    allowed = {NUMBERS[name][machine.column] for name in ALLOWED}
    for number in range(1200):
        for value in VALUES if number not in allowed else ():
            assert answer(text, machine.audit, number, [value] * 6) in ("EPERM", "ENOSYS", "ENOTTY"), number


@on_both
@pytest.mark.parametrize("starting", [False, True])
def test_other_conventions_end_the_process(machine: Machine, starting: bool) -> None:
    text = packed((filters.starting if starting else filters.computing)(machine), PID)
    i386, arm, other = 0x40000003, 0x40000028, (ARM if machine is X86 else X86).audit
    for architecture in (i386, arm, other, 0):
        assert answer(text, architecture, NUMBERS["read"][machine.column] or 0) == "kill"
    for number in (END_OF_NUMBERS, END_OF_NUMBERS + 1, END_OF_NUMBERS + 59, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        assert answer(text, machine.audit, number) == "kill"
    assert answer(text, machine.audit, END_OF_NUMBERS - 1) == "EPERM"


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("openat", (0, 0, 0), "allow"),
        ("openat", (0, 0, 0o2000000), "allow"),
        ("openat", (0, 0, 0o1), "EPERM"),
        ("openat", (0, 0, 0o2), "EPERM"),
        ("openat", (0, 0, 0o3), "EPERM"),
        ("openat", (0, 0, 0o100), "EPERM"),
        ("openat", (0, 0, 0o1000), "EPERM"),
        ("openat", (0, 0, 0o2000), "EPERM"),
        ("openat", (0, 0, 0o10000000), "EPERM"),
        ("openat", (0, 0, 0o20000000), "EPERM"),
        ("openat", (0, 0, HIGH), "allow"),
        ("open", (0, 0), "allow"),
        ("open", (0, 0o1), "EPERM"),
        ("open", (0, 0o1101), "EPERM"),
        ("openat2", (0, 0, 0), "ENOSYS"),
        ("clone3", (0, 0), "ENOSYS"),
        ("clone", (0x3D0F00,), "allow"),
        ("clone", (0x7D0F00,), "allow"),
        ("clone", (0x11,), "EPERM"),
        ("clone", (0x01200011,), "EPERM"),
        ("clone", (0x4111,), "EPERM"),
        ("clone", (0x3D0F00 | 0x10000000,), "EPERM"),
        ("clone", (0x3D0F00 | 0x2000,), "EPERM"),
        ("clone", (0x3D0F00 | 0x80000000,), "EPERM"),
        ("mmap", (0, 4096, 3, 0x22), "allow"),
        ("mmap", (0, 4096, 5, 2), "allow"),
        ("mmap", (0, 4096, 5, 0x812), "allow"),
        ("mmap", (0, 4096, 7, 0x22), "EPERM"),
        ("mmap", (0, 4096, 5, 0x22), "EPERM"),
        ("mmap", (0, 4096, 4, 1), "EPERM"),
        ("mmap", (0, 4096, 4, 3), "EPERM"),
        ("mmap", (0, 4096, 7, 2), "EPERM"),
        ("mprotect", (0, 4096, 3), "allow"),
        ("mprotect", (0, 4096, 5), "EPERM"),
        ("mprotect", (0, 4096, HIGH | 4), "EPERM"),
        ("madvise", (0, 4096, 4), "allow"),
        ("madvise", (0, 4096, 100), "EPERM"),
        ("madvise", (0, 4096, 101), "EPERM"),
        ("madvise", (0, 4096, -1), "EPERM"),
        ("fcntl", (0, 1), "allow"),
        ("fcntl", (0, 2), "allow"),
        ("fcntl", (0, 3), "allow"),
        ("fcntl", (0, 4), "EPERM"),
        ("fcntl", (0, 8), "EPERM"),
        ("fcntl", (0, 1030), "allow"),
        ("fcntl", (0, 0), "EPERM"),
        ("tgkill", (PID, 7, 6), "allow"),
        ("tgkill", (1, 7, 6), "EPERM"),
        ("tgkill", (PID + 1, 7, 6), "EPERM"),
        ("tgkill", (-1, 7, 6), "EPERM"),
        ("tkill", (PID, 6), "allow"),
        ("tkill", (PID + 1, 6), "EPERM"),
        ("tkill", (HIGH | 1, 6), "EPERM"),
        ("prctl", (15,), "allow"),
        ("prctl", (16,), "allow"),
        ("prctl", (1,), "EPERM"),
        ("prctl", (4,), "EPERM"),
        ("prctl", (22,), "EPERM"),
        ("prctl", (0x59616D61,), "EPERM"),
        ("prlimit64", (0, 7, 0), "allow"),
        ("prlimit64", (PID, 7, 0), "allow"),
        ("prlimit64", (1, 7, 0), "EPERM"),
        ("prlimit64", (0, 7, HIGH), "EPERM"),
        ("prlimit64", (0, 7, 4096), "EPERM"),
        ("prlimit64", (0, 4, 4096), "EPERM"),
        ("prlimit64", (0, 0, 4096), "EPERM"),
        ("prlimit64", (0, 2, 4096), "allow"),
        ("prlimit64", (PID + 1, 2, 4096), "EPERM"),
        ("setrlimit", (2, 4096), "allow"),
        ("setrlimit", (6, 4096), "EPERM"),
        ("ioctl", (0, 0x5412), "ENOTTY"),
    ],
)
def test_what_depends_on_arguments(name: str, arguments: tuple[int, ...], expected: str) -> None:
    having = [machine for machine in (X86, ARM) if number_of(machine, name) is not None]
    assert [said(machine, name, *arguments) for machine in having] == [expected] * len(having)


@on_both
def test_flags_of_open_are_those_of_the_machine(machine: Machine) -> None:
    arm = machine is ARM
    directory, nofollow, large = (0o40000, 0o100000, 0o400000) if arm else (0o200000, 0o400000, 0o100000)
    direct = 0o200000 if arm else 0o40000
    assert [said(machine, "openat", 0, 0, flag) for flag in (directory, nofollow, large)] == ["allow"] * 3
    assert said(machine, "openat", 0, 0, direct) == "EPERM"
    # O_TMPFILE holds O_DIRECTORY.
    assert said(machine, "openat", 0, 0, 0o20000000 | directory) == "EPERM"


@all_of(where_there_is_one("execve fork vfork wait4 pipe2 dup3 readlinkat arch_prctl chdir fstatfs".split()))
def test_a_process_that_starts_a_program_may_also(call: tuple[Machine, str]) -> None:
    assert said(*call, starting=True) == "allow"


@on_both
def test_a_process_that_starts_a_program_may_load_and_fork(machine: Machine) -> None:
    assert said(machine, "clone", 0x01200011, starting=True) == "allow"
    assert said(machine, "clone", 0x01200011 | 0x10000000, starting=True) == "EPERM"
    assert said(machine, "mmap", 0, 4096, 7, 0x22, starting=True) == "allow"
    assert said(machine, "openat", 0, 0, 0o1101, starting=True) == "EPERM"
    assert said(machine, "fcntl", 0, 0, starting=True) == "allow"
    assert said(machine, "fcntl", 0, 8, starting=True) == "EPERM"


NOT_TO_START = sorted(
    set(REFUSED)
    - set(
        "execve fork vfork wait4 pipe pipe2 dup dup2 dup3 arch_prctl readlink readlinkat chdir fchdir umask flock"
        " eventfd2 getdents".split()
    )
)


@all_of(where_there_is_one(NOT_TO_START))
def test_a_process_that_starts_a_program_may_not(call: tuple[Machine, str]) -> None:
    assert said(*call, starting=True) == "EPERM"


@on_both
def test_a_filter_is_short_enough_for_a_kernel(machine: Machine) -> None:
    for steps in (filters.computing(machine), filters.starting(machine)):
        assert len(steps) < 400
        assert all(0 <= to < 256 for _, _, *jumps in steps for to in jumps)


def test_numbers_of_a_machine_are_all_different() -> None:
    for column in (0, 1):
        numbers = [row[column] for row in {**REFUSED, **NUMBERS}.values() if row[column] is not None]
        assert len(numbers) == len(set(numbers))


def of(steps: list[Step]) -> bytes:
    return packed(program(X86.audit, {7: steps}, 1, END_OF_NUMBERS), PID)


@pytest.mark.parametrize(
    ("steps", "allowed", "refused"),
    [
        (rule(otherwise=2), [], [(0,), (1,)]),
        (rule([], otherwise=2), [(0,), (5, 6)], []),
        (rule([bits(1, 0xF, 3)], otherwise=2), [(0, 3), (9, 0xF3)], [(3, 0), (0, 7)]),
        (rule([one_of(0, 4, 5, 6)], otherwise=2), [(4,), (5,), (6,), (HIGH | 5,)], [(3,), (7,), (0,)]),
        (rule([below(2, 10)], otherwise=2), [(0, 0, 9)], [(0, 0, 10), (0, 0, -1)]),
        (rule([null(5)], otherwise=2), [(1, 1, 1, 1, 1, 0)], [(0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, HIGH)]),
        (
            rule([one_of(0, 1), null(1)], [one_of(0, 2)], otherwise=2),
            [(1, 0), (2, 0), (2, 9)],
            [(1, 9), (3, 0)],
        ),
    ],
)
def test_rules(steps: list[Step], allowed: list[tuple[int, ...]], refused: list[tuple[int, ...]]) -> None:
    assert [answer(of(steps), X86.audit, 7, given) for given in allowed] == ["allow"] * len(allowed)
    assert [answer(of(steps), X86.audit, 7, given) for given in refused] == ["ENOENT"] * len(refused)
    assert [answer(of(steps), X86.audit, number) for number in (0, 6, 8, 9, 1000)] == ["EPERM"] * 5


def test_neighbours_are_told_apart() -> None:
    answers = {0: [answering(ERRNO | 2)], 1: [answering(ALLOW)], 2: [answering(ERRNO | 38)]}
    text = packed(program(ARM.audit, answers, 1, END_OF_NUMBERS), PID)
    assert [answer(text, ARM.audit, number) for number in range(4)] == ["ENOENT", "allow", "ENOSYS", "EPERM"]


def test_what_is_too_long_to_be_jumped_over_is_an_error() -> None:
    answers = {number: [answering(ALLOW)] for number in range(0, 1200, 2)}
    with pytest.raises(ValueError, match="instructions are too many to be jumped over"):
        program(X86.audit, answers, 1, END_OF_NUMBERS)
