"""Ops, each declared once: a forward in NumPy, a rule for each differentiable argument.

A decorator says the kind of function; the function is the forward; each keyword is a differentiable
argument with its rule. A rule's own parameters are the list of what the backward keeps: ``g`` first,
then any argument, any output (``result`` unless ``outputs`` names them), or a fact about an argument:
``self_sym_sizes``, ``self_sym_strides``, ``self_sym_numel``. Those names are what PyTorch shows as
``_saved_self``, ``_saved_result``, ``_saved_self_sym_sizes``.

Rules are written with operators and other ops, so that one rule serves every reading: handed arrays it
gives a first-order gradient, handed Tensors it records the next order.

What makes more than its operands hold, or takes longer, declares that beside it: see costs.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from ..errors import EngineNotImplementedError, NoDerivative
from .call_errors import (
    fail as fail,
    is_value as is_value,
    no_overload as no_overload,
    not_a_tensor as not_a_tensor,
    translated,
)
from .calls.binding import written
from .calls.elementwise import binary, by_name, unary
from .calls.many_operands import many
from .calls.one_tensor import is_single, single
from .calls.several_tensors import is_several, several
from .calls.tensor_lists import is_listed, listed
from .calls.views import SiblingsNode, siblings as parted, viewed
from .declaration import HIDDEN, Forward, Rule, camel, defaults_of, fact, shown, wants
from .dtypes import is_complex
from .graph import CUT, VIEW, MultiNode, Node, freed
from .modes import mode, unrecorded
from .tensor import Array, Tensor, result

OPS: dict[str, Op] = {}


class Op:
    """One operation: its forward, its rules, what they keep, and what people may read about it.

    It is a record: once declared, it stays as it is. Each fact stands here once, with what holds of an op whose
    declaration does not say it; what has no such value follows from the rest.
    """

    # -- its results ---------------------------------------------------------------------------

    # What the forward returns, None for an output without a gradient; with more than one, ``g`` is a list.
    outputs: tuple[str | None, ...] = ("result",)
    # Results without a gradient that follow the one output of an op with one tensor (indices): no outputs of the node.
    aside: tuple[str, ...] = ()
    # The result shares the memory of the first argument.
    view: bool = False
    # There are as many results as there are parts, and of a view none to be written to.
    siblings: bool = False

    # -- its arguments -------------------------------------------------------------------------

    # Those that are lists of tensors; their rules return a list.
    lists: frozenset[str] = frozenset()
    # Those that are tensors and have no rule.
    without_rule: tuple[str, ...] = ()
    # Those that are None or a tensor, which is kept whichever rule asks for it.
    optional: frozenset[str] = frozenset()
    # Integers become the default floating dtype first.
    floating: bool = False

    # -- its gradient --------------------------------------------------------------------------

    # What its nodes are called, or else the op's own name as PyTorch writes it.
    node: str | None = None
    # It is one of PyTorch's own backward functions.
    backward: bool = False
    # One rule that returns the gradients of all the rules' arguments.
    joint: Rule | None = None
    # What makes the tangent of the one result of those of the operands, ``NAME_t``, and of arguments and results, where
    # the rules do not tell: elsewhere the forward mode is had from them, see forward/pushing.py.
    pushes: Rule | None = None
    # What is kept though no rule asks for it.
    keeps: tuple[str, ...] = ()
    # A share may come in the output's shape, for the caller to undo the broadcast: so it is of all elementwise ops.
    broadcasts: bool = False
    # The order in which PyTorch computes the gradients and numbers the nodes that this records; or by their names.
    order: tuple[str, ...] = ()
    # What its nodes do in the place of rules.
    fails: Callable[..., Any] | None = None

    # -- what `check` reads --------------------------------------------------------------------

    # The quantity whose sign change is a kink.
    kink: Forward | None = None
    # Where the op may be stepped.
    domain: Forward | None = None
    # An argument, and what it is taken to be: ``symmetric``, of whose matrices one triangle is read while both get
    # their share of the gradient, ``factor``, triangular, whose gradient is that of its product with its transpose,
    # ``normalised``, logarithms that log_softmax made, whose gradient is that of the scores behind them, or ``padded``,
    # a table whose row at ``padding_idx`` is constant.
    assumes: tuple[str, str] | None = None
    # Where PyTorch's own gradient, which is given as it is, is not the derivative.
    astray: str | None = None
    # Why its gradient cannot be measured.
    unmeasured: str | None = None
    # ``exact``, it rounds nothing; ``once``, an elementwise op rounds little more than its result; ``sum``, so does one
    # that adds; ``hidden``, it adds to one what may be as good as minus one.
    rounding: str | None = None
    # Its results are what is left of larger numbers, of ``ones``, or of what the arguments hold that it names: of
    # ``each`` number, of the ``largest``, of ``products``.
    left_of: tuple[str, ...] = ()
    # How it is called for many points at once, as `many_points` names it; what is elementwise is called with its
    # operands aligned.
    form: str | tuple[Any, ...] | None = None

    # -- dtypes and memory ---------------------------------------------------------------------

    # What its tensors are cast to under autocast, as `autocasting` names it.
    autocast: str | None = None
    # It is refused in half precision, by the name of PyTorch's kernel or in a sentence.
    no_half: str | None = None
    # It has no kernel for whole numbers, by the name of PyTorch's kernel; behind " but " stands what it takes all the
    # same: ``int64``, ``integers``, but no bools, ``bools``, but no integers, or what is ``empty``.
    no_whole: str | None = None
    # In half precision each of its steps is rounded to that; others are rounded once, at the end.
    own_precision: bool = False
    # A number beside half precision is not rounded to that, or not the ``second``.
    exact_numbers: bool | str = False
    # Numbers that are no operands are rounded to half precision.
    half_numbers: bool = False
    # Its parameters may be in single precision beside an input in half, which its first result is like.
    mixed: bool = False
    # It reads one half of a matrix, or takes it to be symmetric.
    reads_half: bool = False
    # It reads the memory that its argument is a part of.
    reads_storage: bool = False
    # It compares for order.
    orders: bool = False

    # -- complex numbers -----------------------------------------------------------------------

    # The op whose place this one takes where tensors are complex.
    twin_of: Op | None = None
    # It does so where complex tensors are readings, by the rules that take arrays.
    reads: bool = False

    # -- how it is called ----------------------------------------------------------------------

    # How many arguments may be given by their place, or else those that Python takes so.
    positional: int = -1
    # What makes the way in which it, and its twin, is called.
    make_call: Callable[[Op], Any] | None
    # How it is called: the last fact of its declaration, for it is made of the others.
    call: Any

    # -- what follows --------------------------------------------------------------------------

    forward: Forward
    kind: str
    name: str
    doc: str
    node_name: str
    # The arguments with an edge; and the rule of each, unless all there is to say is that there is no derivative.
    operands: tuple[str, ...]
    rules: dict[str, Rule]
    parameters: tuple[str, ...]
    defaults: dict[str, Any]
    # All arguments that are tensors, or lists of those.
    tensors: frozenset[str]
    # What is kept: for the rules of which arguments, as tensors, as plain data.
    wanted_by: dict[str, list[str]]
    saves: tuple[str, ...]
    attrs: tuple[str, ...]
    # Whether its nodes keep just two operands and the result, as `operands.binary` records them.
    paired: bool

    def __init__(self, forward: Forward, rules: dict[str, Rule], *, kind: str, **said: Any) -> None:
        self.__dict__.update(said)
        # A twin is called as its op is, whatever the arguments of its own forward are named.
        lead = forward if self.twin_of is None else self.twin_of.forward
        code = lead.__code__
        name = lead.__name__
        self.__dict__.update(
            forward=forward,
            kind=kind,
            name=name,
            doc=(lead.__doc__ or "").strip(),
            node_name=self.node or camel(name) + "Backward0",
            broadcasts=self.broadcasts or kind == "elementwise",
            lists=frozenset(self.lists),
            optional=frozenset(self.optional),
            operands=tuple(rules),
            rules={} if self.fails else rules,
            order=self.order or tuple(sorted(rules)),
            parameters=code.co_varnames[: code.co_argcount + code.co_kwonlyargcount],
            positional=code.co_argcount if self.positional < 0 else self.positional,
            defaults=defaults_of(lead),
            tensors=frozenset((*rules, *self.lists, *self.without_rule)),
            make_call=None,
            call=forward,
        )
        for argument in (*rules, *self.lists, *self.without_rule, *self.optional):
            if argument not in self.parameters:
                raise TypeError(f"op {name} has a rule for '{argument}', which is no parameter of it")
        self._learn_what_is_kept()
        if self.twin_of is not None:
            return
        before = OPS.get(name)
        # A family whose import was interrupted declares its ops once more.
        if before is not None and before.forward.__module__ != forward.__module__:
            raise TypeError(f"op {name} is declared twice")
        OPS[name] = self

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"op {self.name} is declared: its {name} stays as it is")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"op {self.name} is declared: its {name} stays")

    @functools.cached_property
    def on_complex(self) -> Any:
        """The way in which it is called with complex tensors: as its twin, or to be refused."""
        from .complex_twins import call_on_complex

        return call_on_complex(self)

    def called_by(self, call: Any) -> None:
        """Take the way in which it is called, made of all else that is declared."""
        self.__dict__["call"] = call

    def _learn_what_is_kept(self) -> None:
        wanted: dict[str, list[str]] = {}  # what is kept, and for the rules of which arguments
        for argument, rule in self.rules.items():
            for name in wants(rule):
                wanted.setdefault(name, []).append(argument)
        for name in wants(self.joint):
            wanted.setdefault(name, []).extend(self.rules)
        for name in self.keeps:
            wanted.setdefault(name, [])
        if self.backward:
            # Of its own backward functions, PyTorch keeps all that a formula names, for whatever argument.
            wanted = {name: [] for name in wanted}
        saves: list[str] = []
        attrs: list[str] = []
        for name in wanted:
            if name in self.outputs or name in self.aside or name in self.tensors:
                saves.append(name)
            elif name in self.parameters or fact(name)[0] in self.parameters:
                attrs.append(name)
            else:
                raise TypeError(f"a rule of op {self.name} asks for '{name}', which is no argument or output of it")
        pair = tuple([p for p in self.parameters if p in self.operands])
        paired = self.kind == "elementwise" and len(pair) == 2 and self.parameters[:2] == pair
        paired = paired and {*saves} <= {*pair, "result"}
        if paired and saves:
            # A fixed layout, so that the runner need not look up which is which.
            saves = [*pair, "result"] if "result" in saves else [*pair]
        elif len(self.rules) > 1 and self.joint is None:
            place = {name: i for i, name in enumerate(self.parameters)}
            saves.sort(key=lambda name: place.get(name, len(place)))
        self.__dict__.update(wanted_by=wanted, saves=tuple(saves), attrs=tuple(attrs), paired=paired)

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
        """The names that people may read as ``node._saved_NAME``."""
        shown = (*(n for n in self.saves if n in self.wanted_by), *self.attrs)
        return sorted(n for n in shown if not n.endswith(HIDDEN))

    def node_type(self) -> type[Node]:
        """The class of this op's nodes, made when first recorded."""
        return self._nodes

    @functools.cached_property
    def _nodes(self) -> type[Node]:
        from .walk.rules import runners

        run, run_graph = runners(self) if self.fails is None else (self.fails, self.fails)
        for_complex = self.twin_of is not None and not self.reads
        if for_complex and self.fails is None:
            from .complex_twins import run_in_tensors

            run = run_in_tensors(run_graph)
        for function in (self.call, run, run_graph):
            _with_code_of_its_own(function)
        body: dict[str, Any] = {"__slots__": (), "op": self, "run": run, "run_graph": run_graph}
        if self.siblings:
            body["for_complex"] = for_complex
            return type(self.node_name, (SiblingsNode,), body)
        base = MultiNode if len([o for o in self.outputs if o]) > 1 or None in self.outputs else Node
        body["outputs"] = len(self.outputs)
        body["for_complex"] = for_complex
        if self.view and len(self.outputs) == 1:
            body["kind"] = VIEW
        return type(self.node_name, (base,), body)

    def read_saved(self, node: Node, name: str) -> Any:
        """The value that ``node._saved_NAME`` shows."""
        from .walk.rules import saved_tensor

        if name in self.attrs:
            value = node.attrs[self.attrs.index(name)]
            # What nobody but a reader needs is made when it is read.
            return value(node) if callable(value) else shown(name, value)
        if node.saved is None:
            raise freed()
        if hasattr(node, "opened"):
            return node.opened(lambda it: self.read_saved(it, name), self.saves.index(name))
        if any(e is not None and e.kind == CUT for e in node.edges) and not self._asked_for(node, name):
            return None
        return saved_tensor(node, self.saves.index(name))

    def _asked_for(self, node: Node, name: str) -> bool:
        """Tell whether a rule whose gradient goes somewhere asks for a kept tensor."""
        arguments = self.wanted_by[name]
        if name in self.outputs or len(self.rules) == 1 or len(arguments) != 1:
            return True
        live = [a for a, e in zip(self.rules, node.edges, strict=False) if e is not None and e.kind != CUT]
        return arguments[0] in live


