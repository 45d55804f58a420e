"""Trace and export-dot draw PyTorch's own graphs: JSON, DOT, Mermaid and tree of more than forty programs.

PyTorch's graph is walked here, with hooks on nodes and modules of its own, by nothing that draws.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from gradcli.graph.dot.document import to_dot
from gradcli.graph.json import to_json
from gradcli.graph.mermaid import to_mermaid
from gradcli.graph.text.tree import render
from gradcli.graph.view.view import OP
from gradcli.text.parts import plain
from tests.graph.flows import PROGRAMS as FLOWS, TURNS, program
from tests.graph.graphviz import needs_dot, read
from tests.graph.test_collect import viewed
from tests.rings import sampled

from .drawn import PROGRAMS, WRITTEN_IN_PLACE

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")
pytestmark = pytest.mark.filterwarnings("ignore")

ALL = {**PROGRAMS, **FLOWS, "turns": TURNS}


class Live:
    """PyTorch's graph of a program's loss."""

    def __init__(self, text: str) -> None:
        self.values: dict[Any, tuple[int, Any]] = {}
        self.scopes: dict[Any, list[str]] = {}
        self.variables = self._run(text.replace("loss.backward()\n", ""))
        self.root = self.variables["loss"].grad_fn
        self.nodes = self._walk()
        self.arrived: dict[Any, Any] = {}
        self.passed: dict[Any, Any] = {}
        self.leaves: dict[Any, Any] = {}
        self.saved_bytes = self._saved()
        self._backward()

    def _run(self, text: str) -> dict[str, Any]:
        values, scopes = self.values, self.scopes
        stack: list[str] = []

        class Watching(torch.overrides.TorchFunctionMode):  # type: ignore[misc, name-defined]
            def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                made = function(*args, **(kwargs or {}))
                for each in made if isinstance(made, (tuple, list)) else (made,):
                    if isinstance(each, torch.Tensor) and each.grad_fn is not None and each.grad_fn not in values:
                        with torch._C.DisableTorchFunction():
                            values[each.grad_fn] = each.output_nr, each.detach().resolve_conj().clone().numpy()
                        scopes[each.grad_fn] = list(stack)
                return made

        module = torch.nn.modules.module
        handles = (
            module.register_module_forward_pre_hook(lambda each, _: stack.append(type(each).__name__)),
            module.register_module_forward_hook(lambda each, *_: stack.pop() and None),
        )
        dtype, variables = torch.get_default_dtype(), {"__name__": "drawn"}
        try:
            with Watching():
                exec(text, variables)
        finally:
            torch.set_default_dtype(dtype)
            for handle in handles:
                handle.remove()
        return variables

    def _walk(self) -> list[Any]:
        seen, waiting = {self.root}, [self.root]
        while waiting:
            for node, _ in waiting.pop().next_functions:
                if node is not None and node not in seen:
                    seen.add(node)
                    waiting.append(node)
        return sorted((node for node in seen if not hasattr(node, "variable")), key=lambda node: node._sequence_nr())

    def _backward(self) -> None:
        def watching(node: Any) -> Any:
            def hook(passed: Any, arrived: Any) -> None:
                self.passed[node], self.arrived[node] = passed, arrived

            return hook

        for node in self.nodes:
            node.register_hook(watching(node))
        leaves = {n for node in self.nodes for n, _ in node.next_functions if n is not None and hasattr(n, "variable")}
        for leaf in leaves:
            leaf.variable.grad = None
        self.variables["loss"].backward(retain_graph=True)
        self.leaves = {leaf: leaf.variable.grad for leaf in leaves}

    def _saved(self) -> int:
        """The bytes that the graph holds and nothing else would: neither leaves nor what the program has at hand."""
        leaves: set[int] = set()
        made: dict[int, int] = {}
        given: dict[int, int] = {}
        for node in self.nodes:
            for before, _ in node.next_functions:
                if before is not None and hasattr(before, "variable"):
                    leaves.add(before.variable.untyped_storage().data_ptr())
            for name, tensor in self._kept(node):
                into = given if tensor.grad_fn is None else made
                # A Python number is kept as a tensor without dimensions.
                if tensor.grad_fn is not None or tensor.dim() or name not in ("_saved_self", "_saved_other"):
                    into[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        at_hand = {tensor.untyped_storage().data_ptr() for tensor in self._at_hand()}
        held = {**{p: n for p, n in given.items() if p not in at_hand}, **made}
        return sum(size for pointer, size in held.items() if pointer not in leaves)

    @staticmethod
    def _kept(node: Any) -> list[tuple[str, Any]]:
        names = [name for name in dir(node) if name.startswith("_saved_") and "_sym_" not in name]
        kept = [(name, getattr(node, name)) for name in names] or [("", getattr(node, "saved_tensors", ()))]
        flat = [(name, part) for name, x in kept for part in (x if isinstance(x, (tuple, list)) else (x,))]
        return [(name, part) for name, part in flat if isinstance(part, torch.Tensor)]

    def _at_hand(self) -> list[Any]:
        found, waiting = [], list(self.variables.values())
        while waiting:
            value = waiting.pop()
            if isinstance(value, torch.Tensor):
                found.append(value)
            elif isinstance(value, (list, tuple)):
                waiting += value
            elif isinstance(value, torch.nn.Module):
                found += [*value.parameters(), *value.buffers()]
        return found


def same(told: Any, theirs: Any, what: str) -> None:
    """A number, or the norm of a tensor, as it is told."""
    if theirs is None:
        assert told is None, what
        return
    assert told is not None, what
    array = theirs.detach().resolve_conj().numpy() if isinstance(theirs, torch.Tensor) else theirs
    norm = told["norm"] if isinstance(told, dict) else abs(complex(told))
    assert norm == pytest.approx(float(np.linalg.norm(array.astype(complex).ravel())), rel=1e-5, abs=1e-12), what


def to_shape(grad: Any, node: Any, nr: int) -> Any:
    """A gradient as it arrives: what an op has broadcast is summed up."""
    meta = node.variable if hasattr(node, "variable") else node._input_metadata[nr]
    grad = grad.sum_to_size(tuple(meta.shape))
    return grad.real if grad.is_complex() and not meta.dtype.is_complex else grad


def short(name: str) -> str:
    return name.removeprefix("torch::autograd::")


@pytest.mark.parametrize("name", ALL)
@sampled(3)
def test_json_has_every_node_edge_value_gradient_byte_and_scope(name: str) -> None:
    text = program(ALL[name])
    live, view = Live(text), viewed(text, output="loss")
    found = json.loads(to_json(view))
    ops = [node for node in found["nodes"] if node["kind"] == OP]
    assert [node["name"] for node in ops] == [short(node.name()) for node in live.nodes]
    classes = {scope.id: scope.cls for item in view.ops() if item.scope for scope in item.scope.path}
    ids = {node: told["id"] for node, told in zip(live.nodes, ops, strict=True)}
    leaves: dict[Any, str] = {}
    for node, told in zip(live.nodes, ops, strict=True):
        assert len(told["edges"]) == len(node.next_functions)
        grads = live.arrived.get(node, [None] * 8)
        if "outputs" in told:
            for output, grad in zip(told["outputs"], grads, strict=False):
                same(output["grad"], grad, told["id"])
        else:
            same(told["grad"], grads[0], told["id"])
        if node in live.values:
            nr, value = live.values[node]
            same(told["outputs"][nr]["value"] if "outputs" in told else told["value"], value, f"{told['id']} value")
        if node in live.scopes:
            assert [cls for cls in map(classes.get, told.get("scope", ())) if cls] == live.scopes[node], told["id"]
        passed = live.passed.get(node, [None] * len(told["edges"]))
        for edge, (before, nr), grad in zip(told["edges"], node.next_functions, passed, strict=False):
            where = f"{told['id']}.{edge['arg']}"
            if before is None:
                assert edge["grad"] is None, where
                continue
            assert edge["output_nr"] == nr, where
            known = ids.get(before) or leaves.setdefault(before, edge["to"])
            assert edge["to"] == known, where
            same(edge["grad"], None if grad is None else to_shape(grad, before, nr), where)
    for leaf, grad in live.leaves.items():
        same(next(n["grad"] for n in found["nodes"] if n["id"] == leaves[leaf]), grad, leaves[leaf])
    assert found["stats"]["saved_bytes"] == live.saved_bytes + WRITTEN_IN_PLACE.get(name, 0)
    assert len(set(leaves.values())) == len(leaves) == found["stats"]["leaves"]


@needs_dot
@pytest.mark.parametrize("name", ALL)
@sampled(3)
def test_all_forms_draw_the_same_nodes_and_edges(name: str) -> None:
    view = viewed(program(ALL[name]), output="loss")
    found = json.loads(to_json(view))
    ids = {node["id"] for node in found["nodes"]}
    ops = [node for node in found["nodes"] if node["kind"] == OP]
    leading = [(node["id"], edge) for node in found["nodes"] for edge in node["edges"] + node.get("arguments", [])]

    dot = read(to_dot(view, cluster="none", share_leaves=True))
    assert ids <= {each.replace("\\\\", "\\") for each in dot.nodes}
    assert len(dot.edges) == len(leading)
    drawn = Counter((tail, head, edge["label"].split()[0]) for tail, head, edge in dot.edges)
    assert drawn == Counter((id, edge["to"] or f"{id}.{edge['arg']}", edge["arg"]) for id, edge in leading)

    mermaid = to_mermaid(view).splitlines()
    assert sum(bool(re.match(r"  n\d+[(\[]", line)) for line in mermaid) == len(ids)
    assert sum("-->" in line for line in mermaid) == sum(edge["to"] is not None for _, edge in leading)

    rows = [plain(line) for line in render(view, layout="list", width=400)]
    made = Counter(found[1] for line in rows if (found := re.match(r"#\d+ (?:.* = )?(\w+)\(", line)))
    assert made == Counter(node["name"] for node in ops)
