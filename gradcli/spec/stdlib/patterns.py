"""Regular expressions: patterns, which Python's own parser reads, and their matches, which a walk of ours finds."""

from __future__ import annotations

import re as _re
from collections.abc import Callable, Iterator
from typing import Any

from ..guard.size_limits import caps, fits, whole
from ..values.classes.sealed_classes import Given, known_as, sealed
from ..values.show import representation
from ..values.tables.table import attributes, declare, own_methods
from ..values.visible_types import word
from .iteration import Generator
from .pattern_walk import FLAGS, Spans, Walk, WrongPattern

Table = dict[str, Any]

_parser: Any = _re._parser  # type: ignore[attr-defined]
_LONGEST = 10_000


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
        Walk(self, "", 0)

    def walk(self, string: Any, pos: Any = 0, endpos: Any = None) -> tuple[Walk, int]:
        """Return the search that goes through a text, and the place where it begins."""
        if not isinstance(string, str):
            raise TypeError(f"expected string or bytes-like object, got '{word(string)}'")
        # All of the pattern is gone through before the text is.
        caps.tick(1 + (len(self.pattern) >> 2))
        end = len(string) if endpos is None else max(0, min(whole(endpos), len(string)))
        return Walk(self, string, end), max(0, min(whole(pos), end))

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
        flags = [name for name in names if self.flags & FLAGS[name]]
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
        **FLAGS,
        "Pattern": sealed(Pattern),
        "Match": sealed(Match),
        "error": WrongPattern,
        "PatternError": WrongPattern,
    }
