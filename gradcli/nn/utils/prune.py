"""torch.nn.utils.prune: masks on parameters, which a module multiplies them with before each call.

Programs in the spec language run this file as it stands, and Python does.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from ...engine.ops.make.filled import ones_like, zeros_like
from ...engine.ops.make.random import rand, rand_like
from ...engine.ops.shape.joining import cat


class BasePruningMethod(ABC):
    """A way of choosing what stays of a parameter; it hangs on the module as a hook before forward."""

    _tensor_name: Any = None
    PRUNING_TYPE: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask of a tensor, part of which is masked already."""

    def apply_mask(self, module: Any) -> Any:
        """The parameter times its mask."""
        self._check_pruned(module)
        mask, orig = (getattr(module, f"{self._tensor_name}_{part}") for part in ("mask", "orig"))
        return mask.to(dtype=orig.dtype) * orig

    def _check_pruned(self, module: Any) -> None:
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Prune a parameter of a module, which may be pruned already."""
        before = [key for key, hook in module._forward_pre_hooks.items() if _is_on(hook, name)]
        if len(before) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a "
                "PruningContainer."
            )
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        if before:
            method = _together(module._forward_pre_hooks.pop(before[0]), method)
        orig = getattr(module, name)
        scores = orig if importance_scores is None else importance_scores
        if scores.shape != orig.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{scores.shape} vs {orig.shape}"
            )
        default = getattr(module, f"{name}_mask").detach().clone() if before else ones_like(orig)
        if not before:
            module.register_parameter(f"{name}_orig", orig)
            del module._parameters[name]
        hung = False
        try:
            module.register_buffer(f"{name}_mask", method.compute_mask(scores, default_mask=default))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
            hung = True
        finally:
            if not (hung or before):
                module.register_parameter(name, module._parameters.pop(f"{name}_orig"))
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """A tensor pruned, without a module."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        default = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Any) -> None:
        """Make what is left of the parameter the parameter."""
        self._check_pruned(module)
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        orig = module._parameters.pop(f"{name}_orig")
        orig.data = weight.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, orig)


def _is_on(hook: Any, name: str) -> bool:
    return isinstance(hook, BasePruningMethod) and hook._tensor_name == name


def _together(old: Any, method: BasePruningMethod) -> "PruningContainer":
    container = old if isinstance(old, PruningContainer) else PruningContainer(old)
    container.add_pruning_method(method)
    return container


class PruningContainer(BasePruningMethod):
    """Several ways of pruning one parameter, one after the other."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add another way."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer "
                f"{self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, index: Any) -> Any:
        return self._pruning_methods[index]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask after the last way, of what those before it have left."""
        method = self._pruning_methods[-1]
        left = _left(method, t, default_mask)
        mask = default_mask.to(dtype=t.dtype).clone()
        part = method.compute_mask(t[left], default_mask=default_mask[left])
        mask[left] = part.to(dtype=mask.dtype)
        return mask


def _left(method: Any, t: Any, mask: Any) -> Any:
    """The part that a way of pruning may choose from: an index."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    whole: list[Any] = [slice(None)] * t.dim()
    if method.PRUNING_TYPE == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        n = t.dim()
        dim = method.dim + n if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {n}")
        whole[dim] = mask.sum(dim=[d for d in range(n) if d != dim]) != 0
    elif method.PRUNING_TYPE != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    return tuple(whole)


# -- how much ------------------------------------------------------------------------------------


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, (int, float)):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if (not isinstance(amount, int) and not 0.0 <= float(amount) <= 1.0) or float(amount) < 0:
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
        )


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    if isinstance(amount, int) and int(amount) > tensor_size:
        raise ValueError(
            f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}"
        )


def _validate_structured_pruning(t: Any) -> None:
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {t.dim()} dims"
        )


def _validate_pruning_dim(t: Any, dim: int) -> None:
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    return int(amount) if isinstance(amount, int) else round(amount * tensor_size)


def _compute_norm(t: Any, n: Any, dim: int) -> Any:
    """The norms of the slices along an axis."""
    others = list(range(t.dim()))
    del others[dim]
    return t.norm(p=n, dim=others)


# -- the ways ------------------------------------------------------------------------------------


class Identity(BasePruningMethod):
    """Nothing is pruned, and the parameter has a mask all the same."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask as it is."""
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:  # type: ignore[override]
        """Give a parameter a mask that leaves everything."""
        return super().apply(module, name)


