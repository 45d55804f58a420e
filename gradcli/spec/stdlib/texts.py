"""Values as JSON, and what a program may ask of its functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from ...errors import SpecError, raised_by_program
from ..guard.size_limits import DEEPEST, caps, checked, collected, fits, weigh
from ..library import is_of_library
from ..values.annotations import annotations_of
from ..values.bound_methods import Bound, Unbound, place_of
from ..values.classes.sealed_classes import Given, Sealed, known_as, sealed
from ..values.show import representation
from ..values.standing import value_of
from ..values.tables.table import TABLES, attributes, declare, own_methods
from ..values.user_definitions import MISSING, WRITTEN, Namespace, UserFunction, UserType, declared
from ..values.visible_types import built_in, word

Table = dict[str, Any]
_ATOMS = (str, int, float, bool, type(None))
_KEYS = (str, int, float, bool, type(None))


def _plain(value: Any, default: Any, skips: bool = False, depth: int = 0) -> Any:
    """A value of Python's own types alone, which have one text in JSON; of keys that have none, it may skip what is
    under them."""
    value = value_of(value)
    if type(value) in _ATOMS:
        return value
    if isinstance(value, dict):
        known = {key: v for key, v in value.items() if type(value_of(key)) in _KEYS}
        for key in () if skips or len(known) == len(value) else value:
            if key not in known:
                raise TypeError(f"keys must be str, int, float, bool or None, not {word(key)}")
        return {value_of(key): _plain(v, default, skips, depth) for key, v in known.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v, default, skips, depth) for v in value]
    if isinstance(value, (int, float, str)) and type(value).__module__ == "numpy":
        return float(value)
    if default is not None:
        made = caps.guarded(default)(value)
        weigh(made)
        if depth == DEEPEST:
            raise ValueError("Circular reference detected")
        return _plain(made, default, skips, depth + 1)
    raise TypeError(f"Object of type {word(value)} is not JSON serializable")


def _dumps(obj: Any, *, cls: Any = None, **options: Any) -> str:
    """The text of a value, which a class of the program's may write."""
    if cls is None:
        return _encoded(obj, **options)
    found: str = _method(caps.guarded(cls)(**options), "encode")(obj)
    return found


def _encoded(
    obj: Any, *, indent: Any = None, sort_keys: Any = False, ensure_ascii: Any = True, separators: Any = None,
    default: Any = None, allow_nan: Any = True, skipkeys: Any = False,
) -> str:  # fmt: skip
    import json

    weigh(obj)
    if isinstance(indent, int):
        fits(indent, "str")
    if separators is not None:
        separators = tuple(collected(separators))
        if len(separators) != 2 or not all(type(s) is str for s in separators):
            raise TypeError("separators must be a tuple of two strings")
    encoder = json.JSONEncoder(
        indent=indent if isinstance(indent, (int, str)) else None, sort_keys=bool(sort_keys),
        ensure_ascii=bool(ensure_ascii), separators=separators, allow_nan=bool(allow_nan),
    )  # fmt: skip
    pieces, size = [], 0
    # Piece by piece: what stands between the values may be longer than they are.
    for piece in encoder.iterencode(_plain(obj, default, bool(skipkeys))):
        pieces.append(piece)
        size += len(piece)
        fits(size, "str")
        caps.tick(1 + (len(piece) >> 4))
    return "".join(pieces)


def _loads(
    s: Any, *, object_hook: Any = None, object_pairs_hook: Any = None, parse_float: Any = None, parse_int: Any = None,
    **options: Any,
) -> Any:  # fmt: skip
    import json

    if isinstance(s, (bytes, bytearray)):
        s = s.decode()
    if not isinstance(s, str):
        raise TypeError(f"the JSON object must be str, bytes or bytearray, not {word(s)}")
    if options:
        raise SpecError(f"json.loads({next(iter(options))}=...) is not in the spec language", help="leave it out")
    caps.tick(len(s) >> 2)
    try:
        found = json.loads(
            s, object_pairs_hook=_Pairs,
            parse_int=_integer if parse_int is None else lambda digits: _Digits((parse_int, digits)),
            parse_float=None if parse_float is None else lambda digits: _Digits((parse_float, digits)),
        )  # fmt: skip
    except json.JSONDecodeError as error:
        raise _WrongText(error) from None
    weigh(found)
    if object_pairs_hook is not None:
        return _read(found, caps.guarded(object_pairs_hook))
    hook = dict if object_hook is None else caps.guarded(object_hook)
    return _read(found, lambda pairs: hook(dict(pairs)))


