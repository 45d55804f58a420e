"""A chain of a million nodes, built, walked backward and freed, in a process of its own.

``python -m tests.benchmarks.scale gradcli|torch NODES`` prints seconds and bytes per node as JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PHASES = ("build", "backward", "free")


def run(name: str, nodes: int) -> dict[str, float]:
    """Build, walk and free one chain."""
    torch: Any = importlib.import_module(name)
    if name == "torch":
        torch.set_num_threads(1)
    x = torch.tensor(1.0, requires_grad=True)
    # The first pass pays for what is loaded late.
    (x * 1.0001).backward()
    x.grad = None
    before = _resident()
    start = time.process_time()
    y = x
    for _ in range(nodes // 2):
        y = y * 1.0001 + x
    built = time.process_time()
    held = _resident() - before
    y.backward()
    walked = time.process_time()
    del y
    freed = time.process_time()
    return {
        "build": built - start, "backward": walked - built, "free": freed - walked, "bytes": held / nodes,
    }  # fmt: skip


def _resident() -> int:
    """The memory that this process holds, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def fresh(name: str, nodes: int) -> dict[str, float]:
    """The same, in a fresh process."""
    command = [sys.executable, "-m", __name__, name, str(nodes)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], int(sys.argv[2]))))
