"""The type of the arrays that a check computes with: of any shape, and of any numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
