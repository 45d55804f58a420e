"""Sparse tensors: what has a form for them keeps them sparse, all else is refused; as PyTorch has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gradcli as torch
from gradcli.nn import functional as F
from tests.spec.running import printed

PLACES = [[0, 1, 2], [1, 0, 2]]


def sparse(coalesced: bool = True) -> Any:
    """A matrix of three entries, which may be said twice."""
    made = torch.sparse_coo_tensor(torch.tensor(PLACES), torch.tensor([0.5, -0.25, 0.75]), (3, 3))
    return made.coalesce() if coalesced else made


KEPT: dict[str, tuple[Callable[[Any], Any], tuple[Any, Any, bool]]] = {
    "subscript": (lambda s: s[0], ([[1]], [0.5], True)),
    "negative": (lambda s: s[-1], ([[2]], [0.75], True)),
    "select": (lambda s: s.select(1, 0), ([[1]], [-0.25], True)),
    "walk": (lambda s: list(s)[1], ([[0]], [-0.25], True)),
    "unbind": (lambda s: s.unbind()[2], ([[2]], [0.75], True)),
    "unsqueeze": (lambda s: s.unsqueeze(0), ([[0, 0, 0], *PLACES], [0.5, -0.25, 0.75], False)),
    "index_select": (
        lambda s: s.index_select(0, torch.tensor([2, 0])), ([[0, 1], [2, 1]], [0.75, 0.5], False)),
    "narrow_copy": (lambda s: s.narrow_copy(0, 1, 2), ([[0, 1], [0, 2]], [-0.25, 0.75], True)),
    "cat": (
        lambda s: torch.cat([s, s]),
        ([[0, 1, 2, 3, 4, 5], [1, 0, 2, 1, 0, 2]], [0.5, -0.25, 0.75] * 2, False)),
    "stack": (
        lambda s: torch.stack([s, s]),
        ([[0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [1, 0, 2] * 2], [0.5, -0.25, 0.75] * 2, False)),
    "relu": (lambda s: torch.relu(s), (PLACES, [0.5, 0.0, 0.75], True)),
    "sign": (lambda s: torch.sign(s), (PLACES, [1.0, -1.0, 1.0], True)),
    "sum": (lambda s: s.sum(0), ([[0, 1, 2]], [-0.25, 0.5, 0.75], True)),
    "zeros_like": (lambda s: torch.zeros_like(s), ([[], []], [], True)),
    "mm": (lambda s: s @ s, ([[0, 1, 2], [0, 1, 2]], [-0.125, -0.125, 0.5625], True)),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_forms_keep_sparse(name: str) -> None:
    """Its places, its entries, and whether they are in order."""
    function, (places, values, in_order) = KEPT[name]
    found = function(sparse())
    assert found.layout is torch.sparse_coo
    assert (found._indices().tolist(), found._values().tolist(), found.is_coalesced()) == (places, values, in_order)


REFUSED: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "exp": (lambda s: torch.exp(s), NotImplementedError, "Could not run 'aten::exp' with arguments from the "),
    "eq": (lambda s: s == s, NotImplementedError, "Could not run 'aten::eq"),
    "slice": (lambda s: s[0:2], NotImplementedError, "Could not run 'aten::as_strided'"),
    "list": (lambda s: s[torch.tensor([0])], NotImplementedError, "Could not run 'aten::index.Tensor'"),
    "reshape": (lambda s: s.reshape(9), RuntimeError, "reshape is not implemented for sparse tensors"),
    "expand": (lambda s: s.expand(2, 3, 3), RuntimeError, "expand is unsupported for Sparse tensors"),
    "plus one": (lambda s: s + 1, RuntimeError, "add(sparse, dense) is not supported. Use add(dense, sparse)"),
    "cat": (lambda s: torch.cat([s, torch.ones(3, 3)]), RuntimeError, "Concatenating sparse tensors, but a dense"),
    "div": (lambda s: s / s, RuntimeError, "Sparse division requires a scalar or zero-dim dense tensor divisor"),
    "sigmoid": (lambda s: F.sigmoid(s), NotImplementedError, "Could not run 'aten::sigmoid'"),
    "norm": (lambda s: torch.linalg.norm(s), NotImplementedError, "Could not run 'aten::linalg_vector_norm'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_form_is_refused(name: str) -> None:
    """PyTorch's words, up to where it lists its backends."""
    function, kind, words = REFUSED[name]
    with pytest.raises(kind) as caught:
        function(sparse())
    assert str(caught.value).startswith(words)


