"""The differences of two graphs, for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...text.escape import in_json
from .compare import Comparison

SCHEMA = "gradcli.diff/1"


def to_json(names: Sequence[str], found: Comparison) -> str:
    """One object, with a difference a line."""
    head = f'{{"schema": "{SCHEMA}", "before": {json.dumps(names[0])}, "after": {json.dumps(names[1])},'
    lines = ",\n".join(json.dumps(one._asdict()) for one in found.differences)
    return in_json(f'{head}\n"differences": [{lines and f"{chr(10)}{lines}{chr(10)}"}]}}\n')
