"""A small assembler for the filters of seccomp: conditions on the arguments of a system call, and what they answer."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# Operations of classic BPF, as linux/bpf_common.h spells them.
LOAD, AND, RETURN = 0x20, 0x54, 0x06
IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT = 0x15, 0x35, 0x45

# What a filter answers, as linux/seccomp.h has it.
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000

# Where the number of the call, the architecture and the arguments are in struct seccomp_data.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16

# An operand that stands for the process that takes the filter, which is not known when it is made.
OWN_PID = -1
# A jump past the end of the alternative that a condition belongs to.
_OUT = -1
_LONGEST_JUMP = 255


class Step(NamedTuple):
    """One instruction: for a jump, how many instructions are skipped if the test holds, and how many if not."""

    code: int
    operand: int
    yes: int = 0
    no: int = 0


class Bits(NamedTuple):
    """Of the low 32 bits of an argument, those in ``mask`` are ``value``."""

    argument: int
    mask: int
    value: int

    def steps(self) -> list[Step]:
        """Instructions that jump out unless it holds."""
        return [_low(self.argument), Step(AND, self.mask), Step(IF_EQUAL, self.value, 0, _OUT)]


class OneOf(NamedTuple):
    """The low 32 bits of an argument are one of these."""

    argument: int
    values: tuple[int, ...]

    def steps(self) -> list[Step]:
        """Instructions that jump out unless it holds."""
        *others, last = self.values
        found = [Step(IF_EQUAL, value, len(self.values) - 1 - n, 0) for n, value in enumerate(others)]
        return [_low(self.argument), *found, Step(IF_EQUAL, last, 0, _OUT)]


class Below(NamedTuple):
    """The low 32 bits of an argument, as a number without sign, are less than a limit."""

    argument: int
    limit: int

    def steps(self) -> list[Step]:
        """Instructions that jump out unless it holds."""
        return [_low(self.argument), Step(IF_AT_LEAST, self.limit, _OUT, 0)]


class Null(NamedTuple):
    """All 64 bits of an argument are zero."""

    argument: int

    def steps(self) -> list[Step]:
        """Instructions that jump out unless it holds."""
        zero = Step(IF_EQUAL, 0, 0, _OUT)
        return [_low(self.argument), zero, Step(LOAD, ARGUMENTS + 8 * self.argument + 4), zero]


Condition = Bits | OneOf | Below | Null


class Rule(NamedTuple):
    """A call is allowed if all conditions of one alternative hold; else it fails with ``otherwise``."""

    alternatives: tuple[tuple[Condition, ...], ...]
    otherwise: int

    def steps(self) -> list[Step]:
        """Instructions for a call with a known number; the last one always returns."""
        made: list[Step] = []
        for alternative in self.alternatives:
            made += _closed([*(step for condition in alternative for step in condition.steps()), Step(RETURN, ALLOW)])
        return [*made, Step(RETURN, ERRNO | self.otherwise)]


def program(architecture: int, answers: Mapping[int, Sequence[Step]], otherwise: int, end: int) -> tuple[Step, ...]:
    """A filter for one architecture: what to do for each number of a call; other numbers fail with ``otherwise``.

    A number from ``end`` on, or a call by the conventions of another architecture, ends the process.
    """
    failing = (Step(RETURN, ERRNO | otherwise),)
    stretches: list[_Stretch] = [(0, failing)]
    for number in sorted(answers):
        _begin(stretches, number, answers[number])
        _begin(stretches, number + 1, answers.get(number + 1, failing))
    _begin(stretches, end, [Step(RETURN, KILL_PROCESS)])
    return (
        Step(LOAD, ARCHITECTURE),
        Step(IF_EQUAL, architecture, 1, 0),
        Step(RETURN, KILL_PROCESS),
        Step(LOAD, NUMBER),
        *_search(stretches),
    )


def packed(steps: Sequence[Step], pid: int) -> bytes:
    """The instructions as the kernel reads them: an array of struct sock_filter; ``pid`` stands where OWN_PID does."""
    pack = struct.Struct("=HBBI").pack
    return b"".join([pack(code, yes, no, pid if operand == OWN_PID else operand) for code, operand, yes, no in steps])


# From a number on, to where the next one begins, the same is done for all calls.
_Stretch = tuple[int, Sequence[Step]]


def _begin(stretches: list[_Stretch], number: int, steps: Sequence[Step]) -> None:
    start, before = stretches[-1]
    if steps is before:
        return
    if start == number:
        stretches.pop()
    stretches.append((number, steps))


def _search(stretches: Sequence[_Stretch]) -> list[Step]:
    """What finds the stretch of a number by halves: taking a filter, a kernel tries it on every number."""
    if len(stretches) == 1:
        return list(stretches[0][1])
    middle = len(stretches) // 2
    low, high = _search(stretches[:middle]), _search(stretches[middle:])
    return [Step(IF_AT_LEAST, stretches[middle][0], _jump(len(low)), 0), *low, *high]


def _jump(steps: int) -> int:
    if steps > _LONGEST_JUMP:
        raise ValueError(f"{steps} instructions are too many to be jumped over")
    return steps


def _low(argument: int) -> Step:
    return Step(LOAD, ARGUMENTS + 8 * argument)


def _closed(steps: list[Step]) -> list[Step]:
    """Jumps out of an alternative, as jumps to what comes after it."""
    size = _jump(len(steps) - 1)
    return [
        Step(step.code, step.operand, *(size - at if to == _OUT else to for to in (step.yes, step.no)))
        for at, step in enumerate(steps)
    ]
