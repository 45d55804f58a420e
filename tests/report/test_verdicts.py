"""Verdicts, standings and notes: each fact stands in one row, and everything that an output can name is explained."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import gradcli
from gradcli.report.check.words import _WORDS
from gradcli.report.codes import CODES, explanation, words
from gradcli.verdicts import ALLOWED, Facts, Note, NoteKind, Severity, Verdict
from gradcli.wall.wire import packed, unpacked

HOUSE = Path(gradcli.__file__).parent


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_has_a_whole_row(verdict: Verdict) -> None:
    # What passes is explained here, all else by its code.
    assert (verdict.meaning is None) is (verdict.code is not None)
    assert (verdict.code is None) is (verdict.severity is Severity.PASSES)
    assert verdict.code is None or verdict.code in CODES
    assert verdict.facts in _WORDS


def test_no_two_verdicts_share_what_tells_them_apart() -> None:
    codes = [verdict.code for verdict in Verdict if verdict.code is not None]
    assert len(set(codes)) == len(codes)
    assert sorted(verdict.gravity for verdict in Verdict) == list(range(len(Verdict)))
    assert set(_WORDS) == set(Facts)


def test_exceptions_are_verdicts_that_do_not_pass() -> None:
    assert list(ALLOWED)[:3] == ["wrong", "kink", "edge"]
    assert {verdict.severity for verdict in ALLOWED.values()}.isdisjoint({Severity.PASSES, Severity.ENDLESS})


@pytest.mark.parametrize("word", words())
def test_whatever_an_output_can_name_is_explained(word: str) -> None:
    text = explanation(word)
    assert text is not None
    assert text == explanation(word.lower())
    assert max(map(len, text.split("\n"))) <= 80
    assert text.endswith("\n")


def test_verdicts_exceptions_and_notes_are_among_the_words() -> None:
    assert {*Verdict, *ALLOWED, *NoteKind, *CODES} <= set(words())


@pytest.mark.parametrize("kind", NoteKind)
def test_a_kind_of_note_is_made_somewhere(kind: NoteKind) -> None:
    """A row that nothing makes a note of is one too many."""
    made = [path for path in HOUSE.rglob("*.py") if f"NoteKind.{kind.name}" in path.read_text()]
    assert made


def test_no_kind_of_note_is_written_as_text() -> None:
    begins = re.compile(rf"({'|'.join(NoteKind)}): ?")
    found = [
        f"{path.relative_to(HOUSE)}:{node.lineno}"
        for room in ("check", "report", "cli")
        for path in (HOUSE / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and begins.match(node.value)
    ]
    assert found == []


def test_a_note_is_its_parts_and_reads_as_a_line() -> None:
    note = Note(NoteKind.HOOK, "hooks on x change the gradient")
    assert (note.kind, note.text, note.place) == (NoteKind.HOOK, "hooks on x change the gradient", None)
    assert note == "HOOK: hooks on x change the gradient"
    there = unpacked(packed([note], (Note, NoteKind)), (Note, NoteKind))[0]
    assert type(there) is Note
    assert (there, there.kind, there.text) == (note, note.kind, note.text)
