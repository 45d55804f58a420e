"""``gradcli trace``: the graph that a program recorded, with the gradient on every edge."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from . import graphs, specs
from .parsing.command import command, option, pass_given, switch
from .parsing.names import names_and_calls
from .parsing.types import PATH, Choice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ..errors import InputError
    from ..graph.view.view import View
    from ..report.screen import Screen
    from ..text.parts import Line
    from .confined import Inside
    from .parsing.command import Given
    from .python.graph import PythonRequest

_SHOW = "How it is shown"
# The columns of a drawing that goes to a file or a pipe.
_WIDTH = 100
# The formats, and of the options that only some know those of each. All but the tree are modules of gradcli/graph, with
# the lines of a view, and of nothing.
_FORMATS = {
    "tree": ("layout", "why", "flow", "forward", "saved", "values", "grads"),
    "json": ("flow", "forward", "saved", "values", "grads"),
    "edges": (),
    "mermaid": ("grads", "heat"),
}
# What says nothing to a page, which has rows of its own and shows numbers as JSON has them.
_NOT_OF_PAGE = ("layout", "values", "grads", "pager")
# What says nothing to a table of calls.
_NOT_OF_FLOW = (
    "why", "forward", "saved", "values", "grads", "layout", "depth", "max_nodes", "invert", "expand", "collapse",
)  # fmt: skip


@command(
    "trace",
    help="Show the graph that autograd recorded, with the gradient on every edge.",
    examples=(
        ("gradcli trace '(a + b) * b' a=2 b=3", "an expression"),
        ("gradcli trace net.py --saved", "and what each op keeps"),
        ("gradcli trace 'x**3' x=2 --order 2", "the second derivative"),
        ("gradcli trace net.py --why fc1.weight", "where a gradient is from"),
        ("gradcli trace net.py --flow", "where it vanishes or explodes"),
        ("gradcli trace net.py -o graph.html", "a page to open and to send"),
        ("gradcli trace net.py --format json", "for machines, and for git"),
    ),
    dash=specs.DASH,
)
@specs.words()
@graphs.which
@graphs.part_of_it
@option(
    "--why", metavar="NAME", group=_SHOW, shell_complete=names_and_calls,
    help="Explain the gradient of NAME, or why there is none; of a module, function or loop that of its results.",
)
@switch("--flow", group=_SHOW, help="Show call by call how much gradient enters, goes on, and reaches parameters.")
@switch("--forward", group=_SHOW, help="Show tangents, where leaves change by 1: all, or --wrt NAME.")
@switch("--saved", group=_SHOW, help="Show what each node keeps for its backward.")
@option(
    "--values",
    type=Choice(["stats", "full", "none"]),
    group=_SHOW,
    help="Numbers: from the least to the greatest, all, or none. As JSON a tensor is its min, max and norm.",
)
@option("--grads", type=Choice(["norm", "full", "none"]), group=_SHOW, help="Gradients: norms, all, or none.")
@option("--heat", type=Choice(["grad"]), group=_SHOW, help="Colour a Mermaid diagram by the size of its gradients.")
@option("--layout", type=Choice(["nested", "spine", "list"]), group=_SHOW, help="Form of the tree (what fits).")
@option("--format", type=Choice(list(_FORMATS)), group=_SHOW, help="What to write (tree).")
@option(
    "-o", "--out", metavar="FILE", type=PATH, group=_SHOW,
    help="Write to a file; .html: a page to open, .svg: a picture.",
)
@switch("--pager", group=_SHOW, help="Show all of it in your pager (PAGER), on a terminal.")
@specs.source()
@specs.python()
@specs.dtype
@specs.limits()
@pass_given
def trace(given: Given) -> None:
    """Draw the graph; what the program prints is not shown."""
    from ..report.screen import Screen, picture_form
    from ..report.stream import emit

    _check_options(given)
    request = specs.asked(given)
    target = None if given.get("out", "-") == "-" else graphs.target(given, request)
    form = None if target is None else picture_form(target.path)
    screen = Screen(sys.stdout, given.get("color", "auto"), os.environ)
    # A text in a file is coloured only by who asks for it.
    styled = screen.styled if target is None else form is not None or given.get("color") == "always"
    look = _look(given, screen if target is None else None)
    # All of it is there before the first line is written.
    is_page = _is_page(given.options)
    (note, lines), text = request.done(_made, _Asked(request, given.options, look, styled, is_page))
    if note is not None:
        emit(note, sys.stderr)
    if target is not None:
        name = request.spec.source.name
        text = _page(text, name) if is_page else text if lines is None else _painted(_safe(lines), form, name)
        target.write([text.encode("utf-8", "backslashreplace")])
    elif lines is not None:
        (screen.page if "pager" in given.options else screen.put)(_safe(lines))
    else:
        emit(text, sys.stdout)


def _painted(lines: Iterable[Line], form: str | None, name: str) -> str:
    """Lines in colour, as a text or as a picture of a kind."""
    from ..report.console import painted, picture
    from ..text.escape import harmless, one_line

    return painted(lines) if form is None else picture(lines, form, f"gradcli trace {harmless(one_line(name))}")


def _page(data: str, name: str) -> str:
    """The page of what a child has said of a graph: nothing in it is obeyed, whatever that is."""
    from ..graph.page.page import page
    from ..text.escape import harmless

    return page(data, f"gradcli trace {harmless(name)}")


def _is_page(options: dict[str, Any]) -> bool:
    """Tell whether a page of the graph is asked for; what explains something is drawn as a terminal shows it."""
    from ..report.screen import picture_form

    return picture_form(options.get("out", "")) == "html" and options.keys().isdisjoint(("why", "flow"))


def _safe(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines that a child has drawn: whatever it says, a terminal obeys none of it."""
    from ..text.escape import one_line
    from ..text.parts import Part

    return ([Part(one_line(text), style) for text, style in line] for line in lines)