# -- the kinds -----------------------------------------------------------------------------


def elementwise(
    *,
    refuse: Callable[[Array, Array], None] | None = None,
    numbers: int = 2,
    **said: Any,
) -> Callable[[Forward], Any]:
    """A function of one or two broadcast operands, element by element; either may be a number.

    ``refuse`` sees two operands of different dtypes before they are converted, and may raise. ``numbers``: how many
    of two operands, from the last, may be numbers when the function is called by its name. The others are the
    keywords of a ``primitive``.
    """

    def declare(forward: Forward) -> Any:
        op = _declared(forward, "elementwise", said)
        return finished(op, called)

    def called(op: Op) -> Any:
        operands = [p for p in op.parameters if p in op.operands] or op.parameters[:1]
        attrs = len(op.parameters) - len(operands)
        if len(operands) == 1:
            plain = attrs == 0 and not op.attrs and len(op.saves) <= 1
            call = unary(op) if plain else single(op) if is_single(op) else many(op)
        elif op.paired:
            call = binary(op, refuse)
            call.numbers = numbers
        else:
            call = many(op, numbers > 0)
        return call

    return declare


def primitive(**said: Any) -> Callable[[Forward], Any]:
    """Any other function that PyTorch shows as one node; the keywords are facts that an ``Op`` takes, and rules.

    ``no_derivative`` is PyTorch's name of a function without a derivative: the node fails in the backward.
    ``not_implemented`` as well, but the node is called NotImplemented, and has edges only to what requires a gradient.
    """

    def declare(forward: Forward) -> Any:
        return finished(_declared(forward, "view" if said.get("view") else "primitive", said), _primitive_call)

    return declare


