"""``gradcli ops``: what there is, from the declarations themselves."""

from __future__ import annotations

import json

import pytest

from gradcli.cli import ops
from gradcli.cli.operations import catalogue
from gradcli.engine import offers
from gradcli.engine.dispatch.overriding import engage
from gradcli.engine.registry import OPS
from gradcli.text.parts import plain, written
from tests.rings import long, sampled

from .invoke import gradcli

offers.load_all()
EVERYTHING = catalogue.entries()
ENTRIES = {entry.name: entry for entry in EVERYTHING}


def page(name: str, width: int | None = None) -> str:
    return "\n".join(map(plain, ops._page(ENTRIES[name], EVERYTHING, width)))


def test_one_operation_with_its_rules() -> None:
    done = gradcli("ops", "mul")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "mul(self, other)\n"
        "  Product.\n"
        "\n"
        "names     torch.mul, Tensor.mul, Tensor.mul_\n"
        "see also  torch.multiply\n"
        "\n"
        "node               MulBackward0\n"
        "saves              other, self\n"
        "gradient of self   g * other\n"
        "gradient of other  g * self\n"
    )


def test_kink_and_domain() -> None:
    assert "kink at 0 of      self" in page("relu").split("\n")
    assert "domain            self > 0" in page("log").split("\n")


def test_a_function_that_calls_operations_shows_them() -> None:
    text = page("softmax")
    assert "It calls softmax_along: Exponentials along an axis, over their sum.\nnode     " in text
    assert "gradient of self  softmax_backward_data(g, result, dim)" in text


def test_one_rule_for_several_arguments() -> None:
    text = page("conv2d")
    assert "gradient of input   one of those below\n" in text
    assert "\ngradients           convolution_backward(g, input, weight, " in text


def test_a_function_that_stands_behind_a_door_calls_what_it_called() -> None:
    engage()
    found = {entry.name: [op.name for op in catalogue.behind(entry)] for entry in catalogue.entries()}
    assert found["conv2d"] == ["convolution", "unsqueeze"]
    assert {name for name, ops in found.items() if not ops} == {e.name for e in EVERYTHING if not catalogue.behind(e)}


def test_a_module_and_its_function_lead_to_each_other() -> None:
    text = page("ReLU")
    assert text.startswith("ReLU(inplace=False)\n  max(x, 0).\n\nnames     nn.ReLU\nsee also  torch.relu, ")
    assert "\nsee also  nn.ReLU, " in page("relu")


def test_a_narrow_terminal_gets_narrow_lines() -> None:
    for name in ("mul", "softmax", "ReLU", "LSTM", "sigmoid"):
        assert max(map(len, page(name, 40).split("\n"))) <= 40
    # A name that is longer stands alone.
    overview = map(plain, ops._overview(EVERYTHING, 40))
    assert max(len(line) for line in overview if len(line.split()) > 1) <= 40


def test_a_function_of_one_number_is_drawn_with_its_derivative() -> None:
    curves = page("sigmoid", 100).split("\n")[-11:]
    assert curves[0].split() == ["sigmoid(x)", "sigmoid'(x)"]
    assert curves[1].startswith(" 0.982 ┤")
    assert "   0.25 ┤" in curves[1]
    assert curves[-1].split() == ["-4", "4", "-4", "4"]
    assert any("\u2800" < character <= "\u28ff" for character in curves[4])
    below = page("sigmoid", 40).split("\n")
    assert [line.strip() for line in below if "(x)" in line] == ["sigmoid(x)", "sigmoid'(x)"]
    assert written(ops._page(ENTRIES["sigmoid"], EVERYTHING, 80, True)).isascii()


@pytest.mark.parametrize("name", ["mul", "softmax", "cumsum", "flip", "dropout", "argmax", "ReLU", "manual_seed"])
def test_what_is_no_function_of_one_number_is_not_drawn(name: str) -> None:
    assert "(x)" not in page(name)


def test_curves_show_where_a_function_is_defined_and_cut_its_poles() -> None:
    assert page("log").split("\n")[-1].split() == ["0.005", "4", "0.005", "4"]
    assert page("acosh").split("\n")[-1].split() == ["1", "4", "1", "4"]
    high = [line.split()[0] for line in page("tan").split("\n") if "┤" in line]
    assert all(abs(float(value)) < 100 for value in high)


@sampled(3)
@pytest.mark.parametrize("name", ["tanh", "mul", "acosh", "conv2d", "softmax", "cholesky", "cat", "clamp", "div"])
def test_an_operation_is_checked_in_a_program_that_is_found_for_it(name: str) -> None:
    done = gradcli("ops", name, "--check")
    assert (done.returncode, done.stderr) == (0, "")
    first, *_, count = done.stdout.splitlines()
    assert first.startswith("$ gradcli check 'torch.")
    assert count.startswith("0 wrong, ")


