"""What a SPEC means, what may be read, and what is said of the rest."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from gradcli.errors import GradcliError, Source
from gradcli.spec.input import disk
from gradcli.spec.input.source import Spec, decoded, files, read, span_at, typed
from tests.quick import within

from ..attempts import attempt

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX only")
PIPE = "to read from a pipe, give - as SPEC"


@pytest.fixture(autouse=True)
def _in_its_own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(path: str, content: str | bytes = "x = 1\n") -> str:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(*args: Any, **options: Any) -> GradcliError:
    with pytest.raises(GradcliError) as caught:
        read(*args, **options)
    return caught.value


def said(*args: Any, **options: Any) -> tuple[str, str, str | None]:
    error = refused(*args, **options)
    return error.code, error.message, error.help


def place(error: GradcliError) -> tuple[str, int, int, int]:
    """Name, line, and columns, from 0, of an error that stands on one line."""
    assert error.span is not None
    assert error.span.line == error.span.end_line
    return error.span.source.name, error.span.line, error.span.column, error.span.end_column


# -- which it is -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "-x", "~x", "x*y", "a/b", "a/b.T", "a / b", "x", "h = tanh(x); h*2", "h = x\nh*2", "x[1::2]", "x[::n]",
        "{k: v}", "", ".5/x", "(a+b)/c", "a//b", "x.py + 1", "# as in net.py\nx", "expressions", "🙂", "x" * 5000,
    ],
)  # fmt: skip
def test_an_expression(text: str) -> None:
    assert read(text) == Spec(Source("<expression>", text), True, None, None)


@pytest.mark.parametrize(
    "name",
    ["net.py", "net", "dir/net.py", "dir/net", "my net.py", "-x.py", "a\nb.py", "a::b.py", "é.py", "x*y", "0"],
)
def test_what_exists_is_a_path(name: str) -> None:
    put(name, "a = 1\n")
    assert read(name) == Spec(Source(name, "a = 1\n"), False, None, name)


@pytest.mark.parametrize("name", ["net.py", "net", "a::b.py", "dir/net"])
def test_a_name_in_a_file(name: str) -> None:
    put(name)
    assert read(f"{name}::loss")[1:4] == (False, "loss", name)


def test_a_name_is_read_as_python_reads_it() -> None:
    put("net.py")
    assert read("net.py::ﬁt").target == "fit"


@pytest.mark.parametrize("name", ["", "2x", "a b", "b.py", "a.b"])
def test_no_name_in_a_file(name: str) -> None:
    put("net.py")
    message = f"'{name}' cannot be the name of a function or class in 'net.py'"
    assert said(f"net.py::{name}") == ("E504", message, "write net.py::name")


def test_kinds_are_forced() -> None:
    put("x")
    assert read("x").path == "x"
    assert read("x", kind="expression") == Spec(Source("<expression>", "x"), True, None, None)
    assert read("-", kind="expression") == Spec(Source("<expression>", "-"), True, None, None)
    assert read("x", kind="path").path == "x"
    help = "if it is an expression, put -e before it"
    assert said("y*z", kind="path") == ("E501", "no such file: 'y*z'", help)
    assert said("q::z", kind="path") == ("E501", "no such file: 'q'", help)
    assert said("", kind="path") == ("E501", "no such file: ''", help)


@pytest.mark.parametrize("text", ["net.py", "my net.py", "a/b.py", "./net.py", "/net.py"])
def test_no_such_python_file(text: str) -> None:
    assert said(text) == ("E501", f"no such file: '{text}'", None)


@pytest.mark.parametrize("text", ["./spec", "../spec", "/spec/x", "~/spec", "dir/", ".\\spec"])
def test_no_such_path(text: str) -> None:
    assert said(text) == ("E501", f"no such file: '{text}'", "if it is an expression, put -e before it")


def test_no_such_file_to_pick_from() -> None:
    assert said("net.py::loss") == ("E501", "no such file: 'net.py'", None)


def test_words_with_slashes_are_a_path_below_what_exists() -> None:
    help = "if it is an expression, put -e before it"
    assert read("things/zz").inline
    put("things/mlp.py")
    assert said("things/zz") == ("E501", "no such file: 'things/zz'", help)
    assert said("things/mlp.py/zz") == ("E501", "no such file: 'things/mlp.py/zz'", help)
    assert read("things / zz").inline


def test_did_you_mean() -> None:
    put("things/mlp.py")
    put("network.py")
    assert said("things/mlp")[2] == "did you mean things/mlp.py?"
    assert said("./things/mpl.py")[2] == "did you mean ./things/mlp.py?"
    assert said("netwrk.py")[2] == "did you mean network.py?"
    assert said("netwrk.py::f")[1:] == ("no such file: 'netwrk.py'", "did you mean network.py?")


def test_a_broken_link_is_no_file() -> None:
    os.symlink("nowhere", "net")
    assert said("net")[:2] == ("E501", "no such file: 'net'")
    assert said("net::f")[:2] == ("E501", "no such file: 'net'")


@given(st.text())
def test_any_text_is_a_spec_or_an_error(text: str) -> None:
    for kind in ("auto", "expression", "path"):
        spec = attempt(lambda kind=kind: read(text, kind=kind, stdin=io.BytesIO(b"x")))  # type: ignore[misc]
        if isinstance(spec, GradcliError):
            assert spec.code in ("E104", "E501", "E502", "E504")
        else:
            assert spec.inline is (spec.path is None and spec.source.name == "<expression>")


# -- standard input ----------------------------------------------------------------------------


class Drops(io.RawIOBase):
    """A file that hands out one byte at a time."""

    def __init__(self, data: bytes) -> None:
        self.data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self.data.read(min(size, 1))


class Broken(io.RawIOBase):
    """A file that cannot be read."""

    def read(self, size: int = -1) -> bytes:
        raise OSError(5, "Input/output error")


@pytest.mark.parametrize("kind", ["auto", "path"])
def test_standard_input(kind: Any) -> None:
    expected = Spec(Source("<stdin>", "x = 1\nx\n"), False, None, None)
    assert read("-", kind=kind, stdin=io.BytesIO(b"x = 1\r\nx\n")) == expected
    assert read("-", kind=kind, stdin=Drops(b"x = 1\r\nx\n")) == expected  # type: ignore[arg-type]


def test_standard_input_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x\n")))
    assert read("-").source.text == "x\n"
    monkeypatch.setattr(sys, "stdin", None)
    assert said("-") == ("E502", "cannot read standard input: it is closed", None)


def test_standard_input_that_breaks() -> None:
    assert said("-", stdin=Broken()) == ("E502", "cannot read standard input: input/output error", None)


def test_standard_input_is_not_read_to_its_end() -> None:
    endless = io.BytesIO(b"x\n" * 10**6)
    error = refused("-", stdin=endless)
    assert (error.code, error.message) == ("E407", "the program has more than 262,144 bytes; the limit is 262,144")
    assert endless.tell() == 262_145
    assert place(error) == ("<stdin>", 131073, 0, 1)


# -- size --------------------------------------------------------------------------------------


def test_a_program_may_be_as_large_as_the_limit() -> None:
    text = "x" * 262_144
    assert read(text).source.text == text
    assert read(put("net.py", text)).source.text == text
    assert read("-", stdin=io.BytesIO(text.encode())).source.text == text


@pytest.mark.parametrize("kind", ["expression", "path"])
def test_a_program_that_is_too_large(kind: Any) -> None:
    text = "x = 1\n" * 3
    error = refused(put("net.py", text) if kind == "path" else text, kind=kind, max_bytes=15)
    assert error.code == "E407"
    assert error.exit_code == 2
    assert error.message == "the program has 18 bytes; the limit is 15"
    assert error.help == "`--limits relaxed` or `--max-source KIB` allows more"
    assert place(error) == ("net.py" if kind == "path" else "<expression>", 3, 3, 4)


def test_size_is_counted_in_bytes() -> None:
    assert read("é" * 5, max_bytes=10).source.text == "é" * 5
    error = refused("é" * 5, max_bytes=9)
    assert error.message == "the program has 10 bytes; the limit is 9"
    assert place(error)[1] == 1
    assert refused("\udcff" * 4, max_bytes=9).code == "E407"


# -- characters --------------------------------------------------------------------------------


def readings(data: bytes) -> list[tuple[str, dict[str, Any]]]:
    return [(put("net.py", data), {}), ("-", {"stdin": io.BytesIO(data)})]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"a\r\nb\rc\n\rd", "a\nb\nc\n\nd"),
        ("a\x0b\x0c\x1c\x85\u2028b\r".encode(), "a\x0b\x0c\x1c\x85\u2028b\n"),
        ("α = 'é🙂'\n".encode(), "α = 'é🙂'\n"),
        (b"", ""),
        (b"# -*- coding: utf-8 -*-\nx\n", "# -*- coding: utf-8 -*-\nx\n"),
        (
            b"#!/usr/bin/python\n# vim: set fileencoding=UTF_8 :\n",
            "#!/usr/bin/python\n# vim: set fileencoding=UTF_8 :\n",
        ),
        (b"# coding: ascii\n", "# coding: ascii\n"),
        (b"\n\n# coding: latin-1\n", "\n\n# coding: latin-1\n"),
        (b"x = 1\n# coding: latin-1\n", "x = 1\n# coding: latin-1\n"),
        (b"x = 1 # coding: latin-1\n", "x = 1 # coding: latin-1\n"),
    ],
)
def test_the_text_of_a_file(data: bytes, text: str) -> None:
    for spec, options in readings(data):
        assert read(spec, **options).source.text == text


def test_an_expression_has_the_same_newlines_and_no_mark() -> None:
    assert read("\ufeffa\r\nb\rc").source.text == "a\nb\nc"
    assert read("# coding: latin-1\nx").source.text == "# coding: latin-1\nx"


@pytest.mark.parametrize(
    ("data", "byte", "offset", "line", "columns", "shown"),
    [
        (b"\xff", "0xff", 0, 1, (0, 4), "\\xff"),
        (b"x = 1\r\ny = '\xc3\xa9\xe9'\n", "0xe9", 14, 2, (6, 10), "x = 1\ny = 'é\\xe9'\n"),
        (b"\xef\xbb\xbfx\xff", "0xff", 4, 1, (1, 5), "x\\xff"),
        (b"a\rb\xe2\x82", "0xe2", 3, 2, (1, 9), "a\nb\\xe2\\x82"),
        (b"a\xed\xa0\x80", "0xed", 1, 1, (1, 5), "a\\xed\\xa0\\x80"),
        (b"a\xc0\x80", "0xc0", 1, 1, (1, 5), "a\\xc0\\x80"),
    ],
)
def test_bytes_that_are_not_utf8(
    data: bytes, byte: str, offset: int, line: int, columns: tuple[int, int], shown: str
) -> None:
    for spec, options in readings(data):
        error = refused(spec, **options)
        assert (error.code, error.help) == ("E104", "save it as UTF-8")
        assert error.message == f"byte {byte} at offset {offset} is not UTF-8"
        assert place(error)[1:] == (line, *columns)
        assert error.span is not None
        assert error.span.source.text == shown


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_utf16(encoding: str) -> None:
    error = refused(put("net.py", "x = 1\n".encode(encoding)))
    wide = encoding == "utf-16"
    nul = "the text has a NUL character, which no program may have"
    assert error.message == ("the text is UTF-16, not UTF-8" if wide else nul)
    assert place(error) == ("net.py", 1, 0, 4) if wide else ("net.py", 1, 1, 2)


def test_nul() -> None:
    message = "the text has a NUL character, which no program may have"
    for text, options in [("y\r\nx = 1\0", {}), *readings(b"y\r\nx = 1\0")]:
        error = refused(text, **options)
        assert (error.code, error.message) == ("E104", message)
        assert error.help == "leave it out, or save the text as UTF-8"
        assert place(error)[1:] == (2, 5, 6)


@pytest.mark.parametrize(
    ("character", "message"),
    [
        ("\udcff", "byte 0xff is not UTF-8"),
        ("\udc80", "byte 0x80 is not UTF-8"),
        ("\ud800", "U+D800 is half of a surrogate pair"),
        ("\udfff", "U+DFFF is half of a surrogate pair"),
    ],
)
def test_lone_surrogates(character: str, message: str) -> None:
    error = refused(f"é = '{character}'")
    assert (error.code, error.message, error.help) == ("E104", message, "write the text in UTF-8")
    assert place(error) == ("<expression>", 1, 5, 11)
    assert error.span is not None
    assert error.span.source.text == f"é = '\\u{ord(character):04x}'"


@pytest.mark.parametrize("before", [b"", b"\n", b"#!/bin/sh\r\n", b"\xef\xbb\xbf", b"  # \xff\r"])
def test_a_coding_comment(before: bytes) -> None:
    for spec, options in readings(before + b"# -*- coding: latin-1 -*-\nx = '\xe9'\n"):
        error = refused(spec, **options)
        assert error.code == "E104"
        assert error.message == "the program says that its encoding is latin-1, and only UTF-8 is read"
        assert error.help == "save it as UTF-8 and leave this comment out"
        assert place(error)[1:] == (1 if before in (b"", b"\xef\xbb\xbf") else 2, 14, 21)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_as_python_reads_them_or_an_error(data: bytes) -> None:
    try:
        expected = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        with pytest.raises(GradcliError) as caught:
            decoded("f", data)
        bad = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        assert caught.value.message in (
            f"byte 0x{data[bad]:02x} at offset {bad} is not UTF-8",
            "the text is UTF-16, not UTF-8",
        )
        span = caught.value.span
        assert span is not None
        assert span.source.text.split("\n")[span.line - 1][span.column :].startswith(f"\\x{data[bad]:02x}")
    else:
        if "\0" in expected:
            with pytest.raises(GradcliError, match="NUL"):
                decoded("f", data)
        else:
            universal = io.IncrementalNewlineDecoder(None, translate=True).decode(expected, final=True)
            assert (
                decoded("f", data).text == universal == typed("f", expected).text.removeprefix("\ufeff")
                or "\ufeff" in expected
            )


@given(st.text(st.sampled_from("ab\n"), min_size=1), st.data())
def test_a_span_is_where_its_characters_are(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    span = span_at(Source("f", text), start, start + 1)
    line = (text.split("\n")[span.line - 1] + "\n")[span.column : span.end_column]
    assert line == text[start]


def test_a_span_ends_with_its_line() -> None:
    assert span_at(Source("f", "ab\ncd"), 1, 5)[1:] == (1, 1, 1, 2)
    assert span_at(Source("f", "ab\ncd"), 5, 5)[1:] == (2, 2, 2, 3)


# -- what is no regular file -------------------------------------------------------------------


def test_a_directory() -> None:
    Path("things").mkdir()
    help = "name a file in it; `gradcli check` takes directories"
    for text in ("things", "./things", "things/"):
        assert said(text) == ("E502", f"'{text}' is a directory", help)
    assert said("things::f") == ("E502", "'things' is a directory", help)
    assert said(".") == ("E502", "'.' is a directory", help)


@posix
def test_a_pipe_is_not_waited_for() -> None:
    os.mkfifo("net.py")
    with within(10):
        assert said("net.py") == ("E502", "'net.py' is not a regular file but a pipe", PIPE)


@posix
def test_a_file_exchanged_for_a_pipe_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo("net.py")
    regular = os.stat(put("other.py"))
    monkeypatch.setattr(os, "stat", lambda path, **options: regular)
    with within(10):
        assert said("net.py", kind="path")[1] == "'net.py' is not a regular file but a pipe"


@posix
def test_devices() -> None:
    for path in ("/dev/zero", "/dev/null", "/dev/urandom"):
        assert said(path) == ("E502", f"'{path}' is not a regular file but a device", PIPE)
    reader, writer = os.pipe()
    try:
        assert said(f"/dev/fd/{reader}") == ("E502", f"'/dev/fd/{reader}' is not a regular file but a pipe", PIPE)
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="Linux only")
def test_what_the_system_makes_up() -> None:
    for path in ("/proc/self/environ", "/proc/self/status"):
        assert said(path) == ("E502", f"'{path}' is not a regular file: the system makes it up", PIPE)


def test_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    put("net.py")

    def denied(*_: Any) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    assert said("net.py") == ("E502", "cannot read 'net.py': permission denied", None)


def test_a_disk_that_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    put("net.py")

    class BrokenFile(Broken, io.FileIO): ...

    def broken(path: str, mode: str, opener: Any) -> BrokenFile:
        return BrokenFile(path)

    monkeypatch.setattr(disk, "open", broken, raising=False)
    assert said("net.py") == ("E502", "cannot read 'net.py': input/output error", None)


def test_links_in_a_circle() -> None:
    os.symlink("a.py", "b.py")
    os.symlink("b.py", "a.py")
    assert said("a.py") == ("E502", "cannot read 'a.py': its symbolic links lead in a circle", None)


def test_names_that_no_file_can_have() -> None:
    long = "x" * 5000 + ".py"
    assert said(long) == ("E502", f"cannot read '{long}': its name is too long", None)
    assert said("a\0.py") == ("E502", "cannot read 'a\0.py': no path can have such characters", None)
    assert said("\ud800.py") == ("E502", "cannot read '\ud800.py': no path can have such characters", None)


def test_a_link_to_a_file() -> None:
    put("net.py", "a\n")
    os.symlink("net.py", "link")
    assert read("link") == Spec(Source("link", "a\n"), False, None, "link")


@posix
def test_files_are_closed() -> None:
    put("net.py")
    os.mkfifo("pipe")
    lowest = os.dup(0)
    os.close(lowest)
    for text in ("net.py", "pipe", "."):
        attempt(lambda text=text: read(text))  # type: ignore[misc]
    again = os.dup(0)
    os.close(again)
    assert again == lowest


@posix
def test_without_a_current_directory(tmp_path: Path) -> None:
    code = f"""
