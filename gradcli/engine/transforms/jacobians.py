"""Jacobians, Hessians and their products with vectors, as torch.autograd.functional has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import EngineError, EngineNotImplementedError, EngineTypeError
from ..costs import SQUARED, costs
from ..dtypes import ones_of, zeros_of
from ..forward import duals as forward
from ..guard.outside import guarded
from ..modes import enable_grad, mode, refused_in_transforms
from ..tensor import Tensor, constants
from ..walk.backward import differentiating, gradients
from ..walk.walk import ones_that_are_seen
from .directions import bases, columns, dual, leaf_of, level

Tensors = tuple[Tensor, ...]
_STRATEGIES = ("reverse-mode", "forward-mode")


def _tuple(x: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """Tell whether ``x`` was a tuple, and give its tensors as one."""
    is_tuple = isinstance(x, tuple)
    items = tuple(x) if is_tuple else (x,)
    for i, t in enumerate(items):
        if not isinstance(t, Tensor):
            if is_tuple:
                raise EngineTypeError(
                    f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the value at "
                    f"index {i} has type {type(t)}."
                )
            raise EngineTypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the given {what} "
                f"has type {type(t)}."
            )
    return is_tuple, items


def _prepared(inputs: Tensors, create_graph: bool) -> Tensors:
    """The inputs as tensors to differentiate by: connected to the caller's graph only when asked."""
    if mode.transforms:
        raise refused_in_transforms("requires_grad_()")
    made: list[Tensor] = []
    for t in inputs:
        if create_graph and t.requires_grad:
            made.append(t.view(t.shape))
        else:
            made.append(leaf_of(t, t.detach()))
    return tuple(made)


def _finished(x: Any, create_graph: bool) -> Any:
    """The results, cut from the graph unless it was asked for."""
    if isinstance(x, tuple):
        return tuple(_finished(y, create_graph) for y in x)
    return x if create_graph or not isinstance(x, Tensor) else x.detach()


def _zeros(t: Tensor) -> Tensor:
    return constants(zeros_of(t._a.shape, t._a.dtype))


def _ones(t: Tensor) -> Tensor:
    """Ones in the shape of a tensor, of its own class where that alone has its numbers."""
    seen = ones_that_are_seen(t)
    if seen is not None:
        return seen  # type: ignore[no-any-return]
    return constants(ones_of(t._a.shape, t._a.dtype)[()])


def _grads(
    outputs: Tensors, inputs: Tensors, v: Any, create_graph: bool, strict: bool, second: bool = False,
    of: str = "The output", slopes: bool = False,
) -> Tensors:  # fmt: skip
    """Gradients with zeros for what is not used, or an error when strict: ``of`` what the gradients are then said."""
    live = [(o, g) for o, g in zip(outputs, v, strict=True) if o.requires_grad]
    if not live:
        found: Any = (None,) * len(inputs)
    else:
        found = gradients(
            [o for o, _ in live], inputs, [g for _, g in live], allow_unused=True, create_graph=create_graph,
            retain_graph=True,
        )  # fmt: skip
    made: list[Tensor] = []
    for i, (t, g) in enumerate(zip(inputs, found, strict=True)):
        if g is None:
            if strict:
                raise EngineError(
                    f"{of} of the user-provided function is independent of input {i}. This is not allowed "
                    "in strict mode."
                    if not second
                    else f"The jacobian of the user-provided function is independent of input {i}. This is not "
                    "allowed in strict mode as it prevents from using the double backward trick to replace forward "
                    "mode AD."
                )
            g = _zeros(t)
        elif strict and create_graph and not slopes and not g.requires_grad:
            raise EngineError(
                f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in "
                f"strict mode when create_graph=True."
            )
        made.append(g)
    return tuple(made)


def _outputs(func: Callable[..., Any], inputs: Tensors, strict: bool, name: str) -> tuple[bool, Tensors]:
    is_tuple, outputs = _tuple(guarded(func)(*inputs), "outputs of the user-provided function", name)
    if strict:
        for i, o in enumerate(outputs):
            if not o.requires_grad:
                raise EngineError(
                    f"Output {i} of the user-provided function does not require gradients. The outputs must be "
                    "computed in a differentiable manner from the input when running in strict mode."
                )
    return is_tuple, outputs


