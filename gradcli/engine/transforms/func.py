"""torch.func: functions made of functions. The ordinary backward and the ordinary call do the work.

Values are those of PyTorch. Where the result of a transform is recorded because something outside of it requires a
gradient, the graph is that of each sample, and its nodes have other names than PyTorch's batched ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...errors import EngineError, EngineTypeError, EngineValueError
from .. import ops
from ..dtypes import ones_of, zeros_of
from ..forward import duals as forward
from ..forward.levels import refuse_within_a_level
from ..forward.pushing import stand_ins
from ..function import Function as AutogradFunction
from ..graph import node_of
from ..guard.outside import guarded, named_after
from ..modes import inference_mode, mode, refuse_of_samples
from ..random.generator import default
from ..tensor import Tensor, constants, made_like
from ..walk.backward import differentiating, gradients as _gradients
from .captured import transforming
from .directions import bases, columns, dual, leaf_of, level, refuse_whole, slope_of
from .pytree import tree_flatten, tree_structure
from .samples import drawn
from .trees import leaves, like, mapped, shown_tree
from .vmap import check_how, vmap
from .wrapped import depths, nodes_of

Function = Callable[..., Any]

_NO_DUALS_OF_SAMPLES = (
    "Batching rule not implemented for aten::_make_dual; the fallback path doesn't work on out= or view ops."
)


# -- inputs to differentiate by, and results that leave a transform ----------------------------------


class _Inputs:
    """Arguments of a function, some of which are differentiated by."""

    def __init__(self, args: tuple[Any, ...], argnums: Any) -> None:
        self.depth = mode.transforms
        places = _places(argnums, len(args))
        self.args = tuple([mapped(self._tracked, a) if i in places else a for i, a in enumerate(args)])
        self.chosen = tuple([self.args[i] for i in places])
        self.one = isinstance(argnums, int)
        self.tensors = list(leaves(self.chosen))

    def _tracked(self, x: Any) -> Tensor:
        if not isinstance(x, Tensor):
            raise EngineValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        tracked: Tensor = x.view(x.shape) if x.requires_grad else leaf_of(x, forward.hand_on(x, x.detach()))
        depths[node_of(tracked._node)] = self.depth
        return tracked

    def shaped(self, found: Any) -> Any:
        """The results for each tensor, nested as the arguments held them."""
        rest = iter(found)
        parts = tuple([mapped(lambda _: next(rest), x) for x in self.chosen])
        return parts[0] if self.one else parts

    def gradients(self, y: Any, g: Any = None, keep: bool = True) -> list[Tensor]:
        """The gradients of outputs, to be differentiated further; zeros for what is not used."""
        ys = [y] if isinstance(y, Tensor) else y
        gs = [None] * len(ys) if g is None else g
        live = [(a, b) for a, b in zip(ys, gs, strict=True) if a.requires_grad]
        if not live:
            return [made_like(x, zeros_of(x._a.shape, x._a.dtype)) for x in self.tensors]
        found = _gradients(
            [a for a, _ in live], self.tensors, [b for _, b in live], keep, create_graph=True, allow_unused=True
        )
        return [
            made_like(x, zeros_of(x._a.shape, x._a.dtype)) if g is None else g
            for x, g in zip(self.tensors, found, strict=True)
        ]

    def released(self, tree: Any, record: bool) -> Any:
        """Results, recorded only as far as something outside of the transform requires a gradient."""
        return mapped(lambda x: self._released(x, record), tree)

    def _released(self, x: Any, record: bool) -> Any:
        if not isinstance(x, Tensor) or not x.requires_grad:
            return x
        if record and self._reaches_out(x):
            return x
        return forward.hand_on(x, x.detach(), lambda tangent: self._released(tangent, record))

    def _reaches_out(self, x: Tensor) -> bool:
        """Tell whether a tensor was computed from leaves of further out: not its own, nor another sample's."""
        ends = [node for node in nodes_of(x) if not node.next_functions and node not in stand_ins]
        return any(depths.get(node, -1) < self.depth for node in ends)


