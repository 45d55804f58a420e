"""Each op alone: what its backward passes on is judged right for every op of the registry, and wrong where it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.blaming.each_op import LocalFault, check_node, has_kink, reached_outputs
from gradcli.check.check import check_program
from gradcli.check.claims.op_alone import Alone
from gradcli.check.judging.findings import Options
from gradcli.check.judging.verdict import TOLERATED, Verdict
from gradcli.check.selftest.planted_faults import FAULTS, Spot, plant
from gradcli.engine.function import Function
from gradcli.engine.graph import LEAF, node_of
from gradcli.engine.tape.tape import recording
from gradcli.engine.tensor import Tensor, result
from tests.rings import sampled

from ...engine.test_registry import CASES, case
from ..subjects import own, program, wrong_nodes


def leaf(values: Any) -> Tensor:
    """A leaf in double precision."""
    return result(np.array(values, np.float64)).requires_grad_()


def nodes_of(*roots: Tensor) -> list[Any]:
    """The ops behind tensors in forward order."""
    seen: set[Any] = set()
    waiting = [node_of(root._node) for root in roots]
    while waiting:
        node = waiting.pop()
        if node is not None and node.kind != LEAF and node not in seen:
            seen.add(node)
            waiting += map(node_of, node.edges)
    return sorted(seen, key=lambda node: node.seq)


def faults(*roots: Tensor, thorough: bool = False) -> list[LocalFault]:
    """The faults of every op behind tensors."""
    nodes = nodes_of(*roots)
    reached = reached_outputs(nodes, [root._node for root in roots])
    rng = np.random.default_rng(0)
    return [fault for node in nodes for fault in check_node(node, rng, reached.get(node), thorough=thorough)]


def tensors(y: Any) -> list[Tensor]:
    """The tensors with a node among what an op returned."""
    if isinstance(y, Tensor):
        return [y] if y._node is not None and y._node.kind != LEAF else []
    return [t for x in y for t in tensors(x)] if isinstance(y, (list, tuple)) else []


# -- right ops -------------------------------------------------------------------------------


@sampled(3)
@pytest.mark.parametrize("part", range(6))
def test_no_op_of_the_registry_is_blamed_on_its_samples(part: int) -> None:
    blamed = []
    for name, index in [(name, index) for name, index in CASES if index == 0][part::6]:
        c = case(name, index)
        with recording():
            _, y = c.call(c.arrays())
        found = [fault for fault in faults(*tensors(y)) if fault.verdict not in TOLERATED]
        blamed += [f"{name} {index} {fault}" for fault in found]
    assert blamed == []


KINKS: dict[str, Any] = {
    "relu": lambda x, y: torch.relu(x),
    "abs": lambda x, y: x.abs(),
    "clamp": lambda x, y: x.clamp(-1, 1),
    "maximum": lambda x, y: torch.maximum(x, y),
    "minimum of a row": lambda x, y: torch.minimum(x, y[0]),
    "amax": lambda x, y: x.amax(-1),
    "max with index": lambda x, y: x.max(-1).values,
    "median": lambda x, y: x.median(-1).values,
    "sort": lambda x, y: x.sort(-1).values,
    "topk": lambda x, y: x.topk(2, -1).values,
    "cummax": lambda x, y: x.cummax(-1).values,
    "kthvalue": lambda x, y: x.kthvalue(2, -1).values,
    "norm": lambda x, y: x.norm(),
    "norm of rows": lambda x, y: x.norm(float("inf"), dim=-1),
    "max_pool": lambda x, y: torch.nn.functional.max_pool1d(x[None], 2, 1),
    "std": lambda x, y: x.std(-1),
    "hardtanh": lambda x, y: torch.nn.functional.hardtanh(x),
    "huber": lambda x, y: torch.nn.functional.huber_loss(x, y),
    "l1": lambda x, y: torch.nn.functional.l1_loss(x, y),
    "margin": lambda x, y: torch.nn.functional.multi_margin_loss(x, torch.tensor([0, 2])),
    "prod": lambda x, y: x.prod(-1),
    "softmax": lambda x, y: (100 * x).softmax(-1),
    "logsumexp": lambda x, y: (100 * x).logsumexp(-1),
    "where": lambda x, y: torch.where(x > 0, x, y * 0.5),
    "quantile": lambda x, y: x.quantile(0.4, dim=-1),
}
POINTS = {
    "zeros": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    "ones": [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]],
    "ties": [[1.0, -1.0, 1.0], [0.0, 2.0, 2.0]],
    "mixed": [[-1.0, 0.0, 30.0], [1e-9, 1.0, -30.0]],
}


@pytest.mark.parametrize("name", KINKS)
@sampled(6)
def test_no_right_op_is_blamed_at_kinks_ties_and_edges(name: str) -> None:
    for at, values in POINTS.items():
        with recording():
            x, y = leaf(values), leaf(np.full((2, 3), values[0][0]))
            out = KINKS[name](x, y)
        found = [fault for fault in faults(out) if fault.verdict not in TOLERATED]
        assert found == [], at


def test_an_op_that_is_given_one_tensor_twice_is_looked_at_by_argument() -> None:
    with recording():
        x = leaf([0.5, -1.2])
        y = x * x
    assert faults(y) == []
    plant(node_of(y._node), 1, FAULTS[0])
    (fault,) = faults(y)
    assert (fault.argument, fault.slot) == ("other", 1)


def test_a_write_to_a_view_and_a_list_of_tensors_are_ops_as_any_other() -> None:
    with recording():
        x, y = leaf([[0.5, -1.2], [1.0, 3.0]]), leaf([2.0, -0.1])
        z = x * 2
        z[0] = y
        z[:, 1].mul_(y)
        joined = torch.cat([z, z.exp(), y[None]])
        first, second, _ = joined.unbind(0)[:3]
        out = first * second
    assert faults(out) == []


def test_single_precision_inside_is_no_fault() -> None:
    with recording():
        x = leaf([0.5, -1.2, 2.0])
        y = (x.float().sin() * 3).exp().double() * x
    assert faults(y) == []


# -- wrong ops -------------------------------------------------------------------------------


class Own(Function):
    """Three arguments, two of them tensors."""

    @staticmethod
    def forward(ctx: Any, a: Any, n: int, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        ctx.n = n
        return n * a * b

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        a, b = ctx.saved_tensors
        return g * b * ctx.n, None, g * a


def test_a_wrong_function_is_named_with_its_argument_and_how_it_is_wrong() -> None:
    with recording():
        a, b = leaf([0.5, -1.2, 2.0, 0.1]), leaf([1.5, 0.3, -0.7, 0.9])
        y = Own.apply(a, 3, b).sin().sum()
    (fault,) = faults(y)
    assert fault.node.name() == "OwnBackward"
    assert (fault.argument, fault.slot, fault.verdict) == ("b", 1, Verdict.WRONG)
    assert fault.signature == "claimed = 1/3 of the true gradient"
    assert fault.worst.at == b.tolist()[fault.worst.index[0]]
    assert fault.worst.judged.bars_away > 1e9


class Square(Function):
    """Right where 1 arrives."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x