class _Pairs(list[Any]):
    """An object of JSON, as it is written."""


class _Digits(tuple[Any, ...]):
    """A number of JSON, with the function of the program's that reads it."""


def _read(value: Any, made: Callable[[list[Any]], Any]) -> Any:
    """A value of JSON, with its objects made by a function, the inner ones first."""
    if type(value) is _Digits:
        return caps.guarded(value[0])(value[1])
    if type(value) is _Pairs:
        return made([(key, _read(v, made)) for key, v in value])
    return [_read(v, made) for v in value] if type(value) is list else value


class _WrongText(ValueError):
    """A text that is no JSON."""

    def __init__(self, error: Any) -> None:
        super().__init__(str(error))
        self.msg, self.doc, self.pos, self.lineno, self.colno = (
            error.msg, error.doc, error.pos, error.lineno, error.colno,
        )  # fmt: skip


known_as(_WrongText, "JSONDecodeError", "json.decoder")
declare(_WrongText, base=ValueError, fields=attributes("msg doc pos lineno colno"))


def _integer(digits: str) -> Any:
    return checked(int(digits))


def _method(value: Any, name: str) -> Callable[..., Any]:
    from ..values.members import get

    found: Callable[..., Any] = caps.guarded(get(value, name))
    return found


def _dump(obj: Any, fp: Any, **options: Any) -> None:
    _method(fp, "write")(_dumps(obj, **options))


def _load(fp: Any, **options: Any) -> Any:
    return _loads(_method(fp, "read")(), **options)


def json() -> Table:
    """The names of the module `json`."""
    return {"dump": _dump, "dumps": _dumps, "load": _load, "loads": _loads, "JSONDecodeError": _WrongText}


# -- attributes ------------------------------------------------------------------------------------


def _reading(attr: str, /, *attrs: str) -> Callable[[Any], Any]:
    """A function that reads an attribute, or several."""
    from ..values.members import get

    if not all(type(name) is str for name in (attr, *attrs)):
        raise TypeError("attribute name must be a string")

    def of(value: Any, name: str) -> Any:
        for part in name.split("."):
            value = get(value, part)
        return value

    def attrgetter(value: Any, /) -> Any:
        found = [of(value, name) for name in (attr, *attrs)]
        return tuple(found) if attrs else found[0]

    return attrgetter


def attributes_of() -> Table:
    """The functions of the module `operator` that read attributes."""
    return {"attrgetter": _reading, "methodcaller": _calling}


