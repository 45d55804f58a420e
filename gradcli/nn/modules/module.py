"""Module: a tree of parameters, buffers and submodules with a forward."""

from __future__ import annotations

import sys
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self, TypeVar

from ...engine.dtypes import dtype as Dtype
from ...engine.graph import RemovableHandle
from ...engine.guard.outside import guarded
from ...engine.guard.trusted_classes import ours
from ...engine.memory.places import Device, reached
from ...engine.modes import mode, no_grad
from ...engine.ops.make import filled
from ...engine.tape.frames import MODULE
from ...engine.tensor import Tensor
from ...errors import EngineError, EngineNotImplementedError, EngineTypeError, EngineValueError
from ..base import everywhere, state
from ..base.everywhere import (
    register_module_backward_hook as register_module_backward_hook,
    register_module_buffer_registration_hook as register_module_buffer_registration_hook,
    register_module_forward_hook as register_module_forward_hook,
    register_module_forward_pre_hook as register_module_forward_pre_hook,
    register_module_full_backward_hook as register_module_full_backward_hook,
    register_module_full_backward_pre_hook as register_module_full_backward_pre_hook,
    register_module_module_registration_hook as register_module_module_registration_hook,
    register_module_parameter_registration_hook as register_module_parameter_registration_hook,
)
from ..base.holder import PARAMETRIZATIONS, TRANSIENT, Holder, has, place, table_of, type_name
from ..base.state import _IncompatibleKeys as _IncompatibleKeys, loaded, saved
from ..parameter import Parameter, is_lazy

