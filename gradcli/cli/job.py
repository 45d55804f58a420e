"""One spec to be checked: everything that a process needs to know for it, and the check itself."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..check.findings import Checked, Finding, Options
from ..check.verdict import Verdict
from ..errors import GradcliError, InputError, LimitError
from ..report.check.outcome import Outcome
from ..spec.inputs import Binding
from ..spec.limits import Limits
from ..spec.source import Spec, read
from . import specs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..spec.program import Program

# Where the name of a verdict is not that of the kind which `allow` takes.
_KINDS = {"wrong": Verdict.WRONG, "kink": Verdict.KINK_WRONG, "edge": Verdict.EDGE_WRONG}

BUG_HELP = "please report it, with the command line, the spec and what GRADCLI_DEBUG=1 shows"


class Job(NamedTuple):
    """A spec, its inputs, and what the command line and the settings say of it."""

    name: str
    kind: str = "auto"
    # The spec itself where it was read already, and why it cannot be.
    spec: Spec | None = None
    failure: GradcliError | None = None
    bindings: Sequence[Binding] = ()
    flags: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    limits: Limits = Limits()
    again: tuple[str, ...] = ()


class Bug(GradcliError):
    """An error of gradcli itself, which must not take the other specs with it."""

    code = "E508"
    exit_code = 3


def verdict_of(kind: str) -> Verdict:
    """The verdict that an exception names."""
    return _KINDS.get(kind) or Verdict(kind.upper().replace("-", "_"))


def perform(job: Job, lost: Callable[[Outcome], object]) -> Outcome:
    """Check a spec within its limits; whatever is wrong with it is in the outcome.

    ``lost`` is called with the outcome where the process has to be ended from outside.
    """
    options = Options()
    try:
        if job.failure is not None:
            raise job.failure
        program = _program(job)
        options = _options(job, program)
        checked = _checked(job, program, options, lost)
        _note_exceptions(checked, program, options.allow)
    except Exception as error:
        checked = Checked(job.name, failure=_as_failure(error, job.limits))
    return Outcome(job.name, checked, options, job.again)


def _program(job: Job) -> Program:
    kind: Any = job.kind
    spec = job.spec or read(job.name, kind=kind, max_bytes=job.limits.source)

    # What was wrong so far is said without loading the engine.
    from ..spec.program import Program

    def made(dtype: str) -> Program:
        chosen = {key: job.flags[key] for key in ("no_grad", "seed") if key in job.flags}
        return Program(spec, bindings=job.bindings, dtype=dtype, limits=job.limits, **chosen)

    program = made("float64")
    said = {directive.key: directive.value for directive in program.directives}
    if job.flags.get("dtype", said.get("dtype", job.settings.get("dtype"))) == "float32":
        program = made("float32")
    if "seed" not in job.flags and "seed" not in said and "seed" in job.settings:
        program.seed = job.settings["seed"]
    return program


def _options(job: Job, program: Program) -> Options:
    """How closely to look: the settings, what the spec says itself, and the command line, which has the last word."""
    said: dict[str, Any] = {}
    kinds = {*job.settings.get("allow", ()), *job.flags.get("allow", ())}
    for directive in program.directives:
        if directive.key == "allow" and directive.value is not None:
            kinds.add(directive.value)
        elif directive.key in ("order", "digits"):
            said[directive.key] = int(directive.value or 0)
        elif directive.key in ("strict", "every-entry"):
            said[directive.key.replace("-", "_")] = True
        elif directive.key == "dtype":
            said["dtype"] = directive.value
    chosen = {**job.settings, **said, **job.flags}
    known = {
        key: chosen[key] for key in ("order", "output", "samples", "strict", "digits", "every_entry") if key in chosen
    }
    return Options(
        **known,
        wrt=tuple(chosen.get("wrt", ())),
        claims=tuple(chosen.get("claim", ())),
        allow=frozenset(map(verdict_of, kinds)),
        seed=program.seed,
        float32=chosen.get("dtype") == "float32",
        detail=chosen.get("detail", 0),
    )


def _checked(job: Job, program: Program, options: Options, lost: Callable[[Outcome], object]) -> Checked:
    from ..check.check import check_program

    def ended(error: LimitError) -> object:
        failure = _as_failure(error, job.limits)
        return lost(Outcome(job.name, Checked(job.name, failure=failure), options, job.again))

    checked = specs.watched(
        program.limits,
        lambda started: check_program(program, options, started),
        lost=ended,
        # What it takes to load the check is none of the program's time.
        since=time.perf_counter(),
    )
    if checked.failure is not None:
        checked.failure = _as_failure(checked.failure, job.limits)
    elif not checked.findings:
        checked.failure = InputError(
            "there is nothing to check: no gradient of anything",
            help="give an input requires_grad=True, and call backward() on a result or name it with --output",
            code="G114",
        )
    return checked


def _note_exceptions(checked: Checked, program: Program, allowed: frozenset[Verdict]) -> None:
    """Mark what is a named exception, and note those that a spec names and does not need."""
    for finding in checked.findings:
        finding.allowed = finding.allowed or finding.verdict in allowed
    if checked.failure is not None:
        return
    needed = used(checked.findings)
    for directive in program.directives:
        if directive.key == "allow" and directive.value is not None and verdict_of(directive.value) not in needed:
            line = directive.span.line
            checked.notes.append(f"UNUSED_ALLOW: `allow {directive.value}` at line {line} is not needed")


def used(findings: Sequence[Finding]) -> set[Verdict]:
    """The verdicts for which an exception was named with reason."""
    return {finding.verdict for finding in findings if finding.allowed}


def _as_failure(error: Exception, limits: Limits) -> GradcliError:
    """An error as a report tells it."""
    if os.environ.get("GRADCLI_DEBUG"):
        from traceback import print_exception

        print_exception(error)
    if isinstance(error, (MemoryError, RecursionError)):
        from ..spec.limits import from_host

        error = from_host(error, limits) or error
    if isinstance(error, GradcliError):
        return _of_check(error, limits)
    # What an error of a program's own class says is for its code to say, which is not to run any more.
    words = f": {error}" if type(type(error)) is type else ""
    what = ascii(f"{type(error).__name__}{words}"[:300])[1:-1]
    return Bug(f"this is a bug in gradcli: {what}", help=BUG_HELP)


def _of_check(error: GradcliError, limits: Limits) -> GradcliError:
    """A limit in the words of a check: what met it may have been the program, or what looks at it."""
    if error.code == "E401":
        error.message = f"the check was stopped before its end: it may take {limits.seconds:g} s"
    elif error.code == "E402":
        error.message = error.message.replace("the program needs", "the check needs", 1)
    return error
