"""Running rules: the gradients of one node, from what it kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import EngineError
from .. import flags
from ..dtypes import DTYPES
from ..graph import Node, Output, freed
from ..tensor import Tensor, result

if TYPE_CHECKING:
    from ..registry import Op

Run = Callable[[Any, Any, Any], Any]
Rule = Callable[..., Any]


def runners(op: Op) -> tuple[Run, Run]:
    """The functions by which a node of ``op`` turns the gradient of its output into those of its inputs."""
    if op.paired:
        return _run_binary(op), _run_graph(op)
    if len(op.rules) == 1 and not op.lists and not op.joint and not op.attrs and len(op.outputs) == 1:
        (rule,) = op.rules.values()
        if not op.saves:
            return _run_nullary(rule), _run_graph(op)
        if len(op.saves) == 1:
            return (_run_result if op.saves[0] in op.outputs else _run_tensor)(rule), _run_graph(op)
    if len(op.rules) == 1 and not op.joint:
        (argument,) = op.rules
        return (_run_list if argument in op.lists else _run_one)(op), _run_graph(op)
    return _run_general(op), _run_graph(op)


def _run_nullary(rule: Any) -> Run:
    def run(node: Any, g: Any, edges: Any) -> Any:
        return (rule(g),)

    return run


def _run_result(rule: Any) -> Run:
    def run(node: Any, g: Any, edges: Any) -> Any:
        if node.extra is not None:
            check_result(node)
        if node.saved is None:
            raise freed()
        return (rule(g, node.saved[0]),)

    return run


def _run_tensor(rule: Any) -> Run:
    def run(node: Any, g: Any, edges: Any) -> Any:
        if node.saved is None:
            raise freed()
        x = node.saved[0]
        if x._vc is not None:
            check_version(node, 0, x)
        return (rule(g, x._a),)

    return run


def _run_one(op: Op) -> Run:
    """Any other op with one differentiable argument."""
    ((argument, rule),) = op.rules.items()
    picks = op.picks[argument]
    in_order = picks == tuple(range(len(op.saves) + len(op.attrs)))
    if not op.saves and in_order:
        return lambda node, g, edges: (rule(g, *node.attrs),)
    plumbed = _plumbed(rule, picks)
    if not op.saves:
        return lambda node, g, edges: (plumbed(g, node.attrs),)
    if in_order:
        return lambda node, g, edges: (rule(g, *_arrays(node), *node.attrs),)

    def run(node: Any, g: Any, edges: Any) -> Any:
        return (plumbed(g, [*_arrays(node), *node.attrs]),)

    return run


def _run_list(op: Op) -> Run:
    """An op whose one differentiable argument is a list of tensors."""
    ((argument, rule),) = op.rules.items()
    plumbed = _plumbed(rule, op.picks[argument])

    def run(node: Any, g: Any, edges: Any) -> Any:
        shares = plumbed(g, [*_arrays(node), *node.attrs] if op.saves else node.attrs)
        return [None if e is None else x for x, e in zip(shares, edges, strict=True)]

    return run


def _run_binary(op: Op) -> Run:
    first, second = op.parameters[:2]
    rule1, rule2 = op.rules[first], op.rules[second]
    if not op.saves and not op.picks[first] and len(op.picks[second]) <= 1:
        return _run_linear(rule1, rule2, bool(op.picks[second]))
    if op.picks[first] == (1,) and op.picks[second] == (0,) and len(op.saves) == 2:
        return _run_crossed(rule1, rule2)
    return _run_pair(_plumbed(rule1, op.picks[first]), _plumbed(rule2, op.picks[second]))


def _run_linear(rule1: Any, rule2: Any, scaled: bool) -> Run:
    """Nothing kept but a factor: sum and difference."""

    def run(node: Any, g: Any, edges: Any) -> Any:
        e1, e2 = edges
        return (
            None if e1 is None else rule1(g),
            None if e2 is None else rule2(g, *node.attrs) if scaled else rule2(g),
        )

    return run


def _run_crossed(rule1: Any, rule2: Any) -> Run:
    """Each operand's rule asks for the other operand: the product."""

    def run(node: Any, g: Any, edges: Any) -> Any:
        if node.saved is None:
            raise freed()
        x, y = node.saved
        e1, e2 = edges
        g1 = g2 = None
        if e1 is not None:
            if y._vc is not None:
                check_version(node, 1, y)
            g1 = rule1(g, y._a)
        if e2 is not None:
            if x._vc is not None:
                check_version(node, 0, x)
            g2 = rule2(g, x._a)
        return g1, g2

    return run


