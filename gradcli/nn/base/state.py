"""The state of a module tree: parameters and persistent buffers by dotted name."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...engine.flags import SWAPS, settings
from ...engine.graph import RemovableHandle
from ...engine.guard.outside import guarded
from ...engine.guard.trusted_classes import defined, ours
from ...engine.modes import mode, no_grad
from ...engine.tensor import Tensor
from ...errors import EngineError, EngineTypeError, GradcliError
from ..parameter import Parameter, is_lazy
from .holder import TRANSIENT, Holder, overrides, table_of

# The key of what a module's own get_extra_state returns.
_EXTRA = "_extra_state"
# What a module is told with its part of a state: that it takes the tensors themselves.
_ASSIGN = "assign_to_params_buffers"
# The attribute of a state dict that says which version each module was of.
_METADATA = "_metadata"


_NO_OP = (
    "for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is "
    "a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key "
    "in the module instead of copying them in place?)"
)


class _IncompatibleKeys(NamedTuple):
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
    metadata = {"version": _version(module)}
    if type(destination) is OrderedDict and _METADATA in destination.__dict__:
        destination.__dict__[_METADATA][prefix[:-1]] = metadata
    before_saving(module, prefix, keep_vars)
    # The way of its class: what a program gave the module itself is none.
    type(module)._save_to_state_dict(module, destination, prefix, keep_vars)
    for name, child in table_of(module, "_modules").items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    return after_saving(module, destination, prefix, metadata)


def save_own(module: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
    """Write the state of a module alone."""
    for name, member in _own(module):
        destination[prefix + name] = member if keep_vars or is_lazy(member) else member.detach()
    if overrides(module, "get_extra_state"):
        destination[prefix + _EXTRA] = module.get_extra_state()


def loaded(module: Any, state: Mapping[str, Any], strict: bool, assign: bool) -> _IncompatibleKeys:
    """Copy the values of a state dict into a module and all below it."""
    if not isinstance(state, Mapping):
        raise EngineTypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    keys = _IncompatibleKeys([], [])
    complaints: list[str] = []
    with no_grad():
        metadata = state.__dict__.get(_METADATA, {}) if type(state) is OrderedDict else {}
        # Hooks may change it, and the program's own stays as it is.
        _load(module, OrderedDict(state), "", assign, keys, complaints, metadata)
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
    module: Any, state: Mapping[str, Any], prefix: str, assign: bool, keys: _IncompatibleKeys, complaints: list[str],
    metadata: Any,
) -> None:  # fmt: skip
    facts = dict(metadata.get(prefix[:-1], {}))
    if assign:
        facts[_ASSIGN] = True
    type(module)._load_from_state_dict(module, state, prefix, facts, True, *keys, complaints)
    for name, child in table_of(module, "_modules").items():
        if child is not None:
            below = f"{prefix}{name}."
            part = OrderedDict((k, v) for k, v in state.items() if k.startswith(below))
            _load(child, part, below, assign, keys, complaints, metadata)
    after_loading(module, keys)


def load_own(
    module: Any, state: Mapping[str, Any], prefix: str, metadata: Any, strict: bool, missing: list[str],
    unexpected: list[str], complaints: list[str],
) -> None:  # fmt: skip
    """Copy the values of a state dict into a module alone."""
    before_loading(module, state, prefix, metadata, strict, missing, unexpected, complaints)
    own = dict(_own(module))
    later = getattr(ours(module, Holder), "_later", ())
    version = metadata.get("version", 1)
    for name, target in own.items():
        key = prefix + name
        if key in state:
            problem = _put(module, name, target, state[key], key, metadata.get(_ASSIGN, False))
            complaints += [problem] if problem else []
        # A state dict of an earlier version may lack what that version did not have.
        elif strict and (version >= _version(module) or name not in later):
            missing.append(key)
    extra = prefix + _EXTRA
    if overrides(module, "set_extra_state"):
        if extra in state:
            module.set_extra_state(state[extra])
        elif strict:
            missing.append(extra)
    elif strict and extra in state:
        unexpected.append(extra)
    if strict:
        unexpected += [key for key in state if key != extra and _is_unexpected(module, own, key, prefix)]


def _is_unexpected(module: Any, own: dict[str, Any], key: str, prefix: str) -> bool:
    if not key.startswith(prefix):
        return False
    first, *rest = key[len(prefix) :].split(".", 1)
    return first not in (module.__dict__["_modules"] if rest else own)


def _put(module: Any, name: str, target: Any, value: Any, key: str, assign: bool) -> str | None:
    """Give one member its value, or say why it cannot have it."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(value)}"
        )
    if is_lazy(target) and is_lazy(value):
        return None
    if target.shape == () and value.shape == (1,):
        value = value.detach()[0]
    if value.shape != target.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in current "
            f"model is {target.shape}."
        )
    if target.is_meta and not value.is_meta and not assign:
        warnings.warn(_NO_OP.format(key=key), UserWarning, stacklevel=2)
    try:
        _take(module, name, target, value, assign)
    except (GradcliError, RuntimeError, TypeError, ValueError, AttributeError) as error:
        action = "swapping" if settings.get(SWAPS) else "copying"
        return (
            f'While {action} the parameter named "{key}", whose dimensions in the model are {target.size()} and whose '
            f"dimensions in the checkpoint are {value.size()}, an exception occurred : {error.args}."
        )
    return None


