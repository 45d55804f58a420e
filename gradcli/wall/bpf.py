"""A small assembler for the filters of seccomp: conditions on the arguments of a system call, and what they answer."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

# Operations of classic BPF, as linux/bpf_common.h spells them.
LOAD, AND, RETURN, IF_EQUAL, IF_AT_LEAST = 0x20, 0x54, 0x06, 0x15, 0x35

# What a filter answers, as linux/seccomp.h has it.
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000

# Where the number of the call, the architecture and the arguments are in struct seccomp_data.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16

# An operand that stands for the process that takes the filter, which is not known when it is made.
OWN_PID = -1
# A jump past the end of the alternative that a condition belongs to.
_OUT = -1
_LONGEST_JUMP = 255


# One instruction: its operation, its operand, and for a jump how many are skipped if the test holds and if it does not.
# These are plain tuples and functions, since classes would cost a start a millisecond.
Step = tuple[int, int, int, int]
# Instructions that jump out of an alternative unless something holds.
Condition = list[Step]


def answer(value: int) -> Step:
    """Ends the filter with what it answers."""
    return (RETURN, value, 0, 0)


def bits(argument: int, mask: int, value: int) -> Condition:
    """Of the low 32 bits of an argument, those in ``mask`` are ``value``."""
    return [_load(ARGUMENTS + 8 * argument), (AND, mask, 0, 0), (IF_EQUAL, value, 0, _OUT)]


def one_of(argument: int, *values: int) -> Condition:
    """The low 32 bits of an argument are one of these."""
    *others, last = values
    found = [(IF_EQUAL, value, len(others) - n, 0) for n, value in enumerate(others)]
    return [_load(ARGUMENTS + 8 * argument), *found, (IF_EQUAL, last, 0, _OUT)]


def below(argument: int, limit: int) -> Condition:
    """The low 32 bits of an argument, as a number without sign, are less than a limit."""
    return [_load(ARGUMENTS + 8 * argument), (IF_AT_LEAST, limit, _OUT, 0)]


def null(argument: int) -> Condition:
    """All 64 bits of an argument are zero."""
    low = ARGUMENTS + 8 * argument
    return [_load(low), (IF_EQUAL, 0, 0, _OUT), _load(low + 4), (IF_EQUAL, 0, 0, _OUT)]


def rule(*alternatives: Sequence[Condition], otherwise: int) -> list[Step]:
    """For a call with a known number: allowed if all conditions of one alternative hold, else it is this error."""
    made: list[Step] = []
    for conditions in alternatives:
        made += _closed([*(step for condition in conditions for step in condition), answer(ALLOW)])
    return [*made, answer(ERRNO | otherwise)]


def program(architecture: int, answers: Mapping[int, Sequence[Step]], otherwise: int, end: int) -> tuple[Step, ...]:
    """A filter for one architecture: what to do for each number of a call; other numbers fail with ``otherwise``.

    A number from ``end`` on, or a call by the conventions of another architecture, ends the process.
    """
    failing = (answer(ERRNO | otherwise),)
    stretches: list[_Stretch] = [(0, failing)]
    for number in sorted(answers):
        _begin(stretches, number, answers[number])
        _begin(stretches, number + 1, answers.get(number + 1, failing))
    _begin(stretches, end, [answer(KILL_PROCESS)])
    return (
        _load(ARCHITECTURE),
        (IF_EQUAL, architecture, 1, 0),
        answer(KILL_PROCESS),
        _load(NUMBER),
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
    """Search the stretch of a number by halves: a kernel tries a filter it is given on every number."""
    if len(stretches) == 1:
        return list(stretches[0][1])
    middle = len(stretches) // 2
    low, high = _search(stretches[:middle]), _search(stretches[middle:])
    return [(IF_AT_LEAST, stretches[middle][0], _jump(len(low)), 0), *low, *high]


def _jump(steps: int) -> int:
    if steps > _LONGEST_JUMP:
        raise ValueError(f"{steps} instructions are too many to be jumped over")
    return steps


def _load(offset: int) -> Step:
    return (LOAD, offset, 0, 0)


def _closed(steps: list[Step]) -> list[Step]:
    """Jumps out of an alternative, as jumps to what comes after it."""
    size = _jump(len(steps) - 1)
    return [
        (code, operand, size - at if yes == _OUT else yes, size - at if no == _OUT else no)
        for at, (code, operand, yes, no) in enumerate(steps)
    ]
