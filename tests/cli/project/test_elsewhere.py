"""Specs that are checked by an executor: the same report byte for byte, and nothing lost with a worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.invoke import COMMAND, environment, gradcli

POOLS = """
import multiprocessing, os, signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

def forks():
    return ProcessPoolExecutor(2)

def threads():
    return ThreadPoolExecutor(2)

def nothing():
    return 3

def stops():
    raise RuntimeError("no licence")

def dying(path, act, *given):
    # The first spec takes its worker with it, as often as there are letters in the file.
    times = len(open(path).read())
    if times and given[0].name.endswith("s1.py"):
        open(path, "w").write("x" * (times - 1))
        os.kill(os.getpid(), signal.SIGKILL)
    return act(*given)

class Lossy(ProcessPoolExecutor):
    def submit(self, act, *given):
        return super().submit(partial(dying, "times", act), *given)

def lossy():
    return Lossy(1)
"""
WRONG = """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x.detach()
    @staticmethod
    def backward(ctx, g):
        return 3 * g
x = torch.tensor([2.0, 3.0], requires_grad=True)
F.apply(x).sum().backward()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pools.py").write_text(POOLS)
    (tmp_path / "broken.py").write_text("1 / 0\n")
    specs = tmp_path / "specs"
    specs.mkdir()
    for i in range(4):
        (specs / f"s{i}.py").write_text(f"x = torch.tensor([{i}.5], requires_grad=True)\ny = (x ** {i + 1}).sum()\n")
    (specs / "wrong.py").write_text(WRONG)
    (specs / "broken.py").write_text("x = 1 +\n")
    return tmp_path


def report(folder: Path, *options: str) -> tuple[int, str, str]:
    done = gradcli("check", "specs", "--format", "json", *options, cwd=folder)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("pool", ["forks", "threads"])
def test_the_report_is_the_same(folder: Path, pool: str) -> None:
    assert report(folder, "--executor", f"pools:{pool}") == report(folder)


@pytest.mark.parametrize("times", [1, 2])
def test_what_a_lost_worker_had_is_checked_again(folder: Path, times: int) -> None:
    (folder / "times").write_text("x" * times)
    assert report(folder, "--executor", "pools:lossy") == report(folder)


def test_a_spec_that_always_takes_its_worker_is_told(folder: Path) -> None:
    (folder / "times").write_text("x" * 9)
    code, out, _ = report(folder, "--executor", "pools:lossy")
    assert code == 1
    assert "the worker that checked it was lost, 3 times in a row" in out
    assert out.count("E411") == 1
    assert '"spec": "specs/s2.py"' in out


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("pools:nothing", "--executor pools:nothing gives no executor: int has no submit()"),
        ("pools:other", "--executor pools:other: module 'pools' has no attribute 'other'"),
        ("no_such_module:x", "--executor no_such_module:x: No module named 'no_such_module'"),
        (".", "--executor '.' is not of the form pkg.mod:name"),
        ("broken:x", "--executor broken:x: ZeroDivisionError: division by zero"),
        ("pools:stops", "--executor pools:stops stops: RuntimeError: no licence"),
    ],
)
def test_what_is_no_executor_is_refused(folder: Path, target: str, words: str) -> None:
    code, out, err = report(folder, "--executor", target)
    assert (code, out) == (2, "")
    assert f"error[E503]: {words}\n" in err


def test_settings_name_no_executor(folder: Path) -> None:
    (folder / "gradcli.toml").write_text('executor = "pools:forks"\n')
    assert report(folder)[0] == 2


# -- Dask ----------------------------------------------------------------------------------------

HAS_DASK = find_spec("distributed") is not None
needs_dask = pytest.mark.skipif(not HAS_DASK, reason="Dask is not installed: pip install distributed")


def test_dask_is_asked_for_by_name(folder: Path) -> None:
    code, _, err = report(folder, "--cluster", "tcp://127.0.0.1:1")
    assert code == 2
    if not HAS_DASK:
        assert '--cluster needs Dask, which is not installed\n  = help: pip install "gradcli[dask]"' in err
    else:
        assert "there is no Dask scheduler at tcp://127.0.0.1:1" in err


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """A scheduler of Dask with two workers on this machine: its address, and their processes."""
    text = (
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host='127.0.0.1') as c:\n"
        "        from distributed import Client\n"
        "        with Client(c.scheduler_address) as client:\n"
        "            import os\n"
        "            pids = list(client.run(os.getpid).values())\n"
        "        print(c.scheduler_address, *pids, flush=True)\n"
        "        input()\n"
    )
    path = folder / "scheduler.py"
    path.write_text(text)
    process = subprocess.Popen(
        [sys.executable, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address, *pids = process.stdout.readline().split()
        yield address, [*map(int, pids)]
    finally:
        process.stdin.close()
        process.wait(60)


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_workers_of_dask(folder: Path) -> None:
    for i in range(30):
        text = f"x = torch.tensor([{i}.5], requires_grad=True)\ny = x.sin().sum()\n"
        (folder / "specs" / f"t{i}.py").write_text(text)
    alone = report(folder)
    with scheduler(folder) as (address, pids):
        assert report(folder, "--cluster", address) == alone
        words = [*COMMAND, "check", "specs", "--format", "json", "--cluster", address]
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment()
        )
        os.kill(pids[0], signal.SIGKILL)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err) == alone
