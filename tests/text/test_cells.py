"""Cells: what a text takes on a terminal, and texts cut to fit."""

from __future__ import annotations

from hypothesis import given, strategies as st

from gradcli.text.cells import cells, cut, pad

from ..report.terminal import width

# Terminals disagree about the soft hyphen.
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\xad"))


@given(TEXT, st.integers(0, 20), st.sampled_from(["…", ".."]))
def test_what_is_cut_fits_and_says_so(text: str, room: int, mark: str) -> None:
    assert cells(text) == width(text)
    shown = cut(text, room, mark)
    assert cells(shown) <= room
    assert shown == text if cells(text) <= room else (shown.endswith(mark) or mark.startswith(shown))


def test_wide_characters_take_two_cells() -> None:
    assert cells("名前") == 4
    assert cut("名前は長い", 6) == "名前…"
    assert pad("名前", 6) == "名前  "
    assert cells("e\u0301") == 1
