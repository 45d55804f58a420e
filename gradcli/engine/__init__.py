"""The engine: tensors, the graph, the ops and the walk."""

import warnings

# Whatever is imported of the engine, a Tensor has its methods.
from . import methods as methods


def compute_in_silence() -> None:
    """Let no filter show what NumPy warns of inside of ops: PyTorch computes infinities and NaN in silence.

    NumPy's own settings stay as the user has them.
    """
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradcli\.engine")


compute_in_silence()
