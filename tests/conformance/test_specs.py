"""The programs of specs/ print in gradcli what they print in PyTorch, and end in the same error at the same line."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gradcli.errors import GradcliError
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from tests.last_digits import with_digits_of
from tests.rings import sampled

from .record_specs import SPECS, Outcome, in_pytorch, outcome, programs, recorded

# What the language has.
NODES = """
AnnAssign Assert Assign Attribute AugAssign BinOp BoolOp Break Call ClassDef Compare Continue Delete Dict DictComp Expr
For FormattedValue FunctionDef GeneratorExp Global If IfExp Import ImportFrom JoinedStr Lambda List ListComp Nonlocal
Pass Raise Return Set SetComp Slice Starred Subscript Try Tuple UnaryOp While With Yield YieldFrom
"""
BUILTINS = """
abs all any bool dict enumerate float hasattr id int isinstance len list map max min print range reversed round set
sorted str sum super tuple type zip
"""

# Kinds of programs whose numbers no processor rounds in another way.
EXACT = {"language", "classes", "errors", "failing"}

every_program = pytest.mark.parametrize("path", programs().values(), ids=programs())


def in_gradcli(path: Path) -> Outcome:
    """Run a program as `gradcli run` does."""
    parts: list[str] = []
    try:
        Program(read(str(path))).run(write=parts.append)
    except GradcliError as error:
        return outcome("".join(parts), error.span.line if error.span else 0, error.message)
    return outcome("".join(parts))


def on_any_processor(path: Path, found: Outcome) -> Outcome:
    """An outcome with the last digits that were recorded, where a processor's order of adding up decides on them."""
    if path.parent.name in EXACT:
        return found
    return found._replace(printed=with_digits_of(found.printed, recorded(path).printed))


@every_program
@sampled(4, each="path")
def test_pytorch_prints_what_is_recorded(path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: the recorded text stands for it")
    torch.set_num_threads(1)
    assert on_any_processor(path, in_pytorch(path)) == recorded(path)


# What PyTorch warns of, and every program is to be told.
@pytest.mark.filterwarnings("ignore:Using backward", "ignore:Anomaly Detection")
@every_program
@sampled(4, each="path")
def test_gradcli_prints_what_is_recorded(path: Path) -> None:
    assert on_any_processor(path, in_gradcli(path)) == recorded(path)


def test_nothing_is_recorded_for_a_program_that_is_gone() -> None:
    beside = {path.with_suffix(".py") for mark in ("out", "err") for path in SPECS.rglob(f"*.{mark}")}
    assert beside == set(programs().values())


def test_those_that_fail_are_kept_together() -> None:
    assert {path.parent.name for path in SPECS.rglob("*.err")} == {"failing"}


def test_the_programs_use_the_whole_language() -> None:
    nodes = [node for path in programs().values() for node in ast.walk(ast.parse(path.read_text()))]
    assert set(NODES.split()) <= {type(node).__name__ for node in nodes}
    assert set(BUILTINS.split()) <= {node.id for node in nodes if isinstance(node, ast.Name)}


@pytest.mark.parametrize("path", sorted((SPECS / "failing").glob("*.py")), ids=lambda path: path.stem)
def test_only_an_assert_that_does_not_hold_is_a_verdict(path: Path) -> None:
    with pytest.raises(GradcliError) as caught:
        Program(read(str(path))).run()
    assert caught.value.exit_code == (1 if "AssertionError" in str(recorded(path).error) else 2)
