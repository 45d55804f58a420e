"""No array of objects of NumPy's own exists, by any door, and no method of a program's object is called from NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from gradcli.errors import GradcliError
from gradcli.spec.stdlib.small_numpy import matrices, random_arrays, waves
from gradcli.spec.stdlib.small_numpy.names import numpy

from ..running import printed, program

MADE = """
import math, operator, random
import numpy as np
class X:
    def __init__(self):
        self.asked = []
    def __radd__(self, other):
        return ("radd", type(other))
    def __rpow__(self, other):
        return ("rpow", type(other))
    def __rsub__(self, other):
        return NotImplemented
    def __iadd__(self, other):
        return ("iadd", type(other))
    def __mul__(self, other):
        return ("mul", type(other))
    def __eq__(self, other):
        return "equal"
    def __lt__(self, other):
        return "less"
    def __getitem__(self, i):
        return 1.0
    def __len__(self):
        return 2
    def __float__(self):
        return 1.0
class Bare:
    pass
x, bare = X(), Bare()
a, s = np.ones(2), np.ones(2).sum()
t = torch.ones(2)
"""


def holds_objects(value: Any) -> bool:
    """Whether an array of objects is among values."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_objects, value))
    array = getattr(value, "_a", value)
    return isinstance(array, (np.ndarray, np.generic)) and array.dtype.kind not in "biufc"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a + x", "('radd', <class 'numpy.ndarray'>)"), ("s + x", "('radd', <class 'numpy.float64'>)"),
        ("pow(a, x)", "('rpow', <class 'numpy.ndarray'>)"), ("a ** x", "('rpow', <class 'numpy.ndarray'>)"),
        ("x * a", "('mul', <class 'numpy.ndarray'>)"), ("operator.add(a, x)", "('radd', <class 'numpy.ndarray'>)"),
        ("sum([a, x])", "('radd', <class 'numpy.ndarray'>)"), ("a == x", "equal"), ("x == a", "equal"),
        ("s == x", "equal"), ("a > x", "less"), ("t + x", "('radd', <class 'torch.Tensor'>)"),
        ("a == None", "[False False]"), ("a != 'a'", "[ True  True]"), ("s == None", "False"),
        ("a + [1, 2]", "[2. 3.]"), ("(1, 2) * a", "[1. 2.]"), ("a < [0, 2]", "[False  True]"),
        ("a + range(2)", "[1. 2.]"), ("divmod(a * 7, 2)", "(array([3., 3.]), array([1., 1.]))"),
        ("[1.0] in np.ones((2, 1))", "True"), ("1 in a", "True"), ("a[[True, False]]", "[1.]"), ("a[[]]", "[]"),
    ],
)  # fmt: skip
def test_an_operator_on_an_array_is_the_object_s_own_or_that_of_numbers(expression: str, value: str) -> None:
    assert printed(f"{MADE}print({expression})") == f"{value}\n"


@pytest.mark.parametrize(
    "statement",
    [
        "a - x", "x - a", "a - bare", "bare - a", "a + bare", "bare + s", "s / bare", "a @ bare", "divmod(a, x)",
        "divmod(x, a)", "a + None", "a + 'a'", "a < None", "a < bare", "s < bare", "a @ {}", "a + print",
        "a | (lambda: 1)",
        "a += x", "a += bare", "a += None", "a[0] = bare", "a[:] = [x, x]", "a[:] = 'ab'", "a[[x]]",
        "a[[None]]", "a[x]", "a[['a']]", "a[(x, 0)]", "np.array([x])", "np.full(2, None)",
        "np.full(2, x)", "np.where([True], None, None)", "np.where([True], x, a)", "np.maximum(None, None)",
        "np.equal(None, 1)", "np.add(a, x)", "np.isclose(a, x)", "np.clip(a, x, 2)", "np.sum(a, x)",
        "np.concatenate([a, [x]])", "np.stack([a, x])", "np.dot(a, x)", "np.linspace(x, None)", "np.sum([a, [x, x]])",
        "np.random.normal(None)", "np.random.choice([x])", "np.random.permutation([x, x])", "np.linalg.norm([x])",
        "a.astype(x)", "np.zeros(3, dtype=x)", "np.zeros(3, x)", "np.zeros(3, dtype='U5')",
        "np.array([x, x], dtype=object) + a", "a + np.array([bare], object)", "np.maximum(np.full(2, x, 'O'), a)",
        "torch.tensor(np.empty(2, dtype=object))", "a[np.zeros(1, object)]", "np.array([x], dtype=object)",
        "np.zeros(3, object).astype('U5')",
        "np.zeros(3, dtype='M8[s]')",
        "a + [x, x]", "[x, 1] * a", "a == [x, x]", "a + [1, None]", "math.prod([a, bare])",
        "torch.full((2,), x)", "torch.tensor(None)", "t[0] = x",
        "t.fill_(x)", "torch.where(t > 0, x, t)", "t.clamp(x)", "torch.clamp(t, min=x)", "torch.tensor([1]).clip(x)",
        "torch.from_numpy(x)", "nn.Parameter(x)", "nn.Parameter([1.0])", "nn.Buffer(x)", "t.new_tensor(x)",
        "torch.add(t, x)", "torch.add(x, t)", "torch.zeros(3, dtype=x)", "t.to(x)", "torch.add(t, other=x)",
        "torch.cat([t, x])", "torch.stack((t, [x]))", "torch.lerp(t, t, x)", "x @ a", "t + [x]", "torch.mul(X, t)",
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused(statement: str) -> None:
    with pytest.raises(GradcliError):
        program(f"{MADE}{statement}\n").run()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("table", [numpy, matrices.names, random_arrays.names, waves.names])
def test_no_function_of_the_small_numpy_makes_an_array_of_objects(table: Any) -> None:
    odd: list[Any] = [None, "a", object(), [None], [[1, 2], [3]], [1, "a"], {1: 2}, 1j, b"a", [1, [2]], ()]
    odd += [2**70, [1, 2**70], ["a"], numpy()["array"](["a", "b"])]
    plain = [np.ones(2), 1, [1, 2]]
    functions = {n: f for n, f in table().items() if callable(f) and not isinstance(f, type)}
    # One of the functions sets how arrays print, which a run alone puts back.
    with np.printoptions():
        for (name, function), value in itertools.product(functions.items(), odd):
            for args in ((value,), (plain[0], value), (value, plain[0]), (plain[2], value, value), (1, 2, value)):
                try:
                    made = function(*args)
                except (GradcliError, TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
                    continue
                assert not holds_objects(made), (name, args)
