"""Attributes: what tables offer, what nobody reaches, and what a program may set."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from gradcli import Tensor, nn, ones, optim, tensor
from gradcli.engine.function import FunctionNode
from gradcli.engine.random.generator import Generator
from gradcli.errors import EngineError, LimitError
from gradcli.spec.stdlib.iteration import Zip
from gradcli.spec.values.attributes import assign, delete, get, methods_of, names
from gradcli.spec.values.bound_methods import Bound, Unbound
from gradcli.spec.values.tables.table import TABLES

from ..running import printed


def _node() -> Any:
    return (ones(1, requires_grad=True) * 2).exp().grad_fn


def _optimiser() -> Any:
    return optim.SGD([ones(1, requires_grad=True)], lr=0.1)


VALUES: list[Any] = [
    1, 1.5, True, None, "a", [1], (1,), {1: 2}, {1}, frozenset([1]), range(3), slice(1), ..., OrderedDict(a=1),
    defaultdict(dict), {}.keys(), iter([1]), Zip([1]), int, type, Tensor, nn.Linear, len, printed, [].append,
    ValueError("x"), EngineError("x"), ones(2), ones(2, 1).T, nn.Parameter(ones(1)), ones(1).shape, ones(1).dtype,
    ones(1).device, Generator(), _node(), _node().next_functions[0][0].next_functions[0][0], nn.Linear(1, 1),
    nn.Sequential(nn.ReLU()), nn.ParameterDict({"a": ones(1)}), nn.LSTM(1, 1), _optimiser(),
    optim.lr_scheduler.StepLR(_optimiser(), 1), ones(2, 2).max(0), ones(1).numpy(), ones(1).numpy()[0],
    get([], "append"), get(str, "upper"),
]  # fmt: skip

each_value = pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)

FORBIDDEN = (
    "__dict__ __bases__ __mro__ __subclasses__ __globals__ __code__ __closure__ __self__ __func__ __init__ __new__ "
    "__getattribute__ __reduce__ __reduce_ex__ __class_getitem__ __builtins__ __wrapped__ "
    "gi_frame f_back mro dump ctypes __array_interface__ "
    "_a _node _vc _memory _set_array _remake op saved edges extras run _transient _before machine body "
    "_state_dict_hooks"
).split()


@each_value
def test_nothing_leads_to_the_host(value: Any) -> None:
    for name in FORBIDDEN:
        with pytest.raises(AttributeError):
            get(value, name)
    assert not {*FORBIDDEN} & {*names(value)}


@each_value
def test_nothing_of_the_host_is_written_over(value: Any) -> None:
    for name in ("__dict__", "__init__", "__getattribute__", "__repr__", "__class__", "__new__"):
        with pytest.raises(AttributeError):
            assign(value, name, 1)
        with pytest.raises(AttributeError):
            delete(value, name)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        *((ones(1), name) for name in "_a _node _vc _grad _memory _set_array _base shape sum".split()),
        *((ones(1, 1).T, name) for name in ("_own", "_made", "_siblings", "_without_grad")),
        *((nn.ReLU(), name) for name in ("_modules", "_buffers", "_forward_hooks", "_name", "_own")),
        (nn.ReLU(), "_non_persistent_buffers_set"),
        *((_optimiser(), name) for name in ("_optimizer_step_pre_hooks", "_step", "_open")),
        (_node(), "next_functions"),
        (_node(), "edges"),
    ],
)
def test_nothing_of_ours_is_written_over(value: Any, name: str) -> None:
    with pytest.raises(AttributeError):
        assign(value, name, 1)
    with pytest.raises(AttributeError):
        delete(value, name)


@each_value
def test_what_is_named_can_be_read(value: Any) -> None:
    for name in names(value):
        if name in ("saved_tensors", "grad_fn", "mT", "mH", "H", "T", "imag", "real", "_metadata"):
            continue
        get(value, name)


@each_value
def test_a_class_is_the_one_dunder_of_all(value: Any) -> None:
    assert isinstance(get(value, "__class__"), type)
    with pytest.raises(AttributeError):
        assign(value, "__class__", int)


def test_a_view_is_a_tensor() -> None:
    assert get(ones(2, 1).T, "__class__") is Tensor
    assert get(get(EngineError("x"), "__class__"), "__name__") == "RuntimeError"


# -- methods -----------------------------------------------------------------------------------------


def test_methods_are_loaded_when_they_are_asked_for() -> None:
    methods = methods_of(Tensor)
    assert methods["logcumsumexp"](tensor([0.0]), 0).tolist() == [0.0]
    assert methods["add_"] is methods.get("add_") is get(ones(1), "add_").function
    assert methods["no_such_method"] is None
    assert methods.get("no_such_method", 3) == 3
    assert methods["__add__"] is None


def test_methods_of_a_layer_are_its_own() -> None:
    assert methods_of(nn.Linear)["forward"] is nn.Linear.forward
    assert methods_of(nn.Module)["train"] is nn.Module.train
    assert methods_of(nn.Sequential)["append"] is nn.Sequential.append
    assert methods_of(nn.Linear)["append"] is None


def test_a_method_is_a_value() -> None:
    row: list[int] = []
    append = get(row, "append")
    append(1)
    assert row == [1]
    assert append == get(row, "append") != get([1], "append")
    assert isinstance(append, Bound)
    upper = get(str, "upper")
    assert isinstance(upper, Unbound)
    assert upper("a") == "A"
    with pytest.raises(TypeError, match=r"^descriptor 'upper' for 'str' objects doesn't apply to a 'int' object$"):
        upper(1)
    with pytest.raises(TypeError, match=r"^unbound method str.upper\(\) needs an argument$"):
        upper()
    assert get(dict, "fromkeys")("ab", 0) == {"a": 0, "b": 0}


def test_an_argument_too_few_is_told_under_the_methods_name() -> None:
    with pytest.raises(TypeError, match=r"^list.append\(\) missing 1 required positional argument: 'value'$"):
        get([], "append")()


def test_iterators_of_modules_are_records() -> None:
    parameters = get(nn.Linear(1, 1), "parameters")()
    assert type(parameters).__name__ == "generator"
    assert not hasattr(parameters, "gi_frame")
    assert len(list(parameters)) == 2


@pytest.mark.parametrize(
    ("owner", "name", "args"),
    [
        ([0] * 100_000, "append", (1,)),
        ([0] * 100_000, "insert", (0, 1)),
        ([0] * 60_000, "extend", ([0] * 60_000,)),
        ([], "extend", (range(10**9),)),
        (dict.fromkeys(range(60_000)), "update", ({-i - 1: 0 for i in range(60_000)},)),
        (dict.fromkeys(range(100_000)), "setdefault", (-1,)),
        (set(range(100_000)), "add", (-1,)),
        (set(range(60_000)), "update", (range(60_000, 120_001),)),
        (set(range(60_000)), "union", (range(60_000, 120_001),)),
        ("x", "center", (10**9,)),
        ("x", "ljust", (10**9,)),
        ("x", "rjust", (10**9, "y")),
        ("x", "zfill", (10**9,)),
        ("\t", "expandtabs", (10**9,)),
        ("x" * 10, "replace", ("", "y" * 50_000)),
        ("," * 10, "join", (["x"] * 50_000,)),
        ("{:9999999}", "format", (1,)),
        (ones(1).expand(1_000_000), "tolist", ()),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_no_method_makes_too_much(owner: Any, name: str, args: Any) -> None:
    with pytest.raises(LimitError) as caught:
        get(owner, name)(*args)
    assert caught.value.code == "E405"


def test_keys_that_cannot_be_hashed_in_time_are_refused() -> None:
    key: Any = ()
    for _ in range(60):
        key = (key, key)
    for owner, name in (
        ({}, "get"), ({}, "pop"), ({}, "setdefault"), (set(), "add"), (set(), "discard"), ([], "index"), ([], "count"),
        ((), "index"), (OrderedDict(), "move_to_end"),
    ):  # fmt: skip
        with pytest.raises(LimitError) as caught:
            get(owner, name)(key)
        assert caught.value.code == "E409"
    for call in (lambda: get(set(), "update")([key]), lambda: get({}, "update")([(key, 1)])):
        with pytest.raises(LimitError):
            call()


# -- setting -----------------------------------------------------------------------------------------


def _words(function: Callable[..., Any], *args: Any) -> str:
    with pytest.raises((AttributeError, TypeError)) as caught:
        function(*args)
    return f"{type(caught.value).__name__}: {caught.value}"


def test_attributes_of_a_tensor() -> None:
    t = ones(2, requires_grad=True)
    assign(t, "grad", ones(2))
    assert get(t, "grad").tolist() == [1.0, 1.0]
    delete(t, "grad")
    assert get(t, "grad") is None
    assign(t, "data", tensor([5.0, 6.0]))
    assert t.tolist() == [5.0, 6.0]
    assign(t, "requires_grad", False)
    assert get(t, "requires_grad") is False
    assign(t, "mine", 3)
    assert get(t, "mine") == 3
    assert "mine" in names(t)
    delete(t, "mine")
    assert _words(get, t, "mine") == "AttributeError: 'Tensor' object has no attribute 'mine'"
    assert _words(assign, t, "sum", 3) == "AttributeError: 'Tensor' object attribute 'sum' is read-only"
    assert set(TABLES[Tensor].setters) == {"data", "grad", "grad_dtype", "imag", "real", "requires_grad"}
    assert {"shape", "dtype", "grad_fn"} < set(TABLES[Tensor].fields)


def test_attributes_of_a_module() -> None:
    layer = nn.Linear(2, 1)
    assign(layer, "tag", [1])
    assign(layer, "_own", 2)
    assign(layer, "extra", nn.Parameter(ones(1)))
    assign(layer, "inner", nn.ReLU())
    assert [get(layer, name) for name in ("tag", "_own", "in_features")] == [[1], 2, 2]
    assert get(layer, "extra") is layer._parameters["extra"]
    assert list(get(layer, "_modules")) == ["inner"]
    assert {"tag", "extra", "inner", "weight", "forward"} < set(names(layer))
    delete(layer, "extra")
    delete(layer, "tag")
    assert "extra" not in layer._parameters
    assert _words(get, layer, "tag") == "AttributeError: 'Linear' object has no attribute 'tag'"
    assert _words(delete, layer, "tag") == "AttributeError: 'Linear' object has no attribute 'tag'"
    assert _words(assign, layer, "weight", 3) == (
        "EngineTypeError: cannot assign 'int' as parameter 'weight' (torch.nn.Parameter or None expected)"
    )
    assert _words(assign, layer, "_parameters", 3) == (
        "AttributeError: attribute '_parameters' of 'Linear' objects is not writable"
    )
    assert _words(assign, layer, "_backward_hooks", 3) == (
        "AttributeError: attribute '_backward_hooks' of 'Linear' objects is not writable"
    )
    assign(layer, "forward", lambda x: "mine")
    assert layer(1) == get(layer, "forward")(1) == "mine"


def test_a_member_that_was_found_is_looked_for_again() -> None:
    text = """
    import torch.nn as nn
    class Above(nn.Module):
        pass
    class Net(Above):
        def __init__(self):
            super().__init__()
            self.part = nn.Identity()
            self._own = nn.Identity()
        def forward(self):
            return type(self.part).__name__, type(self._own).__name__
    net, other = Net(), Net()
    print(net(), other())
    net.part = nn.Flatten()
    print(net(), other())
    Above.part = 3
    print(net())
    del Above.part
    net._own = None
    print(net(), other())
    del other.part
    try:
        other()
    except AttributeError as error:
        print(error)
    """
    assert printed(dedent(text)).splitlines() == [
        "('Identity', 'Identity') ('Identity', 'Identity')",
        "('Flatten', 'Identity') ('Identity', 'Identity')",
        "('int', 'Identity')",
        "('Flatten', 'NoneType') ('Identity', 'Identity')",
        "'Net' object has no attribute 'part'",
    ]


def test_a_ctx_keeps_a_programs_attributes_apart_from_its_own() -> None:
    shown = printed(
        "import torch\n"
        "class F(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x, k):\n"
        "        ctx.save_for_backward(x)\n"
        "        ctx.k, ctx.shape, ctx.saved, ctx.edges, ctx.held, ctx.function = k, 'shape', 'saved', 'edges', 1, 2\n"
        "        print(hasattr(ctx, 'nothing'), ctx.needs_input_grad)\n"
        "        return x * k\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        print(ctx.k, ctx.shape, ctx.saved, ctx.edges, ctx.held, ctx.function, ctx.saved_tensors)\n"
        "        del ctx.k\n"
        "        print(hasattr(ctx, 'k'))\n"
        "        return g, None\n"
        "x = torch.ones(1, requires_grad=True)\n"
        "F.apply(x, 2).backward()\n"
    )
    assert shown == (
        "False (True, False)\n2 shape saved edges 1 2 (tensor([1.], requires_grad=True),)\nFalse\n"
    )


def test_saved_values_of_a_node() -> None:
    node = _node()
    assert {"_saved_result", "_raw_saved_result", "name", "next_functions", "metadata"} <= set(names(node))
    assert get(node, "_saved_result").shape == (1,)
    assert get(node, "name")() == "ExpBackward0"
    assert get(node, "_sequence_nr")() >= 0
    assert _words(get, node, "_saved_other") == "AttributeError: 'ExpBackward0' object has no attribute '_saved_other'"
    get(node, "metadata")["mine"] = 1
    assert get(node, "metadata") == {"mine": 1}


def test_fields_of_named_results() -> None:
    result = ones(2, 2).max(0)
    assert get(result, "values") is result[0]
    assert {"values", "indices", "count", "index"} == set(names(result))


def test_tables_hold_no_class_of_a_program() -> None:
    before = set(TABLES)
    printed(
        "import torch\nimport torch.nn as nn\n"
        "class Net(nn.Module):\n    def forward(self, x):\n        return x\n"
        "class A:\n    pass\n"
        "class F(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        ctx.a = 1\n        return x * 1\n"
        "net, a = Net(), A()\na.x = 1\nnet.x = 2\nprint(net.x, a.x, net.parameters(), F.apply(torch.ones(1)))\n"
    )
    grown = {cls for cls in set(TABLES) - before if not cls.__module__.startswith("gradcli.")}
    assert not grown
    assert not [cls for cls in TABLES if issubclass(cls, FunctionNode) and cls is not FunctionNode]


def test_numpy_offers_what_is_harmless() -> None:
    a = ones(2, 3).numpy()
    assert [get(a, name) for name in ("shape", "ndim", "size")] == [(2, 3), 2, 6]
    assert get(a, "sum")() == 6
    assert get(a, "mean")(axis=0).tolist() == [1.0, 1.0, 1.0]
    assert get(a, "tolist")() == [[1.0] * 3] * 2
    assert get(a, "tobytes")() == np.ones((2, 3), "f4").tobytes()
    assert _words(get, a, "dumps") == "AttributeError: 'numpy.ndarray' object has no attribute 'dumps'"
    assert _words(get, np.float32(1), "dumps") == "AttributeError: 'numpy.float32' object has no attribute 'dumps'"


def test_a_schedule_shows_what_it_holds() -> None:
    text = """
        from torch.optim.lr_scheduler import CyclicLR, LRScheduler, StepLR
        opt = torch.optim.SGD(nn.Linear(1, 1).parameters(), 0.1)
        s = StepLR(opt, 3)
        print({k: v for k, v in s.__dict__.items() if k != "optimizer"}, vars(s)["optimizer"] is opt)
        s.__dict__.update(gamma=0.5, last_epoch=2)
        s.__dict__["mine"] = 1
        opt.step()
        s.step()
        print(s.gamma, s.last_epoch, s.mine, s.get_last_lr())
        class Mine(LRScheduler):
            def get_lr(self):
                return self.base_lrs
            def load_state_dict(self, state):
                self.__dict__.update(state)
        m = Mine(opt)
        m.load_state_dict({"last_epoch": 7})
        print(m.last_epoch)
        print([k for k, v in vars(CyclicLR(opt, 0.1, 0.2, cycle_momentum=False)).items() if callable(v)])
    """
    assert printed(dedent(text)) == (
        "{'step_size': 3, 'gamma': 0.1, 'base_lrs': [0.1], 'last_epoch': 0, '_step_count': 1, '_is_initial': False, "
        "'_get_lr_called_within_step': False, '_last_lr': [0.1]} True\n0.5 3 1 [0.05]\n7\n[]\n"
    )


def test_tensors_change_places_whatever_knows_them() -> None:
    text = """
        mod = nn.Linear(1, 2, bias=False)
        before, opt = id(mod.weight), torch.optim.SGD(mod.parameters(), 0.1)
        torch.__future__.set_swap_module_params_on_conversion(True)
        mod.load_state_dict({"weight": torch.ones(2, 1)})
        mod.to(torch.float64)
        print(before == id(mod.weight), opt.param_groups[0]["params"][0].dtype)
        a, b = torch.arange(2), torch.ones(3)
        torch.utils.swap_tensors(a, b)
        print(a, b)
    """
    assert printed(dedent(text)) == "True torch.float64\ntensor([1., 1., 1.]) tensor([0, 1])\n"
