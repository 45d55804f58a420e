"""``# gradcli:`` comments: which are read, what they may say, and what is said of the rest."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, strategies as st

from gradcli.errors import GradcliError, InputError, Source
from gradcli.spec.input.directives import ALLOWED, Directive, directives
from tests.quick import within

from ..attempts import attempt

KEYS = (
    "seed, dtype, order, digits, no-grad, input, claim, claim-from, allow, strict, every-entry, everywhere, "
    "require-coverage"
)


def read(text: str) -> list[tuple[str, str | None]]:
    return [(found.key, found.value) for found in directives(Source("net.py", text))]


def shown(found: Directive) -> str:
    """The characters of a span."""
    span = found.span
    return span.source.text.split("\n")[span.line - 1][span.column : span.end_column]


def refused(text: str) -> tuple[str, str | None, str]:
    """The message, the help and what the caret is under."""
    with pytest.raises(InputError) as caught:
        directives(Source("net.py", text))
    error = caught.value
    assert (error.code, error.exit_code) == ("E505", 2)
    assert error.span is not None
    return error.message, error.help, shown(Directive("", None, error.span))


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# gradcli: order=2", [("order", "2")]),
        ("#gradcli:order=2", [("order", "2")]),
        ("#   gradcli:   order = 2  ", [("order", "2")]),
        ("# gradcli: order 2", [("order", "2")]),
        ("# gradcli: allow kink", [("allow", "kink")]),
        ("# gradcli: allow=HIDDEN_PATH", [("allow", "hidden-path")]),
        ("# gradcli: order=2, allow kink,allow edge , strict", [
            ("order", "2"), ("allow", "kink"), ("allow", "edge"), ("strict", None)]),
        ("# gradcli: allow kink  # relu stands on its kink, on purpose", [("allow", "kink")]),
        ("# gradcli: no-grad x, no_grad y, no-grad=ﬁ", [("no-grad", "x"), ("no-grad", "y"), ("no-grad", "fi")]),
        ("# gradcli: Every-Entry", [("every-entry", None)]),
        ("# gradcli: seed=007, dtype=Float32, digits=17", [("seed", "7"), ("dtype", "float32"), ("digits", "17")]),
        ("# gradcli: seed=18446744073709551615", [("seed", "18446744073709551615")]),
        ("# gradcli, order=2", []),
        ("# see gradcli: order=2", []),
        ("## gradcli: order=2", []),
        ("# Gradcli: order=2", []),
        ("'# gradcli: ordr=2'", []),
        ("f'# gradcli: ordr=2'", []),
        ("'''\n# gradcli: ordr=2\n'''", []),
        ("r'\\''# gradcli: order=2", [("order", "2")]),
        ("x = '#'  # gradcli: order=2", [("order", "2")]),
        ("x = [1,  # gradcli: order=2\n2]", [("order", "2")]),
        ("if x:\n    # gradcli: order=2\n    y\n  # gradcli: strict", [("order", "2"), ("strict", None)]),
        ("# gradcli: claim x=f(x, 2), strict", [("claim", "x=f(x, 2)"), ("strict", None)]),
        ("# gradcli: x=randn(2,3), y = [1,2]", [("input", "x=randn(2,3)"), ("input", "y=[1,2]")]),
        ("# gradcli: input order=3, claim-from df", [("input", "order=3"), ("claim-from", "df")]),
        ("", []),
    ],
)  # fmt: skip
def test_comments(comment: str, expected: list[tuple[str, str | None]]) -> None:
    for text in (comment, f"x = 1\n{comment}\ny = 2\n", comment + "\n"):
        assert read(text) == expected


@pytest.mark.parametrize("kind", ALLOWED)
def test_each_kind_can_be_allowed(kind: str) -> None:
    assert read(f"# gradcli: allow {kind}") == [("allow", kind)]


def test_places() -> None:
    text = "é = '🙂\x0b\x0c\u2028'  # gradcli: order = 2 , allow kink # so\n\n    # gradcli:strict"
    found = directives(Source("net.py", text))
    assert [shown(f) for f in found] == ["order = 2", "allow kink", "strict"]
    assert [f.span.line for f in found] == [1, 1, 3]


@pytest.mark.parametrize(
    ("comment", "message", "help", "under"),
    [
        ("ordr=2", "gradcli has no 'ordr' to set in a comment", "did you mean order?", "ordr"),
        ("strict, No_Gard x", "gradcli has no 'no-gard' to set in a comment", "did you mean no-grad?", "No_Gard"),
        ("prints the graph", "gradcli has no 'prints' to set in a comment", f"there are {KEYS}", "prints"),
        ("order", "'order' needs a value", "write order=N, from 1 to 10", "order"),
        ("order=", "'order' needs a value", "write order=N, from 1 to 10", "order="),
        ("order=0", "'0' is no value of 'order'", "write order=N, from 1 to 10", "0"),
        ("order=11", "'11' is no value of 'order'", "write order=N, from 1 to 10", "11"),
        ("order=2.0", "'2.0' is no value of 'order'", "write order=N, from 1 to 10", "2.0"),
        ("order=²", "'²' is no value of 'order'", "write order=N, from 1 to 10", "²"),
        ("order==2", "'=2' is no value of 'order'", "write order=N, from 1 to 10", "=2"),
        ("digits=18", "'18' is no value of 'digits'", "write digits=N, from 1 to 17", "18"),
        ("seed=-1", "'-1' is no value of 'seed'", "write seed=N, from 0 to 2**64 - 1", "-1"),
        ("seed=18446744073709551616", "'18446744073709551616' is no value of 'seed'",
         "write seed=N, from 0 to 2**64 - 1", "18446744073709551616"),
        ("dtype=flaot32", "'flaot32' is no value of 'dtype'", "did you mean dtype float32?", "flaot32"),
        ("dtype=int8", "'int8' is no value of 'dtype'", "write dtype=float32 or dtype=float64", "int8"),
        ("allow kinks", "'kinks' is no value of 'allow'", "did you mean allow kink?", "kinks"),
        ("allow kink edge", "'kink edge' is no value of 'allow'",
         f"write allow KIND, one of {', '.join(ALLOWED)}", "kink edge"),
        ("allow", "'allow' needs a value", f"write allow KIND, one of {', '.join(ALLOWED)}", "allow"),
        ("no-grad 2x", "'2x' is no value of 'no-grad'", "write no-grad NAME, the name of an input", "2x"),
        ("strict=yes", "'strict' takes no value", "write # gradcli: strict", "strict=yes"),
        ("strict yes", "'strict' takes no value", "write # gradcli: strict", "strict yes"),
        ("strict=", "'strict' takes no value", "write # gradcli: strict", "strict="),
        ("order=2, strict, order=3", "'order' is given twice", "leave one out", "order=3"),
        ("strict, strict", "'strict' is given twice", "leave one out", "strict"),
        ("order=2,", "there is nothing here to tell gradcli", "for example # gradcli: order=2, allow kink", ""),
        ("x=@data.npy", "'x=@data.npy' is no value of 'input'",
         "write input NAME=VALUE, as on the command line, and no @file", "x=@data.npy"),
        ("claim x", "'x' is no value of 'claim'", "write claim NAME=EXPR, an input and its derivative", "x"),
        ("=2", "there is nothing here to tell gradcli", "for example # gradcli: order=2, allow kink", "=2"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_comment(comment: str, message: str, help: str, under: str) -> None:
    assert refused(f"x = 1\n  # gradcli: {comment}\n") == (message, help, under)


def test_what_is_given_twice_in_two_comments() -> None:
    assert refused("# gradcli: order=2\n# gradcli: order=2") == ("'order' is given twice", "leave one out", "order=2")


def test_an_empty_comment() -> None:
    help = "for example # gradcli: order=2, allow kink"
    assert refused("# gradcli:") == ("there is nothing here to tell gradcli", help, "")
    assert refused("# gradcli: # later") == ("there is nothing here to tell gradcli", help, "#")


@pytest.mark.parametrize(
    "key", ["limits", "limit", "timeout", "seconds", "max-memory", "memory", "max_elements", "max-steps", "max-source"]
)
def test_limits_are_not_set_by_the_program_they_limit(key: str) -> None:
    help = "set them on the command line or in pyproject.toml"
    assert refused(f"# gradcli: {key}=relaxed") == ("a program cannot set its own limits", help, key)


@pytest.mark.parametrize("key", ["eps", "atol", "rtol", "tol"])
def test_there_are_no_tolerances(key: str) -> None:
    help = "gradients are judged by error bars: digits=N asks for more"
    assert refused(f"# gradcli: {key}=1e-3") == (f"there is no '{key}'", help, key)


@pytest.mark.parametrize("text", ["x = (\n", "'''", "  x\n y", "x = $", "\\", "if x:\n\ty\n        z"])
def test_a_program_that_cannot_be_parsed_is_for_the_parser(text: str) -> None:
    assert read(f"# gradcli: order=2\n{text}") in ([("order", "2")], [])


def test_no_text_takes_long() -> None:
    for text in (
        " " * 60000 + "$",
        "'" * 60000,
        "\\\n" * 30000,
        "(" * 60000,
        "\n" * 60000 + '"""',
        "# gradcli: strict\n" * 2,
    ):
        with within(10):
            attempt(lambda text=text: read(text + "\n# gradcli: order=2"))  # type: ignore[misc]


@given(st.text(st.sampled_from("abc=, #\n'\"\\:gradcli()[]0²é\t\x0c\u2028 "), max_size=60), st.booleans())
def test_any_text_is_read(text: str, marked: bool) -> None:
    text = ("# gradcli: " if marked else "") + text
    found = attempt(lambda: directives(Source("net.py", text)))
    if isinstance(found, GradcliError):
        assert found.code == "E505"
    else:
        said = [(d.key, shown(d).lower().replace("_", "-")) for d in found]
        assert all(text.startswith(key) or (key == "input" and "=" in text) for key, text in said)


@given(st.text(max_size=40))
def test_no_string_is_a_comment(text: str) -> None:
    literal = f"x = {'# gradcli: ordr=2' + text!r}\n"
    ast.parse(literal)
    assert read(literal) == []
