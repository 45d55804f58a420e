"""What a check has found, as people read it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradcli.check.judging.findings import Options
from gradcli.check.judging.verdict import Verdict
from gradcli.errors import Source, Span
from gradcli.report.check import document
from gradcli.report.check.numbers import bar_of, digits_of, known, many, number, pair, point, ratio, whole
from gradcli.report.check.tables import strip
from gradcli.report.check.text import Look, closing, spec_lines
from gradcli.report.console import painted
from gradcli.text.parts import plain, written
from gradcli.verdicts import Note, NoteKind

from .findings import APPLIED, broken, entry, judged, outcome, refuted, right, wrong
from .terminal import acts, bare, commands_ci, width

WRONG = """\
cube.py:9:9: G101 wrong gradient: out with respect to x (3 of 3 entries)
   |
 9 |         return grad_output * 2 * ctx.saved_tensors[0]
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Cube.backward, applied at line 12
   |
   = worst at x[2] = 2.0: claimed 4, true 12 ± 3e-13 (complex step 12.000000000000000), 2.7e13 error bars away
     index   x     claimed   true   ratio
     [2]     2.0   4         12     0.333
     [1]    -1.2  -2.4       4.32  -0.556
     [0]     0.5   1         0.75   1.333
   = reproduce: gradcli check cube.py --output out --wrt x
   = help: gradcli explain G101"""

NARROW = """\
cube.py:9:9: G101 wrong gradient: out
    with respect to x (3 of 3 entries)
   |
 9 |         return grad_output * 2 * c…
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^
   | Cube.backward, applied at line 12
   |
   = worst at x[2] = 2.0: claimed 4,
     true 12 ± 3e-13 (complex step
     12.000000000000000), 2.7e13 error
     bars away
     index   x     claimed   true
     [2]     2.0   4         12
     [1]    -1.2  -2.4       4.32
     [0]     0.5   1         0.75
   = reproduce: gradcli check cube.py
     --output out --wrt x
   = help: gradcli explain G101"""


def shown(*findings: object, look: Look = Look(), **more: object) -> str:  # noqa: B008
    return written(spec_lines(outcome(*findings, **more), look)).removesuffix("\n")  # type: ignore[arg-type]


def test_a_wrong_gradient_to_the_letter() -> None:
    assert shown(wrong()) == WRONG


def test_a_narrow_terminal() -> None:
    assert shown(wrong(), look=Look(40)) == NARROW


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_lines_fit(columns: int) -> None:
    found = wrong(
        signature="claim = 2/3 x truth", notes=[Note(NoteKind.BRANCH_UNCOVERED, "relu at line 3 was only seen above 0")]
    )
    lines = shown(found, right(curve=[(0.1, 1e-3), (0.2, 1e-2)]), look=Look(columns, detail=2)).split("\n")
    assert max(map(width, lines)) <= max(columns, 22)


def test_colour_changes_nothing_but_colour() -> None:
    lines = spec_lines(outcome(wrong(notes=[Note(NoteKind.HOOK, "y")])), Look())
    assert "\x1b[1;31mG101\x1b[0m" in painted(lines)
    assert bare(painted(lines)) == written(lines)


def test_ascii() -> None:
    text = shown(wrong(), look=Look(60, ascii=True, detail=2))
    assert text.isascii()
    assert "12 +- 3e-13" in text


def test_a_pass_is_one_line() -> None:
    findings = [right(digits=13.9), right(digits=11.2, order=2), right(digits=None)]
    assert shown(*findings, name="mlp.py") == "mlp.py: right: 1 input (3 numbers), orders 1 to 2, 11 digits"
    assert shown(right(), name="x*y") == "x*y: right: 1 input (3 numbers), order 1, 13 digits"


def test_notes_of_a_pass_stay_visible() -> None:
    special = Note(NoteKind.DEGENERATE_POINT, "x is 0")
    noted = outcome(right(notes=[special]), right(notes=[special]))
    noted.checked.notes.append(Note(NoteKind.UNUSED_ALLOW, "`allow kink` at line 1 is not needed"))
    assert written(spec_lines(noted, Look())[1:]) == (
        "   = note: DEGENERATE_POINT: x is 0\n   = note: UNUSED_ALLOW: `allow kink` at line 1 is not needed\n"
    )


def test_an_exception_stays_visible() -> None:
    first, *_, last = shown(judged(Verdict.HIDDEN_PATH, allowed=True, span=APPLIED)).split("\n")
    assert first == "cube.py:12:7: G106 a path around the graph: out with respect to x (allowed)"
    assert last == "cube.py: right: 1 input (3 numbers), order 1, 1 allowed"


def test_what_is_tolerated_is_told() -> None:
    text = shown(judged(Verdict.INACCURATE, 1.0, 1.00000001, 1e-15))
    assert text.startswith("cube.py: G108 an inaccurate gradient: out with respect to x (--strict refuses it)\n")
    assert "claimed 1, true 1.00000001 ± 1e-15" in text
    assert "off by 1e-8 of it" in text
    strict = shown(judged(Verdict.INACCURATE, 1.0, 1.00000001, 1e-15), options=Options(strict=True))
    assert "refuses" not in strict
    assert "right" not in strict


FACTS = [
    (Verdict.KINK_WRONG, {"left": -1.0, "right": 1.0}, "claimed 1, the slope is -1 on the left and 1 on the right"),
    (Verdict.EDGE_WRONG, {"right": 2.0}, "claimed 1, true 2 ± 1e-9 from the right, where the function exists"),
    (Verdict.EDGE_WRONG, {"left": 2.0}, "claimed 1, true 2 ± 1e-9 from the left, where the function exists"),
    (Verdict.DISCONTINUITY, {}, "claimed 1, and the values on the two sides do not meet"),
    (Verdict.INFINITE_SLOPE, {}, "claimed 1, and the slope grows without end as the step gets smaller"),
    (Verdict.HIDDEN_PATH, {}, "claimed 1, but the program has 2 ± 1e-9"),
    (Verdict.UNRESOLVED, {"bar": 3.14}, "claimed 1, measured 2 ± 3.1"),
    (Verdict.WITNESS_CONFLICT, {"witness": 3.0},
     "claimed 1, finite differences say 2 ± 1e-9, complex step says 3.0000000000000000"),
    (Verdict.DOMAIN, {"estimate": float("nan")}, "claimed 1, measured nan"),
    (Verdict.NONDETERMINISTIC, {}, "claimed 1, true 2 ± 1e-9, 1e9 error bars away"),
]  # fmt: skip


@pytest.mark.parametrize(("verdict", "facts", "words"), FACTS)
def test_each_verdict_has_words_for_its_facts(verdict: Verdict, facts: dict[str, float], words: str) -> None:
    lines = shown(judged(verdict, **facts, note="because")).split("\n")
    assert lines[1] == f"   = at x = 0.5: {words}"
    assert lines[2] == "   = because"


def test_digits_that_were_asked_for() -> None:
    found = judged(Verdict.PASS, 1.0, 1.0, 1e-9)
    found.digits = 8.4
    first, second, *_ = shown(found, options=Options(digits=12)).split("\n")
    assert first == "cube.py: G110 fewer verified digits than were asked for: out with respect to x"
    assert second == "   = at x = 0.5: claimed 1, true 1 ± 1e-9, 8.4 digits verified, 12 asked for"


def test_an_output_of_many_numbers() -> None:
    several = [replace(entry(0, 1.0, 2.0, 3.0), output_index=(1, 2))] * 2
    text = shown(wrong(table=several, worst=several[0]))
    assert "worst at x[0] = 1.0 of out[1, 2]: claimed 2, true 3 ± 3e-13" in text
    assert "     index   of       x     claimed   true   ratio\n     [0]     [1, 2]   1.0   2" in text


def test_a_kink_in_a_table() -> None:
    slopes = entry(0, 0.0, 2.0, float("nan"), left=-1.0, right=1.0, verdict=Verdict.KINK_WRONG)
    assert "[0]     0.0   2        -1 or 1   -" in shown(wrong(table=[slopes, slopes], worst=slopes))


def test_more_with_v() -> None:
    curve = [(10.0**-k, 10.0 ** -min(k, 20 - k)) for k in range(1, 18)]
    rows = [[1.0, 2.0], [3.0, -4.5]]
    findings = [right(), right(order=2, curve=curve, jacobian=(rows, rows))]
    assert shown(*findings, look=Look(detail=1)).split("\n")[1:] == [
        "  out / x  order 1  PASS  13 digits  3 entries",
        "  out / x  order 2  PASS  13 digits  3 entries",
        "    error by step, 1e-17 to 0.1: ▆▆▅▄▃▃▂▁▂▃▃▄▅▆▆▇█ (1e-10 to 0.1)",
    ]
    assert shown(*findings, look=Look(detail=2, ascii=True)).split("\n")[3:] == [
        "    error by step, 1e-17 to 0.1: **+~--._.--~+**%@ (1e-10 to 0.1)",
        "    claimed", "        1   2", "        3  -4.5",
        "    true", "        1   2", "        3  -4.5",
    ]  # fmt: skip


def test_a_large_jacobian_says_what_is_not_shown() -> None:
    rows = [[1.0] * 30] * 40
    lines = shown(right(jacobian=(rows, rows)), look=Look(detail=2)).split("\n")
    assert "      (the first 24 rows and 24 columns of 40 x 30)" in lines
    assert "      (empty)" in shown(right(jacobian=([], [])), look=Look(detail=2))


@pytest.mark.parametrize(
    "curve", [[(0.1, 0.0)], [(0.1, float("nan"))], [(0.1, 1e-3)], [(i + 1.0, i) for i in range(99)]]
)
def test_a_strip_of_anything(curve: list[tuple[float, float]]) -> None:
    assert len(strip(curve, True)) < 100
    assert strip(curve, True).startswith("error by step")


def test_the_count() -> None:
    found = [outcome(wrong(), right()), broken(), refuted(), outcome(judged(Verdict.DOMAIN))]
    assert plain(closing(found, 0.0712)) == "2 wrong, 1 right, 1 undecided, 1 broken in 0.07 s"
    assert painted([closing([outcome(right())], None)]) == "\x1b[1;32m0 wrong, 1 right\x1b[0m\n"


def test_a_report_in_a_file_has_the_errors_of_specs_too() -> None:
    text = document("text", [outcome(wrong()), broken(), refuted()])
    assert text.startswith(WRONG + "\nbad.py:1:5: error[E101]: invalid syntax\n")
    assert text.endswith("2 wrong, 0 right, 1 broken\n")


def test_nothing_that_a_spec_says_acts() -> None:
    evil = "::error::\x1b[31m\u202e##[group]\n::warning::x\x00\udcff"
    source = Source(evil, f"{evil}\n")
    found = wrong(span=Span(source, 1, 0, 1, 9), signature=evil, notes=[Note(NoteKind.HOOK, evil)])
    found.output = found.input = evil
    for look in (Look(), Look(40), Look(detail=2), Look(ascii=True, detail=2)):
        text = shown(found, right(output=evil, input=evil), name=evil, look=look)
        assert not any(acts(c) for c in text if c != "\n"), look
        assert not any(map(commands_ci, text.split("\n"))), look


def test_numbers() -> None:
    assert [number(x) for x in (1.0, -2.4, 1e20, float("nan"), float("-inf"), 1 / 3)] == [
        "1", "-2.4", "1e20", "nan", "-inf", "0.333333",
    ]  # fmt: skip
    assert [point(x) for x in (2.0, -1.2, 1e-7, 3e30)] == ["2.0", "-1.2", "1e-7", "3e30"]
    assert known(0.5403023058681398, 2e-15) == "0.54030230586814"
    assert known(12.00000000000002, 3e-13) == "12"
    assert (known(5.0, 0.0), known(0.0, 1.0), known(3.0, 1e9)) == ("5", "0", "3")
    assert (whole(12.0), whole(float("inf"))) == ("12.000000000000000", "inf")
    assert (bar_of(3.4e-13), digits_of(12.99), digits_of(-1.0)) == ("3e-13", "12", "0")
    assert [many(x) for x in (1.23456, 12.3, 12000.0, 2.6e13, float("inf"))] == [
        "1.2", "12", "12,000", "2.6e13", "infinitely many",
    ]  # fmt: skip
    assert [ratio(*p) for p in ((4, 12), (1, 0), (1e9, 1), (0, 2))] == ["0.333", "-", "1e9", "0.000"]


def test_a_claim_and_an_estimate_are_told_apart() -> None:
    assert pair(1.0, 1.00000001) == ("1", "1.00000001")
    assert pair(2.0, 3.0) == ("2", "3")
    assert pair(0.1 + 0.2, 0.3) == ("0.30000000000000004", "0.29999999999999999")
    assert pair(2.0, 2.0, 1e-3) == ("2", "2")


def test_digits_where_nothing_is_worst() -> None:
    assert "   = 13.2 digits verified, 15 asked for\n" in shown(right(), options=Options(digits=15))
