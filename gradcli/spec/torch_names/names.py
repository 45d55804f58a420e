"""The names a spec may use beside Python's builtins: the modules of PyTorch, and a few of Python's."""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from functools import cache, partial
from types import FunctionType
from typing import Any

from ... import distributions
from ...engine import dtypes as _dtypes
from ...engine.offers import dressed, find, names as offered
from ...engine.torch_version import COMMIT, VERSION
from ...errors import EngineError, SpecError
from .. import library
from ..guard.size_limits import caps, fits
from ..stdlib import modules
from ..stdlib.hints import Hint
from ..values.classes.sealed_classes import sealed
from ..values.user_definitions import MISSING, Namespace, is_special
from ..values.visible_types import word
from .absent import absent, may_be_missing
from .namespaces import NAMESPACES as NAMESPACES, SMALL, look_up
from .suggest import did_you_mean

Table = dict[str, Any]

_FUNC = (
    "functional_call functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize "
    "rearrange replace_all_batch_norm_modules_ stack_module_state vjp vmap"
)
_FORWARD = "UnpackedDualTensor dual_level enter_dual_level exit_dual_level make_dual unpack_dual"
_MEMORY = (
    "empty_cache max_memory_allocated max_memory_cached max_memory_reserved mem_get_info memory_allocated "
    "memory_cached memory_reserved memory_stats"
)
_CUDA = (
    f"{_MEMORY} seed seed_all "
    "current_device current_stream default_stream device_count get_arch_list get_device_capability "
    "get_device_name get_device_properties get_rng_state init ipc_collect is_available is_bf16_supported "
    "is_initialized manual_seed manual_seed_all synchronize _initialized BFloat16Tensor BoolTensor ByteTensor "
    "CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor"
)


# Modules whose work nobody sees here.
_UNSEEN = (
    "matplotlib", "matplotlib.pyplot", "matplotlib.animation", "matplotlib.cm", "matplotlib.colors",
    "matplotlib.gridspec", "matplotlib.lines", "matplotlib.patches", "matplotlib.pylab", "matplotlib.ticker",
    "matplotlib_inline", "matplotlib_inline.backend_inline", "mpl_toolkits", "mpl_toolkits.mplot3d", "seaborn",
    "torchviz", "tensorboard", "tensorboardX", "torch.utils.tensorboard", "torch.utils.tensorboard.writer",
    "torch.profiler", "torch.autograd.profiler",
    "torch.utils.benchmark", "torch._dynamo", "torch._dynamo.config", "torch._inductor", "torch._inductor.config",
    "torch._logging", "IPython", "IPython.display", "wandb", "visdom", "doctest", "graphviz", "torchview",
    "plotly", "plotly.express", "plotly.graph_objects", "plotly.graph_objs", "plotly.subplots",
)  # fmt: skip

# The files of torch.nn, as programs import them: each has the classes of all.
_FILES = (
    "torch.nn.modules.activation", "torch.nn.modules.batchnorm", "torch.nn.modules.container", "torch.nn.modules.conv",
    "torch.nn.modules.distance", "torch.nn.modules.dropout", "torch.nn.modules.flatten",
    "torch.nn.modules.instancenorm", "torch.nn.modules.linear", "torch.nn.modules.loss", "torch.nn.modules.module",
    "torch.nn.modules.normalization", "torch.nn.modules.padding", "torch.nn.modules.pooling", "torch.nn.modules.rnn",
    "torch.nn.modules.sparse", "torch.nn.modules.transformer", "torch.nn.modules.upsampling", "torch.nn.modules.utils",
)  # fmt: skip

# What hangs a hook on all modules.
_HOOKS_OF_ALL = (
    "register_module_backward_hook register_module_buffer_registration_hook register_module_forward_hook "
    "register_module_forward_pre_hook register_module_full_backward_hook register_module_full_backward_pre_hook "
    "register_module_module_registration_hook register_module_parameter_registration_hook"
)

# What torch.functional has of torch.
_FUNCTIONAL = (
    "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul "
    "einsum istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive unravel_index"
)

# What torch.nn.utils offers, and files of it.
_CLIPPING = "clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm"
_VECTORS = "parameters_to_vector vector_to_parameters"
_REWEIGHTING = "remove_spectral_norm remove_weight_norm spectral_norm weight_norm"
_FUSION = "fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights"
_LAYOUTS = "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format"
# What torch.distributed tells a program that runs alone.
_ALONE = (
    "all_gather all_gather_into_tensor all_gather_object all_reduce barrier broadcast broadcast_object_list gather "
    "get_backend get_rank get_world_size is_available is_gloo_available is_initialized is_mpi_available "
    "is_nccl_available is_torchelastic_launched reduce reduce_scatter reduce_scatter_tensor scatter"
)
# What torch.nn.utils.rnn offers.
_SEQUENCES = (
    "PackedSequence invert_permutation pack_padded_sequence pack_sequence pad_packed_sequence pad_sequence "
    "unpack_sequence unpad_sequence"
)


