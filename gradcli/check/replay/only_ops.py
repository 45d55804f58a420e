"""Programs that name nothing but ops: what such a one computes, its graph shows, and it does the same each time.

Numbers leave a graph by what has a name (`detach`, `data`, `grad`, `no_grad`, a class, a write), or they are noted when
they do: as a number that is read, or as whole numbers and truth values that are made of them. A program without such
names need not be run again to see that it does as its graph. Nor need one with Functions whose methods name nothing but
ops and what they are given: the graph calls them as the program does. Nor one with layers, and Modules of those: what
such a Module holds is made in `__init__`, and what else its methods do is to call that, and ops.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from ...engine.function import Function, FunctionNode, bare_backward_of
from ...engine.tape.entry import Operand, entry_of
from ...engine.tensor import Tensor
from ...spec.input.parse import nodes_by_part, nodes_of, nodes_of_kind
from ...spec.torch_names.names import NAMESPACES
from ...spec.values.user_definitions import MISSING, UserFunction
from .custom_function.own_writes import own_writes

# The rooms of ops, that of what makes tensors of anything, and what there makes them of no numbers.
_OPS = f"{Tensor.__module__.rpartition('.')[0]}.ops."
_CALLS = f"{Tensor.__module__.rpartition('.')[0]}.calls."
_MAKE = f"{_OPS}make."
_MADE = frozenset(("arange", "clone", "contiguous", "eye", "ones", "ones_like", "zeros", "zeros_like"))
# Of these what is never what it was given.
_NEW = _MADE - {"contiguous"}
# Layers that write to running means, which their second and third argument are.
_TENSOR, _WRITING = "tensor", frozenset(("batch_norm", "instance_norm"))
_MODULES = frozenset(("torch", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.special"))
_BUILTINS = frozenset((
    "enumerate", "isinstance", "len", "list", "print", "range", "reversed", "sum", "torch", "tuple", "zip",
))  # fmt: skip
# Layers that keep nothing but their parameters, and draw nothing after these. Of some the arguments from a place on ask
# for more: to write to what they are given, or to draw.
_LAYERS = frozenset((
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "Bilinear",
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "CosineSimilarity",
    "CrossEntropyLoss", "Flatten", "GELU", "GLU", "GRUCell", "GroupNorm", "HuberLoss", "Identity", "KLDivLoss",
    "L1Loss", "LSTMCell", "LayerNorm", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "MaxPool1d", "MaxPool2d",
    "ModuleList", "NLLLoss", "PReLU", "RMSNorm", "RNNCell", "Sequential", "Sigmoid", "SmoothL1Loss", "Softmax",
    "Softplus", "Softsign", "Tanh", "Tanhshrink", "Unflatten", "ZeroPad2d",
))  # fmt: skip
_LAYERS_UNTIL = {
    "ELU": 1, "Embedding": 3, "GRU": 5, "Hardsigmoid": 0, "Hardswish": 0, "Hardtanh": 2, "LSTM": 5, "LeakyReLU": 1,
    "Mish": 0, "RNN": 6, "ReLU": 0, "ReLU6": 0, "SELU": 0, "SiLU": 0,
}  # fmt: skip
# What draws numbers: the same each time the program is run, not each time that a method is.
_DRAWN = frozenset(("rand", "randint", "randn"))
_FILLED = _DRAWN | {"eye", "ones", "tensor", "zeros"}
_PARAMETER, _MODULE_BASES = "Parameter", ("nn.Module", "torch.nn.Module")
_INIT = "__init__"
# What is called by its own name alone, since it depends on the arguments: tensors are made of numbers that are written
# down, parameters of such or of drawn ones.
_CALLED = _WRITING | {_TENSOR, _PARAMETER, *_LAYERS_UNTIL}
_NAMED = _CALLED - _WRITING | {
    "T", "autograd", "backward", "dim", "dtype", "float64", "functional", "indices", "linalg", "mT", "manual_seed",
    "ndim", "nn", "numel", "set_default_dtype", "shape", "size", "special", "torch", "values",
}  # fmt: skip
# What a Function may be called, where that is imported from, what its methods are, and what they keep things with.
_BASES = "Function", "autograd.Function", "torch.autograd.Function"
_FUNCTIONS = frozenset((
    ("torch.autograd", "Function"), ("torch.autograd.function", "Function"),
    ("torch.autograd.function", "once_differentiable"),
))  # fmt: skip
_NO_GRAD, _ENABLE_GRAD, _GRAD = "torch.no_grad", "torch.enable_grad", "torch.autograd.grad"
# How a backward begins a graph of its own, and what it may say when it asks for the gradient.
_BEGINS, _FRESH = "requires_grad_", ("clone", "detach")
_SAID = frozenset(("allow_unused", "create_graph", "retain_graph"))
# How they are decorated: a backward may not be differentiable, which says nothing of what it makes.
_STATIC, _ONCE = ["staticmethod"], ("once_differentiable", "torch.autograd.function.once_differentiable")
_METHODS = frozenset(("backward", "forward", "setup_context"))
_CONTEXT = frozenset(("needs_input_grad", "save_for_backward", "saved_tensors", "set_materialize_grads"))
# Ops that read, or refuse, what lies in memory in another way.
_BY_LAYOUT = "as_strided", "view"
# What may do more than its names say, and arguments that are written to.
_OTHERS = frozenset((
    ast.Assert, ast.AsyncFunctionDef, ast.AugAssign, ast.Await, ast.ClassDef, ast.Delete, ast.Global, ast.JoinedStr,
    ast.Match, ast.Nonlocal, ast.Raise, ast.Try, ast.With, ast.Yield, ast.YieldFrom,
))  # fmt: skip
_WRITTEN = frozenset((None, "dropout", "inplace", "max_norm", "out"))
_WRITTEN_DOWN = frozenset((ast.Constant, ast.List, ast.Load, ast.Tuple, ast.UAdd, ast.USub, ast.UnaryOp))

# What holds no tensor.
_PLAIN = frozenset((bool, complex, float, int, str))

_known: WeakKeyDictionary[ast.AST, bool] = WeakKeyDictionary()
# Of methods that name nothing but ops: whether each of those does the same however its operands lie in memory.
_methods: WeakKeyDictionary[ast.AST, bool] = WeakKeyDictionary()


def names_only_ops(tree: ast.Module) -> bool:
    """True of a program that names nothing but ops, tensors of numbers that are written down, and its own variables."""
    found = _known.get(tree)
    if found is None:
        found = _known[tree] = _names_only_ops(tree)
    return found


def _names_only_ops(tree: ast.Module) -> bool:
    modules = set(_imported(tree))
    parts: dict[ast.AST, list[ast.AST]] = {tree: nodes_of(tree)}
    if nodes_of_kind(tree, ast.ClassDef):
        parts = nodes_by_part(tree, nodes_of(tree))
    classes = [x for x in parts if isinstance(x, ast.ClassDef)]
    functions = {x.name: x for x in classes if _is_function(x, parts[x], modules)}
    made = {x.name for x in classes}
    rest = [node for part in parts if not isinstance(part, ast.ClassDef) for node in parts[part]]
    named = _Named(rest, modules | made, set(functions), also=_DRAWN)
    given = named.bound | made
    others = [x for x in classes if functions.get(x.name) is not x]
    return all(_is_harmless(named)) and all(_is_module(x, parts[x], given, set(functions)) for x in others)


def _is_function(made: ast.ClassDef, nodes: list[ast.AST], modules: set[str]) -> bool:
    """True of a Function whose methods name nothing but ops, what they are given, and what they keep."""
    methods = _methods_of(made, _BASES)
    kept = {x.attr for x in nodes if type(x) is ast.Attribute and type(x.ctx) is ast.Store}
    if methods is None or kept & (_CONTEXT | _NEW) or not all(x.name in _METHODS for x in methods):
        return False
    parts = nodes_by_part(made, nodes)
    # Whether `forward` is given what the other keeps things in.
    apart = any(x.name == "setup_context" for x in methods)
    return all(_is_method(x, parts[x], modules, kept, apart and x.name == "forward") for x in methods)


def _methods_of(made: ast.ClassDef, bases: Iterable[str]) -> list[ast.FunctionDef] | None:
    """The methods of a class with one of these bases, if it consists of those."""
    if made.decorator_list or made.keywords or len(made.bases) != 1 or _dotted(made.bases[0]) not in bases:
        return None
    body = [x for x in made.body if not (isinstance(x, ast.Expr) and isinstance(x.value, ast.Constant))]
    methods = [x for x in body if isinstance(x, ast.FunctionDef)]
    return methods if len(methods) == len(body) else None


def _is_module(made: ast.ClassDef, nodes: list[ast.AST], given: set[str], functions: set[str]) -> bool:
    """True of a Module that makes what it holds in `__init__`, and whose methods name nothing but that and ops."""
    from ...nn.modules.module import Module

    methods = _methods_of(made, _MODULE_BASES) or []
    parts = nodes_by_part(made, nodes)
    held = {x.attr for x in nodes if type(x) is ast.Attribute and type(x.ctx) is ast.Store}
    held |= {x.name for x in methods if x.name not in (_INIT, "forward")}
    if not methods or any(hasattr(Module, name) or name.startswith("_") or name == "training" for name in held):
        return False
    for method in methods:
        arguments, begins = method.args, method.name == _INIT
        defaults = [x for x in (*arguments.defaults, *arguments.kw_defaults) if x is not None]
        every = [*_body(method, parts[method]), *(node for x in defaults for node in ast.walk(x))]
        own = arguments.args[0].arg if arguments.args else ""
        also = _DRAWN | {"super", _INIT} if begins else set()
        named = _Named(every, given | _arguments(arguments), functions, own, held, also)
        if method.decorator_list or (named.stores and not begins) or not all(_is_harmless(named)):
            return False
    return True


def _is_method(method: ast.FunctionDef, nodes: list[ast.AST], modules: set[str], kept: set[str], apart: bool) -> bool:
    """True of a static method; ``kept``: what the methods keep in their context, which one ``apart`` is not given."""
    given = method.args
    defaults = [x for x in (*given.defaults, *given.kw_defaults) if x is not None]
    decorators = [_dotted(x) for x in method.decorator_list]
    if method.name == "backward" and len(decorators) == 2 and decorators[-1] in _ONCE:
        decorators.pop()
    if decorators != _STATIC or not _is_written_down(defaults):
        return False
    context = given.args[0].arg if given.args and not apart else ""
    body = _body(method, nodes)
    own = own_writes(method, body, _is_op, _NEW)
    if own is None:
        return False
    own |= {part for x in body if isinstance(x, ast.With) for part in _of_mode(x, _NO_GRAD)}
    if method.name == "backward":
        own.update(part for x in body for part in _of_own_graph(x))
    body = [x for x in body if x not in own]
    named = _Named(body, modules | _arguments(given), set(), context, _CONTEXT | kept)
    if not all(_is_harmless(named)):
        return False
    if method.name != "backward" or not named.stores:
        _methods[method] = not any(name.startswith(_BY_LAYOUT) for name in named.attributes)
    return True


def _of_mode(statement: ast.With, name: str) -> Iterator[ast.AST]:
    """The statement itself, and what it names, where it only says whether anything is recorded."""
    calls = [x.context_expr for x in statement.items if x.optional_vars is None]
    plain = all(isinstance(x, ast.Call) and _dotted(x.func) == name and not (x.args or x.keywords) for x in calls)
    if plain and len(calls) == len(statement.items):
        yield statement
        yield from (part for call in calls for part in ast.walk(call))


def _of_own_graph(node: ast.AST) -> Iterator[ast.AST]:
    """The names by which a backward records a graph of fresh tensors, and asks for its gradient.

    Of the same numbers it makes the same.
    """
    if isinstance(node, ast.With):
        yield from _of_mode(node, _ENABLE_GRAD)
    elif isinstance(node, ast.Call) and _dotted(node.func) == _GRAD:
        if all(x.arg in _SAID and _is_written_down([x.value]) for x in node.keywords):
            yield from ast.walk(node.func)
    elif isinstance(node, ast.Call) and _name_of(node.func) == _BEGINS and _is_written_down(node.args):
        chain = list(_called_in_turn(node))
        if len(chain) > 1 and all(x.attr in _FRESH for x in chain[1:]):
            yield from chain


def _called_in_turn(node: ast.expr) -> Iterator[ast.Attribute]:
    """The methods that are called of what others give, the last first."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield node.func
        node = node.func.value


