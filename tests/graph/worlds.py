"""What a view has to be, whichever engine it is of; and when two views are the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.graph.view.tensors import numpy_dtype
from gradcli.graph.view.view import CONST, Edge, Item, Saved, View


def rows(view: View) -> list[str]:
    """A view in short: each item with its edges, `argument=id:gradient`."""
    return [f"{item.id} {item.name}{_number(item.value)}{_number(item.grad, '~')}{_edges(item)}" for item in view.items]


def _edges(item: Item) -> str:
    return "".join(f" {e.argument}={e.to.id if e.to else None}{_number(e.grad, '~')}" for e in item.edges)


def _number(array: Any, mark: str = "=") -> str:
    return "" if array is None else mark + np.array2string(np.asarray(array), precision=4, separator=",")


def item(view: View, id: str) -> Item:
    """The item with an id."""
    (found,) = [item for item in view.items if item.id == id]
    return found


# -- what has to hold --------------------------------------------------------------------------


def unequal(view: View, start: Any = None, tolerance: float = 1e-5) -> list[str]:
    """The nodes whose gradient is not the sum of what comes along the edges to them."""
    if view.ungraded is not None:
        return [view.ungraded]
    totals: dict[Item, Any] = {}
    if view.root.outputs == 1:
        totals[view.root] = (
            np.ones(view.root.shape or (), numpy_dtype(view.root.dtype or "float32"))
            if start is None
            else np.asarray(start)
        )
    for _, edge in view.edges():
        if edge.to is not None and edge.grad is not None and edge.output_nr == 0:
            have = totals.get(edge.to)
            totals[edge.to] = edge.grad if have is None else have + edge.grad
    return [
        f"{item.id}: {totals.get(item)} is not {item.grad}"
        for item in view.items
        if item.kind != CONST and not close(totals.get(item), item.grad, tolerance)
    ]


def disordered(view: View) -> list[str]:
    """The items that stand before something that their edges lead to, or share an id."""
    at = {item: i for i, item in enumerate(view.items)}
    found = [item.id for item, edge in view.edges() if edge.to is not None and at[edge.to] >= at[item]]
    ids = [item.id for item in view.items]
    return found + [id for id in ids if ids.count(id) > 1] if len(ids) < 2000 else found


def close(a: Any, b: Any, tolerance: float = 1e-5) -> bool:
    """Whether two arrays are the same, or both are unknown."""
    if a is None or b is None:
        return a is b
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and np.allclose(a, b, tolerance, tolerance, equal_nan=True)


# -- the same in both engines ------------------------------------------------------------------


def differences(a: View, b: View, tolerance: float = 1e-5) -> Iterator[str]:
    """What is not the same in two views."""
    if [item.id for item in a.items] != [item.id for item in b.items]:
        yield f"{[item.id for item in a.items]} {[item.id for item in b.items]}"
        return
    for x, y in zip(a.items, b.items, strict=True):
        for what in ("kind", "name", "number", "order", "variable", "label", "outputs", "shape", "dtype"):
            if getattr(x, what) != getattr(y, what):
                yield f"{x.id}: {what} {getattr(x, what)!r} {getattr(y, what)!r}"
        for what in ("value", "grad"):
            if not close(getattr(x, what), getattr(y, what), tolerance):
                yield f"{x.id}: {what} {getattr(x, what)!r} {getattr(y, what)!r}"
        if [_edge(e) for e in x.edges] != [_edge(e) for e in y.edges]:
            yield f"{x.id}: edges {[_edge(e) for e in x.edges]} {[_edge(e) for e in y.edges]}"
        for e, f in zip(x.edges, y.edges, strict=False):
            if not close(e.grad, f.grad, tolerance):
                yield f"{x.id}.{e.argument}: {e.grad!r} {f.grad!r}"
        if [_saved(s) for s in x.saved] != [_saved(s) for s in y.saved]:
            yield f"{x.id}: saved {[_saved(s) for s in x.saved]} {[_saved(s) for s in y.saved]}"


def _edge(edge: Edge) -> Any:
    return edge.argument, edge.to and edge.to.id, edge.output_nr, edge.slot


def _saved(saved: Saved) -> Any:
    return saved.name, saved.of and saved.of.id, saved.bytes, np.shape(saved.value)
