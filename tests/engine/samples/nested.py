"""Samples of what torch.nested records: parts of several lengths, one behind the other."""

from __future__ import annotations

from . import Sample, wave

PACKED, ALONG, ROWS = wave(5, 2), wave(2, 5), wave(10)
SIZES, OTHER, RAGGED = ((2, 2), (3, 2)), ((2, 2), (2, 3)), ((2, 2), (3, 2))

SAMPLES: dict[str, list[Sample]] = {
    "nested_tensor_from_tensor_list": [
        Sample(([wave(2, 2), wave(3, 2)],)), Sample(([wave(2, 2), wave(2, 3)],)), Sample(([wave(3)],)),
    ],
    "nested_view_from_jagged": [Sample((PACKED,))],
    "nested_get_values": [Sample((PACKED,))],
    "nested_values": [Sample((PACKED,))],
    "nested_unbind": [Sample((PACKED, SIZES)), Sample((ALONG, OTHER, 1)), Sample((ROWS, RAGGED, None))],
    "nested_select": [Sample((PACKED, 1, SIZES)), Sample((ALONG, 0, OTHER, 1)), Sample((ROWS, 1, RAGGED, None))],
    "nested_view": [Sample((PACKED, (5, 1, 2)))],
    "nested_chunk": [Sample((PACKED, (1, 1), 1))],
    "to_padded_tensor": [
        Sample((PACKED, 0.5, SIZES, (2, 3, 2))), Sample((ALONG, 0, OTHER, (2, 2, 4), 1)),
        Sample((ROWS, -1, RAGGED, (2, 3, 2), None)),
    ],
    "nested_from_padded": [Sample((wave(2, 3, 2), SIZES, (5, 2))), Sample((wave(2, 2, 4), OTHER, (2, 5), 1))],
    "nested_sum": [Sample((PACKED,))],
    "nested_mean": [Sample((PACKED,))],
    "nested_linear": [Sample((PACKED, wave(3, 2), wave(3))), Sample((wave(2, 2, 2), wave(3, 2), wave(3)))],
    "nested_linear_alone": [Sample((PACKED, wave(3, 2)))],
    "nested_matmul": [Sample((PACKED, wave(2, 3)))],
}  # fmt: skip
