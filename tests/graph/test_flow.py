"""The flow of the gradient: what enters and leaves each call, and the sentences that there are to say of it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.graph.ask.crossing import crossings
from gradcli.graph.flow import json as as_json
from gradcli.graph.flow.findings import EXPLODES, STOPS, VANISHES, findings
from gradcli.graph.flow.measure import Flow, Row
from gradcli.graph.flow.sparkline import Scale
from gradcli.graph.flow.text import table
from gradcli.graph.view.collect import of_program
from gradcli.graph.view.view import View
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from gradcli.text.cells import cells
from gradcli.text.parts import plain
from tests.rings import long, sampled

from .flows import PROGRAMS, RECORDED, TURNS, Lengths, program
from .test_collect import viewed
from .worlds import item

FACTS = json.loads(RECORDED.read_text())


def told(text: str) -> Lengths:
    """By the class of modules the gradients in and out of each call, as a flow tells them."""
    found: Lengths = {}
    for place, crossing in crossings(viewed(text), derivatives=True).items():
        if place is not None and place[0].cls is not None:
            found.setdefault(place[0].cls, []).append((crossing.arrives or 0.0, crossing.leaves or 0.0))
    return {cls: sorted(found[cls]) for cls in sorted(found)}


def turns(text: str) -> tuple[list[float | None], list[float | None]]:
    found = [crossing for place, crossing in crossings(viewed(text)).items() if place is not None]
    return [each.arrives for each in found], [each.leaves for each in found]


def same_lengths(mine: Lengths, theirs: Any) -> None:
    assert mine.keys() == theirs.keys()
    for cls, pairs in theirs.items():
        assert len(pairs) == len(mine[cls])
        for pair, other in zip(mine[cls], pairs, strict=True):
            assert pair == pytest.approx(tuple(other), rel=1e-9, abs=1e-12), cls


def drawn(view: View, **look: Any) -> str:
    return "\n".join(plain(line).rstrip() for line in table(view, **look))


def rows(view: View) -> dict[str, Row]:
    return {(f"d{row.order} " if row.order else "") + row.first + "…" * row.is_row: row for _, row in Flow(view).rows()}


# -- numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_are_what_pytorch_has_measured(name: str) -> None:
    same_lengths(told(program(PROGRAMS[name])), FACTS["modules"][name])


def test_turns_of_a_loop_are_what_pytorch_has_measured() -> None:
    arrives, leaves = turns(program(TURNS))
    assert arrives == pytest.approx(FACTS["turns"], rel=1e-9)
    assert leaves[1:] == pytest.approx(FACTS["turns"][:-1], rel=1e-9)


def test_what_a_turn_goes_on_from_is_told_from_what_all_turns_use() -> None:
    view = viewed("for t in range(3): x = sin(x) * w\nx.sum()\n", "x=1", "w=2")
    found = rows(view)
    assert found["for t@1"].parameters == 1
    assert found["for t@1"].gain == pytest.approx(2 * math.cos(1))
    assert found["for t@1…"].parameters_grad == pytest.approx(abs(float(np.asarray(item(view, "w").grad))))


def test_parameters_of_layers_in_a_list_are_not_passed_on_to() -> None:
    found = rows(
        viewed(
            "ws = [torch.full((2, 2), 0.1 * k, requires_grad=True) for k in range(1, 4)]\n"
            "h = torch.ones(2)\nfor w in ws:\n    h = torch.tanh(w @ h)\ny = h.sum()\n"
        )
    )
    assert [found[f"for w@{n}"].parameters for n in (1, 2, 3)] == [4, 4, 4]
    assert found["for w@1"].leaves is None
    assert found["for w@2"].leaves == pytest.approx(found["for w@1"].arrives)


def test_a_function_of_leaves_passes_on_to_them() -> None:
    found = rows(viewed("def f(v):\n    return v * v\ny = (f(a) + f(b)).sum()\n", "a=3", "b=4"))
    assert (found["f()"].leaves, found["f()@2"].leaves) == (6.0, 8.0)


def test_ratio_is_of_the_gradient_to_the_parameter() -> None:
    net = rows(viewed("fc = torch.nn.Linear(2, 1, bias=False)\nfc.weight.data.fill_(2)\ny = fc(torch.ones(2)).sum()\n"))
    assert net["fc"].ratio == pytest.approx(0.5)


def test_derivatives_stand_in_the_calls_that_they_are_of() -> None:
    layers = "torch.nn.Linear(1, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1)"
    found = rows(viewed(f"net = torch.nn.Sequential({layers})\ny = net(x).sum()\n", "x=[0.5]", order=1, wrt="x"))
    assert {"net", "1", "d1 net", "d1 0", "d1 1", "d1 2"} <= found.keys()
    assert found["d1 1"].order == 1
    assert found["d1 1"].leaves is not None


def test_a_part_of_a_graph_keeps_the_numbers_of_the_whole() -> None:
    from gradcli.graph.ask.select import focus

    view = viewed(program(PROGRAMS["attention"]))
    whole, part = rows(view), rows(focus(view, "0.q.weight"))
    assert "0.k" in whole
    assert "0.k" not in part
    assert part["0.q"].arrives == whole["0.q"].arrives


# -- sentences -----------------------------------------------------------------------------------

DEEP = """
class Block(torch.nn.Module):
    def __init__(self, gain):
        super().__init__()
        self.gain = gain
        self.w = torch.nn.Parameter(torch.ones(1))
    def forward(self, x):
        return x * self.w * self.gain
