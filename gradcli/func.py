"""torch.func: functions made of functions, and models as functions of their parameters."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from .engine.guard.outside import guarded
from .engine.modes import mode
from .engine.ops.shape.joining import stack
from .engine.tensor import Tensor
from .engine.transforms.func import (
    grad as grad,
    grad_and_value as grad_and_value,
    hessian as hessian,
    jacfwd as jacfwd,
    jacrev as jacrev,
    jvp as jvp,
    linearize as linearize,
    vjp as vjp,
)
from .engine.transforms.rearranging import rearrange as rearrange
from .engine.transforms.vmap import vmap as vmap
from .engine.transforms.wrapped import wrapping
from .errors import EngineAttributeError, EngineError, EngineTypeError, EngineValueError, Unsupported


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """A tensor inside of transforms as it is outside of all of them, or of the innermost; elsewhere the tensor itself.

    A sample is the batch that it is one of.
    """
    found = wrapping(tensor)
    if found is None and mode.samples and any(watch.depends(tensor) for watch in mode.writes):
        raise Unsupported("torch.func.debug_unwrap: what is made of one sample alone is of no batch")
    while found is not None:
        tensor = found.inside.detach() if found.axis is None else found.inside
        found = wrapping(tensor, found.level) if recurse else None
    return tensor


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: dict[str, Any] | None = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with other tensors in the place of its parameters and buffers, which it has back afterwards."""
    if isinstance(parameter_and_buffer_dicts, dict):
        given = dict(parameter_and_buffer_dicts)
    elif isinstance(parameter_and_buffer_dicts, Sequence) and not isinstance(parameter_and_buffer_dicts, str):
        if not all(isinstance(part, dict) for part in parameter_and_buffer_dicts):
            raise EngineValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        given = {}
        for part in parameter_and_buffer_dicts:
            twice = [key for key in part if key in given]
            if twice:
                raise EngineValueError(
                    f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous"
                )
            given.update(part)
    else:
        raise EngineValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    places = _places(_module(module))
    if tie_weights:
        _tie(given, places)
    if strict:
        _check_names(module, given.keys(), places.keys())
    for name, value in given.items():
        _check_place(module, name, value)
    chosen = [(place, given[name]) for name, place in places.items() if name in given]
    before = [(held, key, held[key]) for (held, key), _ in chosen]
    if mode.tape is not None:
        mode.tape.replaced([(held.get(key), given.get(name)) for name, (held, key) in places.items()])
    try:
        for (held, key), value in chosen:
            held[key] = value
        given_args = () if args is None else args if isinstance(args, tuple) else (args,)
        return guarded(module)(*given_args, **(kwargs or {}))
    finally:
        for held, key, value in before:
            held[key] = value


def _tie(given: dict[str, Any], places: dict[str, tuple[dict[str, Any], str]]) -> None:
    """Give what a module holds under several names a value under all of them."""
    tied: dict[int, list[str]] = {}
    for name, (held, key) in places.items():
        tied.setdefault(id(held[key]), []).append(name)
    for names in tied.values():
        values = [given[name] for name in names if name in given]
        if any(value is not values[0] for value in values):
            raise EngineValueError(
                f"functional_call got multiple values for keys {sorted(n for n in names if n in given)}, which are "
                "tied. Consider using tie_weights=False"
            )
        if values:
            given.update(dict.fromkeys(names, values[0]))


def _check_place(module: Any, name: str, value: Any) -> None:
    """Refuse what is no tensor, and what is for no part of a module."""
    if value is not None and not isinstance(value, Tensor):
        raise EngineTypeError(f"{value} is not an instance of torch.Tensor")
    if not isinstance(name, str):
        raise EngineAttributeError(f"'{type(name).__name__}' object has no attribute 'rpartition'")
    *path, last = name.split(".")
    for depth, part in enumerate(path, 1):
        if part in module._parameters or part in module._buffers:
            held = module._parameters.get(part, module._buffers.get(part))
            raise EngineTypeError(
                f"submodule `{'.'.join(path[:depth])}`: {held} is not an instance of torch.nn.Module"
            )
        if part not in module._modules:
            raise EngineAttributeError(f"{type(module).__name__} has no attribute `{part}`")
        module = module._modules[part]
    if last in module._modules:
        raise EngineTypeError(f"attribute `{last}`: {module._modules[last]} is not an instance of torch.Tensor")


def _module(given: Any) -> Any:
    """A module: what is none may hold anything in the place of its parameters."""
    # Where that was never read there are no modules.
    room = sys.modules.get(f"{__package__}.nn.base.holder")
    if room is None or not isinstance(given, room.Holder):
        raise EngineTypeError(f"{type(given).__name__} is not a Module subclass")
    return given


def _places(module: Any) -> dict[str, tuple[dict[str, Any], str]]:
    """For each name of a parameter or buffer, where the module holds it."""
    found = {}
    for prefix, part in module.named_modules(remove_duplicate=False):
        for held in (part._parameters, part._buffers):
            for key, value in held.items():
                if value is not None:
                    found[f"{prefix}.{key}" if prefix else key] = (held, key)
    return found


def _check_names(module: Any, given: Any, known: Any) -> None:
    problems = []
    for what, names in (("Unexpected", given - known), ("Missing", known - given)):
        if names:
            problems.append(f"\n\t{what} key(s): {', '.join(repr(n) for n in sorted(names))}.")
    if problems:
        raise EngineError(f"Error(s) in reparametrizing for {type(module).__name__}:{''.join(problems)}")


_REMOVES = ("mutations", "mutations_and_views")


def functionalize(func: Any, *, remove: str = "mutations") -> Any:
    """The function itself: gradcli computes out of place whatever is written, so nothing is left to be removed."""
    if remove not in _REMOVES:
        raise EngineError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            "replaced with their non-aliasing counterparts, {view}_copy.\n"
        )
    return func


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """A module whose batch norms no longer keep running statistics, so that they can be called inside of vmap."""
    # Where that was never read there are none.
    room = sys.modules.get(f"{__package__}.nn.modules.batchnorm")
    for part in _module(root).modules():
        if room is not None and isinstance(part, room._BatchNorm):
            part.running_mean = part.running_var = None
            part.num_batches_tracked = None
            part.track_running_stats = False
    return root


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of several models of one kind, each stacked."""
    models = [_module(model) for model in models]
    if not models:
        raise EngineError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or not any(m.training for m in models)):
        raise EngineError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise EngineError("stack_module_state: Expected all models to be of the same class.")
    return _stacked([dict(m.named_parameters()) for m in models]), _stacked([dict(m.named_buffers()) for m in models])


def _stacked(states: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The tensors of the same name in several states, stacked as a leaf."""
    made = {}
    for name, first in states[0].items():
        tensors = [state[name] for state in states]
        if any(t.requires_grad is not first.requires_grad for t in tensors):
            raise EngineError(f"Expected {name} from each model to have the same .requires_grad")
        made[name] = stack(tensors, 0).detach().requires_grad_(first.requires_grad)
    return made
