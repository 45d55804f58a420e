"""The rule of the rings: which cases the ordinary ring runs, and what it never leaves out."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest

from . import rings
from .rings import GUARDS, Case, sample

ROOT = Path(__file__).parents[1]
FILES = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "tests").rglob("test_*.py")}
CASES = [Case(f"test_{i % 7}[{op}-{i}]", 8, (f"op {op}",)) for op in range(50) for i in range(40)]


def test_a_sample_is_the_same_whatever_the_order_and_whatever_else_there_is() -> None:
    kept = sample(CASES)
    assert sample(CASES[::-1]) == kept
    # A new case of another op changes none of the others.
    assert sample([*CASES, Case("test_0[new]", 8, ("op new",))]) == kept | {"test_0[new]"}


def test_of_each_group_there_is_one_and_of_all_cases_one_in_so_many() -> None:
    kept = sample(CASES)
    assert {case.group for case in CASES if case.name in kept} == {case.group for case in CASES}
    assert len(CASES) / 8 / 1.5 < len(kept) < len(CASES) / 8 * 1.5
    lone = [Case(f"test_x[{i}]", 1000, (f"op {i}",)) for i in range(20)]
    assert sample(lone) == {case.name for case in lone}


def test_this_run_has_a_case_of_every_group(request: pytest.FixtureRequest) -> None:
    collected, run = (request.config.stash[key] for key in (rings.COLLECTED, rings.RUN))
    assert {case.group for case in collected} == {case.group for case in collected if case.name in run}


def names(path: Path) -> set[str]:
    """The names that a file uses."""
    tree = ast.walk(ast.parse(path.read_text()))
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in tree
        if isinstance(node, (ast.Name, ast.Attribute))
    }


@rings.all_of(GUARDS)
def test_what_guards_the_user_is_there_with_all_examples(place: str) -> None:
    found = [path for name, path in FILES.items() if name.startswith(place)]
    assert found
    # What takes long may have a short form beside it.
    assert not [path for path in found if "examples" in names(path)]


def test_who_guards_the_user_is_known() -> None:
    words = ("wall", "hostile", "attack", "stranger", "escape", "guard", "roots")
    assert not [name for name in FILES if any(word in name for word in words) and not name.startswith(GUARDS)]


def test_what_guards_the_user_cannot_be_sampled_thinly() -> None:
    marked = SimpleNamespace(
        nodeid="tests/wall/test_one.py::test_one", get_closest_marker=lambda name: rings.sampled(9).mark
    )
    with pytest.raises(pytest.UsageError, match="must not be sampled so thinly"):
        rings.case_of(marked)  # type: ignore[arg-type]


def test_a_test_of_all_values_tells_each_that_is_wrong() -> None:
    @rings.all_of([1, 2, 3])
    def is_odd(value: int) -> None:
        assert value % 2, "even"

    with pytest.raises(AssertionError, match="2: even"):
        is_odd()
