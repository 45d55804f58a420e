"""The engine's view of a program's values: it calls, reads and computes with them as the program itself would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...engine.guard.outside import Outside, Signature
from ..language.scopes import UP
from ..stdlib.function_tools import Partial
from ..torch_names import seeded_generators
from ..values.classes.making_classes import Plain
from ..values.copying import shallow_copy
from ..values.members import assign, get
from ..values.user_definitions import HELD, UserFunction, UserType
from .notes import note
from .size_limits import caps, power

# How many samples of a vmap may wait for each other, and the bytes of each one's stack: together a part of what a run
# may have, and each enough for as many calls as there may be.
MOST_STACKS = 64
SIZE_OF_STACK = 2 << 20


class Handed(Outside):
    """The answers to the engine's questions about values that a program hands on while it runs."""

    __slots__ = ()

    def guarded(self, function: Any) -> Any:
        """A function whose calls are charged, and which calls nothing that a program may not call."""
        return caps.guarded(function)

    def signature(self, function: Any) -> Signature | None:
        """The parameters of a program's own function."""
        if not isinstance(function, UserFunction):
            return None
        said = function.signature
        more, names = said.rest is not None, said.keywords is not None
        return Signature(said.positional, said.defaults, more, said.keyword_only, names)

    def around(self, function: Any) -> Iterator[Any]:
        """The values around a program's own function, and around the functions and in the objects among these."""
        functions, seen = [function], set()
        while functions:
            each = functions.pop()
            if isinstance(each, Partial):
                functions.append(each.func)
                yield from (*each.args, *dict(each.keywords).values())
            elif _is_own(each):
                held = each.__dict__.get(HELD, each.__dict__)
                yield from held.values()
            names = each.outer if isinstance(each, UserFunction) else None
            while names is not None and id(names) not in seen:
                seen.add(id(names))
                values = [value for name, value in names.items() if name != UP]
                functions += [value for value in values if type(value) is UserFunction or _is_own(value)]
                yield from values
                names = names.get(UP)

    def attributes(self, function: Any) -> dict[str, Any] | None:
        """The attributes of an object of a class of the program's own; nothing else has any to be saved."""
        return dict(get(function, "__dict__")) if _is_own(function) else None

    def take(self, function: Any, attributes: Mapping[str, Any]) -> None:
        """Give an object of a class of the program's own attributes, as the program itself would."""
        if _is_own(function):
            for name, value in dict(attributes).items():
                if name in ("__class__", "__dict__"):
                    # A program may set them, but what was saved has no such thing in it.
                    raise AttributeError(f"'{type(function).__name__}' object attribute '{name}' is read-only")
                assign(function, str(name), value)

    def times(self, a: Any, b: Any) -> Any:
        """A product as the program itself would compute it."""
        return caps.times(a, b)

    def power(self, a: Any, b: Any) -> Any:
        """A power as the program itself would compute it."""
        return power(a, b)

    def entry(self, of: Any, index: Any) -> Any:
        """An entry as the program itself would read it."""
        return caps.item(of, index)

    def twin(self, of: Any) -> Any:
        """A copy as the program itself would make it."""
        return shallow_copy(of)

    def stacks(self, count: int) -> int | None:
        """Stacks that have room in the memory of a run together."""
        if count <= MOST_STACKS:
            return SIZE_OF_STACK
        note(f"vmap: a Function's own vmap is called for {MOST_STACKS} samples at the most, others one by one")
        return None

    def stack(self) -> Any:
        """The number of the program's own calls, and the exceptions that it deals with."""
        return caps.trail()

    def on_stack(self, stack: Any) -> None:
        """Be as deep in the program's own calls again, and deal with those exceptions."""
        caps.on_trail(stack)

    def generators(self) -> Any:
        """The program's generators."""
        return seeded_generators

    def note(self, text: str) -> None:
        """Say it, once, to whoever runs the program."""
        note(text)


def _is_own(value: Any) -> bool:
    """True if a value's class derives only from classes of the program's own."""
    cls = type(value)
    others = [base for base in cls.__mro__ if not isinstance(base, UserType)]
    return isinstance(cls, UserType) and all(base in (Plain, object) for base in others)
