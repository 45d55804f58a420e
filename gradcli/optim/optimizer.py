"""Optimizer: parameter groups, state, and the step that a subclass writes."""

from __future__ import annotations

import copy
import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from ..engine import dtypes
from ..engine.graph import RemovableHandle
from ..engine.guard.outside import guarded
from ..engine.guard.tables_of_a_run import of_a_run
from ..engine.guard.trusted_classes import ours
from ..engine.modes import enable_grad, mode
from ..engine.numeric.kernels import fused, roots
from ..engine.numeric.kernels.fused import LARGEST
from ..engine.numeric.sparse import is_sparse
from ..engine.offers import find
from ..engine.tensor import Array, Tensor, Value, result
from ..engine.writes.inplace import write_with
from ..errors import EngineAttributeError, EngineError, EngineTypeError, EngineValueError


class _Required:
    """The value of an option that has none until it is given."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()

# How programs annotate what is optimised.
ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
params_t: TypeAlias = ParamsT

# Hooks around the steps of all optimisers.
_before_all: OrderedDict[int, Any] = of_a_run(OrderedDict())
_after_all: OrderedDict[int, Any] = of_a_run(OrderedDict())


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before each step of every optimiser."""
    return RemovableHandle(_before_all, guarded(hook))


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after each step of every optimiser."""
    return RemovableHandle(_after_all, guarded(hook))


_PICKLED = ("defaults", "state", "param_groups")
# What hooks an optimiser has.
HOOKS = (
    "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)  # fmt: skip


class Optimizer:
    """Base of all optimisers: groups of parameters, their options, and what is remembered of each parameter."""

    _optimizer_step_pre_hooks: OrderedDict[int, Any]
    _optimizer_step_post_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Any]
    # The options that states lack which were saved before they came, and what they meant; and what of the state of a
    # parameter was saved as a plain number once.
    _later: dict[str, Any] = {}
    _once_plain: tuple[str, ...] = ()

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise EngineTypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{_kind(params)}"
            )
        self.defaults = defaults
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self.__dict__.update({name: OrderedDict() for name in HOOKS})
        groups = list(params)
        if not groups:
            raise EngineValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        step = cls.__dict__.get("step")
        if isinstance(step, FunctionType):
            setattr(cls, "step", _hooked(step))  # noqa: B010

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled, as it is: what it does not have stays."""
        own = self.__dict__
        own.update({name: state[name] for name in _PICKLED if name in state})
        for name in HOOKS:
            own.setdefault(name, OrderedDict())
        self._bring_up_to_date()

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Take on further parameters, with options of their own."""
        if not isinstance(param_group, dict):
            raise EngineTypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise EngineTypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        given = [given] if isinstance(given, Tensor) else list(given)
        names = [p[0] for p in given if isinstance(p, tuple)]
        params = [p[1] if isinstance(p, tuple) else p for p in given]
        if names and len(names) != len(params):
            raise EngineValueError("all optimizer params should be with/without names. Some param names are missing")
        param_group["params"] = params
        if names:
            param_group["param_names"] = names
        for p in params:
            if not (self.defaults.get("differentiable") or _checked(p).is_leaf or p.retains_grad):
                raise EngineValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise EngineValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        _check_apart(self.param_groups, param_group)
        self.param_groups.append(param_group)

    def _patch_step_function(self) -> None:
        """Called by optimisers around others that do not begin as this one: a step needs nothing around it here."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the parameters' gradients."""
        if "defaults" not in self.__dict__:
            # PyTorch asks them how to forget.
            raise EngineAttributeError(f"'{type(self).__name__}' object has no attribute 'defaults'")
        for group in self.param_groups:
            for p in group["params"]:
                grad: Any = _checked(p).grad
                if grad is not None:
                    if set_to_none:
                        p.grad = None
                    else:
                        (grad.requires_grad_(False) if grad.is_leaf else grad.detach_()).zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter: for a subclass to write."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Options and state, with parameters by number."""
        for hook in list(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        state = self._numbered()
        for hook in list(self._optimizer_state_dict_post_hooks.values()):
            new = hook(self, state)
            state = state if new is None else new
        return state

    def _numbered(self) -> dict[str, Any]:
        number: dict[int, int] = {}
        for group in self.param_groups:
            for p in group["params"]:
                number.setdefault(id(p), len(number))
        groups = [
            {**{k: v for k, v in g.items() if k != "params"}, "params": [number[id(p)] for p in g["params"]]}
            for g in self.param_groups
        ]
        state = {number[id(k)] if isinstance(k, Tensor) else k: _copied(v) for k, v in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over options and state."""
        state_dict = dict(state_dict)
        for hook in list(self._optimizer_load_state_dict_pre_hooks.values()):
            new = hook(self, state_dict)
            state_dict = state_dict if new is None else new
        self._take(state_dict)
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    def _take(self, state_dict: dict[str, Any]) -> None:
        groups = copy.deepcopy(state_dict["param_groups"])
        for part in (*groups, state_dict["state"]):
            if not isinstance(part, dict):
                raise EngineTypeError(f"loaded state dict holds a {_kind(part)} where there should be a dict")
        if len(groups) != len(self.param_groups):
            raise EngineValueError("loaded state dict has a different number of parameter groups")
        if any(len(own["params"]) != len(g["params"]) for own, g in zip(self.param_groups, groups, strict=True)):
            raise EngineValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        by_number: dict[Any, Tensor] = {}
        for own, group in zip(self.param_groups, groups, strict=True):
            by_number.update(zip(group["params"], own["params"], strict=True))
            group["params"] = own["params"]
            if "param_names" in own:
                group.setdefault("param_names", own["param_names"])
        states: defaultdict[Any, Any] = defaultdict(dict)
        for number, state in state_dict["state"].items():
            p = by_number.get(number)
            states[number if p is None else p] = state if p is None else _as_held_for(p, state)
        self.defaults.setdefault("differentiable", False)
        self.__setstate__({"state": states, "param_groups": groups})

    def _bring_up_to_date(self) -> None:
        """Give a state that was saved long ago what states have had since."""
        kind = ours(self, Optimizer)
        for group in self.param_groups:
            for option, value in kind._later.items():
                group.setdefault(option, value)
            for state in (self.state.get(p, {}) for p in group["params"]):
                for name in kind._once_plain:
                    if isinstance(state.get(name), (int, float)):
                        state[name] = result(number(float(state[name])))

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step."""
        return RemovableHandle(self._optimizer_step_pre_hooks, guarded(hook))

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return RemovableHandle(self._optimizer_step_post_hooks, guarded(hook))

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before the state is saved."""
        return _hung(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` when the state is saved; what it returns replaces it."""
        return _hung(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before a state is taken; what it returns replaces it."""
        return _hung(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` when a state has been taken."""
        return _hung(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def _before_step(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """The arguments of a step as its hooks leave them."""
        for hook in (*_before_all.values(), *self._optimizer_step_pre_hooks.values()):
            new = hook(self, args, kwargs)
            if new is not None:
                if not isinstance(new, tuple) or len(new) != 2:
                    raise EngineError(
                        f"{type(self).__name__}.step must return None or a tuple of (new_args, new_kwargs), but got "
                        f"{new}."
                    )
                args, kwargs = new
        return args, kwargs

    def _after_step(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for hook in (*self._optimizer_step_post_hooks.values(), *_after_all.values()):
            hook(self, args, kwargs)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {k}: {group[k]}\n" for k in sorted(group) if k != "params")
        return text + ")"


def _hooked(step: FunctionType) -> Any:
    """A step of an optimiser, with its hooks before and behind it."""

    stepping = guarded(step)

    @functools.wraps(step)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not args or not isinstance(args[0], Optimizer):
            return stepping(*args, **kwargs)
        optimizer = args[0]
        if _before_all or optimizer._optimizer_step_pre_hooks:
            args, kwargs = Optimizer._before_step(optimizer, args, kwargs)
        done = stepping(*args, **kwargs)
        if _after_all or optimizer._optimizer_step_post_hooks:
            Optimizer._after_step(optimizer, args, kwargs)
        return done

    return call


def _hung(table: OrderedDict[int, Any], hook: Callable[..., Any], first: bool) -> RemovableHandle:
    handle = RemovableHandle(table, guarded(hook))
    if first:
        table.move_to_end(handle.id, last=False)
    return handle


_FUSED_ON = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


class Stepping(Optimizer):
    """Base of our own optimisers: walks the parameters and gives each its next value."""

    # Whether it takes sparse gradients, and what it says beyond that it does not.
    _takes_sparse = False
    _refused_as = ""
    _instead = ""
    _takes_complex = True
    # Whether it says beforehand that steps of all parameters at once are not recorded; SGD fails at the first write.
    _refuses_recorded_together = True
    # What has to be on another device for `capturable=True`, and on which.
    _captured = "params and state_steps"
    _captured_on: tuple[str, ...] = ("cuda", "xpu", "hpu", "privateuseone", "xla")
    _later = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}
    _once_plain: tuple[str, ...] = ("step",)

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if defaults.get("fused"):
            if defaults.get("differentiable"):
                raise EngineError("`fused` does not support `differentiable`")
            if defaults.get("foreach"):
                raise EngineError("`fused` and `foreach` cannot be `True` together.")
        super().__init__(params, defaults)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = guarded(closure)()
        before = mode.grad
        mode.grad = bool(self.defaults.get("differentiable"))
        try:
            for group in self.param_groups:
                options = _options(group)
                if dict.get(options, "capturable"):
                    # What refuses to be captured does so once every parameter has its state.
                    for p in group["params"]:
                        if p.grad is not None and not self.state.get(p):
                            self._open(p, options)
                for p in group["params"]:
                    if (grad := _checked(p).grad) is not None:
                        self._step_any(p, grad, options)
        finally:
            mode.grad = before
        return loss

    @classmethod
    def once(cls, p: Tensor, grad: Any, state: dict[str, Any], options: dict[str, Any]) -> None:
        """Give one parameter its next value by a gradient and what is remembered of it, without an optimiser.

        Where operations are recorded, this is.
        """
        stepping = cls.__new__(cls)
        stepping.state = defaultdict(dict, {p: state})
        recorded = mode.grad and any(isinstance(t, Tensor) and t.requires_grad for t in (p, grad, *state.values()))
        group = _options({**options, "differentiable": options.get("differentiable") or recorded})
        stepping._step_any(_checked(p), _checked(grad), group)

    def _step_any(self, p: Tensor, grad: Any, group: dict[str, Any]) -> None:
        """Give one parameter its next value, in the way that the options ask for."""
        if grad.is_sparse and not ours(self, Stepping)._takes_sparse:
            name = ours(self, Stepping)._refused_as or type(self).__name__
            raise EngineError(f"{name} does not support sparse gradients{ours(self, Stepping)._instead}")
        if p.is_complex() and not ours(self, Stepping)._takes_complex:
            raise EngineError(f"{type(self).__name__} does not support complex parameters")
        if dict.get(group, "fused") and not p.is_floating_point():
            raise EngineError(
                "`fused=True` requires all the params to be floating point Tensors of supported devices: "
                f"{_FUSED_ON} but {p.dtype} and {p.device}"
            )
        if dict.get(group, "capturable"):
            kind = ours(self, Stepping)
            on = [device for device in kind._captured_on if device != "xla" or not dict.get(group, "foreach")]
            raise AssertionError(f"If capturable=True, {kind._captured} must be on supported devices: {on}.")
        if dict.get(group, "differentiable"):
            self._step_recorded(p, grad, group)
            return
        if mode.tape is not None:
            mode.tape.before_write(p._a)
        self._step(p, grad._a, group)

    def _step_recorded(self, p: Any, grad: Any, group: dict[str, Any]) -> None:
        """The same, recorded: for gradients through a step."""
        if dict.get(group, "foreach") and ours(self, Stepping)._refuses_recorded_together:
            raise AssertionError("_foreach ops don't support autograd")
        if not self.state.get(p):
            self._open(p, group)
        held = self.state.get(p, {})
        remembered: dict[str, Any] = dict(held)
        # What an option that is a tensor is multiplied with is kept for its gradient: not what is written over.
        before = p.clone() if _has_tensors(group.values()) else p
        towards = -grad if dict.get(group, "maximize") else grad
        # What is written has the node of the update's last operation, as that is done in place.
        write_with(lambda _: self._update(before, towards, remembered, group), p, (), {}, "copy_")
        self.state[p].update(remembered)

    def _step(self, p: Tensor, g: Array, group: dict[str, Any]) -> None:
        """Give one parameter its next value."""
        if not self.state.get(p):
            self._open(p, group)
        held = self.state.get(p, {})
        for name, t in held.items():
            if not isinstance(t, Tensor):
                raise EngineTypeError(f"{name} in the state of a parameter should be a Tensor, but is {_kind(t)}")
        arrays = {name: t._a for name, t in held.items()}
        g = -g if dict.get(group, "maximize") else g
        value = (_in_pairs if p.is_complex() else _directly)(self._update, p._a, g, arrays, group)
        for name, array in arrays.items():
            if name in held:
                held[name]._a = array
            else:
                self.state[p][name] = result(array)
        _write(p, value)

    def _open(self, p: Tensor, group: dict[str, Any]) -> None:
        """Make the state of a parameter that has none yet."""
        new = self._start(_pairs(p._a), group)
        if p.is_complex():
            new = {name: _joined(array) if array.ndim else array for name, array in new.items()}
        if new:
            self.state[p] = {name: result(array) for name, array in new.items()}

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        """Return the state of a parameter before its first step."""
        del p, group
        return {}

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        """The next value of a parameter; what is remembered of it, in ``s``, is replaced."""
        raise NotImplementedError


def _directly(
    update: Callable[..., Array], p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]
) -> Array:
    return update(p, g, s, group)


def _in_pairs(
    update: Callable[..., Array], p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]
) -> Array:
    """The next value of a complex parameter: its numbers are updated as pairs of real ones."""
    pairs = {name: _pairs(a) for name, a in s.items()}
    made = _joined(update(_pairs(p), _pairs(g), pairs, group))
    s.update({name: _joined(a) if np.ndim(a) > np.ndim(p) else a for name, a in pairs.items()})
    return made


def _pairs(a: Array) -> Array:
    """Complex numbers as pairs of real ones, in memory of their own; other numbers as they are."""
    return np.stack([a.real, a.imag], -1) if a.dtype.kind == "c" else a


def _joined(pairs: Array) -> Array:
    """The complex numbers of these pairs."""
    made = np.empty(pairs.shape[:-1], np.complex64 if pairs.dtype.itemsize == 4 else np.complex128)
    made.real, made.imag = pairs[..., 0], pairs[..., 1]
    return made[()]


class _Options(dict[str, Any]):
    """The options of a group that are numbers, or words: with others no array is to be computed.

    One that is a tensor is its number, or the tensor where the step is recorded: it may have a gradient.
    """

    __slots__ = ("group",)

    def __init__(self, group: dict[str, Any]) -> None:
        recorded = dict.get(group, "differentiable")
        plain = {name: value for name, value in group.items() if name != "params" and _is_plain(value)}
        super().__init__((name, _for_step(value, recorded)) for name, value in plain.items())
        self.group = group

    def __missing__(self, name: str) -> Any:
        got = _kind(self.group[name])
        raise EngineTypeError(f"the option {name} of an optimizer should be a number, but got {got}")


def _options(group: Any) -> _Options:
    """The options of a group, which is a dict."""
    if not isinstance(group, dict):
        raise EngineTypeError(f"param_group must be a dict, but got {_kind(group)}")
    return _Options(group)


def _is_plain(value: Any) -> bool:
    """True if an option's value is a number or a word, or a list of them."""
    if type(value) in (list, tuple):
        return all(type(part) not in (list, tuple) and _is_plain(part) for part in value)
    return value is None or isinstance(value, (int, float, str, Tensor, np.generic))


def _for_step(value: Any, recorded: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)([_for_step(part, recorded) for part in value])
    return value if recorded or not isinstance(value, (Tensor, np.generic)) else plain_number(value)


def _has_tensors(options: Iterable[Any]) -> bool:
    return any(isinstance(x, Tensor) or (isinstance(x, (list, tuple)) and _has_tensors(x)) for x in options)


def _checked(t: Any) -> Tensor:
    """A tensor of an optimiser's, which a program may have replaced by anything."""
    if not isinstance(t, Tensor):
        raise EngineTypeError(f"optimizer can only optimize Tensors, but one of the params is {_kind(t)}")
    return t


def _check_apart(groups: list[dict[str, Any]], new: dict[str, Any]) -> None:
    """No parameter twice, and names for all groups or for none."""
    params = {id(p) for p in new["params"]}
    if len(params) != len(new["params"]):
        warnings.warn(
            "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
            "see github.com/pytorch/pytorch/issues/40967 for more information",
            UserWarning,
            stacklevel=4,
        )
    for group in groups:
        if ("param_names" in new) != ("param_names" in group):
            which = "with names" if "param_names" in new else "without names"
            raise EngineValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{which} to the optimizer"
            )
        if not params.isdisjoint(id(p) for p in group["params"]):
            raise EngineValueError("some parameters appear in more than one parameter group")


def _kind(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"torch.{value.dtype.tensor_name}Tensor"
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _copied(state: Any) -> Any:
    return dict(state) if isinstance(state, dict) else state


def _as_held_for(p: Any, state: dict[str, Any]) -> dict[str, Any]:
    """Loaded state, in the dtype of its parameter where that is real."""
    real = p.is_floating_point()
    return {
        k: v.to(p.dtype) if real and isinstance(v, Tensor) and k != "step" else v
        for k, v in state.items()
    }


def _write(p: Tensor, value: Array) -> None:
    if isinstance(p._a, np.ndarray):
        if value is not p._a:
            p._a[...] = value
    else:
        p._set_array(value)
    p._counter().n += 1


def less(p: Value, step: Value) -> Value:
    """The parameter minus a step, in its own memory where it has some."""
    return np.subtract(p, step, out=p) if isinstance(p, np.ndarray) else p - step


def along(p: Value, direction: Value, rate: float) -> Value:
    """The parameter so much further along a direction."""
    if isinstance(p, np.ndarray) and direction.size > LARGEST:
        return np.add(p, direction * rate, out=p)
    return multiply_add(p, direction, rate)


def mean_square(old: Value, x: Value, decay: float) -> Value:
    """A running mean of squares, by another square."""
    return multiply_add(decay * old, (1 - decay) * x, x)


# What an update is written with: of arrays, or, where a step is to be differentiated, of tensors.


def multiply_add(a: Value, b: Value, factor: Any) -> Value:
    """``a + b * factor``."""
    return a + b * factor if isinstance(a, Tensor) else fused.multiply_add(a, b, factor)


def between(a: Value, b: Value, share: float) -> Value:
    """From ``a`` this share of the way to ``b``."""
    return a + (b - a) * share if isinstance(a, Tensor) else fused.between(a, b, share)


def square_root(x: Value) -> Value:
    """The square root."""
    return find("torch", "sqrt")(x) if isinstance(x, Tensor) else roots.square_root(x)


def size(x: Value) -> Value:
    """The absolute value."""
    return find("torch", "abs")(x) if isinstance(x, Tensor) else np.abs(x)


def larger(a: Value, b: Value) -> Value:
    """The larger of two."""
    return find("torch", "maximum")(a, b) if isinstance(a, Tensor) else np.maximum(a, b)


def sign(x: Value) -> Value:
    """The sign."""
    return find("torch", "sign")(x) if isinstance(x, Tensor) else np.sign(x)


def choice(condition: Value, a: Value, b: Value) -> Value:
    """One of two where a condition holds, and the other elsewhere."""
    return find("torch", "where")(condition, a, b) if isinstance(condition, Tensor) else np.where(condition, a, b)


def within(x: Value, least: Any, most: Any) -> Value:
    """Numbers moved within bounds."""
    return find("torch", "clamp")(x, least, most) if isinstance(x, Tensor) else np.clip(x, least, most)


def number(value: float = 0.0) -> Array:
    """A number of the state: how many steps there were, and the like."""
    return dtypes.default.float.type(value)


def zeros(p: Array, *names: str) -> dict[str, Array]:
    """State that starts with zeros in the shape of the parameter."""
    return {name: np.zeros_like(p)[()] for name in names}


def plain_number(value: Any) -> float:
    """The number of an option, which may be a tensor."""
    return float(value.detach() if isinstance(value, Tensor) else value)


def check_rate(lr: Any) -> None:
    """PyTorch's complaint about a learning rate."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise EngineValueError("Tensor lr must be 1-element")
    if not isinstance(lr, (Tensor, int, float, np.generic)):
        raise EngineTypeError(f"'<=' not supported between instances of 'float' and '{type(lr).__name__}'")
    check(plain_number(lr) >= 0.0, "learning rate", lr)


def check(holds: bool, what: str, value: Any) -> None:
    """PyTorch's complaint about an option out of range."""
    if not holds:
        raise EngineValueError(f"Invalid {what}: {value}")


def decayed(p: Array, g: Array, group: dict[str, Any]) -> Array:
    """The gradient with the pull of weight decay."""
    decay = group["weight_decay"]
    if decay and is_sparse(g):
        raise EngineError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    return multiply_add(g, p, decay) if decay else g
