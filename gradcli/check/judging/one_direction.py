"""One direction: what is claimed along it is judged, quickly where that leaves no doubt."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array
from ..watched import looked_along
from .first_look import FirstLook
from .rows import Direction, Rows
from .verdict import Judged

if TYPE_CHECKING:
    from ..slopes.all_ways import Line as AnyLine


class Judge:
    """Judges the claims along directions; ``wanted``: what a first look leaves with fewer digits is looked at again."""

    def __init__(self, rows: Rows, wanted: int) -> None:
        self.rows = rows
        self.subject = rows.subject
        self.wanted = wanted
        self._first_look = FirstLook()
        # By row, what is known of its jumps.
        self._jumps: dict[int, float] = {}

    @cached_property
    def in_one_piece(self) -> bool:
        """Tell whether no pieces of the function meet anywhere, and the order is the first."""
        return self.rows.order == 1 and self.subject.is_in_one_piece

    def settled(self, direction: Direction, claims: Array) -> list[Judged] | None:
        """Judge the claims along a direction, when a first look leaves no doubt what they are."""
        looked_along(1)
        line, sizes = self.rows.line(direction), self.rows.size_along(direction)
        found = self._first_look.along(line, claims, sizes, self.wanted, self.rows.plan.assured)
        if found is None and not self.rows.plan.is_outside:
            bounds = self.rows.rounding(direction)
            return self._first_look.closer(line, claims, self.rows.of(self.rows.flat), bounds, self.wanted)
        return found

    def along(
        self, direction: Direction, claims: Array, rows: list[int], quickly: bool = False, with_near: bool = True,
        inexact: bool = False,
    ) -> dict[int, Judged]:
        """Judge the claims along a direction; ``quickly``: whatever rounding does to the claims. ``with_near``: the
        claims at neighbouring points may tell of it, too, and jumps nearby of a solver. ``inexact``: claims like these
        are known to be so."""
        from ..slopes.remembered import remembered
        from .one_derivative import judge

        is_dear = not self.rows.plan.is_cheap
        line: AnyLine = self.rows.line(direction)
        line = remembered(line) if is_dear else line
        near = None if quickly or not with_near else self.rows.near(direction, rows)
        rounding = None if quickly else self.rows.rounding(direction)
        # What is moved here may not be what decides how long a solver goes on; where it is dear, one line tells of all.
        jumps_on = ([] if is_dear else [line]) + [self.rows.together] if with_near else []
        judged = judge(
            line, claims, near, rounding, only=np.array(rows), jumps_on=jumps_on, plainly=self.in_one_piece,
            is_dear=is_dear, chooses=not self.subject.is_in_one_piece, largest=lambda: self.rows.largest(direction),
            inexact=inexact,
        )  # fmt: skip
        return dict(zip(rows, judged, strict=True))

    def jump(self, row: int) -> float:
        """The room that jumps leave which a row has where everything moves."""
        from ..slopes.jumps_nearby import ROOM, jump_nearby, moves_beside_jumps

        if row not in self._jumps:
            line = self.rows.together
            moves, jumps = (float(a[row]) for a in moves_beside_jumps(line, np.zeros(line.size)))
            if math.isinf(moves):
                # It does more than to jump.
                is_dear = not self.rows.plan.is_cheap
                jumps = ROOM * jump_nearby(line, row, float(line.noise[row]), is_dear=is_dear)
            self._jumps[row] = jumps
        return self._jumps[row]