def _fixed(full_name: str, make: Callable[[], Table], later: tuple[str, str] | None = None) -> Namespace:
    """A module whose names are all known once it is first asked for one.

    ``later``: a module of ours and the names that are read there when they are asked for.
    """
    table = cache(make)
    place, names = later or ("", "")
    others = names.split()

    def get(name: str) -> Any:
        return getattr(_ours(place), name) if name in others else table().get(name, MISSING)

    return Namespace(full_name, get, lambda: [*table(), *others])


def _later(full_name: str, module: str, names: str) -> Namespace:
    """A module that has some names of one of ours."""
    return _fixed(full_name, dict, (module, names))


def _ours(module: str) -> Any:
    """A module of ours."""
    from importlib import import_module

    return import_module(f"gradcli.{module}")


def _library_of_numbers() -> Table:
    """A library that makes PyTorch's numbers: all that there is to it is that it is there."""
    return {"is_available": _ours("backends").is_in_the_numbers}


def _flags(full_name: str, find: Callable[[Any], Any]) -> Namespace:
    """A module of flags, which a program may set."""

    def flags() -> Any:
        return find(_ours("backends"))

    return Namespace(
        full_name,
        lambda name: getattr(flags(), name) if name in dir(flags()) else MISSING,
        lambda: dir(flags()),
        lambda name, value: setattr(flags(), name, value),
    )


def _offering(full_name: str, place: str, make: Callable[[], Table]) -> Namespace:
    """A module whose functions are ops of the engine, loaded when they are named."""
    table = cache(make)

    def get(name: str) -> Any:
        value = table().get(name, MISSING)
        if value is MISSING and not name.startswith("__"):
            value = dressed(find(place, name), place, name)
            if value is None:
                return MISSING
        return value

    return Namespace(full_name, get, lambda: [*table(), *offered(place)])


def _written_here(module: str) -> Namespace:
    """A module that is written in the spec language, all of it or a part: each run has its own."""
    table = cache(modules.MODULES.get(module, dict))

    def get(name: str) -> Any:
        value = table().get(name, MISSING)
        return caps.library(module).get(name, MISSING) if value is MISSING else value

    return Namespace(module, get, lambda: [*table(), *library.names_in(module)])


def _find_spec(name: str, package: str | None = None) -> Any:
    """find_spec(): something for a module that can be imported, None for one that cannot."""
    fits(len(name), "str")
    if may_be_missing(name):
        return None
    try:
        return imported(name)
    except SpecError:
        return None


def _system() -> Namespace:
    """The module `sys`, in which a program may put something else for its standard streams."""
    own, streams = _written_here("sys"), ("stdin", "stdout", "stderr")

    def get(name: str) -> Any:
        if name.startswith("__") and name.strip("_") in streams:
            return own.find(name.strip("_"))
        return caps.streams[name] if name in caps.streams else own.find(name)

    def put(name: str, value: Any) -> None:
        if name not in streams:
            raise SpecError(f"sys.{name} cannot be assigned to", help="give it a name of your own", code="E205")
        if value is own.find(name):
            caps.streams.pop(name, None)
        else:
            caps.streams[name] = value

    return Namespace("sys", get, own.names, put)


def _program() -> Namespace:
    """The program itself as a module, whose names are those that it has given so far."""

    def names() -> list[str]:
        return [name for name in caps.program if type(name) is str and not is_special(name)]

    def get(name: str) -> Any:
        if name == "__name__":
            return "__main__"
        if name == "__file__" and caps.file is not None:
            return caps.file
        hidden = is_special(name) and name not in _OF_MODULES
        return MISSING if hidden else caps.program.get(name, MISSING)

    return Namespace("__main__", get, names)


# What a program says of itself under names of Python's own.
_OF_MODULES = ("__all__", "__author__", "__version__")


def _with_written(space: Namespace, place: str) -> Namespace:
    """A module that has more names of one of ours that is written in the spec language."""

    def get(name: str) -> Any:
        value = space.find(name)
        return caps.library(place).get(name, MISSING) if value is MISSING and name in library.names_in(place) else value

    return Namespace(space.full_name, get, lambda: [*space.names(), *library.names_in(place)])


def _operators() -> Namespace:
    """torch.ops, in which each name is that of a namespace of operators."""
    return Namespace("torch.ops", lambda name: caps.library("torch.library")["_space"](name), list)


def _distributions() -> Namespace:
    """torch.distributions, each name of which is read in its own file."""
    homes = distributions.HOMES

    def get(name: str) -> Any:
        return caps.library(f"torch.distributions.{homes[name]}").get(name, MISSING) if name in homes else MISSING

    return Namespace("torch.distributions", get, lambda: list(homes))


