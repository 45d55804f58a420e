"""Say where an engine's values, gradients or graph differ from a record.

``python -m tests.conformance.compare [GROUP | ID | 'text in the code' ...]`` prints every difference of
gradcli from the recorded facts.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .observe import (
    Record,
    doubles,
    dtype_name,
    flat_graph,
    gradients,
    metadata,
    numbers,
    outputs,
    read_saved,
    run,
    saved_names,
)

RECORDS = Path(__file__).with_name("records.json")

KINDS = ("values", "gradients", "graph")


@functools.cache
def load() -> Record:
    """The recorded facts of PyTorch."""
    found: Record = json.loads(RECORDS.read_text())
    return found


def close(a: Any, b: Any, tolerance: float = 1e-9) -> bool:
    """Whether nested numbers agree, relative to the largest of them and 1."""
    x, y = list(_flat(a)), list(_flat(b))
    if _extents(a) != _extents(b) or len(x) != len(y):
        return False
    scale = max((abs(v) for v in (*x, *y) if math.isfinite(v)), default=1.0)
    return all(_near(v, w, tolerance * max(1.0, scale)) for v, w in zip(x, y, strict=True))


def _flat(a: Any) -> Iterator[Any]:
    if isinstance(a, (list, tuple)):
        for x in a:
            yield from _flat(x)
    else:
        yield float(a) if isinstance(a, str) else a


def _extents(a: Any) -> list[int]:
    found = []
    while isinstance(a, (list, tuple)):
        found.append(len(a))
        a = a[0] if a else None
    return found


def _near(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return bool(a == b)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return bool(a == b or abs(a - b) <= tolerance)


def value_faults(torch: Any, record: Record, y: Any, tolerance: float) -> list[str]:
    """Differences in the outputs: their values, and what a tensor says of itself."""
    faults = []
    got = outputs(y, torch)
    if len(got) != len(record["outputs"]):
        return [f"{len(got)} outputs, not {len(record['outputs'])}"]
    for k, (t, want) in enumerate(zip(got, record["outputs"], strict=True)):
        facts = {
            "shape": list(t.shape),
            "dtype": dtype_name(t.dtype),
            "requires_grad": t.requires_grad,
            "is_leaf": t.is_leaf,
            "output_nr": t.output_nr,
            "is_view": t._is_view(),
            "version": None if want.get("version") is None else t._version,
            "strides": list(t.stride()),
        }
        for name, value in facts.items():
            if name in want and value != want[name]:
                faults.append(f"output {k}: {name} is {value}, not {want[name]}")
        if want.get("value") is not None and not close(numbers(t), want["value"], tolerance):
            faults.append(f"output {k}: value is {numbers(t)}, not {want['value']}")
    return faults


def gradient_faults(torch: Any, record: Record, y: Any, inputs: Record, tolerance: float) -> list[str]:
    """Differences in the gradients of the sum of all outputs."""
    if record.get("grad_error"):
        try:
            gradients(torch, y, inputs)
        except RuntimeError:
            return []
        return ["backward should fail: " + str(record["grad_error"])[:80]]
    got = gradients(torch, y, inputs)
    faults = []
    for name, g in (got or {}).items():
        expected = (record.get("grads") or {}).get(name)
        if (g is None) != (expected is None):
            faults.append(f"gradient of {name} is {None if g is None else numbers(g)}, not {expected}")
        elif g is not None and not close(numbers(g), expected, tolerance):
            faults.append(f"gradient of {name} is {numbers(g)}, not {expected}")
    return faults


def graph_faults(
    torch: Any, record: Record, y: Any, inputs: Record, tolerance: float = 1e-9, saved: bool = True
) -> list[str]:
    """Differences in the graph: names, edges, output numbers, sharing, metadata, what is saved."""
    got = flat_graph(torch, y, inputs)
    want = record["nodes"]
    shape, expected = [_line(n) for n in got], [_line(n) for n in want]
    if shape != expected:
        if len(expected) <= 12:
            return [f"graph is  {_drawn(got)}\n        not       {_drawn(want)}"]
        return [_first_difference(got, want)]
    faults = []
    for g, w in zip(got, want, strict=True):
        meta = metadata(g["node"])
        if meta != w["grad_output_meta"]:
            faults.append(f"{g['name']}: output metadata {meta}, not {w['grad_output_meta']}")
        if not saved:
            continue
        names = saved_names(g["node"])
        if names != sorted(w["saved"]):
            faults.append(f"{g['name']}: saves {names}, not {sorted(w['saved'])}")
            continue
        for name, spec in w["saved"].items():
            sized_by = name.replace("_strides", "_sizes").replace("_stride", "_size")
            if sized_by != name and sized_by in w["saved"]:
                sizes = w["saved"][sized_by]["value"]
                found, wanted = (_told(x, sizes) for x in (read_saved(g["node"], name), spec["value"]))
                if found != wanted:
                    faults.append(f"{g['name']}.{name} is {found}, not {wanted}")
                continue
            if name in UP_TO_SIGN and "value" in spec:
                fault = _unsigned_fault(read_saved(g["node"], name), spec, tolerance)
            else:
                fault = saved_fault(torch, read_saved(g["node"], name), spec, tolerance)
            if fault:
                faults.append(f"{g['name']}.{name} {fault}")
    return faults


def _told(strides: Any, sizes: list[int]) -> list[int | None]:
    """Strides that mean something: along an axis of length 1 there is no next element."""
    if len(strides) != len(sizes):
        return list(strides)
    return [None if n == 1 else s for s, n in zip(strides, sizes, strict=True)]


def _first_difference(got: list[Record], want: list[Record]) -> str:
    """Where two large graphs part, walking both from the root."""
    at, at_ = {n["id"]: n for n in got}, {n["id"]: n for n in want}
    twin: dict[str, str] = {}
    roots, roots_ = _roots(got), _roots(want)
    if len(roots) != len(roots_):
        return f"graph has {len(roots)} roots, not {len(roots_)}"
    stack = [((i, 0), (j, 0), "the root") for i, j in reversed(list(zip(roots, roots_, strict=True)))]
    while stack:
        (i, nr), (j, nr_), path = stack.pop()
        g, w = at[i], at_[j]
        if (i in twin and twin[i] != j) or (i not in twin and j in twin.values()):
            return f"graph shares {g['name']} differently, below {path}"
        if (g["name"], nr, g.get("variable")) != (w["name"], nr_, w.get("variable")):
            sides = f"{_tree(at, i)} (output {nr})\n        not       {_tree(at_, j)} (output {nr_})"
            return f"graph has {sides}\n        below {path}"
        if [e is None for e in g["next"]] != [e is None for e in w["next"]]:
            return f"graph has {_tree(at, i)}\n        not       {_tree(at_, j)}\n        below {path}"
        if i in twin:
            continue
        twin[i] = j
        path = f"{g['name']} < {path}"[:150]
        stack += [(e, f, path) for e, f in reversed(list(zip(g["next"], w["next"], strict=True))) if e is not None]
    return f"graph has {len(got)} nodes, not {len(want)}"


def _roots(nodes: list[Record]) -> list[str]:
    below = {e[0] for n in nodes for e in n["next"] if e is not None}
    return [n["id"] for n in nodes if n["id"] not in below]


def _tree(at: dict[str, Record], root: str, depth: int = 4) -> str:
    """What a node stands on, down to a depth."""
    node = at[root]
    if "variable" in node:
        return f"@{node['variable']}"
    edges = ", ".join("None" if e is None else _tree(at, e[0], depth - 1) for e in node["next"]) if depth else "..."
    return f"{node['name'].replace('Backward', '')}({edges})"


def _line(n: Record) -> Any:
    return (n["name"], n["cpp_name"], n["next"], n.get("variable"))


def _drawn(nodes: list[Record]) -> str:
    """A graph in one line."""
    at = {n["id"]: n for n in nodes}
    done: set[str] = set()

    def draw(key: str) -> str:
        node = at[key]
        name = f"@{node['variable']}" if "variable" in node else node["name"].replace("Backward", "")
        if key in done:
            return name if "variable" in node else f"{name}~"
        done.add(key)
        if not node["next"]:
            return name
        edges = ["None" if e is None else draw(e[0]) + (f":{e[1]}" if e[1] else "") for e in node["next"]]
        return f"{name}({', '.join(edges)})"

    return "  ".join(draw(n["id"]) for n in nodes if n["id"] not in done)


def saved_fault(torch: Any, value: Any, spec: Record, tolerance: float = 1e-9) -> str | None:
    """How a saved value differs from what it should be, or None."""
    kind = spec["kind"]
    if kind == "error":
        return None if str(value) == spec["value"] else f"is {value!r}, not {spec['value']}"
    if kind == "none":
        return None if value is None else f"is {value!r}, not None"
    if kind == "tensor":
        return _tensor_fault(torch, value, spec, tolerance)
    if kind == "tensors":
        if not isinstance(value, (list, tuple)) or len(value) != len(spec["items"]):
            return f"is {value!r}, not {len(spec['items'])} tensors"
        for i, (x, item) in enumerate(zip(value, spec["items"], strict=True)):
            if (x is None) != (item is None):
                return f"[{i}] is {x!r}, not {item}"
            fault = None if x is None else _tensor_fault(torch, x, item, tolerance)
            if fault:
                return f"[{i}] {fault}"
        return None
    if kind == "list":
        if not isinstance(value, (list, tuple)) or list(value) != spec["value"]:
            return f"is {value!r}, not {spec['value']}"
        return None
    if kind == "str":
        return None if repr(value) == spec["value"] else f"is {value!r}, not {spec['value']}"
    if isinstance(value, bool) != (kind == "bool") or (kind == "int") != (type(value) is int):
        return f"is {value!r}, not {kind} {spec['value']}"
    return None if close(value, spec["value"], tolerance) else f"is {value!r}, not {spec['value']}"


# Vectors whose sign is the choice of a linear algebra library.
UP_TO_SIGN = ("_saved_eigenvectors", "_saved_U", "_saved_Vh")


def _unsigned_fault(value: Any, spec: Record, tolerance: float) -> str | None:
    got, want = numbers(value.abs()), [abs(x) for x in _flat(spec["value"])]
    return None if close(list(_flat(got)), want, tolerance) else f"is {numbers(value)}, not {spec['value']}"


def _tensor_fault(torch: Any, value: Any, spec: Record, tolerance: float) -> str | None:
    if not isinstance(value, torch.Tensor):
        return f"is {value!r}, not a tensor"
    if list(value.shape) != spec["shape"] or dtype_name(value.dtype) != spec["dtype"]:
        return f"is {value.dtype} {list(value.shape)}, not {spec['dtype']} {spec['shape']}"
    if spec.get("value") is not None and not close(numbers(value), spec["value"], tolerance):
        return f"is {numbers(value)}, not {spec['value']}"
    return None


def faults(torch: Any, record: Record, tolerance: float = 1e-9, saved: bool = True) -> dict[str, list[str]]:
    """What differs: under 'values', 'gradients' and 'graph', a list of sentences each."""
    with doubles(torch):
        if "error" in record:
            fault = error_fault(torch, record)
            return {"values": [fault] if fault else [], "gradients": [], "graph": []}
        try:
            y, inputs = run(torch, record)
        except Exception as error:
            # Only the type and the words: the frames would keep the program's graph alive.
            sentence = f"{type(error).__name__}: {error}"
            return {kind: [sentence] for kind in KINDS}
        found = {
            "values": value_faults(torch, record, y, tolerance),
            "graph": _caught(lambda: graph_faults(torch, record, y, inputs, tolerance, saved)),
        }
        return found | {"gradients": _caught(lambda: gradient_faults(torch, record, y, inputs, tolerance))}


def _caught(check: Any) -> list[str]:
    try:
        found: list[str] = check()
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    return found


def error_fault(torch: Any, record: Record, length: int | None = None) -> str | None:
    """How the error of a program differs in class or words from the recorded one, or None."""
    want = record["error"]
    with doubles(torch):
        try:
            run(torch, record)
        except Exception as error:
            message = str(error)
            if want is None:
                return f"raises {type(error).__name__}: {message}"
            if want not in [c.__name__ for c in type(error).__mro__]:
                return f"raises {type(error).__name__}, not {want}: {message}"
            start = record["message"][:length].split(";")[0] if length else record["message"]
            return None if message.startswith(start) else f"says   {message}\n        not    {record['message']}"
    return None if want is None else f"raises nothing, not {want}: {record['message']}"


def score(torch: Any, records: list[Record]) -> dict[str, dict[str, list[str]]]:
    """The faults of every record, by its id."""
    return {r["id"]: faults(torch, r) for r in records}


def scores(found: dict[str, dict[str, list[str]]]) -> list[str]:
    """The lines that sum up the faults of records."""
    code = {r["id"]: r["code"] for r in load()["records"]}
    second = [i for i in found if i.startswith("double_backward")]
    graphs = [i for i in second if code[i].count("create_graph=True") == 1]
    first = [i for i in found if i not in set(second)]

    def line(title: str, ids: Any, *kinds: str) -> str:
        right = sum(not any(found[i][k] for k in kinds) for i in ids)
        return f"{title:<24} {right:>4} of {len(ids)}"

    return [
        line("values", found, "values"),
        line("gradients", found, "gradients"),
        line("first-order graphs", first, "graph"),
        line("all graphs", found, "graph"),
        line("double-backward values", second, "values", "gradients"),
        line("double-backward graphs", graphs, "graph"),
    ]


def main(arguments: list[str]) -> None:
    """Print the faults of the records chosen by group, id or text, and the scores."""
    import gradcli

    chosen = [
        r
        for r in load()["records"]
        if not arguments or any(w in (r["group"], r["id"]) or w in r["code"] for w in arguments)
    ]
    found = score(gradcli, chosen)
    for record in chosen:
        for kind, sentences in found[record["id"]].items():
            for sentence in sentences:
                print(f"{record['id']}  {record['code']}\n    {kind}: {sentence[:900]}")
    print("\n".join(scores(found)))
    for record in load()["errors"]:
        if not arguments or any(w in record["code"] or w == "errors" for w in arguments):
            fault = error_fault(gradcli, record)
            if fault:
                print(f"error of  {record['code']}\n    {fault}")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
