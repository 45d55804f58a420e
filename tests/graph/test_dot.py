"""DOT: nodes and edges as the view has them, forms and words, and the same bytes everywhere."""

from __future__ import annotations

import runpy
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gradcli
from gradcli.cli.export_dot import export_dot
from gradcli.errors import InputError
from gradcli.graph.ask import clusters, select
from gradcli.graph.dot import captions, drawing, themes
from gradcli.graph.dot.document import make_dot, to_dot, to_pydot
from gradcli.graph.view.collect import of_program
from gradcli.graph.view.view import View
from gradcli.spec.input.source import read as read_spec
from gradcli.spec.program import Program
from tests.rings import examples, large, long

from ..conftest import needs_torch
from .graphviz import DOT, needs_dot, read, texts
from .test_quoting import TEXTS
from .views import chain, const, keeps, leaf, op, place, recurrent, view, views

ROOT = Path(__file__).parents[2]


def of(spec: str, **how: Any) -> View:
    return of_program(Program(read_spec(spec)), **how)


def product() -> View:
    a, b, one = leaf("a", 2.0, 4.0, line=1), leaf("b", 3.0, 9.0, line=2), const("1", 1.0)
    c = op("AddBackward0", ("self", a, 4.0), ("other", b, 4.0), value=5.0, grad=4.0, line=3, variable="c")
    d = op("AddBackward0", ("self", b, 5.0), ("other", one), value=4.0, grad=5.0, line=4, variable="d")
    one.id = "d.other"
    return view(
        op("MulBackward0", ("self", c, 4.0), ("other", d, 5.0), value=20.0, grad=1.0, line=5, variable="y"), "y = c * d"
    )


def statements(dot: str) -> list[str]:
    """The nodes and edges."""
    lines = dot.splitlines()
    return lines[next(n for n, line in enumerate(lines) if line.startswith("edge [")) + 1 : -1]


def plain(drawn: View, **options: Any) -> list[str]:
    return statements(to_dot(drawn, cluster="none", **options))


def node(name: str, statements: list[str]) -> str:
    """The attributes of a node."""
    (found,) = [line for line in statements if line.startswith(f'"{name}" [')]
    return found.removeprefix(f'"{name}" [').removesuffix("];")


# -- what is there -----------------------------------------------------------------------------


def test_the_product() -> None:
    assert plain(product()) == [
        '"a" [label="a · line 1\\lAccumulateGrad\\lvalue 2\\lgrad 4\\l", style="bold,filled", fillcolor="#56b4e9"];',
        '"b" [label="b · line 2\\lAccumulateGrad\\lvalue 3\\lgrad 9\\l", style="bold,filled", fillcolor="#56b4e9"];',
        '"c" [label="c · line 3\\lAddBackward0\\lvalue 5\\lgrad 4\\l"];',
        '"d.other" [label="1\\l", shape=plaintext, style="", margin="0.06,0.03"];',
        '"d" [label="d · line 4\\lAddBackward0\\lvalue 4\\lgrad 5\\l"];',
        '"y" [label="y · line 5\\lMulBackward0\\lvalue 20\\lgrad 1\\l", fillcolor="#f0e442", peripheries=2];',
        '"c" -> "a" [label="  self  4"];',
        '"c" -> "b" [label="  other  4"];',
        '"d" -> "b" [label="  self  5"];',
        '"d" -> "d.other" [label="  other", style=dashed];',
        '"y" -> "c" [label="  self  4"];',
        '"y" -> "d" [label="  other  5"];',
    ]


def test_a_leaf_of_many_uses_is_drawn_for_each() -> None:
    drawn = plain(recurrent(6))
    assert node("w↩6", drawn) == 'label="w ↩\\l", style="bold,filled", fillcolor="#56b4e9"'
    assert node("w", drawn).startswith('label="w ↩\\lAccumulateGrad\\lvalue 0.5\\lgrad 1\\l"')
    assert [line.split(" [")[0].partition(" -> ")[2] for line in drawn if ' -> "w' in line] == [
        '"w"', '"w↩2"', '"w↩3"', '"w↩4"', '"w↩5"', '"w↩6"'
    ]  # fmt: skip
    assert not [line for line in plain(recurrent(4)) if "↩" in line]
    assert not [line for line in plain(recurrent(6), share_leaves=True) if "↩" in line]