def _primitive_call(op: Op) -> Any:
    if op.siblings or (op.view and len(op.outputs) == 1):
        return (parted if op.siblings else viewed)(op)
    for suits, make in ((is_single, single), (is_several, several), (is_listed, listed)):
        if suits(op):
            return make(op)
    raise TypeError(f"op {op.name} is of no kind that there is a call for")


def _declared(forward: Forward, kind: str, said: dict[str, Any]) -> Op:
    """The op of a forward, of which facts and rules are said."""
    facts = {name: fact for name, fact in said.items() if name in _FACTS}
    rules = {name: rule for name, rule in said.items() if name not in _FACTS and name not in _FAILURES}
    if "no_derivative" in said:
        words = f"the derivative for '{said['no_derivative']}' is not implemented."
        facts["fails"] = _failing(EngineNotImplementedError, words)
    if "not_implemented" in said:
        words = f"derivative for aten::{said['not_implemented']} is not implemented"
        facts |= {"node": _NOT_IMPLEMENTED, "fails": _failing(NoDerivative, words)}
    return Op(forward, rules, kind=kind, **facts)


_FACTS = frozenset(name for name in Op.__annotations__ if hasattr(Op, name))
_FAILURES = ("no_derivative", "not_implemented")
_NOT_IMPLEMENTED = "NotImplemented"


