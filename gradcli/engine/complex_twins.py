"""Ops of complex tensors: each is the twin of an op of real ones, with a forward and rules of its own where needed.

Rules of real tensors are handed arrays, where a complex one is a reading: a real value and a direction. A complex
tensor is no such thing. So the rules of a twin see Tensors only, whose dtype says what is meant, and give what PyTorch
gives: the conjugate of the derivative, for the loss is real. An op without a twin refuses complex tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import Unsupported
from .modes import mode
from .tensor import Tensor, result

if TYPE_CHECKING:
    from .registry import Op

# The calls of twins, by their ops.
TWINS: dict[Op, Any] = {}

# Where the twins of a family of ops, or of all others of a folder, are declared: read when the first of those meets a
# complex tensor.
_HOMES = {
    "matrix.inverse": "solving_twins", "matrix.triangular": "solving_twins", "matrix.products": "decomposing_twins",
    "matrix.decompositions": "decomposing_twins", "matrix.lu_factors": "decomposing_twins",
    "matrix.matrix_functions": "decomposing_twins", "matrix.reflectors": "decomposing_twins",
    "matrix.symmetric_factors": "solving_twins",
    "writes": "writing_twins", "indexing": "indexing_twins", "make": "making_twins", "matrix": "matrix_twins",
    "nn": "nn_twins",     "pointwise": "pointwise_twins", "reduce": "reducing_twins", "shape": "shaping_twins",
}  # fmt: skip

_ALTERNATIVE = "compute with the real and the imaginary part: torch.view_as_real, .real, .imag"

# The facts about an op that are as true of its twin.
_KEPT = (
    "kind", "outputs", "view", "lists", "optional", "floating", "siblings", "broadcasts", "backward", "aside", "order",
    "positional", "without_rule", "joint", "fails", "reads_storage", "no_half",
)  # fmt: skip


# Forms of many points that only say where axes are, which are at the same places in a twin.
_LAID_OUT = frozenset(
    ("aligned", "along", "expanded", "mm", "permuted", "same", "shaped", "sized", "squeezed", "stacked", "turned")
)


def twin(function: Any, forward: Any = None, **said: Any) -> Any:
    """Declare what ``function`` is for complex tensors: what is said of it anew, and all else as it is."""
    op = function.op
    rules = {argument: said.pop(argument, op.rules.get(argument)) for argument in op.operands}
    call = _called(op, forward or op.forward, rules, said)
    TWINS[op] = call
    return call


def _called(op: Op, forward: Any, rules: Any, said: dict[str, Any], reads: bool = False) -> Any:
    """The way in which the twin of ``op`` is called."""
    from .registry import finished

    facts = {name: getattr(op, name) for name in _KEPT} | {"form": op.form if op.form in _LAID_OUT else None} | said
    made = type(op)(forward if reads else _counted(forward), rules, twin_of=op, reads=reads, node=op.node_name, **facts)
    return finished(made, op.__dict__["make_call"])


def _counted(forward: Any) -> Any:
    """A forward that leaves word that it ran: who computes with complex numbers inside cannot be read with such."""

    @functools.wraps(forward)
    def run(*args: Any, **kwargs: Any) -> Any:
        mode.complex_calls += 1
        before, mode.of_complex = mode.of_complex, True
        try:
            return forward(*args, **kwargs)
        finally:
            mode.of_complex = before

    return run


def twins(*functions: Any) -> None:
    """Declare functions that are for complex tensors what they are for real ones, their rules as well."""
    for function in functions:
        twin(function)


def call_on_complex(op: Op) -> Any:
    """The call of ``op`` with complex tensors: of its twin, or of what refuses; of the op itself, where it is read."""
    _, folder, family = op.forward.__module__.rsplit(".", 2)
    home = _HOMES.get(f"{folder}.{family}") or _HOMES.get(folder)
    if home is not None:
        import_module(f"{__package__}.ops.complex.{home}")
    usual = TWINS.get(op) or refusing(op.name)
    reading: Any = None

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal reading
        if not mode.readings:
            return usual(*args, **kwargs)
        if reading is None:
            reading = _called(op, op.forward, op.rules, {}, reads=True)
        return reading(*args, **kwargs)

    return call


def refusing(name: str) -> Callable[..., NoReturn]:
    """A call in the place of a function that is not known to be right for complex tensors."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        from .ops.complex.refused import refusal

        found = refusal(name, args)
        if found is not None:
            raise found
        raise Unsupported(f"{name}() of complex tensors is not supported", help=_ALTERNATIVE)

    return refuse


def _writeable(a: Any) -> Any:
    """An array that the walk may add to: what is read lazily is not."""
    return a if a.flags.writeable or not isinstance(a, np.ndarray) else a.copy()[()]


def run_in_tensors(run_graph: Any) -> Any:
    """A node's run from arrays to arrays, by way of Tensors, of which nothing is recorded."""

    def run(node: Any, g: Any, edges: Any) -> Any:
        before = mode.grad, mode.rule
        mode.grad, mode.rule = False, True
        try:
            given = [None if x is None else result(x) for x in g] if isinstance(g, list) else result(g)
            shares = run_graph(node, given, edges)
        finally:
            mode.grad, mode.rule = before
        return [_writeable(x._a) if isinstance(x, Tensor) else x for x in shares]

    return run
