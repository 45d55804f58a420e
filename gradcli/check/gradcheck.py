"""torch.autograd.gradcheck and gradgradcheck, answered by error bars."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from ..engine.guard.outside import guarded
from ..engine.modes import enable_grad
from ..engine.ops.make.random import rand_like
from ..engine.tensor import Tensor, result
from ..engine.walk.backward import grad
from ..errors import EngineAttributeError, EngineError, EngineValueError, InputError, Unsupported
from ..verdicts import Note, NoteKind
from .arrays import Array
from .by_tangents import batched_backward, batched_forward, by_tangents
from .claims.passes import weights_of
from .judging.entries import probe
from .judging.exact_tests import changing_hooks, structural
from .judging.findings import Checked, Finding, Options
from .judging.hidden_paths import does_as_its_graph, hidden_paths
from .judging.verdict import Judged, Verdict
from .numerical_jacobian import Problem, agrees, first_words, with_pytorch_s_words
from .orders import check_subject
from .replay.subject import Subject, of_function
from .undefined_gradients import undefined

Function = Callable[..., Any]
# How far an input is moved for differences, and how far these may be from the gradient: absolutely, relatively.
Steps = tuple[float, float, float]
# The longest step of which differences are still near a slope.
_STEP = 1e-4


class Differentiable(Protocol):
    """A tensor of gradcli's or of PyTorch's."""

    @property
    def requires_grad(self) -> bool:
        """True of one that is differentiated by."""


Inputs = Differentiable | Sequence[Any]

# What agrees as far as the numbers can tell is not held against a gradient; a jvp is judged where that is asked for.
_ACCEPTED = frozenset({Verdict.UNRESOLVED, Verdict.TANGENT})
# At so many other points is looked, where PyTorch's looks at none.
_SAMPLES = 2
# So many findings are told.
_TOLD = 5
# How far an input is moved, for its size, to see whether a function without a gradient depends on it.
_MOVES = (1e-3, -1e-2, 0.1)


class GradcheckError(RuntimeError):
    """A gradient that is wrong, or that cannot be judged."""

    # As it is called where PyTorch raises it.
    __module__ = "torch.autograd.gradcheck"
    # What PyTorch says of it, if it says something: that is what a program prints.
    words_of_pytorch: str | None = None


def gradcheck(
    func: Function,
    inputs: Inputs,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Return True if the gradients of a function are right; if not, a GradcheckError says what is wrong.

    A gradient is judged by the error bar of what it is compared with, whatever ``eps``, ``atol`` and ``rtol`` are:
    these decide whether a failure is told in PyTorch's words, too, and whether differences of inputs in less than
    double precision can bear a gradient out. How much is looked at depends on how many numbers
    there are, not on ``fast_mode``. A function that is not deterministic is wrong unless ``nondet_tol`` is larger
    than 0. Tensors of gradcli have no entries that ``masked`` leaves out.
    """
    del check_grad_dtypes, fast_mode
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if _is_outside(inputs):
        _refuse("gradcheck", check_batched_forward_grad=check_batched_forward_grad, masked=masked)
        if not check_backward_ad:
            raise Unsupported(
                "torch.autograd.gradcheck: check_backward_ad=False is not supported for PyTorch's own tensors: forward "
                "mode is compared with the backward",
                help="leave check_backward_ad=True beside check_forward_ad=True",
            )
        asked = (check_undefined_grad, check_batched_grad, check_forward_ad)
        return _judged_outside(func, inputs, 1, raise_exception, nondet_tol > 0, asked)
    func = guarded(func)
    given = _tuple(inputs)
    _check_inputs(given)
    noisy = nondet_tol > 0
    problem = None
    if check_backward_ad:
        problem = _problem(func, given, 1, noisy, (eps, atol, rtol))
        problem = problem and with_pytorch_s_words(problem, func, given, eps, atol, rtol, nondet_tol)
        problem = problem or _lost_in_rounding(func, given, (eps, atol, rtol))
        if problem is None and check_undefined_grad:
            problem = undefined(func, given)
        if problem is None and check_batched_grad:
            problem = batched_backward(func, given)
    if problem is None and check_forward_ad:
        tangents = by_tangents(func, _widened(given))
        problem = _problem(tangents, given, 1, noisy, (eps, atol, rtol))
        problem = problem and with_pytorch_s_words(problem, tangents, given, eps, atol, rtol, nondet_tol)
        problem = _in_forward_mode(problem)
        if problem is None and check_batched_forward_grad:
            problem = batched_forward(func, given)
    return _answered(problem, raise_exception)


