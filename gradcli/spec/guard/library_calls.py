"""Refuse a program's own objects as arguments of PyTorch's functions.

They take tensors, numbers and lists of them. An object of a program answers as it likes, and otherwise each time it is
asked: how long it is, whether it equals a word, what its `shape` and `dtype` are. So it is refused where the program's
call leaves the interpreter, before anything is counted or computed by what it says.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from ...engine.from_python import SUPPORTED
from ...engine.tensor import Tensor
from ..values.classes.sealed_classes import Numberless
from ..values.classes.tensor_classes import is_answered
from ..values.standing import value_of
from ..values.user_definitions import SPECIAL, UserFunction, UserType, declared, hook_of, is_special
from ..values.visible_types import word
from .size_limits import caps, fits, narrow, weigh, whole

# The rooms whose functions compute; but for these, which call what they are given, or look at anything.
_COMPUTING = (
    "gradcli.engine.ops.", "gradcli.engine.calls.", "gradcli.engine.writes.inplace", "gradcli.engine.properties",
    "gradcli.engine.printing", "gradcli.engine.dtypes", "gradcli.engine.tensor", "gradcli.nn.init",
    "gradcli.nn.utils.rnn", "gradcli.cuda", "gradcli.optim._functional",
)  # fmt: skip
_TAKING = frozenset((
    "apply_", "map_", "is_tensor", "register_hook", "register_post_accumulate_grad_hook",
    "triplet_margin_with_distance_loss",
))  # fmt: skip
# The rooms whose classes are made with numbers; and those among them that are also given something to call.
_MADE = ("gradcli.nn.", "gradcli.optim.", "gradcli.engine.")
_CALLING = frozenset((
    "CyclicLR", "LambdaLR", "MultiplicativeLR", "Transformer", "TransformerDecoderLayer", "TransformerEncoderLayer",
    "TripletMarginWithDistanceLoss",
))  # fmt: skip
# Layers that hand on whatever they are given.
_HANDING_ON = frozenset(("Identity", "Module", "ModuleDict", "ModuleList", "Sequential"))
# What a list may hold without a look at each item.
_PLAIN = frozenset((int, float, bool, str, type(None), Tensor))
# The functions that make a tensor of whatever has numbers at places.
_READING = frozenset(("as_tensor", "asarray", "tensor"))
_OPERATORS = SPECIAL - {"__init__", "__doc__", "__repr__", "__str__", "__call__"}


class Standing(TypeError):
    """The refusal of an object that stands for a number or a text, which may be given in its place."""


def standing_for(values: Any) -> Any:
    """Some arguments, or an index, with what their objects stand for in place of these, in their lists as well."""
    if type(values) in (list, tuple):
        return type(values)(map(standing_for, values))
    if type(values) is dict:
        return {key: standing_for(value) for key, value in values.items()}
    if _is_sequence(values):
        return _items_of(values)
    return value_of(values) if isinstance(type(values), UserType) else values


def _is_sequence(value: Any) -> bool:
    return all(hook_of(value, name) is not None for name in ("__len__", "__getitem__")) and not _is_array(value)


def _is_array(value: Any) -> bool:
    """Tell whether a value is an array of texts or of any objects, which are classes of our own here."""
    return isinstance(value, Numberless) or word(value) == "numpy.ndarray"


def _items_of(value: Any) -> list[Any]:
    """The items of a program's own sequence, in their order."""
    try:
        count = caps.guarded(hook_of(value, "__len__"))(value)
        return [standing_for(caps.item(value, i)) for i in range(whole(count))]
    except LookupError:
        raise ValueError(f"could not determine the shape of object type '{word(value)}'") from None