class _ByEntry(BasePruningMethod):
    """The entries that come last in some order are pruned."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def _order(self, t: Any) -> Any:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """A mask without the least of the entries."""
        count = _compute_nparams_toprune(self.amount, t.nelement())
        _validate_pruning_amount(count, t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[self._order(t).view(-1).topk(count, largest=self._largest).indices] = 0
        return mask

    _largest = False


class RandomUnstructured(_ByEntry):
    """Entries are pruned by chance."""

    _largest = True

    def _order(self, t: Any) -> Any:
        return rand_like(t)


class L1Unstructured(_ByEntry):
    """The entries that are nearest to zero are pruned."""

    def _order(self, t: Any) -> Any:
        return t.abs()

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:  # type: ignore[override]
        """Prune the least entries of a parameter."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _BySlice(BasePruningMethod):
    """Whole slices along an axis are pruned."""

    PRUNING_TYPE = "structured"
    amount: Any
    dim: int

    def _kept(self, t: Any, size: int, count: int) -> Any:
        """Which slices stay."""
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """A mask without the slices that come last."""
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        size = t.shape[self.dim]
        count = _compute_nparams_toprune(self.amount, size)
        _validate_pruning_amount(count, size)
        if not count:
            return default_mask
        mask = zeros_like(t)
        where: list[Any] = [slice(None)] * t.dim()
        where[self.dim] = self._kept(t, size, count)
        mask[tuple(where)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_BySlice):
    """Slices along an axis are pruned by chance."""

    def __init__(self, amount: Any, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.dim = dim

    def _kept(self, t: Any, size: int, count: int) -> Any:
        drawn: Any = rand(size)
        return drawn > drawn.kthvalue(count).values

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any, dim: int = -1) -> Any:  # type: ignore[override]
        """Prune slices of a parameter by chance."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_BySlice):
    """The slices along an axis that have the least norm are pruned."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def _kept(self, t: Any, size: int, count: int) -> Any:
        return _compute_norm(t, self.n, self.dim).topk(size - count).indices

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
    ) -> Any:
        """Prune the slices of a parameter that have the least norm."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """The entries that a given mask leaves out are pruned."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The product of both masks."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Any) -> Any:  # type: ignore[override]
        """Give a parameter a mask."""
        return super().apply(module, name, mask=mask)


# -- what users call -----------------------------------------------------------------------------


def identity(module: Any, name: str) -> Any:
    """Give a parameter a mask that leaves everything."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """Prune entries of a parameter by chance."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
    """Prune the entries of a parameter that are nearest to zero."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """Prune slices of a parameter by chance."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None) -> Any:
    """Prune the slices of a parameter that have the least norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Prune what a mask leaves out of a parameter."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Prune entries of several parameters as if they were one."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = list(parameters)
    flat = [scores.get(pair, getattr(*pair)).reshape(-1) for pair in pairs]
    masks = [getattr(m, f"{name}_mask", ones_like(getattr(m, name))).reshape(-1) for m, name in pairs]
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    mask = container.compute_mask(cat(flat), cat(masks))
    start = 0
    for module, name in pairs:
        param = getattr(module, name)
        custom_from_mask(module, name, mask[start : start + param.numel()].view_as(param))
        start += param.numel()


def remove(module: Any, name: str) -> Any:
    """Make what is left of a pruned parameter the parameter."""
    for key, hook in module._forward_pre_hooks.items():
        if _is_on(hook, name):
            hook.remove(module)
            module._forward_pre_hooks.pop(key)
            return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Any) -> bool:
    """True if a parameter of a module, or of one below it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for _, part in module.named_modules()
        for hook in part._forward_pre_hooks.values()
    )
