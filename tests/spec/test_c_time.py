"""What Python does in one go is charged before it is done: nobody can interrupt it."""

from __future__ import annotations

import pytest

from gradcli.errors import LimitError
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.language.machine import Machine
from tests import rings

from .running import program

MADE = """
from collections import deque
N = 100_000
ints = list(range(N))
few = ints[:1000]
long = ["a" * 90_000 + str(i) for i in range(100)]
same = [long[0]] * N
group = set(ints)
"""

# Of what is refused all steps may be used up before: in the ordinary ring of tests they are fewer.
LIMITS = STRICT if rings.is_full() else STRICT.replace(steps=STRICT.steps // 10)

# Steps of comparing a long string with 100,000 others.
EACH = 100_000 * 90_000 >> 13


def steps(call: str) -> int:
    """The steps that one call takes, among values made before."""
    machines: list[Machine] = []
    program(MADE, limits=STRICT).run(started=machines.append)
    before = machines[0].steps
    machines.clear()
    program(f"{MADE}{call}\n", limits=STRICT).run(started=machines.append)
    return before - machines[0].steps


@pytest.mark.parametrize(
    ("call", "least"),
    [
        # 10 rounds of comparing keys of 90,000 characters, of which 1,024 count as one step.
        ("sorted(few, key=lambda i: long[i % 100])", 1000 * 10 * 87),
        ("few.sort(key=lambda i: (long[i % 100], i))", 1000 * 10 * 87),
        ("sorted(few[:9], key=lambda i: ints)", 9 * 4 * 25_000),
        ("max(few, key=lambda i: long[i % 100])", 1000 * 87),
        ("same.count(long[1])", EACH),
        ("long[1][:-1] + 'x' in same", EACH),
        ("tuple(same).index(long[0])", EACH),
        ("deque(same).count(long[1])", EACH),
        ("group.union(ints, ints, ints)", 150_000),
        ("group.intersection(ints, group)", 100_000),
        ("group.update(ints, ints)", 100_000),
    ],
)
def test_comparing_what_is_long_takes_steps(call: str, least: int) -> None:
    assert steps(call) >= least


@pytest.mark.parametrize(
    "call",
    [
        "sorted(ints, key=lambda i: long[i % 100])",
        "sorted(ints, key=lambda i: (long[i % 100], i))",
        "sorted(few, key=lambda i: ints)",
        "ints.sort(key=lambda i: ints[:] or few)",
        "[same.count(long[1]) for _ in few]",
        "group.union(*[ints] * 1000)",
        "divmod(np.ones((20_000, 1)), np.ones((1, 20_000)))",
        "np.ones((20_000, 1)) == np.ones((1, 20_000))",
        "pow(np.ones((20_000, 1)), np.ones((1, 20_000)))",
    ],
)
def test_what_would_take_too_long_in_one_go_is_refused(call: str) -> None:
    with pytest.raises(LimitError) as caught:
        program(f"import numpy as np\n{MADE}{call}\n", limits=LIMITS).run()
    assert caught.value.code in ("E403", "E408")


@pytest.mark.parametrize(
    "call",
    [
        "sorted(ints, key=lambda i: -i)", "sorted(ints, key=lambda i: (i % 7, i))", "sorted(map(str, ints))",
        "sorted(few, key=str)", "max(ints, key=lambda i: (i % 7, -i))", "'5' in list(map(str, ints))", "few.count(3)",
        "group & set(few)", "group.union(few)", "sorted(long)", "long[3] in long",
    ],
)  # fmt: skip
def test_what_ordinary_programs_do_takes_few_steps(call: str) -> None:
    assert steps(call) < 800_000


def test_sets_of_several_iterables_are_what_python_makes_of_them() -> None:
    text = (
        "s = {1, 2, 3}\nprint(s.union([4], (5,)), s.intersection([1, 2], {2: 0}), s.difference([1], [2]), s.union())\n"
        "s.update([7], [8])\nprint(s, s.update(), frozenset(s).difference([7], [8]))\n"
        "s.intersection_update([1, 2, 3], [2, 3])\nprint(s)\ns.difference_update([2], [3])\nprint(s)"
    )
    parts: list[str] = []
    program(text).run(parts.append)
    assert "".join(parts) == (
        "{1, 2, 3, 4, 5} {2} {3} {1, 2, 3}\n{1, 2, 3, 7, 8} None frozenset({1, 2, 3})\n{2, 3}\nset()\n"
    )


@pytest.mark.parametrize("data", ["[range(n)]", "[range(n)] * 200", "[[[[range(n)]]]]", "(1, range(n))"])
@pytest.mark.parametrize("make", ["torch.tensor", "torch.as_tensor", "torch.stack", "x.new_tensor"])
def test_a_range_counts_as_the_list_that_is_made_of_it(make: str, data: str) -> None:
    text = f"import torch\nn = 10 ** 12\nx = torch.ones(2)\n{make}({data})"
    with pytest.raises(LimitError, match="this makes a list of 1,000,000,000,000 items") as found:
        program(text).run()
    assert found.value.code == "E405"
