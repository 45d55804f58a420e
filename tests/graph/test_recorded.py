"""``gradcli.recording()``: graphs of PyTorch's own tensors know the calls of modules that their ops ran in."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from typing import Any

import pytest

import gradcli
from gradcli.errors import InputError
from gradcli.graph.ask.crossing import crossings
from gradcli.graph.view.collect import collect
from gradcli.graph.view.places import text_of
from gradcli.graph.view.view import View

from ..conftest import needs_torch
from .flows import PROGRAMS, program
from .test_collect import viewed

pytestmark = pytest.mark.filterwarnings("ignore")


def recorded(text: str) -> View:
    """The graph of a program's loss as PyTorch makes it, before its backward."""
    import torch

    dtype, variables = torch.get_default_dtype(), {"__name__": "recorded"}
    try:
        with gradcli.recording():
            exec(text.replace("loss.backward()\n", ""), variables)
    finally:
        torch.set_default_dtype(dtype)
    return collect(variables["loss"])


def calls(view: View) -> dict[str, Any]:
    """Each call of a module with its class, its ops, and the gradients in and out."""
    found = {}
    for place, crossing in crossings(view).items():
        if place is not None and place[0].cls is not None:
            name = place[0].id if any(s.cls for s in place[0].path[:-1]) else "the model"
            found[name] = (place[0].cls, [item.name for item in crossing.ops], crossing.arrives, crossing.leaves)
    return found


@needs_torch
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_of_pytorch_has_the_scopes_that_the_program_has_here(name: str) -> None:
    theirs, ours = calls(recorded(program(PROGRAMS[name]))), calls(viewed(program(PROGRAMS[name])))
    assert theirs.keys() == ours.keys()
    for call, (cls, ops, *lengths) in theirs.items():
        assert (cls, ops) == ours[call][:2]
        assert [0 if length is None else length for length in lengths] == pytest.approx(
            [0 if length is None else length for length in ours[call][2:]], rel=1e-9
        )


@needs_torch
def test_levels_flow_focus_and_names_of_parameters() -> None:
    import torch

    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    with gradcli.recording():
        y = net(torch.ones(4, 2)).sum()
    trace = gradcli.trace(y, level=1)
    assert "Sequential" in str(trace)
    assert "13 params" in str(trace)
    assert [leaf.variable for leaf in gradcli.trace(y).view.leaves()] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert "2 Linear" in gradcli.trace(y).flow()
    assert gradcli.trace(y, focus="1").view.aspect == "focus on 1"
    assert gradcli.trace(y).why("0").startswith("why 0: gradient in")


@needs_torch
def test_models_are_told_apart_by_name() -> None:
    import torch

    one, two = (torch.nn.Sequential(torch.nn.Linear(1, 1)) for _ in range(2))
    for given, names in (({}, {"Sequential", "Sequential2"}), ({"g": one, "c": two}, {"g", "c"})):
        with gradcli.recording(**given):
            y = two(one(torch.ones(1)))
        scopes = {scope.id for item in collect(y).ops() if item.scope for scope in item.scope.path}
        assert scopes == {*names, *(f"{name}.0" for name in names)}
    assert {leaf.variable for leaf in collect(y).leaves()} == {"g.0.weight", "g.0.bias", "c.0.weight", "c.0.bias"}
    with pytest.raises(InputError, match="takes modules"):
        gradcli.recording(g=3)


@needs_torch
def test_what_runs_after_the_block_or_fails_in_it_is_in_no_call() -> None:
    import torch

    class Fails(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            raise ValueError("no")

    net = torch.nn.Linear(1, 1)
    with gradcli.recording():
        with pytest.raises(ValueError, match="no"):
            torch.nn.Sequential(net, Fails())(torch.ones(1))
        inside = net.weight * 2
        last = net(inside[0])
    after = net(torch.ones(1)) + last
    scopes = {item.name: item.scope for item in collect(after).ops()}
    assert scopes["MulBackward0"] is None
    assert scopes["AddBackward0"] is None
    assert sum(item.scope is not None for item in collect(after).ops()) == sum(
        item.scope is not None for item in collect(last).ops()
    )


@needs_torch
def test_notes_keep_no_model_alive() -> None:
    import torch

    net = torch.nn.Linear(1, 1)
    with gradcli.recording() as notes:
        y = net(torch.ones(1))
    gone = weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None
    assert notes.models[0].name == "Linear"
    assert next(item.scope for item in collect(y).ops()) is not None


def test_modules_of_gradcli_are_noted_too() -> None:
    net = gradcli.nn.Sequential(gradcli.nn.Linear(2, 3), gradcli.nn.Tanh())
    with gradcli.recording():
        y = net(gradcli.ones(4, 2)).sum()
    scopes = {scope.id for item in collect(y).ops() if item.scope for scope in item.scope.path}
    assert scopes == {"Sequential", "0", "1"}
    assert all(item.value is not None for item in collect(y).ops())


def test_torch_is_not_imported() -> None:
    text = "import gradcli, sys\nwith gradcli.recording():\n    pass\nassert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", text], check=True)


# -- lines and names -------------------------------------------------------------------------------


@needs_torch
def test_places_and_names_of_what_pytorch_records() -> None:
    import torch

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, inner: Any) -> Any:
            return inner.detach() * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    apply = Double.apply
    weight = torch.ones(3, requires_grad=True)
    with gradcli.recording():
        doubled = apply(weight)
        left, right = torch.split(doubled, 2)
        loss = left.sum() * right.sum()
        (slope,) = torch.autograd.grad(loss, weight, create_graph=True)
        again = slope.sum()
    found = {item.name: (item.variable, text_of(item.span, 80)) for item in collect(loss).ops() if item.span}
    assert found["DoubleBackward"] == ("doubled", "apply(weight)")
    assert found["SplitBackward0"][1] == "torch.split(doubled, 2)"
    assert found["MulBackward0"] == ("loss", "left.sum() * right.sum()")
    (leaf,) = collect(loss).leaves()
    assert leaf.variable == "weight"
    # What a backward records stands where that was called.
    assert "torch.autograd.grad(…" in {text_of(item.span, 20) for item in collect(again).ops() if item.span}


@needs_torch
def test_notes_of_names_keep_nothing_alive() -> None:
    import torch

    weight = torch.ones(3, requires_grad=True)
    held = [torch.ones(1)]
    with gradcli.recording() as notes:
        y = (weight * held[0]).sum()
    gone = weakref.ref(weight), weakref.ref(held[0])
    del weight, y
    held.clear()
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
    assert notes.written.span_of(torch.ones(1, requires_grad=True).exp().grad_fn) is None
