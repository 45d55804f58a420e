"""Two graphs compared, as their JSON tells of them: what came and went, and what differs beyond its rounding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import InputError
from .json import SCHEMA

CAME, WENT, CHANGED = "came", "went", "changed"
# By so many units in the last place of the largest number of a tensor two ways of computing the same may differ.
_UNITS = 64
_PRECISION = {"float64": 53, "complex128": 53, "float16": 11, "bfloat16": 8}
_SINGLE = 24


class Difference(NamedTuple):
    """One difference of one node: ``what`` is its node, arguments, shape, dtype, value or gradient."""

    kind: str
    id: str
    what: str
    before: Any
    after: Any
    line: int | None


def checked(name: str, graph: Any) -> dict[str, dict[str, Any]]:
    """The nodes of a JSON document by their ids; what is no trace is refused."""
    nodes = graph.get("nodes") if isinstance(graph, dict) and graph.get("schema") == SCHEMA else None
    if not isinstance(nodes, list) or not all(map(_is_node, nodes)):
        help = f"save one with: gradcli trace SPEC --format json -o {name}"
        raise InputError(f"'{name}' is no trace (schema {SCHEMA})", help=help)
    return {node["id"]: node for node in nodes}


def _is_node(node: Any) -> bool:
    return (
        isinstance(node, dict)
        and all(isinstance(node.get(key), str) for key in ("id", "kind", "name"))
        and isinstance(node.get("edges"), list)
        and all(isinstance(edge, dict) for edge in node["edges"])
    )


def differences(before: Mapping[str, dict[str, Any]], after: Mapping[str, dict[str, Any]]) -> Iterator[Difference]:
    """The ops that went, and then, in forward order, those that came or are others."""
    for id, node in before.items():
        if id not in after:
            yield Difference(WENT, id, "node", node["name"], None, _line(node))
    for id, node in after.items():
        old = before.get(id)
        if old is None:
            yield Difference(CAME, id, "node", None, node["name"], _line(node))
        else:
            yield from _changes(old, node)


def _changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    pairs = [
        ("node", old["name"], new["name"]),
        ("arguments", _arguments(old), _arguments(new)),
        ("shape", old.get("shape"), new.get("shape")),
        ("dtype", old.get("dtype"), new.get("dtype")),
    ]
    for what, before, after in pairs:
        if before != after:
            yield Difference(CHANGED, new["id"], what, before, after, _line(new))
    bits = min(_PRECISION.get(str(each.get("dtype")), _SINGLE) for each in (old, new))
    for what, key in (("value", "value"), ("gradient", "grad")):
        if not alike(old.get(key), new.get(key), bits):
            yield Difference(CHANGED, new["id"], what, old.get(key), new.get(key), _line(new))


def _arguments(node: dict[str, Any]) -> list[tuple[Any, Any]]:
    return [(edge.get("arg"), edge.get("to")) for edge in node["edges"]]


def _line(node: dict[str, Any]) -> int | None:
    source = node.get("source")
    line = source.get("line") if isinstance(source, dict) else None
    return line if isinstance(line, int) else None


def alike(a: Any, b: Any, bits: int) -> bool:
    """Tell whether two values of a trace are the same up to the rounding of so many bits."""
    numbers, others = list(_numbers(a)), list(_numbers(b))
    if [kind for kind, _ in numbers] != [kind for kind, _ in others]:
        return False
    pairs = [(x, y) for (_, x), (_, y) in zip(numbers, others, strict=True)]
    finite = [abs(x) for pair in pairs for x in pair if isinstance(x, (int, float)) and math.isfinite(x)]
    allowed = math.ldexp(_UNITS * max(finite, default=0.0), -bits)
    return all(x == y or (_is_finite(x) and _is_finite(y) and abs(x - y) <= allowed) for x, y in pairs)


def _is_finite(x: Any) -> bool:
    return isinstance(x, (int, float)) and math.isfinite(x)


def _numbers(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """The numbers of a value with their places: a number alone, of a tensor what is told of it, of a list all."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _numbers(value[key], f"{place}.{key}")
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _numbers(each, f"{place}[{at}]")
    else:
        yield place, value
