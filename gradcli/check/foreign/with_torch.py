"""Functions of PyTorch's tensors, differentiated by its autograd: functions, custom Functions, modules."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InputError
from ...graph.view.reach import reachable
from ..arrays import Array
from ..replay.recorded_graph import equal
from .arguments import Arguments, name_of
from .border import raised_there, said, theirs
from .function import Library, Misshapen, Refused
from .pytorch import is_module, is_tensor, tensor_of, torch
from .training import training

# For fewer points, so many are a line's, vmap takes longer than to call the function for each.
_FEW = 9

# What PyTorch says of a backward that returns no gradients of its inputs.
_NO_GRADIENTS = (
    "invalid gradient", "incorrect number of gradients", "expected Variable or None",
)  # fmt: skip
# What takes its matrix to be symmetric, and reads one half of it.
_OF_SYMMETRIC = frozenset({"LinalgCholeskyExBackward0", "CholeskyBackward0", "LinalgEighBackward0"})
_COMPLEX = "isFloatingType(grad.scalar_type())"


class TorchLibrary(Library):
    """A function of tensors, or a module with its parameters; all is computed in double precision where that works.

    ``dtype``: "float64", or "own" for the dtypes that were given. ``numbers``: what was given as numbers, no tensors.
    """

    def __init__(
        self, function: Any, given: Any, name: str = "", *, dtype: str = "float64", train: bool = False,
        numbers: Sequence[Any] = (), held: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.torch = torch()
        self.function: Any = function
        self.module: Any = function if is_module(function) else None
        self.name = name or name_of(function)
        self.double = dtype == "float64"
        self.arguments = Arguments(function if self.module is None else self.module.forward, self.name, given)
        values = [tensor_of(x) if isinstance(x, np.ndarray) else x for x in self.arguments.values]
        self.arguments.values = values
        named = enumerate(zip(self.arguments.names, values, strict=True))
        floating = [i for i, (called, x) in named
                    if called not in held and is_tensor(x) and (x.is_floating_point() or x.is_complex())]  # fmt: skip
        asked = [i for i in floating if values[i].requires_grad]
        self.moved = asked or floating
        self.parameters: list[str] = []
        self.fixed: dict[str, Any] = {}
        leaves = [values[i] for i in self.moved]
        if self.module is not None:
            self.train = train
            for called, p in self.module.named_parameters():
                if p.requires_grad:
                    self.parameters.append(called)
                    leaves.append(p)
                else:
                    self.fixed[called] = p
            self.fixed |= dict(self.module.named_buffers())
        if not leaves:
            raise InputError(
                f"no input of {self.name} is a floating tensor: none can be moved",
                help="give tensors of floats: torch.tensor([1.0, 2.0])",
            )
        self.inputs = [*(self.arguments.names[i] for i in self.moved), *self.parameters]
        self.own = [x.dtype for x in leaves]
        self.dtypes = [self._dtype(x.dtype) for x in leaves]
        self.at = [_array(x.detach().to(d)) for x, d in zip(leaves, self.dtypes, strict=True)]
        self.fixed_places = [i for i, x in enumerate(values) if is_tensor(x) and i not in self.moved]
        # Whether random numbers have to begin anew with each call, as far as the first one shows.
        self.may_draw = True
        self.chosen: list[int] | None = None
        # The leaves and all outputs of the call that found these, for the first backward at the same point.
        self._first: tuple[Sequence[Array], list[Any], list[Any]] | None = None
        # Those of another call there, and the outputs of two calls with the names of inputs that one has changed.
        self._other: tuple[list[Any], list[Any]] | None = None
        self._twice: tuple[list[Array], list[Array], list[str]] | None = None
        self.needs_graph = False
        # Whether one call may be made for many points, as far as none was refused.
        self.can_batch = True
        self._was_batched = False
        # How gradients lie in memory that a backward is handed, if otherwise than usual.
        self._lay: Callable[[Any], Any] | None = None
        self._random = self.torch.get_rng_state()
        self.unit = max((self.torch.finfo(d).eps / 2 for d in self.dtypes), default=2.0**-53)
        self.constants: list[str] = []
        plain = {i for i in self.moved if any(values[i] is x for x in numbers)}
        if 0 < len(plain) < len(leaves):
            self._leave_constants(plain)

    def _leave_constants(self, plain: set[int]) -> None:
        """Move no numbers that get no gradient: beside tensors they are what no derivative is meant by."""
        try:
            moved, found = self.recorded(self.at)
            outputs = [y for y in found if is_tensor(y) and y.requires_grad]
            starts = [self.torch.ones_like(y) for y in outputs]
            made = theirs(self.torch.autograd.grad, outputs, moved, starts, allow_unused=True)
        except raised_there(Refused):
            # That is told when it is judged.
            return
        left = [k for k, g in enumerate(made) if g is not None or k >= len(self.moved) or self.moved[k] not in plain]
        self.constants = [called for k, called in enumerate(self.inputs) if k not in left]
        self.inputs, self.at = [self.inputs[k] for k in left], [self.at[k] for k in left]
        self.own, self.dtypes = [self.own[k] for k in left], [self.dtypes[k] for k in left]
        self.fixed_places += [i for k, i in enumerate(self.moved) if k not in left]
        self.moved = [i for k, i in enumerate(self.moved) if k in left]

    def _dtype(self, dtype: Any) -> Any:
        if not self.double:
            return dtype
        return self.torch.complex128 if dtype.is_complex else self.torch.float64

    def _wide(self, x: Any) -> Any:
        """A constant in the precision of all else."""
        if not is_tensor(x) or not (x.is_floating_point() or x.is_complex()):
            return x
        return x.detach().to(self._dtype(x.dtype)).clone()

    # -- calls ---------------------------------------------------------------------------------

    def reset(self) -> None:
        """Let PyTorch's random numbers begin anew, as they were when the check began."""
        self.torch.set_rng_state(self._random)

    def settle(self) -> None:
        """Leave all as an ordinary call leaves it: what a module keeps of a call for many points is of no use later."""
        if self._was_batched:
            try:
                self.run(self._given(self.at))
            except raised_there():
                # It has run there before: a call for many points has left something that it cannot take.
                self._was_batched = False
        self.reset()

    def run(self, leaves: Sequence[Any]) -> list[Any]:
        """All that the function returns for these tensors, in one list; the random numbers begin anew."""
        if self.may_draw:
            self.reset()
        full = list(self.arguments.values)
        for i in self.fixed_places:
            full[i] = self._wide(full[i])
        for i, x in zip(self.moved, leaves, strict=False):
            full[i] = x
        positional, named = self.arguments.of(full)
        if self.module is None:
            return list(_dense(theirs(self.function, *positional, **named)))
        state = {key: self._wide(x.detach().clone()) for key, x in self.fixed.items()}
        state |= dict(zip(self.parameters, leaves[len(self.moved) :], strict=True))
        with training(self.module, self.train):
            found = theirs(self.torch.func.functional_call, self.module, state, positional, named)
        return list(_dense(found))

    def tensors(self, arrays: Sequence[Any], graph: bool) -> list[Any]:
        """Arrays as tensors of their dtypes; leaves of a graph, where that is asked for."""
        made = []
        for a, dtype in zip(arrays, self.dtypes, strict=True):
            t = self.torch.from_numpy(np.array(a))
            if t.dtype is not dtype and not np.iscomplexobj(a):
                t = t.to(dtype)
            made.append(t.requires_grad_() if graph else t)
        return made

    def leaves(self) -> list[Any]:
        """The inputs and parameters as leaves of a graph, at the point."""
        return self.tensors(self.at, True)

    def call(self, arrays: Sequence[Array]) -> list[Array]:
        """The outputs that have a gradient."""
        if self.chosen is None:
            return self._numbers(self._choose(arrays))
        return self._numbers(self._called(arrays))

    def _called(self, arrays: Sequence[Array]) -> list[Any]:
        try:
            found = self.run(self._given(arrays))
        except raised_there() as error:
            raise Refused(f"{self.name} stops: {said(error)}{self.arguments.doubt}") from error
        self._was_batched = False
        return found

    def _numbers(self, found: Sequence[Any]) -> list[Array]:
        """The numbers of the outputs that have a gradient, of all that a call returned."""
        try:
            return [_array(found[i].detach()) for i in self.chosen or ()]
        except (IndexError, AttributeError):
            raise Refused(f"{self.name} returns something else there") from None

    def many(self, arrays: Sequence[Array], moved: Sequence[bool], count: int) -> list[Array] | None:
        """The outputs at many points by vmap, for a function that draws nothing and goes one way for all of them."""
        if not self.can_batch or self.needs_graph or self.may_draw or count < _FEW:
            return None
        in_dims = tuple(0 if m else None for m in moved)
        batched = self.torch.func.vmap(lambda *leaves: [self.run(leaves)[i] for i in self.chosen or ()], in_dims)
        self._was_batched = True
        try:
            # What a call for many points warns of is no matter of the function, or was said at its first call.
            with self.torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = batched(*self.tensors(arrays, False))
            return [_array(y) for y in found]
        except raised_there(RuntimeError, ValueError):
            # vmap itself refuses what depends on single numbers, and Functions without a rule for it.
            self.can_batch = False
            return None

    def _given(self, arrays: Sequence[Array]) -> list[Any]:
        leaves = self.tensors(arrays, self.needs_graph)
        # A leaf must not be written to, and a function that does so is found in another way.
        return [x.clone() for x in leaves] if self.needs_graph else leaves

    def _choose(self, arrays: Sequence[Array]) -> list[Any]:
        """Find the outputs that have a gradient, and whether the function needs a graph to be called at all.

        Returned is what it returns when it is called as it will be.
        """
        leaves, found = self.recorded(arrays)
        self.chosen = [
            i for i, y in enumerate(found)
            if is_tensor(y) and y.requires_grad and (y.is_floating_point() or y.is_complex())
        ]  # fmt: skip
        if not self.chosen:
            raise InputError(
                f"there is no gradient of {self.name} to check: nothing that it returns was computed from what "
                "requires one",
                help="return a tensor that was computed from an input, outside no_grad() and detach()",
                code="G114",
            )
        self.unit = max(self.unit, *(self.torch.finfo(found[i].dtype).eps / 2 for i in self.chosen))
        self._first = [np.array(a) for a in arrays], leaves, found
        given = self._given(arrays)
        try:
            plain = self.run(given)
        except raised_there():
            self.needs_graph = True
            plain = found
        else:
            after = [_array(x.detach()) for x in given]
            touched = [name for name, a, b in zip(self.inputs, arrays, after, strict=True) if not equal(a, b)]
            self._twice = self._numbers(found), self._numbers(plain), touched
        self.may_draw = self.draws
        return plain

    def recorded(self, arrays: Sequence[Array]) -> tuple[list[Any], list[Any]]:
        """Leaves of a graph, and all that the function returns for them."""
        leaves = self.tensors(arrays, True)
        try:
            with self.torch.enable_grad():
                return leaves, self.run([x.clone() for x in leaves])
        except raised_there() as error:
            raise Refused(f"{self.name} stops: {said(error)}{self.arguments.doubt}") from error

    def dropping(self) -> list[str]:
        """The modules in training mode that drop numbers at random."""
        if self.module is None or not self.train:
            return []
        return [
            f"{type(m).__name__} '{called}'" if called else type(m).__name__
            for called, m in self.module.named_modules()
            if "Drop" in type(m).__name__ and getattr(m, "p", 0) > 0
        ]

    def recorded_here(self) -> tuple[list[Any], list[Any]]:
        """The same at the point itself, of a call that may have been made already."""
        return self.recorded(self.at) if self._other is None else self._other

    def reads_halves(self) -> bool:
        """Tell whether PyTorch alone differentiates it, and a factorisation of a symmetric matrix is on the way."""
        if not self.is_composed:
            return False
        roots = [x.grad_fn for x in self.recorded_here()[1] if x.grad_fn is not None]
        return any(node.name() in _OF_SYMMETRIC for root in roots for node in reachable(root))

    def written(self, arrays: Sequence[Array]) -> tuple[list[Array], list[str]]:
        """The outputs for these inputs, and the names of those inputs that the call has changed."""
        twice, self._twice = self._twice, None
        if twice is not None:
            first, second, touched = twice
            if all(map(equal, first, second)) or not all(map(equal, first, self._numbers(self.recorded(arrays)[1]))):
                # There were two calls already; where no graph is recorded, other numbers may come of another way.
                return first, touched
        leaves = [x.clone() for x in self.tensors(arrays, self.needs_graph)]
        before = [x.detach().clone() for x in leaves]
        try:
            found = self.run(leaves)
        except raised_there() as error:
            raise Refused(f"{self.name} stops: {said(error)}") from error
        pairs = zip(self.inputs, before, leaves, strict=True)
        return self._numbers(found), [called for called, a, b in pairs if not equal(_array(a), _array(b.detach()))]

    @property
    def draws(self) -> bool:
        """True of a function that draws random numbers, as far as its last call shows."""
        return not self.torch.equal(self._random, self.torch.get_rng_state())

    def pulled(self, arrays: Sequence[Array]) -> Callable[[Sequence[Array | None]], list[Array | None]]:
        """The backward of autograd at a point."""
        first, self._first = self._first, None
        if first is not None and all(map(np.array_equal, first[0], arrays)):
            leaves, found = first[1:]
        else:
            leaves, found = self.recorded(arrays)
            if all(map(np.array_equal, arrays, self.at)):
                self._other = leaves, found
        outputs = [found[i] for i in self.chosen or ()]

        def pull(weights: Sequence[Array | None]) -> list[Array | None]:
            pairs = [(y, w) for y, w in zip(outputs, weights, strict=True) if w is not None and y.requires_grad]
            if not pairs:
                return [None] * len(leaves)
            starts = [self.torch.from_numpy(np.array(w)).to(y.dtype).reshape(y.shape) for y, w in pairs]
            if self._lay is not None:
                starts = list(map(self._lay, starts))
            made = self.gradients([y for y, _ in pairs], leaves, starts)
            return [None if g is None else _array(g.detach()) for g in made]

        return pull

    def taken_sliced(self, pull: Callable[[], list[Array | None]]) -> list[Array | None] | None:
        """Return what is pulled where gradients are slices of something larger; None where the backward stops at it."""
        self._lay = sliced
        try:
            return pull()
        except (InputError, Misshapen):
            # What stops in any case is told where it is pulled as usual.
            return None
        finally:
            self._lay = None

    def pushed(self, arrays: Sequence[Array], tangents: Sequence[Array | None]) -> list[Array] | None:
        """The tangents that PyTorch's forward mode finds."""
        mode = self.torch.autograd.forward_ad
        with warnings.catch_warnings():
            # PyTorch's own, when its forward mode is first used.
            warnings.simplefilter("ignore", DeprecationWarning)
            with mode.dual_level():
                mode.make_dual(self.torch.zeros(1), self.torch.zeros(1))
        with self.torch.no_grad(), mode.dual_level():
            leaves = [
                x if t is None else mode.make_dual(x, self.torch.from_numpy(np.array(t)).to(x.dtype))
                for x, t in zip(self.tensors(arrays, False), tangents, strict=True)
            ]
            found = self.run(leaves)
            pairs = [mode.unpack_dual(found[i]) for i in self.chosen or ()]
        return [_array(self.torch.zeros_like(y) if t is None else t) for y, t in pairs]

    def gradients(self, outputs: Sequence[Any], leaves: Sequence[Any], starts: Sequence[Any]) -> Sequence[Any]:
        """Ask autograd for the gradients; a backward that stops says why."""
        try:
            made: Sequence[Any] = theirs(
                self.torch.autograd.grad, outputs, leaves, starts, retain_graph=True, allow_unused=True
            )
        except raised_there() as error:
            words = str(error)
            if any(part in words for part in _NO_GRADIENTS):
                raise Misshapen(words.split("\n", 1)[0]) from error
            if _COMPLEX in words:
                raise Misshapen(f"the backward of {self.name} gives a real input a complex gradient") from error
            raise stopped(self.name, error) from error
        return made


