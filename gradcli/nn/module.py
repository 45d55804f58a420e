"""Module: a tree of parameters, buffers and submodules with a forward."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from ..engine.dtypes import dtype as Dtype
from ..engine.graph import RemovableHandle
from ..engine.modes import no_grad
from ..engine.tensor import Tensor
from ..errors import EngineError, EngineTypeError
from .parameter import Buffer, Parameter


class IncompatibleKeys(NamedTuple):
    """What load_state_dict found missing or did not know."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class Module:
    """Base of all layers and models."""

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs or args:
            given = next(iter(kwargs)) if kwargs else None
            raise EngineTypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{given}'"
                if given
                else f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        self._start()

    def _start(self) -> None:
        put = super().__setattr__
        put("training", True)
        put("_parameters", {})
        put("_buffers", {})
        put("_transient", set())
        put("_modules", {})
        put("_forward_hooks", OrderedDict())
        put("_forward_pre_hooks", OrderedDict())
        put("_full_backward_hooks", OrderedDict())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        state = self.__dict__
        for before in state["_forward_pre_hooks"].values() if state.get("_forward_pre_hooks") else ():
            new = before(self, args)
            if new is not None:
                args = new if isinstance(new, tuple) else (new,)
        out = self.forward(*args, **kwargs)
        for after in state["_forward_hooks"].values() if state.get("_forward_hooks") else ():
            new = after(self, args, out)
            if new is not None:
                out = new
        return out

    # -- attributes ------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        state = self.__dict__
        kinds = ("_parameters", "_buffers", "_modules")
        if isinstance(value, (Parameter, Buffer, Module)):
            if "_parameters" not in state:
                what = "parameters" if isinstance(value, Parameter) else "modules"
                raise AttributeError(f"cannot assign {what} before Module.__init__() call")
            for kind in kinds:
                state[kind].pop(name, None)
            state.pop(name, None)
            kind = "_parameters" if isinstance(value, Parameter) else "_modules"
            if isinstance(value, Buffer):
                self.register_buffer(name, value, value.persistent)
            else:
                state[kind][name] = value
            return
        if "_parameters" in state:
            if name in state["_parameters"]:
                if value is not None:
                    raise EngineTypeError(
                        f"cannot assign '{_type_name(value)}' as parameter '{name}' (torch.nn.Parameter or None "
                        "expected)"
                    )
                state["_parameters"][name] = None
                return
            if name in state["_modules"]:
                if value is not None:
                    raise EngineTypeError(
                        f"cannot assign '{_type_name(value)}' as child module '{name}' (torch.nn.Module or None "
                        "expected)"
                    )
                state["_modules"][name] = None
                return
            if name in state["_buffers"]:
                if value is not None and not isinstance(value, Tensor):
                    raise EngineTypeError(
                        f"cannot assign '{_type_name(value)}' as buffer '{name}' (torch.Tensor, torch.nn.Buffer or "
                        "None expected)"
                    )
                state["_buffers"][name] = value
                return
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        for kind in ("_parameters", "_buffers", "_modules"):
            held = self.__dict__.get(kind)
            if held is not None and name in held:
                return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(kind, {}):
                del self.__dict__[kind][name]
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Own a parameter under a name."""
        if param is not None and not isinstance(param, Parameter):
            raise EngineTypeError(
                f"cannot assign '{_type_name(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise EngineError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly."
            )
        self._named(name, "parameter")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Own a tensor that is not trained; a persistent one is part of the state dict."""
        self._named(name, "buffer")
        self._buffers[name] = tensor
        if persistent:
            self._transient.discard(name)
        else:
            self._transient.add(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Own a submodule under a name."""
        self.add_module(name, module)

    def add_module(self, name: str, module: Module | None) -> None:
        """Own a submodule under a name."""
        if module is not None and not isinstance(module, Module):
            raise EngineTypeError(f"{_type_name(module)} is not a Module subclass")
        self._named(name, "module")
        self._modules[name] = module

    def _named(self, name: Any, what: str) -> None:
        if not isinstance(name, str):
            raise EngineTypeError(f"{what} name should be a string. Got {_type_name(name)}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')

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
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """The module and all below it."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below, with their names."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly below."""
        for _, module in self.named_children():
            yield module

    def _named_members(self, kind: str, prefix: str, recurse: bool, unique: bool = True) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for name, member in getattr(module, kind).items():
                if member is None or (unique and id(member) in seen):
                    continue
                seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters, with dotted names."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters."""
        for _, p in self.named_parameters(recurse=recurse):
            yield p

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers, with dotted names."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        for _, b in self.named_buffers(recurse=recurse):
            yield b

    def get_submodule(self, target: str) -> Module:
        """The module at a dotted name."""
        module: Module = self
        for name in filter(None, target.split(".")):
            found = module._modules.get(name)
            if found is None:
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = found
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted name."""
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._parameters.get(name)
        if found is None:
            raise AttributeError(f"{type(self).__name__} has no attribute `{name}`")
        return found

    def apply(self, function: Callable[[Module], Any]) -> Self:
        """Call ``function`` on every submodule, then on this one."""
        for module in self.children():
            module.apply(function)
        function(self)
        return self

    # -- state -----------------------------------------------------------------------------

    def state_dict(self, *, prefix: str = "", keep_vars: bool = False) -> OrderedDict[str, Tensor]:
        """Parameters and persistent buffers by dotted name."""
        found: OrderedDict[str, Tensor] = OrderedDict()
        for path, module in self.named_modules(prefix=prefix.rstrip("."), remove_duplicate=False):
            lead = f"{path}." if path else ""
            for name, p in module._parameters.items():
                if p is not None:
                    found[lead + name] = p if keep_vars else p.detach()
            for name, b in module._buffers.items():
                if b is not None and name not in module._transient:
                    found[lead + name] = b if keep_vars else b.detach()
        return found

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy the values of a state dict into this module."""
        own = self.state_dict(keep_vars=True)
        missing = [k for k in own if k not in state_dict]
        unexpected = [k for k in state_dict if k not in own]
        complaints = []
        if strict and unexpected:
            complaints.append("Unexpected key(s) in state_dict: " + ", ".join(f'"{k}"' for k in unexpected) + ". ")
        if strict and missing:
            complaints.append("Missing key(s) in state_dict: " + ", ".join(f'"{k}"' for k in missing) + ". ")
        with no_grad():
            for key, target in own.items():
                if key not in state_dict:
                    continue
                value = state_dict[key]
                if value.shape != target.shape:
                    complaints.append(
                        f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the "
                        f"shape in current model is {target.shape}."
                    )
                elif assign:
                    path, _, name = key.rpartition(".")
                    owner = self.get_submodule(path)
                    setattr(owner, name, Parameter(value) if name in owner._parameters else value)
                else:
                    target.copy_(value)  # type: ignore[attr-defined]
        if complaints:
            raise EngineError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(complaints)
            )
        return IncompatibleKeys(missing, unexpected)

    def train(self, mode: bool = True) -> Self:
        """Switch to training mode (or evaluation)."""
        if not isinstance(mode, bool):
            raise EngineTypeError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Switch to evaluation mode."""
        return self.train(False)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the parameters' gradients."""
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad = p.grad.detach()
                    p.grad.zero_()  # type: ignore[attr-defined]

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Ask for gradients of all parameters, or of none."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def _convert(self, change: Callable[[Any], Any]) -> Self:
        for module in self.modules():
            for p in module._parameters.values():
                if p is not None:
                    p.data = change(p.data)
                    if p.grad is not None:
                        p.grad = change(p.grad)
            for name, b in module._buffers.items():
                if b is not None:
                    module._buffers[name] = change(b)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Change the element type of floating parameters and buffers."""
        wanted = [a for a in (*args, *kwargs.values()) if isinstance(a, Dtype)]
        if wanted and not wanted[0].is_floating_point:
            raise EngineTypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={wanted[0]}")
        return self._convert(
            lambda t: t.to(*args, **kwargs) if not wanted or t.is_floating_point() else t
        )

    def double(self) -> Self:
        """Change floating parameters and buffers to float64."""
        return self._convert(lambda t: t.double() if t.is_floating_point() else t)

    def float(self) -> Self:
        """Change floating parameters and buffers to float32."""
        return self._convert(lambda t: t.float() if t.is_floating_point() else t)

    def cpu(self) -> Self:
        """The module itself: there is only the CPU."""
        return self

    # -- hooks -----------------------------------------------------------------------------

    def register_forward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after forward."""
        return RemovableHandle(self.__dict__["_forward_hooks"], hook)

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, args)`` before forward."""
        return RemovableHandle(self.__dict__["_forward_pre_hooks"], hook)

    # -- printing --------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What a subclass says of itself between the parentheses."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        lines = extra_lines + child_lines
        head = self._get_name() + "("
        if lines:
            if len(extra_lines) == 1 and not child_lines:
                head += extra_lines[0]
            else:
                head += "\n  " + "\n  ".join(lines) + "\n"
        return head + ")"

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin: Self = object.__new__(type(self))
        memo[id(self)] = twin
        twin.__dict__.update({k: copy.deepcopy(v, memo) for k, v in self.__dict__.items()})
        return twin


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _type_name(value: Any) -> str:
    kind = type(value)
    if isinstance(value, Tensor) and kind.__module__.startswith("gradcli"):
        return f"torch.{value.dtype.tensor_name}Tensor"
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def count(parameters: Any) -> int:
    """How many numbers the parameters hold."""
    return int(np.sum([p.numel() for p in parameters]))
