"""The words about a finding, the same in every format."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, isinf

from ...check.judging.findings import Culprit, Entry, Finding
from ...check.judging.verdict import Judged
from ...errors import Span
from ...verdicts import Facts
from .numbers import bar_of, known, many, number, pair, point, whole
from .outcome import TOO_FEW_DIGITS, Outcome, Standing, code_of, standing, tolerated


def headline(finding: Finding, code: str) -> str:
    """The sentence of what is wrong, of what, and of how much of it."""
    from ..codes.gradients import CODES

    order = f", order {finding.order}" if finding.order > 1 else ""
    count = ""
    if finding.entries > 1 and finding.wrong_entries:
        count = f" ({finding.wrong_entries:,} of {finding.entries:,} entries)"
    return f"{CODES[code].title}: {finding.output} with respect to {finding.input}{order}{count}"


def aside(outcome: Outcome, finding: Finding) -> str:
    """The reason why something is acceptable that is told all the same."""
    if standing(finding, outcome.options) is Standing.ALLOWED:
        return "allowed"
    return "--strict refuses it" if tolerated(finding, outcome.options) else ""


def caption(finding: Finding) -> str:
    """Whose backward the place of a finding shows."""
    node = finding.node
    if node is None:
        return ""
    text = _own(node)
    if node.wrt is not None and node.wrt != finding.input:
        text += f" with respect to {node.wrt}"
    if node.applied is not None and _elsewhere(node.applied, finding.span):
        text += f", applied at {_line(node.applied, finding.span)}"
    return text if node.certain else f"perhaps {text}"


def _own(node: Culprit) -> str:
    """The backward of a function of the program's own by its class, any other by the name of its node."""
    name = node.name.removesuffix("Backward")
    return f"{name}.backward" if node.applied is not None and name and name != node.name else node.name


def _line(span: Span, other: Span | None) -> str:
    """A line, with its file where another place is in another one."""
    is_here = other is None or span.source.name == other.source.name
    return f"line {span.line}" if is_here else f"{span.source.name}:{span.line}"


def _elsewhere(span: Span, other: Span | None) -> bool:
    return other is None or (span.source.name, span.line) != (other.source.name, other.line)


