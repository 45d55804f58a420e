"""torch.optim: optimisers and learning-rate schedules."""

from . import lr_scheduler as lr_scheduler
from .adam import Adam as Adam, Adamax as Adamax, AdamW as AdamW, NAdam as NAdam, RAdam as RAdam
from .adaptive import Adadelta as Adadelta, Adagrad as Adagrad, RMSprop as RMSprop
from .optimizer import Optimizer as Optimizer
from .sgd import ASGD as ASGD, SGD as SGD, Rprop as Rprop
