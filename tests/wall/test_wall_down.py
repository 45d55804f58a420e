"""If the interpreter erred: a program that is run as Python itself reads, writes, starts and reaches nothing.

The interpreter's wall is taken down in a build for these tests, in which a spec is handed to Python as it is. What is
left is the second wall: the process that the command keeps around every spec.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.wall.child import FORKS
from gradcli.wall.kernel import available
from tests.rings import sampled

from ..cli.invoke import environment

WALLS = available()
pytestmark = pytest.mark.skipif(
    not FORKS or WALLS.seccomp is None, reason=f"the kernel has no walls here: {WALLS.describe()}"
)
reading = pytest.mark.skipif(WALLS.landlock is None, reason=f"files can be read here: {WALLS.describe()}")

DOWN = """
import sys
from gradcli.spec.program import Program

def compiled(self, machine):
    names = {"print": lambda *words: machine.write(" ".join(map(str, words)) + "\\n")}
    code = compile(self.spec.source.text, "spec.py", "exec")
    return lambda: exec(code, names)

Program._compiled = compiled
"""
BUILD = (
    DOWN
    + """
from gradcli.cli.commands import run
from gradcli.cli.process import leave
leave(run(sys.argv[1:]))
"""
)
SECRET = "9f4c3a"

# Each says REACHED where it comes through.
WRITING = {
    "a file beside it": "open('made', 'w')\nprint('REACHED')",
    "a temporary file": "open('/tmp/gradcli-made', 'w')\nprint('REACHED')",
    "its own text": "open('spec.py', 'a')\nprint('REACHED')",
    "a directory": "import os\nos.mkdir('made')\nprint('REACHED')",
    "a link": "import os\nos.symlink('/etc/passwd', 'made')\nprint('REACHED')",
    "a hard link": "import os\nos.link('canary', 'made')\nprint('REACHED')",
    "a pipe": "import os\nos.mkfifo('made')\nprint('REACHED')",
    "a removal": "import os\nos.unlink('canary')\nprint('REACHED')",
    "another name": "import os\nos.rename('canary', 'made')\nprint('REACHED')",
    "other rights": "import os\nos.chmod('canary', 0o777)\nprint('REACHED')",
    "a shorter file": "import os\nos.truncate('canary', 0)\nprint('REACHED')",
    "other times": "import os\nos.utime('canary', (1, 1))\nprint('REACHED')",
    "memory that is a file": "import os\nos.memfd_create('x')\nprint('REACHED')",
    "by the system itself": (
        "import ctypes\nn = ctypes.CDLL(None).open(b'made', 0o101, 0o666)\nprint('REACHED' if n >= 0 else n)"
    ),
    "by a library": "import sqlite3\nc = sqlite3.connect('made')\nc.execute('create table t (x)')\nprint('REACHED')",
    "by numpy": "import numpy as np\nnp.save('made', np.ones(3))\nprint('REACHED')",
    "the memory of its parent": "import os\nopen(f'/proc/{os.getppid()}/mem', 'r+b')\nprint('REACHED')",
}
STARTING = {
    "a shell": "import os\nprint('REACHED' if os.system('echo REACHED > made') == 0 else 'no')",
    "a process": "import subprocess\nsubprocess.run(['true'])\nprint('REACHED')",
    "a copy of itself": "import os\nos.fork()\nprint('REACHED')",
    "another program": "import os\nos.execv('/bin/true', ['true'])\nprint('REACHED')",
    "by posix_spawn": "import os\nos.posix_spawn('/bin/true', ['true'], {})\nprint('REACHED')",
    "by multiprocessing": "import multiprocessing as m\np = m.Process(target=print)\np.start()\nprint('REACHED')",
    "the end of its parent": "import os, signal\nos.kill(os.getppid(), signal.SIGTERM)\nprint('REACHED')",
    "the end of its group": "import os, signal\nos.killpg(0, signal.SIGTERM)\nprint('REACHED')",
    "a look into its parent": (
        "import ctypes, os\nn = ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)\nprint('REACHED' if n == 0 else n)"
    ),
    "a session of its own": "import os\nos.setsid()\nprint('REACHED')",
    "other limits": (
        "import resource as r\nr.setrlimit(r.RLIMIT_CPU, (r.RLIM_INFINITY, r.RLIM_INFINITY))\nprint('REACHED')"
    ),
    "a namespace": "import ctypes\nn = ctypes.CDLL(None).unshare(0x10000000)\nprint('REACHED' if n == 0 else n)",
}
SPEAKING = {
    "the network": "import socket\nsocket.socket()\nprint('REACHED')",
    "a datagram": "import socket\nsocket.socket(type=socket.SOCK_DGRAM)\nprint('REACHED')",
    "a local socket": "import socket\nsocket.socket(socket.AF_UNIX)\nprint('REACHED')",
    "a pair of sockets": "import socket\nsocket.socketpair()\nprint('REACHED')",
    "a name": "import socket\nsocket.create_connection(('localhost', 80))\nprint('REACHED')",
    "the terminal": "import os\nos.open('/dev/tty', os.O_RDWR)\nprint('REACHED')",
}
READING = {
    "accounts": "print('REACHED', open('/etc/passwd').read())",
    "what lies beside it": "print('REACHED', open('canary').read())",
    "its own text": "print('REACHED', open('spec.py').read())",
    "a folder": "import os\nprint('REACHED', os.listdir('.'))",
    "the home": "import os\nprint('REACHED', os.listdir('/root'))",
    "the environment of its parent": "import os\nprint('REACHED', open(f'/proc/{os.getppid()}/environ').read())",
    "what its parent was called with": "import os\nprint('REACHED', open(f'/proc/{os.getppid()}/cmdline').read())",
    "by the system itself": (
        "import ctypes\nn = ctypes.CDLL(None).open(b'canary', 0)\nprint('REACHED' if n >= 0 else n)"
    ),
    "by a map of a file": "import mmap\nf = open('canary')\nprint('REACHED', mmap.mmap(f.fileno(), 0, prot=1)[:9])",
    "by numpy": "import numpy as np\nprint('REACHED', np.fromfile('canary'))",
}


def folder(path: Path, text: str) -> Path:
    (path / "canary").write_text(SECRET)
    (path / "spec.py").write_text(text)
    return path


def state(path: Path) -> dict[str, tuple[str, int, float]]:
    return {p.name: (p.read_text(), p.stat().st_mode, p.stat().st_mtime) for p in path.iterdir()}


def run(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in the build without the interpreter's wall."""
    return subprocess.run(
        [sys.executable, "-c", BUILD, *words, "spec.py"], capture_output=True, text=True, cwd=path, timeout=600,
        env=environment(SECRET_OF_TESTS=SECRET), start_new_session=True, check=False,
    )  # fmt: skip


