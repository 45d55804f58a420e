"""Modules that hold modules, or parameters."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

from ...engine.guard.outside import guarded
from ...engine.tensor import Tensor
from ...errors import EngineError, EngineIndexError, EngineTypeError, EngineValueError
from ..base.holder import Holder, defines, place, type_name
from ..parameter import Parameter
from .module import Module, _addindent


class _Row(Module):
    """Modules named by their places."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __setitem__(self, index: int, module: Module) -> None:
        key = _key(self, index)
        if module is not None and not isinstance(module, Holder):
            raise EngineTypeError(
                f"cannot assign '{type_name(module)}' as child module '{key}' (torch.nn.Module or None expected)"
            )
        place(self, key, module)

    def __delitem__(self, index: int | slice) -> None:
        gone = list(self._modules)[index] if isinstance(index, slice) else [_key(self, index)]
        _renumber(self, [m for k, m in self._modules.items() if k not in gone])

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take a module out, or several."""
        found = self[key]
        del self[key]
        return found

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError


def _key(row: _Row, index: Any) -> str:
    """The name of the module at a place."""
    names: list[str] = list(row.__dict__["_modules"])
    place = operator.index(index)
    if not -len(names) <= place < len(names):
        raise EngineIndexError(f"index {index} is out of range")
    return names[place]


def _renumber(row: _Row, modules: Iterable[Any]) -> None:
    """Name modules by their places."""
    row.__dict__["_modules"] = {str(i): m for i, m in enumerate(modules)}


class Sequential(_Row):
    """Modules called one after the other."""

    # Hears of each call of a module inside before it is made: so the limits of a program reach in here.
    told: ClassVar[Callable[[Module, tuple[Any, ...], dict[str, Any]], None] | None] = None

    def __init__(self, *args: Any) -> None:
        super().__init__()
        by_name = len(args) == 1 and isinstance(args[0], OrderedDict)
        named: Iterable[tuple[Any, Any]] = args[0].items() if by_name else enumerate(args)
        for name, module in named:
            self.add_module(name if by_name else str(name), module)

    def forward(self, input: Any) -> Any:
        """Pass the input through all modules."""
        told = Sequential.told
        for module in self._modules.values():
            if told is not None:
                told(module, (input,), {})
            input = module(input)
        return input

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[_key(self, index)]

    def insert(self, index: int, module: Module) -> Self:
        """Add a module before another."""
        n = len(self)
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -n <= index <= n:
            raise EngineIndexError(f"Index out of range: {index}")
        held = list(self)
        held.insert(index, module)
        _renumber(self, held)
        return self

    def __add__(self, other: Any) -> Sequential:
        return Sequential(*self).__iadd__(other)

    def __iadd__(self, other: Any) -> Self:
        if not isinstance(other, Sequential):
            raise EngineValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return self.extend(other)

    def __mul__(self, times: int) -> Sequential:
        return Sequential(*self).__imul__(times)

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Self:
        if not isinstance(times, int):
            raise EngineTypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise EngineValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return self.extend(list(self) * (times - 1))


class ModuleList(_Row):
    """A list of modules."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._modules[_key(self, index)]

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise EngineTypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        return super().extend(modules)

    __iadd__ = extend

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def insert(self, index: int, module: Module) -> None:
        """Add a module before another."""
        held = list(self)
        held.insert(index, module)
        _renumber(self, held)

    def __repr__(self) -> str:
        """Equal neighbours are shown once, with their range."""
        runs: list[list[Any]] = []
        for i, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        lines = [
            f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in runs
        ]
        body = "".join(f"\n  {_addindent(line, 2)}" for line in lines)
        return f"{self._get_name()}({body}" + ("\n)" if body else ")")


class ModuleDict(Module):
    """Modules by name."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The names with their modules."""
        return self._modules.items()

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def update(self, modules: Any) -> None:
        """Add modules by name."""
        for key, module in pairs(modules, "ModuleDict", "ModuleDict"):
            self[key] = module

    def pop(self, key: str) -> Any:
        """Take a module out."""
        return self._modules.pop(key)


def pairs(given: Any, name: str, plural: str) -> Iterable[tuple[str, Any]]:
    """The keys and values of a mapping, or of a sequence of pairs."""
    if not isinstance(given, Iterable):
        raise EngineTypeError(
            f"{plural}.update should be called with an iterable of key/value pairs, but got {type(given).__name__}"
        )
    if isinstance(given, Mapping) or (isinstance(given, Module) and defines(given, "items")):
        found: Iterable[tuple[str, Any]] = given.items()
        return found
    checked = []
    for i, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise EngineTypeError(f"{name} update sequence element #{i} should be Iterable; is{type(pair).__name__}")
        pair = list(pair)
        if len(pair) != 2:
            raise EngineValueError(f"{name} update sequence element #{i} has length {len(pair)}; 2 is required")
        checked.append((pair[0], pair[1]))
    return checked


