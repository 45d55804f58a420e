"""A spec run by PyTorch itself, for ``gradcli diff SPEC --torch``: its graph, and the gradients in it."""

from __future__ import annotations

import ast
import builtins
import os
import re
import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from io import StringIO
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...check.foreign.border import raised_there, said, theirs
from ...check.foreign.pytorch import is_module, is_tensor, torch
from ...errors import GradcliError, InputError
from ...graph.json import to_json
from ...graph.view.collect import collect
from ...graph.view.recorded import recording
from ...graph.view.tensors import origin
from ...spec.guard.limits import Limits
from ...spec.input.beside import package_of
from ...spec.input.named_inputs import Binding, value_of
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
    if every.freed and not every.done:
        every = _Backwards(keep=True)
        root = _run(program, every, asked)
    number = request.chosen.get("backward", len(every.done))
    if not chosen and 0 < number <= len(every.done):
        # An optimiser may have written to the weights since: the graph is read where its backward begins.
        again = _Backwards(every.done[number - 1], lambda root: _collected(root, asked))
        _run(program, again, asked)
        if again.read is not None:
            return again.read, number
    return _collected(_derivative(root, asked.options) if "order" in asked.options else root, asked), len(every.done)


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
        # How many were begun, and which of them were done.
        self.begun = 0
        self.done: list[int] = []
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
        self.done.append(self.begun)


def _run(program: Program, backwards: _Backwards, asked: Asked) -> _Root:
    """Run a program as Python runs a file; the tensor that it is about where it calls no backward."""
    module = torch()
    seeded(program.seed)
    module.set_default_dtype(module.float64 if str(program.dtype).endswith("float64") else module.float32)
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "spec.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ast.unparse(_completed(program)))
        _write_modules(program, folder)
        sys.argv[:] = [program.source.name, *program.args]
        sys.path.insert(0, folder)
        try:
            with backwards.watched(), module.enable_grad(), recording():
                names = theirs(runpy.run_path, path, _given(program), "__main__")
        except raised_there() as error:
            raise InputError(f"PyTorch stops: {said(error)}", help=_HELP) from error
    return _meant(names.get(_VALUE), names, asked)


def _write_modules(program: Program, folder: str) -> None:
    """Put the modules beside a program into the folder that it runs in."""
    for name, source in program.spec.beside:
        if isinstance(source, GradcliError):
            continue
        place = os.path.join(folder, *name.split("."))
        if package_of(name, source) == name:
            os.makedirs(place, exist_ok=True)
            place = os.path.join(place, "__init__")
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(f"{place}.py", "w", encoding="utf-8") as file:
            file.write(source.text)


def _completed(program: Program) -> ast.Module:
    """The program, with its inputs before it, and its value kept under a name."""
    body = program.tree.body
    first = next((at for at, each in enumerate(body) if not _is_of_head(each)), len(body))
    inputs = [_assigned(each.name, _call(_INPUT, ast.Constant(each.name), _written(each))) for each in program.bindings]
    rest, last = body[first:], body[-1]
    if program.spec.target is not None:
        given = ast.Dict([ast.Constant(each.name) for each in program.bindings],
                         [ast.Name(_GIVEN + each.name) for each in program.bindings])  # fmt: skip
        # They are given as they were, whatever the file has under their names.
        pairs = zip(program.bindings, inputs, strict=True)
        inputs = [_assigned(_GIVEN + each.name, made.value) for each, made in pairs]
        rest = [*rest, _assigned(_VALUE, _call(_PICKED, ast.Name(program.spec.target), given))]
    elif isinstance(last, ast.Expr) and rest:
        rest = [*rest[:-1], _assigned(_VALUE, last.value)]
    return ast.fix_missing_locations(ast.Module([*body[:first], *inputs, *rest], []))


# The names of what is added to a program.
_VALUE, _INPUT, _PICKED, _GIVEN = "_gradcli_value", "_gradcli_input", "_gradcli_picked", "_gradcli_given_"


def _is_of_head(statement: ast.stmt) -> bool:
    """Tell whether a statement has to stand first."""
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _assigned(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name)], value)


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name), [*args], [])


def _written(each: Binding) -> ast.expr:
    """The expression of an input; a file is read beforehand."""
    return ast.Constant(None) if each.text.startswith("@") else ast.parse(each.text.strip(), mode="eval").body


def _given(program: Program) -> dict[str, Any]:
    """The names that a program need not import, of those that it reads, and those that were added to it."""
    module = torch()
    read = {node.id for node in ast.walk(_completed(program)) if isinstance(node, ast.Name)}
    names: dict[str, Any] = {}
    for name in sorted(read):
        if name in PREBOUND:
            names[name] = theirs(import_module, PREBOUND[name])
        elif not hasattr(builtins, name) or (program.spec.inline and name in SHADOWED):
            found = getattr(module, name, None) or getattr(module.nn.functional, name, None)
            if found is not None:
                names[name] = _either(getattr(builtins, name, None), found)
    files = {each.name: each for each in program.bindings if each.text.startswith("@")}

    def made(name: str, value: Any) -> Any:
        if name in files:
            value = value_of(files[name], lambda source: None, max_bytes=program.limits.memory)
        return _input(value, name in program.no_grad)

    return {**names, _INPUT: made, _PICKED: _picked}


def _either(builtin: Any, op: Any) -> Any:
    """A name of an expression that is both: the op for a tensor, the builtin for all else."""
    if builtin is None:
        return op
    return lambda *args, **named: (op if args and is_tensor(args[0]) else builtin)(*args, **named)


def _input(value: Any, constant: bool) -> Any:
    """An input as PyTorch's tensor."""
    module = torch()
    if isinstance(value, (bool, str)) or (constant and isinstance(value, (int, float))):
        return value
    if not is_tensor(value):
        if not isinstance(value, (int, float, list, tuple, np.ndarray)):
            return value
        value = module.as_tensor(value)
        if value.is_floating_point() or (value.dtype is module.int64 and not constant):
            value = value.to(module.get_default_dtype())
    return value.detach().requires_grad_() if value.is_floating_point() and not constant else value


def _picked(found: Any, given: dict[str, Any]) -> Any:
    """The result of ``FILE::name``."""
    if isinstance(found, type) and hasattr(found, "apply"):
        return found.apply(*given.values())
    return found(**given)


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


# A name, what is asked of it, and an index: ``net.layers[0].w``.
_PARTS = re.compile(r"\[-?\d+\]|[^.\[\]]+")


def _place(name: str, names: dict[str, Any]) -> Any:
    """The tensor of a name, such as ``loss``, ``net.fc1.weight`` or ``losses[0]``; None where there is none."""
    base, *path = _PARTS.findall(name)
    found: Any = names.get(base)
    try:
        for part in path:
            key = part.strip("[]")
            found = found[int(key)] if part[0] == "[" else theirs(getattr, found, part)
    except raised_there(LookupError, TypeError, ValueError):
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
