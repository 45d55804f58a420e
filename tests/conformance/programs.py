"""Random programs of 10 to 40 operations, as Python source that any engine runs.

A program is drawn operation by operation while shapes and a bound on the values are tracked, so that
it runs, and so that rounding stays too small to be taken for a difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .observe import Record

SHAPES = [(), (3,), (2, 3), (1, 3), (2, 1), (3, 3), (2, 2, 3), (1,), (2, 1, 3)]

# Values that no operation below brings to a kink.
POOL = [round(float(x), 3) for x in np.random.default_rng(7).uniform(-1.6, 1.6, 64)]

Shape = tuple[int, ...]


@dataclass
class Var:
    """A tensor of the program: its name, shape, a bound on its values, and whether it may be written to."""

    name: str
    shape: Shape
    bound: float = 2.0
    fresh: bool = False
    grad: bool = False

    @property
    def ndim(self) -> int:
        return len(self.shape)


@dataclass
class Program:
    """Source text, its inputs, and what can be compared about it."""

    code: str
    inputs: dict[str, Record]
    mixed: bool = False

    @property
    def tolerance(self) -> float:
        """How closely two engines agree on it."""
        return 1e-4 if self.mixed else 1e-12

    @property
    def second(self) -> Program:
        """The program that goes on to differentiate its gradients."""
        leaves = ", ".join(n for n, spec in self.inputs.items() if spec["requires_grad"])
        more = f"""
