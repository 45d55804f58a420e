"""Parts of complex tensors by indices and masks: elements are moved or added up."""

from __future__ import annotations

from ...complex_twins import twins
from ..indexing import gather_scatter, index_select, masked, subscripts

twins(
    gather_scatter.gather, gather_scatter.scatter_src, gather_scatter.scatter_value, gather_scatter.scatter_add,
    gather_scatter.take, gather_scatter.put,
)  # fmt: skip
twins(
    index_select.index_select, index_select.index_add, index_select.index_copy, index_select.index_fill_number,
    index_select.index_fill_tensor,
)  # fmt: skip
twins(masked.nonzero_places, masked.masked_select, masked.masked_scatter, masked.masked_scatter_backward)
twins(subscripts.index, subscripts.index_put, subscripts.index_put_impl)