def _take(module: Any, name: str, target: Any, value: Any, assign: bool) -> None:
    """Have a member be what a state dict has in its place: as a new object, or with other numbers."""
    if settings.get(SWAPS):
        _swap(target, value, assign)
    elif not assign:
        target.copy_(value)
        if mode.tape is not None:
            mode.tape.keeps(target, value)
    elif isinstance(target, Parameter):
        kept = value if isinstance(value, Parameter) else Parameter(value, target.requires_grad)
        module.__dict__["_parameters"][name] = kept.requires_grad_(target.requires_grad)
    else:
        module.__dict__["_buffers"][name] = value


def _swap(target: Any, value: Any, assign: bool) -> None:
    """Have a member change places with what it makes of a loaded tensor."""
    new = guarded(target.module_load)(value, assign=assign)
    if new is value or new is target:
        raise EngineError(
            "module_load returned one of self or other, please .detach() the result if returning one of the inputs in "
            "module_load"
        )
    if isinstance(target, Parameter):
        asks = target.requires_grad
        new = new.requires_grad_(asks) if isinstance(new, Parameter) else Parameter(new, asks)
    from ...engine.memory.swapping import swap_tensors

    swap_tensors(target, new)


# -- hooks ----------------------------------------------------------------------------------------

BEFORE_SAVING, AFTER_SAVING = "_state_dict_pre_hooks", "_state_dict_hooks"
BEFORE_LOADING, AFTER_LOADING = "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"

_NO_VALUE = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
    "incompatible_keys need to be modified, it should be done inplace."
)


class Kept:
    """A hook that may give back another state dict, as hooks of the older kind may."""

    def __init__(self, hook: Any) -> None:
        self.hook = hook

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)


class WithoutModule:
    """A hook before loading that is not told of which module the state is."""

    def __init__(self, hook: Any) -> None:
        self.hook = hook

    def __call__(self, module: Any, *args: Any) -> Any:
        return self.hook(*args)


def hang(module: Any, table: str, hook: Any) -> RemovableHandle:
    """Hang a hook of a kind on a module."""
    return RemovableHandle(module.__dict__[table], hook)


def before_saving(module: Any, prefix: str, keep_vars: bool) -> None:
    """Run what waits for a module's state to be saved."""
    for hook in _of(module, BEFORE_SAVING):
        hook(module, prefix, keep_vars)


def after_saving(module: Any, state: Any, prefix: str, metadata: dict[str, Any]) -> Any:
    """Run what may change the state that was saved of a module and all below it."""
    for hook in _of(module, AFTER_SAVING):
        new = hook(module, state, prefix, metadata)
        if new is not None:
            if not isinstance(hook, Kept):
                raise EngineError("state_dict post-hook must return None")
            state = new
    return state


def before_loading(module: Any, *given: Any) -> None:
    """Run what may change a state before a module takes it."""
    for hook in _of(module, BEFORE_LOADING):
        hook(module, *given)


def after_loading(module: Any, keys: Any) -> None:
    """Run what may change what is said of keys that did not fit."""
    for hook in _of(module, AFTER_LOADING):
        if hook(module, keys) is not None:
            raise AssertionError(_NO_VALUE)


def _of(module: Any, table: str) -> list[Any]:
    return list(table_of(module, table).values())
