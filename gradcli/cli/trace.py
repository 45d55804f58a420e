"""``gradcli trace``: the graph that a program recorded, with the gradient on every edge."""

from __future__ import annotations

import os
import sys

from . import graphs, specs
from .options import Command, Given, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..errors import InputError
    from ..graph.view.view import View
    from ..spec.program import Program
    from .confined import Inside

# The columns of a drawing that goes to a file or a pipe.
_WIDTH = 100


def main(given: Given) -> int:
    """Draw the graph; what the program prints is not shown."""
    from ..report.stream import emit

    _check_options(given)
    request = specs.request(given)
    target = None if given.get("out", "-") == "-" else graphs.target(given, request)
    look = _look(given, sys.stdout if target is None else None)
    # All of it is there before the first line is written.
    note, text = request.done(_made, _Asked(request, given.options, look))
    if note is not None:
        emit(note, sys.stderr)
    if target is None:
        emit(text, sys.stdout)
    else:
        target.write([text.encode("utf-8", "backslashreplace")])
    return 0


class _Asked:
    """What is to be drawn, and how it is to look."""

    def __init__(self, request: specs.Request, options: dict[str, Any], look: dict[str, Any]) -> None:
        self.request = request
        self.options = options
        self.look = look


# Options that only some formats know.
_ONLY = {
    "layout": ("tree",),
    "why": ("tree",),
    "saved": ("tree", "json"),
    "values": ("tree", "json"),
    "grads": ("tree", "json", "mermaid"),
}


def _check_options(given: Given) -> None:
    """Refuse options that the chosen format has no use for."""
    form = given.get("format", "tree")
    for key, forms in _ONLY.items():
        if key in given.options and form not in forms:
            help = f"leave out --{key}, or choose --format {forms[0]}"
            raise given.misuse(f"--{key} says nothing to --format {form}", -1, key, help=help)
    graphs.check(given)


def _made(inside: Inside, asked: _Asked) -> str | None:
    """Give the result, from the program on; what is to be said beside it, where nothing was recorded."""
    from ..graph.view.roots import NoGraph

    options = asked.options
    program = asked.request.program()
    try:
        view = graphs.whole_view(options, program, inside.started)
    except NoGraph as error:
        # That is an answer, unless something in the graph was asked for.
        if not options.keys().isdisjoint(("output", "order", *_NAMES)):
            raise
        note, text = _nothing(options.get("format", "tree"), program, error)
        inside.result(text)
        return note
    if any(options.get(key, "").startswith("#") for key in _NAMES):
        _number(view, asked.look)
    inside.result("".join(_formatted(options, graphs.part(options, view), asked.look)))
    return None


# Options whose value names a node; it may be a number that a drawing of the whole graph has shown.
_NAMES = ("focus", "invert", "why")


def _nothing(form: str, program: Program, error: InputError) -> tuple[str | None, str]:
    """The result where nothing was recorded: for people why it is empty; for machines an empty graph, and a note."""
    said = f"{error.message}\n  = help: {error.help}\n"
    if form == "tree":
        return None, said
    note = f"note: {said}"
    if form == "json":
        from ..graph import json

        return note, "".join(json.nothing(program.source.name))
    return note, "flowchart TD\n" if form == "mermaid" else ""


def _number(view: View, look: dict[str, Any]) -> None:
    """Give items the numbers that the drawing of the whole graph shows."""
    from ..graph.text.tree import numbers

    seen = {key: value for key, value in look.items() if key not in ("colour", "terminal", "max_rows")}
    for item, number in numbers(view, **seen).items():
        item.number = number


def _formatted(options: dict[str, Any], view: View, look: dict[str, Any]) -> Iterable[str]:
    """The lines of a view in the format that was asked for."""
    form = options.get("format", "tree")
    shown = {key: value for key, value in look.items() if key in ("values", "grads")}
    if form == "json":
        from ..graph import json

        return json.lines(view, **shown)
    if form == "edges":
        from ..graph import edges

        return edges.lines(view)
    if form == "mermaid":
        from ..graph.mermaid import to_mermaid

        return [to_mermaid(view, grads=shown.get("grads", "norm"))]
    if "why" in options:
        from ..graph.ask.why import explained

        plain = {key: look[key] for key in ("width", "colour", "ascii")}
        lines = explained(view, options["why"], **plain)
    else:
        from ..graph.text.tree import render

        lines = render(view, **look)
    return (f"{line}\n" for line in lines)


def _look(given: Given, stream: Any) -> dict[str, Any]:
    """How a drawing is to look: what was asked for, and what there is where it goes."""
    from ..report.colour import terminal_width, wants_colour
    from ..report.stream import draws_unicode

    width = terminal_width(stream, os.environ)
    choice = given.get("color", "auto")
    return {
        **{key: given.options[key] for key in ("layout", "values", "grads", "saved") if key in given.options},
        "width": width or _columns(),
        # A file is coloured only by who asks for it.
        "colour": choice == "always" if stream is None else wants_colour(stream, choice, os.environ),
        "ascii": stream is not None and not draws_unicode(stream, os.environ),
        "terminal": width is not None,
        # Who says how many nodes there may be gets as many.
        "max_rows": graphs.MOST if "max_nodes" in given.options else None,
    }


def _columns() -> int:
    """How wide a drawing is that goes to no terminal."""
    told = os.environ.get("COLUMNS", "")
    return int(told) if told.isascii() and told.isdigit() and 0 < int(told) < graphs.MOST else _WIDTH


_SHOW = "How it is shown"

COMMAND = Command(
    main,
    examples=(
        ("gradcli trace '(a + b) * b' a=2 b=3", "an expression"),
        ("gradcli trace net.py --saved", "and what each op keeps"),
        ("gradcli trace 'x**3' x=2 --order 2", "the second derivative"),
        ("gradcli trace net.py --why fc1.weight", "where a gradient is from"),
        ("gradcli trace net.py --format json", "for machines, and for git"),
    ),
    arguments=specs.ARGUMENTS,
    options=(
        *graphs.WHICH,
        *graphs.PART,
        Option("--why", metavar="NAME", group=_SHOW, help="Explain the gradient of NAME, or why there is none."),
        Option("--saved", group=_SHOW, help="Show what each node keeps for its backward."),
        Option(
            "--values",
            choices=("stats", "full", "none"),
            group=_SHOW,
            help="Numbers: from the least to the greatest, all, or none. As JSON a tensor is its min, max and norm.",
        ),
        Option("--grads", choices=("norm", "full", "none"), group=_SHOW, help="Gradients: norms, all, or none."),
        Option("--layout", choices=("nested", "spine", "list"), group=_SHOW, help="Form of the tree (what fits)."),
        Option("--format", choices=("tree", "json", "edges", "mermaid"), group=_SHOW, help="What to write (tree)."),
        Option("-o", "--out", metavar="FILE", group=_SHOW, files=True, help="Write to a file, whole or not at all."),
        *specs.OPTIONS,
    ),
    dash=specs.DASH,
)
