"""The graph that PyTorch records for a function of somebody's own: ``trace --python`` and ``export-dot --python``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import InputError, Source
from ...spec.input.named_inputs import Binding, bindings, is_binding
from ...spec.input.source import Spec
from ..process import tell_warning
from .jobs import LIMITS, refuse_options
from .wanted import EXAMPLE, PythonTarget, divided

if TYPE_CHECKING:
    from ...graph.view.view import View
    from ..confined import Inside, Printed
    from ..parsing.command import Given

    T = TypeVar("T")

_OF_SPECS = ("backward", "dtype", "expression", "file", "limits", "max_steps", "max_elements", "max_source",
             "max_output", "no_wall", "output")  # fmt: skip


class PythonRequest:
    """A function that a command line names, with its inputs; nothing of it is imported yet."""

    def __init__(self, target: PythonTarget, given: Sequence[Binding], seed: int, limits: Any) -> None:
        self.target = target
        self.bindings = given
        self.seed = seed
        self.limits = limits
        place, _ = divided(target.text)
        self.spec = Spec(Source(target.text, ""), False, None, place if os.path.isfile(place) else None)

    def done(self, act: Callable[[Inside, T], Any], argument: T, printed: Printed = str) -> tuple[Any, str]:
        """Do something with the function in a process of its own."""
        from ..confined import Task, done

        return done(Task(act, argument, self.limits, (), False, own_code=True), printed, tell_warning)

    def view(self, options: dict[str, Any], started: object) -> View:
        """The graph behind what the function returns for its inputs."""
        from .worker import ended, printing

        try:
            with printing():
                return _view(self, options)
        except (SystemExit, KeyboardInterrupt) as error:
            raise ended(error) from None


def request(given: Given) -> PythonRequest:
    """The function that a command line means."""
    refuse_options(given, _OF_SPECS)
    words = given.arguments
    data = [text[1:] for text in words if text.startswith("@")]
    inputs = [text for text in words if is_binding(text) and not text.startswith("@")]
    targets = [text for text in words if not is_binding(text) and not text.startswith("@")]
    if len(targets) != 1 or len(data) > 1:
        raise given.misuse("--python takes one function", help=EXAMPLE)
    divided(targets[0])
    limits = LIMITS
    if "timeout" in given.options:
        limits = limits.replace(seconds=given.options["timeout"])
    if "max_memory" in given.options:
        limits = limits.replace(memory=given.options["max_memory"] * 10**6)
    held = tuple(given.get("no_grad", ()))
    target = PythonTarget(targets[0], train="train" in given.options, data=data[0] if data else None, held=held)
    return PythonRequest(target, bindings([*inputs, *given.get("input", [])]), given.get("seed", 0), limits)


def _view(asked: PythonRequest, options: dict[str, Any]) -> View:
    from ...check.foreign.border import raised_there, said, theirs
    from ...check.foreign.choose import libraries_of
    from ...check.foreign.pytorch import is_module, torch
    from ...check.foreign.with_torch import TorchLibrary
    from ...graph.view.collect import collect
    from ...graph.view.recorded import recording
    from ...graph.view.tensors import origin
    from .inputs import cases
    from .load import loaded
    from .worker import made, seeded

    seeded(asked.seed)
    module, function = loaded(asked.target.text)
    function = made(function, asked.target.text)
    if isinstance(function, type) and hasattr(function, "apply") and hasattr(function, "backward"):
        function = function.apply
    seeded(asked.seed)
    _, inputs = next(cases(asked.target, module, function, asked.bindings, asked.seed, asked.limits))
    name = asked.target.text.rpartition(":")[2]
    if not is_module(function) and "torch" not in libraries_of(function):
        help = "gradcli check --python judges functions of NumPy and JAX"
        raise InputError(f"{name} records no graph: its module has no PyTorch", help=help, code="G114")
    library = TorchLibrary(function, inputs, name, dtype="own", train=asked.target.train, held=asked.target.held)
    _as_parameters(library)
    leaves = library.leaves()
    try:
        with torch().enable_grad(), recording():
            found = [y for y in library.run(leaves) if getattr(y, "requires_grad", False)]
            root: Any = found
            if "order" in options and found:
                root = [_derivative(library, found, leaves, options, theirs)]
    except raised_there() as error:
        words = f"{library.name} stops: {said(error)}{library.arguments.doubt}"
        raise InputError(words, help="it is called with the inputs that were given: it must run there") from error
    if not found:
        words = f"there is no graph: nothing that {library.name} returns was computed from what requires a gradient"
        raise InputError(words, help="return a tensor that was computed from an input", code="G114")
    names = {origin(x)[0]: name for name, x in zip(library.inputs, leaves, strict=True)}
    view = collect(root if len(root) > 1 else root[0], names=names)
    view.spec = asked.target.text
    view.root_name = library.name if "order" not in options else f"derivative {options['order']} of {library.name}"
    view.title = view.root_name
    return view


def _as_parameters(library: Any) -> None:
    """Give the inputs the precision of a module's parameters, or else PyTorch's usual one."""
    own = [x for x in library.own[len(library.moved) :] if x.is_floating_point]
    usual = own[0] if own else library.torch.get_default_dtype()
    for i, dtype in enumerate(library.own[: len(library.moved)]):
        library.dtypes[i] = dtype if dtype.is_complex else usual
    for i, x in enumerate(library.arguments.values):
        if hasattr(x, "is_floating_point") and x.is_floating_point():
            library.arguments.values[i] = x.to(usual)


def _derivative(
    library: Any, found: list[Any], leaves: list[Any], options: dict[str, Any], theirs: Callable[..., Any]
) -> Any:
    """The gradient of the sum of what was returned by one input, so many times."""
    wrt = options.get("wrt")
    if wrt is None and len(leaves) > 1:
        help = f"add --wrt NAME: {', '.join(library.inputs)}"
        raise InputError(f"{library.name} has {len(leaves)} inputs to differentiate by", help=help)
    if wrt is not None and wrt not in library.inputs:
        raise InputError(f"{library.name} has no input '{wrt}'", help=f"inputs are {', '.join(library.inputs)}")
    leaf = leaves[library.inputs.index(wrt) if wrt is not None else 0]
    root = sum(y.sum() for y in found)
    for _ in range(options["order"]):
        (root,) = theirs(library.torch.autograd.grad, root.sum(), [leaf], create_graph=True)
    return root
