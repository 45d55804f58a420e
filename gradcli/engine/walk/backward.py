"""backward() and grad(): what to start from, what to give back."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import EngineError, EngineIndexError, EngineTypeError, EngineValueError
from ..call_errors import returned_nan
from ..dtypes import DTYPES, ones_of, zeros_of
from ..flags import ANOMALY, settings
from ..graph import CUT, AccumulateGrad, BaseNode, Node, Output
from ..modes import mode
from ..numeric.meta import Meta
from ..tensor import Tensor, made_like, result
from .hooks import after_leaf
from .shares import accumulate, without_numbers
from .walk import Observer, by_tensors, called, ones_that_are_seen, walk

_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break "
    "the cycle and avoid the leak."
)


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of ``tensors`` to the leaves (or to ``inputs`` only)."""
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise EngineError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if mode.transforms:
        raise EngineError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )
    into = None if inputs is None else _at_edges(_unnamed(inputs, "backward"))
    if into is not None and not into:
        raise EngineError("`inputs` argument to `backward()` cannot be empty.")
    roots = _at_edges(tensors)
    given = _as_many(grad_tensors, len(roots))
    keep = create_graph if retain_graph is None else retain_graph
    starts = _starts(roots, given, create_graph or by_tensors())
    if create_graph:
        warnings.warn(_CYCLE, stacklevel=3)
    tape = mode.tape
    calls = None if tape is None or tape.walks else tape.backwards
    if tape is not None and calls is not None:
        calls.starting(tape, roots, given)
    if into is None:
        walk(starts, keep, create_graph, None, _observer())
    else:
        _into(into, starts, keep, create_graph)
    if calls is not None:
        calls.ended()


def _into(inputs: Sequence[Tensor], starts: Sequence[Any], keep: bool, create_graph: bool) -> None:
    """Add gradients to some tensors only."""
    for i, x in enumerate(inputs):
        if x._node is None:
            if isinstance(x, Tensor):
                raise EngineError("can't retain_grad on Tensor that has requires_grad=False")
            raise EngineError(f"One of the differentiated Tensors does not require grad (at index {i})")
        if isinstance(x, Tensor) and not x.is_leaf:
            x.retain_grad()
    captured = walk(starts, keep, create_graph, [x._node for x in inputs], _observer())
    for x, g in zip(inputs, captured, strict=True):
        # What retains its gradient has been given it on the way.
        if g is not None and not (isinstance(x, Tensor) and x.retains_grad):
            g = g if isinstance(g, Tensor) else result(g)
            x._grad = g if x._grad is None else x._grad + g


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor] | dict[str, Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of ``outputs`` with respect to ``inputs``, as new tensors; of a dictionary in another one."""
    if isinstance(inputs, Mapping):
        several = _unnamed(inputs, "grad")
        made = grad(
            outputs, several, grad_outputs, retain_graph, create_graph, only_inputs, allow_unused, is_grads_batched,
            materialize_grads,
        )  # fmt: skip
        return dict(zip(inputs, made, strict=True))
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.", FutureWarning, stacklevel=2,
        )  # fmt: skip
    if is_grads_batched:
        return _batched(
            _at_edges(outputs), grad_outputs, retain_graph, create_graph,
            lambda g, keep: grad(
                outputs, inputs, g, keep, create_graph, allow_unused=allow_unused, materialize_grads=materialize_grads
            ),
        )  # fmt: skip
    if mode.samples:
        _refuse_samples(_at_edges(outputs))
    found = gradients(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    differentiating(_at_edges(outputs), None if grad_outputs is None else _as_tuple(grad_outputs))
    return found


def differentiating(tensors: Sequence[Tensor], given: Sequence[Any] | None = None) -> None:
    """Tell whoever notes it what a program differentiates, though not what a backward of its own does on the way."""
    tape = mode.tape
    if tape is not None and tape.backwards is not None and not tape.walks:
        tape.backwards.asking(tape, tensors, given)


def gradients(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The same, for a purpose of our own: nobody notes it as what a program differentiates."""
    if materialize_grads and allow_unused is False:
        raise EngineValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    allow_unused = bool(allow_unused) or materialize_grads
    roots = _at_edges(outputs)
    leaves = _at_edges(inputs)
    if not leaves:
        raise EngineError("`inputs` argument to `grad()` cannot be empty.")
    given = _as_many(grad_outputs, len(roots))
    keep = create_graph if retain_graph is None else retain_graph
    starts = _starts(roots, given, create_graph or by_tensors())
    for x in leaves:
        if x._node is None:
            raise EngineError("One of the differentiated Tensors does not require grad")
    captured = walk(starts, keep, create_graph, [x._node for x in leaves], _observer(), into_leaves=False)
    found: list[Any] = []
    for i, (x, g) in enumerate(zip(leaves, captured, strict=True)):
        if g is None and not allow_unused:
            raise EngineError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior.",
                help="check that the output is computed from this input, outside no_grad() and detach()",
            )
        if g is None and materialize_grads:
            if isinstance(inputs, Sequence) and not isinstance(inputs[i], Tensor):
                raise EngineError("materialize_grads cannot be used when the given input is a GradientEdge")
            g = made_like(x, zeros_of(x._a.shape, x._a.dtype), create_graph)
        if g is not None and not isinstance(g, Tensor):
            g = result(g)
        if g is not None and type(x._a) is Meta and type(g._a) is not Meta:
            g = without_numbers(g)
        found.append(g)
    return tuple(found)


