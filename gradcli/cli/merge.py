"""``gradcli merge``: one report of the parts of a check that ran on several machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report.formats import FORMATS
from .parsing.command import argument, command, option, pass_given, switch
from .parsing.types import PATH, Choice, Read, Whole, proposing, report_of
from .parsing.words import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..report.check.outcome import Missing, Outcome
    from ..report.check.record import Recorded
    from .parsing.command import Given

_LARGEST = 1_000_000_000


@command(
    "merge",
    help="Make one report of the parts of a check, with one exit code.",
    examples=(
        ("gradcli merge part*.json", "records of `check --shard I/N`"),
        ("gradcli merge *.json --format junit", "for machines"),
    ),
)
@argument("words", ("RECORD ...", "Files that `check --report record:FILE` has written."), type=PATH, nargs=-1)
@option(
    "--format", metavar="FORMAT", type=Choice(FORMATS),
    help="What to write, as for check (text).",
)
@option(
    "--report", metavar="FORMAT:PATH", type=Read("FORMAT:PATH, such as junit:report.xml", report_of(FORMATS)),
    multiple=True, shell_complete=proposing(f"{form}:" for form in FORMATS), help="Write another report to a file.",
)
@option("--durations", metavar="N", type=Whole(0, 10**6), help="Tell which N specs took longest (0: all).")
@switch("--exit-zero", help="End with 0 also where a gradient is wrong.")
@pass_given
def merge(given: Given) -> int:
    """Read every part, and report on all of them as one check would."""
    from .checking.reporting import Reporter
    from .target import Target

    if not given.arguments:
        raise given.misuse("there is no RECORD", help="name files that `gradcli check ... --report record:FILE` wrote")
    outcomes, missing = _together([_read(path) for path in given.arguments])
    form = given.get("format", "text")
    reports = [(kind, Target(path, *given.arguments)) for kind, path in given.get("report", ())]
    reporter = Reporter(
        form, reports, count=len(outcomes), colour=given.get("color", "auto"), durations=given.get("durations")
    )
    for outcome in outcomes:
        reporter.add(outcome)
    reporter.finish(missing)
    code = reporter.exit_code("exit_zero" in given.options)
    # What is missing has no verdict.
    return code if code == 1 or not missing.text else max(code, 2)


def _read(path: str) -> Recorded:
    from ..errors import InputError
    from ..report.check.record import Damaged, recorded
    from ..spec.input.disk import open_regular, read_up_to

    file, _ = open_regular(path)
    with file:
        text = read_up_to(file, _LARGEST).decode("utf-8", "replace")
    try:
        return recorded(text)
    except Damaged as error:
        help = "`gradcli check ... --report record:FILE` writes one"
        raise InputError(f"'{path}' {error}", help=help, code="E502") from None


def _together(parts: Sequence[Recorded]) -> tuple[list[Outcome], Missing]:
    """The outcomes of all parts in the order of a check that was never divided, and what none of them has."""
    from ..errors import InputError
    from ..report.check.outcome import Missing

    outcomes = sorted((outcome for part in parts for outcome in part.outcomes), key=lambda outcome: outcome.number)
    names = [outcome.name for outcome in outcomes]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        help = "each part of a check is given once"
        raise InputError(f"{shown(twice)} is in two of these records", help=help, code="E502")
    missing = sum(part.missing.specs for part in parts)
    why = next((part.missing.why for part in parts if part.missing.why), "")
    whole = {outcome.of for outcome in outcomes}
    if len(whole) == 1:
        # All are parts of the same check.
        missing = whole.pop() - len(outcomes)
        why = why or "not all parts of the check are here"
    return outcomes, Missing(missing, why) if missing > 0 else Missing()
