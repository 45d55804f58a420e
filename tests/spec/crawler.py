"""Everything that a program can come to from what it names, step by step, and whether it may have it."""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from gradcli.spec.guard.size_limits import caps
from gradcli.spec.stdlib.exceptions.endings import ProgramEnded
from gradcli.spec.stdlib.iteration import Lazy, iterate
from gradcli.spec.torch_names.names import NAMESPACES
from gradcli.spec.values import members
from gradcli.spec.values.bound_methods import Bound, Unbound
from gradcli.spec.values.user_definitions import Super

from .harvest import all_names, host_modules
from .kinds import refused

Reach = Callable[[Any, str], Any]

# Methods that are called, without arguments, as they only look at what they belong to.
HARMLESS = frozenset(
    "buffers children clone copy data_ptr detach element_size elements extra_repr get_extra_state items keys "
    "is_contiguous modules most_common name named_buffers named_children named_modules named_parameters numel numpy "
    "parameters retains_grad set_extra_state shape size state_dict stride strip sum tolist total type upper values "
    "version get_last_lr get_lr dim ndimension item __iter__ __len__ __repr__ __str__ __enter__ __call__ __dir__ "
    "__getstate__ __reduce__ __sizeof__ __hash__ _asdict _get_name get_state initial_seed unbind storage_offset "
    "contiguous entropy sample mean variance sequence_nr _sequence_nr get_scale is_enabled method up klass static"
    .split()
)  # fmt: skip
# As many values of one iterator, and of one container, as are followed.
_FIRST, _MANY = 12, 400
# Objects of one kind that are asked for every name; the others are asked for those that these have.
_THOROUGH = 3


class Step(NamedTuple):
    """A value, and the expression that leads to it."""

    path: str
    value: Any


class Crawl:
    """What was reached so far."""

    def __init__(self, most: int, names: tuple[str, ...] | None = None) -> None:
        self.most = most
        self.names = all_names() if names is None else names
        self.visited = self.asked = 0
        self.failures: dict[str, str] = {}
        self._seen: dict[int, Any] = {}
        # How many of a kind were asked for their attributes, and what those had.
        self._asked: dict[Any, int] = {}
        self._had: dict[Any, dict[str, None]] = {}
        # Dictionaries that were given to the program, and the objects that may have them for their own.
        self._dicts: dict[int, str] = {}
        self._owners: list[Any] = []

    def run(self, starts: Iterator[Step]) -> dict[str, str]:
        """Follow everything; what a program may not have, by the expression that leads to it."""
        queue = deque(starts)
        while queue and self.visited < self.most:
            step = queue.popleft()
            self.visited += 1
            value = step.value
            if id(value) in self._seen:
                continue
            self._seen[id(value)] = value
            why = refused(value) or live().get(id(value))
            if why is not None:
                self.failures.setdefault(why, step.path)
                continue
            self._note(step)
            queue.extend(self._from(step))
        self._judge_dicts()
        return self.failures

    def _from(self, step: Step) -> Iterator[Step]:
        yield from self._attributes(step)
        yield from self._items(step)
        yield from self._result(step)

    # -- attributes --------------------------------------------------------------------------

    def _attributes(self, step: Step) -> Iterator[Step]:
        value = step.value
        kind = value if isinstance(value, type) else type(value)
        if kind in (Bound, Unbound):
            # Of one method of one class there is one after another: the first is enough.
            sort = (kind, value.owner if kind is Unbound else type(value.owner), value.name)
            if sort in self._asked:
                return
            self._asked[sort] = 1
        # What super() gives has the attributes of the classes that follow.
        sort = (kind, value.line()) if isinstance(value, Super) else kind
        asked = self._asked[sort] = self._asked.get(sort, 0) + 1
        if asked > (1 if kind in _ALIKE else _ENOUGH):
            return
        had = self._had.setdefault(sort, {})
        names = dict.fromkeys((*had, *dir(kind)) if asked > _THOROUGH else (*self.names, *dir(kind)))
        names.update(dict.fromkeys(_own_names(value)))
        self.asked += len(names)
        for name in names:
            found = reached(value, name)
            if found is not _NOTHING:
                had[name] = None
                yield Step(f"{step.path}.{name}", found)

    # -- items -------------------------------------------------------------------------------

    def _items(self, step: Step) -> Iterator[Step]:
        path, value = step
        if isinstance(value, dict):
            for key in list(value)[:_MANY]:
                yield Step(f"list({path})[{key!r}]" if type(key) is str else f"key of {path}", key)
                yield Step(f"{path}[{key!r}]" if type(key) is str else f"item of {path}", dict.__getitem__(value, key))
        elif isinstance(value, (list, tuple, deque)):
            for i, item in enumerate(list(value)[:_MANY]):
                yield Step(f"{path}[{i}]", item)
        elif isinstance(value, slice):
            yield from (Step(f"{path}.{n}", getattr(value, n)) for n in ("start", "stop", "step"))
        elif isinstance(value, (set, frozenset)) or _walks(value):
            try:
                iterator = iterate(value)
                for i in range(_FIRST):
                    item = next(iterator, _NOTHING)
                    if item is _NOTHING:
                        return
                    yield Step(f"list({path})[{i}]", item)
            except Exception as error:
                yield Step(f"error of list({path})", error)

    # -- calls -------------------------------------------------------------------------------

    def _result(self, step: Step) -> Iterator[Step]:
        name = step.path.rpartition(".")[2]
        if name not in HARMLESS or isinstance(step.value, type) or not callable(step.value):
            return
        try:
            found = caps.guarded(step.value)()
        except ProgramEnded:
            # Nobody catches it.
            return
        except Exception as error:
            yield Step(f"error of {step.path}()", error)
        else:
            yield Step(f"{step.path}()", found)

    # -- dictionaries ------------------------------------------------------------------------

    def _note(self, step: Step) -> None:
        if isinstance(step.value, dict):
            self._dicts[id(step.value)] = step.path
        elif not isinstance(step.value, type) and hasattr(step.value, "__dict__"):
            self._owners.append(step.value)

    def _judge_dicts(self) -> None:
        """A dictionary that is what an object keeps its attributes, or its members, in is nobody's but its own."""
        for owner in self._owners:
            for name, found in kept_by(owner):
                path = self._dicts.get(id(found))
                if path is not None:
                    self.failures.setdefault(f"the live {name} of a {type(owner).__name__}", path)


