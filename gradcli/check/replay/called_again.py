"""Errors that a program's own functions meet when a check calls them again, as a person is shown them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import GradcliError, LimitError, raised_by_program
from ...spec.guard.limits import from_host
from ...spec.language.machine import Machine
from ...spec.program import Program

_AGAIN = "the program ran through once: this came of running it, or a function in it, again"


def told(program: Program, machine: Machine, error: Exception) -> Exception:
    """An error of a function that was called again."""
    found = program.diagnosed(machine, error)
    if isinstance(found, GradcliError):
        found.notes = (*found.notes, _AGAIN)
    return found


@contextmanager
def calling(program: Program, machine: Machine) -> Iterator[None]:
    """Tell of errors of the program's own functions as theirs; others are ours, and left as they are."""
    # The program is nowhere any more, unless something calls what it defined.
    machine.last = None
    try:
        yield
    except GradcliError as error:
        error.span = error.span or machine.span(error)
        if error.span is not None and isinstance(error, LimitError):
            error.notes = (*error.notes, _AGAIN)
        raise
    except raised_by_program(MemoryError, RecursionError) as error:
        if machine.span(error) is None:
            limit = from_host(error, program.limits)
            if limit is None:
                raise
            raise limit from None
        raise told(program, machine, error) from None