def _calling(name: Any, /, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """A function that calls the method of a name."""
    read = _reading(name)
    if "." in name:
        raise AttributeError(f"there is no method {name!r}")

    def methodcaller(value: Any, /) -> Any:
        return caps.guarded(read(value))(*args, **kwargs)

    return methodcaller


# -- functions, looked at ------------------------------------------------------------------------


class Empty(Given):
    """The mark of a default or an annotation that there is not."""

    __slots__ = ()


known_as(Empty, "_empty", "inspect")


class Parameter(Given):
    """A parameter of a function."""

    __slots__ = ("default", "function", "kind", "name", "text")

    def __init__(self, name: str, kind: str, default: Any, text: str | None, function: Any = None) -> None:
        self.name, self.kind, self.default, self.text, self.function = name, kind, default, text, function

    def __repr__(self) -> str:
        return f'<Parameter "{_shown(self.text)}">'

    def __str__(self) -> str:
        return _shown(self.text)


class Signature(Given):
    """The parameters of a function, as they are written."""

    __slots__ = ("function", "parameters", "text")

    def __init__(self, parameters: dict[str, Parameter], text: str | None, function: Any = None) -> None:
        self.parameters, self.text, self.function = parameters, text, function

    def __repr__(self) -> str:
        return f"<Signature {_shown(self.text)}>"

    def __str__(self) -> str:
        return _shown(self.text)


def _default(parameter: Parameter) -> Any:
    return _shown(None) if parameter.default is MISSING else parameter.default


def _noted(parameter: Parameter) -> Any:
    _shown(parameter.text)
    return annotations_of(parameter.function).get(parameter.name, _EMPTY)


def _shown(text: str | None) -> str:
    """A signature as it is written; of PyTorch's own functions no annotations are known."""
    if text is None:
        raise SpecError("how PyTorch annotates what its own functions take is not in the spec language", code="E205")
    return text


for _class in (Parameter, Signature, Empty):
    known_as(_class, _class.__name__, "inspect")
_EMPTY = sealed(Empty)
_FIELDS: dict[str, Callable[[Any], Any]] = {
    "name": lambda p: p.name, "kind": lambda p: _KINDS_TOLD[p.kind], "default": _default, "annotation": _noted,
}  # fmt: skip
_KINDS = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD")


class KindOfParameter(str):
    """The way that a parameter is given: a text, which has a name and a number as well."""

    __slots__ = ()


known_as(KindOfParameter, "_ParameterKind", "inspect")
declare(
    KindOfParameter, base=str,
    fields={
        "name": str, "value": lambda kind: _KINDS.index(kind),
        "description": lambda kind: kind.lower().replace("_only", "-only").replace("var_p", "variadic p").replace(
            "var_k", "variadic k"
        ).replace("_", " "),
    },
)  # fmt: skip
_KINDS_TOLD: dict[str, Any] = {kind: KindOfParameter(kind) for kind in _KINDS}
_told: dict[str, Any] = {"empty": _EMPTY, **_KINDS_TOLD}
declare(Parameter, base=object, fields=_FIELDS).statics.update(_told)
_RETURNED = {"return_annotation": lambda s: annotations_of(s.function).get("return", _EMPTY)}
declare(Signature, base=object, fields={**attributes("parameters"), **_RETURNED}).statics["empty"] = _EMPTY
declare(Empty, base=object)


class BoundArguments(Given):
    """Arguments by the parameters that they fill."""

    __slots__ = ("arguments", "signature")

    def __init__(self, signature: Signature, arguments: dict[str, Any]) -> None:
        self.signature, self.arguments = signature, arguments

    def apply_defaults(self) -> None:
        """Fill the parameters that nothing was given for."""
        given = dict(self.arguments)
        self.arguments.clear()
        for name, parameter in self.signature.parameters.items():
            nothing = {"VAR_POSITIONAL": (), "VAR_KEYWORD": {}}.get(parameter.kind, parameter.default)
            if name in given or nothing is not _EMPTY:
                self.arguments[name] = given.get(name, nothing)

    @property
    def args(self) -> tuple[Any, ...]:
        """All that is given by place, up to the first that is not."""
        given: list[Any] = []
        for name, parameter in self.signature.parameters.items():
            if parameter.kind in ("KEYWORD_ONLY", "VAR_KEYWORD") or name not in self.arguments:
                break
            found = self.arguments[name]
            given += found if parameter.kind == "VAR_POSITIONAL" else [found]
        return tuple(given)

    @property
    def kwargs(self) -> dict[str, Any]:
        """All that is given by name: the rest."""
        given: dict[str, Any] = {}
        by_name = False
        for name, parameter in self.signature.parameters.items():
            by_name = by_name or parameter.kind in ("KEYWORD_ONLY", "VAR_KEYWORD") or name not in self.arguments
            if by_name and name in self.arguments:
                found = self.arguments[name]
                given.update(found if parameter.kind == "VAR_KEYWORD" else {name: found})
        return given

    def __repr__(self) -> str:
        shown = ", ".join([f"{name}={representation(value)}" for name, value in self.arguments.items()])
        return f"<BoundArguments ({shown})>"


known_as(BoundArguments, "BoundArguments", "inspect")


def _bind(self: Signature, /, *args: Any, **kwargs: Any) -> BoundArguments:
    return _filled(self, args, kwargs, True)


def _bind_partial(self: Signature, /, *args: Any, **kwargs: Any) -> BoundArguments:
    return _filled(self, args, kwargs, False)


def _filled(signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any], all_of_them: bool) -> BoundArguments:
    """The arguments of a call by parameters, or Python's words for what does not fit."""
    given: dict[str, Any] = {}
    placed = list(args)
    for name, parameter in signature.parameters.items():
        if parameter.kind == "VAR_POSITIONAL" and placed:
            given[name], placed = tuple(placed), []
        elif parameter.kind == "VAR_KEYWORD" and kwargs:
            given[name], kwargs = kwargs, {}
        elif parameter.kind.startswith("POSITIONAL") and placed:
            given[name] = placed.pop(0)
            if name in kwargs and parameter.kind != "POSITIONAL_ONLY":
                raise TypeError(f"multiple values for argument {name!r}")
        elif name in kwargs and parameter.kind != "POSITIONAL_ONLY":
            given[name] = kwargs.pop(name)
        elif all_of_them and parameter.default is _EMPTY and not parameter.kind.startswith("VAR"):
            raise TypeError(f"missing a required argument: {name!r}")
    if placed:
        raise TypeError("too many positional arguments")
    if kwargs:
        raise TypeError(f"got an unexpected keyword argument {next(iter(kwargs))!r}")
    return BoundArguments(signature, given)


