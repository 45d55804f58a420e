"""What findings count as, and what a check ends with."""

from __future__ import annotations

import pytest

from gradcli.check.judging.findings import Options
from gradcli.check.judging.verdict import Verdict
from gradcli.errors import GradcliError
from gradcli.report.check.outcome import (
    Outcome,
    Standing,
    all_notes,
    code_of,
    exit_code,
    reproduce,
    standing,
    tally,
)
from gradcli.report.check.sayings import said
from gradcli.report.codes import CODES
from gradcli.verdicts import Note, NoteKind

from .findings import broken, judged, outcome, refuted, right, wrong

UNDECIDED = ["UNRESOLVED", "WITNESS_CONFLICT", "DOMAIN"]
RIGHT = ["PASS", "PASS_ZERO", "KINK_OK", "EDGE_OK", "SATURATED", "INACCURATE"]


@pytest.mark.parametrize("verdict", Verdict)
def test_each_verdict_counts_as_something(verdict: Verdict) -> None:
    found = judged(verdict)
    state = standing(found, Options())
    assert state == ("right" if verdict in RIGHT else "undecided" if verdict in UNDECIDED else "wrong")
    code = code_of(found, Options())
    if verdict in RIGHT[:4]:
        assert code is None
    else:
        assert code in CODES
    found.allowed = True
    assert standing(found, Options()) == ("right" if verdict in RIGHT else "allowed")


def test_codes_differ() -> None:
    codes = [code_of(judged(verdict), Options()) for verdict in Verdict if verdict not in RIGHT[:4]]
    assert len(set(codes)) == len(codes)


def test_an_infinite_claim_passes_where_the_slope_is() -> None:
    assert standing(judged(Verdict.INFINITE_SLOPE, float("inf")), Options()) is Standing.RIGHT
    assert code_of(judged(Verdict.INFINITE_SLOPE, float("inf")), Options()) is None


def test_strict_and_digits() -> None:
    inaccurate = judged(Verdict.INACCURATE, digits=8.0)
    assert code_of(inaccurate, Options(strict=True)) == "G108"
    assert standing(inaccurate, Options(strict=True)) is Standing.WRONG
    assert code_of(right(digits=8.0), Options(digits=9)) == "G110"
    assert code_of(inaccurate, Options(digits=9)) == "G110"
    assert code_of(inaccurate, Options(digits=8)) == "G108"


GOOD, BAD, UNSURE = outcome(right()), outcome(wrong()), outcome(judged(Verdict.UNRESOLVED))
BUG = GradcliError("a bug")
BUG.exit_code = 3


@pytest.mark.parametrize(
    ("found", "code", "with_exit_zero"),
    [
        ([], 0, 0),
        ([GOOD], 0, 0),
        ([outcome(judged(Verdict.WRONG, allowed=True))], 0, 0),
        ([GOOD, BAD], 1, 0),
        ([refuted()], 1, 0),
        ([UNSURE], 2, 2),
        ([broken()], 2, 2),
        ([broken(), BAD, GOOD], 1, 2),
        ([UNSURE, BAD], 1, 2),
        ([outcome(wrong(), judged(Verdict.DOMAIN))], 1, 2),
        ([outcome(failure=BUG), broken()], 3, 3),
        ([outcome(failure=BUG), BAD], 1, 3),
    ],
)
def test_the_exit_code(found: list[Outcome], code: int, with_exit_zero: int) -> None:
    assert exit_code(found) == code
    assert exit_code(found, exit_zero=True) == with_exit_zero


def test_an_outcome_is_clean_or_not() -> None:
    assert [o.clean for o in (GOOD, BAD, UNSURE, broken(), refuted())] == [True, False, False, False, False]
    assert [o.failed for o in (GOOD, BAD, UNSURE, broken(), refuted())] == [False, True, False, False, True]


def test_the_tally() -> None:
    found = [GOOD, BAD, UNSURE, broken(), refuted(), outcome(judged(Verdict.WRONG, allowed=True))]
    assert tally(found) == (2, 1, 1, 1, 1)
    assert tally(found).text == "2 wrong, 1 right, 1 undecided, 1 allowed, 1 broken"
    assert tally([]).text == "0 wrong, 0 right"


def test_how_to_see_it_again() -> None:
    assert reproduce(GOOD, right()) == "gradcli check cube.py --output out --wrt x"
    again = ("x**2 * y", "y=[1, 2]", "--seed", "3")
    found = reproduce(outcome(name="x**2 * y", again=again), right(order=2, input="fc.weight"))
    assert found == "gradcli check 'x**2 * y' 'y=[1, 2]' --seed 3 --order 2 --output out --wrt fc.weight"


def test_notes_of_a_spec_and_an_exception_are_notes_of_its_findings() -> None:
    noted = outcome(judged(Verdict.KINK_WRONG, allowed=True, notes=[Note(NoteKind.HOOK, "b")]))
    noted.checked.notes.append(Note(NoteKind.ORDER, "d"))
    assert all_notes(noted, noted.checked.findings[0]) == [
        "ALLOWED: KINK_WRONG is a named exception",
        "HOOK: b",
        "ORDER: d",
    ]


def test_what_there_is_to_say() -> None:
    found = [outcome(wrong(), right()), broken(), refuted(), UNSURE]
    assert [(one.code, one.standing.value) for one in said(found)] == [
        ("G101", "wrong"), ("E101", "undecided"), ("E303", "wrong"), ("G111", "undecided"),
    ]  # fmt: skip


def test_the_command_line_knows_what_can_be_allowed() -> None:
    from gradcli.cli import check
    from gradcli.spec.input.directives import ALLOWED

    assert check.ALLOWED == ALLOWED
