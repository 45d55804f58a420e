"""Regular expressions, matched by a walk of our own: each of its steps is one of the program's.

Python's own matcher may go back and forth for ever, and nobody can interrupt it. Its parser reads the pattern.
"""

from __future__ import annotations

import re as _re
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import SpecError
from ..guard.size_limits import caps, fits, whole
from ..values.sealed_classes import Given, known_as, sealed
from ..values.show import representation
from ..values.tables.table import attributes, declare, own_methods
from ..values.visible_types import word
from .iteration import Generator

Table = dict[str, Any]
# From a place in the text to where the match ends, or None.
Step = Callable[[int], "int | None"]
Test = Callable[[str], bool]
Spans = list["tuple[int, int] | None"]

_parser: Any = _re._parser  # type: ignore[attr-defined]
_FLAGS = {
    name: int(_re.RegexFlag[name])
    for name in ("A", "ASCII", "DOTALL", "I", "IGNORECASE", "M", "MULTILINE", "S", "U", "UNICODE", "VERBOSE", "X")
}
_LONGEST = 10_000
_CATEGORIES: dict[str, Test] = {
    "DIGIT": str.isdecimal,
    "SPACE": str.isspace,
    "WORD": lambda c: c.isalnum() or c == "_",
}
_ONE = ("LITERAL", "NOT_LITERAL", "IN", "ANY", "RANGE", "CATEGORY")


class WrongPattern(Exception):
    """A pattern that cannot be read."""


class _Walk:
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
        lines, is_word = flags & _FLAGS["M"], _category("WORD", flags)

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
            same = a.lower() == b.lower() if flags & _FLAGS["I"] else a == b
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
    return (lambda c: c.isascii() and test(c)) if flags & _FLAGS["A"] else test


def _test_of(item: Any, flags: int) -> Test:
    kind, value = str(item[0]), item[1]
    if kind == "ANY":
        return lambda c: bool(flags & _FLAGS["S"]) or c != "\n"
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
        forms = {c, c.lower(), c.upper()} if flags & _FLAGS["I"] else {c}
        return any(len(form) == 1 and first <= ord(form) <= last for form in forms)

    return (lambda c: not among(c)) if kind == "NOT_LITERAL" else among


# -- what a program holds ------------------------------------------------------------------------


class Match(Given):
    """A match: its groups."""

    __slots__ = ("re", "spans", "string")

    def __init__(self, re: Pattern, string: str, spans: Spans) -> None:
        self.re, self.string, self.spans = re, string, spans

    def place(self, group: Any) -> tuple[int, int]:
        """Where a group is, by its number or its name."""
        number = self.re.names.get(group, -1) if isinstance(group, str) else whole(group)
        if not 0 <= number < len(self.spans):
            raise IndexError("no such group")
        return self.spans[number] or (-1, -1)

    def text(self, group: Any) -> str | None:
        """The text that a group has matched."""
        start, end = self.place(group)
        return None if start < 0 else self.string[start:end]

    def group(self, *groups: Any) -> Any:
        """The texts that groups have matched."""
        found = [self.text(g) for g in groups or (0,)]
        return found[0] if len(found) == 1 else tuple(found)

    def groups(self, default: Any = None) -> tuple[Any, ...]:
        """The texts that all groups have matched."""
        found = [self.text(g) for g in range(1, len(self.spans))]
        return tuple([default if t is None else t for t in found])

    def groupdict(self, default: Any = None) -> dict[str, Any]:
        """The texts that the groups with names have matched."""
        return {name: default if (t := self.text(n)) is None else t for name, n in self.re.names.items()}

    def start(self, group: Any = 0) -> int:
        """Where a group begins."""
        return self.place(group)[0]

    def end(self, group: Any = 0) -> int:
        """Where a group ends."""
        return self.place(group)[1]

    def span(self, group: Any = 0) -> tuple[int, int]:
        """Where a group begins and ends."""
        return self.place(group)

    def expand(self, template: Any) -> str:
        """The template of sub(), filled with the groups."""
        return self.re.filling(template)(self)

    @property
    def lastindex(self) -> int | None:
        """The group that was closed last."""
        ends = [(span[1], -n, n) for n, span in enumerate(self.spans) if n and span is not None]
        return max(ends)[2] if ends else None

    @property
    def lastgroup(self) -> str | None:
        """The name of the group that was closed last."""
        last = self.lastindex
        return next((name for name, number in self.re.names.items() if number == last), None)

    def __getitem__(self, group: Any) -> str | None:
        return self.text(group)

    def __repr__(self) -> str:
        return f"<re.Match object; span={self.span()}, match={self.text(0)!r}>"


