"""What a spec may name: Python's builtins aside, the modules of PyTorch and a few of Python's."""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from functools import cache
from typing import Any

from ..engine import dtypes as _dtypes
from ..engine.offers import find, names as offered
from ..errors import SpecError
from . import limits as limits_
from .objects import MISSING, Namespace
from .suggest import did_you_mean


class NoSuchName(SpecError, AttributeError):
    """A module that has no such name, in gradcli."""

    code = "E201"


Table = dict[str, Any]


def look_up(namespace: Namespace, name: str) -> Any:
    """What a module has under a name, or an error that says what may have been meant."""
    value = MISSING if name.startswith("_") else namespace.find(name)
    if value is MISSING:
        where = namespace.full_name
        kind = "function" if where in _FUNCTIONS and name[:1].islower() else "name"
        raise NoSuchName(
            f"{where} has no {kind} '{name}' in gradcli",
            help=did_you_mean(name, namespace.names(), f"{where}.")
            or ("`gradcli ops` lists what there is" if where.startswith("torch") else None),
        )
    return value


# The modules in which nearly every name is that of a function.
_FUNCTIONS = ("torch", "torch.nn.functional", "torch.linalg", "torch.special", "math")


def _fixed(full_name: str, make: Callable[[], Table]) -> Namespace:
    """A module whose names are all known once it is first asked for one."""
    table = cache(make)
    return Namespace(full_name, lambda name: table().get(name, MISSING), lambda: list(table()))


def _offering(full_name: str, place: str, make: Callable[[], Table]) -> Namespace:
    """A module whose functions are ops of the engine, loaded when they are named."""
    table = cache(make)

    def get(name: str) -> Any:
        value = table().get(name, MISSING)
        if value is MISSING and not name.startswith("__"):
            value = find(place, name)
            if value is None:
                return MISSING
        return value

    return Namespace(full_name, get, lambda: [*table(), *offered(place)])


def _without_grad_names() -> Table:
    from ..engine import modes

    return {
        name: getattr(modes, name)
        for name in (
            "no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "is_grad_enabled",
            "is_inference_mode_enabled",
        )
    }  # fmt: skip


def _torch() -> Table:
    from ..engine import tensor
    from ..engine.facts import Device
    from ..engine.ops import convert

    table: Table = {
        "Tensor": tensor.Tensor, "tensor": tensor.tensor, "Size": tensor.Size, "device": Device,
        "strided": "torch.strided",
        "inf": _math.inf, "nan": _math.nan, "pi": _math.pi, "e": _math.e,
        "get_default_dtype": _dtypes.get_default_dtype, "set_default_dtype": _dtypes.set_default_dtype,
        "nn": NAMESPACES["torch.nn"], "optim": NAMESPACES["torch.optim"], "autograd": NAMESPACES["torch.autograd"],
        "linalg": NAMESPACES["torch.linalg"], "special": NAMESPACES["torch.special"],
        "utils": NAMESPACES["torch.utils"], "random": NAMESPACES["torch.random"],
    }  # fmt: skip
    for name in (
        "double", "float16", "float32", "float64", "half", "int8", "int16", "int32", "int64", "long", "short", "uint8",
        "dtype",
    ):  # fmt: skip
        table[name] = getattr(_dtypes, name)
    table.update({"float": _dtypes.float32, "int": _dtypes.int32, "bool": _dtypes.bool_})
    for name in ("channels_last", "channels_last_3d", "contiguous_format", "preserve_format"):
        table[name] = getattr(convert, name)
    table.update(_without_grad_names())
    return table


def _autograd() -> Table:
    from ..engine import backward, function

    return {
        "backward": backward.backward, "grad": backward.grad, "Function": function.Function,
        "functional": NAMESPACES["torch.autograd.functional"], "function": NAMESPACES["torch.autograd.function"],
        "graph": NAMESPACES["torch.autograd.graph"], "Variable": _variable, **_without_grad_names(),
    }  # fmt: skip


def _variable(tensor: Any, requires_grad: bool = False) -> Any:
    """What older programs wrap their tensors with."""
    return tensor.requires_grad_() if requires_grad else tensor


def _function() -> Table:
    from ..engine import function

    return {"Function": function.Function, "once_differentiable": function.once_differentiable}


def _graph() -> Table:
    from .. import autograd

    return {name: getattr(autograd.graph, name) for name in ("get_gradient_edge", "increment_version")}


def _functional() -> Table:
    from ..engine import functional

    return {name: getattr(functional, name) for name in ("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp")}


def _nn_get(name: str) -> Any:
    from .. import nn
    from ..nn.module import Module
    from ..nn.parameter import Parameter

    inner = NAMESPACES.get(f"torch.nn.{name}")
    if inner is not None:
        return inner
    value = getattr(nn, name, MISSING)
    if isinstance(value, type) and (issubclass(value, (Module, Parameter)) or name.endswith("Parameter")):
        return value
    return MISSING


def _nn_names() -> list[str]:
    from .. import nn

    inner = [n.rsplit(".", 1)[1] for n in NAMESPACES if n.startswith("torch.nn.") and n.count(".") == 2]
    return [*(n for n in dir(nn) if n[:1].isupper()), *inner]


def _init() -> Table:
    from ..nn import init

    return _public(init)


def _nn_utils() -> Table:
    from ..nn import utils

    return {**_public(utils), "parametrizations": MISSING}


def _nn_parameter() -> Table:
    from ..nn.parameter import Parameter

    return {"Parameter": Parameter}


