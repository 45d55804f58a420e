"""The machine form: its schema, its order, its numbers."""

from __future__ import annotations

import difflib
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gradcli as torch
from gradcli.graph import edges
from gradcli.graph.ask import select
from gradcli.graph.json import lines, string, to_json
from gradcli.graph.view.collect import of_program
from gradcli.graph.view.view import View
from gradcli.spec.input.source import Spec, typed
from gradcli.spec.program import Program
from tests.quick import within
from tests.rings import examples, large, long

from . import views

# -- the schema ----------------------------------------------------------------------------------

NUMBER = (int, float, bool, "nan", "inf", "-inf")
STATS = ({"min": (*NUMBER, None), "max": (*NUMBER, None), "norm": NUMBER}, {"nan": int, "inf": int})
ARRAY = (*NUMBER, None, STATS, list)
SOURCE = ({"line": int, "col": int, "end_line": int, "end_col": int, "text": str}, {"file": str})
EDGE = {"arg": str, "to": (str, None), "output_nr": int, "grad": ARRAY}
NODE = {
    "id": str, "kind": ("op", "leaf", "const", "root"), "name": str, "order": int, "shape": (list, None),
    "dtype": (str, None), "value": ARRAY, "grad": ARRAY, "source": (SOURCE, None), "edges": [EDGE],
}  # fmt: skip
# What only some nodes have.
MORE = {
    "saved": dict, "saved_bytes": int, "variable": str, "label": str, "parent": str, "hidden": int,
    "outputs": [dict.fromkeys(("value", "grad"), ARRAY) | {"name": (str, None), "shape": list, "dtype": (str, None)}],
    "scope": [str], "arrived": ARRAY,
    "cut": ("depth", "nodes", "focus"), "repeats": {"count": int, "first": str, "last": str},
    "detached": {"by": str, "line": (int, None)}, "arguments": [EDGE],
}  # fmt: skip
WHOLE = {
    "schema": ("gradcli.trace/1",), "spec": (str, None), "root": str, "nodes": [(NODE, MORE)], "truncated": bool,
    "leaves": [({"name": str, "value": ARRAY, "grad": ARRAY}, {"unused": bool, "own_grad": ARRAY})],
    "stats": dict.fromkeys(("ops", "leaves", "constants", "edges", "saved_bytes"), int),
}  # fmt: skip


def fits(value: Any, form: Any) -> bool:
    """Whether a value is of a form: a type, a constant, an object of forms, a list of one form, or one of several."""
    if isinstance(form, tuple) and len(form) == 2 and all(isinstance(part, dict) for part in form):
        needed, more = form
        return isinstance(value, dict) and all(
            fits(value[key], (needed | more).get(key, ())) for key in value
        ) and needed.keys() <= value.keys()  # fmt: skip
    if isinstance(form, tuple):
        return any(fits(value, one) for one in form)
    if isinstance(form, dict):
        return fits(value, (form, {}))
    if isinstance(form, list):
        return isinstance(value, list) and all(fits(each, form[0]) for each in value)
    if isinstance(form, type):
        return isinstance(value, form) and (form is bool or not isinstance(value, bool))
    return value is form or (isinstance(form, str) and value == form)


def sorted_keys(value: Any) -> bool:
    if isinstance(value, dict):
        return list(value) == sorted(value) and all(map(sorted_keys, value.values()))
    return all(map(sorted_keys, value)) if isinstance(value, list) else True


def read(text: str) -> Any:
    """The object in a text that keeps what every text of ours keeps."""
    found = json.loads(text)
    assert text.isascii()
    assert text.endswith("}\n")
    assert fits(found, WHOLE)
    assert sorted_keys(found)
    rows = [line for line in text.splitlines() if '"kind":' in line]
    assert [json.loads(row.removesuffix(",")) for row in rows] == found["nodes"]
    before: set[str | None] = {None}
    for node in found["nodes"]:
        assert {edge["to"] for edge in node["edges"]} <= before
        before.add(node["id"])
    return found