gs = torch.autograd.grad(y, [{leaves}], create_graph=True, allow_unused=True)
y = [g * g for g in gs if g is not None]"""
        return Program(self.code + more, self.inputs, self.mixed)

    def __str__(self) -> str:
        lines = [
            f"{n} = torch.tensor({spec['data']}, dtype=torch.{spec['dtype']}, requires_grad={spec['requires_grad']})"
            for n, spec in self.inputs.items()
        ]
        return "\n".join([*lines, self.code])


class Builder:
    """Draws one program."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.vars: list[Var] = []
        self.inputs: dict[str, Record] = {}
        self.count = 0
        self.indent = ""

    # -- drawing -----------------------------------------------------------------------------

    def pick(self, options: list[Any]) -> Any:
        return options[self.draw(st.integers(0, len(options) - 1))]

    def chance(self, in_: int) -> bool:
        """True once in so many times; shrinks to False."""
        return bool(self.draw(st.integers(0, in_ - 1)) == in_ - 1)

    def var(self, where: Callable[[Var], bool] = lambda v: True) -> Var | None:
        """An earlier tensor, more often a recent one."""
        fit = [v for v in self.vars if where(v)]
        if not fit:
            return None
        recent = fit[-4:]
        return self.pick(recent if self.draw(st.booleans()) else fit)

    def number(self) -> tuple[str, float]:
        text = self.pick(["2", "0.5", "-1.5", "3", "1.25", "-0.75"])
        return text, abs(float(text))

    # -- writing ------------------------------------------------------------------------------

    def name(self) -> str:
        self.count += 1
        return f"x{self.count}"

    def line(self, text: str) -> None:
        self.lines.append(self.indent + text)

    def put(self, text: str, shape: Shape, bound: float, grad: bool, fresh: bool = True) -> Var:
        """Assign an expression to a new name."""
        made = Var(self.name(), shape, bound, fresh, grad and not self.indent)
        self.line(f"{made.name} = {text}")
        self.vars.append(made)
        return made

    def leaf(self, dtype: str, requires_grad: bool) -> None:
        shape = self.pick(SHAPES)
        at = self.draw(st.integers(0, 31))
        size = int(np.prod(shape, dtype=int))
        flat = [POOL[(at + 5 * i) % len(POOL)] for i in range(size)]
        name = "abcdef"[len(self.inputs)]
        self.inputs[name] = {
            "data": np.array(flat).reshape(shape).tolist(), "dtype": dtype, "requires_grad": requires_grad,
        }  # fmt: skip
        self.vars.append(Var(name, shape, 1.6, False, requires_grad))

    def small(self, v: Var, limit: float) -> tuple[str, float]:
        """An expression for ``v`` that stays below ``limit``."""
        if v.bound <= limit:
            return v.name, v.bound
        return self.pick([f"torch.tanh({v.name})", f"{v.name}.sin()", f"torch.sigmoid({v.name})"]), 1.0

    # -- operations ---------------------------------------------------------------------------

    def step(self) -> None:
        kind = self.pick(KINDS)
        getattr(self, kind)()

    def unary(self) -> None:
        v = self.var()
        assert v is not None
        x, b = self.small(v, 3.0)
        text, bound = self.pick([
            (f"{x}.sin()", 1.0), (f"torch.cos({x})", 1.0), (f"{x}.tanh()", 1.0), (f"torch.sigmoid({x})", 1.0),
            (f"torch.exp({x})", 21.0), (f"-{_atom(x)}", b), (f"{x}.abs()", b), (f"torch.relu({x})", b),
            (f"F.leaky_relu({x}, 0.1)", b), (f"F.softplus({x})", b + 1), (f"F.gelu({x})", b), (f"F.silu({x})", b),
            (f"F.elu({x})", b), (f"torch.atan({x})", 1.6), (f"torch.erf({x})", 1.0), (f"torch.expm1({x})", 21.0),
            (f"torch.square({x})", b * b), (f"{x} ** 2", b * b), (f"{x} ** 3", b**3), (f"{x}.clamp(-1, 1)", 1.0),
            (f"torch.log({x} * {x} + 1.5)", 2.4), (f"torch.sqrt({_atom(x)}.abs() + 0.5)", b + 1),
            (f"torch.rsqrt({x} * {x} + 1)", 1.0), (f"torch.reciprocal({x} * {x} + 1)", 1.0), (f"torch.sinh({x})", 11.0),
            (f"{x}.cosh()", 11.0), (f"torch.log1p({_atom(x)}.abs())", b), (f"F.mish({x})", b), (f"{x}.clone()", b),
            (f"F.relu6({x})", b), (f"F.hardswish({x})", b), (f"F.logsigmoid({x})", b + 1), (f"F.selu({x})", 2 * b),
            (f"({x} + 0.5).floor() + {x}", b + 2), (f"{x}.sign() * {x}", b), (f"torch.exp2({x})", 8.0),
        ])  # fmt: skip
        self.put(text, v.shape, bound, v.grad)

    def scalar(self) -> None:
        v = self.var()
        assert v is not None
        n, m = self.number()
        x, b = self.small(v, 8.0)
        text, bound = self.pick([
            (f"{x} * {n}", b * m), (f"{n} * {x}", b * m), (f"{x} + {n}", b + m), (f"{n} + {x}", b + m),
            (f"{x} - {n}", b + m), (f"{n} - {x}", b + m), (f"{x} / {n}", b / m), (f"{n} / ({x}.abs() + 1)", m),
            (f"torch.mul({x}, {n})", b * m), (f"{x} * True", b), (f"2 ** torch.sin({x})", 2.0),
            (f"torch.add({x}, {n}, alpha=2)", b + 2 * m), (f"torch.rsub({x}, {n})", b + m),
        ])  # fmt: skip
        self.put(text, v.shape, bound, v.grad)

    def binary(self) -> None:
        v = self.var()
        assert v is not None
        w = self.var(lambda w: _broadcast(v.shape, w.shape) is not None)
        assert w is not None
        x, b = self.small(v, 6.0)
        y, c = self.small(w, 6.0)
        text, bound = self.pick([
            (f"{x} + {y}", b + c), (f"{x} * {y}", b * c), (f"{x} - {y}", b + c), (f"{x} / ({y} * {y} + 1)", b),
            (f"torch.maximum({x}, {y})", max(b, c)), (f"torch.minimum({x}, {y})", max(b, c)),
            (f"torch.where({x} > {y}, {x}, {y} * 2)", b + 2 * c), (f"torch.sub({x}, {y}, alpha=3)", b + 3 * c),
            (f"torch.hypot({x}, {y} + 9)", b + c + 9), (f"torch.atan2({x}, {y}.abs() + 1)", 1.6),
            (f"torch.logaddexp({x}, {y})", b + c + 1), (f"torch.lerp({x}, {y}, 0.25)", b + c),
            (f"({_atom(x)}.abs() + 1) ** torch.sin({y})", b + 1),
        ])  # fmt: skip
        shape = _broadcast(v.shape, w.shape)
        assert shape is not None
        if "lerp" in text and v.shape != w.shape:
            text = f"{x} + {y}"
        self.put(text, shape, bound, v.grad or w.grad)

    def reduction(self) -> None:
        v = self.var(lambda v: v.ndim > 0)
        if v is None:
            self.scalar()
            return
        x, b = self.small(v, 20.0)
        n = int(np.prod(v.shape, dtype=int))
        if self.chance(3):
            text, bound = self.pick([
                (f"{x}.sum()", n * b), (f"{x}.mean()", b), (f"{x}.amax()", b), (f"{x}.max()", b), (f"{x}.min()", b),
                (f"({x} * {x} + 1).norm()", n * (b * b + 1)), (f"torch.logsumexp({x}, {_dims(v.ndim)})", b + 3),
                (f"{x}[{x} > 0].sum()", n * b),
            ])  # fmt: skip
            self.put(text, (), bound, v.grad)
            return
        d = self.draw(st.integers(0, v.ndim - 1))
        shown = d if self.draw(st.booleans()) else d - v.ndim
        keep = self.draw(st.booleans())
        k = f", keepdim={keep}" if keep else ""
        m = v.shape[d]
        text, bound = self.pick([
            (f"{x}.sum({shown}{k})", m * b), (f"torch.mean({x}, dim={shown}{k})", b), (f"{x}.amax({shown}{k})", b),
            (f"{x}.max({shown}{k}).values", b), (f"torch.min({x}, {shown}{k})[0]", b), (f"{x}.amin({shown}{k})", b),
            (f"torch.logsumexp({x}, {shown}{k})", b + 3), (f"({x} * {x} + 1).norm(dim={shown}{k})", m * (b * b + 1)),
            (f"({x}.sin() + 2).prod({shown}{k})", 3.0**m), (f"{x}.sum(({shown},){k})", m * b),
            (f"torch.var({x}, {shown}, correction=0{k})", 2 * b * b),
        ])  # fmt: skip
        shape = v.shape[:d] + ((1,) if keep else ()) + v.shape[d + 1 :]
        self.put(text, shape, bound, v.grad)

    def along(self) -> None:
        """Shape-keeping functions of an axis."""
        v = self.var(lambda v: v.ndim > 0)
        if v is None:
            self.unary()
            return
        x, b = self.small(v, 8.0)
        d = self.draw(st.integers(0, v.ndim - 1))
        m = v.shape[d]
        text, bound = self.pick([
            (f"torch.softmax({x}, {d})", 1.0), (f"F.log_softmax({x}, dim={d - v.ndim})", 2 * b + 2),
            (f"{x}.cumsum({d})", m * b), (f"{x}.flip({d})", b), (f"torch.sort({x}, {d}).values", b),
            (f"({x}.sin() + 2).cumprod({d})", 3.0**m), (f"{x}.roll(1, {d})", b),
            (f"{x}.gather({d}, {x}.argsort({d}))", b), (f"{x} - {x}.mean({d}, keepdim=True)", 2 * b),
        ])  # fmt: skip
        self.put(text, v.shape, bound, v.grad)

    def view(self) -> None:
        v = self.var()
        assert v is not None
        x = v.name
        options: list[tuple[str, Shape]] = [(f"{x}[None]", (1, *v.shape)), (f"{x}.unsqueeze(-1)", (*v.shape, 1))]
        options += [(f"{x}.reshape(-1)", (int(np.prod(v.shape, dtype=int)),)), (f"{x}.view_as({x})", v.shape)]
        if v.ndim >= 2:
            swapped = (*v.shape[:-2], v.shape[-1], v.shape[-2])
            options += [(f"{x}.transpose(-2, -1)", swapped), (f"{x}.mT", swapped)]
            options += [(f"{x}.flatten(0, 1)", (v.shape[0] * v.shape[1], *v.shape[2:]))]
            options += [(f"{x}.permute({', '.join(map(str, reversed(range(v.ndim))))})", v.shape[::-1])]
        if v.ndim == 2:
            options += [(f"{x}.T", v.shape[::-1]), (f"{x}.t()", v.shape[::-1])]
        if 1 in v.shape:
            d = v.shape.index(1)
            options += [(f"{x}.squeeze({d})", v.shape[:d] + v.shape[d + 1 :])]
            wide = _with(v.shape, d, 2)
            options += [(f"{x}.expand({', '.join(map(str, wide))})", wide)]
            options += [(f"{x}.squeeze()", tuple(n for n in v.shape if n != 1))]
        if v.ndim <= 2:
            options += [(f"{x}.expand({', '.join(map(str, (2, *v.shape)))})", (2, *v.shape))]
        options = [o for o in options if len(o[1]) <= 3]
        text, shape = self.pick(options)
        self.put(text, shape, v.bound, v.grad, fresh=False)

    def part(self) -> None:
        """Indexing."""
        v = self.var(lambda v: v.ndim > 0)
        if v is None:
            self.scalar()
            return
        x = v.name
        n, *rest = v.shape
        last = v.shape[-1]
        options: list[tuple[str, Shape]] = [
            (f"{x}[0]", tuple(rest)), (f"{x}[-1]", tuple(rest)), (f"{x}[..., 0]", v.shape[:-1]),
            (f"{x}[::2]", ((n + 1) // 2, *rest)), (f"{x}[..., {last - 1}:]", (*v.shape[:-1], 1)),
            (f"{x}[[0, {n - 1}, 0]]", (3, *rest)), (f"{x}[torch.tensor([{n - 1}, 0])]", (2, *rest)),
            (f"{x}.index_select(-1, torch.tensor([0, {last - 1}]))", (*v.shape[:-1], 2)),
            (f"{x}.narrow(0, {n - 1}, 1)", (1, *rest)), (f"torch.select({x}, -1, {last - 1})", v.shape[:-1]),
        ]  # fmt: skip
        if n > 1:
            options += [(f"{x}[1:]", (n - 1, *rest)), (f"{x}[:-1]", (n - 1, *rest))]
        if v.ndim >= 2:
            m, *tail = rest
            options += [(f"{x}[:, 0]", (n, *tail)), (f"{x}[0, {m - 1}]", tuple(tail))]
            options += [(f"{x}[:, None, :1]", (n, 1, min(m, 1), *tail)), (f"{x}[[0], [{m - 1}]]", (1, *tail))]
        options = [o for o in options if len(o[1]) <= 3]
        text, shape = self.pick(options)
        self.put(text, shape, v.bound, v.grad, fresh=False)

    def matmul(self) -> None:
        v = self.var(lambda v: v.ndim > 0)
        if v is None:
            self.binary()
            return
        w = self.var(lambda w: _matmul(v.shape, w.shape) is not None)
        if w is None:
            self.binary()
            return
        x, b = self.small(v, 3.0)
        y, c = self.small(w, 3.0)
        shape = _matmul(v.shape, w.shape)
        assert shape is not None
        texts = [f"{x} @ {y}", f"torch.matmul({x}, {y})"]
        if v.ndim == w.ndim == 2:
            texts += [f"torch.mm({x}, {y})", f"F.linear({x}, {_atom(y)}.t())", f"torch.einsum('ij,jk->ik', {x}, {y})"]
            texts += [f"torch.addmm({POOL[3]} * torch.ones({shape[1]}), {x}, {y})"]
        self.put(self.pick(texts), shape, b * c * v.shape[-1] + 2, v.grad or w.grad)

    def join(self) -> None:
        v = self.var(lambda v: v.ndim > 0)
        if v is None:
            self.binary()
            return
        w = self.var(lambda w: w.shape == v.shape)
        assert w is not None
        d = self.draw(st.integers(0, v.ndim - 1))
        text, shape = f"torch.cat([{v.name}, {w.name}], {d})", _with(v.shape, d, 2 * v.shape[d])
        if v.ndim < 3 and self.draw(st.booleans()):
            text, shape = f"torch.stack([{v.name}, {w.name}], {d})", (*v.shape[:d], 2, *v.shape[d:])
        if max(shape) > 6:
            self.binary()
            return
        self.put(text, shape, max(v.bound, w.bound), v.grad or w.grad)

    def split(self) -> None:
        """One node, several outputs."""
        v = self.var(lambda v: v.ndim > 0 and max(v.shape) > 1)
        if v is None:
            self.unary()
            return
        d = self.pick([d for d in range(v.ndim) if v.shape[d] > 1])
        n = v.shape[d]
        one = _with(v.shape, d, 1)
        rest = _with(v.shape, d, n - 1)
        half = _with(v.shape, d, -(-n // 2))
        none = v.shape[:d] + v.shape[d + 1 :]
        text, shapes = self.pick([
            (f"{v.name}.unbind({d})", [none] * n), (f"torch.split({v.name}, [1, {n - 1}], {d})", [one, rest]),
            (f"{v.name}.split(1, {d - v.ndim})", [one] * n), (f"{v.name}.chunk(2, {d})", [half, None]),
            (f"torch.topk({v.name}, 1, {d})", [one, None]), (f"torch.var_mean({v.name}, {d})", [none, none]),
            (f"torch.aminmax({v.name}, dim={d})", [none, none]),
        ])  # fmt: skip
        bound = 4 * v.bound * v.bound if "var_mean" in text else v.bound
        if "var_mean" in text and v.bound > 10:
            text, shapes, bound = f"{v.name}.unbind({d})", [none] * n, v.bound
        names = []
        for shape in shapes:
            if shape is None:
                names.append("_")
                continue
            made = Var(self.name(), shape, bound, False, v.grad and not self.indent)
            names.append(made.name)
            self.vars.append(made)
        self.line(f"{', '.join(names)} = {text}")

    def write(self) -> None:
        """A copy, written to in place one to three times, at times through a view."""
        v = self.var(lambda v: v.bound <= 8)
        if v is None:
            self.unary()
            return
        made = self.put(f"{v.name}.clone()", v.shape, v.bound, v.grad)
        x = made.name
        for _ in range(1 + self.draw(st.integers(0, 2))):
            w = self.var(lambda w: w.name != x and _broadcast(made.shape, w.shape) == made.shape and w.bound <= 8)
            options = [
                (f"{x}.mul_(0.5)", 1.0), (f"{x} += 1.5", 2.0), (f"{x}.sub_(0.25)", 1.0), (f"{x} /= 3", 1.0),
                (f"{x}.clamp_(-1, 1)", 0.0), (f"{x}.tanh_()", 0.0), (f"{x}.neg_()", 0.0), (f"{x}.relu_()", 0.0),
                (f"{x}.sigmoid_()", 0.0),
            ]  # fmt: skip
            if w is not None:
                y = w.name
                options += [(f"{x}.add_({y})", w.bound), (f"{x} -= {y}", w.bound), (f"{x}.copy_({y})", w.bound)]
                options += [(f"{x} *= torch.sin({y})", 0.0), (f"{x}.add_({y}, alpha=0.5)", w.bound)]
                if made.ndim:
                    part = w.name if w.ndim < made.ndim else f"{w.name}[0]"
                    options += [(f"{x}[0] = {part}", w.bound), (f"{x}[-1] += {part}", w.bound)]
                    options += [(f"{x}[{x} > 0.5] = 0.25", 0.0)]
            if made.ndim:
                options += [(f"{x}[0] = 0.5", 0.0), (f"{x}[..., -1] *= 2", made.bound), (f"{x}[0].mul_(0.5)", 0.0)]
                options += [(f"{x}.view(-1)[:1].sin_()", 0.0), (f"{x}[::2].zero_()", 0.0), (f"{x}[-1].fill_(0.3)", 0.0)]
            text, more = self.pick(options)
            made.bound += more
            if w is not None and w.name in text:
                made.grad = (made.grad or w.grad) and not self.indent
            self.line(text)

    def overwrite(self) -> None:
        """A write to a result that others may have kept: often an error, and then the same one."""
        v = self.var(lambda v: v.fresh)
        if v is None or self.indent or not self.chance(4):
            self.write()
            return
        if self.chance(3):
            self.line("with torch.no_grad():")
            self.line(f"    {self.pick(list(self.inputs))}.mul_(0.5)")
            return
        self.line(self.pick([f"{v.name}.mul_(0.5)", f"{v.name}.add_(0.5)", f"{v.name}.neg_()"]))
        v.bound += 0.5

    def constant(self) -> None:
        """What is cut out of the graph."""
        v = self.var()
        assert v is not None
        text = self.pick([f"{v.name}.detach()", f"{v.name}.data * 1", f"torch.ones_like({v.name})",
                          f"torch.zeros_like({v.name}) + 0.5", f"({v.name} > 0.1) * 0.5"])  # fmt: skip
        self.put(text, v.shape, max(v.bound, 1.0), False, fresh=False)

    def without_grad(self) -> None:
        """A region that records nothing."""
        if self.indent:
            self.unary()
            return
        self.line("with torch.no_grad():")
        self.indent = "    "
        for _ in range(1 + self.draw(st.integers(0, 2))):
            self.pick([self.unary, self.scalar, self.binary, self.reduction, self.view])()
        self.indent = ""

    def convert(self) -> None:
        """Another width; one program in three has any."""
        v = self.var()
        assert v is not None
        if not any(spec["dtype"] == "float32" for spec in self.inputs.values()):
            self.binary()
            return
        self.put(f"{v.name}.{self.pick(['float()', 'double()', 'to(torch.float32)'])}", v.shape, v.bound, v.grad,
                 fresh=False)  # fmt: skip

    # -- the whole ----------------------------------------------------------------------------

    def program(self) -> Program:
        mixed = self.chance(6)
        for i in range(2 + self.draw(st.integers(0, 2))):
            self.leaf("float32" if mixed and i == 1 else "float64", requires_grad=i != 2)
        steps = 10 + self.draw(st.integers(0, 30))
        while len(self.lines) < steps:
            self.step()
        # What nothing else uses, so that most of the program counts.
        words = Counter(re.findall(r"[a-z]\d*", "\n".join(self.lines)))
        ends = [v for v in self.vars if v.grad and words[v.name] == 1][-6:] or self.vars[-1:]
        terms = []
        for k, v in enumerate(ends):
            x, _ = self.small(v, 30.0)
            terms.append(f"({x} * {0.5 + k}).sum()")
        self.line(f"y = {' + '.join(terms)}")
        return Program("\n".join(self.lines), self.inputs, mixed)


# How often each kind of step is drawn; the first is the simplest, to which examples shrink.
KINDS = (
    ["unary"] * 6 + ["scalar"] * 4 + ["binary"] * 7 + ["reduction"] * 3 + ["along"] * 2 + ["view"] * 4 + ["part"] * 4
    + ["matmul"] * 3 + ["join"] * 2 + ["split"] * 2 + ["write"] * 3 + ["overwrite"] + ["constant"] + ["without_grad"]
    + ["convert"]
)  # fmt: skip


def _atom(text: str) -> str:
    return text if text.isidentifier() or text.endswith(")") else f"({text})"


def _with(shape: Shape, d: int, n: int) -> Shape:
    """``shape`` with another extent along an axis."""
    return (*shape[:d], n, *shape[d + 1 :])


def _dims(n: int) -> str:
    return str(tuple(range(n)))


def _broadcast(a: Shape, b: Shape) -> Shape | None:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


def _matmul(a: Shape, b: Shape) -> Shape | None:
    if not a or not b:
        return None
    try:
        return (np.zeros(a) @ np.zeros(b)).shape
    except ValueError:
        return None


@st.composite
def programs(draw: Any) -> Program:
    """Random programs."""
    return Builder(draw).program()
