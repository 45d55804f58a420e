"""gradcli on the sample inputs that PyTorch tests its own ops with.

``python -m tests.conformance.op_db [NAME ...]`` prints what became of every op, or of those named.
"""

from __future__ import annotations

import itertools
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import gradcli
from gradcli.engine.tensor import result
from gradcli.errors import Unsupported

SAMPLES_PER_OP = 12
LARGEST = 2000
TOLERANCE = 1e-9

RIGHT, REFUSED, WRONG, MISSING = "right", "refused by name", "wrong", "not in gradcli"


@dataclass
class Outcome:
    """What became of the samples of one op."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def add(self, verdict: str, why: str = "") -> None:
        self.counts[verdict] += 1
        if verdict == WRONG:
            self.faults.append(why)
        self.first.setdefault(verdict, why)


def op_db() -> list[Any]:
    """PyTorch's list of ops."""
    # Its test helpers import a package that nothing here uses.
    if "expecttest" not in sys.modules:
        stub: Any = types.ModuleType("expecttest")
        stub.TestCase = __import__("unittest").TestCase
        stub.assert_expected_inline = None
        sys.modules["expecttest"] = stub
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal import common_utils

        # It would look through the stack for the unittest that asks, twice for each op: longer than its samples take.
        common_utils.extract_test_fn = lambda: None
        from torch.testing._internal.common_methods_invocations import op_db as found
    return list(found)


def op_infos() -> list[Any]:
    """PyTorch's list of ops, for float64."""
    import torch

    return [op for op in op_db() if torch.float64 in op.dtypes and not op.name.startswith(UNWRITTEN)]


def counterpart(op: Any) -> Any:
    """gradcli's function of the same name, or None when it has none."""
    if getattr(op.op, "__name__", "") in ("<lambda>", "max_pool2d_backward"):
        return _rebound(op.op)
    places = [gradcli.Tensor] if op.name.startswith("__") else [gradcli, gradcli.ops.aten, gradcli.Tensor]
    for found in places:
        for part in op.name.removeprefix("torch.").split("."):
            found = getattr(found, part, None)
        if callable(found) and not isinstance(found, gradcli.dtype):
            return found
    return None


def _rebound(function: Any) -> Any:
    """A small function of PyTorch's list, with gradcli in the place of torch."""
    aten, functional = gradcli.ops.aten, gradcli.nn.functional
    places = (aten, gradcli, gradcli.Tensor, gradcli.nn, functional, gradcli.linalg, gradcli.special)
    known = {"torch", "wrapper_set_seed", "aten", "default"}
    if not all(n in known or any(hasattr(p, n) for p in places) for n in function.__code__.co_names):
        return None
    names = function.__globals__ | {"torch": gradcli, "wrapper_set_seed": _seeded}
    return types.FunctionType(function.__code__, names, closure=function.__closure__)


def _seeded(function: Any, *args: Any, **kwargs: Any) -> Any:
    """What PyTorch's list does before an op that draws random numbers."""
    gradcli.manual_seed(42)
    return function(*args, **kwargs)


# What these return was never written to.
UNWRITTEN = ("empty", "new_empty")


def judge(op: Any, function: Any) -> Outcome:
    """Compare values, gradients and second gradients on the samples of an op."""
    import torch

    outcome = Outcome(full_name(op))
    for sample in samples(op, torch.float64, SAMPLES_PER_OP, requires_grad=op.supports_autograd):
        judge_sample(outcome, op, function, sample, _answer, _difference)
    return outcome


def samples(op: Any, dtype: Any, most: int, step: int = 1, requires_grad: bool = True) -> Iterator[Any]:
    """Of the first samples of an op each so many, without those that are large or of other kinds of tensors."""
    import torch

    torch.manual_seed(0)
    for sample in itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=requires_grad), 0, most, step):
        tensors = tensors_in((sample.input, sample.args, sample.kwargs), torch.Tensor)
        if any(t.numel() > LARGEST or t.layout is not torch.strided for t in tensors):
            continue
        if not dtype.is_complex and any(t.is_complex() for t in tensors):
            continue
        # A function is one of PyTorch's own tensors.
        if not any(callable(v) for v in sample.kwargs.values()):
            yield sample


