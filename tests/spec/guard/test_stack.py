"""Whatever a program nests, a small stack holds: what Python frees or calls by recursion ends in a diagnostic."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a stack is as large as it was at the start")

SMALL = """
import os, resource, sys
_, hard = resource.getrlimit(resource.RLIMIT_STACK)
size = int(sys.argv[2]) << 10
resource.setrlimit(resource.RLIMIT_STACK, (size, size if sys.argv[3] == "for good" else hard))
os.execv(sys.executable, [sys.executable, "-m", "gradcli", "run", sys.argv[1], "--timeout", "60"])
"""
_, HARD = resource.getrlimit(resource.RLIMIT_STACK)
WIDE = HARD == resource.RLIM_INFINITY or HARD >= 64 << 20


def ended(text: str, folder: Path, kilobytes: int, how: str) -> tuple[int, str]:
    """The exit code of a program on a small stack, and what was said."""
    path = folder / "spec.py"
    path.write_text(text)
    start = [sys.executable, "-c", SMALL, str(path), str(kilobytes), how]
    done = subprocess.run(start, cwd=ROOT, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


# What holds itself, as deep as it may become: made from the one before, and freed.
CHAINS = {
    "deque": "deque([z])", "an iterator of a deque": "iter(deque([z]))", "defaultdict": "put(defaultdict(int), z)",
    "values of a defaultdict": "put(defaultdict(int), z).values()",
    "an iterator of those": "iter(put(defaultdict(int), z).items())",
    "list": "[z]", "tuple": "(z,)", "dict": "{1: z}", "items": "{1: z}.items()", "an iterator": "iter([z])",
    "reversed": "reversed([z])", "OrderedDict": "put(OrderedDict(), z)", "Counter": "put(Counter(), z)",
    "a method": "[z].append", "a function": "holding(z)", "an instance": "A(z)", "its method": "A(z).get",
    "an exception": "ValueError(z)", "a generator": "paused(z)", "a partial": "partial(print, z)",
    "a named tuple": "P(z)", "a context": "nullcontext(z)", "a data class": "D(z)",
}  # fmt: skip
NAMES = """
from collections import Counter, OrderedDict, deque, defaultdict, namedtuple
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
P = namedtuple("P", "z")
@dataclass
class D:
    z: object
class A:
    def __init__(self, z):
        self.z = z
    def get(self):
        return self.z
def put(made, z):
    made[1] = z
    return made
def holding(z):
    return lambda: z
def paused(z):
    def run():
        yield z
        yield z
    made = run()
    next(made)
    return made
"""


def test_what_is_nested_is_freed(tmp_path: Path) -> None:
    text = NAMES
    for name, made in CHAINS.items():
        text += f"z = None\nfor i in range(20_000):\n    z = {made}\nz = None\nprint({name!r})\n"
    assert ended(text, tmp_path, 1024, "for good") == (0, "".join(f"{name}\n" for name in CHAINS))


def test_graphs_and_chains_of_causes_are_freed(tmp_path: Path) -> None:
    text = (
        "x = y = torch.ones(2, requires_grad=True)\nfor i in range(20_000):\n    y = y + 1\n"
        "y.sum().backward()\nprint(x.grad)\ny = None\n"
        "z = None\nfor i in range(20_000):\n    try:\n        raise ValueError(i) from z\n"
        "    except ValueError as e:\n        z = e\nz = None\n"
        "z = torch.ones(1)\nfor i in range(20_000):\n    t = torch.ones(1)\n    t.before = z\n    z = t\nz = t = None\n"
        "m = nn.Linear(1, 1)\nfor i in range(2_000):\n    m = nn.Sequential(m)\nm = None\nprint('end')"
    )
    assert ended(text, tmp_path, 1024, "for good") == (0, "tensor([1., 1.])\nend\n")


@pytest.mark.skipif(not WIDE, reason="the stack may not become larger")
@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def __lt__(self, o):\n        return sorted([A(), A()])\nsorted([A(), A()])",
        "def f(x):\n    return sorted([x], key=f)\nf(1)",
        "def f(x):\n    return max([x, x], key=f)\nf(1)",
        "class A:\n    def __eq__(self, o):\n        return [self] == [o]\nA() == A()",
        "class A:\n    def __repr__(self):\n        return str([A()])\nrepr(A())",
        "def f(n):\n    yield from f(n + 1)\nlist(f(0))",
        "m = nn.Sequential()\nm.append(m)\nm(torch.ones(1))",
        "from functools import partial\nz = print\nfor i in range(90_000):\n    z = partial(z)\n    z.x = 1\nz()",
        "import copy\nclass A:\n    pass\nz = None\nfor i in range(20_000):\n    a = A()\n    a.n = z\n    z = a\n"
        "copy.deepcopy(z)",
        "class A:\n    pass\nA.f = classmethod(lambda cls: 1)\n"
        "for i in range(90_000):\n    A.f = classmethod(A.f)",
    ],
)
def test_what_calls_itself_through_python_ends_in_a_diagnostic(text: str, tmp_path: Path) -> None:
    code, said = ended(text, tmp_path, 512, "for now")
    assert (code, said.count("error[E406]") + said.count("error[E409]")) == (2, 1), said
