"""Writing what needs no encoding: the pages that answer at once."""

from __future__ import annotations

import sys


def put(text: str) -> None:
    """Write a page of ASCII; ``report.stream`` writes all else, and takes longer to import."""
    if sys.stdout is None:
        raise OSError("it is closed")
    sys.stdout.write(text)
