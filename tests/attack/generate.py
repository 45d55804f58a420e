"""The program of a number: the same for the same seed, whoever asks."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from . import doors, hostile, mutate


class Case(NamedTuple):
    """A program and how it is run."""

    text: str
    trace: bool
    inline: bool


_MAKERS = ((mutate.by_tokens, 15), (mutate.by_trees, 25), (hostile.program, 35), (doors.program, 25))


def case(seed: int, number: int) -> Case:
    """The program of a number."""
    random = Random(f"{seed}:{number}")
    (maker,) = random.choices([m for m, _ in _MAKERS], [w for _, w in _MAKERS])
    for _ in range(20):
        try:
            text = maker(random)
            break
        except (ValueError, SyntaxError, RecursionError):
            # What was put together cannot be written down: another one.
            continue
    else:
        text = ""
    roll = random.random()
    return Case(text, roll < 0.15, roll > 0.97)
