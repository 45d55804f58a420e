"""torch.nn.common_types: what a number, or one for each axis, is annotated with."""

from typing import Any

from ..engine.tensor import Tensor

_scalar_or_tuple_any_t = _size_any_t = _size_1_t = _size_2_t = _size_3_t = _size_4_t = _size_5_t = _size_6_t = Any
_size_any_opt_t = _size_2_opt_t = _size_3_opt_t = _ratio_any_t = _ratio_2_t = _ratio_3_t = Any
_maybe_indices_t = Tensor | tuple[Tensor, Tensor]
