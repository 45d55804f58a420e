"""``gradcli check``: whether the gradients of specs are right."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ..report.formats import FORMATS
from ..verdicts import ALLOWED
from . import specs
from .graphs import backward
from .parsing.command import command, option, pass_given, switch
from .parsing.names import inputs_of_spec, names_in_spec
from .parsing.types import (
    DIGITS,
    DTYPE,
    FRACTION,
    JOBS,
    ORDER,
    PATH,
    SAMPLES,
    SECONDS,
    Choice,
    Read,
    Whole,
    proposing,
    report_of,
)
from .parsing.words import shown
from .python.wanted import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..report.check.outcome import Missing, Outcome
    from .checking.job import Job
    from .checking.reporting import Reporter
    from .parsing.command import Given
    from .project.baseline import Baseline
    from .project.config import Settings
    from .project.elsewhere import Make
    from .target import Target

_WHAT, _HOW, _WHICH, _SHOW = "What is checked", "How closely", "Which specs", "What is reported"
_SETTINGS = "Settings"


_report = report_of(FORMATS)


def _picture(text: str) -> str | None:
    from ..report.screen import picture_form

    return text if picture_form(text) else None


def _claim(text: str) -> tuple[str, str] | None:
    name, mark, value = (part.strip() for part in text.partition("="))
    plain = all(part.isidentifier() for part in name.split("."))
    return (name, value) if mark and plain and value and not value.startswith("=") else None


def _kind(text: str) -> str | None:
    plain = text.lower().replace("_", "-")
    return plain if plain in ALLOWED else None


@command(
    "check",
    help="Check gradients against derivatives with error bars.",
    examples=(
        ("gradcli check net.py", "every gradient in a program"),
        ("gradcli check expressions/", "and in all below a directory"),
        ("gradcli check 'tanh(x)' x=1 --order 4", "to the fourth derivative"),
        ("gradcli check 'x**2' x=1 --claim x=2*x", "one that you derived by hand"),
        ("gradcli check --format junit net.py", "for machines"),
    ),
    dash=specs.DASH,
)
@specs.words(
    "SPEC ...", "Expressions, files, directories, FILE::NAME, or - for standard input (`paths` in the settings)."
)
@option("--order", metavar="N", type=ORDER, group=_WHAT, help="Derivatives up to the Nth (1).")
@option(
    "--output",
    metavar="NAME",
    group=_WHAT,
    shell_complete=names_in_spec,
    help="The tensor to differentiate (that of backward()).",
)
@backward(_WHAT)
@option(
    "--wrt",
    metavar="NAME",
    group=_WHAT,
    multiple=True,
    shell_complete=names_in_spec,
    help="An input to differentiate by (all).",
)
@option(
    "--claim",
    metavar="NAME=EXPR",
    type=Read("NAME=EXPR, an input and its derivative", _claim),
    group=_WHAT,
    multiple=True,
    shell_complete=inputs_of_spec,
    help="A derivative of your own, which is judged instead of that of the backward.",
)
@option(
    "--claim-from",
    metavar="FILE::NAME",
    group=_WHAT,
    help="A function of the file that gives the derivatives for all inputs, in their order or by name.",
)
@option("--samples", metavar="N", type=SAMPLES, group=_WHAT, help="Further points that are tried (4).")
@switch(
    "--python", group=_WHAT,
    help="SPECs are functions of your own code, pkg.mod:name or file.py:name: only this imports and runs it.",
)
@option(
    "--derivative", metavar="TARGET", group=_WHAT, help="The function that derives the one of --python, if it has one."
)
@option("--kind", type=Choice(KINDS), group=_WHAT, help="What it gives: grad, vjp, jac or jvp (grad).")
@switch("--train", group=_WHAT, help="Leave a module of --python in training mode.")
@switch("--self-test", group=_WHAT, help="Plant mistakes that have to be found, and check no SPEC.")
@switch("--strict", group=_HOW, help="Fail what is inaccurate or saturated, too.")
@option("--digits", metavar="N", type=DIGITS, group=_HOW, help="No verdict on fewer digits.")
@option(
    "--allow",
    metavar="KIND",
    type=Read(f"one of {', '.join(ALLOWED)}", _kind),
    group=_HOW,
    multiple=True,
    shell_complete=proposing(ALLOWED),
    help="An exception, which stays visible: kink, hidden-path, ...",
)
@switch("--every-entry", group=_HOW, help="Judge every entry alone, however many there are.")
@switch("--everywhere", group=_HOW, help="Fail what is wrong only where the program never goes, too.")
@switch("--require-coverage", group=_HOW, help="Fail a side of a branch or kink that no point was found for.")
@option(
    "--dtype",
    type=DTYPE,
    group=_HOW,
    help="float32: also say how many digits float32 loses (everything is computed in float64).",
)
@option("-k", "--keyword", metavar="EXPR", group=_WHICH, help="Specs with that in their names: 'mlp and not slow'.")
@option("--shard", metavar="I/N", type=FRACTION, group=_WHICH, help="The Ith of N parts.")
@option(
    "--shard-by", metavar="FILE", type=PATH, group=_WHICH,
    help="Parts of the same length by the times in a report `durations:FILE`.",
)
@switch("--force-exclude", group=_WHICH, help="Leave out what `exclude` in the settings names, also a named file.")
@switch("--list", group=_WHICH, help="List the specs, and check none.")
@switch("-x", "--exitfirst", group=_WHICH, help="Stop after the first spec that is not right.")
@option("--maxfail", metavar="N", type=Whole(1, 10**6), group=_WHICH, help="Stop after N of them.")
@option("--jobs", metavar="N", type=JOBS, group=_WHICH, help="Specs at a time (1); auto: one for each processor.")
@option(
    "--executor",
    metavar="MOD:NAME",
    group=_WHICH,
    help="Check them by an executor of concurrent.futures: a function that makes one, which is imported and called.",
)
@option("--cluster", metavar="ADDRESS", group=_WHICH, help="Check them by the workers of a Dask scheduler.")
@option("-v", "--verbose", count=True, group=_SHOW, help="Show every input; -vv: the Jacobians as well.")
@switch("--coverage", group=_SHOW, help="Show which sides of branches and kinks were looked at.")
@option(
    "--format",
    metavar="FORMAT",
    type=Choice(FORMATS),
    group=_SHOW,
    help=f"What to write: {', '.join(FORMATS[:-1])} or {FORMATS[-1]} (text).",
)
@option(
    "--report",
    metavar="FORMAT:PATH",
    type=Read("FORMAT:PATH, such as junit:report.xml", _report),
    group=_SHOW,
    multiple=True,
    shell_complete=proposing(f"{form}:" for form in FORMATS),
    help="Write another report to a file.",
)
@option(
    "-o", "--out", metavar="FILE", type=Read("a FILE.svg or FILE.html", _picture), group=_SHOW,
    help="Draw what a terminal shows into a .svg, or write a page of it, a .html.",
)
@option("--durations", metavar="N", type=Whole(0, 10**6), group=_SHOW, help="Tell which N specs took longest (0: all).")
@option(
    "--baseline", metavar="FILE", type=PATH, group=_HOW,
    help="Fail nothing that is known: findings in FILE stay visible, as what --allow names.",
)
@switch("--update-baseline", group=_HOW, help="Write all that is found into that file.")
@switch("--exit-zero", group=_SHOW, help="End with 0 also where a gradient is wrong.")
@specs.source(several=True)
@specs.limits("a spec", timeout="Time on the processor that its program may take.")
@option(
    "--check-timeout", metavar="SECONDS", type=SECONDS, group=specs.LIMITS,
    help="Time on the processor that its check may take (as --timeout).",
)
@option("--config", metavar="FILE", type=PATH, group=_SETTINGS, help="The settings, in place of the nearest file.")
@switch("--isolated", group=_SETTINGS, help="Read no settings, neither of files nor of GRADCLI_* variables.")
@switch("--trust-config", group=_SETTINGS, help="Let the project's settings loosen limits, and lead out of it.")
@pass_given
def check(given: Given) -> int:
    """Check every spec, tell of each, and say by the exit code whether all is right."""
    from .checking.suite import jobs, selected
    from .project.config import settings

    _check_options(given)
    if "python" in given.options:
        specs.refuse_args(given)
        from .python.jobs import jobs
    if "self_test" in given.options:
        return _self_test(given)
    chosen = settings(os.environ, flags=given.options)
    found = jobs(given, chosen)
    if not found:
        # Only what was named can be left out as a whole.
        from ..report.stream import emit

        emit("note: `exclude` leaves out all that was named\n", sys.stderr)
        return 0
    todo = selected(found, given)
    if "list" in given.options:
        from ..report.stream import emit
        from ..text.escape import harmless, one_line

        emit("".join(f"{harmless(one_line(job.name))}\n" for job in todo), sys.stdout)
        return 0
    baseline = _baseline(given, chosen, todo)
    reporter = _reporter(given, chosen, todo)
    missing = _perform(given, chosen, todo, reporter, baseline)
    reporter.finish(missing)
    if missing.interrupted:
        raise KeyboardInterrupt
    if baseline is not None:
        _end_with(baseline, reporter.outcomes)
    if "python" not in given.options and chosen.python:
        _note_python(len(chosen.python))
    _note_unneeded(given, reporter.outcomes)
    return reporter.exit_code("exit_zero" in given.options)


def _note_python(count: int) -> None:
    """Say on stderr that the functions which settings name were left alone: to run them takes a word of the user's."""
    from ..report.stream import emit

    what = "1 python target" if count == 1 else f"{count} python targets"
    emit(f"note: {what} not checked: add --python\n", sys.stderr)