def _failing(kind: type[Exception], words: str) -> Callable[..., Any]:
    def run(node: Any, g: Any, edges: Any) -> Any:
        raise kind(words)

    return run


def finished(op: Op, make: Callable[[Op], Any]) -> Any:
    """The function by which an op is called; ``make`` makes the bare one, and that of its twin."""
    op.__dict__["make_call"] = make
    call = make(op)
    return dressed(_without_empty_edges(call) if op.node_name == _NOT_IMPLEMENTED else call, op)


def _without_empty_edges(call: Any) -> Any:
    """A call whose nodes have edges only to what requires a gradient."""

    def marked(*args: Any) -> Any:
        r = call(*args)
        if isinstance(r, Tensor) and r._node is not None:
            r._node.edges = tuple(e for e in r._node.edges if e is not None)
        return r

    if getattr(call, "leaves_foreign", False):
        marked.leaves_foreign = True  # type: ignore[attr-defined]
        marked.numbers = getattr(call, "numbers", 2)  # type: ignore[attr-defined]
    return marked


def shared(g: Any) -> None:
    """In the place of a rule: the joint rule gives this argument's gradient."""


def composite(function: Forward) -> Any:
    """A function built of other ops; it makes no node of its own."""
    Op(function, {}, kind="composite")
    return function


