"""Which op is to blame: the right one, at the right place, and no other; else why none is."""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.blaming import locate as locating
from gradcli.check.blaming.locate import Located, Locator, locate
from gradcli.check.blaming.mended import NOTHING, Mend, Mends, in_both
from gradcli.check.blaming.true_values import Doubt
from gradcli.check.check import check_program
from gradcli.check.first_order import _probed_elsewhere
from gradcli.check.judging.findings import Options
from gradcli.check.judging.higher_orders import derived
from gradcli.check.judging.rows import Rows
from gradcli.check.replay.subject import Subject, of_function, of_program
from gradcli.check.selftest.selftest import attempt, matters, plots, subject_with
from gradcli.engine.tensor import Tensor, result
from gradcli.errors import Source
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program
from gradcli.verdicts import Verdict

from ..subjects import acting, own, program

OWN = """
import torch

class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n, a, b):
        ctx.save_for_backward(a, b)
        ctx.n = n
        return n * a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        if ctx.n == 7:
            return None, g, g
        return None, g * b * ctx.n, g * a

a = torch.tensor([0.5, -1.2, 2.0, 0.3], requires_grad=True)
b = torch.tensor([1.5, -0.2, 0.7, 0.9], requires_grad=True)
c = torch.tensor([1.1, 0.4, -0.6, 0.8], requires_grad=True)
"""


def located(text: str, order: int = 1) -> dict[str, Located]:
    """What is to blame for the gradient of the output with respect to each input of a program."""
    source = Source("own.py", textwrap.dedent(text))

    def act(subject: Subject) -> dict[str, Located]:
        for _ in range(order - 1):
            subject = derived(subject)
        locator = Locator(subject, np.random.default_rng(0))
        return {x.name: locator.locate(0, i) for i, x in enumerate(subject.inputs)}

    return of_program(Program(Spec(source, False, None, None), dtype="float64"), act=act)


def marked(found: Located) -> list[tuple[str, str, str]]:
    """The text under each culprit's source, its name and its argument."""
    marks = []
    for culprit in found.culprits:
        span = culprit.source
        assert span is not None
        line = span.source.text.splitlines()[span.line - 1]
        marks.append((line[span.column : span.end_column], culprit.name, culprit.wrt or ""))
    return marks


def test_the_place_is_what_the_backward_returns_for_the_argument() -> None:
    found = located(OWN + "out = (Own.apply(3, a, b).sin() * c).sum()\n")
    assert marked(found["b"]) == [("g * a", "Own.backward", "b")]
    (culprit,) = found["b"].culprits
    assert culprit.certain
    assert culprit.applied is not None
    assert culprit.applied.line == 21
    assert found["b"].signature == "claimed = 1/3 of the true gradient"
    assert found["b"].culprit is culprit


def test_an_input_that_the_wrong_argument_does_not_lead_to_has_no_culprit() -> None:
    found = located(OWN + "out = (Own.apply(3, a, b).sin() * c).sum()\n")
    assert [found[name].culprits for name in "ac"] == [(), ()]


def test_of_several_returns_the_one_that_is_come_to() -> None:
    found = located(OWN + "out = (Own.apply(7, a, b).sin() * c).sum()\n")
    assert marked(found["a"]) == [("g", "Own.backward", "a")]
    (culprit,) = found["a"].culprits
    assert culprit.source is not None
    assert (culprit.source.line, culprit.source.column) == (15, 25)


def test_a_return_of_one_value_is_the_whole_statement() -> None:
    found = located(
        """
        import torch
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3
            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, grad_output):
                x, = ctx.saved_tensors
                return grad_output * 2 * x
        x = torch.tensor([0.5, -1.2, 2.0], requires_grad=True)
        out = Cube.apply(x).sum()
        """
    )
    assert marked(found["x"]) == [("return grad_output * 2 * x", "Cube.backward", "x")]


