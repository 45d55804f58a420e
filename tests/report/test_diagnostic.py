"""Diagnostics to the letter: places, source lines, carets, wrapping and escaping."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, strategies as st

from gradcli.errors import GradcliError, Source, Span
from gradcli.report.console import painted
from gradcli.report.diagnostic import lines as lines_of, render
from gradcli.text.parts import written

from ..text.test_escape import HOSTILE
from .terminal import acts, bare, commands_ci, width as cells


def error(
    text: str,
    column: int,
    end: int,
    *,
    line: int = 1,
    end_line: int | None = None,
    message: str = "no",
    name: str = "net.py",
    help: str | None = None,
    notes: tuple[str, ...] = (),
) -> GradcliError:
    span = Span(Source(name, text), line, column, end_line or line, end)
    return GradcliError(message, span=span, help=help, code="E201", notes=notes)


def pointed(text: str, column: int, end: int, **options: bool | int) -> tuple[str, str]:
    """The source line and the carets of an error in the first line of a text, without their gutters."""
    *_, source, carets = bare(render(error(text, column, end), **options)).split("\n")  # type: ignore[arg-type]
    assert source.startswith("1 |")
    assert carets.startswith("  | ")
    return source[4:], carets[4:]


def test_the_example_of_the_handbook() -> None:
    text = "\n" * 13 + "    return torch.softmx(h @ self.w, dim=-1)\n"
    found = error(
        text,
        11,
        23,
        line=14,
        message="torch has no function 'softmx' in gradcli",
        help="did you mean torch.softmax? (`gradcli ops 'soft*'` lists 5)",
        notes=("first", "second\nin two lines"),
    )
    assert render(found) == dedent("""\
        net.py:14:12: error[E201]: torch has no function 'softmx' in gradcli
           |
        14 |     return torch.softmx(h @ self.w, dim=-1)
           |            ^^^^^^^^^^^^
           = note: first
           = note: second
                   in two lines
           = help: did you mean torch.softmax? (`gradcli ops 'soft*'` lists 5)""")


def test_without_a_place() -> None:
    assert render(GradcliError("no such file: 'x.py'", code="E501", help="give a path")) == (
        "error[E501]: no such file: 'x.py'\n  = help: give a path"
    )


@pytest.mark.parametrize(
    ("text", "column", "end", "source", "carets"),
    [
        ("x + y", 4, 5, "x + y", "    ^"),
        ("'日本' + y", 7, 8, "'日本' + y", "         ^"),
        ("'日本' + y", 2, 3, "'日本' + y", "   ^^"),
        ("'e\u0301' + y", 7, 8, "'e\u0301' + y", "      ^"),
        ("'😀' + y", 6, 7, "'😀' + y", "       ^"),
        ("'\u1112\u1161\u11ab' + y", 8, 9, "'\u1112\u1161\u11ab' + y", "       ^"),
        ("\tx\t= y", 5, 6, "    x    = y", "           ^"),
        ("x\xa0= 1", 1, 2, r"x\xa0= 1", " ^^^^"),
        ("x\u200dy = 1", 1, 2, r"x\u200dy = 1", " ^^^^^^"),
        ("'\x1b[2J\u202e' + z", 10, 11, r"'\x1b[2J\u202e' + z", " " * 18 + "^"),
        ("\ufeffx = \ud800", 5, 6, r"\ufeffx = \ud800", " " * 10 + "^^^^^^"),
        ("print('##[add-mask]') + y", 24, 25, r"print('\x23#[add-mask]') + y", " " * 27 + "^"),
        ("", 0, 0, "", "^"),
        ("x = (", 5, 6, "x = (", "     ^"),
        ("x = (", 99, 120, "x = (", "     ^"),
        ("abc", 1, 1, "abc", " ^"),
        ("abc\r\ndef", 1, 9, "abc", " ^^"),
        ("a\x0cb\u2028c\x85d", 6, 7, r"a\x0cb\u2028c\x85d", " " * 17 + "^"),
    ],
)
def test_carets_stand_under_the_span(text: str, column: int, end: int, source: str, carets: str) -> None:
    assert pointed(text, column, end) == (source, carets)


def test_a_span_of_several_lines_is_underlined_to_the_end_of_the_first() -> None:
    assert render(error("f(a,\n  b)", 0, 4, end_line=2)).split("\n")[1:] == ["  |", "1 | f(a,", "  | ^^^^"]


def test_a_place_behind_the_last_line() -> None:
    assert render(error("x = (", 0, 0, line=2)) == "net.py:2:1: error[E201]: no\n  |\n2 |\n  | ^"


LONG = "a+" * 300 + "bad" + "+c" * 200


@pytest.mark.parametrize(
    ("text", "column", "end", "ascii", "source", "carets"),
    [
        (LONG, 600, 603, False, "…+a+a+a+a+a+a+a+bad+c+c+c+c+c+c+c+c…", "                ^^^"),
        (LONG, 600, 603, True, "...+a+a+a+a+a+a+bad+c+c+c+c+c+c+c...", "                ^^^"),
        (LONG, 0, 1, False, "a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a…", "^"),
        (LONG, 30, 31, False, "a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a…", "                              ^"),
        (LONG, 1002, 1003, False, "…c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c+c", "                                   ^"),
        (LONG, 600, 1000, False, "…a+a+a+a+bad+c+c+c+c+c+c+c+c+c+c+c+…", "         ^^^^^^^^^^^^^^^^^^^^^^^^^^"),
        ("日" * 100 + "x", 50, 51, False, "…日日日日日日日日日日日日日日日日日…", "                 ^^"),
    ],
)
def test_long_lines_are_cut_around_the_caret(
    text: str, column: int, end: int, ascii: bool, source: str, carets: str
) -> None:
    assert pointed(text, column, end, width=40, ascii=ascii) == (source, carets)


def test_off_a_terminal_lines_are_cut_at_100_and_messages_never() -> None:
    message = "many words " * 20 + "end"
    first, _, source, carets = render(error(LONG, 600, 603, message=message)).split("\n")
    assert first == f"net.py:1:601: error[E201]: {message}"
    assert len(source) == 100
    assert source[carets.index("^") :][: carets.count("^")] == "bad"


def test_on_a_terminal_messages_wrap_at_words() -> None:
    found = error("x", 0, 1, message="The size of tensor a (3) must match the size of tensor b", help="one two " * 5)
    assert render(found, width=40) == dedent("""\
        net.py:1:1: error[E201]: The size of
            tensor a (3) must match the size of
            tensor b
          |
        1 | x
          | ^
          = help: one two one two one two one
                  two one two""")


def test_words_longer_than_a_line_are_cut() -> None:
    assert render(GradcliError("x" * 50), width=24) == (
        "error[E301]:\n    xxxxxxxxxxxxxxxxxxxx\n    xxxxxxxxxxxxxxxxxxxx\n    xxxxxxxxxx"
    )


def test_messages_of_several_lines_are_indented() -> None:
    text = "Error(s) in loading state_dict for Net:\n\tMissing key(s): 'w'.\n\n::error::x\n"
    assert render(GradcliError(text)) == (
        "error[E301]: Error(s) in loading state_dict for Net:\n        Missing key(s): 'w'.\n\n    \\x3a:error::x"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\nb.py", r"a\nb.py"),
        ("::error file=x", r"\x3a:error file=x"),
        ("\x1b[31m\u202e.py", r"\x1b[31m\u202e.py"),
        ("日本.py", "日本.py"),
    ],
)
def test_names_are_escaped(name: str, shown: str) -> None:
    assert render(error("x", 0, 1, name=name)).split("\n")[0] == f"{shown}:1:1: error[E201]: no"


def test_in_ascii_everything_is_ascii() -> None:
    found = error("'é' × 日", 4, 5, message="a × b → c…", name="é.py", help="′", notes=("日",))
    assert render(found, ascii=True) == dedent(r"""
        \xe9.py:1:5: error[E201]: a x b -> c...
          |
        1 | '\xe9' \xd7 \u65e5
          |        ^^^^
          = note: \u65e5
          = help: '""").lstrip("\n")


