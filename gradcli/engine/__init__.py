"""The engine: tensors, the graph, the ops and the walk."""

import warnings

# Whatever is imported of the engine, a Tensor has its methods.
from . import methods as methods

# PyTorch computes infinities and NaN in silence. NumPy's own settings stay as the user has them.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradcli\.engine")
