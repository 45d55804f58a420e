"""``gradcli check`` around the check itself: what a command line means, what comes out of it, and the exit code."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradcli.check.judging.findings import Options
from gradcli.check.judging.verdict import Verdict
from gradcli.cli import commands
from gradcli.cli.checking import reporting
from gradcli.report.check.outcome import Outcome
from tests.rings import long

from . import fake_check

# The options of each check, as its child had them.
SEEN: list[Options] = []

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to be in, of which the environment says nothing."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("GRADCLI_", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS")):
            monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def check(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run a check in this process and its children, with the check itself replaced."""
    # What the self-test needs of it is the real one.
    from gradcli.check.selftest import selftest as selftest

    monkeypatch.setitem(sys.modules, "gradcli.check.check", fake_check.install())
    monkeypatch.setattr(reporting, "process_start", time.perf_counter)
    monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", "4")
    add = reporting.Reporter.add

    def noted(self: reporting.Reporter, outcome: Outcome) -> None:
        SEEN.append(outcome.options)
        add(self, outcome)

    monkeypatch.setattr(reporting.Reporter, "add", noted)
    SEEN.clear()

    def run(*words: str) -> tuple[int, str, str]:
        code = commands.run(["check", *words])
        return code, *capsys.readouterr()

    yield run
    gc.enable()


def spec(place: Path, name: str, *words: str) -> str:
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {' '.join(words)}\nx = 1\n")
    return name


def seen() -> Options:
    return SEEN[-1]


def codes(report: str) -> list[str]:
    """The specs of a JSON report and what became of them."""
    data = json.loads(report)
    results = [f"{result['spec']} {result['verdict']}" for result in data["results"]]
    return results + [f"{error['spec']} {error['code']}" for error in data["errors"]]


# -- exit codes, streams -----------------------------------------------------------------------


def test_a_spec_that_is_right(check: Run, place: Path) -> None:
    code, out, err = check(spec(place, "net.py", "PASS"))
    assert (code, err) == (0, "")
    first, last = out.splitlines()
    assert first == "net.py: right: 1 input (1 number), order 1, 9 digits"
    assert last.startswith("0 wrong, 1 right in ")


def test_a_spec_that_is_wrong(check: Run, place: Path) -> None:
    code, out, err = check(spec(place, "net.py", "PASS", "WRONG"))
    assert (code, err) == (1, "")
    assert out.startswith("net.py:1:1: G101 wrong gradient: out with respect to x\n")
    assert "   = reproduce: gradcli check net.py --output out --wrt x\n" in out
    assert "1 wrong, 1 right in " in out


@pytest.mark.parametrize(
    ("words", "code", "exit_zero"),
    [
        (["PASS"], 0, 0),
        (["INACCURATE"], 0, 0),
        (["DISCONTINUITY"], 1, 0),
        (["UNRESOLVED"], 2, 2),
        (["UNRESOLVED", "WRONG"], 1, 2),
        ([], 2, 2),
        (["bug"], 3, 3),
    ],
)
def test_exit_codes(check: Run, place: Path, words: list[str], code: int, exit_zero: int) -> None:
    name = spec(place, "net.py", *words)
    assert check(name)[0] == code
    assert check(name, "--exit-zero")[0] == exit_zero


def test_nothing_to_check_is_no_success(check: Run, place: Path) -> None:
    code, out, err = check(spec(place, "net.py"))
    assert code == 2
    assert err.startswith("net.py: error[G114]: there is nothing to check")
    assert out.startswith("0 wrong, 0 right, 1 broken in ")


def test_a_broken_spec_is_told_on_stderr_and_in_machine_formats_in_the_report(check: Run, place: Path) -> None:
    (place / "bad.py").write_text("x = = 1\n")
    code, out, err = check("bad.py")
    assert (code, out[:27]) == (2, "0 wrong, 0 right, 1 broken ")
    assert err.startswith("bad.py:1:5: error[E101]: ")
    code, out, err = check("bad.py", "--format", "json")
    assert (code, err, codes(out)) == (2, "", ["bad.py E101"])


