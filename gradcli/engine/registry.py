"""Ops, each declared once: a forward in NumPy, a rule for each differentiable argument.

A decorator says the kind of function; the function is the forward; each keyword is a differentiable
argument with its rule. A rule's own parameters are the list of what the backward keeps: ``g`` first,
then any argument, any output (``result`` unless ``outputs`` names them), or a fact about an argument:
``self_sym_sizes``, ``self_sym_strides``, ``self_sym_numel``. Those names are what PyTorch shows as
``_saved_self``, ``_saved_result``, ``_saved_self_sym_sizes``.

Rules are written with operators and other ops, so that one rule serves every reading: handed arrays it
gives a first-order gradient, handed Tensors it records the next order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .call_errors import (
    fail as fail,
    is_value as is_value,
    no_overload as no_overload,
    not_a_tensor as not_a_tensor,
    translated,
)
from .calls.elementwise import binary, by_name, unary
from .calls.many_operands import many
from .calls.one_tensor import is_single, single
from .calls.several_tensors import is_several, several
from .calls.tensor_lists import is_listed, listed
from .calls.views import siblings as parted, viewed
from .declaration import HIDDEN, Forward, Rule, camel, defaults_of, fact, shown, wants
from .graph import CUT, VIEW, MultiNode, Node, freed
from .modes import mode
from .tensor import Array, Tensor, result

OPS: dict[str, Op] = {}


class Op:
    """One operation: its forward, its rules, what they keep, and what people may read about it."""

    def __init__(
        self,
        forward: Forward,
        rules: dict[str, Rule],
        *,
        kind: str,
        node: str | None,
        outputs: tuple[str | None, ...],
        view: bool = False,
        lists: tuple[str, ...] = (),
        kink: Forward | None = None,
        domain: Forward | None = None,
        joint: Rule | None = None,
        keeps: tuple[str, ...] = (),
        floating: bool = False,
        siblings: bool = False,
        broadcasts: bool = False,
        aside: tuple[str, ...] = (),
        assumes: tuple[str, str] | None = None,
    ) -> None:
        code = forward.__code__
        self.forward = forward
        self.kind = kind
        self.name = forward.__name__
        self.doc = (forward.__doc__ or "").strip()
        self.node_name = node or camel(self.name) + "Backward0"
        self.outputs = outputs
        self.aside = aside
        self.view = view
        self.siblings = siblings
        # Whether a share may come in the output's shape, for the caller to undo the broadcast.
        self.broadcasts = broadcasts or kind == "elementwise"
        self.assumes = assumes
        self.kink = kink
        self.domain = domain
        self.joint = joint
        self.floating = floating
        self.lists = frozenset(lists)
        self.rules = rules
        # Whether its nodes keep just two operands and the result, as `operands.binary` records them.
        self.paired = False
        # What its nodes do in the backward, where that is only to say that there is no derivative.
        self.fails: Callable[..., Any] | None = None
        # The order in which PyTorch computes gradients, and numbers the nodes that this records.
        self.order = tuple(sorted(rules))
        self.parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self.positional = code.co_argcount
        self.defaults = defaults_of(forward)
        self._learn_what_is_kept(keeps)
        self._node_type: type[Node] | None = None
        self.call: Any = forward
        before = OPS.get(self.name)
        # A family whose import was interrupted declares its ops once more.
        if before is not None and before.forward.__module__ != forward.__module__:
            raise TypeError(f"op {self.name} is declared twice")
        OPS[self.name] = self

    def _learn_what_is_kept(self, keeps: tuple[str, ...]) -> None:
        wanted: dict[str, list[str]] = {}  # what is kept, and for the rules of which arguments
        for argument, rule in self.rules.items():
            if argument not in self.parameters:
                raise TypeError(f"op {self.name} has a rule for '{argument}', which is no parameter of it")
            for name in wants(rule):
                wanted.setdefault(name, []).append(argument)
        for name in wants(self.joint):
            wanted.setdefault(name, []).extend(self.rules)
        for name in keeps:
            wanted.setdefault(name, [])
        if "backward" in self.name:
            # Of its own backward functions, PyTorch keeps all that a formula names, for whatever argument.
            wanted = {name: [] for name in wanted}
        tensors: list[str] = []
        attrs: list[str] = []
        for name in wanted:
            # An argument is kept as a tensor when it can be one: when it has a rule, or is not plain data.
            if name in self.outputs or name in self.aside:
                tensors.append(name)
            elif name in self.parameters:
                (tensors if self._is_tensor(name) else attrs).append(name)
            elif fact(name)[0] in self.parameters:
                attrs.append(name)
            else:
                raise TypeError(f"a rule of op {self.name} asks for '{name}', which is no argument or output of it")
        self.wanted_by = wanted
        self.saves = tuple(tensors)
        self.attrs = tuple(attrs)

    @functools.cached_property
    def picks(self) -> dict[str, tuple[int, ...]]:
        """argument -> the positions of its rule's parameters among the kept values."""
        return {argument: self._positions(rule) for argument, rule in self.rules.items()}

    @functools.cached_property
    def joint_picks(self) -> tuple[int, ...]:
        """The positions of the joint rule's parameters among the kept values."""
        return self._positions(self.joint)

    def _positions(self, rule: Rule | None) -> tuple[int, ...]:
        kept = (*self.saves, *self.attrs)
        return tuple([kept.index(name) for name in wants(rule)])

    @property
    def saved_names(self) -> list[str]:
        """What people may read as ``node._saved_NAME``."""
        shown = (*(n for n in self.saves if n in self.wanted_by), *self.attrs)
        return sorted(n for n in shown if not n.endswith(HIDDEN))

    def _is_tensor(self, name: str) -> bool:
        if name in self.rules or name in self.lists:
            return True
        annotation = self.forward.__annotations__.get(name)
        return annotation in ("Value", "Value | None", "Array", "Array | None")

    def node_type(self, base: type[Node] | None = None) -> type[Node]:
        """The class of this op's nodes, made when first recorded."""
        if self._node_type is None:
            from .walk.rules import runners

            run, run_graph = runners(self) if self.fails is None else (self.fails, self.fails)
            for function in (self.call, run, run_graph):
                _with_code_of_its_own(function)
            body: dict[str, Any] = {"__slots__": (), "op": self, "run": run, "run_graph": run_graph}
            if base is None:
                base = MultiNode if len([o for o in self.outputs if o]) > 1 or None in self.outputs else Node
                body["outputs"] = len(self.outputs)
                if self.view and len(self.outputs) == 1:
                    body["kind"] = VIEW
            self._node_type = type(self.node_name, (base,), body)
        return self._node_type

    def read_saved(self, node: Node, name: str) -> Any:
        """What ``node._saved_NAME`` shows."""
        from .walk.rules import saved_tensor

        if name in self.attrs:
            value = node.attrs[self.attrs.index(name)]
            # What nobody but a reader needs is made when it is read.
            return value(node) if callable(value) else shown(name, value)
        if node.saved is None:
            raise freed()
        if hasattr(node, "opened"):
            return node.opened(lambda it: self.read_saved(it, name))
        if any(e is not None and e.kind == CUT for e in node.edges) and not self._asked_for(node, name):
            return None
        return saved_tensor(node, self.saves.index(name))

    def _asked_for(self, node: Node, name: str) -> bool:
        """Whether a rule whose gradient goes somewhere asks for a kept tensor."""
        arguments = self.wanted_by[name]
        if name in self.outputs or len(self.rules) == 1 or len(arguments) != 1:
            return True
        live = [a for a, e in zip(self.rules, node.edges, strict=False) if e is not None and e.kind != CUT]
        return arguments[0] in live


