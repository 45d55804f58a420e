"""What a program may use of Python's and NumPy's own modules: random numbers, data classes, arrays."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gradcli.errors import GradcliError, LimitError, SpecError

from .running import printed, program

DRAWN = "import random\nimport numpy as np\nprint(random.random(), np.random.rand())\n"


def test_without_a_seed_the_numbers_are_those_of_the_programs_seed() -> None:
    assert printed(DRAWN) == printed(DRAWN)
    assert printed(DRAWN, seed=1) != printed(DRAWN)
    assert printed(DRAWN, seed=3) == f"{random.Random(3).random()} {np.random.RandomState(3).rand()}\n"


def test_no_program_leaves_numbers_behind() -> None:
    random.seed(5)
    np.random.seed(5)
    expected = random.Random(5).random(), np.random.RandomState(5).rand()
    printed(f"import random\nimport numpy as np\nrandom.seed(1)\nnp.random.seed(1)\n{DRAWN}")
    assert (random.random(), np.random.rand()) == expected


def test_a_field_with_a_meaning_inside_python_is_refused() -> None:
    with pytest.raises(SpecError) as caught:
        program("from dataclasses import dataclass\n@dataclass\nclass A:\n    __dict__: int\n").run()
    assert caught.value.message == "a class of a spec may not annotate __dict__"


def test_the_init_of_a_data_class_is_for_its_own_instances() -> None:
    text = (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    body: int\ndef f():\n    pass\nA.__init__(f, 1)\n"
    )
    with pytest.raises(GradcliError) as caught:
        program(text).run()
    assert caught.value.message == "TypeError: A.__init__() is for instances of A, not for function"


@pytest.mark.parametrize("option", ["weakref_slot=True", "match_args=False"])
def test_an_option_of_data_classes_that_there_is_not_is_named(option: str) -> None:
    with pytest.raises(SpecError) as caught:
        program(f"from dataclasses import dataclass\n@dataclass({option})\nclass A:\n    x: int\n").run()
    assert caught.value.message == f"dataclass({option.partition('=')[0]}=...) is not in the spec language"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("np.array(['a'])", "arrays hold numbers in the spec language, and this is a str"),
        ("np.zeros(2, dtype=object)", "this is no element type of arrays in the spec language"),
        ("np.sum([1], 0, 'O')", "arrays hold numbers in the spec language, and this is a str"),
        ("np.sin([1], subok=True)", "numpy.sin(subok=...) is not in the spec language"),
        ("np.random.shuffle({})", "numpy.random.shuffle() takes a list or an array in the spec language"),
    ],
)
def test_arrays_of_anything_but_numbers_are_refused(call: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        program(f"import numpy as np\n{call}\n").run()
    assert caught.value.message == message


@pytest.mark.parametrize("call", ["np.zeros(10 ** 9)", "np.arange(0, 1, 1e-12)", "np.random.rand(10 ** 5, 10 ** 5)"])
def test_arrays_that_are_too_large_are_not_made(call: str) -> None:
    with pytest.raises(LimitError):
        program(f"import numpy as np\n{call}\n").run()


def test_of_numpy_there_is_no_more_than_is_listed() -> None:
    with pytest.raises(SpecError) as caught:
        program("import numpy as np\nnp.memmap('x')\n").run()
    assert caught.value.message == "numpy has no name 'memmap' in gradcli"


def test_an_enumeration_without_members_is_the_base_of_others() -> None:
    text = (
        "from enum import Enum\nclass Base(Enum):\n    def up(self):\n        return self.name.upper()\n"
        "class Mode(Base):\n    on = 1\n    _made = 2\nprint(Mode.on.up(), list(Mode), Mode(1))\n"
    )
    assert printed(text) == "ON [<Mode.on: 1>] Mode.on\n"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("E.A = 2", "AttributeError: cannot reassign member 'A'"),
        ("E.A.value = 2", "AttributeError: <enum 'Enum'> cannot set attribute 'value'"),
        ("class F(E):\n    B = 2", "TypeError: <enum 'F'> cannot extend <enum 'E'>"),
        ("P(1).a = 2", "AttributeError: can't set attribute"),
        ("P(1)._replace(b=2)", "ValueError: Got unexpected field names: ['b']"),
        ("P._make([1, 2])", "TypeError: Expected 1 arguments, got 2"),
    ],
)
def test_members_and_rows_stay_what_they_are(statement: str, message: str) -> None:
    made = "import enum, collections\nclass E(enum.Enum):\n    A = 1\nP = collections.namedtuple('P', 'a')\n"
    with pytest.raises(GradcliError) as caught:
        program(made + statement + "\n").run()
    assert caught.value.message == message


def test_a_named_tuple_may_be_generic_and_made_by_a_call() -> None:
    text = (
        "from typing import Generic, NamedTuple, TypeVar\nT = TypeVar('T')\n"
        "class P(NamedTuple, Generic[T]):\n    x: T\nprint(P(1), NamedTuple('Q', [('y', int)])(2))\n"
    )
    assert printed(text) == "P(x=1) Q(y=2)\n"


def test_a_data_class_that_holds_itself_is_cut_short() -> None:
    text = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\na = A()\na.x = [a]\nprint(a, a)\n"
    assert printed(text) == "A(x=[...]) A(x=[...])\n"


def test_the_attributes_of_an_object_are_read_as_a_dict() -> None:
    text = (
        "class Meter:\n    def __init__(self):\n        self.name, self.val = 'loss', 1.5\n"
        "    def __str__(self):\n        return '{name} {val:.2f}'.format(**self.__dict__)\n"
        "m = Meter()\nprint(m, vars(m), type(vars(m)), {**m.__dict__, 'n': 1})\n"
    )
    assert printed(text) == (
        "loss 1.50 {'name': 'loss', 'val': 1.5} <class 'dict'> {'name': 'loss', 'val': 1.5, 'n': 1}\n"
    )
    change = "m.__dict__.update(val=2)\nm.__dict__['k'] = 3\nprint(m.val, m.__dict__.pop('k'), hasattr(m, 'k'))\n"
    assert printed(f"{text}{change}").splitlines()[-1] == "2 3 False"
    with pytest.raises(SpecError) as caught:
        program(f"{text}m.__dict__['__class__'] = 1\n").run()
    assert caught.value.message.startswith("an object cannot have an attribute '__class__' by its __dict__")


@pytest.mark.parametrize(
    "block",
    [
        "autograd.graph.saved_tensors_hooks(abs, abs)",
        "autograd.graph.disable_saved_tensors_hooks('no')",
        "autograd.graph.allow_mutation_on_saved_tensors()",
        "inference_mode()",
        "autocast('cpu')",
    ],
)
def test_no_block_that_a_program_leaves_open_is_open_in_the_next(block: str) -> None:
    printed(f"import contextlib, torch\nstack = contextlib.ExitStack()\nstack.enter_context(torch.{block})")
    text = (
        "import torch\nwith torch.autograd.graph.allow_mutation_on_saved_tensors():\n"
        "    y = (torch.ones(1, requires_grad=True) @ torch.ones(1)).exp()\nprint(y)"
    )
    assert printed(text) == "tensor(2.7183, grad_fn=<ExpBackward0>)\n"


def test_a_thread_begins_with_modes_of_its_own_and_leaves_others_alone() -> None:
    text = """
import threading, torch
def show(): print(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu"))
def leave(): torch.set_grad_enabled(False)
for block in (torch.no_grad(), torch.inference_mode(), torch.autocast("cpu")):
    with block:
        for target in (show, leave):
            threading.Thread(target=target).start()
        show()
show()
"""
    with pytest.warns(match="threads run one after the other"):
        found = printed(text)
    # As PyTorch prints it.
    assert found == (
        "True False False\nFalse False False\nTrue False False\nFalse True False\n"
        "True False False\nTrue False True\nTrue False False\n"
    )
