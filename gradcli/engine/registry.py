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

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import EngineError, EngineTypeError, GradcliError
from . import dtypes
from .dtypes import promote
from .graph import VIEW, MultiNode, Node, Output, freed, next_sequence_number
from .modes import mode
from .operands import binary, by_name, in_dtype, unary
from .tensor import Array, Tensor, View, _new, result

Rule = Callable[..., Any]
Forward = Callable[..., Any]

OPS: dict[str, Op] = {}

_MISSING = object()

# Other names that PyTorch lets its callers use.
_ALIASES = {"input": "self", "axis": "dim", "keepdims": "keepdim"}

# Arguments that PyTorch declares int64_t: a negative one reads as its unsigned twin.
_INT64 = frozenset(
    "dim dim0 dim1 dim2 index start end step offset diagonal padding_idx ignore_index dimension k dims shifts "
    "pad padding repeats".split()
)


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
    ) -> None:
        code = forward.__code__
        self.forward = forward
        self.kind = kind
        self.name = forward.__name__
        self.doc = (forward.__doc__ or "").strip()
        self.node_name = node or _camel(self.name) + "Backward0"
        self.outputs = outputs
        self.aside = aside
        self.view = view
        self.siblings = siblings
        # Whether a share may come in the output's shape, for the caller to undo the broadcast.
        self.broadcasts = broadcasts or kind == "elementwise"
        self.kink = kink
        self.domain = domain
        self.joint = joint
        self.floating = floating
        self.lists = frozenset(lists)
        self.rules = rules
        # Whether its nodes keep just two operands and the result, as `operands.binary` records them.
        self.paired = False
        # The order in which PyTorch computes gradients, and numbers the nodes that this records.
        self.order = tuple(sorted(rules))
        self.parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self.positional = code.co_argcount
        self.defaults = _defaults(forward)
        self._learn_what_is_kept(keeps)
        self._node_type: type[Node] | None = None
        self.call: Any = forward
        if self.name in OPS:
            raise TypeError(f"op {self.name} is declared twice")
        OPS[self.name] = self

    def _learn_what_is_kept(self, keeps: tuple[str, ...]) -> None:
        tensors: dict[str, None] = {}  # kept tensors, in order of the forward's parameters, then outputs
        attrs: dict[str, None] = {}
        wanted: dict[str, list[str]] = {}
        named = [*((a, _wants(r)) for a, r in self.rules.items()), *([(None, _wants(self.joint))] if self.joint else [])]
        for argument, names in named:
            for name in names:
                wanted.setdefault(name, []).extend(self.rules if argument is None else [argument])
        for name in keeps:
            wanted.setdefault(name, [])
        if "backward" in self.name:
            # Of its own backward functions, PyTorch keeps all that a formula names, for whatever argument.
            wanted = {name: [] for name in wanted}
        for argument in self.rules:
            if argument not in self.parameters:
                raise TypeError(f"op {self.name} has a rule for '{argument}', which is no parameter of it")
        # An argument is kept as a tensor when it can be one: when it has a rule, or is not plain data.
        for name in wanted:
            if name in self.outputs or name in self.aside:
                tensors[name] = None
            elif name in self.parameters:
                (tensors if self._is_tensor(name) else attrs)[name] = None
            elif _fact(name)[0] in self.parameters:
                attrs[name] = None
            else:
                raise TypeError(f"a rule of op {self.name} asks for '{name}', which is no argument or output of it")
        self.wanted_by = wanted
        self.attrs = tuple(attrs)
        self.lay_out(tuple(tensors))

    def lay_out(self, saves: tuple[str, ...]) -> None:
        """Fix the order in which tensors are kept."""
        self.saves = saves
        shown = (*(n for n in saves if n in self.wanted_by), *self.attrs)
        self.saved_names = tuple(sorted(n for n in shown if not n.endswith(_HIDDEN)))
        position = {n: i for i, n in enumerate((*saves, *self.attrs))}
        # argument -> positions of its rule's parameters among the kept values
        self.picks = {a: tuple(position[n] for n in _wants(r)) for a, r in self.rules.items()}
        self.joint_picks = tuple(position[n] for n in _wants(self.joint)) if self.joint else ()

    def _is_tensor(self, name: str) -> bool:
        if name in self.rules or name in self.lists:
            return True
        annotation = self.forward.__annotations__.get(name)
        return annotation in ("Value", "Value | None", "Array", "Array | None")

    def node_type(self) -> type[Node]:
        """The class of this op's nodes, made when first recorded."""
        if self._node_type is None:
            base = MultiNode if len([o for o in self.outputs if o]) > 1 or None in self.outputs else Node
            from .rules import runners

            run, run_graph = runners(self)
            body = {"__slots__": (), "op": self, "run": run, "run_graph": run_graph, "outputs": len(self.outputs)}
            if self.view and len(self.outputs) == 1:
                body["kind"] = VIEW
            self._node_type = type(self.node_name, (base,), body)
        return self._node_type

    def read_saved(self, node: Node, name: str) -> Any:
        """What ``node._saved_NAME`` shows."""
        from .rules import saved_tensor

        if name in self.attrs:
            value = node.attrs[self.attrs.index(name)]
            # What nobody but a reader needs is made when it is read.
            return value(node) if callable(value) else _shown(name, value)
        if name not in self.saves:
            raise AttributeError(f"'{self.node_name}' object has no attribute '_saved_{name}'")
        if node.saved is None:
            raise freed()
        return saved_tensor(node, self.saves.index(name))


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _wants(rule: Rule | None) -> tuple[str, ...]:
    """The parameters of a rule after ``g``."""
    if rule is None:
        return ()
    code = rule.__code__
    return tuple(n for n in code.co_varnames[1 : code.co_argcount] if n != "wanted")


