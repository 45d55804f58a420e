"""Every op of the registry on its samples, judged by calculus alone: no other engine is asked.

The witnesses are the complex step (the forward at x + i·h·v, exact to rounding), central differences, and,
for the second order, the complex step through the backward.
"""

from __future__ import annotations

import ast
import functools
import inspect
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine import offers
from gradcli.engine.modes import mode
from gradcli.engine.registry import OPS, Op, primitive
from gradcli.engine.tensor import Tensor, result
from tests.rings import all_of, all_of_each, long, sampled

from .samples import Sample, all_samples

ROOT = Path(gradcli.__file__).parent
offers.load_all()
SAMPLES = all_samples()
# Those that only complex tensors have are judged by tests/engine/test_complex.py.
COMPLEX = {name for name, op in OPS.items() if ".ops.complex." in op.forward.__module__}
# What nothing measures has PyTorch for a judge alone.
WITH_RULES = sorted(
    name for name, op in OPS.items() if op.rules and op.unmeasured is None and name not in COMPLEX
)
CASES = [(name, i) for name in WITH_RULES for i in range(len(SAMPLES.get(name, ())))]

H = 1e-30
every_case = all_of_each(CASES)


@dataclass
class Case:
    """One call of an op: its arguments by name, and which of them are differentiated."""

    op: Op
    sample: Sample
    values: dict[str, Any]

    @functools.cached_property
    def leaves(self) -> list[tuple[str, int | None]]:
        """The floating arrays by which an op is differentiated: an argument, or an item of a list."""
        found: list[tuple[str, int | None]] = []
        for name in self.op.rules:
            value = self.values.get(name)
            if name in self.op.lists:
                found += [(name, i) for i, x in enumerate(value) if _floating(x)]
            elif _floating(value):
                found.append((name, None))
        return found

    def arrays(self) -> list[Any]:
        return [self.values[name] if i is None else self.values[name][i] for name, i in self.leaves]

    def with_arrays(self, arrays: list[Any]) -> dict[str, Any]:
        """The arguments with other values for the leaves."""
        values = {k: list(v) if k in self.op.lists else v for k, v in self.values.items()}
        for (name, i), a in zip(self.leaves, arrays, strict=True):
            if i is None:
                values[name] = a
            else:
                values[name][i] = a
        return values

    def raw(self, arrays: list[Any]) -> list[Any]:
        """The outputs that have gradients, from arrays to arrays."""
        values = self.with_arrays(arrays)
        return self.differentiable(self.op.forward(*self._positional(values), **self._keywords(values)))

    def call(self, arrays: list[Any], requires_grad: bool = True, dtype: Any = None) -> tuple[list[Tensor], Any]:
        """The leaves as tensors, and what the op makes of them."""
        tensors = [_tensor(a if dtype is None else np.asarray(a).astype(dtype)) for a in arrays]
        if requires_grad:
            for t in tensors:
                t.requires_grad_()
        values = {k: _wrapped(_narrowed(v, dtype)) for k, v in self.with_arrays(tensors).items()}
        return tensors, self.op.call(*self._positional(values), **self._keywords(values))

    def differentiable(self, y: Any) -> list[Any]:
        """The outputs that the node numbers, where they have a gradient; what it does not name comes last."""
        outs = y if isinstance(y, tuple) else (y,)
        names = self.op.outputs * len(outs) if self.op.siblings else self.op.outputs
        return [x for x, name in zip(outs, names, strict=False) if name is not None and _floating(x)]

    def _positional(self, values: dict[str, Any]) -> list[Any]:
        names = self.op.parameters[: self.op.positional]
        return [values[n] for n in names if n in values]

    def _keywords(self, values: dict[str, Any]) -> dict[str, Any]:
        return {n: values[n] for n in self.op.parameters[self.op.positional :] if n in values}


def _narrowed(value: Any, dtype: Any) -> Any:
    """An array that is no leaf, in the dtype of those that are."""
    is_real = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return value.astype(dtype) if dtype is not None and is_real else value


def case(name: str, index: int) -> Case:
    op = OPS[name]
    sample = SAMPLES[name][index]
    bound = inspect.signature(op.forward).bind(*sample.args, **sample.kwargs)
    bound.apply_defaults()
    return Case(op, sample, dict(bound.arguments))


def _floating(x: Any) -> bool:
    if isinstance(x, Tensor):
        x = x._a
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fc"