def tensors_in(tree: Any, kind: Any) -> list[Any]:
    """The tensors among some arguments."""
    found: list[Any] = []
    _map(tree, kind, lambda t: found.append(t) or t)
    return found


def full_name(op: Any) -> str:
    """The name of an op with that of its variant."""
    return f"{op.name}[{op.variant_test_name}]" if op.variant_test_name else str(op.name)


def judge_sample(outcome: Outcome, op: Any, function: Any, sample: Any, answer: Any, difference: Any) -> None:
    """Compare what both engines answer to a sample; ``answer`` is given an engine, results and leaves."""
    import torch

    theirs: list[Any] = []
    ours: list[Any] = []
    pairs: dict[int, Any] = {}

    def convert(t: Any) -> Any:
        if id(t) not in pairs:
            pairs[id(t)] = twin(t)
            if t.requires_grad:
                theirs.append(t)
                ours.append(pairs[id(t)])
        return pairs[id(t)]

    # Fresh leaves, so that what PyTorch made them of is no part of the comparison.
    fresh: dict[int, Any] = {}

    def leaf(t: Any) -> Any:
        if id(t) not in fresh:
            plain = t.detach().resolve_conj().resolve_neg()
            fresh[id(t)] = plain.clone(memory_format=torch.preserve_format).requires_grad_(t.requires_grad)
        return fresh[id(t)]

    arguments = _map((sample.input, sample.args, sample.kwargs), torch.Tensor, leaf)
    twins = with_our_names(_map(arguments, torch.Tensor, convert))
    shown = _shown(arguments)
    try:
        x, args, kwargs = arguments
        want = answer(torch, _flat(sample.output_process_fn_grad(op.op(x, *args, **kwargs)), torch), theirs)
    except Exception:
        return
    try:
        x, args, kwargs = twins
        got = answer(gradcli, _flat(sample.output_process_fn_grad(function(x, *args, **kwargs)), gradcli), ours)
        fault = difference(want, got)
    except Unsupported as error:
        outcome.add(REFUSED, f"{error}   {shown}")
        return
    except Exception as error:
        if str(error).startswith("module 'gradcli' has no attribute"):
            outcome.add(MISSING)
            return
        fault = f"raises {type(error).__name__}: {error}"
    outcome.add(WRONG if fault else RIGHT, f"{fault}   {shown}" if fault else "")


def _answer(engine: Any, outs: list[Any], leaves: list[Any]) -> tuple[list[Any], list[Any]]:
    return outs, leaves


