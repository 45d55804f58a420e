"""torch.autograd as a module: what it offers, and what it refuses by name."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gradcli as torch


def test_gradcheck_warns_of_single_precision(torch: Any) -> None:
    x = torch.tensor([0.3, 0.5], requires_grad=True)
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision"):
        assert torch.autograd.gradcheck(torch.sin, x, eps=1e-2, atol=1e-2, rtol=1e-2, masked=True)


def test_random_tensors_of_torch_testing() -> None:
    real = pytest.importorskip("torch")
    for options in (
        {"dtype": "float32"}, {"dtype": "int64"}, {"dtype": "uint8", "low": -5, "high": 300}, {"dtype": "bool"},
        {"dtype": "complex64"}, {"dtype": "float32", "noncontiguous": True}, {"dtype": "float64", "low": 0, "high": 1},
        {"dtype": "float32", "requires_grad": True, "exclude_zero": True},
    ):  # fmt: skip
        made = []
        for library in (torch, real):
            library.manual_seed(0)
            given = options | {"dtype": getattr(library, options["dtype"])}
            made.append(library.testing.make_tensor(3, 4, device="cpu", **given))
        ours, theirs = made
        assert np.asarray(ours.tolist()) == pytest.approx(np.asarray(theirs.tolist()))
        assert (ours.stride(), ours.requires_grad) == (theirs.stride(), theirs.requires_grad)
    with pytest.raises(ValueError, match="`low` must be less than `high`"):
        torch.testing.make_tensor(3, dtype=torch.float32, device="cpu", low=3, high=2)


def test_switching_anomaly_mode_off_is_fine() -> None:
    with torch.autograd.set_detect_anomaly(False):
        x = torch.ones(2, requires_grad=True)
        (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def root_times_zero() -> torch.Tensor:
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    return (torch.sqrt(x) * torch.tensor([0.0, 1.0])).sum()


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("context", [lambda: torch.autograd.set_detect_anomaly(True), torch.autograd.detect_anomaly])
def test_anomaly_mode_names_the_node_that_makes_a_nan(context) -> None:  # type: ignore[no-untyped-def]
    with context(), warnings.catch_warnings(record=True, action="always") as told, pytest.raises(RuntimeError) as error:
        root_times_zero().backward()
    assert str(error.value) == "Function 'SqrtBackward0' returned nan values in its 0th output."
    assert "return (torch.sqrt(x) * torch" in str(told[-1].message)
    root_times_zero().backward()


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomaly_mode_without_a_look_at_nan() -> None:
    with torch.autograd.detect_anomaly(check_nan=False):
        root_times_zero().backward()


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomaly_mode_counts_the_places_of_constants() -> None:
    x = torch.tensor([0.0], requires_grad=True)
    told = warnings.catch_warnings(record=True, action="always")
    with torch.autograd.detect_anomaly(), told, pytest.raises(RuntimeError) as error:
        (torch.zeros(1) / x).sum().backward()
    assert str(error.value) == "Function 'DivBackward0' returned nan values in its 1th output."


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_the_hint_of_a_change_in_place_is_another_in_anomaly_mode() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y += 1
    no_trace = pytest.warns(UserWarning, match="No forward pass information available")
    with torch.autograd.detect_anomaly(), no_trace, pytest.raises(RuntimeError) as error:
        y.sum().backward()
    assert str(error.value).endswith("changed in there or anywhere later. Good luck!")


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomaly_mode_writes_down_where_nodes_are_recorded(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.detect_anomaly():
        y = x * x
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert "y = x * x" in y.grad_fn.metadata["traceback_"][-1]
    assert sorted(g.grad_fn.metadata) == ["parent_", "traceback_"]
    assert not (x * x).grad_fn.metadata


def test_recording_is_asked_for_in_inference_mode(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode(), torch.enable_grad():
        assert torch.is_grad_enabled()
        assert (x * 2).grad_fn is None
        with torch.no_grad():
            assert not torch.is_grad_enabled()


def test_comparisons_write_their_answers(torch: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    y, z = x.clone().lt_(2), x.clone().ge_(torch.tensor([0.0, 1, 2]))
    assert [y.tolist(), z.tolist()] == [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]]
    assert [y.grad_fn.name(), z.grad_fn.name()] == ["LtBackward0", "GeBackward1"]
    (y + z).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_a_leafs_edge_leads_to_the_node_that_accumulates() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    edge = torch.autograd.graph.get_gradient_edge(x)
    assert edge.node is y.grad_fn.next_functions[0][0]
    assert edge.node.variable is x
    assert isinstance(y.grad_fn, torch.autograd.graph.Node)


def test_increment_version_counts_a_write() -> None:
    x = torch.ones(2)
    torch.autograd.graph.increment_version(x)
    assert x._version == 1


def test_variable_is_a_leaf_over_the_same_memory() -> None:
    data = torch.zeros(2)
    v = torch.autograd.Variable(data, requires_grad=True)
    assert v.requires_grad
    assert v.is_leaf
    data.add_(1)
    assert v.tolist() == [1.0, 1.0]