def _tensor(a: Any) -> Tensor:
    return result(np.asarray(a)[()] if np.ndim(a) == 0 else a)


def _wrapped(v: Any) -> Any:
    """An argument as users pass it: arrays as tensors."""
    if isinstance(v, (np.ndarray, np.generic)):
        return _tensor(v)
    if isinstance(v, list):
        return [_wrapped(x) for x in v]
    return v


def _random(*key: Any) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def _direction(random: np.random.Generator, a: Any) -> Any:
    return random.uniform(0.5, 1.5, np.shape(a)) * random.choice([-1.0, 1.0], np.shape(a))


def _step(a: Any, v: Any, h: complex) -> Any:
    moved = np.asarray(a) + h * v
    return moved[()] if moved.ndim == 0 else moved


def _dot(xs: list[Any], ys: list[Any]) -> Any:
    """The sum of products, complex without conjugation."""
    return sum((np.sum(np.asarray(x) * np.asarray(y)) for x, y in zip(xs, ys, strict=True)), 0.0)


def _arrays(grads: Any, like: list[Any]) -> list[Any]:
    return [np.zeros(np.shape(a)) if g is None else g._a for g, a in zip(grads, like, strict=True)]


def first_order(c: Case, arrays: list[Any], weights: list[Any], **how: Any) -> list[Any]:
    """The gradients of the weighted sum of the outputs; complex arrays are readings."""
    before, mode.readings = mode.readings, True
    try:
        return _first_order(c, arrays, weights, **how)
    finally:
        mode.readings = before


def _first_order(c: Case, arrays: list[Any], weights: list[Any], **how: Any) -> list[Any]:
    tensors, y = c.call(arrays)
    outs = c.differentiable(y)
    cotangents = [_tensor(w) for w in weights]
    grads = gradcli.autograd.grad(outs, tensors, cotangents, allow_unused=True, **how)
    return _arrays(grads, arrays)


def weights_for(c: Case, arrays: list[Any], key: Any) -> list[Any]:
    random = _random("weights", key)
    return [_direction(random, x) for x in c.raw(arrays)]


def assert_close(got: Any, want: Any, tolerance: float, scale: float, what: str) -> None:
    __tracebackhide__ = True
    error = float(np.max(np.abs(np.asarray(got) - np.asarray(want)), initial=0.0))
    assert error <= tolerance * max(scale, 1.0), f"{what}: {got!r}, not {want!r} (off by {error:.3g})"


def assert_first_order(c: Case, key: Any, differences: bool = True) -> None:
    """The vector-Jacobian product against the complex step and against differences."""
    __tracebackhide__ = True
    arrays = c.arrays()
    weights = weights_for(c, arrays, key)
    grads = first_order(c, arrays, weights)
    random = _random("directions", key)
    for k, a in enumerate(arrays):
        assert np.shape(grads[k]) == np.shape(a), f"the gradient of {c.leaves[k]} has shape {np.shape(grads[k])}"
        for _ in range(3):
            v = _direction(random, a)
            slope = _dot([grads[k]], [v])
            scale = float(np.sum(np.abs(grads[k] * v)))
            if not c.sample.why_not_complex:
                moved = [_step(x, v, 1j * H) if i == k else x for i, x in enumerate(arrays)]
                witness = np.imag(_dot(c.raw(moved), weights)) / H
                assert_close(slope, witness, 1e-12, scale, f"slope along {c.leaves[k]} against the complex step")
            if not differences:
                continue
            h = 1e-5
            ends = [[_step(x, v, s * h) if i == k else x for i, x in enumerate(arrays)] for s in (1, -1)]
            up, down = (_dot(c.raw(e), weights) for e in ends)
            assert_close(slope, (up - down) / (2 * h), 1e-5, scale, f"slope along {c.leaves[k]} against differences")


@all_of(WITH_RULES)
def test_every_op_with_rules_has_samples(name: str) -> None:
    assert SAMPLES.get(name), f"{name} has no sample in tests/engine/samples"


def test_every_sample_belongs_to_an_op_with_rules() -> None:
    assert SAMPLES.keys() <= set(WITH_RULES)


@all_of(sorted(OPS))
def test_every_op_says_what_it_is(name: str) -> None:
    doc = OPS[name].doc
    assert doc, f"{name} has no docstring"
    assert doc.splitlines()[0].endswith("."), f"{name}: the first line is no sentence: {doc.splitlines()[0]}"