def _body(method: ast.FunctionDef, nodes: list[ast.AST]) -> list[ast.AST]:
    parts = nodes_by_part(method, nodes)
    return [node for x in method.body for node in parts[x]]


def _arguments(of: ast.arguments) -> set[str]:
    every = (*of.posonlyargs, *of.args, *of.kwonlyargs, of.vararg, of.kwarg)
    return {x.arg for x in every if x is not None}


def is_pure(function: type[Function], *, anyhow: bool = False) -> bool:
    """True of a Function that is known to make the same of the same numbers, whenever it is called, since its methods
    name nothing but ops; ``anyhow``: however these lie in memory."""
    called = [bare_backward_of(function), function.forward]
    if function.setup_context is not Function.setup_context:
        called.append(function.setup_context)
    known = [_methods.get(x.node) if isinstance(x, UserFunction) else None for x in called]
    return all(known) if anyhow else None not in known


def is_given_more(node: FunctionNode) -> bool:
    """True of a Function that was given what its edges do not show: tensors in a list, or what may hold some."""
    entry = entry_of(node)
    return entry is None or not all(type(x) is Operand or is_plain(x) for x in entry.args)


def is_plain(x: Any) -> bool:
    """True of numbers, text, and lists of those."""
    return all(map(is_plain, x)) if type(x) is tuple or type(x) is list else x is None or type(x) in _PLAIN


