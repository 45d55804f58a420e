"""Functions of NumPy's that go element by element warn as NumPy does; a program may be silent about it, or listen."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ..running import printed

_CALLS = (
    "np.log(np.array([0.0, -1.0]))", "np.sqrt(-1.0)", "np.exp(np.array([1000.0]))", "np.divide(1.0, 0.0)",
    "np.power(np.zeros(2), -1.0)", "np.arctanh(1.0)", "np.arcsin([2.0])", "np.multiply(1e308, 10.0)", "np.log1p(-1.0)",
    "np.where(np.array([0.0]) > 0, np.log(np.array([0.0])), 0.0)", "np.maximum(np.nan, 1.0)",
)  # fmt: skip


@pytest.mark.parametrize("call", _CALLS)
def test_the_warnings_are_numpys(call: str) -> None:
    """The words, and how many, that NumPy itself has for the call."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        eval(call, {"np": np})
    program = (
        "import warnings\nimport numpy as np\nwith warnings.catch_warnings(record=True) as seen:\n"
        f"    warnings.simplefilter('always')\n    {call}\nprint([str(w.message) for w in seen])\n"
    )
    assert printed(program) == f"{[str(w.message) for w in seen]}\n"


def test_a_program_may_be_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert printed("import numpy as np\nwith np.errstate(divide='ignore'):\n    print(np.log(0.0))\n") == "-inf\n"