declare(
    BoundArguments, base=object, methods=own_methods(BoundArguments, "apply_defaults"),
    fields=attributes("args arguments kwargs signature"),
)  # fmt: skip
TABLES[Signature].methods.update(bind=_bind, bind_partial=_bind_partial)
for _name, _binding in {"bind": _bind, "bind_partial": _bind_partial}.items():
    _binding.__name__, _binding.__qualname__ = _name, f"Signature.{_name}"


def _signature(callable: Any, /, *, follow_wrapped: Any = True) -> Signature:
    while follow_wrapped and isinstance(callable, UserFunction) and callable.wrapped is not None:
        caps.tick(1)
        callable = callable.wrapped
    function, skipped = callable, 0
    if isinstance(function, UserType):
        function, skipped = declared(function, "__init__"), 1
    elif isinstance(function, UserFunction):
        skipped = 0
    elif isinstance(found := getattr(function, "__func__", None), UserFunction):
        function, skipped = found, 1
    if function is MISSING:
        return Signature({}, "()")
    if not isinstance(function, UserFunction):
        return _of_library(callable)
    return _of_function(function, skipped)


def _of_library(callable: Any) -> Signature:
    """The names, kinds and defaults of what a class or a function of PyTorch's takes; its annotations are unknown."""
    function = callable.function if isinstance(callable, (Bound, Unbound)) else callable
    # What stands in functional before one of torch's is PyTorch's own there, written in Python.
    written = isinstance(function, FunctionType) and (
        not built_in(function) or function.__module__.endswith(".nn.functional")
    )
    known = isinstance(function, type) or written
    if not known or isinstance(function, Sealed):
        raise SpecError("inspect.signature() is for functions and classes in the spec language", code="E205")
    read = _taken_by(function)[isinstance(callable, Bound) :]
    return Signature({name: Parameter(name, kind, default, None) for name, kind, default in read}, None)


def _taken_by(function: Any) -> list[tuple[str, str, Any]]:
    """The name, kind and default of each argument of a function of ours, as it says itself, or as it is written."""
    skipped = 0
    while True:
        told = getattr(function, "__signature__", None)
        if told is not None:
            empty = told.empty
            return [
                (p.name, p.kind.name, _EMPTY if p.default is empty else _if_plain(p.default))
                for p in told.parameters.values()
            ][skipped:]
        if isinstance(function, type):
            function, skipped = function.__init__, 1  # type: ignore[misc]
        elif (within := getattr(function, "__wrapped__", None)) is not None:
            function = within
        else:
            break
    if not isinstance(function, FunctionType):
        # An object that is made of nothing.
        return []
    code = function.__code__
    placed, by_name = code.co_argcount, code.co_kwonlyargcount
    names: tuple[str, ...] = code.co_varnames
    given = dict(zip(names[:placed][::-1], (function.__defaults__ or ())[::-1], strict=False))
    given.update(function.__kwdefaults__ or {})
    kinds = [_KINDS[0 if number < code.co_posonlyargcount else 1] for number in range(placed)]
    found = [*zip(names, kinds, strict=False)]
    rest = placed + by_name
    if code.co_flags & 0x04:
        found.append((names[rest], "VAR_POSITIONAL"))
        rest += 1
    found += [(name, "KEYWORD_ONLY") for name in names[placed : placed + by_name]]
    if code.co_flags & 0x08:
        found.append((names[rest], "VAR_KEYWORD"))
    # What begins with an underscore only hands on what a function of PyTorch's takes.
    return [
        (name, kind, _if_plain(given[name]) if name in given else _EMPTY)
        for name, kind in found[skipped:]
        if not (kind.startswith("VAR") and name.startswith("_"))
    ]


def _if_plain(value: Any) -> Any:
    return value if _is_plain(value) else MISSING


def _is_plain(value: Any) -> bool:
    parts = value if type(value) is tuple else (value,)
    return all(part is None or type(part) in (int, float, bool, str) for part in parts)


