"""Writes to complex tensors and to views of them that are none by strides, beside PyTorch's."""

from __future__ import annotations

import ast
from typing import Any

import pytest

import gradcli
from gradcli.engine.methods import Later
from gradcli.errors import EngineError

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")

# Programs with complex Z() and real R() of two elements and P() of two pairs; the last expression is what is compared.
PROGRAMS = """
x = R(); z = Z(False); z.real.copy_(x); l = (z * z).abs().sum(); show(z, l) + grads(l, x)
x = R(); z = Z(False); z.imag.mul_(x); l = (z * z).abs().sum(); show(z, l) + grads(l, x)
x = R(); z = Z(); w = z * 2; w.real.mul_(x); l = (w * w).abs().sum(); show(w, l) + grads(l, x, z)
x = R(); z = Z(); w = z * 2; r = w.real; r.mul_(x); l = (r * 3).sum() + w.imag.sum(); show(w, r, l) + grads(l, x, z)
x = R(); z = Z(); w = z * 2; r = w.imag; w.mul_(1j); l = (r * x).sum(); show(w, r, l) + grads(l, x, z)
z = Z(); w = z * 2; v = T.view_as_real(w); w.mul_(1j); l = (v ** 2 * P(False)).sum(); show(v, l) + grads(l, z)
z = Z(); w = z * 2; v = T.view_as_real(w); v[..., 0].mul_(5); l = w.abs().sum(); show(w, v, l) + grads(l, z)
a = P(); b = a * 1; c = T.view_as_complex(b); c.mul_(1 + 2j); l = (b ** 3).sum(); show(b, c, l) + grads(l, a)
a = P(); b = a * 1; c = T.view_as_complex(b); b.mul_(3); l = (c * c).abs().sum(); show(b, c, l) + grads(l, a)
z = Z(); w = z * 2; c = w.conj(); w.mul_(1j); l = (c * (1 + 2j)).abs().sum(); show(w, c, l) + grads(l, z)
z = Z(); w = z * 2; c = w.conj(); c.mul_(1j); l = w.real.sum() + 2 * w.imag.sum(); show(w, c, l) + grads(l, z)
z = Z(); w = z * 2; i = w.conj().imag; i.mul_(3); l = w.real.sum() + 2 * w.imag.sum(); show(w, i, l) + grads(l, z)
z = Z(False); z.real = R(False); show(z)
x = R(); z = Z(); w = z * 2; w.real = x; l = w.abs().sum(); show(w, l) + grads(l, x, z)
x = R(); z = Z(); w = z * 2; w.imag[0] = x[1]; l = w.abs().sum(); show(w, l) + grads(l, x, z)
z = Z(); w = z * 1; w[0].real.mul_(2); l = w.abs().sum(); show(w, l) + grads(l, z)
z = Z(); w = z * 1; w.real[0] = 7.0; w.conj()[1] = 1j; l = (w * w).abs().sum(); show(w, l) + grads(l, z)
z = Z(); w = z * 1; v = w.conj(); v.zero_(); show(w, v)
z = Z(); w = z * 1; v = w.conj(); v.copy_(R()); show(w, v)
z = Z(False); v = z.conj(); v.fill_(1j); v.add_(2j); show(z, v)
z = Z(False); v = z.imag; z[0] = 5j; show(z, v)
z = Z(); w = z * 1; d = w.conj().detach(); d.mul_(2); show(w, d)
z = Z(False); i = z.conj().imag; i.unsqueeze_(0); i.mul_(3); show(z, i) + [i.is_neg(), i.stride()]
z = Z(); w = z * 1; c = w.reshape(1, 2).conj(); c.t_(); l = (c * c).imag.sum(); show(c, l) + grads(l, z) + [c.is_conj()]
z = Z(False); d = z.conj().data; d.mul_(2j); show(z, d) + [d.is_conj(), z._version]
z = Z(False); w = T.zeros(2, dtype=z.dtype); w.data = z.conj(); show(w)
z = Z(); w = z * 1; r = w.real; s = r.detach(); s.mul_(2); l = w.abs().sum(); show(w, r, s, l) + grads(l, z)
z = Z(); w = z * 1; a, b = w.real.unbind(); l = a * b; show(l) + grads(l, z)
z = Z(); w = z * 1; r = w.real; w.add_(1j); w.add_(2); l = (r * r).sum(); show(w, r, l) + grads(l, z)
z = Z(); c = z.conj(); [c._is_view(), c._base is z, c.data_ptr() == z.data_ptr(), c.stride(), c._version, z._version]
z = Z(); c = z.conj(); [c.is_conj(), c.conj().is_conj(), c.imag.is_neg(), T.real(c).is_neg()]
z = Z(); c = z.conj(); [x.is_conj() for x in (c.contiguous(), c.clone(), c.reshape(2, 1), c + 1, c[0])]
z = Z(False); z += 1j; z *= 2; z /= 1j; z -= R(False); z **= 2; show(z)
z = Z(); w = z * 1; w[w.real > 2] = 0; l = w.abs().sum(); show(w, l) + grads(l, z)
z = Z(); w = T.zeros(2, 2, dtype=T.complex128); w[0] = z; w[:, 1].real.add_(z.real[0]); l = w.abs().sum(); grads(l, z)
z = Z(); w = z * 1; h = w.reshape(1, 2).mH; h.mul_(2j); l = (w * (1 + 1j)).real.sum(); show(w, h, l) + grads(l, z)
z = Z(); w = z * 1; c = w.conj(); w.real.mul_(3); l = (c * c).imag.sum(); show(w, c, l) + grads(l, z)
z = Z(); w = z * 1; c = w.conj()[0:1]; w.mul_(3j); l = (c * c).imag.sum(); show(w, c, l) + grads(l, z)
z = Z(); c = T.complex(z.real, z.imag * 2); c.real.add_(c.imag.detach()); l = c.abs().sum(); show(c, l) + grads(l, z)
z = Z(False); z.resolve_conj().mul_(2); c = z.conj(); c.resolve_conj().mul_(2); show(z, c)
x = R(); z = T.zeros(2, 2, dtype=T.complex128); z[0] = x; l = (z * (1 + 2j)).abs().sum(); show(z) + grads(l, x)
x = R(); z = T.zeros(2, 2, dtype=T.complex128); z[0].add_(x); l = (z * z).imag.sum() + z.abs().sum(); grads(l, x)
"""


