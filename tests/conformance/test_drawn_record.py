"""The graphs of the drawn programs have the ops, edges and bytes that were recorded of PyTorch, which is not needed."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from gradcli.graph.json import to_json
from gradcli.graph.view.view import OP
from tests.graph.flows import program
from tests.graph.test_collect import viewed
from tests.rings import sampled

from .drawn import PROGRAMS, WRITTEN_IN_PLACE
from .record_drawn import RECORD, facts

FACTS = json.loads(RECORD.read_text())
pytestmark = pytest.mark.filterwarnings("ignore")


def test_every_program_is_recorded() -> None:
    assert list(FACTS) == list(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
@sampled(5)
def test_a_graph_is_the_recorded_one(name: str) -> None:
    found = json.loads(to_json(viewed(program(PROGRAMS[name]), output="loss")))
    ops = [node for node in found["nodes"] if node["kind"] == OP]
    assert Counter(node["name"] for node in ops) == FACTS[name]["ops"]
    kinds = {node["id"]: node["kind"] for node in found["nodes"]}
    edges = [edge for node in ops for edge in node["edges"] if edge["to"] is not None]
    assert sum(kinds[edge["to"]] != "const" for edge in edges) == FACTS[name]["edges"]
    assert found["stats"]["saved_bytes"] == FACTS[name]["saved_bytes"] + WRITTEN_IN_PLACE.get(name, 0)


@pytest.mark.parametrize("name", PROGRAMS)
@sampled(2)
def test_the_record_is_what_pytorch_has(name: str) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")
    assert facts(program(PROGRAMS[name])) == FACTS[name]
