"""Whole numbers where PyTorch has no kernel for them, and numbers written where they do not fit, against PyTorch."""

import pytest

import gradcli

torch = pytest.importorskip("torch")

CALLS = """
F.conv2d(o(1,2,5,5), o(2,2,3,3))
F.conv2d(o(1,2,5,5), o(2,2,2,2), dilation=2)
F.conv_transpose1d(o(1,2,5), o(2,2,2))
F.conv3d(o(1,2,3,3,3), o(2,2,2,2,2))
F.max_pool1d(o(1,2,4), 2)
F.max_pool2d(o(1,2,4,4), 2)
F.adaptive_avg_pool2d(o(0,2,4,4), 2)
F.fold(o(1,4,4), (3,3), 2)
F.interpolate(o(1,1,3), size=2, mode="linear")
F.interpolate(o(1,1,3,3,3), size=2)
F.interpolate(o(1,1,3,3), size=2, mode="bilinear", antialias=True)
F.grid_sample(o(1,1,2,2,2), o(1,1,1,1,3), align_corners=False)
F.embedding_bag(M.tensor([[0]]), o(3,3))
F.embedding(M.tensor([0]), o(3,3), max_norm=.5)
F.scaled_dot_product_attention(o(2,3,4), o(2,3,4), o(2,3,4), is_causal=True)
F.mse_loss(o(3), o(3), reduction="none")
F.smooth_l1_loss(o(3), o(3))
F.huber_loss(o(3), o(3))
F.nll_loss(o(2,3,2,2), M.ones(2,2,2).long())
F.margin_ranking_loss(o(3), o(3), o(3))
F.binary_cross_entropy_with_logits(o(3), o(3))
F.bilinear(o(3), o(4), o(5,3,4), o(5))
M.softmax(o(0), 0)
M._softmax_backward_data(o(3), o(3), 0, o(1).dtype)
M.nextafter(o(3), o(3))
M.clamp(o(3), o(3), o(3))
M.isin(o(3), o(2))
M.bucketize(o(2), o(3))
M.gradient(o(3))[0]
M.cumsum(o(3), 0, dtype=o(1).dtype)
M.mvlgamma(o(3), 1)
M.dist(o(3), o(3))
M.tril_indices(2, 2, dtype=o(1).dtype)
M.range(0, 2, dtype=o(1).dtype)
o(3).scatter_reduce(0, M.tensor([0]), o(1), "mean")
o(3).scatter_reduce(0, M.tensor([0]), o(1), "amin", include_self=False)
o(3).index_reduce(0, M.tensor([0]), o(1), "amax", include_self=False)
M.cross(o(2,3), o(2,3), dim=1)
M.mm(o(0,2), o(2,2))
M.geqrf(o(3,3))[1]
M.cholesky(o(3,3))
M.cholesky(o(0,0))
M.linalg.eigvalsh(o(0,0))
M.linalg.eigh(o(3,3))[0]
M.linalg.vecdot(o(3), o(3))
M.linalg.vander(o(3))
M.linalg.lu_solve(o(3,3), M.ones(3).int(), o(3,1))
M.linalg.solve_triangular(o(3,3), o(3,1), upper=True)
M.linalg.lstsq(o(3,3), o(3,1))[0]
M.linalg.matrix_rank(o(3,3))
M.masked.prod(o(3))
M.masked.var(o(3))
M.masked.median(o(3), 0)
M.masked.logsumexp(o(3), 0)
M.masked.amax(o(3), mask=M.tensor([True, False, True]))
""".strip().splitlines()

WRITES = """
o(3).fill_(v)
M.fill(o(3), v)
o(3).index_fill(0, M.tensor([0]), v)
o(3).masked_fill(M.tensor([True, False, True]), v)
o(3).scatter(0, M.tensor([0]), v)
F.threshold(o(3).int(), v, v)
o(3).clamp(v)
o(3,3).fill_diagonal_(v)
""".strip().splitlines()


def found(M, text, kind, v=None):
    """What a call gives: its error by class and first line, or its element type, shape and elements."""
    dtype = getattr(M, kind)
    try:
        r = eval(text, {"M": M, "F": M.nn.functional, "o": lambda *s: M.ones(*s, dtype=dtype), "v": v})
    except Exception as e:
        names = [c.__name__ for c in type(e).__mro__ if c.__module__ in ("builtins", "torch._C")]
        return names[0], str(e).split("\n")[0]
    return str(r.dtype), tuple(r.shape), r.tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["uint8", "int64", "bool"])
def test_whole_numbers_are_taken_or_refused_as_in_pytorch(kind):
    for text in CALLS:
        assert (text, found(gradcli, text, kind)) == (text, found(torch, text, kind))


@pytest.mark.parametrize("kind", ["uint8", "int32", "bool"])
def test_numbers_fit_where_they_are_written(kind):
    for text in WRITES:
        for v in (-1, -8.5, 300, 2.0**40, -0.5, True):
            assert (text, v, found(gradcli, text, kind, v)) == (text, v, found(torch, text, kind, v))
