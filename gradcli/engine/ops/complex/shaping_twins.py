"""Shapes of complex tensors: elements are moved, none is changed."""

from __future__ import annotations

from ...complex_twins import twin, twins
from ..shape import copies, joining, padding, reordering, replacing_a_part, splitting, strides, views

twins(
    views.view, views.unsafe_view, views.reshape_alias, views.alias, views.fw_primal, views.expand, views.t,
    views.transpose,
    views.permute, views.unsqueeze, views.squeeze_all, views.squeeze_dim, views.squeeze_axes, views.squeeze_dims,
    views.select, views.slice_, views.diagonal, views.select_backward, views.slice_backward, views.diagonal_backward,
)  # fmt: skip
twin(strides.as_strided, pushes=strides.as_strided.op.pushes)
twins(strides.unfold, strides.unfold_backward)
twins(splitting.unbind, splitting.split, splitting.split_with_sizes)
twins(joining.cat, joining.stack, joining.block_diag)
twins(padding.constant_pad_nd, *padding.BORDER_OPS)
twins(
    reordering.flip, reordering.roll, reordering.rot90, reordering.repeat, reordering.tril, reordering.triu,
    reordering.diag_embed, reordering.diagonal_copy,
)  # fmt: skip
twins(
    copies.alias_copy, copies.detach_copy, copies.expanded_copy, copies.permute_copy, copies.select_copy,
    copies.slice_copy, copies.narrow_copy, copies.squeezed_copy, copies.squeezed_copy_dim, copies.squeezed_copy_axes,
    copies.t_copy, copies.transpose_copy, copies.unfold_copy, copies.unsqueeze_copy, copies.viewed_copy,
    copies.unbind_copy, copies.as_strided_copy, copies.split_copy, copies.split_with_sizes_copy, copies.unsafe_split,
    copies.unsafe_split_with_sizes,
)  # fmt: skip
twins(replacing_a_part.diagonal_scatter, replacing_a_part.as_strided_scatter)
