"""Entries that matter together: equal ones, those on a kink, and those at the ends of a piece of the function."""

from __future__ import annotations

import numpy as np

from .. import budget
from ..arrays import Array
from .found import Found, Place
from .one_direction import Judge
from .verdict import BLAMED, Verdict

# Along so many groups of equal entries of an input is looked.
_TIES = 4
_TOGETHER = "equal entries that move together: their claims do not add up to this slope"
# What is noted where the claim is that of one piece of the function.
_PIECES = "pieces of the function meet here: this is the slope of one of them"
_NO_TIME = "it seems wrong, and time was over before it was known whether it is the slope of a piece of the function"


class Together:
    """Looks where several entries move at once, at what was found of each alone."""

    def __init__(self, found: Found, judge: Judge, rng: np.random.Generator) -> None:
        self.judged = found.judged
        self.rows = found.rows
        self.at = found.at
        self.judge = judge
        self.rng = rng
        # By leaf, flat index and row: those that only matter together with equal ones, and those that were accepted as
        # the slope of one piece of the function.
        self.ties: set[tuple[Place, int]] = set()
        self.pieces: set[tuple[Place, int]] = set()

    def look_along_ties(self) -> None:
        """Where entries are equal, the claims must be right where those move together: alone none may matter."""
        for leaf, a in enumerate(self.at):
            if len(set(a.reshape(-1).tolist())) == a.size:
                continue
            _, where, counts = np.unique(a.reshape(-1), return_inverse=True, return_counts=True)
            for group in np.argsort(-counts)[:_TIES]:
                if counts[group] < 2:
                    break
                places = np.flatnonzero(where == group)
                judged = [j for place in places.tolist() for j in self.judged.get((leaf, place), {}).values()]
                if all(j.is_right for j in judged):
                    self._look_along_tie(leaf, places)

    def _look_along_tie(self, leaf: int, places: Array) -> None:
        budget.go_on(budget.LATE)
        moved = np.zeros(self.at[leaf].size)
        moved[places] = 1.0
        direction = self.rows.alone(leaf, moved.reshape(self.at[leaf].shape))
        claims = self.rows.claim_along(direction)
        settled = self.judge.settled(direction, claims)
        if settled is not None and not any(j.verdict in BLAMED for j in settled):
            return
        for row, judged in self.judge.along(direction, claims, list(range(len(self.rows.rows)))).items():
            if judged.verdict in BLAMED:
                for place in places.tolist():
                    claimed = float(self.rows.claims[leaf][row, place])
                    found = judged._replace(verdict=Verdict.KINK_WRONG, claimed=claimed, note=_TOGETHER)
                    self.judged.setdefault((leaf, place), {})[row] = found
                    self.ties.add(((leaf, place), row))

    def look_along_kinks(self) -> None:
        """Where several entries sit on a kink together, the claims must be right along joint directions, too."""
        kinked: dict[int, list[Place]] = {}
        pieces: set[int] = set()
        for at, judged in self.judged.items():
            for row, j in judged.items():
                if j.verdict is Verdict.KINK_OK:
                    kinked.setdefault(row, []).append(at)
                    if (at, row) in self.pieces:
                        pieces.add(row)
        for row, entries in kinked.items():
            if len(entries) > 1 and row not in pieces:
                self._look_along(row, entries)

    def _look_along(self, row: int, kinked: list[Place]) -> None:
        from .special_points.joint_kinks import judge_joint

        budget.go_on(budget.LATE)
        wrong = judge_joint(
            lambda direction: self.rows.line(direction, row),
            lambda direction: float(self.rows.claim_along(direction)[row]),
            self.at,
            kinked,
            self.rng,
        )
        if wrong is not None:
            for leaf, place in kinked:
                self.judged[leaf, place][row] = wrong._replace(claimed=float(self.rows.claims[leaf][row, place]))

    def look_at_pieces(self) -> None:
        """Where pieces of the function meet, the gradient of one of them is right, whatever entries do alone."""
        if self.judge.in_one_piece:
            return
        for row, entries in self._wrong_alone().items():
            entries.sort(key=lambda at: -self.judged[at][row].bars_away)
            if not all(self._is_of_a_piece(row, at) for at in entries) or not self._adds_up(row, entries):
                # One row that is wrong is enough.
                return
            for at in entries:
                self.judged[at][row] = self.judged[at][row]._replace(verdict=Verdict.KINK_OK, note=_PIECES)
                self.pieces.add((at, row))

    def _wrong_alone(self) -> dict[int, list[Place]]:
        """By row, the entries whose claims are wrong where they move alone."""
        wrong: dict[int, list[Place]] = {}
        for at, judged in self.judged.items():
            for row, j in judged.items():
                if j.verdict in (Verdict.WRONG, Verdict.KINK_WRONG) and (at, row) not in self.ties:
                    wrong.setdefault(row, []).append(at)
        return wrong

    def leave_pieces_open(self) -> None:
        """Give no verdict on what may be the slope of a piece of the function: there was no time to see."""
        for row, entries in self._wrong_alone().items():
            for at in entries:
                self.judged[at][row] = self.judged[at][row]._replace(verdict=Verdict.UNRESOLVED, note=_NO_TIME)

    def _is_of_a_piece(self, row: int, at: Place) -> bool:
        from .special_points.joint_kinks import is_of_a_piece

        budget.go_on(budget.LATE)
        return is_of_a_piece(lambda d: self.rows.line(d, row), self.at, at, self.judged[at][row], self.rng)

    def _adds_up(self, row: int, entries: list[Place]) -> bool:
        """Tell whether the claims for all entries that are equal are right where those move together."""
        for leaf, value in {(leaf, float(self.at[leaf].reshape(-1)[place])) for leaf, place in entries}:
            direction = self.rows.alone(leaf, np.array(self.at[leaf] == value, np.float64))
            judged = self.judge.along(direction, self.rows.claim_along(direction), [row])
            if judged[row].verdict in BLAMED:
                return False
        return True
