# ruff: noqa: E501 (programs on one line)
"""Areas below curves: QUADPACK's numbers to the bit, over any range, and its error beside them."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError

from ..running import printed, program

_PROGRAM = """\
import math
from scipy.integrate import dblquad, nquad, quad, tplquad
inf = math.inf
curves = {
    "bell": lambda x: 1 / (1 + x * x), "steep": lambda x: 1 / (1e-4 + (x - 0.2) ** 2), "corner": lambda x: abs(x - 0.3),
    "root": lambda x: math.sqrt(abs(x)), "tail": lambda x: x * x / (1 + x**4), "pole": lambda x: 1 / math.sqrt(abs(x) + 1e-16) / (1 + x * x),
}
for name, curve in curves.items():
    for a, b in ((0, 1), (-1, 2), (1, 0), (0, inf), (-inf, inf), (-inf, -2)):
        if name not in ("corner", "root") or inf not in (-a, b):
            print(name, a, b, quad(curve, a, b))
print(quad(lambda x, k: k * x, 0, 1, args=(3,)), quad(curves["steep"], 0, 2, epsabs=1e-12, epsrel=1e-12, limit=100), quad(abs, 2, 2))
print(dblquad(lambda y, x: x * y * y, 0, 1, 0, lambda x: 1 + x), dblquad(lambda y, x: 1 / (1 + x * x + y * y) ** 2, -inf, inf, -inf, inf))
print(tplquad(lambda z, y, x: x * y * z, 0, 1, 0, lambda x: x, lambda x, y: 0, lambda x, y: x + y), nquad(lambda x, y, a: a * x * y, [lambda y, a: [0, y], [0, 1]], args=(2.0,)))
"""
_PRINTED = """\
bell 0 1 (0.7853981633974484, 8.719671245021581e-15)
bell -1 2 (1.892546881191539, 2.040024582366986e-11)
bell 1 0 (-0.7853981633974484, 8.719671245021581e-15)
bell 0 inf (1.5707963267948966, 2.5777915205519274e-10)
bell -inf inf (3.141592653589793, 5.155583041103855e-10)
bell -inf -2 (0.4636476090008061, 4.110950821070726e-10)
steep 0 1 (307.91349088484856, 2.3190359625668844e-08)
steep -1 2 (312.7704014748972, 3.5857185156110874e-06)
steep 1 0 (-307.91349088484856, 2.3190359625668844e-08)
steep 0 inf (309.1634257867851, 2.2019751738863724e-06)
steep -inf inf (314.1592653589794, 2.199697629358399e-06)
steep -inf -2 (0.4545423241059245, 2.4892250866903565e-10)
corner 0 1 (0.2899999999999998, 3.219646771412952e-16)
corner -1 2 (2.290000000028775, 1.153512027007786e-09)
corner 1 0 (-0.2899999999999998, 3.219646771412952e-16)
root 0 1 (0.6666666666666669, 7.401486830834379e-16)
root -1 2 (2.552284749830794, 2.833605294661805e-15)
root 1 0 (-0.6666666666666669, 7.401486830834379e-16)
tail 0 1 (0.2437477471996805, 3.0721488600521344e-12)
tail -1 2 (0.8605104306618332, 1.4409527055933569e-08)
tail 1 0 (-0.2437477471996805, 3.0721488600521344e-12)
tail 0 inf (1.1107207345395917, 2.2388307780499386e-09)
tail -inf inf (2.2214414690791835, 4.477661556099877e-09)
tail -inf -2 (0.4939580510774382, 2.040892041666674e-09)
pole 0 1 (1.7339459746797554, 1.0946933803879233e-08)
pole -1 2 (3.74153730851518, 4.095868533227076e-09)
pole 1 0 (-1.7339459746797554, 1.0946933803879233e-08)
pole 0 inf (2.2214414690802493, 1.6897257371084606e-08)
pole -inf inf (4.442882938160499, 3.379451474216921e-08)
pole -inf -2 (0.21385013524369637, 3.6902687294837477e-09)
(1.5, 1.6653345369377348e-14) (308.6078759467158, 2.7048000164506793e-11) (0.0, 0.0)
(0.8166666666666667, 2.944554389080178e-14) (3.1415926441881585, 1.3969427827254683e-08)
(0.11805555555555557, 2.1916761217856673e-14) (0.25, 1.1030064411555578e-14)
"""


def test_areas_are_quadpacks() -> None:
    """What SciPy 1.17 prints."""
    assert printed(_PROGRAM) == _PRINTED


@pytest.mark.parametrize("call", ["quad(lambda x: 1 / x, 0, 1)", "quad(lambda x: 1.0, 0, math.inf)", "quad(abs, -1, 1, points=[0])"])
def test_what_scipy_warns_of_is_refused(call: str) -> None:
    with pytest.raises(GradcliError, match=r"scipy\.integrate\.quad\(\)"):
        program(f"import math\nfrom scipy.integrate import quad\n{call}\n").run()
