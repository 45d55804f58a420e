"""What is read from disk for what: a start pays for nothing that the program does not use."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import shutil
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli import fft, linalg, nn, optim, special
from gradcli.engine import offers, ops, registry
from gradcli.nn import functional as F
from tests.rings import long

ROOT = Path(gradcli.__file__).parent
OPS = ROOT / "engine" / "ops"
FAMILIES = {path.stem: path for path in OPS.rglob("*.py") if path.stem != "__init__"}

SMALL = """
import gradcli as torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x + 3).sin().sum()
y.backward()
print(y, x.grad, file=sys.stderr)
"""
# What a first name of gradcli's reads of the engine, and what the small program reads beyond that.
ENGINE = {
    "autocasting", "call_errors", "costs", "calls", "calls.binding", "calls.elementwise", "calls.keeping",
    "calls.many_operands", "calls.one_tensor", "calls.several_tensors", "calls.tensor_lists", "calls.views",
    "declaration", "dtypes", "graph", "guard", "guard.addresses", "guard.outside", "memory", "memory.layout",
    "memory.places", "methods", "modes", "numeric", "numeric.bfloat16", "numeric.halves", "numeric.meta", "offers",
    "properties", "python_number", "registry", "tensor",
}  # fmt: skip
SMALL_PROGRAM = {
    "flags", "from_python", "numeric.common", "numeric.kernels", "numeric.kernels.alone", "numeric.kernels.chains",
    "numeric.kernels.few", "numeric.kernels.fused", "numeric.kernels.library",
    "numeric.kernels.products", "numeric.kernels.roots", "numeric.kernels.sums", "numeric.kernels.vectors", "ops",
    "ops.common", "ops.matrix", "ops.matrix.fitting_operands", "ops.matrix.matmul", "ops.pointwise",
    "ops.pointwise.arith", "ops.pointwise.elementary", "ops.pointwise.masks", "ops.reduce", "ops.reduce.sums",
    "printing", "walk", "walk.backward", "walk.hooks", "walk.order", "walk.rules", "walk.shares", "walk.walk",
}  # fmt: skip


def told(program: str) -> list[str]:
    """What a program writes, in words, when an interpreter of its own runs it."""
    code = "import sys\n" + program
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent
    ).stdout.split()


def read_by(program: str) -> set[str]:
    """The modules of gradcli that a program reads: those that are files."""
    modules = told(program + "\nprint(*(n for n, m in sys.modules.items() if n.startswith('gradcli.') and m.__spec__))")
    return {module.removeprefix("gradcli.") for module in modules}


def of_engine(modules: set[str]) -> set[str]:
    return {module.removeprefix("engine.") for module in modules if module.startswith("engine.")}


def test_importing_gradcli_reads_nothing() -> None:
    assert read_by("import gradcli\ngradcli.__version__") == set()


def test_a_first_name_reads_no_family() -> None:
    modules = read_by("import gradcli\ngradcli.tensor")
    assert modules - {"engine", "errors", "namespace"} == {f"engine.{name}" for name in ENGINE}


def test_a_small_program_reads_the_families_that_it_uses() -> None:
    assert of_engine(read_by(SMALL)) == ENGINE | SMALL_PROGRAM


def test_importing_gradcli_reads_little_of_python_that_numpy_has_not_read() -> None:
    more = told(
        "import numpy\nbefore = set(sys.modules)\nimport gradcli.namespace\nprint(*(set(sys.modules) - before))"
    )
    # The oldest NumPy that is allowed has not read importlib.
    assert {name.split(".")[0] for name in more} <= {"gradcli", "__future__", "importlib"}


def test_a_linear_layer_reads_no_other_kind_of_layer() -> None:
    layers = {m.removeprefix("nn.") for m in read_by("from gradcli import nn\nnn.Linear") if m.startswith("nn.")}
    assert layers == {
        "base", "base.everywhere", "base.holder", "base.state", "functional", "init", "modules", "modules.linear",
        "modules.module", "parameter",
    }  # fmt: skip


def test_an_optimiser_reads_no_other_kind_of_optimiser() -> None:
    modules = {m for m in read_by("from gradcli import optim\noptim.SGD") if m.startswith("optim.")}
    assert modules == {"optim.optimizer", "optim.sgd"}


def test_a_check_that_finds_nothing_wrong_reads_nothing_that_blames_or_moves() -> None:
    modules = told(
        "from gradcli.check.check import check_program\nfrom gradcli.check.judging.findings import Options\n"
        "from gradcli.spec.input.named_inputs import bindings\nfrom gradcli.spec.input.source import read\n"
        "from gradcli.spec.program import Program\n"
        "program = Program(read('x*y'), bindings=bindings(['x=2', 'y=3']), dtype='float64')\n"
        "assert not any(f.fails(Options()) for f in check_program(program, Options()).findings)\n"
        "print(*sys.modules)"
    )
    parts = {name.removeprefix("gradcli.check.") for name in modules if name.startswith("gradcli.check.")}
    assert not {name for name in parts if name.startswith(("blaming", "claims", "moving", "foreign"))}
    assert not parts & {"judging.higher_orders", "judging.one_derivative", "slopes.all_ways"}
    assert "replay.custom_function.inside_function" not in parts
    assert not {"numpy.ma", "gradcli.spec.language.definitions", "gradcli.engine.ops.reduce.sums"} & set(modules)


# -- where names are declared ----------------------------------------------------------------------


def test_the_sources_say_what_the_declarations_do() -> None:
    offers.load_all()
    for place, declared in registry.PUBLIC.items():
        writing = {f"{name}_" for name in registry.PUBLIC.get(registry.WRITING.get(place, ""), ())}
        assert declared.keys() | writing == set(offers.names(place)), place


@long("all sources are read")
def test_where_something_is_offered_is_a_literal_and_said_once() -> None:
    said = Counter()
    for path in (ROOT / "engine").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "public":
                (where,) = call.args
                assert isinstance(where, ast.Constant), f"{path}:{call.lineno}"
                said.update(each for each in where.value.split() if "." in each)
    assert max(said.values()) == 1, said.most_common(3)


DECLARED = """

