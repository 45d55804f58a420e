"""The recorded programs again beside PyTorch itself, on inputs that the records do not have."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

import gradcli
from tests.rings import sampled

from . import exempt
from .compare import faults, load
from .observe import Record, observe

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")
torch.set_num_threads(1)

RECORDS = {r["id"]: r for r in load()["records"]}


def variants(record: Record) -> Iterator[tuple[str, Record, float]]:
    """The inputs of a record in other guises, each with the tolerance that its width allows."""
    yield "as recorded", record["inputs"], 1e-9
    yield "reversed", _each(record, lambda spec: spec | {"data": _reversed(spec["data"])}, ordered=True), 1e-9
    yield "not contiguous", _each(record, lambda spec: spec | {"strided": True}), 1e-9
    narrow = _each(record, lambda spec: spec | {"dtype": spec["dtype"].replace("float64", "float32")})
    yield "float32", narrow, 2e-4
    leaves = [n for n, spec in record["inputs"].items() if spec["requires_grad"]]
    for name in leaves:
        frozen = copy.deepcopy(record["inputs"])
        frozen[name]["requires_grad"] = False
        yield f"{name} without gradient", frozen, 1e-9


def _each(record: Record, change: Any, ordered: bool = False) -> Record:
    """Inputs changed one by one; with ``ordered``, only the floating ones."""
    return {
        name: change(copy.deepcopy(spec)) if not ordered or spec["dtype"].startswith("float") else spec
        for name, spec in record["inputs"].items()
    }


def _reversed(data: Any) -> Any:
    return [_reversed(x) for x in reversed(data)] if isinstance(data, list) else data


@pytest.mark.parametrize("identifier", RECORDS)
@sampled(10)
def test_a_program_is_what_pytorch_makes_of_it(identifier: str) -> None:
    record = RECORDS[identifier]
    problems = []
    for title, inputs, tolerance in variants(record):
        live = observe(torch, record["code"], inputs, identifier)
        if identifier in UNINITIALISED:
            for node in live["nodes"]:
                node["saved"].get("_saved_noise", {}).pop("value", None)
        for kind, sentences in faults(gradcli, live, tolerance).items():
            reason = exempt.LIVE.get((identifier, title, kind))
            if reason is not None and not sentences:
                problems.append(f"{title}: {kind}: matches now, so its exemption is stale: {reason}")
            elif reason is None and (identifier, kind) not in exempt.RECORDS:
                problems += [f"{title}: {kind}: {sentence}" for sentence in sentences]
    assert not problems, record["code"] + "\n" + "\n".join(problems)


# In evaluation mode rrelu saves noise that nothing ever wrote.
UNINITIALISED = {"activation_154"}
