"""What a process behind the wall tries, through Python's functions and through system calls of its own."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import io
import json
import mmap
import multiprocessing.shared_memory
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from gradcli.wall.syscalls import NUMBERS
from gradcli.wall.system import system

from .numbers import REFUSED

COLUMN = {"x86_64": 0, "aarch64": 1}.get(os.uname().machine)
HOME = os.path.expanduser("~")
PARENT = os.getpid()
# Nothing may be done by the mere attempt, on a system whose kernel has no wall.
HARMFUL = {"vhangup", "reboot", "setsid", "kexec_load"}


def raw(name: str, *arguments: int | bytes | None) -> str:
    """What a system call answers: a number, or the name of an error."""
    number = (NUMBERS.get(name) or REFUSED[name])[COLUMN or 0]
    assert number is not None
    answer = system().call(number, *arguments)
    return str(answer) if answer >= 0 else errno_name(-answer)


def errno_name(number: int) -> str:
    return errno.errorcode[number]


def write(path: str) -> Callable[[], object]:
    return lambda: Path(path).write_text("x")


def read(path: str) -> Callable[[], object]:
    return lambda: Path(path).read_bytes()


def connect(family: int, address: object) -> Callable[[], object]:
    def attempt() -> object:
        with socket.socket(family, socket.SOCK_STREAM) as made:
            return made.connect(address)  # type: ignore[arg-type]

    return attempt


def machine_code(code: str) -> Callable[[], object]:
    """Runs bytes as a function: they have to be made before the wall stands."""
    text = bytes.fromhex(code)
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(text)
    place = ctypes.addressof(ctypes.c_char.from_buffer(page))
    function = ctypes.CFUNCTYPE(ctypes.c_long)(place)
    return lambda: (function(), page)[0]


def new_executable_memory() -> object:
    return mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)


def raised_hard_limit() -> object:
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 40, 1 << 40))
    return resource.setrlimit(resource.RLIMIT_DATA, (1 << 41, 1 << 41))


# What seccomp refuses, Landlock or not.
BY_SECCOMP: dict[str, Callable[[], object]] = {
    "write in the current directory": write("new.txt"),
    "write in /tmp": write("/tmp/gradcli-wall-test"),
    "write at home": write(os.path.join(HOME, "gradcli-wall-test")),
    "write to what is readable": write("named.txt"),
    "write in what is readable": write("given/new.txt"),
    "append": lambda: io.FileIO("named.txt", "a"),
    "write and read": lambda: io.FileIO("named.txt", "r+"),
    "truncate": lambda: os.truncate("named.txt", 0),
    "a temporary file": tempfile.TemporaryFile,
    "write to own memory": lambda: io.FileIO("/proc/self/mem", "w"),
    "write to memory of the parent": lambda: io.FileIO(f"/proc/{PARENT}/mem", "w"),
    "write to /dev/null": lambda: io.FileIO("/dev/null", "w"),
    "score of the parent": write(f"/proc/{PARENT}/oom_score_adj"),
    "unlink": lambda: os.unlink("secret.txt"),
    "rename": lambda: os.rename("secret.txt", "other.txt"),
    "rmdir": lambda: os.rmdir("empty"),
    "rmtree": lambda: shutil.rmtree("given"),
    "mkdir": lambda: os.mkdir("made"),
    "mkfifo": lambda: os.mkfifo("made"),
    "link": lambda: os.link("secret.txt", "made"),
    "symlink": lambda: os.symlink("secret.txt", "made"),
    "chmod": lambda: os.chmod("secret.txt", 0o777),
    "chown": lambda: os.chown("secret.txt", 0, 0),
    "utime": lambda: os.utime("secret.txt"),
    "chdir": lambda: os.chdir("/"),
    "chroot": lambda: os.chroot("/"),
    "readlink": lambda: os.readlink("link.txt"),
    "AF_INET": connect(socket.AF_INET, ("127.0.0.1", 9)),
    "AF_INET6": connect(socket.AF_INET6, ("::1", 9)),
    "AF_UNIX": connect(socket.AF_UNIX, "/run/any.sock"),
    "AF_UNIX, abstract": connect(socket.AF_UNIX, "\0any"),
    "socketpair": socket.socketpair,
    "a name server": lambda: socket.getaddrinfo("127.0.0.1", 80) and socket.create_connection(("127.0.0.1", 80)),
    "fork": os.fork,
    "forkpty": os.forkpty,
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "exec of the interpreter": lambda: os.execv(sys.executable, [sys.executable, "-c", ""]),
    "posix_spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "subprocess": lambda: subprocess.run(["/bin/true"], check=True),
    "kill of the parent": lambda: os.kill(os.getppid(), signal.SIGCONT),
    "kill of all": lambda: os.kill(-1, 0),
    "kill of the group": lambda: os.killpg(0, signal.SIGCONT),
    "kill, raw": lambda: raw("kill", PARENT, 0),
    "tgkill of the parent": lambda: raw("tgkill", PARENT, PARENT, 0),
    "ptrace of the parent": lambda: raw("ptrace", 16, PARENT, 0, 0),
    "be traced": lambda: raw("ptrace", 0, 0, 0, 0),
    "memory of the parent": lambda: raw("process_vm_readv", PARENT, None, 0, None, 0, 0),
    "nice": lambda: os.nice(1),
    "affinity": lambda: os.sched_setaffinity(0, {0}),
    "setsid": os.setsid,
    "pipe": os.pipe,
    "dup2": lambda: os.dup2(1, 2),
    "eventfd": lambda: raw("eventfd2", 0, 0),
    "memfd": lambda: os.memfd_create("code"),
    "shared memory": lambda: multiprocessing.shared_memory.SharedMemory(create=True, size=10),
    "limits of the parent": lambda: resource.prlimit(PARENT, resource.RLIMIT_CPU),
    "executable memory": new_executable_memory,
    "executable memory, raw": lambda: raw("mmap", None, 4096, 7, 0x22, -1, 0),
    "memory made executable": lambda: raw("mprotect", id(object) & ~4095, 4096, 5),
    "poison memory": lambda: raw("madvise", None, 4096, 100),
    "a new core file": lambda: raw("prctl", 4, 1, 0, 0, 0),
    "outlive the parent": lambda: raw("prctl", 1, 0, 0, 0, 0),
    "signals to others by a file": lambda: fcntl.fcntl(1, fcntl.F_SETOWN, PARENT),
    "flags of the output": lambda: fcntl.fcntl(1, fcntl.F_SETFL, os.O_NONBLOCK),
    "a namespace": lambda: raw("unshare", 0x10000000),
    "fork, raw": lambda: raw("clone", 17, 0, 0, 0, 0),
    "a namespace by clone": lambda: raw("clone", 0x10000011, 0, 0, 0, 0),
    "openat for writing, raw": lambda: raw("openat", -100, b"named.txt", 1, 0),
    "openat of a new file, raw": lambda: raw("openat", -100, b"made", 0o100, 0o600),
    "openat of a nameless file, raw": lambda: raw("openat", -100, b".", 0o20200000, 0o600),
}
# Calls without sense: they are refused before anyone looks at what they ask for.
RAW = [name for name in sorted(REFUSED.keys() - HARMFUL) if REFUSED[name][COLUMN or 0] is not None]


def all_raw() -> str:
    return json.dumps({name: raw(name, 0, 0, 0, 0, 0, 0) for name in RAW})



# What is told not to exist or to make no sense, for the sake of the C library.
OTHERWISE: dict[str, tuple[str, Callable[[], object]]] = {
    "type into a terminal": ("ENOTTY", lambda: fcntl.ioctl(0, 0x5412, b"x")),
    "any ioctl": ("ENOTTY", lambda: raw("ioctl", 1, 0x5421, 0)),
    "clone3": ("ENOSYS", lambda: raw("clone3", None, 0)),
    "openat2": ("ENOSYS", lambda: raw("openat2", -100, b"named.txt", None, 0)),
    "core files": (
        "ValueError('not allowed to raise maximum limit')",
        lambda: resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)),
    ),
    "raise a hard limit": ("ValueError('not allowed to raise maximum limit')", raised_hard_limit),
}

# What only Landlock refuses.
BY_LANDLOCK: dict[str, Callable[[], object]] = {
    "read /etc/passwd": read("/etc/passwd"),
    "read a file beside a named one": read("secret.txt"),
    "read through a link": read("link.txt"),
    "read through ..": read("given/../secret.txt"),
    "read, raw": lambda: raw("openat", -100, b"/etc/passwd", 0, 0),
    "list the current directory": os.listdir,
    "list /": lambda: os.listdir("/"),
    "scan at home": lambda: next(os.scandir(HOME)),
    "environment of the parent": read(f"/proc/{PARENT}/environ"),
    "environment": read("/proc/self/environ"),
    "memory map": read("/proc/self/maps"),
    "memory": lambda: io.FileIO("/proc/self/mem", "r"),
    "memory of the parent": lambda: io.FileIO(f"/proc/{PARENT}/mem", "r"),
    "a device": lambda: io.FileIO("/dev/zero"),
    "processes": lambda: os.listdir("/proc"),
    "a terminal": lambda: io.FileIO("/dev/ptmx"),
}

# What ends the process: calls by other conventions.
X86_CODE = {
    "getpid of i386": "53b814000000cd805bc3",
    "getpid of x32": "b8270000400f05c3",
    "open of i386": "53b805000000cd805bc3",
}


def _in_a_thread(attempt: Callable[[], object]) -> Callable[[], object]:
    """The same in a thread that starts behind the wall."""

    def run() -> object:
        said: list[object] = []

        def inner() -> None:
            try:
                said.append(attempt())
            except OSError as error:
                said.append(errno_name(error.errno or 0))

        thread = threading.Thread(target=inner)
        thread.start()
        thread.join()
        return said[0]

    return run


THREADED = ("write in the current directory", "fork", "AF_INET", "exec", "kill of the parent")

LISTENING = f"\0gradcli-wall-{PARENT}"


def bind(port: int) -> object:
    with socket.socket() as made:
        return made.bind(("127.0.0.1", port))


# What Landlock refuses where there is no seccomp, since the version that is told.
BY_LANDLOCK_ALONE: dict[str, tuple[int, str, Callable[[], object]]] = {
    "write in the current directory": (1, "EACCES", write("new.txt")),
    "write to a file that is there": (1, "EACCES", write("secret.txt")),
    "write to what is readable": (1, "EACCES", write("given/inner.txt")),
    "write in what is readable": (1, "EACCES", write("given/new.txt")),
    "unlink": (1, "EACCES", lambda: os.unlink("secret.txt")),
    "rename": (1, "EACCES", lambda: os.rename("secret.txt", "other.txt")),
    "rename elsewhere": (1, "EACCES", lambda: os.rename("secret.txt", "given/other.txt")),
    "rmdir": (1, "EACCES", lambda: os.rmdir("empty")),
    "mkdir": (1, "EACCES", lambda: os.mkdir("made")),
    "mkfifo": (1, "EACCES", lambda: os.mkfifo("made")),
    "symlink": (1, "EACCES", lambda: os.symlink("secret.txt", "made")),
    "exec": (1, "EACCES", lambda: os.execv("/bin/true", ["true"])),
    "truncate": (3, "EACCES", lambda: os.truncate("secret.txt", 0)),
    "connect": (4, "EACCES", connect(socket.AF_INET, ("127.0.0.1", 9))),
    "bind": (4, "EACCES", lambda: bind(0)),
    "an abstract socket": (6, "EPERM", connect(socket.AF_UNIX, LISTENING)),
    "kill of the parent": (6, "EPERM", lambda: os.kill(PARENT, 0)),
    **{f"Landlock: {name}": (1, "EACCES", case) for name, case in BY_LANDLOCK.items()},
}
ALONE = {name: case for name, (_, _, case) in BY_LANDLOCK_ALONE.items()}

CASES: dict[str, Callable[[], object]] = {
    **BY_SECCOMP,
    "raw": all_raw,
    **{name: case for name, (_, case) in OTHERWISE.items()},
    **{f"Landlock: {name}": case for name, case in BY_LANDLOCK.items()},
    **{f"thread: {name}": _in_a_thread(BY_SECCOMP[name]) for name in THREADED},
    **({name: machine_code(code) for name, code in X86_CODE.items()} if COLUMN == 0 else {}),
}
HARMLESS = {
    name: BY_SECCOMP[name]
    for name in (
        "write in the current directory", "append", "write and read", "mkdir", "mkfifo", "symlink", "link", "chmod",
        "utime", "readlink", "AF_INET", "AF_UNIX", "socketpair", "exec", "posix_spawn", "subprocess",
        "kill of the parent", "kill, raw", "tgkill of the parent", "pipe", "memfd", "executable memory",
        "executable memory, raw", "fork, raw", "be traced", "limits of the parent",
    )
} | {
    f"Landlock: {name}": BY_LANDLOCK[name]
    for name in ("read /etc/passwd", "read a file beside a named one", "list /", "environment of the parent")
}  # fmt: skip