def _places(argnums: Any, count: int) -> list[int]:
    """The places of the arguments that are differentiated by."""
    if not isinstance(argnums, (int, tuple)):
        raise EngineError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    wrong = [n for n in numbers if not isinstance(n, int)]
    if wrong:
        raise EngineError(f"argnum must be int, got: {type(wrong[0])}")
    if argnums == () and count:
        raise EngineError("argnums must be non-empty")
    for n in numbers:
        if not -count <= n < count:
            raise EngineError(f"Got argnum={n}, but only {count} positional inputs")
    places = [n % count for n in numbers]
    if len(set(places)) != len(places):
        raise EngineError(f"argnums elements must be unique, got {argnums}")
    return places


def _output(name: str, y: Any) -> Tensor:
    if not isinstance(y, Tensor):
        raise EngineError(f"{name}: Expected f(*args) to return a Tensor, got {type(y)}")
    if y.ndim:
        raise EngineError(
            f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with {y.ndim} dims. Maybe you wanted to "
            "use the vjp or jacrev APIs instead?"
        )
    return y


def _with_aux(name: str, y: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return y, None
    if not isinstance(y, tuple) or len(y) != 2:
        raise EngineError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    for x in leaves(y[1]):
        if not isinstance(x, Tensor):
            raise EngineError(f"Expected tensors, got unsupported type {type(x)}")
    return y


# -- gradients ---------------------------------------------------------------------------------------


def grad_and_value(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """A function that gives the gradient of ``func``, and its value."""
    name = "grad_and_value(f)(*args)"
    call = guarded(func)

    def differentiated(*args: Any, **kwargs: Any) -> Any:
        record = mode.grad
        with inference_mode(False):
            inputs = _Inputs(args, argnums)
            with transforming(func, args):
                y = call(*inputs.args, **kwargs)
            y, aux = _with_aux(name, y, has_aux)
            found = inputs.shaped(inputs.gradients(_output(name, y)))
            differentiating([y])
        found, y, aux = (inputs.released(x, record) for x in (found, y, aux))
        return (found, (y, aux)) if has_aux else (found, y)

    return named_after(func, differentiated)


def grad(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """A function that gives the gradient of ``func``."""
    both = grad_and_value(func, argnums, has_aux)

    def differentiated(*args: Any, **kwargs: Any) -> Any:
        found, y = both(*args, **kwargs)
        return (found, y[1]) if has_aux else found

    return named_after(func, differentiated)


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """The value of ``func``, and a function that gives products of vectors with its Jacobian."""
    record = mode.grad
    with inference_mode(False):
        inputs = _Inputs(primals, tuple(range(len(primals))))
        with transforming(func, primals):
            y = guarded(func)(*inputs.args)
        y, aux = _with_aux("vjp(f, *primals)", y, has_aux)
        _only_tensors(y)
        _only_of_numbers(y)
    outputs = list(leaves(y))

    def product(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        del create_graph
        if not like(cotangents, y):
            raise EngineError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {shown_tree(cotangents)}, primal output: {shown_tree(y)}"
            )
        given = list(leaves(cotangents))
        for i, (g, out) in enumerate(zip(given, outputs, strict=True)):
            if not isinstance(g, Tensor):
                raise EngineTypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
            if g.shape != out.shape:
                raise EngineError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of "
                    f"{out.shape}."
                )
        recording = mode.grad
        with inference_mode(False):
            found = inputs.shaped(inputs.gradients(outputs, given, retain_graph))
            differentiating(outputs, given)
        return inputs.released(found, recording)

    value = inputs.released(y, record)
    return (value, product, inputs.released(aux, record)) if has_aux else (value, product)


def _only_tensors(y: Any, name: str = "vjp(f, *primals)", may_be_empty: bool = False) -> None:
    given = list(leaves(y))
    if not given and not may_be_empty:
        raise EngineError(
            f"{name}: Expected f to be a function that has non-empty output (got output = {tree_flatten(y)[0]})"
        )
    for x in given:
        if not isinstance(x, Tensor):
            raise EngineError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(x)}"
            )


def _only_of_numbers(y: Any) -> None:
    """Refuse what no gradient can be given for."""
    for x in leaves(y):
        if x._a.dtype.kind not in "fc":
            raise EngineError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{x.dtype}"
            )


def _only_real(name: str, which: str, tree: Any) -> None:
    """Refuse complex numbers, of which there are two derivatives."""
    for i, x in enumerate(tree_flatten(tree)[0]):
        if isinstance(x, Tensor) and x.is_complex():
            raise EngineError(
                f"{name}: Expected all {which} to be real but received complex tensor at flattened input idx: {i}"
            )


