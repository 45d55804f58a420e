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


@pytest.mark.parametrize("option", ["slots=True", "kw_only=True", "unsafe_hash=True"])
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
        ("np.sin([1], out=np.ones(1))", "numpy.sin(out=...) is not in the spec language"),
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
        program("import numpy as np\nnp.load('x')\n").run()
    assert caught.value.message == "numpy has no name 'load' in gradcli"
