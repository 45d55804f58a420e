"""The kernel's walls: what a process behind them cannot do, and what it goes on to do."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("the walls are Linux's", allow_module_level=True)

from gradcli.wall import kernel
from gradcli.wall.kernel import Walls
from tests.rings import sampled

from . import attacks, work
from .asking import ROOT, given, python

HERE = kernel.available()

needs_seccomp = pytest.mark.skipif(not HERE.seccomp, reason=f"no seccomp: {HERE.describe()}")
needs_landlock = pytest.mark.skipif(not HERE.landlock, reason=f"no Landlock: {HERE.describe()}")


@needs_seccomp
@pytest.mark.parametrize("name", attacks.BY_SECCOMP)
def test_what_seccomp_refuses(name: str) -> None:
    assert given("attacks")[name] == "EPERM"


@sampled(4)
@needs_seccomp
@pytest.mark.parametrize("name", attacks.BY_SECCOMP)
def test_what_seccomp_refuses_without_landlock(name: str) -> None:
    assert given("attacks", "BY_SECCOMP", "seccomp")[name] == "EPERM"


@needs_seccomp
def test_calls_without_python() -> None:
    answers = json.loads(given("attacks")["raw"])
    assert answers == dict.fromkeys(attacks.RAW, "EPERM")
    assert len(answers) > 120


@needs_seccomp
@pytest.mark.parametrize("name", attacks.OTHERWISE)
def test_what_is_said_not_to_be_there(name: str) -> None:
    assert given("attacks")[name] == attacks.OTHERWISE[name][0]


@needs_seccomp
@pytest.mark.parametrize("name", attacks.THREADED)
def test_threads_are_behind_the_wall(name: str) -> None:
    assert given("attacks")[f"thread: {name}"] == "EPERM"


@needs_seccomp
@pytest.mark.skipif(attacks.COLUMN != 0, reason="x86-64 alone has two other conventions")
@pytest.mark.parametrize("name", attacks.X86_CODE)
def test_other_conventions_end_the_process(name: str) -> None:
    assert given("attacks")[name] == "ended by SIGSYS"


@needs_landlock
@pytest.mark.parametrize("name", attacks.BY_LANDLOCK)
def test_what_landlock_refuses(name: str) -> None:
    assert given("attacks")[f"Landlock: {name}"] == "EACCES"


@needs_landlock
@pytest.mark.parametrize("name", attacks.BY_LANDLOCK_ALONE)
def test_what_landlock_refuses_without_seccomp(name: str) -> None:
    since, expected, _ = attacks.BY_LANDLOCK_ALONE[name]
    if (HERE.landlock or 0) < since:
        pytest.skip(f"Landlock {HERE.landlock}: it came with {since}")
    assert given("attacks", "ALONE", "landlock")[name] == expected


@sampled(4)
@needs_landlock
@pytest.mark.parametrize("version", range(1, (HERE.landlock or 0) + 1))
def test_an_older_landlock_refuses_what_it_knows(version: int) -> None:
    answers = given("attacks", "ALONE", str(version))
    for name, (since, expected, _) in attacks.BY_LANDLOCK_ALONE.items():
        assert answers[name] == expected or since > version, name


@needs_seccomp
@pytest.mark.parametrize("table", ["CASES", "BY_SECCOMP"])
def test_nothing_is_changed(table: str) -> None:
    assert given("attacks", table, "all" if table == "CASES" else "seccomp")["unchanged"] == "True"


# Without walls, the attacks that do no harm work: it is the wall that refuses them.
@pytest.mark.parametrize("name", attacks.HARMLESS)
def test_without_walls_they_work(name: str) -> None:
    assert given("attacks", "HARMLESS", "none")[name] not in ("EPERM", "EACCES")


@pytest.mark.parametrize("name", work.CASES)
def test_work_goes_on(name: str) -> None:
    if name in work.BY_LANDLOCK and not HERE.landlock:
        pytest.skip(f"no Landlock: {HERE.describe()}")
    ended = {"abort": "ended by SIGABRT", "fault": "ended by SIGSEGV"}
    assert given("work")[name] == ended.get(name, "None")


@pytest.mark.parametrize(
    ("walls", "line"),
    [
        (Walls(True, 7, "x86-64"), "no_new_privs, landlock 7, seccomp (x86-64)"),
        (
            Walls(True, None, "aarch64", ("landlock: not offered by this kernel",)),
            "no_new_privs, seccomp (aarch64); landlock: not offered by this kernel",
        ),
        (Walls(missing=("not Linux",)), "none; not Linux"),
    ],
)
def test_walls_are_told_in_a_line(walls: Walls, line: str) -> None:
    assert walls.describe() == line


def test_what_is_told_beforehand_is_what_is_done() -> None:
    done = python("from gradcli.wall import kernel\nprint(kernel.available() == kernel.confine())")
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_asking_changes_nothing(tmp_path: Path) -> None:
    program = (
        "import subprocess, sys\nfrom gradcli.wall import kernel\nkernel.available()\nopen('made', 'w').close()\n"
        "subprocess.run([sys.executable, '-c', 'print(True)'], check=True)\n"
        "print(open('/proc/self/environ').read() > '')"
    )
    done = python(program, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("True\nTrue\n", "")
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("sys.platform = 'darwin'", "none; not Linux"),
        ("kernel.MACHINES = {}", f"none; no filter for this machine ({os.uname().machine})"),
        ("sys.modules['ctypes'] = None", "none; this Python was built without ctypes"),
    ],
)
def test_where_nothing_can_be_done_nothing_is_raised(change: str, line: str) -> None:
    program = f"import sys\nfrom gradcli.wall import kernel\n{change}\n"
    program += "kernel.prepare()\nkernel.die_with_parent(0)\n"
    program += "print(kernel.available().describe())\nprint(kernel.confine().describe())"
    done = python(program)
    assert (done.stdout, done.stderr) == (f"{line}\n{line}\n", "")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("ENOSYS", "not offered by this kernel"),
        ("EOPNOTSUPP", "switched off on this machine"),
        ("EPERM", "refused here (Operation not permitted)"),
    ],
)
def test_a_kernel_that_refuses_is_told_of(error: str, reason: str) -> None:
    program = (
        "import errno\nfrom gradcli.wall import kernel, system\n"
        f"system.System.call = lambda *_: -errno.{error}\n"
        "print(kernel.available() == kernel.confine(), kernel.confine().describe())"
    )
    missing = "; ".join(f"{wall}: {reason}" for wall in ("no_new_privs", "landlock", "seccomp"))
    assert python(program).stdout == f"True none; {missing}\n"


@needs_seccomp
def test_walls_may_be_raised_twice() -> None:
    done = python("from gradcli.wall import kernel\nkernel.confine()\nprint(kernel.confine().describe())")
    assert done.stdout.startswith("none; no_new_privs: refused here (Operation not permitted)")
    assert done.stderr == ""


DIES = """
import os, signal, sys, time
from gradcli.wall import kernel
reading, writing = os.pipe()
parent = os.getpid()
child = os.fork()
if not child:
    kernel.die_with_parent(parent)
    {confine}
    os.write(writing, b"ready")
    time.sleep(600)
    os._exit(0)