def constant(function: Forward) -> Any:
    """A function whose result has no gradient: comparisons, indices, new tensors."""
    return _constant_call(Op(function, {}, kind="constant"))


def _constant_call(op: Op) -> Any:
    function = op.forward
    for_real = op.twin_of is None

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            if "out" in kwargs:
                return written(call, args, kwargs)
            raw_kwargs = {k: _array_of(v) for k, v in kwargs.items()}
        else:
            raw_kwargs = kwargs
        args_ = [_array_of(a) for a in args]
        if mode_is_raw(args):
            return function(*args_, **raw_kwargs)
        if for_real and is_complex(args_):
            return op.on_complex(*args, **kwargs)
        try:
            r = function(*args_, **raw_kwargs)
        except ValueError as error:
            raise translated(error, args_) from error
        made = tuple([result(x) for x in r]) if isinstance(r, tuple) else (result(r),)
        if mode.aside:
            unrecorded(op, args, *made)
        return made if isinstance(r, tuple) else made[0]

    op.__dict__["make_call"] = _constant_call
    return dressed(call, op)


def mode_is_raw(args: Sequence[Any]) -> bool:
    """Tell whether arrays, not Tensors, flow through a call."""
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
    op.called_by(call)
    return call


# Where functions are offered that write over their argument: as PLACE.NAME_, made when first asked for.
WRITING = {"torch": "torch_", "Tensor": "Tensor_", "F": "F_"}
# What users may call, by where it is found: torch.NAME, Tensor.NAME, F.NAME, linalg.NAME ...
PUBLIC: dict[str, dict[str, Any]] = {
    place: {} for place in ("torch", "Tensor", "F", "fft", "linalg", "sparse", "special", *WRITING.values())
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
        _named_for_users(function, where.split()[0])
        return function

    return offer


def _named_for_users(function: Any, where: str) -> None:
    """Let Python, where it refuses arguments, say the name that users know a function by."""
    if callable(function):
        place, _, name = where.partition(".")
        shown = name or function.__name__
        if place in ("fft", "linalg", "special"):
            shown = f"{place}_{shown.removeprefix(f'{place}_')}"
        op = getattr(function, "op", None)
        for each in (function, op and op.forward):
            if isinstance(each, FunctionType):
                each.__qualname__ = shown