def _differentiated(module: str, place: str) -> Namespace:
    """A module of NumPy's whose functions take inputs: written in the spec language, and NumPy's own for all else."""

    def get(name: str) -> Any:
        inner = NAMESPACES.get(f"{place}.{name}")
        if inner is not None:
            return inner
        found = caps.library(place).get(name, MISSING)
        own = NAMESPACES[module].find(name) if found is MISSING and module in NAMESPACES else MISSING
        if own is MISSING or isinstance(own, type) or not callable(own):
            return own if found is MISSING else found
        wrap = caps.library("_traced").get("on_numbers")
        return MISSING if wrap is None else wrap(name, own, name in _OF_VALUES)

    def names() -> list[str]:
        return [*library.names_in(place), *(NAMESPACES[module].names() if module in NAMESPACES else ())]

    return Namespace(module, get, names)


# Functions of NumPy's that say something of numbers which no derivative goes through.
_OF_VALUES = frozenset(
    "allclose argwhere array_equal count_nonzero flatnonzero isclose searchsorted unique histogram digitize".split()
)
# Where the names of NumPy's stand for a program whose inputs are its arrays.
_OF_ARRAYS = {
    "numpy": "_arrays", "numpy.linalg": "_arrays.linalg", "scipy.special": "_arrays.special", "scipy": "_scipy",
}  # fmt: skip


def _unseen(module: str) -> Namespace:
    """A module that takes all calls and does nothing."""

    def find(name: str) -> Any:
        from ..stdlib.unseen import unseen

        return unseen(module, name)

    return Namespace(module, find, list)


def _without_grad_names() -> Table:
    from ...engine import modes

    return {
        name: getattr(modes, name)
        for name in (
            "no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "is_grad_enabled",
            "is_inference_mode_enabled",
        )
    }  # fmt: skip


def _torch() -> Table:
    from ...engine import tensor
    from ...engine.memory import places

    table: Table = {
        "Tensor": tensor.Tensor, "tensor": tensor.tensor, "Size": tensor.Size, "device": places.Device,
        "inf": _math.inf, "nan": _math.nan, "pi": _math.pi, "e": _math.e,
        "get_default_dtype": _dtypes.get_default_dtype, "set_default_dtype": _dtypes.set_default_dtype,
        "__version__": VERSION, "newaxis": None, "typename": _typename, "save": _save, "load": _load,
        "compile": _compile,
    }  # fmt: skip
    for name in (
        "bfloat16", "cdouble", "cfloat", "complex128", "complex64", "double", "float16", "float32", "float64", "half",
        "int8", "int16", "int32", "int64", "long", "short", "uint8", "uint16", "uint32", "uint64",
    ):  # fmt: skip
        table[name] = getattr(_dtypes, name)
    for name, cls in (("dtype", _dtypes.dtype), ("layout", places.Layout), ("memory_format", places.MemoryFormat)):
        table[name] = sealed(cls)
    table.update({"float": _dtypes.float32, "int": _dtypes.int32, "bool": _dtypes.bool_})
    for name, value in vars(places).items():
        if isinstance(value, places.Named):
            table[name] = value
    table.update(_without_grad_names())
    from ...engine import flags

    for name in ("is_anomaly_check_nan_enabled", "is_anomaly_enabled"):
        table[name] = getattr(flags, name)
    return table


def _save(obj: Any, f: Any, *args: Any, **options: Any) -> None:
    """torch.save()"""
    from ..stdlib.files.saving import save

    save(obj, f, **options)


def _load(f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: Any = None, **o: Any) -> Any:
    """torch.load()"""
    from ..stdlib.files.saving import load

    return load(f, map_location, pickle_module, weights_only=weights_only, **o)


_save.__name__, _load.__name__ = "save", "load"


def _compile(model: Any = None, **options: Any) -> Any:
    """torch.compile()"""
    if model is None:
        return _compile
    from ...nn.modules.module import Module
    from ..guard.notes import note

    note("torch.compile() compiles nothing here: functions and modules run as they are written")
    if not isinstance(model, Module):
        return model
    around = caps.library("torch._dynamo.eval_frame")["OptimizedModule"]
    return model if isinstance(model, around) else around(model)


def _jit() -> Table:
    return {
        "script": _script, "trace": _trace, "ignore": _ignored, "unused": _untouched, "export": _untouched,
        "freeze": _script, "optimize_for_inference": _script, "save": _save, "load": _load_compiled,
        "ScriptModule": _ours("nn.base.compiled").ScriptModule, "Final": Hint("Final"),
        "ScriptFunction": Hint("ScriptFunction"),
    }  # fmt: skip


def _load_compiled(f: Any, map_location: Any = None, **options: Any) -> Any:
    """torch.jit.load()"""
    from ..stdlib.files.saving import load

    return load(f, map_location, weights_only=False)


def _compiler() -> Table:
    return {
        "compile": _compile, "disable": _disabled, "allow_in_graph": _untouched, "assume_constant_result": _untouched,
    }  # fmt: skip


def _disabled(fn: Any = None, recursive: Any = True, *, reason: Any = None) -> Any:
    """torch.compiler.disable()"""
    return _untouched if fn is None else fn


