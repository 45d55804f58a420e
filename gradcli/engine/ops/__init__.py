"""The ops, one file per family. Importing this package fills the registry."""

from . import (
    activation as activation,
    arith as arith,
    conv as conv,
    convert as convert,
    create as create,
    einsum as einsum,
    index as index,
    linalg as linalg,
    loss as loss,
    matmul as matmul,
    norm as norm,
    random as random,
    reduce as reduce,
    select as select,
    shape as shape,
    unary as unary,
)
