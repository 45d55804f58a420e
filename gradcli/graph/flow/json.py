"""The flow of the gradient as JSON, one row a line: schema ``gradcli.flow/1``."""

from __future__ import annotations

from collections.abc import Iterator

from ..json import listed, number, string
from ..view.view import View
from .findings import Finding, findings
from .measure import Flow, Row

SCHEMA = "gradcli.flow/1"


def lines(view: View, depth: int | None = None) -> Iterator[str]:
    """The text in lines: what is to be said, then every row in forward order."""
    flow = Flow(view, depth)
    yield '{"findings":['
    yield from listed(map(_finding, findings(flow)))
    yield '],\n"flow":['
    yield from listed(_row(at, row) for at, row in flow.rows())
    spec = "null" if view.spec is None else string(view.spec)
    yield f'],\n"root":{string(view.root.id)},"schema":"{SCHEMA}","spec":{spec}}}\n'


def nothing(spec: str) -> Iterator[str]:
    """The text for a program that recorded no graph."""
    yield f'{{"findings":[],\n"flow":[],\n"root":null,"schema":"{SCHEMA}","spec":{string(spec)}}}\n'


def _row(depth: int, row: Row) -> str:
    fields = [
        f'"calls":{len(row.calls)}',
        f'"class":{"null" if row.cls is None else string(row.cls)}',
        f'"depth":{depth}',
        f'"gain":{_number(row.gain)}',
        f'"gradient_in":{_number(row.arrives)}',
        f'"gradient_out":{_number(row.leaves)}',
        f'"id":{string(row.first if not row.is_row else f"{row.first}..{row.last}")}',
        f'"kind":"{row.kind}"',
        f'"ops":{row.ops}',
        f'"order":{row.order}',
        f'"parameters":{row.parameters}',
        f'"parameters_grad":{_number(row.parameters_grad)}',
        f'"parameters_norm":{_number(row.parameters_length)}',
        f'"ratio":{_number(row.ratio)}',
        f'"steps":[{",".join(map(_number, row.steps))}]',
    ]
    return "{" + ",".join(fields) + "}"


def _finding(found: Finding) -> str:
    return (
        f'{{"factor":{number(found.factor)},"from":{string(found.start)},"kind":"{found.kind}",'
        f'"per":"{found.per}","steps":{found.steps},"text":{string(found.told())},"to":{string(found.end)},'
        f'"total":{number(found.total)}}}'
    )


def _number(length: float | None) -> str:
    return "null" if length is None else number(length)
