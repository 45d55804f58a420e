"""The engine: tensors, the graph, the ops and the walk."""

import warnings

# PyTorch computes infinities and NaN in silence. NumPy's own settings stay as the user has them.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradcli\.engine")
