"""Generator functions: where they may pause, what stops them, and what a program learns of them."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError, LimitError, SpecError
from gradcli.spec.guard.limits import STRICT

from ..running import printed, program

COUNT = "def count(n):\n    for i in range(n):\n        yield i\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("def f():\n    a, b[(yield 1)] = 1, 2\n", 2, "the spec language has no yield at this place"),
        ("def f():\n    def g(x=(yield 1)):\n        pass\n", 2, "the spec language has no yield at this place"),
        ("def f():\n    return [(yield x) for x in y]\n", 2, "'yield' inside a comprehension"),
        ("yield 1\n", 1, "'yield' outside function"),
        ("class A:\n    yield 1\n", 2, "'yield' outside function"),
    ],
)
def test_a_yield_elsewhere_is_refused_at_its_place(text: str, line: int, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        program(text).run()
    assert caught.value.message == message
    assert caught.value.span is not None
    assert caught.value.span.line == line


def test_an_error_inside_is_told_at_its_line() -> None:
    with pytest.raises(GradcliError) as caught:
        program("def f():\n    yield 1\n    yield [][0]\nfor x in f():\n    pass\n").run()
    assert caught.value.message == "IndexError: list index out of range"
    assert caught.value.span is not None
    assert caught.value.span.line == 3


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    while True:\n        yield 1\nfor x in f():\n    pass",
        "def f():\n    while True:\n        yield 1\nsum(f())",
        "def f():\n    yield from f()\nnext(f())",
        "def f(g):\n    for x in g:\n        yield x\ng = [1]\nfor i in range(1100):\n    g = f(g)\nnext(g)",
    ],
)
def test_what_never_ends_meets_a_limit(text: str) -> None:
    with pytest.raises(LimitError):
        program(text, limits=STRICT.replace(steps=100_000)).run()


def test_an_exception_of_the_caller_is_none_of_the_generators() -> None:
    text = (
        "def f():\n    try:\n        raise ValueError('its own')\n    except ValueError:\n        yield 1\n"
        "g = f()\nnext(g)\ntry:\n    raise KeyError('mine')\nexcept KeyError:\n    next(g, None)\n"
        "    try:\n        raise\n    except KeyError as e:\n        print(e)\n"
    )
    assert printed(text) == "'mine'\n"


def test_a_generator_may_be_one_of_many_values() -> None:
    assert printed(f"{COUNT}a, *b = count(4)\nprint(a, b, [*count(2)], list(zip(count(2), 'ab')), 2 in count(3))") == (
        "0 [1, 2, 3] [0, 1] [(0, 'a'), (1, 'b')] True\n"
    )


def test_a_generator_is_printed_by_its_name() -> None:
    assert printed(f"{COUNT}print(count(1))").startswith("<generator object count at 0x")
    assert printed(f"{COUNT}print(type(count(1)), hasattr(count(1), 'gi_frame'))") == "<class 'generator'> False\n"


def test_tracing_knows_the_statements_of_a_generator() -> None:
    text = "x = torch.ones(2, requires_grad=True)\ndef f():\n    y = x * 2\n    yield y\nnext(f()).sum().backward()\n"
    run = program(text).run(trace=True)
    assert run.root is not None
    assert run.trace is not None
    span = run.trace.span_of(run.root.grad_fn.next_functions[0][0])
    assert span is not None
    assert span.line == 3


def test_the_end_of_an_iterator_is_caught_where_it_comes_about() -> None:
    text = (
        "def f(it):\n    while True:\n        try:\n            if True:\n                yield next(it)\n"
        "        except StopIteration:\n            return 'end'\n"
        "def h():\n    end = yield from f(iter([1, 2]))\n    print(end)\nprint(list(h()))\n"
    )
    assert printed(text) == "end\n[1, 2]\n"


def test_outside_of_the_generator_it_is_another_error() -> None:
    text = (
        "def f():\n    yield 1\n    next(iter([]))\n"
        "def g():\n    try:\n        yield from f()\n    except StopIteration:\n        print('never')\n"
        "    except RuntimeError as e:\n        print(e)\nprint(list(g()))\n"
    )
    assert printed(text) == "generator raised StopIteration\n[1]\n"
    with pytest.raises(GradcliError) as caught:
        program("def f():\n    yield 1\n    next(iter([]))\nlist(f())\n").run()
    assert caught.value.span is not None
    assert caught.value.span.line == 3


# Texts of functions -> what they are sent after the first value, and what they give in all, as Python has it.
_ANYWHERE = [
    ("print('in', (yield a), (yield a + 1))", [10, 20], [1, 2, ("end", None)]),
    ("return [(yield 'x'), *(yield 'y'), (yield 'z')]", [1, [2, 3], 4], ["x", "y", "z", ("end", [1, 2, 3, 4])]),
    ("return {'k': (yield 1), (yield 2): 3}", [7, "v"], [1, 2, ("end", {"k": 7, "v": 3})]),
    ("return (yield 1) + a * (yield 2)", [5, 6], [1, 2, ("end", 11)]),
    ("return (yield 1) and (yield 2) or (yield 3)", [0, 9], [1, 3, ("end", 9)]),
    ("return 1 < (yield 1) < (yield 2)", [0], [1, ("end", False)]),
    ("return (yield 1) if (yield 2) else (yield 3)", [0, 5], [2, 3, ("end", 5)]),
    # What was computed before a pause stays as it was.
    ("b = [a]; c = f'{b}{(yield b)}{b}'; return c", ["-"], [[1], ("end", "[1]-[1, 9]")]),
    ("b = [0, 0]; b[(yield 1)] = (yield 2); b[0] += yield 3; return b", [7, 1, 4], [2, 1, 3, ("end", [4, 7])]),
    ("while (yield a):\n        a += 1\n    return a", [1, 1, 0], [1, 2, 3, ("end", 3)]),
    ("for x in (yield 0):\n        if (yield x): return x", [[5, 6], 0, 1], [0, 5, 6, ("end", 6)]),
    ("with (yield 1) as b: return b", ["opened"], [1, ("end", "opened")]),
    ("match (yield 1):\n        case [x, y] if (yield x): return y", [[3, 4], 1], [1, 3, ("end", 4)]),
    ("assert (yield 1), 'no'; raise ValueError((yield 2))", [1, "why"], [1, 2, ("ValueError", ("why",))]),
    ("b = {1: 2, 3: 4}; del b[(yield 1)]; return b", [3], [1, ("end", {1: 2})]),
    ("while (b := (yield a)) and (c := [(yield 'c')]): a += c[0]\n    return a", [1, 5, 0], [1, "c", 6, ("end", 6)]),
    ("yield from [1, 2]", [3], [1, ("AttributeError", ("'list_iterator' object has no attribute 'send'",))]),
    ("return (yield (yield 1))", [8, 9], [1, 8, ("end", 9)]),
    ("return (yield from (yield 1))", [[5, 6], None, None], [1, 5, 6, ("end", None)]),
    ("return list((lambda: (yield a))()), sum(x for x in (yield 2))", [[4, 5]], [2, ("end", ([1], 9))]),
]
_DRIVER = """
import contextlib
def drive(g, sent):
    found = []
    try:
        found.append(next(g))
        if isinstance(found[0], list) and sent == ['-']:
            found[0] = list(found[0]); g_list.append(9)
        for value in sent:
            found.append(g.send(contextlib.nullcontext(value) if value == 'opened' else value))
    except StopIteration as stop:
        found.append(('end', stop.value))
    except Exception as error:
        found.append((type(error).__name__, error.args))
    return found
"""


@pytest.mark.parametrize(("body", "sent", "found"), _ANYWHERE)
def test_a_yield_stands_wherever_an_expression_does(body: str, sent: list[object], found: list[object]) -> None:
    text = f"{_DRIVER}\ndef f(a):\n    {body}\n"
    text = text.replace("b = [a]; c = ", "global g_list; b = g_list = [a]; c = ")
    shown = printed(f"{text}print(drive(f(1), {sent!r}))\n")
    assert shown.splitlines()[-1] == repr(found)
