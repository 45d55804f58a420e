"""Weights that are made of others before each forward: hooks that nn.utils hangs on a module."""

from __future__ import annotations

from typing import Any

from ...engine.modes import mode, no_grad
from ...engine.offers import find
from ...engine.ops.loss import similarity
from ...engine.ops.make import converting, filled
from ...engine.ops.matrix import matmul
from ...engine.ops.nn import weight_norm
from ...engine.tensor import Tensor
from ...errors import EngineError, EngineTypeError, EngineValueError
from .. import init
from ..base.holder import Holder, member, type_name
from ..base.state import AFTER_SAVING, BEFORE_LOADING
from ..modules.module import Module, hang_hook
from ..parameter import Parameter, UninitializedParameter

_PRE_HOOKS = "_forward_pre_hooks"


class Reweighting:
    """A hook that makes a weight, of members of the module with its name and an ending."""

    word = ""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise EngineTypeError(f"the name of a weight is a string, not {type_name(name)}")
        self.name = name

    def part(self, module: Any, ending: str) -> Any:
        """One of what the weight is made of."""
        return member(module, f"{self.name}_{ending}")

    def weight(self, module: Any, training: bool) -> Any:
        """The weight."""
        raise NotImplementedError

    def remove(self, module: Any) -> None:
        """Leave the weight as a parameter of its own."""
        raise NotImplementedError

    def __call__(self, module: Any, inputs: Any) -> None:
        module.__dict__[self.name] = self.weight(checked(module), module.training)


def hang(hook: Reweighting, module: Any) -> Any:
    """Hang a hook on a module that has none of its kind for the same weight."""
    for other in checked(module).__dict__[_PRE_HOOKS].values():
        if type(other) is type(hook) and other.name == hook.name:
            raise EngineError(f"Cannot register two {hook.word} hooks on the same parameter {hook.name}")
    weight = module.__dict__["_parameters"].get(hook.name)
    if isinstance(weight, UninitializedParameter):
        raise EngineValueError(
            f"The module passed to `{type(hook).__name__}` can't have uninitialized parameters. Make sure to run the "
            f"dummy forward before applying {hook.word.replace('_norm', ' normalization').replace('_', ' ')}"
        )
    return weight


def unhang(kind: type[Reweighting], module: Any, name: str) -> Any:
    """Take a hook off a module again."""
    hooks = checked(module).__dict__[_PRE_HOOKS]
    for number, hook in hooks.items():
        if type(hook) is kind and hook.name == name:
            hook.remove(module)
            del hooks[number]
            return module
    raise EngineValueError(f"{kind.word} of '{name}' not found in {module}")


def checked(module: Any) -> Any:
    """A module, or PyTorch's complaint about what is none."""
    if not isinstance(module, Module):
        raise EngineTypeError(f"{type_name(module)} is not a Module subclass")
    return module


def _take(module: Any, *names: str) -> None:
    """Take members, and what was made of them, out of a module."""
    for name in names:
        Holder.__delattr__(module, name)


class WeightNorm(Reweighting):
    """A weight as a length times a direction."""

    word = "weight_norm"

    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = -1 if dim is None else dim

    def apply(self, module: Any) -> None:
        """Put a length and a direction in the place of a weight."""
        hang(self, module)
        weight: Any = member(module, self.name)
        del module.__dict__["_parameters"][self.name]
        length = Parameter(weight_norm.norm_except_dim(weight, 2, self.dim).data)
        Module.register_parameter(module, f"{self.name}_g", length)
        Module.register_parameter(module, f"{self.name}_v", Parameter(weight.data))
        module.__dict__[self.name] = self.weight(module, True)
        # It is a hook of ours: it is not called through an interpreter.
        hang_hook(module, "_forward_pre_hooks", self, False)

    def weight(self, module: Any, training: bool) -> Any:
        """The weight."""
        return weight_norm.weight_norm(self.part(module, "v"), self.part(module, "g"), self.dim)

    def remove(self, module: Any) -> None:
        """Leave the weight as a parameter of its own."""
        weight = self.weight(module, True)
        _take(module, self.name, f"{self.name}_g", f"{self.name}_v")
        Module.register_parameter(module, self.name, Parameter(weight.data))


