"""Enumerations: classes whose instances are listed where they are defined."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from ....engine.guard.addresses import hash_of
from ....errors import SpecError
from ...guard.reserved_names import refuse_reserved_names
from ...guard.size_limits import ARRAYS, caps, checked, weigh, weigh_key, whole
from ..show import representation, written_so
from ..standing import stands_by, value_of
from ..tables.table import declare
from ..user_definitions import COMBINED, MEMBERS, UserFunction, bound, declared
from .derived_scalars import OF_NUMBERS, OF_WHOLE, give_operators


class Automatic:
    """auto(): the next number, or several of them together, as flags are."""

    __slots__ = ("number", "parts")

    def __init__(self, *parts: Any) -> None:
        self.parts = parts
        self.number: int | None = None

    def __or__(self, other: Any) -> Automatic:
        return Automatic(self, other)

    __ror__ = __or__

    def value(self, following: int) -> int:
        """The number that it stands for, which is the following one unless it was told before."""
        if self.number is None:
            self.number = following
            if self.parts:
                self.number = 0
                for part in self.parts:
                    self.number |= whole(part.value(following) if isinstance(part, Automatic) else part)
        return self.number


Automatic.__name__ = Automatic.__qualname__ = "auto"
Automatic.__module__ = "enum"
# Flag and StrEnum, once there are such.
_FLAGS: list[type] = []
_NAMED: list[type] = []
_METHODS = (UserFunction, staticmethod, classmethod, property)


def _has_bits(cls: type) -> bool:
    """True of an enumeration of flags; Enum itself is made before there are such."""
    return any(issubclass(cls, base) for base in _FLAGS)


class EnumType(type):
    """The class of enumerations: they are walked through, and asked for their members."""

    def __repr__(cls) -> str:
        own: Any = cls
        return f"<{'flag' if _has_bits(own) else 'enum'} '{cls.__name__}'>"

    def __init__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> None:
        super().__init__(name, bases, space)
        made: dict[str, Any] = {}
        own: Any = cls
        for base in bases:
            if members_of(base):
                raise TypeError(f"<enum '{name}'> cannot extend <enum '{base.__name__}'>")
        ignored = space.get("_ignore_", ())
        for key, value in space.items():
            if isinstance(value, Outside):
                type.__setattr__(cls, key, value.value)
                continue
            if key.startswith("_") or (isinstance(value, _METHODS) and not isinstance(value, Inside)):
                continue
            if key in (ignored.split() if isinstance(ignored, str) else ignored):
                type.__delattr__(cls, key)
                continue
            if isinstance(value, Inside):
                value = value.value
            number = value.value(_following(own, key, made)) if isinstance(value, Automatic) else value
            same = next((m for m in made.values() if _equal(m.__dict__["value"], number)), None)
            member = object.__new__(own) if same is None else same
            if same is None:
                member.__dict__.update(name=key, value=number)
                if isinstance(init := declared(cls, "__init__"), UserFunction):
                    init.call((member, *(number if isinstance(number, tuple) else (number,))), {})
            made[key] = member
            type.__setattr__(cls, key, member)
            caps.tick(len(made))
        type.__setattr__(cls, MEMBERS, made)
        type.__setattr__(cls, COMBINED, {m.__dict__["value"]: m for m in made.values()} if _has_bits(own) else {})

    def __call__(cls, /, *args: Any, **kwargs: Any) -> Any:
        named = len(args) == 2 or (len(args) == 1 and "names" in kwargs)
        if named and not members_of(cls) and kwargs.keys() <= {"names", "start", "module", "qualname", "type"}:
            return _made_of(cls, args[0], args[1] if len(args) == 2 else kwargs["names"], kwargs.get("start", 1))
        if len(args) != 1 or kwargs:
            raise SpecError(f"{cls.__name__}() takes a value here", help="write a class statement", code="E205")
        own: Any = cls
        if _has_bits(own):
            return args[0] if isinstance(args[0], own) else combined(own, args[0])
        for member in cls:
            if member is args[0] or _equal(member.__dict__["value"], args[0]):
                return member
        return _otherwise(own, args[0])

    def __iter__(cls) -> Iterator[Any]:
        # Of two names for one value, the second is no member of its own.
        members = [member for name, member in members_of(cls).items() if member.__dict__["name"] == name]
        return iter([member for member in members if not _has_bits(cls) or _is_single(_number_of(member))])

    def __len__(cls) -> int:
        return sum(1 for _ in cls)

    def __bool__(cls) -> bool:
        return True

    def __getitem__(cls, name: Any) -> Any:
        weigh_key(name)
        return members_of(cls)[name]

    def __contains__(cls, value: Any) -> bool:
        return isinstance(value, cls)


def _otherwise(cls: Any, value: Any) -> Any:
    """The member that the `_missing_` of an enumeration chooses for a value that none of its members has."""
    hook, found = declared(cls, "_missing_"), None
    if isinstance(hook, classmethod):
        found = caps.guarded(bound(hook, cls))(value)
    if isinstance(found, cls):
        return found
    if found is None:
        raise ValueError(f"{representation(value)} is not a valid {cls.__qualname__}")
    said = f"returned {representation(found)} instead of None or a valid member"
    raise TypeError(f"error in {cls.__name__}._missing_: {said}")


def _made_of(base: Any, name: Any, names: Any, start: Any) -> Any:
    """Enum("X", "A B"): an enumeration of names in a text or a list, or of names with their values."""
    from .making_classes import new_class

    if not isinstance(name, str) or not name.isidentifier():
        raise TypeError("the name of an enumeration is to be a str that is a name")
    weigh(names)
    start = whole(start)
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    pairs = list(names.items()) if isinstance(names, dict) else list(names)
    space: dict[str, Any] = {}
    for number, pair in enumerate(pairs, start=start):
        key, value = pair if isinstance(pair, (tuple, list)) and len(pair) == 2 else (pair, number)
        if not isinstance(key, str) or not key.isidentifier() or key.startswith("_") or key == "mro":
            raise SpecError(f"{representation(key)} is no name of a member", help="begin it with a letter", code="E205")
        if key in space:
            raise TypeError(f"{key!r} already defined as {representation(space[key])}")
        space[key] = value
    refuse_reserved_names((base,), space)
    return new_class(name, name, (base,), space)


class Inside:
    """member(): what becomes a member, whatever it is."""

    __slots__ = ("value",)

    def __init__(self, value: Any, /) -> None:
        self.value = value


class Outside(Inside):
    """nonmember(): what does not."""

    __slots__ = ()


def members_of(cls: type) -> dict[str, Any]:
    """The members of an enumeration by their names, second names included."""
    # No attribute of the metaclass: a program's class could hide it.
    found: dict[str, Any] = cls.__dict__.get(MEMBERS, {})
    return found


def _first_names(cls: type) -> list[str]:
    """The names of the members, without second names of them, and without flags made of several."""
    of_bits = bool(cls.__dict__.get(COMBINED))
    found = ((key, m.__dict__) for key, m in members_of(cls).items())
    return [key for key, m in found if m["name"] == key and not (of_bits and m["value"].bit_count() != 1)]


# What the class of an enumeration has of its members -> how it is made.
OF_MEMBERS: dict[str, Callable[[type], Any]] = {
    MEMBERS: lambda cls: dict(members_of(cls)),
    "_member_map_": lambda cls: dict(members_of(cls)),
    "_member_names_": _first_names,
    "_value2member_map_": lambda cls: {
        m.__dict__["value"]: m for m in members_of(cls).values() if isinstance(m.__dict__["value"], Hashable)
    },
}


def refuse_fixed(value: Any, name: str, verb: str) -> None:
    """Refuse to change the members of an enumeration, and what those are."""
    if isinstance(value, EnumType) and name in members_of(value):
        raise AttributeError(f"cannot {verb} member {name!r}")
    if isinstance(value, Enum) and name in ("name", "value"):
        raise AttributeError(f"<enum 'Enum'> cannot {'set' if verb == 'reassign' else verb} attribute {name!r}")


def _equal(a: Any, b: Any) -> bool:
    weigh(a)
    weigh(b)
    return bool(a == b)


def _following(cls: Any, name: str, made: dict[str, Any]) -> Any:
    """The value that auto() stands for, behind the members that were made."""
    last = [m.__dict__["value"] for m in made.values()]
    own = declared(cls, "_generate_next_value_")
    if isinstance(own, (UserFunction, staticmethod)):
        return caps.guarded(own.__func__ if isinstance(own, staticmethod) else own)(name, 1, len(last), last)
    if any(issubclass(cls, base) for base in _NAMED):
        return name.lower()
    flags = _has_bits(cls)
    most = max((n for n in last if type(n) is int), default=0)
    return checked(1 << most.bit_length() if flags else most + 1)


class Enum(metaclass=EnumType):
    """Base of a program's enumerations."""

    __slots__ = ("__dict__", "__weakref__")
    __hash__ = hash_of

    def __repr__(self) -> str:
        return f"<{Enum.__str__(self)}: {representation(self.__dict__['value'])}>"

    def __str__(self) -> str:
        return f"{type(self).__qualname__}.{self.__dict__['name']}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __copy__(self) -> Enum:
        return self

    def __deepcopy__(self, memo: Any) -> Enum:
        return self