M = TypeVar("M", bound="Module")
_COMPLEX_MODULES = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not "
    "work as expected when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as "
    "expected."
)
_REPLICA = (
    "Calling .zero_grad() from a module created with nn.DataParallel() has no effect. The parameters are copied (in a "
    "differentiable manner) from the original module. This means they are not leaf nodes in autograd and so don't "
    "accumulate gradients. If you need gradients in your forward method, consider using autograd.grad instead."
)
_ALREADY_PUBLIC = (
    "Cannot register the same function as the state dict post hook that was previously registered via "
    "register_state_dict_post_hook"
)
_POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)
_BACKWARD_HOOKS = ("_backward_pre_hooks", "_backward_hooks")
# What is `with_kwargs` and `always_called` is told by the numbers of the hooks.
_OTHER_HOOKS = (
    "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)  # fmt: skip


class Module(Holder):
    """Base of all layers and models."""

    training: bool
    _forward_hooks: OrderedDict[int, Any]
    _forward_pre_hooks: OrderedDict[int, Any]
    _backward_hooks: OrderedDict[int, Any]
    _backward_pre_hooks: OrderedDict[int, Any]
    # Whether its backward hooks are full ones; None while it has none.
    _is_full_backward_hook: bool | None
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]
    _state_dict_pre_hooks: OrderedDict[int, Any]
    _state_dict_hooks: OrderedDict[int, Any]
    _load_state_dict_pre_hooks: OrderedDict[int, Any]
    _load_state_dict_post_hooks: OrderedDict[int, Any]
    # What a state dict says of the layout of a module's members.
    _version = 1
    # Attributes that modules of earlier versions lack, and what stands for them.
    _added: dict[str, Any] = {}
    # What PyTorch's own classes are asked: nothing here goes by it.
    dump_patches = False
    T_destination = TypeVar("T_destination", bound=dict[str, Any])
    # Whether the classes behind this one in the order of a class's bases are initialised too.
    call_super_init = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs and not self.call_super_init:
            raise EngineTypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if args and not self.call_super_init:
            raise EngineTypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        state = self.__dict__
        state.update(training=True, _parameters={}, _buffers={})
        _begin_without(state)
        state["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's output; subclasses define it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tape = mode.tape
        if tape is not None and tape.frames.wanted:
            return tape.frames.within(MODULE, self, type(self).__name__, _with_hooks())(self, args, kwargs)
        state = self.__dict__
        try:
            hooked = (
                state["_backward_hooks"] or state["_backward_pre_hooks"]
                or state["_forward_hooks"] or state["_forward_pre_hooks"]
            )  # fmt: skip
        except KeyError as missing:
            table_of(self, missing.args[0])
        if hooked or everywhere.AROUND_CALLS:
            return _with_hooks()(self, args, kwargs)
        return self.forward(*args, **kwargs)

    # -- walking the tree ------------------------------------------------------------------

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """The module and all below it, with dotted names."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in table_of(self, "_modules").items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """The module and all below it."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below, with their names."""
        seen: set[Module] = set()
        for name, module in table_of(self, "_modules").items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly below."""
        for _, module in self.named_children():
            yield module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters, with dotted names."""
        yield from self._named_members(_kept_in("_parameters"), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters."""
        for _, p in self.named_parameters(recurse=recurse):
            yield p

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers, with dotted names."""
        yield from self._named_members(_kept_in("_buffers"), prefix, recurse, remove_duplicate)

    def _named_members(
        self, get_members_fn: Any, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """The members that a function gives of this module, and of all below it, with dotted names."""
        seen: set[int] = set()
        for path, owner in self.named_modules(None, prefix, remove_duplicate) if recurse else [(prefix, self)]:
            if not isinstance(owner, Holder):
                raise EngineTypeError(f"{type_name(owner)} is not a Module subclass")
            for name, member in get_members_fn(owner):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        for _, b in self.named_buffers(recurse=recurse):
            yield b

    def get_submodule(self, target: str) -> Module:
        """The module at a dotted name."""
        module: Module = self
        _check_name("get_submodule", target)
        for name in target.split(".") if target else ():
            found = _held(module, "_modules", name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
            module = found
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a dotted name; a strict one is there already."""
        _check_name("set_submodule", target)
        path, _, name = target.rpartition(".")
        if not target:
            raise EngineValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise EngineValueError(f"`module` is not an nn.Module, found {type(module)}")
        owner = self.get_submodule(path)
        if strict and not has(owner, name):
            raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
        if has(owner, name) and not isinstance(_held(owner, "_modules", name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        place(owner, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted name."""
        _check_name("get_parameter", target)
        path, _, name = target.rpartition(".")
        found = _held(self.get_submodule(path), "_parameters", name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted name."""
        _check_name("get_buffer", target)
        path, _, name = target.rpartition(".")
        found: Any = _held(self.get_submodule(path), "_buffers", name)
        if found is None:
            raise AttributeError(f"`{name}` is not a buffer")
        buffer: Tensor = found
        return buffer

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call ``fn`` on every submodule, then on this one."""
        for module in self.children():
            module.apply(fn)
        guarded(fn)(self)
        return self

    # -- state -----------------------------------------------------------------------------

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Parameters and persistent buffers by dotted name."""
        if args:
            warnings.warn(_POSITIONAL, FutureWarning, stacklevel=2)
            # What comes after the third is left out.
            given: Any = (*args, *(destination, prefix, keep_vars)[len(args) :])[:3]
            return saved(self, *given)
        return saved(self, destination, prefix, keep_vars)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled; what modules of its time did not have is empty."""
        own = self.__dict__
        own.update(state)
        _begin_without(own)
        for name, value in ours(self, Module)._added.items():
            own.setdefault(name, value)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Write what a state dict has of this module alone; subclasses may do it otherwise."""
        state.save_own(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Take what a state dict has of this module alone; subclasses may do it otherwise."""
        state.load_own(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy the values of a state dict into this module."""
        return loaded(self, state_dict, strict, assign)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before the module's state is saved."""
        return state.hang(self, state.BEFORE_SAVING, guarded(hook))

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call a hook when the module's state is saved; what it returns replaces the state."""
        told = guarded(hook)
        if told in table_of(self, state.AFTER_SAVING).values():
            raise EngineError(_ALREADY_PUBLIC)
        return state.hang(self, state.AFTER_SAVING, state.Kept(told))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """Call ``hook(state_dict, prefix, ...)`` before the module takes a state, which it may change."""
        told = guarded(hook) if with_module else state.WithoutModule(guarded(hook))
        return state.hang(self, state.BEFORE_LOADING, told)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` when the module's state is saved."""
        return state.hang(self, state.AFTER_SAVING, guarded(hook))

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, ...)`` before the module takes a state, which it may change."""
        return state.hang(self, state.BEFORE_LOADING, guarded(hook))

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` when the module has taken a state."""
        return state.hang(self, state.AFTER_LOADING, guarded(hook))

    def train(self, mode: bool = True) -> Self:
        """Switch to training mode (or evaluation)."""
        if not isinstance(mode, bool):
            raise EngineValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Switch to evaluation mode."""
        return self.train(False)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the parameters' gradients."""
        if "_is_replica" in self.__dict__:
            warnings.warn(_REPLICA, UserWarning, stacklevel=2)
        for p in self.parameters():
            if p.grad is not None:
                p.grad = None if set_to_none else emptied(p.grad)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Ask for gradients of all parameters, or of none."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Change the element type of floating parameters and buffers."""
        for given in (*args, *kwargs.values()):
            if not isinstance(given, Dtype):
                continue
            if given.is_complex:
                warnings.warn(_COMPLEX_MODULES, UserWarning, stacklevel=2)
            elif not given.is_floating_point:
                raise EngineTypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={given}"
                )
        laid_out = kwargs.get("memory_format") is not None
        device = kwargs.get("device", args[0] if args and isinstance(args[0], (str, Device)) else None)

        def change(t: Any) -> Any:
            if device is not None and t.is_meta and reached(device).type != "meta":
                raise EngineNotImplementedError(
                    "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
                    "torch.nn.Module.to() when moving module from meta to a different device."
                )
            if not (t.is_floating_point() or t.is_complex()):
                return t if device is None else t.to(device)
            options = kwargs if not laid_out or t.dim() in (4, 5) else {**kwargs, "memory_format": None}
            return t.to(*args, **options)

        return self._apply(change)

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Change all parameters, their gradients, and buffers, as a function changes a tensor."""
        change = guarded(fn)
        if recurse:
            for module in self.children():
                module._apply(fn)
        held = self.__dict__["_parameters"]
        if held:
            from ..base.changing import change_parameter

            with no_grad():
                for name, p in held.items():
                    if p is not None:
                        change_parameter(self, name, p, change)
        buffers = self.__dict__["_buffers"]
        buffers.update({name: change(b) for name, b in buffers.items() if b is not None})
        return self

    def type(self, dst_type: Any) -> Self:
        """Change the element type of all parameters and buffers."""
        return self._apply(lambda t: t.type(dst_type))

    def double(self) -> Self:
        """Change floating parameters and buffers to float64."""
        return _convert(self, lambda t: t.double())

    def float(self) -> Self:
        """Change floating parameters and buffers to float32."""
        return _convert(self, lambda t: t.float())

    def half(self) -> Self:
        """Change floating parameters and buffers to float16."""
        return _convert(self, lambda t: t.half())

    def bfloat16(self) -> Self:
        """Change floating parameters and buffers to bfloat16."""
        return _convert(self, lambda t: t.bfloat16())

    def cpu(self) -> Self:
        """The module itself: numbers are on the CPU."""
        return self._apply(lambda t: t.cpu())

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Memory of which nobody says what is in it for all parameters and buffers."""
        return self._apply(lambda t: filled.empty_like(t, device=device), recurse)

    def share_memory(self) -> Self:
        """The module itself: there is one process."""
        held: Any
        for held in (*self.parameters(), *self.buffers()):
            if is_lazy(held):
                held.share_memory_()
        return self

    def cuda(self, device: Any = None) -> Self:
        """Refused where there is a parameter or a buffer to move: there is only the CPU."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self, device: Any = None) -> Self:
        """Refused where there is a parameter or a buffer to move: there is only the CPU."""
        return self._apply(lambda t: t.to("xpu" if device is None else device))

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is compiled here: the module runs as it is written."""
        del args, kwargs

    # -- hooks -----------------------------------------------------------------------------

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after forward; what it returns replaces the output."""
        facts = ("_forward_hooks_with_kwargs",) * with_kwargs + ("_forward_hooks_always_called",) * always_call
        return hang_hook(self, "_forward_hooks", guarded(hook), prepend, *facts)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before forward; what it returns replaces the arguments."""
        facts = ("_forward_pre_hooks_with_kwargs",) * with_kwargs
        return hang_hook(self, "_forward_pre_hooks", guarded(hook), prepend, *facts)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients at the inputs are known."""
        _choose_kind(self, True)
        return hang_hook(self, "_backward_hooks", guarded(hook), prepend)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the gradients at the outputs are known."""
        return hang_hook(self, "_backward_pre_hooks", guarded(hook), prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` after the module's last node: an older kind of hook."""
        _choose_kind(self, False)
        return hang_hook(self, "_backward_hooks", guarded(hook), False)

    # -- printing --------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Return what stands between the parentheses of a layer's repr; subclasses define it."""
        return ""

    def _get_name(self) -> str:
        name = self.__class__.__name__
        named = name.startswith("Parametrized") or PARAMETRIZATIONS not in table_of(self, "_modules")
        return name if named else f"Parametrized{name}"

    def __repr__(self) -> str:
        extra = self.extra_repr()
        own = extra.split("\n") if extra else []
        below = [f"({name}): {_addindent(repr(module), 2)}" for name, module in table_of(self, "_modules").items()]
        if len(own) == 1 and not below:
            return f"{self._get_name()}({extra})"
        lines = "".join(f"\n  {line}" for line in (*own, *below))
        return f"{self._get_name()}({lines}" + ("\n)" if lines else ")")


def _begin_without(state: dict[str, Any]) -> None:
    """Have a module begin without hooks, unless its state has some."""
    state.setdefault(TRANSIENT, set())
    for name in _BACKWARD_HOOKS:
        state.setdefault(name, OrderedDict())
    state.setdefault("_is_full_backward_hook", None)
    for name in _OTHER_HOOKS:
        state.setdefault(name, OrderedDict())


def _kept_in(kind: str) -> Callable[[Module], Any]:
    """Make the function that gives the members of a kind that a module has itself."""
    return lambda module: table_of(module, kind).items()


def _check_name(function: str, target: Any) -> None:
    """Refuse what is no name: nothing that it has is called."""
    if not (target is None or isinstance(target, str)):
        got = type(target).__name__
        raise EngineTypeError(f"{function}(): argument 'target' (position 1) must be str, not {got}")


def _held(module: Module, kind: str, name: str) -> Any:
    """The member of a kind that a module has under a name; None where the name means something else."""
    if not isinstance(module, Holder):
        raise AttributeError(f"'{type_name(module)}' object has no attribute `{name}`")
    if not has(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return module.__dict__[kind].get(name)


def _convert(model: M, change: Callable[[Any], Any]) -> M:
    """Change the numbers of floating parameters, of their gradients and of floating buffers."""

    def changed(t: Any) -> Any:
        return change(t) if t.is_floating_point() else t

    return model._apply(changed)


def _with_hooks() -> Any:
    """The call of a module that has hooks, read when there is the first."""
    from ..base.hooked_call import call_with_hooks

    return call_with_hooks


def hang_hook(module: Module, table: str, hook: Any, first: bool, *facts: str) -> RemovableHandle:
    """Hang a hook on a module; the facts are noted by its number."""
    hooks = module.__dict__[table]
    handle = RemovableHandle(hooks, hook, tuple(module.__dict__[fact] for fact in facts))
    if first:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _choose_kind(module: Module, full: bool) -> None:
    """Say of which kind a module's backward hooks are: it has one kind."""
    if module.__dict__["_is_full_backward_hook"] is (not full):
        raise EngineError(
            "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one "
            "of them."
        )
    module.__dict__["_is_full_backward_hook"] = full


def emptied(grad: Any) -> Any:
    """A gradient outside the graph, written over with zeros."""
    (grad.requires_grad_(False) if grad.is_leaf else grad.detach_()).zero_()
    return grad


def _addindent(s_: str, numSpaces: int) -> str:
    """A text with all lines but the first moved to the right."""
    return s_.replace("\n", "\n" + " " * numSpaces)


sys.modules[__name__].__class__ = everywhere.WithTables