def test_in_place_functions_ask_for_entries_in_order() -> None:
    """What bends numbers must know them whole."""
    with pytest.raises(RuntimeError, match="asin_ requires coalesced input"):
        sparse(False).arcsin_()


def test_gradient_of_a_sparse_sum_is_sparse() -> None:
    """At the places of the leaf."""
    leaf = sparse().requires_grad_()
    torch.sparse.sum(-leaf).backward()
    assert leaf.grad.layout is torch.sparse_coo
    assert leaf.grad._values().tolist() == [-1.0, -1.0, -1.0]


def test_names_that_a_program_took_before_know_of_sparse_tensors() -> None:
    """They are dressed as the program begins."""
    assert printed("""
import torch
from torch import exp
act = torch.cos
s = torch.eye(2).to_sparse()
for f in (exp, act, torch.nn.Sigmoid()):
    try:
        print(f(s))
    except NotImplementedError as error:
        print(str(error).split()[3])
""").split("\n")[:3] == [f"'aten::{name}'" for name in ("exp", "cos", "sigmoid")]


# What v.grad is of sums of 1, 2, ... times what stands in the result, as PyTorch 2.13 gives them.
GRADIENTS: dict[str, tuple[Callable[[Any], Any], str, list[float]]] = {
    "linear": (lambda s: F.linear(s, torch.eye(3)), "MmBackward0", [2.0, 4.0, 9.0]),
    "linear with bias": (lambda s: F.linear(s, torch.eye(3), torch.ones(3)), "AddmmBackward0", [2.0, 4.0, 9.0]),
    "sparse.sum": (lambda s: torch.sparse.sum(s, dim=1), "SparseSumBackward0", [1.0, 2.0, 3.0]),
    "softmax": (lambda s: torch.sparse.softmax(s * 1, dim=1), "SparseSoftmaxBackward0", [0.0, 0.0, 0.0]),
    "log_softmax": (lambda s: torch.sparse.log_softmax(s, dim=1), "SparseLogSoftmaxBackward0", [0.0, 0.0, 0.0]),
    "sparse.mm": (lambda s: torch.sparse.mm(s, s), "SparseSparseMatmulBackward0", [-1.5, 3.0, 13.5]),
    "mm": (lambda s: s @ s, "MmBackward0", [-1.5, 3.0, 13.5]),
    "stack": (lambda s: torch.stack([s, s]), "StackBackward0", [13.0, 17.0, 27.0]),
    "relu": (lambda s: torch.relu(s), "ReluBackward0", [2.0, 0.0, 9.0]),
    "floor": (lambda s: torch.floor(s), "FloorBackward0", [0.0, 0.0, 0.0]),
    "element": (lambda s: s[0, 1], "SelectBackward0", [1.0, 0.0, 0.0]),
    "add": (lambda s: torch.add(s, s, alpha=2), "AddBackward0", [6.0, 12.0, 27.0]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_of_forms(name: str) -> None:
    """The node's name, and what arrives at the entries."""
    function, node, wanted = GRADIENTS[name]
    values = torch.tensor([0.5, -0.25, 0.75], requires_grad=True)
    found = function(torch.sparse_coo_tensor(torch.tensor(PLACES), values, (3, 3)))
    assert type(found.grad_fn).__name__ == node
    full = found.to_dense()
    (full * torch.arange(1.0, full.numel() + 1).reshape(full.shape)).sum().backward()
    assert values.grad.tolist() == pytest.approx(wanted)


def test_gradients_that_have_no_kernel_are_refused() -> None:
    """A part of a sparse gradient."""
    values = torch.tensor([0.5, -0.25, 0.75], requires_grad=True)
    made = torch.sparse_coo_tensor(torch.tensor(PLACES), values, (3, 3))
    torch.cat([made, made]).sum().backward()
    assert values.grad.tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(NotImplementedError, match="Could not run 'aten::as_strided'"):
        torch.sparse.sum(torch.cat([made, made])).backward()


WRITES: dict[str, tuple[Callable[[Any], Any], list[float]]] = {
    "values": (lambda s: s.values().mul_(2), [1.0, -0.5, 1.5]),
    "_values": (lambda s: s._values().add_(1), [1.5, 0.75, 1.75]),
    "subscript": (lambda s: s.values().__setitem__(1, 9.0), [0.5, 9.0, 0.75]),
    "data": (lambda s: s.values().data.clamp_(max=0.5), [0.5, -0.25, 0.5]),
    "detached": (lambda s: s.detach().values().zero_(), [0.0, 0.0, 0.0]),
    "clone": (lambda s: s.clone().values().zero_(), [0.5, -0.25, 0.75]),
    "product": (lambda s: (s * 2).values().zero_(), [0.5, -0.25, 0.75]),
    "before copy_": (lambda s: (s.values(), s.copy_(s * 4))[0].mul_(2), [2.0, -1.0, 3.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_values_are_in_the_memory_of_the_tensor(name: str) -> None:
    """What is written to them is read everywhere, and never by what was made of the tensor before."""
    write, wanted = WRITES[name]
    s = sparse()
    write(s)
    assert s.values().tolist() == wanted
    assert s.to_dense()[tuple(PLACES)].tolist() == wanted
    assert (s @ torch.ones(3, 1)).flatten().tolist() == wanted
    assert s.sum().item() == sum(wanted)
    assert (s + s).values().tolist() == [2 * x for x in wanted]
    assert s.t().to_dense()[tuple(PLACES[::-1])].tolist() == wanted


def test_indices_and_given_values_share_memory() -> None:
    """An entry moves with its place, and changes with the tensor that it was made of."""
    given = torch.tensor([1.0, 2.0])
    s = torch.sparse_coo_tensor([[0, 1]], given, (3,))
    given.mul_(3)
    s._indices()[0, 1] = 2
    assert s.to_dense().tolist() == [3.0, 0.0, 6.0]
    s._indices()[0, 1] = 3
    with pytest.raises(IndexError, match="was changed to what is no place in its size"):
        s.to_dense()


def test_a_tensor_scaled_in_place_keeps_its_values_where_they_are() -> None:
    """A sum written to it takes new ones."""
    s = sparse()
    values = s.values()
    s.mul_(2)
    assert values.tolist() == [1.0, -0.5, 1.5]
    s.add_(s)
    assert (values.tolist(), s._values().tolist()) == ([1.0, -0.5, 1.5], [2.0, -1.0, 3.0])


def test_what_is_known_of_the_order_of_entries() -> None:
    """Fewer than two are in order; a factor written in is forgetful, and a rounded quotient keeps its zeros."""
    one = torch.sparse_coo_tensor([[1], [2]], [3.0], (3, 3))
    assert (one.is_coalesced(), one.values().tolist()) == (True, [3.0])
    assert one.mul_(2).is_coalesced()
    s = sparse()
    assert not s.mul_(torch.tensor(2.0)).is_coalesced()
    assert s.coalesce().values().tolist() == [1.0, -0.5, 1.5]
    assert sparse().mul_(sparse()).is_coalesced()
    assert (s // 1)._values().tolist() == [1.0, -1.0, 1.0]
    assert s.div_(4, rounding_mode="trunc").values().tolist() == [0.0, 0.0, 0.0]
    assert sparse().copy_(s)._nnz() == 3


def test_values_written_after_they_were_kept_are_noticed() -> None:
    """The backward pass needs them as they were; with a gradient of their own they are not written to."""
    s, w = sparse(), torch.ones(3, 1, requires_grad=True)
    y = (s @ w).sum()
    s.values().mul_(3)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.backward()
    s.requires_grad_()
    with torch.no_grad():
        s.values().mul_(2)
    with pytest.raises(RuntimeError, match="The values of a sparse tensor that requires a gradient"):
        (s * 1).values().mul_(2)
    assert s.detach().values().tolist() == [3.0, -1.5, 4.5]
