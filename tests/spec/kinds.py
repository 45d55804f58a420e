"""The kinds of values that a program may hold, each with the reason; anything else in its hands is a way out."""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict, deque
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import gradcli
from gradcli.engine.function import Function
from gradcli.engine.graph import BaseNode
from gradcli.engine.tensor import Tensor
from gradcli.nn.base.holder import Holder
from gradcli.optim.optimizer import Optimizer
from gradcli.optim.schedule import LRScheduler
from gradcli.spec.program import discard
from gradcli.spec.stdlib.builtin_functions import builtins_for
from gradcli.spec.stdlib.contexts import Context
from gradcli.spec.stdlib.iteration import Lazy
from gradcli.spec.torch_names.names import NAMESPACES
from gradcli.spec.values.classes.sealed_classes import Sealed
from gradcli.spec.values.tables.containers import special_of
from gradcli.spec.values.user_definitions import UserFunction, UserType
from gradcli.utils.data import DataLoader, Dataset, Sampler

# Values of Python's own that hold nothing but what a program put into them, and have no door to their host.
PLAIN = (
    int, float, complex, str, bytes, bytearray, memoryview, bool, type(None), type(...), type(NotImplemented), list,
    dict, tuple, set, frozenset, slice, range, deque, Counter, OrderedDict, defaultdict, type({}.keys()),
    type({}.values()), type({}.items()),
    type(OrderedDict().keys()), type(OrderedDict().values()), type(OrderedDict().items()), object,
)  # fmt: skip

# Python's own iterators: they give the values of a container, and nothing else.
ITERATORS = frozenset(
    type(x)
    for x in (
        iter(()), reversed(()), iter([]), iter(""), iter("é"), iter(b""), iter({}), iter(set()), iter(range(0)),
        reversed([]), reversed({}), iter({}.values()), iter({}.items()), iter(np.ones(1)), iter(OrderedDict()),
        iter(deque()), *(group for _, group in groupby([1])),
    )
)  # fmt: skip

# Whose subclasses a program may hold where gradcli itself defines them: each has a table that says what it gives.
FAMILIES = {
    Tensor: "gives its methods, its gradients and its node",
    Holder: "a layer",
    Optimizer: "an optimiser",
    LRScheduler: "a schedule",
    Dataset: "a data set",
    Sampler: "a sampler",
    DataLoader: "a loader",
    BaseNode: "a node of the graph",
    Lazy: "an iterator of ours around one of the host's, which it does not give",
    Context: "a context of contextlib's or warnings'",
}

