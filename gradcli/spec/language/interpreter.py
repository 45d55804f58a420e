"""All of the language: a compiler that has read how each kind of node is compiled."""

from __future__ import annotations

import ast

from . import definitions, exceptions, generators, loops, matching, variables  # noqa: F401 (each declares what it compiles)
from .compiler import Code, Compiler
from .statements import compile_block


class Interpreter(Compiler):
    """Compiles whole programs."""

    def program(self, tree: ast.Module) -> Code:
        """Code that runs a program, and notes the value of a last bare expression."""
        return compile_block(self, tree.body)
