"""Models as functions of tuples of tensors, as PyTorch had them before torch.func."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from ..engine.ops.shape.joining import stack
from ..errors import EngineError, EngineValueError
from ..func import functional_call
from ..nn.modules.module import Module

Tensors = tuple[Any, ...]


class _Functional(Module):
    """A model as a function of tensors that are given in order, each of them for all names that it has there."""

    def __init__(self, model: Any, *held: tuple[str, Any]) -> None:
        super().__init__()
        self.stateless_model = model
        self._names = held

    @classmethod
    def _taken(cls, model: Any, kinds: Sequence[str], untracked: bool) -> tuple[Any, ...]:
        """The function of a copy of a model, and the tensors of each kind."""
        twin = deepcopy(model)
        parts = [dict(getattr(twin, f"named_{kind}")()) for kind in kinds]
        if untracked:
            for x in parts[0].values():
                x.requires_grad_(False)
        return cls(twin, *map(tuple, parts)), *[tuple(part.values()) for part in parts]

    def _called(self, held: Sequence[Tensors], args: Any, kwargs: Any) -> Any:
        given: dict[str, Any] = {}
        for names, tensors in zip(self._names, held, strict=True):
            given.update(zip(names, tensors, strict=True))
        return functional_call(self.stateless_model, given, args, kwargs)


class FunctionalModule(_Functional):
    """A model as a function of its parameters."""

    def forward(self, params: Tensors, *args: Any, **kwargs: Any) -> Any:
        """Call the model with these parameters."""
        return self._called([params], args, kwargs)


class FunctionalModuleWithBuffers(_Functional):
    """A model as a function of its parameters and buffers."""

    def forward(self, params: Tensors, buffers: Tensors, *args: Any, **kwargs: Any) -> Any:
        """Call the model with these parameters and buffers."""
        return self._called([params, buffers], args, kwargs)


def make_functional(model: Any, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, Tensors]:
    """A model as a function of its parameters, and these."""
    if any(True for _ in model.buffers()):
        raise EngineError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    return FunctionalModule._taken(model, ["parameters"], disable_autograd_tracking)


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """A model as a function of its parameters and buffers, and these."""
    kinds = ["parameters", "buffers"]
    return FunctionalModuleWithBuffers._taken(model, kinds, disable_autograd_tracking)


def combine_state_for_ensemble(models: Sequence[Any]) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """Several models of one kind as one function, and what each of its tensors is in all of them, stacked."""
    if not models:
        raise EngineError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise EngineError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise EngineError("combine_state_for_ensemble: Expected all models to be of the same class.")
    functions, parameters, buffers = zip(*map(make_functional_with_buffers, models), strict=True)
    return functions[0], _stacked(parameters), _stacked(buffers)


def _stacked(each: Sequence[Tensors]) -> Tensors:
    return tuple([stack(list(parts), 0).detach() for parts in zip(*each, strict=True)])


def _initial(kinds: Sequence[str]) -> Callable[..., Any]:
    """Makes models of a class by the arguments of its constructor: their tensors, and the function of those."""

    def init(model_class: Any, ensemble_shape: Sequence[int] = (), device: Any = "cpu") -> Callable[..., Any]:
        def made(*args: Any, **kwargs: Any) -> Any:
            if len(ensemble_shape) > 1:
                raise EngineValueError("NYI: ensemble_shape with more than 1 element")
            if ensemble_shape and ensemble_shape[0] <= 0:
                raise EngineValueError(f"num_models {ensemble_shape[0]} should be > 0")
            models = [model_class(*args, **kwargs).to(device) for _ in range(*ensemble_shape or (1,))]
            each = [_Functional._taken(model, kinds, False) for model in models]
            function, *held = each[0]
            if ensemble_shape:
                held = [_stacked(parts) for parts in list(zip(*each, strict=True))[1:]]
            names = function._names

            def call(*given: Any) -> Any:
                return function._called(given[:-1], given[-1], {})

            if len(kinds) == 1:
                return held[0], call, names[0]
            return *held, call, *names

        return made

    return init


functional_init = _initial(["parameters"])
functional_init_with_buffers = _initial(["parameters", "buffers"])