def jvp(func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of ``func``, and the product of its Jacobian with a vector."""
    name = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise EngineError(f"{name}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    if not like(primals, tangents):
        raise EngineError(
            f"{name}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {tree_structure(primals)} and "
            f"tangents with structure {tree_structure(tangents)}"
        )
    if not list(leaves(primals)):
        raise EngineError(f"{name}: Expected primals to contain at least one Tensor.")
    for what, tree in (("primals", primals), ("tangents", tangents)):
        for x in leaves(tree):
            if not isinstance(x, Tensor):
                raise EngineError(f"{name}: Expected {what} to only contain Tensors, got {type(x)}")
    with level(1) as here:
        given = iter(list(leaves(tangents)))
        duals = mapped(lambda x: dual(x, here, (next(given),)), primals)
        with transforming(func, primals, backward=False):
            y = guarded(func)(*duals)
        y, aux = _with_aux(name, y, has_aux)
        _only_tensors(y, name)
        slopes = mapped(lambda t: slope_of(t, here, strict), y)
    y = mapped(lambda t: ops.views.alias(t) if t.requires_grad else t, y)
    return (y, slopes, aux) if has_aux else (y, slopes)


def linearize(func: Function, *primals: Any) -> Any:
    """The value of ``func``, and a function that gives products of its Jacobian there with vectors.

    The tangent is recorded as a function of the vectors, in which it is linear: it is its own derivative.
    """
    flat = list(leaves(primals))
    refuse_whole("primal", flat)
    refuse_within_a_level()
    refuse_of_samples(_NO_DUALS_OF_SAMPLES, *flat)
    with inference_mode(False):
        free = [constants(zeros_of(x._a.shape, x._a.dtype))._track(True) for x in flat]
    with level(1, recorded=True) as here:
        moving = iter([ops.converting.clone(v) for v in free])
        duals = mapped(lambda x: dual(_copy_in_place_of(x), here, (next(moving),)), primals)
        # It may write to what it has from around it, as far as PyTorch looks.
        with transforming(None, primals, backward=False):
            y = guarded(func)(*duals)
        _only_tensors(y, "linearize(f, *primals)", may_be_empty=True)
        slopes = [slope_of(t, here, False) for t in leaves(y)]
    live = [slope for slope in slopes if slope.requires_grad]
    with inference_mode(False):
        weights = [constants(ones_of(t._a.shape, t._a.dtype))._track(True) for t in live]
        shares = _gradients(live, free, weights, create_graph=True, materialize_grads=True) if live else []

    def product(*tangents: Any) -> Any:
        if not like(primals, tangents):
            raise EngineError(
                f"Expected the tangents {tree_structure(tangents)} to have the same argspec as the primals "
                f"{tree_structure(primals)}"
            )
        for i, (v, x) in enumerate(zip(leaves(tangents), flat, strict=True)):
            for what, of_tangent, of_primal in (("shape", v.shape, x.shape), ("dtype", v.dtype, x.dtype)):
                if of_tangent != of_primal:
                    raise EngineError(
                        f"tangent:{i} with {what} {of_tangent} in flattened pytree doesn't match the {what} "
                        f"{of_primal} of the corresponding primal."
                    )
        vectors = list(leaves(tangents))
        if live and mode.grad and any(x.requires_grad for x in flat) and any(v.requires_grad for v in vectors):
            rest = iter(_Product.apply(along, gradient, *vectors))
        else:
            rest = iter(along(vectors))
        return mapped(lambda _: next(rest), y)

    def gradient(gs: Any) -> Any:
        """The gradient of the products by the vectors."""
        gs = [g for g, slope in zip(gs, slopes, strict=True) if slope.requires_grad]
        return _gradients(live, free, gs, retain_graph=True, materialize_grads=True)

    def along(vectors: Any) -> tuple[Tensor, ...]:
        """The products with some vectors."""
        given = [(s, v) for s, v in zip(shares, vectors, strict=False) if s.requires_grad]
        found: dict[int, Tensor] = {}
        if given:
            products = _gradients(
                [s for s, _ in given], weights, [v for _, v in given], retain_graph=True, materialize_grads=True,
                create_graph=mode.grad and any(v.requires_grad for _, v in given),
            )  # fmt: skip
            found = {id(t): x for t, x in zip(live, products, strict=True)}
        return tuple([found.get(id(t), t.detach()) for t in slopes])

    return y, product


class _Product(AutogradFunction):
    """Products with vectors, whose gradients go to those: what the primals were made of is no part of them."""

    @staticmethod
    def forward(ctx: Any, along: Any, gradient: Any, *vectors: Tensor) -> Any:
        """The products."""
        ctx.gradient = gradient
        return along(vectors)

    @staticmethod
    def backward(ctx: Any, *gs: Any) -> Any:
        """The products of the gradients and the Jacobian."""
        return None, None, *ctx.gradient(gs)


def _copy_in_place_of(x: Tensor) -> Tensor:
    """A copy with the place of a tensor in the graph: what is written to that later is nothing to it."""
    made: Tensor = ops.converting.clone(x.detach())
    made._node = x._node
    return made


# -- Jacobians ---------------------------------------------------------------------------------------


def jacrev(
    func: Function, argnums: Any = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Function:  # fmt: skip
    """A function that gives the Jacobian of ``func``, one backward for each element of its value."""
    del _preallocate_and_copy
    if chunk_size is not None and chunk_size <= 0:
        raise EngineValueError("jacrev: `chunk_size` should be greater than 0.")
    call = guarded(func)

    def jacobian(*args: Any) -> Any:
        record = mode.grad
        _only_real("jacrev", "inputs", args)
        with inference_mode(False):
            inputs = _Inputs(args, argnums)
            with transforming(func, args):
                y = call(*inputs.args)
            y, aux = _with_aux("vjp(f, *primals)", y, has_aux)
            _only_tensors(y)
            _only_of_numbers(y)
            _only_real("jacrev", "outputs", y)
            found = mapped(lambda out: inputs.shaped(_rows(inputs, out, record)), y)
            differentiating(list(leaves(y)))
        found = inputs.released(found, record)
        return (found, inputs.released(aux, record)) if has_aux else found

    return named_after(func, jacobian)


def _rows(inputs: _Inputs, y: Any, record: bool) -> Iterator[Any]:
    """For each tensor that is differentiated by, the gradients of all elements, stacked."""
    count = y.numel()
    if not count:
        return iter([made_like(x, zeros_of((*y.shape, *x.shape), x._a.dtype)) for x in inputs.tensors])
    each = zeros_of((count, count), y._a.dtype)
    np.fill_diagonal(each, 1)

    def row(g: Any) -> Any:
        return inputs.released(inputs.gradients([y], [g]), record)

    rows = vmap(row)(constants(each.reshape(count, *y.shape)))
    return (x.reshape((*y.shape, *x.shape[1:])) for x in rows)


def jacfwd(
    func: Function, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Function:
    """A function that gives the Jacobian of ``func``, called once with a direction for each element it is taken by."""
    call = guarded(func)

    def jacobian(*args: Any) -> Any:
        check_how(randomness, None)
        _only_real("jacfwd", "inputs", args)
        places = _places(argnums, len(args))
        by = [x for place in places for x in leaves(args[place])]
        for x in by:
            if not isinstance(x, Tensor):
                raise EngineError(f"jacfwd: Expected all inputs to be Tensors, got {type(x)}")
        count = sum(x.numel() for x in by)
        with level(count) as here:
            basis = iter(bases(by, count))
            duals = [mapped(lambda x: dual(x, here, next(basis)), x) if i in places else x for i, x in enumerate(args)]
            before = default.get_state()
            with transforming(func, args, backward=False):
                y = call(*duals)
            if randomness == "error" and not default.get_state().equal(before):
                default.set_state(before)
                raise drawn()
            y, aux = _with_aux("jvp(f, primals, tangents)", y, has_aux)
            _only_tensors(y, "jvp(f, primals, tangents)")
            _only_real("jacfwd", "outputs", y)
            rows = [forward.tangents_of(t, here) for t in leaves(y)]

        def shaped(found: Any) -> Any:
            rest = iter(found)
            parts = tuple([mapped(lambda _: next(rest), args[place]) for place in places])
            return parts[0] if isinstance(argnums, int) else parts

        found = iter([shaped(columns(t, row, by)) for t, row in zip(leaves(y), rows, strict=True)])
        made = mapped(lambda _: next(found), y)
        return (made, aux) if has_aux else made

    return named_after(func, jacobian)


def hessian(func: Function, argnums: Any = 0) -> Function:
    """A function that gives the second derivatives of ``func``."""
    return jacfwd(jacrev(func, argnums), argnums)
