"""Losses as modules: each is its function, with the options of the table."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ...engine.call_errors import fail
from ...engine.ops.pointwise.python_functions import class_of
from ...engine.tensor import Tensor
from ...errors import EngineTypeError, EngineValueError
from .. import functional as F
from ..base.options import Options
from .distance import PairwiseDistance
from .linear import Linear
from .module import Module

# What stands before `reduction` in PyTorch's order although it says no more than that.
_OLD = {"size_average": None, "reduce": None}
_MEAN = {"reduction": "mean"}
_CLASSES = {"weight": None, "size_average": None, "ignore_index": -100, "reduce": None} | _MEAN


class _Loss(Options):
    _takes: tuple[str, ...] = ("input", "target")
    _own = ("size_average", "reduce")
    _options: dict[str, Any] = _OLD | _MEAN

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        average, reduce = self.__dict__.pop("size_average", None), self.__dict__.pop("reduce", None)
        if average is not None or reduce is not None:
            self.reduction = "none" if reduce is False else "sum" if average is False else "mean"
            warnings.warn(
                f"size_average and reduce args will be deprecated, please use reduction='{self.reduction}' instead.",
                UserWarning,
                stacklevel=2,
            )


class _WeightedLoss(_Loss):
    _options = {"weight": None} | _OLD | _MEAN


class MSELoss(_Loss):
    """Mean of squared differences."""

    _called = "_Loss"
    _name, _options = "mse_loss", _OLD | _MEAN


class L1Loss(_Loss):
    """Mean of absolute differences."""

    _called = "_Loss"
    _name, _options = "l1_loss", _OLD | _MEAN


class SmoothL1Loss(_Loss):
    """Squared near zero, absolute beyond beta."""

    _name, _options = "smooth_l1_loss", _OLD | _MEAN | {"beta": 1.0}


class HuberLoss(_Loss):
    """Squared near zero, linear beyond delta."""

    _name, _options = "huber_loss", _MEAN | {"delta": 1.0}

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (int, float)):
            raise EngineTypeError(f"delta must be a float or int, got: {class_of(delta)}")
        super().__init__(reduction=reduction, delta=delta)


class BCELoss(_WeightedLoss):
    """Binary cross entropy of probabilities."""

    _called = "_WeightedLoss"
    _name, _options = "binary_cross_entropy", {"weight": None} | _OLD | _MEAN


class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of logits."""

    _name, _options = "binary_cross_entropy_with_logits", {"weight": None} | _OLD | _MEAN | {"pos_weight": None}


class NLLLoss(_WeightedLoss):
    """Negative log likelihood."""

    _name, _options = "nll_loss", _CLASSES


class NLLLoss2d(NLLLoss):
    """Negative log likelihood by its older name for images."""

    _forward_of = "NLLLoss"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(*args, **kwargs)


class CrossEntropyLoss(_WeightedLoss):
    """Cross entropy of logits with classes or with probabilities."""

    _name, _options = "cross_entropy", _CLASSES | {"label_smoothing": 0.0}


class CTCLoss(_Loss):
    """Negative log likelihood of labels that are heard at any times."""

    _name, _options = "ctc_loss", {"blank": 0} | _MEAN | {"zero_infinity": False}
    _takes = ("log_probs", "targets", "input_lengths", "target_lengths")


class KLDivLoss(_Loss):
    """Kullback-Leibler divergence."""

    _name, _options = "kl_div", _OLD | _MEAN | {"log_target": False}


class PoissonNLLLoss(_Loss):
    """Negative log likelihood of counts."""

    _takes = ("log_input", "target")
    _name, _options = "poisson_nll_loss", {
        "log_input": True, "full": False, "size_average": None, "eps": 1e-8, "reduce": None, "reduction": "mean",
    }  # fmt: skip


class GaussianNLLLoss(_Loss):
    """Negative log likelihood of a normal distribution."""

    _by_keyword = True
    _takes = ("input", "target", "var")
    _name, _options = "gaussian_nll_loss", {"full": False, "eps": 1e-6} | _MEAN


class HingeEmbeddingLoss(_Loss):
    """A distance for pairs alike, a hinge for pairs unlike."""

    _name, _options = "hinge_embedding_loss", {"margin": 1.0} | _OLD | _MEAN


class MarginRankingLoss(_Loss):
    """A hinge on the order of two inputs."""

    _name, _options = "margin_ranking_loss", {"margin": 0.0} | _OLD | _MEAN
    _takes = ("input1", "input2", "target")


class CosineEmbeddingLoss(_Loss):
    """A hinge on the cosine of two inputs."""

    _name, _options = "cosine_embedding_loss", {"margin": 0.0} | _OLD | _MEAN
    _takes = ("input1", "input2", "target")


class SoftMarginLoss(_Loss):
    """log(1 + exp(-target input))."""

    _called = "_Loss"
    _name, _options = "soft_margin_loss", _OLD | _MEAN


class MultiLabelMarginLoss(_Loss):
    """A hinge between labels that are right and those that are not."""

    _called = "_Loss"
    _name, _options = "multilabel_margin_loss", _OLD | _MEAN


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Binary cross entropy of logits, a mean over the classes."""

    _called = "_WeightedLoss"
    _name, _options = "multilabel_soft_margin_loss", {"weight": None} | _OLD | _MEAN


class MultiMarginLoss(_WeightedLoss):
    """A hinge between the right class and the others."""

    _name, _options = "multi_margin_loss", {"p": 1, "margin": 1.0, "weight": None} | _OLD | _MEAN

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.p not in (1, 2):
            raise EngineValueError("only p == 1 and p == 2 supported")
        if self.weight is not None and self.weight.dim() != 1:
            raise EngineValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {self.weight.dim()}D instead"
            )


class TripletMarginLoss(_Loss):
    """An anchor, nearer to one input than to another."""

    _takes = ("anchor", "positive", "negative")
    _name, _options = "triplet_margin_loss", {
        "margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False, "size_average": None, "reduce": None, "reduction": "mean",
    }  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _check_margin(self, "TripletMarginLoss")


def _check_margin(loss: Any, name: str) -> None:
    if loss.margin <= 0:
        raise EngineValueError(f"{name}: expected margin to be greater than 0, got {loss.margin} instead")


class TripletMarginWithDistanceLoss(_Loss):
    """An anchor, nearer to one input than to another by a given distance."""

    distance_function: Any
    _by_keyword = True
    _takes = ("anchor", "positive", "negative")
    _name, _options = "triplet_margin_with_distance_loss", {
        "distance_function": None, "margin": 1.0, "swap": False, "reduction": "mean",
    }  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _check_margin(self, "TripletMarginWithDistanceLoss")
        if self.distance_function is None:
            self.distance_function = PairwiseDistance()


class LinearCrossEntropyLoss(Module):
    """Cross entropy of the logits that a linear layer makes, which is a part of the loss."""

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        if weight is not None and tuple(weight.shape) != (num_classes,):
            fail(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            fail(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__()
        self.register_buffer("weight", weight)
        self.reduction = reduction
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        rows = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, rows, bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """The loss of inputs and their classes."""
        rows = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*rows, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(rows),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, reduction={self.reduction}, "
            f"ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}, options={self.options}"
        )
