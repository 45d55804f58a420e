"""In which precision a program is checked: all in float64, unless it chose its own mixture."""

from __future__ import annotations

import ast

from ..spec.program import Program

_SINGLE, _DOUBLE = {"float32", "float"}, {"float64", "double"}


def widen(program: Program) -> None:
    """Let a program run in float64: what it reads as float32 is float64, unless it names both.

    Who casts numbers of a float64 program to float32 means it: that is part of what is checked.
    """
    named = {node.attr for node in ast.walk(program.tree) if isinstance(node, ast.Attribute)}
    program.wide = program.wide and (named.isdisjoint(_SINGLE) or named.isdisjoint(_DOUBLE))