# Classes of gradcli of which a program holds instances, by place.
NAMED = {
    "gradcli.spec.values.bound_methods": ("Bound", "Unbound"),
    "gradcli.spec.values.user_definitions": ("UserFunction", "Super", "Namespace"),
    "gradcli.spec.stdlib.function_tools": ("Partial",),
    "gradcli.spec.stdlib.hints": ("AbstractKind", "Hint", "Kind", "TypedRow", "Variable"),
    "gradcli.spec.values.classes.making_classes": ("Memo",),
    "gradcli.spec.values.classes.metaclasses": ("Body",),
    "gradcli.spec.values.classes.data_classes": ("Field", "FrozenInstanceError"),
    "gradcli.spec.values.element_types": ("ElementType",),
    "gradcli.spec.values.text_arrays": ("TextArray",),
    "gradcli.spec.values.classes.enumerations": ("Automatic",),
    "gradcli.spec.stdlib.random_numbers": ("Numbers",),
    "gradcli.spec.stdlib.patterns": ("Match", "Pattern"),
    "gradcli.spec.stdlib.small_numpy.number_types": ("Precision", "Whole"),
    "gradcli.spec.stdlib.small_numpy.random_arrays": ("Drawing", "New", "Old"),
    "gradcli.spec.stdlib.small_numpy.random_sources": ("Bits", "Seeds"),
    "gradcli.spec.stdlib.texts": ("KindOfParameter", "Parameter", "Signature"),
    "gradcli.spec.stdlib.unseen": ("Unseen",),
    "gradcli.spec.stdlib.weak": ("Weak",),
    "gradcli.spec.torch_names.absent": ("Absent",),
    "gradcli.spec.stdlib.exceptions.warned": ("WarningMessage",),
    # The attributes of an instance, in a copy; and containers that check how many they hold.
    "gradcli.spec.values.tables.containers": ("Held", "Queue", "Defaults"),
    # The members of a module, in a copy; and how many hooks it has.
    "gradcli.spec.values.tables.modules": ("Registered", "Hung"),
    "gradcli.spec.values.tables.arrays": ("Flags", "Flat"),
    "gradcli.spec.values.tables.tensors": ("Storage", "Elements"),
    # What stands for an option that has no value until it is given.
    "gradcli.optim.optimizer": ("_Required",),
    # The lines which led to an error: of each its number, its function, and the line before.
    "gradcli.spec.language.exception_marks": ("Traceback",),
    # The calls that a program is inside of, with copies of their names.
    "gradcli.spec.stdlib.frames": ("Frame", "FrameOfError", "CodeName"),
    # What a file keeps of a value, without an attribute: of a file that is an object of the program's, too.
    "gradcli.spec.stdlib.files.pickles": ("Pickle",),
    # It makes a row, and knows the values that are not given.
    "gradcli.spec.values.classes.named_tuples": ("NewOfRow",),
    # Of a function's code: its name, its line, and the names of what it takes and binds.
    "gradcli.spec.values.tables.functions": ("CodeObject",),
    "gradcli.engine.properties": ("Size",),
    "gradcli.engine.memory.places": ("Device", "Layout", "MemoryFormat"),
    "gradcli.engine.dtypes": ("dtype",),
    "gradcli.engine.ops.make.from_data": ("TensorType",),
    "gradcli.engine.graph": ("RemovableHandle", "InputMetadata"),
    "gradcli.engine.random.generator": ("Generator", "fork_rng"),
    "gradcli.engine.function": ("Function",),
    "gradcli.engine.walk.multi_grad_hooks": ("_MultiHandle",),
    # A block in which no class of tensors is asked, or no mode: a program enters it, and learns of nothing in it.
    "gradcli.engine.dispatch.overriding": ("_within",),
    "gradcli.engine.modes": ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode"),
    "gradcli.engine.walk.saved_tensors_hooks": (
        "saved_tensors_hooks",
        "save_on_cpu",
        "disable_saved_tensors_hooks",
        "allow_mutation_on_saved_tensors",
        "_Kept",
        # What a node keeps, which a program may give hooks.
        "SavedTensor",
        # It leads to a copy that our own hooks keep, and has nothing in it.
        "_Handle",
    ),
    "gradcli.engine.forward.levels": ("UnpackedDualTensor", "dual_level"),
    "gradcli.engine.finfo": ("finfo", "iinfo"),
    "gradcli.engine.amp.autocast_mode": ("autocast", "CpuAutocast", "CudaAutocast"),
    "gradcli.engine.amp.grad_scaler": ("GradScaler", "CudaGradScaler"),
    "gradcli.autograd": ("GradientEdge", "detect_anomaly", "set_detect_anomaly"),
    # Names and values of settings, which nothing of the host reads but these, and the block in which they are others.
    "gradcli.backends": ("Flags", "_ForAWhile"),
    "gradcli.nn.base.state": ("_IncompatibleKeys",),
    "gradcli.nn.utils.rnn": ("PackedSequence",),
    "gradcli.utils.data.dataloader": ("_SingleProcessDataLoaderIter",),
}

# Where a class of gradcli is said to be at home: some go by the name that a program knows them by.
_HOMES = frozenset("gradcli builtins contextlib functools itertools warnings".split())

_ROOT = str(Path(gradcli.__file__).parent)

# Rows with names that functions of torch return: tuples of tensors.
ROWS = "torch.return_types"


