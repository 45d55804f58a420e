"""Did you mean: slips are found, other words are not forced upon anyone."""

from __future__ import annotations

import pytest

from gradcli.spec.torch_names.suggest import did_you_mean, suggest

NAMES = [
    "abs",
    "add",
    "arange",
    "argmax",
    "cat",
    "cos",
    "concatenate",
    "detach",
    "einsum",
    "exp",
    "eye",
    "full",
    "grad",
    "is_leaf",
    "item",
    "len",
    "log",
    "logsumexp",
    "logit",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "mm",
    "normal",
    "ones",
    "ones_like",
    "pow",
    "print",
    "rand",
    "randn",
    "requires_grad_",
    "relu",
    "requires_grad",
    "reshape",
    "sigmoid",
    "sign",
    "sin",
    "size",
    "sinh",
    "softmax",
    "softmin",
    "sqrt",
    "stack",
    "sum",
    "t",
    "tan",
    "tanh",
    "tensor",
    "Tensor",
    "transpose",
    "True",
    "x",
    "zeros",
    "zeros_like",
    "_private",
]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("softmx", "softmax"),
        ("matml", "matmul"),
        ("sigmod", "sigmoid"),
        ("Sigmoid", "sigmoid"),
        ("zeroslike", "zeros_like"),
        ("requiresGrad", "requires_grad"),
        ("requires_gard", "requires_grad"),
        ("reshap", "reshape"),
        ("tnh", "tanh"),
        ("sni", "sin"),
        ("logg", "log"),
        ("pritn", "print"),
        ("TENSOR", "tensor"),
        ("true", "True"),
        ("X", "x"),
        ("_privat", "_private"),
        ("privacy", None),
        ("y", None),
        ("foo", None),
        ("banana", None),
        ("optimizer", None),
        ("", None),
        ("softma" + "x" * 100_000, None),
    ],
)
def test_the_name_that_was_meant(name: str, meant: str | None) -> None:
    assert suggest(name, NAMES) == meant


def test_a_name_is_never_suggested_for_itself() -> None:
    assert suggest("abc", ["abc"]) is None


def test_the_sentence() -> None:
    assert did_you_mean("softmx", NAMES) == "did you mean softmax?"
    assert did_you_mean("softmx", NAMES, "torch.") == "did you mean torch.softmax?"
    assert did_you_mean("banana", NAMES) is None
    assert did_you_mean("banana", []) is None
