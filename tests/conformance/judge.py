"""One random program in two engines."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .compare import faults
from .observe import Record, observe
from .programs import Program

PROGRAMS = Path(__file__).with_name("programs.json")


def differences(torch: Any, gradcli: Any, program: Program) -> list[str]:
    """What gradcli makes of a program that PyTorch does not, in first order and in second."""
    first = observe(torch, program.code, program.inputs)
    found = compared(gradcli, first, program.tolerance)
    if not found and "error" not in first:
        second = observe(torch, program.second.code, program.inputs)
        found = [f"second order, {x}" for x in compared_second(gradcli, second, program.tolerance)]
    if found and unsteady(torch, program):
        return []
    return found


def compared(engine: Any, record: Record, tolerance: float, saved: bool = True) -> list[str]:
    """The differences of an engine from what was observed, each with its kind."""
    return [f"{kind}: {x}" for kind, found in faults(engine, record, tolerance, saved).items() for x in found]


def compared_second(engine: Any, record: Record, tolerance: float) -> list[str]:
    """The differences in a gradient's own graph; rounding has come a long way by then."""
    # Which axis of a gradient is the fastest in memory is nobody's promise.
    record = record | {"outputs": [{k: v for k, v in o.items() if k != "strides"} for o in record.get("outputs", ())]}
    found = compared(engine, record, 100 * tolerance, saved=False)
    if any(n["name"] in HIDDEN for n in record.get("nodes", ())):
        found = [x for x in found if not x.startswith("graph")]
    return found


def shortened(torch: Any, gradcli: Any, program: Program) -> Program:
    """A program with as few lines and inputs as still show a difference of the same kind."""
    best = program
    kind = _kind(differences(torch, gradcli, program))
    tried = True
    while tried:
        tried = False
        for smaller in _smaller(best):
            # A line that was needed leaves the same NameError in both engines: no difference.
            if _kind(differences(torch, gradcli, smaller)) == kind:
                best, tried = smaller, True
                break
    return best


def _kind(found: list[str]) -> str:
    return " ".join(found[0].split()[:4]) if found else ""


def _smaller(program: Program) -> Iterator[Program]:
    """The program without a line, without a term of its result, without an input, or without a gradient."""
    *lines, last = program.code.split("\n")
    size = len(lines)
    while size := size // 2:
        for i in range(0, len(lines), size):
            yield replace(program, code="\n".join([*lines[:i], *lines[i + size :], last]))
    terms = last.removeprefix("y = ").split(" + ")
    for i in range(len(terms) if len(terms) > 1 else 0):
        yield replace(program, code="\n".join([*lines, "y = " + " + ".join(terms[:i] + terms[i + 1 :])]))
    for name, spec in program.inputs.items():
        yield replace(program, inputs={n: x for n, x in program.inputs.items() if n != name})
        if spec["requires_grad"]:
            yield replace(program, inputs=program.inputs | {name: spec | {"requires_grad": False}})


# Nodes whose backward PyTorch does not unfold into the ordinary operations of its formulas.
HIDDEN = frozenset({"CopySlices"})


def unsteady(torch: Any, program: Program) -> bool:
    """Whether PyTorch itself differs by as much when the inputs move in their last digits."""
    random = np.random.default_rng(0)
    for _ in range(4):
        moved = copy.deepcopy(program.inputs)
        for spec in moved.values():
            a = np.array(spec["data"])
            size = 2e-7 if program.mixed else 1e-15
            spec["data"] = (a * (1 + size * random.uniform(-1, 1, a.shape))).tolist()
        for p, tolerance in ((program, program.tolerance), (program.second, 100 * program.tolerance)):
            record = observe(torch, p.code, p.inputs)
            if "error" in record:
                continue
            record["inputs"] = moved
            if any(faults(torch, record, tolerance, saved=False).values()):
                return True
    return False
