"""Inputs count where they are given: one that a program overwrites is refused, and a function is called with it."""

from __future__ import annotations

import ast

import pytest

import gradcli as torch
from gradcli.errors import InputError, Source
from gradcli.spec.input.named_inputs import bindings
from gradcli.spec.input.overwritten import overwriting
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program

FILE = "import torch\nx = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\ndef f(x):\n    return (x * x).sum()\n"


def program(text: str, *given: str, target: str | None = None) -> Program:
    return Program(Spec(Source("spec.py", text), False, target, None), bindings=bindings(given))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\nx * 2", 1),
        ("y = 2\na, x = 1, 2", 2),
        ("a = x = 1", 1),
        ("x: int = 1", 1),
        ("import x", 1),
        ("from a import b as x", 1),
        ("def x(): pass", 1),
        ("class x: pass", 1),
        ("x = x * 2", None),
        ("x += 1", None),
        ("x[0] = 1", None),
        ("x: int", None),
        ("print(x)\nx = 3", None),
        ("def f():\n    return x\nf()\nx = 3", None),
        ("if y:\n    x = 3", None),
        ("y = 3", None),
    ],
)
def test_what_overwrites_an_input(text: str, line: int | None) -> None:
    found = overwriting(ast.parse(text), "x")
    assert (None if found is None else found.lineno) == line


def test_an_input_that_counts_for_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="the input x counts for nothing") as caught:
        program(FILE + "out = f(x)\n", "x=[7.0, 8.0]")
    assert caught.value.span is not None
    assert caught.value.span.line == 2


def test_a_function_of_a_file_is_called_with_what_is_given() -> None:
    value = program(FILE, "x=[7.0, 8.0]", target="f").run().value
    assert isinstance(value, torch.Tensor)
    assert value.item() == 113
