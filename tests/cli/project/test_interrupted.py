"""A check that is interrupted, or that cannot write: what is done is told all the same, with what is missing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradcli.report.formats import FORMATS
from tests.rings import long

from ...report.findings import CUBE
from ..invoke import COMMAND, environment, gradcli

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")

SLOW = "while True: pass\n"
# It ends by its time, on a fast machine too.
AT_LENGTH = ("--timeout", "60", "--max-steps", "10000000000")


def specs(place: Path) -> None:
    (place / "specs").mkdir()
    (place / "specs" / "a.py").write_text(CUBE)
    (place / "specs" / "b.py").write_text(CUBE)
    (place / "specs" / "c.py").write_text(SLOW)
    (place / "specs" / "d.py").write_text(CUBE)


def interrupted(place: Path, number: int, *words: str) -> tuple[int, str, str]:
    """Wait until two specs were told of, and send a signal."""
    command = [*COMMAND, "check", "specs", *AT_LENGTH, *words]
    started = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place, env=environment()
    )
    assert started.stdout is not None
    seen = ""
    while seen.count("help: gradcli explain G101") < 2:
        seen += started.stdout.readline()
    started.send_signal(number)
    out, err = started.communicate(timeout=120)
    return started.returncode, seen + out, err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_is_done_is_told_in_every_format(number: int, code: int, tmp_path: Path) -> None:
    specs(tmp_path)
    reports = [word for form in FORMATS for word in ("--report", f"{form}:{form}.out")]
    found, out, err = interrupted(tmp_path, number, *reports)
    assert (found, err) == (code, "")
    assert out.splitlines()[-1].startswith("2 wrong, 0 right in ")
    assert out.splitlines()[-1].endswith("; interrupted after 2 of 4 specs: 2 specs not checked")
    for form in FORMATS:
        text = (tmp_path / f"{form}.out").read_text()
        assert "b.py" in text or form == "record", form
        if form not in ("json", "jsonl", "durations", "record"):
            assert "interrupted after 2 of 4 specs: 2 specs not checked" in text.replace("\\", ""), form
    data = json.loads((tmp_path / "json.out").read_text())
    assert (data["passed"], data["missing"]) == (False, {"specs": 2, "why": "interrupted after 2 of 4 specs"})


@long("it takes a second or more")
@pytest.mark.skipif(sys.platform != "linux", reason="children are found in /proc")
def test_what_is_done_behind_a_slow_one_is_told_too(tmp_path: Path) -> None:
    specs(tmp_path)
    (tmp_path / "specs" / "a.py").write_text(SLOW)
    (tmp_path / "specs" / "c.py").write_text(CUBE)
    command = [*COMMAND, "check", "specs", *AT_LENGTH, "--jobs", "2", "--format", "json"]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment())
    children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
    # Where one of two processes has been alone for so long, the others are done.
    since = time.monotonic()
    while time.monotonic() - since < 4:
        if len(children.read_text().split()) != 1:
            since = time.monotonic()
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    out, _ = started.communicate(timeout=120)
    assert started.returncode == 130
    data = json.loads(out)
    assert [result["spec"] for result in data["results"]] == ["specs/b.py", "specs/c.py", "specs/d.py"]
    assert data["missing"]["specs"] == 1


def test_one_report_that_cannot_be_written_costs_no_other(tmp_path: Path) -> None:
    specs(tmp_path)
    (tmp_path / "specs" / "c.py").unlink()
    words = ("check", "specs", "--report", "json:/dev/full", "--report", "junit:junit.xml")
    done = gradcli(*words, cwd=tmp_path)
    assert done.returncode == 3
    assert done.stderr.startswith("error[E506]: '/dev/full' could not be written: no space left on device")
    assert (tmp_path / "junit.xml").read_text().startswith("<?xml")
    assert done.stdout.splitlines()[-1].startswith("3 wrong, 0 right in ")


def test_what_passes_and_cannot_be_told_is_no_success(tmp_path: Path) -> None:
    command = [*COMMAND, "check", "x * x", "x=2", "--report", "json:report.json"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, env=environment())
    assert done.returncode == 3
    assert done.stderr.count(b"error[E506]") == 1
    assert json.loads((tmp_path / "report.json").read_text())["passed"] is True


@pytest.mark.skipif(sys.platform != "linux", reason="children are found in /proc")
def test_a_worker_that_is_killed_is_tried_once_more(tmp_path: Path) -> None:
    slow = CUBE + "for i in range(1_000_000): pass\n"
    (tmp_path / "a.py").write_text(slow)
    for kills, code in ((1, 1), (2, 2)):
        command = [*COMMAND, "check", "a.py", "--timeout", "60"]
        started = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment()
        )
        killed: set[str] = set()
        children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
        while len(killed) < kills and started.poll() is None:
            for child in set(children.read_text().split()) - killed:
                time.sleep(0.05)
                os.kill(int(child), signal.SIGKILL)
                killed.add(child)
            time.sleep(0.01)
        out, err = started.communicate(timeout=120)
        assert started.returncode == code, out + err
        assert ("G101" in out) == (kills == 1)
    assert "note: so it did twice, the second time alone" in err