def test_a_used_name_is_not_used_again() -> None:
    w, other = leaf("w", 1.0), leaf("w↩2", 1.0)
    total = other
    for _ in range(6):
        total = op("AddBackward0", ("self", total), ("other", w))
    names = [line.split(" [")[0] for line in plain(view(total)) if "->" not in line]
    assert len(set(names)) == len(names) == 13
    assert '"w↩2"' in names


@settings(max_examples=examples(60), deadline=None)
@given(views(), st.data())
def test_any_view_can_be_drawn(drawn: View, data: st.DataObject) -> None:
    options = data.draw(
        st.fixed_dictionaries(
            {
                "show_saved": st.booleans(),
                "show_attrs": st.booleans(),
                "cluster": st.sampled_from([None, *clusters.NAMES]),
                "direction": st.sampled_from(["backward", "forward"]),
                "weight": st.sampled_from([None, "grad"]),
                "theme": st.sampled_from(themes.NAMES),
                "share_leaves": st.booleans(),
                "tooltips": st.booleans(),
                "link": st.sampled_from([None, "spec.py"]),
            }
        )
    )
    dot = to_dot(drawn, **options)
    if DOT is not None and data.draw(st.sampled_from([True, False, False, False])):
        assert len(read(dot).edges) >= sum(len(item.edges) for item in drawn.items)


@needs_dot
@settings(max_examples=examples(25), deadline=None)
@given(st.lists(TEXTS, min_size=12, max_size=12))
def test_arbitrary_text_in_every_place(words: list[str]) -> None:
    name, label, argument, kind, variable, title, root, saved, attribute, source, line, cut = words
    x, one = leaf(name, 1.0, 2.0), const(label)
    one.detached = cut, place(3)
    h = op(kind, (argument, x, 1.0), (argument, one), value=1.0, grad=2.0, variable=variable)
    h.span, h.repeats = place(1, line), (3, variable, name)
    y = keeps(
        op(kind, (argument, h, np.inf), (argument, None)), **{saved: (np.ones(3), 24), attribute + "_": (source, 0)}
    )
    y.id, one.id = cut, label
    drawn = view(y, title, root)
    drawn.aspect, drawn.unused = title, [leaf(name)]
    options = {"show_saved": True, "show_attrs": True, "cluster": "module", "tooltips": True, "link": source}
    found = read(to_dot(drawn, **options))
    assert len(found.nodes) == 6
    assert len(found.edges) == 5


# -- how it looks ------------------------------------------------------------------------------


def test_a_write_in_place_is_told_by_its_target() -> None:
    spec = "a = torch.zeros(3); b = a * x\nb[0] = x * 3\nb.mul_(2)\nb += x\nb[1:].add_(1)\nb.sum()"
    drawn = plain(of_program(Program(read_spec(spec), bindings=_bindings("x=2"))))
    written = [line.partition("\\l")[0].partition('label="')[2] for line in drawn if "component" in line]
    assert written == ["b[0] = … · line 2", "b.mul_(…) · line 3", "b += … · line 4", "b[1:].add_(…) · line 5"]


def test_a_write_in_place_in_any_letters() -> None:
    assert captions._write("名前名前[0, 1:] = x * 2") == "名前名前[0, 1:] = …"
    assert captions._write("名前名前 **= x * 2") == "名前名前 **= …"
    assert captions._write("torch.nn.functional.relu_(x)") == "torch.nn.functional.relu_(…)"
    assert captions._write("x.requires_grad") is captions._write("x = [0]") is captions._write("f(x.mul_(2))") is None


def _bindings(*words: str) -> Any:
    from gradcli.spec.input.named_inputs import bindings

    return bindings(list(words))


def test_ops_of_a_derivative_say_of_which() -> None:
    spec = Program(read_spec("sigmoid(x)**2"), bindings=_bindings("x=0.5"))
    dot = to_dot(of_program(spec, order=3))
    lines = dot.splitlines()
    assert {line for line in lines if line.startswith("subgraph")} == {
        f'subgraph "cluster {n} derivative" {{' for n in ("1st", "2nd", "3rd")
    }
    for order in (1, 2, 3):
        assert any(f'label="d{order} ' in line and '"#009e73"' in line for line in lines)


