"""Did you mean: the name that was probably intended."""

from __future__ import annotations

from collections.abc import Iterable

# A longer name is no slip of a known one, and comparing it would take long.
_LONGEST = 60


def suggest(name: str, choices: Iterable[str]) -> str | None:
    """The one of the choices that is most like a name, if any is like it; private ones only for private names."""
    if not name or len(name) > _LONGEST:
        return None
    private = name.startswith("_")
    offered = sorted({c for c in choices if c != name and (private or not c.startswith("_"))})
    bare = _bare(name)
    same = [c for c in offered if _bare(c) == bare]
    if same:
        return max(same, key=lambda c: (c.lower() == name.lower(), -len(c), c))
    return _alike(bare, offered)


def did_you_mean(name: str, choices: Iterable[str], prefix: str = "") -> str | None:
    """The sentence of help with the suggestion in it, after a prefix such as ``torch.``."""
    found = suggest(name, choices)
    return found and f"did you mean {prefix}{found}?"


def _bare(name: str) -> str:
    """A name without what is easily got wrong: case and underscores."""
    return name.lower().replace("_", "")


def _alike(bare: str, offered: list[str]) -> str | None:
    # Two letters have two names in three in common by chance; a single one says nothing.
    if len(bare) < 2:
        return None
    from difflib import SequenceMatcher

    least = 0.8 if len(bare) < 5 else 0.7
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(bare)
    best, found = (0.0, False, 0), None
    for choice in offered:
        other = _bare(choice)
        matcher.set_seq1(other)
        if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
            continue
        ratio = matcher.ratio()
        rank = (ratio, other[:1] == bare[:1], -abs(len(other) - len(bare)))
        # Two letters the wrong way round make short names quite unlike.
        if (ratio >= least or sorted(other) == sorted(bare)) and rank > best:
            best, found = rank, choice
    return found
