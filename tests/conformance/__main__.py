"""Print how much of the recorded PyTorch gradcli reproduces."""

from __future__ import annotations

import gradcli

from . import exempt
from .compare import load, score, scores

found = score(gradcli, load()["records"])
print("\n".join(scores(found)))
for identifier, kinds in found.items():
    for kind, sentences in kinds.items():
        if sentences:
            reason = exempt.RECORDS.get((identifier, kind), "unexplained")
            print(f"\n{identifier}, {kind}: {reason}\n    {sentences[0]}")