# -- the kinds -----------------------------------------------------------------------------


def elementwise(
    *,
    node: str | None = None,
    kink: Forward | None = None,
    domain: Forward | None = None,
    floating: bool = False,
    keeps: tuple[str, ...] = (),
    refuse: Callable[[Array, Array], None] | None = None,
    numbers: int = 2,
    joint: Rule | None = None,
    **rules: Rule,
) -> Callable[[Forward], Any]:
    """A function of one or two broadcast operands, element by element; either may be a number.

    ``floating``: integers become the default floating dtype first. ``kink`` names the quantity whose
    sign change is a kink, ``domain`` says where the op may be stepped: ``check`` reads both. ``refuse``
    sees two operands of different dtypes before they are converted, and may raise. ``numbers``: how many
    of two operands, from the last, may be numbers when the function is called by its name.
    """

    def declare(forward: Forward) -> Any:
        op = Op(
            forward, rules, kind="elementwise", node=node, outputs=("result",),
            kink=kink, domain=domain, floating=floating, keeps=keeps, joint=joint,
        )  # fmt: skip

        operands = [p for p in op.parameters if p in rules] or list(op.parameters[:1])
        attrs = len(op.parameters) - len(operands)
        if len(operands) == 1:
            plain = attrs == 0 and not op.attrs and len(op.saves) <= 1
            call = unary(op) if plain else single(op) if is_single(op) else many(op)
        elif op.parameters[:2] == tuple(operands) and {*op.saves} <= {*operands, "result"}:
            op.paired = True
            call = binary(op, refuse)
            call.numbers = numbers
        else:
            call = many(op, numbers > 0)
        return dressed(call, op)

    return declare


