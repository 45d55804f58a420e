"""The system calls that a confined process may still make, with their arguments."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from errno import ENOSYS, ENOTTY, EPERM
from typing import Final

from .bpf import ALLOW, OWN_PID, Condition, Step, answer, below, bits, null, one_of, program, rule
from .syscalls import END_OF_NUMBERS, NUMBERS, Machine

_ALWAYS: Final[Sequence[Step]] = (answer(ALLOW),)

# Looking at files that Landlock or an open descriptor gives, memory, locks, signals to itself, time and the end.
_COMPUTING: Final = (
    "futex read write close munmap brk mremap fstat lseek newfstatat stat lstat statx getdents64 access faccessat"
    " faccessat2 getcwd readv writev pread64 close_range poll ppoll select pselect6 rt_sigaction rt_sigprocmask"
    " rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack restart_syscall pause sched_yield"
    " sched_getaffinity sched_getparam sched_getscheduler getcpu set_robust_list get_robust_list rseq set_tid_address"
    " membarrier clock_gettime clock_getres gettimeofday time times nanosleep clock_nanosleep getitimer setitimer"
    " getrusage sysinfo uname getrandom getpid gettid getppid getuid geteuid getgid getegid getrlimit exit exit_group"
).split()

# What a program such as Graphviz's does beyond that, and the shell script that may stand in front of it.
_STARTING: Final = (
    "execve fork vfork wait4 waitid pipe pipe2 dup dup2 dup3 arch_prctl readlink readlinkat statfs fstatfs fadvise64"
    " getresuid getresgid getgroups getpgrp getpgid getsid umask chdir fchdir flock eventfd2 mmap mprotect getdents"
).split()

# The C library has an older call that it falls back to, of which a filter can see the arguments.
_UNSEEN: Final = ("clone3", "openat2")

_PROT_WRITE, _PROT_EXEC = 2, 4
_MAP_PRIVATE, _MAP_TYPE, _MAP_ANONYMOUS = 0x02, 0x0F, 0x20

_CLONE_THREAD = 0x10000
# CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID, DETACHED: what starts a thread.
_CLONE_OF_THREADS = 0x007D0F00
# All CLONE_NEW... that a process could ask for, CLONE_PTRACE and CLONE_PARENT.
_CLONE_BEYOND_FORK = 0x7E020080 | 0x2000 | 0x8000

_F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD, _F_DUPFD_CLOEXEC = 1, 2, 3, 0, 1030
_O_NONBLOCK, _O_NOCTTY, _O_CLOEXEC = 0o4000, 0o400, 0o2000000
# From MADV_HWPOISON on, advice takes memory away from the whole machine.
_MADV_HWPOISON = 100
# PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS.
_PRCTL_HARMLESS = (2, 3, 15, 16, 21, 39)
# RLIMIT_DATA, RLIMIT_STACK and RLIMIT_AS: without capabilities, nobody can raise them beyond their hard limits.
_RLIMIT_OF_MEMORY = (2, 3, 9)


@functools.cache
def computing(machine: Machine) -> tuple[Step, ...]:
    """The filter of a process that only computes."""
    return _filter(machine, _COMPUTING, _checked(machine))


@functools.cache
def starting(machine: Machine) -> tuple[Step, ...]:
    """The filter of a process that starts a program and those that the program starts."""
    rules = _checked(machine)
    for name in _STARTING:
        rules.pop(name, None)
    rules["clone"] = _rule([bits(0, _CLONE_BEYOND_FORK, 0)])
    rules["fcntl"] = _rule([one_of(1, _F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC)])
    return _filter(machine, [*_COMPUTING, *_STARTING], rules)


def _checked(machine: Machine) -> dict[str, Sequence[Step]]:
    """The calls that depend on their arguments."""
    reading = _O_NONBLOCK | _O_NOCTTY | _O_CLOEXEC | machine.o_directory | machine.o_nofollow | machine.o_largefile
    only_reading = 0xFFFFFFFF & ~reading
    itself = one_of(0, 0, OWN_PID)
    not_run = [bits(2, _PROT_EXEC, 0)]
    of_a_file = [bits(2, _PROT_WRITE, 0), bits(3, _MAP_TYPE | _MAP_ANONYMOUS, _MAP_PRIVATE)]
    return {
        "mmap": _rule(not_run, of_a_file),
        "mprotect": _rule(not_run),
        "open": _rule([bits(1, only_reading, 0)]),
        "openat": _rule([bits(2, only_reading, 0)]),
        "madvise": _rule([below(2, _MADV_HWPOISON)]),
        "clone": _rule([bits(0, 0xFFFFFFFF & ~_CLONE_OF_THREADS | _CLONE_THREAD, _CLONE_THREAD)]),
        # A file that is mapped into memory has its descriptor doubled.
        "fcntl": _rule([one_of(1, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC)]),
        "tgkill": _rule([one_of(0, OWN_PID)]),
        # By this one, musl ends a process or wakes its first thread, which has the number of the process.
        "tkill": _rule([one_of(0, OWN_PID)]),
        "prctl": _rule([one_of(0, *_PRCTL_HARMLESS)]),
        "prlimit64": _rule([itself, null(2)], [itself, one_of(1, *_RLIMIT_OF_MEMORY)]),
        "setrlimit": _rule([one_of(0, *_RLIMIT_OF_MEMORY)]),
        # A file that is opened is asked whether it is a terminal.
        "ioctl": rule(otherwise=ENOTTY),
        **{name: rule(otherwise=ENOSYS) for name in _UNSEEN},
    }


def _rule(*alternatives: list[Condition]) -> Sequence[Step]:
    return rule(*alternatives, otherwise=EPERM)


def _filter(machine: Machine, allowed: Iterable[str], rules: Mapping[str, Sequence[Step]]) -> tuple[Step, ...]:
    named = dict.fromkeys(allowed, _ALWAYS) | dict(rules)
    numbered = {NUMBERS[name][machine.column]: steps for name, steps in named.items()}
    answers = {number: steps for number, steps in numbered.items() if number is not None}
    return program(machine.audit, answers, EPERM, END_OF_NUMBERS)