def _check_options(given: Given) -> None:
    """Refuse options that do not fit together."""
    options = given.options
    for key in ("derivative", "kind", "train") if "python" not in options else ():
        if key in options:
            raise given.misuse(f"--{key} is about a function of --python", key, help="add --python")
    if "self_test" in options:
        _check_alone(given)
    if "list" in options:
        for key in ("format", "report", "exitfirst", "maxfail", "durations", "update_baseline"):
            if key in options:
                raise given.misuse(
                    f"--{key.replace('_', '-')} says nothing to --list, which checks nothing", key, help="leave it out"
                )
    if "config" in options and "isolated" in options:
        raise given.misuse("--isolated reads no settings, and --config names some", "config", help="leave one out")
    if "exitfirst" in options and "maxfail" in options:
        raise given.misuse("-x is --maxfail 1", "maxfail", help="leave one of the two out")
    for key in ("jobs", "cluster") if "executor" in options else ("jobs",) if "cluster" in options else ():
        if key in options:
            by = "executor" if "executor" in options else "cluster"
            raise given.misuse(f"--{by} says who checks, and so does --{key}", key, help="leave one out")
    wrt = options.get("wrt")
    names = [name for name, _ in options.get("claim", ())]
    for at, name in enumerate(names):
        if wrt is not None and name not in wrt:
            help = f"add --wrt {name}, or leave --wrt out"
            raise given.misuse(f"--claim is about {shown(name)}, and --wrt leaves it out", "claim", at, help=help)
        if name in names[:at]:
            raise given.misuse(f"there is another --claim about {shown(name)}", "claim", at, help="leave one out")
    if names and "claim_from" in options:
        help = "leave one of the two out"
        raise given.misuse("--claim-from gives all derivatives, and --claim one", "claim", help=help)
    if (names or "claim_from" in options) and options.get("order", 1) > 1:
        help = "leave --order out, or --claim: the derivatives of a claim are not judged"
        raise given.misuse("--claim is about the first derivative", "order", help=help)
    if "verbose" in options and options.get("format", "text") != "text":
        help = "leave out -v, or --format"
        raise given.misuse(f"-v says nothing to --format {options['format']}", "verbose", help=help)


