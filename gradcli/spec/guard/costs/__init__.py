"""Cost estimates of calls of the engine, made before the call runs; one module per family.

A function of the engine names its estimator where it is declared (`gradcli/engine/costs.py`). The estimator takes what
the function takes, and says how large the arrays are that it makes, at most. What it cannot read it leaves to the
engine to refuse: it raises, and nothing is counted. A function that names none makes nothing larger than its tensors
broadcast together.
"""

from __future__ import annotations

from .arranging import indexed as indexed
from .declared import estimator_of as estimator_of
from .estimate import Estimate as Estimate, of_arrays as of_arrays, of_tensors as of_tensors
from .layers import call_of as call_of, maker_of as maker_of
from .multiplying import matmul as matmul
