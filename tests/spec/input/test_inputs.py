"""NAME=VALUE: what is one, what it gives, and what is said of what is wrong."""

from __future__ import annotations

import ast
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from gradcli.errors import GradcliError, InputError, Source
from gradcli.spec.input.named_inputs import Binding, binding, bindings, is_binding, value_of

from ..attempts import attempt

EXAMPLES = "for example x=2, x=[1, 2], x='randn(3)' or x=@data.npy"

VALUES = ["2", "-2", "1e-3", "nan", "True", "[[1,2],[3,4]]", "randn(3)", "@f.npy", "[1,\n2]", "a=b", "'é=1'"]


def evaluate(source: Source) -> object:
    return ast.literal_eval(source.text)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", ["x", "_", "w1", "α", "ﬁt", "__x"])
def test_an_input(name: str, value: str) -> None:
    plain = unicodedata.normalize("NFKC", name)
    expected = Binding(plain, value, Source(f"<input {plain}>", value))
    assert is_binding(f"{name}={value}")
    assert binding(f"{name}={value}") == expected
    assert binding(f" {name} =  {value}\n") == expected


@pytest.mark.parametrize(
    "text", ["x = 2", "x =2", " x=2", "x=", "x=2; y", "x=[1,\n2]", "x=f(a=1)", "lambda=2", "x='a==b'", "h=tanh(x)\nh"]
)
def test_what_is_an_input(text: str) -> None:
    assert is_binding(text)


@pytest.mark.parametrize(
    "text",
    ["x", "", "=", "=2", "x==2", "x == 2", "x<=2", "x!=2", "x:=2", "f(a=2)", "x+=2", "x[0]=2", "x.y=2", "2=x", "a b=2",
     "h = tanh(x); h*2", "h = x\nh*2", "x\0=2", "net.py", "-"],
)  # fmt: skip
def test_what_is_no_input(text: str) -> None:
    assert not is_binding(text)


@pytest.mark.parametrize(
    ("text", "message", "columns", "help"),
    [
        ("x", "'x' is no input: it has no value", (0, 1), f"write NAME=VALUE, {EXAMPLES}"),
        ("", "'' is no input: it has no value", (0, 1), f"write NAME=VALUE, {EXAMPLES}"),
        ("x=", "input 'x' has no value", (1, 2), EXAMPLES),
        (" x =  ", "input 'x' has no value", (3, 4), EXAMPLES),
        ("x=@", "input 'x' names no file after @", (2, 3), EXAMPLES),
        ("x= @ ", "input 'x' names no file after @", (3, 4), EXAMPLES),
        ("=2", "an input needs a name before =", (0, 1), EXAMPLES),
        ("x==2", "an input is given with =, not ==", (1, 3), EXAMPLES),
        ("x<=2", "an input is given with =, not <=", (1, 3), EXAMPLES),
        ("x := 2", "an input is given with =, not :=", (2, 4), EXAMPLES),
        (" 2x=1", "'2x' cannot be the name of an input", (1, 3), "use letters, digits and _, as in x1=2"),
        ("a.b = 1", "'a.b' cannot be the name of an input", (0, 3), "use letters, digits and _, as in x1=2"),
        ("é-=1", "'é-' cannot be the name of an input", (0, 2), "use letters, digits and _, as in x1=2"),
        ("lambda=1", "'lambda' is a word of Python's and cannot be the name of an input", (0, 6), "call it lambda_"),
        ("None=1", "'None' is a word of Python's and cannot be the name of an input", (0, 4), "call it None_"),
        ("ｉｆ=1", "'if' is a word of Python's and cannot be the name of an input", (0, 2), "call it if_"),
    ],
)
def test_what_is_wrong_with_an_input(text: str, message: str, columns: tuple[int, int], help: str) -> None:
    with pytest.raises(InputError) as caught:
        binding(text)
    error = caught.value
    assert (error.code, error.exit_code, error.message, error.help) == ("E503", 2, message, help)
    assert error.span is not None
    assert error.span.source.name == "<input>"
    assert error.span[1:] == (1, columns[0], 1, columns[1])


def test_characters_that_no_input_can_have() -> None:
    for text, message in (
        ("x=1\0", "the text has a NUL character, which no program may have"),
        ("x=\udcff", "byte 0xff is not UTF-8"),
    ):
        with pytest.raises(GradcliError) as caught:
            binding(text)
        assert (caught.value.code, caught.value.message) == ("E104", message)


def test_all_inputs() -> None:
    assert [(b.name, b.text) for b in bindings(["x=1", "w=[2]"])] == [("x", "1"), ("w", "[2]")]
    assert bindings([]) == []
    with pytest.raises(InputError) as caught:
        bindings(["fi=1", "y=2", "ﬁ = 34"])
    error = caught.value
    assert (error.code, error.message, error.help) == (
        "E503", "input 'fi' is given twice", "leave one out; the first was 1",
    )  # fmt: skip
    assert error.span is not None
    assert (error.span.source, error.span[1:]) == (Source("<input fi>", "34"), (1, 0, 1, 2))


@given(st.text())
def test_any_text_is_an_input_or_an_error(text: str) -> None:
    found = attempt(lambda: binding(text))
    if isinstance(found, GradcliError):
        assert found.code in ("E104", "E503")
        assert found.span is not None
    else:
        assert found.name.isidentifier()
        assert found.text == found.text.strip() != ""
        assert is_binding(f"{found.name}={found.text}")


@given(st.from_regex(r"[^\W\d]\w*", fullmatch=True), st.text(min_size=1))
def test_a_name_and_a_value_are_told_apart(name: str, value: str) -> None:
    assert is_binding(f"{name}={value}") == (name.isidentifier() and not value.startswith("="))


def test_the_value_of_a_text() -> None:
    assert value_of(binding("x=[1, -2]"), evaluate, max_bytes=0) == [1, -2]
    with pytest.raises(ZeroDivisionError):
        value_of(binding("x=1/0"), lambda source: 1 / 0, max_bytes=0)


def test_the_value_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("f.npy", np.array([1.5, 2.5]))
    assert value_of(binding("x=@f.npy"), evaluate, max_bytes=1000).tolist() == [1.5, 2.5]
    assert value_of(binding("x=@ f.npy"), evaluate, max_bytes=1000).tolist() == [1.5, 2.5]
    assert value_of(binding(f"x=@{tmp_path}/f.npy"), evaluate, max_bytes=1000).tolist() == [1.5, 2.5]


def test_an_error_about_a_file_points_at_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.npy").touch()
    with pytest.raises(InputError) as caught:
        value_of(binding("x=@dota.npy"), evaluate, max_bytes=1000)
    error = caught.value
    assert (error.code, error.message, error.help) == (
        "E501", "no such file: 'dota.npy'", "did you mean data.npy?",
    )  # fmt: skip
    assert error.span is not None
    assert (error.span.source, error.span[1:]) == (Source("<input x>", "@dota.npy"), (1, 0, 1, 9))


def test_an_error_in_a_file_points_into_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.csv").write_text("1,2\n3,x\n")
    with pytest.raises(InputError) as caught:
        value_of(binding("x=@f.csv"), evaluate, max_bytes=1000)
    assert caught.value.span is not None
    assert (caught.value.span.source.name, caught.value.span[1:]) == ("f.csv", (2, 2, 2, 3))