def test_a_file_that_there_is_not(check: Run) -> None:
    code, out, err = check("missing.py", "--format", "concise")
    assert (code, out, err) == (2, "missing.py: E501 no such file: 'missing.py'\n", "")
    # The message names it: once is enough.
    assert check("missing.py")[2].startswith("error[E501]: no such file: 'missing.py'\n")


def test_an_assert_counts(check: Run, place: Path) -> None:
    (place / "claim.py").write_text("# PASS run\nassert 1 == 2\n")
    code, out, _ = check("claim.py", "--format", "json")
    assert (code, codes(out)) == (1, ["claim.py E303"])
    assert check("claim.py", "--exit-zero")[0] == 0


def test_a_bug_is_one_record(check: Run, place: Path) -> None:
    code, _, err = check(spec(place, "net.py", "bug"))
    assert code == 3
    assert err.startswith("net.py: error[E508]: this is a bug in gradcli: ZeroDivisionError: a \\x1b bug\n")


def test_what_a_program_prints_is_not_shown(check: Run, place: Path) -> None:
    (place / "net.py").write_text("# PASS run\nprint('::error::x')\n")
    assert "::error" not in check("net.py")[1]


def test_a_time_limit_is_a_record(check: Run, place: Path) -> None:
    (place / "net.py").write_text("# PASS run\nwhile True: pass\n")
    code, out, _ = check("net.py", "--timeout", "1", "--format", "json")
    assert (code, codes(out)) == (2, ["net.py E401"])


# -- several specs -----------------------------------------------------------------------------


@long("it takes a second or more")
def test_one_broken_spec_does_not_stop_the_others(check: Run, place: Path) -> None:
    (place / "b.py").write_text("x = = 1\n")
    (place / "c.py").write_text("# PASS run\nwhile True: pass\n")
    names = [spec(place, "a.py", "WRONG"), "b.py", "c.py", spec(place, "d.py", "exit"), spec(place, "e.py", "bug")]
    names.append(spec(place, "f.py", "print", "PASS"))
    code, out, _ = check(*names, "--format", "json", "--timeout", "2", "--max-steps", "1000000000")
    assert code == 1
    assert codes(out) == ["a.py WRONG", "f.py PASS", "b.py E101", "c.py E401", "d.py E411", "e.py E508"]
    assert "printed" not in out
    said = json.loads(out)["errors"][2]["message"]
    assert said == "the process that ran the program ended in the middle of it: exit code 9"


def test_more_jobs_change_nothing(check: Run, place: Path) -> None:
    for number in range(6):
        spec(place, f"s/{number}.py", "PASS" if number % 2 else "WRONG")
    one = check("s", "--format", "json")
    assert check("s", "--format", "json", "--jobs", "3") == one
    assert codes(one[1])[0] == "s/0.py WRONG"


def test_a_directory(check: Run, place: Path) -> None:
    for name in ("s/b.py", "s/a/z.py", "s/.hidden/x.py", "s/.x.py", "s/__pycache__/y.py", "s/c.txt"):
        spec(place, name, "PASS")
    assert check("s", "--list") == (0, "s/a/z.py\ns/b.py\n", "")
    assert check("s/b.py", "s", "./s/b.py", "--list")[1] == "s/b.py\ns/a/z.py\n"


def test_a_directory_without_specs(check: Run, place: Path) -> None:
    (place / "empty").mkdir()
    code, _, err = check("empty")
    assert code == 2
    assert err.startswith("error[G114]: there is no Python file in or below 'empty'\n")
    code, out, _ = check("empty", spec(place, "a.py", "PASS"), "--format", "json")
    assert (code, codes(out)) == (2, ["a.py PASS", "empty G114"])


def test_specs_and_inputs(check: Run, place: Path) -> None:
    spec(place, "a.py", "PASS")
    assert check("a.py", "x=2", "b * x", "y=3", "-i", "b=1", "-e", "-x", "--list") == (0, "a.py\nb * x\n-x\n", "")
    # What comes first is a spec, also when it could be an input.
    assert check("x=2", "--list")[1] == "x=2\n"
    _, out, _ = check("x * PASS", "x=[1, 2]", "PASS=2", "--seed", "3", "--strict", "--format", "json")
    assert json.loads(out)["results"][0]["reproduce"] == (
        "gradcli check 'x * PASS' 'x=[1, 2]' PASS=2 --seed 3 --strict --output out --wrt x"
    )