def _difference(expected: tuple[list[Any], list[Any]], found: tuple[list[Any], list[Any]]) -> str | None:
    import torch

    (want, theirs), (got, ours) = expected, found
    fault = _unequal("value", want, got)
    if fault:
        return fault
    needing = [(w, g) for w, g in zip(want, got, strict=True) if w.requires_grad]
    for w, g in zip(want, got, strict=True):
        if w.requires_grad != g.requires_grad:
            return f"requires_grad is {g.requires_grad}"
    if not needing or not theirs:
        return None
    outs = [w for w, _ in needing]
    random = np.random.default_rng(0)
    cotangents = [random.uniform(0.5, 1.5, tuple(w.shape)) for w in outs]
    seeds = [torch.tensor(c).to(w.dtype).requires_grad_() for c, w in zip(cotangents, outs, strict=True)]
    try:
        first = torch.autograd.grad(outs, theirs, seeds, create_graph=True, allow_unused=True)
    except RuntimeError as error:
        if "not implemented" in str(error):
            return None
        raise
    seeds_ = [twin(s) for s in seeds]
    first_ = gradcli.autograd.grad([g for _, g in needing], ours, seeds_, create_graph=True, allow_unused=True)
    plain_ = gradcli.autograd.grad([g for _, g in needing], ours, seeds_, retain_graph=True, allow_unused=True)
    fault = _unequal("gradient", first, first_) or _unequal("gradient without create_graph", first, plain_)
    if fault:
        return fault
    total, total_ = (_projected(grads, np.random.default_rng(1)) for grads in (first, first_))
    if total is None:
        return None
    try:
        second = torch.autograd.grad(total, [*theirs, *seeds], allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return None
    if total_ is None:
        return "the gradient has no graph"
    second_ = gradcli.autograd.grad(total_, [*ours, *seeds_], allow_unused=True)
    return _unequal("second gradient", second, second_, zeros=True)


def _projected(grads: Any, random: Any) -> Any:
    """The sum of the gradients with random weights, where they have a graph."""
    total = None
    for g in grads:
        if g is None:
            continue
        weights = random.uniform(0.5, 1.5, tuple(g.shape))
        if not g.requires_grad:
            continue
        engine = gradcli if isinstance(g, gradcli.Tensor) else sys.modules["torch"]
        part = (g * engine.tensor(weights, dtype=g.dtype)).sum()
        total = part if total is None else total + part
    return total


def _unequal(title: str, want: Any, got: Any, zeros: bool = False) -> str | None:
    """The first difference between two lists of tensors, or None; ``zeros``: None is as good as zero."""
    if len(want) != len(got):
        return f"{len(got)} {title}s, not {len(want)}"
    for i, (w, g) in enumerate(zip(want, got, strict=True)):
        if w is None or g is None:
            if w is g or (zeros and (w is None or not w.any()) and (g is None or not np.any(_numpy(g)))):
                continue
            return f"{title} {i} is {g if g is None else g.tolist()}, not {w if w is None else w.tolist()}"
        # Added to nothing, a lazy zero or a lazy minus becomes an array of numbers.
        a, b = _numpy(w.detach() + 0 if w.dtype.is_floating_point else w), _numpy(g)
        if str(w.dtype) != str(g.dtype):
            return f"{title} {i} is {g.dtype}, not {w.dtype}"
        if a.shape != b.shape:
            return f"{title} {i} has shape {b.shape}, not {a.shape}"
        if a.dtype != b.dtype:
            return f"{title} {i} is {b.dtype}, not {a.dtype}"
        scale = max(1.0, float(np.max(np.abs(a[np.isfinite(a)]), initial=0.0))) if a.dtype.kind in "fc" else 1.0
        if not np.allclose(b, a, rtol=TOLERANCE, atol=TOLERANCE * scale, equal_nan=True):
            return f"{title} {i} is {b.tolist()}, not {a.tolist()}"
    return None


def _numpy(t: Any) -> Any:
    # NumPy has no bfloat16.
    t = t.detach().double() if str(t.dtype) == "torch.bfloat16" else t.detach()
    return np.asarray(t.resolve_conj().resolve_neg().numpy())


def twin(t: Any) -> Any:
    """A gradcli tensor with the values, strides and flag of a PyTorch one."""
    if str(t.dtype) == "torch.bfloat16":
        return twin(t.detach().double()).bfloat16().requires_grad_(t.requires_grad)
    a = t.detach().resolve_conj().resolve_neg().numpy()
    if a.ndim and a.size:
        # The same strides over memory of its own.
        extent = 1 + sum((n - 1) * s for n, s in zip(a.shape, t.stride(), strict=True))
        flat = np.zeros(extent, a.dtype)
        strides = tuple(s * a.itemsize for s in t.stride())
        copy = np.lib.stride_tricks.as_strided(flat, a.shape, strides)
        copy[...] = a
    else:
        copy = a.copy() if a.ndim else a[()]
    made = result(copy)
    return made.requires_grad_() if t.requires_grad else made


def _map(x: Any, kind: Any, f: Any) -> Any:
    """``x`` with ``f`` applied to everything of a kind inside."""
    if isinstance(x, kind):
        return f(x)
    if type(x) in (list, tuple):
        return type(x)(_map(y, kind, f) for y in x)
    if type(x) is dict:
        return {k: _map(v, kind, f) for k, v in x.items()}
    if isinstance(x, slice):
        return slice(_map(x.start, kind, f), _map(x.stop, kind, f), _map(x.step, kind, f))
    return x


def with_our_names(tree: Any) -> Any:
    """Arguments with gradcli's dtypes, layouts and memory formats in the place of PyTorch's."""
    import torch

    kinds = (torch.dtype, torch.layout, torch.memory_format)
    return _map(tree, kinds, lambda d: getattr(gradcli, str(d).removeprefix("torch."), d))


def _flat(y: Any, engine: Any) -> list[Any]:
    """The tensors of a result."""
    if isinstance(y, engine.Tensor):
        return [y]
    if isinstance(y, (list, tuple)):
        return [t for x in y for t in _flat(x, engine)]
    return []


def _shown(x: Any) -> str:
    torch = sys.modules["torch"]
    x, args, kwargs = _map(x, torch.Tensor, lambda t: types.SimpleNamespace(of=(str(t.dtype)[6:], *t.shape)))
    text = ", ".join([repr(x), *map(repr, args), *(f"{k}={v!r}" for k, v in kwargs.items())])
    return f"({text})".replace("namespace(of=", "").replace("))", ")")[:300]


def report(names: list[str]) -> tuple[list[Outcome], list[str]]:
    """The outcomes of the ops that gradcli has, and the names of those it has not."""
    return judged(op_infos(), judge, names)


def judged(ops: list[Any], judge: Callable[[Any, Any], Outcome], names: list[str]) -> tuple[list[Outcome], list[str]]:
    """The outcomes of those ops that gradcli has, and the names of the others; of all, or of those named."""
    outcomes, missing = [], []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for op in ops:
            if names and not any(n in (op.name, full_name(op)) for n in names):
                continue
            function = counterpart(op)
            outcome = Outcome(full_name(op)) if function is None else judge(op, function)
            if function is None or outcome.counts[MISSING]:
                missing.append(outcome.name)
            else:
                outcomes.append(outcome)
    return outcomes, missing


def table(outcomes: list[Outcome], missing: list[str]) -> list[str]:
    """The counts, for people."""
    total: Counter[str] = sum((o.counts for o in outcomes), Counter())
    wrong = [o.name for o in outcomes if o.counts[WRONG]]
    refused = [o.name for o in outcomes if o.counts[REFUSED] and not o.counts[WRONG]]
    right = sum(1 for o in outcomes if o.counts and set(+o.counts) == {RIGHT})
    return [
        f"{'':<18}{'samples':>8}{'ops':>6}",
        f"{RIGHT:<18}{total[RIGHT]:>8}{right:>6}",
        f"{REFUSED:<18}{total[REFUSED]:>8}{len(refused):>6}",
        f"{WRONG:<18}{total[WRONG]:>8}{len(wrong):>6}",
        f"{MISSING:<18}{'':>8}{len(missing):>6}",
    ]


def show(outcomes: list[Outcome], missing: list[str], known: Mapping[str, Any]) -> None:
    """Print every op that is not right, and the counts."""
    for outcome in outcomes:
        for verdict, why in outcome.first.items():
            if verdict != RIGHT:
                exempt = f" ({known[outcome.name]})" if outcome.name in known else ""
                print(f"{outcome.name}: {outcome.counts[verdict]} {verdict}{exempt}: {why[:600]}")
    print("not in gradcli:", " ".join(missing))
    print("\n".join(table(outcomes, missing)))


if __name__ == "__main__":
    from . import exempt

    show(*report(sys.argv[1:]), exempt.OP_DB)
