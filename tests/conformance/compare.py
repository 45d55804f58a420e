"""Run recorded programs in an engine and say where its graph, values or gradients differ."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

RECORDS = Path(__file__).with_name("records.json")


def load() -> dict[str, Any]:
    return json.loads(RECORDS.read_text())


def run(torch: Any, F: Any, record: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Execute a record's code; its result and its inputs."""
    torch.set_default_dtype(torch.float64)
    names: dict[str, Any] = {"torch": torch, "F": F}
    inputs = {}
    for name, spec in record["inputs"].items():
        t = torch.tensor(spec["data"], dtype=getattr(torch, spec["dtype"]))
        inputs[name] = t.requires_grad_() if spec["requires_grad"] else t
    names.update(inputs)
    exec(record["code"], names)
    return names["y"], inputs


def outputs(y: Any, torch: Any) -> list[Any]:
    if isinstance(y, torch.Tensor):
        return [y]
    return [x for x in y if isinstance(x, torch.Tensor)]


def close(a: Any, b: Any, tolerance: float = 1e-9) -> bool:
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return (
            isinstance(a, (list, tuple))
            and isinstance(b, (list, tuple))
            and len(a) == len(b)
            and all(close(x, y, tolerance) for x, y in zip(a, b, strict=True))
        )
    if isinstance(a, str) or isinstance(b, str):
        a, b = float(a), float(b)
    if isinstance(a, bool) or isinstance(b, bool):
        return a == b
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def value_faults(torch: Any, record: dict[str, Any], y: Any) -> list[str]:
    faults = []
    got = outputs(y, torch)
    if len(got) != len(record["outputs"]):
        return [f"{len(got)} outputs, not {len(record['outputs'])}"]
    for k, (t, want) in enumerate(zip(got, record["outputs"], strict=True)):
        facts = {
            "shape": list(t.shape),
            "dtype": str(t.dtype).replace("torch.", ""),
            "requires_grad": t.requires_grad,
            "is_leaf": t.is_leaf,
            "output_nr": t.output_nr,
            "is_view": t._is_view(),
            "version": t._version,
            "strides": list(t.stride()),
        }
        for name, value in facts.items():
            if name in want and value != want[name]:
                faults.append(f"output {k}: {name} is {value}, not {want[name]}")
        if want.get("value") is not None and not close(t.tolist(), want["value"]):
            faults.append(f"output {k}: value is {t.tolist()}, not {want['value']}")
    return faults


def gradient_faults(torch: Any, record: dict[str, Any], y: Any, inputs: dict[str, Any]) -> list[str]:
    outs = [t for t in outputs(y, torch) if t.is_floating_point() and t.requires_grad]
    if not outs:
        return []
    leaves = {n: t for n, t in inputs.items() if t.requires_grad}
    want = record.get("grads") or {}
    total = outs[0].sum()
    for t in outs[1:]:
        total = total + t.sum()
    if record.get("grad_error"):
        try:
            torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
        except RuntimeError:
            return []
        return ["backward should fail: " + str(record["grad_error"])[:80]]
    got = torch.autograd.grad(total, list(leaves.values()), allow_unused=True, retain_graph=True)
    faults = []
    for name, g in zip(leaves, got, strict=True):
        expected = want.get(name)
        if (g is None) != (expected is None):
            faults.append(f"gradient of {name} is {None if g is None else g.tolist()}, not {expected}")
        elif g is not None and not close(g.tolist(), expected):
            faults.append(f"gradient of {name} is {g.tolist()}, not {expected}")
    return faults