class SpectralNorm(Reweighting):
    """A weight divided by its largest singular value, which a power iteration follows."""

    word = "spectral_norm"

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__(name)
        check_iterations(n_power_iterations)
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def matrix(self, weight: Any) -> Any:
        """The weight as a matrix."""
        weight = dim_first(weight, self.dim)
        return weight.reshape(weight.shape[0], -1)

    def apply(self, module: Any) -> None:
        """Keep a weight aside, with the vectors of the power iteration."""
        weight = hang(self, module)
        if self.name not in module.__dict__["_parameters"]:
            raise KeyError(self.name)
        if weight is None:
            raise EngineValueError(f"`SpectralNorm` cannot be applied as parameter `{self.name}` is None")
        with no_grad():
            vectors = [unit_noise(weight, n, self.eps) for n in self.matrix(weight).shape]
        _take(module, self.name)
        Module.register_parameter(module, f"{self.name}_orig", weight)
        module.__dict__[self.name] = weight.data
        for ending, vector in zip("uv", vectors, strict=True):
            Module.register_buffer(module, f"{self.name}_{ending}", vector)
        hang_hook(module, "_forward_pre_hooks", self, False)
        hang_hook(module, AFTER_SAVING, SpectralVersion(self), False)
        hang_hook(module, BEFORE_LOADING, OldSpectralState(self), False)

    def weight(self, module: Any, training: bool) -> Any:
        """The weight."""
        weight, u, v = (self.part(module, ending) for ending in ("orig", "u", "v"))
        matrix = self.matrix(weight)
        if training:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(similarity.normalize(matmul.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(similarity.normalize(matmul.mv(matrix, v), dim=0, eps=self.eps))
                noted_as_kept(weight, u, v)
                u, v = converting.clone(u), converting.clone(v)
        return weight / matmul.dot(u, matmul.mv(matrix, v))

    def remove(self, module: Any) -> None:
        """Leave the weight as a parameter of its own."""
        with no_grad():
            weight = self.weight(module, False)
        _take(module, *[f"{self.name}{ending}" for ending in ("", "_u", "_v", "_orig")])
        Module.register_parameter(module, self.name, Parameter(weight.detach()))
        for table, kind in ((AFTER_SAVING, SpectralVersion), (BEFORE_LOADING, OldSpectralState)):
            hooks = module.__dict__[table]
            for number, hook in list(hooks.items()):
                if isinstance(hook, kind) and hook.of.name == self.name:
                    del hooks[number]


class SpectralVersion:
    """A hook that notes in a state that the second vector of a power iteration is in it."""

    def __init__(self, of: SpectralNorm) -> None:
        self.of = of

    def __call__(self, module: Any, state: Any, prefix: str, metadata: dict[str, Any]) -> None:
        metadata.setdefault(SpectralNorm.word, {})[f"{self.of.name}.version"] = 1


class OldSpectralState:
    """A hook that finds that vector for a state in which there is the weight instead."""

    def __init__(self, of: SpectralNorm) -> None:
        self.of = of

    def __call__(
        self, module: Any, state: Any, prefix: str, metadata: Any, strict: bool, missing: list[str], *others: Any
    ) -> None:
        name = self.of.name
        key = prefix + name
        noted = metadata.get(SpectralNorm.word)
        version = noted.get(f"{name}.version") if isinstance(noted, dict) else None
        whole = key not in state and all(f"{key}_{part}" in state for part in ("orig", "u", "v"))
        if (isinstance(version, int) and version >= 1) or (version is None and whole):
            return
        needed = (f"{key}_orig", key, f"{key}_u")
        absent = [wanted for wanted in needed if not isinstance(state.get(wanted), Tensor)]
        if absent:
            missing.extend(absent if strict else ())
            return
        with no_grad():
            scale = (state[f"{key}_orig"] / state.pop(key)).mean()
            matrix, u = self.of.matrix(state[f"{key}_orig"]), state[f"{key}_u"]
            inverse = find("linalg", "pinv")(matrix.t() @ matrix)
            v = (inverse @ (matrix.t() @ u.unsqueeze(1))).squeeze(1)
            state[f"{key}_v"] = v.mul_(scale / matmul.dot(u, matmul.mv(matrix, v)))


def noted_as_kept(source: Any, *vectors: Any) -> None:
    """Note that a layer keeps vectors that it made of ``source``, for which no gradient is meant."""
    if mode.tape is not None:
        for vector in vectors:
            mode.tape.keeps(vector, source)


def check_iterations(count: int) -> None:
    """Refuse a power iteration of no steps."""
    if count <= 0:
        raise EngineValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={count}")


def dim_first(weight: Any, dim: int) -> Any:
    """A weight with one of its axes before the others."""
    return weight.permute(dim, *[d for d in range(weight.dim()) if d != dim]) if dim else weight


def unit_noise(weight: Any, n: int, eps: float) -> Any:
    """A random vector of length 1."""
    noise: Any = filled.empty(n, dtype=weight.dtype)
    return similarity.normalize(init.normal_(noise, 0, 1), dim=0, eps=eps)
