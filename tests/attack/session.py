"""An attack: batches of programs until the time is up, and what was found, each kind once and as short as may be."""

from __future__ import annotations

import json
import re
import resource
from collections.abc import Sequence
from typing import TextIO

from .children import Nest
from .generate import Case, case
from .judge import Finding
from .shrink import shrunk

BATCH = 200
# Kinds of findings after which nothing more is looked for.
_ENOUGH = 60


def attack(seconds: float, seed: int, batches: Sequence[int], out: TextIO) -> None:
    """Try batches of programs for so many seconds of the processor; findings go to ``out``, one in a line."""
    nest = Nest()
    known: set[tuple[str, str]] = set()
    for batch in batches:
        if _worked() > seconds or len(known) > _ENOUGH:
            break
        numbers = range(batch * BATCH, (batch + 1) * BATCH)
        for number, finding in nest.run(lambda n: case(seed, n), numbers):
            sign = signature(finding)
            if sign in known:
                continue
            known.add(sign)
            text = minimal(nest, case(seed, number), sign)
            words = {"kind": finding.kind, "key": finding.key, "more": finding.more, "text": text}
            out.write(json.dumps({**words, "seed": seed, "number": number}) + "\n")
            out.flush()
    out.write(json.dumps({"tried": nest.tried, "worked": _worked()}) + "\n")


def signature(finding: Finding) -> tuple[str, str]:
    """What makes two findings the same."""
    return finding.kind, re.sub(r"0x[0-9a-f]+|\d+", "N", finding.key)


def minimal(nest: Nest, found: Case, sign: tuple[str, str]) -> str:
    """The shortest program of which the same can be said."""

    def fails(text: str) -> bool:
        changed = found._replace(text=text)
        return any(signature(f) == sign for _, f in nest.run(lambda n: changed, [0]))

    nest.compares = sign[0] == "state"
    try:
        return shrunk(found.text, fails) if fails(found.text) else found.text
    finally:
        nest.compares = True


def _worked() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(s.ru_utime + s.ru_stime for s in spent)
