"""The small parts of an attack: names that lead to the host, values that lie, callables that are not the program's."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from gradcli.spec.torch_names.names import NAMESPACES
from gradcli.spec.values.user_definitions import SPECIAL
from tests.spec.harvest import all_names, private_names, python_names
from tests.spec.instances import ABSTRACT, expressions

# A name that nothing has: where the host itself looks for it, a program chose what the host looks for.
CANARY = "_canary_"

# The names that have opened most doors.
_FAMOUS = (
    "__class__ __dict__ __globals__ __init__ __getattribute__ __builtins__ __mro__ __subclasses__ __code__ __self__ "
    "__func__ __closure__ __reduce_ex__ __setstate__ __deepcopy__ __format__ _parameters _modules _buffers "
    "_forward_hooks _transient _name _shown _options _own _key _made _all_weights _node_types _saved _hooks "
    f"forward parametrizations args {CANARY}"
).split()

FUNCTIONS = (
    "print", "len", "type", "object", "getattr", "setattr", "vars", "repr", "int", "list", "dict", "sorted", "iter",
    "next", "id", "hash", "isinstance", "super", "property", "staticmethod", "torch.ones", "torch.tensor", "torch.sum",
    "F.relu", "nn.Linear", "nn.Module", "torch.Tensor", "torch.Size", "torch.Tensor.sum", "str.format", "dict.update",
    "[].append", "kept.append", "math.sin", "np.array", "copy.copy", "copy.deepcopy", "lambda *a, **k: a",
    "lambda *a, **k: k", "lambda *a: 1", "lambda *a: None", "lambda *a: x", "lambda a, *b: a", "lambda *a: liar",
    "liar", "Liar", "functools.partial(getattr, layer)", "functools.partial(print)", "operator.itemgetter(0)",
    "operator.attrgetter('a')", "exit", "open", "json.dumps", "re.sub", "torch.save", "functools.lru_cache",
    "functools.cache", "plt.plot",
    "torch.optim.SGD", "torch.no_grad()", "layer", "layer.forward", "layer.register_buffer", "Twice.apply", "Exception",
    "torch.autograd.backward", "torch.manual_seed", "nn.ReLU()", "x.add", "x.backward", "x.mul_",
)  # fmt: skip

NUMBERS = (
    "0", "1", "-1", "2", "2 ** 62", "-2 ** 63", "10 ** 9", "1e308", "float('nan')", "True", "None", "...", "0.5",
    "1e-300",
)  # fmt: skip
VALUES = (
    *NUMBERS, "''", "'a'", "'a' * 1999", "()", "[]", "{}", "[1, 2]", "(1, 2)", "{'a': 1}", "{1}", "range(3)",
    "range(10 ** 12)", "slice(1)", "iter([1])", "zip()", "torch", "nn", "F", "math", "np", "x", "y", "z", "x.grad_fn",
    "z.grad_fn", "layer", "opt", "net", "liar", "Liar", "Liar()", "torch.float64", "torch.int64", "np.ones(2)",
    "np.ones(1)[0]", "torch.zeros(0)", "torch.tensor(3)", "torch.randn(2, 3, requires_grad=True)", "(i for i in [1])",
    "Exception('x')", "TypeError", "nn.Parameter(torch.ones(2))", "layer.weight", "layer.state_dict()",
    "Colour.RED", "Colour.ODD", "Level.MUCH", "Level", "buffer", "re.compile('(a*)*b')", "re.match('(?P<a>.)', 'b')",
    "plt.x", "plt.subplots(2, 2)[1]", "pathlib.Path('/etc/passwd')", "open('a', 'w')", "types.SimpleNamespace(a=1)",
    "inspect.signature(scale)", "datetime.datetime.now()", "argparse.ArgumentParser()", "np.random.RandomState(0)",
    "logging.getLogger()", "os", "sys.stdout", "sys.modules", "os.environ",
    "opt.state_dict()",
    "kept", "torch.Generator()", "[liar]", "{'a': liar}", "(liar, liar)", "nn.Module", "Twice",
    "torch.autograd.Function",
    "str", "type", "object", "int", "b", "'{0.__class__}'", "'%(__class__)s'", "'{x.__init__.__globals__}'",
)  # fmt: skip

_TRYING = """\
import torch
kept = []
def t(f):
    try:
        v = f()
        kept.append(v)
        return v
    except Exception as e:
        kept.append(e)
"""
# What programs use, by name: each of them begins with what it needs of these, in this order.
_PARTS = {
    **{name: f"import {name}" for name in (
        "collections", "contextlib", "copy", "dataclasses", "enum", "functools", "itertools", "operator", "random",
        "warnings", "typing", "argparse", "csv", "datetime", "glob", "heapq", "inspect", "io", "json", "logging", "os",
        "pathlib", "pickle", "pprint", "re", "shutil", "statistics", "sys", "textwrap", "time", "timeit", "types",
        "string", "unicodedata",
    )},
    "plt": "import matplotlib.pyplot as plt",
    "np": "import numpy as np",
    "futures": "from concurrent import futures",
    "fwAD": "import torch.autograd.forward_ad as fwAD",
    "match_of": """\
