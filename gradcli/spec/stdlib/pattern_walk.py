"""The walk of a regular expression through a text: each of its steps is one of the program's.

Python's own matcher may go back and forth for ever, and nobody can interrupt it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import SpecError
from ..guard.size_limits import caps

if TYPE_CHECKING:
    from .patterns import Pattern

# From a place in the text to where the match ends, or None.
Step = Callable[[int], "int | None"]
Test = Callable[[str], bool]
Spans = list["tuple[int, int] | None"]

FLAGS = {
    name: int(re.RegexFlag[name])
    for name in ("A", "ASCII", "DOTALL", "I", "IGNORECASE", "M", "MULTILINE", "S", "U", "UNICODE", "VERBOSE", "X")
}
_CATEGORIES: dict[str, Test] = {
    "DIGIT": str.isdecimal,
    "SPACE": str.isspace,
    "WORD": lambda c: c.isalnum() or c == "_",
}
_ONE = ("LITERAL", "NOT_LITERAL", "IN", "ANY", "RANGE", "CATEGORY")


class WrongPattern(Exception):
    """A pattern that cannot be read."""


class Walk:
    """A match on its way through one text."""

    def __init__(self, pattern: Pattern, text: str, end: int) -> None:
        self.text, self.end = text, end
        self.starts: list[int] = [0] * (pattern.groups + 1)
        self.spans: Spans = [None] * (pattern.groups + 1)
        self.whole = False
        # Where the match begins, and whether it has to hold something.
        self.start, self.moving = 0, False
        self.first: Test | None = None
        self.begin = self.sequence(list(pattern.tree), self.last, pattern.flags)
        if pattern.tree and str(pattern.tree[0][0]) in _ONE:
            self.first = self.one(pattern.tree[0], pattern.flags)

    def last(self, i: int) -> int | None:
        """The end of the pattern."""
        return None if (self.whole and i != self.end) or (self.moving and i == self.start) else i

    def at(self, start: int, moving: bool = False) -> Spans | None:
        """The groups of a match that begins at a place."""
        self.start, self.moving = start, moving
        self.spans = [None] * len(self.spans)
        end = self.begin(start)
        if end is None:
            return None
        self.spans[0] = (start, end)
        return list(self.spans)

    def search(self, start: int, moving: bool = False) -> Spans | None:
        """The first match from a place on."""
        for place in range(start, self.end + 1):
            if not place & 15:
                caps.tick(1)
            if self.first is not None and (place >= self.end or not self.first(self.text[place])):
                continue
            found = self.at(place, moving and place == start)
            if found is not None:
                return found
        return None

    # -- parts of a pattern ----------------------------------------------------------------------

    def sequence(self, items: list[Any], then: Step, flags: int) -> Step:
        """Parts one after the other."""
        for number, item in enumerate(reversed(items), 1):
            then = self.part(item, then, flags)
            if not number & 15:
                then = _stepping(then)
        return then

    def part(self, item: Any, then: Step, flags: int) -> Step:
        """One part, and what comes after it."""
        kind, value = str(item[0]), item[1]
        if kind in _ONE:
            test = self.one(item, flags)

            def single(i: int) -> int | None:
                return then(i + 1) if i < self.end and test(self.text[i]) else None

            return single
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return self.repeat(kind, value, then, flags)
        if kind == "SUBPATTERN":
            return self.group(value, then, flags)
        if kind == "BRANCH":
            return self.branch([self.sequence(list(way), then, flags) for way in value[1]])
        if kind == "ATOMIC_GROUP":
            return self.atomic(self.sequence(list(value), _stay, flags), then)
        if kind == "AT":
            return self.place(str(value), then, flags)
        if kind == "GROUPREF":
            return self.again(value, then, flags)
        if kind in ("ASSERT", "ASSERT_NOT"):
            return self.look(kind == "ASSERT", value[0], value[1], then, flags)
        if kind == "GROUPREF_EXISTS":
            number, yes, no = value
            there = self.sequence(list(yes), then, flags)
            absent = self.sequence(list(no or ()), then, flags)
            return lambda i: (there if self.spans[number] is not None else absent)(i)
        raise SpecError(f"patterns with {kind.lower()} are not in the spec language", help="write it in another way")

    def branch(self, ways: list[Step]) -> Step:
        """The first of several ways that leads to a match."""

        def run(i: int) -> int | None:
            caps.tick(1)
            for way in ways:
                found = way(i)
                if found is not None:
                    return found
            return None

        return run

    def atomic(self, inner: Step, then: Step) -> Step:
        """Code for a part that is not tried in another way once it has matched."""

        def run(i: int) -> int | None:
            caps.tick(1)
            before = list(self.spans)
            end = inner(i)
            found = None if end is None else then(end)
            if found is None:
                self.spans[:] = before
            return found

        return run

    def group(self, value: Any, then: Step, flags: int) -> Step:
        """A group, which is kept when it has a number."""
        number, more, less, items = value
        inner_flags = (flags | more) & ~less
        if number is None:
            return self.sequence(list(items), then, inner_flags)

        def close(i: int) -> int | None:
            before = self.spans[number]
            self.spans[number] = (self.starts[number], i)
            found = then(i)
            if found is None:
                self.spans[number] = before
            return found

        inner = self.sequence(list(items), close, inner_flags)

        def enter(i: int) -> int | None:
            before = self.starts[number]
            self.starts[number] = i
            found = inner(i)
            if found is None:
                self.starts[number] = before
            return found

        return enter

    def repeat(self, kind: str, value: Any, then: Step, flags: int) -> Step:
        """A part several times: as often, or as seldom, as leads to a match."""
        least, most, items = int(value[0]), int(value[1]), list(value[2])
        if kind == "POSSESSIVE_REPEAT":
            return self.atomic(self.repeat("MAX_REPEAT", value, _stay, flags), then)
        greedy = kind == "MAX_REPEAT"
        if len(items) == 1 and str(items[0][0]) in _ONE:
            return self.run_of(self.one(items[0], flags), least, most, greedy, then)
        # How often it was repeated so far, and where the last time began.
        count, begun = 0, -1

        def leave(i: int) -> int | None:
            nonlocal count, begun
            before = count, begun
            found = then(i)
            if found is None:
                count, begun = before
            return found

        def more(i: int) -> int | None:
            nonlocal count, begun
            before = count, begun
            if count >= most or (count >= least and i == begun):
                return None
            # As Python has it: only the times that need not be are held against doing nothing.
            count, begun = count + 1, i if count >= least else begun
            found = body(i)
            if found is None:
                count, begun = before
            return found

        def step(i: int) -> int | None:
            caps.tick(1)
            if count < least:
                return more(i)
            found = more(i) if greedy else leave(i)
            return found if found is not None else (leave(i) if greedy else more(i))

        body = self.sequence(items, step, flags)

        def enter(i: int) -> int | None:
            nonlocal count, begun
            before = count, begun
            count, begun = 0, -1
            found = step(i)
            if found is None:
                count, begun = before
            return found

        return enter

    def run_of(self, test: Test, least: int, most: int, greedy: bool, then: Step) -> Step:
        """A run of characters of one kind."""

        def run(i: int) -> int | None:
            text, last = self.text, min(self.end, i + most)
            end = i
            if not greedy:
                while True:
                    caps.tick(1)
                    found = then(end) if end - i >= least else None
                    if found is not None or end >= last or not test(text[end]):
                        return found
                    end += 1
            while end < last and test(text[end]):
                end += 1
            caps.tick(1 + (end - i >> 4))
            while end - i >= least:
                found = then(end)
                if found is not None:
                    return found
                caps.tick(1)
                end -= 1
            return None

        return run

    def place(self, kind: str, then: Step, flags: int) -> Step:
        """A place in the text: its beginning or end, or where a word begins or ends."""
        lines, is_word = flags & FLAGS["M"], _category("WORD", flags)

        def here(i: int) -> bool:
            text, end = self.text, self.end
            if kind == "AT_BEGINNING":
                return i == 0 or bool(lines and text[i - 1] == "\n")
            if kind == "AT_BEGINNING_STRING":
                return i == 0
            if kind == "AT_END":
                return i == end or (text[i] == "\n" and (i + 1 == end or bool(lines)))
            if kind == "AT_END_STRING":
                return i == end
            edge = (i > 0 and is_word(text[i - 1])) is not (i < end and is_word(text[i]))
            return edge is (kind == "AT_BOUNDARY")

        return lambda i: then(i) if here(i) else None

    def again(self, number: int, then: Step, flags: int) -> Step:
        """Code for the text that a group has matched, once more."""

        def run(i: int) -> int | None:
            span = self.spans[number]
            if span is None:
                return None
            size = span[1] - span[0]
            caps.tick(1 + (size >> 4))
            a, b = self.text[span[0] : span[1]], self.text[i : min(i + size, self.end)]
            same = a.lower() == b.lower() if flags & FLAGS["I"] else a == b
            return then(i + size) if same else None

        return run

    def look(self, wanted: bool, direction: int, items: Any, then: Step, flags: int) -> Step:
        """Code for a part that has to stand before or behind a place, or must not."""
        inner = self.sequence(list(items), _stay, flags)
        width, most = items.getwidth() if direction < 0 else (0, 0)
        if width != most:
            raise WrongPattern("look-behind requires fixed-width pattern")

        def run(i: int) -> int | None:
            caps.tick(1)
            before = list(self.spans)
            there = i - width >= 0 and inner(i - width) is not None
            found = then(i) if there is wanted else None
            if found is None or not wanted:
                self.spans[:] = before if found is None else self.spans
            return found

        return run

    # -- characters ------------------------------------------------------------------------------

    def one(self, item: Any, flags: int) -> Test:
        """A part that is one character: what it may be."""
        test = _test_of(item, flags)
        known: dict[str, bool] = {}

        def remembered(c: str) -> bool:
            found = known.get(c)
            if found is None:
                found = known[c] = test(c)
            return found

        return remembered


def _stay(i: int) -> int:
    return i


def _stepping(then: Step) -> Step:
    """Go on with the rest of a pattern, as a step of the program's: long patterns have some on their way."""

    def run(i: int) -> int | None:
        caps.tick(1)
        return then(i)

    return run


def _category(name: str, flags: int) -> Test:
    test = _CATEGORIES[name]
    return (lambda c: c.isascii() and test(c)) if flags & FLAGS["A"] else test


def _test_of(item: Any, flags: int) -> Test:
    kind, value = str(item[0]), item[1]
    if kind == "ANY":
        return lambda c: bool(flags & FLAGS["S"]) or c != "\n"
    if kind == "CATEGORY":
        name = str(value).removeprefix("CATEGORY_")
        test = _category(name.removeprefix("NOT_"), flags)
        return (lambda c: not test(c)) if name.startswith("NOT_") else test
    if kind == "IN":
        negated = str(value[0][0]) == "NEGATE"
        tests = [_test_of(part, flags) for part in value[negated:]]
        return lambda c: any(test(c) for test in tests) is not negated
    first, last = (value, value) if kind != "RANGE" else value

    def among(c: str) -> bool:
        forms = {c, c.lower(), c.upper()} if flags & FLAGS["I"] else {c}
        return any(len(form) == 1 and first <= ord(form) <= last for form in forms)

    return (lambda c: not among(c)) if kind == "NOT_LITERAL" else among
