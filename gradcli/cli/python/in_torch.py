"""A spec run by PyTorch itself, for ``gradcli diff SPEC --torch``: its graph, and the gradients in it."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...check.foreign.border import raised_there, said, theirs
from ...check.foreign.with_torch import is_module, is_tensor, torch
from ...errors import InputError, Source
from ...graph.json import to_json
from ...graph.view.collect import collect
from ...graph.view.recorded import recording
from ...graph.view.tensors import origin
from ...spec.guard.limits import Limits
from ...spec.input.named_inputs import value_of
from ...spec.program import SHADOWED, Program
from ...spec.torch_names.names import PREBOUND
from .worker import ended, seeded

if TYPE_CHECKING:
    from ..confined import Inside
    from ..specs import Request

_HELP = "the spec is run as Python runs it, with PyTorch"


class Asked(NamedTuple):
    """A spec, which of its graphs is wanted, and the names that gradcli gives to the leaves of that."""

    request: Request
    options: dict[str, Any]
    leaves: Sequence[str]
    root: str | None = None


class _Root(NamedTuple):
    tensors: list[Any]
    gradients: Any
    # Where its backward was called, or the program's own variables.
    names: dict[str, Any]


def traced(inside: Inside, asked: Asked) -> int:
    """Give the JSON of the graph that PyTorch records for a spec, and how many backwards that ran."""
    try:
        # As in a trace, what a program prints is not shown: it may run twice.
        with redirect_stdout(StringIO()):
            text, backwards = _graph(asked, asked.request.limits)
    except (SystemExit, KeyboardInterrupt) as error:
        raise ended(error) from None
    inside.result(text)
    return backwards


def version() -> str:
    """The PyTorch that is installed here."""
    from importlib.metadata import PackageNotFoundError, version as installed

    try:
        return f"PyTorch {installed('torch').partition('+')[0]}"
    except PackageNotFoundError:
        raise InputError("PyTorch is not installed here", help="--torch compares with it: pip install torch") from None


def _graph(asked: Asked, limits: Limits) -> tuple[str, int]:
    request = asked.request
    program = Program(request.spec, bindings=request.bindings, limits=limits, **request.chosen)
    if program.arrays:
        raise InputError("--torch is for programs of PyTorch, and this one is NumPy's", help="leave --torch out")
    chosen = asked.options.keys() & {"output", "order"}
    every = _Backwards()
    root = _run(program, every, asked)
    if every.freed and not every.last:
        every = _Backwards(keep=True)
        root = _run(program, every, asked)
    if not chosen and every.last:
        # An optimiser may have written to the weights since: the graph is read where its backward begins.
        again = _Backwards(every.last, lambda root: _collected(root, asked))
        _run(program, again, asked)
        if again.read is not None:
            return again.read, every.done
    return _collected(_derivative(root, asked.options) if "order" in asked.options else root, asked), every.done


# -- running -----------------------------------------------------------------------------------


class _Backwards:
    """Count the backwards of a run, and read the graph of one of them."""

    def __init__(
        self, wanted: int = 0, reader: Callable[[_Root], str] | None = None, *, keep: bool = False
    ) -> None:
        self.keep = keep
        # Some graph was walked by autograd.grad(), and is gone.
        self.freed = False
        self.wanted = wanted
        self.reader = reader
        # How many were begun and done, and which was the last that was done.
        self.begun = self.done = self.last = 0
        self.read: str | None = None

    @contextmanager
    def watched(self) -> Iterator[None]:
        """See each call of ``backward``."""
        module = torch()
        own = module.Tensor.backward, module.autograd.backward, module.autograd.grad

        def of_tensor(tensor: Any, gradient: Any = None, *args: Any, **named: Any) -> Any:
            self._begins([tensor], gradient, sys._getframe(1))
            own[0](tensor, gradient, *args, **named)
            self._ends()

        def of_several(tensors: Any, grad_tensors: Any = None, *args: Any, **named: Any) -> Any:
            of_program = not sys._getframe(1).f_globals.get("__name__", "").startswith("torch.")
            if of_program:
                several = [tensors] if is_tensor(tensors) else list(tensors)
                self._begins(several, grad_tensors, sys._getframe(1))
            own[1](tensors, grad_tensors, *args, **named)
            if of_program:
                self._ends()

        def grad(*args: Any, **named: Any) -> Any:
            self.freed = True
            return own[2](*args, **({**named, "retain_graph": True} if self.keep else named))

        module.Tensor.backward, module.autograd.backward, module.autograd.grad = of_tensor, of_several, grad
        try:
            yield
        finally:
            module.Tensor.backward, module.autograd.backward, module.autograd.grad = own

    def _begins(self, tensors: list[Any], gradients: Any, frame: FrameType) -> None:
        self.begun += 1
        if self.begun == self.wanted and self.reader is not None:
            self.read = self.reader(_Root(tensors, gradients, {**frame.f_globals, **frame.f_locals}))

    def _ends(self) -> None:
        self.done += 1
        self.last = self.begun


def _run(program: Program, backwards: _Backwards, asked: Asked) -> _Root:
    """Run a program as Python does; the tensor that it is about where it calls no backward."""
    module = torch()
    seeded(program.seed)
    module.set_default_dtype(module.float64 if str(program.dtype).endswith("float64") else module.float32)
    names = _namespace(program)
    try:
        with backwards.watched(), module.enable_grad(), recording():
            given = {each.name: _input(program, each, names) for each in program.bindings}
            names.update(given)
            value = theirs(_executed, program.tree, program.source.name, names)
            if program.spec.target is not None:
                value = _picked(names, program.spec.target, given)
    except raised_there() as error:
        raise InputError(f"PyTorch stops: {said(error)}", help=_HELP) from error
    return _meant(value, names, asked)


def _executed(tree: ast.Module, name: str, names: dict[str, Any]) -> Any:
    """Run the statements, and give the value of a last bare expression."""
    body, last = tree.body, tree.body[-1]
    if isinstance(last, ast.Expr):
        body = body[:-1]
    exec(compile(ast.Module(body, []), name, "exec"), names)
    return eval(compile(ast.Expression(last.value), name, "eval"), names) if isinstance(last, ast.Expr) else None


def _namespace(program: Program) -> dict[str, Any]:
    """The names that a program need not import, of those that it reads."""
    module = torch()
    trees = [program.tree, *(_parsed(each.source) for each in program.bindings if not each.text.startswith("@"))]
    read = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names: dict[str, Any] = {"__name__": "__main__"}
    for name in sorted(read):
        if name in PREBOUND:
            names[name] = theirs(__import__, PREBOUND[name], fromlist=["*"])
        elif not hasattr(builtins, name) or (program.spec.inline and name in SHADOWED):
            found = getattr(module, name, None) or getattr(module.nn.functional, name, None)
            if found is not None:
                names[name] = _either(getattr(builtins, name, None), found)
    return names


def _either(builtin: Any, op: Any) -> Any:
    if builtin is None:
        return op
    return lambda *args, **named: (op if args and is_tensor(args[0]) else builtin)(*args, **named)


def _parsed(source: Source) -> ast.AST:
    return ast.parse(source.text.strip(), mode="eval")


def _input(program: Program, each: Any, names: dict[str, Any]) -> Any:
    """An input as PyTorch's tensor."""
    module = torch()

    def evaluated(source: Source) -> Any:
        return theirs(eval, source.text.strip(), names)

    value = value_of(each, evaluated, max_bytes=program.limits.memory)
    constant = each.name in program.no_grad
    if isinstance(value, (bool, str)) or (constant and isinstance(value, (int, float))):
        return value
    if not is_tensor(value):
        if not isinstance(value, (int, float, list, tuple, np.ndarray)):
            return value
        value = module.as_tensor(value)
        if value.is_floating_point() or (value.dtype is module.int64 and not constant):
            value = value.to(module.get_default_dtype())
    return value.detach().requires_grad_() if value.is_floating_point() and not constant else value


