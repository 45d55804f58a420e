"""The functions that a program defines, and the class of its classes, as records of our own."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ...engine.function import NODE_TYPES
from ...engine.guard.addresses import address, hash_of
from ...engine.modes import SWITCHING
from ...errors import SpecError
from ..guard.size_limits import caps
from ..language.scopes import UP
from .classes.sealed_classes import known_as
from .known_names import KNOWN, is_dunder

if TYPE_CHECKING:
    from ..language.machine import Machine

# What a table answers for a name that it has not.
MISSING = object()

# The special methods that a class may define: none that Python would call behind a program's back.
_WORDS = (
    "init call repr str len getitem getitems setitem delitem contains iter next enter exit eq ne lt le gt ge hash "
    "bool add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv ifloordiv mod "
    "rmod imod pow rpow ipow matmul rmatmul imatmul and rand iand or ror ior xor rxor ixor neg pos abs invert float "
    "int doc format post_init match_args missing new round reversed divmod rdivmod lshift rlshift ilshift rshift "
    "rrshift irshift"
)
# What is asked for an attribute that there is not, and the name under which a class keeps it: Python never calls that.
GETATTR, LOOKUP = "__getattr__", "__lookup__"
# What is told of an attribute that is set or taken away, and the names under which a class keeps those.
SETATTR, DELATTR = "__setattr__", "__delattr__"
SETTING, DELETING = "__setting__", "__deleting__"
# And what is told of a class that derives from one.
SUBCLASSED, TOLD = "__init_subclass__", "__told__"
# What makes copies of its instances, and is asked for what stands in brackets after it.
COPIED, COPYING = "__copy__", "__copying__"
DEEPLY_COPIED, COPYING_DEEPLY = "__deepcopy__", "__copying_deeply__"
SUBSCRIPTED, TYPED = "__class_getitem__", "__typed__"
# What makes an array of one, and one of the array that a function of NumPy's made of that.
ARRAYED, ARRAYING = "__array__", "__arraying__"
WRAPPED, WRAPPING = "__array_wrap__", "__wrapping__"
# What says what a copy of an instance is to hold, and takes it.
STATED, STATING = "__getstate__", "__stating__"
RESTORED, RESTORING = "__setstate__", "__restoring__"
# What is asked what a function of PyTorch's makes of an instance.
ANSWERED, ANSWERING = "__torch_function__", "__answering__"
# And what is asked what an op below those makes of one.
DISPATCHED, DISPATCHING = "__torch_dispatch__", "__dispatching__"
# What says by which call an object like an instance is made.
REDUCED, REDUCING = "__reduce__", "__reducing__"
# What runs when nobody holds an instance any more.
FREED, FREEING = "__del__", "__freeing__"
# What is asked for every attribute of an instance.
GETATTRIBUTE, GETTING = "__getattribute__", "__getting__"
# What says what an instance is as bytes, as a number or a place in a list, how many parts it may have, which names and
# which size; and with what a copy is made.
INDEXING, HINTING, LISTING = "__indexing__", "__hinting__", "__listing__"
GIVEN_ANEW, REDUCING_FOR = "__given_anew__", "__reducing_for__"
# What a metaclass makes the names of a class in, and what says which are its instances and those that derive from it.
PREPARING, OF_INSTANCES, OF_SUBCLASSES = "__preparing__", "__of_instances__", "__of_subclasses__"
CALLED_SUBCLASS = "__called_subclass__"
# Where an abstract class keeps the classes that a program has registered as of it.
REGISTERED = "__registered__"
# Hook -> the name under which a class keeps it.
KEPT = {GETATTR: LOOKUP, SETATTR: SETTING, DELATTR: DELETING, SUBCLASSED: TOLD, GETATTRIBUTE: GETTING}
ASKED = {
    COPIED: COPYING, DEEPLY_COPIED: COPYING_DEEPLY, SUBSCRIPTED: TYPED, STATED: STATING, RESTORED: RESTORING,
    ARRAYED: ARRAYING, WRAPPED: WRAPPING, ANSWERED: ANSWERING, REDUCED: REDUCING,
    DISPATCHED: DISPATCHING, FREED: FREEING,
    "__bytes__": "__as_bytes__", "__complex__": "__as_complex__", "__index__": INDEXING,
    "__trunc__": "__truncating__", "__floor__": "__flooring__", "__ceil__": "__ceiling__",
    "__length_hint__": HINTING, "__dir__": LISTING, "__sizeof__": "__sizing__", "__fspath__": "__pathing__",
    "__getnewargs__": GIVEN_ANEW, "__reduce_ex__": REDUCING_FOR,
    "__prepare__": PREPARING, "__instancecheck__": OF_INSTANCES, "__subclasscheck__": OF_SUBCLASSES,
    "__subclasshook__": CALLED_SUBCLASS,
}  # fmt: skip
# What a value in a class says of how it is read and written there, and is told of its name, with the same of each.
READING, WRITING, REMOVING, NAMING = "__reading__", "__writing__", "__removing__", "__naming__"
DESCRIBING = {"__get__": READING, "__set__": WRITING, "__delete__": REMOVING, "__set_name__": NAMING}
# Those that a program may also call by their names.
BY_NAME = ASKED | DESCRIBING
# What names the only attributes that instances have, and where a class keeps which those are.
SLOTS, ONLY = "__slots__", "__only__"
# Where it keeps what the program has written for them.
ATTRIBUTES = "__attributes__"
# Where an object keeps the dict that the program made its `__dict__`.
HELD = "__held__"
# Where a class keeps the names that are annotated in its body, the fields of a data class, whether those are fixed,
# the fields of a named tuple, the members of an enumeration, and those that flags make together: no business of a
# program.
ANNOTATED, FIELDS, FROZEN, ROW, MEMBERS = "__annotated__", "__fields__", "__frozen__", "__row__", "__members__"
# Of the annotated names, those that a data class hands on without keeping them, and those that are given by name.
PASSED, NAMED = "__passed__", "__named__"
COMBINED = "__combined__"
# Where a class keeps the metaclass of the program's that made it.
METACLASS = "__metaclass__"
# Where a function or a class keeps how its annotations are read.
NOTED = "__noted__"
# Where a class keeps the text that it stands in, and its place there.
WRITTEN = "__written__"
# Where a class that others are compared with by what they have keeps the names of that.
WANTED = "__wanted__"
# Where a class keeps what was found in it under a name, of which an instance may have its own, and which names an
# instance takes without more ado: both are found anew once the class is changed.
FOUND, TAKEN = "__found__", "__taken__"
# Where a class that derives from tensors keeps what it defines under names of theirs: nobody but the program calls it.
OVER = "__over__"
# Where a class keeps whether it derives from nothing but classes of the program's.
WHOLLY = "__wholly__"
is_wholly_own = attrgetter(WHOLLY)
# By it NumPy knows what to leave alone: operators and comparisons, wherever they are made, are then Python's.
ALONE = "__array_ufunc__"
# And the names of ours that it may not have.
RESERVED = "__reserved__"
_OURS = frozenset(
    (
        *(ANNOTATED, PASSED, NAMED, FIELDS, FROZEN, ROW, MEMBERS, COMBINED, RESERVED, NODE_TYPES, ALONE, ONLY, WANTED),
        *(NOTED, FOUND, METACLASS, TAKEN, WHOLLY, OVER, WRITTEN, ATTRIBUTES, HELD, REGISTERED),
        *(*KEPT.values(), *DESCRIBING.values(), *ASKED, *ASKED.values(), "__dict__", "__weakref__"),
    )
)

SPECIAL = frozenset(f"__{word}__" for word in _WORDS.split())
# Of those that have a meaning, the ones that say something to readers only, or that nobody here asks for.
REMARKS = frozenset(f"__{word}__" for word in "all div rdiv idiv sklearn_tags tensor_flatten tensor_unflatten".split())
# Those that a program may define outside of a class: to be put into one, or as a remark.
BOUND = (SPECIAL | KEPT.keys() | ASKED.keys() | DESCRIBING.keys() | REMARKS) - {"__doc__"}
# What a named tuple is to whoever takes it for a tuple.
FIXED = frozenset(f"__{word}__" for word in "init len getitem contains iter".split())


class Signature:
    """The parameters of a function and how arguments fill them."""

    __slots__ = ("by_name", "defaults", "keyword_only", "keywords", "positional", "rest")

    def __init__(
        self,
        positional: tuple[str, ...],
        by_name: frozenset[str],
        rest: str | None,
        keyword_only: tuple[str, ...],
        keywords: str | None,
        defaults: dict[str, Any],
    ) -> None:
        self.positional = positional
        # What may be given by name.
        self.by_name = by_name
        self.rest = rest
        self.keyword_only = keyword_only
        self.keywords = keywords
        self.defaults = defaults

    def bind(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[Any, Any]:
        """The arguments by parameter, or CPython's TypeError."""
        positional = self.positional
        if self.rest is None and self.keywords is None and len(args) <= len(positional):
            # The most common case in a few steps; what does not fit is told below.
            filled: dict[Any, Any] = self.defaults | dict(zip(positional, args))  # noqa: B905 (there may be fewer)
            filled.update(kwargs)
            fits = not kwargs or (self.by_name.issuperset(kwargs) and kwargs.keys().isdisjoint(positional[: len(args)]))
            if fits and len(filled) == len(positional) + len(self.keyword_only):
                return filled
        bound: dict[Any, Any] = dict(zip(positional, args, strict=False))
        if self.rest is not None:
            bound[self.rest] = args[len(positional) :]
        elif len(args) > len(positional):
            raise self._too_many(name, len(args), kwargs)
        extra: dict[str, Any] = {}
        misplaced = []
        for key, value in kwargs.items():
            if key in self.by_name:
                if key in bound:
                    raise TypeError(f"{name}() got multiple values for argument '{key}'")
                bound[key] = value
            elif self.keywords is not None:
                extra[key] = value
            elif key in positional:
                misplaced.append(key)
            else:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        if misplaced:
            raise TypeError(
                f"{name}() got some positional-only arguments passed as keyword arguments: '{', '.join(misplaced)}'"
            )
        if self.keywords is not None:
            bound[self.keywords] = extra
        for names, kind in ((positional, "positional"), (self.keyword_only, "keyword-only")):
            missing = []
            for key in names:
                if key not in bound:
                    if key in self.defaults:
                        bound[key] = self.defaults[key]
                    else:
                        missing.append(key)
            if missing:
                raise _missing(name, missing, kind)
        return bound

    def _too_many(self, name: str, given: int, kwargs: Mapping[str, Any]) -> TypeError:
        most = len(self.positional)
        least = most - sum(n in self.defaults for n in self.positional)
        takes = f"from {least} to {most}" if least != most else str(most)
        plural = "s" if takes != "1" else ""
        extra = [k for k in kwargs if k in self.keyword_only]
        also = ""
        if extra:
            also = (
                f" positional argument{'s' if given != 1 else ''} (and {len(extra)} keyword-only "
                f"argument{'s' if len(extra) != 1 else ''})"
            )
        were = "was" if given == 1 and not extra else "were"
        return TypeError(f"{name}() takes {takes} positional argument{plural} but {given}{also} {were} given")


