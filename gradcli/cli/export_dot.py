"""``gradcli export-dot``: the graph that a program recorded as DOT, or as a picture that Graphviz draws."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from . import graphs, specs
from .parsing.command import command, option, pass_given, switch
from .parsing.types import PATH, Choice, Whole
from .parsing.words import listed, shown
from .pictures import DRAWN, SECONDS, TEXT

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..graph.view.view import View
    from .confined import Inside
    from .parsing.command import Given
    from .python.graph import PythonRequest
    from .target import Target

_ENDINGS = [f".{form}" for form in (*TEXT, *DRAWN)]

# The graph of a program that recorded none.
NOTHING = 'digraph "gradcli" {\n}\n'

_DRAWING = ("show_saved", "show_attrs", "max_attr_chars", "cluster", "direction", "weight", "heat", "share_leaves")

_SHOW = "How it is drawn"


@command(
    "export-dot",
    help="Draw the graph: as DOT, SVG, PNG or PDF.",
    examples=(
        ("gradcli export-dot 'x * y' x=2 y=3", "DOT, to standard output"),
        ("gradcli export-dot net.py -o net.svg", "a picture, drawn by Graphviz"),
        ("gradcli export-dot net.py --saved", "with what each op keeps"),
        ("gradcli export-dot net.py --order 2", "the second derivative"),
        ("gradcli export-dot net.py --level 1", "each call as one box"),
        ("gradcli export-dot net.py --heat grad", "coloured by its gradients"),
    ),
    dash=specs.DASH,
)
@specs.words()
@option("-o", "--out", metavar="FILE", type=PATH, group=_SHOW, help="Write .dot, .gv, .svg, .png or .pdf.")
@switch(
    "--saved",
    "--show-saved",
    "show_saved",
    group=_SHOW,
    help="Show the tensors that each op keeps for its backward.",
)
@switch("--show-attrs", group=_SHOW, help="Show how each op was called.")
@option(
    "--max-attr-chars",
    metavar="N",
    type=Whole(1, 1000),
    group=_SHOW,
    help="Characters of a value that --show-attrs shows (50).",
)
@option(
    "--cluster",
    type=Choice(["module", "line", "order", "none"]),
    group=_SHOW,
    help="Frame what belongs together (order of derivatives, or else module).",
)
@option(
    "--direction",
    type=Choice(["backward", "forward"]),
    group=_SHOW,
    help="Draw from the output to the leaves (backward), or from the leaves on.",
)
@option("--weight", type=Choice(["grad"]), group=_SHOW, help="Draw edges as thick as their gradients are large.")
@option("--heat", type=Choice(["grad"]), group=_SHOW, help="Colour nodes and edges by the size of their gradient.")
@option(
    "--theme",
    type=Choice(["light", "dark", "mono", "auto"]),
    group=_SHOW,
    help="Colours; auto: an SVG has those of its viewer, all else is light.",
)
@switch("--no-legend", group=_SHOW, help="Leave out the title and what the forms mean.")
@switch("--share-leaves", group=_SHOW, help="Draw a leaf or a constant of many uses once, not for each.")
@graphs.which
@graphs.part_of_it
@specs.source()
@specs.python()
@specs.dtype
@specs.limits(timeout=f"Time that the program may take (10), and then Graphviz ({SECONDS}).")
@pass_given
def export_dot(given: Given) -> None:
    """Write the DOT, or have it drawn; what the program prints is not shown."""
    from ..graph.dot.document import to_dot
    from ..report.stream import emit

    graphs.check(given)
    path = given.get("out", "-")
    form = "dot" if path == "-" else _format(given)
    request = specs.asked(given)
    target = None if path == "-" else graphs.target(given, request)
    asked = _Asked(request, given.options, _look(given, request, form), target is None, to_dot, form in DRAWN)
    (note, caption), dot = request.done(_dot, asked)
    if note is not None:
        emit(note, sys.stderr)
    if target is None:
        # The same bytes everywhere, whatever the locale.
        emit(dot, getattr(sys.stdout, "buffer", sys.stdout))
    else:
        target.write([_picture(given, target, dot, caption, form) if form in DRAWN else dot.encode()])


class _Asked:
    """A drawing that was asked for, its look, whether it may be nothing, and what draws it."""

    def __init__(
        self,
        request: specs.Request | PythonRequest,
        options: dict[str, Any],
        look: dict[str, Any],
        maybe_nothing: bool,
        draw: Callable[..., str],
        drawn: bool,
    ) -> None:
        self.request = request
        self.options = options
        self.look = look
        # With it comes pydot, which a child behind its walls could not read any more.
        self.draw = draw
        # Pictures are of what fits a page, unless they are to be of something else.
        self.drawn = drawn
        # That is an answer, unless something in the graph was asked for.
        self.maybe_nothing = maybe_nothing and options.keys().isdisjoint(("output", "order", "focus", "invert"))


def _format(given: Given) -> str:
    """The format that the name of a file ends in."""
    path: str = given.options["out"]
    form = os.path.splitext(path)[1].removeprefix(".").lower()
    if form not in (*TEXT, *DRAWN):
        help = f"name it with {listed(_ENDINGS, 'or')}"
        raise given.misuse(f"the ending of {shown(path)} does not tell what to write", "out", help=help)
    return form


def _look(given: Given, request: specs.Request | PythonRequest, form: str) -> dict[str, Any]:
    """The look of the drawing."""
    look = {key: given.options[key] for key in _DRAWING if key in given.options}
    look["legend"] = "no_legend" not in given.options
    look["theme"] = given.get("theme", "auto")
    if form == "svg":
        look |= {"tooltips": True, "link": _link(request.spec.path, given.options["out"])}
    return look


def _dot(inside: Inside, asked: _Asked) -> tuple[str | None, tuple[str, str] | None]:
    """Give the DOT of the graph; a note where there is none, and else the title and the description of a picture."""
    from ..graph.view.roots import NoGraph

    try:
        view = asked.request.view(asked.options, inside.started)
    except NoGraph as error:
        if not asked.maybe_nothing:
            raise
        inside.result(NOTHING)
        return f"note: {error.message}\n  = help: {error.help}\n", None
    from ..graph.dot.svg import caption

    if any(asked.options.get(key, "").startswith("#") for key in ("focus", "invert")):
        _number(view)
    view = graphs.part(asked.options, view, graphs.AUTO if asked.drawn else None)
    inside.result(asked.draw(view, **asked.look))
    return None, caption(view)


def _number(view: View) -> None:
    """Give items the numbers that a trace of the graph shows."""
    from ..graph.text.tree import numbers

    for item, number in numbers(view).items():
        item.number = number


def _link(path: str | None, out: str) -> str | None:
    """A file as what lies beside another links to it."""
    if path is None:
        return None
    from urllib.parse import quote

    return quote(os.path.relpath(os.path.realpath(path), os.path.dirname(os.path.realpath(out))))


def _picture(given: Given, target: Target, dot: str, caption: tuple[str, str], form: str) -> bytes:
    """The drawn picture; an SVG tells in words, and in both themes, what it shows."""
    from .pictures import picture

    drawn = picture(target, dot, form, given.get("timeout", SECONDS), walled="no_wall" not in given.options)
    if form != "svg":
        return drawn
    from ..graph.dot.svg import accessible

    both = given.get("theme", "auto") == "auto"
    return accessible(drawn.decode(), *caption, both, "heat" in given.options).encode()
