"""The check of one target, in its process: import, inputs, and the judge."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...check.foreign.border import said
from ...check.foreign.choose import library_of
from ...check.foreign.judged import check_foreign
from ...check.judging.budget import Budget, within
from ...check.judging.findings import Checked, Options
from ...check.judging.watched import watched
from ...errors import GradcliError, InputError
from ...verdicts import ALLOWED
from ..confined import Inside
from .inputs import cases
from .load import loaded

HELP = "name its derivative: --derivative file.py:df --kind grad; functions of PyTorch and JAX have one of their own"


def check_target(inside: Inside, job: Any) -> tuple[Checked, Options, None]:
    """Check a target; what is wrong with it, and is no gradient, is its failure."""
    options, checked = _options(job), Checked(job.name)
    try:
        if job.failure is not None:
            raise job.failure
        with printing(), watched(inside.counted), within(Budget(job.limits.checking, inside.recorded)):
            _check(job, options, checked)
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


def _check(job: Any, options: Options, checked: Checked) -> None:
    target = job.python
    seeded(options.seed)
    module, function = loaded(target.text)
    seeded(options.seed)
    function = made(function, target.text)
    derivatives = {} if target.derivative is None else {target.kind: loaded(target.derivative)[1]}
    name = target.text.rpartition(":")[2]
    found = list(cases(target, module, function, job.bindings, options.seed, job.limits))
    for case, given in found:
        make = library_of(function, given, derivatives, name, train=target.train, help=HELP)
        one = check_foreign(make, options, Checked(job.name))
        if one.failure is not None:
            if case:
                one.failure.notes = (*one.failure.notes, f"in the case '{case}'")
            raise one.failure
        if len(found) > 1:
            for finding in one.findings:
                finding.output = f"{finding.output} ({case})"
        checked.findings += one.findings
        checked.notes += [note for note in one.notes if note not in checked.notes]
        checked.inputs += one.inputs
        checked.numbers += one.numbers
        checked.seconds += one.seconds
    if not checked.findings:
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