import os
os.mkdir("gone"); os.chdir("gone"); os.rmdir({str(tmp_path / "gone")!r})
from gradcli.spec.input.source import read
from gradcli.errors import GradcliError
print(read("x*y").source.text, read("a/b").source.text)
for text in ("net.py", "./net"):
    try:
        read(text)
    except GradcliError as error:
        print(error.code, error.message, error.help, sep="|")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(disk.__file__).parents[3])},
    )  # fmt: skip
    help = "give the whole path, or change to another directory"
    assert done.stdout.split("\n") == [
        "x*y a/b",
        f"E502|cannot read 'net.py': the current directory no longer exists|{help}",
        f"E502|cannot read './net': the current directory no longer exists|{help}",
        "",
    ], done.stderr


# -- directories -------------------------------------------------------------------------------


def test_files_of_directories() -> None:
    for path in (
        "s/b.py",
        "s/a.py",
        "s/a-b.py",
        "s/a/z.py",
        "s/.hid/x.py",
        "s/.x.py",
        "s/__pycache__/a.py",
        "s/t.txt",
        "one.py",
    ):
        put(path)
    # The mark of a package is no program.
    put("s/a/__init__.py", "")
    below = ["s/a/z.py", "s/a-b.py", "s/a.py", "s/b.py"]
    assert files(["s"]) == sorted(below, key=lambda path: path.split("/"))
    assert files(["s/"]) == files(["s"])
    assert files(["."]) == ["./one.py", *(f"./{path}" for path in files(["s"]))]
    assert files(["one.py", "x*y", "-", "one.py::f", "missing.py", "s/a"]) == [
        "one.py", "x*y", "-", "one.py::f", "missing.py", "s/a/z.py",
    ]  # fmt: skip
    assert files(["s/b.py", "s", "one.py", "./one.py"]) == ["s/b.py", *files(["s"])[:-1], "one.py"]
    assert files([]) == []


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (["a"], ["s/a-b.py", "s/b.py"]),
        (["a/"], ["s/a-b.py", "s/b.py"]),
        (["s/a"], ["s/a-b.py", "s/b.py"]),
        (["./s/a/"], ["s/a-b.py", "s/b.py"]),
        (["s/a/*"], ["s/a-b.py", "s/b.py"]),
        (["*b.py"], ["s/a/z.py"]),
        (["z.py", "a-*"], ["s/b.py"]),
        (["nothing"], ["s/a/z.py", "s/a-b.py", "s/b.py"]),
    ],
)
def test_excluded_files(patterns: list[str], left: list[str]) -> None:
    for path in ("s/b.py", "s/a-b.py", "s/a/z.py"):
        put(path)
    assert sorted(files(["s"], patterns)) == sorted(left)
    assert files(["s/b.py"], ["b.py"]) == ["s/b.py"]


def test_links_are_visited_once_and_not_followed_outwards() -> None:
    put("s/a.py")
    put("s/d/b.py")
    put("secret/key.py")
    os.symlink(".", "s/loop")
    os.symlink("..", "s/d/up")
    os.symlink("d", "s/e")
    os.symlink("a.py", "s/z.py")
    os.symlink("../secret", "s/out")
    os.symlink("../secret/key.py", "s/key.py")
    os.symlink("nowhere", "s/gone.py")
    assert files(["s"]) == ["s/a.py", "s/d/b.py", "s/gone.py"]
    os.symlink("s", "t")
    assert files(["t"]) == ["t/a.py", "t/d/b.py", "t/gone.py"]
    assert files(["s", "t"]) == files(["s"])


def test_a_directory_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    put("s/a.py")

    def denied(path: str) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", denied)
    with pytest.raises(GradcliError) as caught:
        files(["s"])
    assert (caught.value.code, caught.value.message) == ("E502", "cannot read 's': permission denied")