gains = {gains}
net = torch.nn.Sequential(*[Block(g) for g in gains])
x = torch.ones(1)
y = net(x).sum()
"""


def said(gains: list[float]) -> list[str]:
    return [found.told() for found in findings(Flow(viewed(DEEP.format(gains=gains))))]


def test_a_gradient_that_vanishes_or_explodes_is_said_with_its_factor_and_place() -> None:
    assert said([0.1] * 6) == ["vanishes: × 0.1 a layer from 5 on, × 1e-05 down to 0"]
    assert said([10.0] * 6) == ["explodes: × 10 a layer from 5 on, × 1e+05 down to 0"]
    assert said([1.0, 1.0, 0.01, 0.01, 0.01, 1.0, 1.0]) == ["vanishes: × 0.01 a layer from 4 on, × 1e-06 down to 1"]
    assert said([1.0, 0.5, 0.9, 1.1, 0.5]) == []
    assert said([0.04] * 3) == []


def test_what_falls_and_grows_again_is_said_twice() -> None:
    assert [each.partition(":")[0] for each in said([100.0] * 3 + [0.01] * 4)] == [VANISHES, EXPLODES]


def test_layers_beside_each_other_are_no_row() -> None:
    text = (
        "fc = [torch.nn.Linear(1, 1) for _ in range(4)]\ny = sum(f(torch.ones(1)) * 10.0 ** -(3 * k) "
        "for k, f in enumerate(fc)).sum()\n"
    )
    assert findings(Flow(viewed(text))) == []


def test_where_a_gradient_stops_and_what_is_dead_is_said() -> None:
    (found,) = findings(Flow(viewed(DEEP.format(gains=[1.0, 0.0, 1.0, 1.0]))))
    assert (found.kind, found.told()) == (STOPS, "stops: something arrives at 1, and nothing at 0")
    (dead,) = findings(Flow(viewed("r = torch.relu(x)\ny = (r * 2).sum()\n", "x=" + str([-1.0] * 47 + [1.0] * 3))))
    assert dead.told() == "dead: 94 % of r is 0"
    assert findings(Flow(viewed("r = torch.relu(x)\ny = (r * 2).sum()\n", "x=[1, -1, 2, -2]"))) == []


def test_a_long_loop_vanishes_by_little_a_turn() -> None:
    (found,) = findings(Flow(viewed(program(TURNS))))
    assert (found.kind, found.start, found.end, found.per, found.steps) == (VANISHES, "for t@30", "for t@1", "turn", 29)
    assert found.factor == pytest.approx((FACTS["turns"][0] / FACTS["turns"][-1]) ** (1 / 29))


# -- drawings ------------------------------------------------------------------------------------


def test_bars_grow_by_the_logarithm() -> None:
    scale = Scale([1e-7, 1.0], False)
    assert scale.line([1e-7, 1e-6, 1e-4, 1.0], 10) == "▁▂▄█"
    assert Scale([1e-7, 1.0], True).line([1e-7, 1.0, 0.0, float("nan"), None], 10) == "_#0!"
    assert len(scale.line([1.0] * 100, 12)) == 12
    assert Scale([], False).line([], 12) == ""


def test_a_table_of_three_widths() -> None:
    view = viewed(DEEP.format(gains=[0.1] * 4))
    for width in (100, 80, 60, 59, 40, 24):
        for ascii in (False, True):
            text = drawn(view, width=width, ascii=ascii)
            assert max(map(cells, text.splitlines())) <= width
            assert not ascii or text.isascii()


@pytest.mark.parametrize("path", sorted(Path("expressions").glob("*.py")), ids=lambda path: path.stem)
@sampled(8)
def test_a_flow_of_the_gallery_fits(path: Path) -> None:
    view = of_program(Program(read(str(path))))
    for width in (80, 40):
        assert max(map(cells, drawn(view, width=width).splitlines())) <= width
        assert drawn(view, width=width, ascii=True).isascii()
    assert json.loads("".join(as_json.lines(view)))["flow"][0]["id"] == "program"


def test_a_flow_from_several_tensors_has_all_that_they_start() -> None:
    text = "fc = torch.nn.Linear(1, 2)\na, b = fc(x).sum(), fc(2 * x).sum()\ntorch.autograd.backward([a, b])\n"
    found = rows(viewed(text, "x=[1]"))
    assert found["program"].arrives == pytest.approx(math.sqrt(2))
    assert found["fc"].arrives == found["fc@2"].arrives == pytest.approx(math.sqrt(2))


def test_of_a_long_row_a_terminal_shows_the_ends() -> None:
    view = viewed(program(TURNS))
    text = drawn(view, terminal=True)
    assert "… 24 more" in text
    assert "for t@15 " not in text
    assert "for t@15 " in drawn(view)
    assert "    for t@1 " not in drawn(view, depth=1)


@long("it takes a second or more")
def test_calls_too_deep_to_be_indented_say_how_deep_they_are() -> None:
    text = drawn(viewed("def f(v, n):\n    return v if n == 0 else f(v * 2, n - 1) + 1\ny = f(x, 280).sum()\n", "x=1"))
    assert "…57 f()" in text
    assert max(map(cells, text.splitlines())) <= 100


def test_a_program_without_calls_is_told_so() -> None:
    assert "calls no module and no function" in drawn(viewed("a * b", "a=1", "b=2"))


def test_json_has_every_row_and_sentence() -> None:
    found = json.loads("".join(as_json.lines(viewed(program(TURNS)))))
    assert found["schema"] == "gradcli.flow/1"
    assert [row["id"] for row in found["flow"][:3]] == ["program", "for t@1..for t@30", "for t@1"]
    assert found["flow"][1]["calls"] == 30
    assert found["flow"][1]["steps"] == pytest.approx(FACTS["turns"])
    assert found["findings"][0]["text"].startswith("vanishes: ")
    assert json.loads("".join(as_json.nothing("spec.py")))["flow"] == []