def _run_pair(one: Rule, two: Rule) -> Run:
    """Any other function of two operands."""

    def run(node: Any, g: Any, edges: Any) -> Any:
        saved = node.saved
        if saved:
            if node.extra is not None:
                check_result(node)
            x, y = saved[0], saved[1]
            if x is not None:
                if x._vc is not None:
                    check_version(node, 0, x)
                x = x._a
            if y is not None:
                if y._vc is not None:
                    check_version(node, 1, y)
                y = y._a
            kept = (x, y, *saved[2:], *node.attrs)
        elif saved is None:
            raise freed()
        else:
            kept = node.attrs
        e1, e2 = edges
        return None if e1 is None else one(g, kept), None if e2 is None else two(g, kept)

    return run


def _plumbed(rule: Any, picks: tuple[int, ...]) -> Rule:
    """``rule`` as a function of ``g`` and all that the node kept."""
    if not picks:
        return lambda g, kept: rule(g)
    if len(picks) == 1:
        (i,) = picks
        return lambda g, kept: rule(g, kept[i])
    if len(picks) == 2:
        i, j = picks
        return lambda g, kept: rule(g, kept[i], kept[j])
    return lambda g, kept: rule(g, *[kept[k] for k in picks])


def _run_general(op: Op) -> Run:
    if op.joint is not None or op.lists:
        return lambda node, g, edges: _apply(op, g, edges, [*_arrays(node), *node.attrs])
    steps = [_plumbed(rule, op.picks[argument]) for argument, rule in op.rules.items()]

    def run(node: Any, g: Any, edges: Any) -> Any:
        kept = [*_arrays(node), *node.attrs]
        return [None if e is None else step(g, kept) for e, step in zip(edges, steps, strict=True)]

    return run


def _run_graph(op: Op) -> Run:
    """The same from tensors to tensors. The walk has switched ``mode.rule`` on."""
    if op.joint is not None or op.lists:
        return lambda node, g, edges: _apply(op, g, edges, _kept(node))
    position = {argument: at for at, argument in enumerate(op.rules)}
    if len(op.rules) == 1 and not op.attrs and len(op.saves) == 1:
        (rule,) = op.rules.values()
        return lambda node, g, edges: (rule(g, saved_tensor(node, 0)),)
    steps = [(position[a], _plumbed(op.rules[a], op.picks[a])) for a in op.order]
    if len(steps) == 1:
        ((_, step),) = steps
        return lambda node, g, edges: (step(g, _kept(node)),)
    count = len(steps)

    def run(node: Any, g: Any, edges: Any) -> Any:
        kept = _kept(node)
        grads: list[Any] = [None] * count
        for at, step in steps:
            if edges[at] is not None:
                grads[at] = step(g, kept)
        return grads

    return run


def _kept(node: Any) -> Any:
    """All that a node kept, its tensors in their places in the graph."""
    saved = node.saved
    if saved is None:
        raise freed()
    attrs = node.attrs
    if not saved:
        return attrs
    return [
        x if x is None or (type(x) is Tensor and x._vc is None) else saved_tensor(node, i) for i, x in enumerate(saved)
    ] + list(attrs)


def _apply(op: Op, g: Any, edges: tuple[Any, ...], kept: list[Any]) -> list[Any]:
    if op.joint is not None:
        wanted = [e is not None for e in edges]
        shares = op.joint(g, *[kept[i] for i in op.joint_picks], wanted=wanted)
        return [x if e is not None else None for x, e in zip(shares, edges, strict=True)]
    spans: dict[str, tuple[int, int]] = {}
    at = 0
    for argument in op.rules:
        # A list takes what is left: an op has one list of tensors.
        end = at + (len(edges) - (len(op.rules) - 1) if argument in op.lists else 1)
        spans[argument] = at, end
        at = end
    grads: list[Any] = [None] * at
    for argument in op.order:
        at, end = spans[argument]
        needed = edges[at:end]
        if any(e is not None for e in needed):
            got = op.rules[argument](g, *[kept[i] for i in op.picks[argument]])
            if argument in op.lists:
                grads[at:end] = [x if e is not None else None for x, e in zip(got, needed, strict=True)]
            else:
                grads[at] = got
    return grads


