"""Custom functions: a forward and a backward that the user wrote."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import EngineAssertionError, EngineAttributeError, EngineError, EngineTypeError
from .call_errors import inference_kept, returned_nan
from .dtypes import is_complex, zeros_of
from .flags import ANOMALY, settings
from .graph import MultiNode, Node, Output, freed, next_sequence_number, recorded
from .guard.addresses import address
from .guard.outside import Signature, guarded, named_after, outside
from .modes import mode, vmap_around
from .tensor import Tensor, Version, View, _new, constants, result
from .walk.rules import modified
from .walk.walk import running

if TYPE_CHECKING:
    from .random.generator import Here


_SEVERAL_BESIDE_A_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
    "more than one Tensor. This is not supported by the current autograd engine. You should either make sure the "
    "input is not a view (using .clone() for example) or make your Function only return one Tensor (potentially "
    "splitting it into two Functions: one doing the inplace that returns a single Tensor and a second one that "
    "does the other operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do "
    "this change."
)

_NO_SAMPLES = (
    "You tried to vmap over {name}, but it {why}. Please {cure}. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)

_MUST_BE_SEPARATE = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    "the setup_context staticmethod. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)

_NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
    "modified inplace must all be outputs of the Function."
)
_KEPT_AS_IT_IS = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
    "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup "
    "ctx inside the forward function itself."
)

_NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)

# Where a class of functions keeps the classes of its nodes: a name that no program can use.
NODE_TYPES = "__node_types__"


def _refuse_samples(cls: type[Function]) -> None:
    """Refuse a function inside of vmap that does not say that it may be called there."""
    own = cls.vmap is not Function.vmap
    if own and cls.generate_vmap_rule:
        why = "has both generate_vmap_rule=True and an overridden vmap staticmethod"
        cure = "set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity"
    elif not own and not cls.generate_vmap_rule:
        why = "does not have vmap support"
        cure = "override and implement the vmap staticmethod or set generate_vmap_rule=True"
    else:
        return
    raise EngineError(_NO_SAMPLES.format(name=cls.__name__, why=why, cure=cure))


class FunctionNode(Node):
    """The node of a custom function; it is also the ``ctx`` that its forward and backward are given."""

    function: ClassVar[type[Function]]
    broadcasts = True
    runs_on_nothing = True
    # A user may hand back one array twice, or one that was kept.
    fresh = False
    _materialize = True
    # What the forward kept for the jvp, until that has run.
    _for_forward: tuple[Tensor | None, ...] | None = None
    # Whether real numbers come of real ones by way of complex ones.
    hides_complex = False
    # Of a Function with several outputs: those at which gradients arrived, for each recorded run of the backward.
    arrived: frozenset[tuple[int, ...]] = frozenset()
    # Whether the forward wrote to one of its arguments.
    _wrote = False

    def __init__(self, needs: tuple[bool, ...]) -> None:
        self.extra = None
        self.edges = ()
        self.saved = ()
        self.attrs = ()
        self.needs_input_grad = needs
        # What the forward said, until it has run.
        self.to_save: tuple[Tensor | None, ...] | None = None
        self.dirty_tensors: tuple[Tensor, ...] | None = None
        self.non_differentiable: tuple[Tensor, ...] | None = None
        self.outputs = 1  # type: ignore[misc]
        # Which arguments were tensors: only those have an edge.
        self._tensor_arguments: tuple[bool, ...] = ()

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {address(self):#x}>"

    # -- what a forward may call ---------------------------------------------------------

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for the backward."""
        for i, t in enumerate(tensors):
            if t is not None and not isinstance(t, Tensor):
                raise EngineTypeError(
                    f"save_for_backward can only save variables, but argument {i} is of type {type(t).__name__}"
                )
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for the jvp."""
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise EngineAssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes "
                    "on ctx."
                )
        self._for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs the forward wrote to."""
        _refuse_others("mark_dirty can only accept variables, but argument ", tensors)
        self.dirty_tensors = tensors

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Warn that this is not needed."""
        warnings.warn(
            "`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. Note that "
            "calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient."""
        _refuse_others("mark_non_differentiable only accepts variable arguments, but got ", tensors)
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Choose zeros (else None) as what the backward is given for a gradient that did not arrive."""
        if not isinstance(value, bool):
            raise EngineTypeError(
                "set_materialize_grads received an invalid combination of arguments - got (), but expected (bool)"
            )
        self._materialize = value

    @property
    def materialize_grads(self) -> bool:
        """Refused: that zeros stand for gradients that did not arrive can be set alone."""
        raise EngineAttributeError("attribute 'materialize_grads' of 'torch._C._FunctionBase' objects is not readable")

    @materialize_grads.setter
    def materialize_grads(self, value: bool) -> None:
        self.set_materialize_grads(value)

    # -- what a backward may read --------------------------------------------------------

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors that the forward kept."""
        if self._for_forward is not None:
            return self._for_forward
        if self.saved is None:
            raise freed()
        return tuple(self._unpack(i, x) for i, x in enumerate(self.saved))

    @property
    def saved_for_forward(self) -> tuple[Tensor | None, ...] | None:
        """The tensors that are kept for the jvp, until that has run."""
        return self._for_forward

    @property
    def _forward_cls(self) -> type[Function]:
        return self.function

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The same by its old name."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        from .walk.saved_tensors_hooks import raw_saved

        if self.saved is None:
            raise freed()
        return tuple([raw_saved(self, i) for i in range(len(self.saved))])

    @property
    def is_saved_written(self) -> bool:
        """Tell whether what the forward kept was written to since."""
        for i, x in enumerate(self.saved or ()):
            try:
                self._unpack(i, x)
            except EngineError:
                return True
        return False

    def _unpack(self, i: int, x: Any) -> Tensor | None:
        if isinstance(x, KeptOutput):
            if x.version[0].n != x.version[1]:
                raise modified(result(x.array), self, x.nr, x.version[0].n, x.version[1])
            t = result(x.array)
            t._node = self if self.outputs == 1 else Output(self, x.nr, x.array)
            return t
        if isinstance(x, Tensor):
            vc = x._vc
            expected = 0 if self.extra is None else self.extra.versions.get(i, 0)
            if vc is not None and vc.n != expected:
                raise modified(x, x.grad_fn, x.output_nr, vc.n, expected)
            return x
        return None

    # -- running -------------------------------------------------------------------------

    def run(self, g: Any, edges: tuple[Any, ...]) -> Any:
        grads = self._call(g, edges, False)
        return [None if x is None else x._a for x in grads]

    def run_graph(self, g: Any, edges: tuple[Any, ...]) -> Any:
        if mode.grad and self.outputs > 1:
            came = tuple([k for k, x in enumerate(g) if x is not None])
            self.arrived |= {came} if came else set()
        return self._call(g, edges, mode.grad)

    def forward_gradients(
        self, args: Sequence[Any], tangents: Sequence[Tensor | None], outs: Sequence[Any]
    ) -> tuple[Tensor | None, ...]:
        """The tangents of the outputs, that the function's own jvp makes of those of its arguments."""
        given = [
            constants(zeros_of(x._a.shape, x._a.dtype)) if t is None and self._materialize and _is_floating(x) else t
            for x, t in zip(args, tangents, strict=True)
        ]
        before = mode.rule
        mode.rule = False
        try:
            out = guarded(self.function.jvp)(self, *given)
        finally:
            mode.rule = before
        made = tuple(out) if isinstance(out, (tuple, list)) else (out,)
        for i, x in enumerate(made):
            if x is not None and not isinstance(x, Tensor):
                raise EngineError(f"expected Variable or None (got {type(x).__name__}) for grad output {i}.")
        if len(made) != len(outs):
            raise EngineError(
                f"Function's jvp returned an invalid number of forward gradients (expected {len(outs)} but got "
                f"{len(made)})"
            )
        for x in made:
            if x is not None and not _is_floating(x):
                raise EngineError("Expected both tensor and its forward grad to be floating point or complex")
        return made

    def _call(self, g: Any, edges: tuple[Any, ...], recorded: bool) -> list[Tensor | None]:
        incoming = g if self.outputs > 1 else [g]
        given: list[Tensor | None] = []
        for k, x in enumerate(incoming):
            shape = self.shape[k] if self.outputs > 1 else self.shape
            # An output that is no tensor has no shape, and no gradient.
            if x is None and self._materialize and shape is not None:
                d = self.dtype[k] if self.outputs > 1 else self.dtype
                x = constants(zeros_of(shape, d))
            given.append(x if x is None or isinstance(x, Tensor) else result(x))
        before = mode.grad, mode.rule
        mode.grad, mode.rule = recorded, False
        around = _enters(self.function)
        walks = running()
        if walks:
            walks[-1].now = self
        try:
            out = guarded(backward_of(self.function))(self, *given)
        finally:
            mode.grad, mode.rule = before
            _enters(around)
        return self._checked(out if isinstance(out, tuple) else (out,), edges)

    def _checked(self, grads: tuple[Any, ...], edges: tuple[Any, ...]) -> list[Tensor | None]:
        expected = len(self._tensor_arguments)
        name = type(self).__name__
        if len(grads) > expected and all(x is None for x in grads[expected:]):
            grads = grads[:expected]
        if len(grads) != expected:
            raise EngineError(
                f"function {name} returned an incorrect number of gradients (expected {expected}, got {len(grads)})"
            )
        kept: list[Tensor | None] = []
        for i, (x, is_tensor) in enumerate(zip(grads, self._tensor_arguments, strict=True)):
            if x is not None and not is_tensor:
                raise EngineError(
                    f"function {name} returned a gradient different than None at position {i + 1}, but the "
                    "corresponding forward input was not a Variable"
                )
            if x is not None and not isinstance(x, Tensor):
                raise EngineError(f"expected Variable or None (got {type(x).__name__})")
            if is_tensor:
                kept.append(x)
        if settings.get(ANOMALY):
            for place, x in enumerate(kept):
                if x is not None and np.isnan(x._a).any():
                    raise returned_nan(name, place)
        wanted = [x if e is not None else None for x, e in zip(kept, edges, strict=True)]
        if not mode.readings:
            for x, e in zip(wanted, edges, strict=True):
                _refuse_other_numbers(x, e)
        return wanted


