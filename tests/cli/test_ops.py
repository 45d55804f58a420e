"""``gradcli ops``: what there is, from the declarations themselves."""

from __future__ import annotations

import json

import pytest

from gradcli.cli import catalogue, ops
from gradcli.engine import offers
from gradcli.engine.registry import OPS

from .invoke import gradcli

offers.load_all()
EVERYTHING = catalogue.entries()
ENTRIES = {entry.name: entry for entry in EVERYTHING}


def page(name: str, width: int | None = None) -> str:
    return "\n".join(ops._page(ENTRIES[name], EVERYTHING, width))


def test_one_operation_with_its_rules() -> None:
    done = gradcli("ops", "mul")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "mul(self, other)\n"
        "  Product.\n"
        "\n"
        "names: torch.mul, Tensor.mul, Tensor.mul_\n"
        "see also: torch.multiply\n"
        "\n"
        "node: MulBackward0\n"
        "saves: other, self\n"
        "gradient of self: g * other\n"
        "gradient of other: g * self\n"
    )


def test_kink_and_domain() -> None:
    assert "kink at 0 of: self" in page("relu").split("\n")
    assert "domain: self > 0" in page("log").split("\n")


def test_a_function_that_calls_operations_shows_them() -> None:
    text = page("softmax")
    assert "It calls softmax_along: Exponentials along an axis, over their sum.\nnode: SoftmaxBackward0" in text
    assert "gradient of self: softmax_backward_data(g, result, dim)" in text


def test_one_rule_for_several_arguments() -> None:
    text = page("conv2d")
    assert "gradient of input: one of those below\n" in text
    assert "\ngradients: convolution_backward(g, input, weight, " in text


def test_a_module_and_its_function_lead_to_each_other() -> None:
    text = page("ReLU")
    assert text.startswith("ReLU(inplace=False)\n  max(x, 0).\n\nnames: nn.ReLU\nsee also: torch.relu, ")
    assert "\nsee also: nn.ReLU, " in page("relu")


def test_a_narrow_terminal_gets_narrow_lines() -> None:
    for name in ("mul", "softmax", "ReLU", "LSTM"):
        assert max(map(len, page(name, 40).split("\n"))) <= 40
    found = catalogue.matching("soft*", EVERYTHING)
    assert max(map(len, ops._listing(found, "soft*", 40))) <= 40
    # A name that is longer stands alone.
    assert max(len(line) for line in ops._overview(EVERYTHING, 40) if len(line.split()) > 1) <= 40


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
    assert lines[1] == "softmax           torch F Tensor torch.special  Exponentials along an axis, over their sum."
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
    assert len(json.loads(gradcli("ops", "--format=json").stdout)["names"]) == len(EVERYTHING)
