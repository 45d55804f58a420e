"""What torch.save writes, PyTorch reads, and the other way round."""

from __future__ import annotations

import io
import pickle
from typing import Any

import pytest

import gradcli

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")


def _passed(by: Any, to: Any, value: Any, **options: Any) -> Any:
    file = io.BytesIO()
    by.save(value, file)
    file.seek(0)
    return to.load(file, **options)


@pytest.mark.parametrize(("by", "to"), [(gradcli, gradcli), (gradcli, torch), (torch, gradcli)])
def test_files_pass_from_one_to_the_other(by: Any, to: Any) -> None:
    x = by.arange(6.0)
    given = {
        "part": x[1:3], "turned": x.view(2, 3).t(), "half": by.ones(2, dtype=by.bfloat16) * 1.5, "one": by.tensor(3),
        "trained": by.nn.Parameter(by.ones(1)), "plain": [1, "s", None, (2.5,)], "dtype": by.float64, "shape": x.shape,
        "complex": by.tensor([1 + 2j]), "empty": by.zeros(0, 3), "flags": by.tensor([True]),
        "place": [by.device("cpu"), by.device("cpu", 0)], "layout": by.strided, "bytes": b"a\xff",
    }  # fmt: skip
    found = _passed(by, to, given)
    assert repr(found) == repr(given)
    # What shared memory goes on doing so, and lies as it lay.
    assert found["part"].data_ptr() - found["turned"].data_ptr() == 4
    assert found["turned"].stride() == (1, 3)
    state = by.nn.BatchNorm1d(2).state_dict()
    kept = _passed(by, to, state)
    assert kept._metadata == state._metadata
    to.nn.BatchNorm1d(2).load_state_dict(kept)


def test_classes_are_made_only_of_files_that_are_trusted() -> None:
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        _passed(gradcli, gradcli, gradcli.nn.Linear(1, 1))
    made = _passed(gradcli, gradcli, gradcli.nn.Linear(1, 1), weights_only=False)
    assert isinstance(made, gradcli.nn.Linear)
    assert _passed(gradcli, gradcli, {"a": gradcli.ones(1)}, map_location="meta")["a"].is_meta


@pytest.mark.parametrize("by", [gradcli, torch])
def test_a_program_is_asked_where_memory_is_to_be(by: Any) -> None:
    asked: list[Any] = []

    def place(storage: Any, location: str) -> Any:
        asked.append((type(storage).__name__, storage.nbytes(), location))
        return storage

    given = by.ones(2, dtype=by.bfloat16)
    assert _passed(by, by, [given, given[1:]], map_location=place)[1].tolist() == [1.0]
    assert asked == [("UntypedStorage", 4, "cpu")]
    assert _passed(by, by, given, map_location={"cuda:0": "cpu"}).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="'int' object is not callable"):
        _passed(by, by, given, map_location=3)
