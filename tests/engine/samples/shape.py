"""Samples of the views: shapes, axes, parts, strided reads; and of borders."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])
Q = np.sin(np.arange(48.0)).reshape(2, 2, 3, 4)
V = np.array([0.7, -1.3, 2.4, 0.1])
ONE = np.array([1.7])
S = np.array(1.7)

SAMPLES: dict[str, list[Sample]] = {
    "view": [Sample((V, (2, 2))), Sample((V, (2, -1))), Sample((A, (2, 1, 3))), Sample((S, (1, 1))), Sample((ONE, ()))],
    "unsafe_view": [Sample((A, (3, 2))), Sample((B, (2, -1))), Sample((S, (1,)))],
    "reshape_alias": [Sample((ONE, (1, 1), (8, 8)))],
    "alias": [Sample((A,)), Sample((S,))],
    "fw_primal": [Sample((A,)), Sample((S,))],
    # What a strided read sees depends on the layout of its argument, but not here.
    "as_strided": [
        Sample((A, (2, 3), (0, 0))),
        Sample((ONE, (1,), (1,))),
        Sample((S, (3,), (0,))),
        Sample((S, (), ())),
    ],
    "expand": [
        Sample((V, (3, 4))),
        Sample((A[:, :1], (2, 4))),
        Sample((A[:, None], (-1, 2, -1))),
        Sample((S, (2, 2))),
        Sample((S, ())),
        Sample((ONE, (0,))),
    ],
    "t": [Sample((A,)), Sample((V,)), Sample((S,))],
    "transpose": [Sample((A, 0, 1)), Sample((B, -1, 0)), Sample((B, 1, 1)), Sample((S, 0, -1))],
    "permute": [Sample((A, (1, 0))), Sample((B, (2, 0, 1))), Sample((B, (-2, 0, -1))), Sample((S, ()))],
    "unsqueeze": [Sample((A, 0)), Sample((A, 1)), Sample((A, -1)), Sample((S, 0))],
    "squeeze_all": [Sample((A[:, :1],)), Sample((A,)), Sample((ONE,)), Sample((S,))],
    "squeeze_dim": [Sample((A[:, :1], 1)), Sample((A[:, :1], -1)), Sample((A, 0)), Sample((S, 0))],
    "squeeze_axes": [
        Sample((A[:1, :1], (0, 1))),
        Sample((A[:, :1], (0, -1))),
        Sample((A[:, :1], ())),
        Sample((S, (0,))),
    ],
    "squeeze_dims": [Sample((A[:1], 0)), Sample((A[:, :1], -1))],
    "select": [Sample((A, 0, 1)), Sample((A, -1, -2)), Sample((B, 1, 0)), Sample((V, 0, 3))],
    "select_backward": [Sample((A, (2, 4, 3), 1, -1)), Sample((A, (3, 2, 3), 0, 1)), Sample((S, (4,), 0, 2))],
    "slice_": [
        Sample((A, 0, 1, 2**63 - 1, 1)),
        Sample((A, -1, 0, -1, 1)),
        Sample((V, 0, None, None, 2)),
        Sample((B, 1, -2, 9, 3)),
        Sample((V, 0, 3, 1, 1)),
    ],
    "slice_backward": [Sample((A, (2, 5), 1, 1, 4, 1)), Sample((A, (4, 3), 0, 0, 2**63 - 1, 2))],
    "diagonal": [Sample((A,)), Sample((A, 1)), Sample((B, -1, 2, 1)), Sample((B, 0, 0, -1))],
    "diagonal_backward": [Sample((V, (4, 5), 1, 0, 1)), Sample((A, (2, 4, 3), -1, 1, 2))],
    "unfold": [
        Sample((V, 0, 2, 1)),
        Sample((V, 0, 2, 2)),
        Sample((Q, -1, 3, 1)),
        Sample((A, 0, 1, 3)),
        Sample((S, 0, 1, 1)),
    ],
    "unfold_backward": [Sample((A, (4,), 0, 3, 1)), Sample((A, (6,), 0, 3, 3)), Sample((B, (2, 4), 1, 2, 1))],
    "constant_pad_nd": [
        Sample((A, (1, 2))),
        Sample((A, (0, 1, 2, 0), 3.0)),
        Sample((A, (-1, 1))),
        Sample((V, (-1, -2))),
        Sample((S, ())),
    ],
    "reflection_pad1d": [Sample((A, (2, 1))), Sample((B, (1, 0))), Sample((A, (-1, 2)))],
    "reflection_pad1d_backward": [Sample((np.tile(V, (2, 1)), A[:, :2], (1, 1)))],
    "reflection_pad2d": [Sample((B, (1, 1, 2, 1))), Sample((Q, (3, 0, 0, 2))), Sample((Q, (1, -1, 0, 1)))],
    "reflection_pad2d_backward": [Sample((Q, Q[:, :, :2, :3], (0, 1, 1, 0)))],
    "reflection_pad3d": [Sample((Q, (1, 1, 2, 1, 1, 0)))],
    "reflection_pad3d_backward": [Sample((Q, Q[:, :, :2, :3], (0, 1, 1, 0, 0, 0)))],
    "replication_pad1d": [Sample((A, (2, 5))), Sample((B, (1, 0))), Sample((A, (-1, 2)))],
    "replication_pad1d_backward": [Sample((np.tile(V, (2, 1)), A[:, :2], (1, 1)))],
    "replication_pad2d": [Sample((B, (1, 1, 2, 1))), Sample((Q, (3, 0, 0, 5)))],
    "replication_pad2d_backward": [Sample((Q, Q[:, :, :2, :3], (0, 1, 1, 0)))],
    "replication_pad3d": [Sample((Q, (1, 1, 2, 1, 1, 3)))],
    "replication_pad3d_backward": [Sample((Q, Q[:, :, :2, :3], (0, 1, 1, 0, 0, 0)))],
}