# The dictionaries that a module keeps its members in.
_KEPT = ("_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
_NOTHING = object()
# Objects of one kind whose attributes are followed.
_ENOUGH = 40
# Of these one is like the other.
_ALIKE = (int, float, str, bool, type(None))


def kept_by(owner: Any) -> Iterator[tuple[str, Any]]:
    """The dictionaries that an object keeps its attributes, or its members, in."""
    state = vars(owner)
    yield "__dict__", state
    yield from ((name, found) for name, found in state.items() if name in _KEPT and isinstance(found, dict))


def reached(value: Any, name: str) -> Any:
    """What the interpreter gives for an attribute, or a mark that there is none."""
    try:
        return members.get(value, name)
    except Exception:
        return _NOTHING


def _own_names(value: Any) -> list[str]:
    try:
        return members.names(value)
    except Exception:
        return []


def _walks(value: Any) -> bool:
    return isinstance(value, (Lazy, range)) or (not isinstance(value, (str, type)) and hasattr(type(value), "__iter__"))


_KEPT_ALIVE: list[Any] = []


@cache
def live() -> dict[int, str]:
    """What modules and classes of the host keep their own things in, by identity.

    All of it is kept: of what is freed, the identity goes to something else.
    """
    found: dict[int, str] = {}
    for name, module in [*host_modules().items(), ("sys", sys), ("builtins", sys.modules["builtins"])]:
        _KEPT_ALIVE.append(vars(module))
        found[id(vars(module))] = f"the names of the module {name}"
        for key, value in list(vars(module).items()):
            if isinstance(value, (dict, list, set)) and not key.startswith("__"):
                _KEPT_ALIVE.append(value)
                found[id(value)] = f"{name}.{key}, which is the host's"
            if isinstance(value, type) and value.__module__ == name:
                for attribute, held in vars(value).items():
                    if type(held) in (dict, list, set, OrderedDict, defaultdict):
                        _KEPT_ALIVE.append(held)
                        found[id(held)] = f"{name}.{key}.{attribute}, which is the host's"
    return found


def starts(variables: dict[str, Any], builtins: dict[str, Any]) -> Iterator[Step]:
    """Where a program begins: its variables, the builtins, and every module."""
    for name, value in variables.items():
        yield Step(name, value)
    for name, value in builtins.items():
        yield Step(name, value)
    for full_name, space in NAMESPACES.items():
        yield Step(full_name, space)
        for name in space.names():
            found = reached(space, name)
            if found is not _NOTHING:
                yield Step(f"{full_name}.{name}", found)