def _missing(name: str, missing: list[str], kind: str) -> TypeError:
    quoted = [f"'{n}'" for n in missing]
    if len(quoted) == 1:
        listed = quoted[0]
    elif len(quoted) == 2:
        listed = " and ".join(quoted)
    else:
        listed = f"{', '.join(quoted[:-1])}, and {quoted[-1]}"
    plural = "s" if len(missing) != 1 else ""
    return TypeError(f"{name}() missing {len(missing)} required {kind} argument{plural}: {listed}")


class UserFunction:
    """A function of a program: parameters, a body, and the names around it."""

    # Compiles the body once more, as its nodes are now.
    compile_again: Callable[[], Callable[[dict[Any, Any]], Any]]
    # Data of the instance under the names that functions have: decorators copy them.
    __name__: str
    __qualname__: str

    def __init__(
        self,
        machine: Machine,
        name: str,
        qualname: str,
        doc: str | None,
        signature: Signature,
        body: Callable[[dict[Any, Any]], Any],
        outer: dict[Any, Any],
        node: Any,
    ) -> None:
        self.machine = machine
        self.__name__ = name
        self.__qualname__ = qualname
        self.__doc__ = doc
        self.signature = signature
        # The names of what may be given by place.
        self.parameters = signature.positional
        self.body = body
        self.outer = outer
        self.node = node
        # Whether it is left to others to define.
        self.abstract = False
        # Whether it makes generators.
        self.generates = False
        # The function that it stands for, as decorators say it.
        self.wrapped: Any = None
        plain = signature.rest is None and signature.keywords is None and not signature.keyword_only
        # How many arguments fill the parameters one by one.
        self.simple = len(signature.positional) if plain else -1

    def call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run the body with these arguments."""
        given = len(args)
        env: dict[Any, Any] = {UP: self.outer}
        if given != self.simple or kwargs:
            env.update(self.signature.bind(self.__qualname__, args, kwargs))
        elif given == 1:
            env[self.parameters[0]] = args[0]
        elif given == 2:
            first, second = self.parameters
            env[first], env[second] = args
        elif given:
            env.update(zip(self.parameters, args))  # noqa: B905 (as many as there are)
        machine = self.machine
        machine.depth = depth = machine.depth + 1
        machine.steps -= 1
        if depth > machine.deepest or machine.steps < 0:
            machine.leave_at_limit()
        try:
            return self.body(env)
        except BaseException as error:
            if machine.left.expects_ends and isinstance(error, Exception):
                from ..language.exception_marks import marks

                marks(error).held = *marks(error).held, env
            raise
        finally:
            machine.depth -= 1

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.call(args, kwargs)

    def switched(self, again: Callable[[], Any]) -> UserFunction:
        """The same, making generators that run inside a context, which their caller is not in."""

        def body(env: dict[Any, Any]) -> Any:
            made = self.body(env)
            made.source.contexts = (again, *made.source.contexts)
            return made

        function = UserFunction(
            self.machine, self.__name__, self.__qualname__, self.__doc__, self.signature, body, self.outer, self.node
        )
        function.generates = True
        return function

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    __hash__ = hash_of

    def __copy__(self) -> UserFunction:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> UserFunction:
        return self

    def __repr__(self) -> str:
        return f"<function {self.__qualname__} at {address(self):#x}>"


# What `type(f)` shows.
UserFunction.__name__ = UserFunction.__qualname__ = "function"
UserFunction.__module__ = "builtins"
SWITCHING.add(UserFunction)


class Unfound(dict[str, Any]):
    """The names found in a class whose instances are asked for each of theirs: none."""

    __slots__ = ()

    def __setitem__(self, name: str, found: Any) -> None:
        """Nothing is kept."""


# What stands for `object` where a program's class derives from nothing.
OBJECTS: set[type] = set()


class UserType(type):
    """The class of every class that a program defines."""

    def mro(cls) -> list[type]:
        """Python's order, with what stands for `object` where `object` is: behind all that other bases have."""
        return sorted(super().mro(), key=lambda base: base is object or base in OBJECTS)


