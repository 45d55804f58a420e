"""What the audit hook ends a process for, by the event that it is told as."""

from __future__ import annotations

import ctypes
import gc
import glob
import io
import marshal
import mmap
import os
import pickle
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable
from pathlib import Path

CODE = compile("1", "<text>", "eval")
CODE_DATA = marshal.dumps(CODE)
PICKLED = b"cbuiltins\nlen\n."

EVENTS: dict[str, tuple[str, Callable[[], object]]] = {
    "write": ("open", lambda: Path("new.txt").write_text("x")),
    "append": ("open", lambda: io.FileIO("named.txt", "a")),
    "write and read": ("open", lambda: io.FileIO("named.txt", "r+")),
    "create": ("open", lambda: io.FileIO("given/new.txt", "x")),
    "os.open to write": ("open", lambda: os.open("named.txt", os.O_WRONLY)),
    "os.open to truncate": ("open", lambda: os.open("named.txt", os.O_RDONLY | os.O_TRUNC)),
    "os.open to make": ("open", lambda: os.open("made", os.O_CREAT)),
    "read": ("open", lambda: Path("secret.txt").read_text()),
    "read as bytes": ("open", lambda: io.FileIO(b"secret.txt")),
    "read the system's": ("open", lambda: Path("/etc/passwd").read_text()),
    "read through a link": ("open", lambda: Path("link.txt").read_text()),
    "read through ..": ("open", lambda: Path("given/../secret.txt").read_text()),
    "read beside what is readable": ("open", lambda: Path("given.txt").read_text()),
    "read memory": ("open", lambda: io.FileIO("/proc/self/mem")),
    "list": ("os.listdir", os.listdir),
    "scan": ("os.scandir", lambda: os.scandir(".")),
    "walk": ("os.walk", lambda: list(os.walk("."))),
    "glob": ("glob.glob", lambda: glob.glob("*")),
    "remove": ("os.remove", lambda: os.unlink("secret.txt")),
    "rename": ("os.rename", lambda: os.rename("secret.txt", "x")),
    "mkdir": ("os.mkdir", lambda: os.mkdir("made")),
    "rmdir": ("os.rmdir", lambda: os.rmdir("empty")),
    "link": ("os.link", lambda: os.link("secret.txt", "x")),
    "symlink": ("os.symlink", lambda: os.symlink("secret.txt", "x")),
    "chmod": ("os.chmod", lambda: os.chmod("secret.txt", 0o777)),
    "truncate": ("os.truncate", lambda: os.truncate("secret.txt", 0)),
    "utime": ("os.utime", lambda: os.utime("secret.txt")),
    "chdir": ("os.chdir", lambda: os.chdir("/")),
    "copy": ("shutil.copyfile", lambda: shutil.copyfile("named.txt", "x")),
    "rmtree": ("shutil.rmtree", lambda: shutil.rmtree("given")),
    "temporary": ("tempfile.mkstemp", tempfile.mkstemp),
    "system": ("os.system", lambda: os.system("true")),
    "exec": ("os.exec", lambda: os.execv("/bin/true", ["true"])),
    "spawn": ("os.posix_spawn", lambda: os.posix_spawn("/bin/true", ["true"], {})),
    "fork": ("os.fork", os.fork),
    "subprocess": ("subprocess.Popen", lambda: subprocess.run(["true"], check=True)),
    "kill": ("os.kill", lambda: os.kill(os.getppid(), 0)),
    "kill a thread": ("signal.pthread_kill", lambda: signal.pthread_kill(0, 0)),
    "socket": ("socket.__new__", socket.socket),
    "name server": ("socket.getaddrinfo", lambda: socket.getaddrinfo("localhost", 80)),
    "database": ("sqlite3.connect", lambda: sqlite3.connect("x")),
    "map": ("mmap.__new__", lambda: mmap.mmap(-1, 10)),
    "a library": ("ctypes.dlopen", lambda: ctypes.CDLL("libc.so.6")),
    "a function of C": ("ctypes.dlsym", lambda: ctypes.CDLL(None).getpid()),
    "memory": ("ctypes.string_at", lambda: ctypes.string_at(id(CODE), 8)),
    "memory to write": ("ctypes.cdata", lambda: (ctypes.c_char * 8).from_address(id(CODE))),
    "eval of text": ("compile", lambda: eval("1")),
    "eval of code": ("exec", lambda: eval(CODE)),
    "exec of text": ("compile", lambda: exec("1")),
    "compile": ("compile", lambda: compile("1", "<frozen importlib._bootstrap>", "eval")),
    "a function": ("function.__new__", lambda: types.FunctionType(CODE, {})),
    "marshal": ("marshal.loads", lambda: marshal.loads(CODE_DATA)),
    "pickle": ("pickle.find_class", lambda: pickle.loads(PICKLED)),
    "another hook": ("sys.addaudithook", lambda: sys.addaudithook(lambda *_: None)),
    "a silent module": ("import", lambda: __import__("_testcapi")),
    "a module of the current directory": ("open", lambda: (sys.path.insert(0, os.getcwd()), __import__("module_here"))),
}


def silent_start() -> object:
    import _posixsubprocess

    return [subprocess._fork_exec, _posixsubprocess.fork_exec][0]()  # type: ignore[attr-defined]


HARMLESS: dict[str, Callable[[], object]] = {
    "read what is named": lambda: Path("named.txt").read_text(),
    "read below what is named": lambda: Path("given/inner.txt").read_text(),
    "list what is named": lambda: os.listdir("given"),
    "an open file": lambda: os.fdopen(os.dup(0), "rb").close(),
    "write to what is open": lambda: os.fdopen(os.dup(1), "wb").close(),
    "a silent start": silent_start,
    "what gc sees": lambda: len(gc.get_objects()) > 0,
}
CASES = {**{name: case for name, (_, case) in EVENTS.items()}, **HARMLESS}
