"""A view as JSON, one node a line, for machines and for git: schema ``gradcli.trace/1``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import frexp, fsum, isfinite, ldexp, sqrt
from typing import Any

import numpy as np

from ..errors import Span
from ..text.escape import in_json
from .numbers import norm
from .text.header import counted
from .view.places import text_of
from .view.view import OP, Edge, Item, Output, Saved, View

SCHEMA = "gradcli.trace/1"

# Of the source of an op so many characters are told: long lines would be told again for each of their ops.
_TEXT = 200
# So few numbers Python adds up sooner than NumPy.
_FEW = 64


def to_json(view: View, *, values: str = "stats", grads: str = "norm") -> str:
    """The whole text."""
    return "".join(lines(view, values=values, grads=grads))


def lines(view: View, *, values: str = "stats", grads: str = "norm") -> Iterator[str]:
    """The text in lines: a header, a node or a leaf each, what there is in all.

    A number stands for a scalar. A tensor is an object of its ``min``, ``max`` and ``norm``; nested lists with
    ``values="full"`` and ``grads="full"``, null with ``"none"``.
    """
    writer = _Writer(values, grads, view.run is None)
    whole = view.whole
    root, spec = string(view.root.id), "null" if view.spec is None else string(view.spec)
    yield '{"leaves":['
    yield from listed(writer.leaf(item, used, whole) for item, used in _leaves(whole))
    yield '],\n"nodes":['
    yield from listed(map(writer.node, view.items))
    which = whole.backward
    if which is not None and which.words:
        root += f',"{which.called}":{{"number":{which.number},"of":{"null" if which.of is None else which.of}}}'
    yield f'],\n"root":{root},"schema":"{SCHEMA}","spec":{spec},\n"stats":{{{_stats(whole)}}},'
    yield f'"truncated":{"true" if view.truncated else "false"}}}\n'


def nothing(spec: str) -> Iterator[str]:
    """The text for a program that recorded no graph."""
    yield f'{{"leaves":[],\n"nodes":[],\n"root":null,"schema":"{SCHEMA}","spec":{string(spec)},\n'
    yield '"stats":{"constants":0,"edges":0,"leaves":0,"ops":0,"saved_bytes":0},"truncated":false}\n'


def listed(entries: Iterable[str]) -> Iterator[str]:
    """Entries of a list, one a line."""
    before = "\n"
    for entry in entries:
        yield before + entry
        before = ",\n"
    if before != "\n":
        yield "\n"


def _leaves(view: View) -> Iterator[tuple[Item, bool]]:
    yield from ((item, True) for item in view.leaves())
    yield from ((item, False) for item in view.unused)


def _stats(view: View) -> str:
    ops, leaves, constants, edges = counted(view)
    return (
        f'"constants":{constants},"edges":{edges},"leaves":{leaves},"ops":{ops},"saved_bytes":{view.saved_bytes}'
    )


class _Writer:
    """Nodes and leaves as objects, their keys sorted."""

    def __init__(self, values: str, grads: str, has_files: bool) -> None:
        self.values = values
        self.grads = grads
        # Many nodes come from the same place: a loop's, a function's.
        self.sources: dict[tuple[str, int, int, int, int], str] = {}
        # The nodes of a graph that no spec has made may stand in many files.
        self.has_files = has_files

    def node(self, item: Item) -> str:
        """A node."""
        more = _rare(item, self.grads)
        edges: list[str] = []
        others: list[str] = []
        for edge in item.edges:
            (others if edge.slot is None else edges).append(self.edge(edge))
        fields = [
            f'"dtype":{_name(item.dtype)}',
            f'"edges":[{",".join(edges)}]',
            f'"grad":{_gradient(item.grad, self.grads)}',
            f'"id":{string(item.id)}',
            f'"kind":"{item.kind}"',
            f'"name":{string(item.name)}',
            f'"order":{item.order}',
            f'"shape":{_shape(item.shape)}',
            f'"source":{self.source(item.span)}',
            f'"value":{_array(item.value, self.values)}',
        ]
        if item.results:
            more.append(f'"outputs":[{",".join(map(self.output, item.results))}]')
        if others:
            more.append(f'"arguments":[{",".join(others)}]')
        if item.kind == OP:
            more.append(f'"saved":{{{",".join(map(self.saved, sorted(item.saved, key=_saved_name)))}}}')
            more.append(f'"saved_bytes":{sum(saved.bytes for saved in item.saved)}')
        # A key is sorted before another when it is with its quote: no key goes on with what sorts before a quote.
        return "{" + ",".join(sorted(fields + more) if more else fields) + "}"

    def output(self, output: Output) -> str:
        """One of several outputs."""
        grad, value = _gradient(output.grad, self.grads), _array(output.value, self.values)
        tangent = "" if output.tangent is None else f'"tangent":{_gradient(output.tangent, self.grads)},'
        name = "null" if output.name is None else string(output.name)
        return (
            f'{{"dtype":{_name(output.dtype)},"grad":{grad},"name":{name},"shape":{_shape(output.shape)},'
            f'{tangent}"value":{value}}}'
        )

    def edge(self, edge: Edge) -> str:
        """An edge."""
        to = "null" if edge.to is None else string(edge.to.id)
        grad = _gradient(edge.grad, self.grads)
        return f'{{"arg":{string(edge.argument)},"grad":{grad},"output_nr":{edge.output_nr},"to":{to}}}'

    def leaf(self, item: Item, used: bool, view: View) -> str:
        """A leaf with its gradient, which is null when it gets none, and the program's own where that is another."""
        grad, value = _gradient(item.grad, self.grads), _array(item.value, self.values)
        more = "" if item.tangent is None else f',"tangent":{_gradient(item.tangent, self.grads)}'
        more += "" if used else ',"unused":true'
        if item in view.own_grads:
            more += f',"own_grad":{_gradient(view.own_grads[item], self.grads)}'
        return f'{{"grad":{grad},"name":{string(item.variable or item.id)}{more},"value":{value}}}'

    def saved(self, saved: Saved) -> str:
        """Something that a node keeps: the id of a node, or the value itself, a text in quotes of its own."""
        return f"{string(saved.name)}:{string(saved.of.id) if saved.of is not None else self.plain(saved.value)}"

    def plain(self, value: Any) -> str:
        """A value that an op keeps."""
        if value is None:
            return "null"
        if isinstance(value, (bool, np.bool_)):
            return "true" if value else "false"
        if isinstance(value, (int, float, np.integer, np.floating)):
            return number(value)
        if isinstance(value, np.ndarray):
            return _array(value, self.values)
        if isinstance(value, (list, tuple)):
            return f"[{','.join(map(self.plain, value))}]"
        return string(repr(value) if isinstance(value, str) else str(value))

    def source(self, span: Span | None) -> str:
        """Where a node comes from."""
        if span is None:
            return "null"
        place = span.source.name, span.line, span.column, span.end_line, span.end_column
        found = self.sources.get(place)
        if found is None:
            text = string(text_of(span, _TEXT))
            file = f'"file":{string(span.source.name)},' if self.has_files else ""
            found = self.sources[place] = (
                f'{{"col":{span.column},"end_col":{span.end_column},"end_line":{span.end_line},{file}"line":{span.line},'
                f'"text":{text}}}'
            )
        return found