class Pattern(Given):
    """A pattern that was read."""

    __slots__ = ("flags", "groups", "names", "pattern", "tree")

    def __init__(self, pattern: str, flags: int) -> None:
        if len(pattern) > _LONGEST:
            fits(len(pattern) * caps.limits.sequence, "str")
        caps.tick(len(pattern))
        self.pattern = pattern
        try:
            self.tree = _parser.parse(pattern, flags)
        except _re.error as error:
            raise WrongPattern(str(error)) from None
        self.flags = self.tree.state.flags
        self.groups = self.tree.state.groups - 1
        self.names: dict[str, int] = dict(self.tree.state.groupdict)
        # What cannot be matched is refused at once.
        _Walk(self, "", 0)

    def walk(self, string: Any, pos: Any = 0, endpos: Any = None) -> tuple[_Walk, int]:
        """Return the search that goes through a text, and the place where it begins."""
        if not isinstance(string, str):
            raise TypeError(f"expected string or bytes-like object, got '{word(string)}'")
        # All of the pattern is gone through before the text is.
        caps.tick(1 + (len(self.pattern) >> 2))
        end = len(string) if endpos is None else max(0, min(whole(endpos), len(string)))
        return _Walk(self, string, end), max(0, min(whole(pos), end))

    def match(self, string: Any, pos: Any = 0, endpos: Any = None) -> Any:
        """A match at the beginning."""
        walk, start = self.walk(string, pos, endpos)
        return self._made(string, walk.at(start))

    def fullmatch(self, string: Any, pos: Any = 0, endpos: Any = None) -> Any:
        """A match of all of the text."""
        walk, start = self.walk(string, pos, endpos)
        walk.whole = True
        return self._made(string, walk.at(start))

    def search(self, string: Any, pos: Any = 0, endpos: Any = None) -> Any:
        """The first match."""
        walk, start = self.walk(string, pos, endpos)
        return self._made(string, walk.search(start))

    def _made(self, string: str, spans: Spans | None) -> Match | None:
        return None if spans is None else Match(self, string, spans)

    def each(self, string: Any, pos: Any = 0, endpos: Any = None) -> Iterator[Match]:
        """All matches, one after the other."""
        walk, at = self.walk(string, pos, endpos)
        moving = False
        while at <= walk.end:
            spans = walk.search(at, moving)
            if spans is None or spans[0] is None:
                return
            caps.tick(1)
            yield Match(self, string, spans)
            moving = spans[0][0] == spans[0][1]
            at = spans[0][1]

    def finditer(self, string: Any, pos: Any = 0, endpos: Any = None) -> Any:
        """All matches, in an iterator."""
        return Generator(self.each(string, pos, endpos), "finditer")

    def findall(self, string: Any, pos: Any = 0, endpos: Any = None) -> list[Any]:
        """The texts of all matches: of their groups, where there are any."""
        found = []
        for match in self.each(string, pos, endpos):
            groups = match.groups("")
            found.append(match.text(0) if not groups else groups[0] if len(groups) == 1 else groups)
            fits(len(found), "list")
        return found

    def split(self, string: Any, maxsplit: Any = 0) -> list[Any]:
        """The text between the matches, and the groups of those."""
        found: list[Any] = []
        at = 0
        for count, match in enumerate(self.each(string)):
            if maxsplit and count >= whole(maxsplit):
                break
            found += [string[at : match.start()], *match.groups()]
            fits(len(found), "list")
            at = match.end()
        return [*found, string[at:]]

    def subn(self, repl: Any, string: Any, count: Any = 0) -> tuple[str, int]:
        """The text with something else in place of each match, and how many those are."""
        pieces: list[str] = []
        at = size = times = 0
        fill = self.filling(repl)
        for match in self.each(string):
            if count and times >= whole(count):
                break
            times += 1
            new = fill(match)
            pieces += [string[at : match.start()], new]
            size += len(pieces[-1]) + len(pieces[-2])
            fits(size, "str")
            at = match.end()
        return "".join([*pieces, string[at:]]), times

    def sub(self, repl: Any, string: Any, count: Any = 0) -> str:
        """The text with something else in place of each match."""
        return self.subn(repl, string, count)[0]

    def filling(self, repl: Any) -> Callable[[Match], str]:
        """The function that gives what is put in place of a match: the program's own, or a template with its groups."""
        if not isinstance(repl, str):
            call = caps.guarded(repl)

            def called(match: Match) -> str:
                made = call(match)
                if not isinstance(made, str):
                    raise TypeError(f"expected str instance, {word(made)} found")
                return made

            return called
        if "\\" not in repl:
            return lambda match: repl
        parts = list(_template(repl))

        def filled(match: Match) -> str:
            caps.tick(1 + (len(parts) >> 2))
            pieces = [p if isinstance(p, str) else match.text(p[0]) or "" for p in parts]
            fits(sum(map(len, pieces)), "str")
            return "".join(pieces)

        return filled

    def __repr__(self) -> str:
        names = ("IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII")
        flags = [name for name in names if self.flags & _FLAGS[name]]
        also = f", {'|'.join(f're.{name}' for name in flags)}" if flags else ""
        return f"re.compile({representation(self.pattern)}{also})"


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def _template(text: str) -> Iterator[str | tuple[Any]]:
    """The pieces of what is put in place of a match: texts, and in tuples the groups."""
    at = 0
    while at < len(text):
        c = text[at]
        at += 1
        if c != "\\" or at >= len(text):
            yield c
            continue
        c = text[at]
        at += 1
        if c == "g" and text[at : at + 1] == "<":
            name, _, _ = text[at + 1 :].partition(">")
            at += len(name) + 2
            yield (int(name) if name.isdecimal() else name,)
        elif c.isdecimal() and c != "0":
            digits = c + (text[at] if text[at : at + 1].isdecimal() else "")
            at += len(digits) - 1
            yield (int(digits),)
        elif c in _ESCAPES:
            yield _ESCAPES[c]
        elif c.isalpha():
            raise WrongPattern(f"bad escape \\{c} at position {at - 2}")
        else:
            yield "\\" + c


