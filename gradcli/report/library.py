"""``gradcli.check()`` and ``gradcli.assert_gradient()``: the judge for functions that somebody has in Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, TypedDict, Unpack

from ..check.foreign.arguments import name_of
from ..check.foreign.choose import is_own, library_of, used_by
from ..check.foreign.judged import check_alone, check_foreign
from ..check.foreign.met import Met
from ..check.foreign.met_jax import Rule
from ..check.foreign.own import own
from ..check.judging.findings import Checked, Finding, Options
from ..check.judging.verdict import GRAVITY
from ..engine.tensor import Tensor
from ..errors import InputError
from ..verdicts import Note
from .check.outcome import Outcome, exit_code


class Result:
    """The verdict on a function, and all that was found: ``print(result)`` shows it as ``gradcli check`` does.

    On a terminal its lines are folded to the width of that, in a notebook to that of a page.
    """

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.findings: list[Finding] = outcome.checked.findings
        self.notes: list[Note] = outcome.checked.notes
        self.seconds = outcome.checked.seconds

    @property
    def ok(self) -> bool:
        """True if all gradients are right."""
        return self.outcome.clean

    @property
    def _gravest(self) -> Finding | None:
        return max(self.findings, key=lambda x: GRAVITY.index(x.verdict), default=None)

    @property
    def verdict(self) -> str:
        """The gravest verdict: ``PASS``, ``WRONG``, ``KINK_OK``, ..."""
        gravest = self._gravest
        return "" if gravest is None else str(gravest.verdict)

    @property
    def digits(self) -> float | None:
        """The fewest digits that were verified; None where a gradient is wrong, or all are zero."""
        known = [x.digits for x in self.findings if x.digits is not None]
        return min(known) if known and self.ok else None

    @property
    def bar(self) -> float | None:
        """The error bar of the true derivative at the worst entry."""
        gravest = self._gravest
        return None if gravest is None or gravest.worst is None else float(gravest.worst.judged.bar)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        from .colour import terminal_width

        return self._folded(terminal_width(sys.stdout, os.environ))

    def _folded(self, width: int | None) -> str:
        from .check import document

        return document("text", [self.outcome], width=width).rstrip("\n")

    def __repr__(self) -> str:
        return f"<{self.outcome.name}: {self.verdict}, {'ok' if self.ok else 'not ok'}>"

    def _repr_html_(self) -> str:
        from html import escape

        from .diagnostic import WIDTH_OFF_TERMINAL

        colour = "#1a7f37" if self.ok else "#cf222e"
        style = f"border-left: 4px solid {colour}; padding-left: 1em; overflow-x: auto"
        return f'<pre style="{style}">{escape(self._folded(WIDTH_OFF_TERMINAL))}</pre>'


class Choices(TypedDict, total=False):
    """The options of ``check``."""

    grad: Callable[..., Any] | bool | None
    vjp: Callable[..., Any] | None
    jac: Callable[..., Any] | None
    jvp: Callable[..., Any] | None
    name: str
    train: bool
    order: int
    samples: int
    strict: bool
    digits: int | None
    every_entry: bool
    seed: int


def check(
    function: Callable[..., Any],
    x: Any,
    *,
    grad: Callable[..., Any] | bool | None = None,
    vjp: Callable[..., Any] | None = None,
    jac: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
    name: str = "",
    train: bool = False,
    order: int = 1,
    samples: int = 4,
    strict: bool = False,
    digits: int | None = None,
    every_entry: bool = False,
    seed: int = 0,
) -> Result:
    """Judge the gradient of a function of NumPy's arrays, PyTorch's tensors or JAX's arrays.

    ``x``: an array, a tuple of several arguments, or a dict of them by name. The gradient is that of autograd or of
    ``jax.vjp``, or the one that is given: ``grad(*x)`` of a number (or of the sum of an array), ``jac(*x)``,
    ``vjp(*x, *cotangents)``, ``jvp(*x, *tangents)``; ``grad=True`` where the function returns (value, gradient).
    ``train`` leaves a module in training mode. What cannot be judged at all is an InputError.
    """
    _refuse_smaller(order=order, samples=samples, digits=1 if digits is None else digits, seed=seed)
    options = Options(order=order, samples=samples, strict=strict, digits=digits, every_entry=every_entry, seed=seed)
    derivatives = {"grad": grad, "vjp": vjp, "jac": jac, "jvp": jvp}
    given = x.values() if isinstance(x, Mapping) else x if isinstance(x, tuple) else (x,)
    is_given = any(value is not None for value in derivatives.values())
    if any(isinstance(value, Tensor) for value in given) or (not is_given and is_own(used_by(function))):
        checked = own(function, x, options, Checked(name or name_of(function)), train)
        return Result(Outcome(checked.spec, checked, options, in_python=True))
    make = library_of(function, x, derivatives, name, train=train)
    checked = check_foreign(make, options, Checked(name or make("own").name))
    if checked.failure is not None:
        raise checked.failure
    if not checked.findings:
        raise InputError("there is nothing to check: no gradient of anything", code="G114")
    return Result(Outcome(checked.spec, checked, options, in_python=True))


# The least that a number may be.
_LEAST = {"order": 1, "samples": 0, "digits": 1, "seed": 0}


def _refuse_smaller(**numbers: Any) -> None:
    """Refuse numbers of which nothing could come."""
    for name, value in numbers.items():
        if not isinstance(value, Integral) or value < _LEAST[name]:
            words = f"{name}= takes a whole number from {_LEAST[name]} on, not {value!r}"
            raise InputError(words, help=f"leave {name}= out")


def assert_gradient(function: Callable[..., Any], x: Any, **options: Unpack[Choices]) -> None:
    """Raise an AssertionError that says what is wrong with a function's gradient; it takes what ``check`` takes."""
    result = check(function, x, **options)
    if not result.ok:
        raise AssertionError(str(result))


def alone(met: Met | Rule) -> Result:
    """Judge a custom Function of PyTorch or JAX alone, on the arguments that it met."""
    checked = check_alone(met, Options())
    return Result(Outcome(checked.spec, checked, Options(), in_python=True))


__all__ = ["Result", "alone", "assert_gradient", "check", "exit_code"]
