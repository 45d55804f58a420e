"""Run programs that the attack begins with as they are, every Nth: ``python -m tests.attack.known N``."""

from __future__ import annotations

import sys
import warnings

from . import corpus
from .generate import Case
from .judge import Judge


def main() -> int:
    warnings.simplefilter("ignore")
    judge = Judge()
    judge.prepare()
    wrong = 0
    texts = corpus.texts()[:: int(sys.argv[1])]
    for text in texts:
        for traced in (False, True):
            for finding in judge.run(Case(text, trace=traced, inline=False)):
                wrong += 1
                print(f"{finding.kind}: {finding.key} {finding.more}\n{text}\n")
    print(f"{len(texts)} programs, {wrong} findings")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
