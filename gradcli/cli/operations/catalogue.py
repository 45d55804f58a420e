"""The names that a spec may use of PyTorch, one by one, and what there is to tell of each."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, TypeGuard

from ...engine.dispatch.overriding import undressed
from ...engine.registry import OPS, Op
from ...engine.tensor import Tensor
from ...nn.base.options import NEEDED
from ...spec.torch_names.names import NAMESPACES
from ...spec.values.user_definitions import Namespace

# How programs shorten the place of a name.
_SHORT = {"torch.nn.functional": "F", "torch.nn": "nn", "torch.optim": "optim", "torch.Tensor": "Tensor"}

_METHODS = "torch.Tensor"
_PACKAGE = __name__.partition(".")[0]
# The order in which places are shown; what is not named here comes behind.
_FIRST = ("torch", "torch.nn.functional", _METHODS, "torch.linalg", "torch.special", "torch.nn", "torch.optim")

# PyTorch's own files: what stands in them is known by other places.
_FILES = "torch.nn.modules"
# A place whose functions are others than those of the same names elsewhere.
_APART = "torch.masked"

# From function to function, so many steps: what lies deeper is shared by many.
_DEEPEST = 3
# So many names that are alike are shown.
_MOST_RELATED = 8


class Entry(NamedTuple):
    """A name, everything that bears it by its full name, and the function or class itself."""

    name: str
    full_names: tuple[str, ...]
    value: Any

    @property
    def doc(self) -> str:
        """Its purpose, in a line."""
        return " ".join((inspect.getdoc(self.value) or "").partition("\n\n")[0].split())

    @property
    def signature(self) -> str:
        """Its name and its parameters."""
        op = op_of(self.value)
        return self.name + _parameters(op.forward if op else self.value)


def entries() -> list[Entry]:
    """Everything that there is, by name; a twin that writes in place stands with what it is the twin of."""
    found: dict[str, tuple[list[str], Any]] = {}
    for place in places():
        for name, value in _offered(place):
            base = name[:-1] if name.endswith("_") and name[:-1] in found else name
            base = f"{place.partition('.')[2]}.{name}" if place == _APART else base
            found.setdefault(base, ([], value))[0].append(f"{place}.{name}")
    names = sorted(found, key=lambda name: (name.lower(), name))
    return [Entry(name, tuple(found[name][0]), found[name][1]) for name in names]


def places() -> list[str]:
    """The full names of what has names to offer."""
    spaces = [place for place in NAMESPACES if place.startswith("torch") and not place.startswith(_FILES)]
    return [*_FIRST, *(place for place in spaces if place not in _FIRST)]


def short(full_name: str) -> str:
    """A full name as programs write it: ``F.relu``, ``nn.Linear``."""
    for long, abbreviated in _SHORT.items():
        if full_name == long or full_name.startswith(f"{long}."):
            return abbreviated + full_name[len(long) :]
    return full_name


def _offered(place: str) -> Iterator[tuple[str, Any]]:
    """The functions, classes and properties of a place."""
    if place == _METHODS:
        members: Mapping[str, Any] = {name: getattr(Tensor, name) for name in dir(Tensor)}
    else:
        space = NAMESPACES[place]
        members = {name: space.find(name) for name in space.names()}
    for name, value in sorted(members.items()):
        told = isinstance(value, property) or (callable(value) and not isinstance(value, Namespace))
        if told and not name.startswith("_"):
            # The names of torch.overrides put doors before all that are found after them.
            yield name, undressed(value)


# -- finding -----------------------------------------------------------------------------------


def matching(pattern: str, among: list[Entry]) -> list[Entry]:
    """The entries with a name, or a name and its place, that a glob pattern matches; case does not matter."""
    pattern = pattern.lower()

    def matches(full_name: str) -> bool:
        dotted = (full_name, short(full_name), full_name.removeprefix("torch."))
        ways = dotted if "." in pattern else (full_name.rpartition(".")[2],)
        return any(fnmatchcase(way.lower(), pattern) for way in ways)

    return [entry for entry in among if any(map(matches, entry.full_names))]


def named(name: str, among: list[Entry]) -> Entry | None:
    """The entry of a name, with or without its place; as it is written, or else in other letters."""
    last = name.rpartition(".")[2]

    def differs(entry: Entry) -> tuple[bool, ...]:
        stands = any(full.endswith(f".{last}") for full in entry.full_names)
        return not stands, entry.name != last, entry.name.lower() != last.lower()

    return min(matching(name, among), key=differs, default=None)


def related(entry: Entry, among: list[Entry]) -> list[str]:
    """Names that are alike: the module of a function and the function of a module first."""
    op = op_of(entry.value)
    ranked = []
    for other in among:
        alike = 1.0 if op is not None and op_of(other.value) is op else _alike(entry.name, other.name)
        longer = len(other.name) - len(entry.name) if _bare(other.name).startswith(_bare(entry.name)) else 9
        if other is not entry and (alike > 0.75 or (len(entry.name) > 2 and longer < 5)):
            ranked.append((-alike, other.name, short(other.full_names[0])))
    return [shown for *_, shown in sorted(ranked)[:_MOST_RELATED]]


def _alike(name: str, other: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, _bare(name), _bare(other)).ratio()


def _bare(name: str) -> str:
    return name.lower().replace("_", "")


# -- declarations ------------------------------------------------------------------------------


def op_of(value: Any) -> Op | None:
    """The declaration of a function; one that is built of others is its own forward."""
    op = getattr(value, "op", None)
    if isinstance(op, Op):
        return op
    op = OPS.get(getattr(value, "__name__", ""))
    return op if op is not None and op.forward is value else None


def behind(entry: Entry) -> list[Op]:
    """The operations with rules that a function calls, those of like name first: itself when it is one."""
    found: dict[str, Op] = {}
    seen: set[Any] = set()
    pending = [(entry.value, 0)]
    while pending:
        function, depth = pending.pop(0)
        op = op_of(function)
        if op is not None and (op.rules or op.joint):
            found[op.name] = op
            continue
        function = op.forward if op is not None else function
        if isinstance(function, FunctionType) and function not in seen and depth < _DEEPEST:
            seen.add(function)
            pending += [(called, depth + 1) for called in _named_in(function)]
    return sorted(found.values(), key=lambda op: -_alike(entry.name, op.name))


def _named_in(function: FunctionType) -> Iterator[Any]:
    """The values that a function's code names, also as ``module.name``."""
    names = function.__code__.co_names
    free = [cell.cell_contents for cell in function.__closure__ or ()]
    modules = [m for n in names if _is_ours(m := function.__globals__.get(n))]
    for value in free:
        if callable(value):
            yield value
    for i, name in enumerate(names):
        value = function.__globals__.get(name)
        if isinstance(value, FunctionType) or op_of(value):
            yield value
        elif value is None:
            # A name behind a module's, or behind the package of the families.
            owners = [*modules, *_inner(modules, names[i - 1])] if i else modules
            yield from (v for m in owners if callable(v := vars(m).get(name)))


