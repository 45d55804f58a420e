"""Generators that are left half-way: their ``finally`` and ``with`` end where CPython ends them."""

from __future__ import annotations

import gc

import pytest

from gradcli.errors import GradcliError

from ..running import printed

START = """
import contextlib, torch
def g(n):
    try:
        yield 1
        yield 2
    finally: print(n, end=' ')
"""

# What CPython 3.11 prints.
CASES = {
    "x = g(1); next(x); del x; print('after')": "1 after\n",
    "x = g(1); next(x); x = None; print('after')": "1 after\n",
    "def f():\n    y = g(1); next(y)\n    def inner(): return 1\n    return inner()\nprint(f())": "1 1\n",
    "for i, v in enumerate(g(1)): break\nprint('after')": "1 after\n",
    "def f():\n    for v, w in zip(g(1), g(2)): return v\nprint(f())": "2 1 1\n",
    "try:\n    for v in g(1): 1 / 0\nexcept ZeroDivisionError: print('caught')": "1 caught\n",
    "print(next(g(1)), any(x == 1 for x in g(2)))": "1 2 1 True\n",
    "def w(): yield from g(1)\nz = w(); next(z); del z; print('after')": "1 after\n",
    "a = [g(1), g(2)]\nfor x in a: next(x)\ndel a[0], x\nprint()\na.clear(); print('clear')": "1 \n2 clear\n",
    "def r(n):\n    try:\n        yield n\n        if n: yield from r(n - 1)\n    finally: print(n, end=' ')\n"
    "x = r(2); next(x); next(x); next(x); del x; print()": "0 1 2 \n",
    "@contextlib.contextmanager\ndef c():\n    try: yield\n    finally: print('out', end=' ')\ndef h():\n"
    "    with c(): yield 1\nfor v in h(): break\nprint('after')": "out after\n",
    "def m():\n    with torch.no_grad(): yield torch.is_grad_enabled()\nx = m(); print(next(x)); del x\n"
    "print(torch.is_grad_enabled())": "False\nTrue\n",
    "x = g(1); del x; print('never begun')": "never begun\n",
    "x = [g(3)]; next(x[0]); y = g(1); z = g(2); next(z); next(y); print('end')": "end\n1 2 3 ",
    "x = g(1); next(x)\ntry: 1 / 0\nexcept ZeroDivisionError: pass\nprint('end')": "end\n1 ",
    "class Node: pass\na = Node(); a.me = a; a.g = g(1); next(a.g); del a; print('a circle')": "a circle\n1 ",
    "import gc\nclass Node: pass\na = Node(); a.me = a; a.g = g(1); next(a.g); del a\ngc.collect()\n"
    "print('collected')\nfor i in range(3):\n    a = Node(); a.me = a; a.g = g(i); next(a.g)\n"
    "print('more')": "1 collected\nmore\n0 1 2 ",
    "def h():\n    try: yield 1\n    finally: print('me', end=' '); x.close()\nx = h(); next(x)\n"
    "print('end')": "end\nme ",
    "def h(n):\n    try: yield n\n    finally:\n        global kept\n        kept = g(n); next(kept)\n"
    "kept = h(7); next(kept); print('end')": "end\n",
    "kept = []\ndef h(a):\n    try: yield 1\n    finally: kept.append(a); print('kept', end=' ')\nclass Node: pass\n"
    "a = Node(); a.g = h(a); next(a.g); del a; print('end')": "end\nkept ",
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_they_end_where_cpython_ends_them(text: str) -> None:
    assert printed(START + text) == CASES[text]


def test_their_errors_are_shown_and_passed_by(capfd: pytest.CaptureFixture[str]) -> None:
    text = "def b():\n    try: yield 1\n    finally: raise KeyError('x')\ny = b(); next(y); del y; print('after')"
    assert printed(text) == "after\n"


@pytest.mark.parametrize(
    ("done", "said"),
    [("while True: pass", "steps"), ("eval('1')", "not in the spec language"), ("[1] * 10**9", "limit")],
)
def test_what_ends_a_program_ends_it_there_too(done: str, said: str) -> None:
    text = f"def b():\n    try: yield 1\n    finally:\n        {done}\ny = b(); next(y)\ndel y\nwhile True: pass\n"
    with pytest.raises(GradcliError, match=said):
        printed(text)
    with pytest.raises(GradcliError, match=said):
        printed(text.replace("del y\nwhile True: pass\n", ""))


def test_nothing_of_it_runs_once_a_run_is_over() -> None:
    text = START + "def keep(y): 1 / 0\ny = g(1); next(y)\nl = [y]; l.append(l)\nkeep(y)\n"
    with pytest.raises(GradcliError):
        printed(text)
    gc.collect()