def _vectors(v: Any, like: Tensors, is_tuple: bool, what: str, name: str) -> Tensors:
    """The vectors of a product, checked against what they multiply."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise EngineError(
                f"The vector v can only be None if the {what} a single Tensor with a single element."
            )
        return tuple(map(_ones, like))
    _, vs = _tuple(v, "v", name)
    if len(vs) != len(like) and not is_tuple:
        raise EngineError("The given v should contain a single Tensor.")
    if len(vs) != len(like):
        raise EngineError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vs)}.")
    for i, (a, t) in enumerate(zip(vs, like, strict=True)):
        if a._a.shape != t._a.shape:
            where = f"Entry {i} in v" if is_tuple else "v"
            raise EngineError(f"{where} has invalid size: should be {t.shape} but got {a.shape}.")
    return tuple(a.detach() if not a.requires_grad else a for a in vs)


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The function's value, and the vector-Jacobian product."""
    with enable_grad():
        is_inputs, given = _tuple(inputs, "inputs", "vjp")
        xs = _prepared(given, create_graph)
        is_outputs, ys = _outputs(func, xs, strict, "vjp")
        vs = _vectors(v, ys, is_outputs, "user-provided function returns", "vjp")
    with _recording(create_graph):
        products = _grads(ys, xs, vs, create_graph, strict)
    differentiating(ys, vs)
    return _packed(ys, is_outputs, create_graph), _packed(products, is_inputs, create_graph)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The function's value, and the Jacobian-vector product, by a backward of the backward."""
    with enable_grad():
        is_inputs, given = _tuple(inputs, "inputs", "jvp")
        xs = _prepared(given, create_graph)
        vs = _vectors(v, xs, is_inputs, "input to the user-provided function is", "jvp")
        is_outputs, ys = _outputs(func, xs, strict, "jvp")
        for y in ys:
            if y._a.dtype.kind not in "fc":
                raise EngineError("Only Tensors of floating point and complex dtype can require gradients")
        duals = tuple(_zeros(y)._track(True) for y in ys)
        back = _grads(ys, xs, duals, True, strict)
    with _recording(create_graph):
        products = _grads(back, duals, vs, create_graph, strict, second=True)
    differentiating(ys)
    return _packed(ys, is_outputs, create_graph), _packed(products, is_outputs, create_graph)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian, one backward for each element of the output."""
    if strategy not in _STRATEGIES:
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        return _by_tangents(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        is_inputs, given = _tuple(inputs, "inputs", "jacobian")
        xs = _prepared(given, create_graph)
        is_outputs, ys = _outputs(func, xs, strict, "jacobian")
        blocks: list[Tensors] = []
        if vectorize and strict:
            raise EngineError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        for i, y in enumerate(ys):
            rows: list[list[Tensor]] = [[] for _ in xs]
            flat = y.reshape(-1)
            if y.is_complex() and y.requires_grad and not vectorize:
                raise EngineError(
                    f"grad can be implicitly created only for real scalar outputs but got {y.dtype}"
                )
            for j in range(y.numel()):
                one = (flat[j],)
                ones = (_ones(one[0]),)
                for k, g in enumerate(_grads(one, xs, ones, create_graph, strict, of=f"Output {i}")):
                    rows[k].append(g)
            blocks.append(tuple(_stacked(rows[k], y, x) for k, x in enumerate(xs)))
        differentiating(ys)
    return _nested(blocks, is_outputs, is_inputs, create_graph)


def _by_tangents(func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    """The Jacobian in forward mode, of one call with a direction for each element of the inputs."""
    for option, value in (("create_graph", create_graph), ("strict", strict)):
        if value:
            words = (
                f'torch.autograd.functional.jacobian: `{option}=True` and `strategy="forward-mode"` are not supported '
                f'together (yet). Please either set `{option}=False` or `strategy="reverse-mode"`.'
            )
            raise EngineNotImplementedError(words) if create_graph else EngineError(words)
    is_inputs, xs = _tuple(inputs, "inputs", "jacobian")
    if not vectorize:
        raise EngineNotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    count = sum(x.numel() for x in xs)
    with level(count) as here:
        duals = [dual(x, here, basis) for x, basis in zip(xs, bases(xs, count), strict=True)]
        is_outputs, ys = _tuple(guarded(func)(*duals), "outputs", "None")
        blocks = [[x.detach() for x in columns(y, forward.tangents_of(y, here), xs)] for y in ys]
    # PyTorch hands these on as lists.
    rows = [row if is_inputs else row[0] for row in blocks]
    return rows if is_outputs else rows[0]


def _stacked(rows: list[Tensor], y: Tensor, x: Tensor) -> Tensor:
    from ..ops.shape.joining import stack

    shape = y._a.shape + x._a.shape
    if not rows:
        return constants(zeros_of(shape, y._a.dtype))
    made: Tensor = stack(rows, 0).view(shape)
    return made


@costs("making.hessian", careful=SQUARED)
def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a function with one value."""
    is_inputs, given = _tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in _STRATEGIES:
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def slope(*xs: Tensor) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            xs = tuple([x._track(True) for x in xs])
        y = _only(_outputs(func, xs, strict, "hessian"), "hessian")
        return _slopes(y, xs, strict, False)

    blocks = jacobian(slope, given, create_graph, strict, vectorize, outer_jacobian_strategy)
    return blocks if is_inputs else blocks[0][0]