def ran(program: str, T: Any) -> Any:
    """What the last expression of a program is, in numbers."""

    def Z(requires_grad: bool = True) -> Any:
        return T.tensor([1 + 2j, 3 - 1j], dtype=T.complex128, requires_grad=requires_grad)

    def R(requires_grad: bool = True) -> Any:
        return T.tensor([0.5, 2.0], dtype=T.float64, requires_grad=requires_grad)

    def P(requires_grad: bool = True) -> Any:
        return T.arange(4.0, dtype=T.float64).reshape(2, 2).requires_grad_(requires_grad)

    def show(*tensors: Any) -> list[Any]:
        return [(t.grad_fn and t.grad_fn.name(), t.detach().resolve_conj().resolve_neg().tolist()) for t in tensors]

    def grads(loss: Any, *inputs: Any) -> list[Any]:
        """Of first order, of a walk that is recorded, and of second order."""
        plain = T.autograd.grad(loss, inputs, retain_graph=True)
        recorded = T.autograd.grad(loss, inputs, create_graph=True)
        again = sum(((g * g.conj()).real.sum() for g in recorded), start=T.zeros((), dtype=T.float64))
        second = T.autograd.grad(again, inputs, allow_unused=True) if again.requires_grad else ()
        return [None if g is None else g.resolve_conj().tolist() for g in (*plain, *recorded, *second)]

    room = {"T": T, "Z": Z, "R": R, "P": P, "show": show, "grads": grads}
    *statements, last = ast.parse(program).body
    exec(compile(ast.Module(statements, []), "program", "exec"), room)
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "program", "eval"), room)


@pytest.mark.parametrize("program", PROGRAMS.strip().splitlines())
def test_a_write_is_what_it_is_in_pytorch(program: str) -> None:
    ours, theirs = ran(program, gradcli), ran(program, torch)
    assert _rounded(ours) == _rounded(theirs)


def _rounded(found: Any) -> Any:
    if isinstance(found, (list, tuple)):
        return [_rounded(x) for x in found]
    if isinstance(found, (float, complex)):
        z = complex(found)
        return complex(round(z.real, 9) + 0.0, round(z.imag, 9) + 0.0)
    return found


@pytest.mark.parametrize(
    "program", [
        "z = Z(); w = z * 2; l = (w * w).abs().sum(); w.real.add_(1); grads(l, z)",
        "z = Z(); z.real.mul_(2)",
        "x = R(False); x += 1j; x",
    ],
)  # fmt: skip
def test_a_write_is_refused_as_pytorch_refuses_it(program: str) -> None:
    with pytest.raises(RuntimeError) as theirs:
        ran(program, torch)
    with pytest.raises(EngineError) as ours:
        ran(program, gradcli)
    assert str(ours.value).splitlines()[0].rstrip() == str(theirs.value).splitlines()[0].rstrip()


def test_a_part_is_written_to_before_any_was_read() -> None:
    """The method of a tensor that stands for one not yet read hands a value on."""
    gradcli.Tensor.real = Later("real")
    x = gradcli.tensor([1 + 2j, 3 - 1j])
    x.real = gradcli.tensor([5.0, 6.0])
    assert x.tolist() == [5 + 2j, 6 - 1j]
    gradcli.Tensor.T = Later("T")
    with pytest.raises(AttributeError, match="no setter"):
        x.T = x
