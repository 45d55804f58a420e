"""Specs from strangers: each ends as it must, quickly, with one diagnostic, and touches nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.invoke import gradcli
from tests.rings import sampled

CASES = json.loads(Path(__file__).with_name("hostile.json").read_text())
SECONDS = 0.5


def text_of(case: dict[str, Any]) -> str:
    return case["spec"] if "spec" in case else "".join(text * count for text, count in case["parts"])


def outcome(arguments: list[str], stdin: str, folder: Path) -> tuple[int, str, str, float]:
    """What ``gradcli run`` gives for arguments: exit code, both streams, seconds on the processor."""
    words = ["run", *arguments, "--timeout", str(SECONDS)]
    done = gradcli(*words, cwd=folder, input=stdin, errors="replace")
    return done.returncode, done.stdout, done.stderr, done.seconds


@sampled(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_hostile_spec_ends_as_it_must(case: dict[str, Any], tmp_path: Path) -> None:
    data = text_of(case).encode("utf-8", "surrogatepass")
    path = tmp_path / "spec.py"
    path.write_bytes(data)
    code, out, err, seconds = outcome([str(path)], "", tmp_path)
    assert code in case["codes"], err
    # The child's, with what it may take to its end, and what its parent needs beside it.
    assert seconds < SECONDS + 5
    assert "Traceback" not in err
    assert not [text for text in case.get("absent", []) if text in out]
    assert not [line for line in out.splitlines() if line.startswith(tuple(case.get("starts", ["\0"])))]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["spec.py"]
    if code == 2:
        place = re.search(r"spec\.py:(\d+):(\d+): error\[[A-Z]\d+\]: ", err)
        assert place, err
        assert len(re.findall(r"error\[", err)) == 1
        if "lines" in case:
            assert int(place[1]) in case["lines"]
        if "columns" in case and int(place[1]) == case["lines"][0]:
            first, last = case["columns"]
            assert first <= int(place[2]) <= (last or 10**6)


# Of one argument a system takes no more than this, and no NUL in it.
GIVEN = [c for c in CASES if "\0" not in text_of(c) and len(text_of(c).encode("utf-8", "surrogatepass")) < 2**17]


@pytest.mark.parametrize("case", GIVEN[::9], ids=lambda case: case["id"])
def test_it_ends_so_from_standard_input_and_as_an_argument(case: dict[str, Any], tmp_path: Path) -> None:
    text = text_of(case)
    for arguments, stdin in ((["-"], text), (["-e", text], "")):
        code, _, err, _ = outcome(arguments, stdin, tmp_path)
        assert code in case["codes"], err
        assert "Traceback" not in err