def _picked(names: dict[str, Any], target: str, given: dict[str, Any]) -> Any:
    """The result of ``FILE::name``."""
    found = names[target]
    if isinstance(found, type) and hasattr(found, "apply"):
        return theirs(found.apply, *given.values())
    return theirs(found, **given)


# -- its graph ---------------------------------------------------------------------------------


def _meant(value: Any, names: dict[str, Any], asked: Asked) -> _Root:
    """The tensor that was asked for, the value of the program, or the variable that gradcli shows."""
    wanted = asked.options.get("output")
    values = value if isinstance(value, (tuple, list)) else (value,)
    found = None
    if wanted is None:
        found = next((x for x in values if is_tensor(x) and x.grad_fn is not None), None)
        wanted = asked.root
    if found is None and wanted is not None:
        found = _place(wanted, names)
    if found is None:
        found = next((x for x in values if is_tensor(x) and x.requires_grad), None)
    return _Root([] if found is None else [found], None, names)


def _place(name: str, names: dict[str, Any]) -> Any:
    """The tensor of a name, such as ``loss``, ``net.fc1.weight`` or ``losses[0]``; None where there is none."""
    try:
        found = theirs(eval, name, names)
    except raised_there(SyntaxError):
        found = None
    return found if is_tensor(found) and found.requires_grad else None


def _collected(root: _Root, asked: Asked) -> str:
    """The JSON of the graph behind a tensor, its leaves named as gradcli's are."""
    if not root.tensors:
        words = f"PyTorch has no tensor {asked.root or 'to show the graph of'}"
        raise InputError(words, help="name one of the program's own variables: --output NAME")
    names: dict[Any, str] = {}
    modules = [module for module in root.names.values() if is_module(module)]
    for name in asked.leaves:
        found = _place(name, root.names)
        for module in modules:
            found = found if found is not None else dict(module.named_parameters()).get(name)
        if found is not None and found.is_leaf:
            names.setdefault(origin(found)[0], name)
    tensors = root.tensors if len(root.tensors) > 1 else root.tensors[0]
    return to_json(collect(tensors, names=names, gradient=root.gradients))


def _derivative(root: _Root, options: dict[str, Any]) -> _Root:
    """The derivative of a tensor by a leaf, so many times."""
    (tensor,) = root.tensors
    wrt = options.get("wrt")
    leaf = _only_leaf(root) if wrt is None else _place(wrt, root.names)
    if leaf is None:
        raise InputError(f"PyTorch has no leaf {wrt}", help="name one of the program's own variables: --wrt NAME")
    for _ in range(options["order"]):
        (tensor,) = torch().autograd.grad(tensor.sum(), [leaf], create_graph=True)
    return _Root([tensor], None, root.names)


def _only_leaf(root: _Root) -> Any:
    waiting, seen = [origin(root.tensors[0])[0]], set()
    while waiting:
        node = waiting.pop()
        if hasattr(node, "variable"):
            return node.variable
        seen.add(node)
        waiting += [to for to, _ in node.next_functions if to is not None and to not in seen]
    return None
