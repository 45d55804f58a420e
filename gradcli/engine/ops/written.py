"""PyTorch's functions that write over their argument: torch.exp_ and its like, F.relu_ and its like."""

from __future__ import annotations

from ..inplace import twin
from ..registry import PUBLIC, public
from . import activation, exponential, pairs as pairs, special as special, steps as steps, unary as unary

_METHODS = (
    "abs acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil cos cosh deg2rad erf "
    "erfc exp exp2 expm1 fix floor frac i0 ldexp log log10 log1p log2 logit nan_to_num rad2deg reciprocal relu round "
    "rsqrt sigmoid sin sinc sinh sqrt tan tanh trunc xlogy"
)

for _name in _METHODS.split():
    public(f"torch.{_name}_")(twin(PUBLIC["Tensor_"][_name], f"{_name}_"))

for _place, _function in (
    ("F.relu_", activation.relu),
    ("torch.threshold_ F.threshold_", activation.threshold_in_place),
    ("F.leaky_relu_", activation.leaky_relu_in_place),
    ("F.hardtanh_", activation.hardtanh),
    ("F.elu_", exponential.elu_in_place),
    ("torch.celu_ F.celu_", exponential.celu_in_place),
):
    public(_place)(twin(_function, _function.__name__))