class Mixed(Enum):
    """Base of enumerations whose members stand for their values: numbers, or texts."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        return other == value_of(self) if isinstance(other, ARRAYS) else _equal(value_of(self), value_of(other))

    def __ne__(self, other: object) -> Any:
        return other != value_of(self) if isinstance(other, ARRAYS) else not self == other

    def __hash__(self) -> int:
        weigh_key(value_of(self))
        return hash(value_of(self))

    def __lt__(self, other: Any) -> Any:
        return value_of(self) < value_of(other)

    def __le__(self, other: Any) -> Any:
        return value_of(self) <= value_of(other)

    def __gt__(self, other: Any) -> Any:
        return value_of(self) > value_of(other)

    def __ge__(self, other: Any) -> Any:
        return value_of(self) >= value_of(other)

    def __add__(self, other: Any) -> Any:
        return caps.add(value_of(self), value_of(other))

    def __radd__(self, other: Any) -> Any:
        return caps.add(other, value_of(self))

    def __mul__(self, other: Any) -> Any:
        return caps.times(value_of(self), value_of(other))

    def __rmul__(self, other: Any) -> Any:
        return caps.times(other, value_of(self))

    def __index__(self) -> int:
        return whole(value_of(self))

    def __int__(self) -> int:
        return int(value_of(self))

    def __float__(self) -> float:
        return float(value_of(self))

    def __bool__(self) -> bool:
        return bool(value_of(self))

    def __neg__(self) -> Any:
        return checked(-value_of(self))

    def __pos__(self) -> Any:
        return +value_of(self)

    def __abs__(self) -> Any:
        return checked(abs(value_of(self)))

    def __round__(self, ndigits: Any = None) -> Any:
        return caps.builtins["round"](value_of(self), ndigits)


give_operators(Mixed, {**OF_NUMBERS, "mod": lambda a, b: caps.remainder(a, b)})


class IntEnum(Mixed):
    """Base of enumerations of integers, which are shown as those."""

    __slots__ = ()

    def __str__(self) -> str:
        return representation(value_of(self))


give_operators(IntEnum, OF_WHOLE)


class TextEnum(Mixed):
    """Base of enumerations of texts: one may look into their members."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(value_of(self))

    def __getitem__(self, place: Any) -> Any:
        return caps.item(value_of(self), place)

    def __iter__(self) -> Iterator[str]:
        return iter(str(value_of(self)))

    def __contains__(self, part: Any) -> bool:
        return value_of(part) in value_of(self)


