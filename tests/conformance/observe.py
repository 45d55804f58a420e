"""Run a program in an engine and write down what autograd built: the records that compare.py reads."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]


def functional(torch: Any) -> Any:
    """The engine's ``torch.nn.functional``."""
    return torch.nn.functional if hasattr(torch, "nn") else torch.F


@contextlib.contextmanager
def doubles(torch: Any) -> Iterator[None]:
    """The setting of all records: float64 is the default, and warnings say nothing."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_default_dtype(before)


def run(torch: Any, record: Record) -> tuple[Any, dict[str, Any]]:
    """Execute a record's code; its result ``y`` and its inputs."""
    names: dict[str, Any] = {"torch": torch, "F": functional(torch)}
    inputs = {}
    for name, spec in record["inputs"].items():
        t = torch.tensor(spec["data"], dtype=getattr(torch, spec["dtype"]))
        if spec.get("strided"):
            t = _strided(torch, t)
        inputs[name] = t.requires_grad_() if spec["requires_grad"] else t
    names.update(inputs)
    exec(record["code"], names)
    return names.get("y"), inputs


def _strided(torch: Any, t: Any) -> Any:
    """The same values in memory that is not contiguous."""
    if t.ndim == 0:
        return t
    return torch.stack([t, t], dim=t.ndim)[..., 0]


def outputs(y: Any, torch: Any) -> list[Any]:
    """The tensors among what a program calls ``y``."""
    if isinstance(y, torch.Tensor):
        return [y]
    return [x for x in y if isinstance(x, torch.Tensor)]


def numbers(t: Any) -> Any:
    """A tensor's values as nested lists."""
    try:
        return t.tolist()
    except RuntimeError:
        # PyTorch's lazy zeros have no memory to list.
        return (t + 0).tolist()


def dtype_name(dtype: Any) -> str:
    """``float64`` for ``torch.float64``."""
    return str(dtype).replace("torch.", "")


def flat_graph(torch: Any, y: Any, inputs: dict[str, Any]) -> list[Record]:
    """The nodes of a graph in pre-order with their sharing, each with the node itself under ``node``."""
    name_of = {id(t): n for n, t in inputs.items()}
    ids: dict[Any, str] = {}
    nodes: list[Record] = []

    def visit(node: Any) -> str:
        if node in ids:
            return ids[node]
        ids[node] = f"n{len(ids)}"
        entry: Record = {"id": ids[node], "name": type(node).__name__, "cpp_name": node.name(), "node": node}
        nodes.append(entry)
        if hasattr(node, "variable"):
            entry["variable"] = name_of.get(id(node.variable))
        entry["next"] = [None if n is None else [visit(n), k] for n, k in node.next_functions]
        return ids[node]

    for t in outputs(y, torch):
        if t.grad_fn is not None:
            visit(t.grad_fn)
    return nodes


def gradients(torch: Any, y: Any, inputs: dict[str, Any]) -> dict[str, Any] | None:
    """The gradients of the sum of all floating outputs by the inputs that ask for one."""
    outs = [t for t in outputs(y, torch) if t.is_floating_point() and t.requires_grad]
    if not outs:
        return None
    leaves = {n: t for n, t in inputs.items() if t.requires_grad}
    total = outs[0].sum()
    for t in outs[1:]:
        total = total + t.sum()
    got = torch.autograd.grad(total, list(leaves.values()), allow_unused=True, retain_graph=True)
    return dict(zip(leaves, got, strict=True))


def observe(torch: Any, code: str, inputs: dict[str, Record], name: str = "") -> Record:
    """The record of a program: its error, or its outputs, graph and gradients."""
    record: Record = {"id": name, "group": "live", "code": code, "inputs": inputs}
    with doubles(torch):
        try:
            y, tensors = run(torch, record)
        except Exception as error:
            return record | {"error": type(error).__name__, "message": str(error)}
        record["outputs"] = [_output(t) for t in outputs(y, torch)]
        record["nodes"] = [_node(torch, n) for n in flat_graph(torch, y, tensors)]
        try:
            grads = gradients(torch, y, tensors) or {}
        except RuntimeError as error:
            return record | {"grads": None, "grad_error": str(error)}
        record["grads"] = {n: None if g is None else numbers(g) for n, g in grads.items()}
    return record


def _output(t: Any) -> Record:
    return {
        "shape": list(t.shape),
        "dtype": dtype_name(t.dtype),
        "value": numbers(t),
        "requires_grad": t.requires_grad,
        "is_leaf": t.is_leaf,
        "output_nr": t.output_nr,
        "is_view": t._is_view(),
        "version": None if t.is_inference() else t._version,
        "strides": list(t.stride()),
    }


def metadata(node: Any) -> list[Record]:
    """Shape and dtype of a node's outputs."""
    return [{"shape": list(m.shape), "dtype": dtype_name(m.dtype)} for m in node._input_metadata]


def saved_names(node: Any) -> list[str]:
    """The names under which a node shows what it saved."""
    return sorted(n for n in dir(node) if n.startswith("_saved_"))


def _node(torch: Any, entry: Record) -> Record:
    node = entry.pop("node")
    entry["grad_output_meta"] = metadata(node)
    entry["saved"] = {name: _saved(torch, read_saved(node, name)) for name in saved_names(node)}
    return entry


def read_saved(node: Any, name: str) -> Any:
    """What a node saved, or the error that it raises: the value may have been written to since."""
    try:
        return getattr(node, name)
    except RuntimeError as error:
        return error


def _saved(torch: Any, value: Any) -> Record:
    if isinstance(value, RuntimeError):
        return {"kind": "error", "value": str(value)}
    if value is None:
        return {"kind": "none"}
    if isinstance(value, torch.Tensor):
        return {"kind": "tensor", **_facts(value)}
    if isinstance(value, (list, tuple)):
        if any(isinstance(x, torch.Tensor) for x in value):
            return {"kind": "tensors", "items": [None if x is None else _facts(x) for x in value]}
        return {"kind": "list", "value": list(value)}
    if isinstance(value, (bool, int, float)):
        return {"kind": type(value).__name__, "value": value}
    return {"kind": "str", "value": repr(value)}


def _facts(t: Any) -> Record:
    return {"shape": list(t.shape), "dtype": dtype_name(t.dtype), "value": numbers(t)}
