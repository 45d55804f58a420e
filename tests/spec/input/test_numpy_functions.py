"""Functions of NumPy's, `FILE::f`: they give NumPy's own numbers, and the derivatives of those."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.spec.input.named_inputs import binding
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from tests.rings import sampled

X = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6]])
V = np.array([0.5, -0.8, 1.3])
A = np.array([[2.0, 0.3, -0.4], [0.1, 1.7, 0.6], [-0.2, 0.5, 2.4]])

# What a function returns, of X (2, 3), V (3,) and A (3, 3).
RETURNED = """
np.exp(X) + np.sin(V)
np.sum(X, axis=0)
np.sum(X, axis=(0, 1))
np.sum(X, 1, keepdims=True) * X
X.mean(axis=1)
X.std()
X.std(axis=0, ddof=1)
np.var(X, axis=1)
np.max(X, axis=1)
X.max()
np.min(X)
np.ptp(X)
np.prod(X)
np.prod(X, axis=1)
np.cumsum(X)
np.cumsum(X, axis=1)
np.dot(A, V)
np.dot(X, A)
np.dot(V, V)
A @ V
V @ A
X @ A @ V
np.outer(V, V)
np.inner(X, V)
np.einsum('ij,jk->ik', X, A)
np.tensordot(X, A, axes=([1], [0]))
np.trace(A)
np.diag(A)
np.diag(V)
np.linalg.norm(X)
np.linalg.norm(X, axis=1)
np.linalg.inv(A)
np.linalg.det(A)
np.linalg.slogdet(A)[1]
np.linalg.solve(A, V)
np.linalg.eigvalsh(A + A.T)
np.linalg.cholesky(A @ A.T + np.eye(3))
np.linalg.matrix_power(A, 3)
X.T
X.reshape(3, 2)
X.reshape(-1)
X.ravel()[::-1]
X[:, ::-1]
X[0]
X[:, 1]
X[1, 2] * X[0]
X[X > 0]
X[[1, 0, 1]]
X[np.array([0, 1]), np.array([2, 0])]
X[..., 0]
X[:, None, :] - V
V[1:] - V[:-1]
np.diff(V)
np.diff(X, axis=0)
np.where(X > 0, X, 0.1 * X)
np.where(X > 0, 1.0, V)
np.clip(X, -0.5, 0.5)
np.clip(X, None, 0.5)
np.maximum(X, 0)
np.minimum(X, V)
np.abs(X)
np.sign(X) * X
np.square(X)
np.sqrt(X ** 2 + 1)
np.tanh(X)
np.arctan2(X, V)
np.hypot(X, V)
np.logaddexp(X, V)
np.log1p(X ** 2)
np.expm1(X)
np.power(X ** 2 + 1, V)
2.0 ** X
1.0 / (X + 3)
3 - X
-X + X / 2
X % 1.5
np.concatenate([X, A])
np.concatenate((X, X), axis=1)
np.concatenate([X.ravel(), V])
np.stack([V, V ** 2])
np.stack([V, V ** 2], axis=1)
np.hstack([V, V ** 2])
np.hstack([X, X])
np.vstack([V, V ** 2])
np.column_stack([V, V ** 2])
np.array([V[0], V[1] * V[2], 3.0])
np.array([[V[0], 1.0], [2.0, V[1]]])
np.append(V, 2.0)
np.tile(V, 2)
np.tile(V, (2, 1))
np.repeat(V, 2)
np.repeat(X, 2, axis=0)
np.roll(V, 1)
np.roll(X, 1, axis=1)
np.flip(X)
np.flip(X, 0)
np.pad(V, (1, 2))
np.pad(X, ((1, 0), (0, 2)))
np.sort(V)
np.sort(X, axis=0)
np.argsort(V) * V
np.sort(X, kind="mergesort")
np.argsort(V, kind="stable") * V + np.argsort(V, -1, "stable") * np.sort(V, 0, "mergesort")
V.argsort(kind="stable") * V
np.argmax(V) * V
np.median(X)
np.median(X, axis=0)
np.percentile(V, 30)
np.quantile(X, 0.4, axis=1)
np.average(X, weights=np.exp(X))
np.average(X, axis=1, weights=V)
np.trapezoid(V ** 2, dx=0.5)
np.interp(0.4 * V, np.array([-1.0, 0.0, 1.0]), V)
np.polyval([1.0, 2.0, 3.0], V)
np.convolve(V, np.array([1.0, 0.5]))
np.convolve(V, V, mode='same')
np.convolve(V, np.array([1.0, 0.5]), mode='valid')
np.tril(A)
np.triu(A, 1)
np.kron(V, V)
np.cross(V, A[0])
np.expand_dims(V, 0) * X
np.squeeze(X[:1])
np.swapaxes(X, 0, 1)
np.moveaxis(X, 0, 1)
np.broadcast_to(V, (2, 3)) * X
np.meshgrid(V, V)[0] ** 2
np.sinc(V)
np.nan_to_num(X)
np.isfinite(X) * X
np.zeros_like(X) + X
np.full((2,), V[0])
np.split(V, 3)[1]
np.array_split(V, 2)[0]
X.sum() / X.size + X.ndim + X.shape[1]
X.copy().flatten() * 2
X.clip(-1, 1).astype(float)
X.dot(A).take([0, 1], axis=1)
V.tolist()[0] * 0 + V
np.float64(2.0) * V
np.pi * V + np.e
np.linspace(0, 1, 3) * V
np.arange(3) * V
np.ones((3, 3)) @ V
np.eye(3) * V
np.random.RandomState(0).randn(3) * V
np.linalg.svd(A, compute_uv=False)
np.linalg.norm(V, 1)
np.piecewise(V, [V < 0, V >= 0], [lambda t: t ** 2, lambda t: np.sin(t)])
np.select([V < 0, V > 1], [V ** 2, V ** 3], V)
sum([v ** 2 for v in V])
max(V[0], V[1]) * 2
np.heaviside(V, 0.5) * V
np.allclose(V, V) * V
np.vdot(X, X)
len(V) * V
np.cbrt(X + 3)
abs(V)
np.float_power(X + 3, 1.5) if hasattr(np, 'float_power') else X
""".strip().split("\n")  # fmt: skip

PROGRAMS = {
    "written to": """
