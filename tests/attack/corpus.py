"""The programs that attacks begin with: the gallery, the conformance specs, and the attacks that are known already."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

from tests.spec.guard import test_attacks

_TESTS = Path(__file__).parents[1]
# Longer ones take longer than they are worth.
_LONGEST = 4_000


@cache
def texts() -> tuple[str, ...]:
    """The programs."""
    files = [*sorted(_TESTS.parent.joinpath("expressions").glob("*.py"))]
    files += sorted(_TESTS.joinpath("conformance", "specs").rglob("*.py"))
    hostile = json.loads(_TESTS.joinpath("spec", "guard", "hostile.json").read_text("utf-8"))
    found = [path.read_text("utf-8") for path in files]
    found += [case["spec"] for case in hostile if "spec" in case]
    found += [*test_attacks.REACHING, *test_attacks.CALLED, *test_attacks.ODD, *test_attacks.HARMLESS]
    return tuple(dict.fromkeys(text for text in found if 0 < len(text) < _LONGEST))


@cache
def trees() -> tuple[str, ...]:
    """Those that can be taken apart and put together again."""
    found = []
    for text in texts():
        try:
            level: list[ast.AST] = [ast.parse(text)]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for _ in range(40):
            level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            found.append(text)
    return tuple(found)


@cache
def tokens() -> tuple[str, ...]:
    """What the programs are written with."""
    return tuple(sorted({t for text in texts() for t in re.findall(r"\w+|[^\w\s]|\n *", text) if len(t) < 30}))


@cache
def fragments() -> tuple[str, ...]:
    """The smaller expressions of the programs, to be put into others."""
    found: dict[str, None] = {}
    for text in trees():
        for node in ast.walk(ast.parse(text)):
            loaded = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
            if isinstance(node, (ast.Call, ast.Attribute, ast.Subscript, ast.BinOp, ast.Lambda, ast.Dict)) and loaded:
                shown = ast.unparse(node)
                if len(shown) < 80 and "\n" not in shown:
                    found[shown] = None
    return tuple(found)