def test_saved_tensors_are_notes() -> None:
    x = leaf("x", np.ones((2, 3)), np.ones((2, 3)))
    y = keeps(op("ExpBackward0", ("self", x), value=np.ones((2, 3))), result=(np.full((2, 3), 2.0), 48), dim=(1, 0))
    y.saved[0].of = y
    drawn = plain(view(keeps(op("MulBackward0", ("self", y)), self=y)), show_saved=True, show_attrs=True)
    assert node("n1.saved.result", drawn) == (
        'label="result = own output\\l(2,3) 2.00..2.00\\lholds 48 B\\l", shape=note, style="dashed,filled", '
        'fillcolor="#e69f00", margin="0.18,0.07"'
    )
    assert '"n1" -> "n1.saved.result" [style=dashed, dir=none];' in drawn
    assert node("n1", drawn).startswith('label="ExpBackward0\\l(2,3) 1.00..1.00\\ldim = 1\\l"')
    assert not [line for line in plain(view(y)) if "note" in line]


def test_attributes_are_cut() -> None:
    y = keeps(op("ViewBackward0", ("self", leaf("x"))), size=("x" * 100, 0), eps=(1 / 3, 0))
    drawn = plain(view(y), show_attrs=True, max_attr_chars=10)
    assert "size = 'xxxxxxxx…\\leps = 0.3333\\l" in node("n1", drawn)


def test_edges_tell_what_goes_along_them() -> None:
    x, one = leaf("x", np.ones(3)), const("1")
    y = op(
        "UnbindBackward0",
        ("self", x, np.zeros(3)),
        ("a", x, [3.0, 4.0, 0.0]),
        ("b", x, np.nan),
        ("c", one),
        ("d", None),
    )
    y.edges[1].output_nr = 2
    edges = [line.partition(" [")[2] for line in plain(view(y)) if "->" in line]
    assert edges == [
        'label="  self  0", style=dotted];',
        'label="  a  #2  ‖5‖"];',
        'label="  b  !nan", color="#b3001b", fontcolor="#b3001b"];',
        'label="  c", style=dashed];',
        'label="  d", style=dashed];',
    ]
    backward, forward = plain(view(y)), plain(view(y), direction="forward")
    assert backward[4].startswith('"n2" -> "x"')
    assert forward[4].startswith('"x" -> "n2"')


def test_pens_are_as_thick_as_gradients_are_large() -> None:
    x = leaf("x")
    y = op("AddBackward0", *((str(n), x, 10.0**n) for n in (-4, 0, 4)), ("zero", x, 0.0), ("none", const("1")))
    widths = [line.partition("penwidth=")[2].rstrip("];") for line in plain(view(y), weight="grad") if "->" in line]
    assert widths == ["0.50", "2.25", "4.00", "", ""]


def test_modules_are_frames() -> None:
    drawn = of(str(ROOT / "expressions/small_net.py"))
    found = clusters.paths(drawn, "module")
    assert {path[-1] for path in found.values()} == {"fc1", "activation", "fc2", "MSELoss"}
    assert {item.name for item, path in found.items() if path[-1:] == ("fc1",)} == {
        "AccumulateGrad",
        "AddmmBackward0",
        "TBackward0",
    }
    # What is between two modules is in what is around both.
    inner = leaf("net.0.weight"), leaf("net.2.weight")
    first = op("MmBackward0", ("self", leaf("x")), ("mat2", inner[0]))
    relu = op("ReluBackward0", ("self", first))
    last = op("MmBackward0", ("self", relu), ("mat2", inner[1]))
    found = clusters.paths(view(op("SumBackward0", ("self", last))), "module")
    assert found[first] == found[inner[0]] == ("net", "net.0")
    assert found[relu] == ("net",)
    assert found[last] == ("net", "net.2")


def test_lines_are_frames_for_each_time_they_run() -> None:
    drawn = of(str(ROOT / "expressions/unrolled_rnn.py"))
    titles = {path[0] for path in clusters.paths(drawn, "line").values()}
    assert titles == {"line 17", "line 21", *(f"line 17, time {n}" for n in range(2, 7))}


