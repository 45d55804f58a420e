"""The shape of the project: which rooms there are, and which way imports run."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import gradcli
from gradcli.engine import offers
from gradcli.engine.registry import OPS
from tests.rings import long

offers.load_all()
ROOT = Path(gradcli.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))

# A room may import from lower floors, and from itself.
FLOORS = {
    "docs": 0, "errors": 0, "stubs": 0, "text": 0, "verdicts": 1, "wall": 1, "engine": 1, "backends": 1.5, "jit": 1.5,
    "profiler": 1.5, "nn": 2, "optim": 2.5,
    "_functorch": 2.5, "distributions": 2.5, "serialization": 2.5, "spec": 3, "graph": 4, "check": 5, "report": 6,
    "cli": 7,
}  # fmt: skip
# Single modules beside the rooms: what `import gradcli as torch` offers, and the way in.
DOORS = {"__init__": 3, "__main__": 8}
NAMESPACE = 2

ALLOWED = {
    "click": ("cli/", "__main__.py"),
    "rich": ("cli/", "report/", "graph/text/tree.py"),
    "pydot": ("graph/dot/document.py", "graph/dot/picture.py", "graph/dot/differences.py"),
}
# What `import gradcli` has no use for.
HEAVY = ("click", "rich", "pydot", "json", "difflib", "numpy.random")


def room(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").parts[0]


def floor(name: str) -> int:
    return FLOORS.get(name, DOORS.get(name, NAMESPACE))


ROOMS = {room(p) for p in MODULES}


class Found(NamedTuple):
    """What stands anywhere in a module."""

    # The full names that it imports; relative ones begin with gradcli.
    imports: list[str]
    # Those that it imports as a whole: import NAME.
    whole: list[str]
    # The names that it calls, with their lines.
    calls: list[tuple[str, int]]
    # What is public and says not what it is; of what may be inherited, the name of the method.
    silent: list[tuple[str, str]]
    # The lines of docstrings that begin with a question instead of saying what a thing is or does.
    asking: list[int]
    # The methods that say it.
    described: set[str]


@functools.cache
def found(path: Path) -> Found:
    """What stands in a module, which is read once for all tests."""
    package = ("gradcli", *path.relative_to(ROOT).parent.parts)
    tree = ast.parse(path.read_text())
    here = Found([], [], [], list(_silent(tree)), list(_asking(tree)), set(_described(tree)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            here.whole.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            here.imports.extend([module, *(f"{module}.{alias.name}" for alias in node.names)])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            here.calls.append((node.func.id, node.lineno))
    here.imports.extend(here.whole)
    return here


def place(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_imports_run_one_way() -> None:
    upwards = []
    for path in MODULES:
        here = room(path)
        for name in found(path).imports:
            first, *rest = name.split(".")
            if first != "gradcli" or not rest:
                continue
            there = rest[0] if rest[0] in ROOMS else "__init__"
            if not (there == here or here == "__init__" or floor(there) < floor(here)):
                upwards.append(f"{place(path)} imports {name}")
    assert not upwards


def test_no_room_imports_the_whole_house() -> None:
    rooms = [path for path in MODULES if room(path) not in ("cli", "__main__")]
    assert not [place(path) for path in rooms if "gradcli" in found(path).whole]


def test_each_dependency_is_used_in_its_place() -> None:
    strays = []
    for path in MODULES:
        for name in found(path).imports:
            places = ALLOWED.get(name.split(".")[0])
            if places is not None and not place(path).startswith(places):
                strays.append(f"{place(path)} imports {name}")
    assert not strays


def test_nothing_is_executed_as_code() -> None:
    running = ("exec", "eval", "compile", "__import__")
    assert not [f"{place(path)}:{line}" for path in MODULES for name, line in found(path).calls if name in running]


def test_what_is_public_says_what_it_is() -> None:
    assert not [
        f"{place(path)}: {what}" for path in MODULES for what, method in found(path).silent if method not in described()
    ]


@functools.cache
def described() -> set[str]:
    """The methods that some class documents, for those that override them."""
    return {name for path in MODULES for name in found(path).described}


def test_docstrings_say_and_do_not_ask() -> None:
    assert not [f"{place(path)}:{line}" for path in MODULES for line in found(path).asking]


def _asking(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            first = (ast.get_docstring(node) or "").partition(" ")[0]
            if first in ("What", "Whether", "How"):
                yield getattr(node, "lineno", 1)


def _silent(tree: ast.Module) -> Iterator[tuple[str, str]]:
    if tree.body and ast.get_docstring(tree) is None:
        yield "the module", ""
    for owner in [tree, *(n for n in tree.body if isinstance(n, ast.ClassDef) and not n.name.startswith("_"))]:
        for node in owner.body:
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
                continue
            if not (_second_of_a_property(node) or _stub(node) or ast.get_docstring(node)):
                inherited = isinstance(owner, ast.ClassDef) and owner.bases
                yield f"{node.name}, line {node.lineno}", node.name if inherited else ""


def _described(tree: ast.Module) -> Iterator[str]:
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef):
            yield from (m.name for m in owner.body if isinstance(m, ast.FunctionDef) and ast.get_docstring(m))


def _second_of_a_property(node: ast.stmt) -> bool:
    """Whether a function is the setter or deleter of a property, or one form of an overloaded function."""
    marks = [
        d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "") for d in getattr(node, "decorator_list", ())
    ]
    return not {"setter", "deleter", "overload"}.isdisjoint(marks)


def _stub(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return [ast.unparse(line) for line in node.body] == ["..."]


def test_an_op_has_a_line_of_help() -> None:
    assert not [name for name, op in OPS.items() if not op.doc]


# Tables of names that the public knows, and that some ops have as well: no facts about ops.
PUBLIC_NAMES = {
    # What Python's own builtins, operators and modules are called; NumPy's functions; keywords of torch.
    "spec/program.py", "spec/stdlib/builtin_functions.py", "spec/stdlib/mathematics.py", "spec/stdlib/modules.py",
    "spec/torch_names/names.py", "nn/init.py", "distributions/__init__.py", "spec/guard/library_calls.py",
    # What a program's messages and introspection call functions and methods that PyTorch has in Python.
    "spec/values/visible_types.py", "spec/values/tables/arrays.py", "spec/values/tables/tensors.py",
    # By what names the library that is written in the spec language calls ops.
    "spec/stdlib/nested.py",
    # What arrays of texts have and NumPy does with them.
    "spec/values/text_arrays.py",
    # Special methods of Python, and functions of PyTorch that write into what they are given.
    "spec/values/special_names.py", "engine/calls/given_outputs.py",
    # What arguments are called, and the names with an underscore that programs use.
    "cli/operations/trial.py", "spec/torch_names/namespaces.py",
    # Names of forms, and the operators that NumPy has in place.
    "engine/many_points/table.py", "engine/writes/inplace.py", "spec/guard/numpy_operands.py",
    # What a program may name that takes no number out of a graph.
    "check/replay/only_ops.py",
    # What a program calls to print what it is given, as its text names it.
    "spec/language/only_shown.py",
    # What makes tensors of what it is given, and asks no class.
    "engine/dispatch/overriding.py",
    # What may have been written for one another in a backward.
    "check/blaming/small_changes.py",
    # What PyTorch takes numbers in the place of tensors for, and what moves a tensor towards another.
    "engine/calls/signatures.py", "engine/tape/owned.py",
    # What a backward may have been written with: what joins, and what is written for one another.
    "check/blaming/methods.py",
    # What modes are told of the steps that PyTorch takes where ops of ours take one, and what has a form for sparse
    # tensors.
    "engine/dispatch/steps_told.py", "engine/dispatch/on_sparse.py",
    # What makes the same numbers a tensor or an array, as a backward may have been written with.
    "check/blaming/where_written.py",
}  # fmt: skip


@long("all files are read for it")
def test_facts_about_ops_stand_with_the_ops() -> None:
    lists = []
    for path in MODULES:
        # NumPy's functions have names of their own, which ops of PyTorch's may have, too.
        if place(path) in PUBLIC_NAMES or place(path).startswith(("engine/ops/", "spec/stdlib/small_numpy/")):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            known = sorted({word for word in _listed(node) if word in OPS})
            if len(known) >= 3:
                lists.append(f"{place(path)}:{getattr(node, 'lineno', 0)} lists ops by name: {known}")
    assert not lists


def test_tables_of_public_names_are_where_they_are_said_to_be() -> None:
    assert {place(path) for path in MODULES} >= PUBLIC_NAMES


def _listed(node: ast.AST) -> Iterator[str]:
    """The words that a display, a call or a text of words lists."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = node.value.split()
        if sum(word in OPS for word in words) > len(words) / 2:
            yield from words
    parts = node.keys if isinstance(node, ast.Dict) else node.args if isinstance(node, ast.Call) else ()
    for part in getattr(node, "elts", parts):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def test_importing_the_engine_costs_no_more_than_it_needs() -> None:
    code = (
        "import sys, numpy\nbefore = set(sys.modules)\nimport gradcli.engine\n"
        f"print(*sorted({set(HEAVY)!r} & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert done.stdout.split() == []


@pytest.mark.parametrize("name", ["walk", "order", "shares", "hooks"])
def test_the_walk_reads_aloud(name: str) -> None:
    for function in ast.walk(ast.parse((ROOT / "engine" / "walk" / f"{name}.py").read_text())):
        if isinstance(function, ast.FunctionDef):
            assert (function.end_lineno or 0) - function.lineno + 1 <= 45, function.name
            assert _ways_through(function) <= 15, function.name


def _ways_through(function: ast.FunctionDef) -> int:
    """The cyclomatic complexity of a function, each operand of `and` and `or` counted."""
    ways = 1
    for node in ast.walk(function):
        if isinstance(node, (ast.If, ast.IfExp, ast.For, ast.While, ast.ExceptHandler, ast.Assert, ast.match_case)):
            ways += 1
        elif isinstance(node, ast.BoolOp):
            ways += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            ways += 1 + len(node.ifs)
    return ways


@long("all files are read for it")
def test_nodes_are_filled_in_few_places() -> None:
    """A function fills a node where it gives it its number."""
    found = []
    for path in sorted((ROOT / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assign) and ast.unparse(node.value) == "next_sequence_number()":
                found.append(f"{path.relative_to(ROOT)}: {ast.unparse(node)}")
    # What a tape writes down and what a custom function keeps are no nodes of ops, and number themselves.
    nodes = [place for place in found if ".seq = " in place and "self.seq" not in place]
    assert len(nodes) <= 5, nodes


def _imports(path: Path) -> set[Path]:
    """The files of ours that a file imports, at any place in it, but for those that only its types name."""
    found: set[Path] = set()
    tree = ast.parse(path.read_text())
    typing = [n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    unread = {n for block in typing for line in block.body for n in ast.walk(line)}
    for node in ast.walk(tree):
        if node in unread:
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parent
            for _ in range(node.level - 1):
                base = base.parent
            base = base.joinpath(*(node.module or "").split(".")) if node.module else base
            places = [base, *(base / alias.name for alias in node.names)]
            files = [p.with_suffix(".py") if p.with_suffix(".py").exists() else p / "__init__.py" for p in places]
            inner = [f for f in files[1:] if f.exists()]
            # Who takes modules from a package does not ask the package itself.
            found.update(inner if len(inner) == len(node.names) else [*inner, files[0]])
    return {f for f in found if f.exists()} - {path}


@long("all files are read for it")
@pytest.mark.parametrize("room", ["check", "cli", "graph", "report", "spec", "wall"])
def test_no_files_of_a_room_import_each_other_in_a_circle(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    asks = {path: {p for p in _imports(path) if p in files} for path in files}
    while leaves := [path for path, others in asks.items() if not others]:
        for path in leaves:
            del asks[path]
        for others in asks.values():
            others.difference_update(leaves)
    # What is left is in a circle, or imports what is in one.
    assert not {str(path.relative_to(ROOT)): sorted(p.name for p in others) for path, others in asks.items()}
