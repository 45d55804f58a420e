"""`python -m tests.spec.record_values` writes down how PyTorch shows the values of values.json, and its complaints."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

RECORD = Path(__file__).with_name("values.json")

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nfrom collections import OrderedDict\n"


def program(expression: str) -> str:
    """A program that prints an expression, or the error that it raises."""
    return (
        f"{HEAD}try:\n    print({expression})\n"
        "except Exception as error:\n    print(type(error).__name__, error, sep=': ')\n"
    )


def without_addresses(text: str) -> str:
    """A text in which every address is the same."""
    return re.sub(r"0x[0-9a-f]{6,}", "0x", text)


def printed(text: str) -> str:
    """What a program prints under Python itself."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "<spec>", "exec"), {"__name__": "__main__"})
    return without_addresses(out.getvalue())


def main() -> None:
    """Fill in what each expression prints; one to add needs a key."""
    values = json.loads(RECORD.read_text(encoding="utf-8"))
    rows = [f"{json.dumps(key)}: {json.dumps(printed(program(key)))}" for key in values]
    RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    print(f"{len(rows)} values recorded in {RECORD.name}")


if __name__ == "__main__":
    main()