def _refuse_other_numbers(gradient: Tensor | None, edge: Any) -> None:
    """Refuse a complex gradient of a real input, and a whole one of a complex input."""
    if gradient is None or edge.dtype is None:
        return
    is_complex = gradient._a.dtype.kind == "c"
    if is_complex != (edge.dtype.kind == "c") and gradient._a.dtype.kind != "f":
        raise EngineError(
            "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got "
            "false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
        )


class KeptOutput:
    """An output that the function kept: its array, so that node and tensor make no cycle."""

    __slots__ = ("array", "nr", "version")

    def __init__(self, t: Tensor, nr: int) -> None:
        self.array = t._a
        self.nr = nr
        if t._vc is None:
            t._vc = Version()
        self.version = (t._vc, t._vc.n)

    def as_it_is(self) -> KeptOutput:
        """The same, whatever is written to the output later."""
        return KeptOutput(result(np.array(self.array)), self.nr)


class MultiFunctionNode(FunctionNode, MultiNode):
    """A custom function with several outputs."""


class _BackwardClass:
    """The class of the nodes that a function of one output makes."""

    def __get__(self, instance: Any, cls: type[Function]) -> type[FunctionNode]:
        return _node_type(cls, False)


class Function:
    """Base of custom functions: static ``forward(ctx, ...)`` and ``backward(ctx, ...)``, called by ``apply``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself. Instantiating an autograd function will raise an error in a "
            "future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: a function is applied through its class."""
        raise EngineError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)",
            help=f"write {type(self).__name__}.apply(...)",
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keep what the backward needs, when ``forward`` takes no ``ctx``."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients of the inputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward
    _backward_cls = _BackwardClass()

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Compute the tangents of the outputs."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    # Whether vmap may make its own of it.
    generate_vmap_rule = False

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Compute a batch at once; here each sample of it is computed alone."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the function and record it as one node."""
        return apply(cls, args, kwargs)