os.read(reading, 5)
print(child, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@pytest.mark.skipif(not HERE.no_new_privs, reason=HERE.describe())
@pytest.mark.parametrize("confine", ["", "kernel.confine()"])
def test_a_child_ends_with_its_parent(confine: str) -> None:
    done = python(DIES.format(confine=confine))
    child = int(done.stdout)
    end = time.monotonic() + 120
    while is_running(child) and time.monotonic() < end:
        time.sleep(0.01)
    assert not is_running(child)


@pytest.mark.skipif(not HERE.no_new_privs, reason=HERE.describe())
def test_a_child_whose_parent_is_gone_ends_at_once() -> None:
    done = python("from gradcli.wall import kernel\nkernel.die_with_parent(1)\nprint('still here')")
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "")


DRAWS = """
import os, sys
from gradcli.wall import kernel
kernel.confine(programs=[sys.argv[1]])
try:
    os.execv(sys.argv[1], sys.argv[1:])
except OSError as error:
    print(type(error).__name__)
"""
DOT = shutil.which("dot")
SHELL = "/bin/sh"
TRIES = {
    "write": "echo x > made",
    "read": "read line < secret.txt",
    "list": "set -- *; test $# -gt 1",
    "remove": "rm secret.txt",
    "make": "mkdir made",
    "environment": ': < "/proc/$PPID/environ"',
    "kill": "kill -0 $PPID",
}


@pytest.mark.skipif(DOT is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_graphviz_draws_behind_the_wall(form: str) -> None:
    words = [sys.executable, "-c", DRAWS, str(DOT), f"-T{form}"]
    graph = b'digraph { a [label="\xc3\xa4 \xe2\x88\x82 text" fontname="Helvetica"]; a -> b }'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, input=graph, capture_output=True, cwd=ROOT, timeout=600, env=environment)
    plain = subprocess.run([str(DOT), f"-T{form}"], input=graph, capture_output=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, plain.stderr)
    assert len(done.stdout) == len(plain.stdout)


@pytest.mark.skipif(DOT is None, reason="Graphviz is not installed")
def test_graphviz_does_not_write_behind_the_wall(tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.svg"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", DRAWS, str(DOT), "-Tsvg", "-o", str(drawn)]
    done = subprocess.run(words, input=b"graph {}", capture_output=True, timeout=600, env=environment)
    assert done.returncode
    assert not drawn.exists()


@needs_seccomp
@needs_landlock
@pytest.mark.skipif(not os.path.exists(SHELL), reason="no shell")
@pytest.mark.parametrize("name", TRIES)
def test_a_program_behind_the_wall_does_no_more(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("a secret\n")
    (tmp_path / "other.txt").write_text("another\n")
    command = f"({TRIES[name]}) && echo done || echo failed"
    done = python(DRAWS, SHELL, "-c", command, cwd=tmp_path)
    assert done.stdout == "failed\n"
    assert sorted(os.listdir(tmp_path)) == ["other.txt", "secret.txt"]
    assert subprocess.run([SHELL, "-c", command], capture_output=True, cwd=tmp_path).stdout == b"done\n"


@needs_landlock
def test_a_program_that_is_elsewhere_is_not_run(tmp_path: Path) -> None:
    mine = tmp_path / "bin" / "mine"
    mine.parent.mkdir()
    mine.write_text("#!/bin/sh\necho ran\n")
    mine.chmod(0o755)
    confined = DRAWS.replace("programs=[sys.argv[1]]", "programs=['/usr/bin/true']")
    assert python(confined, str(mine)).stdout == "PermissionError\n"
    assert python(DRAWS, str(mine)).stdout == "ran\n"