def _arrays(node: Any) -> list[Any]:
    """The values that a node kept, as arrays, each checked to be as it was."""
    saved = node.saved
    if saved is None:
        raise freed()
    out: list[Any] = []
    for i, x in enumerate(saved):
        if isinstance(x, Tensor):
            if x._vc is not None:
                check_version(node, i, x)
            x = x._a
        elif isinstance(x, tuple):
            x = _arrays_of_several(node, i, x)
        out.append(x)
    if node.extra is not None:
        check_result(node)
    return out


def _arrays_of_several(node: Any, i: int, kept: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arrays of a list of tensors that a node kept at position ``i``."""
    _check_versions(node, i, kept)
    return tuple([x._a if isinstance(x, Tensor) else x for x in kept])


def saved_tensor(node: Any, i: int) -> Any:
    """The value that a node kept at position ``i``, as a tensor in its place in the graph."""
    saved = node.saved
    if saved is None:
        raise freed()
    name = node.op.saves[i]
    x = saved[i]
    if x is None:
        return None
    if isinstance(x, Tensor):
        if x._vc is not None:
            check_version(node, i, x)
        return x
    if isinstance(x, tuple):
        _check_versions(node, i, x)
        return x
    if name in node.op.outputs:
        if node.extra is not None:
            check_result(node)
        t = result(x)
        k = node.op.outputs.index(name)
        if x.dtype.kind in "fc":
            t._node = node if len(node.op.outputs) == 1 else Output(node, k, x)
        return t
    return x


def _check_versions(node: Any, i: int, kept: tuple[Any, ...]) -> None:
    """Refuse to go on when a tensor in a list that was kept was written to since."""
    for j, x in enumerate(kept):
        if isinstance(x, Tensor) and x._vc is not None:
            check_version(node, (i, j), x)


def check_version(node: Any, i: int | tuple[int, int], x: Tensor) -> None:
    """Refuse to go on when a kept tensor was written to since."""
    vc = x._vc
    expected = 0 if node.extra is None else node.extra.versions.get(i, 0)
    if vc is not None and vc.n != expected and flags.RESTORED not in flags.settings:
        raise modified(x, x.grad_fn, x.output_nr, vc.n, expected)
    if x._left > node.seq and x.grad_fn is None:
        raise EngineError(
            "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
            "This is not supported, please use out-of-place `.detach()` instead"
        )


def check_result(node: Any) -> None:
    """Refuse to go on when an output that the node kept was written to since."""
    for k, (vc, expected) in node.extra.result_version.items():
        if vc.n != expected and node.op.outputs[k] in node.op.saves:
            i = node.op.saves.index(node.op.outputs[k])
            if node.saved is not None and node.saved[i] is not None:
                raise modified(result(node.saved[i]), node, k, vc.n, expected)


def modified(x: Tensor, grad_fn: Node | None, nr: int, version: int, expected: int) -> EngineError:
    """PyTorch's words for a kept tensor that was written to."""
    made_by = "" if grad_fn is None else f", which is output {nr} of {_short(grad_fn)},"
    if flags.is_anomaly_enabled():
        hint = (
            "the backtrace further above shows the operation that failed to compute its gradient. The variable in "
            "question was changed in there or anywhere later. Good luck!"
        )
    else:
        hint = (
            "enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False)."
        )
    return EngineError(
        f"one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{DTYPES[x._a.dtype].type_name} {list(x._a.shape)}]{made_by} is at version {version}; expected version "
        f"{expected} instead. Hint: {hint}",
        help="write the in-place operation out of place, or before the value is used",
    )


def _short(node: Any) -> str:
    name, _, number = type(node).__name__.rpartition("Backward")
    return name + (number if number != "0" else "") if name else str(node.name())
