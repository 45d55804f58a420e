"""All of the language: a compiler that knows which file has how each kind of node is compiled."""

from __future__ import annotations

import ast
from importlib import import_module
from typing import Any

from . import calls, variables  # noqa: F401 (each declares what it compiles)
from .compiler import FORMS, Code, Compiler
from .statements import compile_block

# The files with what many a short program has none of, and the nodes that they compile: read with the first that has.
LATER: dict[str, tuple[type[ast.AST], ...]] = {
    "definitions": (ast.FunctionDef, ast.Lambda, ast.ClassDef),
    "exceptions": (ast.Assert, ast.Raise, ast.Try, ast.TryStar, ast.With),
    "generators": (ast.Yield, ast.YieldFrom),
    "loops": (
        ast.For, ast.While, ast.Break, ast.Continue, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
    ),
    "matching": (ast.Match,),
}  # fmt: skip


class Interpreter(Compiler):
    """Compiles whole programs."""

    def program(self, tree: ast.Module) -> Code:
        """Code that runs a program, and notes the value of a last bare expression."""
        self.doc = ast.get_docstring(tree, clean=False)
        return compile_block(self, tree.body)


def _read(c: Compiler, node: Any) -> Code:
    """Read the file that compiles a kind of node, which takes the place of this form."""
    kind = type(node)
    import_module(f"{__package__}.{next(file for file, kinds in LATER.items() if kind in kinds)}")
    return FORMS[kind](c, node)


for _kinds in LATER.values():
    for _kind in _kinds:
        FORMS.setdefault(_kind, _read)