class _Asked:
    """A drawing that was asked for, its look, whether it has styles, and whether it is a page."""

    def __init__(
        self, request: specs.Request | PythonRequest, options: dict[str, Any], look: dict[str, Any], styled: bool,
        is_page: bool,
    ) -> None:
        self.request = request
        self.options = options
        self.look = look
        self.styled = styled
        self.is_page = is_page


def _check_options(given: Given) -> None:
    """Refuse options that the chosen format has no use for."""
    from ..report.screen import picture_form

    form = given.get("format", "tree")
    for key in (*_FORMATS["tree"], "heat"):
        if key in given.options and key not in _FORMATS[form]:
            knows = next(each for each, options in _FORMATS.items() if key in options)
            help = f"leave out --{key}, or choose --format {knows}"
            raise given.misuse(f"--{key} says nothing to --format {form}", key, help=help)
    if "flow" in given.options:
        for key in _NOT_OF_FLOW:
            if given.options.get(key):
                name = f"--{key.replace('_', '-')}"
                raise given.misuse(f"{name} says nothing to --flow", key, help=f"leave out {name}, or --flow")
        if given.options.get("level") == graphs.AUTO:
            raise given.misuse("--flow is of no page", "level", help="--level N is so many calls deep")
    if form != "tree" and picture_form(given.get("out", "")) is not None:
        raise given.misuse(f"a picture is of the tree, and not of --format {form}", "out", help="leave out --format")
    if _is_page(given.options):
        for key in _NOT_OF_PAGE:
            if key in given.options:
                help = f"leave out --{key}, or name a file with another ending"
                raise given.misuse(f"--{key} says nothing to a page", key, help=help)
    graphs.check(given)


