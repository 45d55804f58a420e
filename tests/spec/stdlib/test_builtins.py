# ruff: noqa: E501 (programs on one line)
"""The builtins: Python's own results and words, and what stops them where Python would go on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from gradcli import ones, tensor, zeros
from gradcli.errors import LimitError, SpecError
from gradcli.spec.guard.limits import STRICT, too_many_steps
from gradcli.spec.guard.size_limits import DEEPEST, caps, checked_int, power
from gradcli.spec.stdlib.builtin_functions import builtins_for
from gradcli.spec.stdlib.iteration import Enumerate, Filter, Generator, Map, Zip, contains, iterate, iterator
from gradcli.spec.values import attributes

from ..record_values import printed as printed_by_python, program, without_addresses
from ..running import printed

# Each is run by Python itself and in a spec.
EXPRESSIONS = [
    # constructors
    "int('12'), int('ff', 16), int('12', base=8), int(3.9), int(), int(True), float('1e3'), float(), bool([]), bool('a')",
    "str(1.5), str(), str([1]), str(object='a'), list('ab'), list(), tuple([1]), tuple(), set([1, 1]), frozenset([1])",
    "dict(a=1), dict([(1, 2)]), dict([(1, 2)], b=3), dict(zip('ab', [1, 2])), dict({'a': 1}), dict(), list(range(5))",
    "int('x')", "int([])", "int(float('inf'))", "float('x')", "float([])", "bool(1, 2)", "str(1, 2)", "list(1)",
    "list(1, 2)", "tuple(1)", "set([[1]])", "set(1)", "dict(1)", "dict([1])", "dict([(1, 2, 3)])", "dict([[[], 1]])",
    "type()", "type(1, 2)", "range('a')", "range(1, 2, 0)", "range()", "slice(1, 2), slice(3).stop",
    # walks
    "sorted([3, 1, 2]), sorted('bca', reverse=True), sorted(['b', 'A'], key=str.upper), sorted({2, 1}), sorted([])",
    "sorted({'b': 1, 'a': 2}.items(), key=lambda kv: kv[1]), sorted([[2], [1, 5]]), sorted(range(3), key=lambda v: -v)",
    "max([1, 5, 2]), min(3, 1), max('abc', 'b', key=len), max([], default=7), min(range(3)), max(v * v for v in [1, 2])",
    "max([1, 1.0]), max([1.0, 1]), min({'b': 1, 'a': 2}), max([(1, 2), (1, 3)]), min([3], key=None), min('b', 'a')",
    "sum([1, 2.5]), sum([[1], [2]], []), sum([], 5), sum([True, True]), sum(v for v in [1, 2]), sum([0.1] * 10)",
    "sum([1, 2], start=3), sum(range(5)), sum(((1,), (2,)), ()), sum({1: 2}), sum(map(abs, [-1, 1]))",
    "any([0, 1]), all([]), any([]), all([1, 0]), any(v > 1 for v in [1, 2]), all('ab'), all({0: 1})",
    "list(zip([1, 2], 'ab')), list(zip()), list(enumerate('ab', 1)), list(enumerate('ab', start=2)), dict(enumerate('a'))",
    "list(map(lambda a, b: a + b, [1], [2, 3])), list(map(len, ['a', ''])), list(map(str, [1, 2.5])), list(map(int, '12'))",
    "list(filter(lambda v: v > 1, [1, 2, 3])), list(filter(None, [0, 1])), list(reversed([1, 2])), list(reversed('ab'))",
    "list(zip([1], [2], strict=True)), [i + j for i, j in zip([1], [2])], tuple(map(type, [1, 'a', None]))",
    "next(iter([1])), next(iter([]), 'end'), list(iter('ab')), next(zip([1], [2])), list(iter({1: 2})), next(map(abs, [-1]))",
    "next(iter([]))", "zip(1)", "map(1)", "map()", "map(len, 1)", "map(1, [1])", "list(map(1, [1]))", "enumerate(1)",
    "enumerate([1], 'a')", "filter(None, 1)", "list(zip([1], [1, 2], strict=True))", "zip().foo", "reversed({1})",
    "map(len)", "filter()", "enumerate()", "enumerate([1], foo=2)", "zip([], foo=1)", "list(enumerate(iterable=[1]))",
    "next([])", "iter(5)", "sum(['a'], '')", "sum(1)", "sum(['a'])", "sum([[1]])", "max()", "max(1)", "max([])", "min([])",
    "max([1], [2], foo=1)", "max(1, 2, default=3)", "max(1, 'a')", "sorted(1)", "sorted([1, 'a'])", "sorted([1], foo=2)",
    "sorted([1], key=3)", "any(1)", "all(None)", "len(5)", "len(zip())", "[1, 'a'].sort()", "[1, 2].sort(key=3)",
    # numbers
    "abs(-3), abs(-2.5), abs(True), round(2.567, 2), round(2.5), round(1234, -2), round(5, -30), round(1.5, None)",
    "round(number=1.26, ndigits=1), round(-0.5), round(1e300, 400), pow(2, 10), pow(2, 10, 7), pow(2, -1), pow(2.0, 0.5)",
    "divmod(7, 2), divmod(-7.5, 2), divmod(7, -2), bin(5), hex(255), oct(8), chr(97), ord('a'), hash(1), hash('a') == hash('a')",
    "pow(base=2, exp=3), pow(2, 3, mod=5), abs('a')", "pow('a', 2)", "pow(2, 3, 0)", "divmod(1, 0)", "divmod('a', 1)",
    "round('a')", "round(1.5, 'a')", "round(float('nan'))", "round(float('inf'))", "chr(-1)", "ord('ab')", "bin(1.5)",
    "hash([])", "hash({})", "{[]: 1}",
    # values
    "isinstance(1, int), isinstance('a', (int, str)), isinstance(int, type), issubclass(bool, int), isinstance(1, object)",
    "type(1) is int, type(type(1)), type(None), type([].append), callable(print), callable(3), id(1) == id(1)",
    "hasattr(1, 'real'), hasattr([], 'push'), getattr(1, 'nope', 5), getattr('a', 'upper')(), getattr(1, 'nope', None)",
    "repr('a'), ascii('\\xe9'), format(3.14159, '.2f'), format('a'), format(1, '>3'), format([1])",
    "getattr(1, 'nope')", "getattr(1, 2)", "hasattr(1, 2)", "setattr(1, 2, 3)", "setattr(1, 'a', 2)", "delattr(1, 'a')",
    "isinstance(1, 1)", "issubclass(1, int)", "format(1, 2)", "format(1, 'q')", "NotImplemented, Ellipsis, ...",
    # printing
    "print(1, 'a', [1, 'b'], sep='-', end='!'), print(), print('a', end=''), print(1, 2, sep=None, end=None), print(sep='x')",
    "print(1, foo=2)", "print(1, sep=2)", "print(1, 2, sep=2)", "print(1, end=3)", "print(*[1, 2], *'ab', flush=True)",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_gives_what_it_gives_in_python(expression: str) -> None:
    text = program(expression).split("\n", 4)[4]
    assert without_addresses(printed(text)) == printed_by_python(text)


@pytest.fixture
def builtin() -> dict[str, Any]:
    """The builtins, with nowhere to print to."""
    return builtins_for(lambda text: None)


def _code(function: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises((LimitError, SpecError)) as caught:
        function(*args, **kwargs)
    code: str = caught.value.code
    return code


# -- what there is not -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    "eval exec help globals locals compile __import__ breakpoint "
    "super property".split(),
)
def test_a_builtin_that_is_not_offered(builtin: dict[str, Any], name: str) -> None:
    assert name not in builtin


def test_uses_that_are_not_in_the_language(builtin: dict[str, Any]) -> None:
    for call in (
        lambda: builtin["print"](1, file=2),
        lambda: builtin["print"](1, file=sys.stderr),
        lambda: attributes.get(builtin["type"], "mro"),
    ):
        with pytest.raises((SpecError, AttributeError)):
            call()


def test_print_writes_once() -> None:
    written: list[str] = []
    show = builtins_for(written.append)["print"]
    show("a", 1.5, [tensor(1.0)])
    show("a", "b", sep="", end="")
    show()
    assert written == ["a 1.5 [tensor(1.)]\n", "ab", "\n"]


# -- limits ------------------------------------------------------------------------------------------


@pytest.fixture
def steps() -> Iterator[list[int]]:
    """The steps that were charged, of which a million are allowed."""
    counted = [0]

    def tick(n: int) -> None:
        counted[0] += n
        if counted[0] > 1_000_000:
            raise too_many_steps(STRICT)

    before, caps.tick = caps.tick, tick
    yield counted
    caps.tick = before


def test_a_walk_is_charged(builtin: dict[str, Any], steps: list[int]) -> None:
    builtin["sum"](range(1000))
    builtin["sum"]([1] * 1000)
    builtin["max"]([1] * 1000)
    builtin["any"]([0] * 1000)
    assert steps == [4000]


@pytest.mark.parametrize("name", ["sum", "min", "max", "all"])
def test_an_endless_walk_ends(builtin: dict[str, Any], steps: list[int], name: str) -> None:
    assert _code(builtin[name], range(1, 10**18)) == "E403"


def test_an_endless_search_ends(steps: list[int]) -> None:
    assert _code(contains, range(10**18), 0.5) == "E403"
    assert _code(contains, Map(abs, range(10**18)), -1) == "E403"
    assert _code(next, Filter(None, Map(lambda v: 0, range(10**18)))) == "E403"


def test_a_search_finds_what_is_there() -> None:
    assert [contains(range(3), v) for v in (2, 2.0, True, 3, "a", None)] == [True, True, True, False, False, False]
    assert [contains([1, [2]], v) for v in (1, [2], 3)] == [True, True, False]
    assert [contains({1: 2}, 1), contains("abc", "b"), contains(iterator(Zip([1])), (1,))] == [True, True, True]
    assert contains(tensor([1.0, 2.0]), 2.0) is True


def test_a_sum_of_lists_pays_for_its_copies(builtin: dict[str, Any], steps: list[int]) -> None:
    assert builtin["sum"]([[0]] * 100, []) == [0] * 100
    assert _code(builtin["sum"], [[0]] * 10**5, []) == "E403"


@pytest.mark.parametrize("name", ["list", "tuple", "set", "frozenset", "sorted"])
def test_nothing_longer_than_the_limit_is_made(builtin: dict[str, Any], name: str) -> None:
    from gradcli.spec.stdlib.builtin_types import constructor

    cls = builtin[name]
    make = constructor(cls) if isinstance(cls, type) else cls
    assert make is not None
    for values in (range(10**9), Map(abs, range(10**9)), Enumerate(range(10**9)), tensor([0.0]).expand(10**6)):
        assert _code(make, values) == "E405"
    assert len(make(range(100_000))) == 100_000


def test_an_integer_has_the_digits_that_python_writes_out(builtin: dict[str, Any]) -> None:
    most = 10**4300 - 1
    assert len(str(most)) == 4300
    assert [checked_int(n) for n in (-most, most)] == [-most, most]
    for call in (
        lambda: checked_int(most + 1),
        lambda: checked_int(-most - 1),
        lambda: power(10, 10**10),
        lambda: power(-3, 9_500),
        lambda: builtin["pow"](3, 10**9),
        lambda: builtin["sum"]([most, most]),
        lambda: list(Map(int, ["f" * 4_000], [16])),
    ):
        assert _code(call) == "E404"
    assert builtin["round"](1e300) == int(1e300)
    assert [power(2, 62), power(1, 10**18), power(-1, 10**18 + 1), power(0, 10**18)] == [2**62, 1, -1, 0]
    assert builtin["pow"](-8, 1 / 3) == (-8) ** (1 / 3)


def test_an_iterator_takes_its_values_from_few_others() -> None:
    it: Any = []
    for _ in range(DEEPEST):
        it = Map(str, it)
    assert list(it) == []
    assert _code(Map, str, it) == "E409"


def test_a_tensor_of_many_rows_is_not_taken_apart() -> None:
    assert _code(iterate, zeros(10**6)) == "E405"
    assert len(list(iterate(zeros(1000)))) == 1000


def _shared(times: int) -> Any:
    value: Any = ()
    for _ in range(times):
        value = (value, value)
    return value


def test_what_cannot_be_hashed_or_compared_in_time_is_refused(builtin: dict[str, Any]) -> None:
    from gradcli.spec.stdlib.builtin_types import CALLS

    value, same = _shared(60), _shared(60)
    for call in (
        lambda: builtin["hash"](value),
        lambda: CALLS[set]([value]),
        lambda: CALLS[dict]([(value, 1)]),
        lambda: builtin["sorted"]([value, same]),
        lambda: builtin["max"](value, same),
        lambda: builtin["max"]([1, 2], key=lambda v: value),
        lambda: contains([same], value),
        lambda: contains({1}, value),
        lambda: contains(Zip([same]), value),
    ):
        assert _code(call) == "E409"


# -- iterators ---------------------------------------------------------------------------------------


def test_an_iterator_is_used_up_once() -> None:
    it = Generator(iter([1, 2, 3]), "Module.parameters")
    assert next(it) == 1
    assert list(iterate(it)) == [2, 3]
    assert list(it) == []
    assert repr(it).startswith("<generator object Module.parameters at 0x")
    assert type(it).__name__ == "generator"


def test_functions_are_called_through_the_guard(builtin: dict[str, Any]) -> None:
    seen = []

    def guarded(function: Any) -> Any:
        seen.append(function)
        return function

    before, caps.guarded = caps.guarded, guarded
    try:
        list(Map(abs, [1]))
        list(Filter(abs, [1]))
        builtin["sorted"]([1], key=abs)
        builtin["max"]([1], key=abs)
        attributes.methods_of(list)["sort"]([1], key=abs)
    finally:
        caps.guarded = before
    assert seen == [abs] * 5


def test_a_sum_adds_with_the_guarded_plus(builtin: dict[str, Any]) -> None:
    before, caps.add = caps.add, lambda a, b: ("sum", a, b)
    try:
        assert builtin["sum"]([ones(1)])[:2] == ("sum", 0)
    finally:
        caps.add = before


def test_a_sum_of_tensors_records_as_in_pytorch(builtin: dict[str, Any]) -> None:
    a, b = tensor(1.0, requires_grad=True), tensor(2.0)
    total = builtin["sum"]([a, b])
    assert repr(total) == "tensor(3., grad_fn=<AddBackward0>)"
    assert total.grad_fn.next_functions[0][0].name() == "AddBackward0"
