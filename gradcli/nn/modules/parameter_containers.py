"""Modules that hold parameters."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, Self

from ...engine.tensor import Tensor
from ...errors import EngineError, EngineIndexError, EngineTypeError
from ..parameter import Parameter
from .container import pairs
from .holder import Holder, type_name
from .module import Module


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
        return _found(self, _key(self, index))

    def __setitem__(self, index: int, value: Any) -> None:
        _hold(self, _key(self, index), value)

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
        key = next(reversed(self._keys))
        return key, self.pop(key)

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


def _key(held: ParameterList, index: Any) -> str:
    """The name of what is at a place of a list."""
    place, n = operator.index(index), len(held)
    if not -n <= place < n:
        raise EngineIndexError(f"index {place} is out of range")
    return str(place % n)


def _found(module: Module, key: str) -> Any:
    """What is kept under a key, which is no attribute."""
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
