"""torch.utils._dtype_abbrs: element types by a few letters."""

from ..engine.dtypes import DTYPES

_LETTERS = {"bool": "b8", "bfloat16": "bf16"} | {
    f"{kind}{bits}": f"{letter}{bits}"
    for kind, letter in (("float", "f"), ("complex", "c"), ("int", "i"), ("uint", "u"))
    for bits in (8, 16, 32, 64, 128)
}

dtype_abbrs = {dtype: _LETTERS[dtype.name] for dtype in DTYPES.values()}
