"""A function of gradcli's own tensors that is given arrays or tensors: judged by its graph, in double precision."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ...engine.function import FunctionNode, backward_of
from ...engine.guard.outside import guarded
from ...engine.tensor import Tensor, result
from ...errors import EngineError, InputError
from ...func import functional_call
from ...nn.modules.module import Module
from ..judging.findings import Checked, Finding, Options
from ..orders import check_subject
from ..replay.subject import Subject, of_function
from .arguments import Arguments
from .training import training
from .where import place_of


def own(function: Callable[..., Any], given: Any, options: Options, checked: Checked, train: bool = False,
        held: Collection[str] = ()) -> Checked:  # fmt: skip
    """Judge such a function, or a module with its parameters; inputs that ask for no gradient all are moved."""
    module = function if isinstance(function, Module) else None
    arguments = Arguments(function if module is None else module.forward, checked.spec, given)
    named = [(x, name, name in held) for x, name in zip(arguments.values, arguments.names, strict=True)]
    asked = any(isinstance(x, Tensor) and x.requires_grad and not is_held for x, _, is_held in named)
    given = [_input(x, name, not asked, is_held) for x, name, is_held in named]
    state = {} if module is None else {**dict(module.named_parameters()), **dict(module.named_buffers())}
    given += [_input(x, name) for name, x in state.items()]

    def called(*inputs: Any) -> Any:
        count = len(inputs) - len(state)
        positional, named = arguments.of(inputs[:count])
        if module is None:
            return function(*positional, **named)
        return functional_call(module, dict(zip(state, inputs[count:], strict=True)), positional, named)

    with training(module, train):
        subject = _subject(guarded(called), given, checked.spec)
        check_subject(subject, options, checked)
    _say_where(checked.findings, subject)
    return checked


def _say_where(found: list[Finding], subject: Subject) -> None:
    """Say of findings that blame a custom Function where its backward is written."""
    functions = {subject.id_of(node): node.function for node in subject.nodes if isinstance(node, FunctionNode)}
    for finding in found:
        function = None if finding.node is None else functions.get(finding.node.id or "")
        place = None if function is None else place_of(backward_of(function))
        if finding.node is not None and function is not None and place is not None:
            finding.node = finding.node._replace(name=f"{function.__name__}.backward", source=place)
            finding.span = place


def _subject(function: Callable[..., Any], given: list[Any], name: str) -> Subject:
    try:
        return of_function(function, given, name)
    except EngineError as error:
        help = "it is called in double precision at the given point first: it must run there"
        raise InputError(f"{name} stops: {error}", help=help) from error


def _input(x: Any, name: str, moves: bool = False, is_held: bool = False) -> Any:
    """An input as a tensor with its name, in double precision; one that is of no numbers stays what it is."""
    if not isinstance(x, (Tensor, float, complex, np.ndarray)):
        return x
    a = np.asarray(x._a if isinstance(x, Tensor) else x)
    wide = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}.get(a.dtype.kind)
    made = result(np.array(a, wide or a.dtype))
    made._label = name
    is_moved = not is_held and (moves or (isinstance(x, Tensor) and x.requires_grad))
    return made.requires_grad_() if is_moved and wide is not None else made