@sampled(4, each="name")
@every_case
def test_samples_are_fair(name: str, index: int) -> None:
    c = case(name, index)
    assert c.leaves, "nothing to differentiate by"
    assert all(np.isfinite(x).all() for x in c.raw(c.arrays())), "a value is not finite"
    if c.op.domain is not None:
        inside = c.op.domain(*_told(c.op.domain, c))
        assert np.all(inside), "outside the domain"


def _told(ask: Any, c: Case) -> list[Any]:
    """The arguments of a kink or a domain: by name where the names are the op's, else in order."""
    names = inspect.signature(ask).parameters
    by_name = [c.values[n] for n in names if n in c.values]
    return by_name if len(by_name) == len(names) else list(c.values.values())[: len(names)]


@sampled(4, each="name")
@every_case
def test_gradients_are_slopes(name: str, index: int) -> None:
    c = case(name, index)
    if not c.sample.why_not_slopes:
        assert_first_order(c, (name, index))


@sampled(4, each="name")
@every_case
def test_second_gradients_are_slopes_of_first_ones(name: str, index: int) -> None:
    c = case(name, index)
    if c.sample.why_not_second:
        return
    arrays = c.arrays()
    random = _random("second", name, index)
    weights = weights_for(c, arrays, (name, index))
    projection = [_direction(random, a) for a in arrays]

    tensors, y = c.call(arrays)
    outs = c.differentiable(y)
    cotangents = [_tensor(w).requires_grad_() for w in weights]
    grads = gradcli.autograd.grad(outs, tensors, cotangents, create_graph=True, allow_unused=True)
    total = None
    for g, p in zip(grads, projection, strict=True):
        if g is not None and g.requires_grad:
            part = (g * _tensor(p)).sum()
            total = part if total is None else total + part
    variables = [*arrays, *weights]
    if total is None:
        second = [np.zeros(np.shape(a)) for a in variables]
    else:
        second = _arrays(gradcli.autograd.grad(total, [*tensors, *cotangents], allow_unused=True), variables)

    def projected(at: list[Any]) -> Any:
        return _dot(first_order(c, at[: len(arrays)], at[len(arrays) :]), projection)

    for k, a in enumerate(variables):
        what = f"second slope along {c.leaves[k] if k < len(arrays) else 'a cotangent'}"
        v = _direction(random, a)
        slope = _dot([second[k]], [v])
        scale = float(np.sum(np.abs(second[k] * v)))
        if not c.sample.why_not_complex:
            # Everything complex, so that an engine which looks at dtypes sees one.
            moved = [_step(x, v, 1j * H) if i == k else np.asarray(x) + 0j for i, x in enumerate(variables)]
            moved = [x[()] if np.ndim(x) == 0 else x for x in moved]
            assert_close(slope, np.imag(projected(moved)) / H, 1e-11, scale, f"{what} against the complex step")
        h = 1e-5
        up, down = (projected([_step(x, v, s * h) if i == k else x for i, x in enumerate(variables)]) for s in (1, -1))
        assert_close(slope, (up - down) / (2 * h), 1e-4, scale, f"{what} against differences")


@sampled(4, each="name")
@every_case
def test_recording_the_backward_changes_no_gradient(name: str, index: int) -> None:
    c = case(name, index)
    if c.sample.why_not_second:
        return
    arrays = c.arrays()
    weights = weights_for(c, arrays, (name, index))
    plain = first_order(c, arrays, weights)
    recorded = first_order(c, arrays, weights, create_graph=True)
    for p, r in zip(plain, recorded, strict=True):
        assert np.shape(p) == np.shape(r)
        assert_close(r, p, 1e-15, float(np.max(np.abs(p), initial=0.0)), "the recorded gradient")


@sampled(4, each="name")
@every_case
def test_float32_stays_float32(name: str, index: int) -> None:
    c = case(name, index)
    if any(isinstance(v, (np.dtype, gradcli.dtype)) for v in c.values.values()):
        return  # told what to make
    arrays = c.arrays()
    tensors, y = c.call(arrays, dtype=np.float32)
    outs = c.differentiable(y)
    wide = c.raw(arrays)
    for out, w in zip(outs, wide, strict=True):
        assert out._a.dtype == np.float32, f"{name} makes {out._a.dtype} of float32"
        scale = float(np.max(np.abs(w), initial=0.0))
        assert_close(out._a, w, 2e-4, scale, "float32 value")
    cotangents = [_tensor(np.ones(np.shape(o._a), np.float32)) for o in outs]
    for how in ({}, {"create_graph": True}):
        grads = gradcli.autograd.grad(outs, tensors, cotangents, allow_unused=True, retain_graph=True, **how)
        for g in grads:
            assert g is None or g._a.dtype == np.float32, f"the gradient is {g._a.dtype}"


