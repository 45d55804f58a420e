"""Python's own modules in programs: what they may take, and what stops them."""

from __future__ import annotations

import pytest

from gradcli.errors import LimitError, SpecError
from gradcli.spec.guard.limits import STRICT

from ..running import printed, program

ENDLESS = [
    ("from functools import partial", "partial(torch.zeros, 10**12)()", "E408"),
    ("from functools import reduce", "reduce(max, range(10**9))", "E403"),
    ("from itertools import count", "sum(count())", "E403"),
    ("from itertools import count, islice", "next(islice(count(), 10**12, None))", "E403"),
    ("from itertools import cycle", "max(cycle([1, 2]))", "E403"),
    ("from itertools import product", "product(range(10**6), range(10**6))", "E405"),
    ("from itertools import repeat", "list(repeat(0))", "E405"),
    ("from collections import deque", "deque().extend(range(10**6))", "E405"),
    ("from copy import deepcopy\nx = []\nx.append(x)", "deepcopy(x)", "E409"),
]


@pytest.mark.parametrize(("imports", "expression", "code"), ENDLESS, ids=[e for _, e, _ in ENDLESS])
def test_what_would_go_on_is_stopped(imports: str, expression: str, code: str) -> None:
    with pytest.raises(LimitError) as caught:
        program(f"import torch\n{imports}\n{expression}\n", limits=STRICT._replace(steps=200_000)).run()
    assert caught.value.code == code


def test_a_function_is_its_own_copy() -> None:
    text = "from copy import copy, deepcopy\ndef f(): return 1\nprint(copy(f) is f, deepcopy([f])[0] is f)\n"
    assert printed(text) == "True True\n"


def test_wrapping_gives_a_function_another_name() -> None:
    text = (
        "from functools import wraps\n"
        "def twice(f):\n    @wraps(f)\n    def inner(*args): return 2 * f(*args)\n    return inner\n"
        "@twice\ndef half(x):\n    'Half of it.'\n    return x / 2\n"
        "print(half(3), half.__name__, half.__doc__)\n"
    )
    assert printed(text) == "3.0 half Half of it.\n"


def test_flags_are_as_at_the_start_in_every_program() -> None:
    text = "import torch\nprint(torch.backends.cudnn.benchmark)\ntorch.backends.cudnn.benchmark = True\n"
    text += "print(torch.backends.cudnn.benchmark)\n"
    assert printed(text) == printed(text) == "False\nTrue\n"


@pytest.mark.parametrize("line", ["torch.backends.cudnn.other = 1", "torch.cuda.is_available = 1"])
def test_what_is_no_flag_cannot_be_set(line: str) -> None:
    with pytest.raises(SpecError) as caught:
        program(f"import torch\n{line}\n").run()
    name = line.split(" ")[0]
    assert str(caught.value) == f"{name} cannot be assigned to: a module is the same for all"


@pytest.mark.parametrize(
    ("module", "help"),
    [
        (
            "helpers",
            "code that needs it is checked by `gradcli check --python`; `gradcli docs language` lists what a spec can "
            "import",
        ),
        ("numpyy", "did you mean numpy?"),
        ("torhc", "did you mean torch?"),
    ],
)
def test_an_import_that_there_is_not_has_a_next_step(module: str, help: str) -> None:
    with pytest.raises(SpecError) as caught:
        program(f"import {module}\n").run()
    assert caught.value.help == help


def test_what_is_imported_and_never_used_ends_no_program() -> None:
    text = "import importlib, locale, multiprocessing as mp\nfrom decimal import Decimal\nimport xml.etree as E\n"
    assert printed(text + "print(1)\n") == "1\n"
    with pytest.raises(SpecError) as caught:
        program(text + "print(1)\nlocale.getlocale()\n").run()
    assert str(caught.value) == "locale.getlocale is not in the spec language"
    assert caught.value.span is not None
    assert caught.value.span.line == 5
