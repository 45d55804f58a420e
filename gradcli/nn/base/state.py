"""The state of a module tree: parameters and persistent buffers by dotted name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...engine.graph import RemovableHandle
from ...engine.guard.trusted_classes import defined, ours
from ...engine.modes import no_grad
from ...engine.tensor import Tensor, result
from ...errors import EngineError, EngineTypeError
from ..parameter import Parameter
from .holder import TRANSIENT, Holder, defines

# The key of what a module's own get_extra_state returns.
_EXTRA = "_extra_state"
# The attribute of a state dict that says which version each module was of.
_METADATA = "_metadata"


class IncompatibleKeys(NamedTuple):
    """The keys that load_state_dict missed, and those that it did not expect."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    def __str__(self) -> str:
        return repr(self)


def saved(module: Any, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """Write the state of a module and all below it into ``destination``."""
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    if type(destination) is OrderedDict and _METADATA in destination.__dict__:
        destination.__dict__[_METADATA][prefix[:-1]] = {"version": _version(module)}
    before_saving(module, prefix, keep_vars)
    for name, member in _own(module):
        destination[prefix + name] = member if keep_vars else member.detach()
    if defines(module, "get_extra_state"):
        destination[prefix + _EXTRA] = module.get_extra_state()
    for name, child in module.__dict__["_modules"].items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    after_saving(module, destination, prefix)
    return destination


def loaded(module: Any, state: Mapping[str, Any], strict: bool, assign: bool) -> IncompatibleKeys:
    """Copy the values of a state dict into a module and all below it."""
    if not isinstance(state, Mapping):
        raise EngineTypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    keys = IncompatibleKeys([], [])
    complaints: list[str] = []
    with no_grad():
        metadata = state.__dict__.get(_METADATA, {}) if type(state) is OrderedDict else {}
        # Hooks may change it, and the program's own stays as it is.
        _load(module, dict(state), "", assign, strict, keys, complaints, metadata)
    if strict:
        for what, names in (("Unexpected", keys.unexpected_keys), ("Missing", keys.missing_keys)):
            if names:
                listed = ", ".join(f'"{k}"' for k in names)
                complaints.insert(0, f"{what} key(s) in state_dict: {listed}. ")
    if complaints:
        raise EngineError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(complaints))
    return keys


def _own(module: Any) -> list[tuple[str, Tensor]]:
    """A module's own parameters and persistent buffers."""
    held = module.__dict__
    lasting = ((k, b) for k, b in held["_buffers"].items() if k not in held[TRANSIENT])
    return [(k, t) for k, t in (*held["_parameters"].items(), *lasting) if t is not None]


def _version(module: Any) -> int:
    """Which version of its class a module is of, in its class's words if those are a number."""
    said = defined(module, "_version")
    return said if type(said) is int else 1


def _load(
    module: Any, state: Mapping[str, Any], prefix: str, assign: bool, strict: bool, keys: IncompatibleKeys,
    complaints: list[str], metadata: Any,
) -> None:  # fmt: skip
    before_loading(module, state, prefix, strict, keys, complaints)
    own = dict(_own(module))
    later = getattr(ours(module, Holder), "_later", ())
    version = metadata.get(prefix[:-1], {}).get("version", 1)
    for name, target in own.items():
        key = prefix + name
        if key not in state:
            # A state dict of an earlier version may lack what that version did not have.
            if version >= _version(module) or name not in later:
                keys.missing_keys.append(key)
            continue
        problem = _put(module, name, target, state[key], key, assign)
        complaints += [problem] if problem else []
    if defines(module, "set_extra_state"):
        if prefix + _EXTRA in state:
            module.set_extra_state(state[prefix + _EXTRA])
        else:
            keys.missing_keys.append(prefix + _EXTRA)
        own[_EXTRA] = module
    for key in state:
        first, *rest = key[len(prefix) :].split(".", 1)
        if first not in (module.__dict__["_modules"] if rest else own):
            keys.unexpected_keys.append(key)
    for name, child in module.__dict__["_modules"].items():
        if child is not None:
            below = f"{prefix}{name}."
            part = {k: v for k, v in state.items() if k.startswith(below)}
            _load(child, part, below, assign, strict, keys, complaints, metadata)
    after_loading(module, keys)


def _put(module: Any, name: str, target: Any, value: Any, key: str, assign: bool) -> str | None:
    """Give one member its value, or say why it cannot have it."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(value)}"
        )
    if getattr(target, "pending", False):
        target.materialize(result(np.array(value._a, subok=True)))
        return None
    if target.shape == () and value.shape == (1,):
        value = value.detach()[0]
    if value.shape != target.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in current "
            f"model is {target.shape}."
        )
    if not assign:
        target.copy_(value)
    elif isinstance(target, Parameter):
        kept = value if isinstance(value, Parameter) else Parameter(value, target.requires_grad)
        module.__dict__["_parameters"][name] = kept.requires_grad_(target.requires_grad)
    else:
        module.__dict__["_buffers"][name] = value
    return None


# -- hooks: a module that has none has no place for them ------------------------------------------

BEFORE_SAVING, AFTER_SAVING = "_state_dict_pre_hooks", "_state_dict_hooks"
BEFORE_LOADING, AFTER_LOADING = "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"

_NO_VALUE = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
    "incompatible_keys need to be modified, it should be done inplace."
)


def hang(module: Any, table: str, hook: Any) -> RemovableHandle:
    """Hang a hook of a kind on a module."""
    return RemovableHandle(module.__dict__.setdefault(table, OrderedDict()), hook)


def before_saving(module: Any, prefix: str, keep_vars: bool) -> None:
    """Run what waits for a module's state to be saved."""
    for hook in _of(module, BEFORE_SAVING):
        hook(module, prefix, keep_vars)


def after_saving(module: Any, state: Any, prefix: str) -> None:
    """Run what may change the state that was saved of a module and all below it."""
    for hook in _of(module, AFTER_SAVING):
        hook(module, state, prefix, {"version": 1})


def before_loading(module: Any, state: Any, prefix: str, strict: bool, keys: Any, complaints: list[str]) -> None:
    """Run what may change a state before a module takes it."""
    for hook in _of(module, BEFORE_LOADING):
        hook(module, state, prefix, {"version": 1}, strict, keys.missing_keys, keys.unexpected_keys, complaints)


def after_loading(module: Any, keys: Any) -> None:
    """Run what may change what is said of keys that did not fit."""
    for hook in _of(module, AFTER_LOADING):
        if hook(module, keys) is not None:
            raise EngineError(_NO_VALUE)


def _of(module: Any, table: str) -> list[Any]:
    return list(module.__dict__.get(table, {}).values())