class StrEnum(TextEnum):
    """Base of enumerations of texts, which are shown as those."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(value_of(self))


_NAMED.append(StrEnum)


# -- flags -----------------------------------------------------------------------------------------


def _number_of(member: Any) -> int:
    number: int = member.__dict__["value"]
    return number


def _is_single(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def combined(cls: Any, number: Any) -> Any:
    """The member of an enumeration of flags that stands for a number: of several bits, one that is made of theirs."""
    if not isinstance(number, int):
        raise ValueError(f"{representation(number)} is not a valid {cls.__qualname__}")
    made = cls.__dict__[COMBINED]
    if number in made:
        return made[number]
    bits = 0
    for member in members_of(cls).values():
        bits |= _number_of(member)
    if number < 0:
        return combined(cls, bits & number)
    if number & ~bits and not issubclass(cls, IntFlag):
        width = max(number, bits).bit_length()
        raise ValueError(
            f"{cls!r} invalid value {number}\n    given 0b0 {number:0{width}b}\n  allowed 0b0 {bits:0{width}b}"
        )
    member = object.__new__(cls)
    rest = number & ~bits
    names = [m.__dict__["name"] for m in cls if _number_of(m) & number]
    names += [str(rest)] if rest and names else []
    member.__dict__.update(name="|".join(names) if names else None, value=number)
    made[number] = member
    caps.tick(len(made))
    return member


class Flag(Enum):
    """Base of a program's enumerations of bits."""

    __slots__ = ()

    def _with(self, other: Any, operate: Callable[[int, int], int]) -> Any:
        cls: Any = type(self)
        if isinstance(other, cls):
            return combined(cls, operate(_number_of(self), _number_of(other)))
        if isinstance(self, IntFlag) and isinstance(other, int):
            return combined(cls, operate(_number_of(self), other))
        return NotImplemented

    def __or__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a | b)

    def __and__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a & b)

    def __xor__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a ^ b)

    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__

    def __invert__(self) -> Any:
        return combined(type(self), ~_number_of(self))

    def __bool__(self) -> bool:
        return _number_of(self) != 0

    def __contains__(self, other: Any) -> bool:
        if not isinstance(other, type(self)):
            raise TypeError(
                f"unsupported operand type(s) for 'in': {type(other).__qualname__!r} and {type(self).__qualname__!r}"
            )
        return _number_of(other) & _number_of(self) == _number_of(other)

    def __iter__(self) -> Iterator[Any]:
        cls: Any = type(self)
        return iter([member for member in cls if _number_of(member) & _number_of(self)])

    def __len__(self) -> int:
        return _number_of(self).bit_count()

    def __repr__(self) -> str:
        name = self.__dict__["name"]
        return f"<{type(self).__name__}{'' if name is None else '.' + name}: {_number_of(self)}>"

    def __str__(self) -> str:
        name = self.__dict__["name"]
        return f"{type(self).__name__}({_number_of(self)})" if name is None else f"{type(self).__name__}.{name}"