def _unnamed(inputs: Any, who: str) -> Any:
    """The inputs, of a dictionary its values."""
    if not isinstance(inputs, Mapping):
        return inputs
    if type(inputs) is not dict:
        raise EngineTypeError(
            f"`inputs` argument to `{who}()` must be a dict, not {type(inputs).__name__}. Other Mapping types are not "
            "supported."
        )
    return tuple(inputs.values())


def _at_edges(given: Any) -> tuple[Any, ...]:
    """Tensors, of which edges of the graph may stand for some: those that they were got from."""
    if isinstance(given, Tensor):
        return (given,)
    several = (given,) if hasattr(given, "output_nr") else given
    return tuple([x if isinstance(x, Tensor) else _at_edge(x) for x in several])


def _at_edge(edge: Any) -> Tensor:
    """A tensor whose gradient goes along an edge."""
    node: Any = getattr(edge, "node", None)
    if not isinstance(node, BaseNode):
        raise EngineError(f"all inputs have to be Tensors or GradientEdges, but got {type(edge).__name__}")
    if isinstance(node, AccumulateGrad):
        return node.variable
    assert isinstance(node, Node)
    shape, d = (node.shape, node.dtype) if node.outputs == 1 else (x[edge.output_nr] for x in (node.shape, node.dtype))
    t = result(np.broadcast_to(d.type(0), shape))
    t._node = node if node.outputs == 1 else Output(node, edge.output_nr, t._a)
    return t


def added_at(leaf: AccumulateGrad, grads: Sequence[Any]) -> tuple[()]:
    """Add the gradient given to that of a leaf, and run the hooks that wait for it."""
    _refuse_unfit(leaf, grads)
    (g,) = grads
    if g is not None:
        accumulate(leaf, g, False, mode.grad)
        after_leaf(leaf, g)
    return ()


def _refuse_unfit(node: Any, grads: Sequence[Any]) -> None:
    """Refuse gradients that are not those of a node's outputs."""
    if len(grads) != node.outputs:
        raise EngineTypeError(f"expected {node.outputs} arguments, got {len(grads)} instead")
    shapes, kinds = ((node.shape,), (node.dtype,)) if node.outputs == 1 else (node.shape, node.dtype)
    for i, (g, shape, d) in enumerate(zip(grads, shapes, kinds, strict=True)):
        if g is None:
            continue
        if not isinstance(g, Tensor):
            raise EngineTypeError(f"argument {i} is not a Variable")
        if g._a.shape != shape or g._a.dtype != (d or g._a.dtype):
            raise EngineError(
                f"grad output {i} has shape {list(g.shape)} and dtype {g.dtype}, the output has shape {list(shape)} "
                f"and dtype {DTYPES[d or g._a.dtype]}"
            )


def gradients_at(node: Node, grads: Sequence[Any]) -> Any:
    """The gradients that one node makes of those of its outputs, one for each of its inputs."""
    _refuse_unfit(node, grads)
    nothing = all(g is None for g in grads)
    shares = [None] * len(node.edges) if nothing else called(node, grads[0] if node.outputs == 1 else list(grads))
    found = tuple([x if x is None or isinstance(x, Tensor) else result(x) for x in shares])
    return found[0] if len(found) == 1 else found


def _batched(
    roots: Sequence[Tensor], grad_outputs: Any, retain_graph: bool | None, create_graph: bool, one: Any
) -> tuple[Any, ...]:
    """The gradients for each row of what is started from, stacked."""
    from .. import ops

    given = _as_many(grad_outputs, len(roots))
    for i, (root, g) in enumerate(zip(roots, given, strict=True)):
        _check_batch(i, root, g)
    sizes = [g._a.shape[0] for g in given if g is not None]
    if len(set(sizes)) > 1:
        raise EngineValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    (rows,) = set(sizes)
    keep = create_graph if retain_graph is None else retain_graph
    found = [one([None if g is None else g[i] for g in given], keep or i + 1 < rows) for i in range(rows)]
    return tuple([None if gs[0] is None else ops.joining.stack(gs) for gs in zip(*found, strict=True)])


