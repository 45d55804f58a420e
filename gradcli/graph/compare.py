"""Two graphs compared, as their JSON tells of them: what came and went, and what differs beyond its rounding."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from ..errors import InputError
from .json import SCHEMA

Node = dict[str, Any]
Nodes = Mapping[str, Node]

CAME, WENT, CHANGED = "came", "went", "changed"
# By so many units in the last place of the largest number of a tensor two ways of computing the same may differ.
_UNITS = 64
_PRECISION = {"float64": 53, "complex128": 53, "float16": 11, "bfloat16": 8}
_SINGLE = 24


class Difference(NamedTuple):
    """One difference of one node: ``what`` is its node, name, arguments, shape, dtype, value or gradient."""

    kind: str
    id: str
    what: str
    before: Any
    after: Any
    line: int | None


def checked(name: str, graph: Any) -> dict[str, Node]:
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


def differences(before: Nodes, after: Nodes) -> Iterator[Difference]:
    """The ops that went, and then, in forward order, those that came or are others."""
    partners = _partners(before, after)
    kept = set(partners.values())
    for id, node in before.items():
        if id not in kept:
            yield Difference(WENT, id, "node", node["name"], None, _line(node))
    for id, node in after.items():
        if id in partners:
            yield from _changes(before[partners[id]], node, partners)
        else:
            yield Difference(CAME, id, "node", None, node["name"], _line(node))


def _changes(old: Node, new: Node, partners: Mapping[str, str]) -> Iterator[Difference]:
    pairs = [
        ("node", old["name"], new["name"]),
        ("name", old.get("variable"), new.get("variable")),
        ("shape", old.get("shape"), new.get("shape")),
        ("dtype", old.get("dtype"), new.get("dtype")),
    ]
    if _arguments(old) != [(arg, partners.get(to, to)) for arg, to in _arguments(new)]:
        pairs.insert(2, ("arguments", _arguments(old), _arguments(new)))
    for what, before, after in pairs:
        if before != after:
            yield Difference(CHANGED, new["id"], what, before, after, _line(new))
    bits = min(_PRECISION.get(str(each.get("dtype")), _SINGLE) for each in (old, new))
    for what, key in (("value", "value"), ("gradient", "grad")):
        if not alike(old.get(key), new.get(key), bits):
            yield Difference(CHANGED, new["id"], what, old.get(key), new.get(key), _line(new))


def _arguments(node: Node) -> list[tuple[Any, Any]]:
    return [(edge.get("arg"), edge.get("to")) for edge in node["edges"]]


# -- which node is which -----------------------------------------------------------------------


def _partners(before: Nodes, after: Nodes) -> dict[str, str]:
    """By nodes of the second graph those of the first: the longest runs of the same ops, wherever they have gone.

    An id says where in its statement an op was made: one more op moves those behind it. Leaves are known by
    their names and shapes; one that has another name now, by its shape and its place among them. Constants are their
    users' arguments.
    """
    leaves = [id for id, node in after.items() if _is_leaf(node) and _is_leaf(before.get(id))]
    partners = {id: id for id in leaves if before[id].get("shape") == after[id].get("shape")}
    _pair(partners, before, after, lambda node: (node["name"], str(node.get("shape"))), _is_leaf)
    _pair(partners, before, after, lambda node: (node["kind"], node["name"]), _computes)
    kept = set(partners.values())
    for id, node in after.items():
        # Another op in the place of one.
        if id not in partners and id in before and id not in kept and _computes(node) == _computes(before[id]):
            partners[id] = id
    for new, old in [*partners.items()]:
        for mine, others in zip(after[new]["edges"], before[old]["edges"], strict=False):
            to, was = mine.get("to"), others.get("to")
            if to in after and was in before and not _computes(after[to]) and not _computes(before[was]):
                partners.setdefault(to, was)
    return partners


def _pair(
    partners: dict[str, str], before: Nodes, after: Nodes, mark: Callable[[Node], Hashable], of: Callable[[Node], bool]
) -> None:
    """Pair what has no partner yet, in the order of both graphs."""
    taken = set(partners.values())
    old = [id for id, node in before.items() if of(node) and id not in taken]
    new = [id for id, node in after.items() if of(node) and id not in partners]
    marks = [mark(before[id]) for id in old], [mark(after[id]) for id in new]
    start = next((i for i, (a, b) in enumerate(zip(*marks, strict=False)) if a != b), min(map(len, marks)))
    partners.update(zip(new[:start], old[:start], strict=True))
    rest = [each[start:] for each in marks]
    end = next((i for i, (a, b) in enumerate(zip(*map(reversed, rest), strict=False)) if a != b), min(map(len, rest)))
    if end:
        partners.update(zip(new[-end:], old[-end:], strict=True))
    middle: list[list[Hashable]] = [each[: len(each) - end] for each in rest]
    if len(middle[0]) * len(middle[1]) > _MOST:
        # To find the longest runs takes too long: what has the same id and is the same op is the same.
        same = {id for id in new if id in before and id not in taken and mark(before[id]) == mark(after[id])}
        partners.update({id: id for id in same if id not in partners and id not in set(partners.values())})
        return
    for a, b, size in SequenceMatcher(None, middle[0], middle[1], autojunk=False).get_matching_blocks():
        partners.update(zip(new[start + b : start + b + size], old[start + a : start + a + size], strict=True))


_LEAF = "leaf"
# The most pairs of ops that are looked at for runs.
_MOST = 4_000_000


def _is_leaf(node: Node | None) -> bool:
    return node is not None and node["kind"] == _LEAF


def _computes(node: Node) -> bool:
    return node["kind"] not in (_LEAF, "const", "detached")


def _line(node: Node) -> int | None:
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
