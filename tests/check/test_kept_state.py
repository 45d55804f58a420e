"""What a custom Function keeps is put back after a try."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.check.blaming.kept_state import KeptState
from gradcli.engine.tensor import result


def test_containers_and_numbers_get_back_what_they_held() -> None:
    array, tensor = np.ones(3), result(np.zeros(2))
    kept: dict[str, Any] = {"several": [array, (tensor, {1, 2})]}
    state = KeptState([kept])
    array += 1
    tensor._a[0] = 5
    kept["several"][1][1].add(3)
    kept["several"].append(4)
    kept["more"] = 6
    state.put_back()
    assert kept == {"several": [array, (tensor, {1, 2})]}
    assert (array.tolist(), tensor._a.tolist()) == ([1, 1, 1], [0, 0])