def _script(obj: Any, *args: Any, **options: Any) -> Any:
    """torch.jit.script()"""
    from ..guard.notes import note

    note("torch.jit compiles nothing here: it gives back the function or the module itself")
    return obj


def _trace(func: Any, example_inputs: Any = None, **options: Any) -> Any:
    """torch.jit.trace()"""
    return _script(func)


def _ignored(drop: Any = False, **options: Any) -> Any:
    """torch.jit.ignore()"""
    return drop if callable(drop) else _untouched


def _untouched(fn: Any, /) -> Any:
    """A decorator that says how to compile what is not compiled."""
    return fn


def _typename(obj: Any) -> str:
    """The name of a tensor's type, or of an object's class."""
    from ...engine.tensor import Tensor
    from ..values.visible_types import full_name, seen_as, type_of

    if isinstance(obj, Tensor):
        return f"torch.{obj.dtype.tensor_name}Tensor"
    return full_name(seen_as(obj if isinstance(obj, type) else type_of(obj)))


def _autograd() -> Table:
    from ... import autograd
    from ...engine import function
    from ...engine.walk import backward

    return {
        "backward": backward.backward, "grad": backward.grad, "Function": function.Function,
        "Variable": autograd.Variable, **_without_grad_names(),
    }  # fmt: skip


def _function() -> Table:
    from ...autograd import InplaceFunction
    from ...engine import function

    found = {"Function": function.Function, "once_differentiable": function.once_differentiable}
    hints = {name: Hint(name) for name in ("BackwardCFunction", "FunctionCtx", "FunctionMeta")}
    return {**found, **hints, "InplaceFunction": InplaceFunction}


def _graph() -> Table:
    from ... import autograd

    functions = {name: value for name, value in vars(autograd.graph).items() if not isinstance(value, type)}
    switches = ("saved_tensors_hooks", "save_on_cpu", "disable_saved_tensors_hooks", "allow_mutation_on_saved_tensors")
    types = {name: sealed(getattr(autograd.graph, name)) for name in ("Node", "GradientEdge")}
    types["GradientEdge"].makes = (_edge,)
    return {**functions, **{name: getattr(autograd.graph, name) for name in switches}, **types}


def _edge(node: Any, output_nr: int, ownership_token: Any = None) -> Any:
    """An edge of the graph, which leads to a node that a program has."""
    from ... import autograd

    if not isinstance(node, autograd.graph.Node):
        raise EngineError(f"GradientEdge's first object must be an autograd.graph.Node but got {word(node)}")
    if type(output_nr) is not int:
        raise TypeError(f"GradientEdge() takes the number of an output, not {word(output_nr)}")
    return autograd.graph.GradientEdge(node, output_nr, ownership_token)


def _functional() -> Table:
    from ...engine.transforms import jacobians

    return {name: getattr(jacobians, name) for name in ("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp")}


def _nn_get(name: str) -> Any:
    from ... import nn
    from ...nn.modules.module import Module
    from ...nn.parameter import Buffer, Parameter

    value = getattr(nn, name, MISSING)
    if isinstance(value, type) and (issubclass(value, (Module, Parameter, Buffer)) or name.endswith("Parameter")):
        return value
    return MISSING


def _nn_file(place: str) -> Namespace:
    """A file of torch.nn: it has the layers of all, and what its own derive from."""

    def get(name: str) -> Any:
        if place == "torch.nn.modules.module" and name in (*_HOOKS_OF_ALL.split(), "_IncompatibleKeys"):
            return getattr(_ours("nn.modules.module"), name)
        if not name.startswith("_"):
            return _nn_get(name)
        from ...nn.modules.module import Module

        value = vars(_ours(place.removeprefix("torch."))).get(name, MISSING)
        return value if isinstance(value, type) and issubclass(value, Module) else MISSING

    return Namespace(place, get, _nn_names)


def _nn_names() -> list[str]:
    from ... import nn

    return [n for n in dir(nn) if n[:1].isupper()]


def _init() -> Table:
    from ...nn import init

    # What initialisations of a program's own begin with.
    return {
        **_public(init), "_calculate_fan_in_and_fan_out": init._calculate_fan_in_and_fan_out,
        "_calculate_correct_fan": init._calculate_correct_fan,
    }  # fmt: skip


def _nn_parameter() -> Table:
    from ...nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter, is_lazy

    return {
        "Buffer": Buffer, "Parameter": Parameter, "UninitializedBuffer": UninitializedBuffer,
        "UninitializedParameter": UninitializedParameter, "is_lazy": is_lazy,
    }


def _parallel(name: str) -> Any:
    if name == "DistributedDataParallel":
        return absent("torch.nn.parallel", name)
    return _nn_get(name) if name == "DataParallel" else MISSING


def _of_torch() -> Table:
    table = {name: NAMESPACES["torch"].find(name) for name in _FUNCTIONAL.split()}
    return table | {"F": NAMESPACES["torch.nn.functional"]}


