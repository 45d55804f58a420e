"""torch.autocast on the CPU beside PyTorch's: element types, nodes and numbers of all that it casts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gradcli

from .test_complex import nodes

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")

EXPRESSIONS = """
A@B | A@v | v@A | v@w | b3@c3 | b3@A | T.mm(A,B) | T.bmm(b3,c3) | T.mv(A,v) | T.dot(v,w) | T.addmm(A,A,B)
T.addmv(v,A,w) | T.addr(A,v,w) | T.baddbmm(b3,b3,c3) | T.addbmm(A,b3,c3) | F.linear(A,B) | F.linear(A,B,v)
T.linalg.vecdot(A,B) | T.outer(v,w) | T.einsum('ij,jk->ik',A,B) | T.linalg.multi_dot([A,B,A]) | T.matmul(A,B)
A.matmul(B) | T.chain_matmul(A,B) | T.tensordot(A,B) | T.inner(A,B) | T.kron(A,B) | T.cdist(A,B)
F.bilinear(A,B,T.rand(2,3,3).to(A.dtype)) | T.linalg.matrix_power(A,3) | T.matrix_power(A,2) | F.conv1d(i1,k1)
F.conv2d(i2,k2) | F.conv3d(i3,k3) | F.conv_transpose1d(i1,t1) | F.conv_transpose2d(i2,t2)
F.conv_transpose3d(i3,t3) | F.conv2d(i2,k2,padding='same') | F.prelu(A,v[:1]) | F.avg_pool3d(i3,2)
F.avg_pool2d(i2,2) | F.max_pool3d(i3,2) | F.max_pool2d(i2,2) | F.adaptive_avg_pool3d(i3,2)
F.adaptive_avg_pool2d(i2,2) | F.adaptive_max_pool3d(i3,2) | F.binary_cross_entropy(p,p.detach())
F.binary_cross_entropy_with_logits(A,p) | F.grid_sample(m,T.rand(2,3,3,2).to(A.dtype)) | T.prod(A) | T.prod(A,0)
T.quantile(A,.5) | T.nanquantile(A,.5) | T.trace(A) | T.view_as_complex(T.rand(3,2).to(A.dtype)) | T.polar(A,B)
F.mse_loss(A,B) | F.l1_loss(A,B) | F.smooth_l1_loss(A,B) | F.huber_loss(A,B) | F.cross_entropy(A,y)
F.nll_loss(A,y) | F.kl_div(A,B) | F.hinge_embedding_loss(A,B) | F.poisson_nll_loss(A,B)
F.margin_ranking_loss(v,w,w) | F.triplet_margin_loss(A,B,A) | F.multi_margin_loss(A,y)
F.cosine_embedding_loss(A,B,v) | F.multilabel_soft_margin_loss(A,B) | F.gaussian_nll_loss(A,B,B)
F.cosine_similarity(A,B)
F.ctc_loss(T.rand(5,2,4).to(A.dtype).log_softmax(2),T.tensor([[1,2],[1,2]]),T.tensor([5,5]),T.tensor([2,2]))
T.linalg.cholesky(S) | T.cholesky_solve(A,S) | T.cholesky_inverse(S) | T.inverse(S) | T.linalg.inv(S)
T.linalg.solve(S,B) | T.linalg.svd(S)[1] | T.linalg.svdvals(S) | T.linalg.eigh(S)[0] | T.linalg.eigvalsh(S)
T.linalg.qr(S)[1] | T.linalg.det(S) | T.det(S) | T.logdet(S) | T.slogdet(S)[1] | T.pinverse(S)
T.linalg.lstsq(S,B)[0] | T.linalg.cond(S) | T.linalg.matrix_rank(S) | T.linalg.norm(S) | T.linalg.matrix_norm(S)
T.linalg.vector_norm(S) | T.linalg.solve_triangular(S,B,upper=True)
T.linalg.lu(S)[2] | T.linalg.lu_factor(S)[0] | T.linalg.householder_product(S,v)
T.linalg.tensorinv(S.reshape(3,3),1) | T.triangular_solve(B,S)[0] | T.linalg.cross(A,B) | T.stack([A,B.bfloat16()])
T.cat([A,B.bfloat16()]) | T.cat([A.bfloat16(),B.bfloat16()]) | T.index_copy(A,0,T.tensor([0]),B[:1].bfloat16())
T.stack([A,B]) | T.cat([A,B]) | T.hstack([A,B.bfloat16()]) | F.pad(A,(1,1)) | F.pad(i1,(1,1),mode='reflect')
F.pad(i1,(1,1),mode='replicate') | F.pad(i2,(1,1,1,1),mode='reflect') | F.pad(i2,(1,1,1,1),mode='replicate')
F.pad(i3,(1,1,1,1,1,1),mode='replicate') | F.pad(i3,(1,1,1,1,1,1),mode='reflect') | F.layer_norm(A,(3,))
F.batch_norm(A,None,None,training=True) | F.softmax(A,1) | F.log_softmax(A,1) | F.gelu(A) | T.exp(A) | T.sum(A)
A.mean() | A.var() | T.fft.fft(A) | T.fft.rfft(A) | T.fft.irfft(A) | T.fft.fftn(A) | F.embedding(y,A)
F.interpolate(i2,scale_factor=2) | F.interpolate(i2,scale_factor=2,mode='bilinear') | T.cumsum(A,0)
T.cumprod(A,0) | F.normalize(A) | T.dist(A,B) | F.pairwise_distance(A,B) | F.pdist(A) | T.renorm(A,2,0,1.)
T.addcmul(A,A,B) | A+B | A+B.bfloat16() | A*B.bfloat16() | F.group_norm(i2,3) | F.local_response_norm(i2,2)
T.logsumexp(A,0) | F.max_unpool2d(*F.max_pool2d(i2.detach().float(),2,return_indices=True),2)
F.fold(T.rand(1,12,4).to(A.dtype),(4,4),(2,2),stride=2) | F.unfold(i2,2) | F.glu(A[:, :2]) | T.cov(A)
T.corrcoef(A) | F.pixel_shuffle(T.rand(1,4,2,2).to(A.dtype),2) | T.nn.GRU(3,2)(A)[0] | T.nn.RNN(3,2)(A)[0]
T.nn.LSTMCell(3,2)(A)[0] | T.nn.GRUCell(3,2)(A) | T.nn.RNNCell(3,2)(A) | T.median(A) | T.sort(A)[0]
"""
CASES = [e for line in EXPRESSIONS.strip().splitlines() for e in line.split(" | ")]


def leaves(T: Any, in_half: bool) -> dict[str, Any]:
    T.manual_seed(0)
    shapes: dict[str, tuple[int, ...]] = {
        "A": (3, 3), "B": (3, 3), "b3": (2, 3, 3), "c3": (2, 3, 3), "v": (3,), "w": (3,), "i1": (2, 3, 8),
        "k1": (4, 3, 3), "i2": (2, 3, 8, 8), "k2": (4, 3, 3, 3), "i3": (1, 3, 5, 5, 5), "k3": (2, 3, 2, 2, 2),
        "t1": (3, 2, 3), "t2": (3, 2, 3, 3), "t3": (3, 2, 2, 2, 2), "p": (3, 3), "q": (1, 2, 4, 4), "m": (2, 2, 5, 5),
    }  # fmt: skip
    made = {name: T.rand(*shape) for name, shape in shapes.items()} | {"S": T.eye(3) * 3}
    made = {name: (t.bfloat16() if in_half else t).requires_grad_() for name, t in made.items()}
    return {**made, "y": T.tensor([0, 1, 2]), "T": T, "F": T.nn.functional}


def found(T: Any, expression: str, in_half: bool) -> Any:
    """The element type, the nodes and the numbers of an expression under autocast; or that it raises."""
    given = leaves(T, in_half)
    T.manual_seed(1)
    try:
        with warnings.catch_warnings(), T.autocast("cpu", dtype=T.bfloat16):
            warnings.simplefilter("ignore")
            y = eval(expression, given)
    except RuntimeError:
        return "raises"
    numbers = np.asarray(y.detach().resolve_conj().to(T.complex128 if y.is_complex() else T.float64).numpy())
    return str(y.dtype), nodes(y), numbers


@pytest.mark.parametrize("in_half", [False, True], ids=["single", "half"])
@pytest.mark.parametrize("expression", CASES)
def test_what_is_cast_is_what_pytorch_casts(expression: str, in_half: bool) -> None:
    ours, theirs = (found(T, expression, in_half) for T in (gradcli, torch))
    if theirs == "raises":
        assert ours == "raises"
        return
    assert ours[:2] == theirs[:2]
    np.testing.assert_allclose(ours[2], theirs[2], rtol=0.02, atol=0.01)


def test_a_network_of_long_short_term_memories_computes_all_in_half_precision() -> None:
    network, x = gradcli.nn.LSTM(3, 2), gradcli.ones(4, 3)
    with gradcli.autocast("cpu"):
        found, (h, c) = network(x)
    assert {t.dtype for t in (found, h, c)} == {gradcli.bfloat16}
    assert network.weight_ih_l0.dtype == gradcli.float32


def test_two_kinds_of_half_precision_are_not_joined() -> None:
    for T in (gradcli, torch):
        x = T.ones(2, dtype=T.bfloat16)
        with pytest.raises(RuntimeError, match="at::autocast::prioritize"), T.autocast("cpu", dtype=T.float16):
            T.cat([x, x])


def test_nothing_is_cast_after_a_block_that_fails() -> None:
    with pytest.raises(ZeroDivisionError), gradcli.autocast("cpu"):
        raise ZeroDivisionError
    assert not gradcli.is_autocast_enabled("cpu")
    x = gradcli.ones(2, 2)
    assert (x @ x).dtype is gradcli.float32


def test_a_decorated_forward_has_the_names_of_its_arguments() -> None:
    class Own(gradcli.autograd.Function):
        @staticmethod
        @gradcli.amp.custom_fwd(device_type="cpu", cast_inputs=gradcli.float32)
        def forward(ctx, first, second):  # type: ignore[no-untyped-def]
            return first * second

        @staticmethod
        @gradcli.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):  # type: ignore[no-untyped-def]
            return g, g

    x = gradcli.ones(2, dtype=gradcli.bfloat16, requires_grad=True)
    with gradcli.autocast("cpu"):
        y = Own.apply(x, x)
    assert y.dtype is gradcli.float32
    assert "first" in str(gradcli.trace(y.sum()))


@pytest.mark.parametrize("engine", [torch, gradcli])
def test_a_scaler_leaves_out_a_step_that_overflows_and_grows_after_some_that_do_not(engine: Any) -> None:
    w = engine.tensor([1.0, -2.0], requires_grad=True)
    optimizer = engine.optim.SGD([w], lr=0.5)
    scaler = engine.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    seen = []
    for factor in (1.0, float("inf"), 1.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((w * w).sum() * factor).backward()
        if factor == 1.0:
            scaler.unscale_(optimizer)
            with pytest.raises(RuntimeError, match="already been called on this optimizer since the last update"):
                scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        seen.append((w.tolist(), scaler.get_scale()))
    assert seen == [([0.0, 0.0], 8.0), ([0.0, 0.0], 4.0), ([0.0, 0.0], 4.0), ([0.0, 0.0], 8.0)]
    assert scaler.state_dict()["_growth_tracker"] == 0
    with pytest.raises(AssertionError, match="Attempted update but _scale is None"):
        engine.amp.GradScaler("cpu").update()
