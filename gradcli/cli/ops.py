"""``gradcli ops``: what is supported, and one operation with its rule, read from the declarations."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from ..text.parts import FAINT, HEADING, LABEL, VARIABLE, Part
from .parsing.command import Context, argument, command, option, pass_context, switch
from .parsing.pages import LEAST, WIDTH, flow
from .parsing.types import TEXT, Choice, beginning
from .parsing.words import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from click.shell_completion import CompletionItem

    from ..engine.registry import Op
    from ..text.parts import Line
    from .operations.catalogue import Entry

# So many operations behind a name are shown whole; more are named.
_SHOWN_WHOLE = 4


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Propose the names of operations and modules."""
    from ..engine.offers import load_all
    from .operations import catalogue

    load_all()
    found = catalogue.entries()
    bare = [item for entry in found for item in beginning([entry.name], incomplete, entry.doc)]
    places = [catalogue.short(full) for entry in found for full in entry.full_names]
    return bare if "." not in incomplete else beginning(dict.fromkeys(places), incomplete)


@command(
    "ops",
    help="List what is supported; show one operation with its rule.",
    examples=(
        ("gradcli ops", "all names"),
        ("gradcli ops 'soft*'", "what each of these does"),
        ("gradcli ops softmax", "its node, what it saves, its rule"),
        ("gradcli ops tanh --check", "is its rule right?"),
    ),
)
@argument(
    "pattern",
    ("PATTERN", "A name such as relu or nn.Linear, or a pattern with * and ?."),
    type=TEXT,
    shell_complete=_names,
)
@option("--format", type=Choice(["text", "json"]), help="For people, or for machines.")
@switch("--check", help="Check the operation with arguments that are found for it.")
@pass_context
def ops(ctx: Context, pattern: str | None, format: str | None, check: bool, color: str | None) -> int:
    """Show all there is, what matches a pattern, or all about one name; or check that one."""
    from ..engine.offers import load_all
    from ..report.screen import Screen
    from ..report.stream import emit
    from .operations import catalogue

    load_all()
    everything = catalogue.entries()
    found, single = everything, False
    if pattern is not None and {*pattern}.isdisjoint("*?["):
        entry = catalogue.named(pattern, everything)
        if entry is None:
            raise ctx.misuse(f"gradcli has no operation {shown(pattern)}", "pattern", help=_near(pattern, everything))
        found, single = [entry], True
    elif pattern is not None:
        found = catalogue.matching(pattern, everything)
        if not found:
            raise ctx.misuse(f"no name matches {shown(pattern)}", "pattern", help="`gradcli ops` lists all names")
    if check:
        return _checked(ctx, found, single, format, color or "auto")
    screen = Screen(sys.stdout, color or "auto", os.environ)
    if format == "json":
        emit(_json(found) + "\n", sys.stdout)
    elif single:
        screen.put(_page(found[0], everything, screen.width, screen.ascii))
    elif pattern is None:
        screen.put(_overview(found, screen.width or WIDTH))
    else:
        screen.put_rows(list(_rows(found)))
        count = f"{len(found)} {'name matches' if len(found) == 1 else 'names match'} {shown(pattern)}"
        screen.put([[], [Part(count)]])
    return 0


def _checked(ctx: Context, found: list[Entry], single: bool, format: str | None, color: str) -> int:
    """Check one operation in a small program, and say how to do that again."""
    from shlex import join

    from ..report.stream import emit
    from .checking.reporting import Reporter
    from .operations.trial import tried

    if not single:
        raise ctx.misuse("--check is for one operation", "check", help="name it: gradcli ops NAME --check")
    if format == "json":
        raise ctx.misuse("--check says nothing to --format json", "format", help="leave one of the two out")
    outcome = tried(found[0])
    if outcome is None:
        name = found[0].name
        help = f"check a program of yours that uses it: gradcli check '{name}(...)'"
        raise ctx.misuse(f"no arguments were found with which {name} has a gradient", "pattern", help=help)
    emit(f"$ {join(['gradcli', 'check', *outcome.again])}\n", sys.stdout)
    reporter = Reporter("text", [], detail=1, colour=color)
    reporter.add(outcome)
    reporter.finish()
    return reporter.exit_code(False)


def _near(name: str, everything: list[Entry]) -> str:
    last = name.rpartition(".")[2]
    names = [entry.name for entry in everything]
    # Functions begin with small letters, modules with capitals.
    alike = [other for other in names if other[:1].isupper() == last[:1].isupper()]
    return did_you_mean(last, alike) or did_you_mean(last, names) or "`gradcli ops` lists all names"