@sampled(3)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("argmax",), "no arguments were found with which argmax has a gradient"),
        (("nn.Linear",), "no arguments were found with which Linear has a gradient"),
        (("soft*",), "--check is for one operation"),
        ((), "--check is for one operation"),
        (("tanh", "--format", "json"), "--check says nothing to --format json"),
    ],
)
def test_what_cannot_be_checked(words: tuple[str, ...], message: str) -> None:
    done = gradcli("ops", *words, "--check")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"error[E504]: {message}\n" in done.stderr


def test_labels_and_curves_have_styles() -> None:
    styles = {part.style for line in ops._page(ENTRIES["sigmoid"], EVERYTHING, 80) for part in line}
    assert {"heading", "label", "faint", "number", "gradient"} <= styles


@long("it takes a second or more")
def test_every_name_has_its_page() -> None:
    for entry in EVERYTHING:
        assert entry.doc, entry.full_names
        assert entry.signature.startswith(entry.name)
    for entry in EVERYTHING[::9]:
        assert page(entry.name).startswith(f"{entry.signature}\n  ")


def test_every_rule_can_be_read() -> None:
    for op in OPS.values():
        assert ops._text(op.joint) != "its source is not here"
        assert "its source is not here" not in ops._rules(op).values()


def test_everything_that_is_offered_is_listed() -> None:
    listed = {full for entry in EVERYTHING for full in entry.full_names}
    places = {"torch": "torch", "F": "torch.nn.functional", "linalg": "torch.linalg", "Tensor": "torch.Tensor"}
    for place, full in places.items():
        functions = {n for n in offers.names(place) if not n.startswith("_") and callable(offers.find(place, n))}
        assert {f"{full}.{name}" for name in functions} <= listed


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("softmax", "softmax"),
        ("Softmax", "Softmax"),
        ("SOFTMIN", "Softmin"),
        ("F.softmax", "softmax"),
        ("nn.Linear", "Linear"),
        ("torch.nn.Linear", "Linear"),
        ("torch.nn.functional.relu", "relu"),
        ("linalg.det", "det"),
        ("torch.linalg.det", "det"),
        ("Tensor.exp_", "exp"),
        ("exp_", "exp"),
        ("optim.Adam", "Adam"),
        ("optim.lr_scheduler.StepLR", "StepLR"),
        ("nn.init.zeros_", "zeros"),
        ("no.such", None),
        ("", None),
    ],
)
def test_names_are_found_with_and_without_their_place(name: str, found: str | None) -> None:
    entry = catalogue.named(name, EVERYTHING)
    assert (entry.name if entry else None) == found


def test_a_pattern_lists_and_counts() -> None:
    done = gradcli("ops", "F.soft*")
    assert done.returncode == 0
    *lines, empty, count = done.stdout.splitlines()
    assert (empty, count) == ("", f"{len(lines)} names match 'F.soft*'")
    assert lines[1].startswith("softmax           torch F Tensor torch.special torch.sparse  Exponentials along")
    assert gradcli("ops", "einsu?").stdout.endswith("\n\n1 name matches 'einsu?'\n")


def test_all_names() -> None:
    done = gradcli("ops")
    assert done.returncode == 0
    functions = [full for entry in EVERYTHING for full in entry.full_names if full.count(".") == 1]
    assert done.stdout.startswith(f"torch ({len(functions)})\n  abs abs_ ")
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("pattern", "message", "help"),
    [
        ("softmx", "gradcli has no operation 'softmx'", "did you mean softmax?"),
        ("F.rellu", "gradcli has no operation 'F.rellu'", "did you mean relu?"),
        ("qqqq", "gradcli has no operation 'qqqq'", "`gradcli ops` lists all names"),
        ("qq*", "no name matches 'qq*'", "`gradcli ops` lists all names"),
        ("[", "no name matches '['", "`gradcli ops` lists all names"),
        ("", "gradcli has no operation ''", "`gradcli ops` lists all names"),
    ],
)
def test_what_there_is_not(pattern: str, message: str, help: str) -> None:
    done = gradcli("ops", pattern)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"error[E504]: {message}\n" in done.stderr
    assert done.stderr.endswith(f"  = help: {help}\n")


def test_machines_get_the_same() -> None:
    report = json.loads(gradcli("ops", "log", "--format", "json").stdout)
    assert report == {
        "schema": "gradcli.ops/1",
        "names": [
            {
                "name": "log",
                "full_names": ["torch.log", "torch.log_", "torch.Tensor.log", "torch.Tensor.log_"],
                "signature": "log(self)",
                "doc": "Natural logarithm.",
                "operations": [
                    {
                        "name": "log",
                        "kind": "elementwise",
                        "doc": "Natural logarithm.",
                        "node": "LogBackward0",
                        "saves": ["self"],
                        "rules": {"self": "g / self"},
                        "joint_rule": None,
                        "kink": None,
                        "domain": "self > 0",
                    }
                ],
            }
        ],
    }
    # What only classes of Python's programs have is there once one of them was met.
    names = {entry["name"] for entry in json.loads(gradcli("ops", "--format=json").stdout)["names"]} - {"as_subclass"}
    assert names == {entry.name for entry in EVERYTHING} - {"as_subclass"}
