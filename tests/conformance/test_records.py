"""The recorded facts of PyTorch 2.13: values, gradients and graphs of 572 programs, and 19 errors."""

from __future__ import annotations

import functools

import pytest

import gradcli
from tests.rings import sampled

from .. import summary
from . import exempt
from .compare import KINDS, error_fault, faults, load, scores

RECORDS = {r["id"]: r for r in load()["records"]}
ERRORS = load()["errors"]


@functools.cache
def outcome(identifier: str) -> dict[str, list[str]]:
    return faults(gradcli, RECORDS[identifier])


@pytest.mark.parametrize("identifier", RECORDS)
@sampled(3)
def test_a_recorded_program_is_reproduced(identifier: str) -> None:
    found = outcome(identifier)
    problems = []
    for kind in KINDS:
        reason = exempt.RECORDS.get((identifier, kind))
        if found[kind] and reason is None:
            problems += [f"{kind}: {sentence}" for sentence in found[kind]]
        if not found[kind] and reason is not None:
            problems.append(f"{kind}: matches now, so its exemption is stale: {reason}")
    assert not problems, RECORDS[identifier]["code"] + "\n" + "\n".join(problems)


def test_exemptions_name_records() -> None:
    assert {i for i, _ in exempt.RECORDS} <= RECORDS.keys()
    assert {kind for _, kind in exempt.RECORDS} <= set(KINDS)


@pytest.mark.parametrize("record", ERRORS, ids=[r["code"] for r in ERRORS])
def test_a_recorded_error_is_raised(record: dict[str, str]) -> None:
    assert error_fault(gradcli, record) is None


def test_the_scores_are_printed() -> None:
    lines = scores({i: outcome(i) for i in RECORDS})
    summary.add("PyTorch's recorded programs", lines)
    assert len(lines) == 6