@public("torch Tensor Tensor_ torch.threefold_of")
@elementwise(x=lambda g: g * 3)
def threefold(x: Array) -> Array:
    \"\"\"Three times the input.\"\"\"
    return x * 3
"""


@pytest.mark.parametrize("archived", [False, True], ids=["a folder", "an archive"])
def test_what_is_declared_is_found_at_once(tmp_path: Path, archived: bool) -> None:
    copied = shutil.copytree(ROOT, tmp_path / "copy" / "gradcli", ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        "import sys\nsys.path.insert(0, {path!r})\nimport gradcli as torch\nx = torch.ones(2, requires_grad=True)\n"
        "y = x.threefold() + torch.threefold_of(x)\ny.sum().backward()\n"
        "print(*x.grad.tolist(), *torch.ones(1).threefold_().tolist())"
    )
    path = str(tmp_path / "copy")
    before = subprocess.run([sys.executable, "-c", program.format(path=path)], capture_output=True, text=True)
    assert "'Tensor' object has no attribute 'threefold'" in before.stderr
    with (copied / "engine" / "ops" / "pointwise" / "elementary.py").open("a") as family:
        family.write(DECLARED)
    if archived:
        path = shutil.make_archive(path, "zip", path)
    after = subprocess.run([sys.executable, "-c", program.format(path=path)], capture_output=True, text=True)
    assert (after.stdout.split(), after.stderr) == (["6.0", "6.0", "3.0"], "")


@long("all sources are read")
def test_families_are_called_by_names_that_they_have() -> None:
    held = {family: vars(getattr(ops, family)).keys() for family in FAMILIES}
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
                family, holder = node.value.attr, node.value.value
                if isinstance(holder, ast.Name) and holder.id == "ops":
                    assert node.attr in held[family], f"{path}:{node.lineno}: ops.{family} has no {node.attr}"


def imported_for_types(package: Path) -> set[str]:
    """The names that a package's __init__ imports for type checkers alone."""
    tree = ast.parse((package / "__init__.py").read_text())
    (block,) = (n for n in tree.body if isinstance(n, ast.If))
    return {a.asname or a.name for n in block.body if isinstance(n, ast.ImportFrom) for a in n.names}


