"""A Jacobian of differences beside that of a backward, as PyTorch's gradcheck compares them: for its words."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..engine.guard.outside import guarded
from ..engine.modes import enable_grad, no_grad
from ..engine.tensor import Tensor, result
from ..engine.walk.backward import gradients
from ..errors import EngineValueError, Unsupported

Call = Callable[..., Any]

# Jacobians of more numbers are not written down for a message.
_MOST = 2000
# What PyTorch tells whoever writes an op that is not deterministic.
_WHAT_TO_DO = """

NOTE: If your op relies on non-deterministic operations i.e., it is listed here:
https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
this failure might be expected.

If you are adding a new operator, please file an issue and then use one of the
workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.
If the test
- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck
  with `nondet_tol=<tol>` as a keyword argument.
- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test
  to have `gradcheck_nondet_tol=<tol>`.
- is a Module test (e.g., in common_nn.py), then modify the corresponding
  module_test entry to have `gradcheck_nondet_tol=<tol>`
"""
# What is looked at of complex outputs, in PyTorch's order.
_PARTS = ("imaginary", "real")


class Problem(str):
    """The words for a gradient that is wrong, and those of PyTorch."""

    __slots__ = ("words",)
    words: str

    def __new__(cls, problem: str, words: str) -> Problem:
        made = super().__new__(cls, f"{problem}\n{words}")
        made.words = words
        return made


def with_pytorch_s_words(
    problem: str, func: Call, given: Sequence[Any], eps: float, atol: float, rtol: float, nondet_tol: float
) -> str:
    """The problem, and what PyTorch would say of it, where its way finds it, too."""
    places, ys = _in_and_out(func, given)
    if _is_too_much(given, places, ys):
        return problem
    words = _not_again(given, places, ys, nondet_tol) or _first_mismatch(func, given, places, ys, (eps, atol, rtol))
    words = words or _not_linear(given, places, ys)
    return problem if words is None else Problem(problem, words)


def agrees(func: Call, given: Sequence[Any], steps: tuple[float, float, float]) -> bool:
    """Tell whether the backward agrees with differences, as far as the step and the tolerances that are asked for."""
    places, ys = _in_and_out(func, given)
    return not _is_too_much(given, places, ys) and _first_mismatch(func, given, places, ys, steps) is None


def first_words(func: Call, given: Sequence[Any], steps: tuple[float, float, float]) -> str | None:
    """PyTorch's words for the first difference that the backward does not agree with; None where there is none."""
    places, ys = _in_and_out(func, given)
    return None if _is_too_much(given, places, ys) else _first_mismatch(func, given, places, ys, steps)


def _in_and_out(func: Call, given: Sequence[Any]) -> tuple[list[int], list[Tensor]]:
    """The places of the inputs that are differentiated by, and the outputs that have a gradient."""
    with enable_grad():
        ys = _outputs(func(*given))
    return [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad], ys


def _is_too_much(given: Sequence[Any], places: list[int], ys: list[Tensor]) -> bool:
    return not ys or sum(given[i].numel() for i in places) * sum(y.numel() for y in ys) > _MOST


def _first_mismatch(
    func: Call, given: Sequence[Any], places: list[int], ys: list[Tensor], steps: tuple[float, float, float]
) -> str | None:
    parts = _PARTS if any(y.is_complex() for y in ys) else ("",)
    found = (_mismatch(func, given, places, part, steps) for part in parts)
    return next((words for words in found if words is not None), None)


def _parts_of(found: Any, part: str) -> list[Tensor]:
    """The outputs; of those that are complex one part."""
    return [getattr(y, part[:4]) if y.is_complex() else y for y in _outputs(found)]


def _outputs(found: Any) -> list[Tensor]:
    several = found if isinstance(found, (tuple, list)) else (found,)
    return [y for y in several if isinstance(y, Tensor) and y.requires_grad]


def _mismatch(
    func: Call, given: Sequence[Any], places: list[int], part: str, steps: tuple[float, float, float]
) -> str | None:
    eps, atol, rtol = steps
    with enable_grad():
        found = func(*given)
        ys = _parts_of(found, part)
    seen = [f"While considering the {part} part of complex outputs only, " * y.is_complex() for y in _outputs(found)]
    analytical = _analytical(given, places, ys)
    sizes = [y.numel() for y in ys]
    numerical = [_numerical(func, given, place, part, sizes, eps) for place in places]
    for i in range(len(ys)):
        for j in range(len(places)):
            a, n = analytical[i][j], numerical[j][i]
            if not np.allclose(a, n, rtol, atol):
                return (
                    f"{seen[i]}Jacobian mismatch for output {i} with respect to input {j},\n"
                    f"numerical:{result(n)}\nanalytical:{result(a)}\n"
                )
    return None


def _analytical(given: Sequence[Any], places: list[int], ys: list[Tensor]) -> list[list[Any]]:
    """For each output and each input the Jacobian that the backward claims, a column for each element of the output."""
    found = []
    for y in ys:
        blocks = [np.zeros((given[i].numel(), y.numel()), given[i]._a.dtype) for i in places]
        for k in range(y.numel()):
            one = np.zeros(y.numel(), y._a.dtype)
            one[k] = 1
            for block, g in zip(blocks, _grads(y, one, given, places), strict=True):
                block[:, k] = 0 if g is None else np.ravel(g._a)
        found.append(blocks)
    return found


def _grads(y: Tensor, v: Any, given: Sequence[Any], places: list[int]) -> tuple[Any, ...]:
    start = result(v.reshape(y._a.shape))
    return gradients(y, [given[i] for i in places], start, retain_graph=True, allow_unused=True)


