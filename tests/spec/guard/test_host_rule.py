"""No attribute of the host is looked up by a name that a program chooses, and no text filled in by its template."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

import gradcli
from tests.rings import all_of
from tests.sources import trees

from ..host_rule import WORDS, Use, uses
from ..host_uses import REVIEWED

ROOT = Path(gradcli.__file__).parent
# The rooms whose code a program's values pass through, and the single modules beside them.
ROOMS = ("spec", "engine", "nn", "optim", "utils")
FILES = sorted([*(path for room in ROOMS for path in (ROOT / room).rglob("*.py")), *ROOT.glob("*.py")])


@functools.cache
def used_in(path: Path) -> tuple[Use, ...]:
    return tuple(use for _, tree in trees([path], WORDS) for use in uses(tree))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def reviewed(name: str) -> set[str]:
    return {function for table in REVIEWED for function in table.get(name, "").split()}


@all_of(FILES)
def test_what_is_looked_up_by_a_name_was_looked_at(path: Path) -> None:
    found = [use for use in used_in(path) if use.function not in reviewed(name_of(path))]
    assert not found, "\n".join(f"{use.function}: {use.text}" for use in found)


@all_of(FILES)
def test_what_was_looked_at_is_there(path: Path) -> None:
    assert reviewed(name_of(path)) <= {use.function for use in used_in(path)}


def test_every_reviewed_file_is_there() -> None:
    assert {name for table in REVIEWED for name in table} <= {name_of(path) for path in FILES}


@pytest.mark.parametrize(
    "text",
    [
        "getattr(a, name)", "setattr(a, name, 1)", "delattr(a, name)", "hasattr(a, f'{n}')", "vars(a)", "a.__dict__",
        "a.__dict__[name]", "a.__dict__.get(name)", "name in a.__dict__", "a.__dict__.update(given)",
        "a.__dict__.update(**given)", "a.__dict__.values()", "'x' in {**a.__dict__}",
        "words.format(a)", "self._shown.format_map(a)", "attrgetter(name)", "operator.attrgetter('a')",
        "operator.methodcaller(name)", "type.__setattr__(a, name, 1)", "object.__getattribute__(a, name)",
        "import_module(name)", "importlib.import_module(f'.{name}')", "eval(a)", "exec(a)", "compile(a, '', 'exec')",
        "globals()", "__import__(name)", "template % values", "words % (a, b)", "a.text % b",
    ],
)  # fmt: skip
def test_a_use_is_seen(text: str) -> None:
    assert [use.function for use in uses(ast.parse(f"def f(a):\n    return [{text}]"))]


@pytest.mark.parametrize(
    "text",
    [
        "getattr(a, 'name')", "setattr(a, 'name', 1)", "hasattr(a, '__len__')", "'{}'.format(a)", "'%s' % a", "n % 2",
        "a.__dict__['x']", "a.__dict__[NAME]", "a.__dict__.get('x', 1)", "'x' in a.__dict__", "a.__dict__.update(x=1)",
        "import_module('gradcli.nn')", "object.__setattr__(a, 'x', 1)", "a.compile", "re.compile(name)",
    ],
)  # fmt: skip
def test_what_is_written_out_is_none(text: str) -> None:
    assert not list(uses(ast.parse(f"def f(a):\n    return [{text}]")))