class DataParallel(Module):
    """A module that is called as it is: there is only the CPU, and nothing to share the work with."""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        del device_ids, output_device, dim
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the module."""
        return guarded(self.module)(*inputs, **kwargs)


class ParameterList(Module):
    """A list of parameters, and of whatever else it is given."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.__dict__["_others"] = {}
        if values is not None:
            self.extend(values)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise EngineError("ParameterList should not be called.")

    def __len__(self) -> int:
        return len(self._parameters) + len(self._modules) + len(self._others)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(len(self))[index]])
        return _found(self, _position(self, index))

    def __setitem__(self, index: int, value: Any) -> None:
        _hold(self, _position(self, index), value)

    def append(self, value: Any) -> Self:
        """Add a value at the end; a tensor becomes a parameter."""
        _hold(self, str(len(self)), value)
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise EngineTypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend

    def extra_repr(self) -> str:
        """A line for each value."""
        return "\n".join(_line(i, v, str(v.dtype) if isinstance(v, Tensor) else "") for i, v in enumerate(self))


class ParameterDict(Module):
    """Parameters by name, and whatever else it is given."""

    _keys: dict[str, None]

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self.__dict__.update(_keys={}, _others={})
        if parameters is not None:
            self.update(parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise EngineError("ParameterDict should not be called.")

    def __getitem__(self, key: str) -> Any:
        return _found(self, _checked(key))

    def __setitem__(self, key: str, value: Any) -> None:
        _hold(self, _checked(key), value)
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        for held in _tables(self):
            held.pop(key, None)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __or__(self, other: ParameterDict) -> ParameterDict:
        both = self.copy()
        both.update(other)
        return both

    def __ror__(self, other: Any) -> Any:
        both = other.copy()
        both.update(self)
        return both

    def __ior__(self, other: ParameterDict) -> Self:
        self.update(other)
        return self

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return (self[k] for k in self._keys)

    def items(self) -> Iterable[tuple[str, Any]]:
        """The names with their parameters."""
        return ((k, self[k]) for k in self._keys)

    def copy(self) -> ParameterDict:
        """Another dict of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def clear(self) -> None:
        """Take all parameters out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take a parameter out."""
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Take the last parameter out, with its name."""
        key, _ = self._keys.popitem()
        found = getattr(self, key)
        delattr(self, key)
        return key, found

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, or the default."""
        return self[key] if key in self._keys else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, which becomes the default if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A dict of these names, all with the default."""
        return ParameterDict([(k, default) for k in keys])

    def update(self, parameters: Any) -> None:
        """Add parameters by name; those of a plain dict in the order of their names."""
        given = pairs(parameters, "ParameterDict", "ParametersDict")
        in_order = isinstance(parameters, (OrderedDict, ParameterDict)) or not isinstance(parameters, dict)
        for key, value in given if in_order else sorted(given):
            self[key] = value

    def extra_repr(self) -> str:
        """A line for each value."""
        return "\n".join(_line(k, v, type_name(v)) for k, v in self.items())


def _checked(key: Any) -> str:
    if not isinstance(key, str):
        raise EngineTypeError(
            f"Index given to ParameterDict cannot be used as a key as it is not a string (type is "
            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
        )
    return key


def _tables(module: Module) -> tuple[dict[str, Any], ...]:
    """Where a list or a dict of parameters keeps what it is given."""
    state = module.__dict__
    return state["_parameters"], state["_modules"], state["_others"]


def _position(held: ParameterList, index: Any) -> str:
    """The name of what is at a place of a list."""
    place, n = operator.index(index), len(held)
    if not -n <= place < n:
        raise EngineIndexError(f"index {place} is out of range")
    return str(place % n)


def _found(module: Module, key: str) -> Any:
    """Look a key up among the members alone, so that a layer's attributes are not found."""
    for held in _tables(module):
        if key in held:
            return held[key]
    raise AttributeError(f"'{type(module).__name__}' object has no attribute '{key}'")


def _hold(module: Module, key: str, value: Any) -> None:
    """Keep a value under a key: tensors as parameters, modules as submodules, and whatever else apart."""
    value = _trained(value)
    parameters, modules, others = _tables(module)
    if isinstance(value, (Parameter, Holder)):
        others.pop(key, None)
        (modules if isinstance(value, Parameter) else parameters).pop(key, None)
        if isinstance(value, Parameter):
            Holder.register_parameter(module, key, value)
        else:
            Holder.add_module(module, key, value)
    elif key in parameters or key in modules:
        what, kind = ("parameter", "Parameter") if key in parameters else ("child module", "Module")
        if value is not None:
            raise EngineTypeError(
                f"cannot assign '{type_name(value)}' as {what} '{key}' (torch.nn.{kind} or None expected)"
            )
        (parameters if key in parameters else modules)[key] = None
    else:
        others[key] = value


def _trained(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _line(key: Any, value: Any, kind: str) -> str:
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {what} containing: [{kind} of size {'x'.join(map(str, value.shape))}]"