def traced(program: str, **how: Any) -> View:
    return of_program(Program(Spec(typed("spec.py", program), False, None, None)), **how)


# -- exactly ---------------------------------------------------------------------------------------

PRODUCT = """\
import torch
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
y = c * torch.tensor([1.0, 2.0])
loss = y.sum()
loss.backward()
"""

WRITTEN = """\
{"leaves":[
{"grad":{"max":3.0,"min":3.0,"norm":3.0},"name":"a","value":2.0},
{"grad":{"max":3.0,"min":3.0,"norm":3.0},"name":"b","value":3.0}
],
"nodes":[
{"dtype":"float32","edges":[],"grad":{"max":3.0,"min":3.0,"norm":3.0},"id":"a","kind":"leaf","name":"AccumulateGrad","order":0,"shape":[],\
"source":{"col":4,"end_col":41,"end_line":2,"line":2,"text":"torch.tensor(2.0, requires_grad=True)"},"value":2.0,\
"variable":"a"},
{"dtype":"float32","edges":[],"grad":{"max":3.0,"min":3.0,"norm":3.0},"id":"b","kind":"leaf","name":"AccumulateGrad","order":0,"shape":[],\
"source":{"col":4,"end_col":41,"end_line":3,"line":3,"text":"torch.tensor(3.0, requires_grad=True)"},"value":3.0,\
"variable":"b"},
{"dtype":"float32","edges":[{"arg":"self","grad":{"max":3.0,"min":3.0,"norm":3.0},"output_nr":0,"to":"a"},\
{"arg":"other","grad":{"max":3.0,"min":3.0,"norm":3.0},"output_nr":0,"to":"b"}],"grad":{"max":3.0,"min":3.0,"norm":3.0},"id":"c","kind":"op","name":"AddBackward0","order":0,\
"saved":{"alpha":1},"saved_bytes":0,"shape":[],\
"source":{"col":4,"end_col":9,"end_line":4,"line":4,"text":"a + b"},"value":5.0,"variable":"c"},
{"dtype":"float32","edges":[],"grad":null,"id":"y.other","kind":"const","name":"const","order":0,"shape":[2],\
"source":null,"value":{"max":2.0,"min":1.0,"norm":2.23606797749979}},
{"dtype":"float32","edges":[{"arg":"self","grad":{"max":3.0,"min":3.0,"norm":3.0},"output_nr":0,"to":"c"},\
{"arg":"other","grad":null,"output_nr":0,"to":"y.other"}],"grad":{"max":1.0,"min":1.0,"norm":1.4142135623730951},\
"id":"y","kind":"op","name":"MulBackward0","order":0,"saved":{"other":"y.other"},"saved_bytes":8,\
"shape":[2],"source":{"col":4,"end_col":32,"end_line":5,"line":5,"text":"c * torch.tensor([1.0, 2.0])"},\
"value":{"max":10.0,"min":5.0,"norm":11.180339887498949},"variable":"y"},
{"dtype":"float32","edges":[{"arg":"self","grad":{"max":1.0,"min":1.0,"norm":1.4142135623730951},"output_nr":0,\
"to":"y"}],"grad":{"max":1.0,"min":1.0,"norm":1.0},"id":"loss","kind":"op","name":"SumBackward0","order":0,"saved":{},\
"saved_bytes":0,"shape":[],"source":{"col":7,"end_col":14,"end_line":6,"line":6,"text":"y.sum()"},"value":15.0,\
"variable":"loss"}
],
"root":"loss","schema":"gradcli.trace/1","spec":"spec.py",
"stats":{"constants":1,"edges":4,"leaves":2,"ops":3,"saved_bytes":8},"truncated":false}
"""


def test_a_program_as_json() -> None:
    text = to_json(traced(PRODUCT))
    assert text == WRITTEN
    read(text)


def test_numbers_in_full_and_none() -> None:
    view = traced(PRODUCT)
    full = read(to_json(view, values="full", grads="full"))
    assert [node["value"] for node in full["nodes"]] == [2.0, 3.0, 5.0, [1.0, 2.0], [5.0, 10.0], 15.0]
    assert full["nodes"][4]["grad"] == [1.0, 1.0]
    none = read(to_json(view, values="none", grads="none"))
    assert {node["value"] for node in none["nodes"]} == {node["grad"] for node in none["nodes"]} == {None}


