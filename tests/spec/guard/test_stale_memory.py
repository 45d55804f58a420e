"""No program reads what was in memory before: arrays are zeros until written, and views stay inside of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import gradcli
from gradcli.errors import GradcliError
from tests.sources import trees

from ..running import printed, program

ROOM = Path(gradcli.__file__).parent
FILLED = "each element is written before anybody else sees the array"

# Where memory is taken as it comes, and why that shows nothing: file, function, call.
KNOWN = {
    ("check/replay/custom_function/ways.py", "made", "empty"): FILLED,
    ("engine/dispatch/below_autograd.py", "tell_of_first", "empty"): "its strides alone are asked for",
    ("engine/dtypes.py", "full_of", "empty"): FILLED,
    ("engine/ops/complex/parts.py", "polar_form", "empty"): FILLED,
    ("engine/ops/complex/parts.py", "complex_of_parts", "empty"): FILLED,
    ("engine/ops/complex/pointwise_twins.py", "_log1p", "empty"): FILLED,
    ("optim/optimizer.py", "_joined", "empty"): FILLED,
    ("engine/random/normal.py", "singles", "empty"): FILLED,
    ("engine/random/normal.py", "doubles", "empty"): FILLED,
    ("engine/random/normal.py", "scalars", "empty"): FILLED,
    ("engine/random/normal.py", "_one_by_one", "empty"): FILLED,
    ("engine/random/generator.py", "words", "empty"): FILLED,
    ("engine/random/generator.py", "_twisted", "empty"): FILLED,
    ("engine/random/generator.py", "normal", "empty"): FILLED,
    ("engine/random/generator.py", "_normals", "empty"): "it has no elements",
    ("engine/numeric/common.py", "_powers", "empty"): FILLED,
    ("engine/numeric/kernels/fused.py", "_in_pieces", "empty"): FILLED,
    ("engine/numeric/kernels/fused.py", "_in_pieces", "empty_like"): FILLED,
    ("engine/numeric/common.py", "by_samples", "empty_like"): FILLED,
    ("engine/numeric/kernels/vectors.py", "_of_two", "empty"): FILLED,
    ("engine/numeric/common.py", "log1p", "empty_like"): FILLED,
    ("engine/numeric/common.py", "blocks", "empty"): FILLED,
    ("engine/numeric/common.py", "stepped", "empty"): FILLED,
    ("engine/numeric/kernels/doubles.py", "of_tiles", "empty"): FILLED,
    ("engine/numeric/kernels/few.py", "in_lanes_of_rows", "empty"): FILLED,
    ("engine/numeric/kernels/layer_exponential.py", "rough_exponential", "empty_like"): FILLED,
    ("engine/numeric/kernels/roots.py", "square_root", "empty_like"): FILLED,
    ("engine/numeric/kernels/memories.py", "forward", "empty"): FILLED,
    ("engine/numeric/kernels/memories.py", "backward", "empty"): FILLED,
    ("engine/numeric/kernels/memories.py", "", "frombuffer"): "bytes that stand in the source",
    ("engine/ops/nn/recurrent_cells.py", "_apart", "empty"): FILLED,
    ("engine/ops/pool/correlations.py", "_in_one_chain", "empty"): FILLED,
    ("engine/numeric/draws.py", "answer", "empty"): FILLED,
    ("engine/ops/nn/attention.py", "_scaled_dot_product_flash_attention_for_cpu", "empty_like"): FILLED,
    ("engine/ops/nn/layer_norm.py", "fresh", "empty"): "a product is written into all of it at once",
    ("engine/ops/shape/strides.py", "read_as", "as_strided"): "the strides are those of the array, in parts or pairs",
    ("engine/ops/shape/strides.py", "strided", "as_strided"): "the strides are those of a view of the array itself",
    ("spec/stdlib/small_numpy/layout.py", "_as_strided", "as_strided"): "no element lies outside of the array",
    ("engine/ops/make/from_data.py", "frombuffer", "frombuffer"): "no more bytes than the caller's object has",
    ("engine/random/generator.py", "get_state", "frombuffer"): "bytes that were just made",
    ("engine/random/generator.py", "set_state", "frombuffer"): "a copy of the tensor's own bytes",
    ("serialization.py", "_array_of", "frombuffer"): "as many bytes as the file has",
    ("spec/stdlib/small_numpy/making.py", "_from_buffer", "frombuffer"): "no more bytes than the program's object has",
    ("spec/input/array_files.py", "array_of", "frombuffer"): "as many elements as the file has",
    ("graph/ask/select.py", "_columns", "frombuffer"): "bytes that were just made",
    ("check/slopes/differences.py", "_scheme", "frombuffer"): "bytes that were just made",
}
RAW = ("empty", "empty_like", "resize", "frombuffer", "as_strided")


def calls(tree: ast.AST, function: str = "") -> list[tuple[str, ast.Call]]:
    """The calls in a piece of code, each with the innermost function that it stands in."""
    found: list[tuple[str, ast.Call]] = []
    for node in ast.iter_child_nodes(tree):
        inner = node.name if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
        if isinstance(node, ast.Call):
            found.append((function, node))
        found += calls(node, inner)
    return found


def is_raw(call: ast.Call) -> str | None:
    """The name of what takes memory as it comes, or None for another call."""
    target = call.func
    if not isinstance(target, ast.Attribute):
        bare = isinstance(target, ast.Name) and target.id == "ndarray" and len(call.args) + len(call.keywords) < 3
        return "ndarray" if bare else None
    owner = ast.unparse(target.value)
    if owner == "np" and target.attr == "ndarray":
        return "ndarray" if len(call.args) + len(call.keywords) < 3 else None
    of_numpy = owner == "np" or owner.startswith("np.lib")
    return target.attr if of_numpy and target.attr in RAW else None


def test_memory_that_nobody_wrote_is_taken_only_where_all_of_it_is_written() -> None:
    found = set()
    for path, tree in trees(ROOM.rglob("*.py"), rf"\bndarray\b\s*\(|\bnp\b[\w.\s]*\b({'|'.join(RAW)})\b"):
        for function, call in calls(tree):
            name = is_raw(call)
            if name is not None:
                found.add((path.relative_to(ROOM).as_posix(), function, name))
    assert found - KNOWN.keys() == set()
    assert KNOWN.keys() - found == set()


# A tensor with gaps in its memory, the gradient of which is laid out as it is.
GAPS = """
base = torch.empty_strided((2,), (4000,), requires_grad=True)
grads = []
whole = base * 1
whole = torch.empty_strided((2,), (4000,)).copy_(base)
whole[0:1].mul_(2)
whole.register_hook(lambda g: grads.append(g))
base.register_hook(lambda g: grads.append(g))
whole.sum().backward({})
for g in grads:
    n = 1 + sum((k - 1) * s for k, s in zip(g.shape, g.stride()))
    seen = torch.as_strided(g, (n,), (1,), 0)
    print(seen.unique().tolist())