for _class, _name in ((Match, "Match"), (Pattern, "Pattern"), (WrongPattern, "PatternError")):
    known_as(_class, _name, "re")
declare(
    Match,
    base=object,
    methods=own_methods(Match, "expand group groups groupdict start end span"),
    fields=attributes("string re lastindex lastgroup"),
)
declare(
    Pattern,
    base=object,
    methods=own_methods(Pattern, "match fullmatch search finditer findall split subn sub"),
    fields={**attributes("pattern flags groups"), "groupindex": lambda p: dict(p.names)},
)


def _compiled(pattern: Any, flags: Any = 0) -> Pattern:
    if isinstance(pattern, Pattern):
        return pattern
    if not isinstance(pattern, str):
        raise TypeError("first argument must be string or compiled pattern")
    return Pattern(pattern, whole(flags))


def _escaped(pattern: Any) -> str:
    if not isinstance(pattern, str):
        raise TypeError(f"expected string or bytes-like object, got '{word(pattern)}'")
    fits(2 * len(pattern), "str")
    return _re.escape(pattern)


def re() -> Table:
    """The names of the module `re`."""
    table: Table = {
        "compile": _compiled,
        "escape": _escaped,
        "match": lambda pattern, string, flags=0: _compiled(pattern, flags).match(string),
        "fullmatch": lambda pattern, string, flags=0: _compiled(pattern, flags).fullmatch(string),
        "search": lambda pattern, string, flags=0: _compiled(pattern, flags).search(string),
        "finditer": lambda pattern, string, flags=0: _compiled(pattern, flags).finditer(string),
        "findall": lambda pattern, string, flags=0: _compiled(pattern, flags).findall(string),
        "split": lambda pattern, string, maxsplit=0, flags=0: _compiled(pattern, flags).split(string, maxsplit),
        "sub": lambda pattern, repl, string, count=0, flags=0: _compiled(pattern, flags).sub(repl, string, count),
        "subn": lambda pattern, repl, string, count=0, flags=0: _compiled(pattern, flags).subn(repl, string, count),
    }
    return {
        **table,
        **_FLAGS,
        "Pattern": sealed(Pattern),
        "Match": sealed(Match),
        "error": WrongPattern,
        "PatternError": WrongPattern,
    }


def unicodedata() -> Table:
    """The names of the module `unicodedata`."""
    import unicodedata as known

    def normalize(form: str, unistr: str, /) -> str:
        # No character becomes more than 18 others.
        fits(18 * len(unistr), "str")
        caps.tick(len(unistr) >> 4)
        return known.normalize(form, unistr)  # type: ignore[arg-type]

    def category(chr: str, /) -> str:
        return known.category(chr)

    def name(chr: str, /) -> str:
        return known.name(chr)

    return {"normalize": normalize, "category": category, "name": name}
