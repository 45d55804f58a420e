"""One spec to be checked: everything that a process needs to know for it, and the check itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...check.judging.findings import Checked, Finding, Options
from ...errors import GradcliError, InputError
from ...report.check.outcome import RECORDS, Outcome
from ...spec.guard.limits import Limits
from ...spec.input.beside import read
from ...spec.input.named_inputs import Binding, check_data, data_files
from ...spec.input.source import Spec
from ...verdicts import ALLOWED, Note, NoteKind, Verdict
from ...wall.inside import bug_told
from ..confined import Bug, Inside, Task
from ..process import was_interrupted
from ..project.spec_tables import SpecTable
from ..python.wanted import PythonTarget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...spec.program import Program

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
    walled: bool = True
    # Its place among all that are meant, before they are divided, and how many those are.
    number: int = 0
    of: int = 0
    # A function of somebody's own, in place of a spec.
    python: PythonTarget | None = None
    # How many of its cases were checked already, and what was found.
    done: tuple[int, Checked] | None = None
    # What a table of the settings says of the spec.
    table: SpecTable | None = None

    def files(self) -> Sequence[Binding]:
        """All inputs that may be files."""
        return [*self.bindings, *(() if self.table is None else self.table.beside(self.bindings))]


class _BugOf(GradcliError):
    """An error of gradcli itself, which must not take the other specs with it."""

    code = "E508"
    exit_code = 3

    def __init__(self, bug: Bug) -> None:
        super().__init__(f"this is a bug in gradcli: {ascii(str(bug))[1:-1]}", help=BUG_HELP)


def verdict_of(kind: str) -> Verdict:
    """The verdict that an exception names."""
    return ALLOWED[kind]


def outcomes(
    jobs: Sequence[Job], count: int = 1, watch: Callable[[int], object] | None = None
) -> Generator[Outcome, None, None]:
    """The outcome of each job, in their order, from so many processes at a time: one for each, which it ends with.

    What is interrupted gives those that are there already, and then raises the KeyboardInterrupt.

    ``watch`` is told now and then along how many directions those have looked that are under way.
    """
    from ...check import check as _check  # noqa: F401 (what the children need is read before they are there)
    from ..confined import each_done, the_rest

    results = each_done([partial(_task, job) for job in jobs], count, watch)
    try:
        for number, result in results:
            yield _outcome(jobs[number], result)
    except KeyboardInterrupt:
        yield from (_outcome(jobs[number], result) for number, result in the_rest(results))
        raise
    finally:
        results.close()


def with_spec(job: Job) -> Job:
    """A job with the text of its spec, or why there is none."""
    if job.python is not None:
        return job
    try:
        if job.failure is None and job.spec is None:
            kind: Any = job.kind
            job = job._replace(spec=read(job.name, kind=kind, max_bytes=job.limits.source))
        check_data(job.files())
    except GradcliError as error:
        if was_interrupted():
            # The error may be what came of that.
            raise KeyboardInterrupt from None
        job = job._replace(failure=error)
    return job


def failed(job: Job, failure: GradcliError) -> Outcome:
    """The outcome of a job that nothing came of."""
    return Outcome(job.name, Checked(job.name, failure=failure), Options(), job.again, job.number, job.of)


def _task(job: Job) -> Task:
    """A job as a child is given it: with the text of its spec, or why there is none."""
    if job.python is not None:
        from ..python.worker import check_target, without_case

        def rest(so_far: Any, error: GradcliError) -> Task:
            return _task(without_case(job, so_far, error))

        return Task(check_target, job, job.limits, (), False, RECORDS, job.limits.checking, own_code=True, rest=rest)
    job = with_spec(job)
    files = (*data_files(job.files()), *job.flags.get("lend", ()))
    return Task(_perform, job, job.limits, files, job.walled, RECORDS, job.limits.checking)


def _perform(inside: Inside, job: Job) -> tuple[Checked, Options, tuple[str, str] | None]:
    """Check a spec, in a child; whatever is wrong with it is in what was found, and what to say of a bug beside it."""
    from ...check.budget import Budget, within
    from ...check.check import check_program
    from ...check.watched import watched

    options, checked = Options(), Checked(job.name)
    try:
        if job.failure is not None:
            raise job.failure
        program = _program(job)
        options, checked = _options(job, program), Checked(program.source.name)
        with watched(inside.counted), within(Budget(job.limits.checking, inside.recorded)):
            checked = check_program(program, options, inside.started, checked)
        _note_exceptions(checked, program, options.allow)
        if checked.failure is None and not checked.findings:
            raise InputError(
                "there is nothing to check: no gradient of anything",
                help="give an input requires_grad=True, and call backward() on a result or name it with --output",
                code="G114",
            )
    except GradcliError as error:
        checked = Checked(job.name, failure=error)
    except Exception as error:
        if not checked.findings:
            raise
        # What was found before is not lost.
        return checked, options, bug_told(error)
    return checked, options, None


def _outcome(job: Job, result: Callable[[], Any]) -> Outcome:
    """The outcome of a job: what its child says, or why it says nothing."""
    options, checked = Options(), Checked(job.name)
    try:
        checked, options, bug_said = result()
        if bug_said is not None:
            raise Bug(*bug_said)
    except GradcliError as error:
        checked = Checked(job.name, failure=error)
    except Bug as bug:
        if os.environ.get("GRADCLI_DEBUG"):
            sys.stderr.write(bug.trace)
        checked.failure = _BugOf(bug)
    if checked.failure is not None:
        checked.failure = _of_check(checked.failure)
        if job.python is not None:
            _of_python(checked.failure)
        if job.table is not None:
            job.table.place(checked.failure, job.bindings)
    return Outcome(job.name, checked, options, job.again, job.number, job.of)


def _program(job: Job) -> Program:
    from ...spec.program import Program

    assert job.spec is not None
    spec = job.spec

    def made(dtype: str) -> Program:
        chosen = {key: job.flags[key] for key in ("no_grad", "seed", "backward", "args", "lend") if key in job.flags}
        for key in ("no_grad", "args"):
            if key in job.settings:
                chosen.setdefault(key, job.settings[key])
        settled = () if job.table is None else job.table.inputs
        return Program(spec, bindings=job.bindings, settled=settled, dtype=dtype, limits=job.limits, **chosen)

    program = made("float64")
    said = {directive.key: directive.value for directive in program.directives}
    if job.flags.get("dtype", said.get("dtype", job.settings.get("dtype"))) == "float32":
        program = made("float32")
    if "seed" not in job.flags and "seed" not in said and "seed" in job.settings:
        program.seed = job.settings["seed"]
    return program


def _options(job: Job, program: Program) -> Options:
    """The closeness of a check: the settings, what the spec says itself, and last the command line."""
    said: dict[str, Any] = {}
    kinds = {*job.settings.get("allow", ()), *job.flags.get("allow", ())}
    for directive in program.directives:
        if directive.key == "allow" and directive.value is not None:
            kinds.add(directive.value)
        elif directive.key == "claim" and directive.value is not None:
            name, _, text = directive.value.partition("=")
            said["claim"] = [*said.get("claim", ()), (name, text)]
        elif directive.key == "claim-from":
            said["claim_from"] = directive.value
        elif directive.key in ("order", "digits"):
            said[directive.key] = int(directive.value or 0)
        elif directive.key in ("strict", "every-entry", "everywhere", "require-coverage"):
            said[directive.key.replace("-", "_")] = True
        elif directive.key == "dtype":
            said["dtype"] = directive.value
    # Of the claims of the settings, the comments and the command line, those that are nearest to the hand.
    levels = [dict(job.settings), said, job.flags]
    given = [level for level in levels if "claim" in level or "claim_from" in level]
    for farther in given[:-1]:
        farther.pop("claim", None)
        farther.pop("claim_from", None)
    chosen = {**levels[0], **said, **job.flags}
    plain = (
        "order", "output", "samples", "strict", "digits", "every_entry", "everywhere", "coverage", "require_coverage",
    )  # fmt: skip
    known = {key: chosen[key] for key in plain if key in chosen}
    return Options(
        **known,
        wrt=tuple(chosen.get("wrt", ())),
        claims=tuple(chosen.get("claim", ())),
        claim_from=_function_of(program, chosen.get("claim_from")),
        allow=frozenset(map(verdict_of, kinds)),
        seed=program.seed,
        float32=chosen.get("dtype") == "float32",
        detail=chosen.get("detail", 0),
    )


def _function_of(program: Program, target: str | None) -> str | None:
    """The name of a function of the program's own file, of ``FILE::NAME`` or ``NAME``."""
    if target is None:
        return None
    path, mark, name = target.rpartition("::")
    if mark and os.path.realpath(path) != os.path.realpath(program.source.name.partition("::")[0]):
        raise InputError(
            f"--claim-from {target}: the function is to stand in the file that is checked",
            help=f"write it into {program.source.name}",
            code="E503",
        )
    return name


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
            checked.notes.append(Note(NoteKind.UNUSED_ALLOW, f"`allow {directive.value}` at line {line} is not needed"))


def used(findings: Sequence[Finding]) -> set[Verdict]:
    """The verdicts for which an exception was named with reason."""
    return {finding.verdict for finding in findings if finding.allowed}


def _of_python(error: GradcliError) -> None:
    """Turn a limit into the words of somebody's own code."""
    if error.code == "E411":
        error.help = "run it alone in Python to see where it ends: `python -X faulthandler`"
    elif error.help is not None and error.code.startswith("E4"):
        error.help = error.help.replace("`--limits relaxed` or ", "").replace("; `--limits relaxed` allows more", "")


def _of_check(error: GradcliError) -> GradcliError:
    """A limit in the words of a check: what met it may have been the program, or what looks at it."""
    if error.code == "E402":
        error.message = error.message.replace("the program needs", "the check needs", 1)
    return error
