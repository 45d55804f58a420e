"""Which form an op is called in: most have the one of their kind, and only the others ask the table."""

from __future__ import annotations

from ..registry import Op
from .generic import Form, aligned


def form_of(op: Op) -> Form | None:
    """The form in which an op is called for many points at once; None where it is not."""
    if op.form is None:
        return aligned if op.kind == "elementwise" else None
    from .table import named

    return named(op.form)