class _Named:
    """The nodes of a piece of a program by their kinds, and the names in it.

    ``given``: those that are known, ``also``: wherever they stand; ``functions``: whose ``apply`` may be called;
    ``context``: what a method keeps things in, ``kept``: these.
    """

    def __init__(
        self,
        nodes: Iterable[Any],
        given: set[str],
        functions: set[str],
        context: str = "",
        kept: Iterable[str] = (),
        also: Iterable[str] = (),
    ) -> None:
        self.kinds: dict[type[ast.AST], list[Any]] = {}
        for node in nodes:
            self.kinds.setdefault(type(node), []).append(node)
        self._given, self._also = given | functions, also
        # The names that it gives to anything.
        self.bound = {node.arg for node in self.of(ast.arg)} | {x.name for x in self.of(ast.FunctionDef)}
        self.bound |= {node.id for node in self.of(ast.Name) if type(node.ctx) is not ast.Load}
        for imported in (*self.of(ast.Import), *self.of(ast.ImportFrom)):
            self.bound |= {alias.asname or alias.name.partition(".")[0] for alias in imported.names}
        owners = {x: x.value.id if type(x.value) is ast.Name else "" for x in self.of(ast.Attribute)}
        own = {x for x, owner in owners.items() if context and owner == context}
        # Whether what is read of the context, and written to it, is what it is for.
        self.keeps_well = context not in self.bound and all(x.attr in kept for x in own)
        self.stores = any(type(x.ctx) is not ast.Load for x in own)
        others = [x for x, owner in owners.items() if x not in own and not (owner in functions and x.attr == "apply")]
        self.writes = any(type(x.ctx) is not ast.Load for x in (*others, *self.of(ast.Subscript)))
        self.attributes = {x.attr for x in others}

    def of(self, kind: type[ast.AST]) -> list[Any]:
        """Its nodes of one kind."""
        return self.kinds.get(kind, [])

    def others(self) -> set[str]:
        """All names that are not given in it, of whatever they are."""
        names = {node.id for node in self.of(ast.Name)} - self.bound - self._given - _BUILTINS
        for statement in self.of(ast.Import):
            names |= {"" for alias in statement.names if alias.name not in _MODULES}
        for imported in self.of(ast.ImportFrom):
            known = imported.module in _MODULES
            chosen = [alias.name for alias in imported.names if (imported.module, alias.name) not in _FUNCTIONS]
            names |= {name if known and name not in _CALLED else "" for name in chosen}
        return (names | self.attributes).difference(self._also)


