"""torch._functorch: what came before torch.func, and what PyTorch's transforms are made of, as far as programs ask."""

from . import eager_transforms as eager_transforms, make_functional as make_functional