def _check_batch(i: int, root: Tensor, g: Any) -> None:
    """Refuse a batch of gradients whose rows do not fit an output."""
    if g is None:
        if root._a.size != 1:
            raise EngineError("grad can be implicitly created only for scalar outputs")
        if root._a.ndim:
            # Each row of what it starts from by itself, which has one element, is a number.
            shape = list(root._a.shape[1:]), list(root._a.shape)
            raise EngineError(
                f"invalid gradient at index {i} - got {shape[0]} but expected shape compatible with {shape[1]}"
            )
        raise EngineValueError(
            "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
            "dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
        )
    if not g._a.ndim:
        raise EngineIndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
    if g._a.shape[1:] != root._a.shape:
        raise EngineError(
            "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. "
            "The sizes of the remaining dimensions are expected to match the shape of corresponding output, but a "
            f"mismatch was detected: grad_output[{i}] has a shape of {g.shape[2:]} and output[{i}] has a shape of "
            f"{root.shape}. If you only want some tensors in `grad_output` to be considered batched, consider using "
            "vmap."
        )


def _observer() -> Observer | None:
    """The check of every gradient in the anomaly mode."""
    return _refuse_nan if settings.get(ANOMALY) else None


def _refuse_nan(node: Any, g: Any, edges: Sequence[Any], shares: Any) -> None:
    """Refuse what a node passes on when there is a nan in it."""
    for at, share in enumerate(shares):
        a = share._a if isinstance(share, Tensor) else share
        if a is not None and np.isnan(a).any():
            lead = [i for i, (following, _) in enumerate(node.next_functions) if following is not None]
            place = lead[at] if len(lead) == len(edges) else at
            raise returned_nan(node.name(), place)


def _as_many(given: Any, count: int) -> tuple[Any, ...]:
    """The gradients to start from, one for each root."""
    if given is None:
        return (None,) * count
    several = _as_tuple(given)
    if len(several) < count:
        raise EngineError(f"got {count} tensors and {len(several)} gradients")
    # PyTorch pairs what there is of both, and looks at no gradient beyond.
    return several[:count]


def _as_tuple(x: Any) -> tuple[Any, ...]:
    return (x,) if isinstance(x, Tensor) else tuple(x)


def _starts(roots: Sequence[Any], given: Sequence[Any], create_graph: bool) -> list[tuple[Any, Any]]:
    """The edges to start from, each with its first gradient."""
    starts: list[tuple[Any, Any]] = []
    for i, (root, g) in enumerate(zip(roots, given, strict=True)):
        if not isinstance(root, Tensor):
            raise EngineTypeError(f"element {i} of tensors is not a Tensor but {type(root).__name__}")
        edge = root._node
        if edge is not None and edge.kind == CUT:
            edge = None
        a = root._a
        if g is None:
            if edge is None:
                raise _no_grad_fn(i)
            if a.dtype.kind == "c":
                raise EngineError(
                    f"grad can be implicitly created only for real scalar outputs but got {root.dtype}",
                    help="make the loss real, as with .abs() or .real, or pass gradient=",
                )
            if a.size != 1:
                raise EngineError(
                    "grad can be implicitly created only for scalar outputs",
                    help="reduce the output first, as with .sum(), or pass gradient=",
                )
            seed = ones_that_are_seen(root) if create_graph else None
            if seed is not None:
                starts.append((edge, seed))
                continue
            g = a.dtype.type(1) if a.ndim == 0 else ones_of(a.shape, a.dtype)
            if create_graph or mode.writes:
                seed = made_like(root, g)
                g = seed if create_graph else seed._a
        else:
            if not isinstance(g, Tensor):
                raise EngineTypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
            if g._a.shape != a.shape:
                raise EngineError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a "
                    f"shape of {root.shape}."
                )
            if "c" in (a.dtype.kind, g._a.dtype.kind) and g._a.dtype is not a.dtype and not mode.readings:
                raise EngineError(
                    "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
                    f"dtype: grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {root.dtype}."
                )
            if edge is None:
                raise _no_grad_fn(i)
            if not create_graph:
                g = g._a
        starts.append((edge, g))
    return starts


def _refuse_samples(roots: Sequence[Tensor]) -> None:
    """Refuse the samples of a vmap, which no graph outside of transforms leads to."""
    from ..transforms.wrapped import is_of_samples

    for i, root in enumerate(roots):
        if is_of_samples(root):
            raise _no_grad_fn(i)


def _no_grad_fn(i: int) -> EngineError:
    return EngineError(
        f"element {i} of tensors does not require grad and does not have a grad_fn",
        help="create an input with requires_grad=True, and compute outside no_grad() and detach()",
    )