# What messages call it.
UserType.__name__ = UserType.__qualname__ = "type"
UserType.__module__ = "builtins"


def put_in(cls: type, name: str, value: Any) -> None:
    """Put a value into a class of a program."""
    type.__setattr__(cls, name, value)
    _forget(cls, name)


def take_out(cls: type, name: str) -> None:
    """Take a value out of a class of a program."""
    type.__delattr__(cls, name)
    _forget(cls, name)


def _forget(cls: type, name: str) -> None:
    """Forget what was found under a name in a class, and in those that derive from it; a hook may mean any name."""
    # A class of views has none of its own.
    for known in (cls.__dict__.get(FOUND, {}), cls.__dict__.get(TAKEN, {})):
        if is_special(name):
            known.clear()
        else:
            known.pop(name, None)
    below: list[type] = type.__subclasses__(cls)
    for derived in below:
        _forget(derived, name)


def declared(cls: type, name: str) -> Any:
    """Find a name among the program's own classes in a class's method resolution order, or return MISSING."""
    # Nothing of this may be an attribute of the metaclass: a program's class could hide it.
    for base in cls.__mro__:
        space = base.__dict__
        if name in space and isinstance(base, UserType) and name not in _OURS:
            return space[name]
        if OVER in space and name in space[OVER]:
            return space[OVER][name]
    return MISSING


