"""The ops, one file per family, in folders that one knows from PyTorch's documentation.

A family is read when it is first asked for: elsewhere, and in other families, its functions are called as
``ops.FAMILY.NAME``. At its top a family imports from others only small helpers, so that it brings few along.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import common as common, memory_order as memory_order, named_results as named_results
    from .indexing import (
        gather_scatter as gather_scatter,
        index_select as index_select,
        masked as masked,
        scatter_reduce as scatter_reduce,
        subscripts as subscripts,
    )
    from .loss import (
        binary_cross_entropy as binary_cross_entropy,
        class_margins as class_margins,
        cross_entropy as cross_entropy,
        ctc as ctc,
        likelihood as likelihood,
        reduction as reduction,
        regression as regression,
        similarity as similarity,
    )
    from .make import (
        converting as converting,
        drawn_in_place as drawn_in_place,
        filled as filled,
        from_data as from_data,
        integer_bounds as integer_bounds,
        machine as machine,
        random as random,
        ranges as ranges,
    )
    from .matrix import (
        addmm as addmm,
        cdist as cdist,
        conditioning as conditioning,
        decompositions as decompositions,
        einsum as einsum,
        fitting_operands as fitting_operands,
        inverse as inverse,
        lu as lu,
        matmul as matmul,
        matrix_functions as matrix_functions,
        products as products,
        square as square,
        triangular as triangular,
    )
    from .nn import (
        attention as attention,
        batch_norm as batch_norm,
        convolution as convolution,
        dropout as dropout,
        embedding as embedding,
        embedding_bag as embedding_bag,
        exponential_units as exponential_units,
        grid_neighbours as grid_neighbours,
        grid_sample as grid_sample,
        group_norm as group_norm,
        image_blocks as image_blocks,
        interpolation as interpolation,
        layer_norm as layer_norm,
        packed_sequences as packed_sequences,
        rectifiers as rectifiers,
        recurrent_cells as recurrent_cells,
        resizing as resizing,
        resizing_3d as resizing_3d,
        smooth_activations as smooth_activations,
        softmax as softmax,
        trilinear_convolution as trilinear_convolution,
        weight_norm as weight_norm,
    )
    from .pointwise import (
        arith as arith,
        choosing as choosing,
        comparison as comparison,
        elementary as elementary,
        kinked as kinked,
        masks as masks,
        overwriting as overwriting,
        power as power,
        python_functions as python_functions,
        remainders as remainders,
        special as special,
        two_operands as two_operands,
    )
    from .pool import (
        adaptive_3d as adaptive_3d,
        avg_pool as avg_pool,
        max_pool as max_pool,
        pool_3d as pool_3d,
        power_pool as power_pool,
        unpool as unpool,
        window_shapes as window_shapes,
        windows as windows,
    )
    from .reduce import (
        any_all as any_all,
        counting as counting,
        covariance as covariance,
        cumulative as cumulative,
        differences as differences,
        extrema as extrema,
        prod as prod,
        quantile as quantile,
        sorting as sorting,
        sums as sums,
        tie_breaking as tie_breaking,
        variance as variance,
        vector_norms as vector_norms,
    )
    from .shape import (
        joining as joining,
        padding as padding,
        reordering as reordering,
        replacing_a_part as replacing_a_part,
        reshaping as reshaping,
        splitting as splitting,
        strides as strides,
        views as views,
    )
else:

    _FOLDERS = {
        "": "common memory_order named_results",
        "indexing.": "gather_scatter index_select masked scatter_reduce subscripts",
        "loss.": "binary_cross_entropy class_margins cross_entropy ctc likelihood reduction regression similarity",
        "make.": "converting drawn_in_place filled from_data integer_bounds machine random ranges",
        "matrix.": (
            "addmm cdist conditioning decompositions einsum fitting_operands inverse lu matmul matrix_functions "
            "products square triangular"
        ),
        "nn.": (
            "attention batch_norm convolution dropout embedding embedding_bag exponential_units grid_neighbours "
            "grid_sample group_norm image_blocks interpolation layer_norm packed_sequences rectifiers "
            "recurrent_cells resizing resizing_3d smooth_activations softmax trilinear_convolution weight_norm"
        ),
        "pointwise.": (
            "arith choosing comparison elementary kinked masks overwriting power python_functions remainders "
            "special two_operands"
        ),
        "pool.": "adaptive_3d avg_pool max_pool pool_3d power_pool unpool window_shapes windows",
        "reduce.": (
            "any_all counting covariance cumulative differences extrema prod quantile sorting sums tie_breaking "
            "variance vector_norms"
        ),
        "shape.": "joining padding reordering replacing_a_part reshaping splitting strides views",
    }
    _HOMES = {family: folder for folder, families in _FOLDERS.items() for family in families.split()}

    def __getattr__(name: str) -> Any:
        """A family, read now."""
        if name not in _HOMES:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        globals()[name] = family = import_module(f"{__name__}.{_HOMES[name]}{name}")
        return family