def _rare(item: Item, grads: str) -> list[str]:
    """The fields that few nodes have."""
    fields = []
    if item.variable is not None:
        fields.append(f'"variable":{string(item.variable)}')
    if item.label is not None:
        fields.append(f'"label":{string(item.label)}')
    if item.parent is not None:
        fields.append(f'"parent":{string(item.parent.id)}')
    if item.detached is not None:
        by, span = item.detached
        fields.append(f'"detached":{{"by":{string(by)},"line":{"null" if span is None else span.line}}}')
    if item.tangent is not None:
        fields.append(f'"tangent":{_gradient(item.tangent, grads)}')
    if item.arrived is not None:
        fields.append(f'"arrived":{_gradient(item.arrived, grads)}')
    if item.scope is not None:
        fields.append(f'"scope":[{",".join(string(scope.id) for scope in item.scope.path)}]')
    if item.box is not None:
        box = item.box
        fields += [
            f'"calls":[{",".join(string(scope.id) for scope in box.scopes)}]',
            f'"gradient_in":{_length_or_null(box.arrives)}',
            f'"gradient_out":{_length_or_null(box.leaves)}',
            f'"ops":{box.ops}',
            f'"parameters":{box.parameters}',
            f'"parameters_grad":{_length_or_null(box.parameters_grad)}',
        ]
    if item.cut is not None:
        fields += [f'"cut":{string(item.cut)}', f'"hidden":{item.hidden}']
    if item.repeats is not None:
        count, first, last = item.repeats
        fields.append(f'"repeats":{{"count":{count},"first":{string(first)},"last":{string(last)}}}')
    return fields


