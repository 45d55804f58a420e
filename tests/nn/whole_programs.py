"""Programs about modules, layers and optimisers that run outside of specs, and what they print in real PyTorch.

``python -m tests.nn.whole_programs`` runs those of ``whole_programs.txt`` in PyTorch 2.13, for ``whole_programs.json``.
A program begins with a line ``### name``; ``tell(f, ...)`` prints the error of a call.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS, RECORD = HERE / "whole_programs.txt", HERE / "whole_programs.json"

# Runs programs with `torch` and all of its modules meaning the named package; an error is its words behind the class
# that Python knows, and warnings come after what was printed.
RUN = """
import contextlib, importlib, importlib.abc, importlib.util, io, json, re, sys, warnings
package = sys.argv[1]


class Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name.split(".")[0] == "torch" else None

    def create_module(self, spec):
        real = package + spec.name[5:]
        try:
            return importlib.import_module(real)
        except ModuleNotFoundError:
            parent, _, last = real.rpartition(".")
            return getattr(importlib.import_module(parent), last)

    def exec_module(self, module):
        pass


if package != "torch":
    sys.meta_path.insert(0, Alias())
import torch


def words(error):
    kind = next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
    return f"{kind}: {str(error).split('Exception raised from')[0].strip()[:400]}"


def tell(function, *args, **kwargs):
    try:
        found = function(*args, **kwargs)
    except Exception as error:
        print(words(error))
    else:
        print("no error:", found if isinstance(found, (int, float, str, torch.Tensor)) else type(found).__name__)


head, programs = json.load(sys.stdin)
printed = {}
for name, program in programs.items():
    out = io.StringIO()
    torch.manual_seed(0)
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            exec(compile(head + program, name, "exec"), {"tell": tell, "__name__": "program"})
        except Exception as error:
            print(words(error))
        for w in warned:
            said = str(w.message).split("(Triggered")[0].strip()[:300]
            if not issubclass(w.category, (ImportWarning, ResourceWarning)) and "Sparse invariant" not in said:
                print("warning:", w.category.__name__, said)
    text = re.sub("0x[0-9a-f]+", "0x..", out.getvalue())
    printed[name] = re.sub(r"\\b(gradcli|torch)(\\.[a-z_]+)*\\.(?=[A-Z])", "", text)
print(json.dumps(printed, indent=1))
"""
HEAD = """import copy, io, itertools, math, pickle, random, warnings
import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import OrderedDict, namedtuple
from copy import deepcopy
inf = float("inf")
"""
_NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")
NEAR = 2e-4


def programs() -> dict[str, str]:
    """The programs by name."""
    parts = PROGRAMS.read_text(encoding="utf-8").split("### ")[1:]
    return {name: body for name, _, body in (part.partition("\n") for part in parts)}


def printed_by(package: str) -> dict[str, str]:
    """What each program prints when `torch` is this package."""
    run = subprocess.run(
        [sys.executable, "-c", RUN, package], input=json.dumps([HEAD, programs()]), capture_output=True, text=True,
        cwd=HERE.parents[1], timeout=600,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    found: dict[str, str] = json.loads(run.stdout)
    return found


def alike(a: str, b: str) -> bool:
    """Whether two texts are the same but for last digits."""
    if _NUMBER.sub("#", a) != _NUMBER.sub("#", b):
        return False
    pairs = zip(_NUMBER.findall(a), _NUMBER.findall(b), strict=True)
    return all(abs(float(x) - float(y)) <= NEAR * max(1, abs(float(x))) for x, y in pairs)


if __name__ == "__main__":
    RECORD.write_text(json.dumps(printed_by("torch"), indent=1) + "\n", encoding="utf-8")
