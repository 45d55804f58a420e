"""What a check has found, as machines read it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gradcli.check.judging.verdict import Verdict
from gradcli.errors import Source, Span
from gradcli.report.check import document
from gradcli.report.check.outcome import Outcome
from gradcli.report.formats import FORMATS
from gradcli.verdicts import Note, NoteKind

from .findings import APPLIED, broken, judged, outcome, refuted, right, wrong
from .terminal import acts, commands_ci

NAN = float("nan")


def several() -> list[Outcome]:
    return [
        outcome(
            wrong(
                signature="claim = 2/3 x truth", notes=[Note(NoteKind.BRANCH_UNCOVERED, "relu was only seen above 0")]
            )
        ),
        outcome(right(), right(order=2), name="mlp.py"),
        broken(),
        refuted(),
        outcome(
            judged(Verdict.HIDDEN_PATH, allowed=True, span=APPLIED),
            judged(Verdict.KINK_WRONG, float("-inf"), NAN, float("inf"), left=-1.0, right=1.0, note="because"),
            judged(Verdict.DOMAIN),
            name="x*y",
        ),
    ]


@pytest.fixture
def evil() -> list[Outcome]:
    words = "::error::\x1b[31m\u202e##vso[x]\n::warning::]]>&<a>\x00\udcff|`@me`"
    source = Source(words, f"{words}\n")
    found = wrong(span=Span(source, 1, 0, 1, 9), signature=words, notes=[Note(NoteKind.HOOK, words)])
    found.output = found.input = words
    bad = broken(words)
    failure = bad.checked.failure
    assert failure is not None
    failure.message = failure.args[0] + words
    failure.span = Span(source, 2, 0, 2, 3)
    return [outcome(found, right(output=words), name=words, again=(words,)), bad]


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_gives_the_same(form: str) -> None:
    assert document(form, several()) == document(form, several())
    assert not re.search(r"20\d\d-|time", document(form, several()))


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_that_a_spec_says_acts(form: str, evil: list[Outcome]) -> None:
    text = document(form, evil)
    text.encode()
    assert not any(acts(c) for c in text if c not in "\n\t")
    ours = r"::(error|warning|notice) (file|title)=" if form == "github" else "$^"
    assert not [line for line in text.split("\n") if commands_ci(line) and not re.match(ours, line)]
    assert "##" not in text.replace("## gradcli", "") or form == "text"


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("durations", "record")])
def test_a_broken_spec_is_never_an_empty_report(form: str) -> None:
    assert "E101" in document(form, [broken()])
    assert "bad.py" in document(form, [broken()])


# -- JSON --------------------------------------------------------------------------------------

RESULT = [
    "spec", "output", "input", "order", "verdict", "standing", "notes", "digits", "entries", "wrong_entries", "worst",
    "signature", "node", "reproduce",
]  # fmt: skip


def loaded(found: list[Outcome]) -> dict[str, Any]:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    data: dict[str, Any] = json.loads(document("json", found), parse_constant=refuse)
    return data


def test_json_has_exactly_its_schema() -> None:
    data = loaded(several())
    assert list(data) == ["schema", "passed", "summary", "results", "coverage", "errors"]
    assert (data["schema"], data["passed"]) == ("gradcli.check/1", False)
    assert list(data["summary"]) == [verdict.value for verdict in Verdict]
    assert {k: n for k, n in data["summary"].items() if n} == {
        "PASS": 2, "WRONG": 1, "HIDDEN_PATH": 1, "KINK_WRONG": 1, "DOMAIN": 1,
    }  # fmt: skip
    assert all(list(result) == RESULT for result in data["results"])
    assert data["errors"] == [
        {"spec": "bad.py", "code": "E101", "place": "bad.py:1:5", "message": "invalid syntax"},
        {"spec": "claim.py", "code": "E303", "place": "claim.py:1:8", "message": "assert 1 == 2"},
    ]


def test_a_result_of_json() -> None:
    first, second, *_, kink, _ = loaded(several())["results"]
    assert first["node"].pop("applied")["line"] == 12
    assert first == {
        "spec": "cube.py", "output": "out", "input": "x", "order": 1, "verdict": "WRONG", "standing": "wrong",
        "notes": ["BRANCH_UNCOVERED: relu was only seen above 0"], "digits": None, "entries": 3, "wrong_entries": 3,
        "worst": {"index": [2], "at": 2.0, "claimed": 4.0, "estimate": 12.0, "bar": 3e-13, "left": None, "right": None,
                  "witness": 12.0},
        "signature": "claim = 2/3 x truth",
        "node": {"id": "#2", "name": "CubeBackward", "argument": None,
                 "source": {"line": 9, "col": 8, "end_line": 9, "end_col": 53,
                            "text": "return grad_output * 2 * ctx.saved_tensors[0]"}},
        "reproduce": "gradcli check cube.py --output out --wrt x",
    }  # fmt: skip
    assert (second["digits"], second["worst"], second["node"], second["signature"]) == (13.2, None, None, None)
    assert kink["worst"] == {
        "index": [], "at": 0.5, "claimed": "-inf", "estimate": "nan", "bar": "inf", "left": -1.0, "right": 1.0,
        "witness": None,
    }  # fmt: skip


def test_json_passes_only_what_is_right() -> None:
    assert loaded([outcome(right())])["passed"] is True
    assert loaded([outcome(judged(Verdict.WRONG, allowed=True))])["passed"] is True
    assert loaded([outcome(judged(Verdict.DOMAIN))])["passed"] is False
    assert loaded([broken()])["passed"] is False


def test_json_is_a_line_for_each_result() -> None:
    assert len(document("json", several()).split("\n")) == 17


def test_jsonl() -> None:
    lines = [json.loads(line) for line in document("jsonl", several()).splitlines()]
    assert [line["type"] for line in lines] == [*["result"] * 3, "error", "error", *["result"] * 3, "summary"]
    whole = loaded(several())
    assert [{k: v for k, v in line.items() if k != "type"} for line in lines if line["type"] == "result"] == (
        whole["results"]
    )
    assert lines[-1] == {"type": "summary", "schema": "gradcli.check/1", "passed": False, "summary": whole["summary"]}


# -- the others --------------------------------------------------------------------------------


def test_concise() -> None:
    assert document("concise", several()).splitlines() == [
        "cube.py:9:9: G101 wrong gradient: out with respect to x (3 of 3 entries); worst at x[2] = 2.0: claimed 4, "
        "true 12 ± 3e-13 (complex step 12.000000000000000), 2.7e13 error bars away",
        "claim.py:1:8: E303 assert 1 == 2",
        "x*y: G102 wrong gradient at a kink: out with respect to x; at x = 0.5: claimed -inf, the slope is -1 on the "
        "left and 1 on the right",
        "bad.py:1:5: E101 invalid syntax",
        "x*y: G113 no number here: out with respect to x; at x = 0.5: claimed 1, measured 2",
        "cube.py:12:7: G106 a path around the graph: out with respect to x (allowed); at x = 0.5: claimed 1, but the "
        "program has 2 ± 1e-9",
    ]
    assert document("concise", [outcome(right())]) == ""


def test_github() -> None:
    lines = document("github", several()).splitlines()
    assert lines[0].startswith(
        "::error file=cube.py,line=9,endLine=9,col=9,endColumn=53,title=G101::wrong gradient: out with respect to x "
    )
    assert lines[-2].startswith("::notice file=cube.py,line=12")
    assert lines[-1] == "gradcli check: 3 wrong, 2 right, 1 undecided, 1 allowed, 1 broken"
    assert "::error title=G113::x*y: no number here" in "\n".join(lines)


def test_github_drops_nothing_in_silence() -> None:
    lines = document("github", [outcome(*[wrong()] * 14)]).splitlines()
    assert len(lines) == 11
    assert lines[9] == "::error title=gradcli check::5 more, told in full by --format text"
    assert len(document("github", [outcome(*[wrong()] * 9)]).splitlines()) == 10


def test_github_escapes_what_ends_a_field() -> None:
    source = Source("a,b:100%.py", "x\n")
    text = document("github", [outcome(wrong(span=Span(source, 1, 0, 1, 1)), name="a,b:100%.py")])
    assert text.startswith("::error file=a%2Cb%3A100%25.py,line=1,")


def test_paths_are_seen_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = str(tmp_path / "sub dir" / "net.py")
    found = [outcome(wrong(span=Span(Source(path, "x\n"), 1, 0, 1, 1)), name=path)]
    assert "file=sub dir/net.py," in document("github", found)
    (result,) = json.loads(document("sarif", found))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "sub%20dir/net.py"


def test_junit() -> None:
    root = ElementTree.fromstring(document("junit", several()).encode())
    assert (root.tag, root.attrib) == (
        "testsuites", {"name": "gradcli check", "tests": "8", "failures": "3", "errors": "2"},
    )  # fmt: skip
    assert [suite.get("name") for suite in root] == ["cube.py", "mlp.py", "bad.py", "claim.py", "x*y"]
    cases = {(c.get("classname"), c.get("name")): [e.tag for e in c] for c in root.iter("testcase")}
    assert cases[("mlp.py", "out wrt x, order 2")] == []
    assert cases[("bad.py", "run")] == ["error"]
    assert cases[("claim.py", "assert")] == ["failure"]
    (failure,) = next(root.iter("testcase"))
    assert (failure.get("type"), failure.get("message")) == (
        "G101", "wrong gradient: out with respect to x (3 of 3 entries)",
    )  # fmt: skip
    assert "2.7e13 error bars away" in (failure.text or "")
    assert [e.tag for c in root[-1] for e in c] == ["system-out", "failure", "error"]


def test_no_two_cases_have_one_name() -> None:
    there = wrong(notes=[Note(NoteKind.ELSEWHERE, "right at the given point, wrong at x = [3]")])
    cases = ElementTree.fromstring(document("junit", [outcome(right(), there)]).encode()).iter("testcase")
    assert [case.get("name") for case in cases] == ["out wrt x, order 1", "out wrt x, order 1, elsewhere"]


def test_junit_of_anything_can_be_read(evil: list[Outcome]) -> None:
    root = ElementTree.fromstring(document("junit", evil).encode())
    assert len(list(root.iter("testcase"))) == 3


def test_sarif() -> None:
    data = json.loads(document("sarif", several()))
    (run,) = data["runs"]
    assert (data["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "gradcli")
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted(rules) == ["E101", "E303", "G101", "G102", "G106", "G113"]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    assert [result["level"] for result in run["results"]] == ["error", "error", "error", "note", "error", "error"]
    assert run["results"][3]["suppressions"] == [{"kind": "inSource"}]
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 9, "startColumn": 9, "endLine": 9, "endColumn": 54,
    }  # fmt: skip
    assert run["invocations"] == [{"executionSuccessful": False}]
    assert json.loads(document("sarif", [outcome(wrong())]))["runs"][0]["invocations"][0]["executionSuccessful"]


def test_fingerprints_outlive_lines_above() -> None:
    moved = Source("cube.py", "\n\n" + APPLIED.source.text)
    before = [outcome(wrong(span=Span(APPLIED.source, 9, 8, 9, 53))), outcome(wrong())]
    after = [outcome(wrong(span=Span(moved, 11, 8, 11, 53))), outcome(wrong())]
    first, second = (
        [r["partialFingerprints"]["gradcli/v1"] for r in json.loads(document("sarif", found))["runs"][0]["results"]]
        for found in (before, after)
    )
    assert first == second
    assert first[0] != first[1]


def test_markdown() -> None:
    lines = document("markdown", several()).splitlines()
    assert lines[0] == "## gradcli check failed: 3 wrong, 2 right, 1 undecided, 1 allowed, 1 broken"
    assert lines[4].startswith("| wrong | `cube.py:9:9` | G101 | wrong gradient: out with respect to x \\(3 of 3 ")
    assert "gradcli check cube.py --output out --wrt x" in lines
    assert "- `cube.py`: BRANCH\\_UNCOVERED: relu was only seen above 0" in lines
    assert document("markdown", [outcome(right())]) == "## gradcli check passed: 0 wrong, 1 right\n"


def test_a_table_of_markdown_stays_one(evil: list[Outcome]) -> None:
    rows = [line for line in document("markdown", evil).splitlines() if line.startswith("|")]
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [5] * len(rows)
    assert not any("<a>" in re.sub("`[^`]*`", "", row) for row in rows)


def tolerated() -> Outcome:
    """What passes, and is told all the same."""
    return outcome(right(verdict=Verdict.INACCURATE))


def test_what_passes_or_is_allowed_is_no_warning() -> None:
    found = [tolerated(), *several()]
    assert "::warning" not in document("github", found)
    assert document("github", [tolerated()]).startswith("::notice ")
    levels = [(r.get("kind"), r["level"]) for r in json.loads(document("sarif", found))["runs"][0]["results"]]
    assert levels[0] == ("pass", "none")
    assert "warning" not in dict(levels).values()
    root = ElementTree.fromstring(document("junit", [tolerated()]).encode())
    assert (root.get("failures"), root.get("errors")) == ("0", "0")


def test_what_fails_comes_first() -> None:
    found = [tolerated(), *several()]
    assert "G101" in document("concise", found).splitlines()[0]
    assert "G108" in document("concise", found).splitlines()[-2]
    rows = [line for line in document("markdown", found).splitlines() if line.startswith("| ")]
    signs = [row.split("|")[1].strip() for row in rows[1:]]
    assert signs == sorted(signs, key=("wrong", "no verdict", "right", "allowed").index)
