"""Optimizer: parameter groups, state, and the step that a subclass writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..engine.modes import enable_grad, mode
from ..engine.tensor import Array, Tensor, result
from ..errors import EngineError, EngineTypeError, EngineValueError, Unsupported


class Optimizer:
    """Base of all optimisers: walks its parameters and updates each by `_update`."""

    # Options that PyTorch has for speed or for other devices: shown, and refused when switched on.
    _inert: dict[str, Any] = {"foreach": None, "differentiable": False}

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise EngineTypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"torch.{params.dtype.tensor_name}Tensor"
            )
        for name, value in defaults.items():
            if name in ("foreach", "fused", "capturable", "differentiable") and value:
                raise Unsupported(f"{type(self).__name__}: {name}={value} is not supported")
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise EngineValueError("optimizer got an empty parameter list")
        if isinstance(groups[0], tuple) and len(groups[0]) == 2:
            groups = [p for _, p in groups]
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Take on further parameters, with options of their own."""
        group = dict(param_group)
        params = group["params"]
        group["params"] = [params] if isinstance(params, Tensor) else list(params)
        for p in group["params"]:
            if not isinstance(p, Tensor):
                raise EngineTypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not p.is_leaf and not p.retains_grad:
                raise EngineValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        known = {id(p) for g in self.param_groups for p in g["params"]}
        if any(id(p) in known for p in group["params"]):
            raise EngineValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the parameters' gradients."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                else:
                    p.grad = p.grad.detach()
                    p.grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        before = mode.grad
        mode.grad = False
        try:
            for group in self.param_groups:
                for p in group["params"]:
                    grad = p.grad
                    if grad is not None:
                        g = grad._a
                        value = self._update(p._a, -g if group["maximize"] else g, self.state[p], group)
                        _write(p, value)
        finally:
            mode.grad = before
        return loss

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: dict[str, Any]) -> Array:
        """The parameter's next value."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Options and state, with parameters by number."""
        number = {id(p): i for i, p in enumerate(p for g in self.param_groups for p in g["params"])}
        groups = [
            {**{k: v for k, v in g.items() if k != "params"}, "params": [number[id(p)] for p in g["params"]]}
            for g in self.param_groups
        ]
        return {"state": {number[id(p)]: dict(s) for p, s in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over options and state."""
        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            raise EngineValueError("loaded state dict has a different number of parameter groups")
        params: list[Tensor] = []
        for own, given in zip(self.param_groups, groups, strict=True):
            if len(own["params"]) != len(given["params"]):
                raise EngineValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
                )
            own.update({k: v for k, v in given.items() if k != "params"})
            params.extend(own["params"])
        self.state.clear()
        for i, state in state_dict["state"].items():
            self.state[params[i]] = {
                k: result(np.array(v._a)) if isinstance(v, Tensor) else v for k, v in state.items()
            }

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {k}: {group[k]}" for k in sorted(group) if k != "params"]
        return "\n".join([*lines, ")"])


def _write(p: Tensor, value: Array) -> None:
    if isinstance(p._a, np.ndarray):
        if value is not p._a:
            p._a[...] = value
    else:
        p._set_array(value)
    p._counter().n += 1


def kept(state: dict[str, Any], name: str, like: Array) -> Array:
    """A running array of the state, zeros at first."""
    if name not in state:
        state[name] = result(np.zeros(like.shape, like.dtype))
    return state[name]._a


def check(condition: bool, what: str, value: Any) -> None:
    """PyTorch's complaint about an option out of range."""
    if not condition:
        raise EngineValueError(f"Invalid {what}: {value}")


__all__ = ["EngineError", "Optimizer", "check", "kept"]
