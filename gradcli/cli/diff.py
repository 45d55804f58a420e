"""``gradcli diff``: the differences of two graphs: of two programs, of one then and now, of gradcli and PyTorch."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from . import graphs, specs
from .parsing.command import command, option, pass_given, switch
from .parsing.types import PATH, Choice
from .pictures import DRAWN, SECONDS, TEXT
from .sides import graph, of_pytorch, sides

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..graph.diff.compare import Comparison, Difference
    from ..spec.guard.limits import Limits
    from ..spec.input.named_inputs import Binding
    from ..spec.input.source import Spec
    from .parsing.command import Given

_SHOW = "How it is shown"
_WHAT = "A file, an expression, or JSON that `trace --format json` wrote."
# In double precision, to which both are brought, numbers are compared to the digits that float32 has.
_WIDE = 1 << 23
_PAGE, _DOT = "html", "dot"
_FORMATS = ("text", "json", _DOT, _PAGE)


@command(
    "diff",
    help="Tell what differs between two graphs: ops, shapes, values, gradients.",
    examples=(
        ("gradcli diff old.py new.py", "two programs"),
        ("gradcli diff saved.json net.py", "a saved trace, and what it is now"),
        ("gradcli diff net.py --against git:HEAD", "what you have changed"),
        ("gradcli diff 'x*y' 'y*x' x=2 y=3", "two expressions"),
        ("gradcli diff net.py --torch", "PyTorch, and gradcli"),
        ("gradcli diff a.py b.py -o diff.html", "a page, or a picture (.svg, .png, .pdf)"),
    ),
    dash=specs.DASH,
)
@specs.words("A B", _WHAT)
@option(
    "--against", metavar="git:REV", group=specs.INPUT,
    help="Compare one file with what it was in a commit, which comes first.",
)
@switch(
    "--torch", group=specs.INPUT,
    help="Compare one SPEC with what PyTorch makes of it; this imports PyTorch and runs the SPEC as Python does.",
)
@graphs.which
@option("--format", type=Choice(list(_FORMATS)), group=_SHOW, help="For people, machines, Graphviz, browsers (text).")
@option(
    "-o", "--out", metavar="FILE", type=PATH, group=_SHOW,
    help="Write to a file; .json, .html, .dot, .svg, .png and .pdf say the format.",
)
@specs.source(several=True)
@specs.dtype
@specs.limits()
@pass_given
def diff(given: Given) -> int:
    """Compare two graphs: 0 where they are alike, 1 where they differ."""
    from ..graph.diff.compare import Comparison, checked
    from ..spec.input.named_inputs import bindings, check_data, is_binding
    from .parsing.limits import limits_of

    graphs.check(given)
    form = _form(given)
    limits = limits_of(given.options)
    found = bindings([*filter(is_binding, given.arguments), *given.get("input", [])])
    check_data(found)
    named = [("auto", text) for text in given.arguments if not is_binding(text)]
    named += [(kind, text) for key, kind in specs.FORCED.items() for text in given.get(key, ())]
    compared = sides(given, named, limits)
    names = [name for name, _ in compared]
    if "torch" in given.options:
        comparison = _with_pytorch(given, compared[0][1], found, limits, names)
    else:
        before, after = (checked(name, graph(given, side, found, limits)) for name, side in compared)
        comparison = Comparison(before, after)
    _show(given, form, names, comparison, [getattr(side, "path", None) for _, side in compared])
    return 1 if comparison.differences else 0


def _with_pytorch(
    given: Given, spec: Spec, inputs: Sequence[Binding], limits: Limits, names: list[str]
) -> Comparison:
    """Compare PyTorch's graph of a spec with gradcli's, and name both sides."""
    from .python.in_torch import version

    names.insert(0, version())
    found, backwards = _both(given, spec, inputs, limits, names, _WIDE if given.get("dtype") == "float64" else 1)
    numbers_alone = all(one.what in ("value", "gradient") for one in found.differences)
    if found.differences and numbers_alone and backwards > 1 and "dtype" not in given.options:
        # Where a gradient has nearly vanished, few digits of float32 are left: double precision tells who is right.
        given.options["dtype"] = "float64"
        wide, _ = _both(given, spec, inputs, limits, names, _WIDE)
        if not wide.differences:
            names[1] += f" (in float64: float32 has too few digits after {backwards} steps)"
            return wide
    return found


def _both(
    given: Given, spec: Spec, inputs: Sequence[Binding], limits: Limits, names: Sequence[str], steps: int
) -> tuple[Comparison, int]:
    from ..graph.diff.compare import Comparison, checked, without_constants

    ours = graph(given, spec, inputs, limits)
    theirs, backwards = of_pytorch(given, spec, inputs, limits, ours)
    before, after = (without_constants(checked(*each)) for each in zip(names, (theirs, ours), strict=True))
    # Each step of a training adds its own rounding to the weights.
    found = Comparison(before, after, steps * (1 + backwards))
    found.forget(_unknown_to_pytorch)
    return found, backwards


def _unknown_to_pytorch(one: Difference) -> bool:
    """PyTorch's graph has no constants, no names of variables, and only the values that it keeps for a backward."""
    return one.what == "name" or (one.what == "value" and one.before is None)


def _form(given: Given) -> str:
    """The format that was chosen, or that the name of a file ends in."""
    ending = os.path.splitext(given.get("out", ""))[1].removeprefix(".").lower()
    told = _DOT if ending in TEXT else ending if ending in (*DRAWN, *_FORMATS) else None
    chosen: str | None = given.get("format")
    if chosen is not None and told not in (None, chosen):
        raise given.misuse(f"a file that ends in .{ending} is not of --format {chosen}", "out", help="leave one out")
    return chosen or told or "text"


def _show(
    given: Given, form: str, names: Sequence[str], found: Comparison, sources: Sequence[str | None]
) -> None:
    """Write the differences where they were asked for."""
    from ..report.screen import Screen
    from ..report.stream import emit
    from .target import Target

    path = given.get("out", "-")
    if path == "-":
        if form == "text":
            from ..graph.diff.text import lines

            Screen(sys.stdout, given.get("color", "auto"), os.environ).put(lines(names, found))
        else:
            emit(_text_of(form)(names, found), getattr(sys.stdout, "buffer", sys.stdout))
        return
    target = Target(path, *sources)
    if form not in DRAWN:
        target.write([_text_of(form)(names, found).encode()])
        return
    from .pictures import picture

    seconds = given.get("timeout", SECONDS)
    target.write([picture(target, _text_of(_DOT)(names, found), form, seconds, walled="no_wall" not in given.options)])


def _text_of(form: str) -> Callable[[Sequence[str], Comparison], str]:
    if form == "json":
        from ..graph.diff.json import to_json as made
    elif form == _PAGE:
        from ..graph.diff.html import to_html as made
    elif form == _DOT:
        from ..graph.dot.differences import to_dot as made
    else:
        from ..graph.diff.text import to_text as made
    return made
