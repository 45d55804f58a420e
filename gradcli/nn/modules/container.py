"""Modules that hold modules."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

from ...engine.guard.outside import guarded
from ...errors import EngineIndexError, EngineTypeError, EngineValueError
from .holder import Holder, defines, type_name
from .module import Module, indented


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
        self.__dict__["_modules"][key] = module

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
        body = "".join(f"\n  {indented(line)}" for line in lines)
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
