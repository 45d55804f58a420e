"""Complex tensors beside PyTorch's: values, what is printed, nodes, two orders of gradients, and what is refused."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine import complex_twins, offers
from gradcli.engine.complex_twins import TWINS
from gradcli.engine.registry import OPS, Op
from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from tests.conformance.complex_op_db import nodes
from tests.engine.samples import all_samples

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")

Z = [[1 + 2j, 3 - 1j, -0.5 + 0.25j], [0.125 + 0.75j, -2 + 0.5j, 1.5 - 2.5j]]
W = [[0.5 - 1j, 0.25 + 2j, 1 + 1j], [1 + 0.5j, -1.5 + 0.5j, 0.25 - 0.75j]]
X = [[0.5, -1.5, 2.0], [1.25, 0.75, -0.25]]

# Functions of two complex tensors z and w and a real one x, of shape (2, 3).
EXPRESSIONS = """
z + w | z - w | z * w | z / w | -z | z + 1j | z * (2 - 1j) | (2 - 1j) * z | 1j / z | z / 2j | 1 - z | 1j - z | z + 1
z * 0.5 | z + x | x * z | x / z | z / x | x + 1j | x * 1j | x - z | z - x | torch.add(z, w, alpha=2)
torch.add(z, w, alpha=1j) | torch.sub(z, w, alpha=1j) | z ** 2 | z ** 3 | z ** 0.5 | z ** -1 | z ** 1.5 | z ** 1j
z ** w | 2 ** z | x ** z | z ** x | (1 + 1j) ** z | x ** (1 + 1j) | (2 - 1j) ** x | z.square() | z.exp()
z.log() | z.sqrt() | z.rsqrt()
z.reciprocal() | z.sin() | z.cos() | z.tan() | z.sinh() | z.cosh() | z.tanh() | z.asin() | z.acos() | z.atan()
z.asinh() | z.acosh() | z.atanh() | z.sigmoid() | z.log2() | z.log10() | z.log1p() | z.exp2() | z.expm1() | z.abs()
z.angle() | z.sgn() | z.real | z.imag | z.conj() | z.conj() * w | z.conj().real | z.conj().imag | z.H @ w
z.conj().conj() | z.conj().T | z.mH @ w | z.conj()[0] * 2 | z.conj_physical() | z.resolve_conj()
z.conj().resolve_conj() | torch.view_as_real(z) | torch.view_as_complex(torch.view_as_real(z))
torch.complex(x, x * 2) | torch.polar(x.exp(), x) | z.sum() | z.sum(0) | z.mean() | z.mean(1, keepdim=True) | z.prod()
z.prod(1) | z.cumsum(1) | z.cumprod(0) | z.var() | z.std(1) | z @ w.T | z.T @ w | torch.mm(z, w.T) | z @ w[0]
torch.dot(z[0], w[1]) | torch.vdot(z[0], w[1]) | torch.outer(z[0], w[1]) | torch.bmm(z[None], w.T[None])
torch.einsum("ij,kj->ik", z, w) | torch.einsum("ij,ij->", z, w.conj()) | torch.addmm(z, z[:, :2], w)
torch.addmm(z, z[:, :2], w, beta=1j, alpha=2 - 1j) | torch.linalg.vecdot(z, w) | torch.nn.functional.linear(z, w)
z.view(3, 2) | z.reshape(6) | z.t() | z.transpose(0, 1) * w.T | z.unsqueeze(0) | z[0] | z[:, 1:] | z[z.abs() > 1]
z.flatten() | torch.cat([z, w]) | torch.cat([z, x]) | torch.stack([z, w]) | z.expand(2, 2, 3) | z.repeat(2, 1)
z.flip(0) | z.roll(1, 1) | torch.where(x > 0, z, w) | z.masked_fill(x > 0, 1j) | z.gather(1, torch.tensor([[0], [2]]))
z.index_select(1, torch.tensor([2, 0])) | z[torch.tensor([0, 0, 1])] | z.diagonal() | z.tril() | z.unbind(0)[1]
z.split(2, 1)[0] | z.to(torch.complex64) | x.to(torch.complex128) | z.clone() | torch.lerp(z, w, 0.25)
torch.addcmul(z, z, w, value=1j) | torch.addcdiv(z, z, w) | (z * z.conj()).real | z.double() | torch.kron(z, w)
torch.tensordot(z, w, dims=([1], [1])) | z.var(0, correction=0) | torch.nn.functional.pad(z, (1, 1))
z.T.contiguous() | torch.real(z) * torch.imag(w) | torch.diag(z[0]) | z.squeeze().trace()
"""
CASES = [e.strip() for line in EXPRESSIONS.strip().splitlines() for e in line.split(" | ")]


def leaves(library: Any) -> dict[str, Any]:
    d = {"z": library.complex128, "w": library.complex128, "x": library.float64}
    numbers = {"z": Z, "w": W, "x": X}
    return {name: library.tensor(numbers[name], dtype=d[name], requires_grad=True) for name in numbers}


def plain(t: Any) -> Any:
    return None if t is None else t.detach().resolve_conj().resolve_neg().numpy()


def loss(y: Any) -> Any:
    """A real number that depends on all parts, none like the other."""
    return ((y * (0.3 - 0.7j)).real.sin().sum() + (y.real * y.imag).sum()) if y.is_complex() else y.sin().sum()


def outcome(expression: str, library: Any) -> dict[str, Any]:
    given = leaves(library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Nothing of it comes from outside: the cases stand above.
        y = eval(expression, {"torch": library, **given})
        first = library.autograd.grad(loss(y), list(given.values()), create_graph=True, allow_unused=True)
        depends = [g for g in first if g is not None and g.requires_grad]
        total = sum((loss(g) for g in depends), start=library.zeros((), dtype=library.float64))
        second = [None] * 3
        if total.requires_grad:
            second = library.autograd.grad(total, list(given.values()), allow_unused=True)
    return {
        "text": repr(y.detach().resolve_conj()), "value": plain(y), "nodes": nodes(y),
        "first": [plain(g) for g in first], "second": [plain(g) for g in second],
        "backward nodes": [nodes(g) for g in depends],
    }  # fmt: skip


@pytest.mark.parametrize("expression", CASES)
def test_an_expression_is_what_it_is_in_pytorch(expression: str) -> None:
    ours, theirs = outcome(expression, gradcli), outcome(expression, torch)
    assert ours["nodes"] == theirs["nodes"]
    assert ours["value"].dtype == theirs["value"].dtype
    assert ours["text"] == theirs["text"]
    np.testing.assert_allclose(ours["value"], theirs["value"], rtol=1e-6, atol=1e-9)
    for what, tolerance in (("first", 1e-6), ("second", 1e-5)):
        for mine, its in zip(ours[what], theirs[what], strict=True):
            assert (mine is None) == (its is None)
            if mine is not None:
                assert mine.dtype == its.dtype
                np.testing.assert_allclose(mine, its, rtol=tolerance, atol=1e-8)
    assert ours["backward nodes"] == theirs["backward nodes"]


def test_calls_of_backward_add_complex_gradients_up() -> None:
    def run(library: Any) -> list[Any]:
        given = leaves(library)
        for _ in range(2):
            loss(given["z"] * given["w"] * given["x"]).backward()
        return [plain(t.grad) for t in given.values()]

    for mine, its in zip(run(gradcli), run(torch), strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-12)


WRITES = """
y = z * 1; y.mul_(w) | y = z * 1; y += x | y = z * 1; y[0] = w[1] | y = z * 1; y[:, 1] = 2j | y = z * 1; y.zero_()
y = z * 1; y.fill_(1j) | y = z * 1; y.copy_(x) | y = z * 1; y.exp_() | y = z * 1; y.t_()
y = z * 1; y[torch.tensor([0])] = w[:1] | y = x * 1j; y.add_(z) | y = z.clone(); y.masked_fill_(x > 0, 1j)
"""


@pytest.mark.parametrize("program", [p.strip() for line in WRITES.strip().splitlines() for p in line.split(" | ")])
def test_a_write_is_recorded_as_pytorch_records_it(program: str) -> None:
    def run(library: Any) -> tuple[Any, Any, Any]:
        names = {"torch": library, **leaves(library)}
        exec(program, names)
        y = names["y"]
        grads = library.autograd.grad(loss(y), [names[n] for n in "zwx"], allow_unused=True)
        return plain(y), nodes(y), [plain(g) for g in grads]

    (a, found, grads), (b, expected, wanted) = run(gradcli), run(torch)
    np.testing.assert_allclose(a, b, rtol=1e-12)
    assert found == expected
    for mine, its in zip(grads, wanted, strict=True):
        assert (mine is None) == (its is None)
        if mine is not None:
            np.testing.assert_allclose(mine, its, rtol=1e-9)


SAID = """
torch.tensor([1j, 2, True, 2.5]) | torch.tensor(1j, dtype=torch.complex128) | torch.zeros(2, dtype=torch.cfloat)
torch.ones(1, dtype=torch.cdouble) | torch.full((2,), 1j) | torch.full((2,), 1j, dtype=torch.float32)
torch.tensor(1j, dtype=torch.float32) | torch.tensor([1j], dtype=torch.int64) | torch.eye(2, dtype=torch.complex64)
torch.arange(3, dtype=torch.complex64) | torch.linspace(0, 1, 3, dtype=torch.complex64) | z.sum().backward()
z.abs().backward(torch.ones(2, 3, dtype=torch.complex128)) | z.backward(torch.ones(2, 3)) | z[0, 0].item()
complex(z[0, 0]) | float(z[0, 0]) | int(z[0, 0]) | z.detach().numpy() | z.conj().detach().numpy() | z.tolist()
z == w | z != 1j | torch.equal(z, z) | torch.isclose(z, z) | torch.isnan(z) | torch.isreal(z) | z.any() | z.all()
z.nonzero() | torch.finfo(torch.complex64) | torch.result_type(x, 1j)
torch.promote_types(torch.float64, torch.complex64) | z.is_complex() | z.is_floating_point() | torch.is_complex(x)
z.dtype.is_complex | z.element_size() | z.conj().is_conj() | z.is_conj() | z.dtype.to_complex() | z.float()
z.to(torch.int64) | z.bool() | torch.ones(2, dtype=torch.int32) * 1j | torch.ones(2) * 1j | torch.zeros(2).add_(1j)
torch.zeros(2).copy_(torch.tensor([1j, 2])) | x.imag | x.real is x | x.conj() is x
torch.complex(torch.ones(2), torch.ones(2).double()) | torch.complex(torch.ones(2).long(), torch.ones(2))
torch.view_as_real(x) | torch.view_as_complex(torch.ones(2, 2).long()) | torch.view_as_complex(torch.ones(2, 3))
torch.view_as_complex(torch.ones(2, 2).t()) | torch.view_as_real(z.conj()) | z.real.stride() | z.imag.storage_offset()
z.real.shape | z.storage_offset() | f"{z[0, 0].detach():.2f}" | torch.tensor([1e-9 + 1j, 1e9 - 2j])
torch.tensor([complex("nan"), complex("inf")]) | z | z.detach()[0, 0] | (z * 1).conj()
torch.zeros(2, 0, dtype=torch.complex64) | torch.tensor([[1 + 1j] * 3] * 40).shape | z.detach().type()
z.detach().to(torch.complex64) | torch.randn(3, dtype=torch.complex64) | torch.rand(5, dtype=torch.complex128)
torch.randn(20, dtype=torch.complex128)[:2] | torch.zeros_like(z) | torch.randn_like(z.detach())
torch.scalar_tensor(2, dtype=torch.complex64) | torch.full_like(z.detach(), 1j)
"""


def said(expression: str, library: Any) -> str:
    library.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return repr(eval(expression, {"torch": library, **leaves(library)})).replace("gradcli", "torch")
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}".replace("Engine", "Runtime")


@pytest.mark.parametrize("expression", [e.strip() for line in SAID.strip().splitlines() for e in line.split(" | ")])
def test_what_is_said_is_what_pytorch_says(expression: str) -> None:
    ours, theirs = said(expression, gradcli), said(expression, torch)
    if ": " in theirs and ours.partition(": ")[0].endswith("Error") and theirs.partition(": ")[0].endswith("Error"):
        ours, theirs = ours.partition(": ")[2].splitlines()[0], theirs.partition(": ")[2]
    assert ours == theirs


def test_a_conjugate_is_what_its_memory_holds_by_now() -> None:
    def run(library: Any) -> tuple[Any, ...]:
        z = library.tensor([1 + 2j, 3 - 1j])
        c, part, real = z.conj(), z.conj()[1:], library.view_as_real(z)
        z[1] = 5j
        real[0, 0] = 7
        z.imag[0] = -1
        return repr(c), repr(part), repr(z), c.is_conj(), part.is_conj(), c.conj().is_conj(), repr(c.real), repr(c.imag)

    assert run(gradcli) == run(torch)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")
def test_tangents_of_complex_numbers() -> None:
    torch = pytest.importorskip("torch")
    functions = {
        "product": lambda lib, z: z * z.conj() + 2j * z, "power": lambda lib, z: z**2.5, "abs": lambda lib, z: z.abs(),
        "angle": lambda lib, z: z.angle(), "parts": lambda lib, z: lib.complex(z.imag, z.real),
        "sgn": lambda lib, z: z.sgn(), "exp": lambda lib, z: z.exp() / (1 + z), "matmul": lambda lib, z: z @ z.mH,
        "inverse": lambda lib, z: lib.linalg.inv(z), "fft": lambda lib, z: lib.fft.fft(z),
        "real fft": lambda lib, z: lib.fft.rfft(z.real), "norm": lambda lib, z: z.norm(),
        "values": lambda lib, z: lib.linalg.eigvalsh(z + z.mH), "std": lambda lib, z: z.std(),
        "polar": lambda lib, z: lib.polar(z.abs(), z.angle()), "as real": lambda lib, z: lib.view_as_real(z) ** 2,
        "prod": lambda lib, z: z.prod(0),
    }  # fmt: skip
    z = [[1 + 0.5j, 0.3 - 0.2j], [0.4 + 0.1j, 2 - 1j]]
    t = [[0.1 + 0.2j, 1 - 0.3j], [2j, -1.0]]

    def tangent(lib: Any, function: Any) -> Any:
        of = [lib.tensor(x, dtype=lib.complex128) for x in (z, t)]
        return lib.func.jvp(lambda x: function(lib, x), (of[0],), (of[1],))[1].resolve_conj().tolist()

    for name, function in functions.items():
        np.testing.assert_allclose(tangent(gradcli, function), tangent(torch, function), rtol=1e-9, err_msg=name)


# -- the registry: whatever an op is given, it is right or refuses -------------------------------

offers.load_all()
SAMPLES = all_samples()
# Vectors whose phases are anyone's choice.
OF_ANY_PHASE = ("linalg_eig", "linalg_eigh", "linalg_svd")
OTHERS = sorted(name for name, op in OPS.items() if name in SAMPLES and op.kind != "composite")


def _complex_samples(op: Op) -> list[tuple[list[Any], dict[str, Any]]]:
    """The samples of an op, with complex tensors in the place of real ones."""
    random = np.random.default_rng(5)

    def turned(x: Any) -> Any:
        if isinstance(x, (np.ndarray, np.generic)) and x.dtype == np.float64:
            return gradcli.tensor(np.asarray(x) + 1j * random.uniform(0.2, 0.9, np.shape(x)))
        if isinstance(x, (np.ndarray, np.generic)):
            return gradcli.tensor(x)
        return type(x)(map(turned, x)) if type(x) in (list, tuple) else x

    found = []
    for sample in SAMPLES[op.name]:
        bound = inspect.signature(op.forward).bind(*sample.args, **sample.kwargs)
        values = {name: turned(x) for name, x in bound.arguments.items()}
        if op.assumes is not None and op.assumes[1] == "symmetric":
            a = values[op.assumes[0]]
            values[op.assumes[0]] = gradcli.tensor(_hermitian(a.numpy()))
        by_place, by_name = op.parameters[: op.positional], op.parameters[op.positional :]
        found.append(([values[n] for n in by_place if n in values], {n: values[n] for n in by_name if n in values}))
    return found


def _hermitian(a: Any) -> Any:
    """Of matrices of which one triangle is read, what the other is taken to be: the conjugate."""
    return (a + np.conj(np.swapaxes(a, -1, -2))) / 2


def _flat(x: Any) -> list[Any]:
    if isinstance(x, Tensor):
        return [x]
    return [t for y in x for t in _flat(y)] if isinstance(x, (list, tuple)) else []


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("name", OTHERS)
def test_an_op_given_complex_tensors_has_a_twin_or_refuses(name: str) -> None:
    op = OPS[name]
    for args, kwargs in _complex_samples(op):
        inputs = [t for t in _flat([*args, *kwargs.values()]) if t.is_complex()]
        for t in inputs:
            t.requires_grad_()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = op.call(*args, **kwargs)
        except GradcliError:
            continue
        if not inputs:
            continue
        assert op in TWINS, f"{name} neither refuses complex tensors nor is declared for them"
        outs = [y for y in _flat(made) if y.requires_grad]
        if not outs:
            continue
        _assert_slopes(op, args, kwargs, inputs, outs)


def _assert_slopes(op: Op, args: Any, kwargs: Any, inputs: list[Tensor], outs: list[Tensor]) -> None:
    """The gradients are those of the real and of the imaginary part, against central differences."""
    random = np.random.default_rng(7)
    weights = [random.normal(size=y.shape) + 1j * random.normal(size=y.shape) for y in outs]

    def total(found: Any) -> Any:
        ys = [y.abs() if op.name in OF_ANY_PHASE else y for y in _flat(found) if y.requires_grad]
        return sum((y * gradcli.tensor(w)).real.sum() if y.is_complex() else (y * gradcli.tensor(w.real)).sum()
                   for y, w in zip(ys, weights, strict=True))  # fmt: skip

    grads = gradcli.autograd.grad(total(outs), inputs, allow_unused=True)
    h = 1e-6
    for t, g in zip(inputs, grads, strict=True):
        way = random.normal(size=t.shape) + 1j * random.normal(size=t.shape)
        way = _hermitian(way) if op.assumes is not None and op.assumes[1] == "symmetric" else way
        held = np.array(plain(t))
        ends = []
        for sign in (1, -1):
            with gradcli.no_grad():
                t.copy_(gradcli.tensor(held + sign * h * way))
            ends.append(float(total(op.call(*args, **kwargs))))
        with gradcli.no_grad():
            t.copy_(gradcli.tensor(held))
        slope = (ends[0] - ends[1]) / (2 * h)
        claimed = 0.0 if g is None else float(np.sum((np.conj(plain(g)) * way).real))
        assert abs(slope - claimed) <= 1e-5 * max(1.0, abs(slope)), f"{op.name}: {claimed}, not {slope}"


OF_ONE_TYPE = (
    "x.index_add(0, i, y)", "x.index_copy(0, i, y)", "x.put(i, y)", "x.index_put((i,), y)", "x.scatter(0, i, y)",
    "x.scatter_add(0, i, y)", "torch.addmm(x[None], y[None], y[None])", "torch.addmv(x, y[None], y)",
    "torch.baddbmm(x[None, None], y[None, None], y[None, None])", "x.addbmm(y[None, None], y[None, None])",
    "x.masked_scatter(x.bool(), y)",
)  # fmt: skip


@pytest.mark.parametrize("text", OF_ONE_TYPE)
def test_real_and_complex_tensors_do_not_meet_where_both_must_be_of_one_type(torch: Any, text: str) -> None:
    for d in (torch.float32, torch.complex128):
        names = {"x": torch.ones(1, dtype=d), "y": torch.ones(1, dtype=torch.complex64), "i": torch.tensor([0])}
        with pytest.raises(RuntimeError, match=r"same|match|equal"):
            eval(text, {"torch": torch, **names})


def test_what_stays_real_beside_complex_numbers(torch: Any) -> None:
    x, m, z = torch.ones(2), torch.tensor([True, False]), torch.tensor(3 + 0j)
    assert (x.masked_fill(m, z).tolist(), x.index_put((m,), z).tolist()) == ([3.0, 1.0], [3.0, 1.0])
    assert x.to(torch.complex64).masked_fill(m, z.to(torch.complex128)).dtype == torch.complex64
    assert torch.dist(x.int(), z).dtype == torch.float32
    with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
        x.masked_fill(m, z + 1j)
    with pytest.raises(RuntimeError, match="Converting complex Scalar to non-complex type"):
        x.index_fill(0, torch.tensor([0]), z)


def test_silu_of_complex_numbers_has_values_and_no_gradient(torch: Any) -> None:
    z = torch.tensor([1 + 2j, -3 + 0.5j])
    made = torch.nn.functional.silu(z)
    torch.testing.assert_close(made, torch.tensor([0.21454 + 2.44634j, -0.13797 - 0.04453j]), rtol=1e-3, atol=1e-4)
    with pytest.raises(RuntimeError, match="silu does not support automatic differentiation for outputs with complex"):
        torch.nn.functional.silu(z.requires_grad_())
    assert torch.linspace(-2, 5, 3, dtype=torch.complex64).tolist() == [-2, 1.5, 5]
    assert (torch.ones(2, 3) @ torch.ones(3, 1)).stride() == (1, 1)


@pytest.mark.parametrize("place", complex_twins._HOMES)
def test_the_homes_of_twins_are_named_by_places_that_there_are(place: str) -> None:
    engine = Path(complex_twins.__file__).parent
    folder, _, family = place.partition(".")
    assert any((room / folder / f"{family or '__init__'}.py").is_file() for room in (engine, engine / "ops"))
    assert (engine / "ops" / "complex" / f"{complex_twins._HOMES[place]}.py").is_file()


def test_numbers_that_are_none_are_replaced_in_both_parts(torch: Any) -> None:
    """PyTorch has no gradient of it."""
    z = torch.tensor([complex(1, float("nan")), complex(float("inf"), -2)])
    assert z.nan_to_num(0.5, 2.0).tolist() == [1 + 0.5j, 2 - 2j]
    assert torch.nan_to_num(z[0]).item() == 1
    with pytest.raises(RuntimeError, match="nan_to_num does not support automatic differentiation"):
        z.requires_grad_().nan_to_num()
