"""Softmax over very many classes: the frequent ones at once, the others in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...engine.ops.named_results import named_result
from ...errors import EngineError, EngineValueError
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

_Output = named_result("_ASMoutput", "output", "loss")


class _ASMoutput(_Output):  # type: ignore[misc, valid-type]
    """The log-probabilities of the targets, and the loss."""

    __slots__ = ()
    __module__ = "torch.nn.modules.adaptive"

    def __repr__(self) -> str:
        return f"_ASMoutput(output={self[0]!r}, loss={self[1]!r})"


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of classes that are sorted by frequency, and their loss."""

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0,
        head_bias: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        ends = list(cutoffs)
        if not ends:
            raise EngineValueError("cutoffs should be a sequence of length larger than 0")
        if ends != sorted({int(c) for c in ends}) or ends[0] <= 0 or ends[-1] > n_classes - 1:
            raise EngineValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*ends, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = ends[0]
        self.n_clusters = len(ends)
        self.head_size = self.shortlist_size + self.n_clusters
        like = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **like)
        self.tail = ModuleList()
        for i, (start, end) in enumerate(pairwise(self.cutoffs), 1):
            width = int(in_features // div_value**i)
            inner = Linear(in_features, width, bias=False, **like)
            self.tail.append(Sequential(inner, Linear(width, end - start, bias=False, **like)))

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        self.head.reset_parameters()
        for inner, outer in self.tail:
            inner.reset_parameters()
            outer.reset_parameters()

    def forward(self, input_: Any, target_: Any) -> _ASMoutput:
        """The log-probabilities of the targets, and the mean of what they lack."""
        _check(input_, target_)
        batched = target_.dim() > 0
        input, target = (input_, target_) if batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        output = input.new_zeros(target.shape[0])
        places = target.new_empty(target.shape[0])
        used = 0
        for i, (low, high) in enumerate(pairwise([0, *self.cutoffs])):
            mask = (target >= low) & (target < high)
            rows = mask.nonzero().squeeze()
            if not rows.numel():
                continue
            if i == 0:
                places.index_copy_(0, rows, target[mask])
            else:
                own = (target[mask] - low).unsqueeze(1)
                logs = F.log_softmax(self.tail[i - 1](input.index_select(0, rows)), dim=1)
                places.index_fill_(0, rows, self.shortlist_size + i - 1)
                output.index_copy_(0, rows, logs.gather(1, own).squeeze(1))
            used += rows.numel()
        if used != target.shape[0]:
            raise EngineError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        logs = F.log_softmax(self.head(input), dim=1)
        output += logs.gather(1, places.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput((output if batched else output.squeeze(0), loss))

    def log_prob(self, input: Any) -> Any:
        """The log-probabilities of all classes."""
        return self._all(input, self.head(input))

    def _all(self, input: Any, scores: Any) -> Any:
        out = input.new_empty((scores.shape[0], self.n_classes))
        logs = F.log_softmax(scores, dim=1)
        first = self.shortlist_size
        out[:, :first] = logs[:, :first]
        for i, (start, end) in enumerate(pairwise(self.cutoffs)):
            own = F.log_softmax(self.tail[i](input), dim=1)
            out[:, start:end] = own + logs[:, first + i].unsqueeze(1)
        return out

    def predict(self, input: Any) -> Any:
        """The likeliest classes."""
        scores = self.head(input)
        found = scores.argmax(dim=1)
        rare = found >= self.shortlist_size
        if not rare.any():
            return found
        if rare.all():
            return self._all(input, scores).argmax(dim=1)
        found[rare] = self._all(input[rare], scores[rare]).argmax(dim=1)
        return found


def _check(input: Any, target: Any) -> None:
    """Refuse what is no batch of vectors with as many targets, and no vector with one."""
    if target.dim() == 1:
        if input.shape[0] != target.shape[0]:
            raise EngineError("Input and target should have the same size in the batch dimension.")
        if input.dim() != 2:
            raise EngineError(f"1D target tensor expects 2D input tensors, but found inputs with size {input.shape}")
    elif target.dim() == 0:
        if input.dim() != 1:
            raise EngineError(f"0D target tensor expects 1D input tensors, but found inputs with size {input.shape}")
    else:
        raise EngineError("0D or 1D target tensor expected, multi-target not supported")