@sampled(4, each="name")
@every_case
def test_inputs_that_are_not_contiguous_change_nothing(name: str, index: int) -> None:
    c = case(name, index)
    arrays = c.arrays()
    weights = weights_for(c, arrays, (name, index))
    strided = [_scattered(a) for a in arrays]
    plain = c.raw(arrays)
    for how in (lambda a: a, _reversed_memory):
        other = [how(a) for a in strided]
        for p, s in zip(plain, c.raw(other), strict=True):
            assert_close(s, p, 1e-14, float(np.max(np.abs(p), initial=0.0)), "value")
        for p, s in zip(first_order(c, arrays, weights), first_order(c, other, weights), strict=True):
            assert_close(s, p, 1e-14, float(np.max(np.abs(p), initial=0.0)), "gradient")


def _scattered(a: Any) -> Any:
    """The same values, every second one in memory."""
    if np.ndim(a) == 0:
        return a
    memory = np.full((*a.shape, 2), np.nan)
    memory[..., 0] = a
    return memory[..., 0]


def _reversed_memory(a: Any) -> Any:
    """The same values, the first axis fastest in memory."""
    return a if np.ndim(a) == 0 else np.asfortranarray(a)


@sampled(4, each="name")
@every_case
def test_a_call_leaves_its_inputs_and_says_what_it_made(name: str, index: int) -> None:
    c = case(name, index)
    arrays = c.arrays()
    before = [np.array(a) for a in arrays]
    tensors, y = c.call(arrays)
    outs = y if isinstance(y, tuple) else (y,)
    node = next(o.grad_fn for o in outs if o.grad_fn is not None)
    described = node._input_metadata
    assert len(described) == (len(outs) if c.op.siblings else len(c.op.outputs))
    for k, o in enumerate(outs[: len(described)]):
        assert list(described[k].shape) == list(o.shape)
        assert described[k].dtype == o.dtype
        if o.grad_fn is not None:
            assert o.grad_fn is node
            assert o.output_nr == k
    assert type(node).__name__ == c.op.node_name
    assert len(node.next_functions) >= len(tensors)
    gradcli.autograd.grad(
        c.differentiable(y), tensors, [_tensor(np.ones(o.shape)) for o in c.differentiable(y)], allow_unused=True
    )
    for a, b in zip(arrays, before, strict=True):
        assert np.array_equal(a, b), f"{name} wrote to its input"


# -- elementwise ops: any shape -----------------------------------------------------------------

ELEMENTWISE = [n for n in WITH_RULES if OPS[n].kind == "elementwise" and SAMPLES.get(n)]
PAIRS = [((3, 1), (1, 4)), ((), (3,)), ((3,), ()), ((2, 3), (3,)), ((2, 1, 3), (4, 1)), ((0, 3), (1, 3)), ((), ())]
SHAPES: list[tuple[int, ...]] = [(), (1,), (0,), (0, 3), (2, 3), (2, 1, 2)]


def reshaped(name: str, shapes: list[tuple[int, ...]]) -> Case | None:
    """A sample of an op with values of its own in other shapes, the first for masks as well."""
    for index in range(len(SAMPLES[name])):
        c = case(name, index)
        arrays = c.arrays()
        if len(arrays) < len(shapes) or not all(np.size(a) for a in arrays):
            continue
        given = [*shapes, *[shapes[0]] * (len(arrays) - len(shapes))]
        values = c.with_arrays([_resized(a, s) for a, s in zip(arrays, given, strict=True)])
        masks = {k: _resized(v, shapes[0]) for k, v in values.items() if isinstance(v, np.ndarray) and v.dtype == bool}
        return Case(c.op, c.sample, values | masks)
    return None


def _resized(a: Any, shape: tuple[int, ...]) -> Any:
    made = np.resize(np.ravel(a), shape) if 0 not in shape else np.zeros(shape, np.asarray(a).dtype)
    return made[()] if made.ndim == 0 else made


