# ruff: noqa: E501 (programs on one line)
"""The memory of arrays, and functions that make or count them, beside NumPy itself."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.errors import GradcliError

from ..running import printed, printed_by_python

_BEGIN = "import numpy as np\nfrom numpy.lib.stride_tricks import as_strided, sliding_window_view\na = np.arange(6).reshape(2, 3)\nx = np.arange(6)\nc = np.array([1 + 2j, 3j])\n"
TEXTS = [
    "o = np.ones((2, 3), order='F')\nprint(o.flags, o.flags.f_contiguous, o.flags['F'], np.copy(a, order='F').flags.f_contiguous, np.isfortran(a.copy('F')))",
    "print(a.mT, a.tobytes('F') == a.T.tobytes())",
    "c.real = 5\nc.imag = [1, 2]\nx.flat = 3\nprint(c, x)",
    "x.shape = 2, 3\nprint(x)\nx.shape = -1\nprint(x)\nx.resize((3, 2))\nprint(x, np.array([3, 1, 2, 0]).partition(1))",
    "v = as_strided(x, (4, 3), (8, 8))\nv[0, 1] = 99\nprint(v, x, sliding_window_view(x, 3), sliding_window_view(a, (2, 2)).shape)",
    "x.flags.writeable = False\ntry:\n    x[0] = 1\nexcept ValueError as e:\n    print(e)\nx.flags.writeable = True\nx[0] = 7\nx.setflags(write=False)\nprint(x, x.flags['WRITEABLE'])",
    "try:\n    sliding_window_view(x, 3)[0] = 1\nexcept ValueError as e:\n    print(e)\ntry:\n    np.array([1.5]).astype(int, casting='safe')\nexcept TypeError as e:\n    print(e)",
    "print(np.packbits([1, 0, 1, 1, 0, 0, 0, 1, 1]), np.unpackbits(np.array([7], np.uint8), count=4, bitorder='little'), np.sort_complex([2, 1 + 1j]))",
    "print(np.interp([-180, 200], [190, -190, 350, -350], [5, 10, 3, 4], period=360), np.indices((2, 3), sparse=True), np.isin([1, 2], {1}))",
    "b = np.zeros((6, 2))\nnp.fill_diagonal(b, 4, wrap=True)\nprint(b, np.choose([2, 4, 1], [[0, 1, 2], [3, 4, 5], [6, 7, 8]], mode='clip'), np.take(x, [7, -9], mode='wrap'))",
    "print(np.geomspace(1, 256, num=9, dtype=int), np.logspace(2.0, 3.0, num=4, base=[2.0, 3.0], axis=-1), np.linspace([0, 1], [2, 3], 3), np.meshgrid([1, 2], [3, 4, 5], sparse=True))",
    "print(np.histogram_bin_edges([0, 0, 0, 1, 2, 3, 3, 4, 5], bins='auto'), np.histogram([1.0, 2, 2.5, 7], bins='sturges'), np.histogram2d([1, 2, 3], [1, 2, 2.0], bins=[[0, 2, 4], [0, 1, 3]]))",
    "h, e = np.histogramdd(np.arange(30).reshape(10, 3) % 7, bins=(2, 3, 2))\nprint(h, e)",
    "s = np.arange(25).reshape(5, 5)\nprint(np.einsum(s, [0, 0]), np.einsum(s, [0, ...], [...]), np.einsum(s, [0, 1], s, [1, 2], [0, 2], optimize='greedy'), np.einsum('ij,jk,kl->il', s, s, s, optimize=True)[0])",
    "print(np.finfo(np.float32), repr(np.finfo(float)), np.finfo(float).smallest_normal, np.iinfo(np.int8), repr(np.iinfo(int)), np.finfo(np.float16).dtype, np.finfo(1.0).eps)",
    "print(a.cumsum(1, dtype=float), a.cumsum(axis=0, dtype=np.int8), np.linalg.cond([[2, 0], [0, 1.0]], None), np.zeros_like(a, shape=(2,)))",
    "print(np.conj is np.conjugate, np.abs.__name__, np.mod is np.remainder, np.common_type(np.float32(1), x), np.isdtype(np.float32, 'real floating'), np.get_printoptions())",
    "np.set_printoptions(formatter={'float': '{: 0.3f}'.format}, nanstr='none')\nprint(np.array([1.0, 2.5]), a)",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_as_numpy(text: str) -> None:
    with np.printoptions():
        wanted = printed_by_python(_BEGIN + text)
    assert printed(_BEGIN + text) == wanted


@pytest.mark.parametrize(("text", "message"), [
    ("as_strided(x, (4, 4), (8, 8))", "leads out of the memory of its array"),
    ("as_strided(x, (2,), (-8,))", "leads out of the memory of its array"),
    ("as_strided(x, (10**6, 10**6), (0, 0))", "the limit is"),
    ("as_strided(x, (2**62,), (8,))", "the limit is"),
    ("x.resize((100,))", "gives an array other memory"),
    ("np.matrix([[1]])", "np.matrix is not in gradcli"),
    ("np.broadcast_to(1, 3).flags.foo", "no attribute"),
    ("np.unpackbits(np.zeros(2, np.uint8), count=10**12)", "the limit is"),
    ("np.histogram(np.append(np.linspace(0, 1e-9, 99), 1e9), bins='fd')", "the limit is"),
    ("np.linspace(np.zeros(10**4), 1, 10**5)", "the limit is"),
])  # fmt: skip
def test_what_leads_out_of_an_array_is_refused(text: str, message: str) -> None:
    with pytest.raises(GradcliError, match=message):
        printed(_BEGIN + text)


def test_an_array_of_a_tensor_is_shaped_and_locked_by_itself() -> None:
    text = (
        "import torch\nt = torch.ones(2, 3)\nn = t.numpy()\nn.shape = (6,)\nn.flags.writeable = False\nt.add_(1)\n"
        "print(t.shape, n)"
    )
    assert printed(text) == "torch.Size([2, 3]) [2. 2. 2. 2. 2. 2.]\n"
