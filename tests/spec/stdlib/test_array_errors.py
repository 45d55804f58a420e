"""The exceptions of NumPy's functions, by the names that they have there."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError

from ..running import printed, printed_by_python

_CALLS = ("np.add(a, 0.5, out=a)", "np.gcd(1.5, 2)", "np.sum(a, axis=3)", "np.invert(1.5)", "np.expand_dims(a, 5)")
_TEXT = "import numpy as np\na = np.arange(3)\n" + "".join(
    f"try:\n    {call}\nexcept Exception as e:\n    print(type(e), type(e).__name__, e, isinstance(e, TypeError))\n"
    for call in (*_CALLS, "a += 0.5")
)


def test_the_same_as_numpy() -> None:
    assert printed(_TEXT) == printed_by_python(_TEXT)


def test_the_last_line_is_that_of_python() -> None:
    with pytest.raises(GradcliError, match=r"^numpy\._core\._exceptions\._UFuncOutputCastingError: Cannot cast ufunc"):
        printed("import numpy as np\na = np.arange(3)\na *= 1.5")


def test_an_axis_error_is_caught_by_its_name() -> None:
    text = "import numpy as np\ntry:\n    np.zeros(3).sum(axis=1)\nexcept np.exceptions.AxisError as e:\n"
    text += "    print(e, e.args)"
    assert printed(text) == "axis 1 is out of bounds for array of dimension 1 (1, 1, None)\n"
