"""In which precision a program is checked: all in float64, unless it chose its own mixture."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np

from ...engine import dtypes
from ...engine.tape.entry import Operand, entry_of
from ...spec.input.parse import nodes_of_kind
from ...spec.program import Program
from .subject import Subject

_SINGLE = {"float32", "float", "FloatTensor", "float16", "half", "bfloat16"}
_DOUBLE = {"float64", "double", "DoubleTensor"}
# Texts that stand for precisions.
_TEXTS = {"float32": "float32", "f4": "float32", "<f4": "float32", "single": "float32", "float64": "float64",
          "f8": "float64", "<f8": "float64", "double": "float64"}  # fmt: skip
# What shows in a backward, and in a forward cannot be measured.
_HALVES = {"float16", "half", "bfloat16"}
_IN_DOUBLE = (np.dtype("float64"), np.dtype("complex128"))
_COARSE = _HALVES | {"complex64", "cfloat"}
# What trees name: a program may hold thousands of numbers, and is asked for it again and again.
_known: WeakKeyDictionary[ast.AST, set[str]] = WeakKeyDictionary()


def in_double(program: Program, *, wide: bool = False) -> Program:
    """The program in float64: what it reads as float32 is float64, too, unless it names both.

    Who casts numbers of a float64 program to float32 means it: that is part of what is checked, and so is a backward
    that goes through half precision, or through complex numbers in single precision. ``wide``: all in float64 anyhow.
    """
    found = copy.copy(program)
    found.dtype = dtypes.float64
    found.wide = wide or not (names_both(program) or _is_coarse_backward(program))
    return found


def names_both(program: Program) -> bool:
    """True of a program that names single and double precision: it may mix them, or have a name for either case."""
    named = _names(program.tree)
    return not (named.isdisjoint(_SINGLE) or named.isdisjoint(_DOUBLE))


def casts_backward(program: Program) -> bool:
    """True of a program with a backward that names a precision: what it casts, no forward shows."""
    named = [_names(it) for it in _methods(program.tree, "backward", "jvp", "vjp")]
    return any(not names.isdisjoint(_SINGLE | _DOUBLE | _COARSE) for names in named)


def _is_coarse_backward(program: Program) -> bool:
    if _names(program.tree).isdisjoint(_COARSE):
        return False
    return any(not _names(it).isdisjoint(_COARSE) for it in _methods(program.tree, "backward"))


def has_double(subject: Subject) -> bool:
    """True of a program that computes with numbers in double precision, or begins with such."""
    arrays = [*subject.at, *subject.numbers]
    for node in subject.nodes:
        entry = entry_of(node)
        if entry is not None:
            given = (x.value.array for x in entry.arguments if isinstance(x.value, Operand))
            arrays += [a for a in (*given, *entry.outputs) if a is not None]
    return any(a.dtype in _IN_DOUBLE for a in arrays)


def in_single(program: Program) -> Program:
    """The program as it runs outside of a check."""
    found = copy.copy(program)
    found.dtype, found.wide = dtypes.float32, False
    return found


def names_halves(program: Program) -> bool:
    """True of a program that names half precision: the steps of such numbers are too coarse to see a slope between.

    What is called ``half`` need not be that.
    """
    called = {id(node.func) for node in nodes_of_kind(program.tree, ast.Call)}
    named = [node for node in nodes_of_kind(program.tree, ast.Attribute) if node.attr in _HALVES]
    return any(x.attr != "half" or id(x) in called or _is_torch(x.value) for x in named)


def keeps_halves(program: Program) -> bool:
    """True of a program whose own Functions name half precision in their forwards: of what they keep for backwards,
    perhaps, and not of what they give."""
    return any(not _names(it).isdisjoint(_HALVES) for it in _methods(program.tree, "forward", "setup_context"))


def _is_torch(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "torch"


def _names(tree: ast.AST) -> set[str]:
    found = _known.get(tree)
    if found is None:
        found = _known[tree] = _named_in(tree)
    return found


def _named_in(tree: ast.AST) -> set[str]:
    texts = {node.value for node in nodes_of_kind(tree, ast.Constant) if isinstance(node.value, str)}
    return {*(node.attr for node in nodes_of_kind(tree, ast.Attribute)), *(_TEXTS[x] for x in texts & _TEXTS.keys())}


def _methods(tree: ast.AST, *names: str) -> Iterator[ast.AST]:
    """The functions of these names in the classes that have a backward."""
    for cls in nodes_of_kind(tree, ast.ClassDef):
        found = [node for node in cls.body if isinstance(node, ast.FunctionDef)]
        if any(node.name == "backward" for node in found):
            yield from (node for node in found if node.name in names)


def has_single(subject: Subject) -> bool:
    """True of an input in single precision: it cannot be moved by steps that are fine enough."""
    return any(a.dtype.itemsize < 8 for a in subject.at)
