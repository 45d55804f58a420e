# ruff: noqa: E501 (programs on one line)
"""The modules that came later: what a program hands to them reaches no host, costs what it takes, and does not lie."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradcli.errors import GradcliError
from tests.cli.invoke import gradcli
from tests.rings import sampled

from ..running import printed, program

pytestmark = pytest.mark.filterwarnings("ignore")


def refused(text: str) -> str:
    with pytest.raises(GradcliError) as caught:
        program(text).run()
    return str(caught.value)


# -- what our own library uses ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", [
    "import _notes", "from _notes import note", "import _files", "from _files import files", "import _files as f",
    "def f():\n    from _notes import note\n    note('anything')\nf()",
])  # fmt: skip
def test_modules_of_our_library_are_no_programs_modules(text: str) -> None:
    assert refused(text).startswith("a spec cannot import _")


def test_a_program_that_may_do_without_them_goes_on() -> None:
    assert (
        printed("try:\n    import _files\nexcept ImportError:\n    print('none')\nimport os\nprint(os.sep)\n")
        == "none\n/\n"
    )


# -- addresses ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [
    "import re\nprint(re.escape([print]))",
    "import json\nprint(json.dumps([1, 2], separators=([print], '')))",
    "import json\nprint(json.dumps([1, 2], separators='ab c'))",
    "import operator\nclass S:\n    def split(self, by):\n        return ['__globals__']\nprint(operator.attrgetter(S())(print))",
])  # fmt: skip
def test_what_is_no_text_is_not_made_one(text: str) -> None:
    assert refused(text).startswith("TypeError: ")


@pytest.mark.parametrize("expression", [
    "str(FileNotFoundError(2, print, [print]))", "str(E.A)", "repr(E.A)", "f'{I.A}'", "str(I.A)", "'%s' % E.A",
])  # fmt: skip
def test_no_true_address_is_shown(expression: str) -> None:
    text = "import enum\nclass E(str, enum.Enum):\n    A = print\nclass I(enum.IntEnum):\n    A = [print]\n"
    shown = printed(f"{text}print({expression})\n")
    assert hex(id(print)) not in shown
    assert "0x7" not in shown


# -- costs ----------------------------------------------------------------------------------------------


TOO_MUCH = {
    "a template": r"import re" "\n" r"re.sub('a+', r'\g<0>' * 18_000, 'a' * 90_000)",
    "an indent": "import json\nx = 1\nfor i in range(149):\n    x = [x]\njson.dumps(x, indent=90_000)",
    "separators": "import json\njson.dumps([1] * 90_000, separators=('x' * 90_000, ':'))",
    "a name": "import matplotlib.pyplot as plt\na = plt.x\nfor i in range(99):\n    a = getattr(a, 'b' * 2_000)",
    "parts": "import numpy as np\nnp.array_split(np.ones(3), 200_000)",
    "nothing of much": "import numpy as np\nnp.tile(np.ones(2), (10 ** 12, 0))",
}


@pytest.mark.parametrize("text", TOO_MUCH.values(), ids=list(TOO_MUCH))
def test_a_size_is_looked_at_before_it_is_used(text: str) -> None:
    with pytest.raises(GradcliError) as caught:
        program(text).run()
    assert caught.value.code in ("E405", "E408")


@pytest.mark.parametrize("text", [
    "import re\np = re.compile('a' * 900 + 'b')\nfor i in range(99):\n    p.search('a' * 9_000)",
    "import re\np = re.compile('a?' * 4_000)\nfor i in range(999):\n    p.match('')",
    r"import re" "\n" r"for i in range(2_000):" "\n" r"    re.sub('a', r'\g<0>' * 1_000, 'a')",
])  # fmt: skip
def test_long_patterns_take_steps(text: str) -> None:
    few = program("import re\nre.search('a', 'a')").limits.replace(steps=60_000)
    with pytest.raises(GradcliError, match="steps"):
        program(text, limits=few).run()


def test_numpy_differences_end_when_nothing_is_left() -> None:
    text = "import numpy as np\nprint(np.diff(np.ones((2, 3)), 10 ** 15).shape, np.diff([1, 4, 9]), np.diff([[1], [3]], 1, 0))"
    assert printed(text) == "(2, 0) [3 5] [[2]]\n"


MUCH = "import enum, math\nimport numpy as np\nclass E(enum.IntEnum):\n    MUCH = 10 ** 18\n    LESS = -10 ** 18\n"


@pytest.mark.parametrize(
    "call",
    ["math.factorial(E.MUCH)", "math.factorial(np.array([10 ** 9])[0])", "math.comb(E.MUCH, 9)", "math.perm(E.MUCH)"],
)
def test_whatever_stands_for_a_number_is_counted_as_one(call: str) -> None:
    assert refused(f"{MUCH}{call}\n") == "this integer has more than 4,300 digits"


def test_a_number_is_rounded_to_any_place() -> None:
    assert (
        printed(
            f"{MUCH}print(round(7, E.LESS), round(7, np.array([-10 ** 15])[0]), round(1.25, 1), math.perm(3, None))"
        )
        == "0 0 1.2 6\n"
    )


def test_a_key_of_a_pattern_is_not_hashed_to_death() -> None:
    text = "t = ()\nfor i in range(5_000):\n    t = (t,)\nclass A:\n    k = t\nmatch {1: 2}:\n    case {A.k: v}:\n        print(v)\n"
    assert refused(text) == "this value holds itself, or is far too large when written out"


# -- what a pattern may be ------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", ["(?<=a|bc)d", "(?<=a*)d", "(?<!ab?)c", "(?:(?<=(a+))b)*"])
def test_what_python_refuses_to_compile_is_refused(pattern: str) -> None:
    import re

    with pytest.raises(re.error) as python:
        re.compile(pattern)
    text = f"import re\ntry:\n    re.compile({pattern!r})\nexcept re.error as e:\n    print(e)\n"
    assert printed(text) == f"{python.value}\n"


# -- the end of a program -------------------------------------------------------------------------------

STATUS = "import enum\nimport numpy as np\nclass Liar:\n    def __eq__(self, other):\n        return True\n    def __hash__(self):\n        return 0\nclass L(enum.IntEnum):\n    OK = 0\n    BAD = 4\n"
WELL = ["", "0", "None", "False", "L.OK"]
BADLY = [
    "1",
    "True",
    "0.0",
    "''",
    "'0'",
    "[]",
    "Liar()",
    "torch.tensor(0)",
    "torch.zeros(2)",
    "np.zeros(2)",
    "L.BAD",
    "np.zeros(1)[0]",
]


@pytest.mark.parametrize("status", [*WELL, *BADLY])
def test_a_program_ends_well_where_python_says_so(status: str) -> None:
    if status in WELL:
        assert printed(f"{STATUS}exit({status})\n") == ""
    else:
        assert refused(f"{STATUS}exit({status})\n").startswith("the program ended itself: ")
    if "torch" not in status:
        done = subprocess.run(
            [sys.executable, "-c", f"{STATUS}exit({status})\n"], stderr=subprocess.DEVNULL, check=False
        )
        assert (done.returncode == 0) is (status in WELL)


WRONG = """\
x = torch.tensor(2.0, requires_grad=True)
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        {inside}
        return g * 17
{before}
y = F.apply(x)
{after}
y.backward()
{last}
"""


@sampled(4)
@pytest.mark.parametrize("place", ["inside", "before", "after", "last"])
@pytest.mark.parametrize("end", ["exit(0)", "import sys; sys.exit()", "if x.item() != 2: exit(0)"])
def test_an_end_makes_no_gradient_right(place: str, end: str, tmp_path: Path) -> None:
    if place == "inside":
        end = end.replace("x.item()", "ctx.saved_tensors[0].item()")
    path = tmp_path / "spec.py"
    path.write_text(WRONG.format(**{**dict.fromkeys(("inside", "before", "after", "last"), "pass"), place: end}))
    done = gradcli("check", str(path), env=dict(os.environ))
    assert done.returncode in (1, 2), done.stdout
    assert "0 right" in done.stdout


# -- what is only given ---------------------------------------------------------------------------------

GIVEN = "import re, inspect\nimport numpy as np\nimport matplotlib.pyplot as plt\n"


@pytest.mark.parametrize("making", [
    "re.Match(re.compile('a'), [print], [(0, 1)])", "type(re.match('a', 'a'))('a', 'a', [])", "re.Pattern('a', 0)",
    "inspect.Signature({}, [print])", "inspect.Parameter('a', 'b', 1, [print])", "inspect.Parameter.empty()",
    "type(plt.x)([print])", "type(plt.x)('a', (10 ** 9,))", "type(np.random.RandomState(0))(print)",
    "type(np.random.default_rng(0))(print)", "list(map(re.Match, [1], [2], [3]))",
])  # fmt: skip
def test_what_a_program_is_given_it_cannot_make(making: str) -> None:
    assert refused(f"{GIVEN}{making}\n").startswith("TypeError: cannot create ")


def test_its_classes_are_classes_all_the_same() -> None:
    text = f"{GIVEN}def f(a, b=1): pass\np = inspect.signature(f).parameters\n"
    text += "print(p['a'].default is inspect.Parameter.empty, p['b'].default)\n"
    text += "print(isinstance(re.match('a', 'a'), re.Match), isinstance(re.compile('a'), re.Pattern), type(p['a']))\n"
    text += "match re.match('a', 'a'):\n    case re.Match(string=s):\n        print(s)\n"
    assert printed(text) == "True 1\nTrue True <class 'inspect.Parameter'>\na\n"


# -- element types of arrays ----------------------------------------------------------------------------

TYPES = "import math, operator\nfrom functools import reduce\nimport numpy as np\na = np.ones(2, np.float32)\n"


@pytest.mark.parametrize("expression", [
    "np.float32 * 2", "2 * np.float32", "math.prod([np.float32, 2])", "reduce(operator.mul, [np.float32, 2])",
    "operator.mul(np.float32, 2)", "a.dtype * 2", "math.prod([a.dtype, 2])", "a.dtype['x']", "len(a.dtype)",
    "np.float32 < np.float64", "a.dtype < np.float64", "a.dtype(3)", "type(a.dtype)('O')", "np.floating(3)",
])  # fmt: skip
def test_no_element_type_is_made_of_others(expression: str) -> None:
    assert refused(f"{TYPES}{expression}\n").startswith("TypeError: ")


def test_element_types_are_told_apart_as_numpy_tells_them() -> None:
    expressions = (
        "np.float32", "a.dtype", "repr(a.dtype)", "a.dtype == np.float32", "a.dtype == 'float32'", "a.dtype == float",
        "a.dtype == 'f4,f4'", "a.dtype.type is np.float32", "np.float32(2.5) * 2", "type(a[0]) is np.float32",
        "isinstance(a[0], np.floating)", "np.issubdtype(a.dtype, np.integer)", "np.issubdtype(np.int32, np.number)",
        "np.int64([1.5, 2])", "np.bool_(3)", "list(map(np.float64, [1, 2.5]))", "{np.float32: 1}[np.float32]",
        "np.zeros(2, a.dtype).dtype.name", "a.astype(np.float64).dtype",
    )  # fmt: skip
    names = {"np": np, "a": np.ones(2, np.float32)}
    expected = "".join(f"{eval(expression, names)}\n" for expression in expressions)
    assert printed(TYPES + "".join(f"print({expression})\n" for expression in expressions)) == expected


def test_days_and_times_refuse_what_python_refuses() -> None:
    text = """import datetime
