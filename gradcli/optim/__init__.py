"""torch.optim: optimisers and learning-rate schedules."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import lr_scheduler as lr_scheduler, swa_utils as swa_utils
    from .adafactor import Adafactor as Adafactor
    from .adam import Adam as Adam, Adamax as Adamax, AdamW as AdamW, NAdam as NAdam, RAdam as RAdam
    from .adaptive import Adadelta as Adadelta, Adagrad as Adagrad, RMSprop as RMSprop
    from .lbfgs import LBFGS as LBFGS
    from .muon import Muon as Muon
    from .optimizer import Optimizer as Optimizer
    from .sgd import ASGD as ASGD, SGD as SGD, Rprop as Rprop
    from .sparse_adam import SparseAdam as SparseAdam
else:
    from ..engine.offers import package_door as _package_door
    from ..engine.parts import parts as _parts

    # A module is read when one of its names is first asked for.
    __getattr__, __dir__ = _package_door(
        __name__,
        {
            "_functional": "",
            "adafactor": "Adafactor",
            "adam": "Adam Adamax AdamW NAdam RAdam",
            "adaptive": "Adadelta Adagrad RMSprop",
            "cycles": "",
            "lbfgs": "LBFGS",
            "lr_scheduler": "",
            "muon": "Muon",
            "optimizer": "Optimizer",
            "plateau": "",
            "schedule": "",
            "sequences": "",
            "sgd": "ASGD SGD Rprop",
            "sparse_adam": "SparseAdam",
            "swa_utils": "",
        },
    )
    _parts(__name__, "adadelta adagrad adamax adamw asgd nadam radam rmsprop rprop _adafactor _muon", "_functional")
