"""PyTorch's functions that write over their argument: torch.exp_ and its like, F.relu_ and its like."""

from __future__ import annotations

from ... import ops
from ...inplace import twin
from ...offers import find
from ...registry import public
from ...tensor import Tensor

_METHODS = (
    "abs acos acosh addmv arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil clamp clamp_max "
    "clamp_min clip cos cosh deg2rad erf erfc exp exp2 expm1 fix floor frac gcd i0 index_put lcm ldexp log log10 "
    "log1p log2 logit nan_to_num neg negative rad2deg reciprocal relu round rsqrt sigmoid sin sinc sinh sqrt square "
    "tan tanh trunc xlogy"
)

for _name in _METHODS.split():
    public(f"torch.{_name}_")(twin(find("Tensor_", _name), f"{_name}_"))

for _place, _function in (
    ("F.relu_", ops.rectifiers.relu),
    ("torch.threshold_ F.threshold_", ops.rectifiers.threshold_in_place),
    ("F.leaky_relu_", ops.rectifiers.leaky_relu_in_place),
    ("F.hardtanh_", ops.rectifiers.hardtanh),
    ("F.elu_", ops.exponential_units.elu_in_place),
    ("torch.celu_ F.celu_", ops.exponential_units.celu_in_place),
):
    public(_place)(twin(_function, _function.__name__))

for _name in ("fill_", "zero_"):
    public(f"torch.{_name}")(find("Tensor", _name))
public("torch.detach_")(Tensor.detach_)