def _is_harmless(named: _Named) -> Iterator[bool]:
    yield _OTHERS.isdisjoint(named.kinds)
    yield named.keeps_well and not named.writes
    yield all(map(_is_op, named.others()))
    yield all(node.arg not in _WRITTEN for node in named.of(ast.keyword))
    calls = [(_name_of(call.func), call) for call in named.of(ast.Call)]
    references = [*named.of(ast.Attribute), *named.of(ast.Name)]
    yield sum(_name_of(node) in _CALLED for node in references) == sum(name in _CALLED for name, _ in calls)
    for name, call in calls:
        if name == _TENSOR:
            yield len(call.args) == 1 and _is_written_down(call.args)
        elif name in _WRITING:
            yield len(call.args) > 2 and _is_written_down(call.args[1:3])
        elif name == _PARAMETER:
            yield len(call.args) == 1 and _is_made(call.args[0])
        elif name in _LAYERS_UNTIL:
            yield len(call.args) <= _LAYERS_UNTIL[name] and not named.of(ast.Starred)


def _dotted(node: ast.expr) -> str:
    """A name as it is written, with what it is looked up in."""
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else _name_of(node)


def _name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _imported(tree: ast.Module) -> Iterator[str]:
    """The names that a program gives what it imports of ops, and where these are."""
    for statement in nodes_of_kind(tree, ast.Import):
        yield from [x.asname or x.name.partition(".")[0] for x in statement.names if x.name in _MODULES]
    for imported in nodes_of_kind(tree, ast.ImportFrom):
        if imported.module in _MODULES:
            names = [alias for alias in imported.names if alias.name not in _CALLED and _is_op(alias.name)]
            yield from [alias.asname or alias.name for alias in names]


