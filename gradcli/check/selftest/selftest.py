"""The checker checked: mistakes are planted, and it has to find each and to name the op that makes it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine import offers
from ...engine.graph import CUT, LEAF, node_of
from ...engine.tensor import Tensor, result
from ...engine.walk.backward import grad
from ...errors import Source
from ...spec.input.source import Spec
from ...spec.program import Program
from ..arrays import Array
from ..check import check_program
from ..judging.findings import Checked, Culprit, Options
from ..judging.verdict import GRAVITY, Verdict
from ..orders import check_subject
from ..replay.subject import Subject, of_function
from .faulty_programs import PROGRAMS, Written
from .planted_faults import FAULTS, Fault, Spot, plant

# So many mistakes are planted.
COUNT = len(FAULTS) + len(PROGRAMS)


class Plot(NamedTuple):
    """A mistake at one place."""

    fault: Fault
    # The op, counted in forward order, and its argument, by the place of its edge.
    position: int
    slot: int


class Planted(NamedTuple):
    """A mistake that was planted, and what became of it."""

    name: str
    # The op that makes it, and the argument.
    where: str
    # Whether a gradient was called wrong, and whether the op was named, for sure and alone.
    caught: bool
    named: bool
    verdict: Verdict | None
    signature: str | None
    seconds: float


def planted(seed: int = 0) -> Iterator[Planted]:
    """Every mistake in turn: in an op of a graph, which one depends on the seed; then in programs."""
    offers.load_all()
    rng = np.random.default_rng(seed)
    every = plots(seed)
    for fault in FAULTS:
        places = [plot for plot in every if plot.fault is fault]
        chosen = (places[i] for i in rng.permutation(len(places)).tolist())
        yield attempt(next(plot for plot in chosen if matters(plot, seed)), seed)
    for program in PROGRAMS:
        yield written(program, seed)


# -- in a graph --------------------------------------------------------------------------------


def plots(seed: int = 0) -> list[Plot]:
    """Every mistake at every place of the graph at which it can be made."""
    offers.load_all()
    subject = subject_with(None, seed)
    return [
        Plot(fault, position, slot)
        for position, node in enumerate(subject.nodes)
        for slot, edge in enumerate(node.edges)
        if edge is not None and edge.kind != CUT
        for fault in FAULTS
        if fault.suits(Spot(node, slot))
    ]


def subject_with(plot: Plot | None, seed: int = 0) -> Subject:
    """The graph with a mistake in it, at numbers that the seed decides."""
    rng = np.random.default_rng(seed)
    leaves = [result(rng.uniform(0.3, 1.2, s) * rng.choice([-1.0, 1.0], s)).requires_grad_() for s in _SHAPES]

    def function(*tensors: Tensor) -> Tensor:
        made: Tensor = _graph(*tensors)
        if plot is not None:
            plant(_nodes(made)[plot.position], plot.slot, plot.fault)
        return made

    return of_function(function, leaves, "out")


def matters(plot: Plot, seed: int = 0) -> bool:
    """Tell whether a mistake changes any gradient: one that is never called on, or of what is 0, does not."""
    right, wrong = (_gradients(subject_with(which, seed), plot.fault.order) for which in (None, plot))
    return not all(np.allclose(a, b, 1e-10, 1e-13) for a, b in zip(right, wrong, strict=True))


def _gradients(subject: Subject, order: int) -> list[Array]:
    """The gradients of some order: of the output, or of the squares of the order before."""
    leaves = [x.tensor for x in subject.inputs]
    total: Any = subject.outputs[0].tensor
    found: Sequence[Any] = ()
    for done in range(order):
        found = grad(total, leaves, create_graph=done + 1 < order, retain_graph=True, allow_unused=True)
        total = sum((g * g).sum() for g in found if g is not None)
    return [np.zeros(np.shape(x._a)) if g is None else np.asarray(g._a) for x, g in zip(leaves, found, strict=True)]


_SHAPES = ((3, 3), (3, 3), (3,))


def _graph(x: Any, w: Any, b: Any) -> Any:
    """Twelve ops: products, a broadcast, a kink, fan-out, a sum with signs."""
    h = ((x @ w) + b).tanh()
    s = (h * x).softmax(-1) - h
    q = (s.t() @ h) / (h + h)
    return q.maximum(s).sum()


def _nodes(root: Tensor) -> list[object]:
    seen: set[object] = set()
    waiting = [node_of(root._node)]
    while waiting:
        node = waiting.pop()
        if node is not None and node.kind != LEAF and node not in seen:
            seen.add(node)
            waiting += map(node_of, node.edges)
    return sorted(seen, key=lambda node: node.seq)  # type: ignore[attr-defined]


def attempt(plot: Plot, seed: int = 0) -> Planted:
    """Check the graph with a mistake in it."""
    begun = time.perf_counter()
    subject = subject_with(plot, seed)
    checked = Checked("selftest")
    check_subject(subject, Options(order=plot.fault.order, seed=seed, strict=True), checked)
    node = subject.nodes[plot.position]
    where = f"{subject.name_of(node)}, argument {plot.slot}"
    blamed = subject.id_of(node)
    return _outcome(plot.fault.name, where, checked, lambda culprit: culprit.id == blamed, begun)


def _outcome(name: str, where: str, checked: Checked, is_it: Callable[[Culprit], bool], begun: float) -> Planted:
    wrong = [finding for finding in checked.findings if not finding.passes(Options(strict=True))]
    worst = max(wrong, key=lambda finding: GRAVITY.index(finding.verdict), default=None)
    culprits = [finding.node for finding in wrong if finding.node is not None]
    named = bool(culprits) and all(culprit.certain and is_it(culprit) for culprit in culprits)
    told = next((finding.signature for finding in wrong if finding.signature is not None), None)
    verdict = None if worst is None else worst.verdict
    return Planted(name, where, bool(wrong), named, verdict, told, time.perf_counter() - begun)


# -- in a program ------------------------------------------------------------------------------


def written(program: Written, seed: int = 0) -> Planted:
    """Check a program whose author has made a mistake."""
    begun = time.perf_counter()
    source = Source(program.name, program.text)
    checked = check_program(
        Program(Spec(source, False, None, None), seed=seed, dtype="float64"), Options(order=program.order, seed=seed)
    )
    if checked.failure is not None:
        raise checked.failure
    line = program.text.splitlines().index(program.line) + 1
    return _outcome(
        program.name, f"line {line}", checked, lambda x: x.source is not None and x.source.line == line, begun
    )


def lines(found: Sequence[Planted]) -> Iterator[str]:
    """The lines that a person is told: one for each mistake, and how many were found and named."""
    for each in found:
        told = "named" if each.named else "caught, not named" if each.caught else "MISSED"
        yield f"{told:18} {each.name} ({each.where}): {each.signature or each.verdict or 'nothing found'}"
    caught, named = sum(each.caught for each in found), sum(each.named for each in found)
    yield f"{len(found)} mistakes planted, {caught} caught, {named} named"
