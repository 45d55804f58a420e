"""Adam for sparse gradients: what is remembered of a row changes where the row has a gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.numeric.sparse import Sparse, coalesced
from ..engine.tensor import Array, Tensor, result
from ..errors import EngineError, EngineValueError
from .optimizer import Stepping, check, check_rate


class SparseAdam(Stepping):
    """Adam, of the entries alone that a sparse gradient has."""

    _takes_sparse = True
    _later = {}
    _once_plain = ()

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, maximize: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check(float(lr) > 0.0, "learning rate", lr)
        check(eps > 0.0, "epsilon value", eps)
        for i in (0, 1):
            check(0.0 <= betas[i] < 1.0, f"beta parameter at index {i}", betas[i])
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        places = [([i, j], p) for i, group in enumerate(self.param_groups) for j, p in enumerate(group["params"])]
        for kind, refused, why in (
            ("Sparse", [at for at, p in places if p.is_sparse], "requires dense parameter tensors"),
            ("Complex", [at for at, p in places if p.is_complex()], "does not support complex parameters"),
        ):
            if refused:
                raise EngineValueError(f"{kind} params at indices {refused}: SparseAdam {why}")

    def _step(self, p: Tensor, g: Array, group: dict[str, Any]) -> None:
        if not isinstance(g, Sparse):
            raise EngineError("SparseAdam does not support dense gradients, please consider Adam instead")
        state = self.state[p]
        if not state:
            state["step"] = 0
            for name in ("exp_avg", "exp_avg_sq"):
                state[name] = result(np.zeros_like(p._a))
        state["step"] += 1
        self._move(p, coalesced(-g if group["maximize"] else g), state, group)
        p._counter().n += 1

    def _move(self, p: Tensor, g: Sparse, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Move the entries of a parameter that have a gradient."""
        at = tuple(g.places)
        if not g.places.size:
            return
        beta1, beta2 = group["betas"]
        mean, square = state["exp_avg"]._a, state["exp_avg_sq"]._a
        mean[at] += (g.values - mean[at]) * (1 - beta1)
        square[at] += (g.values**2 - square[at]) * (1 - beta2)
        step = state["step"]
        rate = float(group["lr"]) * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        p._a[at] -= rate * mean[at] / (np.sqrt(square[at]) + group["eps"])
