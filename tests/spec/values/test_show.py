"""Values as text: what PyTorch and Python print, recorded or from Python itself, and where it stops."""

from __future__ import annotations

import json
import warnings
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given, strategies as st

from gradcli import nn, ones, optim, tensor, zeros
from gradcli.engine import printing
from gradcli.errors import EngineTypeError, LimitError, Unsupported
from gradcli.spec.guard.size_limits import weigh
from gradcli.spec.values.show import representation, text
from gradcli.spec.values.visible_types import full_name

from ..record_values import HEAD, RECORD, printed as printed_by_python, program, without_addresses
from ..running import printed

VALUES = json.loads(RECORD.read_text(encoding="utf-8"))

each_value = pytest.mark.parametrize("expression", VALUES)


@each_value
def test_a_value_shows_as_recorded(expression: str) -> None:
    assert without_addresses(printed(program(expression))) == VALUES[expression]


@each_value
@pytest.mark.filterwarnings("ignore")
def test_pytorch_shows_it_as_recorded(expression: str) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: the recorded text stands for it")
    assert printed_by_python(program(expression)) == VALUES[expression]


def test_every_class_has_pytorchs_name() -> None:
    torch = pytest.importorskip("torch")
    places = ((nn, torch.nn), (optim, torch.optim), (optim.lr_scheduler, torch.optim.lr_scheduler))
    for ours, theirs in places:
        for name in dir(ours):
            cls, twin = getattr(ours, name), getattr(theirs, name, None)
            if isinstance(cls, type) and isinstance(twin, type) and cls.__module__.startswith("gradcli."):
                assert full_name(cls) == f"{twin.__module__}.{twin.__qualname__}"


# -- plain Python values -----------------------------------------------------------------------------

_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=4)
    | st.lists(inner, max_size=3).map(tuple)
    | st.dictionaries(_LEAVES, inner, max_size=3)
    | st.sets(_LEAVES, max_size=3)
    | st.frozensets(_LEAVES, max_size=3)
    | st.dictionaries(st.text(max_size=2), inner, max_size=3).map(OrderedDict)
    | st.lists(inner, max_size=2).map(lambda values: ValueError(*values))
    | st.lists(inner, max_size=2).map(lambda values: KeyError(*values)),
    max_leaves=12,
)


@given(_VALUES)
def test_a_plain_value_shows_as_in_python(value: Any) -> None:
    assert representation(value) == repr(value)
    assert text(value) == str(value)


def test_what_holds_itself_shows_as_in_python() -> None:
    row: list[Any] = [1]
    row.append(row)
    table: dict[str, Any] = {"row": row}
    table["table"] = [table]
    pair = (row, [row])
    assert [text(value) for value in (row, table, pair)] == [str(value) for value in (row, table, pair)]
    ordered: OrderedDict[str, Any] = OrderedDict()
    ordered["a"] = [ordered]
    assert text(ordered) == str(ordered)


def test_errors_of_the_engine_show_as_pythons() -> None:
    assert representation(EngineTypeError("no")) == "TypeError('no')"
    assert text(EngineTypeError("no")) == "no"
    assert representation(Unsupported("no")) == "NotImplementedError('no')"


def test_classes_of_a_program_show_under_main() -> None:
    shown = printed(
        "import torch.nn as nn\n"
        "class A:\n    pass\n"
        "class E(ValueError):\n    pass\n"
        "class Net(nn.Module):\n    def forward(self, x):\n        return x\n"
        "def f():\n    pass\n"
        "print(A, A(), [E('x')], E, Net, Net(), Net().forward, f, type(f), type(A), type(A()))\n"
    )
    assert without_addresses(shown) == (
        "<class '__main__.A'> <__main__.A object at 0x> [E('x')] <class '__main__.E'> <class '__main__.Net'> Net() "
        "<bound method Net.forward of Net()> <function f at 0x> <class 'function'> <class 'type'> "
        "<class '__main__.A'>\n"
    )


def test_str_and_repr_of_a_programs_own() -> None:
    shown = printed(
        "class A:\n    def __repr__(self):\n        return 'r'\n    def __str__(self):\n        return 's'\n"
        "a = A()\nprint(a, [a], {a: a}, f'{a} {a!r}', '%s %r' % (a, a), '{}'.format(a), str(a), repr(a))\n"
    )
    assert shown == "s [r] {r: r} s r s r s s r\n"


def test_a_custom_function_shows_as_in_pytorch() -> None:
    shown = printed(
        f"{HEAD}class Twice(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        print(ctx, type(ctx))\n        return 2 * x\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return 2 * g\n"
        "y = Twice.apply(torch.ones(1, requires_grad=True))\nprint(y, y.grad_fn, Twice)\n"
    )
    assert without_addresses(shown) == (
        "<torch.autograd.function.TwiceBackward object at 0x> <class 'torch.autograd.function.TwiceBackward'>\n"
        "tensor([2.], grad_fn=<TwiceBackward>) <torch.autograd.function.TwiceBackward object at 0x> "
        "<class '__main__.Twice'>\n"
    )


# -- limits --------------------------------------------------------------------------------------------


def _code(value: Any) -> str:
    with pytest.raises(LimitError) as caught:
        text(value)
    return caught.value.code


def _shared(times: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(times):
        value = [value, value]
    return value


def _nested(times: int) -> Any:
    value: Any = ()
    for _ in range(times):
        value = (value,)
    return value


def test_a_text_has_an_end() -> None:
    assert _code(["x" * 60_000] * 2) == "E405"
    assert _code(list(range(100_000))) == "E405"
    assert _code(_shared(60)) == "E405"
    assert _code(_nested(1_000)) == "E409"


def test_modules_that_hold_themselves_or_too_much_are_refused() -> None:
    cyclic = nn.Sequential()
    cyclic.add_module("x", cyclic)
    assert _code(cyclic) == "E409"
    module: Any = nn.Identity()
    for _ in range(60):
        module = nn.Sequential(module, module)
    assert _code([module]) == "E409"


def test_print_options_make_no_text_too_long() -> None:
    with printing.printoptions(precision=10**9):
        assert _code(ones(3)) == "E405"
    with printing.printoptions(threshold=10**9):
        assert _code(zeros(1_000_000)) == "E405"
    with printing.printoptions(edgeitems=10**6):
        assert _code([zeros(1_000_000)]) == "E405"
    assert text(zeros(1_000_000)) == "tensor([0., 0., 0.,  ..., 0., 0., 0.])"


def test_an_optimiser_shows_what_a_program_put_into_it() -> None:
    optimiser = optim.SGD([tensor(1.0, requires_grad=True)], lr=0.1)
    group = optimiser.param_groups[0]
    for name in list(group):
        if name not in ("params", "lr"):
            del group[name]
    group["own"] = [float, optimiser.param_groups]
    assert text(optimiser) == (
        "SGD (\nParameter Group 0\n    lr: 0.1\n    own: [<class 'float'>, [{'params': [tensor(1., "
        "requires_grad=True)], 'lr': 0.1, 'own': [...]}]]\n)"
    )


@pytest.mark.parametrize("value", [_shared(60), _nested(100_000), [[0] * 1000] * 1000, [[0] * 100_000] * 100_000])
def test_what_cannot_be_compared_is_refused(value: Any) -> None:
    with pytest.raises(LimitError) as caught:
        weigh(value)
    assert caught.value.code == "E409"


@pytest.mark.parametrize("value", [1, "a", [1] * 100_000, [[1, [2]], {"a": ({1}, ())}], _shared(10), _nested(100)])
def test_what_can_be_compared_is_not(value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weigh(value)
