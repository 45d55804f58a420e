"""The keyword arguments that PyTorch has everywhere go through every public function that PyTorch takes them in."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

import gradcli

from ..rings import long
from .op_db import _map, counterpart, op_db, twin, with_our_names

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")

# (function, keyword argument) -> why it is not taken
EXEMPT = {
    ("split_with_sizes_copy", "out"): "PyTorch gives back nothing then",
    ("unbind_copy", "out"): "PyTorch gives back nothing then",
    **{
        (f"nn.functional.{name}", "out"): "torch.nn.functional takes it by accident: its documentation has none"
        for name in ("avg_pool2d", "avg_pool3d", "gelu", "linear", "logsigmoid", "softplus")
    },
}


def general(engine: Any, want: Any) -> Iterator[tuple[str, Any]]:
    """Values for the keyword arguments, and tensors for the results of a call."""
    yield "dtype", engine.float32
    yield "device", "cpu"
    yield "generator", engine.Generator().manual_seed(0)
    yield "requires_grad", False
    yield "layout", engine.strided
    yield "pin_memory", False
    yield "memory_format", engine.contiguous_format
    wanted = want if isinstance(want, (tuple, list)) else (want,)
    if all(isinstance(t, torch.Tensor) for t in wanted):
        made = tuple(engine.empty(0, dtype=getattr(engine, str(t.dtype).removeprefix("torch."))) for t in wanted)
        yield "out", made if isinstance(want, (tuple, list)) else made[0]


def samples() -> Iterator[tuple[Any, Any, Any, dict[str, Any]]]:
    """Ops of PyTorch's list, our functions, and valid arguments."""
    for op in op_db():
        function = counterpart(op)
        if op.variant_test_name or op.name.startswith("__") or torch.float64 not in op.dtypes or function is None:
            continue
        torch.manual_seed(0)
        for sample in itertools.islice(op.sample_inputs("cpu", torch.float64, requires_grad=False), 2):
            yield op, function, (sample.input, *sample.args), sample.kwargs


def shown(value: Any) -> list[tuple[Any, ...]]:
    """The shapes and element types of a result."""
    held = value if isinstance(value, (tuple, list)) else (value,)
    return [(tuple(t.shape), str(t.dtype)) for t in held if hasattr(t, "shape")]


@pytest.mark.filterwarnings("ignore")
@long("two thousand calls are made")
def test_general_keywords_go_through_every_signature() -> None:
    wrong = set()
    taken = 0
    for op, function, args, kwargs in samples():
        try:
            want = op.op(*args, **kwargs)
        except Exception:
            continue
        ours = with_our_names(_map((args, kwargs), torch.Tensor, lambda t: twin(t.detach())))
        for (name, theirs), (_, mine) in zip(general(torch, want), general(gradcli, want), strict=True):
            if name in kwargs:
                continue
            try:
                found = op.op(*args, **kwargs, **{name: theirs})
            except Exception:
                continue
            taken += 1
            try:
                got = shown(function(*ours[0], **ours[1], **{name: mine}))
            except Exception as error:
                got = [(type(error).__name__, str(error))]
            if got != shown(found) and (op.name, name) not in EXEMPT:
                wrong.add((op.name, name, str(got)))
    assert taken > 800
    assert not wrong
