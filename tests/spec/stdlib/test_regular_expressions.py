"""Regular expressions: the same matches as Python's, and an end to those that would go on."""

from __future__ import annotations

import re
from random import Random

import pytest

from gradcli.errors import LimitError
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.program import Program  # noqa: F401 (it fills the tables)
from gradcli.spec.stdlib.patterns import Match, Pattern
from tests.rings import is_full

from ..running import printed, program

_PARTS = (
    r"a b c . \d \w \s [ab] [^a] [a-c1] \b ^ $ (a) (b|c) (?:ab) (a*) (a|b)* (?=a) (?!b) (?<=a) (?<!a) \1 x".split()
)
_TIMES = ("", "", "", "*", "+", "?", "{1,2}", "*?", "+?", "??", "{2}", "{0,3}?")


def _pattern(random: Random, depth: int = 0) -> str:
    made = ""
    for _ in range(random.randint(1, 4)):
        part = random.choice(_PARTS) if depth > 1 or random.random() > 0.2 else f"({_pattern(random, depth + 1)})"
        made += part if part in (r"\b", "^", "$") else part + random.choice(_TIMES)
    return made if random.random() > 0.2 else f"{made}|{random.choice(_PARTS)}"


def _places(match: re.Match[str] | Match | None) -> list[tuple[int, int]] | None:
    return None if match is None else [match.span(i) for i in range(len(match.groups()) + 1)]


@pytest.mark.parametrize("seed", range(10 if is_full() else 2))
def test_the_matches_are_pythons(seed: int) -> None:
    random = Random(seed)
    for _ in range(400):
        text = _pattern(random)
        flags = random.choice([0, 0, re.I, re.M, re.S])
        try:
            theirs = re.compile(text, flags)
        except re.error:
            continue
        ours = Pattern(text, int(flags))
        subject = "".join(random.choice("aabbccAB1 _x\n") for _ in range(random.randint(0, 9)))
        assert _places(ours.match(subject)) == _places(theirs.match(subject)), (text, flags, subject)
        assert _places(ours.fullmatch(subject)) == _places(theirs.fullmatch(subject)), (text, flags, subject)
        found = [_places(match) for match in theirs.finditer(subject)]
        assert [_places(match) for match in ours.each(subject)] == found, (text, flags, subject)
        assert ours.split(subject) == theirs.split(subject), (text, flags, subject)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)*$", "(a*)*b", "(.*)(.*)(.*)(.*)(.*)x"])
def test_what_would_go_on_is_stopped(pattern: str) -> None:
    text = f"import re\nre.match({pattern!r}, 'a' * 60 + 'c')\n"
    with pytest.raises(LimitError) as caught:
        program(text, limits=STRICT._replace(steps=200_000)).run()
    assert caught.value.code == "E403"


def test_a_pattern_may_be_as_deep_as_it_is_read() -> None:
    text = "import re\nprint(re.match('(' * 9000 + ')' * 9000, 'a'))\n"
    with pytest.raises((LimitError, RecursionError)):
        program(text).run()


def test_a_long_text_is_no_trouble() -> None:
    said = "The Time Machine, by H. G. Wells\n" * 2000
    text = f"import re\nt = {said[:33]!r} * 2000\n"
    text += "print(len(re.sub('[^A-Za-z]+', ' ', t)), len(re.findall(r'\\w+', t)))\n"
    assert printed(text) == f"{len(re.sub('[^A-Za-z]+', ' ', said))} {len(re.findall('[A-Za-z]+', said))}\n"
