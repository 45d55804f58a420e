"""TOML that is to keep its reader busy, or to bring it down."""

from __future__ import annotations

import contextlib

import pytest

from gradcli.cli.project.toml import loads
from gradcli.errors import InputError, Source
from tests.quick import within

MOST = 65_536
PARTS = ".".join("abcdefghijklmn")

HARD = {
    "a key of dots": "a" + ".a" * 30_000 + " = 1",
    "a key of blanks and dots": "a" + " . a" * 15_000 + " = 1",
    "a key of quoted parts": "''" + ".''" * 20_000 + " = 1",
    "a header of dots": "[" + "a." * 30_000 + "a]",
    "a header of a list": "[[" + "a." * 30_000 + "a]]",
    "a list in lists": "a = " + "[" * 60_000,
    "tables in tables": "a = " + "{a = " * 13_000,
    "both in one another": "a = " + "[{a = " * 10_000,
    "many headers": "".join(f"[a{n}]\n" for n in range(9000)),
    "many headers of lists": "[[a]]\n" * 10_000,
    "many long headers": f"[[{PARTS}]]\n" * 2000,
    "many keys below a long header": f"[{PARTS}]\n" + "".join(f"k{n}=1\n" for n in range(8000)),
    "many long keys": "".join(f"{PARTS}.k{n}=1\n" for n in range(1700)),
    "many long keys below a long header": f"[{PARTS}]\n" + "".join(f"{PARTS}.k{n}=1\n" for n in range(1700)),
    "many small lists": "a = [" + "[]," * 20_000 + "]",
    "a table of many keys": "a = {" + ",".join(f"k{n}=1" for n in range(8000)) + "}",
    "digits": "a = " + "9" * 60_000,
    "digits of another base": "a = 0x" + "f" * 60_000,
    "an exponent": "a = 1e" + "9" * 60_000,
    "escapes": 'a = "' + "\\n" * 30_000 + '"',
    "codes": 'a = "' + "\\u00e9" * 10_000 + '"',
    "lines that go on": 'a = """' + "\\\n" * 30_000 + '"""',
    "quotes within a text": 'a = """' + '""x' * 20_000,
    "only quotes": '"' * 65_000,
    "only single quotes": "'" * 65_000,
    "only backslashes": '"' + "\\" * 65_000,
    "texts one after another": '"""a\n' * 16_000,
    "lines": "\n" * 65_000,
    "comments": "#\n" * 32_000,
    "blanks": "a" + " " * 65_000,
    "blanks in a header": "[ " + " " * 65_000,
    "dates": "a = " + "2020-01-01 " * 5000,
    "a long key": '"' + "a" * 65_000 + '" = 1',
}


@pytest.mark.parametrize("name", HARD)
def test_any_text_is_read_or_refused_in_a_moment(name: str) -> None:
    source = Source("gradcli.toml", HARD[name][:MOST])
    with within(5), contextlib.suppress(InputError):
        loads(source)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("a = 1\nb.c" + ".d" * 20 + " = 1", "no settings have a key of more than 16 parts", (2, 31)),
        ("a = 1\nb = " + "[" * 20, "no settings have lists or tables more than 16 deep", (2, 20)),
        ("a = 1\nb = " + "[{a=" * 20, "no settings have lists or tables more than 16 deep", (2, 36)),
        ("a = '", "this is no TOML: Expected \"'\" (at end of document)", None),
        ("a = 1\na = 2\n", "this is no TOML: Cannot overwrite a value (at line 2, column 6)", (2, 5)),
    ],
)
def test_what_is_said(text: str, message: str, place: tuple[int, int] | None) -> None:
    with pytest.raises(InputError) as caught:
        loads(Source("gradcli.toml", text))
    assert caught.value.message == message
    span = caught.value.span
    assert (None if span is None else (span.line, span.column)) == place


def test_dots_and_brackets_within_texts_and_comments_are_none() -> None:
    dots, brackets = "." * 40, "[{" * 40
    text = (
        f'a = "{dots}{brackets}\\"{dots}"  # {dots}{brackets}\n'
        f"b = '{dots}{brackets}\\'\n"
        f'c = """{dots}"{brackets}""\n{dots}"""""\n'
        f"d = '''{dots}'{brackets}''\n{dots}'''''\n"
        f'"{dots}"."{brackets}" = 1.5\n'
        "e = [1.5, 2.5, [3.5, {f.g = 1.5}]]\n"
    )
    assert loads(Source("gradcli.toml", text))["e"] == [1.5, 2.5, [3.5, {"f": {"g": 1.5}}]]
