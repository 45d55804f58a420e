"""What the tests try of the attack, by one process: ``python -m tests.attack.together PROGRAMS EVERY HOLE ...``.

So many programs that are made up, every Nth of those that the attack begins with, and some of the holes.
"""

from __future__ import annotations

import json
import sys
import warnings

from . import corpus
from .children import Nest
from .generate import Case, case
from .holes import tries


def main(programs: int, every: int, holes: list[str]) -> None:
    """Print as JSON what is wrong with the programs, and how many of them each hole takes."""
    warnings.simplefilter("ignore")
    nest = Nest()
    known = [Case(text, trace=traced, inline=False) for text in corpus.texts()[::every] for traced in (False, True)]
    made_up = nest.run(lambda n: case(1, n), range(programs))
    wrong = [(finding, case(1, n).text) for n, finding in made_up]
    wrong += [(finding, known[n].text) for n, finding in nest.run(known.__getitem__, range(len(known)))]
    print(json.dumps({"wrong": wrong, "holes": {name: tries(nest, name) for name in holes}}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