def test_what_is_offered_stands_where_it_is_looked_for() -> None:
    elsewhere = [file for module, file in offers.modules().items() if not offers._may_offer(module)]
    assert elsewhere
    assert not [file for file in elsewhere if offers._MARK in offers._text(file)]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_an_elementwise_op_takes_any_shape(name: str) -> None:
    for shape in SHAPES:
        c = reshaped(name, [shape] * len(OPS[name].rules)) or reshaped(name, [shape])
        assert c is not None
        _, y = c.call(c.arrays())
        assert y.shape == shape
        # Values meet that no sample brought together, at times at a kink, where only one side is a slope.
        assert_first_order(c, (name, shape), differences=False)


@pytest.mark.parametrize("name", [n for n in ELEMENTWISE if len(OPS[n].rules) == 2])
def test_operands_are_broadcast_and_their_gradients_summed_back(name: str) -> None:
    for pair in PAIRS:
        c = reshaped(name, list(pair))
        assert c is not None, f"{name} has no sample with two arrays"
        _, y = c.call(c.arrays())
        assert y.shape == np.broadcast_shapes(*pair)
        assert_first_order(c, (name, pair), differences=False)


# -- a declaration is a record ---------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(Op.__annotations__))
def test_a_declared_op_stays_as_it_is(name: str) -> None:
    op = OPS["sin"]
    before = getattr(op, name)
    with pytest.raises(AttributeError, match=f"op sin is declared: its {name} stays as it is"):
        setattr(op, name, None)
    with pytest.raises(AttributeError, match=f"op sin is declared: its {name} stays"):
        delattr(op, name)
    assert getattr(op, name) is before


def test_every_fact_of_an_op_is_said_in_its_class() -> None:
    derived = {"picks", "joint_picks", "on_complex", "_nodes"}
    for op in OPS.values():
        assert vars(op).keys() <= Op.__annotations__.keys() | derived, op.name
        assert Op.__annotations__.keys() <= vars(op).keys() | vars(Op).keys(), op.name


def test_what_is_said_of_an_argument_that_is_not_there_is_refused() -> None:
    def nothing(x: Any) -> Any:
        return x

    with pytest.raises(TypeError, match="op nothing has a rule for 'y', which is no parameter of it"):
        primitive(y=lambda g: g)(nothing)
    with pytest.raises(TypeError, match="a rule of op nothing asks for 'z', which is no argument or output of it"):
        primitive(x=lambda g, z: g)(nothing)
    assert "nothing" not in OPS


# Rooms whose tables are of names that users write, not of ops; and the estimates, which are of public functions.
OF_PUBLIC_NAMES = (
    "engine/ops/", "nn/", "optim/", "spec/", "distributions/", "engine/writes/inplace.py",
    "engine/dispatch/on_sparse.py",
)  # fmt: skip


def _is_written(node: ast.AST) -> bool:
    """Whether something is a text, or a table of such."""
    if isinstance(node, ast.Name):
        return node.id.isupper()
    return isinstance(node, (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict))


def _is_name_of_op(node: ast.AST) -> bool:
    """Whether something is `op.name`, or that of something which is called so."""
    if not isinstance(node, ast.Attribute) or node.attr != "name":
        return False
    owner = node.value
    return (owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")).endswith("op")


def _compares_a_name(node: ast.AST) -> bool:
    """Whether the name of an op is compared with one that is written there, or looked up in a table."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(map(_is_name_of_op, sides)) and any(map(_is_written, sides))
    return isinstance(node, ast.Subscript) and _is_name_of_op(node.slice) and _is_written(node.value)


def _names_ops(node: ast.AST) -> bool:
    """Whether a text lists ops."""
    words = node.value.split() if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
    return len(words) > 1 and all(word in OPS for word in words)


@long("all files are read for it")
@all_of(sorted(ROOT.rglob("*.py")))
def test_what_is_known_of_an_op_is_said_where_it_is_declared(path: Path) -> None:
    if not path.relative_to(ROOT).as_posix().startswith(OF_PUBLIC_NAMES):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        found = [node for node in nodes if _compares_a_name(node) or _names_ops(node)]
        assert not found, [f"{path}:{node.lineno}: {ast.unparse(node)}" for node in found]


@pytest.mark.parametrize("text", ["op.name == 'sin'", "call.op.name in TABLE", "TABLE[op.name]", "'sin cos tan'"])
def test_what_is_said_elsewhere_is_seen(text: str) -> None:
    assert any(_compares_a_name(node) or _names_ops(node) for node in ast.walk(ast.parse(text)))