def _common_types() -> Table:
    sizes = [f"_size_{n}_{kind}" for n in ("any", *range(1, 7)) for kind in ("t", "opt_t")]
    return {name: Hint(name) for name in (*sizes, *(f"_ratio_{n}_t" for n in ("any", 2, 3)))}


def _types() -> Table:
    from ...engine.memory.places import Device

    hints = "Number FileLike _bool _complex _dtype _float _int _layout _qscheme _size Storage".split()
    tensor = _torch()
    return {**{n: Hint(n) for n in hints}, "Tensor": tensor["Tensor"], "Device": Hint("Device"),
            "device": Device}


def _public(module: Any) -> Table:
    """The functions that a module of ours defines itself."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__ and callable(value)
    }


def _optim_get(name: str) -> Any:
    from ... import optim
    from ...optim.optimizer import Optimizer

    value = getattr(optim, name, MISSING)
    return value if isinstance(value, type) and issubclass(value, Optimizer) else MISSING


def _optim_file(place: str) -> Namespace:
    """A file of torch.optim: it has the classes of all, and its own step as a function of lists."""

    def get(name: str) -> Any:
        return NAMESPACES[f"torch.optim.{_STEPS}"].find(name) if name == place.strip("_") else _optim_get(name)

    return Namespace(f"torch.optim.{place}", get, lambda: [*_optim_names(), place.strip("_")])


# The steps of optimisers as functions of lists, and the files of those that have no other.
_STEPS = "_functional"
_OF_LISTS = (
    "_adafactor", "_muon", "adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "nadam", "radam", "rmsprop",
    "rprop", "sgd", "sparse_adam",
)  # fmt: skip


def _optimizer_get(name: str) -> Any:
    if name == "required":
        from ...optim.optimizer import required

        return required
    return Hint(name) if name in ("ParamsT", "params_t") else _optim_get(name)


def _optim_names() -> list[str]:
    from ... import optim

    return [n for n in dir(optim) if n[:1].isupper()]


def _schedulers() -> Table:
    from ...optim import lr_scheduler

    ours = lr_scheduler.__package__ or ""
    return {n: v for n, v in vars(lr_scheduler).items() if isinstance(v, type) and v.__module__.startswith(ours)}


def _removable() -> type:
    from ...engine.graph import RemovableHandle

    return RemovableHandle


def _shown_build() -> str:
    """torch.__config__.show()"""
    return f"gradcli computes with NumPy the numbers of PyTorch {VERSION}\n"


def _masked() -> Table:
    from ... import masked

    own = ("MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor")
    return {**{name: absent("torch.masked.maskedtensor", name) for name in own}, **_public(masked)}


def _data() -> Table:
    from ...utils import data

    return {name: value for name, value in vars(data).items() if callable(value) and not name.startswith("_")}


for _space in (
    _offering("torch", "torch", _torch),
    Namespace("torch.nn", _nn_get, _nn_names),
    _offering("torch.nn.functional", "F", dict),
    _fixed("torch.nn.init", _init),
    _later("torch.nn.utils", "nn.utils", f"{_CLIPPING} {_VECTORS} {_REWEIGHTING} {_FUSION} {_LAYOUTS} skip_init"),
    _later("torch.nn.utils.memory_format", "nn.utils.memory_format", _LAYOUTS),
    _later("torch.nn.utils.clip_grad", "nn.utils.clip_grad", _CLIPPING),
    _later("torch.nn.utils.convert_parameters", "nn.utils.convert_parameters", _VECTORS),
    _later("torch.nn.utils.rnn", "nn.utils.rnn", _SEQUENCES),
    _later(
        "torch.nn.utils.parametrize",
        "nn.utils.parametrize",
        "ParametrizationList cached is_parametrized register_parametrization remove_parametrizations "
        "type_before_parametrizations",
    ),
    _later("torch.nn.utils.parametrizations", "nn.utils.parametrizations", "orthogonal spectral_norm weight_norm"),
    _later("torch.nn.utils.fusion", "nn.utils.fusion", _FUSION),
    _later("torch.nn.utils.stateless", "func", "functional_call"),
    _fixed("torch.nn.parameter", _nn_parameter),
    *(Namespace(f"torch.nn.parallel{part}", _parallel, lambda: ["DataParallel"]) for part in ("", ".data_parallel")),
    _fixed("torch.nn.common_types", _common_types),
    _fixed("torch.types", _types),
    Namespace("torch.optim", _optim_get, _optim_names),
    Namespace("torch.optim.lbfgs", _optim_get, _optim_names),
    *map(_optim_file, _OF_LISTS),
    _later(f"torch.optim.{_STEPS}", f"optim.{_STEPS}", " ".join(place.strip("_") for place in _OF_LISTS)),
    Namespace("torch.optim.optimizer", _optimizer_get, lambda: [*_optim_names(), "ParamsT", "params_t", "required"]),
    _fixed("torch.optim.lr_scheduler", _schedulers),
    _fixed(
        "torch.autograd",
        _autograd,
        ("autograd", "set_detect_anomaly detect_anomaly set_multithreading_enabled gradcheck gradgradcheck"),
    ),
    _fixed("torch.autograd.functional", _functional),
    _later("torch.autograd.gradcheck", "check.gradcheck", "gradcheck gradgradcheck GradcheckError"),
    _later("torch.autograd.forward_ad", "engine.forward.levels", _FORWARD),
    _fixed("torch.autograd.function", _function),
    _fixed("torch.autograd.graph", _graph),
    _offering("torch.fft", "fft", dict),
    _offering("torch.linalg", "linalg", dict),
    _offering("torch.special", "special", dict),
    # Old programs reach PyTorch through the module that imports it.
    _offering("torch.sparse", "sparse", lambda: {"torch": NAMESPACES["torch"]}),
    _fixed("torch.functional", _of_torch),
    _fixed("torch.signal", dict),
    _later(
        "torch.signal.windows",
        "signal.windows",
        "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall",
    ),
    _later("torch.random", "random", "fork_rng get_rng_state initial_seed manual_seed seed set_rng_state"),
    _later("torch.func", "func", _FUNC),
    _later("torch.amp", "amp", "GradScaler autocast custom_bwd custom_fwd"),
    _later("torch.amp.autocast_mode", "amp", "autocast custom_bwd custom_fwd"),
    _later("torch.amp.grad_scaler", "amp", "GradScaler"),
    _later("torch.cuda", "cuda", _CUDA),
    _later("torch.cuda.random", "cuda", "get_rng_state manual_seed manual_seed_all seed seed_all"),
    _later("torch.cuda.memory", "cuda", _MEMORY),
    *(
        _later(f"torch.cuda.amp{part}", "cuda", "GradScaler autocast")
        for part in ("", ".autocast_mode", ".grad_scaler")
    ),
    _later("torch.cpu", "cpu", "device_count is_available"),
    _later("torch.cpu.amp", "cpu", "autocast"),
    *(_later(f"torch.{device}", "accelerator", "device_count is_available") for device in ("mps", "xpu")),
    _later("torch.distributed", "distributed", _ALONE),
    _later("torch.accelerator", "accelerator", "current_accelerator device_count is_available"),
    _fixed("torch.backends", dict),
    _flags("torch.backends.cudnn", lambda backends: backends.cudnn),
    _flags("torch.backends.mkldnn", lambda backends: backends.mkldnn),
    *(_fixed(f"torch.backends.{_name}", _library_of_numbers) for _name in ("mkl", "openmp")),
    _later(
        "torch.backends.cuda", "backends",
        "is_built enable_flash_sdp flash_sdp_enabled enable_math_sdp math_sdp_enabled enable_mem_efficient_sdp "
        "mem_efficient_sdp_enabled enable_cudnn_sdp cudnn_sdp_enabled is_flash_attention_available",
    ),
    _flags("torch.backends.cuda.matmul", lambda backends: backends.cuda.matmul),
    _later("torch.backends.mps", "backends", "is_available is_built"),
    _fixed("torch.masked", _masked),
    _later(
        "torch.overrides", "overrides",
        "BaseTorchFunctionMode TorchFunctionMode handle_torch_function has_torch_function has_torch_function_unary "
        "has_torch_function_variadic is_tensor_like",
    ),
    _later(
        "torch.utils._python_dispatch", "utils._python_dispatch",
        "BaseTorchDispatchMode TorchDispatchMode _disable_current_modes is_traceable_wrapper_subclass "
        "return_and_correct_aliasing",
    ),
    _later("torch._utils", "_utils", "_flatten_dense_tensors _unflatten_dense_tensors"),
    _fixed("torch.utils.hooks", lambda: {"RemovableHandle": sealed(_removable())}),
    *(
        _later(f"torch.utils.data._utils{part}", "utils.data", "default_collate default_convert")
        for part in ("", ".collate")
    ),
    _fixed("torch.autograd.anomaly_mode", dict, ("autograd", "detect_anomaly set_detect_anomaly")),
    _fixed("torch.__config__", lambda: {"show": _shown_build, "parallel_info": _shown_build}),
    _later(
        "torch._C", "_C",
        "DisableTorchFunction DisableTorchFunctionSubclass _DisableTorchDispatch _disabled_torch_function_impl",
    ),
    _later("torch.testing", "testing", "assert_close make_tensor"),
    _distributions(),
    _operators(),
    _fixed("torch.version", lambda: {
        "__version__": VERSION, "git_version": COMMIT, "debug": False,
        **dict.fromkeys(("cuda", "hip", "rocm", "xpu")),
    }),
    _later(
        "torch.nn.attention.bias", "nn.attention.bias",
        "CausalBias CausalVariant causal_lower_right causal_upper_left",
    ),
    _fixed("torch.jit", _jit, ("jit", "annotate is_scripting is_tracing")),
    _fixed("torch.jit.annotations", lambda: {n: Hint(n) for n in "Any Dict List Optional Tuple Union".split()}),
    _fixed("torch.compiler", _compiler, ("compiler", "is_compiling is_dynamo_compiling is_exporting reset")),
    _later("torch.utils", "engine.memory.swapping", "swap_tensors"),
    _later(
        "torch.__future__", "__future__",
        "get_overwrite_module_params_on_conversion get_swap_module_params_on_conversion "
        "set_overwrite_module_params_on_conversion set_swap_module_params_on_conversion",
    ),
    _later(
        "torch.utils.checkpoint", "utils.checkpoint",
        "checkpoint checkpoint_sequential get_device_states noop_context_fn set_device_states "
        "set_checkpoint_early_stop CheckpointError",
    ),
    _later(
        "torch.utils._foreach_utils", "utils._foreach_utils",
        "_device_has_foreach_support _get_foreach_kernels_supported_devices _get_fused_kernels_supported_devices "
        "_group_tensors_by_device_and_dtype _has_foreach_support",
    ),
    *(_fixed(f"torch.utils.data{part}", _data) for part in ("", ".dataloader", ".dataset", ".distributed", ".sampler")),
    Namespace("torch.nn.modules", _nn_get, _nn_names),
    _fixed("torch.autograd.grad_mode", _without_grad_names, ("autograd", "set_multithreading_enabled")),
    _later("torch.autograd.variable", "autograd", "Variable"),
    *(_fixed(name, make) for name, make in modules.MODULES.items() if name not in library.NAMES),
    *(_written_here(name) for name in library.NAMES),
    *(_unseen(name) for name in _UNSEEN),
):
    NAMESPACES[_space.full_name] = _space

# What is written in the library of small functions, by the modules that have it.
_IN_PASSING = {
    "torch": (
        "AcceleratorError GradScaler OutOfMemoryError SymBool SymFloat SymInt _assert _check _check_is_size "
        "compiled_with_cxx11_abi cond frobenius_norm gru lstm nuclear_norm rnn_relu rnn_tanh "
        "set_anomaly_enabled sym_float sym_int sym_ite sym_max sym_min sym_not while_loop"
    ),
    **dict.fromkeys(("torch.amp", "torch.amp.autocast_mode"), "is_autocast_available"),
    "torch.cuda": "AcceleratorError OutOfMemoryError",
    **dict.fromkeys(("torch.cuda.amp", "torch.cuda.amp.autocast_mode"), "custom_bwd custom_fwd"),
    "torch.jit": (
        "Attribute _overload _overload_method fork interface optimized_execution script_if_tracing script_method "
        "set_fusion_strategy trace_module wait"
    ),
    "torch.nn.init": "_no_grad_fill_ _no_grad_normal_ _no_grad_trunc_normal_ _no_grad_uniform_ _no_grad_zero_",
    "torch.backends.cuda": "sdp_kernel",
    "torch.distributions.utils": "_sum_rightmost",
    "torch.nn.modules.module": "_addindent",
    "torch.nn.modules.transformer": "_generate_square_subsequent_mask _get_activation_fn _get_clones",
    "torch.optim.optimizer": (
        "_capturable_doc _default_to_fused_or_foreach _differentiable_doc _disable_dynamo_if_unsupported "
        "_foreach_doc _fused_doc _get_scalar_dtype _get_value _maximize_doc _params_doc "
        "_stack_if_compiling _to_scalar _use_grad_for_differentiable _view_as_real"
    ),
}
# Decorators that say how to compile what is not compiled.
_MARKS = ("_overload", "_overload_method", "interface", "script_if_tracing", "script_method")


def _with_small(space: Namespace, names: tuple[str, ...]) -> Namespace:
    """A module that has some of the small functions of the library."""

    def get(name: str) -> Any:
        value = space.find(name)
        if value is MISSING and name in names:
            return caps.library("_in_passing").get("_marked" if name in _MARKS else name, MISSING)
        return value

    return Namespace(space.full_name, get, lambda: [*space.names(), *names], space.set)


NAMESPACES["sys"] = _system()
NAMESPACES["warnings"] = Namespace(
    "warnings",
    lambda name: _ours("spec.stdlib.exceptions.warned").current(name),
    NAMESPACES["warnings"].names,
    lambda name, value: _ours("spec.stdlib.exceptions.warned").put(name, value),
)
NAMESPACES["builtins"] = Namespace(
    "builtins", lambda name: caps.builtins.get(name, MISSING), lambda: list(caps.builtins)
)
NAMESPACES["__main__"] = _program()
NAMESPACES["importlib"] = _fixed("importlib", dict)
NAMESPACES["importlib.util"] = _fixed("importlib.util", lambda: {"find_spec": _find_spec})
for _name in _FILES:
    _space = _nn_file(_name)
    NAMESPACES[_name] = _with_written(_space, _name) if _name in library.NAMES else _space
NAMESPACES["torch.nn._reduction"] = _fixed("torch.nn._reduction", lambda: _public(_ours("nn._reduction")))
for _name, _small in _IN_PASSING.items():
    NAMESPACES[_name] = _with_small(NAMESPACES[_name], tuple(_small.split()))
    SMALL.update(_small.split())
for _name in ("_symbolic_trace", "graph", "graph_module", "interpreter", "node", "proxy", "subgraph_rewriter"):
    NAMESPACES[f"torch.fx.{_name}"] = _with_written(_fixed(f"torch.fx.{_name}", dict), "torch.fx")
NAMESPACES["functorch"] = _with_written(_later("functorch", "func", _FUNC), "functorch")
NAMESPACES["_numpy"] = NAMESPACES["numpy"] = _with_written(NAMESPACES["numpy"], "_walks")
NAMESPACES["_backwards"] = _later("_backwards", "engine.walk.walk", "queue_callback")
NAMESPACES["torch.utils.checkpoint"] = _with_written(NAMESPACES["torch.utils.checkpoint"], "_selective")
NAMESPACES["inspect"] = _with_written(NAMESPACES["inspect"], "_asked")
for _name in (
    "PIL", "concurrent", "distutils", "einops.layers", "numpy._core", "numpy.lib", "numpy.polynomial", "packaging",
    "scipy", "sklearn", "torchvision", "urllib",
):  # fmt: skip
    NAMESPACES[_name] = _fixed(_name, dict)
NAMESPACES["numpy.polynomial"] = _with_written(NAMESPACES["numpy.polynomial"], "numpy.polynomial")
# The releases whose numbers they give.
for _name, _release in (("scipy", "1.17.1"), ("sklearn", "1.9.1"), ("torchvision", "0.28.0+cpu")):
    NAMESPACES[_name] = _fixed(_name, partial(dict, __version__=_release))
NAMESPACES["_scipy"] = _fixed("scipy", lambda: {"special": NAMESPACES["_arrays.special"]})
for _module, _place in _OF_ARRAYS.items():
    if _module != "scipy":
        NAMESPACES[_place] = _differentiated(_module, _place)

# The names that a program need not import.
PREBOUND = {
    "torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional", "optim": "torch.optim",
    "autograd": "torch.autograd", "math": "math",
}  # fmt: skip


# All that Python ever offered of its future.
_FUTURE = (
    "absolute_import", "annotations", "barry_as_FLUFL", "division", "generator_stop", "generators", "nested_scopes",
    "print_function", "unicode_literals", "with_statement",
)  # fmt: skip


def importable() -> list[str]:
    """The modules that a program may import, or import from those within them."""
    return sorted({name.partition(".")[0] for name in ("torch", *modules.MODULES, *library.NAMES) if name[0] != "_"})


def imported(module: str, name: str | None = None, *, of_library: bool = False) -> Any:
    """Return the value that an import statement binds; the modules with an underscore are for our own library."""
    if module == "__future__":
        if name not in (None, *_FUTURE):
            raise SpecError(f"future feature {name} is not defined", code="E101")
        return None
    if of_library and module.startswith("."):
        return _own(name)
    place = _OF_ARRAYS.get(module, module) if caps.arrays and not of_library else module
    space = NAMESPACES.get(place) if of_library or not module.startswith("_") or module == "__main__" else None
    if space is None:
        raise SpecError(
            f"a spec cannot import {module}" if module.strip(".") else "a spec cannot import from its own folder",
            help=did_you_mean(module, importable())
            or "code that needs it is checked by `gradcli check --python`; `gradcli docs language` lists what a spec "
            "can import",
            code="E204",
        )
    if name is None or name == "*":
        return space
    inner = NAMESPACES.get(f"{place}.{name}")
    if inner is None and of_library and name.startswith("_"):
        # Modules of our own library share what is none of a program's business.
        return space.find(name)
    # A function hides the module that it is named for.
    hidden = inner is None or isinstance(space.find(name), FunctionType)
    return look_up(space, name) if hidden else inner


# Where the names are found that modules have of others which both Python and programs run.
_SHARED = (
    "torch", "torch.nn", "torch.optim.lr_scheduler", "torch.linalg", "torch.special", "torch.nn.functional",
    "torch.autograd", "torch.autograd.function",
)  # fmt: skip


def _own(name: str | None) -> Any:
    """A name that a module which both Python and programs run has of another: programs find it by its public name."""
    for space in _SHARED:
        value = NAMESPACES[space].find(str(name))
        if value is not MISSING:
            return value
    raise SpecError(f"a module of the library has no use for {name}", code="E204")


def bare(name: str) -> Any:
    """Return the value of a name that a program neither binds nor imports, builtins aside."""
    if name in PREBOUND:
        return NAMESPACES[PREBOUND[name]]
    if name.startswith("_"):
        return MISSING
    for space in ("torch", "torch.nn.functional"):
        value = NAMESPACES[space].find(name)
        if value is not MISSING:
            return value
    return MISSING