@pytest.mark.parametrize("package", [nn, optim], ids=["nn", "optim"])
def test_type_checkers_see_what_a_package_offers(package: object) -> None:
    folder = ROOT / package.__name__.split(".")[1]
    modules = {path.stem for path in folder.glob("*")}
    parts = {n.rpartition(".")[2] for n, m in sys.modules.items() if n.startswith("gradcli.") and not m.__spec__}
    offered = {name for name in dir(package) if not name.startswith(("_", "@")) and name != "TYPE_CHECKING"} - parts
    assert offered - modules == imported_for_types(folder) - modules
    assert imported_for_types(folder) <= offered


def test_families_import_each_other_in_no_circle() -> None:
    needs = {}
    for family, path in FAMILIES.items():
        tree = ast.parse(path.read_text())
        # How many dots lead to the ops: one more from within a folder of theirs.
        up = 1 if path.parent == OPS else 2
        beside = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level and n.level <= up]
        needs[family] = {n.module.rpartition(".")[2] for n in beside if n in tree.body and n.module}
        whole = [n for n in beside if not n.module and {a.name for a in n.names} & FAMILIES.keys()]
        assert not whole, f"{family} imports a whole family: reach it as ops.FAMILY"
    TopologicalSorter(needs).prepare()


def test_what_is_compiled_by_a_file_that_is_read_later_is_said_beside_it() -> None:
    from gradcli.spec.language.interpreter import LATER

    for name, kinds in LATER.items():
        tree = ast.parse((ROOT / "spec" / "language" / f"{name}.py").read_text())
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
        declared = {a.attr for n in calls if n.func.id == "compiles" for a in n.args if isinstance(a, ast.Attribute)}
        assert declared == {kind.__name__ for kind in kinds}, name


# -- nothing of this is seen from outside ----------------------------------------------------------


@pytest.mark.parametrize("place", ["torch", "F", "fft", "linalg", "special"])
def test_what_is_offered_is_an_attribute(place: str) -> None:
    module = {"torch": gradcli, "F": F, "fft": fft, "linalg": linalg, "special": special}[place]
    assert offers.names(place) <= set(dir(module))
    # gradcli.trace shows graphs, and gives the trace of a matrix as well.
    for name in offers.names(place) - ({"trace"} if place == "torch" else set()):
        # They are known by where they are found, and some are wrapped, to take ``out=``.
        value = getattr(module, name)
        assert inspect.unwrap(value) is inspect.unwrap(offers.find(place, name))
        if inspect.isfunction(value):
            assert value.__name__.removeprefix(f"{place}_") == name
            assert pickle.loads(pickle.dumps(value)) is value


def test_every_method_is_an_attribute_of_the_class() -> None:
    x = gradcli.tensor([1.0])
    for name in offers.names("Tensor"):
        assert name in dir(gradcli.Tensor)
        method = getattr(gradcli.Tensor, name)
        assert method is getattr(gradcli.Tensor, name)
        assert isinstance(method, property) or getattr(x, name).__func__ is method


def test_names_are_listed_without_reading_anything() -> None:
    counted = told(
        "import gradcli\nfrom gradcli import namespace\nfrom gradcli.engine import offers\nbefore = set(sys.modules)\n"
        "for place in ('torch', 'Tensor', 'Tensor_', 'F', 'fft', 'linalg', 'special'): list(offers.names(place))\n"
        "dir(gradcli), dir(gradcli.Tensor), offers.find('torch', 'no_such_name')\n"
        "print(len(set(sys.modules) - before))"
    )
    assert counted == ["0"]