_FLAGS.append(Flag)


class IntFlag(Flag, Mixed):
    """Base of enumerations of bits that stand for their numbers, and are shown as those."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return Flag.__bool__(self)

    def __str__(self) -> str:
        return str(_number_of(self))


declare(Mixed, base=object)


stands_by(Mixed, lambda member: member.__dict__["value"])


def mixed(bases: tuple[Any, ...]) -> tuple[Any, ...]:
    """The bases of a class; of an enumeration with int, float or str, those of one whose members stand for values."""
    if len(bases) == 2 and bases[0] in (int, float, str) and isinstance(bases[1], EnumType):
        return (TextEnum if bases[0] is str else Mixed,)
    return bases


for _class in (Mixed, IntEnum, TextEnum, StrEnum, Flag, IntFlag):
    _class.__module__ = "enum"
Enum.__module__ = "enum"
written_so(EnumType, lambda w, cls, how: repr(cls))


def enums() -> dict[str, Any]:
    """The names of the module `enum`."""
    return {
        "Enum": Enum, "IntEnum": IntEnum, "StrEnum": StrEnum, "Flag": Flag, "IntFlag": IntFlag, "auto": Automatic,
        "unique": _unique, "member": Inside, "nonmember": Outside,
    }  # fmt: skip


def _unique(enumeration: Any, /) -> Any:
    """unique(): an enumeration that has no two names for one value."""
    named = [(key, member.__dict__["name"]) for key, member in members_of(enumeration).items()]
    twice = [f"{key} -> {name}" for key, name in named if key != name]
    if twice:
        raise ValueError(f"duplicate values found in {enumeration!r}: {', '.join(twice)}")
    return enumeration
