"""Run the gallery under a package; `python -m tests.record_expressions` records what PyTorch prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
GALLERY = sorted((ROOT / "expressions").glob("*.py"))
RECORD = Path(__file__).with_name("expressions.json")

# A program that runs files with `torch` meaning the named package, and says what each of them printed.
RUN = """
import contextlib, importlib, io, json, runpy, sys, traceback
package, *paths = sys.argv[1:]
if package != "torch":
    for part in ("", ".nn", ".nn.functional", ".optim", ".autograd", ".linalg"):
        sys.modules["torch" + part] = importlib.import_module(package + part)
printed = {}
for path in paths:
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(path, run_name="__main__")
    except Exception:
        out.write(traceback.format_exc())
    printed[path] = out.getvalue()
print(json.dumps(printed))
"""


def printed_by(package: str) -> dict[str, str]:
    """What every spec prints when `torch` is this package, by file name."""
    paths = [str(spec) for spec in GALLERY]
    run = subprocess.run(
        [sys.executable, "-c", RUN, package, *paths], capture_output=True, text=True, cwd=ROOT, timeout=600
    )
    assert run.returncode == 0, run.stderr
    return {Path(path).name: text for path, text in json.loads(run.stdout).items()}


def main() -> None:
    """Write down what PyTorch prints for every spec; one that fails is not recorded."""
    printed = printed_by("torch")
    broken = [name for name, text in printed.items() if "Traceback (most recent call last)" in text]
    if broken:
        sys.exit("\n".join(f"{name}:\n{printed[name]}" for name in broken))
    RECORD.write_text(json.dumps(printed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(printed)} specs recorded in {RECORD.name}")


if __name__ == "__main__":
    main()