def test_standard_input(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    from types import SimpleNamespace

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"# WRONG\nx = 1\n")))
    code, out, _ = check("-", "--format", "json")
    assert (code, codes(out)) == (1, ["<stdin> WRONG"])
    assert json.loads(out)["results"][0]["reproduce"] == "gradcli check - --output out --wrt x"


def test_stopping_early(check: Run, place: Path) -> None:
    names = [spec(place, f"{n}.py", word) for n, word in enumerate(["PASS", "WRONG", "PASS", "DOMAIN", "PASS"])]
    code, out, _ = check(*names, "-x")
    assert code == 1
    assert out.splitlines()[-1].endswith("; stopped after 2 of 5 specs: 3 specs not checked")
    code, out, _ = check(*names, "--maxfail", "2", "--format", "json", "--jobs", "2")
    assert codes(out) == ["0.py PASS", "1.py WRONG", "2.py PASS", "3.py DOMAIN"]
    assert "stopped" not in check(*names, "--maxfail", "3")[1]


@pytest.mark.parametrize(
    ("keyword", "left"),
    [
        ("mlp", "mlp.py slow_mlp.py"),
        ("MLP and not slow", "mlp.py"),
        ("not (mlp or cnn)", "rnn.py"),
        ("cnn or rnn", "cnn.py rnn.py"),
        ("not not rnn", "rnn.py"),
    ],
)
def test_choosing_by_name(check: Run, place: Path, keyword: str, left: str) -> None:
    names = [spec(place, name) for name in ("cnn.py", "mlp.py", "rnn.py", "slow_mlp.py")]
    assert check(*names, "--list", "-k", keyword)[1].split() == left.split()


@pytest.mark.parametrize(
    ("keyword", "said"),
    [
        ("zzz", "this leaves no spec to check"),
        ("a and", "-k 'a and': a word is missing at its end"),
        ("(a", "-k '(a': a parenthesis is not closed"),
        ("a b", "-k 'a b': there is no place for 'b'"),
        ("or a", "-k 'or a': a word is missing before 'or'"),
        ("(" * 300, "it is too long"),
    ],
)
def test_what_chooses_nothing(check: Run, place: Path, keyword: str, said: str) -> None:
    code, out, err = check(spec(place, "a.py"), "-k", keyword)
    assert (code, out) == (2, "")
    assert said in err
    assert "^" in err


def test_shards_are_all_there_is(check: Run, place: Path) -> None:
    names = [spec(place, f"{n}.py") for n in "gfedcba"]
    parts = [check(*names, "--list", "--shard", f"{i}/3")[1].split() for i in (1, 2, 3)]
    assert parts == [["g.py", "d.py", "a.py"], ["e.py", "b.py"], ["f.py", "c.py"]]
    assert check(*names, "--list", "--shard", "9/9")[1] == ""


def test_an_empty_shard_is_no_failure(check: Run, place: Path) -> None:
    code, out, _ = check(spec(place, "a.py", "WRONG"), "--shard", "2/2")
    assert (code, out[:16]) == (0, "0 wrong, 0 right")


# -- options -----------------------------------------------------------------------------------


def test_options_reach_the_check(check: Run, place: Path) -> None:
    name = spec(place, "a.py", "PASS")
    check(name)
    assert seen() == Options()
    check(
        name, "--order", "3", "--output", "y", "--wrt", "x", "--wrt", "w", "--samples", "7", "--strict",
        "--allow", "kink", "--allow", "HIDDEN_PATH", "--digits", "9", "--seed", "5", "--every-entry",
        "--everywhere", "--dtype", "float32",
    )  # fmt: skip
    assert seen() == Options(
        order=3, output="y", wrt=("x", "w"), samples=7, strict=True,
        allow=frozenset({Verdict.KINK_WRONG, Verdict.HIDDEN_PATH}), digits=9, seed=5, every_entry=True, everywhere=True,
        float32=True,
    )  # fmt: skip
    check(name, "--claim", "x = 2*x")
    assert seen() == Options(claims=(("x", "2*x"),))


