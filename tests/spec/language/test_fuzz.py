"""Programs that nobody wrote: each runs, or ends with an error of ours at a place in its text."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings, strategies as st

from gradcli.errors import GradcliError, Span
from gradcli.report.diagnostic import render
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.input.source import Spec, decoded
from gradcli.spec.program import Program
from tests.rings import examples

from .test_python import SNIPPETS

# What goes on without something says so, and is no error.
pytestmark = pytest.mark.filterwarnings("ignore::gradcli.spec.guard.notes.Note")

LIMITS = STRICT._replace(steps=3_000, sequence=2_000, elements=200_000, work=20_000_000)
HERE = Path(__file__).parents[1]
HOSTILE = [case.get("spec", "") for case in json.loads((HERE / "guard/hostile.json").read_text("utf-8"))]
SPECS = [
    *SNIPPETS, *(text for text in HOSTILE if 0 < len(text) < 2_000),
    *(path.read_text("utf-8") for path in sorted(HERE.parents[1].joinpath("expressions").glob("*.py"))[::6]),
]  # fmt: skip


def shallow(text: str) -> bool:
    """Whether a program can be taken apart and put together by recursion."""
    try:
        level: list[ast.AST] = [ast.parse(text)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for _ in range(40):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return not level


VALID = [text for text in SPECS if shallow(text)]
TOKENS = sorted({token for text in SPECS for token in re.findall(r"\w+|[^\w\s]|\n *", text) if len(token) < 30})
# What is no letter, ends a line or joins two, begins a text or a comment, or is half of something.
ODD = [
    "\0", "\ufeff", "\u202e", "\u200b", "\x0c", "\r", "\r\n", "\x85", "\u2028", "\xa0", "\t", "\\", "\\\n", "'''",
    "f'{", "{", "}", "(", ")", "#", "@", "é", "ﬁ", "𝒙", "\U0001f600", "\ud800", "\udcff", "٣", "\x1b[31m",
    "# gradcli: seed=1\n", "# coding: latin-1\n", "\n ", "lambda:", "**", ":=", "!", "`", "0x", "1_", "1e", "00",
    "b'\\xff'", "...", "__class__", "\\N{BULLET}",
]  # fmt: skip
ATOMS = [
    "0", "1", "-1", "2 ** 62", "10 ** 9", "1e308", "nan", "True", "None", "...", "''", "'a' * 1999", "()", "[]", "{}",
    "[1, 2]", "{'a': 1}", "range(10 ** 12)", "lambda: 0", "lambda *a: a", "print", "type", "object", "super",
    "property", "slice(1)", "iter([1])", "zip()", "str.join", "torch", "torch.ones(3)",
    "torch.randn(2, 3, requires_grad=True)", "torch.tensor(3)", "torch.float64", "nn.Linear(3, 2)", "F.relu",
    "nn.Module", "torch.zeros(0)", "torch.optim.SGD", "torch.no_grad()", "Exception('x')", "torch.autograd.Function",
    "x", "self", "x.grad_fn", "(i for i in x)",
]  # fmt: skip
NAMES = (
    "__class__ __dict__ __globals__ __init__ __len__ __mro__ T append apply args backward cat data detach dim dtype "
    "format forward grad item items join keys mean numpy ones parameters pop register_hook reshape shape size sort "
    "split sum tensor tolist upper view zero_ _a machine"
).split()


def outcome(text: str, inline: bool, trace: bool) -> GradcliError | None:
    """Run a program; any error but one of ours is a failure of the test."""
    try:
        source = decoded("spec.py", text.encode("utf-8", "surrogatepass"))
        Program(Spec(source, inline, None, None), limits=LIMITS).run(trace=trace)
    except GradcliError as error:
        return error
    return None


def check(text: str, inline: bool = False, trace: bool = False) -> None:
    """An error has its place within the text, and can be shown."""
    error = outcome(text, inline, trace)
    if error is None:
        return
    assert error.exit_code in (1, 2)
    assert isinstance(error.span, Span)
    line, column = error.span.line, error.span.column
    lines = error.span.source.text.split("\n")
    assert 1 <= line <= len(lines)
    assert 0 <= column <= len(lines[line - 1])
    assert render(error).startswith("spec.py:")
    assert not re.search(r"gradcli\.(spec|engine)|UserFunction|<locals>\.run", error.message)


steady = settings(derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))


@given(st.lists(st.sampled_from(TOKENS), max_size=30), st.booleans())
@settings(steady, max_examples=examples(100))
def test_tokens_in_any_order(tokens: list[str], inline: bool) -> None:
    check(" ".join(tokens), inline)


@given(st.text(max_size=40), st.booleans())
@settings(steady, max_examples=examples(120))
def test_any_text(text: str, inline: bool) -> None:
    check(text, inline)


changes = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 9), st.sampled_from([*ODD, *TOKENS[::7], ""])), min_size=1, max_size=5
)


@given(st.sampled_from(SPECS), changes, st.booleans())
@settings(steady, max_examples=examples(150))
def test_a_program_with_other_letters(text: str, changes: list[tuple[float, int, str]], trace: bool) -> None:
    for where, length, new in changes:
        at = int(where * len(text))
        text = text[:at] + new + text[at + length :]
    check(text, trace=trace)


class Changed(ast.NodeTransformer):
    """A tree with some of its expressions exchanged, by their order."""

    def __init__(self, places: dict[int, tuple[int, str, str]]) -> None:
        self.places = places
        self.seen = 0

    def visit(self, node: ast.AST) -> ast.AST:
        node = super().generic_visit(node)
        loaded = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if (
            not isinstance(node, ast.expr)
            or not loaded
            or isinstance(node, (ast.JoinedStr, ast.FormattedValue, ast.Starred, ast.Slice))
        ):
            return node
        self.seen += 1
        kind, atom, name = self.places.get(self.seen, (-1, "0", ""))
        other = ast.parse(f"({atom})", mode="eval").body
        return {
            0: other,
            1: ast.Attribute(node, name, ast.Load()),
            2: ast.Call(node, [other], []),
            3: ast.Call(ast.Attribute(node, name, ast.Load()), [other], []),
            4: ast.Subscript(node, other, ast.Load()),
            5: ast.BinOp(node, ast.Mult(), other),
            6: ast.BinOp(other, ast.BitAnd(), node),
            7: ast.Compare(node, [ast.In()], [other]),
        }.get(kind, node)


places = st.dictionaries(
    st.integers(1, 60),
    st.tuples(st.integers(0, 7), st.sampled_from(ATOMS), st.sampled_from(NAMES)),
    min_size=1,
    max_size=3,
)
KEPT = "try:\n    {}\nexcept Exception as caught:\n    print(caught)"


@given(st.sampled_from(VALID), places, st.booleans(), st.booleans())
@settings(steady, max_examples=examples(250))
def test_a_program_with_other_expressions(
    text: str, places: dict[int, tuple[int, str, str]], kept: bool, trace: bool
) -> None:
    tree = Changed(places).visit(ast.parse(text))
    try:
        lines = [ast.unparse(statement) for statement in ast.fix_missing_locations(tree).body]
    except ValueError:
        # Before Python 3.12 an f-string cannot hold whatever an expression is written with.
        reject()
    # What fails is caught, so that more of the program runs.
    check("\n".join(KEPT.format(line.replace("\n", "\n    ")) if kept else line for line in lines), trace=trace)