"""


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("how", ["", "create_graph=True"])
def test_the_gaps_in_a_gradient_s_memory_are_zeros(how: str) -> None:
    shown = printed("junk = [torch.full((4001,), 7.5) for _ in range(9)]\ndel junk\n" + GAPS.format(how))
    assert {number for line in shown.splitlines() for number in ast.literal_eval(line)} <= {0.0, 1.0, 2.0}


@pytest.mark.parametrize(
    "made",
    [
        "torch.empty(3000)", "torch.empty_like(torch.ones(60, 50))", "torch.ones(60, 50).new_empty(3000)",
        "torch.empty_strided((3,), (900,))", "torch.ones(60, 50).new_empty_strided((3,), (900,))",
        "torch.empty_like(torch.ones(60, 50).t())", "torch.empty_like(torch.ones(60, 50)[:, ::3])",
        "torch.zeros_like(torch.ones(60, 50)[::2].t())", "torch.Tensor(3000)", "torch.FloatTensor(60, 50)",
    ],
)  # fmt: skip
def test_what_is_empty_is_zeros_to_the_end_of_its_memory(made: str) -> None:
    text = (
        "junk = [torch.full((3000,), 7.5) for _ in range(9)]\ndel junk\n"
        f"x = {made}\nn = 1 + sum((k - 1) * s for k, s in zip(x.shape, x.stride()))\n"
        "print(torch.as_strided(x, (n,), (1,), 0).abs().max().item())"
    )
    assert printed(text) == "0.0\n"


@pytest.mark.parametrize(
    "view",
    [
        "torch.as_strided(x, (11,), (1,))", "torch.as_strided(x, (2,), (10,))", "torch.as_strided(x, (1,), (1,), 10)",
        "x[5:].as_strided((6,), (1,))", "x.as_strided((1,), (1,), -1)", "x.as_strided((2,), (-1,), 5)",
        "x.as_strided((2 ** 62,), (4,))", "x.as_strided((2,), (2 ** 61,))", "x.as_strided((2,), (2 ** 62,), 2 ** 62)",
    ],
)  # fmt: skip
def test_a_view_stays_inside_the_memory_of_its_tensor(view: str) -> None:
    with pytest.raises(GradcliError):
        program(f"x = torch.arange(10.0)\n{view}\n").run()