# -- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-12, "1e-12"),
        (0.1, "0.1"),
        (-0.0, "-0.0"),
        (np.nan, '"nan"'),
        (np.inf, '"inf"'),
        (-np.inf, '"-inf"'),
        (np.float32(0.1), "0.10000000149011612"),
        (7, "7"),
        (True, "true"),
        ([1.0, -3.0], '{"max":1.0,"min":-3.0,"norm":3.1622776601683795}'),
        ([1.0, np.nan], '{"max":"nan","min":"nan","nan":1,"norm":"nan"}'),
        ([1.0, -np.inf], '{"inf":1,"max":1.0,"min":"-inf","norm":"inf"}'),
        ([3 * 2.0**600, 4 * 2.0**600], f'{{"max":{4 * 2.0**600!r},"min":{3 * 2.0**600!r},"norm":{5 * 2.0**600!r}}}'),
        ([[0.5]], '{"max":0.5,"min":0.5,"norm":0.5}'),
        (np.zeros((0, 3)), '{"max":null,"min":null,"norm":0.0}'),
        (np.arange(100), '{"max":99,"min":0,"norm":573.0183243143276}'),
        (np.full(100, 2.0**600), f'{{"max":{2.0**600!r},"min":{2.0**600!r},"norm":{10 * 2.0**600!r}}}'),
        (np.full(100, np.inf), '{"inf":100,"max":"inf","min":"inf","norm":"inf"}'),
        (np.array([3 + 4j]), '{"max":null,"min":null,"norm":5.0}'),
    ],
)
def test_numbers(value: Any, text: str) -> None:
    view = views.view(views.op("ExpBackward0", ("self", views.leaf("x")), value=value))
    made = to_json(view)
    read(made)
    assert made.count(f'"value":{text}') == 1


def test_a_tensor_in_full_is_a_nested_list() -> None:
    view = views.view(views.op("ExpBackward0", ("self", views.leaf("x")), value=[[1.0, np.nan], [np.inf, 2.0]]))
    assert read(to_json(view, values="full"))["nodes"][1]["value"] == [[1.0, "nan"], ["inf", 2.0]]


# -- what is rare ----------------------------------------------------------------------------------


def test_what_a_node_keeps() -> None:
    x = views.leaf("x", 2.0)
    item = views.op("SomeBackward0", ("self", x), value=1.0)
    views.keeps(
        item, self=x, result=item, dim=(-1, 0), reduction=("mean", 0), other=(np.ones((2, 2)), 32),
        sizes=((2, None, (3.5, True)), 0), none=(None, 0), flag=(np.True_, 0),
    )  # fmt: skip
    node = read(to_json(views.view(item)))["nodes"][1]
    assert node["saved"] == {
        "self": "x", "result": "n1", "dim": -1, "reduction": "'mean'", "sizes": [2, None, [3.5, True]], "none": None,
        "flag": True, "other": {"max": 1.0, "min": 1.0, "norm": 2.0},
    }  # fmt: skip
    assert node["saved_bytes"] == 32


def test_a_leaf_that_gets_nothing() -> None:
    program = "x = torch.ones(2, requires_grad=True)\nu = torch.tensor(1.0, requires_grad=True)\nx.sum()"
    leaves = read(to_json(traced(f"import torch\n{program}")))["leaves"]
    assert leaves[1] == {"grad": None, "name": "u", "unused": True, "value": 1.0}


def test_what_was_cut_off_is_told_and_counted_whole() -> None:
    found = read(to_json(select.depth(traced(PRODUCT), 1)))
    assert found["truncated"] is True
    assert [(node["id"], node.get("cut"), node.get("hidden")) for node in found["nodes"]] == [
        ("y", "depth", 4), ("loss", None, None),
    ]  # fmt: skip
    assert found["nodes"][0]["edges"] == []
    assert found["stats"]["ops"] == 3
    assert [leaf["name"] for leaf in found["leaves"]] == ["a", "b"]