def gradgradcheck(
    func: Function,
    inputs: Inputs,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Return True if the gradients of a function's gradients are right, with respect to inputs and incoming gradients.

    ``grad_outputs`` are the gradients that arrive at the outputs, by default random ones. All else is as in gradcheck.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for name, value in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        if value and not check_rev_over_rev:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")
    if _is_outside(inputs):
        _refuse("gradgradcheck", check_fwd_over_rev=check_fwd_over_rev, masked=masked)
        return _judged_outside(func, inputs, 2, raise_exception, nondet_tol > 0, (False, check_batched_grad, False))
    func = guarded(func)
    del gen_non_contig_grad_outputs, check_grad_dtypes, fast_mode
    given = _tuple(inputs)
    _check_inputs(given)
    starts = _starts(func, given) if grad_outputs is None else _tuple(grad_outputs)
    places = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        x, arriving = args[: len(given)], args[len(given) :]
        found = grad(_outputs(func(*x)), [x[i] for i in places], arriving, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    points, noisy = (*given, *starts), nondet_tol > 0
    problem = _problem(gradients, points, 2, noisy, (eps, atol, rtol)) if check_rev_over_rev else None
    problem = problem and with_pytorch_s_words(problem, gradients, points, eps, atol, rtol, nondet_tol)
    if problem is None and check_undefined_grad and check_rev_over_rev:
        problem = undefined(gradients, points)
    if problem is None and check_batched_grad:
        problem = batched_backward(gradients, points)
    if problem is None and check_fwd_over_rev:
        tangents = by_tangents(gradients, _widened(points))
        problem = _in_forward_mode(_problem(tangents, points, 1, noisy, (eps, atol, rtol)))
    return _answered(problem, raise_exception)


def _is_outside(inputs: Any) -> bool:
    """Tell whether tensors of PyTorch itself are given."""
    from .foreign.pytorch import is_tensor

    return any(map(is_tensor, _tuple(inputs)))


def _judged_outside(
    func: Function, inputs: Any, order: int, raise_exception: bool, noisy: bool, options_on: tuple[bool, bool, bool]
) -> bool:
    """The same answer about a function of PyTorch's own tensors; ``options_on``: what is asked beyond a gradient."""
    from .foreign.choose import library_of
    from .foreign.demands import Demands, unmet
    from .foreign.judged import check_foreign

    given = _tuple(inputs)
    if not any(getattr(x, "requires_grad", False) for x in given):
        raise EngineValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    options = Options(order=order, samples=_SAMPLES)
    met: dict[Any, Any] = {}
    judged: list[Any] = []
    checked = check_foreign(library_of(func, given, {}), options, Checked("f"), judged.append, met)
    if checked.failure is not None:
        return _answered(str(checked.failure), raise_exception)
    allowed = _ACCEPTED | {Verdict.NONDETERMINISTIC} if noisy else _ACCEPTED
    asked = [x for x in checked.findings if x.order == order or (order > 1 and x.fails(options))]
    wrong = [x for x in asked if not x.passes(options) and x.verdict not in allowed]
    undefined, *others = options_on
    # All of PyTorch's own ops take gradients that are undefined.
    demands = Demands(undefined and bool(met), *others)
    if wrong or not any(demands):
        return _answered("\n".join(_lines(wrong)) if wrong else None, raise_exception)
    return _answered(unmet(judged[-1], demands, order), raise_exception)


def _in_forward_mode(problem: str | None) -> str | None:
    if problem is None:
        return None
    if not isinstance(problem, Problem):
        return f"in forward mode: {problem}"
    words = problem.words.replace("Jacobian mismatch for", "Jacobian computed with forward mode mismatch for", 1)
    return Problem(f"in forward mode: {problem.removesuffix(problem.words).rstrip()}", words)


# -- what is given -----------------------------------------------------------------------------


def _refuse(name: str, **options: Any) -> None:
    """Refuse by name what PyTorch has for its own tensors and gradcli has not."""
    for option, value in options.items():
        if value:
            raise Unsupported(f"torch.autograd.{name}: {option}=True is not supported for PyTorch's own tensors")


def _tuple(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _check_inputs(given: Sequence[Any]) -> None:
    if not any(isinstance(x, Tensor) and x.requires_grad for x in given):
        raise EngineValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for i, x in enumerate(given):
        if _is_short(x):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=3,
            )
        if isinstance(x, Tensor) and x.requires_grad and 0 in x.stride() and x.numel() > 1:
            raise EngineError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )


def _outputs(value: Any) -> list[Tensor]:
    """Return the outputs of a function that have a gradient."""
    several = _tuple(value)
    for y in several:
        if not isinstance(y, Tensor):
            raise EngineAttributeError(f"'{type(y).__name__}' object has no attribute 'requires_grad'")
    return [y for y in several if y.requires_grad]


def _starts(func: Function, given: Sequence[Any]) -> tuple[Tensor, ...]:
    """Random gradients for the outputs, between -1 and 1: those that PyTorch draws, from the program's generator."""
    with enable_grad():
        outputs = _outputs(func(*given))
    return tuple(result(_around_zero(rand_like(y)._a)).requires_grad_() for y in outputs)


def _around_zero(drawn: Any) -> Any:
    """Numbers of [0, 1) between -1 and 1, of complex ones in both parts."""
    return np.array(2 * drawn - (1 + 1j if np.iscomplexobj(drawn) else 1), drawn.dtype)


def _widened(given: Sequence[Any]) -> list[Any]:
    """The inputs in double precision."""
    return [_wide(x) if _is_moved(x) else x for x in given]


def _is_moved(x: Any) -> bool:
    """Tell whether something is a tensor of numbers that may be moved."""
    return isinstance(x, Tensor) and (x.is_floating_point() or x.is_complex())


def _wide(x: Tensor) -> Tensor:
    wide = np.complex128 if x.is_complex() else np.float64
    made = result(np.array(x._a, wide)).requires_grad_(x.requires_grad)
    made._label = x._label
    return made


# -- what is found -----------------------------------------------------------------------------


def _answered(problem: str | None, raise_exception: bool) -> bool:
    if problem is not None and raise_exception:
        error = GradcheckError(problem)
        error.words_of_pytorch = getattr(problem, "words", None)
        raise error
    return problem is None


def _problem(func: Function, given: Sequence[Any], order: int, noisy: bool, steps: Steps) -> str | None:
    """Say in words what is wrong with the gradient of a function that is itself a derivative, of an order less."""
    with enable_grad():
        if not _outputs(func(*given)):
            return _dependence(func, given)
    wide = _widened(given)
    try:
        subject = of_function(func, wide)
    except EngineError as refusal:
        if all(x is y or x._a.dtype == y._a.dtype for x, y in zip(given, wide, strict=True)):
            raise
        # What it keeps is of less than double precision, and goes with nothing else: PyTorch's differences judge.
        return None if agrees(func, given, steps) else str(refusal)
    except InputError as error:
        return str(error)
    try:
        falsified = _falsified(func, given, subject, steps)
        if falsified is not None:
            return falsified
        found = _found(subject, order)
    except InputError as error:
        # A point without a gradient, a graph that cannot be evaluated again.
        return str(error)
    allowed = _ACCEPTED | {Verdict.NONDETERMINISTIC} if noisy else _ACCEPTED
    wrong = [x for x in found if not x.passes(Options()) and x.verdict not in allowed]
    return "\n".join(_lines(wrong)) if wrong else None


def _lost_in_rounding(func: Function, given: Sequence[Any], steps: Steps) -> str | None:
    """Say what PyTorch's differences find, where inputs are of too few digits for them to agree with a gradient."""
    if not any(map(_is_short, given)):
        return None
    words = first_words(func, given, steps)
    return words and Problem("differences in less than double precision do not bear the gradient out", words)


def _is_short(x: Any) -> bool:
    return isinstance(x, Tensor) and x.requires_grad and x._a.dtype.name not in ("float64", "complex128")


def _falsified(func: Function, given: Sequence[Any], subject: Subject, steps: Steps) -> str | None:
    """Apply the hooks to the gradient: what a function's own hooks change is part of what it claims."""
    weights = [weights_of(y.tensor, 0) for y in subject.outputs]
    hooks = changing_hooks(subject, weights)
    if hooks is None:
        return None
    changed = _changed(subject, weights)
    if not changed:
        return None
    # As those of an implicit layer do; where its solver is too rough to tell, differences at the asked step do.
    if not does_as_its_graph(subject, np.random.default_rng(0)) and (
        _makes_good(subject, changed) or agrees(func, given, steps)
    ):
        return None
    words = f"{hooks} change the gradient: it is no gradient of what the function computes"
    return Note(NoteKind.HOOK, words)


def _changed(subject: Subject, weights: Sequence[Array]) -> int:
    """The number of inputs whose gradient the hooks change by more than differences of the function could tell."""
    told = [float(np.sum(np.abs(w * y))) for w, y in zip(weights, subject.numbers, strict=True)]
    rounding = float(np.finfo(np.float64).eps) * sum(told) / _STEP
    pairs = zip(subject.backward(weights, hooks=True), subject.claim(weights), strict=True)
    return sum(a is not None and (b is None or not np.all(np.abs(a - b) <= rounding)) for a, b in pairs)


def _makes_good(subject: Subject, changed: int) -> bool:
    """Tell whether the hooks add what the graph lacks, for every input whose gradient they change."""
    hidden, notes = hidden_paths(subject, np.random.default_rng(0))
    return not hidden and len({note for note in notes if note.kind is NoteKind.HOOK}) >= changed


def _found(subject: Subject, order: int) -> list[Finding]:
    if order == 1:
        checked = Checked(subject.spec)
        check_subject(subject, Options(), checked)
        return checked.findings
    # A backward that refuses to be differentiated says so here.
    subject.claim([np.ones(y.shape) for y in subject.numbers])
    rng = np.random.default_rng(0)
    found = structural(subject, rng).findings
    found += probe(subject, Options(), rng, order)
    return found if any(not x.passes(Options()) for x in found) else hidden_paths(subject, rng)[0]


def _dependence(func: Function, given: Sequence[Any]) -> str | None:
    """Say what is wrong with a function that has no gradient: its inputs must not matter to it."""
    here = _numbers(func, given)
    for move in _MOVES:
        moved = [_moved(x, move) if _is_moved(x) and x.requires_grad else x for x in given]
        there = _numbers(func, moved)
        if any(
            a.shape == b.shape and not np.array_equal(a, b, equal_nan=True) for a, b in zip(here, there, strict=False)
        ):
            return Problem(
                "the outputs have no gradient, but they depend on the inputs",
                "Numerical gradient for function expected to be zero",
            )
    return None


def _moved(x: Tensor, by: float) -> Tensor:
    a = np.asarray(x._a)
    return result(np.array(a + by * np.where(a == 0, 1, np.abs(a)), a.dtype)).requires_grad_()


def _numbers(func: Function, given: Sequence[Any]) -> list[Any]:
    with enable_grad():
        found = _tuple(func(*given))
    return [np.asarray(y._a) for y in found if _is_moved(y)]


def _lines(wrong: Sequence[Finding]) -> Iterator[str]:
    """The findings in words."""
    for finding in wrong[:_TOLD]:
        worst = finding.worst
        of = finding.output + _index(None if worst is None else worst.output_index)
        line = f"{finding.verdict}: the gradient of {of} with respect to {finding.input}"
        if worst is not None:
            line += f", worst at {finding.input}{_index(worst.index)} = {worst.at:.6g}: {_told(worst.judged)}"
        yield line
        yield from (f"  {note}" for note in finding.notes)
    if len(wrong) > _TOLD:
        yield f"and {len(wrong) - _TOLD} more"


def _index(index: tuple[int, ...] | None) -> str:
    return f"[{', '.join(map(str, index))}]" if index else ""


def _told(judged: Judged) -> str:
    parts = [f"claimed {judged.claimed:.10g}"]
    if judged.left is not None and judged.right is not None:
        parts.append(f"the slopes are {judged.left:.10g} on the left and {judged.right:.10g} on the right")
    elif np.isfinite(judged.estimate):
        parts.append(f"true {judged.estimate:.10g} ± {judged.bar:.1g}")
    if judged.note is not None:
        parts.append(judged.note)
    return ", ".join(parts)
