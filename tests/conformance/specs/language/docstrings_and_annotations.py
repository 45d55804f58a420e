# Docstrings, annotations, typing, comments, pass and ellipsis.
"""A module string in the middle does nothing."""
from typing import Callable, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor, nn

Vector = List[float]
limit: int = 3
later: Optional[str]
later = None


def mean(values: Vector, *, default: Union[int, float] = 0) -> float:
    """The mean of some numbers."""
    total: float = 0.0
    for v in values:
        total += v  # accumulate
    return total / len(values) if values else default


def apply(f: Callable[[Tensor], Tensor], x: "Tensor") -> Tuple[Tensor, Dict[str, int]]:
    return f(x), {"size": x.numel()}


class Empty(nn.Module):
    """Nothing here."""

    rate: float = 0.5
    ...


def nothing():
    pass


print(mean([1.0, 2.0, 6.0]), mean([]), mean([], default=-1))
print(apply(torch.neg, torch.ones(2)))
print(nothing(), Empty.rate, Empty(), later, limit)
