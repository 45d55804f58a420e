"""unicodedata: what is known of characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from ..guard.size_limits import caps, fits


def names() -> dict[str, Callable[..., str]]:
    """The names of the module `unicodedata`."""

    def normalize(form: str, unistr: str, /) -> str:
        # No character becomes more than 18 others.
        fits(18 * len(unistr), "str")
        caps.tick(len(unistr) >> 4)
        return unicodedata.normalize(form, unistr)  # type: ignore[arg-type]

    def category(chr: str, /) -> str:
        return unicodedata.category(chr)

    def name(chr: str, /) -> str:
        return unicodedata.name(chr)

    return {"normalize": normalize, "category": category, "name": name}