def _check_alone(given: Given) -> None:
    """Refuse all that a self-test has no use for."""
    if given.arguments:
        raise given.misuse("--self-test has programs of its own", "words", 0, help="leave the SPEC out, or --self-test")
    for key in given.options:
        if key not in ("self_test", "seed", "color"):
            raise given.misuse(f"--{key.replace('_', '-')} says nothing to --self-test", key, help="leave it out")


def _self_test(given: Given) -> int:
    """Plant mistakes, and tell of each whether it was found and its op was named; 1 where one was not."""
    from ..check.selftest.selftest import COUNT, lines, planted
    from ..report.progress import Progress
    from ..report.screen import Screen
    from ..report.stream import emit

    found = []
    progress = Progress(Screen(sys.stderr, given.get("color", "auto"), os.environ), COUNT)
    try:
        for each in planted(given.get("seed", 0)):
            found.append(each)
            progress.clear()
            emit(f"{next(lines([each]))}\n", sys.stdout)
            progress.add(not each.named)
            progress.tick()
    finally:
        progress.clear()
    *_, count = lines(found)
    emit(f"{count}\n", sys.stdout)
    return 0 if all(each.named for each in found) else 1


def _baseline(given: Given, settings: Settings, todo: Sequence[Job]) -> Baseline | None:
    """Read the baseline, where a file of one is named."""
    path = given.get("baseline")
    if path is None and "baseline" in settings.values:
        path = os.path.relpath(os.path.join(settings.directory, settings.values["baseline"]))
    update = "update_baseline" in given.options
    if path is None:
        if update:
            raise given.misuse("--update-baseline writes the file of --baseline", "update_baseline", help="name it")
        return None
    from .project.baseline import Baseline

    return Baseline(path, update, *(job.name for job in todo if job.kind != "expression"))


def _end_with(baseline: Baseline, outcomes: Sequence[Outcome]) -> None:
    """Write the baseline, or say what of it is not needed any more."""
    if baseline.update:
        baseline.write(outcomes)
    elif gone := len(baseline.unneeded(outcomes)):
        from ..report.stream import emit

        what = "1 finding of the baseline is" if gone == 1 else f"{gone:,} findings of the baseline are"
        emit(f"note: {what} not there any more: --update-baseline writes it anew\n", sys.stderr)