def _inner(modules: list[ModuleType], name: str) -> list[ModuleType]:
    return [m for module in modules if _is_ours(m := getattr(module, name, None))]


def _is_ours(value: Any) -> TypeGuard[ModuleType]:
    """A value is a module of this package: others have no operations."""
    return isinstance(value, ModuleType) and value.__name__.startswith(_PACKAGE)


def _parameters(value: Any) -> str:
    """Parameters and their defaults, without types, as a user may give them."""
    options = getattr(value, "_options", None)
    if isinstance(options, dict):
        return f"({', '.join(k if v is NEEDED else f'{k}={v!r}' for k, v in options.items())})"
    if isinstance(value, property):
        return ""
    try:
        found = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return "(...)"
    if found and found[0].name == "self" and isinstance(value, type):
        del found[0]
    # A function takes other keywords only to refuse them; a class that passes on its arguments takes all.
    hidden = () if isinstance(value, type) else (inspect.Parameter.VAR_KEYWORD,)
    plain = [p.replace(annotation=p.empty, default=_default(p.default)) for p in found if p.kind not in hidden]
    return str(inspect.Signature(plain))


class _Unsaid:
    """A default that only says that nothing was given."""

    def __repr__(self) -> str:
        return "..."


def _default(value: Any) -> Any:
    known = value is inspect.Parameter.empty or isinstance(value, (int, float, str, tuple, list, type(None)))
    return value if known else _Unsaid()


