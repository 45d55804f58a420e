"""The steps of optimisers as functions of lists: parameters, gradients, and what is remembered of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ..engine.tensor import Tensor
from ..errors import EngineError
from .adafactor import Adafactor
from .adam import Adam, Adamax, NAdam, RAdam
from .adaptive import Adadelta, Adagrad, RMSprop
from .muon import Muon
from .optimizer import Stepping
from .sgd import ASGD, SGD, Rprop
from .sparse_adam import SparseAdam

_Tensors: TypeAlias = list[Tensor]
_Remembered: TypeAlias = dict[str, Sequence[Any]]


def sgd(
    params: _Tensors, d_p_list: _Tensors, momentum_buffer_list: list[Tensor | None], has_sparse_grad: bool = False,
    foreach: bool | None = None, fused: bool | None = None, grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None, *, weight_decay: float, momentum: float, lr: float, dampening: float,
    nesterov: bool, maximize: bool,
) -> None:  # fmt: skip
    """A step of SGD."""
    group = {
        "weight_decay": weight_decay, "momentum": momentum, "lr": lr, "dampening": dampening, "nesterov": nesterov,
        "maximize": maximize, "foreach": foreach, "fused": fused,
    }  # fmt: skip
    if _scaled(d_p_list, fused, grad_scale, found_inf):
        _step(SGD, params, d_p_list, {"momentum_buffer": momentum_buffer_list}, group)


def adam(
    params: _Tensors, grads: _Tensors, exp_avgs: _Tensors, exp_avg_sqs: _Tensors, max_exp_avg_sqs: _Tensors,
    state_steps: _Tensors, foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
    fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None,
    has_complex: bool = False, decoupled_weight_decay: bool = False, *, amsgrad: bool, beta1: float | Tensor,
    beta2: float | Tensor, lr: float | Tensor, weight_decay: float, eps: float, maximize: bool,
) -> None:  # fmt: skip
    """A step of Adam."""
    remembered: _Remembered = {
        "exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "max_exp_avg_sq": max_exp_avg_sqs,
        "step": _counted(state_steps),
    }  # fmt: skip
    group = {
        "amsgrad": amsgrad, "betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay, "eps": eps,
        "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
        "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
    }  # fmt: skip
    if _scaled(grads, fused, grad_scale, found_inf):
        _step(Adam, params, grads, remembered, group)


def adamw(
    params: _Tensors, grads: _Tensors, exp_avgs: _Tensors, exp_avg_sqs: _Tensors, max_exp_avg_sqs: _Tensors,
    state_steps: _Tensors, foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
    fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None,
    has_complex: bool = False, *, amsgrad: bool, beta1: float | Tensor, beta2: float | Tensor, lr: float | Tensor,
    weight_decay: float, eps: float, maximize: bool,
) -> None:  # fmt: skip
    """A step of AdamW."""
    adam(
        params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach, capturable, differentiable, fused,
        grad_scale, found_inf, has_complex, True, amsgrad=amsgrad, beta1=beta1, beta2=beta2, lr=lr,
        weight_decay=weight_decay, eps=eps, maximize=maximize,
    )  # fmt: skip


def adamax(
    params: _Tensors, grads: _Tensors, exp_avgs: _Tensors, exp_infs: _Tensors, state_steps: _Tensors,
    foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    has_complex: bool = False, *, eps: float, beta1: float, beta2: float, lr: float, weight_decay: float,
) -> None:  # fmt: skip
    """A step of Adamax."""
    remembered: _Remembered = {"exp_avg": exp_avgs, "exp_inf": exp_infs, "step": _counted(state_steps)}
    group = {
        "eps": eps, "betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay, "foreach": foreach,
        "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
    }  # fmt: skip
    _step(Adamax, params, grads, remembered, group)


def nadam(
    params: _Tensors, grads: _Tensors, exp_avgs: _Tensors, exp_avg_sqs: _Tensors, mu_products: _Tensors,
    state_steps: _Tensors, decoupled_weight_decay: bool = False, foreach: bool | None = None,
    capturable: bool = False, differentiable: bool = False, has_complex: bool = False, maximize: bool = False, *,
    beta1: float, beta2: float, lr: float, weight_decay: float, momentum_decay: float, eps: float,
) -> None:  # fmt: skip
    """A step of NAdam."""
    if not all(isinstance(t, Tensor) for t in mu_products):
        raise EngineError("API has changed, `mu_products` argument must contain a list of singleton tensors")
    remembered: _Remembered = {
        "exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "mu_product": mu_products, "step": _counted(state_steps),
    }  # fmt: skip
    group = {
        "betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay, "momentum_decay": momentum_decay, "eps": eps,
        "decoupled_weight_decay": decoupled_weight_decay, "foreach": foreach, "capturable": capturable,
        "differentiable": differentiable, "maximize": maximize,
    }  # fmt: skip
    _step(NAdam, params, grads, remembered, group)


def radam(
    params: _Tensors, grads: _Tensors, exp_avgs: _Tensors, exp_avg_sqs: _Tensors, state_steps: _Tensors,
    decoupled_weight_decay: bool = False, foreach: bool | None = None, differentiable: bool = False,
    capturable: bool = False, has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float,
    lr: float, weight_decay: float, eps: float,
) -> None:  # fmt: skip
    """A step of RAdam."""
    remembered: _Remembered = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "step": _counted(state_steps)}
    group = {
        "betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay, "eps": eps,
        "decoupled_weight_decay": decoupled_weight_decay, "foreach": foreach, "differentiable": differentiable,
        "capturable": capturable, "maximize": maximize,
    }  # fmt: skip
    _step(RAdam, params, grads, remembered, group)


def rmsprop(
    params: _Tensors, grads: _Tensors, square_avgs: _Tensors, grad_avgs: _Tensors, momentum_buffer_list: _Tensors,
    state_steps: _Tensors, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    capturable: bool = False, has_complex: bool = False, *, lr: float, alpha: float, eps: float,
    weight_decay: float, momentum: float, centered: bool,
) -> None:  # fmt: skip
    """A step of RMSprop."""
    remembered: _Remembered = {
        "square_avg": square_avgs, "grad_avg": grad_avgs, "momentum_buffer": momentum_buffer_list,
        "step": _counted(state_steps),
    }  # fmt: skip
    group = {
        "lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum, "centered": centered,
        "foreach": foreach, "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
    }  # fmt: skip
    _step(RMSprop, params, grads, remembered, group)


def rprop(
    params: _Tensors, grads: _Tensors, prevs: _Tensors, step_sizes: _Tensors, state_steps: _Tensors,
    foreach: bool | None = None, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    has_complex: bool = False, *, step_size_min: float, step_size_max: float, etaminus: float, etaplus: float,
) -> None:  # fmt: skip
    """A step of Rprop."""
    remembered: _Remembered = {"prev": prevs, "step_size": step_sizes, "step": _counted(state_steps)}
    group = {
        "step_sizes": (step_size_min, step_size_max), "etas": (etaminus, etaplus), "foreach": foreach,
        "capturable": capturable, "maximize": maximize, "differentiable": differentiable,
    }  # fmt: skip
    _step(Rprop, params, grads, remembered, group)


def asgd(
    params: _Tensors, grads: _Tensors, axs: _Tensors, mus: _Tensors, etas: _Tensors, state_steps: _Tensors,
    foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    has_complex: bool = False, *, lambd: float, lr: float, t0: float, alpha: float, weight_decay: float,
) -> None:  # fmt: skip
    """A step of ASGD."""
    group = {
        "lambd": lambd, "lr": lr, "t0": t0, "alpha": alpha, "weight_decay": weight_decay, "foreach": foreach,
        "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
    }  # fmt: skip
    _step(ASGD, params, grads, {"ax": axs, "mu": mus, "eta": etas, "step": state_steps}, group)


def adagrad(
    params: _Tensors, grads: _Tensors, state_sums: _Tensors, state_steps: _Tensors, fused: bool | None = None,
    grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_sparse_grad: bool = False,
    foreach: bool | None = None, differentiable: bool = False, has_complex: bool = False, *, lr: float,
    weight_decay: float, lr_decay: float, eps: float, maximize: bool,
) -> None:  # fmt: skip
    """A step of Adagrad."""
    group = {
        "lr": lr, "weight_decay": weight_decay, "lr_decay": lr_decay, "eps": eps, "maximize": maximize,
        "fused": fused, "foreach": foreach, "differentiable": differentiable,
    }  # fmt: skip
    remembered: _Remembered = {"sum": state_sums, "step": _counted(state_steps)}
    if _scaled(grads, fused, grad_scale, found_inf):
        _step(Adagrad, params, grads, remembered, group)


def adadelta(
    params: _Tensors, grads: _Tensors, square_avgs: _Tensors, acc_deltas: _Tensors, state_steps: _Tensors,
    capturable: bool = False, foreach: bool | None = None, differentiable: bool = False, has_complex: bool = False,
    *, lr: float, rho: float, eps: float, weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    """A step of Adadelta."""
    remembered: _Remembered = {"square_avg": square_avgs, "acc_delta": acc_deltas, "step": _counted(state_steps)}
    group = {
        "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
        "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
    }  # fmt: skip
    _step(Adadelta, params, grads, remembered, group)


def adafactor(
    params: _Tensors, grads: _Tensors, row_vars: list[Tensor | None], col_vars: list[Tensor | None],
    variances: list[Tensor | None], state_steps: _Tensors, foreach: bool | None = None,
    grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_complex: bool = False, *, d: float,
    lr: float | Tensor, beta2_decay: float, weight_decay: float, eps1: float, eps2: float, maximize: bool,
) -> None:  # fmt: skip
    """A step of Adafactor."""
    remembered: _Remembered = {
        "row_var": row_vars, "col_var": col_vars, "variance": variances, "step": _counted(state_steps),
    }  # fmt: skip
    group = {
        "d": d, "lr": lr, "beta2_decay": beta2_decay, "weight_decay": weight_decay, "eps": (eps1, eps2),
        "maximize": maximize, "foreach": foreach,
    }  # fmt: skip
    if _scaled(grads, False, grad_scale, found_inf):
        _step(Adafactor, params, grads, remembered, group)


def muon(
    params: _Tensors, grads: _Tensors, muon_momentum_bufs: _Tensors, *, foreach: bool | None = None, lr: float,
    weight_decay: float, momentum: float, nesterov: bool, ns_coefficients: tuple[float, float, float],
    ns_steps: int, eps: float, adjust_lr_fn: str | None, has_complex: bool,
) -> None:  # fmt: skip
    """A step of Muon."""
    if foreach:
        raise EngineError("Foreach is not supported for Muon yet")
    group = {
        "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
        "ns_coefficients": ns_coefficients, "ns_steps": ns_steps, "eps": eps, "adjust_lr_fn": adjust_lr_fn,
    }  # fmt: skip
    _step(Muon, params, grads, {"momentum_buffer": muon_momentum_bufs}, group)


def sparse_adam(
    params: _Tensors, grads: _Tensors, exp_avgs: _Tensors, exp_avg_sqs: _Tensors, state_steps: list[int], *,
    eps: float, beta1: float, beta2: float, lr: float, maximize: bool,
) -> None:  # fmt: skip
    """A step of SparseAdam, which has counted already: the numbers of the steps are those of this one."""
    group = {"eps": eps, "betas": (beta1, beta2), "lr": lr, "maximize": maximize}
    before = [step - 1 for step in state_steps]
    remembered: _Remembered = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "step": before}
    _step(SparseAdam, params, grads, remembered, group)


def _counted(state_steps: _Tensors) -> _Tensors:
    """The numbers of steps, which are tensors."""
    if not all(isinstance(t, Tensor) for t in state_steps):
        raise EngineError("API has changed, `state_steps` argument must contain a list of singleton tensors")
    return state_steps


def _scaled(grads: _Tensors, fused: bool | None, scale: Tensor | None, found_inf: Tensor | None) -> bool:
    """Take a scale off the gradients; whether there is a step to go, as none of them was infinite."""
    if scale is None and found_inf is None:
        return True
    if not fused:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    if found_inf is not None and found_inf.item():
        return False
    for grad in grads if scale is not None else ():
        grad.div_(scale)
    return True


def _step(
    kind: type[Stepping], params: _Tensors, grads: _Tensors, remembered: _Remembered, options: dict[str, Any]
) -> None:
    """Give each parameter its next value, as an optimiser of a kind does; lists take what it begins to remember."""
    for i, (p, grad) in enumerate(zip(params, grads, strict=True)):
        state = {name: each[i] for name, each in remembered.items() if i < len(each) and each[i] is not None}
        kind.once(p, grad, state, options)
        for name, each in remembered.items():
            if name in state and isinstance(each, list) and i < len(each) and each[i] is None:
                each[i] = state[name]