def refused(value: Any) -> str | None:
    """Why a program may not hold a value, or None."""
    kind = type(value)
    if isinstance(value, type):
        return None if allowed_class(value) else f"the class {_place(value)}"
    if kind is types.UnionType:
        # It answers isinstance, and keeps nothing but the classes it was written with.
        return next((why for member in value.__args__ if (why := refused(member))), None)
    if kind in _exact() or isinstance(kind, UserType) or kind in ITERATORS:
        return None
    if kind is np.ndarray or isinstance(value, np.generic):
        return None if value.dtype.kind in "biufc" else f"an array of {value.dtype}"
    if issubclass(kind, tuple) and hasattr(kind, "_fields") and kind.__module__ in (ROWS, "torch.nn.utils.rnn"):
        return None
    if isinstance(value, Exception):
        return None if kind in _exceptions() else f"an exception of {_place(kind)}"
    for family in FAMILIES:
        if isinstance(value, family):
            return None if kind.__module__.partition(".")[0] in _HOMES else f"a {_place(kind)}"
    return _refused_callable(value, kind)


def _refused_callable(value: Any, kind: type) -> str | None:
    """What is called: functions of gradcli, methods of what may be held, and Python's own that are offered."""
    if kind is types.FunctionType:
        # Its module may be that of a function that it wraps.
        ours = value.__code__.co_filename.startswith(_ROOT)
        return None if ours or id(value) in offered() else f"the function {value.__module__}.{value.__qualname__}"
    if kind is types.MethodType:
        return refused(value.__func__) or refused(value.__self__)
    if kind is types.BuiltinFunctionType:
        known = id(value) in offered() or value.__qualname__ in _STATIC
        return None if known else f"the method {value.__qualname__} of Python's own"
    if kind in (types.WrapperDescriptorType, types.MethodDescriptorType):
        # What a class of a program asks its base for; it takes nothing but an instance, and what stands in brackets.
        base = value.__objclass__
        known = value.__name__ == "__init__" and (base is object or issubclass(base, BaseException))
        known = known or special_of(base, value.__name__) is value
        return None if known else repr(value)
    if kind is property:
        return next((why for f in (value.fget, value.fset, value.fdel) if (why := refused(f))), None)
    if kind in (staticmethod, classmethod):
        return refused(value.__func__)
    return f"a {_place(kind)}"


def allowed_class(cls: type) -> bool:
    """Whether a program may hold a class: one of its own, one that is offered, or the kind of something it may hold."""
    if isinstance(cls, (Sealed, UserType)) or cls in _exact() or cls in _exceptions() or id(cls) in offered():
        return True
    if cls in ITERATORS or cls in _CALLABLE or issubclass(cls, (Function, *FAMILIES)):
        return True
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and cls.__module__ in (ROWS, "torch.nn.utils.rnn")


# What callables are seen as.
_CALLABLE = (types.BuiltinFunctionType, types.WrapperDescriptorType, object)
# Static methods of Python's own that are given as they are.
_STATIC = frozenset([float.fromhex.__qualname__])


@cache
def _exact() -> frozenset[type]:
    # Some go by the name that a program knows them by.
    ours = {getattr(import_module(place), name) for place, names in NAMED.items() for name in names}
    return frozenset([*PLAIN, *ours, UserFunction])


@cache
def _exceptions() -> frozenset[type]:
    """What a program can raise or catch: Python's own, those that are offered, and ours where they are not shown."""
    import gradcli.errors as errors
    from gradcli.spec.torch_names.namespaces import NoSuchName
    from gradcli.spec.values.classes import array_errors
    from gradcli.spec.values.classes.frozen_instances import FrozenInstanceError

    builtin = [v for v in builtins_for(discard).values() if isinstance(v, type) and issubclass(v, BaseException)]
    ours = [v for v in vars(errors).values() if isinstance(v, type) and issubclass(v, BaseException)]
    linear, of_arrays = (NAMESPACES[place].find("LinAlgError") for place in ("torch.linalg", "numpy.linalg"))
    json = NAMESPACES["json"].find("JSONDecodeError")
    numpy = [*array_errors.names().values(), *array_errors.KINDS.values()]
    return frozenset([*builtin, *ours, *numpy, NoSuchName, FrozenInstanceError, linear, of_arrays, json, BaseException])


@cache
def offered() -> dict[int, Any]:
    """What modules of a program and its builtins offer, by identity: each was looked at when it was put there."""
    found = {id(v): v for v in builtins_for(discard).values()}
    for space in NAMESPACES.values():
        for name in space.names():
            value = space.find(name)
            if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
                found[id(value)] = value
    return found


def _place(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