def _length_or_null(length: float | None) -> str:
    return "null" if length is None else number(length)


def _saved_name(saved: Saved) -> str:
    return saved.name


# -- values ------------------------------------------------------------------------------------


def _name(text: str | None) -> str:
    return "null" if text is None else f'"{text}"'


def _shape(shape: tuple[int, ...] | None) -> str:
    return "null" if shape is None else f"[{','.join(map(str, shape))}]"


def _gradient(array: Any, how: str) -> str:
    """A gradient, which is an object even where it is one number: whoever reads it need not ask."""
    if array is None or how != "norm" or array.ndim:
        return _array(array, how)
    return _described(array)


def _array(array: Any, how: str) -> str:
    """The numbers of a tensor, as they were asked for."""
    if array is None or how == "none":
        return "null"
    if array.ndim == 0:
        return number(array.item())
    if how == "full":
        return _nested(array.tolist())
    return _described(array)


def _described(array: Any) -> str:
    """A tensor by the least and the greatest of its numbers and their norm, and how many of them are not finite."""
    if not array.size:
        return '{"max":null,"min":null,"norm":0.0}'
    if array.dtype.kind == "c":
        infinite, undefined = _not_finite(array, "inf"), _not_finite(array, "nan")
        return f'{{{infinite}"max":null,"min":null,{undefined}"norm":{number(norm(array))}}}'
    if array.size <= _FEW:
        numbers = array.ravel().tolist()
        length = _length(numbers)
        if isfinite(length):
            return f'{{"max":{number(max(numbers))},"min":{number(min(numbers))},"norm":{length!r}}}'
    low, high = array.min().item(), array.max().item()
    infinite, undefined = _not_finite(array, "inf"), _not_finite(array, "nan")
    return f'{{{infinite}"max":{number(high)},"min":{number(low)},{undefined}"norm":{number(norm(array))}}}'


def _not_finite(array: Any, kind: str) -> str:
    """The count of numbers that are nan or inf, where any is."""
    if array.dtype.kind not in "fc":
        return ""
    count = int((np.isnan(array) if kind == "nan" else np.isinf(array)).sum())
    return f'"{kind}":{count},' if count else ""


def _length(numbers: list[float]) -> float:
    """The root of the sum of squares, to the same digit everywhere; scaled by a power of two against overflow."""
    _, exponent = frexp(max(map(abs, numbers)))
    return ldexp(sqrt(fsum([ldexp(x, -exponent) ** 2 for x in numbers])), exponent)


def _nested(value: Any) -> str:
    # As deep as a tensor has dimensions.
    return f"[{','.join(map(_nested, value))}]" if isinstance(value, list) else number(value)


def number(value: Any) -> str:
    """A number as JSON; one that is not finite is a text."""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, complex):
        return string(str(value))
    if isfinite(value):
        return repr(value) if type(value) in (int, float) else repr(value.item())
    return '"nan"' if value != value else '"inf"' if value > 0 else '"-inf"'


def string(text: str) -> str:
    """A text as JSON, in ASCII; neither a terminal nor a CI runner finds anything in it to act on."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text and "##" not in text:
        return f'"{text}"'
    import json

    return in_json(json.dumps(text))
