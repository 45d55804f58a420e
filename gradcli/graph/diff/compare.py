"""Two graphs compared, as their JSON tells of them: what came and went, and what differs beyond its rounding."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from ...errors import InputError
from ..json import SCHEMA

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


class Comparison:
    """Two graphs, which node of the first each of the second is, and what differs.

    ``steps``: so many times the rounding of one computation may have been added up, as in the weights of a training.
    """

    def __init__(self, before: Nodes, after: Nodes, steps: int = 1) -> None:
        self.before = before
        self.after = after
        self.units = _UNITS * steps
        self.partners = _partners(before, after)
        self._now = {old: new for new, old in self.partners.items()}
        self.differences = list(self._found())

    def _found(self) -> Iterator[Difference]:
        """The ops that went, and then, in forward order, those that came or are others."""
        kept = set(self.partners.values())
        for id, node in self.before.items():
            if id not in kept:
                yield Difference(WENT, id, "node", node["name"], None, _line(node))
        for id, node in self.after.items():
            if id in self.partners:
                yield from self._changes(self.before[self.partners[id]], node)
            else:
                yield Difference(CAME, id, "node", None, node["name"], _line(node))

    def _changes(self, old: Node, new: Node) -> Iterator[Difference]:
        partners = self.partners
        pairs = [
            ("node", old["name"], new["name"]),
            ("name", old.get("variable"), new.get("variable")),
            ("shape", old.get("shape"), new.get("shape")),
            ("dtype", old.get("dtype"), new.get("dtype")),
        ]
        if _arguments(old) != [(arg, partners.get(to, to)) for arg, to in _arguments(new)]:
            # In the words of the second graph, where it has the node.
            told = [(arg, self._now.get(to, to)) for arg, to in _arguments(old)]
            pairs.insert(2, ("arguments", told, _arguments(new)))
        for what, before, after in pairs:
            if before != after:
                yield Difference(CHANGED, new["id"], what, before, after, _line(new))
        bits = min(_PRECISION.get(str(each.get("dtype")), _SINGLE) for each in (old, new))
        for what, key in (("value", "value"), ("gradient", "grad")):
            if not alike(old.get(key), new.get(key), bits, self.units):
                yield Difference(CHANGED, new["id"], what, old.get(key), new.get(key), _line(new))

    def forget(self, unknown: Callable[[Difference], bool]) -> None:
        """Leave out differences in what one side does not know."""
        self.differences = [one for one in self.differences if not unknown(one)]


def without_constants(nodes: Nodes) -> dict[str, Node]:
    """The nodes that a gradient goes through, with the edges among them."""
    kept = {id: node for id, node in nodes.items() if _is_leaf(node) or _computes(node)}
    return {
        id: {**node, "edges": [edge for edge in node["edges"] if edge.get("to") in kept]} for id, node in kept.items()
    }


def _arguments(node: Node) -> list[tuple[Any, Any]]:
    return [(edge.get("arg"), edge.get("to")) for edge in node["edges"]]


# -- which node is which -----------------------------------------------------------------------


def _partners(before: Nodes, after: Nodes) -> dict[str, str]:
    """By nodes of the second graph those of the first: the longest runs of the same ops, wherever they have gone.

    An id says where in its statement an op was made: one more op moves those behind it. Leaves are known by
    their names and shapes; one that has another name now, by its shape and its place among them. Constants are their
    users' arguments.
    """
    same = _of_one_form(before, after)
    if same is not None:
        return same
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


def _of_one_form(before: Nodes, after: Nodes) -> dict[str, str] | None:
    """By nodes of the second graph those of the first, where both are of one form; None where they are not."""
    if len(before) != len(after) or not before:
        return None
    partners: dict[str, str] = {}
    waiting = [(_root(before), _root(after))]
    while waiting:
        old, new = waiting.pop()
        if new in partners:
            if partners[new] != old:
                return None
            continue
        mine, others = before.get(old), after.get(new)
        if mine is None or others is None or mine["name"] != others["name"] or _is_leaf(mine) != _is_leaf(others):
            return None
        if [arg for arg, _ in _arguments(mine)] != [arg for arg, _ in _arguments(others)]:
            return None
        partners[new] = old
        pairs = zip(_arguments(mine), _arguments(others), strict=True)
        waiting += [(was, to) for (_, was), (_, to) in pairs if was is not None or to is not None]
    one_to_one = len(partners) == len(set(partners.values())) == len(after)
    return partners if one_to_one else None


def _root(nodes: Nodes) -> str:
    """The node that no other is computed from."""
    used = {to for node in nodes.values() for _, to in _arguments(node)}
    return next((id for id in reversed([*nodes]) if id not in used), "")


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


def alike(a: Any, b: Any, bits: int, units: int = _UNITS) -> bool:
    """Tell whether two values of a trace are the same up to so many units in the last of so many bits."""
    numbers, others = list(_numbers(a)), list(_numbers(b))
    if [kind for kind, _ in numbers] != [kind for kind, _ in others]:
        return False
    pairs = [(x, y) for (_, x), (_, y) in zip(numbers, others, strict=True)]
    finite = [abs(x) for pair in pairs for x in pair if isinstance(x, (int, float)) and math.isfinite(x)]
    allowed = math.ldexp(units * max(finite, default=0.0), -bits)
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
