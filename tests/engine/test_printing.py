"""Tensors as text, to the character as PyTorch prints them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra import numpy as arrays

import gradcli
from gradcli.engine.printing import get_printoptions, printoptions
from gradcli.engine.tensor import result
from tests.rings import examples

from ..conftest import needs_torch

# What PyTorch 2.13 printed.
CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("printing_cases.json").read_text())


@pytest.fixture(autouse=True)
def _defaults(request: pytest.FixtureRequest) -> Iterator[None]:
    engines = [gradcli]
    if "torch" in request.fixturenames:
        engines.append(request.getfixturevalue("torch"))
    yield
    for engine in engines:
        engine.set_printoptions(profile="default")
        engine.set_default_dtype(engine.float32)


@pytest.mark.parametrize("case", CASES, ids=[f"{i}: {c['code'][:50]}" for i, c in enumerate(CASES)])
def test_text_is_what_pytorch_prints(torch: Any, case: dict[str, Any]) -> None:
    torch.set_default_dtype(getattr(torch, case.get("default", "float32")))
    torch.set_printoptions(**case.get("options", {}))
    t = eval(case["code"], {"torch": torch, "nan": math.nan, "inf": math.inf})
    assert repr(t) == case["text"]
    assert str(t) == case["text"]


def test_options_are_kept_and_handed_back() -> None:
    before = get_printoptions()
    with printoptions(precision=2, sci_mode=True):
        assert str(gradcli.tensor([1.5])) == "tensor([1.50e+00])"
    assert get_printoptions() == before
    gradcli.set_printoptions(edgeitems=5)
    assert get_printoptions() == {**before, "edgeitems": 5}


def test_a_parameter_says_so() -> None:
    class Parameter(gradcli.Tensor):
        pass

    p = Parameter([1.0, 2.5]).requires_grad_()
    assert repr(p) == "Parameter containing:\ntensor([1.0000, 2.5000], requires_grad=True)"


def test_a_subclass_prints_under_its_name() -> None:
    class Mine(gradcli.Tensor):
        pass

    assert repr(Mine([[1.0], [2.5]])) == "Mine([[1.0000],\n      [2.5000]])"


def test_complex_numbers_print_as_pairs() -> None:
    a = np.array([1 + 2j, -1.5 - 0.25j, 3j], np.complex64)
    assert repr(result(a)) == "tensor([ 1.0000+2.0000j, -1.5000-0.2500j,  0.0000+3.0000j])"
    assert repr(result(a.astype(np.complex128)[:1])) == "tensor([1.+2.j], dtype=torch.complex128)"


def test_tensors_made_in_inference_mode_print_plainly(torch: Any) -> None:
    with torch.inference_mode():
        t = torch.ones(2) * 2
    assert repr(t) == "tensor([2., 2.])"


def test_formatting(torch: Any) -> None:
    x = torch.tensor(2.345)
    assert f"{x}" == str(x.item())
    assert f"{x:.2f} {x:>8.1f} {torch.tensor(7):d}" == "2.35      2.3 7"
    assert f"{torch.tensor(2.5, requires_grad=True) * 2}" == "5.0"
    assert f"{torch.ones(1)}" == "tensor([1.])"
    assert f"{torch.ones(2).shape} {torch.float32} {torch.int64!r}" == "torch.Size([2]) torch.float32 torch.int64"
    for t in (torch.ones(1), torch.ones(2, 2)[0]):
        with pytest.raises(TypeError, match=r"^unsupported format string passed to Tensor.__format__$"):
            f"{t:.2f}"
    with pytest.raises(ValueError, match="Unknown format code 'd' for object of type 'float'"):
        f"{x:d}"


def test_sizes(torch: Any) -> None:
    size = torch.ones(2, 3).shape
    assert repr(size) == "torch.Size([2, 3])"
    assert repr(size[1:]) == "torch.Size([3])"
    assert repr(size + torch.Size([4])) == "torch.Size([2, 3, 4])"
    assert repr((4, *size)) == "(4, 2, 3)"
    assert repr(torch.Size([]) + size * 2) == "torch.Size([2, 3, 2, 3])"
    assert size.numel() == 6
    with pytest.raises(TypeError, match=r"torch.Size\(\) takes an iterable of 'int' \(item 0 is 'float'\)"):
        torch.Size([2.5])


DTYPES = ("float64", "float32", "float16", "int64", "int32", "int8", "uint8", "bool")


@st.composite
def printed(draw: Any) -> Any:
    """An array, and options to print it with."""
    d = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9))
    elements: Any = None
    if d.kind == "f":
        special = st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 1.0, 1000.0, 1e-4, 0.5])
        whole = st.integers(-2000, 2000).map(float)
        elements = st.one_of(special, whole, st.floats(-1e4, 1e4, width=16), arrays.from_dtype(d))
    a = draw(arrays.arrays(d, shape, elements=elements))
    options = {
        "precision": st.integers(0, 8),
        "threshold": st.sampled_from([0, 5, 50, 1000]),
        "edgeitems": st.integers(0, 4),
        "linewidth": st.integers(1, 120),
        "sci_mode": st.sampled_from([None, True, False]),
    }
    return a, draw(st.fixed_dictionaries({}, optional=options)), draw(st.sampled_from(["float32", "float64"]))


@needs_torch
@settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=printed())
def test_any_tensor_prints_as_in_pytorch(case: Any) -> None:
    import torch

    a, options, default = case
    texts = []
    for engine in (torch, gradcli):
        engine.set_default_dtype(getattr(engine, default))
        engine.set_printoptions(profile="default")
        engine.set_printoptions(**options)
        texts.append(repr(torch.from_numpy(a.copy()) if engine is torch else result(a)))
        engine.set_printoptions(profile="default")
        engine.set_default_dtype(engine.float32)
    assert texts[0] == texts[1]