def test_parts_of_a_view_say_what_is_missing() -> None:
    drawn = plain(select.depth(chain(9), 3))
    assert any("[+6 nodes]" in line for line in drawn)
    folded = chain(3)
    folded.root.repeats = 50, "h1", "h50"
    assert "× 50 (h1 … h50)\\l" in node("n3", plain(folded))


def test_a_long_label_is_cut() -> None:
    drawn = node("n1", plain(view(op("N" * 50_000, ("self", leaf("x"))))))
    assert len(drawn.partition('"')[2].partition('"')[0]) < 2010


def test_a_link_leads_to_the_line() -> None:
    dot = to_dot(product(), tooltips=True, link="a%20b.py")
    assert 'URL="a%20b.py#L3"' in node("c", statements(dot))
    assert 'tooltip="c = AddBackward0(self=a, other=b)\\nshape () · float64 · value 5\\ngrad 4\\nline 3: "' in dot
    assert 'tooltip="self of c: a\\ngradient 4 of 4"' in dot
    assert "tooltip" not in to_dot(product())


def test_the_legend_has_only_what_occurs() -> None:
    legend = next(line for line in to_dot(product()).splitlines() if line.startswith("label=<"))
    for words in ("y = c * d", "3 ops · 2 leaves · 1 constant · 5 edges", ">op<", ">output<", ">leaf<", ">constant<"):
        assert words in legend
    assert "saved" not in legend
    assert "label=<" not in to_dot(product(), legend=False)


# -- quickly -----------------------------------------------------------------------------------


@long("graphs of thousands of nodes")
def test_the_time_grows_as_the_graph_does() -> None:
    seconds = []
    for steps in (200, 1600):
        drawn = recurrent(steps)
        best = 9e9
        for _ in range(3):
            start = time.process_time()
            to_dot(drawn)
            best = min(best, time.process_time() - start)
        seconds.append(best)
    # Eight times as large: it would be 64 times as long if each node went through all.
    assert seconds[1] < 8 * 4 * seconds[0]


@long("graphs of thousands of nodes")
def test_ten_thousand_nodes_take_less_than_two_seconds() -> None:
    drawn = chain(10_000)
    start = time.process_time()
    to_dot(drawn)
    assert time.process_time() - start < 2


def test_a_long_graph_does_not_recurse() -> None:
    assert to_dot(chain(large(20_000))).count(" -> ") == large(20_000)


# -- from tensors ------------------------------------------------------------------------------


def _net(torch: Any) -> tuple[Any, dict[str, Any]]:
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    loss = nn.functional.mse_loss(model(torch.randn(4, 2)), torch.randn(4, 1))
    return loss, dict(model.named_parameters())


def _third(torch: Any) -> tuple[Any, dict[str, Any]]:
    x = torch.tensor(0.5, requires_grad=True)
    y = torch.sigmoid(x) ** 2
    for _ in range(3):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
    return y, {"x": x}


def _written(torch: Any) -> tuple[Any, dict[str, Any]]:
    a = torch.ones(3, requires_grad=True)
    b = a * 2
    b[0] = a[1] * 3
    return b.sum(), {"a": a}


@needs_torch
@pytest.mark.parametrize("made", [_net, _written])
@pytest.mark.parametrize("options", [{}, {"show_saved": True, "show_attrs": True}])
def test_pytorchs_tensors_give_the_same_picture(made: Any, options: dict[str, Any]) -> None:
    import torch

    (ours, names), (theirs, their_names) = made(gradcli), made(torch)
    assert make_dot(ours, names, **options).to_string() == make_dot(theirs, their_names, **options).to_string()


@needs_torch
def test_pytorchs_derivatives_give_the_same_picture() -> None:
    import torch

    # Within a rule PyTorch records in another order.
    ours, theirs = (sorted(_forms(make_dot(*_third(engine)))) for engine in (gradcli, torch))
    assert ours == theirs


def _forms(graph: Any) -> list[str]:
    return [line.partition(" [")[2] for line in graph.to_string().splitlines() if line.startswith('"')]


