"""NumPy beside PyTorch."""

import numpy as np
import torch

np.random.seed(0)
a = np.arange(6.0).reshape(2, 3)
print(
    np.full_like(a, 7),
    np.cov(a),
    np.corrcoef(a),
    np.bincount(np.array([0, 1, 1, 3])),
    np.polyfit([0, 1, 2, 3], [1, 3, 5, 7.2], 1),
    np.polyval([1, 2], 3),
)
print(
    np.interp(1.5, [1, 2], [10, 20]),
    np.logspace(0, 2, 3),
    np.geomspace(1, 8, 4),
    np.tri(3),
    np.tril_indices(3),
    np.triu_indices(3, 1),
    np.dstack([a, a]).shape,
)
print(
    np.take(a, [0, 2], axis=1),
    np.broadcast_to([1, 2], (2, 2)),
    np.insert([1, 2, 3], 1, 9),
    np.delete(np.arange(5), [1, 3]),
    np.gradient(np.array([1.0, 4, 9])),
    np.digitize([1, 5], [0, 2, 4]),
)
print(
    np.searchsorted([1, 3, 5], 4),
    np.take_along_axis(a, np.array([[0], [1]]), 1),
    np.isscalar(3),
    np.split(np.arange(4), 2),
    np.unravel_index(4, (2, 3)),
)
print(
    np.kron([1, 2], [1, 1]),
    np.convolve([1, 2, 3], [0, 1, 0.5]),
    np.convolve([1, 2, 3], [0, 1], mode="same"),
    np.inner([1, 2], [3, 4]),
    np.tensordot(a, a, axes=([1], [1])),
    np.cross([1, 0, 0], [0, 1, 0]),
)
print(
    np.diagonal(a),
    np.rot90(a),
    np.trapezoid([1, 2, 3]),
    np.isin([1, 2], [2]),
    np.union1d([1], [2]),
    np.intersect1d([1, 2], [2]),
    np.setdiff1d([1, 2], [2]),
)
m = np.array([[2.0, 1.0], [1.0, 3.0]])
print(
    np.linalg.cholesky(m),
    np.linalg.cond(m),
    np.linalg.eigvalsh(m),
    np.linalg.matrix_power(m, 3),
    np.linalg.matrix_rank(m),
    np.linalg.slogdet(m),
    np.linalg.norm(m, axis=1, keepdims=True),
)
w, v = np.linalg.eigh(m)
print(w, v, np.linalg.eigh(m).eigenvalues)
u, s, vt = np.linalg.svd(a, full_matrices=False)
print(s, u.shape, vt.shape, np.linalg.lstsq(a.T, np.ones(3), rcond=None)[0], np.linalg.qr(m))
w, v = np.linalg.eig(m)
print(w)
print(
    np.random.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 3),
    np.random.binomial(10, 0.5, 4),
    np.random.laplace(size=2),
    np.random.lognormal(0, 1),
    np.random.triangular(0, 1, 2),
)
print(
    np.random.default_rng(0).multivariate_normal([0.0, 1], np.eye(2), size=2),
    np.random.RandomState(0).binomial(1, 0.3, size=(2, 2)),
)
print(
    np.degrees(np.pi),
    np.hypot(3, 4),
    np.sinc(0.5),
    np.fix(-1.5),
    np.dtype("float32"),
    np.dtype(np.int64) == np.int64,
    np.int8(3),
    np.array([1.5], dtype=np.float16),
    np.float16(0.1),
)
b = np.zeros(3)
b.fill(2)
print(b, b.strides)
c = np.array([3, 1, 2])
c.sort()
print(c, c.take([0]), c.searchsorted(2))
a = np.arange(6.0).reshape(2, 3)
for x in np.nditer(a):
    print(x, end=" ")
print()
for x in np.nditer(a.T):
    print(x, end=" ")
it = np.nditer(a, flags=["multi_index"], op_flags=["readwrite"])
while not it.finished:
    ix = it.multi_index
    print(ix, it[0], end=" ")
    it.iternext()
with np.nditer(a, op_flags=["readwrite"]) as it:
    for x in it:
        x[...] = 2 * x
print(a, list(np.ndindex(2, 2)), list(np.ndenumerate(np.array([5, 6]))))
f = np.vectorize(lambda x, y: x + y if x > 2 else 0)
print(f(a, 1), f(3, 4), np.apply_along_axis(lambda r: r.sum(), 1, a), np.apply_along_axis(lambda r: r * 2, 0, a))
print(np.c_[[1, 2], [3, 4]], np.r_[1:4, 7], np.mgrid[0:2, 0:3], np.mgrid[0:1:3j], np.c_[np.ones(2), a[:, :1]])
with np.errstate(divide="ignore"):
    print(np.log(np.array([0.0])))
np.testing.assert_allclose(a, a)
np.testing.assert_array_almost_equal([1.0], [1.0000001])
try:
    np.testing.assert_allclose([1.0], [2.0])
except AssertionError as e:
    print("AE")
t = torch.tensor([[1.0, 4.0], [9.0, 16.0]])
for name in "sqrt log abs square floor sign negative isnan argsort squeeze cumsum".split():
    print(name, getattr(np, name)(t))
print(np.maximum(t, 2), np.power(t, 2), np.greater(t, 2), np.argmax(t), np.clip(t, 2, 5), np.sqrt(t[0, 1]))
