"""A number as one for each axis, and the names of a state dict.

Programs in the spec language run this file as it stands, and Python does.
"""

from typing import Any


def _ntuple(n: int, name: str = "parse") -> Any:
    def parse(x: Any) -> Any:
        return tuple(x) if hasattr(x, "__iter__") else tuple([x] * n)

    return parse


_single, _pair, _triple, _quadruple = _ntuple(1), _ntuple(2), _ntuple(3), _ntuple(4)


def _reverse_repeat_tuple(t: Any, n: int) -> Any:
    return tuple([x for x in reversed(t) for _ in range(n)])


def _list_with_default(out_size: Any, defaults: Any) -> Any:
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    there = defaults[-len(out_size) :]
    return [d if v is None else v for v, d in zip(out_size, there, strict=False)]


def consume_prefix_in_state_dict_if_present(state_dict: Any, prefix: str) -> None:
    """Take a prefix off the names of a state dict, in place."""
    for key in list(state_dict.keys()):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is not None:
        for key in list(metadata.keys()):
            if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
                metadata[key[len(prefix) :]] = metadata.pop(key)
