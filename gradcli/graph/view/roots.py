"""Of which tensor of a program the graph is shown: the one that was asked for, or the one that it is about."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from ...engine.modes import mode
from ...engine.tape.tape import entry_of, restore
from ...engine.tensor import Tensor, result
from ...engine.walk.backward import grad
from ...errors import NEVER_CAUGHT, InputError, Source, Span, SpecError, raised_by_program
from ...spec.input.parse import parse
from ...spec.language.interpreter import Interpreter
from ...spec.language.machine import Machine
from ...spec.node_names import Started, Trace
from ...spec.program import Program, Run, discard
from ...spec.torch_names.suggest import did_you_mean
from ..numbers import count_text
from .gradients import words
from .places import text_of
from .reach import forward_order, is_leaf, reachable
from .several import Several
from .tensors import origin, without_graph
from .view import Backward

# A title is cut to the width of its line in any case; an offer of names is to be read.
_TITLE, _OFFERED = 200, 12

# The digits of an exponent.
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class NoGraph(InputError):
    """A program that recorded nothing."""


class Root(NamedTuple):
    """A tensor of a program, or several from which one backward started."""

    tensor: Any
    # What it was asked for as, and what it is in the program's text.
    name: str | None
    text: str | None
    # What its backward starts from; ones, when None.
    gradient: Tensor | None
    # The backward that started there, and where it was called.
    backward: Backward | None = None
    span: Span | None = None


# -- choosing --------------------------------------------------------------------------------


def chosen(program: Program, run: Run, trace: Trace, output: str | None) -> Root:
    """The tensor that ``--output`` names, or else the one that the program is about; its graph can be walked."""
    _refuse_missing(program, trace)
    calls, ended = trace.backward.calls, program.backward is not None
    backward = Backward(calls, None if ended else calls) if calls else None
    gradient = None
    if output is None:
        tensor = _meant(run, trace, program.spec.target is not None)
        started = trace.grad if tensor is trace.grad.first else trace.backward
        if started is trace.grad:
            backward = Backward(started.calls, started.calls, "grad")
        if tensor is started.first:
            if len(started.tensors) > 1:
                return _several(started, trace)._replace(backward=backward)
            gradient = started.gradients[0]
        elif not ended:
            backward = None
    else:
        tensor = _named(program, run, trace, output)
        if not ended:
            backward = None
    node, _ = origin(tensor)
    restore(node)
    span = trace.span_of(node)
    text = None if span is None or is_leaf(node) else " ".join(text_of(span, _TITLE).split())
    return Root(tensor, output, text, gradient, backward)


def _refuse_missing(program: Program, trace: Trace) -> None:
    """Refuse a backward that the program does not come to."""
    asked, there = program.backward, trace.backward.calls
    if asked is not None and there < asked:
        several = "never calls backward()" if not there else f"calls backward() {count_text(there)} times"
        raise InputError(
            f"the program {'calls backward() once' if there == 1 else several}: there is no backward {asked}",
            help=f"--backward {there} is the last" if there else "leave --backward out",
            code="E503",
        )


def _several(started: Started, trace: Trace) -> Root:
    """The tensors from which a backward started, as one."""
    for tensor in started.tensors:
        restore(origin(tensor)[0])
    span = trace.span_at(started.seq)
    text = span and " ".join(text_of(span, _TITLE).split())
    return Root(Several(started.tensors, started.gradients), None, text, None, span=span)


def _meant(run: Run, trace: Trace, called: bool) -> Tensor:
    """The result that a program is about: of a function that was picked, what it differentiates, what it ends with."""
    results = run.results()
    value = next((x for x in results if x.grad_fn is not None), None)
    leaf = next((x for x in results if x.requires_grad), None)
    first = (value, trace.backward.first) if called else (trace.backward.first, value)
    for tensor in (*first, trace.stopped.first, *_latest_first(trace), trace.last_local, leaf):
        if tensor is not None:
            return tensor
    raise NoGraph(
        "there is no graph to show: no tensor of the program was computed from one that requires a gradient",
        help="ask for a gradient with requires_grad=True where a tensor is made, outside no_grad() and detach()",
    )


def _latest_first(trace: Trace) -> list[Tensor]:
    """What grad() was last called on, and what was last given a name: what was computed later first."""
    found = [tensor for tensor in (trace.grad.first, trace.last) if tensor is not None]
    return sorted(found, key=lambda tensor: origin(tensor)[0]._sequence_nr(), reverse=True)


def _named(program: Program, run: Run, trace: Trace, output: str) -> Tensor:
    """The tensor of a name: a variable, something in it (`net.h`, `losses[0]`), or what a function called so."""
    source = Source("--output", output)
    place = _place(source, program)
    if place is None or _base(place) not in run.variables:
        found = _inside(run, trace, output)
        if found is None:
            near = did_you_mean(output, _names(run))
            raise InputError(f"the program has no variable '{output}'", help=near or _offer(run), code="E503")
        return found
    machine = Machine(source, program.limits, discard, discard)
    machine.globals.update(run.variables)
    try:
        value = Interpreter(machine, set(run.variables)).code(place)(machine.globals)
    except raised_by_program(*NEVER_CAUGHT) as error:
        raise program.diagnosed(machine, error) from None
    if not isinstance(value, Tensor):
        raise InputError(f"{output} is no tensor but of type {type(value).__name__}", help=_offer(run), code="E503")
    if not value.requires_grad:
        raise without_graph(output, value, _offer(run))
    return value


def _place(source: Source, program: Program) -> ast.expr | None:
    """Read a name that is written as one expression; an id, such as `y.1`, is none."""
    try:
        tree = parse(source, program.limits).body
    except SpecError:
        return None
    return tree[0].value if len(tree) == 1 and isinstance(tree[0], ast.Expr) else None


def _base(place: ast.expr) -> str | None:
    """The variable that a place is in; None for what is no place: nothing is computed here."""
    while not isinstance(place, ast.Name):
        if not isinstance(place, ast.Attribute) and not (isinstance(place, ast.Subscript) and _is_index(place.slice)):
            return None
        place = place.value
    return place.id


def _is_index(key: ast.expr) -> bool:
    if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub):
        key = key.operand
    return isinstance(key, ast.Constant)


def _inside(run: Run, trace: Trace, name: str) -> Tensor | None:
    """The last tensor that a function, or a turn of a loop, has made under a name on the way to what is meant."""
    results = [x for x in run.results() if x.grad_fn is not None]
    for root in (trace.backward.first, trace.last, trace.grad.first, trace.last_local, *results):
        if root is None:
            continue
        nodes = forward_order(reachable(origin(root)[0]))
        naming = trace.naming(nodes)
        for node in reversed(nodes):
            entry = entry_of(node)
            called = naming.ids[node], naming.variables.get(node), trace.name_of(node)
            if name in called and entry is not None and node.outputs == 1 and entry.outputs[0] is not None:
                tensor = result(entry.outputs[0])
                tensor._node = node
                return tensor
    return None


def _names(run: Run) -> list[str]:
    return [n for n, value in run.variables.items() if isinstance(value, Tensor) and value.grad_fn is not None]


def _offer(run: Run) -> str:
    """The variables that there are to choose from."""
    return _offered("tensors with a graph are", _names(run)) or "no variable of the program has a graph"


def _offered(which: str, names: list[str]) -> str | None:
    more = f" and {len(names) - _OFFERED} more" if len(names) > _OFFERED else ""
    return f"{which} {', '.join(names[:_OFFERED])}{more}" if names else None


# -- derivatives -------------------------------------------------------------------------------


def derivative(root: Root, run: Run, trace: Trace, order: int, wrt: str | None) -> Root:
    """The derivative of a tensor, of its sum if it has several elements, with respect to a leaf."""
    if isinstance(root.tensor, Several):
        raise InputError(
            f"the backward started from {len(root.tensor.tensors)} tensors at once",
            help=f"say with --output whose derivative is meant: {_offer(run)}",
            code="E503",
        )
    of = root.name or trace.name_of(origin(root.tensor)[0]) or "the result"
    leaf, name = _leaf(root, run, trace, of, wrt)
    tensor: Any = root.tensor
    mode.grad = True
    trace.tape.where = None
    for done in range(order):
        if tensor.dim() > 0:
            tensor = tensor.sum()
        try:
            (found,) = grad(tensor, leaf, create_graph=True, allow_unused=True)
        except SpecError:
            raise
        except raised_by_program() as error:
            raise InputError(
                f"{of} has no {nth(done + 1)} derivative with respect to {name}: {words(error)}",
                help=_less(done),
                code="E503",
            ) from None
        if found is None or found.grad_fn is None:
            raise InputError(
                f"the {nth(done + 1)} derivative of {of} with respect to {name} is constant: it has no graph",
                help=_less(done),
                code="E503",
            )
        tensor = found
    power = "" if order == 1 else str(order).translate(SUPERSCRIPTS)
    below = name if name.isidentifier() else f"({name})"
    return Root(tensor, f"g{order}", f"d{power}({root.text or of})/d{below}{power}", None)


def leaf_named(root: Root, run: Run, trace: Trace, wrt: str) -> Any:
    """The leaf of a name that a tensor depends on."""
    of = root.name or trace.name_of(origin(root.tensor)[0]) or "the result"
    return _leaf(root, run, trace, of, wrt)[0]._node


def _leaf(root: Root, run: Run, trace: Trace, of: str, wrt: str | None) -> tuple[Tensor, str]:
    """The leaf to differentiate with respect to, and its name."""
    used = reachable(origin(root.tensor)[0])
    leaves = {name: leaf for leaf, name in trace.leaves.items() if leaf in used}
    if wrt is None and len(leaves) == 1:
        ((wrt, leaf),) = leaves.items()
        return leaf.variable, wrt
    if wrt in leaves:
        return leaves[wrt].variable, wrt
    offer = _offered("leaves are", list(leaves)) or f"{of} depends on no leaf"
    if wrt is None:
        raise InputError(
            f"{of} depends on {len(leaves)} leaves: say with --wrt with respect to which", help=offer, code="E503"
        )
    if wrt in trace.leaves.values():
        raise InputError(f"{of} does not depend on {wrt}", help=offer, code="E503")
    if wrt in run.variables:
        raise InputError(f"{wrt} is no leaf: derivatives are with respect to leaves", help=offer, code="E503")
    raise InputError(f"the program has no leaf '{wrt}'", help=did_you_mean(wrt, leaves) or offer, code="E503")


def _less(order: int) -> str | None:
    return f"--order {order} is as far as it goes" if order else None


def nth(number: int) -> str:
    """1st, 2nd, 3rd, 4th ..."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 % 10 != 1 else 0, "th")
    return f"{number}{ending}"
