"""The drawings of the gallery as they should be: ``python -m tests.cli.write_traces`` writes them for you to read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gradcli.graph.ask.levels import deepest, levelled
from gradcli.graph.ask.why import explained
from gradcli.graph.text.tree import render
from gradcli.graph.view.collect import of_program
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from gradcli.text.parts import plain
from tests.record_expressions import GALLERY, ROOT

TRACES = ROOT / "tests" / "golden" / "trace"


def traced(spec: Path) -> Iterator[str]:
    """The drawings of a spec by `gradcli trace`, in wide and narrow windows and with its options."""
    view = of_program(Program(read(str(spec))))
    view.spec = f"expressions/{spec.name}"
    for width in (120, 80, 40):
        yield f"$ gradcli trace expressions/{spec.name}  # {width} columns"
        yield from map(plain, render(view, width=width))
    yield f"$ gradcli trace expressions/{spec.name} --layout list --saved  # 80 columns, ASCII"
    yield from map(plain, render(view, width=80, ascii=True, layout="list", saved=True))
    if deepest(view) > 1:
        yield f"$ gradcli trace expressions/{spec.name} --level 1  # 80 columns"
        yield from map(plain, render(levelled(view, 1), width=80))
    name = next(leaf.variable or leaf.id for leaf in view.leaves())
    yield f"$ gradcli trace expressions/{spec.name} --why {name}  # 80 columns"
    yield from map(plain, explained(view, name, width=80))


def text_of(spec: Path) -> str:
    """The file for a spec."""
    return "".join(f"{line}\n" for line in traced(spec))


def place_of(spec: Path) -> Path:
    """Where that file is."""
    return TRACES / f"{spec.stem}.txt"


if __name__ == "__main__":
    for spec in GALLERY:
        place_of(spec).write_text(text_of(spec), encoding="utf-8")
