"""What Python does in one go is charged before it is done: nobody can interrupt it."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import pytest

from gradcli.errors import LimitError
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.guard.process_limits import held
from gradcli.spec.language.machine import Machine
from tests import rings
from tests.rings import sampled

from ..running import program

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
    running = program(MADE, limits=STRICT)
    machines.append(running.machine())
    running.run(machine=machines[-1])
    before = machines[0].steps
    machines.clear()
    running = program(f"{MADE}{call}\n", limits=STRICT)
    machines.append(running.machine())
    running.run(machine=machines[-1])
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


# -- the worst that calls in C are handed ------------------------------------------------------------

# The seconds of the processor after which a program is told to stop, and those that none may take.
TOLD, ENDED = 0.1 if rings.is_full() else 0.04, 5

ODD = """
import collections, copy, functools, itertools, math, operator, random
from collections import Counter, OrderedDict, deque
N = 100_000
ints = list(range(N))
text = "a" * N
class Same:
    def __hash__(self): return 1
    def __eq__(self, other): return self is other
alike = [Same() for _ in range(3000)]
doubled = []
for _ in range(90): doubled = [doubled, doubled]
deep = []
for _ in range(200): deep = [deep]
pairs = ()
for _ in range(90): pairs = (pairs, pairs)
"""

ENDLESS = (
    "itertools.count()", "itertools.repeat(0)", "itertools.cycle([0])", "itertools.repeat(0, 10**12)",
    "itertools.product(ints, ints, ints)", "itertools.permutations(range(20))", "range(10**15)",
    "itertools.combinations(range(100), 50)", "map(abs, itertools.repeat(0))",
    "filter(None, itertools.repeat(0))", "zip(itertools.count())", "itertools.accumulate(itertools.repeat(0))",
    "itertools.islice(itertools.count(), 10**15, None)", "itertools.groupby(itertools.repeat(0))",
    "itertools.chain(itertools.repeat(0))", "itertools.pairwise(itertools.count())",
    "itertools.zip_longest(itertools.count(), ints)", "enumerate(itertools.count())",
)  # fmt: skip
EATERS = (
    "list({})", "Counter({})", "sum(0 for _ in {})", "any(not x for x in {} if x == ())", "'x' in {}",
    "deque({}, maxlen=0)", "max({})", "dict.fromkeys({})", "OrderedDict.fromkeys({})", "''.join(map(str, {}))",
)  # fmt: skip
CALLS = (
    "Counter(alike)", "set(alike)", "dict.fromkeys(alike)", "Counter({i: 10**9 for i in ints}).total()",
    "[Counter(ints) & Counter(ints) for _ in ints]", "[Counter(ints) == Counter(ints) for _ in ints]",
    "Counter(text * 1) + Counter(text)", "list(Counter({1: 10**15}))", "Counter(ints).most_common()",
    "copy.deepcopy(doubled)", "copy.deepcopy(deep)", "copy.deepcopy(pairs)", "copy.deepcopy([text] * N)",
    "copy.deepcopy(alike)", "copy.deepcopy({a: [a] for a in alike})", "[copy.deepcopy(ints) for _ in ints]",
    "doubled == copy.copy(doubled)", "hash(pairs)", "{pairs, (pairs,)}", "repr(doubled)", "str(pairs)", "f'{doubled}'",
    "sorted([doubled, doubled[:]])", "'%s' % (pairs,)", "'{}'.format(doubled)",
    "int('9' * N)", "int('9' * 4000)", "int('f' * N, 16)", "int('1' * N, 2)", "[int('1' * 18) for _ in range(10**8)]",
    "float('9' * N)", "[float('0.' + '9' * 90_000) for _ in ints]", "['%.90000f' % 1e-308 for _ in ints]",
    "[f'{1e308:.90000f}' for _ in ints]", "format(1.0, '.999999999f')", "'%*d' % (10**10, 1)", "round(1e308, 10**9)",
    "round(5, -(10**18))", "2 ** 10**9", "pow(2, 10**18)", "pow(3, 10**18, 10**9 + 7)", "1 << 10**9",
    "math.factorial(10**9)", "math.comb(10**9, 10**8)", "math.perm(10**9)", "math.fsum(itertools.repeat(1.0))",
    "math.prod(itertools.repeat(1))", "0.5 in range(10**18)", "range(10**18).count(0.5)", "range(10**18).index(0.5)",
    "next(itertools.product(*[ints] * 1000))", "list(zip(*[ints] * 10_000))", "max(*[ints] * 1000)",
    "[('a' * 49_999 + 'b') in text for _ in ints]", "[text.count('a' * 50_000) for _ in ints]",
    "[text.rfind('b' + 'a' * 50_000) for _ in ints]", "text.replace('a', text)", "('\\t' * N).expandtabs(10_000)",
    "text.join([text] * 1000)", "[('b' * N).strip(text) for _ in ints]", "[text.startswith(('b',) * N) for _ in ints]",
    "functools.reduce(operator.mul, [10**18] * N)", "functools.reduce(max, itertools.repeat(1))",
    "deque(ints).rotate(10**18)",
    "random.sample(range(10**18), 10**9)", "random.choices(ints, k=10**9)", "random.getrandbits(10**9)",
    "isinstance(1, pairs)", "isinstance('a', (int,) * N)", "print(*[doubled])",
)  # fmt: skip


def ended(text: str) -> int:
    """How a process ends that is told to stop while it runs a program: 0 for a program in its limits, 4 for another."""
    import resource

    code = 1
    process = os.fork()
    if process == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (ENDED, ENDED))
            with held(STRICT, lambda frame: None, memory=None):
                signal.setitimer(signal.ITIMER_VIRTUAL, TOLD, 0.05)
                try:
                    code = _outcome(text)
                finally:  # nothing hears it outside
                    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        except LimitError:
            code = 4
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _outcome(text: str) -> int:
    def caught(f: Any) -> str:
        return f"try:\n    {f}\nexcept (TypeError, ValueError, OverflowError):\n    pass\n"

    program(ODD + caught(text), limits=STRICT).run()
    return 0


@sampled(4)
@pytest.mark.skipif(sys.platform != "linux", reason="it counts the processor's time as Linux does")
@pytest.mark.parametrize("call", [*CALLS, *(f"all(x != () for x in {source})" for source in ENDLESS)])
def test_no_call_in_c_outlasts_the_end_of_the_time(call: str) -> None:
    assert ended(call) in (0, 4)


@pytest.mark.skipif(sys.platform != "linux", reason="it counts the processor's time as Linux does")
@pytest.mark.parametrize("eater", EATERS)
def test_nothing_that_reads_to_the_end_outlasts_the_end_of_the_time(eater: str) -> None:
    for source in ENDLESS[:2]:
        assert ended(eater.format(source)) in (0, 4), source
