"""What programs are pasted with: names of Python's and PyTorch's that they lean on, and what stops them."""

from __future__ import annotations

import pytest

from gradcli.errors import LimitError, ProgramError, SpecError
from gradcli.spec.guard.limits import STRICT

from .running import printed, program

REFUSED = [
    ("from enum import Enum\nEnum('X', '__init__')", "'__init__' is no name of a member"),
    ("from enum import Enum\nEnum('X', {'_a': 1})", "'_a' is no name of a member"),
    ("class A(total=False): pass", "a class of a spec takes no total"),
    ("from typing import TypedDict\nTypedDict('X', {})", "TypedDict() is not in the spec language"),
    ("import numpy as np\nnp.einsum(np.ones(2), [0])", "numpy.einsum() takes its subscripts as a text here"),
    (
        "from torch import nn\nclass M(nn.Module):\n    def __call__(self): return 1\nnn.Module.__call__(M())",
        "the class of this module has a __call__ of its own",
    ),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[m for _, m in REFUSED])
def test_what_is_not_in_it_is_named(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        program(f"{text}\n").run()
    assert str(caught.value) == message


HELD = [
    ("import numpy as np", "np.einsum('i,j,k,l->ijkl', *[np.ones(1000)] * 4)"),
    ("import numpy as np", "np.einsum('i,j,k,l->', *[np.ones(1000)] * 4)"),
    ("import numpy as np", "np.einsum('...,...->...', np.ones((1000, 1, 1, 1)), np.ones((1, 1000, 1000, 1000)))"),
    ("import numpy as np", "np.histogram([1.0], 10**12)"),
    ("from itertools import count, tee", "max(tee(count())[0])"),
    ("from itertools import tee", "tee([1], 10**12)"),
    ("from fractions import Fraction", "Fraction(3, 2) ** 10**9"),
    ("from threading import Thread", "def f(): Thread(target=f).start()\nf()"),
]


@pytest.mark.filterwarnings("ignore::gradcli.spec.guard.notes.Note")
@pytest.mark.parametrize(("imports", "text"), HELD, ids=[t for _, t in HELD])
def test_what_would_go_on_is_stopped(imports: str, text: str) -> None:
    with pytest.raises((LimitError, SpecError)) as caught:
        program(f"import torch\n{imports}\n{text}\n", limits=STRICT._replace(steps=200_000)).run()
    assert caught.value.code[:2] == "E4" or isinstance(caught.value, LimitError)


@pytest.mark.parametrize("value", ["3", "object()", "torch.ones(1)", "nn.Linear", "lambda x: x"])
def test_the_call_of_a_module_is_for_modules(value: str) -> None:
    text = f"import torch\nfrom torch import nn\ntry: nn.Module.__call__({value}, 1)\nexcept TypeError as e: print(e)\n"
    assert printed(text).startswith("this is to be called with a module, not with '")


def test_a_lock_that_is_held_is_not_waited_for() -> None:
    text = "import threading\nlock = threading.Lock()\nlock.acquire()\nprint(lock.acquire(False))\n"
    assert printed(text) == "False\n"
    with pytest.raises(ProgramError) as caught:
        program(text + "lock.acquire()\n").run()
    assert "this lock is held" in str(caught.value)


def test_what_is_not_drawn_is_named() -> None:
    text = (
        "import torch\nfrom torch.distributions import Beta, Dirichlet, Gamma, Poisson\none = torch.ones(2)\n"
        "for d in (Beta(one, one), Dirichlet(one), Gamma(one, one), Poisson(one)):\n"
        "    try: d.sample()\n    except NotImplementedError as e: print(str(e)[:28])\n"
    )
    kinds = ("Beta", "Dirichlet", "Gamma", "Poisson")
    assert printed(text) == "".join(f"{f'{kind} is not drawn from here: '[:28]}\n" for kind in kinds)