def _perform(
    given: Given, settings: Settings, todo: Sequence[Job], reporter: Reporter, baseline: Baseline | None
) -> Missing:
    """Check what is to be checked, until there have been too many failures, or somebody interrupts; what is missing."""
    from ..report.check.outcome import Missing
    from .checking.job import outcomes
    from .confined import the_rest
    from .process import was_interrupted

    most = given.get("maxfail", 1 if "exitfirst" in given.options else len(todo))
    failed = done = 0

    def add(outcome: Outcome) -> None:
        if baseline is not None:
            baseline.allow(outcome)
        reporter.add(outcome)

    make = _executor(given)
    if make is None:
        found = outcomes(todo, given.get("jobs", settings.get("jobs", 1)), reporter.progress.tick)
    else:
        from .project.elsewhere import each_elsewhere

        found = each_elsewhere(todo, make, reporter.progress.tick)
    try:
        for outcome in found:
            add(outcome)
            done += 1
            failed += not outcome.clean
            if failed >= most and done < len(todo):
                return Missing(len(todo) - done, f"stopped after {done} of {len(todo)} specs")
    except (KeyboardInterrupt, Exception) as error:
        # NumPy makes another error of an interruption that meets its import.
        if not (isinstance(error, KeyboardInterrupt) or was_interrupted()):
            raise
        for outcome in the_rest(found):
            add(outcome)
        done = len(reporter.outcomes)
        return Missing(len(todo) - done, f"interrupted after {done} of {len(todo)} specs", interrupted=True)
    finally:
        reporter.progress.clear()
        found.close()
    return Missing()


def _executor(given: Given) -> Make | None:
    """The maker of the executor that was asked for; one that cannot be had is refused before anything is checked."""
    if "executor" not in given.options and "cluster" not in given.options:
        return None
    from .project import elsewhere

    if "executor" in given.options:
        return elsewhere.factory(given.options["executor"])
    return elsewhere.cluster(given.options["cluster"])


def _reporter(given: Given, settings: Settings, todo: Sequence[Job]) -> Reporter:
    """The reporter that was asked for; what cannot be written is refused before anything is checked."""
    from .checking.reporting import Reporter

    reports = list(_targets(given, settings, todo))
    form = _format(given, settings)
    detail, colour = given.get("verbose", 0), given.get("color", "auto")
    return Reporter(
        form, reports, count=len(todo), detail=detail, colour=colour, durations=given.get("durations")
    )


def _format(given: Given, settings: Settings) -> str:
    """The format of standard output: that of --format, or of a report that goes to -."""
    named = [(at, form) for at, (form, path) in enumerate(given.get("report", ())) if path == "-"]
    if named and (len(named) > 1 or "format" in given.options):
        raise given.misuse("standard output takes one format", "report", named[-1][0], help="write the other to a file")
    if named:
        return str(named[0][1])
    if "format" not in given.options and "report" not in given.options:
        for form, path in filter(None, map(_report, settings.get("report", ()))):
            if path == "-":
                return str(form)
    return str(given.get("format", settings.get("format", "text")))


def _targets(given: Given, settings: Settings, todo: Sequence[Job]) -> Iterator[tuple[str, Target]]:
    """The files that reports go to: those of the command line, or else those of the settings."""
    from .target import Target

    named = given.get("report")
    within = settings.bounds("report") if named is None else None
    if named is None:
        found = [_report(text) for text in settings.get("report", ())]
        named = [
            (form, os.path.relpath(os.path.join(settings.directory, path)))
            for form, path in filter(None, found)
            if path != "-"
        ]
    sources = [job.name for job in todo if job.kind != "expression"]
    if "out" in given.options:
        from ..report.screen import picture_form

        path = given.options["out"]
        yield picture_form(path) or "", Target(path, *sources)
    seen = set()
    for at, (form, path) in enumerate(named):
        if path == "-":
            continue
        place = os.path.realpath(path)
        if place in seen and "report" in given.options:
            raise given.misuse(f"another report goes to {shown(path)}", "report", at, help="give it another name")
        seen.add(place)
        yield form, Target(path, *sources, within=within)


def _note_unneeded(given: Given, outcomes: Sequence[Outcome]) -> None:
    """Say on stderr which exceptions of the command line no spec has needed."""
    kinds: list[str] = given.get("allow", [])
    if not kinds or any(outcome.checked.failure is not None for outcome in outcomes):
        return
    from ..report.stream import emit
    from .checking.job import used, verdict_of

    needed = {verdict for outcome in outcomes for verdict in used(outcome.checked.findings)}
    for kind in dict.fromkeys(kinds):
        if verdict_of(kind) not in needed:
            emit(f"note: --allow {kind} is not needed\n", sys.stderr)
