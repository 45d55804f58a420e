"""``gradcli diff``: what differs between the graphs of two programs, or of one program then and now."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..text.parts import BAD, FAINT, GOOD, HEADING, PLACE, Line, Part
from . import graphs, specs
from .parsing.command import command, option, pass_given
from .parsing.types import Choice
from .parsing.words import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..graph.compare import Difference
    from ..spec.guard.limits import Limits
    from ..spec.input.named_inputs import Binding
    from ..spec.input.source import Spec
    from .confined import Inside
    from .parsing.command import Given

_SHOW = "How it is shown"
_SCHEMA = "gradcli.diff/1"
# So large may a file of JSON be that is read.
_LARGEST = 1_000_000_000
_WHAT = "A file, an expression, or JSON that `trace --format json` wrote."
# A repository may be a stranger's: nothing of it is fetched.
_GIT = ("git", "--no-replace-objects", "cat-file", "blob")


@command(
    "diff",
    help="Tell what differs between two graphs: ops, shapes, values, gradients.",
    examples=(
        ("gradcli diff old.py new.py", "two programs"),
        ("gradcli diff saved.json net.py", "a saved trace, and what it is now"),
        ("gradcli diff net.py --against git:HEAD", "what you have changed"),
        ("gradcli diff 'x*y' 'y*x' x=2 y=3", "two expressions"),
    ),
    dash=specs.DASH,
)
@specs.words("A B", _WHAT)
@option(
    "--against", metavar="git:REV", group=specs.INPUT,
    help="Compare one file with what it was in a commit, which comes first.",
)
@graphs.which
@option("--format", type=Choice(["text", "json"]), group=_SHOW, help="For people, or for machines (text).")
@specs.source(several=True)
@specs.dtype
@specs.limits()
@pass_given
def diff(given: Given) -> int:
    """Compare two graphs: 0 where they are alike, 1 where they differ."""
    from ..graph.compare import checked, differences
    from ..report.screen import Screen
    from ..report.stream import emit
    from ..spec.input.named_inputs import bindings, check_data

    graphs.check(given)
    limits = specs.limits_of(given.options)
    texts, inputs = _sorted_out(given)
    found = bindings([*inputs, *given.get("input", [])])
    check_data(found)
    named = [("auto", text) for text in texts]
    named += [(kind, text) for key, kind in specs.FORCED.items() for text in given.get(key, ())]
    sides = _sides(given, named, limits)
    before, after = (checked(name, _graph(given, side, found, limits)) for name, side in sides)
    lines = list(differences(before, after))
    names = [name for name, _ in sides]
    if given.get("format") == "json":
        emit(_json(names, lines), sys.stdout)
    else:
        Screen(sys.stdout, given.get("color", "auto"), os.environ).put(_text(names, lines, len(before), len(after)))
    return 1 if lines else 0


def _sorted_out(given: Given) -> tuple[list[str], list[str]]:
    """The words that are graphs, and those that are inputs."""
    from ..spec.input.named_inputs import is_binding

    inputs = [text for text in given.arguments if is_binding(text)]
    return [text for text in given.arguments if not is_binding(text)], inputs


def _sides(given: Given, named: Sequence[tuple[Any, str]], limits: Limits) -> list[tuple[str, Any]]:
    """The name of each side, and the program or the JSON that it is."""
    against = given.get("against")
    wanted = 2 if against is None else 1
    if len(named) != wanted:
        count = "is one graph" if len(named) == 1 else f"are {len(named)} graphs"
        raise given.misuse(f"there {count} to compare", help="name two, or one file and --against git:REV")
    sides = [(text, _side(kind, text, limits)) for kind, text in named]
    if against is None:
        return sides
    name, side = sides[0]
    path = getattr(side, "path", None)
    if path is None:
        raise given.misuse("--against is for a file", "against", help="name a file that git knows")
    return [_then(given, path, side, limits), (name, side)]


def _side(kind: Any, text: str, limits: Limits) -> Any:
    from ..spec.input.source import read

    if kind == "auto" and text.endswith(".json") and os.path.isfile(text):
        return _saved(text)
    return read(text, kind=kind, max_bytes=limits.source)


def _saved(path: str) -> Any:
    """Read a file of JSON."""
    import json

    from ..spec.input.disk import open_regular, read_up_to

    try:
        file, _ = open_regular(path)
        with file:
            return json.loads(read_up_to(file, _LARGEST))
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise InputError(f"'{path}' could not be read: {reason}", help="name a file that you may read") from None
    except (ValueError, RecursionError):
        raise InputError(f"'{path}' is no JSON", help="save one with: gradcli trace SPEC --format json") from None


def _then(given: Given, path: str, now: Spec, limits: Limits) -> tuple[str, Spec]:
    """A file as it was in a commit."""
    import subprocess

    from ..spec.input.source import decoded

    kind, mark, revision = given.options["against"].partition(":")
    if kind != "git" or not mark or not revision or revision.startswith("-"):
        help = "such as git:HEAD, git:main or git:HEAD~3"
        raise given.misuse(f"{shown(given.options['against'])} is no git:REV", "against", help=help)
    place = f"{revision}:./{os.path.basename(path)}"
    try:
        done = subprocess.run(
            [*_GIT, place], cwd=os.path.dirname(path) or ".", capture_output=True, stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1"}, timeout=60,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        raise InputError("git could not be run", help="install git, or save a trace as JSON and compare that") from None
    if done.returncode:
        help = f"git log --oneline -- {path} lists the commits that know it"
        raise InputError(f"git has no '{path}' at {revision}", help=help)
    if len(done.stdout) > limits.source:
        raise InputError(f"'{path}' at {revision} is too large", help="allow more with --max-source")
    name = f"{path}@{revision}"
    return name, now._replace(source=decoded(name, done.stdout), path=None)


def _graph(given: Given, side: Any, inputs: Sequence[Binding], limits: Limits) -> Any:
    """The JSON of a side: as it was saved, or of the program that it is, run in a process of its own."""
    import json

    from ..spec.input.source import Spec

    if not isinstance(side, Spec):
        return side
    keys = ("no_grad", "seed", "dtype")
    chosen = {key: given.options[key] for key in keys if key in given.options}
    request = specs.Request(side, inputs, chosen, limits, "no_wall" not in given.options)
    _, text = request.done(_traced, (request, given.options))
    return json.loads(text)


def _traced(inside: Inside, asked: tuple[specs.Request, dict[str, Any]]) -> None:
    from ..graph.json import to_json

    request, options = asked
    inside.result(to_json(graphs.whole_view(options, request.program(), inside.started)))


_SIGNS = {"went": ("-", BAD), "came": ("+", GOOD), "changed": ("~", HEADING)}


def _text(names: Sequence[str], found: Sequence[Difference], old: int, new: int) -> Iterator[Line]:
    """A line for each difference, those of one node together, and how many there are."""
    yield [Part(f"{_clean(names[0])} → {_clean(names[1])}", HEADING)]
    for one in found:
        sign, style = _SIGNS[one.kind]
        place = "" if one.line is None else f"  line {one.line}"
        if one.kind == "changed":
            before, after = (_told(value, _few) for value in (one.before, one.after))
            if before == after:
                # They differ further on.
                before, after = (_told(value, str) for value in (one.before, one.after))
            told = f"{one.what} {before} → {after}"
        else:
            told = _clean(str(one.before or one.after))
        yield [Part(f"{sign} {_clean(one.id)}", style), Part(f"  {told}"), Part(place, FAINT)]
    if not found:
        yield [Part(f"alike: {new} nodes", GOOD)]
        return
    counts = {kind: len({one.id for one in found if one.kind == kind}) for kind in _SIGNS}
    words = [f"{count} {kind}" for kind, count in counts.items() if count]
    yield [Part(f"{', '.join(words)}, of {old} nodes before and {new} after", PLACE)]


def _told(value: Any, few: Callable[[Any], str]) -> str:
    """A value of a trace in a few words."""
    if value is None:
        return "none"
    if isinstance(value, dict) and "norm" in value:
        bad = "".join(f" {kind} {value[kind]}" for kind in ("nan", "inf") if kind in value)
        low, high = value.get("min"), value.get("max")
        if low == high and _is_length(low, value["norm"]):
            return _clean(few(low))
        return _clean(f"{few(low)}..{few(high)} ‖{few(value['norm'])}‖{bad}")
    if isinstance(value, list) and all(isinstance(each, tuple) for each in value):
        return _clean(f"({', '.join(f'{name}={to}' for name, to in value)})")
    return _clean(str(tuple(value)) if isinstance(value, list) else few(value))


def _is_length(number: Any, norm: Any) -> bool:
    """Tell whether a norm says no more than the number does that it is of."""
    return number == norm or (isinstance(number, float) and number == -norm)


def _few(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _clean(text: str) -> str:
    from ..text.escape import harmless, one_line

    return harmless(one_line(text))


def _json(names: Sequence[str], found: Sequence[Difference]) -> str:
    """The same for machines: a difference a line."""
    import json

    from ..text.escape import in_json

    head = f'{{"schema": "{_SCHEMA}", "before": {json.dumps(names[0])}, "after": {json.dumps(names[1])},'
    lines = ",\n".join(json.dumps(one._asdict()) for one in found)
    return in_json(f'{head}\n"differences": [{lines and f"{chr(10)}{lines}{chr(10)}"}]}}\n')
