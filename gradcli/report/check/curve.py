"""The curve of each finding as one SVG: how the error of the central difference goes with its step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ...text.escape import harmless, one_line
from .outcome import Missing, Outcome, Standing, standing, tally
from .pictures import HIGH, WIDE, curve as drawn

_MARGIN, _HEADING = 16, 26
_ORDER = (Standing.WRONG, Standing.UNDECIDED, Standing.ALLOWED, Standing.RIGHT)
# Each colour by itself: not every viewer knows names for colours. In the dark they are lighter.
_STYLE = """
text { fill: #62625b; font: 11px system-ui, sans-serif; }
.heading { fill: #1c1c1a; font: 600 13px ui-monospace, monospace; }
.back { fill: #fff; } .axis { stroke: #dcdcd5; }
.curve { fill: none; stroke: #0b57a4; stroke-width: 1.8; } .dot { fill: #0b57a4; }
.claim { stroke: #b3261e; stroke-dasharray: 6 3; } .claim-text { fill: #b3261e; }
.bar { stroke: #1a6b3c; } .bar-text { fill: #1a6b3c; }
.witness { stroke: #5b5b9a; stroke-dasharray: 2 3; } .witness-text { fill: #5b5b9a; }
@media (prefers-color-scheme: dark) {
text { fill: #a0a29c; } .heading { fill: #e6e6e1; } .back { fill: #17181a; } .axis { stroke: #35383c; }
.curve { stroke: #8ab8f5; } .dot { fill: #8ab8f5; } .claim { stroke: #ff8a80; } .claim-text { fill: #ff8a80; }
.bar { stroke: #6fcf97; } .bar-text { fill: #6fcf97; } .witness { stroke: #b3b3f0; } .witness-text { fill: #b3b3f0; }
}
"""


def curve(outcomes: Sequence[Outcome], missing: Missing) -> str:
    """The picture: of each finding that has a curve, what fails first; of a spec that could not be checked, why."""
    panels = sorted(_panels(outcomes), key=lambda panel: panel[0])
    broken = [f"{outcome.name}  {code}: {words}" for outcome in outcomes for code, words in _failure(outcome)]
    lines = broken if panels or broken else ["no gradient was compared by steps"]
    high = 2 * _MARGIN + len(lines) * _HEADING + len(panels) * (_HEADING + HIGH)
    parts = [_head(WIDE + 2 * _MARGIN, high, missing.text or tally(outcomes).text)]
    at = _MARGIN
    for _, heading, picture in panels:
        parts.append(f'<text class="heading" x="{_MARGIN}" y="{at + 14}">{_words(heading)}</text>')
        parts.append(f'<g transform="translate({_MARGIN} {at + _HEADING})">{picture}</g>')
        at += _HEADING + HIGH
    for line in lines:
        parts.append(f'<text class="heading" x="{_MARGIN}" y="{at + 14}">{_words(line)}</text>')
        at += _HEADING
    return "\n".join([*parts, "</svg>", ""])


def _panels(outcomes: Sequence[Outcome]) -> Iterator[tuple[int, str, str]]:
    """The findings with a curve: how grave it is, its heading, and the picture."""
    for outcome in outcomes:
        for finding in outcome.checked.findings:
            picture = drawn(finding)
            if picture is not None:
                order = f", order {finding.order}" if finding.order > 1 else ""
                words = f"{finding.verdict}: {finding.output} with respect to {finding.input}{order}"
                yield _ORDER.index(standing(finding, outcome.options)), f"{outcome.name}  {words}", picture


def _failure(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """The code and the words of the failure of a spec that could not be checked."""
    failure = outcome.checked.failure
    if failure is not None:
        yield failure.code, failure.message


def _head(wide: int, high: int, title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}">\n'
        f"<title>{_words(title)}</title>\n"
        f"<style>{_STYLE}</style>\n"
        '<rect class="back" width="100%" height="100%"/>'
    )


def _words(text: str) -> str:
    return escape(harmless(one_line(text)), quote=False)
