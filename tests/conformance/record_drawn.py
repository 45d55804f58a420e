"""Record what PyTorch's graphs of the drawn programs have in them: ``python -m tests.conformance.record_drawn``."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.graph.flows import program

from .drawn import PROGRAMS

RECORD = Path(__file__).with_name("drawn.json")


def facts(text: str) -> dict[str, Any]:
    """How often each kind of op occurs, how many edges lead to something, and how many bytes the graph holds."""
    from .test_drawn import Live, short

    live = Live(text)
    return {
        "edges": sum(before is not None for node in live.nodes for before, _ in node.next_functions),
        "ops": dict(sorted(Counter(short(node.name()) for node in live.nodes).items())),
        "saved_bytes": live.saved_bytes,
    }


def main() -> None:
    """Write the record."""
    lines = [f"  {json.dumps(name)}: {json.dumps(facts(program(text)))}" for name, text in PROGRAMS.items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