def f(X, V, A):
    out = np.zeros(3)
    for i in range(3):
        out[i] = V[i] ** 2 + X[0, i]
    return out
""",
    "written to by parts": """
def f(X, V, A):
    out = np.empty_like(X)
    out[:, 0] = X[:, 1] * 2
    out[:, 1:] = V[1:]
    out[0] += X[1]
    return out
""",
    "a view that is written to": """
def f(X, V, A):
    a = X * 2
    b = a[0]
    b *= V
    return a
""",
    "another name": """
def f(X, V, A):
    a = np.exp(X)
    b = a
    a /= a.sum(axis=1, keepdims=True)
    return b * X
""",
    "softmax": """
def f(X, V, A):
    z = X - X.max(axis=1, keepdims=True)
    p = np.exp(z)
    p /= p.sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(2), [0, 2]]).mean()
""",
    "an accumulator": """
def f(X, V, A):
    total = 0.0
    for row in X:
        total += row @ V
        for v in row:
            total -= v * v / 2
    return total
""",
    "Newton's method": """
def f(X, V, A):
    y = np.ones(3)
    for _ in range(20):
        y = y - (y ** 3 + y - V) / (3 * y ** 2 + 1)
    return y
""",
    "a mask": """
def f(X, V, A):
    r = np.abs(V)
    d = 0.7
    small = r <= d
    loss = np.empty_like(V)
    loss[small] = 0.5 * V[small] ** 2
    loss[~small] = d * (r[~small] - 0.5 * d)
    return loss.sum()
""",
    "a class": """
class Ridge:
    def __init__(self, strength):
        self.strength = strength
    def loss(self, w, X):
        return 0.5 * np.sum((X @ w - 1) ** 2) + self.strength * w @ w
def f(X, V, A):
    return Ridge(0.3).loss(V, X)
""",
    "a number turned round": """
def f(X, V, A):
    x = V[0]
    if x > 0:
        y = np.sin(x)
    else:
        y = x
    return float(2) * y + int(3.7) * x
""",
}  # fmt: skip


def functions() -> dict[str, str]:
    found = {text: f"def f(X, V, A):\n    return {text}\n" for text in RETURNED}
    return {name: f"import numpy as np\n\n{text}" for name, text in {**found, **PROGRAMS}.items()}


def in_numpy(text: str) -> Any:
    space: dict[str, Any] = {}
    exec(text, space)
    return space["f"]


def in_gradcli(text: str, folder: Path) -> tuple[np.ndarray[Any, Any], list[Any]]:
    """The value of a function and the gradient of the sum of what it returns."""
    path = folder / "given.py"
    path.write_text(text)
    inputs = [binding(f"{name}={array.tolist()}") for name, array in zip("XVA", (X, V, A), strict=True)]
    with Program(read(f"{path}::f"), bindings=inputs).recorded() as run:
        value = run.value
        grads = {leaf.name: leaf.tensor for leaf in run.leaves}
        if value.requires_grad:
            value.sum().backward()
        return value.detach().numpy(), [None if grads[n].grad is None else grads[n].grad.numpy() for n in "XVA"]


def slopes(f: Any, number: int) -> np.ndarray[Any, Any]:
    """The gradient of the sum, by differences."""
    at = [X.copy(), V.copy(), A.copy()]
    found = np.zeros_like(at[number])
    for index in np.ndindex(found.shape):
        sums = []
        for step in (1e-5, -1e-5):
            there = [a.copy() for a in at]
            there[number][index] += step
            sums.append(np.sum(f(*there)))
        found[index] = (sums[0] - sums[1]) / 2e-5
    return found


@sampled(4)
@pytest.mark.parametrize("name", functions())
def test_a_function_is_numpys_and_its_gradient_is_its_own(name: str, tmp_path: Path) -> None:
    text = functions()[name]
    f = in_numpy(text)
    value, grads = in_gradcli(text, tmp_path)
    expected = np.asarray(f(X.copy(), V.copy(), A.copy()))
    assert value.shape == expected.shape
    assert np.allclose(value, expected, 1e-12, 1e-14)
    for number, grad in enumerate(grads):
        true = slopes(f, number)
        assert np.allclose(np.zeros_like(true) if grad is None else grad, true, 1e-6, 1e-8), "XVA"[number]
