"""What gradcli does not match, and why. An entry that has become untrue fails the tests."""

from __future__ import annotations

# (record, "values" | "gradients" | "graph") -> why
RECORDS: dict[tuple[str, str], str] = {}

# (record, variant of its inputs, kind) -> why, beside PyTorch itself
LIVE: dict[tuple[str, str, str], str] = {
    ("matmul_250", "float32", "gradients"): "PyTorch's own backward of det fails while float64 is the default dtype",
    ("double_backward_558", "float32", "gradients"): "PyTorch's own backward of det fails, as above",
    ("nn_475", "L1 without gradient", "values"): "without a gradient PyTorch takes a kernel whose result is no view",
}

# name in PyTorch's own list of ops -> why its samples come out wrong
_BESSEL = "PyTorch's has errors of 1e-7 for arguments of some size: SciPy says that ours is right to 1e-13"

OP_DB: dict[str, str] = {
    "as_strided_scatter": "PyTorch's gradient is memory that nobody wrote, but for what was replaced: ours is right",
    "special.airy_ai": _BESSEL,
    "special.bessel_j0": _BESSEL,
    "special.bessel_j1": _BESSEL,
    "special.bessel_y0": _BESSEL,
    "special.bessel_y1": _BESSEL,
}

_LAYOUT = "PyTorch solves with a conjugate by the transposed system: the solution lies otherwise in memory"
_ILL = "the second gradient of so many QR factors is ill-conditioned: PyTorch's own moves as much with the last digit"
_GRAPH = "graph of the gradient"
_TWO = "of what programs do not call two nodes stand where PyTorch has one"

# name in PyTorch's own list of ops -> how a fault of its complex samples begins, and why it is there
COMPLEX_OP_DB: dict[str, tuple[str | tuple[str, ...], str]] = {
    "_unsafe_masked_index": (("graph is", _GRAPH), _TWO),
    "_unsafe_masked_index_put_accumulate": (("graph is", _GRAPH), _TWO),
    "as_strided_scatter": ("gradient 0", OP_DB["as_strided_scatter"]),
    "cumprod": (_GRAPH, "where a factor is 0, PyTorch writes the shares into one tensor; here they are stacked"),
    "linalg.householder_product": (
        (_GRAPH, "second gradient"),
        "PyTorch writes the shares of the reflectors into one tensor; second gradients of 1e5 have ten digits",
    ),
    "linalg.lu": (_GRAPH, _LAYOUT),
    "linalg.lu_factor": (_GRAPH, _LAYOUT),
    "linalg.lu_factor_ex": (_GRAPH, _LAYOUT),
    "linalg.pinv[singular]": (_GRAPH, "of matrices without elements: the transpose is another of PyTorch's nodes"),
    "lu": (_GRAPH, _LAYOUT),
    "ormqr": (_GRAPH, "PyTorch writes the shares of the reflectors into one tensor"),
    "nn.functional.conv3d": ("graph is", "PyTorch pads each of the three real convolutions; here the input is, once"),
    "pca_lowrank": ("second gradient", _ILL),
    "svd_lowrank": ("second gradient", _ILL),
}

# names in PyTorch's own list of ops whose complex samples are refused by name
COMPLEX_REFUSED: set[str] = set()

# name in PyTorch's own list of ops -> why a write between forward and backward is not missed as it is there
WRITES: dict[str, str] = {
    "nn.functional.multi_head_attention_forward": "PyTorch refuses a write to one of its views in other words",
    "_batch_norm_with_update": "PyTorch keeps a buffer for other devices, which is empty on a CPU",
    "_unsafe_masked_index": "one op of PyTorch's, which is several here",
    "_unsafe_masked_index_put_accumulate": "one op of PyTorch's, which is several here",
    "native_dropout_backward": "the mask alone is kept: a second gradient asks for no more",
}

# Tangents that differ from PyTorch's, and why.
FORWARD = {
    "logcumsumexp": "PyTorch divides sums that overflow or vanish: ours are right to the last digits",
    "triangular_solve": "PyTorch's tangent of this deprecated function is not its derivative: ours is",
}