def entry_name(name: str, index: tuple[int, ...]) -> str:
    """An entry as Python would name it: x[2], w[0, 1]."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def worst(finding: Finding, outcome: Outcome) -> str | None:
    """The worst entry: where it is, what was claimed there, and what is true."""
    entry = finding.worst
    if entry is None:
        asked = outcome.options.digits
        return _digits(finding, asked) if asked and code_of(finding, outcome.options) == TOO_FEW_DIGITS else None
    if entry.along:
        return f"along a random direction of {finding.input}: {_facts(finding, entry, outcome)}"
    place = entry_name(finding.input, entry.index)
    of = f" of {entry_name(finding.output, entry.output_index)}" if entry.output_index else ""
    lead = "worst at " if finding.entries > 1 else "at "
    return f"{lead}{place} = {point(entry.at)}{of}: {_facts(finding, entry, outcome)}"


def short(finding: Finding, outcome: Outcome) -> str:
    """The claim and the truth of the worst entry, for formats of one line."""
    text = worst(finding, outcome)
    return "" if text is None else f"; {text}"


def _facts(finding: Finding, entry: Entry, outcome: Outcome) -> str:
    """The measurements of an entry, in the words of its verdict."""
    judged = entry.judged
    say = _WORDS[judged.verdict.facts]
    asked = outcome.options.digits
    if asked and code_of(finding, outcome.options) == TOO_FEW_DIGITS:
        return f"{_smooth(judged)}, {_digits(finding, asked)}"
    return say(judged)


def _digits(finding: Finding, asked: int) -> str:
    return f"{number(finding.digits or 0.0, 3)} digits verified, {asked} asked for"


def _smooth(judged: Judged) -> str:
    if judged.answer_of is not None:
        claimed, other = number(judged.claimed, 7), number(judged.estimate, 7)
        seen = f"{judged.answer_of} it makes {claimed}, and not {other}"
        return seen if judged.answer_of else f"claimed {claimed}, otherwise {other}"
    text = _against(judged, "true")
    away = judged.bars_away
    if away > 1 and not isinf(away):
        text += f", {many(away)} error bars away"
    return text


def _against(judged: Judged, what: str) -> str:
    """The claim, the estimate with its bar, and the witness, if there is one."""
    claimed, estimate = pair(judged.claimed, judged.estimate, judged.bar)
    if not isfinite(judged.estimate):
        return f"claimed {claimed}, {what} {estimate}"
    estimate = max(estimate, known(judged.estimate, judged.bar), key=len)
    text = f"claimed {claimed}, {what} {estimate} ± {bar_of(judged.bar)}"
    if judged.witness is not None:
        text += f" (complex step {whole(judged.witness)})"
    return text


def _kink(judged: Judged) -> str:
    return f"claimed {number(judged.claimed)}, {_slopes(judged)}"


def _slopes(judged: Judged) -> str:
    left, right = judged.left, judged.right
    if left is None and right is None:
        return f"true {known(judged.estimate, judged.bar)} ± {bar_of(judged.bar)}"
    sides = [
        f"{number(slope)} on the {side}" for slope, side in ((left, "left"), (right, "right")) if slope is not None
    ]
    return f"the slope is {' and '.join(sides)}"


def _edge(judged: Judged) -> str:
    side = "left" if judged.right is None else "right"
    if judged.left is not None and judged.right is not None:
        return _smooth(judged)
    return f"{_against(judged, 'true')} from the {side}, where the function exists"


def _jump(judged: Judged) -> str:
    return f"claimed {number(judged.claimed)}, and the values on the two sides do not meet"


def _endless(judged: Judged) -> str:
    return f"claimed {number(judged.claimed)}, and the slope grows without end as the step gets smaller"


def _hidden(judged: Judged) -> str:
    return f"{_against(judged, 'but the program has')}"


def _inaccurate(judged: Judged) -> str:
    size = max(abs(judged.claimed), abs(judged.estimate))
    off = abs(judged.claimed - judged.estimate) / size if size else 0.0
    return f"{_smooth(judged)}, off by {number(off, 2)} of it"


def _saturated(judged: Judged) -> str:
    return f"{_against(judged, 'true')}, less than the function's last digit shows"


def _unresolved(judged: Judged) -> str:
    return f"claimed {number(judged.claimed)}, measured {number(judged.estimate)} ± {number(judged.bar, 2)}"


def _conflict(judged: Judged) -> str:
    text = f"claimed {number(judged.claimed, 10)}, finite differences say {known(judged.estimate, judged.bar)}"
    text += f" ± {bar_of(judged.bar)}"
    return text if judged.witness is None else f"{text}, complex step says {whole(judged.witness)}"


def _outside(judged: Judged) -> str:
    return f"claimed {number(judged.claimed)}, measured {number(judged.estimate)}"


_WORDS = {
    Facts.SMOOTH: _smooth,
    Facts.KINK: _kink,
    Facts.EDGE: _edge,
    Facts.JUMP: _jump,
    Facts.ENDLESS: _endless,
    Facts.HIDDEN: _hidden,
    Facts.INACCURATE: _inaccurate,
    Facts.SATURATED: _saturated,
    Facts.UNRESOLVED: _unresolved,
    Facts.CONFLICT: _conflict,
    Facts.OUTSIDE: _outside,
}


def remarks(finding: Finding) -> Iterator[str]:
    """All else that is known of why: the signature of the error, and what was noted of the worst entry."""
    if finding.signature:
        yield f"signature: {finding.signature}"
    if finding.worst is not None and finding.worst.judged.note:
        yield finding.worst.judged.note