def flat_graph(torch: Any, y: Any, inputs: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes of a graph in pre-order, in the form of the records."""
    name_of = {id(t): n for n, t in inputs.items()}
    ids: dict[Any, str] = {}
    nodes: list[dict[str, Any]] = []

    def visit(node: Any) -> str:
        if node in ids:
            return ids[node]
        ids[node] = f"n{len(ids)}"
        entry: dict[str, Any] = {"id": ids[node], "name": type(node).__name__, "cpp_name": node.name(), "node": node}
        nodes.append(entry)
        if hasattr(node, "variable"):
            entry["variable"] = name_of.get(id(node.variable))
        entry["next"] = [None if n is None else [visit(n), k] for n, k in node.next_functions]
        return ids[node]

    for t in outputs(y, torch):
        if t.grad_fn is not None:
            visit(t.grad_fn)
    return nodes


def graph_faults(torch: Any, record: dict[str, Any], y: Any, inputs: dict[str, Any], saved: bool = True) -> list[str]:
    got = flat_graph(torch, y, inputs)
    want = record["nodes"]
    shape = [(n["name"], n["cpp_name"], n["next"], n.get("variable")) for n in got]
    expected = [(n["name"], n["cpp_name"], n["next"], n.get("variable")) for n in want]
    if shape != expected:
        return [
            "graph is  " + " ".join(f"{n}{[e and e[0] for e in x]}" for n, _, x, _ in shape)
            + "\n        not       " + " ".join(f"{n}{[e and e[0] for e in x]}" for n, _, x, _ in expected)
        ]
    faults = []
    for g, w in zip(got, want, strict=True):
        meta = [
            {"shape": list(m.shape), "dtype": str(m.dtype).replace("torch.", "")} for m in g["node"]._input_metadata
        ]
        if meta != w["grad_output_meta"]:
            faults.append(f"{g['name']}: output metadata {meta}, not {w['grad_output_meta']}")
        if not saved:
            continue
        names = {n for n in dir(g["node"]) if n.startswith("_saved_")}
        if names != set(w["saved"]):
            faults.append(f"{g['name']}: saves {sorted(names)}, not {sorted(w['saved'])}")
            continue
        for name, spec in w["saved"].items():
            value = getattr(g["node"], name)
            fault = saved_fault(torch, value, spec)
            if fault:
                faults.append(f"{g['name']}.{name} {fault}")
    return faults


def saved_fault(torch: Any, value: Any, spec: dict[str, Any]) -> str | None:
    kind = spec["kind"]
    if kind == "none":
        return None if value is None else f"is {value!r}, not None"
    if kind == "tensor":
        if not isinstance(value, torch.Tensor):
            return f"is {value!r}, not a tensor"
        if list(value.shape) != spec["shape"] or str(value.dtype) != "torch." + spec["dtype"]:
            return f"is {value.dtype} {list(value.shape)}, not {spec['dtype']} {spec['shape']}"
        if spec.get("value") is not None and not close(value.tolist(), spec["value"]):
            return f"is {value.tolist()}, not {spec['value']}"
        return None
    if kind == "tensors":
        return None if isinstance(value, (list, tuple)) else f"is {value!r}, not tensors"
    if kind == "list":
        if not isinstance(value, (list, tuple)) or list(value) != spec["value"]:
            return f"is {value!r}, not {spec['value']}"
        return None
    if kind == "str":
        return None if repr(value) == spec["value"] else f"is {value!r}, not {spec['value']}"
    if isinstance(value, bool) != (kind == "bool") or (kind == "int") != (type(value) is int):
        return f"is {value!r}, not {kind} {spec['value']}"
    return None if close(value, spec["value"]) else f"is {value!r}, not {spec['value']}"


def faults(torch: Any, F: Any, record: dict[str, Any]) -> dict[str, list[str]]:
    """What differs: under 'values', 'gradients' and 'graph', a list of sentences each."""
    try:
        y, inputs = run(torch, F, record)
        return {
            "values": value_faults(torch, record, y),
            "graph": graph_faults(torch, record, y, inputs),
            "gradients": gradient_faults(torch, record, y, inputs),
        }
    finally:
        torch.set_default_dtype(torch.float32)


def main() -> None:
    """python -m tests.conformance.compare [GROUP | ID | 'text in the code' ...]"""
    import collections
    import sys
    import traceback

    import gradcli as torch

    wanted = sys.argv[1:]
    score: Any = collections.Counter()
    for record in load()["records"]:
        if wanted and not any(w in (record["group"], record["id"]) or w in record["code"] for w in wanted):
            continue
        score["records"] += 1
        try:
            found = faults(torch, torch.nn.functional if hasattr(torch, "nn") else torch.F, record)
        except Exception:
            last = traceback.format_exc().strip().splitlines()
            print(f"{record['id']}  {record['code']}\n    {last[-1]}\n    {last[-3].strip() if len(last) > 2 else ''}")
            continue
        for kind, sentences in found.items():
            score[kind] += not sentences
            for sentence in sentences:
                print(f"{record['id']}  {record['code']}\n    {kind}: {sentence[:900]}")
    print(dict(score))


if __name__ == "__main__":
    main()
