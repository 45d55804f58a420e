"""The findings of a check as JSON, one a line: schema ``gradcli.check/1``; and as a line of JSON each."""

from __future__ import annotations

import json as encoder
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from ...check.judging.findings import Culprit, Entry, Finding
from ...check.judging.verdict import Verdict
from ...errors import GradcliError, Span
from ...graph.view.places import text_of
from ...text.escape import in_json
from ..diagnostic import place_of
from .outcome import Missing, Outcome, all_notes, exit_code, reproduce, standing

SCHEMA = "gradcli.check/1"

# Of the source of a node so many characters are told.
_TEXT = 200


def json(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """The whole document."""
    results = [result(outcome, finding) for outcome in outcomes for finding in outcome.checked.findings]
    errors = [error(outcome, failed) for outcome in outcomes if (failed := outcome.checked.failure) is not None]
    head = {"schema": SCHEMA, **_summed_up(outcomes, missing)}
    start = ",\n".join(f"{_text(key)}: {_text(value)}" for key, value in head.items())
    sides = [side for outcome in outcomes for side in coverage(outcome)]
    return f'{{{start},\n"results": {_lines(results)},\n"coverage": {_lines(sides)},\n"errors": {_lines(errors)}}}\n'


def jsonl(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """A line for each result and each spec that could not be run, and one that sums up; shards can be joined."""
    lines: list[dict[str, Any]] = []
    for outcome in outcomes:
        lines += [{"type": "result", **result(outcome, finding)} for finding in outcome.checked.findings]
        lines += [{"type": "coverage", **side} for side in coverage(outcome)]
        if outcome.checked.failure is not None:
            lines.append({"type": "error", **error(outcome, outcome.checked.failure)})
    end = {"type": "summary", "schema": SCHEMA, **_summed_up(outcomes, missing)}
    return "".join(f"{_text(line)}\n" for line in [*lines, end])


def _summed_up(outcomes: Sequence[Outcome], missing: Missing) -> dict[str, Any]:
    passed = exit_code(outcomes) == 0 and not missing.text
    found: dict[str, Any] = {"passed": passed, "summary": summary(outcomes)}
    return {**found, "missing": {"specs": missing.specs, "why": missing.why}} if missing.text else found


def summary(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Count the results of each verdict."""
    count = dict.fromkeys((verdict.value for verdict in Verdict), 0)
    for outcome in outcomes:
        for finding in outcome.checked.findings:
            count[finding.verdict.value] += 1
    return count


def result(outcome: Outcome, finding: Finding) -> dict[str, Any]:
    """A finding."""
    return {
        "spec": outcome.name,
        "output": finding.output,
        "input": finding.input,
        "order": finding.order,
        "verdict": finding.verdict.value,
        "standing": standing(finding, outcome.options).value,
        "notes": all_notes(outcome, finding),
        "digits": None if finding.digits is None else number(round(finding.digits, 1)),
        "entries": finding.entries,
        "wrong_entries": finding.wrong_entries,
        "worst": None if finding.worst is None else _entry(finding.worst),
        "signature": finding.signature,
        "node": None if finding.node is None else _node(finding.node),
        "reproduce": reproduce(outcome, finding),
    }


def coverage(outcome: Outcome) -> list[dict[str, Any]]:
    """The branches and kinks of a spec, with the sides that were looked at."""
    return [
        {
            "spec": outcome.name,
            "what": x.what,
            "in": x.owner,
            "source": None if x.span is None else _source(x.span),
            "sides": list(x.sides),
            "seen": list(x.seen),
            "missing": list(x.missing),
        }
        for x in outcome.checked.coverage
    ]


def error(outcome: Outcome, failure: GradcliError) -> dict[str, Any]:
    """A spec that could not be run, or has an assert that does not hold."""
    return {
        "spec": outcome.name,
        "code": failure.code,
        "place": None if failure.span is None else place_of(failure.span),
        "message": failure.message,
    }


def number(value: float | None) -> float | str | None:
    """A number as JSON can have it: infinities and what is no number in words."""
    if value is None:
        return None
    value = float(value)
    if isfinite(value):
        return value
    return "nan" if value != value else "inf" if value > 0 else "-inf"


def _entry(entry: Entry) -> dict[str, Any]:
    judged = entry.judged
    return {
        "index": None if entry.along else [int(i) for i in entry.index],
        "at": None if entry.along else number(entry.at),
        "claimed": number(judged.claimed),
        "estimate": number(judged.estimate),
        "bar": number(judged.bar),
        "left": number(judged.left),
        "right": number(judged.right),
        "witness": number(judged.witness),
    }


def _node(node: Culprit) -> dict[str, Any]:
    return {
        "id": node.id,
        "name": node.name,
        "argument": node.wrt,
        "source": None if node.source is None else _source(node.source),
        "applied": None if node.applied is None else _source(node.applied),
    }


def _source(span: Span) -> dict[str, Any]:
    """A place, as the JSON of a trace has it."""
    return {
        "col": span.column,
        "end_col": span.end_column,
        "end_line": span.end_line,
        "line": span.line,
        "text": text_of(span, _TEXT),
    }


def _lines(records: Iterable[dict[str, Any]]) -> str:
    lines = ",\n".join(map(_text, records))
    return f"[\n{lines}\n]" if lines else "[]"


def _text(value: Any) -> str:
    """In ASCII, and with nothing in it that a CI runner would act on."""
    return in_json(encoder.dumps(value))
