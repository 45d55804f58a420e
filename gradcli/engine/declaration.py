"""Reading a declaration: what a rule asks for, what of an argument is kept, and how it is shown."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .dtypes import Array

Rule = Callable[..., Any]
Forward = Callable[..., Any]

# Other names that PyTorch lets its callers use.
ALIASES = {"input": "self", "axis": "dim", "keepdims": "keepdim"}

# Arguments that PyTorch declares int64_t: a negative one reads as its unsigned twin.
INT64 = {
    "diagonal", "dim", "dim0", "dim1", "dim2", "dimension", "dims", "end", "ignore_index", "index", "k", "offset",
    "pad", "padding", "padding_idx", "repeats", "shifts", "start", "step",
}  # fmt: skip


# What reads elements after it has written others.
READING_ELSEWHERE: set[Callable[..., Any]] = set()


def reads_elsewhere(function: Callable[..., Any]) -> Any:
    """Declare that what a function computes may not be written over what it reads."""
    READING_ELSEWHERE.add(function)
    return function


# What PyTorch says of a tensor that is given for a result, of a function, in another element type than the result has;
# and whether such a one may be cast to all the same. Functions that do not stand here say the usual words.
WORDS_OF_OUT: dict[Any, tuple[str, bool | str]] = {}
EXACT = "Expected out tensor to have dtype {c_found}, but got {c_given} instead"
SAFELY = ": Expected result to be safely castable from {found} dtype, but got result with dtype {given}"
CASTABLE = "result type {found} can't be cast to the desired output type {given}"
CASTABLE_IN_C = "result type {found} can't be cast to the desired output type {c_given}"


# Written to what is of the same kind, floating or complex, in whatever precision.
OF_ITS_KIND = "of its kind"


def given_for_out(words: str = EXACT, cast: bool | str = False) -> Callable[[Any], Any]:
    """Declare what is said of a tensor that has another element type than the result to be written to it."""

    def declared(function: Any) -> Any:
        WORDS_OF_OUT[getattr(function, "op", function)] = words, cast
        return function

    return declared


# Functions that compute in the dtype of the tensor that is given for their result.
MADE_AS_OUT: set[Any] = set()


def made_as_out(function: Any) -> Any:
    """Declare that a function computes in the dtype of a tensor that is given for its result."""
    MADE_AS_OUT.add(getattr(function, "op", function))
    return function


# Functions that PyTorch has in Python, not in C.
IN_PYTHON: set[Any] = set()


def in_python(function: Any) -> Any:
    """Declare that PyTorch has a function in Python: it takes no argument by NumPy's name for it."""
    IN_PYTHON.add(function)
    return function


# Functions of which the shapes of results depend on the numbers of tensors, by their names.
BY_NUMBERS: set[str] = set()


def by_numbers(function: Any) -> Any:
    """Declare that a function gives no tensor where there are shapes alone."""
    BY_NUMBERS.add(function.__name__)
    return function


def camel(name: str) -> str:
    """A name as PyTorch's node names have it."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def wants(rule: Rule | None) -> tuple[str, ...]:
    """The parameters of a rule after ``g``."""
    if rule is None:
        return ()
    code = rule.__code__
    return tuple([n for n in code.co_varnames[1 : code.co_argcount] if n != "wanted"])


def parameters_of(rule: Rule) -> tuple[str, ...]:
    """All parameters of a rule."""
    return rule.__code__.co_varnames[: rule.__code__.co_argcount]


FACTS: dict[str, Callable[[Array], Any]] = {
    "_sym_sizes": lambda a: a.shape,
    "_sym_numel": lambda a: a.size,
    "_sym_strides": lambda a: tuple(s // a.itemsize for s in a.strides),
    "_sym_sizes_opt": lambda a: (0,) if a is None else a.shape,
    "_hidden": lambda a: a,
    "_like": lambda a: (a.shape, a.dtype),
    "_sym_argsize_0": lambda a: a.shape[0],
    "_sym_argsize_1": lambda a: a.shape[1],
    "_sym_argsize_2": lambda a: a.shape[2],
    "_sym_argsize_minus_1": lambda a: a.shape[-1],
    "_sym_argsize_minus_2": lambda a: a.shape[-2],
    "_sym_argsize_minus_3": lambda a: a.shape[-3],
    "_dim": lambda a: a.ndim,
    "_scalar_type": lambda a: a.dtype,
    "_geometry": lambda a: _geometry(a),
    "_args_sizes": lambda tensors: [t.shape for t in tensors],
}


# Facts that PyTorch keeps without showing them.
HIDDEN = ("_geometry", "_args_sizes", "_hidden", "_like")


def _geometry(a: Array) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Sizes, strides and where in the storage it starts, in elements."""
    from .ops.shape.strides import storage_offset_of

    return a.shape, tuple([s // a.itemsize for s in a.strides]), storage_offset_of(a)


@functools.cache
def fact(name: str) -> tuple[str, Callable[[Array], Any] | None]:
    """Which argument a kept fact is about, and how to read it off."""
    for suffix, read in FACTS.items():
        if name.endswith(suffix):
            return name[: -len(suffix)], read
    return name, None


def defaults_of(forward: Forward) -> dict[str, Any]:
    """The default of each argument that has one."""
    code = forward.__code__
    given = forward.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    found = dict(zip(names[len(names) - len(given) :], given, strict=True))
    found.update(forward.__kwdefaults__ or {})
    return found


def shown(name: str, value: Any) -> Any:
    """A kept plain argument, as PyTorch shows it."""
    if isinstance(value, (tuple, list)):
        return tuple(shown(name, v) for v in value)
    if isinstance(value, int) and not isinstance(value, bool) and value < 0 and name in INT64:
        return value + 2**64
    return value
