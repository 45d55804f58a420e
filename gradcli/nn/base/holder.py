"""Holder: an object whose parameters, buffers and submodules are attributes that it keeps account of."""

from __future__ import annotations

from typing import Any

from ...engine.guard.trusted_classes import defined
from ...engine.modes import mode
from ...engine.tensor import Tensor
from ...errors import EngineTypeError, EngineValueError, Unsupported
from ..parameter import Buffer, Parameter
from . import everywhere

_KINDS = ("_parameters", "_buffers", "_modules")
# Where members are looked up: what lists and dicts of parameters hold besides has a table of its own.
_TABLES = (*_KINDS, "_others")
# The submodule that holds what members are computed of, where they are.
PARAMETRIZATIONS = "parametrizations"
# Where the names of the buffers stand that are no part of the state dict.
TRANSIENT = "_non_persistent_buffers_set"
_NEVER_CALLED = (
    "Reached a code path in Module.{}() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)
# What stands for no member.
MISSING: Any = object()


class Holder:
    """Attributes that are parameters, buffers or submodules go into tables of their own."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    # The names of the buffers that are no part of the state dict.
    _non_persistent_buffers_set: set[str]
    # What a list or a dict of parameters holds that is no parameter.
    _others: dict[str, Any]

    def __setattr__(self, name: str, value: Any) -> None:
        state = self.__dict__
        started = "_parameters" in state
        if isinstance(value, Parameter):
            if not started:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            _forget(state, name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif started and name in state["_parameters"]:
            if value is not None:
                raise EngineTypeError(
                    f"cannot assign '{type_name(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            state["_parameters"][name] = None
        elif isinstance(value, Holder):
            if not started:
                raise AttributeError("cannot assign module before Module.__init__() call")
            _forget(state, name, "_parameters", "_buffers")
            place(self, name, value)
        elif started and name in state["_modules"]:
            if value is not None:
                raise EngineTypeError(
                    f"cannot assign '{type_name(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            place(self, name, None)
        elif isinstance(value, Buffer) or (started and name in state["_buffers"]):
            if value is not None and not isinstance(value, Tensor):
                raise EngineTypeError(
                    f"cannot assign '{type_name(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            lasting = value.persistent if isinstance(value, Buffer) else name not in state[TRANSIENT]
            self.register_buffer(name, value, lasting)
        elif started and PARAMETRIZATIONS in state["_modules"] and name in state["_modules"][PARAMETRIZATIONS]:
            state["_modules"][PARAMETRIZATIONS][name].right_inverse(value)
        else:
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        # Names that Python and NumPy look up by themselves are no member's.
        if not name.startswith("__"):
            found = found_in(self.__dict__, name)
            if found is not MISSING:
                return found
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        state = self.__dict__
        for kind in _KINDS:
            if name in state[kind]:
                del state[kind][name]
                state[TRANSIENT].discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(n for n in names if not n[0].isdigit())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Own a parameter under a name."""
        _check_name(self, name, "parameter", "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise EngineTypeError(
                f"cannot assign '{type_name(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise EngineValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        if param is not None:
            param = everywhere.registered("_parameters", self, name, param)
            if mode.tape is not None:
                mode.tape.owns(param, is_parameter=True)
        self.__dict__["_parameters"][name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Own a tensor that is not trained; a persistent one is part of the state dict."""
        _check_name(self, name, "buffer", "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise EngineTypeError(
                f"cannot assign '{type_name(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        tensor = everywhere.registered("_buffers", self, name, tensor)
        if mode.tape is not None and tensor is not None:
            mode.tape.owns(tensor, is_parameter=False)
        self.__dict__["_buffers"][name] = tensor
        transient = self.__dict__[TRANSIENT]
        (transient.discard if persistent else transient.add)(name)

    def add_module(self, name: str, module: Any) -> None:
        """Own a submodule under a name."""
        if module is not None and not isinstance(module, Holder):
            raise EngineTypeError(f"{type_name(module)} is not a Module subclass")
        _check_name(self, name, "module", "_modules")
        place(self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """Own a submodule under a name."""
        self.add_module(name, module)

    def get_extra_state(self) -> Any:
        """Return what else of a module belongs into its state dict; subclasses define it."""
        raise RuntimeError(_NEVER_CALLED.format("get_extra_state"))

    def set_extra_state(self, state: Any) -> None:
        """Take what else a state dict has of a module; subclasses define it."""
        raise RuntimeError(_NEVER_CALLED.format("set_extra_state"))


def _check_name(module: Holder, name: Any, what: str, kind: str) -> None:
    """Refuse a name under which a module cannot hold a member."""
    state = module.__dict__
    if kind not in state:
        raise AttributeError(f"cannot assign {what} before Module.__init__() call")
    if not isinstance(name, str):
        raise EngineTypeError(f"{what} name should be a string. Got {type_name(name)}")
    if name not in state[kind] and has(module, name):
        raise KeyError(f"attribute '{name}' already exists")
    if "." in name:
        raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
    if name == "":
        raise KeyError(f'{what} name can\'t be empty string ""')
    if name.startswith("__") and name.endswith("__"):
        raise Unsupported(f"{what} name '{name}' is not supported: Python keeps such names for itself")


def _forget(state: dict[str, Any], name: str, *kinds: str) -> None:
    """Make room for a member of another kind under a name."""
    state.pop(name, None)
    state[TRANSIENT].discard(name)
    for kind in kinds:
        state[kind].pop(name, None)


def found_in(state: dict[str, Any], name: str) -> Any:
    """The member of a name, or what is computed of members, in the state of a module."""
    for kind in _TABLES:
        held = state.get(kind)
        if held and name in held:
            return held[name]
    computed = state["_modules"].get(PARAMETRIZATIONS) if "_modules" in state else None
    return kept.value(computed[name]) if computed is not None and name in computed else MISSING


class Kept:
    """The values of members that are computed of others, while they are kept instead of computed anew."""

    def __init__(self) -> None:
        self.depth = 0
        self._values: dict[int, tuple[Any, Any]] = {}

    def value(self, computed: Any) -> Any:
        """The value that a list of parametrizations makes."""
        if not self.depth:
            return computed()
        if id(computed) not in self._values:
            # The list is held, so that no other can come to have its id.
            self._values[id(computed)] = computed, computed()
        return self._values[id(computed)][1]

    def begin(self) -> None:
        """Keep values from now on."""
        self.depth += 1

    def end(self) -> None:
        """Keep them no longer, unless another part of a program still does."""
        self.depth -= 1
        if not self.depth:
            self._values = {}


kept = Kept()


def table_of(module: Holder, kind: str) -> Any:
    """One of the tables of a module, which has none before its __init__() was called."""
    try:
        return module.__dict__[kind]
    except KeyError:
        raise AttributeError(f"'{type(module).__name__}' object has no attribute '{kind}'") from None


def member(module: Holder, name: str) -> Any:
    """Return the value that the module itself holds under a name, ignoring its class and Python's own attributes."""
    state = module.__dict__
    if name in state:
        return state[name]
    found = found_in(state, name)
    if found is MISSING:
        raise AttributeError(f"'{type(module).__name__}' object has no attribute '{name}'")
    return found


def has(module: Holder, name: str) -> bool:
    """True if a module has something under a name; nothing is computed to find out."""
    state = module.__dict__
    if name in state or any(name in state.get(kind, ()) for kind in _TABLES):
        return True
    computed = state.get("_modules", {}).get(PARAMETRIZATIONS)
    return any(name in cls.__dict__ for cls in type(module).__mro__) or (computed is not None and name in computed)


def defines(module: Any, name: str) -> bool:
    """True if the class of a module defines a method of this name."""
    return defined(module, name) is not None


def place(module: Holder, name: str, member: Holder | None) -> None:
    """Put a submodule in the place of another, or of none."""
    module.__dict__["_modules"][name] = everywhere.registered("_modules", module, name, member)


# What every module has, for classes to have something of their own instead.
_NOTHING_MORE = {"get_extra_state": Holder.get_extra_state, "set_extra_state": Holder.set_extra_state}


def overrides(module: Any, name: str) -> bool:
    """True if a class of a module has a method of its own in the place of one that every module has."""
    return defined(module, name) is not _NOTHING_MORE[name]


def type_name(value: Any) -> str:
    """Name the type of a value as PyTorch's messages do."""
    if isinstance(value, Tensor):
        return f"torch.{value.dtype.tensor_name}Tensor"
    kind = value if isinstance(value, type) else type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