def is_special(name: str) -> bool:
    """True if Python, what it stands on, or the language gives a meaning to a name: all others are a program's."""
    return name[:2] == "__" and (name in KNOWN or name in _OURS) and is_dunder(name)


class Super:
    """The value of ``super()``: the classes after one of them, seen from an instance; from None of super(SomeClass)."""

    __slots__ = ("after", "owner")

    def __init__(self, after: type, owner: Any) -> None:
        self.after = after
        self.owner = owner

    def __repr__(self) -> str:
        owner = self.owner if isinstance(self.owner, type) else type(self.owner)
        seen_from = "NULL" if self.owner is None else f"<{owner.__name__} object>"
        return f"<super: <class '{self.after.__name__}'>, {seen_from}>"

    def line(self) -> tuple[type, ...]:
        """The classes in which a name is looked up."""
        kind = self.owner if isinstance(self.owner, type) else type(self.owner)
        if self.after not in kind.__mro__:
            # A class, seen by a method of its metaclass.
            kind = next(base.__dict__[METACLASS] for base in kind.__mro__ if METACLASS in base.__dict__)
        mro = kind.__mro__
        return mro[mro.index(self.after) + 1 :]


known_as(Super, "super", "builtins")


class Namespace:
    """A module that a program may name: a table of what there is in it."""

    __slots__ = ("find", "full_name", "is_own", "names", "set")

    def __init__(
        self,
        full_name: str,
        find: Callable[[str], Any],
        names: Callable[[], list[str]],
        set: Callable[[str, Any], None] | None = None,
        is_own: bool = False,
    ) -> None:
        self.full_name = full_name
        # Whether it is a file beside the program.
        self.is_own = is_own
        self.find = find
        self.names = names
        # What sets one of its names, where those are flags.
        self.set = set

    def __repr__(self) -> str:
        return f"<module '{self.full_name}'>"