class Liar: pass
def match_of(v):
    match v:
        case [a, *b] | {'a': a, **b}:
            return a, b
        case str() | int() | float():
            return v
        case Liar(a, b) | nn.Module(weight=a, bias=b):
            return a, b
        case object(__dict__=a, _name=b) | torch.Tensor(grad_fn=a, shape=b):
            return a, b
        case _ if v:
            return v
        case _:
            return None""",
    "Colour": "import enum\nclass Colour(str, enum.Enum):\n    RED = 'a'\n    ODD = print",
    "Level": "import enum\nclass Level(enum.IntEnum):\n    ONE = 1\n    MUCH = 2 ** 62",
    "buffer": "import io\nbuffer = io.StringIO('a\\nb')",
    "checkpoint": "from torch.utils.checkpoint import checkpoint",
    "DataLoader": "from torch.utils.data import DataLoader",
    "TensorDataset": "from torch.utils.data import TensorDataset",
    "parametrize": "import torch.nn.utils.parametrize, torch.nn.utils.parametrizations",
    "rnn": "import torch.nn.utils.rnn",
    "scale": "def scale(epoch):\n    return 0.5",
    "x": "x = torch.ones(2, 2, requires_grad=True)",
    "y": "y = torch.ones(2, requires_grad=True) * 2",
    "z": "x = torch.ones(2, 2, requires_grad=True)\nz = (x * 2).sum()",
    "p": "p = nn.Parameter(torch.ones(2))",
    "opt": "p = nn.Parameter(torch.ones(2))\nopt = torch.optim.SGD([p], lr=0.1, momentum=0.9)",
    "layer": "layer = nn.Linear(2, 1)",
    "net": "net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())",
    "b": "b = nn.ParameterDict({'a': torch.ones(2)})",
    "Twice": """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, *n):
        kept.append(ctx)
        ctx.save_for_backward(t)
        return t * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2, None""",
}  # fmt: skip


def whole(text: str, random: Random) -> str:
    """A program with what it uses before it."""
    if "iar" in text and "class Liar" not in text:
        text = liar(random) + text
    words = set(re.findall(r"\w+", text))
    return _TRYING + "".join(f"{part}\n" for name, part in _PARTS.items() if name in words) + text


LIARS = sorted(SPECIAL - {"__doc__", "__init__", "__post_init__"})


def name(random: Random) -> str:
    """A name that leads to the host, or may."""
    roll = random.random()
    if roll < 0.35:
        return random.choice(_FAMOUS)
    if roll < 0.65:
        return random.choice(private_names())
    return random.choice(python_names() if roll < 0.85 else all_names())


def quoted(random: Random) -> str:
    """A name as a string of a program."""
    return repr(name(random))


def template(random: Random) -> str:
    """A text that names attributes to whoever fills it in."""
    n, other = name(random), name(random)
    return repr(
        random.choice(
            (
                f"{{0.{n}}}", f"{{0.{n}.{other}}}", f"{{x.{n}}}", f"{{0[{n}]}}", f"%({n})s", f"{{{n}}}", f"{{0!r:{n}}}",
                f"{{:{{1.{n}}}}}", f"{{{n}.{other}}}", "%s%r%d", "{0:>{1}}", f"{n}.{other}",
            )
        )
    )  # fmt: skip


def function(random: Random) -> str:
    """Something that can be called."""
    roll = random.random()
    if roll < 0.75:
        return random.choice(FUNCTIONS)
    return op(random) if roll < 0.9 else f"{random.choice(VALUES)}.{name(random)}"


def value(random: Random, depth: int = 0) -> str:
    """Some value."""
    roll = random.random()
    if roll < 0.5:
        return random.choice(VALUES)
    if roll < 0.62:
        return quoted(random)
    if roll < 0.68:
        return template(random)
    if roll < 0.78:
        return function(random)
    if roll < 0.84:
        return random.choice(instances())
    if depth > 1:
        return "1"
    inner = value(random, depth + 1)
    return random.choice((f"[{inner}]", f"({inner},)", f"{{{quoted(random)}: {inner}}}", f"({inner}).{name(random)}"))


def op(random: Random) -> str:
    """One of the functions that are offered."""
    return random.choice(_offered())


@cache
def _offered() -> tuple[str, ...]:
    spaces = (
        "torch", "torch.nn.functional", "torch.linalg", "torch.special", "torch.nn.init", "torch.nn.utils",
        "torch.func",
        "torch.autograd", "torch.autograd.functional", "torch.autograd.graph", "math", "random",
    )  # fmt: skip
    found = [f"{space}.{n}" for space in spaces for n in NAMESPACES[space].names() if not n.startswith("_")]
    found += [f"np.{n}" for n in NAMESPACES["numpy"].names() if not n.startswith("_")]
    return tuple(text for text in found if text.rpartition(".")[2] not in ("gradcheck", "gradgradcheck"))


@cache
def instances() -> tuple[str, ...]:
    """What makes an instance of a class of the host's."""
    return tuple(text for name, text in expressions().items() if name not in ABSTRACT)


def liar(random: Random, base: str = "") -> str:
    """A class whose special methods answer what they like, and something else the next time."""
    methods = random.sample(LIARS, random.randint(1, 12))
    lines = [f"class Liar({base}):" if base else "class Liar:", "    n = 0"]
    for method in methods:
        lines += [f"    def {method}(self, *args):", f"        {answer(random)}"]
    return "\n".join(lines) + "\nliar = Liar()\n"


def answer(random: Random) -> str:
    """What a method does."""
    roll = random.random()
    if roll < 0.3:
        return f"return {random.choice((*NUMBERS, 'self', 'args', '[self]', 'str', quoted(random)))}"
    if roll < 0.7:
        options = ", ".join(value(random, 2) for _ in range(3))
        return f"Liar.n += 1; return [{options}][Liar.n % 3]"
    if roll < 0.8:
        return f"raise {random.choice(('ValueError', 'StopIteration', 'KeyError(1)', 'AttributeError', 'IndexError'))}"
    if roll < 0.9:
        return f"return (kept.clear(), {value(random, 2)})[1]"
    return f"return {value(random, 2)}"
