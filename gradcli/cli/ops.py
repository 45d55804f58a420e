"""``gradcli ops``: what is supported, and one operation with its rule, read from the declarations."""

from __future__ import annotations

import os
import sys

from .options import Argument, Command, Given, Option, shown
from .pages import WIDTH, flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..engine.registry import Op
    from .catalogue import Entry

# So many operations behind a name are shown whole; more are named.
_SHOWN_WHOLE = 4


def main(given: Given) -> int:
    """Show all there is, what matches a pattern, or all about one name."""
    from ..engine.offers import load_all
    from ..report.colour import terminal_width
    from ..report.stream import emit
    from . import catalogue

    load_all()
    everything = catalogue.entries()
    pattern = given.argument()
    found, single = everything, False
    if pattern is not None and {*pattern}.isdisjoint("*?["):
        entry = catalogue.named(pattern, everything)
        if entry is None:
            raise given.misuse(f"gradcli has no operation {shown(pattern)}", 0, help=_near(pattern, everything))
        found, single = [entry], True
    elif pattern is not None:
        found = catalogue.matching(pattern, everything)
        if not found:
            raise given.misuse(f"no name matches {shown(pattern)}", 0, help="`gradcli ops` lists all names")
    width = terminal_width(sys.stdout, os.environ)
    if given.get("format") == "json":
        text = _json(found)
    elif single:
        text = "\n".join(_page(found[0], everything, width))
    elif pattern is None:
        text = "\n".join(_overview(found, width or WIDTH))
    else:
        text = "\n".join(_listing(found, pattern, width))
    emit(text + "\n", sys.stdout)
    return 0


def _near(name: str, everything: list[Entry]) -> str:
    from ..spec.torch_names.suggest import did_you_mean

    last = name.rpartition(".")[2]
    names = [entry.name for entry in everything]
    # Functions begin with small letters, modules with capitals.
    alike = [other for other in names if other[:1].isupper() == last[:1].isupper()]
    return did_you_mean(last, alike) or did_you_mean(last, names) or "`gradcli ops` lists all names"


def _overview(everything: list[Entry], width: int) -> Iterator[str]:
    """All names, place by place."""
    from .catalogue import places, short

    for place in places():
        names = [f for entry in everything for f in entry.full_names if f.rpartition(".")[0] == place]
        if names:
            own = sorted((f.rpartition(".")[2] for f in names), key=str.lower)
            yield f"{short(place)} ({len(own)})"
            yield from flow(" ".join(own), width, 2)
            yield ""
    yield from flow("`gradcli ops 'soft*'` says what each does, `gradcli ops softmax` all about one.", width)


def _listing(found: list[Entry], pattern: str, width: int | None) -> Iterator[str]:
    """Names with what they do, a line each; on a narrow terminal, below each other."""
    from .catalogue import short

    rows = [(entry, " ".join(dict.fromkeys(short(f).rpartition(".")[0] for f in entry.full_names))) for entry in found]
    names = max(len(entry.name) for entry in found)
    places = max(len(place) for _, place in rows)
    left = names + places + 4
    for entry, place in rows:
        if width is None:
            yield f"{entry.name:{names}}  {place:{places}}  {entry.doc}"
        elif width - left >= 30:
            first, *rest = flow(entry.doc, width, left)
            yield f"{entry.name:{names}}  {place:{places}}  {first[left:]}"
            yield from rest
        else:
            yield f"{entry.name} ({place})"
            yield from flow(entry.doc, width, 4)
    yield ""
    yield f"{len(found)} {'name matches' if len(found) == 1 else 'names match'} {shown(pattern)}"


def _page(entry: Entry, everything: list[Entry], width: int | None) -> Iterator[str]:
    """All about one name."""
    from .catalogue import behind, related, short

    yield from _code(entry.signature, width, 0)
    yield from flow(entry.doc, width or WIDTH, 2)
    yield ""
    yield from _fact("names", ", ".join(map(short, entry.full_names)), width)
    alike = related(entry, everything)
    if alike:
        yield from _fact("see also", ", ".join(alike), width)
    ops = behind(entry)
    for op in ops[:_SHOWN_WHOLE]:
        yield ""
        if op.name != entry.name:
            yield from flow(f"It calls {op.name}: {op.doc}", width or WIDTH)
        yield from _declaration(op, width)
    if ops[_SHOWN_WHOLE:]:
        yield ""
        yield from _fact("calls too", ", ".join(op.name for op in ops[_SHOWN_WHOLE:]), width)


def _declaration(op: Op, width: int | None) -> Iterator[str]:
    """What the graph has of an operation: its node, what that keeps, and the rule of each argument."""
    yield from _fact("node", op.node_name, width)
    yield from _fact("saves", ", ".join(op.saved_names) or "nothing", width)
    for name, text in _rules(op).items():
        yield from _fact(f"gradient of {name}", text or "one of those below", width)
    for label, text in (("gradients", _text(op.joint)), ("kink at 0 of", _text(op.kink)), ("domain", _text(op.domain))):
        if text is not None:
            yield from _fact(label, text, width)


def _rules(op: Op) -> dict[str, str | None]:
    """The rule of each argument as it is written; None where one rule gives the gradients of several."""
    from ..engine.registry import shared

    return {name: None if rule is shared else _text(rule) for name, rule in op.rules.items()}


def _text(function: Callable[..., Any] | None) -> str | None:
    from .rules import text_of

    return None if function is None else text_of(function) or "its source is not here"


def _fact(label: str, text: str, width: int | None) -> Iterator[str]:
    """A label and what it says; code of several lines stands below."""
    if "\n" in text:
        yield f"{label}:"
        for line in text.splitlines():
            yield from _code(line, width, 4)
    elif width is None:
        yield f"{label}: {text}"
    else:
        yield from _code(f"{label}: {text}", width, 0)


def _code(line: str, width: int | None, indent: int) -> Iterator[str]:
    """A line, broken only where a terminal would break it, and then further in."""
    indent += len(line) - len(line.lstrip())
    whole = " " * indent + line.lstrip()
    if width is None or len(whole) <= width:
        yield whole
        return
    first, *rest = flow(line, width, indent)
    yield first
    yield from flow(" ".join(rest), width, indent + 4)


def _json(found: list[Entry]) -> str:
    """The same for machines."""
    import json

    return json.dumps({"schema": "gradcli.ops/1", "names": [_record(entry) for entry in found]}, indent=1)


def _record(entry: Entry) -> dict[str, Any]:
    from .catalogue import behind

    return {
        "name": entry.name,
        "full_names": entry.full_names,
        "signature": entry.signature,
        "doc": entry.doc,
        "operations": [
            {
                "name": op.name,
                "kind": op.kind,
                "doc": op.doc,
                "node": op.node_name,
                "saves": op.saved_names,
                "rules": _rules(op),
                "joint_rule": _text(op.joint),
                "kink": _text(op.kink),
                "domain": _text(op.domain),
            }
            for op in behind(entry)
        ],
    }


COMMAND = Command(
    main,
    examples=(
        ("gradcli ops", "all names"),
        ("gradcli ops 'soft*'", "what each of these does"),
        ("gradcli ops softmax", "its node, what it saves, its rule"),
    ),
    arguments=(Argument("PATTERN", help="A name such as relu or nn.Linear, or a pattern with * and ?."),),
    options=(Option("--format", choices=("text", "json"), help="For people, or for machines."),),
)