@needs_torch
def test_a_model_of_pytorchs_gives_the_picture_of_its_spec(tmp_path: Path) -> None:
    import torch

    path = ROOT / "expressions/small_net.py"
    program = tmp_path / "small_net.py"
    program.write_text(path.read_text().replace("backward()", "backward(retain_graph=True)"))
    names = runpy.run_path(str(program))
    theirs = make_dot(names["loss"], {"x": names["x"], **dict(names["model"].named_parameters())})
    assert isinstance(names["loss"], torch.Tensor)
    ours = to_pydot(of(str(path)))
    # PyTorch's nodes do not know lines and variables: what is below the name is the same.
    assert sorted(_below(theirs)) == sorted(_below(ours))


def _below(graph: Any) -> list[tuple[str, ...]]:
    found = []
    for inner in graph.get_subgraphs():
        found += _below(inner)
    for node in graph.get_nodes():
        if node.get("label"):
            lines = node.get("label").strip('"').split("\\l")
            # It is not known everywhere what values were.
            told = [line.split()[0] if line.startswith("(") else line.partition(" · ")[0] for line in lines]
            kept = [line for line in told if line.startswith(("grad ", "(")) or line.endswith("Backward0")]
            found.append((*kept, str(node.get("fillcolor")), str(node.get("shape"))))
    return found


def test_make_dot_as_torchviz_is_called() -> None:
    loss, names = _net(gradcli)
    assert "2.weight" in make_dot(loss, params=names).to_string()
    assert "alpha = 1" in make_dot(loss, None, True).to_string()
    assert "shape=note" in make_dot(loss, None, False, True).to_string()
    cut = make_dot(loss, show_attrs=True, max_attr_chars=1).to_string()
    assert "alpha = 1" in cut
    constant = gradcli.tensor(1.0)
    assert make_dot(loss, {"c": constant}).to_string() == make_dot(loss).to_string()


@needs_dot
def test_a_graph_is_rendered_as_the_tutorials_do(torch: Any, tmp_path: Path) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    dot = make_dot((x * x).sum(), params={"x": x})
    dot.attr(rankdir="LR")
    dot.attr("node", fontsize=9)
    assert dot.render("graph", tmp_path / "out", format="png") == str(tmp_path / "out" / "graph.png")
    assert (tmp_path / "out" / "graph.png").read_bytes().startswith(b"\x89PNG")
    text = (tmp_path / "out" / "graph").read_text()
    assert text == dot.source == dot.to_string()
    assert "rankdir=LR" in text
    assert "fontsize=9" in text
    dot.format = "svg"
    assert dot.render(tmp_path / "other", cleanup=True, view=True) == str(tmp_path / "other.svg")
    assert not (tmp_path / "other").exists()
    assert dot.pipe().startswith(b"<?xml")
    assert "</svg>" in dot._repr_svg_()
    with pytest.raises(InputError, match="a picture is one of svg, png, pdf, not 'jpeg'"):
        dot.render(tmp_path / "graph", format="jpeg")
    with pytest.raises(InputError, match="not of 'body'"):
        dot.attr("body", color="red")


def test_make_dot_of_several() -> None:
    x = gradcli.tensor(2.0, requires_grad=True)
    h = x * 3
    first, second = h.sin(), h + 1
    dot = make_dot((first, second, h), {"x": x, "h": h}).to_string()
    assert dot.count("peripheries=2") == 3
    assert dot.count('\n"h" [') == 1
    assert "<B>SinBackward0, AddBackward0, h</B>" in dot
    assert len([line for line in statements(dot) if " -> " not in line]) == 6


def test_make_dot_of_a_leaf() -> None:
    assert '"x" [' in make_dot(gradcli.tensor(1.0, requires_grad=True), {}).to_string().replace("leaf0", "x")


def test_a_graph_that_was_freed_says_why_it_has_no_gradients() -> None:
    x = gradcli.tensor(2.0, requires_grad=True)
    y = x.exp()
    y.backward()
    dot = make_dot(y).to_string()
    assert "the backward stopped: Trying to backward through the graph a second time" in dot
    assert "grad " not in dot.partition("node [")[2]


def test_make_dot_refuses() -> None:
    with pytest.raises(InputError, match="make_dot was given no tensor"):
        make_dot(())
    with pytest.raises(InputError, match="has no graph"):
        make_dot(gradcli.tensor(1.0))
    with pytest.raises(InputError, match="a graph starts at a tensor"):
        make_dot("x")