def test_what_a_backward_recorded_tells_of_what() -> None:
    program = "import torch\nx = torch.tensor(1.0, requires_grad=True)\ny = torch.sigmoid(x) ** 2"
    found = read(to_json(traced(program, order=2)))
    assert {node["order"] for node in found["nodes"]} == {0, 1, 2}
    ids = {node["id"] for node in found["nodes"]}
    assert {node.get("parent") for node in found["nodes"]} & ids
    assert not any("parent" in node for node in found["nodes"] if not node["order"])


def test_a_constant_tells_where_it_left_the_graph() -> None:
    program = "import torch\nx = torch.tensor(1.0, requires_grad=True)\nd = x.detach()\ny = d * x\ny.backward()"
    (const,) = [node for node in read(to_json(traced(program)))["nodes"] if node["kind"] == "const"]
    assert const["detached"] == {"by": "detach", "line": 3}
    assert const["label"] == "d"


def test_a_long_source_is_cut() -> None:
    program = f"import torch\nx = torch.tensor(1.0, requires_grad=True)\ny = {' + '.join(['x'] * 300)}\ny.backward()"
    texts = [node["source"]["text"] for node in read(to_json(traced(program)))["nodes"] if node["kind"] == "op"]
    assert max(map(len, texts)) == 201
    assert texts[-1].startswith("x + x")
    assert texts[-1].endswith("…")


# -- texts -----------------------------------------------------------------------------------------


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_is_a_string(text: str) -> None:
    made = string(text)
    assert json.loads(made) == text
    assert made.isascii()
    assert made.isprintable()
    assert "##" not in made


@settings(max_examples=examples(60), deadline=None)
@given(views.views())
def test_any_view_is_of_the_schema(view: View) -> None:
    for number, item in enumerate(view.items):
        item.id = f"{item.id}{number}"
    for values, grads in (("stats", "norm"), ("full", "full"), ("none", "none")):
        read(to_json(view, values=values, grads=grads))
    assert len(list(edges.lines(view))) == sum(1 for _ in view.edges())


def test_edges() -> None:
    assert list(edges.lines(traced(PRODUCT))) == [
        "c\tself\ta\n", "c\tother\tb\n", "y\tself\tc\n", "y\tother\ty.other\n", "loss\tself\ty\n",
    ]  # fmt: skip
    odd = views.view(views.op("OddBackward", ("a\tb", views.leaf("\x1b[2J\n")), ("other", None)))
    assert list(edges.lines(odd)) == ["n1\ta\\tb\t\\u001b[2J\\n\n", "n1\tother\tNone\n"]


# -- order and size --------------------------------------------------------------------------------

def net(number: str, extra: str) -> str:
    """Twenty layers, with or without one more op in the middle; the layers' results have one name or one each."""
    lines = ["import torch", *(f"w{n} = torch.full((4, 4), 0.{n + 1}, requires_grad=True)" for n in range(20))]
    lines += [f"h{0 if number else ''} = torch.ones(2, 4)"]
    for n in range(20):
        before, after = (f"h{n}", f"h{n + 1}") if number else ("h", "h")
        lines.append(f"{after} = torch.tanh({before} @ w{n}){extra if n == 9 else ''}")
    return "\n".join([*lines, f"loss = h{20 if number else ''}.sum()", "loss.backward()"])


@pytest.mark.parametrize("number", ["n", ""])
def test_an_op_more_changes_few_lines(number: str) -> None:
    before, after = (to_json(traced(net(number, extra))).splitlines() for extra in ("", " * 1.0"))
    changes = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    assert 2 < len(changes) <= 8


@long("it takes a second or more")
def test_a_large_graph_takes_little_time() -> None:
    x = torch.tensor(0.5, requires_grad=True)
    y = x
    for _ in range(large(20_000)):
        y = torch.sin(y) * x
    view = views.of_tensor(y)
    with within(10):
        assert sum(map(len, lines(view))) > 50 * large(20_000)
