"""What goes between processes: all that is given comes back, and no bytes are anything but data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, strategies as st

from gradcli.errors import AssertFailed, GradcliError, Source, Span
from gradcli.wall.wire import Garbled, packed, unpacked


class Colour(StrEnum):
    RED = "red"


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Note:
    kind: Colour
    text: str


RECORDS = (Colour, Pair, Note)
ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**30), 10**30), st.floats(allow_nan=False), st.text(), st.binary(),
    st.just(Colour.RED), st.characters(categories=["Cs"]),
)  # fmt: skip
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner), st.tuples(inner, inner), st.dictionaries(st.text(), inner), st.builds(Pair, inner, inner),
        st.builds(Note, st.just(Colour.RED), st.text()), st.lists(st.floats(allow_nan=False)),
    ),
    max_leaves=30,
)  # fmt: skip


@given(VALUES)
def test_what_is_given_comes_back(value: Any) -> None:
    found = unpacked(packed(value, RECORDS), RECORDS)
    assert found == value
    assert type(found) is type(value)


@given(st.binary())
def test_bytes_of_anybody_are_data_or_nothing(data: bytes) -> None:
    try:
        unpacked(data, RECORDS)
    except Garbled:
        return


@given(VALUES, st.data())
def test_bytes_that_were_changed_are_data_or_nothing(value: Any, data: st.DataObject) -> None:
    good = packed(value, RECORDS)
    at = data.draw(st.integers(0, len(good) - 1))
    try:
        unpacked(good[:at] + data.draw(st.binary(max_size=4)) + good[at + 1 :], RECORDS)
    except Garbled:
        return


def test_numbers_of_numpy_are_numbers() -> None:
    value = [np.float64(0.5), np.float32(0.25), np.int64(3), np.bool_(True), np.ones((2, 2)), math.inf]
    assert unpacked(packed(value)) == [0.5, 0.25, 3, True, [[1.0, 1.0], [1.0, 1.0]], math.inf]
    assert math.isnan(unpacked(packed(math.nan)))


def test_a_set_comes_back() -> None:
    assert unpacked(packed(frozenset([Colour.RED]), RECORDS), RECORDS) == frozenset([Colour.RED])


def test_a_text_is_written_once() -> None:
    source = Source("net.py", "x" * 10_000)
    spans = [Span(source, n, 0, n, 1) for n in range(100)]
    data = packed(spans)
    assert len(data) < 20_000
    assert unpacked(data) == spans


def test_an_error_comes_back_as_one_of_its_base() -> None:
    span = Span(Source("net.py", "x = 1"), 1, 0, 1, 1)
    error = AssertFailed("no", span=span, help="do", notes=("a", "b"))
    found = unpacked(packed(error))
    assert type(found) is GradcliError
    kept = (found.message, found.span, found.help, found.code, found.notes, found.exit_code)
    assert kept == ("no", span, "do", "E303", ("a", "b"), 1)


class Lying(GradcliError):
    """An error that would be more than one of ours."""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("exit_code", 0), ("exit_code", 7), ("exit_code", "2"), ("code", "\x1b[31m"), ("code", "E1"), ("message", 3),
        ("help", ["x"]), ("notes", (3,)), ("span", "net.py:1"), ("span", Span(Source("a", "b"), 1, 0, 1, None)),  # type: ignore[arg-type]
        ("span", Span(("a", "b"), 1, 0, 1, 1)),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_an_error_that_is_none_of_ours_is_garbled(name: str, value: Any) -> None:
    error = Lying("no")
    setattr(error, name, value)
    with pytest.raises(Garbled):
        unpacked(packed(error))


@pytest.mark.parametrize("value", [object(), print, {1: object()}, [Pair(1, open)]])
def test_what_is_no_data_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="is no plain data"):
        packed(value, RECORDS)


def test_what_is_nested_too_deeply_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100):
        value = [value]
    with pytest.raises(Garbled, match="nested too deeply"):
        unpacked(packed(value))


def test_an_enumeration_has_only_its_members() -> None:
    data = packed(Colour.RED, RECORDS).replace(b"red", b"rod")
    with pytest.raises(Garbled):
        unpacked(data, RECORDS)