def given_plainly(charge: Any, function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments of a call with what their objects stand for, charged; what they still hold of others is refused."""
    args, kwargs = standing_for(args), standing_for(kwargs)
    try:
        charge(function, args, kwargs)
    except Standing as error:
        raise TypeError(str(error)) from None
    return args, kwargs


def is_own(value: Any) -> bool:
    """True if a value is one of the program's own objects, classes or functions, whose attributes can be anything."""
    kind = type(value)
    if isinstance(kind, UserType):
        if isinstance(value, Tensor):
            # Of what its class defines the engine sees nothing.
            return False
        # A named tuple, or a list, is one of tensors or numbers, unless it computes in a way of its own.
        return not isinstance(value, (tuple, list)) or any(name in _OPERATORS for name in _defined(kind))
    return kind is UserFunction or isinstance(value, (UserType, Numberless))


def _defined(cls: type) -> Iterator[str]:
    for base in cls.__mro__:
        if isinstance(base, UserType):
            yield from filter(is_special, base.__dict__)


def holds_own(values: Any) -> bool:
    """True if a list holds one of the program's own objects, at any depth."""
    if _PLAIN.issuperset(map(type, values)):
        return False
    weigh(values)
    return any(True for _ in own(values))


def own(values: Any) -> Iterator[Any]:
    """The program's own objects among some values, in their lists as well."""
    for value in values:
        if is_own(value):
            yield value
        elif isinstance(value, (list, tuple, set, frozenset)):
            yield from own(value)
        elif isinstance(value, dict):
            yield from own(value.values())
        elif type(value) is range:
            # Whoever reads it makes a list of it.
            fits(len(value), "list")


def refuse_own(function: Any, given: tuple[Any, ...]) -> None:
    """Refuse the program's own objects as arguments of a function that computes."""
    if function.__module__.startswith(_COMPUTING) and function.__name__ not in _TAKING:
        for value in own(given):
            if not is_answered(value):
                raise _refused(function.__name__, value)


def _makes(cls: type) -> bool:
    """True if a class looks at the arguments of its calls; what a program's `__new__` does, others do after it."""
    return "__init__" in cls.__dict__ or ("__new__" in cls.__dict__ and not isinstance(cls, UserType))


def refuse_own_in_making(cls: type, given: tuple[Any, ...]) -> None:
    """Refuse the program's own objects where something of PyTorch's is made with numbers."""
    host = next((base for base in cls.__mro__ if _makes(base)), cls)
    if isinstance(host, UserType) or not host.__module__.startswith(_MADE) or host.__name__ in _HANDING_ON:
        return
    calls = any(base.__name__ in _CALLING for base in cls.__mro__ if not isinstance(base, UserType))
    for value in own(given):
        if not (_may_be_given(value) or (calls and _is_called(value))):
            raise _refused(host.__name__, value)


def refuse_own_in_calling(module: Any, given: tuple[Any, ...]) -> None:
    """Refuse the program's own objects as what a layer of PyTorch's computes with."""
    if "forward" in module.__dict__:
        # A function of the program's stands in the place of the layer's own.
        return
    cls = type(module)
    host = next(base for base in cls.__mro__ if "forward" in base.__dict__)
    if not isinstance(host, UserType) and host.__name__ not in _HANDING_ON:
        for value in own(given):
            raise _refused(host.__name__, value)


def written_in_tensor(value: Any) -> Any:
    """A value as it is written into a tensor; the program's own objects that stand for nothing are refused, and
    integers that are too wide."""
    if is_own(value) or (isinstance(value, (list, tuple)) and holds_own(value)):
        plain = standing_for(value)
        if holds_own((plain,)):
            raise TypeError(f"can't assign a {word(value)} to a torch.Tensor")
        value = plain
    return narrow(value)


def _may_be_given(value: Any) -> bool:
    """True if a value may be handed to a constructor: a function, a layer or an optimiser."""
    bases = [("gradcli.nn.modules.module", "Module"), ("gradcli.optim.optimizer", "Optimizer")]
    known = tuple(getattr(sys.modules[room], name) for room, name in bases if room in sys.modules)
    return type(value) is UserFunction or isinstance(value, known)


def _is_called(value: Any) -> bool:
    return isinstance(type(value), UserType) and isinstance(declared(type(value), "__call__"), UserFunction)


def _refused(name: str, value: Any) -> TypeError:
    if _is_array(value) and name in ("as_tensor", "from_numpy", "tensor"):
        kind = "str_" if isinstance(value, Numberless) else "object_"
        return TypeError(f"can't convert np.ndarray of type numpy.{kind}. The only supported types are: {SUPPORTED}.")
    what = f"the class {value.__name__}" if isinstance(value, type) else f"'{word(value)}'"
    stands = value_of(value) is not value or (name in _READING and _is_sequence(value))
    words = f"{name}(): arguments are tensors, numbers and lists of them, not {what}"
    return Standing(words) if stands else TypeError(words)
