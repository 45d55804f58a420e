"""Small programs that run outside of specs, as Python runs them, and what they print in real PyTorch.

``python -m tests.conformance.record_outside`` runs those of ``outside.txt`` in PyTorch 2.13, for ``outside.json``.
A program begins with a line ``### name``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS, RECORD = HERE / "outside.txt", HERE / "outside.json"

# Runs programs with `torch` meaning the named package; an error is its words behind the class that Python knows.
RUN = """
import contextlib, importlib, io, json, re, sys, warnings
package = sys.argv[1]
if package != "torch":
    parts = ("", ".nn", ".nn.functional", ".optim", ".autograd", ".func", ".linalg", ".utils", ".utils.checkpoint")
    for part in parts:
        sys.modules["torch" + part] = importlib.import_module(package + part)
    graph = sys.modules["torch"].autograd.graph
    sys.modules["torch.autograd.graph"] = graph
    sys.modules["torch.autograd.function"] = sys.modules["torch"].autograd.function
import torch
printed = {}
for name, program in json.load(sys.stdin).items():
    out = io.StringIO()
    torch.manual_seed(0)
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(program, {})
        except Exception as error:
            kind = next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
            print(f"{kind}: {str(error).splitlines()[0]}")
    printed[name] = re.sub("0x[0-9a-f]+", "0x...", out.getvalue())
print(json.dumps(printed, indent=1))
"""


def programs() -> dict[str, str]:
    """The programs by name."""
    parts = PROGRAMS.read_text().split("### ")[1:]
    head = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
    return {name: head + body for name, _, body in (part.partition("\n") for part in parts)}


def printed_by(package: str) -> dict[str, str]:
    """What each program prints when `torch` is this package."""
    run = subprocess.run(
        [sys.executable, "-c", RUN, package], input=json.dumps(programs()), capture_output=True, text=True,
        cwd=HERE.parents[1], timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    found: dict[str, str] = json.loads(run.stdout)
    return found


if __name__ == "__main__":
    RECORD.write_text(json.dumps(printed_by("torch"), indent=1) + "\n")
