"""The ops, one file per family.

A family is read when it is first asked for: elsewhere, and in other families, its functions are called as
``ops.FAMILY.NAME``. At its top a family imports from others only small helpers, so that it brings few along.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import (
        activation as activation,
        adaptive3d as adaptive3d,
        affine as affine,
        along as along,
        arith as arith,
        arrange as arrange,
        attention as attention,
        avgpool as avgpool,
        bags as bags,
        batchnorm as batchnorm,
        binary as binary,
        blocks as blocks,
        classes as classes,
        classmargin as classmargin,
        collect as collect,
        common as common,
        compare as compare,
        conv as conv,
        convert as convert,
        convolve as convolve,
        counting as counting,
        create as create,
        ctc as ctc,
        decompose as decompose,
        distance as distance,
        draws as draws,
        dropout as dropout,
        einsum as einsum,
        elements as elements,
        embed as embed,
        exponential as exponential,
        extrema as extrema,
        fits as fits,
        forms as forms,
        gather as gather,
        given as given,
        grid as grid,
        gridtaps as gridtaps,
        groupnorm as groupnorm,
        host as host,
        index as index,
        interpolation as interpolation,
        join as join,
        layout as layout,
        likelihood as likelihood,
        linalg as linalg,
        loss as loss,
        lu as lu,
        margin as margin,
        masked as masked,
        masks as masks,
        matfun as matfun,
        matmul as matmul,
        matrices as matrices,
        maxpool as maxpool,
        multiples as multiples,
        norm as norm,
        order as order,
        packed as packed,
        pad as pad,
        pairs as pairs,
        part as part,
        patch as patch,
        picks as picks,
        pool as pool,
        pool3d as pool3d,
        power as power,
        powerpool as powerpool,
        products as products,
        quantile as quantile,
        random as random,
        ranges as ranges,
        recurrent as recurrent,
        reduce as reduce,
        reduction as reduction,
        resize as resize,
        resize3d as resize3d,
        results as results,
        rounding as rounding,
        sampled as sampled,
        scan as scan,
        select as select,
        shape as shape,
        smooth as smooth,
        softmax as softmax,
        spans as spans,
        special as special,
        statistics as statistics,
        steps as steps,
        strides as strides,
        systems as systems,
        triangular as triangular,
        truth as truth,
        unary as unary,
        unpool as unpool,
        variance as variance,
        vectornorm as vectornorm,
        weightnorm as weightnorm,
        windows as windows,
        written as written,
    )
else:

    def __getattr__(name: str) -> Any:
        """A family, read now."""
        from importlib import import_module

        module = f"{__name__}.{name}"
        try:
            return import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'") from None