def test_the_interpreter_s_wall_is_down_in_this_build(tmp_path: Path) -> None:
    folder(tmp_path, "import os, sys\nprint(os.getcwd() != '', ().__class__.__base__.__subclasses__() != [])")
    assert run(tmp_path, "run").stdout == "True True\n"
    # And without the kernel's wall it reaches all that this test may.
    folder(tmp_path, "print('REACHED', open('canary').read())")
    assert run(tmp_path, "run", "--no-wall").stdout == f"REACHED {SECRET}\n"


ALL = [
    *(pytest.param(text, id=f"it writes {name}") for name, text in WRITING.items()),
    *(pytest.param(text, id=f"it starts {name}") for name, text in STARTING.items()),
    *(pytest.param(text, id=f"it speaks to {name}") for name, text in SPEAKING.items()),
    *(pytest.param(text, id=f"it reads {name}", marks=reading) for name, text in READING.items()),
]


@sampled(4)
@pytest.mark.parametrize("text", ALL)
def test_nothing_is_reached(text: str, tmp_path: Path) -> None:
    before = state(folder(tmp_path, text))
    done = run(tmp_path, "run")
    assert "REACHED" not in done.stdout + done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert done.returncode in (0, 1, 2, 3)
    assert state(tmp_path) == before
    assert not Path("/tmp/gradcli-made").exists()


@pytest.mark.parametrize("command", ["check", "trace", "export-dot"])
def test_no_command_is_without_the_wall(command: str, tmp_path: Path) -> None:
    before = state(folder(tmp_path, WRITING["a file beside it"]))
    done = run(tmp_path, command)
    assert done.returncode in (2, 3)
    assert state(tmp_path) == before


@reading
def test_several_specs_at_a_time_are_not_without_it(tmp_path: Path) -> None:
    text = "raise ValueError(open('canary').read())"
    folder(tmp_path, text)
    (tmp_path / "other.py").write_text(text)
    before = state(tmp_path)
    done = run(tmp_path, "check", "other.py", "--jobs", "2")
    assert "PermissionError" in done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert state(tmp_path) == before


@reading
def test_pytest_s_plugin_is_not_without_it(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "spec.py").write_text("raise ValueError(open('canary').read())")
    (tmp_path / "canary").write_text(SECRET)
    (tmp_path / "conftest.py").write_text(DOWN)
    (tmp_path / "pytest.ini").write_text("[pytest]\ngradcli_paths = specs\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"], capture_output=True, text=True, cwd=tmp_path,
        env=environment(), timeout=600, check=False,
    )  # fmt: skip
    assert "PermissionError" in done.stdout
    assert SECRET not in done.stdout + done.stderr


@reading
def test_what_was_named_is_read_and_nothing_else(tmp_path: Path) -> None:
    folder(tmp_path, "import numpy as np\nprint(np.load('named.npy').sum())\nprint('REACHED', open('other.npy'))")
    import numpy as np

    np.save(tmp_path / "named.npy", np.ones(3))
    np.save(tmp_path / "other.npy", np.ones(3))
    done = subprocess.run(
        [sys.executable, "-c", BUILD, "run", "spec.py", "x=@named.npy"], capture_output=True, text=True, cwd=tmp_path,
        env=environment(), timeout=600, check=False,
    )  # fmt: skip
    assert done.stdout == "3.0\n"


def test_the_environment_is_empty(tmp_path: Path) -> None:
    folder(tmp_path, "import os\nprint(dict(os.environ))")
    assert run(tmp_path, "run").stdout == "{}\n"
    folder(tmp_path, "import os\nprint(sorted(os.listdir('/proc/self/fd')) if os.path.isdir('/proc/self/fd') else 0)")
    assert "canary" not in run(tmp_path, "run").stdout


def test_a_crash_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    folder(tmp_path, "import ctypes\nctypes.string_at(0)")
    done = run(tmp_path, "run")
    assert done.returncode == 2
    assert "error[E411]: the process that ran the program ended in the middle of it: SIGSEGV" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["canary", "spec.py"]
