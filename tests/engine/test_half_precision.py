"""Half precision: every op in bfloat16 and float16, beside itself in double precision; and what PyTorch computes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from tests.rings import all_of

from .test_registry import CASES, case

# What is told the precision of its result.
TOLD = ("to_copy",)
# Beyond such numbers half precision overflows, or cannot tell those apart that a result hangs on.
LARGE = 10.0
# As far as many roundings of numbers with eight digits in base two may take a result.
NEAR = 0.15


def given(value: Any, d: Any, leaves: list[Tensor]) -> Any:
    """An argument of a sample in another precision; what is differentiated by is among the leaves."""
    if isinstance(value, list):
        return [given(x, d, leaves) for x in value]
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    t = gradcli.tensor(np.array(value))
    if t.is_floating_point():
        t = t.to(d).requires_grad_()
        leaves.append(t)
    return t


def outcome(name: str, index: int, d: Any) -> tuple[list[Any], list[Any]]:
    """The outputs of a call in a precision, and the gradients of its leaves."""
    c = case(name, index)
    leaves: list[Tensor] = []
    differentiated = {n for n, _ in c.leaves}
    values = {n: given(v, d, leaves if n in differentiated else []) for n, v in c.values.items()}
    for n in values.keys() - differentiated:
        if isinstance(values[n], Tensor):
            values[n] = values[n].detach()
    made = c.op.call(*c._positional(values), **c._keywords(values))
    outs = c.differentiable(made)
    live = [y for y in outs if y.requires_grad]
    assert all(y.dtype is d for y in outs), [y.dtype for y in outs]
    # As in PyTorch, nothing is filled with ones that is sparse.
    if not live or any(y.is_sparse for y in live):
        return outs, []
    grads = gradcli.autograd.grad(live, leaves, [gradcli.ones_like(y) for y in live], allow_unused=True)
    assert all(g is None or g.dtype is d for g in grads), [g if g is None else g.dtype for g in grads]
    return outs, list(grads)


def apart(found: list[Any], expected: list[Any]) -> list[str]:
    """The numbers that are further from others than rounding takes them."""
    assert len(found) == len(expected)
    wrong = []
    for x, y in zip(found, expected, strict=True):
        if x is None or y is None:
            wrong += [] if x is y else [f"{x} for {y}"]
            continue
        a, b = (t.detach().to_dense().double().numpy() for t in (x, y))
        size = np.max(np.abs(b[np.isfinite(b)]), initial=1.0)
        if a.shape != b.shape or not np.allclose(a, b, NEAR, NEAR * size, equal_nan=True):
            wrong.append(f"{a} for {b}")
    return wrong


def small_cases() -> list[tuple[str, int]]:
    """The samples whose numbers half precision tells apart."""
    small = [one for one in CASES if all(np.max(np.abs(a), initial=0) < LARGE for a in case(*one).arrays())]
    return [one for one in small if one[0] not in TOLD]


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_every_op_takes_half_precision_or_says_that_it_does_not(name: str) -> None:
    d = getattr(gradcli, name)

    @all_of(small_cases())
    def each(one: tuple[str, int]) -> None:
        try:
            outs, grads = outcome(*one, d)
        except GradcliError:
            return
        truth, slopes = outcome(*one, gradcli.float64)
        assert apart(outs, truth) == []
        assert not slopes or apart(grads, slopes) == []

    each()


# What PyTorch 2.13 gives.
PROGRAMS = {
    "(x * 0.1 + 2) * x / 3 - 1.5": [-0.72265625, 0.125, -3.34375],
    "x.sigmoid()": [0.75, 0.90234375, 0.03564453125],
    "torch.softmax(x, 0)": [0.2490234375, 0.75, 0.0030517578125],
    "x.mean(), x.std(), x.norm()": [0.0026092529296875, 2.90625, 4.125],
    "x.cumsum(0)": [1.1015625, 3.3125, 0.0078125],
    "torch.nextafter(x, torch.zeros_like(x))": [1.09375, 2.1875, -3.28125],
    "x + torch.ones(3)": [2.1015625, 3.203125, -2.296875],
    "torch.arange(0, 2, 0.3, dtype=torch.bfloat16)[-3:]": [1.203125, 1.5, 1.796875],
    "(x[:, None] @ x[None]).sum(0)": [0.0078125, 0.015625, 0.0],
    "torch.nn.functional.rms_norm(x, (3,))": [0.462890625, 0.92578125, -1.390625],
}


@pytest.mark.parametrize("text", PROGRAMS)
def test_bfloat16_is_rounded_as_pytorch_rounds_it(torch: Any, text: str) -> None:
    x = torch.tensor([1.1, 2.2, -3.3], dtype=torch.bfloat16)
    found = eval(text, {"torch": torch, "x": x})
    values = [y.item() for y in found] if isinstance(found, tuple) else found.tolist()
    assert values == PROGRAMS[text]


def test_writes_views_and_copies_of_bfloat16(torch: Any) -> None:
    d = torch.bfloat16
    a = torch.zeros(3, 3, dtype=d)
    a.diagonal().fill_(0.3)
    a[0] += 1
    b = a.t()[1:]
    b[0, 0] = 7.03
    assert a.tolist() == [[1.296875, 7.03125, 1.0], [0.0, 0.30078125, 0.0], [0.0, 0.0, 0.30078125]]
    assert (b.storage_offset(), b.stride(), a.nbytes, a.element_size()) == (1, (1, 3), 18, 2)
    assert torch.as_strided(a, (2,), (2,), 1).tolist() == [7.03125, 0.0]
    x = torch.arange(6.0).to(d).requires_grad_()
    y = x * 2
    y[1:3] = x[3:5] * 3
    y[2:].mul_(2)
    y.sum().backward()
    assert x.grad.dtype is d
    assert x.grad.tolist() == [2.0, 0.0, 0.0, 7.0, 10.0, 4.0]
    assert repr(x.detach().clone()[:2]) == "tensor([0., 1.], dtype=torch.bfloat16)"


def test_what_promotion_makes_of_bfloat16(torch: Any) -> None:
    d = torch.bfloat16
    of = torch.promote_types
    assert [of(d, torch.float16), of(d, torch.int64), of(torch.bool, d)] == [torch.float32, d, d]
    assert (torch.ones(2, dtype=d) * torch.tensor(2.0)).dtype is d
    assert str(torch.finfo(d)).startswith("finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125")
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        torch.ones(2, dtype=d).numpy()
    with pytest.raises(RuntimeError, match="same dtype, but got: float != c10::BFloat16"):
        torch.ones(2, 2) @ torch.ones(2, 2, dtype=d)


@pytest.mark.parametrize(("name", "shown"), [("bfloat16", "BFloat16"), ("float16", "Half")])
def test_what_no_kernel_computes_in_half_precision(torch: Any, name: str, shown: str) -> None:
    a = torch.eye(2).to(getattr(torch, name))
    with pytest.raises(NotImplementedError, match=f"\"lu_cpu\" not implemented for '{shown}'"):
        torch.linalg.solve(a, a)
    with pytest.raises(RuntimeError, match=f"linalg.inv: Low precision dtypes not supported. Got {shown}"):
        torch.linalg.inv(a)


def test_layers_functions_and_transforms_take_bfloat16() -> None:
    d = gradcli.bfloat16
    m = gradcli.nn.Linear(3, 2).to(d)
    with gradcli.no_grad():
        for p in m.parameters():
            p.copy_(gradcli.arange(p.numel()).reshape(p.shape) * 0.1)
    assert m.weight.tolist() == [[0.0, 0.10009765625, 0.2001953125], [0.30078125, 0.400390625, 0.5]]
    x = gradcli.ones(2, 3, dtype=d)
    value, tangent = gradcli.func.jvp(lambda x: m(x).sin(), (x,), (x,))
    assert (value.dtype, tangent.dtype) == (d, d)
    assert gradcli.func.jacfwd(m)(x[0]).tolist() == gradcli.func.jacrev(m)(x[0]).tolist() == m.weight.tolist()
    made = [
        gradcli.nn.LSTM(3, 2), gradcli.nn.Conv1d(2, 2, 2), gradcli.nn.BatchNorm1d(3), gradcli.nn.LayerNorm(3),
        gradcli.nn.MultiheadAttention(3, 1), gradcli.nn.TransformerEncoderLayer(3, 1, 4), gradcli.nn.GRUCell(3, 2),
        gradcli.nn.Bilinear(3, 3, 2), gradcli.nn.GroupNorm(1, 3), gradcli.nn.PReLU(),
    ]  # fmt: skip
    for layer in made:
        layer = layer.to(d)
        count = {"MultiheadAttention": 3, "Bilinear": 2}.get(type(layer).__name__, 1)
        y = layer(*[x] * count)
        y = y[0] if isinstance(y, tuple) else y
        y.sum().backward()
        assert y.dtype is d
        assert all(p.grad.dtype is d for p in layer.parameters()), layer
        for kind in (gradcli.optim.SGD, gradcli.optim.AdamW, gradcli.optim.Adagrad, gradcli.optim.RMSprop):
            kind(layer.parameters(), lr=0.01).step()
        assert all(p.dtype is d for p in layer.parameters()), layer




def test_norms_take_parameters_in_single_precision_beside_an_input_in_half() -> None:
    x = gradcli.arange(24.0).sin().reshape(2, 4, 3)
    for layer in (gradcli.nn.BatchNorm1d(4), gradcli.nn.GroupNorm(2, 4), gradcli.nn.LayerNorm((4, 3))):
        for d in (gradcli.bfloat16, gradcli.float16):
            given = x.to(d).requires_grad_()
            y = layer(given)
            (y * x).sum().backward()
            assert (y.dtype, given.grad.dtype, layer.weight.grad.dtype) == (d, d, gradcli.float32)
            assert ((y.float() - layer(given.float())).abs().max() < 0.01).item()


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_what_is_asked_for_in_single_precision_is_not_rounded(torch: Any, name: str) -> None:
    single = torch.arange(1.0, 7.0).view(2, 3) / 7
    half = single.to(getattr(torch, name))
    for ask in (
        lambda x: x.sum(dtype=torch.float32), lambda x: x.sum(0, dtype=torch.float32),
        lambda x: x.mean(0, dtype=torch.float32), lambda x: x.prod(1, dtype=torch.float32),
        lambda x: x.cumsum(0, dtype=torch.float32), lambda x: x.cumprod(0, dtype=torch.float32),
        lambda x: x.nansum(dtype=torch.float32), lambda x: torch.linalg.vector_norm(x, dtype=torch.float32),
    ):  # fmt: skip
        found = ask(half)
        assert found.dtype is torch.float32
        assert torch.equal(found, ask(half.float()))
    x = half.clone().requires_grad_()
    x.sum(dtype=torch.float32).backward()
    assert x.grad.dtype is half.dtype


def test_bfloat16_meets_other_precisions(torch: Any) -> None:
    x, y = (torch.arange(6.0).view(2, 3) / 7).bfloat16(), torch.ones(3) / 7
    for first, second in (x, y[None]), (y[None], x), (x, y[None].half()), (x, y[None].double()):
        found = torch.cat([first, second])
        assert found.dtype is torch.promote_types(first.dtype, second.dtype)
        assert torch.equal(found, torch.cat([first.to(found.dtype), second.to(found.dtype)]))
    rounded = y.bfloat16()
    for patch in (
        lambda y: x.select_scatter(y, 0, 1), lambda y: x.slice_scatter(y[None], 0, 0, 1),
        lambda y: x[:, :2].diagonal_scatter(y[:2]), lambda y: x.masked_fill(x > 0.5, y[0]),
        lambda y: x.t().masked_fill(x.t() > 0.5, y[0]),
    ):  # fmt: skip
        assert patch(y).dtype is torch.bfloat16
        assert torch.equal(patch(y), patch(rounded))
    with pytest.raises(RuntimeError, match="got BFloat16 for the destination and Float for the source"):
        x.index_put((torch.tensor([0]),), y)
    with pytest.raises(RuntimeError, match="found x of type BFloat16 and y of type Float"):
        torch.linalg.vecdot(x, y.expand(2, 3))




# What PyTorch 2.13 makes of numbers beside half precision: most ops round them to it, products and quotients do not.
BESIDE = {
    "bfloat16": {
        "x + 0.3": [1.0, 1.59375, 2.59375, 3.390625, 6.21875],
        "0.3 - x": [-0.3984375, -0.99609375, -2.0, -2.796875, -5.59375],
        "x % 0.3": [0.09765625, 0.09375, 0.19140625, 0.0859375, 0.19140625],
        "0.3 % x": [0.30078125, 0.30078125, 0.30078125, 0.30078125, 0.30078125],
        "torch.fmod(x, 0.3)": [0.09765625, 0.09375, 0.19140625, 0.0859375, 0.19140625],
        "x**1.1": [0.67578125, 1.328125, 2.5, 3.46875, 7.0625],
        "1.1**x": [1.0703125, 1.1328125, 1.25, 1.3515625, 1.7734375],
        "x > 2.3": [False, False, False, True, True],
        "x * 0.3": [0.2099609375, 0.388671875, 0.6875, 0.9296875, 1.7734375],
        "0.3 * x": [0.2099609375, 0.388671875, 0.6875, 0.9296875, 1.7734375],
        "x / 0.3": [2.328125, 4.3125, 7.65625, 10.3125, 19.75],
        "0.3 / x": [0.4296875, 0.23046875, 0.130859375, 0.0966796875, 0.05078125],
        "x // 0.3": [2.0, 4.0, 7.0, 10.0, 19.0],
        "257 // x": [366.0, 197.0, 111.0, 82.0, 43.0],
        "x * torch.tensor(0.3)": [0.2099609375, 0.388671875, 0.6875, 0.9296875, 1.7734375],
        "x * torch.tensor(257)": [180.0, 334.0, 592.0, 796.0, 1520.0],
        "torch.rsub(x, 1000.3)": [1000.0, 1000.0, 996.0, 996.0, 996.0],
    },
    "float16": {
        "x + 0.3": [1.0, 1.599609375, 2.6015625, 3.400390625, 6.19921875],
        "0.3 - x": [-0.400146484375, -1.0, -2.0, -2.798828125, -5.59765625],
        "x % 0.3": [0.10009765625, 0.099609375, 0.200439453125, 0.09912109375, 0.197509765625],
        "0.3 % x": [0.300048828125, 0.300048828125, 0.300048828125, 0.300048828125, 0.300048828125],
        "torch.fmod(x, 0.3)": [0.10009765625, 0.099609375, 0.200439453125, 0.09912109375, 0.197509765625],
        "x**1.1": [0.67578125, 1.333984375, 2.5, 3.46875, 7.0390625],
        "1.1**x": [1.068359375, 1.1318359375, 1.244140625, 1.341796875, 1.7509765625],
        "x > 2.3": [False, False, False, True, True],
        "x * 0.3": [0.2100830078125, 0.389892578125, 0.6904296875, 0.9296875, 1.76953125],
        "0.3 * x": [0.2100830078125, 0.389892578125, 0.6904296875, 0.9296875, 1.76953125],
        "x / 0.3": [2.333984375, 4.33203125, 7.66796875, 10.328125, 19.65625],
        "0.3 / x": [0.42822265625, 0.2308349609375, 0.13037109375, 0.09674072265625, 0.050872802734375],
        "x // 0.3": [2.0, 4.0, 7.0, 10.0, 19.0],
        "257 // x": [367.0, 197.0, 111.0, 82.0, 43.0],
        "x * torch.tensor(0.3)": [0.2100830078125, 0.389892578125, 0.6904296875, 0.9296875, 1.76953125],
        "x * torch.tensor(257)": [180.0, 334.0, 591.5, 796.5, 1516.0],
        "torch.rsub(x, 1000.3)": [1000.0, 999.0, 998.0, 997.5, 994.5],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_numbers_beside_half_precision(torch: Any, name: str) -> None:
    x = torch.tensor([0.7, 1.3, 2.3, 3.1, 5.9]).to(getattr(torch, name))
    for text, expected in BESIDE[name].items():
        assert eval(text, {"torch": torch, "x": x}).tolist() == expected, text


STEPS = json.loads(Path(__file__).with_name("half_precision_cases.json").read_text())


@pytest.mark.parametrize("name", STEPS)
def test_kernels_and_gradients_round_the_steps_that_pytorch_rounds(torch: Any, name: str) -> None:
    for text, (values, gradient) in STEPS[name].items():
        x = torch.tensor([0.7, 1.3, 2.9]).to(getattr(torch, name)).requires_grad_()
        y = torch.tensor([0.3, 2.3, 1.1]).to(x.dtype)
        made = eval(text, {"torch": torch, "F": torch.nn.functional, "x": x, "y": y})
        weights = torch.tensor([0.37, 1.9, 0.77] * 3)[: made.numel()].reshape(made.shape).to(made.dtype)
        found = torch.autograd.grad(made, x, weights)[0].tolist() if made.requires_grad else None
        assert (made.tolist(), found) == (values, gradient), text


@pytest.mark.parametrize("name", STEPS)
def test_what_is_left_of_a_vector_is_rounded_step_by_step(torch: Any, name: str) -> None:
    x, y = (torch.linspace(a, b, 70).to(getattr(torch, name)) for a, b in ((0.1, 3.0), (2.0, 5.0)))
    factor = torch.tensor(0.3).to(x.dtype).float()
    steps = x + y * factor.item(), x.sqrt().reciprocal()
    once = (x.float() + factor * y.float()).to(x.dtype), x.float().rsqrt().to(x.dtype)
    for made, rounded, whole in zip((torch.add(x, y, alpha=0.3), x.rsqrt()), steps, once, strict=True):
        assert torch.equal(made, torch.cat([whole[:64], rounded[64:]]))
        assert not torch.equal(whole[:64], rounded[:64])
    # Of operands that do not lie side by side each row has a rest of its own.
    x = x.reshape(2, 35)
    rows, row = torch.add(x, y[:35], alpha=0.3), (y[:35].float() * factor)
    assert torch.equal(rows[:, :32], (x.float() + row).to(x.dtype)[:, :32])
    assert torch.equal(rows[:, 32:], (x + row.to(x.dtype))[:, 32:])


def test_whole_numbers_beside_python_numbers_become_half_precision_where_that_is_the_default(torch: Any) -> None:
    torch.set_default_dtype(torch.float16)
    try:
        i, z = torch.tensor([1, 2, 300]), torch.tensor(3)
        made = [i * 0.3, i / 3, z / 2, i ** 0.5, i - 0.3, 0.3 - z, i % 0.3, 1.5 + z]
        assert {str(x.dtype) for x in made} == {"torch.float16"}
        assert [x.tolist() for x in made] == [
            [0.300048828125, 0.60009765625, 90.0], [0.333251953125, 0.66650390625, 100.0], 1.5,
            [1.0, 1.4140625, 17.328125], [0.7001953125, 1.7001953125, 299.75], -2.69921875,
            [0.099853515625, 0.19970703125, 0.251220703125], 4.5,
        ]  # fmt: skip
    finally:
        torch.set_default_dtype(torch.float32)


REFUSED_IN_HALF = {
    "M.special.airy_ai(a)": "airy_ai_cpu", "M.special.bessel_j0(a)": "bessel_j0_cpu",
    "M.special.legendre_polynomial_p(a, 2)": "legendre_polynomial_p_cpu", "M.geqrf(a)": "geqrf_cpu",
    "M.linalg.eigvalsh(a)": "linalg_eigh_cpu", "M.linalg.svd(a)": "linalg_svd_cpu",
    "M.linalg.svdvals(a)": "linalg_svd_cpu", "M.linalg.cond(a)": "linalg_svd_cpu", "M.svd(a)": "linalg_svd_cpu",
    "M.histogram(a, 3)": "histogramdd", "M.cholesky(a)": "cholesky_cpu", "M.triangular_solve(a, a)":
    "triangular_solve_cpu",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_kernels_that_pytorch_has_not_in_half_precision(torch: Any, name: str) -> None:
    a = torch.eye(2).to(getattr(torch, name))
    for call, kernel in REFUSED_IN_HALF.items():
        with pytest.raises(NotImplementedError, match=f'"{kernel}" not implemented for'):
            eval(call, {"M": torch, "a": a})
    with pytest.raises(RuntimeError, match="expected a tensor with 2 or more dimensions of float, double"):
        torch.linalg.pinv(a)
    with pytest.raises(RuntimeError, match="doesn't handle types other than float and double"):
        torch.linalg.matrix_rank(a)
    assert torch.vander(a[0]).tolist() == [[1.0, 1.0], [0.0, 1.0]]