# -- what Graphviz makes of it -----------------------------------------------------------------


@needs_dot
@pytest.mark.parametrize(
    ("spec", "how", "options"),
    [
        ("two_inputs", {}, {}),
        ("small_net", {}, {"show_saved": True}),
        ("sigmoid(x)**2", {"order": 3}, {}),
        ("training_loop", {}, {"show_attrs": True}),
        ("inner_step", {}, {"direction": "forward"}),
    ],
)
def test_no_text_lies_over_other_text(spec: str, how: dict[str, Any], options: dict[str, Any]) -> None:
    path = ROOT / f"expressions/{spec}.py"
    program = Program(read_spec(str(path))) if path.exists() else Program(read_spec(spec), bindings=_bindings("x=0.5"))
    drawn = texts(to_dot(of_program(program, **how), **options))
    assert len(drawn) > 20
    for (one, (left, low, right, high)), (other, (start, bottom, end, top)) in combinations(drawn, 2):
        width, height = min(right, end) - max(left, start), min(high, top) - max(low, bottom)
        assert width <= 1 or height <= 1, f"{one} and {other}"


def test_options_are_what_they_can_be() -> None:
    with pytest.raises(InputError, match="theme is one of light, dark, mono, auto, not 'pink'"):
        to_dot(product(), theme="pink")
    with pytest.raises(InputError, match="direction is one of backward, forward, not 'up'"):
        to_pydot(product(), direction="up")


def test_the_command_line_has_the_same_choices() -> None:
    choices = {option.name: tuple(getattr(option.type, "choices", ())) for option in export_dot.params}
    assert {name: choices[name] for name in drawing._CHOICES} == drawing._CHOICES
    assert choices.keys() >= {"show_saved", "show_attrs", "max_attr_chars", "share_leaves"}


# -- heat --------------------------------------------------------------------------------------


def test_heat_shades_nodes_and_edges_by_the_logarithm_of_their_gradients() -> None:
    a = leaf("a", 1.0, 1e-6)
    b = op("TanhBackward0", ("self", a, 1e-6), value=1.0, grad=1e-3, variable="b")
    drawn = view(op("MulBackward0", ("self", b, 1e-3), ("other", const("2"), None), grad=1.0, variable="y"))
    for theme in (themes.LIGHT_NAME, themes.DARK_NAME, themes.MONO_NAME):
        shades, made = themes.HEATS[theme], plain(drawn, heat="grad", theme=theme)
        for name, n in (("a", 0), ("b", 3), ("y", 6)):
            assert f'fillcolor="{shades.fills[n]}"' in node(name, made)
        (low,) = [line for line in made if line.startswith('"b" -> "a"')]
        (middle,) = [line for line in made if line.startswith('"y" -> "b"')]
        assert f'color="{shades.lines[0]}"' in low
        assert f'color="{shades.lines[3]}"' in middle
    assert not any(shade in line for shade in themes.HEATS["light"].fills for line in plain(drawn))


def test_heat_has_a_scale_and_leaves_what_has_no_gradient_blank() -> None:
    dead = op("ReluBackward0", ("self", leaf("a", 1.0, 0.0), 0.0), value=1.0, grad=0.0, variable="r")
    b = leaf("b", 1.0, float("nan"))
    drawn = view(op("MulBackward0", ("self", dead, 0.0), ("other", b, float("nan")), grad=1.0))
    text = to_dot(drawn, heat="grad")
    assert "size of the gradient, by its logarithm" in text
    assert ">0</FONT>" in text
    assert "style=dotted" in text
    made = plain(drawn, heat="grad")
    assert not any(shade in node("r", made) for shade in themes.HEATS["light"].fills)
    assert not any(shade in node("b", made) for shade in themes.HEATS["light"].fills)
    assert f'color="{themes.LIGHT.wrong}"' in "".join(made)
    with pytest.raises(InputError, match="heat is one of grad"):
        to_dot(drawn, heat="value")


def test_heat_is_drawn_in_both_schemes() -> None:
    from gradcli.graph.dot.svg import accessible

    assert themes.HEATS["dark"].fills[0] in accessible("<svg>", "t", "d", True, True)
    assert themes.HEATS["dark"].fills[0] not in accessible("<svg>", "t", "d", True)
