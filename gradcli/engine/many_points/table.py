"""The forms, by the names that declarations of ops have for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from . import layers, products
from .generic import (
    Form,
    aligned,
    along,
    expanded,
    filled,
    flipped,
    folded,
    joined,
    masked,
    permuted,
    repeated,
    rolled,
    rows,
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

FORMS: dict[str, Form] = {
    "affine": layers.affine, "affine_back": layers.affine_back, "aligned": aligned, "along": along(),
    "along_indexed": along(also=frozenset({"index"})), "along_one_more": along(1),
    "bmm": products.alone(products.bmm), "bmm_added": products.added(products.bmm, 3),
    "classes": layers.classes, "convolved": layers.convolved, "convolved_back": layers.convolved_back,
    "diagonal_sum": layers.diagonal_sum,
    "dot": products.alone(products.dot), "expanded": expanded, "filled": filled, "flipped": flipped, "folded": folded,
    "heard": layers.heard, "joined": joined(0), "joined_anew": joined(1), "looked_up": layers.looked_up,
    "masked": masked,
    "mm": products.alone(products.mm), "mm_added": products.added(products.mm, 2), "mv": products.alone(products.mv),
    "mv_added": products.added(products.mv, 1), "outer_added": products.added(products.outer, 2), "permuted": permuted,
    "reduced": layers.reduced, "repeated": repeated, "rolled": rolled, "rows_back": layers.rows_back, "same": same,
    "shaped": shaped, "shifted": shifted, "sized": sized,
    "solved": layers.solved, "squeezed": squeezed, "stacked": stacked,
    "summed_added": products.added(products.summed, 2), "trailing": trailing, "turned": turned,
    "unclassed": layers.unclassed, "unreduced": layers.unreduced,
}  # fmt: skip
# Those that are made of what a declaration says beside the name.
_MADE: dict[str, Callable[..., Form]] = {"rows": rows, "summed": summed}


def named(form: str | tuple[Any, ...]) -> Form:
    """The form that a declaration names."""
    return FORMS[form] if isinstance(form, str) else _made(form)


@cache
def _made(form: tuple[Any, ...]) -> Form:
    name, *rest = form
    return _MADE[name](*rest)
