"""What a run changes in its process, to be put back."""

from __future__ import annotations

import sys

from ..engine import addresses, dtypes, printing, settings
from ..engine.modes import mode
from ..engine.outside import let_say, outside
from . import chance
from .caps import caps
from .stack import Stack


class Surroundings:
    """What there was before a run."""

    def __init__(self) -> None:
        self.mode = mode.grad, mode.inference, mode.rule
        self.tape = mode.tape
        self.dtype = dtypes.get_default_dtype()
        self.random = chance.set_aside()
        self.caps = caps.set_aside()
        self.outside = outside()
        self.addresses = addresses.begin()
        self.printing = printing.get_printoptions()
        self.settings = settings.replace({})
        self.stack = Stack()
        self.frames = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.frames, self.stack.frames))

    def restore(self) -> None:
        """Come back to it."""
        mode.grad, mode.inference, mode.rule = self.mode
        mode.use(self.tape)
        dtypes.set_default_dtype(self.dtype)
        chance.take_up(self.random)
        caps.take_up(self.caps)
        let_say(self.outside)
        addresses.take_up(self.addresses)
        printing.set_printoptions(**self.printing)
        settings.replace(self.settings)
        sys.setrecursionlimit(self.frames)
        self.stack.restore()
