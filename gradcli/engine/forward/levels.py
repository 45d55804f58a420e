"""torch.autograd.forward_ad: dual numbers, made and taken apart by a program itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, ClassVar, NamedTuple, TypeVar

from ...errors import EngineError, EngineTypeError, EngineValueError, Unsupported
from .. import ops
from ..modes import _Switch, mode
from ..tensor import Tensor
from . import duals as dual_numbers

F = TypeVar("F", bound=Callable[..., Any])

_LAST_ONLY = "Trying to exit a forward AD level that was not the last one that was created. This is not supported."


_NESTED = "Nested forward mode AD is not supported at the moment"


class UnpackedDualTensor(NamedTuple):
    """A dual tensor taken apart: its value, and its tangent if it has one."""

    primal: Tensor
    tangent: Tensor | None


def __getattr__(name: str) -> int:
    if name == "_current_level":
        return (_depth() or _set_fwd_grad_enabled.hidden) - 1
    raise AttributeError(f"module 'torch.autograd.forward_ad' has no attribute {name!r}")


def enter_dual_level() -> int:
    """Enter a level of dual numbers; there is one at a time."""
    refuse_within_a_level()
    dual_numbers.enter(by_hand=True)
    return 0


def refuse_within_a_level() -> None:
    """Refuse what has a level of its own where there is one."""
    if _depth():
        raise EngineError(_NESTED)


def refuse_nesting() -> None:
    """Refuse to enter another level inside of one that the program entered itself."""
    if mode.duals is not None and any(level.by_hand for level in mode.duals.levels):
        raise EngineError(_NESTED)


def exit_dual_level(*, level: int | None = None) -> None:
    """Leave the level: the tangents are gone."""
    last = _depth() - 1
    if level is None:
        level = last
    if level < 0:
        raise EngineError("Dual level must be a positive number.")
    if level != last:
        raise EngineError(_LAST_ONLY)
    dual_numbers.leave(mode.duals.levels[-1])


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Tensor:
    """A view of a tensor that has a tangent."""
    if not _set_fwd_grad_enabled.now and _set_fwd_grad_enabled.hidden and isinstance(tensor, Tensor):
        return ops.views.view(tensor, tensor.shape)  # type: ignore[no-any-return]
    last = _depth() - 1
    if level is None:
        level = last
    if level < 0:
        raise EngineError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for what, x in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(x, Tensor):
            raise EngineTypeError(f"make_dual(): the {what} must be a Tensor, not {type(x).__name__}")
        if x._a.dtype.kind not in "fc":
            raise EngineValueError(f"Expected {what} to be floating point or complex, but got: {x.dtype}")
    if level != last:
        raise EngineError("Invalid level given to _make_dual")
    innermost = mode.duals.levels[-1]
    if dual_numbers.tangents_of(tensor, innermost) is not None:
        raise EngineError(
            f"Making a dual Tensor based on a Tensor that already has a forward gradient at the same level {level} is "
            "not supported."
        )
    if dual_numbers.tangents_of(tangent, innermost) is not None:
        raise EngineError(
            f"Setting a forward grad that itself has a forward gradient at the same level{level} is not supported."
        )
    made: Tensor = ops.views.view(tensor, tensor.shape)
    dual_numbers.give(made, innermost, (tangent,) * innermost.directions)
    return made


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """The value of a dual tensor, and its tangent."""
    if not isinstance(tensor, Tensor):
        kind = type(tensor).__name__
        raise EngineTypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {kind}")
    last = _depth() - 1
    if level is None:
        level = last
    if level < 0 or last < 0:
        return UnpackedDualTensor(tensor, None)
    if level != last:
        raise EngineError("Invalid level given to _fw_primal")
    innermost = mode.duals.levels[-1]
    if innermost.directions != 1:
        raise Unsupported("unpack_dual: inside of jacfwd there are many tangents, one for each direction")
    tangents = dual_numbers.tangents_of(tensor, innermost)
    with mode.duals.outside(last):
        primal = ops.views.fw_primal(tensor)
    dual_numbers.without(primal, innermost)
    return UnpackedDualTensor(primal, None if tangents is None else tangents[0])


def tangent_of(tensor: Tensor) -> Tensor | None:
    """The tangent of a tensor at the innermost level, if it is in one and has one there."""
    if not _depth():
        return None
    tangents = dual_numbers.tangents_of(tensor, mode.duals.levels[-1])
    return tangents[0] if tangents and len(tangents) == 1 else None


def _depth() -> int:
    """The number of levels that the program is in."""
    return 0 if mode.duals is None else len(mode.duals.levels)


class _set_fwd_grad_enabled(_Switch):
    """The forward mode off, or on again, for the length of a block: tangents are neither computed nor seen."""

    now: ClassVar[bool] = True
    # The number of levels that are there meanwhile.
    hidden: ClassVar[int] = 0

    def __init__(self, mode: bool) -> None:
        self._enabled = mode

    def __enter__(self) -> Any:
        self._around = self.now, self.hidden
        _set_fwd_grad_enabled.now = self._enabled
        _set_fwd_grad_enabled.hidden = _depth() or self.hidden
        self._hidden = nullcontext() if mode.duals is None or self._enabled else mode.duals.outside()
        self._hidden.__enter__()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._hidden.__exit__(kind, error, trace)
        _set_fwd_grad_enabled.now, _set_fwd_grad_enabled.hidden = self._around


class dual_level(_Switch):
    """A level of dual numbers, for the length of a ``with`` block or of a function."""

    def __enter__(self) -> Any:
        self._level = enter_dual_level()
        return self._level

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if _depth():
            exit_dual_level(level=self._level)
