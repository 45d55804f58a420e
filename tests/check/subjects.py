"""Subjects for tests, from programs given as text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from gradcli.check.blaming.each_op import LocalFault, by_suspicion, check_node, reached_outputs
from gradcli.check.replay.subject import Subject, of_program
from gradcli.engine.function import FunctionNode
from gradcli.errors import Source
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.input.named_inputs import bindings
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program

T = TypeVar("T")

# A function of the program's own, whose forward and backward are put in.
_OWN = """
import torch
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        {forward}
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        {backward}
"""


def program(
    text: str,
    inputs: Sequence[str] = (),
    *,
    inline: bool = False,
    target: str | None = None,
    dtype: str | None = "float64",
) -> Program:
    """A program, as it is checked."""
    spec = Spec(Source("spec.py", textwrap.dedent(text)), inline, target, None)
    # What is looked at does not depend on how busy the machine is.
    limits = STRICT.replace(seconds=1000.0)
    return Program(spec, bindings=bindings(list(inputs)), dtype=dtype, limits=limits)


def acting(act: Callable[[Subject], T], text: str, inputs: Sequence[str] = (), **how: Any) -> T:
    """What comes of acting on the subject of a program."""
    options = {key: how.pop(key) for key in ("output", "wrt") if key in how}
    return of_program(program(text, inputs, **how), act=act, **options)


def subject(text: str, inputs: Sequence[str] = (), **how: Any) -> Subject:
    """The subject of a program."""
    return acting(lambda found: found, text, inputs, **how)


def own(forward: str, backward: str, rest: str) -> str:
    """A program with a function of its own."""
    return _OWN.format(forward=forward, backward=backward) + textwrap.dedent(rest)


def wrong_nodes(
    nodes: Iterable[Any], rng: np.random.Generator, roots: Iterable[Any] = (), *, own: bool = False
) -> list[LocalFault]:
    """The faults of all ops of a graph, or of the program's own functions, in the order in which blame is looked for.

    ``nodes``: all of the graph in forward order; ``roots``: the edges that a backward starts from.
    """
    nodes = list(nodes)
    reached = reached_outputs(nodes, roots)
    chosen = [node for node in by_suspicion(nodes) if not own or isinstance(node, FunctionNode)]
    return [fault for node in chosen for fault in check_node(node, rng, reached.get(node))]
