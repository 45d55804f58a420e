"""Which form suits which op."""

from __future__ import annotations

from . import layers, products
from .generic import (
    Form,
    aligned,
    along,
    expanded,
    filled,
    flat,
    flipped,
    folded,
    joined,
    permuted,
    repeated,
    same,
    shaped,
    shifted,
    sized,
    squeezed,
    stacked,
    summed,
    trailing,
    turned,
)

_ALONG = """
    amax amin aminmax cummax cummin cumprod cumsum diagonal diagonal_copy diagonal_scatter gated glu_backward index_add
    index_copy index_fill_number index_reduce index_select kthvalue linalg_cross linalg_vector_norm log_softmax_along
    log_softmax_backward_data logcumsumexp logsumexp max_dim mean_dim median_dim min_dim mode nanmedian_dim nansum
    norm_dim prod_dim rot90 safe_softmax select select_scatter slice_ slice_scatter softmax_along softmax_backward_data
    sort sort_stable split split_with_sizes std std_mean sum_dim topk transpose unbind unfold var var_mean
"""
_ALONG_WITH_INDEX = "gather scatter_add scatter_reduce scatter_src scatter_value"
_STACKED = """
    bernoulli_by bernoulli_by_self bernoulli_drawn cauchy_drawn cholesky_ cholesky_inverse constant_pad_nd copied
    euclidean_dist exponential_drawn fill_number frexp_parts geometric_drawn linalg_cholesky_ex linalg_det linalg_eigh
    linalg_inv_ex linalg_matrix_exp linalg_pinv linalg_qr linalg_slogdet linalg_svd log_normal_drawn log_sigmoid
    log_sigmoid_backward normal_by_both normal_by_mean normal_by_std normal_drawn pixel_shuffle pixel_unshuffle
    random_below_drawn random_between_drawn random_drawn reflection_pad1d reflection_pad1d_backward reflection_pad2d
    reflection_pad2d_backward reflection_pad3d reflection_pad3d_backward replication_pad1d replication_pad1d_backward
    replication_pad2d replication_pad2d_backward replication_pad3d replication_pad3d_backward rrelu_with_noise
    rrelu_with_noise_backward rrelu_with_noise_in_place to_copy triangular_solve_ tril triu uniform_drawn zero
"""
_FOLDED = """
    adaptive_avg_pool2d adaptive_avg_pool2d_backward adaptive_avg_pool3d adaptive_avg_pool3d_backward
    adaptive_max_pool2d_backward adaptive_max_pool2d_with_indices adaptive_max_pool3d_backward
    adaptive_max_pool3d_with_indices avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward channel_shuffle
    col2im grid_sampler_2d grid_sampler_3d im2col max_pool2d_with_indices max_pool2d_with_indices_backward
    max_pool3d_with_indices max_pool3d_with_indices_backward max_unpooled2d max_unpooled3d upsample_bicubic2d
    upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d
    upsample_nearest_exact1d upsample_nearest_exact2d upsample_nearest_exact3d upsample_trilinear3d
"""
_FILLED = "copy fill_tensor masked_fill_number masked_fill_tensor"
_ALIGNED = "cdist_forward cholesky_solve_ linalg_solve_triangular prelu_kernel zeta_of_both"
_SIZED = "diagonal_backward select_backward slice_backward unfold_backward"
_REDUCED = """
    binary_cross_entropy binary_cross_entropy_with_logits huber_loss mse_loss smooth_l1_loss soft_margin_loss
"""
_UNREDUCED = """
    binary_cross_entropy_backward huber_loss_backward mse_loss_backward smooth_l1_loss_backward
    soft_margin_loss_backward
"""
_GROUPS: list[tuple[str, Form]] = [
    (_ALONG, along()), (_ALONG_WITH_INDEX, along(also=frozenset({"index"}))), (_STACKED, stacked), (_FOLDED, folded),
    (_FILLED, filled), (_ALIGNED, aligned), (_SIZED, sized), (_REDUCED, layers.reduced),
    (_UNREDUCED, layers.unreduced), ("diag_embed unsqueeze", along(1)), ("index index_put index_put_impl", trailing),
    ("view unsafe_view reshape_alias", shaped), ("squeeze_all squeeze_axes squeeze_dim squeeze_dims", squeezed),
    ("nll_loss_forward nll_loss2d_forward", layers.classes),
    ("nll_loss_backward nll_loss2d_backward", layers.unclassed),
    ("native_batch_norm native_group_norm native_layer_norm", layers.affine),
]  # fmt: skip

# By the name of the op. What is elementwise has the form `aligned` without being named.
FORMS: dict[str, Form] = {name: form for names, form in _GROUPS for name in names.split()} | {
    "mm": products.alone(products.mm), "mv": products.alone(products.mv), "dot": products.alone(products.dot),
    "vdot": products.alone(products.dot), "bmm": products.alone(products.bmm),
    "addmm": products.added(products.mm, 2), "addmv": products.added(products.mv, 1),
    "addr": products.added(products.outer, 2), "addbmm": products.added(products.summed, 2),
    "baddbmm": products.added(products.bmm, 3),
    "t": turned, "alias": same, "expand": expanded, "repeat": repeated, "permute": permuted, "flip": flipped,
    "gates": shifted, "cat": joined(0), "stack": joined(1),
    "sum_all": summed(False), "mean_all": summed(True),
    "prod_all": flat("prod_dim", -1, False), "max_all": flat("amax", (-1,), False),
    "min_all": flat("amin", (-1,), False), "median_all": flat("median_dim", -1, False),
    "nanmedian_all": flat("nanmedian_dim", -1, False),
    "convolution": layers.convolved, "embedding": layers.looked_up, "linalg_solve_ex": layers.solved,
    "trace": layers.diagonal_sum, "ctc_loss_forward": layers.heard,
}  # fmt: skip
