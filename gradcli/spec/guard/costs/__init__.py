"""What calls of the engine cost before they are made, one module per family.

An estimator stands for functions of the engine by the names they are declared under, takes what they take, and says
how large the arrays are that they make, at most. What it cannot read it leaves to the engine to refuse: it raises,
and nothing is counted. A function without an estimator makes nothing larger than its tensors broadcast together.
"""

from __future__ import annotations

from . import drawing as drawing, making as making, picking as picking, solving as solving, spatial as spatial
from .arranging import indexed as indexed
from .estimate import ESTIMATORS as ESTIMATORS, Estimate as Estimate, of_arrays as of_arrays, of_tensors as of_tensors
from .layers import call_of as call_of, maker_of as maker_of
from .multiplying import matmul as matmul
