"""The names of nodes and their arguments: PyTorch's, which every op declares."""

from __future__ import annotations

import functools
from typing import Any

from ...engine.graph import Node
from ...engine.registry import OPS, Op

# What PyTorch's C++ puts before the names of nodes that it has written by hand.
_PREFIX = "torch::autograd::"

# The nodes that no op declares: a write through a view.
_WRITTEN = {"CopySlices": ("self", "src")}


def node_name(node: Any) -> str:
    """The name of a node, as a tensor's ``grad_fn`` shows it."""
    name: str = node.name()
    return name.removeprefix(_PREFIX)


class Arguments:
    """The names of the arguments behind the edges of nodes, looked up once for each kind of node."""

    def __init__(self) -> None:
        self._known: dict[tuple[type, int], tuple[str, ...]] = {}

    def of(self, node: Any, edges: tuple[tuple[Any, int], ...]) -> tuple[str, ...]:
        """The name of the argument behind each edge; its position where no name is known."""
        kind = type(node)
        key = kind, len(edges)
        names = self._known.get(key)
        if names is None:
            function = getattr(kind, "function", None) or getattr(kind, "_forward_cls", None)
            if function is not None:
                # Which of its arguments were tensors differs from call to call.
                return _of_function(function, node, edges)
            names = self._known[key] = _of_op(node, len(edges))
        return names


def op_of(node: Any) -> Op | None:
    """The op that a node is of, as far as there is one of ours: also for PyTorch's nodes."""
    if isinstance(node, Node):
        return getattr(type(node), "op", None)
    name, declared = node_name(node), _declared()
    if name not in declared and name[-1:].isdigit():
        # Ops that write in place have numbers of their own.
        name = name.rstrip("0123456789") + "0"
    return declared.get(name)


def _of_op(node: Any, count: int) -> tuple[str, ...]:
    op = op_of(node)
    names = _WRITTEN.get(node_name(node), ()) if op is None else differentiable(op, count)
    return names if len(names) == count else _positions(count)


def _positions(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def differentiable(op: Op, count: int) -> tuple[str, ...]:
    """The arguments of an op that have edges, ``count`` of them: a list takes what the others leave."""
    names = [name for name in op.parameters if name in op.rules]
    found: list[str] = []
    for name in names:
        if name in op.lists:
            found += [f"{name}[{i}]" for i in range(count - len(names) + 1)]
        else:
            found.append(name)
    return tuple(found)


@functools.cache
def _declared() -> dict[str, Op]:
    """The ops by the names of their nodes: how PyTorch's own nodes are known."""
    from ...engine import offers

    offers.load_all()
    return {op.node_name: op for op in OPS.values() if op.rules}


# -- custom functions ------------------------------------------------------------------------


def _of_function(function: Any, node: Any, edges: tuple[tuple[Any, int], ...]) -> tuple[str, ...]:
    """The forward's names for those of its arguments that were tensors."""
    needs: tuple[bool, ...] = node.needs_input_grad
    parameters = _parameters(function, len(needs))
    tensors = getattr(node, "_tensor_arguments", None)
    if tensors is not None:
        return tuple([name for name, is_tensor in zip(parameters, tensors, strict=True) if is_tensor])
    return _aligned(parameters, needs, [fn is not None for fn, _ in edges])


def _parameters(function: Any, count: int) -> list[str]:
    """The names that a forward has for its ``count`` arguments, the context aside."""
    names, rest = _signature(function.forward)
    if not _has_setup_context(function):
        names = names[1:]
    names = [*names[:count], *(f"{rest}[{i}]" for i in range(count - len(names)))]
    return names if rest is not None or len(names) == count else [str(i) for i in range(count)]


def _has_setup_context(function: Any) -> bool:
    """Tell whether a forward takes no context, because another method fills it."""
    for base in function.__mro__:
        if "setup_context" in vars(base):
            return str(base.__module__).partition(".")[0] not in ("gradcli", "torch")
    return False


def _signature(forward: Any) -> tuple[list[str], str | None]:
    """The positional parameters of a function, and the one that takes the rest."""
    from ...spec.values.user_definitions import UserFunction

    written = getattr(forward, "__wrapped__", forward)
    forward = written if isinstance(written, UserFunction) else forward
    if isinstance(forward, UserFunction):
        return list(forward.signature.positional), forward.signature.rest
    import inspect

    names, rest = [], None
    try:
        parameters = inspect.signature(forward).parameters.values()
    except (TypeError, ValueError):
        return [], None
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = parameter.name
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    return names, rest


def _aligned(parameters: list[str], needs: tuple[bool, ...], live: list[bool]) -> tuple[str, ...]:
    """The arguments behind edges, when it is only known which arguments need a gradient and which edges lead on.

    An argument that needs none has an edge when it is a tensor. Between two that need one, either all have an edge or
    none has, or there is no telling which.
    """
    found: list[str] = []
    at = edge = 0
    while edge < len(live):
        start = edge
        while edge < len(live) and not live[edge]:
            edge += 1
        waiting = at
        while at < len(needs) and not needs[at]:
            at += 1
        if edge - start == at - waiting:
            found += parameters[waiting:at]
        else:
            found += [str(i) for i in range(start, edge)]
        if edge < len(live) and at < len(needs):
            found.append(parameters[at])
            edge += 1
            at += 1
        elif edge < len(live):
            return _positions(len(live))
    return tuple(found)
