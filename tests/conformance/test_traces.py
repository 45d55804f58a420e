"""The graph that `gradcli trace` shows of every spec of the gallery is PyTorch's: its nodes, edges and gradients."""

from __future__ import annotations

import contextlib
import io
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.errors import GradcliError
from gradcli.graph.view.collect import collect, of_program
from gradcli.graph.view.view import CONST, LEAF, Item, View
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from tests.record_expressions import GALLERY
from tests.rings import sampled

pytestmark = pytest.mark.filterwarnings("ignore")


def run(path: Path, torch: Any, before: Callable[..., None]) -> int:
    """Run a spec under PyTorch, and count the backwards that went through; ``before`` is called with their number."""
    original, done = torch.Tensor.backward, 0

    def backward(self: Any, gradient: Any = None, *more: Any, **how: Any) -> None:
        nonlocal done
        before(done + 1, self, gradient)
        original(self, gradient, *more, **how)
        done += 1

    torch.manual_seed(0)
    torch.Tensor.backward = backward
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(str(path), run_name="__main__")
    finally:
        torch.Tensor.backward = original
    return done


def under_pytorch(path: Path) -> View:
    """The graph that the last backward of a spec goes through, before it does."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    last = run(path, torch, lambda *call: None)
    found: list[View] = []

    def before(number: int, root: Any, gradient: Any) -> None:
        # One that fails has the number of the next.
        if number == last:
            found[:] = [collect(root, gradient=gradient)]

    run(path, torch, before)
    return found[0]


def close(a: Any, b: Any) -> bool:
    """Whether two gradients are the same, but for what thousands of steps of training do to the last digits."""
    if a is None or b is None:
        return a is b
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=1e-3, atol=1e-5, equal_nan=True))


def nodes(view: View) -> list[Item]:
    """Ops as they were recorded, then leaves as the ops use them."""
    ops = list(view.ops())
    used = [edge.to for item in ops for edge in item.edges if edge.to is not None and edge.to.kind == LEAF]
    return [*ops, *dict.fromkeys(used)]


def described(view: View) -> list[Any]:
    """Each node with its edges, in which others are known by their place."""
    listed = nodes(view)
    place = {item: n for n, item in enumerate(listed)}
    return [
        (item.name, item.shape, item.dtype, item.outputs, [
            (edge.argument, edge.slot, edge.output_nr, None if edge.to is None else place.get(edge.to))
            for edge in item.edges
        ])
        for item in listed
    ]  # fmt: skip


@pytest.mark.parametrize("path", GALLERY, ids=[path.stem for path in GALLERY])
@sampled(6)
def test_the_graph_is_that_of_pytorch(path: Path) -> None:
    theirs = under_pytorch(path)
    ours = of_program(Program(read(str(path))))
    assert described(ours) == described(theirs)
    for mine, other in zip(nodes(ours), nodes(theirs), strict=True):
        assert close(mine.grad, other.grad), mine
        for edge, twin in zip(mine.edges, other.edges, strict=True):
            assert close(edge.grad, twin.grad), (mine, edge.argument)
            if edge.to is not None and twin.to is not None and CONST in (edge.to.kind, twin.to.kind):
                assert edge.to.kind == twin.to.kind


@pytest.mark.parametrize("path", GALLERY, ids=[path.stem for path in GALLERY])
@sampled(24)
def test_every_variable_with_a_graph_can_be_the_root(path: Path) -> None:
    program = Program(read(str(path)))
    run = program.run(trace=True)
    names = [name for name, value in run.variables.items() if getattr(value, "grad_fn", None) is not None]
    for name in names[:8]:
        try:
            view = of_program(program, output=name)
        except GradcliError as error:
            pytest.fail(f"{name}: {error}")
        assert view.root_name == name