@cache
def _is_op(name: str) -> bool:
    """True of a name that is that of an op wherever there is such a name, or says nothing of numbers."""
    if name in _NAMED or name in _MADE or name in _LAYERS:
        return True
    if name.endswith("_"):
        return False
    found = [NAMESPACES[module].find(name) for module in _MODULES]
    found = [value for value in (*found, getattr(Tensor, name, MISSING)) if value is not MISSING]
    # Behind the door of what classes of tensors may answer, which says of itself where it is found.
    found = [getattr(value, "__wrapped__", value) for value in found]
    rooms = [value.__module__ if isinstance(value, FunctionType) else "" for value in found]
    return bool(rooms) and all(room.startswith((_OPS, _CALLS)) and not room.startswith(_MAKE) for room in rooms)


def _is_written_down(parts: Iterable[ast.expr]) -> bool:
    return all(_WRITTEN_DOWN.issuperset(map(type, ast.walk(part))) for part in parts)


def _is_made(part: ast.expr) -> bool:
    """True of tensors of numbers that are written down or drawn, and multiples of those."""
    if isinstance(part, ast.BinOp):
        return _is_made(part.left) and _is_made(part.right)
    if isinstance(part, ast.Call):
        return _name_of(part.func) in _FILLED
    return _is_written_down([part])
