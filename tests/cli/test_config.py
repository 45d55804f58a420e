"""Settings of a project, and what is said of those that are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradcli.cli.project.config import Settings, settings
from gradcli.errors import InputError
from gradcli.report.diagnostic import render


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(text: str, name: str = "pyproject.toml", **environ: str) -> Settings:
    Path(name).write_text(text)
    return settings(environ)


def refused(text: str, name: str = "pyproject.toml") -> str:
    with pytest.raises(InputError) as caught:
        read(text, name)
    assert (caught.value.code, caught.value.exit_code) == ("E505", 2)
    return render(caught.value)


ALL = """\
paths = ["specs", "more"]
exclude = ["draft_*"]
seed = 3
order = 2
digits = 9
samples = 7
dtype = "float32"
strict = true
every-entry = true
allow = ["kink", "HIDDEN_PATH"]
format = "concise"
report = ["junit:out/report.xml", "json:r.json"]
jobs = 2
limits = "relaxed"
timeout = 2.5
max-memory = 100
max_elements = 100000
max-steps = 5
max-source = 6
"""
VALUES = {
    "paths": ["specs", "more"], "exclude": ["draft_*"], "seed": 3, "order": 2, "digits": 9, "samples": 7,
    "dtype": "float32", "strict": True, "every_entry": True, "allow": ["kink", "hidden-path"], "format": "concise",
    "report": ["junit:out/report.xml", "json:r.json"], "jobs": 2, "limits": "relaxed", "timeout": 2.5,
    "max_memory": 100, "max_elements": 100000, "max_steps": 5, "max_source": 6,
}  # fmt: skip


def test_every_setting() -> None:
    assert read(ALL, "gradcli.toml", GRADCLI_TRUST_CONFIG="1").values == VALUES
    Path("gradcli.toml").unlink()
    assert read(f"[project]\nname = 'x'\n[tool.gradcli]\n{ALL}", GRADCLI_TRUST_CONFIG="1").values == VALUES


def test_without_settings(place: Path) -> None:
    assert settings({}) == Settings()
    assert read("[tool.ruff]\nline-length = 3\n").values == {}


def test_the_nearest_file_counts_and_that_of_another_tool_is_none(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = place / "a" / "b"
    below.mkdir(parents=True)
    (place / "pyproject.toml").write_text("[tool.gradcli]\nseed = 1\n")
    (place / "a" / "pyproject.toml").write_text("[tool.ruff]\n")
    monkeypatch.chdir(below)
    assert settings({}).get("seed") == 1
    (place / "a" / "gradcli.toml").write_text("seed = 2\n")
    assert settings({}).get("seed") == 2
    (below / "pyproject.toml").write_text("[tool.gradcli]\n")
    assert settings({}).get("seed", 0) == 0
    assert settings({}).directory == str(below)


def test_settings_of_single_files(place: Path) -> None:
    found = read('[tool.gradcli]\norder = 2\n[tool.gradcli.per-file."deep/*.py"]\norder = 3\nallow = ["kink"]\n')
    (place / "deep").mkdir()
    assert found.of("deep/net.py") == {"order": 3, "allow": ["kink"]}
    assert found.of(str(place / "deep" / "net.py")) == {"order": 3, "allow": ["kink"]}
    assert found.of("net.py") == found.of(None) == {"order": 2}
    assert read('[tool.gradcli.per-file]\n"net.py" = {seed = 1}\n').of("x/y/net.py") == {"seed": 1}


def test_the_environment(place: Path) -> None:
    found = read(
        "[tool.gradcli]\norder = 2\nstrict = true\n",
        GRADCLI_ORDER="3", GRADCLI_STRICT="no", GRADCLI_TIMEOUT="1.5", GRADCLI_ALLOW="kink, Edge",
        GRADCLI_REPORT="json:r.json", GRADCLI_FORMAT="junit", GRADCLI_SEED="", GRADCLI_DEBUG="1", GRADCLI_OTHER="x",
    )  # fmt: skip
    assert found.environment == {
        "order": 3, "strict": False, "timeout": 1.5, "allow": ["kink", "edge"], "report": ["json:r.json"],
        "format": "junit",
    }  # fmt: skip
    assert (found.get("order"), found.of("net.py")["strict"]) == (3, False)


def test_what_the_environment_cannot_say() -> None:
    with pytest.raises(InputError) as caught:
        settings({"GRADCLI_ORDER": "many"})
    assert render(caught.value) == (
        "error[E505]: GRADCLI_ORDER takes a whole number from 1 to 10, not 'many'\n"
        "  = help: set it to something else, or leave it out: unset GRADCLI_ORDER"
    )


def test_reports_of_the_environment_are_looked_at() -> None:
    with pytest.raises(InputError) as caught:
        settings({"GRADCLI_REPORT": "json:r.json, json"})
    assert caught.value.message == (
        "GRADCLI_REPORT takes FORMAT:PATH, such as junit:report.xml, not 'json:r.json, json'"
    )


def test_a_directory_that_was_removed_has_no_settings(place: Path) -> None:
    (place / "gone").mkdir()
    os.chdir("gone")
    (place / "gone").rmdir()
    assert settings({"GRADCLI_SEED": "3"}).get("seed") == 3


def test_a_setting_that_there_is_not() -> None:
    assert refused("[tool.other]\nordre = 1\n[tool.gradcli]\nordre = 2\n") == (
        "pyproject.toml:4:1: error[E505]: gradcli has no setting 'ordre'\n"
        "  |\n"
        "4 | ordre = 2\n"
        "  | ^^^^^\n"
        "  = help: did you mean order?"
    )
    assert "there are seed, order, " in refused("zzz = 1\n", "gradcli.toml")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("order = 0", "'order' takes a whole number from 1 to 10"),
        ("order = true", "'order' takes a whole number from 1 to 10"),
        ("order = '2'", "'order' takes a whole number from 1 to 10"),
        ("seed = -1", "'seed' takes a whole number from 0 to "),
        ("strict = 'yes'", "'strict' takes true or false"),
        ("strict = 1", "'strict' takes true or false"),
        ("dtype = 'int8'", "'dtype' takes 'float32' or 'float64'"),
        ("format = 'xml'", "'format' takes 'text', 'concise', "),
        ("paths = 'specs'", "'paths' takes a list of texts"),
        ("paths = [1]", "'paths' takes a list of texts"),
        ("allow = ['all']", "'allow' takes a list of wrong, kink, "),
        ("timeout = 0", "'timeout' takes a number of seconds above 0"),
        ("timeout = nan", "'timeout' takes a number of seconds above 0"),
        ("report = ['x.xml']", "'x.xml' is no FORMAT:PATH"),
        ("report = ['xml:x.xml']", "'xml:x.xml' is no FORMAT:PATH"),
        ("report = ['json:../x']", "'../x' leads out of the project"),
        ("report = ['json:/tmp/x']", "'/tmp/x' leads out of the project"),
        ("per-file = 3", "'per-file' takes a table for each pattern"),
        ("per-file.x = 3", "'per-file' takes a table for each pattern"),
        ("per-file.x.ordre = 3", "gradcli has no setting 'ordre'"),
        ("per-file.x.paths = []", "gradcli has no setting 'paths'"),
        ("order = 2\norder = 3", "this is no TOML: "),
        ("order = ", "this is no TOML: "),
        ("a = " + "[" * 5000, "no settings have lists or tables more than 16 deep"),
        ("timeout = inf", "'timeout' takes a number of seconds above 0"),
        ("timeout = -1", "'timeout' takes a number of seconds above 0"),
        ("timeout = true", "'timeout' takes a number of seconds above 0"),
        ("timeout = 0x" + "f" * 9000, "'timeout' takes a number of seconds above 0"),
        ("max-memory = -5", "'max-memory' takes a whole number from 1 to "),
        ("max-memory = nan", "'max-memory' takes a whole number from 1 to "),
        ("max-memory = false", "'max-memory' takes a whole number from 1 to "),
        ("max-memory = 1e3", "'max-memory' takes a whole number from 1 to "),
        ("order = " + "9" * 9000, "this is no TOML: Exceeds the limit"),
        ("paths = [" + "'a'," * 101 + "]", "'paths' takes at most 100 texts of at most 256 characters"),
        ("exclude = ['" + "[" * 257 + "']", "'exclude' takes at most 100 texts of at most 256 characters"),
        ("per-file." + "x" * 257 + ".order = 2", "'per-file' takes at most 100 patterns of 256 characters"),
        ("x" * 5000 + " = 2", "gradcli has no setting 'xxx"),
        ("paths = ['../x']", "'../x' leads out of the project"),
        ("paths = ['a/../../x.py::f']", "'a/../../x.py::f' leads out of the project"),
        ("paths = ['/etc/passwd']", "'/etc/passwd' leads out of the project"),
        ("paths = ['pyproject.toml']", "'pyproject.toml' is no Python file"),
        ("paths = ['a/.GIT/x.py']", "'a/.GIT/x.py' leads into the data of a version control system"),
        ('paths = ["a\\u0000.py"]', "'a\\x00.py' has characters that no path can have"),
        ("exclude = ['../x']", "'../x' leads out of the project"),
        ("exclude = ['/x/*']", "'/x/*' leads out of the project"),
        ("report = ['text:.git/hooks/post-checkout']", "'.git/hooks/post-checkout' leads into the data of a version"),
        ("report = ['text:.git/x.txt']", "'.git/x.txt' leads into the data of a version control system"),
        ("report = ['text:site-packages/a.pth']", "'site-packages/a.pth' has no ending of a report"),
        ("report = ['text:conftest.py']", "'conftest.py' has no ending of a report"),
    ],
)
def test_what_a_setting_cannot_be(line: str, message: str) -> None:
    said = refused(f"[tool.gradcli]\n{line}\n")
    assert f"error[E505]: {message}" in said
    assert "pyproject.toml:" in said or "TOML" in said


def test_a_table_too_many_in_a_file_of_its_own() -> None:
    assert "settings of gradcli.toml stand in no table" in refused("[tool.gradcli]\norder = 2\n", "gradcli.toml")


def test_a_file_that_is_no_text(place: Path) -> None:
    (place / "gradcli.toml").write_bytes(b"order = '\xff'")
    from gradcli.errors import GradcliError

    with pytest.raises(GradcliError) as caught:
        settings({})
    assert caught.value.exit_code == 2


# -- limits ------------------------------------------------------------------------------------

LOOSER = ("timeout = 10.5", "timeout = 1e8", "limits = 'relaxed'", "max-memory = 513", "max_elements = 50_000_001",
          "max-steps = 20_000_001", "max-source = 257")  # fmt: skip


@pytest.mark.parametrize("line", LOOSER)
@pytest.mark.parametrize("table", ["[tool.gradcli]", "[tool.gradcli.per-file.'*']"])
def test_a_file_does_not_loosen_limits(line: str, table: str) -> None:
    key = line.partition(" ")[0].replace("_", "-")
    said = refused(f"{table}\n{line}\n")
    assert f"error[E505]: settings may only tighten limits, and this '{key}' loosens one\n" in said
    assert said.startswith("pyproject.toml:2:1: ")
    assert said.endswith(f"help: `--{key}` on the command line allows more, and so does `--trust-config`")


@pytest.mark.parametrize("line", LOOSER)
def test_who_trusts_a_file_lets_it_loosen_limits(line: str) -> None:
    trusted = read(f"[tool.gradcli]\n{line}\n", GRADCLI_TRUST_CONFIG="yes")
    assert (trusted.trusted, list(trusted.values)) == (True, [line.partition(" ")[0].replace("-", "_")])
    assert settings({}, flags={"trust_config": True}) == trusted


def test_limits_at_those_that_hold_are_no_looser() -> None:
    text = "limits = 'strict'\ntimeout = 10\nmax-memory = 512\nmax-elements = 50_000_000\nmax-source = 64\n"
    assert read(text, "gradcli.toml").values["timeout"] == 10


def test_what_the_user_says_is_not_held_against_the_file() -> None:
    text = "[tool.gradcli]\ntimeout = 60\n"
    assert read(text, GRADCLI_TIMEOUT="90").of(None) == {"timeout": 90}
    assert settings({}, flags={"timeout": 5.0}).values == {"timeout": 60}
    # Of the limits that the user chose, it is a part.
    assert settings({"GRADCLI_LIMITS": "relaxed"}).of(None) == {"limits": "relaxed", "timeout": 60}
    with pytest.raises(InputError):
        settings({"GRADCLI_MAX_MEMORY": "600"})


def test_no_more_processes_than_processors() -> None:
    assert read("[tool.gradcli]\njobs = 256\n").get("jobs") == (os.cpu_count() or 1)
    assert settings({"GRADCLI_TRUST_CONFIG": "1"}).get("jobs") == 256
    assert settings({"GRADCLI_JOBS": "200"}).get("jobs") == 200


def test_what_trust_cannot_be() -> None:
    with pytest.raises(InputError) as caught:
        settings({"GRADCLI_TRUST_CONFIG": "maybe"})
    assert render(caught.value) == (
        "error[E505]: GRADCLI_TRUST_CONFIG takes true or false, not 'maybe'\n  = help: write GRADCLI_TRUST_CONFIG=1"
    )


# -- files that are none -----------------------------------------------------------------------


def test_what_is_no_regular_file_is_told_of_at_once(place: Path) -> None:
    (place / "gradcli.toml").mkdir()
    assert refused_here() == "E502 'gradcli.toml' is not a regular file but a directory"
    (place / "gradcli.toml").rmdir()
    os.mkfifo("gradcli.toml")
    assert refused_here() == "E502 'gradcli.toml' is not a regular file but a pipe"
    # That of other tools is none of ours.
    (place / "gradcli.toml").rename(place / "pyproject.toml")
    assert settings({}) == Settings()


def test_a_link_that_leads_out_is_not_read(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("home") / "secret"
    secret.write_text("[tool.gradcli]\npassword = 3\n")
    for name in ("gradcli.toml", "pyproject.toml"):
        (place / name).symlink_to(secret)
        assert refused_here() == f"E505 '{name}' leads out of the project"
        with pytest.raises(InputError) as caught:
            settings({"GRADCLI_TRUST_CONFIG": "1"})
        assert "password" in render(caught.value) or "no table" in render(caught.value)
        (place / name).unlink()
    secret.write_text("[tool.other]\n")
    (place / "pyproject.toml").symlink_to(secret)
    assert settings({}) == Settings()


def test_links_within_the_project_are_followed(place: Path) -> None:
    (place / "real.toml").write_text("order = 2\n")
    (place / "gradcli.toml").symlink_to("real.toml")
    assert settings({}).values == {"order": 2}


def test_a_file_that_is_too_large(place: Path) -> None:
    (place / "gradcli.toml").write_text("#" * 65_536)
    assert settings({}).values == {}
    (place / "gradcli.toml").write_text("#" * 65_537)
    assert refused_here() == "E505 'gradcli.toml' has more than 65,536 bytes; settings may have 65,536"
    (place / "gradcli.toml").unlink()
    (place / "pyproject.toml").write_text("[tool.gradcli]\n" + "#" * 70_000)
    assert refused_here() == "E505 'pyproject.toml' has 70,015 bytes; settings may have 65,536"
    (place / "pyproject.toml").write_text("[tool.other]\n" + "#" * 70_000)
    assert settings({}) == Settings()


def refused_here() -> str:
    with pytest.raises(InputError) as caught:
        settings({})
    here = os.path.join(os.getcwd(), "")
    return f"{caught.value.code} {caught.value.message.replace(here, '')}"
