"""Parts of a check: they are divided by their times, and made one report again that is that of the whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from gradcli.cli.project.shards import part_of
from gradcli.report.check.outcome import Missing
from gradcli.report.check.record import Damaged, record, recorded
from gradcli.report.formats import FORMATS

from ...report.findings import CUBE, broken, outcome, refuted, right, wrong
from ...rings import examples
from ..invoke import gradcli

RIGHT = CUBE.replace("* 2 *", "* 3 * ctx.saved_tensors[0] *")
TEXTS = {"a.py": CUBE, "b.py": RIGHT, "c.py": "import os\n", "d.py": RIGHT, "e.py": "assert 1 == 2\n"}
MISSING = Missing(3, "stopped")
NAMES = st.dictionaries(st.text("abc", min_size=1), st.floats(0, 100), max_size=12)


@settings(max_examples=examples(200))
@given(NAMES, st.integers(1, 5))
def test_each_spec_is_in_one_part(seconds: dict[str, float], parts: int) -> None:
    for known in (None, seconds, {}):
        found = [part_of(seconds, part, parts, known) for part in range(1, parts + 1)]
        assert sorted(name for part in found for name in part) == sorted(seconds)


@settings(max_examples=examples(200))
@given(NAMES, st.integers(1, 5))
def test_no_part_is_much_longer(seconds: dict[str, float], parts: int) -> None:
    loads = [sum(seconds[name] for name in part_of(seconds, part, parts, seconds)) for part in range(1, parts + 1)]
    # The bound for the longest first: no part is longer than the mean and the longest spec together.
    assert max(loads) <= sum(loads) / parts + max(seconds.values(), default=0) + 1e-9


def test_a_record_holds_all_that_was_found() -> None:
    found = [outcome(right(), wrong()), broken(), refuted()]
    text = record(found, MISSING)
    back = recorded(text)
    assert record(back.outcomes, back.missing) == text
    assert back.missing == MISSING





@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:50], "is no record of a check"),
        (lambda text: text.replace('"version": "', '"version": "9'), "was written by gradcli 9"),
        (lambda text: text.replace('"body": "', '"body": "A'), "is damaged"),
        (lambda text: "[" * 100_000, "is no record of a check"),
    ],
)
def test_what_is_no_record_is_refused(change: object, said: str) -> None:
    with pytest.raises(Damaged, match=said):
        recorded(change(record([outcome(wrong())], MISSING)))  # type: ignore[operator]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "specs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "specs" / name).write_text(text)
    for part in (1, 2, 3):
        done = gradcli("check", "specs", "--shard", f"{part}/3", "--report", f"record:{part}.json", cwd=tmp_path)
        assert done.returncode in (0, 1, 2)
    return tmp_path


def test_the_report_of_the_parts_is_that_of_the_whole(project: Path) -> None:
    forms = [form for form in FORMATS if form not in ("durations", "record")]
    whole = [word for form in forms for word in ("--report", f"{form}:whole.{form}")]
    made = [word for form in forms for word in ("--report", f"{form}:made.{form}")]
    first = gradcli("check", "specs", *whole, cwd=project)
    second = gradcli("merge", "3.json", "1.json", "2.json", *made, cwd=project)
    assert (first.returncode, first.stderr) == (second.returncode, second.stderr) == (1, second.stderr)
    for form in forms:
        assert (project / f"whole.{form}").read_bytes() == (project / f"made.{form}").read_bytes(), form


def test_a_part_that_is_missing_is_no_success(project: Path) -> None:
    for name in ("a.py", "c.py", "e.py"):
        (project / "specs" / name).write_text(RIGHT)
    for part in (1, 2):
        gradcli("check", "specs", "--shard", f"{part}/2", "--report", f"record:{part}.json", cwd=project)
    done = gradcli("merge", "1.json", "--format", "json", cwd=project)
    data = json.loads(done.stdout)
    assert (done.returncode, data["passed"], data["missing"]["specs"]) == (2, False, 2)
    assert gradcli("merge", "1.json", "2.json", cwd=project).returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("1.json", "1.json"), "'specs/a.py' is in two of these records"),
        (("specs/a.py",), "'specs/a.py' is no record of a check"),
        (("nope.json",), "no such file: 'nope.json'"),
        ((), "there is no RECORD"),
    ],
)
def test_what_cannot_be_merged(words: tuple[str, ...], said: str, project: Path) -> None:
    done = gradcli("merge", *words, cwd=project)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_parts_are_divided_by_their_times(project: Path) -> None:
    gradcli("merge", "1.json", "2.json", "3.json", "--report", "durations:times.json", cwd=project)
    times = json.loads((project / "times.json").read_text())
    assert (times["schema"], sorted(times["seconds"])) == ("gradcli.durations/1", [f"specs/{n}" for n in sorted(TEXTS)])
    times["seconds"] = {"specs/a.py": 9.0, "specs/b.py": 1.0, "specs/c.py": 2.0, "specs/d.py": 3.0}
    (project / "times.json").write_text(json.dumps(times))
    words = ("check", "specs", "--shard-by", "times.json", "--list", "--shard")
    assert gradcli(*words, "1/2", cwd=project).stdout.split() == ["specs/a.py"]
    assert gradcli(*words, "2/2", cwd=project).stdout.split() == [f"specs/{n}.py" for n in "bcde"]
    done = gradcli("check", "specs", "--shard-by", "times.json", cwd=project)
    assert "--shard-by says by which times --shard divides" in done.stderr
    (project / "times.json").write_text('{"schema": "gradcli.durations/1", "seconds": {"a": true}}')
    assert "'times.json' has no durations of specs" in gradcli(*words, "1/2", cwd=project).stderr


def test_the_slowest_are_told(project: Path) -> None:
    done = gradcli("check", "specs/b.py", "specs/d.py", "--durations", "1", cwd=project)
    assert done.stdout.splitlines()[-2] == "slowest:"
    assert done.stdout.splitlines()[-1].endswith(("s  specs/b.py", "s  specs/d.py"))
    done = gradcli("check", "specs/b.py", "--durations", "0", "--format", "json", cwd=project)
    assert json.loads(done.stdout)["passed"]
    assert done.stderr.startswith("slowest:\n")
