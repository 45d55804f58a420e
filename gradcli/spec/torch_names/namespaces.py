"""The modules that a program may name, and looking a name up in one of them."""

from __future__ import annotations

from typing import Any

from ...engine.guard.tables_of_a_run import of_a_run
from ...errors import SpecError
from ..guard.notes import note
from ..guard.size_limits import fits
from ..values.user_definitions import MISSING, Namespace, UserFunction
from .absent import instead_of
from .suggest import did_you_mean

# By full name; names.py fills it, and with the names with an underscore of small functions that programs call.
NAMESPACES: dict[str, Namespace] = {}
SMALL: set[str] = set()
# The modules in which nearly every name is that of a function.
_FUNCTIONS = ("torch", "torch.nn.functional", "torch.fft", "torch.linalg", "torch.special", "math")

# Those of whose functions programs put others in the places.
_CHANGED = ("torch", "torch.nn.functional", "torch.nn.init")

# Those whose names with an underscore are a program's business: names for annotations, and those of the program.
_OPEN = (
    "torch.nn.common_types", "torch.types", "torch.utils._foreach_utils", "torch._C", "torch._utils", "__main__",
    "numpy._core", "numpy._core.multiarray",
)  # fmt: skip
# Modules of which a program names what is in them, and which are no values themselves.
NO_VALUES = ("torch._C", "torch.ops")
# The names with an underscore that programs use.
SEEN = (
    "_core",
    "__version__", "_LRScheduler", "_calculate_correct_fan", "_calculate_fan_in_and_fan_out", "_Loss", "_WeightedLoss",
    "_BatchNorm", "_InverseTransform", "_NormBase", "_empty", "_IncompatibleKeys",
    "_InstanceNorm", "_ConvNd", "_ConvTransposeNd", "_DropoutNd", "_MaxPoolNd", "_AvgPoolNd", "_AdaptiveAvgPoolNd",
    "_AdaptiveMaxPoolNd", "_LPPoolNd", "_MaxUnpoolNd", "_ConstantPadNd", "_ReflectionPadNd", "_ReplicationPadNd",
    "_CircularPadNd", "_ntuple", "_single", "_pair", "_triple", "_quadruple", "_is_all_true",
    "_standard_gamma", "_sample_dirichlet", "_standard_gamma_grad", "_dirichlet_grad", "_initialized",
    "_canonical_mask", "_none_or_dtype", "_in_projection_packed", "_verify_batch_size", "_verify_spatial_size",
    "_get_softmax_dim",
    "__stdin__", "__stdout__", "__stderr__",
)  # fmt: skip


class NoSuchName(SpecError, AttributeError):
    """A module that has no such name, in gradcli."""

    code = "E201"

    def __init__(self, module: str, name: str, message: str, help: str | None) -> None:
        super().__init__(message, help=help)
        self.module, self.name = module, name


# What the running program has given to modules, by their full names.
_given: dict[str, dict[str, Any]] = of_a_run({})


def may_be_given(namespace: Namespace, name: str, value: Any) -> bool:
    """True if a program may set a name of a module: in a function's place, a function of its own, or the one it was."""
    # What is given to builtins is found by its bare name, too.
    is_shut = namespace.set is not None or namespace.full_name == "builtins"
    if is_shut or name.startswith("_") or f"{namespace.full_name}.{name}" in NAMESPACES:
        return False
    found = namespace.find(name)
    if namespace.full_name in _CHANGED and _is_called(found):
        return value is found or isinstance(value, UserFunction)
    return found is MISSING or type(found) in (int, float)


def _is_called(found: Any) -> bool:
    return callable(found) and not isinstance(found, (type, Namespace))


def give(namespace: Namespace, name: str, value: Any) -> None:
    """Set a name of a module, for the rest of the run."""
    given = _given.setdefault(namespace.full_name, {})
    fits(len(given) + 1, "dict")
    found = namespace.find(name)
    if name not in given and _is_called(found) and value is not found:
        whole = f"{namespace.full_name}.{name}"
        note(f"what is assigned to {whole} is called where the program asks for it: others go on with what it was")
    given[name] = value


def look_up(namespace: Namespace, name: str) -> Any:
    """Look a name up in a module; the error for an unknown one suggests what may have been meant."""
    if _given and name in _given.get(namespace.full_name, ()):
        return _given[namespace.full_name][name]
    if namespace.is_own:
        value = namespace.find(name)
        if value is MISSING:
            raise AttributeError(f"module '{namespace.full_name}' has no attribute '{name}'")
        return value
    seen = name in SEEN or name.startswith("_foreach_") or namespace.full_name in _OPEN or name in SMALL
    hidden = name.startswith("_") and not seen
    value = MISSING if hidden else namespace.find(name)
    if value is MISSING:
        where = namespace.full_name
        inner = NAMESPACES.get(f"{where}.{name}")
        if inner is not None and inner.full_name not in NO_VALUES:
            return inner
        kind = "function" if where in _FUNCTIONS and name[:1].islower() else "name"
        raise NoSuchName(
            where,
            name,
            f"{where} has no {kind} '{name}' in gradcli",
            help=did_you_mean(name, [*namespace.names(), *_inner(where)], f"{where}.")
            or instead_of(where)
            or ("`gradcli ops` lists what there is" if where.startswith("torch") else None),
        )
    return value


def _inner(full_name: str) -> list[str]:
    """The modules in a module."""
    start = f"{full_name}."
    return [n[len(start) :] for n in NAMESPACES if n.startswith(start) and "." not in n[len(start) :]]