def backward_of(cls: type[Function]) -> Any:
    """The backward of a function: PyTorch lets it be called ``vjp`` as well."""
    if cls.vjp is Function.vjp:
        return cls.backward
    if cls.backward is not Function.backward:
        raise EngineError(
            "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement "
            "one of them."
        )
    return cls.vjp


def bare_backward_of(cls: type[Function]) -> Any:
    """The same without what says that it is differentiable once, which only switches recording off."""
    found = backward_of(cls)
    return getattr(found, "__wrapped__", found)


def _node_type(cls: type[Function], several: bool) -> type[FunctionNode]:
    cache = cls.__dict__.get(NODE_TYPES)
    if cache is None:
        cache = {}
        type.__setattr__(cls, NODE_TYPES, cache)
    if several not in cache:
        base = MultiFunctionNode if several else FunctionNode
        cache[several] = type(cls.__name__ + "Backward", (base,), {"function": cls})
    found: type[FunctionNode] = cache[several]
    return found


def apply(cls: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a custom function's forward unrecorded and give its outputs one node."""
    separate = cls.setup_context is not Function.setup_context
    if separate or kwargs:
        args = _by_place(cls, separate, args, kwargs)
    recorded = mode.grad and any(isinstance(a, Tensor) and a._node is not None for a in args)
    if mode.transforms and cls.setup_context is Function.setup_context:
        raise EngineError(_MUST_BE_SEPARATE)
    step = None
    if mode.samples:
        _refuse_samples(cls)
        step = _in_step(cls)
        if step is not None and mode.transforms == step.transforms:
            return step.together(cls, args)
    duals = mode.duals
    if duals is not None and mode.transforms and any(level.directions > 1 for level in duals.levels):
        # For PyTorch, all directions of a Jacobian are samples.
        _refuse_samples(cls)
    needs = tuple(isinstance(a, Tensor) and a._node is not None for a in args)
    node = _node_type(cls, False)(needs)
    # As they are now: the forward may write to them.
    edges = tuple(a._node for a in args if isinstance(a, Tensor)) if recorded else ()
    given = args if mode.tape is None or not recorded else mode.tape.given(args)
    bases = [mode.tape.operand(a._base) if isinstance(a, View) else None for a in args] if given is not args else []
    begun = _place_of_chance() if recorded and mode.tape is not None else None
    calls = mode.complex_calls
    if duals is None:
        out = _computed(cls, node, args, step)
    else:
        tangents = duals.before(args)
        with duals.outside():
            out = _computed(cls, node, args, step)
    drawn = None if begun is None else _place_of_chance()
    outs = out if isinstance(out, tuple) else (out,)
    if not any(isinstance(t, Tensor) for t in outs):
        if node.dirty_tensors:
            raise EngineError(_NOT_RETURNED)
        return out
    if len(outs) > 1:
        node.__class__ = _node_type(cls, True)
    node.outputs = len(outs)  # type: ignore[misc]
    if recorded:
        node._tensor_arguments = tuple(isinstance(a, Tensor) for a in args)
        node.edges = edges
        node.seq = next_sequence_number()
    handed_on = [
        t for t in outs
        if _is_among(t, args) and not _is_among(t, (*(node.dirty_tensors or ()), *(node.non_differentiable or ())))
    ]
    if separate and any(_is_among(x, handed_on) for x in (*(node.to_save or ()), *(node._for_forward or ()))):
        raise EngineError(_KEPT_AS_IT_IS)
    placed = _all_placed(node, args, outs, recorded)
    if recorded:
        # An input that is handed back as it came is kept as the input that it is.
        arrays = _fill(node, [None if _is_among(t, handed_on) else t for t in outs], placed)
        if mode.complex_calls != calls and not is_complex((*(a._a for a in args if isinstance(a, Tensor)), *arrays)):
            node.hides_complex = True
        if mode.tape is not None:
            mode.tape.record(node, None, given, arrays, _names(cls, separate, len(args)))
            entry = getattr(node, "entry", None)
            if entry is not None and begun is not None and drawn is not None and not begun.is_at(drawn):
                entry.random = begun
        _rebase_views(node, args, bases)
    if duals is not None:
        duals.applied(node, args, tangents, placed)
    node._for_forward = None
    if node.dirty_tensors:
        node._wrote = True
    node.to_save = node.dirty_tensors = node.non_differentiable = None
    return placed if isinstance(out, tuple) else placed[0]


def _fill(node: FunctionNode, own: Sequence[Any], placed: tuple[Any, ...]) -> list[Any]:
    """Have a node know its results, which are returned as arrays, and what it keeps."""
    arrays = [t._a if isinstance(t, Tensor) else None for t in placed]
    shapes = [None if a is None else a.shape for a in arrays]
    kinds = [None if a is None else a.dtype for a in arrays]
    node.shape, node.dtype = (tuple(shapes), tuple(kinds)) if len(placed) > 1 else (shapes[0], kinds[0])
    node.saved = tuple(_kept(node, i, x, own, placed) for i, x in enumerate(node.to_save or ()))
    return arrays


def _rebase_views(node: FunctionNode, args: Sequence[Any], bases: Sequence[Any]) -> None:
    """Views that the forward wrote to are parts of what came of it; ``bases``: those of ``args`` before that."""
    for t in node.dirty_tensors or ():
        if isinstance(t, View):
            from .writes.inplace import rebase

            rebase(t, node, next((base for a, base in zip(args, bases, strict=False) if a is t), None))


def _by_place(
    cls: type[Function], separate: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The arguments of a forward by place: those that were given by name, and defaults for what was left out."""
    signature = outside().signature(cls.forward)
    if signature is None:
        if kwargs:
            raise EngineTypeError(f"forward() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return args
    who = "" if separate else "forward() "
    names = signature.names if separate else signature.names[1:]
    if len(args) > len(names) and not signature.takes_more and separate:
        raise EngineTypeError("too many positional arguments")
    if separate:
        _refuse_names(signature, kwargs)
    for name in kwargs:
        if name not in names:
            raise EngineTypeError(f"{who}got an unexpected keyword argument '{name}'")
        if name in names[: len(args)]:
            raise EngineTypeError(f"{who}got multiple values for argument '{name}'")
    given = list(args)
    named = max((names.index(name) + 1 for name in kwargs), default=0)
    for name in names[len(args) : None if separate else named]:
        if name not in kwargs and name not in signature.defaults:
            raise EngineTypeError(f"missing a required argument: '{name}'")
        given.append(kwargs.get(name, signature.defaults.get(name)))
    return tuple(given)


def _refuse_names(signature: Signature, kwargs: Mapping[str, Any]) -> None:
    """Refuse what a forward without a context would take by name alone: nobody hands it on, not even a default."""
    for name in signature.only_named:
        if name not in kwargs and name not in signature.defaults:
            raise EngineTypeError(f"missing a required argument: '{name}'")
    known = (*signature.names, *signature.only_named)
    for name in kwargs:
        if name not in known and not signature.takes_names:
            raise EngineTypeError(f"got an unexpected keyword argument '{name}'")
    left = [*signature.only_named, *(name for name in kwargs if name not in known)]
    if left:
        who = "custom_function_call_grad" if mode.transforms else "forward"
        raise EngineTypeError(f"{who}() got an unexpected keyword argument '{left[0]}'")


def _in_step(cls: type[Function]) -> Any:
    """The samples of the innermost vmap, where a function that has its own vmap computes them at once."""
    if cls.vmap is Function.vmap:
        return None
    batch = vmap_around()
    return batch.in_step if batch is not None and batch.in_step.have_room() else None


def _computed(cls: type[Function], node: FunctionNode, args: tuple[Any, ...], step: Any) -> Any:
    """The outputs of a forward, that is not recorded."""
    with_grad = mode.grad
    mode.grad = False
    around = _enters(cls)
    try:
        if cls.setup_context is Function.setup_context:
            return guarded(cls.forward)(node, *args)
        out = guarded(cls.forward)(*args) if step is None else step.together(cls, args)
        guarded(cls.setup_context)(node, args, out)
        return out
    finally:
        mode.grad = with_grad
        _enters(around)


def _enters(function: Any) -> Any:
    """Note whose forward or backward runs from now on; whose ran."""
    tape = mode.tape
    if tape is None:
        return None
    before, tape.function = tape.function, function
    return before


def _is_floating(x: Any) -> bool:
    return isinstance(x, Tensor) and x._a.dtype.kind in "fc"


def _place_of_chance() -> Here:
    """Where in its sequence the generator of random numbers is."""
    from .random.generator import default

    return default.here()


def _names(cls: type[Function], separate: bool, count: int) -> list[str]:
    """The names that a custom function gives its arguments."""
    forward: Any = cls.forward
    # A decorator's wrapper takes whatever its function takes.
    forward = getattr(forward, "__wrapped__", forward)
    code = getattr(forward, "__code__", None)
    found = getattr(forward, "parameters", ()) if code is None else code.co_varnames[: code.co_argcount]
    # Whatever it is that a program put there for a function.
    names = found if type(found) is tuple and all(type(name) is str for name in found) else ()
    names = names if separate else names[1:]
    return [*names[:count], *map(str, range(len(names), count))]


def _all_placed(node: FunctionNode, args: tuple[Any, ...], outs: tuple[Any, ...], recorded: bool) -> tuple[Any, ...]:
    """The outputs in their places in the graph."""
    for t in node.dirty_tensors or ():
        t._counter().n += 1
    if any(all(d is not t for t in outs) for d in node.dirty_tensors or ()):
        raise EngineError(_NOT_RETURNED)
    placed: list[Any] = []
    for k, t in enumerate(outs):
        before = next((j for j in range(k) if outs[j] is t), None)
        # An input that is handed back twice is two outputs.
        handed_on = _is_among(t, args) and not _is_among(t, node.dirty_tensors or ())
        if before is None or handed_on or not isinstance(t, Tensor):
            placed.append(_place(node, args, k, t, recorded))
            continue
        # One tensor at two places is one output, the last of them.
        placed.append(placed[before])
        if placed[k].grad_fn is node:
            placed[k]._node = Output(node, k, t._a)
    return tuple(placed)


def _place(node: FunctionNode, args: tuple[Any, ...], k: int, t: Any, recorded: bool) -> Any:
    """Output ``k`` in its place in the graph."""
    if not isinstance(t, Tensor):
        return t
    dirty = any(t is d for d in node.dirty_tensors or ())
    same = any(t is a for a in args)
    plain = any(t is x for x in node.non_differentiable or ()) or t._a.dtype.kind not in "fc"
    if not recorded or plain:
        return _unrecorded(t, same, dirty)
    if dirty:
        if not same:
            warnings.warn(_NO_INPUT, stacklevel=2)
        if isinstance(t, View):
            if node.outputs > 1:
                raise EngineError(_SEVERAL_BESIDE_A_VIEW)
            from .writes.inplace import refuse_by_making, refuse_untracked

            # Before its place is asked for, which it may have lost by the write.
            refuse_by_making(t)
            refuse_untracked(t, t._node)
            return t
        if t._node is not None and t.is_leaf:
            raise EngineError("a leaf Variable that requires grad has been used in an in-place operation.")
    elif same or t._node is not None:
        # An input handed back as it came is an output of its own.
        t = _alias(t)
    if isinstance(t, View):
        # That the forward made it, where nothing is recorded, says less.
        name, t._without_grad, t._of_no_grad = node.function.__name__, False, None
        t._siblings, t._function = (name, None) if node.outputs > 1 else (None, name)
    t._node = node if node.outputs == 1 else Output(node, k, t._a)
    return t


def _unrecorded(t: Tensor, same: bool, dirty: bool) -> Tensor:
    """An output that has no gradient: an input handed back is one of its own, outside of the graph."""
    if same and t._node is not None:
        return t.detach()
    if same and not dirty:
        t = _alias(t)
    elif t._node is not None and not isinstance(t, View):
        t.detach_()
    return t


def _alias(t: Tensor) -> Any:
    """A view of all of a tensor."""
    alias: Any = _new(View)
    alias._a = t._shared_memory()
    alias._base = t if t._base is None else t._base
    alias._made = alias._base._version
    return alias


def _refuse_others(words: str, values: tuple[Any, ...]) -> None:
    """Refuse what is no tensor."""
    if not all(isinstance(x, Tensor) for x in values):
        raise EngineError(words)


def _is_among(x: Any, values: Sequence[Any]) -> bool:
    """Tell whether a tensor is one of some values."""
    return isinstance(x, Tensor) and any(x is each for each in values)


def _kept(node: FunctionNode, i: int, x: Any, outs: Sequence[Any], placed: tuple[Any, ...]) -> Any:
    """A kept tensor, as the node may hold it."""
    if x is None:
        return None
    # A view that was written to finds its place by way of its base.
    through = isinstance(x, View) and any(x is d for d in node.dirty_tensors or ())
    if x._inference:
        raise inference_kept()
    for k, t in enumerate(outs):
        if x is t and not through and placed[k]._node is not None and placed[k].grad_fn is node:
            return KeptOutput(placed[k], k)
    if x._vc is not None:
        node.extras().versions[i] = x._vc.n
    return x


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Say that a backward is not itself differentiable: a second order is an error, not a wrong number."""

    call = guarded(backward)

    def wrapper(ctx: Any, *args: Any) -> Any:
        recorded = mode.grad
        mode.grad = False
        try:
            out = call(ctx, *args)
        finally:
            mode.grad = recorded
        if not recorded or not any(isinstance(a, Tensor) and a._node is not None for a in args):
            return out
        outs = out if isinstance(out, tuple) else (out,)
        given = [a for a in args if isinstance(a, Tensor) and a._node is not None]
        blocked = tuple(None if x is None else _blocked(x, given) for x in outs)
        return blocked if isinstance(out, tuple) else blocked[0]

    return named_after(backward, wrapper)


class Error(Node):
    """The node of what must not be differentiated further."""

    __slots__ = ()
    broadcasts = True

    def name(self) -> str:
        """The name PyTorch's C++ gives this node."""
        return "torch::autograd::Error"

    def run(self, g: Any, edges: tuple[Any, ...]) -> Any:
        raise EngineError("trying to differentiate twice a function that was marked with @once_differentiable")

    run_graph = run


def _blocked(x: Tensor, args: list[Tensor]) -> Tensor:
    node = recorded(Error, tuple([a._node for a in args]), (), x._a.shape, x._a.dtype)
    t = result(x._a)
    t._node = node
    if mode.tape is not None:
        mode.tape.record(node, None, args, (x._a,), [f"grad_outputs[{i}]" for i in range(len(args))])
    return t
