"""A write to any tensor that an op was given, or gave, between forward and backward: an error where PyTorch has one."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import gradcli

from ..rings import long
from . import exempt
from .op_db import _map, counterpart, full_name, op_infos, samples, tensors_in, twin, with_our_names

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")
torch.set_num_threads(1)

SAMPLES = 4


@long("it takes half a minute")
def test_what_was_written_to_is_missed_where_pytorch_misses_it() -> None:
    told: dict[str, str] = {}
    tried = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for op in op_infos():
            function = counterpart(op)
            if function is None or not op.supports_autograd:
                continue
            for sample in samples(op, torch.float64, 3 * SAMPLES, step=3):
                for place in _places(op, function, sample):
                    theirs, ours = _written(torch, op.op, sample, place), _written(gradcli, function, sample, place)
                    tried += 1
                    if theirs != ours:
                        told.setdefault(full_name(op), f"{place[0]} {place[1]}: {ours}, PyTorch: {theirs}")
    assert tried > 1000
    unknown = [f"{name}, {why}" for name, why in told.items() if name not in exempt.WRITES]
    stale = [f"{name}: is right now, so its exemption is stale" for name in exempt.WRITES.keys() - told.keys()]
    assert not unknown + stale, "\n".join(unknown + stale)


Place = tuple[str, int]


def _places(op: Any, function: Any, sample: Any) -> list[Place]:
    """The tensors that both libraries know of; none where one does not run the sample."""
    try:
        given, made, _ = _run(torch, op.op, sample)
        also_given, also_made, _ = _run(gradcli, function, sample)
    except Exception:
        # What is refused, or missing, is for other tests to tell.
        return []
    if (len(given), len(made)) != (len(also_given), len(also_made)):
        return []
    return [("argument", i) for i in range(len(given))] + [("result", i) for i in range(len(made))]


def _run(library: Any, function: Any, sample: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """The tensors that a function was given, those that it made, and the leaves behind the former."""
    fresh: dict[int, Any] = {}
    leaves: list[Any] = []

    def own(t: Any) -> Any:
        if id(t) not in fresh:
            copied = t.detach().clone(memory_format=torch.preserve_format)
            mine = copied if library is torch else twin(copied)
            if t.requires_grad:
                leaves.append(mine.requires_grad_())
                mine = mine * 1
            fresh[id(t)] = mine
        return fresh[id(t)]

    given = _map((sample.input, sample.args, sample.kwargs), torch.Tensor, own)
    if library is gradcli:
        given = with_our_names(given)
    x, args, kwargs = given
    library.manual_seed(0)
    return tensors_in(given, library.Tensor), tensors_in(function(x, *args, **kwargs), library.Tensor), leaves


def _written(library: Any, function: Any, sample: Any, place: Place) -> str:
    """The end of a backward after a write to one tensor: the error's words, up to its hint."""
    given, made, leaves = _run(library, function, sample)
    tensor = (given if place[0] == "argument" else made)[place[1]]
    try:
        with library.no_grad():
            tensor.copy_(tensor.clone())
        total = sum([(y * 2).sum() for y in made if y.requires_grad])
        if isinstance(total, library.Tensor):
            library.autograd.grad(total, leaves, allow_unused=True)
    except RuntimeError as error:
        return str(error).split(" Hint")[0]
    return "no error"
