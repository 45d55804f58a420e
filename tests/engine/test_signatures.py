"""The words about arguments that fit no signature, beside PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import gradcli
from gradcli.engine.calls.signatures import TABLE, mistake, signatures

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")

KEYS = [line.partition(" ")[0] for line in TABLE.read_text(encoding="utf-8").splitlines()]
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}), (("a",), {}), (("T", "a"), {}), (([1, "a"],), {}), ((2.5, [1]), {}), (("T",), {"foo": 1}),
    ((1,) * 14, {}), (("T", True), {}),
]  # fmt: skip
# What PyTorch refuses while it looks at a list of tensors, before it has looked at the rest.
ELSEWHERE = {"index_put", "index_put_"}


def _named(value: Any) -> str:
    return type(value).__name__


def _refusal(key: str, args: Any, kwargs: Any) -> str | None:
    """PyTorch's words for a call, if it does not take the arguments."""
    place, _, name = key.partition(".")
    home = {"torch": torch, "F": torch.nn.functional, "Tensor": torch.Tensor}.get(place) or getattr(torch, place)
    self = (torch.ones(2),) if place == "Tensor" else ()
    try:
        getattr(home, name)(*self, *(torch.ones(2) if a == "T" else a for a in args), **kwargs)
    except TypeError as error:
        return str(error)
    except Exception:
        return None
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", ["torch", "Tensor", "F", "linalg", "fft", "special"])
def test_what_fits_no_signature_is_told_as_in_pytorch(place: str) -> None:
    keys = [key for key in KEYS if key.startswith(f"{place}.") and key.partition(".")[2] not in ELSEWHERE]
    x = gradcli.ones(2)
    for key in keys:
        name = key.partition(".")[2] if place in ("torch", "F", "Tensor") else key.replace(".", "_")
        for args, kwargs in CALLS:
            given = tuple(x if a == "T" else a for a in args)
            ours = mistake(name, signatures(key), given, kwargs, _named, place == "Tensor")
            assert (key, args, ours) == (key, args, _refusal(key, args, kwargs))