def primitive(
    *,
    node: str | None = None,
    outputs: tuple[str | None, ...] = ("result",),
    view: bool = False,
    lists: tuple[str, ...] = (),
    kink: Forward | None = None,
    domain: Forward | None = None,
    joint: Rule | None = None,
    keeps: tuple[str, ...] = (),
    floating: bool = False,
    siblings: bool = False,
    broadcasts: bool = False,
    aside: tuple[str, ...] = (),
    assumes: tuple[str, str] | None = None,
    **rules: Rule,
) -> Callable[[Forward], Any]:
    """Any other function that PyTorch shows as one node.

    ``outputs`` names what the forward returns, None for an output without a gradient; with more than
    one, ``g`` is a list. ``aside`` names results without a gradient that follow the one output of an op
    with one tensor (indices): they are no outputs of the node. ``view``: the result shares the memory of
    the first argument; ``siblings``: several such results, none to be written to. ``lists``: arguments
    that are lists of tensors; their rules return a list. ``joint``: one rule that returns the gradients
    of all the rules' arguments. ``assumes``: an argument, and what it is taken to be: ``symmetric``, of whose
    matrices one triangle is read while both get their share of the gradient, ``normalised``, logarithms that
    log_softmax made, whose gradient is that of the scores behind them, or ``padded``, a table whose row at
    ``padding_idx`` is constant: ``check`` reads it.
    """

    def declare(forward: Forward) -> Any:
        op = Op(
            forward, rules, kind="view" if view else "primitive", node=node, outputs=outputs, view=view,
            lists=lists, kink=kink, domain=domain, joint=joint, keeps=keeps, floating=floating, siblings=siblings,
            broadcasts=broadcasts, aside=aside, assumes=assumes,
        )  # fmt: skip
        if view and len(outputs) == 1:
            return dressed((parted if siblings else viewed)(op), op)
        for suits, make in ((is_single, single), (is_several, several), (is_listed, listed)):
            if suits(op):
                return dressed(make(op), op)
        raise TypeError(f"op {op.name} is of no kind that there is a call for")

    return declare


