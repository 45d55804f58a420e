"""The findings of a check as Markdown, for the summary of a step or a comment."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...text.escape import harmless, one_line
from ..diagnostic import place_of
from .outcome import Missing, Outcome, Standing, all_notes, exit_code, reproduce, tally
from .places import sentence
from .sayings import gravest_first

_SIGNS = {
    Standing.WRONG: "wrong",
    Standing.UNDECIDED: "no verdict",
    Standing.ALLOWED: "allowed",
    Standing.RIGHT: "right",
}


# Of what is undecided nobody knows whether it is wrong.
_ENDS = {0: "passed", 2: "without a verdict"}


def markdown(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """A heading with the count, a table of all that there is to say, and how to see it again."""
    end = max(exit_code(outcomes), 2 * bool(missing.text)) if exit_code(outcomes) != 1 else 1
    lines = [f"## gradcli check {_ENDS.get(end, 'failed')}: {tally(outcomes).text}", ""]
    if missing.text:
        lines += [f"**{_plain(missing.text)}**", ""]
    found = gravest_first(outcomes)
    if found:
        lines += ["| | where | code | what |", "|---|---|---|---|"]
        for one in found:
            place = place_of(one.span) if one.span else one.outcome.name
            cells = (_SIGNS[one.standing], _code(place), one.code, _plain(sentence(one)))
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    commands = [_unfenced(reproduce(one.outcome, one.finding)) for one in found if one.finding is not None]
    if commands:
        lines += ["```sh", *dict.fromkeys(commands), "```", ""]
    notes = [
        f"- {_code(outcome.name)}: {_plain(note)}"
        for outcome in outcomes
        for note in dict.fromkeys(note for finding in outcome.checked.findings for note in all_notes(outcome, finding))
    ]
    return harmless("\n".join([*lines, *notes, ""] if notes else lines))


def _plain(text: str) -> str:
    """A text in which nothing is a mark of Markdown, HTML, or a name that someone is called by."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~@$-])", r"\\\1", one_line(text)).replace("\\@", "&#64;")


def _code(text: str) -> str:
    """A text in the type of code; in a table a bar would end the cell."""
    return f"`{one_line(text).replace('`', chr(39)).replace('|', '¦')}`"


def _unfenced(text: str) -> str:
    return one_line(text).replace("`" * 3, "'" * 3)