def _of_function(function: UserFunction, skipped: int) -> Signature:
    arguments: ast.arguments = function.node.args
    defaults = function.signature.defaults
    made: dict[str, Parameter] = {}
    shown: list[str] = []
    placed = [*arguments.posonlyargs, *arguments.args]
    annotations = _annotations(function)

    def add(a: ast.arg, kind: str, before: str = "") -> None:
        note = "" if a.annotation is None else f": {_annotation(a.annotation, annotations.get(a.arg, MISSING))}"
        text = f"{before}{a.arg}{note}"
        default = defaults.get(a.arg, _EMPTY)
        if a.arg in defaults:
            equals = " = " if note else "="
            text += f"{equals}{representation(defaults[a.arg])}"
        made[a.arg] = Parameter(a.arg, kind, default, text, function)
        shown.append(text)

    for number, a in enumerate(placed[skipped:], skipped):
        add(a, "POSITIONAL_ONLY" if number < len(arguments.posonlyargs) else "POSITIONAL_OR_KEYWORD")
        if number == len(arguments.posonlyargs) - 1:
            shown.append("/")
    if arguments.vararg is not None:
        add(arguments.vararg, "VAR_POSITIONAL", "*")
    elif arguments.kwonlyargs:
        shown.append("*")
    for a in arguments.kwonlyargs:
        add(a, "KEYWORD_ONLY")
    if arguments.kwarg is not None:
        add(arguments.kwarg, "VAR_KEYWORD", "**")
    result = getattr(function.node, "returns", None)
    arrow = "" if result is None else f" -> {_annotation(result, annotations.get('return', MISSING))}"
    return Signature(made, f"({', '.join(shown)}){arrow}", function)


def _annotation(node: ast.expr, value: Any) -> str:
    """An annotation as Python shows it: a class by its whole name; what cannot be read, as it is written."""
    if value is MISSING:
        return ast.unparse(node)
    shown = representation(value)
    if isinstance(value, type):
        return shown.removeprefix("<class '").removesuffix("'>")
    return shown.replace("typing.", "")


def _annotations(function: UserFunction) -> dict[str, Any]:
    """The annotations of a function, as far as they can be read."""
    try:
        return annotations_of(function)
    except raised_by_program(SpecError):
        return {}


def _is_function(object: Any, /) -> bool:
    """isfunction(): true of what is written in Python, there or in PyTorch."""
    if type(object) is Unbound:
        return place_of(object.owner, object.name) is not None
    return isinstance(object, UserFunction) or (isinstance(object, FunctionType) and not built_in(object))


def _is_method(object: Any, /) -> bool:
    if type(object) is Bound:
        return not isinstance(object.owner, type) and place_of(type(object.owner), object.name) is not None
    return type(object) is MethodType


def _is_builtin(object: Any, /) -> bool:
    """isbuiltin(): true of what is written in C, there or in PyTorch."""
    return (type(object) is Bound and not _is_method(object)) or (
        isinstance(object, FunctionType) and built_in(object)
    )


def _is_abstract(object: Any, /) -> bool:
    return isinstance(object, UserType) and bool(object.__dict__.get("__abstractmethods__"))


def _is_class(object: Any, /) -> bool:
    return isinstance(object, type)


def _line_of(cls: Any) -> Any:
    """getmro()"""
    from ..values.members import get

    return get(cls, "__mro__")


def _words_of(object: Any) -> str | None:
    """getdoc()"""
    from inspect import cleandoc

    from ..values.members import get

    found = get(object, "__doc__")
    return cleandoc(found) if isinstance(found, str) else None


def _source_lines(object: Any, /) -> tuple[list[str], int]:
    """getsourcelines()"""
    function = getattr(object, "__func__", object) if type(object) is MethodType else object
    source: Any = None
    node: Any = None
    if isinstance(function, UserFunction):
        source, node = function.machine.source, function.node
    elif isinstance(function, UserType):
        source, node = function.__dict__.get(WRITTEN, (None, None))
    if node is None or is_of_library(node):
        raise SpecError(
            "inspect.getsource() is for functions and classes of the program in the spec language", code="E205"
        )
    start = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
    lines = source.text.removeprefix("\ufeff").split("\n")[start - 1 : node.end_lineno]
    fits(sum(map(len, lines)) + len(lines), "str")
    return [f"{line}\n" for line in lines], start


def _source_of(object: Any, /) -> str:
    """getsource()"""
    return "".join(_source_lines(object)[0])


def inspect() -> Table:
    """The names of the module `inspect`."""
    from .frames import frames

    return {
        "signature": _signature, "isfunction": _is_function, "isclass": _is_class, "isabstract": _is_abstract,
        "Parameter": sealed(Parameter), "_empty": _EMPTY,
        "Signature": sealed(Signature), "getdoc": _words_of, "getmro": _line_of,
        "getsource": _source_of, "getsourcelines": _source_lines, "ismethod": _is_method,
        "_function_of": lambda object, /: object.__func__ if type(object) is MethodType else object,
        "isgeneratorfunction": lambda object, /: isinstance(object, UserFunction) and object.generates, **frames(),
        "ismodule": lambda object, /: isinstance(object, Namespace),
        "isbuiltin": _is_builtin,
    }  # fmt: skip
