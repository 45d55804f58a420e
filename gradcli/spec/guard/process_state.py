"""The state of the process that a run changes, saved so that it can be put back."""

from __future__ import annotations

import sys
import warnings

import numpy as np

from ...engine import dtypes, flags, printing
from ...engine.guard import addresses, hooks_of_all, world
from ...engine.guard.outside import let_say, outside
from ...engine.modes import mode
from ..torch_names import namespaces, seeded_generators
from ..values import added_to, tensor_classes
from .size_limits import caps
from .stack import Stack


class Surroundings:
    """The process state from before a run."""

    def __init__(self) -> None:
        self.mode = mode.state()
        self.dtype = dtypes.get_default_dtype()
        self.random = seeded_generators.set_aside()
        self.caps = caps.set_aside()
        self.given = namespaces.set_aside()
        self.asked = tensor_classes.set_aside()
        self.added = added_to.set_aside()
        self.filters = warnings.catch_warnings()
        self.filters.__enter__()
        self.outside = outside()
        self.addresses = addresses.begin()
        self.world = world.begin()
        self.printing = printing.get_printoptions()
        self.arrays = np.get_printoptions()
        self.errors = np.geterr()
        self.settings = flags.replace({})
        self.hooks = hooks_of_all.set_aside()
        self.stack = Stack()
        self.frames = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.frames, self.stack.frames))

    def restore(self) -> None:
        """Come back to it."""
        mode.take(self.mode)
        dtypes.set_default_dtype(self.dtype)
        seeded_generators.take_up(self.random)
        caps.take_up(self.caps)
        namespaces.take_up(self.given)
        tensor_classes.take_up(self.asked)
        added_to.take_up(self.added)
        # Blocks of the program that an error has ended do so, too.
        self.filters.__exit__(None, None, None)
        blocks = sys.modules.get("gradcli.spec.stdlib.warned")
        if blocks is not None:
            blocks.forget()
        let_say(self.outside)
        addresses.take_up(self.addresses)
        world.take_up(self.world)
        printing.set_printoptions(**self.printing)
        np.set_printoptions(**self.arrays)
        np.seterr(**self.errors)
        flags.replace(self.settings)
        hooks_of_all.take_up(self.hooks)
        sys.setrecursionlimit(self.frames)
        self.stack.restore()
