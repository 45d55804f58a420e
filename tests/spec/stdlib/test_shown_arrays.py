"""Arrays as texts: what NumPy itself makes of each argument."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.errors import GradcliError

from ..running import printed, program

_MADE = "a, b = np.array([1.23456789, -2.0, 1e-5, 3.5e8]), np.arange(6).reshape(2, 3)"
_TEXTS = (
    "np.array2string(b, separator=', ', prefix='x = ')", "np.array2string(b, formatter={'int': lambda x: f'<{x}>'})",
    "np.array2string(np.arange(2000), threshold=10, edgeitems=2)", "np.array2string(a, suffix=']', max_line_width=30)",
    "np.array_str(a, precision=2)", "np.array_repr(a, precision=2, suppress_small=True)",
    "np.array2string(a, formatter={'float_kind': lambda x: '%.2f' % x}, sign='+')", "np.binary_repr(5, width=8)",
    "np.binary_repr(-3), np.binary_repr(-3, width=5)", "np.array2string(a, precision=3, suppress_small=True)",
)  # fmt: skip


def test_the_texts_are_numpys() -> None:
    names = {"np": np}
    exec(_MADE, names)
    text = f"import numpy as np\n{_MADE}\n" + "".join(f"print(repr(({each})))\n" for each in _TEXTS)
    assert printed(text).splitlines() == [repr(eval(each, names)) for each in _TEXTS]


@pytest.mark.parametrize(
    "call",
    [
        "np.array2string(np.zeros(900), prefix=' ' * 10**6)", "np.array2string(np.zeros(3), formatter={'float': len})",
        "np.array2string(np.zeros(3), formatter={'float': lambda x: 1})", "np.binary_repr(1, width=10**10)",
        "np.array2string(np.zeros(3), edgeitems=10**6)",
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call: str) -> None:
    with pytest.raises(GradcliError):
        program(f"import numpy as np\n{call}\n").run()
