"""The sources of gradcli as trees, of those files alone in which what is looked for may be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path


def trees(files: Iterable[Path], pattern: str) -> Iterator[tuple[Path, ast.Module]]:
    """Each file in whose text a pattern is found, which is there wherever there is something to find."""
    for path in files:
        text = path.read_text("utf-8")
        if re.search(pattern, text):
            yield path, ast.parse(text)