def _overview(everything: list[Entry], width: int) -> Iterator[Line]:
    """All names, place by place."""
    from .operations.catalogue import places, short

    for place in places():
        names = [f for entry in everything for f in entry.full_names if f.rpartition(".")[0] == place]
        if names:
            own = sorted((f.rpartition(".")[2] for f in names), key=str.lower)
            yield [Part(short(place), HEADING), Part(f" ({len(own)})", FAINT)]
            yield from _flowing(" ".join(own), width, 2)
            yield []
    yield from _flowing("`gradcli ops 'soft*'` says what each does, `gradcli ops softmax` all about one.", width)


def _rows(found: list[Entry]) -> Iterator[Line]:
    """Names, where they are found, and what they do."""
    from .operations.catalogue import short

    for entry in found:
        places = dict.fromkeys(short(full).rpartition(".")[0] for full in entry.full_names)
        yield Part(entry.name, VARIABLE), Part(" ".join(places), FAINT), Part(entry.doc)


def _page(entry: Entry, everything: list[Entry], width: int | None, ascii: bool = False) -> Iterator[Line]:
    """All about one name."""
    from .operations.catalogue import behind, related, short

    yield from ([Part(line, HEADING)] for line in _code(entry.signature, width, 0))
    yield from _flowing(entry.doc, width or WIDTH, 2)
    yield []
    alike = related(entry, everything)
    rows = [("names", ", ".join(map(short, entry.full_names)))]
    yield from _table([*rows, ("see also", ", ".join(alike))] if alike else rows, width)
    ops = behind(entry)
    for op in ops[:_SHOWN_WHOLE]:
        yield []
        if op.name != entry.name:
            yield from _flowing(f"It calls {op.name}: {op.doc}", width or WIDTH)
        yield from _table(list(_declaration(op)), width)
    if ops[_SHOWN_WHOLE:]:
        yield []
        yield from _table([("calls too", ", ".join(op.name for op in ops[_SHOWN_WHOLE:]))], width)
    yield from _plot(entry, ops, width or WIDTH, ascii)


def _plot(entry: Entry, ops: list[Op], width: int, ascii: bool) -> Iterator[Line]:
    """The curve of a function of one number, and that of its derivative."""
    from .operations.plot import curves, drawn

    pair = curves(entry.name, entry.value) if any(op.kind == "elementwise" for op in ops) else None
    if pair is not None:
        yield []
        yield from drawn(pair, width, ascii)


def _declaration(op: Op) -> Iterator[tuple[str, str]]:
    """The node that the graph has of an operation, all that it keeps, and the rule of each argument."""
    yield "node", op.node_name
    yield "saves", ", ".join(op.saved_names) or "nothing"
    for name, text in _rules(op).items():
        yield f"gradient of {name}", text or "one of those below"
    for label, text in (("gradients", _text(op.joint)), ("kink at 0 of", _text(op.kink)), ("domain", _text(op.domain))):
        if text is not None:
            yield label, text


def _rules(op: Op) -> dict[str, str | None]:
    """The rule of each argument as it is written; None where one rule gives the gradients of several."""
    from ..engine.registry import shared

    return {name: None if rule is shared else _text(rule) for name, rule in op.rules.items()}


def _text(function: Callable[..., Any] | None) -> str | None:
    from ..engine.rule_text import text_of

    return None if function is None else text_of(function) or "its source is not here"


def _table(rows: list[tuple[str, str]], width: int | None) -> Iterator[Line]:
    """Labels and what they say, beside each other where there is room; code of several lines stands below."""
    left = max(len(label) for label, _ in rows) + 2
    for label, text in rows:
        if "\n" in text or (width is not None and width - left < LEAST):
            yield [Part(label, LABEL)]
            yield from ([Part(part)] for line in text.splitlines() for part in _code(line, width, 4))
        elif width is None:
            yield [Part(f"{label:{left}}", LABEL), Part(text)]
        else:
            first, *rest = flow(text, width, left)
            yield [Part(f"{label:{left}}", LABEL), Part(first[left:])]
            yield from ([Part(line)] for line in rest)


def _flowing(text: str, width: int, indent: int = 0) -> Iterator[Line]:
    """A text in lines of a width."""
    yield from ([Part(line)] for line in flow(text, width, indent))


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
    from .operations.catalogue import behind

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
