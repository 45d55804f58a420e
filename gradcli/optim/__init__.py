"""torch.optim: optimisers and learning-rate schedules."""

from .optimizer import Optimizer as Optimizer
from .sgd import SGD as SGD