@pytest.mark.parametrize(
    ("owner", "words"),
    [
        (gradcli, "module 'gradcli' has no attribute 'foo'"),
        (nn, "module 'gradcli.nn' has no attribute 'foo'"),
        (F, "module 'gradcli.nn.functional' has no attribute 'foo'"),
        (optim, "module 'gradcli.optim' has no attribute 'foo'"),
        (linalg, "module 'gradcli.linalg' has no attribute 'foo'"),
        (special, "module 'gradcli.special' has no attribute 'foo'"),
        (ops, "module 'gradcli.engine.ops' has no attribute 'foo'"),
        (gradcli.Tensor, "type object 'Tensor' has no attribute 'foo'"),
        (gradcli.tensor(1.0), "'Tensor' object has no attribute 'foo'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_unknown_name_is_refused_in_the_usual_words(owner: object, words: str) -> None:
    assert not hasattr(owner, "foo")
    with pytest.raises(AttributeError) as caught:
        owner.foo  # noqa: B018
    assert str(caught.value) == words


def test_names_are_imported_from_modules() -> None:
    from gradcli import matmul, sin
    from gradcli.nn import GRU
    from gradcli.nn.functional import relu
    from gradcli.optim.lr_scheduler import StepLR

    assert (sin, matmul, relu) == (gradcli.sin, gradcli.matmul, F.relu)
    assert (GRU, StepLR) == (nn.GRU, optim.lr_scheduler.StepLR)


def test_a_star_imports_every_public_name() -> None:
    found: dict[str, object] = {}
    exec("from gradcli.nn.functional import *\nfrom gradcli.nn import *", found)
    assert {*(name for name in offers.names("F") if name[0] != "_"), "Linear", "LSTM"} <= found.keys()


def test_a_method_of_a_subclass_is_the_tensors() -> None:
    class Mine(gradcli.Tensor):
        def sinh(self) -> str:
            return f"mine, {super().sinh().item():.0f}"

    x = Mine([0.0])
    assert x.sinh() == "mine, 0"
    assert Mine.cosh is gradcli.Tensor.cosh
    assert x.cosh().item() == 1.0


def test_a_write_in_place_needs_no_call_before() -> None:
    values = told(
        "import gradcli as torch\nx = torch.ones(2, 2)\nx += 1\nx[0] = 5\nx.mul_(2).t_().squeeze_()\n"
        "print(*x.tolist()[0], torch.Tensor.t_.__name__)"
    )
    assert values == ["10.0", "4.0", "t_"]


def test_operators_need_no_call_before() -> None:
    values = told(
        "import gradcli as torch\nx = torch.tensor([3.0, 1.0])\n"
        "print(*(2 - x).tolist(), (x @ x).item(), *(x > 2).tolist(), abs(-x)[0].item(), len({x, x}), x[1:].item())"
    )
    assert values == ["-1.0", "1.0", "10.0", "True", "False", "3.0", "1", "1.0"]


def test_what_was_read_late_is_copied_and_pickled() -> None:
    layer = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    x = gradcli.tensor([[1.0, 2.0]])
    again = copy.deepcopy(layer)
    assert np.array_equal(again(x).tolist(), layer(x).tolist())
    assert pickle.loads(pickle.dumps(gradcli.sin)) is gradcli.sin
    assert pickle.loads(pickle.dumps(nn.Linear)) is nn.Linear
    assert copy.deepcopy(x).tolist() == x.tolist()


def test_an_interrupted_read_is_done_again() -> None:
    values = told(
        """
import gradcli as torch
from gradcli.engine import registry
made = registry.Op.__init__
def interrupted(self, forward, *args, **kwargs):
    made(self, forward, *args, **kwargs)
    if forward.__name__ == "sinh":
        raise KeyboardInterrupt
registry.Op.__init__ = interrupted
x = torch.tensor(0.0)
try:
    x.cosh()
except KeyboardInterrupt:
    registry.Op.__init__ = made
print(x.cosh().item(), x.sinh().item())
"""
    )
    assert values == ["1.0", "0.0"]
