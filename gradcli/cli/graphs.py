"""The options of every command that shows a graph, and the part of a graph that they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .parsing.command import option, together
from .parsing.names import calls_in_spec, names_and_calls, names_in_spec
from .parsing.types import Read, Whole

if TYPE_CHECKING:
    from typing import Any

    from ..graph.view.view import View
    from .parsing.command import Decorator, Given
    from .python.graph import PythonRequest
    from .specs import Request
    from .target import Target

_WHICH, _PART = "Which graph", "Which part of it"
MOST = 10**9

AUTO, ALL = "auto", "all"


def _level(text: str) -> int | str | None:
    return text if text in (AUTO, ALL) else Whole(1, MOST).read(text)


LEVEL = Read("a whole number from 1, auto or all", _level)


def backward(group: str) -> Decorator:
    """The option that chooses among the backwards of a program."""
    return option(
        "--backward", metavar="N", type=Whole(1, MOST), group=group,
        help="Of many calls of backward() the Nth, where the program ends (the last).",
    )


which = together(
    option(
        "--output", metavar="NAME", group=_WHICH, shell_complete=names_in_spec,
        help="The tensor to start from (that of backward()).",
    ),
    backward(_WHICH),
    option("--order", metavar="N", type=Whole(1, 20), group=_WHICH, help="The graph of the Nth derivative."),
    option(
        "--wrt", metavar="NAME", group=_WHICH, shell_complete=names_in_spec,
        help="What to differentiate by, with --order.",
    ),
)  # fmt: skip
part_of_it = together(
    option("--depth", metavar="N", type=Whole(0, MOST), group=_PART, help="Nodes at most N edges from the root."),
    option("--max-nodes", metavar="N", type=Whole(1, MOST), group=_PART, help="The N nodes nearest to the root."),
    option(
        "--focus", metavar="NAME", group=_PART, shell_complete=names_and_calls,
        help="Only the paths from the root to NAME, a tensor, module, function or loop.",
    ),
    option("--invert", metavar="NAME", group=_PART, shell_complete=names_in_spec, help="From NAME up to the root."),
    option(
        "--level", metavar="N", type=LEVEL, group=_PART,
        help="Calls as boxes, the outermost at 1; auto: what fits a page (of pictures and Mermaid); all: no boxes.",
    ),
    option(
        "--expand", metavar="NAME", multiple=True, group=_PART, shell_complete=calls_in_spec,
        help="Open the box of a module, function or loop.",
    ),
    option(
        "--collapse", metavar="NAME", multiple=True, group=_PART, shell_complete=calls_in_spec,
        help="Show a module, function or loop as a box.",
    ),
)  # fmt: skip


def check(given: Given) -> None:
    """Refuse options that mean nothing without another."""
    if "wrt" in given.options and not given.options.keys() & {"order", "forward"}:
        raise given.misuse("--wrt is for --order", "wrt", help="add --order 1 for the first derivative")


def target(given: Given, request: Request | PythonRequest) -> Target:
    """The file that was named with -o."""
    from ..spec.input.named_inputs import data_files
    from .target import Target

    return Target(given.options["out"], request.spec.path, *data_files(request.bindings))


def depth_of_calls(asked: dict[str, Any]) -> int | None:
    """The depth of calls to be told, where a level was asked for."""
    level = asked.get("level")
    return level if isinstance(level, int) else None


def part(asked: dict[str, Any], view: View, usual: str | None = None) -> View:
    """The part of a graph that was asked for, and at which level; ``usual``: the level, where none was."""
    if asked.keys() & {"focus", "invert", "depth", "max_nodes"}:
        from ..graph.ask import select

        if "focus" in asked:
            view = select.focus(view, asked["focus"])
        if "invert" in asked:
            view = select.invert(view, asked["invert"])
    level = asked.get("level", usual)
    if level == ALL and not asked.keys() & {"expand", "collapse"}:
        level = None
    if level is not None or asked.keys() & {"expand", "collapse"}:
        from ..graph.ask.page import at_level

        names = [asked.get(key, ()) for key in ("expand", "collapse")]
        view = at_level(view, None if level == ALL else level, *names)
    if "depth" in asked:
        view = select.depth(view, asked["depth"])
    if "max_nodes" in asked:
        view = select.max_nodes(view, asked["max_nodes"])
    return view
