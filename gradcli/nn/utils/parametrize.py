"""torch.nn.utils.parametrize: members of a module that are computed of others whenever they are read."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from ...engine.guard.outside import guarded
from ...engine.modes import Decorator, no_grad
from ...engine.tensor import Tensor
from ...errors import EngineError, EngineTypeError, EngineValueError, Unsupported
from ..base.holder import PARAMETRIZATIONS, Holder, defines, has, kept, member, type_name
from ..modules.container import ModuleDict, ModuleList
from ..parameter import Parameter


def _own(module: Any, name: str, value: Any) -> None:
    (module.register_parameter if isinstance(value, Parameter) else module.register_buffer)(name, value)


class ParametrizationList(ModuleList):
    """The original of a parametrized member, and the modules that compute its value from it, in order."""

    def __init__(self, modules: Any, original: Any, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        dtype, shape = original.dtype, original.shape
        with no_grad():
            made = original
            for module in reversed(list(self)):
                if defines(module, "right_inverse"):
                    try:
                        made = guarded(module.right_inverse)(made)
                    except Unsupported:
                        raise
                    except NotImplementedError:
                        # What has no inverse is computed of the member as it is.
                        continue
        if not isinstance(made, (Tensor, Sequence)):
            raise EngineValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(made).__name__}"
            )
        self.is_tensor = isinstance(made, Tensor)
        self.ntensors = 1 if self.is_tensor else len(made)
        if isinstance(made, Tensor):
            if made.dtype != dtype:
                raise EngineValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {made.dtype}"
                )
            original.data = made.data
            _own(self, "original", original)
        else:
            for i, part in enumerate(made):
                if not isinstance(part, Tensor):
                    raise EngineValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element "
                        f"{i} of the sequence with type {type(part).__name__}."
                    )
                held = Parameter(part.detach(), original.requires_grad) if isinstance(original, Parameter) else part
                _own(self, f"original{i}", held)
        if not unsafe:
            self._check(self(), dtype, shape)

    def _check(self, made: Any, dtype: Any, shape: Any) -> None:
        if not isinstance(made, Tensor):
            raise EngineValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        for what, before, after in (("dtype", dtype, made.dtype), ("shape", shape, made.shape)):
            if before != after:
                raise EngineValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                    f"enabled.\nunparametrized {what}: {before}\nparametrized {what}: {after}"
                )

    def forward(self) -> Any:
        """The member."""
        first, *others = self
        parts = ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]
        made = first(*[member(self, part) for part in parts])
        for module in others:
            made = module(made)
        return made

    def right_inverse(self, value: Any) -> None:
        """Change what the member is computed of, so that it becomes this value."""
        with no_grad():
            for module in reversed(list(self)):
                if not defines(module, "right_inverse"):
                    raise EngineError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = guarded(module.right_inverse)(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise EngineValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                self.original.data = value.data
            else:
                kind = "'right_inverse' must return a sequence of tensors"
                if not isinstance(value, (tuple, list)):
                    raise EngineValueError(f"{kind}. Got {type(value).__name__}.")
                if len(value) != self.ntensors:
                    raise EngineValueError(
                        f"{kind} of length {self.ntensors}. Got a sequence of length {len(value)}."
                    )
                for i, part in enumerate(value):
                    if not isinstance(part, Tensor):
                        raise EngineValueError(
                            f"{kind} or reference-type opaques. Got element {i} of type {type(part).__name__}."
                        )
                    member(self, f"original{i}").data = part.data


# What a class says that was made for modules with parametrized members, of which the class before is the base.
_INJECTED = "_of_parametrized"


def _inject_class(module: Any) -> None:
    """Have a module be of a class of its own, which says that members are parametrized, and cannot be pickled."""
    cls: Any = type(module)
    # What a program's own classes are made by makes no class here.
    if type(cls) is not type:
        return
    body: dict[str, Any] = {_INJECTED: True, "__getstate__": _refuse_pickling, "__module__": __name__}
    if not hasattr(cls, "__deepcopy__"):
        body["__deepcopy__"] = _deep_copy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), body)


def _refuse_pickling(module: Any) -> Any:
    raise EngineError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _deep_copy(module: Any, memo: Any) -> Any:
    twin: Any = object.__new__(type(module))
    memo[id(module)] = twin
    twin.__dict__.update(copy.deepcopy(module.__dict__, memo))
    return twin


def _is_injected(module: Any) -> bool:
    return _INJECTED in type(module).__dict__


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """True if a member of a module, or any of them, is parametrized."""
    held = module.__dict__["_modules"].get(PARAMETRIZATIONS) if isinstance(module, Holder) else None
    return held is not None and (tensor_name in held if tensor_name is not None else len(held) > 0)


def _check_another(name: str, before: Tensor, made: Any) -> None:
    """Refuse what a further parametrization makes of a member, unless it is a tensor like the one before."""
    if not isinstance(made, Tensor):
        raise EngineValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
    for what, old, new in (("dtype", before.dtype, made.dtype), ("shape", before.shape, made.shape)):
        if old != new:
            raise EngineValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is "
                f"enabled.\nmodule.{name}.{what}: {old}\nparametrization(module.{name}).{what}: {new}"
            )


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Have a member of a module computed by another module whenever it is read."""
    for given in (module, parametrization):
        if not isinstance(given, Holder):
            raise EngineTypeError(f"{type_name(given)} is not a Module subclass")
    if not isinstance(tensor_name, str):
        raise EngineTypeError(f"the name of a tensor is a string, not {type_name(tensor_name)}")
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        listed = module.parametrizations[tensor_name]
        if not unsafe:
            before: Any = member(module, tensor_name)
            _check_another(tensor_name, before, guarded(parametrization)(before))
        listed.append(parametrization)
        listed.unsafe |= unsafe
    elif tensor_name in module.__dict__["_buffers"] or tensor_name in module.__dict__["_parameters"]:
        original: Any = member(module, tensor_name)
        listed = ParametrizationList([parametrization], original, unsafe)
        Holder.__delattr__(module, tensor_name)
        if not is_parametrized(module):
            _inject_class(module)
            Holder.add_module(module, PARAMETRIZATIONS, ModuleDict())
        module.parametrizations[tensor_name] = listed
    else:
        raise EngineValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make a member of a module its own again: as it is computed, or as it was before."""
    if not is_parametrized(module, tensor_name):
        raise EngineValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    listed = module.parametrizations[tensor_name]
    if listed.is_tensor:
        original = listed.original
        if leave_parametrized:
            with no_grad():
                original.data = member(module, tensor_name).data
    elif leave_parametrized:
        made = member(module, tensor_name)
        original = Parameter(made.detach()) if made.requires_grad else made
    else:
        raise EngineValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    del module.parametrizations[tensor_name]
    if not is_parametrized(module):
        Holder.__delattr__(module, PARAMETRIZATIONS)
        if _is_injected(module):
            module.__class__ = type(module).__bases__[0]
    _own(module, tensor_name, original)
    return module


class cached(Decorator):
    """Within this, parametrized members are computed once, when they are first read."""

    def __enter__(self) -> None:
        kept.begin()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        kept.end()


def type_before_parametrizations(module: Any) -> type:
    """The class that a module was of before members of it were parametrized."""
    return type(module).__bases__[0] if _is_injected(module) else type(module)


def transfer_parametrizations_and_params(from_module: Any, to_module: Any, tensor_name: str | None = None) -> Any:
    """Have another module compute its members as one does, of what that one computes them of."""
    if not is_parametrized(from_module):
        return to_module
    names = list(from_module.parametrizations) if tensor_name is None else [tensor_name]
    for name in names:
        if not has(to_module, name):
            Holder.register_parameter(to_module, name, Parameter(member(from_module, name)))
        theirs = from_module.parametrizations[name]
        for parametrization in theirs:
            register_parametrization(to_module, name, parametrization)
        mine = to_module.parametrizations[name]
        for part in ["original"] if theirs.is_tensor else [f"original{i}" for i in range(theirs.ntensors)]:
            _own(mine, part, member(theirs, part))
    return to_module
