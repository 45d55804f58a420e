"""Escaping: what would act is shown, everything else stays."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, strategies as st

from gradcli.text.escape import encodable, harmless, one_line, plain

from ..report.terminal import acts, commands_ci

# Text with more than its share of what matters here.
OFTEN = st.sampled_from(":#[ \n\tvso\x1b\r\u202e\u2028\ufeff\ud800é日\u0301\u200d")
HOSTILE = st.text(st.one_of(OFTEN, st.characters()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;pwned\x07\x1b[2J", r"\x1b]0;pwned\x07\x1b[2J"),
        ("ok\rno", r"ok\x0dno"),
        ("\0\b\x0b\x0c\x7f\x85\x9b", r"\x00\x08\x0b\x0c\x7f\x85\x9b"),
        ("\u202egnp.exe\u2066\u200f\u061c", r"\u202egnp.exe\u2066\u200f\u061c"),
        ("a\u2028b\u2029c\ufeffd", r"a\u2028b\u2029c\ufeffd"),
        ("\ud800 \udcff", r"\ud800 \udcff"),
        ("a\tb\nc", "a\tb\nc"),
        ("[red]not markup[/red] [/] :smile:", "[red]not markup[/red] [/] :smile:"),
        ("日本\xa0e\u0301 👨\u200d👩\u200d👧 \\x1b", "日本\xa0e\u0301 👨\u200d👩\u200d👧 \\x1b"),
    ],
)
def test_what_would_act_is_shown(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_every_character_that_acts_is_escaped_and_no_other() -> None:
    for code in range(sys.maxunicode + 1):
        c = chr(code)
        if c not in "\n\t":
            assert (plain(c) != c) == acts(c), hex(code)


def test_names_take_one_line() -> None:
    assert one_line("a\nb\tc\x1b.py") == r"a\nb\tc\x1b.py"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error file=x.py::no", r"\x3a:error file=x.py::no"),
        (" \t\xa0\u3000::set-output", " \t\xa0\u3000\\x3a:set-output"),
        ("fine\n::warning::\n\n ::x", "fine\n\\x3a:warning::\n\n \\x3a:x"),
        ("##[error]x", r"\x23#[error]x"),
        ("x ###[group]", r"x #\x23#[group]"),
        ("##vso[task.complete]##TeamCity[x]", r"\x23#vso[task.complete]\x23#TeamCity[x]"),
        ("a::b ## c [::2] # [x] :: y", "a::b ## c [::2] # [x] :: y"),
    ],
)
def test_commands_of_ci_runners_are_broken(text: str, shown: str) -> None:
    assert harmless(text) == shown


@pytest.mark.parametrize(
    ("before", "text", "shown"),
    [
        (":", ":error", r"\x3aerror"),
        ("  ", "::error", r"\x3a:error"),
        ("##", "[error]", r"\x5berror]"),
        ("##te", "amcity[x]", r"\x61mcity[x]"),
        ("x:", ":error", ":error"),
        ("x\n", "y", "y"),
    ],
)
def test_commands_are_broken_across_parts_of_a_line(before: str, text: str, shown: str) -> None:
    assert harmless(text, before) == shown


@given(HOSTILE)
def test_nothing_gets_through(text: str) -> None:
    shown = harmless(plain(text))
    assert not any(acts(c) for c in shown if c not in "\n\t")
    assert not any(map(commands_ci, shown.split("\n")))


@given(st.lists(HOSTILE))
def test_nothing_gets_through_in_parts(parts: list[str]) -> None:
    shown = ""
    for part in parts:
        shown += harmless(part.replace("\n", ""), shown)
    assert not commands_ci(shown)


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("ascii", r"-> x ... ' - | ` | * <= >= \xe9 \u65e5 \U0001f600 \ud800"), ("utf-8", None), ("latin-1", None)],
)
def test_what_cannot_be_encoded_has_twins(encoding: str, shown: str | None) -> None:
    text = "→ × … ′ ─ │ └ ├ • ≤ ≥ é 日 😀 \ud800"
    if encoding == "utf-8":
        shown = text.replace("\ud800", r"\ud800")
    elif encoding == "latin-1":
        shown = r"-> × ... ' - | ` | * <= >= é \u65e5 \U0001f600 \ud800"
    assert encodable(text, encoding) == shown