def test_colours() -> None:
    found = error("x + y", 4, 5, help="h", notes=("n",))
    assert painted(lines_of(found)) == (
        "\x1b[1mnet.py:1:5: \x1b[0m\x1b[1;31merror[E201]\x1b[0m\x1b[1m: no\x1b[0m\n"
        "\x1b[1;34m  |\x1b[0m\n"
        "\x1b[1;34m1 |\x1b[0m x + y\n"
        "\x1b[1;34m  |\x1b[0m     \x1b[1;31m^\x1b[0m\n"
        "  \x1b[1;34m=\x1b[0m \x1b[1mnote:\x1b[0m n\n"
        "  \x1b[1;34m=\x1b[0m \x1b[1;36mhelp:\x1b[0m h\n"
    )


ERRORS = st.builds(
    error,
    HOSTILE,
    st.integers(0, 200),
    st.integers(0, 200),
    line=st.integers(1, 12),
    end_line=st.integers(1, 20),
    message=HOSTILE,
    name=HOSTILE,
    help=st.one_of(st.none(), HOSTILE),
    notes=st.lists(HOSTILE, max_size=2).map(tuple),
)


@given(ERRORS, st.one_of(st.none(), st.integers(0, 120)), st.booleans())
def test_whatever_the_error_its_diagnostic_is_safe(found: GradcliError, width: int | None, ascii: bool) -> None:
    text = render(found, width=width, ascii=ascii)
    shown = lines_of(found, width=width, ascii=ascii)
    assert bare(painted(shown)) == written(shown) == text + "\n"
    lines = text.split("\n")
    assert not any(acts(c) for line in lines for c in line)
    assert not any(map(commands_ci, lines))
    assert not ascii or text.isascii()
    if width is not None:
        assert max(map(cells, lines)) <= max(width, 24)


SOURCE = st.text(st.sampled_from("ab(+日é\u0301\t😀"), min_size=1, max_size=150)


@given(SOURCE, st.text(st.sampled_from("ab日\t"), max_size=150), st.integers(24, 120))
def test_carets_stand_under_what_is_wrong(before: str, after: str, width: int) -> None:
    text = f"{before}!{after}"
    source, carets = pointed(text, len(before), len(before) + 1, width=width)
    assert carets.count("^") == 1
    assert cells(source[: source.index("!")]) == carets.index("^")
