"""The numbers of the system calls that the filters name, on x86-64 and on aarch64."""

from typing import Final, NamedTuple


# Its annotations are not text, of which a named tuple would compile each.
class Machine(NamedTuple):
    """An architecture as seccomp knows it."""

    name: str
    # AUDIT_ARCH_ of linux/audit.h: both machines are 64 bits wide and little-endian.
    audit: int
    # Its column in NUMBERS.
    column: int
    # O_DIRECTORY, O_NOFOLLOW and O_LARGEFILE as its kernel has them.
    o_directory: int
    o_nofollow: int
    o_largefile: int


MACHINES: Final = {
    "x86_64": Machine("x86-64", 0xC000003E, 0, 0o200000, 0o400000, 0o100000),
    "aarch64": Machine("aarch64", 0xC00000B7, 1, 0o40000, 0o100000, 0o400000),
}

# From this number on x86-64 has the calls of its x32 ABI.
END_OF_NUMBERS: Final = 0x40000000

# None is for a call that a machine does not have.
NUMBERS: Final[dict[str, tuple[int | None, int | None]]] = {
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67), "close": (3, 57),
    "close_range": (436, 436), "lseek": (8, 62), "fstat": (5, 80), "stat": (4, None), "lstat": (6, None),
    "newfstatat": (262, 79), "statx": (332, 291), "access": (21, None), "faccessat": (269, 48),
    "faccessat2": (439, 439), "getdents64": (217, 61), "getcwd": (79, 17), "open": (2, None), "openat": (257, 56),
    "openat2": (437, 437), "fcntl": (72, 25), "ioctl": (16, 29), "poll": (7, None), "ppoll": (271, 73),
    "select": (23, None), "pselect6": (270, 72), "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215),
    "brk": (12, 214), "mremap": (25, 216), "madvise": (28, 233), "futex": (202, 98), "set_robust_list": (273, 99),
    "get_robust_list": (274, 100), "rseq": (334, 293), "set_tid_address": (218, 96), "membarrier": (324, 283),
    "sched_yield": (24, 124), "sched_getaffinity": (204, 123), "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120), "getcpu": (309, 168), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136), "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132), "restart_syscall": (219, 128), "pause": (34, None), "tgkill": (234, 131),
    "tkill": (200, 130), "clone": (56, 220), "clone3": (435, 435), "exit": (60, 93), "exit_group": (231, 94),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115), "clock_gettime": (228, 113), "clock_getres": (229, 114), "gettimeofday": (96, 169),
    "time": (201, None), "times": (100, 153), "getrusage": (98, 165), "sysinfo": (99, 179), "getitimer": (36, 102),
    "setitimer": (38, 103), "uname": (63, 160), "getrandom": (318, 278), "getpid": (39, 172), "gettid": (186, 178),
    "getppid": (110, 173), "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "getrlimit": (97, 163), "setrlimit": (160, 164), "prlimit64": (302, 261), "prctl": (157, 167),
    "execve": (59, 221), "fork": (57, None), "vfork": (58, None), "wait4": (61, 260), "waitid": (247, 95),
    "pipe": (22, None), "pipe2": (293, 59), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24),
    "arch_prctl": (158, None), "readlink": (89, None), "readlinkat": (267, 78), "statfs": (137, 43),
    "fstatfs": (138, 44), "fadvise64": (221, 223), "getresuid": (118, 148), "getresgid": (120, 150),
    "getgroups": (115, 158), "getpgrp": (111, None), "getpgid": (121, 155), "getsid": (124, 156), "umask": (95, 166),
    "chdir": (80, 49), "fchdir": (81, 50), "flock": (73, 32), "eventfd2": (290, 19), "getdents": (78, None),
}  # fmt: skip

# What this module itself calls, and the probes of a kernel; Landlock has one number everywhere.
SECCOMP: Final = (317, 277)
CAPSET: Final = (126, 91)
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