def _numerical(
    func: Call, given: Sequence[Any], place: int, part: str, sizes: list[int], eps: float
) -> list[Any]:
    """For each output the Jacobian of differences by one input, a column for each element of the output."""
    x = given[place]
    blocks = [np.zeros((x.numel(), size), x._a.dtype) for size in sizes]
    for k in range(x.numel()):
        # A complex number is moved along both axes.
        for direction in (1, 1j) if x.is_complex() else (1,):
            ends = []
            for step in (eps, -eps):
                moved = np.array(x._a)
                moved.reshape(-1)[k] += step * direction
                args = [result(moved)._track(True) if i == place else a for i, a in enumerate(given)]
                with enable_grad():
                    found = _parts_of(func(*args), part)
                ends.append([np.ravel(y._a) for y in found])
            for block, a, b in zip(blocks, *ends, strict=False):
                block[k] += direction * (a - b) / (2 * eps)
    return blocks


def _not_again(given: Sequence[Any], places: list[int], ys: list[Tensor], nondet_tol: float) -> str | None:
    first, second = (_analytical(given, places, ys) for _ in range(2))
    if all(
        np.max(np.abs(a - b), initial=0) <= nondet_tol
        for row, other in zip(first, second, strict=True) for a, b in zip(row, other, strict=True)
    ):  # fmt: skip
        return None
    return (
        "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
        "different values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism "
        f"was {nondet_tol}.{_WHAT_TO_DO}"
    )


def _not_linear(given: Sequence[Any], places: list[int], ys: list[Tensor]) -> str | None:
    for y in ys:
        with no_grad():
            found = _grads(y, np.zeros(y.numel(), y._a.dtype), given, places)
        if any(g is not None and np.any(g._a) for g in found):
            return "backward not multiplied by grad_output"
    return None


# -- what programs may call themselves -----------------------------------------------------------


def _warn_of(name: str, grad_out: float) -> None:
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will "
        "be removed in a future version of PyTorch. If you have a specific use for this or feature request for this "
        "to be a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new",
        FutureWarning,
        stacklevel=3,
    )
    if grad_out != 1.0:
        raise EngineValueError(
            f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0."
        )


def _as_tuple(given: Any) -> tuple[Any, ...]:
    return (given,) if isinstance(given, Tensor) else tuple(given)


def get_numerical_jacobian(
    fn: Call, inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """The Jacobians of differences of a function's first output, by each of its inputs that has a gradient."""
    _warn_of("get_numerical_jacobian", grad_out)
    given = _as_tuple(inputs)
    wanted = given if target is None else _as_tuple(target)
    places = [next((i for i, x in enumerate(given) if x is t), None) for t in wanted if t.requires_grad]
    call = guarded(fn)

    def first(*args: Any) -> Any:
        found = call(args)
        return found if isinstance(found, Tensor) else found[0]

    with enable_grad():
        size = first(*given).numel()
    found = []
    for place in places:
        if place is None:
            raise Unsupported("get_numerical_jacobian: a target that is none of the inputs is not supported")
        found.append(result(_numerical(first, given, place, "", [size], eps)[0]))
    return tuple(found)


def _get_numerical_jacobian(
    fn: Call, inputs: Any, outputs: Any = None, target: Any = None, eps: float = 1e-3, is_forward_ad: bool = False
) -> list[tuple[Tensor, ...]]:
    """For each target that has a gradient the Jacobians of differences of a function's outputs.

    A target need not be among the inputs: its numbers are moved where they are.
    """
    del outputs, is_forward_ad
    given, call = _as_tuple(inputs), guarded(fn)
    wanted = given if target is None else target
    return [_moved_in_place(lambda: _as_tuple(call(*given)), t, eps) for t in _iter_tensors(wanted, True)]


def _moved_in_place(call: Callable[[], Sequence[Any]], t: Tensor, eps: float) -> tuple[Tensor, ...]:
    if t.is_complex():
        raise Unsupported("_get_numerical_jacobian: complex targets are not supported")
    numbers, rows = t.data, []
    for index in np.ndindex(*t.shape):
        before, ends = numbers[index].item(), []
        for step in (eps, -eps):
            numbers[index] = before + step
            ends.append([np.array(y._a).ravel() for y in call()])
        numbers[index] = before
        rows.append([(a - b) / (2 * eps) for a, b in zip(*ends, strict=True)])
    return tuple(result(np.stack(blocks)) for blocks in zip(*rows, strict=True))


def _iter_tensors(x: Any, only_requiring_grad: bool = False) -> Iterator[Tensor]:
    """The tensors in what holds some."""
    if isinstance(x, Tensor):
        if x.requires_grad or not only_requiring_grad:
            yield x
    elif isinstance(x, Iterable) and not isinstance(x, str):
        for part in x:
            yield from _iter_tensors(part, only_requiring_grad)


def get_analytical_jacobian(
    inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """The Jacobians that a backward claims; whether it does so twice, and whether shapes and dtypes fit."""
    _warn_of("get_analytical_jacobian", grad_out)
    if output.is_complex():
        raise EngineValueError(
            "Expected output to be non-complex. get_analytical_jacobian no longer supports functions that return "
            "complex outputs."
        )
    given = _as_tuple(inputs)
    places = [i for i, x in enumerate(given) if x.requires_grad]
    (claimed,) = _analytical(given, places, [output])
    again = _not_again(given, places, [output], nondet_tol) is None
    # A gradient of another shape or dtype is refused where it arises.
    return tuple(map(result, claimed)), again, True, True
