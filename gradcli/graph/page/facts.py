"""The facts that a page tells beside the JSON of a trace: histograms, rules, the borders of calls, and reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...engine.registry import Op, shared
from ...engine.rule_text import text_of
from ..ask.crossing import crossings
from ..ask.why import WAYS, stop_of
from ..json import listed, number, string
from ..numbers import ZERO, trouble
from ..view.view import CONST, LEAF, OP, ROOT, Array, Item, View

BINS = 16


def lines(view: View) -> Iterator[str]:
    """One JSON object, in parts."""
    yield f'{{"title":{string(view.title or view.root_name or view.root.id)},\n"source":{_source(view)},\n'
    yield f'"rules":{_object((name, _object(rules)) for name, rules in _rules(view))},\n'
    yield f'"scopes":{_object(_scopes(view))},\n"why":{_object(_reasons(view))},\n"histograms":['
    yield from listed(f"[{histogram(item.value)},{histogram(item.grad)}]" for item in view.items)
    yield "]}"


def _object(pairs: Iterable[tuple[str, str]]) -> str:
    return "{" + ",\n".join(f"{string(key)}:{text}" for key, text in pairs) + "}"


def _source(view: View) -> str:
    """The text of the program, where there is one, and no other."""
    if view.has_several_files:
        return "null"
    sources = (item.span.source for item in reversed(view.whole.items) if item.span is not None)
    source = next(sources, None)
    return "null" if source is None else string(source.text)


def histogram(array: Array | None) -> str:
    """Count the numbers of a tensor in equal parts from the least to the greatest; 0 of what has no parts."""
    if array is None or array.size < 2 or array.dtype.kind not in "fiu":
        return "0"
    flat = array.ravel().astype(np.float64)
    low, high = flat.min(), flat.max()
    if not np.isfinite(high - low):
        flat = flat[np.isfinite(flat)] / 2
        if flat.size < 2:
            return "0"
        low, high = flat.min(), flat.max()
    if low == high:
        return "0"
    places = np.minimum((flat - low) / (high - low) * BINS, BINS - 1).astype(np.intp)
    return f"[{','.join(map(str, np.bincount(places, minlength=BINS).tolist()))}]"


def _rules(view: View) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The rules of each kind of node, as they are declared."""
    ops: dict[str, Op] = {}
    for item in view.ops():
        op = getattr(item.node, "op", None)
        if isinstance(op, Op):
            ops.setdefault(item.name, op)
    for name, op in sorted(ops.items()):
        rules = {argument: rule for argument, rule in op.rules.items() if rule is not shared}
        if op.joint is not None:
            rules[", ".join(argument for argument in op.rules if argument not in rules)] = op.joint
        texts = ((argument, text_of(rule)) for argument, rule in rules.items())
        yield name, [(argument, string(text)) for argument, text in texts if text is not None]


def _scopes(view: View) -> Iterator[tuple[str, str]]:
    """Each call: its kind, its name, its class, and the gradient that arrives at its results and that goes on."""
    for place, border in crossings(view.whole).items():
        if place is not None:
            scope = place[0]
            cls = "null" if scope.cls is None else string(scope.cls)
            grads = f"{_length(border.arrives)},{_length(border.leaves)}"
            yield scope.id, f"[{string(scope.kind)},{string(scope.name)},{cls},{grads}]"


def _length(length: float | None) -> str:
    return "null" if length is None else number(length)


def _reasons(view: View) -> Iterator[tuple[str, str]]:
    """Why there is no gradient, or one of zeros, of each item that has none."""
    users: dict[Item, list[Item]] = {}
    for item, edge in view.edges():
        if edge.to is not None:
            users.setdefault(edge.to, []).append(item)
    for item in view.items:
        reason = _reason(view, item, users.get(item, []))
        if reason is not None:
            yield item.id, string(reason)
    for item in view.unused:
        yield item.id, string("the root does not depend on it")


def _reason(view: View, item: Item, users: list[Item]) -> str | None:
    if item.kind == CONST:
        if item.detached is None:
            return "a constant: nothing in it asks for a gradient"
        how, span = item.detached
        return WAYS.get(how, how) + ("" if span is None else f" (line {span.line})")
    if item.kind not in (OP, LEAF) or item.results or any(user.kind == ROOT for user in users):
        return None
    if item.grad is None:
        return view.whole.ungraded or "no gradient arrives here"
    if trouble(item.grad) != ZERO:
        return None
    stops = [user for user in users if _arrives(user)]
    if not stops:
        return "all that arrives is 0"
    words = dict.fromkeys(f"{user.name}: {stop_of(user)}" for user in stops)
    return "; ".join(words)


def _arrives(user: Item) -> bool:
    grads: list[Any] = [output.grad for output in user.results] or [user.grad]
    return any(grad is not None and trouble(grad) != ZERO for grad in grads)