known_as(Namespace, "module", "builtins")


def bound(value: Any, owner: Any) -> Any:
    """A value found in a class, as its instance sees it."""
    if isinstance(value, UserFunction):
        return types.MethodType(value, owner)
    if isinstance(value, staticmethod):
        return value.__func__
    if isinstance(value, classmethod):
        return types.MethodType(value.__func__, owner if isinstance(owner, type) else type(owner))
    if isinstance(value, property):
        if value.fget is None:
            raise AttributeError("property has no getter")
        return value.fget(owner)
    if isinstance(value, types.FunctionType):
        # A method that a decorator such as no_grad() wrapped.
        return types.MethodType(value, owner)
    return value


def hook_of(value: Any, name: str) -> Any:
    """A method that an object has by its class alone, of a program's, or None."""
    if not isinstance(type(value), UserType):
        return None
    return next((base.__dict__[name] for base in type(value).__mro__ if name in base.__dict__), None)


def answer(value: Any, kept: str, *args: Any) -> Any:
    """The answer of a method that the class of an object keeps under a name of ours, or MISSING without one."""
    method = hook_of(value, kept)
    if method is None:
        return MISSING
    if isinstance(method, (classmethod, staticmethod)):
        return caps.guarded(bound(method, value))(*args)
    return caps.guarded(method)(value, *args)


def as_place(value: Any) -> Any:
    """The whole number that an object of a program's says it is as a place, as `__index__` does; others as they are."""
    told = answer(value, INDEXING)
    if told is not MISSING and not isinstance(told, int):
        raise TypeError(f"__index__ returned non-int (type {type(told).__name__})")
    return value if told is MISSING else told


def refuse_special(name: str) -> None:
    """Refuse a special method that classes of a program may not define."""
    if is_special(name) and name not in BOUND and name not in ("__doc__", SLOTS):
        raise SpecError(
            f"a class of a spec may not define {name}",
            help="allowed are __init__, __call__, __repr__, __len__, __getitem__ and the operators",
            code="E205",
        )