def underivable(aten: str) -> Callable[[Any], Any]:
    """An elementwise op that PyTorch has no derivative for: its node, NotImplemented, fails in the backward.

    The node has edges only to what requires a gradient.
    """

    def mark(call: Any) -> Any:
        op = call.op
        op.rules = {}

        def run(node: Any, g: Any, edges: Any) -> Any:
            fail(f"derivative for aten::{aten} is not implemented")

        body = {
            "__slots__": (), "op": op, "run": run, "run_graph": run, "outputs": 1,
            "name": lambda node: "torch::autograd::NotImplemented",
        }  # fmt: skip
        op._node_type = type("NotImplemented", (Node,), body)

        def marked(*args: Any) -> Any:
            r = call(*args)
            if isinstance(r, Tensor) and r._node is not None:
                r._node.edges = tuple(e for e in r._node.edges if e is not None)
            return r

        if getattr(call, "leaves_foreign", False):
            marked.leaves_foreign = True  # type: ignore[attr-defined]
            marked.numbers = getattr(call, "numbers", 2)  # type: ignore[attr-defined]
        return dressed(marked, op)

    return mark


def shared(g: Any) -> None:
    """In the place of a rule: the joint rule gives this argument's gradient."""


def composite(function: Forward) -> Any:
    """A function built of other ops; it makes no node of its own."""
    Op(function, {}, kind="composite", node=None, outputs=("result",))
    return function


def constant(function: Forward) -> Any:
    """A function whose result has no gradient: comparisons, indices, new tensors."""
    op = Op(function, {}, kind="constant", node=None, outputs=("result",))

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {k: _array_of(v) for k, v in kwargs.items()}
        args_ = [_array_of(a) for a in args]
        if mode_is_raw(args):
            return function(*args_, **kwargs)
        try:
            r = function(*args_, **kwargs)
        except ValueError as error:
            raise translated(error, args_) from error
        made = tuple([result(x) for x in r]) if isinstance(r, tuple) else (result(r),)
        if mode.tape is not None:
            for t in made:
                mode.tape.unrecorded(t, args)
        return made if isinstance(r, tuple) else made[0]

    return dressed(call, op)


def mode_is_raw(args: Sequence[Any]) -> bool:
    """Whether arrays, not Tensors, flow through a call."""
    raw = False
    for a in args:
        if isinstance(a, Tensor):
            return False
        if isinstance(a, (list, tuple)) and a and any(isinstance(x, Tensor) for x in a):
            return False
        raw = raw or isinstance(a, (np.ndarray, np.generic))
    return raw


def _array_of(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x._a
    if isinstance(x, (list, tuple)):
        return type(x)(_array_of(y) for y in x) if type(x) in (list, tuple) else x
    return x


def _with_code_of_its_own(function: Any) -> None:
    """Part a function from others made by the same factory: Python adapts code to the types that pass through it."""
    function.__code__ = function.__code__.replace()


def dressed(call: Any, op: Op) -> Any:
    """``call`` with the forward's name and doc, and its op within reach."""
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    call.__module__ = op.forward.__module__
    call.op = op
    op.call = call
    return call


# Where functions are offered that write over their argument: as PLACE.NAME_, made when first asked for.
WRITING = {"torch": "torch_", "Tensor": "Tensor_", "F": "F_"}
# What users may call, by where it is found: torch.NAME, Tensor.NAME, F.NAME, linalg.NAME ...
PUBLIC: dict[str, dict[str, Any]] = {
    place: {} for place in ("torch", "Tensor", "F", "linalg", "special", *WRITING.values())
}


def public(where: str) -> Callable[[Any], Any]:
    """Offer a function to users: ``"torch Tensor F.other_name"``, under its own name unless one is given.

    ``where`` is a literal, beside the word public: the names are found in the source before anything is imported.
    A place with a line below at its end offers the function that writes the result over its first argument:
    ``"Tensor Tensor_"`` are two methods, of which the second is the first one's twin in place.
    """

    def offer(function: Any) -> Any:
        named = by_name(function) if getattr(function, "leaves_foreign", False) else function
        for each in where.split():
            place, _, name = each.partition(".")
            name = name or function.__name__
            PUBLIC[place][name] = function if name.startswith("__") else named
        return function

    return offer
