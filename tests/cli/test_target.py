"""Files that results go to: through no link that was laid there, and of nothing that is run."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradcli.cli import target
from gradcli.cli.target import Target
from gradcli.errors import OutputError


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    inside = tmp_path / "project"
    inside.mkdir()
    monkeypatch.chdir(inside)
    before = os.umask(0o022)
    yield inside
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def refused(path: str, within: str | None = ".") -> str:
    with pytest.raises(OutputError) as caught:
        Target(path, within=within).write([b"x"])
    assert not [name for name in os.listdir() if name.startswith(".gradcli-")]
    return caught.value.message


def test_a_new_file_is_readable_and_never_run(place: Path) -> None:
    for within in (None, "."):
        Target("r.txt", within=within).write([b"a", b"b"])
        assert ((place / "r.txt").read_bytes(), mode(place / "r.txt")) == (b"ab", 0o644)
        (place / "r.txt").unlink()
    assert os.listdir() == []


def test_names_of_no_place() -> None:
    assert refused("", None) == "'' could not be written: that is no name of a file"
    with pytest.raises(OutputError, match="its directory does not exist") as caught:
        Target("my plots/x.svg")
    assert caught.value.help == "create it first: mkdir -p 'my plots'"


def test_permissions_stay(place: Path) -> None:
    path = place / "r.txt"
    for kept, within in ((0o600, "."), (0o640, "."), (0o755, None)):
        path.write_text("old")
        path.chmod(kept)
        Target("r.txt", within=within).write([b"new"])
        assert (path.read_text(), mode(path)) == ("new", kept)


def test_what_is_run_is_not_replaced_for_a_stranger(place: Path) -> None:
    path = place / "r.txt"
    path.write_text("old")
    path.chmod(0o744)
    assert refused("r.txt") == "'r.txt' could not be written: it is no plain file, or one that is run"
    assert path.read_text() == "old"
    path.unlink()
    os.mkfifo(path)
    assert refused("r.txt") == "'r.txt' could not be written: it is no plain file, or one that is run"


def test_a_link_that_the_user_named_stays_one(place: Path, tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (place / "r.txt").symlink_to(tmp_path / "real")
    Target("r.txt").write([b"new"])
    assert (place / "r.txt").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert refused("r.txt") == "'r.txt' could not be written: it leads out of the project"


def test_a_link_that_a_stranger_named_is_none(place: Path) -> None:
    (place / "real.txt").write_text("old")
    (place / "r.txt").symlink_to("real.txt")
    (place / "gone.txt").symlink_to("nothing.txt")
    for name in ("r.txt", "gone.txt"):
        assert refused(name) == f"'{name}' could not be written: it is a link"
    assert (place / "real.txt").read_text() == "old"


@pytest.mark.parametrize("path", ["../r.txt", "a/../../r.txt", "up/r.txt", "/tmp/r.txt"])
def test_a_stranger_does_not_lead_out(place: Path, path: str) -> None:
    (place / "a").mkdir()
    (place / "up").symlink_to("..")
    assert refused(path) == f"'{path}' could not be written: it leads out of the project"


@pytest.mark.parametrize(
    "path",
    [".git/r.txt", ".GIT/hooks/r.txt", "a/.git/r.txt", ".git", "link/r.txt", ".Hg/r", ".svn/r", "CVS/r", "git~1/r.txt",
     ".git./r.txt", ".git /r.txt", ".g\u200cit/r.txt", ".git::$INDEX_ALLOCATION/r.txt"],
)  # fmt: skip
def test_a_stranger_does_not_touch_versions(place: Path, path: str) -> None:
    (place / ".git").mkdir()
    (place / "link").symlink_to(".git")
    assert refused(path) == f"'{path}' could not be written: it leads into the data of a version control system"


def test_a_directory_that_becomes_a_link_is_not_followed(place: Path, tmp_path: Path) -> None:
    (place / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    made = Target("out/r.txt", within=".")
    (place / "out").rmdir()
    (place / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match=r"could not be written: (not a directory|too many levels)"):
        made.write([b"x"])
    assert os.listdir(tmp_path / "elsewhere") == []


def test_a_file_that_becomes_a_link_is_not_followed(place: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("old")
    made = Target("r.txt", within=".")
    (place / "r.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(OutputError, match="it is no plain file, or one that is run"):
        made.write([b"x"])
    assert (tmp_path / "secret").read_text() == "old"


def test_links_in_the_place_of_what_is_being_written_are_not_followed(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("old")
    # Were the name known, and a link there.
    monkeypatch.setattr(target.os, "urandom", lambda n: bytes(n))
    (place / f".gradcli-{bytes(12).hex()}.part").symlink_to(tmp_path / "secret")
    with pytest.raises(OutputError, match="file exists"):
        Target("r.txt").write([b"x"])
    assert (tmp_path / "secret").read_text() == "old"


def test_the_name_while_writing_is_not_foreseen(place: Path) -> None:
    seen = set()

    def parts() -> Iterator[bytes]:
        seen.update(name for name in os.listdir() if name.startswith(".gradcli-"))
        yield b"x"

    for _ in range(3):
        Target("r.txt").write(parts())
    assert len(seen) == 3
    assert all(len(name) == len(".gradcli-.part") + 24 for name in seen)
    assert os.listdir() == ["r.txt"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
def test_nothing_is_left_behind(place: Path, error: BaseException) -> None:
    (place / "r.txt").write_text("old")

    def parts() -> Iterator[bytes]:
        yield b"new"
        raise error

    with pytest.raises((OutputError, KeyboardInterrupt, MemoryError)):
        Target("r.txt").write(parts())
    assert os.listdir() == ["r.txt"]
    assert (place / "r.txt").read_text() == "old"


def test_no_directory_stays_open(place: Path) -> None:
    (place / "a" / "b").mkdir(parents=True)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    Target("a/b/r.txt", within=".").write([b"x"])
    made = Target("a/b/r.txt", within=".")
    os.unlink("a/b/r.txt")
    os.rmdir("a/b")
    with pytest.raises(OutputError):
        made.write([b"x"])
    assert (len(os.listdir("/proc/self/fd")) if before else 0) == before


def test_systems_that_hold_no_directories(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "_HELD", False)
    Target("r.txt").write([b"x"])
    Target("r.txt", within=".").write([b"y"])
    assert ((place / "r.txt").read_text(), os.listdir()) == ("y", ["r.txt"])
