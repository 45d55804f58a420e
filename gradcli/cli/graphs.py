"""What every command that shows a graph accepts, and the view of a graph that it means."""

from __future__ import annotations

from .options import Option, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..graph.view.view import View
    from ..spec.language.machine import Machine
    from ..spec.program import Program
    from .options import Given
    from .specs import Request
    from .target import Target

_WHICH, _PART = "Which graph", "Which part of it"
MOST = 10**9

WHICH = (
    Option("--output", metavar="NAME", group=_WHICH, help="The tensor to start from (that of backward())."),
    Option("--order", metavar="N", kind=whole(1, 20), group=_WHICH, help="The graph of the Nth derivative."),
    Option("--wrt", metavar="NAME", group=_WHICH, help="What to differentiate by, with --order."),
)
PART = (
    Option("--depth", metavar="N", kind=whole(0, MOST), group=_PART, help="Nodes at most N edges from the root."),
    Option("--max-nodes", metavar="N", kind=whole(1, MOST), group=_PART, help="The N nodes nearest to the root."),
    Option("--focus", metavar="NAME", group=_PART, help="Only the paths from the root to NAME."),
    Option("--invert", metavar="NAME", group=_PART, help="From NAME up to the root."),
    Option("--fold", group=_PART, help="Show equal runs, such as the steps of a loop, once."),
)


def check(given: Given) -> None:
    """Refuse options that mean nothing without another."""
    if "wrt" in given.options and "order" not in given.options:
        raise given.misuse("--wrt is for --order", -1, "wrt", help="add --order 1 for the first derivative")


def target(given: Given, request: Request) -> Target:
    """The file that was named with -o."""
    from ..spec.input.named_inputs import data_files
    from .target import Target

    return Target(given.options["out"], request.spec.path, *data_files(request.bindings))


def whole_view(options: dict[str, Any], program: Program, started: Callable[[Machine], None]) -> View:
    """The graph that was asked for."""
    import gc

    from ..graph.view.collect import of_program

    # A large graph lives until it is drawn: to look through it for garbage often would take longer than all else.
    gc.set_threshold(50_000, 50, 50)
    chosen = {key: options[key] for key in ("output", "order", "wrt") if key in options}
    return of_program(program, started=started, **chosen)


def part(asked: dict[str, Any], view: View) -> View:
    """The part of a graph that was asked for."""
    if asked.keys() & {"focus", "invert", "depth", "max_nodes"}:
        from ..graph.ask import select

        if "focus" in asked:
            view = select.focus(view, asked["focus"])
        if "invert" in asked:
            view = select.invert(view, asked["invert"])
    if "fold" in asked:
        from ..graph.ask.fold import fold

        view = fold(view)
    if "depth" in asked:
        view = select.depth(view, asked["depth"])
    if "max_nodes" in asked:
        view = select.max_nodes(view, asked["max_nodes"])
    return view