def test_comments_of_a_spec_and_options_before_them(check: Run, place: Path) -> None:
    text = "# PASS\n# gradcli: order=2, allow kink, digits=9, strict, every-entry, everywhere, seed=4\nx = 1\n"
    (place / "a.py").write_text(text)
    check("a.py")
    assert seen() == Options(
        order=2, strict=True, allow=frozenset({Verdict.KINK_WRONG}), digits=9, seed=4, every_entry=True, everywhere=True
    )
    check("a.py", "--order", "3", "--digits", "5", "--seed", "6", "--allow", "edge")
    assert (seen().order, seen().digits, seen().seed) == (3, 5, 6)
    assert seen().allow == {Verdict.KINK_WRONG, Verdict.EDGE_WRONG}


def test_an_exception_is_used_or_told_to_be_unused(check: Run, place: Path) -> None:
    (place / "a.py").write_text("# KINK_WRONG\n# gradcli: allow kink, allow edge\nx = 1\n")
    code, out, err = check("a.py")
    assert (code, err) == (0, "")
    assert "G102 wrong gradient at a kink: out with respect to x (allowed)" in out
    assert "   = note: UNUSED_ALLOW: `allow edge` at line 2 is not needed\n" in out
    code, out, err = check("a.py", "--allow", "wrong", "--allow", "kink", "--format", "json")
    assert (code, err) == (0, "note: --allow wrong is not needed\n")
    notes = json.loads(out)["results"][0]["notes"]
    assert notes == ["ALLOWED: KINK_WRONG is a named exception", "UNUSED_ALLOW: `allow edge` at line 2 is not needed"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "there is no SPEC"),
        (["a.py", "-x", "--maxfail", "2"], "-x is --maxfail 1"),
        (["a.py", "--list", "--format", "json"], "--format says nothing to --list, which checks nothing"),
        (["a.py", "--wrt", "x", "--claim", "y=2"], "--claim is about 'y', and --wrt leaves it out"),
        (["a.py", "--claim", "y=2", "--claim", "y=3"], "there is another --claim about 'y'"),
        (["a.py", "-v", "--format", "json"], "-v says nothing to --format json"),
        (["a.py", "--claim", "2"], "--claim takes NAME=EXPR, an input and its derivative, not '2'"),
        (["a.py", "--shard", "3/2"], "--shard takes I/N, such as 1/4, not '3/2'"),
        (["a.py", "--report", "x.xml"], "--report takes FORMAT:PATH, such as junit:report.xml, not 'x.xml'"),
        (["a.py", "--report", "json:r", "--report", "junit:./r"], "another report goes to './r'"),
        (["a.py", "--allow", "all"], "--allow takes one of wrong, kink, edge, "),
        (["a.py", "--order", "11"], "--order takes a whole number from 1 to 10, not '11'"),
    ],
)
def test_what_does_not_fit_together(check: Run, place: Path, words: list[str], said: str) -> None:
    spec(place, "a.py", "PASS")
    code, out, err = check(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert "^" in err


def test_v_is_counted(check: Run, place: Path) -> None:
    name = spec(place, "a.py", "PASS")
    assert "out / x  order 1  PASS" in check(name, "-v")[1]
    assert check(name, "-vv")[0] == check(name, "-v", "-v")[0] == check(name, "--verbose")[0] == 0
    assert check(name, "-vx")[0] == check(name, "-xvv")[0] == 0


# -- reports -----------------------------------------------------------------------------------


def test_reports_go_to_files(check: Run, place: Path) -> None:
    name = spec(place, "a.py", "WRONG")
    code, out, _ = check(name, "--report", "json:r.json", "--report", "text:r.txt", "--report", "junit:r:1.xml")
    assert code == 1
    assert codes((place / "r.json").read_text()) == ["a.py WRONG"]
    assert (place / "r.txt").read_text().endswith("1 wrong, 0 right\n")
    assert (place / "r:1.xml").read_text().startswith("<?xml")
    assert out.startswith("a.py:1:1: G101 ")


def test_a_report_never_takes_the_place_of_a_spec(check: Run, place: Path) -> None:
    name = spec(place, "a.py", "WRONG")
    code, out, err = check(name, "--report", "json:./a.py")
    assert (code, out) == (3, "")
    assert "the result would overwrite what it is made from" in err
    assert (place / name).read_text().startswith("# WRONG")


def test_a_broken_spec_is_in_the_files_too(check: Run, place: Path) -> None:
    check("missing.py", "--report", "json:r.json")
    assert codes((place / "r.json").read_text()) == ["missing.py E501"]


# -- settings ----------------------------------------------------------------------------------


def test_settings_of_a_project(check: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "pyproject.toml").write_text(
        '[tool.gradcli]\npaths = ["specs"]\nexclude = ["draft_*"]\norder = 2\nseed = 7\nformat = "concise"\n'
        'report = ["json:r.json"]\n[tool.gradcli.per-file."specs/sub/*"]\norder = 3\n'
    )
    for name in ("specs/a.py", "specs/sub/b.py", "specs/draft_c.py"):
        spec(place, name, "PASS")
    assert check("--list")[1] == "specs/a.py\nspecs/sub/b.py\n"
    (place / "specs" / "sub").mkdir(exist_ok=True)
    monkeypatch.chdir(place / "specs" / "sub")
    assert check("--list")[1] == "../a.py\nb.py\n"
    code, out, err = check("b.py")
    assert (code, out, err) == (0, "", "")
    assert (seen().order, seen().seed) == (3, 7)
    assert codes((place / "r.json").read_text()) == ["b.py PASS"]
    check("../a.py", "--seed", "1")
    assert (seen().order, seen().seed) == (2, 1)


def test_paths_of_a_project_are_no_expressions(check: Run, place: Path) -> None:
    (place / "gradcli.toml").write_text('paths = ["net", "a.py"]\n')
    spec(place, "a.py", "PASS")
    code, out, err = check()
    assert (code, out.startswith("a.py: right")) == (2, True)
    assert err.startswith("error[E501]: no such file: 'net'\n")


def test_which_word_counts(check: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "gradcli.toml").write_text("order = 2\nseed = 2\nstrict = true\n")
    name = spec(place, "a.py", "PASS")
    check(name)
    assert (seen().order, seen().seed, seen().strict) == (2, 2, True)
    monkeypatch.setenv("GRADCLI_ORDER", "3")
    monkeypatch.setenv("GRADCLI_SEED", "3")
    monkeypatch.setenv("GRADCLI_STRICT", "0")
    check(name)
    assert (seen().order, seen().seed, seen().strict) == (3, 3, False)
    (place / name).write_text("# PASS\n# gradcli: order=4, seed=4, strict\nx = 1\n")
    check(name)
    assert (seen().order, seen().seed, seen().strict) == (4, 4, True)
    check(name, "--order", "5", "--seed", "5")
    assert (seen().order, seen().seed) == (5, 5)


@long("it takes a second or more")
def test_limits_of_a_project(check: Run, place: Path) -> None:
    (place / "gradcli.toml").write_text("timeout = 1\n")
    (place / "net.py").write_text("# PASS run\nwhile True: pass\n")
    _, out, _ = check("net.py", "--format", "json")
    assert json.loads(out)["errors"][0]["message"] == "the program was stopped: it may run for 1 s"


# -- the checker checked -----------------------------------------------------------------------


def test_the_self_test(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from gradcli.check.selftest import selftest
    from gradcli.check.selftest.selftest import Planted

    found = [
        Planted("a factor", "MulBackward0, argument 0", True, True, Verdict.WRONG, "claimed = twice", 0.1),
        Planted("a sign", "line 3", True, False, Verdict.WRONG, None, 0.1),
    ]
    seeds = []

    def planted(seed: int) -> Iterator[Planted]:
        seeds.append(seed)
        return iter(found)

    monkeypatch.setattr(selftest, "planted", planted)
    code, out, err = check("--self-test", "--seed", "3")
    assert (code, err, seeds) == (1, "", [3])
    assert out.splitlines() == [
        "named              a factor (MulBackward0, argument 0): claimed = twice",
        "caught, not named  a sign (line 3): WRONG",
        "2 mistakes planted, 2 caught, 1 named",
    ]
    found.pop()
    assert check("--self-test")[0] == 0
    assert "--self-test has programs of its own" in check("--self-test", "x")[2]
    assert "--order says nothing to --self-test" in check("--self-test", "--order", "2")[2]
