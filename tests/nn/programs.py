"""Small programs about modules; what PyTorch answers is in expected.json.

To record again, with PyTorch installed: ``python -m tests.nn.programs``.
"""

from __future__ import annotations

import copy
import importlib
import json
import warnings
from collections import OrderedDict
from pathlib import Path
from typing import Any

EXPECTED = Path(__file__).with_name("expected.json")

# Each line is an expression, evaluated after ``torch.manual_seed(3)``; a line with a # names those below it.
PROGRAMS = Path(__file__).with_name("programs.txt")


def clipped(torch: Any, change: Any) -> Any:
    """What a function of nn.utils makes of a layer with gradients."""
    layer = torch.nn.Linear(3, 2)
    (layer(torch.randn(4, 3)) ** 2).sum().backward()
    found = change(torch.nn.utils, layer)
    return found, layer.weight.grad, layer.bias.grad, layer.weight, layer.bias


def answer(torch: Any, code: str, **more: Any) -> list[Any]:
    """What an engine answers: a repr or an error, and its warnings."""
    names = {
        "torch": torch, "nn": torch.nn, "copy": copy, "OrderedDict": OrderedDict,
        "clip": lambda change: clipped(torch, change), **more,
    }  # fmt: skip
    torch.manual_seed(3)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            text = repr(eval(code, names))
        except Exception as error:
            plain = next(c for c in type(error).__mro__ if c.__module__ == "builtins")
            text = f"{plain.__name__}: {error}"
    return [text, [str(w.message) for w in warned]]


def lines(programs: Path = PROGRAMS) -> list[tuple[str, str]]:
    """Every program with its group."""
    found: list[tuple[str, str]] = []
    group = ""
    for line in programs.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            group = line[2:]
        elif line:
            found.append((group, line))
    return found


if __name__ == "__main__":
    engine = importlib.import_module("torch")
    found = {code: answer(engine, code) for _, code in lines()}
    EXPECTED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
