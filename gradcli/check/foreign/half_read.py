"""Functions that take a matrix to be symmetric, since they read one half of it, as the factorisations of LAPACK do.

The gradient of such a matrix is no derivative by each entry alone. It is right where it is one along all that keeps
the matrix symmetric.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..judging.findings import Finding
from ..moving.meant_symmetric import is_answer_mirrored, relies_on_symmetry, told_where_meant
from ..slopes.magnitude import rms
from .subject import ForeignSubject


def told_as_half_read(found: Iterable[Finding], subject: ForeignSubject, rng: np.random.Generator) -> None:
    """Accept the gradients of symmetric matrices that a function takes to be that, and note it."""

    def is_meant(leaf: int) -> bool:
        if subject.function.library.reads_halves():
            return True
        if not is_answer_mirrored(subject, leaf):
            return False
        return _reads_one_half(subject, leaf) or relies_on_symmetry(subject, leaf)

    told_where_meant(found, subject, rng, subject.spec, is_meant)


def _reads_one_half(subject: ForeignSubject, leaf: int) -> bool:
    """Tell whether all outputs stay what they are, to the bit, whatever one side of a matrix's diagonal holds."""
    a = subject.at[leaf]
    other = np.asarray(np.random.default_rng(0).standard_normal(a.shape) * rms(a))
    for changed in (np.tril(a) + np.triu(other, 1), np.triu(a) + np.tril(other, -1)):
        there = subject.plan.outputs([changed if i == leaf else b for i, b in enumerate(subject.at)])
        if all(map(np.array_equal, subject.numbers, there)):
            return True
    return False
