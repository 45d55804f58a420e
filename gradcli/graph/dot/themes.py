"""The looks of pictures: the shape of each kind of node, and the colours that repeat what the shapes say."""

from __future__ import annotations

from typing import NamedTuple

from .. import heat

OP, DERIVED, OUTPUT, LEAF, CONSTANT, SAVED, WRITE = "op", "derived", "output", "leaf", "constant", "saved", "write"
CALL = "call"


class Form(NamedTuple):
    """The form of a kind of node, in Graphviz's words."""

    shape: str
    style: str
    peripheries: int = 1


FORMS = {
    OP: Form("box", "rounded,filled"),
    DERIVED: Form("box", "rounded,filled"),
    OUTPUT: Form("box", "rounded,filled", peripheries=2),
    LEAF: Form("box", "bold,filled"),
    CONSTANT: Form("plaintext", ""),
    SAVED: Form("note", "dashed,filled"),
    WRITE: Form("component", "filled"),
    CALL: Form("box3d", "filled"),
}


class Theme(NamedTuple):
    """The colours of a picture."""

    background: str
    # Of a cluster, and of its frame.
    area: str
    frame: str
    # Of nodes and clusters; of counts and of what stands at edges.
    text: str
    muted: str
    # Of the frames of nodes, and of edges.
    line: str
    wrong: str
    # The fill of each kind of node that has one.
    fills: dict[str, str]


LIGHT = Theme(
    background="#ffffff",
    area="#f6f8fa",
    frame="#c4cbd3",
    text="#000000",
    muted="#4d5661",
    line="#5c6670",
    wrong="#b3001b",
    fills={
        OP: "#ededed",
        DERIVED: "#009e73",
        OUTPUT: "#f0e442",
        LEAF: "#56b4e9",
        SAVED: "#e69f00",
        WRITE: "#cc79a7",
        CALL: "#a8f0a8",
    },
)
DARK = Theme(
    background="#14111a",
    area="#1c1824",
    frame="#4b4559",
    text="#ffffff",
    muted="#b9b3c6",
    line="#a29bb3",
    wrong="#ff8088",
    fills={
        OP: "#362c47",
        DERIVED: "#14825a",
        OUTPUT: "#955117",
        LEAF: "#053ba4",
        SAVED: "#4d1f0d",
        WRITE: "#895ca3",
        CALL: "#480060",
    },
)
MONO = Theme(
    background="#ffffff",
    area="#ffffff",
    frame="#000000",
    text="#000000",
    muted="#000000",
    line="#000000",
    wrong="#000000",
    fills=dict.fromkeys(LIGHT.fills, "#ffffff"),
)

LIGHT_NAME, DARK_NAME, MONO_NAME, AUTO = NAMES = ("light", "dark", "mono", "auto")
# Only an SVG can be of both colours: drawn light, with a style that changes it.
THEMES = {LIGHT_NAME: LIGHT, DARK_NAME: DARK, MONO_NAME: MONO, AUTO: LIGHT}


# The shades of gradients.
HEATS = {LIGHT_NAME: heat.LIGHT, DARK_NAME: heat.DARK, MONO_NAME: heat.MONO, AUTO: heat.LIGHT}


def dark_style(shades: bool = False) -> str:
    """A style sheet that turns an SVG drawn in the light colours dark, for who prefers that; with or without shades."""
    rules = [f"text{{fill:{DARK.text}}}"]
    pairs = [*zip(heat.LIGHT.fills + heat.LIGHT.lines, heat.DARK.fills + heat.DARK.lines, strict=True)]
    for light, dark in [*_twins(), *(pairs if shades else ())]:
        rules += [f'[{part}="{light}"]{{{part}:{dark}}}' for part in ("fill", "stroke")]
    return "@media (prefers-color-scheme:dark){" + "".join(rules) + "}"


def _twins() -> list[tuple[str, str]]:
    """Each colour of the light theme with its place's colour in the dark one."""
    *light, light_fills = LIGHT
    *dark, dark_fills = DARK
    return [*zip(light, dark, strict=True), *((light_fills[kind], dark_fills[kind]) for kind in light_fills)]
