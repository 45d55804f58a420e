"""The state of the process that a run changes, saved so that it can be put back."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from ...engine import dtypes, flags, printing
from ...engine.guard import addresses, tables_of_a_run, world
from ...engine.guard.outside import let_say, outside
from ...engine.modes import mode
from ..torch_names import seeded_generators
from ..values import added_to
from ..values.classes import tensor_classes
from .size_limits import caps
from .stack import Stack

# Those that say themselves what of theirs is a run's: each can be set aside, and be taken up again.
_OF_A_RUN: tuple[Any, ...] = (seeded_generators, caps, tensor_classes, added_to, addresses, world, tables_of_a_run)


class Surroundings:
    """The process state from before a run."""

    def __init__(self) -> None:
        self.mode = mode.state()
        self.dtype = dtypes.get_default_dtype()
        self.aside = [each.set_aside() for each in _OF_A_RUN]
        self.filters = warnings.catch_warnings()
        self.filters.__enter__()
        self.outside = outside()
        self.printing = printing.get_printoptions()
        self.arrays = np.get_printoptions()
        self.errors = np.geterr()
        self.settings = flags.replace({})
        self.stack = Stack()
        self.frames = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.frames, self.stack.frames))

    def restore(self) -> None:
        """Come back to it."""
        mode.take(self.mode)
        dtypes.set_default_dtype(self.dtype)
        for each, aside in zip(_OF_A_RUN, self.aside, strict=True):
            each.take_up(aside)
        # Blocks of the program that an error has ended do so, too.
        self.filters.__exit__(None, None, None)
        blocks = sys.modules.get("gradcli.spec.stdlib.exceptions.warned")
        if blocks is not None:
            blocks.forget()
        let_say(self.outside)
        printing.set_printoptions(**self.printing)
        np.set_printoptions(**self.arrays)
        np.seterr(**self.errors)
        flags.replace(self.settings)
        sys.setrecursionlimit(self.frames)
        self.stack.restore()