def _public(module: Any) -> Table:
    """The functions that a module of ours defines itself."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__ and callable(value)
    }


def _optim_get(name: str) -> Any:
    from .. import optim
    from ..optim.optimizer import Optimizer

    if name == "lr_scheduler":
        return NAMESPACES["torch.optim.lr_scheduler"]
    value = getattr(optim, name, MISSING)
    return value if isinstance(value, type) and issubclass(value, Optimizer) else MISSING


def _optim_names() -> list[str]:
    from .. import optim

    return [*(n for n in dir(optim) if n[:1].isupper()), "lr_scheduler"]


def _schedulers() -> Table:
    from ..optim import lr_scheduler

    ours = lr_scheduler.__package__ or ""
    return {n: v for n, v in vars(lr_scheduler).items() if isinstance(v, type) and v.__module__.startswith(ours)}


def _utils() -> Table:
    return {name: NAMESPACES[f"torch.utils.{name}"] for name in ("checkpoint", "data")}


def _checkpoint() -> Table:
    from ..utils.checkpoint import checkpoint

    return {"checkpoint": checkpoint}


def _data() -> Table:
    from ..utils import data

    return {name: value for name, value in vars(data).items() if callable(value)}


def _random() -> Table:
    return {name: find("torch", name) for name in ("manual_seed", "initial_seed", "seed", "get_rng_state")}


_MATH = (
    "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh degrees dist e erf erfc exp expm1 fabs floor fmod "
    "frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan "
    "nextafter pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp"
)


def _math_table() -> Table:
    table = {name: getattr(_math, name) for name in _MATH.split() if hasattr(_math, name)}
    table.update(factorial=_counting(_math.factorial, 20), comb=_counting(_math.comb, 10_000))
    table["perm"] = _counting(_math.perm, 10_000)
    table["prod"] = _within(_math.prod)
    return table


def _counting(function: Callable[..., int], most: int) -> Callable[..., int]:
    """A function whose results grow fast: refused for arguments that cannot fit 64 bits."""

    def count(*args: Any) -> int:
        if any(isinstance(a, int) and a > most for a in args):
            raise limits_.integer_too_large()
        value: int = _fitting(function(*args))
        return value

    count.__name__ = count.__qualname__ = function.__name__
    return count


def _within(function: Callable[..., Any]) -> Callable[..., Any]:
    def fitting(*args: Any, **kwargs: Any) -> Any:
        return _fitting(function(*args, **kwargs))

    fitting.__name__ = fitting.__qualname__ = function.__name__
    return fitting


def _fitting(value: Any) -> Any:
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise limits_.integer_too_large()
    return value


class Hint:
    """What annotations are written with; it means nothing when a program runs."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, of: object) -> Hint:
        return self

    def __or__(self, other: object) -> Hint:
        return self

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"typing.{self.name}"


_HINTS = (
    "Any Callable ClassVar Dict Final FrozenSet Generic Iterable Iterator List Literal Mapping NamedTuple Optional "
    "Sequence Set Tuple Type TypeVar Union"
)


def _typing() -> Table:
    hints: Table = {name: Hint(name) for name in _HINTS.split() if name not in ("Generic", "NamedTuple")}
    hints["TypeVar"] = lambda name, *bounds: Hint(name)
    return hints


def _collections() -> Table:
    from collections import OrderedDict

    return {"OrderedDict": OrderedDict}


NAMESPACES: dict[str, Namespace] = {}
for _space in (
    _offering("torch", "torch", _torch),
    Namespace("torch.nn", _nn_get, _nn_names),
    _offering("torch.nn.functional", "F", dict),
    _fixed("torch.nn.init", _init),
    _fixed("torch.nn.utils", _nn_utils),
    _fixed("torch.nn.parameter", _nn_parameter),
    Namespace("torch.optim", _optim_get, _optim_names),
    _fixed("torch.optim.lr_scheduler", _schedulers),
    _fixed("torch.autograd", _autograd),
    _fixed("torch.autograd.functional", _functional),
    _fixed("torch.autograd.function", _function),
    _fixed("torch.autograd.graph", _graph),
    _offering("torch.linalg", "linalg", dict),
    _offering("torch.special", "special", dict),
    _fixed("torch.random", _random),
    _fixed("torch.utils", _utils),
    _fixed("torch.utils.checkpoint", _checkpoint),
    _fixed("torch.utils.data", _data),
    _fixed("math", _math_table),
    _fixed("typing", _typing),
    _fixed("collections", _collections),
):
    NAMESPACES[_space.full_name] = _space

# The names that a program need not import.
PREBOUND = {
    "torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional", "optim": "torch.optim", "math": "math",
}  # fmt: skip


def imported(module: str, name: str | None = None) -> Any:
    """What an import statement binds."""
    if module == "__future__":
        return None
    space = NAMESPACES.get(module)
    if space is None:
        raise SpecError(
            f"a spec cannot import {module}" if module.strip(".") else "a spec cannot import from its own folder",
            help="it can import torch and its modules, math, typing and collections",
            code="E204",
        )
    if name is None:
        return space
    if name == "*":
        raise SpecError(f"a spec cannot import everything from {module}", help="name what you need", code="E204")
    inner = NAMESPACES.get(f"{module}.{name}")
    return inner if inner is not None else look_up(space, name)


def bare(name: str) -> Any:
    """What a name means that a program neither binds nor imports, builtins aside."""
    if name in PREBOUND:
        return NAMESPACES[PREBOUND[name]]
    if name.startswith("_"):
        return MISSING
    for space in ("torch", "torch.nn.functional"):
        value = NAMESPACES[space].find(name)
        if value is not MISSING:
            return value
    return MISSING