def _slopes(y: Tensor, xs: Tensors, strict: bool, all_used: bool) -> Tensors:
    """The first derivatives of one value, recorded."""
    slopes = _grads((y,), xs, (_ones(y),), True, strict and all_used, slopes=True)
    for i, g in enumerate(slopes):
        if strict and not g.requires_grad:
            raise EngineError(
                "While computing the hessian, found that the jacobian of the user-provided function with respect to "
                f"input {i} is independent of the input. This is not allowed in strict mode. You should ensure that "
                "your function is twice differentiable and that the jacobian depends on the inputs (this would be "
                "violated by a linear function for example)."
            )
    return slopes


def _only(found: tuple[bool, Tensors], name: str) -> Tensor:
    is_tuple, ys = found
    return _single(ys if is_tuple else ys[0], name)


def _single(y: Any, name: str) -> Tensor:
    is_tuple, ys = _tuple(y, "outputs of the user-provided function", name)
    if is_tuple:
        raise EngineError(f"The function given to {name} should return a single Tensor")
    if ys[0].numel() != 1:
        raise EngineError(f"The Tensor returned by the function given to {name} should contain a single element")
    return ys[0].reshape(()) if name == "hessian" and ys[0].ndim else ys[0]


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The function's value, and the vector-Hessian product."""
    with enable_grad():
        is_inputs, given = _tuple(inputs, "inputs", "vhp")
        xs = _prepared(given, create_graph)
        vs = _vectors(v, xs, is_inputs, "input to the user-provided function is", "vhp")
        y = _only(_outputs(func, xs, strict, "vhp"), "vhp")
        slopes = _slopes(y, xs, strict, True)
    with _recording(create_graph):
        products = _grads(slopes, xs, vs, create_graph, strict, second=True)
    differentiating(slopes, vs)
    return _finished(y, create_graph), _packed(products, is_inputs, create_graph)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The function's value, and the Hessian-vector product."""
    with enable_grad():
        is_inputs, given = _tuple(inputs, "inputs", "hvp")
        xs = _prepared(given, create_graph)
        vs = _vectors(v, xs, is_inputs, "input to the user-provided function is", "hvp")
        y = _only(_outputs(func, xs, strict, "hvp"), "hvp")
        slopes = _slopes(y, xs, strict, True)
        duals = tuple(_zeros(x)._track(True) for x in xs)
        back = _grads(slopes, xs, duals, True, strict, second=True)
    with _recording(create_graph):
        products = _grads(back, duals, vs, create_graph, strict, second=True)
    differentiating(slopes, vs)
    return _finished(y, create_graph), _packed(products, is_inputs, create_graph)


def _packed(items: Tensors, as_tuple: bool, create_graph: bool) -> Any:
    done = _finished(items, create_graph)
    return done if as_tuple else done[0]


def _nested(blocks: list[Tensors], outer: bool, inner: bool, create_graph: bool) -> Any:
    rows = tuple(_packed(b, inner, create_graph) for b in blocks)
    return rows if outer else rows[0]


class _recording:
    """Grad mode as it is, or on when the result is to be differentiated again."""

    def __init__(self, create_graph: bool) -> None:
        self._wanted = create_graph

    def __enter__(self) -> None:
        self._before = mode.grad
        mode.grad = self._before or self._wanted

    def __exit__(self, *_: object) -> None:
        mode.grad = self._before