_FACTS: dict[str, Callable[[Array], Any]] = {
    "_sym_sizes": lambda a: a.shape,
    "_sym_numel": lambda a: a.size,
    "_sym_strides": lambda a: tuple(s // a.itemsize for s in a.strides),
    "_sym_sizes_opt": lambda a: (0,) if a is None else a.shape,
    "_hidden": lambda a: a,
    "_like": lambda a: (a.shape, a.dtype),
    "_sym_argsize_0": lambda a: a.shape[0],
    "_sym_argsize_1": lambda a: a.shape[1],
    "_sym_argsize_2": lambda a: a.shape[2],
    "_sym_argsize_minus_1": lambda a: a.shape[-1],
    "_sym_argsize_minus_2": lambda a: a.shape[-2],
    "_dim": lambda a: a.ndim,
    "_scalar_type": lambda a: a.dtype,
    "_geometry": lambda a: _geometry(a),
    "_args_sizes": lambda tensors: [t.shape for t in tensors],
}


# Facts that PyTorch keeps without showing them.
_HIDDEN = ("_geometry", "_args_sizes", "_hidden", "_like")


def _geometry(a: Array) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Sizes, strides and where in the storage it starts, in elements."""
    from .ops.strides import storage_offset_of

    return a.shape, tuple([s // a.itemsize for s in a.strides]), storage_offset_of(a)


def _fact(name: str) -> tuple[str, Callable[[Array], Any] | None]:
    """Which argument a kept fact is about, and how to read it off."""
    for suffix, read in _FACTS.items():
        if name.endswith(suffix):
            return name[: -len(suffix)], read
    return name, None


def _defaults(forward: Forward) -> dict[str, Any]:
    code = forward.__code__
    given = forward.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    found = dict(zip(names[len(names) - len(given) :], given, strict=True))
    found.update(forward.__kwdefaults__ or {})
    return found


def _shown(name: str, value: Any) -> Any:
    """A kept plain argument, as PyTorch shows it."""
    if isinstance(value, (tuple, list)):
        return tuple(_shown(name, v) for v in value)
    if isinstance(value, int) and not isinstance(value, bool) and value < 0 and name in _INT64:
        return value + 2**64
    return value


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
        from .many import many
        from .single import is_single, single

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
        return _dressed(call, op)

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
    **rules: Rule,
) -> Callable[[Forward], Any]:
    """Any other function that PyTorch shows as one node.

    ``outputs`` names what the forward returns, None for an output without a gradient; with more than
    one, ``g`` is a list. ``aside`` names results without a gradient that follow the one output of an op
    with one tensor (indices): they are no outputs of the node. ``view``: the result shares the memory of the first argument; ``siblings``:
    several such results, none to be written to. ``lists``: arguments that are lists of tensors; their
    rules return a list. ``joint``: one rule that returns the gradients of all the rules' arguments.
    """

    def declare(forward: Forward) -> Any:
        op = Op(
            forward, rules, kind="view" if view else "primitive", node=node, outputs=outputs, view=view,
            lists=lists, kink=kink, domain=domain, joint=joint, keeps=keeps, floating=floating, siblings=siblings,
            broadcasts=broadcasts, aside=aside,
        )  # fmt: skip
        if view and len(outputs) == 1:
            from .views import siblings as parted, viewed

            return _dressed((parted if siblings else viewed)(op), op)
        from .listed import is_listed, listed
        from .several import is_several, several
        from .single import is_single, single

        for suits, make in ((is_single, single), (is_several, several), (is_listed, listed)):
            if suits(op):
                return _dressed(make(op), op)
        return _dressed(_general(op), op)

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
        return _dressed(marked, op)

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
            raise _translated(error, op, args_) from error
        return tuple(result(x) for x in r) if isinstance(r, tuple) else result(r)

    return _dressed(call, op)


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


def _dressed(call: Any, op: Op) -> Any:
    """``call`` with the forward's name and doc, and its op within reach."""
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    call.__module__ = op.forward.__module__
    call.op = op
    op.call = call
    return call


# What users may call, by where it is found: torch.NAME, Tensor.NAME, F.NAME, linalg.NAME ...
PUBLIC: dict[str, dict[str, Any]] = {
    "torch": {}, "Tensor": {}, "Tensor_": {}, "F": {}, "linalg": {}, "special": {},
}  # fmt: skip


def public(where: str) -> Callable[[Any], Any]:
    """Offer a function to users: ``"torch Tensor F.other_name"``, under its own name unless one is given."""

    def offer(function: Any) -> Any:
        named = by_name(function) if getattr(function, "leaves_foreign", False) else function
        for place in where.split():
            namespace, _, name = place.partition(".")
            PUBLIC[namespace][name or function.__name__] = function if name.startswith("__") else named
        return function

    return offer


# -- calling: one closure per kind ---------------------------------------------------------


def _general(op: Op) -> Any:
    """Call any op: bind its arguments, compute, record what its rules ask for."""
    forward = op.forward
    names = op.parameters
    defaults = op.defaults
    rules = op.rules
    lists = op.lists
    positional = op.positional
    differentiable = [i for i, n in enumerate(names) if n in rules]
    multi = len(op.outputs) > 1
    saves = [(n, names.index(n)) if n in names else (n, None) for n in op.saves]
    attr_sources = [
        (names.index(n), None) if n in names else (names.index(_fact(n)[0]), _fact(n)[1]) for n in op.attrs
    ]
    needed_by = op.wanted_by
    always = {n for n, by in needed_by.items() if not by}
    first = names[0] if names else ""

    def bind(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        if len(args) > positional:
            raise EngineTypeError(f"{op.name}() takes {positional} positional arguments but {len(args)} were given")
        values = [*args, *(_MISSING for _ in names[len(args) :])]
        for k, v in kwargs.items():
            k = _ALIASES.get(k, k) if k not in names else k
            if k not in names:
                raise EngineTypeError(f"{op.name}() got an unexpected keyword argument '{k}'")
            i = names.index(k)
            if values[i] is not _MISSING:
                raise EngineTypeError(f"{op.name}() got multiple values for argument '{k}'")
            values[i] = v
        for i, v in enumerate(values):
            if v is _MISSING:
                if names[i] not in defaults:
                    raise EngineTypeError(f'{op.name}() missing 1 required positional argument: "{names[i]}"')
                values[i] = defaults[names[i]]
        return values

    def call(*args: Any, **kwargs: Any) -> Any:
        values: list[Any] | tuple[Any, ...]
        values = bind(args, kwargs) if kwargs or len(args) != len(names) else args
        raw: list[Any] = []
        edges: list[Any] = []
        any_tensor = False
        needs = False
        for i, v in enumerate(values):
            if isinstance(v, Tensor):
                any_tensor = True
                raw.append(v._a)
            elif names[i] in lists and v is not None:
                any_tensor = any_tensor or any(isinstance(x, Tensor) for x in v)
                raw.append([x._a if isinstance(x, Tensor) else x for x in v])
            else:
                raw.append(v)
        if not any_tensor:
            if not any(isinstance(v, (np.ndarray, np.generic)) or names[i] in lists for i, v in enumerate(raw)):
                raise _not_a_tensor(op, first, 1, values[0] if values else None)
            return forward(*raw)
        if op.view:
            raw[0] = values[0]._memory()
        if op.floating:
            for i in differentiable:
                if isinstance(raw[i], (np.ndarray, np.generic)) and raw[i].dtype.kind not in "fc":
                    raw[i] = raw[i].astype(dtypes.default.float)
        if op.kind == "elementwise" and len(differentiable) > 1:
            d = promote(*(raw[i] for i in differentiable if raw[i] is not None))
            for i in differentiable:
                if raw[i] is not None:
                    raw[i] = in_dtype(raw[i], d)
        try:
            r = forward(*raw)
        except ValueError as error:
            raise _translated(error, op, raw) from error
        if mode.grad:
            for i in differentiable:
                v = values[i]
                if isinstance(v, Tensor):
                    edges.append(v._node)
                    needs = needs or v._node is not None
                elif names[i] in lists:
                    found = [x._node if isinstance(x, Tensor) else None for x in v]
                    edges.extend(found)
                    needs = needs or any(e is not None for e in found)
                else:
                    edges.append(None)
        outs = r if multi else (r,)
        node: Any = None
        if needs and any(_differentiable(x) for x in outs):
            node = record(values, raw, outs, edges)
        made = tuple(_wrapped(op, k, x, node, values) for k, x in enumerate(outs))
        return made if multi else made[0]

    def record(values: Sequence[Any], raw: list[Any], outs: Any, edges: list[Any]) -> Any:
        node = _new(op.node_type())
        node.edges = tuple(edges)
        node.extra = None
        needed = set(always)
        for i in differentiable:
            v = values[i]
            if isinstance(v, Tensor) and v._node is not None or (
                names[i] in lists and any(isinstance(x, Tensor) and x._node is not None for x in v)
            ):
                needed.add(names[i])
        kept: list[Any] = []
        for k, (name, i) in enumerate(saves):
            by = needed_by[name]
            # As PyTorch does: an input for one rule only is kept when that rule will be asked for.
            if i is not None and len(by) == 1 and by[0] not in needed:
                kept.append(None)
            elif i is None:
                kept.append(outs[op.outputs.index(name)])
            else:
                v = values[i]
                kept.append(tuple(v) if isinstance(v, list) else v)
                if isinstance(v, Tensor) and v._vc is not None:
                    node.extras().versions[k] = v._vc.n
        node.saved = tuple(kept)
        node.attrs = tuple(
            values[i] if read is None else read(values[i]._a if isinstance(values[i], Tensor) else values[i])
            for i, read in attr_sources
        )
        if multi:
            node.shape = tuple(x.shape for x in outs)
            node.dtype = tuple(x.dtype for x in outs)
        else:
            node.shape = outs[0].shape
            node.dtype = outs[0].dtype
        node.seq = next_sequence_number()
        return node

    return call


def _differentiable(a: Array) -> bool:
    return a.dtype.kind in "fc"


def _wrapped(op: Op, k: int, a: Array, node: Any, values: Sequence[Any]) -> Tensor:
    """Output ``k`` of a call, as a Tensor in its place."""
    if op.view:
        source = values[0]
        v: Any = _new(View)
        v._a = a
        v._base = source if source._base is None else source._base
        vc = v._base._vc
        v._made = 0 if vc is None else vc.n
        v._inference = source._inference
        if not mode.grad:
            v._without_grad = True
        if op.siblings:
            v._siblings = _camel(op.name)
        if node is not None:
            v._own = node if len(op.outputs) == 1 else Output(node, k, a)
        return v  # type: ignore[no-any-return]
    t = result(a)
    if mode.inference:
        t._inference = True
    if node is not None and op.outputs[k] is not None and _differentiable(a):
        t._node = node if len(op.outputs) == 1 else Output(node, k, a)
    return t


# -- errors --------------------------------------------------------------------------------


def not_a_tensor(name: str, argument: str, position: int, value: Any) -> EngineTypeError:
    """PyTorch's words for an argument that should be a tensor."""
    shown = "input" if argument == "self" else argument
    got = type(value).__name__
    return EngineTypeError(f"{name}(): argument '{shown}' (position {position}) must be Tensor, not {got}")


def _not_a_tensor(op: Op, argument: str, position: int, value: Any) -> EngineTypeError:
    return not_a_tensor(op.name, argument, position, value)


def no_overload(name: str, *args: Any) -> EngineTypeError:
    """The beginning of PyTorch's words for arguments that fit no overload."""
    got = ", ".join(type(x).__name__ for x in args)
    return EngineTypeError(f"{name}() received an invalid combination of arguments - got ({got})")


def is_value(*values: Any) -> bool:
    """Whether all are tensors, or arrays in the place of tensors."""
    return all(isinstance(x, (Tensor, np.ndarray, np.generic)) for x in values)


def _translated(error: ValueError, op: Op, arrays: Sequence[Any]) -> Exception:
    """A NumPy complaint in PyTorch's words."""
    if isinstance(error, GradcliError):
        return error
    if "broadcast" in str(error):
        shapes = [x.shape for x in arrays if isinstance(x, (np.ndarray, np.generic))]
        for a, b in zip(shapes, shapes[1:], strict=False):
            problem = broadcast_problem(a, b)
            if problem is not None:
                return problem
    return EngineError(str(error))


def broadcast_problem(a: tuple[int, ...], b: tuple[int, ...]) -> EngineError | None:
    """PyTorch's words for two shapes that do not broadcast, or None when they do."""
    rank = max(len(a), len(b))
    pa, pb = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    for dim in reversed(range(rank)):
        if pa[dim] != pb[dim] and pa[dim] != 1 and pb[dim] != 1:
            return EngineError(
                f"The size of tensor a ({pa[dim]}) must match the size of tensor b ({pb[dim]}) at "
                f"non-singleton dimension {dim}"
            )
    return None


def fail(message: str, help: str | None = None) -> NoReturn:
    """Raise PyTorch's RuntimeError with these words."""
    raise EngineError(message, help=help)
