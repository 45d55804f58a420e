"""Random arrays of a program are NumPy's own, to the bit: from whatever seed, and by generators of both kinds."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.errors import GradcliError

from ..running import printed, program

_DRAWN = (
    "np.random.default_rng([1, 2]).random(2)", "np.random.RandomState([3, 4]).rand(2)",
    "np.random.default_rng(np.random.SeedSequence(7)).random(2)",
    "np.random.Generator(np.random.PCG64(5)).standard_normal(3)",
    "[np.random.Generator(bits(3)).random() for bits in (np.random.MT19937, np.random.Philox, np.random.SFC64)]",
    "[g.integers(100) for g in np.random.default_rng(3).spawn(3)]",
    "[np.random.default_rng(s).random() for s in np.random.SeedSequence(3).spawn(2)]",
    "np.random.SeedSequence(5).generate_state(3), np.random.SeedSequence(5).entropy",
    "np.random.default_rng(1).choice([[1, 2], [3, 4], [5, 6]], 2, axis=1)",
    "np.random.default_rng(1).choice(10, 4, replace=False, shuffle=False)",
    "np.random.default_rng(2).permutation([[1, 2, 3], [4, 5, 6]], axis=1)",
    "np.random.default_rng(2).bytes(5), np.random.RandomState(2).bytes(3)",
    "np.random.default_rng(4).multivariate_hypergeometric([3, 4, 5], 4, size=2)",
    "np.random.RandomState(1).tomaxint(), np.random.default_rng(2).bit_generator.state['state']",
    "isinstance(np.random.RandomState(1), np.random.RandomState)",
    "isinstance(np.random.default_rng(1), np.random.Generator)",
    "(lambda r: (r.seed(5), r.rand()))(np.random.RandomState(1))",
    "np.percentile(np.arange(7.0), [10, 33], method='hazen'), np.quantile([3.0, 1.0, 2.0], 0.4, method='inverted_cdf')",
)  # fmt: skip


def test_what_is_drawn_is_numpys() -> None:
    """Each line as NumPy itself gives it here."""
    text = "import numpy as np\n" + "".join(f"print(repr(({call})))\n" for call in _DRAWN)
    assert printed(text).splitlines() == [line for call in _DRAWN for line in repr(eval(call, {"np": np})).splitlines()]


@pytest.mark.parametrize(
    "call",
    [
        "np.random.SeedSequence(1).spawn(10**9)", "np.random.SeedSequence(1).generate_state(10**9)",
        "np.random.default_rng(1).spawn(10**9)", "np.random.default_rng(1).bytes(10**10)",
        "np.random.default_rng(1).multivariate_hypergeometric([10**12, 1], 2, method='count')",
        "np.random.default_rng(1).choice(np.zeros((2, 1000)), 10**7, axis=0)",
    ],
)  # fmt: skip
def test_what_is_too_large_is_refused(call: str) -> None:
    with pytest.raises(GradcliError, match=r"limit|too"):
        program(f"import numpy as np\n{call}\n").run()


def test_generators_are_of_one_kind() -> None:
    for call in ("np.random.RandomState(1).integers(3)", "np.random.default_rng(1).rand(2)", "np.random.Generator(5)"):
        with pytest.raises(GradcliError, match="has no attribute"):
            program(f"import numpy as np\n{call}\n").run()


def test_generators_say_what_they_draw_from() -> None:
    text = "import numpy as np\nr, old = np.random.default_rng(0), np.random.RandomState(0)\n"
    assert printed(text + "print(r, str(old), f'{r}')") == "Generator(PCG64) RandomState(MT19937) Generator(PCG64)\n"
