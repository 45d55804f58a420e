"""What gradcli does not match, and why. An entry that has become untrue fails the tests."""

from __future__ import annotations

# (record, "values" | "gradients" | "graph") -> why
RECORDS: dict[tuple[str, str], str] = {}

# name in PyTorch's own list of ops -> why its samples come out wrong
OP_DB: dict[str, str] = {}