@pytest.mark.parametrize(
    ("body", "mark", "lines"),
    [
        ("ga = g * a\n gb = g * a\n return None, ga, gb", "ga = g * a", None),
        ("ga = g * b\n gb = g * b\n return None, ga, gb", "gb = g * b", None),
        ("k = g * 1.1\n return None, k * b, k * a", "k = g * 1.1", (14, 15)),
        ("k = 2 * g\n ga = k * b\n return None, ga, g * a", "ga = k * b", (14, 15)),
        ("k = b + 1\n return None, g * k, g * a", "g * k", (14, 15)),
        ("k = b + 1\n z = torch.zeros_like(k)\n return None, g * k, g * a + z", "g * k", (14, 16)),
        ("k = b + 1\n z = k.new_zeros(1)\n return None, g * k, g * a + z", "g * k", (14, 16)),
        ("k = g + 0\n ga = k * b\n gb = k * b\n return None, ga, gb", "gb = k * b", None),
        ("ga = g * b\n if g.sum() > 9:\n  ga = g\n gb = a * a\n return None, ga, gb", "gb = a * a", None),
        ("o = [0 * g, g * a]\n for j in range(4):\n  o[0][j] = 1\n return None, *o", "o[0][j] = 1", (14, 15, 16)),
        ("k = b[:]\n return None, 2 * g * k, g * a", "2 * g * k", (14, 15)),
        ("if g.sum() > 9:\n  return None, g, g\n return None, 2 * g * b, g * a", "2 * g * b", (14, 16)),
        ("k, m = 2 * b, 1 * a\n return None, g * k, g * m", "g * k", (14, 15)),
        ("k = b + 0\n if g.sum() > 9:\n  k = b * 2\n return None, 2 * g * k, g * a", "2 * g * k", (14, 15, 17)),
        ("k = 2 * g\n return None, *[k * b, k * a]", "return None, *[k * b, k * a]", (14, 15)),
    ],
)
def test_a_name_that_is_returned_stands_for_what_gave_it_its_value(
    body: str, mark: str, lines: tuple[int, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What leads to a gradient that is right is not to blame; where several lines lead to a wrong one, all are told.

    Where no small change makes it right, that is.
    """
    monkeypatch.setattr("gradcli.check.blaming.locate.mends", lambda *_: NOTHING)
    start = OWN.index("        if ctx.n == 7:")
    end = OWN.index("\na = torch.tensor")
    own = OWN[:start] + textwrap.indent(body.replace("\n ", "\n"), "        ") + "\n" + OWN[end:]
    all_found = located(own + "loss = (Own.apply(1, a, b) * c).sum()\n")
    found = next(x for x in all_found.values() if x.culprits)
    assert marked(found)[0][0] == mark
    told = None if lines is None else f"it is computed at lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"
    assert found.sentence == told


@pytest.mark.parametrize(
    ("forward", "body", "mark", "told"),
    [
        ("ctx.save_for_backward(a, b)\n return a.sin() + b", "k = a.sin()\n return g * k, g",
         "k = a.sin()", "`a.cos()` in place of `a.sin()` at line 13"),
        ("ctx.save_for_backward(a, b)\n return a / b", "k = b * b\n z = a + k\n return g / b, -g * a / z",
         "z = a + k", "`k` in place of `a + k` at line 14"),
        ("ctx.save_for_backward(a, b)\n return 3 * a * b", "k = 2.5\n return k * g * b, k * g * a",
         "k = 2.5", "`3` in place of `2.5` at line 13"),
        ("ctx.save_for_backward(a, a)\n return 3 * a * b", "k = 3 * g\n return k * b, k * a",
         "ctx.save_for_backward(a, a)", "`b` in place of `a` at line 7"),
        ("ctx.save_for_backward(a, b)\n return a * b.exp()", "e = b.exp()\n k = a * g\n return g * e, k",
         "k = a * g", "`a * g * e` in place of `a * g` at line 14"),
        ("ctx.save_for_backward(a, b)\n return 3 * a * b.sin()",
         "k = g * 3\n d, e = torch.stack([k * b.sin(), k * a * b.cos()])\n return e, d",
         "d, e = torch.stack([k * b.sin(), k * a * b.cos()])",
         "`[k * a * b.cos(), k * b.sin()]` in place of `[k * b.sin(), k * a * b.cos()]` at line 14"),
        ("ctx.save_for_backward(a, b)\n return a.sin() + a * b", "k = a.cos() + b / 3\n z = g * k\n return z, g * a",
         "k = a.cos() + b / 3", "`b` in place of `b / 3` at line 13"),
        ("ctx.save_for_backward(a, b)\n return a * a * a + b", "k = a + 2 * a * a - a\n return g * k, g",
         "k = a + 2 * a * a - a", "`3` in place of `2` at line 13"),
        ("ctx.save_for_backward(a, b)\n return a.cumsum(0) + b", "k = g.cumsum(0)\n return k + 0, g",
         "k = g.cumsum(0)", "`g.flip(0).cumsum(0).flip(0)` in place of `g.cumsum(0)` at line 13"),
        ("ctx.save_for_backward(a, b)\n return a[[0, 0, 1, 2]] + b",
         "i = (torch.tensor([0, 0, 1, 2]),)\n k = (0 * g).index_put(i, g)\n return k, g", "k = (0 * g).index_put(i, g)",
         "`(0 * g).index_put(i, g, accumulate=True)` in place of `(0 * g).index_put(i, g)` at line 14"),
        ("ctx.save_for_backward(a, b)\n return (a + b)[[0, 0, 1, 2]]",
         "k = 0 * g\n k[0] = g[0]\n k[0] = g[1]\n k[1:3] = g[2:]\n return k, k", "k[0] = g[1]",
         "`+=` in place of `=` at line 15"),
        ("ctx.save_for_backward(a, b)\n return b - a[[0, 0, 1, 2]]",
         "k = 0 * g\n k[0] = -g[0]\n k[0] = g[1]\n k[1:3] = -g[2:]\n return k, g", "k[0] = g[1]",
         "`-=` in place of `=` at line 15"),
        # In a function inside the backward, and where the forward computes for it alone.
        ("ctx.save_for_backward(a, b)\n return 3 * a * b",
         "def more(k):\n     return 2 * k\n k = more(g)\n return k * b, k * a",
         "return 2 * k", "`3` in place of `2` at line 14"),
        ("k = 2 * b\n ctx.save_for_backward(a, k)\n return 3 * a * b", "return g * b, 3 * g * a",
         "k = 2 * b", "`3` in place of `2` at line 7"),
        # A true value that lacks its last step, which is returned by its name.
        ("ctx.save_for_backward(a, b)\n return a - b.sin()", "e = g * b.cos()\n return g, e",
         "e = g * b.cos()", "`-1 * (g * b.cos())` in place of `g * b.cos()` at line 13"),
        ("ctx.save_for_backward(a, b)\n return a[2:].sum() + b", "k = torch.zeros(4)\n k[:2] = g.sum()\n return k, g",
         "k[:2] = g.sum()", "`2:` in place of `:2` at line 14"),
        ("ctx.save_for_backward(a, b)\n return a[1] * a.cumsum(0) + b",
         "k = g * a[1]\n d = []\n t = 0\n for x in k:\n  t = t + x\n  d = [t, *d]\n d = torch.stack(d)\n"
         " d[1] += (g * a.cumsum(0)).sum()\n return d, g", "k", "`reversed(k)` in place of `k` at line 16"),
        ("ctx.save_for_backward(a, b)\n ctx.k = 2.5\n return 3 * a + b", "k = 2\n return k * g, g",
         "k = 2", "`3` in place of `2` at line 13"),
        ("ctx.save_for_backward(a, b)\n return a.mean() + b", "n = a.dim()\n k = g.sum() / n\n return k.expand(4), g",
         "n = a.dim()", "`a.shape[0]` in place of `a.dim()` at line 13"),
        # A minus too many, before a difference the wrong way round.
        ("ctx.save_for_backward(a, b)\n return (a - 3) * (a - 3) + b", "k = a - 3\n return -(2 * g * k), g",
         "-(2 * g * k)", "`2 * g * k` in place of `-(2 * g * k)` at line 14"),
        # What a forward writes to is no leaf.
        ("ctx.save_for_backward(a + 0.1, b)\n ctx.mark_dirty(a)\n return a.mul_(b)", "k = g * b\n return k, g * a",
         "ctx.save_for_backward(a + 0.1, b)", "`0` in place of `0.1` at line 7"),
        # A threshold that stands in the forward; what is kept, and never asked for; the other end of a slice.
        ("ctx.save_for_backward(a, b)\n return torch.where(a < 1.1, a * a, 2.2 * a) + b",
         "k = torch.where(a < 0.4, 2 * a, 2.2)\n return g * k, g",
         "k = torch.where(a < 0.4, 2 * a, 2.2)", "`1.1` in place of `0.4` at line 13"),
        ("ctx.save_for_backward(a, b)\n ctx.w = a * 1.7\n return (a * 1.7).exp() + b",
         "k = a.exp()\n return 1.7 * g * k, g",
         "k = a.exp()", "`ctx.w` in place of `a` at line 13"),
        # Behind tries that write to what the forward kept.
        ("ctx.save_for_backward(a, b)\n ctx.kept = a.detach().numpy(), b.detach().numpy()\n return a * b",
         "x, y = ctx.kept\n k = 0 * x\n for i in range(len(x) - 1):\n  k[i] += g[i] * y[i]\n"
         " return torch.from_numpy(k), g * torch.from_numpy(x)", "len(x) - 1", "`0` in place of `1` at line 15"),
        ("ctx.save_for_backward(a, b)\n return a[1:].sum() * b",
         "k = 0 * a\n k[:-1] = (g * b).sum()\n return k, g * a[1:].sum()",
         "k[:-1] = (g * b).sum()", "`1:` in place of `:-1` at line 14"),
        # A 1 that marks a place is meant: rather a factor beyond it is one too many, or forgotten.
        ("ctx.save_for_backward(a, b)\n return a[0] + b",
         "k = torch.zeros(4)\n k[0] += 1.0\n return -(g.sum() * k), g",
         "-(g.sum() * k)", "`g.sum() * k` in place of `-(g.sum() * k)` at line 15"),
        # What a function of NumPy was forgotten around.
        ("ctx.save_for_backward(a, b)\n return a * torch.from_numpy(np.log(b.detach().numpy() + 2))",
         "z = b.detach().numpy() + 2\n return g * torch.from_numpy(z * 1), g * a / (b + 2)",
         "z = b.detach().numpy() + 2",
         "`np.log(b.detach().numpy() + 2)` in place of `b.detach().numpy() + 2` at line 13"),
        # What is never used, at one turn of a loop.
        ("ctx.save_for_backward(a, b)\n return a.cumsum(0) + b * 0",
         "k = 0 * a\n t = k[0]\n for i in range(3, -1, -1):\n  t = t * 1\n  k[i] = t\n return k, None",
         "t = t * 1", "`t * 1 + g[i]` in place of `t * 1` at line 16"),
    ],
)  # fmt: skip
def test_a_small_change_by_which_a_gradient_is_right_tells_the_line(
    forward: str, body: str, mark: str, told: str
) -> None:
    methods = [textwrap.indent(part.replace("\n ", "\n"), "        ") for part in (forward, body)]
    found = located(
        "import torch\nimport numpy as np\nclass Own(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, a, b):\n"
        f"        # what it keeps\n{methods[0]}\n    @staticmethod\n    def backward(ctx, g):\n"
        + "\n" * (3 - forward.count("\n") - 1)
        + f"        a, b = ctx.saved_tensors\n{methods[1]}\n"
        + OWN[OWN.index("a = torch.tensor") :]
        + "loss = (Own.apply(a * 1, b) * c).sum()\n"
    )
    wrong = next(x for x in found.values() if x.culprits)
    assert marked(wrong)[0][0] == mark
    assert wrong.sentence is not None
    assert wrong.sentence.startswith(f"with {told}")


@pytest.mark.parametrize(
    ("forward", "backward", "mark", "told"),
    [
        # The first line that lacks a true value.
        ("a.softmax(0) + b", "p = a.softmax(0)\n i = (g + p).cumsum(0)\n return p * (g - i), g",
         "i = (g + p).cumsum(0)", "it goes wrong at line 15"),
        # The function that is called is wrong.
        ("a.tanh() + b", "return g * slope(a), g", "return 1 - y", "with `y ** 2` in place of `y` at line 6"),
        # A name is of no use.
        ("a * b + a.sin()", "k = g * a.cos()\n h = g * b\n return h + h, g * a",
         "h + h", "with `k` in place of `h` at line 16"),
        ("a.softmax(0) + b", "p = a.softmax(0)\n k = (g * p).sum()\n h = p\n return h + h, g",
         "h = p", "k is never used: it may have been forgotten at line 16"),
    ],
)  # fmt: skip
def test_the_line_is_told_that_lacks_a_true_value(forward: str, backward: str, mark: str, told: str) -> None:
    body = textwrap.indent(backward.replace("\n ", "\n"), "        ")
    text = f"""\
import torch

def slope(t):
    y = t.tanh()
    # of the tangent
    return 1 - y
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.a, ctx.b = a, b; return {forward}
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.a, ctx.b
{body}
"""
    wrong = located(text + OWN[OWN.index("a = torch.tensor") :] + "loss = (Own.apply(a, b) * c).sum()\n")["a"]
    assert (marked(wrong)[0][0], (wrong.sentence or "")[: len(told)]) == (mark, told)


def test_the_line_of_a_loop_is_told_that_lacks_true_values() -> None:
    text = """\
    import torch

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, h):
            ctx.turns = []
            for _ in range(3):
                y = (a * h).tanh()
                ctx.turns.append((h, y))
                h = y
            ctx.a = a
            return h

        @staticmethod
        def backward(ctx, g):
            k = 0 * g
            for h, y in reversed(ctx.turns):
                d = g
                k = k + d * h
                g = d * ctx.a
            return k, g

    a = torch.tensor([0.5, -1.2, 0.8], requires_grad=True)
    h = torch.tensor([1.1, 0.4, -0.6], requires_grad=True)
    loss = (Own.apply(a, h) * torch.tensor([1.0, 2.0, 3.0])).sum()
    """
    found = located(text)["a"]
    assert marked(found)[0][0] == "d = g"
    assert found.sentence == "it goes wrong at line 18: with other values there it would be right"


def test_the_backward_of_an_operator_of_a_programs_own_is_told() -> None:
    text = """
        import torch
        @torch.library.custom_op('own::product', mutates_args=())
        def product(n: int, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return n * a * b
        def keep(ctx, inputs, output):
            ctx.n, a, b = inputs
            ctx.save_for_backward(a, b)
        def slopes(ctx, g):
            a, b = ctx.saved_tensors
            return None, ctx.n * g * b, ctx.n * g
        product.register_autograd(slopes, setup_context=keep)
        """
    inputs = OWN[OWN.index("a = torch.tensor") :]
    found = located(textwrap.dedent(text) + inputs + "loss = (product(3, a, b) * c).sum()\n")
    assert marked(found["b"]) == [("ctx.n * g", "slopes of own::product", "b")]
    assert found["b"].sentence == "with `ctx.n * g * a` in place of `ctx.n * g` at line 11 it would be right"


def test_no_term_is_told_that_would_take_away_the_gradient_of_a_step() -> None:
    text = OWN[: OWN.index("    @staticmethod")] + """\
    @staticmethod
    def forward(ctx, a):
        return a.round()
    @staticmethod
    def backward(ctx, g):
        return g
a = torch.tensor([0.3, 1.7], requires_grad=True)
loss = (Own.apply(a) * torch.tensor([2.0, 3.0])).sum()
"""
    found = located(text)["a"]
    assert marked(found)[0][0] == "return g"
    assert found.sentence is None


@pytest.mark.parametrize(("bounds", "step", "right"), [("0, 4", "2", "1"), ("3, -1", "1", "-1")])
def test_the_head_of_a_loop_is_told_without_its_body(bounds: str, step: str, right: str) -> None:
    """So is one whose body was never run."""
    start, end = OWN.index("        if ctx.n == 7:"), OWN.index("\na = torch.tensor")
    loop = f"        for j in range({bounds}, {step}):\n            o[j] = g[j] * b[j]\n"
    body = f"        o = 0 * g\n{loop}        return None, o, g * a"
    found = located(OWN[:start] + body + OWN[end:] + "loss = (Own.apply(1, a, b) * c).sum()\n")["a"]
    assert marked(found)[0][0] == step
    assert found.sentence is not None
    assert found.sentence.startswith(f"with `{right}` in place of `{step}` at line 15")


def test_lines_whose_changes_would_do_alike_are_equally_to_blame() -> None:
    start, end = OWN.index("        if ctx.n == 7:"), OWN.index("\na = torch.tensor")
    body = "        k = g * b\n        h = k * ctx.n\n        return None, 2 * h, g * a * ctx.n"
    own = OWN[:start] + body + OWN[end:]
    found = located(own + "loss = (Own.apply(3, a, b) * c).sum()\n")["a"]
    assert found.sentence is not None
    assert found.sentence.endswith("lines 14, 15 and 16 are equally to blame")


def test_an_argument_without_a_gradient_does_not_end_the_search_for_a_line() -> None:
    start, end = OWN.index("        if ctx.n == 7:"), OWN.index("\na = torch.tensor")
    body = "        h = g - 2 * g\n        return None, h * (b * 3).floor(), 0 * a"
    own = (OWN[:start] + body + OWN[end:]).replace("return n * a * b", "return a * (b * 3).floor()")
    found = located(own + "loss = (Own.apply(1, a, b) * c).sum()\n")["a"]
    assert found.sentence is not None
    assert "in place of `g - 2 * g` at line 14" in found.sentence


def test_what_would_mend_one_application_alone_is_not_to_blame() -> None:
    one, two, three = (ast.parse(x).body[0] for x in ("h = g * b", "k = h * 2", "o = k + 1"))

    def found(*several: tuple[ast.stmt, str]) -> Mends:
        method: Any = None
        return Mends({1: [Mend(method, x, text, 0, Doubt.SOME, x) for x, text in several]})

    here = found((one, "n"), (two, "3 * h"), (three, "k"))
    # The same change, or else the same line, or else what was found here.
    assert in_both(here, found((two, "5 * h"), (three, "k")), 1).of == {1: [here.of[1][2]]}
    assert in_both(here, found((two, "5 * h")), 1).of == {1: [here.of[1][1]]}
    assert in_both(here, NOTHING, 1) is here
    assert in_both(NOTHING, here, 1) is here


def test_where_the_truth_is_hardly_known_no_change_is_told() -> None:
    found = located(
        """
        import torch
        class Steps(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, s):
                q = (x / s).round().clamp(-4, 3)
                ctx.save_for_backward(q)
                return q * s
            @staticmethod
            def backward(ctx, g):
                q, = ctx.saved_tensors
                return None, q.sum()
        torch.manual_seed(0)
        x = torch.randn(10)
        s = torch.tensor(0.37, requires_grad=True)
        loss = (Steps.apply(x, s) - x).pow(2).sum()
        """
    )
    assert marked(found["s"])[0][0] == "q.sum()"


def test_what_is_tried_leaves_a_program_as_it_was() -> None:
    """A change that writes to what the forward kept, prints or never ends does nothing to the program."""
    text = """
        import torch
        class Own(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a):
                ctx.save_for_backward(a)
                return a * a
            @staticmethod
            def backward(ctx, g):
                a, = ctx.saved_tensors
                out = torch.zeros_like(a)
                out += 3 * a
                n = 0
                while n < 2:
                    n = n + 1
                return g * out
        a = torch.tensor([0.5, -1.2, 2.0], requires_grad=True)
        loss = Own.apply(a).sum()
    """
    source = Source("own.py", textwrap.dedent(text))
    run = Program(Spec(source, False, None, None), dtype="float64")

    def act(subject: Subject) -> tuple[str | None, list[float]]:
        told = Locator(subject, np.random.default_rng(0)).locate(0, 0).sentence
        return told, subject.claim([np.ones(())])[0].tolist()

    told, claim = of_program(run, act=act)
    assert told is not None
    assert told.startswith("with `2` in place of `3` at line 12, or")
    assert claim == pytest.approx([1.5, -3.6, 6.0])


def test_where_the_graph_is_let_go_is_told_where_a_derivative_is_wrong() -> None:
    body = "k = (b * ctx.n).detach()\n        k = k + 0 * b"
    own = OWN.replace("if ctx.n == 7:\n            return None, g, g", body)
    own = own.replace("g * b * ctx.n, g * a", "g * k, g * a * ctx.n")
    found = located(own + "loss = (Own.apply(3, a, b) ** 2).sum()\n", order=2)
    told = [x for x in found.values() if x.culprits]
    assert {marked(x)[0][0] for x in told} == {"k = (b * ctx.n).detach()"}
    assert {x.sentence for x in told} == {"line 14 lets go of the graph"}


def test_several_wrong_functions_are_all_named() -> None:
    found = located(OWN + "h = Own.apply(3, a, b)\nout = Own.apply(2, h, h.exp()).sum()\n")
    assert [culprit.applied and culprit.applied.line for culprit in found["b"].culprits] == [22, 21]


@pytest.mark.parametrize(
    ("hooked", "name"),
    [
        ("y = a.exp() * b\ny.register_hook(lambda g: g * 2)\nout = (y * y * c).sum()", "y"),
        ("a.register_hook(lambda g: g * 2)\nout = (a * a * b).sum()", "a"),
        ("y = a.exp() * b\ny.grad_fn.register_hook(lambda i, o: (i[0] * 2, i[1]))\nout = (y * c).sum()", "y"),
        ("y = a.exp() * b\ny.grad_fn.register_prehook(lambda o: (o[0] * 2,))\nout = (y * c).sum()", "y"),
    ],
)
def test_a_hook_that_changes_a_gradient_is_told(hooked: str, name: str) -> None:
    found = located(OWN + hooked + "\n")["a"]
    assert found.sentence == f"every op is right: a hook on {name} changes the gradient"


def test_a_hook_that_only_looks_is_not_blamed() -> None:
    found = located(OWN + "y = a.exp() * b\ny.register_hook(lambda g: None)\nout = (y * y).sum()\n")["a"]
    assert found.culprits == ()
    assert "hook" not in (found.sentence or "")


def test_a_sum_of_kinks_has_no_wrong_op() -> None:
    found = located(
        """
        import torch
        x = torch.tensor([0.0, 0.0, 1.0], requires_grad=True)
        h = 2 * x
        out = ((torch.relu(h) - torch.relu(-h)) * torch.tensor([1., 2., 3.])).sum()
        """
    )["x"]
    assert found.culprits == ()
    assert found.sentence is not None
    assert "every op is right" in found.sentence
    assert "the sum of subgradients that arrives at h is no subgradient" in found.sentence


def test_a_second_order_that_is_cut_off_is_found_in_its_backward() -> None:
    text = """
        import torch
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3
            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return g * 3 * x.detach() ** 2
        x = torch.tensor([0.5, -1.2, 2.0], requires_grad=True)
        y = torch.tensor([0.5, 1.2, 1.0], requires_grad=True)
        out = (Cube.apply(x).sin() + y.exp() * y).sum()
    """
    found = located(text, order=2)
    assert marked(found["x"]) == [("return g * 3 * x.detach() ** 2", "Cube.backward", "x")]


def test_a_third_order_that_is_cut_off_is_found_in_its_backward() -> None:
    class Second(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return 6 * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 5 * g

    class Third(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * x * Second.apply(x) / 2

    x = result(np.array([0.5, -1.2])).requires_grad_()
    subject = derived(of_function(lambda x: Third.apply(x).sum(), [x]))
    found = locate(subject, 0, 0, np.random.default_rng(0))
    assert {culprit.name for culprit in found.culprits} == {"SecondBackward"}


def test_right_graphs_have_no_culprit() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return ((x @ y).tanh() * x).softmax(-1).logsumexp(0) / y.norm()

    rng = np.random.default_rng(2)
    leaves = [result(rng.standard_normal((3, 3))).requires_grad_() for _ in range(2)]
    subject = of_function(function, leaves)
    assert [locate(subject, 0, i, rng).culprits for i in range(2)] == [(), ()]


@pytest.mark.parametrize("part", range(2))
def test_a_planted_mistake_is_named_wherever_it_is(part: int) -> None:
    """A selection of all mistakes at all places of a graph of twelve ops."""
    chosen = [plot for plot in plots() if plot.fault.order == 1][part * 17 :: 97]
    for plot in filter(matters, chosen):
        subject = subject_with(plot)
        right = subject_with(None).claim([np.ones(())])
        wrong = subject.claim([np.ones(())])
        off = [not np.allclose(a, b, 1e-6, 1e-9) for a, b in zip(right, wrong, strict=True)]
        grave = any(off)
        pairs = enumerate(zip(right, wrong, strict=True))
        first = off.index(True) if grave else next(i for i, (a, b) in pairs if not np.allclose(a, b, 1e-10, 1e-13))
        found = locate(subject, 0, first, np.random.default_rng(part), grave=grave)
        ids = {culprit.id for culprit in found.culprits if culprit.certain}
        assert ids == {subject.id_of(subject.nodes[plot.position])}, plot


def test_a_graph_without_a_mistake_passes() -> None:
    from gradcli.check.judging.findings import Checked, Options
    from gradcli.check.orders import check_subject

    checked = Checked("right")
    check_subject(subject_with(None), Options(strict=True), checked)
    assert [finding.verdict for finding in checked.findings if not finding.passes(Options(strict=True))] == []


def test_the_whole_check_names_a_mistake() -> None:
    plot = next(plot for plot in plots() if plot.fault.name == "a transposed matrix" and matters(plot))
    planted = attempt(plot)
    assert planted.caught
    assert planted.named
    assert planted.signature == "claimed = the transposed true gradient"


SPIKES = """
import torch

class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return (v > 0).float()

    @staticmethod
    def backward(ctx, g):
        v, = ctx.saved_tensors
        return g / (1 + 10 * v.abs()) ** 2

w = torch.tensor([0.7, -0.4, 1.1], requires_grad=True)
v, out = torch.zeros(3), 0.0
for t in range(12):
    v = 0.9 * v + w * (1 + 0.1 * t)
    s = Spike.apply(v - 1.0)
    v = v - s.detach()
    out = out + (s * 0.3).sum() ** 2
"""


def test_of_a_function_that_is_wrong_everywhere_a_few_applications_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []
    check_node = locating.check_node

    def counted(node: Any, *args: Any, **how: Any) -> Any:
        looked.append(node.name())
        return check_node(node, *args, **how)

    monkeypatch.setattr(locating, "check_node", counted)
    (found,) = check_program(program(SPIKES), Options()).findings
    assert found.verdict is Verdict.WRONG
    assert found.node is not None
    assert found.node.name == "Spike.backward"
    assert found.signature is not None
    assert "surrogate" in found.signature
    assert looked.count("SpikeBackward") == locating._OFTEN


def test_what_is_proven_wrong_asks_no_further_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    near = Rows.near

    def counted(self: Rows, *args: Any) -> Any:
        asked.append(1)
        return near(self, *args)

    monkeypatch.setattr(Rows, "near", counted)
    (found,) = check_program(program(SPIKES), Options()).findings
    assert found.wrong_entries == 3
    assert len(asked) == 1


def test_where_the_gradient_of_pytorch_is_not_the_derivative_that_is_told() -> None:
    """PyTorch gives each of several elements of a max pool that go to one place the gradient of that place."""
    found = located(
        """
        import torch
        x = torch.tensor([[[1.0, 2.0, 3.0]]], requires_grad=True)
        places = torch.tensor([[[1, 1, 3]]])
        out = torch.nn.functional.max_unpool1d(x, places, 2, 2).exp().sum()
        """
    )["x"]
    assert [culprit.name for culprit in found.culprits] == ["MaxUnpool2DBackward0"]
    assert found.sentence is not None
    assert "PyTorch's own gradient of MaxUnpool2DBackward0 is not the derivative" in found.sentence


CANCELS = "g * 2 * ((x + 1e13) - 1e13)"


@pytest.mark.parametrize(("slope", "blames"), [("", False), (" * 3.1416 / 3.1416", True)])
def test_at_another_point_lost_digits_are_blamed_on_casts_and_constants_alone(slope: str, blames: bool) -> None:
    rest = "x = torch.tensor([0.3], requires_grad=True)\ny = Own.apply(x)"
    text = own("return x * x", f"return {CANCELS}{slope}", rest)
    found = acting(lambda there: _probed_elsewhere(there, Options(), np.random.default_rng(0)), text)
    assert found[0].verdict is Verdict.INACCURATE
    assert (found[0].node is not None) is blames


@pytest.mark.parametrize("again", [True, False])
def test_of_functions_in_one_another_the_inner_one_is_named(again: bool) -> None:
    # Its graph is kept by the outer forward, or made anew, and let go, by the outer backward.
    anew = "z = ctx.z.detach().requires_grad_(); y = Inner.apply(z * 2).sum()"
    made = anew if again else "z, y = ctx.z, ctx.y"
    found = located(f"""
import torch

class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, u):
        ctx.save_for_backward(u)
        return u.exp()
    @staticmethod
    def backward(ctx, g):
        u, = ctx.saved_tensors
        return g * u.exp() * 1.5

class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            z = x.detach().requires_grad_()
            y = Inner.apply(z * 2).sum()
        ctx.z, ctx.y = z, y
        return y.detach()
    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            {made}
        return torch.autograd.grad(y, z, g, retain_graph={not again})[0]

x = torch.tensor([0.5, -1.2], requires_grad=True)
y = Outer.apply(x)
""")
    culprit = found["x"].culprit
    assert culprit is not None
    assert (culprit.name, culprit.wrt) == ("Inner.backward", "u")
