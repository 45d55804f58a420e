"""Samples of the copies of views, and of tensors taken apart into tensors of their own."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])
V = np.array([0.7, -1.3, 2.4, 0.1])
S = np.array(1.7)

SAMPLES: dict[str, list[Sample]] = {
    "alias_copy": [Sample((A,)), Sample((S,))],
    "as_strided_copy": [Sample((A, (2, 3), (0, 0))), Sample((S, (3,), (0,)))],
    "expanded_copy": [Sample((V, (3, 4))), Sample((A[:, :1], (2, 4))), Sample((S, (2, 2)))],
    "permute_copy": [Sample((A, (1, 0))), Sample((B, (2, 0, 1)))],
    "select_copy": [Sample((A, 0, 1)), Sample((A, -1, -2)), Sample((V, 0, 3))],
    "slice_copy": [Sample((A, 0, 1, 2, 1)), Sample((A, -1, 0, -1, 1)), Sample((V, 0, None, None, 2))],
    "narrow_copy": [Sample((A, 0, 1, 1)), Sample((B, -2, 0, 2))],
    "squeezed_copy": [Sample((A[:, :1],)), Sample((S,))],
    "squeezed_copy_dim": [Sample((A[:, :1], 1)), Sample((A, 0))],
    "squeezed_copy_axes": [Sample((A[:1, :1], (0, 1))), Sample((A[:, :1], ()))],
    "t_copy": [Sample((A,)), Sample((V,)), Sample((S,))],
    "transpose_copy": [Sample((A, 0, 1)), Sample((B, -1, 0))],
    "unfold_copy": [Sample((V, 0, 2, 1)), Sample((A, 0, 1, 3))],
    "unsqueeze_copy": [Sample((A, 0)), Sample((A, -1)), Sample((S, 0))],
    "viewed_copy": [Sample((V, (2, 2))), Sample((A, (2, 1, 3)))],
    "as_strided_scatter": [Sample((V[:1], S + V[1:2], (1,), (1,))), Sample((S, S * 2, (), ()))],
    "unbind_copy": [Sample((A,)), Sample((B, -1))],
    "split_copy": [Sample((V, 3)), Sample((A, 2, 1))],
    "split_with_sizes_copy": [Sample((V, (1, 3))), Sample((A, (0, 3), -1))],
    "unsafe_split": [Sample((V, 3)), Sample((A, 2, 1))],
    "unsafe_split_with_sizes": [Sample((V, (1, 3))), Sample((A, (0, 3), -1))],
}