def stopped(name: str, error: BaseException) -> InputError:
    """The error of a backward that does not come to an end."""
    words = f"the backward of {name} stops: {said(error)}"
    return InputError(words, help="a check needs a backward that runs at the given point")


def _array(x: Any) -> Array:
    """The numbers of a tensor; of one that NumPy has no dtype for in float32."""
    if x.layout is not sys.modules["torch"].strided:
        x = x.to_dense()
    if x.dtype.itemsize == 2 and not x.is_complex():
        x = x.float()
    if not x.is_cpu:
        x = x.cpu()
    return np.array(x.numpy(force=True) if x.is_conj() or x.is_neg() else x.numpy())


def sliced(x: Any) -> Any:
    """The same numbers beside others in something larger."""
    if x.dim() == 0:
        return x
    larger = x.new_full((*x.shape[:-1], 2 * x.shape[-1] + 1), float("nan"))
    larger[..., 1::2] = x
    return larger[..., 1::2]


def _dense(value: Any) -> Iterator[Any]:
    """The same, with all of their numbers where most were left out."""
    for y in _flat(value):
        yield y.to_dense() if is_tensor(y) and y.layout is not sys.modules["torch"].strided else y


def _flat(value: Any) -> Iterator[Any]:
    """The tensors in what a function returns."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _flat(each)
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _flat(each)
    else:
        yield value