class Clipped(Function):
    """The identity, its gradient clipped on one side."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g.clamp(min=0)


@pytest.mark.parametrize("function", [Square, Clipped])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_right_only_for_some_cotangents_is_wrong(function: Any, seed: int) -> None:
    with recording():
        x = leaf([0.7])
        y = function.apply(x)
    assert check_node(node_of(y._node), np.random.default_rng(seed)) != []


class Tied(Function):
    """The largest number; where several are, each gets all of the gradient, or half of it."""

    share = 1.0

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x.amax()
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * (x == y) * Tied.share


@pytest.mark.parametrize(("share", "right"), [(1.0, False), (0.5, False), (0.25, True)])
def test_shares_of_a_tie_must_add_up_to_one(share: float, right: bool) -> None:
    Tied.share = share
    with recording():
        y = Tied.apply(leaf([1.0, 1.0, 1.0, 1.0]))
    assert (faults(y) == []) is right


class Kinked(Function):
    """x, from two kinks, with the sum of what each of them says."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.clamp(min=0) - (-x).clamp(min=0)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 0


def test_a_claim_outside_of_all_slopes_is_wrong_at_a_kink() -> None:
    with recording():
        y = Kinked.apply(leaf([0.0, 0.0]))
    assert faults(y) != []


def test_of_many_entries_the_wrong_one_is_found() -> None:
    class Large(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            right = (g * x.cos()).flatten()
            right[777] = right[777] * 1.001
            return right.reshape(x.shape)

    with recording():
        x = leaf(np.random.default_rng(1).standard_normal((40, 50)))
        y = Large.apply(x)
    (fault,) = faults(y)
    assert fault.worst.index == (777 // 50, 777 % 50)


def test_an_entry_that_no_direction_feels_is_found_when_looked_for() -> None:
    class Small(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return (x * torch.tensor([1e12, 1e-6], dtype=torch.float64)).sum()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * torch.tensor([1e12, 2e-6], dtype=torch.float64)

    with recording():
        y = Small.apply(leaf([1.0, 1.0]))
    (fault,) = faults(y, thorough=True)
    assert fault.worst.index == (1,)


def test_a_function_that_refuses_is_not_judged() -> None:
    class Refusing(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise ValueError("no")

    with recording():
        y = Refusing.apply(leaf([1.0]))
    assert faults(y) == []


# -- graphs ----------------------------------------------------------------------------------


def test_functions_of_the_program_come_first_then_from_the_output_back() -> None:
    with recording():
        a, b = leaf([0.5, -1.2]), leaf([1.5, 0.3])
        first = Own.apply(a, 2, b)
        second = Own.apply(first.exp(), 2, b)
        y = second.sin()
        plant(node_of(y._node), 0, FAULTS[0])
    found = wrong_nodes(nodes_of(y), np.random.default_rng(0), [y._node])
    assert [fault.node for fault in found] == [node_of(t._node) for t in (second, first, y)]
    own = wrong_nodes(nodes_of(y), np.random.default_rng(0), [y._node], own=True)
    assert [fault.node for fault in own] == [node_of(t._node) for t in (second, first)]


def test_only_outputs_that_gradients_arrive_at_count() -> None:
    with recording():
        _, mean = torch.std_mean(leaf([3.0, 1.0, 2.0]))
        y = mean.exp()
    nodes = nodes_of(y)
    assert reached_outputs(nodes, [y._node]) == {nodes[0]: [1]}


def test_kinks_are_seen() -> None:
    with recording():
        x = leaf([0.0, 1.0])
        nodes = nodes_of(torch.relu(x), x.exp())
    rng = np.random.default_rng(0)
    assert [has_kink(node, rng) for node in nodes] == [True, False]


@sampled(3)
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.order == 1], ids=lambda fault: fault.name)
def test_every_planted_mistake_is_found_where_it_is(fault: Any) -> None:
    rng = np.random.default_rng(5)
    tried = 0
    for position in range(4):
        with recording():
            x, w = leaf(rng.standard_normal((3, 3))), leaf(rng.standard_normal((3, 3)))
            b = leaf(rng.standard_normal(3))
            h = (x @ w) * b
            y = torch.maximum(h + h, x)
        node = nodes_of(y)[position]
        for slot in range(len(node.edges)):
            if fault.suits(Spot(node, slot)) and not tried:
                plant(node, slot, fault)
                tried += 1
                assert [(f.node, f.slot) for f in faults(y)] == [(node, slot)]
    assert tried


class Doubled(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return torch.sin(x) * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 5


def test_where_one_entry_is_wrong_the_neighbours_of_others_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    near = Alone.near
    monkeypatch.setattr(Alone, "near", lambda *args: asked.append(args) or near(*args))
    with recording():
        y = Doubled.apply(leaf([0.3, 0.7, -0.2, 1.1]))
    faults = check_node(y._node, np.random.default_rng(0))
    assert [fault.verdict for fault in faults] == [Verdict.WRONG]
    # Along all entries together, and of one.
    assert len(asked) == 2


@pytest.mark.parametrize("at", ["x * 2", "y"])
@pytest.mark.parametrize("factor", [1, 2])
def test_a_loss_that_is_made_of_a_wrong_gradient_is_wrong(factor: int, at: str) -> None:
    text = own("return x.exp()", f"return {factor} * g * x.exp()", f"""
        x = torch.tensor([0.5, -1.2], requires_grad=True)
        y = (x * 2).detach().requires_grad_()
        slope, = torch.autograd.grad(Own.apply({at}).sum(), {at[0]}, create_graph=True)
        loss = (slope ** 2 * x).sum()
    """)  # fmt: skip
    checked = check_program(program(text), Options())
    told = "LOCAL: loss is made of the backward of Own, which is wrong with respect to x"
    notes = [*checked.notes, *(note for finding in checked.findings for note in finding.notes)]
    assert (told in notes) == (factor != 1)
    first = checked.findings[0]
    assert (first.verdict is Verdict.WRONG) == (factor != 1 and at != "y")
    assert (first.node is not None and first.node.name == "Own.backward") == (first.verdict is Verdict.WRONG)


@pytest.mark.parametrize(("first", "second", "is_wrong"), [(2, 2, True), (3, 3, False), (2, 3, False)])
def test_a_function_is_wrong_for_the_output_of_which_a_loss_takes_the_gradient(
    first: int, second: int, is_wrong: bool
) -> None:
    text = f"""
import torch
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3, x ** 2
    @staticmethod
    def backward(ctx, g, h):
        x, = ctx.saved_tensors
        return {first} * g * x ** 2 + {second} * h * x
x = torch.tensor([0.5, -1.2], requires_grad=True)
y = Two.apply(x)[{0 if first == second else 1}]
slope, = torch.autograd.grad(y.sum(), x, create_graph=True)
loss = (slope ** 2).sum()
"""
    findings = check_program(program(text), Options()).findings
    assert [x.verdict is Verdict.WRONG for x in findings] == [is_wrong or first != second]


@pytest.mark.parametrize("factor", [0.5, float("nan")])
def test_a_function_outside_the_graph_is_seldom_called_where_it_is_plainly_wrong(factor: float) -> None:
    runs = 0

    class Outside(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            nonlocal runs
            runs += 1
            ctx.cosine = np.cos(x.detach().numpy())
            return torch.from_numpy(np.sin(x.detach().numpy()))

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * torch.from_numpy(ctx.cosine * factor)

    x = leaf(np.linspace(0.1, 1.2, 12))
    with recording():
        y = Outside.apply(x)
    (fault,) = faults(y)
    assert (fault.verdict, fault.argument) == (Verdict.WRONG, "x")
    # With the full look at each of the twelve entries they were above 2,100.
    assert runs < 1_500