values = (datetime.datetime(2020, 1, 2), datetime.date(2020, 1, 2), datetime.timedelta(days=2), 1, 'a')
for a in values:
    for b in values:
        for operate in (lambda: a < b, lambda: a <= b, lambda: a - b, lambda: a + b, lambda: a == b):
            try:
                shown.append(str(operate()))
            except TypeError:
                shown.append('refused')
"""
    expected: list[str] = []
    exec(text, {"shown": expected})
    assert printed(f"shown = []\n{text}print(shown)\n") == f"{expected}\n"


def test_a_module_that_is_not_made_yet_is_not_called() -> None:
    text = "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        self()\nNet()\n"
    assert refused(text) == "AttributeError: 'Net' object has no attribute '_backward_hooks'"


def test_a_module_may_be_made_by_a_new_of_its_class() -> None:
    text = """\
from torch import nn
class One(nn.Module):
    made = None
    def __new__(cls, *args):
        if cls.made is None:
            cls.made = nn.Module.__new__(cls)
        return cls.made if args else "nothing"
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 1)
print(One(), One(2) is One(3), One.made)
empty = object.__new__(One)
for use in (lambda: list(empty.parameters()), lambda: setattr(empty, "layer", nn.Linear(1, 1)), lambda: empty(1)):
    try:
        use()
    except AttributeError as error:
        print(error)
"""
    told = (
        "nothing True One(\n  (layer): Linear(in_features=3, out_features=1, bias=True)\n)\n"
        "'One' object has no attribute '_parameters'\n"
        "cannot assign module before Module.__init__() call\n"
        "'One' object has no attribute '_backward_hooks'\n"
    )
    assert printed(text) == told