def _made(inside: Inside, asked: _Asked) -> tuple[str | None, list[Line] | None]:
    """Give the result, from the program on: a note where nothing was recorded, and lines where they have styles."""
    from ..graph.view.roots import NoGraph

    options = asked.options
    try:
        view = asked.request.view(options, inside.started)
    except NoGraph as error:
        # That is an answer, unless something in the graph was asked for.
        if not options.keys().isdisjoint(("output", "order", *_NAMES)):
            raise
        note, text = _nothing(options, asked.request.spec.source.name, error, asked.is_page)
        inside.result(text)
        return note, None
    if "why" in options or any(options.get(key, "").startswith("#") for key in _NAMES):
        _number(view, asked.look)
    form = options.get("format", "tree")
    if "flow" in options:
        view = graphs.part({key: options[key] for key in ("focus",) if key in options}, view)
    else:
        view = graphs.part(options, view, _usual(options))
    if asked.is_page:
        from ..graph.page.page import data

        inside.result("".join(data(view)))
        return None, None
    if form != "tree":
        inside.result("".join(_for_machines(options, view, asked.look)))
        return None, None
    lines = _drawn(options, view, asked.look)
    if asked.styled:
        return None, list(lines)
    from ..text.parts import written

    inside.result(written(lines))
    return None, None


def _usual(options: dict[str, Any]) -> str | None:
    """The level that is shown where none is asked for: all, but for drawings that a page has to hold."""
    return graphs.AUTO if options.get("format") == "mermaid" else None


# Options whose value names a node; it may be a number that a drawing of the whole graph has shown.
_NAMES = ("focus", "invert", "why")


def _nothing(options: dict[str, Any], name: str, error: InputError, is_page: bool) -> tuple[str | None, str]:
    """The result where nothing was recorded: for people why it is empty; for machines an empty graph, and a note."""
    said = f"{error.message}\n  = help: {error.help}\n"
    note = f"note: {said}"
    if is_page:
        from ..graph.page import page

        return note, "".join(page.nothing(name))
    if options.get("format", "tree") == "tree":
        return None, said
    return note, "".join(_writer(options).nothing(name))


def _writer(options: dict[str, Any]) -> Any:
    """The module that writes a format for machines: ``lines`` of a view, and those of ``nothing``."""
    from importlib import import_module

    return import_module(f"..graph{'.flow' * ('flow' in options)}.{options['format']}", __package__)


def _number(view: View, look: dict[str, Any]) -> None:
    """Give items the numbers that the drawing of the whole graph shows."""
    from ..graph.text.tree import numbers

    seen = {key: value for key, value in look.items() if key not in ("terminal", "max_rows")}
    for item, number in numbers(view, **seen).items():
        item.number = number


def _for_machines(options: dict[str, Any], view: View, look: dict[str, Any]) -> Iterable[str]:
    """A view in a format that programs read."""
    if "flow" in options:
        shown = {"depth": graphs.depth_of_calls(options)}
    else:
        shown = {key: look[key] for key in ("values", "grads") if key in look and key in _FORMATS[options["format"]]}
        if "heat" in options:
            shown["heat"] = options["heat"]
    lines: Iterable[str] = _writer(options).lines(view, **shown)
    return lines


def _drawn(options: dict[str, Any], view: View, look: dict[str, Any]) -> Iterable[Line]:
    """The lines of a view, or why the gradient of a name in it is what it is."""
    if "why" in options:
        from ..graph.ask.why import explained

        return explained(view, options["why"], width=look["width"], ascii=look["ascii"])
    if "flow" in options:
        from ..graph.flow.text import table

        shown = {key: look[key] for key in ("width", "ascii", "terminal")}
        return table(view, depth=graphs.depth_of_calls(options), **shown)
    from ..graph.text.tree import render

    return render(view, **look)


def _look(given: Given, screen: Screen | None) -> dict[str, Any]:
    """The look of a drawing: what was asked for, and what there is where it goes."""
    width = None if screen is None else screen.width
    return {
        **{key: given.options[key] for key in ("layout", "values", "grads", "saved") if key in given.options},
        "width": width or _columns(),
        "ascii": screen is not None and screen.ascii,
        # A pager has room for everything.
        "terminal": width is not None and "pager" not in given.options,
        # Who says how many nodes there may be gets as many.
        "max_rows": graphs.MOST if "max_nodes" in given.options else None,
    }


def _columns() -> int:
    """The width of a drawing that goes to no terminal."""
    told = os.environ.get("COLUMNS", "")
    return int(told) if told.isascii() and told.isdigit() and 0 < int(told) < graphs.MOST else _WIDTH
