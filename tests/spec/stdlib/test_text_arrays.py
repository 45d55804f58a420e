# ruff: noqa: E501 (programs on one line)
"""Arrays of texts: what NumPy gives of them, and that nothing computes with them or makes them too large."""

from __future__ import annotations

import contextlib
import io

import pytest

from gradcli.errors import GradcliError

from ..running import printed, program

HEAD = """import numpy as np
import torch
a, labels = np.array(["b", "a", "c", "a"]), np.array(["cat", "dog"])
"""
SNIPPETS = [
    "print(np.char.upper(a), np.char.add(labels, '!'), np.char.multiply(a, 2), np.char.center('abc', 9, fillchar='*'), np.char.join('-', ['abc', 'de']))",
    "print(np.strings.replace(labels, 'o', '0'), np.strings.find(labels, 'o'), np.strings.str_len(labels), np.char.startswith(a, 'a'), np.char.zfill('5', 3))",
    "print(np.char.add(np.array([['a'], ['b']]), ['x', 'y']), repr(np.char.upper('a')), np.char.str_len(a).dtype, np.char.isalpha(a).all(), np.char.equal(a, 'a'))",
    "print(a, a.dtype, repr(a), repr(a.dtype), a.dtype.kind, a.shape, a.ndim, a.size, len(a), a.nbytes, a.itemsize)",
    "print(a[0], repr(a[0]), a[-1] == 'a', a[1:3], a[[0, 2]], a[np.array([3, 0])], a[a != 'a'], list(labels), a[None])",
    "print(a == 'a', a != 'a', a < 'b', 'a' == a, a == a[::-1], a == ['b', 'b', 'b', 'a'], a == 3, 'cat' in labels)",
    "print(np.unique(a), np.unique(a, return_counts=True), np.unique(a, return_inverse=True)[1], np.unique(['z', 'y']))",
    "print(np.sort(a), np.argsort(a), np.isin(a, ['a', 'c']), np.array_equal(a, a), np.concatenate([a, labels]))",
    "print(np.where(np.array([1, -1]) > 0, 'pos', 'neg'), np.where(a == 'a')[0], np.where(a == 'a', a, 'other'))",
    "m = np.array([['a', 'bb'], ['c', 'd']])\nprint(m, m.T, m[1, 0], m[:, 1], m[..., 0], m.ravel(), m.reshape(4), m[1])",
    "print(a.tolist(), a.copy(), np.array(['1.5', '2']).astype(float), np.array(['7']).astype(np.int64), float(np.array(['2.5'])[0]))",
    "print({k: i for i, k in enumerate(labels)}, sorted(labels), [k.upper() + '!' for k in labels], f'{a[0]:>3}|')",
    "a[0] = 'z'\na[1:3] = ['y', 'x']\nprint(a, isinstance(a, np.ndarray), type(a).__name__, np.repeat(labels, 2))",
    "np.random.seed(0)\nprint(np.random.choice(['x', 'y', 'z'], 4), np.random.choice(labels), np.stack([labels, labels]))",
    "print(labels[torch.tensor([[0.1, 0.9], [0.8, 0.2]]).argmax(1)], np.array(labels) is labels, np.asarray(a) == a)",
    "print(np.array('solo'), np.array(('a', 'b')), np.flip(a), np.squeeze(m := np.array([['q']])), m.shape, np.ndim(a))",
    "t = np.dtype(str)\nprint(t, repr(t), t.kind, t == str, np.array(['a', 'bc'], dtype=t), a.astype(t), np.asarray(['1'], t).astype(float))",
    "import io\nfor read in (np.genfromtxt, np.loadtxt):\n"
    "    read_text = lambda text, **options: print(repr(read(io.StringIO(text), **options)))\n"
    "    read_text('a 1 0 x\\nb 0 1 yy # z\\n', dtype=np.dtype(str))\n    read_text('a, 1 ,x\\nb,,yy\\n', dtype=str, delimiter=',')\n"
    "    read_text('a\\nb\\n', dtype=str)\n    read_text('a 1\\nb 2\\n', dtype=str, usecols=(1,))\n    read_text('a 1\\nb 2\\n', dtype=str, unpack=True)",
    "for x in (lambda: a[9], lambda: hash(a), lambda: torch.tensor(a)):\n"
    "    try:\n        x()\n    except Exception as error:\n        print(type(error).__name__, error)",
]


@pytest.mark.parametrize("text", SNIPPETS)
def test_an_array_of_texts_is_numpys(text: str) -> None:
    torch = pytest.importorskip("torch") if "torch." in text else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(HEAD if torch else HEAD.replace("import torch", ""), "", "exec"), names := {})
        exec(compile(text, "", "exec"), names)
    assert printed(HEAD + text + "\n") == out.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "np.sum(a)", "np.mean(a)", "np.max(a)", "a.sum()", "a + 'x'", "a * 2", "np.exp(a)", "np.ones(2) * labels",
        "torch.ones(2) + labels", "torch.from_numpy(a)", "torch.tensor([a])", "torch.cat([labels, labels])",
        "np.ones(2)[a]", "np.full(3, 'a')", "np.zeros(3, dtype=str)", "np.array(['a', x])", "np.array([1, 'a'])",
        "np.array([['a'], ['b', 'c']])", "a[0] = 3", "a[[0], [1]]", "a._texts", "a.view('f8')", "a.data", "a.flags",
        "a.base", "a.__array_interface__", "np.linalg.norm(a)", "np.ones(2)[0] = a", "np.array(a, dtype='O') + 1",
        "np.fft.fft(a)", "np.random.permutation(a)", "type(a)(3)", "a.tofile('x')", "a.dtype.of", "a.astype('O')",
        "np.ones(2).astype(np.dtype(str))", "np.zeros(2, np.dtype(str))", "np.array([1, 2], dtype=np.dtype(str))",
    ],
)  # fmt: skip
def test_nothing_computes_with_texts(text: str) -> None:
    with pytest.raises(GradcliError):
        program(f"{HEAD}{text}\n").run()


@pytest.mark.parametrize(
    "text",
    [
        "np.array(['x' * 90_000] + [''] * 90_000)", "np.repeat(np.array(['x' * 9_000]), 90_000)",
        "np.array(['x' * 90_000])[[0] * 90_000]", "np.where(np.ones(90_000) > 0, 'x' * 90_000, '')",
        "np.concatenate([np.array(['x' * 90_000]), np.array([''] * 90_000)])",
        "b = np.array(['x'] * 90_000)\nb.reshape(-1, 1) == b",
        "np.random.choice(['x' * 90_000], 90_000)",
    ],
)
def test_texts_are_counted_by_their_length(text: str) -> None:
    with pytest.raises(GradcliError) as caught:
        program(f"{HEAD}{text}\n").run()
    assert caught.value.code in ("E405", "E408")


def test_numbers_among_texts_are_texts_and_with_none_objects() -> None:
    text = """import numpy as np
mixed, gaps = np.array(['a', 1.5, True]), np.array(['a', None])
np.random.seed(0)
print(repr(mixed), gaps, gaps.dtype, np.random.choice(['C85', 'E46', None], 4, p=[0.3, 0.3, 0.4]), np.asarray([None, 2]))
print(np.array([['a', 1], ['b', 2]])[:, 1].astype(float))
"""
    assert printed(text) == "array(['a', '1.5', 'True'], dtype='<U32') ['a' None] object ['E46' None None 'E46'] [None 2]\n[1. 2.]\n"
