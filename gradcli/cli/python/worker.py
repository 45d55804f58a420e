"""The check of one target, in its process: import, inputs, and the judge."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...check.budget import Budget, within
from ...check.foreign.border import said
from ...check.foreign.choose import is_own, libraries_of, library_of
from ...check.foreign.judged import check_foreign
from ...check.foreign.own import own
from ...check.judging.findings import Checked, Options
from ...check.watched import watched
from ...errors import GradcliError, InputError, LimitError
from ...verdicts import ALLOWED
from ..confined import Inside
from .inputs import cases
from .load import loaded

HELP = "name its derivative: --derivative file.py:df --kind grad; functions of PyTorch and JAX have one of their own"


def check_target(inside: Inside, job: Any) -> tuple[Checked, Options, None]:
    """Check a target; what is wrong with it, and is no gradient, is its failure."""
    options, checked = _options(job), Checked(job.name) if job.done is None else job.done[1]
    try:
        if job.failure is not None:
            raise job.failure
        with printing(), watched(inside.counted), within(Budget(job.limits.checking, inside.recorded)):
            _check(inside, job, options, checked)
    except LimitError:
        # What is left may be done by another process.
        raise
    except GradcliError as error:
        checked = Checked(job.name, failure=error)
    except (SystemExit, KeyboardInterrupt) as error:
        checked = Checked(job.name, failure=ended(error))
    return checked, options, None


def ended(error: BaseException) -> InputError:
    """The error of a function that ends the program which calls it."""
    words = f"the function ends the program that calls it: {said(error)}"
    return InputError(words, help="a function that is checked returns")


@contextmanager
def printing() -> Iterator[None]:
    """Have all that is printed go to the standard error: this process flushes no stream at its end."""
    # Its own, whatever becomes of the other one.
    stream = open(os.dup(2), "w", buffering=1, closefd=False, errors="backslashreplace")  # noqa: SIM115
    before = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = stream
    try:
        yield
    finally:
        stream.flush()
        sys.stdout, sys.stderr = before


def without_case(job: Any, so_far: Any, error: GradcliError) -> Any:
    """A job without the case that ended its process, and those before."""
    number, case, checked = so_far
    _fail(checked, error, case)
    return job._replace(done=(number + 1, checked))


def _fail(checked: Checked, failure: GradcliError, case: str) -> None:
    """Note that a case could not be checked; the first such one is what is told."""
    if checked.failure is not None:
        checked.failure.notes = (*checked.failure.notes, f"in the case '{case}': {failure.message}")
        return
    checked.failure = failure
    if case:
        failure.notes = (*failure.notes, f"in the case '{case}'")


def _asked(found: list[tuple[str, Any]], options: Options) -> tuple[list[tuple[str, Any]], Options]:
    """The cases that are asked about: an output has the name of its case behind its own."""
    for case, given in found:
        if (options.output or "").endswith(f" ({case})"):
            return [(case, given)], options._replace(output=(options.output or "").removesuffix(f" ({case})"))
    return found, options


def _check(inside: Inside, job: Any, options: Options, checked: Checked) -> None:
    target = job.python
    seeded(options.seed)
    module, function = loaded(target.text)
    seeded(options.seed)
    function = made(function, target.text)
    derivatives = {} if target.derivative is None else {target.kind: loaded(target.derivative)[1]}
    name = target.text.rpartition(":")[2]
    found = list(cases(target, module, function, job.bindings, options.seed, job.limits))
    several = len(found) > 1
    if several:
        found, options = _asked(found, options)
    for number, (case, given) in list(enumerate(found))[0 if job.done is None else job.done[0] :]:
        if several:
            inside.so_far((number, case, checked))
        one = Checked(job.name)
        try:
            if not derivatives and is_own(libraries_of(function)):
                one.spec = name
                own(function, given, options, one, target.train, target.held)
            else:
                make = library_of(function, given, derivatives, name, train=target.train, held=target.held, help=HELP)
                check_foreign(make, options, one)
        except GradcliError as error:
            one.failure = error
        except (SystemExit, KeyboardInterrupt) as error:
            one.failure = ended(error)
        if isinstance(one.failure, LimitError):
            raise one.failure
        if one.failure is not None:
            _fail(checked, one.failure, case)
        if several:
            for finding in one.findings:
                finding.output = f"{finding.output} ({case})"
        checked.findings += one.findings
        checked.notes += [note for note in one.notes if note not in checked.notes]
        checked.inputs += one.inputs
        checked.numbers += one.numbers
        checked.seconds += one.seconds
    if not checked.findings and checked.failure is None:
        raise InputError("there is nothing to check: no gradient of anything", code="G114")


def seeded(seed: int) -> None:
    """Begin all random numbers anew: the same command line gives the same inputs."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def made(function: Any, text: str) -> Any:
    """A module of PyTorch by its class is one made without arguments; all else is what it is."""
    if isinstance(function, type) and hasattr(function, "named_parameters"):
        try:
            return function()
        except TypeError:
            words = f"{text} is a class that cannot be made without arguments"
            raise InputError(words, help="name an instance, or a function that makes and calls one") from None
    return function


def _options(job: Any) -> Options:
    chosen = {**job.settings, **job.flags}
    plain = ("order", "output", "samples", "strict", "digits", "every_entry", "seed", "detail")
    known = {key: chosen[key] for key in plain if key in chosen}
    kinds = {*job.settings.get("allow", ()), *job.flags.get("allow", ())}
    return Options(**known, wrt=tuple(chosen.get("wrt", ())), allow=frozenset(ALLOWED[kind] for kind in kinds))
