"""The Gaussian error linear unit of single precision as the library computes it that PyTorch leaves it to.

Its slope has the error function of Abramowitz and Stegun, 1 - t * polynomial(t) * exp(-x * x), for
t = 1 / (1 + x * _STEEP) and x = input / sqrt(2). So has the unit itself, but for processors with AVX-512, for which
there is a polynomial of the input's size for each quarter of its powers of two.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ...dtypes import F32, F64, Array
from .fused import LARGEST, in_parts, multiply_add, polynomial
from .layer_exponential import below_1
from .sums import WIDE

_ROOT_HALF, _ROOT_PER_PI, _STEEP = F32.type(0.707106769), F32.type(0.564189553), float(F32.type(0.3275911))
_FOR_ERF = [float(F32.type(c)) for c in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)]
_HALF, _ONE = F32.type(0.5), F32.type(1)

# The bits of the coefficients by quarters, of the fifth power first.
_QUARTERS = (
    "3c9b6050 3c978d11 3c92e850 3c8d058b 3c848454 3c6cd623 3c4c824b 3c2a7935 3be0b390 3b0651ac bb232f53 bbd42fa0 "
    "bc2c5366 bc492c9e bc2a7aa6 bbd55d04 ba823a76 3b102aa8 3ae25a7e 3a31f792 38b84375 3689bb5a 00000000 00000000",
    "39f097a3 3a5845dc 3ab1fa35 3b0cefb8 3b653ab6 3bcae527 3c221712 3c6c5840 3cc0a703 3d1dcc19 3d63656d 3d955907 "
    "3dbf9910 3dd53f69 3db7dcef 3d639ebe ba6ede48 bd22be69 bd041cf1 bc64f5ab bb097a32 b8ebf380 00000000 00000000",
    "be084570 be08639b be089837 be08f409 be09ab95 be0b66d0 be0e400a be124df8 be1bde02 be2f19c9 be4931bf be685fbc "
    "be89c95f be96cbca be8044aa be0550f2 3dcfd6a1 3e94c826 3e79345f 3decec91 3ca46568 3aa1e00a 00000000 00000000",
    "3735e4cf 37f2ff89 388c23be 3917535c 39ab2ab0 3a60fadb 3af9b960 3b6e5491 3c0a4ec5 3ca5aa8c 3d2138d9 3d8737d4 "
    "3ddfb660 3e0f27ab 3d94004b be0efdeb bf1d96c3 bf89db58 bf6d9897 bef69fb8 bdc4f8a8 bbde6422 00000000 00000000",
    "3f4c421f 3f4c4207 3f4c41cb 3f4c413b 3f4c3fad 3f4c3a2f 3f4c2d40 3f4c146a 3f4bc341 3f4ad08c 3f48f8cf 3f45fac7 "
    "3f404e07 3f3b980f 3f48dff3 3f78b21b 3fbb0704 40019c32 3fe536d6 3f81331e 3e6c8684 3c98f936 00000000 3f800000",
    "32827792 3381cc0c 34523d4a 351ac44d 35f36d88 36ee8229 37b8a3bb 3867a213 3940033b 3a2a5a1d 3ae35863 3b7828f2 "
    "3c08b14b 3c515ed3 bb503236 bd8d8e5e be8abcd9 bf0c19a2 beccb328 3e176ced 3f470d99 3f7abb28 3f800000 00000000",
)
# Where the first quarter begins, and the input from where on the error function is 1.
_BEGIN, _FLAT, _ONE_AT = 0x3DE00001, F32.type(5.5425940), 22


def follows(a: Array) -> bool:
    """Tell whether the gelu of these numbers is left to that library, and followed here."""
    return a.dtype is F32 and 1 < a.size <= LARGEST and bool(a.flags.c_contiguous)


def gelu(a: Array) -> Array:
    """The Gaussian error linear unit."""
    return in_parts(by_quarters if WIDE else by_exponential, a)


def gelu_slope(a: Array) -> Array:
    """The slope of the unit."""
    return in_parts(slope, a)


def by_exponential(a: Array) -> Array:
    """The unit by its error function."""
    x = a * _ROOT_HALF
    half = a * _HALF
    return multiply_add(half, _normal(a, x, below_1(-(x * x))), half)


@cache
def _coefficients() -> Array:
    return np.array([[int(bits, 16) for bits in row.split()] for row in _QUARTERS], np.uint32).view(F32).astype(float)


def by_quarters(a: Array) -> Array:
    """The unit by a polynomial for each quarter."""
    size = np.abs(a)
    place = (size.view(np.int32) - _BEGIN >> 21) - 1
    place = np.where(size > _FLAT, _ONE_AT, np.minimum(np.maximum(place, 0), 23))
    normal = polynomial(size.astype(F64), [row.take(place) for row in _coefficients()])
    return a * (np.copysign(normal, a) + _ONE) * _HALF


def slope(a: Array) -> Array:
    """The slope by the error function."""
    x = a * _ROOT_HALF
    e = below_1(-(x * x))
    return multiply_add(x * _ROOT_PER_PI * e + _HALF, _normal(a, x, e), _HALF)


def _normal(a: Array, x: Array, e: Array) -> Array:
    """The error function of ``x``, of which ``a`` has the sign, by exp(-x * x)."""
    t = _ONE / multiply_add(_ONE, np.abs(x), _STEEP)
    return np.copysign(multiply_add(_ONE, -e * t, polynomial(t.astype(F64), _FOR_ERF)), a)
