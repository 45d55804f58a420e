"""In which precision a program is checked: all in float64, unless it chose its own mixture."""

from __future__ import annotations

import ast
import copy

from ...engine import dtypes
from ...spec.program import Program
from .subject import Subject

_SINGLE, _DOUBLE = {"float32", "float"}, {"float64", "double"}


def in_double(program: Program) -> Program:
    """The program in float64: what it reads as float32 is float64, too, unless it names both.

    Who casts numbers of a float64 program to float32 means it: that is part of what is checked.
    """
    named = {node.attr for node in ast.walk(program.tree) if isinstance(node, ast.Attribute)}
    found = copy.copy(program)
    found.dtype = dtypes.float64
    found.wide = named.isdisjoint(_SINGLE) or named.isdisjoint(_DOUBLE)
    return found


def has_single(subject: Subject) -> bool:
    """Whether an input is of single precision: it cannot be moved by steps that are fine enough."""
    return any(a.dtype.itemsize < 8 for a in subject.at)
