"""New tensors: dtypes, shapes, strides, values and refusals as PyTorch's."""

from __future__ import annotations

import json
import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.errors import Unsupported
from tests.rings import sampled

# What PyTorch 2.13 made, or said.
CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("creation_cases.json").read_text())


def run(torch: Any, code: str) -> Any:
    """The value of the last of some statements."""
    names = {"torch": torch, "np": np, "math": math, "inf": math.inf, "nan": math.nan}
    *statements, last = [s.strip() for s in code.split(";") if s.strip()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for s in statements:
            exec(s, names)
        return eval(last, names)


@pytest.mark.parametrize("case", CASES, ids=[f"{i}: {c['code'][:60]}" for i, c in enumerate(CASES)])
@sampled(6)
def test_creation_is_that_of_pytorch(torch: Any, case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(Exception) as caught:  # noqa: PT011 (which one is recorded)
            run(torch, case["code"])
        assert case["error"] in [c.__name__ for c in type(caught.value).__mro__]
        assert str(caught.value).split("\n")[0].split(", but expected")[0] == case["words"]
        return
    made = run(torch, case["code"])
    if "items" in case:
        assert [repr(x) for x in made] == case["items"]
        return
    assert repr(made) == case["text"]
    if "dtype" in case:
        assert str(made.dtype) == case["dtype"]
        assert list(made.shape) == case["shape"]
        assert list(made.stride()) == case["stride"]
        assert made.requires_grad == case["requires_grad"]


REFUSED = [
    ("torch.zeros(2, names=('a',))", "zeros(): names= is not supported"),
    ("torch.zeros(2, layout=torch.sparse_coo)", "zeros(): layout=torch.sparse_coo is not supported"),
]


@pytest.mark.parametrize(("code", "words"), REFUSED)
def test_what_is_not_supported_is_refused_by_name(code: str, words: str) -> None:
    with pytest.raises(Unsupported) as caught:
        run(gradcli, code)
    assert str(caught.value) == words


def test_numpy_arrays_of_other_dtypes_are_refused() -> None:
    for array in (np.array([1], np.longdouble), np.array(["a"]), np.array([None])):
        with pytest.raises(TypeError, match=r"^can't convert np.ndarray of type numpy\.\w+. The only supported types"):
            gradcli.from_numpy(array)


def test_new_tensors_know_of_inference_mode(torch: Any) -> None:
    with torch.inference_mode():
        made = [torch.tensor(1.0), torch.zeros(2), torch.rand(2), torch.arange(3), torch.ones(2).new_zeros(2)]
    assert all(t.is_inference() for t in made)


def test_steps_are_rounded_as_in_pytorch(torch: Any) -> None:
    # Counted in vectors whose first number is rounded before the others are counted from it.
    assert torch.arange(-21, -7.96, 0.3)[17].item() == -15.90000057220459
    assert torch.arange(0.1, 3, 0.1, dtype=torch.float64)[20].item() == 2.1
    assert torch.linspace(0, 1, 7, dtype=torch.float64)[2].item() == 0.3333333333333333
    assert torch.logspace(0.3, 1.7, 9, 2.0)[7].item() == 2.8778672218322754


def test_ends_that_have_a_gradient_pass_none_on(torch: Any) -> None:
    x = torch.tensor([0.5, 2.5], requires_grad=True)
    found = torch.linspace(x[0], x[1], 3)
    assert (found.tolist(), found.requires_grad) == ([0.5, 1.5, 2.5], False)


def test_an_array_of_a_tensor_has_a_shape_of_its_own() -> None:
    array = np.arange(6.0)
    t = gradcli.from_numpy(array)
    seen = t.numpy()
    array.shape, seen.shape = (2, 3), (3, 2)
    seen[2, 1] = 7.0
    assert seen is not t.numpy()
    assert (t.shape, t[5].item(), array[1, 2]) == ((6,), 7.0, 7.0)


CHECKS = [
    ("_check", RuntimeError), ("_check_index", IndexError), ("_check_value", ValueError), ("_check_type", TypeError),
    ("_check_not_implemented", NotImplementedError), ("_check_tensor_all", RuntimeError),
]  # fmt: skip


@pytest.mark.parametrize(("name", "error"), CHECKS)
def test_what_must_hold(torch: Any, name: str, error: type[Exception]) -> None:
    check = getattr(torch, name)
    no, yes = (torch.tensor([x, True]) if name == "_check_tensor_all" else x for x in (False, True))
    check(yes, 3)
    with pytest.raises(error, match="Expected cond to be True, but got False"):
        check(no)
    with pytest.raises(error, match=re.escape("tensor([0, 1])")):
        check(no, lambda: torch.arange(2))
    with pytest.raises(TypeError, match="message must be a callable"):
        check(no, "words")
    with pytest.raises(TypeError, match=r"cond (must be a |tensor must have dtype torch\.)bool, but got"):
        check(torch.ones(1))
    with pytest.raises(TypeError, match=r"cond must be a (bool|tensor), but got <class 'int'>"):
        check(1)


def test_what_indices_and_joined_ends_must_be(torch: Any) -> None:
    t = torch.arange(6).reshape(2, 3)
    for d in (torch.int8, torch.int16):
        i = torch.tensor([1, 0], dtype=d)
        assert t[i[0]].tolist() == [3, 4, 5]
        for wrong in (lambda i=i: t[i], lambda i=i: t[:, i], lambda i=i: t.index_put((i,), torch.tensor(1))):
            with pytest.raises(IndexError, match="tensors used as indices must be long, int, byte or bool tensors"):
                wrong()
        with pytest.raises(RuntimeError, match="Expected dtype int32 or int64 for index"):
            t.index_select(0, i)
    with pytest.raises(RuntimeError, match="prepend or append to be the same dimension as input"):
        torch.diff(t, append=t[0])
    with pytest.raises(RuntimeError, match=r"input.size\(0\) = 2, but got tensor.size\(0\) = 1"):
        torch.diff(t, prepend=t[:1])
    assert torch.diff(t, dim=0, prepend=t[:1]).tolist() == [[0, 0, 0], [3, 3, 3]]
    with torch.inference_mode():
        x = torch.ones(1)
        assert torch.nn.Parameter(x).requires_grad
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor outside InferenceMode"):
        torch.nn.Parameter(x)


def test_whole_numbers_without_a_sign(torch: Any) -> None:
    for name, bits in (("uint16", 16), ("uint32", 32), ("uint64", 64)):
        d = getattr(torch, name)
        x = torch.tensor([1, 2**bits - 1 if bits < 64 else 2**64 - 1], dtype=d)
        assert x.tolist() == [1, 2**bits - 1]
        assert (x * x)[0].dtype is torch.cat([x, x]).dtype is d
        assert (torch.iinfo(d).max, x.float().dtype, (x + torch.ones(2)).dtype) == (2**bits - 1, *[torch.float32] * 2)
        assert torch.from_numpy(x.numpy()).dtype is d
        with pytest.raises(RuntimeError, match="Promotion for uint16, uint32, uint64 types is not supported"):
            x + torch.tensor([1, 2])
        with pytest.raises(IndexError, match="tensors used as indices must be long, int, byte or bool tensors"):
            torch.ones(3)[x]
    with pytest.raises(OverflowError, match="can't convert negative int to unsigned"):
        torch.tensor([-1], dtype=torch.uint64)
